"""Read what prompts are made of: items, training sentences, their graphs, and the words and rules that each uses.

A *part* is what an item needs and a shot can show::

    word dog                  a lemma in the graph of its sentence
    rule modified             a rule of its derivation, but for those of words
    { V -[nsubj]-> N }        a piece of a structure that its pattern holds out
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from sgl.dataset import MANIFEST, manifest_of, signature
from sgl.diagnostics import UserError
from sgl.foreign import BENCHMARK, CERTIFICATE, lines_of, read_bytes, read_text
from sgl.pipeline.matches import OccurrenceError, written_graphs
from sgl.research.evaluate.benchmark import Benchmark, BenchmarkRow, read_benchmark
from sgl.verify.certificate_format import read_certificate
from sgl.verify.conllu import Sentence
from sgl.verify.schema_grammar import CertifiedGrammar, Flaw


class PromptsError(UserError):
    """No prompts can be made of a dataset."""

    code = "SGL1412"


class PromptRow(NamedTuple):
    """A row with its graph, its words and rules as names of parts, and its derivation."""

    row: BenchmarkRow
    graph: Sentence
    parts: frozenset[str]
    derivation: tuple[int, ...]


@dataclass(frozen=True)
class Material:
    """Items and training sentences of a dataset; ``held_out`` are the structures of each pattern.

    ``layer`` is the graph layer of the graphs, ``core`` the grammar of the dataset's certificate.
    """

    directory: Path
    signature: str
    asked: Benchmark
    layer: str
    items: Sequence[PromptRow]
    train: Sequence[PromptRow]
    held_out: Mapping[str, tuple[str, ...]]
    core: CertifiedGrammar

    @cached_property
    def known(self) -> Mapping[str, PromptRow]:
        """Each row by its name."""
        return {of.row.id: of for of in (*self.train, *self.items)}

    def pool(self, control: bool) -> Sequence[PromptRow]:
        """Return the rows that can be shots: training sentences, and behind them in a control the items."""
        return [*self.train, *self.items] if control else self.train

    def rules(self, derivation: Iterable[int]) -> frozenset[str]:
        """Return the names of the rules of a derivation as parts, except rules of words."""
        rules = self.core.rules
        return frozenset(f"rule {rules[number].name}" for number in derivation if rules[number].rhs)


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
    try:
        core = read_certificate(read_bytes(path / "certificate.json", CERTIFICATE, inside=path)).core.grammar
    except Flaw as problem:
        raise PromptsError(f"`certificate.json` of `{path}` cannot be read: {problem}") from None
    rules = [f"rule {rule.name}" if rule.rhs else "" for rule in core.rules]
    patterns = manifest["patterns"].elements()
    held_out = {own["name"].of(str): (*own["forbid"].texts(), *own["never"].texts()) for own in patterns}
    items, training = (_rows(path, own.split, own.rows, rules) for own in (asked, train))
    return Material(path, signed, asked, manifest["distinct"]["layer"].of(str), items, training, held_out, core)


def _rows(path: Path, split: str, rows: Sequence[BenchmarkRow], rules: Sequence[str]) -> list[PromptRow]:
    try:
        graphs = list(written_graphs(path, split))
    except OccurrenceError as problem:
        raise PromptsError(f"the graphs of `{path}` cannot be read: {problem}") from None
    lines = lines_of(read_text(path / "derivations" / f"{split}.tsv", BENCHMARK, inside=path))
    if not len(rows) == len(graphs) == len(lines):
        raise PromptsError(f"`{path}` has {len(rows):,} rows, {len(graphs):,} graphs and {len(lines):,} derivations")
    try:
        derivations = [tuple(map(int, line.partition("\t")[2].split())) for line in lines]
        used = [[rules[number] for number in derivation] for derivation in derivations]
    except (ValueError, IndexError):
        raise PromptsError(f"`derivations/{split}.tsv` names rules that are not in `certificate.json`") from None
    lemma = cache(lambda word: f"word {word.get('lemma')}")
    parts = (
        frozenset([*names, *map(lemma, graph.words)]) - {"", "word "} for names, graph in zip(used, graphs, strict=True)
    )
    return list(map(PromptRow, rows, graphs, parts, derivations))


def factors_of(material: Material, prompt: Prompt) -> dict[str, float]:
    """Return what may decide how hard a prompt is, from words and rules alone (``docs/prompts.md``)."""
    item, *shots = (material.known[name].parts for name in (prompt.id, *prompt.shots))
    seen = Counter(part for shot in shots for part in shot)
    means: dict[str, list[float]] = {
        "similarity": [len(item & shot) / len(item) for shot in shots],
        "diversity": [sum(seen[part] == 1 for part in shot) / len(shot) for shot in shots],
        "complexity": [sum(part.startswith("rule ") for part in shot) for shot in shots],
        "exposures": [seen[part] for part in item if shots],
    }
    return {name: round(fmean(values), 4) if values else 0 for name, values in means.items()}


def sentence_of(source: str) -> str:
    """Return the source of a row as it is compared with others: without capitals and further spaces."""
    return " ".join(source.split()).casefold()
