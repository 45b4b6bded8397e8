"""Know the splits of a grid: the divergences that they reached, and the test sets of all seeds together."""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from sgl.disk import write
from sgl.foreign import CERTIFICATE as CERTIFICATES
from sgl.foreign import PREDICTIONS, ForeignFileError, lines_of, read_text
from sgl.foreign.json import read_document
from sgl.research.analyse.scoring import Json
from sgl.research.divergence.search import CERTIFICATE, FORMAT

#: The outputs for each evaluation: systems with their files.
Outputs = dict[str, list[tuple[str, Path]]]


def split_divergences(evaluations: Mapping[str, Path]) -> Json:
    """Return the compound divergence of each test set of ``sglc split``, and the first one that has the same items."""
    found: Json = {}
    first: dict[str, str] = {}
    for name, path in evaluations.items():
        with suppress(ForeignFileError):
            document = read_document(path.parent / CERTIFICATE, CERTIFICATES, inside=path.parent)
            if document["format"].of(str) == FORMAT:
                same = first.setdefault(document["assignment"].of(str), name)
                found[name] = {"value": document["divergence"]["compounds"].of(float), "same": same}
    return found


def join(joined: Mapping[str, str], folder: Path, evaluations: dict[str, Path], outputs: Outputs) -> None:
    """Add the test sets and outputs that are those of several evaluations one after another, as files of ``folder``.

    Names that match ``each`` belong to the name that ``all`` gives; a system takes part with one output for each.
    """
    groups: dict[str, list[str]] = {}
    for name in evaluations:
        if found := re.fullmatch(joined["each"], name):
            groups.setdefault(found.expand(joined["all"]), []).append(name)
    for whole, names in groups.items():
        systems = [dict(outputs[name]) for name in names]
        complete = [name for name in systems[0] if all(name in own for own in systems)]
        if whole in evaluations or len(names) < 2 or not complete:
            continue
        evaluations[whole] = _written(folder / f"{whole}.tsv", [_lines(evaluations[name]) for name in names])
        outputs[whole] = [
            (system, _written(folder / f"{whole}.{number}.txt", [_predictions(own[system]) for own in systems]))
            for number, system in enumerate(complete)
        ]


def _written(path: Path, parts: Iterable[list[str]]) -> Path:
    write(path, "".join(f"{line}\n" for part in parts for line in part))
    return path


def _lines(path: Path) -> list[str]:
    return lines_of(read_text(path, PREDICTIONS))


def _predictions(path: Path) -> list[str]:
    """Return the predictions in a file, without the ids that a run of ``sglc baseline`` writes before them."""
    return [line.partition("\t")[2] if path.suffix == ".tsv" else line for line in _lines(path)]
