"""Promises that nobody keeps, and files that are read in two ways."""

from __future__ import annotations

import json
from functools import partial

from forging import CERTIFICATE, MANIFEST, SIGNED, Forger, forgery

from forgeries.claims import drop
from forgeries.whole import draw_again, weigh_again
from sgl.dataset.staged import write_checksums
from sgl.foreign import sha256_of

stated = partial(forgery, "what the manifest states")
manifest_text = partial(forgery, "text of the manifest", "V001", sealed=False)
other = partial(forgery, SIGNED, "V028")


def guarantee(of: Forger, claim: str) -> dict[str, str]:
    return next(own for own in of.manifest["guarantees"] if own["claim"] == claim)


def rewritten(of: Forger, old: str, new: str) -> None:
    """Replace a text in the manifest, and list its new hash."""
    of.replace(MANIFEST, old, new)
    write_checksums(of.directory, {})


# ---- promises


@stated("V025")
def a_claim_that_no_certificate_has(of: Forger) -> None:
    """The manifest calls something proved that is no claim of certificates."""
    own = guarantee(of, "held out")
    of.manifest["guarantees"].append({**own, "claim": "fair"})


@stated("V025")
def a_claim_for_a_pattern_that_is_not_there(of: Forger) -> None:
    """The manifest calls a pattern held out that the plan has not."""
    own = guarantee(of, "held out")
    of.manifest["guarantees"].append({**own, "pattern": "pp_everywhere"})


@stated("V025")
def a_method_of_another_name(of: Forger) -> None:
    """Parts are called proved, by the method `formal`, and nothing shows it."""
    guarantee(of, "licensed")["method"] = "formal"
    drop(of, "licensed", "contains")


@stated("V025")
def a_result_of_another_name(of: Forger) -> None:
    """Parts are called `proved!`, and nothing shows it."""
    guarantee(of, "licensed")["result"] = "proved!"
    drop(of, "licensed", "contains")


@stated("V025")
def a_result_with_an_invisible_letter(of: Forger) -> None:
    """Parts are called proved, with a zero-width space, and nothing shows it."""
    guarantee(of, "licensed")["result"] = "proved\u200b"
    drop(of, "licensed", "contains")


@stated("V025")
def a_result_that_is_given_twice(of: Forger) -> None:
    """Parts are called proved and refuted."""
    own = guarantee(of, "licensed")
    of.manifest["guarantees"].append({**own, "result": "refuted"})


@stated("C08")
def a_word_that_is_excused_for_nothing(of: Forger) -> None:
    """Items are said to have a word that training lacks, as a target; it is none, nor lacking."""
    of.claim("exposed", "exposes")["evidence"] = [{"kind": "word", "name": "dog", "reason": "target"}]


@stated("C08")
def everything_is_excused(of: Forger) -> None:
    """All rules are said to be excused."""
    rules = {own["name"] for own in of.grammar["rules"] if own["rhs"]}
    excuses = [{"kind": "rule", "name": name, "reason": "held out together"} for name in sorted(rules)]
    of.claim("exposed", "exposes")["evidence"] = excuses


@stated("V027")
def strings_that_nobody_parsed(of: Forger) -> None:
    """The strings of the pattern are called refuted."""
    guarantee(of, "string level")["result"] = "refuted"


# ---- text of the manifest


@manifest_text()
def a_member_of_the_manifest_given_twice(of: Forger) -> None:
    """The manifest has two lists of patterns: the first is a lie."""
    rewritten(of, '"patterns": [', '"patterns": [],\n  "patterns": [')


@manifest_text(dataset="farm")
def a_manifest_of_brackets(of: Forger) -> None:
    """The manifest is a hundred thousand open brackets."""
    of.write_text(MANIFEST, "[" * 100_000)
    write_checksums(of.directory, {})


@manifest_text()
def a_manifest_with_a_huge_seed(of: Forger) -> None:
    """The seed has five thousand digits."""
    rewritten(of, '"seed": 1,', f'"seed": {"1" * 5000},')


@manifest_text()
def a_manifest_with_a_float(of: Forger) -> None:
    """The seed is 1.0."""
    rewritten(of, '"seed": 1,', '"seed": 1.0,')


@manifest_text()
def a_manifest_with_nan(of: Forger) -> None:
    """A number of items is NaN."""
    rewritten(of, '"items": 40,', '"items": NaN,')


@manifest_text()
def a_manifest_with_a_bom(of: Forger) -> None:
    """The manifest begins with a byte order mark."""
    rewritten(of, "{", "\ufeff{")


@manifest_text()
def a_manifest_of_another_format(of: Forger) -> None:
    """The format is called sgl-dataset/2, of which less was asked."""
    rewritten(of, "sgl-dataset/3", "sgl-dataset/2")


@manifest_text()
def a_count_with_point(of: Forger) -> None:
    """A number of sentences is written 40.0."""
    rewritten(of, '"count": 40,', '"count": 40.0,')


@manifest_text()
def a_truth_value_as_number(of: Forger) -> None:
    """That sentences are distinct is said by the number 1."""
    rewritten(of, '"sentences": true', '"sentences": 1')


@stated("V025")
def a_member_more_in_a_pattern(of: Forger) -> None:
    """A pattern of the manifest has a member that says who checked it."""
    of.manifest["patterns"][0]["checked"] = "by hand"


@stated("V002")
def a_file_that_is_listed_twice(of: Forger) -> None:
    """The manifest lists a file twice."""
    of.manifest["files"].append(of.manifest["files"][0])


@stated("V002")
def a_file_of_another_directory(of: Forger) -> None:
    """The manifest lists a file of another directory."""
    of.manifest["files"].append({**of.manifest["files"][0], "path": "../other/train.tsv"})


@stated("V002")
def a_file_of_the_grammar_that_was_changed(of: Forger) -> None:
    """The manifest has the hash of another grammar file."""
    of.manifest["grammar"]["files"][0]["sha256"] = "0" * 64


# ---- others


@other()
def a_dataset_with_a_certificate_on_many_lines(of: Forger) -> None:
    """The certificate is written on many lines."""
    of.write_text(CERTIFICATE, json.dumps(json.loads(of.text(CERTIFICATE)), indent=1))


@other()
def a_dataset_with_other_grammar_files(of: Forger) -> None:
    """A file of the grammar has one more comment."""
    file = next(own for own in of.manifest["grammar"]["files"] if own["path"].endswith(".sgl"))
    of.write_text(file["path"], of.text(file["path"]) + "# another\n")
    file["sha256"] = sha256_of(of.directory / file["path"])


@other()
def a_dataset_with_other_details(of: Forger) -> None:
    """The manifest says that training has a thousand words."""
    guarantee(of, "exposed")["detail"] = "1,000 words of its items"


@other()
def a_dataset_with_other_parameters(of: Forger) -> None:
    """The manifest has a parameter."""
    of.manifest["parameters"]["topics"] = "off"


@other()
def a_dataset_with_another_constraint(of: Forger) -> None:
    """The constraint of training is empty in the plan."""
    del of.plan["strata"][0]["constraint"]["exclude"]


@forgery("tables of the sampler", "R08")
def a_dataset_whose_table_has_a_rule_twice(of: Forger) -> None:
    """A noun is drawn twice as often: its rule is in its table twice, each time with its weight."""
    bounds, rules, children = of.certificate["sampler"]["states"][5].values()
    bounds.append(2 * bounds[-1])
    rules.append(rules[0])
    children.append([])
    weigh_again(of)
    draw_again(of)


@forgery("layers", "V025", "kites")
def a_copy_of_the_structure_in_another_layer(of: Forger) -> None:
    """A copy of the structure is held out in a layer where nothing has its labels."""
    copy = {**of.structure("nsubj"), "layer": "sem", "transitions": [], "accepting": []}
    of.certificate["structures"].append(copy)
    number = len(of.certificate["structures"]) - 1
    for claim in of.certificate["claims"]:
        if claim["claim"] == "held out" and claim["pattern"]:
            claim["structures"], claim["evidence"] = [number], []
