"""Whole datasets that an attacker makes: of another grammar, or drawn again from other tables.

The attacker has the compiler and the checkers, and computes rows, counts, hashes and identity
again.  What claims less than it should, or does not have what it claims, is refused.  What is
simply *another* dataset is a good one; only the signature that was published tells, or the
grammar, which the comparison with a dataset compiled again stands for.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from contextlib import ExitStack
from functools import partial
from itertools import accumulate
from math import prod
from pathlib import Path
from typing import Any

from forged_datasets import compiled
from forging import CERTIFICATE, MANIFEST, Forger, forgery

from forgeries.claims import drop, new_noun, with_word
from forgeries.rows import forget
from sgl.verify.rows import Row, Rows

whole = partial(forgery, "whole datasets, made again")


def draw_again(of: Forger) -> None:
    """Draw all rows from the tables of the certificate, and write them with all counts."""
    of.write_certificate()
    shutil.rmtree(of.directory / "parquet", ignore_errors=True)
    of.manifest["files"] = [x for x in of.manifest["files"] if not x["path"].startswith("parquet")]
    rows, numbers = Rows(of.directory), Counter[str]()
    with ExitStack() as closing:
        files = {
            split: [closing.enter_context(path.open("w", newline="")) for path in paths_of(of, split)]
            for split in of.manifest["splits"]
        }
        for number, stratum in enumerate(rows.plan.strata):
            for named in rows.acceptance.of(number).accepted():
                numbers[stratum.split] += 1
                row = Row(stratum.split, stratum.category, numbers[stratum.split], *named)
                for file, text in zip(files[stratum.split], rows.writer.texts(row), strict=True):
                    file.write(text)
    for name, split in of.manifest["splits"].items():
        split["items"] = numbers[name]
        for stratum in split["strata"]:
            found = rows.outcomes[stratum["stream"]]
            stratum["count"] = found["accepted"]
            stratum["candidates"] = found.total()
            stratum["rejected"] = {reason: found[reason] for reason in stratum["rejected"]}
            stratum["readings"]["parsed"] = found["accepted"] + found["ambiguous"]


def weigh_again(of: Forger) -> None:
    """Compute the intervals of all tables from the weights, as the compiler does."""
    states, weights = (of.certificate["sampler"]["states"], [float(r["weight"]) for r in of.grammar["rules"]])
    values = [0.0] * len(states)
    for _ in range(200):
        shares = [
            [
                weights[n] * prod(values[x] for x in below)
                for n, below in zip(own["rules"], own["children"], strict=True)
            ]
            for own in states
        ]
        values = [*map(sum, shares)]
    for own, share, value in zip(states, shares, values, strict=True):
        own["bounds"] = [*accumulate(max(1, round(x / value * 2**53)) for x in share)]


def of_stratum(of: Forger, stream: str) -> dict[str, Any]:
    return next(stratum for stratum in of.plan["strata"] if stratum["stream"] == stream)


def paths_of(of: Forger, split: str) -> list[Path]:
    """The files that have a row for each item of a split, in the order of the checker."""
    further = [f"data/{name}" for name in of.plan.get("further", ())]
    paths = [f"{folder}/{split}.tsv" for folder in ("derivations", "data", *further)]
    return [of.directory / path for path in (*paths, f"conllu/{split}.conllu")]


def leak(of: Forger) -> None:
    """Let training modify its subjects, in its split, its tables and its rows."""
    of.split("train")["transitions"].append([1, 6, 7, 4])
    bounds, rules, children = of.certificate["sampler"]["states"][1].values()
    bounds.append(2 * bounds[-1])
    rules.append(rules[0])
    children.append([3, 7])


def disclaim(of: Forger, *words: str) -> None:
    """Let the manifest call these claims nothing that is proved."""
    stated = of.manifest["guarantees"]
    of.manifest["guarantees"] = [one for one in stated if one["method"] != "static" or one["claim"] not in words]


# ---- what claims less than it should, or has not what it claims


@whole("C08")
def training_with_a_leak_in_its_rows(of: Forger) -> None:
    """Training rows modify their subjects, drawn from a split that can; all claims are kept."""
    leak(of)
    draw_again(of)


@whole("V025")
def a_leak_without_its_claim(of: Forger) -> None:
    """Training rows modify their subjects, and the claim that they do not is removed."""
    leak(of)
    drop(of, "held out", "excludes")
    draw_again(of)


@whole("V009")
def a_leak_that_is_not_called_proved(of: Forger) -> None:
    """Training rows modify their subjects; nothing is claimed, and nothing called proved."""
    leak(of)
    drop(of, "held out", "excludes")
    drop(of, "disjoint", "disjoint")
    disclaim(of, "held out", "disjoint")
    draw_again(of)


@whole("V009")
def a_leak_without_a_certificate(of: Forger) -> None:
    """Training rows modify their subjects; certificate and derivations are removed."""
    leak(of)
    draw_again(of)
    disclaim(of, "held out", "instance", "licensed", "exposed", "disjoint")
    remove_certificate(of)


@whole("R08")
def training_without_the_needed_part(of: Forger) -> None:
    """Objects are almost never modified in training, by its tables and its rows."""
    table = of.certificate["sampler"]["states"][3]
    assert table["rules"] == [2, 2]
    table["bounds"][0] = table["bounds"][1] // 100 * 98
    draw_again(of)


@whole("C07")
def items_of_one_verb(of: Forger) -> None:
    """Items are drawn with one verb, by a table that the split has not."""
    table = of.certificate["sampler"]["states"][6]
    for column in table.values():
        del column[1:]
    draw_again(of)


@whole("V025", "composed")
def shares_that_are_not_equal(of: Forger) -> None:
    """The plan has no targets in its parts, so that shares of words are as they come."""
    for stratum in of.plan["strata"]:
        stratum["extent"].pop("targets", None)
    draw_again(of)


@whole("V025")
def sentences_that_are_repeated(of: Forger) -> None:
    """Sentences may be repeated by the plan, and not by the manifest."""
    of.plan["distinct_sentences"] = 0
    draw_again(of)


@whole("V025")
def lemmas_that_are_repeated(of: Forger) -> None:
    """Nouns may be repeated by the plan, and not by the manifest."""
    of.plan["distinct_lemmas"] = []
    draw_again(of)


@whole("V016")
def fewer_items_than_the_plan(of: Forger) -> None:
    """The plan has six items, and the quota of its pattern twelve."""
    of_stratum(of, "gen/pp_in_subject/0")["extent"]["count"] = 6
    draw_again(of)


@whole("V016")
def a_split_without_items(of: Forger) -> None:
    """The dataset has no items at all, by its plan and in its counts."""
    of_stratum(of, "gen/pp_in_subject/0")["extent"] = {}
    draw_again(of)


@whole("V025")
def a_certificate_of_another_dataset(of: Forger) -> None:
    """The certificate is an honest one, of another grammar."""
    shutil.copy(compiled("kites") / CERTIFICATE, of.directory / CERTIFICATE)


@whole("R03")
def a_certificate_of_another_seed(of: Forger) -> None:
    """The certificate is that of the same grammar with another seed, with its manifest."""
    of.certificate["seed"] = of.manifest["seed"] = 3


@whole("V025")
def data_of_another_dataset(of: Forger) -> None:
    """All files but the manifest are those of another dataset, and their hashes are listed."""
    manifest = of.text(MANIFEST)
    replace_all(of, "ambiguous")
    of.write_text(MANIFEST, manifest)
    of.manifest = json.loads(manifest)


@whole("V025")
def a_manifest_of_another_dataset(of: Forger) -> None:
    """The manifest is that of another dataset, with the hashes of these files."""
    files = of.manifest["files"]
    of.manifest = json.loads((compiled("ambiguous") / MANIFEST).read_text("utf-8"))
    of.manifest["files"] = files


@whole("R02")
def rows_of_another_dataset(of: Forger) -> None:
    """Rows, graphs and derivations are those of another dataset; the certificate is not."""
    for folder in ("data", "conllu", "parquet", "derivations"):
        shutil.rmtree(of.directory / folder)
        shutil.copytree(compiled("ambiguous") / folder, of.directory / folder)
    files = [path for path in of.directory.rglob("*") if path.is_file()]
    names = {path.relative_to(of.directory).as_posix() for path in files}
    of.manifest["files"] = [own for own in of.manifest["files"] if own["path"] in names]


@whole("V025")
def no_certificate(of: Forger) -> None:
    """Certificate and derivations are removed, and claims are still called proved."""
    remove_certificate(of)


@whole("V025")
def what_was_refuted_is_proved(of: Forger) -> None:
    """A claim whose evidence is missing is called proved."""
    drop(of, "licensed", "contains")
    draw_again(of)


@whole("R08")
def a_dataset_of_other_tables(of: Forger) -> None:
    """All rows are drawn from other tables than the weights give, with the same rules."""
    bounds = of.certificate["sampler"]["states"][5]["bounds"]
    bounds[0] += (bounds[1] - bounds[0]) // 2
    draw_again(of)


@whole("R01")
def development_sentences_from_the_stream_of_training(of: Forger) -> None:
    """Development sentences are drawn as the training sentences are, which may be repeated."""
    share_stream(of)
    draw_again(of)


# ---- what these are made of


def share_stream(of: Forger) -> None:
    """Let development sentences come from the stream of training, in plan and manifest."""
    train, dev, *_ = of.plan["strata"]
    dev["stream"], dev["extent"]["repeated"] = train["stream"], 1
    of.manifest["splits"]["dev"]["strata"][0]["stream"] = train["stream"]
    of.manifest["splits"]["dev"]["strata"][0]["extent"]["repeated"] = True


def remove_certificate(of: Forger) -> None:
    """Remove certificate and derivations from directory and manifest."""
    of.abandon_certificate()
    for path in [own["path"] for own in of.manifest["files"]]:
        if path == CERTIFICATE or path.startswith("derivations/"):
            forget(of, path)
    (of.directory / "derivations").rmdir()


def replace_all(of: Forger, name: str) -> None:
    """Put the files of another dataset in place of these."""
    shutil.rmtree(of.directory)
    shutil.copytree(compiled(name), of.directory)


def add_yak(of: Forger) -> None:
    """Add a noun to grammar and splits, which the tables of training draw almost never."""
    number, table = len(of.grammar["rules"]), of.certificate["sampler"]["states"][5]
    of.grammar["rules"].append(new_noun(of, "1e-13"))
    of.certificate["symbols"].append(of.certificate["symbols"][of.rule_number("animals")])
    of.certificate["sampler"]["states"].append(with_word(table, number, 2 * table["bounds"][-1]))
    table["bounds"].append(table["bounds"][-1] + 1)
    table["rules"].append(number)
    table["children"].append([])
