"""Free graph layers: ports of one layer, the order of edges, determiners as nodes."""

from __future__ import annotations

from pathlib import Path

import pytest
from kites import isolated
from sget import compile_file

from sgl.cli.main import FAILED, run
from sgl.core.grammar import CoreGrammar
from sgl.core.graph import Graph, GraphNode
from sgl.parsing import Parser
from sgl.rendering import ViewError, outputs
from sgl.rendering.views import VIEWS
from sgl.research.logical_forms import read_cogs, read_varfree

# Who acts and who is acted upon is decided in the participle; the agent comes last.
GRAMMAR = """
layer en  : text
layer syn : graph on en
layer sem : graph on en (free)
view  cogs    = cogs(sem)
view  varfree = varfree(sem)

category Text
category Name
category Passive with subj in sem
category V

rule text: Text -> subj:Name Passive
  syn Passive -[nsubj:pass]-> subj
  sem head = Passive; Passive.subj = subj

rule joined: Text -> subj:Name Passive "and" other:Text
  syn Passive -[nsubj:pass]-> subj; Passive -[conj]-> other; other -[cc]-> "and"(upos=CCONJ)
  sem Passive -[conj]-> other last; Passive.subj = subj

rule by: Passive -> Passive "by" agent:Name
  syn Passive -[obl:agent]-> agent; agent -[case]-> "by"(upos=ADP)
  sem Passive -[agent]-> agent last

rule shown: Passive -> "was" V obj:Name
  syn V -[aux:pass]-> "was"(upos=AUX); V -[obj]-> obj
  sem V -[recipient]-> subj; V -[theme]-> obj

rule seen: Passive -> "was" V
  syn V -[aux:pass]-> "was"(upos=AUX)
  sem V -[theme]-> subj

word V: "shown"
  syn node(upos=VERB)
  sem node(lemma=show, type=event)

word Name: "Ada"
  syn node(upos=PROPN)
  sem node(type=name)
word Name: "Bo"
  syn node(upos=PROPN)
  sem node(type=name)
word Name: "Cy"
  syn node(upos=PROPN)
  sem node(type=name)

dataset
  from Text
  train 1
"""


@pytest.fixture(scope="module")
def grammar(tmp_path_factory: pytest.TempPathFactory) -> CoreGrammar:
    path = tmp_path_factory.mktemp("passives") / "passives.sgl"
    path.write_text(GRAMMAR, encoding="utf-8")
    return compile_file(path).grammar


@pytest.mark.slow
def test_the_standalone_sampler_has_the_last_edges(tmp_path: Path) -> None:
    path = tmp_path / "passives.sgl"
    path.write_text(GRAMMAR.replace("train 1", "output varfree\n  train 40"), encoding="utf-8")
    assert run(["compile", str(path), "-o", str(tmp_path / "out")]) == 0
    text = (tmp_path / "out" / "data" / "train.tsv").read_text(encoding="utf-8")
    assert "theme = Bo , agent = " in text or "theme = Cy , agent = " in text
    checked = isolated(tmp_path / "out" / "sampler.py", "--check")
    assert checked.returncode == 0, checked.stderr


def test_a_target_may_have_a_condition(tmp_path: Path) -> None:
    path = tmp_path / "passives.sgl"
    more = "  output cogs\n  output varfree when terms\n"
    path.write_text(f"param terms = off\n{GRAMMAR}{more}", encoding="utf-8")
    assert compile_file(path).plan.targets == ("cogs",)
    assert compile_file(path, {"terms": "on"}).plan.targets == ("cogs", "varfree")


@pytest.mark.parametrize(
    ("sentence", "form"),
    [
        ("Ada was shown", "show ( theme = Ada )"),
        ("Ada was shown by Bo", "show ( theme = Ada , agent = Bo )"),
        ("Ada was shown Bo by Cy", "show ( recipient = Ada , theme = Bo , agent = Cy )"),
        (
            "Ada was shown Bo by Cy and Bo was shown",
            "show ( recipient = Ada , theme = Bo , agent = Cy , conj = show ( theme = Bo ) )",
        ),
    ],
)
def test_last_edges_stand_after_those_of_the_phrases_inside(grammar: CoreGrammar, sentence: str, form: str) -> None:
    (reading,) = Parser(grammar, 0).parse(sentence)
    assert outputs(grammar)["varfree"](reading) == form


def test_a_port_of_one_layer_is_in_no_other(grammar: CoreGrammar) -> None:
    (passive,) = (c for c in grammar.categories if c.name == "Passive")
    assert passive.ports_in("syn") == ("head",)
    assert passive.ports_in("sem") == ("head", "subj")
    for rule in grammar.rules:
        for fragment, layer in zip(rule.fragments, grammar.graph_layers, strict=True):
            ports = grammar.categories[rule.lhs].ports_in(layer.name)
            assert len(fragment.exports) == len(ports)


# ---- determiners and adjectives in views


def node(position: int, **attributes: str) -> GraphNode:
    return GraphNode(tuple(sorted(attributes.items())), position)


def the_small_crow(definite: str) -> Graph:
    """*The small crow slept*, its determiner a node."""
    nodes = (
        node(0, type="det", lemma="the", definite=definite),
        node(1, type="property", lemma="small"),
        node(2, type="entity", lemma="crow"),
        node(3, type="event", lemma="sleep"),
    )
    return Graph(nodes, ((2, "det", 0), (2, "amod", 1), (3, "agent", 2)), 3)


FORMS = {
    "cogs": "* crow ( x _ 2 ) ; small ( x _ 1 ) AND crow . amod ( x _ 2 , x _ 1 ) AND sleep . agent ( x _ 3 , x _ 2 )",
    "varfree": "sleep ( agent = * crow ( amod = small ) )",
    "recogs": "small ( 1 ) ; * crow ( 2 ) ; amod ( 2 , 1 ) AND sleep ( 3 ) AND agent ( 3 , 2 )",
    "penman": "(s / sleep :agent (c / crow :definite + :amod (s2 / small)))",
}


@pytest.mark.parametrize("view", FORMS)
def test_a_determiner_says_whether_its_noun_is_definite(view: str) -> None:
    assert VIEWS[view].render(the_small_crow("yes"), ()) == FORMS[view]
    assert "*" not in VIEWS[view].render(the_small_crow("no"), ())


def test_an_adjective_is_read_back() -> None:
    for read in (read_cogs(FORMS["cogs"]), read_varfree(FORMS["varfree"])):
        types = {node.get("lemma"): node.get("type") for node in read.nodes}
        assert types == {"crow": "entity", "small": "property", "sleep": "event"}
        assert VIEWS["varfree"].render(read, ()) == FORMS["varfree"]


def test_an_adjective_by_itself_is_a_function() -> None:
    alone = Graph((node(0, type="property", lemma="small", open="yes"),), (), 0)
    assert VIEWS["cogs"].render(alone, ()) == "LAMBDA a . small ( a )"


def test_only_a_noun_has_a_determiner() -> None:
    graph = the_small_crow("yes")
    for edges in (((3, "det", 0),), ((0, "det", 2),), ((1, "det", 0),)):
        with pytest.raises(ViewError, match="without meaning"):
            VIEWS["cogs"].render(Graph(graph.nodes, (*graph.edges, *edges), 3), ())


def with_template(directory: Path, template: str | None) -> Path:
    """The grammar with a view of its author's."""
    path = directory / "passives.sgl"
    view = 'view roles = template(sem) from "roles.j2"\n'
    path.write_text(GRAMMAR.replace("\ncategory Text\n", f"{view}\ncategory Text\n"), "utf-8")
    if template is not None:
        (directory / "roles.j2").write_text(template, "utf-8")
    return path


ROLES = (
    "{% for node in nodes %}{% for role, other in node.edges %}"
    "{{ node.lemma }}:{{ role }}={{ other.lemma }} {% endfor %}{% endfor %}"
)


def test_an_author_s_own_view_is_an_output_like_any_other(tmp_path: Path) -> None:
    grammar = compile_file(with_template(tmp_path, ROLES)).grammar
    (reading,) = Parser(grammar, 0).parse("Ada was shown by Bo")
    assert outputs(grammar)["roles"](reading) == "show:theme=Ada show:agent=Bo"


@pytest.mark.parametrize(
    ("template", "code", "words"),
    [
        (None, "SGL0001", "does not exist"),
        ("{{ nodes", "SGL0513", "line 1 of the template"),
        ("{% include 'a' %}", "SGL0513", "cannot be used"),
    ],
)
def test_a_template_that_is_none_is_reported(
    template: str | None, code: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["check", str(with_template(tmp_path, template))]) == FAILED
    said = capsys.readouterr().err
    assert code in said
    assert words in said


@pytest.mark.parametrize(
    ("view", "words"),
    [
        ("view roles = template(sem)", "is written in a file"),
        ('view roles = cogs(sem) from "roles.j2"', "is a notation of the library"),
        ('view roles = template(sem) from "../../roles.j2"', "outside"),
    ],
)
def test_a_view_that_is_declared_wrongly_is_reported(
    view: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = with_template(tmp_path, ROLES)
    source = path.read_text("utf-8").replace('view roles = template(sem) from "roles.j2"', view)
    path.write_text(source, "utf-8")
    assert run(["check", str(path)]) == FAILED
    assert words in capsys.readouterr().err


TWICE = """
layer en  : text
layer syn : graph on en
layer sem : graph on en (free)
feature role = agent | theme
category Text
category V[role]
category N
rule text: Text -> N V[role=r]
  syn V -[nsubj]-> N
  sem V -[$r]-> N; V -[theme]-> N
word V[role=agent]: "acts"
  syn node(upos=VERB)
word V[role=theme]: "melts"
  syn node(upos=VERB)
word N: "ice"
  syn node(upos=NOUN)
dataset
  from Text
  train 1
"""


def test_an_edge_that_a_feature_writes_twice_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "twice.sgl"
    path.write_text(TWICE, encoding="utf-8")
    assert run(["check", str(path)]) == FAILED
    said = capsys.readouterr().err
    assert "SGL0508" in said
    assert "theme, theme" in said


def test_a_template_writes_one_line(tmp_path: Path) -> None:
    lines = ROLES.replace("{% endfor %}{% endfor %}", "\n{% endfor %}\t{% endfor %}")
    grammar = compile_file(with_template(tmp_path, lines)).grammar
    (reading,) = Parser(grammar, 0).parse("Ada was shown by Bo")
    assert outputs(grammar)["roles"](reading) == "show:theme=Ada show:agent=Bo"


def test_a_text_that_has_no_conllu_is_said_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "wide.sgl"
    wide = TWICE.replace("V -[$r]-> N; V -[theme]-> N", "V -[$r]-> N").replace('"ice"', '"i\u3000ce"')
    path.write_text(wide, encoding="utf-8")
    assert run(["compile", str(path), "--out", str(tmp_path / "out")]) == FAILED
    assert "internal error" not in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
