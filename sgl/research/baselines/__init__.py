"""Train small models on a dataset and let them predict; `sglc baseline`.

================  ==============================================================
``config``        settings and presets           (needs no library of the extra)
``data``          the rows that are learnt and predicted              (the same)
``words``         texts as words, and back                            (the same)
``vocabulary``    words as tokens
``model``         what models have in common; greedy decoding
``transformer``   a Transformer
``lstm``          an LSTM with attention
``seq2seq``       either of them as something that learns and translates
``causal``        a language model as such, by low-rank adaptation
``order``         in which order rows are learnt
``training``      steps, choice by dev
``checkpoint``    where a run stands
``directory``     the files of a run
``job``           all of it
================  ==============================================================
"""
