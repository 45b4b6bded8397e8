"""Find an author's structures in a treebank: patterns are searched in trees that no grammar made.

The structures come from a grammar, or from a file that declares nothing else, such as the one that error mining writes.
They see the words and the tree of each sentence, punctuation included: lemmas, parts of speech, features, and the
edges of HEAD and DEPREL.
"""

from collections.abc import Iterable, Mapping, Sequence
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


def sentences_with(
    declared: Sequence[DeclaredStructure], sentences: Sequence[TreebankSentence]
) -> list[NDArray[np.int64]]:
    """Return the indices of the sentences that have each structure.

    Raises ``OccurrenceError`` if the search takes too long.
    """
    search = graph_search([one.structure for one in declared])
    starts = range(0, len(sentences) if declared else 0, _TOGETHER)
    masks = [mask for at in starts for mask in search(map(graph_of, sentences[at : at + _TOGETHER]))]
    places = ([at for at, mask in enumerate(masks) if mask >> number & 1] for number in range(len(declared)))
    return [np.array(own, np.int64) for own in places]


def impossible(declared: Iterable[DeclaredStructure], sentences: Sequence[TreebankSentence]) -> dict[str, list[str]]:
    """Return the tests of structures that no edge or word of the treebank passes."""
    labels = {word.deprel for sentence in sentences for word in sentence.words if word.head}
    words = (_attributes(word.lemma, word.upos, word.feats) for sentence in sentences for word in sentence.words)
    attributes = set(chain.from_iterable(words))

    def passed(test: NodeTest) -> bool:
        return test.negated or any((test.attribute, value) in attributes for value in test.values)

    found: dict[str, list[str]] = {}
    for one in (one for one in declared if _EXTRACTED not in str(one.structure)):
        body = one.structure.body
        tests = [f"-[{e.labels}]->" for e in body.links if e.low and not any(map(e.labels.accepts, labels))]
        tests += [f"{test}" for variable in body.variables for test in variable.tests if not passed(test)]
        found |= {one.name: tests} if tests else {}
    return found


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
