"""Draws grammars and patterns of the model.

They have agreement, gaps, doubled edges, tables of words, restrictions, parameters and kept rules; with layers, words
that have no part in some, and rules that leave it open which node is the head.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from claims_grammar import Category, Child, Fragment, Grammar, Rule, Word
from claims_patterns import Condition, Pattern, StreamClaims
from claims_structures import COMPARE, NOTHING, Body, Labels, Link, Structure
from claims_trees import faults


class Maker:
    """Draws a grammar and its patterns."""

    def __init__(self, random: Random, *, layered: bool = False) -> None:
        """Begin; a ``layered`` grammar has two more graph layers, and structures about them."""
        self.random, self.layered = random, layered
        categories = [Category("S", number=False, gap=False)]
        for number, name in enumerate(("A", "B", "G")[: random.randint(2, 3)]):
            gap = name == "G" and bool(number)
            categories.append(Category(name, number=random.random() < 0.5, gap=gap))
        self.categories = tuple(categories)
        self.lemmas = [f"l{n}" for n in range(random.randint(2, 4))]
        words = tuple(self._words())
        rules = tuple(self._rules())
        if layered:
            words, rules = self._with_layers(words, rules)
        self.lemmas = sorted({word.lemma for word in words})
        self.used = sorted({label for rule in rules for _, label, _ in rule.edges})
        self.values = {"lemma": self.lemmas, "upos": ["N", "V"]}
        self.layer = "syn"
        #: Of each layer the labels, and the values of attributes.
        self.known: dict[str, tuple[list[str], dict[str, list[str]]]] = {"syn": (self.used, self.values)}
        for layer in ("sem", "dep") if layered else ():
            edges = [edge for rule in rules for edge in rule.further[layer].edges]
            own = [word for word in words if word.speaks_of(layer)]
            values = {"lemma": sorted({w.lemma for w in own}), "upos": sorted({w.upos for w in own})}
            self.known[layer] = sorted({label for _, label, _ in edges}), values if own else {"upos": ["N"]}
        relation = {}
        if random.random() < 0.4:
            chosen = random.sample(self.lemmas, random.randint(1, len(self.lemmas)))
            relation = {random.choice(self.lemmas): tuple(sorted(chosen))}
        self.grammar = self.completed(Grammar(self.categories, words, rules, relation, self.labels()))
        self.patterns = tuple(self._patterns())

    def completed(self, grammar: Grammar) -> Grammar:
        """Return the grammar as it will be, before there are patterns."""
        return grammar

    def speak_of(self, layer: str) -> None:
        """Let all that is drawn from now on be about a layer."""
        self.layer = layer
        self.used, self.values = self.known[layer]

    def new_names(self, held: Sequence[str], prefix: str, new: int) -> list[str]:  # noqa: ARG002 - they are others
        """Return the names of new variables, none of which is held."""
        return [f"{prefix}{n}" for n in range(new)]

    def _words(self) -> Iterator[Word]:
        random, forms = self.random, set[str]()
        for category in self.categories[1:]:
            table = random.random() < 0.4
            for number in ("sg", "pl") if category.number else ("",):
                for _ in range(0 if category.gap else random.randint(1, 2)):
                    form = f"{category.name.lower()}{number}{random.randrange(1000)}"
                    # A term names a word by its form, so no two words have one.
                    form += "x" * (form in forms)
                    forms.add(form)
                    lemma, upos = random.choice(self.lemmas), random.choice("NV")
                    yield Word(category, number, form, lemma, upos, table)

    def _rules(self) -> Iterator[Rule]:
        random, number = self.random, 0
        for category in self.categories:
            most = 2 if category.name == "S" else 1
            least = 0 if category.name in "AB" else 1
            for _ in range(random.randint(least, max(least, most))):
                number += 1
                yield self._rule(f"r{number}", category)

    def _rule(self, name: str, category: Category) -> Rule:
        """A rule; its basic edges are a tree below the first child."""
        random = self.random
        plain = [c for c in self.categories[1:] if not c.gap]
        gapped = [c for c in self.categories if c.gap]
        arity = random.randint(2, 3) if category.name == "S" else random.randint(1, 2)
        chosen = [random.choice(plain) for _ in range(arity)]
        if category.gap and random.random() < 0.3:
            chosen[0] = category
        elif not category.gap and gapped and arity > 1 and random.random() < 0.6:
            chosen[0] = gapped[0]
        number = random.choice(("n", "n", "sg", "")) if category.number else ""
        children = tuple(
            Child(f"x{at}", c, random.choice(("n", "n", "m", "pl", "")) if c.number else "")
            for at, c in enumerate(chosen)
        )
        mentioned = Counter([number, *(child.number for child in children)])
        # A variable that is mentioned once is none.
        once = {name for name in ("n", "m") if mentioned[name] == 1}
        number = "" if number in once else number
        children = tuple(replace(c, number="") if c.number in once else c for c in children)
        quoted = f"q{name}" if arity == 1 or random.random() < 0.3 else ""
        roles = [child.role for child in children]
        edges = [
            (random.choice(roles[:at]), random.choice(("a", "b", "c")), role) for at, role in enumerate(roles) if at
        ]
        if quoted:
            edges.append((random.choice(roles), random.choice(("a", "b", "c")), "quoted"))
        fills: tuple[tuple[str, str], ...] = ()
        hands_on = ""
        if chosen[0].gap and category.gap:
            hands_on = "x0"
        elif chosen[0].gap:
            fills = (("x0", random.choice(roles[1:])),)
            if random.random() < 0.5:
                # The rule that made the gap may have written the same edge.
                edges.append(("x0", random.choice(("~a", "~b")), fills[0][1]))
        elif category.gap:
            edges.append((random.choice(roles), random.choice(("~a", "~b")), "gap"))
        for _ in range(random.choice((0, 1, 1, 2))):
            ends = [*roles, *(["gap"] if hands_on else [])]
            source, target = random.choice(roles), random.choice(ends)
            if source != target:
                edges.append((source, random.choice(("~a", "~b")), target))
        return Rule(
            name, category, number, children, quoted, tuple(dict.fromkeys(edges)), fills, hands_on,
            backwards=random.random() < 0.5, keep=random.random() < 0.05,
        )  # fmt: skip

    def _with_layers(
        self, words: tuple[Word, ...], rules: tuple[Rule, ...]
    ) -> tuple[tuple[Word, ...], tuple[Rule, ...]]:
        """Say what words and rules are in two more layers; some words have no part in some."""
        random = self.random
        made = {rule.category for rule in rules}
        silent = {c for c in self.categories if c not in made and random.random() < 0.5}
        mute: dict[object, tuple[str, ...]] = {}
        for word in words:
            # Those of one table are alike.
            key = (word.category, word.number) if word.table else word
            mute.setdefault(key, tuple(layer for layer in ("sem", "dep") if random.random() < 0.25))
            mute[word] = mute[key]
        words = tuple(replace(word, silent=word.category in silent, mute=mute[word]) for word in words)
        rules = tuple(self._with_fragments(rule) for rule in rules)
        # A few grammars stay wrong.
        mended = random.random() < 0.95
        while mended and (wrong := faults(Grammar(self.categories, words, rules))):
            names = {name for _, name in wrong}
            rules = tuple(self._with_fragments(rule) if rule.name in names else rule for rule in rules)
            if random.random() < 0.2:
                words = tuple(replace(word, silent=False, mute=()) for word in words)
        return words, rules

    def _with_fragments(self, rule: Rule) -> Rule:
        return replace(rule, further={layer: self._fragment(rule) for layer in ("sem", "dep")})

    def _fragment(self, rule: Rule) -> Fragment:
        """What a rule says of a further layer: any edges, and perhaps which node is the head; or nothing at all."""
        random, roles = self.random, [child.role for child in rule.children]
        opens = rule.category.gap and not rule.hands_on
        if not opens and random.random() < 0.2:
            return Fragment("", (), rule.fills, said=False)
        ends = [*roles, *["quoted"] * bool(rule.quoted)]
        edges = [(random.choice(roles), random.choice("abc"), "gap")] if opens else []
        for _ in range(random.choice((0, 1, 2, 3, 3))):
            source, target = random.choice(ends), random.choice(ends)
            if source != target:
                edges.append((source, random.choice(("a", "b", "c", "d", "~a")), target))
                # In a circle no node is above the others.
                edges += [(target, "b", source)] if random.random() < 0.2 else []
        fills = tuple((child, random.choice([role for role in roles if role != child])) for child, _ in rule.fills)
        # An edge is written once, with `~` or without.
        once = {(source, label.removeprefix("~"), target): (source, label, target) for source, label, target in edges}
        return Fragment(random.choice(("", random.choice(roles))), tuple(once.values()), fills)

    def labels(self) -> Labels:
        """A test of labels."""
        random = self.random
        names = tuple(sorted({random.choice(self.used) for _ in range(random.randint(1, 2))}))
        return Labels(random.random() < 0.2, names)

    def body(self, held: Sequence[str], prefix: str, new: int) -> Body:
        """A connected body with ``new`` variables of its own besides those that are held."""
        random = self.random
        names = [*held, *self.new_names(held, prefix, new)]
        links = []
        for at in range(max(len(held), 1), len(names)):
            ends = [names[random.randrange(at)], names[at]]
            random.shuffle(ends)
            low, high = random.choice(((1, 1), (1, 1), (1, 1), (1, None), (1, 2)))
            links += [Link(ends[0], self.labels(), low, high, ends[1])] if self.used else []
        tests, degrees = self.tests(names[len(held) :])
        used = {name for link in links for name in (link.source, link.target)}
        return Body(tuple(n for n in names if n in used or n not in held), tests, degrees, tuple(links))

    def tests(
        self, names: Sequence[str]
    ) -> tuple[dict[str, tuple[str, bool, tuple[str, ...]]], dict[str, tuple[Labels, str, int]]]:
        """Return tests of attributes and of degrees for some of these variables."""
        random, tests, degrees = self.random, {}, {}
        for name in names:
            if random.random() < 0.4:
                attribute = random.choice([*self.values])
                tests[name] = (attribute, random.random() < 0.2, (random.choice(self.values[attribute]),))
            if random.random() < 0.25 and self.used:
                comparison = random.choice(("=", ">=", "<="))
                degrees[name] = (Labels(False, (random.choice(self.used),)), comparison, random.randint(1, 2))
        return tests, degrees

    def structure(self) -> Structure:
        """A structure of one to three nodes, of any layer, or of several."""
        random = self.random
        if not self.layered or random.random() < 0.2:
            return self._of_layer("syn")
        if random.random() < 0.4:
            return self._lacking(self._of_layer(random.choice(("sem", "dep"))))
        first, second = self._of_layer("syn"), self._of_layer("sem")
        if random.random() < 0.25:
            # Words of different languages have nothing in common.
            return replace(self._of_layer("dep", "U"), more=(first,))
        if random.random() < 0.7:
            return self._lacking(replace(first, more=(second,)))
        return self._lacking(replace(second, more=(first,)))

    def _lacking(self, structure: Structure) -> Structure:
        """The structure, sometimes without something that is said of its words in one of its layers."""
        random = self.random
        if random.random() < 0.6:
            return structure
        held = random.sample(sorted(structure.names), min(len(structure.names), random.choice((1, 1, 2))))
        parts = [*structure.parts]
        at = random.randrange(len(parts))
        own = self.loose(parts[at].layer, held, "Y", random.choice((0, 1, 1)))
        parts[at] = replace(parts[at], without=(*parts[at].without, own))
        return replace(parts[0], more=tuple(parts[1:]))

    def loose(self, layer: str, held: Sequence[str], prefix: str, new: int) -> Body:
        """A body whose nodes need not be connected, with what is said of the variables that are held."""
        random = self.random
        self.speak_of(layer)
        names = [*held, *self.new_names(held, prefix, new)]
        links = []
        for at in range(1, len(names)):
            ends = [names[random.randrange(at)], names[at]]
            random.shuffle(ends)
            if self.used and random.random() < 0.85:
                links.append(Link(ends[0], self.labels(), *random.choice(((1, 1), (1, 1), (1, None))), ends[1]))
        tests, degrees = self.tests([name for name in names if random.random() < 0.6])
        self.speak_of("syn")
        return Body(tuple(names), tests, degrees, tuple(links))

    def condition(self, items: Sequence[Structure]) -> Condition:
        """A condition on items, which may speak of words of their structures in any layer."""
        random = self.random
        names = sorted(frozenset.intersection(*(own.names for own in items)))
        japanese = {name for own in items for part in own.parts if part.layer == "dep" for name in part.body.variables}
        english = {name for own in items for part in own.parts if part.layer != "dep" for name in part.body.variables}
        layers = random.choice((("syn",), ("sem",), ("sem",), ("dep",), ("syn", "sem"), ("sem", "syn")))
        foreign = english if layers == ("dep",) else japanese
        known = [name for name in names if name not in foreign]
        parts = []
        for layer in layers:
            held = random.sample(known, min(len(known), random.choice((0, 1, 1, 2))))
            body = self.loose(layer, held, "C", random.choice((0, 1, 1, 2)) if held else 1)
            without = []
            if random.random() < 0.25:
                of = random.sample([*known, *body.variables], 1)
                without.append(self.loose(layer, of, "D", random.choice((0, 1))))
            parts.append(Structure(body, tuple(without), layer=layer))
        return Condition(replace(parts[0], more=tuple(parts[1:])), outside=random.random() < 0.4)

    def _of_layer(self, layer: str, prefix: str = "V") -> Structure:
        """A structure of one to three nodes, sometimes with something that it lacks."""
        self.speak_of(layer)
        found = replace(self._bodies(prefix), layer=layer)
        self.speak_of("syn")
        return found

    def _bodies(self, prefix: str) -> Structure:
        random = self.random
        body = self.body((), prefix, random.choice((1, 2, 2, 3)))
        if random.random() < 0.25:
            held = random.sample(body.variables, 1)
            return Structure(body, (self.body(held, "W" if prefix == "V" else "X", 1),))
        return Structure(body)

    def _patterns(self) -> Iterator[Pattern]:
        random = self.random
        for number in range(random.randint(1, 2)):
            some = self.some
            pattern = Pattern(
                f"p{number}",
                (self.structure(), *some(0.2)),
                gen=some(0.2),
                exclude=some(0.2),
                need=some(0.2),
                waive=some(0.1),
                expose=some(0.2),
            )
            if self.layered:
                sizes = random.choice(((0,), (0,), (1,), (1,), (2,), (1, 1)))
                pattern = replace(
                    pattern, sizes=tuple(tuple(self.condition(pattern.items) for _ in range(n)) for n in sizes)
                )
            yield pattern

    def some(self, chance: float) -> tuple[Structure, ...]:
        """Return a structure with this chance, or none."""
        return (self.structure(),) if self.random.random() < chance else ()

    def source(self) -> str:
        """The whole grammar file."""
        dataset = "\ndataset\n  from S\n  output ja\n  train 2\n  seed 1\n"
        patterns = "\n".join(pattern.source() for pattern in self.patterns)
        return f"{self.grammar.source()}\n{patterns}{dataset}"

    def confused(self) -> set[str]:
        """What the documentation forbids in structures: codes."""
        return set()

    def streams(self) -> dict[str, StreamClaims]:
        """What is asked of the sentences of each stream."""
        held_out = tuple(s for pattern in self.patterns for s in pattern.held_out)
        exposed = tuple(s for pattern in self.patterns for s in pattern.expose)
        streams = {"train/in_distribution": StreamClaims((), (), (*held_out, *exposed))}
        for pattern in self.patterns:
            own = set(pattern.held_out)
            others = tuple(s for s in held_out if s not in own)
            reserved = tuple(s for s in exposed if s not in pattern.expose)
            for index, structure in enumerate(pattern.expose):
                name = f"train/exposure:{pattern.name}/{index}"
                streams[name] = StreamClaims((structure,), (), (*held_out, *reserved))
            for index, conditions in enumerate(pattern.sizes):
                none = (*pattern.exclude, *others)
                streams[f"gen/{pattern.name}/{index}"] = StreamClaims(pattern.items, none, (), conditions)
        return streams


class MeasuringMaker(Maker):
    """Draws a grammar whose patterns also say how long sentences are, and how deep."""

    def structure(self) -> Structure:
        """A structure, with tests on lengths, or a depth in its place."""
        random = self.random
        lengths = tuple(
            (random.choice(("en", "ja")), random.choice((*COMPARE,)), random.randint(1, 7))
            for _ in range(random.choice((0, 1, 1, 2)))
        )
        kind = random.random()
        if kind < 0.3:
            sign = random.choice([*{*COMPARE} - {"!="}])
            return Structure(NOTHING, (), lengths, (self.labels(), sign, random.randint(1, 3)))
        if kind < 0.6 and lengths:
            return Structure(NOTHING, (), lengths)
        plain = super().structure()
        return Structure(plain.body, plain.without, lengths)
