"""Write the forms of ReCOGS: one statement for every word, names included.

``The baby on a tray saw Emma``, by positions::

    * baby ( 1 ) ; tray ( 4 ) ; Emma ( 6 ) ; nmod . on ( 1 , 4 )
    AND see ( 5 ) AND agent ( 5 , 1 ) AND theme ( 5 , 6 )

Version 2 has random numbers in place of positions; version 1 also has all modifiers before the first verb.  Here the
numbers 0 to 59 are sorted by SHA-256 of seed, positional form and number, and assigned as variables first occur.
Questions and relative clauses follow the spirit of ReCOGS: ``?`` is a name, and ``nmod ( noun , verb )`` a relative
clause.  Form: Wu, Manning & Potts 2023, *ReCOGS*.
"""

import re
from collections.abc import Callable
from hashlib import sha256

from sgl.rendering.meaning import CLOSE, EVENT, OPEN, PART, Meaning, View, ViewError, register

#: The variables of versions 1 and 2 are below this number, and this seed decides their order.
VARIABLES, SEED = 60, 0

_NUMBERS = [str(number) for number in range(VARIABLES)]
_NUMBERED = re.compile(f"{OPEN}([0-9]+){CLOSE}")


def recogs(meaning: Meaning) -> str:
    """Return the positional ReCOGS form; raises ``ViewError`` if a word has no token of its own."""
    return _own_function(meaning) or _recogs(meaning, lambda number: meaning.position[number])


def unfinished(meaning: Meaning, *, modifiers_first: bool = False) -> str:
    """Return the form with marks for variables, then the positional form; raises ``ViewError``."""
    positional = recogs(meaning)
    if _own_function(meaning):
        return positional
    if len(meaning.nodes) > VARIABLES:
        raise ViewError(f"ReCOGS has no more than {VARIABLES} variables")
    things = [number for number in meaning.nodes if meaning.type[number] != EVENT]
    events = [number for number in meaning.nodes if meaning.type[number] == EVENT]
    mark = {number: f"{OPEN}{rank}{CLOSE}" for rank, number in enumerate([*things, *events])}
    form = _recogs(meaning, mark.__getitem__, modifiers_first=modifiers_first)
    return f"{form}{PART}{positional}"


def version_1(meaning: Meaning) -> str:
    """Return the unfinished form with all modifiers before the first verb."""
    return unfinished(meaning, modifiers_first=True)


def _numbered(unfinished: str) -> str:
    form, _, positional = unfinished.partition(PART)
    if not positional:
        return form
    seeded = sha256(f"{SEED} {positional} ".encode())
    digests: dict[str, bytes] = {}
    for number in _NUMBERS:
        digest = seeded.copy()
        digest.update(number.encode())
        digests[number] = digest.digest()
    numbers = sorted(_NUMBERS, key=digests.__getitem__)
    return _NUMBERED.sub(lambda mark: numbers[int(mark[1])], form)


def _recogs(meaning: Meaning, variable: Callable[[int], object], *, modifiers_first: bool = False) -> str:
    positions = [meaning.position[number] for number in meaning.nodes]
    if positions[0] < 0 or len(set(positions)) < len(positions):
        raise ViewError("each word of a ReCOGS form needs a token of its own")

    def statement(number: int) -> str:
        star = "* " if meaning.definite[number] else ""
        word = meaning.constant(number) or meaning.lemma[number]
        return f"{star}{word} ( {variable(number)} )"

    things = [number for number in meaning.nodes if meaning.type[number] != EVENT]
    events = [number for number in meaning.nodes if meaning.type[number] == EVENT]
    statements = [statement(number) for number in things]
    atoms: list[str] = []
    for number in things + events if modifiers_first else meaning.nodes:
        atoms += [statement(number)] if meaning.type[number] == EVENT else []
        for label, target in meaning.edges[number]:
            atoms.append(f"{label.replace(':', ' . ')} ( {variable(number)} , {variable(target)} )")
    return " ; ".join([*statements, " AND ".join(atoms)] if atoms else statements)


def _own_function(meaning: Meaning) -> str:
    number = meaning.nodes[0]
    if not meaning.open[number]:
        return ""
    event = f"{meaning.lemma[number]} ( e )"
    return meaning.function(number, lambda role, variable: f"{role} ( e , {variable} )", event)


register(View("recogs", "the ReCOGS form with positions as variables", recogs))
register(
    View("recogs_v1", "the ReCOGS form, version 1: random variables, modifiers first", version_1, finish=_numbered)
)
register(View("recogs_v2", "the ReCOGS form, version 2: random variables", unfinished, finish=_numbered))
