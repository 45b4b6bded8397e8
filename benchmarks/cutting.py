"""Is a file that ends too early noticed, wherever it ends, by every command that reads it?

    python benchmarks/cutting.py                  # each file of a small dataset, cut at 20 places
    python benchmarks/cutting.py --places 5

Copies a dataset, cuts one of its files, and runs each command that reads datasets; does the same with the files that
other commands read: a grammar, a table, predictions, a treebank, a certificate.  Checks

* whether the command ends with an answer (see ``fuzz/guard.py`` for what does not count as one),
* whether ``sglc verify`` refuses the dataset, whatever was cut.

The exit status is 1 if anything is wrong.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Sequence

from common import command_line, print_table
from fuzz import seeds
from fuzz.case import Case
from fuzz.guard import finish, settle_process

#: Commands that read a dataset, and commands that read one file, whose name replaces `{}`.
ON_DATASETS = (
    ("verify", "ds", "--workers", "1"),
    ("verify", "ds", "--grammar", "farm.sgl", "--workers", "1"),
    ("eval", "ds", "p.txt", "--samples", "100"),
    ("split", "ds", "--out", "sp", "--moves", "2"),
    ("prove", "farm.sgl", "--data", "ds"),
    ("release", "ds", "--out", "ds.zip"),
    ("compile", "farm.sgl", "--out", "ds", "--force"),
)
ON_FILES = {
    ".sgl": (("check", "{}"), ("fmt", "{}"), ("sample", "{}", "-n", "1")),
    ".yaml": (("check", "farm.sgl"),),
    ".conllu": (("analyse", "{}"), ("split", "{}", "--out", "sp", "--moves", "2")),
    ".tsv": (("audit", "farm.sgl", "{}"), ("fit", "farm.sgl", "{}", "--out", "w.yaml")),
    ".parquet": (("split", "{}", "--out", "sp", "--moves", "2"),),
    "certificate.json": (("verify", "{}"),),
    "p.txt": (("eval", "ds", "{}", "--samples", "100"),),
}


def places(length: int, number: int) -> list[int]:
    """Return about ``number`` lengths to cut a file to, from nothing to all but the last byte."""
    among = {round(length * part / (number - 1)) for part in range(number)} if number > 1 else {length // 2}
    return sorted(place for place in {0, length - 1, *among} if 0 <= place < length)[: number + 1]


def cases(number: int) -> Iterator[tuple[str, str, Case]]:
    """Yield files that are cut, each with a command that reads it."""
    whole = {**seeds.barn(), **seeds.dataset()}
    gold = seeds.dataset()["ds/data/gen.tsv"].decode().splitlines()
    whole["p.txt"] = "".join(f"{line.split(chr(9))[1]}\n" for line in gold).encode()
    for name, content in whole.items():
        own = [words for end, words in ON_FILES.items() if name.endswith(end)]
        commands = [*(ON_DATASETS if name.startswith("ds/") else ()), *(w for words in own for w in words)]
        for place in places(len(content), number):
            for words in commands:
                command = tuple(word.format(name) for word in words)
                yield name, " ".join(words), Case({**whole, name: content[:place]}, (command,))


def wrong(name: str, command: str, case: Case) -> str:
    """Return a description of the fault, or the empty string."""
    finished = finish(case, None)
    accepted = finished.accepted and command.startswith("verify ds") and name.startswith("ds/")
    return finished.problem or "accepted" * accepted


def main(arguments: Sequence[str] | None = None) -> int:
    """Cut files and print how the commands take it."""
    parser = command_line(__doc__)
    parser.add_argument("--places", type=int, default=20, help="lengths that each file is cut to")
    options = parser.parse_args(arguments)
    os.environ["SGL_CACHE_DIR"] = ""
    settle_process()
    tried, bad, files = Counter[str](), Counter[str](), set[str]()
    for name, command, case in cases(options.places):
        files.add(name)
        tried[command] += 1
        if problem := wrong(name, command, case):
            bad[command] += 1
            print(f"{problem}: {command} where {name} has {len(case.files[name]):,} bytes")
    print_table(("command", "cut files", "wrong"), ((c, f"{n:,}", f"{bad[c]:,}") for c, n in tried.items()))
    print(f"{len(files)} files, {sum(tried.values()):,} runs, {sum(bad.values()):,} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
