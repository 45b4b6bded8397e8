"""``sglc sample``: sentences of a grammar, a category or a pattern; ``sglc stats``: its expected counts."""

import errno
import filecmp
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

import click

from sgl import __version__
from sgl.automata import StructureCompiler
from sgl.automata.weights.nearest import Nearest, NearestFinder
from sgl.cli.arguments import graph_layers, graph_text, listed, text_layers
from sgl.cli.files import Result, why_not
from sgl.cli.main import FAILED
from sgl.cli.parallelism import parallel_options, resumable
from sgl.cli.session import Session, grammar_argument, grammar_options
from sgl.cli.terminal import count, json_option
from sgl.core.grammar import CoreGrammar, Token
from sgl.core.interpret import Derivation, Item, fold
from sgl.core.plan import Plan, content_lemmas
from sgl.diagnostics import shortlist
from sgl.frontend import Compiled
from sgl.frontend.names.parameters import MAX_COUNT
from sgl.parallel.executor import Parallelism, interrupted, open_executor, open_run
from sgl.pipeline import samples
from sgl.rendering import outputs
from sgl.sampling import pack


class _Rows(Result):
    """A file of rows; it may be replaced if an interrupted run was to write it."""

    def is_in(self, path: Path) -> bool:
        return interrupted(path)


_ROWS = _Rows()


@click.command("sample")
@grammar_argument
@click.argument("what", required=False)
@click.option(*("-n", "--number"), type=click.IntRange(min=1, max=MAX_COUNT), default=5, help="Number of sentences.")
@click.option(
    "--where", multiple=True, metavar="STRUCTURE", help="Show only sentences that contain STRUCTURE (repeatable)."
)
@click.option("--seed", type=int, help="Random seed.  [default: the dataset's]")
@click.option(
    *("--show", "layers"),
    default="",
    show_default=False,
    metavar="LIST",
    help="What to show: text layers, views, `tree`, `graph`.  [default: all text layers]",
)
@click.option(
    "--pairs", is_flag=True, help="Show each item with the nearest in-distribution sentence, and the difference."
)
@click.option(
    "-o", "--out", type=_ROWS, help="Write to this file, NAME.parquet or NAME.tsv.  [default: standard output]"
)
@click.option("--distinct", is_flag=True, help="Drop duplicate source sentences; with --out.")
@parallel_options
@click.option("--force", is_flag=True, help="Replace an existing file or an interrupted run.")
@json_option
@grammar_options
def command(
    session: Session,
    grammar: Path,
    what: str | None,
    where: tuple[str, ...],
    number: int,
    seed: int | None,
    layers: str,
    pairs: bool,
    out: Path | None,
    distinct: bool,
    parallelism: Parallelism,
    as_json: bool,
) -> None:
    """Show sentences of GRAMMAR, or of WHAT in it, or write them to a file.

    WHAT is a pattern (its generalization items), `train` (in-distribution sentences), or, in the whole grammar,
    a category (`NP`, `NP[case=dat]`: its variants in turn), a structure that sentences contain (`'{ V
    -[iobj]-> N }'`), or a partial tree with holes (`'(VP V (NP Det _))'`, as `--show tree` writes trees).

    With --pairs, each item of a pattern is followed by the possible training sentence that differs from it by the
    fewest rules: item, sentence, dropped rules (-) and new rules (+), separated by tabs.

    With --out, the columns of the file are the text layers and views in --show.  The file
    depends only on the grammar, WHAT, the number and the seed.
    """
    compiled = session.open(grammar)
    shown = listed(layers) or ([compiled.plan.source] if pairs else text_layers(compiled.grammar))
    more = [] if pairs else ["tree", "graph"]
    session.check_names(shown, [*outputs(compiled.grammar), *more], "layer or view")
    if as_json and (pairs or out is not None):
        session.refuse("`--json` shows sentences; leave out `--pairs` and `--out`")
    if out is None and (distinct or parallelism != Parallelism()):
        session.refuse("these options only apply to a file; name one with `--out`")
    if pairs:
        _check_pairs(session, compiled, what, out)
    chosen = choose(session, compiled, what, where)
    if out is not None:
        request = samples.plan_of(compiled.plan, [(samples.STREAM, number, chosen.constraint)], seed, distinct)
        _write_file(session, compiled, chosen, request, shown, out, parallelism)
        return
    core = chosen.grammar
    items = draw_items(session, compiled, chosen, number, seed)
    if as_json:
        session.json([values_of(core, item, shown, index) for index, item in enumerate(items, 1)])
        return
    finder = _finder(session, compiled) if pairs else None
    for index, item in enumerate(items, 1):
        nearest = None if finder is None else finder.find(item.derivation)
        if nearest is not None:
            session.echo(_pair(core, item.derivation, nearest, shown))
            continue
        for line in lines_of(values_of(core, item, shown, index)):
            session.echo(line)


def _check_pairs(session: Session, compiled: Compiled, what: str | None, out: Path | None) -> None:
    """Refuse pairs of anything but the items of a pattern on the terminal."""
    if what not in [pattern.name for pattern in compiled.plan.patterns]:
        session.refuse("pairs show the items of one pattern; name a pattern")
    if out is not None:
        session.refuse("pairs are shown, not written to a file")


def choose(session: Session, compiled: Compiled, what: str | None, where: Sequence[str] = ()) -> samples.SampleSource:
    """Return the source of sentences that WHAT describes, or end the command."""
    with _refusing(session):
        chosen = samples.source_of(compiled, what, session.sources, session.diagnostics, where)
    if chosen is None:
        session.stop()
    return chosen


def draw_items(
    session: Session, compiled: Compiled, chosen: samples.SampleSource, number: int, seed: int | None
) -> list[Item]:
    """Return ``number`` items; end the command if the source has no sentence."""
    with _refusing(session):
        return samples.sampled_items(compiled, chosen, number, seed)


@contextmanager
def _refusing(session: Session) -> Iterator[None]:
    """End the command with a message if the request cannot be met."""
    try:
        yield
    except samples.NoSentenceError as problem:
        session.fail("SGL0812", str(problem), problem.place, hint="`sglc prove` says why")
    except samples.SampleError as problem:
        session.refuse(str(problem))


def _write_file(
    session: Session,
    compiled: Compiled,
    chosen: samples.SampleSource,
    plan: Plan,
    columns: Sequence[str],
    out: Path,
    parallelism: Parallelism,
) -> None:
    """Write the sentences of a one-stratum plan; end the command if no format can hold them."""
    started = time.monotonic()
    # Kernels and Arrow take a third of a second to load.
    from sgl.dataset import fingerprint
    from sgl.dataset.staged import FormatError
    from sgl.parallel.dataset import PARQUET, TSV, SentenceWork, sample_into

    if (form := out.suffix.removeprefix(".")) not in (TSV, PARQUET):
        session.refuse(f"`{out}` has no known format: end its name in .parquet or .tsv")
    unfit = [name for name in columns if name in ("tree", "graph")]
    if unfit:
        session.refuse(f"`{unfit[0]}` is not one line, so it cannot be a column")
    core, starts = chosen.grammar, chosen.starts
    names = [core.categories[number].name for number in starts]
    if len(names) > 1:
        session.refuse(f"a file has sentences of one category; name one of {', '.join(names)}")
    (stratum,) = plan.strata
    try:
        with resumable(session, out, parallelism), _refusing(session):
            split = samples.split_of(compiled, core, starts[0], stratum.constraint)
            work = SentenceWork(pack(core, plan, {stratum.stream: split}), core, tuple(columns), form)
            # Only a run with the same identity may resume an interrupted run.
            identity = {
                "version": __version__,
                "grammar or request": fingerprint(core, plan),
                "category": core.categories[split.grammar.start].name,
                "seed": plan.seed,
                "number": stratum.count,
                "list of columns": list(columns),
                "kind of file": work.form,
            }
            with open_run(out, identity, parallelism) as run:
                there = out.exists() and not (run.resumed or parallelism.force)
                if there and not parallelism.resume:
                    # Another run has finished since the target was checked.
                    raise FileExistsError(errno.EEXIST, "another run has just written it", str(out))
                # A complete result is sampled again and compared.
                target = run.path / "again" if there else out
                with open_executor(work, parallelism, run.path) as executor:
                    sample_into(target, work, executor, run, session.progress)
                same = target == out or filecmp.cmp(target, out, shallow=False)
                run.discard()
            if not same:
                raise FileExistsError(errno.EEXIST, "it already exists, and is another file", str(out))
    except OSError as problem:
        session.fail("SGL1103", why_not(out, problem))
    except FormatError as problem:
        session.fail("SGL1103", f"cannot write `{out}`: {problem}", status=FAILED)
    seconds = time.monotonic() - started
    session.echo(f"{out}: {count(stratum.count, 'sentence')} in {seconds:.1f} s")


def values_of(core: CoreGrammar, item: Item, shown: Sequence[str], index: int) -> dict[str, str]:
    """Return the requested values of an item by name: layers, views, ``tree`` and ``graph``."""
    known = outputs(core)
    values = {name: known[name](item.derivation) for name in shown if name in known}
    if [view.kind for view in core.views if view.name in shown and len(shown) == 1] == ["penman"]:
        # Add the header that AMR files have.
        head = f"# ::id {samples.STREAM}-{index:06d}\n# ::snt {item.texts[0]}\n"
        values = {name: f"{head}{graph}\n" for name, graph in values.items()}
    if "tree" in shown:

        def phrase(number: int, children: tuple[str, ...]) -> str:
            rule = core.rules[number]
            parts = [part.text if isinstance(part, Token) else children[part.child] for part in rule.constituents(0)]
            return f"({core.categories[rule.lhs].base} {' '.join(parts)})"

        values["tree"] = fold(item.derivation, core.arity, phrase)
    if "graph" in shown:
        names, sent_id = graph_layers(core), f"sample-{index:06d}"
        values["graph"] = "".join(graph_text(core, item, n, sent_id=sent_id, category=samples.STREAM) for n in names)
    return values


def lines_of(values: Mapping[str, str]) -> list[str]:
    """Return an item as lines: its texts separated by tabs, its tree, its graphs."""
    line = "\t".join(value for name, value in values.items() if name not in ("tree", "graph"))
    graphs = values.get("graph", "").split("\n")[:-1]
    return [*filter(None, (line, values.get("tree"))), *graphs]


def _finder(session: Session, compiled: Compiled) -> NearestFinder:
    stratum = compiled.plan.in_distribution("train")
    if stratum is None:
        message = "the dataset has no in-distribution sentences to compare items with"
        session.fail("SGL0804", message, compiled.dataset_span, hint="say how many: `train 1000`")
    split = StructureCompiler(compiled.grammar).split(stratum.constraint)
    if split.empty:
        session.fail("SGL0812", "training can contain no sentence", compiled.dataset_span)
    return NearestFinder(split, content_lemmas(compiled.grammar, compiled.plan))


def _pair(core: CoreGrammar, derivation: Derivation, nearest: Nearest, shown: list[str]) -> str:
    """Return one row: the item, the nearest sentence, the dropped rules and the new ones.

    Rules that introduce words are shown with their category: ``-with_pp -N:cat +noun``.
    """
    known = outputs(core)
    texts = [known[name](d) for d in (derivation, nearest.derivation) for name in shown]
    names = []
    for sign, numbers in (("-", nearest.dropped), ("+", nearest.new)):
        for rule in (core.rules[number] for number in numbers):
            category = core.categories[rule.lhs].base
            words = f"{category}:{'_'.join(rule.words(0))}"
            names.append(sign + (words if rule.lexical else rule.name))
    return "\t".join([*texts, " ".join(names)])


@click.command("stats")
@grammar_argument
@click.argument("what", required=False)
@click.option("--words", type=click.IntRange(min=0), default=5, help="Number of words to show per lexicon.")
@json_option
@grammar_options
def stats(session: Session, grammar: Path, what: str | None, words: int, as_json: bool) -> None:
    """Show how often a text of GRAMMAR uses each rule, category, word and label.

    The counts are exact expectations, without sampling.  For each rule, the table names
    the rules with which it competes.  WHAT is as for `sglc sample`: a pattern, `train`,
    a category (all its variants count equally), a structure or a partial tree.
    """
    from sgl.pipeline.expectations import expectations

    compiled = session.open(grammar)
    chosen = choose(session, compiled, what)
    core, starts = chosen.grammar, chosen.starts
    splits = [StructureCompiler(replace(core, start=start)).split(chosen.constraint) for start in starts]
    splits = [split for split in splits if not split.empty]
    if not splits:
        session.fail("SGL0812", "no sentence of the grammar qualifies", compiled.dataset_span)
    found = expectations(splits)
    if as_json:
        session.json({"of": what, **asdict(found)})
        return
    category = core.categories[starts[0]]
    name = category.name if len(starts) == 1 else f"{category.base} ({len(starts)} variants alike)"
    session.present("stats.j2", name=name, found=found, words=words, shortlist=shortlist)
