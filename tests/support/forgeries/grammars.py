"""Certificates about another grammar, other layers, or things with other names."""

from __future__ import annotations

from functools import partial

from forging import Forger, forgery

of_grammar = partial(forgery, "grammar")
of_layers = partial(forgery, "layers")
of_names = partial(forgery, "names")


# ---- the grammar: its digest and that of the manifest are computed again


@of_grammar("C03")
def a_digest_of_nothing(of: Forger) -> None:
    """The digest is 64 zeros."""
    of.replace(
        "certificate.json",
        f'"digest":"{of.manifest["grammar"]["sha256"]}"',
        f'"digest":"{"0" * 64}"',
    )


@of_grammar("C03")
def a_digest_in_capitals(of: Forger) -> None:
    """The digest is written in capital letters, so that texts differ and numbers do not."""
    own = of.manifest["grammar"]["sha256"]
    of.replace("certificate.json", f'"digest":"{own}"', f'"digest":"{own.upper()}"')


@of_grammar("C03")
def a_weight_behind_the_digest(of: Forger) -> None:
    """A weight is another one, and the digest is the old one."""
    of.replace("certificate.json", '"0.75"', '"0.5"')


@of_grammar("C03")
def a_template_behind_the_digest(of: Forger) -> None:
    """The dog is a cat in Japanese, and the digest is the old one."""
    of.replace("certificate.json", "犬", "猫")


@of_grammar("V025")
def a_manifest_about_another_grammar(of: Forger) -> None:
    """The manifest has the digest of another grammar, in the identity too."""
    of.manifest["grammar"]["sha256"] = "0123456789abcdef" * 4


@of_grammar("C06")
def another_start(of: Forger) -> None:
    """A text is a clause without its full stop."""
    of.grammar["start"] = 1


@of_grammar("C10")
def a_rule_that_loses_its_edge(of: Forger) -> None:
    """Modifiers hang on nothing: the rule no longer writes `nmod`."""
    of.rule("modified")[6][0]["edges"].pop()


@of_grammar("C10")
def a_rule_with_another_label(of: Forger) -> None:
    """What was `nmod` is `obl` in the grammar of the certificate."""
    of.rule("modified")[6][0]["edges"][1][1] = "obl"


@of_grammar("C10")
def an_edge_in_the_other_direction(of: Forger) -> None:
    """The modifier governs its noun."""
    of.rule("modified")[6][0]["edges"][1] = [2, "nmod", 1, 0]


@of_grammar("C10")
def a_subject_that_is_the_object(of: Forger) -> None:
    """Objects are called subjects."""
    of.rule("transitive")[6][0]["edges"][0][1] = "nsubj"


@of_grammar("C10")
def another_head(of: Forger) -> None:
    """The head of a modified noun phrase is its modifier."""
    of.rule("modified")[6][0]["exports"] = [2]


@of_grammar("C10")
def a_rule_that_adds_an_edge(of: Forger) -> None:
    """Every clause has a modifier between subject and verb, which nobody writes."""
    of.rule("clause")[6][0]["edges"].append([0, "nmod", 1, 1])


@of_grammar("R05")
def a_label_that_no_claim_mentions(of: Forger) -> None:
    """Determiners are called adjectives; no structure sees it."""
    of.rule("noun_phrase")[6][0]["edges"][0][1] = "amod"


@of_grammar("R05")
def another_part_of_speech(of: Forger) -> None:
    """The dog is a verb in the grammar."""
    of.rule("animals", "dog")[6][0]["nodes"][0][0][1][1] = "VERB"


@of_grammar("R05")
def another_tense(of: Forger) -> None:
    """A verb is in the present in the grammar, and in the past in the data."""
    of.rule("verbs", "saw")[6][0]["nodes"][0][0][0][1] = "Pres"


@of_grammar("R05")
def an_edge_that_is_enhanced(of: Forger) -> None:
    """An edge of the tree is one of the enhanced graph alone."""
    of.rule("noun_phrase")[6][0]["edges"][0][1] = "~det"


@of_grammar("R04")
def another_translation(of: Forger) -> None:
    """The dog is a cat in the Japanese of the grammar, and a dog in the data."""
    of.rule("animals", "犬")[5][1][0][1] = "猫"


@of_grammar("R04")
def another_word(of: Forger) -> None:
    """A word of the source is spelt otherwise in the grammar."""
    of.rule("animals", "dog")[5][0][0][1] = "hound"


@of_grammar("R04")
def another_order_of_words(of: Forger) -> None:
    """In the grammar the verb comes before its object in Japanese."""
    of.rule("transitive")[5][1].reverse()


@of_grammar("R04")
def a_sentence_without_a_capital(of: Forger) -> None:
    """Sentences of the grammar begin with a small letter."""
    of.rule("sentence")[5][0][0][2] = 0


@of_grammar("R04")
def words_with_spaces_between(of: Forger) -> None:
    """Japanese words are joined with a space in the grammar."""
    of.grammar["text"][1][1] = " "


@of_grammar("R04")
def a_full_stop_that_stands_alone(of: Forger) -> None:
    """In the grammar nothing is attached to the word before it."""
    of.grammar["text"][0][2] = []


@of_grammar("V025")
def one_layer_of_text_less(of: Forger) -> None:
    """The grammar has no Japanese."""
    of.grammar["text"].pop()


@of_grammar("C05")
def a_rule_without_its_symbol(of: Forger) -> None:
    """The last rule has no symbol."""
    of.certificate["symbols"].pop()


@of_grammar("C05")
def words_of_two_categories_in_one_symbol(of: Forger) -> None:
    """A noun and a verb are said to do the same to every automaton."""
    of.certificate["symbols"][of.rule_number("animals")] = of.certificate["symbols"][-1]


@of_grammar("C10")
def rules_of_two_effects_in_one_symbol(of: Forger) -> None:
    """A word writes an edge that the other words of its symbol do not write."""
    fragment = of.rule("animals", "dog")[6][0]
    fragment["nodes"].append([[["lemma", "tail"], ["upos", "NOUN"]], None, []])
    fragment["edges"].append([0, "nmod", 1, 0])


@of_grammar("C10", "composed")
def words_that_a_claim_tells_apart_in_one_symbol(of: Forger) -> None:
    """Two nouns are one symbol, and a claim is about the lemma of one of them."""
    symbols, nouns = of.certificate["symbols"], ("dog", "milk")
    one, two = (of.rule_number(f'word "{noun}"') for noun in nouns)
    assert symbols[one] != symbols[two]
    symbols[one] = symbols[two]


@of_grammar("C10")
def a_node_with_two_labels(of: Forger) -> None:
    """A rule gives the head of its child a second label."""
    of.rule("sentence")[6][0]["nodes"][0][0] = [["lemma", "."], ["upos", "PUNCT"]]


@of_grammar("C10")
def a_node_that_nobody_labels(of: Forger) -> None:
    """A word has a node without lemma or part of speech."""
    of.rule("animals", "dog")[6][0]["nodes"][0][0] = None


@of_grammar("C10")
def an_attribute_given_twice(of: Forger) -> None:
    """A word is a noun, and a verb as well."""
    of.rule("animals", "dog")[6][0]["nodes"][0][0].append(["upos", "VERB"])


@of_grammar("C10")
def a_port_that_no_child_has(of: Forger) -> None:
    """A rule connects a second port of its child, which has one."""
    of.rule("sentence")[6][0]["nodes"][0][2] = [[0, 1]]


@of_grammar("C10")
def a_port_in_two_places(of: Forger) -> None:
    """A rule puts the head of a child on two nodes."""
    of.rule("clause")[6][0]["nodes"][0][2].append([1, 0])


@of_grammar("C10")
def a_head_too_many(of: Forger) -> None:
    """A rule shows two nodes of a category that has one port."""
    of.rule("clause")[6][0]["exports"] = [1, 0]


@of_grammar("C06")
def another_category(of: Forger) -> None:
    """A rule for clauses makes noun phrases."""
    of.rule("clause")[1] = 3


@of_grammar("V031")
def another_name_of_a_rule(of: Forger) -> None:
    """A rule is called otherwise than in the column of derivations."""
    of.rule("modified")[0] = "plain"


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
    one, two = of.grammar["graph"]
    one[0], two[0] = two[0], one[0]


@of_layers("V025", "kites")
def a_layer_that_is_not_free(of: Forger) -> None:
    """The layer of meanings is called a tree."""
    of.grammar["graph"][1][2] = 0


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
    of.plan["further"] = []


@of_layers("V025", "kites")
def another_kind_of_view(of: Forger) -> None:
    """A view without variables is called one with variables."""
    of.grammar["views"][-1] = [*of.grammar["views"][1][:1], *of.grammar["views"][-1][1:]]


def add_layer(of: Forger, name: str) -> None:
    """Add a graph layer in which rules connect their children with nothing."""
    of.grammar["graph"].append([name, "en", 1])
    for rule in of.grammar["rules"]:
        fragment = rule[6][0]
        rule[6].append({**fragment, "edges": []})


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


@of_names("C09")
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
    own["bodies"][0].update(variables=["V -[nsubj]-> N"], links=[], tests=[], degrees=[])


@of_names("C09")
def a_label_that_is_a_list_of_labels(of: Forger) -> None:
    """A label is called `nsubj|obj`, so that one label looks like a choice of two."""
    body = of.structure("nsubj")["bodies"][0]
    body["links"][0][1][1] = ["nsubj|obj"]
    of.structure("nsubj")["name"] = of.structure("nsubj")["name"].replace("nsubj", "nsubj|obj")


@of_names("V025")
def another_name_of_the_dataset(of: Forger) -> None:
    """The certificate is that of another dataset by its name."""
    of.certificate["name"] = "sget"


@of_names("V025")
def another_name_of_the_pattern(of: Forger) -> None:
    """The claims are about a pattern that the plan has not."""
    for claim in of.certificate["claims"]:
        claim[0] = "pp_in_object"


@of_names("C08")
def two_patterns_of_one_name(of: Forger) -> None:
    """The plan has the pattern twice; the second holds nothing out."""
    of.plan["patterns"].append({**of.plan["patterns"][0], "forbid": [], "gen": []})


@of_names("V025")
def a_stream_of_another_name(of: Forger) -> None:
    """The training sentences are drawn from a stream of another name."""
    of.plan["strata"][0][2] = "train/other"


def respell(of: Forger, structure: dict[str, object], label: str) -> None:
    """Spell the label `nmod` otherwise in name and data of a structure."""
    body = of.certificate["structures"][of.certificate["structures"].index(structure)]
    for link in body["bodies"][0]["links"]:
        link[1][1] = [label if own == "nmod" else own for own in link[1][1]]
    body["name"] = body["name"].replace("nmod", label)
