"""Combine tree automata over the derivations of one grammar.

Textbook: Comon et al. (2007), *Tree Automata Techniques and Applications*, ch. 1.
"""
