"""Changes to rules, words, tables and the dataset.

Each function yields all changes of one kind; ``KINDS`` lists them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from mutation.leaks import LEAKS
from mutation.patterns import CONFUSED
from mutation.source import Clause, Declaration, Edit, Mutant, Source

_FEATURE = re.compile(r"(?<=[\[ ])(\w+)=([\w|]+)(?:, ?)?")
_EDGE = re.compile(r"(?<=-\[)[^\]]+(?=\]->)")
_STATEMENT = re.compile(r"(\w+) -\[([^\]]+)\]-> (\w+)(?=[;\s]|$)")
_BINDING = re.compile(r"(\w+\.\w+) = (\w+)|(\w+) = (\w+\.\w+)")
_WEIGHT = re.compile(r"~ ([\d.]+)\s*$")
_ATTRIBUTE = re.compile(r", (?:upos|Tense|VerbForm|PronType|Voice)=\w+")
_LABEL = re.compile(r"-\[([^\]]+)\]")
_ROW = re.compile(r"^- \{.*\}\n", re.MULTILINE)
_CELL = re.compile(r"(en|class|kind|inner|prep|slot|sound|particle): ([^,}]+)")

OTHER_VALUES = {"yes": "no", "no": "yes", "past": "pres", "pres": "past", "did": "past"}
OTHER_VALUES |= {"unaccusative": "unergative", "part": "past", "attr": "past"}

OTHER_CELLS = {"ichidan": "godan", "godan": "ichidan", "unergative": "unaccusative"}
OTHER_CELLS |= {"unaccusative": "omitted", "omitted": "unaccusative", "dict": "stem"}
OTHER_CELLS |= {"stem": "vol", "vol": "dict", "in": "on", "on": "beside", "beside": "in"}
OTHER_CELLS |= {"1": "2", "2": "3", "3": "4", "4": "5", "5": "1", "vowel": "consonant"}
OTHER_CELLS |= {"を": "に", "に": "を", "と": "を"}


def _added(source: Source, text: str) -> Edit:
    """A declaration at the end of the main file."""
    end = len(source.files[source.main])
    return Edit(source.main, end, end, f"\n{text}\n")


def leaking_rules(source: Source) -> Iterator[Mutant]:
    """A rule, kept in training, that makes what a pattern holds out."""
    names = {pattern.name for pattern in source.of("pattern")}
    for leak in LEAKS:
        for pattern in (name for name in leak.patterns if name in names):
            edit = _added(source, f"{leak.rule}\n  keep in train")
            yield Mutant("leaking rule, kept", pattern, (edit,), pattern)


def cut_rules(source: Source) -> Iterator[Mutant]:
    """The same rules, which the patterns cut like any other."""
    for leak in LEAKS:
        edit = _added(source, leak.rule)
        yield Mutant("leaking rule, not kept", leak.patterns[0], (edit,), leak.patterns[0])


def kept_rules(source: Source) -> Iterator[Mutant]:
    """A rule of the grammar kept in training."""
    for rule in source.of("rule"):
        edit = Edit(rule.file, rule.end, rule.end, "\n  keep in train")
        yield Mutant("rule kept in training", rule.name, (edit,))


def swapped_labels(source: Source) -> Iterator[Mutant]:
    """An edge with the label of another relation."""
    for rule in source.of("rule"):
        for clause in rule.of("syn"):
            for found in _EDGE.finditer(clause.text):
                new = CONFUSED.get(found.group())
                if new is not None:
                    name = f"{rule.name}@{found.start()}={new}"
                    edit = clause.replaced(*found.span(), new)
                    yield Mutant("swapped label in a rule", name, (edit,))


def dropped_edges(source: Source) -> Iterator[Mutant]:
    """An edge left out, or from the dependent to its head."""
    for rule in source.of("rule"):
        for clause in rule.of("syn"):
            for found in _STATEMENT.finditer(clause.text):
                head, label, dependent = found.groups()
                name = f"{rule.name}: {head} {label} {dependent}"
                yield Mutant("dropped edge in a rule", name, (_without(clause, found),))
                edit = clause.replaced(*found.span(), f"{dependent} -[{label}]-> {head}")
                yield Mutant("reversed edge in a rule", name, (edit,))


def _without(clause: Clause, found: re.Match[str]) -> Edit:
    """A clause without a statement, and without the semicolon that would be left over."""
    before, after = clause.text[: found.start()], clause.text[found.end() :]
    if before.strip() == clause.keyword and not after:
        return clause.dropped()
    if after.startswith(";"):
        return clause.replaced(found.start(), len(clause.text) - len(after[1:].lstrip()), "")
    return clause.replaced(len(before.rstrip().removesuffix(";")), found.end(), "")


def swapped_dependents(source: Source) -> Iterator[Mutant]:
    """Two dependents of one head with each other's labels."""
    for rule in source.of("rule"):
        for clause in rule.of("syn"):
            found = list(_STATEMENT.finditer(clause.text))
            for first in found:
                for second in found:
                    if first.start() < second.start() and first[1] == second[1]:
                        edits = (clause.replaced(*first.span(3), second[3]), clause.replaced(*second.span(3), first[3]))
                        name = f"{rule.name}: {first[2]} and {second[2]}"
                        yield Mutant("swapped dependents in a rule", name, edits)


def changed_bindings(source: Source) -> Iterator[Mutant]:
    """A port bound to another node, or forgotten."""
    for rule in source.of("rule"):
        for clause in rule.of("syn"):
            for found in _BINDING.finditer(clause.text):
                port, node = (found[1], found[2]) if found[1] else (found[4], found[3])
                edit = clause.replaced(*found.span(), f"forget {port}")
                yield Mutant("changed binding", f"{rule.name}: {port} forgotten", (edit,))
                for other in _children(rule):
                    if found[1] and other not in (node, port.split(".")[0]):
                        edit = clause.replaced(*found.span(2), other)
                        yield Mutant("changed binding", f"{rule.name}: {port} = {other}", (edit,))
            children = _children(rule)
            for found in re.finditer(r"-> (gap|subj)(?=;|$)", clause.text):
                for other in children if found[1] not in children else ():
                    edit = clause.replaced(*found.span(1), other)
                    yield Mutant("changed binding", f"{rule.name}: gap is {other}", (edit,))


def _children(rule: Declaration) -> list[str]:
    """How a rule calls its children."""
    right = re.sub(r'"[^"]*"|\[[^\]]*\]|~.*', "", rule.head.text.partition("->")[2])
    return [word.partition(":")[0] for word in right.split() if word != "capital"]


def widened_features(source: Source) -> Iterator[Mutant]:
    """A feature of a category left open, or with another value."""
    for rule in source.of("rule"):
        for found in _FEATURE.finditer(rule.head.text):
            name = f"{rule.name}@{found.start()} {found[1]}={found[2]}"
            edit = rule.head.replaced(*found.span(), "")
            yield Mutant("widened feature", name, (_tidy(rule, edit, found),))
            other = OTHER_VALUES.get(found[2])
            if other is not None:
                edit = rule.head.replaced(*found.span(2), other)
                yield Mutant("changed feature", f"{name} -> {other}", (edit,))


def _tidy(rule: Declaration, edit: Edit, found: re.Match[str]) -> Edit:
    """Without the brackets or the comma that would be left over."""
    text = rule.head.text
    start, end = found.span()
    if text[start - 1] == "[" and text[end] == "]":
        return rule.head.replaced(start - 1, end + 1, "")
    if text[end] == "]":
        return rule.head.replaced(start - 2, end, "")
    return edit


def dropped_rules(source: Source) -> Iterator[Mutant]:
    """A rule left out."""
    for rule in source.of("rule"):
        edit = Edit(rule.file, rule.start, rule.end, "")
        yield Mutant("dropped rule", rule.name, (edit,))


def changed_weights(source: Source) -> Iterator[Mutant]:
    """A rule with half or a hundredth of its weight."""
    for rule in source.of("rule"):
        found = _WEIGHT.search(rule.head.text)
        if found is None:
            continue
        for divisor in (2, 100):
            new = f"{float(found[1]) / divisor:g}"
            edit = rule.head.replaced(found.start(1), found.end(1), new)
            yield Mutant("changed weight", f"{rule.name}={new}", (edit,))


def unlicensed_parts(source: Source) -> Iterator[Mutant]:
    """A `need` left out, and with it, nearly, the rules that make its part."""
    for pattern in source.of("pattern"):
        for clause in pattern.of("need"):
            edits = [clause.dropped()]
            labels = set(_LABEL.findall(clause.text)) - {"obj", "nsubj", "$SUBJECT"}
            for rule in source.of("rule"):
                found = _WEIGHT.search(rule.head.text)
                made = {label for c in rule.of("syn") for label in _LABEL.findall(c.text)}
                if found and made & labels:
                    edits.append(rule.head.replaced(*found.span(1), "0.00001"))
            if len(edits) > 1:
                name = f"{pattern.name}@{clause.start}"
                kind = "dropped `need`, and the part with it"
                yield Mutant(kind, name, tuple(edits), pattern.name)


def changed_attributes(source: Source) -> Iterator[Mutant]:
    """An attribute of words left out, or the lemma taken from elsewhere."""
    for lexicon in source.of("lexicon", "word"):
        for number, clause in enumerate(lexicon.of("syn")):
            name = f"{lexicon.name or lexicon.head.text}.{number}"
            for found in _ATTRIBUTE.finditer(clause.text):
                edit = clause.replaced(*found.span(), "")
                text = f"{name}{found.group()}"
                yield Mutant("dropped attribute", text, (edit,))
            start = clause.text.find("$en")
            if start >= 0:
                edit = clause.replaced(start, start + 3, "$ja")
                yield Mutant("changed lemma", name, (edit,))


def changed_tables(source: Source) -> Iterator[Mutant]:
    """A word removed, misspelt or in another class; every few rows of every table."""
    for table in source.tables:
        rows = list(_ROW.finditer(source.files[table]))
        for row in rows[:: max(1, len(rows) // 8)]:
            name = f"{table}: {row.group()[2:30]}"
            yield Mutant("removed word", name, (Edit(table, *row.span(), ""),))
            for cell in _CELL.finditer(row.group()):
                value = cell[2].strip()
                new = value + "x" if cell[1] == "en" else OTHER_CELLS.get(value)
                if new is not None:
                    start = row.start() + cell.start(2)
                    edit = Edit(table, start, row.start() + cell.end(2), new)
                    yield Mutant("changed word", f"{name} {cell[1]}={new}", (edit,))


def removed_targets(source: Source) -> Iterator[Mutant]:
    """A target of a pattern removed from its table."""
    for pattern in source.of("pattern"):
        for clause in pattern.of("targets"):
            word = clause.text.split()[1].strip('"')
            for table in source.tables:
                for row in _ROW.finditer(source.files[table]):
                    if re.match(rf"- \{{en: {word}[,}}]", row.group()):
                        edit = Edit(table, *row.span(), "")
                        name = f"{pattern.name}: {table} {word}"
                        yield Mutant("removed target", name, (edit,), pattern.name)


def changed_dataset(source: Source) -> Iterator[Mutant]:
    """Other sizes, another seed, words and sentences that may be repeated."""
    (dataset,) = source.of("dataset")
    for clause in dataset.clauses[1:]:
        if clause.keyword in ("train", "dev", "test", "seed"):
            for factor in (0.1, 2):
                number = str(int(int(clause.text.split()[1]) * factor))
                start = clause.text.index(clause.text.split()[1])
                edit = clause.replaced(start, len(clause.text), number)
                yield Mutant("changed dataset", f"{clause.keyword}={number}", (edit,))
        if clause.keyword != "from":
            yield Mutant("changed dataset", f"no `{clause.text}`", (clause.dropped(),))
        if clause.text.startswith("distinct lemmas"):
            for word in clause.text.split()[2:]:
                start = clause.text.index(word)
                edit = clause.replaced(start, start + len(word), "")
                yield Mutant("changed dataset", f"no distinct {word}", (edit,))


def changed_params(source: Source) -> Iterator[Mutant]:
    """A parameter with another value."""
    for param in source.of("param"):
        found = re.search(r"= (\w+)", param.head.text)
        if found is None:
            continue
        values = {"on": ("off",), "off": ("on",), "inner": ("outer",), "outer": ("inner",)}
        for new in values.get(found[1], ("3", "5", "10")):
            edit = param.head.replaced(found.start(1), found.end(1), new)
            yield Mutant("changed parameter", f"{param.name}={new}", (edit,))


KINDS: tuple[tuple[int, Callable[[Source], Iterator[Mutant]]], ...] = (
    (50, leaking_rules),
    (8, cut_rules),
    (16, kept_rules),
    (20, swapped_labels),
    (16, dropped_edges),
    (8, swapped_dependents),
    (14, changed_bindings),
    (28, widened_features),
    (10, dropped_rules),
    (8, changed_weights),
    (14, unlicensed_parts),
    (14, changed_attributes),
    (18, changed_tables),
    (10, removed_targets),
    (12, changed_dataset),
    (8, changed_params),
)
