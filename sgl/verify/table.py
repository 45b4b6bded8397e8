"""Collect all sentences in one table, which the checks query in SQL.

``block`` has a row for each block of the CoNLL-U files, in the order of the splits and their files; ``sentence`` has
the well-formed ones, with place, category, stream, shape of the graph, source, target, and the skeletons of the source
(``sgl.verify.skeleton``)::

    SELECT category, count(*) FROM sentence WHERE split = 'gen' GROUP BY category

The structures that occur in a shape are its *profile*: ``found`` has a row for each of them.  ``kind`` counts the
sentences that no structure or quota distinguishes.  ``word`` and ``name`` have every word of a split, and every name in
its graphs, with its first sentence.  ``alike`` has the sentences that have a skeleton in common with others.

The table is a temporary SQLite file, kept in memory while it is small.
"""

import errno
import json
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import Any, NamedTuple

from sgl.verify.items import GraphShape, ShapeTable
from sgl.verify.manifest import Manifest
from sgl.verify.search import members

_SCHEMA = """
PRAGMA cache_size = -16384;
PRAGMA journal_mode = OFF;
CREATE TABLE block (
    number INTEGER PRIMARY KEY, split TEXT, entry INTEGER, line INTEGER, reason TEXT, place INTEGER,
    sent_id TEXT, category TEXT, shape INTEGER,
    source TEXT, target TEXT, skeleton TEXT, latin TEXT, stream TEXT
);
CREATE TABLE shape (shape INTEGER PRIMARY KEY, profile INTEGER);
CREATE TABLE found (profile INTEGER, clause INTEGER, PRIMARY KEY (clause, profile)) WITHOUT ROWID;
CREATE VIEW sentence AS SELECT block.*, profile FROM block LEFT JOIN shape USING (shape) WHERE reason = '';
CREATE TABLE word (split TEXT, form TEXT, lemma TEXT, upos TEXT, number INTEGER, UNIQUE (split, form, lemma, upos));
CREATE TABLE name (split TEXT, role TEXT, text TEXT, number INTEGER, UNIQUE (split, role, text));
"""

#: Tables that are made after all sentences have been read.
_SUMMARY = """
CREATE TABLE kind AS
    SELECT split, category, stream, profile, count(*) AS items FROM sentence
    GROUP BY split, category, stream, profile ORDER BY min(number);
CREATE INDEX kind_of_profile ON kind (profile);
CREATE INDEX block_of_shape ON block (shape);
CREATE TABLE alike AS
    SELECT * FROM sentence WHERE skeleton IN (SELECT skeleton FROM sentence GROUP BY 1 HAVING count(*) > 1)
    OR latin IN (SELECT latin FROM sentence GROUP BY 1 HAVING count(*) > 1);
"""

_BLOCK = "INSERT INTO block VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


class Block(NamedTuple):
    """A block of a file: the reason if it is malformed, otherwise the columns of its sentence."""

    line: int
    reason: str = ""
    place: int = 0
    sent_id: str = ""
    category: str = ""
    shape: int = -1
    source: str = ""
    target: str = ""
    skeleton: str = ""
    latin: str = ""


#: The contents of a range, each with the number of its first block, from 0.
Firsts = dict[tuple[str, ...], int]


@dataclass(slots=True)
class ReadPart:
    """A range of a file: its blocks, with local numbers of shapes; words and names; the error that ends it."""

    blocks: list[Block] = field(default_factory=list)
    shapes: dict[GraphShape, int] = field(default_factory=dict)
    words: Firsts = field(default_factory=dict)
    names: Firsts = field(default_factory=dict)
    error: str = ""


class DatasetTable:
    """The table; ``profiles`` are the sets of structures.

    By split, ``blocks`` counts blocks, and ``errors`` has the errors of files that cannot be read to their end.
    """

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database, self.blocks, self.errors = database, Counter[str](), dict[str, str]()
        self.profiles: tuple[frozenset[int], ...] = ()
        self._streams = dict[tuple[str, str], Iterator[str]]()
        database.executescript(_SCHEMA)

    def select(self, query: str, **values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query; a list among the values is passed to ``json_each``."""
        return list(self.each(query, **values))

    def each(self, query: str, **values: object) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query; add nothing meanwhile."""
        own = {key: json.dumps(value) if isinstance(value, list) else value for key, value in values.items()}
        yield from self._database.execute(query, own)

    def expect(self, manifest: Manifest) -> None:
        """Assign the sentences of each category in a split to its strata, one after the other."""
        streams = dict[tuple[str, str], list[Iterator[str]]]()
        for split, claim in manifest.splits.items():
            for own in claim.strata:
                times = repeat(own.stream, min(own.count, sys.maxsize))
                streams.setdefault((split, own.category), []).append(times)
        self._streams = {place: chain.from_iterable(own) for place, own in streams.items()}

    def _stream(self, split: str, category: str) -> str:
        return next(self._streams.get((split, category), iter(())), f"{split}/{category}")

    def add(self, split: str, part: ReadPart, shapes: ShapeTable, lines: int) -> None:
        """Add the next range of the file of a split, after ``lines`` lines."""
        numbers = [shapes.known(shape.frame, shape.nodes).number for shape in part.shapes]
        numbers.append(-1)  # the shape of a malformed block
        first, write = self.blocks.total() + 1, self._database.executemany
        rows = (
            (
                *(split, entry, block.line + lines, *block[1:5], numbers[block.shape], *block[6:]),
                "" if block.reason else self._stream(split, block.category),
            )
            for entry, block in enumerate(part.blocks, self.blocks[split] + 1)
        )
        write(_BLOCK, rows)
        write("INSERT OR IGNORE INTO word VALUES (?, ?, ?, ?, ?)", _placed(split, part.words, first))
        write("INSERT OR IGNORE INTO name VALUES (?, ?, ?, ?)", _placed(split, part.names, first))
        self.blocks[split] += len(part.blocks)
        if part.error:
            self.errors[split] = part.error

    def complete(self, shapes: Iterable[GraphShape]) -> None:
        """Add the structures found in the shapes, and make the summary tables."""
        known = dict[int, int]()
        rows = [(shape.number, known.setdefault(shape.occurring, len(known))) for shape in shapes]
        self.profiles = tuple(frozenset(members(occurring)) for occurring in known)
        found = ((profile, clause) for profile, clauses in enumerate(self.profiles) for clause in clauses)
        self._database.executemany("INSERT INTO shape VALUES (?, ?)", rows)
        self._database.executemany("INSERT INTO found VALUES (?, ?)", found)
        self._database.executescript(_SUMMARY)


def _placed(split: str, found: Firsts, first: int) -> Iterator[tuple[object, ...]]:
    return ((split, *what, first + at) for what, at in found.items())


@contextmanager
def dataset_table() -> Iterator[DatasetTable]:
    """Provide a temporary empty table; raises ``OSError`` if there is no space for it."""
    try:
        with closing(sqlite3.connect("")) as database:
            yield DatasetTable(database)
    except sqlite3.OperationalError as problem:
        if problem.sqlite_errorcode == sqlite3.SQLITE_ERROR:  # a wrong query
            raise
        full = problem.sqlite_errorcode == sqlite3.SQLITE_FULL
        raise OSError(errno.ENOSPC if full else errno.EIO, f"a temporary file: {problem}") from None
