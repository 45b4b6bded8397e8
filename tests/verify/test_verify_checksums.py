"""Every file of a dataset is bound: by SHA256SUMS, and by the signature that names the list.

The forger of these tests recomputes what he can: `reseal` writes the hashes of the manifest
and the list of all files anew.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_dataset import explain, tiny, verify, write_checksums, write_manifest


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A dataset with a page that no manifest lists."""
    directory = tiny().write(tmp_path / "home")
    (directory / "report.html").write_text("all is well", "utf-8")
    write_checksums(directory)
    return directory


def messages(home: Path, signature: str = "") -> list[str]:
    """What the check of all files says."""
    result = verify(home, signature=signature).result("V028")
    return [f"{v.message}: {v.place}" for v in result.violations]


def reseal(home: Path, **changes: object) -> None:
    """Write hashes and list anew, and other members of the manifest."""
    manifest = json.loads((home / "manifest.json").read_text("utf-8"))
    del manifest["files"]
    write_manifest(home, manifest | changes)


def test_an_honest_dataset_has_a_signature(home: Path) -> None:
    report = verify(home)
    assert report.ok, explain(report)
    assert report.result("V028").checked == 14
    assert report.signature.startswith(f"{report.identity}|files:sha256:")
    assert verify(home, signature=report.signature).ok


@pytest.mark.parametrize("name", ["report.html", "manifest.json", "data/gen.tsv"])
def test_a_changed_file_is_named(name: str, home: Path) -> None:
    with (home / name).open("a", encoding="utf-8") as file:
        file.write("\n")
    assert f"the file has changed: another SHA-256: {name}" in messages(home)


def test_a_missing_file_is_named(home: Path) -> None:
    (home / "report.html").unlink()
    assert messages(home) == ["the file is missing: report.html"]


@pytest.mark.parametrize("name", ["notes.txt", ".hidden", "data/sub/x", "a\\b", "ｎ"])
def test_a_file_that_is_not_listed_is_named(name: str, home: Path) -> None:
    (home / name).parent.mkdir(exist_ok=True)
    (home / name).write_text("more", "utf-8")
    assert f"SHA256SUMS does not list this file: {name}" in messages(home)


def test_a_name_that_is_no_text_is_no_traceback(home: Path) -> None:
    Path(os.fsdecode(os.fsencode(home) + b"/\xff")).write_text("more", "utf-8")
    assert messages(home) == ["SHA256SUMS does not list this file: ?"]


def test_a_dataset_without_the_list_fails(home: Path) -> None:
    (home / "SHA256SUMS").unlink()
    report = verify(home)
    assert [result.code for result in report.failed] == ["V028"]
    assert report.signature == ""


def _nothing(_lines: list[str]) -> list[str]:
    return []


def _duplicate(lines: list[str]) -> list[str]:
    return [lines[0], *lines]


def _outside(lines: list[str]) -> list[str]:
    return [f"{'0' * 64}  ../secret\n", *lines]


def _own_hash(lines: list[str]) -> list[str]:
    return [f"{'0' * 64}  SHA256SUMS\n", *lines]


def _comment(lines: list[str]) -> list[str]:
    return ["# all files\n", *lines]


def _binary(lines: list[str]) -> list[str]:
    return [line.replace("  ", " *") for line in lines]


def _open_end(lines: list[str]) -> list[str]:
    return ["".join(lines)[:-1]]


def _capitals(lines: list[str]) -> list[str]:
    return [line[:64].upper() + line[64:] for line in lines]


def _windows(lines: list[str]) -> list[str]:
    return [line.replace("\n", "\r\n") for line in lines]


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: lines[::-1],
        lambda lines: lines[1:],
        *(_nothing, _duplicate, _outside, _own_hash, _comment, _binary, _open_end, _capitals, _windows),
    ],
)
def test_the_list_has_one_form(change: Callable[[list[str]], list[str]], home: Path) -> None:
    path = home / "SHA256SUMS"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(change(lines)), "utf-8", newline="")
    assert messages(home)


# --- links and other kinds ----------------------------------------------------------------


def _link_to_a_file(home: Path) -> None:
    target = home / "data/gen.tsv"
    target.rename(home.parent / "gen.tsv")
    target.symlink_to(home.parent / "gen.tsv")


def _link_to_a_folder(home: Path) -> None:
    (home / "data").rename(home.parent / "data")
    (home / "data").symlink_to(home.parent / "data")


def _link_inside(home: Path) -> None:
    (home / "more.tsv").symlink_to("data/gen.tsv")


def _pipe(home: Path) -> None:
    (home / "data/gen.tsv").unlink()
    os.mkfifo(home / "data/gen.tsv")


def _socket(_home: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("socket")


def _terabyte(home: Path) -> None:
    (home / "README.md").touch()
    os.truncate(home / "README.md", 1 << 40)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_link_to_a_file, "is neither a file nor a folder"),
        (_link_to_a_folder, "is neither a file nor a folder"),
        (_link_inside, "is neither a file nor a folder"),
        (_pipe, "is neither a file nor a folder"),
        (_socket, "is neither a file nor a folder"),
        (_terabyte, "README.md has more than 68,719,476,736 bytes"),
    ],
)
def test_nothing_is_read_beside_links_and_pipes(
    change: Callable[[Path], None], message: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The path of a socket has to be short.
    monkeypatch.chdir(home)
    change(home)
    (failure,) = verify(home).failed
    assert failure.code == "V001"
    assert failure.violations[0].message.endswith(message)


def test_an_empty_folder_hides_no_other_fault(home: Path) -> None:
    (home / "data/more/of/it").mkdir(parents=True)
    with (home / "data/gen.tsv").open("a", encoding="utf-8") as file:
        file.write("x\n")
    found = {(fault.place, fault.message) for result in verify(home).failed for fault in result.violations}
    changed = ("data/gen.tsv", "the file has changed: another SHA-256")
    assert found >= {("", "data/more/of/it/ is an empty folder"), changed}


def test_a_folder_that_cannot_be_read_is_no_traceback(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def scandir(path: Path) -> object:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("os.scandir", scandir)
    (failure,) = verify(home).failed
    assert failure.code == "V001"
    assert "Permission denied" in failure.violations[0].message


# --- the identity -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": 7},
        {"grammar": {"sha256": "1" * 64}},
        {"compiler": {"version": "0.2.0", "edition": "2026"}},
        {"compiler": {"version": "0.1.0", "edition": "2027"}},
        {"identity": ""},
        {"identity": f"sgl:0.1.0|edition:2026|grammar:sha256:{'0' * 12}|seed:1|items:16"},
    ],
)
def test_the_identity_says_what_the_manifest_says(changes: dict[str, object], home: Path) -> None:
    reseal(home, **changes)
    (message,) = messages(home)
    assert message.startswith("the identity is ")


def test_a_number_that_no_dataset_has_is_refused(home: Path) -> None:
    reseal(home, seed=10**4200)
    (failure,) = verify(home).failed
    assert str(failure.violations[0]).startswith("seed: a whole number expected, found 1000")


def test_a_version_cannot_state_another_identity(home: Path) -> None:
    version = "0.1.0|edition:2026|grammar:sha256:ffffffffffff|seed:7|items:9"
    own = json.loads((home / "manifest.json").read_text("utf-8"))["identity"]
    identity = own.replace("0.1.0", version)
    reseal(home, compiler={"version": version, "edition": "2026"}, identity=identity)
    assert messages(home)


def test_a_deleted_row_is_another_number_of_items(home: Path) -> None:
    """The attack a03: the row is gone from all files and counts, the identity stays."""
    data = tiny()
    identity = data.manifest()["identity"]
    data.splits["train"].pop()
    data.write(home)
    reseal(home, identity=identity)
    assert any("items:14" in message for message in messages(home))


# --- the signature ------------------------------------------------------------------------


def _other_targets(home: Path) -> None:
    for path in home.glob("data/*.tsv"):
        rows = [line.split("\t") for line in path.read_text("utf-8").splitlines(keepends=True)]
        path.write_text("".join(f"{row[0]}\tnonsense\t{row[2]}" for row in rows), "utf-8")


def _other_order(home: Path) -> None:
    path = home / "data/gen.tsv"
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(lines[::-1]), "utf-8")


def _other_page(home: Path) -> None:
    (home / "report.html").write_text("<h1>27 of 27 checks passed</h1>", "utf-8")


def _other_program(home: Path) -> None:
    (home / "sampler.py").write_text("print('all rows are the same')", "utf-8")


@pytest.mark.parametrize("change", [_other_targets, _other_order, _other_page, _other_program])
def test_whoever_recomputes_all_hashes_has_another_signature(change: Callable[[Path], None], home: Path) -> None:
    """The attacks a02, a05 and a20."""
    published = verify(home).signature
    change(home)
    reseal(home)
    assert messages(home) == []
    (message,) = messages(home, published)
    assert message.endswith(f", not {published}: SHA256SUMS")


@pytest.mark.parametrize("part", ["", "|files:sha256:16a0"])
def test_a_part_of_a_signature_is_not_the_signature(part: str, home: Path) -> None:
    assert messages(home, verify(home).identity + part)
