"""Docstrings for the site, as Markdown: an extension of mkdocstrings, named in ``mkdocs.yml``.

What is left of reStructuredText in them would be shown as it stands::

    a :class:`Parser` has these::     a `Parser` has these:
"""

from __future__ import annotations

import re

import griffe

_ROLE = re.compile(r":(?:attr|class|data|exc|func|meth|mod):`~?([^`]+)`")


class MarkdownDocstrings(griffe.Extension):
    """Writes roles as code, and two colons before an example as one."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        """Change the docstring of an object that was read."""
        if obj.docstring:
            obj.docstring.value = re.sub(r"::$", ":", _ROLE.sub(r"`\1`", obj.docstring.value), flags=re.MULTILINE)
