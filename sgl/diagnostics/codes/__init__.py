"""The pages of all diagnostic codes, one module for each topic.

::

    files      SGL00xx    reading files          patterns    SGL08xx    patterns and the dataset
    syntax     SGL01xx    what cannot be read    output      SGL09xx    the run as a whole
    names      SGL02xx    names and parameters   corpora     SGL11xx    sentences and corpora
    rules      SGL03xx    rules and layers       exchange    SGL12xx    other formats
    features   SGL04xx    features               splits      SGL13xx    splits by divergence
    graphs     SGL05xx    nodes, edges, ports    evaluation  SGL14xx    scores of predictions
    lexicons   SGL06xx    tables and morphology  analysis    SGL15xx    trees of treebanks
    weights    SGL07xx    weights and recursion  baselines   SGL16xx    models that are trained

A code is never given a second meaning, and the number of a code that is no
longer used stays free.
"""
