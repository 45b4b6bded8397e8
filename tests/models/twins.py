"""Are twins what docs/texts.md says, section "Minimal pairs", on random grammars?

A twin takes over every template and every word; a clause of its own that says something else is a difference,
and every sentence must have exactly one.  Here grammars are drawn whose differences are kept in order by a
feature, or nearly so, and a model (``twins_model.py``) lists their sentences up to a length with their twins::

    python benchmarks/models.py twins --grammars 1000 --seed 1 --datasets 20

Compared are whether the grammar is refused (SGL0325), and the sentence that the message shows; the twin of each
derivation; and, of every so many grammars, the pairs of a dataset.  Differences are printed, and the exit status
is then 1.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from random import Random

from claims_streams import derivations
from harness import Compare, Difference, command
from sgl.automata import StructureCompiler
from sgl.core.interpret import interpret
from sgl.diagnostics import Diagnostic, Diagnostics, Severity, SourceMap
from sgl.frontend import Compiled
from sgl.pipeline.grammar import open_grammar
from sgl.pipeline.production import produce
from sgl.pipeline.proofs import establish
from sgl.rendering import ViewError
from sgl.sampling.acceptance import NotEnoughError
from twins_model import Grammar, Maker, Phrase, listing, numbers, text


def compare(seed: int, place: Path, figures: Counter[str], *, dataset: bool) -> None:
    """Compare one grammar, and perhaps a dataset of it.

    Raises:
        Difference: the compiler and the model say different things.
    """
    grammar = Maker(Random(seed)).grammar  # noqa: S311
    place.mkdir(parents=True)
    (place / "main.sgl").write_text(grammar.source(), "utf-8")
    diagnostics = Diagnostics()
    figures["grammars"] += 1
    compiled = open_grammar(place / "main.sgl", {}, SourceMap(), diagnostics)
    errors = [found for found in diagnostics.found if found.severity is Severity.ERROR]
    told = [found for found in errors if found.code == "SGL0325"]
    if compiled is None and not told:
        figures[f"refused {errors[0].code}"] += 1
        return
    listed, longest = listing(grammar)
    check_refusal(grammar, told, listed, longest)
    figures["refused SGL0325" if told else "accepted"] += 1
    figures["verdicts"] += 1
    if compiled is not None:
        check_texts(grammar, compiled, listed, longest, figures)
        if dataset:
            check_dataset(grammar, compiled, place / "out", listed, longest, figures)


def check_refusal(grammar: Grammar, told: Sequence[Diagnostic], listed: Sequence[Phrase], longest: int) -> None:
    """Compare whether each sentence has one difference, and the sentence that is shown if one has not.

    Raises:
        Difference: it is refused wrongly, or accepted, or the sentence has one difference, or is none.
    """
    possible = numbers(grammar)["S", ""]
    if bool(told) != (possible != {1}):
        raise Difference(f"sentences have {possible} differences, and it is {'' if told else 'not '}refused")
    for found in told:
        good, bad = re.fullmatch("“(.*)”, and “(.*)”", found.notes[0], re.DOTALL).groups()  # type: ignore[union-attr]
        own = [p for p in listed if (text(grammar, p.good), text(grammar, p.bad)) == (good, bad)]
        if not any(phrase.differences != 1 for phrase in own) and len(good.split()) < longest:
            raise Difference(f"the sentence {good!r} is shown with {bad!r}, and the model has {own}")


def check_texts(
    grammar: Grammar, compiled: Compiled, listed: Sequence[Phrase], longest: int, figures: Counter[str]
) -> None:
    """Compare all derivations with their twins.

    Raises:
        Difference: some are others.
    """
    split = StructureCompiler(compiled.grammar).split(compiled.plan.strata[0].constraint)
    found = Counter(interpret(compiled.grammar, own).texts for own in derivations(compiled, split, longest))
    expected = Counter((text(grammar, own.good), text(grammar, own.bad)) for own in listed)
    figures["verdicts"] += len(listed)
    if found != expected:
        one = next(iter((expected - found) or (found - expected)))
        raise Difference(f"the pair {one} is there {expected[one]} times in the model, {found[one]} times in texts")


def check_dataset(
    grammar: Grammar, compiled: Compiled, out: Path, listed: Sequence[Phrase], longest: int, figures: Counter[str]
) -> None:
    """Compare the pairs of a dataset.

    Raises:
        Difference: they are no pairs of the model.
    """
    twins: dict[str, set[str]] = defaultdict(set)
    for phrase in listed:
        twins[text(grammar, phrase.good)].add(text(grammar, phrase.bad))
    alike = any(good in bad for good, bad in twins.items())
    structures, diagnostics = StructureCompiler(compiled.grammar), Diagnostics()
    proofs = establish(compiled, structures, diagnostics)
    if proofs is None or diagnostics.errors:
        figures["too few sentences"] += 1
        return
    try:
        produced = produce(compiled, structures, proofs, out, lambda *_: None)
    except NotEnoughError:
        figures["too few sentences"] += 1
        return
    except ViewError as error:
        if not alike:
            raise Difference(f"no sentence is its own twin, and one is said to be: {error}") from error
        figures["its own twin"] += 1
        return
    if not produced.verification.ok:
        raise Difference("the verifier finds violations")
    figures["datasets"] += 1
    for split in ("train", "test"):
        check_pairs(out, split, twins, longest, figures)


def check_pairs(out: Path, split: str, twins: dict[str, set[str]], longest: int, figures: Counter[str]) -> None:
    """Compare the pairs of a split with its rows, and with the model.

    Raises:
        Difference: a pair is not as it should be.
    """
    rows = [row.split("\t") for row in (out / "data" / f"{split}.tsv").read_text("utf-8").splitlines()]
    lines = [json.loads(line) for line in (out / "pairs" / f"{split}.jsonl").read_text("utf-8").splitlines()]
    pairs = [[line["sentence_good"], line["sentence_bad"], line["pattern"]] for line in lines]
    if pairs != rows or len(rows) != 3 or not (out / "lm_eval" / f"{split}.yaml").exists():
        raise Difference(f"{split} has the pairs {pairs} of the rows {rows}")
    for good, bad, _ in pairs:
        figures["pairs"] += 1
        if good == bad:
            raise Difference(f"{good!r} is its own twin")
        if len(good.replace(".", " .").split()) > longest:
            continue
        if bad not in twins[good]:
            raise Difference(f"{good!r} has the twin {bad!r}, and in the model {twins[good]}")


def main() -> int:
    """Run the comparison; the result is the exit status."""
    return command(__doc__, comparison, {"datasets": (20, "a dataset of every so many grammars")})


def comparison(*, datasets: int) -> Compare:
    """Compare grammars, and a dataset of every so many of them."""

    def of(seed: int, place: Path, figures: Counter[str]) -> None:
        compare(seed, place, figures, dataset=seed % datasets == 0)

    return of
