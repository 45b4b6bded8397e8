"""Plant mistakes in logical forms of COGS, conjunct by conjunct."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random

#: A conjunct of a role or a modifier: its words, its first variable and its second argument.
_LINK = re.compile(r"([\w .]+?) \( x _ (\d+) , (x _ \d+|\w+|\?) \)")
_NOUN = re.compile(r"(\* )?(\w+) \( x _ (\d+) \)")


class FormPlanter:
    """Plants mistakes; each method returns nothing where its mistake has no place.

    A form is a list of conjuncts.  ``fixed`` are those with a mistake, which another one leaves as they are.
    """

    KINDS = (
        *("phrase", "recursion", "word", "role", "attachment", "binding", "question"),
        *("definiteness", "missing", "extra", "repetition", "truncation"),
    )

    def __init__(self, forms: Sequence[str], random: Random) -> None:
        self._random = random
        nouns = {noun[1] for form in forms[:3000] for noun in _NOUN.finditer(form) for noun in [(0, noun[2])]}
        self._nouns = sorted(nouns)
        self._fixed: set[str] = set()

    def planted(self, form: str, kinds: Sequence[str]) -> str | None:
        """Return the form with mistakes of these kinds; None if there is no place for one."""
        atoms: list[str] | None = re.split(r" ; | AND ", form)
        if not all(_LINK.fullmatch(atom) or _NOUN.fullmatch(atom) for atom in atoms or ()):
            return None
        self._fixed = set()
        for kind in kinds:
            if kind != "truncation":
                atoms = getattr(self, kind)(atoms)
                if atoms is None:
                    return None
        text = _joined(atoms or [])
        return self._cut(text) if "truncation" in kinds else text

    def phrase(self, atoms: list[str]) -> list[str] | None:
        """Leave out the only modifier, with its noun."""
        links = [atom for atom in atoms if ". nmod ." in atom]
        if len(links) != 1 or not self._is_free(links[0]):
            return None
        link = _LINK.fullmatch(links[0])
        assert link
        target = link[3]
        gone = {links[0], *(atom for atom in atoms if (noun := _NOUN.fullmatch(atom)) and f"x _ {noun[3]}" == target)}
        rest = [atom for atom in atoms if atom not in gone]
        return None if any(target in re.findall(r"x _ \d+", atom) for atom in rest) else rest

    def recursion(self, atoms: list[str]) -> list[str] | None:
        """Skip a level of prepositional phrases or complement clauses."""
        links = [(atom, _LINK.fullmatch(atom)) for atom in atoms]
        chains = []
        for one, first in links:
            for two, second in links:
                if first and second and first[3] == f"x _ {second[2]}":
                    labels = [link[1].split(" . ")[1] for link in (first, second)]
                    sizes = [link[1].count(".") for link in (first, second)]
                    if labels == ["ccomp", "ccomp"] or (labels == ["nmod", "nmod"] and sizes == [2, 2]):
                        chains.append((one, first, two, second))
        if not chains:
            return None
        one, first, two, second = self._random.choice(chains)
        middle = second[2]
        # The level takes with it what only it leads to.
        gone = {atom for atom in atoms if re.search(rf"\( x _ {middle} [,)]", atom)} | {one}
        for atom in list(gone):
            link = _LINK.fullmatch(atom)
            if link and atom != two and link[3].startswith("x _"):
                others = [other for other in atoms if other not in gone and link[3] in re.findall(r"x _ \d+", other)]
                nouns = [other for other in others if _NOUN.fullmatch(other)]
                if len(others) == len(nouns):
                    gone |= set(nouns)
        linked = (
            f"{first[1].split(' . ')[0]} . {' . '.join(second[1].split(' . ')[1:])} ( x _ {first[2]} , {second[3]} )"
        )
        self._fixed.add(linked)
        return [linked if atom == one else atom for atom in atoms if atom == one or atom not in gone]

    def word(self, atoms: list[str]) -> list[str] | None:
        """Write another noun."""
        nouns = [(atom, noun) for atom in atoms if (noun := _NOUN.fullmatch(atom)) and self._is_free(atom)]
        nouns = [(atom, noun) for atom, noun in nouns if sum(f" {noun[2]} (" in f" {a}" for a in atoms) == 1]
        if not nouns:
            return None
        _, noun = self._random.choice(nouns)
        new = self._random.choice([word for word in self._nouns if not any(word in atom for atom in atoms)])
        old = re.compile(rf"^(\* )?{noun[2]} ((\. [\w .]+)?\( x _ {noun[3]} [,)])")
        changed = [old.sub(rf"\g<1>{new} \g<2>", atom) for atom in atoms]
        self._fixed |= {atom for atom, before in zip(changed, atoms, strict=True) if atom != before}
        return changed

    def role(self, atoms: list[str]) -> list[str] | None:
        """Exchange two roles of an event, or write another one."""
        links = self._links(atoms, "agent", "theme", "recipient")
        if not links:
            return None
        atom, link = self._random.choice(links)
        own = {other[1] for _, other in self._all(atoms) if other[2] == link[2]}
        verb = link[1].split(" . ")[0]
        free = [role for role in ("agent", "theme", "recipient") if f"{verb} . {role}" not in own]
        if not free:
            return None
        return self._put(atoms, atom, f"{verb} . {self._random.choice(free)} ( x _ {link[2]} , {link[3]} )")

    def attachment(self, atoms: list[str]) -> list[str] | None:
        """Hang a modifier from another noun."""
        links = [(atom, link) for atom, link in self._all(atoms) if ". nmod" in atom and self._is_free(atom)]
        nouns = [noun for atom in atoms if (noun := _NOUN.fullmatch(atom))]
        for atom, link in self._random.sample(links, len(links)):
            others = [n for n in nouns if n[3] != link[2] and f"x _ {n[3]}" != link[3] and n[2] not in link[1].split()]
            others = [n for n in others if not any(a.startswith(f"{n[2]} . nmod") for a in atoms)]
            if others:
                noun = self._random.choice(others)
                label = " . ".join(link[1].split(" . ")[1:])
                return self._put(atoms, atom, f"{noun[2]} . {label} ( x _ {noun[3]} , {link[3]} )")
        return None

    def binding(self, atoms: list[str]) -> list[str] | None:
        """Fill a role with another noun of the form."""
        links = self._links(atoms, "agent", "theme", "recipient")
        nouns = [f"x _ {noun[3]}" for atom in atoms if (noun := _NOUN.fullmatch(atom))]
        for atom, link in self._random.sample(links, len(links)):
            own = {other[3] for _, other in self._all(atoms) if other[2] == link[2]}
            others = [noun for noun in nouns if noun not in own]
            if others and link[3] != "?" and link[3].startswith("x"):
                return self._put(atoms, atom, f"{link[1]} ( x _ {link[2]} , {self._random.choice(others)} )")
        return None

    def question(self, atoms: list[str]) -> list[str] | None:
        """Write a variable in place of a question mark."""
        asked = [(atom, link) for atom, link in self._all(atoms) if link[3] == "?" and self._is_free(atom)]
        if not asked:
            return None
        atom, link = asked[0]
        return self._put(atoms, atom, f"{link[1]} ( x _ {link[2]} , x _ 90 )")

    def definiteness(self, atoms: list[str]) -> list[str] | None:
        """Make a definite noun indefinite, or the other way round."""
        nouns = [atom for atom in atoms if _NOUN.fullmatch(atom) and self._is_free(atom)]
        if not nouns:
            return None
        old = self._random.choice(nouns)
        new = old[2:] if old.startswith("*") else f"* {old}"
        self._fixed.add(new)
        rest = [atom for atom in atoms if atom != old]
        return [new, *rest] if new.startswith("*") else [*rest, new]

    def missing(self, atoms: list[str]) -> list[str] | None:
        """Leave out a conjunct, but not the word that it is about."""
        links = [(a, k) for a, k in self._links(atoms, "agent", "theme", "recipient") if k[3].startswith("x")]
        links = [(a, k) for a, k in links if sum(k[3] in re.findall(r"x _ \d+", other) for other in atoms) > 1]
        links = [(a, k) for a, k in links if sum(f"( x _ {k[2]} ," in other for other in atoms) > 1]
        if not links:
            return None
        gone = self._random.choice(links)[0]
        return [atom for atom in atoms if atom != gone]

    def extra(self, atoms: list[str]) -> list[str] | None:
        """Add a role that the event does not have."""
        links = self._links(atoms, "agent", "theme", "recipient")
        nouns = [f"x _ {noun[3]}" for atom in atoms if (noun := _NOUN.fullmatch(atom))]
        for _, link in self._random.sample(links, len(links)):
            verb, own = link[1].split(" . ")[0], [other for _, other in self._all(atoms) if other[2] == link[2]]
            others = [noun for noun in nouns if noun not in {other[3] for other in own}]
            if others:
                free = [r for r in ("agent", "theme", "recipient") if f"{verb} . {r}" not in {o[1] for o in own}]
                if free:
                    new = f"{verb} . {free[0]} ( x _ {link[2]} , {self._random.choice(others)} )"
                    self._fixed |= {new, *(atom for atom, other in self._all(atoms) if other[2] == link[2])}
                    return [*atoms, new]
        return None

    def repetition(self, atoms: list[str]) -> list[str] | None:
        """Write a conjunct twice."""
        links = [atom for atom, _ in self._all(atoms) if self._is_free(atom)]
        if not links:
            return None
        again = self._random.choice(links)
        return [one for atom in atoms for one in ([atom, atom] if atom == again else [atom])]

    def _cut(self, text: str) -> str | None:
        words = text.split()
        last = max((text.index(atom) + len(atom) for atom in self._fixed if atom in text), default=0)
        first = max(len(words) * 2 // 5, len(text[:last].split()) + 2)
        return None if first > len(words) - 3 else " ".join(words[: self._random.randint(first, len(words) - 3)])

    def _is_free(self, atom: str) -> bool:
        return atom not in self._fixed

    def _all(self, atoms: list[str]) -> list[tuple[str, re.Match[str]]]:
        return [(atom, link) for atom in atoms if (link := _LINK.fullmatch(atom))]

    def _links(self, atoms: list[str], *roles: str) -> list[tuple[str, re.Match[str]]]:
        return [(a, link) for a, link in self._all(atoms) if link[1].split(" . ")[1] in roles and self._is_free(a)]

    def _put(self, atoms: list[str], old: str, new: str) -> list[str]:
        self._fixed.add(new)
        return [new if atom == old else atom for atom in atoms]


def _joined(atoms: Sequence[str]) -> str:
    definite = [atom for atom in atoms if atom.startswith("*")]
    others = " AND ".join(atom for atom in atoms if not atom.startswith("*"))
    return " ; ".join([*definite, others] if others else definite)
