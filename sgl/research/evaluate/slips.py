"""What is wrong with a wrong prediction, in one word.

Where the prediction has readings, its words are compared with those of the gold item.  Words
that both have cancel out; of what is left, a word may be another form of one on the other
side::

    gold        男性がパンダを見つけた。
    roles       パンダが男性を見つけた。      the same words, put together in another way
    form        男性がパンダを見つける。      another form of a word: tense, voice
    word        男性が犬を見つけた。          another word in the place of one
    words       少年が犬を見つけた。          several
    missing     パンダが見つけられた …        fewer words
    extra       男性が赤いパンダを見つけた。  more words
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import Enum

from sgl.core.grammar import CoreGrammar, Token


class Slip(Enum):
    """The kind of a mistake."""

    EMPTY = "empty"
    UNPARSED = "not a sentence"
    ROLES = "roles"
    FORM = "form"
    WORD = "word"
    WORDS = "words"
    MISSING = "missing"
    EXTRA = "extra"


#: The lemmas that are written so.
Lemmas = Mapping[str, frozenset[str]]


def slip(gold: Sequence[str], said: Sequence[str], lemmas: Lemmas) -> Slip:
    """The kind of the mistake, from the words of the gold item and of the prediction."""
    lacking, other = Counter(gold) - Counter(said), Counter(said) - Counter(gold)
    if not lacking and not other:
        return Slip.ROLES
    if lacking.total() != other.total():
        return Slip.MISSING if lacking.total() > other.total() else Slip.EXTRA
    left = list(other.elements())
    changed = 0
    for word in lacking.elements():
        form = next((o for o in left if lemmas.get(o, _NONE) & lemmas.get(word, _NONE)), None)
        if form is None:
            changed += 1
        else:
            left.remove(form)
    if not changed:
        return Slip.FORM
    return Slip.WORD if changed == lacking.total() == 1 else Slip.WORDS


_NONE: frozenset[str] = frozenset()


def lemmas_by_word(grammar: CoreGrammar, graph: int, text: int) -> Lemmas:
    """For the text of each lexical rule the lemmas that are written so."""
    found: dict[str, set[str]] = {}
    for rule in grammar.rules:
        if rule.lexical:
            word = "".join(i.text for i in rule.templates[text] if isinstance(i, Token))
            for node in rule.fragments[graph].nodes:
                found.setdefault(word, set()).add(dict(node.attributes or ()).get("lemma", ""))
    return {word: frozenset(lemmas) for word, lemmas in found.items()}
