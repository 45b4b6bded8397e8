"""Columns of Parquet that say something else than the rows; all hashes are computed again."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from forging import Forger, forgery

from forgeries.rows import forget

of_columns = partial(forgery, "columns of Parquet")


TABLE = "parquet/test.parquet"


def table(of: Forger, change: Callable[[pa.Table], pa.Table], path: str = TABLE) -> None:
    """Write a table again that was changed."""
    pq.write_table(change(pq.read_table(of.directory / path)), of.directory / path)


def value(of: Forger, column: str, change: Callable[[Any], Any], path: str = TABLE) -> None:
    """Change the fourth value of a column."""

    def edit(rows: pa.Table) -> pa.Table:
        index, values = rows.column_names.index(column), rows.column(column).to_pylist()
        values[3] = change(values[3])
        field = rows.schema.field(column)
        return rows.set_column(index, field, pa.array(values, field.type))

    table(of, edit, path)


@of_columns("V031")
def an_identifier(of: Forger) -> None:
    """The identifier of a row is another one."""
    value(of, "id", lambda _: "0" * 16)


@of_columns("V031")
def a_source(of: Forger) -> None:
    """The source of a row is another one in Parquet."""
    value(of, "source", lambda _: "Nothing.")


@of_columns("V031")
def a_target(of: Forger) -> None:
    """The target of a row is another one in Parquet."""
    value(of, "target", lambda text: text + "。")


@of_columns("V031", "kites")
def a_second_target(of: Forger) -> None:
    """The second target of a row is another one in Parquet."""
    value(of, "target_varfree", lambda text: text.replace("(", "( "))


@of_columns("V031", "listed")
def an_answer_in_parquet(of: Forger) -> None:
    """A wrong answer is among the right ones in Parquet."""
    value(of, "references", lambda answers: [*answers, "無。"], "parquet/gen.parquet")


@of_columns("V031", "listed")
def no_column_of_answers(of: Forger) -> None:
    """There is no column of right answers."""
    table(of, lambda rows: rows.drop_columns(["references"]), "parquet/gen.parquet")


@of_columns("V031")
def a_column_of_answers_where_none_are_listed(of: Forger) -> None:
    """There are other right answers, in a dataset that lists none."""
    table(of, lambda rows: rows.append_column("references", pa.array([["無。"]] * len(rows))))


@of_columns("V031")
def a_category(of: Forger) -> None:
    """A test sentence is an item in Parquet."""
    value(of, "category", lambda _: "pp_in_subject")


@of_columns("V031")
def a_kind_of_split(of: Forger) -> None:
    """A test sentence is of the kind of items in Parquet."""
    value(of, "split_kind", lambda _: "gen")


@of_columns("V031")
def a_derivation(of: Forger) -> None:
    """The derivation of a row has another word."""
    value(of, "derivation", lambda text: text.replace("noun_phrase the", "noun_phrase a"))


@of_columns("V031")
def a_depth(of: Forger) -> None:
    """A row is one deeper than its derivation."""
    value(of, "depth", lambda depth: depth + 1)


@of_columns("V031")
def features(of: Forger) -> None:
    """A row is said to have nine modifiers."""
    value(of, "features", lambda counts: {**counts, "nmod": 9})


@of_columns("V031")
def a_stream(of: Forger) -> None:
    """A row is said to come from the stream of training."""
    value(of, "seed_stream", lambda text: text.replace("test", "train"))


@of_columns("V031")
def a_number_in_a_stream(of: Forger) -> None:
    """A row is said to be another candidate."""
    value(of, "seed_stream", lambda text: text + "0")


@of_columns("V031")
def nothing_in_a_column(of: Forger) -> None:
    """A row has no depth."""
    value(of, "depth", lambda _: None)


@of_columns("V031")
def a_column_less(of: Forger) -> None:
    """There is no column of derivations."""
    table(of, lambda rows: rows.drop_columns(["derivation"]))


@of_columns("V031")
def a_column_more(of: Forger) -> None:
    """A column says that every row was checked."""
    table(of, lambda rows: rows.append_column("checked", pa.array(["yes"] * len(rows))))


@of_columns("V031")
def a_column_of_another_type(of: Forger) -> None:
    """Depths are texts."""
    table(of, lambda rows: rows.set_column(6, "depth", rows.column("depth").cast(pa.string())))


@of_columns("V031")
def a_column_of_depths_twice(of: Forger) -> None:
    """There are two columns of depths; the first is a lie."""
    table(of, lambda rows: rows.add_column(0, "depth", pa.array([1] * 6)))


@of_columns("V031")
def a_column_twice(of: Forger) -> None:
    """There are two columns of targets; the first is a lie."""
    lie = pa.array(["無。"] * 6)
    table(of, lambda rows: rows.add_column(0, "target", lie))


@of_columns("V031")
def rows_of_parquet_that_change_places(of: Forger) -> None:
    """The rows of a Parquet file are in the opposite order."""
    table(of, lambda rows: rows.take(list(range(len(rows)))[::-1]))


@of_columns("V031")
def a_row_of_parquet_less(of: Forger) -> None:
    """A Parquet file has a row less."""
    table(of, lambda rows: rows.slice(1))


@of_columns("V031")
def a_row_of_parquet_more(of: Forger) -> None:
    """A Parquet file has a row more."""
    table(of, lambda rows: pa.concat_tables([rows, rows.slice(0, 1)]))


@of_columns("V031")
def a_file_that_is_no_parquet(of: Forger) -> None:
    """A Parquet file is a text."""
    of.write_text(TABLE, "PAR1 and nothing else")


@of_columns("V031")
def a_parquet_file_of_another_split(of: Forger) -> None:
    """The Parquet file of the test sentences has the development sentences."""
    shutil.copy(of.directory / "parquet/dev.parquet", of.directory / TABLE)


@of_columns("V031")
def a_parquet_file_less(of: Forger) -> None:
    """The Parquet file of the items is missing, and the manifest does not list it."""
    forget(of, "parquet/gen.parquet")


@of_columns("V031")
def columns_in_another_order(of: Forger) -> None:
    """The columns of a file are in another order."""
    table(of, lambda rows: rows.select(rows.column_names[::-1]))


@of_columns("V031")
def remarks_in_a_file(of: Forger) -> None:
    """The metadata of a file say that it was checked by hand."""
    table(of, lambda rows: rows.replace_schema_metadata({"checked": "by hand"}))


@of_columns("V031")
def remarks_on_a_column(of: Forger) -> None:
    """The metadata of a column say that it was checked by hand."""

    def edit(rows: pa.Table) -> pa.Table:
        field = rows.schema.field("target").with_metadata({"checked": "by hand"})
        index = rows.column_names.index("target")
        return rows.set_column(index, field, rows.column("target"))

    table(of, edit)


@of_columns("V031")
def a_column_of_large_texts(of: Forger) -> None:
    """A column has another type of texts, which some programs cannot read."""

    def edit(rows: pa.Table) -> pa.Table:
        index = rows.column_names.index("category")
        return rows.set_column(index, "category", rows.column("category").cast(pa.large_string()))

    table(of, edit)
