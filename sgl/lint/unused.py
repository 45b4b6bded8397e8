"""Find unused declarations, rules, feature values, columns and variants of tables.

Not reported: what another setting of the parameters uses, what a library file declares, and values that only an unused
rule or word would set.
"""

from collections.abc import Iterator
from pathlib import Path

from sgl.diagnostics import Diagnostics, Label, attempt, suggest
from sgl.frontend import Compiled
from sgl.frontend.elaborate.tables import blocks_of
from sgl.frontend.names.kinds import KINDS
from sgl.frontend.names.scopes import OF_THEMSELVES
from sgl.lang import syntax as s
from sgl.lint.registry import Finding, Subject, of_dataset, of_grammar


@of_dataset("SGL0204")
def unused_names(subject: Subject, _: Compiled) -> Iterator[Finding]:
    """Find declarations of the project that nothing uses under any setting, once all names were resolved."""
    names = subject.names
    for declaration, scope in names.declarations:
        if scope.unit.is_library or isinstance(declaration, OF_THEMSELVES):
            continue
        if isinstance(declaration, s.NamedDeclaration) and declaration.span not in names.used:
            name = declaration.name
            if name.text not in subject.names_left_out:
                message = f"the {KINDS[type(declaration)]} `{name}` is never used"
                yield Finding(name.span, message, "remove it, or use it")


@of_grammar("SGL0704")
def unreachable_rules(subject: Subject) -> Iterator[Finding]:
    """Find rules and words that no text uses, except words of a lexicon."""
    start, told = subject.declared.grammar.categories[subject.declared.grammar.start].name, set[str]()
    # A word with an open feature is a word for each of its values.
    used = {production.span for production in subject.productions if id(production) in subject.instances_of}
    for production in subject.productions:
        name = production.name
        if production.span not in used and not production.pool and name not in told:
            told.add(name)
            category = production.lhs.info.name
            message = f"`{name}` never takes part in a sentence: `{category}` cannot be reached from `{start}`"
            yield Finding(production.span, message, f"use `{category}` in a rule, or remove `{name}`")


@of_grammar("SGL0411")
def asked_in_vain(subject: Subject) -> Iterator[Finding]:
    """Find features that a rule requires of a child although no rule or word of its category mentions them."""
    said = {
        (production.lhs.info.name, feature)
        for production in subject.productions
        for feature in production.lhs.info.features
        if feature not in production.lhs.free
    }
    told = set[tuple[str, str]]()
    for production in subject.productions:
        for child in production.rhs:
            for feature in sorted(child.mentioned - child.free):
                value, key = child.slots[child.info.features.index(feature)], (child.info.name, feature)
                if isinstance(value, frozenset) and key not in said and key not in told:
                    told.add(key)
                    message = (
                        f"`{production.name}` asks for `{feature}={'|'.join(sorted(value))}` of `{child.info.name}`"
                    )
                    notes = (f"no rule or word with `{child.info.name}` on its left mentions `{feature}`",)
                    hint = "give some of them a value, or remove the feature"
                    yield Finding(child.span, f"{message}, but nothing distinguishes its values", hint, notes=notes)


@of_grammar("SGL0612")
def unused_columns(subject: Subject) -> Iterator[Finding]:
    """Find columns of tables that no lexicon mentions."""
    mentioned = _mentioned_columns(subject)
    for path, table in subject.tables.items():
        for column in table.columns:
            if column not in mentioned[path]:
                rows = (row for row in table.rows if any(column in x for x in (row.cells, *row.variants.values())))
                hint = suggest(column, mentioned[path], f"the lexicons of `{table.name}` mention")
                yield Finding(next(rows).span, f"no lexicon mentions the column `{column}`", hint)


def _mentioned_columns(subject: Subject) -> dict[Path, dict[str, None]]:
    found: dict[Path, dict[str, None]] = {}
    for lexicon, scope in subject.names.declared(s.Lexicon):
        # A path that cannot be located was reported when it was to be read.
        path = attempt(scope.locate, lexicon.path, Diagnostics())
        names = [condition.column for condition in lexicon.where]
        names += [column.name for column in s.parts_of(s.Column, (lexicon, *blocks_of(lexicon, scope)))]
        if path is not None:
            found.setdefault(path, {}).update((name.text, None) for name in names)
    return found


@of_grammar("SGL0616")
def unused_variants(subject: Subject) -> Iterator[Finding]:
    """Find variants of rows that no lexicon mentions."""
    lexicons = (lexicon for lexicon, _ in subject.names.declared(s.Lexicon))
    mentioned = {variant.name.text for lexicon in lexicons for variant in lexicon.variants}
    for table in subject.tables.values():
        for variant in sorted({*table.variants} - mentioned):
            row = next(row for row in table.rows if variant in row.variants)
            hint = suggest(variant, mentioned) or f"add a line `variant {variant} when …` to the lexicon"
            yield Finding(row.span, f"no lexicon mentions the variant `{variant}`", hint)


@of_grammar("SGL0616")
def idle_variants(subject: Subject) -> Iterator[Finding]:
    """Find cells of variants that repeat the row's own cell."""
    for row in (row for table in subject.tables.values() for row in table.rows):
        for variant, cells in row.variants.items():
            for column in (column for column, cell in cells.items() if row.cells.get(column, "") == cell):
                message = f"the variant `{variant}` of this row changes nothing in the column `{column}`"
                yield Finding(row.span, message, "remove the cell from the variant")


@of_grammar("SGL0410")
def idle_values(subject: Subject) -> Iterator[Finding]:
    """Find feature values that no phrase has, though it has others; a rule may require them in vain."""
    given = _given_values(subject)
    for feature, scope in subject.names.of(s.Feature):
        known = given.get(feature.name.text, set())
        for value in () if scope.unit.is_library or not known else feature.values:
            if value.name.text not in known and not _is_left_out(feature, value, subject):
                message = f"no phrase has the value `{value.name}` of the feature `{feature.name}`"
                hint = "remove it, or let a word or a rule set it"
                yield Finding(value.name.span, message, hint, labels=_asking(feature, value, subject))


def _is_left_out(feature: s.Feature, value: s.FeatureValue, subject: Subject) -> bool:
    """Return whether an unused declaration may set a value, by its name or in a column of a table."""
    settings = (one for one in s.parts_of(s.Setting, subject.left_out) if one.feature.text == feature.name.text)
    by_column = any(not isinstance(part, s.Name) for setting in settings for part in setting.values)
    return by_column or value.name.text in subject.names_left_out


def _given_values(subject: Subject) -> dict[str, set[str]]:
    """Return the values that phrases of texts have, and those that idle rules would give them."""
    given: dict[str, set[str]] = {}
    for name, values in {instance.lhs for instance in subject.instances}:
        for feature, value in zip(subject.signature.categories[name].features, values, strict=True):
            given.setdefault(feature, set()).add(value)
    for pattern in (production.lhs for production in subject.productions if id(production) not in subject.instances_of):
        for feature, slot in zip(pattern.info.features, pattern.slots, strict=True):
            given.setdefault(feature, set()).update(() if isinstance(slot, str) else slot)
    return given


def _asking(feature: s.Feature, value: s.FeatureValue, subject: Subject) -> tuple[Label, ...]:
    """Return a label for the first rule that requires a value."""
    settings = s.parts_of(s.Setting, tuple(rule for rule, _ in subject.names.of(s.Rule)))
    asking = (x for x in settings if x.feature.text == feature.name.text)
    names = [name for name in s.parts_of(s.Name, tuple(asking)) if name.text == value.name.text]
    return tuple(Label(name.span, "asked for here, in vain") for name in names[:1])
