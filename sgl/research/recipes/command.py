"""Run ``sglc recipe``: the tables of a paper from the outputs of systems, next to the published figures."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from string import Template
from typing import Any, NoReturn

import click
import yaml
from rich.cells import cell_len

from sgl.cli.files import FIGURES, FILE, PAGE, TABLES, force_option, json_file_option
from sgl.cli.main import FAILED, OK, OUTPUT
from sgl.cli.session import Session, grammar_options
from sgl.cli.terminal import say, table_width
from sgl.diagnostics import Diagnostics
from sgl.disk import temporary
from sgl.research.analyse.command import SYSTEM, installed, report_fault, write_results
from sgl.research.analyse.predictions import named_system
from sgl.research.analyse.scoring import Json
from sgl.research.analyse.tables import MEASURES, latex_environment
from sgl.research.evaluate.data import evaluation_environment, show_table
from sgl.research.evaluate.evaluation import EvaluationRequest, evaluation_of
from sgl.research.recipes.engine import campaign, fill
from sgl.research.recipes.grids import Outputs, beside, join, split_divergences
from sgl.research.recipes.layout import ARTICLE, Figure, Page, PanelColumn, figures, figures_of, panels
from sgl.research.recipes.study import studied

PAPERS = {path.stem: path for path in sorted((Path(__file__).parent / "papers").glob("*.yml"))}


@click.command("recipe")
@click.argument("paper", type=click.Choice(list(PAPERS)))
@click.argument("data", type=FILE)
@click.argument("outputs", type=SYSTEM, nargs=-1, metavar="[NAME=]OUTPUTS...")
@json_file_option
@click.option("--html", "html_file", type=PAGE, help="Write an HTML page with tables and figures.")
@click.option("--latex", "latex_file", type=TABLES, help="Write the tables as LaTeX.")
@click.option("--figures", "figures_file", type=FIGURES, help="Write the figures as LaTeX (pgfplots).")
@click.option(
    "--compare",
    type=click.Choice(("paper", "none")),
    default="paper",
    help="Show the published figures beside those of the outputs, or only the latter.",
)
@click.option("--train", type=FILE, multiple=True, help="A variant that systems were trained on (repeatable).")
@click.option(
    "--on", "others", multiple=True, metavar="NAME=DATA", help="What the outputs of NAME are for, if not DATA."
)
@click.option("--answer", multiple=True, help="Where answers are in outputs, as for `eval` (with `prompts`).")
@click.option("--judgements", type=FILE, multiple=True, help="What people say of outputs (with `cognition`).")
@click.option("--published-rule", is_flag=True, help="Judge compounds as the published script (with `cognition`).")
@force_option
@grammar_options
def command(session: Session, data: Path, outputs: tuple[str, ...], **options: Any) -> None:  # noqa: ANN401 - click decides
    """Make the tables of PAPER from the OUTPUTS of systems for DATA, beside the published figures.

    OUTPUTS is a directory with a file for each split or corpus, named after it, or one such file.
    Directories of one NAME are the runs of one system; a NAME of the paper is compared with it.
    With `prompts`, OUTPUTS are directories of `sglc prompts`, each with a file `answers.jsonl` or the like.
    """
    if not installed(("scipy", "sacrebleu"), "eval", session.diagnostics):
        session.stop()
    recipe = _recipe(options, session)
    if recipe["runs"] == "prompts":
        results, names, axis = studied(data, map(named_system, outputs), options["answer"], session)
        _finish(session, fill(recipe | {"counted": axis}, results, names), options)
    systems = [(name or path.stem, path) for name, path in map(named_system, outputs)]
    own = _places(options["others"], session)
    if unknown := sorted(own.keys() - {name for name, _ in systems}):
        session.refuse(f"`--on {unknown[0]}=…`: no outputs have this name")
    judged = {name: options[name] for name in ("judgements", "published_rule")}
    scored: Json = {}
    reached: Json = {}
    for place in dict.fromkeys(own.get(name, data) for name, _ in systems):
        given = [(name, path) for name, path in systems if own.get(name, data) == place]
        further = {recipe.get("judged", ""): judged, "": {"train": options["train"]} if place == data else {}}
        found, divergences = _of_data(recipe, place, given, further, session)
        scored, reached = beside(scored, found), {**reached, **divergences}
    _finish(session, fill(recipe, scored, list(dict.fromkeys(name for name, _ in systems)), reached), options)


def _recipe(options: Mapping[str, Any], session: Session) -> Json:
    """Return the recipe of a paper in the words of the options; refuse options that it has no use for."""
    paper, judged = options["paper"], options["judgements"]
    rule = "the published rule" if options["published_rule"] else "whole words"
    words = {"rule": rule, "rates": "rates", "verdicts": rule, "paper": "Transformer, by people"}
    if judged:
        # The paper's figures are verdicts, which are compared with verdicts alone.
        words |= {"rates": "judged", "verdicts": "people", "paper": "Transformer"}
    recipe: Json = yaml.safe_load(Template(PAPERS[paper].read_text("utf-8")).safe_substitute(words))
    if (judged or options["published_rule"]) and "judged" not in recipe:
        session.refuse(f"`recipe {paper}` has no table of verdicts on compounds")
    if (options["train"] or options["others"]) and recipe["runs"] != "eval":
        session.refuse(f"`recipe {paper}` scores no variants: leave out `--train` and `--on`")
    if options["compare"] == "none":
        recipe["tables"] = [{**table, "published": {}} for table in recipe["tables"]]
    return recipe


def _places(others: Sequence[str], session: Session) -> dict[str, Path]:
    """Return the datasets that systems have of their own."""
    found: dict[str, Path] = {}
    for text in others:
        name, _, other = text.partition("=")
        if not other or name in found:
            session.refuse(f"`--on {text}`: write NAME=DATA, once for each name")
        found[name] = Path(other)
    return found


def _of_data(
    recipe: Json, data: Path, systems: list[tuple[str, Path]], further: Json, session: Session
) -> tuple[Json, Json]:
    """Return the results of systems on a dataset, and the divergences of its splits."""
    evaluations = _evaluations(recipe, data)
    files = {name: list(_files(systems, name, alone=len(evaluations) == 1)) for name in evaluations}
    for name, path in systems:
        if not any((name, path) in given or any(path in file.parents for _, file in given) for given in files.values()):
            session.diagnostics.error("SGL1411", None, f"`{path}` has no file called {', '.join(list(files)[:5])}")
    reached = split_divergences(evaluations)
    with temporary() as folder:
        if not session.diagnostics.errors and "joined" in recipe:
            join(recipe["joined"], folder, evaluations, files)
        return {} if session.diagnostics.errors else _results(recipe, evaluations, files, further, session), reached


def _finish(session: Session, made: Json, targets: Mapping[str, Path | None]) -> NoReturn:
    """Show the tables and write the files, unless there are errors."""
    if session.diagnostics.errors:
        session.stop(FAILED)
    if session.form != "json":
        _shown("recipe.j2", made)
    written = write_results(session, targets, made, partial(_shown, "recipe.html.j2"), partial(_shown, "recipe.tex.j2"))
    if figures := targets["figures_file"]:
        written &= session.write(figures, _shown("figures.tex.j2", made))
    session.stop(OK if written else OUTPUT)


def _evaluations(recipe: Json, data: Path) -> dict[str, Path]:
    """Return what is predicted, by name: splits, or the files of a folder or of its subfolders."""
    found = [path for pattern in recipe.get("files", ()) for path in sorted(data.glob(pattern)) if path.is_file()]
    named = {(path.stem if path.parent == data else path.parent.name): path for path in found}
    return dict.fromkeys(recipe.get("splits", ()), data) | named


def _within(path: Path) -> list[Path]:
    return [file for folder in (path, path / "predictions") for file in sorted(folder.glob("*")) if file.is_file()]


def _files(systems: list[tuple[str, Path]], evaluation: str, *, alone: bool) -> Iterator[tuple[str, Path]]:
    for name, path in systems:
        if not path.is_dir() and alone:
            yield name, path
        yield from ((name, file) for file in _within(path) if file.stem == evaluation)
        # A run of `sglc baseline` on one of several splits has a folder.
        yield from ((name, file) for file in _within(path / evaluation) if file.stem == "test")


def _results(recipe: Json, paths: Mapping[str, Path], files: Outputs, further: Json, session: Session) -> Json:
    if recipe["runs"] == "analyse":
        return _analysed(recipe, paths, files, session.diagnostics)
    found: Json = {}
    options = {key: tuple(value) if isinstance(value, list) else value for key, value in recipe["options"].items()}
    for name, given in files.items():
        if not given:
            continue
        dataset, view = paths[name], options | further.get(name, {}) | further[""]
        if "splits" in recipe:
            view |= {"split": name} | recipe.get("views", {}).get(name, {})
            view["split"] = view["split"] if dataset.is_dir() else None
        # Files next to the data may divide its items.
        divided = {of: dataset / f"{name}-{of}.txt" for of in recipe.get("slices", ())}
        slices = (f"{of}={path}" for of, path in divided.items() if path.is_file())
        view["slices"] = (*view.get("slices", ()), *slices)
        # The first ablation has the longest sentence of training.
        for trained in view.get("train", ())[:1]:
            longest = f"longest({trained.resolve().name})"
            view["slices"] = tuple(text.replace("longest(train)", longest) for text in view["slices"])
        predictions = tuple(f"{system}={path}" for system, path in given)
        view |= {"all_slices": False, "published_names": recipe.get("fold", False)}
        request = EvaluationRequest(dataset, predictions, dict(session.settings), **view)
        if (result := evaluation_of(request, session.sources, session.diagnostics)) is not None:
            found[name] = result[1]
    return found


def _analysed(recipe: Json, paths: Mapping[str, Path], files: Outputs, diagnostics: Diagnostics) -> Json:
    """Return the analyses of all corpora, and their joint results."""
    from sgl.research.analyse import AnalysisSettings, analyse

    found: Json = {}
    for name, given in files.items():
        if twice := [system for system, uses in Counter(system for system, _ in given).items() if uses > 1]:
            diagnostics.error("SGL1411", None, f"`{twice[0]}` has two files for `{name}`; here a run is a system")
            return {}
        # People's scores of the outputs are in a file next to the treebank.
        tables = (paths[name].with_suffix(end) for end in (".tsv", ".csv"))
        settings = AnalysisSettings(**recipe["options"], judgements=next(filter(Path.is_file, tables), None))
        result = analyse(paths[name], given, settings)
        for path, fault in result.unusable:
            report_fault(path, fault, diagnostics)
        if len(result.treebank.projective):
            found[name] = result.data
    return {"corpora": found, "campaign": campaign(found)}


def _titled(part: Json) -> str:
    """Return the title of a column or row, with the divergences that its splits reached."""
    reached = part.get("reached", ())
    known = " to ".join(f"{at['value']:.2f}" for at in reached)
    if len(reached) == 1 and reached[0]["same"] != reached[0]["name"]:
        known += f", as {reached[0]['same']}"
    return f"{part['title']} ({known})" if known else str(part["title"])


def _text(cell: Any) -> str:  # noqa: ANN401 - JSON
    """Format a figure with its deviation, and mark it if it departs from the paper's."""
    if not cell or cell["mean"] is None:
        return "–"
    digits = cell["published"]["digits"] if cell.get("published") else cell.get("digits", 1)
    text = f"{cell['mean']:.{digits}f}"
    if cell.get("interval") == "half" and cell["low"] is not None:
        text += f" ± {(cell['high'] - cell['low']) / 2:.{digits}f}"
    elif cell.get("interval") and cell["low"] is not None:
        text += f" ({cell['low']:.{digits}f}–{cell['high']:.{digits}f})"
    if cell["deviation"] is not None:
        text += f" ± {cell['deviation']:.{digits}f}"
    text += "†" if cell.get("sure") else ""
    if cell.get("published"):
        text += f" ({cell['published']['mean']:.{digits}f}{'*' if cell['departs'] else ''})"
    return text


def _shown(template: str, made: Json) -> str:
    """Render the tables with a template: as a page, as LaTeX, or for the terminal."""
    tex, own = ".tex" in template, "sgl.research.recipes"
    environment = latex_environment(own) if tex else evaluation_environment(own, "sgl.research.analyse")
    environment.filters.update(MEASURES, cell=_text, titled=_titled, by_system=_by_system, pairs=_pairs)
    environment.filters["pair"] = lambda title: title.split(" and ")

    # Columns of a terminal are two characters apart.
    wide = float(table_width())
    page = ARTICLE if tex else Page(lambda text: cell_len(text) + 2.0, wide, wide / 2, each=True)

    def divided(table: Json) -> list[list[PanelColumn]]:
        return [*panels(table, _text, _titled, page)]

    def long(table: Json) -> bool:
        return any(page.width(_titled(row)) > page.titles for row in table["rows"])

    given = {"panels": divided, "titles": long, "cell": _text, "say": say, "show": show_table}
    given |= {"figures_of": figures_of, "figures": figures}
    text: str = environment.get_template(template).render(data=made, **given)
    return text


def _pairs(figure: Figure) -> list[Json]:
    """Return the pairs of a triangle as correlations."""
    ends = (title.split(" and ") for title, _ in figure.rows)
    found = zip(ends, (scores[""]["mean"] for _, scores in figure.rows), strict=True)
    return [{"first": first, "second": second, "rho": rho} for (first, second), rho in found]


def _by_system(columns: Sequence[PanelColumn]) -> list[tuple[str, list[PanelColumn]]]:
    return [(system, [*own]) for system, own in groupby(columns, key=attrgetter("system"))]
