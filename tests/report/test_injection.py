"""What stands in a field is shown on a page and never obeyed: pages have the same elements whatever the fields say."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from released import write_released_farm

import sgl
from sgl.cli.main import FAILED, OK, run

pytestmark = pytest.mark.slow

#: A word that a page would obey, one that no page does, and one that LaTeX would.
OBEYED, SHOWN, LATEX = "<img/src=x/onerror=alert(1)>", "[img/src=x/onerror=alert(1)]", r"\input{passwd}&%$#_^~"
#: What comes before and after it in texts that may have spaces: the ends of attributes, scripts and comments.
AROUND = "'\"--></script></style></textarea>{}<script>alert(1)</script>"
RELEASE = """
release "1.2.0"
  licence   "CC-BY-4.0"
  authors   {text}
  languages en ja
  homepage  "https://example.org/farm"
  date      "2026-11-23"
"""


class Elements(HTMLParser):
    """Counts the elements of a page, with the names of their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: Counter[tuple[str, ...]] = Counter()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found[(tag, *(name for name, _ in attrs))] += 1


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def written(place: Path, word: str, text: str) -> Path:
    """Write a grammar, a dataset, predictions, a corpus and a treebank that have the texts in every field."""
    grammar = write_released_farm(place, RELEASE.format(text=quoted(text)))
    animals, source = place / "animals.yaml", grammar.read_text("utf-8")
    animals.write_text(re.sub("dog|犬", lambda _: f"'{word}'", animals.read_text("utf-8")), "utf-8")
    for said in ("dog", "犬", "near"):
        source = re.sub(r'"[^"\n]*"', lambda found, said=said: found[0].replace(said, quoted(word)[1:-1]), source)
    source = source.replace('"Animals on a farm"', quoted(text))
    grammar.write_text(source, "utf-8")
    return grammar


@pytest.fixture(scope="module", params=[OBEYED, LATEX], ids=["HTML", "LaTeX"])
def pages(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Path, Path]]:
    """The pages that are written, each beside that of texts that nobody obeys."""
    made = []
    for word in (request.param, SHOWN):
        place = tmp_path_factory.mktemp("pages")
        write_all(place, word, AROUND.format(word) if word == OBEYED else word)
        made.append(place)
    found = [(path, made[1] / path.relative_to(made[0])) for path in sorted(made[0].rglob("*.html"))]
    assert len(found) >= 5
    return found


def write_all(place: Path, word: str, text: str) -> None:
    """Have every command that writes a page write it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        grammar = written(place, word, text)
        assert run(["compile", grammar.name, "--out", "ds"]) == OK
        rows = (place / "ds/data/gen.tsv").read_text("utf-8").splitlines()
        (place / "said.txt").write_text("".join(f"{row.split(chr(9))[1]}{word}\n" for row in rows), "utf-8")
        shutil.copy(place / "ds/conllu/gen.conllu", place / "bank.conllu")
        (place / "rows.tsv").write_text("".join(f"{word} {row}\n" for row in rows), "utf-8")
        system = f"{word}=said.txt".replace("=x/onerror=", "-")
        eval_ = ["eval", "ds", system, "--samples", "100", "--grammar", grammar.name]
        assert run([*eval_, "--html", "eval.html", "--latex", "eval.tex"]) in (OK, FAILED)
        assert run(["audit", grammar.name, "rows.tsv", "--html", "audit.html"]) in (OK, FAILED)
        analyse = ["analyse", "bank.conllu", system, "--html", "analyse.html", "--latex", "analyse.tex"]
        assert run(analyse) in (OK, FAILED)
        assert run(["release", "ds", "--out", "ds.zip"]) == OK
        loaded = sgl.load(grammar)
        shown = (loaded, loaded.sample(3), loaded.prove(), sgl.open_dataset("ds"))
        (place / "notebook.html").write_text("\n".join(value._repr_html_() for value in shown), "utf-8")


def test_pages_have_the_same_elements_whatever_is_in_their_fields(pages: list[tuple[Path, Path]]) -> None:
    for obeyed, shown in pages:
        found = [Elements(path.read_text("utf-8")).found for path in (obeyed, shown)]
        assert found[0] == found[1], obeyed.name


def test_tables_of_latex_have_no_command_of_a_field(pages: list[tuple[Path, Path]]) -> None:
    for path in pages[0][0].parents[0].rglob("*.tex"):
        lines = [line for line in path.read_text("utf-8").splitlines() if not line.startswith("%")]
        assert not [line for line in lines if r"\input" in line]


def test_the_card_of_a_dataset_has_no_element_of_a_field(pages: list[tuple[Path, Path]]) -> None:
    (card,) = {path for page, _ in pages for path in page.parent.glob("README.md")}
    # Its head is YAML, where texts are in quotes.
    body = card.read_text("utf-8").split("\n---\n", 1)[1]
    assert "<img" not in body
    assert "<script" not in body
