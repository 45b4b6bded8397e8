"""Compares the compiler with a model on grammars by seed: the loop, its options, and what it prints.

A comparison takes a seed, a directory of its own and what is counted; it raises ``Difference`` where the two say
different things.  A crash is a difference, too::

    def compare(seed: int, place: Path, figures: Counter[str]) -> None: ...

    run(compare, range(1, 20), folder)        for tests
    command(__doc__, lambda: compare)         for ``benchmarks/models.py``
"""

from __future__ import annotations

import shutil
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from common import command_line, print_table

Compare = Callable[[int, Path, Counter[str]], None]

#: Characters of a difference that are shown.
WIDE = 2000


class Difference(Exception):
    """The compiler and the model say different things."""


def run(compare: Compare, seeds: Iterable[int], folder: Path) -> tuple[Counter[str], list[str]]:
    """Compare grammars; return what was counted, and the differences."""
    figures, differences = Counter[str](), list[str]()
    for seed in seeds:
        try:
            compare(seed, folder / str(seed), figures)
        except Difference as difference:
            differences.append(f"seed {seed}: {str(difference)[:WIDE]}")
        except Exception:  # noqa: BLE001 - a crash is a finding
            differences.append(f"seed {seed}: {traceback.format_exc()}")
    return figures, differences


def first_of(compare: Callable[[int, Path, Counter[str]], Iterator[str]]) -> Compare:
    """Return a comparison that stops at the first of the differences that ``compare`` yields."""

    def of(seed: int, place: Path, figures: Counter[str]) -> None:
        for difference in compare(seed, place, figures):
            raise Difference(difference)

    return of


def command(
    doc: str | None,
    comparison: Callable[..., Compare],
    options: dict[str, tuple[bool | int, str]] | None = None,
    *,
    number: tuple[str, int] = ("grammars", 100),
) -> int:
    """Run the comparison that ``comparison`` makes of the options; the exit status is 1 if anything differs."""
    parser = command_line(doc)
    parser.add_argument(f"--{number[0]}", dest="number", type=int, default=number[1])
    parser.add_argument("--seed", type=int, default=1)
    for name, (default, told) in (options or {}).items():
        if isinstance(default, bool):
            parser.add_argument(f"--{name}", action="store_true", help=told)
        else:
            parser.add_argument(f"--{name}", type=int, default=default, help=told)
    chosen = parser.parse_args()
    compare = comparison(**{name: getattr(chosen, name) for name in options or {}})
    folder, found = Path(tempfile.mkdtemp(prefix="models")), 0
    whole = Counter[str]()
    for seed in range(chosen.seed, chosen.seed + chosen.number):
        figures, differences = run(compare, [seed], folder)
        whole += figures
        found += len(differences)
        print(*differences, sep="\n", end="\n" * bool(differences), flush=True)
    print_table(("", "number"), [*sorted(whole.items()), ("differences", found)])
    if found:
        print(f"the grammars are in {folder}")
    else:
        shutil.rmtree(folder)
    return 1 if found else 0
