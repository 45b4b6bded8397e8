"""Datasets that are good in themselves, under the signature that was published of another.

Only the signature tells, or the grammar, which the comparison with a dataset compiled again
stands for.
"""

from __future__ import annotations

import json
from functools import partial

from forging import SIGNED, Forger, forgery

from forgeries.whole import add_yak, draw_again, weigh_again

other = partial(forgery, SIGNED, "V028")


# ---- another dataset, good in itself


@other()
def a_dataset_of_another_seed(of: Forger) -> None:
    """All rows are drawn with the seed 2."""
    of.certificate["seed"] = of.manifest["seed"] = 2
    draw_again(of)


@other()
def a_dataset_of_other_weights(of: Forger) -> None:
    """The dog has twice its weight, and all rows are drawn from the tables that this gives."""
    of.rule("animals", "dog")["weight"] = "0.25"
    weigh_again(of)
    draw_again(of)


@other()
def a_dataset_of_other_words(of: Forger) -> None:
    """The dog is *hound* in grammar, rows and graphs."""
    text = json.dumps(of.rule("animals", "dog")).replace("dog", "hound")
    of.grammar["rules"][of.rule_number("animals", "dog")] = json.loads(text)
    draw_again(of)


@other()
def a_dataset_with_a_word_that_is_hardly_drawn(of: Forger) -> None:
    """Grammar and splits have the word *yak*; training draws it almost never, items never."""
    add_yak(of)
    weigh_again(of)
    draw_again(of)


@other()
def a_dataset_of_another_translation(of: Forger) -> None:
    """The dog is a cat in the Japanese of grammar and rows."""
    of.rule("animals", "犬")["templates"][1][0]["text"] = "猫"
    draw_again(of)


@other()
def a_dataset_with_easier_items(of: Forger) -> None:
    """Items have no modifier in a modifier: a smaller split, with its own tables and rows."""
    split = of.split("gen")
    nested = next(step for step in split["transitions"] if step[0] == 5 and step[2] == 6)
    split["transitions"].remove(nested)
    state = next(q for q, own in split["drawn"] if own == nested[1])
    for column in of.certificate["sampler"]["states"][state].values():
        column.pop()
    weigh_again(of)
    draw_again(of)


@other()
def a_dataset_with_a_smaller_need(of: Forger) -> None:
    """Plan and manifest need the part once."""
    del of.plan["patterns"][0]["need"][0]["minimum"]
    del of.manifest["patterns"][0]["need"][0]["minimum"]


@other()
def a_dataset_with_another_title(of: Forger) -> None:
    """The title of the dataset is another one, in the manifest."""
    of.manifest["title"] = "Animals in a zoo"


@other()
def a_dataset_with_another_card(of: Forger) -> None:
    """The card says that the data were checked by hand."""
    of.replace("README.md", "## Guarantees", "Checked by hand.\n\n## Guarantees")


@other()
def a_dataset_with_another_report(of: Forger) -> None:
    """The report is an empty page, which SHA256SUMS lists."""
    of.write_text("report.html", "")


@other()
def a_dataset_with_another_program(of: Forger) -> None:
    """The sampler that comes with the data accepts everything, and SHA256SUMS lists it."""
    of.write_text("sampler.py", "raise SystemExit(0)\n")


@other()
def a_dataset_with_another_verification(of: Forger) -> None:
    """The verification that comes with the data is empty, and SHA256SUMS lists it."""
    of.write_text("verification.json", "{}\n")


@other()
def a_dataset_that_waives(of: Forger) -> None:
    """Plan and manifest waive a piece, of which nothing is shown any more."""
    piece = "{ V -[nsubj]-> N }"
    for patterns in (of.plan["patterns"], of.manifest["patterns"]):
        layer = patterns[0].pop("layer")
        patterns[0].update(waive=[piece], layer=layer)
    own = next(c for c in of.certificate["claims"] if c["claim"] == "licensed" and c["structures"] == [3])
    own["kind"] = "waived"
    own.pop("evidence", None)


@other()
def a_dataset_with_a_file_more(of: Forger) -> None:
    """A file is added, and SHA256SUMS lists it."""
    of.write_text("NOTES", "All checked.\n")


@other()
def a_dataset_of_another_version(of: Forger) -> None:
    """The dataset says that another version of the compiler made it."""
    of.manifest["compiler"]["version"] = "9.9.9"
    of.manifest["identity"] = of.manifest["identity"].replace("sgl:0.1.0", "sgl:9.9.9")
