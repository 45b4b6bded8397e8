"""What a manifest says, as far as the checks use it.

Structures stay text here; each distinct text gets a number, under which it is read and
searched once.  :mod:`sgl.verify.manifest_reader` reads the file.
"""

from __future__ import annotations

from dataclasses import dataclass

FORMAT = "sgl-dataset/1"
MANIFEST, CERTIFICATE = "manifest.json", "certificate.json"

#: What may be done with ambiguous strings.
REJECT, REPORT, IGNORE = "reject", "report", "ignore"


@dataclass(frozen=True, slots=True)
class Clause:
    """A structure where it is written: its text, the place, and its number."""

    text: str
    place: str
    number: int


@dataclass(frozen=True, slots=True)
class Counted:
    """A structure with a number of sentences, of which targets may have equal shares."""

    clause: Clause
    count: int
    each_target: bool = False


@dataclass(frozen=True, slots=True)
class Quota:
    """``count`` items that contain one of each group of ``within`` and none of ``outside``.

    With ``each_target`` the targets of the pattern have equal shares of them.
    """

    count: int
    within: tuple[tuple[Clause, ...], ...]
    outside: tuple[Clause, ...]
    each_target: bool = False
    split: str = ""


@dataclass(frozen=True, slots=True)
class PatternClaim:
    """One type of generalization, as declared; see the language reference."""

    name: str
    layer: str
    forbid: tuple[Clause, ...]
    never: tuple[Clause, ...]
    gen: tuple[Clause, ...]
    exclude: tuple[Clause, ...]
    reserved: tuple[Clause, ...]
    need: tuple[Counted, ...]
    expose: tuple[Counted, ...]
    quotas: tuple[Quota, ...]
    allow: tuple[str, ...]
    targets: tuple[str, ...] = ()

    @property
    def held_out(self) -> tuple[Clause, ...]:
        """What no sentence of train, dev or test contains."""
        return (*self.forbid, *self.never)

    @property
    def instances(self) -> tuple[Clause, ...]:
        """Of which every generalization item contains one."""
        return self.gen or self.held_out


@dataclass(frozen=True, slots=True)
class PartClaim:
    """Sentences that belong to no pattern; they contain one of ``only``.

    Generalization items may contain these as well if the part is ``tested``.  With
    ``repeated_lemmas`` a lemma may occur twice in one of them.  ``allow``: patterns
    whose reserved structures they may contain.
    """

    name: str
    only: tuple[Clause, ...]
    quotas: tuple[Quota, ...]
    repeated_lemmas: bool
    allow: tuple[str, ...]
    tested: bool = False


@dataclass(frozen=True, slots=True)
class Stratum:
    """``count`` items of a category in a split; ``repeated`` ones may be equal.

    ``shares`` are the numbers of items that targets have, by lemma.
    """

    category: str
    count: int
    repeated: bool = False
    shares: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class DataFile:
    """A listed file: path inside the dataset, SHA-256, number of rows."""

    path: str
    sha256: str
    rows: int


@dataclass(frozen=True, slots=True)
class ReadingCounts:
    """The figures of a stratum in numbers of strings, as the compiler states them.

    ``accepted`` and ``rejected`` are the items and the candidates rejected as ambiguous;
    ``patterns`` counts the strings that contain what each pattern holds out.
    """

    stream: str
    split: str
    category: str
    accepted: int
    rejected: int
    parsed: int
    several: int
    held_out: int
    outputs: int
    ambiguous: int
    patterns: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Strings:
    """What is said of all strings: the policy, the strata, the verdicts by pattern.

    ``unparsed`` are the strata with items and without figures.
    """

    policy: str
    strata: tuple[ReadingCounts, ...]
    unparsed: tuple[str, ...]
    verdicts: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Manifest:
    """What the checks use of a manifest.

    ``source`` and ``target`` name what the first two columns of the data are, ``further``
    the targets that have files of their own, ``layer`` is the graph layer of the CoNLL-U
    files and ``anchor`` the text layer of its tokens.  ``structures`` are the distinct
    structures by number.  ``proved``: it says that a claim was proved, rather than found
    in the data.
    """

    name: str
    signature: str
    source: str
    target: str
    layer: str
    anchor: str
    distinct_sentences: bool
    distinct_lemmas: tuple[str, ...]
    splits: dict[str, tuple[Stratum, ...]]
    items: dict[str, int]
    patterns: tuple[PatternClaim, ...]
    files: tuple[DataFile, ...]
    structures: tuple[Clause, ...]
    parts: tuple[PartClaim, ...] = ()
    nowhere: tuple[Clause, ...] = ()
    further: tuple[str, ...] = ()
    strings: Strings | None = None
    proved: bool = False
