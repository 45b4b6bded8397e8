"""Random tables to draw from: every kind of template, state and stratum."""

from __future__ import annotations

from random import Random

from sgl.core.extent import Extent
from sgl.sampling.engine import PackedStratum, PackedText, State, Tables

WORDS = ("a", "dog", "", "ß", "犬", "?", ".", "élan", "x" * 70, "of the very long words, the longest")
LEMMAS = ("dog", "cat", "run", "eat", "be")


class TableMaker:
    """Makes tables of a few rules and states; ``orderly`` ones have children in order."""

    def __init__(self, seed: int, *, orderly: bool) -> None:
        self._choose = Random(seed)  # noqa: S311 - not for secrets
        self._orderly = orderly

    def tables(self) -> Tables:
        """Random tables."""
        choose = self._choose
        arity = [0] * 8 + [choose.randint(1, 3) for _ in range(8)]
        words = [self._lemmas() if rule < 8 or choose.random() < 0.1 else () for rule in range(16)]
        return Tables(
            seed=choose.randrange(1 << 64),
            states=[self._state(n, arity) for n in range(7)] + [self._words() for _ in range(3)],
            strata=self._strata(),
            arity=arity,
            words=words,
            lemmas=[of_rule[:1] if choose.random() < 0.6 else () for of_rule in words],
            source=self._text("en", arity, orderly=self._orderly),
            targets=[self._text("ja", arity, orderly=False)],
            distinct_sentences=choose.random() < 0.7,
        )

    def _lemmas(self) -> tuple[str, ...]:
        return tuple(self._choose.choices(LEMMAS, k=self._choose.choice((0, 1, 1, 1, 2))))

    def _state(self, own: int, arity: list[int]) -> State:
        """A state of phrases and words; its children come after it, so that derivations end."""
        choose = self._choose
        number = choose.choice((1, 1, 2, 5))
        rules = [choose.randrange(8, 16) for _ in range(number)] + [choose.randrange(8)]
        if choose.random() < 0.3:
            rules = rules[:1]
        widths = [choose.randint(1, 1 << 52) for _ in rules]
        children = [tuple(choose.randrange(own + 1, 10) for _ in range(arity[rule])) for rule in rules]
        return State(_ends(widths), rules, children)

    def _words(self) -> State:
        choose = self._choose
        rules = choose.sample(range(8), choose.randint(1, 6))
        return State(_ends([choose.randint(1, 1 << 53) for _ in rules]), rules, [() for _ in rules])

    def _text(self, name: str, arity: list[int], *, orderly: bool) -> PackedText:
        choose = self._choose
        join = choose.choice((" ", " ", "", "--"))
        attach = frozenset(choose.sample(WORDS, choose.choice((0, 1, 2)))) - {""}
        return PackedText(name, join, attach, [self._template(n, orderly=orderly) for n in arity])

    def _template(self, arity: int, *, orderly: bool) -> tuple[str | int, ...]:
        choose = self._choose
        children = list(range(arity))
        if not orderly and choose.random() < 0.5:
            children = choose.choices(children, k=choose.randint(0, 3)) if children else []
        items: list[str | int] = []
        for child in children:
            items += choose.choices(WORDS, k=choose.choice((0, 0, 1, 2)))
            items.append(child if choose.random() < 0.8 else ~child)
        return (*items, *choose.choices(WORDS, k=choose.choice((0, 1, 1)) if arity else 1))

    def _strata(self) -> list[PackedStratum]:
        choose = self._choose
        return [
            PackedStratum(
                split=split,
                category=split,
                stream=f"{split}/{number}",
                extent=Extent(
                    choose.choice((0, 7, 400)),
                    repeated=choose.random() < 0.4,
                    targets=tuple(choose.sample(LEMMAS, choose.choice((0, 0, 2)))),
                ),
                start=choose.randrange(10),
                repeated_lemmas=choose.random() < 0.4,
                ambiguous=frozenset(choose.sample(range(50), choose.choice((0, 5)))),
            )
            for number, split in enumerate(("train", "train", "gen"))
        ]


def _ends(widths: list[int]) -> list[int]:
    ends: list[int] = []
    for width in widths:
        ends.append((ends[-1] if ends else 0) + width)
    return ends
