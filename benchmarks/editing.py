"""How long does an author wait after an edit?

Opens a grammar in a workspace, as an editor does.  Edits of each kind are made in different places, after a warm-up
edit of the same kind; nothing is saved.  Measures the CPU time from the edit until there are diagnostics, until there
are also five samples of a pattern, and until all claims are decided as well.  *Before* is the same for a workspace that
has seen nothing; the two take turns::

    python benchmarks/editing.py                          # tutorial, SLOG and SGET
    python benchmarks/editing.py --edits 5 --only tutorial
    python benchmarks/editing.py --memory 1000            # and the memory after 1,000 edits

*weight*: another weight for a rule.  *text*: another word in a rule.  *rule*: one more rule, which patterns do not
distinguish from another one.  *turned*: one more rule, with the two phrases of another one turned round.  *row*: one
more row in the table of a lexicon.  *comment*: one more comment line.
"""

from __future__ import annotations

import re
import statistics
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from common import ROOT, command_line
from sgl.children import RARELY, collect_rarely
from sgl.engine import Snapshot, Workspace

STEPS = ("diagnostics", "samples", "claims")
MIB = 1 << 20


class Case(NamedTuple):
    """A grammar, its rules file, a table of nouns, and a pattern to sample."""

    root: str
    rules: str
    table: str
    pattern: str


CASES = {
    "tutorial": Case("docs/examples/farm.sgl", "docs/examples/farm.sgl", "docs/examples/animals.yaml", "pp_in_subject"),
    "SLOG": Case("grammars/slog.sgl", "grammars/slog/english.sgl", "grammars/lexicon/slog/nouns.yaml", "pp_modif_subj"),
    "SGET": Case(
        "grammars/sget.sgl", "grammars/sget.sgl", "grammars/lexicon/sget/inanimates.yaml", "subject_to_object_common"
    ),
}


def main() -> None:
    """Print a table for each grammar."""
    parser = command_line(__doc__)
    parser.add_argument("--edits", type=int, default=20)
    parser.add_argument("--cold", type=int, default=3, help="measurements of a workspace that has seen nothing")
    parser.add_argument("--only", choices=CASES, action="append")
    parser.add_argument("--memory", type=int, default=0, metavar="EDITS")
    chosen = parser.parse_args()
    collect_rarely(RARELY)
    for name in chosen.only or CASES:
        report(name, CASES[name], chosen.edits, chosen.cold)
        if chosen.memory:
            remember(name, CASES[name], chosen.memory)


# ---- edits


def rules_in(text: str) -> list[re.Match[str]]:
    """Return the first lines of the rules in a file that are always in force."""
    return [line for line in re.finditer(r"(?m)^rule .*$", text) if " when " not in line[0]]


def weight(text: str, number: int) -> str:
    """Return the text with another weight for a rule."""
    lines = [line for line in rules_in(text) if re.search(r"~ *[\d.]+$", line[0])]
    line = lines[number % len(lines)]
    changed = re.sub(r"~ *([\d.]+)$", lambda found: f"~ {float(found[1]) + (number + 1) / 1000:g}", line[0])
    return text[: line.start()] + changed + text[line.end() :]


def words_in(text: str) -> list[str]:
    """Return what is quoted in a text and consists of letters, digits, underscores and spaces."""
    return [quoted for quoted in re.findall(r'"([^"\n]*)"', text) if re.fullmatch(r"[\w ]+", quoted)]


def word(text: str, number: int) -> str:
    """Return the text with another word in a rule, in all its lines if the source has it."""
    blocks = [block for block in re.finditer(r"(?m)^rule .*(\n +.*)*", text) if words_in(block[0])]
    block = blocks[number % len(blocks)]
    old = words_in(block[0])[0]
    return text[: block.start()] + block[0].replace(f'"{old}"', f'"{old}{number}"') + text[block.end() :]


def rule(text: str, number: int) -> str:
    """Return the text with one more rule, made from another one."""
    blocks = [block for block in re.finditer(r"(?m)^rule .*(\n +.*)*", text) if " when " not in block[0]]
    block = blocks[number % len(blocks)]
    new = re.sub(r"^rule (\w+)", rf"rule \g<1>_{number}", block[0])
    return f"{text[: block.end()]}\n\n{new}\n{text[block.end() :]}"


#: The first line of a rule that consists of two phrases.
_PHRASE = r"((?:\w+:)?\w+(?:\[[^]]*\])?)"
OF_TWO = re.compile(rf"(rule \w+)(.* -> ){_PHRASE} {_PHRASE}(?=\s*(~|\n|$))")


def turned(text: str, number: int) -> str:
    """Return the text with one more rule, made from another one, with its two phrases in the other order."""
    blocks = [block for block in re.finditer(r"(?m)^rule .*(\n +.*)*", text) if OF_TWO.match(block[0])]
    block = blocks[number % len(blocks)]
    new = OF_TWO.sub(rf"\g<1>_{number}\g<2>\g<4> \g<3>", block[0], count=1)
    return f"{text[: block.end()]}\n\n{new}\n{text[block.end() :]}"


def row(text: str, number: int) -> str:
    """Return a table with ``number + 1`` more rows, each made from another one: one more than after the edit before."""
    rows = re.findall(r"(?m)^- .*$", text)
    new = [re.sub(r"\ben: *(\w+)", rf"en: \g<1>{n}", rows[n % len(rows)]) for n in range(number + 1)]
    return "\n".join((text.rstrip(), *new, ""))


def comment(text: str, number: int) -> str:
    """Return the text with one more comment line near the top."""
    place = rules_in(text)[0].start()
    return f"{text[:place]}# note {number}\n{text[place:]}"


KINDS: dict[str, Callable[[str, int], str]] = {
    "weight": weight,
    "text": word,
    "rule": rule,
    "turned": turned,
    "row": row,
    "comment": comment,
}


# ---- measurements


class BrokenError(Exception):
    """An edit that breaks the grammar."""


def timed(open_: Callable[[], Snapshot], pattern: str) -> list[float]:
    """Return the CPU time from an edit until each step is done."""
    begun, times = time.process_time(), []
    snapshot = open_()
    _ = snapshot.diagnostics
    times.append(time.process_time() - begun)
    if snapshot.compiled is None:
        raise BrokenError(snapshot.diagnostics[0].message)
    snapshot.samples(pattern)
    times.append(time.process_time() - begun)
    snapshot.claims()
    times.append(time.process_time() - begun)
    return times


def report(name: str, case: Case, edits: int, cold: int) -> None:
    """Measure all kinds of edits of one grammar, and print the medians."""
    root, workspace = ROOT / case.root, Workspace()
    timed(lambda: workspace.open(root), case.pattern)
    print(f"\n{name}, seconds of CPU, median of {edits} edits")
    print(f"{'':10}" + "".join(f"{step:>12}" for step in STEPS))
    before = [timed(lambda: Workspace().open(root), case.pattern) for _ in range(cold)]
    found = {}
    for kind, edit in KINDS.items():
        path = ROOT / (case.table if kind == "row" else case.rules)
        text, times = path.read_text("utf-8"), []
        for number in range(edits + 1):
            workspace.edit(path, edit(text, number))
            # The word may be one that a pattern names.
            with suppress(BrokenError):
                times.append(timed(lambda: workspace.open(root), case.pattern))
        workspace.edit(path, None)
        before.append(timed(lambda: Workspace().open(root), case.pattern))
        found[kind] = times[1:]
    for kind, measured in {"before": before, **found}.items():
        medians = [statistics.median(column) for column in zip(*measured, strict=True)]
        print(f"{kind:10}" + "".join(f"{median:12.3f}" for median in medians))


def remember(name: str, case: Case, edits: int) -> None:
    """Print this process's memory at intervals during ``edits`` edits, some of which also decide claims."""
    root, workspace = ROOT / case.root, Workspace()
    path = ROOT / case.rules
    text = path.read_text("utf-8")
    timed(lambda: workspace.open(root), case.pattern)
    sizes = []
    for number in range(edits + 1):
        if number % max(edits // 5, 1) == 0:
            sizes.append(resident() // MIB)
        edit = (weight, rule, comment)[number % 3]
        workspace.edit(path, edit(text, number))
        snapshot = workspace.open(root)
        _ = snapshot.diagnostics
        snapshot.samples(case.pattern)
        if number % 50 == 0:
            snapshot.claims()
    print(f"{name}: MiB after 0 to {edits} edits: {', '.join(map(str, sizes))}")


def resident() -> int:
    """Return the memory of this process, in bytes."""
    pages = Path("/proc/self/statm").read_text("ascii").split()[1]
    return int(pages) * 4096


if __name__ == "__main__":
    main()
