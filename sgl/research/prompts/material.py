"""Read what prompts are made of: items, training sentences, their graphs, and the words and rules that each uses.

A *part* is what an item needs and a shot can show::

    word dog                  a lemma in the graph of its sentence
    rule modified             a rule of its derivation, but for those of words
    { V -[nsubj]-> N }        a piece of a structure that its pattern holds out

Nothing here chooses anything: choosing and checking both begin with these values.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sgl.dataset import MANIFEST, manifest_of, signature
from sgl.diagnostics import UserError
from sgl.foreign import BENCHMARK, CERTIFICATE, ForeignFileError, lines_of, read_text
from sgl.foreign.json import read_document
from sgl.pipeline.matches import OccurrenceError, written_graphs
from sgl.research.evaluate.benchmark import BenchmarkRow, read_benchmark
from sgl.verify.conllu import Sentence

_CERTIFICATE = "certificate.json"


class PromptsError(UserError):
    """No prompts can be made of a dataset."""

    code = "SGL1412"


@dataclass(frozen=True, slots=True)
class PromptRows:
    """The rows of a split, each with its graph, and its words and rules as names of parts."""

    rows: Sequence[BenchmarkRow]
    graphs: Sequence[Sentence]
    parts: Sequence[frozenset[str]]


@dataclass(frozen=True, slots=True)
class Material:
    """Items and training sentences of a dataset; ``held_out`` are the structures of each pattern."""

    directory: Path
    signature: str
    split: str
    target: str
    items: PromptRows
    train: PromptRows
    held_out: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Prompt:
    """An item and its shots, by names of rows: which shot shows a part, which parts no shot, or no training sentence.

    ``untrained`` parts are among those that are ``missing``.
    """

    id: str
    pattern: str
    shots: tuple[str, ...]
    shown: Mapping[str, str]
    missing: tuple[str, ...]
    untrained: tuple[str, ...]


def read_material(path: Path, split: str | None = None, target: str | None = None) -> Material:
    """Read a split of a dataset (``gen`` if there is one), and its training sentences; raises ``PromptsError``."""
    asked, train = read_benchmark(path, split, target), None
    if asked.directory is not None:
        train = read_benchmark(path, "train", target)
    if train is None:
        raise PromptsError(f"`{path}` has no graphs, so nothing can be proved of a prompt", "name a dataset directory")
    manifest = manifest_of(path)
    splits = {asked.split, "train"}
    main = manifest["layers"]["target"].of(str) == asked.target
    used = [f"data/{'' if main else f'{asked.target}/'}{name}.tsv" for name in splits]
    used += [f"derivations/{name}.tsv" for name in splits]
    layers = manifest["layers"].members()
    written = layers["written"].texts() if "written" in layers else ()
    used += [f"conllu/{layer}{name}.conllu" for name in splits for layer in ("", *(f"{one}/" for one in written))]
    signed = ""
    if missing := [name for name in used if not (path / name).is_file()]:
        raise PromptsError(f"`{path}` has no file `{min(missing)}`, by which shots are proved", _AGAIN)
    with suppress(ForeignFileError):
        signed = signature(path, manifest["identity"].of(str), MANIFEST, _CERTIFICATE, *used)
    if "|files:" not in signed:
        raise PromptsError(f"the files of `{path}` are not those that it lists", f"`sglc verify {path}` says more")
    rules = list(_rule_parts(path))
    held_out = {
        each["name"].of(str): (*each["forbid"].texts(), *each["never"].texts())
        for each in manifest["patterns"].elements()
    }
    items, training = (_rows(path, own.split, own.rows, rules) for own in (asked, train))
    return Material(path, signed, asked.split, asked.target, items, training, held_out)


_AGAIN = "`sglc compile` makes datasets with graphs and derivations"


def _rule_parts(path: Path) -> Iterator[str]:
    """Yield the name of each rule as a part; a rule of a word has none."""
    for rule in read_document(path / _CERTIFICATE, CERTIFICATE, inside=path)["core"]["grammar"]["rules"].elements():
        yield f"rule {rule['name'].of(str)}" if rule["rhs"].of(list) else ""


def _rows(path: Path, split: str, rows: Sequence[BenchmarkRow], rules: Sequence[str]) -> PromptRows:
    try:
        graphs = list(written_graphs(path, split))
    except OccurrenceError as problem:
        raise PromptsError(f"the graphs of `{path}` cannot be read: {problem}") from None
    lines = lines_of(read_text(path / "derivations" / f"{split}.tsv", BENCHMARK, inside=path))
    if not len(rows) == len(graphs) == len(lines):
        raise PromptsError(f"`{path}` has {len(rows):,} rows, {len(graphs):,} graphs and {len(lines):,} derivations")
    try:
        used = [[rules[int(number)] for number in line.partition("\t")[2].split()] for line in lines]
    except (ValueError, IndexError):
        raise PromptsError(f"`derivations/{split}.tsv` names rules that are not in `{_CERTIFICATE}`") from None
    words: dict[int, str] = {id(word): f"word {word.get('lemma')}" for graph in graphs for word in graph.words}
    parts = [
        frozenset([*names, *(words[id(word)] for word in graph.words)]) - {"", "word "}
        for names, graph in zip(used, graphs, strict=True)
    ]
    return PromptRows(rows, graphs, parts)


def sentence_of(row: BenchmarkRow) -> str:
    """Return the sentence of a row as it is compared with others: without capitals and further spaces."""
    return " ".join(row.source.split()).casefold()
