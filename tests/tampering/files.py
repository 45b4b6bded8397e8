"""One file changed and no other: carelessly, or with its new hash in the manifest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import pyarrow as pa
import pyarrow.parquet as pq

from tampering.copy import DEPREL, DEPS, FEATS, FOLDERS, HEAD, Copy, Row, Tampering

FILES, ROWS, CONLLU, TSV, PARQUET = "V002", "V003", "V005", "V030", "V031"
SPLITS = ("train", "dev", "test", "gen")


def tamperings(_: Copy) -> Iterator[Tampering]:
    """All of these ways of tampering with a dataset."""
    yield from _careless()
    yield from _one_format()
    yield from _malformed_conllu()
    yield from _malformed_tables()


def _careless() -> Iterator[Tampering]:
    for folder in FOLDERS:
        for split in SPLITS:
            name = f"{folder}/{split}"
            claim = "the file is not what the manifest says"
            act = partial(_flip, folder, split)
            yield Tampering("changed byte", name, claim, FILES, act)
            if split in ("train", "gen"):
                act = partial(_remove, folder, split)
                yield Tampering("removed file", name, "the file is missing", FILES, act)
                act = partial(_cut, folder, split)
                yield Tampering("cut file", name, "the file is not complete", FILES, act)
    yield Tampering("added file", "data/more.tsv", "a file nobody listed", FILES, _add)
    yield Tampering("linked file", "data/dev.tsv", "a file outside the dataset", FILES, _link)


def _flip(folder: str, split: str, copy: Copy) -> None:
    """One bit of a byte in the middle."""
    path = copy.path(folder, split)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def _remove(folder: str, split: str, copy: Copy) -> None:
    copy.path(folder, split).unlink()


def _cut(folder: str, split: str, copy: Copy) -> None:
    path = copy.path(folder, split)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def _add(copy: Copy) -> None:
    (copy.directory / "data" / "more.tsv").write_text("A dog ran.\t犬が走った。\tx\n", "utf-8")


def _link(copy: Copy) -> None:
    path = copy.path("data", "dev")
    outside = copy.directory.parent / "outside.tsv"
    path.rename(outside)
    path.symlink_to(outside)


def _one_format() -> Iterator[Tampering]:
    """A row that differs in one format; the hashes fit."""
    changes: dict[str, Callable[[Row], Row]] = {
        "source": lambda row: replace(row, source=f"{row.source[:-1]} again."),
        "target": lambda row: replace(row, target=f"また{row.target}"),
        "category": lambda row: row.called("somewhere"),
    }
    checks = {"data": TSV, "parquet": PARQUET, "conllu": TSV}
    for folder, code in checks.items():
        for what, change in changes.items():
            # A source that is not its words is no well-formed sentence.
            expected = CONLLU if (folder, what) == ("conllu", "source") else code
            act = partial(_change_one, folder, change)
            claim = f"the formats differ in a {what}"
            yield Tampering("one format", f"{folder}: {what}", claim, expected, act)
        for what in ("dropped", "twice", "exchanged"):
            claim = f"the formats differ in their rows: one {what}"
            act = partial(_rearrange, folder, what)
            expected = CONLLU if folder == "conllu" and what == "" else code
            yield Tampering("one format", f"{folder}: row {what}", claim, expected, act)


def _change_one(folder: str, change: Callable[[Row], Row], copy: Copy) -> None:
    rows = copy.read("dev")
    rows[3] = change(rows[3])
    copy.write("dev", rows, [folder])
    copy.rehash()


def _rearrange(folder: str, what: str, copy: Copy) -> None:
    rows = copy.read("dev")
    new = {
        "dropped": rows[:3] + rows[4:],
        "twice": [*rows[:3], rows[3], *rows[3:]],
        "exchanged": [*rows[:3], rows[4], rows[3], *rows[5:]],
    }
    copy.write("dev", new[what], [folder])
    copy.rehash()


def _malformed_conllu() -> Iterator[Tampering]:
    """CoNLL-U that is not well formed; the hash fits."""
    texts: dict[str, tuple[str, str]] = {
        "without an end": ("\n\n", "\n"),
        "no sent_id": ("# sent_id = dev-000002\n", ""),
        "another sent_id": ("dev-000002", "dev-000003"),
        "no text": ("# text = ", "# txt = "),
        "carriage return": ("# text = ", "# text = \r"),
        "a comment among tokens": ("\n2\t", "\n# here\n2\t"),
        "an ID missing": ("\n2\t", "\n3\t"),
        "a column more": ("\t_\n", "\t_\t_\n"),
        "a column less": ("\t_\n", "\n"),
        "an empty column": ("\tNOUN\t", "\t\t"),
    }
    for name, (old, new) in texts.items():
        act = partial(_replace_once, old, new)
        yield Tampering("malformed CoNLL-U", name, "the file is not CoNLL-U", CONLLU, act)
    cells: dict[str, tuple[int, str]] = {
        "a governor that is no token": (HEAD, "99"),
        "a second root": (HEAD, "0"),
        "its own governor": (HEAD, "1"),
        "an edge that is not in DEPS": (DEPREL, "flat"),
        "DEPS out of order": (DEPS, "3:nsubj|2:obj"),
        "features out of order": (FEATS, "Tense=Past|Number=Sing"),
        "no governor": (DEPS, "_"),
    }
    for name, (column, value) in cells.items():
        act = partial(_set_cell, column, value)
        yield Tampering("malformed CoNLL-U", name, "the graph is not a tree", CONLLU, act)
    yield Tampering("malformed CoNLL-U", "not UTF-8", "the file is not CoNLL-U", CONLLU, _spoil_encoding)


def _replace_once(old: str, new: str, copy: Copy) -> None:
    path = copy.path("conllu", "dev")
    text = path.read_text("utf-8")
    if old not in text:
        raise ValueError(f"nothing to replace: {old!r}")
    place = text.rindex(old) if old == "\n\n" else text.index(old)
    path.write_bytes((text[:place] + new + text[place + len(old) :]).encode("utf-8"))
    copy.rehash()


def _set_cell(column: int, value: str, copy: Copy) -> None:
    """Another cell in the first token of a sentence that is not its root."""
    rows = copy.read("dev")
    row = next(row for row in rows if row.tokens[0][HEAD] != "0")
    tokens = [list(token) for token in row.tokens]
    tokens[0][column] = value
    rows[rows.index(row)] = replace(row, tokens=tuple(map(tuple, tokens)))
    copy.write("dev", rows, ["conllu"])
    copy.rehash()


def _spoil_encoding(copy: Copy) -> None:
    path = copy.path("conllu", "dev")
    path.write_bytes(path.read_bytes().replace("。".encode(), b"\xff\xfe\xff", 1))
    copy.rehash()


def _malformed_tables() -> Iterator[Tampering]:
    """TSV and Parquet that cannot be read as rows; the hashes fit."""
    tables: dict[str, Callable[[bytes], bytes]] = {
        "a column more": lambda content: content.replace(b"\n", b"\tx\n", 1),
        "a column less": lambda content: content.replace(b"\t", b" ", 1),
        "not UTF-8": lambda content: content.replace("。".encode(), b"\xff", 1),
        "a line cut off": lambda content: content[:-1],
        "carriage returns": lambda content: content.replace(b"\n", b"\r\n"),
        "empty": lambda content: content[:0],
    }
    for name, change in tables.items():
        act = partial(_change_bytes, change)
        yield Tampering("malformed TSV", name, "the file is not rows of three", TSV, act)
    parquets: dict[str, Callable[[pa.Table], pa.Table]] = {
        "a column missing": lambda table: table.drop_columns(["category"]),
        "a column renamed": lambda table: table.rename_columns(
            ["src" if name == "source" else name for name in table.column_names]
        ),
        "another kind": lambda table: table.set_column(
            table.column_names.index("split_kind"), "split_kind", pa.array(["gen"] * table.num_rows)
        ),
    }
    for name, alter in parquets.items():
        act = partial(_change_parquet, alter)
        yield Tampering("malformed Parquet", name, "the columns differ", PARQUET, act)
    yield Tampering("malformed Parquet", "text", "the file is not Parquet", PARQUET, _no_parquet)


def _change_bytes(change: Callable[[bytes], bytes], copy: Copy) -> None:
    path = copy.path("data", "dev")
    path.write_bytes(change(path.read_bytes()))
    copy.rehash()


def _change_parquet(change: Callable[[pa.Table], pa.Table], copy: Copy) -> None:
    path = copy.path("parquet", "dev")
    pq.write_table(change(pq.read_table(path)), path)
    copy.rehash()


def _no_parquet(copy: Copy) -> None:
    copy.path("parquet", "dev").write_text("source,target\n", "utf-8")
    copy.rehash()
