"""Run ``sglc split``: divide items by the divergence of their atoms and compounds, or measure it."""

import re
import time
from collections.abc import Iterator
from dataclasses import asdict
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import click

import sgl
from sgl.cli.files import DIRECTORY, FILE
from sgl.cli.session import Session, level_options, session_options
from sgl.cli.terminal import json_option
from sgl.dataset import MANIFEST, OutputError, check_target
from sgl.research.divergence import search, sources
from sgl.research.divergence.pasted import RuleNode, nodes_of, pasted
from sgl.research.divergence.problem import SETS, Annealing, Bounds, Greedy, SplitTarget, measure

#: A number from 0 with at most six decimals, or a fraction of two such whole numbers, so that products with sizes stay
#: small.
_NUMBER = re.compile(r"[0-9]?(\.[0-9]{1,6})?|[0-9]{1,6}/[0-9]{1,6}")
_LONGEST_NUMBER = 12

_SEED, _FROM_1 = click.IntRange(0), click.IntRange(1, 10**9)


_Options = dict[str, Any]
_Tasks = dict[str, search.SplitTask]


def _fraction(text: str) -> Fraction | None:
    """Return a short decimal number or fraction exactly, or None if it is invalid or above 1."""
    try:
        number = Fraction(text) if _NUMBER.fullmatch(text) else None
    except (ValueError, ZeroDivisionError):
        return None
    return number if number is not None and number <= 1 else None


def _share(ctx: click.Context, param: click.Parameter, value: str | None) -> Fraction | None:
    share = None if value is None else _fraction(value)
    if value is not None and share is None:
        raise click.BadParameter(f"`{value}` is not a number from 0 to 1 with at most six digits", ctx, param)
    return share


def _shares(ctx: click.Context, param: click.Parameter, value: str) -> tuple[Fraction | None, ...]:
    return tuple(dict.fromkeys(_share(ctx, param, text.strip()) for text in value.split(",")))


def _seeds(ctx: click.Context, param: click.Parameter, value: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(_SEED(text, param, ctx) for text in value.split(",")))


def _range(ctx: click.Context, param: click.Parameter, value: str) -> tuple[Fraction, ...]:
    least, _, most = value.partition(":")
    shares = [_share(ctx, param, text) for text in (least, most or least)]
    low, high = (share for share in shares if share is not None)
    if low > high:
        raise click.BadParameter(f"`{value}` has the larger number first", ctx, param)
    return low, high


def _discard(ctx: click.Context, param: click.Parameter, value: str) -> Fraction | int:
    if value.isascii() and value.isdigit() and len(value) <= _LONGEST_NUMBER:
        return int(value)
    share = _fraction(value)
    if share is None or share == 1:
        raise click.BadParameter(f"`{value}` is not a whole number or a share below 1", ctx, param)
    return share


@click.command("split")
@click.argument("paths", nargs=-1, required=True, type=FILE)
@click.option("--report", is_flag=True, help="Measure an existing split; write nothing.")
@click.option("--categories", is_flag=True, help="With --report: also measure each category.")
@click.option("-o", "--out", type=DIRECTORY, help="Write the split to this directory.")
@click.option("--force", is_flag=True, help="Replace an existing split.")
@click.option(
    "--compound-target", "targets", callback=_shares, default="1", help="Target compound divergence, or several."
)
@click.option("--atom-target", callback=_share, default="0", help="Target atom divergence.")
@click.option("--atom-limit", callback=_share, default="0.02", help="Maximum atom divergence.")
@click.option("--atom-weight", type=click.IntRange(0, 1000), default=1, help="Weight of atoms relative to compounds.")
@click.option("--test", "test_share", callback=_range, default="0.2:0.3", help="Range for the share of test items.")
@click.option(
    "--discard",
    callback=_discard,
    default="0",
    help="Maximum number of items to leave out, as 70, or their share, as 0.05.",
)
@click.option(
    "--method",
    type=click.Choice((search.ANNEALING, search.GREEDY)),
    default=search.ANNEALING,
    help="The search method.",
)
@click.option("--moves", type=click.IntRange(1, 1_000_000), default=100, help="Annealing: moves per item.")
@click.option("--candidates", type=click.IntRange(1), default=1000, help="Greedy: number of candidates to choose from.")
@click.option("--every", type=click.IntRange(1), default=2, help="Greedy: draw new candidates after N choices.")
@click.option("--elements", "view", type=click.Choice(sources.VIEWS), help="What to take atoms and compounds from.")
@click.option("--size", type=click.IntRange(2, 5), default=2, help="Maximum size of compounds, in nodes.")
@click.option("--weighted", is_flag=True, help="Weight compounds like Keysers et al. (2020).")
@click.option("--lemmas", type=FILE, multiple=True, help="Morphology: only lemmas listed in a file.")
@click.option(
    "--ranks",
    type=(_FROM_1, _FROM_1),
    metavar="EVERY TIMES",
    help="Morphology: from each EVERYth rank on, lemmas with TIMES uses in all.",
)
@click.option(
    "--occurrences", type=click.IntRange(1), default=1, help="Morphology: only lemmas that occur at least N times."
)
@click.option(
    "--without", multiple=True, metavar="FEATURE", help="Morphology: skip words with FEATURE, as `Typo` or `Abbr=Yes`."
)
@click.option("--above", callback=_share, help="Morphology: only tag combinations that weigh more, as 0.33.")
@click.option(
    "--parallel", type=FILE, multiple=True, help="A file with a translation of each sentence of the treebank."
)
@click.option("--seed", "seeds", callback=_seeds, default="1", help="Random seed, or several.")
@json_option
@level_options
@session_options
def command(session: Session, /, **options: Any) -> None:  # noqa: ANN401 - click's
    """Split the items of PATHS into train and test, with the wanted divergence of compounds.

    PATHS are datasets of `sglc compile`, Parquet files with derivations, or treebanks in CoNLL-U; their items are
    divided as one set.  By default, elements come from derivations, or from graphs for CoNLL-U.

    With --report nothing is divided: each file is measured against the first, which is training.
    """
    if fault := _fault(options):
        session.refuse(fault)
    items = _read(session, options)
    if options["report"]:
        _report(session, items, options)
    else:
        _split(session, items, _tasks(options, items), options)


def _fault(options: _Options) -> str:
    view = options["view"]
    if not options["report"] and options["out"] is None:
        return "`--out` names the directory for the split, or `--report` measures one"
    if options["report"] and options["out"] is not None:
        return "`--report` writes nothing, so it has no `--out`"
    chosen = options["above"] is not None or options["occurrences"] > 1
    if view != "morphology" and (chosen or options["without"] or options["lemmas"] or options["ranks"]):
        named = "`--above`, `--lemmas`, `--occurrences`, `--ranks` and `--without`"
        return f"{named} are about words with features: `--elements morphology`"
    if view == "morphology" and (options["size"] != 2 or options["weighted"]):
        return "compounds of a lemma and its features have one size and no weight of their own"
    return ""


def _read(session: Session, options: _Options) -> sources.ItemSet:
    files, view = sources.find_files(options["paths"], options["view"])
    lists = [sources.read_lines(path) for path in options["lemmas"]]
    listed = frozenset(line.partition("\t")[0].strip() for _, lines in lists for line in lines) if lists else None
    chosen = {name: options[name] for name in ("above", "occurrences", "without", "ranks")}
    words = sources.WordChoice(**chosen, listed=listed, lists=tuple(file for file, _ in lists))
    settings = sources.ElementSettings(view, options["size"], options["weighted"], words)
    items = sources.read_items(files, settings, session.progress)
    return sources.with_translations(items, options["parallel"]) if options["parallel"] else items


def _tasks(options: _Options, items: sources.ItemSet) -> _Tasks:
    """Return the tasks by name: with several targets the target, and with several seeds the seed too."""
    number, discards = items.elements.atoms.items, options["discard"]
    if isinstance(discards, Fraction):
        discards = discards.numerator * number // discards.denominator
    least, most = options["test_share"]
    bounds = Bounds(least, most, min(discards, number))
    atoms = float(options["atom_target"]), options["atom_weight"], float(options["atom_limit"])
    asked = list(product(map(float, options["targets"]), options["seeds"]))
    names = [f"{target}-{seed}" if len(options["seeds"]) > 1 else str(target) for target, seed in asked]
    return {
        name: search.SplitTask(items.elements, SplitTarget(target, *atoms), bounds, seed)
        for name, (target, seed) in zip(names if len(asked) > 1 else [""], asked, strict=True)
    }


def _split(session: Session, items: sources.ItemSet, tasks: _Tasks, options: _Options) -> None:
    started = time.monotonic()
    out: Path = options["out"]
    is_greedy = options["method"] == search.GREEDY
    method = Greedy(options["candidates"], options["every"]) if is_greedy else Annealing(options["moves"])
    # Without --force, no directory with files in it may be replaced.
    listing = search.split_files if options["force"] else lambda _: None
    found: dict[str, search.Found] = {}
    try:
        check_target(out, listing)
        for name, task in tasks.items():
            labels = search.find(task, method, lambda done, total: session.progress("moves", done, total))
            session.progress("certificate")
            proof = search.certificate(items, task, method, labels)
            fault = task.bounds.fault(*(proof["sizes"][name] for name in SETS))
            assert not fault, fault
            found[name] = labels, proof
        search.write_splits(items, found, out, listing)
    except OutputError as problem:
        hint = "`--force` replaces a split" if search.split_files(out) is not None else ""
        session.fail("SGL1103", f"cannot write `{out}`: {problem.reason}", hint=hint)
    document = found[""][1] if "" in found else search.grid(found)
    if options["as_json"]:
        session.json(document)
    else:
        template = "split.j2" if "" in found else "splits.j2"
        given = {"proof": document, "out": out, "seconds": time.monotonic() - started}
        session.present(template, "sgl.research.divergence", **given)
    search.report(found, session.diagnostics)


#: One of several rules made by features: ``clause#2``.
_NUMBERED = re.compile(r"#[0-9]")


def _report(session: Session, items: sources.ItemSet, options: _Options) -> None:
    if len(items.files) < 2:
        session.refuse("a report needs training and something to compare with it")
    first = items.files[0]
    train = {"name": first.name, "items": len(first.ids), "mean_words": items.mean_words(items.mask(first))}
    nodes = _nodes(items)
    rows = list(_rows(items, options["categories"]))
    for row in rows if nodes or items.settings.view == sources.GRAPH else ():
        row["examples"] = [pasted(name, nodes) for name in row["examples"]]
    if options["as_json"]:
        session.json({"elements": search.elements_data(items), "train": train, "measured": rows})
        return
    given = {"items": items, "rows": rows, "train": train, "numbered": _NUMBERED.search}
    session.present("report.j2", "sgl.research.divergence", **given)


def _nodes(items: sources.ItemSet) -> dict[str, RuleNode]:
    """Return the names of derivation nodes in structures, if the rows come from a dataset with its grammar."""
    folder = items.files[0].path.resolve().parent.parent
    if items.settings.view != sources.DERIVATION or not (folder / MANIFEST).is_file():
        return {}
    try:
        compiled = sgl.load(folder).compiled
    except sgl.GrammarError:
        return {}
    return nodes_of(compiled.grammar, 0)


def _rows(items: sources.ItemSet, categories: bool) -> Iterator[dict[str, Any]]:
    train = items.mask(items.files[0])
    for file in items.files[1:]:
        named = sorted(set(file.categories)) if categories else []
        for category in (None, *(named if len(named) > 1 else ())):
            chosen = items.mask(file, category)
            name = file.name if category is None else f"{file.name}: {category or 'none'}"
            told = {"name": name, "items": int(chosen.sum()), "mean_words": items.mean_words(chosen)}
            yield told | asdict(measure(items.elements, train, chosen))
