"""Treebanks for tests: the worked example, and random trees as CoNLL-U."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

from hypothesis import strategies as st

from sgl.research.analyse.metrics import matched_edges, word_depths

#: The example of Shimorina, Parmentier & Gardent (2021).
EXAMPLE_WORDS = ["I", "enjoy", "my", "time", "at", "Franklin", "High", "School"]
EXAMPLE_HEADS = (2, 0, 4, 2, 8, 8, 8, 4)
EXAMPLE_RELATIONS = ["nsubj", "root", "nmod:poss", "obj", "case", "compound", "compound", "nmod"]

Row = tuple[str, str, str, int, str]


def dice(seed: int) -> Random:
    """Random numbers that are the same every time."""
    return Random(seed)  # noqa: S311 - nothing is secret here


def random_heads(size: int, draw: Random) -> tuple[int, ...]:
    """A random tree: words in any order, each below one that came before it."""
    order = list(range(1, size + 1))
    draw.shuffle(order)
    heads = [0] * size
    for at, word in enumerate(order[1:], 1):
        heads[word - 1] = order[draw.randrange(at)]
    return tuple(heads)


#: Trees of any form, as the governors of their words.
trees = st.builds(lambda size, seed: random_heads(size, dice(seed)), st.integers(1, 25), st.integers(0, 1 << 32))


def flux_sizes(heads: Sequence[int]) -> list[int]:
    """How many edges pass over each position between two words: the definition."""
    return [
        sum(min(word, head) <= at < max(word, head) for word, head in enumerate(heads, 1) if head)
        for at in range(1, len(heads))
    ]


def flux_weights(heads: Sequence[int]) -> list[int]:
    """How many edges that share no word pass over each position, at most."""
    matched = matched_edges(heads, word_depths(heads))
    return [sum(edge >> at & 1 for edge in matched) for at in range(len(heads) - 1)]


def conllu(rows: Sequence[Row], *comments: str) -> str:
    """A sentence in CoNLL-U."""
    lines = [f"# {comment}" for comment in comments]
    lines += [
        f"{at}\t{form}\t{lemma}\t{upos}\t_\t_\t{head}\t{deprel}\t_\t_"
        for at, (form, lemma, upos, head, deprel) in enumerate(rows, 1)
    ]
    return "\n".join(lines) + "\n\n"


def example(sent_id: str = "s1") -> str:
    """The worked example with its full stop, as a treebank has it."""
    rows: list[Row] = [
        (form, form.lower(), "X", head, deprel)
        for form, head, deprel in zip(EXAMPLE_WORDS, EXAMPLE_HEADS, EXAMPLE_RELATIONS, strict=True)
    ]
    rows.append((".", ".", "PUNCT", 2, "punct"))
    text = " ".join(EXAMPLE_WORDS) + "."
    return conllu(rows, f"sent_id = {sent_id}", f"text = {text}")


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


#: A treebank of one sentence with multiword tokens and an empty node.
SPELT = """\
# sent_id = m1
# text = Don't go to Dr. No.
1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_
1\tDo\tdo\tAUX\t_\t_\t3\taux\t3:aux\t_
2\tn't\tnot\tPART\t_\t_\t3\tadvmod\t3:advmod\t_
3\tgo\tgo\tVERB\t_\t_\t0\troot\t0:root\t_
3.1\tgo\tgo\tVERB\t_\t_\t_\t_\t3:conj\t_
4\tto\tto\tADP\t_\t_\t5\tcase\t5:case\t_
5\tDr.\tDr.\tPROPN\t_\t_\t3\tobl\t3:obl|3.1:obl\t_
6\tNo\tNo\tPROPN\t_\t_\t5\tflat\t5:flat\t_
7\t.\t.\tPUNCT\t_\t_\t3\tpunct\t3:punct\t_

"""
