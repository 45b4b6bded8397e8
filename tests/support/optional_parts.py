"""Small grammars in which each optional part of the language is there or not: every two choices meet in one of them.

A grammar is a *row*: for each part, which of its options the grammar has.  ``rows()`` has all pairs of options that can
stand together.  ``optional_parts.txt`` has the lines of all grammars, each with the options that it is for; a grammar
has some thousand sentences, so that all of its dataset takes a second.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product
from pathlib import Path

Row = dict[str, str]

#: The optional parts, each with its options, the plain one first.
PARTS: dict[str, tuple[str, ...]] = {
    "pattern": ("none", "forbid", "clauses", "targets", "two", "rule"),
    "size": ("number", "none", "all", "quotas", "instances", "limit"),
    "amount": ("number", "all", "copies", "percent"),
    "view": ("none", "penman", "conllu", "template"),
    "release": ("none", "bare", "own", "known", "whole"),
    "graph": ("none", "tree", "free"),
    "text": ("one", "two", "three"),
    "group": ("none", "structural", "compound"),
    "part": ("none", "only", "apart"),
    "distinct": ("none", "sentences", "lemmas"),
    "ambiguous": ("reject", "report", "ignore"),
    "train": ("yes", "no"),
    "dev": ("no", "yes"),
    "eval": ("no", "yes"),
    "further": ("no", "yes"),
    "readings": ("one", "two"),
    "twin": ("no", "yes"),
    "divided": ("no", "yes"),
    "parameter": ("no", "yes"),
    "restriction": ("no", "yes"),
    "title": ("no", "yes"),
    "tests": ("no", "yes"),
}

#: Options of several parts that only together make a difference.
TRIPLES: tuple[Row, ...] = (
    {"release": "known", "text": "one", "view": "penman"},
    {"parameter": "yes", "amount": "number", "train": "yes", "dev": "no"},
)

NOUNS = {"cat": "猫", "cow": "牛", "dog": "犬", "hen": "鶏", "fox": "狐"}
TABLES = {
    "nouns.yaml": "".join(f"- {{en: {en}, ja: {ja}}}\n" for en, ja in NOUNS.items()),
    "places.yaml": "- {en: barn, ja: 納屋}\n- {en: pond, ja: 池}\n",
    "verbs.yaml": "- {en: see, ja: 見}\n- {en: hear, ja: 聞}\n",
    "sees.yaml": "see: [cat, hen, fox]\n",
    "own.j2": "{% for node in nodes %}{{ node.lemma }} {% endfor %}",
}


def together(row: Row) -> bool:
    """Whether the language allows these options beside one another; a part that is missing is open."""

    def has(part: str, *options: str) -> bool:
        return part in row and row[part] in options

    def lacks(part: str, *options: str) -> bool:
        return part in row and row[part] not in options

    return not any(
        (
            has("graph", "none") and (lacks("part", "none") or has("restriction", "yes") or lacks("view", "none")),
            has("graph", "none") and (lacks("pattern", "none") or has("distinct", "lemmas")),
            has("graph", "tree") and has("view", "penman", "template"),
            has("pattern", "none") and (lacks("size", "number") or lacks("group", "none")),
            # What is divided is so in the second text.
            has("divided", "yes") and has("text", "one"),
            has("further", "yes") and has("text", "one") and lacks("view", "penman"),
            # Without `distinct sentences` there is no end of contexts.
            has("size", "instances") and has("distinct", "none"),
            has("train", "no") and has("dev", "no") and has("eval", "no"),
            # Items have their words from training.
            has("train", "no") and (has("pattern", "clauses") or (lacks("pattern", "none") and lacks("size", "none"))),
            has("train", "no") and has("pattern", "targets") and lacks("part", "none"),
            # Whatever has everything leaves nothing to others if no sentence may be there twice.
            has("amount", "all") and lacks("distinct", "none") and has("dev", "yes") and lacks("train", "no"),
            has("amount", "all") and lacks("distinct", "none") and has("eval", "yes"),
            # There are no shares of everything.
            has("pattern", "targets") and lacks("size", "number", "none"),
        )
    )


def rows() -> Iterator[Row]:
    """Yield rows until every pair of options that can stand together is in one."""
    missing = [{a: x, b: y} for a, b in combinations(PARTS, 2) for x, y in product(PARTS[a], PARTS[b])]
    missing += TRIPLES
    while missing:
        row = whole(missing[0], missing)
        if row is not None:
            yield row
        missing = [pair for pair in missing[1:] if row is None or not pair.items() <= row.items()]


def whole(row: Row, missing: Sequence[Row] = ()) -> Row | None:
    """A whole row with these options that has many of the missing pairs; None if there is no such row."""
    if not together(row):
        return None
    part = next((part for part in PARTS if part not in row), None)
    if part is None:
        return {part: row[part] for part in PARTS}
    rows = [{**row, part: option} for option in PARTS[part]]
    rows.sort(key=lambda row: -sum(pair.items() <= row.items() for pair in missing))
    return next(filter(None, (whole(row, missing) for row in rows)), None)


def write(row: Row, folder: Path) -> Path:
    """Write the grammar of a row, and its tables; return its main file."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in TABLES.items():
        (folder / name).write_text(text, "utf-8")
    path = folder / "farm.sgl"
    path.write_text("".join(f"{line}\n" for line in _lines(row)), "utf-8")
    return path


def _lines(row: Row) -> Iterator[str]:
    """Yield the lines whose options are all those of the row."""
    for entry in Path(__file__).with_suffix(".txt").read_text("utf-8").splitlines():
        options, _, line = entry.partition("| ")
        if all(_holds(option, row) for option in options.split()):
            yield line


def _holds(option: str, row: Row) -> bool:
    part, _, values = option.partition("=")
    return (row[part.rstrip("!")] in values.split(",")) != part.endswith("!")
