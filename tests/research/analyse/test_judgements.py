"""What people say of outputs, as further scores beside BLEU and edge accuracy."""

import json
from typing import Any

import pytest
from scipy.stats import mannwhitneyu, spearmanr, zscore
from treebanks import conllu
from workplace import Workplace

from sgl.cli.main import FAILED, OK, run

#: Six sentences of two to seven words, of which the last two have crossing edges.
SENTENCES = 6


def bank() -> str:
    texts = []
    for number in range(1, SENTENCES + 1):
        words = [(f"w{at}", f"w{at}", "X", at - 1, "dep" if at > 1 else "root") for at in range(1, number + 2)]
        if number > 4:
            # The last word hangs on the first, across the one before, which hangs on the last.
            last = len(words)
            words[1] = ("w2", "w2", "X", last, "dep")
            words[2] = ("w3", "w3", "X", 1, "dep")
            words[-1] = (f"w{last}", f"w{last}", "X", 1, "dep")
        texts.append(conllu(words, f"sent_id = s{number}"))
    return "".join(texts)


@pytest.fixture
def judged(work: Workplace) -> Any:  # noqa: ANN401
    """Analyse outputs of `mine` with these rows of judgements; what is written as JSON."""
    work.write("gold.conllu", bank())
    outputs = [" ".join(f"w{at}" for at in range(1, number + 2)) for number in range(1, SENTENCES + 1)]
    outputs[1], outputs[3] = "w2 w1 w3", "w1"
    work.write("mine.txt", "".join(f"{text}\n" for text in outputs))

    def judged(rows: str, status: int = OK) -> dict[str, Any]:
        work.write("people.csv", rows)
        arguments = ["analyse", "gold.conllu", "mine=mine.txt", "--judgements", "people.csv", "--json", "out.json"]
        assert run(arguments) == status
        found: dict[str, Any] = json.loads((work.directory / "out.json").read_text("utf-8"))
        return found

    return judged


def test_they_are_correlated_with_scores_and_trees(judged: Any) -> None:  # noqa: ANN401
    adequacy, fluency = [0.3, -0.2, 0.1, -1.5, 0.9, 0.4], [0.5, 0.1, 0.2, -0.7, None, 1.1]
    scores = enumerate(zip(adequacy, fluency, strict=True), 1)
    rows = [f"mine,s{number},{first},{'' if second is None else second}\n" for number, (first, second) in scores]
    found = judged("system,sent_id,adequacy,fluency\n" + "".join(rows))
    assert found["judged"] == ["adequacy", "fluency"]
    assert found["systems"][0]["fluency"]["sentences"] == 5
    tests = {(test["first"], test["second"]): test for test in found["correlations"]["mine"]}
    assert tests["length", "adequacy"]["rho"] == pytest.approx(spearmanr(range(6), adequacy).statistic)
    assert tests["adequacy", "fluency"]["pairs"] == 5
    (test,) = [test for test in found["projectivity"]["mine"] if test["measure"] == "adequacy"]
    assert (test["projective"], test["others"], test["medians"]) == (4, 2, [-0.05, 0.65])
    assert test["u"] == mannwhitneyu(adequacy[:4], adequacy[4:]).statistic


def test_raw_scores_of_annotators_are_made_comparable_and_several_have_their_mean(judged: Any) -> None:  # noqa: ANN401
    mild, strict = [90, 80, 100, 70], [20, 10]
    rows = [f"mine,s{number},mild,{score}\n" for number, score in enumerate(mild, 1)]
    rows += [f"mine,s{number},strict,{score}\n" for number, score in enumerate(strict, 4)]
    found = judged("system,sent_id,annotator,fluency\n" + "".join(rows))["systems"][0]["fluency"]
    one, other = zscore(mild), zscore(strict)
    values = [*one[:3], (one[3] + other[0]) / 2, other[1]]
    assert (found["min"], found["mean"]) == pytest.approx((min(values), sum(values) / 5))


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ("mine,s1,0.1\n", "the first line names no columns"),
        ("system,sent_id\nmine,s1\n", "the first line names no columns"),
        ("system,sent_id,bleu\nmine,s1,1\n", "the first line names `bleu`, which SGL computes"),
        ("system,sent_id,fluency\nmine,s1,good\n", "line 2: `good` is not a number, as `fluency` has to be"),
        ("system,sent_id,fluency\nmine,s1,nan\n", "line 2: `nan` is not a number"),
        ("system,sent_id,fluency\nmine,s9,1\n", "are of sentences that are not in the treebank"),
        ("", "the first line names no columns"),
        ("system,sent_id,fluency\nmine,s1," + 140_000 * "1" + "\n", "is not a table: field larger than field limit"),
    ],
)
def test_judgements_that_cannot_be_used_are_an_error(
    rows: str,
    reason: str,
    judged: Any,  # noqa: ANN401
    work: Workplace,
) -> None:
    judged(rows, FAILED)
    assert reason in work.capsys.readouterr().err


def test_structures_are_mined_with_lemmas(work: Workplace) -> None:
    """Of many sentences with a case marker those with `in order to` fail."""
    fixed = [("in", "in", "ADP", 4, "mark"), ("order", "order", "NOUN", 1, "fixed"), ("to", "to", "ADP", 1, "fixed")]
    other = [("by", "by", "ADP", 4, "mark"), ("dint", "dint", "NOUN", 1, "fixed"), ("of", "of", "ADP", 1, "fixed")]
    bad, good = (conllu([*words, ("go", "go", "VERB", 0, "root")]) for words in (fixed, other))
    work.write("gold.conllu", bad * 3 + good * 9)
    work.write("mine.txt", "order in to go\n" * 3 + "by dint of go\n" * 9)
    files = ["gold.conllu", "mine.txt", "--json", "out.json", "--failure", "inexact", "--support", "3"]
    assert run(["analyse", *files, "--view", "lemma", "--view", "lemma-dep", "--view", "dep"]) == OK
    mined = json.loads((work.directory / "out.json").read_text("utf-8"))["mined"]
    first = {found["view"]: found["suspects"][0] for found in mined}
    assert (first["lemma"]["structure"], first["lemma"]["systems"][0]["failed"]) == ("(go (in))", 3)
    assert first["lemma-dep"]["structure"] == "(go-root (in-mark))"
    # Relations alone cannot tell them apart.
    assert first["dep"]["sentences"] == 12


def test_a_judgement_is_of_one_sentence(work: Workplace) -> None:
    work.write("gold.conllu", 2 * conllu([("a", "a", "X", 0, "root")], "sent_id = s1"))
    work.write("mine.txt", "a\na\n")
    work.write("people.csv", "system,sent_id,fluency\nmine,s1,1\n")
    assert run(["analyse", "gold.conllu", "mine.txt"]) == OK
    assert run(["analyse", "gold.conllu", "mine.txt", "--judgements", "people.csv"]) == FAILED
    assert "the treebank has two sentences `s1`" in work.capsys.readouterr().err
