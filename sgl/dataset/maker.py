"""Make chunks: from the numbers of candidates to the contents of every file.

A chunk is a function of the grammar, the plan, its place in the split and the candidates that it is
made of, so chunks can be made in any order and by anybody.

Parquet files have each derivation as an s-expression.  It is written with the names of its rules; a rule without
children that introduces words is called by its words: ``(statement (clause (np the dog) (intransitive slept)))``.
Rules that would get the same name are told apart by their category, ``np:NP[anim=yes]``, then by a number,
``bank:N#2``.  So equal texts mean equal derivations.  S-expressions are one more text layer, with a template for each
rule, and ``TemplateWriter`` writes them as any other.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sgl.core.arrays import Column, Derivations, Heading
from sgl.core.grammar import EXTRACTED, CoreGrammar, Slot, Template, TextLayer, Token
from sgl.core.graph import Graph
from sgl.core.interpret import Derivation, derive_graph, derive_tokens
from sgl.core.plan import EXPOSURE_PREFIX, IN_DISTRIBUTION, PART_PREFIX, Plan
from sgl.dataset.rows import (
    Chunk,
    Selection,
    arrow_array,
    content,
    derivation_lines,
    joined,
    rows_of,
    schema_of,
    streams_of,
)
from sgl.rendering.conllu import ConlluError, comments, is_one_line
from sgl.rendering.meaning import ViewError
from sgl.rendering.output import Learned, Output, TemplateWriter, outputs, text_output, words_output
from sgl.sampling.strata import Sampler

#: UD relations by which phrases nest in phrases of the same kind.
RECURSIVE_RELATIONS = frozenset(
    ("acl", "advcl", "amod", "appos", "ccomp", "conj", "csubj", "nmod", "parataxis", "xcomp")
)

#: Characters that have a meaning in an s-expression.
_RESERVED = frozenset('()"\\:#')


def expression_output(grammar: CoreGrammar, source: int) -> Output:
    """Return what writes s-expressions; words of the layer ``source`` name lexical rules."""
    rules = []
    for rule, label in zip(grammar.rules, rule_labels(grammar, source), strict=True):
        template: Template = (Token(label),)
        if rule.rhs:
            parts = [part for child in range(len(rule.rhs)) for part in (Token(" "), Slot(child))]
            template = (Token("("), *template, *parts, Token(")"))
        rules.append(replace(rule, templates=(template,), fragments=()))
    layers = (TextLayer("derivation", join=""),)
    own = replace(grammar, rules=tuple(rules), text_layers=layers, graph_layers=(), views=())
    return text_output(own, 0)


def features_output(grammar: CoreGrammar, layer: int, labels: tuple[str, ...]) -> Output:
    """Return how often labels occur in the graph; of what CoNLL-U shows of it, so that both are written of one."""

    def write(grammar: CoreGrammar, derivation: Derivation) -> str:
        return features(derive_graph(grammar, derivation, layer), labels)

    return replace(words_output(grammar, layer), name="features", write=write)


def item_id(expression: str) -> str:
    """Return the id of an item: 16 hexadecimal digits of the SHA-256 of its derivation."""
    return sha256(expression.encode()).hexdigest()[:16]


def recursive_labels(grammar: CoreGrammar, layer: int) -> tuple[str, ...]:
    """Return the sorted labels that are recursive relations; ``acl:relcl`` is an ``acl``."""
    labels = {
        edge.label
        for rule in grammar.rules
        for edge in rule.fragments[layer].edges
        if not edge.label.startswith(EXTRACTED)
    }
    return tuple(sorted(lab for lab in labels if lab.partition(":")[0] in RECURSIVE_RELATIONS))


def features(graph: Graph, labels: Sequence[str]) -> str:
    """Return how often each of ``labels`` occurs in the graph: ``acl:relcl=0;ccomp=2``."""
    counts = Counter(label for _, label, _ in graph.edges)
    return ";".join(f"{label}={counts[label]}" for label in labels)


def rule_labels(grammar: CoreGrammar, source: int) -> list[str]:
    """Return what s-expressions call each rule, by the words of a text layer."""
    names = []
    for rule in grammar.rules:
        words = " ".join(item.text for item in rule.templates[source] if isinstance(item, Token))
        names.append(_atom(words if rule.lexical and words else rule.name))
    with_category = [
        f"{name}:{_atom(grammar.categories[rule.lhs].name)}" for name, rule in zip(names, grammar.rules, strict=True)
    ]
    names = _disambiguated(names, with_category)
    seen: Counter[str] = Counter()
    ranked: list[str] = []
    for name in names:
        seen[name] += 1
        ranked.append(f"{name}#{seen[name]}")
    return _disambiguated(names, ranked)


def _disambiguated(names: list[str], longer: list[str]) -> list[str]:
    counts = Counter(names)
    return [name if counts[name] == 1 else long for name, long in zip(names, longer, strict=True)]


def _atom(name: str) -> str:
    if name and not any(character.isspace() or character in _RESERVED for character in name):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


class _Columns(NamedTuple):
    """What one selection adds to a chunk."""

    rows: list[bytes]
    conllu: list[bytes]
    columns: list[Column]
    #: Which candidates of which stream the rows are, as an array of Arrow.
    streams: Any
    derivations: bytes
    heights: NDArray[np.int32]
    words: NDArray[np.int32]


def split_kind(category: str) -> str:
    """Return ``iid``, ``exposure``, ``part`` or ``gen``."""
    if category == IN_DISTRIBUTION:
        return "iid"
    if category.startswith(PART_PREFIX):
        return "part"
    return "exposure" if category.startswith(EXPOSURE_PREFIX) else "gen"


class ChunkMaker:
    """Makes the chunks of a dataset."""

    def __init__(
        self, grammar: CoreGrammar, plan: Plan, sampler: Sampler, learned: Mapping[str, Learned] | None = None
    ) -> None:
        """Begin with what another maker has ``learned`` of the same grammar and plan."""
        self._sampler = sampler
        self._schema = schema_of(plan)
        self._source = plan.source
        self._targets = plan.targets
        items = sum(stratum.wanted for stratum in sampler.tables.strata)

        self._writers: dict[str, TemplateWriter] = {}

        def writer(name: str, output: Output, like: TemplateWriter | None = None) -> TemplateWriter:
            found = TemplateWriter(output, items, (learned or {}).get(name), like)
            self._writers[name] = found
            return found

        layers = [layer.name for layer in grammar.text_layers]
        known = {name: target_output(own) for name, own in outputs(grammar).items()}
        #: The texts of all layers and targets but the source, by name.
        self._texts = {
            name: writer(f"text {name}", known[name])
            for name in dict.fromkeys((*layers, *plan.targets))
            if name != plan.source
        }
        expressions = expression_output(grammar, grammar.text_layer(plan.source))
        self._expressions = writer("derivation", expressions)
        self._arity = np.array(grammar.arity, np.int64)
        #: How many words each rule adds to the source.
        self._words = np.array(grammar.source_tokens, np.int32)
        self._sentences: list[SentenceWriter] = []
        for name in (plan.lemma_layer, *plan.graphs) if plan.lemma_layer else ():
            layer = grammar.graph_layer(name)
            anchor = grammar.graph_layers[layer].anchor
            names = dict.fromkeys((anchor, *layers, *plan.targets))
            words = writer(f"words {name}", words_output(grammar, layer))
            measured = {text: partial(_lengths, grammar, text) for text in plan.measured}
            self._sentences.append(SentenceWriter(tuple(names), self._texts, words, measured))
        if self._sentences:
            layer, words = grammar.graph_layer(plan.lemma_layer), self._sentences[0].words
            labels = recursive_labels(grammar, layer)
            self._features = writer("features", features_output(grammar, layer, labels), words)

    @property
    def learned(self) -> dict[str, Learned]:
        """What the writers have learned so far, by the names of what they write."""
        return {name: writer.learned for name, writer in self._writers.items()}

    def chunks(self, parts: Iterable[tuple[str, int, list[Selection]]]) -> Iterator[Chunk]:
        """Yield the chunks that these parts of splits are made into."""
        for split, first, selections in parts:
            yield self.chunk(split, first, selections)

    def chunk(self, split: str, first: int, selections: Sequence[Selection]) -> Chunk:
        """Return the rows of a split from number ``first`` on, made of these candidates.

        Raises ``ConlluError`` or ``ViewError`` if something has no form, ``ValueError`` for tabs or line ends.
        """
        parts: list[_Columns] = []
        number = first
        for selection in selections:
            parts.append(self._part(split, number, selection))
            number += len(selection.numbers)
        columns = [joined(columns) for columns in zip(*(part.columns for part in parts), strict=True)]
        source, target, expression, features, *further = map(arrow_array, columns)
        categories = [selection.stratum.category for selection in selections for _ in selection.numbers]
        table = [
            pa.array(map(item_id, columns[2].texts()), pa.string()),
            source,
            target,
            pa.array(categories, pa.string()),
            pa.array([split_kind(category) for category in categories], pa.string()),
            expression,
            pa.array(np.concatenate([part.heights for part in parts]), pa.int32()),
            features,
            pa.chunked_array([part.streams for part in parts]),
            *further,
        ]
        return Chunk(
            split=split,
            first=first,
            rows=tuple(map(b"".join, zip(*(part.rows for part in parts), strict=True))),
            conllu=tuple(map(b"".join, zip(*(part.conllu for part in parts), strict=True))),
            derivations=b"".join(part.derivations for part in parts),
            table=pa.table(table, schema=self._schema),
            words=np.concatenate([part.words for part in parts]),
            selections=tuple(selections),
        )

    def _part(self, split: str, first: int, selection: Selection) -> _Columns:
        batch = self._sampler.derive(selection.stratum, selection.numbers)
        sources, derivations = batch.sources, batch.derivations
        texts = {name: writer.column(derivations) for name, writer in self._texts.items()}
        texts[self._source] = sources
        targets = [texts[name] for name in self._targets]
        category = selection.stratum.category
        conllu, features = [], Column.of([""] * derivations.number)
        for sentences in self._sentences:
            column = sentences.column(derivations, texts, split, category, first)
            conllu.append(content(column).tobytes())
        if self._sentences:
            features = self._features.column(derivations)
        expressions = self._expressions.column(derivations)
        streams = streams_of(selection)
        words = self._words[derivations.rules[: int(derivations.offsets[-1])]]
        return _Columns(
            rows=[rows_of(sources, target, category) for target in targets],
            conllu=conllu,
            columns=[sources, targets[0], expressions, features, *targets[1:]],
            streams=streams,
            derivations=derivation_lines(streams, derivations),
            heights=derivations.heights(self._arity),
            words=np.add.reduceat(words, derivations.offsets[:-1], dtype=np.int32),
        )


def _lengths(grammar: CoreGrammar, layer: str, derivations: Derivations) -> Column:
    number = grammar.text_layer(layer)
    found = (len(derive_tokens(grammar, own, number)) for own in derivations)
    return Column.of([str(length) for length in found])


def target_output(output: Output) -> Output:
    """Return an output as a target: where a text has no form in a view, the error quotes the sentence."""

    def write(grammar: CoreGrammar, derivation: Derivation) -> str:
        try:
            return output.write(grammar, derivation)
        except ViewError as problem:
            tokens = derive_tokens(grammar, derivation, grammar.anchors[output.uses.graph or 0])
            raise ViewError(f"{output.name}: {problem}, in “{' '.join(tokens)}”") from problem

    return replace(output, write=write)


@dataclass(frozen=True)
class SentenceWriter:
    """Writes CoNLL-U sentences, whose ``words`` are an output like ``words_output``.

    ``names`` are those of the texts in the comments, the text of the graph's words first; ``writers`` have written
    the others.  ``measured`` are the layers whose lengths structures test, with what writes these.
    """

    names: tuple[str, ...]
    writers: Mapping[str, TemplateWriter]
    words: TemplateWriter
    measured: Mapping[str, Callable[[Derivations], Column]]

    def column(
        self, derivations: Derivations, texts: Mapping[str, Column], split: str, category: str, first: int = 1
    ) -> Column:
        """Return the sentences of a category of a split, numbered from ``first``; ``ConlluError`` if one cannot be."""

        def plain(row: int, derivation: Derivation) -> str:
            try:
                return self.words.output.text(derivation)
            except ConlluError as error:
                raise ConlluError(f"{split}-{first + row:06d}: {error}") from None

        begin, *frame = comments(self.names, category, tuple(self.measured))
        numbers = range(first, first + derivations.number)
        lengths = (lengths_of(derivations) for lengths_of in self.measured.values())
        shown: list[Heading] = [*(texts[name] for name in self.names), *lengths, ""]
        around = [piece for pair in zip(frame, shown, strict=True) for piece in pair]
        column = self.words.column(derivations, (f"{begin}{split}-", numbers, *around), plain)
        known = {name for name, writer in self.writers.items() if writer.one_line}
        unknown = [texts[name] for name in self.names[1:] if name not in known]
        for comment in (Column.of([category]), *unknown):
            for row, text in enumerate(comment.texts()):
                if not is_one_line(text):
                    raise ConlluError(f"{split}-{first + row:06d}: the text {text!r} is not one line")
        return column
