"""Are splits, verdicts and data what the documentation says, on random grammars and patterns?

Draws grammars with agreement, gaps, doubled edges, tables of words, restrictions, parameters and
kept rules, and patterns with all their clauses; writes them as SGL and compiles them.  A model
that shares nothing with the compiler (``claims_model.py``) lists the sentences up to a length and
says of each to which streams it belongs::

    python benchmarks/random_claims.py --pairs 1000 --seed 1 --datasets 20

Compared are, for each stream, the derivations with their texts and graphs; the verdicts of
proofs; the checker of certificates; and, of every so many pairs, a dataset, in which no string
may have a reading that it must not have.  Differences are printed with their seeds, and the exit
status is then 1.  The grammars lie in a directory that is named at the end if there are any.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random

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
    trees,
)
from common import print_table
from sgl.automata import IngredientKind, Proofs, StructureCompiler, StructureTooCostly, UnsupportedStructure, Verdict
from sgl.automata.weights.split import SplitGrammar, count_derivations, longest_text
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import interpret
from sgl.core.plan import Stratum
from sgl.core.structure import Body as StructureBody
from sgl.core.structure import LengthTest
from sgl.core.structure import Structure as CoreStructure
from sgl.dataset.fingerprint import core_form
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.frontend import Compiled
from sgl.pipeline.grammar import open_grammar
from sgl.pipeline.production import produce
from sgl.pipeline.proofs import certificate_file, establish
from sgl.rendering.conllu import ConlluError
from sgl.sampling.acceptance import NotEnoughError
from sgl.sampling.engine import Listing
from sgl.sampling.tables import pack_states
from sgl.verify import certificate_faults
from sgl.verify.rows import Candidates

#: Words of the longest sentence, and the most phrases of a category that are listed.
LONGEST, MOST = 8, 2_500


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
        return "\n".join([f"pattern {self.name}", *lines, "  size 1", ""])


@dataclass(frozen=True)
class StreamClaims:
    """What the sentences of a stream contain one of, if there are any, and none of.

    A sentence with a kept rule may contain what is ``cut``.
    """

    some: tuple[Structure, ...]
    none: tuple[Structure, ...]
    cut: tuple[Structure, ...]


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
        self.used_in = {"syn": sorted({label for rule in rules for _, label, _ in rule.edges})}
        for layer in ("sem", "dep") if layered else ():
            edges = [edge for rule in rules for edge in rule.further[layer].edges]
            self.used_in[layer] = sorted({label for _, label, _ in edges})
        self.used = self.used_in["syn"]
        relation = {}
        if random.random() < 0.4:
            chosen = random.sample(self.lemmas, random.randint(1, len(self.lemmas)))
            relation = {random.choice(self.lemmas): tuple(sorted(chosen))}
        self.grammar = Grammar(self.categories, words, rules, relation, self.labels())
        self.patterns = tuple(self._patterns())

    def _words(self) -> Iterator[Word]:
        random = self.random
        for category in self.categories[1:]:
            table = random.random() < 0.4
            for number in ("sg", "pl") if category.number else ("",):
                for _ in range(0 if category.gap else random.randint(1, 2)):
                    form = f"{category.name.lower()}{number}{random.randrange(1000)}"
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
        """Say what words and rules are in two more layers; some categories have no target words."""
        random = self.random
        made = {rule.category for rule in rules}
        silent = {c for c in self.categories if c not in made and random.random() < 0.5}

        def heard(rule: Rule) -> list[str]:
            return [child.role for child in rule.children if child.category not in silent]

        if any(not heard(rule) or (rule.fills and heard(rule) == ["x0"]) for rule in rules):
            silent = set()
        words = tuple(replace(word, silent=word.category in silent) for word in words)
        found = []
        for rule in rules:
            every = [child.role for child in rule.children]
            further = {
                layer: self._fragment(rule, roles) for layer, roles in
                (("sem", every), ("dep", heard(rule)))
            }  # fmt: skip
            found.append(replace(rule, further=further))
        return words, tuple(found)

    def _fragment(self, rule: Rule, roles: list[str]) -> Fragment:
        """What a rule says of a further layer, of some of its children: any edges."""
        random, head = self.random, self.random.choice(roles)
        ends = [*roles, *["quoted"] * bool(rule.quoted)]
        edges = []
        if rule.category.gap and not rule.hands_on:
            edges.append((random.choice(roles), random.choice("abc"), "gap"))
        for _ in range(random.randint(0, 3)):
            source, target = random.choice(ends), random.choice(ends)
            if source != target:
                edges.append((source, random.choice("abcd"), target))
        fills = tuple((child, random.choice([role for role in roles if role != child])) for child, _ in rule.fills)
        return Fragment(head, tuple(dict.fromkeys(edges)), fills)

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
            links.append(Link(ends[0], self.labels(), low, high, ends[1]))
        tests, degrees = {}, {}
        for name in names[len(held) :]:
            if random.random() < 0.4:
                attribute = random.choice(("lemma", "upos"))
                values = self.lemmas if attribute == "lemma" else ["N", "V"]
                tests[name] = (attribute, random.random() < 0.2, (random.choice(values),))
            if random.random() < 0.25:
                comparison = random.choice(("=", ">=", "<="))
                degrees[name] = (Labels(False, (random.choice(self.used),)), comparison, random.randint(1, 2))
        used = {name for link in links for name in (link.source, link.target)}
        return Body(tuple(n for n in names if n in used or n not in held), tests, degrees, tuple(links))

    def structure(self) -> Structure:
        """A structure of one to three nodes, of any layer, or of several."""
        random = self.random
        if not self.layered or random.random() < 0.2:
            return self._of_layer("syn")
        if random.random() < 0.4:
            return self._of_layer(random.choice(("sem", "dep")))
        first, second = self._of_layer("syn"), self._of_layer("sem")
        if random.random() < 0.25:
            # Words of different languages have nothing in common.
            return replace(self._of_layer("dep", "U"), more=(first,))
        if random.random() < 0.7:
            return replace(first, more=(second,))
        return replace(second, more=(first,))

    def _of_layer(self, layer: str, prefix: str = "V") -> Structure:
        """A structure of one to three nodes, sometimes with something that it lacks."""
        self.used = self.used_in[layer] or ["a"]
        found = replace(self._bodies(prefix), layer=layer)
        self.used = self.used_in["syn"]
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

            yield Pattern(
                f"p{number}",
                (self.structure(), *some(0.2)),
                gen=some(0.2),
                exclude=some(0.2),
                need=some(0.2),
                waive=some(0.1),
                expose=some(0.2),
            )

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
            some = pattern.gen or pattern.held_out
            streams[f"gen/{pattern.name}/0"] = StreamClaims(some, (*pattern.exclude, *others), ())
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
    place.mkdir(parents=True)
    for name, text in {"main.sgl": maker.source(), **maker.grammar.files()}.items():
        (place / name).write_text(text, "utf-8")
    figures["pairs"] += 1
    diagnostics = Diagnostics()
    compiled = open_grammar(place / "main.sgl", {}, SourceMap(), diagnostics)
    if compiled is None:
        codes = {found.code for found in diagnostics.found if found.code != "SGL0405"}
        figures[f"refused {min(codes)}"] += 1
        return
    structures = StructureCompiler(compiled.grammar)
    listed, longest = trees(maker.grammar, LONGEST, MOST)
    figures["compiled"] += 1
    figures["with a restriction"] += bool(maker.grammar.relation)
    figures["with a kept rule"] += any(rule.keep for rule in maker.grammar.rules)
    figures["with doubled edges"] += any(_doubles(maker.grammar, tree) for tree in listed)
    try:
        members = compare_streams(maker, compiled, structures, listed, longest, figures)
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
        return lacks and (not claims.some or has(claims.some))

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
    plan = replace(compiled.plan, strata=(replace(stratum, every=True, count=size),))
    states, (start,), _ = pack_states(compiled.grammar, plan, {stratum.stream: split})
    listing = Listing(states, start)
    form = json.loads(json.dumps(core_form(compiled.grammar, plan)))
    sampler = {"states": json.loads(json.dumps(states))}
    checker = Candidates({"seed": 1, "sampler": sampler, "core": form}, int)
    found = [tuple(listing.derivation(number) or ()) for number in range(size)]
    if [checker.draw("", n, start, size) for n in range(size)] != found:
        raise Difference(f"{stratum.stream}: the checker lists other derivations")
    lengths = sum(len(interpret(compiled.grammar, d).tokens[0]) == most for d in found)
    if Counter(term_of(compiled.grammar, own) for own in found) != own or not lengths:
        raise Difference(f"{stratum.stream}: the list is not what the model has")
    return size


def derived(compiled: Compiled, split: SplitGrammar, longest: int) -> Iterator[tuple[object, ...]]:
    """Yield the values of all derivations of a split of up to so many words."""
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
            for derivation in phrases(root, length):
                item = interpret(grammar, derivation)
                found: list[object] = [term_of(grammar, derivation), *item.texts]
                for number, graph in enumerate(item.graphs):
                    at = [node.position for node in graph.nodes]
                    labels = tuple((node.get("lemma"), node.get("upos")) for node in graph.nodes)
                    # In the first layer each word is a node.
                    found.append(tuple(zip(at, labels, strict=True)) if number else labels)
                    found.append(frozenset((at[s], label, at[t]) for s, label, t in graph.edges))
                yield tuple(found)


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
        items = members[f"gen/{pattern.name}/0"]
        for claim in of.disjoint:
            figures["claims"] += 1
            if claim.verdict is Verdict.PROVED and any(tree.term in shown for tree in items):
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


if __name__ == "__main__":
    sys.exit(main())
