"""Prompts with the grammar, judgements, programs and matched items: what they say, and what a second program finds."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from grammar_reader import Grammar
from random_datasets import random_grammar

import sgl
from sgl.cli.main import FAILED, OK, OUTPUT, USAGE, run
from sgl.research.prompts.derivable import Recognizer
from sgl.research.prompts.material import read_material
from sgl.research.prompts.write import PROOF

FARM = Path(__file__).parents[3] / "docs" / "examples" / "farm.sgl"
TASKS: dict[str, dict[str, Any]] = {
    "judge": {"task": "judge", "context": "needed", "forms": ["chat", "lm-eval"]},
    "matched": {"matched": True},
    "program": {"task": "program", "context": "grammar", "forms": ["chat", "text"]},
}


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sgl.load(FARM).compile(tmp_path_factory.mktemp("farm") / "data").directory


@pytest.fixture(scope="module")
def made(farm: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("tasks")
    for name, options in TASKS.items():
        sgl.prompts(farm, place / name, items=6, shots=2, **options)
    return place


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def table_of(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text("utf-8").splitlines()]


NOTATION = """
A grammar of the language. An input is a Text. Each rule says what a phrase consists of in the input, and behind => in \
the output. Quoted words are written as they stand; names are phrases that other rules make, or words of the tables. \
Features are in brackets: in one rule, the same letter has the same value, and a/b is a or b. capital(X) is X with a \
capital letter at its beginning.

Words of the input are separated by spaces; there is no space before ".".

Words of the output are joined.

- Text: capital(S[num=x]) "."  =>  S   (x = pl, sg)
- S[num=x]: NP1[num=x] V[num=x] NP2[num=y]  =>  NP1 "は" NP2 V   (x = pl, sg; y = pl, sg)
- S[num=sg]: NP[num=sg] V[num=sg]  =>  NP "も" V
- NP[num=x]: "the" N[num=x]  =>  N   (x = pl, sg)
- NP[num=x]: "the" Adj[age=y] N[num=x]  =>  Adj N   ((x, y) = (pl, new/old), (sg, old))

| Adj | output | age |
| --- | --- | --- |
| "old" | "古い" | old |
| "new" | "新しい" | new |

| N | output | num |
| --- | --- | --- |
| "dog" | "犬" | sg |
| "dogs" | "犬" | pl |
| "sheep" | "羊" | pl/sg |

| V | output | num |
| --- | --- | --- |
| "sees" | "見る" | sg |
| "see" | "見る" | pl |
"""

AGREEING = """
layer en : text (attach ".")
layer ja : text (join "")
layer syn : graph on en
feature num = sg | pl
feature age = old | new
category Text
category Adj[age]
category S[num]
category NP[num]
category V[num]
category N[num]
rule text: Text -> capital S "."
  ja S
  syn S -[punct]-> "."
rule clause: S[num=n] -> subj:NP[num=n] V[num=n] obj:NP
  ja subj "は" obj V
  syn V -[nsubj]-> subj; V -[obj]-> obj
rule alone: S[num=sg] -> NP[num=sg] V[num=sg]
  ja NP "も" V
  syn V -[nsubj]-> NP
rule noun: NP[num=n] -> "the" N[num=n]
  ja N
  syn N -[det]-> "the"
rule aged: NP[num=n] -> "the" Adj[age=old] N[num=n]
  ja Adj N
  syn N -[det]-> "the"; N -[amod]-> Adj
rule fresh: NP[num=pl] -> "the" Adj[age=new] N[num=pl]
  ja Adj N
  syn N -[det]-> "the"; N -[amod]-> Adj
word Adj[age=old]: "old"
  ja "古い"
  syn node(lemma=old)
word Adj[age=new]: "new"
  ja "新しい"
  syn node(lemma=new)
word N[num=sg]: "dog"
  ja "犬"
  syn node(lemma=dog)
word N[num=pl]: "dogs"
  ja "犬"
  syn node(lemma=dogs)
word N[num=sg]: "sheep"
  ja "羊"
  syn node(lemma=sheep)
word N[num=pl]: "sheep"
  ja "羊"
  syn node(lemma=sheep)
word V[num=sg]: "sees"
  ja "見る"
  syn node(lemma=sees)
word V[num=pl]: "see"
  ja "見る"
  syn node(lemma=see)
dataset
  from Text
  train 4
  seed 1
"""


# The grammar ---------------------------------------------------------------------------------------------------------


def context_of(path: Path) -> str:
    """The grammar in the first prompt of a directory."""
    text: str = rows_of(path / "prompts.jsonl")[0]["text"]
    return text[
        text.index("A grammar of") : text.index("\n\nInput:") if "\n\nInput:" in text else text.index("\n\nProgram:")
    ]


def test_the_notation_and_what_a_reader_makes_of_it(tmp_path: Path) -> None:
    data = sgl.loads(AGREEING).compile(tmp_path / "data").directory
    sgl.prompts(data, tmp_path / "p", select="none", context="grammar", split="train")
    assert context_of(tmp_path / "p") == NOTATION.strip()
    one = {"dog": "犬", "sheep": "羊", "old dog": "古い犬", "old sheep": "古い羊"}
    many = {"dogs": "犬", "sheep": "羊", "old dogs": "古い犬", "old sheep": "古い羊"}
    many |= {"new dogs": "新しい犬", "new sheep": "新しい羊"}
    subjects = [(en, ja, verb) for own, verb in ((one, "sees"), (many, "see")) for en, ja in own.items()]
    expected = {(f"The {en} sees .", f"{ja}も見る") for en, ja in one.items()}
    expected |= {
        (f"The {en} {verb} the {other} .", f"{ja}は{of}見る")
        for en, ja, verb in subjects
        for other, of in (one | many).items()
    }
    assert {(" ".join(en), "".join(ja)) for en, ja in Grammar(NOTATION).phrases(8)} == expected


@pytest.mark.parametrize("name", ["needed", "grammar"])
def test_a_reader_derives_every_item_from_the_grammar_in_its_prompt(name: str, farm: Path, tmp_path: Path) -> None:
    """No word and no rule that an item needs is left out."""
    sgl.prompts(farm, tmp_path / "p", context=name, shots=1, items=4)
    gold = dict(table_of(tmp_path / "p" / "gold.tsv"))
    read = 0
    for row in rows_of(tmp_path / "p" / "prompts.jsonl"):
        question = row["text"].rpartition("Input: ")[2].partition("\n")[0].replace(".", " .").split()
        assert (row["text"].count('\n| "') == 15) == (name == "grammar")
        if name == "needed" and len(question) < 10:
            texts = Grammar(row["text"]).phrases(len(question))
            assert (tuple(question), gold[row["id"]]) in {(en, "".join(ja)) for en, ja in texts}
            read += 1
    assert read or name == "grammar"


# Strings that are not in the language --------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(1, 16))])
def test_a_second_program_derives_the_items_and_none_of_the_strings_beside_them(seed: int, tmp_path: Path) -> None:
    """By brute force: what the grammar in the prompt derives of at most seven words, all of it."""
    data = sgl.loads(random_grammar(seed)).compile(tmp_path / "data").directory
    sgl.prompts(data, tmp_path / "p", task="judge", context="grammar", shots=3)
    language = {" ".join(en) for (en,) in Grammar(context_of(tmp_path / "p")).phrases(7)}
    questions = [row for row in table_of(tmp_path / "p" / "questions.tsv") if row[0].count(" ") < 7]
    assert len(questions) > 40
    assert {answer == "yes" for _, answer, _ in questions} == {True, False}
    assert [text for text, answer, _ in questions if (text in language) != (answer == "yes")] == []
    shots = {tuple(pair) for row in rows_of(tmp_path / "p" / "prompts.jsonl") for pair in shots_of(row["text"])}
    assert [pair for pair in shots if pair[0].count(" ") < 7 and (pair[0] in language) != (pair[1] == "yes")] == []
    # The search of the check finds the same, in texts of all kinds.
    search, choose = Recognizer(read_material(data).core, "en"), Random(seed)  # noqa: S311
    words = sorted({word for text in language for word in text.split()})
    texts = [
        *choose.sample(sorted(language), 50),
        *(" ".join(choose.choices(words, k=choose.randint(1, 7))) for _ in range(200)),
    ]
    assert [text for text in texts if search.derives(text) != (text in language)] == []


def shots_of(text: str) -> list[tuple[str, ...]]:
    return re.findall(r"Input: (.*)\nOutput: (.*)", text)


def test_strings_have_the_length_and_the_pairs_of_words_of_their_items(made: Path) -> None:
    of: dict[str, list[dict[str, Any]]] = {}
    for row in rows_of(made / "judge" / "prompts.jsonl"):
        of.setdefault(row["item"], []).append(row)
    assert len(of) == 6
    for one, other in of.values():
        assert one["words"] == other["words"]
        assert one["strange"] == other["strange"]
        assert one["shots"] == other["shots"]
    kinds = {kind for *_, kind in table_of(made / "judge" / "questions.tsv")}
    assert kinds == {"pp_in_subject/yes", "pp_in_subject/edit", "pp_in_subject/join"}


def test_judgements_are_read_by_eval(made: Path) -> None:
    gold = dict(table_of(made / "judge" / "gold.tsv"))
    said = {name: f"**{answer.title()}**, for some reason.\nNothing more." for name, answer in gold.items()}
    scores = sgl.evaluate(made / "judge" / "questions.tsv", {"chat": said}, answer=("yes-no",), samples=100)
    assert scores.flat("chat")["exact"] == 1
    assert {"pp_in_subject/edit", "pp_in_subject/join"} < {row["name"] for row in scores.data["tables"]["patterns"]}


# Matched items -------------------------------------------------------------------------------------------------------


def test_a_matched_item_has_the_words_of_its_item_in_a_structure_of_training(farm: Path, made: Path) -> None:
    items = {f"gen-{n:06}": row for n, row in enumerate(table_of(farm / "data" / "gen.tsv"), 1)}
    train = {row[0] for row in table_of(farm / "data" / "train.tsv")}
    grammar, verbs = sgl.load(farm), {"chased", "helped", "saw", "called", "licked"}
    found = list(
        zip(rows_of(made / "matched" / "prompts.jsonl"), table_of(made / "matched" / "questions.tsv"), strict=True)
    )
    assert len(found) == 6
    for prompt, (source, target, pattern) in found:
        words, own = source.lower().split(), items[prompt["item"]][0].lower().split()
        assert sorted(word.strip(".") for word in words) == sorted(word.strip(".") for word in own)
        assert source not in train
        assert target in grammar.translate(source)
        # Training has no prepositional phrase before the verb.
        assert "near" not in words[: next(n for n, word in enumerate(words) if word in verbs)]
        assert (prompt["unshown"], pattern) == ([], "pp_in_subject")


# What is forged ------------------------------------------------------------------------------------------------------

Forgery = Callable[[Path, dict[str, Any]], None]
FIRST = "gen-000013"


def beside(*how: object, name: str = FIRST) -> Forgery:
    def forge(_: Path, proof: dict[str, Any]) -> None:
        proof["beside"][name] = [*how]

    return forge


def drop(_: Path, proof: dict[str, Any]) -> None:
    proof["beside"].pop(FIRST)


def option(name: str, value: object) -> Forgery:
    def forge(_: Path, proof: dict[str, Any]) -> None:
        assert proof[name] != value
        proof[name] = value

    return forge


def change(name: str, old: str, new: str) -> Forgery:
    def forge(out: Path, _: dict[str, Any]) -> None:
        text = (out / name).read_text("utf-8")
        assert old in text
        (out / name).write_text(text.replace(old, new, 1), "utf-8")

    return forge


def add(name: str) -> Forgery:
    def forge(out: Path, _: dict[str, Any]) -> None:
        (out / name).parent.mkdir(exist_ok=True)
        (out / name).write_text("{}\n", "utf-8")

    return forge


def pick_another_shot(_: Path, proof: dict[str, Any]) -> None:
    """A prompt of which everything is true, but its shots are not those that the options choose."""
    prompt, other = proof["prompts"][:2]
    assert prompt["pattern"] == other["pattern"]
    prompt["shots"].reverse()


FORGERIES: dict[str, list[tuple[Forgery, str]]] = {
    "judge": [
        # `The horse near the sheep near a hen chased the goat.`, with words in other places.
        (beside("word", 1, "dog"), "the grammar derives `The dog near the sheep"),
        (beside("word", 8, "saw"), "the grammar derives"),
        (beside("word", 1, "unicorn"), "is no way to make a string"),
        (beside("word", 0, "dog"), "is no way to make a string"),
        (beside("swap", 40), "is no way to make a string"),
        (beside("swap", -1), "is no way to make a string"),
        (beside("swap", True), "the text is not what"),
        (beside("turn", 1), "is no way to make a string"),
        (beside(), "is no way to make a string"),
        (beside("join", "train-000001", 1, "train-000002", 40), "is no way to make a string"),
        (beside("join", "gen-000001", 1, "gen-000002", 1), "is no way to make a string"),
        (beside("join", "train-000001", 2, "train-000001", 2), "is no way to make a string"),
        (beside("join", FIRST, 3, FIRST, 3), "is no way to make a string"),
        (beside("swap", 1, name="train-000999"), "is no item and no shot"),
        (beside("swap", 1), "the text is not what"),
        (drop, "the text is not what"),
        (change("questions.tsv", "\tno\t", "\tyes\t"), "questions.tsv: the text is not what"),
        (change("questions.tsv", "/join", "/edit"), "questions.tsv: the text is not what"),
        (change("gold.tsv", "\tyes", "\tno"), "gold.tsv: the text is not what"),
        (change("prompts.jsonl", "Output: yes", "Output: no"), "prompts.jsonl: the text is not what"),
        (change("prompts.jsonl", r"- PP: \"near\" NP\n", ""), "prompts.jsonl: the text is not what"),
        (change("chat.jsonl", r"- NP: Det N\n", ""), "chat.jsonl: the text is not what"),
        (change("data/pp_in_subject.jsonl", '"answers": ["no"]', '"answers": ["yes"]'), "the text is not what"),
        (option("task", "output"), "nothing stands beside these items"),
        (option("task", "guess"), "task"),
        (option("context", "none"), "the text is not what"),
        (option("context", "grammar"), "the text is not what"),
        (option("matched", True), "is no way to make a matched item"),
        (option("beside", {}), "the text is not what"),
        (add("data/more.jsonl"), "data/more.jsonl: the file is not one of these prompts"),
        (add("lm_eval/more.yaml"), "lm_eval/more.yaml: the file is not one of these prompts"),
        (add("messages.jsonl"), "messages.jsonl: the file is not one of these prompts"),
    ],
    "matched": [
        (beside("train-000001", 0), "is no way to make a matched item"),
        (beside("gen-000007", 0), "is no way to make a matched item"),
        (beside("train-000001"), "is no way to make a matched item"),
        (beside(FIRST, 2), "is no way to make a matched item"),
        (drop, "the text is not what"),
        (change("questions.tsv", "近く", "遠く"), "questions.tsv: the text is not what"),
        (option("matched", False), "nothing stands beside these items"),
        (pick_another_shot, "the text is not what"),
    ],
    "program": [
        (change("prompts.jsonl", r"| \"horse\" | \"馬\" |\n", ""), "prompts.jsonl: the text is not what"),
        (change("text/pp_in_subject.txt", "=>  PP N", "=>  N PP"), "the text is not what"),
        (option("task", "output"), "it is not an item, or it has two prompts"),
        (option("items", 5), "is a part that the item"),
        (option("select", "random"), "other shots, or other things"),
        (option("order", "best-first"), "other shots, or other things"),
        (option("exposures", 2), "other shots, or other things"),
    ],
}


@pytest.mark.parametrize(("task", "number"), [(task, n) for task, own in FORGERIES.items() for n in range(len(own))])
def test_forged_tasks_are_refused(
    task: str, number: int, farm: Path, made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    forge, words = FORGERIES[task][number]
    out = tmp_path / "p"
    shutil.copytree(made / task, out)
    proof = json.loads((out / PROOF).read_text("utf-8"))
    forge(out, proof)
    (out / PROOF).write_text(json.dumps(proof), "utf-8")
    assert run(["prompts", str(farm), "--verify", str(out)]) in (FAILED, OUTPUT)
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("task", TASKS)
def test_what_is_not_forged_is_accepted(task: str, farm: Path, made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prompts", str(farm), "--verify", str(made / task)]) == OK
    said = capsys.readouterr().out.splitlines()[1:]
    assert (
        said
        == {
            "judge": ["whether a string is in the language was established again by a search that is not the parser's"],
            "matched": [
                "matched items have the words of their items, and nothing that is held out",
                "that each has one reading was established by the parser alone",
            ],
            "program": [],
        }[task]
    )


def test_what_tasks_cannot_be_is_named(farm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--task", "judge", "--matched"], ["--task", "program", "--as", "lm-eval"]):
        assert run(["prompts", str(farm), *words]) == USAGE
    said = capsys.readouterr().err
    assert "`--matched` asks for outputs" in said
    assert "a harness would compare their text" in said
