"""Draw and write each row of a dataset again, and compare it with the files.

The columns of Parquet files are texts and whole numbers, structures of numbers and lists of texts.  Few rows are read
at a time, values that rows share stay shared, and what is longer than any row of a benchmark is refused before it
becomes a text.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from hashlib import sha256
from importlib import import_module
from itertools import groupby, islice, zip_longest
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from sgl.foreign import ForeignFileError
from sgl.foreign.parquet import READABLE, TEXTS, longest_value, parquet
from sgl.verify.certificate_format import RefusalError
from sgl.verify.items import kind_of
from sgl.verify.reading import Knowledge
from sgl.verify.rows import ACCEPTED, Row, Rows, refusal
from sgl.verify.schema_grammar import Flaw
from sgl.verify.schema_plan import LIST, DatasetPlan
from sgl.verify.shapes import Shape

#: The columns of a dataset; each further target adds one.
COLUMNS = (*("id", "source", "target", "category", "split_kind"), *("derivation", "depth", "features", "seed_stream"))

#: Number of rows to read at a time, and maximum size of a value in bytes.
_BATCH = 1_000
_LONGEST = 1 << 20

#: Metadata with which other libraries annotate column types.
_NOTED = {b"ARROW:schema"}


def read_columns(path: Path, wanted: Mapping[str, str]) -> Iterator[tuple[Any, ...]]:
    """Yield the values of columns with these types, row by row."""
    texts = [f"{name}.list.element" if kind == TEXTS else name for name, kind in wanted.items() if "string" in kind]
    with parquet(path, texts) as file:
        for batch in file.iter_batches(_BATCH, columns=[*wanted], use_threads=False):
            yield from zip(*[_values(path, batch.column(name)) for name in wanted], strict=True)


def columns_of(plan: DatasetPlan, labels: Sequence[str]) -> dict[str, str]:
    """Return the columns that the rows of a plan have, with their types, if ``features`` counts these labels."""
    expected = {name: "string" for name in COLUMNS if name != "features" or labels}
    others = [f"target_{name}" for name in plan.further]
    answers = [name.replace("target", "references") for name in ("target", *others)] if plan.ambiguous == LIST else []
    expected |= dict.fromkeys(others, "string") | dict.fromkeys(answers, TEXTS) | {"depth": "int32"}
    return expected | ({"features": f"struct<{', '.join(f'{label}: int32' for label in labels)}>"} if labels else {})


def other_columns(path: Path, expected: Mapping[str, str]) -> str:
    """Return how the columns of a file differ from those that are expected, if they do."""
    with parquet(path) as file:
        found = [(field.name, str(field.type), field.metadata) for field in file.schema_arrow]
        notes = {*(file.metadata.metadata or ())} | {*(file.schema_arrow.metadata or ())}
    if found != [(name, kind, None) for name, kind in expected.items()]:
        own, others = ([f"{name} ({kind})" for name, kind, *_ in each] for each in (found, expected.items()))
        shown = (", ".join(column for column in a if column not in b) for a, b in ((own, others), (others, own)))
        return "the columns have other types, order or notes: {}; expected: {}".format(*(x or "none" for x in shown))
    return "the file has metadata that no dataset has" if notes - _NOTED else ""


def _values(path: Path, column: Any) -> list[Any]:  # noqa: ANN401 - an array of Arrow
    if hasattr(column, "value_lengths"):
        members = iter(_values(path, column.flatten()))
        return [[*islice(members, length)] for length in column.value_lengths().to_pylist()]
    if not hasattr(column, "dictionary"):
        return list(column.to_pylist())
    if longest_value(column) > _LONGEST:
        raise ForeignFileError(path, f"a value has more than {_LONGEST:,} bytes")
    compute = import_module("pyarrow.compute")
    # The dictionary grows from batch to batch.
    used = compute.unique(column.indices)
    texts = dict(zip(used.to_pylist(), column.dictionary.take(used).to_pylist(), strict=True))
    return [texts[place] for place in column.indices.to_pylist()]


#: UD relations through which a phrase can contain phrases of its own kind.
_RECURSIVE = frozenset(("acl", "advcl", "amod", "appos", "ccomp", "conj", "csubj", "nmod", "parataxis", "xcomp"))
_RESERVED = frozenset('()"\\:#')

#: Number of derivation shapes whose trees are cached.
_SHAPES = 1 << 12


class RowsFound(NamedTuple):
    """The result of one pass over the rows.

    ``outcomes`` counts the candidates of each stream by outcome, ``shares`` its sentences by target or instance;
    ``refusal`` is empty if every row is right; ``parquet`` lists the faults of Parquet files, None if they were not
    read.
    """

    outcomes: dict[str, Counter[str]]
    shares: dict[str, Counter[str]]
    refusal: str
    parquet: tuple[str, ...] | None

    @property
    def rows(self) -> int:
        """The number of accepted rows."""
        return sum(found[ACCEPTED] for found in self.outcomes.values())


def read_rows(_: Knowledge, directory: Path) -> RowsFound:
    """Draw and write all rows of a dataset again, and compare them with its files."""
    outcomes, shares, problem, faults = dict[str, Counter[str]](), dict[str, Counter[str]](), "", None
    try:
        rows = Rows(directory)
        outcomes, shares = rows.acceptance.outcomes, rows.acceptance.shares
        if (directory / "parquet").exists() and READABLE:
            faults = tuple(filter(None, _differences(directory, rows)))
        else:
            deque(rows.rows(), 0)
    except (OSError, Flaw, RefusalError) as error:
        problem = refusal(error)
    return RowsFound(outcomes, shares, problem, faults)


def _differences(directory: Path, rows: Rows) -> Iterator[str]:
    """Yield for each split the first difference between its Parquet file and the certificate's rows, or nothing."""
    left = dict.fromkeys(stratum.split for stratum in rows.plan.strata)
    labels = _labels(rows)
    expected, columns = _expected(rows, labels), columns_of(rows.plan, labels)
    for split, own in groupby(rows.rows(), attrgetter("split")):
        left.pop(split, None)
        yield _wrong(directory, split, columns, map(expected, own))
    yield from (_wrong(directory, split, columns, ()) for split in left)


def _wrong(directory: Path, split: str, columns: Mapping[str, str], expected: Iterable[dict[str, object]]) -> str:
    """Return the first difference between a file and its rows; empty without any."""
    path = f"parquet/{split}.parquet"
    try:
        if problem := other_columns(directory / path, columns):
            raise ForeignFileError(directory / path, problem)
        pairs = zip_longest(read_columns(directory / path, columns), expected)
        for number, (found, row) in enumerate(pairs, 1):
            if found is None or row is None:
                return f"{path}: row {number} is missing" if row else f"{path} has more than {number - 1} rows"
            for column, value in zip(columns, found, strict=True):
                if value != row[column]:
                    return f"{path}: row {number}: the column {column} is {value!r}, not {row[column]!r}"
    except ForeignFileError as problem:
        return f"{path} cannot be read: {problem.strerror}"
    return ""


def _labels(rows: Rows) -> list[str]:
    """Return the labels that ``features`` counts."""
    numbers = [rows.meaning.grammar.graph(layer) for layer in [rows.plan.lemma_layer] if layer]
    used = {edge.label for rule in rows.meaning.rules for number in numbers for edge in rule.fragments[number].edges}
    return sorted(x for x in used if not x.startswith("~") and x.partition(":")[0] in _RECURSIVE)


def _expected(rows: Rows, labels: Sequence[str]) -> Callable[[Row], dict[str, object]]:
    """Return a function that gives the columns of a row, if ``features`` counts these labels."""
    plan, meaning, names = rows.plan, rows.meaning, _names(rows)
    grammar, shapes, layer = meaning.grammar, meaning.shapes, plan.lemma_layer
    number = grammar.graph(layer) if layer else 0
    tree = lru_cache(_SHAPES)(partial(_tree, rows))

    @lru_cache(_SHAPES)
    def features(places: Sequence[int], shape: Shape) -> dict[str, int]:
        counts = Counter(label for _, label, _ in (shapes.graph(number, places, shape).edges if layer else ()))
        return {label: counts[label] for label in labels}

    def answers(target: str, row: Row) -> list[str]:
        return [*dict.fromkeys(meaning.text(target, each) for each in (row.derivation, *row.others))]

    targets = {"": plan.target, **{f"_{name}": name for name in plan.further}} if plan.ambiguous == LIST else {}

    def expected(row: Row) -> dict[str, object]:
        derivation, shape = row.derivation, shapes.of(row.derivation)
        expression, depth = tree(shape)
        expression %= tuple([names[rule] for rule in derivation])
        places = meaning.written(grammar.anchor(number), derivation).places if layer else ()
        return {
            "id": sha256(expression.encode()).hexdigest()[:16],
            "source": meaning.text(plan.source, derivation),
            "target": meaning.text(plan.target, derivation),
            "category": row.category,
            "split_kind": kind_of(row.category),
            "derivation": expression,
            "depth": depth,
            "features": features(places, shape),
            "seed_stream": row.candidate,
            **{f"target_{x}": meaning.text(x, derivation) for x in plan.further},
            **{f"references{end}": answers(target, row) for end, target in targets.items()},
        }

    return expected


def _tree(rows: Rows, shape: Shape) -> tuple[str, int]:
    """Return the expression for derivations of a shape, with ``%s`` for each rule, and their depth."""
    expression, depth = dict[int, str](), dict[int, int]()
    for place, below in rows.meaning.shapes.walk(shape):
        parts = " ".join(["%s", *(expression[child] for child in below)])
        rows.spend(len(parts) // 100)
        expression[place] = f"({parts})" if below else "%s"
        depth[place] = 1 + max((depth[child] for child in below), default=0)
    return expression[0], depth[0]


def _names(rows: Rows) -> list[str]:
    """Return each rule's name in ``derivation``: its words if it has no children; category and number if needed."""
    categories = [_atom(category.name) for category in rows.meaning.grammar.categories]
    names, longer, ranks = list[str](), list[str](), Counter[str]()
    for rule in rows.meaning.rules:
        words = " ".join(item.text for item in rule.templates[0] if item.text is not None)
        names.append(_atom(words if words and not rule.rhs else rule.name))
        longer.append(f"{names[-1]}:{categories[rule.lhs]}")
    names = _told_apart(names, longer)
    for number, name in enumerate(names):
        ranks[name] += 1
        longer[number] = f"{name}#{ranks[name]}"
    return _told_apart(names, longer)


def _told_apart(names: list[str], longer: list[str]) -> list[str]:
    counts = Counter(names)
    return [name if counts[name] == 1 else long for name, long in zip(names, longer, strict=True)]


def _atom(name: str) -> str:
    if name and not any(character.isspace() or character in _RESERVED for character in name):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
