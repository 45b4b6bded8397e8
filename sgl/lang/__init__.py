"""The language: reading ``.sgl`` files into syntax trees with places.

Nothing here knows what a category or a layer means; that begins in
:mod:`sgl.frontend`.
"""
