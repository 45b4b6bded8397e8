"""What derivations mean: their texts, their graphs, and their sentences in CoNLL-U.

The grammar is the one of a certificate, ``core.grammar``; docs/certificate.md has its format.
This is the checker's own reading of it; of the compiler it shares ``sgl.rendering.views`` only.

The fourth member of a text layer, its finish, is a list of after, absorb, forms, elisions,
capital and twin; docs/texts.md says what they mean. A word that is absorbed is in no text and no
graph. Words in one piece are a multiword token in CoNLL-U.
"""

import json
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Any

Json = Any  # a part of the certificate, or a value made of such parts
Derivation = tuple[int, ...]  # its rules, in preorder
LARGEST = 1 << 20  # items and letters of a text: rules that repeat a child could make any number
UNWRITABLE = re.compile("[\x00-\x1f\x7f\x85\u2028\u2029\ud800-\udfff]")  # in a column
VALUE = "[A-Z0-9][A-Za-z0-9]*"
FEATURE = re.compile(rf"{VALUE}(\[[a-z0-9]+\])?={VALUE}(,{VALUE})*")
# What a template may do to the words of a child.
FUNCTIONS = {"first": slice(1), "rest": slice(1, None), "last": slice(-1, None)}
FUNCTIONS |= {"front": slice(-1), "reverse": slice(None, None, -1)}


class Interpreter:
    """Says what the derivations of a grammar mean; ``spend`` is told of each step that it takes."""

    def __init__(self, grammar: Json, spend: Callable[[int], object] = int) -> None:
        self.rules, self.start, self.spend = grammar["rules"], grammar["start"], spend
        self.texts = {name: (n, *more) for n, (name, *more) in enumerate(grammar["text"])}
        self.graphs = {name: (n, *more) for n, (name, *more) in enumerate(grammar["graph"])}
        self.views = {name: view for name, *view in grammar["views"]}
        self.twins = {name for name, *own in grammar["text"] if own[2:] and own[2][5]}
        self.walk, self.words = lru_cache(8)(self.walk_of), lru_cache(8)(self.words_of)
        self.text, self.graph = lru_cache(8)(self.text_of), lru_cache(4)(self.graph_of)
        self.edge_columns = lru_cache(1 << 16)(self.edge_columns_of)

    def lemmas(self, layer: str) -> list[list[tuple[str, str | None]]]:
        """Return the lemmas that each rule introduces in a graph layer, if any, with their upos."""
        number, *_ = self.graphs[layer] if layer else (0,)
        nodes = [rule[6][number]["nodes"] if layer else () for rule in self.rules]
        labels = [[dict(attributes or ()) for attributes, *_ in own] for own in nodes]
        return [[(x["lemma"], x.get("upos")) for x in own if x.get("lemma")] for own in labels]

    def is_text(self, derivation: Derivation) -> bool:
        """Return whether each rule has children of its categories, and the first is of a text."""
        try:
            steps, categories = self.walk(derivation), [self.rules[n][1] for n in derivation]
        except (IndexError, ValueError):
            return False
        fits = all(rule[2] == [categories[n] for n in below] for _, rule, below in steps)
        return fits and categories[0] == self.start

    def walk_of(self, derivation: Derivation) -> list[Json]:
        """Return the rules from the back, each after its place and before those of its children."""
        steps, places = list[Json](), list[int]()
        for place in range(len(derivation) - 1, -1, -1):
            rule = self.rules[derivation[place]]
            steps.append((place, rule, [places.pop() for _ in rule[2]]))
            places.append(place)
        if places != [0]:
            raise ValueError("the rules are not one tree")
        return steps

    def words_of(self, layer: int, derivation: Derivation) -> Json:
        """Return the words of a text layer, each after the place where it was written."""
        words = self.parts_of(layer, derivation)[0]
        finish = [*self.texts.values()][layer][3:]
        places = kept(finish[0], [word for _, word in words]) if finish else range(len(words))
        return [words[place] for place in places]

    def phrase(self, name: str, derivation: Derivation) -> str:
        """Return the words of a phrase in a text layer, with spaces, and dots between its parts."""
        parts = self.parts_of(self.texts[name][0], derivation)
        return " … ".join(" ".join(word for _, word in part) for part in parts)

    def parts_of(self, layer: int, derivation: Derivation) -> Json:
        """Return the parts of a phrase in a text layer, each with its words and their places."""
        phrases = dict[int, list[Json]]()  # of each its parts
        for place, rule, below in self.walk(derivation):
            parts = phrases[place] = [list[Json]()]
            for at, (kind, *item) in enumerate(rule[5][layer]):
                if kind != "child":
                    parts += [[]] if kind == "cut" else []
                    parts[-1] += [((place, at), text) for text in item]
                    continue
                child, capital, *how = item
                own = [*phrases[below[child]][max(*how[:1], 1) - 1 if how else 0]]
                for name in how[:0:-1]:
                    own = own[FUNCTIONS[name]]
                for n in [n for n, (_, word) in enumerate(own) if word and capital][:1]:
                    own[n] = own[n][0], own[n][1][0].upper() + own[n][1][1:]
                parts[-1] += own
                if len(parts[-1]) > LARGEST:
                    raise ValueError("a text has too many words")
            self.spend(1 + sum(map(len, parts)))
        return phrases[0]

    def lengths(self, names: list[str], derivation: Derivation) -> dict[str, str]:
        """Return the comments with the numbers of words in some text layers."""
        return {f"length_{x}": str(len(self.words(self.texts[x][0], derivation))) for x in names}

    def graph_of(self, name: str, derivation: Derivation) -> Json:
        """Return nodes (attributes, place of the word), edges, head (-1 if it is no node), and words of a layer."""
        layer, anchor, free = self.graphs[name]
        names, labels, edges, last = dict[Json, Json](), list[Json](), list[Json](), list[Json]()
        for place, rule, below in reversed(self.walk(derivation)):
            self.spend(len(rule[6][layer]["nodes"]) + len(rule[6][layer]["edges"]))
            for at, (attributes, token, ports) in enumerate(rule[6][layer]["nodes"]):
                own = names.setdefault((place, at), (place, at))
                for child, port in ports:
                    exports = self.rules[derivation[below[child]]][6][layer]["exports"]
                    other = names.setdefault((below[child], exports[port]), own)
                    if other != own:  # two nodes meet in one node of a child
                        self.spend(len(names))
                        names = {node: own if it == other else it for node, it in names.items()}
                if attributes is not None:
                    labels.append(((place, token), (place, at), tuple(map(tuple, attributes))))
            made = [((place, s), e, (place, t), any(x)) for s, e, t, *x in rule[6][layer]["edges"]]
            edges += [edge for edge in made if not edge[3]]
            last[:0] = [edge for edge in made if edge[3]]
        words, places = self.words(self.texts[anchor][0], derivation), dict[Json, int]()
        for origin, _ in words:
            places[origin] = len(places)
        found = {names[n]: (places[word], a) for word, n, a in reversed(labels) if word in places}
        nodes = sorted((place, node, a) for node, (place, a) in found.items())
        number = {node: n for n, (_, node, _) in enumerate(nodes)}
        named = ((number.get(names[s]), e, number.get(names[t])) for s, e, t, _ in edges + last)
        kept = dict.fromkeys(edge for edge in named if None not in edge)
        ordered = tuple(sorted(kept, key=lambda edge: edge[:1] if free else edge))
        head = names[0, self.rules[derivation[0]][6][layer]["exports"][0]]
        return [(a, n) for n, _, a in nodes], ordered, number.get(head, -1), [word for _, word in words]

    def text_of(self, name: str, derivation: Derivation) -> str:
        """Return the text of a layer, or of a view: in parentheses why, if there is no form."""
        if name in self.texts:
            layer, join, attach, *finish = self.texts[name]
            words = [word for _, word in self.words(layer, derivation)]
            letters = sum(map(len, words)) + len(words) * len(join)
            if letters > LARGEST:
                raise ValueError("a text has too many letters")
            self.spend(letters)
            if finish:
                pieces = spelt(attach, finish[0], words)
                return "".join(text if tight else join + text for text, _, tight in pieces)
            return "".join(words[:1] + [w if w in attach else join + w for w in words[1:]])
        kind, layer, template = self.views[name]
        nodes, edges, head, words = self.graph([*self.graphs][layer], derivation)
        parts = ("core.graph", "rendering.template", "rendering.views")
        core, own, views = (import_module(f"sgl.{part}") for part in parts)
        graph = core.Graph(tuple(core.GraphNode(*node) for node in nodes), edges, head)
        try:
            view = own.template_view(template) if template else views.VIEWS[kind].render
            return str(view(graph, words))
        except ValueError as reason:
            return f"(no form: {reason})"

    def sentence(self, name: str, derivation: Derivation) -> str:
        """Return the lines of the words of a sentence in CoNLL-U, with a graph layer."""
        nodes, edges, head, words = self.graph(name, derivation)
        _, anchor, free = self.graphs[name]
        _, join, attach, *finish = self.texts[anchor]
        above, tight = [""] * len(words), [not join or w in attach for w in words[1:]] + [False]
        if finish:  # a piece of two words is a multiword token
            words, above, tight = pieces(words, join, spelt(attach, finish[0], words))
        labels = {at: attributes for attributes, at in nodes}
        arcs = tuple((nodes[s][1], label, nodes[t][1]) for s, label, t in edges)
        columns, lines = self.edge_columns(len(words), arcs, head, free), list[str]()
        for at, (word, (*edge, marked)) in enumerate(zip(words, columns, strict=True)):
            cells, misc = word_columns(labels.get(at))
            misc = misc + ["Extracted=Yes"] * marked + ["SpaceAfter=No"] * tight[at]
            lines.append(above[at] + line(str(at + 1), word, *cells, *edge, "|".join(misc) or "_"))
        self.spend(sum(map(len, lines)))
        return "".join(lines)

    def edge_columns_of(self, size: int, edges: Json, head: int, free: int) -> Json:
        """Return HEAD, DEPREL and DEPS of each word; whether its edge in the tree is marked."""
        tree: dict[int, Json] = dict.fromkeys(range(size * free), (False, "_", "_"))
        arcs = [[(False, 0, "root")] * (n == head and not free) for n in range(size)]
        for source, label, target in edges:
            marked = label[0] == "~" and not free
            arcs[target].append((marked, source + 1, label[marked:]))
        for into in arcs:
            into.sort()
        while len(tree) < size:
            # A word is in the tree by its unmarked edge; else by the first that leads there.
            own = [(n, arc) for n, into in enumerate(arcs) if n not in tree for arc in into]
            self.spend(len(own))
            ways = [(n, arc) for n, arc in own if arc[1] == 0 or arc[1] - 1 in tree]
            ways = [(n, arc) for n, arc in ways if arc[0] == arcs[n][0][0]]
            if not ways:
                raise ValueError("a word is not below the head of its sentence")
            tree |= dict([way for way in ways if not way[1][0]] or ways[:1])
        rows = [sorted(arc[1:] for arc in into) for into in arcs]
        deps = ["|".join(f"{head}:{label}" for head, label in row) or "_" for row in rows]
        return [(str(tree[n][1]), tree[n][2], dep, tree[n][0]) for n, dep in enumerate(deps)]


def kept(finish: Json, words: Sequence[str]) -> list[int]:
    """Return the places of the words that are written: from the end, what the next one allows."""
    pairs, places = {(word, before) for word, before in finish[1]}, list[int]()
    for place in reversed(range(len(words))):
        if not places or (words[place], words[places[0]]) not in pairs:
            places.insert(0, place)
    while places and (words[places[0]], "") in pairs:
        del places[0]
    return places


def spelt(attach: Json, finish: Json, words: Sequence[str]) -> list[tuple[str, int, bool]]:
    """Return the pieces of a text, of how many words each is, and whether it follows tightly."""
    after, _, forms, elisions, capital, _ = finish
    own, pieces = list[str](), list[tuple[str, int, bool]]()
    for place, word in enumerate(words):
        following = words[place + 1] if place + 1 < len(words) else None
        fitting = [form for x, y, form in forms if x == word and begins(following, y)]
        own.append([*fitting, word][0])
    while own:
        whole = [text for left, right, text in elisions if own[:2] == [left, right]]
        text = [*whole, own[0]][0]
        tight = not pieces or text in attach or pieces[-1][0] in after
        pieces.append((text, 1 + len(whole), tight))
        del own[: 1 + len(whole)]
    for place, (text, size, tight) in enumerate(pieces):
        if text and capital:
            pieces[place] = (text[0].upper() + text[1:], size, tight)
            break
    return pieces


def begins(word: str | None, condition: str) -> bool:
    """Return whether a word is the one that a form stands before, or begins like it."""
    if word is None:
        return False
    return word.startswith(condition[:-1]) if condition[-1:] == "…" else word == condition


def pieces(words: Json, join: str, own: Json) -> tuple[list[str], list[str], list[bool]]:
    """Return the words as they are shown, the lines of pieces above them, and what is tight."""
    shown, above, tight = list[str](), list[str](), list[bool]()
    for number, (text, size, _) in enumerate(own):
        inside, at = words[len(shown) : len(shown) + size], str(len(shown) + 1)
        close = number + 1 < len(own) and (not join or own[number + 1][2])
        shown += inside if size > 1 else [text]
        cells = [text, *"_______", "SpaceAfter=No" if close else "_"]
        above += [line(f"{at}-{len(shown)}", *cells), ""] if size > 1 else [""]
        tight += [False] * size if size > 1 else [close]
    return shown, above, tight


def pair(good: str, bad: str, category: str) -> str:
    """Return the line of a sentence and its twin, which must be another text."""
    if good == bad:
        raise ValueError(f"a sentence is its own twin: {good}")
    members = {"sentence_good": good, "sentence_bad": bad, "pattern": category}
    return json.dumps(members, ensure_ascii=False) + "\n"


def line(*cells: str) -> str:
    """Return a line of columns, of which none ends the column or the line by itself."""
    if UNWRITABLE.search("".join(cells)):
        raise ValueError(f"{cells} are no columns of a line")
    return "\t".join(cells) + "\n"


@lru_cache(1 << 16)
def word_columns(attributes: Json) -> tuple[list[str], list[str]]:
    """Return columns LEMMA to FEATS of a word, and those of its attributes that are in MISC."""
    if attributes is None:  # the word has no node
        return ["_"] * 4, ["Node=No"]
    values = {name: value for name, value in attributes if value}
    fixed = [values.pop(name, "_") for name in ("lemma", "upos", "xpos")]
    pairs = {f"{name}={value}": value.lower().split(",") for name, value in values.items()}
    feats = [p for p, parts in pairs.items() if FEATURE.fullmatch(p) and parts == sorted({*parts})]
    shown = "|".join(sorted(feats, key=str.lower)) or "_"
    if "|" in "".join(pairs):
        raise ValueError(f"{attributes} are no features")
    return [*fixed, shown], [pair for pair in pairs if pair not in feats]
