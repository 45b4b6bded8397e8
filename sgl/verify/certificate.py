"""Check a certificate, trusting nothing else: ``python certificate.py certificate.json``.

A certificate claims of the splits of a grammar that no derivation contains some structure, or
that every one does.  docs/certificate.md has the format, and the proofs of the two lemmas:

A. The automaton of a structure accepts the derivations whose graph contains it, and no others.
   Shown by exploring it side by side with the sets of partial matches (``Matcher``).
B. A split derives a phrase only in the automaton states that the invariant of a claim lists:
   it is closed under every transition, and at the roots it is as claimed.
"""

from __future__ import annotations

import json
import operator
import re
import sys
from collections.abc import Iterator
from itertools import product
from typing import Any, NamedTuple

FAULTS = (KeyError, IndexError, TypeError, ValueError, AttributeError, RecursionError)
COMPARE = {"=": operator.eq, ">=": operator.ge, "<=": operator.le}
NONE: frozenset[Any] = frozenset()
FOUND: frozenset[Any] = frozenset({"found"})  # the state of a phrase that has the structure


def passes(test: Any, value: str) -> bool:
    """Whether a test ``[negated, value, ...]`` passes a value."""
    return (value in test[1:]) != bool(test[0])


class Match(NamedTuple):
    """A partial match of a body into the graph of a phrase; ``done`` and ``held`` are bit sets."""

    at: tuple[int | None, ...]  # the variable at each port
    done: int  # variables whose nodes are forgotten
    held: int  # links that hold
    walks: frozenset[Any]  # (relation, from, to, label or length); ~v is the lost node of v
    counts: tuple[int, ...]  # for each degree test, edges to forgotten nodes
    more: tuple[frozenset[Any], ...] = ()  # for each ``without``, the matches that extend this


class Body:
    """A body of a structure; its links are bits."""

    def __init__(self, body: Any, relations: Any) -> None:
        self.variables, self.degrees = {*body["variables"]}, body["degrees"]
        low = [relation[1] if len(relation) > 1 else 1 for relation in relations]
        self.links = {
            (u, r, w): 1 << k for k, (u, r, w) in enumerate(body["links"]) if u != w or low[r]
        }
        self.paths = [(link, bit) for link, bit in self.links.items() if len(relations[link[1]]) > 1]
        self.of = {
            v: [(r, bit) for (u, r, w), bit in self.links.items() if v in (u, w)] for v in self.variables
        }
        self.whole = sum(1 << v for v in self.variables), sum(self.links.values())

    def complete(self, match: Match) -> bool:
        """Whether nothing is left to be matched."""
        return (match.done & self.whole[0], match.held) == self.whole


class Matcher:
    """The state of a phrase for a structure: all partial matches into the phrase's graph."""

    def __init__(self, structure: Any) -> None:
        self.relations = structure["relations"]
        self.bodies = [Body(body, self.relations) for body in structure["bodies"]]
        self.memo: dict[Any, Any] = {}

    def node(self, barred: Any) -> frozenset[Match]:
        """The state of a new node, which for each body may not be some of its variables."""
        (body, *rest), (no, *nos) = self.bodies, barred
        alone = [Match((None,), 0, 0, NONE, (0,) * len(b.degrees)) for b in self.bodies]
        matches = set()
        for v in {None, *body.variables} - no:
            own = [{v} if v is not None else {None, *b.variables} - body.variables for b in rest]
            more = [
                frozenset(match._replace(at=(w,)) for w in choice - bars)
                for match, choice, bars in zip(alone[1:], own, nos, strict=True)
            ]
            matches.add(alone[0]._replace(at=(v,), more=tuple(more)))
        return frozenset(matches)

    def step(self, fragment: Any, parts: tuple[Any, ...]) -> Any:
        """The state of a phrase from those of its children and its labelled nodes."""
        key = id(fragment), parts
        if key not in self.memo:
            rows = [*fragment["ports"], *([x] for x in fragment["labelled"])]
            rows += [[x] for x in {*range(fragment["nodes"])}.difference(*rows)]
            new = [self.node([NONE] * len(self.bodies))] * (len(rows) - len(parts))
            state = FOUND if FOUND in parts else self.glued(fragment, rows, (*parts, *new))
            self.memo[key] = self.memo.setdefault(state, state)
        return self.memo[key]

    def glued(self, fragment: Any, rows: Any, states: Any) -> frozenset[Any]:
        """The matches that join one match of each part, each with its extensions."""
        links = {
            (r, s, t, 1 if bounds else label)
            for s, label, t in fragment["edges"]
            for r, (labels, *bounds) in enumerate(self.relations)
            if passes(labels, label)
        }
        scene = rows, {x: port for port, x in enumerate(fragment["exports"])}, links
        matches = set()
        for match, parts in self.joined(self.bodies[0], scene, states):
            more = [
                [e for e, _ in self.joined(body, scene, [part.more[rank] for part in parts])]
                for rank, body in enumerate(self.bodies[1:])
            ]
            whole = [any(map(b.complete, group)) for b, group in zip(self.bodies[1:], more)]
            if any(whole): continue
            if self.bodies[0].complete(match) and not (fragment["exports"] and any(more)):
                return FOUND
            matches.add(match._replace(more=tuple(map(frozenset, more))))
        return frozenset(matches)

    def joined(self, body: Body, scene: Any, choices: Any) -> Iterator[tuple[Match, Any]]:
        """The ways to join one match of each part; parts that share a node agree about it."""
        rows, port, links = scene
        partial: list[Any] = [({}, 0, ())]
        for row, matches in zip(rows, choices, strict=True):
            # A node that is forgotten, and that no other part knows, gets no links but these.
            last = {x for x in row if x not in port and sum(x in other for other in rows) == 1}
            near = {(r, x) for r, s, t, _ in links for x in (s, t)}
            useful = []
            for match in matches:
                own = near | {(r, row[x]) for r, s, t, _ in match.walks for x in (s, t) if x >= 0}
                here = [(x, v) for x, v in zip(row, match.at, strict=True) if x in last and v is not None]
                if not any((r, x) not in own and bit & ~match.held for x, v in here for r, bit in body.of.get(v, ())):
                    useful.append(match)
            partial = [
                (new, done | match.done, (*parts, match))
                for (at, done, parts), match in product(partial, useful)
                if (new := merged(at, done, row, match)) is not None
            ]
        for at, done, parts in partial:
            if match := self.settled(body, scene, at, done, parts):
                yield match, parts

    def settled(self, body: Body, scene: Any, at: Any, done: int, parts: Any) -> Match | None:
        """The joined match when all nodes but the ports are forgotten; None if it fails."""
        rows, port, links = scene
        node = {v: x for x, v in at.items() if v is not None}
        lost = {v: x for v, x in node.items() if x not in port}
        walks, held = {*links}, 0
        for row, part in zip(rows, parts, strict=True):
            held |= part.held
            walks |= {(r, s if s < 0 else row[s], t if t < 0 else row[t], n) for r, s, t, n in part.walks}
        walks = self.closed(frozenset(walks))
        for r, s, t, n in walks:
            link = ~s if s < 0 else at[s], r, ~t if t < 0 else at[t]
            if link in body.links and (len(self.relations[r]) == 1 or n >= self.relations[r][1]):
                held |= body.links[link]
        if any(bit & ~held and len(self.relations[r]) == 1 for v in lost for r, bit in body.of.get(v, ())):
            return None
        counts = []
        for k, (v, r, sign, number) in enumerate(body.degrees):
            ends = [t for q, s, t, _ in walks if q == r and s == node.get(v)]
            count = sum(part.counts[k] for part in parts)
            count += sum(v in lost or t not in port for t in ends)
            if v in lost and not COMPARE[sign](count, number):
                return None
            counts.append(min(count, number + 1) if v in node and v not in lost else 0)
        done |= sum(1 << v for v in lost)
        name = port | {x: ~v for v, x in lost.items()}
        wanted = [link for link, bit in body.paths if not held & bit]
        sources, targets = {(r, ~u) for u, r, _ in wanted}, {(r, ~w) for _, r, w in wanted}
        kept = set()
        for r, s, t, n in walks:
            a, b = s if s < 0 else name.get(s, s), t if t < 0 else name.get(t, t)
            if s >= 0 and s not in name or t >= 0 and t not in name: continue
            if (a >= 0 or (r, a) in sources) and (b >= 0 or (r, b) in targets) and max(a, b) >= 0:
                kept.add((r, a, b, n))
        begun, ended = {walk[:2] for walk in kept}, {(r, t) for r, _, t, _ in kept}
        for u, r, w in wanted:
            if done >> u & 1 and (r, ~u) not in begun or done >> w & 1 and (r, ~w) not in ended:
                return None
        return Match(tuple(at[x] for x in port), done, held, frozenset(kept), tuple(counts))

    def closed(self, walks: frozenset[Any]) -> frozenset[Any]:
        """The walks with all that are composed of them; without bound, ``low`` is enough."""
        if walks not in self.memo:
            known = set(walks)
            news = {walk for walk in walks if len(self.relations[walk[0]]) > 1}
            longs=set(news)
            while news:
                found = set()
                for (r, s, x, n), (q, y, t, m) in product(longs, repeat=2):
                    if q == r and x == y:
                        _, low, high = self.relations[r]
                        if high is None or n + m <= high:
                            found.add((r, s, t, n + m if high is not None else min(n + m, max(low, 1))))
                news = found - longs
                longs |= news
            self.memo[walks] = walks | longs
        return self.memo[walks]


def merged(at: Any, done: int, row: Any, match: Match) -> Any:
    """Where the variables are when a part joins others; None if it cannot."""
    new = at | dict(zip(row, match.at, strict=True))
    bits = [1 << v for v in new.values() if v is not None]
    fits = not done & match.done and not sum(bits) & (done | match.done)
    agrees = all(at.get(x, v) == v for x, v in zip(row, match.at, strict=True))
    return new if fits and agrees and sum(bits).bit_count() == len(bits) else None


def shown(structure: Any) -> str:
    """A structure in the author's notation."""
    def word(text: str) -> str:
        if re.search(r'[\s|<>=^*;,{}"#!]', text):
            raise ValueError(f"a name is {text!r}")
        return text

    def value(text: str) -> str:
        return text if re.fullmatch(r"[\w-]+", text) else '"' + re.sub(r'(["\\])', r"\\\1", text) + '"'

    def labels(r: int) -> str:
        negated, *listed = structure["relations"][r][0]
        return "^" * bool(negated) + "|".join(map(word, listed)) if listed else "*" * bool(negated)

    def bounds(r: int) -> str:
        low, high = structure["relations"][r][1:] or ("", "")
        if high is None:
            return "+" if low == 1 else f"{{{low:d},}}"
        return "" if low == "" else f"{{{low:d}}}" if low == high else f"{{{low:d},{high:d}}}"

    def shown_body(body: Any) -> str:
        names, said = dict(zip(body["variables"], body["names"], strict=True)), set()

        def node(v: int) -> str:
            tests = [
                f"{word(a)}{'!' * bool(no)}={'|'.join(map(value, values))}"
                for u, a, no, *values in body["tests"] if u == v
            ]
            tests += [f"#{labels(r)}{sign}{n:d}" for u, r, sign, n in body["degrees"] if u == v]
            full = word(names[v]) + (f"[{', '.join(tests)}]" if tests and v not in said else "")
            said.add(v)
            return full

        parts = [f"{node(s)} -[{labels(r)}]{bounds(r)}-> {node(t)}" for s, r, t in body["links"]]
        parts += [node(v) for v in body["variables"] if v not in said]
        return "{ " + "; ".join(parts) + " }"

    return " without ".join(map(shown_body, structure["bodies"]))


def fault(fragment: Any, labels: Any, children: Any, own: Any) -> str:
    """Why a fragment is not well-formed: every node gets a label, exactly once."""
    rows, exports, labelled = fragment["ports"], fragment["exports"], fragment["labelled"]
    if [*map(len, (*rows, exports, labelled))] != [*map(len, (*children, own, labels))]:
        return "has other ports than its categories"
    if any(len({*row}) < len(row) for row in (*rows, exports, labelled)):
        return "makes one node of two ports"
    if {*exports, *labelled, *(x for s, _, t in fragment["edges"] for x in (s, t))} - {*range(fragment["nodes"])}: return "nodes"
    for x in range(fragment["nodes"]):
        kinds = [k for row, kinds in zip(rows, children) for y, k in zip(row, kinds) if x == y]
        kinds += [1] * labelled.count(x)
        said = own[exports.index(x)] if x in exports else 1
        if len(kinds) - kinds.count(0) > 1:
            return "can give a node two labels"
        if (said == 1 and 1 not in kinds) or (said == 0 and kinds.count(0) < len(kinds)):
            return "leaves a node without a label" 
    return ""


class Checker:
    """The claims of a certificate, and what fails of them."""

    def __init__(self, data: Any) -> None:
        self.data, self.rules, self.symbols = data, data["rules"], data["symbols"]
        self.symbol = {rule: n for n, rules in enumerate(self.symbols) for rule in rules}
        self.tables: list[dict[int, dict[Any, int]]] = [{} for _ in data["structures"]]
        for table, structure in zip(self.tables, data["structures"], strict=True):
            for symbol, result, *children in structure["transitions"]:
                table.setdefault(symbol, {})[tuple(children)] = result
        self.matchers: dict[str, Matcher] = {}

    def grammar(self) -> Iterator[str]:
        """Every rule is well-formed, and the rules of a symbol are alike."""
        kinds = [list(kinds) for _, *kinds in self.data["categories"]]
        if any(kind != 1 for layer in kinds[self.data["start"]] for kind in layer):
            yield "grammar: a text may have a node without a label"
        for name, lhs, rhs, *layers in self.rules:
            for n, (fragment, *labels) in enumerate(layers):
                children = [kinds[child][n] for child in rhs]
                if why := fault(self.data["fragments"][fragment], labels, children, kinds[lhs][n]):
                    yield f"grammar: rule {name} {why}"
        if sorted(self.symbol) != [*range(len(self.rules))]: yield "grammar: symbols"
        for rules in self.symbols:
            if len({(self.rules[r][1], *self.rules[r][2]) for r in rules}) != 1: yield "gramamr: symbol"

    def structure(self, number: int) -> Iterator[str]:
        """Lemma A."""
        structure, table = self.data["structures"][number], self.tables[number]
        if shown(structure) != structure["text"]:
            yield f"structure {structure['text']}: its data mean {shown(structure)}"
        bodies = structure["bodies"]
        key = json.dumps([structure["relations"], [[b["variables"], b["degrees"], b["links"]] for b in bodies]])
        matcher = self.matchers.setdefault(key, Matcher(structure))
        barred = [
            tuple(
                frozenset(v for v, name, *test in b["tests"] if not passes(test, label.get(name, "")))
                for b in bodies
            )
            for label in self.data["labels"]
        ]
        node = {bars: matcher.node(bars) for bars in dict.fromkeys(barred)}
        members: list[dict[Any, Any]] = [{} for _ in self.data["categories"]]
        sizes: dict[int, Any] = {}
        rules = [*enumerate(self.rules)]
        grown = True
        while grown:
            grown = False
            for rule, (_, lhs, rhs, *layers) in rules:
                size = [len(members[child]) for child in rhs]
                if sizes.get(rule) == size: continue
                sizes[rule] = size
                fragment, *labels = layers[structure["layer"]]
                fragment = self.data["fragments"][fragment]
                new = tuple([node[barred[label]] for label in labels])
                results = table.get(self.symbol[rule], {})
                for children in product(*[[*members[child]] for child in rhs]):
                    states = tuple([child[0] for child in children])
                    parts = tuple([child[1] for child in children])
                    pair = results.get(states, 0), matcher.step(fragment, parts + new)
                    if pair not in members[lhs]:
                        members[lhs][pair] = rule, children
                        grown = True
            rules = [r for r in rules if r[1][2]]
        start = self.data["start"]
        width = len(self.data["categories"][start][1])
        end = {"nodes": width, "ports": [[*range(width)]], "labelled": [], "edges": [], "exports": []}
        for state, matches in members[start]:
            there = matcher.step(end, (matches,)) == FOUND
            if there != (state in structure["accepting"]):
                yield f"structure {structure['text']}: {there} {state}"

    def typed(self, split: Any) -> Iterator[str]:
        """A split is a part of the grammar."""
        states = split["states"]
        for symbol, *ends in split["transitions"]:
            name, lhs, rhs, *_ = self.rules[self.symbols[symbol][0]]
            if [states[end] for end in ends] != [lhs, *rhs]:
                yield f"transition {name} {ends}: no rule of the grammar"
        if any(states[root] != self.data["start"] for root in split["roots"]):
            yield f"root"

    def claim(self, split: Any, structures: Any, invariant: Any, wanted: bool) -> Iterator[str]:
        """Lemma B."""
        size = len(structures)
        tables = [self.tables[structure] for structure in structures]
        accepting = [{*self.data["structures"][structure]["accepting"]} for structure in structures]
        usual = {(0,) * size}
        sets = {
            state: {tuple(flat[i : i + size]) for i in range(0, len(flat), size)}
            for state, *flat in invariant
        }
        touched = {symbol for table in tables for symbol in table}
        for symbol, result, *children in split["transitions"]:
            if symbol not in touched and result not in sets: continue
            target = sets.get(result, usual)
            results = [table.get(symbol, {}) for table in tables]
            for states in product(*[sets.get(child, usual) for child in children]):
                new = tuple([r.get(tuple([s[i] for s in states]), 0) for i, r in enumerate(results)])
                if new not in target:
                    yield f"transition {self.name(symbol)} of state {result} leaves the invariant"
                    return
        for root in split["roots"]:
            for states in sets.get(root, usual):
                if any(s in a for s, a in zip(states, accepting, strict=True)) != wanted:
                    yield f"root {root}"

    def name(self, symbol: int) -> str:
        name, lhs, rhs, *_ = self.rules[self.symbols[symbol][0]]
        c = self.data["categories"]
        return f"{c[lhs][0]} -> {' '.join(c[x][0] for x in rhs) or name}"

    def contains(self, split: Any, structure: int, derivation: Any) -> Iterator[str]:
        """A derivation of a split contains a structure."""
        steps: dict[Any, set[int]] = {}
        for symbol, result, *children in split["transitions"]:
            steps.setdefault(symbol, []).append((result, children))
        stack: list[Any] = []
        for rule in reversed(derivation):
            children = [stack.pop() for _ in self.rules[rule][2]]
            symbol = self.symbol[rule]
            states = {r for r, needed in steps.get(symbol, ()) if all(n in c[0] for n, c in zip(needed, children, strict=True))}
            q = self.tables[structure].get(symbol, {}).get(tuple(c[1] for c in children), 0)
            stack.append((states, q))
        (states, q), = stack
        if not states & {*split["roots"]}: yield "derivation is not one of the split"
        if q not in self.data["structures"][structure]["accepting"]: yield "derivation lacks the structure"


def check(data: Any) -> list[str]:
    failures = []
    def run(where, function, *arguments):
        try:
            found = [f"{where}{f}" for f in function(*arguments)]
        except FAULTS as e:
            found = [f"{where}malformed: {type(e).__name__} {e}"]
        failures.extend(found)
        return not found
    if data.get("format") != "sgl-certificate/1": return ["format"]
    checker = Checker(data)
    run("", checker.grammar)
    if failures: return failures
    for n in range(len(data["structures"])):
        run("", checker.structure, n)
    shown_ = [s["text"] for s in data["structures"]]
    good = set()
    for split in data["splits"]:
        where = ", ".join("/".join(p) for p in split["strata"])
        run(f"{where}: ", checker.typed, split)
        for structure, *invariant in split["excludes"]:
            if run(f"{where} excludes {shown_[structure]}: ", checker.claim, split, [structure], invariant, False): 
                good.add((id(split), structure))
        for structures, *invariant in split["requires"]:
            if run(f"{where} requires {[shown_[s] for s in structures]}: ", checker.claim, split, structures, invariant, True): good.add((id(split), tuple(structures)))
        for structure, *derivation in split["contains"]:
            run(f"{where} contains {shown_[structure]}: ", checker.contains, split, structure, derivation)
    for a, b, structures in data["disjoint"]:
        a, b = data["splits"][a], data["splits"][b]
        ok = (id(a), tuple(structures)) in good and all((id(b), s) in good for s in structures)
        if not ok: failures.append("disjoint")
    return failures


def main(path: str) -> int:
    failures = check(json.loads(open(path).read()))
    for f in failures: sys.stdout.write(f + "\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
