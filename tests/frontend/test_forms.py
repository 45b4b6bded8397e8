"""Named blocks of forms, and the values of columns and features that a word may ask for."""

from __future__ import annotations

from pathlib import Path

import pytest
from diagnostics import BASE, MAIN, diagnose
from hypothesis import given, settings
from hypothesis import strategies as st
from same_grammar import core_of

SYSTEM = """
layer en  : text
layer ja  : text
layer syn : graph on en
feature form = past | pres | stem
feature kind = a | b
category S
category Vi[form, kind]
category Vt[form, kind]
rule intransitive: S -> Vi
rule transitive: S -> Vt
function after(particle, verb) = particle + " " + verb
dataset
  from S
  train 10
"""
TABLES = {
    "vi.yaml": "- {en: go, ja: 行く, past: went, kind: a}\n- {en: walk, ja: 歩く, kind: b}\n",
    "vt.yaml": "- {en: see, ja: 見る, past: saw, case: を}\n- {en: meet, ja: 会う, case: に}\n",
}


def written(entries: list[str], category: str, settings: str, particle: str) -> str:
    """A lexicon with its entries in full: the block, with other words in it."""
    text = "".join(entries).replace("$particle", particle)
    return text.replace("X]", f"{category}[{settings}]").replace("X[", f"{category}[{settings}, ")


PAST = """
  X[form=past]
    en  $past or $en + "ed"
    ja  after($particle, $ja + "た")
    syn node(lemma=$en, upos=VERB, Tense=Past)
"""
PRESENT = """
  X[form=pres]
    ja  after($particle, $ja)
"""
STEM = """
  X[form=stem]
    ja  $ja + $kind
    syn node(lemma=$past or "x", upos=VERB, Case=$particle)
"""
SHARED = "  en  $en\n  syn node(lemma=$en, upos=VERB)\n"


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.sampled_from([PAST, PRESENT, STEM]), min_size=1, max_size=3, unique=True),
    st.sampled_from(["a", "b", "a|b"]),
    st.sampled_from(["$case", '"と"', "$case or を"]),
)
def test_a_block_means_what_its_text_means(entries: list[str], kind: str, particle: str) -> None:
    """A block is as good as its text, with the category and the arguments put in."""
    if "|" in kind:
        entries = [entry for entry in entries if entry != STEM] or [PRESENT]
    one = written(entries, "Vi", "kind=$kind", '""')
    two = written(entries, "Vt", f"kind={kind}", particle)
    heads = [f'lexicon {name} from "{name}.yaml"\n{SHARED}' for name in ("vi", "vt")]
    block = f"forms finite(X, particle)\n{''.join(entries)}"
    uses = ['  finite(Vi[kind=$kind], "")\n', f"  finite(Vt[kind={kind}], {particle})\n"]
    full = SYSTEM + heads[0] + one + heads[1] + two
    short = SYSTEM + block + heads[0] + uses[0] + heads[1] + uses[1]
    assert core_of(short, TABLES) == core_of(full, TABLES)


ANIMALS = {"animals.yaml": "- {en: horse, ja: 馬}\n"}


def messages(grammar: str, tmp_path: Path) -> list[tuple[str, str]]:
    return diagnose({MAIN: f"{BASE}\n{grammar}", **ANIMALS}, tmp_path, prove=False).places()


def test_clauses_below_a_use_are_for_what_the_block_leaves_out() -> None:
    grammar = """
forms singular(X)
  X
    en  $en
lexicon animals from "animals.yaml"
  ja  "？"
  singular(N)
    ja  $ja
    syn node(upos=NOUN)
"""
    core = core_of(f"{BASE}\n{grammar}", ANIMALS)
    (horse,) = (rule for rule in core.rules if rule.words(0) == ("horse",))
    assert horse.words(1) == ("馬",)


@pytest.mark.parametrize(
    ("block", "use", "expected"),
    [
        ("X", "singular(M)", ("SGL0201", "M")),
        ("X", "plural(N)", ("SGL0201", "plural")),
        ("X", 'singular(N, "s")', ("SGL0617", 'singular(N, "s")')),
        ("N", "singular(N)", ("SGL0617", "N")),
        ("X[form=past]", "singular(N)", ("SGL0401", "N")),
        ("X[form=past]", "singular(V[form=pres])", ("SGL0403", "V[form=pres]")),
        ("X[form=paste]", "singular(V)", ("SGL0402", "V")),
    ],
)
def test_a_use_that_does_not_fit(block: str, use: str, expected: tuple[str, str], tmp_path: Path) -> None:
    grammar = f"forms singular(X)\n  {block}\n    en  $en\n    ja  $ja\n    syn node(upos=NOUN)\n"
    found = messages(f'{grammar}lexicon animals from "animals.yaml"\n  {use}\n', tmp_path)
    assert found == [expected]


def test_a_block_may_ask_for_a_column_that_only_some_tables_have(tmp_path: Path) -> None:
    """But not for one that none of them has: it is a slip."""
    forms = "forms singular(X)\n  X\n    en  $name or $en\n    ja  $ja\n    syn node(upos=NOUN)\n"
    uses = 'lexicon animals from "animals.yaml"\n  singular(N)\n'
    more = 'lexicon others from "others.yaml"\n  singular(N)\n'
    (tmp_path / "others.yaml").write_text("- {en: crow, ja: 烏, name: raven}\n", encoding="utf-8")
    assert messages(forms + uses + more, tmp_path) == []
    assert messages(forms + uses, tmp_path) == [("SGL0603", "$name")]


def test_a_column_that_a_block_lacks_is_reported_once_for_all_lexicons(tmp_path: Path) -> None:
    forms = "forms any(X)\n  X[form=$from]\n    en  $en\n    ja  $ja\n    syn node(upos=VERB)\n"
    uses = "".join(f'lexicon {name} from "animals.yaml"\n  any(V)\n' for name in ("some", "others"))
    assert messages(forms + uses, tmp_path) == [("SGL0603", "from")]


# ---- values of features, and plain names


def test_a_node_takes_a_feature_of_its_entry() -> None:
    word = 'word V[form={}]: "walked"\n  ja  "歩いた"\n  syn node(upos=VERB, Form={})\n'
    for form in ("past", "pres"):
        short, full = (BASE + "\n" + word.format(form, value) for value in ("$form", form))
        assert core_of(short) == core_of(full)


def test_a_word_with_an_open_feature_is_one_for_each_of_its_values() -> None:
    word = 'word V{}: "put"\n  ja  "置く"\n  syn node(upos=VERB, Form={})\n'
    full = "\n".join(word.format(f"[form={value}]", value) for value in ("past", "pres"))
    for brackets in ("", "[form=_]", "[form=past|pres]"):
        assert core_of(f"{BASE}\n{word.format(brackets, '$form')}") == core_of(f"{BASE}\n{full}")


def test_a_name_is_a_column_or_a_feature_but_not_both(tmp_path: Path) -> None:
    (tmp_path / "verbs.yaml").write_text("- {en: put, ja: 置く, form: pres}\n", encoding="utf-8")
    entry = "    en  $en\n    ja  $ja\n    syn node(upos=VERB, Form=$form)\n"
    lexicon = 'lexicon verbs from "verbs.yaml"\n'
    assert messages(f"{lexicon}  V[form=past]\n{entry}", tmp_path) == [("SGL0618", "$form")]
    assert messages(f"{lexicon}  V[form=$form]\n{entry}", tmp_path) == []


@pytest.mark.parametrize("name", ["regular", '"regular"'])
def test_a_plain_name_needs_no_quotes_after_or_and_as_an_argument(name: str) -> None:
    grammar = f"""
paradigm plural
  regular "" -> "s"
  still   "" -> ""
function plainly(word, class) = plural(word, class) + "" or {name}
lexicon animals from "animals.yaml"
  N
    en  plainly($en, $class or {name})
    ja  plural($ja, still)
    syn node(upos=NOUN, lemma=$lemma or {name})
"""
    table = {"animals.yaml": "- {en: dog, ja: 犬}\n- {en: sheep, ja: 羊, class: still, lemma: x}\n"}
    core = core_of(BASE + grammar, table)
    assert {rule.words(0) for rule in core.rules} >= {("dogs",), ("sheep",)}


def test_a_slip_of_a_parameter_is_no_plain_name(tmp_path: Path) -> None:
    grammar = """
function twice(word) = word or wrd
lexicon animals from "animals.yaml"
  N
    en  twice("")
    ja  $ja
    syn node(upos=NOUN, lemma=$en)
"""
    assert messages(grammar, tmp_path) == [("SGL0603", "wrd")]
