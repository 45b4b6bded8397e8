"""Give the candidates of a grammar with names their names, and check that names can be exchanged.

A rule numbers the bearers of its names: those of its phrase from 0, then new ones.  Going down a derivation, a child
has the bearers that the rule above it passes on.  Each bearer, in the order of first mention, gets one of the names of
its group that are left: draw number *n* of the candidate in the stream ``STREAM/names`` is for the *n*-th bearer.
"""

from collections.abc import Callable, Iterator
from itertools import chain, count

from sgl.verify.schema import CertificateData
from sgl.verify.schema_grammar import RULES, CertifiedGrammar, Flaw, GrammarRule, Template

NAMES = "names"  # the end of the stream of names


class Bearers:
    """The bearers of the names of derivations; ``entries`` has the group, category and number of each name."""

    def __init__(self, grammar: CertifiedGrammar) -> None:
        self.groups = grammar.names
        self.ties = [rule.names or ((),) * (1 + len(rule.rhs)) for rule in grammar.rules]
        self.sizes = [1 + max([-1, *chain.from_iterable(own)]) for own in self.ties]
        self.entries = {
            rule: (group, category, number)
            for group, categories in enumerate(grammar.names)
            for category, rules in enumerate(categories)
            for number, rule in enumerate(rules)
        }

    def mentions(self, derivation: tuple[int, ...]) -> Iterator[tuple[int, int]]:
        """Yield the place of each name and its bearer."""
        fresh, waiting = count(), [list[int]()]
        for place, rule in enumerate(derivation):
            bearers = waiting.pop()
            bearers += [next(fresh) for _ in range(len(bearers), self.sizes[rule])]
            waiting += [[bearers[number] for number in child] for child in self.ties[rule][:0:-1]]
            if rule in self.entries:
                yield place, bearers[0]

    def are_named(self, derivation: tuple[int, ...]) -> bool:
        """Return whether each bearer has one name, and each name one bearer."""
        names = {(bearer, self.entries[derivation[place]][::2]) for place, bearer in self.mentions(derivation)}
        return len({bearer for bearer, _ in names}) == len(names) == len({name for _, name in names})

    def named(self, derivation: tuple[int, ...], draw: Callable[[int], int]) -> tuple[int, ...]:
        """Return a derivation with the names that ``draw`` chooses, or () if they do not suffice."""
        left = [[*range(len(categories[0]))] for categories in self.groups]
        names, found = dict[int, int](), [*derivation]
        for place, bearer in self.mentions(derivation):
            group, category, _ = self.entries[derivation[place]]
            if bearer not in names:
                if not left[group]:
                    return ()
                names[bearer] = left[group].pop(draw(len(names)) * len(left[group]) >> 64)
            if names[bearer] >= len(self.groups[group][category]):
                return ()  # of another group
            found[place] = self.groups[group][category][names[bearer]]
        return tuple(found)


def check_names(data: CertificateData) -> None:
    """Check that names fit the rules, and that nothing tells the names of one category apart."""
    grammar, widths, met = data.core.grammar, dict[int, int](), list[int]()
    for rule in grammar.rules if grammar.names else ():
        _check_ties(rule, widths)
    for categories in grammar.names:
        if len({*map(len, categories)}) != 1:
            raise Flaw("a name lacks an entry in a category")
        for rules in categories:
            _check_alike(data, rules)
            met += rules
    if len({*met}) < len(met):
        raise Flaw("a rule is two names")
    _check_words(grammar)


def _check_alike(data: CertificateData, rules: tuple[int, ...]) -> None:
    own = [data.core.grammar.rules[rule] for rule in rules]
    alike = {(rule.lhs, rule.rhs, rule.weight, rule.names) for rule in own}
    if len(alike) != 1 or len({data.symbols[rule] for rule in rules}) != 1 or own[0].names != ((0,),):
        raise Flaw(f"the names of {own[0].name if own else 'nobody'} cannot be exchanged")


def _check_ties(rule: GrammarRule, widths: dict[int, int]) -> None:
    """Check that phrases of one category have equally many names, all different, the first ones of the rule."""
    ties = rule.names or ((),) * (1 + len(rule.rhs))
    if len(ties) != 1 + len(rule.rhs) or ties[0] != tuple(range(len(ties[0]))):
        raise Flaw(f"rule {rule.name} does not number the names of its phrase")
    if (bearers := {*chain(*ties)}) != {*range(len(bearers))}:
        raise Flaw(f"rule {rule.name} leaves out a number of its names")
    for category, numbers in zip((rule.lhs, *rule.rhs), ties, strict=True):
        if widths.setdefault(category, len(numbers)) != len(numbers) or len({*numbers}) < len(numbers):
            raise Flaw(f"rule {rule.name} has other names than its categories, or one twice")


def _check_words(grammar: CertifiedGrammar) -> None:
    """Check that two names of a lexicon have different words in each layer in which they have any."""
    found = dict[tuple[str, int, Template], tuple[int, int]]()
    for rule, (group, _, number) in Bearers(grammar).entries.items():
        own = grammar.rules[rule]
        for layer, words in enumerate(own.templates):
            spelt = grammar.text_layers[layer].name != RULES and any(item.text for item in words)
            if spelt and found.setdefault((own.name, layer, words), (group, number)) != (group, number):
                raise Flaw(f"two names of {own.name} have the same words")
