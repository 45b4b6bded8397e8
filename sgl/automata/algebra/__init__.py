"""Tree automata over the derivations of one grammar, and the operations on them.

Textbook: Comon et al. (2007), *Tree Automata Techniques and Applications*, ch. 1.
"""
