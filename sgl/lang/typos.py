"""Guess what an author meant by an unreadable declaration.

The parser knows what is allowed at a place; the likely slip helps a newcomer more.  Each function here recognises one
kind of slip, and yields its guesses; the first guess of all is used.
"""

import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterator
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
_SEVERAL = re.compile(r"\w+(?:[- \t]+\w+)*")
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
    return next((found for slip in TYPOS for found in slip(failure)), None)


def _indented(failure: ParseFailure) -> Iterator[Finding]:
    """Recognise an indented declaration, which would continue the declaration above."""
    # At the end of a line, the next line may be the one that cannot be a clause.
    behind = len(failure.text) - len(failure.text[failure.at :].lstrip())
    for start in (failure.line_start, behind) if failure.ended else (failure.line_start,):
        line = failure.text[start:].partition("\n")[0]
        if start and begins_declaration(line):
            keyword = line.split()[0]
            place = start + len(line) - len(line.lstrip(" \t"))
            hint = f"remove the spaces before `{keyword}`"
            yield Finding(place, place + len(keyword), hint, "a declaration starts in the first column")


def _strange_sign(failure: ParseFailure) -> Iterator[Finding]:
    """Recognise an invisible character, and ``ＮＰ``, which does not begin with one of A to Z."""
    found = failure.found
    kind = unicodedata.category(found) if len(found) == 1 else ""
    if kind in ("Cf", "Zs"):
        hint = REMOVE if kind == "Cf" else "write a plain space in its place"
        yield failure.here(hint, f"here is an invisible character, {code_of(found)}")
    elif plain(found) != found and plain(found).isascii() and found.isidentifier():
        yield failure.here(f"write `{clip(plain(found))}` in plain characters (of ASCII)")


def _lookalike(failure: ParseFailure) -> Iterator[Finding]:
    """Recognise a similar character of another keyboard, unless it is an unquoted word."""
    meant = CONFUSABLES.get(failure.found, "")
    is_word = meant in _PUNCTUATION and "STRING" in failure.expected and not failure.takes(meant)
    if meant and not is_word:
        yield failure.here(f"if you mean `{meant}`, write the plain character (of ASCII)")


def _broken_name(failure: ParseFailure) -> Iterator[Finding]:
    """Recognise ``N'`` and ``N-bar``, which are categories in other notations."""
    head = re.search(r"[A-Z]\w*$", failure.before[-100:])
    named = failure.keyword in ("rule", "word", "category") and "\n" not in failure.before
    if head is not None and named and failure.found in tuple(_BREAKS) and not failure.takes("-["):
        run = re.match(rf"[\w{_BREAKS}]+", failure.rest)
        name = head.group() + (run.group() if run is not None else "")
        parts = "_".join(_WORD.findall(name))
        start = failure.at - len(head.group())
        hint = f"write `{clip(parts if parts != head.group() else parts + '1')}`"
        yield Finding(start, start + len(name), hint, f"a name {_LETTERS}")


def _bare_child(failure: ParseFailure) -> Iterator[Finding]:
    """Recognise lower-case words on a right-hand side, where only a role is allowed."""
    if not {"COLON"} <= failure.expected <= {"COLON", "DOT"} or "->" not in failure.before:
        return
    head = failure.before.rstrip()
    run = takewhile(lambda character: character.isalnum() or character == "_", reversed(head))
    start, stop = len(head) - len(list(run)), len(head)
    name = head[start:]
    category = _category_like(plain(name), failure)
    if head[:start].rstrip().endswith("->") and name in declared_in(failure.source, "layer"):
        arrow = head.rindex("->")
        yield Finding(arrow, arrow + 2, "write what the phrase consists of", "nothing follows `->`")
    if failure.text.startswith("(", stop):
        hint = f"write the child alone; `{clip(name)}(…)` may be used in the line of another layer"
        yield Finding(start, stop, hint, "the source has no functions: its texts are read")
    if plain(name) != name and plain(name).isascii():
        hint = f"write `{clip(plain(name))}` in plain characters"
    elif category is not None:
        hint = f"did you mean the category `{category}`?"
    else:
        bare = _BARE_WORDS.match(failure.text, start)
        words = bare.group().split() if bare is not None else [name]
        quoted = " ".join(f'"{word}"' for word in words)
        hint = f"quote {'it' if len(words) == 1 else 'each word'}: `{clip(quoted, 60)}`"
    yield Finding(start, stop, hint, f"`{clip(name)}` is neither a category nor a quoted word")


def _capital_role(failure: ParseFailure) -> Iterator[Finding]:
    """Recognise ``Subj:NP``: a role has no capital letter."""
    match = re.search(r"[A-Z]\w*$", failure.before[-100:])
    if match is not None and failure.found == ":" and failure.keyword == "rule" and "->" in failure.before:
        role = match.group()
        message = f"the role `{role}` has a capital letter"
        yield Finding(failure.at - len(role), failure.at, f"write `{_small(role)}:`", message)


def _nameless(failure: ParseFailure) -> Iterator[Finding]:
    """Recognise ``rule S -> NP VP`` and ``pattern "a title"``, which lack a name."""
    keyword, found = failure.keyword, failure.found
    if "NAME" not in failure.expected or failure.before.strip() != keyword:
        return
    rule = re.match(r":?\s*(([A-Z]\w*)\s*(?:\[[^\]]*\])?)\s*->", failure.rest)
    if keyword == "rule" and rule is not None:
        yield failure.here(f"write `rule {_small(rule[2])}: {clip(rule[1].strip())} -> …`", "a rule has a name")
    elif keyword == "use" and found.startswith('"'):
        name = found.strip('"').removesuffix(".sgl").replace("/", ".").lstrip(".")
        yield failure.here(f"a file is named without quotes and ending: `use {clip(name)}`")
    elif found.startswith('"'):
        name = "_".join(_WORD.findall(found.lower()))
        yield failure.here(f"a name comes first: `{keyword} {clip(name)} {clip(found)}`")


def _capital_name(failure: ParseFailure) -> Iterator[Finding]:
    """Recognise a capital letter where a lower-case name is expected, as in ``pattern Embedding``."""
    name = failure.found
    wanted = "NAME" in failure.expected and "UPPER" not in failure.expected
    if not wanted or not name[:1].isupper() or not name.isidentifier():
        return
    if failure.keyword in ("rule", "word", "lexicon") and failure.before.rstrip(" \t")[-1:] == "\n":
        yield failure.here("a clause begins with the name of its layer")
    if failure.takes("{"):
        yield failure.here("a structure is written in braces: `{ V -[obj]-> N }`")
    of, article = "this name", "an" if failure.keyword[0] in "aeiou" else "a"
    if failure.before.strip() == failure.keyword:
        of = f"the name of {article} {failure.keyword}"
    yield failure.here(f"{of} begins with a small letter: `{clip(_small(name))}`")


def _small_name(failure: ParseFailure) -> Iterator[Finding]:
    """Recognise a small letter where a category or a node of a structure is expected."""
    name = failure.found
    wanted = "UPPER" in failure.expected and "NAME" not in failure.expected
    if not wanted or not _NAME.fullmatch(name):
        return
    braces = failure.before.count("{") > failure.before.count("}")
    if braces or failure.keyword == "restrict":
        yield failure.here(f"nodes of a structure have a capital letter: `{clip(_capital(name))}`")
    category = _category_like(name, failure)
    if failure.keyword != "category" and category is not None:
        yield failure.here(f"did you mean the category `{category}`?")
    if failure.expected == {"UPPER"}:
        yield failure.here(f"the name of a category begins with a capital letter: `{clip(_capital(name))}`")


def _joined_name(failure: ParseFailure) -> Iterator[Finding]:
    """Recognise ``pattern pp-in-subject`` and ``pattern pp in subject``: a name is one word."""
    match = _NAMING.fullmatch(failure.before)
    several = failure.keyword in ("pattern", "part") and _NAME.fullmatch(failure.found)
    if match is None or not (failure.found == "-" or several or failure.found.isdigit()):
        return
    start = match.start("name")
    run = _SEVERAL.match(failure.text, start)
    if run is None:
        return
    name = "_".join(_WORD.findall(run.group()))
    what = _LETTERS
    if not _NAME.match(name):
        name, what = f"{failure.keyword[0]}_{name}", "begins with a letter"
    titled = several and '"' not in failure.rest
    hint = f"write `{clip(name)}`" + (", or quote what is the title" if titled else "")
    yield Finding(start, run.end(), hint, f"a name is one word and {what}")


def _apart_number(failure: ParseFailure) -> Iterator[Finding]:
    """Recognise ``20,000``, ``20 000`` and ``20k``."""
    behind = re.search(r"(?<![.0-9])[0-9][0-9,_ ]*$", failure.before[-40:])
    start = failure.at - len(behind.group()) if behind is not None else failure.at
    match = _NUMBER.match(failure.text, start)
    if behind and match and re.match(r"[,_ ]?[0-9]{3}\b|_[0-9]+|[kK]\b", failure.rest):
        digits = "".join(re.findall("[0-9]", match.group())) + "000" * (match.group()[-1] in "kK")
        yield Finding(start, match.end(), f"write `{clip(digits)}`", "a number is written in digits, without a break")


def _clause_word(failure: ParseFailure) -> Iterator[Finding]:
    """Recognise a misspelt first word of a clause that looks like a name, as in ``form Text``."""
    line = failure.text[failure.line_start : failure.at]
    match = re.fullmatch(r"[ \t]+([^\W\dA-Z]\w*)[ \t]+", line)
    if match is None or len(match[1]) < _TELLING:
        return
    known = match[1] in (*CLAUSES, *DECLARATIONS, *declared_in(failure.source, "layer"))
    meant = suggested(match[1], [word for word in CLAUSES if len(word) >= _TELLING])
    if meant is not None and not known:
        start, end = (failure.line_start + place for place in match.span(1))
        message = f"`{clip(match[1])}` does not start a clause that continues like this"
        yield Finding(start, end, f"did you mean `{meant}`?", message)


def _foreign(failure: ParseFailure) -> Iterator[Finding]:
    """Recognise a token of another notation, or a forgotten token."""
    for row in _foreign_signs():
        here = re.match(row["rest"], failure.rest) and re.search(row.get("before", ""), failure.before)
        inside = re.fullmatch(row.get("keyword", ".*"), failure.keyword)
        if here and inside and ("takes" not in row or failure.takes(row["takes"])):
            written = row["hint"].replace("{found}", clip(failure.found))
            yield failure.here(written.replace("{before}", clip(failure.before.strip())))


@cache
def _foreign_signs() -> list[dict[str, str]]:
    text = resources.files("sgl.lang").joinpath("foreign.toml").read_text("utf-8")
    signs: list[dict[str, str]] = tomllib.loads(text)["signs"]
    return signs


def _unquoted(failure: ParseFailure) -> Iterator[Finding]:
    """Recognise a word without quotation marks where a quoted one is allowed."""
    found = failure.found
    if "STRING" not in failure.expected or not found:
        return
    if found in "'`":
        text = re.split(r"['`]", failure.rest[1:])[0]
        yield failure.here(f'quotation marks are double: `"{clip(text)}"`')
    if failure.keyword == "test" and failure.before.split() in (["test"], ["test", "reject"]):
        yield failure.here('quote the sentence: `"…"`')
    run, is_sign = _RUN.match(failure.rest), found in '"$@=|+<>-/\\&%*^#' or (found[0].isdigit() and found.isascii())
    alone = failure.expected == {"STRING"} or not (found.isascii() or found.isalnum())
    if run is not None and alone and not is_sign:
        yield Finding(failure.at, failure.at + len(run[0]), f'quote it: `"{clip(run[0])}"`', failure.message)


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
TYPOS: tuple[Callable[[ParseFailure], Iterator[Finding]], ...] = (
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
