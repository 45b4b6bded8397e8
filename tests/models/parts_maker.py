"""Random grammars whose phrases have up to three parts, as SGL and as values: nothing here knows the compiler.

Rules put the parts of their children in any order and into any part of the whole; drop, repeat and capitalize them;
and leave to the compiler what it passes up by itself.  Parts of the target for agreement are also left out and
repeated without a word about it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from random import Random

from claims_structures import Body, Labels, Link, Structure
from claims_trees import Edges, Tree

#: Words of the longest sentence, and derivations that are listed at most.
LONGEST, MOST = 7, 1_500
LAYERS = ("de", "nl")
#: The parts of a phrase beside its main part, which has no name.
PARTS = ("x", "y")


@dataclass(frozen=True)
class Category:
    """A category with the names of its parts in each layer, the main part first."""

    name: str
    parts: tuple[tuple[str, ...], tuple[str, ...]]
    lexical: bool = False
    agreement: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Item:
    """A quoted word, or a part of a child; ``mode`` is a keyword before it."""

    word: str = ""
    child: int = -1
    part: str = ""
    mode: str = ""

    def __str__(self) -> str:
        name = f'"{self.word}"' if self.word else f"r{self.child}{self.part and '.'}{self.part}"
        return f"{self.mode} {name}".strip()


@dataclass(frozen=True)
class Rule:
    """A rule with the parts of the whole in each layer; of ``dropped`` children none is used."""

    name: str
    lhs: Category
    children: tuple[Category, ...]
    layers: tuple[dict[str, list[Item]], dict[str, list[Item]]]
    head: int
    labels: tuple[str, ...]
    dropped: tuple[Item, ...] = ()


@dataclass(frozen=True)
class Word:
    """A word of a category: one token in the source, some in each part in the target."""

    lhs: Category
    text: str
    target: dict[str, list[str]]


#: A token with the number of its node, which only those of the source have.
Token = tuple[str, int]


@dataclass(frozen=True)
class Phrase:
    """A derivation with its values: tokens by layer and part, and its graph."""

    term: str
    size: int
    layers: tuple[dict[str, tuple[Token, ...]], dict[str, tuple[Token, ...]]]
    nodes: dict[int, tuple[str, str]] = field(default_factory=dict)
    edges: frozenset[tuple[int, str, int]] = frozenset()
    head: int = -1

    def text(self, layer: int) -> str:
        """The text of a sentence."""
        return " ".join(word for word, _ in self.layers[layer][""])

    def tree(self) -> Tree:
        """What a structure is looked for in."""
        words = self.layers[0][""]
        named = frozenset[str](), words, (), self.nodes, self.edges, self.head, -1
        return Tree(self.term, *named)


# --- random grammars --------------------------------------------------------------------------


class Maker:
    """Draws a grammar."""

    def __init__(self, random: Random) -> None:
        self.random = random
        names = "ABCD"[: random.randint(2, 4)]
        self.start = Category("Text", (("",), ("",)))
        self.categories = [
            Category(name, (self._parts(), self._parts()), n == len(names) - 1, self._agreement())
            for n, name in enumerate(names)
        ]
        self.words = [w for category in self.categories for w in self._words(category)]
        self.rules = list(self._rules())
        used = sorted({label for rule in self.rules for label in rule.labels})
        link = Link("V", Labels(False, (random.choice(used),)), 1, 1, "W")
        more = Link("W", Labels(random.random() < 0.5, (random.choice(used),)), 1, 1, "X")
        links = (link, more) if random.random() < 0.5 else (link,)
        names_of = ("V", "W", "X")[: len(links) + 1]
        self.structure = Structure(Body(names_of, {}, {}, links))

    def _parts(self) -> tuple[str, ...]:
        return ("", *PARTS[: self.random.choice((0, 1, 1, 2))])

    def _agreement(self) -> frozenset[str]:
        return frozenset(part for part in PARTS if self.random.random() < 0.3)

    def _words(self, category: Category) -> Iterator[Word]:
        for number in range(self.random.randint(1, 2)):
            target = {part: self._some(0, 1) for part in category.parts[1]}
            target[""] = self._some(1, 2)
            yield Word(category, f"{category.name.lower()}{number}", target)

    def _some(self, low: int, high: int) -> list[str]:
        return [self.random.choice("klmn") for _ in range(self.random.randint(low, high))]

    def _rules(self) -> Iterator[Rule]:
        random, numbers = self.random, count()
        for place, lhs in enumerate([self.start, *self.categories[:-1]]):
            for _ in range(random.randint(1, 3)):
                # A rule with one child and no word leads to a later category: no circles.
                size, quoted = random.randint(1, 3), random.randint(0, 1)
                later = self.categories[place:] if size == 1 and not quoted else self.categories
                children = tuple(random.choice(later) for _ in range(size))
                yield self._rule(f"rule{next(numbers)}", lhs, children, quoted)

    def _rule(self, name: str, lhs: Category, children: tuple[Category, ...], quoted: int) -> Rule:
        random = self.random
        layers: list[dict[str, list[Item]]] = []
        dropped: list[Item] = []
        for layer in range(len(LAYERS)):
            items = [Item(word=f"q{n}") for n in range(quoted)]
            for number, child in enumerate(children):
                parts = [Item(child=number, part=part) for part in child.parts[layer]]
                if layer and child.lexical and random.random() < 0.15:
                    gone = [Item(child=number, mode="drop")]
                    gone = gone if random.random() < 0.5 else [parts.pop()]
                    dropped += [Item(child=number, part=gone[0].part, mode="drop")]
                    parts = parts if gone[0].part else []
                    # No text has more source words than words.
                    parts += [Item(word="o")]
                if layer and child.agreement:
                    # Of a word perhaps said by nobody; of phrases, of which there are many, the parser takes one then.
                    least = 0 if child.lexical else 1
                    times = [random.randint(least, 2) if p.part in child.agreement else 1 for p in parts]
                    parts = [p for p, number in zip(parts, times, strict=True) for _ in range(number)]
                items += parts
                if layer and parts and random.random() < 0.15:
                    again = random.choice(parts)
                    items += [Item(child=number, part=again.part, mode="copy")] * (again.child >= 0)
            random.shuffle(items)
            own: dict[str, list[Item]] = {part: [] for part in lhs.parts[layer]}
            for item in items:
                own[random.choice(lhs.parts[layer])].append(item)
            seen: set[tuple[int, str]] = set()
            layers.append({part: self._raised(items, seen, children) for part, items in own.items()})
        labels = tuple(random.choice("abc") for _ in range(len(children) + quoted - 1))
        both = layers[0], layers[1]
        return Rule(name, lhs, children, both, random.randrange(len(children)), labels, tuple(dropped))

    def _raised(self, items: list[Item], seen: set[tuple[int, str]], children: tuple[Category, ...]) -> list[Item]:
        """Return the items with a capital here and there; the first mention is no copy."""
        found = []
        for item in items:
            piece, mode = (item.child, item.part), item.mode
            if item.child >= 0 and piece not in seen:
                mode = "capital" if self.random.random() < 0.15 else ""
            elif item.child >= 0:
                mode = "copy" * (item.part not in children[item.child].agreement)
            seen.add(piece)
            found.append(Item(item.word, item.child, item.part, mode))
        return found

    # --- as SGL

    def source(self) -> str:
        """The grammar."""
        lines = ["module parts", *(f"layer {layer} : text" for layer in LAYERS)]
        lines += ["layer syn : graph on de", "", "category Text"]
        for category in self.categories:
            parts = [
                f"{name}.{part}{' (agreement)' if layer and part in category.agreement else ''}"
                for layer, name in enumerate(LAYERS)
                for part in category.parts[layer][1:]
            ]
            lines.append(f"category {category.name}{' with ' if parts else ''}{', '.join(parts)}")
        for rule in self.rules:
            lines += ["", *self._rule_source(rule)]
        for word in self.words:
            lines += ["", f'word {word.lhs.name}: "{word.text}" ~ 9']
            for part, tokens in word.target.items():
                if tokens or not part or self.random.random() < 0.5:
                    lines.append(f'  {self._layer(1, part)} "{" ".join(tokens)}"')
            lines.append("  syn node(upos=X)")
        lines += ["", "pattern p", f"  forbid {self.structure}", "  size 1", ""]
        return "\n".join([*lines, "dataset", "  from Text", "  train 1", "  seed 1", ""])

    @staticmethod
    def _layer(layer: int, part: str) -> str:
        return LAYERS[layer] + (f".{part}" if part else "")

    def _rule_source(self, rule: Rule) -> Iterator[str]:
        random = self.random
        first = rule.layers[0]
        children = [Item(child=n) for n in range(len(rule.children))]
        right = first[""]
        if len(first) > 1:
            # The children and words in any order, as they are in the parts of the whole.
            right = [*children, *(i for own in first.values() for i in own if i.word)]
            random.shuffle(right)
        shown = [
            f"{i.mode} r{i.child}:{rule.children[i.child].name}".strip() if i.child >= 0 and not i.part else str(i)
            for i in right
        ]
        if len(first) == 1 and any(i.part and i.mode == "capital" for i in right):
            # Where a part has a capital there is a clause, which then has a condition or parts.
            first[""] = right = [Item(i.word, i.child, i.part, i.mode * (not i.part)) for i in right]
            shown = [s.removeprefix("capital ") if "." in s else s for s in shown]
        yield f"rule {rule.name}: {rule.lhs.name} -> {' '.join(shown)}"
        for layer, parts in enumerate(rule.layers):
            used = {(i.child, i.part) for own in parts.values() for i in own}
            for part, items in parts.items():
                if not layer and len(parts) == 1:
                    continue
                by_itself = len(items) == 1 and items[0].part == part and not items[0].mode
                # A part for agreement could be passed up, too, whether it is used or not.
                having = {n for n, c in enumerate(rule.children) if layer and part in c.agreement & {*c.parts[layer]}}
                alone = len({n for n, name in used if name == part} | having) == 1
                if part and by_itself and alone and random.random() < 0.7:
                    continue
                gone = map(str, rule.dropped) if layer and not part else ()
                told = " ".join([*map(str, items), *gone]) or '""'
                yield f"  {self._layer(layer, part)} {told}"
        head = f"r{rule.head}"
        others = [f"r{n}" for n in range(len(rule.children)) if n != rule.head]
        others += [f'"{i.word}"(upos=X)' for own in first.values() for i in own if i.word]
        ends = zip(rule.labels, others, strict=False)
        statements = [f"{head} -[{label}]-> {other}" for label, other in ends]
        if len(rule.children) > 1 or statements:
            yield f"  syn {'; '.join(statements)}" if statements else f"  syn head = {head}"

    # --- as values

    def sentences(self) -> tuple[list[Phrase], int]:
        """The sentences of up to ``LONGEST`` words, or fewer if they would be too many."""
        found: dict[tuple[str, int], list[Phrase]] = defaultdict(list)
        for length in range(1, LONGEST + 1):
            for word in self.words if length == 1 else ():
                found[word.lhs.name, 1].append(self._word(word))
            order = [*reversed(self.categories), self.start]
            for category in order:
                for rule in (rule for rule in self.rules if rule.lhs is category):
                    quoted = sum(bool(i.word) for own in rule.layers[0].values() for i in own)
                    for below in self._below(rule.children, length - quoted, found):
                        found[category.name, length].append(self._phrase(rule, below))
                        if sum(map(len, found.values())) > MOST:
                            return [p for n in range(length) for p in found["Text", n]], length - 1
        return [p for n in range(LONGEST + 1) for p in found["Text", n]], LONGEST

    def _below(
        self, children: Sequence[Category], total: int, found: dict[tuple[str, int], list[Phrase]]
    ) -> Iterator[tuple[Phrase, ...]]:
        if not children:
            yield from [()] * (not total)
            return
        for size in range(1, total + 1):
            for one in found.get((children[0].name, size), [])[:]:
                for rest in self._below(children[1:], total - size, found):
                    yield one, *rest

    def _word(self, word: Word) -> Phrase:
        source = {part: ((word.text, 0),) * (not part) for part in word.lhs.parts[0]}
        target = {part: tuple((t, -1) for t in tokens) for part, tokens in word.target.items()}
        term = f"({word.lhs.name} {word.text})"
        return Phrase(term, 1, (source, target), {0: (word.text, "X")}, frozenset(), 0)

    def _phrase(self, rule: Rule, below: tuple[Phrase, ...]) -> Phrase:
        # The nodes of the children get new numbers, one after the other.
        nodes: dict[int, tuple[str, str]] = {}
        edges: set[tuple[int, str, int]] = set()
        shift: list[dict[int, int]] = []
        for phrase in below:
            shift.append({node: len(nodes) + n for n, node in enumerate(phrase.nodes)})
            nodes |= {shift[-1][node]: value for node, value in phrase.nodes.items()}
            edges |= {(shift[-1][s], label, shift[-1][t]) for s, label, t in phrase.edges}
        head = shift[rule.head][below[rule.head].head]
        others = [shift[n][p.head] for n, p in enumerate(below) if n != rule.head]
        own: dict[str, int] = {}
        for item in (i for items in rule.layers[0].values() for i in items if i.word):
            own[item.word] = len(nodes)
            others.append(len(nodes))
            nodes[len(nodes)] = (item.word, "X")
        edges |= {(head, label, other) for label, other in zip(rule.labels, others, strict=False)}
        layers: list[dict[str, tuple[Token, ...]]] = []
        for layer, parts in enumerate(rule.layers):
            made: dict[str, tuple[Token, ...]] = {}
            for part, items in parts.items():
                tokens: list[Token] = []
                for item in items:
                    if item.word:
                        tokens.append((item.word, -1 if layer else own[item.word]))
                        continue
                    given = below[item.child].layers[layer][item.part]
                    inner = [(w, -1 if layer else shift[item.child][n]) for w, n in given]
                    if item.mode == "capital" and inner:
                        inner[0] = (inner[0][0][:1].upper() + inner[0][0][1:], inner[0][1])
                    tokens += inner
                made[part] = tuple(tokens)
            layers.append(made)
        order = sorted(range(len(below)), key=lambda n: _first(rule.layers[0], n))
        term = " ".join([rule.lhs.name, rule.name, *(below[n].term for n in order)])
        size = sum(p.size for p in below) + len(own)
        return Phrase(f"({term})", size, (layers[0], layers[1]), nodes, frozenset(edges), head)


def _first(parts: dict[str, list[Item]], child: int) -> int:
    """Return where the first part of a child stands in the source."""
    flat = [item.child for own in parts.values() for item in own]
    return flat.index(child)


def value_of(phrase: Phrase) -> tuple[str, str, str, tuple[tuple[str, str], ...], Edges]:
    tokens = phrase.layers[0][""]
    place = {node: at for at, (_, node) in enumerate(tokens)}
    nodes = tuple(phrase.nodes[node] for _, node in tokens)
    edges = frozenset((place[s], label, place[t]) for s, label, t in phrase.edges)
    return phrase.term, phrase.text(0), phrase.text(1), nodes, edges
