"""Parsing undoes interpretation: from the text of a layer back to derivations."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from toy import TOY

from sgl.core.grammar import Category, CoreGrammar, Rule, Slot, Template, TextLayer, Token
from sgl.core.interpret import Derivation, finish, interpret
from sgl.parse import Parser, UnparsableLayerError


def grammar(
    text: str, *, join: str = " ", attach: str = ".", weights: dict[str, float] | None = None
) -> CoreGrammar:
    """Rules ``S = NP VP : 0 1 "."``: children by number, ``^0`` capital, words in quotes.

    The first left-hand side is the start; the name of a rule is its line.
    """
    lines = [line.strip() for line in text.strip().splitlines()]
    names = list(dict.fromkeys(line.split(" = ")[0] for line in lines))
    rules = []
    for line in lines:
        production, _, template = line.partition(" :")
        left, _, right = production.partition(" =")
        rules.append(
            Rule(
                id=len(rules),
                name=line,
                lhs=names.index(left),
                rhs=tuple(names.index(child) for child in right.split()),
                weight=(weights or {}).get(line, 1.0),
                templates=(template_of(template),),
                fragments=(),
            )
        )
    layer = TextLayer("en", join, frozenset(attach.split()))
    return CoreGrammar(
        "test", tuple(Category(name) for name in names), tuple(rules), 0, (layer,), ()
    )


def template_of(text: str) -> Template:
    return tuple(
        Token(part.strip('"'))
        if part.startswith('"')
        else Slot(int(part.lstrip("^")), part.startswith("^"))
        for part in text.split()
    )


def names(core: CoreGrammar, derivation: Derivation) -> list[str]:
    return [core.rules[rule].name.split(" = ")[0] for rule in derivation]


# --- the toy fragment ---------------------------------------------------------------------


def derivations(core: CoreGrammar, category: int, rules: int) -> Iterator[Derivation]:
    """All derivations of a category with at most so many rules."""
    for rule in core.rules_of[category] if rules > 0 else ():
        for children in sequences(core, rule.rhs, rules - 1):
            yield (rule.id, *children)


def sequences(
    core: CoreGrammar, categories: tuple[int, ...], rules: int
) -> Iterator[tuple[int, ...]]:
    if not categories:
        yield ()
        return
    for first in derivations(core, categories[0], rules - len(categories) + 1):
        for rest in sequences(core, categories[1:], rules - len(first)):
            yield first + rest


@pytest.fixture(scope="module")
def toy_items() -> dict[str, set[Derivation]]:
    """Every small derivation of the toy fragment, by its English text."""
    found: dict[str, set[Derivation]] = {}
    for derivation in derivations(TOY, TOY.start, 12):
        found.setdefault(interpret(TOY, derivation).texts[0], set()).add(derivation)
    return found


def test_every_small_toy_sentence_has_its_derivations(
    toy_items: dict[str, set[Derivation]],
) -> None:
    assert len(toy_items) > 1_000
    parser = Parser(TOY)
    for text in list(toy_items)[::7]:
        assert toy_items[text] <= set(parser.parse(text))
        assert parser.recognise(text)


def test_tokens_are_parsed_like_their_text(toy_items: dict[str, set[Derivation]]) -> None:
    parser = Parser(TOY)
    for text, known in list(toy_items.items())[::97]:
        tokens = interpret(TOY, min(known)).tokens[0]
        assert parser.parse(tokens) == parser.parse(text)


def test_japanese_is_segmented_by_the_grammar(toy_items: dict[str, set[Derivation]]) -> None:
    parser = Parser(TOY, TOY.text_layer("ja"))
    for known in list(toy_items.values())[::29]:
        derivation = min(known)
        japanese = interpret(TOY, derivation).texts[1]
        readings = parser.parse(japanese)
        assert derivation in readings
        assert {interpret(TOY, reading).texts[1] for reading in readings} == {japanese}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "The dog",
        "the dog slept.",
        "The dog slept",
        "The dog slept .",
        "The  dog slept.",
        " The dog slept.",
        "The dog slept. ",
        "The dog slept.slept.",
        "The dogslept.",
        "The unicorn slept.",
        "Dog the slept.",
    ],
)
def test_what_the_grammar_does_not_derive_has_no_reading(text: str) -> None:
    parser = Parser(TOY)
    assert parser.parse(text) == ()
    assert not parser.recognise(text)


# --- ambiguity ------------------------------------------------------------------------------

ATTACHMENT = grammar(
    """
    S = NP VP : 0 1
    VP = V NP : 0 1
    VP = VP PP : 0 1
    NP = NP PP : 0 1
    PP = P NP : 0 1
    NP = : "Emma"
    NP = : "dogs"
    V = : "saw"
    P = : "near"
    """
)


@pytest.mark.parametrize("phrases", range(7))
def test_pp_attachment_is_ambiguous_as_the_catalan_numbers(phrases: int) -> None:
    text = "Emma saw dogs" + " near dogs" * phrases
    catalan = math.comb(2 * phrases + 2, phrases + 1) // (phrases + 2)
    readings = Parser(ATTACHMENT).parse(text)
    assert len(readings) == len(set(readings)) == catalan


def test_the_limit_keeps_the_first_readings() -> None:
    text = "Emma saw dogs" + " near dogs" * 4
    parser = Parser(ATTACHMENT)
    assert parser.parse(text, limit=5) == parser.parse(text)[:5]
    assert len(parser.parse("Emma saw dogs" + " near dogs" * 12)) == 1_000


def test_a_long_sentence_is_parsed_without_deep_recursion() -> None:
    core = grammar(
        """
        S = X S : 0 1
        S = X : 0
        X = : "a"
        """
    )
    assert len(Parser(core).parse(" ".join("a" * 500))) == 1


def test_segmentation_may_be_ambiguous() -> None:
    core = grammar(
        """
        S = X S : 0 1
        S = X : 0
        X = : "に"
        X = : "わ"
        X = : "にわ"
        """,
        join="",
    )
    # に-わ-に-わ, にわ-に-わ, に-わ-にわ, にわ-にわ
    assert len(Parser(core).parse("にわにわ")) == 4


# --- templates ------------------------------------------------------------------------------


def test_permuted_children_keep_their_order_in_the_derivation() -> None:
    core = grammar(
        """
        S = A B : 1 0
        A = : "a"
        B = : "b"
        """
    )
    assert Parser(core).parse("b a") == ((0, 1, 2),)
    assert Parser(core).parse("a b") == ()


def test_capital_raises_the_first_word_however_deep() -> None:
    core = grammar(
        """
        S = NP V : ^0 1 "."
        NP = Det N : 0 1
        Det = : "the"
        Det = : "Emma's"
        N = : "dog"
        V = : "slept"
        """
    )
    parser = Parser(core)
    assert len(parser.parse("The dog slept.")) == 1
    assert len(parser.parse("Emma's dog slept.")) == 1
    assert parser.parse("the dog slept.") == ()
    assert parser.parse("The Dog slept.") == ()


def test_capital_passes_over_an_empty_child() -> None:
    core = grammar(
        """
        S = NP V : ^0 1
        NP = Det N : 0 1
        Det = :
        Det = : "the"
        N = : "dogs"
        V = : "slept"
        """
    )
    assert [names(core, reading) for reading in Parser(core).parse("Dogs slept")] == [
        ["S", "NP", "Det", "N", "V"]
    ]
    assert Parser(core).parse("dogs slept") == ()


def test_capital_inside_a_sentence_and_twice() -> None:
    core = grammar(
        """
        S = X X : 0 ^1
        S = Y : ^0
        Y = X : ^0
        X = : "élan"
        """
    )
    assert Parser(core).parse("élan Élan") == ((0, 3, 3),)
    assert Parser(core).parse("Élan") == ((1, 2, 3),)


def test_attached_words_take_no_space() -> None:
    core = grammar(
        """
        S = X : 0 "," 0 "."
        X = : "a"
        X = : "a,"
        """,
        attach=", .",
    )
    assert Parser(core).parse("a, a.") == ((0, 1),)
    assert Parser(core).parse("a,, a,.") == ((0, 2),)
    assert Parser(core).parse("a , a.") == ()


def test_a_repeated_child_is_the_same_everywhere() -> None:
    core = grammar(
        """
        S = N : 0 "by" 0
        N = A N : 0 1
        N = : "day"
        N = : "step"
        A = : "big"
        """
    )
    parser = Parser(core)
    assert len(parser.parse("big day by big day")) == 1
    assert parser.parse("day by step") == ()
    assert not parser.recognise("day by step")
    assert parser.recognise("step by step")


def test_a_dropped_child_may_be_anything_if_there_are_finitely_many() -> None:
    core = grammar(
        """
        NP = Det N : 1
        Det = : "a"
        Det = Det2 : 0
        Det2 = : "the"
        N = : "dog"
        """
    )
    assert [names(core, reading) for reading in Parser(core).parse("dog")] == [
        ["NP", "Det", "N"],
        ["NP", "Det", "Det2", "N"],
    ]


def test_of_infinitely_many_dropped_children_the_likeliest_is_taken() -> None:
    core = grammar(
        """
        NP = Adj N : 1
        Adj = Very Adj : 0 1
        Adj = Plain : 0
        Plain = : "big"
        Plain = : "small"
        Very = : "very"
        N = : "dog"
        """,
        weights={'Plain = : "big"': 0.3, 'Plain = : "small"': 0.7},
    )
    (reading,) = Parser(core).parse("dog")
    assert [core.rules[rule].name for rule in reading[1:3]] == [
        "Adj = Plain : 0",
        'Plain = : "small"',
    ]


def test_a_dropped_child_without_derivations_leaves_no_reading() -> None:
    core = grammar(
        """
        S = A N : 1
        A = A : 0
        N = : "dog"
        """
    )
    assert Parser(core).parse("dog") == ()


def test_empty_sentences_have_readings_too() -> None:
    core = grammar(
        """
        S = A A : 0 1
        A = :
        A = : "a"
        """
    )
    parser = Parser(core)
    assert parser.parse("") == ((0, 1, 1),)
    assert parser.parse("a") == ((0, 1, 2), (0, 2, 1))
    assert parser.parse([]) == ((0, 1, 1),)
    assert parser.recognise("")


def test_cycles_of_unary_rules_end() -> None:
    core = grammar(
        """
        A = B : 0
        A = : "x"
        B = C : 0
        C = A : 0
        B = : "x"
        """
    )
    # A, or A over B; what comes after A over B over C is A again.
    assert [names(core, reading) for reading in Parser(core).parse("x")] == [["A", "B"], ["A"]]


def test_recursion_over_empty_children_ends() -> None:
    core = grammar(
        """
        S = S S : 0 1
        S = : "a"
        S = :
        """
    )
    parser = Parser(core)
    assert parser.parse("a") == ((1,),)
    assert parser.parse("") == ((2,),)
    assert len(parser.parse("a a")) == 1


def test_an_empty_word_cannot_be_parsed() -> None:
    with pytest.raises(UnparsableLayerError, match="the layer en cannot be parsed"):
        Parser(grammar('S = : ""'))


# --- against the definition -------------------------------------------------------------------

CATEGORIES = "ABCDE"


@st.composite
def grammars(draw: st.DrawFn) -> CoreGrammar:
    """Small grammars without recursion: a child's letter comes after its parent's."""
    lines = []
    for rank, name in enumerate(CATEGORIES):
        later = st.sampled_from(CATEGORIES[rank + 1 :] or "-")
        for _ in range(draw(st.integers(1, 3))):
            children = draw(st.lists(later, max_size=3)) if rank < 4 else []
            slots = [f"{draw(st.sampled_from(['', '', '^']))}{i}" for i in range(len(children))]
            words = draw(st.lists(st.sampled_from(['"a"', '"b"', '"ab"', '"."']), max_size=2))
            items = draw(st.permutations(slots + words))
            lines.append(f"{name} = {' '.join(children)} : {' '.join(items)}".replace("  ", " "))
    return grammar("\n".join(lines), join=draw(st.sampled_from(["", " "])))


@settings(max_examples=80, deadline=None)
@given(grammars())
def test_the_parser_agrees_with_enumeration(core: CoreGrammar) -> None:
    expected: dict[str, set[Derivation]] = {}
    for count, derivation in enumerate(derivations(core, 0, 100)):
        assume(count < 400)
        text = finish(core.text_layers[0], interpret(core, derivation).tokens[0])
        expected.setdefault(text, set()).add(derivation)
    parser = Parser(core)
    for text, known in expected.items():
        readings = parser.parse(text)
        assert set(readings) == known
        assert len(readings) == len(known)
