"""The pages of all diagnostic codes, one module for each topic.

::

    files      SGL00xx    reading files          graphs    SGL05xx    nodes, edges, ports
    syntax     SGL01xx    what cannot be read    lexicons  SGL06xx    tables and morphology
    names      SGL02xx    names and parameters   weights   SGL07xx    weights and recursion
    rules      SGL03xx    rules and layers       patterns  SGL08xx    patterns and the dataset
    features   SGL04xx    features               output    SGL09xx    the run as a whole
                                                 corpora   SGL11xx    sentences and corpora
                                                 exchange  SGL12xx    other formats
                                                 splits    SGL15xx    splits by divergence
                                                 baselines SGL16xx    models that are trained

A code is never given a second meaning, and the number of a code that is no
longer used stays free.
"""
