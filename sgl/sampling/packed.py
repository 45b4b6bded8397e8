"""Read tables back from the text in which the standalone sampler carries them.

The text is Base64 of a zlib stream of JSON with these members:

===========  ===============================================================
``rules``    for each rule: number of children, its lemmas, those that may
             not be repeated, source template, then for each target its
             template, or for a view its items, nodes, edges, exports and
             last edges
``widths``   for each rule the width of its interval in lexical states
``states``   a lexical state: its rules as differences to the rule before;
             another: ``[width, rule, last child, ..., first child]`` for each
             alternative, children as differences to the state's own number
``strata``   for each: split, category, stream, number of items, start state,
             whether its sentences may be equal, the targets that share it,
             whether a lemma may occur twice in a sentence, the candidates
             that are rejected as ambiguous
===========  ===============================================================

and ``seed``, ``source``, ``targets`` (name, join, attach; of a view name and
kind) and ``distinct_sentences``.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64decode
from itertools import accumulate
from typing import Any

from sgl.core.gluing import GluingNode, GluingRule
from sgl.sampling.engine import PackedStratum, PackedText, PackedView, State, Tables


def unpack(text: str) -> Tables:
    """Return the tables that ``text`` carries."""
    data = json.loads(zlib.decompress(b64decode(text)))
    rules = data["rules"]
    return Tables(
        seed=data["seed"],
        states=[
            _state(number, state, data["widths"]) for number, state in enumerate(data["states"])
        ],
        strata=[_stratum(stratum) for stratum in data["strata"]],
        arity=[rule[0] for rule in rules],
        words=[tuple(rule[1]) for rule in rules],
        lemmas=[tuple(rule[2]) for rule in rules],
        source=_text(data["source"], [rule[3] for rule in rules]),
        targets=[
            _target(target, [rule[number] for rule in rules])
            for number, target in enumerate(data["targets"], 4)
        ],
        distinct_sentences=data["distinct_sentences"],
    )


def _stratum(values: list[Any]) -> PackedStratum:
    stratum = PackedStratum(*values)
    return stratum._replace(targets=tuple(stratum.targets), ambiguous=frozenset(stratum.ambiguous))


def _target(target: list[Any], rules: list[list[Any]]) -> PackedText | PackedView:
    if len(target) > 2:
        return _text(target, rules)
    return PackedView(target[0], target[1], [_gluing(*rule) for rule in rules])


def _gluing(
    items: list[int],
    nodes: list[list[Any]],
    edges: list[list[Any]],
    exports: list[int],
    last: list[list[Any]],
) -> GluingRule:
    return GluingRule(
        items=tuple(items),
        nodes=tuple(_node(*node) for node in nodes),
        edges=tuple((source, label, target) for source, label, target in edges),
        exports=tuple(exports),
        last=tuple((source, label, target) for source, label, target in last),
    )


def _node(
    attributes: list[list[str]] | None, token: int | None, glued: list[list[int]]
) -> GluingNode:
    pairs = None if attributes is None else tuple((name, value) for name, value in attributes)
    return GluingNode(pairs, token, tuple((child, port) for child, port in glued))


def _text(layer: list[Any], templates: list[list[str | int]]) -> PackedText:
    name, join, attach = layer
    return PackedText(name, join, frozenset(attach), [tuple(items) for items in templates])


def _state(number: int, packed: list[Any], widths: list[int]) -> State:
    if packed and isinstance(packed[0], list):
        return State(
            bounds=list(accumulate(row[0] for row in packed)),
            rules=[row[1] for row in packed],
            children=[tuple(number + step for step in row[2:]) for row in packed],
        )
    rules = list(accumulate(packed))
    return State(
        bounds=list(accumulate(widths[rule] for rule in rules)),
        rules=rules,
        children=[() for _ in rules],
    )
