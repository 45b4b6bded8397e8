"""The fingerprint of a grammar with its plan, and the signature of a dataset.

The fingerprint is the SHA-256 of a canonical form: what the author's files
*mean*.  Comments, layout, names of files and line numbers do not enter it, nor
does the seed, which the signature names by itself::

    sgl:0.1.0|edition:2026|grammar:sha256:1f0c…|seed:2024|items:69000

Whoever has the compiler, the grammar and this line gets the same data.
"""

from __future__ import annotations

import json
from hashlib import sha256

from sgl import EDITION, __version__
from sgl.core.grammar import CoreGrammar, Fragment, Rule, Token
from sgl.core.plan import Constraint, Plan, Stratum
from sgl.dataset.patterns import Json, part_entry, pattern_entry

#: Digits of the fingerprint in a signature.
SHORT = 12


def fingerprint(grammar: CoreGrammar, plan: Plan) -> str:
    """Return the SHA-256 of the canonical form of a grammar and its plan, hexadecimal."""
    form = {"grammar": _grammar(grammar), "plan": _plan(plan)}
    text = json.dumps(form, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


def signature(grammar_sha256: str, seed: int, items: int) -> str:
    """Return the line by which a dataset is cited."""
    return (
        f"sgl:{__version__}|edition:{EDITION}|grammar:sha256:{grammar_sha256[:SHORT]}"
        f"|seed:{seed}|items:{items}"
    )


def _grammar(grammar: CoreGrammar) -> Json:
    return {
        "start": grammar.start,
        "categories": [[c.name, *c.ports, *c.limited] for c in grammar.categories],
        "text": [[text.name, text.join, sorted(text.attach)] for text in grammar.text_layers],
        "graph": [[layer.name, layer.anchor, layer.free] for layer in grammar.graph_layers],
        "views": [[view.name, view.kind, view.layer, view.template] for view in grammar.views],
        "rules": [_rule(rule) for rule in grammar.rules],
    }


def _rule(rule: Rule) -> list[object]:
    templates = [
        [
            ["word", item.text] if isinstance(item, Token) else ["child", item.child, item.capital]
            for item in template
        ]
        for template in rule.templates
    ]
    fragments = [_fragment(fragment) for fragment in rule.fragments]
    return [rule.name, rule.lhs, rule.rhs, rule.weight, rule.keep, templates, fragments]


def _fragment(fragment: Fragment) -> Json:
    return {
        "nodes": [[node.attributes, node.token, node.glue] for node in fragment.nodes],
        "edges": [
            [edge.source, edge.label, edge.target, *(["last"] if edge.last else [])]
            for edge in fragment.edges
        ],
        "exports": list(fragment.exports),
    }


def _plan(plan: Plan) -> Json:
    return {
        "source": plan.source,
        "target": plan.target,
        "further": plan.further,
        "strata": [
            [*_stratum(stratum), _constraint(stratum.constraint)] for stratum in plan.strata
        ],
        "patterns": [pattern_entry(pattern) for pattern in plan.patterns],
        "parts": [part_entry(part) for part in plan.parts],
        "nowhere": [str(structure) for structure in plan.nowhere],
        "distinct_lemmas": list(plan.distinct_lemmas),
        "distinct_sentences": plan.distinct_sentences,
        "lemma_layer": plan.lemma_layer,
        "ambiguous": plan.ambiguous.value,
    }


def _stratum(s: Stratum) -> list[object]:
    return [s.split, s.category, s.stream, s.count, s.repeated, list(s.targets), s.repeated_lemmas]


def _constraint(constraint: Constraint) -> Json:
    return {
        "require": [[str(item) for item in group] for group in constraint.require],
        "exclude": [str(item) for item in constraint.exclude],
        "keep": constraint.keep,
    }
