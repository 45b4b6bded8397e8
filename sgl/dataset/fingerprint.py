"""Plans as plain data, the fingerprint of a grammar with its plan, the identity of a dataset.

The fingerprint is the SHA-256 of the *core form*: what the author's files *mean*.  A certificate
has this form in full, so that anybody can compute the fingerprint.  Comments, layout, names of
files and line numbers do not enter it, nor does the seed, which the identity names by itself::

    sgl:0.1.0|edition:2026|grammar:sha256:1f0c…|seed:2024|items:69000

Whoever has the compiler, the grammar and this line gets the same data.  The signature of a
dataset (``sgl.dataset.staged``) names the files as well.
"""

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from hashlib import sha256
from typing import Any, cast

from sgl import EDITION, __version__
from sgl.core.grammar import CoreGrammar, Item, Rule, Slot, Token
from sgl.core.plan import Pattern, Plan, Quota, Stratum
from sgl.core.structure import Structure

#: Digits of the fingerprint in an identity.
SHORT = 12

#: The members of a pattern and of a quota, in the order in which the manifest has them.
_PATTERN = (
    *("name", "title", "groups", "layer", "targets", "forbid", "never", "gen", "exclude"),
    *("need", "waive", "allow", "expose", "reserved", "quotas"),
)
_QUOTA = ("count", "each_target", "within", "within_one_of", "outside", "split")


def plain(value: object, *, exact: bool = False) -> Any:  # noqa: ANN401 - dictionaries, lists, texts, numbers
    """Return a value as JSON can hold it: dataclasses by their fields, structures as written.

    In ``exact`` JSON weights are texts, and ``True`` is 1.
    """
    if type(value) in (str, int):
        return value
    match value:
        case tuple() | list():
            return [plain(member, exact=exact) for member in value]
        case Structure():
            return str(value)
        case Enum():
            return value.value
        case dict():
            return {name: plain(member, exact=exact) for name, member in value.items()}
        case bool() if exact:
            return int(value)
        case float() if exact:
            return repr(value)
    if not is_dataclass(value):
        return value
    names = [field.name for field in fields(value)]
    if isinstance(value, Quota):
        names = [*_QUOTA, *(["every", "copies"] if value.every or value.copies > 1 else [])]
        names += ["contexts"] if value.contexts else []
    return {name: plain(getattr(value, name), exact=exact) for name in names}


def pattern_data(pattern: Pattern) -> dict[str, Any]:
    """Return a pattern as plain data, with the graph layer of its structures that name none."""
    layers = [s.layer for s in (*pattern.held_out, *pattern.gen) if not s.named]
    data = {**plain(pattern), "layer": layers[0] if layers else ""}
    return {name: data[name] for name in _PATTERN}


def core_form(grammar: CoreGrammar, plan: Plan) -> dict[str, Any]:
    """Return what grammar and plan mean but for the seed."""
    apart: tuple[str, ...] = ("seed", "strata", "patterns")
    apart += () if plan.graphs else ("graphs",)
    names = [field.name for field in fields(plan) if field.name not in apart]
    finish = [() if text.finish is None else (text.finish,) for text in grammar.text_layers]
    form = {
        "grammar": {
            "start": grammar.start,
            "categories": [[c.name, c.ports, c.limited] for c in grammar.categories],
            "text": [[x.name, x.join, sorted(x.attach), *f] for x, f in zip(grammar.text_layers, finish, strict=True)],
            "graph": [[layer.name, layer.anchor, layer.free] for layer in grammar.graph_layers],
            "views": [[view.name, view.kind, view.layer, view.template] for view in grammar.views],
            "rules": [_rule(rule) for rule in grammar.rules],
        },
        "plan": {
            **{name: getattr(plan, name) for name in names},
            "strata": [_stratum(stratum) for stratum in plan.strata],
            "patterns": [pattern_data(pattern) for pattern in plan.patterns],
        },
    }
    return cast("dict[str, Any]", plain(form, exact=True))


def core_digest(core: Mapping[str, object]) -> str:
    """Return the SHA-256 of a core form in canonical JSON, hexadecimal."""
    text = json.dumps(core, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


def fingerprint(grammar: CoreGrammar, plan: Plan) -> str:
    """Return the SHA-256 of the core form of a grammar and its plan, hexadecimal."""
    return core_digest(core_form(grammar, plan))


def _item(item: Item) -> list[object]:
    match item:
        case Token():
            return ["word", item.text]
        case Slot():
            further = [item.part, *item.functions] if item.part or item.functions else []
            return ["child", item.child, item.capital, *further]
    return ["cut"]


def _rule(rule: Rule) -> list[object]:
    templates = [[_item(item) for item in template] for template in rule.templates]
    fragments = [
        {
            "nodes": [[node.attributes, node.token, node.glue] for node in fragment.nodes],
            "edges": [[edge.source, edge.label, edge.target, edge.last] for edge in fragment.edges],
            "exports": list(fragment.exports),
        }
        for fragment in rule.fragments
    ]
    return [rule.name, rule.lhs, rule.rhs, rule.weight, rule.keep, templates, fragments]


def _stratum(s: Stratum) -> list[object]:
    stated = [s.split, s.category, s.stream, s.count, s.repeated, s.targets, s.repeated_lemmas]
    contexts = [s.contexts] if s.contexts else []
    extent = [s.every, s.copies, *contexts] if s.every or s.copies > 1 or contexts else []
    return [*stated, *extent, s.constraint]


def identity(grammar_sha256: str, seed: int, items: int) -> str:
    """Return the line that says which dataset this is, in all of its files."""
    return f"sgl:{__version__}|edition:{EDITION}|grammar:sha256:{grammar_sha256[:SHORT]}|seed:{seed}|items:{items}"
