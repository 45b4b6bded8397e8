"""``sglc export forms``: files of logical forms in another notation, without a grammar."""

import pytest
from slog import pairs
from workplace import Workplace

from sgl.cli.main import FAILED, OK, run


def converted(work: Workplace, text: str, view: str, status: int = OK) -> str:
    work.write("rows.tsv", text)
    assert run(["export", "forms", "rows.tsv", "--to", view, "-o", "out.tsv", "--force"]) == status
    return (work.directory / "out.tsv").read_text("utf-8")


def test_both_notations_give_each_other(work: Workplace) -> None:
    sentences = [pair for pair in pairs() if " " in pair[0]]
    atoms = "".join(f"{sentence}\t{form}\tkind\n" for sentence, form, _ in sentences)
    terms = "".join(f"{sentence}\t{term}\tkind\n" for sentence, _, term in sentences)
    assert converted(work, atoms, "varfree") == terms
    assert converted(work, terms, "cogs") == atoms
    assert converted(work, atoms, "cogs") == atoms


def test_a_verb_that_occurs_twice_is_found_in_both_places(work: Workplace) -> None:
    """Of center embedding the inner verb stands first."""
    row = "A cat that a dog that a cow saw saw ran .\t"
    term = (
        "run ( agent = cat ( nmod = see ( agent = dog ( nmod = see ( agent = cow , theme = dog ) ) , theme = cat ) ) )"
    )
    form = converted(work, f"{row}{term}\n", "cogs")
    assert "see . agent ( x _ 8 , x _ 7 )" in form
    assert "see . agent ( x _ 9 , x _ 4 )" in form
    assert converted(work, form, "varfree") == f"{row}{term}\n"


def test_articles_and_prepositions_may_be_edges_as_in_feature_trees(work: Workplace) -> None:
    """Alto prints such trees in this way, or, for COGS, as the forms that are expected here."""
    row = "The cat on a mat that ran saw Emma .\t"
    inner = "nmod = run ( agent = mat ( case = on ) )"
    tree = f"see ( agent = cat ( det = the , nmod = mat ( case = on , det = a , {inner} ) ) , theme = Emma )"
    form = "see ( agent = * cat ( nmod . on = mat ( nmod = run ( agent = mat ) ) ) , theme = Emma )"
    assert converted(work, f"{row}{tree}\n", "varfree") == f"{row}{form}\n"
    assert converted(work, f"{row}{tree}\n", "cogs") == converted(work, f"{row}{form}\n", "cogs")
    assert converted(work, "the cat .\tcat ( case = on , det = the )\n", "varfree") == "the cat .\t* cat\n"


def test_every_view_can_be_written(work: Workplace) -> None:
    row = "Emma ran .\trun ( agent = Emma )\n"
    assert converted(work, row, "recogs") == "Emma ran .\tEmma ( 0 ) ; run ( 1 ) AND agent ( 1 , 0 )\n"
    assert converted(work, row, "penman") == 'Emma ran .\t(r / run :agent (n / name :op1 "Emma"))\n'


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("walk\twalk", "may be a noun or a verb"),
        ("A cat ran .\trun ( agent = dog )", "'dog' is not a word of the sentence"),
        ("A cat ran .\tsay ( agent = cat , ccomp = run )", "the form has 2 verbs, and the sentence has 1"),
        ("A cat ran .\trun ( agent = cat", "expected ')', found the end"),
        ("A cat ran .\trun . agent ( x _ 2 , x _ 1 )", "x _ 1 has no atom of its own"),
        ("A cat ran .\trun ( det = a , nmod = cat , agent = cat )", "has modifiers as a noun and roles as a verb"),
        ("A cat ran .\trun ( det = the , agent = cat )", "'run' is a verb by its roles"),
        ("A cat ran .", "1 column instead of 2"),
    ],
)
def test_a_row_that_cannot_be_converted_is_named_and_the_others_are_written(
    row: str, reason: str, work: Workplace
) -> None:
    good = "Emma ran .\trun ( agent = Emma )\n"
    assert converted(work, f"{good}{row}\n", "varfree", FAILED) == good
    said = work.capsys.readouterr().err
    assert "SGL1216" in said
    assert "line 2: " in said
    assert reason in said
