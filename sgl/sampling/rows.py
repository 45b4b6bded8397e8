"""Write rows of the data files, tab-separated, and read the tables of a standalone sampler."""

import json
import zlib
from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sgl.core.extent import Extent
from sgl.core.graph import CUT, Gluer, GluingNode, GluingRule, Graph, moved
from sgl.core.spelling import Finish, places, remaining
from sgl.rendering.meaning import TEMPLATES, VIEWS
from sgl.sampling.acceptance import sample
from sgl.sampling.engine import PackedStratum, PackedText, PackedView, State, Tables, joined, words_of


def row_of(source: str, target: str, category: str) -> str:
    """Return a row with its line end; raises ``ValueError`` for a tab or line end in a field, as nothing is quoted."""
    row = f"{source}\t{target}\t{category}"
    if row.count("\t") != 2 or len(row.splitlines()) != 1:
        raise ValueError(f"a row of three fields cannot hold {row!r}")
    return row + "\n"


def writer_of(tables: Tables, output: PackedText | PackedView) -> Callable[[Sequence[int]], str]:
    """Return a function that writes derivations in a text layer, a view or a column."""
    if not isinstance(output, PackedView):
        return lambda derivation: joined(output, words_of(output, tables.arity, derivation))
    if output.inputs:
        compute = TEMPLATES[output.kind](output.template, [own.name for own in output.inputs])
        read = {own.name: _value_of(tables, own) for own in output.inputs}
        return lambda derivation: compute({name: value(derivation) for name, value in read.items()})
    graph_of, anchor = _graph_of(tables, output), output.anchor
    if output.template and anchor is not None:
        own, text = TEMPLATES[output.kind](output.template), anchor
        return lambda derivation: own(graph_of(derivation), _tokens(tables, text, derivation))
    view = VIEWS[output.kind]
    return lambda derivation: view.render(graph_of(derivation))


def _value_of(tables: Tables, layer: PackedText | PackedView) -> Callable[[Sequence[int]], Graph | str]:
    return _graph_of(tables, layer) if isinstance(layer, PackedView) else writer_of(tables, layer)


def _graph_of(tables: Tables, view: PackedView) -> Callable[[Sequence[int]], Graph]:
    """Return a function from derivations to graphs over the words as they are written."""
    graph_of, anchor = Gluer(view.rules, tables.arity, written=view.written), view.anchor
    if anchor is None:
        return lambda derivation: graph_of(tuple(derivation))

    def written(derivation: Sequence[int]) -> Graph:
        words = words_of(anchor, tables.arity, derivation)
        found, cuts = places(anchor.finish, words), [at for at, word in enumerate(words) if word == CUT]
        at = [n - sum(cut < n for cut in cuts) * (n >= 0) for old, n in enumerate(found) if old not in cuts]
        return moved(graph_of(tuple(derivation)), at)

    return written


def _tokens(tables: Tables, text: PackedText, derivation: Sequence[int]) -> list[str]:
    """Return the words of a text as they are written."""
    return [word for word in remaining(text.finish, words_of(text, tables.arity, derivation)) if word != CUT]


def reseeded(tables: Tables, seed: int) -> Tables:
    """Return the tables with another seed; its ambiguous candidates are unknown, so none is rejected."""
    if seed == tables.seed:
        return tables
    strata = [stratum._replace(ambiguous=frozenset()) for stratum in tables.strata]
    return tables._replace(seed=seed, strata=strata)


def file_name(tables: Tables, target: int, split: str) -> str:
    """Return the file of a split with one target: ``train.tsv``; all targets but the first have a folder each."""
    return f"{tables.targets[target].name}/{split}.tsv" if target else f"{split}.tsv"


def rows(tables: Tables) -> Iterator[tuple[str, list[str]]]:
    """Yield all items in the order of sampling: the split and a row for each target."""
    source_of, *target_writers = [writer_of(tables, o) for o in (tables.source, *tables.targets)]
    for part in sample(tables):
        stratum = part.stratum
        for item in part.items:
            source = source_of(item.derivation)
            texts = [text_of(item.derivation) for text_of in target_writers]
            yield stratum.split, [row_of(source, text, stratum.category) for text in texts]


def deserialize(text: str) -> Tables:
    """Return the tables that :func:`sgl.sampling.tables.serialize` wrote as text."""
    data: Any = Tables(*_frozen(json.loads(zlib.decompress(b64decode(text)))))
    several = {name: [*getattr(data, name)] for name in ("arity", "words", "lemmas")}
    tables: Tables = data._replace(
        states=[State(*map(list, state)) for state in data.states],
        strata=[_stratum(*stratum) for stratum in data.strata],
        source=_text(data.source),
        targets=[_output(one) for one in data.targets],
        **several,
    )
    return tables


def _frozen(value: Any) -> Any:  # noqa: ANN401 - JSON
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _stratum(*fields: Any) -> PackedStratum:  # noqa: ANN401 - JSON
    own = PackedStratum(*fields)
    values: Any = own.extent
    extent = Extent(*values)
    return own._replace(extent=extent, ambiguous=frozenset(own.ambiguous), found=frozenset(own.found))


def _text(fields: tuple[Any, ...]) -> PackedText:
    name, join, attach, templates, finish = fields
    return PackedText(name, join, frozenset(attach), [*templates], None if finish is None else Finish(*finish))


def _output(fields: tuple[Any, ...]) -> PackedText | PackedView:
    if len(fields) == len(PackedText._fields):
        return _text(fields)
    view = PackedView(*fields)
    given = [GluingRule(*rule) for rule in view.rules]
    glued = [rule._replace(nodes=tuple(GluingNode(*node) for node in rule.nodes)) for rule in given]
    own: Any = view.anchor
    inputs = tuple(_output(one) for one in view.inputs)
    return view._replace(rules=glued, anchor=None if own is None else _text(own), inputs=inputs)
