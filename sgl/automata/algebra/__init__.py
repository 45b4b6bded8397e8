"""Tree automata over the derivations of one grammar, and the operations on them.

::

    tree_automaton  states and transitions as columns
    minimization    trim, merge equivalent states, number them canonically
    boolean         complement and intersection
    witness         the smallest derivation that is accepted

Textbook: Comon et al. (2007), *Tree Automata Techniques and Applications*, ch. 1.
"""
