"""Partial trees: the phrases of a grammar whose upper part is written out, with holes below.

A category alone stands for any phrase of it, ``_`` for anything:  ``(S NP (VP V (NP Det _ PP)))``.  Each bracket is a
new category with a copy of the rules that fit it, whose children are the categories of the brackets below.  A bracket
fits a rule in one way at most, so every phrase keeps its derivations and their weights.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from sgl.core.grammar import Category, CoreGrammar, Rule, Token

#: What stands for anything.
HOLE = "_"
#: Brackets that a tree may have.
MAX_BRACKETS = 200

_TOKENS = re.compile(r'\s*(?:([()])|"((?:[^"\\]|\\.)*)"|([^\s()"\[\]]+(?:\[[^\]]*\])?)|(\S))')
_SETTING = re.compile(r"\s*(\w+)\s*=\s*([^,]+?)\s*(?:,|$)")


class PartialTreeError(Exception):
    """What is written is no partial tree, or no phrase of the grammar has it."""


@dataclass(frozen=True, slots=True)
class CategoryTest:
    """A category by name, and values of some of its features: ``NP[case=dat|acc]``."""

    name: str
    settings: tuple[tuple[str, frozenset[str]], ...] = ()

    def accepts(self, category: Category) -> bool:
        """Return whether a category with fixed features is meant."""
        features = category.features
        return category.base == self.name and all(features.get(feature) in values for feature, values in self.settings)

    def __str__(self) -> str:
        values = ", ".join(f"{name}={'|'.join(sorted(v))}" for name, v in self.settings)
        return f"{self.name}[{values}]" if values else self.name


@dataclass(frozen=True, slots=True)
class Bracket:
    """A phrase of which the parts are written, in the order of the source."""

    test: CategoryTest
    parts: "tuple[Part, ...]"

    def __str__(self) -> str:
        return f"({self.test} {' '.join(map(str, self.parts))})"


#: A part of a phrase: written out, any phrase of a category, a word, or anything (a hole).
Part = Bracket | CategoryTest | str


def read_category(text: str) -> CategoryTest:
    """Read ``NP[case=dat, number=sg|pl]``; raise ``PartialTreeError`` if it is no such name."""
    name, bracket, rest = text.partition("[")
    settings, inside = list(_SETTING.finditer(rest.removesuffix("]"))), rest.removesuffix("]")
    read = sum(len(found[0]) for found in settings)
    if bracket and (not rest.endswith("]") or read != len(inside)):
        raise PartialTreeError(f"`{text}` is no category with features, such as `NP[case=dat]`")
    values = [(found[1], frozenset(found[2].replace(" ", "").split("|"))) for found in settings]
    return CategoryTest(name, tuple(values))


def read_tree(text: str) -> Bracket:
    """Read a partial tree; raise ``PartialTreeError`` if it is none."""
    stack: list[list[Part | str]] = [[]]
    brackets = 0
    for found in _TOKENS.finditer(text.rstrip()):
        sign, quoted, word, strange = found.groups()
        if strange is not None:
            raise PartialTreeError(f"`{strange}` has no place in a tree: `(VP V _)`")
        if sign == "(":
            brackets += 1
            stack.append([])
        elif sign == ")":
            if len(stack) == 1:
                raise PartialTreeError("a `)` has no `(`")
            stack[-2].append(_bracket(stack.pop()))
        elif quoted is not None:
            stack[-1].append(re.sub(r"\\(.)", r"\1", quoted))
        else:
            stack[-1].append(read_category(word) if word[:1].isupper() else word)
    if len(stack) > 1 or brackets > MAX_BRACKETS:
        problem = "a `(` has no `)`" if len(stack) > 1 else f"it has over {MAX_BRACKETS} brackets"
        raise PartialTreeError(problem)
    (tree, *more) = stack[0] or [""]
    if more or not isinstance(tree, Bracket):
        raise PartialTreeError("a tree is one phrase in brackets: `(VP V _)`")
    return tree


def _bracket(parts: list[Part | str]) -> Bracket:
    if not parts or not isinstance(parts[0], CategoryTest):
        raise PartialTreeError("a bracket begins with its category: `(VP V _)`")
    if len(parts) == 1:
        name = parts[0]
        raise PartialTreeError(f"`({name})` has no parts; `{name}` alone is any phrase of it")
    return Bracket(parts[0], tuple(parts[1:]))


def cut_to_tree(grammar: CoreGrammar, tree: Bracket) -> tuple[CoreGrammar, tuple[int, ...]]:
    """Return the grammar with copies of fitting rules, and the tree's categories; ``PartialTreeError`` if none fits."""
    cut = _Cut(grammar, list(grammar.categories), list(grammar.rules))
    if not (starts := tuple(cut.variants(tree))):
        raise PartialTreeError(cut.fault(tree))
    return replace(grammar, categories=tuple(cut.categories), rules=tuple(cut.rules)), starts


@dataclass
class _Cut:
    """The categories and rules of the new grammar; ``known`` has its category for each bracket."""

    grammar: CoreGrammar
    categories: list[Category]
    rules: list[Rule]
    known: dict[tuple[Bracket, int], int | None] = field(default_factory=dict)

    def variants(self, bracket: Bracket) -> Iterator[int]:
        for number, category in enumerate(self.grammar.categories):
            if bracket.test.accepts(category) and (new := self.category(bracket, number)) is not None:
                yield new

    def category(self, bracket: Bracket, number: int) -> int | None:
        key = (bracket, number)
        if key not in self.known:
            self.known[key] = self._made(bracket, number)
        return self.known[key]

    def _made(self, bracket: Bracket, number: int) -> int | None:
        copies = [
            (rule, children)
            for rule in self.grammar.rules_of[number]
            if (children := self.children(bracket, rule)) is not None
        ]
        if not copies:
            return None
        new = len(self.categories)
        self.categories.append(self.grammar.categories[number])
        for rule, children in copies:
            self.rules.append(replace(rule, id=len(self.rules), lhs=new, rhs=children))
        return new

    def children(self, bracket: Bracket, rule: Rule) -> tuple[int, ...] | None:
        items = rule.constituents(0)
        if len(items) != len(bracket.parts):
            return None
        children = list(rule.rhs)
        for item, part in zip(items, bracket.parts, strict=True):
            if part == HOLE:
                continue
            if isinstance(item, Token):
                # A word with a capital letter, as trees are written, reads as a category.
                if str(part) != item.text:
                    return None
                continue
            below = rule.rhs[item.child]
            test = part.test if isinstance(part, Bracket) else part
            if isinstance(test, str) or not test.accepts(self.grammar.categories[below]):
                return None
            if isinstance(part, Bracket):
                if (new := self.category(part, below)) is None:
                    return None
                children[item.child] = new
        return tuple(children)

    def fault(self, bracket: Bracket) -> str:
        for part in bracket.parts:
            if isinstance(part, Bracket) and not any(self.variants(part)):
                return self.fault(part)
        chosen = [n for n, c in enumerate(self.grammar.categories) if bracket.test.accepts(c)]
        if not chosen:
            return f"there is no category `{bracket.test}`"
        shapes = dict.fromkeys(self._shape(rule) for n in chosen for rule in self.grammar.rules_of[n] if rule.rhs)
        known = ", ".join(list(shapes)[:6]) or "words alone"
        return f"no rule gives `{bracket}`; `{bracket.test}` consists of {known}"

    def _shape(self, rule: Rule) -> str:
        categories = self.grammar.categories
        parts = [
            f'"{item.text}"' if isinstance(item, Token) else categories[rule.rhs[item.child]].base
            for item in rule.constituents(0)
        ]
        return " ".join(parts)
