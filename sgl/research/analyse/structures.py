"""Find an author's structures in a treebank: patterns are searched in trees that no grammar made.

The structures come from a grammar, or from a file that declares nothing else, such as the one that error mining writes.
They see the words and the tree of each sentence, punctuation included: lemmas, parts of speech, features, and the
edges of HEAD and DEPREL.
"""

from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sgl.core.graph import Attributes, Graph, GraphNode
from sgl.core.structure import NodeTest
from sgl.corpus.audit import DeclaredStructure, declared_structures
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.frontend.passes import structures_without_grammar
from sgl.lang.project import load_project
from sgl.pipeline.matches import GraphFinder, graph_search
from sgl.research.treebank import TreebankSentence

#: The label of an edge to an extracted word, which trees do not have.
_EXTRACTED = "-[~"

#: The number of sentences that are searched together.
_TOGETHER = 1_000


def read_structures(
    path: Path, settings: Mapping[str, str], sources: SourceMap, diagnostics: Diagnostics
) -> tuple[DeclaredStructure, ...]:
    """Return the structures of a file that trees can have; report errors, and structures that trees cannot have."""
    project = load_project(path, sources, diagnostics)
    if project is None:
        return ()
    patterns, named, layer = structures_without_grammar(project, settings, diagnostics)
    if diagnostics.errors:
        return ()
    declared = declared_structures(patterns, named)
    if not declared:
        hint = "declare one: `structure object_clause { V -[ccomp]-> W }`"
        diagnostics.error("SGL1508", None, f"`{path}` declares no structure", hint)
    left_out = [one.name for one in declared if one.structure.layer != layer or one.structure.body.lengths]
    if left_out:
        message = f"not searched in the trees: {', '.join(left_out)}"
        hint = f"a tree has no text lengths and no layer but `{layer}`"
        diagnostics.warning("SGL1508", None, message, hint)
    found = tuple([one for one in declared if one.name not in left_out])
    if extracted := [one.name for one in found if _EXTRACTED in str(one.structure)]:
        message = f"trees have no edges to extracted words (`~`): {', '.join(extracted)}"
        diagnostics.warning("SGL1508", None, message, "only HEAD and DEPREL are read, not enhanced edges")
    return found


class StructureColumns:
    """The sentences in which each declared structure occurs.

    Raises ``OccurrenceError`` if the search takes too long.
    """

    def __init__(self, declared: Sequence[DeclaredStructure], sentences: Sequence[TreebankSentence]) -> None:
        self.declared = declared
        self._found = [array("q") for _ in declared]
        self._labels, self._attributes = set[str](), set[tuple[str, str]]()
        search = graph_search([one.structure for one in declared])
        for first in range(0, len(sentences) if declared else 0, _TOGETHER):
            graphs = list(map(graph_of, sentences[first : first + _TOGETHER]))
            for graph in graphs:
                self._labels.update(label for _, label, _ in graph.edges)
                self._attributes.update(chain.from_iterable(node.attributes for node in graph.nodes))
            for place, found in enumerate(search(graphs), first):
                for number, column in enumerate(self._found):
                    if found >> number & 1:
                        column.append(place)

    def impossible(self) -> dict[str, list[str]]:
        """Return, for structures that never occur, the tests that no edge or word of the treebank passes."""
        found = {}
        for one, column in zip(self.declared, self._found, strict=True):
            body = one.structure.body
            tests = [f"-[{e.labels}]->" for e in body.links if e.low and not any(map(e.labels.accepts, self._labels))]
            tests += [f"{test}" for variable in body.variables for test in variable.tests if not self._passed(test)]
            if tests and not column and _EXTRACTED not in str(one.structure):
                found[one.name] = tests
        return found

    def _passed(self, test: NodeTest) -> bool:
        return test.negated or any((test.attribute, value) in self._attributes for value in test.values)

    def places(self) -> list[NDArray[np.int64]]:
        """Return the indices of the sentences that have each structure."""
        return [np.array(column, np.int64) for column in self._found]


def graph_of(sentence: TreebankSentence) -> Graph:
    """Return the tree of a sentence as a graph."""
    words = enumerate(sentence.words)
    edges = sorted((word.head - 1, word.deprel, place) for place, word in words if word.head)
    nodes = [GraphNode(_attributes(w.lemma, w.upos, w.feats), place) for place, w in enumerate(sentence.words)]
    return Graph(tuple(nodes), tuple(edges), sentence.heads.index(0))


@lru_cache(1 << 16)
def _attributes(lemma: str, upos: str, feats: str) -> Attributes:
    features = (pair.partition("=")[::2] for pair in feats.split("|") if "=" in pair)
    return tuple(sorted({**dict(features), "lemma": lemma, "upos": upos}.items()))


def marked_words(one: DeclaredStructure, sentence: TreebankSentence) -> list[int]:
    """Return the words (from 0) of the first occurrence of a structure in a sentence."""
    bindings = GraphFinder(one.structure).bindings(graph_of(sentence))
    return sorted(bindings[0]) if bindings else []
