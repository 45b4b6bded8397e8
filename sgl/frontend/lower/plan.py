"""Plan the dataset: the strata of each split, and their constraints.

The structures that a declaration reserves are excluded from all other strata::

                      held out   reserved   parts' own   nowhere
    in distribution      no         no          no          no
    exposures of p       no      p's own        no          no
    part q               no         no       q's own        no
    items of p        p's own      (words)      no          no

The module also reports patterns that hold out the same structure, and needs that exceed the size of training.  The
input of the dataset is a text layer that a model reads, or several of them, one after the other.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, combinations, product

from sgl.core import plan
from sgl.core.extent import Extent
from sgl.core.grammar import CoreGrammar
from sgl.core.inputs import BETWEEN, alike, with_input
from sgl.core.joint import PLUS
from sgl.core.structure import NodeTest, Structure
from sgl.diagnostics import Label, Span
from sgl.frontend.lower.patterns import LoweredPart, LoweredPattern
from sgl.frontend.lower.structures import LoweredRestriction
from sgl.frontend.names.dataset import SPLITS, DatasetSettings
from sgl.frontend.names.parameters import Session
from sgl.frontend.names.signature import Signature, Signed
from sgl.lang import syntax as s
from sgl.memory import kept
from sgl.values import dataclass


@dataclass(frozen=True)
class Claims:
    """The claims about the data: patterns, parts and restrictions."""

    patterns: tuple[LoweredPattern, ...] = ()
    parts: tuple[LoweredPart, ...] = ()
    restrictions: tuple[LoweredRestriction, ...] = ()


def make_plan(
    settings: DatasetSettings, source: str, targets: tuple[str, ...], claims: Claims, signature: Signature
) -> plan.Plan:
    """Divide the dataset into strata, in drawing order; structures that are ``nowhere`` are excluded from all."""
    equal = (repr(settings), source, targets, signature.text_layers, signature.graph_layers)
    nowhere = _unique(*(restriction.structures for restriction in claims.restrictions))
    make = partial(_plan, _Strata(settings, claims.patterns, claims.parts, nowhere), source, targets, signature)
    return kept("plan", (*claims.patterns, *claims.parts), (len(claims.patterns), nowhere, *equal), make)


def _plan(strata: "_Strata", source: str, targets: tuple[str, ...], signature: Signature) -> plan.Plan:
    settings, patterns, parts, nowhere = strata.settings, strata.patterns, strata.parts, strata.nowhere
    speaking = [*(one.places for one in patterns), *(one.places for one in parts), nowhere]
    spoken = {name for s in chain(*speaking) for name in s.layer.split(PLUS)}
    return plan.Plan(
        seed=settings.seed,
        source=source,
        target=targets[0],
        strata=tuple(strata.all()),
        patterns=tuple(lowered.pattern for lowered in patterns),
        distinct_lemmas=tuple(dict.fromkeys(name.text for name in settings.distinct_lemmas)),
        distinct_sentences=settings.distinct_sentences,
        lemma_layer=signature.graph_layers[0].name if signature.graph_layers else "",
        parts=tuple(lowered.part for lowered in parts),
        nowhere=nowhere,
        ambiguous=settings.ambiguous,
        further=tuple(targets[1:]),
        graphs=tuple(layer.name for layer in signature.graph_layers[1:] if layer.name in spoken),
    )


@dataclass(frozen=True)
class _Strata:
    """The strata of one plan."""

    settings: DatasetSettings
    patterns: Sequence[LoweredPattern]
    parts: Sequence[LoweredPart]
    nowhere: tuple[Structure, ...]

    def all(self) -> Iterator[plan.Stratum]:
        for split in SPLITS:
            extent = self.settings.extents.get(split, Extent())
            if not extent.empty:
                name = f"{split}/{plan.IN_DISTRIBUTION}"
                constraint = self._trained((), self._reserved(()), self._only(None))
                yield plan.Stratum(split, plan.IN_DISTRIBUTION, name, extent, constraint)
            for lowered in self.patterns if split == plan.TRAIN else ():
                yield from self._exposures(lowered.pattern)
            for part in self.parts:
                yield from self._part(part, split)
        for lowered in self.patterns:
            yield from self._gen(lowered)

    def _trained(
        self, require: tuple[tuple[Structure, ...], ...], reserved: Iterable[Structure], *exclude: Iterable[Structure]
    ) -> plan.Constraint:
        """Return the constraint of a training stratum; structures that patterns hold out or reserve are cut."""
        cut = _unique(*(lowered.pattern.forbid for lowered in self.patterns), reserved)
        return plan.Constraint(require, _unique(cut, *exclude, self.nowhere), cut)

    def _reserved(self, allowed: Collection[str]) -> Iterable[Structure]:
        others = (lowered for lowered in self.patterns if lowered.pattern.name not in allowed)
        return (structure for lowered in others for structure in lowered.pattern.reserved)

    def _only(self, own: LoweredPart | None, *, item: bool = False) -> Iterable[Structure]:
        """Return the structures that only other parts may contain; an ``item`` may contain tested parts."""
        others = (p for p in self.parts if p is not own and not (item and p.part.tested))
        return (structure for lowered in others for structure in lowered.part.only)

    def _exposures(self, pattern: plan.Pattern) -> Iterator[plan.Stratum]:
        category = f"{plan.EXPOSURE_PREFIX}{pattern.name}"
        for index, exposure in enumerate(pattern.expose):
            own = {exposure.structure, *pattern.reserved}
            others = (r for r in self._reserved([pattern.name]) if r not in own)
            yield plan.Stratum(
                plan.TRAIN,
                category,
                f"{plan.TRAIN}/{category}/{index}",
                exposure.extent,
                self._trained(((exposure.structure,),), others, self._only(None)),
            )

    def _part(self, lowered: LoweredPart, split: str) -> Iterator[plan.Stratum]:
        part = lowered.part
        category = f"{plan.PART_PREFIX}{part.name}"
        others = [structure for structure in self._only(lowered) if structure not in part.only]
        for index, quota in enumerate(part.quotas):
            # A part without sentences still excludes its structures from all others.
            if quota.split == split and not quota.extent.empty:
                reserved = self._reserved(part.allow)
                yield plan.Stratum(
                    split,
                    category,
                    f"{split}/{category}/{index}",
                    quota.extent,
                    self._trained((part.only, *quota.groups), reserved, quota.outside, others),
                    repeated_lemmas=part.repeated_lemmas,
                )

    def _gen(self, lowered: LoweredPattern) -> Iterator[plan.Stratum]:
        pattern = lowered.pattern
        if not pattern.forbid and not pattern.quotas:
            return  # An assertion about the grammar has nothing to test.
        strange: list[Structure] = []
        for other in self.patterns:
            strange += plan.foreign(pattern, [other.pattern])
            # A word that only exposures may contain, unless both patterns have it.
            shared = set(other.pattern.targets) & set(pattern.targets)
            if other is not lowered and other.target_structure is not None and not shared:
                strange.append(other.target_structure)
        for index, quota in enumerate(pattern.quotas or (plan.Quota(Extent()),)):
            only = self._only(None, item=True)
            excluded = _unique(pattern.exclude, quota.outside, strange, only, self.nowhere)
            yield plan.Stratum(
                plan.GEN,
                pattern.name,
                f"{plan.GEN}/{pattern.name}/{index}",
                quota.extent,
                plan.Constraint((pattern.gen, *quota.groups), excluded),
            )


def _unique(*structures: Iterable[Structure]) -> tuple[Structure, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(structures)))


def check_patterns(claims: Claims, dataset: DatasetSettings, state: Session) -> None:
    """Report requests of patterns that contradict each other or the dataset."""
    patterns = claims.patterns
    _check_held_out(patterns, state)
    trained = [dataset.extents.get(plan.TRAIN, Extent())]
    trained += [exposure.extent for lowered in patterns for exposure in lowered.pattern.expose]
    quotas = (quota for lowered in claims.parts for quota in lowered.part.quotas)
    trained += [quota.extent for quota in quotas if quota.split == plan.TRAIN]
    most = sum(extent.most for extent in trained)
    for lowered in patterns:
        if any(quota.extent.contexts for quota in lowered.pattern.quotas):
            _check_contexts(lowered, dataset, state)
        if dataset.declared:
            _check_trained(lowered, most, dataset, state)


def _check_trained(lowered: LoweredPattern, trained: float, dataset: DatasetSettings, state: Session) -> None:
    """Report a pattern that needs more training sentences than there are, or has items but no training."""
    asked = [(lowered.span("need", n), need.minimum) for n, need in enumerate(lowered.pattern.need)]
    hint = "need fewer, or make `train` larger"
    if plan.TRAIN not in dataset.extents:
        hint = "the dataset has no `train`: add `train 40000` to it"
    for span, number in asked:
        if number > trained:
            state.error("SGL0821", span, f"{number:,} sentences are needed, but training has {trained:,}", hint)
    if not (asked or trained) and not all(quota.extent.empty for quota in lowered.pattern.quotas):
        message = f"training has no sentences, and each word of an item of `{lowered.pattern.name}` must be in it"
        state.error("SGL0821", lowered.span("size", 0), message, hint)


def _check_contexts(lowered: LoweredPattern, dataset: DatasetSettings, state: Session) -> None:
    if not dataset.distinct_sentences:
        message = "the contexts of an instance could be equal to one another"
        state.error("SGL0825", lowered.declaration.name.span, message, "write `distinct sentences` in `dataset`")
    for structure in (own for own in lowered.pattern.gen if not own.body.variables):
        message = "an instance is a phrase, but this structure is about whole texts"
        place = lowered.places.get(structure) or lowered.declaration.name.span
        state.error("SGL0825", place, message, f"say what the phrase is: `{{ N[lemma=…]; {str(structure.body)[2:]}`")


def _check_held_out(patterns: Sequence[LoweredPattern], state: Session) -> None:
    """Report the pairs of patterns that hold out the same structure."""
    held: dict[tuple[int, Structure], Span] = {}
    holding: dict[Structure, list[int]] = {}
    for number, lowered in enumerate(patterns):
        kinds = (("forbid", lowered.pattern.forbid), ("never", lowered.pattern.never))
        for kind, index, structure in ((kind, *one) for kind, some in kinds for one in enumerate(some)):
            form = structure.canonical()
            if held.setdefault((number, form), span := lowered.span(kind, index)) is span:
                holding.setdefault(form, []).append(number)
    for form, numbers in holding.items():
        for first, second in combinations(numbers, 2):
            _check_same(patterns[first], patterns[second], held[first, form], held[second, form], state)


def _check_same(first: LoweredPattern, second: LoweredPattern, earlier: Span, span: Span, state: Session) -> None:
    allowing = [
        f"`allow {other.pattern.name}` to `{one.pattern.name}`"
        for one, other in ((first, second), (second, first))
        if other.pattern.name not in one.pattern.allow
    ]
    if allowing:
        names = f"`{first.pattern.name}` and `{second.pattern.name}`"
        labels = [Label(earlier, "the same is held out here")]
        notes = ("an item of one would contain what the other holds out",)
        hint = f"add {' and '.join(allowing)}, or make one of the two structures narrower"
        state.error("SGL0819", span, f"{names} hold out the same structure", hint, labels=labels, notes=notes)


def check_interchangeable(claims: Claims, grammar: CoreGrammar, state: Session) -> None:
    """Report structures that tell names apart, and instances with names in several contexts."""
    spoken = [*(one.places for one in claims.patterns), *(one.places for one in claims.parts)]
    spoken += [one.places for one in claims.restrictions]
    for structure, place in (pair for places in spoken if grammar.names for pair in places.items()):
        if (test := next(telling_apart(structure, grammar), None)) is not None:
            message = f"names can be exchanged, and `{test}` is true for some names of a lexicon only"
            state.error("SGL0840", place, message, "test what all names share, as in `upos=PROPN`")
    for lowered in claims.patterns if grammar.names else ():
        for number, quota in enumerate(lowered.pattern.quotas):
            if quota.extent.contexts:
                message = "an instance in several contexts would keep its names, which are drawn for each sentence"
                state.error("SGL0840", lowered.span("size", number), message, "leave out `instances in … contexts`")


def telling_apart(structure: Structure, grammar: CoreGrammar) -> Iterator[NodeTest]:
    """Yield each test of a structure that some names of a lexicon pass and others do not."""
    layers = [number for number, layer in enumerate(grammar.graph_layers) if layer.name in structure.layer.split(PLUS)]
    variables = (variable for body in (structure.body, *structure.without) for variable in body.variables)
    tests = dict.fromkeys(test for variable in variables for test in variable.tests)
    for test, rules, layer in product(tests, chain.from_iterable(grammar.names), layers):
        fragments = [grammar.rules[rule].fragments[layer] for rule in rules]
        for nodes in zip(*(fragment.nodes for fragment in fragments), strict=False):
            if len({test.accepts(dict(node.attributes or ()).get(test.attribute, "")) for node in nodes}) > 1:
                yield test


def source_of(inputs: Sequence[s.Name], usual: str) -> str:
    """Return the name of the text layer with the input: ``story+question`` for two, ``story+`` for one with words."""
    layers = [name.text for name in inputs if not name.quoted] or [usual]
    return BETWEEN.join(layers) + BETWEEN * (len(layers) == 1 < len(inputs))


def read_together(inputs: Sequence[s.Name], grammar: CoreGrammar, state: Signed) -> CoreGrammar:
    """Return a grammar that has the input as one text layer; report layers that cannot be read so."""
    named = {name.text: name for name in inputs if not name.quoted}
    layers, errors = [grammar.text_layer(name) for name in named], state.diagnostics.errors
    for name, layer in zip(named.values(), layers, strict=True):
        one_way = next((rule.name for rule in grammar.rules if rule.applies_functions(layer)), "")
        if one_way:
            message = f"`{name}` cannot be the input of a dataset: `{one_way}` applies functions there"
            hint = "an input is parsed, so that no other reading of it has another answer"
            state.error("SGL0206", name.span, message, hint)
    if len(inputs) > 1 and not alike([grammar.text_layers[layer] for layer in layers]):
        message = f"{' and '.join(f'`{name}`' for name in named)} are not written alike, so that they are no one text"
        hint = "give the layers the same options, but for `capital`"
        state.error("SGL0207", inputs[0].span.to(inputs[-1].span), message, hint)
    within = next((rule for rule in grammar.rules if grammar.start in rule.rhs), None)
    if len(inputs) > 1 and within is not None:
        start = grammar.categories[grammar.start].name
        message = f"`{start}` is a whole text, and a phrase of `{within.name}`: its layers cannot be put in order"
        hint = f"start from another category, with a rule that makes it of a whole text: `rule item: Item -> {start}`"
        state.error("SGL0207", inputs[0].span.to(inputs[-1].span), message, hint)
    if state.diagnostics.errors > errors or len(inputs) == 1:
        return grammar
    parts = [name.text if name.quoted else grammar.text_layer(name.text) for name in inputs]
    return with_input(grammar, source_of(inputs, ""), parts)
