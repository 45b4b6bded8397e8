"""The finish of a text layer: what is absorbed, written otherwise, in one piece, with a capital; and twins.

A word that is absorbed leaves the graphs, depending on what stands next to it.  Automata know
nothing of that, so such a word must be one that no structure can see: nothing stands below it, no
other rule reaches it, and no test of a structure accepts it.

A layer that is the twin of the source takes over every template of it.  A clause of its own is a *difference*::

    V[num=sg]   en $sg   bad $pl        the dogs near the cat bark / barks

How many differences a phrase has is a number that follows from its rule and its parts, so the numbers that the
phrases of a category can have are found once and for all.  Those of whole texts must be exactly one.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from sgl.core import structure as c
from sgl.core.grammar import CoreGrammar, Slot, TextLayer, Token
from sgl.core.interpret import Derivation, capitalised, interpret
from sgl.core.rounds import Rounds
from sgl.core.spelling import Finish
from sgl.diagnostics import Span, suggest
from sgl.frontend.state import CompilerState
from sgl.lang import syntax as s

#: The options of a text layer: whether words stand there, what behind them, and an example.
_FORMS: dict[str, tuple[tuple[tuple[bool, str], ...], str]] = {
    "join": (((True, ""),), 'takes one quoted text, `join ""`'),
    "attach": (((True, ""), (False, "after")), 'is written `attach "."`, or `attach after "("`'),
    "absorb": (((True, "before"), (True, "first")), 'is written `absorb "," before "." ","`'),
    "capital": (((False, "first"),), "is written `capital first`"),
}
_NOTE = "whether such a word is in a text depends on the words next to it"


def options_in_force(declaration: s.Layer, state: CompilerState) -> Iterator[s.LayerOption]:
    """Yield the options of a text layer that apply; report those that are not written so."""
    for option in declaration.options:
        name = ""
        if isinstance(option, s.Option):
            name, place = option.name.text, option.place.kind.text if option.place else ""
            if name not in _FORMS:
                hint = suggest(name, _FORMS) or f"its options are {', '.join(_FORMS)}"
                state.error("SGL0201", option.name.span, f"a text layer has no option `{name}`", hint)
                continue
            forms, example = _FORMS[name]
            several = name == "join" and len(option.values) > 1
            if several or (bool(option.values), place) not in forms:
                state.error("SGL0308", option.span, f"`{name}` {example}")
                continue
        words = [word for word in s.parts_of(s.Name, option) if word.quoted]
        if name != "join" and any(not w.text or w.text != w.text.strip() for w in words):
            state.error("SGL0308", option.span, "a word is empty, or has a space at an end")
        elif state.parameters.holds(option.when):
            yield option


def finish_of(options: Sequence[s.LayerOption], state: CompilerState) -> Finish | None:
    """Return the finish that options in force ask for, if any."""
    after, absorb, capital, twin = set[str](), set[tuple[str, str]](), 0, ""
    tables: tuple[dict[tuple[str, str], str], ...] = ({}, {})
    for option in options:
        if isinstance(option, s.Contrast):
            twin = option.layer.text
            continue
        before = [word.text for word in option.place.words] if option.place is not None else []
        if isinstance(option, s.Option):
            name, values = option.name.text, [value.text for value in option.values]
            after.update(before if name == "attach" else ())
            if name == "absorb":
                absorb |= {(word, other) for word in values for other in before or [""]}
            capital |= name == "capital"
            continue
        elision = isinstance(option, s.Elision)
        rights = [option.right.text] if isinstance(option, s.Elision) else before
        for pair in [(option.left.text, right) for right in rights]:
            if tables[elision].setdefault(pair, option.form.text) != option.form.text:
                message = f"`{pair[0]}` is written in two ways before `{pair[1]}`"
                state.error("SGL0308", option.span, message, "keep one of the two, or give each a `when` of its own")
    forms, elisions = (tuple((*pair, form) for pair, form in own.items()) for own in tables)
    found = Finish(tuple(sorted(after)), tuple(sorted(absorb)), forms, elisions, int(capital), twin)
    return found if found != Finish() else None


@dataclass(frozen=True)
class Absorbed:
    """The words of a graph layer that may be absorbed: labels to them, and their attributes."""

    layer: str
    labels: frozenset[str]
    attributes: tuple[Mapping[str, str], ...]

    def report(self, found: c.Structure, span: Span, state: CompilerState) -> None:
        """Report a structure that may see one of the words."""
        words = ", ".join(sorted({f"`{own.get('lemma', '')}`" for own in self.attributes}))
        for body in (found.body, *found.without):
            known = {body.variables[n].name for x in body.links for n in (x.source, x.target)}
            known |= {v.name for v in found.body.variables} if body is not found.body else set()
            tests = [link.labels for link in body.links]
            tests += [degree.labels for v in body.variables for degree in v.degrees]
            labels = [label for label in sorted(self.labels) if any(t.accepts(label) for t in tests)]
            alone = [v for v in body.variables if v.name not in known]
            hints = [f"say which labels you mean, without `{x}`: `-[^{x}|…]->`" for x in labels]
            hints += [f"exclude them: `{v.name}[upos!=PUNCT]`" for v in alone if self._passes(v)]
            if hints:
                message = f"this structure can see words that `{self.layer}` absorbs: {words}"
                state.error("SGL0320", span, message, hints[0], notes=(_NOTE,))
                return

    def _passes(self, variable: c.Variable) -> bool:
        return any(all(test.accepts(own.get(test.attribute, "")) for test in variable.tests) for own in self.attributes)


def absorbed_in(grammar: CoreGrammar, layer: int) -> Absorbed | None:
    """Return the words of a graph layer that may be absorbed, if there are any."""
    labels, different = set[str](), dict[object, Mapping[str, str]]()
    for rule, nodes in _leaves(grammar, layer):
        fragment = grammar.rules[rule].fragments[layer]
        labels |= {edge.label for edge in fragment.edges if edge.target in nodes}
        different |= {own: dict(own or ()) for own in (fragment.nodes[n].attributes for n in nodes)}
    name = grammar.graph_layers[layer].anchor
    return Absorbed(name, frozenset(labels), tuple(different.values())) if different else None


def uncounted_in(grammar: CoreGrammar) -> tuple[str, ...]:
    """Return the text layers whose words depend on neighbours, or on functions."""
    return tuple(
        layer.name
        for number, layer in enumerate(grammar.text_layers)
        if (layer.finish is not None and layer.finish.absorb)
        or any(rule.applies_functions(number) for rule in grammar.rules)
    )


def check_absorbed(state: CompilerState) -> None:
    """Report absorbable words that are more than leaves of the graph of their rule. Before: ``declared``."""
    grammar, reported = state.declared.grammar, set[Span]()
    for layer, graph in enumerate(grammar.graph_layers):
        for rule, nodes in _leaves(grammar, layer):
            fragment, span = grammar.rules[rule].fragments[layer], state.declared.rule_spans[rule]
            used = {*fragment.exports, *(edge.source for edge in fragment.edges)}
            if span not in reported and not used.isdisjoint(nodes):
                reported.add(span)
                message = f"this rule has a word that `{graph.anchor}` absorbs, and it is no leaf of the graph"
                hint = "quote the word in a rule where one edge leads to it and none from it"
                state.error("SGL0320", span, message, hint, notes=(_NOTE,))


def _leaves(grammar: CoreGrammar, layer: int) -> Iterator[tuple[int, set[int]]]:
    anchor = grammar.anchors[layer]
    finish = grammar.text_layers[anchor].finish
    words = {word for word, _ in finish.absorb} if finish is not None else set()
    for rule in grammar.rules if words else ():
        lost = {
            n
            for n, item in enumerate(rule.templates[anchor])
            if isinstance(item, Token) and not words.isdisjoint({item.text, capitalised(item.text)})
        }
        nodes = enumerate(rule.fragments[layer].nodes)
        if lost and (own := {n for n, node in nodes if node.token in lost}):
            yield rule.id, own


#: Differences are counted up to this number.
SEVERAL = 2


def with_twins(text: Sequence[TextLayer], state: CompilerState) -> tuple[TextLayer, ...]:
    """Return the text layers, where twins join their words as the source layer does."""
    found = list(text[:1])
    for layer in text:
        twin = layer.finish.twin if layer.finish is not None else ""
        plain = replace(layer, finish=Finish(twin=twin)) == TextLayer(layer.name, finish=layer.finish)
        if twin and (twin != text[0].name or layer is text[0] or not plain):
            message = f"`{layer.name}` is the twin of no layer before it, or has other options"
            hint = "only the source layer, the first one, can have a twin, which joins words as it"
            state.error("SGL0325", _span(layer, state), message, hint)
        own = (text[0].finish or Finish())._replace(twin=twin)
        found.append(replace(text[0], name=layer.name, finish=own) if twin else layer)
    return tuple(found[1:])


def check_contrast(state: CompilerState) -> None:
    """Report sentences that differ from their twins nowhere, or in several places. Before: ``declared``."""
    grammar = state.declared.grammar
    for number, layer in enumerate(grammar.text_layers):
        if layer.finish is None or not layer.finish.twin:
            continue
        found = differences(grammar, number)[grammar.start]
        for count, derivation in sorted(found.items()):
            if count == 1:
                continue
            texts = interpret(grammar, derivation).texts
            where = "nowhere" if not count else "in more than one place"
            message = f"a sentence differs from its twin in `{layer.name}` {where}"
            hint = "let each sentence use exactly one clause of the twin, by a feature for example"
            state.error("SGL0325", _span(layer, state), message, hint, notes=[f"“{texts[0]}”, and “{texts[number]}”"])
            break


def differences(grammar: CoreGrammar, layer: int) -> list[dict[int, Derivation]]:
    """Return for each category how many differences its phrases can have, with examples."""
    found: list[dict[int, Derivation]] = [{} for _ in grammar.categories]
    rounds = Rounds(rule.rhs for rule in grammar.rules)
    for rule in map(grammar.rules.__getitem__, rounds):
        own = rule.templates[layer] != rule.templates[0]
        used = Counter(item.child for item in rule.templates[layer] if isinstance(item, Slot))
        for parts in product(*[list(found[child].items()) for child in rule.rhs]):
            total = min(own + sum(used[place] * count for place, (count, _) in enumerate(parts)), SEVERAL)
            if total not in found[rule.lhs]:
                inside = (number for _, derivation in parts for number in derivation)
                found[rule.lhs][total] = (rule.id, *inside)
                rounds.grew(rule.lhs)
    return found


def _span(layer: TextLayer, state: CompilerState) -> Span:
    return next(d.span for d, _ in state.names.of(s.Layer) if d.name.text == layer.name)
