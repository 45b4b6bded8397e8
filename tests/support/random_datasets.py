"""Small grammars of random patterns: what a clause has in one place is held out in another."""

from __future__ import annotations

from random import Random

GRAMMAR = """
module small
layer en : text
layer out : text
layer syn : graph on en
category S
category V
category NP
category N
{words}
rule clause: S -> subj:NP V
  out V subj
  syn V -[nsubj]-> subj
rule pair: S -> subj:NP V obj:NP
  out V subj obj
  syn V -[nsubj]-> subj; V -[obj]-> obj
rule plain: NP -> N
  out N
rule of: NP -> N "of" m:NP
  out m N
  syn N -[nmod]-> m; m -[case]-> "of"
rule by: NP -> N "by" m:NP
  out N m
  syn N -[agent]-> m; m -[case]-> "by"
dataset
  from S
  train {train}
  seed {seed}
  distinct sentences
  ambiguous ignore
pattern first
  forbid {first}
  size 50
pattern second
  forbid {second}
  size 50
"""

HELD_OUT = (
    "{ V -[nsubj]-> N; N -[nmod]-> M }",
    "{ V -[obj]-> N; N -[agent]-> M }",
    "{ N -[nmod]-> M; M -[agent]-> K }",
    "{ N -[nmod|agent]{2}-> M }",
    "{ V -[nsubj]-> N[lemma=n1] }",
    "{ V[lemma=v1] -[obj]-> N } without { N -[nmod]-> M }",
    "{ V[#nsubj=1] -[obj]-> N; N -[nmod|agent]+-> M[lemma=n2] }",
)


def random_grammar(seed: int) -> str:
    """Return a grammar in which two structures are held out."""
    choose = Random(seed)  # noqa: S311
    words = [
        f'word {kind.upper()}: "{kind}{n}"\n  out "{kind}{n}x"\n  syn node(lemma={kind}{n})'
        for kind in "nv"
        for n in range(1, choose.randint(3, 6))
    ]
    first, second = choose.sample(HELD_OUT, 2)
    return GRAMMAR.format(words="\n".join(words), train=choose.choice((60, 90)), seed=seed, first=first, second=second)
