"""Do the graphs of sampled texts have the nodes, attributes and edges that docs/language.md says?

Grammars are drawn with attributes on words, cells, quoted words and ``literal`` declarations, and with labels and
edges that depend on features (``attributes_maker.py``).  Of each grammar a small dataset is sampled, and each row
is derived by plain code (``attributes_model.py``), which reads its sentence from left to right::

    python benchmarks/models.py attributes --grammars 200 --seed 1

Compared are the target, and of both graph layers the nodes with all their attributes and the edges, as the files
in CoNLL-U have them.  Differences are printed, and the exit status is then 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from attributes_maker import Maker
from attributes_model import Grammar, Graph
from harness import Difference, command
from sgl.automata import StructureCompiler
from sgl.diagnostics import Diagnostics, Severity, SourceMap
from sgl.frontend import Compiled
from sgl.pipeline.grammar import open_grammar
from sgl.pipeline.production import produce
from sgl.pipeline.proofs import establish
from sgl.sampling.acceptance import NotEnoughError

EMPTY = "_"


@dataclass(frozen=True)
class Sentence:
    """A sentence of CoNLL-U; the cells of each word."""

    comments: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def compare(seed: int, place: Path, figures: Counter[str]) -> None:
    """Compare the dataset of one grammar.

    Raises:
        Difference: the files and the model say different things.
    """
    grammar = Maker(Random(seed)).grammar  # noqa: S311
    place.mkdir(parents=True)
    for name, text in {"main.sgl": grammar.source(), **grammar.files()}.items():
        (place / name).write_text(text, "utf-8")
    diagnostics = Diagnostics()
    figures["grammars"] += 1
    compiled = open_grammar(place / "main.sgl", {}, SourceMap(), diagnostics)
    if compiled is None or not sampled(compiled, place / "out", diagnostics):
        errors = [found.code for found in diagnostics.found if found.severity is Severity.ERROR]
        figures[f"refused {errors[0] if errors else 'too few sentences'}"] += 1
        return
    figures["datasets"] += 1
    check_split(grammar, place / "out", "train", figures)


def sampled(compiled: Compiled, out: Path, diagnostics: Diagnostics) -> bool:
    """Make the dataset, if its claims hold."""
    structures = StructureCompiler(compiled.grammar)
    proofs = establish(compiled, structures, diagnostics)
    if proofs is None or diagnostics.errors:
        return False
    try:
        produced = produce(compiled, structures, proofs, out, lambda *_: None)
    except NotEnoughError:
        return False
    if not produced.verification.ok:
        raise Difference("the verifier finds violations")
    return True


def check_split(grammar: Grammar, out: Path, split: str, figures: Counter[str]) -> None:
    """Compare all sentences of a split in both layers.

    Raises:
        Difference: one is another.
    """
    rows = (out / "data" / f"{split}.tsv").read_text("utf-8").splitlines()
    syn, sem = (list(sentences(out / "conllu" / name / f"{split}.conllu")) for name in ("", "sem"))
    if not len(rows) == len(syn) == len(sem) > 0:
        raise Difference(f"{len(rows)} rows have {len(syn)} trees and {len(sem)} free graphs")
    for row, tree, free in zip(rows, syn, sem, strict=True):
        source, target, _ = row.split("\t")
        tokens = (source[:1].lower() + source[1:]).split()
        expected = grammar.read(tokens)
        figures["sentences"] += 1
        for what, found, right in (
            ("target", target, expected.ja),
            ("tree", tree_of(tree), plain(expected.syn)),
            ("free graph", free_of(free), plain(expected.sem)),
            ("root", root_of(tree), expected.syn.head),
        ):
            figures["verdicts"] += 1
            if found != right:
                raise Difference(f"the {what} of {source!r} is {found}, and in the model {right}")
        figures["attributes"] += sum(len(own) for graph in (expected.syn, expected.sem) for own in graph.nodes.values())
        figures["edges"] += len(expected.syn.edges) + len(expected.sem.edges)
        for one in (tree, free):
            check_words(one, source, split)


def check_words(sentence: Sentence, source: str, split: str) -> None:
    """Compare the words and the comments of a sentence with its text.

    Raises:
        Difference: they are others.
    """
    numbers = [row[0] for row in sentence.rows]
    words = [row[1] for row in sentence.rows]
    right = [str(n) for n in range(1, len(words) + 1)]
    if words != source.split() or numbers != right or f"# text = {source}" not in sentence.comments:
        raise Difference(f"{split}: {source!r} has the words {words}, and the comments {sentence.comments}")


#: What is compared of a graph: attributes by place, and edges.
Plain = tuple[dict[int, dict[str, str]], set[tuple[int, str, int]]]


def plain(graph: Graph) -> Plain:
    """The graph of the model, with labels as files have them."""
    return {place: dict(own) for place, own in graph.nodes.items()}, {*graph.edges}


def sentences(path: Path) -> Iterator[Sentence]:
    """The sentences of a file."""
    for block in path.read_text("utf-8").split("\n\n"):
        lines = [line for line in block.splitlines() if line]
        comments = tuple(line for line in lines if line.startswith("#"))
        rows = tuple(tuple(line.split("\t")) for line in lines if not line.startswith("#"))
        if rows:
            yield Sentence(comments, rows)


def tree_of(sentence: Sentence) -> Plain:
    """The graph of a tree: the further edges are those of DEPS that HEAD and DEPREL do not have."""
    nodes, edges = {}, set()
    for at, row in enumerate(sentence.rows):
        # An attribute whose value is not in the form of Universal Dependencies stands in the last column.
        nodes[at] = attributes_of(row, row[5], row[9])
        basic = (int(row[6]), row[7])
        further = {*pairs(row[8])}
        if basic not in further:
            raise Difference(f"DEPS of {row} lacks its edge of the tree")
        edges |= {(head - 1, label, at) for head, label in {basic} if head}
        edges |= {(head - 1, "~" + label, at) for head, label in further - {basic}}
    return nodes, edges


def root_of(sentence: Sentence) -> int:
    """The place of the root."""
    roots = [at for at, row in enumerate(sentence.rows) if (row[6], row[7]) == ("0", "root")]
    return roots[0] if len(roots) == 1 else -1


def free_of(sentence: Sentence) -> Plain:
    """The graph of a free layer: HEAD and DEPREL say nothing, and words that are no nodes are marked."""
    nodes, edges = {}, set()
    for at, row in enumerate(sentence.rows):
        if row[6:8] != (EMPTY, EMPTY):
            raise Difference(f"{row} of a free layer has a head")
        if row[9] != "Node=No":
            nodes[at] = attributes_of(row, row[5], row[9])
        elif {*row[2:9]} != {EMPTY}:
            raise Difference(f"{row} is no node, and has attributes or edges")
        edges |= {(head - 1, label, at) for head, label in pairs(row[8])}
    return nodes, edges


def attributes_of(row: tuple[str, ...], *cells: str) -> dict[str, str]:
    """The attributes of a word."""
    own = dict(zip(("lemma", "upos", "xpos"), row[2:5], strict=True))
    own |= dict(part.split("=", 1) for cell in cells if cell != EMPTY for part in cell.split("|"))
    return {name: value for name, value in own.items() if value != EMPTY}


def pairs(cell: str) -> Iterator[tuple[int, str]]:
    """The heads and labels of a cell."""
    for part in cell.split("|") if cell != EMPTY else ():
        head, label = part.split(":", 1)
        yield int(head), label


def main() -> int:
    """Run the comparison; the result is the exit status."""
    return command(__doc__, lambda: compare, number=("grammars", 20))
