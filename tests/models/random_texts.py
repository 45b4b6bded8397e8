"""Are texts what docs/texts.md says, and does the parser find them again, on random grammars?

Draws small grammars without recursion whose text layer absorbs words, writes some otherwise
before others, or two as one, or glues what stands beside a joint, a second layer that applies functions, and a twin
of the first;
lists all their derivations; and holds the compiler against a definition that rewrites lists of
words and shares nothing with it::

    python benchmarks/models.py random_texts --grammars 400 --seed 1

Of each derivation the text is compared (by the interpreter, by the tables of the sampler, by the
checker of rows) and the number of its differences from its twin, of each text and of changed
texts the set of readings.  Disagreements are printed, and the exit status is then 1.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

from certified import grammar_of, meaning_of

from harness import Difference, command
from sgl.core.grammar import Category, CoreGrammar, Rule, Slot, TextLayer, Token
from sgl.core.interpret import interpret
from sgl.core.plan import Plan
from sgl.core.spelling import Finish
from sgl.dataset.fingerprint import core_form
from sgl.frontend.lower.finishing import differences
from sgl.parsing import Parser, TooLongError
from sgl.sampling.engine import joined, words_of
from sgl.sampling.tables import pack_text
from sgl.verify import certificate_rules
from sgl.verify.derivation import Interpreter

PLAN = Plan(1, "en", "out", (), (), (), distinct_sentences=False, lemma_layer="")
#: Few words, so that rules meet; some are beginnings of others, and of what is written.
WORDS = ("a", "ab", "b", ",", ".", "c", "ca")
#: What functions do.
MEANING: dict[str, Callable[[list[str]], list[str]]] = {
    "first": lambda own: [word for n, word in enumerate(own) if n == 0],
    "rest": lambda own: [word for n, word in enumerate(own) if n > 0],
    "last": lambda own: [word for n, word in enumerate(own) if n == len(own) - 1],
    "front": lambda own: [word for n, word in enumerate(own) if n < len(own) - 1],
    "reverse": lambda own: [own[len(own) - 1 - n] for n in range(len(own))],
}
#: Derivations with their texts.
Texts = dict[tuple[int, ...], str]
#: Readings of one text that are compared at most.
MOST = 5_000
#: What glues words: two words in one piece, or one word.
GLUE, FUSE = JOINTS = "\1", "\2"


# ---- the definition


def spelt(layer: TextLayer, words: Sequence[str]) -> str:
    """Return the text of words, by rewriting their list; what is glued is a list of its own in the end."""
    finish, own = layer.finish or Finish(), [word for word in words if word not in JOINTS]
    while lost := [n for n in range(len(own) - 1) if (own[n], own[n + 1]) in finish.absorb]:
        del own[max(lost)]
    while own and (own[0], "") in finish.absorb:
        del own[0]
    shown = [form_of(finish, word, own[n + 1 :], own[:n]) for n, word in enumerate(own)]
    clusters = glued(words, shown)
    text, before = "", ""
    while clusters:
        first, *inside = clusters.pop(0)
        for left, right, whole in finish.elisions:
            if not inside and clusters and (first, clusters[0][0]) == (left, right):
                first, inside = whole, clusters.pop(0)[1:]
                break
        close = first in layer.attach or before in finish.after
        text += first if not text or close else layer.join + first
        text += "".join(inside)
        before = [first, *inside][-1]
    return text[:1].upper() + text[1:] if finish.capital else text


def glued(words: Sequence[str], shown: Sequence[str]) -> list[list[str]]:
    """Return the written words in groups: a joint continues the last one."""
    if not set(words) & {*JOINTS}:
        return [[word] for word in shown]
    found, rest, follows = list[list[str]](), iter(shown), False
    for word in words:
        if word in JOINTS:
            follows = True
            continue
        if follows:
            found[-1].append(next(rest))
        else:
            found.append([next(rest)])
        follows = False
    return found


def counted_words(words: Sequence[str]) -> list[str]:
    """Return the words of a text that absorbs none: those around a ``FUSE`` are one."""
    return [word for word in FUSE.join(words).replace(f"{FUSE}{FUSE}{FUSE}", "").split(FUSE) if word != GLUE]


def form_of(finish: Finish, word: str, rest: Sequence[str], before: Sequence[str]) -> str:
    """Return how a word is written between the rest of a text and what is before it."""
    for own, trigger, form in finish.mutations:
        last = before[-1] if before else ""
        if last and (last == trigger or (trigger.startswith("…") and last[::-1].startswith(trigger[:0:-1]))):
            if word == own:
                if form != word:
                    return form
                break
            kept = own.removesuffix("…")
            if kept != own and word[: len(kept)] == kept and form.rstrip("…") + word[len(kept) :]:
                if form.rstrip("…") != kept:
                    return form.rstrip("…") + word[len(kept) :]
                break
    for own, condition, form in finish.forms:
        if own == word and rest:
            beginning = condition.removesuffix("…")
            if rest[0] == condition or (beginning != condition and rest[0].startswith(beginning)):
                return form
    return word


# ---- random grammars


def random_layer(dice: Random) -> TextLayer:
    """Draw a text layer with some of all that a finish can have."""

    def some(most: int) -> list[str]:
        return [dice.choice(WORDS) for _ in range(dice.randint(0, most))]

    pairs = {(word, dice.choice(["", *WORDS])) for word in some(4)}
    before, after = ("a…", "c…", ".", "b"), (*WORDS, "x")
    forms = {(word, dice.choice(before)): dice.choice(["x", "a'", "b"]) for word in some(2)}
    elisions = {(word, dice.choice(after)): dice.choice(["du", "ab", "x"]) for word in some(2)}
    triggers = ("a", "…b", "c", "ab")
    mutations = {
        (dice.choice(["a…", "ab", "c…", "b"]), dice.choice(triggers)): dice.choice(["x…", "…", "a…", "b…"])
        for _ in range(dice.randint(0, 3))
    }
    mutations = {pair: form if pair[0].endswith("…") else form.rstrip("…") or "x" for pair, form in mutations.items()}
    finish = Finish(
        tuple(sorted({*some(1)})),
        tuple(sorted(pairs)),
        tuple((*pair, form) for pair, form in forms.items()),
        tuple((*pair, form) for pair, form in elisions.items()),
        dice.randint(0, 1),
        "",
        tuple((*pair, form) for pair, form in mutations.items()),
    )
    return TextLayer("en", dice.choice([" ", " ", ""]), frozenset(some(2)), finish)


def random_grammar(dice: Random) -> CoreGrammar:
    """Draw a grammar of few categories, each rule over later ones."""
    size, first = dice.randint(2, 4), random_layer(dice)
    rules: list[Rule] = []
    for lhs in range(size):
        for _ in range(dice.randint(1, 3)):
            later = range(lhs + 1, size)
            rhs = tuple(dice.choice(later) for _ in range(dice.randint(0, 2))) if later else ()
            items: list[Token | Slot] = [Slot(n, dice.random() < 0.1) for n in range(len(rhs))]
            for _ in range(dice.randint(0 if rhs else 1, 3)):
                items.insert(dice.randint(0, len(items)), Token(dice.choice(WORDS)))
            other = [random_slot(dice, len(rhs)) for _ in range(dice.randint(0, 3)) if rhs]
            if not first.finish.absorb and len(items) > 1 and dice.random() < 0.5:
                for place in range(len(items) - 1, 0, -1):
                    items[place:place] = [Token(dice.choice(JOINTS))] if dice.random() < 0.5 else []
            twin = list(items)
            if dice.random() < 0.3:
                twin.append(dice.choice([Token("b"), items[-1]]))
            out = (*other, Token(dice.choice(WORDS)))[dice.randint(0, 1) :]
            templates = tuple(items), out, tuple(twin)
            rules.append(Rule(len(rules), f"r{len(rules)}", lhs, rhs, 1.0, templates, ()))
    names = tuple(Category(f"C{n}") for n in range(size))
    layers = first, TextLayer("out"), replace(first, name="bad")
    return CoreGrammar("random", names, tuple(rules), 0, layers, ())


def random_slot(dice: Random, children: int) -> Slot:
    """Draw the place of a child with up to three functions."""
    functions = [dice.choice(list(MEANING)) for _ in range(dice.randint(0, 3))]
    return Slot(dice.randrange(children), functions=tuple(functions))


def derivations(grammar: CoreGrammar, category: int) -> Iterator[tuple[int, ...]]:
    """Yield the derivations of a category, which are finitely many."""
    for rule in grammar.rules_of[category]:
        below = [list(derivations(grammar, child)) for child in rule.rhs]
        for parts in product(*below):
            yield (rule.id, *(number for part in parts for number in part))


def words(grammar: CoreGrammar, derivation: Sequence[int], layer: int = 0) -> list[str]:
    """Return all words of a derivation in a layer, by recursion over its rules."""
    rest = iter(derivation)

    def phrase() -> list[str]:
        rule = grammar.rules[next(rest)]
        below = [phrase() for _ in rule.rhs]
        found: list[str] = []
        for item in rule.templates[layer]:
            own = [item.text] if isinstance(item, Token) else list(below[item.child])
            if isinstance(item, Slot) and item.capital and own:
                own[0] = own[0][:1].upper() + own[0][1:]
            for name in item.functions[::-1] if isinstance(item, Slot) else ():
                own = MEANING[name](own)
            found += own
        return found

    return phrase()


# ---- the comparison


def compare(seed: int) -> tuple[int, list[str]]:
    """Return how many verdicts were compared on one grammar, and what differs."""
    dice = Random(seed)  # noqa: S311
    grammar = random_grammar(dice)
    found = list(derivations(grammar, 0))
    if len(found) > MOST:
        return 0, []
    texts = {derivation: spelt(grammar.text_layers[0], words(grammar, derivation)) for derivation in found}
    verdicts, wrong = compare_texts(grammar, texts)
    for number, more in (compare_readings(grammar, texts, dice), compare_twins(grammar, found)):
        verdicts, wrong = verdicts + number, wrong + more
    return verdicts, [f"seed {seed}, {told}" for told in wrong]


def compare_texts(grammar: CoreGrammar, texts: Texts) -> tuple[int, list[str]]:
    """Compare the texts of derivations with those of the interpreter, sampler and checker."""
    verdicts, wrong = 0, list[str]()
    layer = grammar.text_layers[0]
    packed, own = [pack_text(grammar, n) for n in range(2)], checker(grammar)
    for derivation, text in texts.items():
        item = interpret(grammar, derivation)
        interpreted = item.texts
        if not layer.finish.absorb:
            tokens = counted_words(words(grammar, derivation))
            several = [*item.tokens[0]], own.written(0, derivation).words
            verdicts += len(several)
            if any(found != tokens for found in several):
                wrong.append(f"{derivation}: the words {tokens}, and {several}")
        for n, right in enumerate((text, " ".join(words(grammar, derivation, 1)))):
            sampled = joined(packed[n], words_of(packed[n], grammar.arity, derivation))
            several = interpreted[n], sampled, own.text(("en", "out")[n], derivation)
            verdicts += len(several)
            if {*several} != {right}:
                wrong.append(f"{derivation}: {right!r}, and {several}")
    return verdicts, wrong


def compare_readings(grammar: CoreGrammar, texts: Texts, dice: Random) -> tuple[int, list[str]]:
    """Compare the readings of texts, and of changed texts, with the derivations that have them."""
    verdicts, wrong, parser = 0, list[str](), Parser(grammar)
    readings: dict[str, set[tuple[int, ...]]] = {}
    for derivation, text in texts.items():
        readings.setdefault(text, set()).add(derivation)
    for text in filter(None, readings):
        changed = list(text)
        changed[dice.randrange(len(changed))] = dice.choice("abc,. x")
        for asked in {text, "".join(changed), text + dice.choice("a.,")}:
            try:
                parsed = set(parser.parse(asked, MOST))
            except TooLongError:
                continue  # more words in a row may be absorbed than are searched for
            verdicts += 1
            if parsed != readings.get(asked, set()):
                wrong.append(f"{asked!r}: {parsed}, not {readings.get(asked)}")
    return verdicts, wrong


def compare_twins(grammar: CoreGrammar, found: Sequence[tuple[int, ...]]) -> tuple[int, list[str]]:
    """Compare the numbers of differences that are possible with those that there are."""
    form = core_form(grammar, PLAN)["grammar"]
    possible = {*differences(grammar, 2)[0]}, certificate_rules.differences(grammar_of(form), 2, 0, abs)
    there = {min(2, places(grammar, derivation)) for derivation in found}
    wrong = [] if possible == (there, there) else [f"twins: {there}, not {possible}"]
    return len(found) * len(possible), wrong


def places(grammar: CoreGrammar, derivation: Sequence[int]) -> int:
    """Return in how many places the twin of a text differs: by going down its own templates."""
    rest, count = iter(derivation), 0

    def tree() -> tuple[Rule, list[Any]]:
        rule = grammar.rules[next(rest)]
        return rule, [tree() for _ in rule.rhs]

    waiting = [tree()]
    while waiting:
        rule, below = waiting.pop()
        count += rule.templates[0] != rule.templates[2]
        waiting += [below[item.child] for item in rule.templates[2] if isinstance(item, Slot)]
    return count


def checker(grammar: CoreGrammar) -> Interpreter:
    """Return the checker's own reading of the grammar."""
    return meaning_of(core_form(grammar, PLAN)["grammar"])


def main() -> int:
    """Compare; the exit status is 1 if anything differs."""
    return command(__doc__, lambda: counted, number=("grammars", 400))


def counted(seed: int, _: Path, figures: Counter[str]) -> None:
    """Compare one grammar.

    Raises:
        Difference: a text, a reading or a twin is another one.
    """
    verdicts, wrong = compare(seed)
    figures["verdicts"] += verdicts
    if wrong:
        raise Difference("; ".join(wrong))
