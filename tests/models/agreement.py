"""Do the automata and a search by networkx see the same structures?

Draws sentences from every stratum of a grammar's plan and from the whole grammar,
and asks of each sentence and each structure of the plan whether it occurs: once the
structure's automaton, on the derivation; once the verifier, on the written CoNLL-U::

    python benchmarks/models.py agreement grammars/sget.sgl --items 300

The two share no code: the verifier reads the structures and the graphs with its own
readers.  With ``--random N`` the same is asked of N random structures over the labels,
attributes and words of the grammar, and on every third sentence of a third judge as
well, the definition of a match written down directly (``definition.py``)::

    python benchmarks/models.py agreement grammars/sget.sgl --random 1000 --items 3 --jobs 2

A structure whose automaton would be too large is counted and listed.  A disagreement
is printed with its sentence, and the exit status is then 1.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from common import Json, Workers, command_line, forget, print_table, run_tasks, write_json
from definition import contains
from opening import candidates, opened
from random_structures import random_structure, words_of
from sgl.automata import StructureCompiler, StructureTooCostly
from sgl.core.graph import Graph
from sgl.core.interpret import Derivation, interpret
from sgl.core.plan import Constraint, Plan, Stratum
from sgl.core.structure import Structure
from sgl.frontend import Compiled
from sgl.rendering import conllu
from sgl.verify.conllu import Malformed, Sentence, TokenTable, read_sentences
from sgl.verify.items import ShapeTable
from sgl.verify.search import Searcher
from sgl.verify.structure import read_structure

#: Structures that are compared in one task.
BATCH = 20

#: Elementary steps for the automaton of a random structure, less than for one by hand.
BUDGET = 400_000

#: The third judge looks at every third sentence.
THIRD = 3


@dataclass(frozen=True, slots=True)
class Sample:
    """Sentences: their derivations, their graphs, and as the verifier reads them."""

    derivations: list[Derivation]
    graphs: list[Graph]
    sentences: list[Sentence]


def main() -> int:
    """Run the comparison; the result is the exit status."""
    options = _options()
    compiled = opened(options.grammar)
    started = time.time()
    sample = sample_of(compiled, options.items, options.seed, options.limit)
    structures = (
        random_structures(compiled, options.random, options.seed, sample.graphs)
        if options.random
        else structures_of(compiled.plan)
    )
    memory = options.json.with_suffix(".partial") if options.json else None
    workers = Workers(options.jobs, memory)
    key = f"{options.grammar} {options.items} {options.seed} {options.random} {options.limit}"
    result = run(compiled, sample, structures, workers, key, third=bool(options.random))
    report(result)
    print(f"{time.time() - started:.0f} s")
    write_json(options.json, result)
    forget(workers)
    return 1 if result["disagreements"] else 0


def _options() -> argparse.Namespace:
    parser = command_line(__doc__, results=True)
    parser.add_argument("grammar", type=Path)
    parser.add_argument("--items", type=int, default=300, help="sentences of each stratum")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--random", type=int, default=0, help="number of random structures")
    parser.add_argument("--limit", type=int, help="at most so many sentences, for a short run")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    return parser.parse_args()


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


def random_structures(compiled: Compiled, number: int, seed: int, graphs: Sequence[Graph]) -> list[Structure]:
    """So many different structures over the grammar's own labels and words."""
    words, random = words_of(compiled.grammar), Random(seed)  # noqa: S311
    layer = compiled.grammar.graph_layers[0].name
    found: dict[Structure, None] = {}
    while len(found) < number:
        found[random_structure(random, words, graphs, layer)] = None
    return list(found)


def sample_of(compiled: Compiled, items: int, seed: int, limit: int | None = None) -> Sample:
    """Different sentences of every stratum and of the whole grammar."""
    whole = Stratum("whole", "whole", "whole", 20 * items, Constraint())
    strata = (*(replace(s, count=items, repeated=True) for s in compiled.plan.strata), whole)
    derivations = list(dict.fromkeys(candidates(compiled, strata, seed)))
    if limit is not None:
        derivations = derivations[:: max(1, len(derivations) // limit)][:limit]
    graphs = [interpret(compiled.grammar, derivation).graphs[0] for derivation in derivations]
    return Sample(derivations, graphs, list(written(compiled, derivations)))


def run(
    compiled: Compiled, sample: Sample, structures: Sequence[Structure], workers: Workers, key: str, *, third: bool
) -> Json:
    """Compare in batches of structures, and add up."""
    batches = {f"{start:05d}": structures[start : start + BATCH] for start in range(0, len(structures), BATCH)}

    def work(name: str) -> Json:
        return compare(compiled, sample, batches[name], third=third)

    total: Counter[str] = Counter()
    lists: Json = {"costly": [], "disagreements": []}
    for result in run_tasks(list(batches), work, workers, key).values():
        total.update(result["figures"])
        for name, found in lists.items():
            found.extend(result[name])
    return {"sentences": len(sample.sentences), "structures": len(structures), **total, **lists}


def compare(compiled: Compiled, sample: Sample, structures: Sequence[Structure], *, third: bool = False) -> Json:
    """The numbers of verdicts, and the disagreements, of some structures."""
    shapes = ShapeTable([read_structure(str(structure)) for structure in structures])
    searcher = Searcher(shapes)
    shape_of = [shapes.of(sentence) for sentence in sample.sentences]
    for shape in shapes.shapes():
        shape.occurring = searcher.occurring(shape)
    figures: Counter[str] = Counter()
    costly, wrong = [], []
    compiler = StructureCompiler(compiled.grammar, BUDGET) if third else None
    compiler = compiler or StructureCompiler(compiled.grammar)
    for number, structure in enumerate(structures):
        try:
            automaton = compiler.structure_automaton(structure)
            verdicts = [automaton.accepts(compiled.grammar, d) for d in sample.derivations]
        except StructureTooCostly:
            costly.append(str(structure))
            continue
        figures["kinds"] += len(set(verdicts)) == 2
        for rank, (verdict, shape) in enumerate(zip(verdicts, shape_of, strict=True)):
            figures["verdicts"] += 1
            figures["positive"] += verdict
            said = {"automaton": verdict, "networkx": bool(shape.occurring >> number & 1)}
            if third and (rank + number) % THIRD == 0:
                said["definition"] = contains(sample.graphs[rank], structure)
                figures["by definition"] += 1
            if len(set(said.values())) > 1:
                text = sample.sentences[rank].comment("text") or ""
                wrong.append({"structure": str(structure), "sentence": text, **said})
    return {"figures": figures, "costly": costly, "disagreements": wrong}


def report(result: Json) -> None:
    """Print the figures, and what is wrong."""
    for wrong in result["disagreements"][:10]:
        print(f"DISAGREEMENT {wrong}")
    for structure in result["costly"][:10]:
        print(f"too costly: {structure}")
    rows = [
        ("sentences", result["sentences"]),
        ("structures", result["structures"]),
        ("  too costly to compile", len(result["costly"])),
        ("  in some sentences and not in others", result.get("kinds", 0)),
        ("verdicts", result.get("verdicts", 0)),
        ("  positive", result.get("positive", 0)),
        ("  looked at by the definition too", result.get("by definition", 0)),
        ("disagreements", len(result["disagreements"])),
    ]
    print_table(("", "number"), rows)


def written(compiled: Compiled, derivations: list[Derivation]) -> Iterator[Sentence]:
    """The sentences as the verifier reads them back from CoNLL-U."""
    grammar = compiled.grammar
    anchor = grammar.anchors[0]
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "drawn.conllu"
        with path.open("w", encoding="utf-8") as stream:
            for number, derivation in enumerate(derivations, 1):
                item = interpret(grammar, derivation)
                texts = [(grammar.text_layers[anchor].name, item.texts[anchor])]
                stream.write(
                    conllu(item.graphs[0], item.tokens[anchor], texts, sent_id=f"drawn-{number:06d}", category="drawn")
                )
        for sentence in read_sentences(path, TokenTable()):
            if isinstance(sentence, Malformed):
                raise ValueError(f"line {sentence.line}: {sentence.reason}")
            yield sentence
