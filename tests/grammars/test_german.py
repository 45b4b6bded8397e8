"""`grammars/german.sgl`: where the words of a German clause stand, and what its patterns say.

The grammar has examples of its own.  Here its samples are held against rules of German that are
written down without the grammar: about the finite verb, prefixes, articles and commas.
"""

from __future__ import annotations

import re
from contextlib import redirect_stdout
from functools import cache
from io import StringIO

import pytest
import yaml
from sget import compile_file

from sgl.automata import StructureCompiler
from sgl.cli.main import run
from sgl.diagnostics import Diagnostics
from sgl.frontend import Compiled
from sgl.pipeline.proofs import establish
from sgl.pipeline.sentences import check_examples
from sgl.resources import grammars_dir

GRAMMAR = grammars_dir() / "german.sgl"
TABLES = grammars_dir() / "lexicon" / "german"


@cache
def grammar() -> Compiled:
    return compile_file(GRAMMAR, {})


def test_the_examples_of_the_grammar_hold() -> None:
    diagnostics = Diagnostics()
    check_examples(grammar(), diagnostics)
    assert [found.message for found in diagnostics.found] == []


@pytest.mark.slow
def test_every_pattern_is_proved() -> None:
    compiled = grammar()
    proofs = establish(compiled, StructureCompiler(compiled.grammar), Diagnostics())
    assert proofs is not None
    assert proofs.proved
    assert len(proofs.patterns) == 12


# ---- the rules of German


def table(name: str) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = yaml.safe_load((TABLES / name).read_text("utf-8"))
    return rows


@pytest.fixture(scope="module")
def samples() -> list[str]:
    """German sentences of all kinds."""
    output = StringIO()
    with redirect_stdout(output):
        assert run(["sample", str(GRAMMAR), "-n", "600", "--seed", "7", "--show", "de"]) == 0
    return output.getvalue().splitlines()


def test_commas_stand_between_words(samples: list[str]) -> None:
    """A clause has its commas, and none where the sentence ends or another one follows."""
    assert not [text for text in samples if re.search(r",[.?,]", text)]
    assert sum(", " in text for text in samples) > 100


def clauses(samples: list[str], word: str) -> list[list[str]]:
    """What stands behind a word up to the next comma, where a subordinate clause is over."""
    found = (re.search(rf"\b{word} ([^,]*?)[.,?]", text) for text in samples)
    return [match[1].split() for match in found if match is not None]


def finite() -> set[str]:
    """All finite forms but the past of the plural, with and without prefixes."""
    forms = {"hat", "ist", "haben", "sind", "kann", "können", "muss", "müssen", "wird", "werden"}
    for row in table("verbs.yaml"):
        plural = row["past"].removesuffix("e") + "en"
        for form in (row["third"], row["de"], row["past"], plural):
            forms |= {form, row.get("prefix", "") + form}
    return forms


@pytest.mark.slow
def test_the_verb_is_the_last_word_of_a_subordinate_clause(samples: list[str]) -> None:
    told = [clause for word in ("dass", "weil", "Weil") for clause in clauses(samples, word)]
    whole = [clause for clause in told if clause[-1] in finite()]
    # The others go on behind a relative clause.
    assert len(told) > 50
    assert len(whole) > 0.7 * len(told)
    prefixes = {row["prefix"] for row in table("verbs.yaml") if "prefix" in row} - {"ein"}
    assert not [clause for clause in whole if prefixes & set(clause)]


def test_a_prefix_ends_a_clause_of_one_verb(samples: list[str]) -> None:
    """Of verbs whose form alone says that they have one."""
    rows = table("verbs.yaml")
    without = {row[form] for row in rows if "prefix" not in row for form in ("third", "past")}
    apart = {row[form]: row["prefix"] for row in rows if "prefix" in row for form in ("third", "past")}
    plain = [text.rstrip(".").split() for text in samples if not set(",?") & set(text)]
    found = [(words, apart[word]) for words in plain for word in words if word in apart.keys() - without]
    assert len(found) > 30
    assert not [words for words, prefix in found if words[-1] != prefix]


def test_the_verb_is_the_second_part_of_a_fronted_clause(samples: list[str]) -> None:
    fronted = [text.split() for text in samples if text.startswith(("Heute ", "Vielleicht "))]
    assert len(fronted) > 20
    assert not [words for words in fronted if words[1] not in finite()]


def test_articles_agree_with_their_nouns(samples: list[str]) -> None:
    articles = table("determiners.yaml")
    allowed: dict[str, set[str]] = {}
    for noun in table("nouns.yaml"):
        for form in (noun["de"], noun.get("oblique", noun["de"])):
            own = {a["de"] for a in articles if a.get("gen") == noun["gender"]}
            allowed.setdefault(form, set()).update(own)
        plural = noun["plural"]
        for form in (plural, plural if plural.endswith("n") else plural + "n"):
            allowed.setdefault(form, set()).update({"die", "den"})
    adjectives = "|".join(row["de"] for row in table("adjectives.yaml"))
    every = {article["de"] for article in articles}
    phrase = re.compile(rf"\b({'|'.join(every)}) (?:(?:{adjectives})e[nrs]? )?([A-ZÄÖ]\w+)", re.IGNORECASE)
    found = [(m[1].lower(), m[2]) for text in samples for m in phrase.finditer(text)]
    pairs = [(article, noun) for article, noun in found if noun in allowed]
    assert len(pairs) > 500
    assert not [(article, noun) for article, noun in pairs if article not in allowed[noun]]
