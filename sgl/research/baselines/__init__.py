"""Train small models on a dataset and let them predict; `sglc baseline`.

================  ==============================================================
``config``        settings and presets           (needs no library of the extra)
``data``          the rows that are learnt, in which order, and those predicted
``vocabulary``    texts as words, words as tokens, and back
``learner``       a network with its rows: padding, decoding in batches; a seq2seq model
``networks``      an LSTM with attention, a Transformer; greedy decoding
``causal``        a language model as a learner, by low-rank adaptation
``training``      steps, choice by dev
``directory``     the files of a run, its lock, and where it stands
``job``           all of it
================  ==============================================================
"""
