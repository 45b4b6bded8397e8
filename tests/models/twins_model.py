"""Grammars with a twin, as docs/texts.md has them in "Minimal pairs", and what follows from that page.

A grammar writes itself as SGL; its sentences are listed by plain code, with their twins and the number of
differences.  How many differences a sentence of any length can have is the smallest solution of what rules and
words say of them::

    Maker(random).grammar.source()      the text of a grammar, with a dataset of pairs
    listing(grammar)                    its sentences up to a length
    numbers(grammar)["S", ""]           how many differences sentences have; it must be exactly one
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from random import Random

#: Words of the longest sentence, and the most phrases of a category and length that are listed.
LONGEST, MOST = 7, 1_500
#: More differences than one are counted as so many.
SEVERAL = 2
VALUES = ("yes", "no")


# ---- grammars


@dataclass(frozen=True)
class Category:
    """A category; one that is ``paired`` has a feature that says whether the difference is in its phrases."""

    name: str
    paired: bool

    def with_value(self, value: str) -> str:
        """The category as it is written in a rule."""
        return f"{self.name}[pair={value}]" if self.paired and value else self.name


@dataclass(frozen=True)
class Child:
    """A child of a rule: its value is one of the feature, the variable ``p``, or open (empty)."""

    role: str
    category: Category
    value: str


@dataclass(frozen=True)
class Word:
    """A word, and its twin if it has a clause for it."""

    category: Category
    value: str
    form: str
    twin: str | None

    @property
    def spelt(self) -> str:
        """The word of the twin."""
        return self.form if self.twin is None else self.twin


@dataclass(frozen=True)
class Rule:
    """A rule; its items are roles, and words in quotes.

    ``twin`` are the items of its own clause, which holds where ``p`` has the value ``only``, if there is one.
    """

    name: str
    category: Category
    value: str
    children: tuple[Child, ...]
    items: tuple[str, ...]
    twin: tuple[str, ...] | None = None
    only: str = ""

    def spelt(self, p: str) -> tuple[str, ...]:
        """The items of the twin, for a value of the variable."""
        return self.items if self.twin is None or (self.only and self.only != p) else self.twin

    def source(self) -> str:
        """The declaration."""
        of = {child.role: f"{child.role}:{child.category.with_value(child.value)}" for child in self.children}
        right = " ".join(of.get(item, item) for item in self.items)
        lines = [f"rule {self.name}: {self.category.with_value(self.value)} -> {right}"]
        if self.twin is not None:
            dropped = "".join(f" drop {role}" for role in of if role not in self.twin)
            twin = [f"copy {x}" if x in of and x in self.twin[:n] else x for n, x in enumerate(self.twin)]
            lines.append(f"  bad {' '.join(twin)}{dropped}" + (f" if p = {self.only}" if self.only else ""))
        if self.only:
            lines.append(f"  bad {' '.join(self.items)}")
        head, *others = [*of, *(f"{item}(upos=P)" for item in self.items if item not in of)]
        if others:
            lines.append("  syn " + "; ".join(f"{head} -[dep]-> {other}" for other in others))
        return "\n".join(lines)


@dataclass(frozen=True)
class Grammar:
    """A grammar of sentences of its first category."""

    categories: tuple[Category, ...]
    rules: tuple[Rule, ...]
    words: tuple[Word, ...]
    capital: bool
    ambiguous: str

    def source(self) -> str:
        """The grammar file."""
        lines = [f'layer en  : text (attach "."{", capital first" * self.capital})', "layer bad : text (contrast en)"]
        lines += ["layer syn : graph on en", "", "feature pair = yes | no", ""]
        lines += [f"category {own.name}{'[pair]' * own.paired}" for own in self.categories]
        lines += [f"\n{rule.source()}" for rule in self.rules]
        for word in self.words:
            lines.append(f'\nword {word.category.with_value(word.value)}: "{word.form}"  ~ 4')
            lines += [f'  bad "{word.twin}"'] if word.twin is not None else []
            lines.append("  syn node(upos=N)")
        dataset = "dataset\n  from S\n  output bad\n  train 3\n  test 3\n  seed 1\n"
        return "\n".join([*lines, "", f"{dataset}  ambiguous {self.ambiguous}", ""])


class Maker:
    """Draws a grammar: each phrase with the feature has one difference and others have none, or nearly so."""

    def __init__(self, random: Random) -> None:
        """Begin."""
        self.random = random
        first = Category("S", paired=False)
        self.categories = (first, *(Category(f"C{n}", random.random() < 0.8) for n in range(random.randint(1, 3))))
        rules = [self._rule(f"r{n}", category) for n, category in enumerate(self._left())]
        words = [word for category in self.categories[1:] for word in self._words(category)]
        if random.random() < 0.3:
            at = random.randrange(len(rules))
            rules[at] = self._spoilt(rules[at])
        ambiguous = random.choice(("reject", "ignore"))
        self.grammar = Grammar(self.categories, tuple(rules), tuple(words), random.random() < 0.5, ambiguous)

    def _left(self) -> Iterator[Category]:
        for category in self.categories:
            least = 1 if category.name == "S" else 0
            yield from [category] * self.random.randint(least, 2)

    def _rule(self, name: str, category: Category) -> Rule:
        random, at = self.random, self.categories.index(category)
        # A phrase is seldom in one of its own kind, so that sampling ends.
        later = self.categories[max(1, at + (random.random() < 0.85)) :] or self.categories[-1:]
        chosen = [random.choice(later) for _ in range(random.randint(1, 3 if at == 0 else 2))]
        value = random.choice((*VALUES, "p", "p")) if category.paired else ""
        wanted = value or ("yes" if category.name == "S" else "no")
        children = [Child(f"x{n}", own, "no" if own.paired else "") for n, own in enumerate(chosen)]
        places = [n for n, child in enumerate(children) if child.category.paired]
        roles = [child.role for child in children]
        # A phrase that is one of its own kind and no word would be built without end.
        quoted = chosen == [category] or random.random() < 0.33
        items = [*roles, *[f'"q{name}"'] * quoted]
        random.shuffle(items)
        items += ['"."'] if category.name == "S" and random.random() < 0.7 else []
        rule = Rule(name, category, value, tuple(children), tuple(items))
        if wanted == "no":
            return replace(rule, twin=rule.items) if random.random() < 0.1 else rule
        if places and (random.random() < 0.6 or wanted == "p"):
            place = random.choice(places)
            children[place] = replace(children[place], value=wanted)
            return replace(rule, children=tuple(children))
        if wanted == "p":
            return replace(rule, value="no")
        return replace(rule, twin=self._other(rule))

    def _other(self, rule: Rule) -> tuple[str, ...]:
        """Items that say something else: in another order, with a word more or less, or with a child twice."""
        random, items = self.random, list(rule.items)
        kind = random.choice(("order", "word", "less", "copy"))
        if kind == "order" and len(items) > 1:
            random.shuffle(items)
        elif kind == "less" and len(items) > 1:
            items.pop(random.randrange(len(items)))
        elif kind == "copy":
            items.insert(random.randrange(len(items) + 1), random.choice([child.role for child in rule.children]))
        else:
            items.insert(random.randrange(len(items) + 1), f'"z{rule.name}"')
        return tuple(items)

    def _words(self, category: Category) -> Iterator[Word]:
        random = self.random
        for value in VALUES if category.paired else ("",):
            for form in random.sample(["wa", "wb", "wc", "wd"], random.randint(1, 3)):
                twin = random.choice(["", "v", "wa v", "we"]) if value == "yes" else random.choice([None, None, form])
                # An open value is that of both.
                spoilt = random.random() < 0.02
                yield Word(category, value, form, None if spoilt else twin)

    def _spoilt(self, rule: Rule) -> Rule:
        """A rule that may have another number of differences."""
        random, children = self.random, list(rule.children)
        kind = random.choice(("child", "child", "twin", "where"))
        if kind == "where" and rule.value == "p":
            return replace(rule, twin=self._other(rule), only=random.choice(VALUES))
        if kind == "twin":
            return replace(rule, twin=self._other(rule) if rule.twin is None else None)
        paired = [n for n, child in enumerate(children) if child.category.paired and child.value != "p"]
        if paired:
            place = random.choice(paired)
            children[place] = replace(children[place], value=random.choice((*VALUES, "")))
        return replace(rule, children=tuple(children))


# ---- the definition


@dataclass(frozen=True)
class Phrase:
    """The words of a phrase and of its twin, and the number of differences."""

    good: tuple[str, ...]
    bad: tuple[str, ...]
    differences: int


#: A category with its value.
Instance = tuple[str, str]


def instances(grammar: Grammar) -> Iterator[tuple[Instance, Rule | Word, str, tuple[Instance, ...]]]:
    """Each rule and word with the values that it can have: what it makes, the value of ``p``, and its children."""
    for word in grammar.words:
        for value in (word.value,) if word.value or not word.category.paired else VALUES:
            yield (word.category.name, value), word, "", ()
    for rule in grammar.rules:
        used = "p" in (rule.value, *(child.value for child in rule.children))
        for p in VALUES if used else ("",):
            fixed = {"p": p}
            choices = [
                [(own.name, fixed.get(value, value))] if value or not own.paired else [(own.name, v) for v in VALUES]
                for own, value in (
                    (rule.category, rule.value),
                    *((child.category, child.value) for child in rule.children),
                )
            ]
            for whole, *below in product(*choices):
                yield whole, rule, p, tuple(below)


def numbers(grammar: Grammar) -> dict[Instance, set[int]]:
    """How many differences phrases of each kind can have, at most ``SEVERAL``."""
    found: dict[Instance, set[int]] = defaultdict(set)
    size = -1
    while size < (size := sum(map(len, found.values()))):
        for whole, own, p, below in instances(grammar):
            mine = differs(own, p)
            roles = [child.role for child in own.children] if isinstance(own, Rule) else []
            written = [roles.index(item) for item in own.spelt(p) if item in roles] if isinstance(own, Rule) else []
            for counts in product(*(sorted(found[child]) for child in below)):
                found[whole].add(min(SEVERAL, mine + sum(counts[n] for n in written)))
    return found


def differs(own: Rule | Word, p: str) -> int:
    """Whether a rule or word has a clause of the twin that says something else."""
    if isinstance(own, Word):
        return own.spelt != own.form
    return own.spelt(p) != own.items


def listing(grammar: Grammar) -> tuple[list[Phrase], int]:
    """The sentences, and the length up to which these are all."""
    known: dict[tuple[Instance, int], list[Phrase]] = {}
    made = list(instances(grammar))
    found: list[Phrase] = []
    for length in range(1, LONGEST + 1):
        # A rule with one child and no word makes phrases of the same length: in rounds, until there are no more.
        before: dict[tuple[Instance, int], list[Phrase]] = {}
        while True:
            now: dict[tuple[Instance, int], list[Phrase]] = defaultdict(list)
            for whole, own, p, below in made:
                # One more than are wanted says that there are too many.
                now[whole, length] += islice(_phrases(own, p, below, length, known | before), MOST + 1)
            if any(len(own) > MOST for own in now.values()):
                return found, length - 1
            if now == before:
                break
            before = now
        known |= before
        found += known.get((("S", ""), length), [])
    return found, LONGEST


def _phrases(
    own: Rule | Word, p: str, below: Sequence[Instance], length: int, known: Mapping[tuple[Instance, int], list[Phrase]]
) -> Iterator[Phrase]:
    if isinstance(own, Word):
        if length == 1:
            yield Phrase((own.form,), tuple(own.spelt.split()), differs(own, p))
        return
    rest = length - (len(own.items) - len(below))
    for sizes in product(range(1, rest + 1), repeat=len(below)):
        if sum(sizes) == rest:
            for parts in product(*(known.get((child, size), []) for child, size in zip(below, sizes, strict=True))):
                yield _joined(own, p, parts)


def _joined(rule: Rule, p: str, parts: Sequence[Phrase]) -> Phrase:
    of = {child.role: part for child, part in zip(rule.children, parts, strict=True)}
    good = [word for item in rule.items for word in (of[item].good if item in of else [item.strip('"')])]
    bad = [word for item in rule.spelt(p) for word in (of[item].bad if item in of else [item.strip('"')])]
    count = differs(rule, p) + sum(of[item].differences for item in rule.spelt(p) if item in of)
    return Phrase(tuple(good), tuple(bad), count)


def text(grammar: Grammar, words: Sequence[str]) -> str:
    """The text of words: a full stop is attached, and perhaps the first letter is a capital."""
    joined = " ".join(words).replace(" .", ".")
    return joined[:1].upper() + joined[1:] if grammar.capital else joined
