"""Commands that list and explain: commands, topics, diagnostic codes, bundled grammars, and the cache.

``help.yaml`` has the topics, and for each ``--help`` the examples and the link at its end.
"""

from collections import Counter
from pathlib import Path
from typing import Any

import click
import yaml

from sgl.cache import LIMIT, cache_directory, open_cache
from sgl.characters import visible
from sgl.cli.main import FAILED, OK, OUTPUT, sglc
from sgl.cli.registry import commands
from sgl.cli.terminal import count, json_option, json_text, say
from sgl.diagnostics import CODES, one_of, suggest
from sgl.diagnostics.registry import page
from sgl.resources import bundled_grammars

_SITE = "https://github.com/sgl-benchmarks/sgl/blob/main/docs/"

_PREFIX = "SGL"

_MEBIBYTE = 1 << 20


def texts() -> dict[str, Any]:
    """Return the content of ``help.yaml``."""
    found: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("help.yaml").read_text("utf-8"))
    return found


def add_examples(command: click.Command, path: str) -> None:
    """Append examples and a link to the help of a command and its subcommands."""
    if found := texts()["commands"].get(path):
        lines = "\n".join(f"  {line}" for line in found["examples"])
        # Click does not wrap paragraphs that begin with this sign.
        command.epilog = f"\b\nExamples:\n{lines}\n\n\b\nMore: {_SITE}{found['page']}"
    for name, inner in command.commands.items() if isinstance(command, click.Group) else ():
        add_examples(inner, f"{path} {name}")


@click.command("help")
@click.argument("what", nargs=-1, metavar="[COMMAND | CODE | TOPIC]")
def command(what: tuple[str, ...]) -> Any:  # noqa: ANN401 - what the command returns
    """Explain a command, a diagnostic code such as SGL0301, or a topic; without any, list them."""
    topics, word = texts()["topics"], " ".join(what)
    if not what or what[0] in commands():
        sglc.main([*what, "--help"], prog_name="sglc", standalone_mode=False)
    elif word in topics:
        click.echo(f"{topics[word]['text']}\nMore: {_SITE}{topics[word]['page']}")
    elif word.upper().removeprefix(_PREFIX).isdigit():
        return sglc.main(["explain", word], prog_name="sglc", standalone_mode=False)
    else:
        raise click.UsageError(f"there is no command or topic `{word}`; {one_of(word, [*topics, *commands()])}")
    if not what:
        click.echo(f"\nTopics: {', '.join(topics)}")
    return None


@click.command("explain")
@click.argument("code", required=False)
def explain(code: str | None) -> int:
    """Explain the diagnostic CODE, for example SGL0301 or 301; without a code, list all."""
    if code is None:
        for entry in CODES.values():
            click.echo(f"{entry.code}  {entry.title}")
        return OK
    number = code.upper().removeprefix(_PREFIX)
    asked = _PREFIX + number.zfill(4) if number.isdigit() else code.upper()
    if asked not in CODES:
        hint = suggest(asked, CODES) or "`sglc explain` lists all"
        click.echo(f"there is no code `{visible(code)}`; {hint}", err=True)
        return FAILED
    click.echo(page(CODES[asked]))
    return OK


@click.command("grammars")
@click.option("--path", is_flag=True, help="Show where the files are.")
def grammars(path: bool) -> None:
    """List the grammars that come with SGL; every command accepts their names.

    A local file of that name, with or without `.sgl`, takes precedence.
    """
    found = bundled_grammars()
    width = max(map(len, found))
    for name, title, file in found.values():
        say(f"{name:<{width}}  {file if path else title}")


@click.group("cache", context_settings={"help_option_names": ["-h", "--help"]})
def cache_group() -> None:
    """Show or clear the cached results of earlier runs.

    Compiled grammars, proofs and other results are cached in a directory of your own, under hashes of all their inputs.
    The variable SGL_CACHE_DIR names another directory; if it is empty, nothing is cached.
    """


@cache_group.command("info")
@json_option
def info(as_json: bool) -> None:
    """Show the directory, and the number of entries of each kind."""
    cache = open_cache()
    entries = [] if cache is None else cache.entries()
    size = sum(entry.size for entry in entries)
    kinds = dict(sorted(Counter(entry.kind for entry in entries).items()))
    if as_json:
        directory = None if cache is None else str(cache.directory)
        figures = {"directory": directory, "entries": len(entries), "bytes": size, "limit": LIMIT, "kinds": kinds}
        click.echo(json_text(figures), nl=False)
    elif cache is None:
        click.echo(_nothing_kept())
    else:
        sizes = f"{size / _MEBIBYTE:,.1f} MiB of at most {LIMIT // _MEBIBYTE:,} MiB"
        click.echo(f"directory  {cache.directory}\nentries    {count(len(entries), 'entry', 'entries')}, {sizes}")
        for kind, number in kinds.items():
            click.echo(f"  {kind:<11}  {number:,}")


@cache_group.command("clear")
def clear() -> int:
    """Remove all entries; the next run recomputes everything."""
    cache = open_cache()
    if cache is None:
        click.echo(_nothing_kept())
        return OK
    try:
        number = cache.clear()
    except OSError as problem:
        click.echo(f"error: cannot clear {cache.directory}: {problem.strerror}", err=True)
        return OUTPUT
    click.echo(f"removed {count(number, 'entry', 'entries')} from {cache.directory}")
    return OK


def _nothing_kept() -> str:
    directory = cache_directory()
    if directory is None:
        return "nothing is cached: the cache is switched off"
    return f"nothing is cached: {directory} cannot be written, or others can write to it"
