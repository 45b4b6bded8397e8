"""Random grammars that say things once, as ``notation.py`` gives them to the compiler.

A model is plain data: rules with variables, conditions, texts and statements.  It writes itself
as SGL in the short notation; what it means is written out in ``notation_meaning.py``.  Neither
knows anything of the compiler.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from random import Random

VALUES = {"num": ("sg", "pl"), "slot": ("1", "2", "3")}
#: What features weigh where a rule leaves them open.
WEIGHTS = {"sg": 3.0}
FEATURES = {"S": (), "A": ("num", "slot"), "B": ("num",), "G": ("num",)}
FEATURES |= {"N": ("num", "slot"), "V": ("num",)}
LABELS = ("a", "b", "c")
#: The values of a variable for which something holds; None: for the rest, or for all.
Condition = tuple[str, frozenset[str]] | None


@dataclass(frozen=True)
class Child:
    """A child; a feature has a variable (``n``), a value, or more than a variable (``>i``)."""

    role: str
    category: str
    features: Mapping[str, str]


@dataclass(frozen=True)
class Rule:
    """A rule; ``orders`` are the texts of each layer, ``edges`` the statements of graphs."""

    name: str
    category: str
    features: Mapping[str, str]
    children: tuple[Child, ...]
    weights: tuple[tuple[Condition, int], ...] = ((None, 1),)
    orders: Mapping[str, tuple[tuple[Condition, tuple[str, ...]], ...]] = field(default_factory=dict)
    edges: tuple[tuple[Condition, str, str, str, str], ...] = ()


@dataclass(frozen=True)
class Row:
    """A row of a lexicon; ``tail`` may be empty."""

    en: str
    tail: str


class Model:
    """A random grammar with its meaning."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.lexicons = {"N": self._rows("n", random.randint(1, 2)), "V": self._rows("v", random.randint(1, 2))}
        self.rules = tuple(self._rules())

    def _rows(self, letter: str, number: int) -> tuple[Row, ...]:
        return tuple(Row(f"{letter}{n}", self.random.choice(("", "to"))) for n in range(number))

    # ---- what is drawn

    def _rules(self) -> Iterator[Rule]:
        random = self.random
        noun = Child("N", "N", {"num": "n", "slot": "i"})
        verb = Child("V", "V", {"num": "n"})
        obj = Child("obj", "A", {"num": random.choice(("m", "pl"))})
        agrees = random.choice(("n", "m"))
        yield self._rule("s", "S", {}, (Child("A", "A", {"num": agrees}), Child("B", "B", verb.features)))
        yield self._rule("a1", "A", {"num": "n", "slot": "i"}, (noun,))
        rest = Child("rest", "A", {"num": random.choice(("n", "m")), "slot": ">i"})
        yield self._rule("a2", "A", {"num": "n", "slot": "i"}, (noun, rest))
        yield self._rule("b1", "B", {"num": "n"}, (verb,))
        yield self._rule("b2", "B", {"num": "n"}, (verb, obj), quoted=random.random() < 0.7)
        if random.random() < 0.6:
            gapped = Child("G", "G", {"num": "n"})
            yield Rule("g", "G", {"num": "n"}, (verb,), edges=((None, "syn", "V", "~c", "obj"),))
            yield self._rule("b3", "B", {"num": "n"}, (gapped, obj))

    def _rule(
        self, name: str, category: str, features: Mapping[str, str], children: tuple[Child, ...],
        *, quoted: bool = False,
    ) -> Rule:  # fmt: skip
        random = self.random
        variables = {v: VALUES[f] for c in children for f, v in c.features.items() if v in "nmi"}
        if any(v == ">i" for c in children for v in c.features.values()):
            variables["i"] = VALUES["slot"][:-1]
        roles = [child.role for child in children] + ['"did"'] * quoted
        orders = {}
        for layer in ("en", "ja"):
            # A quoted word stands in the source; `did` is "タ" in the other text.
            words = [{'"did"': '"タ"'}.get(role, role) if layer == "ja" else role for role in roles]
            orders[layer] = tuple(
                (condition, tuple(random.sample(words, len(words)))) for condition in self._cases(variables)
            )
        weights = tuple((c, random.randint(1, 4)) for c in self._cases(variables))
        edges: list[tuple[Condition, str, str, str, str]] = []
        head, *others = roles
        for other in others:
            layer = "syn" if other == '"did"' else random.choice(("syn", "syn sem"))
            edges.append((None, layer, head, random.choice(LABELS), other))
        cases = [case for case in self._cases(variables) if case is not None]
        if others and cases and random.random() < 0.5:
            edges.append((random.choice(cases), "syn", others[0], "~x", head))
        rule = Rule(name, category, features, children, weights, orders, tuple(edges))
        return _without_lonely(rule)

    def _cases(self, variables: Mapping[str, tuple[str, ...]]) -> tuple[Condition, ...]:
        """Conditions of which for all values exactly one holds; the last may be the rest."""
        random = self.random
        if not variables or random.random() < 0.4:
            return (None,)
        name = random.choice(sorted(variables))
        values = variables[name]
        cut = random.randint(1, len(values) - 1)
        groups = [frozenset(values[:cut]), frozenset(values[cut:])]
        if random.random() < 0.4:
            return (name, groups[0]), None
        return (name, groups[0]), (name, groups[1])

    # ---- as SGL

    def source(self) -> str:
        """The grammar, in the short notation."""
        lines = ["layer en : text", "layer ja : text", "layer syn : graph on en"]
        lines += ["layer sem : graph on en (free)", "", "feature num = sg ~ 3 | pl"]
        lines += ["feature slot = 1 < 2 < 3", ""]
        for category, features in FEATURES.items():
            port = " with obj in syn" if category == "G" else ""
            known = f"[{', '.join(features)}]" if features else ""
            if category != "G" or any(rule.category == "G" for rule in self.rules):
                lines.append(f"category {category}{known}{port}")
        if any('"did"' in order for r in self.rules for _, order in r.orders.get("en", ())):
            lines += ["", 'literal "did" (lemma=do, upos=AUX)']
        lines += ["", "forms both(X, tail)"]
        for number, ending in (("sg", ""), ("pl", "s")):
            lines += [f"  X[num={number}]", f"    en  $en{f' + {chr(34)}{ending}{chr(34)}' * bool(ending)}"]
            lines += ["    ja  $en + $tail", "    syn node(lemma=$en, upos=W, Number=$num)"]
        for category in self.lexicons:
            lines += ["", f'lexicon l{category} from "{category}.yaml"']
            lines += ["  sem node(lemma=$en, upos=W)", f"  both({category}, $tail or plain)"]
        for rule in self.rules:
            lines += ["", *self._written(rule)]
        lines += ["", "structure walk(label, n) { U -[$label]{n}-> W }"]
        lines += ["quota deep(label, n) = 1 within walk(label, n), 1 outside walk(label, n)"]
        lines += ["", "pattern p", "  forbid { X -[a]-> Y; Y -[b]-> Z }", "  size deep(c, 1)"]
        lines += ["", "pattern q", "  forbid { X -[b]-> Y; Y -[c]-> Z }"]
        lines += ["  size 1 for n in 1..2 within walk(a, n)"]
        lines += ["", "dataset", "  from S", "  output ja", "  train 2", "  seed 1", ""]
        return "\n".join(lines)

    def files(self) -> dict[str, str]:
        """The grammar and its tables."""
        tables = {
            f"{category}.yaml": "".join(
                f"- {{en: {row.en}{f', tail: {row.tail}' if row.tail else ''}}}\n" for row in rows
            )
            for category, rows in self.lexicons.items()
        }
        return {"main.sgl": self.source(), **tables}

    def _written(self, rule: Rule) -> list[str]:
        def bracket(category: str, features: Mapping[str, str]) -> str:
            said = [f"{f}{v if v.startswith('>') else f'={v}'}" for f, v in features.items()]
            return f"{category}[{', '.join(said)}]" if said else category

        right = [
            ("" if child.role == child.category else f"{child.role}:") + bracket(child.category, child.features)
            for child in rule.children
        ]
        texts = dict(rule.orders)
        english = texts.get("en", ())
        quoted = any('"did"' in order for _, order in english)
        rest = next((order for c, order in english if c is None), None)
        if rest is not None:
            by_role = {child.role: text for child, text in zip(rule.children, right, strict=True)}
            right = [by_role.get(role, role) for role in rest]
        elif quoted:
            right.append('"did"')
        weight = ", ".join(f"{n}{self._if(c, rule)}" for c, n in rule.weights)
        left = bracket(rule.category, rule.features)
        lines = [f"rule {rule.name}: {left} -> {' '.join(right)}  ~ {weight}"]
        for layer, cases in texts.items():
            for condition, order in cases:
                if layer == "ja" or condition is not None:
                    lines.append(f"  {layer}  {' '.join(order)}{self._if(condition, rule)}")
        for condition, layers, source, label, target in rule.edges:
            lines.append(f"  {layers}  {source} -[{label}]-> {target}{self._if(condition, rule)}")
        return lines

    def _if(self, condition: Condition, rule: Rule) -> str:
        if condition is None:
            return ""
        name, held = condition
        feature = next(f for c in rule.children for f, v in c.features.items() if v == name)
        comparison = any(v == ">i" for c in rule.children for v in c.features.values())
        values = VALUES[feature][:-1] if name == "i" and comparison else VALUES[feature]
        ways = [f"{name} = {' | '.join(sorted(held))}"]
        if len(values) - len(held) == 1:
            ways.append(f"{name} != {next(iter(set(values) - held))}")
        if feature == "slot" and values[-1] in held:
            ways += [f"{name} >= {min(held)}", f"{name} > {max(set(values) - held)}"]
        if feature == "slot" and "1" in held:
            ways += [f"{name} <= {max(held)}", f"{name} < {min(set(values) - held)}"]
        return f" if {self.random.choice(ways)}"


def _without_lonely(rule: Rule) -> Rule:
    """The rule without the variables that are mentioned once: they are none."""
    conditions = [c for c, _ in rule.weights]
    conditions += [c for cases in rule.orders.values() for c, _ in cases]
    conditions += [c for c, *_ in rule.edges]
    said = Counter(c[0] for c in conditions if c is not None)
    said.update(v.removeprefix(">") for c in rule.children for v in c.features.values())
    said.update(rule.features.values())
    children = tuple(
        replace(c, features={f: v for f, v in c.features.items() if v == "pl" or said[v.removeprefix(">")] > 1})
        for c in rule.children
    )
    return replace(rule, children=children)
