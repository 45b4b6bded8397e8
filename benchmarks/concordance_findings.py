"""List what was found in the published training data of SGET, in words and figures.

Unless stated otherwise, the counts are of lines among 44,100; depths are counted as in the paper's Table 9.
"""

from __future__ import annotations

from typing import NamedTuple


class Count(NamedTuple):
    """A structure, its description, and the number of published lines in which it was found."""

    what: str
    structure: str
    published: str


def _chain(label: str, depth: int) -> str:
    """Return a chain of edges that is not part of a longer one."""
    ends = f"without {{ X -[{label}]-> A }} without {{ B -[{label}]-> Y }}"
    return f"{{ A -[{label}]{{{depth}}}-> B }} {ends}"


_CENTRE = "N -[acl:relcl]-> V; V -[~obj]-> N; V -[nsubj]-> M; M -[acl:relcl]-> R; R -[~obj]-> M"

COUNTS = (
    Count("a complement clause, one deep", _chain("ccomp", 1), "3,602"),
    Count("complement clauses, two deep", _chain("ccomp", 2), "306"),
    Count("complement clauses, three deep: held out", _chain("ccomp", 3), "**1**"),
    Count("complement clauses, four deep", _chain("ccomp", 4), "701"),
    Count("complement clauses, five deep or more: held out", "{ A -[ccomp]{5}-> B }", "0"),
    Count("a PP, one deep", _chain("nmod", 1), "2,104"),
    Count("PPs, two deep", _chain("nmod", 2), "264"),
    Count("PPs, three deep: held out", _chain("nmod", 3), "0"),
    Count("PPs, four deep", _chain("nmod", 4), "703"),
    Count("one adjective on a noun", "{ N[#amod=1] }", "2,299"),
    Count("two adjectives", "{ N[#amod=2] }", "584"),
    Count("three adjectives: held out", "{ N[#amod=3] }", "0"),
    Count("four adjectives", "{ N[#amod=4] }", "795"),
    Count("centre embedding", f"{{ {_CENTRE} }}", "812"),
    Count(
        "a relative clause on any other subject: held out",
        "{ V -[nsubj|nsubj:pass]-> N; N -[acl:relcl]-> R } without { X -[acl:relcl]-> V }",
        "0",
    ),
    Count(
        "a relative clause on the object of a transitive",
        "{ V -[obj]-> N; N -[acl:relcl]-> R } without { V -[iobj|obl:to|nsubj:pass]-> X }",
        "2,092",
    ),
    Count(
        "a relative clause on the object of a ditransitive",
        "{ V -[obj]-> N; N -[acl:relcl]-> R; V -[iobj|obl:to|nsubj:pass]-> X }",
        "**0**",
    ),
    Count(
        "a PP on the object of a transitive",
        "{ V -[obj]-> N; N -[nmod]-> M } without { V -[iobj|obl:to|nsubj:pass]-> X }",
        "1,330",
    ),
    Count(
        "a PP on the object of a ditransitive",
        "{ V -[obj]-> N; N -[nmod]-> M; V -[iobj|obl:to|nsubj:pass]-> X }",
        "1,697",
    ),
    Count("*who* as the subject of a transitive", "{ V -[nsubj]-> W[PronType=Int]; V -[obj]-> N }", "629"),
    Count("*who* or *what* as the object of a transitive", "{ V -[~obj]-> W[PronType=Int] }", "1,612"),
)

FINDINGS = {
    "subject_to_object_common": (
        "absent; 100 exposures as subject. *rabbit* shares its Japanese, ウサギ, with in-distribution *bunny*"
    ),
    "subject_to_object_proper": (
        "absent for four targets, 87 exposures; a fifth target cannot be identified. If it "
        "is one of the ordinary names, that name occurs in every role"
    ),
    "object_to_subject_common": "absent; 46 exposures as direct object, 54 as recipient",
    "object_to_subject_proper": "absent; 36 exposures as direct object, 64 as recipient",
    "primitive_to_subject_common": "absent from sentences; bare words only",
    "primitive_to_subject_proper": "absent from sentences; bare words only",
    "primitive_to_object_common": "absent from sentences; bare words only",
    "primitive_to_object_proper": "absent from sentences; bare words only",
    "primitive_to_infinitive": "absent from sentences; bare base forms only",
    "past_to_present_ditransitive": (
        "absent for the five verbs that fit; the Japanese form of each occurs with a twin (*serve* = *offer* 提供する)"
    ),
    "past_to_present_infinitive": ("targets not determined; absent for all verbs outside the 100 support sentences"),
    "past_to_present_complement": (
        "targets inferred; absent. Each has a Japanese twin among the supporting verbs (*guess* = *imagine* 想像する)"
    ),
    "transitive_present_to_ditransitive": ("absent; 100 present and 100 past transitives, 100 past ditransitives"),
    "transitive_present_to_infinitive": "absent; 100, 100 and 100",
    "transitive_present_to_complement": "absent; 100, 100 and 100",
    "active_to_passive": ("absent; the needed Japanese form occurs with a twin (*evaluate* = *value* 評価)"),
    "passive_to_active": ("absent; the needed Japanese form occurs with a twin (*thank* = *appreciate* 感謝)"),
    "omitted_object_to_transitive": ("absent; the exposures have a dummy object in Japanese (本を読んだ)"),
    "unaccusative_to_transitive": ("absent; the needed Japanese form occurs with a twin (*develop* = *grow*)"),
    "double_object_to_pp": "absent",
    "pp_to_double_object": "absent",
    "pp_in_subject": ("absent; PPs on 1,330 objects of transitives and 1,697 themes of ditransitives"),
    "pp_in_recipient": "absent; the same",
    "rc_in_subject": (
        "812 sentences, all of them centre embedding: the subject of an object relative clause carries one"
    ),
    "rc_in_recipient": (
        "absent, but a required part is missing too: no direct object of a ditransitive "
        "carries a relative clause, so the pattern also changes the frame"
    ),
    "adjective_in_subject": "absent; adjectives on 1,467 and 2,141 objects",
    "adjective_in_recipient": "absent; the same",
    "cp_shallower": (
        "**one leak**: a sentence of depth 3, an exposure of *repeat* whose complement has "
        "depth 2 already. Depth 1: 3,602, depth 2: 306, depth 4: 701"
    ),
    "cp_deeper": "absent",
    "pp_shallower": "absent. Depth 1: 2,104, depth 2: 264, depth 4: 703",
    "pp_deeper": "absent",
    "centre_embedding_shallower": (
        "absent. Depth 1: 607, depth 2: 112, depth 4: 700; the Japanese order differs "
        "between stand-alone and concatenated sentences"
    ),
    "centre_embedding_deeper": "absent",
    "adjectives_fewer": "absent. One adjective: 2,299, two: 584, four: 795",
    "adjectives_more": "absent",
    "recipient_relative": "absent; 780 subject and 3,631 object relatives",
    "wh_recipient": "absent; 629 *who* as subject, 1,612 *who* or *what* as object",
    "wh_active_subject": "absent; 629 transitive questions",
    "wh_passive_subject": "absent",
    "wh_ditransitive_object": "absent",
    "wh_subject_with_pp": "absent; the subjects of all 1,612 *did*-questions are bare",
    "wh_long_movement": "absent",
}
