"""Show the divergences of a split that is there already: ``sglc split --report``.

::

    train → test    5,000 items  D_A 0.0021  D_C 0.0093    1.2 % unseen
    train → gen    76,000 items  D_A 0.1604  D_C 0.2291   11.0 % unseen
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict

from sgl.cli.session import Session
from sgl.core.divergence import SplitDivergence
from sgl.research.divergence.certificate import elements_data
from sgl.research.divergence.elements import measure
from sgl.research.divergence.sources import DERIVATION, ElementSettings, ItemSet

#: A rule of which features make several: ``clause#2``.
_NUMBERED = re.compile(r"#[0-9]")

#: A name, a number of items, and how they differ from training.
Row = tuple[str, int, SplitDivergence]


def show_divergences(
    session: Session,
    items: ItemSet,
    settings: ElementSettings,
    categories: bool,
    as_json: bool,
) -> None:
    """Measure each file against the first, and show the figures."""
    if len(items.files) < 2:
        session.refuse("a report needs training and something to compare with it")
    rows = list(_rows(items, categories))
    if not as_json:
        _show(session, items, settings, rows)
        return
    session.json(
        {
            "elements": elements_data(items, settings),
            "train": {"name": items.files[0].name, "items": len(items.files[0].ids)},
            "measured": [
                {"name": name, "items": number, **asdict(found)} for name, number, found in rows
            ],
        }
    )


def _rows(items: ItemSet, categories: bool) -> Iterator[Row]:
    """Yield what is measured: each later file, and if wanted each of its categories."""
    train = items.mask(items.files[0])
    for file in items.files[1:]:
        yield file.name, len(file.ids), measure(items.elements, train, items.mask(file))
        named = sorted(set(file.categories)) if categories else []
        for category in named if len(named) > 1 else ():
            chosen = items.mask(file, category)
            name = f"{file.name}: {category or 'none'}"
            yield name, int(chosen.sum()), measure(items.elements, train, chosen)


def _show(session: Session, items: ItemSet, settings: ElementSettings, rows: list[Row]) -> None:
    from rich.markup import escape
    from rich.table import Table

    train = items.files[0]
    table = Table(box=None, pad_edge=False)
    table.add_column(escape(f"{train.name} →"))
    for heading in ("items", "D_A", "D_C", "compounds", "unseen", "of occurrences"):
        table.add_column(heading, justify="right")
    table.add_column("most frequent unseen")
    for name, number, found in rows:
        table.add_row(
            escape(name),
            f"{number:,}",
            f"{found.atoms:.4f}",
            f"{found.compounds:.4f}",
            f"{found.kinds:,}",
            f"{found.unseen:,}",
            f"{100 * found.unseen_share:.1f} %",
            escape(", ".join(found.examples[:2])),
        )
    session.table(table)
    elements = items.elements
    weighted = ", weighted" if settings.weighted else ""
    session.echo(
        f"{settings.view}: {len(elements.atoms.names):,} atoms, "
        f"{len(elements.compounds.names):,} compounds of up to {settings.size} nodes{weighted}; "
        f"{len(train.ids):,} items in {train.name}"
    )
    shown = " ".join(example for _, _, found in rows for example in found.examples[:2])
    if settings.view == DERIVATION and _NUMBERED.search(shown):
        session.echo(
            "#1, #2, …: rules of one name and category that differ in the features of their "
            "children, in the order of the grammar"
        )
