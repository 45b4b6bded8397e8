"""Define views, the notations that write a semantic graph as one line of text, and read the graph for them.

A semantic graph says who did what to whom.  ``The baby hoped to smile``::

    nodes   1 entity baby, definite   2 event hope      4 event smile
    edges   hope -agent-> baby        hope -xcomp-> smile
                                      smile -agent-> baby
    head    hope

The attributes of a node are ``type`` (``entity``, ``name``, ``wh``, ``event`` or ``property``), ``lemma``, for an
entity ``definite`` (``yes`` or ``no``), and for a single word ``open``: for an event the roles still to be filled
(``agent+theme``), for anything else any text.  A function word has no node, or one without attributes, which no view
shows.  A determiner may be a node of type ``det`` whose ``definite`` applies to its noun.

The edges of one source are in the order of their roles, subject first.  A colon in a label separates its parts
(``nmod:in``).  Each module of ``sgl.rendering.views`` registers its view, with everything that the rest of SGL needs to
know about it.

This module and those of views need only the standard library of Python 3.9, so that a standalone sampler can contain
them; their names must differ.
"""

import re
from collections.abc import Callable, Container, Sequence
from functools import lru_cache
from typing import NamedTuple

from sgl.core.graph import Graph

ENTITY = "entity"
NAME = "name"
WH = "wh"
EVENT = "event"
#: An adjective's property of a noun; the noun has an edge to it.
PROPERTY = "property"
#: A determiner; it says whether its noun is definite and is not itself shown.
DET = "det"

_TYPES = (ENTITY, NAME, WH, EVENT, PROPERTY)

#: The label of the edge from a noun to an adjective.
ADJECTIVAL = "amod"

#: The position of a node that is on no known token.
UNANCHORED = -1

#: Tokens of logical forms that cannot be words.
RESERVED = frozenset({"x", "AND", "LAMBDA"})

_WORD = re.compile(r"[^\W\d_][^\s().,;*?=]*")


class ViewError(ValueError):
    """A graph has no form in this view; the message says which node is wrong and why."""


def is_word(token: str) -> bool:
    """Return whether a token can be in a logical form: a letter first, and neither spaces nor ``( ) . , ; * ? =``."""
    return _WORD.fullmatch(token) is not None and token not in RESERVED


@lru_cache(maxsize=1 << 12)
def _is_label(label: str) -> bool:
    return all(is_word(part) for part in label.split(":"))


@lru_cache(maxsize=1 << 12)
def _read(attributes: tuple[tuple[str, str], ...]) -> tuple[str, str, bool, str]:
    values = dict(attributes)
    kind, lemma, definite = values.get("type", ""), values.get("lemma", ""), values.get("definite")
    if kind == DET:
        return kind, lemma, definite == "yes", ""
    if kind not in _TYPES:
        known = f"{', '.join(_TYPES[:-1])} or {_TYPES[-1]}"
        raise ViewError(f"the type of '{lemma}' is '{kind}', not {known}")
    if kind != WH and not is_word(lemma):
        raise ViewError(f"the lemma '{lemma}' cannot be written as one word of a logical form")
    return kind, lemma, kind == ENTITY and definite == "yes", values.get("open", "")


class Meaning:
    """A semantic graph, checked and laid out for writing.

    ``nodes`` are the nodes with attributes, except determiners, in the order of their tokens; all attributes below are
    indexed by the numbers of these nodes in the graph.  Raises ``ViewError`` if a node has no type or no proper lemma,
    or if an edge leads from or to a function word, except from a noun to its determiner.
    """

    def __init__(self, graph: Graph) -> None:
        self.head = graph.head
        self.type: dict[int, str] = {}
        self.lemma: dict[int, str] = {}
        self.definite: dict[int, bool] = {}
        self.open: dict[int, str] = {}
        self.position: dict[int, int] = {}
        #: The edges of a node in the order of roles: label, target.
        self.edges: dict[int, list[tuple[str, int]]] = {}
        determiners: dict[int, bool] = {}
        for number, node in enumerate(graph.nodes):
            if not node.attributes:
                continue
            kind, lemma, definite, still_open = _read(node.attributes)
            if kind == DET:
                determiners[number] = definite
                continue
            self.type[number] = kind
            self.lemma[number] = lemma
            self.definite[number] = definite
            self.open[number] = still_open
            self.position[number] = node.position
            self.edges[number] = []
        for source, label, target in graph.edges:
            if target in determiners and self.type.get(source) == ENTITY:
                self.definite[source] = determiners[target]
                continue
            if source not in self.type or target not in self.type:
                raise ViewError(f"the edge '{label}' leads from or to a word without meaning")
            if not _is_label(label):
                raise ViewError(f"the label '{label}' cannot be written in a logical form")
            self.edges[source].append((label, target))
        if self.head not in self.type:
            raise ViewError("the head of the graph is a word without meaning")
        position = self.position
        self.nodes = sorted(self.type, key=lambda number: (position[number], number))
        if any(self.open.values()) and len(self.nodes) > 1:
            raise ViewError("only a word by itself can have the attribute 'open'")

    def constant(self, number: int) -> str:
        """Return the text of a name or wh-word, or "" for other nodes."""
        kind = self.type[number]
        if kind == NAME:
            return self.lemma[number]
        return "?" if kind == WH else ""

    def check_shown(self, shown: Container[int]) -> None:
        """Raise ``ViewError`` if a form that follows the edges does not show all nodes."""
        for number in self.nodes:
            if number not in shown:
                word = self.constant(number) or self.lemma[number]
                raise ViewError(f"'{word}' is attached to no other word")

    def function(self, number: int, atom: Callable[[str, str], str], *before: str) -> str:
        """Return a single word as a function; ``atom`` makes its atoms from open roles and their variables.

        The last role has the innermost argument, ``a``: *eat* is ``LAMBDA a . LAMBDA b . LAMBDA e . eat . agent ( e , b
        ) AND eat . theme ( e , a )``, and *give* with three open roles has ``c``, ``b`` and ``a``.  Raises
        ``ViewError`` if an event has no open roles, or too many.
        """
        lemma = self.constant(number) or self.lemma[number]
        if self.type[number] != EVENT:
            return f"LAMBDA a . {lemma} ( a )"
        roles = self.open[number].split("+")
        if len(roles) > len(PARAMETERS) or not all(map(is_word, roles)):
            raise ViewError(f"'{lemma}' cannot have the open roles {roles}")
        variables = PARAMETERS[: len(roles)]
        binders = [f"LAMBDA {variable} ." for variable in (*variables, "e")]
        return " ".join([*binders, " AND ".join([*before, *map(atom, roles, variables[::-1])])])


#: The variables of open roles; ``e`` is the event.
PARAMETERS = "abcd"


#: Marks in an unfinished form: before and after the number of a variable, and between parts.
OPEN, CLOSE, PART = "\uf8d0", "\uf8d1", "\uf8d2"
_MARKS = re.compile(f"[{OPEN}{CLOSE}{PART}]")


class View(NamedTuple):
    """A view: its name, a description, and the function that writes a graph.

    ``write`` takes a graph that is laid out, and raises ``ViewError`` if it has no such form.  ``kept`` says how many
    letters of a lemma affect more than the place where the lemma is written, or None for all.  ``syntax`` says how the
    meanings of forms are compared: as ``atoms``, as ``terms``, or not at all.

    If the names of variables depend on the words, ``write`` leaves the form unfinished, with a number between ``OPEN``
    and ``CLOSE`` for each variable.  ``finish`` names the variables, and returns a form without marks unchanged.
    """

    name: str
    description: str
    write: Callable[[Meaning], str]
    kept: Callable[[str], int | None] = lambda _lemma: 0
    syntax: str = ""
    finish: Callable[[str], str] | None = None

    def render(self, graph: Graph, tokens: Sequence[str] = ()) -> str:  # noqa: ARG002
        """Return a graph in this notation; the tokens are ignored.  Raises ``ViewError``."""
        form = self.unfinished(graph)
        return form if self.finish is None else self.finish(form)

    def unfinished(self, graph: Graph) -> str:
        """Return the form before its variables have names; raises ``ViewError``."""
        meaning = Meaning(graph)
        if self.finish is not None and any(map(_MARKS.search, meaning.lemma.values())):
            raise ViewError("a word has a character that stands for variables")
        return self.write(meaning)


#: The views by name.
VIEWS: dict[str, View] = {}


#: What turns an author's template into a function, by the kind of view; filled by ``sgl.rendering.template``.
TEMPLATES: dict[str, Callable[..., Callable[..., str]]] = {}


def register(view: View) -> None:
    """Add a view; raises ``ValueError`` if its name is taken."""
    if view.name in VIEWS:
        raise ValueError(f"there are two views called '{view.name}'")
    VIEWS[view.name] = view
