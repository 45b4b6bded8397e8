"""Divide the items of a split into slices, by a question about them.

::

    in CP={ C -[ccomp]-> V }               a structure in the graph of the item, or none
    beyond={ length en > longest(train) }  the words of a text, also against those of another split
    rare=rarest(target, 3)                 how often training has the rarest three words in a row of a text
    quota                                  the conditions that the pattern drew the item under
    kind=kinds.tsv                         the values of a file, by row id or in row order; lists of JSON

Words come from the graphs, or else are separated by spaces.
"""

import operator
import re
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from sgl.core.plan import TRAIN
from sgl.corpus.rows import Corpus, Unreadable
from sgl.dataset import manifest_of
from sgl.diagnostics import UserError
from sgl.foreign import BENCHMARK, ForeignFileError
from sgl.pipeline.matches import NoStructureError, OccurrenceError, occurring
from sgl.research.analyse.outputs import PredictionsError
from sgl.research.analyse.predictions import read_predictions
from sgl.research.evaluate.benchmark import Benchmark
from sgl.research.treebank import TreebankReader, TreebankSentence

QUOTA = "quota"

_LENGTH = re.compile(
    r"length\s+(\w+)\s*(>=|<=|!=|=|>|<)\s*(?:(\d+)|longest\(([^()]+)\))\s*([+-]\s*\d+)?\s*(?:;|(?=\}))"
)
_RAREST = re.compile(r"rarest\(\s*(\w+)\s*,\s*([1-9])\s*(?:,\s*([^(),]+?)\s*)?\)")
_COMPARED = {">=": operator.ge, "<=": operator.le, "!=": operator.ne, "=": operator.eq}
_COMPARED |= {">": operator.gt, "<": operator.lt}

Reader = Callable[[str], str | None]


class SliceError(UserError):
    """A slice that cannot be made, and why."""

    code = "SGL1410"


#: The labels of each item, mostly one; none for those that are left out.
Labels = tuple[tuple[str, ...], ...]


class Slice(NamedTuple):
    """A division of the items."""

    name: str
    labels: Labels


def read_slice(text: str, benchmark: Benchmark, reader: Reader | None) -> Slice:
    """Return the slice for a ``--slice`` option; raises ``SliceError``."""
    name, equals, what = (part.strip() for part in text.partition("="))
    try:
        return Slice(name, _labels(text, name, what if equals else None, benchmark, reader))
    except ForeignFileError as problem:
        raise SliceError(str(problem)) from None


def _labels(text: str, name: str, what: str | None, benchmark: Benchmark, reader: Reader | None) -> Labels:
    if what is None and name == QUOTA:
        return tuple((label,) if label else () for label in _quotas(benchmark))
    if not name or not what:
        raise SliceError(f"`--slice {text}` has no name with a structure or a file, and is not `{QUOTA}`")
    if asked := _RAREST.fullmatch(what):
        layer, size, training = asked.groups()
        powers = _rarest(benchmark, layer, int(size), training or TRAIN)
        return tuple((f"{name} {power}",) for power in powers)
    if what.startswith("rarest("):
        raise SliceError(f"`{what}` does not name a text and a number of words from 1 to 9: `rarest(target, 3)`")
    if not what.startswith("{"):
        return _values(Path(what), benchmark)
    return tuple((name if inside else f"not {name}",) for inside in _inside(benchmark, what, reader))


def _inside(benchmark: Benchmark, what: str, reader: Reader | None) -> list[bool]:
    """Tell of each item whether its texts have these lengths, and its graph has the rest of a structure."""
    inside = [True] * len(benchmark.rows)
    for layer, compared, number, other, more in _LENGTH.findall(what):
        limit = int(number) if number else _longest(benchmark, layer, other)
        limit += int(more.replace(" ", "") or 0)
        lengths = _lengths(benchmark, layer, benchmark.split)
        inside = [kept and _COMPARED[compared](length, limit) for kept, length in zip(inside, lengths, strict=True)]
    rest = _LENGTH.sub("", what)
    if rest.strip("{} \n;"):
        inside = list(map(operator.and_, inside, _occurring(benchmark, rest, reader)))
    return inside


def _longest(benchmark: Benchmark, layer: str, split: str) -> int:
    if not (lengths := _lengths(benchmark, layer, split)):
        raise SliceError(f"`longest({split})`: there are no sentences")
    return max(lengths)


def _occurring(benchmark: Benchmark, text: str, reader: Reader | None) -> list[bool]:
    """Tell of each item whether its graph has a structure."""
    if (structure := text if reader is None else reader(text)) is None:
        raise SliceError(f"`{text}` is not a structure")
    if benchmark.directory is None:
        raise SliceError("the rows have no graphs: structures need a dataset of `sglc compile`")
    try:
        found = occurring(benchmark.directory, benchmark.split, structure)
    except NoStructureError as problem:
        plain = "" if reader else "; without the grammar there are no names of structures and sets"
        raise SliceError(f"{problem}{plain}") from None
    except OccurrenceError as problem:
        raise SliceError(str(problem)) from None
    if len(found) != len(benchmark.rows):
        raise SliceError(f"the split has {len(found):,} graphs for {len(benchmark.rows):,} rows")
    return found


def _rarest(benchmark: Benchmark, layer: str, size: int, training: str) -> list[str]:
    """Tell of each item how often training has the rarest n-gram of its text, in powers of ten.

    A shorter text is one n-gram.
    """

    def grams(words: Sequence[str]) -> list[tuple[str, ...]]:
        return [tuple(words[at : at + size]) for at in range(max(1, len(words) - size + 1))]

    known = Counter(gram for words in _words(benchmark, layer, training) for gram in grams(words))
    rarest = (min(known[gram] for gram in grams(words)) for words in _words(benchmark, layer, benchmark.split))
    return list(map(_power, rarest))


def _power(number: int) -> str:
    """Return the powers of ten between which a number is.

    >>> _power(0), _power(7), _power(2300)
    ('0', '1–9', '1000–9999')
    """
    least = 10 ** (len(str(number)) - 1)
    return f"{least}–{10 * least - 1}" if number else "0"


def _lengths(benchmark: Benchmark, layer: str, split: str) -> list[int]:
    return list(map(len, _words(benchmark, layer, split)))


def _words(benchmark: Benchmark, layer: str, split: str) -> list[Sequence[str]]:
    """Return the words of the texts of a layer in a split, or in the training set of a variant."""
    layer = {"source": benchmark.source, "target": benchmark.target}.get(layer, layer)
    if layer not in (benchmark.source, benchmark.target):
        raise SliceError(f"there is no text `{layer}`; there are `{benchmark.source}` and `{benchmark.target}`")
    if split in benchmark.variants:
        # The rows of a variant are some of those of the training set.
        known = dict(zip(_texts(benchmark, layer, TRAIN), _words(benchmark, layer, TRAIN), strict=True))
        return [known[text] for text in _texts(benchmark, layer, split) if text in known]
    if benchmark.directory is not None and layer == benchmark.source:
        path = benchmark.directory / "conllu" / f"{split}.conllu"
        blocks = TreebankReader(trees=False).read(path, benchmark.directory)
        return [[word.form for word in block.words] for block in blocks if isinstance(block, TreebankSentence)]
    texts = _texts(benchmark, layer, split)
    if not any(" " in text for text in texts):
        raise SliceError(f"the texts of `{layer}` have no spaces between words")
    return [text.split() for text in texts]


def _texts(benchmark: Benchmark, layer: str, split: str) -> list[str]:
    """Return the texts of a layer in a split, or in the training set of a variant."""
    side = int(layer == benchmark.target)
    if split == benchmark.split:
        return [row.target if side else row.source for row in benchmark.rows]
    if benchmark.directory is None:
        raise SliceError(f"the texts of `{split}` need a dataset of `sglc compile`")
    main, variant = manifest_of(benchmark.directory)["layers"]["target"].of(str), benchmark.variants.get(split)
    folder = (variant or benchmark.directory / "data") / ("" if benchmark.target == main else benchmark.target)
    inside = variant.parent if variant is not None else benchmark.directory
    rows = Corpus(folder / f"{split if variant is None else TRAIN}.tsv", 2, BENCHMARK, inside).rows()
    return [row.texts[side] for row in rows if not isinstance(row, Unreadable)]


def _quotas(benchmark: Benchmark) -> tuple[str, ...]:
    # Rows stand in the order of quotas.
    if benchmark.directory is None:
        raise SliceError("only a dataset of `sglc compile` has quotas")
    manifest = manifest_of(benchmark.directory)
    said = {
        f"{benchmark.split}/{pattern['name'].of(str)}/{number}": " ".join(
            f"{key} {text}"
            for key, own in quota.members().items()
            if key in ("within", "outside")
            for text in own.texts()
        )
        for pattern in manifest["patterns"].elements()
        for number, quota in enumerate(pattern["quotas"].elements())
    }
    labels: list[str] = []
    for stratum in manifest["splits"][benchmark.split]["strata"].elements():
        labels += [said.get(stratum["stream"].of(str), "")] * stratum["count"].of(int)
    if len(labels) != len(benchmark.rows):
        raise SliceError("the rows are not those of the quotas of the manifest")
    return tuple(labels)


def _values(path: Path, benchmark: Benchmark) -> Labels:
    """Return the value of each row in a file, which is read like predictions; a list has several."""
    try:
        names = [row.id for row in benchmark.rows]
        found = read_predictions(path, "form", frozenset(names)).of(names)
    except (PredictionsError, ForeignFileError) as problem:
        raise SliceError(f"`{path}`: {problem}") from None
    values = ((value.words or (value.text or "",)) if value else () for value in found)
    return tuple(tuple(filter(None, map(str.strip, row))) for row in values)
