"""What follows by itself, or is said once: several layers, literals, ports, heads.

Each is defined by the longer text that it stands for.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from diagnostics import MAIN, diagnose
from same_grammar import core_of, rules_of

LAYERS = """
layer en  : text
layer ja  : text
layer de  : text
layer syn : graph on en
layer sem : graph on en (free)
category S
category N
category V
category NP
category VP
dataset
  from S
  train 10
word N: "dog"
  ja de "犬"
  syn sem node(lemma=dog, upos=NOUN)
word V: "ran"
  ja "走った"
  de "走った"
  syn node(lemma=run, upos=VERB)
  sem node(lemma=run)
"""
REST = """
rule clause: S -> NP VP
  ja  NP "が" VP
  de  NP VP
  syn VP -[nsubj]-> NP
  sem VP -[agent]-> NP
rule np: NP -> "the" N
  ja  N
  de  "der" N
  syn N -[det]-> "the"(upos=DET)
  sem N
rule vp: VP -> V
"""


def same(short: str, full: str) -> bool:
    """Whether two texts, with all the others, are one grammar."""
    return rules_of(core_of(LAYERS + short)) == rules_of(core_of(LAYERS + full))


def messages(grammar: str, tmp_path: Path) -> list[tuple[str, str]]:
    return diagnose({MAIN: grammar}, tmp_path, prove=False).places()


# ---- several layers


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("  syn sem NP -[nmod]-> N", "  syn NP -[nmod]-> N\n  sem NP -[nmod]-> N"),
        ("  syn sem n -[amod]-> NP", "  syn n -[amod]-> NP\n  sem n -[amod]-> NP"),
        ("  syn n -[amod]-> NP\n  sem n", "  syn n -[amod]-> NP\n  sem head = n"),
        ("  syn sem n -[amod]-> NP; head = n", "  syn n -[amod]-> NP; head = n\n  sem n -[amod]-> NP; head = n"),
    ],
)
def test_a_clause_about_two_graphs_is_a_clause_about_each(short: str, full: str) -> None:
    head, role = "rule of: NP -> NP n:N\n", "NP n"
    if "n -[" not in short:
        head, role = "rule of: NP -> NP N\n", "NP N"
    texts = f"  ja {role}\n  de {role}\n"
    assert same(f"{REST}{head}  ja de {role}\n{short}\n", f"{REST}{head}{texts}{full}\n")


def test_a_child_is_no_layer(tmp_path: Path) -> None:
    """A child may have the name of a layer; it is then the child."""
    rule = "rule odd: NP -> N de:N\n  ja de N\n  de N de\n  syn N -[a]-> de\n  sem N -[a]-> de\n"
    assert messages(LAYERS + REST + rule, tmp_path) == []


@pytest.mark.parametrize(
    ("clause", "expected"),
    [
        ("syn ja NP -[nmod]-> N", [("SGL0306", "ja")]),
        ("syn see NP -[nmod]-> N", [("SGL0306", "see")]),
        ("syn NP N -[nmod]-> NP", [("SGL0306", "NP")]),
    ],
)
def test_before_edges_stand_graph_layers(clause: str, expected: list[tuple[str, str]], tmp_path: Path) -> None:
    rule = f"rule of: NP -> NP N\n  ja de NP N\n  {clause}\n  sem NP -[nmod]-> N\n"
    assert messages(LAYERS + REST + rule, tmp_path)[:1] == expected


# ---- literals

DID = "(lemma=do, upos=AUX, Tense=Past)"
ASKED = 'rule asked: S -> "did" NP VP\n  ja de NP VP\n  syn VP -[nsubj]-> NP; VP -[aux]-> {}\n'
ASKED += "  sem VP -[agent]-> NP\n"


def test_a_literal_is_the_node_of_a_word_wherever_it_is_written() -> None:
    short = f'literal "did" {DID}\n' + ASKED.format('"did"')
    assert same(REST + short, REST + ASKED.format(f'"did"{DID}'))


def test_a_rule_may_say_otherwise() -> None:
    own = ASKED.format('"did"(upos=PART)')
    other = own.replace("asked", "asked_too").replace('"did" NP', 'NP "did"')
    other = other.replace("(upos=PART)", "")
    short = f'literal "did" {DID}\n{own}{other}'
    assert same(
        REST + short,
        REST + own + other.replace('-> "did";', f'-> "did"{DID};').replace('-[aux]-> "did"', f'-[aux]-> "did"{DID}'),
    )


def test_a_literal_says_nothing_of_a_free_layer() -> None:
    rule = ASKED.format('"did"') + '  sem VP -[past]-> "did"\n'
    full = ASKED.format(f'"did"{DID}') + '  sem VP -[past]-> "did"\n'
    assert same(f'{REST}literal "did" {DID}\n{rule}', REST + full)


@pytest.mark.parametrize(
    ("literals", "expected"),
    [
        (['literal "did" (upos=AUX)'], []),
        (['literal "do" (upos=AUX)'], [("SGL0517", "asked"), ("SGL0204", '"do"')]),
        (['literal "did" (upos=AUX)'] * 2, [("SGL0203", '"did"')]),
        (['literal "did" (upos=AUX, tense=Past)'], [("SGL0506", "tense")]),
    ],
)
def test_literals_that_are_wrong(literals: list[str], expected: list[tuple[str, str]], tmp_path: Path) -> None:
    grammar = LAYERS + REST + ASKED.format('"did"') + "\n".join(literals) + "\n"
    assert messages(grammar, tmp_path) == expected


# ---- ports and heads

PORTS = """
category RC with gap
category Ctl with subj in sem
rule gapped: RC -> V
  syn V -[~obj]-> gap
  sem V -[theme]-> gap
rule controlled: Ctl -> V
  sem V -[agent]-> subj
"""


def test_an_open_port_is_the_child_whose_role_has_its_name() -> None:
    rule = (
        "rule front: S -> gap:NP RC\n  ja de gap RC\n"
        "  syn head = RC{0}\n  sem head = RC{0}\n"
        "rule try: S -> subj:NP V Ctl\n  ja de subj V Ctl\n"
        "  syn V -[nsubj]-> subj; V -[xcomp]-> Ctl\n  sem V -[agent]-> subj; V -[of]-> Ctl{1}\n"
    )
    short, full = rule.format("", ""), rule.format("; RC.gap = gap", "; Ctl.subj = subj")
    assert same(REST + PORTS + short, REST + PORTS + full)


def test_several_open_ports_are_one_child() -> None:
    rule = "rule both: S -> gap:NP a:RC b:RC\n  ja de gap a b\n  syn a -[conj]-> b{0}\n  sem a -[and]-> b{0}\n"
    assert same(REST + PORTS + rule.format(""), REST + PORTS + rule.format("; a.gap = gap; b.gap = gap"))


def test_what_is_forgotten_is_bound_to_nothing(tmp_path: Path) -> None:
    rule = "rule no: S -> gap:NP RC\n  ja de gap RC\n  syn RC -[a]-> gap; forget RC.gap\n"
    rule += "  sem RC -[a]-> gap; forget RC.gap\n"
    # The gap is without a word, and not bound twice.
    found = messages(LAYERS + REST + PORTS + rule, tmp_path)
    assert {code for code, _ in found} == {"SGL0511"}


def test_a_port_that_could_be_passed_on_as_well(tmp_path: Path) -> None:
    rule = "rule more: RC -> gap:NP RC\n  ja de gap RC\n  syn RC -[a]-> gap\n  sem RC -[a]-> gap\n"
    outcome = diagnose({MAIN: LAYERS + REST + PORTS + rule}, tmp_path, prove=False)
    assert outcome.places() == [("SGL0502", "RC")]
    assert "write `RC.gap = gap`" in outcome.rendered()


@pytest.mark.parametrize(
    ("short", "full"),
    [
        # The head follows, and no edge.
        ("", "  sem head = V"),
        # One edge says what is the head; of two roots it is that of the first layer.
        ("  sem V -[a]-> N", "  sem V -[a]-> N; head = V"),
        ("  sem N -[a]-> V", "  sem N -[a]-> V; head = N"),
        ("  sem V -[a]-> NP; N -[b]-> NP", "  sem V -[a]-> NP; N -[b]-> NP; head = V"),
    ],
)
def test_the_head_of_a_free_layer_is_that_of_the_first(short: str, full: str) -> None:
    rule = "rule three: VP -> N V NP\n  ja de N V NP\n  syn V -[obj]-> NP; V -[obl]-> N\n"
    assert same(f"{REST}{rule}{short}\n", f"{REST}{rule}{full}\n")


def test_ports_are_bound_as_in_the_first_layer_where_nothing_is_said() -> None:
    rule = "rule rel: NP -> N RC\n  ja de RC N\n  syn N -[acl:relcl]-> RC; RC.gap = N\n"
    full = rule + "  sem head = N; RC.gap = N\n"
    assert same(REST + PORTS + rule, REST + PORTS + full)


def test_the_first_layer_and_words_alone_say_what_they_are(tmp_path: Path) -> None:
    rule = "rule two: VP -> V N\n  ja de V N\n"
    assert messages(LAYERS + REST + rule, tmp_path) == [("SGL0303", "two")]
    rule = 'rule it: NP -> "it"\n  ja de "それ"\n  syn head = "it"(upos=PRON)\n'
    assert messages(LAYERS + REST + rule, tmp_path) == [("SGL0303", "it")]
