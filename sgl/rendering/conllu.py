"""Write a graph over the tokens of a sentence as CoNLL-U.

The unmarked edges of a graph are its basic tree, and all edges together the enhanced graph, so a reader can recover the
``~`` marks: *an edge of DEPS that is not the basic edge of its token is a* ``~`` *edge*.  A fronted word has only ``~``
edges; the first one that makes a tree serves as its basic edge, and ``Extracted=Yes`` says so::

    # text_ja = 彼女は何を見たか。
    1  What  what  PRON  _  PronType=Int  4  obj    4:obj    Extracted=Yes
    2  did   do    AUX   _  _             4  aux    4:aux    _

Two words that the text writes as one are a multiword token, preceded by a line ``3-4  du``.

A free layer is not a tree: its edges are in column DEPS, HEAD and DEPREL are empty, and ``Node=No`` marks a word
without a node.

Attributes other than ``lemma``, ``upos`` and ``xpos`` are features; one that is not spelt as UD requires
(``form=past``) goes to MISC.  Format: Universal Dependencies, *CoNLL-U Format*; the result passes levels 1 and 2 of the
UD validator as far as labels and tags are UD's.
"""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from sgl.core.grammar import EXTRACTED
from sgl.core.graph import Graph, GraphNode
from sgl.core.spelling import Piece

Attributes = tuple[tuple[str, str], ...]
Edges = tuple[tuple[int, str, int], ...]
#: Governor (1-based, 0 for the root), label without ``~``, and whether it had a ``~``.
Arc = tuple[int, str, bool]
#: Some columns of a line, with their additions to MISC.
_Columns = tuple[str, tuple[str, ...]]

_GLUED = "SpaceAfter=No"

_COLUMNS = ("lemma", "upos", "xpos")
_RESERVED = frozenset({"SpaceAfter", "Extracted"})
#: The features that the UD validator accepts in column FEATS, if their values are sorted.
_FEATURE = re.compile(r"[A-Z0-9][A-Za-z0-9]*(\[[a-z0-9]+\])?=[A-Z0-9][A-Za-z0-9]*(,[A-Z0-9][A-Za-z0-9]*)*")
_LABEL = re.compile(rf"(?!_\Z|root\Z|{EXTRACTED})[^\s|]+")
_UNWRITABLE = re.compile(r"[\s|]")
_LINE_BREAKING = re.compile(r"[^\S ]")


class ConlluError(ValueError):
    """A sentence has no faithful CoNLL-U form; the message says which part and why."""


def conllu(
    graph: Graph,
    tokens: Sequence[str],
    texts: Sequence[tuple[str, str]],
    *,
    sent_id: str,
    category: str,
    spelt: Sequence[Piece] = (),
    free: bool = False,
) -> str:
    """Return one sentence with its comments and a final empty line.

    ``tokens`` are the words of the layer that the graph is anchored to; every token must have exactly one node.
    ``texts`` pairs the names of the text layers with their values, the tokens' layer first; ``spelt`` and ``free`` are
    as in ``word_lines``.  Raises ``ConlluError`` if the edges do not give every word one place in a tree, if a token
    has no node, or if a word, label or value contains characters that the format reserves.
    """
    names = [name for name, _ in texts]
    try:
        body = word_lines(graph, tokens, texts[0][1], spelt=spelt, free=free)
        for text in (*(text for _, text in texts), category):
            if not is_one_line(text):
                raise ConlluError(f"the text {text!r} is not one line")
    except ConlluError as error:
        raise ConlluError(f"{sent_id}: {error}") from None
    pairs = zip(comments(names), [sent_id, category, *(text for _, text in texts), body], strict=True)
    return "".join(piece for pair in pairs for piece in pair)


def comments(names: Sequence[str], measured: Sequence[str] = ()) -> list[str]:
    """Return what stands before the id, the category, each of the texts, what else is ``measured``, and the words.

    ``names`` are those of the text layers, the layer of the tokens first.
    """
    labels = ["category", "text", *(f"text_{name}" for name in names[1:]), *measured]
    return ["# sent_id = ", *(f"\n# {label} = " for label in labels), "\n"]


def word_lines(
    graph: Graph,
    tokens: Sequence[str],
    text: str,
    columns_of: Callable[[Attributes], _Columns] | None = None,
    spelt: Sequence[Piece] = (),
    *,
    free: bool = False,
) -> str:
    """Return the lines of the words and a final empty line.

    ``text`` is the text of the tokens; ``columns_of`` replaces ``word_columns``; ``spelt`` has the pieces in which the
    tokens are written, if they differ from the tokens; ``free`` says whether the graph layer is free.  Raises
    ``ConlluError`` if the sentence has no faithful form.
    """
    nodes = {node.position: node for node in graph.nodes}
    every = free or [*nodes] == [*range(len(tokens))]
    if not (tokens and every and len(nodes) == len(graph.nodes)):
        raise ConlluError("not every token has exactly one node")
    if free:
        edges = _free_columns(graph, len(tokens))
    else:
        edges = [_edge_columns(arcs) for arcs in _incoming(len(tokens), graph.edges, graph.head)]
    pieces = [piece[:2] for piece in spelt] or [(token, 1) for token in tokens]
    lines: list[str] = []
    index = 0
    for (written, words), space in zip(pieces, _space_after([piece[0] for piece in pieces], text), strict=True):
        single = words == 1
        if not single:
            last = "_" if space else _GLUED
            lines.append("\t".join([f"{index + 1}-{index + words}", written, *"_______", last]))
        for form in [written] if single else tokens[index : index + words]:
            columns = _node_columns(nodes.get(index), columns_of or word_columns)
            lines.append(_line(index + 1, form, columns, edges[index], space or not single))
            index += 1
    return "\n".join(lines) + "\n\n"


def _line(number: int, form: str, columns: _Columns, edges: _Columns, space: bool) -> str:
    """Return the line of a word, given its node and edge columns, each with additions to MISC."""
    misc = "|".join((*columns[1], *edges[1], *(() if space else (_GLUED,)))) or "_"
    return f"{number}\t{form}\t{columns[0]}\t{edges[0]}\t{misc}"


def _node_columns(node: GraphNode | None, columns_of: Callable[[Attributes], _Columns]) -> _Columns:
    if node is not None:
        return columns_of(node.attributes)
    columns, misc = columns_of(())
    return columns, (*misc, "Node=No")


def _free_columns(graph: Graph, size: int) -> list[_Columns]:
    """Return the columns HEAD to DEPS of each word in a graph that is not a tree."""
    into: list[list[tuple[int, str]]] = [[] for _ in range(size)]
    for source, label, target in graph.edges:
        if _UNWRITABLE.search(label):
            raise ConlluError(f"cannot write an edge {label!r}")
        into[graph.nodes[target].position].append((graph.nodes[source].position + 1, label))
    rows = ("|".join(f"{head}:{label}" for head, label in sorted(own)) for own in into)
    return [(f"_\t_\t{row or '_'}", ()) for row in rows]


@lru_cache(maxsize=1 << 14)
def _incoming(size: int, edges: Edges, head: int) -> tuple[tuple[Arc, ...], ...]:
    incoming: list[list[Arc]] = [[] for _ in range(size)]
    incoming[head].append((0, "root", False))
    for source, label, target in edges:
        name = label.removeprefix(EXTRACTED)
        if source == target or not _LABEL.fullmatch(name):
            raise ConlluError(f"cannot write an edge {label!r} from word {source + 1}")
        incoming[target].append((source + 1, name, name != label))
    for number, into in enumerate(incoming, start=1):
        if not into:
            raise ConlluError(f"word {number} has no governor")
        if len(into) > 1:
            into.sort(key=lambda arc: (arc[2], arc[0], arc[1]))
            if not into[1][2]:
                raise ConlluError(f"word {number} has two governors in the basic tree")
            if len({arc[:2] for arc in into}) < len(into):
                raise ConlluError(f"word {number} has an edge both with and without ~")
    _make_tree(incoming)
    return tuple(map(tuple, incoming))


def _make_tree(arcs: list[list[Arc]]) -> None:
    """Move to the front, for each fronted word, the ``~`` edge by which it joins the tree.

    That edge must not come from below: in *the cake that Emma baked, Lina ate*, the verb of the relative clause governs
    *cake* as well.  So the words that the tree reaches are found first, and a fronted word is attached to the first of
    its governors among them.
    """
    reached = {0}
    waiting = list(range(len(arcs)))
    while waiting:
        before = len(waiting)
        for at in waiting:
            governor, _, extracted = arcs[at][0]
            if governor in reached and not extracted:
                reached.add(at + 1)
        waiting = [at for at in waiting if at + 1 not in reached]
        if len(waiting) == before:
            fronted = ((at, arc) for at in waiting if arcs[at][0][2] for arc in arcs[at] if arc[0] in reached)
            at, joint = next(fronted, (-1, None))
            if joint is None:
                raise ConlluError(f"word {waiting[0] + 1} is not below the head of the sentence")
            arcs[at] = [joint, *(arc for arc in arcs[at] if arc != joint)]
            reached.add(at + 1)


@lru_cache(maxsize=1 << 16)
def _edge_columns(arcs: tuple[Arc, ...]) -> _Columns:
    governor, label, extracted = arcs[0]
    deps = "|".join(f"{head}:{name}" for head, name in sorted(arc[:2] for arc in arcs))
    return f"{governor}\t{label}\t{deps}", ("Extracted=Yes",) if extracted else ()


@lru_cache(maxsize=1 << 16)
def word_columns(attributes: Attributes) -> _Columns:
    """Return columns LEMMA to FEATS, and the attributes for MISC; raises ``ConlluError`` if one cannot be written."""
    fixed = dict.fromkeys(_COLUMNS, "_")
    features: list[str] = []
    misc: list[str] = []
    for name, value in attributes:
        if not value:
            continue
        if not is_attribute(name, value):
            raise ConlluError(f"cannot write the attribute {name}={value!r}")
        folded = value.lower().split(",")
        if name in fixed:
            fixed[name] = value
        elif _FEATURE.fullmatch(f"{name}={value}") and folded == sorted({*folded}):
            features.append(f"{name}={value}")
        elif name in _RESERVED:
            raise ConlluError(f"the attribute name {name} has a meaning of its own")
        else:
            misc.append(f"{name}={value}")
    feats = "|".join(sorted(features, key=str.lower)) or "_"
    return "\t".join((*fixed.values(), feats)), tuple(misc)


def is_attribute(name: str, value: str) -> bool:
    """Return whether a word can have this attribute; only lemmas may contain spaces and bars."""
    reserved = _LINE_BREAKING if name == "lemma" else _UNWRITABLE
    misspelt = "=" in name or _UNWRITABLE.search(name) is not None
    return not (misspelt or value == "_" or value != value.strip() or reserved.search(value))


@lru_cache(maxsize=1 << 16)
def is_token(token: str) -> bool:
    """Return whether a word can be in column FORM."""
    return bool(token) and token == token.strip() and is_one_line(token)


def _space_after(tokens: Sequence[str], text: str) -> list[bool]:
    position = 0
    spaced: list[bool] = []
    for token in tokens:
        if not is_token(token):
            raise ConlluError(f"the token {token!r} cannot be written")
        if not text.startswith(token, position):
            raise ConlluError("its words are joined by more than a space")
        position += len(token)
        spaced.append(text.startswith(" ", position))
        position += spaced[-1]
    if position != len(text) or (spaced and spaced[-1]):
        raise ConlluError("its words are joined by more than a space")
    return [*spaced[:-1], True]


def is_one_line(value: str) -> bool:
    """Return whether a text has no white space except spaces, so that a comment can hold it."""
    return _LINE_BREAKING.search(value) is None
