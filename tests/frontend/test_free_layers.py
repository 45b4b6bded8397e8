"""A word has a part in a free layer if it has a clause there; the head is one of the nodes that have edges."""

from __future__ import annotations

from pathlib import Path

import pytest
from diagnostics import Outcome, diagnose

from sgl.automata import StructureCompiler
from sgl.cli.arguments import graph_text
from sgl.core.graph import Graph
from sgl.core.interpret import Derivation, interpret
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.frontend import Compiled
from sgl.frontend.passes import read_structure
from sgl.parsing import Parser
from sgl.pipeline.grammar import open_grammar
from sgl.rendering import ViewError
from sgl.rendering.views import VIEWS
from sgl.verify.conllu import Sentence, TokenTable, read_sentences
from sgl.verify.items import ShapeTable, at_layers, merged
from sgl.verify.manifest import GraphLayer
from sgl.verify.search import Searcher
from sgl.verify.structure import read_structure as read_by_verifier

LAYERS = """
layer en  : text
layer syn : graph on en
layer sem : graph on en (free)
"""

WORDS = """
word N: "dog"
  syn sem node(upos=NOUN)
word N: "cat"
  syn sem node(upos=NOUN)
word D: "the"
  syn node(upos=DET)
dataset
  from S
  train 1
"""

#: *the* has a clause for `syn` only.
GRAMMAR = f"""{LAYERS}
category S
category NP
category N
category D

rule one: S -> "see" NP
  syn "see"(upos=VERB) -[obj]-> NP
  sem "see"(upos=VERB) -[theme]-> NP
rule two: S -> NP "and" other:NP
  syn NP -[conj]-> other; other -[cc]-> "and"(upos=CCONJ)
rule alone: S -> "oh" D
  syn "oh"(upos=INTJ) -[dep]-> D
  sem D
rule np: NP -> D N
  syn N -[det]-> D
{WORDS}"""


@pytest.fixture(scope="module")
def grammar(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    return opened(GRAMMAR, tmp_path_factory.mktemp("free"))


def opened(source: str, folder: Path) -> Compiled:
    (folder / "toy.sgl").write_text(source, "utf-8")
    diagnostics = Diagnostics()
    found = open_grammar(folder / "toy.sgl", {}, SourceMap(), diagnostics)
    assert found is not None, list(diagnostics)
    return found


def reading(grammar: Compiled, text: str) -> Derivation:
    (derivation,) = Parser(grammar.grammar, 0).parse(text)
    return derivation


def written(grammar: Compiled, text: str, layer: str) -> str:
    item = interpret(grammar.grammar, reading(grammar, text))
    return graph_text(grammar.grammar, item, layer, sent_id="s", category="c")


def contains(grammar: Compiled, text: str, structure: str, folder: Path) -> bool:
    """Whether a sentence contains a structure, by its automaton and by the search in its files."""
    asked = read_structure(grammar, structure, SourceMap(), Diagnostics())
    assert asked is not None
    automaton = StructureCompiler(grammar.grammar).structure_automaton(asked)
    found = automaton.accepts(grammar.grammar, reading(grammar, text))
    sentences = []
    for layer in ("syn", "sem"):
        (folder / layer).write_text(written(grammar, text, layer), "utf-8")
        (read,) = read_sentences(folder / layer, TokenTable(free=layer == "sem"))
        assert isinstance(read, Sentence), read
        sentences.append(read)
    layers = (GraphLayer("syn", "en", free=False), GraphLayer("sem", "en", free=True))
    shapes = ShapeTable([at_layers(read_by_verifier(str(asked)), "syn")])
    shape = shapes.of(merged(layers, sentences[0], sentences[1:]))
    assert bool(Searcher(shapes).occurring(shape)) == found
    return found


@pytest.mark.parametrize(
    ("structure", "there"),
    [
        ("sem { A; B }", True),
        ("sem { A; B; C }", False),
        ("sem { A[upos!=VERB, upos!=NOUN] }", False),
        ("sem { A[upos!=VERB] } without { B[upos!=VERB] }", True),
        ("sem { A; B } without { C }", True),
        ("syn { A[upos=DET] }", True),
        ("syn { A[upos=DET] } sem { A }", False),
        ("syn { A[upos=DET] } sem { B; C }", True),
        ("syn { A } sem { B; C } without { A }", True),
    ],
)
def test_a_word_without_a_clause_is_no_node(structure: str, there: bool, grammar: Compiled, tmp_path: Path) -> None:
    assert contains(grammar, "see the dog", structure, tmp_path) == there


def test_a_word_without_a_clause_is_marked_in_files(grammar: Compiled) -> None:
    rows = [line.split("\t") for line in written(grammar, "see the dog", "sem").splitlines() if line[:1].isdigit()]
    assert [(row[1], row[2], row[8], row[9]) for row in rows] == [
        ("see", "see", "_", "_"),
        ("the", "_", "_", "Node=No"),
        ("dog", "dog", "1:theme", "_"),
    ]


def test_a_sentence_may_have_no_part_in_a_layer(grammar: Compiled, tmp_path: Path) -> None:
    assert written(grammar, "oh the", "sem").count("Node=No") == 2
    assert not contains(grammar, "oh the", "sem { A }", tmp_path)
    assert contains(grammar, "oh the", "syn { A; B }", tmp_path)


def test_a_text_without_a_head_has_no_form(grammar: Compiled) -> None:
    graph = interpret(grammar.grammar, reading(grammar, "oh the")).graphs[1]
    assert graph == Graph((), (), -1)
    with pytest.raises(ViewError, match="the head of the graph"):
        VIEWS["varfree"].render(graph)


# ---- an edge needs a node


def said(source: str, folder: Path) -> Outcome:
    outcome = diagnose({"farm.sgl": source}, folder)
    assert len(outcome.found) == 1, outcome.rendered()
    return outcome


@pytest.mark.parametrize(
    ("old", "new", "rule", "words"),
    [
        # An edge to the word itself, and one to a phrase whose head it is.
        ("syn N -[det]-> D\n", "syn N -[det]-> D\n  sem N -[det]-> D\n", "np", "`D` has an edge `det`"),
        ("syn N -[det]-> D\n", "syn D -[dep]-> N\n", "one", "`NP` has an edge `theme`"),
    ],
)
def test_an_edge_to_a_word_without_a_clause_is_an_error(
    old: str, new: str, rule: str, words: str, tmp_path: Path
) -> None:
    outcome = said(GRAMMAR.replace(old, new), tmp_path)
    assert outcome.places() == [("SGL0516", rule)]
    assert words in outcome.rendered()
    assert "`sem node(…)`" in outcome.rendered()


def test_a_port_is_not_bound_to_a_word_without_a_clause(tmp_path: Path) -> None:
    gap = (
        "category R with gap\nrule rc: R -> N\n  syn N -[~obj]-> gap\n  sem N -[theme]-> gap\n"
        "rule found: S -> D R\n  syn D -[acl]-> R; R.gap = D\n"
    )
    outcome = said(GRAMMAR.replace("rule np", f"{gap}rule np"), tmp_path)
    assert outcome.places() == [("SGL0516", "found")]
    assert "`D` fills a port" in outcome.rendered()


#: A phrase that shows its article by a port.
SHOWN = f"""{LAYERS}
category S
category NP with det in sem
category N
category D
rule one: S -> NP
  sem NP -[det]-> NP.det; forget NP.det
rule np: NP -> D N
  syn N -[det]-> D
  sem det = D; head = N
{WORDS}"""


def test_a_port_may_hold_no_node_as_well(tmp_path: Path) -> None:
    assert said(SHOWN, tmp_path).places() == [("SGL0516", "one")]
    assert opened(SHOWN.replace("NP -[det]-> NP.det; ", ""), tmp_path)
    assert opened(SHOWN.replace("syn node(upos=DET)", "syn sem node(upos=DET)"), tmp_path)


#: Articles are empty in Japanese.
JAPANESE = """
layer en  : text
layer ja  : text
layer syn : graph on en
layer dep : graph on ja (free)
category NP
category N
category D
rule np: NP -> D N
  ja  D N
  syn dep N -[det]-> D
word N: "dog"
  ja  "犬"
  syn dep node(upos=NOUN)
word D: "the"
  ja  ""
  syn dep node(upos=DET)
dataset
  from NP
  train 1
"""


def test_a_word_that_is_empty_in_another_language_has_no_edge(tmp_path: Path) -> None:
    outcome = said(JAPANESE, tmp_path)
    assert outcome.places() == [("SGL0516", "np")]
    assert "this word is empty in `ja`" in outcome.rendered()
    assert opened(JAPANESE.replace("syn dep N -[det]-> D", "syn N -[det]-> D"), tmp_path)


# ---- which node is the head

#: Whose node `go` has an edge to depends on the head of Q.
HEADS = f"""{LAYERS}
category S
category Q
category N
category D

rule above: S -> "go" Q
  syn "go"(upos=VERB) -[obj]-> Q
  sem "go"(upos=VERB) -[ag]-> Q
rule below: Q -> D N "with" other:N
  syn SYN; N -[nmod]-> other; other -[case]-> "with"(upos=ADP)
  sem SEM
{WORDS}"""

N_IS_HEAD, D_IS_HEAD = "N -[det]-> D", "D -[dep]-> N"
CIRCLE = "N -[m]-> other; other -[m]-> N"


def heads(syn: str, sem: str, *, det: str = "syn") -> str:
    return HEADS.replace("SYN", syn).replace("SEM", sem).replace("syn node(upos=DET)", f"{det} node(upos=DET)")


@pytest.mark.parametrize(
    ("sem", "head"),
    [
        # The only one that no edge leads to, whatever the label.
        ("other -[m]-> N", "cat"),
        ("other -[~m]-> N", "cat"),
        # None, or several: that of the first layer.
        (CIRCLE, "dog"),
        ('N -[m]-> other; "with" -[m]-> other', "dog"),
        ("head = other", "cat"),
        (f"{CIRCLE}; head = other", "cat"),
    ],
)
@pytest.mark.parametrize("det", ["syn", "syn sem"])
def test_the_head_of_a_free_layer_is_a_node_with_edges(sem: str, head: str, det: str, tmp_path: Path) -> None:
    grammar = opened(heads(N_IS_HEAD, sem, det=det), tmp_path)
    structure = f'sem {{ "go" -[ag]-> "{head}" }}'
    assert contains(grammar, "go the dog with cat", structure, tmp_path)


def test_the_head_of_the_first_layer_may_be_a_word_of_the_rule(tmp_path: Path) -> None:
    source = heads(D_IS_HEAD, '"with" -[m]-> other; other -[m]-> "with"')
    source = source.replace('other -[case]-> "with"(upos=ADP)', '"with"(upos=ADP) -[dep]-> D').replace(
        "N -[nmod]-> other", '"with" -[nmod]-> other'
    )
    grammar = opened(source, tmp_path)
    assert contains(grammar, "go the dog with cat", 'sem { "go" -[ag]-> "with" }', tmp_path)


def test_a_head_without_edges_among_nodes_with_edges_is_an_error(tmp_path: Path) -> None:
    """Both the edges that are there and the edge that would go astray are shown."""
    outcome = said(heads(D_IS_HEAD, CIRCLE, det="syn sem"), tmp_path)
    assert outcome.places() == [("SGL0518", "below")]
    (found,) = outcome.found
    file = outcome.sources.get(found.labels[0].span.file)
    assert file is not None
    marked = [file.text[label.span.start : label.span.end] for label in found.labels]
    assert marked == ["N -[m]-> other", '"go"(upos=VERB) -[ag]-> Q']
    assert "`head = N` or `head = D`" in found.hint
    assert opened(heads(D_IS_HEAD, f"{CIRCLE}; head = D", det="syn sem"), tmp_path)
