"""A copy of a dataset that can be changed row by row, in all formats at once.

A careful forger changes a sentence in the TSV, the Parquet and the CoNLL-U file alike,
numbers the sentences anew, and writes the new counts and hashes into the manifest::

    copy = Copy(directory)
    train = copy.read("train")
    copy.write("train", train[1:])     # all formats, sentences numbered from 1
    copy.recount()                     # numbers of items and of each category
    copy.rehash()                      # SHA-256 and number of rows of each file
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

MANIFEST = "manifest.json"
FOLDERS = {"data": "tsv", "parquet": "parquet", "conllu": "conllu"}

#: Columns of a token in CoNLL-U.
FORM, LEMMA, UPOS, FEATS, HEAD, DEPREL, DEPS, MISC = 1, 2, 3, 5, 6, 7, 8, 9


@dataclass(frozen=True, slots=True)
class Row:
    """A sentence: its texts, its comments and tokens in CoNLL-U, its cells in Parquet."""

    source: str
    target: str
    category: str
    comments: tuple[tuple[str, str], ...]
    tokens: tuple[tuple[str, ...], ...]
    cells: dict[str, Any] = field(hash=False)

    def called(self, category: str) -> Row:
        """The same sentence under another category."""
        return replace(self, category=category)

    def relabelled(self, labels: dict[int, str]) -> Row:
        """The same words, some with another relation to their heads (tokens from 0)."""
        tokens = [list(token) for token in self.tokens]
        for index, label in labels.items():
            old = f"{tokens[index][HEAD]}:{tokens[index][DEPREL]}"
            deps = [d for d in tokens[index][DEPS].split("|") if d != old]
            deps.append(f"{tokens[index][HEAD]}:{label}")
            tokens[index][DEPREL] = label
            tokens[index][DEPS] = "|".join(sorted(deps, key=lambda d: (int(d.partition(":")[0]), d.partition(":")[2])))
        return replace(self, tokens=tuple(map(tuple, tokens)))

    def reworded(self, index: int, form: str, lemma: str) -> Row:
        """The same sentence with another word at a place (from 0)."""
        tokens = [list(token) for token in self.tokens]
        old = tokens[index][FORM]
        tokens[index][FORM], tokens[index][LEMMA] = form, lemma
        source = _replace_word(self.source, old, form)
        return replace(self, source=source, tokens=tuple(map(tuple, tokens)))

    def find(self, **cells: str) -> int | None:
        """The first token (from 0) with these cells, such as ``deprel="obj"``."""
        columns = {"deprel": DEPREL, "upos": UPOS, "head": HEAD, "lemma": LEMMA}
        for index, token in enumerate(self.tokens):
            if all(token[columns[name]] == value for name, value in cells.items()):
                return index
        return None

    def has(self, *labels: str) -> bool:
        """Whether some token has each of these relations to its head."""
        return set(labels) <= {token[DEPREL] for token in self.tokens}


def _replace_word(text: str, old: str, new: str) -> str:
    words = text.split(" ")
    places = [at for at, word in enumerate(words) if word.rstrip(".?,") == old]
    words[places[0]] = words[places[0]].replace(old, new)
    return " ".join(words)


@dataclass(frozen=True, slots=True)
class Tampering:
    """One way of tampering.

    ``claim`` is what it breaks, or why it breaks nothing; ``expected`` is the check that
    has to notice, empty for what is harmless.
    """

    kind: str
    name: str
    claim: str
    expected: str
    act: Callable[[Copy], None]

    @property
    def harmful(self) -> bool:
        """Whether it breaks a claim."""
        return bool(self.expected)


class Copy:
    """The directory of a dataset that may be changed."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.manifest: dict[str, Any] = json.loads((directory / MANIFEST).read_text("utf-8"))

    # ---- rows

    def read(self, split: str) -> list[Row]:
        """The sentences of a split."""
        table = pq.read_table(self.path("parquet", split))
        blocks = self.path("conllu", split).read_text("utf-8").split("\n\n")[:-1]
        return [_row(block, cells) for block, cells in zip(blocks, table.to_pylist(), strict=True)]

    def write(self, split: str, rows: Sequence[Row], formats: Iterable[str] = FOLDERS) -> None:
        """Write a split in some formats, its sentences numbered from 1."""
        if "data" in formats:
            lines = (f"{row.source}\t{row.target}\t{row.category}\n" for row in rows)
            self.path("data", split).write_text("".join(lines), "utf-8")
        if "conllu" in formats:
            blocks = (_block(row, f"{split}-{n:06d}") for n, row in enumerate(rows, 1))
            self.path("conllu", split).write_text("".join(blocks), "utf-8")
        if "parquet" in formats:
            schema = pq.read_schema(self.path("parquet", split))
            cells = [_cells(row) for row in rows]
            pq.write_table(pa.Table.from_pylist(cells, schema), self.path("parquet", split))

    def path(self, folder: str, split: str) -> Path:
        """The file of a split in a format."""
        return self.directory / folder / f"{split}.{FOLDERS[folder]}"

    # ---- manifest

    def save(self) -> None:
        """Write the manifest."""
        text = json.dumps(self.manifest, ensure_ascii=False, indent=2)
        (self.directory / MANIFEST).write_text(text + "\n", "utf-8")

    def settle(self) -> None:
        """Make the manifest fit the files: counts, rows and hashes."""
        self.recount()
        self.rehash()

    def recount(self) -> None:
        """Write the numbers of sentences of each category into the manifest."""
        for split, entry in self.manifest["splits"].items():
            lines = self.path("data", split).read_text("utf-8").splitlines()
            found = Counter(line.rsplit("\t", 1)[-1] for line in lines)
            for stratum in entry["strata"]:
                parts = [s for s in entry["strata"] if s["category"] == stratum["category"]]
                if stratum is parts[0]:
                    others = sum(part["count"] for part in parts[1:])
                    stratum["count"] = found[stratum["category"]] - others
            entry["items"] = len(lines)
        items = sum(entry["items"] for entry in self.manifest["splits"].values())
        before = self.manifest["identity"].rpartition("|items:")[0]
        self.manifest["identity"] = f"{before}|items:{items}"
        self.save()

    def rehash(self) -> None:
        """Write the hashes and the numbers of rows into the manifest."""
        for entry in self.manifest["files"]:
            path = self.directory / entry["path"]
            if not path.is_file():
                continue
            content = path.read_bytes()
            entry["sha256"] = sha256(content).hexdigest()
            if path.suffix == ".tsv":
                entry["rows"] = content.count(b"\n")
            elif path.suffix == ".conllu":
                entry["rows"] = content.count(b"\n\n")
        for entry in self.manifest["files"]:
            if entry["path"].endswith(".parquet"):
                try:
                    entry["rows"] = pq.read_metadata(self.directory / entry["path"]).num_rows
                except (OSError, pa.ArrowException):
                    entry["rows"] = 0
        self.save()

    def pattern(self, name: str) -> dict[str, Any]:
        """What the manifest says of a pattern."""
        found: dict[str, Any] = next(p for p in self.manifest["patterns"] if p["name"] == name)
        return found


def _row(block: str, cells: dict[str, Any]) -> Row:
    lines = block.split("\n")
    comments = [line[2:].split(" = ", 1) for line in lines if line.startswith("#")]
    tokens = [tuple(line.split("\t")) for line in lines if not line.startswith("#")]
    return Row(
        cells["source"],
        cells["target"],
        cells["category"],
        tuple((name, value) for name, value in comments),
        tuple(tokens),
        cells,
    )


def _block(row: Row, sent_id: str) -> str:
    new = {"sent_id": sent_id, "category": row.category, "text": row.source}
    lines = []
    for name, value in row.comments:
        text = row.target if name.startswith("text_") else new.get(name, value)
        lines.append(f"# {name} = {text}")
    lines += ["\t".join(token) for token in row.tokens]
    return "\n".join(lines) + "\n\n"


def _cells(row: Row) -> dict[str, Any]:
    kind = "exposure" if row.category.startswith("exposure:") else "gen"
    kind = "iid" if row.category == "in_distribution" else kind
    texts = {"source": row.source, "target": row.target, "category": row.category}
    return {**row.cells, **texts, "split_kind": kind}
