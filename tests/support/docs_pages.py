"""The reference pages that are made from the program: ``python tests/support/docs_pages.py``.

=======================  =====================================================
``docs/diagnostics.md``  the list of all codes, from the registry
``docs/diagnostics/``    the codes themselves, a page for each topic
``docs/checks.md``       every check of the verifier, from the checks themselves
``docs/commands.md``     the list of commands, in a page written by hand
``docs/commands/``       usage, options and examples of each command, below the
                         text that is written by hand
``docs/limits.md``       the tables, from ``limits.toml`` and the constants, in a
                         page written by hand
``docs/audit.md``        the definitions of leaks, from the audit, in a page written
                         by hand
``docs/baseline.md``     presets and settings, from the configuration and
                         ``settings.toml``, in a page written by hand
``docs/stdlib.md``       the Japanese forms, inflected by the library, in a page
                         written by hand
``docs/grammar.md``      every production of the language, by declaration
``docs/api.md``          every name of the pages in ``docs/api``, which are
                         written by hand
``docs/changelog.md``    the changelog, for the site
=======================  =====================================================

In a page written by hand, the generated part stands between ``<!-- generated: NAME -->`` and
``<!-- end -->``, or the end of the page.

The pages are kept in the repository, so that the site needs no plugin; a test
compares them with what this module makes.
"""

from __future__ import annotations

import dataclasses
import inspect
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module, resources
from itertools import groupby
from pathlib import Path

import click
from diagnostics import BASE

import sgl
from sgl import foreign
from sgl.cli.about import texts
from sgl.cli.registry import GROUPS, commands
from sgl.corpus.audit.leaks import report_lines
from sgl.diagnostics import CODES, Code
from sgl.diagnostics.registry import MAIN
from sgl.pipeline.release import CLAIM, CODE, NAME
from sgl.research.baselines.config import Config, presets, read_config
from sgl.verify.dataset import CLAIMS

DOCS = Path(__file__).parents[2] / "docs"

#: What codes are about, by the two digits after ``SGL``.
TOPICS = {
    "00": "Files",
    "01": "What cannot be read",
    "02": "Names",
    "03": "Rules and layers",
    "04": "Features",
    "05": "Graphs",
    "06": "Tables and morphology",
    "07": "Weights and recursion",
    "08": "Patterns and the dataset",
    "09": "The run as a whole",
    "11": "Sentences and corpora",
    "12": "Other formats",
    "13": "Splits by divergence",
    "14": "Predictions",
    "15": "Treebanks and outputs",
    "16": "Baselines",
}
_ELSEWHERE = "Other packages"

_INTRODUCTION = """\
# Diagnostics

Use this page to look up a message of the compiler. Every message has a code; `sglc explain CODE`
prints its entry in the terminal. An error stops the compilation, a warning does not. Tests compile
every example: the wrong one gives exactly this code, and the right one none.

Examples are parts of a grammar. The rest of it is this file, `{main}`:

```sgl
{base}```
"""

#: Found by a code; by other words, the pages that explain them come first.
_TOPIC = """\
---
search:
  boost: 0.2
---

# {topic}

Use this page to find out what a message means and how to correct the mistake. Examples are parts of
[one grammar](../diagnostics.md).

"""

_API = """\
# Python interface

Use this page to find a class or a function of the compiler. Most programs need only the stable interface, on the page
[From Python](python.md). The names here may change in any release.
"""

#: The pages of ``docs/api``, in their order.
_API_PAGES = (
    *("reading", "core", "proofs", "parsing", "datasets", "logical-forms", "divergence"),
    *("analyse", "evaluate", "exchange", "verification", "report", "commands"),
)
_MODULE = re.compile(r"^::: ([\w.]+)(?:\n    options:\n      members: \[(.*)\])?", re.MULTILINE)

_CHECKS = """\
# Checks of the verifier

Use this page to look up what `sglc verify` checks in a written dataset. There are two witnesses: the
*certificate*, from which all rows are made again, and the written *graphs*, each of which is searched.
Checks of the *rows* need neither. Where one witness implies what the other checks, the table says why
both are asked. A check that needs a failed check is skipped. A dataset without its certificate fails
V025 and V030; then nothing shows that its texts fit its graphs, that sentences and lemmas are distinct,
or that Parquet files have the same rows. `sglc compile` draws a sample of the rows again, `sglc verify`
all of them. Missing codes are retired.

| code | check | witness | what must be true |
| --- | --- | --- | --- |
"""


def topic_of(code: Code) -> str:
    """Return what a code is about."""
    return TOPICS.get(code.code[3:5], _ELSEWHERE) if code.code.startswith("SGL") else _ELSEWHERE


def diagnostics_pages() -> Iterator[tuple[str, str]]:
    """Yield the list of all codes, and a page for each topic.

    A row of the list has the anchor that the code has on its page, so that old links lead there.
    """
    parts = [_INTRODUCTION.format(main=MAIN, base=BASE)]
    for topic, group in groupby(CODES.values(), key=topic_of):
        codes = list(group)
        name = codes[0].code[3:5] if topic != _ELSEWHERE else "others"
        rows = (_row(code, f"diagnostics/{name}.md#{code.code.lower()}") for code in codes)
        parts += [f"## {topic}\n", "| code | what it says |", "| --- | --- |", *rows, ""]
        entries = (f"## {c.code}: {c.title} {{ #{c.code.lower()} }}\n\n{_moved(c.body)}" for c in codes)
        yield f"diagnostics/{name}.md", _TOPIC.format(topic=topic) + "\n".join(entries)
    yield "diagnostics.md", "\n".join(parts)


def _row(code: Code, place: str) -> str:
    return f'| <a id="{code.code.lower()}"></a>[{code.code}]({place}) | {_cell(code.title)} |'


def _moved(body: str) -> str:
    """Return an entry whose links are those of a page in a directory."""
    return re.sub(r"\]\((?!https?:|#|\.\./)([\w/-]+\.md)", r"](../\1", body)


def checks_page() -> str:
    """Return the page of all checks of the verifier."""
    checks = [
        (code, own["name"], own["witness"], " ".join([own["claim"], own.get("more", ""), own.get("stays", "")]))
        for code, own in CLAIMS.items()
    ]
    checks += [(CODE, NAME, "grammar", f"{CLAIM} Only `sglc verify --grammar` makes this check.")]
    rows = [f"| {code} | {name} | {witness} | {_cell(claim)} |" for code, name, witness, claim in checks]
    return _CHECKS + "\n".join(rows) + "\n"


def api_page(directory: Path = DOCS / "api") -> str:
    """Return the page of all names of the interface, each with a link to its own page.

    A row has the anchor that the name has there, so that old links lead to it.
    """
    parts = [_API]
    for page in _API_PAGES:
        text = (directory / f"{page}.md").read_text(encoding="utf-8")
        title = next(line for line in text.splitlines() if line.startswith("# ")).removeprefix("# ")
        rows = (_api_row(page, *found) for module, names in _MODULE.findall(text) for found in _members(module, names))
        parts += [f"## {title}\n", f"With signatures: [{title}](api/{page}.md).\n"]
        parts += ["| name | what it is |", "| --- | --- |", *rows, ""]
    return "\n".join(parts)


def _members(module: str, names: str) -> Iterator[tuple[str, str, object]]:
    """Yield a module's names that are listed, or all that it defines, with their values."""
    values = vars(import_module(module))
    own = (name for name, value in values.items() if getattr(value, "__module__", "") == module and name[0] != "_")
    for name in names.split(", ") if names else own:
        yield module, name, values[name]


def _api_row(page: str, module: str, name: str, value: object) -> str:
    documented = inspect.getdoc(value) if inspect.isclass(value) or inspect.isfunction(value) else None
    says = (documented or "Shown on its page.").partition("\n\n")[0].replace("``", "`")
    place = f"{module}.{name}"
    return f'| <a id="{place}"></a>[`{name}`](api/{page}.md#{place}) | {_cell(says)} |'


#: Options that one sentence of ``commands.md`` explains for all commands.
_COMMON = ("--set", "--no-cache", "--quiet", "--verbose", "--limit", "--format", "--color")


def command_pages(directory: Path = DOCS) -> Iterator[tuple[str, str]]:
    """Yield the list of all commands, and the page of each: its own text, then usage, options, examples."""
    groups: dict[str, list[str]] = {group: [] for group in GROUPS}
    for name, entry in commands().items():
        if not entry.module.startswith("sgl"):  # of another package that is installed here
            continue
        summary = f'| <a id="{name}"></a>[`{name}`](commands/{name}.md) | {_cell(entry.summary)} |'
        groups.setdefault(entry.group, []).append(summary)
        leaves = "".join("\n" + _usage(command, path) for command, path in _leaves(entry.load(), f"sglc {name}"))
        yield f"commands/{name}.md", filled(directory / "commands" / f"{name}.md", "usage", leaves)
    head = ["", "| command | what it does |", "| --- | --- |"]
    table = "\n".join(line for group, rows in groups.items() for line in ["", f"**{group}**", *head, *rows])
    yield "commands.md", filled(directory / "commands.md", "commands", table + "\n\n")


def filled(page: Path, name: str, text: str) -> str:
    """Return a page that is written by hand, with ``text`` in the place that is kept for it."""
    return filled_text(page.read_text(encoding="utf-8"), name, text)


def filled_text(page: str, name: str, text: str) -> str:
    """Return a text that is written by hand, with ``text`` in the place that is kept for it."""
    begin, end = f"<!-- generated: {name} -->\n", "<!-- end -->\n"
    before, found, after = page.partition(begin)
    assert found, f"no place for {name}"
    _, found, after = after.partition(end)
    return f"{before}{begin}{text}{found}{after}"


def _leaves(command: click.Command, path: str) -> Iterator[tuple[click.Command, str]]:
    """Yield a command, or those of a group, each with how it is called."""
    if not isinstance(command, click.Group):
        yield command, path
        return
    for name, inner in command.commands.items():
        yield from _leaves(inner, f"{path} {name}")


def _usage(command: click.Command, path: str) -> str:
    """Return how a command is called, its options, and its examples."""
    # A command keeps the help option that it is first asked for.
    context = click.Context(command, info_name=path, show_default=True, help_option_names=["-h", "--help"])
    call = " ".join([path, *(piece for piece in command.collect_usage_pieces(context) if piece != "[OPTIONS]")])
    options = [option for option in command.params if isinstance(option, click.Option) and not option.hidden]
    own = [option for option in options if not set(option.opts) & set(_COMMON)]
    common = [next(name for name in option.opts if name in _COMMON) for option in options if option not in own]
    rows = (_option_row(option, context) for option in own)
    listed = "\n".join(["| option | meaning |", "| --- | --- |", *rows]) + "\n" if own else ""
    also = f"[Common options](../commands.md#common-options): {', '.join(f'`{name}`' for name in common)}.\n"
    examples = "\n".join(texts()["commands"].get(path.partition(" ")[2], {"examples": []})["examples"])
    shown = f"Examples:\n\n```sh\n{examples}\n```\n"
    place = "usage" if path.count(" ") == 1 else path.rpartition(" ")[2]
    parts = [f"## Usage: `{call}` {{ #{place} }}\n", listed, also if common else "", shown if examples else ""]
    return "\n".join(part for part in parts if part)


def _option_row(option: click.Option, context: click.Context) -> str:
    record = option.get_help_record(context)
    assert record is not None
    name, says = record
    name = name.replace("INTEGER RANGE", "N").replace("INTEGER", "N").replace("|", "\\|")
    says = re.sub(r"(\d+)<=x<=(\d+)", lambda found: f"{int(found[1]):,} to {int(found[2]):,}", says)
    # Two brackets in a row would be a link.
    says = re.sub(r"\]\s+\[", "; ", says)
    says = re.sub(r"\bx>=(\d+)", r"at least \1", says)
    return f"| `{name}` | {_cell(says)} |"


_UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}


def limits_page(page: Path = DOCS / "limits.md") -> str:
    """Return the page of limits: the words are in ``limits.toml``, the numbers in the program."""
    parts = [""]
    for topic, rows in tomllib.loads(Path(__file__).with_name("limits.toml").read_text(encoding="utf-8")).items():
        parts += [f"### {topic}", "", "| what | at most | beyond it | option | in the source |"]
        parts += ["| --- | --- | --- | --- | --- |", *(_limit_row(*row) for row in rows.items()), ""]
    return filled(page, "limits", "\n".join(parts) + "\n")


def _limit_row(constant: str, row: Mapping[str, str]) -> str:
    module, _, name = constant.rpartition(".")
    named = module == "sgl.foreign.Limits"
    found = getattr(foreign.Limits(), name) if named else getattr(import_module(module), name)
    number = found.limit if isinstance(found, foreign.Kind) else int(found)
    unit = row.get("unit", "")
    shown = f"{number // _UNITS.get(unit, 1):,} {unit}".rstrip()
    option = f"`{name}`" if named else ""
    option += f", in a grammar up to {foreign.OF_GRAMMARS[name]:,}" if named and name in foreign.OF_GRAMMARS else ""
    return f"| {row['what']} | {shown} | {row['beyond']} | {option} | `{constant}` |"


def audit_page(page: Path = DOCS / "audit.md") -> str:
    """Return the page of audits, with every definition of a leak as the audit has it."""
    rows = ["", "| question | counted | rows | key |", "| --- | --- | --- | --- |"]
    for question, lines in groupby(report_lines().items(), key=lambda line: line[1]["question"]):
        for number, (key, line) in enumerate(lines):
            rows.append(f"| {'' if number else question} | {line['counted']} | {line['definition']} | `{key}` |")
    return filled(page, "leaks", "\n".join(rows) + "\n\n")


#: Settings that tell presets of a kind of model apart.
_SIZES = {
    "transformer": ("layers", "width", "heads", "inner"),
    "lstm": ("layers", "width"),
    "causal-lm": ("rank", "alpha"),
}


def baseline_page(page: Path = DOCS / "baseline.md") -> str:
    """Return the page of baselines: the words are in ``settings.toml``, the values in the program."""
    rows = ["", "| preset | model | sizes | steps | device |", "| --- | --- | --- | ---: | --- |"]
    for name in presets():
        config = read_config(name, None).data()
        sizes = ", ".join(f"{size} {config[size]:,}" for size in _SIZES[config["model"]])
        rows.append(f"| `{name}` | {config['model']} | {sizes} | {config['steps']:,} | {config['device']} |")
    fields = {field.name: field for field in dataclasses.fields(Config)}
    listed = ["", "| setting | default | allowed | meaning |", "| --- | --- | --- | --- |"]
    for topic in tomllib.loads(Path(__file__).with_name("settings.toml").read_text(encoding="utf-8")).values():
        for name, meaning in topic.items():
            field = fields.pop(name)
            default = json.dumps(Config().data()[name], ensure_ascii=False).strip('"')
            shown = f"`{_cell(default)}`" if default else ""
            listed.append(f"| `{name}` | {shown} | {field.metadata['check'][1]} | {meaning} |")
    assert not fields, f"settings.toml: no words for {', '.join(fields)}"
    with_presets = filled(page, "presets", "\n".join(rows) + "\n\n")
    return filled_text(with_presets, "settings", "\n".join(listed) + "\n\n")


#: A word of each kind, with its class.
_WORDS = {"書く": "godan", "高い": "i", "静か": "na"}


def stdlib_page(page: Path = DOCS / "stdlib.md") -> str:
    """Return the page of the standard library, with the Japanese forms that it makes of some words."""
    files = {name: (DOCS.parent / "stdlib" / "ja" / f"{name}.sgl").read_text("utf-8") for name in ("verb", "adjective")}
    forms = dict(found for text in files.values() for found in _forms(text))
    calls = [(form, word) for form, classes in forms.items() for word in _WORDS if _WORDS[word] in classes]
    uses = [f"use stdlib.ja.{name} ({', '.join(form for form, _ in _forms(text))})" for name, text in files.items()]
    words = [f'word S: "w{n}"\n  ja {form}("{word}", "{_WORDS[word]}")' for n, (form, word) in enumerate(calls)]
    declared = ["layer en : text", "layer ja : text", "category S", *words, "dataset", "  from S", "  train 1"]
    grammar = sgl.loads("\n".join([*uses, *declared]))
    made = {call: grammar.translate(f"w{number}")[0] for number, call in enumerate(calls)}
    rows = ["", f"| form | {' | '.join(_WORDS)} |", "| --- |" + " --- |" * len(_WORDS)]
    rows += [f"| `{form}` | {' | '.join(made.get((form, word), '') for word in _WORDS)} |" for form in forms]
    return filled(page, "forms", "\n".join(rows) + "\n\n")


def _forms(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each paradigm and each function of a word and its class, with the classes that it is for."""
    paradigms = re.findall(r"^paradigm (\w+).*\n((?:  .*\n)+)", text, re.MULTILINE)
    yield from ((name, re.findall(r"^  (\w+)", body, re.MULTILINE)) for name, body in paradigms)
    for name, of in re.findall(r"^function (\w+)\((\w+), class\)", text, re.MULTILINE):
        yield name, ["godan"] if of == "verb" else [*_WORDS.values()]


_GRAMMAR = """\
# Grammar

Use this page to look up how a declaration or clause is written, exactly. [Language](language.md) says what it means.
`[x]` and `x?` are optional, `x*` is any number, `x+` one or more, `|` an alternative; NEWLINE begins an indented line.
This page is generated from the grammar of the parser.

"""
#: A production, with its alternatives on further lines; a line of ``grammar.lark`` may be one of the words.
_PRODUCTION = re.compile(r"^[?!]*([a-z_]+|[A-Z_]+)(?:\.\d+)?: (.*(?:\n +\|.*)*)$", re.MULTILINE)


def grammar_page() -> str:
    """Return the productions of the language: those of each declaration, and those that several share."""
    source = resources.files("sgl.lang").joinpath("grammar.lark").read_text(encoding="utf-8")
    rules = {name: _readable(text) for name, text in _PRODUCTION.findall(source)}
    declarations = re.findall(r"\w+", rules.pop("declaration"))
    own = {name: _below(name, rules) for name in declarations}
    shared = Counter(name for names in own.values() for name in names)
    parts = [_GRAMMAR]
    for name in declarations:
        said = re.search(r'"(\w+)"', rules[name])
        assert said
        parts.append(_productions(f"`{said[1]}`", [found for found in own[name] if shared[found] == 1], rules))
    used = [name for name in rules if shared[name] > 1 and name.islower()]
    words = [name for name in rules if shared[name] and name.isupper()]
    return "".join([*parts, _productions("Shared by several", used, rules), _productions("Words", words, rules)])


def _readable(production: str) -> str:
    """Return a production without what only the parser needs, and without former notations."""
    alternatives = re.split(r"\n? +\| (?![^(\[]*[)\]])", production)
    kept = [one.partition(" -> ")[0].strip() for one in alternatives if " -> former_" not in one]
    kept = [one.replace("_NL", "NEWLINE") for one in kept if not one.startswith("former_")]
    return ("\n  | " if len(" | ".join(kept)) > 80 else " | ").join(kept)


def _below(name: str, rules: Mapping[str, str]) -> list[str]:
    """Return a production and those that it is made of, each once."""
    found, left = list[str](), [name]
    while left:
        now = left.pop(0)
        if now in rules and now not in found:
            found.append(now)
            left += re.findall(r"[A-Za-z_]+", re.sub(r'"[^"]*"', "", rules[now])) if now.islower() else []
    return found


def _productions(title: str, names: Iterable[str], rules: Mapping[str, str]) -> str:
    return f"## {title}\n\n```text\n" + "".join(f"{name}: {rules[name]}\n" for name in names) + "```\n\n"


def changelog_page() -> str:
    """Return the changelog with links that hold on the site."""
    text = (DOCS.parent / "CHANGELOG.md").read_text(encoding="utf-8")
    first = "Use this page to see what a new version changes for you.\n\nAll notable changes"
    return re.sub(r"\]\(docs/", "](", text).replace("All notable changes", first, 1)


def pages() -> Iterator[tuple[str, str]]:
    """Yield every page: its name and its text."""
    yield from diagnostics_pages()
    yield "checks.md", checks_page()
    yield from command_pages()
    yield "grammar.md", grammar_page()
    yield "limits.md", limits_page()
    yield "audit.md", audit_page()
    yield "baseline.md", baseline_page()
    yield "stdlib.md", stdlib_page()
    yield "api.md", api_page()
    yield "changelog.md", changelog_page()


def main(directory: Path = DOCS) -> None:
    """Write the pages into ``directory``."""
    for name, text in pages():
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_text(text, encoding="utf-8")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    main()
