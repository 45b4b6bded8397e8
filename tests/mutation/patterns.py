"""Changes to patterns: to their clauses, their structures, their words, their numbers.

Each function yields all changes of one kind; ``KINDS`` lists them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from mutation.source import Clause, Declaration, Edit, Mutant, Source

#: What a label may be mistaken for.
CONFUSED = {
    "nsubj": "obj",
    "obj": "iobj",
    "iobj": "obj",
    "nsubj:pass": "nsubj",
    "obl:to": "obj",
    "~obl:to": "~obj",
    "~obj": "obj",
    "~nsubj": "nsubj",
    "nmod": "amod",
    "amod": "nmod",
    "ccomp": "xcomp",
    "xcomp": "ccomp",
    "acl:relcl": "nmod",
    "$SUBJECT": "nsubj",
    "$ANY_SUBJECT": "$SUBJECT",
    "$ANY_OBJECT": "obj",
    "$RECIPIENT": "iobj",
    "$ANY_RECIPIENT": "$RECIPIENT",
}

#: What a value may be mistaken for.
VALUES = {"Past": "Pres", "Pres": "Past", "Part": "Fin", "Fin": "Part", "NOUN": "PROPN"}
VALUES |= {"PROPN": "NOUN", "Int": "Art"}

_LABEL = re.compile(r"(?<=[\[|^])[~$]?[a-zA-Z_]+(?::[a-z]+)?(?=[|\]])")
_ARROW = re.compile(r"-\[[^\]]*\]")
_VALUE = re.compile(r"(?<==)\w+")
_TEST = re.compile(r"(\[)(?:[^\[\]#]*=[^\[\]]*|@targets)(\])")
_ONE_TEST = re.compile(r"(?<=[\[ ])(?:\w+!?=\w+|@targets)(?:, | ?(?=\]))")
_WITHOUT = re.compile(r"\s*without \{[^{}]*\}")
_DEPTH = re.compile(r"(?<=\{)[\w+-]+(?=\}->)|(?<=repeat )[\w+-]+")
_DEGREE = re.compile(r"(?<=[=>])\d+(?=\])")
_NUMBER = re.compile(r"(?:need|expose|size|,)\s+(\d+|exposures)(?=\s|$|,)")
_STRUCTURES = ("forbid", "gen", "exclude", "need", "expose")


def _clauses(source: Source, *keywords: str) -> Iterator[tuple[Declaration, Clause, str]]:
    """The clauses of patterns that begin with one of these words, each with a name."""
    for pattern in source.of("pattern"):
        for number, clause in enumerate(pattern.clauses[1:]):
            if clause.keyword in keywords and " example " not in clause.text:
                yield pattern, clause, f"{pattern.name}.{number}.{clause.keyword}"


def _structures(source: Source) -> Iterator[tuple[str, Clause, str]]:
    """Everything that writes a structure: clauses of patterns, and declarations."""
    for pattern, clause, name in _clauses(source, *_STRUCTURES):
        yield pattern.name, clause, name
    for declaration in source.of("structure"):
        yield "", declaration.head, declaration.name


def _dropped(keyword: str) -> Callable[[Source], Iterator[Mutant]]:
    def drop(source: Source) -> Iterator[Mutant]:
        for pattern, clause, name in _clauses(source, keyword):
            yield Mutant(f"dropped `{keyword}`", name, (clause.dropped(),), pattern.name)

    return drop


def _swapped(
    kind: str, expression: re.Pattern[str], change: Callable[[str], list[str]]
) -> Callable[[Source], Iterator[Mutant]]:
    """Changes of what an expression finds in structures."""

    def swap(source: Source) -> Iterator[Mutant]:
        for pattern, clause, name in _structures(source):
            for found in expression.finditer(clause.text):
                for new in change(found.group()):
                    edit = clause.replaced(*found.span(), new)
                    yield Mutant(kind, f"{name}@{found.start()}={new.strip()}", (edit,), pattern)

    return swap


def _confused(label: str) -> list[str]:
    return [CONFUSED[label]] if label in CONFUSED else []


def _other_value(value: str) -> list[str]:
    return [VALUES[value]] if value in VALUES else []


def _off_by_one(number: str) -> list[str]:
    """One more and one less than a number, a parameter, or their sum."""
    name = number.rstrip("0123456789+-")
    value = int(number.removeprefix(name) or 0)
    near = [value + 1, *([value - 1] if name or value > 1 else [])]
    return [f"{name}{other:+d}" if name else str(other) for other in near]


def dropped_without(source: Source) -> Iterator[Mutant]:
    """A `without` left out: more is held out, needed or exposed."""
    return _swapped("dropped `without`", _WITHOUT, lambda _: [""])(source)


def dropped_only(source: Source) -> Iterator[Mutant]:
    """Targets that other sentences of training may contain."""
    for pattern, clause, name in _clauses(source, "targets"):
        start = clause.text.find("seen only in exposures")
        if start >= 0:
            edit = clause.replaced(start, len(clause.text), "")
            yield Mutant("dropped `seen only in exposures`", name, (edit,), pattern.name)


def dropped_exposures(source: Source) -> Iterator[Mutant]:
    """Exposures left out together with the restriction of the words to them."""
    for pattern in source.of("pattern"):
        exposures = pattern.of("expose")
        if exposures:
            edits = [clause.dropped() for clause in exposures]
            for clause in pattern.of("targets"):
                start = clause.text.find("seen only in exposures")
                if start >= 0:
                    edits.append(clause.replaced(start, len(clause.text), ""))
            yield Mutant("dropped all exposures", pattern.name, tuple(edits), pattern.name)


def changed_targets(source: Source) -> Iterator[Mutant]:
    """A target removed, misspelt, or exchanged for another word of its kind."""
    kind = "changed targets"
    for pattern, clause, name in _clauses(source, "targets"):
        words = list(re.finditer(r'"?[\w]+"?', clause.text.partition(" seen only")[0]))[1:]
        for word, other in zip(words[:2], ("misspelt", "removed"), strict=False):
            new = "" if other == "removed" else word.group().strip('"') + "x"
            edit = clause.replaced(*word.span(), new)
            yield Mutant(kind, f"{name}: {word.group()} {other}", (edit,), pattern.name)
        used = {w.group() for d in source.of("pattern") for c in d.of("targets") for w in re.finditer(r"\w+", c.text)}
        last = words[-1]
        for near in _neighbours(source, last.group().strip('"'), used):
            for what, new in (("added", f"{last.group()} {near}"), ("exchanged", near)):
                edit = clause.replaced(*last.span(), new)
                yield Mutant(kind, f"{name}: {near} {what}", (edit,), pattern.name)


def _neighbours(source: Source, word: str, used: set[str]) -> list[str]:
    """A word of the same table as ``word`` that no pattern speaks of."""
    for table in source.tables:
        words = re.findall(r"^- \{en: (\w+)", source.files[table], re.MULTILINE)
        if word in words:
            near = words[words.index(word) :: -1] + words[words.index(word) :]
            return [other for other in near if other not in used][:1]
    return []


def dropped_test(source: Source) -> Iterator[Mutant]:
    """One test on a node left out."""
    for pattern, clause, name in _structures(source):
        for group in _TEST.finditer(clause.text):
            for test in _ONE_TEST.finditer(clause.text, group.start(), group.end()):
                inside = clause.text[group.start() + 1 : group.end() - 1]
                alone = "," not in inside
                span = group.span() if alone else test.span()
                edit = clause.replaced(*span, "")
                yield Mutant("dropped test", f"{name}@{span[0]}", (edit,), pattern)


def dropped_edge(source: Source) -> Iterator[Mutant]:
    """One statement of a structure left out: what is held out is wider."""
    for pattern, clause, name in _structures(source):
        for found in re.finditer(r";[^;{}]*(?=\s*\})", clause.text):
            edit = clause.replaced(*found.span(), "")
            yield Mutant("dropped edge", f"{name}@{found.start()}", (edit,), pattern)


def weakened_forbid(source: Source) -> Iterator[Mutant]:
    """Held out in the narrow only: in main clauses, in complement clauses, or elsewhere."""
    kind = "weakened `forbid`"
    for pattern, clause, name in _clauses(source, "forbid"):
        first = re.search(r"\{ *(\w+)", clause.text)
        end = clause.text.find("}", clause.text.rfind("->"))
        if first is not None and end >= 0:
            for extra in (f"; {first[1]} -[punct]-> P_1 ", f"; P_1 -[ccomp]-> {first[1]} "):
                edit = clause.replaced(end, end, extra)
                yield Mutant(kind, f"{name}{extra.strip()}", (edit,), pattern.name)
        for found in re.finditer(r"\^", clause.text):
            edit = clause.replaced(*found.span(), "")
            yield Mutant(kind, f"{name}@{found.start()} negation", (edit,), pattern.name)


def changed_numbers(source: Source) -> Iterator[Mutant]:
    """Fewer or more exposures and items; a smaller or larger part needed."""
    for pattern, clause, name in _clauses(source, "need", "expose", "size"):
        for found in _NUMBER.finditer(clause.text):
            for new in (*_off_by_one(found[1]), "10"):
                edit = clause.replaced(*found.span(1), new)
                kind = f"changed number of `{clause.keyword}`"
                yield Mutant(kind, f"{name}={new}", (edit,), pattern.name)


def changed_parts(source: Source) -> Iterator[Mutant]:
    """The parts of a size, or `repeated`, left out or exchanged."""
    for pattern, clause, name in _clauses(source, "size", "expose"):
        changes = (("within", "outside"), ("outside", "within"), (" repeated", ""))
        for old, new in (*changes, (" shared", "")):
            start = clause.text.find(old)
            if start >= 0:
                edit = clause.replaced(start, start + len(old), new)
                yield Mutant("changed parts", f"{name}: {old}", (edit,), pattern.name)


def asserted(source: Source) -> Iterator[Mutant]:
    """`forbid` asserted instead of cut."""
    for pattern, clause, name in _clauses(source, "forbid"):
        edit = clause.replaced(0, len("forbid"), "assert never")
        yield Mutant("`forbid` asserted", name, (edit,), pattern.name)


def dropped_pattern(source: Source) -> Iterator[Mutant]:
    """A whole pattern left out."""
    for pattern in source.of("pattern"):
        edit = Edit(pattern.file, pattern.start, pattern.end, "")
        yield Mutant("dropped pattern", pattern.name, (edit,), pattern.name)


def added_allow(source: Source) -> Iterator[Mutant]:
    """Items that may contain what the next pattern holds out."""
    patterns = source.of("pattern")
    for pattern, other in zip(patterns, [*patterns[1:], patterns[0]], strict=True):
        edit = Edit(pattern.file, pattern.head.end, pattern.head.end, f"\n  allow {other.name}")
        yield Mutant("added `allow`", f"{pattern.name}+{other.name}", (edit,), pattern.name)


KINDS: tuple[tuple[int, Callable[[Source], Iterator[Mutant]]], ...] = (
    (10, _dropped("forbid")),
    (10, _dropped("gen")),
    (8, _dropped("need")),
    (12, _dropped("expose")),
    (6, _dropped("exclude")),
    (4, _dropped("allow")),
    (20, weakened_forbid),
    (12, dropped_without),
    (10, dropped_only),
    (8, dropped_exposures),
    (18, changed_targets),
    (24, _swapped("swapped label in a structure", _LABEL, _confused)),
    (10, _swapped("swapped value in a structure", _VALUE, _other_value)),
    (18, _swapped("depth off by one", _DEPTH, _off_by_one)),
    (10, _swapped("degree off by one", _DEGREE, _off_by_one)),
    (14, dropped_test),
    (12, dropped_edge),
    (20, changed_numbers),
    (12, changed_parts),
    (6, asserted),
    (6, dropped_pattern),
    (8, added_allow),
)
