"""Check a certificate, trusting nothing else: ``python certificate.py certificate.json``.

Two lemmas establish its claims; docs/certificate.md has their proofs and the format:
A. The automaton of a structure accepts the derivations whose graph contains it, and no others.
B. A split derives a phrase only in the automaton states that the invariant of a claim lists.
"""

import json
import sys
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

Json = Any  # a part of the certificate, or a value made of such parts
FORMAT, FOUND, LABEL = "sgl-certificate/3", "found", "label"
COMPARE = {"=": int.__eq__, ">=": int.__ge__, "<=": int.__le__}
FAULTS = (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError)


def passes(test: Json, value: str) -> bool:
    """Return whether a test ``[negated, value, ...]`` passes a value."""
    return (value in test[1:]) != bool(test[0])


class Phrase:
    """The graph of a phrase as a structure sees it; its nodes are numbers, the ports first."""

    def __init__(self, bodies: Json, effect: Json, parts: Json, bars: frozenset[Any]) -> None:
        self.bodies, (ports, nodes, edges, rows) = bodies, effect
        self.ports, self.ends = range(ports), {None, *range(ports)}
        self.edges, self.barred = {*edges}, [bars] * nodes  # what each cannot be; whether LABEL
        for row, part in zip(rows, parts, strict=True):
            name = [*row, *range(len(self.barred), len(self.barred) + len(part.barred) - len(row))]
            for x, barred in zip(row, part.barred[: len(part.ports)], strict=True):
                if LABEL in self.barred[x] & barred or row.count(x) > 1:
                    raise ValueError("a node gets two labels, or is two ports of one part")
                self.barred[x] |= barred
            self.barred += part.barred[len(row) :]
            self.edges |= {(name[s], label, name[t]) for s, label, t in part.edges}
        for x, body in product(range(ports, nodes), bodies):
            if LABEL not in self.barred[x]:
                raise ValueError("a node is forgotten without a label")
            tests = [(v, COMPARE[sign](self.degree(x, e), n)) for v, e, sign, n in body["degrees"]]
            self.barred[x] |= {(body["rank"], v) for v, met in tests if not met}
        self.walks = {r: self.walk(*r) for r in {r for body in bodies for _, r, _ in body["links"]}}

    def degree(self, x: int, labels: Json) -> int:
        """Return the number of edges from a node."""
        return sum(s == x and passes(labels, label) for s, label, _ in self.edges)

    def walk(self, labels: Json, low: int, high: int | None) -> Json:
        """Longer walks (from, to, length); ends of walks that are complete, or may become so."""
        steps, cap = [(s, t) for s, e, t in self.edges if passes(labels, e)], high or max(low, 1)
        walks = news = {(x, x, 0) for x in range(len(self.barred))}
        while news:
            longer = {(s, t, n + 1) for s, x, n in news for y, t in steps if x == y}
            news = {(s, t, min(n, cap)) for s, t, n in longer if high is None or n <= high} - walks
            walks = walks | news
        held, begun = {e[:2] for e in walks if e[2] >= low}, [e for e in walks if e[2] != high]
        ends = [self.ends | {e[i] for e in begun if e[1 - i] in self.ports} for i in (0, 1)]
        return walks if high not in (0, 1) else (), held, held.union(product(*ends))

    def matches(self, body: Json, outer: Json, core: Json) -> list[Json]:
        """Return the partial matches that extend one along all links with an end in the core."""
        fit = {v: {x for x, b in enumerate(self.barred) if (n, v) not in b} for n, v in body["own"]}
        found = [outer] if all(x in {*fit.get(v, {x}), None} for v, x in outer.items()) else []
        for u, relation, w in body["links"]:
            pairs = [pair for pair in self.walks[relation][2] if not core.isdisjoint(pair)]
            found = [m for m in found if core.isdisjoint((m.get(u), m.get(w)))] + [
                m | {u: x, w: y}
                for m in found
                for used in [{*m.values()}]
                for xs, ys in [[{m[v]} if v in m else fit[v] - used | {None} for v in (u, w)]]
                for x, y in pairs
                if x in xs and y in ys and ((u == w) == (x == y) or x is y is None)
            ]
            fit |= {v: fit[v] - core for v in (u, w)}  # in the core they would be by this link
        return found

    def shape(self, body: Json, match: Json) -> Json:
        """Return what matters of a match: whether it is complete, its places, longer walks."""
        places = [x if x in self.ends else -1 for x in (match.get(v) for _, v in body["own"])]
        ties = [(*self.walks[r][:2], match.get(u), match.get(w)) for u, r, w in body["links"]]
        held = [(x, y) in ends for _, ends, x, y in ties]
        ahead = [{e[1:] for e in ws if e[0] == x and e[1] in self.ports} for ws, _, x, _ in ties]
        back = [{e[::2] for e in ws if e[1] == y and e[0] in self.ports} for ws, _, _, y in ties]
        return {*places} == {-1} and all(held), *places, *held, *map(frozenset, ahead + back)

    def type(self) -> Json:
        """Return all that matters of the graph: its ports, and its partial matches, or FOUND."""
        ports, kept, (first, *others) = self.barred[: len(self.ports)], set(), self.bodies
        core = {*range(len(ports), len(self.barred)), *(self.ends if others else ())}
        for match in self.matches(first, {}, core):
            own = self.shape(first, match)
            more = [[self.shape(e, m) for m in self.matches(e, match, core)] for e in others]
            whole = [complete for group in more for complete, *_ in group]
            if own[0] and not whole:
                return FOUND, *(LABEL in bars for bars in ports)
            if not any(whole):
                kept.add((own, *map(frozenset, more)))
        near, degrees = self.ends.issuperset, [d for body in self.bodies for d in body["degrees"]]
        counts = [min(self.degree(x, e), n + 1) for x in self.ports for _, e, _, n in degrees]
        walks = frozenset((r, w) for r, (ws, *_) in self.walks.items() for w in ws if near(w[:2]))
        edges = (edge for edge in self.edges if near(edge[::2]))
        return *ports, *counts, frozenset(edges), walks, frozenset(kept)


class Sight:
    """How structures see phrases that differ in tests of nodes only; examples stand for types."""

    def __init__(self, structure: Json) -> None:
        self.example, self.whole = cache(self.make), cache(self.apply)
        self.bodies, self.tests, self.examples = list[Json](), list[Json](), dict[Json, Phrase]()
        for rank, body in enumerate(structure["bodies"]):
            links = [(u, ((*labels,), *ends), w) for u, labels, *ends, w in body["links"]]
            alone = [v for v in body["variables"] if not any(v in link for link in links)]
            links += [(v, ((0,), 0, 0), v) for v in alone]  # a walk of no edges finds its nodes
            own = [*dict.fromkeys((rank, v) for link in links for v in link[::2])]
            self.bodies.append({**body, "rank": rank, "links": links, "own": own})
            self.tests += [labels for _, labels, *_ in [*body["links"], *body["degrees"]]]

    def effect(self, fragment: Json) -> Json:
        """Return what a fragment does to graphs, without the edges that pass no test."""
        seen = [(s, e, t) for s, e, t in fragment["edges"] if any(passes(x, e) for x in self.tests)]
        return fragment["ports"], tuple(seen), tuple(map(tuple, fragment["rows"]))

    def make(self, effect: Json, parts: Json = (), bars: Json = frozenset()) -> Phrase:
        """Return the example for what an effect makes of parts."""
        phrase = Phrase(self.bodies, effect, parts, bars)
        return self.examples.setdefault(phrase.type(), phrase)

    def apply(self, effect: Json, parts: Json) -> Phrase:
        """Return the same, but of a part that meets nothing the ports are forgotten first."""
        ports, edges, rows = effect
        ends = [*range(ports), *(x for s, _, t in edges for x in (s, t))]
        met, pairs = [*ends, *ends, *(x for row in rows for x in row)], list[Json]()
        for row, part in zip(rows, parts, strict=True):
            forget = (0, len(row), (), (range(len(row)),))
            if any(met.count(x) > 1 for x in row):
                pairs.append((row, part))
            elif (closed := self.example(forget, (part,))) is not self.example((0, 0, (), ())):
                pairs.append(((), closed))
        nodes = [*dict.fromkeys([*ends, *(x for row, _ in pairs for x in row)])]
        edges = frozenset((nodes.index(s), label, nodes.index(t)) for s, label, t in edges)
        numbers = tuple(tuple(map(nodes.index, row)) for row, _ in pairs)
        return self.example((ports, len(nodes), edges, numbers), tuple(part for _, part in pairs))


class Checker:
    """Checks the parts of a certificate; a ValueError says which line of reasoning fails."""

    def __init__(self, text: str) -> None:
        self.data = json.loads(text, parse_int=lambda digits: range(1 << 60)[int(digits)])
        self.structures, self.sights = self.data["structures"], dict[str, Sight]()
        self.tables = [{(s, *qs): q for s, q, *qs in x["transitions"]} for x in self.structures]
        self.awake = [{s for (s, *c), q in t.items() if q != 0 and not any(c)} for t in self.tables]
        _ = {FORMAT: "the format of the file"}[self.data["format"]]

    def structure(self, number: int) -> None:
        """Lemma A: the automaton of a structure accepts the texts that contain it."""
        structure, table = self.structures[number], self.tables[number]
        layer, sight = structure["layer"], Sight(structure)
        sight = self.sights.setdefault(str([x | {"tests": ()} for x in sight.bodies]), sight)
        effects, words = [*map(sight.effect, self.data["fragments"])], []
        tests = [((n, v), t) for n, x in enumerate(structure["bodies"]) for v, *t in x["tests"]]
        for label in self.data["labels"]:
            bars = {v for v, (a, *t) in tests if not passes(t, label.get(a, ""))}
            words.append(sight.example((1, 1, (), ()), (), frozenset({LABEL, *bars})))
        rules = {(s, *(words[x] for x in xs[layer])): [-1] for _, s, *xs in self.data["rules"]}
        members, size = [dict[Json, int]() for _ in self.data["categories"]], -1
        while size < (size := sum(map(len, members))):
            for (symbol, *labels), before in reversed(rules.items()):
                _, lhs, rhs, *fragments = self.data["symbols"][symbol]
                effect, choices = effects[fragments[layer]], [members[child] for child in rhs]
                rules[symbol, *labels] = after = [*map(len, choices)]
                for children in product(*choices) if before != after else ():
                    whole = sight.whole(effect, (*[part for _, part in children], *labels))
                    state = table.get((symbol, *[state for state, _ in children]), 0)
                    members[lhs][state, whole] = 0
        for state, phrase in members[self.data["start"]]:
            *_, matches = sight.whole((0, (), (phrase.ports,)), (phrase,)).type()
            found = matches == FOUND or any(own[0] for own, *_ in matches)
            if found != (state in structure["accepting"]):
                raise ValueError(f"a text in state {state} {'has' if found else 'lacks'} it")

    def split(self, split: Json) -> None:
        """Check that a split is a part of the grammar."""
        states, known = split["states"], {symbol for _, symbol, *_ in self.data["rules"]}
        for symbol, *ends in split["transitions"]:
            name, lhs, rhs, *_ = self.data["symbols"][symbol]
            if symbol not in known or [lhs, *rhs] != [states[end] for end in ends]:
                raise ValueError(f"transition {name} of state {ends[0]} is no rule of the grammar")
        if any(states[root] != self.data["start"] for root in split["roots"]):
            raise ValueError("a root is not a text")

    def invariant(self, split: Json, group: list[int], invariant: Json, kind: str) -> None:
        """Lemma B: an invariant is closed, and as the claim wants it at the roots."""
        usual, wanted = {(0,) * len(group)}, {"excludes": 0, "requires": 1}[kind]
        sets = {q: {*zip(*[iter(flat)] * len(group), strict=True)} for q, *flat in invariant}
        tables = [*enumerate(self.tables[structure] for structure in group)]
        awake = {symbol for structure in group for symbol in self.awake[structure]}
        for symbol, result, *children in split["transitions"]:
            seen = symbol in awake or not sets.keys().isdisjoint((result, *children))
            for states in product(*[sets.get(child, usual) for child in children]) if seen else ():
                new = tuple(t.get((symbol, *[q[i] for q in states]), 0) for i, t in tables)
                if new not in sets.get(result, usual):
                    step = f"transition {self.data['symbols'][symbol][0]} of state {result}"
                    raise ValueError(f"{step} leaves the invariant: {states} -> {new}")
        accepting = [self.structures[structure]["accepting"] for structure in group]
        for root, states in ((r, qs) for r in split["roots"] for qs in sets.get(r, usual)):
            if wanted != any(s in a for s, a in zip(states, accepting, strict=True)):
                raise ValueError(f"a text of root {root} can end in {states}")

    def contains(self, split: Json, group: list[int], derivation: list[int], _: str) -> None:
        """Check that a derivation, its transitions in preorder, contains a structure."""
        [structure], stack = group, list[Any]()
        for step in reversed(derivation):
            symbol, result, *children = split["transitions"][step]
            parts = [stack.pop() for _ in children]
            state = self.tables[structure].get((symbol, *[state for _, state in parts]), 0)
            stack.append((result if [s for s, _ in parts] == children else None, state))
        if stack.pop() not in [*product(split["roots"], self.structures[structure]["accepting"])]:
            raise ValueError("the derivation is not one of a text that contains it")

    def faults(self) -> Iterator[str]:
        """Yield what is wrong with the certificate, the quickest first."""
        splits, strata = self.data["splits"], self.data["core"]["plan"]["strata"]
        jobs: list[Any] = [(f"split {n}", self.split, split) for n, split in enumerate(splits)]
        for kind, n, group, evidence in self.data["claims"]:
            claim = f"{strata[splits[n]['strata'][0]][2]} {kind} "
            claim += " or ".join(self.structures[s]["name"] for s in group)
            method = self.contains if kind == "contains" else self.invariant
            jobs.append((claim, method, splits[n], group, evidence, kind))
        jobs += [(x["name"], self.structure, n) for n, x in enumerate(self.structures)]
        for part, method, *arguments in jobs:
            try:
                method(*arguments)
            except FAULTS as error:
                yield f"{part}: {error}"


if __name__ == "__main__":
    try:
        found = [*Checker(Path(sys.argv[1]).read_text("utf-8")).faults()]
    except (OSError, *FAULTS) as error:
        found = [f"malformed: {type(error).__name__} {error}"]
    sys.stdout.write("".join(f"{fault}\n" for fault in found) or "accepted\n")
    sys.exit(len(found) > 0)
