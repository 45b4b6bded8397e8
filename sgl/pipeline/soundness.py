"""Check that a compiled grammar is usable, and turn sizes that its plan leaves open into numbers.

Sampling must terminate, and views must have forms; each check shows the smallest text with a problem.  ``train all``
has as many sentences as its grammar has derivations, and ``longest(train)`` depends on the training grammar and what it
excludes.  Structures contain its name up to this point, where it becomes a number everywhere::

    size 500 within { length en > longest(train) }     { length en >= longest(train)+1 }
    training has texts of 11 words at most             { length en >= 12 }
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

from sgl.automata import Consistency, StructureCompiler
from sgl.automata.proofs.edits import shape_of
from sgl.automata.weights.inside import consistency
from sgl.automata.weights.split import count_derivations, endless_rule, longest_text
from sgl.core.grammar import Rule
from sgl.core.interpret import Derivation, interpret
from sgl.core.plan import PART_PREFIX, Stratum, structures_of
from sgl.core.smallest import SmallestTexts
from sgl.core.structure import LengthTest, Structure
from sgl.diagnostics import Diagnostic, Diagnostics, Label, Span, shortlist, suggest
from sgl.foreign import limits, raising
from sgl.frontend import Compiled
from sgl.frontend.lower.patterns import LoweredPart, LoweredPattern
from sgl.frontend.names.parameters import MAX_COUNT
from sgl.lang.syntax import ColumnDecl, SyntaxNode, ViewDecl
from sgl.memory import kept
from sgl.pipeline.sentences import deciding, place_of_stream
from sgl.rendering import Output, ViewError, outputs


def check_soundness(compiled: Compiled, diagnostics: Diagnostics) -> None:
    """Report unbounded recursion, and views without a form."""
    figures = consistency(compiled.grammar)
    if figures.proper:
        views = (*compiled.project.declarations(ViewDecl), *compiled.project.declarations(ColumnDecl))
        same, places = (shape_of(compiled.grammar), *views), (compiled.plan.targets, compiled.rule_spans)
        diagnostics.extend(kept("views", same, places, partial(check_views, compiled)))
    else:
        _report_improper(compiled, figures, diagnostics)


def _report_improper(compiled: Compiled, figures: Consistency, diagnostics: Diagnostics) -> None:
    grammar = compiled.grammar
    names = [grammar.categories[category].name for category in figures.cycle]
    above = dict(zip(figures.cycle, (*figures.cycle[1:], *figures.cycle[:1]), strict=True))
    growing = [rule for rule in grammar.rules if rule.lhs in above and above[rule.lhs] in rule.rhs]
    spans = list(dict.fromkeys(compiled.rule_spans[rule.id] for rule in growing))
    growth = (
        f"a phrase contains on average {figures.spectral_radius:.3g} phrases one level down "
        "(spectral radius of the mean matrix; it must be below 1)"
    )
    diagnostics.error(
        "SGL0707",
        spans[0] if spans else compiled.dataset_span,
        "sampling from this grammar may never end",
        label="this rule makes a phrase inside a phrase of the same kind",
        labels=[Label(span, "and this one") for span in spans[1:4]],
        notes=(
            "the recursion is " + " → ".join([*names, *names[:1]]) if names else "",
            growth,
            f"a derivation ends with probability {figures.termination:.3g}",
        ),
        hint="give these rules less weight, or the other rules of their categories more",
    )


def check_views(compiled: Compiled) -> tuple[Diagnostic, ...]:
    """Report the rules and words whose smallest text has no form in a target, each mistake once."""
    grammar, diagnostics = compiled.grammar, Diagnostics()
    columns = {column.name.text: column for column in compiled.project.declarations(ColumnDecl)}
    _check_templates(compiled, diagnostics)
    failing, sound = ([], set[int]()) if diagnostics.errors else _failing_texts(compiled)
    blamed: set[int] = set()
    for derivation, view, problem in failing:
        suspects = [rule for rule in derivation if rule not in sound]
        if blamed.isdisjoint(suspects):
            blamed.update(suspects)
            layer, column = grammar.graph_layers[view.uses.graph or 0], columns.get(view.name)
            text = interpret(grammar, derivation).texts[0 if column else grammar.anchors[view.uses.graph or 0]]
            message = f"a text cannot be rendered in the view `{view.name}`: {problem}"
            hint = f"look at the attributes of its words and the edges of its rules in `{layer.name}`"
            span = compiled.rule_spans[_to_blame(view, suspects or derivation, problem)]
            if column is not None:
                message, span = f"the column `{view.name}` cannot be computed: {problem}", column.name.span
                reads = shortlist(name.text for name in column.arguments)
                hint = f"a template is tried on the smallest texts; it reads {reads}"
            code = "SGL0838" if column else "SGL0513"
            diagnostics.error(code, span, message, hint, notes=(f"the text is: {text}",))
    return diagnostics.found


def _failing_texts(compiled: Compiled) -> tuple[list[tuple[Derivation, Output, str]], set[int]]:
    """Return the smallest texts without a form, each with view and problem, and the rules of all other texts."""
    targets = (outputs(compiled.grammar)[name] for name in compiled.plan.targets)
    views = [target for target in targets if target.layer is None]
    failing: list[tuple[Derivation, Output, str]] = []
    sound: set[int] = set()
    for derivation in SmallestTexts(compiled.grammar).of_all() if views else ():
        problems = [(derivation, view, _problem(view, derivation)) for view in views]
        found = [problem for problem in problems if problem[2]]
        failing += found[:1]
        sound.update(() if found else derivation)
    return failing, sound


def _check_templates(compiled: Compiled, diagnostics: Diagnostics) -> None:
    if not (templates := {view.name: view for view in compiled.grammar.views if view.template}):
        return
    from sgl.rendering.template import column_of, template_view

    declared: list[ViewDecl | ColumnDecl] = [*compiled.project.declarations(ViewDecl)]
    for declaration in (*declared, *compiled.project.declarations(ColumnDecl)):
        view = templates.get(declaration.name.text)
        what, code = ("view", "SGL0513") if isinstance(declaration, ViewDecl) else ("column", "SGL0838")
        try:
            if view is not None:
                column_of(view.template, view.reads) if view.reads else template_view(view.template)
        except ViewError as problem:
            written = declaration.path or (declaration.template if isinstance(declaration, ColumnDecl) else None)
            place = written.span if written else declaration.span
            diagnostics.error(code, place, f"the {what} `{declaration.name}` cannot be used: {problem}")


def _problem(view: Output, derivation: Derivation) -> str:
    try:
        view.text(derivation)
    except ViewError as problem:
        return str(problem)
    return ""


def _to_blame(view: Output, suspects: Sequence[int], problem: str) -> int:
    for number in suspects:
        rule = view.grammar.rules[number]
        for node in rule.fragments[view.uses.graph or 0].nodes if rule.lexical else ():
            if f"'{dict(node.attributes or ()).get('lemma', '')}'" in problem:
                return number
    return suspects[0]


def with_extents(compiled: Compiled, diagnostics: Diagnostics) -> Compiled:
    """Return a grammar whose plan has numbers for the sizes that depend on its own parts."""
    plan = compiled.plan
    asked = dict.fromkeys(length for length in compiled.lengths if length.part)
    if not asked and all(stratum.extent.exact for stratum in plan.strata):
        return compiled
    compiler = StructureCompiler(compiled.grammar)
    found: dict[LengthTest, LengthTest] = {}
    with deciding(compiled, diagnostics):
        for test in asked:
            if (number := _longest(compiled, compiler, test, diagnostics)) is not None:
                found[test] = replace(test, number=number + test.number, part="")
        if not diagnostics.errors:
            compiled = _numbered(compiled, found)
            strata = tuple(_counted(compiled, compiler, x, diagnostics) for x in compiled.plan.strata)
            compiled = replace(compiled, plan=replace(compiled.plan, strata=strata))
    return compiled


def _numbered(compiled: Compiled, found: Mapping[LengthTest, LengthTest]) -> Compiled:
    if not found:
        return compiled

    def numbered(structure: Structure) -> Structure:
        lengths = tuple(found.get(test, test) for test in structure.body.lengths)
        same = lengths == structure.body.lengths
        return structure if same else replace(structure, body=replace(structure.body, lengths=lengths))

    names = ("plan", "patterns", "parts", "restrictions", "tests")
    parts: Any = {name: _mapped(getattr(compiled, name), numbered) for name in names}
    return replace(compiled, **parts)


def _counted(compiled: Compiled, compiler: StructureCompiler, stratum: Stratum, diagnostics: Diagnostics) -> Stratum:
    if stratum.extent.exact or diagnostics.errors:
        return stratum
    split, span = compiler.split(stratum.constraint), place_of_stream(compiled, stratum.stream)
    if (extent := stratum.extent.counted(count_derivations(split))) is None:
        message = f"`{stratum.stream}` is infinite: `all` of it cannot be listed"
        report_endless(compiled, diagnostics, span, endless_rule(split), message)
    elif stratum.extent.every and extent.count * extent.copies > MAX_COUNT:
        message = f"`{stratum.stream}` has {extent.count:,} sentences in all"
        notes = (f"at most {MAX_COUNT:,} sentences can be asked for in one place",)
        hint = "write a number, or make this part of the data narrower"
        diagnostics.error("SGL0705", span, message, hint, notes=notes)
    return stratum if extent is None else replace(stratum, extent=extent)


def _longest(compiled: Compiled, compiler: StructureCompiler, test: LengthTest, diagnostics: Diagnostics) -> int | None:
    span = _place_of(test, compiled)
    if not (strata := _strata_named(test, compiled, span, diagnostics)):
        return None
    number = 0
    for length in (longest_text(compiler.split(stratum.constraint), test.layer) for stratum in strata):
        if isinstance(length, Rule):
            message = f"`{test.part}` has no longest text in `{test.layer}`"
            report_endless(compiled, diagnostics, span, length, message)
            return None
        number = max(number, length)
    return number if _can_be_counted(number, test, span, diagnostics) else None


def _strata_named(test: LengthTest, compiled: Compiled, span: Span, diagnostics: Diagnostics) -> list[Stratum]:
    """Return the strata of the part that a length test names; report an unknown part and return none."""
    strata = compiled.plan.strata
    named = [s for s in strata if test.part in (s.split, s.category.removeprefix(PART_PREFIX))]
    if not named:
        parts = (s.category.removeprefix(PART_PREFIX) for s in strata if PART_PREFIX in s.category)
        hint = suggest(test.part, dict.fromkeys((*(s.split for s in strata), *parts)), "there is")
        diagnostics.error("SGL0201", span, f"the dataset has no part `{test.part}`", hint)
    structures = chain.from_iterable(structures_of(stratum.constraint) for stratum in named)
    if any(length.part for structure in structures for length in structure.body.lengths):
        message = f"`longest({test.part})` depends on itself"
        notes = (f"what {test.part} contains is decided by a structure with `longest`",)
        hint = "write a number where training is held out from, or excludes something"
        diagnostics.error("SGL0831", span, message, hint, notes=notes)
        return []
    return named


def _place_of(test: LengthTest, compiled: Compiled) -> Span:
    """Return the first place of a length test."""
    declared: list[LoweredPattern | LoweredPart] = [*compiled.patterns, *compiled.parts]
    written = [(s, place) for lowered in declared for s, place in lowered.places.items()]
    for own in compiled.tests:
        written += [(s, graph.span) for s, graph in zip(own.structures, own.declaration.graphs, strict=True)]
    return next((place for s, place in written if test in s.body.lengths), compiled.dataset_span)


def _can_be_counted(number: int, test: LengthTest, span: Span, diagnostics: Diagnostics) -> bool:
    """Return whether a structure can count to the length of the longest text plus the offset; report it if not."""
    longest, most = f"the longest text of `{test.part}` has {number:,} words in `{test.layer}`", limits().counts
    if number + test.number < 0:
        diagnostics.error("SGL0801", span, "no text has fewer than 0 words", notes=(longest,))
    elif number + test.number > most:
        notes = (f"a structure can count to at most {most}",)
        hint = f"{raising('counts', number + test.number)} allows it; the automaton grows with it"
        diagnostics.error("SGL0801", span, longest, hint, notes=notes)
    return 0 <= number + test.number <= most


def report_endless(compiled: Compiled, diagnostics: Diagnostics, span: Span, rule: Rule, message: str) -> None:
    """Report that a part of the data is unbounded, because of a recursive rule."""
    diagnostics.error(
        "SGL0831",
        span,
        message,
        "bound the part, as by `forbid { length en >= 40 }` or `forbid { depth nmod >= 4 }`",
        labels=[Label(compiled.rule_spans[rule.id], f"`{rule.name}` can be used again and again")],
    )


def _mapped(value: Any, change: Callable[[Structure], Structure]) -> Any:  # noqa: ANN401 - any part
    if isinstance(value, Structure):
        return change(value)
    if isinstance(value, tuple):
        return tuple(_mapped(member, change) for member in value)
    if isinstance(value, Mapping):
        return {_mapped(key, change): own for key, own in value.items()}
    if not is_dataclass(value) or isinstance(value, (SyntaxNode, Span)):
        return value
    parts = {own.name: getattr(value, own.name) for own in fields(value) if own.init}
    return replace(value, **{name: _mapped(part, change) for name, part in parts.items()})  # type: ignore[type-var]
