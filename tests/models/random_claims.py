"""Are splits, verdicts and data what the documentation says, on random grammars and patterns?

Draws grammars with agreement, gaps, doubled edges, tables of words, restrictions, parameters and
kept rules, and patterns with all their clauses; writes them as SGL and compiles them.  A model
that shares nothing with the compiler (``claims_model.py``) lists the sentences up to a length and
says of each to which streams it belongs::

    python benchmarks/models.py random_claims --pairs 1000 --seed 1 --datasets 20

With ``--layers`` grammars have two more graph layers, of which words may have no part in some, and
rules may leave it open which node is the head.  Patterns join several layers, with ``without``,
``within`` and ``outside`` about words of another one; what the documentation forbids is refused::

    python benchmarks/models.py random_claims --layers --pairs 2600 --seed 100000 --datasets 40

Compared are, for each stream, the derivations with their texts and graphs; the verdicts of
proofs; the checker of certificates; the CoNLL-U of further layers, as it is written, made by the
checker of rows and read by the verifier; and, of every so many pairs, a dataset, in which no
string may have a reading that it must not have.  Differences are printed with their seeds, and the exit
status is then 1.  The grammars lie in a directory that is named at the end if there are any.
"""

from __future__ import annotations

import argparse
import tempfile
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from pathlib import Path
from random import Random

from certified import core_of, meaning_of

from claims_model import (
    COMPARE,
    Body,
    Category,
    Child,
    Fragment,
    Grammar,
    Labels,
    Link,
    Rule,
    Structure,
    Tree,
    Word,
    contains,
    faults,
    trees,
    within,
)
from common import print_table
from sgl.automata import IngredientKind, Proofs, StructureCompiler, StructureTooCostly, UnsupportedStructure, Verdict
from sgl.automata.weights.split import SplitGrammar, count_derivations, longest_text
from sgl.cli.arguments import graph_text
from sgl.core.extent import Extent
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import interpret
from sgl.core.plan import Stratum
from sgl.core.structure import Body as StructureBody
from sgl.core.structure import LengthTest
from sgl.core.structure import Structure as CoreStructure
from sgl.dataset.fingerprint import core_form
from sgl.diagnostics import Diagnostics, Severity, SourceMap
from sgl.frontend import Compiled
from sgl.pipeline.grammar import open_grammar
from sgl.pipeline.production import produce
from sgl.pipeline.proofs import certificate_file, establish
from sgl.rendering.conllu import ConlluError
from sgl.sampling.acceptance import NotEnoughError
from sgl.sampling.engine import Listing
from sgl.sampling.tables import pack_states
from sgl.verify import certificate_faults
from sgl.verify.candidates import Candidates, Source
from sgl.verify.conllu import Sentence, TokenTable, read_sentences
from sgl.verify.schema import CertificateData, DrawnState, DrawnTables

#: Words of the longest sentence, and the most phrases of a category that are listed.
LONGEST, MOST = 8, 2_500
#: The sentences of training whose files are compared.
FILES = 50


@dataclass(frozen=True)
class Condition:
    """What some match of the structure of an item can be extended to or, ``outside``, none."""

    structure: Structure
    outside: bool

    def __str__(self) -> str:
        return f"{'outside' if self.outside else 'within'} {self.structure}"

    def holds(self, tree: Tree, items: Sequence[Structure]) -> bool:
        """Whether it is so in a sentence."""
        return any(within(tree, own, self.structure) for own in items) != self.outside


@dataclass(frozen=True)
class Pattern:
    """A pattern of the model; the members are its clauses."""

    name: str
    forbid: tuple[Structure, ...]
    never: tuple[Structure, ...] = ()
    gen: tuple[Structure, ...] = ()
    exclude: tuple[Structure, ...] = ()
    need: tuple[Structure, ...] = ()
    waive: tuple[Structure, ...] = ()
    expose: tuple[Structure, ...] = ()
    sizes: tuple[tuple[Condition, ...], ...] = ((),)

    @property
    def items(self) -> tuple[Structure, ...]:
        """What the items contain one of."""
        return self.gen or self.held_out

    @property
    def held_out(self) -> tuple[Structure, ...]:
        """What training must not contain."""
        return *self.forbid, *self.never

    def source(self) -> str:
        """The declaration."""
        clauses = (
            ("forbid", self.forbid),
            ("assert never", self.never),
            ("gen", self.gen),
            ("exclude", self.exclude),
            ("need", self.need),
            ("waive", self.waive),
            ("expose 1", self.expose),
        )
        lines = [f"  {word} {structure}" for word, group in clauses for structure in group]
        sizes = ", ".join(" ".join(["1", *map(str, conditions)]) for conditions in self.sizes)
        return "\n".join([f"pattern {self.name}", *lines, f"  size {sizes}", ""])


@dataclass(frozen=True)
class StreamClaims:
    """What the sentences of a stream contain one of, if there are any, and none of.

    A sentence with a kept rule may contain what is ``cut``.  The ``conditions`` are about matches of ``some``.
    """

    some: tuple[Structure, ...]
    none: tuple[Structure, ...]
    cut: tuple[Structure, ...]
    conditions: tuple[Condition, ...] = ()


# --- random grammars and patterns -------------------------------------------------------------


class Maker:
    """Draws a grammar and its patterns."""

    def __init__(self, random: Random, *, layered: bool = False) -> None:
        """Begin; a ``layered`` grammar has two more graph layers, and structures about them."""
        self.random, self.layered = random, layered
        categories = [Category("S", number=False, gap=False)]
        for number, name in enumerate(("A", "B", "G")[: random.randint(2, 3)]):
            gap = name == "G" and bool(number)
            categories.append(Category(name, number=random.random() < 0.5, gap=gap))
        self.categories = tuple(categories)
        self.lemmas = [f"l{n}" for n in range(random.randint(2, 4))]
        words = tuple(self._words())
        rules = tuple(self._rules())
        if layered:
            words, rules = self._with_layers(words, rules)
        self.lemmas = sorted({word.lemma for word in words})
        self.used = sorted({label for rule in rules for _, label, _ in rule.edges})
        self.values = {"lemma": self.lemmas, "upos": ["N", "V"]}
        #: Of each layer the labels, and the values of attributes.
        self.known = {"syn": (self.used, self.values)}
        for layer in ("sem", "dep") if layered else ():
            edges = [edge for rule in rules for edge in rule.further[layer].edges]
            own = [word for word in words if word.speaks_of(layer)]
            values = {"lemma": sorted({w.lemma for w in own}), "upos": sorted({w.upos for w in own})}
            self.known[layer] = sorted({label for _, label, _ in edges}), values if own else {"upos": ["N"]}
        relation = {}
        if random.random() < 0.4:
            chosen = random.sample(self.lemmas, random.randint(1, len(self.lemmas)))
            relation = {random.choice(self.lemmas): tuple(sorted(chosen))}
        self.grammar = Grammar(self.categories, words, rules, relation, self.labels())
        self.patterns = tuple(self._patterns())

    def _words(self) -> Iterator[Word]:
        random, forms = self.random, set[str]()
        for category in self.categories[1:]:
            table = random.random() < 0.4
            for number in ("sg", "pl") if category.number else ("",):
                for _ in range(0 if category.gap else random.randint(1, 2)):
                    form = f"{category.name.lower()}{number}{random.randrange(1000)}"
                    # A term names a word by its form, so no two words have one.
                    form += "x" * (form in forms)
                    forms.add(form)
                    lemma, upos = random.choice(self.lemmas), random.choice("NV")
                    yield Word(category, number, form, lemma, upos, table)

    def _rules(self) -> Iterator[Rule]:
        random, number = self.random, 0
        for category in self.categories:
            most = 2 if category.name == "S" else 1
            least = 0 if category.name in "AB" else 1
            for _ in range(random.randint(least, max(least, most))):
                number += 1
                yield self._rule(f"r{number}", category)

    def _rule(self, name: str, category: Category) -> Rule:
        """A rule; its basic edges are a tree below the first child."""
        random = self.random
        plain = [c for c in self.categories[1:] if not c.gap]
        gapped = [c for c in self.categories if c.gap]
        arity = random.randint(2, 3) if category.name == "S" else random.randint(1, 2)
        chosen = [random.choice(plain) for _ in range(arity)]
        if category.gap and random.random() < 0.3:
            chosen[0] = category
        elif not category.gap and gapped and arity > 1 and random.random() < 0.6:
            chosen[0] = gapped[0]
        number = random.choice(("n", "n", "sg", "")) if category.number else ""
        children = tuple(
            Child(f"x{at}", c, random.choice(("n", "n", "m", "pl", "")) if c.number else "")
            for at, c in enumerate(chosen)
        )
        mentioned = Counter([number, *(child.number for child in children)])
        # A variable that is mentioned once is none.
        once = {name for name in ("n", "m") if mentioned[name] == 1}
        number = "" if number in once else number
        children = tuple(replace(c, number="") if c.number in once else c for c in children)
        quoted = f"q{name}" if arity == 1 or random.random() < 0.3 else ""
        roles = [child.role for child in children]
        edges = [
            (random.choice(roles[:at]), random.choice(("a", "b", "c")), role) for at, role in enumerate(roles) if at
        ]
        if quoted:
            edges.append((random.choice(roles), random.choice(("a", "b", "c")), "quoted"))
        fills: tuple[tuple[str, str], ...] = ()
        hands_on = ""
        if chosen[0].gap and category.gap:
            hands_on = "x0"
        elif chosen[0].gap:
            fills = (("x0", random.choice(roles[1:])),)
            if random.random() < 0.5:
                # The rule that made the gap may have written the same edge.
                edges.append(("x0", random.choice(("~a", "~b")), fills[0][1]))
        elif category.gap:
            edges.append((random.choice(roles), random.choice(("~a", "~b")), "gap"))
        for _ in range(random.choice((0, 1, 1, 2))):
            ends = [*roles, *(["gap"] if hands_on else [])]
            source, target = random.choice(roles), random.choice(ends)
            if source != target:
                edges.append((source, random.choice(("~a", "~b")), target))
        return Rule(
            name, category, number, children, quoted, tuple(dict.fromkeys(edges)), fills, hands_on,
            backwards=random.random() < 0.5, keep=random.random() < 0.05,
        )  # fmt: skip

    def _with_layers(
        self, words: tuple[Word, ...], rules: tuple[Rule, ...]
    ) -> tuple[tuple[Word, ...], tuple[Rule, ...]]:
        """Say what words and rules are in two more layers; some words have no part in some."""
        random = self.random
        made = {rule.category for rule in rules}
        silent = {c for c in self.categories if c not in made and random.random() < 0.5}
        mute: dict[object, tuple[str, ...]] = {}
        for word in words:
            # Those of one table are alike.
            key = (word.category, word.number) if word.table else word
            mute.setdefault(key, tuple(layer for layer in ("sem", "dep") if random.random() < 0.25))
            mute[word] = mute[key]
        words = tuple(replace(word, silent=word.category in silent, mute=mute[word]) for word in words)
        rules = tuple(self._with_fragments(rule) for rule in rules)
        # A few grammars stay wrong.
        mended = random.random() < 0.95
        while mended and (wrong := faults(Grammar(self.categories, words, rules))):
            names = {name for _, name in wrong}
            rules = tuple(self._with_fragments(rule) if rule.name in names else rule for rule in rules)
            if random.random() < 0.2:
                words = tuple(replace(word, silent=False, mute=()) for word in words)
        return words, rules

    def _with_fragments(self, rule: Rule) -> Rule:
        return replace(rule, further={layer: self._fragment(rule) for layer in ("sem", "dep")})

    def _fragment(self, rule: Rule) -> Fragment:
        """What a rule says of a further layer: any edges, and perhaps which node is the head; or nothing at all."""
        random, roles = self.random, [child.role for child in rule.children]
        opens = rule.category.gap and not rule.hands_on
        if not opens and random.random() < 0.2:
            return Fragment("", (), rule.fills, said=False)
        ends = [*roles, *["quoted"] * bool(rule.quoted)]
        edges = [(random.choice(roles), random.choice("abc"), "gap")] if opens else []
        for _ in range(random.choice((0, 1, 2, 3, 3))):
            source, target = random.choice(ends), random.choice(ends)
            if source != target:
                edges.append((source, random.choice(("a", "b", "c", "d", "~a")), target))
                # In a circle no node is above the others.
                edges += [(target, "b", source)] if random.random() < 0.2 else []
        fills = tuple((child, random.choice([role for role in roles if role != child])) for child, _ in rule.fills)
        # An edge is written once, with `~` or without.
        once = {(source, label.removeprefix("~"), target): (source, label, target) for source, label, target in edges}
        return Fragment(random.choice(("", random.choice(roles))), tuple(once.values()), fills)

    def labels(self) -> Labels:
        """A test of labels."""
        random = self.random
        names = tuple(sorted({random.choice(self.used) for _ in range(random.randint(1, 2))}))
        return Labels(random.random() < 0.2, names)

    def body(self, held: Sequence[str], prefix: str, new: int) -> Body:
        """A connected body with ``new`` variables of its own besides those that are held."""
        random = self.random
        names = [*held, *(f"{prefix}{n}" for n in range(new))]
        links = []
        for at in range(max(len(held), 1), len(names)):
            ends = [names[random.randrange(at)], names[at]]
            random.shuffle(ends)
            low, high = random.choice(((1, 1), (1, 1), (1, 1), (1, None), (1, 2)))
            links += [Link(ends[0], self.labels(), low, high, ends[1])] if self.used else []
        tests, degrees = self._tests(names[len(held) :])
        used = {name for link in links for name in (link.source, link.target)}
        return Body(tuple(n for n in names if n in used or n not in held), tests, degrees, tuple(links))

    def _tests(
        self, names: Sequence[str]
    ) -> tuple[dict[str, tuple[str, bool, tuple[str, ...]]], dict[str, tuple[Labels, str, int]]]:
        random, tests, degrees = self.random, {}, {}
        for name in names:
            if random.random() < 0.4:
                attribute = random.choice([*self.values])
                tests[name] = (attribute, random.random() < 0.2, (random.choice(self.values[attribute]),))
            if random.random() < 0.25 and self.used:
                comparison = random.choice(("=", ">=", "<="))
                degrees[name] = (Labels(False, (random.choice(self.used),)), comparison, random.randint(1, 2))
        return tests, degrees

    def structure(self) -> Structure:
        """A structure of one to three nodes, of any layer, or of several."""
        random = self.random
        if not self.layered or random.random() < 0.2:
            return self._of_layer("syn")
        if random.random() < 0.4:
            return self._lacking(self._of_layer(random.choice(("sem", "dep"))))
        first, second = self._of_layer("syn"), self._of_layer("sem")
        if random.random() < 0.25:
            # Words of different languages have nothing in common.
            return replace(self._of_layer("dep", "U"), more=(first,))
        if random.random() < 0.7:
            return self._lacking(replace(first, more=(second,)))
        return self._lacking(replace(second, more=(first,)))

    def _lacking(self, structure: Structure) -> Structure:
        """The structure, sometimes without something that is said of its words in one of its layers."""
        random = self.random
        if random.random() < 0.6:
            return structure
        held = random.sample(sorted(structure.names), min(len(structure.names), random.choice((1, 1, 2))))
        parts = [*structure.parts]
        at = random.randrange(len(parts))
        own = self.loose(parts[at].layer, held, "Y", random.choice((0, 1, 1)))
        parts[at] = replace(parts[at], without=(*parts[at].without, own))
        return replace(parts[0], more=tuple(parts[1:]))

    def loose(self, layer: str, held: Sequence[str], prefix: str, new: int) -> Body:
        """A body whose nodes need not be connected, with what is said of the variables that are held."""
        random, names = self.random, [*held, *(f"{prefix}{n}" for n in range(new))]
        self.used, self.values = self.known[layer]
        links = []
        for at in range(1, len(names)):
            ends = [names[random.randrange(at)], names[at]]
            random.shuffle(ends)
            if self.used and random.random() < 0.85:
                links.append(Link(ends[0], self.labels(), *random.choice(((1, 1), (1, 1), (1, None))), ends[1]))
        tests, degrees = self._tests([name for name in names if random.random() < 0.6])
        self.used, self.values = self.known["syn"]
        return Body(tuple(names), tests, degrees, tuple(links))

    def condition(self, items: Sequence[Structure]) -> Condition:
        """A condition on items, which may speak of words of their structures in any layer."""
        random = self.random
        names = sorted(frozenset.intersection(*(own.names for own in items)))
        japanese = {name for own in items for part in own.parts if part.layer == "dep" for name in part.body.variables}
        english = {name for own in items for part in own.parts if part.layer != "dep" for name in part.body.variables}
        layers = random.choice((("syn",), ("sem",), ("sem",), ("dep",), ("syn", "sem"), ("sem", "syn")))
        foreign = english if layers == ("dep",) else japanese
        known = [name for name in names if name not in foreign]
        parts = []
        for layer in layers:
            held = random.sample(known, min(len(known), random.choice((0, 1, 1, 2))))
            body = self.loose(layer, held, "C", random.choice((0, 1, 1, 2)) if held else 1)
            without = []
            if random.random() < 0.25:
                of = random.sample([*known, *body.variables], 1)
                without.append(self.loose(layer, of, "D", random.choice((0, 1))))
            parts.append(Structure(body, tuple(without), layer=layer))
        return Condition(replace(parts[0], more=tuple(parts[1:])), outside=random.random() < 0.4)

    def _of_layer(self, layer: str, prefix: str = "V") -> Structure:
        """A structure of one to three nodes, sometimes with something that it lacks."""
        self.used, self.values = self.known[layer]
        found = replace(self._bodies(prefix), layer=layer)
        self.used, self.values = self.known["syn"]
        return found

    def _bodies(self, prefix: str) -> Structure:
        random = self.random
        body = self.body((), prefix, random.choice((1, 2, 2, 3)))
        if random.random() < 0.25:
            held = random.sample(body.variables, 1)
            return Structure(body, (self.body(held, "W" if prefix == "V" else "X", 1),))
        return Structure(body)

    def _patterns(self) -> Iterator[Pattern]:
        random = self.random
        for number in range(random.randint(1, 2)):

            def some(chance: float) -> tuple[Structure, ...]:
                return (self.structure(),) if random.random() < chance else ()

            pattern = Pattern(
                f"p{number}",
                (self.structure(), *some(0.2)),
                gen=some(0.2),
                exclude=some(0.2),
                need=some(0.2),
                waive=some(0.1),
                expose=some(0.2),
            )
            if self.layered:
                sizes = random.choice(((0,), (0,), (1,), (1,), (2,), (1, 1)))
                pattern = replace(
                    pattern, sizes=tuple(tuple(self.condition(pattern.items) for _ in range(n)) for n in sizes)
                )
            yield pattern

    def source(self) -> str:
        """The whole grammar file."""
        dataset = "\ndataset\n  from S\n  output ja\n  train 2\n  seed 1\n"
        patterns = "\n".join(pattern.source() for pattern in self.patterns)
        return f"{self.grammar.source()}\n{patterns}{dataset}"

    def streams(self) -> dict[str, StreamClaims]:
        """What is asked of the sentences of each stream."""
        held_out = tuple(s for pattern in self.patterns for s in pattern.held_out)
        exposed = tuple(s for pattern in self.patterns for s in pattern.expose)
        streams = {"train/in_distribution": StreamClaims((), (), (*held_out, *exposed))}
        for pattern in self.patterns:
            own = set(pattern.held_out)
            others = tuple(s for s in held_out if s not in own)
            reserved = tuple(s for s in exposed if s not in pattern.expose)
            for index, structure in enumerate(pattern.expose):
                name = f"train/exposure:{pattern.name}/{index}"
                streams[name] = StreamClaims((structure,), (), (*held_out, *reserved))
            for index, conditions in enumerate(pattern.sizes):
                none = (*pattern.exclude, *others)
                streams[f"gen/{pattern.name}/{index}"] = StreamClaims(pattern.items, none, (), conditions)
        return streams


class MeasuringMaker(Maker):
    """Draws a grammar whose patterns also say how long sentences are, and how deep."""

    def structure(self) -> Structure:
        """A structure, with tests on lengths, or a depth in its place."""
        random = self.random
        lengths = tuple(
            (random.choice(("en", "ja")), random.choice((*COMPARE,)), random.randint(1, 7))
            for _ in range(random.choice((0, 1, 1, 2)))
        )
        kind = random.random()
        if kind < 0.3:
            sign = random.choice([*{*COMPARE} - {"!="}])
            return Structure(NOTHING, (), lengths, (self.labels(), sign, random.randint(1, 3)))
        if kind < 0.6 and lengths:
            return Structure(NOTHING, (), lengths)
        plain = super().structure()
        return Structure(plain.body, plain.without, lengths)


#: A body that every sentence has.
NOTHING = Body((), {}, {}, ())

# --- the comparison ---------------------------------------------------------------------------


class Difference(Exception):
    """The compiler and the model say different things."""


def main() -> int:
    """Run the comparison; the result is the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100, help="grammars with their patterns")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--datasets", type=int, default=20, help="a dataset of every so many pairs")
    parser.add_argument("--measures", action="store_true", help="patterns with lengths and depths")
    parser.add_argument("--layers", action="store_true", help="structures on three graph layers")
    options = parser.parse_args()
    figures: Counter[str] = Counter()
    folder = Path(tempfile.mkdtemp(prefix="claims"))
    for seed in range(options.seed, options.seed + options.pairs):
        place = folder / str(seed)
        try:
            kind = MeasuringMaker if options.measures else Maker
            dataset = seed % options.datasets == 0
            compare(seed, place, figures, dataset=dataset, kind=kind, layered=options.layers)
        except Difference as difference:
            figures["differences"] += 1
            print(f"seed {seed}: {difference}", flush=True)
        except Exception:  # noqa: BLE001 - a crash is a finding
            figures["differences"] += 1
            print(f"seed {seed}: {traceback.format_exc()}", flush=True)
    print_table(("", "number"), sorted(figures.items()))
    if figures["differences"]:
        print(f"the grammars are in {folder}")
    return 1 if figures["differences"] else 0


def compare(
    seed: int, place: Path, figures: Counter[str], *, dataset: bool, kind: type[Maker] = Maker, layered: bool = False
) -> None:
    """Compare one grammar with its patterns.

    Raises:
        Difference: the compiler and the model say different things.
    """
    maker = kind(Random(seed), layered=layered)  # noqa: S311
    diagnostics = Diagnostics()
    compiled = _opened(maker, place, diagnostics, figures)
    if compiled is None:
        return
    structures = StructureCompiler(compiled.grammar)
    listed, longest = trees(maker.grammar, LONGEST, MOST)
    figures["compiled"] += 1
    figures["with a restriction"] += bool(maker.grammar.relation)
    figures["with a kept rule"] += any(rule.keep for rule in maker.grammar.rules)
    figures["with doubled edges"] += any(_doubles(maker.grammar, tree) for tree in listed)
    try:
        members = compare_streams(maker, compiled, structures, listed, longest, figures)
        if layered:
            compare_files(maker, compiled, structures, listed, longest, figures)
        proofs = establish(compiled, structures, diagnostics)
    except (StructureTooCostly, UnsupportedStructure):
        figures["too costly"] += 1
        return
    if proofs is None:
        figures["undecided"] += 1
        return
    check_verdicts(maker, proofs, members, figures)
    check_certificate(compiled, structures, proofs, figures)
    if dataset and proofs.proved and not diagnostics.errors:
        try:
            produced = produce(compiled, structures, proofs, place / "out", lambda *_: None)
        except NotEnoughError:
            figures["too few sentences"] += 1
            return
        except ConlluError:
            # The same edge with and without ``~`` cannot be written.
            figures["not writable"] += 1
            return
        if not produced.verification.ok:
            raise Difference("the verifier finds violations")
        check_strings(maker, place / "out", listed, longest, figures)


def _opened(maker: Maker, place: Path, diagnostics: Diagnostics, figures: Counter[str]) -> Compiled | None:
    """Compile a grammar; None if it has errors.

    Raises:
        Difference: it has what the documentation forbids in further layers, or is said to have it.
    """
    place.mkdir(parents=True)
    for name, text in {"main.sgl": maker.source(), **maker.grammar.files()}.items():
        (place / name).write_text(text, "utf-8")
    figures["pairs"] += 1
    compiled = open_grammar(place / "main.sgl", {}, SourceMap(), diagnostics)
    wrong = {code for code, _ in faults(maker.grammar)}
    codes = {found.code for found in diagnostics.found if found.severity is Severity.ERROR}
    if (wrong and compiled is not None) or codes & {"SGL0516", "SGL0518"} - wrong:
        raise Difference(f"by the documentation the grammar has {wrong}, and what is said is {codes}")
    if compiled is None:
        figures[f"refused {min(codes)}"] += 1
    return compiled


def check_certificate(compiled: Compiled, structures: StructureCompiler, proofs: Proofs, figures: Counter[str]) -> None:
    """Check that the certificate is accepted, unless a stratum has no text.

    Raises:
        Difference: it is refused.
    """
    if proofs.unsatisfiable:
        figures["without items"] += 1
        return
    faults = certificate_faults(certificate_file(compiled, structures).content)
    if faults:
        raise Difference(f"the checker refuses the certificate: {faults[0]}")
    figures["certificates accepted"] += 1


def _doubles(grammar: Grammar, tree: Tree) -> bool:
    of = {rule.name: len(rule.edges) for rule in grammar.rules}
    written = sum(of.get(word, 0) for word in tree.term.replace("(", " ").split())
    return written > len(tree.edges)


def compare_streams(
    maker: Maker,
    compiled: Compiled,
    structures: StructureCompiler,
    listed: Sequence[Tree],
    longest: int,
    figures: Counter[str],
) -> dict[str, list[Tree]]:
    """Compare the sentences of each stream, and return those of the model.

    Raises:
        Difference: a stream has other sentences, or sentences with other values.
    """
    kept = {rule.name for rule in maker.grammar.rules if rule.keep}
    members: dict[str, list[Tree]] = {}
    streams = maker.streams()
    wanted = {s for own in streams.values() for s in (*own.some, *own.none, *own.cut)}
    found = {(tree.term, s): contains(tree, s) for tree in listed for s in wanted}

    def belongs(tree: Tree, claims: StreamClaims) -> bool:
        def has(group: tuple[Structure, ...]) -> bool:
            return any(found[tree.term, structure] for structure in group)

        lacks = not has(claims.none) and (bool(tree.rules & kept) or not has(claims.cut))
        own = lacks and (not claims.some or has(claims.some))
        return own and all(condition.holds(tree, claims.some) for condition in claims.conditions)

    for stratum in compiled.plan.strata:
        claims = streams[stratum.stream]
        members[stratum.stream] = own = [tree for tree in listed if belongs(tree, claims)]
        figures["verdicts"] += len(listed)
        expected = Counter(tree.value for tree in own)
        found_ones = Counter(derived(compiled, structures.split(stratum.constraint), longest))
        if expected != found_ones:
            lacking, more = expected - found_ones, found_ones - expected
            one = next(iter(lacking or more))
            raise Difference(
                f"{stratum.stream} lacks {lacking.total()} and has {more.total()} sentences "
                f"that it should not have, as {one}"
            )
        layer, source = compiled.plan.lemma_layer, compiled.grammar.text_layers[0].name
        for most in sorted({min(3, longest), min(5, longest), longest}):
            body = StructureBody((), lengths=(LengthTest(source, ">=", most + 1),))
            short = replace(stratum.constraint, exclude=(*stratum.constraint.exclude, CoreStructure(layer, body)))
            terms = Counter(tree.term for tree in own if len(tree.en) <= most)
            split = structures.split(short)
            figures["listed"] += _check_listing(compiled, stratum, split, terms, most)
    return members


def _check_listing(compiled: Compiled, stratum: Stratum, split: SplitGrammar, own: Counter[str], longest: int) -> int:
    """Compare the list of all derivations up to a length with the model; return their number.

    Raises:
        Difference: the list has others, has one twice, or the checker lists them otherwise.
    """
    size = count_derivations(split)
    most = longest_text(split, compiled.grammar.text_layers[0].name)
    if size is None or size > MOST:
        return 0
    if not isinstance(most, int) or most > longest or size != own.total():
        raise Difference(f"{stratum.stream} has {size} derivations, the model {own.total()}")
    if not size:
        return 0
    plan = replace(compiled.plan, strata=(replace(stratum, extent=Extent(size, every=True)),))
    states, (start,), _ = pack_states(compiled.grammar, plan, {stratum.stream: split})
    listing = Listing(states, start)
    core = core_of(core_form(compiled.grammar, plan))
    drawn = DrawnTables(tuple(DrawnState(own.bounds, own.rules, [*map(list, own.children)]) for own in states), [start])
    data = CertificateData("", "", core, "", 1, [0] * len(core.grammar.rules), (), (), drawn, ())
    checker, source = Candidates(data, abs), Source("", start, core.plan.strata[0].extent, frozenset())
    found = [tuple(listing.derivation(number) or ()) for number in range(size)]
    if [checker.candidate(source, n).derivation for n in range(size)] != found:
        raise Difference(f"{stratum.stream}: the checker lists other derivations")
    lengths = sum(len(interpret(compiled.grammar, d).tokens[0]) == most for d in found)
    if Counter(term_of(compiled.grammar, own) for own in found) != own or not lengths:
        raise Difference(f"{stratum.stream}: the list is not what the model has")
    return size


def derived(compiled: Compiled, split: SplitGrammar, longest: int) -> Iterator[tuple[object, ...]]:
    """Yield the values of all derivations of a split of up to so many words."""
    grammar = compiled.grammar
    for derivation in derivations(compiled, split, longest):
        item = interpret(grammar, derivation)
        found: list[object] = [term_of(grammar, derivation), *item.texts]
        for number, graph in enumerate(item.graphs):
            at = [node.position for node in graph.nodes]
            labels = tuple((node.get("lemma"), node.get("upos")) for node in graph.nodes)
            # In the first layer each word is a node.
            found.append(tuple(zip(at, labels, strict=True)) if number else labels)
            found.append(frozenset((at[s], label, at[t]) for s, label, t in graph.edges))
        yield tuple(found)


def derivations(compiled: Compiled, split: SplitGrammar, longest: int) -> Iterator[tuple[int, ...]]:
    """Yield all derivations of a split of up to so many words."""
    grammar = compiled.grammar
    rows: dict[int, list[tuple[int, Sequence[int]]]] = defaultdict(list)
    for state, rule, children, _ in split.transitions.rows():
        rows[state].append((rule, children))

    @cache
    def phrases(state: int, length: int) -> list[tuple[int, ...]]:
        found = []
        for rule, children in rows[state]:
            rest = length - grammar.source_tokens[rule]
            joined = _joined(children, rest, phrases) if children else [()] * (rest == 0)
            found += [(rule, *below) for below in joined]
        return found

    for root, _ in split.roots:
        for length in range(1, longest + 1):
            yield from phrases(root, length)


def compare_files(
    maker: Maker,
    compiled: Compiled,
    structures: StructureCompiler,
    listed: Sequence[Tree],
    longest: int,
    figures: Counter[str],
) -> None:
    """Compare the graphs that are written, and that the checker of rows makes, with the model.

    Raises:
        Difference: a file has other nodes or edges.
    """
    grammar, trees_of = compiled.grammar, {tree.term: tree for tree in listed}
    meaning = meaning_of(core_form(grammar, compiled.plan)["grammar"])
    split = structures.split(compiled.plan.strata[0].constraint)
    for derivation in islice(derivations(compiled, split, longest), FILES):
        tree, item = trees_of[term_of(grammar, derivation)], interpret(grammar, derivation)
        for layer in maker.grammar.further if tree.ja else ():
            text = graph_text(grammar, item, layer, sent_id="s", category="c")
            lines = meaning.sentence(layer, derivation)
            if not text.endswith(f"\n{lines}\n"):
                raise Difference(f"the checker writes {lines!r}, and the compiler {text!r}")
            read = read_text(text)
            place = {word: at for at, (_, word) in enumerate(tree.ja if layer == "dep" else tree.en)}
            graph = tree.graph(layer)
            nodes = {at: (w.get("lemma"), w.get("upos")) for at, w in enumerate(read.words) if not w.outside}
            edges = {(place[s], label, place[t]) for s, label, t in graph.edges}
            if nodes != {place[n]: label for n, label in graph.nodes.items()} or {*read.edges} != edges:
                raise Difference(f"{layer}: the file of {tree.text!r} has {nodes} and {read.edges}")
            figures["written graphs"] += 1


def read_text(text: str) -> Sentence:
    """Return a sentence of a free layer as the verifier reads it.

    Raises:
        Difference: it is malformed.
    """
    with tempfile.NamedTemporaryFile() as file:
        file.write(text.encode())
        file.flush()
        (read,) = read_sentences(Path(file.name), TokenTable(free=True))
    if not isinstance(read, Sentence):
        raise Difference(f"the verifier refuses {text!r}: {read.reason}")
    return read


def _joined(
    children: Sequence[int], total: int, phrases: Callable[[int, int], list[tuple[int, ...]]]
) -> Iterator[tuple[int, ...]]:
    first, *others = children
    if not others:
        yield from phrases(first, total) if total > 0 else []
        return
    for size in range(1, total):
        for one in phrases(first, size):
            for rest in _joined(others, total - size, phrases):
                yield *one, *rest


def term_of(grammar: CoreGrammar, derivation: Sequence[int]) -> str:
    """Return a derivation as the model writes it."""
    stack = list[str]()
    for number in reversed(derivation):
        rule = grammar.rules[number]
        name = grammar.categories[rule.lhs].name
        below = [stack.pop() for _ in rule.rhs]
        said = rule.name if rule.rhs else rule.words(0)[0]
        stack.append(f"({' '.join([name, said, *below])})")
    return stack.pop()


def check_verdicts(maker: Maker, proofs: Proofs, members: dict[str, list[Tree]], figures: Counter[str]) -> None:
    """Compare verdicts with the sentences of the streams.

    Raises:
        Difference: a claim is proved and a sentence contradicts it, or refuted wrongly.
    """
    training = [tree for name, own in members.items() if not name.startswith("gen/") for tree in own]
    shown = {tree.term for tree in training}
    for pattern in maker.patterns:
        of = proofs.of(pattern.name)
        for claim, structure in zip(of.held_out, pattern.held_out, strict=True):
            leaks = any(contains(tree, structure) for tree in training)
            figures["claims"] += 1
            if leaks and claim.verdict is Verdict.PROVED:
                raise Difference(f"held out is proved of {structure}, and training contains it")
        for index, apart in enumerate(of.disjoint):
            figures["claims"] += 1
            items = members[f"gen/{pattern.name}/{index}"]
            if apart.verdict is Verdict.PROVED and any(tree.term in shown for tree in items):
                raise Difference(f"{pattern.name} is proved disjoint, and is not")
        for licence, structure in zip(of.licences, pattern.need, strict=True):
            figures["claims"] += 1
            seen = any(contains(tree, structure) for tree in training)
            if seen and licence.verdict is Verdict.REFUTED:
                raise Difference(f"training lacks {structure} by the proof, and has it")
        known = {rule for tree in training for rule in tree.rules}
        for thing in of.exposed.unseen:
            figures["claims"] += 1
            if thing.kind is IngredientKind.RULE and thing.name in known:
                raise Difference(f"training cannot use {thing.name} by the proof, and does")


def check_strings(maker: Maker, directory: Path, listed: Sequence[Tree], longest: int, figures: Counter[str]) -> None:
    """Check that no string of a dataset has a reading that it must not have.

    Raises:
        Difference: some string has.
    """
    readings: dict[str, list[Tree]] = defaultdict(list)
    for tree in listed:
        readings[tree.text].append(tree)
    # Strings are parsed with the whole grammar, without restrictions.
    held_out = [s for pattern in maker.patterns for s in pattern.held_out]
    figures["datasets"] += 1
    for split in ("train", "dev", "gen"):
        path = directory / "data" / f"{split}.tsv"
        for row in path.read_text("utf-8").splitlines() if path.exists() else ():
            source, target, _ = row.split("\t")
            own = readings[source]
            if len(source.split()) > longest:
                continue
            figures["strings"] += 1
            if not own or {tree.target for tree in own} != {target}:
                raise Difference(f"{split}: {source!r} has other outputs than {target!r}")
            bad = [s for s in held_out if any(contains(tree, s) for tree in own)]
            if bad and split != "gen":
                raise Difference(f"{split}: {source!r} has a reading with {bad[0]}")
