"""Rows that are said to be derived otherwise, and what is said to be rejected."""

from __future__ import annotations

import shutil
from functools import partial

from forging import Forger, forgery

from forgeries.rows import TRAIN, first, forget, rewrite, swap

of_derivation = partial(forgery, "derivations")
of_rejected = partial(forgery, "derivations", "R06", "ambiguous")


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


@of_rejected()
def a_reading_of_another_sentence(of: Forger) -> None:
    """A sentence is rejected because another sentence has another reading."""
    of.edit(REJECTED, lambda rows: reading(rows, rows[-1].split("\t")[1]))


@of_rejected()
def a_reading_that_is_no_text(of: Forger) -> None:
    """A sentence is rejected because of a derivation that ends too early."""
    of.edit(REJECTED, lambda rows: reading(rows, rows[0].split("\t")[1].rpartition(" ")[0]))


@of_rejected()
def a_reading_with_a_rule_more(of: Forger) -> None:
    """A sentence is rejected because of a derivation that goes on."""
    of.edit(REJECTED, lambda rows: reading(rows, rows[0].split("\t")[1] + " 1"))


@of_rejected()
def a_reading_of_rules_that_are_not_there(of: Forger) -> None:
    """A sentence is rejected because of rule 999."""
    of.edit(REJECTED, lambda rows: reading(rows, "999"))


@of_rejected()
def a_reading_of_nothing(of: Forger) -> None:
    """A sentence is rejected because of an empty derivation."""
    of.edit(REJECTED, lambda rows: reading(rows, ""))


@of_rejected()
def a_good_sentence_that_is_rejected(of: Forger) -> None:
    """A training sentence is left out, as if its own derivation showed that it is ambiguous."""
    line = of.text(TRAIN).split("\n")[0]
    of.edit(REJECTED, lambda rows: rows.insert(0, line))
    rewrite(of, "train", lambda rows: rows[1:], lambda lines: lines[1:])


@of_rejected()
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


# ---- what is rejected, written in another way than the one


@of_rejected()
def a_rule_with_a_sign(of: Forger) -> None:
    """A rule of another reading is written with a plus, which Python reads."""
    of.edit(REJECTED, first("\t", "\t+"))


@of_rejected()
def a_rule_with_a_minus(of: Forger) -> None:
    """A rule of another reading is counted from the end, as Python does."""
    of.edit(REJECTED, first("\t", "\t-"))


@of_rejected()
def a_rule_with_a_zero_before_it(of: Forger) -> None:
    """A rule of another reading is written with a zero before it."""
    of.edit(REJECTED, first("\t", "\t0"))


@of_rejected()
def a_rejection_without_an_end(of: Forger) -> None:
    """The last line of what is rejected has no end, so that programs differ about it."""
    of.write_text(REJECTED, of.text(REJECTED)[:-1])


@of_rejected()
def a_rejection_after_the_last_line(of: Forger) -> None:
    """A remark without the end of a line follows what is rejected."""
    of.write_text(REJECTED, of.text(REJECTED) + "all good")


@of_rejected()
def rejections_that_end_as_on_windows(of: Forger) -> None:
    """Lines of what is rejected end as on Windows."""
    of.write_text(REJECTED, of.text(REJECTED).replace("\n", "\r\n"))


@of_rejected()
def a_rejection_with_a_remark(of: Forger) -> None:
    """A third column follows another reading."""
    of.edit(REJECTED, lambda rows: rows.__setitem__(0, rows[0] + "\tchecked"))


@of_derivation("R06", "kept")
def rejections_where_none_are_rejected(of: Forger) -> None:
    """There is a list of rejected sentences, though ambiguous ones are only counted."""
    of.write_text(REJECTED, "")


# ---- what these are made of


def reading(rows: list[str], derivation: str) -> None:
    """Give the first rejected sentence another derivation as its reason."""
    rows[0] = f"{rows[0].split(chr(9))[0]}\t{derivation}"
