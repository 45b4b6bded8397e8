"""The sampler that works in batches: the rows of the plain one, whatever the tables are."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_tables import TableMaker
from sampling import plan_of, whole
from sget import sget
from slog import grammar as slog_grammar

from sgl.core.gluing import WORD, GluingNode, GluingRule
from sgl.frontend import Compiled
from sgl.rendering.meaning import ViewError
from sgl.sampling import NotEnoughError, pack
from sgl.sampling import batches as batches_module
from sgl.sampling import blanks as blanks_module
from sgl.sampling import forks as forks_module
from sgl.sampling import phrases as phrases_module
from sgl.sampling.batches import Drawing
from sgl.sampling.engine import PackedStratum, PackedText, PackedView, State, Tables
from sgl.sampling.forks import MOST_DRAWS, Forks
from sgl.sampling.kinds import Kinds
from sgl.sampling.lanes import DRAWS, KEY_BYTES, PIECE_BITS, candidate_keys, columns
from sgl.sampling.random import candidate_key, number, stream_key
from sgl.sampling.rows import rows
from sgl.sampling.standalone import BUNDLED

Rows = dict[str, list[list[str]]]


def plainly(tables: Tables) -> Rows:
    found: Rows = {}
    for split, of_targets in rows(tables):
        found.setdefault(split, []).append(of_targets)
    return found


def in_batches(tables: Tables) -> Rows:
    drawing = Drawing(tables)
    found: Rows = {}
    for stratum in tables.strata:
        columns = drawing.rows(stratum)
        if columns[0]:
            found.setdefault(stratum.split, []).extend(map(list, zip(*columns, strict=True)))
    return found


def outcome(draw: Callable[[Tables], Rows], tables: Tables) -> object:
    """What was drawn, or what was said when sentences ran out."""
    try:
        return draw(tables)
    except NotEnoughError as error:
        return str(error), error.found, error.candidates, error.rejected


# --- random numbers ------------------------------------------------------------------------


@given(
    key=st.integers(0, (1 << 64) - 1),
    first=st.integers(0, 1 << 40),
    count=st.sampled_from([1, 2, 499, 500, 501, 1_007]),
    drawn=st.integers(0, 100),
)
def test_numbers_in_lanes_are_those_that_are_made_one_by_one(
    key: int, first: int, count: int, drawn: int
) -> None:
    keys = candidate_keys(key, first, count)
    found = columns(keys, drawn)
    assert {len(column) for column in found} == {count}
    for item in {0, count // 2, count - 1}:
        own = candidate_key(key, first + item)
        assert keys[KEY_BYTES * item : KEY_BYTES * (item + 1)] == own.to_bytes(16, "little")
        expected = [number(own, drawn + draw) >> 64 - PIECE_BITS for draw in range(DRAWS)]
        assert [column[item] for column in found] == expected


def test_a_cell_of_several_words_is_decided_by_the_whole_number() -> None:
    """Most of 6,000 words share their cell of 4,096 with another."""
    words = 6_000
    tables = tables_of(
        [State(list(range(1, words + 1)), list(range(words)), [()] * words)],
        [(f"w{rule}",) for rule in range(words)],
        wanted=500,
    )
    assert not all(Kinds(tables).choice(0).kinds[0].cells)
    assert in_batches(tables) == plainly(tables)


# --- derivations ---------------------------------------------------------------------------


def tables_of(
    states: list[State],
    templates: list[tuple[str | int, ...]],
    wanted: int,
    *,
    join: str = " ",
    attach: frozenset[str] = frozenset(),
) -> Tables:
    """Tables of one stratum whose target is the source once more."""
    arity = [
        len({max(item, ~item) for item in template if isinstance(item, int)})
        for template in templates
    ]
    none: list[tuple[str, ...]] = [()] * len(arity)
    stratum = PackedStratum("train", "100 %s", "s", wanted, 0, True, (), True)
    source = PackedText("en", join, attach, templates)
    target = source._replace(name="again")
    return Tables(7, states, [stratum], arity, none, none, source, [target], False)


def test_sentences_of_any_length_are_drawn() -> None:
    """Some end at once, some wait for more draws several times, some are too long to follow."""
    tables = tables_of(
        [State([30, 31], [0, 1], [(1, 0), ()]), State([1, 3, 4], [2, 3, 4], [(), (), ()])],
        [(0, 1), (".",), ("a",), ("b",), ("c",)],
        wanted=400,
    )
    lengths = {len(source.split()) for (row,) in plainly(tables)["train"] for source in [row]}
    assert min(lengths) < DRAWS
    assert max(lengths) > MOST_DRAWS
    assert in_batches(tables) == plainly(tables)


def test_a_state_may_have_more_kinds_than_a_byte_has_values() -> None:
    kinds = 300
    tables = tables_of(
        [
            State(list(range(1, kinds + 1)), list(range(kinds)), [(1,)] * kinds),
            State([1, 2], [kinds, kinds + 1], [(), ()]),
        ],
        [*((f"frame{rule}", 0) for rule in range(kinds)), ("a",), ("b",)],
        wanted=900,
    )
    assert len(Kinds(tables).choice(0).kinds) == kinds
    assert in_batches(tables) == plainly(tables)


@pytest.mark.parametrize("join", [" ", "", "--"])
def test_capitals_attached_words_and_signs_of_percent_are_written_as_they_are(join: str) -> None:
    words: list[tuple[str | int, ...]]
    words = [("élan",), ("ß",), ("Ab",), ("ab",), (",",), ("",), ("so", "so"), ("%s",), ("100%",)]
    number_of_words = len(words)
    lexical = State(
        list(range(1, number_of_words + 1)), list(range(2, 2 + number_of_words)), [()] * 9
    )
    tables = tables_of(
        [State([1, 2], [0, 1], [(1, 1), (1, 0)]), lexical],
        [("«%", ~0, 1, ")"), (~1, "ab", 0, 1), *words],
        wanted=600,
        join=join,
        attach=frozenset({",", "Ab", ")"}),
    )
    assert in_batches(tables) == plainly(tables)


def test_derivations_that_differ_in_their_words_only_end_together() -> None:
    compiled = sget(meanings="on")
    tables = whole_tables(compiled, {"train": 2_000})
    shapes = Forks(Kinds(tables), tables.strata[0].start).draw(
        stream_key(tables.seed, tables.strata[0].stream), 0, 2_000
    )
    numbers = chain.from_iterable(alike.numbers for alike in shapes)
    assert sorted(numbers) == list(range(2_000))
    assert len({alike.shape for alike in shapes}) == len(shapes) < 1_000


# --- rows ----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(24))
def test_random_tables_give_the_rows_and_rejections_of_the_plain_sampler(seed: int) -> None:
    tables = TableMaker(seed, orderly=seed % 3 > 0).tables()
    assert outcome(in_batches, tables) == outcome(plainly, tables)


@pytest.mark.parametrize("most", [1, 7, 1_999])
def test_neither_the_size_of_batches_nor_what_is_forgotten_shows(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = TableMaker(4, orderly=True).tables()
    expected = outcome(plainly, tables)
    monkeypatch.setattr(batches_module, "LEAST_AT_ONCE", 1)
    monkeypatch.setattr(batches_module, "MOST_AT_ONCE", most)
    monkeypatch.setattr(forks_module, "MOST_FORKS", 3)
    monkeypatch.setattr(forks_module, "FIRST_DRAWS", DRAWS)
    monkeypatch.setattr(blanks_module, "MOST_SHAPES", 2)
    monkeypatch.setattr(phrases_module, "MOST_PHRASES", 2)
    assert outcome(in_batches, tables) == expected


def test_a_drawing_that_begins_again_draws_the_same_rows() -> None:
    tables = TableMaker(4, orderly=True).tables()
    drawing = Drawing(tables)
    first = [drawing.rows(stratum) for stratum in tables.strata]
    assert any(any(columns) for columns in first)
    drawing.begin_again()
    assert [drawing.rows(stratum) for stratum in tables.strata] == first


def whole_tables(compiled: Compiled, counts: dict[str, int]) -> Tables:
    """Tables of a grammar as it is, without what patterns hold out."""
    plan = plan_of(counts, lemmas=compiled.plan.distinct_lemmas, sentences=True)
    plan = replace(
        plan,
        source=compiled.plan.source,
        target=compiled.plan.target,
        further=compiled.plan.further,
        lemma_layer=compiled.plan.lemma_layer,
    )
    splits = {stratum.stream: whole(compiled.grammar) for stratum in plan.strata}
    return pack(compiled.grammar, plan, splits)


@pytest.mark.parametrize(
    "compiled", [lambda: sget(meanings="on"), lambda: slog_grammar("slog")], ids=["sget", "slog"]
)
def test_logical_forms_and_translations_are_those_of_the_plain_sampler(
    compiled: Callable[[], Compiled],
) -> None:
    tables = whole_tables(compiled(), {"train": 700, "dev": 100, "gen": 200})
    assert len(tables.targets) > 1
    drawn = in_batches(tables)
    assert Counter({split: len(found) for split, found in drawn.items()}) == {
        "train": 700,
        "dev": 100,
        "gen": 200,
    }
    assert drawn == plainly(tables)


def test_targets_with_shares_and_ambiguous_candidates_are_judged_alike() -> None:
    tables = whole_tables(sget(), {"train": 300, "gen": 60})
    train, gen = tables.strata
    tables = tables._replace(
        strata=[
            train._replace(ambiguous=frozenset(range(0, 200, 3))),
            gen._replace(targets=("child", "find", "run"), repeated_lemmas=True, repeated=True),
        ]
    )
    assert in_batches(tables) == plainly(tables)


def test_a_part_without_items_may_have_no_derivation() -> None:
    tables = tables_of([State([1], [0], [()]), State([], [], [])], [("a",)], wanted=1)
    nothing = tables.strata[0]._replace(stream="t", wanted=0, start=1)
    tables = tables._replace(strata=[nothing, *tables.strata])
    assert in_batches(tables) == plainly(tables) == {"train": [["a\ta\t100 %s\n"]]}


def test_a_word_without_a_lemma_is_not_taken_for_one_that_has_one() -> None:
    words, lemmas = ("dog", "cat", "it"), ("dog", "cat", "")
    tables = tables_of(
        [State([1, 2, 3], [0, 1, 2], [()] * 3)], [(word,) for word in words], wanted=9
    )
    nodes = [GluingNode((("lemma", lemma), ("type", "entity")), 0, ()) for lemma in lemmas]
    rules = [GluingRule((WORD,), (node,), (), (0,)) for node in nodes]
    tables = tables._replace(targets=[PackedView("lf", "cogs", rules)])
    assert [len(words.entries) for words in Kinds(tables).classes] == [2, 1]
    with pytest.raises(ViewError, match="lemma ''"):
        plainly(tables)
    with pytest.raises(ViewError, match="lemma ''"):
        in_batches(tables)


def test_what_could_not_be_read_back_is_refused_as_by_the_plain_sampler() -> None:
    tables = tables_of([State([1], [0], [()])], [("a\tb",)], wanted=1)
    with pytest.raises(ValueError, match="cannot hold"):
        plainly(tables)
    with pytest.raises(ValueError, match="cannot hold"):
        in_batches(tables)


def test_the_modules_of_the_standalone_sampler_have_no_name_in_common() -> None:
    """Their code stands in one module."""
    names: Counter[str] = Counter(("Path", "argparse", "sys"))
    for name in BUNDLED:
        package, _, module = name.rpartition(".")
        tree = ast.parse((files(package) / f"{module}.py").read_text("utf-8"))
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names[node.name] += 1
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                names.update(
                    found.id
                    for target in targets
                    for found in ast.walk(target)
                    if isinstance(found, ast.Name)
                )
    assert [name for name, times in names.items() if times > 1] == []
