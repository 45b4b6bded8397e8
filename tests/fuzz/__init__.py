"""Parts of ``fuzzing.py``: random inputs of every kind, and what may not come of them.

::

    case        an input: files and command lines; a failure, as a file that can be replayed
    mutation    bytes, tokens and JSON, changed at random
    seeds       projects, datasets and corpora, made of what the repository has
    guard       one input, run in this process: what was said, how long it took, what is wrong
    fleet       many inputs on several processes, of which any may die
    targets     the seventeen kinds: each makes inputs from a random generator, and reads them
    heavy       the largest inputs of each kind that are accepted
"""
