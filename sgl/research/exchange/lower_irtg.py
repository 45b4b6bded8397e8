"""From the syntax of an IRTG to a core grammar with a text layer for each interpretation.

States become categories and rules keep their labels as names.  Several final states
are gathered under a category of their own.  What can never take part in a derivation
is left out, since SGL takes it for a mistake, and weights are divided by their sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sgl.core.grammar import Category, CoreGrammar, Rule, Slot, TextLayer
from sgl.diagnostics import Diagnostics, Span, suggest
from sgl.research.exchange.algebras import Algebra, Lowering, algebra
from sgl.research.exchange.irtg_syntax import Interpretation, IrtgFile, IrtgRule, Value
from sgl.research.exchange.spelling import Names
from sgl.research.exchange.useful import TreeRule, useful_rules

#: How far the weights of a state may be from 1 in sum and count as probabilities.
TOLERANCE = 1e-9
_LARGEST = 1e12
_SHOWN = 3


@dataclass(frozen=True)
class Imported:
    """A grammar from elsewhere: its text layers and rules, and where each was written.

    ``trees`` are the layers that print a tree.  The first layer need not be fit to be
    a source; see :mod:`sgl.research.exchange.source_layer`.
    """

    grammar: CoreGrammar
    spans: tuple[Span, ...]
    trees: frozenset[int]


def lower_irtg(file: IrtgFile, name: str, span: Span, diagnostics: Diagnostics) -> Imported | None:
    """The grammar that a file means; None after a report.

    Args:
        file: what was read.
        name: the name of the grammar.
        span: a place in the file, for what is wrong with all of it.
        diagnostics: takes what is wrong, and what has no counterpart.
    """
    for feature in file.features:
        diagnostics.warning(
            "SGL1202",
            feature.span,
            f"the feature `{feature}` is left out: SGL has weights of rules only",
        )
    interpretations = _interpretations(file, diagnostics)
    rules = _rules(file, interpretations, diagnostics)
    if diagnostics.errors:
        return None
    if not interpretations:
        _report_nothing(span, "no interpretation over strings or trees", diagnostics)
        return None
    finals = _finals(file)
    if not finals:
        _report_nothing(
            span, "no final state", diagnostics, hint="mark where derivations begin: `S! -> …`"
        )
        return None
    used = useful_rules(rules, finals, diagnostics)
    if not any(rule.state in finals for rule in used):
        _report_nothing(span, "no derivation from its final states", diagnostics)
        return None
    layers = [algebra.layer(called) for called, algebra in interpretations.items()]
    trees = frozenset(i for i, kind in enumerate(interpretations.values()) if kind.is_tree)
    return _assemble(name, layers, trees, used, finals, diagnostics)


def _report_nothing(span: Span, what: str, diagnostics: Diagnostics, hint: str = "") -> None:
    diagnostics.error("SGL1204", span, f"this IRTG has {what}", hint=hint)


# ---- interpretations


def _interpretations(file: IrtgFile, diagnostics: Diagnostics) -> dict[str, Algebra]:
    """The interpretations that have a counterpart, by name."""
    found: dict[str, Algebra] = {}
    seen: set[str] = set()
    for declared in file.interpretations:
        if declared.name.text in seen:
            diagnostics.error(
                "SGL1203",
                declared.name.span,
                f"the interpretation `{declared.name}` is there twice",
            )
            continue
        seen.add(declared.name.text)
        kind = algebra(declared.algebra.text)
        if kind is not None:
            found[declared.name.text] = kind
        else:
            _report_algebra(declared, diagnostics)
    return found


def _report_algebra(declared: Interpretation, diagnostics: Diagnostics) -> None:
    kind = declared.algebra.text.rpartition(".")[2]
    diagnostics.warning(
        "SGL1202",
        declared.algebra.span,
        f"the interpretation `{declared.name}` is left out: SGL has no counterpart of a {kind}",
        notes=("strings and trees have one: StringAlgebra, TreeAlgebra and their variants",),
    )


# ---- rules


def _rules(
    file: IrtgFile, interpretations: dict[str, Algebra], diagnostics: Diagnostics
) -> list[TreeRule]:
    """The rules, in order.

    A homomorphism maps *labels* to terms: a rule without lines has those of an earlier
    rule with its label.
    """
    declared = [interpretation.name.text for interpretation in file.interpretations]
    meanings: dict[str, dict[str, Value]] = {}
    rules = []
    split: list[Span] = []
    for rule in file.rules:
        meaning = meanings.setdefault(rule.label.text, {})
        _add_values(rule, meaning, declared, diagnostics)
        templates = []
        for name, kind in interpretations.items():
            value = meaning.get(name)
            if value is None:
                diagnostics.error(
                    "SGL1203",
                    rule.label.span,
                    f"the rule `{rule.label}` has no value in the interpretation `{name}`",
                    hint=f"add a line `[{name}] …` below it",
                )
                continue
            lowering = Lowering(len(rule.children), diagnostics)
            templates.append(kind.template(value.term, lowering))
            split.extend(lowering.split)
        rules.append(
            TreeRule(
                rule.label,
                rule.state.name.text,
                tuple(child.name.text for child in rule.children),
                _weight(rule, diagnostics),
                rule.weight is not None,
                tuple(templates),
            )
        )
    for span in dict.fromkeys(split):
        diagnostics.warning("SGL1207", span, "this word has spaces in it and becomes several words")
    return rules


def _add_values(
    rule: IrtgRule, meaning: dict[str, Value], declared: Sequence[str], diagnostics: Diagnostics
) -> None:
    own: set[str] = set()
    for value in rule.values:
        name = value.interpretation
        if name.text not in declared:
            diagnostics.error(
                "SGL1203",
                name.span,
                f"there is no interpretation `{name}`",
                hint=suggest(name.text, declared),
            )
        elif name.text in own:
            diagnostics.error(
                "SGL1203", name.span, f"the rule `{rule.label}` has two values in `{name}`"
            )
        else:
            own.add(name.text)
            meaning[name.text] = value


def _weight(rule: IrtgRule, diagnostics: Diagnostics) -> float:
    """The weight of a rule, 1 unless it is written; 0 if the rule is never used."""
    if rule.weight is None:
        return 1.0
    try:
        weight = float(rule.weight.text)
    except ValueError:
        weight = -1.0
    if not 0 <= weight < _LARGEST:
        diagnostics.error(
            "SGL1203",
            rule.weight.span,
            f"`{rule.weight}` is no weight",
            hint="a weight is a number from 0 on, such as `[0.25]`",
        )
        return 1.0
    return weight


def _finals(file: IrtgFile) -> list[str]:
    """The final states in the order of their mention."""
    states = (state for rule in file.rules for state in (rule.state, *rule.children))
    return list(dict.fromkeys(state.name.text for state in states if state.final))


# ---- the grammar


def _assemble(
    name: str,
    layers: Sequence[TextLayer],
    trees: frozenset[int],
    rules: Sequence[TreeRule],
    finals: Sequence[str],
    diagnostics: Diagnostics,
) -> Imported:
    states = list(dict.fromkeys(rule.state for rule in rules))
    begin = [state for state in finals if state in states]
    if len(begin) > 1:
        start = Names(*states).free("Start")
        where = {rule.state: rule.label for rule in reversed(rules)}
        passing = ((Slot(0),),) * len(layers)
        rules = [
            *(TreeRule(where[final], start, (final,), 1.0, False, passing) for final in begin),
            *rules,
        ]
        states.insert(0, start)
    else:
        start = begin[0]
    numbers = {state: number for number, state in enumerate(states)}
    weights = _normalised(rules, diagnostics)
    core = CoreGrammar(
        name=name,
        categories=tuple(map(Category, states)),
        rules=tuple(
            Rule(
                id=number,
                name=rule.label.text if rule.state != start or len(begin) == 1 else "start",
                lhs=numbers[rule.state],
                rhs=tuple(numbers[child] for child in rule.children),
                weight=weight,
                templates=rule.templates,
                fragments=(),
            )
            for number, (rule, weight) in enumerate(zip(rules, weights, strict=True))
        ),
        start=numbers[start],
        text_layers=tuple(layers),
        graph_layers=(),
    )
    return Imported(core, tuple(rule.label.span for rule in rules), trees)


def _normalised(rules: Sequence[TreeRule], diagnostics: Diagnostics) -> list[float]:
    """The weights, divided by the sum of their state unless that is 1."""
    totals: dict[str, float] = {}
    weighted: set[str] = set()
    for rule in rules:
        totals[rule.state] = totals.get(rule.state, 0.0) + rule.weight
        if rule.weighted:
            weighted.add(rule.state)
    changed = {state for state, total in totals.items() if abs(total - 1) > TOLERANCE}
    reported = [state for state in totals if state in changed & weighted]
    if reported:
        first = next(rule for rule in rules if rule.state == reported[0])
        sums = [f"those of `{state}` sum to {totals[state]:.6g}" for state in reported[:_SHOWN]]
        diagnostics.warning(
            "SGL1206",
            first.label.span,
            f"the weights of {len(reported):,} of {len(totals):,} states are no probabilities; "
            "they are divided by their sum",
            notes=("; ".join(sums),),
        )
    return [
        rule.weight / totals[rule.state] if rule.state in changed else rule.weight for rule in rules
    ]
