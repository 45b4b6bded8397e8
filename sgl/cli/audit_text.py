"""What ``sglc audit`` says, as ``audit.j2`` puts it; a warning of what training lacks."""

from collections.abc import Sequence
from pathlib import Path

from sgl.cli.session import Session
from sgl.cli.terminal import cell, count, text_table
from sgl.corpus.audit import Audit
from sgl.corpus.audit.result import OTHER_PAIRS
from sgl.corpus.audit.sets import new_words

#: Characters of a structure in a warning.
_LONGEST = 120


def warn_of_missing_needs(session: Session, audit: Audit) -> None:
    """Report what patterns need and training does not have."""
    missing = [entry for entry, rows in audit.needs() if not rows]
    if not missing:
        return
    rows = count(audit.training.rows, "row")
    message = f"training lacks {count(len(missing), 'part')} that patterns need"
    notes = [
        *(f"{entry.name}: {_cut(str(entry.structure))}" for entry in missing),
        f"training: {rows} of {audit.files[0].name}, the first file, that are no items",
    ]
    session.diagnostics.warning("SGL1106", None, message, notes=notes)
    session.show()


def show_audit(session: Session, audit: Audit) -> None:
    """Show coverage, duplicates, structures, differences, and the first rows of each sort."""
    names = [file.name for file in audit.files]
    short = [Path(name).name for name in names]
    # Short names have to tell the files apart.
    declared = {entry.name for entry in audit.declared}
    shown = short if len(set(short)) == len(short) else names

    def table(titles: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]], right: Sequence[str]) -> None:
        # Names of the grammar are shown whole, what is of somebody else may be cut.
        cells = [[text if text in declared else cell(text) for text in row] for _, row in rows]
        session.table(text_table(titles, cells, right, styles=[style for style, _ in rows]))

    session.present(
        "audit.j2",
        audit=audit,
        names=shown,
        short=dict(zip(names, shown, strict=True)),
        new_words=list(zip(audit.sets, new_words(audit.sets), strict=True)),
        shared_sets=sorted(audit.shared_sets, key=lambda pair: -max(pair.rows, pair.framed)),
        pairs_of=lambda cause: [pair for pair, _ in cause.pairs.most_common() if pair != OTHER_PAIRS],
        table=table,
    )


def _cut(structure: str) -> str:
    return structure if len(structure) <= _LONGEST else f"{structure[: _LONGEST - 1]}…"
