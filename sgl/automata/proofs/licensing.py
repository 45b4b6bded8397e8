"""Does training contain every piece of what is held out, and everything that generalization items are made of?

A benchmark that holds a structure out says that a model has seen everything smaller.  Its *pieces* are what is left
when one link is taken away, a path is one shorter, or a number of edges one less.  A *link* is everything that a
structure says of two nodes together: a relative clause and its gap are one.  What falls apart gives a piece for each
connected part.  A node alone without a test is no piece.  A ``without`` stays with a piece that has all its nodes.

One that training cannot contain is refuted, with the clauses that exclude it, unless it is waived.

There are four kinds of ingredients: a *word* is a lemma; an *entry*, a word in its frame, in whatever form; a *form*,
what a word writes in the target layer; a *rule* has children.  Each that some item uses must have positive mass in
training.  What a pattern is about is excused, and listed: its *targets*, what occurs *with the structure* only, and
rules that several patterns hold out *together* (their other uses contain what others hold out).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import networkx as nx

from sgl.automata.common import Numbering
from sgl.automata.proofs.claims import IngredientKind, Piece, Reason, Unseen, Verdict
from sgl.automata.proofs.compiler import Conflict, find_conflict
from sgl.automata.proofs.evidence import Evidence, used_rules
from sgl.core.grammar import CoreGrammar, Rule
from sgl.core.joint import LAYER
from sgl.core.plan import Pattern, introduced_lemmas
from sgl.core.structure import Body, Link, Structure, Variable


def pieces_of(structure: Structure) -> tuple[Structure, ...]:
    """Return the pieces of a structure, none of them twice up to the names of variables."""
    pieces: dict[Structure, Structure] = {}
    whole = structure.body
    for test in whole.lengths if whole.variables or whole.lengths[1:] else ():
        alone = replace(structure, body=Body((), lengths=(test,)), without=())
        pieces.setdefault(alone, alone)
    # A length is connected with nothing: without it the rest is a piece.
    reduced = [(whole.variables, whole.links)] if whole.lengths else _reduced(whole)
    for variables, links in reduced:
        graph = nx.Graph([(link.source, link.target) for link in links])
        graph.add_nodes_from(range(len(variables)))
        for members in sorted(sorted(part) for part in nx.connected_components(graph)):
            piece = _piece(structure, variables, links, members)
            if piece is not None:
                pieces.setdefault(piece.canonical(), piece)
    return tuple(pieces.values())


def _reduced(body: Body) -> Iterator[tuple[Sequence[Variable], Sequence[Link]]]:
    """Yield the body with one link less or shorter, or one count lower, in each possible way."""
    links = body.links
    for pair in dict.fromkeys(frozenset((link.source, link.target)) for link in links):
        own = [link for link in links if {link.source, link.target} == pair]
        rest = [link for link in links if {link.source, link.target} != pair]
        if len(own) == 1 and own[0].low > 1:
            low = own[0].low - 1
            rest.append(replace(own[0], low=low, high=low))
        yield body.variables, rest
    for place, variable in enumerate(body.variables):
        for number, test in enumerate(variable.degrees):
            if test.comparison != "<=" and test.number > 1:
                degrees = list(variable.degrees)
                degrees[number] = replace(test, number=test.number - 1)
                variables = list(body.variables)
                variables[place] = replace(variable, degrees=tuple(degrees))
                yield variables, links


def _piece(
    structure: Structure, variables: Sequence[Variable], links: Sequence[Link], members: list[int]
) -> Structure | None:
    """Return the structure of one connected part; ``None`` if it says nothing."""
    own = [link for link in links if link.source in members]
    alone = variables[members[0]]
    if not own and not alone.degrees and all(test.attribute == LAYER for test in alone.tests):
        return None
    # In the order of mention, so that the piece reads as an author would write it.
    in_order = sorted(own, key=lambda link: not link.is_edge)
    ends = [end for link in in_order for end in (link.source, link.target)]
    number = {old: new for new, old in enumerate(dict.fromkeys([*ends, *members]))}
    # A `without` stays with a piece that has all the nodes of the body it speaks about.
    gone = {variable.name for variable in structure.body.variables}
    gone -= {variables[old].name for old in members}
    without = [
        clause for clause in structure.without if gone.isdisjoint(variable.name for variable in clause.variables)
    ]
    return replace(
        structure,
        body=Body(tuple(variables[old] for old in number), tuple(link.between(number) for link in in_order)),
        without=tuple(without),
    )


def claim_pieces(evidence: Evidence, pattern: Pattern) -> tuple[tuple[Piece, ...], tuple[Structure, ...]]:
    """Return the claims about each piece of what a pattern holds out, and what it waives that is no such piece."""
    pieces: dict[Structure, tuple[Structure, Structure]] = {}
    for whole in pattern.held_out:
        for piece in pieces_of(whole):
            pieces.setdefault(piece.canonical(), (piece, whole))
    waived = [(structure, structure.canonical()) for structure in pattern.waive]
    idle = tuple(structure for structure, name in waived if name not in pieces)
    if not evidence.populated_training:
        return (), idle
    claims = []
    for name, (piece, whole) in pieces.items():
        seen = evidence.find_in_training(name)
        if seen is not None:
            claims.append(Piece(piece, whole, Verdict.PROVED, *seen))
        elif name in dict(waived).values():
            claims.append(Piece(piece, whole, Verdict.WAIVED))
        else:
            conflict = why_absent(evidence, piece)
            claims.append(Piece(piece, whole, Verdict.REFUTED, conflict=conflict))
    return tuple(claims), idle


def why_absent(evidence: Evidence, structure: Structure) -> Conflict | None:
    """Return the clauses that keep a structure out of the first training stratum."""
    if not evidence.populated_training:
        return None
    constraint = evidence.populated_training[0].stratum.constraint
    wanted = replace(constraint, require=(*constraint.require, (structure,)))
    return find_conflict(evidence.compiler, wanted)


class Ingredient(NamedTuple):
    """A word, an entry, a form or a rule by name."""

    kind: IngredientKind
    name: str


class RuleIngredients:
    """What each rule provides, by number, and who provides it; training uses ``trained`` rules."""

    def __init__(self, evidence: Evidence) -> None:
        grammar, plan = evidence.compiler.grammar, evidence.plan
        self.trained = used_rules(evidence.training)
        texts = [layer.name for layer in grammar.text_layers]
        # The forms of a view are put together from no words.
        target = texts.index(plan.target) if plan.target in texts else None
        self.lemmas = introduced_lemmas(grammar, plan)
        numbers: Numbering[Ingredient] = Numbering()
        self.of_rule: list[list[int]] = []
        for rule in grammar.rules:
            own = _ingredients(grammar, rule, self.lemmas[rule.id], target)
            self.of_rule.append(list(dict.fromkeys(map(numbers.number, own))))
        self.all = numbers.values
        self.rules_of: list[list[int]] = [[] for _ in self.all]
        for number, ingredients in enumerate(self.of_rule):
            for ingredient in ingredients:
                self.rules_of[ingredient].append(number)

    def used_by(self, rules: Iterable[int]) -> Iterable[int]:
        """Return the ingredients that some rules provide, in the order of the rules."""
        return dict.fromkeys(chain.from_iterable([self.of_rule[rule] for rule in sorted(rules)]))


def _ingredients(grammar: CoreGrammar, rule: Rule, lemmas: Sequence[str], target: int | None) -> Iterator[Ingredient]:
    for lemma in lemmas:
        yield Ingredient(IngredientKind.WORD, lemma)
    if not rule.lexical:
        yield Ingredient(IngredientKind.RULE, rule.name)
        return
    category = grammar.categories[rule.lhs].base
    for lemma in lemmas:
        yield Ingredient(IngredientKind.ENTRY, f"{category}: {lemma}")
    form = "" if target is None else " ".join(rule.words(target))
    if form:
        yield Ingredient(IngredientKind.FORM, form)


def inventory_of(
    evidence: Evidence, ingredients: RuleIngredients, pattern: Pattern
) -> tuple[tuple[tuple[IngredientKind, int], ...], tuple[Unseen, ...]]:
    """Return how many ingredients of each kind items use, and those that training cannot use."""
    if not evidence.populated_training:
        return (), ()
    items = [e for e in evidence.generalization if e.stratum.category == pattern.name]
    used, trained = used_rules(items), ingredients.trained
    kinds = Counter([ingredients.all[i].kind.value for i in ingredients.used_by(used)])
    unseen = []
    for number in ingredients.used_by(used - trained):
        providers = ingredients.rules_of[number]
        if trained.isdisjoint(providers):
            rules = tuple(rule for rule in providers if rule in used)
            reason = _why_unseen(evidence, ingredients, pattern, number, rules)
            unseen.append(Unseen(*ingredients.all[number], reason, rules))
    return tuple((kind, kinds[kind.value]) for kind in IngredientKind), tuple(unseen)


def _why_unseen(
    evidence: Evidence, ingredients: RuleIngredients, pattern: Pattern, ingredient: int, rules: Sequence[int]
) -> Reason:
    targets = frozenset(pattern.targets)
    if all(not targets.isdisjoint(ingredients.lemmas[rule]) for rule in rules):
        return Reason.TARGET
    # What the items may contain and others may not.
    without = evidence.rules_without(evidence.marks(pattern.name))
    if without.isdisjoint(ingredients.rules_of[ingredient]):
        return Reason.STRUCTURE
    rule = ingredients.all[ingredient].kind is IngredientKind.RULE
    return Reason.TOGETHER if rule else Reason.MISSING
