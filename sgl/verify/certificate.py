"""Check a certificate, trusting nothing else: ``python certificate.py certificate.json``.

Two lemmas establish its claims; docs/certificate.md has their proofs, and the format:
A. The automaton of a structure accepts the derivations whose graph contains it, and no others.
B. A split derives a phrase only in the automaton states that the invariant of a claim lists.
"""

import json
import operator
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import compress, product
from pathlib import Path
from typing import Any

Json = Any  # a part of the certificate, or a value made of such parts
FORMAT, FOUND, LABEL = "sgl-certificate/2", "found", "label"
COMPARE = {"=": operator.eq, ">=": operator.ge, "<=": operator.le}
FAULTS = (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError)


def passes(test: Json, value: str) -> bool:
    """Whether a test ``[negated, value, ...]`` passes a value."""
    return (value in test[1:]) != bool(test[0])


class Outline:
    """A structure of which only the form is left: variables and tests of labels are numbers.

    Of each body it has the rank, the links, the degrees, the links of each variable, and the
    variables that no link ties to one before.
    """

    def __init__(self, structure: Json) -> None:
        self.tests, self.names, self.bodies = dict[Json, int](), dict[str, int](), list[Json]()
        for rank, body in enumerate(structure["bodies"]):
            linked = {v for link in body["links"] for v in link[::4]}
            # A walk of no edges finds the nodes of a variable that is by itself.
            alone = [(v, (0,), 0, 0, v) for v in body["variables"] if v not in linked]
            links, links_of, first = list[Json](), dict[int, Json](), list[int]()
            for u, labels, *bounds, w in [*body["links"], *alone]:
                ends = [self.names.setdefault(v, len(self.names)) for v in (u, w)]
                first += ends[:1] if links_of.keys().isdisjoint(ends) else []
                links.append((ends[0], (self.test(labels), *bounds), ends[1]))
                for v in {*ends}:
                    links_of.setdefault(v, []).append(links[-1])
            degrees = [(self.names[v], self.test(e), *other) for v, e, *other in body["degrees"]]
            self.bodies.append((rank, links, degrees, links_of, first))

    def test(self, labels: Json) -> int:
        """The number of a test of labels."""
        return self.tests.setdefault((*labels,), len(self.tests))

    def effect(self, fragment: Json) -> Json:
        """What a fragment does to graphs: of a label the tests it passes, of edges no others."""
        counted = any(body[2] for body in self.bodies)  # then edges with two labels are two
        seen = [(s, [passes(x, e) for x in self.tests], e, t) for s, e, t in fragment["edges"]]
        edges = tuple((s, (*x, counted and e), t) for s, x, e, t in seen if any(x))
        return fragment["ports"], edges, tuple(map(tuple, fragment["rows"]))

    def words(self, structure: Json, labels: Json) -> list[frozenset[Any]]:
        """For each label of nodes what such a node cannot be."""
        bars, columns = list[Json]([LABEL]), [[True for _ in labels]]
        for rank, body in enumerate(structure["bodies"]):
            for v, attribute, *test in body["tests"]:
                bars.append((rank, self.names[v]))
                columns.append([not passes(test, label.get(attribute, "")) for label in labels])
        kinds = {kind: frozenset(compress(bars, kind)) for kind in {*zip(*columns, strict=True)}}
        return [kinds[kind] for kind in zip(*columns, strict=True)]


class Phrase:
    """The graph of a phrase as an outline sees it; its nodes are numbers, the ports first."""

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
            self.edges |= {(name[s], seen, name[t]) for s, seen, t in part.edges}
        for x, (rank, _, degrees, *_) in product(range(ports, nodes), bodies):
            if LABEL not in self.barred[x]:
                raise ValueError("a node is forgotten without a label")
            tests = [(v, COMPARE[sign](self.degree(x, e), n)) for v, e, sign, n in degrees]
            self.barred[x] |= {(rank, v) for v, met in tests if not met}
        self.inner, self.found = {*range(ports, len(self.barred))}, any(p.found for p in parts)
        relations = {relation for body in bodies for _, relation, _ in body[1]}
        self.walks = {r: self.walk(*r) for r in relations if not self.found}
        self.type = self.summary()

    def degree(self, x: int, test: int) -> int:
        """The number of edges from a node."""
        return sum(s == x and seen[test] for s, seen, _ in self.edges)

    def walk(self, test: int, low: int, high: int | None) -> Json:
        """Walks (from, to, length); ends of those long enough; and of those that may become so."""
        steps, cap = defaultdict[Json, Json](list), max(low, 1) if high is None else high
        for s, _, t in [edge for edge in self.edges if edge[1][test]]:
            steps[s].append(t)
        walks = news = {(x, x, 0) for x in range(len(self.barred))}
        while news:
            on = [(s, x, min(n + 1, cap)) for s, x, n in news if high is None or n < cap]
            news = {(s, t, n) for s, x, n in on for t in steps[x]} - walks
            walks = walks | news
        held = {(s, t) for s, t, n in walks if n >= low}
        begun = [(s, t) for s, t, n in walks if high is None or n < high]
        ends = [self.ends | {e[i] for e in begun if e[1 - i] in self.ports} for i in (0, 1)]
        after, before = defaultdict[Json, Json](list), defaultdict[Json, Json](list)
        for pair in (pairs := held.union(product(*ends))):
            after[pair[0]].append(pair)
            before[pair[1]].append(pair)
        return walks, held, pairs, after, before

    def follow(self, body: Json, match: Json, links: Json, core: Json = ()) -> list[Json]:
        """The matches that extend one along links, and along those of variables in the core."""
        found, stack = list[Json](), [(match, links)]
        while stack:
            match, links = stack.pop()
            if not links:
                found.append(match)
                continue
            here, *links = links
            u, relation, w = here
            _, _, ends, after, before = self.walks[relation]
            for x, y in after[match[u]] if u in match else before[match[w]] if w in match else ends:
                places = {u: x, w: y}
                if places[u] == x and self.fits(body[0], match, places):
                    new = [v for v, z in places.items() if z in core and v not in match]
                    more = [link for v in new for link in body[3][v] if link is not here]
                    stack.append((match | places, links + more))
        return found

    def fits(self, rank: int, match: Json, places: Json) -> bool:
        """Whether variables of a body can be at these places beside a match; None is outside."""
        for v, x in places.items():
            if match[v] != x if v in match else x is not None and x in match.values():
                return False
            if x is not None and (rank, v) in self.barred[x]:
                return False
        nodes = [x for x in places.values() if x is not None]
        return len(nodes) < 2 or len({*nodes}) == len(nodes)

    def matches(self) -> list[Json]:
        """The partial matches of the only body with some inner node, and no port without reason.

        Inner nodes that links connect, and the ports they are linked to, are a cluster.
        """
        [(rank, links, _, links_of, first)], found = self.bodies, [dict[int, Json]()]
        ends = [(*ends, u, w) for u, relation, w in links for ends in self.walks[relation][2]]
        seeds = {(v, x) for v in first for x in self.inner}
        seeds |= {(u, x) for x, y, u, w in ends if x in self.inner and y not in self.inner}
        seeds |= {(w, y) for x, y, u, w in ends if y in self.inner and x not in self.inner}
        clusters = {
            frozenset(match.items())
            for v, x in seeds
            if self.fits(rank, {}, {v: x})
            for match in self.follow(self.bodies[0], {v: x}, links_of[v], self.inner)
        }
        for cluster in map(dict, clusters):
            found += [match | cluster for match in found if self.fits(rank, match, cluster)]
        return found[1:]

    def shape(self, body: Json, match: Json) -> Json:
        """What of a match can matter: whether it is complete; its places; its longer walks."""
        places, seen = [match.get(v) for v in body[3]], list[Json]()
        for x, relation, y in [(match.get(u), r, match.get(w)) for u, r, w in body[1]]:
            if relation[2] not in (0, 1):
                walks, held, *_ = self.walks[relation]
                out = frozenset((t, n) for s, t, n in walks if s == x and t in self.ports)
                into = frozenset((s, n) for s, t, n in walks if t == y and s in self.ports)
                seen.append(((x, y) in held, out, into))
        whole = self.inner.issuperset(places) and all(held for held, *_ in seen)
        return whole, *[x if x in self.ends else -1 for x in places], *seen

    def summary(self) -> Json:
        """All that matters of the graph, its type: its ports and its partial matches, or FOUND."""
        ports, kept, (first, *others) = self.barred[: len(self.ports)], set[Json](), self.bodies
        if not self.found:
            for match in self.follow(first, {}, first[1]) if others else self.matches():
                own = self.shape(first, match)
                more = [[self.shape(e, m) for m in self.follow(e, match, e[1])] for e in others]
                whole = [complete for group in more for complete, *_ in group]
                self.found |= own[0] and not whole
                if not any(whole):
                    kept.add((own, *map(frozenset, more)))
        self.contains = self.found or any(own[0] for own, *_ in kept)  # if nothing is added
        if self.found:
            return FOUND, *(LABEL in bars for bars in ports)
        near = self.ends.issuperset
        edges = frozenset(edge for edge in self.edges if near(edge[::2]))
        walks = frozenset((r, w) for r, (ws, *_) in self.walks.items() for w in ws if near(w[:2]))
        counts = [
            () if (rank, v) in bars else min(self.degree(x, e), n + 1)
            for x, bars in enumerate(ports)
            for rank, _, degrees, *_ in self.bodies
            for v, e, _, n in degrees
        ]
        return *ports, *counts, edges, walks, frozenset(kept)


class Sight:
    """How structures of one outline see phrases; examples stand for types."""

    def __init__(self, bodies: Json) -> None:
        self.bodies, self.examples = bodies, dict[Json, Phrase]()
        self.example, self.whole = cache(self.make), cache(self.apply)

    def make(self, effect: Json, parts: Json = (), bars: Json = frozenset()) -> Phrase:
        """The example for what an effect makes of parts."""
        phrase = Phrase(self.bodies, effect, parts, bars)
        return self.examples.setdefault(phrase.type, phrase)

    def apply(self, effect: Json, parts: Json) -> Phrase:
        """The same, but of a part that meets nothing the ports are forgotten first."""
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
        self.data = json.loads(text, parse_int=lambda digits: range(1 << 20)[int(digits)])
        self.structures, self.symbols = self.data["structures"], self.data["symbols"]
        self.sights, self.after, self.uses = dict[str, Sight](), cache(self.image), cache(self.use)
        self.tables = [{(s, *qs): q for s, q, *qs in x["transitions"]} for x in self.structures]
        # Symbols that lead out of state 0, into whatever state: one that is no number, too.
        self.awake = [
            {s for (s, *qs), q in table.items() if q != 0 and not any(qs)} for table in self.tables
        ]
        if self.data["format"] != FORMAT:
            raise ValueError(f"the format is not {FORMAT}")

    def structure(self, number: int) -> None:
        """Lemma A: the automaton of a structure accepts the texts that contain it."""
        structure, table = self.structures[number], self.tables[number]
        layer, outline = structure["layer"], Outline(structure)
        sight = self.sights.setdefault(str(outline.bodies), Sight(outline.bodies))
        effects = [*map(outline.effect, self.data["fragments"])]
        bars = outline.words(structure, self.data["labels"])
        word = {kind: sight.example((1, 1, (), ()), (), kind) for kind in {*bars}}
        words = [word[kind] for kind in bars]

        def apply(rule: Json, children: Json) -> Json:
            symbol, *labels = rule
            _, lhs, _, *fragments = self.symbols[symbol]
            whole = sight.whole(effects[fragments[layer]], (*[p for _, p in children], *labels))
            return lhs, (table.get((symbol, *[q for q, _ in children]), 0), whole)

        rules = {(s, *(words[x] for x in xs[layer])) for _, s, *xs in self.data["rules"]}
        for state, phrase in self.derived(rules, apply)[self.data["start"]]:
            found = sight.whole((0, (), (phrase.ports,)), (phrase,)).contains
            if found != (state in structure["accepting"]):
                raise ValueError(f"a text in state {state} {'has' if found else 'lacks'} it")

    def derived(self, rules: Json, apply: Json) -> list[Json]:
        """By category what rules make of all that they make; no combination is applied twice."""
        members = [list[Json]() for _ in self.data["categories"]]
        right = {rule: self.symbols[rule[0]][2] for rule in rules}
        uses = defaultdict[int, Json](list)
        for rule in rules:
            for place, child in enumerate(right[rule]):
                uses[child].append((rule, place))
        agenda = [*{apply(rule, ()) for rule in rules if not right[rule]}]
        met = {*agenda}
        for category, member in agenda:
            before, members[category] = members[category], [*members[category], member]
            for rule, place in uses[category]:
                left = [before if c == category else members[c] for c in right[rule][:place]]
                others = [members[c] for c in right[rule][place + 1 :]]
                for children in product(*left, [member], *others):
                    if (whole := apply(rule, children)) not in met:
                        met.add(whole)
                        agenda.append(whole)
        return members

    def split(self, split: Json) -> None:
        """A split is a part of the grammar."""
        states, known = split["states"], {symbol for _, symbol, *_ in self.data["rules"]}
        for symbol, *ends in split["transitions"]:
            name, lhs, rhs, *_ = self.symbols[symbol]
            if symbol not in known or [lhs, *rhs] != [states[end] for end in ends]:
                raise ValueError(f"transition {name} of state {ends[0]} is no rule of the grammar")
        if any(states[root] != self.data["start"] for root in split["roots"]):
            raise ValueError("a root is not a text")

    def use(self, number: int) -> Json:
        """The transitions of a split by symbol, and by the states at their ends."""
        symbols, states = defaultdict[int, set[int]](set), defaultdict[int, set[int]](set)
        for n, (symbol, *ends) in enumerate(self.data["splits"][number]["transitions"]):
            symbols[symbol].add(n)
            for end in ends:
                states[end].add(n)
        return symbols, states

    def image(self, group: Json, symbol: int, sets: Json) -> frozenset[Json]:
        """What a symbol makes of sets of states of its children."""
        tables = [(i, self.tables[structure]) for i, structure in enumerate(group)]
        return frozenset(
            tuple([t.get((symbol, *[q[i] for q in states]), 0) for i, t in tables])
            for states in product(*sets)
        )

    def invariant(self, number: int, group: list[int], invariant: Json, kind: str) -> None:
        """Lemma B: an invariant is closed, and as the claim wants it at the roots."""
        split, (by_symbol, by_state) = self.data["splits"][number], self.uses(number)
        size, wanted = len(group), {"excludes": 0, "requires": 1}[kind]
        usual = frozenset([(0,) * size])
        sets = {q: frozenset(zip(*[iter(flat)] * size, strict=True)) for q, *flat in invariant}
        awake = {symbol for structure in group for symbol in self.awake[structure]}
        for n in set().union(*[by_symbol[x] for x in awake], *[by_state[q] for q in sets]):
            symbol, result, *children = split["transitions"][n]
            states = tuple([sets.get(child, usual) for child in children])
            if new := self.after((*group,), symbol, states) - sets.get(result, usual):
                step = f"transition {self.symbols[symbol][0]} of state {result}"
                raise ValueError(f"{step} leaves the invariant: {states} -> {new}")
        accepting = [self.structures[structure]["accepting"] for structure in group]
        for root, states in ((r, qs) for r in split["roots"] for qs in sets.get(r, usual)):
            if wanted != any(s in a for s, a in zip(states, accepting, strict=True)):
                raise ValueError(f"a text of root {root} can end in {states}")

    def contains(self, number: int, group: list[int], derivation: list[int], _: str) -> None:
        """A derivation of a split, its transitions in preorder, contains a structure."""
        [structure], stack, split = group, list[Any](), self.data["splits"][number]
        for step in reversed(derivation):
            symbol, result, *children = split["transitions"][step]
            parts = [stack.pop() for _ in children]
            state = self.tables[structure].get((symbol, *[state for _, state in parts]), 0)
            stack.append((result if [s for s, _ in parts] == children else None, state))
        if stack.pop() not in [*product(split["roots"], self.structures[structure]["accepting"])]:
            raise ValueError("the derivation is not one of a text that contains it")

    def faults(self) -> Iterator[str]:
        """What is wrong with the certificate, the quickest to see first; nothing if accepted."""
        splits, names = self.data["splits"], [structure["name"] for structure in self.structures]
        jobs: list[Any] = [(f"split {n}", self.split, split) for n, split in enumerate(splits)]
        for kind, n, group, evidence in self.data["claims"]:
            claim = f"{splits[n]['strata'][0][2]} {kind} {' or '.join(names[s] for s in group)}"
            method = self.contains if kind == "contains" else self.invariant
            jobs.append((claim, method, n, group, evidence, kind))
        jobs += [(name, self.structure, n) for n, name in enumerate(names)]
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
