"""``import sgl`` with arguments that make no sense: a ``TypeError`` or a ``GrammarError`` that says so, and at once."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from released import write_released_farm

import sgl


class Here:
    """A grammar, its dataset, and a file of predictions that is too short, in a place of their own."""

    def __init__(self, place: Path) -> None:
        write_released_farm(place)
        self.grammar = sgl.load(place / "farm.sgl")
        self.dataset = self.grammar.compile(place / "data")
        self.predictions = place / "predictions.txt"
        self.predictions.write_text("犬\n", "utf-8")

    def evaluate(self, predictions: object = None, **options: Any) -> object:  # noqa: ANN401 - they are odd
        return sgl.evaluate(self.dataset, predictions or {"x": self.predictions}, **options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Here:
    return Here(tmp_path_factory.mktemp("odd"))


#: What no path is, and names that no file can have.
NO_PATHS: list[Any] = [None, 3, b"farm.sgl", [], {}, float("nan"), object(), True]
NO_NAMES = ["\0", "\ud800", "x" * 5_000, "/dev/zero"]


@pytest.mark.parametrize("opens", [sgl.load, sgl.open_dataset])
def test_what_is_no_path_is_a_type_error(opens: Callable[[Any], object]) -> None:
    for odd in NO_PATHS:
        with pytest.raises(TypeError):
            opens(odd)


@pytest.mark.parametrize("name", [*NO_NAMES, "", "a\nb", "~/x.sgl", "http://x/y.sgl"])
def test_what_cannot_be_opened_is_said_with_a_code(name: str) -> None:
    for opens in (sgl.load, sgl.open_dataset):
        with pytest.raises(sgl.GrammarError, match=r"SGL\d{4}"):
            opens(name)


def test_where_nothing_can_be_written_is_said_with_a_code(here: Here) -> None:
    for name in NO_NAMES:
        with pytest.raises(sgl.GrammarError, match="SGL0901"):
            here.grammar.compile(name)


ODD: list[tuple[str, Callable[[Here], object], type[Exception], str]] = [
    ("a text for a number", lambda h: h.grammar.sample("3"), sgl.GrammarError, "no pattern or category `3`"),
    ("two texts", lambda h: h.grammar.sample("NP", "VP"), TypeError, "`of` is given twice: 'NP' and 'VP'"),
    ("a pattern", lambda h: h.grammar.sample(pattern="np"), sgl.GrammarError, "no pattern `np`; there is: pp_in"),
    ("no pattern", lambda h: h.grammar.patterns["pp"], KeyError, "did you mean `pp_in_subject`?"),
    ("no name", lambda h: h.grammar.prove(""), sgl.GrammarError, "no pattern ``; there is: pp_in_subject"),
    ("lines for a file", lambda _: sgl.load("module x\nlayer en : text"), sgl.GrammarError, "with `sgl.loads`"),
    ("a text of bytes", lambda _: sgl.loads(b"layer en : text"), TypeError, "`grammar.sgl` must be a text"),  # type: ignore[arg-type]
    ("a file of a number", lambda _: sgl.loads("", {"a.yaml": 1}), TypeError, "`a.yaml` must be a text"),  # type: ignore[dict-item]
    ("what is not declared", lambda h: h.grammar.extend("", without="np"), sgl.GrammarError, "SGL"),
    ("a fraction", lambda h: h.grammar.sample(1.5), TypeError, "integer"),  # type: ignore[arg-type]
    (
        "fewer than none",
        lambda h: h.grammar.sample(-1),
        sgl.GrammarError,
        "`count` is -1; it must be from 0 to 10,000,000",
    ),
    ("too many", lambda h: h.grammar.sample(10**12), sgl.GrammarError, "it must be from 0 to 10,000,000"),
    ("a seed", lambda h: h.grammar.sample(seed="x"), TypeError, "integer"),  # type: ignore[arg-type]
    ("a source", lambda h: h.grammar.sample(of=3), TypeError, "`of` must be a text, not 3"),  # type: ignore[arg-type]
    ("an open brace", lambda h: h.grammar.sample(of="{"), sgl.GrammarError, "is never closed"),
    ("open brackets", lambda h: h.grammar.sample(of="(" * 500), sgl.GrammarError, "has no `)`"),
    (
        "no reading",
        lambda h: h.grammar.parse("A cat.", limit=0),
        sgl.GrammarError,
        "`limit` is 0; it must be from 1 to",
    ),
    ("no sentence", lambda h: h.grammar.parse(None), TypeError, "`sentence` must be a text"),  # type: ignore[arg-type]
    ("no layer", lambda h: h.grammar.parse("A cat.", layer="zz"), sgl.GrammarError, "there is no text layer `zz`"),
    ("no split", lambda h: h.dataset.to_arrow("../gen"), sgl.GrammarError, "there is no split `../gen`"),
    ("a list of files", lambda h: h.evaluate(["x.txt"]), TypeError, "maps the names of systems to predictions"),
    ("a number", lambda h: h.evaluate({"x": 3}), TypeError, "`x` has no predictions: 3"),
    ("numbers", lambda h: h.evaluate({"x": [1.5] * 20}), sgl.GrammarError, "the prediction for `1` is not text: 1.5"),
    ("a name of a row", lambda h: h.evaluate({"x": {3: "a"}}), sgl.GrammarError, "the prediction for `3` is not text"),
    (
        "no row",
        lambda h: h.evaluate({"x": {"gen-9": "a"}}),
        sgl.GrammarError,
        "1 of the 1 predictions have an unknown id",
    ),
    ("a model", lambda h: h.evaluate({"x": lambda _: None}), sgl.GrammarError, "is not text: None"),
    ("all left out", lambda h: h.evaluate({"x": {}}, missing="left-out"), sgl.GrammarError, "no row has a prediction"),
    ("no files", lambda h: sgl.evaluate(h.dataset, {}), sgl.GrammarError, "there are no predictions"),
    ("a file that is not there", lambda h: h.evaluate({"x": "nowhere"}), sgl.GrammarError, "SGL1102"),
    ("a folder", lambda h: h.evaluate({"x": "."}), sgl.GrammarError, "it is a directory, not a file"),
    ("too few", lambda h: h.evaluate(), sgl.GrammarError, "1 prediction where"),
    ("an option", lambda h: h.evaluate(foo=1), TypeError, "unexpected keyword argument 'foo'"),
    ("what to do", lambda h: h.evaluate(missing="skip"), sgl.GrammarError, "is not one of 'wrong', 'left-out'"),
    ("samples", lambda h: h.evaluate(samples="x"), sgl.GrammarError, "Invalid value for '--samples'"),
    ("a test", lambda h: h.evaluate(test=3), sgl.GrammarError, "is not one of 'bootstrap', 'randomisation'"),
    ("a grammar", lambda h: h.evaluate(grammar=3), TypeError, "PathLike"),
    ("a corpus", lambda h: sgl.audit(h.grammar, "nowhere"), sgl.GrammarError, "SGL1102"),
]


@pytest.mark.parametrize(("call", "kind", "words"), [row[1:] for row in ODD], ids=[row[0] for row in ODD])
def test_an_odd_argument_is_refused_in_words(
    call: Callable[[Here], object], kind: type[Exception], words: str, here: Here
) -> None:
    with pytest.raises(kind, match=re.escape(words)):
        call(here)
