"""Turn prompts into questions: what a model reads before its answer, and which answers are right.

    output     the item; its output is right
    judge      two questions: whether the item is in the language, and whether the string beside it is
    program    one question for a pattern: a program that maps every input to its output

Each shot is a sentence with its output; to judge, a sentence with *yes*, and the string beside it with *no*.  Before
the shots there may be the grammar, whole or as far as the question needs it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from sgl.research.prompts.beside import Made, Matching, Strings, text_of
from sgl.research.prompts.context import grammar_text
from sgl.research.prompts.material import Material, Prompt
from sgl.sampling.engine import stream_key

OUTPUT, JUDGE, PROGRAM = TASKS = "output", "judge", "program"
NO_CONTEXT, NEEDED, WHOLE = CONTEXTS = "none", "needed", "grammar"

#: What is asked for, before the words that say how.
_ASKED = {
    OUTPUT: "Give the output of the last input",
    JUDGE: "Is the last input a sentence of the language? Answer yes or no",
    PROGRAM: "Write a Python program that reads inputs, one on each line, and prints the output of each on a line",
}


class Question(NamedTuple):
    """The text that is asked about, the right answers, the shots with theirs, and the grammar.

    ``kind`` is the pattern, and to judge, what the string is; ``known`` is what is recorded of the question.
    """

    prompt: Prompt
    kind: str
    text: str
    answers: tuple[str, ...]
    shots: Sequence[tuple[str, str]]
    context: str
    known: Mapping[str, Any]


def instruction_of(task: str, context: str, select: str) -> str:
    """Return the first line of prompts, if the user gives none."""
    ways = ["by the grammar"] * (context != NO_CONTEXT)
    ways += ["in the way of the examples"] * (select != "none")
    return f"{', '.join([_ASKED[task], *ways])}."


def questions_of(
    material: Material, prompts: Iterable[Prompt], options: Mapping[str, Any], beside: Mapping[str, Made]
) -> Iterator[Question]:
    """Yield the questions of prompts; an item without what it needs beside it has none.  Raises ``ValueError``."""
    context, known = _contexts(material, options), material.known
    matching = Matching(material) if options["matched"] else None
    judged = _judged(material, options["seed"], beside, context) if options["task"] == JUDGE else None
    for prompt in prompts:
        shots = [(known[shot].row.source, known[shot].row.target) for shot in prompt.shots]
        if options["task"] == PROGRAM:
            rules = (rule for of in material.items if of.row.category == prompt.id for rule in of.derivation)
            yield Question(prompt, prompt.pattern, "", (), shots, context(rules, ()), {})
        elif judged is not None:
            yield from judged(prompt) if prompt.id in beside else ()
        elif matching is None:
            item, shown = known[prompt.id].row, context(known[prompt.id].derivation, ())
            yield Question(prompt, prompt.pattern, item.source, (item.target, *item.others), shots, shown, {})
        elif prompt.id in beside:
            own = matching.read(prompt.id, beside[prompt.id])
            lacking = own.parts.difference(*(known[shot].parts for shot in prompt.shots))
            recorded, shown = {"item": prompt.id, "unshown": sorted(lacking)}, context(own.derivation, ())
            yield Question(prompt, prompt.pattern, own.row.source, (own.row.target,), shots, shown, recorded)


def _judged(
    material: Material, seed: int, beside: Mapping[str, Made], context: Callable[[Iterable[int], Iterable[str]], str]
) -> Callable[[Prompt], Iterator[Question]]:
    """Return the two questions about an item and the string beside it, in an order by chance."""
    strings = Strings(material)
    words = cache(lambda name: strings.made(name, beside[name]))

    def questions(prompt: Prompt) -> Iterator[Question]:
        own, other = strings.words(prompt.id), words(prompt.id)
        shots = list[tuple[str, str]]()
        shown = context(material.known[prompt.id].derivation, (form for form, _ in other))
        for shot in prompt.shots:
            pair = [(text_of(strings.words(shot)), "yes")]
            pair += [(text_of(words(shot)), "no")] if shot in beside and words(shot) != other else []
            shots += pair[:: 1 if stream_key(seed, f"{prompt.id} {shot}") % 2 else -1]
        both = [(own, "yes", "yes"), (other, "no", "join" if beside[prompt.id][0] == "join" else "edit")]
        for form, answer, kind in both[:: 1 if stream_key(seed, f"{prompt.id} order") % 2 else -1]:
            known = {"item": prompt.id, "words": len(form), "strange": strings.strange(form)}
            yield Question(prompt, f"{prompt.pattern}/{kind}", text_of(form), (answer,), shots, shown, known)

    return questions


def _contexts(material: Material, options: Mapping[str, Any]) -> Callable[[Iterable[int], Iterable[str]], str]:
    """Return what writes the rules of a derivation, and of further words; all rules, or none, by the options."""
    core, source, context = material.core, material.asked.source, options["context"]
    target, layer = "" if options["task"] == JUDGE else material.asked.target, core.text(source)
    text = cache(lambda rules: grammar_text(core, source, target, rules))
    of = {n: {item.text for item in rule.templates[layer]} for n, rule in enumerate(core.rules) if not rule.rhs}

    def written(derivation: Iterable[int], words: Iterable[str]) -> str:
        if context != NEEDED:
            return text(None) if context == WHOLE else ""
        said = {form for word in words for form in (word, word[:1].lower() + word[1:])}
        return text(frozenset(derivation) | {n for n, own in of.items() if own and own <= said})

    return written
