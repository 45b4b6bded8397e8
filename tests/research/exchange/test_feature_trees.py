"""Ordered feature trees of Alto: what their terms mean, as layers and by an evaluation of its own.

The evaluation below is written from the definition of the algebra: a constant is a node without edges, ``e(t, u)`` and
``post_e(t, u)`` are ``t`` with a last edge ``e`` to ``u``, ``pre_e(t, u)`` is ``t`` with a first one.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from exchanging import imported, language, read_back
from hypothesis import given, settings
from hypothesis import strategies as st
from toy import all_derivations
from workplace import Workplace

from sgl.cli.main import FAILED, OK, run
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, derive_tokens, finish
from sgl.research.exchange import with_source

HEAD = """\
interpretation english: de.up.ling.irtg.algebra.StringAlgebra
interpretation semantics: de.saar.coli.algebra.OrderedFeatureTreeAlgebra
"""

CLAUSES = (
    HEAD
    + """
// Clauses with prepositional phrases, relative clauses and control.
S! -> transitive(NP, V, NP) [0.5]
  [english] *(?1, *(?2, ?3))
  [semantics] pre_agent(theme(?2, ?3), ?1)

S -> control(NP, V, V) [0.25]      /* the agent is there twice */
  [english] *(?1, *(?2, *(to, ?3)))
  [semantics] pre_agent(xcomp(?2, agent(?3, ?1)), ?1)

S -> reported(NP, S) [0.25]
  [english] *(?1, *('says', *("that", ?2)))
  [semantics] post_ccomp(agent(say, ?1), ?2)

NP -> noun(Det, N) [0.5]
  [english] *(?1, ?2)
  [semantics] pre_det(?2, ?1)

NP -> inside(NP, NP) [0.25]
  [english] *(?1, *(in, ?2))
  [semantics] nmod(?1, pre_case(?2, in))

NP -> relative(NP, V) [0.125]
  [english] *(?1, *(that, ?2))
  [semantics] nmod(?1, agent(?2, ?1))

NP -> name [0.125]
  [english] 'Emma'
  [semantics] 'Emma'

Det -> the
  [english] the
  [semantics] the

N -> cat [0.5]
  [english] cat
  [semantics] cat

N -> ice [0.5]
  [english] *(ice, cream)
  [semantics] 'ice cream'

V -> sees
  [english] sees
  [semantics] see
"""
)

#: A label, and pairs of an edge and a tree.
Tree = tuple[str, list[tuple[str, "Tree"]]]  # type: ignore[misc]


def terms_of(text: str) -> dict[str, str]:
    """The terms of an IRTG in the last interpretation, by the labels of its rules."""
    labels = re.findall(r"-> *(\w+)", text)
    terms = re.findall(r"\[semantics\] *(.*)", text)
    return dict(zip(labels, terms, strict=True))


def evaluated(term: str, children: list[Tree]) -> Tree:
    """The tree that a term means."""
    tokens = re.findall(r"'[^']*'|\?\d+|[\w$]+|[(),]", term)

    def tree() -> Tree:
        symbol = tokens.pop(0)
        if symbol.startswith("?"):
            return children[int(symbol[1:]) - 1]
        symbol = symbol.strip("'").replace(" ", "_")
        if tokens[:1] != ["("]:
            return symbol, []
        tokens.pop(0)
        label, edges = tree()
        assert tokens.pop(0) == ","
        edge = (re.sub("^(pre|post)_", "", symbol), tree())
        assert tokens.pop(0) == ")"
        return label, [edge, *edges] if symbol.startswith("pre_") else [*edges, edge]

    found = tree()
    assert not tokens
    return found


def shown(tree: Tree) -> str:
    label, edges = tree
    inside = " , ".join(f"{edge} = {shown(child)}" for edge, child in edges)
    return f"{label} ( {inside} )" if edges else label


def meaning(grammar: CoreGrammar, terms: dict[str, str], derivation: Derivation) -> str:
    """The tree of a derivation, evaluated from its terms."""
    rules = iter(derivation)

    def tree() -> Tree:
        rule = grammar.rules[next(rules)]
        children = [tree() for _ in rule.rhs]
        return evaluated(terms[rule.name], children)

    return shown(tree())


def form(grammar: CoreGrammar, derivation: Derivation) -> str:
    """The text of a derivation in the last layer."""
    return finish(grammar.text_layers[-1], derive_tokens(grammar, derivation, len(grammar.text_layers) - 1))


def assert_same_forms(text: str, height: int) -> int:
    """Every derivation up to a height has the form that its terms mean; returns how many there are."""
    found, diagnostics, _ = imported(text)
    assert found is not None, list(diagnostics)
    grammar, terms = found.grammar, terms_of(text)
    derivations = all_derivations(grammar, height)
    for derivation in derivations:
        assert form(grammar, derivation) == meaning(grammar, terms, derivation)
    return len(derivations)


def test_every_small_derivation_has_the_form_that_its_terms_mean() -> None:
    assert assert_same_forms(CLAUSES, 4) > 1000


def test_forms_are_those_of_the_documentation_of_the_algebra() -> None:
    term = "nsubjpass(auxpass(punct(known, '.'), was), det(box, the))"
    text = f"{HEAD}S! -> r\n  [english] x\n  [semantics] "
    assert shown(evaluated(term, [])) == "known ( punct = . , auxpass = was , nsubjpass = box ( det = the ) )"
    for written in (term, f"pre_{term}"):
        found, _, _ = imported(text + written)
        assert found is not None
        assert form(found.grammar, (0,)) == shown(evaluated(written, []))


def test_what_is_written_compiles_to_the_same_forms(tmp_path: Path) -> None:
    found, _, _ = imported(CLAUSES)
    assert found is not None
    terms = terms_of(CLAUSES)
    expected: dict[tuple[str, str], float] = {}
    for derivation, probability in all_derivations(found.grammar, 3).items():
        words = " ".join(derive_tokens(found.grammar, derivation, 0))
        pair = words, meaning(found.grammar, terms, derivation)
        expected[pair] = expected.get(pair, 0.0) + probability
    back = read_back(CLAUSES, tmp_path)
    assert [layer.name for layer in back.text_layers] == ["english", "semantics"]
    written: dict[tuple[str, str], float] = {}
    # What is written has a category above the others, since `S` is part of a phrase.
    for (words, tree), probability in language(back, 4).items():  # type: ignore[misc]
        pair = " ".join(words), finish(back.text_layers[1], list(tree))
        written[pair] = written.get(pair, 0.0) + probability
    assert written == pytest.approx(expected, rel=1e-9)


def test_it_is_sampled_with_its_form_and_never_parsed(work: Workplace) -> None:
    work.write("clauses.irtg", CLAUSES)
    assert run(["import", "irtg", "clauses.irtg", "--out", "clauses.sgl"]) == OK
    assert run(["check", "clauses.sgl"]) == OK
    work.capsys.readouterr()
    assert run(["translate", "clauses.sgl", "the cat sees to sees"]) == OK
    assert work.capsys.readouterr().out == (
        "see ( agent = cat ( det = the ) , xcomp = see ( agent = cat ( det = the ) ) )\n"
    )
    assert run(["sample", "clauses.sgl", "-n", "5", "--show", "english,semantics"]) == OK
    assert "see" in work.capsys.readouterr().out
    assert run(["parse", "clauses.sgl", "Emma", "--layer", "semantics"]) == FAILED
    assert "SGL1108" in work.capsys.readouterr().err


@pytest.mark.parametrize(
    ("head", "layers", "said"),
    [
        ("\n".join(reversed(HEAD.splitlines())) + "\n", ["english", "semantics"], []),
        (HEAD.splitlines()[1] + "\n", ["rule_tree", "semantics"], ["SGL1208"]),
    ],
)
def test_a_tree_that_is_taken_apart_is_never_the_source(head: str, layers: list[str], said: list[str]) -> None:
    text = CLAUSES.removeprefix(HEAD)
    if "english" not in head:
        text = re.sub(r" *\[english\].*\n", "", text)
    found, diagnostics, _ = imported(head + text)
    assert found is not None
    assert [layer.name for layer in with_source(found, diagnostics).grammar.text_layers] == layers
    assert [d.code for d in diagnostics if d.code != "SGL1207"] == said


@pytest.mark.parametrize(
    ("term", "marked"),
    [
        ("agent(?1)", "agent"),
        ("agent(?1, cat, dog)", "agent"),
        ("agent(?2, cat)", "?2"),
        ("agent(?1, '')", "''"),
        ("''", "''"),
        ("pre_(?1, cat)", "pre_"),
        ("agent(',', ?1)", "','"),
        ("'='(cat, ?1)", "'='"),
    ],
)
def test_what_is_no_feature_tree(term: str, marked: str) -> None:
    text = f"{HEAD}S! -> r(N)\n  [english] ?1\n  [semantics] {term}\nN -> n [english] n [semantics] n\n"
    found, diagnostics, _ = imported(text)
    assert found is None
    spans = [d.span for d in diagnostics if d.code == "SGL1203"]
    assert marked in [text[span.start : span.end] for span in spans if span is not None]


NOTATION = """
'S'° -> 'a rule'("NP[num=sg,gen='f']", 'NP[num=sg,gen=f]') [.25]   // a comment [1.0]
  [english] *(?1,*("it's",?2)) [semantics] pre_a<b>/c.d-e(x_1,?1)
S -> plain [7.5e-1] [english] "//none" [semantics] '/*label*/'
X -> unused(S!) [english] ?1 /* S is final **/ [semantics] ?1
"NP[num=sg,gen='f']" -> one [english] 'New' [semantics] new
'NP[num=sg,gen=f]' -> two [1] [english] $@+*y [semantics] "it's" // the end"""


def test_names_weights_and_comments_are_those_of_alto(tmp_path: Path) -> None:
    """As its codec defines them: which characters names have, both quotes, both marks, both comments, all numbers."""
    text = HEAD + NOTATION
    found, diagnostics, _ = imported(text)
    assert found is not None, list(diagnostics)
    assert sorted(d.code for d in diagnostics) == ["SGL1205"]
    forms = {form(found.grammar, d): p for d, p in all_derivations(found.grammar, 2).items()}
    assert forms == {"x_1 ( a<b>/c.d-e = new )": 0.25, "/*label*/": 0.75}
    assert [c.name for c in found.grammar.categories] == ["S", "NP[num=sg,gen='f']", "NP[num=sg,gen=f]"]
    assert len(read_back(text, tmp_path).rules) == 4


def test_an_algebra_without_a_counterpart_is_named(work: Workplace) -> None:
    work.write(
        "clauses.irtg", CLAUSES.replace("coli.algebra.OrderedFeatureTreeAlgebra", "coli.FeatureStructureAlgebra")
    )
    assert run(["import", "irtg", "clauses.irtg", "--format", "concise", "--out", "clauses.sgl"]) == OK
    said = work.capsys.readouterr().err
    assert "clauses.irtg:2:27: warning[SGL1202]: the interpretation `semantics` is left out" in said


def test_a_very_deep_tree_is_read() -> None:
    for deep in ("agent(see, " * 5_000 + "see" + ")" * 5_000, "agent(" * 5_000 + "see" + ", Emma)" * 5_000):
        found, diagnostics, _ = imported(f"{HEAD}S! -> r\n  [english] x\n  [semantics] {deep}")
        assert found is not None
        assert {diagnostic.code for diagnostic in diagnostics} == {"SGL1470"}


LABELS = st.sampled_from(("cat", "dog", "see", "'.'", "'ice cream'"))
EDGES = st.sampled_from(("agent", "theme", "pre_agent", "pre_theme", "post_theme", "pre_pre_x"))


def terms(arity: int) -> st.SearchStrategy[str]:
    leaves = st.one_of(LABELS, *([st.integers(1, arity).map("?{}".format)] if arity else []))
    return st.recursive(leaves, lambda t: st.builds("{}({}, {})".format, EDGES, t, t), max_leaves=6)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_random_terms_mean_what_they_mean(data: st.DataObject) -> None:
    text = HEAD
    for state, others in (("S!", "AB"), ("A", "BB"), ("A", "B"), ("B", ""), ("B", "")):
        label = f"r{text.count('->')}"
        children = f"({', '.join(others)})" if others else ""
        words = ["word", "*(?1, word)", "*(?1, ?2)"][len(others)]
        text += f"{state} -> {label}{children}\n  [english] {words}\n  [semantics] {data.draw(terms(len(others)))}\n"
    assert assert_same_forms(text, 4) == 2 * (4 + 2)
