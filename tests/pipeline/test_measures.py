"""Lengths and depths: what structures say of whole texts is found, proved and verified."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest

from claims_maker import MeasuringMaker
from random_claims import compare
from sgl.automata import StructureCompiler
from sgl.automata.weights.split import longest_text
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, interpret
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.frontend import Compiled
from sgl.pipeline.grammar import open_grammar
from sgl.pipeline.production import produce
from sgl.pipeline.proofs import establish
from sgl.pipeline.sentences import check_examples
from sgl.verify import certificate_faults, verify
from sgl.verify.certificate_format import measured_by
from sgl.verify.rows import Rows
from sgl.verify.schema_plan import Clause, DatasetPlan, PartClaim

#: In one language a noun may have no word, or two, and an object has two places.
GRAMMAR = """
layer en : text
layer act : text
layer syn : graph on en
category S
category NP
category N
category V
rule s: S -> NP V obj:NP
  act V obj copy obj drop NP
  syn V -[nsubj]-> NP; V -[obj]-> obj
rule np: NP -> N "of" below:NP ~ 0.3
  act N below
  syn N -[nmod]-> below; below -[case]-> "of"(upos=ADP)
rule n: NP -> N
word N: "dog"
  act "D" "D"
  syn node(lemma=dog, upos=NOUN)
word N: "cat"
  act ""
  syn node(lemma=cat, upos=NOUN)
word V: "saw"
  act "SAW"
  syn node(lemma=see, upos=VERB)
"""

DATASET = """
dataset
  from S
  output act
  train 60
  seed 1
  ambiguous ignore
"""

LONG = """
pattern long
  allow deep
  forbid { length act >= 9; V -[obj]-> N }
  waive { length act >= 9 }
  size 5, 5 within { length en > 12 }, 5 outside { length en >= 9 }
pattern deep
  allow long
  forbid { depth nmod >= 4 }
  exclude { length en = 15 }
  need 3 { length act != 5; length en <= 9 }
  size 10
"""


class Sizes(NamedTuple):
    """The lengths of a sentence, and the number of links in its longest noun phrase."""

    en: int
    act: int
    deep: int


def opened(patterns: str, folder: Path) -> tuple[Compiled | None, Diagnostics]:
    """The grammar with some patterns."""
    path, diagnostics = folder / "toy.sgl", Diagnostics()
    path.write_text(GRAMMAR + patterns + DATASET, "utf-8")
    return open_grammar(path, {}, SourceMap(), diagnostics), diagnostics


def compiled(patterns: str, folder: Path) -> Compiled:
    """The grammar with some patterns, which has no errors."""
    found, diagnostics = opened(patterns, folder)
    assert found is not None, diagnostics.found
    return found


def sentences(grammar: CoreGrammar, nouns: int) -> Iterator[Derivation]:
    """All derivations whose noun phrases have up to so many nouns."""
    named = {rule.name: rule.id for rule in grammar.rules if rule.rhs}
    dog, cat, see = [rule.id for rule in grammar.rules if not rule.rhs]

    def phrases(depth: int) -> Iterator[Derivation]:
        for noun in (dog, cat):
            yield named["n"], noun
            if depth > 1:
                for below in phrases(depth - 1):
                    yield named["np"], noun, *below

    for subject, direct in product(phrases(nouns), repeat=2):
        yield named["s"], *subject, see, *direct


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("length act >= 9", lambda x: x.act >= 9),
        ("length act > 9", lambda x: x.act > 9),
        ("length en <= 7; length act != 5", lambda x: x.en <= 7 and x.act != 5),
        ("length en < 7; length act = 1", lambda x: x.en < 7 and x.act == 1),
        ("depth nmod >= 2", lambda x: x.deep >= 2),
        ("depth nmod = 2; length act >= 3", lambda x: x.deep == 2 and x.act >= 3),
        ("depth nmod < 1", lambda x: x.deep < 1),
    ],
)  # fmt: skip
def test_a_measure_is_what_it_says_of_every_sentence(
    written: str, meant: Callable[[Sizes], bool], tmp_path: Path
) -> None:
    own = compiled(f"pattern p\n  forbid {{ {written} }}\n", tmp_path)
    (structure,) = own.plan.patterns[0].forbid
    compiler = StructureCompiler(own.grammar)
    found, automaton = compiler.presence(structure), compiler.structure_automaton(structure)
    for derivation in sentences(own.grammar, 3):
        item = interpret(own.grammar, derivation)
        chain, *_ = sorted(len(re.findall("of", part)) for part in item.texts[0].split("saw"))[::-1]
        expected = meant(Sizes(len(item.tokens[0]), len(item.tokens[1]), chain))
        assert found.accepts(derivation) == expected
        assert automaton.accepts(own.grammar, derivation) == expected


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset with measures in all its clauses."""
    folder = tmp_path_factory.mktemp("measures")
    own = compiled(LONG, folder)
    structures, diagnostics = StructureCompiler(own.grammar), Diagnostics()
    proofs = establish(own, structures, diagnostics)
    assert proofs is not None, diagnostics.found
    assert proofs.proved, diagnostics.found
    produced = produce(own, structures, proofs, folder / "out", lambda *_: None)
    assert produced.verification.ok
    return folder / "out"


def test_the_texts_of_a_dataset_have_these_lengths(dataset: Path) -> None:
    rows = [line.split("\t") for line in (dataset / "data/gen.tsv").read_text().splitlines()]
    sizes = [(len(en.split()), len(act.split())) for en, act, category in rows if category == "long"]
    assert all(act >= 9 for _, act in sizes)
    assert all(en > 12 for en, _ in sizes[5:10])
    assert all(en < 9 for en, _ in sizes[10:])
    for line in (dataset / "data/train.tsv").read_text().splitlines():
        en, act, _ = line.split("\t")
        assert len(act.split()) < 9
        assert en.split().count("of") < 8


def test_all_checks_of_a_dataset_pass(dataset: Path) -> None:
    report = verify(dataset)
    assert [result.code for result in report.results if result.status == "failed"] == []
    certificate = (dataset / "certificate.json").read_bytes()
    assert certificate_faults(certificate) == ()
    assert sum(1 for _ in Rows(dataset).rows()) == 85


def test_the_lengths_are_written_beside_each_sentence(dataset: Path) -> None:
    block = (dataset / "conllu/gen.conllu").read_text().split("\n\n")[0]
    comments = dict(re.findall(r"# (\w+) = (.*)", block))
    assert comments["length_en"] == str(len(comments["text"].split()))
    assert comments["length_act"] == str(len(comments["text_act"].split()))


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("# length_act = ", "# length_act = 1", "V030"),
        ("# length_en = ", "# length_en = 1", "V005"),
        ("# length_act = ", "# nothing = ", "V005"),
    ],
)
def test_a_wrong_length_is_found(old: str, new: str, code: str, dataset: Path, tmp_path: Path) -> None:

    forged = tmp_path / "forged"
    shutil.copytree(dataset, forged)
    path = forged / "conllu/gen.conllu"
    path.write_text(path.read_text().replace(old, new), "utf-8")
    failed = [result.code for result in verify(forged).results if result.status == "failed"]
    assert code in failed


def test_a_counter_that_is_wrong_is_refused(dataset: Path) -> None:
    """An automaton that finds long texts two words too late."""
    data = json.loads((dataset / "certificate.json").read_text())
    own = next(x for x in data["structures"] if x["name"] == "{ length en >= 13 }")
    own["name"] = "{ length en >= 11 }"
    own["bodies"][0]["lengths"][0]["number"] = 11
    faults = certificate_faults(json.dumps(data).encode())
    assert any(fault.startswith("C10 { length en >= 11 }") for fault in faults)


def test_the_longest_text_of_training_is_a_number(tmp_path: Path) -> None:
    """The longest noun phrase without four links has four nouns, so that texts have 15 words."""
    patterns = LONG.replace("length en > 12", "length en > longest(train)")
    patterns = patterns.replace("length act >= 9; V -[obj]-> N", "depth nmod >= 2")
    own = compiled(patterns.replace("length act >= 9", "depth nmod >= 1"), tmp_path)
    assert "{ length en >= 8 }" in {str(s) for s in own.plan.structures}
    compiler, train = StructureCompiler(own.grammar), own.plan.strata[0]
    assert longest_text(compiler.split(train.constraint), "en") == 7
    assert longest_text(compiler.split(train.constraint), "act") == 9


@pytest.mark.parametrize(
    ("clauses", "expected"),
    [
        ("forbid { V -[obj]-> N; N -[nmod]-> M }\n  size 5 within { length act > longest(gen) }",
            "SGL0831",),
        ("forbid { length en > longest(train) }\n  size 5", "SGL0831"),
        ("forbid { depth nmod >= 2 }\n  size 5 within { length en > longest(tain) }", "SGL0201"),
        ("forbid { length zz >= 2 }\n  size 5", "SGL0201"),
        ("forbid { V -[nsubj]-> N } without { length en >= 2 }\n  size 5", "SGL0801"),
        ("forbid { length en >= 2 } without { N }\n  size 5", "SGL0801"),
        ("forbid { V -[nsubj]-> N; depth nmod >= 2 }\n  size 5", "SGL0801"),
        ("forbid { depth nmod != 2 }\n  size 5", "SGL0801"),
        ("forbid { length en < 0 }\n  size 5", "SGL0801"),
        ("forbid { depth nmod >= 2 }\n  size 5 within { length en > longest(train)-20 }", "SGL0801"),
        ("forbid { depth nmod >= 2; depth nmod >= 3 }\n  size 5", "SGL0801"),
        ("forbid { length en >= 50 }\n  size 5", "SGL0801"),
    ],
)  # fmt: skip
def test_what_no_measure_can_be_is_told(clauses: str, expected: str, tmp_path: Path) -> None:
    own, diagnostics = opened(f"pattern p\n  {clauses}\n", tmp_path)
    assert own is None
    assert expected in [found.code for found in diagnostics.found]


@pytest.mark.parametrize(
    ("body", "hint"),
    [
        ("depth nmod >= 2; depth case >= 1", "put one of them into separate braces, as a condition: `within {"),
        ("depth nmod >= 2; depth case <= 1", "exclude the deeper walk, in separate braces: `exclude {"),
        ("V -[obj]-> N; depth nmod >= 2", "write the walk with its nodes: `A -[ccomp]{3}-> B`"),
        ("V -[obj]-> N; depth nmod <= 2", "exclude the deeper walk, in separate braces: `exclude {"),
    ],
)
def test_a_depth_that_does_not_stand_alone_is_told_what_to_write(body: str, hint: str, tmp_path: Path) -> None:
    _, diagnostics = opened(f"pattern p\n  forbid {{ {body} }}\n  size 5\n", tmp_path)
    (found,) = [found for found in diagnostics.found if found.code == "SGL0801"]
    assert found.hint.startswith(hint)


@pytest.mark.parametrize(
    ("written", "least"), [("longest(train)-3", 5), ("longest(train)", 8), ("longest(train)+1", 9)]
)
def test_a_number_is_added_to_the_longest_text_or_subtracted(written: str, least: int, tmp_path: Path) -> None:
    """Training has texts of up to seven words; an item has more than the number."""
    own = compiled(
        f"pattern p\n  forbid {{ depth nmod >= 2 }}\n  size 5 within {{ length en > {written} }}\n", tmp_path
    )
    assert f"{{ length en >= {least} }}" in {str(s) for s in own.plan.structures}


def test_the_longest_text_of_nothing_has_no_words(tmp_path: Path) -> None:
    """Texts in which nothing is seen have no word in `act`; nothing is shorter, and such a number is an error."""
    silent = "pattern p\n  forbid { V }\n  size 5 within { length act %s longest(train)%s }\n"
    own = compiled(silent % (">", ""), tmp_path)
    assert "{ length act >= 1 }" in {str(s) for s in own.plan.structures}
    found, diagnostics = opened(silent % ("<", ""), tmp_path)
    assert found is None
    assert [(one.code, one.notes) for one in diagnostics.found if one.code == "SGL0801"] == [
        ("SGL0801", ("the longest text of `train` has 0 words in `act`",))
    ]


def test_a_test_that_fails_says_how_long_the_sentence_is(tmp_path: Path) -> None:
    source = 'pattern p\n  forbid { depth nmod >= 2 }\n  size 5\ntest "dog saw cat" => syn %s\n'
    for structure, notes in (
        ("{ length act = 6 }", ("its length in `act` is 1",)),
        ("{ length act = 6; length en = 9 }", ("its length in `act` is 1", "its length in `en` is 3")),
        (
            "{ V -[obj]-> N; length en >= 4 }",
            ("its length in `en` is 3", "its edges are: saw -[nsubj]-> dog, saw -[obj]-> cat"),
        ),
    ):
        own, diagnostics = opened(source % structure, tmp_path)
        assert own is not None, diagnostics.found
        check_examples(own, diagnostics)
        (found,) = [found for found in diagnostics.found if found.code == "SGL0817"]
        assert found.notes == notes


def test_tests_know_the_longest_text_of_training(tmp_path: Path) -> None:
    """No pattern needs to ask for it."""
    source = (
        'pattern p\n  forbid { depth nmod >= 2 }\n  size 5\ntest "dog saw cat" => syn { length en %s longest(train) }\n'
    )
    for sign, right in (("<", True), ("=", False), (">=", False)):
        own, diagnostics = opened(source % sign, tmp_path)
        assert own is not None, diagnostics.found
        check_examples(own, diagnostics)
        assert ("SGL0817" not in [found.code for found in diagnostics.found]) == right


@pytest.mark.parametrize(("act", "warned"), [('"D E"', False), ('"D" "E"', False)])
def test_a_cell_is_divided_by_spaces(act: str, warned: bool, tmp_path: Path) -> None:
    assert ("SGL0836" in warnings_of(GRAMMAR.replace('act "D" "D"', f"act {act}"), tmp_path)) == warned


def test_a_quoted_word_with_a_space_is_pointed_out_where_its_words_are_counted(tmp_path: Path) -> None:
    spaced = GRAMMAR.replace("act N below", 'act N "of the" below')
    assert "SGL0836" in warnings_of(spaced, tmp_path)
    assert "SGL0836" not in warnings_of(spaced, tmp_path, counted="en")


def warnings_of(grammar: str, folder: Path, counted: str = "act") -> list[str]:
    """The codes of what is said of a grammar with a structure that counts the words of a layer."""
    path, diagnostics = folder / "toy.sgl", Diagnostics()
    pattern = f"pattern p\n  forbid {{ length {counted} >= 9 }}\n  size 5\n"
    path.write_text(grammar + pattern + DATASET, "utf-8")
    assert open_grammar(path, {}, SourceMap(), diagnostics) is not None, diagnostics.found
    return [found.code for found in diagnostics.found]


@pytest.mark.slow
def test_random_grammars_agree_with_the_model(tmp_path: Path) -> None:
    figures: Counter[str] = Counter()
    for seed in range(1000, 1012):
        compare(seed, tmp_path / str(seed), figures, dataset=True, kind=MeasuringMaker)
    assert figures["verdicts"] > 500


def test_a_row_checker_reads_lengths_of_structures_only() -> None:
    """A word that looks like a test on a length is none."""

    plan = DatasetPlan("a", "b", (), (), (), distinct_sentences=False, lemma_layer="")
    own = PartClaim("p", "{ length a >= 1 }", (Clause('{ N[lemma="; length b >= 1 }"] }'),), ())
    assert measured_by(replace(plan, parts=(own,)))[0] == []
    assert measured_by(replace(plan, nowhere=(Clause("{ N; length ja <= 3; length en = 2 }"),)))[0] == ["en", "ja"]
