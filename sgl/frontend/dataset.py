"""Read the ``dataset`` declaration: sizes, seed, what is distinct, what may be ambiguous."""

from __future__ import annotations

from dataclasses import dataclass, field

from sgl.core.plan import Ambiguous
from sgl.diagnostics import Label, suggest, suggested
from sgl.frontend.names import Scope
from sgl.frontend.parameters import report_twice
from sgl.frontend.state import CompilerState
from sgl.frontend.views import WRITTEN
from sgl.frontend.vocabulary import vocabulary
from sgl.lang import syntax as s

SPLITS = ("train", "dev", "test")
_KEYS = (*SPLITS, "seed", "from", "target", "distinct", "ambiguous")
_DISTINCT = ("sentences", "lemmas")
_ONE_OF_TWO = "remove one of the two"


@dataclass
class DatasetSettings:
    """The ``dataset`` declaration; it has a ``start`` once ``from`` was read."""

    start: s.Name = field(init=False)
    sizes: dict[str, int] = field(default_factory=dict)
    seed: int = 1
    distinct_sentences: bool = False
    distinct_lemmas: list[s.Name] = field(default_factory=list)
    ambiguous: Ambiguous = Ambiguous.REJECT
    targets: list[s.Name] = field(default_factory=list)


def read_dataset(state: CompilerState) -> None:
    """Read the sizes of the splits, the seed, and what must be distinct.

    Before: ``names``.  After: ``dataset``, if there is one with a start.
    """
    declared = _declared(state)
    if declared is None:
        return
    dataset, scope = declared
    errors = state.diagnostics.errors
    settings = DatasetSettings()
    reader = _Reader(settings, scope, state)
    for clause in dataset.clauses:
        reader.clause(clause)
    if not hasattr(settings, "start"):
        if "from" not in reader.said:
            message = "the dataset does not say which category to start from"
            hint = "add `from` and the category of whole texts"
            state.error("SGL0804", dataset.span, message, hint)
        return
    if not any(settings.sizes.values()) and state.diagnostics.errors == errors:
        hint = "say how many: `train 40000`"
        state.error("SGL0804", dataset.span, "the dataset asks for no sentences", hint)
    if _check_start(settings.start, scope, state):
        state.dataset = settings


def _declared(state: CompilerState) -> tuple[s.Dataset, Scope] | None:
    """Return the ``dataset`` declaration; None after a report."""
    declared = state.names.of(s.Dataset)
    if not declared:
        if not state.names.project.lacks("dataset"):
            hint = "add `dataset` with `from` and a category, and the sizes of the splits"
            state.error("SGL0804", None, "the grammar has no `dataset` declaration", hint)
        return None
    if len(declared) > 1:
        second, first = declared[1][0], declared[0][0]
        state.error(
            "SGL0203",
            second.span,
            "a grammar has one `dataset` declaration",
            _ONE_OF_TWO,
            labels=[Label(first.span, "declared here first")],
        )
    return declared[-1]


def _check_start(start: s.Name, scope: Scope, state: CompilerState) -> bool:
    """Return whether the category after ``from`` is one that whole texts can have."""
    category = scope.find(s.CategoryDecl, start)
    if category is None:
        return False
    if category.features:
        listed = ", ".join(f"`{name}`" for name in category.features)
        state.error(
            "SGL0804",
            start.span,
            f"a dataset starts from a category without features; `{start}` has {listed}",
            f"make a category of texts: `rule text: Text -> {start}`",
            labels=[Label(category.name.span, "declared here")],
        )
        return False
    return True


def check_lemma_classes(state: CompilerState) -> None:
    """Report parts of speech after ``distinct lemmas`` that no word has.

    Before: ``declared`` and ``dataset``.
    """
    if not state.signature.graph_layers:
        return
    classes = sorted(vocabulary(state.declared.grammar, 0).attributes["upos"])
    for name in state.dataset.distinct_lemmas:
        if name.text not in classes:
            hint = suggest(name.text, classes, "there is")
            state.error("SGL0808", name.span, f"no word has `upos={name}`", hint)


def choose_targets(state: CompilerState) -> None:
    """Find what the rows of the dataset have beside the source: text layers and views, in order.

    By default that is the second text layer, or else the first view that can be a target.

    Before: ``signature`` and ``dataset``.  After: ``targets``.
    """
    source, *layers = [layer.name for layer in state.signature.text_layers]
    views = [view.name for view in state.signature.views if view.kind in WRITTEN]
    known = [*layers, *views]
    for name in state.dataset.targets:
        if name.text not in known and name.text not in state.signature.unsound:
            state.error(
                "SGL0201",
                name.span,
                f"`{name}` cannot be the target of a dataset",
                suggest(name.text, known)
                or f"text layers and views of the kinds {', '.join(WRITTEN)} can; "
                f"there is: {', '.join(known) or 'none'}",
            )
    chosen = tuple(dict.fromkeys(name.text for name in state.dataset.targets if name.text in known))
    state.targets = chosen or tuple(known[:1]) or (source,)


class _Reader:
    """Reads the clauses into the settings; ``said`` has the first of each keyword."""

    def __init__(self, settings: DatasetSettings, scope: Scope, state: CompilerState) -> None:
        self.settings = settings
        self.categories = scope.names(s.CategoryDecl)
        self.state = state
        self.said: dict[str, s.Name] = {}

    def clause(self, clause: s.DatasetClause) -> None:
        key = clause.key.text
        if clause.when is not None:
            # A target under a condition stands after those that others name.
            if self.state.parameters.holds(clause.when):
                self.settings.targets.extend(clause.values)
            return
        if key != "distinct" and key in self.said:
            report_twice(
                "clause", clause.key, self.said[key].span, self.state.diagnostics, _ONE_OF_TWO
            )
        self.said.setdefault(key, clause.key)
        if clause.amount is not None and key in _KEYS:
            self._number(key, clause.amount)
        elif key == "from":
            self.settings.start = clause.values[0]
        elif key == "distinct":
            self._distinct(clause)
        elif key == "target":
            self.settings.targets.extend(clause.values)
        elif key == "ambiguous":
            self._ambiguous(clause.values[0])
        else:
            # What was meant is said by the hint, and is not reported as missing.
            self.said.setdefault(suggested(key, _KEYS) or key, clause.key)
            hint = suggest(key, _KEYS, "it has")
            self.state.error("SGL0201", clause.key.span, f"a dataset has no `{key}`", hint)

    def _number(self, key: str, amount: s.Amount) -> None:
        if key not in (*SPLITS, "seed"):
            message = f"`{key}` takes a name and no number"
            hint = f"write `{key} Text`"
            name = amount.value.text
            if key == "from" and name[:1].isalpha():
                message = f"`from` takes a category, and `{name}` has no capital letter"
                hint = suggest(name, self.categories) or f"write `from {name.capitalize()}`"
            self.state.error("SGL0201", amount.span, message, hint)
            return
        number = self.state.parameters.whole(amount)
        if number is not None and key == "seed":
            self.settings.seed = number
        elif number is not None:
            self.settings.sizes[key] = number

    def _ambiguous(self, value: s.Name) -> None:
        known = [choice.value for choice in Ambiguous]
        if value.text in known:
            self.settings.ambiguous = Ambiguous(value.text)
        else:
            hint = suggest(value.text, known) or f"write `ambiguous {' | '.join(known)}`"
            self.state.error("SGL0201", value.span, f"`ambiguous {value}` is not known", hint)

    def _distinct(self, clause: s.DatasetClause) -> None:
        kind, *values = clause.values
        if kind.text == "sentences" and not values:
            self.settings.distinct_sentences = True
        elif kind.text == "lemmas" and values:
            self.settings.distinct_lemmas.extend(values)
        else:
            self.state.error(
                "SGL0201",
                kind.span,
                f"`distinct {kind}` is not known",
                suggest(kind.text, _DISTINCT)
                or "write `distinct sentences` or `distinct lemmas NOUN VERB`",
            )
