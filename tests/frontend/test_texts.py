"""Texts as a layer finishes them: absorbed words, forms, contractions, capitals; docs/texts.md."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import garden
import pytest
from certified import grammar_of
from row_datasets import compiled
from sget import compile_file
from workplace import Workplace

import random_texts
from sgl.cli.main import FAILED, run
from sgl.core import spelling
from sgl.core.interpret import interpret
from sgl.parsing import Parser
from sgl.verify import texts, verify
from sgl.verify.certificate_absorbed import check_unseen
from sgl.verify.certificate_format import STRICT
from sgl.verify.conllu import Malformed, Sentence, TokenTable, read_sentences
from sgl.verify.schema import CertifiedStructure
from sgl.verify.structure import Labels

PATTERN = "  forbid { V -[nsubj]-> N; N -[nmod]-> M }"


@pytest.fixture
def place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Workplace:
    return Workplace(tmp_path, capsys)


def says(place: Workplace, source: str, *command: str, status: int = 0) -> str:
    """What a command says about a grammar."""
    path = place.write("garden.sgl", source)
    assert run([command[0], str(path), *command[1:]]) == status
    captured = place.capsys.readouterr()
    return captured.out + captured.err


# ---- texts and readings


@pytest.mark.slow
def test_texts_samples_and_readings_are_what_a_definition_by_rewriting_says() -> None:
    verdicts, wrong = 0, list[str]()
    for seed in range(2_000, 2_020):
        number, found = random_texts.compare(seed)
        verdicts += number
        wrong += found
    assert wrong == []
    assert verdicts > 1_000


def test_compiler_checker_and_model_have_the_same_functions() -> None:
    assert sorted(spelling.FUNCTIONS) == sorted(texts.FUNCTIONS) == sorted(random_texts.MEANING)


def test_a_text_is_parsed_as_it_is_written_and_no_other(place: Workplace) -> None:
    assert "1 reading" in says(place, garden.SOURCE, "parse", "L'ami du chat, l'ami, dort.")
    refused = says(place, garden.SOURCE, "parse", "Le chat,, l'ami, dort.", status=FAILED)
    assert "parsed up to: Le chat," in refused


def test_what_is_absorbed_is_written_elsewhere(place: Workplace) -> None:
    """The comma behind an apposition is there before the verb, and not before a comma."""
    said = says(place, garden.SOURCE, "sample", "-n", "40")
    assert "," in said
    assert ",," not in said.replace(" ", "")
    assert ",." not in said.replace(" ", "")


def test_options_that_contradict_each_other_or_say_nothing(place: Workplace) -> None:
    for old, new, message in (
        ('-> "du"', '-> "du", "de" + "le" -> "des"', "`de` is written in two ways before `le`"),
        ("capital first", 'capital "a" first', "`capital` is written `capital first`"),
        ("capital first", 'absorb ","', "`absorb` is written"),
        ("capital first", "absorp first", "a text layer has no option `absorp`"),
        ("capital first", '"" + "le" -> "du"', "a word is empty"),
    ):
        assert message in says(place, garden.SOURCE.replace(old, new), "check", status=FAILED)


PARTS = """
module parts
layer en  : text (attach ".")
layer de  : text (attach "." ",", absorb "," before "." ",", "zu" + "dem" -> "zum", capital first)
layer syn : graph on en
category S
category NP
category Det
category V with de.prefix
rule sentence: S -> NP V obj:NP "."
  de  NP V obj V.prefix "."
  syn V -[nsubj]-> NP; V -[obj]-> obj; V -[punct]-> "."(upos=PUNCT)
rule directed: S -> NP V "to" Det "dog" "."
  de  NP V "zu" Det "Hund" V.prefix "."
  syn V -[nsubj]-> NP; V -[obl]-> "dog"(upos=NOUN); "dog" -[det]-> Det
  syn "dog" -[case]-> "to"(upos=ADP); V -[punct]-> "."(upos=PUNCT)
rule modified: NP -> "dogs" "that" V
  de  "Hunde" "," "die" V.prefix V ","
  syn "dogs"(upos=NOUN) -[acl:relcl]-> V; V -[nsubj]-> "that"(upos=PRON)
word NP: "cats"
  de  "Katzen"
  syn node(upos=NOUN)
word Det: "the"
  de  "dem"
  syn node(upos=DET)
word V: "call"
  de  "rufen"
  de.prefix "an"
  syn node(upos=VERB)
word V: "see"
  de  "sehen"
  de.prefix ""
  syn node(upos=VERB)
dataset
  from S
  train 5
"""


def test_phrases_in_parts_are_parsed_as_they_are_written(tmp_path: Path) -> None:
    """A prefix that is empty leaves a comma before the full stop, which is not written."""
    (tmp_path / "parts.sgl").write_text(PARTS, encoding="utf-8")
    grammar = compile_file(tmp_path / "parts.sgl").grammar
    readings: dict[str, set[tuple[int, ...]]] = {}
    for derivation in random_texts.derivations(grammar, grammar.start):
        text = interpret(grammar, derivation).texts[1]
        readings.setdefault(text, set()).add(derivation)
    assert "Katzen sehen Hunde, die anrufen." not in readings
    assert "Katzen sehen Hunde, die an rufen." in readings
    assert "Katzen rufen zum Hund an." in readings
    parser = Parser(grammar, 1)
    assert {text: {*parser.parse(text)} for text in readings} == readings


def test_lengths_that_neighbours_decide_are_not_measured(place: Workplace) -> None:
    source = garden.SOURCE.replace("forbid { V", "forbid { length fr >= 9; V")
    assert "SGL0801" in says(place, source, "check", status=FAILED)


# ---- graphs


def test_a_contraction_is_two_words_of_the_graph_and_an_absorbed_word_none() -> None:
    sentences = read_sentences(compiled("garden") / "conllu" / "train.conllu", TokenTable())
    texts = 0
    for sentence in sentences:
        assert isinstance(sentence, Sentence)
        text = sentence.comment("text") or ""
        forms = [word.form for word in sentence.words]
        texts += " du " in text
        assert "du" not in forms
        assert forms.count(",") == text.count(",")
    assert texts > 3


def test_the_sampler_writes_the_same_texts_and_forms() -> None:
    command = [sys.executable, "-I", str(compiled("garden") / "sampler.py"), "--check"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.stdout.count("identical") == 3, run.stdout + run.stderr


def test_the_verifier_accepts_it() -> None:
    report = verify(compiled("garden"))
    assert report.ok


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1-2\tdu\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No", ""),
        ("1-2\tdu\t_\tX\t_\t_\t_\t_\t_\t_", "more than its form"),
        ("2-3\tdu\t_\t_\t_\t_\t_\t_\t_\t_", "not a multiword token"),
        ("1-1\tdu\t_\t_\t_\t_\t_\t_\t_\t_", "not a multiword token"),
        ("1-2\tdes\t_\t_\t_\t_\t_\t_\t_\t_", "# text is not the tokens"),
    ],
)
def test_multiword_tokens_are_read_strictly(tmp_path: Path, line: str, reason: str) -> None:
    words = "1\tde\tde\tADP\t_\t_\t2\tcase\t2:case\t_\n2\tle\tle\tDET\t_\t_\t0\troot\t0:root\t_\n"
    path = tmp_path / "file.conllu"
    path.write_text(f"# sent_id = a\n# category = b\n# text = du\n{line}\n{words}\n", "utf-8")
    (read,) = read_sentences(path, TokenTable())
    assert reason in (read.reason if isinstance(read, Malformed) else "")
    assert isinstance(read, Malformed) == bool(reason)


# ---- what may not be seen


@pytest.mark.parametrize(
    ("structure", "sees"),
    [
        ("{ V -[*]-> N; N -[nmod]-> M }", True),
        ("{ V -[^appos]-> N; N -[nmod]-> M }", True),
        ("{ V -[^appos|punct]-> N; N -[nmod]-> M }", False),
        ("{ V[#punct>=2] -[nsubj]-> N }", True),
        ("{ V -[nsubj]-> N } without { N -[punct]-> M }", True),
        ("{ V -[nsubj]-> N } without { N }", False),
        ("{ V -[nsubj]-> N; M }", True),
        ("{ V -[nsubj]-> N; M[upos=NOUN] }", False),
    ],
)
def test_no_structure_may_see_what_can_be_absorbed(place: Workplace, structure: str, sees: bool) -> None:
    source = garden.SOURCE.replace(PATTERN, f"  forbid {structure}")
    path = place.write("garden.sgl", source)
    run(["check", "--fast", str(path)])
    said = place.capsys.readouterr()
    assert ("SGL0320" in said.out + said.err) == sees


def test_a_word_that_heads_a_phrase_may_not_be_absorbed(place: Workplace) -> None:
    source = garden.SOURCE.replace('absorb ","', 'absorb "chat"')
    assert "the word is not a leaf of the graph" in says(place, source, "check", status=FAILED)


def test_the_checker_of_certificates_refuses_a_structure_that_sees_it() -> None:
    data = json.loads((compiled("garden") / "certificate.json").read_text("utf-8"))
    grammar = grammar_of(data["core"]["grammar"])
    structure: CertifiedStructure = STRICT.read(CertifiedStructure, data["structures"][0])
    check_unseen(grammar, structure)
    body = structure.bodies[0]
    for labels in (
        Labels(frozenset({"nsubj"}), negated=True),
        Labels(frozenset({"punct"})),
        Labels(frozenset(), negated=True),
    ):
        links = tuple(replace(link, labels=labels) for link in body.links)
        with pytest.raises(ValueError, match="may be absorbed"):
            check_unseen(grammar, replace(structure, bodies=(replace(body, links=links),)))
