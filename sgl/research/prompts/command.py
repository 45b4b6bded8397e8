"""``sglc prompts``: few-shot prompts with proofs, and the check of these proofs."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from sgl.cli.files import DIRECTORY, FILE
from sgl.cli.main import FAILED
from sgl.cli.session import Session, session_options
from sgl.cli.terminal import count, json_option
from sgl.dataset import check_target
from sgl.research.prompts import write
from sgl.research.prompts.beside import things_beside
from sgl.research.prompts.check import check_prompts
from sgl.research.prompts.choose import COMPLEXITY, COVERING, NONE, ORDERS, SETTINGS, STRATEGIES, choose_prompts
from sgl.research.prompts.material import read_material
from sgl.research.prompts.questions import CONTEXTS, NO_CONTEXT, OUTPUT, PROGRAM, TASKS, instruction_of
from sgl.research.prompts.write import FORMS


@click.command("prompts")
@click.argument("dataset", type=FILE)
@click.option("-o", "--out", type=DIRECTORY, help="The directory for the prompts.  [default: none is written]")
@click.option("--verify", "proved", type=FILE, metavar="DIR", help="Check the prompts in DIR; make none.")
@click.option("--shots", type=click.IntRange(1, 1000), default=8, help="Examples in a prompt.")
@click.option("--select", type=click.Choice(STRATEGIES), default=COVERING, help="How they are chosen.")
@click.option("--exposures", type=click.IntRange(1, 1000), default=1, help="How many shots show a part, if they can.")
@click.option("--complexity", type=click.Choice(COMPLEXITY), default="any", help="Of equal shots prefer these.")
@click.option("--order", type=click.Choice(ORDERS), default="random", help="How the shots are arranged.")
@click.option("--control", is_flag=True, help="Show the held-out structure: the first shot is another item.")
@click.option("--matched", is_flag=True, help="Ask about an item of the same words whose structure is in training.")
@click.option("--task", type=click.Choice(TASKS), default=OUTPUT, help="What is asked for.")
@click.option("--context", type=click.Choice(CONTEXTS), default=NO_CONTEXT, help="The grammar before the shots.")
@click.option("--pattern", "patterns", multiple=True, metavar="NAME", help="Items of this pattern only (repeatable).")
@click.option("--items", type=click.IntRange(1), help="Prompts for each pattern.  [default: all items]")
@click.option("--split", metavar="NAME", help="The split with the items.  [default: gen]")
@click.option("--target", metavar="NAME", help="The target to ask for.  [default: the first]")
@click.option("--seed", type=click.IntRange(0), default=1, help="Random seed.")
@click.option("--instruction", metavar="TEXT", help="The first line of each prompt.  [default: by the task]")
@click.option("--as", "forms", type=click.Choice(list(FORMS)), multiple=True, help="A form for models (repeatable).")
@click.option("--model", default="MODEL", metavar="NAME", help="The model that chat prompts name.")
@click.option("--force", is_flag=True, help="Replace prompts that are there.")
@json_option
@session_options
def command(session: Session, dataset: Path, proved: Path | None, *, as_json: bool, **options: Any) -> None:  # noqa: ANN401 - click's
    """Make a prompt with examples from training for each item of DATASET, a directory of `sglc compile`.

    No example has what the item's pattern holds out, and together they show as many parts of the item as they can:
    pieces of what is held out, words and rules.  A certificate says which example shows which part, and --verify
    establishes it again.
    """
    if proved is not None:
        found = check_prompts(proved, dataset, session.progress)
        number, faults = found.number, found.faults
        for fault in faults[:20]:
            session.diagnostics.error("SGL1413", None, fault)
        if as_json:
            session.json({"prompts": number, "faults": faults, "notes": found.notes})
        elif not faults:
            session.echo(f"{count(number, 'prompt')}: each is what its certificate says")
            for note in found.notes:
                session.echo(note)
        session.stop(FAILED if faults else 0)
    elif as_json:
        session.json(prompts(dataset, options, session.progress))
    else:
        session.present("prompts.j2", "sgl.research.prompts", **prompts(dataset, options, session.progress))


def prompts(
    dataset: Path, options: dict[str, Any], progress: Callable[[str, int, int], None] = lambda *_: None
) -> dict[str, Any]:
    """Make prompts by the options of the command, and return what is told of them; raises what the command reports."""
    options = command.make_context("prompts", [str(dataset)]).params | options
    out: Path | None = options["out"]
    # Without --force no directory with files in it may be replaced.
    listing = write.prompt_files if options["force"] else lambda _: None
    settings = {name: options[name] for name in SETTINGS} | ({"shots": 0} if options["select"] == NONE else {})
    if fault := _fault(settings, options["forms"]):
        raise click.UsageError(fault)
    if out is not None:
        check_target(out, listing)
    material = read_material(dataset, options["split"], options["target"])
    known = dict.fromkeys(of.row.category for of in material.items)
    for name in [name for name in settings["patterns"] if name not in known]:
        raise click.UsageError(f"no item belongs to a pattern `{name}`; there is {', '.join(known)}")
    made = choose_prompts(material, settings, progress)
    beside = things_beside(material, made, settings, progress)
    if out is not None:
        said = options["instruction"] or instruction_of(*(settings[name] for name in ("task", "context", "select")))
        wording = {name: options[name] for name in write.WORDING} | {"instruction": said}
        write.write_prompts(out, material, made, settings | wording, beside, listing)
    head = {"dataset": material.signature, "split": material.asked.split, **settings, "out": out and str(out)}
    asked = {prompt.id for prompt in made}
    return head | {"summary": list(write.summary_rows(made)), "beside": len(asked & beside.keys())}


def _fault(settings: Mapping[str, Any], forms: Iterable[str]) -> str:
    """Return what is wrong with options that exclude each other, or "" if nothing is."""
    if settings["control"] and not settings["shots"]:
        return "`--control` shows another item, and there are no shots"
    if settings["task"] != OUTPUT and settings["matched"]:
        return "`--matched` asks for outputs"
    if settings["task"] == PROGRAM and not {*forms} <= {"chat", "text"}:
        return "programs are asked for `--as chat` or `--as text`: a harness would compare their text"
    return ""
