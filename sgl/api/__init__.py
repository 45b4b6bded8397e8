"""What ``import sgl`` offers: the interface that stays as it is from one minor version to the next.

It is a face of the same functions that the commands call.  What it returns has a short ``repr``, a
longer ``str``, and a picture or table for notebooks.
"""
