"""``sglc export unordered``: trees without their word order, as inputs of surface realization."""

import shutil
from pathlib import Path

from treebanks import conllu, example
from workplace import Workplace

from sgl.cli.main import FAILED, OK, run
from sgl.research.treebank import TreebankReader, TreebankSentence

EXAMPLE = Path(__file__).parents[3] / "docs" / "examples"


def trees(path: Path) -> list[TreebankSentence]:
    found = list(TreebankReader().read(path))
    assert all(isinstance(sentence, TreebankSentence) for sentence in found)
    return [sentence for sentence in found if isinstance(sentence, TreebankSentence)]


def edges(sentence: TreebankSentence) -> list[tuple[str, ...]]:
    """What a tree says apart from the order of its words and their forms."""
    lemmas = ["", *(word.lemma for word in sentence.words)]
    return sorted((w.lemma, w.upos, w.feats, w.deprel, lemmas[w.head]) for w in sentence.words)


def test_the_trees_of_a_grammar_are_the_inputs_of_a_task(work: Workplace) -> None:
    for path in EXAMPLE.glob("*.*"):
        shutil.copy(path, work.directory)
    assert run(["export", "conllu", "farm.sgl", "-n", "40", "-o", "gold.conllu"]) == OK
    assert run(["export", "unordered", "gold.conllu", "-o", "input.conllu"]) == OK
    gold, given = trees(work.directory / "gold.conllu"), trees(work.directory / "input.conllu")
    assert [edges(sentence) for sentence in gold] == [edges(sentence) for sentence in given]
    assert [sentence.comment("sent_id") for sentence in gold] == [sentence.comment("sent_id") for sentence in given]
    # Nothing tells the text: no comment, no form, and the order is another one.
    text = (work.directory / "input.conllu").read_text("utf-8")
    assert "# text" not in text
    assert all(word.form == word.lemma for sentence in given for word in sentence.words)
    orders = [[word.lemma for word in sentence.words] for sentence in given]
    assert sum(order == [w.lemma for w in sentence.words] for order, sentence in zip(orders, gold, strict=True)) < 4


def test_the_order_follows_from_the_seed(work: Workplace) -> None:
    work.write("gold.conllu", example("s1") + example("s2"))
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        assert run(["export", "unordered", "gold.conllu", "--seed", str(seed), "-o", f"{name}.conllu"]) == OK
    first, again, other = ((work.directory / f"{name}.conllu").read_text("utf-8") for name in "abc")
    assert first == again != other
    one, two = trees(work.directory / "a.conllu")
    assert [word.form for word in one.words] != [word.form for word in two.words]


def test_a_sentence_that_is_no_tree_is_named_and_the_others_are_written(work: Workplace) -> None:
    circle = conllu([("a", "a", "X", 2, "dep"), ("b", "b", "X", 1, "dep")])
    work.write("gold.conllu", circle + example())
    assert run(["export", "unordered", "gold.conllu", "-o", "input.conllu"]) == FAILED
    assert "error[SGL1501]: the sentence in line 1" in work.capsys.readouterr().err
    assert len(trees(work.directory / "input.conllu")) == 1
