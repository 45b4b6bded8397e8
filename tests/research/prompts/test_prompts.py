"""``sglc prompts``: what is chosen, what is claimed of it, and what a forged claim is told."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from graph_search import definition, graphs, structure_texts
from hypothesis import HealthCheck, given, settings
from random_datasets import random_grammar

import sgl
from sgl.cli.main import FAILED, OK, OUTPUT, USAGE, run
from sgl.research.prompts.check import contains
from sgl.research.prompts.write import PROOF
from sgl.verify.conllu import Sentence, TokenTable, read_sentences
from sgl.verify.structure import read_structure

FARM = Path(__file__).parents[3] / "docs" / "examples" / "farm.sgl"


@pytest.fixture(scope="module")
def farm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sgl.load(FARM).compile(tmp_path_factory.mktemp("farm") / "data").directory


def made(dataset: Path, out: Path, **options: object) -> dict[str, Any]:
    sgl.prompts(dataset, out, **options)
    found: dict[str, Any] = json.loads((out / PROOF).read_text("utf-8"))
    return found


def test_what_the_command_says_of_the_farm(farm: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prompts", str(farm), "--shots", "1"]) == OK
    assert capsys.readouterr().out.splitlines() == GOLDEN
    assert run(["prompts", str(farm), "--select", "random", "--shots", "2", "--items", "50", "--json"]) == OK
    (row,) = json.loads(capsys.readouterr().out)["summary"]
    assert (row["pattern"], row["prompts"], row["untrained"]) == ("pp_in_subject", 50, [])
    assert 0 <= row["complete"] < 0.2


GOLDEN = [
    "pattern        prompts  all shown  of training  parts  missing  most often missing",
    "pp_in_subject      200     56.5 %       56.5 %   16.1     0.47  word horse (14)",
    "1 shot each, covering, seed 1",
]


def test_few_shots_that_cover_show_more_than_others(farm: Path) -> None:
    missing = {
        select: sgl.prompts(farm, shots=3, select=select).data["summary"][0]["missing"]
        for select in ("covering", "similar", "diverse", "random")
    }
    assert missing["covering"] == 0 < min(missing["similar"], missing["diverse"], missing["random"])
    assert missing["similar"] < missing["random"]


def test_prompts_are_a_function_of_their_options(farm: Path, tmp_path: Path) -> None:
    def files(name: str, **options: object) -> dict[str, bytes]:
        made(farm, tmp_path / name, shots=2, items=20, select="random", forms=["chat", "text"], **options)
        return {path.name: path.read_bytes() for path in sorted((tmp_path / name).rglob("*")) if path.is_file()}

    one, same, other = files("one"), files("same"), files("other", seed=2)
    assert one == same
    assert one.keys() >= {"prompts.jsonl", "chat.jsonl", "gold.tsv", PROOF}
    assert len(one) == 24
    assert one["prompts.jsonl"] != other["prompts.jsonl"]


def test_a_prompt_reads_as_the_rows_of_the_dataset(farm: Path, tmp_path: Path) -> None:
    made(farm, tmp_path / "p", shots=1, items=1, forms=["chat", "text"], instruction="Say it in Japanese.", model="m")
    (line,) = (tmp_path / "p" / "prompts.jsonl").read_text("utf-8").splitlines()
    prompt = json.loads(line)
    rows = [row.split("\t") for row in (farm / "data" / "train.tsv").read_text("utf-8").splitlines()]
    source, target, _ = rows[int(prompt["shots"][0].removeprefix("train-")) - 1]
    gold = (farm / "data" / "gen.tsv").read_text("utf-8").splitlines()[int(prompt["id"].removeprefix("gen-")) - 1]
    question, answer, _ = gold.split("\t")
    text = f"Say it in Japanese.\n\nInput: {source}\nOutput: {target}\n\nInput: {question}\nOutput:"
    assert prompt["text"] == text == (tmp_path / "p" / "text" / f"{prompt['id']}.txt").read_text("utf-8")
    chat = json.loads((tmp_path / "p" / "chat.jsonl").read_text("utf-8"))
    assert (chat["custom_id"], chat["body"]["model"]) == (prompt["id"], "m")
    assert [turn["content"] for turn in chat["body"]["messages"]] == ["Say it in Japanese.", source, target, question]
    assert (tmp_path / "p" / "gold.tsv").read_text("utf-8") == f"{prompt['id']}\t{answer}\n"


def test_the_right_answers_are_predictions(farm: Path, tmp_path: Path) -> None:
    made(farm, tmp_path / "p", items=10)
    scores = sgl.evaluate(farm, {"gold": str(tmp_path / "p" / "gold.tsv")}, missing="left-out", samples=100)
    assert scores.flat("gold")["exact"] == 1


def test_no_shots_is_a_prompt(farm: Path, tmp_path: Path) -> None:
    proof = made(farm, tmp_path / "p", select="none", items=5)
    assert (proof["shots"], [prompt["shots"] for prompt in proof["prompts"]]) == (0, [[]] * 5)
    assert run(["prompts", str(farm), "--verify", str(tmp_path / "p")]) == OK


def test_a_control_shows_what_is_held_out(farm: Path, tmp_path: Path) -> None:
    """The same questions, each with a shot that has the structure: another item, and training sentences."""
    proof = made(farm, tmp_path / "p", control=True, items=20, shots=4)
    assert [prompt["id"] for prompt in proof["prompts"]] == [
        prompt["id"] for prompt in made(farm, tmp_path / "q", items=20, shots=4)["prompts"]
    ]
    (pattern,) = json.loads((farm / "manifest.json").read_text("utf-8"))["patterns"]
    (held_out,) = pattern["forbid"]
    for prompt in proof["prompts"]:
        assert prompt["shown"][held_out].startswith("gen-")
        assert prompt["id"] not in prompt["shots"]
    assert run(["prompts", str(farm), "--verify", str(tmp_path / "p")]) == OK


def factors(out: Path) -> dict[str, float]:
    lines = (out / "prompts.jsonl").read_text("utf-8").splitlines()
    found = [json.loads(line)["factors"] for line in lines]
    return {name: sum(each[name] for each in found) / len(found) for name in found[0]}


def test_factors_are_chosen_and_recorded(farm: Path, tmp_path: Path) -> None:
    def of(name: str, **options: object) -> dict[str, float]:
        made(farm, tmp_path / name, items=20, shots=6, **options)
        assert run(["prompts", str(farm), "--verify", str(tmp_path / name)]) == OK
        return factors(tmp_path / name)

    plain, similar, diverse = of("plain"), of("similar", select="similar"), of("diverse", select="diverse")
    assert diverse["similarity"] < similar["similarity"]
    assert similar["diversity"] < diverse["diversity"]
    assert of("often", exposures=3)["exposures"] > plain["exposures"]
    assert (
        of("short", complexity="short")["complexity"]
        < plain["complexity"]
        < of("long", complexity="long")["complexity"]
    )


def test_shots_can_stand_in_the_order_of_their_choice(farm: Path, tmp_path: Path) -> None:
    first, last, mixed = (
        [prompt["shots"] for prompt in made(farm, tmp_path / order, items=20, shots=5, order=order)["prompts"]]
        for order in ("best-first", "best-last", "random")
    )
    assert first == [shots[::-1] for shots in last]
    assert list(map(sorted, first)) == list(map(sorted, mixed))
    assert first != mixed


# What a second program says of prompts -----------------------------------------------------------------------------


@settings(max_examples=500, suppress_health_check=[HealthCheck.too_slow])
@given(structure_texts(), graphs())
def test_the_search_of_the_check_is_the_definition(text: str, graph: Sentence) -> None:
    structure = read_structure(text)
    assert contains(graph, structure) == definition(structure, graph)


def plain_files(dataset: Path, split: str) -> Iterator[tuple[str, Sentence, set[str]]]:
    """The sentence, graph, words and rules of each row, read from the files by nothing of the command."""
    core = json.loads((dataset / "certificate.json").read_text("utf-8"))["core"]["grammar"]["rules"]
    graphs = read_sentences(dataset / "conllu" / f"{split}.conllu", TokenTable())
    lines = (dataset / "derivations" / f"{split}.tsv").read_text("utf-8").splitlines()
    sources = (dataset / "data" / f"{split}.tsv").read_text("utf-8").splitlines()
    for source, line, graph in zip(sources, lines, graphs, strict=True):
        assert isinstance(graph, Sentence)
        rules = [core[int(number)] for number in line.split("\t")[1].split()]
        words = {f"word {word.get('lemma')}" for word in graph.words if word.get("lemma")}
        yield source.split("\t")[0], graph, words | {f"rule {rule['name']}" for rule in rules if rule["rhs"]}


def differences(dataset: Path, proof: dict[str, Any]) -> Iterator[str]:
    """What the definition of a proved prompt says otherwise."""
    train = list(plain_files(dataset, "train"))
    rows = [*train, *plain_files(dataset, "gen")]
    lines = (dataset / "data" / "gen.tsv").read_text("utf-8").splitlines()
    pattern_of = {number: line.split("\t")[2] for number, line in enumerate(lines, len(train))}
    manifest = json.loads((dataset / "manifest.json").read_text("utf-8"))
    held_out = {each["name"]: [*each["forbid"], *each["never"]] for each in manifest["patterns"]}

    @cache
    def shows(number: int, part: str) -> bool:
        _, graph, parts = rows[number]
        return part in parts if part[0] != "{" else definition(read_structure(part), graph)

    def place(name: str) -> int:
        split, number = name.split("-")
        return int(number) - 1 + (len(train) if split == "gen" else 0)

    for prompt in proof["prompts"]:
        item, shots = place(prompt["id"]), list(map(place, prompt["shots"]))
        source, _, parts = rows[item]
        own = held_out[prompt["pattern"]]
        has = {text for text in own if shows(item, text)}
        named = {*prompt["shown"], *prompt["missing"]}
        wrong = {
            "a shot has what is held out, or no shot of a control has": proof["control"]
            != any(shows(shot, text) for shot, text in product(shots, own)),
            "a shot is the item": any(rows[shot][0].casefold() == source.casefold() for shot in shots),
            "a shot is an item of another pattern": {pattern_of.get(n, prompt["pattern"]) for n in shots}
            != {prompt["pattern"]},
            "what is held out is a part, or no part of a control": named & has != (has if proof["control"] else set()),
            "other words and rules": {part for part in named if part[0] != "{"} != parts,
            "other parts are shown": {part for part in named if any(shows(shot, part) for shot in shots)}
            != prompt["shown"].keys(),
            "training shows other parts": {
                part for part in named - has if not any(shows(n, part) for n in range(len(train)))
            }
            != {*prompt["untrained"]},
        }
        yield from (f"{prompt['id']}: {message}" for message, is_wrong in wrong.items() if is_wrong)


#: How shots are selected, how many, and whether they are those of a control.
KINDS = [*product(("covering", "similar", "diverse", "random"), (1, 3, 6), (False,)), ("covering", 2, True)]


@pytest.mark.parametrize(
    ("seed", "kinds"), [(0, KINDS[::4]), *(pytest.param(seed, KINDS, marks=pytest.mark.slow) for seed in range(16))]
)
def test_prompts_of_random_grammars_are_what_the_definition_says(
    seed: int, kinds: list[tuple[str, int, bool]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = sgl.loads(random_grammar(seed)).compile(tmp_path / "data").directory
    number = 0
    for select, shots, control in kinds:
        out = tmp_path / f"{select}{shots}{control}"
        proof = made(data, out, select=select, shots=shots, control=control, exposures=1 + shots % 2)
        assert list(differences(data, proof)) == []
        assert run(["prompts", str(data), "--verify", str(out)]) == OK
        number += len(proof["prompts"])
    assert number >= 75 * len(kinds)
    assert "each is what its certificate says" in capsys.readouterr().out


# What is forged ----------------------------------------------------------------------------------------------------

Forgery = Callable[[Path, dict[str, Any]], None]


#: The number of the prompt that is forged.
FORGED = [0]


def prompt_of(proof: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = proof["prompts"][FORGED[0]]
    return found


def swap_items(_: Path, proof: dict[str, Any]) -> None:
    one, other = proof["prompts"][:2]
    one["id"], other["id"] = other["id"], one["id"]


def say_another_pattern(_: Path, proof: dict[str, Any]) -> None:
    prompt_of(proof)["pattern"] = "in_distribution"


def claim_a_part_of_another_shot(_: Path, proof: dict[str, Any]) -> None:
    prompt = prompt_of(proof)
    word = next(part for part in prompt["shown"] if part.startswith("word ") and part[5:] not in ("the", "a", "."))
    shots = [shot for shot in prompt["shots"] if shot != prompt["shown"][word]]
    prompt["shown"][word] = shots[-1]


def hide_a_word(_: Path, proof: dict[str, Any]) -> None:
    prompt_of(proof)["shown"].pop("word near")


def hide_a_piece(_: Path, proof: dict[str, Any]) -> None:
    prompt_of(proof)["shown"].pop("{ V -[nsubj]-> N }")


def weaken_a_piece(_: Path, proof: dict[str, Any]) -> None:
    shown = prompt_of(proof)["shown"]
    shown["{ V -[nsubj|obj]-> N }"] = shown.pop("{ V -[nsubj]-> N }")


def invent_a_part(_: Path, proof: dict[str, Any]) -> None:
    prompt_of(proof)["shown"]["rule unheard"] = prompt_of(proof)["shots"][0]


def name_what_is_no_structure(_: Path, proof: dict[str, Any]) -> None:
    prompt_of(proof)["shown"]["{ nothing"] = prompt_of(proof)["shots"][0]


def name_a_foreign_structure(_: Path, proof: dict[str, Any]) -> None:
    prompt_of(proof)["missing"].append("{ length nowhere >= 3 }")


def call_a_shown_part_missing(_: Path, proof: dict[str, Any]) -> None:
    prompt = prompt_of(proof)
    prompt["shown"].pop("word near")
    prompt["missing"].append("word near")


def blame_training(_: Path, proof: dict[str, Any]) -> None:
    prompt = proof["prompts"][1]
    prompt["untrained"] = ["word near"]


def leave_out_a_prompt(_: Path, proof: dict[str, Any]) -> None:
    proof["prompts"].pop()


def say_there_are_fewer_items(_: Path, proof: dict[str, Any]) -> None:
    proof["of"] = {"pp_in_subject": 199}


def say_that_fewer_were_asked_for(_: Path, proof: dict[str, Any]) -> None:
    proof["prompts"].pop(next(n for n, prompt in enumerate(proof["prompts"]) if prompt["id"] == FIRST))
    proof["items"] = 199


def call_it_a_control(_: Path, proof: dict[str, Any]) -> None:
    proof["control"] = True


#: The item of the farm with the smallest hash, which is the first that is taken if fewer are asked for.
FIRST = min((f"gen-{n:06}" for n in range(1, 201)), key=lambda name: sha256(f"1/{name}".encode()).digest())


def leave_out_a_shot(_: Path, proof: dict[str, Any]) -> None:
    prompt = prompt_of(proof)
    prompt["shots"].pop(next(n for n, s in enumerate(prompt["shots"]) if s not in prompt["shown"].values()))


def repeat_a_shot(_: Path, proof: dict[str, Any]) -> None:
    prompt = prompt_of(proof)
    spare = next(n for n, s in enumerate(prompt["shots"]) if s not in prompt["shown"].values())
    prompt["shots"][spare] = prompt["shots"][spare - 1]


def show_an_item(_: Path, proof: dict[str, Any]) -> None:
    prompt_of(proof)["shots"][0] = "gen-000007"


def use_another_dataset(_: Path, proof: dict[str, Any]) -> None:
    proof["dataset"] = proof["dataset"][:-1] + "x"


def prompt_an_item_twice(_: Path, proof: dict[str, Any]) -> None:
    proof["prompts"].append(prompt_of(proof))


def change(name: str) -> Forgery:
    def forge(out: Path, _: dict[str, Any]) -> None:
        text = (out / name).read_text("utf-8")
        assert "近く" in text or "near" in text
        (out / name).write_text(text.replace("近く", "遠く", 1).replace("near", "under", 1), "utf-8")

    return forge


def lose_a_file(out: Path, _: dict[str, Any]) -> None:
    (out / "gold.tsv").unlink()


FORGERIES: dict[str, tuple[Forgery, str]] = {
    "two items are swapped": (swap_items, "is a part that the item"),
    "another pattern": (say_another_pattern, "the item belongs to `pp_in_subject`"),
    "a part is in another shot": (claim_a_part_of_another_shot, "is not in the shot train-"),
    "a word is not named": (hide_a_word, "`word near` is a part that the item needs, and is not named"),
    "a piece is not named": (hide_a_piece, "the pieces are not those"),
    "a weaker piece": (weaken_a_piece, "the pieces are not those"),
    "a part that is none": (invent_a_part, "`rule unheard` is a part that the item does not need"),
    "no structure": (name_what_is_no_structure, "a part is not a structure: "),
    "a foreign structure": (name_a_foreign_structure, "the pieces are not those"),
    "a shown part is missing": (call_a_shown_part_missing, "`word near` is said to be missing, and a shot shows it"),
    "training is blamed": (blame_training, "a part is said to be missing in training, and not in the prompt"),
    "a shot less": (leave_out_a_shot, "it has 3 different shots, not 4"),
    "a shot twice": (repeat_a_shot, "it has 3 different shots, not 4"),
    "an item as a shot": (show_an_item, "`gen-000007` is not a training sentence"),
    "another dataset": (use_another_dataset, "the prompts were made of another dataset"),
    "a second prompt": (prompt_an_item_twice, "it is not an item, or it has two prompts"),
    "a prompt less": (leave_out_a_prompt, "1 of 200 items of `pp_in_subject` have no prompt"),
    "an item less": (say_there_are_fewer_items, "the numbers of items are not those of the dataset"),
    "the first item less": (say_that_fewer_were_asked_for, "1 of 199 items of `pp_in_subject` have no prompt"),
    "no control": (call_it_a_control, "no shot of the control has what the item's pattern holds out"),
    "another text": (change("prompts.jsonl"), "prompts.jsonl: the text is not what"),
    "another answer": (change("gold.tsv"), "gold.tsv: the text is not what"),
    "another chat": (change("chat.jsonl"), "chat.jsonl: the text is not what"),
    "another text file": (change("text/gen-000001.txt"), "text/gen-000001.txt: the text"),
    "a file is gone": (lose_a_file, "gold.tsv`: No such file"),
}


@pytest.fixture(scope="module")
def proved(farm: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("proved") / "p"
    made(farm, out, shots=4, forms=["chat", "text"])
    return out


@pytest.mark.parametrize("name", FORGERIES)
def test_forged_prompts_are_refused(
    name: str, farm: Path, proved: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    forge, words = FORGERIES[name]
    out = tmp_path / "p"
    shutil.copytree(proved, out)
    assert run(["prompts", str(farm), "--verify", str(out)]) == OK
    proof = json.loads((out / PROOF).read_text("utf-8"))
    forge(out, proof)
    (out / PROOF).write_text(json.dumps(proof), "utf-8")
    assert run(["prompts", str(farm), "--verify", str(out)]) in (FAILED, OUTPUT)
    told = capsys.readouterr().err
    assert re.search(r"error\[SGL(1413|1102)\]", told)
    assert words in told


@pytest.mark.slow
@pytest.mark.parametrize("number", [1, 57, 100, 198])
def test_any_prompt_can_be_the_forged_one(
    number: int,
    farm: Path,
    proved: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(f"{__name__}.FORGED", [number])
    out = tmp_path / "p"
    shutil.copytree(proved, out)
    original = (out / PROOF).read_text("utf-8")
    # That a part is in another shot may be true of another prompt.
    for forge, words in FORGERIES.values():
        if "prompt_of" not in forge.__code__.co_names or forge is claim_a_part_of_another_shot:
            continue
        proof = json.loads(original)
        forge(out, proof)
        (out / PROOF).write_text(json.dumps(proof), "utf-8")
        assert run(["prompts", str(farm), "--verify", str(out)]) == FAILED
        assert words in capsys.readouterr().err


def leaky(dataset: Path, target: Path) -> Path:
    """The dataset with its first two items at the end of training, and signed again."""
    shutil.copytree(dataset, target)
    conllu, rows = "conllu/{}.conllu", ("data/{}.tsv", "derivations/{}.tsv")
    for name, end in ((conllu, "\n\n"), *((name, "\n") for name in rows)):
        items = (target / name.format("gen")).read_text("utf-8").split(end)[:2]
        with (target / name.format("train")).open("a", encoding="utf-8") as stream:
            stream.write("".join(item + end for item in items).replace("gen-000", "train-001"))
    manifest = json.loads((target / "manifest.json").read_text("utf-8"))
    for entry in manifest["files"]:
        entry["sha256"] = sha256((target / entry["path"]).read_bytes()).hexdigest()
    (target / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    names = [line.split("  ")[1] for line in (target / "SHA256SUMS").read_text("utf-8").splitlines()]
    sums = (f"{sha256((target / name).read_bytes()).hexdigest()}  {name}\n" for name in names)
    (target / "SHA256SUMS").write_text("".join(sums), "utf-8")
    return target


def test_a_shot_with_what_is_held_out_is_refused(
    farm: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """If training had such sentences they would be no shots, and a certificate that has one is forged."""
    data = leaky(farm, tmp_path / "data")
    for select in ("covering", "similar", "diverse"):
        proof = made(data, tmp_path / select, shots=2, select=select)
        assert not any({"train-001001", "train-001002"} & {*prompt["shots"]} for prompt in proof["prompts"])
    for shot, words in (
        ("train-001002", "contains what is held out: "),
        ("train-001001", "has the sentence of the item"),
    ):
        proof["prompts"][0]["shots"][0] = shot
        (tmp_path / "diverse" / PROOF).write_text(json.dumps(proof), "utf-8")
        assert run(["prompts", str(data), "--verify", str(tmp_path / "diverse")]) == FAILED
        assert f"gen-000001: the shot {shot} {words}" in capsys.readouterr().err


# What cannot be done -----------------------------------------------------------------------------------------------


def test_what_cannot_be_asked_for_is_named(farm: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def told(status: int, *arguments: object) -> str:
        assert run(["prompts", *map(str, arguments)]) == status
        return capsys.readouterr().err

    assert "no item belongs to a pattern `nope`" in told(USAGE, farm, "--pattern", "nope")
    assert "0 is not in the range" in told(USAGE, farm, "--shots", 0)
    assert "has no split `nope`" in told(FAILED, farm, "--split", "nope")
    assert "error[SGL1412]" in told(FAILED, farm / "data" / "gen.tsv")
    bare = tmp_path / "bare"
    shutil.copytree(farm, bare)
    (bare / "conllu" / "train.conllu").unlink()
    assert "conllu/train.conllu`: No such file" in told(OUTPUT, bare)
    other = tmp_path / "other"
    shutil.copytree(farm, other)
    (other / "conllu" / "train.conllu").write_bytes((farm / "conllu" / "train.conllu").read_bytes() + b"\n")
    assert "differ from its list" in told(FAILED, other)


def test_nothing_is_overwritten_unasked(farm: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "p"
    made(farm, out, shots=1, items=5)
    assert run(["prompts", str(farm), "--out", str(out)]) == OUTPUT
    assert run(["prompts", str(farm), "--out", str(out), "--items", "7", "--force"]) == OK
    assert len((out / "gold.tsv").read_text("utf-8").splitlines()) == 7
    (out / "notes.txt").write_text("mine", "utf-8")
    assert run(["prompts", str(farm), "--out", str(out), "--force"]) == OUTPUT
    assert run(["prompts", str(farm), "--out", str(farm), "--force"]) == OUTPUT
    assert (out / "notes.txt").read_text("utf-8") == "mine"
    assert "error[SGL0901]" in capsys.readouterr().err
