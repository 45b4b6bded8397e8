"""Commands on corpora: ``sglc audit`` compares them with a grammar, ``sglc fit`` estimates weights from them."""

import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from math import exp
from pathlib import Path
from typing import Any, NoReturn

import click

from sgl.cli.arguments import layer_option, listed, text_layers
from sgl.cli.files import FILE, PAGE, ROWS, WEIGHTS, force_option, json_file_option
from sgl.cli.options import named_values
from sgl.cli.parse import differences, normalise_option
from sgl.cli.session import Session, grammar_argument, grammar_options
from sgl.cli.terminal import bar, cell, count, json_text, text_table
from sgl.corpus import audit as judged
from sgl.corpus import fit as fitting
from sgl.corpus import normalizer_of
from sgl.corpus.rows import ListedRow
from sgl.dataset import fingerprint, plain
from sgl.frontend import Compiled, named_structures
from sgl.parsing import Parser
from sgl.pipeline.expectations import SplitSelection
from sgl.rendering import outputs
from sgl.report import render_audit

#: The name of a column that is ignored.
_IGNORED = "-"

#: Maximum length of a structure in a warning.
_SHOWN = 120

#: The fields of a declared structure in `--json`.
_DECLARED = ("name", "pattern", "role", "held_out", "structure")

_DEFAULTS = fitting.Options()

_corpora_argument = click.argument("corpora", nargs=-1, required=True, type=FILE)

_columns_option = click.option(
    "--columns",
    metavar="NAMES",
    help="The columns of the files: layers, views, or - to ignore one.  [default: source and target]",
)


@click.command("audit")
@grammar_argument
@_corpora_argument
@layer_option
@click.option("--target", metavar="NAMES", help="The layers or views to compare.  [default: the target]")
@_columns_option
@click.option("--patterns", is_flag=True, help="Find all declared structures; compare sets.")
@click.option(
    "--items",
    multiple=True,
    metavar="KIND=PATTERN",
    callback=named_values,
    help="Assign a kind of rows, or a file, to a pattern of another name (repeatable).",
)
@click.option("--same", multiple=True, metavar="A=B", callback=named_values, help="Take word A for B (repeatable).")
@normalise_option
@json_file_option
@click.option("--html", "html_file", type=PAGE, help="Write an HTML page.")
@click.option("--rows", "rows_file", type=ROWS, help="Write every row that the leak report counts, as TSV.")
@force_option
@grammar_options
def audit(
    session: Session,
    grammar: Path,
    corpora: tuple[Path, ...],
    source: str | None,
    target: str | None,
    columns: str | None,
    patterns: bool,
    items: Mapping[str, str],
    same: Mapping[str, str],
    normalise: str,
    json_file: Path | None,
    html_file: Path | None,
    rows_file: Path | None,
) -> None:
    """Audit the files CORPORA with GRAMMAR: coverage, exactness, ambiguity, structures.

    A corpus has a sentence on each line, its translation after a tab, and optionally, after another tab, a kind by
    which rows are counted.  Kinds and files with the name or title of a pattern contain generalization items; all
    other rows of the first file are training.
    """
    started = time.monotonic()
    compiled = session.open(grammar)
    core, plan = compiled.grammar, compiled.plan
    declared = judged.declared_structures(plan.patterns, named_structures(compiled)) if patterns else ()
    session.check_names(items.values(), [pattern.name for pattern in plan.patterns], "pattern")
    given, compared = _compared(session, compiled, source, target, columns)
    allowed = differences(session, normalise)
    layer, asked = core.text_layer(compared[0]), plan if declared else None
    collector = judged.SetCollector(core, layer, asked, declared, items, same)
    auditor = judged.Auditor(core, given, compared, allowed, declared, collector)
    found = auditor.run(corpora, _file_bar(session))
    _warn_of_missing_needs(session, found)
    data = {
        "grammar": compiled.project.name,
        "parameters": dict(sorted(compiled.parameters.items())),
        **judged.audit_data(found),
        "declared": [{name: plain(getattr(entry, name)) for name in _DECLARED} for entry in declared],
    }
    _show_audit(session, data)
    seconds = time.monotonic() - started
    session.echo(f"\n{count(data['rows'], 'row')} in {seconds:.1f} s")
    if json_file is not None:
        session.write(json_file, json_text(data))
    if html_file is not None:
        title = compiled.project.title or compiled.project.name
        session.write(html_file, render_audit(data, title))
    if rows_file is not None:
        rows = ((key, str(corpora[file]), str(line), *texts) for key, file, line, *texts in found.leaks.rows())
        head = "leak\tfile\tline\tkind\tdetail\tsentence\n"
        session.write(rows_file, head + "".join("\t".join(row) + "\n" for row in rows))
    _report_unreadable(session, data["unreadable"], found.unreadable)


def _warn_of_missing_needs(session: Session, audit: judged.Audit) -> None:
    """Report the parts that patterns need but training lacks."""
    missing = [entry for entry, rows in audit.needs() if not rows]
    if not missing:
        return
    rows = count(audit.training["rows", ""], "row")
    message = f"training lacks {count(len(missing), 'part')} that patterns need"
    structures = ((entry.name, str(entry.structure)) for entry in missing)
    notes = [f"{name}: {text if len(text) <= _SHOWN else text[: _SHOWN - 1] + '…'}" for name, text in structures]
    notes.append(f"training: {rows} of {audit.files[0].name}, the first file, not counting items")
    session.diagnostics.warning("SGL1106", None, message, notes=notes)
    session.show()


def _show_audit(session: Session, data: Mapping[str, Any]) -> None:
    """Show coverage, duplicates, structures, differences, and the first rows of each kind."""
    names = [file["file"] for file in data["files"]]
    short = [Path(name).name for name in names]
    # Short names must distinguish the files.
    declared = {entry["name"] for entry in data["declared"]}
    shown = short if len(set(short)) == len(short) else names

    def table(titles: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]], right: Sequence[str]) -> None:
        # Show names of the grammar in full; the corpus's own texts may be cut.
        cells = [[text if text in declared else cell(text) for text in row] for _, row in rows]
        session.table(text_table(titles, cells, right, styles=[style for style, _ in rows]))

    session.present("audit.j2", data=data, names=shown, short=dict(zip(names, shown, strict=True)), table=table)


@click.command("fit")
@grammar_argument
@_corpora_argument
@layer_option
@_columns_option
@click.option("--only", metavar="KIND", multiple=True, help="Use only rows of this kind (repeatable).")
@click.option(
    "--given", metavar="SPLIT", help="The split from which the rows were sampled; corrects for what it leaves out."
)
@normalise_option
@click.option(
    "--smoothing",
    type=click.FloatRange(0, 1e6, min_open=True),
    default=_DEFAULTS.smoothing,
    help="Average pseudo-count per rule of a category.",
)
@click.option(
    "--prior",
    type=click.Choice(fitting.PRIORS),
    default=_DEFAULTS.prior,
    help="Make pseudo-counts equal, or proportional to the declared weights.",
)
@click.option("-o", "--out", type=WEIGHTS, help="Write the weights to this file.  [default: none]")
@click.option("--note", multiple=True, help="Add a line to the head of the file (repeatable).")
@json_file_option
@force_option
@grammar_options
def fit(
    session: Session,
    grammar: Path,
    corpora: tuple[Path, ...],
    source: str | None,
    columns: str | None,
    only: tuple[str, ...],
    given: str | None,
    normalise: str,
    smoothing: float,
    prior: fitting.Prior,
    out: Path | None,
    note: tuple[str, ...],
    json_file: Path | None,
) -> None:
    """Estimate the weights of GRAMMAR from the files CORPORA.

    A corpus has a sentence on each line, its translation after a tab, and optionally a kind after another tab.  To
    use the weights, write `weights NAME from "FILE"` in the grammar.
    """
    started = time.monotonic()
    compiled = session.open(grammar)
    core, plan, keys = compiled.grammar, compiled.plan, compiled.rule_keys
    names, (parsed, *_) = _compared(session, compiled, source, None, columns)
    allowed = tuple(differences(session, normalise))
    session.check_names([given], list(dict.fromkeys(s.split for s in plan.strata if s.split != "gen")), "split")
    asked: dict[str, Any] = {"source": parsed, "only": only, "given": given or "", "normalise": allowed}
    asked |= {"smoothing": smoothing, "prior": prior}
    selection = SplitSelection(compiled, given) if given else None
    parser = Parser(core, core.text_layer(parsed))
    sample = fitting.collect(
        parser,
        corpora,
        _file_bar(session),
        columns=len(names),
        place=names.index(parsed),
        kinds=only,
        normalizer=normalizer_of(core, parser.layer, allowed),
        admits=selection.admits if selection is not None else None,
    )
    if not sample.rows:
        _refuse_empty(session, sample, bool(only))
    fitted = fitting.estimate(
        core,
        sample,
        fitting.Options(smoothing, prior),
        layer=parser.layer,
        selection=selection,
        progress=lambda done, nats: session.progress(f"round {done}: {nats:.4f}"),
    )
    likelihoods = {"declared": fitted.before, "estimated": fitted.after}
    session.present(
        "fit.j2",
        fit=fitted,
        sample=sample,
        fates=[fate for fate in fitting.FATES if sample.fates[fate]],
        likelihoods={name: fitting.likelihood(nats, fitted.tokens) for name, nats in likelihoods.items()},
        changes=fitting.changes(core, keys, fitted, sample.rows, 12),
        seconds=time.monotonic() - started,
        exp=exp,
    )
    # The provenance of the weights: plain values, equal on every computer.
    origin = {
        "grammar": compiled.project.name,
        "grammar_sha256": fingerprint(core, plan),
        "parameters": dict(sorted(compiled.parameters.items())),
        "corpora": sample.files,
        "rows_used": sample.rows,
        **asked,
        "rounds": fitted.rounds,
        "log_likelihood": round(fitted.after, 6),
    }
    if out is not None:
        lines = [*note, *_head(grammar, corpora, names[0], asked, session.settings, out)]
        session.write(out, fitting.weights_text(core, keys, fitted, origin, lines))
    if json_file is not None:
        session.write(json_file, json_text({**origin, **fitting.fit_data(core, keys, fitted, sample)}))
    _report_unreadable(session, sample.fates["unreadable"], sample.unreadable)


def _refuse_empty(session: Session, sample: fitting.Sample, some: bool) -> NoReturn:
    """End the command because no row is informative; ``some`` says that only some kinds of rows were requested."""
    notes = [f"{count(rows, 'row')}: {fate}" for fate, rows in sample.fates.items() if rows]
    listed_rows = (*sample.unparsed[:3], *sample.unreadable[:3])
    notes += ["{file}:{line}: {sentence} ({reason})".format(**row) for row in listed_rows]
    known = ", ".join(f"`{kind}`" for kind in sorted(sample.kinds) if kind) or "none"
    hint = f"the kinds of rows are: {known}" if some else "`sglc audit` shows them all"
    session.fail("SGL1105", "no row of the corpus tells anything about the weights", notes=notes, hint=hint)


def _head(
    grammar: Path, corpora: Sequence[Path], first: str, asked: Mapping[str, Any], settings: Mapping[str, str], out: Path
) -> list[str]:
    """Return the header of the file: its content, and the command that recreates it."""
    words = ["sglc", "fit", _written(grammar), *(path.name for path in corpora)]
    if first != asked["source"]:
        words += ["--layer", asked["source"]]
    for kind in asked["only"]:
        words += ["--only", kind]
    if asked["given"]:
        words += ["--given", asked["given"]]
    if asked["normalise"]:
        words += ["--normalise", ",".join(asked["normalise"])]
    for name, value in settings.items():
        words += ["--set", f"{name}={value}"]
    words += ["--smoothing", f"{asked['smoothing']:g}", "--prior", asked["prior"], "--out", _written(out)]
    return ["Estimated from a corpus by", f"  {shlex.join(words)}"]


def _written(path: Path) -> str:
    """Return a path as given, or only its name if it is absolute."""
    return path.name if path.is_absolute() else path.as_posix()


def _compared(
    session: Session, compiled: Compiled, source: str | None, target: str | None, columns: str | None
) -> tuple[list[str], list[str]]:
    """Return the columns of the files, and the compared layers: the parsed layer, then ``target`` or all others.

    End the command if there is no such layer, or no column has it.
    """
    core, plan = compiled.grammar, compiled.plan
    wanted, usual = listed(target), [plan.source, plan.target]
    if not set(wanted) <= set(usual):
        # The columns are then the source and any layers to compare it with.
        usual = [source or plan.source, *wanted]
    given = listed(columns) or list(dict.fromkeys(usual))
    named = [name for name in given if name != _IGNORED]
    parsed = source or next(iter(named), plan.source)
    session.check_names([parsed], text_layers(core), "text layer")
    compared = [parsed, *(wanted or [name for name in named if name != parsed])]
    session.check_names([*named, *compared], list(outputs(core)), "text layer or view")
    for layer in compared:
        if layer not in given:
            session.refuse(
                f"no column has the layer `{layer}`; the columns are {', '.join(given)} (name them with `--columns`)"
            )
    return given, compared


def _file_bar(session: Session) -> Callable[[str, int, float], None]:
    """Return a function that shows the progress of reading a file."""

    def advance(file: str, rows: int, share: float) -> None:
        session.progress(f"{bar(share)}  {Path(file).name}, {rows:,} rows")

    return advance


def _report_unreadable(session: Session, number: int, rows: Sequence[ListedRow]) -> None:
    """Report ``number`` unreadable rows; ``rows`` are the first of them."""
    if number:
        notes = ["{file}:{line}: {reason}".format(**row) for row in rows[:10]]
        more = ["…"] if number > len(notes) else []
        message = f"{count(number, 'row')} cannot be read"
        hint = "to allow longer rows, raise `--limit`" if any("too long" in n for n in notes) else ""
        if any(" instead of " in note for note in notes):
            hint = hint or "name the columns of the files with `--columns`"
        session.diagnostics.error("SGL1104", None, message, hint, notes=[*notes, *more])
