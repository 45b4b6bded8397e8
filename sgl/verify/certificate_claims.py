"""Check the claims of a certificate and their evidence: lemma B.

An *invariant* lists, for states of a split, the automaton states that their phrases can have; phrases of other states
have only state 0.  It is closed under the transitions, so by induction it holds for all derivations.
"""

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from itertools import product
from typing import Any, NamedTuple

from sgl.verify import certificate_format as form
from sgl.verify.certificate_rules import Ingredient, ingredients
from sgl.verify.certificate_splits import Splits
from sgl.verify.schema import CertificateData, CertifiedClaim, CertifiedSplit, Table
from sgl.verify.schema_grammar import Flaw

States = tuple[int, ...]  # one state of each automaton of a claim
Invariant = dict[int, set[States]]


class Fact(NamedTuple):
    """The content of a claim, regardless of its pattern."""

    kind: str
    split: int
    structures: tuple[int, ...]


class Reached(NamedTuple):
    """The states of a phrase: in the split, and in the automaton."""

    split: int
    automaton: int


class ClaimChecker:
    """Checks claims against the splits; ``tables`` are the automata of the structures."""

    def __init__(
        self, data: CertificateData, splits: Splits, tables: Sequence[Table], spend: Callable[[int], None]
    ) -> None:
        self.data, self.splits, self.tables, self.spend = data, splits, tables, spend
        plan = data.core.plan
        self.patterns = {pattern.name: pattern for pattern in plan.patterns}
        self.stated = {("", clause.text) for clause in plan.nowhere}
        for pattern in plan.patterns:
            self.stated |= {(pattern.name, clause.text) for clause in pattern.held_out}
        #: The facts with evidence.
        self.facts = {Fact(own.kind, own.split, own.structures) for own in data.claims if own.evidence is not None}
        #: The symbols on which an automaton leaves state 0.
        self.awake = [*map(_awake, tables)]
        self.provided = cache(lambda rule: ingredients(data.core, data.core.grammar.rules[rule]))

    @cached_property
    def known(self) -> set[Ingredient]:
        """The ingredients of the rules that training uses."""
        used = set[int]().union(*map(self.splits.usable, self.splits.trained))
        return set[Ingredient]().union(*map(self.provided, used))

    def check(self, claim: CertifiedClaim) -> None:
        """Check a claim: that it concerns the right part of the data, and that its evidence holds."""
        self._check_place(claim)
        if not self._needed(claim) <= self.facts:
            raise Flaw("a fact that it follows from has no evidence")
        if claim.kind == "exposes":
            self._check_exposed(claim)
        elif claim.evidence is not None and claim.kind == "contains":
            self._check_contained(claim)
        elif claim.evidence is not None:
            self._check_invariant(claim)

    def _check_place(self, claim: CertifiedClaim) -> None:
        """Check that a claim is about a split, structures and a pattern that exist."""
        if claim.split >= len(self.data.splits) or not {*claim.structures} <= {*range(len(self.tables))}:
            raise Flaw("there is no such split or structure")
        if claim.pattern not in {"", *self.patterns}:
            raise Flaw("there is no such pattern")
        if len(self.patterns) < len(self.data.core.plan.patterns):
            raise Flaw("two patterns have the same name")
        self._check_split(claim)
        names = {(claim.pattern, self.data.structures[x].name) for x in claim.structures}
        if claim.claim == "held out" and not names <= self.stated:
            raise Flaw("the pattern does not hold it out")

    def _check_split(self, claim: CertifiedClaim) -> None:
        """Check that a claim about items is about a split with items, and a claim about training likewise."""
        kinds = {(stratum.split, stratum.category) for stratum in self.splits.strata[claim.split]}
        if _is_of_items(claim) and ("gen", claim.pattern) not in kinds:
            raise Flaw("the split has no items of the pattern")
        if claim.claim == "licensed" and claim.split not in self.splits.trained:
            raise Flaw("the split has no training sentences")

    def _needed(self, claim: CertifiedClaim) -> set[Fact]:
        """Return the facts from which a claim follows; a fact that is claimed twice is shown once."""
        if claim.kind == "disjoint":
            excluded = self._excluded(claim, [n for n, kinds in enumerate(self.splits.kinds) if "train" in kinds])
            return {Fact("requires", claim.split, claim.structures), *excluded}
        own = set[Fact]()
        if claim.kind in ("excludes", "requires", "contains"):
            own = {Fact(claim.kind, claim.split, claim.structures)}
        if claim.claim == "held out":  # for train, dev and test
            own |= self._excluded(claim, [n for n, kinds in enumerate(self.splits.kinds) if kinds != {"gen"}])
        return own

    def _excluded(self, claim: CertifiedClaim, splits: Sequence[int]) -> set[Fact]:
        return {Fact("excludes", split, (structure,)) for split, structure in product(splits, claim.structures)}

    def _check_invariant(self, claim: CertifiedClaim) -> None:
        """Check lemma B: an invariant is closed, and satisfies the claim at the roots."""
        usual = {(0,) * len(claim.structures)}
        sets = self._read_invariant(claim)
        self._check_closed(claim, sets, usual)
        accepting = [{*self.data.structures[number].accepting} for number in claim.structures]
        for root in {*self.data.splits[claim.split].roots}:
            for states in sets.get(root, usual):
                accepted = any(state in own for state, own in zip(states, accepting, strict=True))
                if accepted != (claim.kind == "requires"):
                    raise Flaw(f"a text of root {root} can end in {states}")

    def _read_invariant(self, claim: CertifiedClaim) -> Invariant:
        """Return an invariant: for each state of the split, tuples of automaton states."""
        size, found = len(claim.structures), Invariant()
        evidence: list[Any] = claim.evidence or []
        for row in evidence:
            if not row or not size or (len(row) - 1) % size or row[0] in found:
                raise Flaw("the invariant has no states of its structures, or a state twice")
            state, *flat = row
            found[state] = {tuple(flat[at : at + size]) for at in range(0, len(flat), size)}
        return found

    def _check_closed(self, claim: CertifiedClaim, sets: Invariant, usual: set[States]) -> None:
        """Check that transitions lead from listed states to listed states."""
        users, tables = self.splits.users(claim.split), [*map(self.tables.__getitem__, claim.structures)]
        awake = set[int]().union(*[self.awake[number] for number in claim.structures])
        steps = set[int]().union(*[users[used] for used in users.keys() & (awake | sets.keys())])
        self.spend(len(users) + len(steps))  # all other transitions lead from usual states to usual states
        transitions = self.data.splits[claim.split].transitions
        for symbol, result, *children in (transitions[step] for step in sorted(steps)):
            allowed = sets.get(result, usual)
            for states in product(*[sets.get(child, usual) for child in children]):
                self.spend(len(tables))
                if (new := _state(tables, symbol, states)) not in allowed:
                    step = f"transition {symbol} of state {result}"
                    raise Flaw(f"{step} leaves the invariant: {states} -> {new}")

    def _check_contained(self, claim: CertifiedClaim) -> None:
        """Check that a derivation, given by its transitions in preorder, contains a structure."""
        if len(claim.structures) != 1:
            raise Flaw("a derivation shows one structure")
        [structure] = claim.structures
        stack = list[Reached]()
        steps: list[Any] = claim.evidence or []
        for step in reversed(steps):
            self._take_step(self.data.splits[claim.split], step, self.tables[structure], stack)
        roots, accepting = self.data.splits[claim.split].roots, self.data.structures[structure].accepting
        if [(own.split in roots, own.automaton in accepting) for own in stack] != [(True, True)]:
            raise Flaw("the derivation is not of a text that contains it")

    def _take_step(self, split: CertifiedSplit, step: int, table: Table, stack: list[Reached]) -> None:
        """Replace the children of a transition, the last on the stack with the first on top, by their parent."""
        if step >= len(split.transitions):
            raise Flaw(f"the split has no transition {step}")
        symbol, result, *children = split.transitions[step]
        parts = [stack.pop() for _ in children[: len(stack)]]
        if [part.split for part in parts] != children:
            raise Flaw("the transitions are not a derivation")
        stack.append(Reached(result, table.get((symbol, *[part.automaton for part in parts]), 0)))

    def _check_exposed(self, claim: CertifiedClaim) -> None:
        """Check that training has the ingredients of items, except for targets and excuses."""
        targets = {("word", target) for target in self.patterns[claim.pattern].targets}
        excused = {(excuse.kind, excuse.name) for excuse in form.excuses(claim)}
        used = set[Ingredient]()
        for rule in self.splits.usable(claim.split):
            if self.provided(rule).isdisjoint(targets):
                used |= self.provided(rule)
        if wrong := used - self.known - excused | self.known & excused:
            raise Flaw(f"training has not, or has and it is excused: {' '.join(min(wrong))}")


def _state(tables: Sequence[Table], symbol: int, children: Sequence[States]) -> States:
    """Return the state of a phrase in each automaton from the states of its children."""
    return tuple([table.get((symbol, *[child[at] for child in children]), 0) for at, table in enumerate(tables)])


def _awake(table: Table) -> set[int]:
    return {~key[0] for key, state in table.items() if state and not any(key[1:])}


def _is_of_items(claim: CertifiedClaim) -> bool:
    return claim.kind in ("disjoint", "exposes") or (claim.claim == "instance" and bool(claim.pattern))
