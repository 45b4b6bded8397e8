"""The report: one page that stands alone, and pictures that show what was derived."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toy import toy_grammar

import sgl
from sgl.automata.proofs.prove import StratumStatistics
from sgl.core.claims import Claim, Cut, Kind, Verdict
from sgl.core.plan import Release
from sgl.core.structure import Body, LabelTest, Link, Structure, Variable
from sgl.pipeline.report import Pair
from sgl.report import Arc, Example, GraphWord, TreeNode, example_of, render_report
from sgl.report.render import bracketed, draw_graph, draw_lengths, draw_tree, text_width

SVG = "{http://www.w3.org/2000/svg}"
TREE = TreeNode(
    "S",
    (
        TreeNode("NP", (TreeNode("Emma"),)),
        TreeNode("VP", (TreeNode("V", (TreeNode("saw"),)), TreeNode("NP", (TreeNode("Lina"),)))),
    ),
)
WORDS = (GraphWord("Emma", "PROPN"), GraphWord("saw", "VERB"), GraphWord("Lina", "PROPN"))
ARCS = (Arc(1, "nsubj", 0), Arc(1, "obj", 2))


def guarantee(claim: str, result: str, detail: str = "") -> dict[str, str]:
    return {"claim": claim, "method": "static", "result": result, "detail": detail}


def report(**changes: object) -> dict[str, Any]:
    example = Example("Emma saw Lina.", "エマがリナを見た。", (TREE, TREE), WORDS, ARCS, 1)
    statistics = StratumStatistics("train", 0.25, 0.5, 4.5, None, (10**15,), (0.5, 0.5))
    edge = Link(0, LabelTest(frozenset({"nsubj"})), 1)
    structure = Structure("syn", Body((Variable("V", ()), Variable("N", ())), (edge,)))
    pattern = {
        "name": "subject",
        "title": "Object → <subject>",
        "groups": ("lexical",),
        "sentence": "No training sentence has a subject.",
        "asked": [],
        "items": 20,
        "pair": Pair(example, example),
        "guarantees": [guarantee("held out", "proved", "12 states"), guarantee("licensed", "proved", "120 of 100")],
        "held_out": [Claim(Kind.HELD_OUT, "subject", Verdict.PROVED, Cut(), (structure,), mass=0.25)],
        "parts": [],
        "excused": [],
        "examples": [example],
    }
    values: dict[str, Any] = {
        "title": "Toy & co",
        "identity": "sgl:0.1.0|seed:1",
        "parameters": [("depth", "4")],
        "layers": ("en", ("ja", "lf")),
        "computed": {},
        "splits": {"train": 40_000, "gen": 20},
        "release": Release("1.0.0", "CC-BY-4.0", ("A",)),
        "source_language": "en",
        "target_language": "ja",
        "guarantees": [guarantee("disjoint", "passed", "0 shared")],
        "patterns": [pattern],
        "counts": [stratum(0.5)],
        "lengths": {"train": {3: 10, 5: 30}},
        "sizes": [(["train"], statistics)],
        "longest": 12,
        "heights": {},
        "unused": [("train", "rule", "relative")],
        "relations": [("subject", "share items", "object", "Emma saw Emma.")],
        "review": None,
    }
    return values | changes


def stratum(mass: float) -> dict[str, Any]:
    return {
        "split": "train",
        "category": "in_distribution",
        "stream": "train/in_distribution",
        "extent": {"count": 40000},
        "remarks": [],
        "count": 40000,
        "candidates": 50000,
        "mass": mass,
        "rejected": {"repeated lemma": 1234, "share full": 8766},
        "shares": {},
    }


class Page(HTMLParser):
    """Collects what the tests ask of a page."""

    VOID = ("meta", "link", "br", "img", "hr", "input")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.addresses: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in self.VOID:
            self.open.append(tag)
        values = dict(attrs)
        self.ids += [values["id"] or ""] if "id" in values else []
        self.addresses += [values[name] or "" for name in ("href", "src") if name in values]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_and_fetches_nothing() -> None:
    text = render_report(report())
    page = Page(text)
    assert page.open == []
    assert len(page.ids) == len(set(page.ids))
    assert page.tags.isdisjoint({"script", "link", "img", "iframe"})
    assert set(page.addresses) == {"#pattern-subject"}
    assert "pattern-subject" in page.ids
    assert "url(" not in text
    assert "@import" not in text


def test_no_page_may_run_or_fetch_anything() -> None:
    policy = (
        '<head>\n<meta charset="utf-8">\n<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
    )
    assert policy in render_report(report())
    # The page of `sglc play` has a script, and its server sends a policy of its own.
    templates = [one for one in Path(sgl.__file__).parent.rglob("*.html.j2") if "play" not in one.parts]
    pages = [text for path in templates if "<head>" in (text := path.read_text("utf-8"))]
    assert len(pages) >= 5
    assert all('<head>\n{% include "head.html.j2" %}\n' in page for page in pages)


def test_what_authors_write_is_escaped() -> None:
    text = render_report(report())
    assert "Object → &lt;subject&gt;" in text
    assert "Toy &amp; co" in text
    assert text.count("{ V -[nsubj]-&gt; N }") == 1


def test_the_page_says_what_it_was_given() -> None:
    text = render_report(report())
    for part in (
        "all 2 claims of patterns hold, and 1 checks of the data",
        "proved",
        "12 states",
        "120 of 100",
        "40,000",
        "80.0 %",
    ):
        assert part in text
    for part in ("エマがリナを見た。", "25.00 %", "0.500", "4.50", "relative", "sgl:0.1.0|seed:1"):
        assert part in text
    assert "1,234 repeated lemma" in text
    assert "Emma saw Emma." in text


def test_the_checks_are_counted_by_themselves() -> None:
    checks = [guarantee(claim, "passed") | {"method": "checked"} for claim in ("disjoint", "distinct")]
    assert "Checks of the written data: 2</summary>" in render_report(report(guarantees=checks))
    readings = guarantee("string level", "checked") | {"method": "parsing"}
    text = render_report(report(guarantees=[readings, *checks]))
    assert "Checks of the written data: 2, and other readings of its strings</summary>" in text


def test_a_failing_guarantee_shows_at_the_top() -> None:
    text = render_report(report(guarantees=[guarantee("disjoint", "failed", "2")]))
    assert "1 of 3 guarantees fail" in text
    assert "claims of patterns hold" not in text.partition("<main>")[0]


def test_a_pattern_that_lacks_a_claim_of_another_says_so() -> None:
    (pattern,) = report()["patterns"]
    bare = pattern | {"name": "bare", "guarantees": []}
    assert render_report(report(patterns=[pattern, bare])).count("not claimed") == 2


def test_an_empty_report_is_a_page() -> None:
    values = {name: type(value)() for name, value in report(release=None).items()}
    page = Page(render_report(values))
    assert page.open == []
    assert "svg" not in page.tags


def test_equal_data_give_equal_pages() -> None:
    assert render_report(report()) == render_report(report())


@pytest.mark.parametrize(
    ("value", "shown"), [(0.0, ">0<"), (0.5, "50.00 %"), (3.2e-7, "3.2 · 10⁻⁷"), (1.0, "100.00 %")]
)
def test_probabilities_are_readable(value: float, shown: str) -> None:
    assert shown in render_report(report(counts=[stratum(value)]))


# ---- pictures


def drawn(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314 - our own output


def labels(picture: ET.Element, kind: str) -> list[tuple[str, float, float]]:
    """Text, x and y of the labels of one class."""
    return [
        (element.text or "", float(element.attrib["x"]), float(element.attrib["y"]))
        for element in picture.iter(f"{SVG}text")
        if element.attrib["class"] == kind
    ]


def leaves(tree: TreeNode) -> list[str]:
    if not tree.children:
        return [tree.label]
    return [leaf for child in tree.children for leaf in leaves(child)]


trees = st.recursive(
    st.sampled_from(["a", "dog", "本", "見つけた"]).map(TreeNode),
    lambda inner: st.builds(
        TreeNode, st.sampled_from(["S", "NP", "AVeryLongCategory"]), st.lists(inner, min_size=1, max_size=3).map(tuple)
    ),
    max_leaves=12,
)


@given(trees)
def test_the_words_of_a_tree_stand_in_order_and_apart(tree: TreeNode) -> None:
    placed = labels(drawn(draw_tree(tree, "Tree", "t")), "word")
    placed.sort(key=lambda label: label[1])
    assert [text for text, _, _ in placed] == leaves(tree)
    for (first, left, _), (second, right, _) in pairwise(placed):
        assert right - left >= (text_width(first) + text_width(second)) / 2


@given(trees)
def test_a_tree_stays_inside_its_picture(tree: TreeNode) -> None:
    picture = drawn(draw_tree(tree, "Tree", "t"))
    width, height = float(picture.attrib["width"]), float(picture.attrib["height"])
    for kind in ("word", "category"):
        for text, x, y in labels(picture, kind):
            assert text_width(text) / 2 <= x <= width - text_width(text) / 2
            assert 0 < y < height


def test_a_category_stands_above_the_middle_of_its_children() -> None:
    picture = drawn(draw_tree(TREE, "Tree", "t"))
    place = {text: (x, y) for text, x, y in labels(picture, "category") if text != "NP"}
    (noun, _), (verb_phrase, _) = sorted((x, y) for text, x, y in labels(picture, "category") if y == place["VP"][1])
    assert place["S"][0] == pytest.approx((noun + verb_phrase) / 2, abs=0.1)
    assert len(list(picture.iter(f"{SVG}line"))) == 7


def test_pictures_are_described_for_those_who_do_not_see_them() -> None:
    assert bracketed(TREE) == "[S [NP Emma] [VP [V saw] [NP Lina]]]"
    tree = drawn(draw_tree(TREE, "Tree", "t"))
    graph = drawn(draw_graph(WORDS, (*ARCS, Arc(1, "obj", 0, extracted=True)), 1, "g"))
    assert tree.findtext(f"{SVG}desc") == bracketed(TREE)
    assert graph.findtext(f"{SVG}desc") == ("root saw; saw nsubj Emma; saw obj Lina; saw ~obj Emma")
    for picture in (tree, graph):
        names = picture.attrib["aria-labelledby"].split()
        assert names == [element.attrib["id"] for element in picture[:2]]


def test_extracted_edges_are_drawn_below_the_words() -> None:
    picture = drawn(draw_graph(WORDS, (*ARCS, Arc(1, "obj", 0, extracted=True)), 1, "g"))
    row = labels(picture, "word")[0][2]
    height = {
        group.attrib["class"]: float(patch.attrib["y"])
        for group in picture.iter(f"{SVG}g")
        if "class" in group.attrib
        for patch in group.iter(f"{SVG}rect")
    }
    assert height["basic"] < row < height["extracted"]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[tuple[GraphWord, ...], tuple[Arc, ...]]:
    words = draw(st.lists(st.sampled_from(["a", "dog", "飛行機"]), min_size=2, max_size=7))
    place = st.integers(0, len(words) - 1)
    label = st.sampled_from(["nsubj:pass", "obj", "acl:relcl"])
    arcs = draw(st.lists(st.builds(Arc, place, label, place, st.booleans()), max_size=8))
    return tuple(map(GraphWord, words)), tuple(arc for arc in arcs if arc.governor != arc.dependent)


@given(graphs())
def test_labels_of_arcs_do_not_cover_each_other(graph: tuple[tuple[GraphWord, ...], tuple[Arc, ...]]) -> None:
    words, arcs = graph
    picture = drawn(draw_graph(words, arcs, 0, "g"))
    patches = [
        tuple(float(patch.attrib[key]) for key in ("x", "y", "width", "height")) for patch in picture.iter(f"{SVG}rect")
    ]
    assert len(patches) == len(arcs)
    for index, (x, y, width, height) in enumerate(patches):
        assert x >= 0
        assert x + width <= float(picture.attrib["width"])
        for other_x, other_y, other_width, other_height in patches[:index]:
            apart = x >= other_x + other_width or other_x >= x + width
            assert apart or y >= other_y + other_height or other_y >= y + height


def test_the_longest_bar_of_each_histogram_is_full() -> None:
    picture = drawn(draw_lengths({"train": {3: 10, 5: 30}}, "l"))
    heights = [float(bar.attrib["height"]) for bar in picture.iter(f"{SVG}rect")]
    assert heights == [pytest.approx(44 / 3, abs=0.1), 44]
    assert picture.findtext(f"{SVG}desc") == "train: mean 4.5 tokens, 40 sentences"


# ---- from a derivation


def first_derivation(category: int) -> tuple[int, ...]:
    """The derivation that always takes the rule with the fewest children."""
    grammar = toy_grammar()
    rule = min(grammar.rules_of[category], key=lambda rule: (len(rule.rhs), rule.id))
    return (rule.id, *(step for child in rule.rhs for step in first_derivation(child)))


def test_an_example_shows_one_derivation_in_both_languages() -> None:
    grammar = toy_grammar()
    example = example_of(grammar, first_derivation(grammar.start), source="en", target="ja", graph="syn")
    english, japanese = example.trees
    joined = re.sub(r"\W", "", "".join(leaves(english))).lower()
    assert joined == re.sub(r"\W", "", example.source).lower()
    assert "".join(leaves(japanese)).replace("∅", "") == example.target
    assert english.label == japanese.label == "Text"
    assert [word.form for word in example.words][-1] in ".?"
    assert {arc.dependent for arc in example.arcs} | {example.root} == set(range(len(example.words)))


def test_a_layer_that_does_not_exist_is_an_error() -> None:
    grammar = toy_grammar()
    with pytest.raises(KeyError, match="sem"):
        example_of(grammar, first_derivation(grammar.start), source="en", target="ja", graph="sem")


def test_the_head_says_what_it_is_and_how_large_before_parameters() -> None:
    head = render_report(report()).partition("</header>")[0].partition("<body>")[2]
    said = [
        *("Toy &amp; co", "A benchmark of compositional generalization", "<code>en</code>", "<code>ja</code> or"),
        *("40,020 rows: train 40,000, gen 20.", "1 generalization pattern.", "Licence: CC-BY-4.0", "depth"),
    ]
    places = [head.find(text) for text in said]
    assert -1 not in places
    assert places == sorted(places)
    assert "Licence: none is declared" in render_report(report(release=None))


def test_a_pattern_without_items_says_so_and_is_not_counted_as_tested() -> None:
    (pattern,) = report()["patterns"]
    patterns = [pattern, pattern | {"name": "idle", "items": 0, "pair": None, "examples": []}]
    text = render_report(report(patterns=patterns))
    assert "2 generalization patterns, 1 of them with items to score; the others only restrict training." in text
    assert text.count("The dataset has no items of this pattern") == 1
    assert text.count("no items</span>") == 1
    assert "no items" not in render_report(report())
