"""The verifier passes an honest dataset and catches every planted violation."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_dataset import (
    CAT_AS_SUBJECT,
    PP_IN_SUBJECT,
    Sentence,
    Tiny,
    embedded,
    joined,
    pattern,
    pp_in_object,
    pp_in_subject,
    question,
    said,
    tiny,
    write_manifest,
)

import sgl.verify
from sgl.verify import CHECKS, Report, VerifyError, verify


def failed(report: Report) -> set[str]:
    return {result.code for result in report.failed}


def explain(report: Report) -> str:
    return "\n".join(f"{r.code} {r.status} {v}" for r in report.results for v in r.violations)


def test_an_honest_dataset_passes_every_check(tmp_path: Path) -> None:
    report = verify(tiny().write(tmp_path))
    assert report.ok, explain(report)
    assert {result.code for result in report.results if result.status != "passed"} == {"V025"}
    assert report.items == 15


def test_a_dataset_without_a_certificate_is_told_so(tmp_path: Path) -> None:
    result = verify(tiny().write(tmp_path)).result("V025")
    assert result.status == "skipped"
    assert result.reason.startswith("the dataset has no certificate")


@pytest.mark.parametrize(
    ("method", "verdict", "status"),
    [
        ("static", "proved", "failed"),
        ("searched", "passed", "skipped"),
        ("static", "not claimed", "skipped"),
    ],
)
def test_who_says_proved_has_to_show_it(
    method: str, verdict: str, status: str, tmp_path: Path
) -> None:
    directory = tiny().write(tmp_path)
    manifest = json.loads((directory / "manifest.json").read_text("utf-8"))
    claim = {"pattern": "p", "claim": "held out", "method": method, "result": verdict, "detail": ""}
    write_manifest(directory, manifest | {"guarantees": [claim]})
    result = verify(directory).result("V025")
    assert result.status == status
    if status == "failed":
        assert "lists no certificate" in str(result.violations[0])


def test_a_certificate_that_is_no_text_is_told(tmp_path: Path) -> None:
    directory = tiny().write(tmp_path)
    (directory / "certificate.json").write_bytes(b"\xff\xfe")
    result = verify(directory).result("V025")
    assert result.status == "failed"
    assert "malformed" in str(result.violations[0])


def test_every_other_check_looked_at_something(tmp_path: Path) -> None:
    report = verify(tiny().write(tmp_path))
    assert {result.code for result in report.results if not result.checked} == {"V025"}


def test_codes_are_consecutive_and_claims_are_sentences() -> None:
    assert [check.code for check in CHECKS] == [f"V{n:03d}" for n in range(2, len(CHECKS) + 2)]
    assert all(check.claim.endswith(".") for check in CHECKS)


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


def foreign_structure(data: Tiny) -> None:
    sentence = Sentence(
        "The/the/DET/2:det dog/dog/NOUN/5:nsubj near/near/ADP/4:case Emma/Emma/PROPN/2:nmod "
        "saw/see/VERB/0:root a/a/DET/7:det cat/cat/NOUN/5:obj ././PUNCT/5:punct",
        "pp_in_subject",
    )
    data.splits["gen"][0] = sentence


def missed_quota(data: Tiny) -> None:
    data.splits["gen"][1] = embedded("Lina", "girl", "Emma")


def missing_stratum(data: Tiny) -> None:
    data.strata["dev"] = {"in_distribution": 2}


def new_lemma(data: Tiny) -> None:
    data.splits["gen"][0] = pp_in_subject("horse", "Emma")


def sentence_in_two_splits(data: Tiny) -> None:
    data.splits["dev"].append(said("dog", "saw", "book"))


def repeated_sentence(data: Tiny) -> None:
    data.splits["train"].insert(0, said("dog", "saw", "book"))


def repeated_lemma(data: Tiny) -> None:
    data.splits["train"].append(said("dog", "saw", "dog"))


def unreadable_structure(data: Tiny) -> None:
    data.pattern("pp_in_subject")["never"] = ["{ V -[nsubj-> N }"]


def structure_of_another_layer(data: Tiny) -> None:
    data.pattern("pp_in_subject")["layer"] = "sem"


def category_without_pattern(data: Tiny) -> None:
    data.splits["gen"].append(said("girl", "heard", "book", "unheard_of"))
    data.splits["train"].append(said("dog", "heard", "girl"))


def unequal_shares(data: Tiny) -> None:
    data.splits["gen"][-1] = said("dog", "slept", "cat", "cat_as_object")


def other_shares_recorded(data: Tiny) -> None:
    data.shares["cat_as_object"] = {"dog": 2}


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


def repeated_lemma_in_another_part(data: Tiny) -> None:
    data.parts[0]["repeated_lemmas"] = False


def structure_that_is_to_be_nowhere(data: Tiny) -> None:
    data.splits["train"].append(question("dog"))


def structure_that_is_to_be_nowhere_in_gen(data: Tiny) -> None:
    data.nowhere = ["{ V[lemma=saw] -[obj]-> N[lemma=cat] }"]


PLANTED: list[tuple[Callable[[Tiny], None], set[str]]] = [
    (leak, {"V009"}),
    (leak_in_dev, {"V009", "V010", "V018"}),
    (reserved_word_outside_exposures, {"V010"}),
    (exposure_without_its_structure, {"V011"}),
    (one_exposure_too_many, {"V011"}),
    (missing_need, {"V012"}),
    (not_an_instance, {"V013"}),
    (excluded_structure, {"V014"}),
    (foreign_structure, {"V015"}),
    (missed_quota, {"V016"}),
    (missing_stratum, {"V008"}),
    (new_lemma, {"V017"}),
    (sentence_in_two_splits, {"V018"}),
    (repeated_sentence, {"V019"}),
    (repeated_lemma, {"V020"}),
    (unequal_shares, {"V021"}),
    (other_shares_recorded, {"V021"}),
    (part_elsewhere, {"V022"}),
    (part_in_gen, {"V022"}),
    (part_without_its_structure, {"V023"}),
    (part_outside_its_quota, {"V023"}),
    (repeated_lemma_in_another_part, {"V020"}),
    (structure_that_is_to_be_nowhere, {"V024"}),
    (structure_that_is_to_be_nowhere_in_gen, {"V024"}),
    (unreadable_structure, {"V004"}),
    (structure_of_another_layer, {"V004"}),
    (category_without_pattern, {"V013"}),
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


def test_allowed_structures_of_another_pattern_are_no_violation(tmp_path: Path) -> None:
    data = tiny()
    foreign_structure(data)
    data.pattern("pp_in_subject")["allow"] = ["cat_as_object"]
    assert verify(data.write(tmp_path)).ok


def test_a_part_may_contain_what_the_patterns_that_it_allows_reserve(tmp_path: Path) -> None:
    data = tiny()
    (place,) = (i for i, s in enumerate(data.splits["train"]) if s.category == "part:joined")
    data.splits["train"][place] = joined("cat", "dog")
    assert failed(verify(data.write(tmp_path))) == {"V010"}
    data.parts[0]["allow"] = ["cat_as_object"]
    assert verify(data.write(tmp_path)).ok


def test_overlapping_quotas_are_dealt_out(tmp_path: Path) -> None:
    data = tiny()
    data.pattern("pp_in_subject")["quotas"] = [
        {"count": 2, "within": [], "outside": []},
        {"count": 1, "within": ["{ V -[ccomp]-> W }"], "outside": []},
    ]
    assert verify(data.write(tmp_path)).ok
    data.splits["gen"][2] = pp_in_subject("girl", "Lina")
    assert failed(verify(data.write(tmp_path))) == {"V016"}


def test_an_item_counts_for_the_first_target_that_it_has(tmp_path: Path) -> None:
    data = tiny()
    data.pattern("cat_as_object")["targets"] = ["cat", "girl"]
    data.shares["cat_as_object"] = {"cat": 1, "girl": 1}
    assert failed(verify(data.write(tmp_path))) == {"V021"}
    data.pattern("cat_as_object")["targets"] = ["girl", "cat"]
    assert verify(data.write(tmp_path)).ok


def test_the_first_targets_have_what_is_left_over(tmp_path: Path) -> None:
    data = tiny()
    data.pattern("cat_as_object")["quotas"][0]["count"] = 3
    data.shares["cat_as_object"] = {"dog": 2, "girl": 1}
    data.splits["gen"].append(said("dog", "slept", "cat", "cat_as_object"))
    assert verify(data.write(tmp_path)).ok
    data.splits["gen"][-1] = said("girl", "slept", "cat", "cat_as_object")
    assert failed(verify(data.write(tmp_path))) == {"V021"}


def test_exposures_have_shares_too(tmp_path: Path) -> None:
    data = tiny()
    (exposure,) = data.pattern("cat_as_object")["expose"]
    exposure["each_target"] = True
    data.pattern("cat_as_object")["targets"] = ["dog", "book", "girl"]
    data.shares["cat_as_object"] = {"dog": 1, "book": 1}
    data.shares["exposure:cat_as_object"] = {"dog": 1, "book": 1}
    assert failed(verify(data.write(tmp_path))) == {"V021"}
    data.shares["cat_as_object"] = {"dog": 1, "girl": 1}
    data.pattern("cat_as_object")["targets"] = ["dog", "girl"]
    data.splits["train"][-1] = said("cat", "saw", "girl", "exposure:cat_as_object")
    data.shares["exposure:cat_as_object"] = {"dog": 1, "girl": 1}
    report = verify(data.write(tmp_path))
    assert report.ok, explain(report)


def test_two_exposures_of_one_pattern_are_told_apart(tmp_path: Path) -> None:
    data = tiny()
    data.pattern("cat_as_object")["expose"] = [
        {"count": 1, "structure": CAT_AS_SUBJECT},
        {"count": 1, "structure": "{ V -[obj]-> N[lemma=book] }"},
    ]
    assert verify(data.write(tmp_path)).ok


def test_without_declared_distinctness_train_and_dev_may_share(tmp_path: Path) -> None:
    data = tiny()
    data.distinct["sentences"] = False
    sentence_in_two_splits(data)
    repeated_sentence(data)
    report = verify(data.write(tmp_path))
    assert report.ok, explain(report)
    assert report.result("V018").figures[0].value == 1
    assert report.result("V019").figures[0].value == 1


def test_exposures_that_are_marked_may_repeat_themselves_alone(tmp_path: Path) -> None:
    data = tiny()
    data.repeated = {"exposure:cat_as_object"}
    data.splits["train"][-1] = data.splits["train"][-2]
    assert verify(data.write(tmp_path)).ok
    repeated_sentence(data)
    assert failed(verify(data.write(tmp_path))) == {"V019"}


def test_new_word_forms_are_counted_only(tmp_path: Path) -> None:
    data = tiny()
    data.splits["gen"][0] = Sentence(
        "Dogs/dog/NOUN/4:nsubj near/near/ADP/3:case Emma/Emma/PROPN/1:nmod "
        "sleep/slept/VERB/0:root ././PUNCT/4:punct",
        "pp_in_subject",
    )
    report = verify(data.write(tmp_path))
    assert report.ok
    assert report.result("V017").figures[0].value == 2
    assert report.result("V017").figures[0].detail == "dogs, sleep"


# --- files ------------------------------------------------------------------------------


def rewrite(path: Path, change: Callable[[bytes], bytes]) -> None:
    path.write_bytes(change(path.read_bytes()))


def test_a_changed_byte_is_noticed(tmp_path: Path) -> None:
    tiny().write(tmp_path)
    rewrite(tmp_path / "data/dev.tsv", lambda text: text.replace(b"girl", b"boys"))
    assert failed(verify(tmp_path)) == {"V002", "V006"}


def test_a_swapped_label_with_a_new_hash_is_noticed(tmp_path: Path) -> None:
    data = tiny()
    data.write(tmp_path)
    rewrite(
        tmp_path / "conllu/train.conllu",
        lambda text: text.replace(b"\t5\tnmod\t5:nmod", b"\t5\tobl\t5:obl", 1),
    )
    write_manifest(tmp_path, data.manifest())
    assert failed(verify(tmp_path)) == {"V012"}


@pytest.mark.parametrize(
    ("name", "codes"),
    [
        ("data/gen.tsv", {"V002", "V006"}),
        ("parquet/gen.parquet", {"V002", "V007"}),
    ],
)
def test_a_missing_file_is_noticed(name: str, codes: set[str], tmp_path: Path) -> None:
    tiny().write(tmp_path)
    (tmp_path / name).unlink()
    assert failed(verify(tmp_path)) == codes


def test_a_missing_conllu_file_fails_and_nothing_crashes(tmp_path: Path) -> None:
    tiny().write(tmp_path)
    (tmp_path / "conllu/train.conllu").unlink()
    assert {"V002", "V005"} <= failed(verify(tmp_path))


def test_an_unlisted_file_is_noticed(tmp_path: Path) -> None:
    tiny().write(tmp_path)
    (tmp_path / "data/extra.tsv").write_text("a\tb\tc\n", encoding="utf-8")
    assert failed(verify(tmp_path)) == {"V002"}


def test_a_split_that_the_manifest_leaves_out_is_noticed(tmp_path: Path) -> None:
    home = tiny().write(tmp_path)
    manifest = json.loads((home / "manifest.json").read_text(encoding="utf-8"))
    del manifest["splits"]["dev"]
    write_manifest(home, manifest)
    violations = verify(home).result("V002").violations
    assert {v.message for v in violations} == {"the manifest has no such split"}


def test_a_listed_path_cannot_leave_the_dataset(tmp_path: Path) -> None:
    data = tiny()
    home = data.write(tmp_path / "home")
    (tmp_path / "secret.tsv").write_text("", encoding="utf-8")
    manifest = json.loads((home / "manifest.json").read_text(encoding="utf-8"))
    manifest["files"].append({"path": "../secret.tsv", "sha256": "", "rows": 0})
    write_manifest(home, manifest)
    (violation,) = verify(home).result("V002").violations
    assert violation.message == "the file lies outside the dataset"


@pytest.mark.parametrize(
    ("name", "code"), [("data/train.tsv", "V006"), ("parquet/train.parquet", "V007")]
)
def test_a_missing_row_is_noticed(name: str, code: str, tmp_path: Path) -> None:
    data = tiny()
    data.write(tmp_path)
    path = tmp_path / name
    if path.suffix == ".tsv":
        rewrite(path, lambda text: text[: text.rindex(b"\n", 0, -1) + 1])
    else:
        pq.write_table(pq.read_table(path).slice(0, 6), path)
    write_manifest(tmp_path, data.manifest())
    assert failed(verify(tmp_path)) == {code}


def test_wrong_row_counts_are_noticed(tmp_path: Path) -> None:
    tiny().write(tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    for file in manifest["files"]:
        file["rows"] += file["path"].endswith("dev.conllu")
    write_manifest(tmp_path, manifest)
    assert failed(verify(tmp_path)) == {"V003"}


def test_a_target_that_differs_between_files_is_noticed(tmp_path: Path) -> None:
    data = tiny()
    data.write(tmp_path)
    rewrite(tmp_path / "data/test.tsv", lambda text: text.replace("。".encode(), b"?"))
    write_manifest(tmp_path, data.manifest())
    assert failed(verify(tmp_path)) == {"V006"}


def test_a_wrong_split_kind_is_noticed(tmp_path: Path) -> None:
    data = tiny()
    data.write(tmp_path)
    path = tmp_path / "parquet/test.parquet"
    table = pq.read_table(path)
    pq.write_table(table.set_column(3, "split_kind", pa.array(["gen"] * len(table))), path)
    write_manifest(tmp_path, data.manifest())
    assert failed(verify(tmp_path)) == {"V007"}


def test_parquet_may_be_absent(tmp_path: Path) -> None:
    data = tiny()
    data.parquet = False
    report = verify(data.write(tmp_path))
    assert report.ok
    assert report.result("V007").status == "skipped"


def test_a_parquet_file_of_rubbish_fails_without_a_traceback(tmp_path: Path) -> None:
    tiny().write(tmp_path)
    (tmp_path / "parquet/test.parquet").write_bytes(b"PAR1 rubbish PAR1")
    assert failed(verify(tmp_path)) == {"V002", "V003", "V007"}


# --- damaged input is a failed check, never a traceback ----------------------------------


def test_what_is_no_dataset_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VerifyError, match="not a dataset"):
        verify(tmp_path)
    with pytest.raises(VerifyError, match="not a directory"):
        verify(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "line 1, column 2"),
        (b"[]", "manifest: an object expected, found a list"),
        (b'{"format": "other/3"}', "'other/3' is not"),
        (b"\xff{}", "not UTF-8 at byte 1"),
        (b"[" * 100_000, "nested too deeply"),
        (b"{}", "format: missing"),
        (b'{"format": "\\ud800"}', "characters that no text has"),
    ],
)
def test_a_damaged_manifest_fails_the_first_check(
    content: bytes, message: str, tmp_path: Path
) -> None:
    tiny().write(tmp_path)
    (tmp_path / "manifest.json").write_bytes(content)
    report = verify(tmp_path)
    assert failed(report) == {"V001"}
    assert message in report.result("V001").violations[0].message
    assert report.result("V009").status == "skipped"


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (
            ["patterns", 0, "need", 0, "minimum"],
            "ten",
            "patterns[0].need[0].minimum: a whole number",
        ),
        (["patterns", 1, "quotas", 0, "count"], -1, "patterns[1].quotas[0].count: a whole number"),
        (["distinct", "sentences"], 1, "distinct.sentences: true or false expected, found 1"),
        (["distinct", "layer"], "sem", "there is no graph layer 'sem'"),
        (["files", 0, "path"], None, "files[0].path: a string expected, found null"),
        (["splits", "../dev"], {"items": 0, "strata": []}, "a split is one of"),
        (["patterns", 1, "name"], "pp_in_subject", "occurs twice"),
        (["patterns", 0, "allow"], ["nobody"], "there is no pattern 'nobody'"),
        (["parts", 0, "allow"], ["nobody"], "parts[0].allow: there is no pattern 'nobody'"),
    ],
)
def test_a_wrong_value_in_the_manifest_is_named(
    path: list[str | int], value: object, message: str, tmp_path: Path
) -> None:
    tiny().write(tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    place = manifest
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    write_manifest(tmp_path, manifest)
    report = verify(tmp_path)
    assert failed(report) == {"V001"}
    assert message in report.result("V001").violations[0].message


@settings(max_examples=60, deadline=None)
@given(
    name=st.sampled_from(
        ["manifest.json", "conllu/train.conllu", "data/gen.tsv", "parquet/dev.parquet"]
    ),
    place=st.floats(0, 1),
    patch=st.binary(max_size=8),
    cut=st.booleans(),
)
def test_damaged_files_never_raise(name: str, place: float, patch: bytes, cut: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        directory = tiny().write(Path(folder))
        content = (directory / name).read_bytes()
        at = int(place * len(content))
        damaged = content[:at] + patch + (b"" if cut else content[at + len(patch) :])
        (directory / name).write_bytes(damaged)
        report = verify(directory)
        if name != "manifest.json":
            assert report.ok == (damaged == content)


# --- laws -------------------------------------------------------------------------------

WORDS = st.sampled_from(["dog", "girl", "book", "cat"])


@settings(max_examples=40, deadline=None)
@given(
    split=st.sampled_from(["train", "dev", "test"]),
    at=st.integers(0, 7),
    leaking=st.one_of(
        st.builds(pp_in_subject, WORDS, st.sampled_from(["Emma", "Lina"])),
        st.builds(embedded, st.just("Emma"), WORDS, st.just("Lina")),
        st.builds(said, WORDS, st.just("saw"), st.just("cat")),
    ),
    exposure=st.booleans(),
)
def test_no_planted_leak_is_accepted(
    split: str, at: int, leaking: Sentence, exposure: bool
) -> None:
    data = tiny()
    leaking.category = "exposure:cat_as_object" if exposure else "in_distribution"
    data.splits[split].insert(at, leaking)
    with tempfile.TemporaryDirectory() as folder:
        report = verify(data.write(Path(folder)))
    assert "V009" in failed(report)
    assert leaking.source in [v.sentence for v in report.result("V009").violations]


def test_patterns_without_any_structure_pass_vacuously(tmp_path: Path) -> None:
    data = tiny()
    data.patterns.append(pattern("nothing", layer=""))
    assert verify(data.write(tmp_path)).ok


def test_more_train_sentences_do_no_harm(tmp_path: Path) -> None:
    data = tiny()
    data.splits["train"].append(pp_in_object("girl", "dog", "Lina"))
    assert verify(data.write(tmp_path)).ok


# --- the wall ---------------------------------------------------------------------------


def test_the_verifier_imports_nothing_else_of_sgl() -> None:
    folder = Path(sgl.verify.__file__).parent
    imported = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path.name} has a relative import"
                imported |= {f"{node.module}.{alias.name}" for alias in node.names}
    own = {name for name in imported if name.partition(".")[0] == "sgl"}
    assert own
    assert all(name.startswith("sgl.verify.") for name in own), own


def test_verifying_loads_no_other_part_of_sgl(tmp_path: Path) -> None:
    tiny().write(tmp_path)
    program = (
        "import sys, pathlib, sgl; before = set(sys.modules); import sgl.verify; "
        "sgl.verify.verify(pathlib.Path(sys.argv[1])); "
        "print(*(m for m in set(sys.modules) - before if m.startswith('sgl.')))"
    )
    run = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True
    )
    assert all(module.startswith("sgl.verify") for module in run.stdout.split())
