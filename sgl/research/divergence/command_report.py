"""``sglc split --report``: the divergences of a split that is there already.

::

    train → test    5,000 items  D_A 0.0021  D_C 0.0093    1.2 % unseen
    train → gen    76,000 items  D_A 0.1604  D_C 0.2291   11.0 % unseen
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from sgl.cli.common import print_table
from sgl.cli.main import OK, USAGE
from sgl.research.divergence import Material, SplitDivergence, Wanted, measure
from sgl.research.divergence.certificate import elements_data
from sgl.research.divergence.sources import DERIVATION

#: A rule of which features make several: ``clause#2``.
_NUMBERED = re.compile(r"#[0-9]")

Row = tuple[str, int, SplitDivergence]


def report_splits(material: Material, wanted: Wanted, categories: bool, as_json: bool) -> int:
    """Measure each file against the first, and show the figures."""
    if len(material.parts) < 2:
        click.echo("error: a report needs training and something to compare with it", err=True)
        return USAGE
    rows = list(_rows(material, categories))
    if as_json:
        click.echo(json.dumps(_data(material, wanted, rows), ensure_ascii=False, indent=1))
    else:
        _show(material, wanted, rows)
    return OK


def _rows(material: Material, categories: bool) -> Iterator[Row]:
    """What is measured: each later file, and if wanted each of its categories."""
    train = material.mask(material.parts[0])
    for part in material.parts[1:]:
        yield part.name, len(part.ids), measure(material.elements, train, material.mask(part))
        named = sorted(set(part.categories)) if categories else []
        for category in named if len(named) > 1 else ():
            chosen: NDArray[np.bool_] = material.mask(part, category)
            name = f"{part.name}: {category or 'none'}"
            yield name, int(chosen.sum()), measure(material.elements, train, chosen)


def _show(material: Material, wanted: Wanted, rows: list[Row]) -> None:
    from rich.markup import escape
    from rich.table import Table

    train = material.parts[0]
    table = Table(box=None, pad_edge=False)
    table.add_column(escape(f"{train.name} →"))
    for heading in ("items", "D_A", "D_C", "compounds", "unseen", "of occurrences"):
        table.add_column(heading, justify="right")
    table.add_column("most frequent unseen")
    for name, items, found in rows:
        table.add_row(
            escape(name),
            f"{items:,}",
            f"{found.atoms:.4f}",
            f"{found.compounds:.4f}",
            f"{found.kinds:,}",
            f"{found.unseen:,}",
            f"{100 * found.unseen_share:.1f} %",
            escape(", ".join(found.examples[:2])),
        )
    print_table(table)
    elements = material.elements
    weighted = ", weighted" if wanted.weighted else ""
    click.echo(
        f"{wanted.view}: {len(elements.atoms.names):,} atoms, "
        f"{len(elements.compounds.names):,} compounds of up to {wanted.size} nodes{weighted}; "
        f"{len(train.ids):,} items in {train.name}"
    )
    shown = " ".join(example for _, _, found in rows for example in found.examples[:2])
    if wanted.view == DERIVATION and _NUMBERED.search(shown):
        click.echo(
            "#1, #2, …: rules of one name and category that differ in the features of their "
            "children, in the order of the grammar"
        )


def _data(material: Material, wanted: Wanted, rows: list[Row]) -> dict[str, Any]:
    """What ``--json`` writes."""
    return {
        "elements": elements_data(material, wanted),
        "train": {"name": material.parts[0].name, "items": len(material.parts[0].ids)},
        "measured": [
            {
                "name": name,
                "items": items,
                "atoms": found.atoms,
                "compounds": found.compounds,
                "kinds": found.kinds,
                "unseen": found.unseen,
                "unseen_share": found.unseen_share,
                "unseen_atoms": found.unseen_atoms,
                "examples": list(found.examples),
            }
            for name, items, found in rows
        ],
    }
