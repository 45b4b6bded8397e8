"""Certificates: what holds is accepted, what was tampered with is not."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from toy import TOY, pattern, toy_plan
from toy_notation import structure
from trusted import CLAIMS, FOLDER

from sgl.automata import StructureCompiler
from sgl.automata.certificate import certificate_text
from sgl.cli.main import FAILED, OK, OUTPUT, USAGE, run
from sgl.core.extent import Extent
from sgl.core.plan import Constraint, Stratum
from sgl.pipeline.proofs import certificate_of
from sgl.verify.certificate import judge
from sgl.verify.certificate_structures import Structures
from tampering import alone, certificates, tampered
from tampering.copy import Copy

FARM = Path(__file__).parents[2] / "docs" / "examples" / "farm.sgl"


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tampered.make_dataset(FARM, tmp_path_factory.mktemp("certified") / "farm")


def faults(text: str) -> list[str]:
    refused, established = judge(text.encode())
    assert bool(refused) != bool(established)
    return refused


def ends(content: dict[str, Any]) -> dict[int, list[Any]]:
    """The category of each symbol and those of its children."""
    rules = content["core"]["grammar"]["rules"]
    return {symbol: [rules[rule]["lhs"], rules[rule]["rhs"]] for rule, symbol in enumerate(content["symbols"])}


# ---- what holds


def test_the_certificate_of_a_plan_is_accepted() -> None:
    made = certificate_of(StructureCompiler(TOY), toy_plan(), "toy")
    assert made.missing == ()
    assert faults(certificate_text(made.content)) == []


def test_equal_plans_have_equal_certificates() -> None:
    texts = {certificate_text(certificate_of(StructureCompiler(TOY), toy_plan(), "toy").content) for _ in "ab"}
    assert len(texts) == 1


def test_items_may_have_either_of_two_structures_and_training_has_neither() -> None:
    held_out = structure("{ V -[obj]-> N }"), structure("{ V -[ccomp]-> W }")
    strata = (
        Stratum("train", "in_distribution", "train/in_distribution", Extent(1), Constraint(exclude=held_out)),
        Stratum("gen", "either", "gen/either/0", Extent(1), Constraint(require=(held_out,))),
    )
    plan = replace(toy_plan(), patterns=(pattern("either", held_out),), strata=strata)
    made = certificate_of(StructureCompiler(TOY), plan, "toy")
    refused, established = judge(certificate_text(made.content).encode())
    assert (made.missing, refused) == ((), [])
    said = ", ".join(map(str, held_out))
    assert {f"either: {claim}: {said}" for claim in ("held out", "instance", "disjoint")} <= {*established}


@pytest.mark.slow
def test_the_checker_runs_by_itself(dataset: Path) -> None:
    """These files and the standard library are enough; -S takes all other packages away."""
    for file in [FOLDER / f"{name}.py" for name in CLAIMS]:
        shutil.copy(file, dataset.parent)
    own = [str(dataset.parent / "certificate.py"), str(dataset / "certificate.json")]
    command = [sys.executable, "-E", "-s", "-S", *own]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    held_out = "pp_in_subject: held out: { V -[nsubj]-> N; N -[nmod]-> M }"
    assert done.stdout.splitlines()[:2] == ["accepted", held_out]


# ---- two evaluations of structures, written apart


STRUCTURES = (
    "{ V -[nsubj]-> N; N -[nmod]-> M }",
    "{ V -[nsubj|obj]-> N[upos=NOUN] }",
    "{ V -[^nsubj]-> N[lemma!=dog] }",
    "{ A -[*]-> B; B -[*]-> C }",
    "{ N[#amod=2] }",
    "{ N[#amod>=1]; V -[obj]-> N }",
    "{ V -[ccomp]{2}-> W } without { W -[ccomp]-> X }",
    "{ V -[ccomp]+-> W }",
    "{ V -[obj]-> N } without { N -[amod]-> A } without { N -[nmod]-> M }",
    "{ N -[acl:relcl]-> V; V -[~obj]-> N }",
    "{ V -[obj]-> N; W -[nmod]-> M }",
    "{ V -[ccomp]{2,}-> W; W -[obj]-> N[#amod<=1] }",
    "{ N[lemma=dog] } without { V -[obj]-> M }",
    "{ N } without { M }",
    "{ N[upos=NOUN] } without { N[lemma=cat] -[det]-> D }",
    "{ N; M } without { N[lemma=dog]; M[upos=DET|VERB] }",
)


def excluding(text: str) -> dict[str, Any]:
    """The certificate of a plan that excludes a structure."""
    wanted = structure(text)
    stratum = Stratum("train", "in_distribution", "train/x", Extent(1), Constraint(exclude=(wanted,)))
    plan = replace(toy_plan(), patterns=(pattern("p", (wanted,)),), strata=(stratum,))
    return json.loads(certificate_text(certificate_of(StructureCompiler(TOY), plan, "toy").content))


@pytest.mark.parametrize("text", STRUCTURES)
def test_the_checker_agrees_with_the_automaton_of_a_structure(text: str) -> None:
    content = excluding(text)
    # What every text contains leaves none, which is a fault of the split alone.
    assert {fault[:3] for fault in faults(json.dumps(content))} <= {"C06"}
    found = content["structures"][0]
    category, start = ends(content), content["core"]["grammar"]["start"]
    texts = {q for symbol, q, *_ in found["transitions"] if category[symbol][0] == start}
    found["accepting"] = sorted({0, *texts} - {*found["accepting"]})
    assert "C10" in {fault[:3] for fault in faults(json.dumps(content))}


@pytest.mark.parametrize("part", ["{ N -[amod]-> A }", "{ N -[nmod]-> M }", "{ V -[nsubj]-> S }"])
def test_a_without_part_counts_whatever_variables_it_lists(part: str) -> None:
    """The automaton of the structure alone is wrong for the structure without the part."""
    content, whole = excluding("{ V -[obj]-> N }"), excluding(f"{{ V -[obj]-> N }} without {part}")
    bodies = whole["structures"][0]["bodies"]
    content["structures"][0].update(bodies=bodies, name=whole["structures"][0]["name"])
    own = {variable["name"] for variable in bodies[1]["variables"]} - {*"VN"}
    assert any(fault.startswith("C10") for fault in faults(json.dumps(content)))
    for names in ([*own], [*own, "V"], [*own, "N"], ["V", "N", *own]):
        bodies[1]["variables"] = [{"name": name} for name in names]
        assert faults(json.dumps(content)) != []


@pytest.mark.parametrize("state", [1, 7], ids=["usual", "other"])
def test_a_structure_is_found_in_a_split_whatever_its_states_are_called(state: int) -> None:
    content = excluding("{ V -[obj]-> N }")
    (split,), found, claim = content["splits"], content["structures"][0], content["claims"][0]
    # Now the split has all rules again, and nothing is said of the states of its phrases.
    places = {category: number for number, category in enumerate(split["states"])}
    split["transitions"] = [
        [symbol, *(places[category] for category in (lhs, *rhs))]
        for symbol, (lhs, rhs) in ends(content).items()
        if places.keys() >= {lhs, *rhs}
    ]
    claim["evidence"] = []
    assert {q for _, *states in found["transitions"] for q in states} == {0, 1}
    found["transitions"] = [[symbol, *(state if q else 0 for q in states)] for symbol, *states in found["transitions"]]
    found["accepting"] = [state]
    own = [fault for fault in faults(json.dumps(content)) if "held out" in fault]
    assert len(own) == 1
    assert "leaves the invariant" in own[0]


# ---- tampering


def _tamperings(dataset: Path) -> list[tampered.Tampering]:
    return list(certificates.tamperings(Copy(dataset)))


@pytest.mark.acceptance
def test_every_harmful_change_is_noticed_and_no_other(dataset: Path) -> None:
    verdicts = {
        f"{tampering.kind} · {tampering.name}": tampered.tamper(dataset, tampering)["verdict"]
        for tampering in _tamperings(dataset)
    }
    assert len(verdicts) >= 60
    assert {verdict for name, verdict in verdicts.items() if "harmless" not in name} == {"caught"}
    assert {verdict for name, verdict in verdicts.items() if "harmless" in name} == {"harmless"}


@pytest.mark.slow
def test_changes_drawn_at_random_are_noticed_by_the_checker_alone(
    dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = dataset / "certificate.json"
    assert alone.run(path, count=40, seed=3, target=None) == 0
    total = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("all"))
    caught, _, _, missed, changes = map(int, total.split()[1:])
    assert (missed, changes) == (0, 40)
    assert caught >= 20


@pytest.mark.slow
def test_a_checker_that_believes_every_automaton_would_be_noticed(
    dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Structures, "check_automaton", lambda *_: None)
    assert alone.run(dataset / "certificate.json", count=40, seed=3, target=None) == 1


@pytest.mark.slow
def test_a_leak_is_told_with_the_claim_and_the_transition(dataset: Path) -> None:
    content = json.loads((dataset / "certificate.json").read_text("utf-8"))
    certificates.leak(0, content)
    own = [fault for fault in faults(json.dumps(content)) if fault.startswith("C08")]
    assert len(own) == 1
    streams = "train/in_distribution, dev/in_distribution, test/in_distribution"
    assert f"{streams} excludes {{ V -[nsubj]-> N; N -[nmod]-> M }}: " in own[0]
    assert "leaves the invariant" in own[0]


NO_CERTIFICATES = ["", "{}", "[]", "null", '{"format": 1}', "9" * 50, "\x00", "[" * 100_000]


@pytest.mark.parametrize("text", NO_CERTIFICATES)
def test_what_is_no_certificate_is_a_message(text: str, tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    path.write_text(text, "utf-8")
    done = subprocess.run(
        [sys.executable, str(FOLDER / "certificate.py"), str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stdout.startswith(("C01", "C02"))
    assert done.stderr == ""


# ---- from the command line


def test_a_proof_can_be_written_and_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "proof.json"
    assert run(["prove", str(FARM), "--certificate", str(path)]) == OK
    capsys.readouterr()
    assert run(["verify", str(path)]) == OK
    said = capsys.readouterr()
    assert said.out.startswith("accepted: ")
    assert "pp_in_subject: held out: { V -[nsubj]-> N; N -[nmod]-> M }" in said.out
    assert said.err == ""


def test_a_dataset_and_a_proof_have_the_same_certificate(tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    assert run(["prove", str(FARM), "--certificate", str(path)]) == OK
    assert run(["compile", str(FARM), "--out", str(tmp_path / "farm")]) == OK
    assert path.read_bytes() == (tmp_path / "farm" / "certificate.json").read_bytes()


def test_a_line_of_reasoning_that_fails_is_shown(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    content = json.loads((dataset / "certificate.json").read_text("utf-8"))
    certificates.leak(0, content)
    path = tmp_path / "leak.json"
    path.write_text(json.dumps(content), "utf-8")
    assert run(["verify", str(path)]) == FAILED
    said = capsys.readouterr().out
    assert "failed  C08 pp_in_subject: held out: train/in_distribution, dev" in said
    assert run(["verify", str(path), "--json"]) == FAILED
    found = json.loads(capsys.readouterr().out)
    assert found["accepted"] is False
    assert len(found["faults"]) == said.count("failed  C")


@pytest.mark.parametrize("text", [*NO_CERTIFICATES, "\ud800"])
def test_a_file_that_is_no_certificate_is_told(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "certificate.json"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    assert run(["verify", str(path)]) == FAILED
    said = capsys.readouterr()
    assert said.out.startswith(("failed  C01", "failed  C02"))
    assert said.err == ""


def test_a_certificate_that_cannot_be_written_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "nowhere" / "proof.json"
    assert run(["prove", str(FARM), "--certificate", str(path)]) == OUTPUT
    assert "error[SGL1103]: cannot write" in capsys.readouterr().err


def test_the_certificate_of_one_pattern_cannot_be_asked_for(tmp_path: Path) -> None:
    options = ["--pattern", "pp_in_subject", "--certificate", str(tmp_path / "proof.json")]
    assert run(["prove", str(FARM), *options]) == USAGE
