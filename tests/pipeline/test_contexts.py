"""Instances in contexts: so many phrases with the structure of a pattern, each in so many sentences."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sget import compile_file

from sgl.automata import StructureCompiler
from sgl.cli.main import run
from sgl.sampling import NotEnoughError, Tables, pack
from sgl.sampling import strata as sampling
from sgl.sampling.acceptance import StratumItems, sample
from sgl.sampling.engine import Instances
from sgl.sampling.rows import deserialize
from sgl.sampling.strata import Sampler, StrataSampler, StratumSample
from sgl.sampling.tables import serialize
from sgl.verify import verify

GRAMMAR = """\
module shop "Things found and hidden"

layer en  : text (attach ".")
layer up  : text (attach ".")
layer syn : graph on en
view  conllu = conllu(syn)

param sizes = {size}

category Text
category S
category VP
category NP
category N
category V
category Name
category When

rule text: Text -> capital S "."
  up  S "."
  syn S -[punct]-> "."(upos=PUNCT)

rule plain: S -> Name VP  ~ 3
  up  Name VP
  syn VP -[nsubj]-> Name

rule framed: S -> When S  ~ 1
  up  When S
  syn S -[advmod]-> When

rule both: S -> S "and" other:S  ~ 0.5
  up  S other
  syn S -[conj]-> other; other -[cc]-> "and"(upos=CCONJ)

rule transitive: VP -> V NP
  up  V NP
  syn V -[obj]-> NP

rule np: NP -> "the" N  ~ 3
  up  N
  syn N -[det]-> "the"(upos=DET)

rule np_adj: NP -> "the" "red" N  ~ 1
  up  "red" N
  syn N -[det]-> "the"(upos=DET); N -[amod]-> "red"(upos=ADJ)

lexicon nouns from "nouns.yaml"
  N
    en  $en
    up  $en
    syn node(lemma=$en, upos=NOUN)

lexicon verbs from "verbs.yaml"
  V
    en  $en
    up  $en
    syn node(lemma=$en, upos=VERB)

lexicon names from "names.yaml"
  Name
    en  $en
    up  $en
    syn node(lemma=$en, upos=PROPN)

lexicon frames from "frames.yaml"
  When
    en  $en
    up  $en
    syn node(lemma=$en, upos=ADV)

pattern new_object "a verb with an object that it never had"
  forbid {{ V[lemma=found|hid] -[obj]-> N[lemma=lamp|letter] }}
  {clause}

dataset
  from  Text
  train 60
  seed  7
  {distinct}
"""

WORDS = {
    "nouns": "lamp letter coin cake scarf",
    "verbs": "found hid saw drew",
    "names": "Anna Peter Lucy Henry Clara Oscar",
    "frames": "yesterday suddenly later",
}

#: With these clauses a sentence is a name and an instance.
BARE = "exclude { S -[advmod]-> W }\n  exclude { S -[conj]-> W }\n  "


def written(
    folder: Path, clause: str = "size 6 instances in 5 contexts", distinct: str = "distinct sentences", size: str = "6"
) -> Path:
    """Write the grammar, with this ``size`` clause."""
    for name, words in WORDS.items():
        rows = "".join(f"- {{en: {word}}}\n" for word in words.split())
        (folder / f"{name}.yaml").write_text(rows, "utf-8")
    path = folder / "shop.sgl"
    path.write_text(GRAMMAR.format(clause=clause, distinct=distinct, size=size), "utf-8")
    return path


def tables_of(path: Path) -> Tables:
    compiled = compile_file(path)
    compiler = StructureCompiler(compiled.grammar)
    return pack(compiled.grammar, compiled.plan, {s.stream: compiler.drawn(s) for s in compiled.plan.strata})


def batches(tables: Tables) -> list[StratumSample]:
    sampler = StrataSampler(Sampler(tables))
    return [sampler.stratum(number) for number in range(len(tables.strata))]


def in_order(tables: Tables) -> list[StratumItems]:
    return [*sample(tables)]


def said(found: StratumSample | StratumItems) -> tuple[object, ...]:
    numbers = found.numbers.tolist() if isinstance(found, StratumSample) else [item.candidate for item in found.items]
    return numbers, found.candidates, dict(found.rejected), dict(found.shares)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset with six instances in five contexts each."""
    root = tmp_path_factory.mktemp("shop")
    assert run(["compile", str(written(root)), "--out", str(root / "out")]) == 0
    return root / "out"


def manifest_of(directory: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((directory / "manifest.json").read_text("utf-8"))
    return content


def words_of(sentence: str) -> str:
    return f" {sentence.rstrip('.').lower()} "


# ---- what is drawn


def test_every_instance_has_its_contexts_one_after_the_other(shop: Path) -> None:
    (stratum,) = manifest_of(shop)["splits"]["gen"]["strata"]
    assert stratum["contexts"] == 5
    assert list(stratum["shares"].values()) == [5] * 6
    sentences = [line.split("\t")[0] for line in (shop / "data" / "gen.tsv").read_text("utf-8").splitlines()]
    assert len({*sentences}) == 30
    for rank, instance in enumerate(stratum["shares"]):
        assert instance.split()[0] in ("found", "hid")
        own = sentences[5 * rank : 5 * rank + 5]
        assert all(f" {instance} " in words_of(sentence) for sentence in own), (instance, own)
        assert all(words_of(s).count(" lamp ") + words_of(s).count(" letter ") >= 1 for s in own)


def test_the_dataset_passes_all_checks_and_its_sampler_makes_it_again(shop: Path) -> None:
    report = verify(shop)
    assert [result.code for result in report.results if result.status != "passed"] == []
    made = subprocess.run([sys.executable, "-I", str(shop / "sampler.py"), "--check"], capture_output=True, check=False)
    assert made.returncode == 0, made.stdout


@pytest.mark.slow
def test_two_workers_draw_the_same(shop: Path, tmp_path: Path) -> None:
    options = ["--workers", "2"]
    assert run(["compile", str(written(tmp_path)), "--out", str(tmp_path / "out"), *options]) == 0
    names = sorted(path.relative_to(shop) for path in shop.rglob("*.tsv"))
    assert all((shop / name).read_bytes() == (tmp_path / "out" / name).read_bytes() for name in names)


@pytest.mark.parametrize("largest", [1, 7, 2_000])
def test_batches_of_any_size_draw_what_the_definition_draws(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, largest: int
) -> None:
    tables = tables_of(written(tmp_path))
    monkeypatch.setattr(sampling, "LARGEST_BATCH", largest)
    assert [said(found) for found in batches(tables)] == [said(found) for found in in_order(tables)]


def test_sentences_of_instances_with_too_few_contexts_are_remembered_when_a_run_is_resumed(tmp_path: Path) -> None:
    tables = tables_of(written(tmp_path, f"{BARE}size 3 instances in 5 contexts, 3 instances in 2 contexts"))
    whole = batches(tables)
    assert len(whole[1].spare) > 0
    for stop in range(1, len(whole)):
        resumed = StrataSampler(Sampler(tables))
        for number in range(stop):
            resumed.restore(number, whole[number])
        assert [said(resumed.stratum(number)) for number in range(stop, len(whole))] == [said(x) for x in whole[stop:]]


def test_tables_with_instances_are_written_and_read(tmp_path: Path) -> None:
    tables = tables_of(written(tmp_path))
    assert deserialize(serialize(tables)) == tables
    assert tables.strata[-1].found


def test_instances_and_contexts_have_the_distribution_of_sentences(tmp_path: Path) -> None:
    """Red ones are a quarter of the instances; what comes before an instance does not depend on it."""
    tables = tables_of(written(tmp_path, "size 300 instances in 10 contexts"))
    instances = Instances(tables, tables.strata[-1])
    found = [instances.candidate(number) for number in range(12_000)]
    red = [" red " in words for rules, words in found[::20] if rules]
    assert 0.19 < sum(red) / len(red) < 0.31
    lengths = {wanted: Counter[int]() for wanted in (False, True)}
    for rules, words in found:
        if rules is not None:
            lengths[" red " in words][len(rules)] += 1
    shortest = [counted[min(counted)] / counted.total() for counted in lengths.values()]
    assert abs(shortest[0] - shortest[1]) < 0.05


def test_an_instance_is_the_smallest_phrase_and_the_only_one(tmp_path: Path) -> None:
    tables = tables_of(written(tmp_path))
    instances = Instances(tables, tables.strata[-1])
    words = {words for rules, words in map(instances.candidate, range(500)) if rules}
    assert words == {
        f"{verb} the {adj}{noun}" for verb in ("found", "hid") for adj in ("", "red ") for noun in ("lamp", "letter")
    }


# ---- what cannot be


def test_too_few_instances_are_said_after_bounded_work(tmp_path: Path) -> None:
    with pytest.raises(NotEnoughError, match="8 instances have 5 contexts") as raised:
        batches(tables_of(written(tmp_path, "size 9 instances in 5 contexts")))
    assert raised.value.candidates <= 6_000


def test_too_few_contexts_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clause = f"{BARE}size 2 instances in 7 contexts"
    assert run(["compile", str(written(tmp_path, clause)), "--out", str(tmp_path / "out")]) == 1
    assert "0 instances have 7 contexts" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("clause", "distinct", "code", "message"),
    [
        (
            "size 6 instances in 5 contexts shared\n  targets lamp",
            "distinct sentences",
            "SGL0825",
            "no shares or copies",
        ),
        ("size 6 repeated 2 instances in 5 contexts", "distinct sentences", "SGL0825", "no shares or copies"),
        ("size all instances in 5 contexts", "distinct sentences", "SGL0825", "no shares or copies"),
        ("size 6 instances in 0 contexts", "distinct sentences", "SGL0705", "at least 1"),
        ("size 6 instances in 10001 contexts", "distinct sentences", "SGL0705", "at most 10,000"),
        ("size 3000000 instances in 5 contexts", "distinct sentences", "SGL0705", "at most 10,000,000"),
        ("size 6 instances in 5 contexts", "ambiguous ignore", "SGL0825", "could be equal"),
        (
            "size 6\n\npart framed\n  only { S -[advmod]-> W }\n  size 4 instances in 5 contexts",
            "distinct sentences",
            "SGL0827",
            "only items of patterns",
        ),
    ],
)
def test_what_an_author_cannot_mean(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], clause: str, distinct: str, code: str, message: str
) -> None:
    assert run(["check", str(written(tmp_path, clause, distinct))]) == 1
    error = " ".join(capsys.readouterr().err.split())
    assert code in error
    assert message in error


def test_quotas_and_parameters_give_the_numbers(tmp_path: Path) -> None:
    clause = "size halves(sizes) instances in 3 contexts\n\nquota halves(n) = n within { W -[advmod]-> A }, 2"
    tables = tables_of(written(tmp_path, clause, size="4"))
    found = batches(tables)[1:]
    assert [len(x.numbers) for x in found] == [12, 6]
    assert [[*x.shares.values()] for x in found] == [[3] * 4, [3] * 2]


def test_quotas_with_and_without_contexts_stand_beside_one_another(tmp_path: Path) -> None:
    clause = "size 4, 2 instances in 3 contexts, 4"
    assert run(["compile", str(written(tmp_path, clause)), "--out", str(tmp_path / "out")]) == 0
    assert [x.code for x in verify(tmp_path / "out").results if x.status != "passed"] == []


# ---- planted violations


def faults(directory: Path) -> set[str]:
    return {result.code for result in verify(directory).results if result.status == "failed"}


def copied(shop: Path, folder: Path) -> Path:
    for path in shop.rglob("*"):
        if path.is_file():
            place = folder / path.relative_to(shop)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(path.read_bytes())
    return folder


def test_an_item_with_another_instance_is_found_on_its_graph(shop: Path, tmp_path: Path) -> None:
    directory = copied(shop, tmp_path / "copy")
    path = directory / "conllu" / "gen.conllu"
    blocks = path.read_text("utf-8").split("\n\n")
    # Two sentences change places, and each is an item still: only the instances are not where they should be.
    (one, first), (two, second) = (blocks[place].split("\n", 1) for place in (7, 12))
    blocks[7], blocks[12] = f"{one}\n{second}", f"{two}\n{first}"
    path.write_text("\n\n".join(blocks), "utf-8")
    report = verify(directory)
    (found,) = [result for result in report.results if result.code == "V021"]
    assert (found.status, found.total) == ("failed", 2)
    assert {"V013", "V016"}.isdisjoint(faults(directory))


@pytest.mark.parametrize("change", ["rename", "fewer", "outside"])
def test_a_manifest_with_other_instances_is_refused(shop: Path, tmp_path: Path, change: str) -> None:
    directory = copied(shop, tmp_path / "copy")
    content = manifest_of(directory)
    (stratum,) = content["splits"]["gen"]["strata"]
    (first, number), *rest = stratum["shares"].items()
    changed = {"rename": ("sold the lamp", 5), "fewer": (first, 4), "outside": ("the", number)}[change]
    stratum["shares"] = dict([changed, *rest])
    (directory / "manifest.json").write_text(json.dumps(content), "utf-8")
    assert "V021" in faults(directory)
