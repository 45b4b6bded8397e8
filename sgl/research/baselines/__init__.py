"""Train small models on a dataset and let them predict; `sglc baseline`.

================  ==============================================================
``config``        settings and presets           (needs no library of the extra)
``data``          texts as words, words as tokens; the rows that are learnt and predicted
``learner``       a network with its rows: a seq2seq model, or a language model that is tuned
``networks``      an LSTM with attention, a Transformer; greedy decoding
``training``      steps, choice by dev, checkpoints
``job``           all of it, in the directory of a run
================  ==============================================================
"""
