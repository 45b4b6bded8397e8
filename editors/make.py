"""Write the colours of editors from the words of the language.

The words are those of ``sgl/lang/__init__.py``, which the reader and the documentation use as
well; the rules are those of ``editors/sgl_editor/pygments_lexer.py``::

    python editors/make.py           # write them
    python editors/make.py --check   # exit with 1 if they are not those of the words
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from sgl.lang import CLAUSES, DECLARATIONS

HERE = Path(__file__).parent

_NAME = r"[^\W\d]\w*"
_STRING = r'"(?:[^"\\\n]|\\.)*"'
#: Before a word that is a name there: of a part after `.`, of a value after `=` and `|`.
_NO_NAME = r"(?<![\w.=|])(?<![=|] )"


def textmate() -> str:
    """The TextMate grammar: VS Code, Sublime Text, and what else reads such grammars."""
    strings = [
        {"name": "string.quoted.double.sgl", "match": _STRING},
        {"name": "variable.other.sgl", "match": r"[@$]\w+"},
        {"name": "constant.numeric.sgl", "match": r"-?\b[0-9]+(?:\.[0-9]+)?\b"},
    ]
    labels = [
        {"name": "variable.other.sgl", "match": r"[@$]\w+"},
        {"name": "entity.other.attribute-name.sgl", "match": _NAME},
        {"name": "keyword.operator.sgl", "match": r"[|^*~:]"},
    ]
    tests = [
        {
            "match": rf"(#)([~^*]?(?:{_NAME})?)",
            "captures": {"1": {"name": "keyword.operator.sgl"}, "2": {"name": "entity.other.attribute-name.sgl"}},
        },
        {"name": "keyword.control.sgl", "match": r"\b(?:in|not|if|and|mod)\b"},
        *strings,
        {"name": "variable.parameter.sgl", "match": _NAME},
        {"name": "keyword.operator.sgl", "match": r"!=|>=|<=|[=|:~^*<>+-]"},
        {"name": "punctuation.separator.sgl", "match": r"[,.()]"},
    ]
    declared = {
        "match": rf"^({'|'.join(DECLARATIONS)})\b(?:[ \t]+({_NAME}))?",
        "captures": {"1": {"name": "keyword.declaration.sgl"}, "2": {"name": "entity.name.type.sgl"}},
    }
    grammar = {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "SGL",
        "scopeName": "source.sgl",
        "fileTypes": ["sgl"],
        "patterns": [
            declared,
            {"name": "comment.line.number-sign.sgl", "match": r"#.*$"},
            {
                "name": "meta.edge.sgl",
                "begin": r"-\[",
                "end": r"\](?:\+|\{[^}\n]*\})?->",
                "beginCaptures": {"0": {"name": "keyword.operator.edge.sgl"}},
                "endCaptures": {"0": {"name": "keyword.operator.edge.sgl"}},
                "patterns": labels,
            },
            {"name": "keyword.operator.sgl", "match": r"->|=>|>=|<=|!=|\.\."},
            {
                "name": "meta.features.sgl",
                "begin": r"\[",
                "end": r"\]",
                "beginCaptures": {"0": {"name": "punctuation.section.brackets.sgl"}},
                "endCaptures": {"0": {"name": "punctuation.section.brackets.sgl"}},
                "patterns": tests,
            },
            {"name": "keyword.control.sgl", "match": rf"{_NO_NAME}(?:{'|'.join(CLAUSES)})\b"},
            *strings,
            {"name": "entity.name.type.sgl", "match": r"\b[A-Z]\w*"},
            {"name": "entity.name.function.sgl", "match": rf"{_NAME}(?=\()"},
            {"name": "variable.parameter.sgl", "match": _NAME},
            {"name": "keyword.operator.sgl", "match": r"[~=|+*<>^-]"},
            {"name": "punctuation.separator.sgl", "match": r"[\](){},;:.]"},
        ],
    }
    return json.dumps(grammar, indent=2, ensure_ascii=False) + "\n"


def vim() -> str:
    """The syntax file of Vim and Neovim."""
    declarations, clauses = (r"\|".join(words) for words in (DECLARATIONS, CLAUSES))
    return f"""\
" Vim syntax file of SGL.  Written by editors/make.py.
if exists("b:current_syntax")
  finish
endif

syntax case match
syntax match sglComment "#.*$"
syntax region sglString start=+"+ skip=+\\\\.+ end=+"+ oneline
syntax match sglVariable "[@$]\\k\\+"
syntax match sglNumber "\\<\\d\\+\\(\\.\\d\\+\\)\\?\\>"
syntax match sglCategory "\\<[A-Z]\\k*"
syntax match sglDegree "#\\ze[~^*[:alpha:]_]" contained
syntax region sglTests matchgroup=sglBracket start="\\[" end="\\]"
  \\ contains=sglString,sglVariable,sglNumber,sglDegree
syntax region sglEdge matchgroup=sglOperator start="-\\[" end="\\]\\(+\\|{{[^}}]*}}\\)\\?->"
  \\ contains=sglVariable
syntax match sglOperator "->\\|=>\\|>=\\|<=\\|!=\\|\\.\\.\\|[~=|+<>;]"
syntax match sglClause "\\%([.=|] \\?\\)\\@<!\\<\\%({clauses}\\)\\>"
syntax match sglName "\\%(reject\\>\\)\\@!\\k\\+" contained
syntax match sglDeclaration "^\\({declarations}\\)\\>" nextgroup=sglName skipwhite

highlight default link sglComment Comment
highlight default link sglString String
highlight default link sglVariable Identifier
highlight default link sglNumber Number
highlight default link sglCategory Type
highlight default link sglDegree Operator
highlight default link sglEdge Constant
highlight default link sglOperator Operator
highlight default link sglBracket Delimiter
highlight default link sglClause Statement
highlight default link sglName Type
highlight default link sglDeclaration Keyword

let b:current_syntax = "sgl"
"""


def emacs() -> str:
    """The major mode of Emacs."""
    declarations = " ".join(f'"{word}"' for word in DECLARATIONS)
    clauses = " ".join(f'"{word}"' for word in CLAUSES)
    return f"""\
;;; sgl-mode.el --- Major mode for SGL grammars  -*- lexical-binding: t; -*-
;; Written by editors/make.py.

;;; Code:

(defvar sgl-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\\n ">" table)
    (modify-syntax-entry ?_ "w" table)
    table))

(defvar sgl-mode-keywords
  `((,(concat "^" (regexp-opt '({declarations}) 'words))
     . font-lock-keyword-face)
    ("-\\\\[\\\\([^]\\n]*\\\\)\\\\]" 1 font-lock-constant-face)
    ("[.=|] ?\\\\(\\\\sw+\\\\)" 1 'default)
    (,(regexp-opt '({clauses}) 'words)
     . font-lock-builtin-face)
    ("[@$]\\\\sw+" . font-lock-variable-name-face)
    ("\\\\<[A-Z]\\\\sw*" . font-lock-type-face)))

;;;###autoload
(define-derived-mode sgl-mode prog-mode "SGL"
  "Major mode for SGL grammars."
  (setq-local comment-start "# ")
  (setq-local comment-start-skip "#+ *")
  (setq-local indent-tabs-mode nil)
  (setq-local compile-command (concat "sglc check --format concise " (or buffer-file-name "")))
  (setq font-lock-defaults '(sgl-mode-keywords nil nil)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\\\.sgl\\\\'" . sgl-mode))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(sgl-mode . ("sglc" "lsp"))))

(provide 'sgl-mode)
;;; sgl-mode.el ends here
"""


#: Each file that is written, and what writes it.
FILES = {"vscode/syntaxes/sgl.tmLanguage.json": textmate, "vim/syntax/sgl.vim": vim, "emacs/sgl-mode.el": emacs}


def main(arguments: list[str]) -> int:
    """Write the files, or compare them; the exit status is 1 if one is not up to date."""
    stale = [
        name
        for name, made in FILES.items()
        if not (HERE / name).is_file() or (HERE / name).read_text("utf-8") != made()
    ]
    if "--check" in arguments:
        for name in stale:
            sys.stderr.write(f"editors/{name} is not what editors/make.py writes\n")
        return 1 if stale else 0
    for name in stale:
        (HERE / name).parent.mkdir(parents=True, exist_ok=True)
        (HERE / name).write_text(FILES[name](), "utf-8")
        sys.stderr.write(f"editors/{name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
