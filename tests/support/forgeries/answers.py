"""Right answers of sentences with several, and the readings that show them."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial

from forging import Forger, forgery

from forgeries.rows import first, forget, swap

of_answers = partial(forgery, "answers", dataset="listed")
REFERENCES, READINGS = "references/train.jsonl", "readings/train.tsv"


@of_answers("R04")
def an_answer_that_is_left_out(of: Forger) -> None:
    """A sentence has one of its two answers only."""
    of.edit(REFERENCES, several(lambda texts: texts[:-1]))


@of_answers("R04")
def an_answer_that_is_added(of: Forger) -> None:
    """A sentence has an answer that no reading gives."""
    of.edit(REFERENCES, several(lambda texts: [*texts, "猫。"]))


@of_answers("R04")
def answers_in_another_order(of: Forger) -> None:
    """The text of the row is the last of its answers."""
    of.edit(REFERENCES, several(lambda texts: texts[::-1]))


@of_answers("R04")
def answers_of_the_next_row(of: Forger) -> None:
    """Two rows exchange their answers."""
    of.edit(REFERENCES, swap)


@of_answers("R02")
def no_answers(of: Forger) -> None:
    """The answers of the items are missing, and the manifest does not list them."""
    forget(of, "references/gen.jsonl")


@of_answers("R02")
def no_readings(of: Forger) -> None:
    """What shows the answers of the items is missing, and the manifest does not list it."""
    forget(of, "readings/gen.tsv")


@of_answers("R04")
def a_reading_that_is_left_out(of: Forger) -> None:
    """An answer is listed, and the reading that shows it is not."""
    of.edit(READINGS, lambda rows: rows.pop(0))


@of_answers("R09")
def a_reading_that_is_there_twice(of: Forger) -> None:
    """A reading is listed twice."""
    of.edit(READINGS, lambda rows: rows.insert(0, rows[0]))


@of_answers("R09")
def an_answer_by_a_reading_of_another_sentence(of: Forger) -> None:
    """The readings of two sentences are exchanged."""

    def edit(rows: list[str]) -> None:
        (one, its), (other, own) = rows[0].split("\t"), rows[-1].split("\t")
        rows[0], rows[-1] = f"{one}\t{own}", f"{other}\t{its}"

    of.edit(READINGS, edit)


@of_answers("R09")
def an_answer_by_a_reading_that_is_no_text(of: Forger) -> None:
    """A reading ends too early."""
    of.edit(READINGS, lambda rows: rows.__setitem__(0, rows[0].rpartition(" ")[0]))


@of_answers("R09")
def a_reading_of_nobody(of: Forger) -> None:
    """A candidate that was never drawn has another answer."""
    of.edit(READINGS, lambda rows: rows.append("train/in_distribution#99999\t1"))


@of_answers("R09")
def a_reading_with_a_remark(of: Forger) -> None:
    """A third column follows a reading."""
    of.edit(READINGS, lambda rows: rows.__setitem__(0, rows[0] + "\tchecked"))


@of_answers("R09")
def a_reading_with_a_zero(of: Forger) -> None:
    """A rule of a reading is written with a zero before it."""
    of.edit(READINGS, first("\t", "\t0"))


@forgery("answers", "R02", "kept")
def answers_where_none_are_listed(of: Forger) -> None:
    """There is a file of answers in a dataset that lists none."""
    (of.directory / "references").mkdir()
    of.write_text(REFERENCES, "")


def several(change: Callable[[list[str]], list[str]]) -> Callable[[list[str]], None]:
    """Change the answers of the first row with several."""

    def edit(rows: list[str]) -> None:
        number, answers = next((n, own) for n, own in enumerate(map(json.loads, rows)) if len(own["ja"]) > 1)
        rows[number] = json.dumps({"ja": change(answers["ja"])}, ensure_ascii=False)

    return edit
