"""The second room: what an author abbreviates is written out.

Parameters of structures and quotas, ranges, blocks of forms, cases of rules, columns of tables: all become syntax that
an author could have written, at the places where it was.
"""
