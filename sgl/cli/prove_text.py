"""What ``sglc prove`` says in words: the reasoning about a pattern, the comparison of grammars."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from sgl.automata import Disjoint, Instance, Licence, Piece, Verdict
from sgl.cli.terminal import count
from sgl.diagnostics.source import display_width
from sgl.frontend import Compiled
from sgl.pipeline.ambiguity import unchecked
from sgl.pipeline.comparison import Comparison, Departure, Found
from sgl.pipeline.explanation import Invariant, Phrase, Reasoning
from sgl.pipeline.guarantees import excuses, pattern_guarantees, used
from sgl.report import Example
from sgl.report.text import columns, graph_lines, tree_lines

#: Phrases of an invariant that are shown, and names of what need not be seen.
_PHRASES, _NAMED = 16, 40

#: Columns for the phrase of an invariant.
_WIDTH = 48


def pattern_lines(reasoning: Reasoning) -> Iterator[str]:
    """Yield the reasoning about a pattern, line by line."""
    pattern, proofs = reasoning.pattern.pattern, reasoning.proofs
    drawn: set[str] = set()
    title = f" “{pattern.title}”" if pattern.title else ""
    yield f"{pattern.name}{title}: {'proved' if proofs.proved else 'REFUTED'}"
    yield ""
    yield from _indented(columns([(c.place, c.text) for c in reasoning.clauses]))
    for guarantee in pattern_guarantees(proofs):
        yield f"  {guarantee.claim}: {guarantee.result}"
    for invariant in reasoning.invariants:
        yield from _held_out(invariant, reasoning)
    for need, example in reasoning.needs:
        yield from _need(need, example, drawn)
    for piece, example in reasoning.pieces:
        yield from _piece(piece, example, drawn)
    for item, example in reasoning.items:
        yield from _item(item, example, drawn)
    yield from _exposed(reasoning)
    for disjoint in proofs.disjoint:
        yield from _disjoint(disjoint)
    yield from _section("string level", unchecked(pattern.name).result)
    yield "  the proofs are about derivations; `sglc compile` parses every sentence that it draws"


def _held_out(invariant: Invariant, reasoning: Reasoning) -> Iterator[str]:
    claim = invariant.claim
    yield from _section("held out", claim.verdict.value)
    yield f"  {claim.structure}"
    yield (
        f"  probability in the whole grammar {claim.mass:.3e}, in training {claim.train_mass:.3e}"
    )
    yield (
        f"  its automaton: {count(invariant.states, 'state')}, "
        f"{count(invariant.transitions, 'transition')} between phrases"
    )
    yield (
        f"  the training grammar: {count(reasoning.training, 'state')}, "
        f"{count(reasoning.transitions, 'transition')} with the words"
    )
    if not invariant.phrases:
        return
    for number, piece in enumerate(invariant.pieces, 1):
        yield f"  piece {number}: {piece}"
    yield "  invariant: what phrases already contain, each with the smallest such phrase"
    rows = [_phrase(phrase) for phrase in invariant.phrases[:_PHRASES]]
    yield from _indented(columns(rows), "    ")
    if len(invariant.phrases) > _PHRASES:
        yield f"    … and {len(invariant.phrases) - _PHRASES} more kinds"
    reached = any(phrase.reached and phrase.whole for phrase in invariant.phrases)
    if not reached:
        yield "  no training phrase contains the whole, and no rule makes it of those that are left"


def _phrase(phrase: Phrase) -> tuple[str, ...]:
    numbers = ", ".join(map(str, phrase.found))
    found = f"piece{'s' if len(phrase.found) > 1 else ''} {numbers}" if numbers else "nothing"
    where = "in training" if phrase.reached else "not in training"
    return (
        "the whole" if phrase.whole else found,
        where,
        count(phrase.states, "state"),
        f"{phrase.category}: {shortened(phrase.text)}",
    )


def shortened(text: str, width: int = _WIDTH) -> str:
    """Return the beginning and the end of a text that is wider than ``width`` columns."""
    if display_width(text) <= width:
        return text
    words = text.split(" ")
    while len(words) > 2 and display_width(" ".join(words)) > width - 2:
        del words[len(words) // 2]
    half = (len(words) + 1) // 2
    return " ".join([*words[:half], "…", *words[half:]])


def _need(claim: Licence, example: Example | None, drawn: set[str]) -> Iterator[str]:
    yield from _section("needed in training", claim.verdict.value)
    yield f"  {claim.structure}"
    yield (
        f"  probability in training {claim.mass:.3e}; about {claim.expected:,.0f} "
        f"sentences expected, {claim.minimum:,} asked for"
    )
    yield from _example("the smallest", example, drawn)


def _piece(claim: Piece, example: Example | None, drawn: set[str]) -> Iterator[str]:
    yield from _section("piece of it in training", claim.verdict.value)
    yield f"  {claim.structure}"
    if claim.verdict is Verdict.WAIVED:
        yield "  training cannot contain it, and the pattern says that it need not"
    yield from _example(f"the smallest of {claim.stream}", example, drawn)


def _item(claim: Instance, example: Example | None, drawn: set[str]) -> Iterator[str]:
    yield from _section(f"items of {claim.stream}", claim.verdict.value)
    if not claim.mass:
        yield "  no sentence of the grammar qualifies"
        return
    yield (
        f"  probability {claim.mass:.3e}: rejection sampling would draw "
        f"{1 / claim.mass:,.0f} sentences for one item"
    )
    yield (
        f"  expected length {claim.expected_tokens:.1f} tokens, "
        f"spectral radius {claim.spectral_radius:.3f}"
    )
    yield from _example("the smallest", example, drawn)


def _exposed(reasoning: Reasoning) -> Iterator[str]:
    claim = reasoning.proofs.exposed
    if not claim.counts:
        return
    yield from _section("exposed", claim.verdict.value)
    yield f"  items can use {used(claim)}"
    for text in excuses(claim, _NAMED):
        yield f"  not in training: {text}"
    for thing in claim.missing:
        yield f"  MISSING in training: {thing.kind.value} {thing.name}"


def _disjoint(claim: Disjoint) -> Iterator[str]:
    yield from _section(f"not in training: {claim.stream}", claim.verdict.value)
    if claim.verdict is Verdict.PROVED:
        yield "  no derivation of an item is one of a training sentence"


def _example(what: str, example: Example | None, drawn: set[str]) -> Iterator[str]:
    """Yield a sentence with its tree and its graph, unless they were ``drawn`` before."""
    if example is None:
        return
    yield f"  {what}: {example.source} | {example.target}"
    if example.source in drawn:
        return
    drawn.add(example.source)
    pictures = [tree_lines(tree) for tree in example.trees[:1]]
    yield from _indented(beside([*pictures, graph_lines(example)]), "    ")


def beside(pictures: list[list[str]]) -> list[str]:
    """Pictures of several lines, next to each other."""
    height = max(len(picture) for picture in pictures)
    padded = [[*picture, *[""] * (height - len(picture))] for picture in pictures]
    return columns(list(zip(*padded, strict=True)), "    ")


def _section(what: str, verdict: str) -> Iterator[str]:
    yield ""
    yield f"{what}: {'REFUTED' if verdict == 'refuted' else verdict}"


def _indented(lines: Iterable[str], by: str = "  ") -> Iterator[str]:
    for line in lines:
        yield by + line


def between_lines(
    first: Compiled,
    second: Compiled,
    comparisons: Sequence[Comparison],
    departures: Sequence[Departure],
) -> Iterator[str]:
    """Yield the comparison, line by line."""
    a, b = first.project.name, second.project.name
    if a == b:
        a, b = f"{a} (A)", f"{b} (B)"
    yield f"what the training data of {a} show of what {b} tests"
    for pattern, rows in groupby(comparisons, key=lambda row: row.pattern):
        yield ""
        yield pattern
        for row in rows:
            yield f"  {row.role}: {row.structure}"
            yield f"    {_verdict(row, a)}"
            if row.sentence:
                yield f"    {row.stream}: {' | '.join(row.sentence)}"
    for departure in departures:
        structures = " or ".join(map(str, departure.structures))
        yield ""
        yield departure.stream
        if departure.lacking:
            yield f"  items of {a} need not contain {structures}"
        else:
            yield f"  {b} keeps this out, and {a} does not: {structures}"
        yield f"    {' | '.join(departure.sentence)}"
    shown = [row for row in comparisons if row.found is Found.SHOWN]
    patterns = len({row.pattern for row in comparisons})
    hit = len({row.pattern for row in shown})
    yield ""
    yield (
        f"{len(shown)} of {count(len(comparisons), 'structure')} shown, "
        f"in {hit} of {count(patterns, 'pattern')}"
    )
    if departures:
        yield f"{count(len(departures), 'departure')} from what {b} keeps apart"


def _verdict(row: Comparison, grammar: str) -> str:
    if row.found is Found.SHOWN:
        return f"shown: training of {grammar} contains it"
    if row.found is Found.HELD_OUT:
        return f"not shown: {grammar} makes it, but not in training"
    if row.found is Found.NEVER:
        return f"not shown: no sentence of {grammar} contains it"
    return f"not shown: {row.reason}"
