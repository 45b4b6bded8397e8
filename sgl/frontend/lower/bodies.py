"""Lower the bodies of structures: chains and repetitions become variables, edges and paths.

The body of a ``repeat`` is written out for each repetition, with new variable names that occur nowhere else in the
structure: a ``without`` body shares a variable with the first body only if the author does.

A structure may also test the length and the depth of the whole text.  A length stays a separate test.  A depth becomes
a walk, or the absence of one, from any node::

    depth ccomp >= 3     { A -[ccomp]{3}-> B }
    depth ccomp <= 2     { N } without { A -[ccomp]{3}-> B } without { N -[ccomp]{3}-> B } …
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from functools import partial
from itertools import count, product
from typing import cast

from sgl.core import structure as c
from sgl.core.derivation import CATEGORY, RULE
from sgl.core.grammar import DERIVATION, GraphLayer
from sgl.diagnostics import Label, Reported, Span, attempt, each, shortlist, sound, suggest, suggested
from sgl.foreign import limits, raising
from sgl.frontend.elaborate.substitution import seen_in, variables_in
from sgl.frontend.lower.finishing import Absorbed
from sgl.frontend.names.scopes import Resolved, Scope
from sgl.lang import syntax as s
from sgl.values import dataclass, field

_Statement = s.Chain | s.Repeat | s.Length | s.Depth | s.Sameness

#: Maximum number of edges and paths in a structure.
MAX_EDGES = 400
_LISTED = 12


@dataclass(frozen=True)
class StructureContext:
    """The context for lowering structures: the labels and attributes of a layer of a grammar.

    Both are None if rules had errors; then no name is reported as unknown.  ``targets`` are those of the pattern,
    ``texts`` the text layers, ``uncounted`` those whose words cannot be counted in advance; ``absorbed`` are words that
    no structure may see.  A layer other than the first is ``named`` in its structures' texts. ``beside`` are the
    contexts of all layers by name, ``unsound`` the layers with reported errors; ``percent`` scales numbers of
    sentences.  ``told`` are names with identifying tests in the structure of a condition; they do not mean a rule or
    category in the condition either.
    """

    layer: GraphLayer
    state: Resolved
    named: bool = False
    beside: Mapping[str, StructureContext] = field(default_factory=dict, repr=False, compare=False)
    unsound: Set[str] = frozenset()
    percent: int = 100
    labels: Set[str] | None = None
    attributes: Mapping[str, Set[str]] | None = None
    targets: tuple[str, ...] | None = None
    told: frozenset[str] = frozenset()
    texts: tuple[str, ...] = ()
    uncounted: tuple[str, ...] = ()
    absorbed: Absorbed | None = None

    @property
    def content(self) -> Hashable:
        """Everything against which structures are checked, as a value."""
        known = tuple((name, frozenset(values)) for name, values in (self.attributes or {}).items())
        labels = None if self.labels is None else frozenset(self.labels)
        return (self.layer, self.named, labels, known, self.texts, self.uncounted, repr(self.absorbed))

    def check_lemmas(self, words: Iterable[s.Name], hint: str) -> None:
        """Report words that are not lemmas; the hint is used if no lemma is similar."""
        lemmas = self.attributes["lemma"] if self.attributes is not None else None
        for word in words:
            if lemmas is not None and word.text not in lemmas:
                message = f"no word has `lemma={word}`"
                self.state.error("SGL0808", word.span, message, suggest(word.text, lemmas) or hint)


def check_repeats(body: s.BodyPattern, outside: Mapping[str, Span], state: Resolved) -> None:
    """Report variables inside a ``repeat`` that also occur outside: only its two ends may."""
    for repeat in body.statements:
        if not isinstance(repeat, s.Repeat):
            continue
        inside = {name.text: name.span for name in reversed(seen_in(repeat.body))}
        ends = (repeat.first.text, repeat.last.text)
        for variable in (name for name in inside if name in outside and name not in ends):
            message = f"`{variable}` cannot be the same node inside and outside this `repeat`"
            labels = [Label(outside[variable], "this is outside")]
            notes = ("only its two ends can be seen from outside",)
            hint = "give one of the two another name"
            state.error("SGL0801", inside[variable], message, hint, labels=labels, notes=notes)
        check_repeats(repeat.body, {**inside, **outside}, state)


@dataclass
class BodyLowering:
    """One body of a structure; ``taken`` are the names of variables in all its bodies.

    Those ``told`` have a test that identifies their rule or category.
    """

    scope: Scope
    context: StructureContext
    taken: set[str]
    told: Set[str]
    tests: dict[str, list[c.NodeTest]] = field(default_factory=dict)
    degrees: dict[str, list[c.DegreeTest]] = field(default_factory=dict)
    links: list[c.Link] = field(default_factory=list)
    lengths: list[c.LengthTest] = field(default_factory=list)
    depths: list[tuple[c.Body, ...]] = field(default_factory=list)
    apart: set[frozenset[str]] = field(default_factory=set)

    def run(self, body: s.BodyPattern) -> c.Body:
        """Return the body, as far as it is sound."""
        self._statements(body, {})
        if self._full():
            self._error(body.span, f"a structure has at most {MAX_EDGES} edges")
        variables = tuple(
            c.Variable(name, tuple(dict.fromkeys(self.tests[name])), tuple(dict.fromkeys(self.degrees[name])))
            for name in self.tests
        )
        return c.Body(variables, tuple(dict.fromkeys(self.links)), tuple(dict.fromkeys(self.lengths)))

    def _full(self) -> bool:
        return len(self.links) > MAX_EDGES

    def _error(self, span: Span, message: str, hint: str = "") -> None:
        self.context.state.error("SGL0801", span, message, hint)

    def _statements(self, body: s.BodyPattern, renaming: Mapping[str, str]) -> None:
        sound(partial(self._statement, renaming=renaming), body.statements)

    def _statement(self, statement: _Statement, renaming: Mapping[str, str]) -> None:
        match statement:
            case s.Repeat():
                self._repeat(statement, renaming)
            case s.Length():
                self.lengths.append(_length_test(statement, self.context.texts, self.context.state))
            case s.Depth():
                labels = self._labels(statement.labels)
                self.depths.append(_depth_bodies(statement, labels, self.context.state))
            case s.Sameness():
                self._sameness(statement)
            case s.Chain():
                nodes = [self._variable(variable, renaming) for variable in statement.variables]
                each(lambda edge: self._edge(*edge), zip(statement.edges, nodes, nodes[1:], strict=False))

    def _edge(self, edge: s.EdgePattern, source: int, target: int) -> None:
        labels = self._labels(edge.labels)
        bounds = self._bounds(edge, edge.bounds) if edge.bounds is not None else (1, 1)
        self.links.append(c.Link(source, labels, target, *bounds))

    def _sameness(self, told: s.Sameness) -> None:
        if (missing := next((n for n in (told.first, told.second) if n.text not in self.taken), None)) is not None:
            self._error(missing.span, f"`{missing}` does not occur between these braces")
        elif told.first.text == told.second.text:
            self._error(told.span, f"`{told.first}` is always one node")
        elif told.may:
            message = "`may be` stands between the first braces of `forbid`, `assert never`, `gen` or `exclude`"
            self._error(told.span, message, "write the clause twice: with two nodes, and with one")
        self.apart.add(frozenset((told.first.text, told.second.text)))

    def _repeat(self, repeat: s.Repeat, renaming: Mapping[str, str]) -> None:
        times = self.context.state.parameters.whole(repeat.times, 1)
        _check_count(times, repeat.times.span, self.context.state)
        inner = {name.text for name in variables_in(repeat.body)}
        for end in (repeat.first, repeat.last):
            if end.text not in inner:
                self._error(end.span, f"`{end}` does not occur between the braces of this `repeat`")
                return
        first, last = repeat.first.text, repeat.last.text
        current = renaming.get(first, first)
        for step in range(times):
            if self._full():
                return
            copy = {name: self._new_name(name) for name in sorted(inner - {first, last})}
            following = renaming.get(last, last) if step == times - 1 else self._new_name(last)
            copy[first], copy[last] = current, following
            self._statements(repeat.body, copy)
            current = following

    def _new_name(self, name: str) -> str:
        """Return an unused name ``V_1``, ``V_2``, … for a copy of ``V``."""
        new = next(new for n in count(1) if (new := f"{name}_{n}") not in self.taken)
        self.taken.add(new)
        return new

    def _bounds(self, edge: s.EdgePattern, written: s.Bounds) -> tuple[int, int | None]:
        numbers = [number for number in (written.low, written.high) if number is not None]
        low, *others = each(partial(self.context.state.parameters.whole, minimum=1), numbers)
        high = others[0] if others else None
        _check_count(max(low, high or 0), numbers[-1].span, self.context.state)
        if high is not None and high < low:
            self.context.state.fail("SGL0801", edge.span, f"a path of {low} to {high} edges is impossible")
        return low, high

    def _variable(self, ref: s.VariableRef, renaming: Mapping[str, str]) -> int:
        name = renaming.get(ref.name.text, ref.name.text)
        tests = self.tests.setdefault(name, [])
        tests += self._meant(ref.name)
        tests += sound(self._attribute_test, (test for test in ref.tests if isinstance(test, s.AttributeTest)))
        counts = (test for test in ref.tests if isinstance(test, s.CountTest))
        self.degrees.setdefault(name, []).extend(sound(self._degree_test, counts))
        return list(self.tests).index(name)

    def _degree_test(self, test: s.CountTest) -> c.DegreeTest:
        number, state = self.context.state.parameters.whole(test.number), self.context.state
        kind = _COMPARISONS.get(test.comparison.text)
        if kind is None:
            state.fail("SGL0801", test.comparison.span, "a count is tested with `=`, `>=` or `<=`")
        _check_count(number, test.number.span, state)
        return c.DegreeTest(self._labels(test.labels), kind, number)

    def _meant(self, name: s.Name) -> Sequence[c.NodeTest]:
        """Return the tests implied by a node's name: in a derivation, the name of a rule or a category."""
        small, known = not name.text[0].isupper(), self.context.attributes or {}
        if name.text in self.told:
            return ()
        if self.context.layer.name != DERIVATION:
            if small:
                hint = f"nodes of a structure have a capital letter: `{name.text[:1].upper()}{name.text[1:]}`"
                if (s.Rule, name.text) in self.context.state.names.first:
                    hint = f"rules are nodes of the derivation: `{DERIVATION} {{ {name} }}`"
                self._error(name.span, f"`{name}` is not a node of a structure", hint)
            return ()
        attribute = RULE if small else CATEGORY
        if not small and (s.CategoryDecl, name.text) not in self.context.state.names.first:
            return ()
        if name.text not in known.get(attribute, {name.text}):
            message = f"no rule or lexicon is called `{name}`" if small else f"no phrase has the category `{name}`"
            self._unknown("SGL0808", name, message, known[attribute])
            return ()
        return (c.NodeTest(attribute, frozenset({name.text})),)

    def _attribute_test(self, test: s.AttributeTest) -> c.NodeTest:
        known = self.context.attributes
        attribute = test.attribute.text if test.attribute is not None else "lemma"
        values = self._values(test)
        if test.attribute is not None and known is not None and attribute not in known:
            self._unknown("SGL0808", test.attribute, f"no word has the attribute `{attribute}`", known)
            raise Reported
        if known is not None and (test.word_set is None or test.word_set.text != "targets"):
            for value in values:
                if value.text not in known[attribute]:
                    self._unknown("SGL0808", value, f"no word has `{attribute}={value}`", known[attribute])
        return c.NodeTest(attribute, frozenset(v.text for v in values), test.negated)

    def _values(self, test: s.AttributeTest) -> tuple[s.Name, ...]:
        name, targets = test.word_set, self.context.targets
        if name is None:
            for column in (value for value in test.values if isinstance(value, s.Column)):
                message = f"the structure has no parameter `{column.name}`"
                hint = f"name it: `structure words({column.name}) {{ … }}`"
                self.context.state.error("SGL0830", column.span, message, hint)
            return tuple(value for value in test.values if isinstance(value, s.Name))
        if name.text != "targets":
            return self.scope.of(name).find(s.WordSet, name).values
        if targets is None:
            message = "`@targets` means the words of a pattern's `targets` clause, but there is none here"
            self.context.state.fail("SGL0201", name.span, message, "add `targets …` to the pattern")
        return tuple(s.Name(text, name.span) for text in targets)

    def _labels(self, labels: s.LabelSet) -> c.LabelTest:
        names: set[str] = set()
        known, state = self.context.labels, self.context.state
        for label in labels.labels:
            if label.is_set:
                own = attempt(self._label_set, label) or ()
                if known is not None and own and not labels.negated and known.isdisjoint(own):
                    hint = "leave it out: the verifier rejects claims about things that no graph contains"
                    state.warning("SGL0807", label.span, f"no rule makes an edge of the set `{label.text}`", hint)
                names.update(own)
                continue
            names.add(label.text)
            if "$" in label.text:
                message = f"a structure has no feature variables, and `{label.text}` contains one"
                hint = "list the labels, `-[nmod:in|nmod:on]->`, or declare a set with `labels`"
                state.error("SGL0404", label.span, message, hint)
            elif known is not None and label.text not in known:
                self._unknown("SGL0807", s.Name(label.text, label.span), f"no rule makes an edge `{label.text}`", known)
        return c.LabelTest(frozenset(names), labels.negated)

    def _label_set(self, label: s.LabelText) -> Sequence[str]:
        """Return a declared set of labels; a library set may have labels that the grammar lacks."""
        declaration = self.scope.of(label).find(s.Labels, s.Name(label.text, label.span))
        known, library = self.context.labels, self.scope.where(declaration).unit.is_library
        for value in declaration.values if known is not None and not library else ():
            if known is not None and value.text not in known:
                message = f"no rule makes an edge `{value.text}`"
                notes = (f"so it adds nothing to the set `{declaration.name}`",)
                self.context.state.warning("SGL0807", value.span, message, _hint(value.text, known), notes=notes)
        return [value.text for value in declaration.values]

    def _unknown(self, code: str, name: s.Name, message: str, known: Iterable[str]) -> None:
        notes = ("so the structure could never be found",)
        near = suggested(name.text, known) if code == "SGL0807" else None
        places = self.context.state.names.labels.get(near, []) if near is not None else []
        labels = [Label(place, "or is this one misspelt?") for place in places if len(places) == 1]
        self.context.state.error(code, name.span, message, _hint(name.text, known), labels=labels, notes=notes)


_STRICT: dict[str, tuple[c.Sign, int]] = {">": (">=", 1), "<": ("<=", -1)}
_COMPARISONS: dict[str, c.Comparison] = {"=": "=", ">=": ">=", "<=": "<="}


def _hint(name: str, known: Iterable[str]) -> str:
    known = sorted(known)
    listed = f"there is: {shortlist(known, _LISTED)}" if known else ""
    return suggest(name, known) or listed


def _length_test(written: s.Length, layers: tuple[str, ...], state: Resolved) -> c.LengthTest:
    """Return the test on the length of a text in one of the layers."""
    layer, sign, part, more = written.layer, written.comparison.text, "", 0
    if layers and layer.text not in layers:
        state.fail("SGL0201", layer.span, f"there is no text layer `{layer}`", suggest(layer.text, layers, "there is"))
    if isinstance(written.number, s.Longest):
        part, more = written.number.part.text, written.number.offset
    else:
        more = state.parameters.whole(written.number)
        _check_count(more, written.number.span, state)
    comparison, step = _STRICT.get(sign) or (cast(c.Sign, sign), 0)
    if more + step < 0 and not part:
        state.fail("SGL0801", written.span, "no text has fewer than 0 words")
    return c.LengthTest(layer.text, comparison, more + step, part)


def _check_count(number: int, place: Span, state: Resolved) -> None:
    """Check that structures can count up to a number."""
    most = limits().counts
    if number > most:
        hint = f"{raising('counts', number)} allows it; the automaton grows with the number"
        state.fail("SGL0801", place, f"a structure can count to at most {most}", hint)


def _depth_bodies(written: s.Depth, labels: c.LabelTest, state: Resolved) -> tuple[c.Body, ...]:
    """Return the body of a structure and its ``without`` bodies."""
    number = state.parameters.whole(written.number)
    sign = written.comparison.text
    _check_count(number, written.number.span, state)
    least = {">": number + 1, ">=": number, "=": number}.get(sign, 0)
    most = {"<": number - 1, "<=": number, "=": number}.get(sign)
    if sign == "!=" or (most is not None and most < 0) or (most is None and not least):
        message = f"`depth … {sign} {number}` holds for every text or for none"
        if sign == "!=":
            message = "a depth is tested with `>=`, `<=`, `>`, `<` or `=`"
        state.fail("SGL0801", written.span, message)
    body = _walk(labels, least, "A", "B") if least else c.Body((c.Variable("N"),))
    if most is None:
        return (body,)
    # Bodies that exclude a walk from the whole text: its ends may or may not be nodes of the match.
    own = [variable.name for variable in body.variables]
    ends = product(("X", *own), ("Y", *own))
    return body, *(_walk(labels, most + 1, source, target) for source, target in ends if source != target)


def _walk(labels: c.LabelTest, edges: int, source: str, target: str) -> c.Body:
    return c.Body((c.Variable(source), c.Variable(target)), (c.Link(0, labels, 1, edges, edges),))


def check_measures(graph: s.GraphPattern, bodies: Sequence[c.Body], state: Resolved) -> None:
    """Report measures in a ``without``, and a depth combined with nodes."""
    for body in graph.bodies[1:]:
        for measure in s.parts_of((s.Length, s.Depth), body):
            message = "a measure is about the whole text, but a `without` is about one match"
            state.error("SGL0801", measure.span, message, "write the opposite of the measure between the first braces")
    lengths = [*s.parts_of(s.Length, graph.bodies[0])]
    if lengths and graph.bodies[1:] and not bodies[0].variables:
        message = "a `without` is about nodes, but the first braces contain none"
        state.error("SGL0801", lengths[0].span, message, "write a node there: `N`")
    depths = [*s.parts_of(s.Depth, graph.bodies[0])]
    if depths and (len(depths) > 1 or len(graph.bodies) > 1 or bodies[0].variables):
        message = "a `depth` can only be combined with lengths between its braces"
        hint = "write the walk with its nodes: `A -[ccomp]{3}-> B`"
        if depths[-1].comparison.text in ("<", "<=", "="):
            hint = "exclude the deeper walk, in separate braces: `exclude { depth ccomp >= 3 }`"
        elif len(depths) > 1:
            hint = "put one of them into separate braces, as a condition: `within { depth ccomp >= 3 }`"
        state.error("SGL0801", depths[-1].span, message, hint)
