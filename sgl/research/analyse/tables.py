r"""The object of ``sglc analyse --json`` as tables, for the terminal and LaTeX, and as a page.

Numbers are right-aligned; ``–`` stands for what is not defined.  In LaTeX whatever is in a cell is
text: characters with a meaning are escaped, and those that its fonts may lack are replaced.  On the
page correlations are a triangle of squares.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment, PackageLoader
from markupsafe import Markup

from sgl.report.arcs_svg import draw_graph
from sgl.report.model import Arc, GraphWord
from sgl.report.render import page_environment
from sgl.report.svg import text_width

Json = Mapping[str, Any]

#: Of relations, and of structures in each view.
_RELATIONS, _SUSPECTS = 20, 10

#: Marks of p-values below these, as is usual.
_STARS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))

NOTHING = "–"

#: What measures and scores are called that have another name in the object.
TITLES = {"distance": "dependency distance", "bleu": "BLEU", "dea": "DEA"}


@dataclass(frozen=True, slots=True)
class ResultTable:
    """A table of finished cells; the first ``texts`` columns are no numbers."""

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    texts: int = 1


def tables(data: Json) -> list[ResultTable]:
    """Return all tables that have something to show."""
    made = [
        _measures(data["treebank"]),
        _systems(data),
        _groups(data),
        *_correlations(data["correlations"]),
        _projectivity(data["projectivity"]),
        _relations(data),
        *(_suspects(mined, len(data["systems"])) for mined in data["mined"]),
    ]
    return [table for table in made if table.rows]


def p_value(value: float | None) -> str:
    """Return a p-value as a text: ``0.013``, or ``2e-09`` for a small one."""
    if value is None:
        return NOTHING
    if value == 0:
        return "<1e-300"
    return f"{value:.3f}" if value >= 0.001 else f"{value:.0e}"


def stars(value: float | None) -> str:
    """Return the stars of a p-value."""
    if value is None:
        return ""
    return next((mark for limit, mark in _STARS if value < limit), "")


def _number(value: float | None, form: str, scale: int = 1) -> str:
    return NOTHING if value is None else format(scale * value, form)


def _measures(bank: Json) -> ResultTable:
    rows = []
    for name, found in bank["measures"].items():
        spread = found["mean"], found["deviation"], found["min"], *found["quartiles"], found["max"]
        rows.append([title(name), *(f"{value:.2f}" for value in spread)])
    projective = bank["projective"] / bank["sentences"]
    rows.append(["projective", f"{100 * projective:.2f} %", *[""] * 6])
    header = ("measure", "mean", "deviation", "min", "25 %", "median", "75 %", "max")
    return ResultTable("measures", "Trees", header, rows)


def _systems(data: Json) -> ResultTable:
    rows = [
        [
            system["name"],
            _number(system["bleu"]["mean"], ".2f", 100),
            _number(system["edges"]["dea"], ".2f", 100),
            _number(system["exact"] / data["treebank"]["sentences"], ".2f", 100),
            *(f"{system[key]:,}" for key in ("empty", "missing", "failed")),
        ]
        for system in data["systems"]
    ]
    header = ("system", "BLEU", "DEA", "exact", "empty", "missing", "failed")
    return ResultTable("systems", "Systems (mean BLEU of sentences; in %)", header, rows)


def _groups(data: Json) -> ResultTable:
    measures = ("length", "depth", "distance", "flux_weight")
    rows = []
    for group in data["groups"]:
        size = group["sentences"]
        row = [group["group"] or NOTHING, f"{size:,}"]
        row += [_number(group["measures"][name], ".2f") for name in measures]
        for found in group["systems"].values():
            row += [_number(found["bleu"], ".1f", 100), f"{100 * found['exact'] / size:.1f}"]
        rows.append(row)
    by = data["settings"]["by"]
    header = [by or "", "sentences", *(title(name) for name in measures)]
    for system in data["systems"]:
        header += [f"BLEU {system['name']}", f"exact {system['name']}"]
    return ResultTable("groups", f"Sentences by {by}", header, rows)


def _correlations(correlations: Json) -> Iterator[ResultTable]:
    for name, tests in correlations.items():
        names = list(dict.fromkeys(test[side] for test in tests for side in ("first", "second")))
        by_pair = {(test["first"], test["second"]): _coefficient(test) for test in tests}
        rows = [[title(row), *(by_pair.get((column, row), "") for column in names[:-1])] for row in names[1:]]
        yield ResultTable(
            f"correlations-{name}" if name else "correlations",
            f"Spearman's ρ{', ' if name else ''}{name} (* p < .05, ** .01, *** .001 after Holm)",
            ["", *map(title, names[:-1])],
            rows,
        )


def title(name: str) -> str:
    """Return what tables call a measure or score."""
    return TITLES.get(name, name.replace("_", " "))


def _coefficient(test: Json) -> str:
    # No sign stands before zero.
    return NOTHING if test["rho"] is None else f"{round(test['rho'], 2) + 0.0:.2f}{stars(test['adjusted'])}"


def _projectivity(projectivity: Json) -> ResultTable:
    rows = [
        [
            system,
            title(test["measure"]),
            f"{test['projective']:,}",
            f"{test['others']:,}",
            *(f"{median:.3f}" for median in test["medians"]),
            f"{test['u']:,.1f}",
            p_value(test["p"]),
            p_value(test["adjusted"]),
            f"{test['effect']:.3f}",
        ]
        for system, tests in projectivity.items()
        for test in tests
        if test["u"] is not None
    ]
    header = (
        *("system", "score", "projective", "others", "median", "median of others"),
        *("U", "p", "p (Holm)", "effect"),
    )
    name = "Projective and other sentences (Mann–Whitney)"
    return ResultTable("projectivity", name, header, rows, 2)


def _relations(data: Json) -> ResultTable:
    edges = {label: sides["left"] + sides["right"] for label, sides in data["treebank"]["relations"].items()}
    ranked = sorted(edges, key=lambda label: (-edges[label], label))
    rows = [
        [
            label,
            f"{edges[label]:,}",
            f"{data['treebank']['relations'][label]['entropy']:.3f}",
            *(_number(s["relations"][label]["dea"], ".1f", 100) for s in data["systems"]),
        ]
        for label in ranked[:_RELATIONS]
    ]
    more = len(edges) - len(rows)
    name = f"Relations ({more} less frequent ones not shown)" if more else "Relations"
    header = ["relation", "edges", "entropy", *(f"DEA {s['name']}" for s in data["systems"])]
    return ResultTable("relations", name, header, rows)


def _suspects(mined: Json, systems: int) -> ResultTable:
    rows = []
    for suspect in mined["suspects"][:_SUSPECTS]:
        rates = [blame["failed"] / suspect["sentences"] for blame in suspect["systems"]]
        rows.append(
            [
                suspect["structure"],
                f"{suspect['score']:.2f}",
                f"{suspect['coverage']}/{systems}",
                f"{suspect['sentences']:,}",
                f"{100 * sum(rates) / len(rates):.1f} %",
            ]
        )
    header = ("structure", "score", "coverage", "sentences", "failed")
    name = f"Suspicious structures, {mined['view']} ({mined['structures']:,} structures)"
    return ResultTable(f"suspects-{mined['view']}", name, header, rows)


_SPELT = str.maketrans(
    {
        **{mark: rf"\{mark}" for mark in "{}$&#%_"},
        "\\": r"\textbackslash{}",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "–": "--",
        "ρ": r"$\rho$",
        "→": r"$\to$",
        **{chr(code): " " for code in (*range(0x20), 0x7F)},
    }
)


def latex(tables: Sequence[ResultTable]) -> str:
    """Return all tables, one below the other; they need the package ``booktabs``."""
    return latex_environment("sgl.research.analyse").get_template("tables.tex.j2").render(tables=tables)


def latex_environment(package: str) -> Environment:
    """Return the environment of templates for LaTeX, whose own braces are left alone."""
    environment = Environment(  # noqa: S701 - it is not HTML; texts are escaped by a filter
        loader=PackageLoader(package),
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["tex"] = escaped
    environment.filters["comment"] = lambda text: " ".join(text.split())
    environment.filters["label"] = lambda name: re.sub("[^a-zA-Z0-9]", "-", name)
    return environment


def escaped(text: str) -> str:
    """Return a text as LaTeX shows it."""
    # At the beginning of a row a bracket or star would belong to the line break before it.
    return ("{}" if text.startswith(("[", "*")) else "") + text.translate(_SPELT)


#: A sentence with more words is not drawn.
_LONGEST = 60


def analysis_environment() -> Environment:
    """Return the environment of the page of an analysis."""
    environment = page_environment("sgl.research.analyse")
    environment.filters |= {"p": p_value, "measure": _measure, "text_width": text_width, "coefficient": _coefficient}
    environment.globals["draw_example"] = draw_example
    return environment


def render_analysis(data: Mapping[str, Any], title: str) -> str:
    """Return the page of the ``data`` of an analysis as HTML."""
    return analysis_environment().get_template("analysis.html.j2").render(data=data, title=title)


def _measure(name: str) -> str:
    return title(name).removeprefix("dependency ")


def draw_example(example: Mapping[str, Any], name: str) -> Markup:
    """Draw the tree of an example, with its structure set off; not that of a long sentence."""
    if len(example["words"]) > _LONGEST:
        return Markup("")
    marked = set(example["marked"])
    words = [GraphWord(word["form"], word["upos"], at in marked) for at, word in enumerate(example["words"])]
    arcs = [Arc(arc["governor"], arc["label"], arc["dependent"]) for arc in example["arcs"]]
    return draw_graph(words, arcs, example["root"], name)
