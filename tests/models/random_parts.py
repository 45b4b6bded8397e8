"""Are phrases with several parts what the documentation says, on random grammars?

Draws grammars whose categories have up to three parts in the source and in the target, with rules
that put the parts of their children in any order and into any part of the whole; drop, repeat and
capitalize them; and leave to the compiler what it passes up by itself.  A model that shares
nothing with the compiler lists the derivations up to a number of words and evaluates them by plain
code; it writes itself as SGL, which is compiled::

    python benchmarks/models.py random_parts --grammars 1000 --seed 1

Compared are the derivations of every stream with their texts and graphs, where a random structure
is held out; the readings of every text in both layers, and of texts with words moved, added and
removed; the proof and its certificate; and, of samples, the texts of the standalone sampler, of
templates and of the checker of rows.  The exit status is 1 if anything differs.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from claims_matches import contains
from claims_streams import derived, term_of
from harness import Difference, command
from parts_maker import LAYERS, MOST, Maker, Phrase, value_of
from random_claims import check_certificate
from sgl.automata import StructureCompiler
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation
from sgl.dataset.fingerprint import core_form
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.frontend import Compiled
from sgl.parsing import Parser
from sgl.pipeline.grammar import open_grammar
from sgl.pipeline.proofs import establish
from sgl.rendering.output import TemplateWriter, text_output
from sgl.sampling.engine import joined, words_of
from sgl.sampling.tables import pack_text
from sgl.verify.derivation import Interpreter


def main() -> int:
    """Run the comparison; the result is the exit status."""
    return command(__doc__, lambda: compare)


def compare(seed: int, place: Path, figures: Counter[str]) -> None:
    """Compare one grammar with its model.

    Raises:
        Difference: they say different things.
    """
    maker = Maker(Random(seed))  # noqa: S311
    path = place.with_suffix(".sgl")
    path.write_text(maker.source(), "utf-8")
    figures["grammars"] += 1
    diagnostics = Diagnostics()
    compiled = open_grammar(path, {}, SourceMap(), diagnostics)
    if compiled is None:
        codes = {found.code for found in diagnostics.found}
        figures[f"refused {min(codes)}"] += 1
        return
    listed, longest = maker.sentences()
    figures["compiled"] += 1
    figures["three parts"] += any(len(own) == 3 for c in maker.categories for own in c.parts)
    structures = StructureCompiler(compiled.grammar)
    sound = [phrase for phrase in listed if not contains(phrase.tree(), maker.structure)]
    for stratum in compiled.plan.strata:
        is_train = stratum.split == "train"
        wanted = sound if is_train else [p for p in listed if p not in sound]
        expected: Counter[tuple[object, ...]] = Counter(map(value_of, wanted))
        found = Counter(derived(compiled, structures.split(stratum.constraint), longest))
        figures["derivations"] += len(listed)
        if expected != found:
            lacking, more = expected - found, found - expected
            raise Difference(f"{stratum.stream} lacks {lacking} and has {more}")
    proofs = establish(compiled, structures, diagnostics)
    if proofs is not None:
        check_certificate(compiled, structures, proofs, figures)
    derivations: dict[str, Derivation] = {}
    for layer in range(len(LAYERS)):
        _compare_readings(maker, compiled.grammar, layer, (listed, longest), derivations, figures)
    _compare_writers(compiled, listed, derivations, figures)


def _compare_readings(
    maker: Maker,
    grammar: CoreGrammar,
    layer: int,
    known: tuple[list[Phrase], int],
    derivations: dict[str, Derivation],
    figures: Counter[str],
) -> None:
    """Compare the readings of texts with those of the model, and collect derivations."""
    listed, longest = known
    expected: dict[str, Counter[str]] = defaultdict(Counter)
    for phrase in listed:
        if len(phrase.layers[layer][""]) <= longest:
            expected[phrase.text(layer)][phrase.term] += 1
    parser = Parser(grammar, layer)
    random = maker.random
    texts = random.sample(list(expected), min(100, len(expected)))
    for text in texts[:50]:
        words = text.split()
        at, to = random.randrange(len(words)), random.randrange(len(words))
        words[at], words[to] = words[to], words[at]
        texts.append(" ".join(words))
        texts.append(" ".join(words[:at] + words[at + 1 :]))
        texts.append(" ".join([*words[:at], random.choice(words), *words[at:]][:longest]))
    for text in filter(None, texts):
        forest = parser.forest(text)
        readings = list(forest.readings(MOST)) if forest is not None else []
        terms = Counter(term_of(grammar, reading) for reading in readings)
        figures[f"texts parsed in {LAYERS[layer]}"] += 1
        figures["readings"] += len(readings)
        figures["texts without a reading"] += not readings
        if terms != expected.get(text, Counter()):
            more = terms - expected.get(text, Counter())
            lacking = expected.get(text, Counter()) - terms
            raise Difference(f"{LAYERS[layer]}: {text!r} lacks {lacking} and has {more}")
        if readings:
            derivations |= dict(zip((term_of(grammar, r) for r in readings), readings, strict=True))
        else:
            _check_failure(parser, text, expected)


def _check_failure(parser: Parser, text: str, expected: dict[str, Counter[str]]) -> None:
    """Check that a text fails no earlier than where some sentence leaves it."""
    position = parser.failure(text).position
    words = text.split()
    for other in expected:
        same = 0
        for word, theirs in zip(words, other.split(), strict=False):
            if word != theirs:
                break
            same += 1
        if len(" ".join(words[:same])) > position:
            raise Difference(f"{text!r} fails at {position}, and {other!r} goes further")


def _compare_writers(
    compiled: Compiled, listed: Sequence[Phrase], derivations: dict[str, Derivation], figures: Counter[str]
) -> None:
    """Compare what else writes texts and graphs with the model, on all that was read."""
    grammar = compiled.grammar
    meaning = Interpreter(json.loads(json.dumps(core_form(grammar, compiled.plan)))["grammar"])
    for layer, name in enumerate(LAYERS):
        packed, writer = pack_text(grammar, layer), TemplateWriter(text_output(grammar, layer))
        ways: dict[str, Callable[[Derivation], str]] = {
            "template": writer,
            "sampler": lambda d, packed=packed: joined(packed, words_of(packed, grammar.arity, d)),  # type: ignore[misc]
            "checker": lambda d, name=name: meaning.text(name, d),  # type: ignore[misc]
        }
        for phrase in listed:
            if (derivation := derivations.get(phrase.term)) is None:
                continue
            for way, text_of in ways.items():
                figures[f"texts of the {way}"] += 1
                if text_of(derivation) != phrase.text(layer):
                    raise Difference(f"{way}: {phrase.term} is {text_of(derivation)!r} in {name}")
    for phrase in listed:
        if (derivation := derivations.get(phrase.term)) is not None:
            nodes, edges, *_ = meaning.graph("syn", derivation)
            found = tuple(dict(attributes)["lemma"] for attributes, _ in nodes), frozenset(edges)
            *_, expected_nodes, expected_edges = value_of(phrase)
            figures["graphs of the checker"] += 1
            if found != (tuple(lemma for lemma, _ in expected_nodes), expected_edges):
                raise Difference(f"checker: {phrase.term} has the graph {found}")
