"""Compile structures into deterministic bottom-up automata over derivations.

A graph that a derivation glues together has bounded width, so finitely many states suffice to decide, from the words
upwards, whether it contains a structure: Courcelle's theorem (Courcelle & Engelfriet 2012, *Graph Structure and Monadic
Second-Order Logic*, ch. 5).
"""
