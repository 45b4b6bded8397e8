"""The automaton of a structure finds it exactly where a graph search does.

The search uses networkx and knows nothing of derivations: it looks for the
structure in the finished dependency graph.  ``SGL_DIFFERENTIAL_EXAMPLES`` sets
the number of random structures (default 30).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cache

import networkx as nx
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from networkx.algorithms.isomorphism import DiGraphMatcher
from toy import TOY, random_derivations
from toy_notation import GrammarBuilder, structure

from random_structures import Words, random_structure
from sgl.automata import StructureCompiler, StructureTooCostly, UnsupportedStructure
from sgl.automata.algebra import tree_automaton
from sgl.core.graph import Graph
from sgl.core.interpret import derive_graph
from sgl.core.plan import Constraint
from sgl.core.structure import Body, Link, Structure

EXAMPLES = int(os.environ.get("SGL_DIFFERENTIAL_EXAMPLES", "30"))


# --- the graph search -------------------------------------------------------------------


def contains(graph: Graph, wanted: Structure) -> bool:
    """Whether some match of the body is extended by no ``without`` body."""
    return any(
        all(next(matches(graph, body, match), None) is None for body in wanted.without)
        for match in matches(graph, wanted.body, {})
    )


def matches(graph: Graph, body: Body, fixed: dict[str, int]) -> Iterator[dict[str, int]]:
    """The injective matches of a body that give the variables in ``fixed`` their nodes."""
    request = nx.DiGraph()
    tests = {variable.name: variable for variable in body.variables}
    for name in [*fixed, *(name for name in tests if name not in fixed)]:
        request.add_node(name, variable=tests.get(name), fixed=fixed.get(name))
    names = [variable.name for variable in body.variables]
    for atom in body.edges:
        source, target = names[atom.source], names[atom.target]
        if not request.has_edge(source, target):
            request.add_edge(source, target, tests=[])
        request.edges[source, target]["tests"].append(atom.labels)

    matcher = DiGraphMatcher(host_graph(graph), request, node_matches, edge_matches)
    for mapping in matcher.subgraph_monomorphisms_iter():
        match = {name: node for node, name in mapping.items()}
        if all(has_walk(graph, path, match[names[path.source]], match[names[path.target]]) for path in body.paths):
            yield match


@cache
def host_graph(graph: Graph) -> nx.DiGraph:
    host = nx.DiGraph()
    for index, node in enumerate(graph.nodes):
        outgoing = [label for source, label, _ in graph.edges if source == index]
        host.add_node(index, node=node, outgoing=outgoing, index=index)
    for source, label, target in graph.edges:
        if not host.has_edge(source, target):
            host.add_edge(source, target, labels=set())
        host.edges[source, target]["labels"].add(label)
    return host


def node_matches(host: dict, request: dict) -> bool:
    if request["fixed"] is not None and request["fixed"] != host["index"]:
        return False
    variable = request["variable"]
    return variable is None or (
        all(test.accepts(host["node"].get(test.attribute)) for test in variable.tests)
        and all(
            test.accepts(sum(test.labels.accepts(label) for label in host["outgoing"])) for test in variable.degrees
        )
    )


def edge_matches(host: dict, request: dict) -> bool:
    return all(any(map(test.accepts, host["labels"])) for test in request["tests"])


def has_walk(graph: Graph, path: Link, source: int, target: int) -> bool:
    steps = [(s, t) for s, label, t in graph.edges if path.labels.accepts(label)]
    longest = path.low + len(graph.nodes) if path.high is None else path.high
    reached = {source}
    for length in range(longest + 1):
        if length >= path.low and target in reached:
            return True
        reached = {t for s, t in steps if s in reached}
    return False


@cache
def sentences() -> tuple[tuple[tuple[int, ...], Graph], ...]:
    """Short sentences: some of any kind, and some with each rare rule."""
    derivations = [d for d in random_derivations(TOY, 1_500, seed=1) if len(d) <= 24]
    number = {rule.name: rule.id for rule in TOY.rules}
    chosen = derivations[:10]
    for name, times in RARE:
        chosen += [d for d in derivations if d.count(number[name]) >= times][:5]
    return tuple((d, derive_graph(TOY, d, 0)) for d in dict.fromkeys(chosen))


#: Rules, with the number of times that a sentence uses them.
RARE = (
    ("np_rc", 1),
    ("gap_object", 1),
    ("gap_far", 1),
    ("what", 1),
    ("bare_far", 1),
    ("ditransitive", 1),
    ("adjective", 2),
    ("complement", 2),
)


def disagreements(wanted: Structure) -> list[tuple[int, ...]]:
    """The derivations on which the automaton and the graph search differ."""
    automaton = StructureCompiler(TOY, budget=20_000).structure_automaton(wanted)
    return [d for d, graph in sentences() if automaton.accepts(TOY, d) != contains(graph, wanted)]


# --- structures by hand -----------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "{ V -[nsubj]-> N; N -[nmod]-> M }",
        "{ V -[^nsubj|obj]-> N[upos=NOUN] }",
        "{ V -[nsubj]-> N; N -[acl:relcl]-> R } without { X -[acl:relcl]-> V }",
        "{ N -[acl:relcl]-> V; V -[~obj]-> N }",
        "{ N -[acl:relcl]-> V; W -[~obj]-> N }",
        "{ V -[ccomp]+-> U; U -[~obj]-> W[PronType=Int] }",
        "{ V -[ccomp]{2}-> W } without { W -[ccomp]-> X } without { Y -[ccomp]-> V }",
        "{ N[#amod=2] }",
        "{ N[#amod>=1, #*<=2] } without { N[lemma=dog] }",
        "{ V -[nsubj]-> N } without { N[#amod>=1] }",
        "{ W[upos=PRON]; N -[nmod]-> M }",
        "{ N[upos=NOUN] } without { N -[*]{1,3}-> M[lemma=cat] }",
        "{ V } without { V -[obj]-> N; M[lemma=cat] }",
        "{ A -[*]-> B; B -[*]-> C; C -[*]-> A }",
        "{ A -[*]{2,}-> A }",
        "{ A -[*]{3}-> B } without { A -[*]{2}-> B }",
        "{ A -[nsubj]-> B; A -[obj|iobj]-> C } without { B -[*]-> X; C -[*]-> Y }",
        "{ V -[obj]-> N; V -[*]-> N }",
        "{ V -[nsubj]-> N; V -[obj]-> M } without { V -[nsubj|obj|iobj]-> X }",
        "{ V -[nsubj]-> N } without { V -[*]{1,}-> X[upos=DET]; X[lemma=a] }",
        "{ N[lemma!=dog, upos=NOUN] } without { V -[~obj]-> N } without { V -[nsubj]-> N }",
        "{ N[Tense!=Past] -[det]-> D[lemma=a] }",
    ],
)
def test_a_structure_is_found_where_networkx_finds_it(text: str) -> None:
    wanted = structure(text)
    found = [contains(graph, wanted) for _, graph in sentences()]
    assert any(found), "the sentences do not exercise this structure"
    assert disagreements(wanted) == []


def test_the_notation_of_the_tests_is_that_of_the_author() -> None:
    text = "{ V -[ccomp]{2,4}-> W[#amod>=1]; N[lemma!=cat|dog] } without { V -[*]-> X }"
    assert str(structure(text)) == ("{ V -[ccomp]{2,4}-> W[#amod>=1]; N[lemma!=cat|dog] } without { V -[*]-> X }")


# --- random structures ------------------------------------------------------------------

LABELS = ("nsubj", "obj", "~obj", "~nsubj", "nmod", "amod", "acl:relcl", "ccomp", "det", "iobj")
VALUES = {
    "upos": ("NOUN", "VERB", "PROPN", "PRON", "ADJ"),
    "lemma": ("dog", "cat", "see", "say", "Emma", "big"),
    "Tense": ("Past", ""),
}

WORDS = Words(LABELS, VALUES)


def structures() -> st.SearchStrategy[Structure]:
    """Structures of all kinds; half of them after a part of one of the sentences."""
    randoms = st.randoms(use_true_random=False)
    graphs = [graph for _, graph in sentences()]
    return randoms.map(lambda random: random_structure(random, WORDS, graphs))


@pytest.mark.slow
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
@given(st.deferred(structures))
def test_random_structures_are_found_where_networkx_finds_them(wanted: Structure) -> None:
    try:
        assert disagreements(wanted) == []
    except StructureTooCostly:
        assume(False)


# --- limits -----------------------------------------------------------------------------


def test_a_costly_structure_names_the_variable_to_constrain() -> None:
    wanted = structure("{ A[upos=VERB] -[*]+-> B; C -[*]+-> D; E -[*]+-> F }")
    automaton = StructureCompiler(TOY, budget=500).structure_automaton(wanted)
    longest = max(random_derivations(TOY, 50, seed=2), key=len)
    with pytest.raises(StructureTooCostly, match="a test on B") as caught:
        automaton.accepts(TOY, longest)
    assert caught.value.variable == "B"


def test_a_rule_that_merges_two_ports_of_a_child_is_refused() -> None:
    build = GrammarBuilder()
    build.category("S")
    build.category("X", "gap")
    build.rule("merge", "S -> X", "0", "0", "head=0; 0.gap=0")
    build.rule("gapped", "X -> ", "saw", "見た", "head=saw; saw -~obj-> gap")
    with pytest.raises(UnsupportedStructure, match="merge"):
        StructureCompiler(build.build("odd", "S")).structure_automaton(structure("{ V -[~obj]-> N }"))


def test_structures_that_combine_in_too_many_ways_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree_automaton, "MOST_STATES", 30)
    compiler = StructureCompiler(TOY)
    wanted = [structure(f"{{ V -[{label}]-> N; N -[amod]-> A }}") for label in ("nsubj", "obj")]
    with pytest.raises(UnsupportedStructure, match="more than 30 ways"):
        compiler.language(Constraint(require=((wanted[0],), (wanted[1],))))
