"""The files of a dataset: consistent, reproducible, complete."""

import json
from collections import Counter
from dataclasses import asdict, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from plain_records import Record, records_of
from sampling import plan_of, sample_and_write, splits_of, whole
from toy import TOY, GrammarBuilder, toy_plan

from sgl.core.grammar import Origin
from sgl.core.interpret import Derivation
from sgl.core.plan import LOADED
from sgl.dataset import Guarantee, Provenance, fingerprint, manifest, write_manifest
from sgl.dataset.cards import descriptions
from sgl.dataset.maker import expression_output, item_id, rule_labels
from sgl.sampling import pack, sample
from sgl.sampling.rows import row_of

PLAN = toy_plan()
TABLES = pack(TOY, PLAN, splits_of(TOY, PLAN))
SPLITS = ("train", "dev", "test", "gen")
COUNTS = {"train": 330, "dev": 30, "test": 30, "gen": 60}
PROVENANCE = Provenance(
    name="toy",
    title='A "toy" grammar',
    fingerprint=fingerprint(TOY, PLAN),
    files={"toy.sgl": "00" * 32},
    parameters={"topics": "on", "depth": 4},
)
GUARANTEES = (Guarantee("pp_in_subject", "held out", "static", "proved", "no state | reachable"),)


#: A directory with all files, its records, and its manifest.
Dataset = tuple[Path, list[Record], dict[str, Any]]


#: The claims of the patterns in words.
CLAIMS = {pattern.name: f"Nothing of {pattern.name} is in training." for pattern in PLAN.patterns}


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Dataset:
    directory = tmp_path_factory.mktemp("dataset")
    records = records_of(TOY, PLAN, TABLES)
    samples, files = sample_and_write(directory, TOY, PLAN, TABLES)
    content = manifest(TOY, PLAN, PROVENANCE, samples, GUARANTEES, files)
    write_manifest(directory, content)
    (directory / "README.md").write_text(dict(descriptions(content, CLAIMS))["README.md"], encoding="utf-8")
    return directory, records, content


def tsv(directory: Path, split: str) -> list[tuple[str, ...]]:
    text = (directory / "data" / f"{split}.tsv").read_text(encoding="utf-8")
    return [tuple(line.split("\t")) for line in text.splitlines()]


def conllu_comments(directory: Path, split: str) -> list[dict[str, str]]:
    text = (directory / "conllu" / f"{split}.conllu").read_text(encoding="utf-8")
    return [
        dict(line[2:].split(" = ", 1) for line in block.splitlines() if line.startswith("#"))
        for block in text.strip().split("\n\n")
    ]


# --- files -------------------------------------------------------------------------------


@pytest.mark.parametrize("split", SPLITS)
def test_the_three_files_have_the_same_items_in_the_same_order(dataset: Dataset, split: str) -> None:
    directory, records, _ = dataset
    of_split = [record for record in records if record.split == split]
    rows = pq.read_table(directory / "parquet" / f"{split}.parquet").to_pylist()
    comments = conllu_comments(directory, split)
    assert len(of_split) == COUNTS[split]
    assert tsv(directory, split) == [(r.source, r.target, r.category) for r in of_split]
    assert rows == [{name: getattr(r, name) for name in rows[0]} for r in of_split]
    assert comments == [
        {
            "sent_id": f"{split}-{number:06d}",
            "category": record.category,
            "text": record.source,
            "text_ja": record.target,
        }
        for number, record in enumerate(of_split, start=1)
    ]


def test_parquet_has_the_documented_columns(dataset: Dataset) -> None:
    directory, _, _ = dataset
    schema = pq.read_schema(directory / "parquet" / "gen.parquet")
    assert ", ".join(f"{field.name} {field.type}" for field in schema) == (
        "id string, source string, target string, category string, split_kind string, "
        "derivation string, depth int32, "
        "features struct<acl:relcl: int32, amod: int32, ccomp: int32, nmod: int32>, seed_stream string"
    )


def test_kinds_of_splits(dataset: Dataset) -> None:
    _, records, _ = dataset
    kinds = Counter((record.split, record.split_kind) for record in records)
    assert kinds == {
        ("train", "iid"): 300,
        ("train", "exposure"): 30,
        ("dev", "iid"): 30,
        ("test", "iid"): 30,
        ("gen", "gen"): 60,
    }


def test_an_item_is_found_again_by_its_stream(dataset: Dataset) -> None:
    _, records, _ = dataset
    found = {
        f"{part.stratum.stream}#{item.candidate}": item.derivation for part in sample(TABLES) for item in part.items
    }
    assert {record.seed_stream: record.item.derivation for record in records} == found


def test_each_row_has_its_derivation(dataset: Dataset) -> None:
    directory, records, _ = dataset
    written = [f"{r.seed_stream}\t{' '.join(map(str, r.item.derivation))}" for r in records]
    files = sorted((directory / "derivations").iterdir())
    lines = [line for file in files for line in file.read_text("utf-8").splitlines()]
    assert sorted(lines) == sorted(written)


def test_two_runs_write_the_same_bytes(dataset: Dataset, tmp_path: Path) -> None:
    directory, _, content = dataset
    _, files = sample_and_write(tmp_path, TOY, PLAN, TABLES)
    assert [asdict(file) for file in files] == content["files"]
    for file in files:
        assert (tmp_path / file.path).read_bytes() == (directory / file.path).read_bytes()


def test_a_split_without_items_has_empty_files(tmp_path: Path) -> None:
    plan = plan_of({"train": 2, "dev": 0})
    tables = pack(TOY, plan, {stratum.stream: whole(TOY) for stratum in plan.strata})
    _, files = sample_and_write(tmp_path, TOY, plan, tables)
    assert {file.path: file.rows for file in files} == {
        "data/train.tsv": 2,
        "data/dev.tsv": 0,
        "parquet/train.parquet": 2,
        "parquet/dev.parquet": 0,
        "conllu/train.conllu": 2,
        "conllu/dev.conllu": 0,
        "derivations/train.tsv": 2,
        "derivations/dev.tsv": 0,
    }
    assert pq.read_table(tmp_path / "parquet" / "dev.parquet").num_rows == 0


@given(st.text(), st.text())
def test_a_row_can_be_read_back_or_is_refused(source: str, target: str) -> None:
    try:
        row = row_of(source, target, "gen")
    except ValueError:
        assert set(source + target) & set("\t\n\r\v\f\x1c\x1d\x1e\x85\u2028\u2029")
    else:
        assert row.endswith("\n")
        assert tuple(row[:-1].split("\t")) == (source, target, "gen")
        assert len(row.splitlines()) == 1


# --- manifest and card -------------------------------------------------------------------


def test_the_manifest_describes_what_was_drawn(dataset: Dataset) -> None:
    directory, _, content = dataset
    read = json.loads((directory / "manifest.json").read_text(encoding="utf-8"))
    assert read == json.loads(json.dumps(content))
    assert list(read) == [
        "format",
        "name",
        "title",
        "identity",
        "compiler",
        "grammar",
        "parameters",
        "seed",
        "random",
        "layers",
        "distinct",
        "ambiguous",
        "splits",
        "patterns",
        "parts",
        "nowhere",
        "guarantees",
        "files",
    ]
    assert read["identity"] == (
        f"sgl:0.1.0|edition:2026|grammar:sha256:{PROVENANCE.fingerprint[:12]}|seed:2024|items:450"
    )
    assert {name: split["items"] for name, split in read["splits"].items()} == COUNTS
    for split in read["splits"].values():
        for stratum in split["strata"]:
            rejected = sum(stratum["rejected"].values())
            assert stratum["candidates"] == stratum["count"] + rejected
    shown = {"structure": "{ V -[nsubj]-> N[lemma=cat] }", "extent": {"count": 30}}
    assert read["patterns"][1]["expose"] == [shown]


def test_the_manifest_has_the_hash_of_every_data_file(dataset: Dataset) -> None:
    directory, _, content = dataset
    files = sorted(path for path in directory.rglob("*") if path.suffix in (".tsv", ".parquet"))
    files += sorted(directory.glob("conllu/*"))
    listed = {entry["path"]: entry for entry in content["files"]}
    assert set(listed) == {path.relative_to(directory).as_posix() for path in files}
    for path in files:
        entry = listed[path.relative_to(directory).as_posix()]
        assert entry["sha256"] == sha256(path.read_bytes()).hexdigest()
        assert entry["rows"] == COUNTS[path.stem]


def test_the_card_says_what_the_manifest_says(dataset: Dataset) -> None:
    directory, _, content = dataset
    text = (directory / "README.md").read_text(encoding="utf-8")
    front = yaml.safe_load(text.split("---\n")[1])
    assert front["pretty_name"] == 'A "toy" grammar'
    assert front["size_categories"] == ["n<1K"]
    assert front["configs"][0]["data_files"] == [
        {"split": LOADED.get(split, split), "path": f"parquet/{split}.parquet"} for split in SPLITS
    ]
    assert content["identity"] in text
    assert "| train | exposure:cat_as_object | 30 |" in text
    assert f"`pp_in_subject`: 20 items. {CLAIMS['pp_in_subject']} Held out of training:" in text
    assert "- `{ V -[nsubj]-> N; N -[nmod]-> M }`" in text
    assert r"| pp_in_subject | held out | static | proved | no state \| reachable |" in text


def test_the_card_names_the_parts_that_repeat_sentences(dataset: Dataset) -> None:
    _, _, content = dataset
    repeating = json.loads(json.dumps(content))
    assert "No source sentence occurs twice. " in dict(descriptions(repeating, CLAIMS))["README.md"]
    repeating["splits"]["train"]["strata"][1]["extent"]["repeated"] = True
    sentence = "No source sentence occurs twice, except within exposure:cat_as_object. "
    assert sentence in dict(descriptions(repeating, CLAIMS))["README.md"]


# --- fingerprint -------------------------------------------------------------------------


def test_the_fingerprint_is_of_the_meaning_only() -> None:
    moved = replace(TOY, rules=tuple(replace(r, origin=Origin("other.sgl", r.id + 1)) for r in TOY.rules))
    assert fingerprint(moved, replace(PLAN, seed=7)) == PROVENANCE.fingerprint


def test_the_fingerprint_sees_every_change_of_meaning() -> None:
    first, *others = TOY.rules
    lighter = replace(TOY, rules=(replace(first, weight=first.weight / 2), *others))
    kept = replace(TOY, rules=(replace(first, keep=True), *others))
    longer = PLAN.strata[0].of(301)
    repeated = replace(PLAN.strata[0], extent=replace(PLAN.strata[0].extent, repeated=True))
    prints = {
        fingerprint(TOY, PLAN),
        fingerprint(lighter, PLAN),
        fingerprint(kept, PLAN),
        fingerprint(TOY, replace(PLAN, strata=(longer, *PLAN.strata[1:]))),
        fingerprint(TOY, replace(PLAN, strata=(repeated, *PLAN.strata[1:]))),
        fingerprint(TOY, replace(PLAN, patterns=PLAN.patterns[:2])),
        fingerprint(TOY, replace(PLAN, distinct_lemmas=("VERB",))),
    }
    assert len(prints) == 7


# --- derivations as text -----------------------------------------------------------------


def rule(name: str) -> int:
    """The id of the first rule of the toy grammar that has this name."""
    return next(rule.id for rule in TOY.rules if rule.name == name)


def derivation(text: str) -> Derivation:
    return tuple(rule(name) for name in text.split())


EMMA_SAYS = derivation("statement clause name Name:Emma complement VC:said clause np Det:the N:dog intransitive V:ran")


def test_a_derivation_reads_like_a_tree() -> None:
    expression = expression_output(TOY, 0)
    inner = "(clause (np the dog) (intransitive ran))"
    text = f"(statement (clause (name Emma) (complement said {inner})))"
    assert expression(EMMA_SAYS) == text
    assert item_id(text) == sha256(text.encode()).hexdigest()[:16]


def test_rules_with_the_same_name_are_told_apart() -> None:
    build = GrammarBuilder()
    for name in ("S", "NP[anim=yes]", "NP[anim=no]"):
        build.category(name)
    build.rule("s", "S -> NP[anim=yes]", "0", "0", "head=0")
    build.rule("s", "S -> NP[anim=no]", "0", "0", "head=0")
    build.word("NP[anim=yes]", "bat", "コウモリ", upos="NOUN")
    build.word("NP[anim=no]", "bat", "バット", upos="NOUN")
    build.word("NP[anim=no]", "bat", "棒", upos="NOUN")
    build.word("NP[anim=no]", "(a b)", "空", upos="NOUN")
    labels = rule_labels(build.build("bats", "S"), 0)
    assert labels == ["s:S#1", "s:S#2", "bat:NP[anim=yes]", "bat:NP[anim=no]#1", "bat:NP[anim=no]#2", '"(a b)"']


def test_equal_texts_mean_equal_derivations() -> None:
    labels = rule_labels(TOY, 0)
    assert len(set(labels)) == len(TOY.rules)


def test_features_count_the_recursive_relations(dataset: Dataset) -> None:
    directory, records, _ = dataset
    found = pq.read_table(directory / "parquet" / "gen.parquet").column("features").to_pylist()
    items = [record for record in records if record.split == "gen"]
    for row, record in zip(found, items, strict=True):
        counts = Counter(label for _, label, _ in record.item.graphs[0].edges)
        assert row == {label: counts[label] for label in ("acl:relcl", "amod", "ccomp", "nmod")}
    assert len({tuple(row.values()) for row in found}) > 1


def test_a_grammar_without_graphs_has_texts_only(tmp_path: Path) -> None:
    grammar = replace(TOY, graph_layers=(), rules=tuple(replace(rule, fragments=()) for rule in TOY.rules))
    plan = replace(plan_of({"train": 5}), lemma_layer="")
    tables = pack(grammar, plan, {"train/in_distribution": whole(grammar)})
    _, files = sample_and_write(tmp_path, grammar, plan, tables)
    paths = ["data/train.tsv", "parquet/train.parquet", "derivations/train.tsv"]
    assert [file.path for file in files] == paths
