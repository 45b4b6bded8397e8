"""How right and how quick are comparisons of logical forms?

Takes the published COGS forms (or any TSV file whose second column is one), renames and
shuffles each, makes three kinds of mutants of each, and asks three judges::

    python benchmarks/models.py equivalence ../shared/data/cogs/train.tsv ../shared/data/slog/dev.cogs.tsv

* ``equivalent``, this project's comparison;
* ``reformatted_exact_match``, the metric published with SLOG;
* networkx's VF2 (``is_isomorphic``), on a graph with a node for each variable, constant
  and atom, for every ``--every``-th form, since it is slow.

A variant that means the same has to be accepted, a mutant rejected.  Times are CPU time
per comparison of two texts, reading included for each judge; ours and VF2's are taken
on the same pairs, one right after the other.  The exit status is 1 if ``equivalent`` or VF2
is wrong about any pair.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import networkx as nx
from networkx.algorithms.isomorphism import categorical_edge_match, categorical_node_match
from perturbation import KINDS, mutants, perturbed

from common import Json, command_line, print_table, write_json
from sgl.research.evaluate import equivalent, reformatted_exact_match
from sgl.research.logical_forms.notation import Atom, Form, read_form

SAME = "renamed, shuffled"


class Pair(NamedTuple):
    """Two forms: the gold one, and one made from it in this way."""

    kind: str
    gold: str
    other: str


def main() -> int:
    """Run the comparison; the result is the exit status."""
    options = _options()
    forms = [form for path in options.files for form in forms_of(path)]
    result = run(forms, options.every, options.seed)
    report(result)
    write_json(options.json, result)
    return 1 if result["wrong"] else 0


def _options() -> argparse.Namespace:
    parser = command_line(__doc__, results=True)
    parser.add_argument("files", type=Path, nargs="+", help="TSV, the form in the second column")
    parser.add_argument("--every", type=int, default=40, help="VF2 judges every n-th form")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def forms_of(path: Path) -> list[str]:
    """The second column of a file."""
    with path.open(encoding="utf-8") as stream:
        return [line.rstrip("\n").split("\t")[1] for line in stream]


def run(forms: Sequence[str], every: int, seed: int) -> Json:
    """The verdicts of all judges on all pairs, and their times."""
    pairs = list(_pairs(forms, Random(seed)))  # noqa: S311 - nothing secret
    chosen = list(_pairs(forms[::every], Random(seed)))  # noqa: S311 - nothing secret
    result: Json = {"forms": len(forms), "wrong": [], "verdicts": [], "speed": []}
    for judge, asked in (("equivalent", pairs), ("published metric", pairs), ("VF2", chosen)):
        verdicts = [JUDGE_OF[judge](pair.gold, pair.other) for pair in asked]
        result["verdicts"] += _counted(judge, asked, verdicts)
        if judge != "published metric":
            result["wrong"] += [
                {"judge": judge, **pair._asdict()}
                for pair, verdict in zip(asked, verdicts, strict=True)
                if verdict is not (pair.kind == SAME)
            ]
    for kind in (SAME, *KINDS):
        some = [pair for pair in chosen if pair.kind == kind]
        if some:
            result["speed"].append(_speed(kind, some))
    return result


def _pairs(forms: Sequence[str], random: Random) -> Iterator[Pair]:
    for form in forms:
        yield Pair(SAME, form, perturbed(form, random))
        for kind, mutant in mutants(form, random).items():
            yield Pair(kind, form, perturbed(mutant, random))


def _counted(judge: str, pairs: Sequence[Pair], verdicts: Sequence[bool]) -> Iterator[Json]:
    for kind in (SAME, *KINDS):
        found = Counter(v for p, v in zip(pairs, verdicts, strict=True) if p.kind == kind)
        right = found[kind == SAME]
        yield {"judge": judge, "pairs": kind, "number": found.total(), "right": right}


def _speed(kind: str, pairs: Sequence[Pair]) -> Json:
    """Microseconds for a pair, by judge."""
    times = {judge: _microseconds(JUDGE_OF[judge], pairs) for judge in JUDGE_OF}
    reading = _microseconds(lambda first, second: bool(_read_both(first, second)), pairs)
    ratio = times["VF2"] / times["equivalent"]
    return {"pairs": kind, "number": len(pairs), **times, "reading": reading, "ratio": ratio}


def _microseconds(judge: Callable[[str, str], bool], pairs: Sequence[Pair]) -> float:
    started = time.process_time()
    for pair in pairs:
        judge(pair.gold, pair.other)
    return (time.process_time() - started) / len(pairs) * 1e6


def _read_both(first: str, second: str) -> tuple[Form, Form]:
    return read_form(first), read_form(second)


def by_vf2(first: str, second: str) -> bool:
    """The verdict of networkx."""
    graphs = [_graph(form) for form in _read_both(first, second)]
    match = categorical_node_match("label", None), categorical_edge_match("rank", None)
    return bool(nx.is_isomorphic(*graphs, node_match=match[0], edge_match=match[1]))


def _graph(form: Form) -> nx.DiGraph[object]:
    """A node for each atom and argument, an edge from each atom to its arguments."""
    graph: nx.DiGraph[object] = nx.DiGraph()
    graph.add_node("form", label=("constant", form.constant, len(form.binders)))
    for definite, atoms in ((True, form.definites), (False, form.atoms)):
        for number, atom in enumerate(atoms):
            _add_atom(graph, (definite, number), atom, bound=bool(form.binders))
    return graph


def _add_atom(graph: nx.DiGraph[object], name: object, atom: Atom, *, bound: bool) -> None:
    label = ("atom", name[0] if isinstance(name, tuple) else "", atom.predicate)
    graph.add_node(name, label=label)
    ranks: dict[object, tuple[int, ...]] = {}
    for rank, argument in enumerate(atom.arguments):
        # The rank of a binder is part of a function; the number of a variable is not.
        named = isinstance(argument, str) or bound
        graph.add_node(argument, label=("named", argument) if named else ("variable",))
        ranks[argument] = (*ranks.get(argument, ()), rank)
    for argument, places in ranks.items():
        graph.add_edge(name, argument, rank=places)


#: The judges by name.
JUDGE_OF: dict[str, Callable[[str, str], bool]] = {
    "equivalent": lambda first, second: equivalent(first, second).equal,
    "published metric": lambda first, second: reformatted_exact_match(first, second).equal,
    "VF2": by_vf2,
}


def report(result: Json) -> None:
    """Print the tables, and what is wrong."""
    for wrong in result["wrong"][:10]:
        print(f"WRONG {wrong}")
    print(f"{result['forms']} forms")
    rows = [[r["judge"], r["pairs"], r["number"], r["right"]] for r in result["verdicts"]]
    print_table(("judge", "pairs", "number", "right"), rows)
    print("\nmicroseconds for a pair (CPU time)")
    header = ("pairs", "number", *JUDGE_OF, "reading", "ratio")
    figures = ("number", *JUDGE_OF, "reading", "ratio")
    print_table(header, [[row["pairs"], *(round(row[f], 1) for f in figures)] for row in result["speed"]])
