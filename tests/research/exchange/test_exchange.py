"""Alto's IRTGs out and in: the same language with the same weights.

The laws are tested on grammars of our own and on random ones:

* reading what was written gives the same grammar, to the last bit of its weights;
* what is imported compiles, and derives the same sentences with equal probability;
* without ``capital`` the derivations are the same, one to one.
"""

from __future__ import annotations

from math import fsum
from pathlib import Path

import pytest
from alto_files import SYNCHRONOUS
from exchanging import OUR_GRAMMARS, imported, language, marked, our_grammar, read_back, rules_by_name, weights_by_name
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_grammars import grammar as small_grammar
from toy import random_derivations

from sgl.core.grammar import Category, CoreGrammar, Item, Rule, Slot, TextLayer, Token
from sgl.core.interpret import Derivation, derive_tokens, finish
from sgl.parsing import Parser, best_readings
from sgl.research.exchange import with_source, without_capitals, write_irtg
from sgl.research.exchange.write_tools import WithoutCapitals

# ---- grammars of our own


def exported(name: str) -> WithoutCapitals:
    return without_capitals(our_grammar(name))


def labels(resolved: WithoutCapitals, original: CoreGrammar) -> list[str]:
    return [original.categories[i].name.partition("[")[0] for i in resolved.category_of]


@pytest.mark.parametrize("name", [*map(marked, OUR_GRAMMARS)])
def test_reading_what_was_written_gives_the_same_grammar(name: str) -> None:
    grammar = exported(name).grammar
    found, diagnostics, _ = imported(write_irtg(grammar, None))
    assert found is not None
    assert list(diagnostics) == []
    layers = range(len(grammar.text_layers))
    assert weights_by_name(found.grammar, layers) == weights_by_name(grammar, layers)
    assert found.grammar.categories[found.grammar.start].name == "Text"


@pytest.mark.parametrize("name", [*map(marked, OUR_GRAMMARS)])
def test_the_imported_grammar_is_the_exported_one_rule_by_rule(name: str, tmp_path: Path) -> None:
    grammar = exported(name).grammar
    back = read_back(write_irtg(grammar, labels(exported(name), our_grammar(name))), tmp_path)
    layers = range(len(grammar.text_layers))
    before, after = weights_by_name(grammar, layers), weights_by_name(back, layers)
    assert set(before) == set(after)
    for key, weights in before.items():
        # Words that are alike are one word for SGL; nothing else is merged.
        if len(after[key]) != len(weights):
            assert (key[1], len(after[key])) == ((), 1)  # type: ignore[index]
            weights = [sum(weights)]  # noqa: PLW2901 - their sum is what counts
        assert after[key] == pytest.approx(weights, rel=1e-12)


@pytest.mark.slow
def test_only_words_that_are_alike_in_slog_are_merged(tmp_path: Path) -> None:
    grammar = exported("slog").grammar
    back = read_back(write_irtg(grammar, None), tmp_path)
    repeated = rules_by_name(grammar, [0]) - rules_by_name(back, [0])
    assert sum(repeated.values()) == len(grammar.rules) - len(back.rules) == 7
    assert {key[0] for key in repeated} == {"Primitive"}  # type: ignore[index]


@pytest.mark.parametrize("name", [*map(marked, OUR_GRAMMARS)])
def test_sentences_keep_their_capitals_and_probabilities(name: str, tmp_path: Path) -> None:
    original, resolved = our_grammar(name), exported(name)
    assert resolved.inexact == ()
    back = read_back(write_irtg(resolved.grammar, None), tmp_path)
    before, after = Parser(original, 0), Parser(back, 0)
    for derivation in random_derivations(original, 100, seed=2):
        words = derive_tokens(original, derivation, 0)
        sentence = finish(original.text_layers[0], words)
        assert probability(after, " ".join(words)) == pytest.approx(probability(before, sentence), rel=1e-9)


def probability(parser: Parser, sentence: str) -> float:
    """The probability of a sentence: the sum over its readings."""
    forest = parser.forest(sentence)
    assert forest is not None, sentence
    assert forest.count < 10_000
    return fsum(ranked.probability for ranked in best_readings(forest, forest.count))


def test_all_short_sentences_of_the_farm_come_back(tmp_path: Path) -> None:
    original = our_grammar("farm")
    back = read_back(write_irtg(exported("farm").grammar, None), tmp_path)
    before, after = language(original, 5), language(back, 5)
    assert len(before) == 5 * 16 * 16
    assert set(after) == set(before)
    assert after == pytest.approx(before, rel=1e-9)


@pytest.mark.parametrize("name", [*map(marked, OUR_GRAMMARS)])
def test_derivations_without_capitals_are_the_same_one_to_one(name: str) -> None:
    original, resolved = our_grammar(name), exported(name)
    assert_one_to_one(original, resolved)
    for derivation in random_derivations(resolved.grammar, 200, seed=1):
        assert_same_derivation(original, resolved, derivation)


def assert_one_to_one(original: CoreGrammar, resolved: WithoutCapitals) -> None:
    """Each copy of a category has a copy of each of its rules, over copies of its children."""
    for copy, category in enumerate(resolved.category_of):
        rules = resolved.grammar.rules_of[copy]
        assert [resolved.rule_of[rule.id] for rule in rules] == [rule.id for rule in original.rules_of[category]]
        for rule in rules:
            old = original.rules[resolved.rule_of[rule.id]]
            assert tuple(resolved.category_of[child] for child in rule.rhs) == old.rhs
            assert rule.weight == old.weight
            assert not [
                item for template in rule.templates for item in template if isinstance(item, Slot) and item.capital
            ]


def assert_same_derivation(original: CoreGrammar, resolved: WithoutCapitals, derivation: Derivation) -> None:
    old = tuple(resolved.rule_of[rule] for rule in derivation)
    for layer in range(len(original.text_layers)):
        assert derive_tokens(resolved.grammar, derivation, layer) == derive_tokens(original, old, layer)


def test_the_first_word_is_raised_wherever_it_stands() -> None:
    words = small_grammar(
        """
        Text = S : ^0 "."
        S = Silent N : "" 0 1
        S = N : "oh" 0
        Silent = : ""
        N = : "élan"
        """
    )
    assert {" ".join(sentence) for (sentence,) in language(without_capitals(words).grammar, 3)} == {
        "Élan .",
        "Oh élan .",
    }
    unclear = small_grammar('Text = S : ^0\nS = A B : 0 1\nA = : "a"\nA = :\nB = : "b"')
    assert without_capitals(unclear).inexact == ((1, 0),)


def test_trees_are_those_of_the_source_layer() -> None:
    resolved = exported("farm")
    text = write_irtg(resolved.grammar, labels(resolved, our_grammar("farm")))
    found, _, _ = imported(text)
    assert found is not None
    tree = found.grammar.text_layer("tree")
    assert found.trees == {tree}
    (derivation,) = random_derivations(found.grammar, 1, seed=3)
    words = derive_tokens(found.grammar, derivation, 0)
    printed = "".join(derive_tokens(found.grammar, derivation, tree))
    assert printed.startswith("Text(S(NP(Det(")
    leaves = [part.strip("()',") for part in printed.replace("(", ",").split(",")]
    assert [leaf for leaf in leaves if leaf in words or leaf == "."] == words


# ---- random grammars

NAMES = ("S", "np", "NP[anim=yes]", "NP[anim=no]", "名詞", "a b", "it's", "feature", "NP_capital")
WORDS = ("the", "Dog", "犬", "", "it's", '"', "feature", "a.b", "1", "?1", "[x]", "//", "ß", "->")


@st.composite
def grammars(draw: st.DrawFn, layers: int = 2, linear_source: bool = False) -> CoreGrammar:
    """Grammars that drop, repeat, reorder and raise children, with words hard to quote."""
    number = draw(st.integers(1, 4))
    categories = draw(st.permutations(NAMES))[:number]
    rules: list[Rule] = []
    for category in range(number):
        # The first rule has no children, so that every category can be built.
        arities = [0, *draw(st.lists(st.integers(0, 2), max_size=2))]
        parts = [draw(st.integers(1, 9)) for _ in arities]
        for arity, part in zip(arities, parts, strict=True):
            templates = tuple(tuple(draw(template(arity, linear_source and layer == 0))) for layer in range(layers))
            rhs = tuple(draw(st.integers(0, number - 1)) for _ in range(arity))
            name = draw(st.sampled_from(("r", "np", "X Y", "it's", "1", "語")))
            rules.append(Rule(len(rules), name, category, rhs, part / sum(parts), templates, ()))
    text = tuple(TextLayer(("en", "when", "it's")[layer]) for layer in range(layers))
    return CoreGrammar("random", tuple(map(Category, categories)), tuple(rules), 0, text, ())


@st.composite
def template(draw: st.DrawFn, arity: int, linear: bool) -> list[Item]:
    words = WORDS if not linear else tuple(word for word in WORDS if word)
    items: list[Item] = [Token(w) for w in draw(st.lists(st.sampled_from(words), max_size=2))]
    if linear:
        children = list(range(arity))
        items = [*items, Token(draw(st.sampled_from(words)))]
    else:
        children = draw(st.lists(st.integers(0, arity - 1), max_size=4)) if arity else []
    items += [Slot(child, draw(st.booleans())) for child in children]
    return draw(st.permutations(items))


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(grammar=grammars())
def test_any_grammar_is_read_back_as_it_was_written(grammar: CoreGrammar) -> None:
    plain = without_capitals(grammar).grammar
    found, diagnostics, _ = imported(write_irtg(plain, None))
    assert found is not None
    assert diagnostics.errors == 0
    assert language(found.grammar, 3) == pytest.approx(language(plain, 3), rel=1e-9)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(grammar=grammars())
def test_any_grammar_without_capitals_has_the_same_derivations(grammar: CoreGrammar) -> None:
    resolved = without_capitals(grammar)
    assert_one_to_one(grammar, resolved)
    if not resolved.inexact:
        assert language(resolved.grammar, 3) == pytest.approx(language(grammar, 3), rel=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("linear", [True, False])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_grammar_survives_export_import_and_compiling(linear: bool, data: st.DataObject, tmp_path: Path) -> None:
    grammar = data.draw(grammars(linear_source=linear))
    plain = without_capitals(grammar).grammar
    back = read_back(write_irtg(plain, None), tmp_path)
    if linear:
        assert [layer.name for layer in back.text_layers] == ["en", "when_2"]
    # Another layer may have become the source; their order is not what is compared.
    kept = [layer.name for layer in back.text_layers if layer.name in ("en", "when_2")]
    assert sorted(kept) == ["en", "when_2"]
    renamed = {("en", "when_2")[i]: x.name for i, x in enumerate(plain.text_layers)}
    before = language(plain, 3, list(renamed.values()))
    # A start with features is below a category of its own.
    above = back.categories[back.start].name.startswith("Start")
    after = language(back, 3 + above, list(renamed))
    assert after == pytest.approx(before, rel=1e-9)


# ---- files of Alto


def test_a_file_of_alto(tmp_path: Path) -> None:
    grammar = read_back(SYNCHRONOUS, tmp_path)
    assert [category.name for category in grammar.categories] == ["Start", "S", "NP", "VP"]
    joined = {
        tuple(" ".join(words) for words in sentence): probability
        for sentence, probability in language(grammar, 4).items()
    }
    assert joined == pytest.approx(
        {
            ("john always runs", "hans läuft immer", "S( NP(john) ,VP(ADV, V_P ))"): 0.25,
            ("please runs", "bitte läuft", "S( V_P )"): 0.25,
            ("john", "hans", "NP(john)"): 0.5,
        }
    )


def test_weights_are_divided_by_their_sum() -> None:
    text = (
        "interpretation s: x.StringAlgebra\nS! -> r(A, A) [3] [s] *(?1, ?2)\nA -> a [0.5] [s] a\nA -> b [1.5] [s] b\n"
    )
    found, diagnostics, _ = imported(text)
    assert found is not None
    assert [diagnostic.code for diagnostic in diagnostics] == ["SGL1206"]
    assert [rule.weight for rule in found.grammar.rules] == [1, 0.25, 0.75]


def test_a_label_means_the_same_in_every_rule(tmp_path: Path) -> None:
    text = "interpretation s: x.StringAlgebra\nS! -> r(A) [s] *(go, ?1)\n  S -> r(B)\nA -> a [s] a\nB -> b [s] b\n"
    assert set(language(read_back(text, tmp_path), 3)) == {(("go", "a"),), (("go", "b"),)}


def test_children_are_ordered_by_the_source_layer(tmp_path: Path) -> None:
    text = (
        "interpretation s: x.StringAlgebra\ninterpretation t: x.StringAlgebra\n"
        "S! -> r(A, B) [s] *(?2, ?1) [t] *(?1, ?2)\nA -> a [s] a [t] A\nB -> b [s] b [t] B\n"
    )
    grammar = read_back(text, tmp_path)
    assert set(language(grammar, 2)) == {(("b", "a"), ("A", "B"))}
    assert [grammar.categories[child].name for child in grammar.rules[0].rhs] == ["B", "A"]


@pytest.mark.parametrize(
    ("values", "source"),
    [
        (("?1", "*(?1, ?2)"), "t"),
        (("*(?1, ?1)", "*(?1, ?2)"), "t"),
        (("*(?1, ?1)", "?2"), "rule_tree"),
        (("''", "''"), "rule_tree"),
    ],
)
def test_the_source_is_the_first_layer_that_can_be(values: tuple[str, str], source: str, tmp_path: Path) -> None:
    text = (
        "interpretation s: x.StringAlgebra\ninterpretation t: x.StringAlgebra\n"
        f"S! -> r(A, B)\n [s] {values[0]}\n [t] {values[1]}\n"
        "A -> a [s] a [t] A\nB -> b [s] b [t] B\n"
    )
    found, diagnostics, _ = imported(text)
    assert found is not None
    found = with_source(found, diagnostics)
    assert [diagnostic.code for diagnostic in diagnostics] == ["SGL1208"]
    assert found.grammar.text_layers[0].name == source
    back = read_back(text, tmp_path)
    if source == "rule_tree":
        assert [words[0] for words in language(back, 2, ["rule_tree"])] == [("r(", "a", ",", "b", ")")]
    assert language(back, 2, ["s", "t"]) == language(found.grammar, 2, ["s", "t"])


def test_a_circle_without_words_is_no_source(tmp_path: Path) -> None:
    text = "interpretation s: x.StringAlgebra\nS! -> r(A) [0.5] [s] ?1\nS -> x [0.5] [s] x\nA -> q(S) [s] ?1\n"
    back = read_back(text, tmp_path)
    assert [layer.name for layer in back.text_layers] == ["rule_tree", "s"]
