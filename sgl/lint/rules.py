"""Find rules that change nothing: twins, and weights that compete with nothing.

A duplicate rule makes all its sentences ambiguous, so that they are rejected.  The weight of a rule that is the only
one of its categories, under any setting, changes no probability.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from sgl.core.grammar import CoreGrammar, Rule
from sgl.diagnostics import Label, Span, shortlist
from sgl.lang import syntax as s
from sgl.lint.registry import Finding, Subject, of_grammar


@of_grammar("SGL0406")
def twins(subject: Subject) -> Iterator[Finding]:
    """Find rules that make the same as another rule, for some or all values of their features."""
    first_at: dict[Span, Rule] = {}
    same: dict[tuple[Span, Span], list[Rule]] = {}
    for rule, span, other, place in _with_firsts(subject):
        first_at.setdefault(place, other)
        if place != span:
            same.setdefault((span, place), []).append(rule)
    instances = Counter(span for _, span in subject.phrasal)
    categories = subject.declared.grammar.categories
    for (span, place), rules in same.items():
        names = shortlist((categories[rule.lhs].name for rule in rules), 3)
        partly = f" for {names}" if len(rules) < instances[span] else ""
        message = f"the rule `{rules[0].name}` makes the same phrases as `{first_at[place].name}`{partly}"
        hint = "remove one of the two; a weight makes a phrase more frequent"
        notes = ("a sentence with such a phrase has two readings, each with its weight",)
        yield Finding(span, message, hint, labels=(Label(place, "the same rule"),), notes=notes)


def _with_firsts(subject: Subject) -> Iterator[tuple[Rule, Span, Rule, Span]]:
    """Yield each rule and its place with the first equivalent rule, which may be itself."""
    first: dict[Rule, tuple[Rule, Span]] = {}
    for rule, span in subject.phrasal:
        made = replace(rule, id=0, name="", weight=0.0, origin=None, keep=False)
        yield rule, span, *first.setdefault(made, (rule, span))


@of_grammar("SGL0713")
def idle_weights(subject: Subject) -> Iterator[Finding]:
    """Find weights of rules that are the only ones of all their categories, under any setting."""
    grammar, alone = subject.declared.grammar, _without_rivals(subject)
    names = _names_by_category(grammar)
    for span, weight in _single_weights(subject).items():
        if rule := alone.get(span):
            base = grammar.categories[rule.lhs].base
            others = [f"`{name}`" for name in names[base][:5] if name != rule.name]
            why = f"with these features; others come from {shortlist(others, 3)}" if others else "at all"
            message = f"the weight of `{rule.name}` has no effect: it competes with nothing"
            hint = "remove it; the values of a feature have weights: `feature x = a ~ 9 | b`"
            yield Finding(weight, message, hint, label=f"no other rule makes a `{base}` {why}")


def _without_rivals(subject: Subject) -> dict[Span, Rule]:
    """Return the first instance of each rule that is the only one of all its categories, by its place."""
    # A category may have thousands of rules, and the grammar thousands of idle weights.
    several = [len({rule.name for rule in rules}) > 1 for rules in subject.declared.grammar.rules_of]
    competing = {span for rule, span in subject.phrasal if several[rule.lhs]}
    return {span: rule for rule, span in reversed(subject.phrasal) if span not in competing}


def _single_weights(subject: Subject) -> dict[Span, Span]:
    """Return the span of each single weight by its rule's span, except for rules with rivals under another setting."""
    here = {id(rule) for rule, _ in subject.names.of(s.Rule)}
    off = {rule.lhs.name.text for rule, _ in subject.names.declared(s.Rule) if id(rule) not in here}
    rules = [rule for rule, _ in subject.names.of(s.Rule) if rule.lhs.name.text not in off]
    # Several weights of one rule compete with one another.
    weights = ((rule.name.span, rule.weights[0].weight) for rule in rules if len(rule.weights) == 1)
    return {span: weight.span for span, weight in weights if weight is not None}


def _names_by_category(grammar: CoreGrammar) -> dict[str, list[str]]:
    names: dict[str, set[str]] = {}
    for rule in grammar.rules:
        names.setdefault(grammar.categories[rule.lhs].base, set()).add(rule.name)
    return {base: sorted(found) for base, found in names.items()}
