"""The kinds of mistakes in logical forms, on those that Appendix C of the SLOG paper describes."""

import json

import pytest
from hypothesis import given, settings
from semantic_graphs import Sentence, sentences
from workplace import Workplace

from sgl.cli.main import OK, run
from sgl.rendering.views import VIEWS
from sgl.research.evaluate.benchmark import BenchmarkRow
from sgl.research.evaluate.meanings import Mistake, kinds_of
from sgl.research.evaluate.mistakes import KnownAnswers, form_mistakes, no_answer


def form(text: str) -> str:
    """A form of COGS from the short notation `* cat(6) ; give.agent(1,Emma) & fish(3)`."""
    for mark, spelt in (("(", " ( "), (")", " ) "), (",", " , "), (".", " . "), ("&", " AND ")):
        text = text.replace(mark, spelt)
    return " ".join(f"x _ {token}" if token.isdigit() else token for token in text.split())


def kinds_in(gold: str, said: str, view: str = "cogs") -> str:
    row = BenchmarkRow("r-1", "A source.", gold, "p")
    found = no_answer(row, said) or form_mistakes(gold, said, view, KnownAnswers([row]))
    return " ".join(kind.value for kind in kinds_of(found))


FISH = " & fish(7)"
GIVING = "* cat(6) ; * mat(9) ; give.agent(1,Emma) & give.theme(1,3) & give.recipient(1,6) & fish(3) & "
SERVANT = "* servant(3) ; cook.agent(1,Ella) & cook.theme(1,3) & servant.nmod(3,6) & give.agent(6,Emma) & "

CASES = {
    # C.2: Emma gave a fish to the cat on the mat.
    "pp_modif_iobj: the PP is attached to the direct object": (
        GIVING + "cat.nmod.on(6,9)",
        GIVING + "fish.nmod.on(3,9)",
        "attachment",
    ),
    # 5.2: A cat on a mat froze.
    "pp_modif_subj: the nearer noun is the subject": (
        "cat(1) & cat.nmod.on(1,4) & mat(4) & freeze.theme(5,1)",
        "cat(1) & cat.nmod.on(1,4) & mat(4) & freeze.theme(5,4)",
        "binding",
    ),
    # C.3: Al gave a cat that slept a fish.
    "rc_modif_iobj: the fish is slept, and the cat given": (
        "give.agent(1,Al) & cat(3) & give.recipient(1,3) & give.theme(1,7) & cat.nmod(3,5) & sleep.agent(5,3)" + FISH,
        "give.agent(1,Al) & cat(3) & give.theme(1,3) & cat.nmod(3,5) & sleep.agent(5,3) & sleep.theme(5,7)" + FISH,
        "role attachment",
    ),
    # C.4: Ella cooked the servant that Emma gave a tool to.
    "rc_iobj_extracted: theme and recipient are exchanged": (
        SERVANT + "give.theme(6,8) & give.recipient(6,3) & tool(8)",
        SERVANT + "give.theme(6,3) & give.recipient(6,8) & tool(8)",
        "role",
    ),
    # C.4.1: What did Emma sell to Liam?
    "q_dobj_ditransv: a variable stands for the question mark": (
        "sell.theme(3,?) & sell.agent(3,Emma) & sell.recipient(3,Liam)",
        "sell.theme(3,5) & sell.agent(3,Emma) & sell.recipient(3,Liam)",
        "question",
    ),
    "q_dobj_ditransv: the question mark is the agent": (
        "sell.theme(3,?) & sell.agent(3,Emma) & sell.recipient(3,Liam)",
        "sell.agent(3,?) & sell.theme(3,Emma) & sell.recipient(3,Liam)",
        "role",
    ),
    "q_iobj_ditransv: the pattern of questions about objects": (
        "give.theme(3,6) & give.agent(3,Emma) & give.recipient(3,?) & cake(6)",
        "give.theme(3,?) & give.agent(3,Emma) & give.recipient(3,6) & cake(6)",
        "role",
    ),
    # C.4.2: What did Liam say that the bear painted?
    "q_long_mv: a relative clause, and a second theme": (
        "* bear(6) ; say.agent(3,Liam) & say.ccomp(3,7) & paint.agent(7,6) & paint.theme(7,?)",
        "* bear(6) ; say.agent(3,Liam) & say.theme(3,?) & say.nmod(3,7) & paint.agent(7,6) & paint.theme(7,?)",
        "role extra",
    ),
    "q_long_mv: the gap is missing": (
        "* bear(6) ; say.agent(3,Liam) & say.ccomp(3,7) & paint.agent(7,6) & paint.theme(7,?)",
        "* bear(5) ; say.agent(3,Liam) & say.ccomp(3,7) & paint.agent(7,5)",
        "missing",
    ),
    # C.4.4: What was eaten by Emma?
    "q_subj_passive: a variable stands for the question mark": (
        "eat.theme(2,?) & eat.agent(2,Emma)",
        "eat.theme(2,4) & eat.agent(2,Emma)",
        "question",
    ),
    "cp_3: a clause is skipped": (
        "say.agent(1,Ava) & say.ccomp(1,4) & hope.agent(4,Liam) & hope.ccomp(4,7) & run.agent(7,Emma)",
        "say.agent(1,Ava) & say.ccomp(1,4) & run.agent(4,Emma)",
        "recursion",
    ),
    "two events of one verb are told apart by their arguments": (
        "say.agent(1,Ava) & say.ccomp(1,4) & say.agent(4,Liam) & say.ccomp(4,7) & run.agent(7,Emma)",
        "say.agent(9,Liam) & say.ccomp(9,3) & say.agent(2,Ava) & say.ccomp(2,9) & run.agent(3,Noah)",
        "word",
    ),
    "another noun": ("cat(1) & run.agent(2,1)", "dog(1) & run.agent(2,1)", "word"),
    "another article": ("cat(1) & run.agent(2,1)", "* cat(1) ; run.agent(2,1)", "definiteness"),
    "a noun without its conjunct": ("cat(1) & run.agent(2,1)", "run.agent(2,1)", "missing"),
    "a noun that nothing leads to": ("cat(1) & run.agent(2,1)", "cat(1) & run.agent(2,1) & dog(7)", "extra"),
    "two nouns of one variable": ("cat(1) & run.agent(2,1)", "cat(1) & dog(1) & run.agent(2,1)", "extra"),
    "a noun with two arguments": ("cat(1) & see.agent(2,1)", "cat(1,2) & see.agent(2,1)", "missing extra"),
    "the bound variables of a function": (
        "LAMBDA a . LAMBDA b . LAMBDA e . mend.agent(e,b) & mend.theme(e,a)",
        "LAMBDA a . LAMBDA b . LAMBDA e . mend.agent(e,a) & mend.theme(e,b)",
        "binding",
    ),
    "pp_5_12: a prepositional phrase is skipped": (
        "cat(1) & cat.nmod.on(1,4) & mat(4) & mat.nmod.in(4,7) & hut(7) & hut.nmod.in(7,10) & zoo(10) & run.agent(9,1)",
        "cat(1) & cat.nmod.on(1,7) & hut(7) & hut.nmod.in(7,10) & zoo(10) & run.agent(9,1)",
        "recursion",
    ),
    "the last prepositional phrase": (
        "cat(1) & cat.nmod.on(1,4) & mat(4) & mat.nmod.in(4,7) & house(7) & run.agent(11,1)",
        "cat(1) & cat.nmod.on(1,4) & mat(4) & run.agent(11,1)",
        "recursion",
    ),
    "the only prepositional phrase": (
        "cat(1) & cat.nmod.on(1,4) & mat(4) & run.agent(11,1)",
        "cat(1) & run.agent(11,1)",
        "phrase",
    ),
    "a clause in the middle is skipped, and its subject stays": (
        "say.agent(1,Ava) & say.ccomp(1,4) & hope.agent(4,Al) & hope.ccomp(4,7) & see.agent(7,Bo) & see.theme(7,Emma)",
        "say.agent(1,Ava) & say.ccomp(1,7) & see.agent(7,Al) & see.theme(7,Emma)",
        "recursion",
    ),
    "two mistakes: another noun and a conjunct that is missing": (
        "cat(1) & give.agent(2,1) & give.theme(2,Emma) & give.recipient(2,Liam)",
        "dog(1) & give.agent(2,1) & give.recipient(2,Liam)",
        "word missing",
    ),
    "a conjunct twice": ("cat(1) & run.agent(2,1)", "cat(1) & run.agent(2,1) & run.agent(2,1)", "repetition"),
    "the end is missing": (
        "cat(1) & see.agent(2,1) & see.theme(2,4) & dog(4)",
        "cat(1) & see.agent(2,1) & see.theme(",
        "truncation",
    ),
    "the end is missing, and a noun is another one": (
        "cat(1) & see.agent(2,1) & see.theme(2,4) & dog(4)",
        "cow(1) & see.agent(2,1) & see.theme(",
        "word truncation",
    ),
    "nothing of it": ("cat(1) & run.agent(2,1)", "dog(1) & see.theme(2,1)", "unrelated"),
    "brackets that are not closed": ("cat(1) & run.agent(2,1)", "cat(1 & run.agent(2,1)", "not a form"),
    "nothing": ("cat(1) & run.agent(2,1)", "  ", "empty"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_mistake_has_its_kind(case: str) -> None:
    gold, said, kinds = CASES[case]
    assert kinds_in(form(gold), form(said) if said.strip() else said) == kinds


@pytest.mark.parametrize(
    ("gold", "said", "kinds"),
    [
        (
            "give ( agent = Emma , theme = fish , recipient = * cat ( nmod . on = * mat ) )",
            "give ( agent = Emma , theme = fish ( nmod . on = * mat ) , recipient = * cat )",
            "attachment",
        ),
        ("say ( agent = Liam , ccomp = paint ( theme = ? ) )", "say ( agent = Liam , ccomp = paint )", "missing"),
        ("eat ( theme = ? , agent = Emma )", "eat ( theme = ? , theme = Emma )", "role"),
        ("eat ( theme = ? , agent = Emma )", "eat ( theme = Emma , agent = Emma )", "question"),
    ],
)
def test_variable_free_forms_have_the_same_kinds(gold: str, said: str, kinds: str) -> None:
    assert kinds_in(gold, said, "varfree") == kinds


@settings(deadline=None, max_examples=50)
@given(sentences(), sentences())
def test_any_two_forms_have_a_kind_in_either_notation(one: Sentence, other: Sentence) -> None:
    for view in ("cogs", "varfree"):
        gold, said = (VIEWS[view].render(sentence.graph, ()) for sentence in (one, other))
        found = kinds_in(gold, said, view)
        assert found
        assert Mistake.UNREADABLE.value not in found


def test_the_evaluation_counts_them_by_pattern(work: Workplace) -> None:
    cases = list(CASES.values())[:-2]
    work.write("rows.tsv", "".join(f"a\t{form(gold)}\t{kinds}\n" for gold, _, kinds in cases))
    work.write("right.txt", "".join(f"{form(gold)}\n" for gold, _, _ in cases))
    work.write("wrong.txt", "".join(f"{form(said)}\n" for _, said, _ in cases))
    # A conjunction in another order means the same.
    swapped = form("run.agent(7,1) & cat(1)")
    work.write("swapped.txt", "".join(f"{swapped if 'cat(1) & run' in gold else form(gold)}\n" for gold, _, _ in cases))
    files = ["right.txt", "wrong.txt", "swapped.txt"]
    assert run(["eval", "rows.tsv", *files, "--json", "out.json", "--html", "page.html"]) == OK
    systems = json.loads((work.directory / "out.json").read_text("utf-8"))["mistakes"]["systems"]
    assert systems["right"] == {}
    wrong = len([kinds for _, _, kinds in cases if kinds == "question"])
    assert systems["wrong"]["question"] == {"question": wrong}
    assert systems["wrong"]["role extra"] == {"role": 1, "extra": 1}
    assert {kind for counts in systems["swapped"].values() for kind in counts} == {"notation"}
    assert "may have several kinds" in (work.directory / "page.html").read_text("utf-8")
