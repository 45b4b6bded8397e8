"""The compounds of a dataset: found in derivations, written beside the rows, scored by `eval`."""

from __future__ import annotations

import json
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sget import compile_file
from workplace import Workplace

from sgl.cli.main import FAILED, OK, OUTPUT, run
from sgl.frontend import Compiled
from sgl.parsing import Parser
from sgl.research.evaluate.compound_dataset import CompoundFinder, FoundCompound
from sgl.research.evaluate.compounds import CompoundLexicon, published_correct, translates
from sgl.research.evaluate.query import PatternQuery
from sgl.research.evaluate.surface import DictionarySegmenter, segmentation
from sgl.resources import grammars_dir

GRAMMAR = grammars_dir() / "cognition.sgl"


@cache
def grammar() -> Compiled:
    return compile_file(GRAMMAR)


def found(sentence: str, pattern: str) -> list[FoundCompound]:
    """The compounds of a pattern in a sentence."""
    compiled = grammar()
    core, plan = compiled.grammar, compiled.plan
    (reading,) = Parser(core, core.text_layer("en")).parse(sentence)
    chosen = next(p for p in plan.patterns if p.name == pattern)
    finder = CompoundFinder(core, "syn", "en", "zh")
    return finder.compounds(PatternQuery.of(chosen).structures, reading)


# --- in a derivation ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "pattern", "compound", "chinese", "atoms"),
    [
        ("Peter saw every scarf.", "np", "every scarf", "每 条 围巾", "DET=每 N=围巾"),
        ("Every teacher laughed.", "np", "every teacher", "每 位 老师", "DET=每 N=老师"),
        (
            "Peter saw the very red scarf.",
            "np_adj",
            "the very red scarf",
            "那 条 很 红 的 围巾",
            "DET=那 ADJ=很 红 N=围巾",
        ),
        (
            "Peter thought that the white scarf at the station vanished.",
            "np_adj_mod",
            "the white scarf at the station",
            "车站 里 的 那 条 白 围巾",
            "DET=那 ADJ=白 N=围巾 MOD=车站 里",
        ),
        (
            "Peter drew the lamp he liked.",
            "vp_mod",
            "drew the lamp he liked",
            "把 他 喜欢 的 那 盏 灯 画了下来",
            "V=把 … 画了下来 DET=那 N=灯 MOD=他 喜欢",
        ),
        ("Peter found the lamp.", "vp", "found the lamp", "找到了 那 盏 灯", "V=找到了 … DET=那 N=灯"),
        (
            "Peter slept near the red tent.",
            "pp_adj",
            "near the red tent",
            "在 那 顶 红 帐篷 附近",
            "P=在 … 附近 DET=那 ADJ=红 N=帐篷",
        ),
    ],
)
def test_a_compound_is_the_smallest_phrase_with_all_words_of_its_pattern(
    sentence: str, pattern: str, compound: str, chinese: str, atoms: str
) -> None:
    (only,) = found(sentence, pattern)
    assert (only.source, only.target) == (compound, chinese)
    assert " ".join(f"{role}={target}" for role, _, target in only.atoms) == atoms


def test_classifiers_and_de_are_fillers_and_belong_to_no_atom() -> None:
    (only,) = found("Peter saw the strange scarf.", "np_adj")
    assert only.fillers == {"条", "的"}


def test_a_sentence_has_every_compound_that_is_in_it() -> None:
    both = found("Peter saw every scarf because every cat laughed.", "np")
    assert {compound.source for compound in both} == {"every scarf", "every cat"}


# --- translations ---------------------------------------------------------------------------

LEXICON = CompoundLexicon(
    {
        "P": {"in": ("在 … 里",), "behind": ("在 … 后面",), "around": ("围着 …",)},
        "V": {"hid": ("把 … 藏了起来",), "found": ("找到了 …",)},
        "DET": {"the": ("那",), "every": ("每",)},
        "ADJ": {"red": ("红",), "large": ("大",)},
        "N": {"tent": ("帐篷",), "lamp": ("灯",)},
        "MOD": {"at the station": ("车站 里",), "he liked": ("他 喜欢",)},
    },
    frozenset({"顶", "盏", "的"}),
)


@pytest.mark.parametrize(
    ("compound", "hypothesis", "right"),
    [
        ("in the red tent", "彼得 在 那 顶 红 帐篷 里 睡着了 。", True),
        ("in the red tent", "彼得 在 那 顶 红 的 帐篷 里 睡着了 。", True),
        ("in the red tent", "彼得 在 那 顶 大 帐篷 里 睡着了 。", False),
        ("in the red tent", "彼得 在 那 顶 红 帐篷 后面 睡着了 。", False),
        ("in the red tent", "彼得 那 顶 红 帐篷 里 睡着了 。", False),
        ("in the tent at the station", "在 车站 里 的 那 顶 帐篷 里", True),
        ("in the tent at the station", "在 车站 里 的 那 顶 帐篷 后面", False),
        ("in the tent at the station", "在 那 顶 帐篷 里 车站 里", False),
        ("hid the lamp he liked", "把 他 喜欢 的 那 盏 灯 藏了起来", True),
        ("hid the lamp he liked", "把 那 盏 灯 藏了起来 他 喜欢", False),
        ("hid the lamp", "藏了起来 那 盏 灯", False),
        ("found the lamp", "找到了 那 盏 灯", True),
        ("found the lamp", "那 盏 灯 找到了", False),
        # The adjective is there, but with another noun.
        ("the red tent", "那 顶 红 灯 看见了 那 顶 帐篷", False),
        ("the red tent", "", False),
    ],
)
def test_with_fillers_a_compound_stands_together_around_its_noun(compound: str, hypothesis: str, right: bool) -> None:
    assert translates(LEXICON, compound, hypothesis) is right


def test_the_published_rule_looks_for_the_first_part_of_a_preposition() -> None:
    asked = LEXICON, "peter slept in the tent .", "in the tent"
    assert published_correct(*asked, "彼得 在 那 顶 帐篷 里 睡着了 。")
    assert published_correct(*asked, "彼得 在 那 顶 帐篷 后面 睡着了 。")
    assert not published_correct(*asked, "彼得 把 那 顶 帐篷 藏了起来 。")


# --- words ----------------------------------------------------------------------------------


def test_a_text_is_cut_into_as_few_words_as_possible() -> None:
    cut = DictionarySegmenter(["那", "帐篷", "后面", "大", "大家", "家门", "门"])
    assert cut("那帐篷后面") == "那 帐篷 后面"
    assert cut("大家门") == "大家 门"
    assert cut("x那 帐 篷") == "x 那 帐 篷"
    assert cut("") == ""


def test_a_lexicon_is_cut_as_the_texts_are() -> None:
    characters = segmentation("characters").cut
    cut = LEXICON.segmented(characters)
    assert cut.entries["N"]["tent"] == ("帐 篷",)
    assert cut.entries["P"]["in"] == ("在 … 里",)
    assert translates(cut, "in the red tent", characters("他在那顶红帐篷里睡着了。"))
    assert LEXICON.segmented(segmentation("spaces").cut) == LEXICON


@pytest.mark.slow
def test_jieba_is_named_with_its_version_and_missed_where_it_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jieba")
    name, cut = segmentation("jieba")
    assert cut("我来到北京清华大学") == "我 来到 北京 清华大学"
    assert name.startswith("jieba-0.")
    monkeypatch.setitem(sys.modules, "jieba", None)
    with pytest.raises(ImportError):
        segmentation("jieba")


# --- a dataset ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """1,000 training sentences, and of each pattern a compound in five contexts."""
    root = tmp_path_factory.mktemp("cognition")
    sizes = ["--set", "train_size=1000", "--set", "compounds=1", "--set", "shown=1"]
    assert run(["compile", str(GRAMMAR), "--out", str(root / "out"), *sizes]) == OK
    return root / "out"


@pytest.fixture
def gold(dataset: Path) -> list[str]:
    rows = (dataset / "data" / "gen.tsv").read_text("utf-8").splitlines()
    return [row.split("\t")[1] for row in rows]


def rates(work: Workplace, *arguments: str) -> dict[tuple[str, str], Any]:
    assert run(["eval", *arguments, "--json", "r.json"]) == OK
    found = json.loads((work.directory / "r.json").read_text("utf-8"))["compounds"]
    return {(entry["system"], entry["kind"]): entry for entry in found["rates"]}


@pytest.mark.acceptance
def test_every_item_of_a_compiled_dataset_has_its_compound(dataset: Path) -> None:
    table = json.loads((dataset / "compounds.json").read_text("utf-8"))
    assert table["left_out"] == {}
    rows = (dataset / "data" / "gen.tsv").read_text("utf-8").splitlines()
    names = [f"gen-{n:06d}" for n in range(1, len(rows) + 1)]
    assert list(dict.fromkeys(item["id"] for item in table["items"])) == names
    for item in table["items"]:
        source, target, category = rows[int(item["id"][-6:]) - 1].split("\t")
        assert item["pattern"] == category
        assert item["compound"].lower() in source.lower()
        assert item["translation"].replace(" ", "") in target
    manifest = json.loads((dataset / "manifest.json").read_text("utf-8"))
    assert "compounds.json" in {file["path"] for file in manifest["files"]}
    # The instances of the sampler are the compounds of the paper.
    counted = Counter(item["compound"] for item in table["items"])
    strata = manifest["splits"]["gen"]["strata"]
    assert counted == {name: 5 for stratum in strata for name in stratum["shares"]}
    assert len(counted) == len(strata) == 12
    assert run(["verify", str(dataset)]) == OK


@pytest.mark.slow
def test_gold_texts_have_no_wrong_compound_and_a_wrong_adjective_is_one(
    work: Workplace, dataset: Path, gold: list[str]
) -> None:
    items = json.loads((dataset / "compounds.json").read_text("utf-8"))["items"]
    chosen = next(item for item in items if item["pattern"] == "np_adj")
    place = int(chosen["id"][-6:]) - 1
    adjectives = "小红脏大白黑"
    phrase = chosen["translation"].replace(" ", "")
    old = next((a for a in adjectives if a in phrase), None)
    if old is None:
        old, new = next(a for a in ("奇怪", "孤独", "美丽", "有名") if a in phrase), "安静"
    else:
        new = "黑" if old != "黑" else "红"
    wrong = gold.copy()
    wrong[place] = gold[place].replace(phrase, phrase.replace(old, new))
    work.write("out.txt", "\n".join(wrong) + "\n")
    found = rates(work, str(dataset), "out.txt")
    same = sum(item["compound"] == chosen["compound"] for item in items)
    assert found["gold", "all"]["wrong"] == 0
    assert found["out", "all"]["wrong"] == 1 <= same
    assert found["out", "all"]["wrong_compounds"] == 1
    assert found["out", "np_adj"]["wrong"] == found["out", "NP"]["wrong"] == 1
    assert found["out", "VP"]["wrong"] == found["out", "PP"]["wrong"] == 0


@pytest.mark.acceptance
def test_a_segmenter_is_named_in_the_signatures_and_leaves_compounds_as_they_are(
    work: Workplace, dataset: Path, gold: list[str]
) -> None:
    pytest.importorskip("jieba")
    work.write("out.txt", "\n".join(gold) + "\n")
    for how, name in (("jieba", "|seg:jieba-"), ("words", "|seg:words")):
        found = rates(work, str(dataset), "out.txt", "--segment", how)
        assert found["gold", "all"]["wrong"] == 0
        result = json.loads((work.directory / "r.json").read_text("utf-8"))
        assert all(name in text for text in result["signatures"].values())


@pytest.mark.acceptance
def test_a_split_without_compounds_can_be_cut_with_the_words_of_its_dataset(work: Workplace, dataset: Path) -> None:
    rows = (dataset / "data" / "test.tsv").read_text("utf-8").splitlines()
    work.write("out.txt", "".join(row.split("\t")[1] + "\n" for row in rows))
    asked = ["eval", str(dataset), "out.txt", "--split", "test", "--segment", "words"]
    assert run([*asked, "--json", "r.json"]) == OK
    result = json.loads((work.directory / "r.json").read_text("utf-8"))
    assert result["signatures"]["bleu"].endswith("|seg:words")
    assert "compounds" not in result


@pytest.mark.slow
def test_compounds_without_a_known_shape_are_counted_where_their_pattern_is(work: Workplace, dataset: Path) -> None:
    for path in ("manifest.json", "data/gen.tsv", "data/test.tsv"):
        work.write(f"data/{path}", (dataset / path).read_bytes())
    table = json.loads((dataset / "compounds.json").read_text("utf-8"))
    work.write("data/compounds.json", json.dumps(table | {"items": [], "left_out": {"np": 3}}))
    for split, words in (("gen", "the error rate of 3 compounds"), ("test", "")):
        rows = (dataset / "data" / f"{split}.tsv").read_text("utf-8").splitlines()
        work.write("out.txt", "".join(row.split("\t")[1] + "\n" for row in rows))
        assert run(["eval", "data", "out.txt", "--split", split]) == OK
        shown = work.capsys.readouterr()
        assert words in shown.err
        assert ("error rate of" in shown.err) == bool(words)
        assert "compounds, whole words" not in shown.out


@pytest.mark.slow
def test_a_segmenter_that_is_not_there_is_an_error(
    work: Workplace, dataset: Path, gold: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    work.write("out.txt", "\n".join(gold) + "\n")
    monkeypatch.setattr("sgl.research.analyse.command.find_spec", lambda name: None if name == "jieba" else 1)
    assert run(["eval", str(dataset), "out.txt", "--segment", "jieba"]) == FAILED
    said = work.capsys.readouterr().err
    assert "error[SGL0904]: no jieba" in said
    assert "pip install 'sgl-compiler[zh]'" in said
    rows = str(dataset / "data" / "gen.tsv")
    assert run(["eval", rows, "out.txt", "--segment", "words"]) == FAILED
    assert "error[SGL1406]" in work.capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        '{"target": "zh"}',
        '{"target": "zh", "lexicon": {"X": {}}}',
        '{"target": "zh", "lexicon": {}, "fillers": [], "items": [{"id": []}]}',
        b"\xff",
    ],
)
def test_a_table_of_compounds_that_is_none_is_an_error(
    content: str | bytes, work: Workplace, dataset: Path, gold: list[str]
) -> None:
    for name in ("manifest.json", "data/gen.tsv"):
        work.write(f"data/{name}", (dataset / name).read_bytes())
    work.write("data/compounds.json", content)
    work.write("out.txt", "\n".join(gold) + "\n")
    assert run(["eval", "data", "out.txt"]) == OUTPUT
    assert "error[SGL1102]" in work.capsys.readouterr().err
