"""Syntax of rules, words and tables."""

from sgl.lang.syntax.structures import (
    Column,
    EdgePattern,
    Expression,
    Fallback,
    Mention,
    Name,
    NamedDeclaration,
    SyntaxNode,
    TableCell,
)

#: The functions of values that are written between their arguments.
SIGNS = ("+", "-", "mod")


class When(SyntaxNode):
    """``when not topics`` or ``when size >= 100``."""

    negated: bool
    name: Name
    comparison: Name | None
    value: Name | None


class Computed(SyntaxNode):
    """``x+y``, ``x mod 10``, ``min(x, y)``, ``compose(x, y)``: a sign or a function, applied to values of features."""

    function: Name
    arguments: tuple["Name | Computed", ...]

    def __str__(self) -> str:
        name, own = self.function.text, self.arguments
        if name in SIGNS:
            left, right = (f"({a})" if isinstance(a, Computed) and a.function.text in SIGNS else str(a) for a in own)
            return f"{left} mod {right}" if name == "mod" else f"{left}{name}{right}"
        return f"{name}({', '.join(map(str, own))})"


class Choice(SyntaxNode):
    """``soft if g=f`` in ``mut=soft if g=f, none``: a value, and the conditions under which it is the one."""

    value: Name | Computed
    conditions: tuple["Condition", ...]

    def __str__(self) -> str:
        tests = " and ".join(map(str, self.conditions))
        return f"{self.value} if {tests}" if tests else str(self.value)


class Setting(SyntaxNode):
    """``form=past|pres`` in the brackets of a category; with a ``comparison``, ``slot>i``; computed, ``v=i+1``."""

    feature: Name
    comparison: Name | None
    values: tuple[Name | Column | Fallback | Computed | Choice, ...]


class CategoryRef(SyntaxNode):
    """``NP[anim=a]``."""

    name: Name
    settings: tuple[Setting, ...]


class Child(SyntaxNode):
    """``obj:NP[anim=a]`` on the right-hand side."""

    role: Name | None
    category: CategoryRef
    capital: bool


class Joint(SyntaxNode):
    """``+`` on the right-hand side: what stands beside it is written together."""


class Attribute(SyntaxNode):
    """``upos=NOUN`` in ``node(…)``."""

    name: Name
    value: Expression


class NodeRef(SyntaxNode):
    """A node in a graph statement: a child's head, a port, or a quoted word of the rule."""

    name: Name
    port: Name | None = None
    attributes: tuple[Attribute, ...] | None = None


class EdgeStatement(SyntaxNode):
    """``V -[obj]-> NP``, ``V -[agent]-> By last``."""

    source: NodeRef
    edge: EdgePattern
    target: NodeRef
    last: bool = False


class BindStatement(SyntaxNode):
    """``RC.gap = N`` or ``gap = S.gap`` or ``head = V``."""

    left: NodeRef
    right: NodeRef


class ForgetStatement(SyntaxNode):
    """``forget S.gap``."""

    node: NodeRef


class NodeStatement(SyntaxNode):
    """``node(lemma=$en, upos=NOUN)``: the node of a word; with ``-[compound]-> words(upos=NOUN)`` of several words."""

    attributes: tuple[Attribute, ...]
    label: Expression | None = None
    others: tuple[Attribute, ...] = ()


Statement = EdgeStatement | BindStatement | ForgetStatement | NodeStatement
TemplateItem = Expression


class Literal(NamedDeclaration):
    """``literal "did" (lemma=do, upos=AUX)``: the node of a word that occurs in rules."""

    attributes: tuple[Attribute, ...]


class Condition(SyntaxNode):
    """``frame = trans | ditrans`` after ``where`` of a lexicon; in a rule, on a feature variable."""

    column: Name
    comparison: Name
    values: tuple[Name | Computed, ...]

    def __str__(self) -> str:
        return f"{self.column}{self.comparison}{'|'.join(map(str, self.values))}"


class LayerClause(SyntaxNode):
    """The part of a rule for one layer: a template or graph statements.

    The layer decides which of the two it is, except that a clause with an edge, ``=`` or ``node`` must be for a graph.
    Further layer names stay in the template until the layers are known.  The clause applies if all ``conditions`` hold.
    A clause for a part of the phrase in a layer has the layer ``de.prefix``.
    """

    layer: Name
    template: tuple[TemplateItem, ...] | None
    statements: tuple[Statement, ...] | None
    conditions: tuple[Condition, ...] = ()


class Weight(SyntaxNode):
    """``~ 2``, ``~ zipf(1.0)``, ``~ 2 zipf(1.0)``, ``~ $count``: the terms in order."""

    factor: Name | None
    kind: Name | None
    argument: Name | None
    column: Column | None


class WeightCase(SyntaxNode):
    """``51 if a = yes``: one of a rule's weights, with its conditions."""

    weight: Weight | None
    conditions: tuple[Condition, ...]


class Keep(SyntaxNode):
    """``keep in train``."""


class Rule(NamedDeclaration):
    """``rule np: NP -> Det N`` with its clauses; ``where`` are conditions on its variables."""

    lhs: CategoryRef
    rhs: tuple[Child | Name | Mention | Joint | TableCell, ...]
    where: tuple[Condition, ...]
    weights: tuple[WeightCase, ...]
    layers: tuple[LayerClause, ...]
    keep: Keep | None
    when: tuple[When, ...]


class WordDecl(SyntaxNode):
    """``word Det: "the"`` with its clauses."""

    category: CategoryRef
    text: Name
    weight: Weight | None
    layers: tuple[LayerClause, ...]
    when: tuple[When, ...]


class Entry(SyntaxNode):
    """One category of a lexicon with its layer clauses, and the block that it comes from, if any."""

    category: CategoryRef
    layers: tuple[LayerClause, ...]
    block: "Forms | None" = None


class FormsUse(SyntaxNode):
    """``finite(Vt[order=last], $particle)`` in a lexicon, with the layer clauses below it."""

    name: Name
    category: CategoryRef
    arguments: tuple[Expression, ...]
    layers: tuple[LayerClause, ...]


class Forms(NamedDeclaration):
    """``forms finite(X, particle)``: entries that several lexicons share."""

    category: Name
    parameters: tuple[Name, ...]
    shared: tuple[LayerClause, ...]
    entries: tuple[Entry, ...]
