"""Certificates as files: strict reading of the schema.

A certificate contains texts, whole numbers from 0, null, lists and objects with exactly the members of the schema. So
nothing in it is ambiguous.
"""

import codecs
import json
import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from sgl.verify import schema
from sgl.verify.schema_grammar import Flaw
from sgl.verify.schema_plan import Clause, DatasetPlan
from sgl.verify.structure import headed, read_structure
from sgl.verify.typed import Format, FormError, expected

Json = Any  # a JSON value
FORMAT, LARGEST = "sgl-certificate/4", 1 << 28
STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
STRANGE = re.compile(r"[^][{}:,\"\s0-9nul]|[0-9]{21}")  # not in JSON of texts, whole numbers, null

#: The kinds of evidence, by the kind of claim that they show.
EVIDENCE = {"excludes": list[list[int]], "requires": list[list[int]], "contains": list[int]}
EVIDENCE |= {"exposes": tuple[schema.Excuse, ...]}
NO_EVIDENCE = ("disjoint", "waived")
CLAIMS = {"held out": ["excludes"], "instance": ["excludes", "requires"]}
CLAIMS |= {"licensed": ["contains", "waived"], "exposed": ["exposes", "requires"]}
CLAIMS |= {"disjoint": ["disjoint", "requires"]}


class RefusalError(Flaw):
    """A certificate cannot be read; the message begins with the code of the refusal."""


def truth(value: Json) -> bool:
    """Read a truth value, which certificates write as a number."""
    if isinstance(value, bool) or value in (0, 1):
        return bool(value)
    raise FormError("1 or 0 expected")


#: Reads certificates, and the parts of a manifest that a certificate repeats.
STRICT = Format(
    {bool: truth, Clause: lambda text: Clause(expected(text, str)), list[object]: lambda value: value}, strict=True
)


def once(pairs: Collection[tuple[Json, Json]]) -> dict[Json, Json]:
    """Return a table of pairs; refuse duplicate keys."""
    if len(dict(pairs)) < len(pairs):
        raise Flaw("something is given twice")
    return dict(pairs)


def shown(text: str) -> str:
    """Return a text with escapes for unprintable characters."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def content_of(path: Path | str = "", *, most: int = LARGEST) -> bytes:
    """Return the bytes of a regular file; a pipe or a device may be endless."""
    if not (file := Path(path)).is_file() or file.stat().st_size > most:
        raise RefusalError(f"C01 {path}: not a regular file of at most {most:,} bytes")
    return file.read_bytes()


def read_strictly(content: bytes) -> Json:
    """Return JSON that contains only texts, whole numbers from 0, null, lists and objects."""
    if content.startswith(codecs.BOM_UTF8):
        raise RefusalError("C01 the file: it begins with a byte order mark")
    try:
        text = content.decode("utf-8")
        value = json.loads(text, object_pairs_hook=once)
    except UnicodeDecodeError:
        raise RefusalError("C01 the file: it is not UTF-8") from None
    except RecursionError:
        raise RefusalError("C01 the file: its lists are nested too deeply") from None
    except Flaw as problem:
        raise RefusalError(f"C01 the file: {problem}") from None
    except ValueError:
        raise RefusalError("C01 the file: it is not JSON") from None
    if found := STRANGE.search(STRING.sub('""', text)):
        raise RefusalError(f"C01 the file: {found.group()[:30]} is in no text, null, or number below 10^20")
    return value


@lru_cache(maxsize=1)  # a verification asks for it several times
def read_certificate(content: bytes) -> schema.CertificateData:
    """Return a certificate; refuse other content than JSON (C01), a wrong form (C02) or digest (C03)."""
    data = read_strictly(content)
    try:
        if isinstance(data, dict) and data.get("format", FORMAT) != FORMAT:
            raise FormError(f"{data['format']!r} is not {FORMAT!r}", "format")
        certificate: schema.CertificateData = STRICT.read(schema.CertificateData, data)
        for number, claim in enumerate(certificate.claims):
            check_evidence(claim, f"claims[{number}]")
    except (FormError, RecursionError) as problem:
        raise RefusalError(f"C02 the file: {problem}") from None
    core = json.dumps(data["core"], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    if sha256(core.encode("utf-8", "surrogatepass")).hexdigest() != certificate.digest:
        raise RefusalError("C03 the digest: it is not the SHA-256 of the core")
    return certificate


def check_evidence(claim: schema.CertifiedClaim, place: str) -> None:
    """Check that the evidence of a claim fits its kind; a fact that is claimed twice is shown once."""
    if claim.kind not in CLAIMS.get(claim.claim, ()):
        raise FormError(f"{claim.claim!r} is not shown by {claim.kind!r}", place)
    if claim.evidence is not None and claim.kind in NO_EVIDENCE:
        raise FormError(f"{claim.kind!r} has no evidence", place)
    if claim.evidence is not None:
        STRICT.read(EVIDENCE[claim.kind], claim.evidence, f"{place}.evidence")
    elif claim.kind == "exposes":
        raise FormError(f"{claim.kind!r} has evidence", place)


def excuses(claim: schema.CertifiedClaim) -> tuple[schema.Excuse, ...]:
    """Return the evidence of an exposure claim."""
    found: tuple[schema.Excuse, ...] = STRICT.read(tuple[schema.Excuse, ...], claim.evidence or [])
    return found


def measured_by(plan: DatasetPlan) -> tuple[list[str], list[str]]:
    """Return the layers whose lengths structures of a plan test, and those that they join with the derivation."""
    structures = [*map(read_structure, {clause.text for clause in clauses_of(plan)})]
    return sorted({test.layer for structure in structures for test in structure.body.lengths}), headed(structures)


def clauses_of(value: object) -> Iterator[Clause]:
    """Yield all structures of a plan, or of a part of it."""
    if isinstance(value, Clause):
        yield value
    elif isinstance(value, tuple):
        for member in value:
            yield from clauses_of(member)
    else:
        for name in getattr(value, "__dataclass_fields__", ()):
            yield from clauses_of(getattr(value, name))
