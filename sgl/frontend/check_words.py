"""Check the words of a grammar: each is there once, and its attributes can be written.

Two words of one category may be spelt alike in one language (*bank*, in Japanese
銀行 and 土手).  When nothing in the graph tells them apart, the source sentence has
two translations, and an author may not have meant it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sgl.core.grammar import Token
from sgl.diagnostics import Label
from sgl.frontend.attributes import is_writable
from sgl.frontend.productions import Production, Variable
from sgl.frontend.state import State


def check_words(state: State) -> None:
    """Report repeated words, ambiguous words, and attributes that CoNLL-U cannot hold.

    Before: ``productions`` without errors.
    """
    productions = state.productions
    for production in productions:
        for name, value in _attributes(production):
            if not is_writable(name, value):
                state.diagnostics.error(
                    "SGL0512",
                    production.span,
                    f"CoNLL-U cannot hold the attribute {name}={value!r}",
                    hint="write it without spaces and bars",
                )
    words = [production for production in productions if not production.rhs]
    _check_repeated(words, state)
    _check_ambiguous(words, state)


def _attributes(production: Production) -> Iterator[tuple[str, str]]:
    """The attributes of all nodes, a variable with each of its values."""
    for sketch in production.fragments:
        for attributes in sketch.attributes.values():
            for name, value in attributes:
                if isinstance(value, Variable):
                    yield from ((name, v) for v in sorted(production.domains[value.name]))
                else:
                    yield name, value


def _check_repeated(words: Sequence[Production], state: State) -> None:
    seen: dict[object, Production] = {}
    for word in words:
        # Homonyms, which differ in a graph, are different words.
        meaning = tuple(tuple(sketch.attributes.values()) for sketch in word.fragments)
        key = (word.lhs.info.name, word.lhs.slots, word.templates, meaning)
        earlier = seen.setdefault(key, word)
        if earlier is not word:
            state.diagnostics.error(
                "SGL0605",
                word.span,
                "this is the same word as an earlier one",
                labels=[Label(earlier.span, "the same word, in the same category")],
                hint="remove one of the two; a weight makes a word more frequent",
            )


def _check_ambiguous(words: Sequence[Production], state: State) -> None:
    """Warn about a source word with several translations that nothing tells apart."""
    seen: dict[object, Production] = {}
    for word in words:
        graphs = tuple(tuple(sketch.attributes.items()) for sketch in word.fragments)
        key = (word.lhs.info.name, word.lhs.slots, word.templates[0], graphs)
        earlier = seen.setdefault(key, word)
        if earlier.templates != word.templates:
            source = " ".join(item.text for item in word.templates[0] if isinstance(item, Token))
            state.diagnostics.warning(
                "SGL0611",
                word.span,
                f"`{source}` has several translations, and nothing tells them apart",
                labels=[Label(earlier.span, "the same word, translated otherwise")],
                hint="remove one of the two, or tell them apart by a feature or an attribute",
            )
