"""The verifier passes an honest dataset and catches every planted violation."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tiny_dataset import (
    BY_CERTIFICATE,
    PP_IN_SUBJECT,
    Sentence,
    Tiny,
    embedded,
    explain,
    failed,
    foreign_structure,
    joined,
    pp_in_subject,
    question,
    said,
    sentence_in_two_splits,
    tiny,
    verify,
    write_manifest,
)

from sgl import verify as verifier
from sgl.verify import CHECKS
from sgl.verify.dataset import CLAIMS, FUNCTIONS


def test_an_honest_dataset_passes_every_check(tmp_path: Path) -> None:
    report = verify(tiny().write(tmp_path))
    assert report.ok, explain(report)
    assert {result.code for result in report.results if result.status != "passed"} == {*BY_CERTIFICATE}
    assert report.items == 15


def test_a_dataset_without_a_certificate_is_told_so(tmp_path: Path) -> None:
    report = verifier.verify(tiny().write(tmp_path))
    assert failed(report) == {"V025", "V030"}
    assert str(report.result("V025").violations[0]).startswith("the manifest lists no certificate")


@pytest.mark.parametrize(
    ("word", "method", "verdict", "said"),
    [
        ("on the graphs", "searched", "passed", "lists no certificate"),
        ("held out", "static", "refuted", "lists no certificate"),
        ("held out", "static", "proved!", "is not a verdict"),
        ("held out", "formal", "proved", "is not a verdict"),
        ("fair", "static", "proved", "is not a verdict"),
    ],
)
def test_a_verdict_is_a_known_one(word: str, method: str, verdict: str, said: str, tmp_path: Path) -> None:
    directory = tiny().write(tmp_path)
    manifest = json.loads((directory / "manifest.json").read_text("utf-8"))
    name = manifest["patterns"][0]["name"]
    claim = {"pattern": name, "claim": word, "method": method, "result": verdict, "detail": ""}
    write_manifest(directory, manifest | {"guarantees": [claim]})
    assert said in str(verifier.verify(directory).result("V025").violations[0])


def test_a_certificate_that_is_no_text_is_told(tmp_path: Path) -> None:
    directory = tiny().write(tmp_path)
    (directory / "certificate.json").write_bytes(b"\xff\xfe")
    result = verifier.verify(directory).result("V025")
    assert any(str(violation).startswith("C01 ") for violation in result.violations)


def test_every_other_check_looked_at_something(tmp_path: Path) -> None:
    report = verify(tiny().write(tmp_path))
    assert {result.code for result in report.results if not result.checked} == {*BY_CERTIFICATE}


def test_no_code_is_used_again_and_claims_are_sentences() -> None:
    gone = {"V006", "V007", "V011", "V019", "V020", "V021", "V023"}
    assert sorted({*CLAIMS} | gone) == [f"V{n:03d}" for n in range(1, len(CLAIMS) + len(gone) + 1)]
    assert sorted(FUNCTIONS) == sorted(CHECKS)
    assert all(told["claim"].endswith(".") for told in CLAIMS.values())


def test_a_program_keeps_its_settings(tmp_path: Path) -> None:
    """Python looks for cycles seldom while a dataset is verified, and as often as before afterwards."""
    before, own, meanwhile = gc.get_threshold(), (701, 11, 11), set[tuple[int, int, int]]()
    gc.set_threshold(*own)
    try:
        verify(tiny().write(tmp_path), lambda *_: meanwhile.add(gc.get_threshold()))
        assert len(meanwhile) == 1
        assert own not in meanwhile
        assert gc.get_threshold() == own
    finally:
        gc.set_threshold(*before)


def test_progress_reaches_its_total(tmp_path: Path) -> None:
    calls: list[tuple[int, int, str]] = []
    verify(tiny().write(tmp_path), lambda *call: calls.append(call))
    assert calls[-1][0] == calls[-1][1]
    assert all(done <= total for done, total, _ in calls)


def test_licensing_counts_are_reported(tmp_path: Path) -> None:
    figures = verify(tiny().write(tmp_path)).result("V012").figures
    assert [figure.value for figure in figures] == [2, 2]


def test_a_report_is_plain_data(tmp_path: Path) -> None:
    data = verify(tiny().write(tmp_path)).as_data()
    assert json.loads(json.dumps(data))["ok"] is True


# --- planted violations: each is caught by the right check, and by no other --------------


def leak(data: Tiny) -> None:
    sentence = pp_in_subject("girl", "Lina")
    sentence.category = "in_distribution"
    data.splits["train"].append(sentence)


def leak_in_dev(data: Tiny) -> None:
    data.splits["dev"].append(said("girl", "saw", "cat"))


def reserved_word_outside_exposures(data: Tiny) -> None:
    data.splits["test"].append(said("cat", "saw", "girl"))


def exposure_without_its_structure(data: Tiny) -> None:
    data.splits["train"][-1] = said("dog", "heard", "book", "exposure:cat_as_object")


def one_exposure_too_many(data: Tiny) -> None:
    data.splits["train"].append(said("cat", "saw", "girl", "exposure:cat_as_object"))


def missing_need(data: Tiny) -> None:
    del data.splits["train"][3]
    data.splits["train"].append(said("Lina", "saw", "book"))


def not_an_instance(data: Tiny) -> None:
    data.splits["gen"][0] = Sentence(
        "Emma/Emma/PROPN/2:nsubj slept/slept/VERB/0:root ././PUNCT/2:punct", "pp_in_subject"
    )


def excluded_structure(data: Tiny) -> None:
    big = "The/the/DET/3:det big/dog/ADJ/3:amod girl/girl/NOUN/6:nsubj near/near/ADP/5:case"
    rest = "Lina/Lina/PROPN/3:nmod slept/slept/VERB/0:root ././PUNCT/6:punct"
    data.splits["gen"][1] = Sentence(f"{big} {rest}", "pp_in_subject")


def missed_quota(data: Tiny) -> None:
    data.splits["gen"][1] = embedded("Lina", "girl", "Emma")


def missing_stratum(data: Tiny) -> None:
    data.strata["dev"] = {"in_distribution": 2}


def new_lemma(data: Tiny) -> None:
    data.splits["gen"][0] = pp_in_subject("horse", "Emma")


def unreadable_structure(data: Tiny) -> None:
    data.pattern("pp_in_subject")["never"] = ["{ V -[nsubj-> N }"]


def structure_of_another_layer(data: Tiny) -> None:
    data.pattern("pp_in_subject")["layer"] = "sem"


def category_without_pattern(data: Tiny) -> None:
    data.splits["gen"].append(said("girl", "heard", "book", "unheard_of"))
    data.splits["train"].append(said("dog", "heard", "girl"))


def part_elsewhere(data: Tiny) -> None:
    data.splits["train"].append(joined("dog", "girl", "in_distribution"))


def part_in_gen(data: Tiny) -> None:
    sentence = joined("girl", "Emma", "cat_as_object")
    sentence.words = sentence.words.replace("././PUNCT/3", "cat/cat/NOUN/6:obj ././PUNCT/3")
    data.splits["gen"][-1] = sentence


def part_without_its_structure(data: Tiny) -> None:
    data.splits["train"][5] = said("dog", "slept", "dog", "part:joined")


def part_outside_its_quota(data: Tiny) -> None:
    data.splits["train"][5].words += " so/so/VERB/3:ccomp"


def structure_that_is_to_be_nowhere(data: Tiny) -> None:
    data.splits["train"].append(question("dog"))


def structure_that_is_to_be_nowhere_in_gen(data: Tiny) -> None:
    data.nowhere = ["{ V[lemma=saw] -[obj]-> N[lemma=cat] }"]


def second_target(data: Tiny) -> None:
    data.distinct["sentences"] = False
    again = said("dog", "saw", "book")
    again.words = again.words.replace("saw/saw", "saw/see")
    data.splits["train"].append(again)


def string_not_parsed(data: Tiny) -> None:
    data.readings["pp_in_subject"] = {"parsed": 2}


def ambiguous_string_kept(data: Tiny) -> None:
    data.readings["pp_in_subject"] = {"several": 1, "outputs": 1, "ambiguous": 1}


def ambiguous_string_rejected_for_nothing(data: Tiny) -> None:
    data.ambiguous["pp_in_subject"] = 1
    data.readings["pp_in_subject"] = {"parsed": 4}


def leak_of_a_string_hushed_up(data: Tiny) -> None:
    data.policy = "report"
    leak: dict[str, object] = {"several": 1, "held_out": 1, "ambiguous": 1}
    data.readings["in_distribution"] = leak | {"patterns": {"pp_in_subject": 1}}


def strings_said_to_be_checked(data: Tiny) -> None:
    data.policy = "ignore"


PLANTED: list[tuple[Callable[[Tiny], None], set[str]]] = [
    (leak, {"V009"}),
    (leak_in_dev, {"V009", "V010", "V018"}),
    (reserved_word_outside_exposures, {"V010"}),
    (exposure_without_its_structure, {"V016"}),
    (one_exposure_too_many, {"V016"}),
    (missing_need, {"V012"}),
    (not_an_instance, {"V013"}),
    (excluded_structure, {"V014"}),
    (foreign_structure, {"V015"}),
    (missed_quota, {"V016"}),
    (missing_stratum, {"V008"}),
    (new_lemma, {"V017"}),
    (sentence_in_two_splits, {"V018"}),
    (part_elsewhere, {"V022"}),
    (part_in_gen, {"V022"}),
    (part_without_its_structure, {"V016", "V029"}),
    (part_outside_its_quota, {"V016"}),
    (structure_that_is_to_be_nowhere, {"V024"}),
    (structure_that_is_to_be_nowhere_in_gen, {"V024"}),
    (second_target, {"V026"}),
    (string_not_parsed, {"V027"}),
    (ambiguous_string_kept, {"V027"}),
    (ambiguous_string_rejected_for_nothing, {"V027"}),
    (leak_of_a_string_hushed_up, {"V027"}),
    (strings_said_to_be_checked, {"V027"}),
    (unreadable_structure, {"V004"}),
    (structure_of_another_layer, {"V004"}),
    (category_without_pattern, {"V013", "V016"}),
]


@pytest.mark.parametrize(("plant", "codes"), PLANTED, ids=[plant.__name__ for plant, _ in PLANTED])
def test_a_planted_violation_fails_exactly_its_check(
    plant: Callable[[Tiny], None], codes: set[str], tmp_path: Path
) -> None:
    data = tiny()
    plant(data)
    report = verify(data.write(tmp_path))
    assert failed(report) == codes, explain(report)


def test_a_violation_shows_sentence_and_match(tmp_path: Path) -> None:
    data = tiny()
    leak(data)
    (violation,) = verify(data.write(tmp_path)).result("V009").violations
    assert violation.sent_id == "train-000009"
    assert violation.sentence == "The girl near Lina slept."
    assert dict(violation.match) == {"V": "slept (5)", "N": "girl (2)", "M": "Lina (4)"}
    assert violation.place.startswith("conllu/train.conllu:")
    assert PP_IN_SUBJECT in violation.message


def test_unreadable_structures_leave_the_claims_unchecked(tmp_path: Path) -> None:
    data = tiny()
    unreadable_structure(data)
    result = verify(data.write(tmp_path)).result("V009")
    assert result.status == "skipped"
    assert result.reason == "V004 structures has not passed"


def test_only_the_first_violations_are_kept(tmp_path: Path) -> None:
    data = tiny()
    for verb in "abcdefghijklmnopqrstuvwxyz":
        sentence = pp_in_subject("girl", "Lina", verb)
        sentence.category = "in_distribution"
        data.splits["train"].append(sentence)
    result = verify(data.write(tmp_path)).result("V009")
    assert (result.total, len(result.violations)) == (26, 20)


# --- strings ---------------------------------------------------------------------------------


def test_a_second_target_is_counted_where_ambiguity_is_let_pass(tmp_path: Path) -> None:
    data = tiny()
    second_target(data)
    data.policy = "report"
    report = verify(data.write(tmp_path))
    assert report.ok, explain(report)
    (figure,) = report.result("V026").figures
    assert figure.value == 1


def test_a_reported_leak_is_no_violation_if_the_verdict_says_so(tmp_path: Path) -> None:
    data = tiny()
    leak_of_a_string_hushed_up(data)
    data.verdicts["pp_in_subject"] = "refuted"
    assert verify(data.write(tmp_path)).ok


def test_a_manifest_without_a_word_on_readings_is_told_so(tmp_path: Path) -> None:
    directory = tiny().write(tmp_path)
    content = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
    del content["ambiguous"]
    (directory / "manifest.json").write_text(json.dumps(content), encoding="utf-8")
    result = verify(directory).result("V027")
    assert (result.status, result.reason) == ("skipped", "the manifest says nothing about readings")


def test_a_stratum_without_figures_was_not_parsed(tmp_path: Path) -> None:
    directory = tiny().write(tmp_path)
    content = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
    content["splits"]["dev"]["strata"][0]["readings"] = None
    (directory / "manifest.json").write_text(json.dumps(content), encoding="utf-8")
    (violation,) = verify(directory).result("V027").violations
    assert violation.message == "the strings were not parsed"
    assert violation.place == "manifest.json: dev/in_distribution"
