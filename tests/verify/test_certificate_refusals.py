"""What the checker of certificates refuses, each with its code; it ends on any input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from certified import changed, toy_certificate

from sgl.verify import certificate as checking
from sgl.verify.certificate import Checker, judge

Json = Any


@pytest.fixture(scope="module")
def honest() -> str:
    return toy_certificate()


def codes(text: str) -> set[str]:
    return {refusal[:3] for refusal in judge(text.encode())[0]}


def claim(content: Json, word: str, kind: str) -> Json:
    return next(c for c in content["claims"] if (c["claim"], c["kind"]) == (word, kind) and "evidence" in c)


@pytest.mark.parametrize("steps", [[], ["100"]], ids=["accepted", "no budget"])
def test_the_checker_is_a_script(honest: str, steps: list[str], tmp_path: Path) -> None:
    (tmp_path / "toy.json").write_text(honest, "utf-8")
    command = [sys.executable, "-E", "-s", "-S", checking.__file__, str(tmp_path / "toy.json")]
    done = subprocess.run([*command, *steps], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (len(steps), "")
    assert done.stdout.startswith("C04 the budget of 100 steps" if steps else "accepted\n")


@pytest.mark.parametrize("what", ["nothing", "a folder", "a pipe", "a device", "no file", "steps"])
def test_what_is_no_file_is_a_message(what: str, honest: str, tmp_path: Path) -> None:
    """A pipe would keep the script waiting, and a device give it bytes without end."""
    os.mkfifo(tmp_path / "a pipe")
    (tmp_path / "steps").write_text(honest, "utf-8")
    path = {"a folder": tmp_path, "a device": "/dev/zero"}.get(what, tmp_path / what)
    arguments = {"nothing": [], "steps": [str(path), "many"]}.get(what, [str(path)])
    command = [sys.executable, "-S", checking.__file__, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.endswith("usage: certificate.py FILE [STEPS]\n")


# ---- strict reading


@pytest.mark.parametrize("seed", ["5000.0", "5e3", "-1", "true", "NaN", "-Infinity", "1" + 20 * "0", "[1.5]"])
def test_numbers_are_whole_and_neither_negative_nor_huge(honest: str, seed: str) -> None:
    assert '"seed":' in honest
    number = honest.index('"seed":') + len('"seed":')
    text = honest[:number] + seed + honest[honest.index(",", number) :]
    assert codes(text) == {"C01"}


def test_numbers_in_texts_are_texts(honest: str) -> None:
    assert codes(changed(honest, lambda c: c.update(name='-1.5 "true" \\'))) == set()


def test_a_member_is_given_once(honest: str) -> None:
    """The first list of claims could be read by one program and the last by another."""
    assert codes(honest.replace('"claims":', '"claims":[],"claims":')) == {"C01"}


@pytest.mark.parametrize(
    "change",
    [
        lambda c: c.update(note=1),
        lambda c: c.pop("seed"),
        lambda c: c.update(name=c.pop("name")),
        lambda c: c.update(format="sgl-certificate/3"),
        lambda c: c["splits"][0].update(roots="0"),
        lambda c: c["structures"][0]["accepting"].append(None),
        lambda c: c["structures"][0]["bodies"][0]["links"][0]["labels"].update(negated="1"),
        lambda c: c["structures"][0]["bodies"][0]["variables"][0].update(degrees=[["V", ["0", []], ">=", 1]]),
        lambda c: c["claims"][0].update(claim="proved"),
        lambda c: c["claims"][0].update(kind="waived"),
        lambda c: claim(c, "licensed", "contains").update(evidence=[[0]]),
    ],
)
def test_what_has_another_form_is_refused(honest: str, change: Callable[[Json], object]) -> None:
    assert codes(changed(honest, change)) == {"C02"}


def test_the_digest_is_computed(honest: str) -> None:
    def lighter(content: Json) -> None:
        content["core"]["grammar"]["rules"][0]["weight"] = "0.1"

    assert codes(changed(honest, lighter)) == {"C03"}
    assert codes(changed(honest, lighter, core=True)) == set()


@pytest.mark.parametrize("weight", ["1/2", " 0.5", "0.50_0", ".5", "nan", "inf", "-0.5", "٠.٥", ""])
def test_a_weight_is_written_in_one_way(honest: str, weight: str) -> None:
    """Python reads some of these as numbers, and other programs do not."""

    def rewritten(content: Json) -> None:
        content["core"]["grammar"]["rules"][0]["weight"] = weight

    assert codes(changed(honest, rewritten, core=True)) == {"C02"}


# ---- the grammar and the structures


def test_a_degree_test_that_nothing_passes_is_not_believed(honest: str) -> None:
    """A number of edges is compared as a number, whatever the automaton says."""

    def many(content: Json) -> None:
        own = content["structures"][0]
        degree = {"labels": {"labels": ["nmod"]}, "comparison": ">=", "number": 5000}
        own["bodies"] = [{"variables": [{"name": "N", "degrees": [degree]}]}]
        own |= {"name": "{ N[#nmod>=5000] }", "transitions": [], "accepting": [0]}

    assert "C10" in codes(changed(honest, many))


def test_a_structure_is_what_its_name_says(honest: str) -> None:
    def renamed(content: Json) -> None:
        content["structures"][0]["name"] = content["structures"][1]["name"]

    assert "C09" in codes(changed(honest, lambda c: c["structures"][0].update(name="{ V }")))
    assert codes(changed(honest, renamed)) == {"C05"}


@pytest.mark.parametrize("label", ["nsubj]-> N; N -[nmod", "a|b", "", "^x", "a b"])
def test_labels_cannot_imitate_the_notation(honest: str, label: str) -> None:
    def imitating(content: Json) -> None:
        own = content["structures"][0]
        link = {"source": 0, "labels": {"labels": [label]}, "target": 1}
        own["bodies"][0] = {"variables": [{"name": "V"}, {"name": "M"}], "links": [link]}
        own["name"] = f"{{ V -[{label}]-> M }}"

    assert "C09" in codes(changed(honest, imitating))


def test_a_structure_of_no_layer_is_refused(honest: str) -> None:
    assert "C10" in codes(changed(honest, lambda c: c["structures"][0].update(layer="sem")))


def test_rules_have_the_ports_of_their_categories(honest: str) -> None:
    def fragment(content: Json, rule: int) -> Json:
        return content["core"]["grammar"]["rules"][rule]["fragments"][0]

    def another(content: Json) -> None:
        fragment(content, 0)["exports"].append(1)

    def none(content: Json) -> None:
        fragment(content, 0)["nodes"][0]["glue"] = [[7, 0]]

    def twice(content: Json) -> None:
        fragment(content, -1)["nodes"][0]["attributes"].append(["lemma", "x"])

    for change in (another, none, twice):
        assert codes(changed(honest, change, core=True)) & {"C05", "C10"}


def test_an_edge_has_nodes_at_its_ends(honest: str) -> None:
    """A word without a label is no node; an edge that leads there is in no graph, and a structure would count it."""

    def nameless(content: Json) -> None:
        for rule in content["core"]["grammar"]["rules"]:
            if not rule["rhs"]:
                del rule["fragments"][0]["nodes"][0]["attributes"]

    refusals = judge(changed(honest, nameless, core=True).encode())[0]
    assert any("an edge leads to a phrase that is not a node" in refusal for refusal in refusals)


# ---- splits and what is drawn


@pytest.mark.parametrize("change", [{"roots": []}, {"transitions": []}])
def test_no_split_is_empty(honest: str, change: Json) -> None:
    assert "C06" in codes(changed(honest, lambda c: c["splits"][0].update(change)))


def test_a_split_that_derives_no_text_in_finitely_many_steps_is_empty(honest: str) -> None:
    def endless(content: Json) -> None:
        own = content["splits"][0]
        own["transitions"] = [step for step in own["transitions"] if len(step) > 2]

    assert "C06" in codes(changed(honest, endless))


def test_each_stratum_has_one_split(honest: str) -> None:
    assert codes(changed(honest, lambda c: c["splits"][0]["strata"].append(1))) == {"C05"}
    assert codes(changed(honest, lambda c: c["splits"][-1]["strata"].pop())) == {"C05"}


def test_rows_are_drawn_from_all_of_the_split_and_from_nothing_else(honest: str) -> None:
    def less(content: Json) -> None:
        state = next(s for s in content["sampler"]["states"] if len(s["rules"]) > 1)
        for column in state.values():
            column.pop()

    def flat(content: Json) -> None:
        bounds = next(s for s in content["sampler"]["states"] if len(s["rules"]) > 1)["bounds"]
        bounds[0] = bounds[1]

    def elsewhere(content: Json) -> None:
        starts = content["sampler"]["starts"]
        starts[0] = next(start for start in starts if start != starts[0])

    for change in (less, flat, elsewhere):
        assert codes(changed(honest, change)) == {"C07"}


# ---- claims


def test_training_contains_what_it_is_said_to_contain(honest: str) -> None:
    """A derivation of generalization items licenses nothing."""

    def moved(content: Json) -> None:
        strata = content["core"]["plan"]["strata"]
        splits = enumerate(content["splits"])
        gen = next(n for n, split in splits if strata[split["strata"][0]]["split"] == "gen")
        claim(content, "licensed", "contains")["split"] = gen

    assert "C08" in codes(changed(honest, moved))


def test_every_claim_is_there_with_its_evidence(honest: str) -> None:
    content = json.loads(honest)
    words = {(own["claim"], own["kind"]) for own in content["claims"]}
    assert words == {
        ("held out", "excludes"),
        ("instance", "excludes"),
        ("instance", "requires"),
        ("licensed", "contains"),
        ("exposed", "requires"),
        ("exposed", "exposes"),
        ("disjoint", "requires"),
        ("disjoint", "disjoint"),
    }
    for word, kind in words - {("disjoint", "disjoint"), ("disjoint", "requires")}:
        without = changed(honest, lambda c, w=word, k=kind: claim(c, w, k).pop("evidence"))
        assert ("C02" if kind == "exposes" else "C08") in codes(without), (word, kind)


def test_what_is_held_out_is_excluded_from_all_of_train_dev_and_test(honest: str) -> None:
    def partly(content: Json) -> None:
        split = claim(content, "held out", "excludes")["split"]
        content["claims"] = [own for own in content["claims"] if (own["claim"], own["split"]) != ("held out", split)]

    refusals = judge(changed(honest, partly).encode())[0]
    assert any("held out" in refusal for refusal in refusals)


def test_claims_are_about_the_patterns_of_the_plan_and_their_layer(honest: str) -> None:
    def other(content: Json) -> None:
        claim(content, "held out", "excludes")["pattern"] = content["claims"][-1]["pattern"]

    def nobody(content: Json) -> None:
        claim(content, "licensed", "contains")["pattern"] = "nobody"

    def elsewhere(content: Json) -> None:
        """A layer without edges, in which nothing is ever found, with the same notation."""
        grammar = content["core"]["grammar"]
        grammar["graph_layers"].append({**grammar["graph_layers"][0], "name": "sem"})
        for rule in grammar["rules"]:
            rule["fragments"].append({**rule["fragments"][0], "edges": []})
        own = content["structures"][0]
        own |= {"layer": "sem", "transitions": [], "accepting": []}

    def named(content: Json) -> None:
        """The same, and the notation says so: then it is not what the pattern holds out."""
        elsewhere(content)
        own = content["structures"][0]
        own["name"] = f"sem {own['name']}"

    for change in (other, nobody, named):
        assert "C08" in codes(changed(honest, change, core=True))
    assert "C09" in codes(changed(honest, elsewhere, core=True))


def test_training_has_what_items_are_made_of(honest: str) -> None:
    """A word that only items use has to be excused, by name."""

    def unseen(content: Json) -> None:
        rules, symbols = content["core"]["grammar"]["rules"], content["symbols"]
        strata = content["core"]["plan"]["strata"]
        gen = claim(content, "exposed", "exposes")["split"]
        used = {step[0] for step in content["splits"][gen]["transitions"]}
        word = next(n for n, rule in enumerate(rules) if not rule["rhs"] and symbols[n] in used)
        for split in content["splits"]:
            if strata[split["strata"][0]]["split"] != "gen":
                split["transitions"] = [step for step in split["transitions"] if step[0] != symbols[word]]

    refusals = judge(changed(honest, unseen).encode())[0]
    assert any("training has not" in refusal for refusal in refusals)


# ---- messages and the budget


def test_messages_name_all_parts_and_show_what_cannot_be_seen(honest: str) -> None:
    def odd(content: Json) -> None:
        content["structures"][0]["name"] = "{ V\n\u202e }"

    refusals = judge(changed(honest, odd).encode())[0]
    assert any("{ V\\u000a\\u202e }" in refusal for refusal in refusals)
    assert all(refusal.isprintable() for refusal in refusals)
    content = json.loads(honest)
    strata = content["core"]["plan"]["strata"]
    shared = next(s["strata"] for s in content["splits"] if len(s["strata"]) > 1)
    split = [own["strata"] for own in content["splits"]].index(shared)
    broken = changed(honest, lambda c: c["splits"][split].update(roots=[]))
    (first, *_) = judge(broken.encode())[0]
    assert all(strata[number]["stream"] in first for number in shared)


def test_a_hostile_certificate_ends(honest: str) -> None:
    """Walks of any length between many nodes: more types of graphs than anybody can wait for."""

    def hostile(content: Json) -> None:
        names = [f"V{number}" for number in range(12)]
        any_label = {"labels": [], "negated": 1}
        links = [
            {"source": a, "labels": any_label, "target": b, "low": 2, "high": None} for a, b in pairwise(range(12))
        ]
        body = {"variables": [{"name": name} for name in names], "links": links}
        said = "; ".join(f"{a} -[*]{{2,}}-> {b}" for a, b in pairwise(names))
        content["structures"][0] |= {"bodies": [body], "name": f"{{ {said} }}"}

    checker = Checker(changed(honest, hostile).encode(), 3_000_000)
    assert [refusal[:3] for refusal in checker.refusals()][-1] == "C04"


def test_words_that_may_be_one_in_two_layers_cost_steps(honest: str) -> None:
    """All pairs of nodes were compared for nothing: two million nodes fit into a file."""

    def wide(content: Json) -> None:
        grammar, places = content["core"]["grammar"], range(3_000)
        grammar["graph_layers"].append({"name": "sem", "anchor": "en"})
        for category in grammar["categories"]:
            if ports := category.get("ports", [])[1:]:
                category["limited"] = [[port, "syn"] for port in ports]
        for rule in grammar["rules"]:
            heads = [{"glue": [[child, 0]]} for child, _ in enumerate(rule["rhs"])] or [{}]
            rule["fragments"].append({"nodes": heads, "edges": [], "exports": [0]})
        nodes = [{"attributes": [], "token": place} for place in places]
        both = [{"nodes": nodes, "edges": [], "exports": [0]}] * 2
        words = [[{"text": "a"} for _ in places], []]
        grammar["rules"].append(
            {"name": "wide", "lhs": 0, "rhs": [], "weight": "1", "templates": words, "fragments": both}
        )
        content["symbols"].append(1_000)
        joint = {"name": "syn+sem { V }", "layer": "syn+sem", "bodies": [{"variables": [{"name": "V"}]}]}
        content |= {"structures": [joint | {"transitions": [], "accepting": []}], "claims": []}

    assert "C04" in codes(changed(honest, wide, core=True))


# ---- what two programs could read in two ways


def layer(number: int, name: str) -> Callable[[Json], object]:
    return lambda c: c["core"]["grammar"]["text_layers"][number].update(name=name)


def unplaced(content: Json) -> None:
    """The first word's node has a label, and no word in the text."""
    rules = content["core"]["grammar"]["rules"]
    nodes = next(rule["fragments"][0]["nodes"] for rule in rules if not rule["rhs"])
    del nodes[0]["token"]


@pytest.mark.parametrize(
    "change",
    [
        layer(1, "en"),
        layer(1, ""),
        layer(1, "syn"),
        lambda c: c["core"]["plan"].update(lemma_layer=""),
        lambda c: c["core"]["plan"].update(lemma_layer="en"),
        unplaced,
    ],
    ids=["two texts", "no name", "text and graph", "no lemmas", "lemmas of a text", "no word"],
)
def test_layers_have_names_of_their_own_and_labels_have_words(honest: str, change: Callable[[Json], object]) -> None:
    assert codes(changed(honest, change, core=True)), "accepted"


def test_a_text_that_does_not_end_is_refused_at_once() -> None:
    """Looking for its end from each of its quotation marks would take minutes."""
    assert codes('"' + '\\"' * 500_000) == {"C01"}


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\xff{}", "C01 the file: it is not UTF-8"),
        (b"[" * 100_000, "C01 the file: its lists are nested too deeply"),
        (b"\xef\xbb\xbf{}", "C01 the file: it begins with a byte order mark"),
    ],
)
def test_a_refusal_has_no_words_of_python(content: bytes, reason: str) -> None:
    ((said,), _) = judge(content)
    assert said.startswith(reason)


def test_a_name_that_is_not_there_is_told_in_words(honest: str) -> None:
    def elsewhere(content: Json) -> None:
        content["structures"][0]["layer"] = "nowhere"

    refused, _ = judge(changed(honest, elsewhere).encode())
    assert any("there is no layer 'nowhere'" in said for said in refused)
