"""Turn an imported grammar into a grammar of SGL: choose its source layer, and write it.

In SGL the right-hand side of a rule is the template of the source layer: every child occurs in it once, and a rule adds
words or joins several phrases.  The first interpretation that satisfies this becomes the source; if none does, a layer
is added that prints the derivation, ``r1(r2,r3)``.  Two rules of one category that are alike in every layer are one
rule in SGL.  Names that the language does not allow are changed; categories such as ``NP[anim=yes]`` get their
features back.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

import networkx as nx

from sgl.core.grammar import CoreGrammar, Fragment, Item, Node, Rule, Slot, Template, TextLayer, Token
from sgl.diagnostics import Diagnostics, Label, shortlist
from sgl.lang import CLAUSES, DECLARATIONS
from sgl.lang.layout import layout
from sgl.research.exchange.lower_irtg import ImportedGrammar, TreeRule
from sgl.research.exchange.names import FreeNames, decimal, filled, identifier, make_quotable, number_repeated, quoted

#: Names that no layer can have; every grammar has the layers of its derivations.
RESERVED = (*CLAUSES, *DECLARATIONS, "derivation", "rules")

_DERIVATION = "rule_tree"
_SHOWN = 3


def with_source(imported: ImportedGrammar, diagnostics: Diagnostics) -> ImportedGrammar:
    """Return the grammar with its source layer first, reporting the changes."""
    layers = imported.layers
    wanted, *others = sorted(range(len(layers)), key=lambda layer: layer in imported.trees)
    chosen: int | None = wanted
    if (misfit := _unfit(imported.rules, wanted)) is not None:
        chosen = next((layer for layer in others if _unfit(imported.rules, layer) is None), None)
        instead = "the source is a layer that prints derivations"
        if chosen is not None:
            instead = f"`{layers[chosen].name}` is the source"
        rule, why = misfit
        diagnostics.warning(
            "SGL1208",
            rule.label.span,
            f"`{layers[wanted].name}` cannot be the source layer, for here it {why}; {instead}",
        )
    if chosen is None:
        imported, chosen = _with_derivations(imported), len(layers)
    return _merged(_in_front(imported, chosen), diagnostics)


def _unfit(rules: Sequence[TreeRule], layer: int) -> tuple[TreeRule, str] | None:
    for rule in rules:
        template = rule.templates[layer]
        slots = [item.child for item in template if isinstance(item, Slot)]
        if not template:
            return rule, "has no words"
        if missing := sorted(set(range(len(rule.children))) - set(slots)):
            return rule, f"leaves out `?{missing[0] + 1}`"
        if len(slots) > len(rule.children):
            return rule, "uses a child twice"
    passing = [rule for rule in rules if len(rule.children) == len(rule.templates[layer]) == 1]
    below = nx.DiGraph((rule.state, rule.children[0]) for rule in passing)
    for rule in passing:
        if nx.has_path(below, rule.children[0], rule.state):
            return rule, "makes a phrase of itself, without a word"
    return None


def _with_derivations(imported: ImportedGrammar) -> ImportedGrammar:
    rules = []
    name = FreeNames(*(layer.name for layer in imported.layers)).free(_DERIVATION)
    for rule in imported.rules:
        label = quoted(make_quotable("_".join(rule.label.text.split()) or "_"))
        printed: list[Item] = [Token(f"{label}(" if rule.children else label)]
        for child in range(len(rule.children)):
            printed += [Slot(child), Token(",")]
        if rule.children:
            printed[-1] = Token(")")
        rules.append(rule._replace(templates=(*rule.templates, tuple(printed))))
    return replace(imported, layers=(*imported.layers, TextLayer(name, "")), rules=tuple(rules))


def _in_front(imported: ImportedGrammar, chosen: int) -> ImportedGrammar:
    """Return the grammar with this layer first, and without graphs on words of other layers."""
    order = sorted(range(len(imported.layers)), key=lambda layer: layer != chosen)
    layers = tuple(imported.layers[layer] for layer in order)
    graphs = tuple(graph for graph in imported.graphs if graph.anchor == layers[0].name)

    def ordered(rule: TreeRule) -> TreeRule:
        children = [item.child for item in rule.templates[chosen] if isinstance(item, Slot)]

        def moved(template: Template) -> Template:
            return tuple(
                replace(item, child=children.index(item.child)) if isinstance(item, Slot) else item for item in template
            )

        def glued(node: Node) -> Node:
            return replace(node, glue=tuple((children.index(child), port) for child, port in node.glue))

        graph = rule.graph if graphs else None
        return rule._replace(
            children=tuple(rule.children[child] for child in children),
            templates=tuple(moved(rule.templates[layer]) for layer in order),
            graph=replace(graph, nodes=tuple(map(glued, graph.nodes))) if isinstance(graph, Fragment) else graph,
        )

    return replace(imported, layers=layers, graphs=graphs, rules=tuple(map(ordered, imported.rules)))


def _merged(imported: ImportedGrammar, diagnostics: Diagnostics) -> ImportedGrammar:
    kept: dict[object, TreeRule] = {}
    merged: list[tuple[TreeRule, TreeRule]] = []
    for rule in imported.rules:
        key = rule.state, rule.children, rule.templates, rule.graph
        earlier = kept.setdefault(key, rule)
        if earlier is not rule:
            merged.append((rule, earlier))
            kept[key] = earlier._replace(weight=earlier.weight + rule.weight)
    if merged:
        again, earlier = merged[0]
        diagnostics.warning(
            "SGL1209",
            again.label.span,
            f"{len(merged):,} {'rule says' if len(merged) == 1 else 'rules say'} the same as another "
            "of the same state; they are merged, and their weights added",
            labels=[Label(earlier.label.span, "the same rule")],
            notes=(shortlist((f"`{rule.label.text}`" for rule, _ in merged), _SHOWN),),
        )
    return replace(imported, rules=tuple(kept.values()))


_WITH_FEATURES = re.compile(r"([A-Z]\w*)\[([^\[\]]+)\]")
_SETTING = re.compile(r"((?![A-Z])[^\W\d]\w*)=([^=,\"\\]+)")
_BARE_VALUE = re.compile(r"[^\W\d]\w*")


def write_sgl(grammar: CoreGrammar, comment: str = "", symbolic: bool = False) -> str:
    """Write a grammar of text layers as source text; its first layer must have every child once, in order.

    In a symbolic grammar, a category is named as a rule states it, with variables: ``NP[num=?n, case=?]``.
    """
    layers = FreeNames(*RESERVED)
    rules, naming = FreeNames(), CategoryNames(grammar, symbolic)
    names = [layers.free(identifier(layer.name, "layer")) for layer in grammar.text_layers]
    names += [layers.free(identifier(layer.name, "layer")) for layer in grammar.graph_layers]
    called = [rules.free(identifier(rule.name, "rule")) for rule in grammar.rules]
    # Without a dataset, texts begin with a category that has no features and is not part of another.
    start, start_rule, group = naming.shown[grammar.start], "", naming.groups
    if "[" in group[grammar.start] or any(group[grammar.start] == group[x] for rule in grammar.rules for x in rule.rhs):
        start, start_rule = naming.names.free("Start"), rules.free("start")
    grouped: dict[str, list[tuple[str, Rule, str, dict[int, str]]]] = {}
    for rule in grammar.rules:
        grouped.setdefault(group[rule.lhs], []).append((called[rule.id], rule, *_sides(naming.shown, rule)))
    text = filled(
        "grammar.sgl.j2",
        name=identifier(grammar.name, "grammar"),
        comment=" ".join(comment.split()),
        grammar=grammar,
        layers=names,
        naming=naming,
        declared=sorted(naming.declared, key=lambda line: line.split()[1] != start),
        start=start,
        start_rule=start_rule,
        rules=list(grouped.values()),
        decimal=decimal,
        quoted=string,
    )
    return layout(text)


def string(text: str) -> str:
    """Return the text in quotation marks."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _sides(shown: Sequence[str], rule: Rule) -> tuple[str, dict[int, str]]:
    """Return the right-hand side of a rule, and the clauses of other layers that differ."""
    # Children are named by their category if that is enough.
    bases = [shown[child].partition("[")[0] for child in rule.rhs]
    roles = number_repeated(bases, lambda base, number: f"{base.lower()}{number}")
    named = zip(roles, bases, rule.rhs, strict=True)
    children = [shown[child] if role == base else f"{role}:{shown[child]}" for role, base, child in named]
    passing = len(rule.rhs) == 1 and len(rule.templates[0]) == 1
    others = [
        (n, template) for n, template in enumerate(rule.templates) if n and not (passing and template == (Slot(0),))
    ]
    clauses = {number: _clause(template, roles) for number, template in others}
    for graph in () if passing else rule.fragments:
        clauses[len(rule.templates)] = _statements(graph, rule.templates[0], roles)
    return _clause(rule.templates[0], children), clauses


def _clause(template: Sequence[Item], roles: Sequence[str]) -> str:
    parts = []
    seen: set[int] = set()
    for item in template:
        if not isinstance(item, Slot):
            parts += [string(item.text)] if isinstance(item, Token) and item.text else []
            continue
        mode = "copy " if item.child in seen else "capital " if item.capital else ""
        seen.add(item.child)
        applied = "".join(f"{name}(" for name in item.functions)
        parts.append(
            f"{applied}{roles[item.child]}{')' * len(item.functions)}" if applied else mode + roles[item.child]
        )
    parts += [f"drop {role}" for child, role in enumerate(roles) if child not in seen]
    return " ".join(parts) or '""'


def _statements(graph: Fragment, words: Template, roles: Sequence[str]) -> str:
    """Return the clause of a graph layer; each word has its lemma where it is first mentioned."""
    mentioned: set[int] = set()

    def named(number: int) -> str:
        node = graph.nodes[number]
        word = words[node.token] if node.token is not None else None
        if not isinstance(word, Token):
            return roles[node.glue[0][0]]
        text, lemma = word.text, dict(node.attributes or ())["lemma"]
        told = number not in mentioned and lemma != text
        mentioned.add(number)
        return string(text) + f"(lemma={string(lemma)})" * told

    (head,) = graph.exports
    clear = graph.edges and all(edge.target != head for edge in graph.edges)
    stated = [] if clear else [f"head = {named(head)}"]
    stated += [f"{named(edge.source)} -[{edge.label}]-> {named(edge.target)}" for edge in graph.edges]
    return "; ".join(stated)


class CategoryNames:
    """The names of categories in rules, and the declarations that they need.

    ``NP[anim=yes, mod=none]`` is a category with features; if all categories with its base name have the same features,
    it is written as such.  Any other name becomes a name of letters, digits and ``_`` with a capital letter, and the
    original its title.
    """

    def __init__(self, grammar: CoreGrammar, symbolic: bool = False) -> None:
        names = [category.name for category in grammar.categories]
        featured = _with_features(names)
        self.names = FreeNames(*(base for base, _ in featured.values()))
        self.shown: list[str] = []
        #: The declaration of each category, or the category itself: its rules are written together.
        self.groups: list[str] = []
        self.features: dict[str, dict[str, None]] = {}
        self.declared: dict[str, None] = {}
        for name in names:
            base, values = featured.get(name, ("", {}))
            varying = {feature: value[2:-1] for feature, value in values.items() if symbolic and value[:2] == '"?'}
            for feature, value in values.items():
                if feature not in varying:
                    self.features.setdefault(feature, {})[value] = None
            title = ""
            if not base:
                base = category_name(name, self.names)
                if base != name:
                    # Characters that a quotation cannot hold are left out of the title.
                    kept = (c if c.isprintable() and c not in '"\\' else " " for c in name)
                    title = f' "{"".join(kept)}"'
            self.declared[f"category {base}{brackets(values)}{title}"] = None
            known = {feature: varying.get(feature, value) for feature, value in values.items()}
            self.shown.append(f"{base}{brackets(f'{feature}={value}' for feature, value in known.items() if value)}")
            self.groups.append(f"{base}{brackets(values)}" if symbolic else self.shown[-1])


def category_name(name: str, free: FreeNames) -> str:
    """Return a free name of letters, digits and ``_`` for a category, with a capital letter."""
    plain = re.sub(r"\W+", "_", name).strip("_")
    plain = plain[:1].upper() + plain[1:] if plain[:1].isascii() else plain
    return free.free(plain if re.match(r"[A-Z]", plain) else f"C_{plain}".rstrip("_"))


def brackets(parts: Iterable[str]) -> str:
    """Return the parts in brackets, as written after the name of a category."""
    inside = ", ".join(parts)
    return f"[{inside}]" if inside else ""


def _with_features(names: Sequence[str]) -> dict[str, tuple[str, dict[str, str]]]:
    split: dict[str, tuple[str, dict[str, str]]] = {}
    kinds: dict[str, set[tuple[str, ...]]] = {}
    for name in names:
        base, values = name, dict[str, str]()
        if (match := _WITH_FEATURES.fullmatch(name)) is not None:
            parts = match[2].split(", ")
            settings = [found for found in map(_SETTING.fullmatch, parts) if found is not None]
            written = {
                setting[1]: setting[2] if _BARE_VALUE.fullmatch(setting[2]) else f'"{setting[2]}"'
                for setting in settings
            }
            if len(written) == len(parts):
                base, values = split[name] = match[1], written
        kinds.setdefault(base, set()).add(tuple(values))
    return {name: found for name, found in split.items() if len(kinds[found[0]]) == 1}
