"""Name why the published form of a word or construction of SGET differs from the grammar's.

An erratum is identified by its kind (a table of the grammar, or a construction) and its name; it has one cause.
"""

from __future__ import annotations

#: The errata of each cause: the kind of word, and the words.
CAUSES: dict[str, dict[str, str]] = {
    "a space before the comma of a topic": {"construction": "topic"},
    "English: *guess* as a past, *supplys*, *a* before a vowel, a clause on a name": {
        "construction": "name",
        "noun": "author engineer",
        "noun after a preposition": "envelope",
        "adjective": "obese",
        "verb with an object": "supply",
        "verb with two objects": "supply",
        "verb with a clause": "guess",
    },
    "the translation is that of another word or sense": {
        "noun": "guy nail chief tenant moose",
        "noun after a preposition": "corner surface package block bin stack",
        "word alone": "jump",
        "verb without an object": "jump",
        "verb with an object": "call",
        "verb with two objects": "wire owe",
        "verb with a clause": "mean respect",
    },
    "the particle of the object or the clause": {
        "verb with an object": "touch answer",
        "verb with a clause": "answer repeat",
    },
    "the ending of a verb with an infinitive": {"verb with an infinitive": "like love prefer expect demand seek"},
    "〜たい in the present of a third person": {"verb with an infinitive": "want crave care itch long wish yearn"},
    "forms of one verb from different verbs or aspects": {
        "verb with an object": "know like float freeze inflate slide love",
        "verb with two objects": "bring",
        "verb without an object": ("study notice nurse cook hunt observe clean pack investigate sketch"),
    },
    "a wrong conjugation": {
        "verb without an object": "decompose inflate",
        "verb with a clause": "value",
        "verb with an infinitive": "hate",
    },
    "the order of centre embedding": {"construction": "embedding"},
}


def causes_by_erratum() -> dict[tuple[str, str], str]:
    """Return the cause of each erratum, by its kind and word."""
    return {
        (kind, word): cause
        for cause, errata in CAUSES.items()
        for kind, words in errata.items()
        for word in words.split()
    }
