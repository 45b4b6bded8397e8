"""List near relatives of a structure: what its author may also have meant, and what it does not say.

A structure says no more than its text, but readers may take it to say more: two variables are two nodes, so a sentence
in which one node plays both roles does not contain it; ``nsubj`` is not ``nsubj:pass``, ``obj`` is not ``~obj``; a walk
of exactly two edges is not one of three.  A *relative* is the structure with one such difference::

    { N -[acl]-> R; M -[amod]-> A }     { N -[acl]-> R; N -[amod]-> A }      N and M are one word
    { V -[nsubj]-> N; N -[nmod]-> M }   { V -[nsubj:pass]-> N; N -[nmod]-> M }

Whether a grammar has sentences with a relative, and whether they stay in training, is decided elsewhere.
"""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace
from itertools import combinations, count
from typing import NamedTuple, TypeVar

from sgl.core.derivation import CATEGORY, RULE, roles_of, rule_name
from sgl.core.grammar import DERIVATION, EXTRACTED, CoreGrammar
from sgl.core.joint import renamed, variable_of
from sgl.core.structure import Body, LabelTest, Link, NodeTest, Structure, Variable

_Member = TypeVar("_Member")


class Relative(NamedTuple):
    """A structure with one difference, the text of that difference ``there``, and a hint for the author."""

    structure: Structure
    there: str
    hint: str


#: The name of a copy of a node in a `repeat`, which an author cannot write.
_GENERATED = re.compile(r"_\d+$")
_MEANT = "if this is intended, add `# allow SGL0855`; otherwise write a separate `forbid`"


def _hint(more: str, meant: str = "`# allow SGL0855`") -> str:
    return f"to hold it out as well, {more}; if this is intended, add {meant}"


def relatives_of(structure: Structure, grammar: CoreGrammar, labels: Set[str]) -> Iterator[Relative]:
    """Yield near relatives of a structure that a grammar could have, with the ``labels`` of its layer."""
    yield from _merged(structure, grammar)
    yield from _labelled(structure, labels)
    yield from _longer(structure)
    yield from _mirrored(structure)
    if structure.layer == DERIVATION:
        yield from _taken_apart(structure, grammar)


# ---- two variables that may be one node


def _merged(structure: Structure, grammar: CoreGrammar) -> Iterator[Relative]:
    trees = {layer.name for layer in grammar.graph_layers if not layer.free}
    what = "use of a rule" if structure.layer == DERIVATION else "word"
    words = dict.fromkeys(variable_of(variable.name) for variable in structure.body.variables)
    for one, other in combinations(words, 2):
        pairs = _pairs(structure, one, other)
        if not pairs or frozenset((one, other)) in structure.apart or _counts(structure.body, pairs):
            continue
        body = _all_united(structure.body, pairs)
        if body is not None and (structure.layer not in trees or _is_tree(body)):
            # A body that excludes two nodes that can never be one excludes nothing here.
            united = (_all_united(clause, pairs) for clause in structure.without)
            without = tuple(clause for clause in united if clause is not None)
            written = one[0].isupper() and not any(map(_GENERATED.search, (one, other)))
            hint = _hint(f"add `{other} may be {one}`", f"`{other} is not {one}`") if written else _MEANT
            there = f"`{one}` and `{other}` are one {what} there"
            yield Relative(replace(structure, body=body, without=without), there, hint)


def _all_united(body: Body, pairs: Sequence[tuple[str, str]]) -> Body | None:
    """Return a body with each pair of variables merged under the first name; None if no node can be both."""
    found: Body | None = body
    for kept, gone in pairs:
        names = {variable.name for variable in body.variables}
        if found is not None and gone in names:
            found = _united(found, kept, gone) if kept in names else renamed(found, {gone: kept})
    return found


def _pairs(structure: Structure, one: str, other: str) -> list[tuple[str, str]]:
    """Return the pairs of variable names of two words, one pair for each layer that has both."""
    names = [variable.name for variable in structure.body.variables]
    own = {name.partition(".")[2]: name for name in names if variable_of(name) == one}
    its = {name.partition(".")[2]: name for name in names if variable_of(name) == other}
    return [(own[layer], its[layer]) for layer in own if layer in its]


def _united(body: Body, kept: str, gone: str) -> Body | None:
    """Return a body with two variables merged; None if no node can be both."""
    names = [variable.name for variable in body.variables]
    one, other = names.index(kept), names.index(gone)
    tests = tuple(dict.fromkeys((*body.variables[one].tests, *body.variables[other].tests)))
    if not _possible(tests) or any({link.source, link.target} == {one, other} for link in body.links):
        return None
    degrees = tuple(dict.fromkeys((*body.variables[one].degrees, *body.variables[other].degrees)))
    variables = [replace(v, tests=tests, degrees=degrees) if v.name == kept else v for v in body.variables]
    del variables[other]
    place = [*range(len(names))]
    place[other] = one
    place = [old - (old > other) for old in place]
    return Body(tuple(variables), tuple(dict.fromkeys(link.between(place) for link in body.links)), body.lengths)


def _possible(tests: Iterable[NodeTest]) -> bool:
    """Return whether a node can pass all tests, judging by tests of the same attribute."""
    allowed: dict[str, frozenset[str]] = {}
    tests = [*tests]
    for test in (test for test in tests if not test.negated):
        allowed[test.attribute] = allowed.get(test.attribute, test.values) & test.values
    for test in (test for test in tests if test.negated and test.attribute in allowed):
        allowed[test.attribute] -= test.values
    return all(allowed.values())


def _is_tree(body: Body) -> bool:
    """Return whether no node of a tree would have two heads."""
    heads: dict[int, int] = {}
    for link in body.edges:
        marked = link.labels.negated or any(label.startswith(EXTRACTED) for label in link.labels.labels)
        if not marked and heads.setdefault(link.target, link.source) != link.source:
            return False
    return True


def _counts(body: Body, pairs: Sequence[tuple[str, str]]) -> bool:
    """Return whether two nodes have the same conditions: then the structure counts them and means two."""
    swap = dict(pairs) | {gone: kept for kept, gone in pairs}
    return _content(renamed(body, swap)) == _content(body)


def _content(body: Body) -> object:
    names = [variable.name for variable in body.variables]
    links = [(names[x.source], x.labels, names[x.target], x.low, x.high) for x in body.links]
    return {(v.name, frozenset(v.tests), frozenset(v.degrees)) for v in body.variables}, frozenset(links)


# ---- other edges


def _labelled(structure: Structure, known: Set[str]) -> Iterator[Relative]:
    for place, link in enumerate(structure.body.links):
        for label, asked in _near(link.labels, known):
            links = _with(structure.body.links, place, replace(link, labels=LabelTest(frozenset({label}))))
            body = replace(structure.body, links=links)
            there = f"the edge is `{label}` there, not `{asked}`"
            yield Relative(replace(structure, body=body), there, _hint(f"write `{asked}|{label}`"))
    for place, variable in enumerate(structure.body.variables):
        for number, test in enumerate(variable.degrees):
            for label, asked in _near(test.labels, known):
                other = replace(test, labels=LabelTest(frozenset({label})))
                degrees = (*variable.degrees[:number], other, *variable.degrees[number + 1 :])
                nodes = _with(structure.body.variables, place, replace(variable, degrees=degrees))
                there = f"it counts `{label}` there, not `{asked}`"
                body = replace(structure.body, variables=nodes)
                yield Relative(replace(structure, body=body), there, _hint(f"write `#{asked}|{label}`"))


def _near(test: LabelTest, known: Set[str]) -> Iterator[tuple[str, str]]:
    """Yield labels of the grammar that a test rejects but that are subtypes or extracted twins of accepted ones."""
    if not test.negated:
        for label in sorted(known - test.labels):
            plain = label.removeprefix(EXTRACTED)
            asked = next((own for own in sorted(test.labels) if plain == own or label.startswith(f"{own}:")), None)
            if asked is not None:
                yield label, asked


def _longer(structure: Structure) -> Iterator[Relative]:
    for place, link in enumerate(structure.body.links):
        if link.low == link.high and link.low > 1:
            more = replace(link, low=link.low + 1, high=None)
            body = replace(structure.body, links=_with(structure.body.links, place, more))
            hint = _hint(f"write `{{{link.low},}}`")
            yield Relative(replace(structure, body=body), f"the path is longer than {link.low} edges there", hint)


def _mirrored(structure: Structure) -> Iterator[Relative]:
    """Yield the structure with one edge reversed, if its nodes have tests of the same attribute."""
    variables = structure.body.variables
    for place, link in enumerate(structure.body.links):
        asked = [{test.attribute for test in variables[end].tests} for end in (link.source, link.target)]
        if link.is_edge and not asked[0].isdisjoint(asked[1]):
            turned = replace(link, source=link.target, target=link.source)
            body = replace(structure.body, links=_with(structure.body.links, place, turned))
            if _is_tree(body):
                there = f"the edge leads from `{variables[link.target].name}` to `{variables[link.source].name}` there"
                yield Relative(replace(structure, body=body), there, _hint("forbid it in a separate clause"))


def _taken_apart(structure: Structure, grammar: CoreGrammar) -> Iterator[Relative]:
    """Yield the structure with an adjunct between a rule and its child: a rule whose child has its own category."""
    adjuncts, variables = _adjuncts(grammar), structure.body.variables
    taken = {variable.name for body in (structure.body, *structure.without) for variable in body.variables}
    for place, link in enumerate(structure.body.links):
        above, below = variables[link.source], variables[link.target]
        for category in sorted(_categories(below, grammar) & adjuncts.keys()) if link.is_edge and below.tests else ():
            test = NodeTest(CATEGORY, frozenset({category}))
            new = next(name for n in count() if (name := f"X{n or ''}") not in taken)
            nodes = (*_with(variables, link.target, replace(below, tests=(*below.tests, test))), Variable(new, (test,)))
            walk = Link(len(variables), LabelTest(frozenset(adjuncts[category])), link.target, 1, None)
            links = (*_with(structure.body.links, place, replace(link, target=walk.source)), walk)
            rules = " or ".join(sorted({f"`{rule}`" for own in adjuncts[category].values() for rule in own}))
            there = f"{rules} stands between `{above.name}` and `{below.name}` there"
            hint = _hint(f"write `{above.name} -[*]+-> {below.name}`")
            yield Relative(replace(structure, body=Body(nodes, links, structure.body.lengths)), there, hint)


def _adjuncts(grammar: CoreGrammar) -> dict[str, dict[str, set[str]]]:
    """Return the adjuncts to phrases of each category: rules, by the role of the phrase in them."""
    found: dict[str, dict[str, set[str]]] = {}
    for rule in grammar.rules:
        own = grammar.categories[rule.lhs].base
        for child, role in zip(rule.rhs, roles_of(rule, grammar), strict=True):
            if grammar.categories[child].base == own:
                found.setdefault(own, {}).setdefault(role, set()).add(rule_name(rule))
    return found


def _categories(variable: Variable, grammar: CoreGrammar) -> set[str]:
    """Return the categories of the phrases that a variable can match, judging by rule and category."""
    made = {(rule_name(rule), grammar.categories[rule.lhs].base) for rule in grammar.rules}
    return {category for name, category in made if _possible((*variable.tests, *_is(name, category)))}


def _is(rule: str, category: str) -> tuple[NodeTest, ...]:
    return NodeTest(RULE, frozenset({rule})), NodeTest(CATEGORY, frozenset({category}))


def _with(members: Sequence[_Member], place: int, member: _Member) -> tuple[_Member, ...]:
    changed = [*members]
    changed[place] = member
    return tuple(changed)
