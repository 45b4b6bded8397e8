"""The commands of ``sglc``: built-in commands, and commands that packages register.

A package registers a command by an entry point of the group ``sgl.commands``.  The entry point has the command's name,
and its value is a :class:`CommandEntry`, so that ``sglc --help`` imports nothing heavy. The module of an entry defines
the click command ``command``; :mod:`sgl.cli.session` provides its access to ``sglc``.  The tools of ``sgl.research``
are registered in the same way.
"""

from collections.abc import Callable, Mapping
from functools import cache
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import click

#: The entry-point group for commands.
GROUP = "sgl.commands"

#: The headings of ``sglc --help`` in order of work; other headings follow.
GROUPS = WRITE, CHECK, MAKE, STUDY = "Write a grammar", "Check it", "Make a dataset", "Study data and systems"

#: Commands whose output can be their only effect; it is repeated from the cache while nothing has changed.
REPEATED = ("prove", "sample", "stats")
#: Commands that look at a grammar or a dataset once and end; others may train or wait for hours.
BRIEF = ("check", "compile", "verify", *REPEATED)


class CommandEntry(NamedTuple):
    """A command: the module that defines it as ``command``, and a one-line summary.

    Append another name than ``command`` to the module after a colon.  ``group`` is the heading in ``sglc --help``, one
    of ``GROUPS`` or a new one; ``python`` names the function in the module that ``import sgl`` calls instead.
    """

    module: str
    summary: str
    group: str = "Further commands"
    python: str = ""

    def load(self) -> "click.Command":
        """Import the command."""
        module, _, name = self.module.partition(":")
        command: click.Command = resolve_name(f"{module}:{name or 'command'}")
        return command

    def function(self) -> Callable[..., Any]:
        """Import the function that ``import sgl`` calls."""
        found: Callable[..., Any] = resolve_name(f"{self.module.partition(':')[0]}:{self.python}")
        return found

    def typed(self, options: Mapping[str, object]) -> dict[str, Any]:
        """Return options of the command, converted to their declared types; raises ``click.UsageError``."""
        import click

        command = self.load()
        context, known = click.Context(command), {parameter.name: parameter for parameter in command.params}
        if unknown := [name for name in options if name not in known]:
            raise click.UsageError(f"there is no option `{unknown[0]}`")
        return {name: known[name].type_cast_value(context, value) for name, value in options.items()}


#: The commands of the compiler.
OWN: dict[str, CommandEntry] = {
    "audit": CommandEntry("sgl.cli.corpora:audit", "Compare a corpus with a grammar; find structures in it.", STUDY),
    "cache": CommandEntry("sgl.cli.about:cache_group", "Show or clear the cache of earlier results."),
    "check": CommandEntry("sgl.cli.check", "Check a grammar.", CHECK),
    "compile": CommandEntry("sgl.cli.compile", "Prove, sample, write and verify a dataset.", MAKE),
    "diff": CommandEntry("sgl.cli.verify:diff", "Show what has changed between two datasets.", CHECK),
    "explain": CommandEntry("sgl.cli.about:explain", "Explain a diagnostic code.", CHECK),
    "fit": CommandEntry("sgl.cli.corpora:fit", "Estimate the weights of a grammar from a corpus.", MAKE),
    "fmt": CommandEntry("sgl.cli.sources:fmt", "Format grammar files.", WRITE),
    "grammars": CommandEntry("sgl.cli.about:grammars", "List the grammars that come with SGL.", WRITE),
    "help": CommandEntry("sgl.cli.about", "Explain a command, a diagnostic code or a topic."),
    "lock": CommandEntry("sgl.cli.sources:lock", "Record the hashes of the files that a grammar uses.", CHECK),
    "new": CommandEntry("sgl.cli.sources:new", "Create a directory with a small grammar to start from.", WRITE),
    "parse": CommandEntry("sgl.cli.parse", "Show the trees of a sentence.", WRITE),
    "prove": CommandEntry("sgl.cli.prove", "Prove the claims of the patterns.", CHECK),
    "release": CommandEntry("sgl.cli.verify:release", "Pack a dataset for publication, and check the archive.", MAKE),
    "sample": CommandEntry("sgl.cli.sample", "Show sentences of a grammar or a pattern.", WRITE),
    "stats": CommandEntry("sgl.cli.sample:stats", "Show how often texts use each rule and word.", WRITE),
    "test": CommandEntry("sgl.cli.testing", "Run the tests, examples and recorded samples of grammars.", CHECK),
    "translate": CommandEntry("sgl.cli.parse:translate", "Translate a sentence into the other layers.", WRITE),
    "verify": CommandEntry("sgl.cli.verify", "Check a dataset or a certificate independently.", MAKE),
    "watch": CommandEntry("sgl.cli.testing:watch", "Show errors and samples at each save.", CHECK),
}


@cache
def commands() -> dict[str, CommandEntry]:
    """Return all commands by name, in alphabetical order.

    Packages cannot replace a command of the compiler.  If two packages register one name, the first that is found
    counts.  A package that cannot be imported does not stop the others.
    """
    from importlib.metadata import entry_points

    found = dict(OWN)
    for point in entry_points(group=GROUP):
        if point.name in found:
            continue
        try:
            entry = point.load()
        except Exception as problem:  # noqa: BLE001 - of a package that may be anybody's
            entry = problem
        if not isinstance(entry, CommandEntry):
            entry = CommandEntry(point.module, f"(cannot be loaded: {entry})")
        found[point.name] = entry
    return dict(sorted(found.items()))
