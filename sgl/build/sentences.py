"""Read the sentences of a user, and say in words where the grammar stops following."""

from __future__ import annotations

from sgl.audit import Speller
from sgl.diagnostics import Diagnostics, SourceFile, SourceMap, suggest
from sgl.parse import Forest, Parser

#: What diagnostics call a sentence of the command line.
SENTENCE = "sentence"


def read_sentence(
    parser: Parser,
    sentence: str,
    speller: Speller | None,
    sources: SourceMap,
    diagnostics: Diagnostics,
) -> Forest | None:
    """The readings of a sentence; None after a report.

    With a speller the sentence is also tried as it should have been spelt.
    """
    spellings = [(sentence, ())] if speller is None else list(speller.spellings(sentence))
    for spelling, _ in spellings:
        forest = parser.forest(spelling)
        if forest is not None:
            return forest
    _report(parser, spellings[-1][0], sources, diagnostics)
    return None


def _report(parser: Parser, sentence: str, sources: SourceMap, diagnostics: Diagnostics) -> None:
    """Show where the sentence stops being the beginning of one that the grammar derives."""
    obstacle = parser.obstacle(sentence)
    file = sources.add(SourceFile(SENTENCE, sentence))
    start, word = _next_word(parser, sentence, obstacle.position)
    notes = [f"parsed up to: {sentence[: obstacle.position]}"] if obstacle.position else []
    expected = ", ".join(obstacle.expected(parser.grammar))
    if expected:
        notes.append(f"expected one of: {expected}")
    known = parser.vocabulary
    hint = suggest(word, known) if word and word not in known else ""
    label = "here it ends" if not word else "this does not go on what stands before"
    if word and word not in known and parser.grammar.text_layers[parser.layer].join:
        label = "this is no word of the grammar"
    diagnostics.error(
        "SGL1101",
        file.span(start, start + len(word)),
        f"the grammar does not derive this sentence in the layer `{_layer(parser)}`",
        label=label if obstacle.position or word not in known else "no sentence begins so",
        notes=notes,
        hint=hint,
    )


def _layer(parser: Parser) -> str:
    return parser.grammar.text_layers[parser.layer].name


def _next_word(parser: Parser, sentence: str, position: int) -> tuple[int, str]:
    """Where the next word begins, and the word: up to the separator, or one character."""
    join = parser.grammar.text_layers[parser.layer].join
    if not join:
        return position, sentence[position : position + 1]
    start = position + len(join) if sentence.startswith(join, position) else position
    end = sentence.find(join, start)
    return start, sentence[start:] if end < 0 else sentence[start:end]
