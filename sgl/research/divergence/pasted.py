"""Write a compound of a report as a structure, which can be pasted into a grammar.

The rows of a dataset name rules and words as the compiler does, and children by their places; the grammar knows what
structures call them.  What a name does not tell is a test, of a rule also on its children::

    clause -0-> modified        { clause -[subj]-> modified }
    and -0-> and                { and -[first]-> B1[rule=and] }
    see -nsubj-> cat            { "see" -[nsubj]-> "cat" }
    s(0:np(0:the), 1:slept)     { s -[subj]-> np; np -[Det]-> "the"; s -[VP]-> "sleep" }
"""

import json
import re
from ast import literal_eval
from typing import NamedTuple

from sgl.core.derivation import CATEGORY, LEMMA, RULE, with_derivation
from sgl.core.grammar import CoreGrammar
from sgl.core.structure import NodeTest
from sgl.dataset.maker import rule_labels

_EDGE = re.compile(r"(.+) -(\S+)-> (.+)", re.DOTALL)
_SYMBOL = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^(),:\s'"]+|\S""", re.DOTALL)
_Part = tuple[str, list[tuple[str, "_Part"]]]


class RuleNode(NamedTuple):
    """A node of derivations: its attributes, and the role, category and features of each child."""

    attributes: dict[str, str]
    below: tuple[tuple[str, dict[str, str]], ...] = ()


def nodes_of(grammar: CoreGrammar, source: int) -> dict[str, RuleNode]:
    """Return the nodes of derivations by what rows call their rules."""
    found = dict[str, RuleNode]()
    for label, rule in zip(rule_labels(grammar, source), with_derivation(grammar).rules, strict=True):
        own, children = rule.fragments[-1], [grammar.categories[child] for child in rule.rhs]
        below = [(e.label, {CATEGORY: c.base, **c.features}) for e, c in zip(own.edges, children, strict=True)]
        found[label] = RuleNode(dict(own.nodes[0].attributes or ()), tuple(below))
    return found


def pasted(compound: str, nodes: dict[str, RuleNode]) -> str:
    """Return a compound of trees, or of derivations with these nodes, as a structure."""
    edge, statements = _EDGE.fullmatch(compound), list[str]()
    part = (edge[1], [(edge[2], (edge[3], []))]) if edge else _part(_SYMBOL.findall(compound)[::-1])
    _state(part, nodes, statements, [])
    return f"{{ {'; '.join(statements)} }}"


def _part(symbols: list[str]) -> _Part:
    label, below = symbols.pop(), list[tuple[str, _Part]]()
    while symbols and symbols[-1] == ",("[not below]:
        _, edge, _ = (symbols.pop() for _ in range(3))
        below.append((edge, _part(symbols)))
    del symbols[len(symbols) - bool(below) :]
    return literal_eval(label) if label[0] in "'\"" else label, below


def _state(part: _Part, nodes: dict[str, RuleNode], statements: list[str], taken: list[str]) -> str:
    """Add what a part says; return its node."""
    below, own = part[1], nodes.get(part[0], RuleNode({LEMMA: part[0]}))
    shown = _node(own.attributes, nodes, taken)
    taken.append(shown.partition("[")[0])
    for edge, child in below:
        place, role = len(statements), own.below[int(edge)][0] if own.below else edge
        statements.insert(place, f"{shown} -[{role}]-> {_state(child, nodes, statements, taken)}")
    alike = [node.below for node in nodes.values() if node.attributes == own.attributes]
    for place, (role, features) in enumerate(own.below):
        if str(place) not in dict(below) and any(other[place][1] != features for other in alike):
            statements.append(f"{shown} -[{role}]-> {_tested('', features, taken)}")
            taken.append("")
    return shown


def _node(own: dict[str, str], nodes: dict[str, RuleNode], taken: list[str]) -> str:
    """Return a node by its lemma or rule, with tests on features if others have it as well."""
    main = LEMMA if LEMMA in own else RULE
    name = json.dumps(own[main], ensure_ascii=False) if main == LEMMA else own[main]
    features = {key: own[key] for key in own if key not in (LEMMA, RULE, CATEGORY)}
    alike = [x.attributes for x in nodes.values() if x.attributes.get(main) == own[main] and x.attributes != own]
    if name in taken or (alike and main == LEMMA) or any(other.items() >= features.items() for other in alike):
        return _tested("", own if alike else {main: own[main]}, taken)
    return _tested(name, features if alike else {}, taken)


def _tested(name: str, attributes: dict[str, str], taken: list[str]) -> str:
    """Return a node of this name, or one of its own, with tests."""
    tests = [str(NodeTest(key, frozenset({value}))) for key, value in sorted(attributes.items())]
    return (name or f"{chr(65 + len(taken))}1") + (f"[{', '.join(tests)}]" if tests else "")
