"""What compiled kernels share: how they are compiled, machine words, columns of text.

A kernel is a function over flat arrays that Numba compiles to machine code.  Kernels know
no grammar: the tables of a grammar are their arguments, so one compilation serves all
grammars and is kept on disk.  Each package has its kernels beside the plain Python code
that says what they compute, and tests hold the two together.

Importing a module with kernels imports Numba, which takes a third of a second; callers
import them where they are needed.
"""
