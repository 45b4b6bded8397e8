"""A benchmark that is a set of Alto's templates: one grammar for training, others for generalization, one lexicon.

The stable below is ours.  The last tests read the authors' files of SLOG where they are present.
"""

from __future__ import annotations

from itertools import islice
from math import fsum
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from exchanging import compiled, language
from published_forms import PUBLISHED
from workplace import Workplace

from sgl.cli.main import FAILED, OK, USAGE, run
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import interpret
from sgl.diagnostics import Diagnostics, SourceFile, SourceMap
from sgl.parsing import Parser, best_readings
from sgl.research.exchange.irtg_template import fill_in

FRAME = """\
{% set labels = counter() %}
interpretation english: de.up.ling.irtg.algebra.StringAlgebra
interpretation meaning: de.saar.coli.algebra.OrderedFeatureTreeAlgebra
{% include 'words.irtg' %}
{% include 'train.irtg' %}
"""

WORDS = """\
{% macro entry(state, word, meaning, share=1) %}
{{ state }} -> w{{ labels.next() }} [{{ share }}]
  [english] '{{ word }}'
  [meaning] '{{ meaning }}'
{% endmacro %}
{% for noun, share in ['hen', 'goat'] | zipf %}{{ entry('N', noun, noun, share) }}{% endfor %}
{{ entry('Name', 'Ada', 'Ada', 0.5) }}{{ entry('Name', 'Tom', 'Tom', 0.5) }}
{{ entry('V', 'chased', 'chase') }}{{ entry('Base', 'chase', 'chase') }}
{{ entry('Want', 'wanted', 'want[agent=xcomp!agent]') }}
{{ entry('Det', 'the', 'the', 0.5) }}{{ entry('Det', 'a', 'a', 0.5) }}{{ entry('Near', 'near', 'near') }}
{{ entry('That', 'that', 'that') }}{{ entry('To', 'to', 'to') }}{{ entry('Sleep', 'sleep', 'sleep') }}
{{ entry('Who', 'Who', 'Who') }}{{ entry('Did', 'did', 'did') }}
"""

TRAIN = """\
S! -> clause(Subject, VP)
  [english] *(?1, ?2)
  [meaning] pre_agent(?2, ?1)
Subject -> named(Name)
  [english] ?1
  [meaning] ?1
VP -> transitive(V, Object)
  [english] *(?1, ?2)
  [meaning] theme(?1, ?2)
VP -> control(Want, To, Sleep)
  [english] *(?1, *(?2, ?3))
  [meaning] xcomp(?1, ?3)
Object -> near(Det, N, Near, Name) [0.5]
  [english] *(*(?1, ?2), *(?3, ?4))
  [meaning] nmod(pre_det(?2, ?1), pre_case(?4, ?3))
Object -> relative(Det, N, That, VP) [0.5]
  [english] *(*(?1, ?2), *(?3, ?4))
  [meaning] 'nmod<that>'(pre_det(?2, ?1), pre_agent(?4, ?3))
"""

SUBJECTS = """\
S! -> clause(Subject, V, Name)
  [english] *(?1, *(?2, ?3))
  [meaning] pre_agent(theme(?2, ?3), ?1)
Subject -> near(Det, N, Near, Name)
  [english] *(*(?1, ?2), *(?3, ?4))
  [meaning] nmod(pre_det(?2, ?1), pre_case(?4, ?3))
"""

QUESTIONS = """\
S! -> asked(Did, Name, Base, Who)
  [english] *(?1, *(?2, *(?3, ?4)))
  [meaning] theme(pre_agent(?3, ?2), ?4)
"""

STABLE = {
    "frame.irtg": FRAME,
    "words.irtg": WORDS,
    "train.irtg": TRAIN,
    "subjects.irtg": SUBJECTS,
    "questions.irtg": QUESTIONS,
}

SPLIT = """
use stable

pattern modified_subject
  forbid derivation { subjects }
  assert never { V -[agent]-> N; N -[nmod]-> M }
  size   2

dataset
  from  Start
  train 4
"""


@pytest.fixture
def stable(work: Workplace) -> Workplace:
    """The folder of the benchmark."""
    for name, text in STABLE.items():
        work.write(name, text)
    return work


def imported_as(work: Workplace, *files: str) -> CoreGrammar:
    """The grammar with these files instead of ``train.irtg``, compiled from what is written."""
    command = ["import", "irtg", "frame.irtg", "--out", "stable.sgl", "--force", "-q"]
    assert run([*command, *(["--replace", f"train.irtg={','.join(files)}"] if files else [])]) == OK
    return compiled(work.directory / "stable.sgl").grammar


def test_a_file_is_included_instead_of_another(stable: Workplace) -> None:
    assert language(imported_as(stable), 4) == language(imported_as(stable, "train.irtg"), 4)
    asked = language(imported_as(stable, "questions.irtg"), 4)
    assert {" ".join(english) for english, *_ in asked} == {"did Ada chase Who", "did Tom chase Who"}


def test_several_grammars_are_one_with_a_part_for_each(stable: Workplace) -> None:
    names = ["train.irtg", "subjects.irtg", "questions.irtg"]
    expected: dict[tuple[tuple[str, ...], ...], float] = {}
    for name in names:
        for sentence, probability in language(imported_as(stable, name), 4).items():
            expected[sentence] = expected.get(sentence, 0.0) + probability / 3
    union = imported_as(stable, *names)
    assert language(union, 5) == pytest.approx(expected)
    assert [rule.name for rule in union.rules_of[union.start]] == ["train", "subjects", "questions"]


def test_a_grammar_of_several_final_states_has_one_rule_and_its_share(stable: Workplace) -> None:
    stable.write("two.irtg", QUESTIONS + QUESTIONS.replace("S!", "T!").replace("asked", "told").replace("Did", "Who"))
    union = imported_as(stable, "train.irtg", "two.irtg")
    assert [(rule.name, rule.weight) for rule in union.rules_of[union.start]] == [("train", 0.5), ("two", 0.5)]
    expected = {
        sentence: probability / 2
        for name in ("train.irtg", "two.irtg")
        for sentence, probability in language(imported_as(stable, name), 4).items()
    }
    found = language(union, 6)
    assert {sentence: found[sentence] for sentence in expected} == pytest.approx(expected)


def test_a_copy_of_a_state_is_no_other_state(stable: Workplace) -> None:
    """`N one` is a state of the file `one`, and not the `N` of it."""
    head = "interpretation english: de.up.ling.irtg.algebra.StringAlgebra\n{% include 'm.irtg' %}\n"
    leaf = "{} -> {}\n  [english] {}\n"
    stable.write("f.irtg", head)
    stable.write("m.irtg", "")
    both = "S! -> {}({}, {})\n  [english] *(?1, ?2)\n"
    stable.write(
        "one.irtg", both.format("r", "A", "'A two'") + leaf.format("A", "a", "y") + leaf.format("'A two'", "t", "yy")
    )
    stable.write("two.irtg", both.format("q", "A", "B") + leaf.format("A", "c", "z") + leaf.format("B", "b", "bb"))
    assert run(["import", "irtg", "f.irtg", "--replace", "m.irtg=one.irtg,two.irtg", "--out", "f.sgl", "-q"]) == OK
    said = language(compiled(stable.directory / "f.sgl").grammar, 4)
    assert {" ".join(english) for english, *_ in said} == {"y yy", "z bb"}


def test_states_that_do_not_differ_are_shared(stable: Workplace) -> None:
    categories = [category.name for category in imported_as(stable, "train.irtg", "subjects.irtg").categories]
    assert {"N", "Det", "V", "Name", "VP", "Object"} < set(categories)
    assert {"S_train", "S_subjects", "Subject_train", "Subject_subjects"} < set(categories)
    assert not {"S", "Subject", "VP_train", "N_train"} & set(categories)


def test_a_state_above_one_that_differs_differs_too(stable: Workplace) -> None:
    stable.write("other.irtg", TRAIN.replace("[english] *(?1, *(?2, ?3))", "[english] *(?1, *(now, *(?2, ?3)))"))
    categories = {category.name for category in imported_as(stable, "train.irtg", "other.irtg").categories}
    assert {"S_train", "VP_train", "Object_train", "Subject", "Want"} < categories


@pytest.mark.parametrize(
    ("given", "status", "said"),
    [
        ("trian.irtg=subjects.irtg", FAILED, "includes no file `trian.irtg`"),
        ("train.irtg=nowhere.irtg", FAILED, "error[SGL0001]"),
        ("train.irtg=../stable.irtg", FAILED, "error[SGL0005]"),
        ("train.irtg=/etc/passwd", FAILED, "error[SGL0005]"),
        ("train.irtg=frame.irtg", FAILED, "error[SGL1217]"),
        ("train.irtg=words.irtg", FAILED, "has no final state"),
        ("train.irtg", USAGE, "does not name files"),
        ("train.irtg=", USAGE, "does not name files"),
        ("train.irtg=train.irtg,train.irtg", USAGE, "does not name files"),
    ],
)
def test_what_cannot_be_included(stable: Workplace, given: str, status: int, said: str) -> None:
    assert run(["import", "irtg", "frame.irtg", "--replace", given]) == status
    assert said in stable.capsys.readouterr().err


def test_files_are_replaced_in_templates(stable: Workplace) -> None:
    stable.write("plain.irtg", "S! -> r [english] a")
    assert run(["import", "irtg", "plain.irtg", "--replace", "a=b"]) == USAGE
    assert "`--replace` has nothing to set" in stable.capsys.readouterr().err


def test_grammars_with_other_interpretations_are_not_one(stable: Workplace) -> None:
    stable.write("more.irtg", "interpretation more: de.up.ling.irtg.algebra.StringAlgebra\n")
    stable.write("frame.irtg", "{% include 'train.irtg' %}")
    stable.write("one.irtg", "interpretation a: x.StringAlgebra\nS! -> r [a] a")
    stable.write("two.irtg", "interpretation b: x.StringAlgebra\nS! -> r [b] a")
    assert run(["import", "irtg", "frame.irtg", "--replace", "train.irtg=one.irtg,two.irtg"]) == FAILED
    assert "`two` has other interpretations" in stable.capsys.readouterr().err


def test_a_part_alone_names_the_way_out(stable: Workplace) -> None:
    assert run(["import", "irtg", "words.irtg"]) == FAILED
    said = stable.capsys.readouterr().err
    assert "'labels' is undefined" in said
    assert "with that one, by `--replace`" in said


# ---- the filter `zipf`


def shares(directory: Path, words: int) -> list[float]:
    """The probabilities that the filter gives to words."""
    text = "{% for w, p in range(" + str(words) + ") | zipf %}{{ p }} {% endfor %}"
    sources, diagnostics = SourceMap(), Diagnostics()
    found = fill_in(directory / "x", sources.add(SourceFile("x", text)), {}, sources, diagnostics)
    assert found is not None, list(diagnostics)
    return [float(share) for share in found.text.split()]


@pytest.mark.parametrize("words", [1, 2, 20, 100])
def test_zipf_gives_the_shares_of_the_ranks_and_divides_the_rest_equally(tmp_path: Path, words: int) -> None:
    zipf = pytest.importorskip("scipy.stats", reason="no scipy: it is in the extra `eval`").zipf
    expected = zipf.pmf(range(1, words + 1), 1.4)
    assert shares(tmp_path, words) == pytest.approx(expected + (1 - sum(expected)) / words)
    assert fsum(shares(tmp_path, words)) == pytest.approx(1)


def test_zipf_of_nothing_is_nothing(tmp_path: Path) -> None:
    assert shares(tmp_path, 0) == []


@pytest.mark.parametrize(
    "text",
    [
        "{{ 3 | zipf }}",
        "{{ range(1000000000) | zipf | length }}",
        "{% for i in range(1000) %}{{ range(9999) | zipf | length }}{% endfor %}",
        "{% set t = [1, 2] %}" + "{% set t = t | zipf %}" * 4 + "{{ t }}",
        "{{ zipf.__globals__ }}",
        "{{ ([1] | zipf).__class__ }}",
    ],
)
def test_zipf_is_no_way_out_of_the_sandbox(tmp_path: Path, text: str) -> None:
    sources, diagnostics = SourceMap(), Diagnostics()
    assert fill_in(tmp_path / "x", sources.add(SourceFile("x", text)), {}, sources, diagnostics) is None
    assert [diagnostic.code for diagnostic in diagnostics] == ["SGL1217"]


# ---- trees as graphs


def edges_of(grammar: CoreGrammar, sentence: str) -> set[str]:
    """The edges of the only reading of a sentence, between lemmas."""
    forest = Parser(grammar, 0).forest(sentence)
    assert forest is not None
    (reading,) = best_readings(forest, 2)
    (graph,) = interpret(grammar, reading.derivation).graphs
    lemmas = [node.get("lemma") for node in graph.nodes]
    return {f"{lemmas[source]} {label} {lemmas[target]}" for source, label, target in graph.edges}


def test_a_tree_is_a_graph_on_the_words(stable: Workplace) -> None:
    grammar = imported_as(stable)
    assert [layer.name for layer in grammar.graph_layers] == ["meaning_graph"]
    assert edges_of(grammar, "Ada chased the hen that wanted to sleep") == {
        "chase agent Ada",
        "chase theme hen",
        "hen det the",
        "hen nmod:that want",
        "want agent that",
        "want xcomp sleep",
        "want dep to",
    }


@pytest.mark.parametrize(
    ("english", "meaning", "edges"),
    [
        ("*(?1, *(now, sleeps))", "agent(sleep, ?1)", {"sleep agent cat", "sleep dep now"}),
        ("*(sleep, *(?1, sleeps))", "agent(sleep, ?1)", {"sleep agent cat", "sleep dep sleeps"}),
        ("*(?1, *(wants, sleep))", "xcomp(agent(want, ?1), agent(sleep, ?1))", None),
        ("*(?1, *(now, then))", "?1", {"cat dep now", "cat dep then"}),
        ("*(?1, naps)", "agent('take nap', ?1)", {"take_nap agent cat"}),
    ],
)
def test_words_of_a_rule_are_found_for_labels(
    work: Workplace, english: str, meaning: str, edges: set[str] | None
) -> None:
    head = "\n".join(FRAME.splitlines()[1:3])
    rules = f"S! -> r(N)\n  [english] {english}\n  [meaning] {meaning}\nN -> n [english] cat [meaning] cat"
    work.write("rule.irtg", f"{head}\n{rules}")
    assert run(["import", "irtg", "rule.irtg", "--out", "rule.sgl"]) == OK
    grammar = compiled(work.directory / "rule.sgl").grammar
    sentence = " ".join(next(iter(language(grammar, 3)))[0])
    found = {"want agent cat", "want xcomp sleep", "sleep ~agent cat"} if edges is None else edges
    assert edges_of(grammar, sentence) == found


@pytest.mark.parametrize(("english", "meaning"), [("?1", "agent(sleep, ?1)"), ("*(so, *(so, ?1))", "agent(so, ?1)")])
def test_a_label_without_a_word_is_named(work: Workplace, english: str, meaning: str) -> None:
    head = "\n".join(FRAME.splitlines()[1:3])
    rules = f"S! -> r(N)\n  [english] {english}\n  [meaning] {meaning}\nN -> n [english] cat [meaning] cat"
    work.write("rule.irtg", f"{head}\n{rules}")
    assert run(["import", "irtg", "rule.irtg", "--out", "rule.sgl"]) == OK
    assert "SGL1470" in work.capsys.readouterr().err
    assert compiled(work.directory / "rule.sgl").grammar.graph_layers == ()


# ---- proofs


def test_what_the_training_grammar_holds_out_is_proved(stable: Workplace) -> None:
    imported_as(stable, "train.irtg", "subjects.irtg")
    stable.write("split.sgl", SPLIT)
    assert run(["prove", "split.sgl"]) == OK
    assert "1 of 1 pattern proved" in stable.capsys.readouterr().out


def test_a_structure_that_the_training_grammar_derives_is_shown(stable: Workplace) -> None:
    stable.write("leak.irtg", TRAIN.replace("Subject -> named(Name)", "Subject -> named(Object)"))
    imported_as(stable, "leak.irtg", "subjects.irtg")
    stable.write("split.sgl", SPLIT)
    assert run(["prove", "split.sgl"]) == FAILED
    said = stable.capsys.readouterr().err
    assert "SGL0811" in said
    assert 'witness: "the hen near Ada' in said


# ---- forms

#: Sentences and trees of Alto, and what is published.
FORMS = """
Ada wanted to sleep
want[agent=xcomp!agent] ( agent = Ada , xcomp = sleep )
Ada wanted to sleep .
want ( agent = Ada , xcomp = sleep ( agent = Ada ) )

Ada fed the hen that wanted to sleep
feed ( agent = Ada , theme = hen ( det = the , nmod<that> = want[agent=xcomp!agent] ( agent = that , xcomp = nap ) ) )
Ada fed the hen that wanted to sleep .
feed ( agent = Ada , theme = * hen ( nmod = want ( agent = * hen , xcomp = nap ( agent = * hen ) ) ) )

did Ada chase Who
chase ( agent = Ada , theme = Who )
Who did Ada chase ?
chase ( agent = Ada , theme = ? )

Who chased a hen
chase ( agent = Who , theme = hen ( det = a ) )
Who chased a hen ?
chase ( agent = ? , theme = hen )

the hen that a goat that Ada saw ate
hen ( det = the , nmod<that> = eat ( agent = goat ( nmod<that> = see ( agent = Ada , theme = that ) ) , theme = that ) )
the hen that a goat that Ada saw ate
* hen ( nmod = eat ( agent = goat ( nmod = see ( agent = Ada , theme = goat ) ) , theme = * hen ) )

did Ada give a hen to Who
give ( agent = Ada , theme = hen ( det = a ) , recipient = Who ( case = to ) )
Who did Ada give a hen to ?
give ( agent = Ada , theme = hen , recipient = ? )

a goat saw the hen that Ada gave a nut to
see ( agent = goat , theme = hen ( det = the , nmod<that> = give ( agent = Ada , theme = nut , recipient = that ) ) )
A goat saw the hen that Ada gave a nut to .
see ( agent = goat , theme = * hen ( nmod = give ( agent = Ada , theme = nut , recipient = * hen ) ) )

the hen in a barn ran to Ada
run ( agent = hen ( det = the , nmod = barn ( case = in , det = a ) ) , goal = Ada ( case = to ) )
The hen in a barn ran to Ada .
run ( agent = * hen ( nmod . in = barn ) , goal = Ada )
"""


@pytest.mark.parametrize(
    ("sentence", "tree", "finished", "form"), [block.strip().splitlines() for block in FORMS.split("\n\n")]
)
def test_trees_become_forms_as_the_scripts_behind_alto_make_them(
    work: Workplace, sentence: str, tree: str, finished: str, form: str
) -> None:
    work.write("rows.tsv", f"{sentence}\t{tree}\tkind\n")
    assert run(["export", "forms", "rows.tsv", "--to", "varfree", "--wh", "Who,What", "--finish"]) == OK
    assert work.capsys.readouterr().out == f"{finished}\t{form}\tkind\n"


def test_without_options_a_sentence_stays_as_it_is(work: Workplace) -> None:
    work.write("rows.tsv", "did Ada chase Who\tchase ( agent = Ada , theme = Who )\n")
    assert run(["export", "forms", "rows.tsv", "--to", "varfree"]) == OK
    assert work.capsys.readouterr().out == "did Ada chase Who\tchase ( agent = Ada , theme = Who )\n"


def test_a_sentence_with_a_noun_twice_is_named(work: Workplace) -> None:
    work.write("rows.tsv", "Ada fed Ada\tfeed ( agent = Ada , theme = Ada )\n")
    assert run(["export", "forms", "rows.tsv", "--to", "varfree"]) == FAILED
    assert "it has 'Ada' twice" in work.capsys.readouterr().err


def test_trees_whose_copies_grow_without_limit_are_refused(work: Workplace) -> None:
    tree = "Ada"
    for number in range(30):
        tree = f"n{number} ( nmod = want[agent=y!agent] ( agent = {tree} , y = nap ) )"
    work.write("rows.tsv", f"Ada naps\twant ( agent = {tree} )\n")
    assert run(["export", "forms", "rows.tsv", "--to", "varfree"]) == FAILED
    assert "more than 20,000 words with the copies" in work.capsys.readouterr().err


# ---- the authors' own files

SLOG = PUBLISHED / "slog"
ALTO = SLOG / "alto"
needs_slog = pytest.mark.skipif(not ALTO.is_dir(), reason=f"the authors' grammars of SLOG are not in {ALTO}")

TRAINING = ("main-grammar.irtg", "RC_modifying_dobj_NP_main-grammar.irtg")
GENERALIZATION = (
    "PP_modifying_subject_NP_gen-grammar.irtg",
    "recursion_cp_gen-grammar.irtg",
    "recursion_pp_gen-grammar.irtg",
    "wh_Q_dobj_ditransV_gen-grammar.irtg",
    "wh_Q_obj_long_mv_grammar.irtg",
)
#: The category of published rows that each grammar made, where some are here.
CATEGORIES = {
    "main-grammar.irtg": "in_distribution",
    "RC_modifying_dobj_NP_main-grammar.irtg": "object_modifying_RC",
    "recursion_pp_gen-grammar.irtg": "pp_4",
    "recursion_cp_gen-grammar.irtg": "cp_4",
}

HELD_OUT = """
use slog

pattern modified_subject
  forbid derivation { pp_modifying_subject_NP_gen_grammar }
  assert never { V -[agent]-> N; N -[nmod]-> M }
  assert never { V -[theme]-> N; N -[nmod]-> M } without { V -[agent]-> A } without { V -[dep]-> "was" }
  assert never { V -[theme]-> N; N -[nmod]-> M; V -[dep]-> "was" } without { V -[recipient]-> R }
  assert never { V -[theme]-> N; N -[nmod]-> M; V -[dep]-> "was"; V -[recipient]-> R; R -[case]-> P }
  assert never { V -[recipient]-> N; N -[nmod]-> M; V -[dep]-> "was" } without { N -[case]-> P }
  waive { V -[recipient]-> N; N -[nmod]-> M } without { N -[case]-> P }
  size 10

pattern deep_phrases
  forbid derivation { recursion_pp_gen_grammar }
  forbid { A -[nmod]{3}-> B }
  size 10

pattern deep_clauses
  forbid derivation { recursion_cp_gen_grammar }
  forbid { A -[ccomp]{3}-> B }
  size 10

dataset
  from Start
  train 100
"""


def quick_first(*names: str) -> list[ParameterSet]:
    """Names of grammars, of which only the first is always tried."""
    return [pytest.param(name, marks=[pytest.mark.slow] * (number > 0)) for number, name in enumerate(names)]


def grammar_of(work: Workplace, *files: str, out: str = "slog.sgl") -> CoreGrammar:
    """The grammar that the authors' frame makes with these files."""
    replaced = f"main-grammar.irtg={','.join(files)}"
    command = ["import", "irtg", str(ALTO / "specify_grammar.irtg"), "--replace", replaced, "-q"]
    assert run([*command, "--out", str(work.directory / out), "--force"]) == OK
    return compiled(work.directory / out).grammar


@needs_slog
@pytest.mark.parametrize("name", quick_first(*reversed(GENERALIZATION), *TRAINING))
def test_every_grammar_of_the_authors_is_imported_as_it_is(work: Workplace, name: str) -> None:
    grammar = grammar_of(work, name)
    assert [layer.name for layer in grammar.graph_layers] == ["semantics_graph"]
    assert run(["sample", "slog.sgl", "-n", "30", "--show", "english", "--out", "sampled.tsv", "--force"]) == OK
    parser = Parser(grammar, 0)
    for sentence in (work.directory / "sampled.tsv").read_text("utf-8").splitlines():
        assert parser.forest(sentence) is not None, sentence


@needs_slog
@pytest.mark.parametrize("name", quick_first(*CATEGORIES))
def test_its_forms_are_the_published_ones(work: Workplace, name: str) -> None:
    rows = [line.split("\t") for line in (SLOG / "train.varfree.tsv").read_text("utf-8").splitlines()]
    wanted = list(islice((row for row in rows if row[2] == CATEGORIES[name]), 60))
    assert len(wanted) == 60
    grammar = grammar_of(work, name)
    parser, number = Parser(grammar, 0), grammar.text_layer("semantics")
    read = []
    for sentence, _, _ in wanted:
        first, *others = sentence.removesuffix(" .").split()
        words = " ".join([first.lower() if first in ("A", "The") else first, *others])
        forest = parser.forest(words)
        assert forest is not None, sentence
        trees = {interpret(grammar, reading.derivation).texts[number] for reading in best_readings(forest, 9)}
        (tree,) = trees
        read.append(f"{words}\t{tree}\t{CATEGORIES[name]}\n")
    work.write("rows.tsv", "".join(read))
    assert run(["export", "forms", "rows.tsv", "--to", "varfree", "--finish", "--out", "forms.tsv"]) == OK
    assert (work.directory / "forms.tsv").read_text("utf-8").splitlines() == ["\t".join(row) for row in wanted]


@needs_slog
@pytest.mark.slow
def test_what_the_authors_training_grammars_hold_out_is_proved(work: Workplace) -> None:
    grammar_of(work, *TRAINING, *GENERALIZATION)
    work.write("held_out.sgl", HELD_OUT)
    assert run(["prove", "held_out.sgl"]) == OK
    assert "3 of 3 patterns proved" in work.capsys.readouterr().out


@needs_slog
@pytest.mark.slow
def test_depth_is_held_out_by_no_grammar_but_by_a_script(work: Workplace) -> None:
    grammar_of(work, *TRAINING, "recursion_pp_gen-grammar.irtg")
    head, _, rest = HELD_OUT.partition("pattern deep_phrases")
    claim = rest.partition("pattern deep_clauses")[0].replace("forbid { A", "assert never { A")
    dataset = HELD_OUT[HELD_OUT.index("dataset") :]
    work.write("held_out.sgl", f"{head.partition('pattern')[0]}pattern deep_phrases{claim}{dataset}")
    assert run(["prove", "held_out.sgl"]) == FAILED
    assert 'witness: "Emma rolled the cake on the table on the table on the table"' in work.capsys.readouterr().err
