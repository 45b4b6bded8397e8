"""What structures see of graphs, and whether their automata see it: the part of lemma A.

A ``Sight`` tells graphs of phrases apart as far as a structure sees them.  docs/certificate.md shows why.
"""

import operator
from collections import Counter
from collections.abc import Callable
from functools import cache, partial
from itertools import product, repeat
from math import prod
from typing import Any

if __package__:
    from sgl.verify import certificate_format as form
    from sgl.verify import certificate_rules as rules
else:  # as a script, which has the other files beside it
    import certificate_format as form  # type: ignore[import-not-found, no-redef]
    import certificate_rules as rules  # type: ignore[import-not-found, no-redef]

Json = form.Json
FOUND, LABEL, FREE, NONE = "found", "label", "free", "none"
COMPARE = {"=": operator.eq, ">=": operator.ge, "<=": operator.le}


def passes(test: Json, value: str) -> bool:
    """Return whether a test ``[negated, [value, ...]]`` passes a value."""
    return (value in test[1]) != bool(test[0])


class Phrase:
    """The graph of a phrase as a structure sees it; its nodes are numbers, the ports first."""

    def __init__(self, sight: "Sight", effect: Json, parts: Json, bars: frozenset[Any]) -> None:
        self.bodies, self.spend, (ports, nodes, edges, rows) = sight.bodies, sight.spend, effect
        self.ports, self.ends = range(ports), {None, *range(ports)}
        self.edges, self.barred = {*edges}, [bars] * nodes  # what each cannot be; whether LABEL, NONE
        for row, part in zip(rows, parts, strict=True):
            name = [*row, *range(len(self.barred), len(self.barred) + len(part.barred) - len(row))]
            for x, barred in zip(row, part.barred[: len(part.ports)], strict=True):
                if LABEL in self.barred[x] & barred or row.count(x) > 1:
                    raise ValueError("a node gets two labels, or is two ports of one part")
                self.barred[x] |= barred
            self.barred += part.barred[len(row) :]
            self.edges |= {(name[s], label, name[t]) for s, label, t in part.edges}
        self.spend(len(self.edges) + len(self.barred))
        if any(NONE in self.barred[x] for s, _, t in self.edges for x in (s, t)):
            raise ValueError("an edge leads to a phrase that is no node")
        for x, body in product(range(ports, nodes), self.bodies):
            if LABEL not in self.barred[x]:
                raise ValueError("a node is forgotten without a label")
            tests = [(v, COMPARE[sign](self.degree(x, e), n)) for v, e, sign, n in body["degrees"]]
            self.barred[x] |= {(body["rank"], v) for v, met in tests if not met}
        self.core = {*range(ports, len(self.barred)), *(self.ends if len(self.bodies) > 1 else ())}
        relations = {r for body in self.bodies for _, r, _ in body["links"]}
        self.walks = {relation: self.walk(*relation) for relation in relations}
        self.size = sum(1 + len(self.walks[r][0]) for x in self.bodies for _, r, _ in x["links"])

    def degree(self, x: int, labels: Json) -> int:
        """Return the number of edges from a node."""
        self.spend(len(self.edges))
        return sum(s == x and passes(labels, label) for s, label, _ in self.edges)

    def walk(self, labels: Json, low: int, high: int | None) -> Json:
        """Longer walks (from, to, length); ends of complete ones; by each, ends of begun ones."""
        steps, cap = [(s, t) for s, e, t in self.edges if passes(labels, e)], high or max(low, 1)
        walks = news = {(x, x, 0) for x in range(len(self.barred))}
        while news := {e for e in news if e[2] != high}:
            self.spend(len(news) * len(steps) + len(walks))
            news = {(s, t, min(n + 1, cap)) for s, x, n in news for y, t in steps if x == y} - walks
            walks = walks | news
        held, begun = {e[:2] for e in walks if e[2] >= low}, [e for e in walks if e[2] != high]
        ends = [self.ends | {e[i] for e in begun if e[1 - i] in self.ports} for i in (0, 1)]
        near, pairs = dict[Json, list[Json]](), held.union(product(*ends))
        self.spend(len(pairs))
        for x, y in pairs:
            for key in product((x, FREE), (y, FREE)) if not self.core.isdisjoint((x, y)) else ():
                near.setdefault(key, []).append((x, y))
        return walks if high not in (0, 1) else (), held, near

    def matches(self, body: Json, outer: Json) -> list[Json]:
        """Return the partial matches that extend one along all links with an end in the core."""
        fit = {v: {x for x, b in enumerate(self.barred) if (n, v) not in b} for n, v in body["own"]}
        found = [outer] if all(x in {*fit.get(v, {x}), None} for v, x in outer.items()) else []
        core = self.core
        for u, relation, w in body["links"] if found else ():
            near, fit_u, fit_w = self.walks[relation][2], fit[u], fit[w]
            longer = [
                m | {u: x, w: y}
                for m in found
                for x, y in near.get((m.get(u, FREE), m.get(w, FREE)), ())
                if u in m or x is None or (x in fit_u and x not in m.values())
                if w in m or y is None or (y in fit_w and y not in m.values())
                if (u == w) == (x == y) or x is y is None
            ]
            self.spend(1 + len(found) + len(longer))
            found = [m for m in found if m.get(u) not in core and m.get(w) not in core] + longer
            fit |= {v: fit[v] - core for v in (u, w)}  # in the core they would be by this link
        return found

    def shape(self, body: Json, match: Json) -> Json:
        """Return what matters of a match: whether it is complete, its places, longer walks."""
        self.spend(self.size)
        places = [x if x in self.ends else -1 for x in [match.get(v) for _, v in body["own"]]]
        ties = [(*self.walks[r][:2], match.get(u), match.get(w)) for u, r, w in body["links"]]
        held = [(x, y) in ends for _, ends, x, y in ties]
        ties = [tie for tie in ties if tie[0]]
        ahead = [{e[1:] for e in ws if e[0] == x and e[1] in self.ports} for ws, _, x, _ in ties]
        back = [{e[::2] for e in ws if e[1] == y and e[0] in self.ports} for ws, _, _, y in ties]
        return {*places} == {-1} and all(held), *places, *held, *map(frozenset, ahead + back)

    def type(self) -> Json:
        """Return all that matters of the graph: its ports, and its partial matches, or FOUND."""
        ports, kept, (first, *others) = self.barred[: len(self.ports)], set(), self.bodies
        for match in self.matches(first, {}):
            own = self.shape(first, match)
            more = [[self.shape(e, m) for m in self.matches(e, match)] for e in others]
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

    def __init__(self, bodies: Json, spend: Callable[[int], None]) -> None:
        self.example, self.spend = cache(self.make), spend
        self.whole = cache(lambda effect: cache(partial(self.apply, effect)))
        self.bodies, self.tests, self.examples = list[Json](), list[Json](), dict[Json, Phrase]()
        for rank, body in enumerate(bodies):
            links = [(u, ((s, tuple(e)), m, n), w) for u, (s, e), m, n, w in body["links"]]
            alone = [v for v in body["variables"] if not any(v in link[::2] for link in links)]
            links += [(v, ((0, ()), 0, 0), v) for v in alone]  # a walk of no edges finds its nodes
            own = [*dict.fromkeys((rank, v) for link in links for v in link[::2])]
            self.bodies.append({**body, "rank": rank, "links": links, "own": own})
            self.tests += [labels for _, (labels, *_), _ in links]
            self.tests += [labels for _, labels, *_ in body["degrees"]]

    def effect(self, ports: int, edges: Json, rows: Json) -> Json:
        """Return what a rule does to graphs, without the edges that pass no test."""
        return ports, tuple(e for e in edges if any(passes(x, e[1]) for x in self.tests)), rows

    def make(self, effect: Json, parts: Json = (), bars: Json = frozenset()) -> Phrase:
        """Return the example for what an effect makes of parts."""
        phrase = Phrase(self, effect, parts, bars)
        return self.examples.setdefault(phrase.type(), phrase)

    def apply(self, effect: Json, parts: Json) -> Phrase:
        """Return the same, but of a part that meets nothing the ports are forgotten first."""
        ports, edges, rows = effect
        self.spend(1 + len(edges) + len(rows))
        ends = [*range(ports), *(x for s, _, t in edges for x in (s, t))]
        met, pairs = Counter([*ends, *ends, *(x for row in rows for x in row)]), list[Json]()
        for row, part in zip(rows, parts, strict=True):
            forget = (0, len(row), (), (range(len(row)),))
            if any(met[x] > 1 for x in row):
                pairs.append((row, part))
            elif (closed := self.example(forget, (part,))) is not self.example((0, 0, (), ())):
                pairs.append(((), closed))
        nodes = dict.fromkeys([*ends, *(x for row, _ in pairs for x in row)])
        number = {node: place for place, node in enumerate(nodes)}
        edges = frozenset((number[s], label, number[t]) for s, label, t in edges)
        numbers = tuple(tuple(number[x] for x in row) for row, _ in pairs)
        return self.example((ports, len(nodes), edges, numbers), tuple(part for _, part in pairs))

    def contained(self, phrase: Phrase) -> bool:
        """Return whether a text whose graph is this phrase contains the structure."""
        *_, matches = self.whole((0, (), (tuple(phrase.ports),)))((phrase,)).type()
        return matches == FOUND or any(own[0] for own, *_ in matches)


class Structures:
    """Checks the automata of structures on rules; ``ends`` has the category of each symbol and of its children."""

    def __init__(self, core: Json, symbols: Json, ends: Json, spend: Callable[[int], None]) -> None:
        self.grammar, self.symbols, self.ends, self.spend = core["grammar"], symbols, ends, spend
        self.sights = dict[str, Sight]()
        self.frames = cache(lambda layer: rules.frames_of(self.grammar, layer))
        self.column = cache(lambda layer, a: [tuple(x.get(a, "") for x in row) for row in self.frames(layer)[1]])
        rules.check_layers(core)

    def name(self, structure: Json) -> None:
        """Check that the data of a structure are what its name says."""
        said, layer = form.notation(structure["bodies"]), structure["layer"]
        said = said if layer == self.grammar["graph"][0][0] else f"{layer} {said}"
        if said != structure["name"]:
            raise ValueError(f"its data say {said}")
        rules.check_unseen(self.grammar, structure)

    def check(self, pair: Json) -> None:
        """Lemma A: the automaton of a structure, as a table, accepts the texts that contain it."""
        structure, table = pair
        if len(table) < len(structure["transitions"]):
            raise ValueError("a transition is given twice")
        bodies = structure["bodies"]
        lengths, whatever = rules.Lengths(self.grammar, bodies), bodies[0]["variables"] == []
        sight = Sight([] if whatever else bodies, self.spend)
        sight = self.sights.setdefault(str([x | {"tests": ()} for x in sight.bodies]), sight)
        steps = repeat((int, ())) if whatever else self.steps(structure, sight)
        rows = zip(self.symbols, lengths.effects, steps)  # noqa: B905 - any graph, again and again
        done = dict.fromkeys((symbol, *step, adds) for symbol, adds, step in rows)
        members, size = [dict[Json, int]() for _ in self.grammar["categories"]], -1
        while size < (size := sum(map(len, members))):
            for rule, before in [*done.items()][::-1]:
                symbol, whole, own, adds = rule
                lhs, rhs = self.ends[symbol]
                choices = [members[child] for child in rhs]
                done[rule] = after = [*map(len, choices)]
                if not rhs:  # words are applied once
                    del done[rule]
                self.spend(prod(after) if after != before else 0)
                for children in rules.fresh(choices, before or []) if after != before else ():
                    part = whatever or whole((*[part for _, part, _ in children], *own))
                    state = table.get((symbol, *[state for state, _, _ in children]), 0)
                    counts = lengths.of(adds, [counts for _, _, counts in children])
                    members[lhs][state, part, counts] = 0
        for state, phrase, counts in members[self.grammar["start"]]:
            found = lengths.met(counts) and (whatever or sight.contained(phrase))
            if found != (state in structure["accepting"]):
                raise ValueError(f"a text in state {state} {'has' if found else 'lacks'} it")

    def steps(self, structure: Json, sight: Sight) -> list[Json]:
        """Return for each rule what it makes of phrases, and the examples of its own words."""
        layer, bodies = structure["layer"], structure["bodies"]
        effects, _, places = self.frames(layer)
        tests = [((n, v), a, test) for n, x in enumerate(bodies) for v, a, test in x["tests"]]
        every = {(n, v) for n, x in enumerate(bodies) for v in x["variables"]}

        @cache
        def words(*values: Json) -> Json:
            own = [(row[0], zip(tests, row[1:], strict=True)) for row in zip(*values, strict=True)]
            bars = [{NONE, *every} if n else {v for (v, _, test), x in row if not passes(test, x)} for n, row in own]
            return tuple(sight.example((1, 1, (), ()), (), frozenset({LABEL, *x})) for x in bars)

        wholes = [sight.whole(sight.effect(*effect)) for effect in effects]
        rows = [*map(words, *[self.column(layer, a) for a in ["", *(test[1] for test in tests)]])]
        return [(wholes[x], rows[n]) for x, n in places]
