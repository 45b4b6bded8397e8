"""Read the sentences of a user, and say in words where the grammar stops following."""

from __future__ import annotations

from sgl.corpus import Normalizer
from sgl.diagnostics import Diagnostics, SourceFile, SourceMap, Span, suggest
from sgl.parsing import Forest, Parser

#: What diagnostics call a sentence of the command line.
SENTENCE = "sentence"


def read_sentence(
    parser: Parser,
    sentence: str,
    normalizer: Normalizer | None,
    sources: SourceMap,
    diagnostics: Diagnostics,
    place: Span | None = None,
) -> Forest | None:
    """The readings of a sentence; None after a report.

    With a normalizer the sentence is also tried as it should have been spelt.  ``place`` is
    where the sentence stands, if that is in a file and it is read as it stands there.
    """
    spellings = [(sentence, ())] if normalizer is None else list(normalizer.spellings(sentence))
    for spelling, _ in spellings:
        forest = parser.forest(spelling)
        if forest is not None:
            return forest
    last = spellings[-1][0]
    if place is None:
        place = sources.add(SourceFile(SENTENCE, last)).span(0, len(last))
    _report(parser, last, place, diagnostics)
    return None


def _report(parser: Parser, sentence: str, place: Span, diagnostics: Diagnostics) -> None:
    """Show where the sentence stops being the beginning of one that the grammar derives."""
    obstacle = parser.obstacle(sentence)
    start, word = parser.word_at(sentence, obstacle.position)
    notes = [f"parsed up to: {sentence[: obstacle.position]}"] if obstacle.position else []
    expected = ", ".join(obstacle.expected(parser.grammar))
    if expected:
        notes.append(f"expected one of: {expected}")
    layer = parser.grammar.text_layers[parser.layer]
    unknown = bool(layer.join) and bool(word) and word not in parser.vocabulary
    if not word:
        label = "more is expected here"
    elif unknown:
        label = "the grammar has no such word"
    else:
        label = "this cannot stand here"
    diagnostics.error(
        "SGL1101",
        Span(place.file, place.start + start, place.start + start + len(word)),
        f"the grammar does not derive this sentence in the layer `{layer.name}`",
        label=label,
        notes=notes,
        hint=suggest(word, parser.vocabulary) if unknown else "",
    )
