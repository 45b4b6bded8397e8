"""Do the automata and a search by networkx see the same structures?

Draws sentences from every stratum of a grammar's plan and from the whole grammar,
and asks of each sentence and each structure of the plan whether it occurs: once the
structure's automaton, on the derivation; once the verifier, on the written CoNLL-U::

    python benchmarks/agreement.py grammars/sget.sgl --items 300

The two share no code: the verifier reads the structures and the graphs with its own
readers.  A disagreement is printed with its sentence, and the exit status is then 1.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from sgl.automata import StructureCompiler
from sgl.build.session import open_grammar
from sgl.compile import Compiled
from sgl.core.interpret import Derivation
from sgl.core.plan import Constraint, Plan, Stratum
from sgl.core.structure import Structure
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.graph import conllu
from sgl.sample import Interpreter, pack
from sgl.sample.engine import derive
from sgl.sample.random import candidate_key, stream_key
from sgl.verify.conllu import Malformed, Sentence, Words, read_sentences
from sgl.verify.search import Searcher
from sgl.verify.shape import Shapes, Vocabulary
from sgl.verify.structure import read_structure


def main() -> int:
    """Run the comparison; the result is the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("grammar", type=Path)
    parser.add_argument("--items", type=int, default=300, help="sentences of each stratum")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    compiled = open_grammar(options.grammar, {}, SourceMap(), Diagnostics())
    if compiled is None:
        print("the grammar has errors; see `sglc check`", file=sys.stderr)
        return 2
    started = time.process_time()
    structures = structures_of(compiled.plan)
    derivations = list(drawn(compiled, options.items, options.seed))
    verdicts, positive, wrong = compare(compiled, structures, derivations)
    for text, structure, automaton in wrong[:10]:
        print(f"DISAGREEMENT automaton={automaton} {structure}\n    {text}")
    print(
        f"{len(derivations):,} sentences x {len(structures)} structures: {verdicts:,} verdicts, "
        f"{positive:,} positive, {len(wrong)} disagreements, "
        f"{time.process_time() - started:.0f} s CPU"
    )
    return 1 if wrong else 0


def structures_of(plan: Plan) -> list[Structure]:
    """Every structure that the plan speaks of, once."""
    found: dict[Structure, None] = {}
    for stratum in plan.strata:
        constraint = stratum.constraint
        found.update(dict.fromkeys(s for group in constraint.require for s in group))
        found.update(dict.fromkeys(constraint.exclude))
    for pattern in plan.patterns:
        found.update(dict.fromkeys(need.structure for need in pattern.need))
    return list(found)


def drawn(compiled: Compiled, items: int, seed: int) -> Iterator[Derivation]:
    """Candidates of every stratum and of the uncut grammar, without any rejection."""
    whole = Stratum("whole", "whole", "whole", 20 * items, Constraint())
    strata = (*(replace(s, count=items, repeated=True) for s in compiled.plan.strata), whole)
    plan = replace(compiled.plan, strata=strata, seed=seed, distinct_sentences=False)
    compiler = StructureCompiler(compiled.grammar)
    tables = pack(compiled.grammar, plan, {s.stream: compiler.split(s.constraint) for s in strata})
    for stratum in tables.strata:
        key = stream_key(seed, stratum.stream)
        for number in range(stratum.wanted):
            derivation = derive(tables.states, stratum.start, candidate_key(key, number))
            if derivation is not None:
                yield tuple(derivation)


def compare(
    compiled: Compiled, structures: list[Structure], derivations: list[Derivation]
) -> tuple[int, int, list[tuple[str, Structure, bool]]]:
    """The numbers of verdicts and of positive ones, and the disagreements."""
    grammar = compiled.grammar
    compiler = StructureCompiler(grammar)
    vocabulary = Vocabulary([read_structure(str(structure)) for structure in structures])
    searcher, shapes = Searcher(vocabulary.compiled()), Shapes(vocabulary)
    verdicts = positive = 0
    wrong: list[tuple[str, Structure, bool]] = []
    for derivation, sentence in zip(derivations, written(compiled, derivations), strict=True):
        shape = shapes.of(sentence)
        for number, structure in enumerate(structures):
            automaton = compiler.structure_automaton(structure).accepts(grammar, derivation)
            verdicts += 1
            positive += automaton
            if automaton != searcher.occurs(shape, number):
                wrong.append((sentence.comment("text") or "", structure, automaton))
    return verdicts, positive, wrong


def written(compiled: Compiled, derivations: list[Derivation]) -> Iterator[Sentence]:
    """The sentences as the verifier reads them back from CoNLL-U."""
    grammar = compiled.grammar
    interpret = Interpreter(grammar)
    anchor = grammar.text_layer(grammar.graph_layers[0].anchor)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "drawn.conllu"
        with path.open("w", encoding="utf-8") as stream:
            for number, derivation in enumerate(derivations, 1):
                item = interpret(derivation)
                texts = [(grammar.text_layers[anchor].name, item.texts[anchor])]
                stream.write(
                    conllu(
                        item.graphs[0],
                        item.tokens[anchor],
                        texts,
                        sent_id=f"drawn-{number:06d}",
                        category="drawn",
                    )
                )
        for sentence in read_sentences(path, Words()):
            if isinstance(sentence, Malformed):
                raise ValueError(f"line {sentence.line}: {sentence.message}")
            yield sentence


if __name__ == "__main__":
    sys.exit(main())
