"""Search for the split whose divergences are nearest to their targets, and write it.

``anneal`` starts with a random split within the bounds and improves it; ``greedy`` fills empty sets, as Moisio, Creutz
& Kurimo (2023) do.  Both minimise |D_C - target for compounds| + |D_A - target for atoms|, the negated score of that
paper, and both are functions of the seed, the same on every machine.

The divergences of the certificate are recomputed from the labels, by the definition.  ``assignment`` is the SHA-256 of
the lines ``id<TAB>set`` in the order of the items: equal certificates mean equal splits.

Splits that miss their targets are warned of: whoever draws scores over wanted divergences has to know which were
reached.  The cause is a bound of the search that the split touches, and each bound has an option that loosens it.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sgl.cli.terminal import json_text
from sgl.core.arrays import ATOM_ALPHA, COMPOUND_ALPHA
from sgl.dataset.rows import json_line
from sgl.dataset.staged import Listing, staged_directory
from sgl.disk import create, make, write
from sgl.foreign import CERTIFICATE as CERTIFICATES
from sgl.foreign import ForeignFileError
from sgl.foreign.json import read_document
from sgl.research.divergence import problem
from sgl.research.divergence.sources import MORPHOLOGY, ItemSet, in_one_line
from sgl.sampling.engine import MASK, mix, stream_key

if TYPE_CHECKING:
    from sgl.research.divergence.objective_kernel import SplitState
from sgl.diagnostics import Diagnostics

Progress = Callable[[int, int], None]
Labels = NDArray[np.int8]
Method = problem.Annealing | problem.Greedy

#: Temperatures fall from 2 ** -WARM to 2 ** -COLD, in this many steps for each halving.
_WARM, _COLD, _STAGES = 13, 27, 8

#: Small problems are solved again from other starts, up to these numbers of moves and starts.
_MOVES_IN_ALL, _MOST_STARTS = 200_000, 30

#: Choices between two reports of progress.
_CHOICES = 500


class SplitTask(NamedTuple):
    """The input of a search."""

    elements: problem.Elements
    target: problem.SplitTarget
    bounds: problem.Bounds
    seed: int


def anneal(task: SplitTask, settings: problem.Annealing | None = None, progress: Progress | None = None) -> Labels:
    """Return labels found by annealing; raises ``NoSuchSplitError`` if none are within bounds."""
    from sgl.research.divergence.objective_kernel import new_state

    items = task.elements.atoms.items
    sizes = task.bounds.start(items)
    moves = (settings or problem.Annealing()).moves * items
    found = []
    for start in range(min(max(_MOVES_IN_ALL // max(moves, 1), 1), _MOST_STARTS)):
        state = new_state(task.elements, task.target, task.bounds)
        key = stream_key(task.seed, f"split/anneal/{start}")
        found.append((_anneal_once(state, sizes, key, moves, progress), start, state.labels))
    return min(found)[2]


def _anneal_once(state: "SplitState", sizes: tuple[int, int], key: int, moves: int, progress: Progress | None) -> float:
    from sgl.research.divergence.objective_kernel import place
    from sgl.research.divergence.search_kernel import GAMMA, anneal_steps
    from sgl.research.divergence.search_kernel import mix as mix_array

    stages = (_COLD - _WARM) * _STAGES
    distance = np.inf
    # NumPy's scalars warn if a product loses its upper bits, as it does for random numbers.
    with np.errstate(over="ignore"):
        used, test = sizes
        counters = np.uint64(mix(key ^ MASK)) + np.arange(1, len(state.labels) + 1, dtype=np.uint64) * GAMMA
        order = np.argsort(mix_array(counters), kind="stable")
        labels = np.full(len(order), problem.TRAIN, np.int8)
        labels[order[:test]] = problem.TEST
        labels[order[used:]] = problem.DISCARDED
        place(labels, state)
        for stage in range(stages):
            done, after = moves * stage // stages, moves * (stage + 1) // stages
            halvings, part = divmod(stage, _STAGES)
            # Go from one power of two to the next in equal steps, which are exact everywhere.
            temperature = 2.0 ** -(_WARM + halvings) * (1 - part / (2 * _STAGES))
            distance = anneal_steps(np.uint64(key), done, after - done, temperature, state)
            if progress is not None:
                progress(after, moves)
    return float(distance)


def greedy(task: SplitTask, settings: problem.Greedy | None = None, progress: Progress | None = None) -> Labels:
    """Return labels chosen greedily, with as many discarded as allowed; raises ``NoSuchSplitError``."""
    wanted = task.bounds.fewest(task.elements.atoms.items)
    labels, _ = choose(task, settings or problem.Greedy(), wanted, progress)
    train, test, discarded = np.bincount(labels, minlength=len(problem.SETS)).tolist()
    if fault := task.bounds.fault(train, test, discarded):
        raise problem.NoSuchSplitError(f"the greedy procedure ends outside of the bounds: {fault}")
    return labels


def choose(
    task: SplitTask, settings: problem.Greedy, wanted: int, progress: Progress | None = None
) -> tuple[Labels, list[int]]:
    """Return the labels after ``wanted`` greedy choices, and the chosen items."""
    from sgl.research.divergence.objective_kernel import new_state
    from sgl.research.divergence.search_kernel import greedy_choices

    state = new_state(task.elements, task.target, task.bounds)
    items = len(state.labels)
    key = np.uint64(stream_key(task.seed, "split/greedy"))
    candidates, every = min(settings.candidates, items), min(settings.every, items)
    pool = np.arange(items, dtype=np.int32)
    for first in range(0, wanted, _CHOICES):
        number = min(_CHOICES, wanted - first)
        with np.errstate(over="ignore"):
            greedy_choices(key, first, number, candidates, every, pool, state)
        if progress is not None:
            progress(first, wanted)
    # A chosen item goes to the end of the remaining pool.
    return state.labels, pool[items - wanted :][::-1].tolist()


def find(task: SplitTask, method: Method, progress: Progress | None = None) -> Labels:
    """Return the label of each item; raises ``NoSuchSplitError`` if no split was found."""
    if isinstance(method, problem.Annealing):
        return anneal(task, method, progress)
    return greedy(task, method, progress)


FORMAT = "sgl-split/1"
CERTIFICATE = "certificate.json"

#: A list of several splits has a format of its own.
GRID_FORMAT = "sgl-splits/1"
GRID = "splits.json"

#: The labels of a split, and its certificate.
Found = tuple[Labels, dict[str, Any]]

ANNEALING, GREEDY = "annealing", "greedy"

#: The columns of a dataset that its TSV files have.
_COLUMNS = ("source", "target", "category")


def elements_data(items: ItemSet) -> dict[str, Any]:
    """Describe and count the atoms and compounds, as plain data."""
    settings, words = items.settings, items.settings.words
    choice = {
        "occurrences": words.occurrences if words.occurrences > 1 else None,
        "without": list(words.without),
        "lemmas": list(words.lists),
        "ranks": list(words.ranks or ()),
    }
    return {
        "view": settings.view,
        "size": settings.size,
        "weighted": settings.weighted,
        "above": None if words.above is None else str(words.above),
        **{key: value for key, value in choice.items() if value},
        "atoms": len(items.elements.atoms.names),
        "compounds": len(items.elements.compounds.names),
    }


def certificate(items: ItemSet, task: SplitTask, method: Method, labels: Labels) -> dict[str, Any]:
    """Return the certificate of the split with these labels."""
    elements, target, bounds, seed = task
    seen = problem.measure(elements, labels == problem.TRAIN, labels == problem.TEST)
    sizes = np.bincount(labels, minlength=len(problem.SETS)).tolist()
    pairs = zip(items.ids, labels.tolist(), strict=True)
    assignment = "".join(f"{name}\t{problem.SETS[label]}\n" for name, label in pairs)
    return {
        "format": FORMAT,
        "files": [{"name": file.path.name, "sha256": file.digest, "items": len(file.ids)} for file in items.files],
        **({"translations": items.translated} if items.translated else {}),
        "elements": elements_data(items),
        "target": {
            "atoms": target.atoms,
            "compounds": target.compounds,
            "atom_weight": target.weight,
            "atom_limit": target.limit,
        },
        "bounds": {"test": [str(bounds.least), str(bounds.most)], "discards": bounds.discards},
        "method": {"name": ANNEALING if isinstance(method, problem.Annealing) else GREEDY, **method._asdict()},
        "seed": seed,
        "sizes": dict(zip(problem.SETS, sizes, strict=True)),
        "mean_words": {name: items.mean_words(labels == label) for label, name in enumerate(problem.SETS)},
        "alpha": {"atoms": ATOM_ALPHA, "compounds": COMPOUND_ALPHA},
        "divergence": {"atoms": seen.atoms, "compounds": seen.compounds},
        "score": -abs(seen.compounds - target.compounds) - abs(seen.atoms - target.atoms),
        "test_only": {"atoms": seen.unseen_atoms, "compounds": seen.unseen, "share": seen.unseen_share},
        "assignment": sha256(assignment.encode("utf-8", "surrogateescape")).hexdigest(),
    }


def split_files(directory: Path) -> Collection[str] | None:
    """Return the files that a split, or several, can have; None if no certificate says that there is one."""
    folders: list[str] | None = None
    with suppress(ForeignFileError):
        document = read_document(directory / GRID, CERTIFICATES, inside=directory)
        names = [f"{split['name'].of(str)}/" for split in document["splits"].elements()]
        folders = names if document["format"].of(str) == GRID_FORMAT else None
    with suppress(ForeignFileError):
        # A directory that is itself a split has no folders.
        document = read_document(directory / CERTIFICATE, CERTIFICATES, inside=directory)
        folders = [""] if document["format"].of(str) == FORMAT else None
    endings = (".txt", ".conllu", ".parquet", ".tsv", ".src", ".trg", ".forms.jsonl")
    names = [CERTIFICATE, *(f"{name}{ending}" for name in problem.SETS for ending in endings)]
    return None if folders is None else {GRID, *(f"{folder}{name}" for folder in folders for name in names)}


def write_splits(items: ItemSet, found: Mapping[str, Found], out: Path, listing: Listing) -> None:
    """Write everything, or nothing; raises ``OutputError`` if writing is refused.

    A split is written to a folder of its name, or to the whole directory if its name is empty.
    """
    ids = items.ids
    with staged_directory(out, listing=listing) as stage:
        for name, (labels, proof) in found.items():
            folder = stage / name
            make(folder)
            for label, part in enumerate(problem.SETS):
                chosen = np.flatnonzero(labels == label).tolist()
                text = "".join(f"{ids[item]}\n" for item in chosen)
                write(folder / f"{part}.txt", text)
                if part != problem.SETS[-1]:
                    _write_items(items, chosen, folder / part)
            if items.translations and proof["elements"]["view"] == MORPHOLOGY:
                forms = _forms(items.elements.compounds, labels)
                write(folder / "test.forms.jsonl", "".join(forms))
            write(folder / CERTIFICATE, json_text(proof))
        if "" not in found:
            write(stage / GRID, json_text(grid(found)))


def grid(found: Mapping[str, Found]) -> dict[str, Any]:
    """Return the certificates of several splits, by name."""
    return {"format": GRID_FORMAT, "splits": [{"name": name, **proof} for name, (_, proof) in found.items()]}


def _forms(compounds: problem.Occurrences, labels: Labels) -> Iterator[str]:
    """Yield the features of the words in each test item, marked unseen if training lacks one of those words."""
    seen = compounds.totals(labels == problem.TRAIN) > 0
    for item in np.flatnonzero(labels == problem.TEST).tolist():
        kinds = compounds.kinds[compounds.start[item] : compounds.start[item + 1]].tolist()
        features = {kind: compounds.names[kind].rpartition("+")[2].split("|") for kind in kinds}
        unseen = {name for kind in kinds if not seen[kind] for name in features[kind]}
        every = sorted({name for kind in kinds for name in features[kind]})
        found = [f"{name} {'unseen' if name in unseen else 'seen'}" for name in every]
        yield json_line({"prediction": found})


def _write_items(items: ItemSet, chosen: list[int], path: Path) -> None:
    if items.table is None:
        blocks = (block + b"\n\n" for block in items.blocks(chosen))
        write(path.with_suffix(".conllu"), b"".join(blocks))
        if items.translations:
            pairs = [(in_one_line(items.sentences[item].text), items.translations[item]) for item in chosen]
            for suffix, lines in zip(
                (".src", ".trg", ".tsv"), (*zip(*pairs, strict=True), map("\t".join, pairs)), strict=True
            ):
                write(path.with_suffix(suffix), "".join(f"{line}\n" for line in lines))
        return
    import pyarrow.parquet as pq

    rows = items.table.take(chosen)
    with create(path.with_suffix(".parquet")) as file:
        pq.write_table(rows, file)
    if all(column in rows.column_names for column in _COLUMNS):
        columns = [rows[column].to_pylist() for column in _COLUMNS]
        lines = ("\t".join(map(str, row)) + "\n" for row in zip(*columns, strict=True))
        write(path.with_suffix(".tsv"), "".join(lines))


#: A divergence is reached if it is at most this far from its target.
REACHED = 0.02

#: A bound counts as touched from this share of it on, and is looser by this factor in a hint.
_TOUCHED, _LOOSER = 0.98, 2.5


def report(found: Mapping[str, Found], diagnostics: Diagnostics) -> None:
    """Warn about the splits, by name, that miss their targets, and about splits that are equal."""
    same, told, options = dict[str, list[str]](), list[str](), dict[str, None]()
    for name, (_, proof) in found.items():
        _report_limit(name, proof, diagnostics)
        same.setdefault(proof["assignment"], []).append(name)
        if missed := [*_missed(proof)]:
            causes = [*_causes(proof)]
            options.update(dict.fromkeys(option for _, option in causes))
            told.append(f"{name and f'`{name}` '}has {'; '.join([*missed, *(cause for cause, _ in causes)])}")
    if told:
        what = "the split misses its target" if len(found) == 1 else f"{len(told)} of {len(found)} splits miss a target"
        hint = f"{' or '.join(options)} may come nearer" if options else _NO_CAUSE
        diagnostics.warning("SGL1304", None, what, hint, notes=told)
    for names in (names for names in same.values() if len(names) > 1):
        listed = f"{', '.join(f'`{name}`' for name in names[:-1])} and `{names[-1]}`"
        diagnostics.warning("SGL1305", None, f"{listed} are the same split", "show it once, as what it reached")


#: The hint if no bound is in the way.
_NO_CAUSE = "the items may have no such split; a longer search (`--moves`) may come nearer"


def _report_limit(name: str, proof: dict[str, Any], diagnostics: Diagnostics) -> None:
    atoms, limit = proof["divergence"]["atoms"], proof["target"]["atom_limit"]
    if proof["method"]["name"] == ANNEALING and atoms > limit:
        split = f"no split{name and f' for {name}'} with an atom divergence of at most {limit:g} was found"
        hint = "the bounds may be too narrow, or the items too few"
        diagnostics.warning("SGL1303", None, f"{split}; this one has {atoms:.6f}", hint)


def _missed(proof: dict[str, Any]) -> Iterator[str]:
    """Yield the divergences that are far from their targets; for too much atom divergence there is a limit."""
    reached, wanted = proof["divergence"], proof["target"]
    if abs(reached["compounds"] - wanted["compounds"]) > REACHED:
        yield f"a compound divergence of {reached['compounds']:.4f} instead of {wanted['compounds']:g}"
    if wanted["atoms"] - reached["atoms"] > REACHED:
        yield f"an atom divergence of {reached['atoms']:.4f} instead of {wanted['atoms']:g}"


def _causes(proof: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the bounds that the split touches, each with the option that loosens it."""
    atoms, target, sizes, bounds = proof["divergence"]["atoms"], proof["target"], proof["sizes"], proof["bounds"]
    if proof["method"]["name"] == GREEDY:
        yield "the greedy method does not go back", f"`--method {ANNEALING}`"
    elif atoms >= _TOUCHED * target["atom_limit"]:
        place = "above" if atoms > target["atom_limit"] else "at"
        cause = f"its atom divergence, {atoms:.4f}, is {place} the limit of {target['atom_limit']:g}"
        looser = min(1.0, _LOOSER * max(target["atom_limit"], atoms, 0.001))
        yield cause, f"`--atom-limit {round(looser, 4):g}`"
    if 0 < bounds["discards"] <= sizes["discarded"]:
        yield "all items are discarded that may be", f"`--discard {2 * bounds['discards']}`"
