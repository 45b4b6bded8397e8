"""Options that many commands share."""

import click

from sgl import foreign

no_cache_option = click.option("--no-cache", is_flag=True, help="Do not use the cache.")


def named_values(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, str]:
    """Return the values of a repeatable ``NAME=VALUE`` option by name; a click callback."""
    found = {}
    for value in values:
        name, equals, text = value.partition("=")
        if not equals or not name:
            raise click.BadParameter(f"`{value}` is not NAME=VALUE", ctx, param)
        found[name] = text
    return found


def _numbers(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> dict[str, int]:
    """Return the limits that ``--limit`` sets, by name."""
    found = {}
    for name, text in named_values(ctx, param, values).items():
        if name not in foreign.LIMITS:
            known = ", ".join(foreign.LIMITS)
            raise click.BadParameter(f"there is no limit `{name}`; there is: {known}", ctx, param)
        if not (text.isascii() and text.isdigit() and 0 < int(text[:20]) < 2**31):
            raise click.BadParameter(f"`{text}` is not a number from 1 to 2³¹ - 1", ctx, param)
        found[name] = int(text)
    return found


set_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    callback=named_values,
    help="Set a parameter of the grammar (repeatable).",
)

limit_option = click.option(
    "--limit",
    "bounds",
    multiple=True,
    metavar="NAME=NUMBER",
    callback=_numbers,
    help=f"Change a limit (repeatable): {', '.join(foreign.LIMITS)}.",
)
