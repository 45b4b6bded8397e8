"""Datasets and certificates that somebody else has written, or has changed."""

from __future__ import annotations

import json
from functools import cache
from hashlib import sha256
from random import Random

from fuzz import seeds
from fuzz.case import LINK, PIPE, Case
from fuzz.mutation import bytes_mutated, json_mutated, tokens_mutated
from fuzz.targets.target import Target, lines, shown
from sgl.verify import certificate_faults

_MANIFEST, _CERTIFICATE, _SUMS = "ds/manifest.json", "ds/certificate.json", "ds/SHA256SUMS"

_TEXTS = (
    *("data/gen.tsv", "../../etc/passwd", "/etc/passwd", "gen", "en", "sha256:0", "pp_in_subject"),
    *("{ V -[nsubj]-> N }", "{ V -[*]-> N }", "{ A -[*]-> B; C -[*]-> D; E -[*]-> F; G -[*]-> H }"),
    *("{ N[#nmod>=1000000000] }", "{ V -[x]{1,99999999}-> N }", "proved", "static", "|", "\u202e"),
)

_USES: tuple[tuple[tuple[str, ...], ...], ...] = (
    (("verify", "ds", "--workers", "1"),),
    (("verify", "ds", "--workers", "1"),),
    (("verify", "ds", "--workers", "1", "--json"),),
    (("verify", "ds", "--signature", "sgl:x", "--workers", "1"),),
    (("eval", "ds", "p.txt", "--samples", "100"),),
    (("eval", "ds", "p.txt", "--samples", "100", "--grammar", "farm.sgl"),),
    (("split", "ds", "--out", "sp", "--moves", "2"),),
    (("split", "--report", "ds"),),
    (("prove", "farm.sgl", "--data", "ds"),),
    (("compile", "farm.sgl", "--out", "ds"),),
    (("compile", "farm.sgl", "--out", "ds", "--force"),),
    (("verify", "ds", "--grammar", "farm.sgl", "--workers", "1"),),
)


def _dataset(random: Random) -> Case:
    files = dict(seeds.dataset())
    places: dict[str, str] = {}
    for _ in range(random.choice((1, 1, 1, 2))):
        _change(random, files, places)
    if random.random() < 0.6:
        _settle(files, manifest=random.random() < 0.8)
    gold = seeds.dataset()["ds/data/gen.tsv"].decode().splitlines()
    predictions = lines([*(line.split("\t")[1] for line in gold), ""]).encode()
    uses = _USES[:-3] if random.random() < 0.8 else _USES
    return Case({**seeds.barn(), **files, "p.txt": predictions}, random.choice(uses), places)


def _change(random: Random, files: dict[str, bytes], places: dict[str, str]) -> None:
    """Change one file, mostly the manifest."""
    name = random.choice((_MANIFEST, _MANIFEST, _MANIFEST, *files))
    content = files.get(name, b"")
    change = random.random()
    if change < 0.06:
        targets = ("/dev/zero", "/dev/null", "..", name.rpartition("/")[2], "../farm.sgl", "/proc/self/mem")
        places[name] = random.choice((PIPE, *(LINK + target for target in targets)))
    elif change < 0.1:
        files.pop(name, None)
    elif change < 0.14:
        files["ds/" + random.choice(("x", "data/x.tsv", "data/gen.tsv/x", ".x"))] = content
    elif name.endswith(".json") and change < 0.8:
        files[name] = json_mutated(random, content, _TEXTS)
    elif name.endswith((".tsv", ".conllu", _SUMS)) and change < 0.6:
        text = tokens_mutated(random, content.decode("utf-8", "replace"), ("\t", "\n", "犬", "_", "0", "-1"))
        files[name] = text.encode("utf-8", "replace")
    else:
        files[name] = bytes_mutated(random, content, tuple(files.values()))
    if "ds/data/gen.tsv/x" in files:
        files.pop("ds/data/gen.tsv", None)


def _settle(files: dict[str, bytes], *, manifest: bool) -> None:
    """Write the hashes anew, as a forger would, so that more than they is looked at."""
    if manifest:
        try:
            content = json.loads(files[_MANIFEST])
            for entry in content["files"]:
                entry["sha256"] = sha256(files[f"ds/{entry['path']}"]).hexdigest()
            files[_MANIFEST] = json.dumps(content, ensure_ascii=False).encode("utf-8", "surrogatepass")
        except (ValueError, LookupError, TypeError, RecursionError):
            pass
    names = sorted(name for name in files if name.startswith("ds/") and name != _SUMS)
    sums = (f"{sha256(files[name]).hexdigest()}  {name.removeprefix('ds/')}" for name in names)
    files[_SUMS] = lines([*sums, ""]).encode("utf-8", "surrogatepass")


# ---- certificates


@cache
def _certificates() -> tuple[bytes, ...]:
    return (seeds.dataset()[_CERTIFICATE],)


def _certificate(random: Random) -> Case:
    content = random.choice(_certificates())
    if random.random() < 0.85:
        content = json_mutated(random, content, ("syn", "en", "train", "S", "proved", "NP", "lemma"))
    else:
        content = bytes_mutated(random, content, _certificates())
    commands = (("verify", "c.json"),) if random.random() < 0.05 else ()
    return Case({"c.json": content}, commands)


def _read_certificate(case: Case) -> tuple[str, bool]:
    faults = certificate_faults(case.files["c.json"])
    return shown(faults), not faults


TARGETS = (
    Target("datasets", "datasets", 30, _dataset),
    Target("certificates", "certificates", 120, _certificate, _read_certificate),
)
