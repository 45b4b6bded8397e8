"""What is certain of the words of a state, whatever is sampled, and how words are written.

The program decides beforehand where a capital goes and that an attached word has something
before it.  Both follow from these two questions::

    sure      does everything that the state becomes have a word that is not empty?
    initial   can the words of the state be the first of a sentence?
"""

from __future__ import annotations

from collections.abc import Sequence

from sgl.sampling.engine import PackedText, State, Tables


def template_of(tables: Tables, rule: int) -> Sequence[str | int]:
    """Return the source template of a rule."""
    return tables.source.templates[rule]


def sure_states(tables: Tables) -> frozenset[int]:
    """Return the states that always have a word that is not empty."""
    sure: set[int] = set()
    waiting = list(range(len(tables.states)))
    while True:
        found = [number for number in waiting if _is_sure(tables, tables.states[number], sure)]
        if not found:
            return frozenset(sure)
        sure.update(found)
        waiting = [number for number in waiting if number not in sure]


def _is_sure(tables: Tables, state: State, sure: set[int]) -> bool:
    return all(
        any(_shows(item, children, sure) for item in template_of(tables, rule))
        for rule, children in zip(state.rules, state.children, strict=True)
    )


def _shows(item: str | int, children: Sequence[int], sure: set[int] | frozenset[int]) -> bool:
    """Return whether an item of a template is sure; ``children`` has the last child first."""
    if isinstance(item, str):
        return bool(item)
    return children[-1 - (item if item >= 0 else ~item)] in sure


def initial_states(tables: Tables, sure: frozenset[int]) -> frozenset[int]:
    """Return the states whose words can be the first of a sentence."""
    initial = {stratum.start for stratum in tables.strata}
    waiting = list(initial)
    while waiting:
        state = tables.states[waiting.pop()]
        for rule, children in zip(state.rules, state.children, strict=True):
            for item in template_of(tables, rule):
                if not isinstance(item, str):
                    child = children[-1 - (item if item >= 0 else ~item)]
                    if child not in initial:
                        initial.add(child)
                        waiting.append(child)
                if _shows(item, children, sure):
                    break
    return frozenset(initial)


def attaches(text: PackedText, words: Sequence[str]) -> bool:
    """Return whether no separator stands before the first of these words."""
    return bool(words and text.join) and words[0] in text.attach


def closed(text: PackedText, words: Sequence[str]) -> str:
    """Return the words as one string, with a separator behind the last as well."""
    result = ""
    for number, word in enumerate(words):
        if number and word in text.attach and text.join:
            result = result[: -len(text.join)]
        result += word + text.join
    return result
