"""Warn about things that a grammar may say but probably does not mean.

Every module of this package is a family of lints, which register themselves (:mod:`sgl.lint.registry`).  To add one,
put its module here, and add the page of its code and an example in ``tests/golden/lint.md``.
"""

from importlib import import_module
from pkgutil import iter_modules

from sgl.lint.registry import DATASET_LINTS, GRAMMAR_LINTS, Finding, Subject, opinions

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

__all__ = ["DATASET_LINTS", "GRAMMAR_LINTS", "Finding", "Subject", "opinions"]
