"""The names of attributes and labels that CoNLL-U can hold.

Graphs are published as CoNLL-U, whose columns keep some characters and names for
themselves.  What it cannot hold is found before a sentence is drawn.
"""

from __future__ import annotations

from sgl.core.grammar import GraphLayer
from sgl.diagnostics import suggest
from sgl.frontend.state import CompilerState
from sgl.lang import syntax as s

#: Attributes with a CoNLL-U column of their own; all others are UD features.
COLUMNS = ("lemma", "upos", "xpos")
#: What CoNLL-U itself writes in the columns of labels and of features.
RESERVED_LABELS = ("root", "_")
RESERVED_ATTRIBUTES = ("SpaceAfter", "Extracted")


def check_attribute_name(attribute: s.Attribute, layer: GraphLayer, state: CompilerState) -> None:
    """Attributes are ``lemma``, ``upos``, ``xpos`` or UD features (capitalised).

    The words of a free layer may have any others.
    """
    name = attribute.name.text
    if layer.free:
        return
    if name not in COLUMNS and not name[0].isupper():
        hint = suggest(name, COLUMNS) or f"write `{name.capitalize()}=…`"
        notes = ("besides lemma, upos and xpos a word has UD features, such as `Tense=Past`",)
        message = f"`{name}` is no attribute of a word"
        state.error("SGL0506", attribute.name.span, message, hint, notes=notes)
    elif name in RESERVED_ATTRIBUTES:
        message = f"CoNLL-U has its own use for the attribute `{name}`"
        state.error("SGL0512", attribute.name.span, message)
