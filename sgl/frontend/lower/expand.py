"""Expand features: turn productions with feature variables into concrete rules.

Categories are built from the words upwards: a rule is instantiated with each combination of *buildable* children that
satisfies its variables.  Then unreachable instances are dropped.  If a whole rule or category disappears in either
step, it is reported.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import product
from typing import NoReturn

from sgl.core.grammar import Cut, Slot
from sgl.core.graphs import components, reachable
from sgl.core.rounds import Rounds
from sgl.diagnostics import Label, Reported, shortlist
from sgl.frontend.elaborate.algebra import settled
from sgl.frontend.elaborate.categories import CategoryPattern, Slotting
from sgl.frontend.lower.productions import Produced, Production, Version
from sgl.lang import syntax as s
from sgl.memory import kept
from sgl.values import dataclass, field

#: A category with its features fixed: its name and the values in order.
Concrete = tuple[str, tuple[str, ...]]

MAX_INSTANCES = 200_000
MAX_STEPS = 2_000_000
_RULES = f"expand into more than {MAX_INSTANCES:,} rules"
_FEWER = "use fewer or smaller features in rules with many children"


@dataclass(frozen=True)
class Instance:
    """A production with fixed features; ``values`` are the values of its variables."""

    production: Production
    lhs: Concrete
    rhs: tuple[Concrete, ...]
    values: Mapping[str, str]

    @property
    def version(self) -> Version:
        """The version of the production for these values."""
        return self.production.version(self.values)


_Partial = tuple[tuple[Concrete, ...], dict[str, str], Iterator[tuple[str, ...]]]


def expand(start: s.Name, state: Produced) -> list[Instance]:
    """Instantiate sound productions that the start reaches, the start's first."""
    # A production with neither children nor words counts as a rule.
    words = [p for p in state.productions if not p.rhs and not p.empty]
    rules = [p for p in state.productions if p.rhs or p.empty]
    search = _Search(state)
    of_words = kept("instances", tuple(words), None, lambda: search.words(words))
    for word in of_words:
        search.build(*word.lhs)
    of_rules = search.rules(rules)
    instances = of_rules + of_words
    _report_unbuildable(rules, of_rules, search, start)
    below: dict[Concrete, list[Concrete]] = {instance.lhs: [] for instance in instances}
    for instance in of_rules:
        below[instance.lhs] += instance.rhs
    found = reachable((node for node in below if node[0] == start.text), below)
    used = [instance for instance in instances if instance.lhs in found]
    _report_endless(used, state)
    if state.diagnostics.errors:
        raise Reported
    return sorted(used, key=lambda instance: instance.lhs[0] != start.text)


@dataclass
class _Search:
    """Tries combinations of buildable children, up to a total limit for all rules.

    Most combinations may fail to agree, so the combinations are limited, not only the instances. ``buildable`` has the
    feature values of each category, ``having`` those with a certain value at a certain place.
    """

    state: Produced
    buildable: dict[str, dict[tuple[str, ...], None]] = field(default_factory=dict)
    having: dict[tuple[str, int, str], list[tuple[str, ...]]] = field(default_factory=dict)
    steps: int = 0

    def build(self, name: str, values: tuple[str, ...]) -> bool:
        """Record a buildable category; return whether it is new."""
        known = self.buildable.setdefault(name, {})
        if values in known:
            return False
        known[values] = None
        for place, value in enumerate(values):
            self.having.setdefault((name, place, value), []).append(values)
        return True

    def words(self, words: Sequence[Production]) -> list[Instance]:
        found: list[Instance] = []
        for word in words:
            name = word.lhs.info.name
            for values in _choices(word.lhs.slots, {}, word.domains):
                self._step(word)
                bound = _bound(word, values, {})
                if not word.admits(bound):
                    continue
                found.append(Instance(word, (name, values), (), bound))
                if len(found) > MAX_INSTANCES:
                    self._give_up(word, _RULES, "set some of its features")
        return found

    def rules(self, rules: Sequence[Production]) -> list[Instance]:
        found: list[dict[tuple[Concrete, tuple[Concrete, ...]], Instance]] = [{} for _ in rules]
        rounds, total = Rounds([pattern.info.name for pattern in rule.rhs] for rule in rules), 0
        for number in rounds:
            for instance in self._instances(rules[number]):
                key, (name, values) = (instance.lhs, instance.rhs), instance.lhs
                if key not in found[number]:
                    found[number][key] = instance
                    total += 1
                if self.build(name, values):
                    rounds.grew(name)
                if total > MAX_INSTANCES:
                    self._give_up(rules[number], _RULES)
        return [instance for instances in found for instance in instances.values()]

    def _instances(self, rule: Production) -> Iterator[Instance]:
        for pattern in rule.rhs:
            # A child that cannot be built under any choice ends the search.
            if all(_unify(pattern.slots, f, {}, rule.domains) is None for f in self._features(pattern, {})):
                return
        for values, rhs in self._match(rule):
            for lhs in _choices(rule.lhs.slots, values, rule.domains):
                self._step(rule)
                bound = _bound(rule, lhs, values)
                if rule.admits(bound):
                    yield Instance(rule, (rule.lhs.info.name, lhs), rhs, bound)

    def _match(self, rule: Production) -> Iterator[tuple[dict[str, str], tuple[Concrete, ...]]]:
        """Yield assignments of buildable categories to the children, with the variables' values."""
        # The first children, their bindings, and their candidates: an explicit stack instead of recursion.
        partial = [((), {}, self._features(rule.rhs[0], {}))] if rule.rhs else list[_Partial]()
        if not rule.rhs:
            yield {}, ()
        while partial:
            chosen, bound, waiting = partial[-1]
            features = next(waiting, None)
            if features is None:
                partial.pop()
                continue
            self._step(rule)
            pattern = rule.rhs[len(chosen)]
            more = _unify(pattern.slots, features, bound, rule.domains)
            if more is not None and rule.constraints:
                more = settled(rule.constraints, more, rule.domains)
            children = (*chosen, (pattern.info.name, features))
            if more is not None and len(children) == len(rule.rhs):
                yield more, children
            elif more is not None:
                partial.append((children, more, self._features(rule.rhs[len(children)], more)))

    def _features(self, pattern: CategoryPattern, bound: Mapping[str, str]) -> Iterator[tuple[str, ...]]:
        """Yield the buildable features of a child that agree with its first known value."""
        name = pattern.info.name
        for place, slot in enumerate(pattern.slots):
            value = bound.get(slot) if isinstance(slot, str) else next(iter(slot)) if len(slot) == 1 else None
            if value is not None:
                return iter([*self.having.get((name, place, value), ())])
        return iter([*self.buildable.get(name, ())])

    def _step(self, production: Production) -> None:
        self.steps += 1
        if self.steps > MAX_STEPS:
            self._give_up(production, f"of the rules combine in more than {MAX_STEPS:,} ways")

    def _give_up(self, production: Production, problem: str, hint: str = _FEWER) -> NoReturn:
        self.state.fail("SGL0706", production.span, f"the features {problem}", hint, label="reached here")


def _bound(rule: Production, features: Sequence[str], values: Mapping[str, str]) -> dict[str, str]:
    pairs = zip(rule.lhs.slots, features, strict=True)
    return {**values, **{slot: value for slot, value in pairs if isinstance(slot, str)}}


def _unify(
    slots: Sequence[Slotting], features: Sequence[str], values: Mapping[str, str], domains: Mapping[str, frozenset[str]]
) -> dict[str, str] | None:
    """Return the values extended by the bindings of a child with these features; None if they clash."""
    bound = dict(values)
    for slot, feature in zip(slots, features, strict=True):
        if isinstance(slot, str):
            if feature not in domains[slot] or bound.setdefault(slot, feature) != feature:
                return None
        elif feature not in slot:
            return None
    return bound


def _choices(
    slots: Sequence[Slotting], values: Mapping[str, str], domains: Mapping[str, frozenset[str]]
) -> Iterator[tuple[str, ...]]:
    """Yield all feature values of the left-hand side; unbound variables range freely."""
    free = [slot for slot in dict.fromkeys(slots) if isinstance(slot, str) and slot not in values]
    for chosen in product(*(sorted(domains[name]) for name in free)):
        bound = {**values, **dict(zip(free, chosen, strict=True))}
        options = [(bound[slot],) if isinstance(slot, str) else tuple(sorted(slot)) for slot in slots]
        yield from product(*options)


def _report_unbuildable(
    rules: Sequence[Production], expanded: Sequence[Instance], search: _Search, start: s.Name
) -> None:
    buildable, state = search.buildable, search.state
    used = {id(instance.production) for instance in expanded}
    for rule in rules:
        if id(rule) in used or not all(buildable.get(p.info.name) for p in rule.rhs):
            continue
        notes = []
        for pattern in rule.rhs:
            info = pattern.info
            known = (info.written(values) for values in buildable[info.name])
            notes.append(f"`{info.name}` can be built as: {shortlist(known, 6)}")
        message = f"the rule `{rule.name}` can never be used: no children have the features it asks for"
        state.error("SGL0703", rule.span, message, notes=notes)
    mentioned = {p.info.name for rule in rules for p in rule.rhs} | {start.text}
    unbuilt = {name for name in mentioned if not buildable.get(name)}
    made = {rule.lhs.info.name for rule in rules}
    for name in sorted(unbuilt - made):
        message = f"nothing builds the category `{name}`: it has no rule and no word"
        hint = f'add `word {name}: "…"`, a lexicon, or a rule that builds it'
        declared = state.signature.categories[name].declaration.name
        state.error("SGL0702", declared.span, message, hint)
    _report_unproductive(unbuilt & made, rules, state)


def _report_unproductive(names: Set[str], rules: Sequence[Production], state: Produced) -> None:
    below: dict[str, list[str]] = {rule.lhs.info.name: [] for rule in rules}
    for rule in rules:
        below[rule.lhs.info.name] += [part.info.name for part in rule.rhs]
    endless = [_without_end(component & names, rules) for component in (components(below) if names else ())]
    for circle in sorted(circle for circle in endless if circle):
        first, *others = (rule for rule in rules if rule.lhs.info.name in circle)
        listed = " and ".join(f"`{name}`" for name in circle)
        message = f"{listed} never end in words: each of their rules needs one of them"
        if len(circle) == 1:
            message = f"{listed} never ends in words: each of its rules needs another {listed}"
        labels = [Label(rule.span, "and so does this rule") for rule in others[:3]]
        state.error("SGL0702", first.span, message, "add a rule or a word that ends the recursion", labels=labels)


def _without_end(circle: Set[str], rules: Sequence[Production]) -> list[str]:
    left, size = set(circle), -1
    while len(left) != size:
        size = len(left)
        left -= {
            rule.lhs.info.name
            for rule in rules
            if rule.lhs.info.name in left and not any(p.info.name in left for p in rule.rhs)
        }
    return sorted(left)


def _report_endless(instances: Sequence[Instance], state: Produced) -> None:
    only = [i for i in instances if len(i.rhs) == 1]
    passing = [i for i in only if all(isinstance(t, Slot | Cut) for t in i.version.templates[0])]
    below: dict[Concrete, list[Concrete]] = {i.lhs: [] for i in passing}
    for i in passing:
        below[i.lhs].append(i.rhs[0])
    component = {node: index for index, nodes in enumerate(components(below)) for node in nodes}
    reported: set[int] = set()
    for instance in passing:
        index = component[instance.lhs]
        if index == component[instance.rhs[0]] and index not in reported:
            reported.add(index)
            name = instance.lhs[0]
            message = f"`{name}` is built from `{name}` without a word in between: "
            message += "a sentence with it has infinitely many derivations"
            state.error("SGL0708", instance.production.span, message, "remove the rule, or let it change a feature")
