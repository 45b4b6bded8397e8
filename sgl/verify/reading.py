"""Read ranges of CoNLL-U files, alone or with other processes, and extract what the checks need.

Each range is read into its own ``ReadPart``; the table joins the ranges of a file, so that nothing depends on where the
file was cut.  ``Knowledge`` caches a process's findings for its next ranges.

Reading ranges, searching frames and checking the certificate are independent tasks that processes can share; results
are taken in task order, so the report does not depend on the number of processes.  A process that is killed, perhaps
for memory, is not a fault of the dataset: its tasks are done here.  If this process is killed, the others end with it.
"""

import os
import pickle
import re
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext, suppress
from functools import lru_cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from sgl import foreign
from sgl.children import begin, starting
from sgl.foreign import read_bytes
from sgl.verify.conllu import Malformed, MalformedError, Sentence, TokenTable, WordForm, read_sentences
from sgl.verify.items import LAYER, GraphShape, ShapeTable, at_layers, label_role, merged
from sgl.verify.manifest import CERTIFICATE, Clause, Manifest
from sgl.verify.search import Searcher, SearchError
from sgl.verify.skeleton import sentence_skeletons
from sgl.verify.structure import GraphPattern, StructureError, headed, read_structure
from sgl.verify.table import Block, ReadPart

#: The length of a text, in a comment.
_LENGTH = re.compile(r"0|[1-9][0-9]{0,8}")

#: A manifest and its structures, for which all ranges are read.
Asked = tuple[Manifest, tuple[Clause, ...]]


class Range(NamedTuple):
    """A byte range of the file of a split; the whole file if there are ``others``, of further layers."""

    split: str
    path: Path
    start: int
    end: int
    others: tuple[Path, ...] = ()


class Knowledge:
    """The state of a process: the questions about sentences, caches, shapes, and the search for structures.

    ``layers`` are the graph layers, if structures use several; ``first`` is the first; ``texts`` are the comments with
    the source and the target; ``anchor`` is the text layer of the words.
    """

    def __init__(self, asked: Asked) -> None:
        """Prepare an empty state; if a structure cannot be read, none is searched for."""
        manifest, clauses = asked
        graphs, written = {layer.name: layer for layer in manifest.layers.graph}, manifest.layers.written
        self.layers = [graphs[x] for x in (manifest.distinct.layer, *written) if written and x in graphs]
        self.texts, self.first = manifest.texts(), manifest.distinct.layer
        self.anchor = graphs[self.first].anchor
        structures = list[GraphPattern]()
        with suppress(StructureError):
            structures = [read_structure(clause.text) for clause in clauses]
        if self.layers:
            structures = [at_layers(one, self.layers[0].name) for one in structures]
        self.shapes, self.headed = ShapeTable(structures), headed(structures)
        self.searcher = Searcher(self.shapes)
        self.tokens = TokenTable()
        self.further = [TokenTable(free=layer.free) for layer in self.layers[1:]]


def read_range(known: Knowledge, read: Range) -> ReadPart:
    """Read a range, or as much of it as is readable."""
    part = ReadPart()
    seen: set[WordForm | int] = set()
    try:
        others = list(map(read_sentences, read.others, known.further))
        for entry in read_sentences(read.path, known.tokens, read.start, read.end):
            more = [next(other, None) for other in others]
            part.blocks.append(_block(known, part, seen, entry, more))
    except OSError as failure:
        part.error = failure.strerror or str(failure)
    return part


def _block(
    known: Knowledge,
    part: ReadPart,
    seen: set[WordForm | int],
    entry: Sentence | Malformed,
    more: list[Sentence | Malformed | None],
) -> Block:
    if isinstance(entry, Malformed):
        return Block(entry.line, entry.reason)
    try:
        graph = merged(known.layers, entry, more) if more else entry
        comments = dict(entry.comments)
        _check_lengths(known, comments, len(entry.words))
        source, target = [comments[key] for key in known.texts]
    except MalformedError as fault:
        return Block(entry.line, str(fault))
    except KeyError as missing:
        return Block(entry.line, f"no comment # {missing.args[0]}")
    _note_names(part, seen, entry, graph, known.first)
    skeleton, latin = sentence_skeletons(source)
    shape = part.shapes.setdefault(known.shapes.of(graph), len(part.shapes))
    named = comments["sent_id"], comments["category"]
    return Block(entry.line, "", entry.offset, *named, shape, source, target, skeleton, latin)


def _check_lengths(known: Knowledge, comments: dict[str, str], words: int) -> None:
    for layer in known.shapes.lengths:
        length = comments.get(f"length_{layer}", "")
        if not _LENGTH.fullmatch(length):
            raise MalformedError(f"no comment # length_{layer} with a number")
        if layer == known.anchor and int(length) != words:
            raise MalformedError(f"{words} words, and length_{layer} = {length}")
    for layer in known.headed:
        if f"heads_{layer}" not in comments:
            raise MalformedError(f"no comment # heads_{layer}")


def _note_names(part: ReadPart, seen: set[WordForm | int], sentence: Sentence, graph: Sentence, first: str) -> None:
    entry = len(part.blocks)
    for at, word in enumerate(() if seen.issuperset(graph.words) else graph.words):
        if word not in seen:
            seen.add(word)
            for attribute, value in word.attributes:
                part.names.setdefault((f"{attribute}=", value), entry)
                part.names.setdefault(("attribute ", attribute), entry)
            if at < len(sentence.words):
                part.words.setdefault((word.form, word.get("lemma"), word.get("upos")), entry)
    if graph is not sentence or id(sentence.edges) not in seen:
        seen.add(id(sentence.edges))
        for source, label, _ in graph.edges:
            role = label_role(graph.words[source].get(LAYER) or first)
            part.names.setdefault((role, label), entry)


def search_shapes(known: Knowledge, shapes: Sequence[GraphShape]) -> tuple[list[int], int | None]:
    """Return the structures that occur in each shape; shapes must be ordered by frame.

    The second value is the number of a structure whose search takes too long, if any: later shapes are not searched.
    """
    found: list[int] = []
    known.searcher.allow(shapes)
    try:
        found.extend(known.searcher.occurring(shape) for shape in shapes)
    except SearchError as problem:
        return found, problem.number
    return found, None


T = TypeVar("T")
R = TypeVar("R")

#: Returns the faults of a certificate, given its bytes.
Judge = Callable[[bytes], tuple[str, ...]]

#: Maximum number of useful workers: one process makes the checks themselves.
USEFUL = 8

#: Processes pay above this number of bytes of CoNLL-U; a byte of a certificate takes as long as some thirty of these.
WORTH_IT = 1 << 23
_CERTIFICATE_BYTE = 30


class Workers:
    """Does the tasks of one verification, in this process or a pool."""

    def __init__(self, asked: Asked, pool: ProcessPoolExecutor | None = None) -> None:
        self.known, self._pool = Knowledge(asked), pool
        self._packed = pickle.dumps(asked, pickle.HIGHEST_PROTOCOL)

    def results(self, function: Callable[[Knowledge, T], R], tasks: Iterable[T]) -> Iterator[R]:
        """Yield the results of a function for some tasks, in order."""
        submitted = deque(self.submit(function, task) for task in tasks)
        while submitted:
            yield submitted.popleft()()

    def submit(self, function: Callable[[Knowledge, T], R], task: T) -> Callable[[], R]:
        """Submit a task; return a function that waits for its result."""
        return _begun(self._pool, partial(function, self.known, task), _call, function, self._packed, task)

    def judging(self, directory: Path, judge: Judge) -> Judge:
        """Return the judge of the certificate; with a pool it starts at once."""
        with suppress(OSError):
            if self._pool is not None:
                text = read_bytes(directory / CERTIFICATE, foreign.CERTIFICATE, inside=directory)
                return judging(self._pool, judge, text)
        return judge


def judging(pool: ProcessPoolExecutor, judge: Judge, text: bytes) -> Judge:
    """Have a process of a pool check a certificate; return a judge with its verdict."""
    verdict = _begun(pool, partial(judge, text), judge, text)
    # The file may change before the check reads it.
    return lambda asked: verdict() if asked == text else judge(asked)


def _begun(pool: ProcessPoolExecutor | None, here: Callable[[], R], *there: Any) -> Callable[[], R]:  # noqa: ANN401
    """Start a function in a pool, if any; return a function that waits for the result, or computes it here."""
    future: Future[R] | None = None
    with suppress(BrokenProcessPool):
        future = pool.submit(*there) if pool else None

    def result() -> R:
        with suppress(BrokenProcessPool):
            if future is not None:
                return future.result()
        return here()

    return result


@contextmanager
def workers_for(
    directory: Path, asked: Asked, number: int, standby: ProcessPoolExecutor | None = None
) -> Iterator[Workers]:
    """Provide workers, of ``standby`` or a new pool; this process alone reads a small dataset."""
    work = 0
    with suppress(OSError):
        work = sum(path.stat().st_size for path in (directory / "conllu").glob("*.conllu"))
        work += _CERTIFICATE_BYTE * (directory / CERTIFICATE).stat().st_size
    if number < 2 or work < WORTH_IT:
        yield Workers(asked)
        return
    with nullcontext(standby) if standby else standing_by(number) as pool:
        yield Workers(asked, pool)


@contextmanager
def standing_by(number: int) -> Iterator[ProcessPoolExecutor | None]:
    """Start ``number`` processes for a later verification; none for one worker."""
    if number < 2:
        yield None
        return
    pool = ProcessPoolExecutor(number, get_context("spawn"), _begin)
    try:
        with starting():
            for _ in range(number):
                pool.submit(os.getpid)  # a process starts with its first task
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _begin() -> None:
    begin()
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _call(function: Callable[[Knowledge, T], R], packed: bytes, task: T) -> R:
    return function(_known(packed), task)


@lru_cache(maxsize=1)
def _known(packed: bytes) -> Knowledge:
    return Knowledge(pickle.loads(packed))  # noqa: S301 - its parent sends it
