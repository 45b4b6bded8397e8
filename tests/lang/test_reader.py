"""Laws of the reader: what it cuts a file into, and the places it remembers."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest
from diagnostics import BASE
from hypothesis import given, settings
from hypothesis import strategies as st

from sgl.characters import CONFUSABLES
from sgl.diagnostics import Diagnostics, SourceFile, SourceMap, Span
from sgl.diagnostics.render import render
from sgl.lang import syntax as s
from sgl.lang.chunks import MAX_DEPTH, Chunk, split_chunks
from sgl.lang.reader import MAX_MISTAKES, MAX_NESTING, read

ROOT = Path(__file__).parent.parent.parent
GRAMMARS = sorted(path for folder in ("grammars", "stdlib", "docs/examples") for path in (ROOT / folder).rglob("*.sgl"))
#: What texts of the laws are made of: everything that the reader treats specially.
PIECES = st.sampled_from(
    [
        *("rule", "word ", "use", " x", "X", '"', '"a"', "\\", "#", "# note", "(", ")", "[", "]"),
        *("{", "}", "\n", "\n\n", "\n  ", "\t", "\r", "\f", "->", "+", ",", ";", "|", " without"),
        *("within", "outside", "=>", "猫", "が", "か\u3099", "\u3000", "\u00a0", "\u2028", "\x85"),
        *("\x0b", "\x1c", "😀", "~", "$", "@", "$a", "-[", "]->", ":", "=", "1", "_"),
    ]
)
TEXTS = st.lists(PIECES, max_size=60).map("".join)


def chunks_of(text: str) -> list[Chunk]:
    return list(split_chunks(SourceFile("f", text)))


def reading(text: str) -> tuple[s.File, Diagnostics]:
    diagnostics = Diagnostics()
    return read(SourceFile("f", text), diagnostics), diagnostics


# ---- chunks


@given(TEXTS)
def test_a_chunk_keeps_every_character_in_its_place(text: str) -> None:
    for chunk in chunks_of(text):
        original = text[chunk.start : chunk.start + len(chunk.text)]
        assert len(original) == len(chunk.text)
        comments = covered(chunk.comments)
        for place, (before, after) in enumerate(zip(original, chunk.text, strict=True)):
            blanked = after == " " and (before in "\n\t\f\r" or chunk.start + place in comments)
            assert before == after or blanked


@given(TEXTS)
def test_chunks_follow_one_another_and_leave_out_only_blanks_and_comments(text: str) -> None:
    chunks = chunks_of(text)
    kept = {place for chunk in chunks for place in range(chunk.start, chunk.start + len(chunk.text))}
    assert len(kept) == sum(len(chunk.text) for chunk in chunks)
    comments = set().union(*(covered(chunk.comments) for chunk in chunks))
    left_out = {text[p] for p in range(len(text)) if p not in kept | comments}
    assert left_out <= set(" \t\f\r\n\u00a0\u3000")


@given(TEXTS)
def test_comments_are_where_they_say(text: str) -> None:
    for chunk in chunks_of(text):
        for comment, span in chunk.comments:
            assert text[span.start : span.end] == comment
            assert comment.startswith("#")
            assert "\n" not in comment


@given(st.lists(st.sampled_from(["", "# one", "rule", "  ja N", '  ja "#"', "  # two"]), max_size=12))
def test_all_comments_are_found(lines: list[str]) -> None:
    found = [comment for chunk in chunks_of("\n".join(lines)) for comment, _ in chunk.comments]
    assert found == [line.strip() for line in lines if line.strip().startswith("#")]


@pytest.mark.parametrize("path", GRAMMARS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_all_comments_of_the_grammars_are_found(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    lines = [line.strip() for line in text.splitlines() if line.strip().startswith("#")]
    found = [comment[0] for chunk in chunks_of(text) for comment in chunk.comments]
    assert [comment for comment in found if comment in lines] == lines


def covered(comments: tuple[tuple[str, Span], ...]) -> set[int]:
    return {place for _, span in comments for place in range(span.start, span.end)}


# ---- layout


@pytest.mark.parametrize(
    "text",
    [
        'rule a: A -> B\n  ja B\n    + "x"',
        'rule a: A -> B\n  ja B +\n    "x"',
        "pattern p\n  forbid { V -[*]-> N }\n    without { N -[*]-> M }",
        "pattern p\n  forbid { V -[*]-> N }\n\n  # why\n    without { N -[*]-> M }",
        "pattern p\n  forbid { V -[*]-> N }   # why\n    without { N -[*]-> M }",
        "pattern p\n  forbid {\n    V -[*]-> N;\n    # why\n    N -[*]-> M\n  }",
        "pattern p\n  forbid {\n    V -[*]-> N\n}",
        "pattern p\n  size 1 within a,\n    2 outside b",
        "feature f = a |\n  b",
        'test "a"\n  => ja "b"',
        "rule a: A ->\n  B",
        "rule a: A -> B\r\n  ja B\r\n",
        "\n\n  \n# first\nrule a: A -> B",
        "structure s { N[#amod>=2] }   # not #amod",
        'word A: "a \\" b"',
    ],
)
def test_these_are_one_declaration(text: str) -> None:
    file, diagnostics = reading(text.replace('    + "x"', '  en B + "x"'))
    assert (len(file.declarations), list(diagnostics)) == (1, [])


@pytest.mark.parametrize("keyword", ["forbid", "need", "gen", "exclude", "allow", "size"])
def test_a_keyword_is_a_whole_word(keyword: str) -> None:
    _, diagnostics = reading(f"pattern p\n  {keyword}x {{ V -[*]-> N }}")
    (found,) = diagnostics
    assert f"`{keyword}x`" in found.message
    assert found.hint == f"did you mean `{keyword}`?"


@pytest.mark.parametrize(("wrong", "meant"), [*list(CONFUSABLES.items())[:12], ("“", '"')])
def test_a_character_that_looks_like_one_of_the_language(wrong: str, meant: str) -> None:
    _, diagnostics = reading(f"feature f {wrong} = a")
    (found,) = diagnostics
    assert f"`{meant}`" in found.hint


# ---- bounds


def test_brackets_may_nest_as_deep_as_promised() -> None:
    def nested(depth: int) -> str:
        return 'word A: "a"\n  ja ' + "f(" * depth + '"x"' + ")" * depth

    assert len(reading(nested(MAX_DEPTH))[1]) == 0
    assert [d.code for d in reading(nested(MAX_DEPTH + 1))[1]] == ["SGL0105"]
    assert [d.code for d in reading(nested(50_000))[1]] == ["SGL0105"]


@pytest.mark.parametrize("sign", ["+", "or"])
def test_expressions_may_nest_as_deep_as_promised(sign: str) -> None:
    def chain(length: int) -> str:
        return 'word A: "a"\n  ja ' + f" {sign} ".join(["$x"] * length)

    assert len(reading(chain(MAX_NESTING - 5))[1]) == 0
    assert [d.code for d in reading(chain(MAX_NESTING + 5))[1]] == ["SGL0105"]
    assert [d.code for d in reading(chain(5_000))[1]] == ["SGL0105"]


def test_a_file_with_too_many_mistakes_is_given_up() -> None:
    _, diagnostics = reading("category A\n" + "nonsense\n" * 5_000)
    codes = [diagnostic.code for diagnostic in diagnostics]
    assert codes == ["SGL0103"] * MAX_MISTAKES + ["SGL0106"]


def test_a_file_that_is_no_grammar_is_one_mistake() -> None:
    file, diagnostics = reading("nonsense\n" * 5_000)
    assert [diagnostic.code for diagnostic in diagnostics] == ["SGL0103"]
    # It may declare anything: what others take from it is not reported as missing.
    assert file.unread == (s.Unread("", ""),)


# ---- places


@pytest.mark.parametrize("path", GRAMMARS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_grammars_can_be_read(path: Path) -> None:
    sources, diagnostics = SourceMap(), Diagnostics()
    read(sources.add(SourceFile(path.name, path.read_text(encoding="utf-8"))), diagnostics)
    assert [render(found, sources) for found in diagnostics] == []


EVERYTHING = (
    BASE
    + """\
use stdlib.ja.verb (past, stem)
view conllu = conllu(syn)
param large = 10 "how large"
feature sound = consonant ~ 99 | vowel
labels SUBJ = nsubj | nsubj:pass | ~nsubj
words pets = dog, cat, "guinea pig"
structure chain { repeat 3 N..M { N -[acl:relcl]-> V; V -[nsubj]-> M } }
structure path { V -[ccomp]{2,4}-> W[@pets]; W -[$SUBJ]{large,}-> X; X -[^obj]+-> Y }
structure degree { N[#amod|nmod>=5, lemma=dog|cat, upos!=VERB, not @pets] -[*]-> M }
  without { N -[*]-> O }
paradigm past "plain past"
  godan "く" -> "いた", "行く" -> "行った"
function f(x, y) = past(x, y) + "\\"た" or x
lexicon verbs from "verbs.yaml" where frame = trans | ditrans, kind != mass  ~ 2 zipf(1.0)
  syn node(lemma=$en, upos=VERB, Tense=Past)
  V[form=past, case=$particle or を]
    en $past or f($en, "x")
    ja $ja
  V[form=pres]
    en $en + "s"
    ja $ja
  when large >= 5
forms finite(X, particle, other)
  ja $particle
  X[form=past]
    en f($en, plain) or regular
lexicon more from "verbs.yaml"
  finite(V[kind=x], "", $past or none)
    ja $ja
  V
literal "did" (lemma=do, upos=AUX, Tense=Past)
use parts (np, NP, "did")
feature slot = 1 < 2 ~ 3 < 3
rule cases: VP[form=f] -> V[slot>i] W[slot<=2] "x" ~ 5 if f = past, i != 2, 3 if i > 1, 2
  en W "x" V if f = past | pres, i >= 2
  syn V -[obj]-> W; V -[x]-> "x"(upos=X) if f != past
  syn W if i < 3
  syn sem V -[obj]-> W
  syn sem head = V
  syn sem "x"(upos=X) -[a]-> V
rule control: VP[form=f] -> capital V[form=f] subj:NP "to" VP[form=past|pres]  ~ large
  ja capital VP $f drop V copy subj
  syn V -[xcomp]-> VP; VP -[~nsubj:xsubj]-> subj; V -[mark]-> "to"(lemma=to, upos=PART)
  syn VP.gap = subj; forget subj.gap; head = V
  keep in train
  when not large
pattern p "title" (one, two)
  forbid { V -[*]-> N } without { N -[*]-> M } without { N -[*]-> O }
  assert never path
  gen chain
  exclude chain
  need 100 chain
  allow q r
  targets dog "cat" seen only in exposures
  expose 100 repeated chain
  size 500 within chain outside path, large outside chain
  train like "The dog."
  gen like "The cat."
  gen { V -[obj]-> N } like "The dog." when p
  train example "The dog."
  example "The cat." when p
  gen { V -[obj]-> N } example "The dog."
test "The dog." => ja "犬。", en "The dog.", syn { N -[det]-> D } without { N -[*]-> M }
test "The dog." => syn chain
test reject "The the."
"""
)


def test_the_example_of_everything_can_be_read() -> None:
    _, diagnostics = reading(EVERYTHING)
    assert list(diagnostics) == []


@pytest.mark.parametrize(
    "text",
    [EVERYTHING, *(path.read_text(encoding="utf-8") for path in GRAMMARS)],
    ids=["everything", *(path.relative_to(ROOT).as_posix() for path in GRAMMARS)],
)
def test_every_name_stands_where_it_says(text: str) -> None:
    file, _ = reading(text)
    names = list(names_in(file.declarations))
    assert names
    for name in names:
        slice_ = text[name.span.start : name.span.end]
        if name.quoted:
            assert slice_[0] == slice_[-1] == '"'
            assert slice_[1:-1].replace('\\"', '"') == name.text
        # A path of one or more edges has no number, the node of a quoted word no name.
        elif slice_ != "+" and slice_[0] != '"':
            assert slice_ == name.text


@pytest.mark.parametrize("text", [EVERYTHING, BASE], ids=["everything", "base"])
def test_the_place_of_a_part_lies_in_the_place_of_the_whole(text: str) -> None:
    file, _ = reading(text)
    for whole, part in parts_in(file.declarations):
        assert whole.start <= part.start <= part.end <= whole.end, text[whole.start : whole.end]


@settings(deadline=None)  # the first example may wait for the tables of the parser
@given(st.lists(st.sampled_from(EVERYTHING.split("\n")), min_size=1, max_size=25))
def test_names_stand_where_they_say_in_any_mixture_of_lines(lines: list[str]) -> None:
    text = "\n".join(lines)
    file, _ = reading(text)
    for name in names_in(file.declarations):
        if not name.quoted:
            assert text[name.span.start : name.span.end] in (name.text, "+")


def names_in(value: object) -> Iterator[s.Name]:
    if isinstance(value, s.Name):
        yield value
    elif isinstance(value, tuple):
        for entry in value:
            yield from names_in(entry)
    elif dataclasses.is_dataclass(value) and not isinstance(value, Span):
        for field in dataclasses.fields(value):
            yield from names_in(getattr(value, field.name))


def parts_in(value: object, whole: Span | None = None) -> Iterator[tuple[Span, Span]]:
    """All pairs of a syntax node's span and the span of a node directly in it."""
    if isinstance(value, tuple):
        for entry in value:
            yield from parts_in(entry, whole)
    elif dataclasses.is_dataclass(value) and hasattr(value, "span"):
        if whole is not None:
            yield whole, value.span
        for field in dataclasses.fields(value):
            if field.name != "span":
                yield from parts_in(getattr(value, field.name), value.span)


# ---- what is left of what could not be read


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("category Adj[", [s.Unread("category", "Adj")]),
        ("catgory Adj", [s.Unread("category", "Adj"), s.Unread("", "Adj")]),
        ("category adj", [s.Unread("category", "")]),
        ("structure pp-in-subject { }", [s.Unread("structure", "pp")]),
        ("structure Pp { }", [s.Unread("structure", "")]),
        ("use x y", [s.Unread("", "")]),
        ("dataset\n  form Text Text", [s.Unread("dataset", "form")]),
        ("datset\n  from Text", [s.Unread("dataset", "from"), s.Unread("", "from")]),
        ("rule", [s.Unread("rule", "")]),
        ("nonsense x", [s.Unread("", "x")]),
        ("???", []),
    ],
)
def test_what_is_known_of_a_declaration_that_cannot_be_read(text: str, unread: list[s.Unread]) -> None:
    file, diagnostics = reading(text)
    assert len(diagnostics) == 1
    assert list(file.unread) == unread
