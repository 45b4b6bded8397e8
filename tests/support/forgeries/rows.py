"""Rows that were changed, added, removed, moved, or said to be derived otherwise."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from typing import Any

from forging import Forger, forgery

from tampering.copy import Row

of_rows = partial(forgery, "rows")
of_order = partial(forgery, "order of rows")
of_derivation = partial(forgery, "derivations")

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
    rewrite(
        of,
        "test",
        lambda rows: [changed(rows[0], target=rows[0].target.replace("が", "は")), *rows[1:]],
    )


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


@of_order("V006")
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


# ---- derivations


@of_derivation("R03")
def another_word_of_a_derivation(of: Forger) -> None:
    """A derivation has another noun than its row."""
    of.edit(TRAIN, first(" 8", " 9"))


@of_derivation("R03")
def another_candidate(of: Forger) -> None:
    """A row is said to be candidate 1000 of its stream."""
    of.edit(TRAIN, first("#0\t", "#1000\t"))


@of_derivation("R03")
def the_next_candidate(of: Forger) -> None:
    """The first row is said to be the second candidate of its stream."""
    of.edit(TRAIN, first("#0\t", "#1\t"))


@of_derivation("R03")
def another_stream(of: Forger) -> None:
    """A row is said to be drawn from the stream of the items."""
    of.edit(TRAIN, first("train/in_distribution#", "gen/pp_in_subject/0#"))


@of_derivation("R03")
def a_candidate_with_a_zero_before_it(of: Forger) -> None:
    """The number of a candidate is written with a zero before it."""
    of.edit(TRAIN, first("#0\t", "#00\t"))


@of_derivation("R03")
def a_number_with_a_zero_before_it_in_a_derivation(of: Forger) -> None:
    """A rule of a derivation is written with a zero before it."""
    of.edit(TRAIN, first(" 8", " 08"))


@of_derivation("R03")
def a_derivation_that_ends_early(of: Forger) -> None:
    """A derivation lacks its last rule."""
    of.edit(TRAIN, lambda rows: rows.__setitem__(0, rows[0].rpartition(" ")[0]))


@of_derivation("R03")
def a_derivation_with_a_rule_more(of: Forger) -> None:
    """A rule follows a derivation that is complete."""
    of.edit(TRAIN, lambda rows: rows.__setitem__(0, rows[0] + " 8"))


@of_derivation("R03")
def a_derivation_with_a_remark(of: Forger) -> None:
    """A third column follows a derivation."""
    of.edit(TRAIN, lambda rows: rows.__setitem__(0, rows[0] + "\tchecked"))


@of_derivation("R03")
def an_empty_line(of: Forger) -> None:
    """An empty line precedes the derivations."""
    of.edit(TRAIN, lambda rows: rows.insert(0, ""))


@of_derivation("R02")
def a_line_more(of: Forger) -> None:
    """A derivation follows the last row."""
    of.edit(TRAIN, lambda rows: rows.append(rows[-1]))


@of_derivation("R03")
def other_ends_of_lines(of: Forger) -> None:
    """Lines end as on Windows."""
    of.write_text(TRAIN, of.text(TRAIN).replace("\n", "\r\n"))


@of_derivation("R03")
def other_digits(of: Forger) -> None:
    """Numbers of rules are written with Arabic-Indic digits, which Python reads."""
    of.edit(TRAIN, first(" 8", " \u0668"))


@of_derivation("R02")
def no_derivations(of: Forger) -> None:
    """The folder of derivations is missing, and the manifest does not list it."""
    shutil.rmtree(of.directory / "derivations")
    files = of.manifest["files"]
    of.manifest["files"] = [own for own in files if not own["path"].startswith("derivations")]


@of_derivation("R02")
def no_derivations_of_items(of: Forger) -> None:
    """The derivations of the items are missing, and the manifest does not list them."""
    forget(of, "derivations/gen.tsv")


@of_derivation("R02", "ambiguous")
def no_list_of_rejected_sentences(of: Forger) -> None:
    """The list of rejected sentences is missing, and the manifest does not list it."""
    forget(of, "derivations/rejected.tsv")


@of_derivation("R03", "ambiguous")
def an_empty_list_of_rejected_sentences(of: Forger) -> None:
    """The list of rejected sentences is empty."""
    of.write_text("derivations/rejected.tsv", "")


REJECTED = "derivations/rejected.tsv"


@of_derivation("R03", "ambiguous")
def a_rejected_sentence_that_is_let_in(of: Forger) -> None:
    """A sentence is not rejected although it is ambiguous."""
    of.edit(REJECTED, lambda rows: rows.pop(0))


@of_derivation("R03", "ambiguous")
def the_last_rejected_sentence_is_let_in(of: Forger) -> None:
    """The last rejected sentence is not rejected."""
    of.edit(REJECTED, lambda rows: rows.pop())


@of_derivation("R06", "ambiguous")
def a_reading_of_another_sentence(of: Forger) -> None:
    """A sentence is rejected because another sentence has another reading."""
    of.edit(REJECTED, lambda rows: reading(rows, rows[-1].split("\t")[1]))


@of_derivation("R06", "ambiguous")
def a_reading_that_is_no_text(of: Forger) -> None:
    """A sentence is rejected because of a derivation that ends too early."""
    of.edit(REJECTED, lambda rows: reading(rows, rows[0].split("\t")[1].rpartition(" ")[0]))


@of_derivation("R06", "ambiguous")
def a_reading_with_a_rule_more(of: Forger) -> None:
    """A sentence is rejected because of a derivation that goes on."""
    of.edit(REJECTED, lambda rows: reading(rows, rows[0].split("\t")[1] + " 1"))


@of_derivation("R01", "ambiguous")
def a_reading_of_rules_that_are_not_there(of: Forger) -> None:
    """A sentence is rejected because of rule 999."""
    of.edit(REJECTED, lambda rows: reading(rows, "999"))


@of_derivation("R01", "ambiguous")
def a_reading_of_nothing(of: Forger) -> None:
    """A sentence is rejected because of an empty derivation."""
    of.edit(REJECTED, lambda rows: reading(rows, ""))


@of_derivation("R06", "ambiguous")
def a_good_sentence_that_is_rejected(of: Forger) -> None:
    """A training sentence is left out, as if its own derivation showed that it is ambiguous."""
    line = of.text(TRAIN).split("\n")[0]
    of.edit(REJECTED, lambda rows: rows.insert(0, line))
    rewrite(of, "train", lambda rows: rows[1:], lambda lines: lines[1:])


@of_derivation("R06", "ambiguous")
def a_rejection_of_nobody(of: Forger) -> None:
    """A candidate that was never drawn is rejected."""
    of.edit(REJECTED, lambda rows: rows.append("train/in_distribution#99999\t1"))


@of_derivation("R03", "ambiguous")
def rejections_in_another_order(of: Forger) -> None:
    """Two rejected sentences change places in their list."""
    of.edit(REJECTED, swap)


@of_derivation("V030", "ambiguous")
def rejections_that_the_manifest_does_not_count(of: Forger) -> None:
    """By the manifest one rejected sentence less was ambiguous, and one more was too long."""
    own = of.manifest["splits"]["train"]["strata"][0]["rejected"]
    own["ambiguous"] -= 1
    own["too_long"] += 1


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


def reading(rows: list[str], derivation: str) -> None:
    """Give the first rejected sentence another derivation as its reason."""
    rows[0] = f"{rows[0].split(chr(9))[0]}\t{derivation}"


def forget(of: Forger, path: str) -> None:
    """Remove a file from directory and manifest."""
    (of.directory / path).unlink()
    of.manifest["files"] = [own for own in of.manifest["files"] if own["path"] != path]
