"""Write tables as text and read them back: the standalone sampler carries them so.

The text is Base64 of a zlib stream of JSON, in which tuples and sets are lists.
"""

import json
import zlib
from base64 import b64decode, b64encode
from typing import Any

from sgl.core.graph import GluingNode, GluingRule
from sgl.core.spelling import Finish
from sgl.sampling.engine import PackedStratum, PackedText, PackedView, State, Tables


def serialize(tables: Tables) -> str:
    """Return tables as text."""
    text = json.dumps(tables, ensure_ascii=False, separators=(",", ":"), default=sorted)
    return b64encode(zlib.compress(text.encode(), 9)).decode("ascii")


def deserialize(text: str) -> Tables:
    """Return the tables that were written as a text."""
    data: dict[str, Any] = Tables(*json.loads(zlib.decompress(b64decode(text))))._asdict()
    strata = [s._replace(found=frozenset(s.found)) for s in (PackedStratum(*stratum) for stratum in data["strata"])]
    data["states"] = [State(bounds, rules, _tuples(c)) for bounds, rules, c in data["states"]]
    data["strata"] = [s._replace(targets=tuple(s.targets), ambiguous=frozenset(s.ambiguous)) for s in strata]
    data["words"], data["lemmas"] = _tuples(data["words"]), _tuples(data["lemmas"])
    data["source"] = _text(*data["source"])
    data["targets"] = [
        _text(*target) if len(target) == len(PackedText._fields) else _view(*target) for target in data["targets"]
    ]
    return Tables(**data)


def _tuples(rows: list[Any]) -> list[Any]:
    return [tuple(row) for row in rows]


def _text(
    name: str, join: str, attach: list[str], templates: list[list[str | int]], finish: list[Any] | None
) -> PackedText:
    own = None if finish is None else Finish(*map(_frozen, finish))
    return PackedText(name, join, frozenset(attach), _tuples(templates), own)


def _frozen(value: Any) -> Any:  # noqa: ANN401 - JSON
    return tuple(map(_frozen, value)) if isinstance(value, list) else value


def _view(name: str, kind: str, rules: list[list[Any]], anchor: list[Any] | None) -> PackedView:
    below = None if anchor is None else _text(*anchor)
    return PackedView(name, kind, [_gluing(*rule) for rule in rules], below)


def _gluing(items: list[int], nodes: list[Any], edges: list[Any], exports: list[int], last: list[Any]) -> GluingRule:
    return GluingRule(
        items=tuple(items),
        nodes=tuple(
            GluingNode(None if attributes is None else tuple(_tuples(attributes)), token, tuple(_tuples(glued)))
            for attributes, token, glued in nodes
        ),
        edges=tuple(_tuples(edges)),
        exports=tuple(exports),
        last=tuple(_tuples(last)),
    )
