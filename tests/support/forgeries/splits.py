"""Splits that derive other sentences, and tables that draw others."""

from __future__ import annotations

from functools import partial

from forging import Forger, forgery

of_split = partial(forgery, "splits")
of_table = partial(forgery, "tables of the sampler")


@of_split("C08")
def training_with_a_leak(of: Forger) -> None:
    """Training may modify its subjects: the split has the rule, the rows do not show it yet."""
    of.split("train")["transitions"].append([1, 6, 7, 4])


@of_split("C08")
def training_that_is_the_whole_grammar(of: Forger) -> None:
    """Training is the grammar without any cut."""
    split = of.split("train")
    split["states"] = [*range(8)]
    ends = dict(zip(of.certificate["symbols"], ((r["lhs"], r["rhs"]) for r in of.grammar["rules"]), strict=True))
    split["transitions"] = [[s, lhs, *rhs] for s, (lhs, rhs) in ends.items()]
    split["roots"] = [0]


@of_split("C06")
def training_without_roots(of: Forger) -> None:
    """Training derives no text, so that every claim about all of its texts holds."""
    of.split("train")["roots"] = []


@of_split("C06")
def items_without_roots(of: Forger) -> None:
    """The split of the items derives no text."""
    of.split("gen")["roots"] = []


@of_split("C06")
def training_without_words(of: Forger) -> None:
    """Training has no verbs, so that it derives no text."""
    split = of.split("train")
    split["transitions"] = [step for step in split["transitions"] if step[0] != 8]


@of_split("C06")
def training_that_never_ends(of: Forger) -> None:
    """Every noun phrase of training has a modifier with a noun phrase."""
    split = of.split("train")
    split["transitions"] = [step for step in split["transitions"] if step[0] != 3]


@of_split("C06")
def a_root_that_is_no_text(of: Forger) -> None:
    """A noun phrase is a training text."""
    of.split("train")["roots"].append(3)


@of_split("C06")
def a_transition_of_other_categories(of: Forger) -> None:
    """A split makes a noun phrase of a verb."""
    of.split("train")["transitions"].append([3, 3, 0, 2])


@of_split("C06")
def a_symbol_that_is_not_there(of: Forger) -> None:
    """A split uses a symbol that no rule has."""
    of.split("train")["transitions"].append([999, 3, 0, 1])


@of_split("C06")
def a_state_that_is_not_there(of: Forger) -> None:
    """A split uses a state that it has not."""
    of.split("train")["transitions"].append([3, 999, 0, 1])


@of_split("C06")
def a_state_of_another_category(of: Forger) -> None:
    """A state for clauses is one for noun phrases."""
    of.split("train")["states"][6] = 3


@of_split("C05")
def a_stratum_in_two_splits(of: Forger) -> None:
    """The test sentences are of the training split and of that of the items."""
    of.split("gen")["strata"].append(2)


@of_split("C05")
def a_stratum_in_no_split(of: Forger) -> None:
    """The development sentences are of no split."""
    of.split("train")["strata"].remove(1)


@of_split("C05")
def a_stratum_that_is_not_there(of: Forger) -> None:
    """A split is that of a fifth part of the data, of which there are four."""
    of.split("train")["strata"].append(4)


@of_split("C08")
def strata_that_change_places(of: Forger) -> None:
    """The items are said to be training sentences, and these to be items."""
    one, two = of.certificate["splits"]
    one["strata"], two["strata"] = two["strata"], one["strata"]


@of_split("C08")
def test_sentences_from_the_items(of: Forger) -> None:
    """The test sentences are drawn from the split of the items."""
    of.split("train")["strata"] = [0, 1]
    of.split("gen")["strata"] = [2, 3]


@of_split("C08")
def a_split_for_nobody(of: Forger) -> None:
    """A split has no part of the data, and a claim can be made about it."""
    of.certificate["splits"].append({**of.split("train"), "strata": []})
    of.claim("held out", "excludes")["split"] = 2


@of_split("C07")
def a_split_smaller_than_its_samples(of: Forger) -> None:
    """The split cannot modify objects, while the tables can."""
    split = of.split("train")
    split["transitions"] = [step for step in split["transitions"] if step != [5, 5, 7]]


@of_split("C07")
def a_split_larger_than_its_samples(of: Forger) -> None:
    """The split has a rule that the tables never draw."""
    of.split("train")["transitions"].append([2, 6, 2, 3])
    of.split("train")["states"][6] = 2


# ---- tables


@of_table("C07")
def a_rule_more_to_draw(of: Forger) -> None:
    """Training draws modified subjects, which its split has not."""
    bounds, rules, children = of.certificate["sampler"]["states"][1].values()
    bounds.append(bounds[-1] + 2**50)
    rules.append(1)
    children.append([3, 7])


@of_table("C07")
def a_subject_drawn_like_an_object(of: Forger) -> None:
    """The subject of training clauses is drawn from the table of modified phrases."""
    of.certificate["sampler"]["states"][1]["children"][0] = [3, 7]


@of_table("C07")
def a_rule_less_to_draw(of: Forger) -> None:
    """Training never draws its last noun."""
    for column in of.certificate["sampler"]["states"][5].values():
        column.pop()


@of_table("C07")
def another_rule_to_draw(of: Forger) -> None:
    """Where a dog may be drawn, a verb is drawn."""
    of.certificate["sampler"]["states"][5]["rules"][0] = 16


@of_table("C07")
def a_rule_drawn_in_place_of_another(of: Forger) -> None:
    """Where a dog may be drawn, a cat is drawn, twice as often as before."""
    of.certificate["sampler"]["states"][5]["rules"][0] = 9


@of_table("C07")
def children_in_another_order(of: Forger) -> None:
    """The children of a rule are drawn in another order."""
    of.certificate["sampler"]["states"][2]["children"][0].reverse()


@of_table("C07")
def bounds_that_do_not_grow(of: Forger) -> None:
    """The bounds of two words change places, so that one of them is never drawn."""
    bounds = of.certificate["sampler"]["states"][5]["bounds"]
    bounds[0], bounds[1] = bounds[1], bounds[0]


@of_table("C07")
def a_word_that_is_never_drawn(of: Forger) -> None:
    """Two words have one bound, so that the second is never drawn."""
    bounds = of.certificate["sampler"]["states"][5]["bounds"]
    bounds[1] = bounds[0]


@of_table("C07")
def a_word_of_weight_nothing(of: Forger) -> None:
    """The first word has the bound 0."""
    of.certificate["sampler"]["states"][5]["bounds"][0] = 0


@of_table("C02")
def a_bound_too_few(of: Forger) -> None:
    """A table has one bound less than rules."""
    of.certificate["sampler"]["states"][5]["bounds"].pop()


@of_table("C07")
def a_start_in_another_split(of: Forger) -> None:
    """Training starts where the items start."""
    of.certificate["sampler"]["starts"][0] = of.certificate["sampler"]["starts"][3]


@of_table("C07")
def a_start_that_is_no_text(of: Forger) -> None:
    """Training starts with a clause."""
    of.certificate["sampler"]["starts"][0] = 1


@of_table("C05")
def a_start_that_is_not_there(of: Forger) -> None:
    """Training starts in state 999."""
    of.certificate["sampler"]["starts"][0] = 999


@of_table("C05")
def a_start_less(of: Forger) -> None:
    """The items have no table to start from."""
    of.certificate["sampler"]["starts"].pop()


@of_table("C07")
def a_table_for_the_wrong_state(of: Forger) -> None:
    """The table of nouns is said to draw determiners."""
    drawn = of.split("train")["drawn"]
    drawn[3][1], drawn[4][1] = drawn[4][1], drawn[3][1]


@of_table("C07")
def a_table_for_no_state(of: Forger) -> None:
    """It is not said what the table of nouns draws."""
    of.split("train")["drawn"] = [own for own in of.split("train")["drawn"] if own[0] != 5]


@of_table("C07")
def a_table_for_two_states(of: Forger) -> None:
    """A table is said to draw two things; the first is a lie."""
    of.split("train")["drawn"].insert(0, [5, 0])


@of_table("R03")
def words_in_another_order(of: Forger) -> None:
    """Two nouns change places in their table."""
    rules = of.certificate["sampler"]["states"][5]["rules"]
    rules[0], rules[1] = rules[1], rules[0]


@of_table("R03")
def another_seed(of: Forger) -> None:
    """The seed is 2, in certificate, manifest and identity."""
    of.certificate["seed"] = of.manifest["seed"] = 2


@of_table("V025")
def another_seed_in_the_certificate(of: Forger) -> None:
    """The seed is 2 in the certificate, and 1 in the manifest."""
    of.certificate["seed"] = 2


@of_table("V025")
def another_seed_in_the_manifest(of: Forger) -> None:
    """The seed is 2 in manifest and identity, and 1 in the certificate."""
    of.manifest["seed"] = 2


@of_table("R08")
def a_word_drawn_more_often(of: Forger) -> None:
    """A word takes a part of the interval of another, against the weights of the grammar."""
    bounds = of.certificate["sampler"]["states"][5]["bounds"]
    bounds[0] += (bounds[1] - bounds[0]) // 2


@of_table("R08")
def a_rule_drawn_less_often(of: Forger) -> None:
    """Objects are modified half as often as the weights of the grammar say."""
    bounds = of.certificate["sampler"]["states"][3]["bounds"]
    bounds[0] += (bounds[1] - bounds[0]) // 2


@of_table("R08")
def a_weight_that_the_tables_do_not_have(of: Forger) -> None:
    """A word has another weight in the grammar than in the tables."""
    of.rule("animals", "dog")["weight"] = "0.5"


@of_table("C02")
def a_weight_written_in_another_way(of: Forger) -> None:
    """A weight is written with a space before it, which Python reads."""
    rule = of.rule("animals", "dog")
    rule["weight"] = f" {rule['weight']}"


@of_table("C02")
def a_weight_that_is_no_number(of: Forger) -> None:
    """A weight is not a number, which is neither larger nor smaller than any."""
    of.rule("animals", "dog")["weight"] = "nan"
