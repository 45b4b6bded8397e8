"""``sglc help``: the help of a command, the page of a diagnostic code, or a few lines about a topic.

``help.yaml`` has the examples that every ``--help`` ends with, where to read more, and the topics.
"""

from pathlib import Path
from typing import Any

import click
import yaml

from sgl.cli.main import sglc
from sgl.cli.registry import commands

_SITE = "https://github.com/sgl-benchmarks/sgl/blob/main/docs/"


def texts() -> dict[str, Any]:
    """Return what ``help.yaml`` says."""
    found: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("help.yaml").read_text("utf-8"))
    return found


def add_examples(command: click.Command, path: str) -> None:
    """Let the help of a command, and of those below it, end with examples and a link."""
    if found := texts()["commands"].get(path):
        lines = "\n".join(f"  {line}" for line in found["examples"])
        # Click wraps no paragraph that begins with this sign.
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
    elif word.upper().removeprefix("SGL").isdigit():
        return sglc.main(["explain", word], prog_name="sglc", standalone_mode=False)
    else:
        from sgl.diagnostics import one_of

        raise click.UsageError(f"there is no command and no topic `{word}`; {one_of(word, [*topics, *commands()])}")
    if not what:
        click.echo(f"\nTopics: {', '.join(topics)}")
    return None
