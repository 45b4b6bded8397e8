"""Are the kinds of mistakes right on predictions with known ones, alone and two at a time?

Takes a dataset, makes predictions of its items with one or two mistakes, and lets ``sglc eval`` say what is wrong::

    python benchmarks/models.py planted out/sget --items 20

Mistakes of texts are planted in derivations of the grammar (words, roles, attachments, phrases, levels) or in the words
that these write; mistakes of logical forms in their conjuncts (``planted_forms``).  The exit status is 1 if less than
95 % of single mistakes have their kind and no other, or less than 80 % of pairs have both.
"""

from __future__ import annotations

import csv
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, permutations
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeVar

import planted_forms
from common import Json, command_line, print_table, write_json
from sgl.core.grammar import EXTRACTED, CoreGrammar, Rule, Token
from sgl.core.interpret import derive_graph, finish
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.parsing import BatchParser, Parser
from sgl.research.evaluate.benchmark import Benchmark, BenchmarkRow, grammar_of, read_benchmark

#: The shares that are right at least.
ALONE, BOTH = 0.95, 0.8

#: Relations that can be nested.
NESTED = ("nmod", "amod", "acl", "advcl", "conj")

T = TypeVar("T")


class Wrong(NamedTuple):
    """A prediction for the item at a place, and the kinds of its mistakes."""

    place: int
    kinds: tuple[str, ...]
    text: str


class Node:
    """A rule with what it is applied to; ``touched`` if a mistake is planted in it."""

    def __init__(self, rule: Rule, children: Sequence[Node], *, touched: bool = False) -> None:
        self.rule, self.children, self.touched = rule, list(children), touched

    def copy(self, old: Node | None = None, new: Node | None = None) -> Node:
        """Return the same tree, with a part in the place of another one."""
        if new is not None and self is old:
            return new
        return Node(self.rule, [child.copy(old, new) for child in self.children], touched=self.touched)

    def nodes(self) -> Iterator[Node]:
        yield self
        for child in self.children:
            yield from child.nodes()

    def whole(self) -> bool:
        return not any(node.touched for node in self.nodes())


class Word(NamedTuple):
    """A word of a text, with the node that wrote it."""

    text: str
    node: Node


class Planter:
    """Plants mistakes in items of a grammar; a method returns false or nothing where its mistake has no place."""

    #: The mistakes of derivations, then those of words, in the order in which two of them are planted.
    KINDS = (
        *("role", "attachment", "phrase", "recursion", "word", "form"),
        *("particle", "missing", "repetition", "truncation"),
    )

    def __init__(self, grammar: CoreGrammar, graph: int, text: int, random: Random) -> None:
        self._grammar, self._graph, self._layer, self._random = grammar, graph, text, random
        anchor = grammar.anchors[graph]
        self._own = [any(isinstance(item, Token) for item in rule.templates[anchor]) for rule in grammar.rules]
        # Particles are what rules without words of their own write.
        loose = {word for rule in grammar.rules if not self._own[rule.id] for word in rule.words(text)}
        self._particles = sorted(word for word in loose if word.isalpha())
        self._lemmas: dict[tuple[str, str], list[Rule]] = defaultdict(list)
        self._with: dict[tuple[int, tuple[int, ...]], list[Rule]] = defaultdict(list)
        for rule in grammar.rules:
            if rule.lexical:
                self._lemmas[self._lemma(rule)].append(rule)
            self._with[rule.lhs, rule.rhs].append(rule)

    def tree(self, derivation: Sequence[int]) -> Node:
        """Return the tree of a derivation."""
        stack: list[Node] = []
        for number in reversed(derivation):
            rule = self._grammar.rules[number]
            stack.append(Node(rule, [stack.pop() for _ in rule.rhs]))
        return stack[0]

    def words(self, tree: Node) -> list[Word]:
        """Return the words of a tree whose rules write no phrase in parts and apply no functions."""
        found: list[Word] = []
        for item in tree.rule.templates[self._layer]:
            found += [Word(item.text, tree)] if isinstance(item, Token) else self.words(tree.children[item.child])
        return found

    def text(self, words: Sequence[Word]) -> str:
        """Return the text of words."""
        return finish(self._grammar.text_layers[self._layer], tuple(word.text for word in words))

    def planted(self, tree: Node, kinds: Sequence[str]) -> str | None:
        """Return the text with mistakes of these kinds; None if there is no place for one."""
        tree = tree.copy()
        if not all(getattr(self, kind)(tree) for kind in kinds if kind in self.KINDS[:6]):
            return None
        words: list[Word] | None = self.words(tree)
        for kind in kinds:
            if words is not None and kind in self.KINDS[6:]:
                words = getattr(self, kind)(words)
        return None if words is None else self.text(words)

    # --- mistakes of derivations --------------------------------------------------------------------------

    def word(self, tree: Node) -> bool:
        """Write another word of the same category."""
        taken = {self._written(node.rule) for node in tree.nodes()}
        for node in self._contents(tree):
            own = self._lemma(node.rule)[1]
            others = [rule for rule in self._grammar.rules_of[node.rule.lhs] if self._lemma(rule)[1] == own]
            others = [rule for rule in others if rule.lexical and self._written(rule) not in {"", *taken}]
            if others:
                node.rule, node.touched = self._random.choice(others), True
                return True
        return False

    def form(self, tree: Node) -> bool:
        """Write another form of a verb, with the same particle."""
        for node in self._contents(tree):
            own = node.rule.words(self._layer)
            forms = [rule for rule in self._lemmas[self._lemma(node.rule)] if self._lemma(rule)[1] == "VERB"]
            forms = [rule for rule in forms if rule.words(self._layer)[:-1] == own[:-1] != rule.words(self._layer)]
            forms = [rule for rule in forms if rule.words(self._layer) != own]
            if forms:
                node.rule, node.touched = self._random.choice(forms), True
                return True
        return False

    def role(self, tree: Node) -> bool:
        """Exchange two words without modifiers that have different roles of one word."""
        graph = derive_graph(self._grammar, tuple(node.rule.id for node in tree.nodes()), self._graph)
        lemmas = [dict(node.attributes or ()).get("lemma") for node in graph.nodes]
        edges = [edge for edge in graph.edges if not edge[1].startswith(EXTRACTED)]
        governor = {target: (source, label) for source, label, target in edges}
        modified = {source for source, label, _ in edges if label not in ("case", "det", "clf")}
        for one, two in permutations(self._contents(tree), 2):
            names = [self._lemma(node.rule)[0] for node in (one, two)]
            if one.rule.lhs == two.rule.lhs and [lemmas.count(name) for name in names] == [1, 1]:
                places = [lemmas.index(name) for name in names]
                first, second = (governor.get(place, (-1, "")) for place in places)
                if first[0] == second[0] >= 0 and first[1] != second[1] and modified.isdisjoint(places):
                    one.rule, two.rule, one.touched, two.touched = two.rule, one.rule, True, True
                    return True
        return False

    def attachment(self, tree: Node) -> bool:
        """Move a modifier to another place that can have one."""
        for one, two in self._shuffled(permutations([node for node in tree.nodes() if node.children], 2)):
            if {*map(id, one.nodes())} & {*map(id, two.nodes())}:
                continue
            for place, child in enumerate(one.children):
                rhs = (*two.rule.rhs[:place], child.rule.lhs, *two.rule.rhs[place:])
                more = [rule for rule in self._with[two.rule.lhs, rhs] if rule.name == one.rule.name]
                less = self._less(one, place, two.rule.name)
                if less and more and child.whole():
                    two.children.insert(place, one.children.pop(place))
                    one.rule, two.rule = less, more[0]
                    _touch(one, two)
                    return True
        return False

    def phrase(self, tree: Node) -> bool:
        """Leave out the only modifier of its kind."""
        before = self._labels(tree)
        for node in self._shuffled(node for node in tree.nodes() if node.children):
            for place, child in enumerate(node.children):
                if (less := self._less(node, place)) and child.whole():
                    rest = Node(less, [*node.children[:place], *node.children[place + 1 :]])
                    own = before - self._labels(rest if node is tree else tree.copy(node, rest))
                    lost = {label: own[label] for label in own if label in NESTED}
                    if all(number == before[label] == 1 for label, number in lost.items()):
                        node.rule, node.children = rest.rule, rest.children
                        _touch(node)
                        return True
        return False

    def recursion(self, tree: Node) -> bool:
        """Skip a level: put what a rule is applied to in the place of what it is applied to further above."""
        names = Counter(node.rule.name for node in tree.nodes())
        # Another level is left.
        for above in self._shuffled(node for node in tree.nodes() if node.children and names[node.rule.name] > 2):
            for place, child in enumerate(above.children):
                for below in child.nodes():
                    inner = below.children[place] if below.rule.name == above.rule.name and below.children else None
                    if inner is not None and inner.rule.lhs == child.rule.lhs:
                        kept = {*map(id, inner.nodes())}
                        if not any(node.touched for node in child.nodes() if id(node) not in kept):
                            above.children[place] = inner
                            _touch(above)
                            return True
        return False

    # --- mistakes of words --------------------------------------------------------------------------------

    def particle(self, words: list[Word]) -> list[Word] | None:
        """Write another particle."""
        at = self._place(words, lambda word: word.text in self._particles)
        if at is None:
            return None
        near = [words[place].text for place in (at - 1, at, at + 1) if 0 <= place < len(words)]
        new = self._random.choice([word for word in self._particles if word not in near])
        return [*words[:at], self._touched(words[at], new), *words[at + 1 :]]

    def missing(self, words: list[Word]) -> list[Word] | None:
        """Leave out a noun, but nothing that belongs to it."""
        kinds = ("NOUN", "PROPN")
        at = self._place(
            words[:-2], lambda word: self._lemma(word.node.rule)[1] in kinds and word.text not in self._particles
        )
        return None if at is None else [*words[:at], self._touched(words[at + 1]), *words[at + 2 :]]

    def repetition(self, words: list[Word]) -> list[Word] | None:
        """Write a word twice."""
        at = self._place(words, lambda word: word.text.isalpha())
        return None if at is None else [*words[:at], *2 * [self._touched(words[at])], *words[at + 1 :]]

    def truncation(self, words: list[Word]) -> list[Word] | None:
        """Stop before the end, but behind all other mistakes."""
        last = max((at for at, word in enumerate(words) if word.node.touched), default=0)
        first = max(len(words) * 2 // 5, last + 2)
        return None if first > len(words) - 3 else words[: self._random.randint(first, len(words) - 3)]

    # --- what is known of rules ---------------------------------------------------------------------------

    def _shuffled(self, some: Iterable[T]) -> list[T]:
        found = list(some)
        self._random.shuffle(found)
        return found

    def _contents(self, tree: Node) -> list[Node]:
        """Return the words that have a lemma and no mistake yet, in any order."""
        own = (node for node in tree.nodes() if node.rule.lexical and not node.touched)
        return self._shuffled(node for node in own if self._written(node.rule) and self._lemma(node.rule)[0])

    def _labels(self, tree: Node) -> Counter[str]:
        graph = derive_graph(self._grammar, tuple(node.rule.id for node in tree.nodes()), self._graph)
        return Counter(label.partition(":")[0] for _, label, _ in graph.edges if not label.startswith(EXTRACTED))

    def _place(self, words: Sequence[Word], fits: Callable[[Word], bool]) -> int | None:
        places = [at for at, word in enumerate(words) if fits(word) and not word.node.touched]
        return self._random.choice(places) if places else None

    def _touched(self, word: Word, text: str | None = None) -> Word:
        return Word(text or word.text, Node(word.node.rule, (), touched=True))

    def _less(self, node: Node, place: int, name: str | None = None) -> Rule | None:
        """Return the rule without a child, of this name."""
        rhs = node.rule.rhs
        found = self._with[node.rule.lhs, rhs[:place] + rhs[place + 1 :]] if rhs[1:] else []
        own = (rule for rule in found if self._own[rule.id] == self._own[node.rule.id])
        return next((rule for rule in own if name in (None, rule.name)), None)

    def _written(self, rule: Rule) -> str:
        return "".join(rule.words(self._layer))

    def _lemma(self, rule: Rule) -> tuple[str, str]:
        nodes = rule.fragments[self._graph].nodes
        attributes = dict(nodes[0].attributes or ()) if nodes else {}
        return attributes.get("lemma", ""), attributes.get("upos", "")


def _touch(*trees: Node) -> None:
    for tree in trees:
        for node in tree.nodes():
            node.touched = True


def main() -> int:
    """Run the comparison; the result is the exit status."""
    parser = command_line(__doc__, results=True)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--target", help="a logical form of the dataset")
    parser.add_argument("--items", type=int, default=20, help="of each mistake and pair")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--wrong", type=int, default=0, help="so many wrong verdicts of each are shown")
    options = parser.parse_args()
    result = run(options.dataset, options.target, options.items, options.seed, options.wrong)
    report(result)
    write_json(options.json, result)
    return 0 if result["alone"] >= ALONE and result["pairs"] >= BOTH else 1


def run(dataset: Path, target: str | None, items: int, seed: int, wrong: int = 0) -> Json:
    """Return the counts of planted and found kinds."""
    benchmark = read_benchmark(dataset, None, target)
    random = Random(seed)  # noqa: S311
    plant, kinds = maker(benchmark, random)
    cases: list[Wrong] = []
    alone = [*((kind,) for kind in kinds), ("source",), ("other item",)]
    for planted in (*alone, *combinations(kinds, 2)):
        met = 0
        for place in random.sample(range(len(benchmark.rows)), min(60 * items, len(benchmark.rows))):
            row = benchmark.rows[place]
            text = another(planted[0], row, benchmark, random) or plant(place, planted)
            if text not in (None, row.target) and met < items:
                cases.append(Wrong(place, planted, text or ""))
                met += 1
    return summary(benchmark, cases, verdicts(dataset, benchmark, cases), wrong)


def another(kind: str, row: BenchmarkRow, benchmark: Benchmark, random: Random) -> str | None:
    """Return an output that is the source of the item, or the answer to another one."""
    other = benchmark.rows[random.choice(_others(benchmark))].target
    return {"source": row.source, "other item": other}.get(kind)


def _others(benchmark: Benchmark) -> range:
    return range(0, len(benchmark.rows), max(len(benchmark.rows) // 100, 1))


def maker(benchmark: Benchmark, random: Random) -> tuple[Callable[[int, Sequence[str]], str | None], Sequence[str]]:
    """Return what plants mistakes in the item at a place, and their kinds."""
    if benchmark.view:
        forms = planted_forms.FormPlanter([row.target for row in benchmark.rows], random)
        return lambda place, kinds: forms.planted(benchmark.rows[place].target, kinds), forms.KINDS
    compiled = grammar_of(benchmark, None, {}, SourceMap(), Diagnostics())
    assert compiled is not None
    core, plan = compiled.grammar, compiled.plan
    parser = BatchParser(Parser(core, core.text_layer(plan.source)))
    text = core.text_layer(plan.target)
    planter = Planter(core, core.graph_layer(plan.lemma_layer), text, random)
    known: dict[int, Node | None] = {}

    def plant(place: int, kinds: Sequence[str]) -> str | None:
        if place not in known:
            row = benchmark.rows[place]
            (derivation,) = parser.read([row.source]).derivations
            tree = planter.tree(derivation) if derivation else None
            known[place] = tree if tree and planter.text(planter.words(tree)) == row.target else None
        tree = known[place]
        return None if tree is None else planter.planted(tree, kinds)

    return plant, planter.KINDS


def verdicts(dataset: Path, benchmark: Benchmark, cases: Sequence[Wrong]) -> list[Json]:
    """Return the line of ``sglc eval --mistakes`` for each prediction."""
    with tempfile.TemporaryDirectory() as folder:
        rows, said, out = (Path(folder, name) for name in ("rows.tsv", "planted.txt", "items.csv"))
        # The answers to other items are known, too.
        others = [Wrong(place, (), benchmark.rows[place].target) for place in _others(benchmark)]
        every = [*cases, *others]
        items = (benchmark.rows[case.place] for case in every)
        rows.write_text("".join(f"{row.source}\t{row.target}\t{row.category}\n" for row in items), "utf-8")
        said.write_text("".join(f"{case.text}\n" for case in every), "utf-8")
        command = [sys.executable, "-m", "sgl", "eval", str(rows), str(said), "--samples", "100", "-q"]
        command += ["--mistakes", str(out), *(() if benchmark.view else ("--grammar", str(dataset)))]
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
        with out.open(encoding="utf-8", newline="") as table:
            items = [*csv.DictReader(table)][: len(cases)]
        return [item | {"kinds": [kind for kind in item["kinds"].split("; ") if kind]} for item in items]


def summary(benchmark: Benchmark, cases: Sequence[Wrong], said: Sequence[Json], wrong: int) -> Json:
    table: dict[str, Counter[str]] = defaultdict(Counter)
    both: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    shown = Counter[tuple[str, ...]]()
    for case, item in zip(cases, said, strict=True):
        kinds = item["kinds"]
        if len(case.kinds) == 1:
            table[case.kinds[0]]["; ".join(kinds)] += 1
            good = kinds == list(case.kinds)
        else:
            good = {*case.kinds} <= {*kinds}
            count = both[" + ".join(case.kinds)]
            count[0] += 1
            count[1] += good
            count[2] += {*case.kinds} == {*kinds}
        if not good and shown[case.kinds] < wrong:
            shown[case.kinds] += 1
            print(case.kinds, kinds, benchmark.rows[case.place].target, case.text, item["evidence"], sep="\n   ")
    single = sum(counts.total() for counts in table.values())
    pairs = [sum(count[n] for count in both.values()) for n in range(3)]
    return {
        "name": benchmark.name,
        "single": single,
        "alone": sum(counts[kind] for kind, counts in table.items()) / single,
        "table": {kind: dict(counts.most_common()) for kind, counts in table.items()},
        "paired": pairs[0],
        "pairs": pairs[1] / max(pairs[0], 1),
        "exactly": pairs[2] / max(pairs[0], 1),
        "both": dict(both),
    }


def report(result: Json) -> None:
    """Print the tables."""
    for kind, counts in result["table"].items():
        print(f"{kind:12}", ", ".join(f"{found or 'nothing'} {number}" for found, number in counts.items()))
    print_table(("pair", "number", "both named", "and nothing else"), [[k, *v] for k, v in result["both"].items()])
    alone, both, exactly = (f"{result[key]:.1%}" for key in ("alone", "pairs", "exactly"))
    print(
        f"{result['name']}: {alone} of {result['single']} alone; {both} of {result['paired']} both, {exactly} no more"
    )
