"""Proofs about a plan: what holds, and a sentence where it does not.

::

    compiler     structures and constraints to automata; why a constraint has no text
    invariant    check a finished split against an automaton, state by state; for people to read
    evidence     what the claims about a plan are decided from; can training contain a structure?
    licensing    does training contain every piece of what is held out?
    inventory    does training contain the words, forms and rules of the items?
    claims       what is claimed, as values with verdicts
    findings     what is worth knowing beside the claims: overlaps, sizes, unused rules
    prove        decide every claim

Every claim is emptiness of an intersection of tree automata, decided by reachability.
"""
