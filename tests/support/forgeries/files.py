"""Files that were changed, added or removed, hashes that do not fit, columns of Parquet."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from forging import CERTIFICATE, MANIFEST, Forger, forgery

from forgeries.rows import forget
from sgl.dataset.checksums import CHECKSUMS, write_checksums

#: Here the forger leaves hashes as they are, or changes them alone.
of_hashes = partial(forgery, "hashes", sealed=False)
of_columns = partial(forgery, "columns of Parquet")


# ---- hashes


@of_hashes("V002")
def a_row_behind_its_hash(of: Forger) -> None:
    """A row is changed, and no hash."""
    of.replace("data/train.tsv", "dog", "fox")


@of_hashes("V002")
def a_certificate_behind_its_hash(of: Forger) -> None:
    """A space is added to the certificate, and no hash is changed."""
    of.replace(CERTIFICATE, '{"format"', '{ "format"')


@of_hashes("V002")
def a_derivation_behind_its_hash(of: Forger) -> None:
    """A derivation is changed, and no hash."""
    of.replace("derivations/gen.tsv", "0 1 4", "0 1 3")


@of_hashes("V002")
def a_file_with_a_hash_in_the_list_alone(of: Forger) -> None:
    """A row is changed, and its hash in SHA256SUMS, not in the manifest."""
    of.replace("data/train.tsv", "dog", "fox")
    write_checksums(of.directory, {})


@of_hashes("V028")
def a_file_with_a_hash_in_the_manifest_alone(of: Forger) -> None:
    """A row is changed, and its hash in the manifest, not in SHA256SUMS."""
    of.replace("data/train.tsv", "dog", "fox")
    of.rehash()


@of_hashes("V028")
def another_card(of: Forger) -> None:
    """The card says more than the dataset, and SHA256SUMS does not know."""
    of.replace("README.md", "## Guarantees", "Checked by everybody.\n\n## Guarantees")


@of_hashes("V028")
def another_report(of: Forger) -> None:
    """The report is an empty page."""
    of.write_text("report.html", "")


@of_hashes("V028")
def another_program(of: Forger) -> None:
    """The sampler that comes with the data accepts everything."""
    of.write_text("sampler.py", "raise SystemExit(0)\n")


@of_hashes("V028")
def another_verification(of: Forger) -> None:
    """The verification that comes with the data says that all checks passed."""
    of.write_text("verification.json", '{"ok": true}\n')


@of_hashes("V028")
def a_manifest_behind_its_hash(of: Forger) -> None:
    """The title is another one, and SHA256SUMS does not know."""
    of.replace(MANIFEST, "Animals on a farm", "Animals in a zoo")


@of_hashes("V028")
def a_file_more(of: Forger) -> None:
    """A file is in the directory that no list has."""
    of.write_text("NOTES", "All checked.\n")


@of_hashes("V028")
def a_hidden_file_more(of: Forger) -> None:
    """A hidden file is in a folder."""
    of.write_text("data/.notes", "All checked.\n")


@of_hashes("V002")
def a_split_more(of: Forger) -> None:
    """The directory has rows of a fifth split, which SHA256SUMS lists and the manifest does not."""
    shutil.copy(of.directory / "data/train.tsv", of.directory / "data/extra.tsv")
    write_checksums(of.directory, {})


@of_hashes("V002")
def rows_in_another_folder(of: Forger) -> None:
    """Rows are in a folder where nobody looks."""
    (of.directory / "more").mkdir()
    shutil.copy(of.directory / "data/train.tsv", of.directory / "more/train.tsv")
    write_checksums(of.directory, {})


@of_hashes("V028")
def no_card(of: Forger) -> None:
    """The card is missing, and SHA256SUMS lists it."""
    (of.directory / "README.md").unlink()


@of_hashes("V028")
def no_list_of_files(of: Forger) -> None:
    """SHA256SUMS is missing."""
    (of.directory / CHECKSUMS).unlink()


@of_hashes("V028")
def an_empty_list_of_files(of: Forger) -> None:
    """SHA256SUMS is empty."""
    of.write_text(CHECKSUMS, "")


@of_hashes("V028")
def a_file_less_in_the_list(of: Forger) -> None:
    """SHA256SUMS does not list the report."""
    of.edit(CHECKSUMS, lambda lines: lines.remove(next(x for x in lines if "report" in x)))


@of_hashes("V028")
def a_file_more_in_the_list(of: Forger) -> None:
    """SHA256SUMS lists a file that is not there."""
    of.edit(CHECKSUMS, lambda lines: lines.append(f"{'0' * 64}  zoo.tsv"))


@of_hashes("V028")
def a_file_twice_in_the_list(of: Forger) -> None:
    """SHA256SUMS lists a file twice."""
    of.edit(CHECKSUMS, lambda lines: lines.insert(0, lines[0]))


@of_hashes("V028")
def a_list_in_another_order(of: Forger) -> None:
    """SHA256SUMS is not sorted, so that one dataset has two signatures."""
    of.edit(CHECKSUMS, lambda lines: lines.reverse())


@of_hashes("V028")
def a_list_in_capitals(of: Forger) -> None:
    """Hashes are in capital letters, so that one dataset has two signatures."""
    of.edit(CHECKSUMS, lambda lines: lines.__setitem__(0, lines[0][:64].upper() + lines[0][64:]))


@of_hashes("V028")
def a_list_with_stars(of: Forger) -> None:
    """Paths have the star of binary files, so that one dataset has two signatures."""
    of.edit(CHECKSUMS, lambda lines: lines.__setitem__(0, lines[0].replace("  ", " *")))


@of_hashes("V028")
def a_list_with_a_remark(of: Forger) -> None:
    """SHA256SUMS ends with a remark."""
    of.edit(CHECKSUMS, lambda lines: lines.append("# checked"))


@of_hashes("V028")
def a_list_that_ends_as_on_windows(of: Forger) -> None:
    """The lines of SHA256SUMS end as on Windows."""
    of.write_text(CHECKSUMS, of.text(CHECKSUMS).replace("\n", "\r\n"))


@of_hashes("V028")
def a_list_that_lists_itself(of: Forger) -> None:
    """SHA256SUMS lists itself."""
    of.edit(CHECKSUMS, lambda lines: lines.insert(2, f"{'0' * 64}  {CHECKSUMS}"))


@of_hashes("V028")
def a_path_that_leads_outside(of: Forger) -> None:
    """SHA256SUMS lists a file of another directory."""
    of.edit(CHECKSUMS, lambda lines: lines.insert(0, f"{'0' * 64}  ../other/README.md"))


@of_hashes("V028")
def a_path_written_otherwise(of: Forger) -> None:
    """A path of SHA256SUMS begins with a dot and a slash."""
    of.edit(CHECKSUMS, lambda lines: lines.insert(0, lines.pop(0).replace("  ", "  ./")))


@of_hashes("V001")
def a_link_to_another_file(of: Forger) -> None:
    """A file of rows is a link to a file elsewhere, with the same content today."""
    path = of.directory / "data/train.tsv"
    elsewhere = of.directory.parent / "elsewhere.tsv"
    shutil.move(path, elsewhere)
    path.symlink_to(elsewhere)


@of_hashes("V001")
def a_link_to_another_folder(of: Forger) -> None:
    """A folder is a link to a folder elsewhere."""
    elsewhere = of.directory.parent / "elsewhere"
    shutil.move(of.directory / "conllu", elsewhere)
    (of.directory / "conllu").symlink_to(elsewhere)


@of_hashes("V001")
def no_manifest(of: Forger) -> None:
    """The manifest is missing."""
    (of.directory / MANIFEST).unlink()
    write_checksums(of.directory, {})


def identity(of: Forger, old: str, new: str) -> None:
    """Change the identity in the manifest, and no other member of it."""
    assert old in of.manifest["identity"]
    of.manifest["identity"] = of.manifest["identity"].replace(old, new)
    of.save()
    write_checksums(of.directory, {})


@of_hashes("V028")
def another_seed_in_the_identity(of: Forger) -> None:
    """The identity has the seed 7; manifest and certificate have 1."""
    identity(of, "seed:1", "seed:7")


@of_hashes("V028")
def another_number_of_items_in_the_identity(of: Forger) -> None:
    """The identity has a thousand items."""
    identity(of, "items:", "items:1000")


@of_hashes("V028")
def another_grammar_in_the_identity(of: Forger) -> None:
    """The identity has the fingerprint of another grammar."""
    identity(of, "sha256:" + of.manifest["grammar"]["sha256"][:12], "sha256:0123456789ab")


@of_hashes("V028")
def another_version_in_the_identity(of: Forger) -> None:
    """The identity has another version of the compiler."""
    identity(of, "sgl:", "sgl:9")


@of_hashes("V028")
def another_edition_in_the_identity(of: Forger) -> None:
    """The identity has another edition of the language."""
    identity(of, "edition:", "edition:1")


@of_hashes("V028")
def an_identity_with_more(of: Forger) -> None:
    """The identity ends with a member of its own."""
    identity(of, "|items:", "|checked:yes|items:")


# ---- columns of Parquet: all hashes are computed again

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
    value(of, "features", lambda _: "nmod=9")


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


@of_columns("V007")
def a_column_twice(of: Forger) -> None:
    """There are two columns of targets; the first is a lie."""
    lie = pa.array(["無。"] * 6)
    table(of, lambda rows: rows.add_column(0, "target", lie))


@of_columns("V007")
def rows_of_parquet_that_change_places(of: Forger) -> None:
    """The rows of a Parquet file are in the opposite order."""
    table(of, lambda rows: rows.take(list(range(len(rows)))[::-1]))


@of_columns("V007")
def a_row_of_parquet_less(of: Forger) -> None:
    """A Parquet file has a row less."""
    table(of, lambda rows: rows.slice(1))


@of_columns("V007")
def a_row_of_parquet_more(of: Forger) -> None:
    """A Parquet file has a row more."""
    table(of, lambda rows: pa.concat_tables([rows, rows.slice(0, 1)]))


@of_columns("V007")
def a_file_that_is_no_parquet(of: Forger) -> None:
    """A Parquet file is a text."""
    of.write_text(TABLE, "PAR1 and nothing else")


@of_columns("V007")
def a_parquet_file_of_another_split(of: Forger) -> None:
    """The Parquet file of the test sentences has the development sentences."""
    shutil.copy(of.directory / "parquet/dev.parquet", of.directory / TABLE)


@of_columns("V031")
def a_parquet_file_less(of: Forger) -> None:
    """The Parquet file of the items is missing, and the manifest does not list it."""
    forget(of, "parquet/gen.parquet")
