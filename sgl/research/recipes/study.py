"""A study with prompts: what was proved of each set of prompts, and how the answers to it score.

Each directory of ``sglc prompts`` has the answers beside it, in files called ``answers.…``.  It is a system, called by
its strategy and its number of shots: ``covering@4``.  Several with one name are runs, and three numbers of shots make a
curve.  Only items that every run has an answer for are scored, so that all differences are in pairs.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from statistics import fmean

from sgl.cli.session import Session
from sgl.diagnostics import Diagnostics
from sgl.foreign import CERTIFICATE
from sgl.foreign.json import JsonValue, read_document
from sgl.research.analyse.scoring import Json
from sgl.research.analyse.statistics import Difference, corrected
from sgl.research.evaluate.answers import FAULTS
from sgl.research.evaluate.command import EvaluationRequest, evaluated
from sgl.research.evaluate.scoring import EXACT
from sgl.research.prompts.check import check_prompts
from sgl.research.prompts.write import PROOF

#: What the shots of prompts may be made for, and what they are if nothing is said.
_FACTORS = {"exposures": 1, "complexity": "any", "order": "random", "control": False}

#: Samples of the tests of differences.
_SAMPLES = 10_000


def studied(
    dataset: Path, folders: Iterable[tuple[str, Path]], answer: Sequence[str], session: Session
) -> tuple[Json, list[str]]:
    """Return the evaluation of each split with what was proved, and the systems; report what cannot be used."""
    given: dict[tuple[str, str], list[str]] = {}
    proved: dict[str, Json] = {}
    for name, path in folders:
        proof = read_document(path / PROOF, CERTIFICATE, inside=path)
        system = " ".join(filter(None, (name, f"{', '.join(_strategy(proof))}@{proof['shots'].of(int)}")))
        files = sorted(path.glob("answers.*"))
        if not files:
            session.diagnostics.error("SGL1411", None, f"`{path}` has no answers: no file is called `answers.…`")
        number, faults = check_prompts(path, dataset, session.progress)
        for fault in faults[:5]:
            session.diagnostics.error("SGL1413", None, f"`{path}`: {fault}")
        missing = [len(prompt["missing"].texts()) for prompt in proof["prompts"].elements()] or [0]
        split, target = proof["split"].of(str), proof["target"].of(str)
        of = {"prompts": _figure(number, 0), "missing": fmean(missing), "split": split, "system": system}
        proved[f"{path.name}: {system}, {split}"] = of | {"complete": 100 * missing.count(0) / len(missing)}
        given.setdefault((split, target), []).extend(f"{system}={file}" for file in files)
    found: Json = {"proved": proved}
    for (split, target), predictions in given.items() if not session.diagnostics.errors else ():
        outputs, readers, told = tuple(predictions), tuple(answer), Diagnostics()
        request = EvaluationRequest(
            dataset, outputs, {}, split, target, missing="left-out", answer=readers, samples=_SAMPLES
        )
        if (result := evaluated(request, session.sources, told)) is not None:
            found[split] = {**result, **_further(result)}
            for of in (of for of in proved.values() if of["split"] == split):
                of["scored"] = _figure(result["dataset"]["items"], 0)
        # Prompts are for some of the items, and the table says how many are scored.
        for diagnostic in told:
            if diagnostic.code != "SGL1403":
                session.diagnostics.add(diagnostic)
    return found, list(dict.fromkeys(of["system"] for of in proved.values()))


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
    pairs = {
        f"{test.first} → {test.second}": {
            **{end: 100 * getattr(test, end) for end in ("mean", "low", "high")},
            "adjusted": _figure(test.adjusted or 0, 4),
        }
        for test in tests
    }
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


def _figure(value: float, digits: int) -> Json:
    return {"mean": value, "deviation": None, "digits": digits}
