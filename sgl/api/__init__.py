"""The interface of ``import sgl``, which stays compatible between minor versions.

It calls the same functions as the commands.  Its results have a short ``repr``, a longer ``str``, and a picture or
table for notebooks.
"""
