"""Mutants of a grammar: small changes to its text, and what becomes of its guarantees.

::

    source    the files of a project, cut into declarations and clauses
    patterns  changes to what patterns say
    rules     changes to rules, words, tables and the dataset
    leaks     for each pattern of SGET a rule that leaks what it holds out
    compared  what the training of a mutant shows of what the original tests
    claims    does a mutant's data keep what the original claims?
    data      a small dataset of a mutant, and what the verifier says of it
    harmless  in what a mutant differs that breaks no claim
    judge     all of it for one mutant: who catches it, or why it is harmless
"""
