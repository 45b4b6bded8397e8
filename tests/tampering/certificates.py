"""The certificate changed, with its new hash in the manifest.

Everything that a certificate says is changed in turn: the grammar, a structure, its
automaton, a split, a claim, its invariant.  Some changes are harmless; a certificate that
says a thing twice, or in another order, is still right.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from random import Random
from typing import Any

from tampering.copy import Copy, Tampering

CERTIFICATE = "certificate.json"
EXPECTED = "V025"

Json = Any
Change = Callable[[Json], None]

#: Of each kind of thing that a certificate lists, so many are changed.
MOST = 6

#: How often things of each kind are drawn: the grammar, structures, splits, claims, harmless.
SHARES = (1, 4, 2, 4, 1)


def tamperings(copy: Copy) -> Iterator[Tampering]:
    """All of these ways of tampering with a certificate."""
    path = copy.directory / CERTIFICATE
    content = json.loads(path.read_text("utf-8"))
    for name, text in (("empty", ""), ("cut", path.read_text("utf-8")[:200]), ("a list", "[]")):
        claim = "the certificate cannot be read"
        yield Tampering("certificate: form", name, claim, EXPECTED, partial(_overwrite, text))
    claim = "what the manifest calls proved is not shown"
    yield Tampering("certificate: form", "away with its entry", claim, EXPECTED, _away)
    yield from _grammar(content)
    for number, structure in list(enumerate(content["structures"]))[:MOST]:
        yield from _structure(number, structure)
    for number in range(min(MOST, len(content["splits"]))):
        yield from _split(number, content)
    for number in _chosen(content):
        yield from _claim(number, content)
    yield from _harmless()
    reason = "the manifest calls nothing proved any more, and rows are drawn from nothing"
    name = "away, and the word `proved` too"
    yield Tampering("certificate: form", name, reason, "V030", _disclaimed)


def drawn(content: Json, count: int, seed: int) -> list[Tampering]:
    """So many different ways of tampering, with any structure, split or claim."""
    rng = Random(seed)  # noqa: S311 - a choice of tests
    found: dict[str, Tampering] = {}
    for _ in range(100 * count):
        if len(found) == count:
            break
        tampering = rng.choice(list(_drawn(content, rng)))
        found.setdefault(f"{tampering.kind} · {tampering.name}", tampering)
    return list(found.values())


def _drawn(content: Json, rng: Random) -> Iterator[Tampering]:
    """All ways of tampering with one thing."""
    (kind,) = rng.choices(("grammar", "structures", "splits", "claims", "harmless"), SHARES)
    if kind == "grammar":
        return _grammar(content)
    if kind == "harmless":
        return _harmless()
    number = rng.randrange(len(content[kind]))
    if kind == "structures":
        return _structure(number, content[kind][number], rng)
    return _split(number, content) if kind == "splits" else _claim(number, content, rng)


def _some(count: int, rng: Random | None) -> Iterable[int]:
    """The numbers of some of so many things: the first, or any."""
    return range(min(MOST, count)) if rng is None else rng.sample(range(count), min(MOST, count))


def _away(copy: Copy) -> None:
    (copy.directory / CERTIFICATE).unlink()
    files = copy.manifest["files"]
    copy.manifest["files"] = [entry for entry in files if entry["path"] != CERTIFICATE]
    copy.save()


def _disclaimed(copy: Copy) -> None:
    _away(copy)
    stated = copy.manifest["guarantees"]
    copy.manifest["guarantees"] = [one for one in stated if one["method"] != "static"]
    copy.save()


def _chosen(content: Json) -> list[int]:
    """The numbers of some claims of each kind."""
    of_kind: dict[str, list[int]] = {}
    for number, (_, word, kind, *_) in enumerate(content["claims"]):
        of_kind.setdefault(f"{word} {kind}", []).append(number)
    return [number for numbers in of_kind.values() for number in numbers[:MOST]]


def _make(kind: str, name: str, claim: str, change: Change) -> Tampering:
    return Tampering(f"certificate: {kind}", name, claim, EXPECTED, partial(_edit, change))


def _edit(change: Change, copy: Copy) -> None:
    path = copy.directory / CERTIFICATE
    before = path.read_text("utf-8")
    content = json.loads(before)
    change(content)
    after = json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"
    if before == after:
        raise ValueError("nothing was changed")
    _overwrite(after, copy)


def _overwrite(text: str, copy: Copy) -> None:
    (copy.directory / CERTIFICATE).write_text(text, "utf-8")
    copy.rehash()


def _grammar(content: Json) -> Iterator[Tampering]:
    """Members that are missing or of another kind."""
    for member in content:
        yield _make("form", f"no {member}", "it is not complete", lambda c, m=member: c.pop(m))
    changes: dict[str, Change] = {
        "another format": lambda c: c.update(format="sgl-certificate/9"),
        "another digest": lambda c: c.update(digest="0" * 64),
        "another start": lambda c: _core(c).update(start=_core(c)["start"] + 1),
        "another weight": lambda c: _core(c)["rules"][0].__setitem__(3, "0.123"),
        "another seed": lambda c: c.update(seed=c["seed"] + 1),
        "a member more": lambda c: c.update(note="nothing"),
        "a symbol of another category": _joined,
        "another port": _digested(lambda c: _fragment(c)["exports"].append(0)),
        "a node without a label": _digested(_unlabelled),
        "a label more": _digested(lambda c: _node(c)[0].append(["lemma", "nobody"])),
    }
    for name, change in changes.items():
        yield _make("grammar", name, "the grammar is another one", change)


def _core(content: Json) -> Json:
    return content["core"]["grammar"]


def _fragment(content: Json) -> Json:
    """The effect of the last rule in the first graph layer."""
    return _core(content)["rules"][-1][-1][0]


def _node(content: Json) -> Json:
    return _fragment(content)["nodes"][0]


def _unlabelled(content: Json) -> None:
    _node(content)[0] = None


def _joined(content: Json) -> None:
    """Give two rules of other categories one symbol."""
    content["symbols"][0] = content["symbols"][-1]


def _digested(change: Change) -> Change:
    """Make a change of the core, and compute the digest again."""

    def both(content: Json) -> None:
        change(content)
        options: Json = {"ensure_ascii": False, "sort_keys": True, "separators": (",", ":")}
        core = json.dumps(content["core"], **options)
        content["digest"] = hashlib.sha256(core.encode()).hexdigest()

    return both


def _structure(number: int, structure: Json, rng: Random | None = None) -> Iterator[Tampering]:
    def of(content: Json) -> Json:
        return content["structures"][number]

    kind, what = "structure", f"structure {number}"
    claim = "the automaton does not find the structure"
    changes: dict[str, Change] = {
        "accepts nothing": lambda c: of(c).update(accepting=[]),
        "another notation": lambda c: of(c).update(name="{ V -[vocative]-> N }"),
        "a condition more": lambda c: of(c)["bodies"][0]["tests"].append(
            [of(c)["bodies"][0]["variables"][0], "lemma", [0, ["nobody"]]]
        ),
    }
    if structure["transitions"]:
        changes["no transitions"] = lambda c: of(c).update(transitions=[])
    if structure["transitions"] and 0 not in structure["accepting"]:
        changes["accepts the usual state"] = lambda c: of(c)["accepting"].append(0)
    for index in _some(len(structure["transitions"]), rng):
        changes[f"transition {index} away"] = lambda c, i=index: of(c)["transitions"].pop(i)
    if structure["bodies"][0]["links"]:
        changes["another label"] = lambda c: of(c)["bodies"][0]["links"][0].__setitem__(1, [0, ["x"]])
        changes["a link less"] = lambda c: of(c)["bodies"][0]["links"].pop()
    for name, change in changes.items():
        yield _make(kind, f"{what}: {name}", claim, change)


def _split(number: int, content: Json) -> Iterator[Tampering]:
    split = content["splits"][number]
    what = f"split {number}"

    def of(c: Json) -> Json:
        return c["splits"][number]

    states: list[int] = split["states"]
    other = next(q for q in range(len(states)) if states[q] != _core(content)["start"])
    changes: dict[str, Change] = {
        "a root that is no text": lambda c: of(c)["roots"].append(other),
        "a stratum less": lambda c: of(c)["strata"].pop(),
        "another stratum": lambda c: of(c)["strata"].__setitem__(0, 0 if of(c)["strata"][0] else 1),
        "a transition of other categories": lambda c: of(c)["transitions"].append(
            [of(c)["transitions"][-1][0], other, *of(c)["transitions"][-1][2:]]
        ),
        "a symbol that is not there": lambda c: of(c)["transitions"][0].__setitem__(0, 10**6),
        "no roots": lambda c: of(c).update(roots=[]),
        "a transition less": lambda c: of(c)["transitions"].pop(),
        "another state of the sampler": lambda c: of(c)["drawn"][0].reverse(),
        "a choice less": lambda c: _drop_choice(c, of(c)["drawn"][0][0]),
    }
    for name, change in changes.items():
        yield _make("split", f"{what}: {name}", "the split is not of the grammar", change)


def _drop_choice(content: Json, state: int) -> None:
    for column in content["sampler"]["states"][state]:
        column.pop()


def _claim(number: int, content: Json, rng: Random | None = None) -> Iterator[Tampering]:
    _, word, kind, _, _, evidence = content["claims"][number]
    what = f"claim {number} ({word}: {kind})"

    def of(c: Json) -> Json:
        return c["claims"][number]

    changes: dict[str, Change] = {
        "of a structure that is not there": lambda c: of(c).__setitem__(4, [10**6]),
        "of another word": lambda c: of(c).__setitem__(1, "proved"),
    }
    if (word, kind) != ("disjoint", "requires") or evidence is not None:
        changes["away"] = lambda c: c["claims"].pop(number)
    if kind != "requires":
        changes["of another pattern"] = lambda c: of(c).__setitem__(0, "nobody")
    if kind == "contains":
        changes["another derivation"] = lambda c: of(c)[5].pop()
        changes["no derivation"] = lambda c: of(c).__setitem__(5, [])
    elif kind in ("excludes", "requires") and evidence is not None:
        opposite = {"excludes": "requires", "requires": "excludes"}[kind]
        changes["the opposite"] = lambda c: of(c).__setitem__(2, opposite)
        for index in _some(len(evidence), rng):
            changes[f"without entry {index}"] = lambda c, i=index: of(c)[5].pop(i)
        if kind == "excludes" and _leaking_step(number, content) is not None:
            changes["a leak"] = partial(leak, number)
    for name, change in changes.items():
        yield _make("claim", f"{what}: {name}", "the claim is not shown", change)


def leak(number: int, content: Json) -> None:
    """Let the split of a claim use a phrase where only another of its category may stand."""
    step = _leaking_step(number, content)
    if step is None:
        raise ValueError("no phrase can stand elsewhere")
    split = content["claims"][number][3]
    content["splits"][split]["transitions"].append(step)


def _leaking_step(number: int, content: Json) -> list[int] | None:
    """A transition with such a phrase, if there is one."""
    *_, split, _, invariant = content["claims"][number]
    part = content["splits"][split]
    states, known = part["states"], {tuple(step) for step in part["transitions"]}
    special = {entry[0] for entry in invariant}
    for symbol, result, *children in part["transitions"]:
        for place, child in enumerate(children):
            for state in () if result in special else special:
                step = (symbol, result, *children[:place], state, *children[place + 1 :])
                if states[state] == states[child] and step not in known:
                    return [*step]
    return None


def _harmless() -> Iterator[Tampering]:
    changes: dict[str, tuple[str, Change]] = {
        "a claim twice": ("it is shown twice", lambda c: c["claims"].append(c["claims"][0])),
        "claims in another order": ("they are the same", lambda c: c["claims"].sort(key=str)),
    }
    for name, (reason, change) in changes.items():
        yield Tampering("certificate: harmless", name, reason, "", partial(_edit, change))
