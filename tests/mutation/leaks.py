"""For each pattern of SGET a rule that, kept in training, leaks what the pattern holds out.

Each entry names the patterns, gives the rule as an author might write it without
thinking of the pattern, and a part of the sentence that should come out.
"""

from __future__ import annotations

from typing import NamedTuple


class Leak(NamedTuple):
    """A leaking rule, the patterns it breaks, and what to expect of the witness."""

    patterns: tuple[str, ...]
    rule: str
    witness: str


LEAKS = (
    Leak(
        ("subject_to_object_common", "primitive_to_object_common"),
        """rule leak: Transitive[form=past] -> Vt[form=past] Det[sound=s] N[anim=yes, sound=s]
  ja  N Vt drop Det
  syn Vt -[obj]-> N; N -[det]-> Det
  sem Vt -[agent]-> subj; Vt -[theme]-> N; N -[det]-> Det""",
        r" (an?|the) (dancer|diplomat|singer|rabbit|goat|trainer|colleague|dentist|photographer"
        r"|engineer)[.?]$",
    ),
    Leak(
        ("subject_to_object_proper", "primitive_to_object_proper"),
        """rule leak: Transitive[form=past] -> Vt[form=past] Name
  ja  Name Vt
  syn Vt -[obj]-> Name
  sem Vt -[agent]-> subj; Vt -[theme]-> Name""",
        r" (Chris|Evan|Sam|Sara|Nova|Elara|Brian|Josh|Patrick)[.?]$",
    ),
    Leak(
        ("object_to_subject_common", "primitive_to_subject_common"),
        """rule leak: S[form=past] -> Det[sound=s] N[anim=yes, sound=s] VP[form=past, anim=yes]
  ja  N "が" VP drop Det
  syn N -[det]-> Det; VP -[nsubj]-> N
  sem head = VP; N -[det]-> Det; VP.subj = N""",
        r"^(An?|The) (chef|pilot|magician|panda|cockroach|thief|author|camel|shark|raven) \w+\.$",
    ),
    Leak(
        ("object_to_subject_proper", "primitive_to_subject_proper"),
        """rule leak: S[form=past] -> Name VP[form=past, anim=yes]
  ja  Name "が" VP
  syn VP -[nsubj]-> Name
  sem head = VP; VP.subj = Name""",
        r"^(Taylor|Jameis|Alex|Lauren|Maria|Coco|Lina|Felix|Miles|Ben) \w+\.$",
    ),
    Leak(
        ("primitive_to_infinitive",),
        """rule leak: Control[form=past] ->
    Vx[form=past, inner=dict] "to" Vi[form=dict, kind=unergative]
  ja  Vi Vx
  syn Vx -[xcomp]-> Vi; Vi -[mark]-> "to"(upos=PART); Vi -[~nsubj:xsubj]-> subj
  sem Vx -[agent]-> subj; Vx -[xcomp]-> Vi; Vi -[agent]-> subj""",
        r" to (jump|sit|escape|travel|crawl)[.?]$",
    ),
    Leak(
        ("past_to_present_ditransitive", "transitive_present_to_ditransitive"),
        """rule leak: S[form=pres] -> subj:NP[anim=yes] DoubleObject[form=pres]
  ja  subj "が" DoubleObject
  syn DoubleObject -[nsubj]-> subj
  sem head = DoubleObject; DoubleObject.subj = subj""",
        r"(passes|serves|lends|rents|posts|shows|introduces|assigns|supplies|teaches) ",
    ),
    Leak(
        ("past_to_present_infinitive", "transitive_present_to_infinitive"),
        """rule leak: S[form=pres] -> subj:NP[anim=yes] Control[form=pres]
  ja  subj "が" Control
  syn Control -[nsubj]-> subj; Control.subj = subj
  sem head = Control; Control.subj = subj""",
        r"(means|plans|needs|longs|yearns|continues|prepares|demands|seeks|cares) to ",
    ),
    Leak(
        ("past_to_present_complement", "transitive_present_to_complement"),
        """rule leak: S[form=pres] -> subj:NP[anim=yes] Complement[form=pres]
  ja  subj "が" Complement
  syn Complement -[nsubj]-> subj
  sem head = Complement; Complement.subj = subj""",
        r"(realizes|guesses|trusts|wishes|means|fears|understands|answers|repeats|learns) that ",
    ),
    Leak(
        ("active_to_passive",),
        """rule leak: Passive[form=part, anim=no] -> "was" Vt[form=part]
  ja  Vt
  syn Vt -[aux:pass]-> "was"(lemma=be, upos=AUX, Tense=Past, VerbForm=Fin)
  sem Vt -[theme]-> subj""",
        r" was \w+ed[.?]$",
    ),
    Leak(
        ("passive_to_active", "omitted_object_to_transitive", "unaccusative_to_transitive"),
        """rule leak: S[form=past] -> subj:NP[anim=yes] Vt[form=past] obj:Object
  ja  subj "が" obj Vt
  syn Vt -[nsubj]-> subj; Vt -[obj]-> obj
  sem Vt -[agent]-> subj; Vt -[theme]-> obj""",
        r"^(The |An? )?\w+ \w+ ((the|an?) )?\w+\.$",
    ),
    Leak(
        ("double_object_to_pp",),
        """rule leak: S[form=past] ->
    subj:NP[anim=yes] Vd[form=past] obj:Object[anim=no] "to" goal:Bare[anim=yes]
  ja  subj "が" obj "を" goal "に" Vd
  syn Vd -[nsubj]-> subj; Vd -[obj]-> obj; Vd -[obl:to]-> goal; goal -[case]-> "to"(upos=ADP)
  sem Vd -[agent]-> subj; Vd -[theme]-> obj; Vd -[recipient]-> goal""",
        r" (owed|granted|donated|paid|delivered) .* to ",
    ),
    Leak(
        ("pp_to_double_object",),
        """rule leak: S[form=past] ->
    subj:NP[anim=yes] Vd[form=past] iobj:Bare[anim=yes] obj:Object[anim=no]
  ja  subj "が" iobj "に" obj "を" Vd
  syn Vd -[nsubj]-> subj; Vd -[iobj]-> iobj; Vd -[obj]-> obj
  sem Vd -[agent]-> subj; Vd -[recipient]-> iobj; Vd -[theme]-> obj""",
        r" (gifted|asked|proposed|recommended|shipped) \w+",
    ),
    Leak(
        ("pp_in_subject", "rc_in_subject", "adjective_in_subject"),
        """rule leak: S[form=past] ->
    Det[sound=s] noun:Modified[anim=yes, sound=s] VP[form=past, anim=yes]
  ja  noun "が" VP drop Det
  syn noun -[det]-> Det; VP -[nsubj]-> noun
  sem head = VP; noun -[det]-> Det; VP.subj = noun""",
        r"^(An?|The) (\w+ (in|on|beside|that) .*|\w+ \w+) \w+\.$",
    ),
    Leak(
        ("pp_in_recipient", "rc_in_recipient", "adjective_in_recipient"),
        """rule leak: ToDative[form=past] ->
    Vd[form=past] obj:Object[anim=no] "to" Det[sound=s] noun:Modified[anim=yes, sound=s]
  ja  obj "を" noun "に" Vd drop Det
  syn Vd -[obj]-> obj; Vd -[obl:to]-> noun; noun -[case]-> "to"(upos=ADP); noun -[det]-> Det
  sem Vd -[agent]-> subj; Vd -[theme]-> obj; Vd -[recipient]-> noun; noun -[det]-> Det""",
        r" to (an?|the) (\w+ (in|on|beside|that) .*|\w+ \w+)[.?]$",
    ),
    Leak(
        ("cp_shallower", "cp_deeper"),
        """rule leak: S[form=past] -> subj:NP[anim=yes] Vc[form=past] "that" S[form=past]
  ja  subj "が" S Vc
  syn Vc -[nsubj]-> subj; Vc -[ccomp]-> S; S -[mark]-> "that"(upos=SCONJ)
  sem Vc -[agent]-> subj; Vc -[ccomp]-> S""",
        r"(that .*){3}",
    ),
    Leak(
        ("pp_shallower", "pp_deeper"),
        """rule leak: Location[prep=p] -> Det[sound=s] Place[prep=p, sound=s] PP
  ja  PP Place drop Det
  syn Place -[det]-> Det; Place -[nmod]-> PP
  sem Place -[det]-> Det; PP.noun = Place""",
        r"((in|on|beside) .*){3}",
    ),
    Leak(
        ("centre_embedding_shallower", "centre_embedding_deeper"),
        """rule leak: InnerSubject -> Det[sound=s] N[anim=yes, sound=s] "that" ObjectGap[anim=yes]
  ja  ObjectGap N drop Det
  syn N -[det]-> Det; N -[acl:relcl]-> ObjectGap; ObjectGap.gap = N;
      ObjectGap -[mark]-> "that"(upos=SCONJ)
  sem N -[det]-> Det; N -[nmod]-> ObjectGap; ObjectGap.gap = N""",
        r"((An?|The|an?|the) \w+ that ){3}",
    ),
    Leak(
        ("adjectives_fewer", "adjectives_more"),
        """rule leak: AdjN[anim=a, slot=1, sound=s] ->
    Adj[anim=a, slot=1, sound=s] AdjN[anim=a, slot=2|3|4|5|6]
  ja  Adj AdjN
  syn AdjN -[amod]-> Adj
  sem AdjN -[amod]-> Adj""",
        r"(An?|The|an?|the) \w+ \w+ \w+ \w+",
    ),
    Leak(
        ("recipient_relative",),
        """rule leak: RC[anim=yes] ->
    "that" subj:InnerSubject Vd[form=past] obj:Object[anim=no] "to"
  ja  subj "が" obj "を" Vd
  syn Vd -[nsubj]-> subj; Vd -[obj]-> obj; Vd -[~obl:to]-> gap; Vd -[obl]-> "to"(upos=ADP);
      Vd -[mark]-> "that"(upos=SCONJ)
  sem Vd -[agent]-> subj; Vd -[theme]-> obj; Vd -[recipient]-> gap""",
        r" that .* to\b",
    ),
    Leak(
        ("wh_recipient",),
        """rule leak: Question ->
    Wh[anim=yes] "did" subj:NP[anim=yes] Vd[form=did] obj:Object[anim=no] "to"
  ja  subj "が" Wh "に" obj "を" Vd
  syn Vd -[~obl:to]-> Wh; Vd -[nsubj]-> subj; Vd -[obj]-> obj; Vd -[obl]-> "to"(upos=ADP);
      Vd -[aux]-> "did"(lemma=do, upos=AUX, Tense=Past, VerbForm=Fin)
  sem Vd -[agent]-> subj; Vd -[theme]-> obj; Vd -[recipient]-> Wh""",
        r"^Who did .* to\?$",
    ),
    Leak(
        ("wh_active_subject",),
        """rule leak: Question -> Wh[anim=yes] Intransitive[form=past, anim=yes]
  ja  Wh "が" Intransitive
  syn Intransitive -[nsubj]-> Wh
  sem head = Intransitive; Intransitive.subj = Wh""",
        r"^Who \w+\?$",
    ),
    Leak(
        ("wh_passive_subject",),
        """rule leak: Question -> Wh[anim=a] Passive[form=part, anim=a]
  ja  Wh "が" Passive
  syn Passive -[nsubj:pass]-> Wh
  sem head = Passive; Passive.subj = Wh""",
        r"^(Who|What) was \w+\?$",
    ),
    Leak(
        ("wh_ditransitive_object",),
        """rule leak: Question ->
    Wh[anim=no] "did" subj:NP[anim=yes] Vd[form=did] iobj:NP[anim=yes]
  ja  subj "が" iobj "に" Wh "を" Vd
  syn Vd -[~obj]-> Wh; Vd -[nsubj]-> subj; Vd -[iobj]-> iobj;
      Vd -[aux]-> "did"(lemma=do, upos=AUX, Tense=Past, VerbForm=Fin)
  sem Vd -[agent]-> subj; Vd -[theme]-> Wh; Vd -[recipient]-> iobj""",
        r"^What did .*\?$",
    ),
    Leak(
        ("wh_subject_with_pp",),
        """rule leak: Question ->
    Wh "did" Det[sound=s] noun:Modified[anim=yes, sound=s] Vt[form=did]
  ja  noun "が" Wh Vt drop Det
  syn Vt -[~obj]-> Wh; Vt -[nsubj]-> noun; noun -[det]-> Det;
      Vt -[aux]-> "did"(lemma=do, upos=AUX, Tense=Past, VerbForm=Fin)
  sem Vt -[agent]-> noun; Vt -[theme]-> Wh; noun -[det]-> Det""",
        r"^(Who|What) did (an?|the) \w+ (in|on|beside) ",
    ),
    Leak(
        ("wh_long_movement",),
        """rule leak: Question ->
    Wh "did" subj:NP[anim=yes] Vc[form=did] "that" inner:NP[anim=yes] Vt[form=past]
  ja  subj "が" inner "が" Wh Vt Vc
  syn Vc -[nsubj]-> subj; Vc -[ccomp]-> Vt; Vt -[nsubj]-> inner; Vt -[~obj]-> Wh;
      Vc -[aux]-> "did"(lemma=do, upos=AUX, Tense=Past, VerbForm=Fin);
      Vt -[mark]-> "that"(upos=SCONJ)
  sem Vc -[agent]-> subj; Vc -[ccomp]-> Vt; Vt -[agent]-> inner; Vt -[theme]-> Wh""",
        r"^(Who|What) did .* that ",
    ),
)
