"""Expand features: from productions over feature variables to concrete rules.

Categories are built from the words upwards: a rule is instantiated with each
combination of *buildable* children that satisfies its variables, so that no
category arises that cannot be built.  What cannot be reached from the start is
then dropped.  Both are reported when a whole rule or category falls away.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import product

import networkx as nx

from sgl.diagnostics import Label
from sgl.frontend.productions import CategoryPattern, Production, Slotting
from sgl.frontend.state import CompilerState

#: A category with its features fixed: its name and the values in order.
Concrete = tuple[str, tuple[str, ...]]

MAX_INSTANCES = 200_000
MAX_STEPS = 2_000_000

_TOO_MANY_RULES = f"the features expand into more than {MAX_INSTANCES:,} rules"
_TOO_MANY_TRIED = f"the features of the rules combine in more than {MAX_STEPS:,} ways"


@dataclass(frozen=True, slots=True)
class Instance:
    """A production with every feature fixed; ``values`` are those of its variables."""

    production: Production
    lhs: Concrete
    rhs: tuple[Concrete, ...]
    values: Mapping[str, str]


def expand(state: CompilerState) -> None:
    """Instantiate the productions, from words to whatever the start category reaches.

    Before: ``productions`` without faults.  After: ``instances``, those of the start category
    first, so that it becomes category 0; nothing after an error.
    """
    productions, start = state.productions, state.dataset.start.text
    words = [p for p in productions if not p.rhs and not _has_no_words(p)]
    rules = [p for p in productions if p.rhs or _has_no_words(p)]
    buildable: dict[str, dict[tuple[str, ...], None]] = {}
    instances = _word_instances(words, state)
    if instances is None:
        return
    for instance in instances:
        buildable.setdefault(instance.lhs[0], {})[instance.lhs[1]] = None
    expanded = _saturate(rules, buildable, state)
    if expanded is None:
        return
    instances = expanded + instances
    _report_unbuildable(rules, expanded, buildable, start, state)
    reachable = _reachable(instances, start)
    if state.diagnostics.errors == 0:
        _report_unreachable(instances, reachable, start, state)
    used = [instance for instance in instances if instance.lhs in reachable]
    _report_endless(used, state)
    if state.diagnostics.errors == 0:
        state.instances = sorted(used, key=lambda instance: instance.lhs[0] != start)


def _word_instances(words: Sequence[Production], state: CompilerState) -> list[Instance] | None:
    """Return one instance for each choice of the features that a word leaves open."""
    found: list[Instance] = []
    for word in words:
        for values in _choices(word.lhs.slots, {}):
            found.append(Instance(word, (word.lhs.info.name, values), (), {}))
            if len(found) > MAX_INSTANCES:
                _report_too_many(word, _TOO_MANY_RULES, "set some of its features", state)
                return None
    return found


def _report_too_many(production: Production, message: str, hint: str, state: CompilerState) -> None:
    state.error("SGL0706", production.span, message, hint, label="reached here")


def _has_no_words(production: Production) -> bool:
    return not production.rhs and not any(production.templates)


def _saturate(
    rules: Sequence[Production],
    buildable: dict[str, dict[tuple[str, ...], None]],
    state: CompilerState,
) -> list[Instance] | None:
    """Instantiate rules until no new category can be built; None after a report."""
    found: dict[int, dict[tuple[Concrete, tuple[Concrete, ...]], Instance]] = {
        index: {} for index in range(len(rules))
    }
    search = _Search(buildable)
    seen_size = -1
    total = 0
    while seen_size != (size := sum(len(table) for table in buildable.values())):
        seen_size = size
        for index, rule in enumerate(rules):
            for instance in search.instances(rule):
                key = (instance.lhs, instance.rhs)
                if key not in found[index]:
                    found[index][key] = instance
                    total += 1
                    buildable.setdefault(instance.lhs[0], {})[instance.lhs[1]] = None
                if total > MAX_INSTANCES:
                    break
            if total > MAX_INSTANCES or search.exhausted:
                message = _TOO_MANY_TRIED if search.exhausted else _TOO_MANY_RULES
                hint = "use fewer or smaller features in rules with many children"
                _report_too_many(rule, message, hint, state)
                return None
    return [instance for table in found.values() for instance in table.values()]


@dataclass
class _Search:
    """Tries combinations of buildable children, up to a bound on all rules together.

    Most combinations may fail to agree, so that their number, and not only that of the
    instances, has to be bounded.
    """

    buildable: Mapping[str, Mapping[tuple[str, ...], None]]
    steps: int = 0

    @property
    def exhausted(self) -> bool:
        """Whether the search stopped before it tried everything."""
        return self.steps > MAX_STEPS

    def instances(self, rule: Production) -> Iterator[Instance]:
        """Yield the instances of a rule with children that are buildable so far."""
        if not all(self._has_candidate(pattern, rule) for pattern in rule.rhs):
            return
        for values, rhs in self._match(rule, 0, {}):
            for lhs in _choices(rule.lhs.slots, values, rule.domains):
                chosen = {
                    slot: value
                    for slot, value in zip(rule.lhs.slots, lhs, strict=True)
                    if isinstance(slot, str)
                }
                yield Instance(rule, (rule.lhs.info.name, lhs), rhs, {**values, **chosen})

    def _has_candidate(self, pattern: CategoryPattern, rule: Production) -> bool:
        """Return whether a child can be built at all, whatever the others are."""
        known = self.buildable.get(pattern.info.name, ())
        return any(_unify(pattern.slots, f, {}, rule.domains) is not None for f in known)

    def _match(
        self, rule: Production, index: int, values: dict[str, str]
    ) -> Iterator[tuple[dict[str, str], tuple[Concrete, ...]]]:
        """Yield assignments of buildable categories to the children from ``index`` on."""
        if index == len(rule.rhs):
            yield values, ()
            return
        pattern = rule.rhs[index]
        for features in list(self.buildable.get(pattern.info.name, ())):
            self.steps += 1
            if self.exhausted:
                return
            bound = _unify(pattern.slots, features, values, rule.domains)
            if bound is not None:
                for final, rest in self._match(rule, index + 1, bound):
                    yield final, ((pattern.info.name, features), *rest)


def _unify(
    slots: Sequence[Slotting],
    features: Sequence[str],
    values: Mapping[str, str],
    domains: Mapping[str, frozenset[str]],
) -> dict[str, str] | None:
    bound = dict(values)
    for slot, feature in zip(slots, features, strict=True):
        if isinstance(slot, str):
            if feature not in domains[slot] or bound.setdefault(slot, feature) != feature:
                return None
        elif feature not in slot:
            return None
    return bound


def _choices(
    slots: Sequence[Slotting],
    values: Mapping[str, str],
    domains: Mapping[str, frozenset[str]] | None = None,
) -> Iterator[tuple[str, ...]]:
    """Yield all values of the left-hand side's features; unbound ones range freely."""
    free = [slot for slot in dict.fromkeys(slots) if isinstance(slot, str) and slot not in values]
    for chosen in product(*(sorted((domains or {})[name]) for name in free)):
        bound = {**values, **dict(zip(free, chosen, strict=True))}
        options = [
            (bound[slot],) if isinstance(slot, str) else tuple(sorted(slot)) for slot in slots
        ]
        yield from product(*options)


def _report_unbuildable(
    rules: Sequence[Production],
    expanded: Sequence[Instance],
    buildable: Mapping[str, Mapping[tuple[str, ...], None]],
    start: str,
    state: CompilerState,
) -> None:
    used = {id(instance.production) for instance in expanded}
    blamed: set[str] = set()
    for rule in rules:
        if id(rule) in used:
            continue
        missing = [p for p in rule.rhs if not buildable.get(p.info.name)]
        if missing:
            blamed.update(p.info.name for p in missing)
            continue
        _report_impossible(rule, buildable, state)
    mentioned = {p.info.name for rule in rules for p in rule.rhs} | blamed | {start}
    unbuilt = {name for name in mentioned if not buildable.get(name)}
    made = {rule.lhs.info.name for rule in rules}
    for name in sorted(unbuilt - made):
        _report_unmade(name, state)
    _report_unproductive(unbuilt & made, rules, state)


def _report_impossible(
    rule: Production, buildable: Mapping[str, Mapping[tuple[str, ...], None]], state: CompilerState
) -> None:
    """Report a rule none of whose feature combinations exists."""
    notes = []
    for pattern in rule.rhs:
        known = [_show(pattern, features) for features in buildable[pattern.info.name]]
        shown = ", ".join(known[:6]) + (", …" if len(known) > 6 else "")
        notes.append(f"`{pattern.info.name}` can be built as: {shown}")
    message = f"the rule `{rule.name}` can never be used: no children have the features it asks for"
    state.error("SGL0703", rule.span, message, notes=notes)


def _show(pattern: CategoryPattern, features: Sequence[str]) -> str:
    pairs = zip(pattern.info.features, features, strict=True)
    inner = ", ".join(f"{name}={value}" for name, value in pairs)
    return f"{pattern.info.name}[{inner}]" if inner else pattern.info.name


def _report_unmade(name: str, state: CompilerState) -> None:
    message = f"nothing builds the category `{name}`: it has no rule and no word"
    hint = f'add `word {name}: "…"`, a lexicon, or a rule that builds it'
    state.error("SGL0702", state.signature.categories[name].declaration.name.span, message, hint)


def _report_unproductive(
    names: Set[str], rules: Sequence[Production], state: CompilerState
) -> None:
    """Report categories that need one another, those of one circle together.

    Whoever needs a category that was reported, or a rule that was, is not to blame.
    """
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_edges_from((rule.lhs.info.name, p.info.name) for rule in rules for p in rule.rhs)
    circles = [
        _without_end(circle & names, rules) for circle in nx.strongly_connected_components(graph)
    ]
    for circle in sorted(circle for circle in circles if circle):
        first, *others = (rule for rule in rules if rule.lhs.info.name in circle)
        listed = " and ".join(f"`{name}`" for name in circle)
        one = len(circle) == 1
        state.error(
            "SGL0702",
            first.span,
            f"{listed} never {'ends' if one else 'end'} in words: "
            f"each of {'its' if one else 'their'} rules needs "
            + (f"another {listed}" if one else "one of them"),
            "add a rule or a word that ends the recursion",
            labels=[Label(rule.span, "and so does this rule") for rule in others[:3]],
        )


def _without_end(circle: Set[str], rules: Sequence[Production]) -> list[str]:
    """Return the categories of a circle each of whose rules needs another of them, sorted."""
    left, size = set(circle), -1
    while len(left) != size:
        size = len(left)
        left -= {
            rule.lhs.info.name
            for rule in rules
            if rule.lhs.info.name in left and not any(p.info.name in left for p in rule.rhs)
        }
    return sorted(left)


def _reachable(instances: Sequence[Instance], start: str) -> set[Concrete]:
    graph: nx.DiGraph[Concrete] = nx.DiGraph()
    for instance in instances:
        graph.add_node(instance.lhs)
        graph.add_edges_from((instance.lhs, child) for child in instance.rhs)
    roots = [node for node in graph if node[0] == start]
    reachable: set[Concrete] = set(roots)
    for root in roots:
        reachable |= nx.descendants(graph, root)
    return reachable


def _report_unreachable(
    instances: Sequence[Instance], reachable: set[Concrete], start: str, state: CompilerState
) -> None:
    """Warn about rules no instance of which can occur in a sentence."""
    alive = {id(i.production) for i in instances if i.lhs in reachable}
    reported: set[str] = set()
    for instance in instances:
        production = instance.production
        label = production.pool.split("/")[0] or production.name
        if id(production) not in alive and production.pool == "" and label not in reported:
            reported.add(label)
            state.warning(
                "SGL0704",
                production.span,
                f"`{production.name}` never takes part in a sentence: "
                f"`{production.lhs.info.name}` cannot be reached from `{start}`",
            )


def _report_endless(instances: Sequence[Instance], state: CompilerState) -> None:
    """Report categories that are built from themselves without adding a source word."""
    passing = [i for i in instances if len(i.rhs) == 1 and len(i.production.templates[0]) == 1]
    graph: nx.DiGraph[Concrete] = nx.DiGraph((i.lhs, i.rhs[0]) for i in passing)
    components = enumerate(nx.strongly_connected_components(graph))
    component = {node: index for index, nodes in components for node in nodes}
    reported: set[int] = set()
    for instance in passing:
        index = component[instance.lhs]
        if index == component[instance.rhs[0]] and index not in reported:
            reported.add(index)
            name = instance.lhs[0]
            state.error(
                "SGL0708",
                instance.production.span,
                f"`{name}` is built from `{name}` without a word in between: "
                "a sentence with it has infinitely many derivations",
                "remove the rule, or let it change a feature",
            )
