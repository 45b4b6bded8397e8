"""Structures as deterministic bottom-up automata over derivations.

::

    structure ──> schema, predicates, label tests      schema
    rule      ──> symbol, as the schema sees it        symbols
    partial matches, joined and grown by edges         matches
    what is forgotten with the nodes of a rule         scene
    what a rule makes of the matches of its children   structure_automaton

A graph that a derivation glues together has bounded width, so that whether it contains a
structure can be told from the words upwards with finitely many states: Courcelle's theorem
(Courcelle & Engelfriet 2012, *Graph Structure and Monadic Second-Order Logic*, ch. 5).
"""
