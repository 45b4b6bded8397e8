"""Records: what the data files say of each item, made item by item from the definitions.

It is what the columns of ``sgl.dataset.maker`` are held against.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, Item, interpret
from sgl.core.plan import EXPOSURE_PREFIX, IN_DISTRIBUTION, PART_PREFIX, Plan
from sgl.dataset.maker import expression_output, item_id
from sgl.dataset.manifest import counted_labels
from sgl.rendering import Output, ViewError, outputs
from sgl.rendering.template import template_view
from sgl.rendering.views import VIEWS
from sgl.sampling import sample
from sgl.sampling.acceptance import SampledItem, StratumItems
from sgl.sampling.engine import Tables


@dataclass(frozen=True, slots=True)
class Record:
    """One item of a split.

    ``targets`` are the texts of the targets, the first of them ``target``.
    ``number`` counts the items of the split from 1.  ``id`` depends on the
    derivation alone, ``depth`` is the height of its tree in rules, and
    ``features`` counts the recursive relations of its graph (it is empty in a
    grammar without graphs).  ``seed_stream`` names the stream of random numbers
    and the candidate in it.
    """

    split: str
    number: int
    category: str
    split_kind: str
    id: str
    source: str
    targets: tuple[str, ...]
    derivation: str
    depth: int
    features: dict[str, int]
    seed_stream: str
    item: Item

    @property
    def target(self) -> str:
        """The text of the first target."""
        return self.targets[0]

    @property
    def name(self) -> str:
        """The item's name within the dataset, ``train-000001``."""
        return f"{self.split}-{self.number:06d}"


def split_kind(category: str) -> str:
    """``iid``, ``exposure``, ``part`` or ``gen``."""
    if category == IN_DISTRIBUTION:
        return "iid"
    if category.startswith(PART_PREFIX):
        return "part"
    return "exposure" if category.startswith(EXPOSURE_PREFIX) else "gen"


class Recorder:
    """Makes records of what was drawn; numbers the items of each split."""

    def __init__(self, grammar: CoreGrammar, plan: Plan) -> None:
        self._grammar = grammar
        self._source = grammar.text_layer(plan.source)
        known = outputs(grammar)
        self._targets = [known[name] for name in plan.targets]
        self._graph = grammar.graph_layer(plan.lemma_layer) if plan.lemma_layer else None
        self._expression = expression_output(grammar, self._source)
        self._labels = counted_labels(grammar, plan)
        self._written: dict[str, int] = {}

    def records(self, draw: StratumItems) -> Iterator[Record]:
        """The records of a stratum, in the order of its items."""
        for found in draw.items:
            yield self._record(draw, found)

    def _record(self, draw: StratumItems, found: SampledItem) -> Record:
        stratum = draw.stratum
        number = self._written.get(stratum.split, 0) + 1
        self._written[stratum.split] = number
        item = interpret(self._grammar, found.derivation)
        expression = self._expression(found.derivation)
        graph = None if self._graph is None else item.graphs[self._graph]
        return Record(
            split=stratum.split,
            number=number,
            category=stratum.category,
            split_kind=split_kind(stratum.category),
            id=item_id(expression),
            source=item.texts[self._source],
            targets=tuple(_text(target, item) for target in self._targets),
            derivation=expression,
            depth=_height(self._grammar, found.derivation),
            features={name: sum(label == name for _, label, _ in graph.edges) for name in self._labels}
            if graph
            else {},
            seed_stream=f"{stratum.stream}#{found.candidate}",
            item=item,
        )


def _text(target: Output, item: Item) -> str:
    """The text of an item in a target, from the words and graphs that it has already.

    Raises:
        ViewError: its graph has cannot be rendered in the view, as one that is too large.
    """
    if target.layer is None:
        view = next(view for view in target.grammar.views if view.name == target.name)
        tokens = item.tokens[target.grammar.anchors[view.layer]]
        render = template_view(view.template) if view.template else VIEWS[view.kind].render
        try:
            return render(item.graphs[view.layer], tokens)
        except ViewError as problem:
            raise ViewError(f"{target.name}: {problem}, in “{' '.join(tokens)}”") from problem
    return item.texts[target.layer]


def records_of(grammar: CoreGrammar, plan: Plan, tables: Tables) -> list[Record]:
    """The records of all items, in the order in which they are drawn."""
    recorder = Recorder(grammar, plan)
    return [record for part in sample(tables) for record in recorder.records(part)]


def _height(grammar: CoreGrammar, derivation: Derivation) -> int:
    """Return the number of rules on the longest path from the root."""
    stack: list[int] = []
    for rule in reversed(derivation):
        below = [stack.pop() for _ in grammar.rules[rule].rhs]
        stack.append(1 + max(below, default=0))
    return stack.pop()
