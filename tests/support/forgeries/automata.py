"""Automata that do not find their structure, and invariants that show nothing."""

from __future__ import annotations

from functools import partial

from forging import Forger, forgery

of_automaton = partial(forgery, "automata")
of_invariant = partial(forgery, "invariants")

# ---- automata


@of_automaton("C10")
def an_automaton_that_finds_nothing(of: Forger) -> None:
    """The automaton of the held-out structure has no transitions and accepts nothing."""
    of.structure("nsubj").update(transitions=[], accepting=[])


@of_automaton("C10")
def an_automaton_without_accepting_states(of: Forger) -> None:
    """No state of the held-out structure's automaton accepts."""
    of.structure("nsubj")["accepting"] = []


@of_automaton("C10")
def an_automaton_that_accepts_everything(of: Forger) -> None:
    """The automaton of a needed part accepts every text."""
    of.structure("{ V -[obj]-> N; N -[nmod]")["accepting"] = [0, 1]


@of_automaton("C10")
def a_transition_less(of: Forger) -> None:
    """The automaton overlooks the structure where the subject is modified."""
    of.structure("nsubj")["transitions"].pop()


@of_automaton("C10")
def a_transition_less_at_the_full_stop(of: Forger) -> None:
    """The automaton forgets what it has found when the sentence gets its full stop."""
    of.structure("nsubj")["transitions"].pop(0)


@of_automaton("C10")
def a_transition_more(of: Forger) -> None:
    """The automaton finds the structure in objects that are modified, too."""
    of.structure("nsubj")["transitions"].append([2, 1, 0, 1])


@of_automaton("C10")
def a_transition_that_forgets(of: Forger) -> None:
    """A clause whose subject is modified is one like any other."""
    steps = of.structure("nsubj")["transitions"]
    steps[:] = [[1, 0, 1, 0] if step[0] == 1 else step for step in steps]


@of_automaton("C10")
def a_transition_of_another_symbol(of: Forger) -> None:
    """A transition names a symbol that no rule has."""
    of.structure("nsubj")["transitions"][0][0] = 10**6


@of_automaton("C10")
def a_transition_with_a_child_more(of: Forger) -> None:
    """A transition has more children than its rule."""
    of.structure("nsubj")["transitions"][0].append(1)


@of_automaton("C10")
def automata_that_change_places(of: Forger) -> None:
    """Two structures exchange their automata and keep their names."""
    one, two = of.certificate["structures"][:2]
    for member in ("transitions", "accepting"):
        one[member], two[member] = two[member], one[member]


@of_automaton("C10")
def the_automaton_of_a_part(of: Forger) -> None:
    """The held-out structure has the automaton of one of its pieces."""
    piece = of.structure("{ N -[nmod]-> M }")
    of.certificate["structures"][0].update(transitions=piece["transitions"], accepting=piece["accepting"])


@of_automaton("C10")
def a_transition_given_twice(of: Forger) -> None:
    """A transition is there twice: the first is a lie, the second is honest."""
    of.structure("nsubj")["transitions"].insert(0, [4, 0, 0, 0, 0])


@of_automaton("C09")
def a_body_with_a_link_less(of: Forger) -> None:
    """The data of a structure have one link less than its name."""
    of.structure("nsubj")["bodies"][0]["links"].pop()


@of_automaton("C09")
def a_body_with_a_condition_more(of: Forger) -> None:
    """The data of a structure ask for a lemma that nothing has; its name does not."""
    of.structure("nsubj")["bodies"][0]["variables"][1]["tests"] = [{"attribute": "lemma", "values": ["nobody"]}]


@of_automaton("C09")
def a_body_with_another_label(of: Forger) -> None:
    """The data of a structure have a label that no rule writes; its name does not."""
    of.structure("nsubj")["bodies"][0]["links"][0]["labels"] = {"labels": ["vocative"]}


@of_automaton("C09")
def a_body_that_is_negated(of: Forger) -> None:
    """The data of a structure ask for every label but `nsubj`."""
    of.structure("nsubj")["bodies"][0]["links"][0]["labels"]["negated"] = 1


@of_automaton("C02")
def a_label_that_is_negated_twice(of: Forger) -> None:
    """A label is negated with the number 2, which is neither yes nor no."""
    of.structure("nsubj")["bodies"][0]["links"][0]["labels"]["negated"] = 2


@of_automaton("C09")
def a_body_with_a_longer_walk(of: Forger) -> None:
    """The data of a structure ask for a walk of two edges; its name asks for one."""
    of.structure("nsubj")["bodies"][0]["links"][0].update(low=2, high=2)


@of_automaton("C09")
def a_walk_that_ends_before_it_begins(of: Forger) -> None:
    """The data of a structure ask for a walk of at least three and at most two edges."""
    of.structure("nsubj")["bodies"][0]["links"][0].update(low=3, high=2)


@of_automaton("C10")
def an_impossible_walk_by_its_name(of: Forger) -> None:
    """Data and name ask for a walk of at least three and at most two edges."""
    own = of.structure("nsubj")
    own["bodies"][0]["links"][0].update(low=3, high=2)
    own["name"] = own["name"].replace("-[nsubj]->", "-[nsubj]{3,2}->")


@of_automaton("C09")
def a_body_in_the_other_direction(of: Forger) -> None:
    """The data of a structure ask for the edge in the other direction."""
    link = of.structure("nsubj")["bodies"][0]["links"][0]
    link["source"], link["target"] = link["target"], link["source"]


@of_automaton("C02")
def a_link_to_nowhere(of: Forger) -> None:
    """A link leads to a variable that the structure has not."""
    of.structure("nsubj")["bodies"][0]["links"][0]["target"] = 9


@of_automaton("C09")
def a_degree_that_all_words_miss(of: Forger) -> None:
    """The data of a structure ask for a node with 5,000 modifiers; its name does not."""
    of.structure("nsubj")["bodies"][0]["variables"][1]["degrees"] = [degree(">=", 5000)]


@of_automaton("C02")
def a_comparison_that_is_none(of: Forger) -> None:
    """A degree is compared by a sign that compares nothing."""
    of.structure("nsubj")["bodies"][0]["variables"][1]["degrees"] = [degree("<>", 1)]


@of_automaton("C09")
def a_body_without_the_structure(of: Forger) -> None:
    """The data of a structure are one node, which every text has."""
    of.structure("nsubj")["bodies"][0].clear()
    of.structure("nsubj")["bodies"][0]["variables"] = [{"name": "V"}]


@of_automaton("C09")
def an_exception_behind_the_name(of: Forger) -> None:
    """The data of a structure have a `without` part that its name has not."""
    bodies = of.structure("nsubj")["bodies"]
    bodies.append(bodies[0])


@of_automaton("C02")
def no_body(of: Forger) -> None:
    """A structure has no data at all."""
    of.structure("nsubj")["bodies"] = []


@of_automaton("C02")
def no_body_and_no_name(of: Forger) -> None:
    """A structure has neither data nor a name."""
    of.certificate["structures"].append({"name": "", "layer": "syn", "bodies": [], "transitions": [], "accepting": [0]})


@of_automaton("C10")
def a_structure_more_that_is_wrong(of: Forger) -> None:
    """A structure that no claim mentions has an automaton that does not find it."""
    body = edge("det")
    of.certificate["structures"].append(
        {"name": "{ V -[det]-> N }", "layer": "syn", "bodies": [body], "transitions": [], "accepting": []}
    )


# ---- invariants


@of_invariant("C08")
def an_empty_invariant(of: Forger) -> None:
    """Nothing is said of the phrases of training."""
    of.claim("held out", "excludes")["evidence"] = []


@of_invariant("C08")
def an_invariant_that_is_not_closed(of: Forger) -> None:
    """An entry of the invariant of items is missing, so that a rule leads out of it."""
    of.claim("instance", "requires")["evidence"].pop(0)


@of_invariant("C08")
def an_invariant_without_its_root(of: Forger) -> None:
    """What is known of whole texts is missing in the invariant of items."""
    of.claim("instance", "requires")["evidence"].pop()


@of_invariant("C08")
def an_invariant_with_a_root_too_many(of: Forger) -> None:
    """By the invariant a training text may contain the held-out structure."""
    of.claim("held out", "excludes")["evidence"].append([of.split("train")["roots"][0], 0, 1])


@of_invariant("C08")
def an_invariant_for_less(of: Forger) -> None:
    """By the invariant items may lack their structure."""
    of.claim("instance", "requires")["evidence"][-1] = [of.split("gen")["roots"][0], 0, 1]


@of_invariant("C08")
def an_invariant_of_another_split(of: Forger) -> None:
    """The invariant of training is given for the items."""
    of.claim("instance", "requires")["evidence"] = of.claim("held out", "excludes")["evidence"]


@of_invariant("C08")
def an_invariant_of_all_states(of: Forger) -> None:
    """Every phrase may be in every state, which is closed and shows nothing."""
    states = range(len(of.split("train")["states"]))
    of.claim("held out", "excludes")["evidence"] = [[state, 0, 1] for state in states]


@of_invariant("C08")
def an_invariant_that_lists_nothing_for_all(of: Forger) -> None:
    """No phrase has any state, so that nothing is left to be checked."""
    states = range(len(of.split("train")["states"]))
    of.claim("held out", "excludes")["evidence"] = [[state] for state in states]


@of_invariant("C08")
def items_of_which_there_are_none(of: Forger) -> None:
    """By the invariant no text of the items has any state, so that all of them accept."""
    states = range(len(of.split("gen")["states"]))
    of.claim("instance", "requires")["evidence"] = [[state] for state in states]


@of_invariant("C08")
def an_invariant_given_twice(of: Forger) -> None:
    """A state is listed twice: the first entry is a lie, the second is honest."""
    own = of.claim("instance", "requires")["evidence"]
    own.insert(0, [own[0][0]])


@of_invariant("C08")
def an_invariant_of_pairs_that_are_none(of: Forger) -> None:
    """A claim about two structures lists states that do not come in pairs."""
    of.claim("instance", "requires")["structures"] = [0, 1]


@of_invariant("C08")
def an_opposite_claim(of: Forger) -> None:
    """What is shown of items is claimed as their opposite."""
    of.claim("instance", "requires")["kind"] = "excludes"


@of_invariant("C08")
def a_derivation_that_ends_too_early(of: Forger) -> None:
    """The derivation that shows a needed part lacks its last rule."""
    of.claim("licensed", "contains")["evidence"].pop()


@of_invariant("C08")
def a_derivation_of_nothing(of: Forger) -> None:
    """The derivation that shows a needed part is empty."""
    of.claim("licensed", "contains")["evidence"] = []


@of_invariant("C08")
def a_derivation_without_the_part(of: Forger) -> None:
    """The derivation that shows a needed part does not contain it."""
    of.claim("licensed", "contains")["evidence"] = [10, 8, 3, 0, 1, 4, 2, 3, 0, 1]


@of_invariant("C08")
def a_derivation_of_half_a_text(of: Forger) -> None:
    """The derivation that shows a needed part is one of a noun phrase."""
    of.claim("licensed", "contains")["evidence"] = [9, 0, 1, 6, 3, 0, 1]


@of_invariant("C08")
def a_derivation_that_mixes_states(of: Forger) -> None:
    """The derivation puts a phrase where the split has another one of its category."""
    of.claim("licensed", "contains")["evidence"] = [10, 8, 9, 0, 1, 6, 3, 0, 1, 4, 2, 3, 0, 1]


@of_invariant("C08")
def a_derivation_with_a_rule_too_many(of: Forger) -> None:
    """Another text precedes the derivation that shows a needed part."""
    own = of.claim("licensed", "contains")["evidence"]
    own[:0] = own


@of_invariant("C08")
def a_derivation_of_rules_that_are_not_there(of: Forger) -> None:
    """The derivation uses transition 1,000 of the split."""
    of.claim("licensed", "contains")["evidence"][0] = 1000


# ---- what these are made of


def degree(comparison: str, number: int) -> dict[str, object]:
    """A test of the number of modifiers."""
    return {"labels": {"labels": ["nmod"]}, "comparison": comparison, "number": number}


def edge(label: str) -> dict[str, object]:
    """A body of two nodes with an edge between them."""
    link = {"source": 0, "labels": {"labels": [label]}, "target": 1}
    return {"variables": [{"name": "V"}, {"name": "N"}], "links": [link]}
