"""Semantic layers of a grammar: free graphs, their edges in order, their views as targets."""

from __future__ import annotations

import json
import shutil
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from diagnostics import MAIN, check_rendering, diagnose
from kites import KITES, NOUNS, VERBS, form, isolated, kites, write

from sgl.cli.main import OK, run
from sgl.core.interpret import derive_graph
from sgl.dataset import write_checksums
from sgl.parsing import Parser
from sgl.rendering import outputs
from sgl.rendering.views import VIEWS
from sgl.verify import verify

FOUND = "The goat that ran found the kite in the tent."


def edges(sentence: str) -> list[str]:
    """The edges of the semantic graph of a sentence, in its order, by lemmas."""
    grammar = kites().grammar
    (reading,) = Parser(grammar, 0).parse(sentence)
    graph = derive_graph(grammar, reading, grammar.graph_layer("sem"))
    lemmas = [dict(node.attributes).get("lemma", "") for node in graph.nodes]
    return [f"{lemmas[source]} -{label}-> {lemmas[target]}" for source, label, target in graph.edges]


# ---- free layers


def test_a_free_graph_may_have_circles_and_words_without_meaning() -> None:
    assert sorted(edges(FOUND)) == [
        "find -agent-> goat",
        "find -theme-> kite",
        "goat -nmod-> run",
        "kite -nmod:in-> tent",
        "run -agent-> goat",
    ]


def test_both_forms_of_a_sentence() -> None:
    assert form(FOUND) == (
        "* goat ( x _ 1 ) ; * kite ( x _ 6 ) ; * tent ( x _ 9 ) ; goat . nmod ( x _ 1 , x _ 3 )"
        " AND run . agent ( x _ 3 , x _ 1 ) AND find . agent ( x _ 4 , x _ 1 )"
        " AND find . theme ( x _ 4 , x _ 6 ) AND kite . nmod . in ( x _ 6 , x _ 9 )"
    )
    assert form(FOUND, "varfree") == (
        "find ( agent = * goat ( nmod = run ( agent = * goat ) ) , theme = * kite ( nmod . in = * tent ) )"
    )


def test_a_label_has_the_value_of_a_feature() -> None:
    assert edges("The kite fell.") == ["fall -theme-> kite"]
    assert edges("The goat ran.") == ["run -agent-> goat"]
    assert "kite -nmod:beside-> tent" in edges("The goat found the kite beside the tent.")


def test_edges_are_in_the_order_of_the_rules_from_the_top() -> None:
    """The subject is added above the object, and stands before it."""
    assert edges("The goat found the kite.") == ["find -agent-> goat", "find -theme-> kite"]


@pytest.mark.parametrize("labels", [("agent", "source"), ("source", "agent")])
def test_edges_of_one_rule_are_in_the_order_written(labels: tuple[str, str]) -> None:
    statements = "; ".join(f"VP -[{label}]-> NP" for label in labels)
    grammar = KITES.replace("VP[role=r]\n  syn VP -[nsubj]", "VP\n  syn VP -[nsubj]")
    compiled = kites(grammar.replace("sem VP -[$r]-> NP", f"sem {statements}"))
    first, second = (f"run . {label} ( x _ 2 , x _ 1 )" for label in labels)
    assert form("The goat ran.", compiled=compiled) == f"* goat ( x _ 1 ) ; {first} AND {second}"


def head(sentence: str, grammar: str = KITES) -> str:
    core = kites(grammar).grammar
    (reading,) = Parser(core, 0).parse(sentence)
    graph = derive_graph(core, reading, core.graph_layer("sem"))
    return dict(graph.nodes[graph.head].attributes)["lemma"]


def test_the_head_is_what_no_edge_of_the_rule_leads_to() -> None:
    assert head(FOUND) == "find"


def test_a_rule_says_which_child_is_its_head() -> None:
    assert head("The goat ran.", KITES.replace("-[$r]-> NP", "-[$r]-> NP; head = NP")) == "goat"


def test_an_attribute_falls_back_to_a_column() -> None:
    assert form("The goat sent the kite.", "varfree") == ("dispatch ( agent = * goat , theme = * kite )")
    assert form("The goat lifted the kite.", "varfree") == ("lift ( agent = * goat , theme = * kite )")


def test_homonyms_differ_in_the_graph_only() -> None:
    """One word of the source may be two words of a semantic layer."""
    second = """
word V[role=theme]: "ran"
  syn node(lemma=run, upos=VERB)
  sem node(lemma=leak, type=event)
"""
    compiled = kites(KITES + second)
    grammar = compiled.grammar
    readings = Parser(grammar, 0).parse("The barrel ran.")
    forms = {outputs(grammar)["varfree"](reading) for reading in readings}
    assert forms == {"run ( agent = * barrel )", "leak ( theme = * barrel )"}


# ---- what authors are told

NEED = "need   5 { V -[obj]-> N; N -[nmod]-> M }"
NOUN = "sem node(lemma=$en, type=entity, definite=yes)"
VIEW = "view  cogs    = cogs(sem)"
SYN, SEM = "layer syn : graph on en\n", "layer sem : graph on en (free)\n"


@pytest.mark.parametrize(
    ("before", "after", "code", "marked"),
    [
        # labels
        ("sem VP -[$r]-> NP", "sem VP -[$x]-> NP", "SGL0404", "$x"),
        ("sem N -[nmod:$p]-> PP", "sem N -[nmod:$q]-> PP", "SGL0404", "nmod:$q"),
        (NEED, "need { V -[nmod:$p]-> N }", "SGL0404", "nmod:$p"),
        (NEED, "need { V -[$r]-> N }", "SGL0201", "$r"),
        ("sem VP -[$r]-> gap", "sem VP -[~$x]-> gap", "SGL0404", "~$x"),
        # layers
        ("(free)", "(loose)", "SGL0201", "loose"),
        ("(free)", '(free "x")', "SGL0201", 'free "x"'),
        ("(free)", "(free when x)", "SGL0308", "free when x"),
        (SYN + SEM, SEM + SYN, "SGL0312", SEM.strip()),
        # views
        (VIEW, "view cogs = cogs(syn)", "SGL0313", "view cogs = cogs(syn)"),
        (VIEW, "view cogs = cogs(en)", "SGL0313", "view cogs = cogs(en)"),
        (VIEW, "view cogs = cogs(sem, sem)", "SGL0313", "view cogs = cogs(sem, sem)"),
        ("= conllu(syn)", "= conllu(sem)", "SGL0313", "view  conllu  = conllu(sem)"),
        (VIEW, "view cogs = cogs(sam)", "SGL0201", "sam"),
        (VIEW, "view cogs = cog(sem)", "SGL0201", "cog"),
        (VIEW, VIEW + "\nview sem = cogs(sem)", "SGL0203", "sem"),
        # targets
        ("output cogs varfree", "output cogs varfre", "SGL0201", "varfre"),
        ("output cogs varfree", "output conllu", "SGL0201", "conllu"),
        ("output cogs varfree", "output en", "SGL0201", "en"),
        # sizes
        ("size   20\n", "size   20 in dev\n", "SGL0829", "dev"),
        ("5 in dev", "5 in gen", "SGL0827", "gen"),
        ("apart {", "only { V -[obj]-> N }\n  apart {", "SGL0827", None),
        # texts without a form
        (NOUN, "sem node(lemma=$en)", "SGL0513", "- {en: kite}"),
        (NOUN, NOUN.replace("entity", "thing"), "SGL0513", "- {en: kite}"),
        ("sem T -[theme]-> NP", "sem T", "SGL0513", "transitive"),
        ("type=event)", "type=event, open=agent)", "SGL0513", None),
    ],
)
def test_a_mistake_is_told_once_and_where(
    before: str, after: str, code: str, marked: str | None, tmp_path: Path
) -> None:
    assert before in KITES
    files = {MAIN: KITES.replace(before, after), "nouns.yaml": NOUNS, "verbs.yaml": VERBS}
    outcome = diagnose(files, tmp_path)
    ((found, text),) = outcome.places()
    assert (found, text if marked is not None else None) == (code, marked), outcome.rendered()
    check_rendering(outcome)


def test_a_label_that_conllu_keeps_for_itself_may_not_come_from_a_feature(tmp_path: Path) -> None:
    grammar = KITES.replace("agent", "root").replace("syn VP -[nsubj]", "syn VP -[$r]")
    files = {MAIN: grammar, "nouns.yaml": NOUNS, "verbs.yaml": VERBS.replace("agent", "root")}
    assert diagnose(files, tmp_path).places() == [("SGL0512", "$r")]


def test_an_author_says_what_form_a_sentence_has(tmp_path: Path) -> None:
    right = 'test "The goat ran." => cogs "* goat ( x _ 1 ) ; run . agent ( x _ 2 , x _ 1 )"\n'
    wrong = right.replace("agent", "theme")
    for text, expected in ((right, []), (wrong, ["SGL0817"])):
        files = {MAIN: KITES + "\n" + text, "nouns.yaml": NOUNS, "verbs.yaml": VERBS}
        assert diagnose(files, tmp_path).codes == expected


@pytest.mark.slow
def test_a_form_that_is_too_large_is_no_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sgl.pipeline.grammar.open_grammar", lambda *_, **__: kites())
    monkeypatch.setattr("sgl.rendering.views.varfree.MOST_HEADS", 1)
    assert run(["compile", str(write(tmp_path)), "--out", str(tmp_path / "out")]) == 1
    said = capsys.readouterr().err
    assert "SGL0513" in said
    assert "varfree: the copies of a variable-free form grow too large, in “" in said
    refused = "(no form: the copies of a variable-free form grow too large)"
    assert form("The goat ran.", "varfree") == refused


# ---- parts that stand apart, in several splits


def test_a_part_that_stands_apart_may_be_tested() -> None:
    plan = kites().plan
    (part,) = plan.parts
    assert part.tested
    counts = {s.split: s.count for s in plan.strata if s.category == "part:relatives"}
    assert counts == {"train": 20, "dev": 5}
    relative = "{ N -[acl:relcl]-> V }"
    for stratum in plan.strata:
        excluded = relative in map(str, stratum.constraint.exclude)
        assert excluded == (stratum.split != "gen" and not stratum.category.startswith("part:"))


# ---- targets


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dataset of the grammar, compiled as an author does it."""
    directory = tmp_path_factory.mktemp("kites")
    grammar = write(directory)
    assert run(["compile", str(grammar), "--out", str(directory / "out")]) == 0
    return directory / "out"


def rows(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text("utf-8").splitlines()]


@pytest.mark.slow
def test_every_target_has_files_of_its_own(dataset: Path) -> None:
    files = {path.relative_to(dataset).as_posix() for path in dataset.glob("data/**/*.tsv")}
    splits = ("train", "dev", "test", "gen")
    assert files == {f"data/{folder}{split}.tsv" for folder in ("", "varfree/") for split in splits}
    for split in splits:
        first, second = (rows(dataset / f"data/{split}.tsv"), rows(dataset / f"data/varfree/{split}.tsv"))
        assert [(row[0], row[2]) for row in first] == [(row[0], row[2]) for row in second]


def test_every_row_is_what_the_views_say(dataset: Path) -> None:
    for sentence, logical_form, _ in rows(dataset / "data" / "gen.tsv"):
        assert logical_form == form(sentence)
    for sentence, term, _ in rows(dataset / "data" / "varfree" / "gen.tsv"):
        assert term == form(sentence, "varfree")


def test_dev_has_the_sentences_of_the_part(dataset: Path) -> None:
    kinds = [kind for *_, kind in rows(dataset / "data" / "dev.tsv")]
    assert (kinds.count("in_distribution"), kinds.count("part:relatives")) == (20, 5)


def test_a_file_that_was_changed_is_found(dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(dataset, copy)
    assert run(["verify", str(copy)]) == 0
    path = copy / "data" / "varfree" / "dev.tsv"
    path.write_text(path.read_text("utf-8").replace("theme", "agent", 1), "utf-8")
    capsys.readouterr()
    assert run(["verify", str(copy)]) == 1
    assert "varfree/dev.tsv" in capsys.readouterr().out


def test_a_column_that_was_changed_is_found(dataset: Path, tmp_path: Path) -> None:
    """Against the sentences, not the hash only: the manifest is changed as well."""
    copy = tmp_path / "copy"
    shutil.copytree(dataset, copy)
    path = copy / "parquet" / "dev.parquet"
    table = pq.read_table(path)
    place = table.schema.get_field_index("target_varfree")
    wrong = pa.array(["wrong"] * table.num_rows)
    pq.write_table(table.set_column(place, "target_varfree", wrong), path)
    manifest = json.loads((copy / "manifest.json").read_text("utf-8"))
    for file in manifest["files"]:
        if file["path"] == "parquet/dev.parquet":
            file["sha256"] = sha256(path.read_bytes()).hexdigest()
    (copy / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    write_checksums(copy, {})
    report = verify(copy)
    assert [r.code for r in report.results if r.status == "failed"] == ["V031"]


def test_the_card_and_the_manifest_name_both_targets(dataset: Path) -> None:
    card = (dataset / "README.md").read_text("utf-8")
    assert "285 sentences (`en`), each with its `cogs` and `varfree`" in card
    assert "`data/varfree/*.tsv`" in card
    layers = json.loads((dataset / "manifest.json").read_text("utf-8"))["layers"]
    assert (layers["target"], layers["further"]) == ("cogs", ["varfree"])


def test_the_standalone_sampler_draws_both_targets_bit_for_bit(dataset: Path, tmp_path: Path) -> None:
    checked = isolated(dataset / "sampler.py", "--check")
    assert checked.returncode == 0, checked.stderr
    assert [line.split()[0] for line in checked.stdout.splitlines()] == ["identical"] * 8
    assert isolated(dataset / "sampler.py", "--out", str(tmp_path / "again")).returncode == 0
    for path in dataset.glob("data/**/*.tsv"):
        again = tmp_path / "again" / path.relative_to(dataset / "data")
        assert again.read_bytes() == path.read_bytes()


@pytest.mark.slow
def test_a_dataset_is_written_in_every_notation(tmp_path: Path) -> None:
    """The standalone sampler has the modules of the notations that the dataset uses, and no others."""
    notations = [name for name in VIEWS if name not in ("cogs", "varfree")]
    declared = "".join(f"view {name} = {name}(sem)\n" for name in notations)
    grammar = KITES.replace("view  varfree", f"{declared}view  varfree", 1)
    grammar = grammar.replace("output cogs varfree", f"output {' '.join(notations)}")
    assert run(["compile", str(write(tmp_path, grammar)), "--out", str(tmp_path / "out")]) == OK
    checked = isolated(tmp_path / "out" / "sampler.py", "--check")
    assert checked.stdout.count("identical") == 4 * len(notations), checked.stderr
    assert run(["verify", str(tmp_path / "out")]) == OK
