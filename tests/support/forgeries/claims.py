"""Claims that are not there, or are about something else."""

from __future__ import annotations

from functools import partial

from forging import Forger, forgery

from forgeries.automata import edge

removed = partial(forgery, "claims removed")
moved = partial(forgery, "claims about something else")
stated = partial(forgery, "what the manifest states")


# ---- removed


@removed("V025")
def no_claim(of: Forger) -> None:
    """The list of claims is empty."""
    of.certificate["claims"] = []


@removed("V025")
def held_out_is_not_claimed(of: Forger) -> None:
    """Nothing is said of the held-out structure in training."""
    drop(of, "held out", "excludes")


@removed("V025")
def instances_are_not_claimed(of: Forger) -> None:
    """Nothing says that items have their structure."""
    drop(of, "instance", "requires")


@removed("V025")
def parts_are_not_claimed(of: Forger) -> None:
    """Nothing says that training has the parts it needs."""
    drop(of, "licensed", "contains")


@removed("V025")
def the_first_needed_part_is_not_claimed(of: Forger) -> None:
    """Nothing says that training has the part that the pattern needs; the pieces are there."""
    of.certificate["claims"].remove(of.claim("licensed", "contains"))


@removed("V025")
def a_piece_is_not_claimed(of: Forger) -> None:
    """Nothing says that training has one of the pieces of the held-out structure."""
    own = [c for c in of.certificate["claims"] if c["claim"] == "licensed"]
    of.certificate["claims"].remove(own[-1])


@removed("V025")
def disjoint_is_not_claimed(of: Forger) -> None:
    """Nothing says that no item is a training sentence."""
    drop(of, "disjoint", "disjoint")


@removed("V025")
def exposed_is_not_claimed(of: Forger) -> None:
    """Nothing says that training has what items are made of."""
    drop(of, "exposed", "exposes")


@removed("C08")
def the_evidence_of_held_out_is_missing(of: Forger) -> None:
    """Held out is claimed without an invariant."""
    del of.claim("held out", "excludes")["evidence"]


@removed("C08")
def the_evidence_of_instances_is_missing(of: Forger) -> None:
    """That items have their structure is claimed without an invariant."""
    del of.claim("instance", "requires")["evidence"]


@removed("C08")
def the_evidence_of_a_part_is_missing(of: Forger) -> None:
    """That training has a part is claimed without a derivation."""
    del of.claim("licensed", "contains")["evidence"]


@removed("V025", "composed")
def a_claim_of_exposures_is_missing(of: Forger) -> None:
    """Nothing says that the exposures hold out what the other training sentences hold out."""
    number = of.certificate["splits"].index(of.split("train/exposure"))
    own = of.certificate["claims"]
    own[:] = [c for c in own if not (c["claim"] == "held out" and c["split"] == number)]


@removed("V025", "composed")
def a_restriction_is_not_claimed(of: Forger) -> None:
    """Nothing says that the restriction of lemmas holds in the items."""
    number = of.certificate["splits"].index(of.split("gen"))
    own = of.certificate["claims"]
    own[:] = [c for c in own if c["pattern"] or c["split"] != number]


@removed("V025", "kites")
def a_part_of_the_test_set_is_not_covered(of: Forger) -> None:
    """Nothing says that the sentences of the part hold out the structure of the pattern."""
    number = of.certificate["splits"].index(of.split("train/part"))
    own = of.certificate["claims"]
    own[:] = [c for c in own if not (c["claim"] == "held out" and c["pattern"] and c["split"] == number)]


# ---- about something else


@moved("V025")
def held_out_in_the_items(of: Forger) -> None:
    """That the structure is held out is claimed of the items' split."""
    of.claim("held out", "excludes")["split"] = 1


@moved("C08")
def a_part_in_the_items(of: Forger) -> None:
    """That training has a part is shown by a derivation of the items' split."""
    of.claim("licensed", "contains")["split"] = 1


@moved("C08")
def disjoint_of_the_training_split(of: Forger) -> None:
    """Disjoint is claimed of the training sentences themselves."""
    of.claim("disjoint", "disjoint")["split"] = 0


@moved("C08")
def exposed_in_the_training_split(of: Forger) -> None:
    """That training has what items are made of is claimed of training."""
    of.claim("exposed", "exposes")["split"] = 0


@moved("C08")
def held_out_in_a_split_that_is_not_there(of: Forger) -> None:
    """A claim is about split 7, of two."""
    of.claim("held out", "excludes")["split"] = 7


@moved("C08")
def held_out_of_a_structure_that_is_not_there(of: Forger) -> None:
    """A claim is about structure 99."""
    of.claim("held out", "excludes")["structures"] = [99]


@moved("V025")
def held_out_of_no_structure(of: Forger) -> None:
    """A claim is about no structure at all."""
    of.claim("held out", "excludes")["structures"] = []


@moved("C08")
def held_out_of_another_structure(of: Forger) -> None:
    """The needed part is claimed to be held out."""
    of.claim("held out", "excludes")["structures"] = [1]


@moved("V025")
def held_out_of_a_harmless_structure(of: Forger) -> None:
    """A structure that nothing has is claimed to be held out in place of the true one."""
    of.certificate["structures"].append(harmless())
    of.claim("held out", "excludes").update(structures=[4], evidence=[])


@moved("V025")
def instances_of_something_trivial(of: Forger) -> None:
    """Items are shown to have a subject, in place of their structure."""
    states = range(len(of.split("gen")["states"]))
    of.claim("instance", "requires").update(structures=[3], evidence=[[state, 0] for state in states])


@moved("V025")
def instances_of_one_thing_or_another(of: Forger) -> None:
    """Items are shown to have their structure or a subject."""
    states = range(len(of.split("gen")["states"]))
    own = [[state, 0, 0, 1, 0] for state in states]
    of.claim("instance", "requires").update(structures=[0, 3], evidence=own)


@moved("V025")
def claims_of_another_pattern(of: Forger) -> None:
    """Held out is claimed for a pattern that the plan has not."""
    of.claim("held out", "excludes")["pattern"] = "nobody"


@moved("C08")
def disjoint_of_another_pattern(of: Forger) -> None:
    """Disjoint is claimed for a pattern that has no items."""
    of.claim("disjoint", "disjoint")["pattern"] = "nobody"


@moved("V025")
def disjoint_from_nothing(of: Forger) -> None:
    """Disjoint is claimed by no structure."""
    of.claim("disjoint", "disjoint")["structures"] = []


@moved("C08")
def disjoint_by_a_structure_that_training_has(of: Forger) -> None:
    """Disjoint is claimed by the needed part, which training has."""
    of.claim("disjoint", "disjoint")["structures"] = [1]


@moved("V025")
def a_needed_part_that_is_waived(of: Forger) -> None:
    """The needed part is said to be waived, which the plan does not."""
    own = of.claim("licensed", "contains")
    own.update(kind="waived", split=0, structures=[1])
    del own["evidence"]


@moved("V025")
def a_piece_that_is_waived(of: Forger) -> None:
    """A piece of the held-out structure is said to be waived, which the plan does not."""
    own = [c for c in of.certificate["claims"] if c["claim"] == "licensed"][-1]
    own["kind"] = "waived"
    own.pop("evidence", None)


@moved("C08")
def training_that_lacks_a_word(of: Forger) -> None:
    """The plan has no training sentences any more, and what training has is claimed."""
    of.plan["strata"][0]["extent"] = {}


@moved("C08")
def an_item_made_of_an_unknown_word(of: Forger) -> None:
    """A word can be in items and is not in the split of training, nor is it drawn there."""
    number, symbols = len(of.grammar["rules"]), of.certificate["symbols"]
    of.grammar["rules"].append(new_noun(of))
    symbols.append(max(symbols) + 1)
    of.split("gen")["transitions"].append([symbols[-1], 2])
    table = of.certificate["sampler"]["states"][13 - 8]
    assert table["rules"][0] == 8
    of.certificate["sampler"]["states"].append(with_word(table, number, table["bounds"][-1] + 9))


# ---- the manifest


@stated("V025")
def a_manifest_with_another_structure(of: Forger) -> None:
    """The manifest says that something harmless is held out."""
    own = of.manifest["patterns"][0]
    own["forbid"] = own["gen"] = ["{ V -[nsubj]-> N; N -[nmod]-> M; M -[case]-> C }"]


@stated("V025")
def a_manifest_with_a_pattern_less(of: Forger) -> None:
    """The manifest has no patterns."""
    of.manifest["patterns"] = []


@stated("V025")
def a_manifest_with_a_smaller_need(of: Forger) -> None:
    """The manifest needs one training sentence with the part, the plan twelve."""
    of.manifest["patterns"][0]["need"][0]["minimum"] = 1


@stated("V025")
def a_manifest_without_the_need(of: Forger) -> None:
    """The manifest needs no part in training."""
    of.manifest["patterns"][0]["need"] = []


@stated("V025")
def a_manifest_that_waives(of: Forger) -> None:
    """The manifest waives a piece of the held-out structure."""
    of.manifest["patterns"][0]["waive"] = ["{ V -[nsubj]-> N }"]


@stated("V025")
def a_manifest_with_another_order_of_lemmas(of: Forger) -> None:
    """The manifest lets nouns be repeated."""
    of.manifest["distinct"]["lemmas"] = []


@stated("V025")
def a_manifest_of_repeated_sentences(of: Forger) -> None:
    """The manifest lets sentences be repeated."""
    of.manifest["distinct"]["sentences"] = False


@stated("V025")
def a_manifest_that_does_not_parse(of: Forger) -> None:
    """The manifest lets ambiguous sentences pass."""
    of.manifest["ambiguous"]["policy"] = "report"


@stated("V008")
def a_manifest_that_moves_rows(of: Forger) -> None:
    """By the manifest a training sentence is a test sentence."""
    train, test = (of.manifest["splits"][name] for name in ("train", "test"))
    for split, more in ((train, -1), (test, 1)):
        split["items"] += more
        split["strata"][0]["count"] += more


@stated("V030")
def a_manifest_with_other_candidates(of: Forger) -> None:
    """By the manifest one candidate more was too long."""
    own = of.manifest["splits"]["train"]["strata"][0]
    own["rejected"]["too_long"] += 1
    own["candidates"] += 1


@stated("V027")
def a_manifest_that_parsed_less(of: Forger) -> None:
    """By the manifest half of the strings were parsed."""
    own = of.manifest["splits"]["train"]["strata"][0]["readings"]
    own["parsed"] //= 2


@stated("V025", "composed")
def a_manifest_without_its_part(of: Forger) -> None:
    """The manifest has no parts."""
    of.manifest["parts"] = []


@stated("V025", "composed")
def a_manifest_without_restrictions(of: Forger) -> None:
    """The manifest restricts nothing."""
    of.manifest["nowhere"] = []


@stated("V025", "composed")
def a_manifest_with_other_targets(of: Forger) -> None:
    """The manifest has a target word less."""
    of.manifest["patterns"][0]["targets"].pop()


@stated("V025", "composed")
def a_manifest_of_fewer_exposures(of: Forger) -> None:
    """The manifest exposes the targets less often."""
    of.manifest["patterns"][0]["expose"][0]["extent"]["count"] -= 1


# ---- what these are made of


def drop(of: Forger, word: str, kind: str) -> None:
    """Remove all claims of a word and a kind."""
    own = of.certificate["claims"]
    own[:] = [claim for claim in own if (claim["claim"], claim["kind"]) != (word, kind)]


def harmless() -> dict[str, object]:
    """A structure that no text contains, with the automaton that finds it nowhere."""
    body = edge("vocative")
    return {"name": "{ V -[vocative]-> N }", "layer": "syn", "bodies": [body], "transitions": [], "accepting": []}


def with_word(table: dict[str, list[object]], rule: int, bound: int) -> dict[str, list[object]]:
    """A table that draws a further word."""
    further = {"bounds": bound, "rules": rule, "children": []}
    return {name: [*column, further[name]] for name, column in table.items()}


def new_noun(of: Forger, weight: str = "") -> dict[str, object]:
    """A rule for a noun that the grammar has not."""
    label = [["lemma", "yak"], ["upos", "NOUN"]]
    fragment = {"nodes": [{"attributes": label, "token": 0}], "edges": [], "exports": [0]}
    own = of.rule("animals")
    templates = [[{"text": "yak"}], [{"text": "ヤク"}]]
    return {**own, "weight": weight or own["weight"], "templates": templates, "fragments": [fragment]}
