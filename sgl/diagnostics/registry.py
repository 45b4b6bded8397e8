"""The registry of diagnostic codes: one Markdown page per code, read on demand.

A code exists if its page does: ``"SGL0201" in CODES`` looks into the directory ``pages``, and only ``CODES["SGL0201"]``
reads the page.  Codes are never reused.  Another package registers its pages by an entry point of the group
``sgl.diagnostics``, whose value is a package with a directory ``pages``.
"""

import re
import textwrap
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable

from sgl.values import dataclass

#: The entry-point group of packages with pages.
GROUP = "sgl.diagnostics"
#: The main file of every example.
MAIN = "farm.sgl"

#: The URL below which the pages can be read.
_PAGES = "https://github.com/sgl-benchmarks/sgl/blob/main/sgl/diagnostics/pages/"

#: The width of a page as plain text.
_WIDTH = 80
_NO_EXAMPLE = "There is no example: "
_WITHOUT = re.compile(r"^<!-- instead of: (.*) -->\n\n", re.MULTILINE)
_BLOCK = re.compile(r"(?:^`([^`\n]+)`:\n\n)?^```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Code:
    """A diagnostic code with its page, whose Markdown below the title is ``body``.

    ``title`` says in one line what is wrong, ``why`` in a few sentences why it matters.  ``wrong`` and ``fixed`` are
    the files of two examples, by name: together with the base grammar without the pieces ``instead_of`` (or
    ``everything``), only the first gives this diagnostic.  ``no_example`` explains why a page has no example.
    """

    code: str
    title: str
    why: str
    body: str
    wrong: Mapping[str, str]
    fixed: Mapping[str, str]
    instead_of: tuple[str, ...] = ()
    no_example: str = ""


class CodePages(Mapping[str, Code]):
    """The codes in numerical order; a lookup reads the page."""

    def __getitem__(self, code: str) -> Code:
        return read_page(code, self._pages[code].read_text(encoding="utf-8"))

    def __contains__(self, code: object) -> bool:
        return code in self._pages

    def __iter__(self) -> Iterator[str]:
        return iter(self._pages)

    def __len__(self) -> int:
        return len(self._pages)

    @cached_property
    def _pages(self) -> dict[str, Traversable]:
        """The location of each code's page; pages of this package cannot be replaced."""
        from importlib.metadata import entry_points

        found: dict[str, Traversable] = {}
        for package in (__package__, *(point.value for point in entry_points(group=GROUP))):
            for page in files(package).joinpath("pages").iterdir():
                code, ending = page.name.rpartition(".")[::2]
                if ending == "md" and code != "base":
                    found.setdefault(code, page)
        return dict(sorted(found.items()))


#: All codes.
CODES = CodePages()


def documentation_url(code: str) -> str | None:
    """Return the URL of a code's page; None for a code of another package."""
    return f"{_PAGES}{code}.md" if files(__package__).joinpath("pages", f"{code}.md").is_file() else None


def read_page(code: str, text: str) -> Code:
    """Parse the page of a code; raise ``ValueError`` if its title names another code."""
    head, _, body = text.partition("\n\n")
    number, _, title = head.removeprefix("# ").partition(": ")
    if number != code or not title:
        raise ValueError(f"the page of {code} begins with {head!r}")
    without, instead_of = _WITHOUT.match(body), tuple[str, ...]()
    if without is not None:
        instead_of = tuple(without[1].split(", "))
    body = _WITHOUT.sub("", body, count=1)
    prose, _, examples = body.partition("\nWrong:\n")
    why, _, no_example = (" ".join(part.split()) for part in prose.partition(_NO_EXAMPLE))
    wrong, _, right = examples.partition("\nRight:\n")
    return Code(
        code=code,
        title=title,
        why=why,
        body=body,
        wrong=_files(wrong),
        fixed=_files(right),
        instead_of=instead_of,
        no_example=no_example.removesuffix("."),
    )


def _files(example: str) -> dict[str, str]:
    """Return the blocks of an example by file name; an unnamed block is the main file."""
    return {name or MAIN: text for name, text in _BLOCK.findall(example)}


def page(code: Code) -> str:
    """Return the page of a code as plain text."""
    parts = [f"{code.code}: {code.title}", textwrap.fill(code.why, _WIDTH)]
    if code.no_example:
        parts.append(textwrap.fill(f"There is no example: {code.no_example}.", _WIDTH))
    for heading, example in (("Wrong:", code.wrong), ("Right:", code.fixed)):
        if example:
            parts.append(f"{heading}\n\n{textwrap.indent(_plain(example), '    ')}")
    return "\n\n".join(parts)


def _plain(example: Mapping[str, str]) -> str:
    """Return an example as text, with the file names above the files if there are several."""
    if list(example) == [MAIN]:
        return example[MAIN].strip()
    return "\n\n".join(f"({name})\n{text.strip()}" for name, text in example.items())
