"""What a stranger's dataset may hold in the place of a file: every reader refuses it at once."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest
from diagnostics import INTERNAL, MAIN
from workplace import Workplace

from sgl import foreign
from sgl.cli.main import OUTPUT, run

FARM = Path(__file__).parents[2] / "docs" / "examples"

if os.name == "nt":
    pytest.skip("Windows has no pipes and devices among its files", allow_module_level=True)


@pytest.fixture(autouse=True)
def alarm() -> Iterator[None]:
    """What waits for a pipe, or reads a device, fails instead of hanging."""

    def late(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError("the command does not end")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dataset of the tutorial's grammar."""
    out = tmp_path_factory.mktemp("farm") / "ds"
    assert run(["compile", str(FARM / MAIN), "--out", str(out)]) == 0
    return out


@pytest.fixture
def place(work: Workplace, farm: Path) -> Workplace:
    shutil.copytree(FARM, work.directory, dirs_exist_ok=True)
    shutil.copytree(farm, work.directory / "ds")
    shutil.copy(farm / "data" / "gen.tsv", work.directory / "rows.tsv")
    shutil.copy(farm / "conllu" / "gen.conllu", work.directory / "bank.conllu")
    gold = [line.split("\t")[1] for line in (farm / "data" / "gen.tsv").read_text().splitlines()]
    work.write("gold.txt", "".join(f"{text}\n" for text in gold))
    work.write("lexicon.yaml", "N: {dog: [犬]}\n")
    work.write("compounds.txt", "dog\n")
    return work


def pipe(path: Path) -> None:
    os.mkfifo(path)


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def endless(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(foreign.ROWS.limit + 1)


SPOILT: dict[Callable[[Path], None], str] = {
    pipe: "it is not a file but a device or a pipe",
    device: "device or a pipe",
    endless: "bytes; a",
}

#: Each command with a file that it reads.
READERS = [
    ("rows.tsv", ["audit", MAIN, "rows.tsv"]),
    ("rows.tsv", ["fit", MAIN, "rows.tsv"]),
    ("rows.tsv", ["eval", "rows.tsv", "gold.txt"]),
    ("gold.txt", ["eval", "ds", "gold.txt"]),
    ("gold.txt", ["eval", "ds", "name=gold.txt"]),
    ("lexicon.yaml", ["eval", "ds", "gold.txt", "--lexicon=lexicon.yaml", "--compounds=c.txt"]),
    ("bank.conllu", ["analyse", "bank.conllu"]),
    ("gold.txt", ["analyse", "bank.conllu", "gold.txt"]),
    ("bank.conllu", ["split", "bank.conllu", "--out", "o"]),
    ("ds/manifest.json", ["eval", "ds", "gold.txt"]),
    ("ds/SHA256SUMS", ["eval", "ds", "gold.txt"]),
    ("ds/data/gen.tsv", ["eval", "ds", "gold.txt"]),
    ("ds/manifest.json", ["prove", MAIN, "--data", "ds"]),
    ("ds/verification.json", ["prove", MAIN, "--data", "ds"]),
    ("ds/parquet/train.parquet", ["split", "ds", "--out", "o"]),
    ("ds/manifest.json", ["baseline", "ds"]),
]


def refusal(place: Workplace, arguments: list[str]) -> str:
    assert run(arguments) == OUTPUT
    said = place.capsys.readouterr()
    assert not [word for word in INTERNAL if word in said.out + said.err]
    assert "error[SGL1102]: cannot read" in said.err
    return " ".join(said.err.split())


@pytest.mark.parametrize("spoil", SPOILT, ids=lambda spoil: spoil.__name__)
@pytest.mark.parametrize(("name", "arguments"), READERS, ids=str)
def test_what_is_no_file_of_bounded_size_is_not_read(
    name: str, arguments: list[str], spoil: Callable[[Path], None], place: Workplace
) -> None:
    (place.directory / name).unlink()
    spoil(place.directory / name)
    said = refusal(place, arguments)
    assert SPOILT[spoil] in said or "a link leads out of `ds`" in said


@pytest.mark.parametrize(("name", "arguments"), [case for case in READERS if case[0].startswith("ds/")], ids=str)
def test_a_link_out_of_a_dataset_is_not_followed(name: str, arguments: list[str], place: Workplace) -> None:
    secret = place.write("secret", "secret\tsecret\n")
    (place.directory / name).unlink()
    (place.directory / name).symlink_to(secret)
    said = refusal(place, arguments)
    assert "a link leads out of `ds`" in said
    assert "secret secret" not in said


def test_a_dataset_whose_trees_are_a_pipe_is_scored_without_them(place: Workplace) -> None:
    path = place.directory / "ds" / "conllu" / "gen.conllu"
    path.unlink()
    os.mkfifo(path)
    assert run(["eval", "ds", "gold.txt"]) == 0
    assert "it is not a file but a device or a pipe" in place.capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "content", "arguments", "words"),
    [
        (name, content, arguments, words)
        for name, arguments in READERS
        if name.endswith(".json")
        for content, words in [
            ("[" * 100_000, "its brackets are nested more than 100 deep"),
            ('{"format": ' * 100_000, "its brackets are nested more than 100 deep"),
            ("{}", "there is no `"),
            ("[]", "it is not an object"),
            ('{"splits": [], "layers": {}}', "cannot read"),
            ('{"splits": 7, "layers": {"target": 7, "further": "x"}}', "cannot read"),
            ('{"layers": {}, "layers": {}}', "an object has `layers` twice"),
        ]
    ],
)
def test_json_that_is_no_manifest_is_described_in_words(
    name: str, content: str, arguments: list[str], words: str, place: Workplace
) -> None:
    place.write(name, content)
    assert words in refusal(place, arguments)


def test_a_directory_whose_manifest_is_deep_is_no_dataset_and_stays(place: Workplace) -> None:
    place.write("ds/manifest.json", '{"format": ' + "[" * 100_000)
    assert run(["compile", MAIN, "--out", "ds"]) == OUTPUT
    assert "is not an SGL dataset" in place.capsys.readouterr().err


def test_lines_of_compounds_end_with_line_feeds_alone(place: Workplace) -> None:
    place.write("rows.tsv", "the big\u2028 dog\t犬\n")
    place.write("gold.txt", "犬\n")
    place.write("lexicon.yaml", 'N: {dog: [犬]}\nDET: {the: [""]}\n')
    place.write("compounds.txt", "a\u2028b\tdog\n")
    arguments = ["--compounds", "compounds.txt", "--lexicon", "lexicon.yaml"]
    assert run(["eval", "rows.tsv", "gold.txt", *arguments]) == 0
