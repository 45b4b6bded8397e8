"""Do paradigms and tables of features say what docs/stdlib.md and docs/texts.md say, on random ones?

Draws paradigms that rewrite ends, beginnings or insides of words by letters, brackets and `*`, and tables of features
whose rows leave features out; writes them as SGL, which is compiled; and holds each word against a definition that
tries every place of the word::

    python benchmarks/models.py random_paradigms --grammars 400 --seed 1

Compared are the form of each word, that a word without a form is reported, the form of a table for each combination of
values, and the rows that the compiler says are never chosen.  The exit status is 1 if anything differs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random

from harness import Difference, command
from sgl.core.grammar import Rule, Token
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.frontend import run_passes
from sgl.lang.project import load_project
from sgl.lint import opinions

LETTERS = "abcç"
FEATURES = {"f": ("u", "v", "w"), "g": ("y", "z")}


@dataclass(frozen=True)
class Piece:
    """A letter, or one of several or of all others; ``many`` for any number of them."""

    letters: str
    bracket: bool = False
    others: bool = False
    many: bool = False

    def takes(self, letter: str) -> bool:
        return (letter in self.letters) != self.others

    def __str__(self) -> str:
        told = f"[{'^' * self.others}{self.letters}]{'*' * self.many}"
        return told if self.bracket else self.letters


@dataclass(frozen=True)
class Rewrite:
    """What is found, and what is written for it."""

    found: tuple[Piece, ...]
    result: str

    def matches(self, text: str) -> bool:
        """Return whether a text is what is found, by trying each number of letters for each piece."""

        def rest(pieces: Sequence[Piece], text: str) -> bool:
            if not pieces:
                return not text
            first, *others = pieces
            longest = len(text) if first.many else 1
            return any(
                all(map(first.takes, text[:size])) and rest(others, text[size:])
                for size in range(0 if first.many else 1, longest + 1)
                if size <= len(text)
            )

        return rest(self.found, text)

    def applied(self, word: str, place: str) -> tuple[tuple[int, ...], str] | None:
        """Return the word with what is found rewritten, behind how closely that is told; None if it is not there."""
        size = len(word)
        starts = range(size, -1, -1) if place != "start" else [0]
        for start in starts:
            ends = range(size, start - 1, -1) if place != "end" else [size]
            for end in ends:
                if self.matches(word[start:end]):
                    own = word[start:end]
                    brackets = [piece for piece in self.found if piece.bracket]
                    new = self.result.replace("&", own) if brackets else self.result
                    stars = sum(piece.many for piece in brackets)
                    told = (end - start, len(self.found) - len(brackets), len(brackets) - stars, -stars)
                    return told, word[:start] + new + word[end:]
        return None


def form_of(word: str, place: str, rewrites: Sequence[Rewrite]) -> str | None:
    """Return the form of a word: the closest rewrite wins, and of two that are equally close the first."""
    best: tuple[tuple[int, ...], str] | None = None
    for rewrite in rewrites:
        found = rewrite.applied(word, place)
        if found is not None and (best is None or found[0] > best[0]):
            best = found
    return None if best is None else best[1]


def drawn_rewrites(dice: Random) -> list[Rewrite]:
    """Draw rewrites that differ in what they find, each with at most one `*`."""
    found: dict[str, Rewrite] = {}
    for _ in range(dice.randint(1, 6)):
        pieces: list[Piece] = []
        for _ in range(dice.randint(0, 3)):
            bracket = dice.random() < 0.6
            many = bracket and dice.random() < 0.4 and not any(piece.many for piece in pieces)
            letters = "".join(dice.sample(LETTERS, dice.randint(1, 2))) if bracket else dice.choice(LETTERS)
            pieces.append(Piece(letters, bracket, bracket and dice.random() < 0.3, many))
        rewrite = Rewrite(tuple(pieces), dice.choice(["", "&", "&d", "d&", "&&", "x", "dd"]))
        found.setdefault("".join(map(str, pieces)), rewrite)
    return [*found.values()]


def drawn_rows(dice: Random) -> list[dict[str, str]]:
    """Draw rows of a table of features, the last for all values."""
    rows = [
        {name: dice.choice(values) for name, values in FEATURES.items() if dice.random() < 0.6}
        for _ in range(dice.randint(0, 6))
    ]
    return [row | {"form": f"k{number}"} for number, row in enumerate([*rows, {}])]


def main() -> int:
    """Compare; the exit status is 1 if anything differs."""
    return command(__doc__, lambda: compare, number=("grammars", 400))


def compare(seed: int, place: Path, figures: Counter[str]) -> None:
    """Compare one grammar with the definition.

    Raises:
        Difference: a form, a report or a row that is never chosen is another one.
    """
    dice = Random(seed)  # noqa: S311
    where, rewrites, rows = dice.choice(("end", "start", "inside")), drawn_rewrites(dice), drawn_rows(dice)
    words = sorted({"".join(dice.choices(LETTERS, k=dice.randint(1, 6))) for _ in range(40)})
    forms = {word: form_of(word, where, rewrites) for word in words}
    place.mkdir(parents=True, exist_ok=True)
    (place / "rows.yaml").write_text("".join(f"- {row}\n".replace("'", "") for row in rows), "utf-8")
    told = {"end": "", "start": " (start)", "inside": " (inside)"}[where]
    listed = ", ".join(f'"{"".join(map(str, rewrite.found))}" -> "{rewrite.result}"' for rewrite in rewrites)
    lines = ["layer en : text", "layer xx : text", "category W", "category T[f, g]"]
    lines += [f"feature {name} = {' | '.join(values)}" for name, values in FEATURES.items()]
    lines += ['table rows[f, g] from "rows.yaml"', f"paradigm p{told}", f"  any  {listed}", "rule r: W -> T[f=_, g=_]"]
    lines += ['word T: "t"', "  xx  $rows.form", *_words(words), "dataset", "  from W", "  train 1"]
    (place / "p.sgl").write_text("\n".join([*lines, ""]), "utf-8")
    project = load_project(place / "p.sgl", SourceMap(), diagnostics := Diagnostics())
    assert project is not None
    made = run_passes(project, {}, diagnostics)
    lacking = {word for word, form in forms.items() if form is None}
    reported = {d.message.split("`")[3] for d in diagnostics.found if d.code == "SGL0607"}
    figures["verdicts"] += len(words)
    if reported != lacking:
        raise Difference(f"without a form: {lacking}, and {reported}")
    if not lacking:
        assert made.compiled is not None, [found.message for found in diagnostics.found]
        _compare_words(made.compiled.grammar.rules, forms, rows, figures)
        dead = {d.span.start for d in opinions(made) if d.code == "SGL0624"}
        chosen = {_chosen(rows, dict(zip(FEATURES, values, strict=True))) for values in product(*FEATURES.values())}
        figures["verdicts"] += len(rows)
        if len(dead) != len(rows) - len(chosen):
            raise Difference(f"{len(dead)} rows are never chosen, and {chosen} of {len(rows)} are")


def _words(words: Sequence[str]) -> list[str]:
    return [line for word in words for line in (f'word W: "{word}"', f'  xx  "<" + p("{word}") + ">"')]


def _chosen(rows: Sequence[dict[str, str]], values: dict[str, str]) -> int:
    return next(n for n, row in enumerate(rows) if all(row.get(name, value) == value for name, value in values.items()))


def _compare_words(
    rules: Sequence[Rule], forms: dict[str, str | None], rows: Sequence[dict[str, str]], figures: Counter[str]
) -> None:
    """Compare the words of the compiled grammar with the forms, and its forms of the table with the rows."""
    found: Counter[tuple[str, str]] = Counter()
    for rule in rules:
        source, target = (" ".join(item.text for item in own if isinstance(item, Token)) for own in rule.templates[:2])
        found[source, target] += bool(source)
    wanted = Counter((word, f"<{form}>") for word, form in forms.items())
    values = [dict(zip(FEATURES, chosen, strict=True)) for chosen in product(*FEATURES.values())]
    wanted |= Counter(("t", rows[_chosen(rows, own)]["form"]) for own in values)
    figures["verdicts"] += len(wanted)
    if wanted - found or +found - wanted:
        raise Difference(f"words: lacks {wanted - found}, and has {+found - wanted}")
