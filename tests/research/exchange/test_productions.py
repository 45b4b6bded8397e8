"""Productions of published generators and of NLTK: their languages, by an enumerator of our own, stay what they were.

A random grammar is made as productions, written in one of many notations, imported, and compiled.  Beside it stands
the language that its productions have by definition: every tuple of sentences of a derivation of limited height, with
the sum of the probabilities of its derivations.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest
from exchanging import language, said_of, written
from workplace import Workplace

from sgl.cli.main import OK, run
from sgl.core.grammar import CoreGrammar
from sgl.diagnostics.render import render
from sgl.lang.layout import layout
from sgl.research.exchange import write_sgl
from sgl.research.exchange.productions import Notation

Feats = Mapping[str, str]


class Made(NamedTuple):
    """A production: its sides are words, in quotation marks, and numbers of children."""

    left: tuple[str, Feats]
    children: tuple[tuple[str, Feats], ...]
    sides: tuple[tuple[str | int, ...], ...]
    weight: int


# ---- the independent enumerator


def instances(made: Made, values: Mapping[str, Sequence[str]], owned: Mapping[str, Sequence[str]]) -> Iterator[Made]:
    """The production with values in place of its variables, and of all features that it leaves open."""
    mentions = [made.left, *made.children]
    open_places = [
        (number, feature)
        for number, (name, feats) in enumerate(mentions)
        for feature in owned[name]
        if feature not in feats
    ]
    variables = sorted({(f, v) for _, feats in mentions for f, v in feats.items() if v.startswith("?")})
    choices = [values[f] for f, _ in variables] + [values[f] for _, f in open_places]
    for chosen in product(*choices):
        bound = {v: value for (_, v), value in zip(variables, chosen, strict=False)}
        filled = [{f: bound.get(v, v) for f, v in feats.items()} for _, feats in mentions]
        for (number, feature), value in zip(open_places, chosen[len(variables) :], strict=True):
            filled[number][feature] = value
        names = [(name + str(sorted(feats.items())), {}) for (name, _), feats in zip(mentions, filled, strict=True)]
        yield Made(names[0], tuple(names[1:]), made.sides, made.weight)


def enumerated(made: Sequence[Made], start: str, height: int) -> dict[tuple[tuple[str, ...], ...], float]:
    """The probability of each tuple of sentences, over derivations of a limited height."""
    by_left: dict[str, list[Made]] = {}
    for rule in made:
        by_left.setdefault(rule.left[0], []).append(rule)

    def derive(name: str, height: int) -> list[tuple[tuple[tuple[str, ...], ...], float]]:
        found = []
        rules = by_left.get(name, []) if height else []
        # A production whose children derive nothing has no share.
        total = sum(rule.weight for rule in by_left.get(name, []) if rule.weight)
        for rule in rules:
            for below in product(*(derive(child, height - 1) for child, _ in rule.children)):
                probability = rule.weight / total
                for _, part in below:
                    probability *= part
                sentence = tuple(
                    tuple(w for item in side for w in ([item] if isinstance(item, str) else below[item][0][n]))
                    for n, side in enumerate(rule.sides)
                )
                found.append((sentence, probability))
        return found

    language: dict[tuple[tuple[str, ...], ...], float] = {}
    for sentence, probability in derive(start, height):
        language[sentence] = language.get(sentence, 0.0) + probability
    return language


# ---- random grammars, in many notations


class Style(NamedTuple):
    """How a grammar is written."""

    separator: str
    quoted: bool
    indexed: bool
    nonterminal: str
    weight: str


STYLES = [
    Style("###", False, True, "{}", "after"),
    Style("&", True, False, "{}", "before"),
    Style("|||", False, True, "${}", "side"),
    Style("|||", True, True, "[{}]", "none"),
    Style("=>=", True, False, "<{}>", "after"),
]


def random_grammar(seed: int, style: Style) -> list[Made]:
    """Categories A to D, each above the next ones, so that the language is finite."""
    rng = random.Random(seed)  # noqa: S311 - not for secrets
    made = []
    for level, name in enumerate("ABCD"):
        for number in range(rng.randint(1, 3)):
            children = tuple(
                (rng.choice("ABCD"[level + 1 :]), {}) for _ in range(rng.randint(0, 2) if level < 3 else 0)
            )
            if level < 3 and not number:
                children = (*children[1:], ("ABCD"[level + 1], {}))
            order = list(range(len(children)))
            source: list[str | int] = [f"w{rng.randint(0, 3)}", *order]
            target: list[str | int] = [*order, f"V{rng.randint(0, 3)}"]
            rng.shuffle(source)
            rng.shuffle(target)
            if not style.indexed:
                target = in_order(target, children, source)
                if children and rng.random() < 0.3 and len({child for child, _ in children}) == len(children):
                    target.append(0)
            weight = rng.randint(1, 4) if style.weight != "none" else 1
            made.append(Made((name, {}), children, (tuple(target), tuple(source)), weight))
    return made


def in_order(side: list[str | int], children: Sequence[tuple[str, Feats]], other: list[str | int]) -> list[str | int]:
    """The side with children of one name in the order in which the other side has them."""
    pending = {
        name: [i for i in other if isinstance(i, int) and children[i][0] == name] for name in {n for n, _ in children}
    }
    return [item if isinstance(item, str) else pending[children[item][0]].pop(0) for item in side]


def text_of(made: Sequence[Made], style: Style) -> str:
    lines = ["# A comment", ""]
    for rule in made:
        sides = []
        for side in rule.sides:
            parts = []
            for item in side:
                if isinstance(item, str):
                    parts.append(f"'{item}'" if style.quoted else item)
                    continue
                name = style.nonterminal.format(rule.children[item][0])
                index = f"{name[:-1]},{item + 1}]" if name.endswith("]") else f"{name}_{item + 1}"
                parts.append(index if style.indexed else name)
            sides.append(" ".join(parts))
        body = f" {style.separator} ".join(sides)
        weight = {"after": f" [{rule.weight}]", "side": f" {style.separator} {rule.weight}"}.get(style.weight, "")
        before = f"{rule.weight} " if style.weight == "before" else ""
        lines.append(f"{before}{style.nonterminal.format(rule.left[0])} -> {body}{weight}")
    return "\n".join(lines)


def compiled_from(text: str, notation: Notation, directory: Path) -> CoreGrammar:
    """What is imported, as its text compiles; the text is as `sglc fmt` writes it."""
    found, diagnostics, sources = said_of(text, notation)
    assert found is not None, "\n".join(render(each, sources) for each in diagnostics) + text
    out = write_sgl(found.grammar, "Imported.", found.symbolic)
    assert layout(out) == out
    return written(found.grammar, directory, found.symbolic)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.separator + style.nonterminal)
def test_a_synchronous_grammar_keeps_its_pairs_and_their_probabilities(style: Style, seed: int, tmp_path: Path) -> None:
    made = random_grammar(seed, style)
    separator = "" if style.separator in ("###", "&", "|||") else style.separator
    core = compiled_from(text_of(made, style), Notation(("mr", "en"), "en", separator), tmp_path)
    expected = enumerated(made, "A", 4)
    found = language(core, 4, ("mr", "en"))
    assert set(found) == set(expected)
    assert found == pytest.approx(expected, rel=1e-9)
    assert sum(expected.values()) == pytest.approx(1)


# ---- features


def random_features(seed: int) -> tuple[list[Made], dict[str, list[str]], dict[str, list[str]]]:
    """A grammar of one side, whose categories have features, with their values."""
    rng = random.Random(seed)  # noqa: S311 - not for secrets
    values = {"NUM": ["sg", "pl", "3"][: rng.randint(1, 3)], "length": ["True", "False"]}
    owned = {name: [f for f in values if name != "A" and rng.random() < 0.8] for name in "ABCD"}

    def mention(name: str) -> tuple[str, Feats]:
        said = {}
        for feature in owned[name]:
            chance = rng.random()
            if chance < 0.75:
                said[feature] = f"?{feature[0].lower()}" if chance < 0.4 else rng.choice(values[feature])
        return name, said

    made = []
    for level, name in enumerate("ABCD"):
        for number in range(rng.randint(2, 4)):
            below = "ABCD"[level + 1 :]
            children = tuple(mention(rng.choice(below)) for _ in range(rng.randint(1, 2))) if below and number else ()
            side = (f"{name.lower()}{number}", *range(len(children)))
            made.append(Made(mention(name), children, (side,), 1))
    mentions = [each for rule in made for each in (rule.left, *rule.children)]
    # What nothing in the file says is nothing that there is.
    said = {f: [v for v in values[f] if any(feats.get(f) == v for _, feats in mentions)] for f in values}
    known = {f: list(dict.fromkeys(v)) for f, v in said.items() if v}
    owned = {name: [f for f in known if any(n == name and f in feats for n, feats in mentions)] for name in "ABCD"}
    kept = [
        Made(
            *((n, {f: v for f, v in feats.items() if f in known}) for n, feats in (rule.left,)), (), rule.sides, 1
        )._replace(children=tuple((n, {f: v for f, v in feats.items() if f in known}) for n, feats in rule.children))
        for rule in made
    ]
    return kept, known, owned


def feature_text(made: Sequence[Made]) -> str:
    def shown(mention: tuple[str, Feats]) -> str:
        name, feats = mention
        parts = []
        for number, (feature, value) in enumerate(feats.items()):
            sign = {"True": "+", "False": "-"}.get(value) if number % 2 else None
            parts.append(f"{sign}{feature}" if sign else f"{feature}={value}")
        return f"{name}[{', '.join(parts)}]" if parts else name

    return "\n".join(
        f"{shown(rule.left)} -> "
        + " ".join(f"'{item}'" if isinstance(item, str) else shown(rule.children[item]) for item in rule.sides[0])
        for rule in made
    )


@pytest.mark.parametrize("seed", range(40))
def test_a_feature_grammar_keeps_its_sentences(seed: int, tmp_path: Path) -> None:
    made, values, owned = random_features(seed)
    text = "%start A\n" + feature_text(made)
    concrete = [instance for rule in made for instance in instances(rule, values, owned)]
    expected = {sentence[0] for sentence in enumerated(concrete, "A[]", 4)}
    found = {sentence[0] for sentence in language(compiled_from(text, Notation(), tmp_path), 4, ("text",))}
    assert found == expected
    if seed < 10:
        assert theirs(text, expected) == expected


def theirs(text: str, expected: set[tuple[str, ...]]) -> set[tuple[str, ...]]:
    """The sentences of words of the grammar that NLTK accepts, of those up to four words; ours where it is missing."""
    nltk = pytest.importorskip("nltk", reason="NLTK is compared with where it is installed")
    parser = nltk.parse.FeatureEarleyChartParser(nltk.grammar.FeatureGrammar.fromstring(text))
    words = sorted({word for sentence in expected for word in sentence})
    short = [sentence for sentence in expected if len(sentence) > 3]
    tried = [sentence for length in (1, 2, 3) for sentence in product(words, repeat=length)]
    rng = random.Random(1)  # noqa: S311 - not for secrets
    return set(short) | {
        sentence
        for sentence in [*rng.sample(tried, min(len(tried), 150)), *(s for s in expected if len(s) <= 3)]
        if next(iter(parser.parse(list(sentence))), None) is not None
    }


PCFG = """
S -> NP VP [1.0]
NP -> Det N [0.5] | NP PP [0.25] | 'John' [0.1] | "I" [0.15]
Det -> 'the' [0.8] | 'my' [0.2]
N -> 'man' [0.5] | 'telescope' [0.5]
VP -> VP PP [0.1] \\
    | V NP [0.7]
    | V [0.2]
V -> 'ate' [0.35] | 'saw' [0.65]
PP -> P NP [1.0]
P -> 'with' [0.61] | 'under' [0.39]
"""


def test_a_grammar_of_nltk_gives_sentences_the_same_probabilities(tmp_path: Path) -> None:
    from math import fsum

    from sgl.parsing import Parser, best_readings

    nltk = pytest.importorskip("nltk", reason="NLTK is compared with where it is installed")
    core = compiled_from(PCFG, Notation(), tmp_path)
    folded = PCFG.replace("\\\n", " ").replace("\n    |", " |")
    parser = nltk.parse.pchart.InsideChartParser(nltk.PCFG.fromstring(folded))
    ours = Parser(core, 0)
    for sentence in ("John saw the man", "I ate my telescope with John under the man", "the man saw"):
        forest = ours.forest(sentence)
        assert forest is not None
        probability = fsum(reading.probability for reading in best_readings(forest, forest.count))
        assert fsum(tree.prob() for tree in parser.parse(sentence.split())) == pytest.approx(probability, rel=1e-9)
    assert ours.forest("man saw") is None


# ---- names, and what can be done at once


def names_of(text: str, *layers: str) -> list[str]:
    found, *_ = said_of(text, Notation(layers, layers[-1] if layers else ""))
    assert found is not None
    return [rule.name for rule in found.grammar.rules]


def test_rules_have_the_names_that_a_pattern_can_speak_of() -> None:
    text = "S -> V ### V\nV -> V_1 I_AND V_2 ### V_2 after V_1\nV -> I_JUMP ### jump\nturn: V -> I_LTURN ### turn left"
    assert names_of(text, "target", "source") == ["s", "v_v_after_v", "v_jump", "turn"]


def test_a_name_does_not_depend_on_the_order_of_productions() -> None:
    lines = ["S -> 'a' N", "S -> N 'b'", "N -> 'c' | 'd'"]
    assert sorted(names_of("%start S\n" + "\n".join(lines))) == sorted(names_of("%start S\n" + "\n".join(lines[::-1])))


def test_an_import_is_split_by_two_rules_at_once(work: Workplace) -> None:
    work.write("scan.txt", "S -> V ### V\nS -> V_1 V_2 ### V_1 and V_2\nV -> I I ### i twice\nV -> J ### j\n")
    assert run(["import", "cfg", "scan.txt", "--layers", "program,source", "--out", "scan.sgl"]) == OK
    assert work.capsys.readouterr().out == "scan.sgl: 2 categories, 2 rules, 2 words, 2 layers\n"
    work.write(
        "split.sgl",
        "use scan\n\npattern pair\n  forbid derivation { s_v_and_v; v_i_twice }\n  size   all\n\n"
        "dataset\n  from  S\n  train all\n",
    )
    assert run(["prove", "split.sgl"]) == OK
    assert "1 of 1 pattern proved" in work.capsys.readouterr().out
