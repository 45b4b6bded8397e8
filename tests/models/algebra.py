"""Does computing with features mean what docs/algebra.md says?

Draws small grammars whose rules compute values (sums, ``mod``, ``min``, a table as a function, values under
conditions) and have conditions (``where``, ``!=``, several values).  A model that shares nothing with the compiler
tries every value of every feature in every place of every rule, and keeps what is true::

    python benchmarks/models.py algebra --grammars 1000 --seed 1

Compared are, for each grammar, the sentences with both texts, their probabilities, their readings, and which of them
training may have.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from harness import Compare, command, first_of
from notation import derivations
from sgl.automata import StructureCompiler
from sgl.core.interpret import interpret
from sgl.diagnostics import Diagnostics, Severity, SourceMap
from sgl.pipeline.grammar import open_grammar

DAYS, KIN = ("mon", "tue", "wed"), ("a", "b", "c")
FEATURES = ("n", "m", "day", "kin")
#: The variables of the first and the second child, by feature.
VARIABLES = {"n": ("x", "y"), "m": ("u", "v"), "day": ("p", "q"), "kin": ("r", "s")}
NEVER = {"SGL0328", "SGL0703", "SGL0702", "SGL0314", "SGL0807"}

#: A name, a number or a value; a sign or a function with its arguments; a tuple of values with their conditions.
Expression = Any
Values = Mapping[str, str]
#: What brackets say of a feature: a comparison, and what with.
Slot = tuple[str, list[Expression]]


@dataclass(frozen=True)
class Rule:
    """A rule: for each feature of the left-hand side and of the children, a comparison and options."""

    name: str
    left: str
    children: tuple[str, ...]
    slots: tuple[dict[str, Slot], ...]
    where: list[tuple[str, str, list[Expression]]]
    weight: int
    label: tuple[str, str, list[Expression]]
    told: bool


def _alone(slot: Slot) -> str:
    """The one name or value that a place has, or ``_``."""
    comparison, options = slot
    return options[0] if comparison == "=" and len(options) == 1 and isinstance(options[0], str) else ""


class Model:
    """A random grammar with its meaning."""

    def __init__(self, random: Random) -> None:
        self.random = random
        low = random.randint(-1, 1)
        self.values = {"n": tuple(map(str, range(low, low + 4))), "m": ("0", "2", "3"), "day": DAYS, "kin": KIN}
        self.weights = {(f, v): random.choice((1, 1, 2, 3)) for f in FEATURES for v in self.values[f]}
        pairs = [pair for pair in product(KIN, KIN) if random.random() < 0.97] or [("a", "a")]
        self.table = {pair: random.choice(KIN) for pair in pairs}
        self.words = [{f: random.choice(self.values[f]) for f in FEATURES} for _ in range(random.randint(4, 7))]
        made = [self._rule(f"r{k}", "A", ("W", "W")) for k in range(random.randint(1, 3))]
        self.rules = [*made, self._rule("r9", "C", ("A", "W"))]

    # ---- what is drawn

    def _rule(self, name: str, left: str, children: tuple[str, ...]) -> Rule:
        random = self.random
        plain = [{f: ("=", [VARIABLES[f][at]]) for f in FEATURES} for at in range(2)]
        for feature in FEATURES:
            if random.random() < 0.4:  # the second child depends on the first
                known = [names[0] for names in VARIABLES.values()]
                options = [self._value(feature, known) for _ in range(random.choice((1, 1, 2)))]
                if len(options) == 2 and isinstance(options[0], str):  # `x|y` would be two values
                    options = options[1:]
                comparison = random.choice(("=", "!=", "=")) if feature == "kin" else random.choice(("=", "<=", "!="))
                plain[1][feature] = (comparison, options[:1] if comparison == "<=" else options)
        self.known = [str(v[0]) for child in plain for _, v in child.values() if v[0] in sum(VARIABLES.values(), ())]
        own = {f: ("=", [self._value(f, self.known, deep=True)]) for f in FEATURES}
        where = [self._condition() for _ in range(random.choice((0, 0, 1)))]
        used = Counter(_names((own, *plain, where)))
        for child in plain:  # a variable that occurs once is none
            child |= {f: ("=", ["_"]) for f, (_, (one, *_)) in child.items() if used[str(one)] == 1}
        self.known = [name for name in self.known if used[name] > 1]
        name_ = random.choice(self.known or ["x"])
        feature = next(f for f, names in VARIABLES.items() if name_ in names)
        label = name_, random.choice(("=", "!=")), [random.choice(self.values[feature])]
        return Rule(
            name,
            left,
            children,
            (own, *plain),
            where,
            random.randint(1, 4),
            label,
            bool(self.known) and random.random() < 0.4,
        )

    def _condition(self) -> tuple[str, str, list[Expression]]:
        name = self.random.choice(self.known)
        feature = next(f for f, names in VARIABLES.items() if name in names)
        signs = ("=", "!=") if feature == "kin" else ("=", "!=", "<", ">", "<=", ">=")
        comparison = self.random.choice(signs)
        number = 1 if comparison not in ("=", "!=") else self.random.choice((1, 2))
        return name, comparison, [self._value(feature, self.known) for _ in range(number)]

    def _value(self, feature: str, known: list[str], *, deep: bool = False, depth: int = 0) -> Expression:
        random = self.random
        names = [v for v in VARIABLES[feature] if v in known]
        if feature in ("n", "m"):
            names = [v for f in ("n", "m") for v in VARIABLES[f] if v in known]
        plain = random.choice(names) if names and random.random() < 0.8 else random.choice(self.values[feature])
        way = random.random()
        if deep and depth == 0 and way < 0.3:
            self.known = known
            cases = [(self._value(feature, known, depth=1), [self._condition()]) for _ in range(random.choice((1, 2)))]
            return (*cases, (self._value(feature, known, depth=1), []))
        if depth > random.choice((0, 0, 1)) or way < 0.6:
            return plain
        one, two = (self._value(feature, known, depth=depth + 1) for _ in range(2))
        if feature == "kin":
            return ["compose", one, random.choice((two, random.choice(KIN)))]
        sign = random.choice(("+", "-", "min", "max", "mod"))
        if sign == "mod":
            return ["mod", one, random.choice(("2", "3", "3", two))]
        return [sign, one, str(random.randint(0, 2)) if random.random() < 0.4 else two]

    # ---- as SGL

    def written(self, own: Expression, inside: bool = False) -> str:
        """An expression as an author writes it."""
        if isinstance(own, str):
            return own
        if isinstance(own, tuple):
            return ", ".join(self.written(v) + (f" if {' and '.join(map(self.test, c))}" if c else "") for v, c in own)
        sign, one, two = own
        if sign in ("min", "max", "compose"):
            return f"{sign}({self.written(one)}, {self.written(two)})"
        space = self.random.choice(("", " "))
        around = " " if sign == "mod" else space
        text = f"{self.written(one, True)}{around}{sign}{around}{self.written(two, True)}"
        return f"({text})" if inside else text

    def test(self, condition: tuple[str, str, list[Expression]]) -> str:
        name, comparison, options = condition
        return f"{name}{comparison}{'|'.join(map(self.written, options))}"

    def source(self) -> str:
        lines = ["layer en : text", "layer ja : text", "layer syn : graph on en", ""]
        for feature in FEATURES:
            between = " | " if feature == "kin" else " < "
            said = between.join(f'"{v}" ~ {self.weights[feature, v]}' for v in self.values[feature])
            lines.append(f"feature {feature} = {said}")
        lines += ['table compose[one:kin, two:kin] from "kin.yaml"', "category S", "category W[n, m, day, kin]"]
        lines += ["category A[n, m, day, kin]", "category C[n, m, day, kin]"]
        for number, word in enumerate(self.words):
            lines += ["", f'word W[{", ".join(f"{f}={v}" for f, v in word.items())}]: "w{number}"']
            lines += [f'  ja "w{number}"', "  syn node(upos=W)"]
        for child in "AC":
            lines += ["", f"rule s{child}: S -> {child}[n=x, m=_, day=p, kin=_]", f"  ja {child} $x $p"]
        for rule in self.rules:
            mentions = []
            for name, slots in zip((rule.left, *rule.children), rule.slots, strict=True):
                said = (f"{f}{c}{'|'.join(map(self.written, options))}" for f, (c, options) in slots.items())
                mentions.append(f"{name}[{', '.join(said)}]")
            where = f" where {', '.join(map(self.test, rule.where))}" if rule.where else ""
            lines += [
                "",
                f"rule {rule.name}: {mentions[0]} -> one:{mentions[1]} two:{mentions[2]}{where}  ~ {rule.weight}",
            ]
            lines += ['  ja one "and" two', "  syn one -[x]-> two"]
            lines += [f'  ja "or" two one if {self.test(rule.label)}'] if rule.told else []
        lines += ["", "pattern p", "  forbid { X -[x]-> Y; Y -[x]-> Z }", "  size 1", ""]
        lines[-3:-1] = ["  forbid { X -[x]-> Y; X -[x]-> Z }", "  size 1"]
        return "\n".join([*lines, "dataset", "  from S", "  output ja", "  train 2", "  seed 1", ""])

    # ---- what it means

    def key(self, feature: str, own: Expression, values: Values) -> int | str | None:
        """What an expression is, as a number where the feature has an order; None: nothing."""
        if isinstance(own, tuple):
            return next((self.key(feature, v, values) for v, c in own if all(self.holds(t, values) for t in c)), None)
        if isinstance(own, str):
            text = values.get(own, own)
            if feature == "kin":
                return text
            return DAYS.index(text) if text in DAYS else int(text)
        sign, *given = own
        one, two = (self.key(feature, part, values) for part in given)
        if one is None or two is None:
            return None
        if sign == "compose":
            return self.table.get((str(one), str(two)))
        assert isinstance(one, int)
        assert isinstance(two, int)
        if sign == "mod":
            return None if two == 0 else one - two * math.floor(one / two)
        return {"+": one + two, "-": one - two, "min": min(one, two), "max": max(one, two)}[sign]

    def compares(self, own: int | str, comparison: str, others: list[int | str | None]) -> bool:
        if comparison == "=":
            return any(own == other for other in others)
        if any(other is None for other in others):
            return False
        told: Any = own
        tests = {"!=": lambda x: told != x, "<": lambda x: told < x, ">": lambda x: told > x}
        tests |= {"<=": lambda x: told <= x, ">=": lambda x: told >= x}
        return all(tests[comparison](other) for other in others)

    def holds(self, condition: tuple[str, str, list[Expression]], values: Values) -> bool:
        name, comparison, options = condition
        feature = next(f for f, names in VARIABLES.items() if name in names)
        own = self.key(feature, name, values)
        assert own is not None
        return self.compares(own, comparison, [self.key(feature, option, values) for option in options])

    def applications(
        self, rule: Rule, buildable: Mapping[str, set[tuple[str, ...]]]
    ) -> Iterator[tuple[tuple[tuple[str, ...], ...], Values, float]]:
        """Every left-hand side with children that a rule allows, its values, and their weight."""
        for children in product(*(sorted(buildable[name]) for name in rule.children)):
            values: dict[str, str] = {}
            for slots, child in zip(rule.slots[1:], children, strict=True):
                for (feature, slot), value in zip(slots.items(), child, strict=True):
                    if _alone(slot) in VARIABLES[feature]:
                        values.setdefault(_alone(slot), value)
            weight = self._weight(rule, children)
            for left in product(*(self.values[f] for f in FEATURES)):
                places = zip(rule.slots, (left, *children), strict=True)
                if all(self.holds(test, values) for test in rule.where) and all(
                    self.agrees(slots, own, values) for slots, own in places
                ):
                    yield (left, *children), values, weight

    def agrees(self, slots: Mapping[str, Slot], own: tuple[str, ...], values: Values) -> bool:
        """Whether a phrase has what brackets say."""
        for (feature, (comparison, options)), value in zip(slots.items(), own, strict=True):
            others = [self.key(feature, value if option == "_" else option, values) for option in options]
            told = self.key(feature, value, {})
            assert told is not None
            if not self.compares(told, comparison, others):
                return False
        return True

    def _weight(self, rule: Rule, children: tuple[tuple[str, ...], ...]) -> float:
        """The product of the weights of what children choose: not of what is computed, or said before."""
        weight, seen = 1.0, set[str]()
        for slots, child in zip(rule.slots[1:], children, strict=True):
            for (feature, slot), value in zip(slots.items(), child, strict=True):
                (comparison, options), alone = slot, _alone(slot)
                chosen = comparison != "=" or len(options) > 1 or alone == "_" or alone in VARIABLES[feature]
                if chosen and alone not in seen and not self._fixed(comparison, options, feature):
                    weight *= self.weights[feature, value]
                seen |= {alone} & {*VARIABLES[feature]}
        return weight

    def _fixed(self, comparison: str, options: list[Expression], feature: str) -> bool:
        """Whether plain values leave only one value."""
        plain = [option for option in options if option in self.values[feature]]
        if len(plain) < len(options):
            return False
        keys = [self.key(feature, option, {}) for option in plain]
        left = [v for v in self.values[feature] if self.compares(self.key(feature, v, {}) or 0, comparison, keys)]
        return len(left) == 1

    def sentences(self) -> list[tuple[str, str, float, int]]:
        """All derivations: both texts, the probability, and the number of rules ``r9``."""
        built = {
            "W": {tuple(word.values()) for word in self.words},
            "A": set[tuple[str, ...]](),
            "C": set[tuple[str, ...]](),
        }
        found: defaultdict[tuple[str, tuple[str, ...]], list[tuple[Rule, Any, Values, float]]] = defaultdict(list)
        for rule in self.rules:
            if rule.name == "r9":
                built["A"] = {left for name, left in found if name == "A"}
            shares: defaultdict[tuple[str, ...], list[tuple[Any, Values, float]]] = defaultdict(list)
            for (left, *children), values, weight in self.applications(rule, built):
                shares[left].append((children, values, weight))
            for left, some in shares.items():
                whole = sum(weight for *_, weight in some)
                found[rule.left, left] += [(rule, c, v, rule.weight * weight / whole) for c, v, weight in some]

        @cache
        def of(name: str, own: tuple[str, ...]) -> list[tuple[str, str, float, int]]:
            if name == "W":
                same = [f"w{k}" for k, word in enumerate(self.words) if tuple(word.values()) == own]
                return [(word, word, 1 / len(same), 0) for word in same]
            total = sum(weight for *_, weight in found[name, own])
            return [
                (f"{a[0]} {b[0]}", self._told(rule, values, a[1], b[1]), weight / total * a[2] * b[2], a[3] + b[3] + 1)
                for rule, (one, two), values, weight in found[name, own]
                for a, b in product(of(rule.children[0], one), of(rule.children[1], two))
            ]

        starts = [(name, own) for name, own in found if name in "AC"]
        whole = {name: sum(self._open(own) for n, own in starts if n == name) for name in "AC"}
        rules = sum(1 for name in "AC" if whole[name])
        return [
            (en, f"{ja} {own[0]} {own[2]}", p * self._open(own) / whole[name] / rules, number)
            for name, own in starts
            for en, ja, p, number in of(name, own)
        ]

    def _told(self, rule: Rule, values: Values, one: str, two: str) -> str:
        """The second text."""
        return f"or {two} {one}" if rule.told and self.holds(rule.label, values) else f"{one} and {two}"

    def _open(self, own: tuple[str, ...]) -> float:
        return math.prod(self.weights[pair] for pair in zip(FEATURES, own, strict=True))


def _names(part: Any) -> Iterator[str]:  # noqa: ANN401 - any part of a rule
    """Every name in a part of a rule."""
    if isinstance(part, str):
        yield part
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list | tuple) else ():
        yield from _names(inner)


def compare(seed: int, folder: Path, figures: Counter[str]) -> Iterator[str]:
    """Compare one grammar; yields what differs."""
    model = Model(Random(seed))  # noqa: S311
    folder.mkdir(parents=True)
    (folder / "main.sgl").write_text(model.source(), "utf-8")
    rows = (f"- {{one: {one}, two: {two}, kin: {three}}}\n" for (one, two), three in model.table.items())
    (folder / "kin.yaml").write_text("".join(rows), "utf-8")
    diagnostics = Diagnostics()
    compiled = open_grammar(folder / "main.sgl", {}, SourceMap(), diagnostics)
    if compiled is None:
        errors = [found for found in diagnostics.found if found.severity is Severity.ERROR]
        figures[f"refused: {sorted({found.code for found in errors})}"] += 1
        # A variable of two features has only the values that both have.
        errors = [found for found in errors if not re.match("`-?[0-9]` is not a value of `[xyuv]`", found.message)]
        if not {found.code for found in errors} <= NEVER:
            yield f"it is refused: {[(found.code, found.message) for found in errors]}"
        return
    figures["grammars"] += 1
    expected: defaultdict[tuple[str, str, int], float] = defaultdict(float)
    for en, ja, probability, number in model.sentences():
        expected[en, ja, number] += probability
        figures["derivations"] += 1
    found: defaultdict[tuple[str, str, int], float] = defaultdict(float)
    structures, readings = StructureCompiler(compiled.grammar), Counter[str]()
    held_out = [structures.structure_automaton(structure) for structure in compiled.plan.structures]
    for derivation, probability in derivations(compiled.grammar):
        item = interpret(compiled.grammar, derivation)
        number = len(item.graphs[0].edges)
        found[item.texts[0], item.texts[1], number] += probability
        readings[item.texts[0]] += 1
        figures["verdicts"] += 1
        if any(automaton.accepts(compiled.grammar, derivation) for automaton in held_out) != (number > 1):
            yield f"{item.texts[0]} is held out or not"
    for key in expected.keys() | found.keys():
        figures["probabilities"] += 1
        if not math.isclose(expected.get(key, 0), found.get(key, 0), rel_tol=1e-9):
            yield f"{key} has probability {found.get(key)}, not {expected.get(key)}"
            return


def main() -> int:
    """Run the comparison; the result is the exit status."""
    return command(__doc__, comparison)


def comparison() -> Compare:
    """Compare grammars."""
    return first_of(compare)
