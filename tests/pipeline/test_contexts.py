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
from sgl.sampling import NotEnoughError, Tables, engine, pack
from sgl.sampling import strata as sampling
from sgl.sampling.acceptance import StratumItems, sample
from sgl.sampling.engine import Instances
from sgl.sampling.rows import deserialize
from sgl.sampling.strata import Sampler, StrataSampler, StratumSample
from sgl.sampling.tables import serialize
from sgl.verify import verify
from sgl.verify.rows import Rows

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
    assert stratum["extent"]["contexts"] == 5
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


#: Owls see, and are seen; subjects and objects are different categories.
OWLS = """\
layer en  : text
layer up  : text
layer syn : graph on en
layer sem : graph on en (free)

category S
category Subject
category Object
category Adj

rule s: S -> Subject "sees" Object
  up  Subject Object
  syn "sees" -[nsubj]-> Subject; "sees" -[obj]-> Object
  sem "sees" -[agent]-> Subject; "sees" -[theme]-> Object
rule big: Object -> Adj Object
  up  Adj Object
  syn Object -[amod]-> Adj
  sem Adj -[of]-> Object; head = Object

literal "sees" (lemma=see, upos=VERB)
word Adj: "big"
  up  "so BIG"
  syn sem node(upos=ADJ)
word Adj: "old"
  up  "OLD"
  syn sem node(upos=ADJ)
""" + "".join(
    f'word {category}: "{word}"\n  up "{word}"\n  syn sem node(upos=NOUN)\n'
    for category in ("Subject", "Object")
    for word in ("owl", "dog", "cat")
)
#: No object has more than three adjectives.
OWLS += """
pattern deep
  forbid { N[#amod>=4] }
  size 0
pattern owls
  forbid {FORBID}
  gen {GEN}
  size {SIZE}
dataset
  from S
  train 20
  distinct sentences
"""


def items_of_owls(folder: Path, gen: str, size: str, forbid: str) -> list[tuple[str, set[str]]]:
    """The first candidates that have an instance: the sentence, and the words of its instance."""
    path = folder / "owls.sgl"
    path.write_text(OWLS.replace("{FORBID}", forbid).replace("{GEN}", gen).replace("{SIZE}", size), "utf-8")
    tables = tables_of(path)
    instances = Instances(tables, tables.strata[-1])
    drawn = [pair for pair in map(instances.candidate, range(300)) if pair[0] is not None]
    return [(" ".join(engine.words_of(tables.source, tables.arity, rules or [])), {words}) for rules, words in drawn]


def test_a_second_phrase_counts_even_where_a_condition_asks_for_the_first(tmp_path: Path) -> None:
    """If the subject is an owl, it does not matter to the split whether the object is; to instances it does."""
    size = "1 instances in 2 contexts within { V -[nsubj]-> N[lemma=owl] }"
    found = items_of_owls(tmp_path, "{ M[lemma=owl] }", size, "{ V -[nsubj]-> N[lemma=owl] }")
    assert {name for _, names in found for name in names} == {"owl"}
    assert {sentence.split()[0] for sentence, _ in found} == {"owl"}
    assert not [sentence for sentence, _ in found if sentence.count("owl") > 1]


@pytest.mark.parametrize("length", ["length en >= 6", "length up >= 5", "length en <= 4"])
def test_a_length_is_that_of_the_sentence_and_not_of_the_instance(length: str, tmp_path: Path) -> None:
    forbid = "{ N[lemma=owl] -[amod]-> A }"
    gen = f"{{ N[lemma=owl] -[amod]-> A[lemma=old]; {length} }}"
    found = items_of_owls(tmp_path, gen, "1 instances in 1 contexts", forbid)
    _, layer, sign, number = length.split()
    assert found
    for sentence, (instance,) in found:
        said = sentence if layer == "en" else sentence.replace("sees ", "").replace("big", "so big")
        words = len(said.split())
        assert words <= int(number) if sign == "<=" else words >= int(number)
        # An adjective before it is outside: the smallest phrase ends with the old one.
        assert instance in ("old owl", "old big owl", "old big big owl")


def test_on_two_layers_an_instance_has_the_nodes_of_both(tmp_path: Path) -> None:
    inside = "syn { N[lemma=owl] -[amod]-> A } sem { A -[of]-> N }"
    found = items_of_owls(tmp_path, inside, "1 instances in 1 contexts", "{ N[lemma=owl] -[amod]-> A }")
    assert {"big owl", "old owl"} == {name for _, names in found for name in names}
    across = "syn { N[lemma=owl] -[amod]-> A } sem { V -[theme]-> N }"
    with pytest.raises(NotEnoughError, match="no phrase has the structure of an instance"):
        items_of_owls(tmp_path, across, "1 instances in 1 contexts", "{ N[lemma=owl] -[amod]-> A }")


def test_a_condition_that_reads_like_another_structure_is_certified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What items contain and the condition are together, in other words, what is held out."""
    forbid, gen = "{ V -[nsubj]-> N[lemma=owl] }", "{ N[lemma=owl] }"
    path = tmp_path / "owls.sgl"
    source = OWLS.replace("{FORBID}", forbid).replace("{GEN}", gen)
    path.write_text(source.replace("{SIZE}", "5 within { V -[nsubj]-> N[lemma=owl] }"), "utf-8")
    assert run(["compile", str(path), "--out", str(tmp_path / "out")]) == 0, capsys.readouterr()


# ---- what cannot be


def test_too_few_instances_are_said_after_bounded_work(tmp_path: Path) -> None:
    with pytest.raises(NotEnoughError, match="instances with 5 contexts: 8") as raised:
        batches(tables_of(written(tmp_path, "size 9 instances in 5 contexts")))
    assert raised.value.candidates <= 6_000


def test_too_few_contexts_are_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clause = f"{BARE}size 2 instances in 7 contexts"
    assert run(["compile", str(written(tmp_path, clause)), "--out", str(tmp_path / "out")]) == 1
    assert "instances with 7 contexts: 0" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("clause", "distinct", "code", "message"),
    [
        (
            "size 6 instances in 5 contexts shared\n  targets lamp",
            "distinct sentences",
            "SGL0825",
            "not shares or copies",
        ),
        ("size 6 repeated 2 instances in 5 contexts", "distinct sentences", "SGL0825", "not shares or copies"),
        ("size all instances in 5 contexts", "distinct sentences", "SGL0825", "not shares or copies"),
        ("size 6 instances in 0 contexts", "distinct sentences", "SGL0705", "at least 1"),
        ("size 6 instances in 10001 contexts", "distinct sentences", "SGL0705", "at most 10,000"),
        ("size 3000000 instances in 5 contexts", "distinct sentences", "SGL0705", "at most 10,000,000"),
        ("size 6 instances in 5 contexts", "ambiguous ignore", "SGL0825", "could be equal"),
        (
            "gen { length en >= 5 }\n  size 6 instances in 5 contexts",
            "distinct sentences",
            "SGL0825",
            "an instance is a phrase, but this structure is about whole texts",
        ),
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


def test_sentences_of_instances_with_too_few_contexts_are_no_rows(tmp_path: Path) -> None:
    clause = f"{BARE}size 3 instances in 5 contexts"
    assert run(["compile", str(written(tmp_path, clause)), "--out", str(tmp_path / "out")]) == 0
    rows = Rows(tmp_path / "out")
    assert sum(row.split == "gen" for row in rows.rows()) == 15
    stream = next(stream for stream in rows.outcomes if stream.startswith("gen"))
    assert rows.outcomes[stream]["share_full"] > 0
    assert [*rows.acceptance.shares[stream].values()] == [5, 5, 5]


def test_without_a_context_there_is_no_candidate(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each sentence that is tried for an instance may have none, or two."""
    monkeypatch.setattr("sgl.verify.candidates.TRIALS", 1)
    rows = Rows(shop)
    number = next(n for n, stratum in enumerate(rows.plan.strata) if stratum.split == "gen")
    found = [rows.acceptance.candidates.candidate(number, n) for n in range(100)]
    given = [own for own in found if own.derivation]
    assert 0 < len(given) < len(found)
    for own in given:
        assert ".".join(map(str, own.instance)) in ".".join(map(str, own.derivation))


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


@pytest.mark.parametrize("change", ["rename", "fewer", "outside"])
def test_a_manifest_with_other_instances_is_refused(shop: Path, tmp_path: Path, change: str) -> None:
    directory = copied(shop, tmp_path / "copy")
    content = manifest_of(directory)
    (stratum,) = content["splits"]["gen"]["strata"]
    (first, number), *rest = stratum["shares"].items()
    changed = {"rename": ("sold the lamp", 5), "fewer": (first, 4), "outside": ("the", number)}[change]
    stratum["shares"] = dict([changed, *rest])
    (directory / "manifest.json").write_text(json.dumps(content), "utf-8")
    assert "V030" in faults(directory)
