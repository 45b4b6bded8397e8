"""Compare sets of prompts: what was proved about each, and the scores of its answers.

Each directory of ``sglc prompts`` contains the answers, in files called ``answers.…``.  It is a system, named after its
strategy and its number of shots: ``covering@4``.  Several with one name are runs, and three numbers of shots make a
curve; if the numbers are equal but exposures differ, the curve is by exposures.  Only items that every run answers are
scored, so that all differences are in pairs.

The *gap* is the difference to a control with the same strategy: the item after shots that show its structure, or the
matched item of the same words, whose verdict is paired with the verdict on the item.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

import numpy as np

from sgl.cli.session import Session
from sgl.diagnostics import Diagnostics
from sgl.foreign import BENCHMARK, CERTIFICATE, lines_of, read_text
from sgl.foreign.json import JsonValue, read_document
from sgl.research.analyse.scoring import Json
from sgl.research.analyse.statistics import Difference, compare, corrected
from sgl.research.evaluate.answers import FAULTS
from sgl.research.evaluate.evaluation import Evaluation, EvaluationRequest, evaluation_of
from sgl.research.evaluate.scoring import EXACT
from sgl.research.prompts.check import check_prompts
from sgl.research.prompts.questions import JUDGE, OUTPUT, PROGRAM
from sgl.research.prompts.write import PROOF, QUESTIONS

#: What the shots of prompts may be made for, and what they are if nothing is said.
_FACTORS: Json = {"exposures": 1, "complexity": "any", "order": "random"}
_FACTORS |= {"control": False, "matched": False, "task": OUTPUT, "context": "none"}

#: What sets of prompts are made with.
_SETTINGS = ("split", "target", *_FACTORS, "select", "shots", "seed", "patterns", "items", "instruction", "model")

#: Samples of the tests of differences.
_SAMPLES = 10_000


class _Set(NamedTuple):
    """Prompts with answers; ``group`` is their split, or what is asked instead of its items."""

    path: Path
    proof: JsonValue
    group: str
    system: str
    name: str

    @property
    def controls(self) -> bool:
        """Whether these prompts are a control of others."""
        return self.proof["control"].of(bool) or self.proof["matched"].of(bool)

    def settings(self, *besides: str) -> tuple[object, ...]:
        """Return what the prompts were made with, as far as it has to be equal for a comparison."""
        names = [name for name in _SETTINGS if name not in besides]
        return self.name, *(str(self.proof[name].data) for name in names)


def studied(
    dataset: Path, folders: Iterable[tuple[str, Path]], answer: Sequence[str], session: Session
) -> tuple[Json, list[str], str]:
    """Return the evaluation of each split with what was proved, the systems, and what curves are by.

    What cannot be used is reported.
    """
    read = [(name, path, read_document(path / PROOF, CERTIFICATE, inside=path)) for name, path in folders]
    several = {axis: len({proof[axis].of(int) for *_, proof in read}) for axis in ("shots", "exposures")}
    axis = "exposures" if several["shots"] == 1 < several["exposures"] else "shots"
    sets = [_set(name, path, proof, axis) for name, path, proof in read]
    called = (f"{own.path.name}: {own.system}, {own.proof['split'].of(str)}" for own in sets)
    proved = {name: _proved(own, dataset, session) for name, own in zip(called, sets, strict=True)}
    found: Json = {"proved": proved}
    verdicts: dict[tuple[str, str], dict[str, float]] = {}
    patterns: dict[str, str] = {}
    groups = _grouped(sets, session)
    for group, inside in groups.items() if not session.diagnostics.errors else ():
        if (result := _evaluated(dataset, inside, answer, session)) is None:
            continue
        evaluation, data = result
        found[group] = {**data, **_further(data)}
        for of in (of for of in proved.values() if of["group"] == group):
            of["scored"] = _figure(data["dataset"]["items"], 0)
        # The lines of `prompts.jsonl` were checked.
        lines = lines_of(read_text(inside[0].path / "prompts.jsonl", BENCHMARK, inside=inside[0].path))
        known = {row["id"]: row for row in map(json.loads, lines)}
        items = [known.get(row.id, {}).get("item", row.id) for row in evaluation.benchmark.rows]
        if group != JUDGE:
            patterns |= {item: row.category for item, row in zip(items, evaluation.benchmark.rows, strict=True)}
            for system, scores in evaluation.scores.scores[EXACT].items():
                verdicts[group, system] = dict(zip(items, scores.mean(axis=0).tolist(), strict=True))
    found["gaps"] = _gaps(_controls(sets), verdicts, patterns)
    return found, list(dict.fromkeys(own.system for own in sets)), axis


def _proved(own: _Set, dataset: Path, session: Session) -> Json:
    """Return what was proved of a set; what is wrong with it is reported."""
    if own.proof["task"].data == PROGRAM:
        session.diagnostics.error("SGL1411", None, f"`{own.path}` asks for programs", "`sglc eval --programs`")
    elif not list(own.path.glob("answers.*")):
        session.diagnostics.error("SGL1411", None, f"`{own.path}` has no answers: no file is called `answers.…`")
    checked = check_prompts(own.path, dataset, session.progress)
    for fault in checked.faults[:5]:
        session.diagnostics.error("SGL1413", None, f"`{own.path}`: {fault}")
    missing = [len(prompt["missing"].texts()) for prompt in own.proof["prompts"].elements()] or [0]
    of = {"prompts": _figure(checked.number, 0), "missing": fmean(missing), "group": own.group}
    return of | {"complete": 100 * missing.count(0) / len(missing)}


def _set(name: str, path: Path, proof: JsonValue, axis: str) -> _Set:
    task, matched = proof["task"].of(str), proof["matched"].of(bool)
    group = "matched" if matched else task if task != OUTPUT else proof["split"].of(str)
    other = f", {proof['shots'].of(int)} shots" if axis != "shots" else ""
    factors = (factor for factor in _strategy(proof) if not factor.startswith(axis))
    system = " ".join(filter(None, (name, f"{', '.join(factors)}{other}@{proof[axis].of(int)}")))
    return _Set(path, proof, group, system, name)


def _grouped(sets: Iterable[_Set], session: Session) -> dict[str, list[_Set]]:
    """Return the sets that are scored together: for the same rows."""
    groups, asked = defaultdict[str, list[_Set]](list), dict[str, tuple[str, str]]()
    alike: dict[tuple[str, str], tuple[object, ...]] = {}
    for own in sets:
        if alike.setdefault((own.group, own.system), own.settings("seed")) != own.settings("seed"):
            hint = "name them, as in `NAME=FOLDER`: sets of one name are runs, which differ in their seed alone"
            session.diagnostics.error("SGL1411", None, f"`{own.path}` was made in another way than its namesake", hint)
        groups[own.group].append(own)
        questions = own.path / QUESTIONS
        text = read_text(questions, BENCHMARK, inside=own.path) if questions.exists() else ""
        if asked.setdefault(own.group, (text, own.proof["target"].of(str))) != (text, own.proof["target"].of(str)):
            hint = "sets of one study have the same items, seed and target"
            session.diagnostics.error("SGL1411", None, f"`{own.path}` asks other questions than those before", hint)
    return groups


def _evaluated(
    dataset: Path, sets: Sequence[_Set], answer: Sequence[str], session: Session
) -> tuple[Evaluation, Json] | None:
    """Evaluate the answers to sets of one group."""
    outputs = tuple(f"{own.system}={file}" for own in sets for file in sorted(own.path.glob("answers.*")))
    first, told = sets[0], Diagnostics()
    rows = {"split": first.proof["split"].of(str), "target": first.proof["target"].of(str)}
    asked = (dataset, rows) if not (first.path / QUESTIONS).exists() else (first.path / QUESTIONS, {"target": None})
    options: Json = {"missing": "left-out", "answer": tuple(answer), "samples": _SAMPLES, **asked[1]}
    result = evaluation_of(EvaluationRequest(asked[0], outputs, {}, **options), session.sources, told)
    # Prompts are for some of the items, and the table says how many are scored; of questions there are no graphs.
    for diagnostic in told:
        if diagnostic.code not in ("SGL1403", "SGL1405" if asked[0] != dataset else ""):
            session.diagnostics.add(diagnostic)
    return result


def _controls(sets: Sequence[_Set]) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Return the groups and names of controls, by the groups and names of the sets that otherwise equal them."""
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    same = ("control", "matched", "seed", "instruction")
    for own, control in product(sets, sets):
        if control.controls and not own.controls and own.settings(*same) == control.settings(*same):
            found.setdefault((own.group, own.system), []).append((control.group, control.system))
    return {own: list(dict.fromkeys(controls)) for own, controls in found.items()}


def _gaps(
    controls: Mapping[tuple[str, str], Iterable[tuple[str, str]]],
    verdicts: Mapping[tuple[str, str], Mapping[str, float]],
    patterns: Mapping[str, str],
) -> Json:
    """Return the differences to controls, of all items and of each pattern, in pairs."""
    tests: list[Difference] = []
    for own, control in ((own, control) for own, others in controls.items() for control in others):
        first, second = verdicts.get(own, {}), verdicts.get(control, {})
        both = [item for item in first if item in second]
        kinds = list(dict.fromkeys(patterns[item] for item in both))
        for part in (["all items", *kinds] if len(kinds) > 1 else ["all items"]) if both else ():
            items = [item for item in both if part in ("all items", patterns[item])]
            one, other = (np.array([of[item] for item in items]) for of in (first, second))
            figures = compare(one, other, "randomisation", _SAMPLES, 1)
            tests.append(Difference(own[1], control[1], EXACT, part, len(items), *figures))
    return {
        f"{test.first} → {test.second}" + (f": {test.part}" if test.part != "all items" else ""): _row(test)
        for test in corrected(tests)
    }


def _strategy(proof: JsonValue) -> Iterator[str]:
    """Yield how shots were chosen, and each other factor that is not as it is if nothing is said."""
    yield proof["select"].of(str)
    for name, value in proof.members().items():
        if name in _FACTORS and value.data != _FACTORS[name]:
            yield name if value.data is True else f"{name} {value.data}"


def _further(result: Json) -> Json:
    """Return the tests of all items and the shares of mistakes, in the form of rows."""
    differences = [Difference(**test) for test in result["tests"]["differences"]]
    tests = corrected([test for test in differences if (test.metric, test.part) == (EXACT, "all")])
    pairs = {f"{test.first} → {test.second}": _row(test) for test in tests}
    shares: dict[str, dict[str, float]] = {}
    for of in result["answers"]:
        whole, system = of["parts"][0], of["system"]
        counts = Counter({kind: whole[kind] for kind in ("no answer", *FAULTS)})
        for own in result["mistakes"]["systems"].get(system, {}).values():
            counts.update({kind: number for kind, number in own.items() if kind != "empty"})
        for kind, number in counts.items():
            shares.setdefault(kind, {})[system] = 100 * number / whole["items"]
    several = [(of["system"], of["parts"][0]) for of in result["answers"] if "best" in of["parts"][0]]
    samples = {name: {system: 100 * row[name] for system, row in several} for name in ("best", "agreement")}
    shown = {kind: own for kind, own in shares.items() if any(own.values())}
    return {"pairs": pairs, "shares": shown, "several": samples if several else {}}


def _row(test: Difference) -> Json:
    ends = {end: 100 * getattr(test, end) for end in ("mean", "low", "high")}
    return {"items": _figure(test.items, 0), **ends, "adjusted": _figure(test.adjusted or 0, 4)}


def _figure(value: float, digits: int) -> Json:
    return {"mean": value, "deviation": None, "digits": digits}
