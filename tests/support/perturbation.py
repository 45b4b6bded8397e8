"""Change COGS logical forms as texts: keep what they mean, or lose it on purpose.

``perturbed`` gives the variables other numbers and shuffles the conjuncts, so the result
means the same.  ``mutants`` are forms that mean something else::

    * cat ( x _ 1 ) ; see . agent ( x _ 2 , x _ 1 ) AND see . theme ( x _ 2 , Tom )
    roles swapped    see . theme ( x _ 2 , x _ 1 ) AND see . agent ( x _ 2 , Tom )
    definiteness     cat ( x _ 1 ) AND see . agent ...
    edge dropped     * cat ( x _ 1 ) ; see . agent ( x _ 2 , x _ 1 )

All of this works on the text and uses no reader of logical forms.
"""

from __future__ import annotations

import re
from random import Random

#: The kinds of mutants, in the order of the tables.
KINDS = ("roles swapped", "definiteness", "edge dropped")

_VARIABLE = re.compile(r"x _ (\d+)")
_BINDER = re.compile(r"LAMBDA (\w+) \. ")
_SWAP = {"agent": "theme", "theme": "agent"}
_SWAPPED = re.compile(r"\. (agent|theme) \(")


def perturbed(text: str, random: Random) -> str:
    """A form that means the same: new numbers, new order; binders get other letters."""
    if text.startswith("LAMBDA"):
        return _perturbed_function(text, random)
    found = sorted(set(_VARIABLE.findall(text)))
    numbers = dict(zip(found, random.sample(range(1, 70), len(found)), strict=True))
    renamed = _VARIABLE.sub(lambda match: f"x _ {numbers[match[1]]}", text)
    definites, atoms = _parts(renamed)
    random.shuffle(definites)
    random.shuffle(atoms)
    return _form(definites, atoms)


def mutants(text: str, random: Random) -> dict[str, str]:
    """Forms that mean something else, by kind; a kind that is not possible is left out."""
    if text.startswith("LAMBDA"):
        found = {"roles swapped": _SWAPPED.sub(_swap, text)}
    else:
        definites, atoms = _parts(text)
        found = {
            "roles swapped": _form(definites, _swapped(atoms, random)),
            "definiteness": _flipped(definites, atoms, random),
            "edge dropped": _dropped(definites, atoms, random),
        }
    return {kind: mutant for kind, mutant in found.items() if mutant not in ("", text)}


def _parts(text: str) -> tuple[list[str], list[str]]:
    pieces = text.split(" ; ")
    definites = [piece for piece in pieces if piece.startswith("* ")]
    return definites, [a for piece in pieces[len(definites) :] for a in piece.split(" AND ")]


def _form(definites: list[str], atoms: list[str]) -> str:
    return " ; ".join([*definites, " AND ".join(atoms)] if atoms else definites)


def _perturbed_function(text: str, random: Random) -> str:
    binders = _BINDER.findall(text)
    letters = dict(zip(binders, random.sample("fghijkl", len(binders)), strict=True))
    atoms = _BINDER.sub("", text).split(" AND ")
    random.shuffle(atoms)
    # Only arguments stand between brackets.
    body = re.sub(
        r"\( (.*?) \)",
        lambda match: f"( {' , '.join(letters[v] for v in match[1].split(' , '))} )",
        " AND ".join(atoms),
    )
    return "".join(f"LAMBDA {letters[binder]} . " for binder in binders) + body


def _swap(match: re.Match[str]) -> str:
    return f". {_SWAP[match[1]]} ("


def _swapped(atoms: list[str], random: Random) -> list[str]:
    """The agent and the theme of one verb change places."""
    verbs = sorted({_VARIABLE.findall(atom)[0] for atom in atoms if _SWAPPED.search(atom)})
    if not verbs:
        return atoms
    begins = f"( x _ {random.choice(verbs)} ,"
    return [_SWAPPED.sub(_swap, atom) if begins in atom else atom for atom in atoms]


def _flipped(definites: list[str], atoms: list[str], random: Random) -> str:
    """One noun becomes definite, or loses its definiteness."""
    indefinites = [atom for atom in atoms if " . " not in atom]
    nouns = [*definites, *indefinites]
    if not nouns:
        return ""
    noun = random.choice(nouns)
    if noun in definites:
        return _form([d for d in definites if d != noun], [noun.removeprefix("* "), *atoms])
    return _form([*definites, f"* {noun}"], [atom for atom in atoms if atom != noun])


def _dropped(definites: list[str], atoms: list[str], random: Random) -> str:
    """One role or modifier is gone."""
    edges = [rank for rank, atom in enumerate(atoms) if " . " in atom]
    if not edges:
        return ""
    gone = random.choice(edges)
    return _form(definites, atoms[:gone] + atoms[gone + 1 :])
