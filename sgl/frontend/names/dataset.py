"""Read the declarations on the data: ``dataset`` (sizes, seed, distinctness, ambiguity) and ``release``.

A release has a version, a licence, authors, and a citation of the data.
"""

import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from sgl.core.extent import Extent
from sgl.core.plan import Ambiguous, Release, canary_of, known
from sgl.diagnostics import Label, Reported, attempt, suggest, suggested
from sgl.frontend.names.parameters import Session
from sgl.frontend.names.scopes import Resolved, Scope
from sgl.frontend.names.signature import Signed
from sgl.frontend.names.views import TEMPLATE
from sgl.lang import syntax as s
from sgl.rendering.views import VIEWS
from sgl.values import dataclass, field

SPLITS = ("train", "dev", "test")
_KEYS = (*SPLITS, "gen", "seed", "percent", "from", "input", "output", "distinct", "ambiguous", "unseen")
_DISTINCT = ("sentences", "lemmas")
_ONE_OF_TWO = "remove one of the two"


@dataclass
class DatasetSettings:
    """The ``dataset`` declaration, if ``declared``; it has a ``start`` once ``from`` was read."""

    start: s.Name = field(init=False)
    declared: bool = True
    #: The requested numbers of sentences of each split.
    extents: dict[str, Extent] = field(default_factory=dict)
    seed: int = 1
    #: The percentage to which the numbers of sentences in dataset, patterns and parts are scaled.
    percent: int = 100
    distinct_sentences: bool = False
    distinct_lemmas: list[s.Name] = field(default_factory=list)
    ambiguous: Ambiguous = Ambiguous.REJECT
    #: The layers that a model reads, with quoted words between them.
    inputs: list[s.Name] = field(default_factory=list)
    targets: list[s.Name] = field(default_factory=list)
    #: The size of patterns without a declared size.
    gen: tuple[s.SizeClause, ...] = ()
    #: Ingredients that items of all patterns may have without training showing them.
    unseen: tuple[s.Unseen, ...] = ()


def read_dataset(state: Resolved) -> DatasetSettings:
    """Read the sizes of the splits, the seed, and what must be distinct."""
    declared = state.names.of(s.Dataset)
    if not declared:
        return _do_without(state)
    dataset, scope = declared[-1]
    errors = state.diagnostics.errors
    in_force = _in_force(declared, state)
    sizes = tuple(clause for clause in in_force if isinstance(clause, s.SizeClause))
    unseen = tuple(clause for clause in in_force if isinstance(clause, s.Unseen))
    clauses = [clause for clause in in_force if isinstance(clause, s.DatasetClause)]
    settings = DatasetSettings(gen=sizes, unseen=unseen)
    said: dict[str, s.Name] = {}
    # All other numbers depend on this clause.
    for clause in sorted(clauses, key=lambda clause: clause.key.text != "percent"):
        attempt(_read_clause, clause, settings, said, scope, state)
    if not hasattr(settings, "start"):
        if "from" not in said:
            message = "the dataset does not say which category to start from"
            state.error("SGL0804", dataset.span, message, "add `from` and the category of whole texts")
        raise Reported
    if all(extent.empty for extent in settings.extents.values()) and state.diagnostics.errors == errors:
        state.error("SGL0804", dataset.span, "the dataset asks for no sentences", "say how many: `train 40000`")
    _check_start(settings.start, scope, state)
    return settings


def _check_start(start: s.Name, scope: Scope, state: Resolved) -> None:
    """Check that a category can derive sentences."""
    category = scope.of(start).find(s.CategoryDecl, start)
    parts = [port.name for port in category.ports if "." in port.name.text]
    if category.features:
        listed = ", ".join(f"`{name}`" for name in category.features)
        message = f"a dataset starts from a category without features; `{start}` has {listed}"
        hint = f"make a category of texts: `rule text: Text -> {start}`"
        state.fail("SGL0804", start.span, message, hint, labels=[Label(category.name.span, "declared here")])
    if parts:
        hint = "make a category of texts, with a rule that puts the parts where they belong"
        state.fail("SGL0804", start.span, f"a text is in one piece, but `{start}` has the part `{parts[0]}`", hint)


def _do_without(state: Resolved) -> DatasetSettings:
    """Choose a category without features that is part of no other as the start, with a warning."""
    if state.project.lacks("dataset"):
        raise Reported
    hint = "add `dataset` with `from` and a category, and the sizes of the splits"
    message = "the grammar has no `dataset` declaration"
    rules = [rule for rule, _ in state.names.of(s.Rule)]
    parts = {c.category.name.text for r in rules for c in r.rhs if isinstance(c, s.Child)}
    made = {rule.lhs.name.text for rule in rules} - parts
    declared = [c.name for c, _ in state.names.of(s.CategoryDecl) if not c.features]
    start = next((name for name in declared if name.text in made), None)
    if start is None:
        state.fail("SGL0804", None, message, hint if rules else "go on: sentences are checked once there are rules")
    message = f"{message}: its sentences start from `{start}`"
    notes = ("without a dataset no claim is proved and nothing is compiled",)
    state.warning("SGL0804", start.span, message, hint, label="no rule uses it", notes=notes)
    settings = DatasetSettings(declared=False)
    settings.start = start
    return settings


def _in_force(declared: Sequence[tuple[s.Dataset, Scope]], state: Resolved) -> list[s.SyntaxNode]:
    """Return the clauses that apply: a file's clauses replace clauses of the same kind in the files that it uses."""
    below: dict[Path, set[Path]] = {}
    for unit in state.project.units:
        below[unit.path] = {path for _, used in unit.uses for path in (used.path, *below[used.path])}
    said: dict[str, list[tuple[Path, s.SyntaxNode]]] = {}
    for dataset, scope in declared:
        holding = [clause for clause in dataset.clauses if state.parameters.holds(clause.when)]
        # A conditional number replaces an unconditional one.
        chosen = {clause.key.text for clause in holding if clause.when is not None and clause.amount is not None}
        clauses = [clause for clause in holding if clause.when is not None or clause.key.text not in chosen]
        for clause in (*clauses, *dataset.sizes, *dataset.unseen):
            kind = clause.key.text if isinstance(clause, s.DatasetClause) else type(clause).__name__
            said.setdefault(kind, []).append((scope.unit.path, clause))
    alike = said.values()
    return [one for some in alike for path, one in some if not any(path in below[other] for other, _ in some)]


def _read_clause(
    clause: s.DatasetClause, settings: DatasetSettings, said: dict[str, s.Name], scope: Scope, state: Resolved
) -> None:
    name, key, values = clause.key, clause.key.text, clause.values
    # A conditional target is added to the others.
    if key != "distinct" and (key != "output" or clause.when is None):
        if key in said:
            elsewhere = f"write `{key}` in the `dataset` of `{state.project.main.file.name}`: it replaces both"
            one_file = name.span.file == said[key].span.file
            state.report_twice("clause", name, said[key].span, _ONE_OF_TWO if one_file else elsewhere)
        said.setdefault(key, name)
    if clause.amount is not None and key in _KEYS:
        _read_number(key, clause, settings, scope, state)
    elif key == "from":
        settings.start = values[0]
    elif key == "distinct":
        _read_distinct(values, settings, state)
    elif key == "input":
        settings.inputs.extend(values)
    elif key == "output":
        settings.targets.extend(values)
    elif key == "ambiguous":
        value, known = values[0], [choice.value for choice in Ambiguous]
        if value.text in known:
            settings.ambiguous = Ambiguous(value.text)
        else:
            hint = suggest(value.text, known) or f"write `ambiguous {' | '.join(known)}`"
            state.error("SGL0201", value.span, f"`ambiguous {value}` is not known", hint)
    else:
        # The hint names the intended key, which is then not reported as missing.
        said.setdefault(suggested(key, _KEYS) or key, name)
        state.error("SGL0201", name.span, f"a dataset has no `{key}`", suggest(key, _KEYS, "it has"))


def _read_distinct(values: Sequence[s.Name], settings: DatasetSettings, state: Session) -> None:
    kind, *classes = values
    if kind.text == "sentences" and not classes:
        settings.distinct_sentences = True
    elif kind.text == "lemmas" and classes:
        settings.distinct_lemmas.extend(classes)
    else:
        hint = suggest(kind.text, _DISTINCT) or "write `distinct sentences` or `distinct lemmas NOUN VERB`"
        state.error("SGL0201", kind.span, f"`distinct {kind}` is not known", hint)


def _read_number(key: str, clause: s.DatasetClause, settings: DatasetSettings, scope: Scope, state: Resolved) -> None:
    amount = clause.amount
    assert amount is not None, "the clause has a number"
    if clause.copies is not None and key not in SPLITS:
        state.fail("SGL0201", clause.copies.span, f"`{key}` is not a number of sentences, so it cannot be repeated")
    if key not in (*SPLITS, "seed", "percent"):
        message, hint = f"`{key}` takes a name, not a number", f"write `{key} Text`"
        name = amount.value.text
        if key == "from" and name[:1].isalpha():
            message = f"`from` takes a category, and `{name}` has no capital letter"
            hint = suggest(name, scope.names(s.CategoryDecl)) or f"write `from {name.capitalize()}`"
        state.fail("SGL0201", amount.span, message, hint)
    if key == "percent":
        settings.percent = state.parameters.whole(amount, 1)
    elif key == "seed":
        settings.seed = state.parameters.whole(amount)
    else:
        copies, every = state.parameters.copies(clause.copies), state.parameters.is_all(amount)
        count = 0 if every else state.parameters.sentences(amount, settings.percent)
        settings.extents[key] = Extent(count, every, copies)


def check_lemma_classes(dataset: DatasetSettings, known: Collection[str], state: Session) -> None:
    """Report parts of speech after ``distinct lemmas`` that no word has."""
    classes = sorted(known)
    for name in dataset.distinct_lemmas:
        if name.text not in classes:
            state.error("SGL0808", name.span, f"no word has `upos={name}`", suggest(name.text, classes, "there is"))


def choose_inputs(dataset: DatasetSettings, state: Signed) -> tuple[s.Name, ...]:
    """Return what a model reads, text layers with quoted words between; nothing if that is the first text layer."""
    texts, known = [layer.name for layer in state.signature.text_layers], list[s.Name]()
    for name in dataset.inputs:
        if _is_readable(name, known, texts, state):
            known.append(name)
    if known and all(name.quoted for name in known):
        state.error("SGL0206", known[0].span, "the input names no text layer", f"there is: {', '.join(texts)}")
    return () if [(name.text, name.quoted) for name in known] == [(texts[0], False)] else tuple(known)


def _is_readable(name: s.Name, known: Sequence[s.Name], texts: Sequence[str], state: Signed) -> bool:
    """Return whether a layer or quoted word can be added to those that a model reads; report it otherwise."""
    message, hint = "", ""
    if name.quoted:
        if not name.text or name.text != name.text.strip():
            message = "a word of the input is empty, or has a space at an end"
    elif name.text in {other.text for other in known if not other.quoted}:
        message, hint = f"the input has the layer `{name}` twice", "name each layer once"
    elif name.text not in texts and name.text not in state.signature.unsound:
        message = f"`{name}` cannot be the input of a dataset"
        hint = suggest(name.text, texts) or f"a model reads text layers: {', '.join(texts)}"
    if message:
        state.error("SGL0206", name.span, message, hint)
    return not message


def choose_targets(dataset: DatasetSettings, inputs: Sequence[s.Name], state: Signed) -> tuple[str, ...]:
    """Return the targets of rows: by default the first text layer that is no input, or else the first one-line view."""
    texts = [layer.name for layer in state.signature.text_layers]
    read = [name.text for name in inputs if not name.quoted] or texts[:1]
    layers = [name for name in texts if [name] != read]
    views = {view.name: view.kind for view in state.signature.views if view.kind in VIEWS or view.template}
    known = [*layers, *views]
    chosen = tuple(dict.fromkeys(name.text for name in dataset.targets if _is_target(name, known, state)))
    # An author's own notation is for people to look at, unless the dataset asks for it.
    usual = [name for name in known if views.get(name) != TEMPLATE and name not in read]
    return chosen or tuple(usual[:1]) or (texts[0],)


def _is_target(name: s.Name, known: Sequence[str], state: Signed) -> bool:
    """Return whether a dataset can have a target; report it otherwise."""
    if name.text not in known and name.text not in state.signature.unsound:
        hint = f"text layers, columns and views of one line can; there is: {', '.join(known) or 'none'}"
        message = f"`{name}` cannot be the target of a dataset"
        state.error("SGL0201", name.span, message, suggest(name.text, known) or hint)
    return name.text in known


_VERSION = re.compile(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)")
#: The clauses that every release needs.
_NECESSARY = {"licence": 'add `licence "CC-BY-4.0"`', "authors": 'add `authors "Lovelace, Ada"`'}


def read_release(state: Session) -> Release | None:
    """Return the release that the main file declares, if any and without mistakes."""
    declared = [d for d in state.project.main.file.declarations if isinstance(d, s.ReleaseDecl)]
    if not declared:
        return None
    first, errors = declared[0], state.diagnostics.errors
    for other in declared[1:]:
        labels = [Label(first.span, "declared here first")]
        state.error("SGL0203", other.span, "a grammar has one `release` declaration", labels=labels)
    if not _VERSION.fullmatch(first.version.text):
        message = f"`{first.version}` is not a version of a dataset"
        state.error("SGL0833", first.version.span, message, 'write three numbers: `release "1.0.0"`')
    said, forms = dict[str, s.ReleaseClause](), known()["clauses"]
    texts: dict[str, tuple[str, ...]] = {}
    for clause in first.clauses:
        key = clause.key.text
        # What has several values may have each on a line of its own.
        if key in said and "several" not in forms.get(key, ()):
            state.report_twice("clause", clause.key, said[key].key.span, _ONE_OF_TWO)
        said.setdefault(key, clause)
        texts[key] = (*texts.get(key, ()), *(value.text for value in clause.values))
        _check(clause, state)
    for key, hint in _NECESSARY.items():
        if key not in said:
            state.error("SGL0833", first.span, f"the release does not say its `{key}`", hint)
    if state.diagnostics.errors > errors:
        return None
    values: dict[str, Any] = {key: v if "several" in forms[key] else v[0] for key, v in texts.items()}
    canary = "" if values.get("canary") == "off" else canary_of(state.project.name, texts["authors"][0])
    return Release(first.version.text, **values | {"canary": canary})


def _check(clause: s.ReleaseClause, state: Session) -> None:
    """Report an unknown clause of a release, and unreadable values."""
    key, table = clause.key.text, known()
    if key not in table["clauses"]:
        state.error("SGL0201", clause.key.span, f"a release has no `{key}`", suggest(key, table["clauses"], "it has"))
        return
    form = table["clauses"][key]
    listed = table["licences"] if key in ("licence", "grammar") else {}
    if "several" not in form and len(clause.values) > 1:
        state.error("SGL0833", clause.values[1].span, f"`{key}` takes one value", "put the whole text in quotes")
    for value in clause.values:
        if value.text not in listed and not re.fullmatch(form["form"], value.text):
            hint = suggest(value.text, listed, form["hint"]) if listed else form["hint"]
            state.error("SGL0833", value.span, f"`{value}` does not fit `{key}`", hint)
