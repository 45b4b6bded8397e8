"""Work in shards: pure tasks on workers, a journal of what is finished, files put together.

A *shard* is a piece of the result that depends on the grammar, the seed and a range of
numbers alone, so it does not matter who makes it, when, or how often::

    executor    runs tasks: here, on processes of this machine, or on a cluster
    journal     what is finished, so that an interrupted run can be resumed
    sentences   the tasks of a sample: survey candidates, encode accepted ones
    export      draw, encode and put together one file
    parquet     row groups that were written apart become one file

The modules that start nothing import nothing heavy; Numba and Arrow are loaded by tasks.
"""
