"""How does the cost grow with the rules of a grammar, its patterns, and the length of sentences?

A small grammar of transitive clauses with prepositional phrases is written with ever more
words, or with ever more patterns, each of which holds out one noun as the object of one
verb; and SGET is drawn with recursive rules made likelier, so that sentences get longer::

    python benchmarks/growing.py --json growing.json
    python benchmarks/growing.py --rules 100 1000 --patterns 1 10

Reading is what ``open_grammar`` does, proving what ``establish`` does, both without a cache;
drawing is that of derivations and English texts, parsing that of these texts with the best
derivation.  Times are CPU seconds or microseconds of one process, in which kernels are
compiled already; the least of the rounds is shown.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from common import print_table, write_json
from opening import opened
from parsing import lengthened
from sgl.accel.column import Column
from sgl.automata import StructureCompiler
from sgl.core.plan import Constraint, Stratum
from sgl.diagnostics import Diagnostics
from sgl.frontend import Compiled
from sgl.parsing import BatchParser, Parser
from sgl.pipeline.claims import establish
from sgl.sampling import pack
from sgl.sampling.sampler import Sampler

SGET = Path(__file__).parent.parent / "grammars" / "sget.sgl"

#: Sentences that are drawn and parsed.
SENTENCES = 20_000

#: Words beside the nouns and verbs, and rules of phrases.
_VERBS_PER_NOUN = 4

_GRAMMAR = """\
module grown "Clauses with as many words and patterns as wanted"

layer en  : text (attach ".")
layer syn : graph on en

category N
category V
category Text
category VP
category NP
category PP

{words}

rule sentence: Text -> capital subj:NP VP "."
  syn VP -[nsubj]-> subj; VP -[punct]-> "."(upos=PUNCT)

rule transitive: VP -> V obj:NP
  syn V -[obj]-> obj

rule phrase: NP -> "the" N  ~ 4
  syn N -[det]-> "the"(upos=DET)

rule modified: NP -> "the" N PP
  syn N -[det]-> "the"(upos=DET); N -[nmod]-> PP

rule near: PP -> "near" NP
  syn NP -[case]-> "near"(upos=ADP)

dataset
  from Text
  train 100
  dev   5
  test  5
  seed  1

{patterns}
"""

Result = TypeVar("Result")


@dataclass(frozen=True)
class Growth:
    """What a grammar of some size costs."""

    rules: int
    patterns: int
    read_seconds: float
    prove_seconds: float
    draw_microseconds: float
    parse_microseconds: float


@dataclass(frozen=True)
class Length:
    """What sentences of some mean length cost."""

    tokens: float
    draw_microseconds: float
    parse_microseconds: float


def grammar_of(words: int, patterns: int) -> str:
    """The grammar with so many words and patterns."""
    verbs = max(words // (1 + _VERBS_PER_NOUN), 1)
    forms = [("V", f"verb{number}", "VERB") for number in range(verbs)]
    forms += [("N", f"noun{number}", "NOUN") for number in range(max(words - verbs, 1))]
    listed = [
        f'word {category}: "{form}"\n  syn node(lemma={form}, upos={tag})\n'
        for category, form, tag in forms
    ]
    held_out = [
        f'pattern p{number} "One noun as the object of one verb"\n'
        f"  forbid {{ V[lemma=verb{number}] -[obj]-> N[lemma=noun{number}] }}\n  size 5\n"
        for number in range(patterns)
    ]
    return _GRAMMAR.format(words="\n".join(listed), patterns="\n".join(held_out))


def grown(words: int, patterns: int, rounds: int, folder: Path) -> Growth:
    """What the grammar with so many words and patterns costs."""
    path = folder / "grown.sgl"
    path.write_text(grammar_of(words, patterns), "utf-8")
    read, compiled = least(lambda: opened(path), rounds)

    def prove() -> None:
        diagnostics = Diagnostics()
        if establish(compiled, StructureCompiler(compiled.grammar), diagnostics) is None:
            raise SystemExit("\n".join(str(found) for found in diagnostics))

    proved, _ = least(prove, rounds)
    stratum = next(s for s in compiled.plan.strata if s.stream.startswith("train"))
    drawn, parsed, _ = used(compiled, stratum.constraint, rounds)
    return Growth(len(compiled.grammar.rules), patterns, read, proved, drawn, parsed)


def lengths(factors: Sequence[float], rounds: int) -> Iterator[Length]:
    """What sentences of SGET cost whose recursive rules are so many times as likely."""
    compiled = opened(SGET)
    for factor in factors:
        longer = replace(compiled, grammar=lengthened(compiled.grammar, factor))
        drawn, parsed, texts = used(longer, Constraint(), rounds)
        tokens = sum(text.count(" ") + 2 for text in texts.texts()) / texts.rows
        yield Length(tokens, drawn, parsed)


def used(compiled: Compiled, constraint: Constraint, rounds: int) -> tuple[float, float, Column]:
    """Microseconds to draw and to parse a sentence, and the sentences."""
    grammar = compiled.grammar
    stratum = Stratum("grown", "grown", "grown", SENTENCES, constraint, repeated=True)
    split = StructureCompiler(grammar).split(constraint)
    plan = replace(compiled.plan, strata=(stratum,), distinct_sentences=False)
    tables = pack(grammar, plan, {"grown": split})
    sampler = Sampler(tables)
    numbers = np.arange(SENTENCES, dtype=np.int64)
    drawing, batch = least(lambda: sampler.derive(tables.strata[0], numbers), rounds)
    texts = [text for text in batch.sources.texts() if text]
    parser = BatchParser(Parser(grammar, grammar.text_layer(compiled.plan.source)))
    parsing, _ = least(lambda: parser.read_compiled(texts, derive=True), rounds)
    return 1e6 * drawing / SENTENCES, 1e6 * parsing / len(texts), Column.of(texts)


def least(work: Callable[[], Result], rounds: int) -> tuple[float, Result]:
    """The least CPU time that some work takes, and its result."""
    times = []
    for _ in range(rounds):
        started = time.process_time()
        result = work()
        times.append(time.process_time() - started)
    return min(times), result


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--rules", type=int, nargs="+", default=[100, 200, 500, 1_000, 2_000, 5_000]
    )
    parser.add_argument("--patterns", type=int, nargs="+", default=[1, 2, 4, 8, 16, 32, 64, 128])
    parser.add_argument("--longer", type=float, nargs="+", default=[1, 2, 3, 4, 6, 8])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path, help="write the results into this file")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        grown(100, 1, 1, folder)
        by_rules = [grown(rules, 1, options.rounds, folder) for rules in options.rules]
        by_patterns = [grown(1_000, number, options.rounds, folder) for number in options.patterns]
        by_length = list(lengths(options.longer, options.rounds))
    header = ["rules", "patterns", "read s", "prove s", "draw us", "parse us"]
    for measured in (by_rules, by_patterns):
        print_table(header, [rounded(asdict(one)) for one in measured])
    print_table(["tokens", "draw us", "parse us"], [rounded(asdict(one)) for one in by_length])
    write_json(
        options.json,
        {
            "rules": [asdict(one) for one in by_rules],
            "patterns": [asdict(one) for one in by_patterns],
            "length": [asdict(one) for one in by_length],
        },
    )


def rounded(values: dict[str, float]) -> list[str]:
    """The values of a row as they are shown."""
    return [f"{value:,}" if isinstance(value, int) else f"{value:.3f}" for value in values.values()]


if __name__ == "__main__":
    main()
