"""Forms of features: tables, and entries that leave a feature open; docs/texts.md, *Forms of features*."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from row_datasets import compile_grammar, rows_refused
from sget import compile_file

from sgl.cli.main import run
from sgl.core.grammar import CoreGrammar
from sgl.verify import verify

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
NAMES = ("concord.yaml", "concord_nouns.yaml", "concord.sgl")
FILES = {name: (EXAMPLES / name).read_text("utf-8") for name in NAMES}
CLASSES = {("person", "sg"): ("a", "m", "wa"), ("person", "pl"): ("wa", "wa", "wa"),
           ("thing", "sg"): ("ki", "ki", "cha"), ("thing", "pl"): ("vi", "vi", "vya")}  # fmt: skip


def written(place: Path, **changes: str) -> Path:
    for name, text in FILES.items():
        (place / name).write_text(changes.get(name.replace(".", "_"), text), encoding="utf-8")
    return place / "concord.sgl"


def written_out() -> str:
    """The same grammar with a clause and an entry for each combination of values, and without a table."""
    text = FILES["concord.sgl"].replace('table concord[class, num] from "concord.yaml"\n', "")
    for clause, column in (("  sw  NP $concord.of of\n", 2), ('  sw  NP $concord.subject+"li"+V "."\n', 0)):
        cell = re.search(r"\$concord\.\w+", clause)[0]  # type: ignore[index]
        lines = [
            f"{clause.replace(cell, chr(34) + forms[column] + chr(34))[:-1]} if c = {one}, n = {two}\n"
            for (one, two), forms in CLASSES.items()
        ]
        text = text.replace(clause, "".join(lines))
    text = text.replace("  sw  $concord.adjective + $sw\n  syn", "  syn")
    lexicon = [
        f'lexicon {one}s_{two} from "concord_nouns.yaml" where class = {one}\n  N[class={one}, num={two}]\n'
        f"    en  {'$en' if two == 'sg' else 'plural($en, ' + chr(34) + 'regular' + chr(34) + ')'}\n"
        f'    sw  "{forms[1]}" + $sw\n    syn node(lemma=$en, upos=NOUN)\n'
        for (one, two), forms in CLASSES.items()
    ]
    text = re.sub(r"lexicon nouns.*?\n\n", "\n".join(lexicon) + "\n", text, flags=re.DOTALL)
    word = [
        f'word A[class={one}, num={two}]: "good"\n  sw  "{forms[1]}zuri"\n  syn node(upos=ADJ)\n'
        for (one, two), forms in CLASSES.items()
    ]
    return re.sub(r'word A: "good".*?\n\n', "\n".join(word) + "\n", text, flags=re.DOTALL)


def meaning(grammar: CoreGrammar) -> set[object]:
    names = [category.name for category in grammar.categories]
    return {
        (names[r.lhs], tuple(names[c] for c in r.rhs), round(r.weight, 12), r.templates, r.fragments)
        for r in grammar.rules
    }


def test_a_table_means_what_clauses_and_entries_for_each_value_mean(tmp_path: Path) -> None:
    (tmp_path / "long").mkdir()
    short = compile_file(written(tmp_path)).grammar
    long = compile_file(written(tmp_path / "long", concord_sgl=written_out())).grammar
    assert len(short.rules) == len(long.rules) > 20
    assert meaning(short) == meaning(long)
    assert len(written_out().splitlines()) > len(FILES["concord.sgl"].splitlines()) + 25


def test_the_page_compiles_and_both_checkers_agree() -> None:
    dataset = compile_grammar(written)
    assert verify(dataset).ok
    assert rows_refused(dataset) == ""
    # The grammar travels with its table.
    assert (dataset / "grammar" / "concord.yaml").is_file()


@pytest.mark.parametrize(
    ("name", "old", "new", "codes"),
    [
        ("concord_yaml", "of: cha", "cha: x", ["SGL0622"]),
        ("concord_yaml", "class: thing, num: pl", "class: things, num: pl", ["SGL0402"]),
        ("concord_sgl", "$concord.of", "$concord.off", ["SGL0603"]),
        ("concord_sgl", "$concord.of", "$concrd.of", ["SGL0201"]),
        ("concord_sgl", "$concord.of", "$concord[c].of", ["SGL0622"]),
        ("concord_sgl", "$concord.of", "$concord[c, x].of", ["SGL0404"]),
        ("concord_sgl", "of:NP[class=_, num=_]", "of:NP[class=d, num=d]", ["SGL0404"]),
        ("concord_sgl", "category A[class, num]", "category A[class]", ["SGL0401"]),
        ("concord_sgl", '"concord.yaml"', '"concrd.yaml"', ["SGL0001"]),
    ],
)
def test_mistakes_are_told_once(
    name: str, old: str, new: str, codes: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = FILES[name.replace("_", ".")]
    assert old in text
    assert run(["check", str(written(tmp_path, **{name: text.replace(old, new)}))]) != 0
    captured = capsys.readouterr()
    found = re.findall(r"error\[(SGL\d+)\]", captured.out + captured.err)
    assert set(codes) <= set(found), captured.err
    assert len(found) <= 3, captured.err


def test_a_form_of_the_source_layer_is_glued_on_the_right_hand_side(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = FILES["concord.sgl"].replace('layer en  : text (attach ".")\nlayer sw', "layer en : text\nlayer sw")
    text = text.replace("layer en : text\n", "").replace(
        'layer sw  : text (attach ".")', 'layer sw : text (attach ".")\nlayer en : text (attach ".")'
    )
    text = text.replace("graph on en", "graph on sw")
    text = re.sub(
        r"lexicon nouns.*?dataset",
        """\
word N[class=thing, num=_]: "tabu"
  en  "book"
  syn node(upos=NOUN)
word V: "anguka"
  en  "fall"
  syn node(upos=VERB)
rule text: Text -> $concord[c, n].adjective+N[class=c, num=n] $concord[c, n].subject+"li"+V "."
  en  N V "."
  syn V -[nsubj]-> N; V -[punct]-> "."(upos=PUNCT)
dataset""",
        text,
        flags=re.DOTALL,
    ).replace("use stdlib.en.noun (plural)\n", "")
    text = text.replace("category A[class, num]\ncategory NP[class, num]\n", "").replace('test "the', '#test "the')
    path = written(tmp_path, concord_sgl=text)
    assert run(["sample", str(path), "-n", "6"]) == 0
    assert set(capsys.readouterr().out.split("\n")) >= {"kitabu kilianguka.\tbook fall."}
