"""Check a certificate, trusting nothing else: ``python certificate.py certificate.json``.

A certificate claims of the splits of a grammar that no derivation contains some structure, or
that every one does.  docs/certificate.md has the format, and the proofs of the two lemmas:

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

FOUND, LABELLED = "found", "labelled"
COMPARE = {"=": operator.eq, ">=": operator.ge, "<=": operator.le}
FAULTS = (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError)


def passes(test: Any, value: str) -> bool:
    """Whether a test ``[negated, value, ...]`` passes a value."""
    return (value in test[1:]) != bool(test[0])


class Phrase:
    """The graph of a phrase as a structure sees it; nodes are numbers, ports first.

    ``barred`` has for each node what it cannot be, as pairs (body, variable), and the mark
    ``LABELLED`` if it has its label.
    """

    def __init__(self, bodies: Any, fragment: Any, parts: Any) -> None:
        self.bodies, own = bodies, range(fragment["nodes"])
        self.ports: set[int | None] = {None, *own[: fragment["ports"]]}
        self.edges = {(own[s], label, own[t]) for s, label, t in fragment["edges"]}
        self.barred = [frozenset[Any]()] * len(own)
        for row, part in zip(fragment["rows"], parts, strict=True):
            name = [*row, *range(len(self.barred), len(self.barred) + len(part.barred) - len(row))]
            for x, bars in zip(row, part.barred, strict=False):
                if LABELLED in self.barred[own[x]] & bars or len({*row}) != len(part.ports) - 1:
                    raise ValueError("a node has two labels, or is two ports of a part")
                self.barred[x] |= bars
            self.barred += part.barred[len(row) :]
            self.edges |= {(name[s], label, name[t]) for s, label, t in part.edges}
        if not all(LABELLED in bars for bars in self.barred[len(self.ports) - 1 :]):
            raise ValueError("a node is forgotten without a label")
        relations = {link[1] for body in bodies for link in body["links"]}
        self.walks = {relation: self.walk(*relation) for relation in relations}

    def walk(self, labels: Any, low: int, high: int | None) -> tuple[set[Any], ...]:
        """Walks (from, to, length), the ends of those that are long enough, and where the ends
        can be unless it is excluded that a larger graph has such a walk."""
        steps = [(s, t) for s, label, t in self.edges if passes(labels, label)]
        cap = max(low, 1) if high is None else high
        walks = news = {(x, x, 0) for x in range(len(self.barred))}
        while news:
            longer = {(s, t, n + 1) for s, x, n in news for y, t in steps if x == y}
            news = {(s, t, min(n, cap)) for s, t, n in longer if high is None or n <= cap} - walks
            walks = walks | news
        held = {(s, t) for s, t, n in walks if n >= low}
        begun = [(s, t) for s, t, n in walks if high is None or n < high]
        sources = self.ports | {s for s, t in begun if t in self.ports}
        targets = self.ports | {t for s, t in begun if s in self.ports}
        return walks, held, held.union(product(sources, targets))

    def degree(self, x: int | None, labels: Any, beyond: Any = ()) -> int:
        """The number of edges from a node, but for those to some nodes."""
        return sum(s == x and t not in beyond and passes(labels, l) for s, l, t in self.edges)

    def matches(self, rank: int, outer: dict[str, Any]) -> list[dict[str, Any]]:
        """The partial matches of a body that extend a match of the first one."""
        body = self.bodies[rank]
        found = [{v: outer[v] for v in body["variables"] if v in outer}]
        for u, relation, w in body["links"]:
            found = [
                new
                for match in found
                for x, y in self.walks[relation][2]
                if match.get(u, x) == x and match.get(w, y) == y and (u != w or x == y)
                if (new := match | {u: x, w: y})
                and all(self.fits(rank, v, new, outer) for v in (u, w))
            ]
        return found

    def fits(self, rank: int, v: str, match: dict[str, Any], outer: dict[str, Any]) -> bool:
        """Whether a variable may have its node; at a port, a link has to ask for it."""
        body, x, others = self.bodies[rank], match[v], (outer | match).values()
        if x is None or (rank, v) in self.barred[x] or [*others].count(x) > 1:
            return x is None
        if x not in self.ports:
            tests = (test for test in body["degrees"] if test[0] == v)
            return all(COMPARE[sign](self.degree(x, labels), n) for _, labels, sign, n in tests)
        return any(
            not {u, w} <= match.keys() or (match[u], match[w]) in self.walks[relation][1]
            for u, relation, w in body["links"]
            if v in (u, w)
        )

    def complete(self, rank: int, match: dict[str, Any]) -> bool:
        """Whether nothing of a body is left to be matched."""
        links = self.bodies[rank]["links"]
        held = all((match[u], match[w]) in self.walks[relation][1] for u, relation, w in links)
        return held and self.ports.isdisjoint(match.values())

    def shape(self, rank: int, match: dict[str, Any]) -> Any:
        """What of a match can matter outside: walks between ports and variables, and degrees."""
        name = {x: (x, "") for x in self.ports}
        name |= {x: (x if x in self.ports else -1, v) for v, x in match.items()}
        tests, ports = self.bodies[rank]["degrees"], self.ports
        counts = (min(self.degree(match[v], labels, ports), n + 1) for v, labels, _, n in tests)
        return *counts, frozenset(
            (relation, name[s], name[t], n)
            for relation, (walks, *_) in self.walks.items()
            for s, t, n in walks
            if s in name and t in name
        )

    def type(self) -> Any:
        """All that matters of the graph to the structure, or FOUND if the structure is there."""
        found, ranks = set(), range(1, len(self.bodies))
        for match in self.matches(0, {}):
            more = [self.matches(rank, match) for rank in ranks]
            whole = [self.complete(rank, e) for rank in ranks for e in more[rank - 1]]
            if self.complete(0, match) and not (whole if len(self.ports) > 1 else any(whole)):
                return FOUND
            if not any(whole):
                shapes = ({self.shape(rank, e) for e in more[rank - 1]} for rank in ranks)
                found.add((self.shape(0, match), *map(frozenset, shapes)))
        joined = frozenset((s, label, t) for s, label, t in self.edges if {s, t} <= self.ports)
        return *self.barred[: len(self.ports) - 1], joined, frozenset(found)


class Checker:
    """Checks the parts of a certificate; its methods say what is wrong."""

    def __init__(self, data: Any) -> None:
        self.data, self.symbols, self.known = data, data["symbols"], dict[str, Any]()
        self.tables: list[dict[Any, int]] = [
            {(symbol, *children): state for symbol, state, *children in structure["transitions"]}
            for structure in data["structures"]
        ]

    def bodies(self, structure: Any) -> Any:
        """The bodies of a structure; a link from a variable to itself makes it eager."""
        first, *others = structure["bodies"]
        eager = {v for body in others for v in body["variables"]} & {*first["variables"]}
        for body in structure["bodies"]:
            links = [(u, ((*labels,), *ends), w) for u, labels, *ends, w in body["links"]]
            lazy = {v for u, _, w in links for v in (u, w)} - {v for v, *_ in body["degrees"]}
            lazy -= eager | {v for u, (_, *ends), w in links for v in (u, w) if ends != [1, 1]}
            loops = [(v, ((1,), 0, 0), v) for v in body["variables"] if v not in lazy]
            yield {**body, "links": links + loops}

    def structure(self, number: int) -> Iterator[str]:
        """Lemma A: what is wrong with the automaton of a structure."""
        structure, table = self.data["structures"][number], self.tables[number]
        bodies, layer = [*self.bodies(structure)], structure["layer"]
        key = str([(body["variables"], body["degrees"], body["links"]) for body in bodies])
        examples, memo = self.known.setdefault(key, ({}, {}))
        barred = []
        for label in self.data["labels"]:
            tests = [(r, v, t) for r, body in enumerate(bodies) for v, *t in body["tests"]]
            bars = {(r, v) for r, v, (name, *test) in tests if not passes(test, label.get(name, ""))}
            barred.append(frozenset(bars | {LABELLED}))
            examples[barred[-1]] = SimpleNamespace(ports={None, 0}, barred=[barred[-1]], edges=())
        rules = dict.fromkeys(
            (symbol, tuple(barred[label] for label in labels[layer]))
            for _, symbol, *labels in self.data["rules"]
        )
        members: list[dict[Any, None]] = [{} for _ in self.data["categories"]]
        size = -1
        while size < (size := sum(map(len, members))):
            for symbol, labels in rules:
                _, lhs, rhs, *fragments = self.symbols[symbol]
                for children in product(*[[*members[child]] for child in rhs]):
                    parts = (*[kind for _, kind in children], *labels)
                    if FOUND not in parts and (fragments[layer], parts) not in memo:
                        fragment = self.data["fragments"][fragments[layer]]
                        phrase = Phrase(bodies, fragment, [examples[part] for part in parts])
                        memo[fragments[layer], parts] = phrase.type()
                        examples.setdefault(memo[fragments[layer], parts], phrase)
                    kind = memo.get((fragments[layer], parts), FOUND)
                    state = table.get((symbol, *[state for state, _ in children]), 0)
                    members[lhs][state, kind] = None
        for state, kind in members[self.data["start"]]:
            if kind != FOUND:
                ports = len(examples[kind].ports) - 1
                end = {"ports": 0, "nodes": ports, "rows": [[*range(ports)]], "edges": []}
                kind = Phrase(bodies, end, [examples[kind]]).type()
            if (kind == FOUND) != (state in structure["accepting"]):
                yield f"texts in state {state} {'contain' if kind == FOUND else 'lack'} it"

    def typed(self, split: Any) -> Iterator[str]:
        """What in a split is not of the grammar."""
        states = split["states"]
        for symbol, *ends in split["transitions"]:
            name, lhs, rhs, *_ = self.symbols[symbol]
            if [lhs, *rhs] != [states[end] for end in ends]:
                yield f"transition {name} of state {ends[0]} is no rule of the grammar"
        if any(states[root] != self.data["start"] for root in split["roots"]):
            yield "a root is not a text"

    def invariant(self, split: Any, group: list[int], invariant: Any, wanted: bool) -> Iterator[str]:
        """Lemma B: where the invariant of a claim is not closed, or not as claimed at a root."""
        size, usual = len(group), {(0,) * len(group)}
        sets = {
            state: {tuple(flat[i : i + size]) for i in range(0, len(flat), size)}
            for state, *flat in invariant
        }
        tables = [self.tables[structure] for structure in group]
        touched = {symbol for table in tables for symbol, *_ in table}
        for symbol, result, *children in split["transitions"]:
            if symbol in touched or result in sets:
                for states in product(*[sets.get(child, usual) for child in children]):
                    parts = zip(*states, strict=True) if children else [()] * size
                    new = tuple(t.get((symbol, *q), 0) for t, q in zip(tables, parts, strict=True))
                    if new not in sets.get(result, usual):
                        name = self.symbols[symbol][0]
                        yield f"transition {name} of state {result} leaves the invariant"
        accepting = [self.data["structures"][structure]["accepting"] for structure in group]
        for root in split["roots"]:
            for states in sets.get(root, usual):
                if wanted != any(s in a for s, a in zip(states, accepting, strict=True)):
                    yield f"a text of root {root} can end in the automaton states {states}"

    def contains(self, split: Any, structure: int, derivation: list[int]) -> Iterator[str]:
        """Why a derivation (transitions in preorder) does not show that a structure occurs."""
        stack: list[Any] = []
        for step in reversed(derivation):
            symbol, result, *children = split["transitions"][step]
            parts = [stack.pop() for _ in children]
            if [state for state, _ in parts] != children:
                yield "the derivation does not fit together"
            state = self.tables[structure].get((symbol, *[state for _, state in parts]), 0)
            stack.append((result, state))
        [(root, state)] = stack
        accepting = self.data["structures"][structure]["accepting"]
        if root not in split["roots"] or state not in accepting:
            yield "the derivation is not one of a text that contains it"


def check(data: Any) -> Iterator[str]:
    """What is wrong with a certificate; nothing if it is accepted."""
    checker, splits = Checker(data), data["splits"]
    names = [structure["name"] for structure in data["structures"]]
    made = {(kind, split, *group) for kind, split, group, _ in data["claims"]}
    jobs: list[tuple[str, Any]] = [
        (f"structure {name}", checker.structure(n)) for n, name in enumerate(names)
    ]
    jobs += [(f"split {n}", checker.typed(split)) for n, split in enumerate(splits)]
    for kind, n, group, evidence in data["claims"]:
        place = f"{splits[n]['strata'][0][2]} {kind} {' or '.join(names[s] for s in group)}"
        if kind == "contains":
            jobs.append((place, checker.contains(splits[n], *group, evidence)))
        elif kind == "disjoint":
            needed = {("requires", n, *group), *(("excludes", evidence, s) for s in group)}
            jobs.append((place, ["this does not follow from other claims"] * (not needed <= made)))
        else:
            jobs.append((place, checker.invariant(splits[n], group, evidence, {"requires": True, "excludes": False}[kind])))
    for place, faults in jobs:
        try:
            yield from (f"{place}: {fault}" for fault in faults)
        except FAULTS as error:
            yield f"{place}: malformed ({error})"


def main(path: str) -> int:
    """Check a file; the result is the exit status."""
    try:
        faults = [*check(json.loads(Path(path).read_text("utf-8")))]
    except (OSError, *FAULTS) as error:
        faults = [f"malformed: {error}"]
    sys.stdout.write("".join(f"{fault}\n" for fault in faults) or "accepted\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
