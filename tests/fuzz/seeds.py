"""What inputs are made from: files of the repository, and what the program makes of them.

The *barn* is the farm of the tutorial with files of every kind; its dataset is small, and is
compiled once, in a process of its own.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]

Files = Mapping[str, bytes]

#: Declarations that make the farm read files of every kind, and a layer of meanings.
_MORE = """
use prey
param weights = learnt
param most = 40
feature size = big | small
weights learnt from "farm.weights.yaml" when weights = learnt
relation chases from "chases.yaml"
restrict { V[upos=VERB] -[obj]-> N[upos=NOUN] } to chases(V, N)
view words = template(syn) from "words.j2"
labels OBJ = obj | iobj
structure deep { N -[nmod]-> M; M -[nmod]-> O }
"""

_BARN = {
    "prey.sgl": "words prey = cat, dog, hen, cow, goat\n",
    "farm.weights.yaml": "fitted:\n  grammar: farm\n"
    "rules:\n  NP: {noun_phrase: 0.6, modified: 0.4}\n"
    "words:\n  Det: {a: 0.5, the: 0.5}\nlexicons:\n  N:\n    animals: {cat: 0.5, dog: 0.5}\n",
    "chases.yaml": "chase: {of: [prey]}\nlick: [dog, cat]\n",
    "words.j2": "{% for node in nodes %}{{ node.lemma }}{% for role, other in node.edges %}"
    '{{- " " ~ role ~ "=" ~ other.lemma }}{% endfor %}{{ "; " if not loop.last }}{% endfor %}',
}

#: Numbers of the farm's dataset, by the clause, and those of the barn's.
_SMALLER = (("train", "most"), ("dev", "8"), ("test", "8"), ("size", "8"), ("need", "2"))

#: Of each layer and view a logical form, as the papers write them.
FORMS = (
    "* cat ( x _ 1 ) ; see . agent ( x _ 2 , x _ 1 ) AND see . theme ( x _ 2 , Emma )",
    "LAMBDA a . LAMBDA b . LAMBDA e . want . agent ( e , b ) AND want . xcomp ( e , a )",
    (
        "give . agent ( x _ 1 , Liam ) AND give . theme ( x _ 1 , x _ 3 ) AND cake ( x _ 3 ) "
        "AND cake . nmod . on ( x _ 3 , x _ 6 ) AND table ( x _ 6 )"
    ),
    "give ( agent = Liam , theme = * cake ( nmod . on = table ) , recipient = Emma )",
    "say ( agent = girl , ccomp = like ( agent = Ava , theme = * dog ) )",
    "Emma ( 1 ) ; * cat ( 4 ) ; see ( 2 ) AND agent ( 2 , 1 ) AND theme ( 2 , 4 )",
    "# s1\n(s / see-01\n  :ARG0 (c / cat)\n  :ARG1 (d / dog))",
)


@cache
def grammars() -> tuple[bytes, ...]:
    """All grammar files of the repository, the longest in pieces."""
    found: list[bytes] = []
    for folder in ("grammars", "stdlib", "docs/examples"):
        for path in sorted((ROOT / folder).rglob("*.sgl")):
            blocks = path.read_text("utf-8").split("\n\n")
            found += ["\n\n".join(blocks[at : at + 8]).encode() for at in range(0, len(blocks), 8)]
    return tuple(found)


@cache
def tables() -> tuple[bytes, ...]:
    """The tables of the repository, at most a hundred rows of each."""
    paths = sorted(path for folder in ("grammars", "docs/examples") for path in _yaml(folder))
    return tuple(b"\n".join(path.read_bytes().split(b"\n")[:100]) + b"\n" for path in paths)


def _yaml(folder: str) -> list[Path]:
    return list((ROOT / folder).rglob("*.yaml"))


@cache
def barn() -> Files:
    """A project with files of every kind."""
    files = {path.name: path.read_bytes() for path in (ROOT / "docs" / "examples").glob("*.*")}
    text = files["farm.sgl"].decode()
    for clause, number in _SMALLER:
        text = re.sub(rf"^(  {clause} +)\d+", rf"\g<1>{number}", text, flags=re.MULTILINE)
    text = text.replace("use stdlib.ja.verb", _MORE.strip() + "\nuse stdlib.ja.verb", 1)
    del files["wrong.sgl"]
    files |= {name: content.encode() for name, content in _BARN.items()}
    return {**files, "farm.sgl": text.encode()}


@cache
def dataset() -> Files:
    """The files of the barn's dataset, below ``ds/``."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for name, content in barn().items():
            (place / name).write_bytes(content)
        words = [sys.executable, "-m", "sgl", "compile", "farm.sgl", "--out", "ds"]
        environment = {**os.environ, "SGL_CACHE_DIR": "", "PYTHONPATH": str(ROOT)}
        done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, check=False)
        if done.returncode:
            raise RuntimeError(f"the barn cannot be compiled: {done.stderr.decode()}")
        paths = sorted(path for path in (place / "ds").rglob("*") if path.is_file())
        return {path.relative_to(place).as_posix(): path.read_bytes() for path in paths}


@cache
def corpus() -> bytes:
    """The rows of all splits."""
    return b"".join(dataset()[f"ds/data/{split}.tsv"] for split in ("dev", "test", "gen"))


@cache
def sentences() -> tuple[str, ...]:
    """Sentences of the barn."""
    return tuple(line.split("\t")[0] for line in corpus().decode().splitlines())


def words() -> tuple[str, ...]:
    """Words and marks of the language."""
    kept = ("->", "-[", "]->", "without", "when", "capital", "drop", "repeat", "keep", "in", "not")
    more = ("forget", "gap", "last", "head", "node", "free", "only", "apart", "waive", "expose")
    return (*kept, *more, "S", "NP", "V", "N", "en", "ja", "syn", "$en", "@targets", '"x"', "*", "^")
