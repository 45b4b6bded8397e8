"""Read the YAML files of a grammar that are mappings: relations between words, and weights.

::

    see:   {of: [animal, thing]}             a relation: the words or the kinds for a word

    rules:                                   weights, as `sglc fit` writes them
      VP[form=past]:
        transitive: {"V[form=past] NP": 0.25}    one expansion of a rule
"""

from collections.abc import Iterator, Sequence

from sgl.diagnostics import Diagnostics, SourceFile
from sgl.lang.syntax import Name
from sgl.lang.tables import KINDS, RelationRow, WeightRow
from sgl.lang.yaml_files import MalformedTable, YamlFile, YamlNode, read_rows, text_of

#: The sections of weights; single words have no parts.
_SECTIONS = ("rules", "words", "lexicons")
_WITHOUT_PARTS = "words"

#: The section of a weights file that records its provenance, which is ignored.
PROVENANCE = "fitted"


_SINGLE = "a relation is between single words"


def read_relation(source: SourceFile, diagnostics: Diagnostics) -> tuple[RelationRow, ...] | None:
    """Return the rows of a relation in a YAML file, in order; report errors and return None."""
    shape = "a relation has rows such as `drink: [milk, water]` or `see: {of: [animal]}`"
    return read_rows(source, _relation_rows, shape, lambda row: row.word.span, diagnostics)


def _relation_rows(file: YamlFile, root: YamlNode) -> Iterator[RelationRow]:
    if root.pairs is None and not root.is_empty:
        raise MalformedTable(root, "a relation is a mapping from words to words")
    for key, value in root.pairs or ():
        word, listed = Name(text_of(key, _SINGLE), file.line(key)), value
        if value.pairs is not None:
            (kind, listed), *more = list(value.pairs) or [(value, value)]
            if kind.text != KINDS:
                raise MalformedTable(value, f"the kinds of words are written after `{KINDS}:`")
            if more:
                raise MalformedTable(more[0][0], f"a row has nothing else next to `{KINDS}`")
        if listed.items is None and not listed.is_empty:
            raise MalformedTable(listed, "a word goes with a list of words")
        names = tuple(Name(text_of(item, _SINGLE), file.line(item)) for item in listed.items or ())
        yield RelationRow(word, *((names, ()) if value.pairs is None else ((), names)))


_NAME_OR_NUMBER = "a name or a number is needed here"


def read_weights(source: SourceFile, diagnostics: Diagnostics) -> tuple[WeightRow, ...] | None:
    """Return the weights in a YAML file, in order; report errors and return None."""
    shape = "a file of weights has rows such as `NP: {np: 2, np_pp: 1}` below `rules:`"
    return read_rows(source, _weight_rows, shape, lambda row: row.name.span, diagnostics)


def _weight_rows(file: YamlFile, root: YamlNode) -> Iterator[WeightRow]:
    sections = _named(file, root, "a file of weights is a mapping", (*_SECTIONS, PROVENANCE))
    for section, categories in ((name.text, node) for name, node in sections if name.text != PROVENANCE):
        for category, names in _named(file, categories, "a section is a mapping from categories"):
            below = f"below `{category}` are the names of what builds it"
            if names.pairs is None:
                raise MalformedTable(names, below)
            for name, value in _named(file, names, below):
                if value.pairs is not None and section == _WITHOUT_PARTS:
                    raise MalformedTable(value, "the weight of a word is a number")
                cells = [(None, value)] if value.pairs is None else _named(file, value, below)
                for part, cell in cells:
                    yield WeightRow(section, category, name, part, file.name(cell, _NAME_OR_NUMBER))


def _named(file: YamlFile, node: YamlNode, what: str, known: Sequence[str] = ()) -> Iterator[tuple[Name, YamlNode]]:
    """Yield the keys of a mapping with their values; each key must be unique, and one of ``known`` if given."""
    if node.pairs is None and not node.is_empty:
        raise MalformedTable(node, what)
    seen: set[str] = set()
    for key, value in node.pairs or ():
        name = file.name(key, _NAME_OR_NUMBER)
        if known and name.text not in known:
            sections = ", ".join(f"`{section}`" for section in _SECTIONS)
            raise MalformedTable(key, f"there is no section `{name}`; there are {sections}")
        if name.text in seen:
            raise MalformedTable(key, f"`{name}` occurs twice here")
        seen.add(name.text)
        yield name, value
