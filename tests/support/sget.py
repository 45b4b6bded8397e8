"""The SGET grammar, compiled once, and its words by category: for the tests about it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from sgl.core.grammar import CoreGrammar, Rule, Slot
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.diagnostics.render import render
from sgl.frontend import Compiled, compile_project
from sgl.lang.project import load_project
from sgl.resources import grammars_dir

#: The published data and the facts about them; absent from most checkouts.
PUBLISHED = Path(__file__).parents[3] / "shared" / "data" / "sget"
needs_published_data = pytest.mark.skipif(
    not PUBLISHED.is_dir(), reason="the published data are not beside this checkout"
)

#: The category of each frame of the published verbs.
CATEGORY = {
    "intransitive": "Vi",
    "transitive": "Vt",
    "passive": "Vt",
    "ditrans_double": "Vd",
    "ditrans_to": "Vd",
    "passive_theme": "Vd",
    "passive_to": "Vd",
    "complement": "Vc",
    "infinitive": "Vx",
}


class Word(NamedTuple):
    """A lexical rule: ``Vt[form=past]``, find, *found*, を 見つけた."""

    category: str
    features: dict[str, str]
    attributes: dict[str, str]
    en: str
    ja: tuple[str, ...]

    @property
    def lemma(self) -> str:
        """The lemma of its node."""
        return self.attributes["lemma"]


@cache
def sget(**settings: str) -> Compiled:
    """The grammar of SGET, with these settings of its parameters."""
    return compile_file(grammars_dir() / "sget.sgl", settings)


def compile_file(path: Path, settings: Mapping[str, str] | None = None) -> Compiled:
    """A grammar; fails when compiling it reports anything at all."""
    sources, diagnostics = SourceMap(), Diagnostics()
    project = load_project(path, sources, diagnostics)
    compiled = compile_project(project, settings or {}, diagnostics) if project is not None else None
    reports = [render(found, sources) for found in diagnostics]
    assert not reports, "\n".join(reports)
    assert compiled is not None
    return compiled


@cache
def words(**settings: str) -> tuple[Word, ...]:
    """All words of the grammar, with these settings of its parameters."""
    grammar = sget(**settings).grammar
    return tuple(_word(grammar, rule) for rule in grammar.rules if rule.lexical)


def words_of(category: str, **features: str) -> Iterator[Word]:
    """The words of a category that have these values of features."""
    for word in words():
        if word.category == category and features.items() <= word.features.items():
            yield word


def _word(grammar: CoreGrammar, rule: Rule) -> Word:
    name = grammar.categories[rule.lhs].name
    category, _, rest = name.partition("[")
    (attributes,) = [node.attributes for node in rule.fragments[0].nodes]
    en, ja = (tuple(item.text for item in template if not isinstance(item, Slot)) for template in rule.templates)
    return Word(category, dict(re.findall(r"(\w+)=(\w+)", rest)), dict(attributes or ()), " ".join(en), ja)
