"""From a file to a verified dataset: the stages in order, for the command line.

::

    session.open_grammar      read and compile                   -> Compiled
    examples.check_examples   the sentences the author wrote
    claims.establish          prove the claims of all patterns   -> Proofs
    produce.produce           draw, write, verify, report        -> Outcome
"""
