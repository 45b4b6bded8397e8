"""The first room: what there is, and what names mean.

Parameters get their values, which says what is in force; then names get their meaning, file by file.  The signature
has the layers, features and categories that everything else is held against.
"""
