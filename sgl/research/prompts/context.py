r"""Write a grammar for a reader: rules with names and quoted words, words in tables, features that agree as letters.

    An input is a Text. …
    - Text: capital(S) "."  =>  S "。"
    - S: NP[number=x] VP[number=x]  =>  NP "が" VP   (x = pl, sg)

    | N | output | number |
    | "dog" | "犬" | sg |
    | "sheep" | "羊" | pl/sg |

Rules that differ in features alone are one line, in which a letter has one value.  If not all values go together, the
line lists those that do: `(x, y) = (sg, f), (pl, m/n)`.  A phrase has its features where the input has it; its name
alone stands in the output.  The introduction explains only what occurs.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from sgl.verify.schema_grammar import CertifiedGrammar, GrammarRule, TextFinish, WrittenLayer

_INTRODUCTION = (
    "A grammar of the language. An input is a {start}. Each rule says what a phrase consists of{sides}. Quoted words"
    " are written as they stand; names are phrases that other rules make, or words of the tables."
)
#: What has to be explained if it occurs.
_EXPLAINED = {
    "[": "Features are in brackets: in one rule, the same letter has the same value, and a/b is a or b.",
    "capital(": "capital(X) is X with a capital letter at its beginning.",
    " node": "Nodes like node2 have no word. A phrase may name one (gap node2), which is X.gap above; A=B is one node.",
    "|  |": "An empty cell is no word: nothing is written.",
    "part2(": "A phrase may have several parts, with / between them; part2(X) is the second part of X.",
    " + ": "What stands beside + is written together.",
}
_TEXTS = " in the input, and behind => in the output"
_GRAPHS = " in the input, and behind => what it adds to the graph that the output writes: its head, and edges"

#: A side of a rule: texts, and categories by number, with features from 1, without them from -1.
_Side = tuple[str | int, ...]


def grammar_text(core: CertifiedGrammar, source: str, target: str, rules: Collection[int] | None = None) -> str:
    """Return a grammar, or some of its rules, in the notation above; without a ``target`` what inputs consist of."""
    names = [category.name.partition("[")[0] for category in core.categories]
    view, layers = next((view for view in core.views if view.name == target), None), {"input": core.text(source)}
    if target and view is None:
        layers["output"] = core.text(target)
    lines, words = list[tuple[GrammarRule, list[_Side]]](), defaultdict[str, list[tuple[int, list[_Side]]]](list)
    for rule in (rule for number, rule in enumerate(core.rules) if rules is None or number in rules):
        read = {item.child for item in rule.templates[layers["input"]]}
        sides = [_text(rule, layer, () if what == "input" else read) for what, layer in layers.items()]
        sides += [_graph(core, rule, view.layer)] if view else []
        if rule.rhs:
            lines.append((rule, sides))
        else:
            words[names[rule.lhs]].append((rule.lhs, sides))
    tables = (_table(core, name, own) for name, own in words.items())
    written = ["\n".join(lines) for lines in (_rules(core, names, lines), *tables)]
    spelling = (_spelling(what, core.text_layers[layer]) for what, layer in layers.items())
    behind = "" if not target else _TEXTS if view is None else _GRAPHS
    return "\n\n".join([_introduction(names[core.start], behind, written), *spelling, *written])


def _introduction(start: str, behind: str, written: Sequence[str]) -> str:
    """Return the first paragraph, which says what is ``behind`` the arrow and explains what occurs."""
    explained = (said for mark, said in _EXPLAINED.items() if any(mark in own for own in written))
    return " ".join([_INTRODUCTION.format(start=start, sides=behind), *explained])


def _features(core: CertifiedGrammar, category: int) -> dict[str, str]:
    inside = core.categories[category].name.partition("[")[2].removesuffix("]")
    return dict(pair.split("=", 1) for pair in inside.split(", ") if pair)


def _text(rule: GrammarRule, layer: int, plain: Collection[int | None]) -> _Side:
    """Return what a rule writes in a layer; phrases in ``plain`` stand without their features."""
    side: list[str | int] = []
    for item in rule.templates[layer]:
        if item.child is None:
            side += [" ", {None: "/", "\1": "+", "\2": "+"}.get(item.text) or _quoted(item.text or "")]
        else:
            around = [*["capital"] * item.capital, *item.functions, *[f"part{item.part}"] * bool(item.part)]
            side += [" ", *[f"{name}(" for name in around], (item.child + 1) * (-1 if item.child in plain else 1)]
            side += [")" * len(around)]
    return tuple(side[1:])


def _graph(core: CertifiedGrammar, rule: GrammarRule, layer: int) -> _Side:
    """Return the head of a phrase and the edges of a rule, between children (or their ports) and own words."""
    fragment, graph = rule.fragments[layer], core.graph_layers[layer]
    template = rule.templates[core.text(graph.anchor)]

    def ports(category: int) -> list[str]:
        elsewhere = {port for port, other in core.categories[category].limited if other != graph.name}
        return [port for port in core.categories[category].ports if port not in elsewhere]

    def node(number: int) -> list[str | int]:
        own, found = fragment.nodes[number], list[str | int]()
        for child, port in own.glue:
            found += [*["="] * bool(found), -child - 1, f".{ports(rule.rhs[child])[port]}" if port else ""]
        if own.attributes or own.token is not None:
            word = _quoted(template[own.token].text or "") if own.token is not None and rule.rhs else ""
            found.append(f"{word}({', '.join(f'{name}={value}' for name, value in own.attributes or ())})")
        return found or [f"node{number}"]

    if not (rule.rhs or fragment.edges):
        # A word whose node says nothing adds nothing.
        return tuple(node(fragment.exports[0])) if fragment.nodes[fragment.exports[0]].attributes else ()
    side: list[str | int] = []
    for port, own in zip(ports(rule.lhs), fragment.exports, strict=False):
        side += [f"; {port} ", *node(own)]
    for edge in fragment.edges:
        side += ["; ", *node(edge.source), f" -{edge.label}-> ", *node(edge.target)]
    return (str(side[0])[2:], *side[1:])


def _rules(
    core: CertifiedGrammar, names: Sequence[str], rules: Iterable[tuple[GrammarRule, list[_Side]]]
) -> Iterator[str]:
    """Yield a line for the rules of one form, in the order in which the forms first occur."""
    forms = defaultdict[tuple[tuple[str, ...], tuple[_Side, ...]], list[dict[tuple[int, str], str]]](list)
    for rule, sides in rules:
        of = tuple(enumerate((rule.lhs, *rule.rhs)))
        values = {(at, name): value for at, end in of for name, value in _features(core, end).items()}
        forms[tuple(names[end] for _, end in of), tuple(sides)].append(values)
    for (ends, shown), found in forms.items():
        keys = dict.fromkeys(key for values in found for key in values)
        columns = {key: tuple(values.get(key, "") for values in found) for key in keys}
        varied = dict.fromkeys(column for column in columns.values() if len({*column}) > 1)
        letters = {column: "xyzuvwabcdefghijklmnopqrst"[n % 26] * (1 + n // 26) for n, column in enumerate(varied)}
        said = _ends(ends, {key: letters.get(column, column[0]) for key, column in columns.items() if any(column)})
        texts = ["".join(said[x] if isinstance(x, int) else x for x in side) or "nothing" for side in shown]
        yield f"- {said[0]}: {'  =>  '.join(texts)}{_values(letters)}"


def _ends(ends: Sequence[str], features: Mapping[tuple[int, str], str]) -> dict[int, str]:
    """Return what the categories of a rule are called, numbered among equal ones: with their features, and without."""
    said = dict[int, str]()
    for at, end in enumerate(ends):
        several = at > 0 and ends[1:].count(end) > 1
        said[-at] = end + str(ends[1 : at + 1].count(end)) * several
        inside = ", ".join(f"{name}={value}" for (place, name), value in features.items() if place == at)
        said[at] = said[-at] + (f"[{inside}]" if inside else "")
    return said


def _values(letters: dict[tuple[str, ...], str]) -> str:
    """Return which values the letters of a line have, together if they depend on one another."""
    rows = _merged(sorted({*zip(*letters, strict=True)}), 0)
    if len(rows) < 2:
        each = [f"{of} = {value.replace('/', ', ')}" for of, value in zip(letters.values(), *rows, strict=True)]
    else:
        first, *shown = [f"({', '.join(row)})" for row in (tuple(letters.values()), *rows)]
        each = [f"{first} = {', '.join(shown)}"]
    return f"   ({'; '.join(each)})" if each else ""


def _merged(rows: Sequence[tuple[str, ...]], first: int) -> Sequence[tuple[str, ...]]:
    """Return fewer rows that mean the same: rows that differ in one cell alone, not before ``first``, become one."""
    for place in reversed(range(first, len(rows[0]) if rows else 0)):
        found = defaultdict[tuple[str, ...], list[str]](list)
        for row in rows:
            found[row[:place] + row[place + 1 :]].append(row[place])
        rows = [(*own[:place], "/".join(sorted({*values})), *own[place:]) for own, values in found.items()]
    return rows


def _table(core: CertifiedGrammar, name: str, words: Sequence[tuple[int, list[_Side]]]) -> Iterator[str]:
    rows = [(_features(core, category), ["".join(map(str, side)) for side in sides]) for category, sides in words]
    columns = list(dict.fromkeys(feature for own, _ in rows for feature in own))
    head = (name, *["output"] * (len(rows[0][1]) - 1), *columns)
    cells = [(*texts, *(own.get(name, "–") for name in columns)) for own, texts in rows]
    shown = (head, ("---",) * len(head), *_merged(cells, len(head) - len(columns)))
    return (f"| {' | '.join(row)} |" for row in shown)


def _spelling(what: str, layer: WrittenLayer) -> str:
    """Return how the words of a text are written together."""
    own = layer.finish or TextFinish()
    said = [f"Words of the {what} are separated by {_quoted(layer.join)}" if layer.join.strip() else ""]
    said = said if said[0] else [f"Words of the {what} are {'separated by spaces' if layer.join else 'joined'}"]
    said += [f"there is no space before {_listed(layer.attach)}"] if layer.attach and layer.join else []
    said += [f"there is no space after {_listed(own.after)}"] if own.after and layer.join else []
    said += [f"{_quoted(a)} is left out {f'before {_quoted(b)}' if b else 'at the beginning'}" for a, b in own.absorb]
    said += [f"{_quoted(a)} before {_quoted(b)} is written {_quoted(c)}" for a, b, c in own.forms]
    said += [f"{_quoted(a)} after {_quoted(b)} is written {_quoted(c)}" for a, b, c in own.mutations]
    said += [f"{_quoted(a)} and {_quoted(b)} together are written {_quoted(c)}" for a, b, c in own.elisions]
    said += ["the first letter is a capital"] * bool(own.capital)
    return "; ".join(said) + "."


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _listed(texts: Iterable[str]) -> str:
    return ", ".join(map(_quoted, sorted(texts)))
