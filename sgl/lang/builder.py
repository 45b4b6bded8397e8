"""Build the syntax tree of a declaration from Lark's parse tree.

Most productions of ``grammar.lark`` become the node of the same name, or the node in :data:`NODES`: each field takes
the part of the production that has its type.  The others have a method.
"""

import re
from dataclasses import fields, replace
from functools import cache
from types import NoneType
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

from lark import Token, Transformer, Tree, v_args
from lark.tree import Meta

from sgl.diagnostics import SourceFile, Span
from sgl.lang import syntax as s

#: The nodes of productions with the same name: ``word_decl`` becomes a ``WordDecl``.
_NAMESAKES: dict[str, type[s.SyntaxNode]] = {
    re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower(): kind
    for name, kind in vars(s).items()
    if isinstance(kind, type) and issubclass(kind, s.SyntaxNode)
}
#: The clauses that contain a structure.
_WITH_STRUCTURE = (*("forbid", "never", "gen", "exclude", "need"), *("waive", "expose", "only", "apart"))
#: The other productions, with the constant fields of their nodes.
NODES: dict[str, tuple[type[s.SyntaxNode], dict[str, object]]] = {
    **{production: (kind, {}) for production, kind in _NAMESAKES.items()},
    "feature": (s.Feature, {"ordered": False, "names": False}),
    "ordered_feature": (s.Feature, {"ordered": True, "names": False}),
    "names_feature": (s.Feature, {"ordered": False, "names": True}),
    "lexicon_value": (s.FeatureValue, {"weight": None}),
    "setting": (s.Setting, {"comparison": None}),
    "order_setting": (s.Setting, {}),
    "if_test": (s.Condition, {}),
    "contrast": (s.Contrast, {"place": None, "when": None}),
    "like": (s.Like, {"place": None, "when": None}),
    "elision": (s.Elision, {"place": None}),
    "capital_child": (s.Child, {"capital": True}),
    "name_item": (s.Mention, {"mode": ""}),
    "capital_item": (s.Mention, {"mode": "capital"}),
    "drop_item": (s.Mention, {"mode": "drop"}),
    "copy_item": (s.Mention, {"mode": "copy"}),
    "column_or": (s.Fallback, {}),
    "port_ref": (s.NodeRef, {}),
    "word_ref": (s.NodeRef, {"port": None}),
    "equal_test": (s.AttributeTest, {"negated": False, "word_set": None}),
    "unequal_test": (s.AttributeTest, {"negated": True, "word_set": None}),
    "in_test": (s.AttributeTest, {"negated": False, "values": ()}),
    "not_in_test": (s.AttributeTest, {"negated": True, "values": ()}),
    "lemma_test": (s.AttributeTest, {"attribute": None, "negated": False, "values": ()}),
    "not_lemma_test": (s.AttributeTest, {"attribute": None, "negated": True, "values": ()}),
    "all_labels": (s.LabelSet, {"labels": (), "negated": True}),
    "other_labels": (s.LabelSet, {"negated": True}),
    "these_labels": (s.LabelSet, {"negated": False}),
    "for_each": (s.Share, {"each": True}),
    "in_all": (s.Share, {"each": False}),
    "amount": (s.Amount, {"offset": 0}),
    "sum": (s.Amount, {}),
    "longest": (s.Longest, {"offset": 0}),
    "longest_sum": (s.Longest, {}),
    "set_argument": (s.WordList, {"values": ()}),
    "words_argument": (s.WordList, {"word_set": None}),
    "weighted_value": (s.FeatureValue, {}),
    "contexts": (s.Copies, {}),
    "within": (s.SizeCondition, {"outside": False}),
    "outside": (s.SizeCondition, {"outside": True}),
    **{keyword: (s.StructureClause, {"kind": keyword}) for keyword in _WITH_STRUCTURE},
    "gen_like": (s.LikeClause, {"split": "gen"}),
    "example": (s.LikeClause, {"split": "gen"}),
    "train_like": (s.LikeClause, {"split": "train"}),
    "release": (s.ReleaseDecl, {}),
    "test_rejects": (s.Test, {"expected": None, "graphs": ()}),
}


class _Slot(NamedTuple):
    """A field of a node, with the ``types`` that it takes; for a tuple, those of its members.

    A field without types that is not a tuple is a flag: whether a part is present.  A part that is left out is None in
    the production and belongs to the next optional field, so optional fields stand in the order of their parts.
    """

    name: str
    types: tuple[type, ...]
    many: bool
    optional: bool

    def take(self, parts: list[Any]) -> Any:
        """Remove the parts that the field takes from a production, and return them."""
        if not self.types:
            return bool(parts) and parts.pop(0) is not None
        nothing = () if self.many and not self.optional else None
        if parts and parts[0] is None and (self.many or self.optional):
            del parts[0]
            return nothing
        for index, part in enumerate(parts):
            if self._is_all_of(part) if self.many else isinstance(part, self.types):
                return parts.pop(index)
        taken = tuple(part for part in parts if self.many and isinstance(part, self.types))
        parts[:] = [part for part in parts if not isinstance(part, self.types)]
        return taken or nothing

    def _is_all_of(self, part: Any) -> bool:
        return isinstance(part, tuple) and all(isinstance(member, self.types) for member in part)


@cache
def _slots(production: str) -> tuple[_Slot, ...]:
    """Return the fields of a production's node that take parts."""
    kind, constants = NODES[production]
    hints, found = get_type_hints(kind), []
    names = [field.name for field in fields(kind) if field.name != "span"]
    for name in (name for name in names if name not in constants):
        choices = _members(hints[name])
        listed = [get_args(choice)[0] for choice in choices if get_origin(choice) is tuple]
        kinds = [member for choice in listed or choices for member in _members(choice)]
        types = tuple(get_origin(member) or member for member in kinds)
        types = tuple(one for one in types if one not in (bool, NoneType))
        found.append(_Slot(name, types, bool(listed), NoneType in choices))
    return tuple(found)


def _members(hint: Any) -> tuple[Any, ...]:
    """Return the types of a union, or the single type."""
    return (hint,) if isinstance(hint, type) or get_origin(hint) is tuple else get_args(hint)


class TokenBuilder(Transformer[Token, Any]):
    """Builds names, numbers and quotations, with their places in ``source``, and the nodes in :data:`NODES`."""

    def __init__(self, source: SourceFile, offset: int) -> None:
        super().__init__()
        self.source = source
        self.offset = offset

    def _span(self, meta: Meta) -> Span:
        if meta.empty:
            return self.source.span(self.offset, self.offset + 1)
        return self.source.span(self.offset + meta.start_pos, self.offset + meta.end_pos)

    def _node(self, production: str, parts: list[Any], meta: Meta) -> s.SyntaxNode:
        kind, constants = NODES[production]
        given = {slot.name: slot.take(parts) for slot in _slots(production)}
        return kind(self._span(meta), **constants, **given)

    def __default__(self, data: str, children: list[Any], meta: Meta) -> Any:
        """Build the node of a production; a production without a node stays a tree."""
        if data in NODES:
            return self._node(data, list(children), meta)
        return Tree(data, children, meta)

    def UPPER(self, token: Token, sign: int = 0) -> s.Name:
        """Return a name without its sign, such as `$` or `@`."""
        start = self.offset + (token.start_pos or 0)
        return s.Name(str(token)[sign:], self.source.span(start + sign, start + len(token)))

    NAME = NUMBER = WHOLE = UPPER

    def SET(self, token: Token) -> s.Name:
        return self.UPPER(token, 1)

    def COLUMN(self, token: Token) -> s.Column:
        return s.Column(self.UPPER(token).span, self.UPPER(token, 1))

    def STRING(self, token: Token) -> s.Name:
        text = re.sub(r"\\(.)", r"\1", str(token)[1:-1])
        return s.Name(text, self.UPPER(token).span, quoted=True)

    def name(self, children: list[s.Name | Token]) -> s.Name:
        child = children[0]
        return self.UPPER(child) if isinstance(child, Token) else child

    comparison = order = if_comparison = sign = modulo = name


@v_args(meta=True)
class TreeBuilder(TokenBuilder):
    """Builds the syntax tree of one declaration that starts at ``offset``."""

    def start(self, _: Meta, parts: list[Any]) -> Any:
        """Return the only part of the production."""
        return parts[0]

    quoted = text = column = structure_name = in_split = bracketed = start

    def names(self, _: Meta, parts: list[Any]) -> tuple[Any, ...]:
        """Return the parts, without omitted ones."""
        return tuple(part for part in parts if part is not None)

    used_names = left_out = names_list = parameters = dotted = quoted_path = ports = template = names
    statements = attributes = conditions = where_rule = tests = names
    weight_name = comma_bound = where = rewrite = expected_text = names

    def dotted_name(self, meta: Meta, parts: list[s.Name]) -> s.Name:
        """Return a dotted name: ``de.prefix`` for a layer, ``V.prefix`` for a child."""
        return s.Name(".".join(part.text for part in parts), self._span(meta))

    def link_name(self, meta: Meta, parts: list[s.Name]) -> s.Name:
        return s.Name(":".join(part.text for part in parts), self._span(meta))

    def table_cell(self, meta: Meta, parts: list[Any]) -> s.TableCell:
        table, keys, column = parts
        return s.TableCell(self._span(meta), table.name, keys or (), column)

    def computed(self, meta: Meta, parts: list[Any]) -> s.Computed:
        left, sign, right = parts
        return s.Computed(self._span(meta), sign, (left, right))

    def applied(self, meta: Meta, parts: list[Any]) -> s.Computed:
        return s.Computed(self._span(meta), parts[0], tuple(parts[1:]))

    def choice(self, meta: Meta, parts: list[Any]) -> s.Choice:
        value, conditions = parts
        return s.Choice(self._span(meta), value, conditions or ())

    def category_ref(self, meta: Meta, parts: list[Any]) -> s.CategoryRef:
        """Return a mention of a category; a value without a feature belongs to the setting before it."""
        name, *rest = parts
        settings: list[s.Setting] = []
        for part in (part for part in rest if part is not None):
            if isinstance(part, s.Choice):
                last = settings[-1]
                settings[-1] = replace(last, span=last.span.to(part.span), values=(*last.values, part))
            else:
                settings.append(part)
        return s.CategoryRef(self._span(meta), name, tuple(settings))

    def table(self, meta: Meta, parts: list[Any]) -> s.Table:
        name, *keys, path = parts
        columns, features = zip(*((column, feature or column) for column, feature in keys), strict=True)
        return s.Table(self._span(meta), name, columns, features, path)

    def table_key(self, _: Meta, parts: list[s.Name]) -> tuple[s.Name, s.Name | None]:
        column, feature = parts
        return column, feature

    def leave_out(self, meta: Meta, parts: list[Any]) -> s.LeaveOut:
        return s.LeaveOut(self._span(meta), *parts)

    def text_part(self, meta: Meta, parts: list[s.Name]) -> s.Port:
        *names, kind = parts
        own = replace(self.dotted_name(meta, names), span=names[0].span.to(names[1].span))
        return s.Port(self._span(meta), own, None, kind)

    def added(self, _: Meta, parts: list[Any]) -> int:
        sign, number = parts
        return int(f"{sign}{number}")

    def weights_of_rule(self, meta: Meta, parts: list[Any]) -> tuple[s.WeightCase, ...]:
        """Return the weights of a rule; a condition belongs to the weight before it."""
        cases: list[s.WeightCase] = []
        for part in parts:
            if isinstance(part, s.WeightCase):
                cases.append(part)
            else:
                last = cases[-1]
                conditions, span = (*last.conditions, part), last.span.to(part.span)
                cases[-1] = replace(last, span=span, conditions=conditions)
        if len(cases) == 1 and not cases[0].conditions and cases[0].weight is not None:
            span = self._span(meta)
            cases = [s.WeightCase(span, replace(cases[0].weight, span=span), ())]
        return tuple(cases)

    def weight_case(self, meta: Meta, parts: list[Any]) -> s.WeightCase:
        *terms, condition = parts
        conditions = () if condition is None else (condition,)
        return s.WeightCase(self._span(meta), self.weight(meta, terms), conditions)

    def weight(self, meta: Meta, parts: list[Any]) -> s.Weight:
        factor: s.Name | None = _first(parts, s.Name)
        column: s.Column | None = _first(parts, s.Column)
        kind, *argument = _first(parts, tuple) or (None,)
        return s.Weight(self._span(meta), factor, kind, next(iter(argument), None), column)

    def lexicon(self, meta: Meta, parts: list[Any]) -> s.SyntaxNode:
        return self._node("lexicon", _grouped(parts), meta)

    def forms(self, meta: Meta, parts: list[Any]) -> s.SyntaxNode:
        return self._node("forms", _grouped(parts), meta)

    def label(self, meta: Meta, parts: list[Any]) -> s.LabelText:
        mark = "~" if isinstance(parts[0], Token) else ""
        words = [
            f"${part.name.text}" if isinstance(part, s.Column) else part.text
            for part in parts
            if isinstance(part, s.Column | s.Name)
        ]
        return s.LabelText(self._span(meta), mark + ":".join(words), False)

    def label_name(self, meta: Meta, parts: list[s.Column]) -> s.LabelText:
        return s.LabelText(self._span(meta), parts[0].name.text, True)

    def lemma_ref(self, meta: Meta, parts: list[s.Name]) -> s.VariableRef:
        """Build a node with a lemma; the same lemma is the same node of a structure."""
        (lemma,) = parts
        spelled = "".join(c if c.isalnum() else f"u{ord(c):04x}" for c in lemma.text)
        test = s.AttributeTest(self._span(meta), None, False, (lemma,), None)
        return s.VariableRef(self._span(meta), s.Name(f"w_{spelled}", lemma.span), (test,))

    def sameness(self, meta: Meta, parts: list[Any]) -> s.Sameness:
        first, verb, _, second = parts
        return s.Sameness(self._span(meta), first, second, str(verb) == "may")

    def unbounded(self, meta: Meta, _: list[Any]) -> s.Bounds:
        span = self._span(meta)
        return s.Bounds(span, s.Amount(span, s.Name("1", span)), None)

    def place(self, meta: Meta, parts: list[Any]) -> s.Place:
        kind, *words = parts
        return s.Place(self._span(meta), self.UPPER(kind), tuple(words))

    def bounded(self, meta: Meta, parts: list[Any]) -> s.Bounds:
        low, high = parts
        return s.Bounds(self._span(meta), low, low if high is None else next(iter(high), None))

    def need_named(self, meta: Meta, parts: list[Any]) -> s.SyntaxNode:
        """Build ``need n sem { … }``, where the number is a parameter."""
        amount = s.Amount(parts[0].span, parts[0], 0)
        return self._node("need", [amount, None, parts[1]], meta)

    def keyword_clause(self, meta: Meta, parts: list[Any]) -> s.SyntaxNode:
        """Build a dataset clause whose name is a keyword."""
        return self._node("dataset_clause", [self.name(parts[:1]), *parts[1:]], meta)

    from_clause = distinct = ambiguous = output_clause = input_clause = keyword_clause

    def test_derives(self, meta: Meta, parts: list[Any]) -> s.Test:
        sentence, *rest = parts
        texts, graphs = _every(rest, tuple), _every(rest, s.Layered)
        return s.Test(self._span(meta), sentence, texts, _every(rest, s.When), graphs)


def _grouped(parts: list[Any]) -> list[Any]:
    """Return the parts of a lexicon or block; entries take the clauses below them, clauses above all are shared."""
    found: list[Any] = []
    last = None
    for part in parts:
        if isinstance(part, s.Entry | s.FormsUse):
            last = len(found)
        if isinstance(part, s.LayerClause) and last is not None:
            entry = found[last]
            found[last] = replace(entry, span=entry.span.to(part.span), layers=(*entry.layers, part))
        else:
            found.append(part)
    return found


def _every(parts: list[Any], kind: type) -> tuple[Any, ...]:
    """Return the parts of this kind."""
    return tuple(part for part in parts if isinstance(part, kind))


def _first(parts: list[Any], kind: type) -> Any:
    """Return the first part of this kind, or None."""
    return next((part for part in parts if isinstance(part, kind)), None)
