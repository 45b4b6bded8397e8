"""``sglc prompts``: few-shot prompts with a proof of each, and the check of such proofs."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from sgl.cli.files import DIRECTORY, FILE
from sgl.cli.main import FAILED
from sgl.cli.session import Session, session_options
from sgl.cli.terminal import count, json_option
from sgl.dataset import check_target
from sgl.diagnostics import UserError, one_of
from sgl.research.prompts.check import check_prompts
from sgl.research.prompts.choose import COVERING, STRATEGIES, Settings, choose_prompts
from sgl.research.prompts.material import read_material
from sgl.research.prompts.write import (
    FORMS,
    INSTRUCTION,
    Wording,
    files_of,
    prompt_files,
    prompts_certificate,
    summary_rows,
    write_prompts,
)

#: Faults of prompts that are reported; the others are counted.
_NAMED = 20

_Progress = Callable[[str, int, int], None]


class PromptFault(UserError):
    """A prompt that is not what its certificate says."""

    code = "SGL1413"


@click.command("prompts")
@click.argument("dataset", type=FILE)
@click.option("-o", "--out", type=DIRECTORY, help="The directory for the prompts.  [default: none is written]")
@click.option("--verify", "proved", type=FILE, metavar="DIR", help="Check the prompts in DIR; make none.")
@click.option("--shots", type=click.IntRange(1, 1000), default=8, help="Examples in a prompt.")
@click.option("--select", type=click.Choice(STRATEGIES), default=COVERING, help="How they are chosen.")
@click.option("--pattern", "patterns", multiple=True, metavar="NAME", help="Items of this pattern only (repeatable).")
@click.option("--items", type=click.IntRange(1), help="Prompts for each pattern.  [default: all items]")
@click.option("--split", metavar="NAME", help="The split with the items.  [default: gen]")
@click.option("--target", metavar="NAME", help="The target that is asked for.  [default: the first]")
@click.option("--seed", type=click.IntRange(0), default=1, help="Seed of the random numbers.")
@click.option("--instruction", metavar="TEXT", default=INSTRUCTION, help="The first line of each prompt.")
@click.option("--as", "forms", type=click.Choice(FORMS), multiple=True, help="Write this form as well (repeatable).")
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
        number, faults = check_prompts(proved, dataset, session.progress)
        for fault in faults[:_NAMED]:
            session.diagnostics.add(PromptFault(fault).diagnostic)
        if as_json:
            session.json({"prompts": number, "faults": faults})
        elif not faults:
            session.echo(f"{count(number, 'prompt')}: each is what its certificate says")
        session.stop(FAILED if faults else 0)
    found = prompts(dataset, options, session.progress)
    if as_json:
        session.json(found)
    else:
        session.present("prompts.j2", "sgl.research.prompts", **found)


def prompts(dataset: Path, options: dict[str, Any], progress: _Progress = lambda *_: None) -> dict[str, Any]:
    """Make prompts and return what is told of them; the options are those of the command.

    Raises ``UserError`` for what cannot be made, and ``OutputError`` for what cannot be written.
    """
    options = command.make_context("prompts", [str(dataset)]).params | options
    out: Path | None = options["out"]
    # Without --force no directory with files in it may be replaced.
    listing = prompt_files if options["force"] else lambda _: None
    settings = Settings(*(options[name] for name in ("shots", "select", "patterns", "items", "seed")))
    wording = Wording(options["instruction"], tuple(dict.fromkeys(options["forms"])), options["model"])
    if out is not None:
        check_target(out, listing)
    progress("reading", 0, 1)
    material = read_material(dataset, options["split"], options["target"])
    known = list(dict.fromkeys(row.category for row in material.items.rows))
    if unknown := [name for name in settings.patterns if name not in known]:
        raise click.UsageError(f"no item is of a pattern `{unknown[0]}`; {one_of(unknown[0], known)}")
    made, told = choose_prompts(material, settings, progress), asdict(settings)
    if out is not None:
        proof = prompts_certificate(material, made, told, wording)
        write_prompts(out, files_of(material, made, wording), proof, listing)
    head = {"dataset": material.signature, "split": material.split, **told, "out": out and str(out)}
    return head | {"summary": list(summary_rows(made))}
