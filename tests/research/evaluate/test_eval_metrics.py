"""The parts of an evaluation by themselves: compounds, tests, shapes."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import product
from pathlib import Path
from random import Random
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from vectors import COMPOUND_LEXICON, vectors
from workplace import Workplace

from sgl.cli.main import FAILED, OK, run
from sgl.research.analyse.statistics import Difference, compare, contrast, corrected, wilson
from sgl.research.evaluate.benchmark import DatasetError, all_of
from sgl.research.evaluate.compounds import CompoundError, CompoundLexicon, error_rate, published_correct, translates
from sgl.research.evaluate.equivalence import exact
from sgl.research.evaluate.realization import TreeShape, tree_shape
from sgl.research.evaluate.surface import DRAWS, CorpusDraws, Surface
from sgl.research.treebank import TreebankReader, TreebankSentence, TreebankWord

# --- compounds ------------------------------------------------------------------------------


def test_the_published_rule_says_what_the_published_script_does() -> None:
    for case in vectors("cognition.json")["cases"]:
        asked = COMPOUND_LEXICON, case["src"], case["compound"], case["hyp"]
        if case["peer_correct"] is None:
            with pytest.raises(CompoundError):
                published_correct(*asked)
        else:
            assert published_correct(*asked) is case["peer_correct"], case["note"]


@pytest.mark.parametrize(
    ("compound", "hypothesis", "right"),
    [
        ("the red dog", "红 狗 在 跑 。", True),
        ("the red dog", "红色的 狗 在 跑 。", True),
        ("the red dog", "狗 在 跑 。", False),
        ("the red dog", "狗 是 红色 的 ， 在 跑 。", False),
        ("each doctor he liked", "每个 他 喜欢 的 医生 走 了 。", True),
        ("each doctor he liked", "每个 医生 他 喜欢 的 走 了 。", False),
        ("saw each doctor he liked", "她 看到 每个 医生 他 喜欢的 。", False),
        ("the small dog", "两 小时 后 狗 走 了 。", False),
        ("the large car", "大家 看到 了 车 。", False),
        ("near the car", "最近 女孩 的 车 。", False),
        ("the dog", "", False),
    ],
)
def test_our_rule_wants_whole_words_and_every_modifier_before_the_noun(
    compound: str, hypothesis: str, right: bool
) -> None:
    assert translates(COMPOUND_LEXICON, compound, hypothesis) is right


def test_compounds_are_told_apart_by_name_so_that_the_order_of_lines_does_not_count() -> None:
    rows = [(f"c{n % 2}", "the dog", "狗" if n != 3 else "猫") for n in range(10)]
    for order in (rows, rows[::-1], sorted(rows)):
        right = [translates(COMPOUND_LEXICON, text, hypothesis) for _, text, hypothesis in order]
        rate = error_rate([name for name, *_ in order], np.array(right))
        assert (rate["wrong"], rate["compounds"], rate["wrong_compounds"]) == (1, 2, 1)


def test_the_published_rate_takes_five_lines_for_a_compound_and_leaves_out_the_rest() -> None:
    rate = error_rate([""] * 12, np.array([True] * 4 + [False] + [True] * 7), published=True)
    assert (rate["instances"], rate["wrong"], rate["compounds"], rate["wrong_compounds"]) == (12, 1, 2, 1)
    assert error_rate([""] * 3, np.zeros(3, np.bool_), published=True)["compounds"] == 0


def test_an_unknown_atom_or_role_is_an_error() -> None:
    with pytest.raises(CompoundError, match="is not made of atoms"):
        translates(COMPOUND_LEXICON, "the cat", "猫")
    with pytest.raises(CompoundError, match="there is no role `X`"):
        CompoundLexicon({"X": {}})


def test_compounds_are_scored_on_the_command_line_with_the_noise_of_the_gold_texts(work: Workplace) -> None:
    work.write("rows.tsv", "the dog ran\t狗 跑 了\nsaw the red dog\t看到 红 狗\nthe dog\t它\n")
    work.write("out.txt", "狗 跑 了\n看到 狗\n狗\n")
    work.write("names.tsv", "a\tthe dog\nb\tsaw the red dog\na\tthe dog\n")
    work.write("lexicon.yaml", 'V: {saw: [看到]}\nDET: {the: [""]}\nADJ: {red: [红]}\nN: {dog: [狗]}\n')
    asked = ["eval", "rows.tsv", "out.txt", "--lexicon", "lexicon.yaml", "--json", "r.json"]
    assert run([*asked, "--compounds", "names.tsv", "--html", "page.html"]) == OK
    result = json.loads((work.directory / "r.json").read_text("utf-8"))["compounds"]
    rates = {(r["system"], r["kind"]): (r["wrong"], r["wrong_compounds"]) for r in result["rates"]}
    assert rates["gold", "all"] == (1, 1)
    assert rates["out", "all"] == (1, 1)
    assert rates["out", "VP"] == (1, 1)
    assert result["unchecked_atoms"] == ["the"]
    assert "noise floor" in (work.directory / "page.html").read_text("utf-8")
    work.write("names.tsv", "a\tthe dog\nb\tsaw the dog\na\tthe dog\n")
    assert run([*asked, "--compounds", "names.tsv"]) == FAILED
    assert "error[SGL1406]" in work.capsys.readouterr().err


# --- texts ----------------------------------------------------------------------------------


def test_the_width_of_a_question_mark_does_not_count() -> None:
    assert exact("誰が走ったか？", "誰が走ったか?")
    assert not exact("誰が走ったか？", "誰が走った？")


def draws(
    language: str, gold: list[str], systems: dict[str, list[str]], chosen: list[int] | None = None
) -> CorpusDraws:
    counts = Surface(language).count(gold, {name: [texts] for name, texts in systems.items()})
    return CorpusDraws(counts, np.array(range(len(gold)) if chosen is None else chosen))


def test_any_items_are_scored_by_their_counts() -> None:
    sacrebleu = pytest.importorskip("sacrebleu.metrics")
    gold = ["犬が猫を見た。", "猫が走った。", "子供が本を読んだ。"]
    said = ["犬が猫を見る。", "猫が歩いた。", "子供が本を読んだ。"]
    found = draws("ja", gold, {"s": said}, [0, 2])
    bleu = sacrebleu.BLEU(tokenize="ja-mecab").corpus_score([said[0], said[2]], [[gold[0], gold[2]]]).score
    chrf = sacrebleu.CHRF(word_order=2).corpus_score([said[0], said[2]], [[gold[0], gold[2]]]).score
    assert found.scores("bleu", "s") == [pytest.approx(bleu)]
    assert found.scores("chrf", "s") == [pytest.approx(chrf)]
    assert "tok:ja-mecab" in Surface("ja").signatures["bleu"]
    assert "nw:2" in Surface("ja").signatures["chrf"]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(*[st.text("ab. !(", max_size=19)] * 2), min_size=1, max_size=3))
def test_both_metrics_are_those_of_sacrebleu(pairs: list[tuple[str, str]]) -> None:
    metrics = pytest.importorskip("sacrebleu.metrics")
    gold, said = map(list, zip(*pairs, strict=True))
    found = draws("en", gold, {"s": said})
    assert found.scores("chrf", "s") == [pytest.approx(metrics.CHRF(word_order=2).corpus_score(said, [gold]).score)]
    assert found.scores("bleu", "s") == [pytest.approx(metrics.BLEU(force=True).corpus_score(said, [gold]).score)]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_equal_texts_have_the_counts_of_sacrebleu(language: str) -> None:
    pytest.importorskip("sacrebleu")
    texts = ["", "a", "The cat saw (the) dog.", "猫が犬を見た。", "  a  b!  "]
    surface = Surface(language)
    found = surface.count(texts, {"s": [texts]})
    for name, metric in surface._metrics.items():  # noqa: SLF001 - what the counts are compared with
        for place, text in enumerate(texts):
            (known,) = metric._cache_references([[text]])  # noqa: SLF001
            counts = metric._compute_segment_statistics(metric._preprocess_segment(text), known)  # noqa: SLF001
            assert found[name]["s"][0, place].tolist() == counts, (name, text)


TESTS: list[tuple[Literal["bootstrap", "randomisation"], str]] = [("bootstrap", "bs"), ("randomisation", "ar")]


@pytest.mark.parametrize(("test", "short"), TESTS)
def test_intervals_and_tests_of_corpus_metrics_are_those_of_sacrebleu(
    test: Literal["bootstrap", "randomisation"], short: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SACREBLEU_SEED", "12345")
    metrics = pytest.importorskip("sacrebleu.metrics")
    significance = pytest.importorskip("sacrebleu.significance")
    random = Random(3)  # noqa: S311 - no secret
    words = ["the", "a", "red", "cow", "dog", "saw", "found", "near", "house", "in"]
    gold = [" ".join(random.choices(words, k=9)) for _ in range(160)]
    one, two = (
        [" ".join(random.choice(words) if random.random() < share else word for word in text.split()) for text in gold]
        for share in (0.3, 0.33)
    )
    _, theirs = significance.PairedTest(
        [("one", one), ("two", two)],
        {"bleu": metrics.BLEU(force=True), "chrf": metrics.CHRF(word_order=2)},
        [gold],
        short,
        n_samples=DRAWS,
    )()
    ours = draws("en", gold, {"one": one, "two": two})
    for metric, name in (("bleu", "BLEU"), ("chrf", "chrF2++")):
        first, second = theirs[name]
        ((difference, _, _, p),) = ours.differences(metric, [("one", "two")], test)
        assert difference == pytest.approx(second.score - first.score)
        assert p == pytest.approx(second.p_value)
        if short == "bs":
            low, high = ours.interval(metric, "two")
            assert (high - low) / 2 == pytest.approx(second.ci, rel=0.02)


def test_pooled_runs_are_scored_as_one_corpus() -> None:
    metrics = pytest.importorskip("sacrebleu.metrics")
    gold = ["a red cow saw the dog .", "the dog saw a red house ."]
    runs = [["a red cow saw a dog .", "the dog saw a house ."], ["a cow saw the dog .", "the red dog ."]]
    counts = Surface("en").count(gold, {"s": runs})
    found = CorpusDraws(counts, np.arange(2), pooled=True)
    whole = metrics.BLEU(force=True).corpus_score([*runs[0], *runs[1]], [gold * 2]).score
    assert found.scores("bleu", "s") == [pytest.approx(whole)]


def test_the_two_sides_of_a_slice_are_compared_by_random_divisions() -> None:
    stats = pytest.importorskip("scipy.stats")
    random = np.random.default_rng(5)
    first, second = (random.integers(0, 2, n).astype(float) for n in (40, 25))
    second[:9] = 1.0
    mean, low, high, p = contrast(first, second, 20_000, 1)
    theirs = stats.permutation_test(
        (second, first), lambda x, y, axis: x.mean(axis) - y.mean(axis), vectorized=True, n_resamples=20_000, rng=2
    )
    assert mean == pytest.approx(theirs.statistic)
    assert p == pytest.approx(theirs.pvalue, abs=0.02)
    assert low < mean < high


# --- tests between systems ------------------------------------------------------------------


def exact_randomisation(differences: list[int]) -> Fraction:
    """The share of all sign flips whose sum is as far from zero: the definition."""
    total = abs(sum(differences))
    flips = list(product((1, -1), repeat=len(differences)))
    far = sum(abs(sum(map(int.__mul__, differences, signs))) >= total for signs in flips)
    return Fraction(far, len(flips))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.sampled_from([-1, 0, 1]), min_size=1, max_size=9))
def test_randomisation_comes_near_the_share_of_all_flips_of_signs(differences: list[int]) -> None:
    second = np.array(differences, np.float64)
    _, _, _, p = compare(np.zeros_like(second), second, "randomisation", 20_000, 1)
    assert p == pytest.approx(float(exact_randomisation(differences)), abs=0.02)


def test_the_bootstrap_interval_is_that_of_drawing_items() -> None:
    first = np.zeros(1000)
    second = np.array([1.0] * 60 + [-1.0] * 20 + [0.0] * 920)
    mean, low, high, p = compare(first, second, "bootstrap", 50_000, 1)
    spread = 1.96 * math.sqrt((0.08 - 0.04**2) / 1000)
    assert mean == pytest.approx(0.04)
    assert (low, high) == pytest.approx((0.04 - spread, 0.04 + spread), abs=0.002)
    assert p < 0.001


def test_a_seed_gives_one_result_and_equal_systems_do_not_differ() -> None:
    scores = np.array([0.0, 1.0, 1.0])
    assert compare(scores, scores, "bootstrap", 1000, 1)[3] == 1.0
    assert compare(scores, scores, "randomisation", 1000, 1)[3] == 1.0
    other = np.array([1.0, 0.5, 1.0])
    assert compare(scores, other, "bootstrap", 1000, 3) == compare(scores, other, "bootstrap", 1000, 3)


def test_holm_multiplies_the_smallest_by_the_number_of_tests() -> None:
    found = [Difference("a", "b", "exact", str(p), 1, 0.0, 0.0, 0.0, p) for p in (0.01, 0.04, 0.03)]
    assert [d.adjusted for d in corrected(found)] == pytest.approx([0.03, 0.06, 0.06])
    assert corrected([]) == ()


def test_the_interval_of_a_share_is_wilsons() -> None:
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert wilson(5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)


# --- shapes ---------------------------------------------------------------------------------


def shape(heads: list[int], relations: list[str]) -> TreeShape:
    words = [TreebankWord("w", "w", "X", *edge) for edge in zip(heads, relations, strict=True)]
    return tree_shape(TreebankSentence(1, 0, 0, (), tuple(words)))


def test_depth_and_nesting_are_those_of_the_tree() -> None:
    relations = ["nsubj", "root", "mark", "nsubj", "aux", "ccomp"]
    assert shape([2, 0, 6, 6, 6, 2], relations) == TreeShape(6, 2, 1)
    assert shape([2, 3, 0], ["ccomp", "ccomp", "root"]) == TreeShape(3, 2, 2)
    assert shape([0], ["root"]) == TreeShape(1, 0, 0)


@pytest.mark.parametrize(
    ("line", "reason"), [("1\tdog", "line 1: 2 columns"), ("1\ta\ta\tX\t_\t_\t1\tx\t_\t_", "line 1: 0 words")]
)
def test_a_sentence_that_is_no_tree_is_an_error(line: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "x.conllu"
    path.write_text(f"{line}\n\n", encoding="utf-8")
    with pytest.raises(DatasetError) as problem:
        all_of(path, TreebankReader().read(path), "sentences")
    assert problem.value.notes[0].startswith(reason)
