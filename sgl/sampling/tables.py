"""Pack the grammars of the splits into integer tables for drawing, and write the standalone sampler.

An alternative of probability *p* gets ``max(1, round(p * 2**53))`` integers, so nothing possible has width zero, and
the error is at most 2**-53, no more than that of the floating-point number.  A *lexical* state, which becomes only
words, takes the weights of its rules unchanged: a split can remove words but cannot change the proportions of the rest.
So such states are equal in all splits that leave the same words, and are stored once.

``sampler.py`` is one module that needs only Python 3.9 and reproduces the rows of a dataset bit for bit.  It is not a
second implementation: it contains the modules in ``BUNDLED`` unchanged except for their imports of one another, framed
by ``templates/sampler.py.j2``.
"""

import ast
import json
import textwrap
import zlib
from base64 import b64encode
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from importlib.resources import files
from itertools import accumulate, chain
from typing import Any

from sgl.automata.weights.split import SplitGrammar, count_derivations
from sgl.core.extent import Extent
from sgl.core.grammar import COLUMN, CoreGrammar, Item, Slot, View
from sgl.core.plan import Constraint, Plan, content_lemmas, introduced_lemmas
from sgl.rendering.views import VIEWS
from sgl.sampling.acceptance import NotEnoughError
from sgl.sampling.engine import PackedStratum, PackedText, PackedView, State, Tables

#: The number of integers for a probability of 1.
SCALE = 1 << 53

#: The fields that a packed stratum copies from the plan.
_AS_PLANNED = ("split", "category", "stream", "extent", "repeated_lemmas")

#: The width of an alternative, its rule and the states of its children.
_Alternative = tuple[int, int, tuple[int, ...]]
_Alternatives = tuple[_Alternative, ...]


def pack(grammar: CoreGrammar, plan: Plan, splits: Mapping[str, SplitGrammar]) -> Tables:
    """Return the tables for all strata of ``plan``.

    ``splits`` has the grammar of each stratum by stream.  Raises ``NotEnoughError`` like ``check_numbers``, or if no
    phrase can be an instance.
    """
    check_numbers(plan, splits)
    layers = {layer.name: number for number, layer in enumerate(grammar.text_layers)}
    views = {view.name: view for view in grammar.views}
    states, starts, marks = pack_states(grammar, plan, splits)
    for stratum, own in zip(plan.strata, marks, strict=True):
        if stratum.extent.contexts and stratum.count and not own:
            reason = "no phrase has the structure of an instance: whole sentences alone have it"
            raise NotEnoughError(stratum.stream, stratum.count, 0, 0, reason, {})
    return Tables(
        seed=plan.seed,
        strata=[
            PackedStratum(start=start, found=frozenset(own), **{name: getattr(stratum, name) for name in _AS_PLANNED})
            for stratum, start, own in zip(plan.strata, starts, marks, strict=True)
        ],
        states=states,
        arity=[len(rule.rhs) for rule in grammar.rules],
        words=introduced_lemmas(grammar, plan),
        lemmas=content_lemmas(grammar, plan),
        source=pack_text(grammar, layers[plan.source]),
        targets=[
            pack_text(grammar, layers[name]) if name in layers else _pack_view(grammar, views[name])
            for name in plan.targets
        ],
        distinct_sentences=plan.distinct_sentences,
        names=([rule.names for rule in grammar.rules], grammar.names) if grammar.names else None,
    )


def check_numbers(plan: Plan, splits: Mapping[str, SplitGrammar]) -> None:
    """Raise ``NotEnoughError`` for a stratum with fewer derivations than the items that it should have.

    If sentences must be distinct, what earlier strata certainly take from the same source is not available.
    """
    taken = Counter[tuple[int, Constraint]]()
    for stratum in plan.strata:
        split, distinct = splits[stratum.stream], plan.distinct_sentences and not stratum.extent.repeated
        source, size = (split.grammar.start, stratum.constraint), count_derivations(split)
        used = taken[source] if distinct else 0
        needed = stratum.count if distinct else min(stratum.count, 1)
        if size is not None and size - used < needed and stratum.extent.exact:
            reason = f"this part of the data has {size:,} derivations in all" + f", {used:,} used before" * (used > 0)
            raise NotEnoughError(stratum.stream, stratum.count, 0, 0, reason, {}, derivations=size)
        taken[source] += stratum.count if distinct and (stratum.extent.exact or stratum.extent.every) else 0


def pack_states(
    grammar: CoreGrammar, plan: Plan, splits: Mapping[str, SplitGrammar]
) -> tuple[list[State], list[int], list[list[int]]]:
    """Return the states that all strata share, and for each stratum its start state and its states of instances."""
    states: list[State] = []
    widths = [width(rule.weight) for rule in grammar.rules]
    #: Equal lexical states, by their rules, and equal splits are stored only once.
    lexical: dict[tuple[int, ...], int] = {}
    splits_before: dict[tuple[_Alternatives, ...], list[int]] = {}
    starts, found = list[int](), list[list[int]]()
    for stratum in plan.strata:
        local, numbers = _reachable(splits[stratum.stream])
        if local not in splits_before:
            splits_before[local] = _add(local, states, lexical, widths)
        names = splits_before[local]
        starts.append(names[0])
        found.append(sorted(names[numbers[state]] for state in splits[stratum.stream].found if state in numbers))
    return states, starts, found


def _add(
    local: tuple[_Alternatives, ...], states: list[State], lexical: dict[tuple[int, ...], int], widths: Sequence[int]
) -> list[int]:
    """Add the states of a split and return their numbers."""
    names: list[int] = []
    fresh: dict[int, _Alternatives] = {}
    for alternatives in local:
        rules = tuple(rule for _, rule, _ in alternatives)
        words_only = not any(children for _, _, children in alternatives)
        known = lexical.get(rules) if words_only else None
        names.append(len(states) if known is None else known)
        if known is None:
            fresh[names[-1]] = tuple((widths[rule], rule, ()) for rule in rules) if words_only else alternatives
            states.append(State([], [], []))
        if words_only:
            lexical[rules] = names[-1]
    for number, alternatives in fresh.items():
        own, rules, below = zip(*alternatives, strict=True) if alternatives else ((), (), ())
        children = [tuple(names[child] for child in each[::-1]) for each in below]
        states[number] = State(list(accumulate(own)), list(rules), children)
    return names


def pack_text(grammar: CoreGrammar, layer: int) -> PackedText:
    """Return the templates of all rules in text layer ``layer``."""
    text = grammar.text_layers[layer]
    return PackedText(
        name=text.name,
        join=text.join,
        attach=text.attach,
        templates=[tuple(map(_packed, rule.templates[layer])) for rule in grammar.rules],
        finish=text.finish,
    )


def _packed(item: Item) -> str | int | tuple[Any, ...]:
    if not isinstance(item, Slot):
        return item.text
    if item.functions:
        return (item.packed, *item.functions)
    return ~item.packed if item.capital else item.packed


def _pack_view(grammar: CoreGrammar, view: View) -> PackedView:
    if view.kind == COLUMN:
        texts = {layer.name: number for number, layer in enumerate(grammar.text_layers)}
        inputs = [
            pack_text(grammar, texts[name])
            if name in texts
            else _pack_view(grammar, View(name, "", grammar.graph_layer(name)))
            for name in view.reads
        ]
        return PackedView(view.name, view.kind, [], None, False, view.template, tuple(inputs))
    anchor = grammar.anchors[view.layer]
    below = pack_text(grammar, anchor) if grammar.moving[anchor] or view.template else None
    free = grammar.graph_layers[view.layer].free
    rules = [*map(grammar.gluing[view.layer].__getitem__, range(len(grammar.rules)))]
    return PackedView(view.name, view.kind, rules, below, free, view.template)


def _reachable(split: SplitGrammar) -> tuple[tuple[_Alternatives, ...], dict[int, int]]:
    """Return the alternatives of the start state (0: of all roots) and of all states it reaches, and their numbers."""
    numbers: dict[int, int] = {}
    waiting = [split.roots]
    table: list[_Alternatives] = []
    for choices in waiting:
        alternatives: list[_Alternative] = []
        for state, factor in choices:
            for transition in split.transitions_of[state]:
                if transition.probability <= 0.0:
                    continue
                for child in transition.children:
                    if child not in numbers:
                        numbers[child] = len(waiting)
                        waiting.append(((child, 1.0),))
                children = tuple(numbers[child] for child in transition.children)
                alternatives.append((width(factor * transition.probability), transition.rule, children))
        table.append(tuple(alternatives))
    return tuple(table), numbers


def width(probability: float) -> int:
    """Return the number of integers for a positive probability."""
    return max(1, int(probability * SCALE + 0.5))


#: The modules of views: ``COMMON`` ones are in every sampler, others only where they are used.
_OF_VIEWS: dict[str, tuple[str, ...]] = {name: (view.write.__module__,) for name, view in VIEWS.items()}
_OF_VIEWS |= dict.fromkeys(("template", COLUMN), ("sgl.characters", "sgl.rendering.sandbox", "sgl.rendering.template"))
COMMON = ("cogs", "varfree")

#: The modules of standalone samplers, each after those that it uses.
BUNDLED = (
    "sgl.core.extent",
    "sgl.core.graph",
    "sgl.core.naming",
    "sgl.core.spelling",
    "sgl.rendering.meaning",
    *sorted({*chain(*_OF_VIEWS.values())}),
    "sgl.sampling.engine",
    "sgl.sampling.acceptance",
    "sgl.sampling.rows",
)


def serialize(tables: Tables) -> str:
    """Write tables as text: Base64 of a zlib stream of JSON, in which tuples and sets become lists."""
    text = json.dumps(tables, ensure_ascii=False, separators=(",", ":"), default=_as_list)
    return b64encode(zlib.compress(text.encode(), 9)).decode("ascii")


def _as_list(value: Extent | Collection[Any]) -> list[Any]:
    return [*vars(value).values()] if isinstance(value, Extent) else sorted(value)


def standalone_source(tables: Tables, identity: str) -> str:
    """Return the source of the standalone sampler of the dataset with this identity."""
    from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

    environment = Environment(
        loader=PackageLoader("sgl.sampling"),
        undefined=StrictUndefined,
        autoescape=select_autoescape(),  # off: the result is Python, not HTML
        keep_trailing_newline=True,
    )
    #: The imports of the command line, and then of the modules: names by module.
    imports: dict[str, set[str]] = {name: set() for name in ("argparse", "gc", "os", "sys")}
    imports |= {"hashlib": {"sha256"}, "itertools": {"islice"}, "pathlib": {"Path"}}
    kinds = (*COMMON, *(target.kind for target in tables.targets if isinstance(target, PackedView)))
    idle = {*chain(*_OF_VIEWS.values())}.difference(*(_OF_VIEWS[kind] for kind in kinds))
    bodies = [_body(name, imports) for name in BUNDLED if name not in idle]
    whole = [f"import {module}" for module in sorted(imports) if not imports[module]]
    parts = [f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(imports.items()) if names]
    return environment.get_template("sampler.py.j2").render(
        identity=json.dumps(identity),
        needs="Jinja2 and " * ("jinja2" in imports),
        imports="\n".join(whole + parts),
        bodies=bodies,
        tables=textwrap.wrap(serialize(tables), 92),
    )


def _body(name: str, imports: dict[str, set[str]]) -> str:
    package, _, module = name.rpartition(".")
    source = (files(package) / f"{module}.py").read_text(encoding="utf-8")
    tree = ast.parse(source)
    after = 0
    for node in tree.body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                imports.setdefault(alias.name, set())
        elif isinstance(node, ast.ImportFrom):
            if node.module and node.module not in ("__future__", *BUNDLED):
                imports.setdefault(node.module, set()).update(map(ast.unparse, node.names))
        else:
            continue
        after = node.end_lineno or 0
    docstring = ast.get_docstring(tree) or ""
    heading = "\n".join(f"# {line}".rstrip() for line in docstring.splitlines())
    return f"{heading}\n\n\n" + "\n".join(source.splitlines()[after:]).strip()
