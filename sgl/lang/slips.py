"""What an author probably meant where a declaration cannot be read.

The parser knows what could have stood somewhere; a newcomer is helped more by the slip
that most likely was made.  Each function here knows one kind of slip and says of a
:class:`Surprise` what was meant, or nothing; the first that knows something is heard::

    rule np: NP -> the N           `the` is neither a category nor a quoted word
                   ^^^             hint: quote it: `"the"`
    pattern Pp_in_subject          hint: the name of a pattern begins with a small letter: …
"""

from __future__ import annotations

import re
from collections.abc import Callable

from sgl.diagnostics import suggested
from sgl.lang.confusables import CONFUSABLES, is_invisible, plain
from sgl.lang.foreign import FOREIGN
from sgl.lang.keywords import CLAUSES, DECLARATIONS
from sgl.lang.surprise import Finding, Surprise, clip

#: How declarations begin that were indented by mistake; other words may begin a clause.
_INDENTED = re.compile(
    r"(?:rule\s+\w+\s*:|word\s+[A-Z]|test\s+(?:\"|reject\b)|dataset\s*$"
    r"|(?:module|use|param|layer|view|feature|category|labels|words|structure|lexicon|paradigm"
    r"|function|pattern|part|relation|restrict|weights)\s+[^\W\d])"
)
_BARE_WORDS = re.compile(r"[^\W\dA-Z]\w*(?:[ \t]+[^\W\dA-Z]\w*)*(?![\w:])")
_WORD = re.compile(r"\w+")
_NAME = re.compile(r"[^\W\d]\w*")
_NAMING = re.compile(r"\w+[ \t]+(?P<name>[\w-]*)[ \t]*")
_RUN = re.compile(r"[^\s~;,()\[\]{}]+")
_NUMBER = re.compile(r"[0-9][0-9,_ ]*[0-9]")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
#: Letters from which on a word can be told from a slip of another one.
_TELLING = 4
_LETTERS = "consists of letters, digits and `_`"
#: What follows a name where other notations go on with it.
_BREAKS = "'’′-"
#: Punctuation that is a word of a text, unless the language uses its plain form there.
_PUNCTUATION = ",.:;!?"


def probable_slip(surprise: Surprise) -> Finding | None:
    """The slip that most likely was made, if it is one of those that are known."""
    return next((found for slip in SLIPS if (found := slip(surprise)) is not None), None)


def begins_declaration(line: str) -> bool:
    """Whether an indented line looks like the first one of a declaration."""
    return _INDENTED.match(line.lstrip(" \t")) is not None


def _indented(surprise: Surprise) -> Finding | None:
    """A declaration that does not start in the first column goes on with the one above."""
    # At the end of a line it may be the next one that cannot be a clause.
    behind = len(surprise.text) - len(surprise.text[surprise.at :].lstrip())
    for start in (surprise.line_start, behind) if surprise.ended else (surprise.line_start,):
        line = surprise.text[start:].partition("\n")[0]
        if start and begins_declaration(line):
            keyword = line.split()[0]
            place = start + len(line) - len(line.lstrip(" \t"))
            hint = f"remove the spaces before `{keyword}`"
            message = "a declaration starts in the first column"
            return Finding(place, place + len(keyword), hint, message)
    return None


def _unseen(surprise: Surprise) -> Finding | None:
    if not is_invisible(surprise.found):
        return None
    return surprise.here(
        "remove it; it comes from a web page or a word processor",
        f"here is a character that cannot be seen (U+{ord(surprise.found):04X})",
    )


def _lookalike(surprise: Surprise) -> Finding | None:
    """A sign of another keyboard; punctuation among words is a word that lacks its quotes."""
    meant = CONFUSABLES.get(surprise.found)
    if meant is None:
        return None
    if meant in _PUNCTUATION and "STRING" in surprise.expected and not surprise.takes(meant):
        return None
    return surprise.here(f"if you mean `{meant}`, write the plain character (of ASCII)")


def _wide_name(surprise: Surprise) -> Finding | None:
    """``ＮＰ`` is a small name, because it does not begin with one of A to Z."""
    name = surprise.found
    if plain(name) == name or not plain(name).isascii() or not name.isidentifier():
        return None
    return surprise.here(f"write `{clip(plain(name))}` in plain characters (of ASCII)")


def _broken_name(surprise: Surprise) -> Finding | None:
    """``N'`` and ``N-bar`` are categories elsewhere."""
    if surprise.found not in tuple(_BREAKS) or "\n" in surprise.before:
        return None
    if surprise.takes("-["):
        return None
    head = re.search(r"[A-Z]\w*$", surprise.before[-100:])
    if head is None or surprise.keyword not in ("rule", "word", "category"):
        return None
    run = re.match(rf"[\w{_BREAKS}]+", surprise.rest)
    name = head.group() + (run.group() if run is not None else "")
    parts = "_".join(_WORD.findall(name))
    return Finding(
        surprise.at - len(head.group()),
        surprise.at - len(head.group()) + len(name),
        f"write `{clip(parts if parts != head.group() else parts + '1')}`",
        f"a name {_LETTERS}",
    )


def _bare_child(surprise: Surprise) -> Finding | None:
    """Small words on a right-hand side, where only the `:` of a role could follow."""
    if surprise.expected != {"COLON"} or "->" not in surprise.before:
        return None
    stop = len(surprise.before.rstrip())
    start = stop
    while start and (surprise.text[start - 1].isalnum() or surprise.text[start - 1] == "_"):
        start -= 1
    name = surprise.text[start:stop]
    message = f"`{clip(name)}` is neither a category nor a quoted word"
    known = {category.lower(): category for category in surprise.categories()}
    category = known.get(plain(name).lower())
    if plain(name) != name and plain(name).isascii():
        return Finding(start, stop, f"write `{clip(plain(name))}` in plain characters", message)
    if category is not None:
        return Finding(start, stop, f"did you mean the category `{category}`?", message)
    run = _BARE_WORDS.match(surprise.text, start)
    words = run.group().split() if run is not None else [name]
    quoted = " ".join(f'"{word}"' for word in words)
    which = "it" if len(words) == 1 else "each word"
    return Finding(start, stop, f"quote {which}: `{clip(quoted, 60)}`", message)


def _capital_role(surprise: Surprise) -> Finding | None:
    """``Subj:NP``: a role is a small name."""
    if surprise.found != ":" or surprise.keyword != "rule" or "->" not in surprise.before:
        return None
    match = re.search(r"[A-Z]\w*$", surprise.before[-100:])
    if match is None:
        return None
    role = match.group()
    start = surprise.at - len(role)
    return Finding(
        start, surprise.at, f"write `{small(role)}:`", f"the role `{role}` has a capital letter"
    )


def _nameless(surprise: Surprise) -> Finding | None:
    """``rule S -> NP VP`` and ``pattern "a title"`` lack a name."""
    keyword, found = surprise.keyword, surprise.found
    if "NAME" not in surprise.expected or surprise.before.strip() != keyword:
        return None
    if keyword == "rule" and re.match(r"[A-Z]\w*\s*(\[[^\]]*\]\s*)?->", surprise.rest):
        start = surprise.rest.partition("->")[0].strip()
        hint = f"write `rule {small(found)}: {clip(start)} -> …`"
        return surprise.here(hint, "a rule has a name")
    if keyword == "use" and found.startswith('"'):
        name = found.strip('"').removesuffix(".sgl").replace("/", ".").lstrip(".")
        return surprise.here(f"a file is named without quotes and ending: `use {clip(name)}`")
    if found.startswith('"'):
        name = "_".join(_WORD.findall(found.lower()))
        return surprise.here(f"a name comes first: `{keyword} {clip(name)} {clip(found)}`")
    return None


def _capital_name(surprise: Surprise) -> Finding | None:
    """A capital letter where a small name is asked for, as in ``pattern Embedding``."""
    name = surprise.found
    if "NAME" not in surprise.expected or "UPPER" in surprise.expected or not name[:1].isupper():
        return None
    if not name.isidentifier():
        return None
    if (
        surprise.keyword in ("rule", "word", "lexicon")
        and surprise.before.rstrip(" \t")[-1:] == "\n"
    ):
        return surprise.here("a clause begins with the name of its layer")
    if surprise.takes("{"):
        return surprise.here("a structure stands in braces: `{ V -[obj]-> N }`")
    if surprise.before.strip() == surprise.keyword:
        article = "an" if surprise.keyword[0] in "aeiou" else "a"
        of = f"the name of {article} {surprise.keyword}"
    else:
        of = "this name"
    return surprise.here(f"{of} begins with a small letter: `{clip(small(name))}`")


def _small_name(surprise: Surprise) -> Finding | None:
    """A small letter where a category or a node of a structure is named."""
    name = surprise.found
    if "UPPER" not in surprise.expected or "NAME" in surprise.expected:
        return None
    if not _NAME.fullmatch(name):
        return None
    braces = surprise.before.count("{") > surprise.before.count("}")
    if braces or surprise.keyword == "restrict":
        hint = f"nodes of a structure have a capital letter: `{clip(_capital(name))}`"
        return surprise.here(hint)
    known = {category.lower(): category for category in surprise.categories()}
    if surprise.keyword != "category" and (category := known.get(name.lower())) is not None:
        return surprise.here(f"did you mean the category `{category}`?")
    if surprise.expected == {"UPPER"}:
        hint = f"the name of a category begins with a capital letter: `{clip(_capital(name))}`"
        return surprise.here(hint)
    return None


def _joined_name(surprise: Surprise) -> Finding | None:
    """``pattern pp-in-subject`` and ``pattern pp in subject``: a name is one word."""
    match = _NAMING.fullmatch(surprise.before)
    several = surprise.keyword in ("pattern", "part") and _NAME.fullmatch(surprise.found)
    if match is None or not (surprise.found == "-" or several or surprise.found.isdigit()):
        return None
    start = match.start("name")
    run = re.compile(r"\w+(?:[- \t]+\w+)*").match(surprise.text, start)
    if run is None:
        return None
    name = "_".join(_WORD.findall(run.group()))
    what = _LETTERS
    if not _NAME.match(name):
        name, what = f"{surprise.keyword[0]}_{name}", "begins with a letter"
    titled = several and '"' not in surprise.rest
    return Finding(
        start,
        start + len(run.group()),
        f"write `{clip(name)}`" + (", or quote what is the title" if titled else ""),
        f"a name is one word and {what}",
    )


def _apart_number(surprise: Surprise) -> Finding | None:
    """``20,000`` and ``20 000``."""
    behind = re.search(r"[0-9][0-9,_ ]*$", surprise.before[-40:])
    if behind is None or not re.match(r"[,_ ]?[0-9]{3}\b|_[0-9]+", surprise.rest):
        return None
    start = surprise.at - len(behind.group())
    match = _NUMBER.match(surprise.text, start)
    if match is None:
        return None
    number = re.sub(r"\D", "", match.group())
    return Finding(
        start, match.end(), f"write `{clip(number)}`", "a number is written without a break"
    )


def _clause_word(surprise: Surprise) -> Finding | None:
    """A misspelt first word of a clause that could be a name, as in ``form Text``."""
    line = surprise.text[surprise.line_start : surprise.at]
    match = re.fullmatch(r"[ \t]+([^\W\dA-Z]\w*)[ \t]+", line)
    if match is None or len(match[1]) < _TELLING:
        return None
    if match[1] in (*CLAUSES, *DECLARATIONS, *surprise.layers()):
        return None
    meant = suggested(match[1], [word for word in CLAUSES if len(word) >= _TELLING])
    if meant is None:
        return None
    start = surprise.line_start + match.start(1)
    return Finding(
        start,
        surprise.line_start + match.end(1),
        f"did you mean `{meant}`?",
        f"`{clip(match[1])}` does not start a clause that goes on like this",
    )


def _foreign(surprise: Surprise) -> Finding | None:
    """A sign that another notation would have here."""
    for notation in FOREIGN:
        if notation.applies(surprise):
            return surprise.here(notation.hint)
    return None


def _unquoted(surprise: Surprise) -> Finding | None:
    """A word without quotation marks where a quoted one could stand."""
    found = surprise.found
    if "STRING" not in surprise.expected or not found:
        return None
    if found in "'`":
        text = re.split(r"['`]", surprise.rest[1:])[0]
        return surprise.here(f'quotation marks are double: `"{clip(text)}"`')
    if surprise.keyword == "test" and surprise.before.split() in (["test"], ["test", "reject"]):
        return surprise.here('quote the sentence: `"…"`')
    run = _RUN.match(surprise.rest)
    if run is None or found in '"$@=|+<>-/\\&%*^#' or (found[0].isdigit() and found.isascii()):
        return None
    text = run.group()
    if surprise.expected != {"STRING"} and (found.isascii() or found.isalnum()):
        return None
    return Finding(surprise.at, surprise.at + len(text), f'quote it: `"{clip(text)}"`')


def small(name: str) -> str:
    """A name with a capital letter as a small one: ``PpInSubject`` is ``pp_in_subject``."""
    return "_".join(part.strip("_") for part in _HUMP.split(name)).lower()


def _capital(name: str) -> str:
    """A small name with a capital letter; names of up to two letters are abbreviations."""
    return name.upper() if len(name) <= 2 else name[:1].upper() + name[1:]


#: What is known of slips, the most certain first.
SLIPS: tuple[Callable[[Surprise], Finding | None], ...] = (
    _indented,
    _unseen,
    _wide_name,
    _broken_name,
    _lookalike,
    _bare_child,
    _capital_role,
    _nameless,
    _clause_word,
    _capital_name,
    _small_name,
    _apart_number,
    _joined_name,
    _foreign,
    _unquoted,
)
