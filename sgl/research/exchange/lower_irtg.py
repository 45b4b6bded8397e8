"""Lower the syntax of IRTGs to a core grammar with a text layer for each interpretation.

Feature trees are also a graph layer on the first strings.  Several grammars share the states in which they do not
differ; other states are copied, and derivations begin with a rule that is named after their grammar.  Several final
states are gathered under a category of their own.  Rules that cannot take part in a derivation are left
out, since SGL treats them as mistakes.  Weights are divided by their sum.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from math import inf
from typing import NamedTuple

from sgl.core.grammar import Category, CoreGrammar, Fragment, GraphLayer, Node, Rule, Slot, Template, TextLayer
from sgl.core.graphs import reachable
from sgl.diagnostics import Diagnostics, Span, shortlist, suggest
from sgl.lang.syntax import Name
from sgl.research.exchange.feature_trees import tree_fragment
from sgl.research.exchange.irtg_file import ALGEBRAS, Algebra, IrtgFile, TermOf, TermReader
from sgl.research.exchange.names import FreeNames

#: The most by which the weights of a state may differ from 1 in sum and still count as probabilities.
TOLERANCE = 1e-9
_LARGEST = 1e12
_SHOWN = 3


class TreeRule(NamedTuple):
    """A rule with the names of its states; ``weighted`` if the file gives its weight."""

    label: Name
    state: str
    children: tuple[str, ...]
    weight: float
    weighted: bool
    templates: tuple[Template, ...]
    #: The graph of its feature tree, or the label that is on no word.
    graph: Fragment | str | None = None


@dataclass(frozen=True)
class ImportedGrammar:
    """The layers, states and rules of an imported grammar; perhaps no layer is suitable as a source."""

    name: str
    layers: tuple[TextLayer, ...]
    graphs: tuple[GraphLayer, ...]
    states: tuple[str, ...]
    rules: tuple[TreeRule, ...]
    start: str
    #: Whether names of states contain features as rules state them, ``NP[num=?n]``.
    symbolic: bool = False

    @property
    def trees(self) -> frozenset[int]:
        """The layers that print trees: they have no spaces, or drop commas before brackets."""
        return frozenset(number for number, layer in enumerate(self.layers) if not layer.join or layer.finish)

    @cached_property
    def grammar(self) -> CoreGrammar:
        """The core grammar, whose categories are the states."""
        numbers = {state: number for number, state in enumerate(self.states)}
        rules = [
            Rule(
                id=number,
                name=rule.label.text,
                lhs=numbers[rule.state],
                rhs=tuple(numbers[child] for child in rule.children),
                weight=rule.weight,
                templates=rule.templates,
                fragments=(rule.graph,) if self.graphs and isinstance(rule.graph, Fragment) else (),
            )
            for number, rule in enumerate(self.rules)
        ]
        categories, start = tuple(map(Category, self.states)), numbers[self.start]
        return CoreGrammar(self.name, categories, tuple(rules), start, self.layers, self.graphs)


#: The rules of one file that take part in derivations, and its final states.
_Lowered = tuple[list[TreeRule], list[str]]


def lower_irtg(
    files: Mapping[str, IrtgFile], name: str, span: Span, diagnostics: Diagnostics
) -> ImportedGrammar | None:
    """Return the grammar of files, under this name, or None after reporting errors, perhaps at ``span``."""
    own = {called: _algebras(file, diagnostics) for called, file in files.items()}
    algebras = next(iter(own.values()))
    for called in (called for called, other in own.items() if other != algebras):
        diagnostics.error("SGL1204", span, f"`{called}` has other interpretations than the first grammar")
    found = {called: _lowered(file, algebras, span, diagnostics) for called, file in files.items()}
    if diagnostics.errors:
        return None
    rules, starts = _united(found)
    layers = [TextLayer(called, kind.join, finish=kind.finish) for called, kind in algebras.items()]
    graphs = [GraphLayer(f"{tree}_graph", text) for text, tree in _graphed(algebras)]
    if graphs and (lacking := next((rule for rule in rules if isinstance(rule.graph, str)), None)) is not None:
        message = f"there is no `{graphs[0].name}`, for here `{lacking.graph}` is on no word of `{graphs[0].anchor}`"
        diagnostics.warning("SGL1470", lacking.label.span, message)
        graphs = []
    return assemble(name, layers, rules, starts, diagnostics, graphs=graphs)


def _lowered(file: IrtgFile, algebras: dict[str, Algebra], span: Span, diagnostics: Diagnostics) -> _Lowered:
    for feature in file.features:
        message = f"the feature `{feature}` is left out: SGL has weights of rules only"
        diagnostics.warning("SGL1202", feature.span, message)
    rules = _rules(file, algebras, diagnostics)
    states = (state for rule in file.rules for state in (rule.state, *rule.children))
    marked = list(dict.fromkeys(state.name.text for state in states if state.final))
    useful = useful_rules(rules, marked)
    kept = [rule for rule in rules if id(rule) in useful]
    used = {rule.state for rule in kept}
    finals = [state for state in marked if state in used]
    missing, hint = "no derivation from its final states", ""
    if not algebras:
        missing = "no interpretation over strings or trees"
    elif not marked:
        missing, hint = "no final state", "mark where derivations begin: `S! -> …`"
    if not diagnostics.errors and not (algebras and finals):
        diagnostics.error("SGL1204", span, f"this IRTG has {missing}", hint=hint)
    elif not diagnostics.errors:
        report_useless(rules, kept, diagnostics)
    return kept, finals


def _united(found: Mapping[str, _Lowered]) -> tuple[list[TreeRule], dict[str, list[str]]]:
    """Return the rules of several grammars, and the final states of each."""
    if len(found) == 1:
        ((rules, finals),) = found.values()
        return rules, {"start": [*finals]}
    meanings: dict[str, set[object]] = {}
    below: dict[str, set[str]] = {}
    for rules, _ in found.values():
        own: dict[str, Counter[object]] = {}
        for rule in rules:
            own.setdefault(rule.state, Counter())[rule.children, rule.weight, rule.templates] += 1
            below.setdefault(rule.state, set()).update(rule.children)
        for state, meaning in own.items():
            meanings.setdefault(state, set()).add(frozenset(meaning.items()))
    # The states that have the same rules everywhere, and about such states only.
    shared = {state for state, meaning in meanings.items() if len(meaning) == 1}
    while changed := {state for state in shared if not shared.issuperset(below[state])}:
        shared -= changed
    united, starts, done, names = list[TreeRule](), dict[str, list[str]](), set[str](), FreeNames(*below)
    for called, (rules, finals) in found.items():
        named = {state: state if state in shared else names.free(f"{state} {called}") for state in below}
        for rule in rules:
            if rule.state not in shared & done:
                children = tuple(named[child] for child in rule.children)
                united.append(rule._replace(state=named[rule.state], children=children))
        done.update(rule.state for rule in rules)
        starts[called] = [named[final] for final in finals]
    return united, starts


def _graphed(algebras: Mapping[str, Algebra]) -> list[tuple[str, str]]:
    """Return the first interpretation over strings with the first over feature trees, if there are both."""
    strings = [name for name, kind in algebras.items() if kind.operation]
    return [*zip(strings, (name for name, kind in algebras.items() if kind.finish), strict=False)][:1]


def _algebras(file: IrtgFile, diagnostics: Diagnostics) -> dict[str, Algebra]:
    found: dict[str, Algebra] = {}
    seen: set[str] = set()
    for declared in file.interpretations:
        name, called = declared.name.text, declared.algebra.text.rpartition(".")[2]
        if name in seen:
            diagnostics.error("SGL1203", declared.name.span, f"the interpretation `{name}` occurs twice")
        elif called in ALGEBRAS:
            found[name] = ALGEBRAS[called]
        else:
            note = "strings and trees have one: " + ", ".join(ALGEBRAS)
            diagnostics.warning(
                "SGL1202",
                declared.algebra.span,
                f"the interpretation `{name}` is left out: SGL has no counterpart of a {called}",
                notes=(note,),
            )
        seen.add(name)
    return found


def _rules(file: IrtgFile, algebras: dict[str, Algebra], diagnostics: Diagnostics) -> list[TreeRule]:
    declared = [interpretation.name.text for interpretation in file.interpretations]
    meanings: dict[str, dict[str, TermOf]] = {}
    rules = []
    split: list[Span] = []
    for rule in file.rules:
        label = rule.label
        meaning = meanings.setdefault(label.text, {})
        own: set[str] = set()
        for value in rule.terms:
            given = value.interpretation
            if given.text not in declared:
                hint = suggest(given.text, declared)
                diagnostics.error("SGL1203", given.span, f"there is no interpretation `{given}`", hint=hint)
            elif given.text in own:
                diagnostics.error("SGL1203", given.span, f"the rule `{label}` has two values in `{given}`")
            else:
                own.add(given.text)
                meaning[given.text] = value
        reader = TermReader(len(rule.children), diagnostics)
        templates = []
        for name, kind in algebras.items():
            if name in meaning:
                templates.append(reader.template(meaning[name].term, kind))
                continue
            message = f"the rule `{label}` has no value in the interpretation `{name}`"
            diagnostics.error("SGL1203", label.span, message, f"add a line `[{name}] …` below it")
        split += reader.split
        weight = 1.0 if rule.weight is None else weight_of(rule.weight, diagnostics)
        children = tuple(child.name.text for child in rule.children)
        weighted = rule.weight is not None
        state = rule.state.name.text
        graph = None
        for text, tree in _graphed(algebras) if not diagnostics.errors else ():
            graph = tree_fragment(meaning[tree].term, templates[list(algebras).index(text)])
        rules.append(TreeRule(label, state, children, weight, weighted, tuple(templates), graph))
    for span in dict.fromkeys(split):
        diagnostics.warning("SGL1207", span, "this word has spaces in it and becomes several words")
    return rules


def weight_of(written: Name, diagnostics: Diagnostics) -> float:
    """Return a weight as a number, reporting an invalid one."""
    try:
        weight = float(written.text.strip("[]"))
    except ValueError:
        weight = inf
    if not 0 <= weight < _LARGEST:
        hint = "a weight is a number that is not negative, such as `[0.25]`"
        diagnostics.error("SGL1203", written.span, f"`{written}` is not a weight", hint=hint)
    return weight


def useful_rules(rules: Sequence[TreeRule], finals: Sequence[str]) -> set[int]:
    """Return the identities of the rules that take part in derivations from ``finals``."""
    weighted = [rule for rule in rules if rule.weight > 0]
    productive, found = None, set[str]()
    while found != productive:
        productive = found
        found = {rule.state for rule in weighted if productive.issuperset(rule.children)}
    buildable = [rule for rule in weighted if found.issuperset(rule.children)]
    below = defaultdict[str, list[str]](list)
    for rule in buildable:
        below[rule.state] += rule.children
    reached = reachable(finals, below)
    return {id(rule) for rule in buildable if rule.state in reached}


def report_useless(rules: Sequence[TreeRule], kept: Sequence[TreeRule], diagnostics: Diagnostics) -> None:
    """Report the rules that are not kept."""
    useful = set(map(id, kept))
    if left_out := [rule for rule in rules if id(rule) not in useful]:
        diagnostics.warning(
            "SGL1205",
            left_out[0].label.span,
            f"{len(left_out):,} of {len(rules):,} rules are used in no derivation, and are left out",
            notes=(shortlist((f"`{rule.label}`" for rule in left_out), _SHOWN),),
        )


def _gathered(finals: Mapping[str, Sequence[str]], start: str, names: FreeNames) -> Iterator[tuple[str, str, str]]:
    """Yield the name, the state and the child of each rule from the start down to the final states of grammars."""
    for called, own in finals.items():
        above = start
        if len(finals) > 1 < len(own):
            # One of several grammars is below one rule, however many final states it has.
            above = names.free(f"Start {called}")
            yield called, start, above
        for final in own:
            yield called, above, final


def assemble(
    name: str,
    layers: Sequence[TextLayer],
    rules: Sequence[TreeRule],
    finals: Mapping[str, Sequence[str]],
    diagnostics: Diagnostics,
    symbolic: bool = False,
    graphs: Sequence[GraphLayer] = (),
) -> ImportedGrammar:
    """Build the grammar of useful rules; weights become probabilities unless categories are symbolic.

    ``finals`` are the final states of each grammar; if there are several, a rule with its name is above those of a
    grammar.
    """
    mentioned = (child for rule in rules for child in rule.children)
    states = list(dict.fromkeys((*(rule.state for rule in rules), *mentioned, *chain(*finals.values()))))
    start, *others = chain(*finals.values())
    if others:
        names = FreeNames(*states)
        start = names.free("Start")
        where = {rule.state: rule.label.span for rule in reversed(rules)}
        passing, same = ((Slot(0),),) * len(layers), Fragment((Node(glue=((0, 0),)),), (), (0,))
        gathering = [
            TreeRule(Name(called, where[next(iter(finals[called]))]), state, (child,), 1.0, False, passing, same)
            for called, state, child in _gathered(finals, start, names)
        ]
        rules = [*gathering, *rules]
        states[:0] = dict.fromkeys(rule.state for rule in gathering)
    weights = [rule.weight for rule in rules] if symbolic else _normalize(rules, diagnostics)
    weighed = (rule._replace(weight=weight) for rule, weight in zip(rules, weights, strict=True))
    return ImportedGrammar(name, tuple(layers), tuple(graphs), tuple(states), tuple(weighed), start, symbolic)


def _normalize(rules: Sequence[TreeRule], diagnostics: Diagnostics) -> list[float]:
    totals: Counter[str] = Counter()
    for rule in rules:
        totals[rule.state] += rule.weight  # type: ignore[assignment]
    changed = {state for state, total in totals.items() if abs(total - 1) > TOLERANCE}
    weighted = {rule.state for rule in rules if rule.weighted}
    if reported := [state for state in totals if state in changed & weighted]:
        first = next(rule for rule in rules if rule.state == reported[0])
        sums = (f"those of `{state}` sum to {totals[state]:.6g}" for state in reported)
        diagnostics.warning(
            "SGL1206",
            first.label.span,
            f"the weights of {len(reported):,} of {len(totals):,} states are not probabilities; "
            "they are divided by their sum",
            notes=(shortlist(sums, _SHOWN),),
        )
    return [rule.weight / totals[rule.state] if rule.state in changed else rule.weight for rule in rules]
