"""Read tables back from the text in which the standalone sampler carries them.

The text is Base64 of a zlib stream of JSON with these members:

===========  ===============================================================
``rules``    for each rule: number of children, its lemmas, those that may
             not be repeated, source template, target template
``widths``   for each rule the width of its interval in lexical states
``states``   a lexical state: its rules as differences to the rule before;
             another: ``[width, rule, last child, ..., first child]`` for each
             alternative, children as differences to the state's own number
``strata``   for each: split, category, stream, number of items, start state,
             whether its sentences may be equal, the targets that share it,
             whether a lemma may occur twice in a sentence, the candidates
             that are rejected as ambiguous
===========  ===============================================================

and ``seed``, ``source``, ``target`` (name, join, attach) and
``distinct_sentences``.
"""

from __future__ import annotations

import json
import zlib
from base64 import b64decode
from itertools import accumulate
from typing import Any

from sgl.sample.engine import PackedStratum, PackedText, State, Tables


def unpack(text: str) -> Tables:
    """The tables that ``text`` carries."""
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
        target=_text(data["target"], [rule[4] for rule in rules]),
        distinct_sentences=data["distinct_sentences"],
    )


def _stratum(values: list[Any]) -> PackedStratum:
    stratum = PackedStratum(*values)
    return stratum._replace(targets=tuple(stratum.targets), ambiguous=frozenset(stratum.ambiguous))


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
