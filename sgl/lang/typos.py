"""Guess what an author meant by an unreadable declaration.

The parser knows what is allowed at a place; the likely slip helps a newcomer more.  Each function here recognises one
kind of slip; the first guess is used.
"""

import re
import tomllib
import unicodedata
from collections.abc import Callable
from functools import cache
from importlib import resources
from itertools import takewhile

from sgl.characters import CONFUSABLES, code_of, plain
from sgl.diagnostics import suggested
from sgl.lang import CLAUSES, DECLARATIONS
from sgl.lang.chunks import REMOVE, begins_declaration
from sgl.lang.parser import Finding, ParseFailure, clip, declared_in

_BARE_WORDS = re.compile(r"[^\W\dA-Z]\w*(?:[ \t]+[^\W\dA-Z]\w*)*(?![\w:])")
_WORD = re.compile(r"\w+")
_NAME = re.compile(r"[^\W\d]\w*")
_NAMING = re.compile(r"\w+[ \t]+(?P<name>[\w-]*)[ \t]*")
_RUN = re.compile(r"[^\s~;,()\[\]{}]+")
_NUMBER = re.compile(r"[0-9](?:[0-9,_ ]*[0-9])?[kK]?")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
#: Minimum length of a word that can be distinguished from a slip.
_TELLING = 4
_LETTERS = "consists of letters, digits and `_`"
#: Characters that continue a name in other notations.
_BREAKS = "'’′-"
#: Punctuation that is a word of a text, unless the language uses the plain character there.
_PUNCTUATION = ",.:;!?"


def probable_typo(failure: ParseFailure) -> Finding | None:
    """Return the most likely slip, if it is a known one."""
    return next((found for slip in TYPOS if (found := slip(failure)) is not None), None)


def _indented(failure: ParseFailure) -> Finding | None:
    """Recognise an indented declaration, which would continue the declaration above."""
    # At the end of a line, the next line may be the one that cannot be a clause.
    behind = len(failure.text) - len(failure.text[failure.at :].lstrip())
    for start in (failure.line_start, behind) if failure.ended else (failure.line_start,):
        line = failure.text[start:].partition("\n")[0]
        if start and begins_declaration(line):
            keyword = line.split()[0]
            place = start + len(line) - len(line.lstrip(" \t"))
            hint = f"remove the spaces before `{keyword}`"
            return Finding(place, place + len(keyword), hint, "a declaration starts in the first column")
    return None


def _strange_sign(failure: ParseFailure) -> Finding | None:
    """Recognise an invisible character, and ``ＮＰ``, which does not begin with one of A to Z."""
    found = failure.found
    kind = unicodedata.category(found) if len(found) == 1 else ""
    if kind in ("Cf", "Zs"):
        hint = REMOVE if kind == "Cf" else "write a plain space in its place"
        return failure.here(hint, f"here is an invisible character, {code_of(found)}")
    if plain(found) != found and plain(found).isascii() and found.isidentifier():
        return failure.here(f"write `{clip(plain(found))}` in plain characters (of ASCII)")
    return None


def _lookalike(failure: ParseFailure) -> Finding | None:
    """Recognise a similar character of another keyboard, unless it is an unquoted word."""
    meant = CONFUSABLES.get(failure.found)
    if meant is None:
        return None
    if meant in _PUNCTUATION and "STRING" in failure.expected and not failure.takes(meant):
        return None
    return failure.here(f"if you mean `{meant}`, write the plain character (of ASCII)")


def _broken_name(failure: ParseFailure) -> Finding | None:
    """Recognise ``N'`` and ``N-bar``, which are categories in other notations."""
    if failure.found not in tuple(_BREAKS) or "\n" in failure.before or failure.takes("-["):
        return None
    head = re.search(r"[A-Z]\w*$", failure.before[-100:])
    if head is None or failure.keyword not in ("rule", "word", "category"):
        return None
    run = re.match(rf"[\w{_BREAKS}]+", failure.rest)
    name = head.group() + (run.group() if run is not None else "")
    parts = "_".join(_WORD.findall(name))
    start = failure.at - len(head.group())
    hint = f"write `{clip(parts if parts != head.group() else parts + '1')}`"
    return Finding(start, start + len(name), hint, f"a name {_LETTERS}")


def _bare_child(failure: ParseFailure) -> Finding | None:
    """Recognise lower-case words on a right-hand side, where only a role is allowed."""
    if not {"COLON"} <= failure.expected <= {"COLON", "DOT"} or "->" not in failure.before:
        return None
    head = failure.before.rstrip()
    run = takewhile(lambda character: character.isalnum() or character == "_", reversed(head))
    start, stop = len(head) - len(list(run)), len(head)
    name = head[start:]
    category = _category_like(plain(name), failure)
    if head[:start].rstrip().endswith("->") and name in declared_in(failure.source, "layer"):
        arrow = head.rindex("->")
        return Finding(arrow, arrow + 2, "write what the phrase consists of", "nothing follows `->`")
    if failure.text.startswith("(", stop):
        hint = f"write the child alone; `{clip(name)}(…)` may be used in the line of another layer"
        return Finding(start, stop, hint, "the source has no functions: its texts are read")
    if plain(name) != name and plain(name).isascii():
        hint = f"write `{clip(plain(name))}` in plain characters"
    elif category is not None:
        hint = f"did you mean the category `{category}`?"
    else:
        bare = _BARE_WORDS.match(failure.text, start)
        words = bare.group().split() if bare is not None else [name]
        quoted = " ".join(f'"{word}"' for word in words)
        hint = f"quote {'it' if len(words) == 1 else 'each word'}: `{clip(quoted, 60)}`"
    return Finding(start, stop, hint, f"`{clip(name)}` is neither a category nor a quoted word")


def _capital_role(failure: ParseFailure) -> Finding | None:
    """Recognise ``Subj:NP``: a role has no capital letter."""
    if failure.found != ":" or failure.keyword != "rule" or "->" not in failure.before:
        return None
    match = re.search(r"[A-Z]\w*$", failure.before[-100:])
    if match is None:
        return None
    role = match.group()
    message = f"the role `{role}` has a capital letter"
    return Finding(failure.at - len(role), failure.at, f"write `{_small(role)}:`", message)


def _nameless(failure: ParseFailure) -> Finding | None:
    """Recognise ``rule S -> NP VP`` and ``pattern "a title"``, which lack a name."""
    keyword, found = failure.keyword, failure.found
    if "NAME" not in failure.expected or failure.before.strip() != keyword:
        return None
    rule = re.match(r":?\s*(([A-Z]\w*)\s*(?:\[[^\]]*\])?)\s*->", failure.rest)
    if keyword == "rule" and rule is not None:
        return failure.here(f"write `rule {_small(rule[2])}: {clip(rule[1].strip())} -> …`", "a rule has a name")
    if keyword == "use" and found.startswith('"'):
        name = found.strip('"').removesuffix(".sgl").replace("/", ".").lstrip(".")
        return failure.here(f"a file is named without quotes and ending: `use {clip(name)}`")
    if found.startswith('"'):
        name = "_".join(_WORD.findall(found.lower()))
        return failure.here(f"a name comes first: `{keyword} {clip(name)} {clip(found)}`")
    return None


def _capital_name(failure: ParseFailure) -> Finding | None:
    """Recognise a capital letter where a lower-case name is expected, as in ``pattern Embedding``."""
    name = failure.found
    wanted = "NAME" in failure.expected and "UPPER" not in failure.expected
    if not wanted or not name[:1].isupper() or not name.isidentifier():
        return None
    if failure.keyword in ("rule", "word", "lexicon") and failure.before.rstrip(" \t")[-1:] == "\n":
        return failure.here("a clause begins with the name of its layer")
    if failure.takes("{"):
        return failure.here("a structure is written in braces: `{ V -[obj]-> N }`")
    if failure.before.strip() == failure.keyword:
        article = "an" if failure.keyword[0] in "aeiou" else "a"
        of = f"the name of {article} {failure.keyword}"
    else:
        of = "this name"
    return failure.here(f"{of} begins with a small letter: `{clip(_small(name))}`")


def _small_name(failure: ParseFailure) -> Finding | None:
    """Recognise a small letter where a category or a node of a structure is expected."""
    name = failure.found
    wanted = "UPPER" in failure.expected and "NAME" not in failure.expected
    if not wanted or not _NAME.fullmatch(name):
        return None
    braces = failure.before.count("{") > failure.before.count("}")
    if braces or failure.keyword == "restrict":
        return failure.here(f"nodes of a structure have a capital letter: `{clip(_capital(name))}`")
    category = _category_like(name, failure)
    if failure.keyword != "category" and category is not None:
        return failure.here(f"did you mean the category `{category}`?")
    if failure.expected == {"UPPER"}:
        return failure.here(f"the name of a category begins with a capital letter: `{clip(_capital(name))}`")
    return None


def _joined_name(failure: ParseFailure) -> Finding | None:
    """Recognise ``pattern pp-in-subject`` and ``pattern pp in subject``: a name is one word."""
    match = _NAMING.fullmatch(failure.before)
    several = failure.keyword in ("pattern", "part") and _NAME.fullmatch(failure.found)
    if match is None or not (failure.found == "-" or several or failure.found.isdigit()):
        return None
    start = match.start("name")
    run = re.compile(r"\w+(?:[- \t]+\w+)*").match(failure.text, start)
    if run is None:
        return None
    name = "_".join(_WORD.findall(run.group()))
    what = _LETTERS
    if not _NAME.match(name):
        name, what = f"{failure.keyword[0]}_{name}", "begins with a letter"
    titled = several and '"' not in failure.rest
    hint = f"write `{clip(name)}`" + (", or quote what is the title" if titled else "")
    return Finding(start, run.end(), hint, f"a name is one word and {what}")


def _apart_number(failure: ParseFailure) -> Finding | None:
    """Recognise ``20,000``, ``20 000`` and ``20k``."""
    behind = re.search(r"(?<![.0-9])[0-9][0-9,_ ]*$", failure.before[-40:])
    if behind is None or not re.match(r"[,_ ]?[0-9]{3}\b|_[0-9]+|[kK]\b", failure.rest):
        return None
    start = failure.at - len(behind.group())
    match = _NUMBER.match(failure.text, start)
    if match is None:
        return None
    digits = "".join(re.findall("[0-9]", match.group())) + "000" * (match.group()[-1] in "kK")
    return Finding(start, match.end(), f"write `{clip(digits)}`", "a number is written in digits, without a break")


def _clause_word(failure: ParseFailure) -> Finding | None:
    """Recognise a misspelt first word of a clause that looks like a name, as in ``form Text``."""
    line = failure.text[failure.line_start : failure.at]
    match = re.fullmatch(r"[ \t]+([^\W\dA-Z]\w*)[ \t]+", line)
    if match is None or len(match[1]) < _TELLING:
        return None
    if match[1] in (*CLAUSES, *DECLARATIONS, *declared_in(failure.source, "layer")):
        return None
    meant = suggested(match[1], [word for word in CLAUSES if len(word) >= _TELLING])
    if meant is None:
        return None
    start, end = (failure.line_start + place for place in match.span(1))
    message = f"`{clip(match[1])}` does not start a clause that continues like this"
    return Finding(start, end, f"did you mean `{meant}`?", message)


def _foreign(failure: ParseFailure) -> Finding | None:
    """Recognise a token of another notation, or a forgotten token."""
    for row in _foreign_signs():
        here = re.match(row["rest"], failure.rest) and re.search(row.get("before", ""), failure.before)
        if not here or not re.fullmatch(row.get("keyword", ".*"), failure.keyword):
            continue
        if "takes" not in row or failure.takes(row["takes"]):
            written = row["hint"].replace("{found}", clip(failure.found))
            return failure.here(written.replace("{before}", clip(failure.before.strip())))
    return None


@cache
def _foreign_signs() -> list[dict[str, str]]:
    text = resources.files("sgl.lang").joinpath("foreign.toml").read_text("utf-8")
    signs: list[dict[str, str]] = tomllib.loads(text)["signs"]
    return signs


def _unquoted(failure: ParseFailure) -> Finding | None:
    """Recognise a word without quotation marks where a quoted one is allowed."""
    found = failure.found
    if "STRING" not in failure.expected or not found:
        return None
    if found in "'`":
        text = re.split(r"['`]", failure.rest[1:])[0]
        return failure.here(f'quotation marks are double: `"{clip(text)}"`')
    if failure.keyword == "test" and failure.before.split() in (["test"], ["test", "reject"]):
        return failure.here('quote the sentence: `"…"`')
    run = _RUN.match(failure.rest)
    if run is None or found in '"$@=|+<>-/\\&%*^#' or (found[0].isdigit() and found.isascii()):
        return None
    text = run.group()
    if failure.expected != {"STRING"} and (found.isascii() or found.isalnum()):
        return None
    return Finding(failure.at, failure.at + len(text), f'quote it: `"{clip(text)}"`', failure.message)


def _category_like(name: str, failure: ParseFailure) -> str | None:
    """Return the category that differs from a name at most in capital letters, if any."""
    declared = declared_in(failure.source, "category")
    return next((one for one in reversed(declared) if one.lower() == name.lower()), None)


def _small(name: str) -> str:
    """Return a capitalized name in lower case: ``PpInSubject`` becomes ``pp_in_subject``."""
    return "_".join(part.strip("_") for part in _HUMP.split(name)).lower()


def _capital(name: str) -> str:
    """Return a name capitalized; names of up to two letters are abbreviations, all in capitals."""
    return name.upper() if len(name) <= 2 else name[:1].upper() + name[1:]


#: The known slips, the most certain first.
TYPOS: tuple[Callable[[ParseFailure], Finding | None], ...] = (
    _indented,
    _strange_sign,
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


#: Signs that begin a comment in other languages, for lines that start no declaration.
COMMENTS = ("//", "/*", "--", "%", ";", "<!--", "(*")
