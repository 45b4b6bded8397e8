"""From a file to a verified dataset: the stages in order, for the command line.

::

    grammar.open_grammar        read and compile                    -> Compiled
    sentences.check_examples    the sentences the author wrote
    proofs.establish            prove the claims of all patterns    -> Proofs
    production.produce          sample, write, verify, report       -> ProducedDataset
"""
