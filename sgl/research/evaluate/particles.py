"""Japanese phrases with their particles, for predictions that the grammar does not derive.

A model may write a sentence of which only a part is grammatical.  The particle after a
phrase says its role, so that the phrase that is asked for can still be looked for::

    男性がパンダを見つけ見つけた。     パンダ + を: object        男性 + が: subject

A word counts where its morphemes stand, whole: リアム is not in ウィリアム, nor 本 in 本棚.
A phrase has to be whole as well: in 箱の中の猫が the noun 猫 is the subject, but the phrase
猫 is not.  It ends at its particle and begins where the morpheme before it is no part of the
same noun phrase.  Which clause it belongs to cannot be told from particles; a parse can.

Some verbs mark their object with another particle (好き with が, 気づく with に).  They are
not listed here: a grammar that writes the particle with the verb says so itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sgl.morphology.analyser import Analyse, Morpheme
from sgl.research.evaluate.surface import occurrences_of

SUBJECT, OBJECT, RECIPIENT, AGENT = "subject", "object", "recipient", "agent"

#: The roles of graph layers after Universal Dependencies.
ROLES = {
    "nsubj": SUBJECT,
    "nsubj:pass": SUBJECT,
    "nsubj:xsubj": SUBJECT,
    "obj": OBJECT,
    "iobj": RECIPIENT,
    "obl:to": RECIPIENT,
    "obl:agent": AGENT,
}

#: Particles that an object may have if its verb asks for it.
_GOVERNED = ("が", "に", "の")
_OBJECT = "を"

#: The noun that makes a clause one.
_NOMINALISER = "こと"


@dataclass(frozen=True)
class ParticleMatcher:
    """Looks for phrases in texts.

    ``governed`` are verbs with a particle of their object that is not を, as the text of
    both: が好きだった.
    """

    analyse: Analyse
    governed: frozenset[str] = frozenset()

    def has_role(self, text: str, phrase: str, role: str, *, whole: bool = False) -> bool:
        """Tell whether a noun, modified or not, has this role (``subject`` …) in the text.

        If ``whole`` the noun phrase has to be this one, without further modifiers.
        """
        before, after = self._neighbours(text)
        for start in occurrences_of(phrase, text):
            end = start + len(phrase)
            # The noun has to be whole morphemes, and no part of a longer noun or phrase.
            if (
                before.keys() >= {start, end}
                and not _continues(before[start], after.get(start), whole)
                and not _is_noun(after.get(end))
                and role in self._roles(text, end)
            ):
                return True
        return False

    def has_word(self, text: str, word: str) -> bool:
        """Tell whether an inflected word stands in the text, neither longer nor shorter."""
        if len(word) > 2 and word.startswith((*_GOVERNED, _OBJECT)):
            word = word[1:]
        before, _ = self._neighbours(text)
        return any(
            before.keys() >= {start, start + len(word)} for start in occurrences_of(word, text)
        )

    def _neighbours(
        self, text: str
    ) -> tuple[dict[int, Morpheme | None], dict[int, Morpheme | None]]:
        """Return the morphemes that end, and those that begin, at each of their bounds."""
        before: dict[int, Morpheme | None] = {0: None}
        after: dict[int, Morpheme | None] = {}
        position = 0
        for morpheme in self.analyse(text):
            after[position] = morpheme
            position += len(morpheme.surface)
            before[position] = morpheme
        return before, after

    def _roles(self, text: str, end: int) -> set[str]:
        """Return the roles of what ends here, after the particle that follows."""
        rest = text[end:]
        if rest.startswith("によって"):
            return {AGENT}
        if rest.startswith(_OBJECT):
            return {OBJECT}
        verb = max((verb for verb in self.governed if rest.startswith(verb)), key=len, default="")
        if verb:
            following = next(iter(self.analyse(rest[len(verb) :])), None)
            # Before a noun, as in 好きだった少女, what stands here is what liked her, too.
            if following is None or following.surface == _NOMINALISER or verb[0] != "が":
                return {OBJECT}
            return {OBJECT, SUBJECT} if following.kind == "名詞" else {OBJECT}
        if rest.startswith("が"):
            return {SUBJECT}
        if rest.startswith("に"):
            return {RECIPIENT}
        if rest.startswith("は"):
            # A topic is what the clause lacks: its object if there is a subject.
            return {OBJECT if any(m.surface == "が" for m in self.analyse(rest)) else SUBJECT}
        return set()


def governed(vocabulary: Iterable[Sequence[str]]) -> frozenset[str]:
    """Return the verbs with a particle of their own, from the words of lexical rules."""
    return frozenset(
        "".join(words)
        for words in vocabulary
        if len(words) > 1 and words[0] in _GOVERNED and any(words[1:])
    )


def _continues(before: Morpheme | None, first: Morpheme | None, whole: bool) -> bool:
    """Tell whether a morpheme belongs to the noun that begins after it, or to its whole phrase."""
    if before is None:
        return False
    if _is_noun(before):
        return _is_noun(first)
    if not whole:
        return before.kind == "接頭辞"
    if before.kind == "助詞":
        return before.surface == "の"
    adjective = before.kind in ("連体詞", "接頭辞", "形状詞") or before.surface == "な"
    return adjective or (before.kind == "形容詞" and before.form.startswith("連体形"))


def _is_noun(morpheme: Morpheme | None) -> bool:
    return morpheme is not None and (
        morpheme.kind in ("名詞", "代名詞")
        or (morpheme.kind == "接尾辞" and morpheme.subkind == "名詞的")
    )
