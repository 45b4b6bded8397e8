"""The attributes of words: which names they may have, and which values can be written.

Graphs are published as CoNLL-U, whose columns keep some characters and names for
themselves.  What it cannot hold is found here, before a sentence is drawn.
"""

from __future__ import annotations

from sgl.core.grammar import GraphLayer
from sgl.diagnostics import suggest
from sgl.frontend.state import State
from sgl.lang import syntax as s

#: Attributes with a CoNLL-U column of their own; all others are UD features.
COLUMNS = ("lemma", "upos", "xpos")
#: What CoNLL-U itself writes in the columns of labels and of features.
RESERVED_LABELS = ("root", "_")
RESERVED_ATTRIBUTES = ("SpaceAfter", "Extracted")


def check_attribute_name(attribute: s.Attribute, layer: GraphLayer, state: State) -> None:
    """Attributes are ``lemma``, ``upos``, ``xpos`` or UD features (capitalised).

    The words of a free layer may have any others.
    """
    name = attribute.name.text
    if layer.free:
        return
    if name not in COLUMNS and not name[0].isupper():
        state.diagnostics.error(
            "SGL0506",
            attribute.name.span,
            f"`{name}` is no attribute of a word",
            notes=("besides lemma, upos and xpos a word has UD features, such as `Tense=Past`",),
            hint=suggest(name, COLUMNS) or f"write `{name.capitalize()}=…`",
        )
    elif name in RESERVED_ATTRIBUTES:
        state.diagnostics.error(
            "SGL0512", attribute.name.span, f"CoNLL-U has its own use for the attribute `{name}`"
        )


def is_writable(name: str, value: str) -> bool:
    """Whether CoNLL-U can hold an attribute; a lemma may have spaces and bars in it."""
    if value == "_" or value != value.strip():
        return False
    text = value.replace(" ", "") if name == "lemma" else value.replace("|", " ")
    return not any(character.isspace() for character in text)
