"""Probabilities, sizes and counts of the derivations that an automaton accepts.

::

    automaton ──> W = F(W)                      inside      probability of each state
                  grammar of the split          split       conditioned on the constraint
                  M = expected children         moments     does sampling end? how long?
                  c(q, n), heights              counting    how many derivations?
                  least edit                    nearest     which one is nearest to another?

Weighted grammars: Goodman (1999), *Semiring Parsing*; Booth & Thompson (1973) for moments;
Etessami & Yannakakis (2009) for the least solution of the equations.
"""
