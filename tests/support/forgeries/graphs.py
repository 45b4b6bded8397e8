"""Graphs that say something else than their sentences, and letters that look like others."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from forging import CERTIFICATE, Forger, forgery

from forgeries.rows import first
from tampering.copy import FORM, Row

of_graph = partial(forgery, "graphs in CoNLL-U")
of_letters = partial(forgery, "Unicode")

GRAPHS = "conllu/gen.conllu"


def cell(of: Forger, column: int, new: str, token: int = 2, path: str = GRAPHS) -> None:
    """Write a cell of a token of the first sentence."""

    def edit(sentences: list[str]) -> None:
        lines = sentences[0].split("\n")
        head = sum(line.startswith("#") for line in lines)
        cells = lines[head + token - 1].split("\t")
        cells[column] = new
        lines[head + token - 1] = "\t".join(cells)
        sentences[0] = "\n".join(lines)

    of.edit(path, edit)


def lines_of_first(of: Forger, change: Callable[[list[str]], object], path: str = GRAPHS) -> None:
    """Edit the lines of the first sentence."""

    def edit(sentences: list[str]) -> None:
        lines = sentences[0].split("\n")
        change(lines)
        sentences[0] = "\n".join(lines)

    of.edit(path, edit)


# ---- graphs


@of_graph("R05")
def a_relation(of: Forger) -> None:
    """A modifier of an item is called an oblique, in the tree and the enhanced graph."""
    of.edit(GRAPHS, lambda rows: rows.__setitem__(0, rows[0].replace("nmod", "obl")))


@of_graph("R05")
def a_relation_of_the_tree_alone(of: Forger) -> None:
    """A modifier of an item is called an oblique in the tree alone."""
    of.edit(GRAPHS, first("\tnmod\t", "\tobl\t"))


@of_graph("R05")
def a_relation_of_the_enhanced_graph_alone(of: Forger) -> None:
    """A modifier of an item is called an oblique in the enhanced graph alone."""
    of.edit(GRAPHS, first(":nmod", ":obl"))


@of_graph("R05")
def every_relation(of: Forger) -> None:
    """What is `det` is `amod` in all graphs, which no claim mentions."""
    for split in ("train", "dev", "test", "gen"):
        path = f"conllu/{split}.conllu"
        of.write_text(path, of.text(path).replace("det", "amod"))


@of_graph("R05")
def a_form(of: Forger) -> None:
    """A word form is another one than in the text."""
    cell(of, 1, "elephant")


@of_graph("R05")
def a_lemma(of: Forger) -> None:
    """The lemma of a verb is another one."""
    of.edit("conllu/train.conllu", first("\tchase\t", "\thelp\t"))


@of_graph("R05")
def a_part_of_speech(of: Forger) -> None:
    """A noun is a proper noun."""
    cell(of, 3, "PROPN")


@of_graph("R05")
def a_further_tag(of: Forger) -> None:
    """A noun has a further tag."""
    cell(of, 4, "NN")


@of_graph("R05")
def a_feature(of: Forger) -> None:
    """A verb is in the present."""
    of.edit(GRAPHS, first("Tense=Past", "Tense=Pres"))


@of_graph("R05")
def a_feature_more(of: Forger) -> None:
    """A noun is plural."""
    cell(of, 5, "Number=Plur")


@of_graph("R05")
def a_head(of: Forger) -> None:
    """A determiner hangs on another noun in the tree."""
    cell(of, 6, "5", token=1)


@of_graph("R05")
def an_edge_more(of: Forger) -> None:
    """The enhanced graph has an edge more."""
    cell(of, 8, "2:det|5:det", token=1)


@of_graph("R05")
def no_enhanced_graph(of: Forger) -> None:
    """A word has no edge in the enhanced graph."""
    cell(of, 8, "_", token=1)


@of_graph("R05")
def a_space_less(of: Forger) -> None:
    """A word is said to be followed by no space."""
    cell(of, 9, "SpaceAfter=No", token=1)


@of_graph("R05")
def a_remark_on_a_word(of: Forger) -> None:
    """A word has a gloss in its last column."""
    cell(of, 9, "Gloss=pig")


@of_graph("R05")
def another_number_of_a_sentence(of: Forger) -> None:
    """A sentence has the number of another one."""
    of.edit(GRAPHS, first("gen-000001", "gen-000002"))


@of_graph("R05")
def another_category_of_a_graph(of: Forger) -> None:
    """The graph of an item is in-distribution."""
    of.edit(GRAPHS, first("category = pp_in_subject", "category = in_distribution"))


@of_graph("R05")
def another_text_of_a_graph(of: Forger) -> None:
    """The text above a graph is another one."""
    of.edit(GRAPHS, first("# text = ", "# text = Not: "))


@of_graph("R05")
def another_translation_of_a_graph(of: Forger) -> None:
    """The Japanese above a graph is another one."""
    of.edit(GRAPHS, first("# text_ja = ", "# text_ja = 、"))


@of_graph("R05")
def a_remark_above_a_graph(of: Forger) -> None:
    """A graph is said to have been checked by hand."""
    lines_of_first(of, lambda lines: lines.insert(4, "# checked = by hand"))


@of_graph("R05")
def remarks_in_another_order(of: Forger) -> None:
    """The lines above a graph are in another order."""
    lines_of_first(of, lambda lines: lines.insert(0, lines.pop(1)))


@of_graph("R05")
def a_word_less(of: Forger) -> None:
    """A full stop is missing in a graph."""
    lines_of_first(of, lambda lines: lines.pop())


@of_graph("R05")
def words_in_one(of: Forger) -> None:
    """Two words are said to be one token."""
    lines_of_first(of, lambda lines: lines.insert(4, "1-2\tThe dog" + "\t_" * 8))


@of_graph("R05")
def an_empty_node(of: Forger) -> None:
    """A graph has an empty node, a modifier."""
    lines_of_first(of, lambda lines: lines.append("9.1\t_\tnobody\tNOUN\t_\t_\t_\t_\t2:nmod\t_"))


@of_graph("R05")
def an_empty_line_in_a_graph(of: Forger) -> None:
    """An empty line divides a graph."""
    lines_of_first(of, lambda lines: lines.insert(6, ""))


@of_graph("R05")
def a_graph_of_another_sentence(of: Forger) -> None:
    """Two graphs change places, with their texts."""
    of.edit(GRAPHS, lambda rows: rows.insert(0, rows.pop(1)))


@of_graph("R05", "composed")
def an_edge_to_what_is_fronted(of: Forger) -> None:
    """The edge from a relative clause to its noun is missing."""
    of.edit("conllu/train.conllu", first("obj|", "nsubj|"))


@of_graph("R02")
def graphs_that_are_missing(of: Forger) -> None:
    """The graphs of the items are missing, and the manifest does not list them."""
    (of.directory / GRAPHS).unlink()
    of.manifest["files"] = [own for own in of.manifest["files"] if own["path"] != GRAPHS]


# ---- letters


def disguised(of: Forger, change: Callable[[str], str]) -> None:
    """Put an item into training, its words spelt otherwise, with a graph that says otherwise."""
    rows, item = of.read("train"), of.read("gen")[0]
    forms = [change(token[FORM]) for token in item.tokens]
    tokens = (
        tuple(form if n == FORM else cell.replace("nmod", "obl") for n, cell in enumerate(token))
        for form, token in zip(forms, item.tokens, strict=True)
    )
    source = " ".join(forms[:-1]) + forms[-1]
    row = Row(source, item.target, "in_distribution", item.comments, tuple(tokens), item.cells)
    of.write("train", [row, *rows[1:]])


@of_letters("V018")
def an_item_in_training_with_another_graph(of: Forger) -> None:
    """An item is in training, and its graph says that its modifier is an oblique."""
    disguised(of, lambda form: form)


@of_letters("V018")
def an_item_in_training_with_an_invisible_letter(of: Forger) -> None:
    """An item is in training, with a zero-width space in a word."""
    disguised(of, lambda form: form.replace("near", "ne\u200bar"))


@of_letters("V018")
def an_item_in_training_with_a_soft_hyphen(of: Forger) -> None:
    """An item is in training, with a soft hyphen in a word."""
    disguised(of, lambda form: form.replace("near", "ne\u00adar"))


@of_letters("V018")
def an_item_in_training_with_a_joiner(of: Forger) -> None:
    """An item is in training, with a zero-width joiner after a word."""
    disguised(of, lambda form: form.replace("near", "near\u200d"))


@of_letters("V018")
def an_item_in_training_with_a_variation_selector(of: Forger) -> None:
    """An item is in training, with a variation selector after a letter."""
    disguised(of, lambda form: form.replace("near", "n\ufe0fear"))


@of_letters("V018")
def an_item_in_training_with_a_mark_of_direction(of: Forger) -> None:
    """An item is in training, with a mark that a word is written from left to right."""
    disguised(of, lambda form: form.replace("near", "\u200enear"))


@of_letters("V018")
def an_item_in_training_with_a_tag(of: Forger) -> None:
    """An item is in training, with an invisible tag after a word."""
    disguised(of, lambda form: form.replace("near", "near\U000e0041"))


@of_letters("V018")
def an_item_in_training_in_small_letters(of: Forger) -> None:
    """An item is in training, in small letters."""
    disguised(of, str.lower)


@of_letters("V018")
def an_item_in_training_in_capitals(of: Forger) -> None:
    """An item is in training, in capital letters."""
    disguised(of, str.upper)


@of_letters("V018")
def an_item_in_training_in_wide_letters(of: Forger) -> None:
    """An item is in training, in the wide letters of Japanese type."""
    wide = {n: n + 0xFEE0 for n in range(ord("!"), ord("~") + 1)}
    disguised(of, lambda form: form.translate(wide))


@of_letters("V018")
def an_item_in_training_in_bold_letters(of: Forger) -> None:
    """An item is in training, in the bold letters of mathematics."""
    bold = {n: n - ord("a") + 0x1D41A for n in range(ord("a"), ord("z") + 1)}
    disguised(of, lambda form: form.translate(bold))


@of_letters("V018")
def an_item_in_training_in_other_letters(of: Forger) -> None:
    """An item is in training, with Cyrillic letters in place of Latin ones."""
    disguised(of, lambda form: form.replace("a", "\u0430").replace("e", "\u0435"))


def letter(of: Forger, path: str, old: str, new: str) -> None:
    of.edit(path, first(old, new))


@of_letters("R04")
def a_target_in_another_form(of: Forger) -> None:
    """A Japanese letter with a mark is written as a letter and a mark."""
    letter(of, "data/train.tsv", "が", "か\u3099")


@of_letters("R04")
def an_invisible_letter_in_a_target(of: Forger) -> None:
    """A target ends with a zero-width space."""
    letter(of, "data/train.tsv", "。\t", "。\u200b\t")


@of_letters("R04")
def a_text_that_runs_backwards(of: Forger) -> None:
    """A source has a mark after which terminals write from right to left."""
    letter(of, "data/gen.tsv", "near", "\u202enear")


@of_letters("R04")
def a_line_that_ends_in_a_line(of: Forger) -> None:
    """A source has a separator of lines, at which some readers begin a new row."""
    letter(of, "data/gen.tsv", " near", "\u2028near")


@of_letters("R04")
def a_byte_order_mark_before_rows(of: Forger) -> None:
    """A file of rows begins with a byte order mark."""
    of.write_text("data/train.tsv", "\ufeff" + of.text("data/train.tsv"))


@of_letters("R04")
def rows_that_end_as_on_windows(of: Forger) -> None:
    """The lines of a file of rows end as on Windows."""
    of.write_text("data/train.tsv", of.text("data/train.tsv").replace("\n", "\r\n"))


@of_letters("R05")
def a_label_with_another_letter(of: Forger) -> None:
    """The o of an `nmod` in a graph is the Cyrillic letter."""
    of.edit(GRAPHS, first("nmod", "nm\u043ed"))


@of_letters("V029")
def all_labels_with_another_letter(of: Forger) -> None:
    """The o of `nmod` is the Cyrillic letter in plan, claims and manifest, not in the graphs."""
    for path in (CERTIFICATE, "manifest.json"):
        of.write_text(path, of.text(path).replace("nmod", "nm\u043ed"))
    of.reload()


@of_letters("V029")
def a_claim_with_another_letter(of: Forger) -> None:
    """What is held out is spelt with a Cyrillic letter, so that it is nowhere; all else agrees."""
    rules = of.grammar["rules"]
    honest = [[dict(edge) for edge in rule["fragments"][0]["edges"]] for rule in rules]
    for path in (CERTIFICATE, "manifest.json"):
        of.write_text(path, of.text(path).replace("nmod", "nm\u043ed"))
    of.reload()
    for rule, edges in zip(of.grammar["rules"], honest, strict=True):
        rule["fragments"][0]["edges"] = edges


@of_letters("V029")
def a_claim_with_an_invisible_letter(of: Forger) -> None:
    """What is held out is spelt with a zero-width space, in plan, claims and manifest."""
    for path in (CERTIFICATE, "manifest.json"):
        of.write_text(path, of.text(path).replace("nmod", "nmo\u200bd"))
    of.reload()


@of_letters("V029")
def a_claim_in_wide_letters(of: Forger) -> None:
    """What is held out is spelt with wide letters, in plan, claims and manifest."""
    for path in (CERTIFICATE, "manifest.json"):
        of.write_text(path, of.text(path).replace("nmod", "\uff4e\uff4d\uff4f\uff44"))
    of.reload()


@of_letters("V025")
def a_stream_with_an_invisible_letter(of: Forger) -> None:
    """The stream of training has a zero-width space in certificate, not in manifest."""
    of.plan["strata"][0]["stream"] += "\u200b"
