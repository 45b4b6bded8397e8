"""Draw samples for inspection: a few sentences of a grammar, a pattern or a split, or phrases.

A phrase may be given as a *partial tree*, whose upper part is written out, with holes below.  A category alone matches
any phrase of it, ``_`` matches anything:  ``(S NP (VP V (NP Det _ PP)))``.  Each bracket becomes a new category with a
copy of the rules that fit it, whose children are the categories of the brackets below.  A bracket fits a rule in at
most one way, so every phrase keeps its derivations and their weights.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from sgl.automata import SplitGrammar, StructureCompiler
from sgl.automata.common import computed_once
from sgl.automata.proofs.compiler import structures_of
from sgl.core.extent import Extent
from sgl.core.grammar import Category, CoreGrammar, Rule, Token
from sgl.core.interpret import Item, interpret
from sgl.core.plan import Constraint, Plan, Stratum, split_called
from sgl.core.structure import Structure
from sgl.diagnostics import Diagnostics, SourceMap, Span, one_of, shortlist
from sgl.frontend import Compiled
from sgl.frontend.lower.plan import telling_apart
from sgl.frontend.passes import read_structure
from sgl.sampling import pack, sample
from sgl.values import dataclass, replace

#: Matches anything.
HOLE = "_"
#: Maximum number of brackets in a tree.
MAX_BRACKETS = 200

_TOKENS = re.compile(r'\s*(?:([()])|"((?:[^"\\]|\\.)*)"|([^\s()"\[\]]+(?:\[[^\]]*\])?)|(\S))')
_SETTING = re.compile(r"\s*(\w+)\s*=\s*([^,]+?)\s*(?:,|$)")


class SampleError(ValueError):
    """Nothing can be sampled; the message says why."""


class PartialTreeError(SampleError):
    """A text is not a partial tree, or no phrase of the grammar fits it."""


@dataclass(frozen=True, slots=True)
class CategoryTest:
    """A category name with values for some of its features: ``NP[case=dat|acc]``."""

    name: str
    settings: tuple[tuple[str, frozenset[str]], ...] = ()

    def accepts(self, category: Category) -> bool:
        """Return whether a category with fixed features passes the test."""
        features = category.features
        return category.base == self.name and all(features.get(feature) in values for feature, values in self.settings)

    def __str__(self) -> str:
        values = ", ".join(f"{name}={'|'.join(sorted(v))}" for name, v in self.settings)
        return f"{self.name}[{values}]" if values else self.name


@dataclass(frozen=True, slots=True)
class Bracket:
    """A phrase with its parts, in source order."""

    test: CategoryTest
    parts: "tuple[Part, ...]"

    def __str__(self) -> str:
        return f"({self.test} {' '.join(map(str, self.parts))})"


#: A part of a phrase: a bracket, any phrase of a category, a word, or a hole.
Part = Bracket | CategoryTest | str


def read_category(text: str) -> CategoryTest:
    """Read ``NP[case=dat, number=sg|pl]``; raise ``PartialTreeError`` if the text has another form."""
    name, bracket, rest = text.partition("[")
    settings, inside = list(_SETTING.finditer(rest.removesuffix("]"))), rest.removesuffix("]")
    read = sum(len(found[0]) for found in settings)
    if bracket and (not rest.endswith("]") or read != len(inside)):
        raise PartialTreeError(f"`{text}` is not a category with features, such as `NP[case=dat]`")
    values = [(found[1], frozenset(found[2].replace(" ", "").split("|"))) for found in settings]
    return CategoryTest(name, tuple(values))


def read_tree(text: str) -> Bracket:
    """Read a partial tree; raise ``PartialTreeError`` for any other text."""
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
    """The categories and rules of the new grammar."""

    grammar: CoreGrammar
    categories: list[Category]
    rules: list[Rule]

    def variants(self, bracket: Bracket) -> Iterator[int]:
        for number, category in enumerate(self.grammar.categories):
            if bracket.test.accepts(category) and (new := self.category(bracket, number)) is not None:
                yield new

    @computed_once
    def category(self, bracket: Bracket, number: int) -> int | None:
        """Return the new category for a bracket and an old category; None if no rule fits."""
        copies = [
            (rule, children)
            for rule in self.grammar.rules_of[number]
            if (children := self.children(bracket, rule)) is not None
        ]
        if not copies:
            return None
        chosen = len(copies) < len(self.grammar.rules_of[number])
        if chosen and copies[0][0].id in (self.grammar.namer.entries if self.grammar.namer else ()):
            raise PartialTreeError(f"`{bracket}` chooses a name, and names are drawn for a whole text")
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
                # In a tree, a capitalized word looks like a category.
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


#: The stream of samples, also their split and category.
STREAM = "sample"


class NoSentenceError(SampleError):
    """No sentence of the grammar qualifies."""

    def __init__(self, place: Span) -> None:
        super().__init__("no sentence of the grammar qualifies")
        self.place = place


class SampleSource(NamedTuple):
    """Texts to sample that meet a constraint, from start categories in turn; a partial tree restricts ``grammar``."""

    grammar: CoreGrammar
    starts: tuple[int, ...]
    constraint: Constraint


def source_of(
    compiled: Compiled, what: str | None, sources: SourceMap, diagnostics: Diagnostics, where: Sequence[str] = ()
) -> SampleSource | None:
    """Return the source that the WHAT of ``sglc sample`` describes; report a faulty structure and return None.

    The texts must also contain all structures of ``where``.  Raises ``SampleError`` if WHAT describes nothing.
    """
    source = _source_of(compiled, what, sources, diagnostics)
    for structure in [_condition(compiled, text, sources, diagnostics) for text in where]:
        if source is None or structure is None:
            return None
        source = source._replace(constraint=source.constraint.requiring(structure))
    return source


def _source_of(
    compiled: Compiled, what: str | None, sources: SourceMap, diagnostics: Diagnostics
) -> SampleSource | None:
    core = compiled.grammar
    if what is None:
        return SampleSource(core, (core.start,), Constraint())
    strata = compiled.plan.strata
    for stratum in strata:
        if what in (stratum.split, stratum.category, stratum.stream):
            return SampleSource(core, (core.start,), stratum.constraint)
    if (split := split_called(what)) != what and any(stratum.split == split for stratum in strata):
        return _source_of(compiled, split, sources, diagnostics)
    if "{" in what:
        if (structure := _condition(compiled, what, sources, diagnostics)) is None:
            return None
        return SampleSource(core, (core.start,), Constraint(require=((structure,),)))
    if what.lstrip().startswith("("):
        return SampleSource(*cut_to_tree(core, read_tree(what)), Constraint())
    return SampleSource(core, _categories_of(compiled, read_category(what)), Constraint())


def _condition(compiled: Compiled, text: str, sources: SourceMap, diagnostics: Diagnostics) -> Structure | None:
    """Return a structure that texts must contain; names are drawn after it, so it cannot tell them apart."""
    structure = read_structure(compiled, text, sources, diagnostics)
    if structure is not None and (test := next(telling_apart(structure, compiled.grammar), None)) is not None:
        raise SampleError(f"names are drawn for each sentence, and `{test}` is true for some names of a lexicon only")
    return structure


def _categories_of(compiled: Compiled, test: CategoryTest) -> tuple[int, ...]:
    categories = compiled.grammar.categories
    names = dict.fromkeys(category.base for category in categories)
    if test.name not in names:
        plan = compiled.plan
        splits, parts = ([getattr(stratum, name) for stratum in plan.strata] for name in ("split", "category"))
        known = list(dict.fromkeys((*splits, *(pattern.name for pattern in plan.patterns), *names, *parts)))
        raise SampleError(f"there is no pattern or category `{test}`; {one_of(str(test), known)}")
    if not (matching := tuple(i for i, found in enumerate(categories) if test.accepts(found))):
        variants = [found.name for found in categories if found.name.startswith(test.name)]
        raise SampleError(f"no phrase is `{test}`; there is {shortlist(variants)}")
    return matching


def sampled_items(compiled: Compiled, chosen: SampleSource, number: int, seed: int | None) -> list[Item]:
    """Return items, from each start category in turn.

    Raises ``NoSentenceError`` if a category has no sentence.
    """
    core = chosen.grammar
    splits: dict[str, SplitGrammar] = {}
    counts = []
    for index, start in enumerate(chosen.starts[:number]):
        stream = f"{STREAM}/{index}" if index else STREAM
        counts.append((stream, len(range(index, number, len(chosen.starts))), chosen.constraint))
        splits[stream] = split_of(compiled, core, start, chosen.constraint)
    plan = plan_of(compiled.plan, counts, seed, distinct=False)
    parts = [part.items for part in sample(pack(core, plan, splits))]
    return [interpret(core, found.derivation) for row in zip_longest(*parts) for found in row if found is not None]


def plan_of(plan: Plan, strata: Sequence[tuple[str, int, Constraint]], seed: int | None, distinct: bool) -> Plan:
    """Return the plan of a sample: the number and the constraint of each stream's sentences."""
    return replace(
        plan,
        strata=tuple(Stratum(STREAM, STREAM, stream, Extent(count), own) for stream, count, own in strata),
        seed=plan.seed if seed is None else seed,
        distinct_sentences=distinct,
    )


def split_of(compiled: Compiled, core: CoreGrammar, start: int, constraint: Constraint) -> SplitGrammar:
    """Return the split of the phrases of a category that meet a constraint."""
    # Reading cached structures takes longer than compiling a grammar without constraints.
    known = core is compiled.grammar and start == core.start and constraint != Constraint()
    structures = structures_of(core) if known else StructureCompiler(replace(core, start=start))
    split = structures.split(constraint)
    if split.empty:
        raise NoSentenceError(compiled.dataset_span)
    return split
