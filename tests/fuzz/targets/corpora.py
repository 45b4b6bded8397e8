"""Treebanks, corpora and predictions: what somebody else has written, line by line."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from random import Random

from fuzz import seeds
from fuzz.case import Case
from fuzz.mutation import bytes_mutated, json_mutated, tokens_mutated
from fuzz.targets.target import Target, lines, shown
from sgl.foreign import ForeignFileError
from sgl.research.analyse.outputs import PredictionsError
from sgl.research.evaluate.benchmark import Benchmark, read_benchmark
from sgl.research.evaluate.runs import read_runs
from sgl.research.treebank import Malformed, TreebankReader
from sgl.verify.conllu import TokenTable, read_sentences

#: What columns of CoNLL-U may have.
_CELLS = (
    *("1", "2", "0", "-1", "1-2", "2-1", "1.1", "99999", "_", "", "root", "nsubj", "~obj", "NOUN"),
    *("\t", "\t\t", "\n", "\n\n", "# sent_id = x", "# text = ", "0:root", "1:a|2:b", "A=B|A=C"),
    *("SpaceAfter=No", "=", "|", ":", "１", "犬", " "),
)

_DEEP = "\n".join(f"{n}\tw\tw\tX\t_\t_\t{n - 1}\tdep\t_\t_" for n in range(1, 60)) + "\n\n"
_UD = (
    "# sent_id = s1\n# text = Don't go\n1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tDo\tdo\tAUX\t_\t_\t3\taux\t_\t_\n2\tn't\tnot\tPART\t_\tA=B\t3\tadvmod\t_\t_\n"
    "3\tgo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n3.1\thome\t_\t_\t_\t_\t_\t_\t3:x\t_\n\n"
)


def _treebank(random: Random) -> Case:
    own = seeds.dataset()["ds/conllu/gen.conllu"]
    pieces = (own, own[:1500].rpartition(b"\n\n")[0] + b"\n\n", _UD.encode(), _DEEP.encode())
    content = random.choice(pieces)
    if random.random() < 0.4:
        content = bytes_mutated(random, content, pieces)
    else:
        content = tokens_mutated(random, content.decode(), _CELLS).encode()
    if random.random() >= 0.04:
        return Case({"t.conllu": content})
    system = content.replace(b"\tdet\t", b"\tnmod\t")
    commands = (
        ("analyse", "t.conllu"),
        ("analyse", "t.conllu", "s.conllu", "--support", "2", "--rounds", "2"),
        ("split", "t.conllu", "--out", "sp", "--moves", "2", "--elements", "graph"),
        ("split", "t.conllu", "s.conllu", "--report", "--elements", "morphology"),
    )
    return Case({"t.conllu": content, "s.conllu": system}, (random.choice(commands),))


def _read_treebank(_case: Case) -> tuple[str, bool]:
    path = Path("t.conllu")
    try:
        return _blocks(path)
    except ForeignFileError as problem:
        return shown((str(problem),)), False


def _blocks(path: Path) -> tuple[str, bool]:
    found = [*TreebankReader().read(path), *TreebankReader(trees=False).read(path)]
    strict = list(read_sentences(path, TokenTable()))
    wrong = [block for block in found if isinstance(block, Malformed)]
    wrong_too = [block for block in strict if not hasattr(block, "words")]
    return shown([*(w.reason for w in wrong), *(w.reason for w in wrong_too)]), not wrong


# ---- rows


def _rows(random: Random) -> Case:
    content = seeds.corpus()
    if random.random() < 0.5:
        content = bytes_mutated(random, content, (seeds.dataset()["ds/derivations/gen.tsv"],))
    else:
        marks = ("\t", "\n", "dog", "犬", "The", " ", ".", "。", "gen", "_", "")
        content = tokens_mutated(random, content.decode(), marks).encode()
    commands = (
        ("audit", "farm.sgl", "r.tsv"),
        ("audit", "farm.sgl", "r.tsv", "--patterns", "--json", "a.json", "--html", "a.html"),
        ("audit", "farm.sgl", "r.tsv", "--normalise", "all"),
        ("audit", "farm.sgl", "r.tsv", "--columns", "ja,en", "--layer", "ja"),
        ("fit", "farm.sgl", "r.tsv", "--out", "w.yaml"),
        ("fit", "farm.sgl", "r.tsv", "--given", "train", "--smoothing", "0.5", "--out", "w.yaml"),
        ("eval", "r.tsv", "r.tsv", "--samples", "100"),
        ("export", "conllu", "farm.sgl", "--sentences", "r.tsv"),
        ("analyse", "t.conllu", "r.tsv"),
        ("split", "r.tsv", "--out", "sp"),
    )
    treebank = {"t.conllu": seeds.dataset()["ds/conllu/gen.conllu"]}
    return Case({**seeds.barn(), **treebank, "r.tsv": content}, (random.choice(commands),))


# ---- predictions


@cache
def _benchmark() -> Benchmark:
    """The dataset of the barn, with texts to be predicted."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        Case(seeds.dataset()).write(Path(folder))
        return read_benchmark(Path(folder) / "ds", "gen", None)


@cache
def _predicted() -> dict[str, bytes]:
    """The right predictions, in every form that a file may have."""
    gold = [line.split("\t")[1] for line in seeds.dataset()["ds/data/gen.tsv"].decode().splitlines()]
    names = [f"gen-{number:06d}" for number in range(1, len(gold) + 1)]
    rows = list(zip(names, gold, strict=True))
    objects = [json.dumps({"id": name, "prediction": text}) for name, text in rows]
    plain = [json.dumps({"prediction": list(text)}) for text in gold]
    return {
        "p.txt": lines([*gold, ""]).encode(),
        "named.txt": lines([*("\t".join(row) for row in rows), ""]).encode(),
        "p.tsv": lines(["id\tprediction", *("\t".join(row) for row in rows), ""]).encode(),
        "p.jsonl": lines([*objects, ""]).encode(),
        "p.json": lines([*plain, ""]).encode(),
        "p.conllu": seeds.dataset()["ds/conllu/gen.conllu"],
    }


def _predictions(random: Random) -> Case:
    name, content = random.choice(list(_predicted().items()))
    if name.endswith(("json", "jsonl")) and random.random() < 0.6:
        parts = content.split(b"\n")
        at = random.randrange(len(parts))
        parts[at] = json_mutated(random, parts[at] or b"{}")
        content = b"\n".join(parts)
    elif random.random() < 0.5:
        content = bytes_mutated(random, content, tuple(_predicted().values()))
    else:
        marks = ("\t", "\n", "gen-000001", "GEN-000002", ",", "@@ ", "▁", "犬", "dev-000001", "")
        content = tokens_mutated(random, content.decode(), marks).encode()
    if random.random() < 0.9:
        return Case({name: content})
    words = ("eval", "ds", f"a={name}", f"b={name}", "--samples", "100", "--grammar", "farm.sgl")
    more = random.choice(((), ("--json", "e.json", "--html", "e.html"), ("--latex", "e.tex")))
    return Case({**seeds.barn(), **seeds.dataset(), name: content}, ((*words, *more),))


def _read_predictions(case: Case) -> tuple[str, bool]:
    ((name, _),) = case.files.items()
    try:
        run, *_ = read_runs(Path(name), _benchmark().rows, "ja")
    except PredictionsError as problem:
        return shown([problem.message, *problem.notes, problem.hint]), False
    except ForeignFileError as problem:
        return shown([str(problem)]), False
    return shown(run.missing), True


TARGETS = (
    Target("conllu", "treebanks", 120, _treebank, _read_treebank),
    Target("corpora", "rows of a corpus", 45, _rows),
    Target("predictions", "predictions", 90, _predictions, _read_predictions),
)
