"""Do names mean what docs/names.md says?

Draws small grammars whose phrases pass names on, in up to two features, with lexicons of one or two categories and
tables that another feature divides.  A model that shares nothing with the compiler lists all trees, finds which places
have one name by joining them, and gives the names in every way::

    python benchmarks/models.py namings --grammars 300 --seed 1

Compared are, for each grammar, whether it is refused, the sentences with both texts and their probabilities, the
readings of each sentence and of the ones with confused names, the drawn items, and which sentences are held out.  The
verifier's own reading of names is compared with the compiler's.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import permutations, product
from pathlib import Path
from random import Random

from harness import Compare, command, first_of
from notation import derivations
from sgl.automata import StructureCompiler
from sgl.core.interpret import all_tokens, interpret
from sgl.diagnostics import Diagnostics, Severity, SourceMap
from sgl.frontend import Compiled
from sgl.parsing import BatchParser, Parser, best_readings
from sgl.pipeline.grammar import open_grammar
from sgl.sampling import pack, sample
from sgl.sampling.engine import mix
from sgl.verify.naming import Bearers

#: The features for names of each category, and whether it also has the feature that divides the names.
SLOTS = {"S": (), "A": ("first", "last"), "B": ("only",), "N": ("who",), "G": ("who",)}
BELOW = {"S": "ABNG", "A": "BNG", "B": "NG"}


@dataclass(frozen=True)
class Rule:
    """A rule: for its category and each child a variable for each feature; ``sexes`` of the children that are names."""

    name: str
    left: str
    children: str
    variables: tuple[tuple[str, ...], ...]
    sexes: tuple[str, ...]
    dropped: int
    weight: int


@dataclass(frozen=True)
class Tree:
    """A rule over trees, or a word: a category with a sex."""

    rule: Rule | None
    below: tuple[Tree, ...]
    word: tuple[str, str] = ("", "")


class Model:
    """A random grammar with its meaning."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.divided = random.random() < 0.4
        size = random.randint(2, 4)
        self.names = [(f"n{k}", random.choice("fm") if self.divided else "f") for k in range(size)]
        self.sexes = sorted({sex for _, sex in self.names})
        self.rules = [self._rule(f"{left.lower()}{k}", left) for left in "SAB" for k in range(random.randint(1, 2))]

    def _rule(self, name: str, left: str) -> Rule:
        random = self.random
        children = "".join(random.choice(BELOW[left]) for _ in range(random.randint(1, 3 if left == "S" else 2)))
        variables = tuple(tuple(random.sample("xyzw", len(SLOTS[c]))) for c in (left, *children))
        sexes = tuple(random.choice(self.sexes) if c in "NG" else "" for c in children)
        dropped = random.randrange(len(children)) if len(children) > 1 and random.random() < 0.3 else -1
        return Rule(name, left, children, variables, sexes, dropped, random.choice((1, 1, 2, 3)))

    def source(self) -> str:
        """The grammar as text."""
        sex = ", sex" if self.divided else ""
        given = "[sex=$sex]" if self.divided else ""
        lines = ["module namings", "layer en : text", "layer ja : text"]
        lines += [f"feature {name} = names of people" for name in ("first", "last", "only", "who")]
        lines += ["feature sex = f | m", "category S", "category A[first, last]", "category B[only]"]
        lines += [f"category N[who{sex}]", f"category G[who{sex}]", 'lexicon people from "people.yaml"']
        lines += [
            f"  N{given}",
            "    en $name",
            "    ja $name",
            f"  G{given}",
            '    en $name + "s"',
            '    ja "of-" + $name',
        ]
        lines += [line for rule in self.rules for line in self._written(rule)]
        met = sorted({name for tree, _ in self.trees() for name in _rules(tree)})
        self.held = self.random.choice(met) if len(met) > 1 and self.random.random() < 0.7 else ""
        if self.held:
            lines += ["pattern p", f"  forbid derivation {{ X[rule={self.held}] }}", "  size 1"]
        return "\n".join([*lines, "dataset", "  from S", "  train 5", "  ambiguous ignore"]) + "\n"

    def _written(self, rule: Rule) -> Iterator[str]:
        uses = Counter(v for own in rule.variables for v in own)

        def category(name: str, own: tuple[str, ...], sex: str) -> str:
            said = [f"{slot}={v}" for slot, v in zip(SLOTS[name], own, strict=True) if uses[v] > 1]
            said += [f"sex={sex}"] if sex and self.divided else []
            return f"{name}[{', '.join(said)}]" if said else name

        left, *others = rule.variables
        children = " ".join(
            f"c{k}:{category(c, own, sex)}"
            for k, (c, own, sex) in enumerate(zip(rule.children, others, rule.sexes, strict=True))
        )
        told = [f"drop c{k}" if k == rule.dropped else f"c{k}" for k in range(len(rule.children))]
        yield f'rule {rule.name}: {category(rule.left, left, "")} -> "{rule.name}" {children} ~ {rule.weight}'
        yield f'  ja {" ".join(reversed(told))} "{rule.name}"'

    # ---- its meaning

    def trees(self) -> list[tuple[Tree, float]]:
        """All trees with their probabilities, before names are given."""

        @cache
        def of(category: str) -> list[tuple[Tree, float]]:
            own = [rule for rule in self.rules if rule.left == category and all(map(of_child, _children(rule)))]
            whole = sum(rule.weight for rule in own)
            return [
                (Tree(rule, tuple(t for t, _ in below)), rule.weight / whole * math.prod(p for _, p in below))
                for rule in own
                for below in product(*(of_child(child) for child in _children(rule)))
            ]

        def of_child(child: tuple[str, str]) -> list[tuple[Tree, float]]:
            name, sex = child
            return of(name) if name in BELOW else [(Tree(None, (), child), 1.0)] if sex in self.sexes else []

        return of("S")

    def bearers(self, tree: Tree) -> list[tuple[int, str]]:
        """The bearer and the sex of each word, in order: joined places are one."""
        parent: dict[object, object] = {}

        def root(place: object) -> object:
            while parent.setdefault(place, place) != place:
                place = parent[place]
            return place

        words = list[tuple[object, str]]()

        def walk(at: Tree, path: tuple[int, ...]) -> None:
            if at.rule is None:
                words.append(((path, 0), at.word[1]))
                return
            first: dict[str, object] = {}
            for child, own in enumerate(at.rule.variables):
                where = path if child == 0 else (*path, child)
                for slot, variable in enumerate(own):
                    parent[root((where, slot))] = root(first.setdefault(variable, (where, slot)))
            for child, below in enumerate(at.below, start=1):
                walk(below, (*path, child))

        walk(tree, ())
        numbers: dict[object, int] = {}
        return [(numbers.setdefault(root(place), len(numbers)), sex) for place, sex in words]

    def readings(self) -> Iterator[tuple[str, str, float, bool]]:
        """Every named tree: both texts, its probability, and whether it is held out."""
        for tree, probability in self.trees():
            words = self.bearers(tree)
            number = 1 + max((bearer for bearer, _ in words), default=-1)
            ways = [
                names
                for names in permutations(self.names, number)
                if all(names[bearer][1] == sex for bearer, sex in words)
            ]
            held = self.held != "" and self.held in _rules(tree)
            for names in ways:
                given = iter([names[bearer][0] for bearer, _ in words])
                en, ja = _texts(tree, given)
                yield " ".join(en), " ".join(ja), probability / len(ways), held

    @property
    def confused(self) -> bool:
        """Whether a tree gives one bearer two sexes."""
        return any(len({*self.bearers(tree)}) > len({b for b, _ in self.bearers(tree)}) for tree, _ in self.trees())


def _children(rule: Rule) -> list[tuple[str, str]]:
    return [*zip(rule.children, rule.sexes, strict=True)]


def _rules(tree: Tree) -> set[str]:
    below = set[str]().union(*map(_rules, tree.below))
    return below | {tree.rule.name} if tree.rule else below


def _texts(tree: Tree, names: Iterator[str]) -> tuple[list[str], list[str]]:
    if tree.rule is None:
        name = next(names)
        return ([name], [name]) if tree.word[0] == "N" else ([f"{name}s"], [f"of-{name}"])
    parts = [_texts(below, names) for below in tree.below]
    kept = [ja for k, (_, ja) in enumerate(parts) if k != tree.rule.dropped]
    en = [tree.rule.name, *(word for own, _ in parts for word in own)]
    return en, [*(word for own in reversed(kept) for word in own), tree.rule.name]


#: A sentence in both layers.
Texts = tuple[str, ...]

#: A grammar with more derivations, before names are looked at, is not compared.
MOST = 4_000

#: Refusals that have nothing to do with names.
OTHERS = {"SGL0702", "SGL0703", "SGL0704", "SGL0818", "SGL0817", "SGL0303"}


def compare(seed: int, folder: Path, figures: Counter[str]) -> Iterator[str]:
    """Compare one grammar; yields what differs."""
    model = Model(Random(seed))  # noqa: S311
    if sum(len(model.names) ** len(model.bearers(tree)) for tree, _ in model.trees()) > MOST:
        figures["too large"] += 1
        return
    folder.mkdir(parents=True)
    (folder / "main.sgl").write_text(model.source(), "utf-8")
    rows = (f"- {{name: {name}, sex: {sex}}}\n" for name, sex in model.names)
    (folder / "people.yaml").write_text("".join(rows), "utf-8")
    diagnostics = Diagnostics()
    compiled = open_grammar(folder / "main.sgl", {}, SourceMap(), diagnostics)
    if compiled is None:
        codes = {found.code for found in diagnostics.found if found.severity is Severity.ERROR}
        figures[f"refused: {sorted(codes)}"] += 1
        unused = codes == {"SGL0342"} and not any(model.bearers(tree) for tree, _ in model.trees())
        if not (codes <= OTHERS or unused or (codes <= OTHERS | {"SGL0341"} and model.confused)):
            yield f"it is refused: {[(found.code, found.message) for found in diagnostics.found]}"
        return
    if model.confused:
        yield "it is not refused, and one name may be of two tables"
    figures["grammars"] += 1
    yield from _compare(model, compiled, figures)


def _compare(model: Model, compiled: Compiled, figures: Counter[str]) -> Iterator[str]:
    expected = defaultdict[Texts, list[float]](list)
    verdicts = dict[Texts, bool]()
    for en, ja, probability, held in model.readings():
        expected[en, ja].append(probability)
        verdicts[en, ja] = verdicts.get((en, ja), False) or held
    yield from _in_the_verifier(compiled, figures)
    yield from _derived(compiled, expected, verdicts, figures)
    yield from _parsed(compiled, expected, figures)
    yield from _drawn(compiled, {en for (en, _), held in verdicts.items() if not held}, figures)


def _in_the_verifier(compiled: Compiled, figures: Counter[str]) -> Iterator[str]:
    """Compare the names of derivations as compiler and verifier see and give them."""
    grammar, namer = compiled.grammar, compiled.grammar.namer
    assert namer is not None
    bearers = Bearers(_Certified(grammar.rules, grammar.names))  # type: ignore[arg-type]
    for derivation, _ in derivations(grammar):
        figures["derivations"] += 1
        if namer.is_named(derivation) != bearers.are_named(derivation):
            yield f"{derivation} is named for one of the two"
        draw = partial(_bits, derivation)
        given = namer.named(derivation, draw)
        if tuple(given or ()) != bearers.named(derivation, draw):
            yield f"{derivation} has other names in the verifier"
        if given is not None and not namer.is_named(given):
            yield f"{given} confuses its own names"


def _bits(derivation: tuple[int, ...], number: int) -> int:
    return mix(sum(derivation) + number)


def _derived(
    compiled: Compiled, expected: Mapping[Texts, list[float]], verdicts: Mapping[Texts, bool], figures: Counter[str]
) -> Iterator[str]:
    """Compare texts, probabilities, and what is held out."""
    grammar, namer = compiled.grammar, compiled.grammar.namer
    assert namer is not None
    found, held = defaultdict[Texts, list[float]](list), dict[Texts, bool]()
    automata = [StructureCompiler(grammar).structure_automaton(s) for s in compiled.plan.structures]
    for derivation, probability in derivations(grammar):
        if namer.is_named(derivation):
            texts = interpret(grammar, derivation).texts[:2]
            found[texts].append(probability * namer.share(derivation))
            held[texts] = held.get(texts, False) or any(a.accepts(grammar, derivation) for a in automata)
    for key in expected.keys() | found.keys():
        figures["probabilities"] += 1
        if not _alike(found.get(key, []), expected.get(key, [])):
            yield f"{key} has probabilities {found.get(key)}, not {expected.get(key)}"
    figures["verdicts"] += len(held)
    if held != verdicts:
        yield f"held out: {held}, not {verdicts}"


def _parsed(compiled: Compiled, expected: Mapping[Texts, list[float]], figures: Counter[str]) -> Iterator[str]:
    """Compare the readings of all sentences, also of those that confuse names."""
    wanted, parser = defaultdict[str, list[float]](list), Parser(compiled.grammar)
    for (en, _), own in expected.items():
        wanted[en] += own
    written = {" ".join(_raw(compiled, derivation)) for derivation, _ in derivations(compiled.grammar)}
    batch, texts = BatchParser(parser), sorted(written)
    counts = batch.read_compiled(texts).counts if texts else ()
    for text, count in zip(texts, counts, strict=True):
        figures["parsed"] += 1
        forest = parser.forest(text)
        read = [r.probability for r in best_readings(forest, 1000)] if forest is not None else []
        if not _alike(read, wanted.get(text, [])) or count != len(read):
            yield f"“{text}” has {count} readings, {read}, not {wanted.get(text)}"


def _alike(one: Sequence[float], other: Sequence[float]) -> bool:
    return len(one) == len(other) and all(map(math.isclose, sorted(one), sorted(other)))


def _drawn(compiled: Compiled, known: set[str], figures: Counter[str]) -> Iterator[str]:
    """Compare drawn training items with the sentences that training may have."""
    strata = [stratum.of(20) for stratum in compiled.plan.strata if stratum.split == "train"]
    plan = compiled.plan.__class__(**{**vars(compiled.plan), "strata": tuple(strata), "distinct_sentences": False})
    splits = {s.stream: StructureCompiler(compiled.grammar).split(s.constraint) for s in strata}
    if not known or any(not split.roots for split in splits.values()):
        return
    for part in sample(pack(compiled.grammar, plan, splits)):
        for item in part.items:
            figures["drawn"] += 1
            text = " ".join(_raw(compiled, item.derivation))
            if text not in known:
                yield f"“{text}” is drawn"


def _raw(compiled: Compiled, derivation: tuple[int, ...]) -> list[str]:
    """The words of a derivation, whoever has them."""
    return all_tokens(compiled.grammar, derivation, 0)


@dataclass
class _Certified:
    """What the verifier reads of a grammar."""

    rules: object
    names: object


def main() -> int:
    """Run the comparison; the result is the exit status."""
    return command(__doc__, comparison)


def comparison() -> Compare:
    """Compare grammars."""
    return first_of(compare)
