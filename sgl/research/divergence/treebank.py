"""Sentences of a treebank in CoNLL-U, as trees of lemmas or as words with their features.

Any treebank will do; lines of multiword tokens (``3-4``) and of empty nodes (``5.1``) are
passed over, since the words of the basic tree have plain numbers::

    1  The  the  DET   _  _                      2  det    _  _
    2  dog  dog  NOUN  _  Case=Nom|Number=Sing   3  nsubj  _  _

    graph        atoms  the  dog  -det->                compounds  dog -det-> the
    morphology   atoms  dog  Case=Nom  Number=Sing      compounds  dog+Case=Nom|Number=Sing

The morphological elements are those of Moisio, Creutz & Kurimo (2023): a compound is a
lemma with all of its features, a word form; words without features have none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sgl.research.divergence.trees import Trees

_COLUMNS = 10
_NONE = "_"


class NotATreebankError(ValueError):
    """A file is not CoNLL-U; the message says where, and what is wrong there."""


@dataclass(frozen=True, slots=True)
class Word:
    """What is used of a line: the head is the number of a word in the sentence, from 1."""

    lemma: str
    features: str
    head: int
    relation: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with its text as it stands in the file, without the empty line after it.

    The name is that of the comment ``sent_id``, the category that of ``category``.
    """

    name: str
    words: tuple[Word, ...]
    text: str
    category: str = ""


def read_treebank(path: Path) -> Iterator[Sentence]:
    """The sentences of a file in order; those without a ``sent_id`` are named by a number.

    Raises:
        OSError: the file cannot be read.
        NotATreebankError: something in it is not as it should be.
    """
    block: list[str] = []
    first = number = 1
    with path.open("rb") as stream:
        for line, raw in enumerate(stream, 1):
            try:
                text = raw.decode("utf-8-sig" if line == 1 else "utf-8").rstrip("\r\n")
            except UnicodeDecodeError:
                raise NotATreebankError(f"line {line} is not UTF-8") from None
            if text.strip():
                first = first if block else line
                block.append(text)
            elif block:
                yield _sentence(block, first, number)
                block, number = [], number + 1
    if block:
        yield _sentence(block, first, number)


def _sentence(block: Sequence[str], first: int, number: int) -> Sentence:
    comments = {"sent_id": str(number), "category": ""}
    words: list[Word] = []
    for line, text in enumerate(block, first):
        if text.startswith("#"):
            key, _, value = text[1:].partition("=")
            if key.strip() in comments and value.strip():
                comments[key.strip()] = value.strip()
            continue
        columns = text.split("\t")
        if len(columns) != _COLUMNS:
            raise NotATreebankError(
                f"line {line} has {len(columns)} columns instead of {_COLUMNS}, with tabs between"
            )
        if "-" in columns[0] or "." in columns[0]:
            continue
        if columns[0] != str(len(words) + 1):
            raise NotATreebankError(f"line {line} has the number `{columns[0]}` out of order")
        head = int(columns[6]) if columns[6].isascii() and columns[6].isdigit() else -1
        words.append(Word(columns[2], columns[5], head, columns[7]))
    for place, word in enumerate(words, 1):
        if not 0 <= word.head <= len(words) or word.head == place:
            raise NotATreebankError(f"line {first} begins a sentence with a wrong head")
    text = "\n".join(block)
    return Sentence(comments["sent_id"], tuple(words), text, comments["category"])


def dependency_trees(sentences: Sequence[Sentence]) -> Trees:
    """The basic trees: a node is a lemma, an edge a relation."""
    labels: dict[str, int] = {}
    relations: dict[str, int] = {}
    start = [0]
    label: list[int] = []
    parent: list[int] = []
    edge: list[int] = []
    for sentence in sentences:
        before = start[-1]
        for word in sentence.words:
            label.append(labels.setdefault(word.lemma, len(labels)))
            parent.append(before + word.head - 1 if word.head else -1)
            edge.append(relations.setdefault(word.relation, len(relations)))
        start.append(len(label))
    return Trees(
        list(labels),
        list(relations),
        np.array(start, np.int64),
        np.array(label, np.int64),
        np.array(parent, np.int64),
        np.array(edge, np.int64),
    )


def feature_atoms(sentence: Sentence) -> list[str]:
    """The lemma and the features of each word that has features.

    A lemma that is spelt like a feature is another atom, since features have a mark before.
    """
    return [
        atom
        for word in sentence.words
        if word.features != _NONE
        for atom in (word.lemma, *(f"+{feature}" for feature in word.features.split("|")))
    ]


def feature_compounds(sentence: Sentence) -> list[tuple[str, str]]:
    """The lemma and all features together, of each word that has features."""
    return [(word.lemma, word.features) for word in sentence.words if word.features != _NONE]
