"""Run ``sglc analyse``: measure the trees of a treebank, and find those at which systems fail."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sgl.characters import visible
from sgl.cli.files import FILE, GRAMMAR, PAGE, PATTERNS, TABLES, Input, force_option, json_file_option
from sgl.cli.options import set_option
from sgl.cli.session import Session, session_options
from sgl.cli.terminal import bar, count, json_text, text_table
from sgl.diagnostics import Diagnostics
from sgl.research.analyse.outputs import PredictionsError
from sgl.research.analyse.predictions import first_of, named_system, systems_of
from sgl.research.analyse.words import SEGMENTERS, comparison, foreign_script

if TYPE_CHECKING:
    from sgl.corpus.audit import DeclaredStructure
    from sgl.research.analyse.analysis import Analysis
    from sgl.research.analyse.scoring import Json

_TOKENIZERS = ("marks", "space", "13a", "intl", "zh", "char", *SEGMENTERS.values())
_VIEWS = ("dep", "pos", "pos-dep", "lemma", "lemma-pos", "lemma-dep", "lemma-pos-dep")


class _System(Input):
    """The predictions of a system, with an optional name before them."""

    def convert(self, value: Any, *_: object) -> Any:  # noqa: ANN401 - click decides
        return value

    def file(self, value: Any) -> Path:  # noqa: ANN401 - click decides
        return named_system(value)[1]


SYSTEM = _System()


@click.command("analyse")
@click.argument("gold", type=FILE)
@click.argument("predictions", type=SYSTEM, nargs=-1)
@click.option(
    "--compare",
    "column",
    type=click.Choice(("form", "lemma")),
    default="form",
    help="The treebank column with which outputs are compared.",
)
@click.option(
    "--tokenize", "tokenizer", type=click.Choice(_TOKENIZERS), default="marks", help="How to segment texts into words."
)
@click.option("--lemmatise", metavar="LANGUAGE", help="Compare lemmas, which simplemma finds: en, de, fi, …")
@click.option("--keep-case", is_flag=True, help="Distinguish capital letters.")
@click.option("--keep-punctuation", is_flag=True, help="Keep punctuation in the trees.")
@click.option("--structures", type=GRAMMAR, help="Find the patterns and structures of this file (.sgl) in the trees.")
@set_option
@click.option("--by", metavar="KEY", help="Group sentences by the value of the comment # KEY = …")
@click.option(
    "--view",
    "views",
    type=click.Choice(_VIEWS),
    multiple=True,
    help="Mine structures with these labels (repeatable).  [default: the first three]",
)
@click.option("--judgements", type=FILE, help="Add human scores of the outputs from this file.")
@click.option("--nodes", metavar="MIN:MAX", default="2:3", help="Number of words in mined structures.")
@click.option(
    "--support", type=click.IntRange(1), default=5, help="Mine structures that occur in at least N sentences."
)
@click.option("--rounds", type=click.IntRange(0, 1000), default=3, help="How often blame is divided again.")
@click.option(
    "--failure",
    metavar="WHICH",
    default="quartile",
    help="What counts as a failure: quartile, inexact, or any BLEU below a number from 0 to 1.",
)
@json_file_option
@click.option("--html", "html_file", type=PAGE, help="Write an HTML page.")
@click.option("--latex", "latex_file", type=TABLES, help="Write the tables as LaTeX.")
@click.option("--patterns", type=PATTERNS, help="Write mined structures as patterns of a grammar (.sgl).")
@force_option
@session_options
def command(session: Session, gold: Path, predictions: tuple[str, ...], **options: Any) -> None:  # noqa: ANN401 - click decides
    """Analyse the trees of GOLD, a treebank in CoNLL-U, and the PREDICTIONS of systems.

    A file of predictions has one text per line, in the order of the sentences; or ids and
    texts (.tsv, .jsonl); or sentences (.conllu).  NAME=PREDICTIONS names a system.
    """
    if not installed(("scipy", "sacrebleu"), "eval", session.diagnostics):
        session.stop()
    from sgl.pipeline.matches import OccurrenceError
    from sgl.research.analyse import AnalysisSettings, analyse
    from sgl.research.analyse.mining import write_patterns
    from sgl.research.analyse.tables import latex, render_analysis, tables

    files = {name: options.pop(name) for name in RESULTS}
    options["failure"] = _failure(options["failure"], session)
    options["nodes"] = _nodes(options["nodes"], session)
    options["views"] = options["views"] or _VIEWS[:3]
    _check_language(options["lemmatise"], session)
    patterns, asked = options.pop("patterns"), options.pop("structures")
    systems = systems_of(predictions)
    if twice := [name for name, uses in Counter(name for name, _ in systems).items() if uses > 1]:
        session.refuse(f"`{twice[0]}` has two files; here each system has one")
    started = time.monotonic()
    declared: tuple[DeclaredStructure, ...] = ()
    if asked is not None:
        from sgl.research.analyse.structures import read_structures

        declared = read_structures(asked, session.settings, session.sources, session.diagnostics)
        session.stop_on_errors()

    def advance(done: int, size: int) -> None:
        session.progress(f"{bar(done / size if size else 1.0)}  {gold.name}")

    try:
        found = analyse(gold, systems, AnalysisSettings(**options), advance, declared)
    except OccurrenceError as problem:
        session.fail("SGL1508", f"{problem}", hint="structures with fewer variables are found faster")
    except ImportError as problem:
        session.fail("SGL0904", f"{problem}", hint="pip install 'sgl-compiler[eval,zh]', or `--tokenize char`")
    _report(found, session.diagnostics)
    if len(found.treebank.projective):
        if not session.quiet:
            _show(found.data, time.monotonic() - started, session)
        page, tex = lambda data: render_analysis(data, gold.name), lambda data: latex(tables(data))
        write_results(session, files, found.data, page, tex)
        if patterns is not None:
            session.write(patterns, write_patterns(found.data, patterns.stem))


def installed(libraries: Sequence[str], extra: str, diagnostics: Diagnostics) -> bool:
    """Return whether the libraries of an extra are installed, reporting missing ones."""
    missing = [name for name in libraries if find_spec(name) is None]
    if missing:
        message = f"no {' and no '.join(missing)}"
        diagnostics.error("SGL0904", None, message, f"pip install 'sgl-compiler[{extra}]'")
    return not missing


#: The options that name files for results: as JSON, as a page, and as LaTeX.
RESULTS = ("json_file", "html_file", "latex_file")


_Text = Callable[[Any], str]


def write_results(session: Session, files: Mapping[str, Path | None], data: Json, page: _Text, tex: _Text) -> bool:
    """Write the requested files; return False if errors were reported."""
    texts = zip(RESULTS, (json_text, page, tex), strict=True)
    contents = {path: text(data) for name, text in texts if (path := files[name])}
    written = [session.write(path, content) for path, content in contents.items()]
    return all(written)


def _failure(text: str, session: Session) -> str | float:
    if text in ("quartile", "inexact"):
        return text
    value = -1.0
    with suppress(ValueError):
        value = float(text)
    if not 0 <= value <= 1:
        session.refuse(f"`--failure {text}` is not quartile, inexact, or a number from 0 to 1")
    return value


def _check_language(language: str | None, session: Session) -> None:
    if language is not None and installed(("simplemma",), "lemma", session.diagnostics):
        try:
            comparison(keep_case=False, language=language)
        except ValueError:
            session.refuse(f"`--lemmatise {language}` is not the code of a language that simplemma knows, such as en")
    session.stop_on_errors()


def _nodes(text: str, session: Session) -> tuple[int, int]:
    ends = re.fullmatch("([1-5])(?::([1-5])?)?", text)
    first, last = (int(ends[1]), int(ends[2] or ends[1])) if ends else (1, 0)
    if first > last:
        session.refuse(f"`--nodes {text}` is not a range within 1:5")
    return first, last


def _report(found: Analysis, diagnostics: Diagnostics) -> None:
    bank = found.treebank
    if bank.malformed:
        places = [visible(f"{bank.path}:{block.line}: {block.reason}") for block in bank.listed]
        what = f"{count(len(bank.malformed), 'sentence')} cannot be read"
        diagnostics.error("SGL1501", None, what, notes=first_of(places, 10))
    elif not len(bank.projective):
        diagnostics.error("SGL1502", None, f"`{bank.path}` has no sentences")
    for path, fault in found.unusable:
        report_fault(path, fault, diagnostics)
    for system in found.systems:
        if system.missing:
            what = f"{count(system.missing, 'prediction')} missing, counted as wrong"
            diagnostics.warning("SGL1403", None, f"`{system.path}`: {what}")
        report_pieces(system.path, system.pieces, diagnostics)
        foreign = foreign_script(system.sampled)
        if foreign is not None:
            scripts = f"{', '.join(foreign.outputs)}, not {', '.join(foreign.treebank)}"
            message = f"`{system.path}` does not look like the language of the treebank: {scripts}"
            notes = [f"of its first {count(foreign.words, 'word')} {foreign.known:,} occur there"]
            hint = "is it a file of sources, or for another target?"
            diagnostics.warning("SGL1507", None, message, hint, notes=notes)
        if system.glued:
            outputs = f"{count(system.glued, 'output')} of `{system.path}`"
            message = f"{outputs} have the text of the sentence, but not its words"
            hint = "`--tokenize` says how texts are cut into words; CoNLL-U and lists in JSON have them as they are"
            diagnostics.warning("SGL1505", None, message, hint)
    _report_impossible(found.data["impossible"], diagnostics)
    for mined in found.data["mined"]:
        if mined["too_broad"]:
            what = f"{count(mined['too_broad'], 'sentence')} left out of mining ({mined['view']})"
            hint = "a smaller maximum for `--nodes` leaves out fewer"
            diagnostics.warning("SGL1506", None, f"{what}: too many structures", hint)


def _report_impossible(impossible: Mapping[str, Sequence[str]], diagnostics: Diagnostics) -> None:
    if not impossible:
        return
    message = f"{count(len(impossible), 'structure')} cannot occur: no edge or word of the treebank passes a test"
    tests = [f"{name}: {', '.join(tests)}" for name, tests in impossible.items()]
    hint = "labels are matched whole, `nsubj|nsubj:pass`; words have `lemma`, `upos` and their features"
    diagnostics.warning("SGL1508", None, message, hint, notes=first_of(tests, 10))


def report_fault(path: Path, fault: PredictionsError, diagnostics: Diagnostics) -> None:
    """Report a file of predictions that cannot be used."""
    message = f"`{path}` cannot be scored: {visible(fault.message)}"
    diagnostics.error("SGL1402", None, message, fault.hint, notes=map(visible, fault.notes))


def report_pieces(path: Path, number: int, diagnostics: Diagnostics) -> None:
    """Report predictions that contained a tokenizer's marks, if there are any."""
    if number:
        message = f"`{path}`: {count(number, 'prediction')} joined; the marks of a tokenizer were removed"
        notes = ["they have `@@ `, `▁`, `##`, `Ġ`, letters that are bytes, or tokens like `</s>`, and no gold text has"]
        hint = "what the tokenizer itself joins may differ in spaces beside punctuation"
        diagnostics.warning("SGL1409", None, message, hint, notes=notes)


def _show(data: Json, seconds: float, session: Session) -> None:
    from rich.text import Text

    from sgl.research.analyse.tables import tables

    for table in tables(data):
        rows = [[Text(visible(cell), no_wrap=True) for cell in row] for row in table.rows]
        columns = list(map(visible, table.columns))
        shown = text_table(columns, rows, right=columns[table.texts :])
        shown.title, shown.title_justify = Text(visible(table.title)), "left"
        session.table(shown)
        session.echo()
    bank = data["treebank"]
    if data["systems"] and (way := data["settings"]["tokenizer"]) in SEGMENTERS.values():
        session.echo(f"Outputs without spaces are cut into words by {way}.")
    left_out = "" if data["settings"]["keep_punctuation"] else " without punctuation"
    size = f"{count(bank['sentences'], 'sentence')}, {count(bank['words'], 'word')}"
    session.echo(f"{size}{left_out}, in {seconds:.1f} s")
