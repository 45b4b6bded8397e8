"""Check a certificate, trusting nothing else: ``python certificate.py certificate.json [STEPS]``.

Two lemmas establish its claims; docs/certificate.md has their proofs, the format, the codes:
A. The automaton of a structure accepts the derivations whose graph contains it, and no others.
B. A split derives a phrase only in the automaton states that the invariant of a claim lists.
"""

import gc
import sys
from collections.abc import Callable, Collection, Iterator
from functools import cache
from itertools import product

if __package__:
    from sgl.verify import certificate_format as form
    from sgl.verify.certificate_rules import ingredients, symbols_of
    from sgl.verify.certificate_structures import Structures
else:  # as a script, which has the other two files beside it
    import certificate_format as form  # type: ignore[import-not-found, no-redef]
    from certificate_rules import ingredients, symbols_of  # type: ignore[import-not-found, no-redef]
    from certificate_structures import Structures  # type: ignore[import-not-found, no-redef]

Json = form.Json
FAULTS = (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError)
STEPS, STEPS_FOR_A_BYTE = 8_000_000, 20  # the budget, which grows with the size of the file


class Checker:
    """Checks the parts of a certificate; an error says which line of reasoning fails."""

    def __init__(self, content: bytes, budget: int = 0) -> None:
        self.data = form.read_certificate(content)
        self.budget = self.left = budget or STEPS + STEPS_FOR_A_BYTE * len(content)
        self.core, self.grammar = self.data["core"], self.data["core"]["grammar"]
        self.splits, self.structures = self.data["splits"], self.data["structures"]
        self.tables = [{(s, *qs): q for s, q, *qs in x["transitions"]} for x in self.structures]
        self.awake = [{~s for (s, *c), q in t.items() if q and not any(c)} for t in self.tables]
        self.usable, self.users = cache(self.find_usable), cache(self.find_users)
        self.provided = cache(lambda n: ingredients(self.core, self.grammar["rules"][n]))

    def spend(self, steps: int) -> None:
        """Take steps from the budget."""
        self.left -= steps
        if self.left < 0:
            raise TimeoutError

    def prepare(self) -> None:
        """Check the symbols and that each stratum has one split; note what is looked up often."""
        self.ends, self.rules_of = symbols_of(self.grammar["rules"], self.data["symbols"])
        self.automata = Structures(self.core, self.data["symbols"], self.ends, self.spend)
        strata, claims = self.core["plan"]["strata"], self.data["claims"]
        if sorted(n for split in self.splits for n in split["strata"]) != [*range(len(strata))]:
            raise ValueError("not every stratum of the plan has one split")
        self.strata = [[strata[n] for n in split["strata"]] for split in self.splits]
        self.parts = [{(part, bool(count)) for part, _, _, count, *_ in x} for x in self.strata]
        self.trained = [n for n, parts in enumerate(self.parts) if ("train", True) in parts]
        self.stated = {("", structure) for structure in self.core["plan"]["nowhere"]}
        for own in self.core["plan"]["patterns"]:
            self.stated |= {(own["name"], text) for text in (*own["forbid"], *own["never"])}
        self.facts = {(kind, n, *group) for *_, kind, n, group, e in claims if e is not None}
        self.streams = [", ".join(stratum[2] for stratum in own) for own in self.strata]
        self.names = [structure["name"] for structure in self.structures]
        if len({(x["layer"], x["name"]) for x in self.structures}) < len(self.structures):
            raise ValueError("two structures of one layer have the same name")

    def split(self, number: int) -> None:
        """Check that a split is a part of the grammar, and derives a text."""
        split, states = self.splits[number], self.splits[number]["states"]
        for symbol, whole, *parts in split["transitions"]:
            if self.ends[symbol] != [states[whole], [states[part] for part in parts]]:
                raise ValueError(f"a transition of state {whole} is no rule of symbol {symbol}")
        if any(states[root] != self.grammar["start"] for root in split["roots"]):
            raise ValueError("a root is not a text")
        if not self.usable(number):
            raise ValueError("it derives no text")

    def find_usable(self, number: int) -> set[int]:
        """Return the rules that texts of a split use."""
        roots, steps = self.splits[number]["roots"], self.splits[number]["transitions"]
        made = self.closure([(whole, parts) for _, whole, *parts in steps])
        steps = [step for step in steps if made.issuperset(step[2:])]
        below = [(part, [whole]) for _, whole, *parts in steps for part in parts]
        reached = self.closure([(root, []) for root in roots if root in made] + below)
        return {rule for own, whole, *_ in steps if whole in reached for rule in self.rules_of[own]}

    def find_users(self, number: int) -> dict[int, set[int]]:
        """Return which transitions of a split use each state, and each symbol, written ~symbol."""
        users = dict[int, set[int]]()
        for step, (symbol, *states) in enumerate(self.splits[number]["transitions"]):
            for used in (~symbol, *states):
                users.setdefault(used, set()).add(step)
        return users

    def closure(self, steps: Collection[tuple[int, list[int]]]) -> set[int]:
        """Return all that follows by steps: a conclusion, and what has to be known before."""
        found, size = set[int](), -1
        while size < (size := len(found)):
            self.spend(len(steps))
            found |= {conclusion for conclusion, premises in steps if found.issuperset(premises)}
        return found

    def sampler(self, number: int) -> None:
        """Check that rows are drawn by all the transitions of a split, and by no others."""
        split, sampler, ways = self.splits[number], self.data["sampler"], dict[int, set[Json]]()
        for symbol, whole, *parts in split["transitions"]:
            ways.setdefault(whole, set()).update((rule, *parts) for rule in self.rules_of[symbol])
        place = form.once(split["drawn"])
        tables = [(sampler["starts"][stratum], split["roots"]) for stratum in split["strata"]]
        for state, wholes in tables + [(state, [whole]) for state, whole in place.items()]:
            bounds, rules, children = sampler["states"][state]
            pairs = zip(rules, children, strict=True)
            drawn = {(rule, *(place[x] for x in reversed(below))) for rule, below in pairs}
            if drawn != set().union(*(ways.get(whole, ()) for whole in wholes)):
                raise ValueError(f"state {state} of the sampler draws other transitions")
            if len(bounds) != len(rules) or [0, *bounds] != sorted({0, *bounds}):
                raise ValueError(f"the bounds of state {state} of the sampler do not grow")

    def claim(self, number: int) -> None:
        """Check a claim: that it is of this part of the data, and that there is evidence."""
        pattern, word, kind, n, group, evidence = self.data["claims"][number]
        of_items = kind in ("disjoint", "exposes") or (word == "instance" and pattern)
        if of_items and ["gen", pattern] not in [stratum[:2] for stratum in self.strata[n]]:
            raise ValueError("the split has no items of the pattern")
        if pattern not in ["", *(own["name"] for own in self.core["plan"]["patterns"])]:
            raise ValueError("there is no such pattern")
        if word == "held out" and not {(pattern, self.names[x]) for x in group} <= self.stated:
            raise ValueError("the pattern does not hold it out")
        if word == "licensed" and n not in self.trained:
            raise ValueError("the split has no training sentences")
        if not self.needed(word, kind, n, group) <= self.facts:
            raise ValueError("for a fact that it follows from there is no evidence")
        if kind == "exposes":
            self.exposes(pattern, n, evidence)
        elif kind == "contains" and evidence is not None:
            self.contains(self.splits[n], group, evidence)
        elif evidence is not None:
            self.invariant(n, group, evidence, kind)

    def needed(self, word: str, kind: str, n: int, group: list[int]) -> set[Json]:
        """Return the facts that a claim follows from; one that is claimed twice is shown once."""
        if kind == "disjoint":
            trained = [n for n, parts in enumerate(self.parts) if any("train" in x for x in parts)]
            return {("requires", n, *group), *product(["excludes"], trained, group)}
        own = {(kind, n, *group)} if kind in ("excludes", "requires", "contains") else set()
        if word == "held out":  # of train, dev and test alike
            others = [n for n, own in enumerate(self.parts) if any("gen" not in x for x in own)]
            own |= {*product(["excludes"], others, group)}
        return own

    def invariant(self, number: int, group: list[int], invariant: Json, kind: str) -> None:
        """Lemma B: an invariant is closed, and as the claim wants it at the roots."""
        split, users, usual = self.splits[number], self.users(number), {(0,) * len(group)}
        pairs = [(q, {*zip(*[iter(flat)] * len(group), strict=True)}) for q, *flat in invariant]
        sets, tables = form.once(pairs), [*enumerate(self.tables[each] for each in group)]
        awake = set[int]().union(*[self.awake[structure] for structure in group])
        steps = set[int]().union(*[users[used] for used in users.keys() & (awake | sets.keys())])
        self.spend(len(users) + len(steps))  # all others lead from usual states to usual states
        for symbol, result, *children in map(split["transitions"].__getitem__, sorted(steps)):
            for states in product(*[sets.get(child, usual) for child in children]):
                self.spend(len(group))
                new = (*[t.get((symbol, *[q[i] for q in states]), 0) for i, t in tables],)
                if new not in sets.get(result, usual):
                    step = f"transition {symbol} of state {result}"
                    raise ValueError(f"{step} leaves the invariant: {states} -> {new}")
        accepting = [{*self.structures[structure]["accepting"]} for structure in group]
        for root, states in ((r, qs) for r in {*split["roots"]} for qs in sets.get(r, usual)):
            if (kind == "requires") != any(s in a for s, a in zip(states, accepting, strict=True)):
                raise ValueError(f"a text of root {root} can end in {states}")

    def contains(self, split: Json, group: list[int], derivation: list[int]) -> None:
        """Check that a derivation, its transitions in preorder, contains a structure."""
        [structure], stack = group, list[Json]()
        for step in reversed(derivation):
            symbol, result, *children = split["transitions"][step]
            parts = [stack.pop() for _ in children]
            state = self.tables[structure].get((symbol, *[state for _, state in parts]), 0)
            stack.append((result if [s for s, _ in parts] == children else None, state))
        if (*stack,) not in zip(product(split["roots"], self.structures[structure]["accepting"])):
            raise ValueError("the derivation is not one of a text that contains it")

    def exposes(self, pattern: str, n: int, excuses: Json) -> None:
        """Check that training has what items are made of, but for targets and excuses."""
        [targets] = [x["targets"] for x in self.core["plan"]["patterns"] if x["name"] == pattern]
        words = {("word", target) for target in targets}
        used = [own for own in map(self.provided, self.usable(n)) if own.isdisjoint(words)]
        trained = {rule for n in self.trained for rule in self.usable(n)}
        known = set[Json]().union(*map(self.provided, trained))
        excused = {(kind, name) for kind, name, _ in excuses}
        if wrong := set[Json]().union(*used) - known - excused | known & excused:
            raise ValueError(f"training has not, or has and it is excused: {' '.join(min(wrong))}")

    def checks(self) -> Iterator[tuple[str, Callable[..., None], Json]]:
        """Yield all that is to be checked: code and subject, how, and which; the quickest first."""
        for n, streams in enumerate(self.streams):
            yield f"C06 {streams}", self.split, n
            yield f"C07 {streams}", self.sampler, n
        for n, (pattern, word, kind, split, group, _) in enumerate(self.data["claims"]):
            what = f"{self.streams[split]} {kind} {' or '.join(self.names[x] for x in group)}"
            yield f"C08 {pattern or 'everywhere'}: {word}: {what}", self.claim, n
        for name, *pair in zip(self.names, self.structures, self.tables, strict=True):
            yield f"C09 {name}", self.automata.name, pair[0]
            yield f"C10 {name}", self.automata.check, pair

    def refusals(self) -> Iterator[str]:
        """Yield what is wrong; without any, all claims hold."""
        what = "C05 the grammar or the numbering"
        try:
            self.prepare()
            for what, check, number in self.checks():
                try:
                    check(number)
                except FAULTS as problem:
                    yield form.shown(f"{what}: {form.reason(problem)}")
        except FAULTS as problem:
            yield form.shown(f"{what}: {form.reason(problem)}")
        except TimeoutError:
            yield form.shown(f"C04 the budget of {self.budget:,} steps is used up: {what[4:]}")

    def established(self) -> Iterator[str]:
        """Yield what an accepted certificate establishes of each pattern, in words."""
        for pattern, word in dict.fromkeys((claim[0], claim[1]) for claim in self.data["claims"]):
            own = [claim[2:] for claim in self.data["claims"] if claim[:2] == [pattern, word]]
            own = [x for x in own if x[0] != "excludes" or word == "held out"]
            shown_of = {x: kind != "waived" for kind, _, group, _ in own for x in group}
            parts = [self.names[x] + " (waived)" * (not proved) for x, proved in shown_of.items()]
            excuses = {f"without {x[1]} ({x[2]})" for k, *_, e in own if k == "exposes" for x in e}
            yield form.shown(f"{pattern or 'everywhere'}: {word}: {', '.join(parts + sorted(excuses))}")


def judge(content: bytes, budget: int = 0) -> tuple[list[str], list[str]]:
    """Return why a certificate is refused, and if it is not, what it establishes."""
    try:
        refused = [*(checker := Checker(content, budget)).refusals()]
        return refused, [] if refused else [*checker.established()]
    except (form.RefusalError, *FAULTS) as problem:
        return [form.shown(form.reason(problem))], []


if __name__ == "__main__":
    gc.set_threshold(100_000)  # a certificate is large, and hardly anything of it is garbage
    try:
        refused, established = judge(form.content_of(*sys.argv[1:2]), *map(int, sys.argv[2:3]))
    except (OSError, *FAULTS) as problem:
        refused, established = [f"{problem}; usage: certificate.py FILE [STEPS]"], []
    sys.stdout.write("".join(f"{line}\n" for line in refused or ["accepted", *established]))
    sys.exit(len(refused) > 0)
