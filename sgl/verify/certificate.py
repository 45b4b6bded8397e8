"""Check a certificate, trusting nothing else: ``python certificate.py certificate.json``.

The splits of a grammar are claimed to derive no text, or only texts, that contain a structure.
docs/certificate.md has the format, and the proofs of the two lemmas:

A. The automaton of a structure accepts the derivations whose graph contains it, and no others.
   Shown by exploring it side by side with the types of example phrases (``Phrase.type``).
B. A split derives a phrase only in the automaton states that the invariant of a claim lists:
   the invariant is closed under every transition, and at the roots it is as claimed.
"""

from __future__ import annotations

import json
import operator
import sys
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

Json = Any  # a part of the certificate, or a value made of such parts
FORMAT, FOUND, LABEL = "sgl-certificate/2", "found", "label"
COMPARE = {"=": operator.eq, ">=": operator.ge, "<=": operator.le}
FAULTS = (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError)


def passes(test: Json, value: str) -> bool:
    """Whether a test ``[negated, value, ...]`` passes a value."""
    return (value in test[1:]) != bool(test[0])


class Phrase:
    """The graph of a phrase as a structure sees it; its nodes are numbers, the ports first."""

    def __init__(self, bodies: Json, effect: Json, parts: Json, bars: frozenset[Any]) -> None:
        self.bodies, (ports, nodes, edges, rows) = bodies, effect
        self.ports, self.ends = {*range(ports)}, {None, *range(ports)}
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
        relations = {relation for body in bodies for _, relation, _ in body["links"]}
        self.walks = {relation: self.walk(*relation) for relation in relations}

    def degree(self, x: int, labels: Json, beyond: Json = ()) -> int:
        """The number of edges from a node, but for those to some nodes."""
        return sum(s == x and t not in beyond and passes(labels, e) for s, e, t in self.edges)

    def walk(self, labels: Json, low: int, high: int | None) -> Json:
        """Walks (from, to, length); ends of those long enough; ends of those that may become so."""
        steps, after = defaultdict[Json, Json](list), defaultdict[Json, Json](list)
        for s, label, t in self.edges:
            steps[s] += [t] * passes(labels, label)
        cap = max(low, 1) if high is None else high
        walks = news = {(x, x, 0) for x in range(len(self.barred))}
        while news:
            longer = {(s, t, n + 1) for s, x, n in news for t in steps[x]}
            news = {(s, t, min(n, cap)) for s, t, n in longer if high is None or n <= cap} - walks
            walks = walks | news
        held = {(s, t) for s, t, n in walks if n >= low}
        begun = [(s, t) for s, t, n in walks if high is None or n < high]
        ends = [self.ends | {e[i] for e in begun if e[1 - i] in self.ports} for i in (0, 1)]
        for s, t in held.union(product(*ends)):
            after[s].append(t)
        return walks, held, after

    def matches(self, body: Json, outer: dict[str, Json]) -> list[dict[str, Json]]:
        """The partial matches of a body that extend a match of the first one."""
        found = [outer]
        for u, relation, w in body["links"]:
            after = self.walks[relation][2]
            found = [
                new
                for m in found
                for x in ([m[u]] if u in m else after)
                for y in after.get(x, ())
                if m.get(w, y) == y and (u != w or x == y)
                if (new := m | {u: x, w: y}) and self.fits(body, u, new) and self.fits(body, w, new)
            ]
        return found

    def fits(self, body: Json, v: str, match: dict[str, Json]) -> bool:
        """Whether a variable may have its node; at a port, a link has to ask for it."""
        if (x := match[v]) is None or (body["rank"], v) in self.barred[x]:
            return x is None
        ends = [(r, (match.get(u, r), match.get(w, r))) for u, r, w in body["of"][v]]
        asked = x not in self.ports or any(r in e or e in self.walks[r][1] for r, e in ends)
        return asked and [*match.values()].count(x) == 1

    def shape(self, body: Json, match: Json) -> Json:
        """What of a match can matter: whether it is complete; places; degrees, walks at ports."""
        places = [match[v] if match[v] in self.ends else -1 for v in body["of"]]
        tests = [(match[v], labels, n + 1) for v, labels, _, n in body["degrees"]]
        counts = [min(self.degree(x, e, self.ports), n) for x, e, n in tests if x in self.ports]
        name = {match[v]: v for v in body["of"]} | {x: x for x in self.ends}
        held = ((match[u], match[w]) in self.walks[r][1] for u, r, w in body["links"])
        # A single edge is there or not as soon as one of its ends is inside.
        walks = [(r, walk) for r in self.walks if r[2] not in (0, 1) for walk in self.walks[r][0]]
        seen = {(r, name[s], name[t], n) for r, (s, t, n) in walks if s in name and t in name}
        return {*places} == {-1} and all(held), *places, *counts, frozenset(seen)

    def type(self) -> Json:
        """All that matters of the graph: its ports, and its partial matches, or FOUND."""
        ports, found, (first, *others) = self.barred[: len(self.ports)], set(), self.bodies
        for match in self.matches(first, {}):
            own, more = self.shape(first, match), [(e, self.matches(e, match)) for e in others]
            shapes = [frozenset(self.shape(body, e) for e in group) for body, group in more]
            whole = [complete for group in shapes for complete, *_ in group]
            if own[0] and not (whole if ports else any(whole)):
                return FOUND, *(LABEL in bars for bars in ports)
            if not any(whole):
                found.add((own, *shapes))
        joined = frozenset((s, label, t) for s, label, t in self.edges if {s, t} <= self.ports)
        return *ports, joined, frozenset(found)


class Sight:
    """How structures see phrases that differ in tests of nodes only; examples stand for types."""

    def __init__(self, structure: Json) -> None:
        """A link from a variable to itself makes the variable eager."""
        self.example, self.whole = cache(self.make), cache(self.apply)
        self.bodies, (first, *others) = list[Json](), structure["bodies"]
        self.examples = dict[Json, Phrase]()
        shared = {v for body in others for v in body["variables"]} & {*first["variables"]}
        for rank, body in enumerate(structure["bodies"]):
            links = [(u, ((*labels,), *ends), w) for u, labels, *ends, w in body["links"]]
            lazy = {v for u, _, w in links for v in (u, w)} - {v for v, *_ in body["degrees"]}
            lazy -= shared | {v for u, (_, *ends), w in links for v in (u, w) if ends != [1, 1]}
            links += [(v, ((0,), 0, 0), v) for v in body["variables"] if v not in lazy]
            of = {v: [e for e in links if v in e[::2]] for link in links for v in link[::2]}
            self.bodies.append({**body, "rank": rank, "links": links, "of": of})

    def effect(self, fragment: Json) -> Json:
        """Rows, empty where a part meets nothing; their sizes; ports, nodes, edges that matter."""
        tests = [labels for body in self.bodies for _, (labels, *_), _ in body["links"]]
        tests += [labels for body in self.bodies for _, labels, *_ in body["degrees"]]
        edges: Json = [e for e in fragment["edges"] if any(passes(test, e[1]) for test in tests)]
        ends = [*range(fragment["ports"]), *(x for s, _, t in edges for x in (s, t))]
        met = [*ends, *ends, *(x for row in fragment["rows"] for x in row)]
        rows = [row if any(met.count(x) > 1 for x in row) else [] for row in fragment["rows"]]
        nodes = [*dict.fromkeys([*ends, *(x for row in rows for x in row)])]
        numbers = tuple(tuple(map(nodes.index, row)) for row in rows)
        edges = frozenset((nodes.index(s), label, nodes.index(t)) for s, label, t in edges)
        return numbers, tuple(map(len, fragment["rows"])), fragment["ports"], len(nodes), edges

    def make(self, effect: Json, parts: Json = (), bars: Json = frozenset()) -> Phrase:
        """The example for what an effect makes of parts."""
        phrase = Phrase(self.bodies, effect, parts, bars)
        return self.examples.setdefault(phrase.type(), phrase)

    def closed(self, part: Phrase, size: int) -> Phrase:
        """The example for a phrase when its ports are forgotten."""
        return self.example((0, size, (), ((*range(size),),)), (part,))

    def apply(self, effect: Json, parts: Json) -> Phrase:
        """The same, but parts without a row are closed first, and left out if nothing is left."""
        rows, sizes, *own = effect
        triples = zip(rows, sizes, parts, strict=True)
        pairs = [(row, part if row else self.closed(part, size)) for row, size, part in triples]
        pairs = [pair for pair in pairs if pair[1] is not self.example((0, 0, (), ()))]
        pairs.sort(key=operator.itemgetter(0))
        return self.example((*own, tuple(row for row, _ in pairs)), tuple(p for _, p in pairs))


class Checker:
    """Checks the parts of a certificate; a ValueError says which line of reasoning fails."""

    def __init__(self, text: str) -> None:
        self.data = json.loads(text, parse_int=lambda digits: range(1 << 20)[int(digits)])
        self.structures, self.symbols = self.data["structures"], self.data["symbols"]
        self.sights: dict[str, Sight] = {}
        self.tables = [{(s, *qs): q for s, q, *qs in x["transitions"]} for x in self.structures]
        self.begins = [{s for s, *qs in table if not any(qs)} for table in self.tables]
        if self.data["format"] != FORMAT:
            raise ValueError(f"the format is not {FORMAT}")

    def structure(self, number: int) -> None:
        """Lemma A: the automaton of a structure accepts the texts that contain it."""
        structure, table = self.structures[number], self.tables[number]
        layer, sight = structure["layer"], Sight(structure)
        key = str([(body["degrees"], body["links"]) for body in sight.bodies])
        sight = self.sights.setdefault(key, sight)
        effects, words = [*map(sight.effect, self.data["fragments"])], []
        tests = [((n, v), t) for n, x in enumerate(structure["bodies"]) for v, *t in x["tests"]]
        for label in self.data["labels"]:
            bars = {v for v, (a, *t) in tests if not passes(t, label.get(a, ""))}
            words.append(sight.example((1, 1, (), ()), (), frozenset({LABEL, *bars})))
        rules = {(s, *(words[x] for x in xs[layer])): [-1] for _, s, *xs in self.data["rules"]}
        members, size = [dict[Json, int]() for _ in self.data["categories"]], -1
        while size < (size := sum(map(len, members))):
            for (symbol, *labels), before in rules.items():
                _, lhs, rhs, *fragments = self.symbols[symbol]
                effect, choices = effects[fragments[layer]], [members[child] for child in rhs]
                rules[symbol, *labels] = after = [*map(len, choices)]
                for children in product(*choices) if before != after else ():
                    whole = sight.whole(effect, (*[part for _, part in children], *labels))
                    state = table.get((symbol, *[state for state, _ in children]), 0)
                    members[lhs][state, whole] = 0
        for state, phrase in members[self.data["start"]]:
            found = sight.closed(phrase, len(phrase.ports)).type() == (FOUND,)
            if found != (state in structure["accepting"]):
                raise ValueError(f"a text in state {state} {'has' if found else 'lacks'} it")

    def split(self, split: Json) -> None:
        """A split is a part of the grammar."""
        states = split["states"]
        for symbol, *ends in split["transitions"]:
            name, lhs, rhs, *_ = self.symbols[symbol]
            if [lhs, *rhs] != [states[end] for end in ends]:
                raise ValueError(f"transition {name} of state {ends[0]} is no rule of the grammar")
        if any(states[root] != self.data["start"] for root in split["roots"]):
            raise ValueError("a root is not a text")

    def invariant(self, split: Json, group: list[int], invariant: Json, kind: str) -> None:
        """Lemma B: an invariant is closed, and as the claim wants it at the roots."""
        size, usual, wanted = len(group), {(0,) * len(group)}, {"excludes": 0, "requires": 1}[kind]
        sets = {state: {*zip(*[iter(flat)] * size, strict=True)} for state, *flat in invariant}
        tables, near = [self.tables[structure] for structure in group], sets.keys()
        begin = {symbol for structure in group for symbol in self.begins[structure]}
        steps = (s for s in split["transitions"] if s[0] in begin or not near.isdisjoint(s[1:]))
        for symbol, result, *children in steps:
            for states in product(*[sets.get(child, usual) for child in children]):
                parts = zip(*states, strict=True) if children else [()] * size
                new = tuple([t.get((symbol, *q), 0) for t, q in zip(tables, parts, strict=True)])
                if new not in sets.get(result, usual):
                    step = f"transition {self.symbols[symbol][0]} of state {result}"
                    raise ValueError(f"{step} leaves the invariant: {states} -> {new}")
        accepting = [self.structures[structure]["accepting"] for structure in group]
        for root, states in ((r, qs) for r in split["roots"] for qs in sets.get(r, usual)):
            if wanted != any(s in a for s, a in zip(states, accepting, strict=True)):
                raise ValueError(f"a text of root {root} can end in {states}")

    def contains(self, split: Json, group: list[int], derivation: list[int], _: str) -> None:
        """A derivation of a split, its transitions in preorder, contains a structure."""
        [structure], stack = group, list[Any]()
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
            jobs.append((claim, method, splits[n], group, evidence, kind))
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
