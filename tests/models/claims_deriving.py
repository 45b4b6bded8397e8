"""Draws grammars whose patterns speak of derivations, alone and joined with graphs; some have texts alone.

A name in a structure may be that of a rule, of a lexicon, of a category or of a word in quotes; or one of its own,
with a test on what it is.  Children have roles, or stand in rules under their categories.  Patterns have all their
clauses, sizes have conditions, parts of training have structures for themselves; lengths count rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

from claims_grammar import Category, Fragment, Grammar, Rule
from claims_maker import Maker
from claims_matches import contains
from claims_patterns import Condition, Pattern, Portion, StreamClaims
from claims_structures import COMPARE, NOTHING, Body, Labels, Structure
from claims_trees import Tree, faults, trees

DERIVATION = "derivation"

#: How many short sentences a structure is tried on, and how often another one is drawn.
SAMPLES, TRIES = 30, 12

#: What a condition speaks of, in a grammar of texts, of one graph layer, and of three.
CONDITIONS: dict[int, tuple[tuple[str, ...], ...]] = {
    0: ((DERIVATION,),),
    1: ((DERIVATION,), (DERIVATION,), ("syn",), ("syn", DERIVATION)),
    3: ((DERIVATION,), ("syn",), ("dep",), ("sem", DERIVATION), (DERIVATION, "dep"), ("syn", "sem", DERIVATION)),
}


class DerivingMaker(Maker):
    """Draws a grammar, with graph layers or without, and patterns about its derivations."""

    parts: tuple[Portion, ...] = ()
    samples: Sequence[Tree] = ()

    def completed(self, grammar: Grammar) -> Grammar:
        """Return the grammar with some children that have no roles, and perhaps without its graphs."""
        random = self.random
        grammar = replace(grammar, derived=True, rules=tuple(map(self._without_roles, grammar.rules)))
        if not self.layered and random.random() < 0.4:
            grammar = _of_texts(grammar)
        reached = _reached(grammar)
        rules = [rule for rule in grammar.rules if rule.category in reached]
        words = [word for word in grammar.words if word.category in reached]
        values = {
            "rule": sorted({*(rule.name for rule in rules), *(word.lexicon for word in words)}),
            "category": sorted({*(x.category.name for x in rules), *(x.category.name for x in words)}),
            "lemma": sorted({word.form if grammar.texts else word.lemma for word in words}),
        }
        if any(category.number for category in reached):
            values["num"] = ["pl", "sg"]
        self.known[DERIVATION] = sorted({child.role for rule in rules for child in rule.children}), values
        if grammar.texts and grammar.relation:
            grammar = replace(grammar, relation=self._relation(values["lemma"]))
            self.speak_of(DERIVATION)
            grammar = replace(grammar, along=self.labels())
        self.speak_of("syn")
        self.samples = [] if faults(grammar) else trees(grammar, 5, 400)[0][:SAMPLES]
        self.grammar = grammar
        return grammar

    def _relation(self, lemmas: Sequence[str]) -> dict[str, tuple[str, ...]]:
        random = self.random
        chosen = random.sample(lemmas, random.randint(1, len(lemmas)))
        return {random.choice(lemmas): tuple(sorted(chosen))}

    def _without_roles(self, rule: Rule) -> Rule:
        """The rule, some of whose children are called by their categories."""
        random, often = self.random, Counter(child.category for child in rule.children)
        new = {c.role: c.category.name for c in rule.children if often[c.category] == 1 and random.random() < 0.5}
        return renamed(rule, new)

    # ---- structures

    def labels(self) -> Labels:
        """A test of labels; in derivations sometimes of any."""
        if self.layer == DERIVATION and self.random.random() < 0.35:
            return Labels(True, ())
        return super().labels()

    def new_names(self, held: Sequence[str], prefix: str, new: int) -> list[str]:
        """Return the names of new variables: in derivations also of rules, categories and words in quotes."""
        if self.layer != DERIVATION:
            return super().new_names(held, prefix, new)
        found = [*held]
        for number, name in enumerate(self._names(prefix, new)):
            found.append(name if name not in found else f"{prefix}{number}")
        return found[len(held) :]

    def _names(self, prefix: str, new: int) -> Iterator[str]:
        random = self.random
        for number in range(new):
            kind = random.choice(("own", "own", "own", "rule", "rule", "category", "lemma", "small"))
            if kind == "own":
                yield f"{prefix}{number}"
            elif kind == "small":
                yield f"{prefix.lower()}own{number}"
            elif kind == "category":
                # A category that the grammar lacks is the name of any node.
                yield random.choice("SABG")
            else:
                yield f'"{one}"' if (one := random.choice(self.values[kind])) and kind == "lemma" else one

    def loose(self, layer: str, held: Sequence[str], prefix: str, new: int) -> Body:
        """A body whose nodes need not be connected; names that mean nothing have tests that say what they are."""
        body = super().loose(layer, held, prefix, new)
        self.speak_of(layer)
        tests, _ = self.tests([name for name in body.variables if "own" in name and name not in held])
        self.speak_of("syn")
        return replace(body, tests={**body.tests, **tests})

    def tests(
        self, names: Sequence[str]
    ) -> tuple[dict[str, tuple[str, bool, tuple[str, ...]]], dict[str, tuple[Labels, str, int]]]:
        """Return tests for some of the variables, and for all that mean nothing without."""
        random = self.random
        tests, degrees = super().tests([name for name in names if not name.startswith('"')])
        for name in (name for name in names if "own" in name):
            attribute = random.choice(("rule", "category"))
            some = tuple(sorted({random.choice(self.values[attribute]) for _ in range(random.randint(1, 2))}))
            tests[name] = (attribute, random.random() < 0.2, some)
        return tests, degrees

    def structure(self) -> Structure:
        """A structure on derivations, on graphs, or on both; most are in some short sentences, not in all."""
        return self.telling(self._anything)

    def telling(self, draw: Callable[[], Structure]) -> Structure:
        """Draw until a structure tells short sentences apart, but not for ever."""
        found = draw()
        for _ in range(TRIES):
            if len({contains(tree, found) for tree in self.samples}) > 1:
                break
            found = draw()
        return found

    def _anything(self) -> Structure:
        chance = self.random.random()
        if self.grammar.texts or chance < 0.45:
            return self.alone()
        if chance < 0.8:
            return self.joined()
        return super().structure()

    def alone(self) -> Structure:
        """A structure on derivations; where they are all there is, nobody needs to name them."""
        return replace(self.derivation("V"), named=self.random.random() < 0.5 or not self.grammar.texts)

    def joined(self) -> Structure:
        """A structure on derivations and on graphs; often a phrase of the one is that of a word of the others."""
        graphs = self._deep("syn", ()) if self.random.random() < 0.1 else super().structure()
        derivation = self.derivation(self.random.choice("VVR"))
        names = sorted(graphs.names)
        if names and derivation.names and self.random.random() < 0.2:
            body = self.loose(DERIVATION, [self.random.choice(names)], "Y", self.random.choice((0, 1)))
            derivation = replace(derivation, without=(*derivation.without, body))
        if self.random.random() < 0.5:
            return replace(derivation, more=graphs.parts)
        return replace(graphs, more=(*graphs.more, derivation))

    def derivation(self, prefix: str) -> Structure:
        """What is said of derivations: nodes, sometimes measures, and sometimes something that is lacking."""
        random = self.random
        lengths = [(random.choice(("rules", "rules", "en")), random.choice((*COMPARE,)), random.randint(2, 12))]
        lengths = lengths if random.random() < 0.2 else []
        if random.random() < 0.1:
            return self._deep(DERIVATION, lengths)
        if lengths and random.random() < 0.4:
            return Structure(NOTHING, (), tuple(lengths), layer=DERIVATION)
        own = replace(self._of_layer(DERIVATION, prefix), lengths=tuple(lengths))
        if own.names and random.random() < 0.3:
            held = random.sample(sorted(own.names), min(len(own.names), random.choice((1, 1, 2))))
            body = self.loose(DERIVATION, held, "Y", random.choice((0, 1, 1)))
            own = replace(own, without=(*own.without, body))
        return own

    def _deep(self, layer: str, lengths: Sequence[tuple[str, str, int]]) -> Structure:
        """How deep a graph is."""
        self.speak_of(layer)
        depth = self.labels(), self.random.choice([sign for sign in COMPARE if sign != "!="]), self.random.randint(1, 4)
        self.speak_of("syn")
        return Structure(NOTHING, (), tuple(lengths), depth, layer=layer)

    def condition(self, items: Sequence[Structure]) -> Condition:
        """A condition on items, which may speak of nodes of their structures."""
        layers = self.random.choice(CONDITIONS[len(self.grammar.graphs)])
        parts = [self._said_in(layer, items) for layer in layers]
        own = replace(parts[0], more=tuple(parts[1:]), named=not self.grammar.texts or self.random.random() < 0.5)
        return Condition(own, outside=self.random.random() < 0.4)

    def _said_in(self, layer: str, items: Sequence[Structure]) -> Structure:
        random = self.random
        near = ([part.body.variables for part in own.parts if kin(part.layer, layer)] for own in items)
        known = sorted(frozenset.intersection(*(frozenset(chain.from_iterable(names)) for names in near)))
        known = [name for name in known if name[0].isupper() or layer == DERIVATION]
        held = random.sample(known, min(len(known), random.choice((0, 1, 1, 2))))
        body = self.loose(layer, held, "C" if layer != DERIVATION else "E", random.choice((0, 1, 1, 2)) if held else 1)
        without = []
        if random.random() < 0.25:
            of = random.sample([*known, *body.variables], 1)
            without.append(self.loose(layer, of, "D" if layer != DERIVATION else "F", random.choice((0, 1))))
        return Structure(body, tuple(without), layer=layer)

    # ---- patterns

    def _patterns(self) -> Iterator[Pattern]:
        random = self.random
        modest = random.random() < 0.5
        for drawn in super()._patterns():
            # The first pattern speaks of derivations, so every dataset has them.
            both = random.random() < 0.4 and not self.grammar.texts
            first = self.telling(self.joined if both else self.alone)
            if modest:
                yield Pattern(drawn.name, (first,), need=self.some(0.2), contexts=2 * (random.random() < 0.3))
                return
            pattern = replace(drawn, forbid=(first, *drawn.forbid[1:]), never=self.some(0.1))
            sizes = random.choice(((0,), (0,), (1,), (1,), (2,), (1, 1)))
            conditions = tuple(tuple(self.condition(pattern.items) for _ in range(n)) for n in sizes)
            yield replace(pattern, sizes=conditions)
        self.parts = tuple(
            Portion(f"part{n}", random.choice(("only", "apart")), self.structure())
            for n in range(random.choice((0, 0, 0, 1)))
        )

    def source(self) -> str:
        """The whole grammar file."""
        text = super().source()
        if any(pattern.contexts for pattern in self.patterns):
            text = text.replace("\n  seed 1\n", "\n  seed 1\n  distinct sentences\n")
        return "\n".join([*(part.source() for part in self.parts), text])

    def streams(self) -> dict[str, StreamClaims]:
        """What is asked of the sentences of each stream: what is asserted is not cut, and parts have their own."""
        parts = tuple(part.structure for part in self.parts)
        only = tuple(part.structure for part in self.parts if part.word == "only")
        asserted = {s for pattern in self.patterns for s in pattern.never}
        cut = tuple(s for pattern in self.patterns for s in pattern.forbid)
        reserved = tuple(s for pattern in self.patterns for s in pattern.expose)
        found = {}
        for name, own in super().streams().items():
            kept = replace(own, cut=tuple(s for s in own.cut if s not in asserted))
            found[name] = replace(kept, none=(*own.none, *(only if name.startswith("gen/") else parts)))
        for part in self.parts:
            rest = tuple(other.structure for other in self.parts if other != part)
            found[f"train/part:{part.name}/0"] = StreamClaims((part.structure,), rest, (*cut, *reserved))
        return found

    def confused(self) -> set[str]:
        """What the documentation forbids: a name that is a word of two languages."""
        groups: list[tuple[Structure, ...]] = [(part.structure,) for part in self.parts]
        for own in self.patterns:
            told = (*own.held_out, *own.gen, *own.exclude, *own.need, *own.waive, *own.expose)
            groups += [(structure,) for structure in told]
            conditions = [x.structure for size in own.sizes for x in size]
            groups += [(item, condition) for item in own.items for condition in conditions]
        return {"SGL0832"} if any(map(_mixed, groups)) else set()


def _mixed(structures: Iterable[Structure]) -> bool:
    parts = [part for structure in structures for part in structure.parts if part.layer != DERIVATION]
    main = {(name, part.layer == "dep") for part in parts for name in part.body.variables}
    lacking = {(name, part.layer == "dep") for part in parts for x in part.without for name in x.variables}
    return any((name, not japanese) in main for name, japanese in main | lacking)


def _reached(grammar: Grammar) -> set[Category]:
    """The categories that a sentence may have."""
    found, size = {grammar.categories[0]}, 0
    while size < (size := len(found)):
        found |= {child.category for rule in grammar.rules if rule.category in found for child in rule.children}
    return found


def kin(one: str, other: str) -> bool:
    """Whether a variable of one layer may be one of the other: both are on one text, or one is a phrase."""
    return DERIVATION in (one, other) or {one, other} <= {"syn", "sem"} or one == other


def renamed(rule: Rule, new: dict[str, str]) -> Rule:
    """A rule with other roles for some of its children."""

    def of(fragment: Fragment) -> Fragment:
        edges = tuple((new.get(s, s), label, new.get(t, t)) for s, label, t in fragment.edges)
        fills = tuple((new.get(child, child), new.get(filler, filler)) for child, filler in fragment.fills)
        return replace(fragment, head=new.get(fragment.head, fragment.head), edges=edges, fills=fills)

    first = of(Fragment("", rule.edges, rule.fills))
    return replace(
        rule,
        children=tuple(replace(child, role=new.get(child.role, child.role)) for child in rule.children),
        edges=first.edges,
        fills=first.fills,
        hands_on=new.get(rule.hands_on, rule.hands_on),
        further={layer: of(fragment) for layer, fragment in rule.further.items()},
    )


def _of_texts(grammar: Grammar) -> Grammar:
    """The grammar without graphs."""

    def plain(category: Category) -> Category:
        return replace(category, gap=False)

    rules = tuple(
        replace(
            rule,
            category=plain(rule.category),
            children=tuple(replace(child, category=plain(child.category)) for child in rule.children),
            edges=(),
            fills=(),
            hands_on="",
        )
        for rule in grammar.rules
    )
    words = tuple(replace(word, category=plain(word.category)) for word in grammar.words)
    return replace(grammar, categories=tuple(map(plain, grammar.categories)), words=words, rules=rules, texts=True)
