"""Files that somebody else has made: what is read, and what is refused at once."""

from __future__ import annotations

import os
import pickle
from pathlib import Path

import pytest

from sgl import foreign
from sgl.foreign import ForeignFileError, Kind
from sgl.foreign.json import MOST_DEPTH, json_of

SMALL = Kind("a small file", 1_000, "a test")
ANY = Kind("a table", 1_000, "a test", is_text=False)


def refusal(path: Path, kind: Kind = SMALL, inside: Path | None = None) -> str:
    with pytest.raises(ForeignFileError) as refused:
        foreign.read_bytes(path, kind, inside=inside)
    assert refused.value.filename == str(path)
    return refused.value.strerror


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "file"


def test_a_file_is_read_as_it_is(file: Path) -> None:
    file.write_bytes(b"a\r\n\xe7\x8a\xac")
    assert foreign.read_bytes(file, SMALL) == b"a\r\n\xe7\x8a\xac"
    assert foreign.read_text(file, SMALL) == "a\r\n犬"


def test_only_files_are_opened(tmp_path: Path) -> None:
    pipe, device, circle = tmp_path / "pipe", tmp_path / "device", tmp_path / "circle"
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    circle.symlink_to(circle)
    assert refusal(pipe) == refusal(device) == "it is not a file but a device or a pipe"
    assert refusal(tmp_path) == "it is a directory, not a file"
    assert refusal(tmp_path / "none") == "No such file or directory"
    assert "links" in refusal(circle)
    assert refusal(circle, inside=tmp_path)
    assert refusal(Path("a\0b")) == "no file can have this name"


def test_a_stream_is_read_under_the_names_that_a_shell_gives_it(tmp_path: Path) -> None:
    end, begin = os.pipe()
    os.write(begin, b"x" * 1_001)
    os.close(begin)
    stream = Path(f"/dev/fd/{end}")
    (tmp_path / "link").symlink_to(stream)
    try:
        assert refusal(tmp_path / "link") == "it is not a file but a device or a pipe"
        assert refusal(stream) == "it has 1,001 bytes; a small file may have at most 1,000"
    finally:
        os.close(end)


def test_a_file_may_have_so_many_bytes_as_its_kind_says(file: Path) -> None:
    file.write_bytes(b"x" * 1_000)
    assert len(foreign.read_bytes(file, SMALL)) == 1_000
    os.truncate(file, 1 << 40)
    assert refusal(file) == "it has 1,099,511,627,776 bytes; a small file may have at most 1,000"


def test_a_link_may_lead_to_another_file_of_its_directory_and_not_out_of_it(tmp_path: Path) -> None:
    directory, secret = tmp_path / "dataset", tmp_path / "secret"
    directory.mkdir()
    secret.write_text("s")
    (directory / "data").write_text("d")
    (directory / "link").symlink_to(directory / "data")
    (directory / "way").symlink_to(tmp_path, target_is_directory=True)
    (directory / "out").symlink_to(secret)
    assert foreign.read_text(directory / "link", SMALL, inside=directory) == "d"
    for path in (directory / "out", directory / "way" / "secret", directory / ".." / "secret"):
        assert foreign.read_text(path, SMALL) == "s"
        assert refusal(path, inside=directory) == f"a link leads out of `{directory}`"


def test_what_is_no_text_is_said_by_its_first_bytes(file: Path) -> None:
    file.write_bytes(b"\x1f\x8b\x08\0")
    assert refusal(file) == "it is compressed (gzip) and has to be unpacked"
    assert foreign.read_bytes(file, ANY)


def test_a_byte_that_is_not_utf_8_has_a_place(file: Path) -> None:
    file.write_bytes("ab\n犬x".encode() + b"\xff\n")
    with pytest.raises(ForeignFileError) as refused:
        foreign.read_text(file, SMALL)
    assert (refused.value.line, refused.value.column) == (2, 3)
    assert str(refused.value) == f"cannot read `{file}`: it is not UTF-8 (line 2, column 3)"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "it is not JSON: Expecting value (line 1, column 1)"),
        ('{"a":\n x}', "it is not JSON: Expecting value (line 2, column 2)"),
        ('{"a": 1, "b": 2, "a": 3}', "an object has `a` twice"),
        ("[NaN]", "NaN is not a number"),
        ("[1e999]", "1e999 is too large a number"),
        ("[" + "9" * 5_000 + "]", "a number has too many digits"),
        (r'["\ud800"]', "it contains half of a surrogate pair, which is not a character"),
        ("[" * 100_000, "its brackets are nested more than 100 deep"),
        ('{"a":' * 101 + "1" + "}" * 101, "its brackets are nested more than 100 deep"),
    ],
)
def test_json_is_refused_with_a_reason(file: Path, text: str, reason: str) -> None:
    with pytest.raises(ForeignFileError) as refused:
        json_of(text.encode(), file)
    assert refused.value.strerror == reason


@pytest.mark.parametrize(
    "text",
    [
        "[" * MOST_DEPTH + "]" * MOST_DEPTH,
        "[" + ",".join(["[]"] * 500) + "]",
        '["' + "[" * 500 + r'\\", "\"' + "{" * 500 + '"]',
        r'["\ud83d\udc15"]',
    ],
)
def test_brackets_in_texts_and_beside_one_another_are_not_deep(file: Path, text: str) -> None:
    assert json_of(text.encode(), file)


def test_a_line_of_json_is_named_by_its_number(file: Path) -> None:
    with pytest.raises(ForeignFileError, match=r"Expecting value \(line 7, column 2\)"):
        json_of(b"[", file, line=7)
    with pytest.raises(ForeignFileError, match=r"NaN is not a number \(line 7\)"):
        json_of(b"NaN", file, line=7)


def test_an_error_survives_its_way_to_another_process(file: Path) -> None:
    error = ForeignFileError(file, "no", line=2, column=3, hint="look")
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert (str(again), again.line, again.column, again.hint) == (str(error), 2, 3, "look")


def test_what_was_read_is_remembered(tmp_path: Path) -> None:
    read, other, link = tmp_path / "read", tmp_path / "other", tmp_path / "link"
    for path in (read, other):
        path.write_text("x")
    link.symlink_to(read)
    with foreign.remembering():
        foreign.read_bytes(link, SMALL)
        assert foreign.is_input(read)
        assert not foreign.is_input(other)
        assert not foreign.is_input(tmp_path / "none")
        with foreign.forgetting():
            foreign.read_bytes(other, SMALL)
        assert foreign.is_input(read)
        assert not foreign.is_input(other)
    assert not foreign.is_input(read)
