"""What the verifier accepts: near misses of a violation; and no leak, wherever it is."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_dataset import (
    CAT_AS_SUBJECT,
    Sentence,
    embedded,
    explain,
    failed,
    foreign_structure,
    joined,
    pattern,
    pp_in_object,
    pp_in_subject,
    repeated_sentence,
    said,
    sentence_in_two_splits,
    tiny,
    verify,
)


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
        {"extent": {"count": 2}, "within": [], "outside": []},
        {"extent": {"count": 1}, "within": ["{ V -[ccomp]-> W }"]},
    ]
    assert verify(data.write(tmp_path)).ok
    data.splits["gen"][2] = pp_in_subject("girl", "Lina")
    assert failed(verify(data.write(tmp_path))) == {"V016"}


def test_two_exposures_of_one_pattern_are_told_apart(tmp_path: Path) -> None:
    data = tiny()
    data.pattern("cat_as_object")["expose"] = [
        {"structure": CAT_AS_SUBJECT, "extent": {"count": 1}},
        {"structure": "{ V -[obj]-> N[lemma=book] }", "extent": {"count": 1}},
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


def test_new_word_forms_are_counted_only(tmp_path: Path) -> None:
    data = tiny()
    data.splits["gen"][0] = Sentence(
        "Dogs/dog/NOUN/4:nsubj near/near/ADP/3:case Emma/Emma/PROPN/1:nmod sleep/slept/VERB/0:root ././PUNCT/4:punct",
        "pp_in_subject",
    )
    report = verify(data.write(tmp_path))
    assert report.ok
    assert report.result("V017").figures[0].value == 2
    assert report.result("V017").figures[0].detail == "dogs, sleep"


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
def test_no_planted_leak_is_accepted(split: str, at: int, leaking: Sentence, exposure: bool) -> None:
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


def test_graphs_that_cannot_be_searched_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A structure without end would keep everybody busy who checks the data."""
    data = tiny()
    data.nowhere.append("{ A -[*]+-> B; C -[*]+-> D; E[#x=1] }")
    directory = data.write(tmp_path)
    monkeypatch.setattr("sgl.verify.search.STEPS", 0)
    monkeypatch.setattr("sgl.verify.search.STEPS_FOR_A_PAIR", 0)
    report = verify(directory)
    assert failed(report) == {"V032"}
    (violation, *_) = report.result("V032").violations
    assert violation.message.startswith("the search takes too many steps: { ")
    assert report.result("V009").status == "skipped"
