"""The format of certificates, read strictly, and the notation of structures.

A certificate holds texts, whole numbers from 0, null, lists and objects with exactly the
members that the shapes below name.  So nothing in it can be taken for something else.
"""

import json
import re
from collections.abc import Collection, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

if __package__:
    from sgl.verify.certificate_rules import FINISH
else:  # as a script, which has the other files beside it
    from certificate_rules import FINISH  # type: ignore[import-not-found, no-redef]
Json = Any  # a part of a certificate
FORMAT, LARGEST = "sgl-certificate/3", 1 << 28
SIGNS = ("=", ">=", "<=")
NAME = re.compile(r'[^\s|\[\]<>=^*;,{}"#!]+(\[\w+\])?')  # of a variable, an attribute, a label
STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
WEIGHT = re.compile(r"(0|[1-9]\d{0,16})(\.\d{1,22})?(e[+-]\d{2,3})?", re.ASCII)
TESTED = re.compile(r"[{;] length (\S+) (?:>=|<=|!=|=) \d+(?= }|;)")
STRANGE = re.compile(r"[^][{}:,\"\s\dnul]|\d{21}")  # not in JSON of texts, whole numbers, null

EVIDENCE = {"excludes": [[int]], "requires": [[int]], "contains": [int]}
EVIDENCE |= {"exposes": [(str, str, str)], "disjoint": type(None), "waived": type(None)}
CLAIMS = {"held out": ["excludes"], "instance": ["excludes", "requires"]}  # and their evidence
CLAIMS |= {"licensed": ["contains", "waived"], "exposed": ["exposes", "requires"]}
CLAIMS |= {"disjoint": ["disjoint", "requires"]}


class RefusalError(ValueError):
    """A certificate cannot be read; the message begins with the code of the refusal."""


def members(names: str, *shapes: object) -> Mapping[str, object]:
    """Return the shape of an object, whose members are in this order."""
    return dict(zip(names.split(), shapes, strict=True))


# A shape: a type, [of each], (of all in order), of an object, (None, of what may be null), or (..., one of these).
TEST = (int, [str])  # whether it is negated; labels or values
LINK, DEGREE = (str, TEST, int, (None, int), str), (str, TEST, str, int)
BODY = members("variables tests degrees links", [str], [(str, str, TEST)], [DEGREE], [LINK])
MEASURED = {**BODY, "lengths": [(str, str, int)]}
BODIES = [(..., BODY, MEASURED)]
STRUCTURE = members("name layer bodies transitions accepting", str, str, BODIES, [[int]], [int])
SPLIT = members("strata states transitions roots drawn", *[[int]] * 2, [[int]], [int], [(int, int)])
NODE = ((None, [(str, str)]), (None, int), [(int, int)])  # label, token, ports of children
FRAGMENT = members("nodes edges exports", [NODE], [(int, str, int, int)], [int])
RULE = (str, int, [int], WEIGHT, int, [[list]], [FRAGMENT])
LAYERS = (
    [(str, [str], [(str, str)])],
    [(..., (str, str, [str]), (str, str, [str], FINISH))],
    [(str, str, int)],
    [(str, str, int, str)],
)
GRAMMAR = members("start categories text graph views rules", int, *LAYERS, [RULE])
USUAL = (str, str, str, int, int, [str], int, dict)
STRATUM = (..., USUAL, (*USUAL[:-1], int, int, dict), (*USUAL[:-1], int, int, int, dict))
# whether it has every text; copies; contexts
PLAN = members(
    "source target distinct_lemmas distinct_sentences lemma_layer parts nowhere ambiguous further "
    "graphs strata patterns",
    *(str, str, [str], int, str, [dict], [str], str, [str], [str], [STRATUM], [dict]),
)
OPTIONAL = {"graphs", "found"}  # members that may be missing
SAMPLER = members("states starts found", [([int], [int], [[int]])], [int], [[int]])
CLAIM = (str, str, str, int, [int], (None, list))
CERTIFICATE = members(
    "format name core digest seed symbols structures splits sampler claims",
    *(str, str, members("grammar plan", GRAMMAR, PLAN), str, int),
    *([int], [STRUCTURE], [SPLIT], SAMPLER, [CLAIM]),
)


def once(pairs: Collection[tuple[Json, Json]]) -> dict[Json, Json]:
    """Return a table of pairs, of which none is hidden by another."""
    if len(dict(pairs)) < len(pairs):
        raise ValueError("something is given twice")
    return dict(pairs)


def reason(problem: Exception) -> str:
    """Return what is wrong, in words of a check; what Python says of its own is none."""
    own = isinstance(problem, ValueError) and not isinstance(problem, UnicodeError)
    told = own and not re.search("to unpack|is not in list|BOM|empty s", str(problem))
    return str(problem) if told else "it is no UTF-8, or names what is not there"


def shown(text: str) -> str:
    """Return a text with escapes for what cannot be seen."""
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text)


def content_of(path: Path | str = "", *, most: int = LARGEST) -> bytes:
    """Return what a regular file has: what is none may have no end."""
    if not (file := Path(path)).is_file() or file.stat().st_size > most:
        raise RefusalError(f"C01 {path}: no regular file of at most {most:,} bytes")
    return file.read_bytes()


def read_strictly(content: bytes) -> Json:
    """Return JSON that has nothing but texts, whole numbers from 0, null, lists and objects."""
    value = json.loads(text := content.decode("utf-8"), object_pairs_hook=once)
    if found := STRANGE.search(STRING.sub('""', text)):
        raise ValueError(f"{found.group()[:30]} is in no text, null, or number below 10^20")
    return value


def fits(value: Json, shape: Json) -> bool:
    """Return whether a part of a certificate has a shape."""
    if isinstance(shape, dict):
        has = value if type(value) is dict else shape
        names = [name for name in shape if name in has or name not in OPTIONAL]
        own = type(value) is dict and [*value] == names
        return own and all(fits(value[name], shape[name]) for name in names)
    if isinstance(shape, list):
        if shape == [int]:
            return type(value) is list and {*map(type, value)} <= {int}
        return type(value) is list and all(fits(each, shape[0]) for each in value)
    if isinstance(shape, tuple) and shape[0] is ...:
        return any(fits(value, each) for each in shape[1:])
    if isinstance(shape, tuple) and shape[0] is None:
        return value is None or fits(value, shape[1])
    if isinstance(shape, tuple):
        same = type(value) is list and len(value) == len(shape)
        return same and all(map(fits, value, shape))
    if shape is WEIGHT:
        return type(value) is str and WEIGHT.fullmatch(value) is not None
    return type(value) is shape


def read_certificate(content: bytes) -> Json:
    """Return a certificate; refuse what is no JSON (C01), of other shape (C02) or digest (C03)."""
    try:
        data = read_strictly(content)
    except (ValueError, RecursionError) as problem:
        raise RefusalError(f"C01 the file: {reason(problem)}") from problem
    own = data if type(data) is dict else {}
    wrong = [name for name, shape in CERTIFICATE.items() if not fits(own.get(name), shape)]
    if wrong or [*own] != [*CERTIFICATE] or own["format"] != FORMAT:
        what = ", ".join(wrong) or "the members or the format"
        raise RefusalError(f"C02 the file: {what} must be as {FORMAT} has them")
    for _, claim, kind, _, _, evidence in own["claims"]:
        again = evidence is None and kind != "exposes"  # what is claimed twice is shown once
        if kind not in CLAIMS.get(claim, ()) or not (again or fits(evidence, EVIDENCE[kind])):
            raise RefusalError(f"C02 the claims: {claim!r} is not shown by such {kind!r}")
    core = json.dumps(own["core"], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    if sha256(core.encode("utf-8", "surrogatepass")).hexdigest() != own["digest"]:
        raise RefusalError("C03 the digest: it is not the SHA-256 of the core")
    return own


def measured_by(plan: Json) -> list[str]:
    """Return the layers whose lengths are tested by structures of a plan."""
    found, waiting = set[str](), [plan]
    for value in waiting:
        if isinstance(value, str) and value.startswith("{ "):
            found |= {*TESTED.findall(STRING.sub('""', value))}
        elif isinstance(value, dict):
            waiting += [own for name, own in value.items() if name not in ("name", "title")]
        elif isinstance(value, list):
            waiting += value
    return sorted(found)


def notation(bodies: Json) -> str:
    """Return a structure as its author writes it; different data have different texts."""
    return " without ".join(f"{{ {_statements(body)} }}" for body in bodies)


def _statements(body: Json) -> str:
    tests: dict[str, list[str]] = {_name(variable): [] for variable in body["variables"]}
    for variable, attribute, (negated, values) in body["tests"]:
        sign = ("=", "!=")[negated]
        tests[variable].append(f"{_name(attribute)}{sign}{'|'.join(map(_value, values))}")
    for variable, labels, sign, number in body["degrees"]:
        if sign not in SIGNS:
            raise ValueError(f"{sign!r} compares no numbers")
        tests[variable].append(f"#{_labels(labels)}{sign}{number}")
    unmentioned = {v: f"{v}[{', '.join(own)}]" if own else v for v, own in tests.items()}
    links = []
    for u, labels, low, high, w in body["links"]:
        exact, bounds = low == high, f"{{{low},{'' if high is None else high}}}"
        bounds = {(1, 1): "", (1, None): "+"}.get((low, high), f"{{{low}}}" if exact else bounds)
        if not {u, w} <= tests.keys():
            raise ValueError("a link has an end that is no variable of the body")
        source, target = [unmentioned.pop(v, v) for v in (u, w)]
        links.append(f"{source} -[{_labels(labels)}]{bounds}-> {target}")
    return "; ".join([*links, *unmentioned.values(), *map(_length, body.get("lengths", ()))])


def _length(test: Json) -> str:
    layer, sign, number = test
    if sign not in (*SIGNS, "!="):
        raise ValueError("a length is compared in no known way")
    return f"length {_name(layer)} {sign} {number}"


def _name(name: str) -> str:
    if not NAME.fullmatch(name):
        raise ValueError(f"{name!r} can be no name in a structure")
    return name


def _labels(test: Json) -> str:
    negated, labels = test
    return "*" if negated and not labels else ("", "^")[negated] + "|".join(map(_name, labels))


def _value(value: str) -> str:
    plain = bool(value) and all(c.isalnum() or c in "_-" for c in value)
    return value if plain else '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
