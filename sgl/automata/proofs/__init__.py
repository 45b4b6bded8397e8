"""Proofs about a plan: what holds, and a sentence where it does not.

Every claim is emptiness of an intersection of tree automata, decided by reachability.
"""
