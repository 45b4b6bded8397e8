"""Sentences with several twins: in one layer by several readings, or in a layer each."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from pathlib import Path

import pytest

from sgl.cli.main import OK, run
from sgl.verify import verify

GRAMMAR = """module pairs "Agreement"
layer en    : text (attach ".")
layer wrong : text (contrast en)
layer order : text (contrast en)
layer syn   : graph on en

feature num  = sg | pl
feature pair = yes | no

category Text
category Det[num, pair]
category N[num]
category V[num, pair]

rule subject: Text -> Det[num=n, pair=yes] N[num=n] V[num=n, pair=no] "."
  order N Det V "."
  syn V -[nsubj]-> N; N -[det]-> Det; V -[punct]-> "."(upos=PUNCT)

rule predicate: Text -> Det[num=n, pair=no] N[num=n] V[num=n, pair=yes] "."
  order Det V N "."
  syn V -[nsubj]-> N; N -[det]-> Det; V -[punct]-> "."(upos=PUNCT)

lexicon determiners from "determiners.yaml"
  Det[num=sg, pair=no]
    en $sg
    syn node(lemma=$sg, upos=DET)
  Det[num=sg, pair=yes]
    en $sg
    wrong $pl
    syn node(lemma=$sg, upos=DET, Pair=Yes)
  Det[num=pl, pair=no]
    en $pl
    syn node(lemma=$sg, upos=DET)
  Det[num=pl, pair=yes]
    en $pl
    wrong $sg
    syn node(lemma=$sg, upos=DET, Pair=Yes)

lexicon verbs from "verbs.yaml"
  V[num=sg, pair=no]
    en $sg
    syn node(lemma=$pl, upos=VERB)
  V[num=sg, pair=yes]
    en $sg
    wrong $pl
    syn node(lemma=$pl, upos=VERB, Pair=Yes)
  V[num=pl, pair=no]
    en $pl
    syn node(lemma=$pl, upos=VERB)
  V[num=pl, pair=yes]
    en $pl
    wrong $sg
    syn node(lemma=$pl, upos=VERB, Pair=Yes)

lexicon nouns from "nouns.yaml"
  N[num=sg]
    en $sg
    syn node(lemma=$sg, upos=NOUN)
  N[num=pl]
    en $pl
    syn node(lemma=$sg, upos=NOUN)

dataset
  from   Text
  output wrong order
  train  30
  seed   1

pattern owls_bark "an owl that barks"
  forbid { V[lemma=bark] -[nsubj]-> N[lemma=owl] }
  size   10
"""
TABLES = {
    "determiners": "- {sg: this, pl: these}\n- {sg: that, pl: those}\n",
    "verbs": "- {sg: barks, pl: bark}\n- {sg: sleeps, pl: sleep}\n- {sg: runs, pl: run}\n",
    "nouns": "- {sg: dog, pl: dogs}\n- {sg: owl, pl: owls}\n- {sg: cat, pl: cats}\n",
}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("twins")
    (directory / "pairs.sgl").write_text(GRAMMAR, "utf-8")
    for name, table in TABLES.items():
        (directory / f"{name}.yaml").write_text(table, "utf-8")
    with contextlib.chdir(directory):
        assert run(["compile", "pairs.sgl", "--out", "out"]) == OK
    return directory / "out"


def pairs(dataset: Path, name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (dataset / "pairs" / name).read_text("utf-8").splitlines()]


def reordered(pair: dict[str, str]) -> bool:
    """Whether the two sentences have the same words."""
    good, bad = (sorted(pair[name].rstrip(".").split()) for name in ("sentence_good", "sentence_bad"))
    return good == bad


def test_a_good_sentence_has_several_twins_and_the_strings_are_checked(dataset: Path) -> None:
    bad = Counter((pair["sentence_good"], pair["sentence_bad"]) for pair in pairs(dataset, "train.jsonl"))
    good = Counter(sentence for sentence, _ in bad)
    assert max(good.values()) == 2
    manifest = json.loads((dataset / "manifest.json").read_text("utf-8"))
    assert [one["result"] for one in manifest["guarantees"] if one["claim"] == "string level"] == ["checked"]
    (train,) = (part for part in manifest["splits"]["train"]["strata"])
    assert (train["readings"]["several"], train["rejected"]["ambiguous"]) == (30, 0)


def test_each_twin_has_pairs_and_a_task_of_its_own(dataset: Path) -> None:
    first, second = (pairs(dataset, name) for name in ("gen.jsonl", "order/gen.jsonl"))
    assert [pair["sentence_good"] for pair in first] == [pair["sentence_good"] for pair in second]
    assert not any(map(reordered, first))
    assert all(map(reordered, second))
    task = (dataset / "lm_eval" / "order" / "gen.yaml").read_text("utf-8")
    assert "task: pairs_order_gen\n" in task
    assert "gen: pairs/order/gen.jsonl\n" in task


def test_the_verifier_reads_all_of_them(dataset: Path) -> None:
    assert verify(dataset).ok
    path = dataset / "pairs" / "order" / "gen.jsonl"
    honest = path.read_text("utf-8")
    path.write_text(honest.replace("these", "those", 1), "utf-8")
    try:
        assert verify(dataset).result("V030").status == "failed"
    finally:
        path.write_text(honest, "utf-8")
