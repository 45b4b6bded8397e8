"""Grammars of the model: agreement, gaps, quoted words, restrictions, tables of words; they write themselves as SGL.

A grammar may have two more graph layers, ``sem`` on the words of the source and ``dep`` on those of the target, with
the words that have a clause there; or it has no graphs at all.  Nothing here knows the compiler::

    grammar.source()     the text of the grammar
    grammar.files()      the tables that it reads
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from claims_structures import Labels


@dataclass(frozen=True)
class Category:
    """A category, with number or without, with a gap or without."""

    name: str
    number: bool
    gap: bool

    def instance(self, number: str) -> str:
        """The name with its feature fixed."""
        return f"{self.name}[num={number}]" if self.number else self.name


@dataclass(frozen=True)
class Word:
    """A lexical rule; ``table`` words come from a lexicon, ``mute`` are layers of which it says nothing."""

    category: Category
    number: str
    form: str
    lemma: str
    upos: str
    table: bool = False
    silent: bool = False
    mute: tuple[str, ...] = ()

    @property
    def lexicon(self) -> str:
        """What declares it: a lexicon, by its name, or ``word``."""
        return f"t{self.category.name.lower()}{self.number}" if self.table else "word"

    @property
    def ja(self) -> str:
        """The word in the target, where some have none."""
        return "" if self.silent else self.form.upper()

    def speaks_of(self, layer: str) -> bool:
        """Whether the word is a node of a further layer: it has a clause, and is not empty in its text."""
        return layer not in self.mute and not (layer == "dep" and self.silent)


@dataclass(frozen=True)
class Fragment:
    """What a rule says of a further layer: roles, as in a rule; ``head`` is one of them, or not said.

    A rule that says nothing at all has no edges.
    """

    head: str
    edges: tuple[tuple[str, str, str], ...]
    fills: tuple[tuple[str, str], ...]
    said: bool = True

    def head_of(self, rule: Rule) -> str:
        """The head by docs/language.md; ``UnclearError`` if the author has to say which it is."""
        able = [*(child.role for child in rule.children), "quoted"]
        have = {end for source, _, target in self.edges for end in (source, target)} & {*able}
        tops = have - {target for _, _, target in self.edges}
        first = rule.children[0].role
        if self.head or len(tops) == 1:
            return self.head or min(tops)
        if have and first not in have:
            raise UnclearError(f"{rule.name} has edges, and its head in the first layer has none")
        return first


class UnclearError(Exception):
    """The documentation says that a grammar is wrong."""


@dataclass(frozen=True)
class Child:
    """A child of a rule: its number is a value, a variable of the rule, or open (empty).

    A role that is the name of the category is not written.
    """

    role: str
    category: Category
    number: str = ""


@dataclass(frozen=True)
class Rule:
    """A rule; the first child is its head.

    ``edges`` are between roles, ``"quoted"`` and ``"gap"``.  ``fills`` says which role fills the
    gap of a child, ``hands_on`` whose gap becomes that of the whole.  ``number`` is that of the
    left-hand side: a value, a variable, or empty.
    """

    name: str
    category: Category
    number: str
    children: tuple[Child, ...]
    quoted: str
    edges: tuple[tuple[str, str, str], ...]
    fills: tuple[tuple[str, str], ...]
    hands_on: str
    backwards: bool
    keep: bool = False
    further: Mapping[str, Fragment] = field(default_factory=dict)


@dataclass(frozen=True)
class Grammar:
    """A model grammar; sentences are of its first category.

    ``relation`` is, for each verb lemma in it, the lemmas that may follow along ``along``.  In a grammar of ``texts``
    alone no graph is declared, and the two are below one rule.  ``derived`` says that its structures speak of
    derivations.
    """

    categories: tuple[Category, ...]
    words: tuple[Word, ...]
    rules: tuple[Rule, ...]
    relation: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    along: Labels = field(default_factory=lambda: Labels(False, ("a",)))
    texts: bool = False
    derived: bool = False

    def source(self) -> str:
        """The declarations, without patterns and dataset."""
        lines = ["layer en  : text", 'layer ja  : text (join "")']
        lines += [] if self.texts else ["layer syn : graph on en"]
        if self.layered:
            lines += ["layer sem : graph on en (free)", "layer dep : graph on ja (free)"]
        lines += ["", "feature num = sg | pl", "param tables = on", ""]
        for category in self.categories:
            features = "[num]" if category.number else ""
            lines.append(f"category {category.name}{features}{' with gap' * category.gap}")
        for word in self.words:
            if not word.table:
                lines += ["", f'word {word.category.instance(word.number)}: "{word.form}"']
                lines.append(f'  ja "{word.ja}"')
                lines += [f"  {layer} {_node(word)}" for layer in self.graphs if layer not in word.mute]
        # Words of one table say something of the same layers.
        for category, number, mute in dict.fromkeys((w.category, w.number, w.mute) for w in self.words if w.table):
            lines += ["", f'lexicon {Word(category, number, "", "", "", table=True).lexicon} from "words.yaml" ']
            lines[-1] += f"where cat = {category.name.lower()}{number}"
            lines += ["  when tables", f"  {category.instance(number)}", "    en $en"]
            lines += ["    ja $ja"]
            said = (layer for layer in self.graphs if layer not in mute)
            lines += [f"    {layer} node(lemma=$lemma, upos=$upos)" for layer in said]
        for rule in self.rules:
            lines += ["", *self._rule(rule)]
        if self.relation:
            lines += ["", 'relation takes from "takes.yaml"']
            broken = "P -[{0}]-> X; P -[{0}]-> Y" if self.texts else "X[upos=V] -[{0}]-> Y"
            lines.append(f"restrict {{ {broken.format(self.along)} }} to takes(X, Y)")
        return "\n".join(lines) + "\n"

    @property
    def layered(self) -> bool:
        """Whether there are further layers."""
        return any(rule.further for rule in self.rules)

    @property
    def further(self) -> tuple[str, ...]:
        """The further layers."""
        return ("sem", "dep") if self.layered else ()

    @property
    def graphs(self) -> tuple[str, ...]:
        """The graph layers that are declared."""
        return () if self.texts else ("syn", *self.further)

    def files(self) -> dict[str, str]:
        """The tables that the source reads."""
        rows = [
            f"- {{cat: {word.category.name.lower()}{word.number if word.category.number else ''}, "
            f'en: {word.form}, ja: "{word.ja}", lemma: {word.lemma}, upos: {word.upos}}}\n'
            for word in self.words
            if word.table
        ]
        takes = [f"{verb}: [{', '.join(row)}]\n" for verb, row in self.relation.items()]
        return {"words.yaml": "".join(rows) or "[]\n", "takes.yaml": "".join(takes) or "{}\n"}

    def _rule(self, rule: Rule) -> list[str]:
        left = rule.category.name
        if rule.category.number and rule.number:
            left += f"[num={rule.number}]"
        right = [f'"{rule.quoted}"'] if rule.quoted else []
        for child in rule.children:
            number = f"[num={child.number}]" if child.number else ""
            role = "" if child.role == child.category.name else f"{child.role}:"
            right.append(f"{role}{child.category.name}{number}")
        keep = "\n  keep in train" if rule.keep else ""
        order = list(reversed(rule.children)) if rule.backwards else list(rule.children)
        spelt = " ".join([child.role for child in order] + [f'"{rule.quoted.upper()}"'] * bool(rule.quoted))
        said = {} if self.texts else {"syn": Fragment("", rule.edges, rule.fills), **rule.further}
        clauses = []
        for layer, fragment in said.items():
            statements = _statements(rule, fragment, rule.quoted.upper() if layer == "dep" else "")
            clauses += ["  " + layer + " " + "; ".join(statements)] if statements and fragment.said else []
        return [f"rule {rule.name}: {left} -> {' '.join(right)}{keep}", f"  ja {spelt}", *clauses]


def _statements(rule: Rule, fragment: Fragment, spelt: str) -> list[str]:
    """What a rule says of a layer; a quoted word may be ``spelt`` in another way there."""
    word = f'"{spelt or rule.quoted}"'
    statements, named = [f"head = {fragment.head}"] if fragment.head else [], False
    for source, label, target in fragment.edges:
        ends = []
        for end in (source, target):
            text = end
            if end == "quoted":
                text = word if named else f"{word}(lemma={rule.quoted}, upos=P)"
            named = named or end == "quoted"
            ends.append(text)
        statements.append(f"{ends[0]} -[{label}]-> {ends[1]}")
    statements += [f"{child}.gap = {filler}" for child, filler in fragment.fills]
    if rule.hands_on:
        statements.append(f"gap = {rule.hands_on}.gap")
    return statements


def _node(word: Word) -> str:
    return f"node(lemma={word.lemma}, upos={word.upos})"
