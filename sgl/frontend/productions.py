"""Productions: rules and words with their names resolved, features not yet expanded.

A production knows for each category it mentions which values each feature may have there: a set of
values, or a variable that all mentions share.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from sgl.core.grammar import Fragment, Item
from sgl.diagnostics import Span
from sgl.frontend.signature import CategoryInfo

Slotting = frozenset[str] | str
"""What a feature may be in one mention: a set of values, or a variable's name."""

#: In the place of a value: any of them is meant.
ANY = "_"

#: What tells apart the variables that stand for several comparisons with one.
AGAIN = "'"


@dataclass(frozen=True, slots=True)
class CategoryPattern:
    """A mention of a category: ``slots`` by feature; which are ``mentioned`` in brackets, and which are ``free``."""

    info: CategoryInfo
    slots: tuple[Slotting, ...]
    span: Span
    mentioned: frozenset[str] = frozenset()
    free: frozenset[str] = frozenset()

    def having(self, feature: str, value: str) -> str:
        """Return the mention as it is to be written with a value for a feature."""
        settings = [
            f"{name}={value}" if name == feature else self._written(name, slot)
            for name, slot in zip(self.info.features, self.slots, strict=True)
            if name in self.mentioned or name == feature
        ]
        return f"{self.info.name}[{', '.join(settings)}]"

    def _written(self, feature: str, slot: Slotting) -> str:
        if isinstance(slot, str):
            return f"{feature}{slot.rstrip(AGAIN)}" if slot[0] in "<>" else f"{feature}={slot}"
        return f"{feature}={ANY if feature in self.free else '|'.join(sorted(slot))}"


@dataclass(frozen=True, slots=True)
class FeatureVariable:
    """``$f`` in a template: the value of a feature variable."""

    name: str


TemplateSketch = tuple[Item | FeatureVariable, ...]
Attributes = tuple[tuple[str, str | FeatureVariable], ...]


@dataclass(frozen=True, slots=True)
class FragmentSketch:
    """A fragment whose attributes and labels may still mention feature variables."""

    fragment: Fragment
    attributes: Mapping[int, Attributes]


@dataclass(frozen=True, eq=False, slots=True)
class Pool:
    """The weight that words of a lexicon in one category share; with ``exponent`` by Zipf's law."""

    weight: float
    exponent: float | None


@dataclass(frozen=True, slots=True)
class Version:
    """What a rule or a word is in each layer, for all values of its features or for some.

    ``share`` is the weight as written, or the share in the weight of the ``pool``.  Versions of a rule with one
    number ``sharing`` have one weight together.  ``when`` tells for which values the version is.
    """

    templates: tuple[TemplateSketch, ...]
    fragments: tuple[FragmentSketch, ...]
    share: float
    sharing: int = 0
    when: str = ""


class Order(NamedTuple):
    """Two variables that are compared, and the values of their feature in order."""

    left: str
    comparison: str
    right: str
    values: tuple[str, ...]

    def holds(self, left: str, right: str) -> bool:
        """Return whether two values are in the order that is asked for."""
        return is_ordered(self.values.index(left), self.comparison, self.values.index(right))


def is_ordered(left: int, comparison: str, right: int) -> bool:
    """Return whether one number is ``>``, ``<``, ``>=`` or ``<=`` another."""
    equal = left == right and comparison.endswith("=")
    return equal or (left > right if comparison.startswith(">") else left < right)


@dataclass(frozen=True, slots=True)
class Production:
    """A rule or a word before its features are expanded.

    Of several ``versions``, ``number`` tells which is for the values of the ``deciding`` variables.
    ``word`` marks a word that is declared by itself.
    """

    name: str
    lhs: CategoryPattern
    rhs: tuple[CategoryPattern, ...]
    domains: Mapping[str, frozenset[str]]
    versions: tuple[Version, ...]
    span: Span
    orders: tuple[Order, ...] = ()
    deciding: tuple[str, ...] = ()
    number: Mapping[tuple[str, ...], int] = field(default_factory=lambda: {(): 0})
    keep: bool = False
    word: bool = False
    pool: Pool | None = None

    def version(self, values: Mapping[str, str]) -> Version:
        """Return the version for values of the variables."""
        return self.versions[self.number[tuple(values[name] for name in self.deciding)]]

    def admits(self, values: Mapping[str, str]) -> bool:
        """Return whether values of the variables are in the order that the rule asks for."""
        return all(order.holds(values[order.left], values[order.right]) for order in self.orders)

    @property
    def empty(self) -> bool:
        """Whether it has no words."""
        return not any(any(version.templates) for version in self.versions)
