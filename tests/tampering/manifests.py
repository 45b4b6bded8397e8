"""The manifest changed: other claims, other counts, another form.

A manifest that claims *less* than the original is true of the data; nothing in the files
contradicts it, and the list says so.  That a claim has gone is seen by whoever compares
the manifest with the grammar, to which its fingerprint belongs.
"""

from __future__ import annotations

import copy as copying
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tampering.copy import MANIFEST, Copy, Tampering

Change = Callable[[dict[str, Any]], None]

READABLE, FILES, ROWS, STRUCTURES = "V001", "V002", "V003", "V004"
STRATA, HELD_OUT, RESERVED, EXPOSURES = "V008", "V009", "V010", "V016"
LICENSED, INSTANCES, EXCLUDED, QUOTAS = "V012", "V013", "V014", "V016"

#: A structure of nearly every sentence, and one of none.
COMMON = "{ V -[punct]-> P }"
NONE = "{ V -[vocative]-> N }"

LESS = "the manifest claims less than the certificate"
UNUSED = "no claim depends on it"


def tamperings(copy: Copy) -> Iterator[Tampering]:
    """All of these ways of tampering with a dataset."""
    yield from _form(copy)
    yield from _counts()
    names = [p["name"] for p in copy.manifest["patterns"]]
    exposing = [p["name"] for p in copy.manifest["patterns"] if p["expose"]]
    for name in dict.fromkeys((names[0], names[len(names) // 2], names[-1])):
        yield from _claims(name)
    for name in dict.fromkeys((*exposing[:1], *exposing[-1:])):
        yield from _exposures(name)
    yield from _weaker(names, exposing)


def _form(copy: Copy) -> Iterator[Tampering]:
    kind = "manifest: form"
    claim = "the manifest cannot be read"
    for member in sorted(copy.manifest):
        if member in ("format", "name", "identity", "layers", "distinct", "splits", "patterns"):
            act = partial(_without, member)
            yield Tampering(kind, f"no {member}", claim, READABLE, act)
    changes: dict[str, Change] = {
        "another format": lambda m: m.update(format="sgl-dataset/9"),
        "a negative count": lambda m: m["splits"]["train"].update(items=-1),
        "a count in words": lambda m: m["splits"]["train"].update(items="many"),
        "a pattern twice": lambda m: m["patterns"].append(m["patterns"][0]),
        "an unknown pattern allowed": lambda m: m["patterns"][0]["allow"].append("nobody"),
        "an unknown split": lambda m: m["splits"].update(more=m["splits"]["dev"]),
        "another layer": lambda m: m["distinct"].update(layer="sem"),
    }
    for name, change in changes.items():
        yield Tampering(kind, name, claim, READABLE, partial(_edit, change))
    for name, text in (("empty", ""), ("cut", '{"format": '), ("a list", "[]"), ("NUL", "\x00")):
        yield Tampering(kind, name, claim, READABLE, partial(_overwrite, text))


def _edit(change: Change, copy: Copy) -> None:
    before = copying.deepcopy(copy.manifest)
    change(copy.manifest)
    if copy.manifest == before:
        raise ValueError("nothing was changed")
    copy.save()


def _without(member: str, copy: Copy) -> None:
    _edit(lambda manifest: manifest.pop(member), copy)


def _overwrite(text: str, copy: Copy) -> None:
    (copy.directory / MANIFEST).write_text(text, "utf-8")


def _counts() -> Iterator[Tampering]:
    kind = "manifest: counts"
    changes: dict[str, tuple[str, Change]] = {
        "another hash": (FILES, lambda m: m["files"][0].update(sha256="0" * 64)),
        "a file less": (FILES, lambda m: m["files"].pop()),
        "a file twice": (FILES, lambda m: m["files"].append(m["files"][0])),
        "a file elsewhere": (FILES, lambda m: m["files"][0].update(path="../train.tsv")),
        "other rows": (ROWS, lambda m: m["files"][0].update(rows=1)),
        "other items": (STRATA, lambda m: m["splits"]["train"].update(items=1)),
        "another count": (STRATA, lambda m: m["splits"]["gen"]["strata"][0].update(count=1)),
        "another category": (STRATA, lambda m: m["splits"]["dev"]["strata"][0].update(category="x")),
        "a part less": (STRATA, lambda m: m["splits"]["train"]["strata"].pop()),
        "a split less": (FILES, lambda m: m["splits"].pop("dev")),
        "texts exchanged": ("V025", lambda m: m["layers"].update(source="ja", target="en")),
    }
    for name, (expected, change) in changes.items():
        claim = "the manifest does not fit the files"
        yield Tampering(kind, name, claim, expected, partial(_edit, change))


def _pattern(name: str, change: Change, copy: Copy) -> None:
    def edit(_: dict[str, Any]) -> None:
        change(copy.pattern(name))

    _edit(edit, copy)


def _claims(pattern: str) -> Iterator[Tampering]:
    """Claims that the data does not keep."""
    changes: dict[str, tuple[str, Change]] = {
        "holds out more": (HELD_OUT, lambda p: p["forbid"].append(COMMON)),
        "never more": (HELD_OUT, lambda p: p["never"].append(COMMON)),
        "reserves more": (RESERVED, lambda p: p["reserved"].append(COMMON)),
        "needs more": (LICENSED, lambda p: p["need"].append({"structure": NONE, "minimum": 1})),
        "needs it more often": (LICENSED, lambda p: p["need"][0].update(minimum=10**6)),
        "other items": (INSTANCES, lambda p: p.update(gen=[NONE])),
        "excludes more": (EXCLUDED, lambda p: p["exclude"].append(COMMON)),
        "another quota": (QUOTAS, lambda p: p["quotas"][0]["extent"].update(copies=2)),
        "a quota within": (QUOTAS, lambda p: p["quotas"][0].update(within=[*p["quotas"][0].get("within", ()), NONE])),
        "unreadable": (STRUCTURES, lambda p: p["forbid"].append("{ V -[obj-> N }")),
        "about another layer": (STRUCTURES, lambda p: p.update(layer="sem")),
    }
    for name, (expected, change) in changes.items():
        act = partial(_pattern, pattern, change)
        claim = "the data does not keep this claim"
        yield Tampering("manifest: claims", f"{pattern}: {name}", claim, expected, act)


def _exposures(pattern: str) -> Iterator[Tampering]:
    changes: dict[str, Change] = {
        "one more": lambda p: p["expose"][0]["extent"].update(count=p["expose"][0]["extent"]["count"] + 1),
        "one less": lambda p: p["expose"][0]["extent"].update(count=p["expose"][0]["extent"]["count"] - 1),
        "of something else": lambda p: p["expose"][0].update(structure=NONE),
        "another kind": lambda p: p["expose"].append({"structure": NONE, "extent": {"count": 1}}),
    }
    for name, change in changes.items():
        act = partial(_pattern, pattern, change)
        claim = "the data does not have these exposures"
        yield Tampering("manifest: exposures", f"{pattern}: {name}", claim, EXPOSURES, act)


def _weaker(names: list[str], exposing: list[str]) -> Iterator[Tampering]:
    """Claims that have gone, and members that say nothing of claims."""
    kind = "manifest: less"
    weaker: dict[str, Change] = {
        "needs nothing": lambda p: p.update(need=[]),
        "needs less": lambda p: p["need"][0].update(minimum=1),
        "allows more": lambda p: p["allow"].append(names[-1]),
    }
    for name, change in weaker.items():
        act = partial(_pattern, names[0], change)
        yield Tampering(kind, f"{names[0]}: {name}", LESS, "V025", act)
    for name in exposing[:1]:
        act = partial(_pattern, name, lambda p: p.update(reserved=[]))
        yield Tampering(kind, f"{name}: reserves nothing", LESS, "V025", act)
    whole: dict[str, tuple[str, Change]] = {
        "lemmas may be repeated": (LESS, lambda m: m["distinct"].update(lemmas=[])),
        "sentences may be repeated": (LESS, lambda m: m["distinct"].update(sentences=False)),
        "another title": (UNUSED, lambda m: m.update(title="Something else")),
        "another number of candidates": (UNUSED, lambda m: m["splits"]["train"]["strata"][0].update(candidates=1)),
    }
    for name, (why, change) in whole.items():
        expected = "V025" if why == LESS else ""
        yield Tampering(kind, name, why, expected, partial(_edit, change))
