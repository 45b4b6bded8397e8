"""Prove the claims of a plan, or find a sentence that refutes them.

Every claim is the emptiness of an intersection of tree automata, decided by reachability.
"""
