"""What a structure asks for, in words that need no notation.

>>> from sgl.core.structure import Body, LabelTest, Link, Structure, Variable
>>> edge = Link(0, LabelTest(frozenset({"nsubj"})), 1)
>>> in_words(Structure("syn", Body((Variable("V"), Variable("N")), (edge,))))
'N is the nsubj of V'
"""

from collections.abc import Collection, Iterator

from sgl.core.grammar import EXTRACTED
from sgl.core.structure import Body, DegreeTest, LabelTest, LengthTest, Link, NodeTest, Structure

#: Values of a test that are named; more of them are counted.
_NAMED = 4


def in_words(structure: Structure) -> str:
    """Return what a sentence has in which the structure occurs, as a clause."""
    without = "".join(f", unless {_conjoined(_clauses(body))}" for body in structure.without)
    layer = f" (in the graph {structure.layer})" if structure.named else ""
    return _conjoined(_clauses(structure.body)) + without + layer


def any_in_words(structures: Collection[Structure]) -> str:
    """Return what a sentence has in which one of these structures occurs."""
    return "; or ".join(dict.fromkeys(map(in_words, structures)))


def _clauses(body: Body) -> Iterator[str]:
    names = [variable.name for variable in body.variables]
    for link in body.links:
        yield _link(link, names)
    for variable in body.variables:
        yield from (_test(variable.name, test) for test in variable.tests)
        yield from (_degree(variable.name, test) for test in variable.degrees)
    yield from map(_length, body.lengths)
    if not body.links and len(names) == 1 and not (body.variables[0].tests or body.variables[0].degrees):
        yield f"there is a word {names[0]}"


def _link(link: Link, names: list[str]) -> str:
    source, target = names[link.source], names[link.target]
    if link.is_edge:
        return f"{target} is {_label(link.labels)} of {source}"
    number = _range(link.low, link.high)
    edges = "edges" if link.labels.is_any else f"{_alternatives(link.labels)} edges"
    return f"{target} is {number} {edges} below {source}"


def _label(labels: LabelTest) -> str:
    if labels.is_any:
        return "a dependent"
    return f"a dependent, not {_named(labels.labels)}," if labels.negated else f"the {_alternatives(labels)}"


def _alternatives(labels: LabelTest) -> str:
    return ("other than " if labels.negated else "") + _named(labels.labels)


def _named(values: Collection[str]) -> str:
    """Return values with *or* between them; an extracted label says so."""
    shown = [f"extracted {v.removeprefix(EXTRACTED)}" if v.startswith(EXTRACTED) else v for v in sorted(values)]
    return " or ".join(filter(None, (", ".join(shown[:-1]), shown[-1]))) if shown else "any"


def _test(name: str, test: NodeTest) -> str:
    if len(test.values) > _NAMED:
        return f"the {test.attribute} of {name} is {'none' if test.negated else 'one'} of {len(test.values)}"
    if not any(test.values):
        return f"{name} has {'a' if test.negated else 'no'} {test.attribute}"
    return f"the {test.attribute} of {name} is {'not ' if test.negated else ''}{_named(test.values)}"


def _degree(name: str, test: DegreeTest) -> str:
    low = 0 if test.comparison == "<=" else test.number
    high = None if test.comparison == ">=" else test.number
    kind = "dependents" if test.labels.is_any else f"dependents {_alternatives(test.labels)}"
    return f"{name} has {_range(low, high)} {kind}"


def _length(test: LengthTest) -> str:
    relation = {"=": "", "!=": "other than ", ">=": "at least ", "<=": "at most "}[test.comparison]
    number = f"as many words as the longest of {test.part} and {test.number:+}" if test.part else f"{test.number} words"
    return f"the text {test.layer} has {relation}{number}"


def _range(low: int, high: int | None) -> str:
    if high is None:
        return f"{low} or more"
    if not low:
        return f"at most {high}"
    return str(low) if low == high else f"{low} to {high}"


def _conjoined(clauses: Iterator[str]) -> str:
    found = [*clauses]
    return ", and ".join(filter(None, (", ".join(found[:-1]), found[-1]))) if found else "there is a sentence"
