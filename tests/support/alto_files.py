"""A file of Alto: two languages, a tree, and whatever else its notation has."""

SYNCHRONOUS = """\
/* Two languages, a tree
   and final states of two kinds. */
interpretation english: de.up.ling.irtg.algebra.StringAlgebra
interpretation german: de.up.ling.irtg.algebra.WideStringAlgebra
interpretation tree: de.up.ling.irtg.algebra.TreeWithAritiesAlgebra

S! -> r1(NP, VP) [0.5]        // a sentence
  [english] *(?1, *('always', ?2))
  [german]  conc3(?1, ?2, "immer")
  [tree]    S_2(?1, VP_2(ADV_0, ?2))

S -> r2(VP) [0.5]
  [english] *(please, ?1)
  [german]  conc2(bitte, ?1)
  [tree]    S_1(?1)

NP! -> john
  [english] john
  [german]  hans
  [tree]    NP_1(john_0)

VP -> runs
  [english] runs
  [german]  'läuft'
  [tree]    'V P_0'
"""
