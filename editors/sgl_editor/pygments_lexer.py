"""Colour ``.sgl`` in the documentation and wherever Pygments is used.

The lexer knows the language's words (``sgl/lang/__init__.py``), not its grammar.
"""

from typing import ClassVar

from pygments.lexer import RegexLexer, bygroups, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Text, Whitespace

from sgl.lang import CLAUSES, DECLARATIONS

_NAME = r"[^\W\d]\w*"
_VALUES = [
    (r"\s+", Whitespace),
    (r'"(?:[^"\\\n]|\\.)*"', String),
    (r"[@$]\w+", Name.Variable),
    (r"-?\d+(?:\.\d+)?", Number),
]


class SglLexer(RegexLexer):
    """Lexer for the SGL language."""

    name = "SGL"
    aliases: ClassVar[list[str]] = ["sgl"]
    filenames: ClassVar[list[str]] = ["*.sgl"]
    mimetypes: ClassVar[list[str]] = ["text/x-sgl"]

    tokens: ClassVar = {
        "root": [
            (
                rf"^({'|'.join(DECLARATIONS)})(\b[ \t]*)({_NAME})?",
                bygroups(Keyword.Declaration, Whitespace, Name.Class),
            ),
            (r"#.*$", Comment.Single),
            (r"-\[", Operator, "edge"),
            (r"->|=>|>=|<=|!=", Operator),
            (r"\[", Punctuation, "tests"),
            (words(CLAUSES, prefix=r"(?<![\w.=|])(?<![=|] )", suffix=r"\b"), Keyword),
            *_VALUES,
            (rf"(?=[A-Z]){_NAME}", Name.Class),
            (rf"({_NAME})(?=\()", Name.Function),
            (_NAME, Name),
            (r"[~=|+*<>^-]", Operator),
            (r"[\](){},;:.]", Punctuation),
        ],
        # The label of an edge, as in `-[nsubj|~obj]->`, up to its arrow.
        "edge": [
            (r"\]", Operator, "arrow"),
            (rf"\$?{_NAME}", Name.Attribute),
            (r"[|^*~:]", Operator),
            (r"\s+", Whitespace),
            (r"(?=.)", Text, "#pop"),
        ],
        "arrow": [
            (r"->", Operator, "#pop:2"),
            (r"[+*]", Operator),
            (r"\{[^}\n]*\}", Number),
            (r"(?=.|\n)", Text, "#pop:2"),
        ],
        # Features of a category or tests of a node: `[@targets, #amod>=5]`.
        "tests": [
            (r"\]", Punctuation, "#pop"),
            (rf"(#)([~^*]?(?:{_NAME})?)", bygroups(Operator, Name.Attribute)),
            (r"\b(?:in|not|if|and|mod)\b", Keyword),
            *_VALUES,
            (_NAME, Name),
            (r"!=|>=|<=|[=|:~^*<>+-]", Operator),
            (r"[,()]", Punctuation),
            (r"(?=.)", Text, "#pop"),
        ],
    }
