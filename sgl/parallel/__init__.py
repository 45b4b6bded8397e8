"""Divide work among processes or the workers of a cluster, so that it can be resumed.

A *task* is a pure function of the grammar, the seed and a range of numbers, so it does not
matter who does it, when, or how often.  In reading order::

    executor    run tasks: here, on processes of this machine, or on a cluster
    processes   workers that are processes of this machine
    cluster     workers of a Dask cluster
    lock        one process at a time works in a folder
    run         the folder of an unfinished run, with the results of its finished tasks
    sentences   the tasks of a sample: survey candidates, encode accepted ones
    sample      sample sentences into one file
    dataset     the tasks of a dataset: make its chunks

The modules that start nothing import nothing heavy; Numba and Arrow are loaded by tasks.
"""
