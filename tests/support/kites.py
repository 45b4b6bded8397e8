"""A small grammar with logical forms, and what the compiler makes of it."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from sget import compile_file

from sgl.frontend import Compiled
from sgl.parsing import Parser
from sgl.rendering import outputs

KITES = """\
module kites "Clauses with logical forms"

layer en  : text (attach ".")
layer syn : graph on en
layer sem : graph on en (free)
view  conllu  = conllu(syn)
view  cogs    = cogs(sem)
view  varfree = varfree(sem)

feature role = agent | theme
feature prep = in | beside

category Text
category S
category VP[role]
category NP
category PP[prep]
category RC with gap
category N
category V[role]
category T

rule text: Text -> capital S "."
  syn S -[punct]-> "."(upos=PUNCT)
  sem S

rule clause: S -> NP VP[role=r]
  syn VP -[nsubj]-> NP
  sem VP -[$r]-> NP

rule intransitive: VP[role=r] -> V[role=r]

rule transitive: VP[role=agent] -> T NP
  syn T -[obj]-> NP
  sem T -[theme]-> NP

rule np: NP -> "the" N  ~ 4
  syn N -[det]-> "the"(upos=DET)
  sem N

rule np_pp: NP -> "the" N PP[prep=p]
  syn N -[det]-> "the"(upos=DET); N -[nmod]-> PP
  sem N -[nmod:$p]-> PP

rule np_rc: NP -> "the" N RC
  syn N -[det]-> "the"(upos=DET); N -[acl:relcl]-> RC; RC.gap = N
  sem N -[nmod]-> RC; RC.gap = N

rule inside: PP[prep=in] -> "in" NP
  syn NP -[case]-> "in"(upos=ADP)
  sem NP

rule near: PP[prep=beside] -> "beside" NP
  syn NP -[case]-> "beside"(upos=ADP)
  sem NP

rule relative: RC -> "that" VP[role=r]
  syn VP -[mark]-> "that"(upos=SCONJ); VP -[~nsubj]-> gap
  sem VP -[$r]-> gap

lexicon nouns from "nouns.yaml"
  N
    en  $en
    syn node(lemma=$en, upos=NOUN)
    sem node(lemma=$en, type=entity, definite=yes)

lexicon verbs from "verbs.yaml" where class = agent | theme
  V[role=$class]
    en  $past
    syn node(lemma=$en, upos=VERB)
    sem node(lemma=$lemma or $en, type=event)

lexicon transitives from "verbs.yaml" where class = both
  T
    en  $past
    syn node(lemma=$en, upos=VERB)
    sem node(lemma=$lemma or $en, type=event)

pattern pp_in_subject "PP in object → subject"
  example "The kite in the tent fell."
  forbid { V -[nsubj]-> N; N -[nmod]-> M }
  need   5 { V -[obj]-> N; N -[nmod]-> M }
  size   20

part relatives "Relative clauses"
  apart { N -[acl:relcl]-> V }
  size  20 outside { N -[acl:relcl]-> V; V -[obj]-> M },
        5 in dev within { N -[acl:relcl]-> V; V -[obj]-> M }

dataset
  from Text
  output cogs varfree
  train 200
  dev   20
  test  20
  seed  1
  distinct sentences
  distinct lemmas NOUN
"""

_NOUNS = ("kite", "tent", "goat", "duck", "horse", "crate", "rope", "cart", "shed", "ladder")
NOUNS = "".join(f"- {{en: {noun}}}\n" for noun in (*_NOUNS, "wagon", "barrel"))
VERBS = """\
- {en: fall, past: fell, class: theme}
- {en: run, past: ran, class: agent}
- {en: dance, past: danced, class: agent}
- {en: float, past: floated, class: theme}
- {en: find, past: found, class: both}
- {en: lift, past: lifted, class: both}
- {en: send, past: sent, class: both, lemma: dispatch}
"""


def write(directory: Path, grammar: str = KITES) -> Path:
    """The grammar and its tables in a directory."""
    for name, text in (("nouns.yaml", NOUNS), ("verbs.yaml", VERBS), ("kites.sgl", grammar)):
        (directory / name).write_text(text, encoding="utf-8")
    return directory / "kites.sgl"


@cache
def kites(grammar: str = KITES) -> Compiled:
    """The grammar; fails when compiling it reports anything at all."""
    with TemporaryDirectory() as directory:
        return compile_file(write(Path(directory), grammar))


def form(sentence: str, view: str = "cogs", compiled: Compiled | None = None) -> str:
    """A sentence with one reading in a view."""
    grammar = (compiled or kites()).grammar
    (reading,) = Parser(grammar, 0).parse(sentence)
    return outputs(grammar)[view](reading)


def isolated(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a Python file where nothing is installed."""
    return subprocess.run(
        [sys.executable, "-I", "-X", "utf8", "-W", "error", str(program), *arguments],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
