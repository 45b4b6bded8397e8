"""Read again the sentences that are shown as examples, with the outputs of the systems.

They are some dozens of a treebank: their places in the file are known, and a file of
predictions is gone through once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from sgl.research.analyse.predictions import Output, some_outputs
from sgl.research.analyse.result import Example, Settings, Suspect, System, Treebank
from sgl.research.analyse.structures import labels_of, occurrence
from sgl.research.analyse.tree import Skeleton, without_punctuation
from sgl.research.treebank import Malformed, Sentence, TreebankReader


class Choice(NamedTuple):
    """A sentence of the treebank (its rank) and a system (its rank) that has failed it."""

    sentence: int
    system: int


def add_examples(
    suspects: Sequence[Suspect],
    choices: Sequence[Choice],
    view: str,
    treebank: Treebank,
    systems: Sequence[System],
    settings: Settings,
) -> list[Suspect]:
    """The suspects, of which the first have the chosen sentences as examples."""
    reader = TreebankReader()
    sentences: dict[int, Sentence] = {}
    for at in {choice.sentence for choice in choices}:
        line, offset = int(treebank.lines[at]), int(treebank.offsets[at])
        block = reader.read_again(Path(treebank.path), line, offset)
        if not isinstance(block, Malformed):
            sentences[at] = block
    outputs = [
        _outputs(system, {c.sentence for c in choices if c.system == rank}, treebank, sentences)
        for rank, system in enumerate(systems)
    ]
    shown = list(suspects)
    for number, choice in enumerate(choices):
        sentence = sentences.get(choice.sentence)
        if sentence is None:
            continue
        marked = _marked(sentence, view, suspects[number], settings)
        system = systems[choice.system]
        output = outputs[choice.system].get(int(treebank.blocks[choice.sentence]), "")
        bleu = float(system.bleu[choice.sentence])
        example = _example(sentence, marked, system.name, bleu, output)
        shown[number] = replace(shown[number], example=example)
    return shown


def _outputs(
    system: System, places: set[int], treebank: Treebank, sentences: dict[int, Sentence]
) -> dict[int, Output]:
    wanted = {
        int(treebank.blocks[at]): sentences[at].comment("sent_id")
        for at in places
        if at in sentences
    }
    return some_outputs(Path(system.path), "form", wanted) if wanted else {}


def _marked(sentence: Sentence, view: str, suspect: Suspect, settings: Settings) -> tuple[int, ...]:
    """The words of the sentence that are the structure."""
    words = sentence.words
    if settings.keep_punctuation:
        skeleton = Skeleton(sentence.heads, tuple(range(len(words))))
    else:
        skeleton = without_punctuation(words)
    labels = labels_of(words, skeleton, view)
    found = occurrence(skeleton.heads, labels, suspect.structure) or frozenset()
    return tuple(sorted(skeleton.kept[place] for place in found))


def _example(
    sentence: Sentence, marked: tuple[int, ...], system: str, bleu: float, output: Output
) -> Example:
    words = sentence.words
    return Example(
        sent_id=sentence.comment("sent_id") or "",
        line=sentence.line,
        system=system,
        bleu=bleu,
        words=tuple([(word.form, word.upos) for word in words]),
        arcs=tuple([(w.head - 1, w.deprel, at) for at, w in enumerate(words) if w.head]),
        root=next(at for at, word in enumerate(words) if not word.head),
        marked=marked,
        output=output if isinstance(output, str) else " ".join(output.words),
    )
