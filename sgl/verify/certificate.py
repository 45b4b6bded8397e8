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
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

Json = Any  # a part of the certificate, or a value made of such parts
FORMAT, FOUND, LABEL = "sgl-certificate/1", "found", "label"
COMPARE = {"=": operator.eq, ">=": operator.ge, "<=": operator.le}
FAULTS = (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError)


def passes(test: Json, value: str) -> bool:
    """Whether a test ``[negated, value, ...]`` passes a value."""
    return (value in test[1:]) != bool(test[0])


class Phrase:
    """The graph of a phrase as a structure sees it; its nodes are numbers, the ports first."""

    def __init__(self, bodies: Json, fragment: Json, parts: Json) -> None:
        self.bodies, own = bodies, range(fragment["nodes"])
        self.ports: set[int | None] = {None, *own[: fragment["ports"]]}
        self.edges = {(own[s], label, own[t]) for s, label, t in fragment["edges"]}
        self.barred = [frozenset[Any]()] * len(own)  # what each cannot be; whether LABEL
        for row, part in zip(fragment["rows"], parts, strict=True):
            name = [*row, *range(len(self.barred), len(self.barred) + len(part.barred) - len(row))]
            for x, bars in zip(row, part.barred[: len(part.ports) - 1], strict=True):
                if LABEL in self.barred[own[x]] & bars or row.count(x) > 1:
                    raise ValueError("a node gets two labels, or is two ports of one part")
                self.barred[x] |= bars
            self.barred += part.barred[len(row) :]
            self.edges |= {(name[s], label, name[t]) for s, label, t in part.edges}
        if not all(LABEL in bars for bars in self.barred[len(self.ports) - 1 :]):
            raise ValueError("a node is forgotten without a label")
        relations = {link[1] for body in bodies for link in body["links"]}
        self.walks = {relation: self.walk(*relation) for relation in relations}
        self.every = [(r, *walk) for r, (walks, *_) in self.walks.items() for walk in walks]

    def walk(self, labels: Json, low: int, high: int | None) -> Json:
        """Walks (from, to, length); ends of those long enough; ends of those that may become so."""
        steps = [(s, t) for s, label, t in self.edges if passes(labels, label)]
        cap = max(low, 1) if high is None else high
        walks = news = {(x, x, 0) for x in range(len(self.barred))}
        while news:
            longer = {(s, t, n + 1) for s, x, n in news for y, t in steps if x == y}
            news = {(s, t, min(n, cap)) for s, t, n in longer if high is None or n <= cap} - walks
            walks = walks | news
        held = {(s, t) for s, t, n in walks if n >= low}
        begun = [(s, t) for s, t, n in walks if high is None or n < high]
        ends = [self.ports | {e[i] for e in begun if e[1 - i] in self.ports} for i in (0, 1)]
        after: dict[Json, list[Json]] = {}
        for s, t in held.union(product(*ends)):
            after.setdefault(s, []).append(t)
        return walks, held, after

    def degree(self, x: int | None, labels: Json, beyond: Json = ()) -> int:
        """The number of edges from a node, but for those to some nodes."""
        return sum(s == x and t not in beyond and passes(labels, e) for s, e, t in self.edges)

    def matches(self, body: Json, outer: dict[str, Json]) -> list[dict[str, Json]]:
        """The partial matches of a body that extend a match of the first one."""
        found = [{v: outer[v] for v in body["variables"] if v in outer}]
        for u, relation, w in body["links"]:
            found = [
                new
                for m in found
                for x in ([m[u]] if u in m else self.walks[relation][2])
                for y in self.walks[relation][2].get(x, ())
                if m.get(w, y) == y and (u != w or x == y)
                if (new := m | {u: x, w: y}) and all(self.fits(body, v, new, outer) for v in (u, w))
            ]
        return found

    def fits(self, body: Json, v: str, match: dict[str, Json], outer: dict[str, Json]) -> bool:
        """Whether a variable may have its node; at a port, a link has to ask for it."""
        x, others = match[v], [*(outer | match).values()]
        if x is None or (body["rank"], v) in self.barred[x] or others.count(x) > 1:
            return x is None
        if x not in self.ports:
            tests = [test for test in body["degrees"] if test[0] == v]
            return all(COMPARE[sign](self.degree(x, labels), n) for _, labels, sign, n in tests)
        links = [(u, self.walks[relation][1], w) for u, relation, w in body["links"] if v in (u, w)]
        return any(not {u, w} <= match.keys() or (match[u], match[w]) in h for u, h, w in links)

    def shape(self, body: Json, match: dict[str, Json]) -> Json:
        """What of a match can matter outside: walks between ports and variables, and degrees."""
        name = {x: (x, "") for x in self.ports}
        name |= {x: (x if x in self.ports else -1, v) for v, x in match.items()}
        tests, ports = body["degrees"], self.ports
        counts = [min(self.degree(match[v], labels, ports), n + 1) for v, labels, _, n in tests]
        walks = ((r, name[s], name[t], n) for r, s, t, n in self.every if s in name and t in name)
        return *counts, frozenset(walks)

    def type(self) -> Json:
        """All that matters of the graph: its ports, and its partial matches, or FOUND."""

        def complete(body: Json, match: dict[str, Json]) -> bool:
            held = [(match[u], match[w]) in self.walks[r][1] for u, r, w in body["links"]]
            return all(held) and self.ports.isdisjoint(match.values())

        ports, found, (first, *others) = self.barred[: len(self.ports) - 1], set(), self.bodies
        for match in self.matches(first, {}):
            more = [(body, self.matches(body, match)) for body in others]
            whole = [complete(body, e) for body, group in more for e in group]
            if complete(first, match) and not (whole if ports else any(whole)):
                return FOUND, *(LABEL in bars for bars in ports)
            if not any(whole):
                shapes = ({self.shape(body, e) for e in group} for body, group in more)
                found.add((self.shape(first, match), *map(frozenset, shapes)))
        joined = frozenset((s, label, t) for s, label, t in self.edges if {s, t} <= self.ports)
        return *ports, joined, frozenset(found)


class Checker:
    """Checks the parts of a certificate; a ValueError says which line of reasoning fails."""

    def __init__(self, text: str) -> None:
        self.data = json.loads(text, parse_int=lambda digits: range(1 << 31)[int(digits)])
        self.structures, self.symbols = self.data["structures"], self.data["symbols"]
        self.known: dict[str, Json] = {}  # types, for structures that differ in node tests only
        self.tables = [{(s, *qs): q for s, q, *qs in x["transitions"]} for x in self.structures]
        if self.data["format"] != FORMAT:
            raise ValueError(f"the format is not {FORMAT}")

    def bodies(self, structure: Json) -> Iterator[Any]:
        """The bodies of a structure; a link from a variable to itself makes it eager."""
        first, *others = structure["bodies"]
        shared = {v for body in others for v in body["variables"]} & {*first["variables"]}
        for rank, body in enumerate(structure["bodies"]):
            links = [(u, ((*labels,), *ends), w) for u, labels, *ends, w in body["links"]]
            lazy = {v for u, _, w in links for v in (u, w)} - {v for v, *_ in body["degrees"]}
            lazy -= shared | {v for u, (_, *ends), w in links for v in (u, w) if ends != [1, 1]}
            links += [(v, ((1,), 0, 0), v) for v in body["variables"] if v not in lazy]
            yield {**body, "rank": rank, "links": links}

    def structure(self, number: int) -> None:
        """Lemma A: the automaton of a structure accepts the texts that contain it."""
        structure, table = self.structures[number], self.tables[number]
        bodies, layer = [*self.bodies(structure)], structure["layer"]
        key = str([(body["degrees"], body["links"]) for body in bodies])
        cases, memo = self.known.setdefault(key, ({}, {}))
        tests = [((body["rank"], v), test) for body in bodies for v, *test in body["tests"]]
        bad = []
        for label in self.data["labels"]:
            bad.append(frozenset(v for v, (a, *t) in tests if not passes(t, label.get(a, ""))))
            cases[bad[-1]] = SimpleNamespace(ports={None, 0}, barred=[bad[-1] | {LABEL}], edges=())
        rules = {(s, *(bad[x] for x in xs[layer])): [-1] for _, s, *xs in self.data["rules"]}
        members, size = [dict[Json, int]() for _ in self.data["categories"]], -1
        while size < (size := sum(map(len, members))):
            for (symbol, *labels), before in rules.items():
                _, lhs, rhs, *fragments = self.symbols[symbol]
                choices = [members[child] for child in rhs]
                rules[symbol, *labels] = after = [*map(len, choices)]
                for children in product(*choices) if before != after else ():
                    parts = fragments[layer], *[kind for _, kind in children], *labels
                    if parts not in memo:
                        fragment = self.data["fragments"][parts[0]]
                        phrase = Phrase(bodies, fragment, [cases[part] for part in parts[1:]])
                        memo[parts] = phrase.type()
                        cases.setdefault(memo[parts], phrase)
                    state = table.get((symbol, *[state for state, _ in children]), 0)
                    members[lhs][state, memo[parts]] = 0
        for state, kind in members[self.data["start"]]:
            ports = [*range(len(cases[kind].ports) - 1)]
            end = {"ports": 0, "nodes": len(ports), "rows": [ports], "edges": []}
            found = Phrase(bodies, end, [cases[kind]]).type() == (FOUND,)
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
        tables = [self.tables[structure] for structure in group]
        touched = {symbol for table in tables for symbol, *_ in table}
        steps = (s for s in split["transitions"] if s[0] in touched or s[1] in sets)
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
        """What is wrong with the certificate; nothing if it is accepted."""
        splits, names = self.data["splits"], [structure["name"] for structure in self.structures]
        jobs: list[Any] = [(name, self.structure, n) for n, name in enumerate(names)]
        jobs += [(f"split {n}", self.split, split) for n, split in enumerate(splits)]
        for kind, n, group, evidence in self.data["claims"]:
            claim = f"{splits[n]['strata'][0][2]} {kind} {' or '.join(names[s] for s in group)}"
            method = self.contains if kind == "contains" else self.invariant
            jobs.append((claim, method, splits[n], group, evidence, kind))
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
