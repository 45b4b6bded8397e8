"""Draws the grammars of ``attributes_model.py``: as much variety in attributes and edges as the pages allow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from random import Random

from attributes_model import FEATURES, VARIABLE, Attributes, Category, Child, Edge, Grammar, Quoted, Rule, Word

#: Attributes that a word of a tree can have beside its lemma and part of speech.
KNOWN = {
    "Case": ("Nom", "Acc"),
    "Tense": ("Past", "Pres"),
    "xpos": ("XA", "XB"),
    "Abbr": ("Yes",),
    "Polarity": ("Neg",),
}
EXTRAS = ("ea", "eb", "ec")


class Maker:
    """Draws a grammar."""

    def __init__(self, random: Random) -> None:
        """Begin."""
        self.random, self.forms, self.markers = random, 0, 0
        first = Category("S", ())
        plain = [Category(f"C{n}", self._features()) for n in range(random.randint(1, 3))]
        self.mute = Category("M", self._features(), mute=True)
        self.nodes = tuple(plain)
        self.categories = (first, *plain, self.mute)
        literals = {form: self._tree(form) for form in EXTRAS if random.random() < 0.5}
        left = [first, first, *(own for own in plain for _ in range(random.choice((0, 1, 1))))]
        rules = [self._rule(category) for category in left]
        words = [word for category in self.categories[1:] for word in self._words(category)]
        used = {x for rule in rules for x in rule.items}
        literals = {form: own for form, own in literals.items() if form in used}
        self.grammar = Grammar(self.categories, (*rules, self._rare()), tuple(words), literals)

    def _features(self) -> tuple[str, ...]:
        return tuple(name for name in FEATURES if self.random.random() < 0.6)

    def _tree(self, form: str) -> dict[str, str]:
        """Attributes of a word in the tree."""
        random = self.random
        own = {"lemma": random.choice(("la", "lb", form))} if random.random() < 0.6 else {}
        own["upos"] = random.choice(("NOUN", "VERB", "PART"))
        for name in random.sample([*KNOWN], random.randint(0, 3)):
            own[name] = random.choice(KNOWN[name])
        return own

    def _free(self, form: str) -> dict[str, str]:
        """Attributes of a word in the free layer, where they may have any names."""
        random = self.random
        own = {"lemma": random.choice(("la", form))} if random.random() < 0.4 else {}
        names = {"kind": ("big", "small"), "Tense": ("Past",), "upos": ("X",)}
        return own | {name: random.choice(names[name]) for name in random.sample([*names], random.randint(0, 2))}

    def _words(self, category: Category) -> Iterator[Word]:
        random = self.random
        for values in product(*(FEATURES[name] for name in category.features)):
            own = dict(zip(category.features, values, strict=True))
            table = random.random() < 0.4
            for _ in range(random.randint(1, 2)):
                self.forms += 1
                form = f"w{self.forms}"
                syn, sem = self._tree(form), self._free(form)
                if table:
                    syn = {"lemma": random.choice(("la", "lb")), "upos": "NOUN"} | self._some("Case", ("Nom", "Acc"))
                    syn |= {"Number": own["num"]} if "num" in own else {}
                    sem = self._some("kind", ("big", "small"))
                yield Word(category, own, form, random.choice(("", form.upper())), syn, sem, table)

    def _some(self, name: str, values: Sequence[str]) -> dict[str, str]:
        return {name: self.random.choice(values)} if self.random.random() < 0.5 else {}

    def _rare(self) -> Rule:
        """The rule that only the pattern's sentences have."""
        own = self.nodes[0]
        children = tuple(Child(f"x{n}", own, {}) for n in range(2))
        marker = {"k": Quoted("k", {}, {})}
        syn = (Edge("x0", "a", "x1"), Edge("x0", "case", "k"))
        sem = (Edge("x0", "rare", "x1"),)
        return Rule(self.categories[0], {}, children, marker, ("k", "x0", "x1"), ("x0", "x1"), syn, sem, "x0")

    def _rule(self, category: Category) -> Rule:
        random, at = self.random, self.categories.index(category)
        self.markers += 1
        marker = f"k{self.markers}"
        # A phrase is seldom in one of its own kind, so that sampling ends.
        later = self.nodes[at - (random.random() < 0.15) :] if at else self.nodes
        chosen = [random.choice(later or (self.mute,)) for _ in range(random.randint(1, 2))]
        chosen = [random.choice(self.nodes[-1:]), *chosen[1:]] if chosen[0].mute else chosen
        chosen += [self.mute] * (random.random() < 0.3)
        values, children = self._agreement(category, chosen)
        extras = random.sample(EXTRAS, random.choice((0, 0, 1, 2)))
        quoted = {form: self._quoted(form) for form in (marker, *extras)}
        rest = [*(child.role for child in children), *extras]
        random.shuffle(rest)
        bound = [v for f, v in VARIABLE.items() if any(child.values.get(f) == v for child in children)]
        able = [child.role for child in children if not child.category.mute]
        sem = self._edges([*able, *quoted], able, bound)
        head = random.choice([x for x in able if any(x in (e.source, e.target) for e in sem)]) if sem else ""
        ja = [*(child.role for child in children), *random.sample(extras, random.randint(0, len(extras)))]
        random.shuffle(ja)
        items = (marker, *rest)
        syn = self._syn(able, items, children, bound)
        return Rule(category, values, children, quoted, items, tuple(ja), syn, sem, head)

    def _quoted(self, form: str) -> Quoted:
        return Quoted(form, self._tree(form) if self.random.random() < 0.6 else {}, self._free(form))

    def _agreement(self, category: Category, chosen: Sequence[Category]) -> tuple[Attributes, tuple[Child, ...]]:
        """Values of the left-hand side and of the children; a variable has two mentions at least."""
        random = self.random
        kinds = {name: (VARIABLE[name], VARIABLE[name], FEATURES[name][0], "") for name in FEATURES}
        below = [{name: random.choice(kinds[name]) for name in own.features} for own in chosen]
        left = {name: random.choice((VARIABLE[name], *FEATURES[name])) for name in category.features}
        for name, values in FEATURES.items():
            variable = VARIABLE[name]
            mentions = Counter(own.get(name) for own in below)[variable]
            if left.get(name) == variable and not mentions:
                left[name] = random.choice(values)
            if mentions == 1 and left.get(name) != variable:
                below = [{**own, name: ""} if own.get(name) == variable else own for own in below]
        children = tuple(Child(f"x{n}", own, below[n]) for n, own in enumerate(chosen))
        return left, children

    def _label(self, plain: Sequence[str], bound: Sequence[str]) -> str:
        random = self.random
        if bound and random.random() < 0.35:
            return random.choice(("${}", "nmod:${}")).format(random.choice(bound))
        return random.choice(plain)

    def _syn(
        self, able: Sequence[str], items: Sequence[str], children: Sequence[Child], bound: Sequence[str]
    ) -> tuple[Edge, ...]:
        """A tree over all words of a rule, below one that has a node in both layers, with further edges."""
        random = self.random
        head, roles = random.choice(able), {child.role for child in children}
        others = [item for item in items if item != head]
        random.shuffle(others)
        edges, reached = list[Edge](), [head]
        for item in others:
            source = random.choice(reached)
            reached.append(item)
            edges += self._perhaps(source, item, ("a", "b", "c:d"), bound, roles, both=True)
        pairs = {(edge.source, edge.target) for edge in edges}
        for _ in range(random.choice((0, 1, 2))):
            source, target = random.choice(items), random.choice(items)
            if source != target and (source, target) not in pairs:
                pairs.add((source, target))
                edges += self._perhaps(source, target, ("~e", "~f"), bound, roles, both=False)
        return tuple(edges)

    def _edges(self, ends: Sequence[str], able: Sequence[str], bound: Sequence[str]) -> tuple[Edge, ...]:
        """Edges of the free layer, each with a role at one end."""
        random, edges = self.random, list[Edge]()
        pairs: set[tuple[str, str]] = set()
        for _ in range(random.choice((0, 1, 2, 3))):
            pair = (random.choice(able), random.choice(ends))
            pair = pair if random.random() < 0.5 else (pair[1], pair[0])
            if pair[0] != pair[1] and pair not in pairs and pair[::-1] not in pairs:
                pairs.add(pair)
                edges += self._perhaps(*pair, ("agent", "x", "y"), bound, set(able), both=random.random() < 0.5)
        # The head has an edge for all values.
        return tuple(edges) if any(not edge.where[0] for edge in edges) else ()

    def _perhaps(
        self, source: str, target: str, labels: Sequence[str], bound: Sequence[str], roles: set[str], *, both: bool
    ) -> Iterator[Edge]:
        """An edge; or, of roles, one that depends on a condition, with ``both`` one for each value."""
        random, mark = self.random, "~" * labels[0].startswith("~")
        label = self._label(labels, bound)
        label = label if label.startswith(mark) else mark + label
        if not bound or not {source, target} <= roles or random.random() < 0.6:
            yield Edge(source, label, target)
            return
        variable = random.choice(bound)
        (values,) = (FEATURES[name] for name, own in VARIABLE.items() if own == variable)
        for value in values if both else values[:1]:
            yield Edge(source, random.choice(labels), target, (variable, value))
