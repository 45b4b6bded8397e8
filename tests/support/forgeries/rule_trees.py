"""Trees of rules that are none, in certificates and in files: of texts alone, and beside a graph of words."""

from __future__ import annotations

from functools import partial
from typing import Any

from forging import CERTIFICATE, MANIFEST, Forger, forgery

from forgeries.graphs import cell, lines_of_first
from forgeries.rows import forget

Json = Any

of_tree = partial(forgery, "trees of rules", dataset="commands")
of_joined = partial(forgery, "trees of rules", dataset="joined")

#: The tree of rules is the graph of the first layer, or of a further one.
FIRST, FURTHER = "conllu/gen.conllu", "conllu/derivation/gen.conllu"
#: What the rule of a word is called in a certificate.
LEFT = 'word "left"'


def fragment(of: Forger, name: str, text: str = "") -> Json:
    """What a rule says of the derivation."""
    return of.rule(name, text)["fragments"][-1]


def attribute(of: Forger, name: str, key: str, value: str, text: str = "") -> None:
    """Give the node of a rule another value of an attribute."""
    pairs = fragment(of, name, text)["nodes"][0]["attributes"]
    pairs[:] = [[own, value if own == key else old] for own, old in pairs]


def token(of: Forger, rule: str, path: str = FIRST) -> int:
    """The number of the first token of the first sentence with this rule."""
    lines = of.text(path).split("\n\n")[0].split("\n")
    return next(int(line.split("\t")[0]) for line in lines if line.split("\t")[1:2] == [rule])


# ---- in the certificate


@of_tree("C05")
def a_rule_under_another_name(of: Forger) -> None:
    """In its tree, `twice` is called `plain`, so that nothing that is held out has it."""
    attribute(of, "twice", "rule", "plain")


@of_tree("C05")
def every_rule_under_one_name(of: Forger) -> None:
    """In their trees all rules have one name."""
    for rule in of.grammar["rules"]:
        attribute(of, rule["name"], "rule", "word")


@of_tree("C05")
def a_rule_of_another_category(of: Forger) -> None:
    """In its tree, `opposite` makes a word."""
    attribute(of, "opposite", "category", "V")


@of_tree("C05")
def another_lemma_of_a_word_in_trees(of: Forger) -> None:
    """In trees, *left* has the lemma *right*."""
    attribute(of, LEFT, "lemma", "right")


@of_tree("C05")
def a_word_without_a_lemma_in_trees(of: Forger) -> None:
    """In trees, *left* has no lemma."""
    own = fragment(of, LEFT)["nodes"][0]
    own["attributes"] = [pair for pair in own["attributes"] if pair[0] != "lemma"]


@of_tree("C05")
def a_rule_with_a_lemma(of: Forger) -> None:
    """In its tree, `twice` has a lemma, as if it were a word."""
    fragment(of, "twice")["nodes"][0]["attributes"].insert(1, ["lemma", "left"])


@of_tree("C05")
def a_feature_that_no_category_has(of: Forger) -> None:
    """In its tree, `twice` has a feature that its category has not."""
    fragment(of, "twice")["nodes"][0]["attributes"].insert(1, ["checked", "yes"])


@of_tree("C05")
def a_rule_that_is_above_nothing(of: Forger) -> None:
    """In its tree, no edge leads from `after` to its children."""
    fragment(of, "after")["edges"] = []


@of_tree("C05")
def a_child_that_is_left_out(of: Forger) -> None:
    """In its tree, `after` has no edge to its second child."""
    fragment(of, "after")["edges"].pop()


@of_tree("C05")
def a_child_above_its_rule(of: Forger) -> None:
    """In its tree, the first child of `after` is above it."""
    edge = fragment(of, "after")["edges"][0]
    edge["source"], edge["target"] = edge["target"], edge["source"]


@of_tree("C05")
def a_child_below_its_sister(of: Forger) -> None:
    """In its tree, the second child of `after` is below the first one."""
    fragment(of, "after")["edges"][1]["source"] = 1


@of_tree("C05")
def a_child_that_is_there_twice(of: Forger) -> None:
    """In its tree, two edges lead from `turn` to its verb, of which one is called `D`."""
    edges = fragment(of, "turn")["edges"]
    edges.append({**edges[0], "label": "D"})


@of_tree("C05")
def children_that_change_places(of: Forger) -> None:
    """In its tree, the two children of `after` have each other's node."""
    nodes = fragment(of, "after")["nodes"]
    nodes[1], nodes[2] = nodes[2], nodes[1]


@of_tree("C05")
def edges_that_change_places(of: Forger) -> None:
    """In its tree, the edges of `after` to its children stand in the other order."""
    fragment(of, "after")["edges"].reverse()


@of_tree("C05")
def a_node_more_in_a_tree(of: Forger) -> None:
    """In its tree, `plain` has a node more, which is called `twice`."""
    own = fragment(of, "plain")
    own["nodes"].append({"attributes": [["category", "S"], ["rule", "twice"]], "token": 0})


@of_tree("C05")
def a_node_that_is_no_rule(of: Forger) -> None:
    """In its tree, `twice` is no node; its child is in its place."""
    own = fragment(of, "twice")
    own["nodes"], own["edges"], own["exports"] = [{"glue": [[0, 0]]}], [], [0]


@of_tree("C05")
def a_rule_behind_its_child(of: Forger) -> None:
    """In its tree, `single` shows its child to the rules above it, and is below nothing."""
    fragment(of, "single")["exports"] = [1]


@of_tree("C05")
def another_word_for_a_rule(of: Forger) -> None:
    """In the text of rules, `twice` is written `plain`."""
    of.rule("twice")["templates"][-1][0]["text"] = "plain"


@of_tree("C05")
def rules_in_another_order(of: Forger) -> None:
    """In the text of rules, `after` follows its children."""
    template = of.rule("after")["templates"][-1]
    template.append(template.pop(0))


@of_tree("C05")
def a_tree_over_another_text(of: Forger) -> None:
    """The tree of rules is a graph on the words of the source."""
    of.grammar["graph_layers"][-1]["anchor"] = "en"


@of_tree("C05")
def a_tree_that_is_free(of: Forger) -> None:
    """The layer of derivations is free, so that rules need no edges."""
    of.grammar["graph_layers"][-1]["free"] = 1


@of_tree("V025")
def a_tree_under_another_name(of: Forger) -> None:
    """The layer of derivations is called `syn`, where nobody asks what its nodes are; its text is `names`."""
    for place in ("graph_layers", "text_layers"):
        of.grammar[place][-1]["name"] = {"graph_layers": "syn", "text_layers": "names"}[place]
    of.grammar["graph_layers"][-1]["anchor"] = "names"


@of_tree("R05")
def roles_that_change_places(of: Forger) -> None:
    """In the grammar of the certificate, the first child of `after` is called the second."""
    first, second = fragment(of, "after")["edges"]
    first["label"], second["label"] = second["label"], first["label"]


@of_tree("C09")
def a_structure_about_another_rule(of: Forger) -> None:
    """What is held out has the name of `twice`, and is about `plain`."""
    own = of.structure("twice")
    tests = [test for variable in own["bodies"][0]["variables"] for test in variable["tests"]]
    for test in tests:
        test["values"] = ["plain" if value == "twice" else value for value in test["values"]]


@of_tree("V029")
def a_structure_about_a_rule_that_is_not_there(of: Forger) -> None:
    """What is held out is about `tvvice`, in plan, claims and manifest."""
    for path in (CERTIFICATE, MANIFEST):
        of.write_text(path, of.text(path).replace("twice[rule=twice]", "twice[rule=tvvice]"))
    of.reload()
    for test in (test for v in of.structure("tvvice")["bodies"][0]["variables"] for test in v["tests"]):
        test["values"] = ["tvvice" if value == "twice" else value for value in test["values"]]


@of_joined("V025")
def a_structure_without_its_derivation(of: Forger) -> None:
    """Of what two layers hold out together, the half about derivations is missing in the certificate."""
    own = of.structure("modified")
    own["name"], own["layer"] = "{ V -[nsubj]-> N[lemma=dog] }", "syn"


@of_joined("C05")
def a_rule_that_is_not_above_its_modifier(of: Forger) -> None:
    """In its tree, no edge leads from `modified` to its last child, so that none is below another."""
    fragment(of, "modified")["edges"].pop()


@of_joined("C05")
def a_lemma_of_another_layer(of: Forger) -> None:
    """In trees, the dog has another lemma than among the words."""
    attribute(of, "animals", "lemma", "cat", "dog")


@of_joined("V025")
def no_layer_of_derivations(of: Forger) -> None:
    """The grammar has neither the layer of derivations nor its text."""
    of.grammar["graph_layers"].pop()
    of.grammar["text_layers"].pop()
    for rule in of.grammar["rules"]:
        rule["templates"].pop()
        rule["fragments"].pop()


# ---- in files


@of_tree("R05")
def a_rule_of_a_tree(of: Forger) -> None:
    """In the tree of an item, `twice` is called `plain`."""
    of.replace(FIRST, "rule=twice", "rule=plain")


@of_tree("R05")
def a_rule_of_a_tree_with_its_name(of: Forger) -> None:
    """In the tree of an item and in its text, `twice` is called `plain`."""
    of.edit(FIRST, lambda rows: rows.__setitem__(0, rows[0].replace("twice", "plain")))


@of_tree("R05")
def a_category_of_a_tree(of: Forger) -> None:
    """In the tree of an item, `opposite` makes a word."""
    of.replace(FIRST, "category=S|rule=opposite", "category=V|rule=opposite")


@of_tree("R05")
def a_lemma_of_a_tree(of: Forger) -> None:
    """In the tree of an item, a word has another lemma."""
    cell(of, 2, "hop", token(of, "word"))


@of_tree("R05")
def a_lemma_less_in_a_tree(of: Forger) -> None:
    """In the tree of an item, a word has no lemma."""
    cell(of, 2, "_", token(of, "word"))


@of_tree("R05")
def a_role_of_a_tree(of: Forger) -> None:
    """In the trees of all items, first children are called second, and second ones first."""
    text = of.text(FIRST)
    for old, new in (("first", "?"), ("second", "first"), ("?", "second")):
        text = text.replace(f"\t{old}\t", f"\t{new}\t").replace(f":{old}\t", f":{new}\t")
    of.write_text(FIRST, text)


@of_tree("R05")
def a_rule_that_hangs_elsewhere(of: Forger) -> None:
    """In the tree of an item, `opposite` is below the first rule."""
    at = token(of, "opposite")
    cell(of, 6, "1", at)


@of_tree("R05")
def a_rule_less_in_a_tree(of: Forger) -> None:
    """In the tree of an item, the last word is missing."""
    lines_of_first(of, lambda lines: lines.pop(), FIRST)


@of_tree("R05")
def a_rule_more_in_a_tree(of: Forger) -> None:
    """In the tree of a training sentence, there is a use of `twice` more."""
    path = "conllu/train.conllu"

    def more(lines: list[str]) -> None:
        number = len(lines) - sum(line.startswith("#") for line in lines) + 1
        lines.append(f"{number}\ttwice\t_\t_\t_\t_\t1\tC\t1:C\tcategory=S|rule=twice")

    lines_of_first(of, more, path)


@of_tree("R05")
def trees_that_change_places(of: Forger) -> None:
    """The trees of two items change places, under the lines above them."""

    def swap(sentences: list[str]) -> None:
        heads = [[line for line in own.split("\n") if line.startswith("#")] for own in sentences[:2]]
        tails = [[line for line in own.split("\n") if not line.startswith("#")] for own in sentences[:2]]
        sentences[:2] = ["\n".join([*heads[0], *tails[1]]), "\n".join([*heads[1], *tails[0]])]

    of.edit(FIRST, swap)


@of_tree("R03")
def a_row_of_another_rule(of: Forger) -> None:
    """A row is said to be derived with `plain` where `twice` derives it."""
    plain, twice = (f" {of.rule_number(name)} " for name in ("plain", "twice"))
    of.replace("derivations/gen.tsv", twice, plain)


@of_joined("R05")
def a_rule_of_a_tree_beside_words(of: Forger) -> None:
    """In the tree of an item, `modified` is called `noun_phrase`."""
    of.replace(FURTHER, "rule=modified", "rule=noun_phrase")


@of_joined("R05")
def a_tree_beside_other_words(of: Forger) -> None:
    """The trees of two items change places; the graphs of their words do not."""
    of.edit(FURTHER, lambda rows: rows.insert(0, rows.pop(1)))


@of_joined("R05")
def a_tree_of_fewer_rules(of: Forger) -> None:
    """The last tree of the file is missing."""
    of.edit(FURTHER, lambda rows: rows.pop())


@of_joined("R02")
def trees_that_are_missing(of: Forger) -> None:
    """The trees of the items are missing, and the manifest does not list them."""
    forget(of, FURTHER)
