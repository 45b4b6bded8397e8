"""The format of certificates, read strictly: one third of their checker.

A certificate holds texts, whole numbers from 0, null, lists and objects with exactly the
members that the shapes below name.  So nothing in it can be taken for something else.
"""

import json
import re
from collections.abc import Collection, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

Json = Any  # a part of a certificate
FORMAT, LARGEST = "sgl-certificate/3", 1 << 28
SIGNS = ("=", ">=", "<=")
NAME = re.compile(r'[^\s|\[\]<>=^*;,{}"#!]+(\[\w+\])?')  # of a variable, an attribute, a label
STRING = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
WEIGHT = re.compile(r"(0|[1-9]\d{0,16})(\.\d{1,22})?(e[+-]\d{2,3})?", re.ASCII)
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


# A shape: a type, [of each], (of all in order), of an object, or (None, of what may be null).
TEST = (int, [str])  # whether it is negated; labels or values
LINK, DEGREE = (str, TEST, int, (None, int), str), (str, TEST, str, int)
BODY = members("variables tests degrees links", [str], [(str, str, TEST)], [DEGREE], [LINK])
STRUCTURE = members("name layer bodies transitions accepting", str, str, [BODY], [[int]], [int])
SPLIT = members("strata states transitions roots drawn", *[[int]] * 2, [[int]], [int], [(int, int)])
NODE = ((None, [(str, str)]), (None, int), [(int, int)])  # label, token, ports of children
FRAGMENT = members("nodes edges exports", [NODE], [(int, str, int, int)], [int])
RULE = (str, int, [int], WEIGHT, int, [[list]], [FRAGMENT])
LAYERS = (
    [(str, [str], [(str, str)])],
    [(str, str, [str])],
    [(str, str, int)],
    [(str, str, int, str)],
)
GRAMMAR = members("start categories text graph views rules", int, *LAYERS, [RULE])
STRATUM = (str, str, str, int, int, [str], int, dict)
PLAN = members(
    "source target distinct_lemmas distinct_sentences lemma_layer parts nowhere ambiguous further "
    "strata patterns",
    *(str, str, [str], int, str, [dict], [str], str, [str], [STRATUM], [dict]),
)
SAMPLER = members("states starts", [([int], [int], [[int]])], [int])
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
        own = type(value) is dict and [*value] == [*shape]
        return own and all(fits(value[name], shape[name]) for name in shape)
    if isinstance(shape, list):
        if shape == [int]:
            return type(value) is list and {*map(type, value)} <= {int}
        return type(value) is list and all(fits(each, shape[0]) for each in value)
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


# ---- structures


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
    return "; ".join([*links, *unmentioned.values()])


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


def symbols_of(rules: Json, symbols: Json) -> tuple[Json, Json]:
    """Return the categories of each symbol, its own and of its children, and its rules."""
    ends, rules_of = dict[int, Json](), dict[int, list[int]]()
    for number, (rule, symbol) in enumerate(zip(rules, symbols, strict=True)):
        rules_of.setdefault(symbol, []).append(number)
        if ends.setdefault(symbol, rule[1:3]) != rule[1:3]:
            raise ValueError(f"rule {rule[0]} has other categories than its symbol {symbol}")
    return ends, rules_of


def ingredients(core: Json, rule: Json) -> frozenset[tuple[str, str]]:
    """Return the words, entries and forms, or the words and the rule, that a text has by it."""
    name, lhs, children, _, _, templates, fragments = rule
    grammar, plan = core["grammar"], core["plan"]
    graphs, texts = ([name for name, *_ in grammar[layer]] for layer in ("graph", "text"))
    lemma_layer, target = plan["lemma_layer"], plan["target"]
    nodes = fragments[graphs.index(lemma_layer)]["nodes"] if lemma_layer else []
    lemmas = {lemma for label, *_ in nodes if (lemma := dict(label or ()).get("lemma"))}
    found = {("word", lemma) for lemma in lemmas}
    if children:
        return frozenset({*found, ("rule", name)})
    category = grammar["categories"][lhs][0].partition("[")[0]
    items = templates[texts.index(target)] if target in texts else []
    form = " ".join(item[1] for item in items if item[0] == "word")
    found |= {("entry", f"{category}: {lemma}") for lemma in lemmas}
    return frozenset({*found, ("form", form)} if form else found)


def frames_of(grammar: Json, layer: str) -> tuple[list[Json], list[Json], list[Json]]:
    """Return effects in a graph layer, rows of labels, and for each rule its numbers of both."""
    number = [name for name, *_ in grammar["graph"]].index(layer)
    ports = [
        {*own} - {p for p, other in limited if other != layer}
        for _, own, limited in grammar["categories"]
    ]
    effects, labels, rules = dict[Json, int](), dict[Json, int](), list[Json]()
    for rule in grammar["rules"]:
        effect, own = _frame(rule, number, [len(each) for each in ports])
        places = effects.setdefault(effect, len(effects)), labels.setdefault(own, len(labels))
        rules.append(places)
    return [*effects], [[*map(dict, row)] for row in labels], rules


def _frame(rule: Json, layer: int, ports: list[int]) -> tuple[Json, Json]:
    """Return the labels of a rule, and its effect: how many nodes stay visible, edges, and rows.

    Nodes are numbered, the visible ones first.  There is a row for the ports of each child
    and one for each node with a label, of the numbers of the nodes that they become.
    """
    name, lhs, children, *_, fragments = rule
    nodes, edges, exports = fragments[layer].values()
    glue = [(tuple(port), node) for node, (*_, own) in enumerate(nodes) for port in own]
    rows = [[(child, port) for port in range(ports[c])] for child, c in enumerate(children)]
    node_of = {port: port for row in rows for port in row} | dict(glue)
    labels = [(n, tuple(map(tuple, own))) for n, (own, *_) in enumerate(nodes) if own is not None]
    if len(node_of) > sum(map(len, rows)) or len(dict(glue)) < len(glue):
        raise ValueError(f"rule {name} glues what is no port, or a port twice")
    if {*exports} - {*range(len(nodes))} or not len({*exports}) == len(exports) == ports[lhs]:
        raise ValueError(f"rule {name} has not the ports of its category")
    astray = any(own is not None and token is None for own, token, _ in nodes)
    if astray or any(len(dict(label)) < len(label) for _, label in labels):
        raise ValueError(f"a label of rule {name} has no word, or an attribute twice")
    order = dict.fromkeys([*exports, *range(len(nodes)), *node_of.values()])
    place = {node: number for number, node in enumerate(order)}
    become = [tuple(place[node_of[port]] for port in row) for row in rows]
    become += [(place[node],) for node, _ in labels]
    written = tuple((place[s], label, place[t]) for s, label, t, _ in edges)
    return (len(exports), written, tuple(become)), tuple([label for _, label in labels])
