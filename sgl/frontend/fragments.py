"""Lower the graph layers of a rule: local nodes, edges, bindings, exports.

The atoms of a rule are its nodes by name: the ports of its children, the words
written in it, the ports of its left-hand side.  In ``RC -> "that" NP V`` with a port ``gap``
these are the heads of ``NP`` and ``V``, the word *that* where an edge mentions it, and the
``gap`` of ``RC``.  Bindings (``RC.gap = N``) unite atoms; what remains are the local nodes
of the fragment.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from networkx.utils import UnionFind

from sgl.core.grammar import EXTRACTED, HEAD, Edge, Fragment, GraphLayer, Node
from sgl.diagnostics import Label, Span, suggest
from sgl.frontend.attributes import check_attribute_name, checked_label, variables_of
from sgl.frontend.productions import Attributes, FeatureVariable, FragmentSketch, VariableTable
from sgl.frontend.signature import CategoryInfo
from sgl.frontend.state import CompilerState
from sgl.frontend.templates import Children
from sgl.lang import syntax as s


@dataclass(frozen=True, slots=True)
class ChildPort:
    """A port of a child."""

    child: int
    port: int


@dataclass(frozen=True, slots=True)
class WordAtom:
    """A word written in the rule, by the index of its item in the source template."""

    item: int


@dataclass(frozen=True, slots=True)
class OwnPort:
    """A port of the left-hand side that the rule introduces."""

    port: int


Atom = ChildPort | WordAtom | OwnPort


@dataclass
class FragmentLowering:
    """Lowers one graph clause of one rule."""

    rule: s.Rule
    layer: GraphLayer
    lhs: CategoryInfo
    rhs: Sequence[CategoryInfo]
    children: Children
    variables: VariableTable
    state: CompilerState
    sound: bool = True
    mentioned: set[str] = field(default_factory=set)
    attributes: dict[Atom, Attributes] = field(default_factory=dict)
    edges: list[tuple[Atom, str, Atom, s.EdgeStatement]] = field(default_factory=list)
    head: Atom | None = None
    touched: dict[ChildPort, Span] = field(default_factory=dict)

    def __post_init__(self) -> None:
        #: The names of the ports of the left-hand side and of each child in this layer.
        self.own_ports = self.lhs.ports_in(self.layer.name)
        self.ports = [info.ports_in(self.layer.name) for info in self.rhs]
        self.atoms: list[Atom] = [
            ChildPort(child, port)
            for child, ports in enumerate(self.ports)
            for port in range(len(ports))
        ]
        #: The representative of the atoms that bindings unite, for each atom.
        self.united: UnionFind[Atom] = UnionFind()

    # ---- statements

    def run(self, statements: Sequence[s.Statement]) -> FragmentSketch | None:
        """Return the fragment; None after a report."""
        for statement in statements:
            if isinstance(statement, s.EdgeStatement):
                self._edge(statement)
            elif isinstance(statement, s.BindStatement):
                self._bind(statement)
            elif isinstance(statement, s.ForgetStatement):
                self._forget(statement)
            else:
                message = "`node(…)` is the node of a word; a rule has none of its own"
                hint = 'attributes of a word in a rule go with it: `"was"(lemma=be)`'
                self._error("SGL0309", statement.span, message, hint)
        self._check_loops()
        if not self.sound:
            return None
        exports = self._exports()
        return self._build(exports) if exports is not None else None

    def _edge(self, statement: s.EdgeStatement) -> None:
        labels = statement.edge.labels
        if statement.edge.bounded or labels.negated or len(labels.labels) != 1:
            message = "an edge of a rule has exactly one label"
            self._error("SGL0310", statement.edge.span, message, "write `V -[obj]-> N`")
            return
        if statement.last and not self.layer.free:
            self._error(
                "SGL0310",
                statement.span,
                f"the edges of `{self.layer.name}` have no order in which one could be the last",
                hint="`last` is for layers that are `(free)`",
            )
            return
        text = checked_label(labels.labels[0], self.layer, self.variables, self.state)
        if text is None:
            self.sound = False
            return
        self.mentioned |= variables_of(text)
        source, target = self._atom(statement.source), self._atom(statement.target)
        if source is not None and target is not None:
            self.edges.append((source, text, target, statement))

    def _bind(self, statement: s.BindStatement) -> None:
        left, right = statement.left, statement.right
        if left.name.text == HEAD and left.port is None and HEAD not in self.children.names:
            self.head = self._atom(right)
            return
        first, second = self._atom(left), self._atom(right)
        if first is None or second is None:
            return
        for atom in (first, second):
            if isinstance(atom, ChildPort) and atom.port:
                self._touch(atom, statement.span)
        self.united.union(first, second)

    def _touch(self, atom: ChildPort, span: Span) -> None:
        earlier = self.touched.get(atom)
        if earlier is not None:
            message = f"`{self._describe(atom)}` is bound twice"
            self._error("SGL0503", span, message, labels=[Label(earlier, "bound here first")])
        self.touched[atom] = span

    def _forget(self, statement: s.ForgetStatement) -> None:
        atom = self._atom(statement.node)
        if isinstance(atom, ChildPort) and atom.port:
            self._touch(atom, statement.span)
        elif atom is not None:
            self._error("SGL0501", statement.span, "only a port of a child can be forgotten")

    def _check_loops(self) -> None:
        """Report edges from a node to itself; most likely another child was meant."""
        used = {self.united[end] for source, _, target, _ in self.edges for end in (source, target)}
        others = [
            f"`{self._describe(atom)}`"
            for atom in self.atoms
            if isinstance(atom, ChildPort) and not atom.port and self.united[atom] not in used
        ]
        for source, _, target, statement in self.edges:
            if self.united[source] == self.united[target]:
                self._error(
                    "SGL0509",
                    statement.span,
                    "this edge leads from a node to itself",
                    f"no edge mentions {' and '.join(others)}: is it meant here?" if others else "",
                )

    # ---- atoms

    def _atom(self, ref: s.NodeRef) -> Atom | None:
        if ref.is_word:
            return self._word(ref)
        name = ref.name.text
        if ref.port is None and name not in self.children.names and name in self.own_ports[1:]:
            return self._register(OwnPort(self.own_ports.index(name)))
        child = self.children.find(ref.name)
        if child is None:
            self.sound = False
            return None
        port = ref.port.text if ref.port is not None else HEAD
        ports = self.ports[child]
        if port not in ports:
            layer = dict(self.rhs[child].limited).get(port)
            hint = f"it is a port in the layer `{layer}` only" if layer else suggest(port, ports)
            message = f"`{ref.name}` has no port `{port}`"
            hint = hint or f"its ports: {', '.join(ports)}"
            self._error("SGL0501", ref.span, message, hint=hint)
            return None
        return ChildPort(child, ports.index(port))

    def _register(self, atom: Atom) -> Atom:
        if atom not in self.atoms:
            self.atoms.append(atom)
        return atom

    def _word(self, ref: s.NodeRef) -> Atom | None:
        places = [
            index
            for index, item in enumerate(self.rule.rhs)
            if isinstance(item, s.Name) and item.text == ref.name.text
        ]
        if len(places) != 1:
            written = [item.text for item in self.rule.rhs if isinstance(item, s.Name)]
            problem = "is not a word of" if not places else "occurs more than once in"
            message = f'"{ref.name}" {problem} the right-hand side of the rule'
            self._error("SGL0505", ref.span, message, suggest(ref.name.text, written))
            return None
        atom = self._register(WordAtom(places[0]))
        if ref.attributes is not None:
            given = self._attributes(ref.attributes, ref.name.text)
            self.attributes[atom] = given
        else:
            self.attributes.setdefault(atom, (("lemma", ref.name.text),))
        return atom

    def _attributes(self, attributes: Sequence[s.Attribute], word: str) -> Attributes:
        values: dict[str, str | FeatureVariable] = {"lemma": word}
        for attribute in attributes:
            check_attribute_name(attribute, self.layer, self.state)
            value = attribute.value
            if isinstance(value, s.Column):
                if value.name.text not in self.variables.domains:
                    message = f"the rule has no feature variable `{value.name}`"
                    hint = suggest(value.name.text, self.variables.domains)
                    self._error("SGL0404", value.span, message, hint)
                self.mentioned.add(value.name.text)
                values[attribute.name.text] = FeatureVariable(value.name.text)
            elif isinstance(value, s.Name):
                values[attribute.name.text] = value.text
            else:
                self._error("SGL0309", value.span, "an attribute of a rule is a plain value")
        return tuple(sorted(values.items()))

    # ---- exports

    def _exports(self) -> list[Atom] | None:
        head = self.head if self.head is not None else self._inferred_head()
        if head is None:
            return None
        exports: list[Atom] = [head]
        for port in range(1, len(self.own_ports)):
            atom = self._exported_port(port)
            if atom is None:
                return None
            exports.append(atom)
        self._check_child_ports()
        return exports if self.sound else None

    def _inferred_head(self) -> Atom | None:
        """Return the node no unmarked edge leads to; of several, the one that is not extracted.

        In a free layer, where words may stay outside, it is one of those that have edges.
        """
        plain, extracted = set[Atom](), {self.united[atom] for atom in self.touched}
        for _, label, target, _ in self.edges:
            (extracted if label.startswith(EXTRACTED) else plain).add(self.united[target])
        free = {
            self.united[atom]: atom
            for atom in self.atoms
            if (isinstance(atom, WordAtom) or (isinstance(atom, ChildPort) and atom.port == 0))
            and self.united[atom] not in plain
        }
        in_place = [atom for root, atom in free.items() if root not in extracted]
        candidates = in_place or list(free.values())
        if self.layer.free:
            sources = {self.united[source] for source, *_ in self.edges}
            connected = [atom for root, atom in free.items() if root in sources]
            candidates = connected or list(free.values())
        if len(candidates) == 1:
            return candidates[0]
        self._report_head(candidates)
        return None

    def _report_head(self, candidates: Sequence[Atom]) -> None:
        names = [f"`{self._describe(atom)}`" for atom in candidates]
        if names:
            message = f"{' and '.join(names)} have no edge between them: which is the head?"
            hint = f"connect them with an edge in the layer `{self.layer.name}`"
        else:
            message = "every node is a dependent of another: the rule has no head"
            hint = "remove an edge, or mark an additional one with `~`"
        self._error("SGL0504", self.rule.name.span, message, hint=hint)

    def _exported_port(self, port: int) -> Atom | None:
        own = OwnPort(port)
        if own in self.atoms:
            return own
        name = self.own_ports[port]
        forwarded = [
            ChildPort(child, ports.index(name))
            for child, ports in enumerate(self.ports)
            if name in ports[1:] and ChildPort(child, ports.index(name)) not in self.touched
        ]
        if len(forwarded) == 1:
            self.touched[forwarded[0]] = self.rule.name.span
            return forwarded[0]
        detail = (
            "several children have one" if forwarded else "no child has one and no edge leads to it"
        )
        message = f"where does the port `{name}` of `{self.lhs.name}` come from? {detail}"
        hint = f"write `V -[~obj]-> {name}` to open it, or `{name} = X.{name}` to pass it on"
        self._error("SGL0502", self.rule.lhs.span, message, hint)
        return None

    def _check_child_ports(self) -> None:
        for atom in self.atoms:
            if isinstance(atom, ChildPort) and atom.port and atom not in self.touched:
                described = self._describe(atom)
                self._error(
                    "SGL0502",
                    self.children.children[atom.child].span,
                    f"nothing is bound to `{described}`",
                    label=f"its port `{self.ports[atom.child][atom.port]}` stays open",
                    hint=f"write `{described} = X` in the layer `{self.layer.name}`, "
                    f"or `forget {described}`",
                )

    # ---- result

    def _build(self, exports: Sequence[Atom]) -> FragmentSketch:
        roots: dict[Atom, int] = {}
        for atom in self.atoms:
            roots.setdefault(self.united[atom], len(roots))
        glue: list[list[tuple[int, int]]] = [[] for _ in roots]
        token: list[int | None] = [None] * len(roots)
        attributes: dict[int, Attributes] = {}
        for atom in self.atoms:
            index = roots[self.united[atom]]
            if isinstance(atom, ChildPort):
                glue[index].append((atom.child, atom.port))
            elif isinstance(atom, WordAtom):
                token[index] = atom.item
                attributes[index] = self.attributes[atom]
        nodes = tuple(
            Node(() if index in attributes else None, token[index], tuple(sorted(glue[index])))
            for index in range(len(roots))
        )
        edges = tuple(
            Edge(roots[self.united[source]], label, roots[self.united[target]], statement.last)
            for source, label, target, statement in self.edges
        )
        fragment = Fragment(nodes, edges, tuple(roots[self.united[atom]] for atom in exports))
        return FragmentSketch(fragment, attributes)

    def _describe(self, atom: Atom) -> str:
        if isinstance(atom, ChildPort):
            name = self.children.name(atom.child)
            return f"{name}.{self.ports[atom.child][atom.port]}" if atom.port else name
        if isinstance(atom, WordAtom):
            item = self.rule.rhs[atom.item]
            return f'"{item.text}"' if isinstance(item, s.Name) else ""
        return self.own_ports[atom.port]

    def _error(
        self,
        code: str,
        span: Span,
        message: str,
        hint: str = "",
        *,
        label: str = "",
        labels: Sequence[Label] = (),
    ) -> None:
        self.sound = False
        self.state.error(code, span, message, hint, label=label, labels=labels)
