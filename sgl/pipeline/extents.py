"""What a plan asks of the grammars of its own parts, before anything else is made of it.

``train all`` has as many sentences as its grammar has derivations, and ``longest(train)`` is a
number that the grammar of training has, given what it excludes.  So it
stands in structures under its name until here, where it becomes a number everywhere::

    size 500 within { length en > longest(train) }     { length en >= longest(train)+1 }
    training has texts of 11 words at most             { length en >= 12 }
"""

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

from sgl import limits
from sgl.automata import StructureCompiler
from sgl.automata.weights.counting import count_derivations, endless_rule, longest_text
from sgl.core.grammar import Rule
from sgl.core.plan import PART_PREFIX, Stratum, structures_of
from sgl.core.structure import LengthTest, Structure
from sgl.diagnostics import Diagnostics, Label, Span, suggest
from sgl.frontend import Compiled
from sgl.frontend.quotas import MAX_COUNT
from sgl.lang.syntax import SyntaxNode
from sgl.pipeline.sentences import deciding


def with_extents(compiled: Compiled, diagnostics: Diagnostics) -> Compiled:
    """Return a grammar whose plan has numbers for what it asks of its own parts."""
    plan = compiled.plan
    asked = dict.fromkeys(t for s in plan.structures for t in s.body.lengths if t.part)
    if not asked and not any(stratum.every for stratum in plan.strata):
        return compiled
    compiler = StructureCompiler(compiled.grammar)
    found: dict[LengthTest, LengthTest] = {}
    with deciding(compiled, diagnostics):
        for test in asked:
            if (number := _longest(compiled, compiler, test, diagnostics)) is not None:
                found[test] = replace(test, number=max(number + test.number, 0), part="")
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
    if not stratum.every or diagnostics.errors:
        return stratum
    split, span = compiler.split(stratum.constraint), compiled.dataset_span
    names = [lowered.declaration.name for lowered in compiled.patterns]
    names += [lowered.declaration.name for lowered in compiled.parts]
    for name in names:
        span = name.span if name.text == stratum.category.removeprefix(PART_PREFIX) else span
    if (number := count_derivations(split)) is None:
        message = f"`{stratum.stream}` has no end: `all` of it cannot be listed"
        report_endless(compiled, diagnostics, span, endless_rule(split), message)
    elif number * stratum.copies > MAX_COUNT:
        message = f"`{stratum.stream}` has {number:,} sentences in all"
        notes = (f"at most {MAX_COUNT:,} sentences can be asked for in one place",)
        hint = "write a number, or make this part of the data narrower"
        diagnostics.error("SGL0705", span, message, hint, notes=notes)
    return replace(stratum, count=number or 0)


def _longest(compiled: Compiled, compiler: StructureCompiler, test: LengthTest, diagnostics: Diagnostics) -> int | None:
    strata, span = compiled.plan.strata, compiled.dataset_span
    places = [*(lowered.places for lowered in compiled.patterns), *(lowered.places for lowered in compiled.parts)]
    for clauses in reversed(places):
        span = next((place for s, place in clauses.items() if test in s.body.lengths), span)
    if not (own := [s for s in strata if test.part in (s.split, s.category.removeprefix(PART_PREFIX))]):
        known = dict.fromkeys(s.split for s in strata)
        known |= dict.fromkeys(s.category.removeprefix(PART_PREFIX) for s in strata if PART_PREFIX in s.category)
        hint = suggest(test.part, known, "there is")
        diagnostics.error("SGL0201", span, f"the dataset has no part `{test.part}`", hint)
        return None
    if any(t.part for s in own for x in structures_of(s.constraint) for t in x.body.lengths):
        message = f"`longest({test.part})` depends on itself"
        notes = (f"what {test.part} contains is decided by a structure with `longest`",)
        hint = "write a number where training is held out from, or excludes something"
        diagnostics.error("SGL0831", span, message, hint, notes=notes)
        return None
    lengths = [longest_text(compiler.split(s.constraint), test.layer) for s in own]
    for endless in (length for length in lengths if isinstance(length, Rule)):
        report_endless(compiled, diagnostics, span, endless, f"`{test.part}` has no longest text in `{test.layer}`")
        return None
    number = max(length for length in lengths if isinstance(length, int))
    most = limits.current().counts
    if number + test.number > most:
        message = f"the longest text of `{test.part}` has {number:,} words in `{test.layer}`"
        notes = (f"a structure counts to {most} at most",)
        hint = f"`--limit counts={number + test.number}` allows it; the automaton grows with it"
        diagnostics.error("SGL0801", span, message, hint, notes=notes)
        return None
    return number


def report_endless(compiled: Compiled, diagnostics: Diagnostics, span: Span, rule: Rule, message: str) -> None:
    """Report that a part of the data has no end, for a rule that makes phrases in phrases."""
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
