"""``sglc cache``: where the results of earlier runs are kept, and how to remove them."""

from collections import Counter

import click

from sgl.cache import LIMIT, cache_directory, open_cache
from sgl.cli.main import OK, OUTPUT
from sgl.cli.session import json_option, json_text
from sgl.cli.terminal import count

_MEBIBYTE = 1 << 20


@click.group("cache", context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Show or clear what earlier runs have kept.

    Compiled grammars, proofs and the like are kept in a directory of yours, under hashes of all that they depend on.
    The variable SGL_CACHE_DIR names another directory; if it is empty, nothing is kept.
    """


@command.command("info")
@json_option
def info(as_json: bool) -> None:
    """Show the directory, and how many entries of which kind there are."""
    cache = open_cache()
    entries = [] if cache is None else cache.entries()
    size = sum(entry.size for entry in entries)
    kinds = dict(sorted(Counter(entry.kind for entry in entries).items()))
    if as_json:
        figures = {
            "directory": None if cache is None else str(cache.directory),
            "entries": len(entries),
            "bytes": size,
            "limit": LIMIT,
            "kinds": kinds,
        }
        click.echo(json_text(figures), nl=False)
    elif cache is None:
        click.echo(_nothing_kept())
    else:
        lines = [f"  {kind:<11}  {number:,}" for kind, number in kinds.items()]
        sizes = f"{size / _MEBIBYTE:,.1f} MiB of at most {LIMIT // _MEBIBYTE:,} MiB"
        head = f"directory  {cache.directory}\nentries    {count(len(entries), 'entry', 'entries')}, {sizes}"
        click.echo("\n".join([head, *lines]))


@command.command("clear")
def clear() -> int:
    """Remove all entries; the next run computes everything anew."""
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
        return "nothing is kept: the cache is switched off"
    return f"nothing is kept: {directory} cannot be written, or others can write to it"
