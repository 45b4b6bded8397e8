"""Command lines: every option of every command, with values that are right and wrong."""

from __future__ import annotations

from functools import cache
from random import Random

import click

from fuzz import seeds
from fuzz.case import Case
from fuzz.mutation import bytes_mutated
from fuzz.targets.target import Target
from sgl.cli.registry import commands

#: Names of files and folders, some of which are there.
_PATHS = (
    *("farm.sgl", "farm.sgl", "animals.yaml", "ds", "ds", "ds/parquet/gen.parquet", "t.parquet", "t.json"),
    *("ds/conllu/gen.conllu", "ds/data/gen.tsv", "ds/certificate.json", "p.txt", "nowhere.sgl", ""),
    *(".", "new", "new.tsv", "new.parquet", "new.html", "nowhere/new", "farm.sgl/x", "-", "--", "a\nb"),
    *("犬.tsv", "x" * 300, "/dev/null", "/dev/full", "pp_in_subject", "train", "NP", "en", "a=p.txt"),
)
_TEXTS = (
    *("en", "ja", "syn", "en,ja", "tree", "graph", "words", "all", "train", "gen", "dev", "NP", "Text"),
    *("most=3", "most=x", "weights=declared", "none=1", "=", "a=", "", " ", ",", "0", "1", "-1", "0.5"),
    *("1e999", "nan", "0.2:0.3", "0.3:0.2", "2:4", ":", "SGL0301", "SGL9999", "The dog chased a cat."),
    *("犬が猫を追いかけた。", "\x1b[31m", "\u202e", "{ V -[obj]-> N }", "x" * 2000, "90s", "15m", "\udc80"),
)

#: Options that start processes, or that may rightly work for long: their values are chosen here.
_BOUNDED: dict[str, tuple[str, ...]] = {
    "workers": ("1", "0", "-1", "x", "99999", "1.5"),
    "engine": ("local", "x"),
    "scheduler": ("",),
    "number": ("0", "1", "3", "-1", "x", "99999999999999999999"),
    "samples": ("100", "1", "x"),
    "moves": ("1", "3", "0", "x"),
    "rounds": ("1", "0", "x"),
    "steps": ("0", "x"),
}

#: Commands that would train for minutes, and those that go on until somebody ends them.
_LEFT_OUT = frozenset({"baseline", "watch", "play", "lsp"})


@cache
def _commands() -> tuple[tuple[tuple[str, ...], click.Command], ...]:
    """All commands by the words that call them."""
    found: list[tuple[tuple[str, ...], click.Command]] = []
    for name, entry in commands().items():
        command = entry.load() if name not in _LEFT_OUT else None
        if isinstance(command, click.Group):
            found += [((name, inner), command.commands[inner]) for inner in sorted(command.commands)]
        elif command is not None:
            found.append(((name,), command))
    return tuple(found)


def _line(random: Random) -> Case:
    names, command = random.choice(_commands())
    words: list[str] = []
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            count = random.choice((1, 1, 2)) if parameter.nargs == -1 else max(parameter.nargs, 1)
            words += [_argument(random, parameter) for _ in range(count)]
        elif random.random() < 2 / (1 + len(command.params)):
            words += _option(random, parameter)
    if random.random() < 0.1:
        words.insert(random.randint(0, len(words)), random.choice((*_TEXTS, "--no", "-x", "--help")))
    if random.random() < 0.05 and words:
        words.pop(random.randrange(len(words)))
    files = {**seeds.barn(), **_foreign(random)}
    return Case(files, ((*names, *words),))


def _foreign(random: Random) -> dict[str, bytes]:
    """The dataset; a file of Parquet and one of JSON, which are changed."""
    files = dict(seeds.dataset())
    parquet = tuple(content for name, content in files.items() if name.endswith(".parquet"))
    gold = files["ds/data/gen.tsv"].decode().splitlines()
    texts = "".join(line.split("\t")[1] + "\n" for line in gold)
    files["p.txt"] = texts.encode()
    files["t.parquet"] = bytes_mutated(random, random.choice(parquet), parquet)
    files["t.json"] = bytes_mutated(random, files["ds/manifest.json"])
    if random.random() < 0.3:
        files["ds/parquet/gen.parquet"] = files["t.parquet"]
    return files


def _argument(random: Random, parameter: click.Argument) -> str:
    is_path = isinstance(parameter.type, click.Path) or parameter.name in ("predictions", "paths")
    if is_path and random.random() < 0.85:
        likely = ("farm.sgl",) if parameter.name == "grammar" else ("ds", "t.parquet", "p.txt", "t.json")
        return random.choice(likely if random.random() < 0.6 else _PATHS)
    return random.choice(_TEXTS if random.random() < 0.8 else _PATHS)


def _option(random: Random, parameter: click.Parameter) -> list[str]:
    name = random.choice(parameter.opts)
    if getattr(parameter, "is_flag", False):
        return [name]
    kind = parameter.type
    if parameter.name in _BOUNDED:
        return [name, random.choice(_BOUNDED[parameter.name])]
    if isinstance(kind, click.Choice) and random.random() < 0.85:
        return [name, random.choice(list(map(str, kind.choices)))]
    if isinstance(kind, click.Path):
        return [name, random.choice(_PATHS)]
    return [name, random.choice(("0", "1", "2", "-1") if random.random() < 0.3 else _TEXTS)]


TARGETS = (Target("commands", "command lines, Parquet", 40, _line),)
