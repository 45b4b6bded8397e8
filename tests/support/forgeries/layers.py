"""Layers that are others, and names that do not say what they name."""

from __future__ import annotations

from functools import partial

from forging import Forger, forgery

of_layers = partial(forgery, "layers")
of_names = partial(forgery, "names")


# ---- layers


@of_layers("V025")
def an_invented_layer(of: Forger) -> None:
    """A second layer without edges is added, and the structure is said to be held out there."""
    add_layer(of, "none")
    of.structure("nsubj")["layer"] = "none"


@of_layers("V025")
def a_layer_more_for_nothing(of: Forger) -> None:
    """A second layer is added that no claim mentions."""
    add_layer(of, "sem")


@of_layers("C10")
def a_structure_in_a_layer_that_is_not_there(of: Forger) -> None:
    """A structure is one of the layer `sem`, which the grammar has not."""
    of.structure("nsubj")["layer"] = "sem"


@of_layers("V025", "kites")
def a_structure_in_another_layer_of_the_grammar(of: Forger) -> None:
    """A structure is one of another layer of the grammar, where nothing has its labels."""
    for structure in of.certificate["structures"]:
        structure["layer"] = "sem"


@of_layers("V025")
def a_pattern_in_another_layer(of: Forger) -> None:
    """The plan says that the pattern is about the layer `sem`."""
    of.plan["patterns"][0]["layer"] = "sem"


@of_layers("V004", "kites")
def a_manifest_that_moves_a_pattern(of: Forger) -> None:
    """Plan and manifest say that the pattern is about the other layer, its structures do not."""
    of.plan["patterns"][0]["layer"] = of.manifest["patterns"][0]["layer"] = "sem"


@of_layers("V025", "kites")
def layers_that_change_places(of: Forger) -> None:
    """The two layers of graphs exchange their names."""
    one, two = of.grammar["graph_layers"]
    one["name"], two["name"] = two["name"], one["name"]


@of_layers("V025", "kites")
def a_layer_that_is_not_free(of: Forger) -> None:
    """The layer of meanings is called a tree."""
    del of.grammar["graph_layers"][1]["free"]


@of_layers("V025")
def another_layer_of_lemmas(of: Forger) -> None:
    """The lemmas of the data are those of no layer."""
    of.plan["lemma_layer"] = ""


@of_layers("V025")
def another_target(of: Forger) -> None:
    """The source is its own target."""
    of.plan["target"] = "en"


@of_layers("V025", "kites")
def a_further_target_less(of: Forger) -> None:
    """The plan has one target where the data have two."""
    del of.plan["further"]


@of_layers("V025", "kites")
def another_kind_of_view(of: Forger) -> None:
    """A view without variables is called one with variables."""
    of.grammar["views"][-1]["name"] = of.grammar["views"][1]["name"]


def add_layer(of: Forger, name: str) -> None:
    """Add a graph layer in which rules connect their children with nothing."""
    of.grammar["graph_layers"].append({"name": name, "anchor": "en", "free": 1})
    for rule in of.grammar["rules"]:
        rule["fragments"].append({**rule["fragments"][0], "edges": []})


# ---- names


@of_names("C09")
def a_structure_under_the_name_of_another(of: Forger) -> None:
    """The name of the held-out structure stands above the data of a harmless one."""
    name = of.structure("nsubj")["name"]
    of.structure("obj")["name"], of.structure("nsubj")["name"] = name, "{ V -[vocative]-> N }"


@of_names("C05")
def two_structures_of_one_name(of: Forger) -> None:
    """Two structures have one name, so that a claim about one looks like one about the other."""
    of.certificate["structures"].append({**of.certificate["structures"][0]})


@of_names("C09")
def a_name_with_another_letter(of: Forger) -> None:
    """The o of `nmod` in a name is the Cyrillic letter."""
    own = of.structure("nsubj")
    own["name"] = own["name"].replace("nmod", "nm\u043ed")


@of_names("V025")
def a_structure_with_another_letter(of: Forger) -> None:
    """In name and data of a structure the o of `nmod` is the Cyrillic letter."""
    respell(of, of.structure("nsubj"), "nm\u043ed")


@of_names("C10")
def a_plan_with_another_letter(of: Forger) -> None:
    """Plan, manifest and structure have the Cyrillic letter; the rules have the Latin one."""
    respell(of, of.structure("nsubj"), "nm\u043ed")
    for patterns in (of.plan["patterns"], of.manifest["patterns"]):
        for own in (patterns[0]["forbid"], patterns[0]["gen"]):
            own[0] = own[0].replace("nmod", "nm\u043ed")


@of_names("V025")
def a_structure_with_an_invisible_letter(of: Forger) -> None:
    """In name and data of a structure a zero-width space follows `nmod`."""
    respell(of, of.structure("nsubj"), "nmod\u200b")


@of_names("C08")
def a_name_with_more_spaces(of: Forger) -> None:
    """The name of a structure has a space too many."""
    own = of.structure("nsubj")
    own["name"] = own["name"].replace("; ", ";  ")


@of_names("C09")
def a_name_with_a_remark(of: Forger) -> None:
    """The name of a structure ends with a remark."""
    of.structure("nsubj")["name"] += "\n# everywhere"


@of_names("C09")
def a_variable_that_is_a_structure(of: Forger) -> None:
    """A variable is called `V -[nsubj]-> N`, so that a node looks like an edge in its name."""
    own = of.structure("{ V -[nsubj]-> N }")
    own["bodies"][0].clear()
    own["bodies"][0]["variables"] = [{"name": "V -[nsubj]-> N"}]


@of_names("C09")
def a_label_that_is_a_list_of_labels(of: Forger) -> None:
    """A label is called `nsubj|obj`, so that one label looks like a choice of two."""
    body = of.structure("nsubj")["bodies"][0]
    body["links"][0]["labels"]["labels"] = ["nsubj|obj"]
    of.structure("nsubj")["name"] = of.structure("nsubj")["name"].replace("nsubj", "nsubj|obj")


@of_names("V025")
def another_name_of_the_dataset(of: Forger) -> None:
    """The certificate is that of another dataset by its name."""
    of.certificate["name"] = "sget"


@of_names("V025")
def another_name_of_the_pattern(of: Forger) -> None:
    """The claims are about a pattern that the plan has not."""
    for claim in of.certificate["claims"]:
        claim["pattern"] = "pp_in_object"


@of_names("C08")
def two_patterns_of_one_name(of: Forger) -> None:
    """The plan has the pattern twice; the second holds out nothing."""
    of.plan["patterns"].append({**of.plan["patterns"][0], "forbid": [], "gen": []})


@of_names("V025")
def a_stream_of_another_name(of: Forger) -> None:
    """The training sentences are drawn from a stream of another name."""
    of.plan["strata"][0]["stream"] = "train/other"


def respell(of: Forger, structure: dict[str, object], label: str) -> None:
    """Spell the label `nmod` otherwise in name and data of a structure."""
    body = of.certificate["structures"][of.certificate["structures"].index(structure)]
    for link in body["bodies"][0]["links"]:
        labels = link["labels"]
        labels["labels"] = [label if own == "nmod" else own for own in labels["labels"]]
    body["name"] = body["name"].replace("nmod", label)
