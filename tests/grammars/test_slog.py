"""COGS and SLOG: both forms of every construct, the published rows, the patterns.

Where the published data are beside the checkout, all development rows and a sample of the
training rows are derived here.  All of them take half a minute, as commands:

    sglc audit grammars/cogs.sgl cogs/train.tsv cogs/dev.tsv --target cogs
    sglc audit grammars/slog.sgl slog/train.varfree.tsv --target varfree
    sglc audit grammars/slog_loose.sgl slog/train.varfree.tsv --target varfree --patterns
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from slog import DATA, forms, grammar, likeliest, pairs, parser, rows

from sgl.cli.main import run
from sgl.diagnostics import Diagnostics
from sgl.pipeline.sentences import check_examples
from sgl.resources import grammars_dir

needs_published_data = pytest.mark.skipif(not DATA.is_dir(), reason="the published data are not beside this checkout")

DOCS = Path(__file__).parents[2] / "docs" / "slog.md"

#: Of the training rows of each kind, every so many are read here; of the other kinds all.
EVERY = {"in_distribution": 40, "object_modifying_RC": 20, "wh_Q_simple_trans": 10}


# ---- constructs


@pytest.mark.parametrize("pair", pairs(), ids=lambda pair: pair[0])
def test_a_sentence_has_both_forms(pair: tuple[str, str, str]) -> None:
    sentence, logical_form, term = pair
    assert forms("slog", "cogs", sentence) == {logical_form}
    assert forms("slog", "varfree", sentence) == {term}


def test_every_rule_is_in_one_of_the_sentences() -> None:
    core = grammar("slog").grammar
    used = {
        core.rules[rule].name
        for sentence, *_ in pairs()
        for reading in parser("slog").parse(sentence)
        for rule in reading
    }
    rules = {rule.name for rule in core.rules if not rule.lexical}
    assert rules <= used, rules - used


@pytest.mark.slow
def test_the_dialects() -> None:
    lent = {"slog": "Emma lent Liam the cake .", "cogs": "Emma lended Liam the cake ."}
    form = "lend ( agent = Emma , recipient = Liam , theme = * cake )"
    for name, other in (("slog", "cogs"), ("cogs", "slog")):
        assert forms(name, "varfree", lent[name]) == {form}
        assert forms(name, "varfree", lent[other]) == set()
    on_tv = {name: forms(name, "varfree", "Emma saw a cat on a TV .") for name in lent}
    assert on_tv == {
        "slog": {"see ( agent = Emma , theme = cat ( nmod . on = TV ) )"},
        "cogs": {"see ( agent = Emma , theme = cat ( nmod . on = tv ) )"},
    }


@pytest.mark.parametrize("sentence", ["Who slept ?", "Emma saw a cat that slept .", "A lion on a seat"])
def test_cogs_has_no_questions_relative_clauses_or_noun_phrases(sentence: str) -> None:
    assert forms("slog", "varfree", sentence)
    assert not forms("cogs", "varfree", sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "Emma saw an envelope .",  # there is no `an`
        "The cake ate a cat .",  # things do nothing
        "Emma saw a cat in a house that slept .",  # one modifier at most
        "Who did Emma say slept ?",  # no long questions about subjects
        "Emma saw Liam in a house .",  # names have no modifiers
        "What was eaten by who ?",
        "Emma give a cake to Liam .",
    ],
)
def test_what_neither_derives(sentence: str) -> None:
    assert not forms("slog", "varfree", sentence)


def test_a_primitive_that_is_two_verbs_has_two_cogs_forms_and_one_term() -> None:
    assert len(forms("slog", "cogs", "like")) == 2
    assert forms("slog", "varfree", "like") == {"like"}


# ---- patterns


@pytest.mark.parametrize(("name", "patterns"), [("cogs", 21), ("slog", 35)])
def test_the_examples_of_the_patterns_hold(name: str, patterns: int) -> None:
    compiled, diagnostics = grammar(name), Diagnostics()
    check_examples(compiled, diagnostics)
    assert [found.message for found in diagnostics] == []
    assert len(compiled.patterns) == patterns
    structural = {p.pattern.name for p in compiled.patterns if "structural" in p.pattern.groups}
    assert len(structural) == (3 if name == "cogs" else 17)
    examples = {p.pattern.name for p in compiled.patterns if p.examples}
    deep = {"pp_recursion", "cp_recursion", "pp_5_12", "cp_5_12", "center_embed_5_12"}
    assert examples == {p.pattern.name for p in compiled.patterns} - deep


@pytest.mark.slow
@pytest.mark.parametrize(("name", "patterns"), [("cogs", 21), ("slog", 35)])
def test_all_patterns_are_proved(name: str, patterns: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", str(grammars_dir() / f"{name}.sgl")]) == 0
    assert f"{patterns} of {patterns} patterns proved" in capsys.readouterr().out


def test_the_composition_of_the_data_is_the_published_one() -> None:
    splits = ("train", "dev", "test", "gen")
    composition = {name: Counter(dict.fromkeys(splits, 0)) for name in ("cogs", "slog")}
    for name, counts in composition.items():
        for stratum in grammar(name).plan.strata:
            counts[stratum.split] += stratum.count
    assert composition["cogs"] == {"train": 24155, "dev": 3000, "test": 3000, "gen": 21000}
    # Seven primitives of SLOG have two readings, of which two rows each were published.
    assert composition["slog"] == {"train": 32755 - 14, "dev": 4046, "test": 4046, "gen": 17000}


@pytest.mark.slow
def test_all_patterns_are_proved_for_the_published_lengths(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", str(grammars_dir() / "slog.sgl"), "--set", "lengths=published"]) == 0
    assert "35 of 35 patterns proved" in capsys.readouterr().out


@pytest.mark.acceptance
def test_the_published_lengths_are_a_setting(tmp_path: Path) -> None:
    """Longest published sentence and form: 28 words and 229 tokens of training, 61 and 601 of gen."""
    out = tmp_path / "slog"
    assert run(["compile", str(grammars_dir() / "slog.sgl"), "--set", "lengths=published", "-o", str(out)]) == 0
    for split, words, tokens in (("train", 28, 229), ("gen", 61, 601)):
        lines = (out / "data" / f"{split}.tsv").read_text("utf-8").splitlines()
        sentences, found, _ = zip(*(line.split("\t") for line in lines), strict=True)
        assert max(len(sentence.split()) for sentence in sentences) <= words
        assert max(len(form.split()) for form in found) == tokens
        assert not [form for form in found if " . nmod . " in form and " . nmod (" in form]


# ---- the published rows


def sample(path: str) -> list[tuple[str, str, str]]:
    """A row of every so many of each kind."""
    seen: Counter[str] = Counter()
    chosen = []
    for row in rows(path):
        if seen[row[2]] % EVERY.get(row[2], 1) == 0:
            chosen.append(row)
        seen[row[2]] += 1
    return chosen


@pytest.mark.slow
@needs_published_data
@pytest.mark.parametrize(
    ("name", "path", "view", "number"),
    [
        ("slog", "slog/dev.cogs.tsv", "cogs", 4046),
        ("slog", "slog/dev.varfree.tsv", "varfree", 4046),
        ("cogs", "cogs/dev.tsv", "cogs", 3000),
    ],
)
def test_every_development_row_is_derived_exactly(name: str, path: str, view: str, number: int) -> None:
    published = rows(path)
    assert len(published) == number
    wrong = [row for row in published if row[1] not in forms(name, view, row[0])]
    assert wrong == []


@pytest.mark.slow
@needs_published_data
def test_of_several_readings_the_likeliest_is_the_published_one() -> None:
    several = [row for row in rows("slog/dev.cogs.tsv") if len(parser("slog").parse(row[0])) > 1]
    assert len(several) == 13
    assert all(likeliest("slog", "cogs", row[0]) == row[1] for row in several)


@pytest.mark.slow
@needs_published_data
@pytest.mark.parametrize(
    ("name", "path", "view"), [("slog", "slog/train.varfree.tsv", "varfree"), ("cogs", "cogs/train.tsv", "cogs")]
)
def test_training_rows_are_derived_exactly(name: str, path: str, view: str) -> None:
    chosen = sample(path)
    assert len({kind for *_, kind in chosen}) == len({kind for *_, kind in rows(path)})
    wrong = [row for row in chosen if row[1] not in forms(name, view, row[0])]
    assert wrong == []


# ---- leaks


@pytest.mark.slow
def test_an_audit_counts_looser_readings_beside_what_is_held_out(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.tsv"
    sentences = [
        "Emma saw a cat that a dog that Liam liked found .",
        "A cat that slept ran .",  # held out
        "Who saw Emma ?",
        "Who noticed Emma ?",
        "Who sneezes ?",  # not derived
    ]
    corpus.write_text("".join(f"{text}\t-\n" for text in sentences), "utf-8")
    result = tmp_path / "audit.json"
    loose = str(grammars_dir() / "slog_loose.sgl")
    assert run(["audit", loose, str(corpus), "--columns=en,-", "--patterns", f"--json={result}"]) == 0
    data = json.loads(result.read_text("utf-8"))
    assert (data["rows"], data["parsed"]) == (5, 4)
    held_out = [entry["name"] for entry in data["declared"] if entry["held_out"]]
    assert {name for name in held_out if data["structures"][name]} == {"rc_modif_subj.forbid"}
    named = {entry["name"] for entry in data["declared"] if not entry["pattern"]}
    assert set(re.findall(r"^structure (\w+)", Path(loose).read_text("utf-8"), re.MULTILINE)) <= named
    found = data["structures"]
    assert (found["q_subj_active_transitive"], found["rc_modif_subj_of_relative"]) == (2, 2)
