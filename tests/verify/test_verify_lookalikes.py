"""Nothing that looks like what is held out is let through; nothing is alarming that is not."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_dataset import (
    CAT_AS_OBJECT,
    PP_IN_SUBJECT,
    QUESTION,
    Sentence,
    Tiny,
    explain,
    failed,
    pp_in_subject,
    said,
    tiny,
    verify,
)

from sgl.cli.main import OK, run
from sgl.verify import Violation
from sgl.verify.name_checks import made_by_rules
from sgl.verify.skeleton import name_skeletons, sentence_skeletons, visible

FARM = Path(__file__).parents[2] / "docs" / "examples" / "farm.sgl"

#: Another spelling of ``The dog near Emma slept.``
SPELLINGS = {
    "the same": "The dog near Emma slept .",
    "lower case": "the dog near emma slept .",
    "upper case": "THE DOG NEAR EMMA SLEPT .",
    "zero width": "The do\u200bg near Emma slept .",
    "joiner": "The dog near Em\u200dma slept .",
    "soft hyphen": "The dog near Em\u00adma slept .",
    "variation selector": "The dog\ufe0f near Emma slept .",
    "tag": "The dog near Emma\U000e0041 slept .",
    "byte order mark": "\ufeffThe dog near Emma slept .",
    "direction": "The \u202ddog\u202c near Emma slept .",
    "control": "The dog\x01 near Emma slept .",
    "full width": "The ｄｏｇ near Emma slept .",
    "mathematical": "The 𝐝𝐨𝐠 near Emma slept .",
    "Cyrillic": "The d\u043eg near Emma slept .",
    "Cherokee": "The Ꭰog near Emma slept .",
    "Lisu": "The dog ꓠear Emma slept .",
    "small capitals": "The dᴏg near Emma sʟept .",
    "Greek": "The dog near \u0395mma slept .",
    "digit": "The d0g near Emma s1ept .",
    "capital": "The dog near Emma sIept .",
    "reversed": "The \u202egod\u202c near Emma slept .",
    "all of them": "the d\u043e\u200bg near \uff45\u041cMA slept .",
}


def respelt(words: str, forms: str, category: str = "in_distribution") -> Sentence:
    """A sentence with other forms."""
    pairs = zip(words.split(), forms.split(" "), strict=True)
    return Sentence(" ".join(f"{form}/{word.split('/', 1)[1]}" for word, form in pairs), category)


def test_an_item_wholly_in_letters_of_another_script_is_noticed(tmp_path: Path) -> None:
    """No letter of the sentence in training is Latin, and each looks like a Latin one."""
    data = tiny()
    words = "cop/cop/VERB/0:root ace/ace/NOUN/1:obj"
    data.splits["gen"].append(Sentence(words, "pp_in_subject"))
    data.splits["train"].append(respelt(words, "\u0441\u043e\u0440 \u03b1\u0441\u0435"))
    result = verify(data.write(tmp_path)).result("V018")
    assert "looks like" in str(result.violations[0])


@pytest.mark.parametrize("forms", SPELLINGS.values(), ids=SPELLINGS)
@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_an_item_is_in_no_other_split_however_it_is_spelt(forms: str, split: str, tmp_path: Path) -> None:
    """Not with another graph either, which has nothing held out."""
    data = tiny()
    words = pp_in_subject("dog", "Emma").words.replace("/2:nmod", "/5:obl")
    data.splits[split].insert(0, respelt(words, forms))
    report = verify(data.write(tmp_path))
    assert failed(report) == {"V018"}, explain(report)
    (violation,) = report.result("V018").violations
    assert violation.sent_id == "gen-000001"
    assert f"{split}-000001" in str(violation)
    assert "(with another graph)" in str(violation)


def test_an_accent_is_the_same_in_one_character_or_two(tmp_path: Path) -> None:
    data = tiny()
    place = unicodedata.normalize("NFC", "Zoé")
    data.splits["gen"][0] = pp_in_subject("dog", place)
    other = pp_in_subject("dog", unicodedata.normalize("NFD", place))
    data.splits["train"].insert(0, Sentence(other.words.replace("/2:nmod", "/5:obl")))
    assert "V018" in failed(verify(data.write(tmp_path)))


def test_spaces_do_not_make_another_sentence(tmp_path: Path) -> None:
    data = tiny()
    words = "The/the/DET/2:det dog/dog/NOUN/6:nsubj near/near/ADP/4:case Emma/Emma/PROPN/6:obl "
    words += "sl/sl/ADV/6:advmod ept/ept/VERB/0:root ././PUNCT/6:punct"
    data.splits["train"].insert(0, Sentence(words))
    assert failed(verify(data.write(tmp_path))) == {"V018"}


def test_all_splits_that_have_the_sentence_are_named(tmp_path: Path) -> None:
    data = tiny()
    for split in ("train", "dev", "test"):
        data.splits[split].insert(0, said("book", "saw", "girl"))
    report = verify(data.write(tmp_path))
    messages = [violation.message for violation in report.result("V018").violations]
    assert messages == ["the sentence is train-000001 as well", "the sentence is train-000001 and dev-000001 as well"]


def test_all_structures_that_a_sentence_contains_are_named(tmp_path: Path) -> None:
    data = tiny()
    other = "{ N -[nmod]-> M; N -[det]-> D }"
    data.pattern("pp_in_subject")["forbid"] = [PP_IN_SUBJECT, other]
    data.splits["dev"].append(Sentence(pp_in_subject("book", "Emma").words))
    violations = verify(data.write(tmp_path)).result("V009").violations
    assert any(f"{PP_IN_SUBJECT} and {other}" in violation.message for violation in violations)


def test_splits_may_share_sentences_but_for_case(tmp_path: Path) -> None:
    """*Sie* and *sie* are different words, in train and test; but no such difference is hidden."""
    data = tiny()
    data.splits["train"].append(said("girl", "heard", "sie"))
    data.splits["test"].append(said("girl", "heard", "Sie"))
    report = verify(data.write(tmp_path))
    assert report.ok, explain(report)
    assert [figure.value for figure in report.result("V018").figures] == [1]
    data.splits["test"][-1] = said("girl", "heard", "sie\u200b")
    assert failed(verify(data.write(tmp_path / "other"))) == {"V018"}


# --- names ---------------------------------------------------------------------------------


def claimed_label(label: str) -> Tiny:
    """A claim that is spelt with another label, and a training sentence that it is about."""
    data = tiny()
    data.pattern("pp_in_subject")["forbid"] = [PP_IN_SUBJECT.replace("nmod", label)]
    data.pattern("pp_in_subject")["gen"] = [PP_IN_SUBJECT]
    data.splits["train"].insert(0, Sentence(pp_in_subject("book", "Emma").words))
    return data


LABELS = ["nm\u043ed", "\uff4emod", "NMOD", "nmod\u2060", "\u03b7mod", "nm0d"]


@pytest.mark.parametrize("label", LABELS)
def test_a_claim_is_not_about_a_label_that_looks_like_one_of_the_graphs(label: str, tmp_path: Path) -> None:
    report = verify(claimed_label(label).write(tmp_path))
    assert failed(report) == {"V029"}, explain(report)
    message = report.result("V029").violations[0].message
    assert message.startswith(f"label 'nmod' in train, gen looks like {label!a}")
    assert "which no graph has: { V -[nsubj]-> N;" in message


@pytest.mark.parametrize("label", LABELS)
def test_one_sentence_with_the_label_of_the_claim_does_not_hide_it(label: str, tmp_path: Path) -> None:
    data = claimed_label(label)
    data.splits["dev"].append(Sentence(said("book", "heard", "girl").words.replace("nsubj", label)))
    assert failed(verify(data.write(tmp_path))) == {"V029"}


@pytest.mark.parametrize("label", LABELS)
def test_no_training_graph_has_a_label_that_looks_like_a_claimed_one(label: str, tmp_path: Path) -> None:
    data = tiny()
    words = pp_in_subject("book", "Emma").words.replace("nmod", label)
    data.splits["train"].insert(0, Sentence(words))
    report = verify(data.write(tmp_path))
    assert failed(report) == {"V029"}, explain(report)
    violation = report.result("V029").violations[0]
    assert violation.sent_id == "train-000001"


@pytest.mark.parametrize("lemma", ["c\u0430t", "Cat", "CAT", "ca\u200bt", "\uff43at", "cat\ufe0e"])
def test_no_training_graph_has_a_lemma_that_looks_like_a_held_out_one(lemma: str, tmp_path: Path) -> None:
    data = tiny()
    data.splits["train"].insert(0, said("book", "heard", lemma))
    report = verify(data.write(tmp_path))
    assert failed(report) == {"V029"}, explain(report)
    messages = [violation.message for violation in report.result("V029").violations]
    assert CAT_AS_OBJECT in messages[0]


@pytest.mark.parametrize("form", ["c\u0430t", "ca\u200bt", "\uff43at"])
def test_no_word_of_another_lemma_looks_like_one_that_is_held_out(form: str, tmp_path: Path) -> None:
    data = tiny()
    words = said("book", "heard", "girl").words.replace("girl/girl", f"{form}/girl")
    data.splits["train"].insert(0, Sentence(words))
    report = verify(data.write(tmp_path))
    assert failed(report) == {"V029"}, explain(report)


def test_no_word_is_without_the_lemma_that_is_held_out(tmp_path: Path) -> None:
    data = tiny()
    words = said("book", "heard", "girl").words.replace("girl/girl", "Cat/_")
    data.splits["train"].insert(0, Sentence(words))
    report = verify(data.write(tmp_path))
    assert failed(report) == {"V029"}, explain(report)


@pytest.mark.parametrize("name", ["N\u200b", "\u039d", "\uff2e"])
def test_variables_do_not_look_alike(name: str, tmp_path: Path) -> None:
    """Training contains what the claim seems to be, and not what it is."""
    data = tiny()
    data.pattern("pp_in_subject")["forbid"] = [f"{{ V -[nsubj]-> N; {name} -[nmod]-> M }}"]
    data.pattern("pp_in_subject")["gen"] = [PP_IN_SUBJECT]
    data.splits["train"] = [s for s in data.splits["train"] if "nmod" not in s.words]
    data.splits["train"].insert(0, Sentence(pp_in_subject("book", "Emma").words))
    data.pattern("pp_in_subject")["need"] = []
    report = verify(data.write(tmp_path))
    assert failed(report) - {"V017"} == {"V029"}, explain(report)


def misspelt_target(data: Tiny) -> None:
    data.pattern("cat_as_object")["quotas"] = [{"extent": {"count": 2}}]
    data.pattern("cat_as_object")["targets"] = ["d\u043eg", "girl"]


def misspelt_part_of_speech(data: Tiny) -> None:
    data.distinct["lemmas"] = ["N\u041eUN", "PROPN"]


def misspelt_attribute(data: Tiny) -> None:
    data.pattern("pp_in_subject")["exclude"] = ["{ N[l\u0435mma=dog] }"]


def one_of_several(data: Tiny) -> None:
    data.pattern("pp_in_subject")["forbid"] = [PP_IN_SUBJECT, "{ V -[nsubj|\u043ebj]-> N; N -[nmod]-> M }"]


def nonsense(data: Tiny) -> None:
    data.pattern("pp_in_subject")["exclude"] = ["{ N -[wrong]-> A }"]


def nonsense_in_without(data: Tiny) -> None:
    data.pattern("pp_in_subject")["exclude"] = ["{ N -[amod]-> A } without { A -[wrong]-> B }"]


def nonsense_nowhere(data: Tiny) -> None:
    data.nowhere = ["{ V -[~\u043ebj]-> N }"]
    words = "What/what/PRON/3:~obj girl/girl/NOUN/3:nsubj saw/see/VERB/0:root ././PUNCT/3:punct"
    data.splits["dev"].append(Sentence(words))


@pytest.mark.parametrize(
    "plant",
    [
        misspelt_target,
        misspelt_part_of_speech,
        misspelt_attribute,
        one_of_several,
        nonsense,
        nonsense_in_without,
        nonsense_nowhere,
    ],
)
def test_a_claim_about_what_no_graph_has_is_told(plant: object, tmp_path: Path) -> None:
    data = tiny()
    plant(data)  # type: ignore[operator]
    report = verify(data.write(tmp_path))
    assert failed(report) == {"V029"}, explain(report)


# --- nothing alarming ------------------------------------------------------------------------


def set_of_a_library(data: Tiny) -> None:
    data.pattern("pp_in_subject")["forbid"] = [PP_IN_SUBJECT.replace("nsubj", "nsubj|nsubj:pass|~nsubj:xsubj")]


def negated_set(data: Tiny) -> None:
    data.pattern("pp_in_subject")["exclude"] = ["{ N -[amod]-> A } without { A -[iobj|obl:to]-> B }"]
    data.pattern("cat_as_object")["exclude"] = ["{ V -[^iobj|obl:to]-> N[lemma=book] }"]


def nowhere(data: Tiny) -> None:
    data.nowhere = [QUESTION, "{ N[lemma=unicorn] }"]


def noun_and_name(data: Tiny) -> None:
    data.splits["train"].append(said("girl", "heard", "Cat"))
    last = data.splits["train"][-1]
    last.words = last.words.replace("Cat/Cat/NOUN", "Cat/Cat/PROPN")


def names_together(data: Tiny) -> None:
    """Both spellings are in the claim."""
    data.pattern("pp_in_subject")["exclude"] = ["{ N[lemma=book|Book] -[amod]-> A }"]
    data.splits["train"].append(said("girl", "heard", "Book"))


def words_not_claimed(data: Tiny) -> None:
    data.splits["train"].append(said("girl", "heard", "m\u0430t"))
    data.splits["train"].append(said("girl", "saw", "mat"))


@pytest.mark.parametrize(
    "change", [set_of_a_library, negated_set, nowhere, noun_and_name, names_together, words_not_claimed]
)
def test_an_honest_name_is_no_alarm(change: object, tmp_path: Path) -> None:
    data = tiny()
    change(data)  # type: ignore[operator]
    report = verify(data.write(tmp_path))
    assert report.ok, explain(report)


def test_rules_that_make_a_name_excuse_that_it_was_not_sampled(tmp_path: Path) -> None:
    data = tiny()
    data.pattern("pp_in_subject")["exclude"] = ["{ N[lemma=unicorn] -[amod]-> A }"]
    data.nowhere = []
    assert "V029" in failed(verify(data.write(tmp_path)))
    fragment = {"nodes": [{"attributes": [["lemma", "unicorn"]], "token": 0}], "edges": [], "exports": [0]}
    rule = {"name": "unicorn", "lhs": 0, "rhs": [], "weight": "1.0", "templates": [[]], "fragments": [fragment]}
    layers = {"text_layers": [{"name": "en"}], "graph_layers": [{"name": "syn", "anchor": "en"}]}
    content = {"core": {"grammar": {"categories": [{"name": "S"}], "rules": [rule], "start": 0, **layers}}}
    (tmp_path / "certificate.json").write_text(json.dumps(content), "utf-8")
    result = verify(tmp_path).result("V029")
    assert result.status == "passed"
    assert "lemma='unicorn'" in result.figures[0].detail


@pytest.mark.slow
def test_the_rules_in_a_certificate_make_what_the_graphs_have(tmp_path: Path) -> None:
    assert run(["compile", str(FARM), "--out", str(tmp_path / "farm")]) == OK
    assert {"label 'nmod'", "lemma='near'", "upos='NOUN'", "attribute 'upos'"} <= {
        *map(str, made_by_rules(tmp_path / "farm", "syn"))
    }


# --- texts -----------------------------------------------------------------------------------


def test_what_is_quoted_cannot_write_to_the_terminal() -> None:
    violation = Violation("a\nb\x1b[2J", "file", "train-000001", "c\u202ed\u200b é 犬")
    assert str(violation) == r"a\nb\x1b[2J · train-000001 “c\u202ed\u200b é 犬” · file"
    assert violation.message == "a\nb\x1b[2J"


@given(st.text())
def test_what_is_visible_is_one_line_without_controls(text: str) -> None:
    shown = visible(text)
    assert shown.isprintable()
    assert visible(shown) == shown


@given(st.text(st.characters(categories=("L", "N", "P", "Zs"))))
def test_a_skeleton_does_not_depend_on_normal_form_and_invisible_characters(text: str) -> None:
    skeleton = sentence_skeletons(text)
    for other in (unicodedata.normalize("NFKD", text), f"\u200b{text}\ufeff"):
        assert sentence_skeletons(other) == skeleton
    assert name_skeletons(f"{text}\u2060") == name_skeletons(text)


def test_letters_of_another_script_are_its_own_among_themselves() -> None:
    assert sentence_skeletons("Нос")[0] == sentence_skeletons("нос")[0]
    assert sentence_skeletons("Νους")[0] == sentence_skeletons("νους")[0]
    assert sentence_skeletons("сосо")[0] != sentence_skeletons("coco")[0]
    assert set(name_skeletons("сосо")) & set(name_skeletons("coco"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a cop ate ice", "\u0430 \u0441\u043e\u0440 \u0430\u0442\u0435 \u0456\u0441\u0435"),
        ("HE ATE", "\u041d\u0415 \u0410\u0422\u0415"),
        ("a note", "\u03b1 \u03b7\u03bf\u03c4\u03b5"),
        ("we sat", "\u13b3\u13ac \u13da\u13aa\u13a2"),
    ],
)
def test_a_sentence_wholly_in_letters_of_another_script_looks_latin(one: str, other: str) -> None:
    assert sentence_skeletons(one)[1] == sentence_skeletons(other)[1]
    assert sentence_skeletons(one)[0] != sentence_skeletons(other)[0]


def test_a_sentence_of_another_script_does_not_look_latin() -> None:
    assert sentence_skeletons("Собака спала")[1] != sentence_skeletons("Cobaka cnana")[1]
