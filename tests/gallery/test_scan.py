"""SCAN on one page: its commands, and its splits as the multisets that the papers describe.

The papers say in words which commands a split has.  Here each description is a regular expression
on commands, and the data that are written are compared with it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from described import lines_of

from sgl.cli.main import run
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.pipeline.grammar import open_grammar
from sgl.resources import grammars_dir
from sgl.verify import certificate_faults

SCAN = grammars_dir() / "gallery" / "scan.sgl"
PUBLISHED = Path(__file__).parents[3] / "shared" / "data" / "scan" / "half.tsv"

#: Which commands are items of a split, and how training is made of a command that is none: how
#: often it is there.
Description = tuple[Callable[[str], bool], Callable[[str], int]]


def scan() -> dict[str, str]:
    """SCAN by its definition, in plain code."""
    actions = {name: [f"I_{name.upper()}"] for name in ("walk", "look", "run", "jump")}
    verbs = dict(actions)
    for name, action in {**actions, "turn": []}.items():
        for side in ("left", "right"):
            turn = [f"I_TURN_{side.upper()}"]
            verbs[f"{name} {side}"] = turn + action
            verbs[f"{name} opposite {side}"] = turn + turn + action
            verbs[f"{name} around {side}"] = (turn + action) * 4
    times = {"": 1, " twice": 2, " thrice": 3}
    phrases = {verb + word: own * n for verb, own in verbs.items() for word, n in times.items()}
    commands = dict(phrases)
    for (one, first), (other, second) in product(phrases.items(), repeat=2):
        commands[f"{one} and {other}"] = first + second
        commands[f"{one} after {other}"] = second + first
    return {command: " ".join(own) for command, own in commands.items()}


COMMANDS = scan()


def has(words: str) -> Callable[[str], bool]:
    """Whether a command has these words in a row."""
    return lambda command: re.search(rf"\b(?:{words})\b", command) is not None


def new(words: str, times: int) -> Description:
    """Add primitive: the bare words in training, so many times, all other commands with them in test."""
    return (
        lambda command: has(words)(command) and command != words,
        lambda command: times if command == words else not has(words)(command),
    )


def filled(template: str, tested: str, seen: str = "nothing") -> Description:
    """Templates and fillers: no command has *turn* in the template; test has what is ``tested``."""
    held = "|".join({"turn", "walk", "look", "run", "jump"} - set(seen.split("|")))
    return (
        lambda command: has(f"(?:{tested}) {template}")(command) and not has(f"turn {template}")(command),
        lambda command: not has(f"(?:{held}) {template}")(command),
    )


PRIMITIVES = "walk|look|run|jump"
SPLITS: dict[str, Description] = {
    "length": (lambda c: len(COMMANDS[c].split()) > 22, lambda c: len(COMMANDS[c].split()) <= 22),
    "jump": new("jump", 1_467),
    "turn_left": new("turn left", 2_189),
    "right": filled("right", PRIMITIVES),
    "opposite_right": filled("opposite right", PRIMITIVES),
    "around_right": filled("around right", PRIMITIVES),
    "jump_around_right": filled("around right", "jump", "walk|look|run"),
    "fillers_0": filled("around right", "jump"),
    "fillers_1": filled("around right", "jump", "look"),
    "fillers_2": filled("around right", "jump", "look|walk"),
    "fillers_3": filled("around right", "jump", "look|walk|run"),
}
#: The rows of training and test that are published.
SIZES = {
    "length": (16_990, 3_920),
    "jump": (14_670, 7_706),
    "turn_left": (21_890, 1_208),
    "right": (15_225, 4_476),
    "opposite_right": (15_225, 4_476),
    "around_right": (15_225, 4_476),
    "jump_around_right": (18_528, 1_173),
    "fillers_0": (15_225, 1_173),
    "fillers_1": (16_290, 1_173),
    "fillers_2": (17_391, 1_173),
    "fillers_3": (18_528, 1_173),
}


def described(split: str) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
    """The rows of training and of test, as often as they are there."""
    tested, times = SPLITS[split]
    train, test = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for row in COMMANDS.items():
        if tested(row[0]):
            test[row] += 1
        elif number := times(row[0]):
            train[row] += number
    return train, test


def compiled(split: str, folder: Path) -> dict[str, Counter[tuple[str, str]]]:
    """The rows of each part of the data, with a certificate that holds."""
    out = folder / split
    assert run(["compile", str(SCAN), "--out", str(out), "--set", f"split={split}"]) == 0
    assert certificate_faults((out / "certificate.json").read_bytes()) == ()
    rows = {}
    for path in (out / "data").glob("*.tsv"):
        lines = (line.split("\t") for line in path.read_text("utf-8").splitlines())
        rows[path.stem] = Counter((command, actions) for command, actions, _ in lines)
    return rows


def test_the_page_has_at_most_120_lines() -> None:
    assert lines_of(SCAN) <= 120


def test_the_language_has_20_910_commands() -> None:
    assert len(COMMANDS) == 20_910


@pytest.mark.parametrize("split", SPLITS)
def test_a_description_has_the_published_number_of_rows(split: str) -> None:
    assert tuple(rows.total() for rows in described(split)) == SIZES[split]


@pytest.mark.parametrize("split", SPLITS)
def test_a_split_has_the_published_number_of_rows(split: str) -> None:
    opened = open_grammar(SCAN, {"split": split}, SourceMap(), Diagnostics())
    assert opened is not None
    sizes = Counter[str]()
    for stratum in opened.plan.strata:
        sizes[stratum.split] += stratum.count
    assert (sizes["train"], sizes["gen"]) == SIZES[split]


@pytest.mark.slow
def test_the_split_by_length_is_the_published_multiset(tmp_path: Path) -> None:
    train, test = described("length")
    assert compiled("length", tmp_path) == {"train": train, "gen": test}


@pytest.mark.acceptance
@pytest.mark.parametrize("split", sorted(SPLITS.keys() - {"length"}))
def test_a_split_is_the_published_multiset(split: str, tmp_path: Path) -> None:
    train, test = described(split)
    assert compiled(split, tmp_path) == {"train": train, "gen": test}


@pytest.mark.acceptance
def test_the_simple_split_divides_the_language_at_random(tmp_path: Path) -> None:
    rows = compiled("simple", tmp_path)
    assert rows["train"] + rows["test"] == Counter(COMMANDS.items())
    assert (rows["train"].total(), rows["test"].total()) == (16_728, 4_182)


@pytest.mark.acceptance
def test_without_a_split_training_is_the_language(tmp_path: Path) -> None:
    assert compiled("none", tmp_path) == {"train": Counter(COMMANDS.items())}


@pytest.mark.skipif(not PUBLISHED.exists(), reason="the published data are not here")
def test_the_published_rows_are_those_of_the_definition() -> None:
    published = [line.split("\t") for line in PUBLISHED.read_text("utf-8").splitlines()]
    assert len(published) == len({command for command, _ in published}) == 10_459
    assert all(COMMANDS[command] == actions for command, actions in published)


def test_a_split_of_another_name_is_none() -> None:
    assert run(["check", str(SCAN), "--set", "split=lenght"]) == 1


def test_two_published_splits_are_one() -> None:
    """The template *jump around right* is the set with three fillers."""
    assert described("jump_around_right") == described("fillers_3")
