"""Structures on derivations: rules and categories by their names, also in a grammar of texts alone."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from commands_grammar import COMMANDS
from diagnostics import MAIN, assert_diagnostics, diagnose

import sgl
from sgl.verify import verify
from sgl.verify.certificate import judge

Json = Any


def split_by(structure: str, tmp_path: Path) -> tuple[set[str], set[str]]:
    """The sentences of training, and those of the pattern that holds a structure out."""
    path, out = tmp_path / "commands.sgl", tmp_path / "out"
    path.write_text(f"{COMMANDS}\npattern p\n  forbid {structure}\n  size all\n", "utf-8")
    assert sgl.load(path).compile(out).verify().ok
    rows = [(out / "data" / f"{split}.tsv").read_text("utf-8").splitlines() for split in ("train", "gen")]
    train, gen = ({line.split("\t")[0] for line in lines} for lines in rows)
    return train, gen


@pytest.mark.parametrize(
    ("structure", "held_out"),
    [
        ("{ twice; opposite }", "twice.*opposite|opposite.*twice"),
        ("derivation { after -[first]-> opposite }", "opposite .* after"),
        ("{ after -[second]-> X[rule=twice|opposite] }", "after .*(twice|opposite)"),
        ('{ turn -[V]-> "run"; turn -[D]-> "left" }', "run left"),
        ("{ twice; again[rule=twice] }", "twice.*twice"),
        ("{ C -[*]+-> opposite; D[lemma=right] }", "opposite.*right|right.*opposite"),
        ("{ and_then } without { and_then -[*]+-> D }", "^(?!.*(left|right)).* and "),
        ("{ length rules >= 8 }", "(left|right) (and|after) .*(left|right)"),
        ("{ twice }", "twice"),
    ],
)
def test_rules_are_held_out_as_the_words_show(structure: str, held_out: str, tmp_path: Path) -> None:
    actions = ["{}", "{} twice", *(f"{{}} {turn}{side}" for turn in ("", "opposite ") for side in ("left", "right"))]
    alone = [action.format(verb) for action in actions for verb in ("jump", "run")]
    every = {*alone, *(f"{a} {c} {b}" for a in alone for b in alone for c in ("and", "after"))}
    expected = {text for text in every if re.search(held_out, text)}
    train, gen = split_by(structure, tmp_path)
    assert gen == expected
    assert train == every - expected


@pytest.mark.parametrize(
    ("structure", "expected"),
    [
        ("derivation { np_rcs }", ("SGL0808", "np_rcs")),
        ("derivation { vp -[onj]-> NP }", ("SGL0807", "onj")),
        ("derivation { vp[Tense=Past] }", ("SGL0808", "Tense")),
        ("{ vp; V -[obj]-> N }", ("SGL0801", "vp")),
    ],
)
def test_names_that_a_derivation_does_not_have(structure: str, expected: tuple[str, str], tmp_path: Path) -> None:
    assert_diagnostics(f"pattern p\n  forbid {structure}\n  size 10\n", [expected], tmp_path)


def test_a_category_that_no_phrase_has_is_not_any_node(tmp_path: Path) -> None:
    text = COMMANDS.replace("category D", "category D\ncategory E")
    found = diagnose({MAIN: f"{text}\npattern p\n  forbid {{ twice -[*]-> E }}\n  size all\n"}, tmp_path)
    assert ("SGL0808", "E") in found.places()


def test_a_condition_speaks_of_nodes_with_names_of_their_own(tmp_path: Path) -> None:
    """In a condition, a name means no more than in the structure that the items contain."""
    sides = "within { again -[V]-> V }, all outside { again -[V]-> V }"
    structure = f"{{ twice; again[rule=turn|opposite] }}\n  exclude {{ after }}\n  size all {sides}\n"
    (tmp_path / "c.sgl").write_text(f"{COMMANDS}\npattern p\n  forbid {structure}", "utf-8")
    compiled = sgl.load(tmp_path / "c.sgl")
    found = compiled.sample(20, seed=1, of="gen/p/0")
    assert all(re.search("twice .*(left|right)|(left|right) .*twice", str(text)) for text in found)


@pytest.mark.parametrize(
    ("structure", "expected"),
    [
        # The object is the head of a phrase that `modified` made: a word that is modified further inside is not meant.
        ("syn { V -[obj]-> N } derivation { N[rule=modified] }", "(saw|[a-z]+ed) (the|a) [a-z]+ near"),
        (
            "derivation { clause -[subj]-> Subj } syn { Subj -[nmod]-> M[lemma=cat] }",
            "^(The|A) [a-z]+ near (the|a) cat",
        ),
        # A word of the derivation is the one that it introduces.
        (
            "derivation { near -[*]+-> M } syn { V -[nsubj]-> N -[nmod]-> M[lemma=hen] }",
            "^(The|A) [a-z]+ near (the|a) hen",
        ),
        ("syn { V -[obj]-> N } derivation { clause } without { N[rule=modified] }", r"(saw|[a-z]+ed) (the|a) [a-z]+\."),
    ],
)
def test_a_phrase_and_its_head_are_one_word(structure: str, expected: str) -> None:
    found = sgl.load(Path("docs/examples/farm.sgl")).sample(30, seed=1, of=structure)
    assert [str(text) for text in found if not re.search(expected, str(text).split("\t")[0])] == []


FORGERIES = {
    "gone": (lambda text: re.sub("# heads_syn.*\n", "", text), {"V005"}),
    "too few": (lambda text: re.sub("(# heads_syn = .*) .*", r"\1", text), {"V005"}),
    "no words": (lambda text: re.sub("# heads_syn = .*", "# heads_syn = 99", text), {"V005"}),
    # No object would be the head of any phrase: what is held out could stand in training unseen.
    "of no word": (lambda text: re.sub("# heads_syn = (.*)", _without_heads, text), {"V030"}),
}


def _without_heads(found: re.Match[str]) -> str:
    return f"# heads_syn = {re.sub('[0-9]+', '0', found[1])}"


def test_heads_that_are_others_are_refused(tmp_path: Path) -> None:
    structure = "syn { V -[obj]-> N } derivation { N[rule=modified] }"
    text = f"use farm without (pp_in_subject)\n\npattern p\n  forbid {structure}\n  size 5\n"
    for name in ("farm.sgl", "animals.yaml", "verbs.yaml"):
        (tmp_path / name).write_text((Path("docs/examples") / name).read_text("utf-8"), "utf-8")
    (tmp_path / "p.sgl").write_text(f"{text}\ndataset\n  from Text\n  train 20\n", "utf-8")
    out = tmp_path / "out"
    assert sgl.load(tmp_path / "p.sgl").compile(out).verify().ok
    files = {path: path.read_text("utf-8") for path in sorted((out / "conllu").rglob("*.conllu"))}
    for name, (forge, codes) in FORGERIES.items():
        for path, own in files.items():
            path.write_text(forge(own), "utf-8")
        found = verify(out)
        assert codes <= {result.code for result in found.failed}, name


@pytest.mark.parametrize("depth", ["depth * >= 3", "depth * <= 4", "depth * >= 4"])
def test_a_depth_has_no_node_of_another_layer(depth: str) -> None:
    """The author's `A`, `N` and `X` are none of the nodes that say how deep a graph is."""
    grammar = sgl.load(Path("docs/examples/farm.sgl"))
    found = grammar.sample(20, seed=1, of=f"syn {{ A -[obj]-> N; X[lemma=dog] }} derivation {{ {depth} }}")
    assert all("dog" in str(text) for text in found)


@pytest.mark.parametrize("name", ["derivation", "rules"])
def test_no_layer_has_the_name_of_the_one_that_is_there(name: str, tmp_path: Path) -> None:
    found = diagnose({MAIN: COMMANDS.replace("layer act", f"layer {name} : text\nlayer act")}, tmp_path)
    assert ("SGL0203", name) in found.places()


def test_texts_of_rules_are_asked_of_any_grammar() -> None:
    """A grammar whose patterns say nothing of derivations has them all the same."""
    grammar = sgl.load(Path("docs/examples/farm.sgl"))
    found = grammar.sample(20, seed=1, of="derivation { transitive -[obj]-> modified }")
    assert all(re.search("(chased|licked|saw|helped|called) .* near", str(text)) for text in found)


def relabelled(content: Json) -> None:
    """A rule is called like another."""
    rules = [rule for rule in content["core"]["grammar"]["rules"] if rule["name"] == "twice"]
    for rule in rules:
        pairs = rule["fragments"][-1]["nodes"][0]["attributes"]
        pairs[:] = [[name, "plain" if name == "rule" else value] for name, value in pairs]


def renamed(content: Json) -> None:
    """The word that stands for a rule is another."""
    content["core"]["grammar"]["rules"][0]["templates"][-1][0]["text"] = "single"


def cut_off(content: Json) -> None:
    """A rule is not above its child."""
    content["core"]["grammar"]["rules"][0]["fragments"][-1]["edges"] = []


@pytest.mark.parametrize("forged", [relabelled, renamed, cut_off])
def test_a_derivation_that_is_none_is_refused(forged: Callable[[Json], None], tmp_path: Path) -> None:
    (tmp_path / "c.sgl").write_text(f"{COMMANDS}\npattern p\n  forbid {{ twice; opposite }}\n  size all\n", "utf-8")
    sgl.load(tmp_path / "c.sgl").compile(tmp_path / "out")
    content = json.loads((tmp_path / "out" / "certificate.json").read_text("utf-8"))
    assert judge(_sealed(content))[0] == []
    forged(content)
    assert [refusal for refusal in judge(_sealed(content))[0] if "in the derivation" in refusal]


def _sealed(content: Json) -> bytes:
    core = json.dumps(content["core"], ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    content["digest"] = sha256(core.encode()).hexdigest()
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
