"""Certificates about another grammar, other layers, or things with other names."""

from __future__ import annotations

from functools import partial

from forging import Forger, forgery

of_grammar = partial(forgery, "grammar")


# ---- the grammar: its digest and that of the manifest are computed again


@of_grammar("C03")
def a_digest_of_nothing(of: Forger) -> None:
    """The digest is 64 zeros."""
    of.replace("certificate.json", f'"digest":"{of.manifest["grammar"]["sha256"]}"', f'"digest":"{"0" * 64}"')


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
    of.rule("modified")["fragments"][0]["edges"].pop()


@of_grammar("C10")
def a_rule_with_another_label(of: Forger) -> None:
    """What was `nmod` is `obl` in the grammar of the certificate."""
    of.rule("modified")["fragments"][0]["edges"][1]["label"] = "obl"


@of_grammar("C10")
def an_edge_in_the_other_direction(of: Forger) -> None:
    """The modifier governs its noun."""
    of.rule("modified")["fragments"][0]["edges"][1] = {"source": 2, "label": "nmod", "target": 1}


@of_grammar("C10")
def a_subject_that_is_the_object(of: Forger) -> None:
    """Objects are called subjects."""
    of.rule("transitive")["fragments"][0]["edges"][0]["label"] = "nsubj"


@of_grammar("C10")
def another_head(of: Forger) -> None:
    """The head of a modified noun phrase is its modifier."""
    of.rule("modified")["fragments"][0]["exports"] = [2]


@of_grammar("C10")
def a_rule_that_adds_an_edge(of: Forger) -> None:
    """Every clause has a modifier between subject and verb, which nobody writes."""
    of.rule("clause")["fragments"][0]["edges"].append({"source": 0, "label": "nmod", "target": 1, "last": 1})


@of_grammar("R05")
def a_label_that_no_claim_mentions(of: Forger) -> None:
    """Determiners are called adjectives; no structure sees it."""
    of.rule("noun_phrase")["fragments"][0]["edges"][0]["label"] = "amod"


@of_grammar("R05")
def another_part_of_speech(of: Forger) -> None:
    """The dog is a verb in the grammar."""
    of.rule("animals", "dog")["fragments"][0]["nodes"][0]["attributes"][1][1] = "VERB"


@of_grammar("R05")
def another_tense(of: Forger) -> None:
    """A verb is in the present in the grammar, and in the past in the data."""
    of.rule("verbs", "saw")["fragments"][0]["nodes"][0]["attributes"][0][1] = "Pres"


@of_grammar("R05")
def an_edge_that_is_enhanced(of: Forger) -> None:
    """An edge of the tree is one of the enhanced graph alone."""
    of.rule("noun_phrase")["fragments"][0]["edges"][0]["label"] = "~det"


@of_grammar("R04")
def another_translation(of: Forger) -> None:
    """The dog is a cat in the Japanese of the grammar, and a dog in the data."""
    of.rule("animals", "犬")["templates"][1][0]["text"] = "猫"


@of_grammar("R04")
def another_word(of: Forger) -> None:
    """A word of the source is spelt otherwise in the grammar."""
    of.rule("animals", "dog")["templates"][0][0]["text"] = "hound"


@of_grammar("R04")
def another_order_of_words(of: Forger) -> None:
    """In the grammar the verb comes before its object in Japanese."""
    of.rule("transitive")["templates"][1].reverse()


@of_grammar("R04")
def a_sentence_without_a_capital(of: Forger) -> None:
    """Sentences of the grammar begin with a small letter."""
    of.rule("sentence")["templates"][0][0].pop("capital")


@of_grammar("R04")
def words_with_spaces_between(of: Forger) -> None:
    """Japanese words are joined with a space in the grammar."""
    of.grammar["text_layers"][1].pop("join")


@of_grammar("R04")
def a_full_stop_that_stands_alone(of: Forger) -> None:
    """In the grammar nothing is attached to the word before it."""
    of.grammar["text_layers"][0].pop("attach")


@of_grammar("V025")
def one_layer_of_text_less(of: Forger) -> None:
    """The grammar has no Japanese."""
    of.grammar["text_layers"].pop()


@of_grammar("C02")
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
    fragment = of.rule("animals", "dog")["fragments"][0]
    fragment["nodes"].append({"attributes": [["lemma", "tail"], ["upos", "NOUN"]]})
    fragment["edges"].append({"source": 0, "label": "nmod", "target": 1})


@of_grammar("C10", "composed")
def words_that_a_claim_tells_apart_in_one_symbol(of: Forger) -> None:
    """Two nouns are one symbol, and a claim is about the lemma of one of them."""
    symbols, nouns = of.certificate["symbols"], ("dog", "milk")
    one, two = (of.rule_number(f'word "{noun}"') for noun in nouns)
    assert symbols[one] != symbols[two]
    symbols[one] = symbols[two]


@of_grammar("C10")
def a_node_with_two_labels(of: Forger) -> None:
    """A rule gives the head of its child a second label, with a word of its own."""
    rule = of.rule("sentence")
    rule["templates"][0].append({"text": "!"})
    nodes = rule["fragments"][0]["nodes"]
    nodes[0] = {"attributes": [["lemma", "!"], ["upos", "PUNCT"]], "token": 2, **nodes[0]}


@of_grammar("C05")
def a_modifier_that_is_not_written(of: Forger) -> None:
    """Modifiers are in the graph of their rule, and in no text and no graph of a sentence."""
    of.rule("modified")["templates"][0].pop()


@of_grammar("C10")
def a_node_that_nobody_labels(of: Forger) -> None:
    """A word has a node without lemma or part of speech."""
    of.rule("animals", "dog")["fragments"][0]["nodes"][0].pop("attributes")


@of_grammar("C10")
def an_attribute_given_twice(of: Forger) -> None:
    """A word is a noun, and a verb as well."""
    of.rule("animals", "dog")["fragments"][0]["nodes"][0]["attributes"].append(["upos", "VERB"])


@of_grammar("C10")
def a_port_that_no_child_has(of: Forger) -> None:
    """A rule connects a second port of its child, which has one."""
    of.rule("sentence")["fragments"][0]["nodes"][0]["glue"] = [[0, 1]]


@of_grammar("C10")
def a_port_in_two_places(of: Forger) -> None:
    """A rule puts the head of a child on two nodes."""
    of.rule("clause")["fragments"][0]["nodes"][0]["glue"].append([1, 0])


@of_grammar("C10")
def a_head_too_many(of: Forger) -> None:
    """A rule shows two nodes of a category that has one port."""
    of.rule("clause")["fragments"][0]["exports"] = [1, 0]


@of_grammar("C06")
def another_category(of: Forger) -> None:
    """A rule for clauses makes noun phrases."""
    of.rule("clause")["lhs"] = 3


@of_grammar("V031")
def another_name_of_a_rule(of: Forger) -> None:
    """A rule is called otherwise than in the column of derivations."""
    of.rule("modified")["name"] = "plain"
