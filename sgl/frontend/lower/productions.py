"""Productions: rules and words with resolved names, and the checks of their clauses.

For each category that it mentions, a production has the possible values of each feature: a set of values, or a variable
that all mentions share.

Graphs are published as CoNLL-U, which reserves some names of attributes and labels.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path

from sgl.core.grammar import Fragment, GraphLayer, Template
from sgl.diagnostics import Span, suggest
from sgl.frontend.elaborate.algebra import Constraint
from sgl.frontend.elaborate.categories import CategoryPattern
from sgl.frontend.elaborate.tables import Weighting
from sgl.frontend.names.parameters import Session, is_weight
from sgl.frontend.names.scopes import Resolved
from sgl.frontend.names.signature import Signed, has_parts
from sgl.lang import DECLARATIONS
from sgl.lang import syntax as s
from sgl.lang.tables import LexiconTable
from sgl.values import dataclass, field


@dataclass(frozen=True)
class Version:
    """The content of a rule or word in each layer, for all or some values of its features.

    Texts that depend on these values contain marks (:mod:`sgl.frontend.elaborate.rules`). ``share`` is the weight as
    written, or the share in the weight of the ``pool``.  Versions of a rule with the same number ``sharing`` share one
    weight.  ``when`` describes the values.
    """

    templates: tuple[Template, ...]
    fragments: tuple[Fragment, ...]
    share: float
    sharing: int = 0
    when: str = ""


@dataclass(frozen=True)
class Production:
    """A rule or a word before its features are expanded.

    ``number`` gives the version for each choice of the ``deciding`` variables. ``word`` marks a single declared word;
    the words of one ``pool`` share the weight of a lexicon. ``roles`` are the names of the children.
    """

    name: str
    lhs: CategoryPattern
    rhs: tuple[CategoryPattern, ...]
    domains: Mapping[str, frozenset[str]]
    versions: tuple[Version, ...]
    span: Span
    constraints: tuple[Constraint, ...] = ()
    deciding: tuple[str, ...] = ()
    number: Mapping[tuple[str, ...], int] = field(default_factory=lambda: {(): 0})
    keep: bool = False
    word: bool = False
    pool: Weighting | None = None
    roles: tuple[str, ...] = ()

    def version(self, values: Mapping[str, str]) -> Version:
        """Return the version for these values of the variables."""
        return self.versions[self.number[tuple(values[name] for name in self.deciding)]]

    def admits(self, values: Mapping[str, str]) -> bool:
        """Return whether values of the variables satisfy the rule's conditions."""
        return all(constraint.holds(values) for constraint in self.constraints)

    @property
    def empty(self) -> bool:
        """Whether the production has no words."""
        return not any(any(version.templates) for version in self.versions)


#: Attributes with a CoNLL-U column of their own; all others are UD features.
COLUMNS = ("lemma", "upos", "xpos")
#: Values that CoNLL-U itself uses in the columns of labels and features.
RESERVED_LABELS = ("root", "_")
RESERVED_ATTRIBUTES = ("SpaceAfter", "Extracted")


def check_layers(clauses: Sequence[s.LayerClause], state: Signed, children: Collection[str] = ()) -> bool:
    """Report clauses for unknown layers; return whether no text layer has two."""
    signature, known = state.signature, state.signature.layer_names
    text, seen = {layer.name for layer in signature.text_layers}, set[str]()
    for clause in clauses:
        name = clause.layer.text
        if name.partition(".")[0] in text and name in seen and not clause.conditions:
            hint = "remove one, or write the first line of the declaration it belongs to"
            state.error("SGL0308", clause.span, f"the layer `{name}` has two clauses", hint)
            return False
        if not clause.conditions:
            seen.add(name)
        if "." in name or name in known or name in signature.unsound or name in signature.unknown:
            continue  # `check_parts` checks whether a phrase has such a part.
        # A misspelt layer is reported at each mention, an undeclared one once.
        near = suggest(name, known)
        if not near:
            signature.unknown.add(name)
        hint = near or f"the layers are: {', '.join(known)}"
        if name in children:
            hint = f"a clause begins with its layer: `{signature.text_layers[-1].name} {name} …`"
        elif name in DECLARATIONS:
            hint = f"a declaration starts in the first column: remove the spaces before `{name}`"
        state.error("SGL0201", clause.layer.span, f"there is no layer `{name}`", hint)
    return True


def check_parts(clauses: Iterable[s.LayerClause], category: s.Name, state: Signed) -> bool:
    """Return whether a phrase has all parts that clauses are for; report missing ones."""
    info, sound = state.signature.categories.get(category.text), True
    texts = [*(layer.name for layer in state.signature.text_layers), *state.signature.unsound]
    for layer in (clause.layer for clause in clauses if "." in clause.layer.text):
        if not has_parts(layer, texts, state):
            sound = False
        elif info is not None and layer.text not in info.parts:
            sound = False
            hint = suggest(layer.text, info.parts) or f"declare it: `category {category} with {layer}`"
            state.error("SGL0322", layer.span, f"`{category}` has no part `{layer}`", hint)
    return sound


def rule_weight(weight: s.Weight | None, state: Resolved) -> float:
    """Return the weight of a rule as a number; 1 if it has none."""
    if weight is None:
        return 1.0
    name = weight.factor
    if name is None and weight.argument is None:
        name = weight.kind
    if name is None or weight.column is not None or (weight.kind and weight.factor):
        hint = "`zipf(…)` and columns are for lexicons"
        state.fail("SGL0701", weight.span, "the weight of a rule is a number", hint)
    number = state.parameters.number(name)
    if not is_weight(number):
        hint = "to leave the rule out, use `when` or remove it"
        state.fail("SGL0701", weight.span, f"the weight `{name}` is not positive", hint)
    return number


def check_attribute_name(attribute: s.Attribute, layer: GraphLayer, state: Session) -> None:
    """Report a name other than lemma, upos, xpos or a UD feature; a free layer allows any."""
    name = attribute.name.text
    if layer.free:
        return
    if name not in COLUMNS and not name[0].isupper():
        hint = suggest(name, COLUMNS) or f"write `{name.capitalize()}=…`"
        notes = ("besides lemma, upos and xpos a word has UD features, such as `Tense=Past`",)
        state.error("SGL0506", attribute.name.span, f"`{name}` is not an attribute of a word", hint, notes=notes)
    elif name in RESERVED_ATTRIBUTES:
        state.error("SGL0512", attribute.name.span, f"CoNLL-U has its own use for the attribute `{name}`")


@dataclass
class Produced(Signed):
    """A project with productions (for ``words``, grouped by word and lexicon), and with its readable tables."""

    rules: tuple[Production, ...]
    words: tuple[tuple[Production, ...], ...]
    tables: Mapping[Path, LexiconTable]

    @property
    def productions(self) -> tuple[Production, ...]:
        """The productions of rules and words."""
        return (*self.rules, *chain.from_iterable(self.words))
