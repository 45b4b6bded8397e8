"""From a file to a verified dataset, for the command line.

The stages are ``grammar.open_grammar``, ``writable.check_unproved``, ``proofs.establish`` and
``production.produce``, in this order.
"""
