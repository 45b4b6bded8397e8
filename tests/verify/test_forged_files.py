"""One forgery of a dataset's files for each refusal that nothing else meets, and what the verifier says of it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from forging import Forger
from row_datasets import compile_grammar, compiled, rows_refused, written
from tiny_dataset import Sentence, Tiny, pp_in_subject, tiny, verify, write_manifest

from sgl.verify import verify as verify_all
from sgl.verify.certificate_format import LARGEST
from sgl.verify.conllu import LARGEST_ID, Malformed, MalformedError, TokenTable, read_sentences
from sgl.verify.conllu import Sentence as ReadSentence
from sgl.verify.items import merged
from sgl.verify.manifest import GraphLayer
from sgl.verify.sampled import look_at

Json = Any
Act = Callable[[Forger], object]

TRAIN, REJECTED = "derivations/train.tsv", "derivations/rejected.tsv"


def forged(dataset: Path, directory: Path, act: Act) -> Path:
    """A copy of a dataset after a forgery."""
    forger = Forger(Path(shutil.copytree(dataset, directory / "forged")))
    act(forger)
    forger.seal()
    return forger.directory


# ---- rows


def a_name_of_a_candidate_that_is_no_text(of: Forger) -> None:
    path = of.directory / REJECTED
    path.write_bytes(b"\xff#1\t1\n" + path.read_bytes())


def a_reading_that_ends_too_early(of: Forger) -> None:
    of.edit(REJECTED, lambda rows: rows.__setitem__(0, rows[0].rpartition(" ")[0]))


def a_sentence_rejected_for_a_reading_with_the_same_outputs(of: Forger) -> None:
    """Of the items: the phrase with *near* is one of the object instead, which no output tells."""
    verbal, plain, of_object, nominal = (str(of.rule_number(name)) for name in ("vp_pp", "np", "vp", "np_pp"))
    place, derivation = of.text("derivations/gen.tsv").splitlines()[0].split("\t")
    before, after = derivation.split(f" {verbal} ")
    verb, *noun = after.split(" ")
    assert noun[0] == plain
    reading = " ".join([before, of_object, verb, nominal, *noun[1:]])
    of.edit(REJECTED, lambda rows: rows.insert(first_of_gen(rows), f"{place}\t{reading}"))


def first_of_gen(rows: list[str]) -> int:
    return next(number for number, row in enumerate([*rows, "gen"]) if row.startswith("gen"))


def a_split_with_a_name_that_no_file_has(of: Forger) -> None:
    of.plan["strata"][0]["split"] = "train" * 100


def a_part_that_no_phrase_has(of: Forger) -> None:
    of.rule("sentence")["templates"][1][0]["part"] = 5


def a_length_of_a_text_that_is_not_there(of: Forger) -> None:
    of.plan["nowhere"] = ["{ length fr >= 3 }"]


def a_notation_that_nobody_knows(of: Forger) -> None:
    of.grammar["views"][-1]["kind"] = "cuneiform"


def sentences_that_are_copied_for_ever(of: Forger) -> None:
    of.plan["strata"][0]["extent"]["copies"] = 10**19


def instances_in_contexts_without_end(of: Forger) -> None:
    """No sentence has an instance, and a round of candidates is never over."""
    of.plan["strata"][0]["extent"]["contexts"] = 10**18


def more_sentences_than_can_be_counted(of: Forger) -> None:
    """All sentences of pairs of pairs of pairs …, sixty deep; a number of their number would fill any memory."""
    states, rules = of.certificate["sampler"]["states"], of.grammar["rules"]
    dogs = of.rule_number('word "dogs"')
    noun, first, deepest = rules[dogs]["lhs"], len(states), len(states) + 60
    two = {"name": "two", "lhs": noun, "rhs": [noun, noun], "weight": "1"}
    two["templates"] = [[{"child": 0}, {"child": 1}]]
    two["fragments"] = [{"nodes": [{"glue": [[0, 0]]}, {"glue": [[1, 0]]}], "edges": [], "exports": [0]}]
    rules.append(two)
    of.certificate["symbols"].append(1000)
    for state in range(first, deepest):
        states.append({"bounds": [2**53], "rules": [len(rules) - 1], "children": [[state + 1] * 2]})
    words = {"bounds": [2**52, 2**53], "rules": [dogs, of.rule_number('word "cats"')], "children": [[], []]}
    states.append(words)
    of.certificate["sampler"]["starts"][0] = first
    of.plan["strata"][0]["extent"] = {"count": 5, "every": 1}


ROWS: list[tuple[str, Act, str]] = [
    ("ambiguous", a_name_of_a_candidate_that_is_no_text, f"R06 {REJECTED}: b'\\xff#1\\t1\\n' is not UTF-8"),
    ("ambiguous", a_reading_that_ends_too_early, "the listed derivation is not a derivation of a text"),
    (
        "ambiguous",
        a_sentence_rejected_for_a_reading_with_the_same_outputs,
        "R06 gen/pp_of_verb/0#0: the listed derivation is not a reason to reject it",
    ),
    ("farm", a_split_with_a_name_that_no_file_has, "File name too long"),
    ("farm", a_part_that_no_phrase_has, "R01 a phrase has no part 5"),
    ("farm", a_length_of_a_text_that_is_not_there, "R01 there is no layer 'fr'"),
    ("kites", a_notation_that_nobody_knows, "(no form: there is no notation 'cuneiform')"),
    ("farm", sentences_that_are_copied_for_ever, "R03 derivations/train.tsv, train-000002"),
    ("farm", instances_in_contexts_without_end, "R07 the budget of steps is used up"),
    ("all", more_sentences_than_can_be_counted, "R01 state 3 does not have 5 derivations"),
]


@pytest.mark.parametrize(("dataset", "act", "reason"), ROWS, ids=[act.__name__ for _, act, _ in ROWS])
def test_forged_rows_are_refused_in_words(
    dataset: str, act: Act, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sgl.verify.rows.STEPS", 200_000)  # enough for these datasets
    assert rows_refused(compiled(dataset)) == ""
    assert reason in rows_refused(forged(compiled(dataset), tmp_path, act))


def test_a_certificate_of_any_size_is_not_read(tmp_path: Path) -> None:
    directory = Path(shutil.copytree(compiled("all"), tmp_path / "forged"))
    os.truncate(directory / "certificate.json", LARGEST + 1)
    assert "not a regular file of at most 268,435,456 bytes" in rows_refused(directory)


# ---- a sample of the rows


def a_stream_that_is_not_planned(of: Forger) -> None:
    of.replace(TRAIN, "train/in_distribution#0", "train/elsewhere#0")


def another_candidate(of: Forger) -> None:
    of.replace(TRAIN, "train/in_distribution#0", "train/in_distribution#1000")


def a_rule_that_the_grammar_has_not(of: Forger) -> None:
    """In the derivation of a row that has other right answers."""
    place = of.text("readings/train.tsv").partition("\t")[0]
    of.replace(TRAIN, f"{place}\t", f"{place}\t1000 ")


SAMPLED: list[tuple[str, Act, str]] = [
    ("all", a_stream_that_is_not_planned, "R03 train, row 1: there is no stream 'train/elsewhere'"),
    ("farm", another_candidate, f"R03 {TRAIN}, train-000001: the derivation is not that of the candidate"),
    ("listed", a_rule_that_the_grammar_has_not, "the derivation is not a reading of its sentence"),
]


@pytest.mark.parametrize(("dataset", "act", "reason"), SAMPLED, ids=[act.__name__ for _, act, _ in SAMPLED])
def test_forged_rows_of_a_sample_are_refused_in_words(dataset: str, act: Act, reason: str, tmp_path: Path) -> None:
    directory = forged(compiled(dataset), tmp_path, act)
    assert reason in look_at(directory, each=1000).refusal
    assert rows_refused(directory).startswith("R0")


#: A sentence and its twin differ in the word of the subject.
TWINS = """\
layer en  : text
layer bad : text (contrast en)
layer syn : graph on en

category S
category N
category V

rule says: S -> N V
  syn V -[nsubj]-> N

word V: "bark"
  syn node(lemma=bark, upos=VERB)

word N: "dogs"
  bad "dog"
  syn node(lemma=dog, upos=NOUN)

dataset
  from   S
  output bad
  train  all
"""


def test_a_sentence_is_not_its_own_twin(tmp_path: Path) -> None:
    def alike(of: Forger) -> None:
        of.rule('word "dogs"')["templates"][1][0]["text"] = "dogs"

    dataset = compile_grammar(lambda directory: written(directory, TWINS))
    assert rows_refused(dataset) == ""
    same = forged(dataset, tmp_path, alike)
    for path in ("data/train.tsv", "pairs/train.jsonl"):
        (same / path).write_text((same / path).read_text("utf-8").replace("dog bark", "dogs bark"), "utf-8")
    assert rows_refused(same) == "R01 a sentence is its own twin: dogs bark"


# ---- sentences in CoNLL-U

WORDS = ("1\tDogs\tdog\tNOUN\t_\t_\t2\tnsubj\t2:nsubj\t_", "2\tbark\tbark\tVERB\t_\t_\t0\troot\t0:root\t_")
FREE = ("1\tDogs\tdog\tNOUN\t_\t_\t_\t_\t2:agent\t_", "2\tbark\tbark\tVERB\t_\t_\t_\t_\t_\t_")


def read(lines: list[str], directory: Path, *, free: bool = False) -> ReadSentence | Malformed:
    """The sentence *Dogs bark* with these lines for its words."""
    comments = ["# sent_id = train-000001", "# category = in_distribution", "# text = Dogs bark"]
    path = directory / "train.conllu"
    path.write_text("".join(f"{line}\n" for line in (*comments, *lines, "")), "utf-8")
    return next(read_sentences(path, TokenTable(free=free)))


MALFORMED = [
    (WORDS, "2:nsubj", "2", "DEPS is not a list of governor:label: 2"),
    (WORDS, "1\tDogs", "1-2\tDogs bark\t_\n1\tDogs", "3 columns instead of 10"),
    (FREE, "\t_\t_\t2:agent", "\t2\tagent\t2:agent", "a word of a free layer has a governor: 2:agent"),
    (FREE, "2:agent", "1:agent", "DEPS is not a list of other words and labels: 1:agent"),
    (FREE, "2:agent", "0:root", "DEPS is not a list of other words and labels: 0:root"),
    (FREE, "2:agent", "2", "DEPS is not a list of governor:label: 2"),
]


@pytest.mark.parametrize(("words", "old", "new", "reason"), MALFORMED)
def test_a_malformed_sentence_is_told_in_words(
    words: tuple[str, str], old: str, new: str, reason: str, tmp_path: Path
) -> None:
    free = words == FREE
    assert isinstance(read([*words], tmp_path, free=free), ReadSentence)
    found = read([words[0].replace(old, new), words[1]], tmp_path, free=free)
    assert isinstance(found, Malformed)
    assert found.reason == reason


def test_a_sentence_ends_some_day(tmp_path: Path) -> None:
    """What follows it is read as usual."""
    path = tmp_path / "train.conllu"
    path.write_bytes(b"# a comment\n" * (LARGEST_ID + 1) + b"\n")
    first, *others = read_sentences(path, TokenTable())
    assert isinstance(first, Malformed)
    assert first.reason == "no empty line within 10000 lines"
    assert [other.reason for other in others if isinstance(other, Malformed)] == ["a sentence without tokens"]


def test_graphs_on_one_text_have_the_same_words(tmp_path: Path) -> None:
    """*Dogs bark*, and *Do gs bark* without the space."""
    layers = GraphLayer("syn", "en"), GraphLayer("sem", "en", free=True)
    first = read([*WORDS], tmp_path)
    parts = ["1\tDo" + "\t_" * 7 + "\tSpaceAfter=No", "2\tgs" + "\t_" * 8, "3\tbark" + "\t_" * 8]
    other = read(parts, tmp_path, free=True)
    assert isinstance(first, ReadSentence)
    assert isinstance(other, ReadSentence)
    with pytest.raises(MalformedError, match="the sentence in sem: it has other words"):
        merged(layers, first, [other])


# ---- manifests and sentences that contradict one another


def a_sentence_without_its_target(data: Tiny) -> None:
    data.splits["dev"][0] = Untold(data.splits["dev"][0].words)


class Untold(Sentence):
    """A sentence that does not tell its target."""

    def conllu(self, sent_id: str) -> str:
        lines = super().conllu(sent_id).split("\n")
        return "\n".join(line for line in lines if not line.startswith("# text_ja"))


def a_sentence_with_the_name_of_another(data: Tiny) -> None:
    data.splits["dev"][0].comments["sent_id"] = "dev-000002"


def a_structure_of_graphs_that_are_not_there(data: Tiny) -> None:
    data.nowhere.append("sem { V }")


def targets_without_equal_shares(data: Tiny) -> None:
    """The quota asks for equal shares of its targets, and the part of the split does not say so."""
    of_pattern, stratum = data.pattern("cat_as_object"), Tiny.strata_of

    def strata_of(split: str, category: str, count: int) -> list[dict[str, object]]:
        found = stratum(data, split, category, count)
        for own in found if category == of_pattern["name"] else ():
            own["extent"] = {"count": count}
        return found

    data.strata_of = strata_of  # type: ignore[method-assign]


CONTRADICTIONS: list[tuple[Callable[[Tiny], None], str, str]] = [
    (a_sentence_without_its_target, "V005", "no comment # text_ja"),
    (a_sentence_with_the_name_of_another, "V005", "sent_id is not dev-000001"),
    (a_structure_of_graphs_that_are_not_there, "V004", "there are no graphs of 'sem': sem { V }"),
    (targets_without_equal_shares, "V016", "the part of the split has another extent than its quota"),
]


@pytest.mark.parametrize(
    ("plant", "code", "message"), CONTRADICTIONS, ids=[plant.__name__ for plant, _, _ in CONTRADICTIONS]
)
def test_a_contradiction_is_told_in_words(
    plant: Callable[[Tiny], None], code: str, message: str, tmp_path: Path
) -> None:
    data = tiny()
    plant(data)
    assert [own.message for own in verify(data.write(tmp_path)).result(code).violations] == [message]


def without_figures(manifest: Json) -> None:
    manifest["splits"]["dev"]["strata"][0]["readings"] = None


def with_another_policy(manifest: Json) -> None:
    manifest["ambiguous"]["policy"] = "ignore"


@pytest.mark.parametrize(
    ("policy", "forge", "message"),
    [
        ("report", without_figures, "the strings were not parsed"),
        ("reject", with_another_policy, "there are figures, though readings were to be ignored"),
    ],
)
def test_figures_on_strings_fit_their_policy(
    policy: str, forge: Callable[[Json], None], message: str, tmp_path: Path
) -> None:
    data = tiny()
    data.policy = policy
    assert verify(data.write(tmp_path)).ok
    content = json.loads((tmp_path / "manifest.json").read_text("utf-8"))
    forge(content)
    write_manifest(tmp_path, content)
    assert message in [own.message for own in verify(tmp_path).result("V027").violations]


def test_a_file_that_changes_while_it_is_verified_is_noticed(tmp_path: Path) -> None:
    """Its graphs are read at first; the words of a violation are read again."""
    data = tiny()
    data.splits["train"].append(pp_in_subject("girl", "Lina"))
    path = data.write(tmp_path) / "conllu/train.conllu"

    def progress(_done: int, _total: int, step: str) -> None:
        if step == "searching graphs":
            path.write_bytes(path.read_bytes().replace(b"\t", b" "))

    violations = verify(tmp_path, progress).result("V009").violations
    assert [own.message for own in violations] == ["the file has changed while it was verified"]


def test_parquet_files_that_cannot_be_read_are_not_called_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sgl.verify.parquet.READABLE", False)
    result = verify_all(compiled("all")).result("V031")
    assert (result.status, result.reason) == ("skipped", "pyarrow, which reads Parquet, is not installed")
