"""There is one style, and laying out a file changes nothing but spaces and empty lines."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from claims_maker import Maker
from notation_model import Model
from sgl.diagnostics import Diagnostics, SourceFile
from sgl.lang.chunks import split_chunks
from sgl.lang.layout import layout
from sgl.lang.reader import read

ROOT = Path(__file__).parents[2]
FILES = sorted(path for place in ("grammars", "stdlib", "docs", "tests") for path in (ROOT / place).rglob("*.sgl"))

PAIRS = {
    "layers stand below one another": (
        'layer en:text( join " " )\nlayer syn   : graph on en\n',
        'layer en  : text (join " ")\nlayer syn : graph on en\n',
    ),
    "a comment may have what elsewhere ends a line": (
        "# one\u2028two\x0bthree\nfeature num=sg|pl\n",
        "# one\u2028two\x0bthree\nfeature num = sg | pl\n",
    ),
    "so do clauses, and weights of neighbours": (
        "rule a: NP -> N ~2\nrule other: NP -> Det N  ~  10\n",
        "rule a:     NP -> N      ~ 2\nrule other: NP -> Det N  ~ 10\n",
    ),
    "clauses are indented by two, entries below lexicons too": (
        'lexicon l from "n.yaml"\n   N[num=sg]\n       en $en\n       syn  node( lemma = $en )\n',
        'lexicon l from "n.yaml"\n  N[num=sg]\n    en  $en\n    syn node(lemma=$en)\n',
    ),
    "what brackets compute has no spaces around comparisons": (
        "rule r:A[v = min(x,y)  mod 3,m = soft if g = f and v!=2,none]->B[v>x+1]  where x!=y~2\n",
        "rule r: A[v=min(x, y) mod 3, m=soft if g=f and v!=2, none] -> B[v>x+1] where x != y  ~ 2\n",
    ),
    "conditions stand below one another": (
        "rule r: S -> X Y\n  ja X Y if a=y|n\n  syn X -[ obj ]-> Y   if a != y\n",
        "rule r: S -> X Y\n  ja  X Y          if a = y | n\n  syn X -[obj]-> Y if a != y\n",
    ),
    "a structure goes on below its first statement": (
        "structure s { A -[nmod]{2,3}-> B;\n B -[ccomp]+-> C }\n",
        "structure s { A -[nmod]{2,3}-> B;\n              B -[ccomp]+-> C }\n",
    ),
    "words in an edge stay apart": (
        'lexicon l from "n.yaml"\n  syn node(lemma=$en) -[ $link  or nmod ]-> words( upos=X )\n',
        'lexicon l from "n.yaml"\n  syn node(lemma=$en) -[$link or nmod]-> words(upos=X)\n',
    ),
    "brackets in a comment are none": (
        "structure s { A -[a]-> B;   #see (there\n B -[b]-> C }\n",
        "structure s { A -[a]-> B;  #see (there\n              B -[b]-> C }\n",
    ),
    "clauses of patterns begin in one column": (
        "pattern p\n gen {V -[obj]-> N[#amod>=5,lemma=a|b]}\n forbid s   # no s\n",
        "pattern p\n  gen    { V -[obj]-> N[#amod>=5, lemma=a|b] }\n  forbid s  # no s\n",
    ),
    "an example is called one": (
        'pattern p\n  gen like "A gen."\n  train  like "a"  # gen like\n  gen s like "c"\n  targets like "b"\n',
        'pattern p\n  example "A gen."\n  train example "a"  # gen like\n  gen    s example "c"\n  targets like "b"\n',
    ),
    "a declaration of several lines has empty lines around it": (
        "feature a = x | y\nrule r: S -> X\n  ja X\nfeature b = x | y\n",
        "feature a = x | y\n\nrule r: S -> X\n  ja  X\n\nfeature b = x | y\n",
    ),
    "wide characters take two columns": (
        'paradigm past\n  一段 "る" -> "た"\n  godan "う" -> "った"\n',
        'paradigm past\n  一段   "る" -> "た"\n  godan  "う" -> "った"\n',
    ),
    "a comment stays with what it stands above": (
        "# about a\nfeature a = x | y\n\n\n\n# about b\nfeature b = x | y",
        "# about a\nfeature a = x | y\n\n\n# about b\nfeature b = x | y\n",
    ),
}


@pytest.mark.parametrize("name", PAIRS)
def test_a_file_is_laid_out(name: str) -> None:
    written, expected = PAIRS[name]
    assert layout(written) == expected


def tree(text: str) -> str:
    """The syntax tree of a file without its places."""
    file = read(SourceFile("g.sgl", text), Diagnostics())
    return re.sub(r"Span\([^)]*\)", "", repr((file.declarations, file.unread)))


def comments(text: str) -> list[str]:
    """What the comments of a file say, in their order."""
    return [comment for chunk in split_chunks(SourceFile("g.sgl", text)) for comment, _ in chunk.comments]


def check(text: str) -> None:
    made = layout(text)
    assert layout(made) == made
    assert tree(made) == tree(text)
    assert comments(made) == comments(text)


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_layout_of_a_grammar_means_the_same(path: Path) -> None:
    check(path.read_text("utf-8"))


@pytest.mark.parametrize("seed", range(20))
def test_the_layout_of_a_random_grammar_means_the_same(seed: int) -> None:
    random = Random(seed)  # noqa: S311
    check(Maker(random).source())
    check(Model(random).source())


@pytest.mark.parametrize("seed", range(20))
def test_spaces_between_tokens_are_not_the_authors(seed: int) -> None:
    """Runs of spaces inside lines, and at their ends, make no difference."""
    random = Random(seed)  # noqa: S311
    text = layout(random.choice(FILES).read_text("utf-8"))
    spaced = "".join(
        _respaced(line, random) if '"' not in line and "#" not in line else line
        for line in text.splitlines(keepends=True)
    )
    assert layout(spaced) == text


def _respaced(line: str, random: Random) -> str:
    indent = len(line) - len(line.lstrip(" "))
    body = re.sub(" +", lambda _: " " * random.randint(1, 4), line[indent:].rstrip("\n"))
    return " " * indent + body + " " * random.randint(0, 2) + "\n"


def test_what_would_change_a_token_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sgl.lang.layout._apart", lambda *_: False)
    with pytest.raises(ValueError, match="would change a token"):
        layout("rule r: S -> X Y\n")


def test_the_grammars_here_have_the_one_style() -> None:
    files = [path for folder in ("grammars", "stdlib", "docs") for path in (ROOT / folder).rglob("*.sgl")]
    assert len(files) > 30
    assert [str(path) for path in files if layout(path.read_text("utf-8")) != path.read_text("utf-8")] == []
