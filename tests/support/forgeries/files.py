"""Files that were changed, added or removed, and hashes that do not fit."""

from __future__ import annotations

import shutil
from functools import partial

from forging import CERTIFICATE, MANIFEST, Forger, forgery

from sgl.dataset.staged import CHECKSUMS, write_checksums

#: Here the forger leaves hashes as they are, or changes them alone.
of_hashes = partial(forgery, "hashes", sealed=False)


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
