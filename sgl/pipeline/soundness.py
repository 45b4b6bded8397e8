"""Check what a compiled grammar makes: sampling ends, views have forms, agreement is not forgotten.

Each check shows what it found in a text, the smallest that has it::

    the rule `today` leaves `num` of `NP` open, so that it need not agree with `VP`
    witness: "Today the dogs sleeps.", beside "Today the dog sleeps."
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from sgl.automata import Consistency
from sgl.automata.weights.moments import consistency
from sgl.core.grammar import CoreGrammar, Rule
from sgl.core.interpret import Derivation, derive_graph, derive_tokens, interpret
from sgl.diagnostics import Diagnostics, Label, Span
from sgl.frontend import Compiled
from sgl.frontend.agreement import OpenTie, Reason, TieChoice
from sgl.lang.syntax import ViewDecl
from sgl.rendering import ViewError, ViewOutput, outputs
from sgl.rendering.template import template_view


def check_soundness(compiled: Compiled, diagnostics: Diagnostics) -> None:
    """Report recursion without end, views without a form and agreement that may be missing."""
    figures = consistency(compiled.grammar)
    if figures.proper:
        check_views(compiled, diagnostics)
        check_agreement(compiled, diagnostics)
    else:
        _report_improper(compiled, figures, diagnostics)


def _report_improper(compiled: Compiled, figures: Consistency, diagnostics: Diagnostics) -> None:
    """Explain by which rules sentences grow without end."""
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


def check_views(compiled: Compiled, diagnostics: Diagnostics) -> None:
    """Report the rules and words whose smallest text has no form, each mistake once.

    Looked at are the targets of the dataset; of other views a grammar may have texts
    without a form.
    """
    grammar = compiled.grammar
    _check_templates(compiled, diagnostics)
    targets = (outputs(grammar)[name] for name in compiled.plan.targets)
    views = [target for target in targets if isinstance(target, ViewOutput)]
    texts = SmallestTexts(grammar).of_all() if views else ()
    failing: list[tuple[Derivation, ViewOutput, str]] = []
    sound: set[int] = set()
    for derivation in texts:
        found = next(((view, text) for view in views if (text := _problem(view, derivation))), None)
        if found is None:
            sound.update(derivation)
        else:
            failing.append((derivation, *found))
    blamed: set[int] = set()
    for derivation, view, problem in failing:
        suspects = [rule for rule in derivation if rule not in sound]
        if blamed.isdisjoint(suspects):
            blamed.update(suspects)
            place = compiled.rule_spans[_to_blame(view, suspects or derivation, problem)]
            _report(place, derivation, view, problem, diagnostics)


def _check_templates(compiled: Compiled, diagnostics: Diagnostics) -> None:
    """Report the views of authors that are no templates."""
    templates = {view.name: view.template for view in compiled.grammar.views if view.template}
    for unit in compiled.project.units:
        for declaration in unit.file.declarations:
            if isinstance(declaration, ViewDecl) and declaration.name.text in templates:
                try:
                    template_view(templates[declaration.name.text])
                except ViewError as problem:
                    place = declaration.path.span if declaration.path else declaration.span
                    message = f"the view `{declaration.name}` cannot be used: {problem}"
                    diagnostics.error("SGL0513", place, message)


def _to_blame(view: ViewOutput, suspects: Sequence[int], problem: str) -> int:
    """Return which of the suspects to blame: the word that the problem names, or the first."""
    for number in suspects:
        rule = view.grammar.rules[number]
        for node in rule.fragments[view.view.layer].nodes if rule.lexical else ():
            if f"'{dict(node.attributes or ()).get('lemma', '')}'" in problem:
                return number
    return suspects[0]


def _report(
    place: Span, derivation: Derivation, view: ViewOutput, problem: str, diagnostics: Diagnostics
) -> None:
    text = interpret(view.grammar, derivation).texts[view.anchor]
    layer = view.grammar.graph_layers[view.view.layer].name
    diagnostics.error(
        "SGL0513",
        place,
        f"a text has no form in the view `{view.name}`: {problem}",
        notes=(f"the text is: {text}",),
        hint=f"look at the attributes of its words and the edges of its rules in `{layer}`",
    )


def _problem(view: ViewOutput, derivation: Derivation) -> str:
    """Return why a derivation has no form in a view; empty if it has one."""
    graph = derive_graph(view.grammar, derivation, view.view.layer)
    try:
        view.render(graph, derive_tokens(view.grammar, derivation, view.anchor))
    except ViewError as problem:
        return str(problem)
    return ""


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
        diagnostics.warning(
            "SGL0405",
            tie.place,
            _message(tie, witness),
            label=f"any value of `{tie.feature}`",
            labels=_labels(tie),
            notes=[note for note in (_why(tie), witness) if note],
            hint=_hint(tie),
        )


def _message(tie: OpenTie, witness: str) -> str:
    opened = f"the rule `{tie.rule}` leaves `{tie.feature}` of `{tie.category}` open"
    if witness.endswith(_SEVERAL):
        return f"{opened}, so that it says the same in several ways"
    return f"{opened}, so that it need not agree with `{tie.partner_category}`"


def _labels(tie: OpenTie) -> list[Label]:
    if not tie.tied_at:
        return []
    if tie.reason is Reason.NEVER_SET:
        return [Label(tie.tied_at[0], "asked for here")]
    return [Label(tie.tied_at[0], f"here it agrees with `{tie.partner_category}`")]


def _why(tie: OpenTie) -> str:
    if tie.reason is Reason.NEVER_ASKED:
        return f"no rule asks for the `{tie.feature}` of `{tie.category}`"
    if tie.reason is Reason.NEVER_SET:
        return f"nothing sets the `{tie.feature}` of `{tie.category}`"
    others = len(tie.tied_at) - 1
    if not others:
        return ""
    return f"so it does in {others:,} other {'rule' if others == 1 else 'rules'}"


def _witness(tie: OpenTie, compiled: Compiled, texts: SmallestTexts) -> str:
    """Return a text in which the two do not agree, beside one in which they do.

    The source shows it best, another layer if the source does not. If none does, the text
    has several derivations.
    """
    grammar, source = compiled.grammar, compiled.grammar.text_layer(compiled.plan.source)
    layers = sorted(range(len(grammar.text_layers)), key=lambda layer: layer != source)
    said = [
        tuple(interpret(grammar, texts.of(choice.rule)).texts for choice in pair)
        for pair in islice(_pairs(tie.choices), _TRIED)
    ]
    for layer in layers:
        of = "" if layer == source else f" (`{grammar.text_layers[layer].name}`)"
        for wrong, right in said:
            if wrong[layer] != right[layer]:
                return f'witness: "{wrong[layer]}", beside "{right[layer]}"{of}'
    if said:
        return f'witness: "{said[0][0][source]}"{_SEVERAL}'
    differing = next(choice for choice in tie.choices if choice.value != choice.partner)
    return f'witness: "{interpret(grammar, texts.of(differing.rule)).texts[source]}"'


def _pairs(choices: Sequence[TieChoice]) -> Iterator[tuple[TieChoice, TieChoice]]:
    """Choices that do not agree, with those that do and differ in nothing else."""
    ordered = sorted(choices, key=lambda choice: not choice.even)
    agreeing = {choice.rest: choice for choice in ordered if choice.value == choice.partner}
    for choice in ordered:
        if choice.value != choice.partner and choice.rest in agreeing:
            yield choice, agreeing[choice.rest]


def _hint(tie: OpenTie) -> str:
    both = " and ".join(f"`{mention}`" for mention in tie.agreeing)
    return f"write {both}; if any value is meant, `{tie.any_value}`"


class SmallestTexts:
    """The smallest texts of a grammar, one for each rule."""

    def __init__(self, grammar: CoreGrammar) -> None:
        self._grammar = grammar
        self._below = _smallest_phrases(grammar)
        self._above = _smallest_contexts(grammar, self._below)

    def of(self, number: int) -> Derivation:
        """Return a smallest text with this rule."""
        rule = self._grammar.rules[number]
        phrase: Derivation = (rule.id, *(s for child in rule.rhs for s in self._below[child]))
        category = rule.lhs
        while category in self._above:
            outer, place = self._above[category]
            parts = [
                phrase if i == place else self._below[child] for i, child in enumerate(outer.rhs)
            ]
            phrase = (outer.id, *(step for part in parts for step in part))
            category = outer.lhs
        return phrase

    def of_all(self) -> Iterator[Derivation]:
        """Smallest texts in which all rules occur; none for rules that an earlier one has."""
        used = set[int]()
        for rule in self._grammar.rules:
            if rule.id not in used:
                derivation = self.of(rule.id)
                used.update(derivation)
                yield derivation


def _smallest_phrases(grammar: CoreGrammar) -> list[Derivation]:
    """Return a derivation of each category with as few rules as can be."""
    found: list[Derivation | None] = [None] * len(grammar.categories)
    changed = True
    while changed:
        changed = False
        for rule in grammar.rules:
            parts = [found[child] for child in rule.rhs]
            known = [part for part in parts if part is not None]
            before = found[rule.lhs]
            size = 1 + sum(map(len, known))
            if len(known) == len(parts) and (before is None or size < len(before)):
                found[rule.lhs] = (rule.id, *(step for part in known for step in part))
                changed = True
    return [derivation or () for derivation in found]


def _smallest_contexts(
    grammar: CoreGrammar, below: Sequence[Derivation]
) -> dict[int, tuple[Rule, int]]:
    """For each category but the start the rule and the place where a smallest text has it."""
    sizes = {grammar.start: 0}
    above: dict[int, tuple[Rule, int]] = {}
    changed = True
    while changed:
        changed = False
        for rule in grammar.rules:
            for place, child in enumerate(rule.rhs if rule.lhs in sizes else ()):
                others = sum(len(below[other]) for i, other in enumerate(rule.rhs) if i != place)
                size = sizes[rule.lhs] + 1 + others
                if child not in sizes or size < sizes[child]:
                    sizes[child] = size
                    above[child] = rule, place
                    changed = True
    return above
