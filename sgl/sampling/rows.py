"""Write rows of the data files, tab-separated, and read the tables of a standalone sampler."""

import json
import zlib
from base64 import b64decode
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sgl.core.extent import Extent
from sgl.core.graph import Gluer, GluingNode, GluingRule, moved
from sgl.core.spelling import Finish, places
from sgl.rendering.meaning import VIEWS
from sgl.sampling.acceptance import sample
from sgl.sampling.engine import PackedStratum, PackedText, PackedView, State, Tables, joined, words_of


def row_of(source: str, target: str, category: str) -> str:
    """Return a row with its line end; raises ``ValueError`` for a tab or line end in a field, as nothing is quoted."""
    row = f"{source}\t{target}\t{category}"
    if row.count("\t") != 2 or len(row.splitlines()) != 1:
        raise ValueError(f"a row of three fields cannot hold {row!r}")
    return row + "\n"


def writer_of(tables: Tables, output: PackedText | PackedView) -> Callable[[Sequence[int]], str]:
    """Return a function that writes derivations in a text layer or view."""
    if isinstance(output, PackedView):
        view, graph_of = VIEWS[output.kind], Gluer(output.rules, tables.arity, written=True)
        anchor = output.anchor
        if anchor is None:
            return lambda derivation: view.render(graph_of(tuple(derivation)))

        def written(derivation: Sequence[int]) -> str:
            at = places(anchor.finish, words_of(anchor, tables.arity, derivation))
            return view.render(moved(graph_of(tuple(derivation)), at))

        return written
    return lambda derivation: joined(output, words_of(output, tables.arity, derivation))


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
        targets=[_text(one) if len(one) == len(PackedText._fields) else _view(*one) for one in data.targets],
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


def _view(name: str, kind: str, rules: list[tuple[Any, ...]], anchor: tuple[Any, ...] | None) -> PackedView:
    given = [GluingRule(*rule) for rule in rules]
    glued = [rule._replace(nodes=tuple(GluingNode(*node) for node in rule.nodes)) for rule in given]
    return PackedView(name, kind, glued, None if anchor is None else _text(anchor))
