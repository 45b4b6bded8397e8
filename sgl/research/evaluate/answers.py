r"""Extract answers from the outputs of models, and say why some outputs contain none.

A *reader* has a name, is a regular expression between slashes, or is a template::

    line, first     the last or first line that is not empty
    fence           the last block between three backquotes
    quotes          the text in the last pair of quotation marks
    tag, tag:NAME   the text in the last <answer>…</answer>, or <NAME>…</NAME>
    yes-no          yes or no at the beginning of the last line that has one, in small letters
    /REGEX/         the first group of the last match
    Answer: {}      the text in place of {}, in the last line that ends like this

An output in which a reader finds nothing stays unchanged.  Users need not know what a model writes: a reader that most
outputs need, and that changes no gold text, is *noticed* and named.
"""

import re
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache, partial
from importlib import import_module
from operator import attrgetter
from typing import Any, NamedTuple

import click

from sgl.research.analyse.words import script
from sgl.research.evaluate.equivalence import exact

#: Find an answer in an output; None if it is not there.
_Reader = Callable[[str], str | None]

#: Why an output is no answer.  An output that is empty, or not there, has a count of its own.
FAULTS = REFUSAL, FORMAT, LANGUAGE = "refusal", "format", "language"

#: The readers that have a name, as regular expressions.
NAMED = {
    "fence": r"(?s)```(?:[\w+-]*\n)?(.*?)```",
    "tag": r"(?s)<answer\b[^>]*>(.*?)</answer\s*>",
    "quotes": r"“([^“”]+)”|「([^「」]+)」|『([^『』]+)』|«([^«»]+)»"
    r"""|"([^"\n]+)"|`([^`\n]+)`|(?<!\w)'([^'\n]+)'(?!\w)""",
    "line": r"(?m)^.*\S.*$",
    "first": r"(?ms)^([^\n]*\S[^\n]*)$.*",
    "yes-no": r"(?m)^[^\w\n]*(?:(?:the |final )*(?:answer|output)(?: is)?\W+)?(yes|no)\b",
}

#: How outputs begin that decline, in the languages that most models are asked in.
_DECLINES = re.compile(
    r"\W*(i['’]?m|i am) (sorry|unable|not able)|\W*(sorry|unfortunately|as an ai)"
    r"|\W*i (can(no|['’])t|won['’]t|do(n['’]t| not) (know|have|understand))"
    r"|\W*(申し訳|すみません|ごめんなさい)|.{0,20}(できません|分かりません)|\W*(抱歉|对不起|很遗憾|我无法|我不能)"
    r"|\W*((je suis )?désolée?|je ne (peux|sais)|es tut mir|entschuldigung|ich kann|lo siento|no puedo)\b",
    re.IGNORECASE,
)

#: Seconds that a regular expression of the user may take for one output: some take for ever.
_SECONDS = 2

#: Letters of an output that are searched, half of them at its end.
_SEARCHED = 20_000


def answer_in(text: str, readers: Sequence[str], most: int = _SEARCHED) -> str | None:
    """Return what readers, one after the other, find in an output; None if one of them finds nothing.

    Of an output that is longer than ``most`` letters the middle is left out.
    """
    found: str | None = text if len(text) <= most else text[: most // 2] + text[-most // 2 :]
    for reader in readers:
        found = _pattern(reader)(found) if found is not None else None
    return found


@cache
def _pattern(reader: str) -> _Reader:
    """Return the function of a reader; raises ``click.UsageError`` for an unknown one."""
    name, _, tag = reader.partition(":")
    if reader == "yes-no":
        said = re.compile(NAMED[reader], re.IGNORECASE)
        return lambda text: (found := _last(said, text)) and found.lower()
    if reader in NAMED:
        return partial(_last, re.compile(NAMED[reader], re.IGNORECASE))
    if name == "tag" and re.fullmatch(r"[\w-]+", tag):
        return partial(_last, re.compile(NAMED["tag"].replace("answer", tag), re.IGNORECASE))
    if len(reader) > 2 and reader[0] == reader[-1] == "/":
        return _bounded(reader)
    before, hole, behind = reader.partition("{}")
    if not hole or not (before.strip() or behind.strip()):
        known = f"{', '.join(NAMED)}, tag:NAME, /REGEX/ or a template with {{}}"
        raise click.UsageError(f"`--answer` is {known}, not `{reader}`")
    begin = _spaced(before) if before.strip() else "^"
    return partial(_last, re.compile(rf"(?m){begin}\s*(\S.*?)\s*{_spaced(behind)}[ \t]*$", re.IGNORECASE))


def _bounded(reader: str) -> _Reader:
    """Return the function of a regular expression, which raises ``click.UsageError`` if it takes too long."""
    try:
        library: Any = import_module("regex")
        pattern = library.compile(reader[1:-1])
    except ImportError:
        raise click.UsageError(f"`{reader}` needs a library: pip install 'sgl-compiler[eval]'") from None
    except library.error as problem:
        raise click.UsageError(f"`{reader}` is not a regular expression: {problem}") from None

    def find(text: str) -> str | None:
        try:
            return _group(deque(pattern.finditer(text, timeout=_SECONDS), 1))
        except TimeoutError:
            raise click.UsageError(f"`{reader}` takes more than {_SECONDS} seconds for one output") from None

    return find


def _spaced(text: str) -> str:
    return r"\s+".join(map(re.escape, text.split()))


def _last(pattern: re.Pattern[str], text: str) -> str | None:
    return _group(deque(pattern.finditer(text), 1))


def _group(found: Sequence[re.Match[str]]) -> str | None:
    """Return the first group of a match, or what it matches."""
    groups = (group for match in found for group in (*match.groups(), match[0]) if group is not None)
    return next((group.strip() for group in groups), None)


class Noticed(NamedTuple):
    """What stands around most answers: the reader that takes it away, or "" if there is none.

    ``shared`` of the ``outputs`` have it; without it, ``right`` of them are right.
    """

    reader: str
    shared: int
    outputs: int
    right: int


def noticed(texts: Sequence[str], golds: Sequence[str]) -> Noticed | None:
    """Return what stands around most answers and around no gold text, of several what makes most outputs right."""
    said = [(text, gold) for text, gold in zip(texts, golds, strict=True) if text.strip()]
    wrong = [(text, gold) for text, gold in said if not exact(gold, text)]
    if 2 * len(wrong) <= len(said):
        return None
    around = Counter(template for text, gold in wrong for template in _around(text, gold))
    readers = (*NAMED, *(template for template, _ in around.most_common(3)))
    read = (_read_by(reader, wrong, len(said)) for reader in readers)
    fitting = (found for found in read if 2 * found.shared > len(said) and _spares(found.reader, {*golds}))
    best = max(fitting, key=attrgetter("right"), default=None)
    if best is None or not best.right:
        own = {word for gold in golds for word in gold.split()}
        lost = sum(_surrounds(text, gold, own) for text, gold in wrong)
        return Noticed("", lost, len(said), lost) if 2 * lost > len(said) else best
    return best


def _read_by(reader: str, wrong: Sequence[tuple[str, str]], outputs: int) -> Noticed:
    """Return what a reader takes away from wrong outputs."""
    found = [(answer, text, gold) for text, gold in wrong if (answer := answer_in(text, (reader,))) is not None]
    shared = sum(answer != text.strip() for answer, text, _ in found)
    return Noticed(reader, shared, outputs, sum(exact(gold, answer) for answer, _, gold in found))


def _spares(reader: str, golds: Collection[str]) -> bool:
    """Tell whether a reader changes no gold text."""
    return all(_pattern(reader)(gold) in (None, gold.strip()) for gold in golds)


def _surrounds(text: str, gold: str, own: Collection[str]) -> bool:
    """Tell whether a text has a gold text within others; one that repeats words of gold texts is another answer."""
    before, _, behind = text.rpartition(gold)
    whole = not (before[-1:].isalnum() or behind[:1].isalnum()) or not gold.isascii()
    return bool(gold.strip()) and gold in text and whole and not {*before.split(), *behind.split()} <= {*own}


def _around(text: str, gold: str) -> Iterator[str]:
    """Yield the template of the line that has the gold text."""
    line = next((line for line in reversed(text.split("\n")) if gold.strip() and gold in line), "")
    before, _, behind = line.strip().rpartition(gold)
    # What stands before the last colon differs from item to item, if it is long.
    before = before if len(before) < 80 else before[before.rstrip().rfind(":", 0, -1) + 1 :]
    if before.strip() or behind.strip():
        yield f"{before}{{}}{behind}"


class Faults:
    """Facts about right answers, by which outputs that are no answers are recognised."""

    def __init__(self, sources: Collection[str], golds: Collection[str]) -> None:
        words = re.compile(r"\w+").findall
        own = {word for gold in golds for word in words(gold)}
        self._foreign = {word for source in sources for word in words(source)} - own
        self._scripts = {script(letter) for letter in {letter for gold in golds for letter in gold if letter.isalpha()}}
        self._words, self._lines = words, any("\n" in gold for gold in golds)
        self._declining = any(_DECLINES.match(gold) for gold in golds)
        self._wrappers = [
            find for name in ("fence", "tag") if not any((find := _pattern(name))(gold) is not None for gold in golds)
        ]

    def of(self, output: str, answer: str, *, found: bool) -> str | None:
        """Return why a wrong output is no answer; ``found`` says whether the readers found an answer in it."""
        if not self._declining and _DECLINES.match(output):
            return REFUSAL
        if not found or (not self._lines and "\n" in answer.strip()) or any(find(answer) for find in self._wrappers):
            return FORMAT
        letters, words = list(filter(str.isalpha, answer)), self._words(answer)
        strange = sum(script(letter) not in self._scripts for letter in letters)
        foreign = sum(word in self._foreign for word in words)
        return LANGUAGE if 2 * strange > len(letters) or 2 * foreign > len(words) else None
