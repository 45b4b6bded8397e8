"""Rows and certificates with names: who gives a row other names, or makes names unequal, is refused."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from certified import grammar_of, meaning_of
from forging import Forger
from row_datasets import rows_refused
from stories import stories

from sgl.cli.main import OK, run
from sgl.verify import verify
from sgl.verify.certificate import judge
from sgl.verify.naming import Bearers
from tampering.copy import Row


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stories")
    assert run(["compile", str(stories(folder)), "--out", str(folder / "out")]) == OK
    return folder / "out"


@pytest.fixture
def forger(dataset: Path, tmp_path: Path) -> Forger:
    return Forger(copytree(dataset, tmp_path / "forged"))


def test_the_honest_dataset_is_accepted_and_drawn_again_by_its_sampler(dataset: Path) -> None:
    report = verify(dataset)
    assert [result.code for result in report.results if result.status == "failed"] == []
    assert judge((dataset / "certificate.json").read_bytes())[0] == []
    assert rows_refused(dataset) == ""
    found = subprocess.run(
        [sys.executable, "sampler.py", "--check"], cwd=dataset, capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stdout.count("identical")) == (0, 2)


def test_every_story_names_each_person_anew(dataset: Path) -> None:
    for line in (dataset / "data" / "train.tsv").read_text("utf-8").splitlines():
        steps = [sentence.split() for sentence in line.split("\t")[0].split(". ")[:-1]]
        persons = [steps[0][0], *(step[-1] for step in steps)]
        assert len({*persons}) == len(persons)
        assert [step[0] for step in steps] == persons[:-1]


def test_a_listed_reading_that_confuses_names_is_none(forger: Forger) -> None:
    rules, places = derivation_of(forger)
    meaning = meaning_of(forger.grammar)
    first, other = next((a, b) for a in places for b in places if rules[a] != rules[b])
    assert meaning.is_text(tuple(rules))
    assert not meaning.is_text(tuple(rules[first] if rule == rules[other] else rule for rule in rules))


def test_a_bearer_gets_no_name_that_its_other_group_has_not() -> None:
    """Who is a person with two names above is a town with one below."""
    leaf = {"lhs": 1, "rhs": [], "weight": "1", "templates": [], "fragments": [], "names": [[0]]}
    top = {"name": "top", "lhs": 0, "rhs": [1, 2], **{key: leaf[key] for key in ("weight", "templates", "fragments")}}
    rules = [{**top, "names": [[], [0], [0]]}, *({"name": name, **leaf} for name in ("Ann", "Ben"))]
    rules.append({"name": "Rome", **leaf, "lhs": 2})
    form = {"categories": [], "rules": rules, "start": 0, "text_layers": [], "graph_layers": []}
    bearers = Bearers(grammar_of({**form, "names": [[[1, 2]], [[3]]]}))
    assert bearers.named((0, 1, 3), lambda _: 0) == (0, 1, 3)
    assert bearers.named((0, 1, 3), lambda _: (1 << 64) - 1) == ()


# ---- rows


def derivation_of(forger: Forger) -> tuple[list[int], list[int]]:
    """The rules of the first training row, and the places of its names."""
    line = forger.text("derivations/train.tsv").splitlines()[0]
    rules = [int(rule) for rule in line.split("\t")[1].split()]
    entries = {rule for group in forger.grammar["names"] for rules in group for rule in rules}
    return rules, [place for place, rule in enumerate(rules) if rule in entries]


def rename(forger: Forger, rules: list[int]) -> None:
    """Write another derivation of the first training row."""
    path = forger.directory / "derivations" / "train.tsv"
    first, *rest = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join([f"{first.partition(chr(9))[0]}\t{' '.join(map(str, rules))}\n", *rest]), "utf-8")
    forger.seal()


def test_two_persons_with_one_name_are_refused(forger: Forger) -> None:
    rules, places = derivation_of(forger)
    first, other = next((a, b) for a in places for b in places if rules[a] != rules[b])
    rename(forger, [rules[first] if rule == rules[other] else rule for rule in rules])
    assert rows_refused(forger.directory).startswith("R03 derivations/train.tsv")
    assert "V030" in {result.code for result in verify(forger.directory).results if result.status == "failed"}


def test_one_person_with_two_names_is_refused(forger: Forger) -> None:
    rules, places = derivation_of(forger)
    group = next(own for (own,) in forger.grammar["names"] if rules[places[0]] in own)
    rules[places[0]] = next(rule for rule in group if rule not in rules)
    rename(forger, rules)
    assert rows_refused(forger.directory).startswith("R03 derivations/train.tsv")


def test_another_name_for_a_person_is_refused(forger: Forger) -> None:
    rules, places = derivation_of(forger)
    old = rules[places[0]]
    group = next(own for (own,) in forger.grammar["names"] if old in own)
    new = next(rule for rule in group if rule not in rules)
    rename(forger, [new if rule == old else rule for rule in rules])
    assert rows_refused(forger.directory).startswith("R03 derivations/train.tsv")


@pytest.mark.parametrize("name", ["Zoe", "Ada", "Ben"])
def test_a_text_with_another_name_is_refused(forger: Forger, name: str) -> None:
    def other(row: Row) -> Row:
        old = row.source.split()[0]
        new = name if name != old else "Eve"
        text = row.source.replace(old, new)
        comments = tuple((key, text if key == "text" else value) for key, value in row.comments)
        return replace(row, source=text, comments=comments, cells={**row.cells, "source": text})

    rows = forger.read("train")
    forger.write("train", [other(rows[0]), *rows[1:]])
    forger.seal()
    assert rows_refused(forger.directory).startswith("R04 data/train.tsv")


# ---- certificates


def refusals(forger: Forger) -> str:
    forger.seal()
    return "\n".join(judge((forger.directory / "certificate.json").read_bytes())[0])


def test_names_that_are_left_out_of_the_certificate_are_missed(forger: Forger) -> None:
    del forger.grammar["names"]
    forger.seal()
    assert rows_refused(forger.directory).startswith("R03")


def test_other_ties_give_other_rows(forger: Forger) -> None:
    rule = forger.rule("ask")
    assert rule["names"] == [[], [0, 1], [1], [0]]
    rule["names"] = [[], [0, 1], [0], [1]]
    forger.seal()
    assert rows_refused(forger.directory).startswith("R03")


def _weight(of: Forger) -> None:
    rule = of.grammar["rules"][of.grammar["names"][0][0][0]]
    rule["weight"] = "0.5"


def _symbol(of: Forger) -> None:
    of.certificate["symbols"][of.grammar["names"][0][0][0]] = 1_000_000


def _words(of: Forger) -> None:
    first, second = of.grammar["names"][0][0][:2]
    of.grammar["rules"][first]["templates"][0] = of.grammar["rules"][second]["templates"][0]


def _twice(of: Forger) -> None:
    of.grammar["names"][0][0][0] = of.grammar["names"][0][0][1]


def _rule(of: Forger) -> None:
    of.grammar["names"][0][0][0] = of.rule_number("ask")


def _beyond(of: Forger) -> None:
    of.grammar["names"][0][0][0] = len(of.grammar["rules"])


def _lacking(of: Forger) -> None:
    of.grammar["names"][0].append(of.grammar["names"][0][0][1:])


def _numbered(of: Forger) -> None:
    of.rule("ask")["names"] = [[], [1, 0], [1], [1]]
    of.rule("begin")["names"] = [[1, 0], [0], [], [1]]


def _one_twice(of: Forger) -> None:
    of.rule("ask")["names"] = [[], [0, 0], [0], [0]]


def _short(of: Forger) -> None:
    of.rule("ask")["names"] = [[], [0, 1], [1]]


def _far(of: Forger) -> None:
    of.rule("ask")["names"] = [[], [10**18, 10**18 + 1], [10**18], [10**18 + 1]]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (_far, "leaves out a number of its names"),
        (_weight, "the names of people cannot be exchanged"),
        (_symbol, "the names of people cannot be exchanged"),
        (_words, "two names of people have the same words"),
        (_twice, "a rule is two names"),
        (_rule, "cannot be exchanged"),
        (_beyond, "a lexicon of names refers to number"),
        (_lacking, "a name lacks an entry"),
        (_numbered, "does not number the names of its phrase"),
        (_one_twice, "or one twice"),
        (_short, "does not number the names of its phrase"),
    ],
)
def test_a_certificate_whose_names_are_not_alike_is_refused(
    forger: Forger, change: Callable[[Forger], Any], told: str
) -> None:
    change(forger)
    found = refusals(forger)
    assert found.startswith("C05")
    assert told in found
