"""Check what a compiled grammar makes, and what its plan asks of its own parts, before anything else is made of it.

Sampling ends, views have forms, agreement is not forgotten: each check shows what it found in the smallest text that
has it.  ``train all`` has as many sentences as its grammar has derivations, and ``longest(train)`` is a number that
the grammar of training has, given what it excludes.  So it stands in structures under its name until here, where it
becomes a number everywhere::

    size 500 within { length en > longest(train) }     { length en >= longest(train)+1 }
    training has texts of 11 words at most             { length en >= 12 }
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import partial
from itertools import chain
from typing import Any

from sgl.automata import Consistency, StructureCompiler
from sgl.automata.proofs.compiler import shape_of
from sgl.automata.weights.inside import consistency
from sgl.automata.weights.split import count_derivations, endless_rule, longest_text
from sgl.cache import kept
from sgl.core.grammar import CoreGrammar, Rule, Token
from sgl.core.interpret import Derivation, interpret
from sgl.core.plan import PART_PREFIX, Stratum, structures_of
from sgl.core.rounds import Rounds
from sgl.core.structure import LengthTest, Structure
from sgl.diagnostics import Diagnostic, Diagnostics, Label, Span, suggest
from sgl.foreign import limits
from sgl.frontend import Compiled
from sgl.frontend.lower.patterns import LoweredPart, LoweredPattern
from sgl.frontend.names.parameters import MAX_COUNT
from sgl.frontend.slips import OpenTie, Reason
from sgl.lang.syntax import SyntaxNode, ViewDecl
from sgl.pipeline.sentences import deciding
from sgl.rendering import Output, ViewError, outputs
from sgl.rendering.template import template_view


def check_soundness(compiled: Compiled, diagnostics: Diagnostics) -> None:
    """Report recursion without end, views without a form and agreement that may be missing."""
    figures = consistency(compiled.grammar)
    if figures.proper:
        views = tuple(compiled.project.declarations(ViewDecl))
        same, places = (shape_of(compiled.grammar), *views), (compiled.plan.targets, compiled.rule_spans)
        diagnostics.extend(kept("views", same, places, partial(check_views, compiled)))
        check_agreement(compiled, diagnostics)
        check_counted(compiled, diagnostics)
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
        "sampling from this grammar need not end",
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
    _check_templates(compiled, diagnostics)
    targets = (outputs(grammar)[name] for name in compiled.plan.targets)
    views = [target for target in targets if target.layer is None]
    failing: list[tuple[Derivation, Output, str]] = []
    sound: set[int] = set()
    for derivation in SmallestTexts(grammar).of_all() if views else ():
        problems = [(derivation, view, _problem(view, derivation)) for view in views]
        found = [problem for problem in problems if problem[2]]
        failing += found[:1]
        sound.update(() if found else derivation)
    blamed: set[int] = set()
    for derivation, view, problem in failing:
        suspects = [rule for rule in derivation if rule not in sound]
        if blamed.isdisjoint(suspects):
            blamed.update(suspects)
            layer = grammar.graph_layers[view.uses.graph or 0]
            text = interpret(grammar, derivation).texts[grammar.anchors[view.uses.graph or 0]]
            message = f"a text has no form in the view `{view.name}`: {problem}"
            hint = f"look at the attributes of its words and the edges of its rules in `{layer.name}`"
            span = compiled.rule_spans[_to_blame(view, suspects or derivation, problem)]
            diagnostics.error("SGL0513", span, message, hint, notes=(f"the text is: {text}",))
    return diagnostics.found


def _check_templates(compiled: Compiled, diagnostics: Diagnostics) -> None:
    templates = {view.name: view.template for view in compiled.grammar.views if view.template}
    for declaration in compiled.project.declarations(ViewDecl) if templates else ():
        if declaration.name.text in templates:
            try:
                template_view(templates[declaration.name.text])
            except ViewError as problem:
                place = declaration.path.span if declaration.path else declaration.span
                diagnostics.error("SGL0513", place, f"the view `{declaration.name}` cannot be used: {problem}")


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


def check_counted(compiled: Compiled, diagnostics: Diagnostics) -> None:
    """Warn about quoted words with spaces in layers whose words a structure counts."""
    counted = sorted({length.layer for length in _lengths(compiled)})
    for name, layer in ((name, compiled.grammar.text_layer(name)) for name in counted):
        spaced = {
            compiled.rule_spans[rule.id]: item.text
            for rule in compiled.grammar.rules
            for item in rule.templates[layer]
            if isinstance(item, Token) and " " in item.text
        }
        for span, text in spaced.items():
            divided = " ".join(f'"{word}"' for word in text.split())
            message = f'`length {name}` counts `"{text}"` as one word, and the text has a space in it'
            diagnostics.warning("SGL0836", span, message, f"quote each word by itself: `{divided}`")


#: What is said of a text that shows nothing of the feature.
_SEVERAL = " has several derivations"
#: Pairs of choices that are tried for a witness.
_TRIED = 200


def check_agreement(compiled: Compiled, diagnostics: Diagnostics) -> None:
    """Warn about the features that a rule leaves open and others do not."""
    if not compiled.open_ties:
        return
    texts = SmallestTexts(compiled.grammar)
    for tie in compiled.open_ties:
        witness = _witness(tie, compiled, texts)
        so_that = f"it need not agree with `{tie.partner_category}`"
        if witness.endswith(_SEVERAL):
            so_that = "it says the same in several ways"
        elsewhere, why = f"here it agrees with `{tie.partner_category}`", ""
        others = len(tie.tied_at) - 1
        if tie.reason is Reason.NEVER_ASKED:
            why = f"no rule asks for the `{tie.feature}` of `{tie.category}`"
        elif tie.reason is Reason.NEVER_SET:
            why = f"nothing sets the `{tie.feature}` of `{tie.category}`"
            elsewhere = "asked for here"
        elif others:
            why = f"so it does in {others:,} other {'rule' if others == 1 else 'rules'}"
        what = f"the rule `{tie.rule}` leaves `{tie.feature}` of `{tie.category}` open"
        if tie.reason is Reason.GOVERNED_ELSEWHERE:
            (governed,) = tie.agreeing
            what, elsewhere = f"{what}, so that any `{tie.feature}` can stand here", "said here"
            why = f"the other rules say `{governed}` of `{tie.partner_category}`"
        else:
            what = f"{what}, so that {so_that}"
        both = " and ".join(f"`{mention}`" for mention in tie.agreeing)
        hint = f"write {both}; if any value is meant, `{tie.any_value}`"
        labels = [Label(place, elsewhere) for place in tie.tied_at[:1]]
        notes = [note for note in (why, witness) if note]
        label = f"any value of `{tie.feature}`"
        span = tie.place
        diagnostics.warning("SGL0405", span, what, hint, label=label, labels=labels, notes=notes)


def _witness(tie: OpenTie, compiled: Compiled, texts: "SmallestTexts") -> str:
    """Return a text in which the two do not agree, in the source if possible, beside one in which they do."""
    grammar, source = compiled.grammar, compiled.grammar.text_layer(compiled.plan.source)
    layers = sorted(range(len(grammar.text_layers)), key=lambda layer: layer != source)
    # Choices that do not agree, with those that do and differ in nothing else.
    ordered = sorted(tie.choices, key=lambda choice: not choice.even)
    agreeing = {choice.rest: choice for choice in ordered if choice.value == choice.partner}
    differing = [choice for choice in ordered if choice.value != choice.partner]
    pairs = [(choice, agreeing[choice.rest]) for choice in differing if choice.rest in agreeing]
    said = [tuple(interpret(grammar, texts.of(choice.rule)).texts for choice in pair) for pair in pairs[:_TRIED]]
    for layer in layers:
        of = "" if layer == source else f" (`{grammar.text_layers[layer].name}`)"
        for wrong, right in said:
            if wrong[layer] != right[layer]:
                return f'witness: "{wrong[layer]}", beside "{right[layer]}"{of}'
    if said:
        return f'witness: "{said[0][0][source]}"{_SEVERAL}'
    first = next(choice for choice in tie.choices if choice.value != choice.partner)
    return f'witness: "{interpret(grammar, texts.of(first.rule)).texts[source]}"'


class SmallestTexts:
    """The smallest texts of a grammar, one for each rule."""

    def __init__(self, grammar: CoreGrammar) -> None:
        self._rules = grammar.rules
        #: How many rules a smallest phrase of each category has, and the one at its top.
        self._sizes: dict[int, int] = {}
        self._tops: dict[int, Rule] = {}
        rounds = Rounds(rule.rhs for rule in grammar.rules)
        for rule in map(grammar.rules.__getitem__, rounds):
            if all(child in self._sizes for child in rule.rhs):
                size = self._size(rule)
                if size < self._sizes.get(rule.lhs, size + 1):
                    self._sizes[rule.lhs], self._tops[rule.lhs] = size, rule
                    rounds.grew(rule.lhs)
        #: How many rules are around a phrase of each category in a smallest text, and the place of it in one of them.
        self._rest = {grammar.start: 0}
        self._above: dict[int, tuple[Rule, int]] = {}
        rounds = Rounds([rule.lhs] for rule in grammar.rules)
        for rule in map(grammar.rules.__getitem__, rounds):
            for place, child in enumerate(rule.rhs if rule.lhs in self._rest else ()):
                rest = self._rest[rule.lhs] + self._size(rule) - self._sizes[child]
                if rest < self._rest.get(child, rest + 1):
                    self._rest[child], self._above[child] = rest, (rule, place)
                    rounds.grew(child)

    def _size(self, rule: Rule) -> int:
        return 1 + sum(self._sizes[child] for child in rule.rhs)

    def _phrases(self, categories: Sequence[int]) -> Iterator[int]:
        stack = [*reversed(categories)]
        while stack:
            rule = self._tops[stack.pop()]
            stack += reversed(rule.rhs)
            yield rule.id

    def of(self, number: int) -> Derivation:
        """Return a smallest text with this rule."""
        rule = self._rules[number]
        before, after, category = list[tuple[int, ...]](), list[int](), rule.lhs
        while category in self._above:
            above, place = self._above[category]
            before.append((above.id, *self._phrases(above.rhs[:place])))
            after += self._phrases(above.rhs[place + 1 :])
            category = above.lhs
        return *chain.from_iterable(reversed(before)), number, *self._phrases(rule.rhs), *after

    def of_all(self, *, phrases: bool = False) -> Iterator[Derivation]:
        """Yield smallest texts in which all rules occur, or those of ``phrases``; none for what an earlier one has."""
        used = set[int]()
        for rule in self._rules:
            if rule.id not in used and (rule.rhs or not phrases):
                derivation = self.of(rule.id)
                used.update(derivation)
                yield derivation


def with_extents(compiled: Compiled, diagnostics: Diagnostics) -> Compiled:
    """Return a grammar whose plan has numbers for what it asks of its own parts."""
    plan = compiled.plan
    asked = dict.fromkeys(length for length in _lengths(compiled) if length.part)
    if not asked and not any(stratum.extent.every for stratum in plan.strata):
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


def _lengths(compiled: Compiled) -> Iterator[LengthTest]:
    """Yield the tests on lengths of the plan and of what tests expect."""
    expected = (structure for test in compiled.tests for structure in test.structures)
    yield from (length for structure in chain(compiled.plan.structures, expected) for length in structure.body.lengths)


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
    if not stratum.extent.every or diagnostics.errors:
        return stratum
    split, span = compiler.split(stratum.constraint), compiled.dataset_span
    declared: list[LoweredPattern | LoweredPart] = [*compiled.patterns, *compiled.parts]
    for name in (lowered.declaration.name for lowered in declared):
        span = name.span if name.text == stratum.category.removeprefix(PART_PREFIX) else span
    if (number := count_derivations(split)) is None:
        message = f"`{stratum.stream}` has no end: `all` of it cannot be listed"
        report_endless(compiled, diagnostics, span, endless_rule(split), message)
    elif number * stratum.extent.copies > MAX_COUNT:
        message = f"`{stratum.stream}` has {number:,} sentences in all"
        notes = (f"at most {MAX_COUNT:,} sentences can be asked for in one place",)
        hint = "write a number, or make this part of the data narrower"
        diagnostics.error("SGL0705", span, message, hint, notes=notes)
    return stratum.of(number or 0)


def _longest(compiled: Compiled, compiler: StructureCompiler, test: LengthTest, diagnostics: Diagnostics) -> int | None:
    strata, span = compiled.plan.strata, compiled.dataset_span
    declared: list[LoweredPattern | LoweredPart] = [*compiled.patterns, *compiled.parts]
    written = [(s, place) for lowered in declared for s, place in lowered.places.items()]
    for own in compiled.tests:
        written += [(s, graph.span) for s, graph in zip(own.structures, own.declaration.graphs, strict=True)]
    span = next((place for s, place in written if test in s.body.lengths), span)
    if not (named := [s for s in strata if test.part in (s.split, s.category.removeprefix(PART_PREFIX))]):
        known = dict.fromkeys(s.split for s in strata)
        known |= dict.fromkeys(s.category.removeprefix(PART_PREFIX) for s in strata if PART_PREFIX in s.category)
        hint = suggest(test.part, known, "there is")
        diagnostics.error("SGL0201", span, f"the dataset has no part `{test.part}`", hint)
        return None
    if any(t.part for s in named for x in structures_of(s.constraint) for t in x.body.lengths):
        message = f"`longest({test.part})` depends on itself"
        notes = (f"what {test.part} contains is decided by a structure with `longest`",)
        hint = "write a number where training is held out from, or excludes something"
        diagnostics.error("SGL0831", span, message, hint, notes=notes)
        return None
    lengths = [longest_text(compiler.split(s.constraint), test.layer) for s in named]
    for endless in (length for length in lengths if isinstance(length, Rule)):
        report_endless(compiled, diagnostics, span, endless, f"`{test.part}` has no longest text in `{test.layer}`")
        return None
    number = max(length for length in lengths if isinstance(length, int))
    longest, most = f"the longest text of `{test.part}` has {number:,} words in `{test.layer}`", limits().counts
    if number + test.number < 0:
        diagnostics.error("SGL0801", span, "no text has fewer than 0 words", notes=(longest,))
        return None
    if number + test.number > most:
        notes = (f"a structure counts to {most} at most",)
        hint = f"`--limit counts={number + test.number}` allows it; the automaton grows with it"
        diagnostics.error("SGL0801", span, longest, hint, notes=notes)
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
