"""Grammars: files changed at random, declarations of any form, and what passes, used."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

from lark import Lark
from lark.grammar import NonTerminal, Rule, Terminal
from lark.lexer import PatternStr

import sgl.lang
from claims_maker import Maker
from fuzz import seeds
from fuzz.case import Case
from fuzz.mutation import bytes_mutated, swapped_alike, tokens_mutated
from fuzz.targets.target import Target, said
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.lang.project import load_project

MAIN = "farm.sgl"

#: Symbols of the longest declaration that is derived; then the shortest way out is taken.
_LONGEST = 60

#: What a terminal without a text of its own may be; the names are those of the barn.
_WORDS: dict[str, tuple[str, ...]] = {
    "UPPER": ("N", "V", "NP", "VP", "S", "Text", "Det", "PP", "M", "NOUN", "OBJ", "New", "É"),
    "NAME": (
        *("en", "ja", "syn", "animals", "verbs", "past", "most", "weights", "size", "big", "small"),
        *("chases", "deep", "prey", "pp_in_subject", "words", "text", "graph", "free", "join"),
        *("attach", "train", "dev", "gap", "obj", "subj", "lemma", "upos", "dog", "head", "ed"),
        *("zipf", "uniform", "sentences", "lemmas", "reject", "on", "conllu", "cogs", "new", "犬"),
    ),
    "COLUMN": ("$en", "$ja", "$past", "$class", "$OBJ", "$most", "$none"),
    "SET": ("@prey", "@targets", "@none"),
    "NUMBER": ("0", "1", "2", "3", "40", "1.5", "-1", "10000000", "99999999999999999999", "0.001"),
    "WHOLE": ("0", "1", "2", "12"),
    "STRING": (
        *('"dog"', '"animals.yaml"', '"farm.weights.yaml"', '"chases.yaml"', '"words.j2"', '""'),
        *('"犬"', '"."', '"る"', '"た"', '"two words"', '"nowhere.yaml"', '"The dog chased a cat."'),
        *('"../x.yaml"', '"\\""', '"a\\u202eb"', '"犬が猫を追いかけた。"'),
    ),
    "_NL": ("\n  ",),
    "_MINUS": ("-",),
}


def _reader(random: Random) -> Case:
    files = dict(seeds.barn())
    text = random.choice((files[MAIN], *seeds.grammars()))
    if random.random() < 0.3:
        text = bytes_mutated(random, text, seeds.grammars())
    else:
        text = tokens_mutated(random, text.decode(), seeds.words()).encode()
    return Case({**files, MAIN: text})


def _read(_case: Case) -> tuple[str, bool]:
    sources, diagnostics = SourceMap(), Diagnostics()
    load_project(Path(MAIN), sources, diagnostics)
    return said(diagnostics, sources)


def _source(random: Random) -> Case:
    """A grammar that compiles, and declarations of any form that may name what is in it."""
    files = dict(seeds.barn())
    base = Maker(random).source() if random.random() < 0.4 else files[MAIN].decode()
    blocks = base.split("\n\n")
    for _ in range(random.choice((0, 1, 1, 2, 3))):
        blocks.insert(random.randint(1, len(blocks)), derived(random))
    return Case({**files, MAIN: "\n\n".join(blocks).encode()}, (("check", MAIN),))


def derived(random: Random) -> str:
    """A declaration that the grammar of the language derives."""
    expansions, shortest, texts = _language()
    waiting: list[Terminal | NonTerminal] = [NonTerminal("declaration")]
    found: list[str] = []
    while waiting:
        symbol = waiting.pop()
        if isinstance(symbol, Terminal):
            found.append(random.choice(_WORDS.get(symbol.name) or (texts[symbol.name],)))
            continue
        ways = expansions[symbol.name]
        if len(found) + len(waiting) > _LONGEST:
            ways = (min(ways, key=lambda way: sum(shortest[part.name] for part in way)),)
        waiting += reversed(random.choice(ways))
    return " ".join(found).replace(" \n", "\n")


@cache
def _language() -> tuple[dict[str, tuple[list[Terminal | NonTerminal], ...]], dict[str, int], dict[str, str]]:
    """Expansions by symbol, the length of the shortest text of each, and texts of terminals."""
    path = Path(sgl.lang.__file__).parent / "grammar.lark"
    language = Lark(path.read_text("utf-8"), parser="lalr", start="start", maybe_placeholders=False)
    texts = {t.name: t.pattern.value for t in language.terminals if isinstance(t.pattern, PatternStr)}
    expansions: dict[str, list[list[Terminal | NonTerminal]]] = {}
    rules: list[Rule] = language.rules
    for rule in rules:
        expansions.setdefault(rule.origin.name, []).append(list(rule.expansion))
    shortest = {terminal.name: 1 for terminal in language.terminals}
    # Each round knows the symbols one step higher.
    for _ in range(len(expansions)):
        for name, ways in expansions.items():
            known = [sum(shortest[p.name] for p in w) for w in ways if all(p.name in shortest for p in w)]
            if known:
                shortest[name] = min(known)
    return {name: tuple(ways) for name, ways in expansions.items()}, shortest, texts


def _used(random: Random) -> Case:
    """A grammar after a gentle change; if it passes, something is done with it."""
    files = dict(seeds.barn())
    if random.random() < 0.2:
        files[MAIN] = Maker(random).source().encode()
        uses = [("sample", MAIN, "-n", "5"), ("prove", MAIN), ("sample", MAIN, "--show", "tree,graph")]
        return Case(files, (("check", MAIN), random.choice(uses)))
    name = random.choice((MAIN, MAIN, MAIN, "animals.yaml", "verbs.yaml", "words.j2", "chases.yaml"))
    files[name] = swapped_alike(random, files[name].decode()).encode()
    if name == MAIN:
        # Numbers that are allowed can still ask for hours.
        files[name] = files[name].replace(b"1000", b"100")
    return Case(files, (("check", MAIN), random.choice(_uses(random))))


def _uses(random: Random) -> list[tuple[str, ...]]:
    sentence = random.choice(seeds.sentences())
    if random.random() < 0.3:
        sentence = tokens_mutated(random, sentence, ("dog", "cats", "犬", "", "..", "The"))
    show = random.choice(("en,ja", "tree", "graph", "words,tree", "en,tree,graph,words"))
    return [
        ("sample", MAIN, "-n", "8", "--show", show),
        ("sample", MAIN, "pp_in_subject", "-n", "3", "--pairs"),
        ("sample", MAIN, "train", "-n", "20", "--out", "x.tsv", "--distinct"),
        ("prove", MAIN),
        ("prove", MAIN, "--json"),
        ("prove", MAIN, "--certificate", "c.json"),
        ("prove", "--between", MAIN, MAIN),
        ("parse", MAIN, "--all", "--", sentence),
        ("parse", MAIN, "--svg", "x.svg", "--normalise", "all", "--", sentence),
        ("translate", MAIN, "--to", "ja,words", "--", sentence),
        ("translate", MAIN, "--layer", "ja", "--", "犬が猫を追いかけた。"),
        ("export", "irtg", MAIN),
        ("export", "nltk", MAIN),
        ("export", "conllu", MAIN, "-n", "5"),
        ("compile", MAIN, "--out", "ds"),
    ]


TARGETS = (
    Target("reader", "grammar files, changed", 150, _reader, _read),
    Target("sources", "random declarations", 50, _source),
    Target("use", "what passes, used", 45, _used),
)
