"""Rows that were changed, added, removed or moved."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from forging import Forger, forgery

from tampering.copy import Row

of_rows = partial(forgery, "rows")
of_order = partial(forgery, "order of rows")

TRAIN = "derivations/train.tsv"


# ---- rows: changed in all files alike, with all counts and hashes


@of_rows("R04")
def all_targets_are_nonsense(of: Forger) -> None:
    """The target of every row is nonsense, in every file."""
    for split in ("train", "dev", "test", "gen"):
        rewrite(of, split, lambda rows: [changed(row, target="無。") for row in rows])


@of_rows("R04")
def a_target_is_that_of_another_row(of: Forger) -> None:
    """Two rows exchange their targets."""

    def edit(rows: list[Row]) -> list[Row]:
        one, two, *rest = rows
        return [changed(one, target=two.target), changed(two, target=one.target), *rest]

    rewrite(of, "train", edit)


@of_rows("R04")
def a_target_with_another_word(of: Forger) -> None:
    """A subject is marked as a topic in one target."""
    rewrite(of, "test", lambda rows: [changed(rows[0], target=rows[0].target.replace("が", "は")), *rows[1:]])


@of_rows("R04")
def a_word_of_a_source(of: Forger) -> None:
    """One source has another verb, with its lemma, in text and graph."""
    rewrite(of, "train", lambda rows: [rows[0].reworded(2, "poked", "poke"), *rows[1:]])


@of_rows("R04")
def a_category_of_an_item(of: Forger) -> None:
    """An item of the pattern is called in-distribution and moved to the test sentences."""
    item = of.read("gen")[-1].called("in_distribution")
    rewrite(of, "gen", lambda rows: rows[:-1])
    rewrite(of, "test", lambda rows: [*rows, item])


@of_rows("R04")
def a_training_row_less(of: Forger) -> None:
    """A training row is missing in texts and graphs; derivations are left as they were."""
    rewrite(of, "train", lambda rows: rows[1:])


@of_rows("R03")
def a_training_row_less_everywhere(of: Forger) -> None:
    """A training row is missing in every file."""
    rewrite(of, "train", lambda rows: rows[1:], lambda lines: lines[1:])


@of_rows("R03")
def the_last_row_less(of: Forger) -> None:
    """The last item is missing in every file, and in the counts of the manifest."""
    rewrite(of, "gen", lambda rows: rows[:-1], lambda lines: lines[:-1])


@of_rows("R02")
def a_row_more(of: Forger) -> None:
    """The last development sentence is there twice, in every file."""
    rewrite(of, "dev", lambda rows: [*rows, rows[-1]], lambda lines: [*lines, lines[-1]])


@of_rows("V018")
def an_item_in_training(of: Forger) -> None:
    """An item takes the place of a training row, in every file."""
    item = of.read("gen")[0].called("in_distribution")
    line = of.text("derivations/gen.tsv").split("\n")[0]
    rewrite(of, "train", lambda rows: [item, *rows[1:]], lambda lines: [line, *lines[1:]])


@of_rows("V009")
def an_item_moved_to_training(of: Forger) -> None:
    """An item takes the place of a training row, and a training row that of the item."""
    (item, *items), (row, *rows) = of.read("gen"), of.read("train")
    of.write("gen", [row.called("pp_in_subject"), *items])
    of.write("train", [item.called("in_distribution"), *rows])


@of_rows("R03")
def a_test_sentence_in_training(of: Forger) -> None:
    """A test sentence and a training sentence change places."""
    (one, *ones), (two, *twos) = of.read("test"), of.read("train")
    of.write("test", [two, *ones])
    of.write("train", [one, *twos])
    (a, *rest_a), (b, *rest_b) = (of.text(p).split("\n") for p in ("derivations/test.tsv", TRAIN))
    of.write_text("derivations/test.tsv", "\n".join([b, *rest_a]))
    of.write_text(TRAIN, "\n".join([a, *rest_b]))


@of_rows("R04", "kites")
def a_further_target(of: Forger) -> None:
    """A second target is another one."""
    of.edit("data/varfree/gen.tsv", first("* ", ""))


@of_rows("R04", "kites")
def a_logical_form_with_another_word(of: Forger) -> None:
    """A logical form has another noun."""
    of.edit("data/varfree/train.tsv", first("kite", "tent"))


@of_rows("R04", "kites")
def the_logical_form_of_a_sentence(of: Forger) -> None:
    """Two rows exchange their second target."""

    def edit(rows: list[str]) -> None:
        one, two = (row.split("\t") for row in rows[:2])
        one[1], two[1] = two[1], one[1]
        rows[:2] = ["\t".join(one), "\t".join(two)]

    of.edit("data/varfree/train.tsv", edit)


@of_rows("R03", "composed")
def an_exposure_more(of: Forger) -> None:
    """An exposure is there once more, in place of another one."""
    of.edit(TRAIN, lambda rows: rows.__setitem__(-1, rows[-2]))


# ---- order


@of_order("R03")
def rows_that_change_places(of: Forger) -> None:
    """Two training rows change places, in every file."""
    reorder(of, "train", lambda rows: [rows[1], rows[0], *rows[2:]])


@of_order("R03")
def rows_that_are_reversed(of: Forger) -> None:
    """The training rows are in the opposite order, in every file."""
    reorder(of, "train", lambda rows: rows[::-1])


@of_order("R03")
def rows_that_are_sorted(of: Forger) -> None:
    """The items are sorted by their source, in every file."""
    order = sorted(range(12), key=lambda n: of.read("gen")[n].source)
    reorder(of, "gen", lambda rows: [rows[n] for n in order])


@of_order("R03")
def the_last_row_first(of: Forger) -> None:
    """The last test sentence is the first, in every file."""
    reorder(of, "test", lambda rows: [rows[-1], *rows[:-1]])


@of_order("R04")
def rows_that_change_places_in_texts(of: Forger) -> None:
    """Two rows change places in the TSV file alone."""
    of.edit("data/train.tsv", swap)


@of_order("R03")
def rows_that_change_places_in_derivations(of: Forger) -> None:
    """Two rows change places in the file of derivations alone."""
    of.edit(TRAIN, swap)


@of_order("R03", "kites")
def categories_that_are_mixed(of: Forger) -> None:
    """The sentences of a part come before the others, in every file."""
    reorder(of, "train", lambda rows: [*rows[-6:], *rows[:-6]])


# ---- what these are made of


def rewrite(
    of: Forger,
    split: str,
    rows: Callable[[list[Row]], list[Row]],
    lines: Callable[[list[str]], list[str]] | None = None,
) -> None:
    """Write the rows of a split again, in all files; and the lines of its derivations."""
    of.write(split, rows(of.read(split)))
    of.recount()
    if lines is not None:
        path = f"derivations/{split}.tsv"
        of.write_text(path, "".join(f"{x}\n" for x in lines(of.text(path).split("\n")[:-1])))


def reorder(of: Forger, split: str, order: Callable[[list[Any]], list[Any]]) -> None:
    """Write the rows of a split in another order, in all files."""
    rewrite(of, split, order, order)


def changed(row: Row, **texts: str) -> Row:
    """A row with another source or target."""
    return Row(**{**{name: getattr(row, name) for name in Row.__slots__}, **texts})


def first(old: str, new: str) -> Callable[[list[str]], None]:
    """Replace a text in the first line that has it."""

    def edit(rows: list[str]) -> None:
        number = next(number for number, row in enumerate(rows) if old in row)
        rows[number] = rows[number].replace(old, new, 1)

    return edit


def swap(rows: list[str]) -> None:
    """Let the first two lines change places."""
    rows[0], rows[1] = rows[1], rows[0]


def forget(of: Forger, path: str) -> None:
    """Remove a file from directory and manifest."""
    (of.directory / path).unlink()
    of.manifest["files"] = [own for own in of.manifest["files"] if own["path"] != path]
