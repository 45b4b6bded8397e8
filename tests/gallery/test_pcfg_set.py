"""PCFG SET on one page: its functions, their exceptions and steps, against an evaluator of trees."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest
from described import lines_of
from sget import compile_file

from sgl.cli.main import run
from sgl.core.interpret import interpret
from sgl.frontend import Compiled
from sgl.parsing import Parser, UnparsableLayerError
from sgl.resources import grammars_dir
from sgl.verify import certificate_faults

PAGE = grammars_dir() / "gallery" / "pcfg_set.sgl"
PUBLISHED = Path(__file__).parents[3] / "shared" / "data" / "pcfgset"
published = pytest.mark.skipif(not PUBLISHED.exists(), reason="the published data are not here")

#: Each test with its settings, and the patterns and parts that it has.
TESTS: dict[str, tuple[dict[str, str], set[str]]] = {
    "the task": ({}, {"long_strings"}),
    "systematicity": ({"test": "systematicity"}, {"long_strings", "systematicity"}),
    "productivity": ({"test": "productivity"}, {"long_strings", "productivity"}),
    "overgeneralisation": ({"test": "overgeneralisation"}, {"long_strings", "exceptions"}),
    "equal twins": ({"twins": "equal"}, {"long_strings"}),
    "primitive twins": ({"twins": "primitive"}, {"long_strings", "primitive_twins"}),
}

Words = list[str]
ONE: dict[str, Callable[[Words], Words]] = {
    "copy": lambda s: s,
    "reverse": lambda s: s[::-1],
    "shift": lambda s: s[1:] + s[:1],
    "echo": lambda s: [*s, s[-1]],
    "swap_first_last": lambda s: [s[-1], *s[1:-1], s[0]],
    "repeat": lambda s: s + s,
}
TWO: dict[str, Callable[[Words, Words], Words]] = {
    "append": lambda s, t: s + t,
    "prepend": lambda s, t: t + s,
    "remove_first": lambda _, t: t,
    "remove_second": lambda s, _: s,
}
#: The pairs with another meaning: what stands for the outer and for the inner function.
EXCEPTIONS = {
    ("reverse", "echo"): ("echo", "copy"),
    ("prepend", "remove_first"): ("remove_second", "append"),
    ("echo", "remove_first"): ("copy", "append"),
    ("prepend", "reverse"): ("remove_second", "echo"),
}
#: A string, or a function with its arguments.
Tree = Words | tuple[str, list["Tree"]]


@cache
def grammar(test: str = "the task") -> Compiled:
    """The grammar of a test."""
    return compile_file(PAGE, TESTS[test][0])


def read(words: Words) -> Tree:
    """The tree of a command, whose words are taken from the left."""
    name = words[0].removesuffix("_twin")
    if name in ONE:
        words.pop(0)
        return name, [read(words)]
    if name in TWO:
        words.pop(0)
        left = read(words)
        assert words.pop(0) == ","
        return name, [left, read(words)]
    string = []
    while words and words[0] != ",":
        string.append(words.pop(0))
    return string


def value(tree: Tree, exceptional: bool = False) -> Words:
    """The value of a command."""
    if isinstance(tree, list):
        return tree
    name, arguments = tree
    head = arguments[0]
    if exceptional and not isinstance(head, list) and (name, head[0]) in EXCEPTIONS:
        name, inner = EXCEPTIONS[name, head[0]]
        given = [value(argument, exceptional) for argument in head[1]]
        first = ONE[inner](*given) if inner in ONE else TWO[inner](*given)
        arguments = [first, *arguments[1:]]
    values = [value(argument, exceptional) for argument in arguments]
    return ONE[name](*values) if name in ONE else TWO[name](*values)


def steps(tree: Tree, names: Iterator[str]) -> Iterator[str]:
    """The evaluation, the innermost function first; ``names`` are those in the command, in order."""
    if isinstance(tree, list):
        return
    name = next(names)
    for argument in tree[1]:
        yield from steps(argument, names)
    yield " ".join([name, " , ".join(" ".join(value(argument)) for argument in tree[1])])


def expected(command: str) -> dict[str, str]:
    """What the layers say of a command."""
    tree = read(command.split())
    names = [word for word in command.split() if word.removesuffix("_twin") in ONE | TWO]
    return {
        "command": command,
        "out": " ".join(value(tree)),
        "exception": " ".join(value(tree, exceptional=True)),
        "steps": " ; ".join([*steps(tree, iter(names)), " ".join(value(tree))]),
        "calls": " ".join(names),
        "plain": command.replace("_twin", ""),
    }


def texts(test: str, derivation: tuple[int, ...]) -> dict[str, str]:
    """The texts of a derivation by layer."""
    core = grammar(test).grammar
    return dict(zip((layer.name for layer in core.text_layers), interpret(core, derivation).texts, strict=True))


def command(random: Random, twins: str, depth: int = 0) -> str:
    """A command, of at most five functions inside one another."""
    if depth and (depth == 5 or random.random() < 0.4):
        return " ".join(f"{random.choice('AQZ')}{random.randint(1, 20)}" for _ in range(random.randint(2, 7)))
    name = random.choice([*ONE, *TWO])
    twin = twins if name in ("repeat", "append") and random.random() < 0.5 else ""
    given = [command(random, twins, depth + 1) for _ in range(1 + (name in TWO))]
    return f"{name}{twin} " + " , ".join(given)


@pytest.mark.slow
@pytest.mark.parametrize("test", ["the task", "equal twins"])
def test_each_layer_is_what_the_evaluator_says(test: str) -> None:
    random, parser = Random(1), Parser(grammar(test).grammar)  # noqa: S311
    for _ in range(200):
        asked = command(random, "_twin" if "twins" in test else "")
        (derivation,) = parser.parse(asked)
        assert texts(test, derivation) == expected(asked)


@pytest.mark.parametrize(
    ("pair", "exception"),
    [
        ("reverse echo A1 B2 C3", "A1 B2 C3 C3"),
        ("prepend remove_first A1 , B2 , C3 D4", "A1 B2"),
        ("echo remove_first A1 B2 , C3 D4", "A1 B2 C3 D4"),
        ("prepend reverse A1 B2 , C3 D4", "A1 B2 B2"),
        ("copy shift echo remove_first A1 B2 , C3 D4", "B2 C3 D4 A1"),
    ],
)
def test_the_published_exceptions(pair: str, exception: str) -> None:
    assert expected(pair)["exception"] == exception
    if "A1 , B2 ," not in pair:  # An argument of one symbol is no string of this language.
        (derivation,) = Parser(grammar().grammar).parse(pair)
        assert texts("the task", derivation) == expected(pair)


@pytest.mark.parametrize(
    "test", [test if test == "systematicity" else pytest.param(test, marks=pytest.mark.acceptance) for test in TESTS]
)
def test_a_test_is_proved_and_its_certificate_holds(test: str, tmp_path: Path) -> None:
    settings, names = TESTS[test]
    given = [part for key, setting in settings.items() for part in ("--set", f"{key}={setting}")]
    path = tmp_path / "certificate.json"
    assert run(["prove", str(PAGE), "--certificate", str(path), *given]) == 0
    assert certificate_faults(path.read_bytes()) == ()
    plan = grammar(test).plan
    assert {own.name for own in (*plan.patterns, *plan.parts)} == names


def test_the_page_has_at_most_120_lines() -> None:
    assert lines_of(PAGE) <= 120


def test_layers_with_functions_are_not_parsed() -> None:
    with pytest.raises(UnparsableLayerError, match="one-way"):
        Parser(grammar().grammar, 1)


@pytest.mark.slow
def test_rows_with_other_spaces_are_compared_in_a_layer_that_is_never_parsed(tmp_path: Path) -> None:
    corpus = tmp_path / "spaced.tsv"
    corpus.write_text("shift  copy A1 B2 C3\tB2 C3  A1 \n", "utf-8")
    out = tmp_path / "audit.json"
    normalised = ["--target", "out", "--normalise", "spacing", "--json", str(out)]
    assert run(["audit", str(PAGE), str(corpus), *normalised]) == 0
    assert json.loads(out.read_text("utf-8"))["exact"] == {"out": 1}


@pytest.mark.slow
@published
def test_published_rows_are_read_once_and_evaluated_exactly() -> None:
    rows = (PUBLISHED / "10k.dev.tsv").read_text("utf-8").splitlines()
    rows += (PUBLISHED / "10k.train.tsv").read_text("utf-8").splitlines()[:300]
    parser = Parser(grammar().grammar)
    for source, output in (row.split("\t") for row in rows):
        (derivation,) = parser.parse(source)
        assert texts("the task", derivation) == expected(source)
        assert expected(source)["out"] == output
