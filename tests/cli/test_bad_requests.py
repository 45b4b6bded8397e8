"""Grammars that ask for too much, or for what there is not."""

from __future__ import annotations

import pytest
from diagnostics import BASE, MAIN, PIECES
from workplace import PATTERN, Workplace

from sgl.automata import StructureCompiler
from sgl.cli.main import FAILED, OK, run

# ---- grammars that ask for too much


def test_features_that_multiply_without_bounds(work: Workplace) -> None:
    values = " | ".join(f"v{n}" for n in range(20))
    features = "".join(f"feature f{n} = {values}\n" for n in range(8))
    carried = ", ".join(f"f{n}" for n in range(8))
    word = f'category X[{carried}]\nword X: "x"\n  ja ""\n  syn node(upos=X)\n'
    rule = "rule x: NP -> X\n"
    work.write(MAIN, BASE + features + word + rule)
    work.refuses(FAILED, "SGL0706", command=("check",))


def test_structures_that_repeat_without_bounds(work: Workplace) -> None:
    body = "N -[nmod]-> M"
    for _ in range(6):
        body = "repeat 40 N..M { " + body + " }"
    work.write(MAIN, BASE + f"\npattern p\n  forbid {{ {body} }}\n")
    work.refuses(FAILED, "SGL0801", "at most 400 edges", command=("check",))


@pytest.mark.parametrize(
    ("number", "code"),
    [
        ("-1", "SGL0705"),
        ("0.5", "SGL0705"),
        ("9" * 30, "SGL0705"),
        ("9" * 400, "SGL0705"),
        ("nan", "SGL0201"),
        ("inf", "SGL0201"),
        ("１０", "SGL0101"),
        ("1e9", "SGL0101"),
        ("0", "SGL0804"),
    ],
)
def test_numbers_of_sentences(number: str, code: str, work: Workplace) -> None:
    work.write(MAIN, BASE.replace("train 20", f"train {number}"))
    said = work.refuses(FAILED, f"error[{code}]")
    assert said.count("error[") == 1


def test_clauses_that_contradict_one_another(work: Workplace) -> None:
    work.write(MAIN, BASE + PATTERN + "  exclude { P -[case]-> Q }\n")
    said = work.refuses(FAILED, "SGL0812", "no sentence can be an item of `p`")
    assert said.count("error[") == 1


def test_training_of_which_nothing_is_left(work: Workplace) -> None:
    splits = BASE.replace("train 20", "train 20\n  dev 5\n  test 5")
    work.write(MAIN, splits + "\npattern p\n  forbid { V -[nsubj]-> N }\n  size 10\n")
    said = work.refuses(FAILED, "SGL0812", "no sentence is left for `train`, `dev` and `test`")
    assert said.count("error[") == 1


def test_a_number_where_the_dataset_wants_a_category(work: Workplace) -> None:
    work.write(MAIN, BASE.replace("  train 20", "  from 5\n  train 20"))
    work.refuses(FAILED, "SGL0201", "`from` takes a name, not a number")


EDGES = "; ".join(f"{a} -[*]-> {b}" for a, b in ("AB", "CD", "EF", "GH", "IJ", "KL"))
COSTLY = f"\npattern p\n  forbid {{ {EDGES} }}\n"


@pytest.mark.parametrize("command", [("sample", "p"), ("prove",), ("check",)])
def test_a_structure_that_is_too_large_to_decide(
    command: tuple[str, ...], work: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(StructureCompiler.__init__, "__defaults__", (100,))
    work.write(MAIN, BASE + COSTLY + '  size 5\n  gen like "The dog near the cat near the dog saw the cat."\n')
    said = work.refuses(FAILED, "SGL0810", "farm.sgl:", "forbid { A -[*]-> B", command=command)
    assert said.count("error[") == 1


@pytest.mark.parametrize(("asks", "marked"), [("train 4000", "train 4000"), ("train 4\n  dev 4000", "dev 4000")])
def test_a_split_that_is_too_large_is_marked(asks: str, marked: str, work: Workplace) -> None:
    finite = BASE.replace(PIECES["pp"], "").replace(PIECES["rc"], "")
    finite = finite.replace("category PP\n", "").replace("category RC with gap\n", "")
    work.write(MAIN, finite.replace("train 20", f"{asks}\n  distinct sentences"))
    said = work.refuses(FAILED, "SGL0809")
    assert f"|   {marked}\n" in said


def test_items_that_do_not_exist_are_marked_where_they_are_asked_for(work: Workplace) -> None:
    finite = BASE.replace(PIECES["rc"], "").replace("category RC with gap\n", "")
    finite = finite.replace("S -> NP VP", "S -> N VP").replace('ja  NP "が" VP', 'ja  N "が" VP')
    finite = finite.replace("VP -[nsubj]-> NP", "VP -[nsubj]-> N")
    finite = finite.replace("train 20", "train 4\n  distinct sentences")
    deep = "pattern p\n  forbid { N -[nmod]-> M }\n  exclude { N -[nmod]{2}-> M }\n"
    work.write(MAIN, f"{finite}\n{deep}  size 1, 4000\n")
    said = work.refuses(FAILED, "SGL0853", "every item of `p` has a word that training never shows")
    assert "size 1, 4000\n" in said
    assert "^^^^\n" in said


@pytest.mark.parametrize(
    ("clause", "marked"), [("size 10000001", "10000001"), ("size 5\n  expose 10000001 { V -[obj]-> N }", "10000001")]
)
def test_counts_have_a_largest(clause: str, marked: str, work: Workplace) -> None:
    work.write(MAIN, BASE + f"\npattern p\n  forbid {{ V -[nsubj]-> N; N -[nmod]-> M }}\n  {clause}\n")
    said = work.refuses(FAILED, "SGL0705", "at most 10,000,000", command=("check",))
    assert marked in said
    assert said.count("error[") == 1


def test_splits_have_a_largest_size(work: Workplace) -> None:
    work.write(MAIN, BASE.replace("train 20", "train 20\n  dev 10000001"))
    said = work.refuses(FAILED, "SGL0705", "at most 10,000,000", command=("check",))
    assert said.count("error[") == 1


def test_an_assertion_that_holds_is_no_fault(work: Workplace) -> None:
    work.write(MAIN, BASE + "\npattern p\n  assert never { N -[det]-> D; D -[nmod]-> M }\n")
    assert run(["compile", MAIN]) == OK
    assert "warning" not in work.capsys.readouterr().err


@pytest.mark.parametrize("name", ["in_distribution", "exposure", "exposure_to_pp"])
def test_names_of_categories_of_training_are_taken(name: str, work: Workplace) -> None:
    work.write(MAIN, BASE + PATTERN.replace("pattern p", f"pattern {name}"))
    work.refuses(FAILED, "SGL0823", command=("check",))


def test_a_category_is_sampled_in_all_its_variants(work: Workplace) -> None:
    work.write(MAIN, BASE)
    assert run(["sample", MAIN, "V", "-n", "5", "--show", "en"]) == OK
    words = work.capsys.readouterr().out.split()
    assert sorted(words) in (sorted(["saw"] * 3 + ["sees"] * 2), sorted(["saw"] * 2 + ["sees"] * 3))


def test_more_sentences_than_the_language_has(work: Workplace) -> None:
    finite = BASE.replace(PIECES["pp"], "").replace(PIECES["rc"], "")
    finite = finite.replace("category PP\n", "").replace("category RC with gap\n", "")
    work.write(MAIN, finite.replace("train 20", "train 20\n  distinct sentences"))
    said = work.refuses(FAILED, "SGL0809", "cannot yield 20 sentences")
    assert said.count("error[") == 1
