"""Grammars with attributes on all words, and the graphs of their sentences, as docs/language.md says.

Each rule begins with a word of its own and each word has a form of its own, so that a sentence says how it was
derived, and its graphs can be read off from left to right::

    grammar.source()                   the text of a grammar; its words in tables are ``files()``
    grammar.read(["k0", "w3", …])      both texts, and the nodes and edges of both graph layers

Attributes come from clauses of words, cells of tables, values of features, quoted words and ``literal``
declarations; edges have labels from features, and depend on conditions.  ``syn`` is a tree with further edges,
``sem`` a free layer, in which words without a clause have no node.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

FEATURES = {"num": ("sg", "pl"), "role": ("ra", "rb")}
#: The variable of each feature.
VARIABLE = {"num": "n", "role": "r"}
Attributes = Mapping[str, str]


@dataclass(frozen=True)
class Category:
    """A category with its features; words of a ``mute`` one are no nodes of the free layer."""

    name: str
    features: tuple[str, ...]
    mute: bool = False

    def written(self, values: Attributes) -> str:
        """The category as it is written in a rule."""
        said = ", ".join(f"{name}={value}" for name, value in values.items() if value)
        return f"{self.name}[{said}]" if said else self.name


@dataclass(frozen=True)
class Word:
    """A word with its attributes in each layer; those of a table have some in cells, perhaps empty ones."""

    category: Category
    values: Attributes
    form: str
    ja: str
    syn: Attributes
    sem: Attributes
    table: bool

    def source(self) -> str:
        """The declaration of a word that is in no table."""
        sem = [] if self.category.mute else [f"  sem node({attributes(self.sem)})"]
        lines = [f'word {self.category.written(self.values)}: "{self.form}"', f'  ja "{self.ja}"']
        return "\n".join([*lines, f"  syn node({attributes(self.syn)})", *sem])


@dataclass(frozen=True)
class Quoted:
    """A quoted word, with what a rule says of it in each layer: nothing, or all its attributes."""

    form: str
    syn: Attributes
    sem: Attributes


@dataclass(frozen=True)
class Edge:
    """An edge between roles and quoted words; where ``where`` is not empty, the variable has this value."""

    source: str
    label: str
    target: str
    where: tuple[str, str] = ("", "")

    def holds(self, bound: Attributes) -> bool:
        """Whether the condition holds."""
        return not self.where[0] or bound[self.where[0]] == self.where[1]

    def named(self, bound: Attributes) -> str:
        """The label, where the values of variables are known."""
        label = self.label
        for name, value in bound.items():
            label = label.replace(f"${name}", value)
        return label


@dataclass(frozen=True)
class Child:
    """A child: of each feature it has a value, the feature's variable, or anything (empty)."""

    role: str
    category: Category
    values: Attributes


@dataclass(frozen=True)
class Rule:
    """A rule whose ``items``, roles and quoted words, begin with the marker; ``head`` is that of the free layer."""

    category: Category
    values: Attributes
    children: tuple[Child, ...]
    quoted: Mapping[str, Quoted]
    items: tuple[str, ...]
    ja: tuple[str, ...]
    syn: tuple[Edge, ...]
    sem: tuple[Edge, ...]
    head: str

    @property
    def of(self) -> dict[str, Child]:
        """The children by role."""
        return {child.role: child for child in self.children}

    def source(self) -> str:
        """The declaration."""
        of = self.of
        right = [f"{x}:{of[x].category.written(of[x].values)}" if x in of else f'"{x}"' for x in self.items]
        lines = [f"rule r{self.items[0]}: {self.category.written(self.values)} -> {' '.join(right)}"]
        lines.append("  ja " + " ".join(x if x in of else f'"{x}"' for x in self.ja))
        lines += self._clauses("syn", self.syn, "")
        return "\n".join([*lines, *self._clauses("sem", self.sem, self.head)])

    def _clauses(self, layer: str, edges: Sequence[Edge], head: str) -> Iterator[str]:
        """The clauses of a layer: attributes of quoted words stand where they are mentioned first."""
        said: set[str] = set()

        def end(name: str) -> str:
            if name not in self.quoted:
                return name
            own = self.quoted[name].syn if layer == "syn" else self.quoted[name].sem
            first = own and name not in said
            said.add(name)
            return f'"{name}"' + (f"({attributes(own)})" if first else "")

        statements = [f"head = {head}"] if head else []
        statements += [f"{end(e.source)} -[{e.label}]-> {end(e.target)}" for e in edges if not e.where[0]]
        yield from [f"  {layer} " + "; ".join(statements)] if statements else []
        for edge in edges:
            if edge.where[0]:
                yield f"  {layer} {edge.source} -[{edge.label}]-> {edge.target} if {edge.where[0]} = {edge.where[1]}"


def attributes(own: Attributes) -> str:
    """Attributes as they are written."""
    return ", ".join(f"{name}={value}" for name, value in own.items())


# ---- the definition


@dataclass(frozen=True)
class Graph:
    """The nodes of a layer by the place of their words, and the edges."""

    nodes: Mapping[int, Attributes]
    edges: frozenset[tuple[int, str, int]]
    head: int


@dataclass(frozen=True)
class Phrase:
    """What words mean: the target, the graphs, the values of the category, and where the next word is."""

    ja: str
    syn: Graph
    sem: Graph
    values: Attributes
    end: int


@dataclass(frozen=True)
class Grammar:
    """A grammar of sentences of the category S."""

    categories: tuple[Category, ...]
    rules: tuple[Rule, ...]
    words: tuple[Word, ...]
    literals: Mapping[str, Attributes]

    def source(self) -> str:
        """The grammar file; the pattern is there for the files of the free layer."""
        lines = ["layer en  : text (capital first)", 'layer ja  : text (join "")', "layer syn : graph on en"]
        lines += ["layer sem : graph on en (free)", ""]
        lines += [f"feature {name} = {' | '.join(values)}" for name, values in FEATURES.items()]
        for own in self.categories:
            lines.append(f"category {own.name}" + (f"[{', '.join(own.features)}]" if own.features else ""))
        lines += [f'\nliteral "{form}" ({attributes(own)})' for form, own in self.literals.items()]
        lines += [f"\n{rule.source()}" for rule in self.rules]
        lines += [f"\n{word.source()}" for word in self.words if not word.table]
        for name, own in {_table(word): word for word in self.words if word.table}.items():
            # Without a column `num`, the cell is the value of the feature.
            number = "Number=$num, " if "num" in own.values else ""
            node = f'lemma=$lemma, upos=$upos, {number}Case=$case or ""'
            lines += ["", f'lexicon {name} from "words.yaml" where table = {name}']
            lines += [f"  {own.category.written(own.values)}", "    en $en", "    ja $ja", f"    syn node({node})"]
            lines += [] if own.category.mute else ['    sem node(kind=$kind or "")']
        lines += ["", "pattern rare", "  forbid sem { A -[rare]-> B }", "  size 0", ""]
        return "\n".join([*lines, "dataset", "  from S", "  train 12", "  seed 1", ""])

    def files(self) -> dict[str, str]:
        """The table of words."""
        rows = []
        for word in self.words:
            if word.table:
                cells = {"table": _table(word), "en": word.form, "ja": f'"{word.ja}"', "lemma": word.syn["lemma"]}
                cells |= {"upos": word.syn["upos"]}
                cells |= {"case": word.syn["Case"]} if "Case" in word.syn else {}
                cells |= {"kind": word.sem["kind"]} if "kind" in word.sem else {}
                rows.append("- {" + ", ".join(f"{name}: {cell}" for name, cell in cells.items()) + "}\n")
        return {"words.yaml": "".join(rows) or "[]\n"}

    def read(self, tokens: Sequence[str]) -> Phrase:
        """What a sentence means."""
        found = self._phrase(tokens, 0)
        assert found.end == len(tokens)
        return found

    def _phrase(self, tokens: Sequence[str], start: int) -> Phrase:
        for word in self.words:
            if word.form == tokens[start]:
                syn = Graph({start: {"lemma": word.form, **word.syn}}, frozenset(), start)
                own = {} if word.category.mute else {start: {"lemma": word.form, **word.sem}}
                return Phrase(word.ja, syn, Graph(own, frozenset(), start), word.values, start + 1)
        (rule,) = (rule for rule in self.rules if rule.items[0] == tokens[start])
        parts: dict[str, Phrase] = {}
        places: dict[str, int] = {}
        at = start
        for item in rule.items:
            places[item] = at
            if item in rule.of:
                parts[item] = self._phrase(tokens, at)
            at = parts[item].end if item in parts else at + 1
        bound = {
            VARIABLE[name]: parts[child.role].values[name]
            for child in rule.children
            for name, value in child.values.items()
            if value == VARIABLE[name]
        }
        ja = "".join(parts[item].ja if item in parts else item for item in rule.ja)
        values = {name: bound.get(value, value) for name, value in rule.values.items()}
        syn = self._graph(rule, "syn", {x: part.syn for x, part in parts.items()}, places, bound)
        sem = self._graph(rule, "sem", {x: part.sem for x, part in parts.items()}, places, bound)
        # Where the free layer says nothing, its head is that of the first one.
        return Phrase(ja, syn, sem, values, at)

    def _graph(
        self, rule: Rule, layer: str, parts: Mapping[str, Graph], places: Mapping[str, int], bound: Attributes
    ) -> Graph:
        said = rule.syn if layer == "syn" else rule.sem
        nodes = {place: own for part in parts.values() for place, own in part.nodes.items()}
        for form, own in rule.quoted.items():
            if any(form in (edge.source, edge.target) for edge in said):
                given = (own.syn or self.literals.get(form, {})) if layer == "syn" else own.sem
                nodes[places[form]] = {"lemma": form, **given}
        heads = {**places, **{role: part.head for role, part in parts.items()}}
        edges = {(heads[e.source], e.named(bound), heads[e.target]) for e in said if e.holds(bound)}
        top = _top(rule) if layer == "syn" or not rule.head else rule.head
        return Graph(nodes, frozenset(edges).union(*(part.edges for part in parts.values())), heads[top])


def _table(word: Word) -> str:
    return "t" + word.category.name.lower() + "".join(word.values.values())


def _top(rule: Rule) -> str:
    """The end that no edge of the tree leads to."""
    targets = {edge.target for edge in rule.syn if not edge.label.startswith("~")}
    (top,) = {*rule.items} - targets
    return top
