"""Plan the dataset: which strata each split has, under which constraint."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sgl.compile.names import Names, Scope
from sgl.compile.patterns import LoweredPattern
from sgl.compile.signature import Signature
from sgl.compile.switches import Parameters, report_twice
from sgl.core.plan import (
    EXPOSURE_PREFIX,
    IN_DISTRIBUTION,
    Constraint,
    Plan,
    Quota,
    Stratum,
    foreign,
)
from sgl.core.structure import Structure
from sgl.diagnostics import Diagnostics, Label, suggest
from sgl.lang import syntax as s

SPLITS = ("train", "dev", "test")
GEN = "gen"
_KEYS = (*SPLITS, "seed", "from", "distinct")
_DISTINCT = ("sentences", "lemmas")
_ONE_OF_TWO = "remove one of the two"


@dataclass(frozen=True)
class DatasetSettings:
    """The ``dataset`` declaration."""

    start: s.Name
    sizes: dict[str, int]
    seed: int
    distinct_sentences: bool
    distinct_lemmas: tuple[s.Name, ...]


def read_dataset(
    names: Names, parameters: Parameters, diagnostics: Diagnostics
) -> DatasetSettings | None:
    """What the ``dataset`` declaration says; None after a report."""
    declared = _declared(names, diagnostics)
    if declared is None:
        return None
    dataset, scope = declared
    errors = diagnostics.errors
    settings = _Settings(parameters, diagnostics)
    for clause in dataset.clauses:
        settings.clause(clause)
    if settings.start is None:
        diagnostics.error(
            "SGL0804",
            dataset.span,
            "the dataset does not say which category to start from",
            hint="add `from` and the category of whole texts",
        )
        return None
    if not any(settings.sizes.values()) and diagnostics.errors == errors:
        diagnostics.error(
            "SGL0804",
            dataset.span,
            "the dataset asks for no sentences",
            hint="say how many: `train 40000`",
        )
    if not _check_start(settings.start, scope, diagnostics):
        return None
    return DatasetSettings(
        settings.start,
        settings.sizes,
        settings.seed,
        settings.distinct_sentences,
        tuple(settings.distinct_lemmas),
    )


def _declared(names: Names, diagnostics: Diagnostics) -> tuple[s.Dataset, Scope] | None:
    """The ``dataset`` declaration; None after a report."""
    declared = names.of(s.Dataset)
    if not declared:
        if not names.project.lacks("dataset"):
            diagnostics.error(
                "SGL0804",
                None,
                "the grammar has no `dataset` declaration",
                hint="add `dataset` with `from` and a category, and the sizes of the splits",
            )
        return None
    if len(declared) > 1:
        second, first = declared[1][0], declared[0][0]
        diagnostics.error(
            "SGL0203",
            second.span,
            "a grammar has one `dataset` declaration",
            labels=[Label(first.span, "declared here first")],
            hint=_ONE_OF_TWO,
        )
    return declared[-1]


def _check_start(start: s.Name, scope: Scope, diagnostics: Diagnostics) -> bool:
    """Whether the category after ``from`` is one that whole texts can have."""
    category = scope.find(s.CategoryDecl, start)
    if category is None:
        return False
    if category.features:
        listed = ", ".join(f"`{name}`" for name in category.features)
        diagnostics.error(
            "SGL0804",
            start.span,
            f"a dataset starts from a category without features; `{start}` has {listed}",
            labels=[Label(category.name.span, "declared here")],
            hint=f"make a category of texts: `rule text: Text -> {start}`",
        )
        return False
    return True


def check_lemma_classes(
    settings: DatasetSettings, known: Iterable[str], diagnostics: Diagnostics
) -> None:
    """Report parts of speech after ``distinct lemmas`` that no word has."""
    classes = sorted(known)
    for name in settings.distinct_lemmas:
        if name.text not in classes:
            diagnostics.error(
                "SGL0808",
                name.span,
                f"no word has `upos={name}`",
                hint=suggest(name.text, classes) or f"there is: {', '.join(classes)}",
            )


class _Settings:
    def __init__(self, parameters: Parameters, diagnostics: Diagnostics) -> None:
        self.parameters = parameters
        self.diagnostics = diagnostics
        self.start: s.Name | None = None
        self.sizes: dict[str, int] = {}
        self.seed = 1
        self.distinct_sentences = False
        self.distinct_lemmas: list[s.Name] = []
        self.said: dict[str, s.Name] = {}

    def clause(self, clause: s.DatasetClause) -> None:
        key = clause.key.text
        if key != "distinct" and key in self.said:
            report_twice("clause", clause.key, self.said[key].span, self.diagnostics, _ONE_OF_TWO)
        self.said.setdefault(key, clause.key)
        if key == "from":
            self.start = clause.values[0]
        elif key == "distinct":
            self._distinct(clause)
        elif clause.amount is not None and (key in SPLITS or key == "seed"):
            number = self.parameters.whole(clause.amount, self.diagnostics)
            if number is not None and key == "seed":
                self.seed = number
            elif number is not None:
                self.sizes[key] = number
        else:
            self.diagnostics.error(
                "SGL0201",
                clause.key.span,
                f"a dataset has no `{key}`",
                hint=suggest(key, _KEYS) or f"it has: {', '.join(_KEYS)}",
            )

    def _distinct(self, clause: s.DatasetClause) -> None:
        kind, *values = clause.values
        if kind.text == "sentences" and not values:
            self.distinct_sentences = True
        elif kind.text == "lemmas" and values:
            self.distinct_lemmas.extend(values)
        else:
            self.diagnostics.error(
                "SGL0201",
                kind.span,
                f"`distinct {kind}` is not known",
                hint=suggest(kind.text, _DISTINCT)
                or "write `distinct sentences` or `distinct lemmas NOUN VERB`",
            )


def make_plan(
    settings: DatasetSettings, patterns: Sequence[LoweredPattern], signature: Signature
) -> Plan:
    """The strata of all splits, in the order in which they are drawn."""
    layers = signature.text_layers
    return Plan(
        seed=settings.seed,
        source=layers[0].name,
        target=layers[1].name if len(layers) > 1 else layers[0].name,
        strata=tuple(_strata(settings, patterns)),
        patterns=tuple(lowered.pattern for lowered in patterns),
        distinct_lemmas=tuple(dict.fromkeys(name.text for name in settings.distinct_lemmas)),
        distinct_sentences=settings.distinct_sentences,
        lemma_layer=signature.graph_layers[0].name if signature.graph_layers else "",
    )


def _strata(settings: DatasetSettings, patterns: Sequence[LoweredPattern]) -> list[Stratum]:
    forbidden = _unique(f for lowered in patterns for f in lowered.pattern.forbid)
    reserved = _unique(r for lowered in patterns for r in lowered.pattern.reserved)
    in_distribution = Constraint((), (*forbidden, *reserved), keep=True)
    strata = []
    for split in SPLITS:
        count = settings.sizes.get(split, 0)
        if count:
            stream = f"{split}/{IN_DISTRIBUTION}"
            strata.append(Stratum(split, IN_DISTRIBUTION, stream, count, in_distribution))
        if split == "train":
            for lowered in patterns:
                strata.extend(_exposures(lowered, patterns, forbidden))
    for lowered in patterns:
        strata.extend(_gen(lowered, patterns))
    return strata


def _exposures(
    lowered: LoweredPattern,
    patterns: Sequence[LoweredPattern],
    forbidden: tuple[Structure, ...],
) -> list[Stratum]:
    """Exposures contain nothing held out, and nothing that others reserve."""
    name = lowered.pattern.name
    others = _unique(
        r for other in patterns if other is not lowered for r in other.pattern.reserved
    )
    strata = []
    for index, exposure in enumerate(lowered.pattern.expose):
        own = {exposure.structure, *lowered.pattern.reserved}
        exclude = tuple(r for r in others if r not in own)
        constraint = Constraint(((exposure.structure,),), (*forbidden, *exclude), keep=True)
        stream = f"train/{EXPOSURE_PREFIX}{name}/{index}"
        strata.append(
            Stratum(
                "train",
                f"{EXPOSURE_PREFIX}{name}",
                stream,
                exposure.count,
                constraint,
                exposure.repeated,
                lowered.pattern.targets if exposure.each_target else (),
            )
        )
    return strata


def _gen(lowered: LoweredPattern, patterns: Sequence[LoweredPattern]) -> list[Stratum]:
    """Items contain their structure, nobody else's, and no word of other exposures."""
    pattern = lowered.pattern
    if not pattern.forbid and not pattern.quotas:
        return []  # An assertion about the grammar, with nothing to test.
    strange = _unique(
        structure
        for other in patterns
        for structure in (
            *foreign(pattern, [other.pattern]),
            *_words_of_others(lowered, other),
        )
    )
    strata = []
    for index, quota in enumerate(pattern.quotas or (Quota(0),)):
        require = (pattern.gen, *quota.groups)
        exclude = (*pattern.exclude, *quota.outside, *strange)
        stream = f"{GEN}/{pattern.name}/{index}"
        targets = pattern.targets if quota.each_target else ()
        constraint = Constraint(require, exclude)
        strata.append(Stratum(GEN, pattern.name, stream, quota.count, constraint, targets=targets))
    return strata


def _words_of_others(lowered: LoweredPattern, other: LoweredPattern) -> list[Structure]:
    """Words that only exposures of another pattern may contain, unless both have them."""
    shared = set(other.pattern.targets) & set(lowered.pattern.targets)
    if other is lowered or other.target_structure is None or shared:
        return []
    return [other.target_structure]


def _unique(structures: Iterable[Structure]) -> tuple[Structure, ...]:
    return tuple(dict.fromkeys(structures))
