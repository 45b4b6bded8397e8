"""Lower the graph layers of a rule: local nodes, edges, bindings, exports.

The atoms of a rule are its nodes by name: the ports of its children, the words written in it, the ports of its
left-hand side.  Bindings (``RC.gap = N``) unite atoms; what remains are the local nodes of the fragment.  Defaults
apply otherwise: a port is bound to the child whose role has its name, and the head of a free layer, if no edge
determines it, is that of the first layer.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, NoReturn

from sgl.core.grammar import EXTRACTED, HEAD, Edge, Fragment, GraphLayer, Item, Node, Template, Token
from sgl.core.graphs import United
from sgl.diagnostics import Label, Reported, Span, attempt, each, suggest, there
from sgl.frontend.elaborate.rules import RuleNames, possible, shown
from sgl.frontend.lower.productions import RESERVED_LABELS, check_attribute_name
from sgl.frontend.names.signature import CategoryInfo
from sgl.lang import syntax as s
from sgl.values import dataclass, field

#: Used in place of a child: the left-hand side, whose ports the rule introduces, and the rule's own words.
_OWN, _WORD = -1, -2


class Atom(NamedTuple):
    """A port of a child, by number, a port of the left-hand side, or a word, by its place in the template."""

    of: int
    place: int

    @property
    def is_head(self) -> bool:
        """Whether the atom is the head of a child."""
        return self.of >= 0 and not self.place

    @property
    def is_port(self) -> bool:
        """Whether the atom is another port of a child, which must be bound or forgotten."""
        return self.of >= 0 and self.place > 0


@dataclass
class FragmentLowering:
    """Lowers the clauses of one version of a rule for one graph layer.

    ``template`` belongs to the text layer whose words are the nodes, ``when`` describes the version's values.
    ``default`` is the head of the first layer, if it has an atom here.
    """

    names: RuleNames
    layer: GraphLayer
    lhs: CategoryInfo
    rhs: Sequence[CategoryInfo]
    template: Template
    when: str
    default: Atom | None = None
    sound: bool = True
    attributes: dict[Atom, tuple[tuple[str, str], ...]] = field(default_factory=dict)
    edges: list[tuple[Atom, str, Atom, s.EdgeStatement]] = field(default_factory=list)
    head: Atom | None = None
    exported: Atom | None = None
    touched: dict[Atom, Span] = field(default_factory=dict)

    def __post_init__(self) -> None:
        #: The port names of the left-hand side and of each child in this layer.
        self.own_ports = self.lhs.ports_in(self.layer.name)
        self.ports = [info.ports_in(self.layer.name) for info in self.rhs]
        #: All atoms, in order of first mention.
        self.atoms: dict[Atom, None] = {
            Atom(child, port): None for child, ports in enumerate(self.ports) for port in range(len(ports))
        }
        #: The representative of each atom among the atoms united by bindings.
        self.united: United[Atom] = United()

    def run(self, statements: Sequence[s.Statement]) -> Fragment:
        """Return the fragment."""
        for statement in statements:
            try:
                self._statement(statement)
            except Reported:
                self.sound = False
        self._bind_by_role()
        self._check_loops()
        self._check_sound()
        exports = self._exports()
        self._check_sound()
        return self._build(exports)

    def _check_sound(self) -> None:
        if not self.sound:
            raise Reported

    def _statement(self, statement: s.Statement) -> None:
        if isinstance(statement, s.EdgeStatement):
            self._edge(statement)
        elif isinstance(statement, s.BindStatement):
            self._bind(statement)
        elif isinstance(statement, s.ForgetStatement):
            if not self._touch(self._atom(statement.node), statement.span):
                self._error("SGL0501", statement.span, "only a port of a child can be forgotten")
        else:
            message = "`node(…)` is the node of a word; a rule has none of its own"
            hint = 'attributes of a word in a rule go with it: `"was"(lemma=be)`'
            self._error("SGL0309", statement.span, message, hint)

    def _edge(self, statement: s.EdgeStatement) -> None:
        labels = statement.edge.labels
        if statement.edge.bounds or labels.negated or len(labels.labels) != 1:
            message = "an edge of a rule has exactly one label"
            self._error("SGL0310", statement.edge.span, message, "write `V -[obj]-> N`")
            return
        if statement.last and not self.layer.free:
            message = f"the edges of `{self.layer.name}` have no order in which one could be the last"
            self._error("SGL0310", statement.span, message, "`last` is for layers that are `(free)`")
            return
        label = self._label(labels.labels[0])
        source, target = attempt(self._atom, statement.source), statement.target
        several = self._words(target) if target.name.quoted else [self._atom(target)]
        self.edges += [(there(source), label, atom, statement) for atom in several]

    def _label(self, label: s.LabelText) -> str:
        """Return the label, which may contain variables."""
        text = label.text
        if label.is_set or "$" in text:
            raise Reported  # An unknown variable was reported.
        for written in () if self.layer.free else possible(text.removeprefix(EXTRACTED), self.names.variables.domains):
            if written in RESERVED_LABELS:
                self._fail("SGL0512", label.span, f"CoNLL-U has its own use for the label `{written}`")
        return text

    def _bind(self, statement: s.BindStatement) -> None:
        left, right = statement.left, statement.right
        if left.name.text == HEAD and left.port is None and HEAD not in self.names.index:
            self.head = self._atom(right)
            return
        first, second = each(self._atom, (left, right))
        self._touch(first, statement.span)
        self._touch(second, statement.span)
        self.united.union(first, second)

    def _bind_by_role(self) -> None:
        """Bind open ports of children to the children whose roles have their names."""
        span = self.names.rule.name.span
        for atom in [atom for atom in self.atoms if atom.is_port]:
            name = self.ports[atom.of][atom.place]
            child = self.names.index.get(name)
            if atom in self.touched or child is None or child == atom.of:
                continue
            if name in self.own_ports:
                described = self._describe(atom)
                message = f"is `{described}` the child `{name}`, or the `{name}` of the phrase?"
                hint = f"write `{described} = {name}`; or rename the child, to pass the port on"
                self._error("SGL0502", self.names.children[atom.of].span, message, hint)
            self._touch(atom, span)
            self.united.union(atom, Atom(child, 0))

    def default_of(self, layer: GraphLayer) -> Atom | None:
        """Return the head of the rule as an atom of another layer, if it is a child's head or a word there."""
        head = self.exported
        there = head is not None and (head.is_head or (head.of == _WORD and layer.anchor == self.layer.anchor))
        return head if there else None

    def _touch(self, atom: Atom, span: Span) -> bool:
        """Record the use of a child's port; return whether the atom is one."""
        if not atom.is_port:
            return False
        if atom in self.touched:
            labels = [Label(self.touched[atom], "bound here first")]
            self._error("SGL0503", span, f"`{self._describe(atom)}` is bound twice", labels=labels)
        self.touched[atom] = span
        return True

    def _check_loops(self) -> None:
        used = {self.united[end] for source, _, target, _ in self.edges for end in (source, target)}
        others = [f"`{self._describe(atom)}`" for atom in self.atoms if atom.is_head and self.united[atom] not in used]
        hint = f"no edge mentions {' and '.join(others)}: is it meant here?" if others else ""
        for source, _, target, statement in self.edges:
            if self.united[source] == self.united[target]:
                self._error("SGL0509", statement.span, "this edge leads from a node to itself", hint)

    def _atom(self, ref: s.NodeRef) -> Atom:
        name = ref.name.text
        if ref.name.quoted:
            words = self._words(ref)
            if len(words) > 1:
                message = f'"{shown(name)}" occurs more than once in the right-hand side of the rule'
                self._fail("SGL0505", ref.span, message, "an edge can lead to all of them, but cannot start from them")
            return words[0]
        if ref.port is None and name not in self.names.index and name in self.own_ports[1:]:
            own = Atom(_OWN, self.own_ports.index(name))
            self.atoms.setdefault(own)
            return own
        child = self.names.find(ref.name)
        port, ports = ref.port.text if ref.port is not None else HEAD, self.ports[child]
        if port in ports:
            return Atom(child, ports.index(port))
        layer = dict(self.rhs[child].limited).get(port)
        hint = f"it is a port in the layer `{layer}` only" if layer else ""
        hint = hint or suggest(port, ports, "its ports")
        self._fail("SGL0501", ref.span, f"`{name}` has no port `{port}`", hint)

    def _words(self, ref: s.NodeRef) -> list[Atom]:
        word = ref.name.text
        atoms = [Atom(_WORD, place) for place, item in enumerate(self.template) if self._text(item) == word]
        if not atoms:
            self._report_no_word(ref)
        literal = None if self.layer.free else self.names.scope.peek(s.Literal, word)
        values = {"lemma": word}
        declared = self.names.write_out(literal.attributes) if literal is not None else ()
        for attribute in declared if ref.attributes is None else ref.attributes:
            check_attribute_name(attribute, self.layer, self.names.state)
            value = attribute.value
            if isinstance(value, s.Column):
                self.sound = False  # An unknown variable was reported.
            elif isinstance(value, s.Name):
                values[attribute.name.text] = value.text
            else:
                self._error("SGL0309", value.span, "an attribute of a rule is a plain value")
        found = tuple(sorted(values.items()))
        for atom in atoms:
            self.atoms.setdefault(atom)
            kept = self.attributes.get(atom, found)
            self.attributes[atom] = found if ref.attributes is not None else kept
        return atoms

    def _report_no_word(self, ref: s.NodeRef) -> NoReturn:
        word, source = ref.name.text, self.layer.anchor == self.names.state.signature.source.name
        where = "right-hand side of the rule" if source else f"clause of `{self.layer.anchor}`"
        message = f'"{shown(word)}" is not a word of the {where}'
        hint = suggest(word, filter(None, map(self._text, self.template)))
        if source and any(isinstance(one, s.Name) and one.text == word for one in self.names.rule.rhs):
            message = f'this edge is always there, but the word "{word}" is not'
            hint = "add a condition to the clause of this edge as well"
        self._fail("SGL0505", ref.span, message, hint)

    def _exports(self) -> list[Atom]:
        self.exported = head = self.head if self.head is not None else self._inferred_head()
        exports = [head, *map(self._exported_port, range(1, len(self.own_ports)))]
        for atom in self.atoms:
            if atom.is_port and atom not in self.touched:
                described, child = self._describe(atom), self.names.children[atom.of]
                label = f"its port `{self.ports[atom.of][atom.place]}` stays open"
                hint = f"write `{described} = X` in the layer `{self.layer.name}`, or `forget {described}`"
                self._error("SGL0502", child.span, f"nothing is bound to `{described}`", hint, label=label)
        return exports

    def _inferred_head(self) -> Atom:
        """Return the node to which no unmarked edge leads; among several, the one that is not extracted.

        In a free layer, where words may stay outside, the head is among the nodes with edges, if any: the only one to
        which no edge leads or, if there is no such node or several, the head of the first layer.
        """
        free, able = self.layer.free, self._able()
        led, extracted = set[Atom](), {self.united[atom] for atom in self.touched if not free}
        for _, label, target, _ in self.edges:
            (led if free or not label.startswith(EXTRACTED) else extracted).add(self.united[target])
        tops = {root: atom for root, atom in able.items() if root not in led}
        tops = {root: atom for root, atom in tops.items() if root not in extracted} or tops
        if len(tops) == 1:
            return next(iter(tops.values()))
        if self.default is None or self.default not in self.atoms:
            self._report_no_head([*tops.values()])
        found = (able if free else tops).get(self.united[self.default])
        if found is None and free:
            self._report_idle_head(self.default, next(iter((tops or able).values()), self.default))
        return found if found is not None else self._report_no_head([*tops.values()])

    def _able(self) -> dict[Atom, Atom]:
        """Return the nodes that can be the head, by representative: words, and heads of children."""
        able = {self.united[atom]: atom for atom in self.atoms if atom.of == _WORD or atom.is_head}
        ends = {self.united[end] for source, _, target, _ in self.edges for end in (source, target)}
        return {root: atom for root, atom in able.items() if root in ends or not (self.layer.free and ends)}

    def _report_no_head(self, tops: Sequence[Atom]) -> NoReturn:
        names = " and ".join(f"`{self._describe(atom)}`" for atom in tops)
        message = f"{names} have no edge between them: which is the head?"
        hint = f"connect them with an edge in the layer `{self.layer.name}`"
        if not tops:
            message = "every node is a dependent of another: the rule has no head"
            hint = "remove an edge, or mark an additional one with `~`"
        if self.layer.free:
            hint = f"say which it is in the layer `{self.layer.name}`: `head = …`"
        self._fail("SGL0504", self.names.rule.name.span, message, hint)

    def _report_idle_head(self, default: Atom, other: Atom) -> NoReturn:
        head, meant, layer = self._describe(default), self._describe(other), self.layer.name
        message = f"in the layer `{layer}` the head would be `{head}`, which has no edge here, while `{meant}` has"
        hint = f"add its edges, or say which node is meant: `head = {meant}` or `head = {head}`"
        labels = [Label(self.edges[0][3].span, "this edge connects other nodes"), *self._edges_to(self.lhs.name, head)]
        self._fail("SGL0518", self.names.rule.name.span, message, hint, labels=labels)

    def _edges_to(self, category: str, head: str) -> Iterator[Label]:
        """Yield a label for the first edge of a rule to or from the heads of a category."""
        for rule, _ in self.names.state.names.of(s.Rule):
            children = [child for child in s.parts_of(s.Child, rule.rhs) if child.category.name.text == category]
            roles = {(child.role or child.category.name).text for child in children}
            for clause in rule.layers:
                layers = {clause.layer.text, *(one.name.text for one in s.parts_of(s.Mention, clause.template))}
                for edge in s.parts_of(s.EdgeStatement, clause) if self.layer.name in layers else ():
                    ends = {"to": edge.target, "from": edge.source}
                    for way in (way for way, end in ends.items() if end.name.text in roles and end.port is None):
                        yield Label(edge.span, f"this edge would lead {way} `{head}`")
                        return

    def _exported_port(self, port: int) -> Atom:
        own = Atom(_OWN, port)
        if own in self.atoms:
            return own
        name = self.own_ports[port]
        having = [(child, ports.index(name)) for child, ports in enumerate(self.ports) if name in ports]
        free = [atom for pair in having if (atom := Atom(*pair)) not in self.touched]
        if len(free) == 1:
            self.touched[free[0]] = self.names.rule.name.span
            return free[0]
        detail = "several children have one" if free else "no child has one and no edge leads to it"
        message = f"where does the port `{name}` of `{self.lhs.name}` come from? {detail}"
        hint = f"write `V -[~obj]-> {name}` to open it, or `{name} = X.{name}` to pass it on"
        self._fail("SGL0502", self.names.rule.lhs.span, message, hint)

    def _build(self, exports: Sequence[Atom]) -> Fragment:
        roots: dict[Atom, int] = {}
        for atom in self.atoms:
            roots.setdefault(self.united[atom], len(roots))
        place = {atom: roots[self.united[atom]] for atom in self.atoms}
        glue: list[list[tuple[int, int]]] = [[] for _ in roots]
        token: list[int | None] = [None] * len(roots)
        attributes: dict[int, tuple[tuple[str, str], ...]] = {}
        for atom, index in place.items():
            if atom.of >= 0:
                glue[index].append((atom.of, atom.place))
            elif atom.of == _WORD:
                token[index] = atom.place
                attributes[index] = self.attributes[atom]
        nodes = tuple(
            Node(attributes.get(index), token[index], tuple(sorted(glue[index]))) for index in range(len(roots))
        )
        edges = tuple(
            Edge(place[source], label, place[target], statement.last) for source, label, target, statement in self.edges
        )
        return Fragment(nodes, edges, tuple(place[atom] for atom in exports))

    def _describe(self, atom: Atom) -> str:
        if atom.of >= 0:
            name = self.names.name(atom.of).text
            return f"{name}.{self.ports[atom.of][atom.place]}" if atom.place else name
        if atom.of == _WORD:
            return f'"{shown(self._text(self.template[atom.place]))}"'
        return self.own_ports[atom.place]

    def _text(self, item: Item) -> str:
        return item.text if isinstance(item, Token) else ""

    def _error(
        self, code: str, span: Span, message: str, hint: str = "", *, label: str = "", labels: Sequence[Label] = ()
    ) -> None:
        self.sound = False
        notes = [f"with `{self.when}`"] if self.when else []
        self.names.state.error(code, span, message, hint, label=label, labels=labels, notes=notes)

    def _fail(self, code: str, span: Span, message: str, hint: str = "", *, labels: Sequence[Label] = ()) -> NoReturn:
        self._error(code, span, message, hint, labels=labels)
        raise Reported
