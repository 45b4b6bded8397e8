"""Words with features as elements: lemmas and single features are atoms, a lemma with all its features is a compound.

As in Moisio, Creutz & Kurimo (2023), only some lemmas and some combinations of features count: a corpus has more
lemmas than a split can keep alike, and the rare ones are all on one side.  All sentences are divided all the same.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from pathlib import Path

from sgl.foreign import BENCHMARK, lines_of, read_bytes, text_of
from sgl.research.divergence.problem import Elements, count_names
from sgl.research.treebank import TreebankSentence, TreebankWord

#: A file as a certificate names it: `name`, `sha256`.
SourceFile = dict[str, str]


def read_lines(path: Path) -> tuple[SourceFile, list[str]]:
    """Return the lines of a file, which is read once; raises ``ForeignFileError``."""
    content = read_bytes(path, BENCHMARK)
    return {"name": path.name, "sha256": sha256(content).hexdigest()}, lines_of(text_of(content, path))


@dataclass(frozen=True, slots=True)
class WordChoice:
    """Which words count; ``above`` is what the weight of a tag combination has to exceed to make compounds.

    Lemmas are ``listed`` in ``lists``, if there are any; have so many ``occurrences``; and are chosen by ``ranks``
    (see :func:`ranked`).  No word counts that has a feature of ``without``.
    """

    above: Fraction | None = None
    occurrences: int = 1
    without: tuple[str, ...] = ()
    ranks: tuple[int, int] | None = None
    listed: frozenset[str] | None = None
    lists: tuple[SourceFile, ...] = ()

    def lemmas(self, sentences: Sequence[TreebankSentence]) -> set[str]:
        """Return the lemmas that count."""
        times = Counter(word.lemma for sentence in sentences for word in sentence.words)
        if self.listed is not None:
            # Finnish treebanks mark where the parts of a compound word meet: `viikon#loppu`.
            times = Counter({lemma: times[lemma] for lemma in times if {lemma, lemma.replace("#", "")} & self.listed})
        kept = set(times) if self.ranks is None else ranked(times, *self.ranks)
        return {lemma for lemma in kept if times[lemma] >= self.occurrences}

    def counts(self, word: TreebankWord) -> bool:
        """Return whether a word has features, and none of those that it should be without."""
        gone = {"_", *self.without}
        return not any(tag in gone or tag.partition("=")[0] in gone for tag in word.feats.split("|"))


def ranked(times: Mapping[str, int], every: int, occurrences: int) -> set[str]:
    """Return lemmas from the ranks ``every``, 2 · ``every`` and so on: each time until there are so many occurrences.

    So a few frequent lemmas have as many occurrences together as many rare ones.  Ranks are by frequency.

    >>> sorted(ranked({"be": 9, "dog": 5, "cat": 4, "hen": 3, "owl": 2, "emu": 1}, 2, 5))
    ['dog', 'emu', 'hen', 'owl']
    >>> sorted(ranked({"be": 9, "dog": 5, "cat": 4, "hen": 3, "owl": 2, "emu": 1}, 2, 2))
    ['dog', 'emu', 'hen']
    """
    order = sorted(times, key=lambda lemma: (-times[lemma], lemma))
    kept: set[str] = set()
    for first in range(every - 1, len(order), every):
        found = 0
        for lemma in order[first : first + every]:
            if found < occurrences:
                kept.add(lemma)
                found += times[lemma]
    return kept


def tag_weight(lemmas: Mapping[str, int]) -> Fraction:
    """Return the weight of a tag combination that goes with lemmas so many times.

    It is 1 - max P(lemma | tags): a combination that mostly goes with one lemma says little more.

    >>> tag_weight({"saada": 84, "other": 16})
    Fraction(4, 25)
    """
    return 1 - Fraction(max(lemmas.values()), sum(lemmas.values()))


def feature_elements(sentences: Sequence[TreebankSentence], choice: WordChoice | None = None) -> Elements:
    """Return lemmas and features as atoms, and words (``dogs+Case=Nom|Number=Sing``) as compounds.

    Compounds count by their number; their weights only decide which of them count.  (The authors' program keeps what
    weighs 0.34 or more; in their text it is more than 0.33.)
    """
    choice = choice or WordChoice()
    lemmas = choice.lemmas(sentences)
    rows = [
        [(word.lemma, word.feats) for word in sentence.words if word.lemma in lemmas and choice.counts(word)]
        for sentence in sentences
    ]
    found: dict[str, Counter[str]] = {}
    for row in rows:
        for lemma, tags in row:
            found.setdefault(tags, Counter())[lemma] += 1
    kept = {tags for tags, of in found.items() if choice.above is None or tag_weight(of) > choice.above}
    # A lemma that is spelt like a feature is another atom: features have a mark before them.
    atoms = ([atom for lemma, tags in row for atom in (lemma, *(f"+{tag}" for tag in tags.split("|")))] for row in rows)
    compounds = ([f"{lemma}+{tags}" for lemma, tags in row if tags in kept] for row in rows)
    return Elements(count_names(atoms), count_names(compounds))
