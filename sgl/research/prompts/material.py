"""Read what prompts are made of: items, training sentences, their graphs, and the words and rules that each uses.

A *part* is what an item needs and a shot can show::

    word dog                  a lemma in the graph of its sentence
    rule modified             a rule of its derivation, but for those of words
    { V -[nsubj]-> N }        a piece of a structure that its pattern holds out
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from statistics import fmean

from sgl.dataset import MANIFEST, manifest_of, signature
from sgl.diagnostics import UserError
from sgl.foreign import BENCHMARK, CERTIFICATE, lines_of, read_text
from sgl.foreign.json import read_document
from sgl.pipeline.matches import OccurrenceError, written_graphs
from sgl.research.evaluate.benchmark import BenchmarkRow, read_benchmark
from sgl.verify.conllu import Sentence


class PromptsError(UserError):
    """No prompts can be made of a dataset."""

    code = "SGL1412"


@dataclass(frozen=True, slots=True)
class PromptRows:
    """The rows of a split, each with its graph, and its words and rules as names of parts."""

    rows: Sequence[BenchmarkRow]
    graphs: Sequence[Sentence]
    parts: Sequence[frozenset[str]]


@dataclass(frozen=True)
class Material:
    """Items and training sentences of a dataset; ``held_out`` are the structures of each pattern."""

    directory: Path
    signature: str
    split: str
    target: str
    items: PromptRows
    train: PromptRows
    held_out: Mapping[str, tuple[str, ...]]

    @cached_property
    def part_sets(self) -> Mapping[str, frozenset[str]]:
        """The words and rules of each row, by its name."""
        both = (self.train, self.items)
        return {row.id: parts for of in both for row, parts in zip(of.rows, of.parts, strict=True)}

    def pool(self, control: bool) -> PromptRows:
        """Return the rows that can be shots: training sentences, and behind them in a control the items."""
        own, more = self.train, self.items
        both = ([*own.rows, *more.rows], [*own.graphs, *more.graphs], [*own.parts, *more.parts])
        return PromptRows(*both) if control else own


@dataclass(frozen=True, slots=True)
class Prompt:
    """An item and its shots, by names: which shot shows a part; parts that no shot has, and of these no sentence."""

    id: str
    pattern: str
    shots: tuple[str, ...]
    shown: Mapping[str, str]
    missing: tuple[str, ...]
    untrained: tuple[str, ...]


def read_material(path: Path, split: str | None = None, target: str | None = None) -> Material:
    """Read a split of a dataset (``gen`` if there is one), and its training sentences; raises ``PromptsError``."""
    asked = read_benchmark(path, split, target)
    if asked.directory is None:
        raise PromptsError(f"`{path}` has no graphs to prove anything about prompts", "name a dataset directory")
    train, manifest = read_benchmark(path, "train", target), manifest_of(path)
    listed = [entry["path"].of(str) for entry in manifest["files"].elements()]
    used = [name for name in listed if Path(name).stem in (asked.split, "train") and not name.endswith(".parquet")]
    signed = signature(path, manifest["identity"].of(str), MANIFEST, "certificate.json", *used)
    if "|files:" not in signed:
        raise PromptsError(f"the files of `{path}` differ from its list", f"`sglc verify {path}` shows what differs")
    rules = [
        f"rule {rule['name'].of(str)}" if rule["rhs"].of(list) else ""
        for rule in read_document(path / "certificate.json", CERTIFICATE, inside=path)["core"]["grammar"][
            "rules"
        ].elements()
    ]
    patterns = manifest["patterns"].elements()
    held_out = {own["name"].of(str): (*own["forbid"].texts(), *own["never"].texts()) for own in patterns}
    items, training = (_rows(path, own.split, own.rows, rules) for own in (asked, train))
    return Material(path, signed, asked.split, asked.target, items, training, held_out)


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
        raise PromptsError(f"`derivations/{split}.tsv` names rules that are not in `certificate.json`") from None
    lemma = cache(lambda word: f"word {word.get('lemma')}")
    both = zip(used, graphs, strict=True)
    parts = [frozenset([*names, *map(lemma, graph.words)]) - {"", "word "} for names, graph in both]
    return PromptRows(rows, graphs, parts)


def factors_of(material: Material, prompt: Prompt) -> dict[str, float]:
    """Return what may decide how hard a prompt is, from words and rules alone (``docs/prompts.md``)."""
    known = material.part_sets
    item, shots = known[prompt.id], [known[shot] for shot in prompt.shots]
    seen = Counter(part for shot in shots for part in shot)
    means: dict[str, list[float]] = {
        "similarity": [len(item & shot) / len(item) for shot in shots],
        "diversity": [sum(seen[part] == 1 for part in shot) / len(shot) for shot in shots],
        "complexity": [sum(part.startswith("rule ") for part in shot) for shot in shots],
        "exposures": [seen[part] for part in item if shots],
    }
    return {name: round(fmean(values), 4) if values else 0 for name, values in means.items()}


def sentence_of(row: BenchmarkRow) -> str:
    """Return the sentence of a row as it is compared with others: without capitals and further spaces."""
    return " ".join(row.source.split()).casefold()
