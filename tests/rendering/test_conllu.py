"""Writing CoNLL-U and reading it back with the verifier's own reader."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toy import TOY

from sgl.core.grammar import CoreGrammar
from sgl.core.graph import Graph, GraphNode
from sgl.core.interpret import Item, interpret
from sgl.rendering import ConlluError, conllu
from sgl.verify.conllu import Malformed, Sentence, TokenTable, read_sentences


def node(position: int, **attributes: str) -> GraphNode:
    return GraphNode(tuple(sorted(attributes.items())), position)


def read(path: Path, text: str) -> list[Sentence | Malformed]:
    path.write_bytes(text.encode())
    return list(read_sentences(path, TokenTable()))


def rebuilt(sentence: Sentence, text: str) -> Graph:
    """The graph that was read, with the word under the root of the text."""
    nodes = tuple(GraphNode(word.attributes, at) for at, word in enumerate(sentence.words))
    (head,) = (int(line.split("\t")[0]) - 1 for line in text.splitlines() if "\t0\troot\t" in line)
    return Graph(nodes, sentence.edges, head)


WHAT_DID_SHE_SEE = Graph(
    (
        node(0, lemma="what", upos="PRON", PronType="Int"),
        node(1, lemma="do", upos="AUX", form="past"),
        node(2, lemma="she", upos="PRON", Person="3", Case="Nom"),
        node(3, lemma="see", upos="VERB", xpos="VB"),
        node(4, lemma="?", upos="PUNCT"),
    ),
    ((3, "aux", 1), (3, "nsubj", 2), (3, "punct", 4), (3, "~obj", 0)),
    3,
)

WRITTEN = """\
# sent_id = gen-000001
# category = wh_object
# text = What did she see?
# text_ja = 彼女は何を見たか。
1	What	what	PRON	_	PronType=Int	4	obj	4:obj	Extracted=Yes
2	did	do	AUX	_	_	4	aux	4:aux	form=past
3	she	she	PRON	_	Case=Nom|Person=3	4	nsubj	4:nsubj	_
4	see	see	VERB	VB	_	0	root	0:root	SpaceAfter=No
5	?	?	PUNCT	_	_	4	punct	4:punct	_

"""


def test_a_question_in_full() -> None:
    written = conllu(
        WHAT_DID_SHE_SEE,
        ["What", "did", "she", "see", "?"],
        [("en", "What did she see?"), ("ja", "彼女は何を見たか。")],
        sent_id="gen-000001",
        category="wh_object",
    )
    assert written == WRITTEN


def test_the_question_is_read_back(tmp_path: Path) -> None:
    (sentence,) = read(tmp_path / "a.conllu", WRITTEN)
    assert isinstance(sentence, Sentence)
    assert rebuilt(sentence, WRITTEN) == WHAT_DID_SHE_SEE
    assert sentence.comment("text_ja") == "彼女は何を見たか。"
    assert [word.form for word in sentence.words] == ["What", "did", "she", "see", "?"]


def test_a_second_edge_into_a_word_stands_in_deps_only(tmp_path: Path) -> None:
    graph = Graph(
        (node(0, lemma="she"), node(1, lemma="want"), node(2, lemma="sleep")),
        ((1, "nsubj", 0), (1, "xcomp", 2), (2, "~nsubj:xsubj", 0)),
        1,
    )
    text = conllu(graph, ["She", "wants", "sleep"], [("en", "She wants sleep")], sent_id="a", category="b")
    assert "\t2\tnsubj\t2:nsubj|3:nsubj:xsubj\t_\n" in text
    (sentence,) = read(tmp_path / "a.conllu", text)
    assert isinstance(sentence, Sentence)
    assert rebuilt(sentence, text) == graph


def test_japanese_text_has_no_spaces(tmp_path: Path) -> None:
    graph = Graph((node(0, lemma="犬"), node(1, lemma="が")), ((0, "case", 1),), 0)
    text = conllu(graph, ["犬", "が"], [("ja", "犬が")], sent_id="a", category="b")
    assert "1\t犬\t犬\t_\t_\t_\t0\troot\t0:root\tSpaceAfter=No\n" in text
    (sentence,) = read(tmp_path / "a.conllu", text)
    assert isinstance(sentence, Sentence)
    assert sentence.comment("text") == "犬が"


def test_a_fronted_noun_with_a_relative_clause_hangs_on_the_main_verb(tmp_path: Path) -> None:
    """``Cake Emma baked Lina ate``: ``baked`` stands first, but below ``cake``."""
    graph = Graph(
        tuple(node(at, lemma="x") for at in range(5)),
        ((0, "acl:relcl", 2), (2, "nsubj", 1), (2, "~obj", 0), (4, "nsubj", 3), (4, "~obj", 0)),
        4,
    )
    forms = ["Cake", "Emma", "baked", "Lina", "ate"]
    text = conllu(graph, forms, [("en", " ".join(forms))], sent_id="a", category="b")
    assert "1\tCake\tx\t_\t_\t_\t5\tobj\t3:obj|5:obj\tExtracted=Yes\n" in text
    (sentence,) = read(tmp_path / "a.conllu", text)
    assert isinstance(sentence, Sentence)
    assert rebuilt(sentence, text) == graph


# --- what cannot be written ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ((), "word 2 has no governor"),
        (((0, "obj", 1), (2, "obj", 1), (0, "dep", 2)), "word 2 has two governors"),
        (((0, "obj", 1), (0, "~obj", 1), (0, "dep", 2)), "both with and without ~"),
        (((0, "root", 1), (0, "dep", 2)), "cannot write an edge 'root'"),
        (((0, "a b", 1), (0, "dep", 2)), "cannot write an edge 'a b'"),
        (((1, "obj", 1), (0, "dep", 2)), "cannot write an edge 'obj' from word 2"),
        (((1, "obj", 0), (0, "obj", 1), (0, "dep", 2)), "word 1 has two governors"),
        (((1, "obj", 2), (2, "obj", 1)), "word 2 is not below the head"),
        (((1, "~obj", 2), (2, "~obj", 1)), "word 2 is not below the head"),
    ],
)
def test_a_graph_without_a_tree_is_refused(edges: tuple[tuple[int, str, int], ...], message: str) -> None:
    graph = Graph(tuple(node(at, lemma="x") for at in range(3)), edges, 0)
    with pytest.raises(ConlluError, match=message):
        conllu(graph, ["a", "b", "c"], [("en", "a b c")], sent_id="s", category="c")


@pytest.mark.parametrize(
    ("attributes", "tokens", "text"),
    [
        ({"lemma": "_"}, ["a"], "a"),
        ({"lemma": "a\tb"}, ["a"], "a"),
        ({"upos": "A B"}, ["a"], "a"),
        ({"note": "a|b"}, ["a"], "a"),
        ({"SpaceAfter": "no"}, ["a"], "a"),
        ({}, ["a\n"], "a\n"),
        ({}, [""], ""),
        ({}, ["a"], "b"),
        ({}, ["a"], "a "),
        ({}, ["a", "b"], "a b"),
        ({}, [], ""),
    ],
)
def test_what_the_format_cannot_hold_is_refused(attributes: dict[str, str], tokens: list[str], text: str) -> None:
    with pytest.raises(ConlluError):
        conllu(Graph((node(0, **attributes),), (), 0), tokens, [("en", text)], sent_id="s", category="c")


@pytest.mark.parametrize("text", ["a\nb", "a\tb", "a\u2028b"])
def test_texts_are_one_line(text: str) -> None:
    graph = Graph((node(0, lemma="a"),), (), 0)
    with pytest.raises(ConlluError, match="not one line"):
        conllu(graph, ["a"], [("en", "a"), ("ja", text)], sent_id="s", category="c")


# --- there and back -----------------------------------------------------------------------


NAMES = st.sampled_from(["Tense", "Case", "form", "xpos", "upos", "lemma", "Number[psor]"])
ATTRIBUTE_VALUES = st.sampled_from(["Past", "x", "犬", "A,B", "B,A", "a=b", "-"])


@st.composite
def sentences(draw: st.DrawFn) -> tuple[Graph, list[str], str]:
    """A random tree with further ``~`` edges, and its tokens with random spaces."""
    size = draw(st.integers(1, 6))
    order = draw(st.permutations(range(size)))
    labels = st.sampled_from(["nsubj", "obl:to", "acl:relcl"])
    edges = {}
    for rank in range(1, size):
        mark = draw(st.sampled_from(["", "", "~"]))
        governor = order[draw(st.integers(0, rank - 1))]
        edges[governor, draw(labels), order[rank]] = mark
    ends = st.integers(0, size - 1)
    for source, label, target in draw(st.lists(st.tuples(ends, labels, ends), max_size=4)):
        if source != target:
            edges.setdefault((source, label, target), "~")
    nodes = tuple(
        GraphNode(tuple(sorted(draw(st.dictionaries(NAMES, ATTRIBUTE_VALUES, max_size=4)).items())), at)
        for at in range(size)
    )
    triples = tuple(sorted((source, mark + label, target) for (source, label, target), mark in edges.items()))
    tokens = draw(st.lists(st.sampled_from(["a", "犬", "_", "can't", "#x"]), min_size=size, max_size=size))
    text = "".join(token + draw(st.sampled_from(["", " "])) for token in tokens).rstrip(" ")
    return Graph(nodes, triples, order[0]), tokens, text


@pytest.mark.slow
@settings(max_examples=150)
@given(st.lists(sentences(), min_size=1, max_size=3))
def test_reading_rebuilds_every_graph(
    tmp_path_factory: pytest.TempPathFactory, items: list[tuple[Graph, list[str], str]]
) -> None:
    written = [
        conllu(graph, tokens, [("en", text)], sent_id=f"a-{at}", category="c")
        for at, (graph, tokens, text) in enumerate(items)
    ]
    path = tmp_path_factory.mktemp("conllu") / "a.conllu"
    found = read(path, "".join(written))
    sentences = [(one, text) for one, text in zip(found, written, strict=True) if isinstance(one, Sentence)]
    assert [rebuilt(*own) for own in sentences] == [graph for graph, _, _ in items]


def sample(grammar: CoreGrammar, seed: int) -> Item:
    """A small derivation of the toy grammar, interpreted."""
    choose = random.Random(seed)  # noqa: S311
    derivation: list[int] = []
    open_categories = [grammar.start]
    while open_categories:
        rules = grammar.rules_of[open_categories.pop()]
        rule = choose.choice(rules if len(derivation) < 20 else [min(rules, key=lambda r: len(r.rhs))])
        derivation.append(rule.id)
        open_categories.extend(reversed(rule.rhs))
    return interpret(grammar, tuple(derivation))


@pytest.mark.parametrize("seed", range(30))
def test_sentences_of_the_toy_grammar_come_back(seed: int, tmp_path: Path) -> None:
    item = sample(TOY, seed)
    texts = list(zip(("en", "ja"), item.texts, strict=True))
    text = conllu(item.graphs[0], item.tokens[0], texts, sent_id="a", category="b")
    (sentence,) = read(tmp_path / "a.conllu", text)
    assert isinstance(sentence, Sentence), sentence
    assert rebuilt(sentence, text) == item.graphs[0]
    assert tuple(word.form for word in sentence.words) == item.tokens[0]


# --- the reader is strict -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("2\tdid", "3\tdid", 6, "ID is 3 instead of 2"),
        ("\tPronType=Int", "\tprontype=int", 5, "not spelt as a feature"),
        ("Case=Nom|Person=3", "Person=3|Case=Nom", 7, "FEATS is not sorted"),
        ("Case=Nom|Person=3", "Case=Nom|Case=Nom", 7, "names with one value each"),
        ("4\taux\t4:aux", "9\taux\t9:aux", 6, "the governor 9 does not exist"),
        ("4\taux\t4:aux", "2\taux\t2:aux", 6, "its own governor"),
        ("4\taux\t4:aux", "0\troot\t0:root", 5, "2 roots instead of one"),
        ("4\taux\t4:aux", "4\taux\t4:cop", 6, "the basic edge 4:aux is not in DEPS"),
        ("4\taux\t4:aux", "4\taux\t4:aux|4:aux", 6, "not sorted or has an edge twice"),
        ("4\taux\t4:aux", "4\taux\t4:aux|3:cop", 6, "not sorted or has an edge twice"),
        ("4\taux\t4:aux", "4\taux\t0:root|4:aux", 6, "the root is a governor in DEPS"),
        ("0\troot\t0:root", "0\tdep\t0:dep", 8, "governor 0 with the label dep"),
        ("0\troot\t0:root", "5\tdep\t5:dep", 5, "0 roots instead of one"),
        ("1\tWhat", "1-2\tWhat", 5, "1-2 has more than its form"),
        ("\tVB\t", "\t\t", 8, "column XPOS is empty"),
        ("\tVB\t", "\t", 8, "9 columns instead of 10"),
        ("# category = wh_object\n", "", 1, "0 comments # category"),
        ("see?\n", "see ?\n", 1, "# text is not the tokens"),
        ("form=past", "upos=X", 6, "an attribute with two values"),
        ("2\tdid", "# note\n2\tdid", 6, "a comment after the first token"),
        ("\n\n", "\n", 9, "the file ends inside a sentence"),
        ("did\tdo", "did\r\tdo", 6, "a carriage return"),
        ("4:punct\t_\n", "4:punct\t_", 9, "the file ends inside a sentence"),
    ],
)
def test_a_mistake_in_a_file_is_named_with_its_line(old: str, new: str, line: int, reason: str, tmp_path: Path) -> None:
    assert old in WRITTEN
    (found,) = read(tmp_path / "a.conllu", WRITTEN.replace(old, new, 1))
    assert isinstance(found, Malformed), found
    assert reason in found.reason
    assert found.line == line


def test_a_cycle_is_named(tmp_path: Path) -> None:
    text = WRITTEN.replace("4\taux\t4:aux", "3\taux\t3:aux").replace("4\tnsubj\t4:nsubj", "2\tnsubj\t2:nsubj")
    (found,) = read(tmp_path / "a.conllu", text)
    assert found == Malformed(6, "the basic tree has a cycle through 2")


def test_bytes_that_are_not_utf8_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.conllu"
    path.write_bytes(WRITTEN.encode().replace(b"2\tdid", b"2\td\xff"))
    (found,) = read_sentences(path, TokenTable())
    assert found == Malformed(6, "the line is not UTF-8")


def test_a_broken_sentence_leaves_its_neighbours_readable(tmp_path: Path) -> None:
    broken = WRITTEN.replace("2\tdid", "7\tdid")
    first, second, third = read(tmp_path / "a.conllu", WRITTEN + broken + WRITTEN)
    assert isinstance(first, Sentence)
    assert isinstance(second, Malformed)
    assert second.line == 16
    assert isinstance(third, Sentence)
    assert third.line == 21
