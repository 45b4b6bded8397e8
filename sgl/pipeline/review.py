"""What a reviewer asks of a benchmark: how much of the items training has, and how often it has each target word.

Items may differ from training in other ways than the structure that is held out, and then a score says less.  So for
each part of the tests it is counted how many of its n-grams training has, how long and how deep its items are, and how
often training has their words.  The rows go by while they are written.  An n-gram is kept as a number of 64 bits.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import count
from typing import Any

import numpy as np

from sgl.core.grammar import CoreGrammar
from sgl.core.plan import GEN, IN_DISTRIBUTION, TRAIN, Plan, introduced_lemmas
from sgl.dataset.rows import Chunk
from sgl.pipeline.observers import Observer
from sgl.rendering import outputs

#: The lengths of n-grams, the odd number that mixes them, and how many pieces of sets are joined at once.
NGRAMS, _FACTOR, _PIECES = (1, 2, 3), np.uint64(0x9E3779B97F4A7C15), 16

_TOKEN = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]|\n")


class Overlap:
    """Gathers the n-grams and words of training, and compares the parts of the tests with them.

    A source that is joined without spaces is compared by characters.
    """

    def __init__(self, grammar: CoreGrammar, plan: Plan) -> None:
        self._by_letter = grammar.text_layers[grammar.text_layer(plan.source)].join == ""
        self._known = defaultdict(count(1).__next__, {"\n": 0})
        self._seen = {n: [np.zeros(0, np.uint64)] for n in NGRAMS}
        self._words, self._sums = (defaultdict[tuple[str, str], Counter[Any]](Counter) for _ in range(2))

    def __call__(self, chunk: Chunk) -> None:
        """Take note of the rows of a chunk; training comes first."""
        learned, rows = chunk.split == TRAIN, chunk.table
        # Training counts as one part.
        categories = [TRAIN] * len(rows) if learned else rows.column("category").to_pylist()
        names, places = np.unique(np.array(categories), return_inverse=True)
        text = "\n".join(rows.column("source").to_pylist()).lower() + "\n"
        tokens = text if self._by_letter else _TOKEN.findall(text)
        words = np.fromiter(map(self._known.__getitem__, tokens), np.int64, len(tokens))
        part = places[np.cumsum(words == 0) - (words == 0)]
        depths = rows.column("depth").to_numpy()
        found = {n: self._compared(n, words, part, len(names), learned) for n in NGRAMS}
        for number, name in enumerate(names.tolist()):
            used, counts = np.unique(words[(part == number) & (words > 0)], return_counts=True)
            self._words[chunk.split, name].update(dict(zip(used.tolist(), counts.tolist(), strict=True)))
            sums = {"rows": (places == number).sum(), "words": counts.sum(), "depth": depths[places == number].sum()}
            sums |= {
                f"{kind} {n}": own[number] for n, pair in found.items() for kind, own in zip("as", pair, strict=True)
            }
            self._sums[chunk.split, name].update({key: int(value) for key, value in sums.items()})

    def _compared(self, n: int, words: Any, part: Any, parts: int, learned: bool) -> tuple[Any, Any]:  # noqa: ANN401
        """Return how many n-grams each part has, and how many of them training has; of training keep them."""
        size, pieces = max(len(words) - n + 1, 0), self._seen[n]
        grams, whole = np.zeros(size, np.uint64), np.ones(size, bool)
        for place in range(n):
            own = words[place : place + size]
            whole &= own > 0
            grams = (grams + own.astype(np.uint64)) * _FACTOR
            grams ^= grams >> np.uint64(29)
        grams, at = grams[whole], part[:size][whole]
        if learned:
            pieces.append(np.unique(grams))
        if len(pieces) > (_PIECES if learned else 1):
            pieces[:] = [np.unique(np.concatenate(pieces))]
        return np.bincount(at, minlength=parts), np.bincount(at, np.isin(grams, pieces[0]), parts)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield the figures of training, of in-distribution tests, and of each pattern."""
        trained = self._words[TRAIN, TRAIN]
        for (split, name), sums in self._sums.items():
            words = self._words[split, name]
            if words and (split in (TRAIN, GEN) or name == IN_DISTRIBUTION):
                yield {
                    "split": split,
                    "part": name,
                    "rows": sums["rows"],
                    "ngrams": [] if split == TRAIN else [sums[f"s {n}"] / (sums[f"a {n}"] or 1) for n in NGRAMS],
                    "length": sums["words"] / sums["rows"],
                    "depth": sums["depth"] / sums["rows"],
                    "frequency": int(np.median(np.repeat([trained[word] for word in words], [*words.values()]))),
                }


def review_of(grammar: CoreGrammar, plan: Plan, observer: Observer, overlap: Overlap) -> dict[str, Any]:
    """Return the reviewer's page as plain data: overlap, and of each pattern three items and its target words.

    An item has its source and its texts in all targets; a word, how often training has it.
    """
    written, trained = outputs(grammar), Counter[str]()
    for lemmas, number in zip(introduced_lemmas(grammar, plan), observer.trained.tolist(), strict=True):
        trained.update(dict.fromkeys(lemmas, number))
    patterns = {
        pattern.name: {
            "items": [
                [written[name](item) for name in (plan.source, *plan.targets)]
                for item in observer.examples.get(pattern.name, ())
            ],
            "words": {word: trained[word] for word in pattern.targets},
        }
        for pattern in plan.patterns
    }
    worded = [pattern.name for pattern in plan.patterns if pattern.targets]
    return {"overlap": [*overlap.rows()], "ngrams": NGRAMS, "patterns": patterns, "worded": worded}
