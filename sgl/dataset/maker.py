"""Make chunks: turn the numbers of candidates into the contents of every file.

A chunk depends only on the grammar, the plan, its place in the split and its candidates, so chunks can be made in any
order and by any process.

Parquet files contain each derivation as an s-expression of rule names; a rule without children that introduces words is
named by them: ``(statement (clause (np the dog) (intransitive slept)))``. Rules of the same name are distinguished by
their category, ``np:NP[anim=yes]``, then by a number, ``bank:N#2``.  So equal texts mean equal derivations.
S-expressions are a text layer with a template for each rule, written by ``TemplateWriter`` like any other.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Any

import numpy as np
import pyarrow as pa

from sgl.core.arrays import Column, Derivations, Heading
from sgl.core.derivation import RULES
from sgl.core.grammar import CoreGrammar, Slot, Template, TextLayer, Token
from sgl.core.interpret import Derivation, derive_graph, derive_heads, derive_tokens
from sgl.core.plan import EXPOSURE_PREFIX, IN_DISTRIBUTION, PART_PREFIX, Plan
from sgl.dataset.manifest import counted_labels
from sgl.dataset.rows import (
    Chunk,
    Selection,
    arrow_array,
    content,
    derivation_lines,
    joined,
    joined_derivations,
    numbered,
    rows_of,
    schema_of,
    streams_of,
)
from sgl.rendering.conllu import ConlluError, comments, is_one_line
from sgl.rendering.meaning import ViewError
from sgl.rendering.output import Output, TemplateWriter, outputs, text_output, words_output
from sgl.sampling.strata import Sampler
from sgl.values import dataclass, replace

#: Characters that have a meaning in an s-expression.
_RESERVED = frozenset('()"\\:#')


def expression_output(grammar: CoreGrammar, source: int) -> Output:
    """Return the output that writes s-expressions; words of the layer ``source`` name lexical rules."""
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
    """Return the output that counts labels in the graph; it uses what CoNLL-U uses, so both can be written at once."""

    def write(grammar: CoreGrammar, derivation: Derivation) -> str:
        counts = Counter(label for _, label, _ in derive_graph(grammar, derivation, layer).edges)
        return "".join(f"{counts[label]} " for label in labels)

    return replace(words_output(grammar, layer), name="features", write=write)


def item_id(expression: str) -> str:
    """Return the id of an item: 16 hexadecimal digits of the SHA-256 of its derivation."""
    return sha256(expression.encode()).hexdigest()[:16]


def rule_labels(grammar: CoreGrammar, source: int) -> list[str]:
    """Return the name of each rule in s-expressions, by the words of a text layer."""
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


def split_kind(category: str) -> str:
    """Return the kind of a category: ``iid``, ``exposure``, ``part`` or ``gen``."""
    if category == IN_DISTRIBUTION:
        return "iid"
    if category.startswith(PART_PREFIX):
        return "part"
    return "exposure" if category.startswith(EXPOSURE_PREFIX) else "gen"


class ChunkMaker:
    """Makes the chunks of a dataset."""

    def __init__(self, grammar: CoreGrammar, plan: Plan, sampler: Sampler) -> None:
        """Prepare the writers."""
        self._sampler = sampler
        self._counted = counted_labels(grammar, plan)
        self._schema = schema_of(plan, self._counted)
        self._source = plan.source
        self._targets = plan.targets
        items = sum(stratum.wanted for stratum in sampler.tables.strata)

        layers = [layer.name for layer in grammar.text_layers]
        known = {name: target_output(own) for name, own in outputs(grammar).items()}
        #: Writers of the texts of all layers and targets except the source, by name.
        self._texts = {
            name: TemplateWriter(known[name], items)
            for name in dict.fromkeys((*layers, *plan.targets))
            if name != plan.source
        }
        expressions = expression_output(grammar, 0)
        self._expressions = TemplateWriter(expressions, items)
        self._arity = np.array(grammar.arity, np.int64)
        source = grammar.text_layer(plan.source)
        own = (sum(x.weight for x in rule.templates[source] if isinstance(x, Token)) for rule in grammar.rules)
        #: The number of source words that each rule adds.
        self._words = np.fromiter(own, np.int32, len(grammar.rules))
        self._sentences: list[SentenceWriter] = []
        for name in (plan.lemma_layer, *plan.graphs) if plan.lemma_layer else ():
            layer = grammar.graph_layer(name)
            anchor = grammar.graph_layers[layer].anchor
            names = dict.fromkeys((anchor, *layers, *plan.targets))
            words = TemplateWriter(words_output(grammar, layer), items)
            measured = {f"length_{text}": partial(_lengths, grammar, text) for text in plan.measured}
            measured |= {f"heads_{graph}": partial(_heads, grammar, graph) for graph in plan.headed}
            self._sentences.append(SentenceWriter(tuple(names), self._texts, words, measured))
        if self._sentences:
            layer, words = grammar.graph_layer(plan.lemma_layer), self._sentences[0].words
            self._features = TemplateWriter(features_output(grammar, layer, self._counted), items, words)

    def chunks(self, parts: Iterable[tuple[str, int, list[Selection]]]) -> Iterator[Chunk]:
        """Yield a chunk for each of these parts of splits."""
        for split, first, selections in parts:
            yield self.chunk(split, first, selections)

    def chunk(self, split: str, first: int, selections: Sequence[Selection]) -> Chunk:
        """Return the rows of a split from number ``first`` on, made from these candidates.

        Raises ``ConlluError`` or ``ViewError`` if a value has no form, ``ValueError`` for tabs or line ends.
        """
        batches = [self._sampler.derive(selection.stratum, selection.numbers) for selection in selections]
        derivations = joined_derivations([batch.derivations for batch in batches])
        texts = {name: writer.column(derivations) for name, writer in self._texts.items()}
        texts[self._source] = source = joined([batch.sources for batch in batches])
        targets = [texts[name] for name in self._targets]
        categories = [selection.stratum.category for selection in selections for _ in selection.numbers]
        category = Column.of(categories)
        conllu = [one.column(derivations, texts, split, category, first) for one in self._sentences]
        counts = list[Any]()
        if self._counted:
            written = content(self._features.column(derivations)).tobytes().decode()
            numbers = np.fromstring(written, np.int32, sep=" ").reshape(-1, len(self._counted))
            counts = [pa.StructArray.from_arrays(list(map(pa.array, numbers.T.copy())), list(self._counted))]
        expressions = self._expressions.column(derivations)
        streams = pa.concat_arrays(list(map(streams_of, selections)))
        words = self._words[derivations.rules[: int(derivations.offsets[-1])]]
        table = [
            pa.array(map(item_id, expressions.texts()), pa.string()),
            arrow_array(source),
            arrow_array(targets[0]),
            arrow_array(category),
            pa.array(map(split_kind, categories), pa.string()),
            arrow_array(expressions),
            pa.array(derivations.heights(self._arity), pa.int32()),
            *counts,
            streams,
            *map(arrow_array, targets[1:]),
        ]
        return Chunk(
            split=split,
            first=first,
            rows=tuple(rows_of(source, target, category) for target in targets),
            conllu=tuple(content(column).tobytes() for column in conllu),
            derivations=derivation_lines(streams, derivations),
            table=pa.table(table, schema=self._schema),
            words=np.add.reduceat(words, derivations.offsets[:-1], dtype=np.int32),
            selections=tuple(selections),
        )


def _lengths(grammar: CoreGrammar, layer: str, derivations: Derivations) -> Column:
    number = grammar.text_layer(layer)
    found = (len(derive_tokens(grammar, own, number)) for own in derivations)
    return Column.of([str(length) for length in found])


def _heads(grammar: CoreGrammar, layer: str, derivations: Derivations) -> Column:
    number = grammar.graph_layer(layer)
    return Column.of([" ".join(map(str, derive_heads(grammar, own, number))) for own in derivations])


def target_output(output: Output) -> Output:
    """Return an output as a target, whose errors quote the sentence."""

    def write(grammar: CoreGrammar, derivation: Derivation) -> str:
        try:
            return output.write(grammar, derivation)
        except ViewError as problem:
            anchor = grammar.anchors[output.uses.graph or 0]
            tokens = derive_tokens(grammar, derivation, 0 if grammar.text_layers[anchor].name == RULES else anchor)
            raise ViewError(f"{output.name}: {problem}, in “{' '.join(tokens)}”") from problem

    return replace(output, write=write)


@dataclass(frozen=True)
class SentenceWriter:
    """Writes CoNLL-U sentences; ``words`` writes an output like ``words_output``.

    ``names`` are those of the texts in the comments, the text of the graph's words first; ``writers`` have written
    the others.  ``measured`` are the lengths and heads that structures ask for, with what writes these.
    """

    names: tuple[str, ...]
    writers: Mapping[str, TemplateWriter]
    words: TemplateWriter
    measured: Mapping[str, Callable[[Derivations], Column]]

    def column(
        self, derivations: Derivations, texts: Mapping[str, Column], split: str, category: Heading, first: int = 1
    ) -> Column:
        """Return CoNLL-U sentences of a split, numbered from ``first``; raises ``ConlluError`` if one has no form."""

        def plain(row: int, derivation: Derivation) -> str:
            try:
                return self.words.output.text(derivation)
            except ConlluError as error:
                raise ConlluError(f"{split}-{first + row:06d}: {error}") from None

        begin, *frame = comments(self.names, tuple(self.measured))
        numbers = numbered(first, derivations.number)
        lengths = (lengths_of(derivations) for lengths_of in self.measured.values())
        shown: list[Heading] = [category, *(texts[name] for name in self.names), *lengths, ""]
        around = [piece for pair in zip(frame, shown, strict=True) for piece in pair]
        column = self.words.column(derivations, (f"{begin}{split}-", numbers, *around), plain)
        known = {name for name, writer in self.writers.items() if writer.one_line}
        unknown = [texts[name] for name in self.names[1:] if name not in known]
        named = Column.of([category]) if isinstance(category, str) else category
        for comment in (named, *unknown):
            for row, text in enumerate(comment.texts()):
                if not is_one_line(text):
                    raise ConlluError(f"{split}-{first + row:06d}: the text {text!r} is not one line")
        return column
