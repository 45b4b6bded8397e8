"""Structures as deterministic bottom-up automata over derivations.

A graph that a derivation glues together has bounded width, so that whether it contains a structure
can be told from the words upwards with finitely many states: Courcelle's theorem (Courcelle &
Engelfriet 2012, *Graph Structure and Monadic Second-Order Logic*, ch. 5).
"""
