"""What people guess of ``import sgl`` and find: patterns as objects, grammars from texts, tables of everything."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

import sgl

#: A grammar in a text, with a table beside it.
NOUNS = """layer en : text
category S
category N
rule s: S -> "a" N
lexicon nouns from "tables/nouns.yaml"
  N
    en $en
dataset
  from S
  train 1
"""


@pytest.fixture
def nouns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> sgl.Grammar:
    monkeypatch.chdir(tmp_path)
    return sgl.loads(NOUNS, files={"tables/nouns.yaml": "- en: cat\n"})


# Grammars from texts.


def test_a_grammar_in_a_text_is_like_one_in_a_file(nouns: sgl.Grammar, tmp_path: Path) -> None:
    assert nouns.sample(1)[0].source == "a cat"
    assert nouns.compile(tmp_path / "data").verify()
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/nouns.yaml").write_text("- en: cat\n", "utf-8")
    (tmp_path / "grammar.sgl").write_text(NOUNS, "utf-8")
    same = sgl.load("grammar.sgl").compile(tmp_path / "same")
    assert same.signature == sgl.open_dataset(tmp_path / "data").signature


def test_what_is_wrong_in_a_text_is_said_with_its_line() -> None:
    with pytest.raises(sgl.GrammarError, match=r"grammar\.sgl:2:1"):
        sgl.loads("layer en : text\nlaier ja : text\n")
    with pytest.raises(sgl.GrammarError, match=r"`tables/nouns\.yaml` does not exist"):
        sgl.loads(NOUNS)


def test_texts_do_not_change_files_and_are_not_changed_by_them(nouns: sgl.Grammar, tmp_path: Path) -> None:
    assert [*tmp_path.iterdir()] == []
    (tmp_path / "grammar.sgl").write_text("no grammar", "utf-8")
    assert nouns.check()


def test_further_declarations_see_everything_below(nouns: sgl.Grammar) -> None:
    larger = nouns.extend('word N: "dog"').extend('word N: "cow"', without="lexicon nouns")
    assert set(larger.lexicon.to_pandas()["en"]) == {"dog", "cow"}
    assert set(nouns.lexicon.to_pandas()["en"]) == {"cat"}
    with pytest.raises(sgl.GrammarError, match=r"grammar_extended\.sgl:2:1"):
        nouns.extend('word N: "dog"\nwort N: "cow"')


def test_a_shipped_grammar_is_extended_with_its_parameters_and_tables_of_ones_own() -> None:
    text = 'lexicon more from "more.yaml"\n  Name ~ 0.01\n    de $de\n    en $en\n    syn node(lemma=$de, upos=PROPN)\n'
    german = sgl.load("german")
    with pytest.raises(sgl.GrammarError, match=r"german_extended\.sgl:2"):
        german.extend(text, files={"more.yaml": "- {de: Eva, en: Eve}"}, nothing=1)
    assert "german" in sgl.grammars()
    assert sgl.grammars()["german"] == german.title


def test_loading_refuses_what_checking_refuses(grammar: sgl.Grammar, place: Path) -> None:
    for wrong in ('test "The dog saw a cat." => ja "犬"', 'test reject "The dog saw a cat."'):
        (place / "wrong.sgl").write_text((place / "farm.sgl").read_text("utf-8") + wrong + "\n", "utf-8")
        with pytest.raises(sgl.GrammarError, match="SGL0817"):
            sgl.load(place / "wrong.sgl")
        with pytest.raises(sgl.GrammarError, match="SGL0817"):
            grammar.extend(wrong)


def test_a_check_has_the_claims_that_loading_leaves(grammar: sgl.Grammar, place: Path) -> None:
    text = (place / "farm.sgl").read_text("utf-8").replace("forbid { V -[nsubj]", "assert never { V -[nsubj]")
    (place / "leaking.sgl").write_text(text, "utf-8")
    found = sgl.load(place / "leaking.sgl").check()
    assert not found
    assert "SGL0811" in {row[0] for row in found.rows}
    assert found.data["diagnostics"][0]["place"]["file"].endswith("leaking.sgl")
    assert "error" in repr(sgl.load(place / "leaking.sgl").prove())
    assert grammar.check()


# Patterns, rules, words.


def test_a_pattern_says_what_it_claims(grammar: sgl.Grammar) -> None:
    assert list(grammar.patterns) == ["pp_in_subject"]
    pattern = grammar.patterns["pp_in_subject"]
    assert (pattern.title, pattern.items) == ("PP in object → subject", 20)
    assert pattern.structures == ("{ V -[nsubj]-> N; N -[nmod]-> M }",)
    assert pattern.sentence in str(pattern)
    assert "<code>" in pattern._repr_html_()
    assert pattern.sample(3, seed=1) == grammar.sample(3, of=pattern, seed=1)
    assert pattern.prove().rows == grammar.prove().rows


def test_what_to_sample_may_come_first(grammar: sgl.Grammar) -> None:
    texts = grammar.sample(2, of="pp_in_subject", seed=3)
    for same in (
        grammar.sample("pp_in_subject", 2, seed=3),
        grammar.sample(2, "pp_in_subject", seed=3),
        grammar.sample(2, pattern="pp_in_subject", seed=3),
    ):
        assert same == texts
    with pytest.raises(sgl.GrammarError, match="there is: train, dev, test, gen, pp_in_subject"):
        grammar.sample("nothing_of_it")


def test_a_derivation_is_read_by_the_tables(grammar: sgl.Grammar) -> None:
    text = grammar.parse("The dog saw a cat.")[0]
    names = {row[0]: row[1] for table in (grammar.rules, grammar.lexicon) for row in table.rows}
    assert tuple(names[number] for number in text.derivation) == text.rules
    assert len(names) == len(grammar)
    assert ("dog", "犬") in {row[3:5] for row in grammar.lexicon.rows}


def test_a_sentence_is_accepted_or_not(grammar: sgl.Grammar) -> None:
    assert grammar.accepts("The dog saw a cat.")
    assert not grammar.accepts("The dog near.")
    assert grammar.accepts("犬が猫を見た。", layer="ja")
    with pytest.raises(sgl.GrammarError, match="there is no text layer"):
        grammar.accepts("The dog saw a cat.", layer="syn")
    with pytest.raises(sgl.GrammarError, match="SGL1107"):
        grammar.accepts("dog " * 100_000)


def test_a_word_that_is_not_known_is_answered_with_words_that_are(grammar: sgl.Grammar) -> None:
    with pytest.raises(sgl.GrammarError, match="expected one of: “A”, “The”, Text"):
        grammar.parse("blah")


# Texts.


def test_texts_are_a_table(grammar: sgl.Grammar) -> None:
    texts = grammar.parse("The dog saw a cat.")
    (row,) = texts.to_arrow().to_pylist()
    assert row == texts[0].to_dict() | {"probability": texts[0].probability}
    assert (row["en"], row["ja"]) == (texts[0].source, texts[0].target)
    assert list(grammar.sample(2).to_pandas().columns) == list(grammar.outputs)
    pytest.importorskip("datasets")
    assert texts.to_hf()["ja"][0] == texts[0].target


def test_a_slice_of_texts_is_again_some_texts(grammar: sgl.Grammar) -> None:
    texts = grammar.sample(3, seed=1, of="pp_in_subject", beside=True)
    part = texts[1:]
    assert (type(part), len(part), part.total, part.beside) == (sgl.Texts, 2, 3, texts.beside[1:])
    assert part[-1] is texts[2]
    assert pickle.loads(pickle.dumps(part)).total == 3  # noqa: S301 - made here


def test_a_graph_is_that_of_the_conllu(grammar: sgl.Grammar) -> None:
    text = grammar.sample(1, seed=2, of="pp_in_subject")[0]
    graph = text.to_networkx()
    lines = [line.split("\t") for line in text.graph.splitlines() if line[:1].isdigit()]
    assert [graph.nodes[place]["form"] for place in sorted(graph)] == [line[1] for line in lines]
    assert [graph.nodes[place]["lemma"] for place in sorted(graph)] == [line[2] for line in lines]
    edges = {(source + 1, label, target + 1) for source, target, label in graph.edges(data="label")}
    assert edges == {(int(line[6]), line[7], int(line[0])) for line in lines if line[6] != "0"}
    assert text.to_networkx("sem").number_of_edges()


def test_a_tree_is_that_of_nltk(grammar: sgl.Grammar) -> None:
    pytest.importorskip("nltk")
    tree = grammar.parse("The dog saw a cat.")[0].to_nltk()
    assert tree.leaves() == ["the", "dog", "saw", "a", "cat", "."]
    assert (tree.label(), tree[0].label()) == ("Text", "S")


def test_a_notebook_shows_fifty_and_counts_the_others(grammar: sgl.Grammar) -> None:
    page = grammar.sample(200, seed=1)._repr_html_()
    assert page.count("<details") == 50
    assert "150 more" in page
    assert len(page) < 500_000
    assert "more</small>" not in grammar.sample(50)._repr_html_()
    rows = [(n,) for n in range(60)]
    assert "10 more" in sgl.Findings("", True, ("n",), rows)._repr_html_()


# Scores.


def test_predictions_are_what_people_have(dataset: sgl.Dataset, place: Path) -> None:
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("scipy")
    gen = dataset.to_pandas("gen")
    said = ["犬", *gen["target"][1:]]
    names = [f"gen-{number:06d}" for number in range(1, 21)]
    (place / "said.txt").write_text("\n".join(said) + "\n", "utf-8")
    answers = dict(zip(gen["source"], said, strict=True))
    given: dict[str, sgl.Predictions] = {
        "file": place / "said.txt",
        "list": said,
        "ids": dict(zip(reversed(names), reversed(said), strict=True)),
        "hashes": pandas.Series(said, index=gen["id"])[::-1],
        "series": pandas.Series(said),
        "array": pandas.Series(said).to_numpy(),
        "function": answers.__getitem__,
    }
    shown = list[tuple[str, int, int]]()
    scores = sgl.evaluate(dataset, given, samples=100, progress=lambda *call: shown.append(call))
    assert {row[1] for row in scores.rows} == {0.95}
    assert ("asking function", 19, 20) in shown
    table = scores.by("pattern").to_pandas()
    assert table[["pattern", "title", "items"]].drop_duplicates().values.tolist() == [
        ["pp_in_subject", "PP in object → subject", 20]
    ]
    assert scores.flat()["list/pp_in_subject/exact"] == scores.flat("list")["exact"] == 0.95
    for ask, message in ((lambda: scores.by("x"), "no scores by `x"), (lambda: scores.flat("x"), "no system `x`")):
        with pytest.raises(sgl.GrammarError, match=message):
            ask()


def test_a_name_that_no_row_has_is_refused(dataset: sgl.Dataset) -> None:
    pytest.importorskip("scipy")
    table = dataset.to_arrow("gen")
    some = dict(zip(table["id"].to_pylist()[:3], table["target"].to_pylist(), strict=False))
    assert {row[1] for row in sgl.evaluate(dataset, {"some": some}, samples=100, missing="left-out").rows} == {1.0}
    with pytest.raises(sgl.GrammarError, match="1 of the 4 predictions have an unknown id"):
        sgl.evaluate(dataset, {"more": {**some, "0123456789abcdef": "犬"}}, samples=100)


def test_missing_predictions_count_as_wrong_or_are_left_out_for_all(dataset: sgl.Dataset) -> None:
    pytest.importorskip("scipy")
    targets = dataset.to_arrow("gen")["target"].to_pylist()
    names = [f"gen-{number:06d}" for number in range(1, 21)]
    some = dict(zip(names[:10], targets, strict=False))
    other = dict(zip(names[5:], ["犬", *targets[6:]], strict=True))
    scores = sgl.evaluate(dataset, {"some": some, "other": other}, samples=100)
    assert [row[1] for row in scores.rows] == [0.5, 0.7]
    scores = sgl.evaluate(dataset, {"some": some, "other": other}, samples=100, missing="left-out")
    assert [row[1] for row in scores.rows] == [1.0, 0.8]
    assert (scores.data["dataset"]["items"], scores.data["dataset"]["left_out"]) == (5, 15)
    assert sum(part["items"] for part in scores.data["tables"]["depth"]) == 5


def test_a_split_has_the_name_of_the_files_or_of_the_hub(dataset: sgl.Dataset) -> None:
    assert dataset.to_arrow("validation") == dataset.to_arrow("dev")
    with pytest.raises(sgl.GrammarError, match="did you mean `train`"):
        dataset.to_arrow("trian")
    pytest.importorskip("scipy")
    scores = sgl.evaluate(dataset, {"x": dataset.to_arrow("validation")["target"]}, split="validation", samples=100)
    assert scores.data["dataset"]["split"] == "dev"
