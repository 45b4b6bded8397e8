"""Random inputs of every kind end in an answer; what does not is noticed and can be replayed."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

import fuzzing
from fuzz.case import LINK, PIPE, Case, Failure, read_case
from fuzz.fleet import Fleet
from fuzz.guard import finish
from fuzz.mutation import bytes_mutated, json_mutated, swapped_alike, tokens_mutated
from fuzz.targets import TARGETS, Target
from fuzz.targets.grammars import derived


@pytest.fixture(autouse=True)
def unsettled(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What the program does to its process (no Numba, bounded memory) stays out of this one."""
    monkeypatch.setattr("fuzzing.settle_process", lambda: None)
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def random(*numbers: object) -> Random:
    return Random("/".join(map(str, numbers)))  # noqa: S311 - for tests


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_inputs_of_every_kind_end_in_an_answer(name: str) -> None:
    target = TARGETS[name]
    # Those that run commands take some hundredths of a second each.
    for number in range(30 if target.read else 12):
        finished = finish(target.make(random(name, number)), target.read)
        assert not finished.problem, (number, finished)


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_an_input_depends_on_its_number_and_the_seed_alone(name: str) -> None:
    fleet, other = Fleet(TARGETS, 7, 1), Fleet(TARGETS, 8, 1)
    again = [fleet.case(name, number) for number in (2, 1, 0)]
    assert again == [fleet.case(name, number) for number in (0, 1, 2)][::-1]
    assert again != [other.case(name, number) for number in (2, 1, 0)]


def test_there_are_seventeen_kinds() -> None:
    assert len(TARGETS) == 17
    assert sum(target.share for target in TARGETS.values()) >= 1000


# --- what is wrong is noticed ------------------------------------------------------------


def problem(said: str, **files: bytes) -> str:
    return finish(Case(files or {"x": b""}), lambda _: (said, True)).problem


def test_names_of_python_in_a_message_are_noticed_unless_the_input_has_them() -> None:
    assert problem("the file has no `splits`") == ""
    assert problem("malformed: KeyError('splits')") == "python name"
    assert problem("<function f at 0x7f>") == "python name"
    assert problem("there is no word `KeyError`", x=b"KeyError") == ""


def test_characters_that_a_terminal_obeys_are_noticed() -> None:
    assert problem("no word `\x1b]0;owned\x07`") == "raw control"
    assert problem("no word `\u202eabc`") == "raw control"


def test_an_exception_is_noticed() -> None:
    def read(_case: Case) -> tuple[str, bool]:
        raise KeyError("splits")

    assert finish(Case({}), read).problem == "traceback"


def test_a_hang_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(_case: Case) -> tuple[str, bool]:
        try:
            time.sleep(60)
        except Exception:  # noqa: BLE001 - a handler of errors must not hide it
            return "all is well", True
        return "", True

    monkeypatch.setattr("fuzz.guard.WAITING", 0.05)
    assert finish(Case({}), read).problem == "hang"


def test_an_exit_code_that_has_no_meaning_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fuzz.guard.run", lambda _: 70)
    assert finish(Case({}, (("check",),)), None).problem == "traceback"
    monkeypatch.setattr("fuzz.guard.run", lambda _: 17)
    assert finish(Case({}, (("check",),)), None).problem == "exit code"


# --- replay ------------------------------------------------------------------------------


def test_a_failure_is_replayed_from_its_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = Case({"a.sgl": "犬".encode(), "b": b"\xff\x00"}, (("check", "a.sgl"),), {"p": PIPE})
    path = Failure("reader", 3, case, "hang", "said").write(tmp_path / "failures")
    assert read_case(path) == ("reader", case)
    assert fuzzing.main(["--replay", str(path)]) == 0
    assert "nothing is wrong" in capsys.readouterr().out


def test_places_are_pipes_and_links(tmp_path: Path) -> None:
    Case({"a": b"x", "f/b": b"y"}, (), {"p": PIPE, "a": LINK + "/dev/zero"}).write(tmp_path)
    assert (tmp_path / "p").is_fifo()
    assert (tmp_path / "a").readlink() == Path("/dev/zero")


# --- many processes ----------------------------------------------------------------------


def _bad(random: Random) -> Case:
    return Case({"x": random.choice((b"good", b"good", b"raise", b"die"))})


def _read_bad(case: Case) -> tuple[str, bool]:
    import os

    if case.files["x"] == b"die":
        os._exit(9)
    if case.files["x"] == b"raise":
        raise KeyError
    return "", True


def test_what_kills_its_process_is_named_and_the_others_go_on(tmp_path: Path) -> None:
    fleet = Fleet({"bad": Target("bad", "", 1, _bad, _read_bad)}, 1, 2, tmp_path)
    fleet.run({"bad": 40})
    tally = fleet.tallies["bad"]
    kinds = [fleet.case("bad", number).files["x"] for number in range(40)]
    assert tally.cases == 40
    assert tally.accepted == kinds.count(b"good")
    assert tally.problems["traceback"] == 40 - tally.accepted
    assert {failure.number for failure in fleet.failures} == {
        number for number, kind in enumerate(kinds) if kind != b"good"
    }
    assert len(list(tmp_path.iterdir())) == len(fleet.failures)


@pytest.mark.slow
def test_a_run_whose_time_is_over_prints_what_it_has_done(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["forms", "100", "1", "--seconds", "0", "--json", str(tmp_path / "f.json")]
    assert fuzzing.main(words) == 0
    assert "forms" in capsys.readouterr().out
    assert json.loads((tmp_path / "f.json").read_text())["forms"]["cases"] == 0


# --- mutation ----------------------------------------------------------------------------


def test_mutations_change_and_end() -> None:
    text = 'category N\nword N: "dog"\n  ja "犬"\n'
    changed = [bytes_mutated(random(n), text.encode()) for n in range(200)]
    assert len(set(changed)) > 150
    assert len({tokens_mutated(random(n), text, ("x",)) for n in range(200)}) > 150
    assert len({swapped_alike(random(n), text) for n in range(200)}) > 20
    values = {json_mutated(random(n), b'{"a": [1, {"b": "x"}], "c": 2.5}') for n in range(200)}
    assert len(values) > 100
    assert json_mutated(random(1), b"not json")


def test_declarations_of_every_keyword_are_derived() -> None:
    words = {derived(random(n)).split()[0] for n in range(600)}
    assert {"rule", "lexicon", "pattern", "structure", "layer", "restrict", "dataset"} <= words
