"""How fast are sentences parsed, beside NLTK's chart parser and Lark's Earley parser?

All three read the same grammar, the rules of one text layer, and the same sentences, as
sequences of tokens drawn from that grammar; each gives all readings (packed, where it
packs).  A peer that is not installed, or that takes more than its share of time, is left
out with a word about it::

    python benchmarks/parsing.py grammars/sget.sgl --sentences 2000 --peers 60
    python benchmarks/parsing.py grammars/sget.sgl --sentences 50 --peers 10 --tokens 18

Times are CPU seconds of one core; building the parsers is not counted.  The numbers of
readings are compared, so that nobody is fast by doing less.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from sgl.automata import StructureCompiler
from sgl.build.session import open_grammar
from sgl.compile import Compiled
from sgl.core.grammar import CoreGrammar, Slot
from sgl.core.interpret import derive_tokens
from sgl.core.plan import Constraint, Stratum
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.parse import Parser
from sgl.parse.templates import capitalised
from sgl.sample import pack
from sgl.sample.engine import derive
from sgl.sample.random import candidate_key, stream_key

Sentence = tuple[str, ...]

#: The number of readings of a sentence; None where a parser does not count them.
Reader = Callable[[Sentence], int | None]

#: A production over symbols with a mark for a raised first letter, and words in quotes.
Production = tuple[str, tuple[str, ...]]


def main() -> int:
    """Run the comparison; the result is the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("grammar", type=Path)
    parser.add_argument("--sentences", type=int, default=2_000, help="sentences for SGL")
    parser.add_argument("--peers", type=int, default=60, help="sentences for the others")
    parser.add_argument("--tokens", type=int, default=1, help="only sentences of so many tokens")
    parser.add_argument("--seconds", type=float, default=120, help="CPU seconds for each peer")
    options = parser.parse_args()
    compiled = open_grammar(options.grammar, {}, SourceMap(), Diagnostics())
    if compiled is None:
        print("the grammar has errors; see `sglc check`", file=sys.stderr)
        return 2
    grammar = compiled.grammar
    sentences = list(drawn(compiled, options.sentences, options.tokens))
    tokens = sum(map(len, sentences)) / len(sentences)
    print(f"{len(grammar.rules):,} rules, {len(sentences):,} sentences of {tokens:.1f} tokens")
    counts, speed = measured(sgl_reader(grammar), sentences, float("inf"))
    print(f"{'SGL':<22} {speed:10,.0f} sentences/s")
    agree = True
    for name, make in (("NLTK ChartParser", nltk_reader), ("Lark Earley", lark_reader)):
        try:
            reader = make(grammar)
        except ImportError:
            print(f"{name:<22} not installed")
            continue
        found, peer = measured(reader, sentences[: options.peers], options.seconds)
        same = all(theirs in (None, ours) for theirs, ours in zip(found, counts, strict=False))
        agree = agree and same
        print(
            f"{name:<22} {peer:10,.1f} sentences/s ({len(found)} sentences); "
            f"SGL {speed / peer:,.0f} times as fast; readings {'agree' if same else 'DIFFER'}"
        )
    return 0 if agree else 1


def drawn(compiled: Compiled, number: int, tokens: int) -> Iterator[Sentence]:
    """Different sentences of the grammar as it is written, of at least so many tokens."""
    grammar, plan = compiled.grammar, compiled.plan
    stratum = Stratum("parsing", "parsing", "parsing", number, Constraint(), repeated=True)
    split = StructureCompiler(grammar).split(stratum.constraint)
    tables = pack(grammar, replace(plan, strata=(stratum,)), {"parsing": split})
    key, candidate = stream_key(1, "parsing"), 0
    seen: set[Sentence] = set()
    while len(seen) < number:
        derivation = derive(tables.states, tables.strata[0].start, candidate_key(key, candidate))
        candidate += 1
        if derivation is not None:
            sentence = tuple(derive_tokens(grammar, tuple(derivation), 0))
            if sentence not in seen and len(sentence) >= tokens:
                seen.add(sentence)
                yield sentence


def measured(
    reader: Reader, sentences: Sequence[Sentence], seconds: float
) -> tuple[list[int | None], float]:
    """What a parser finds, and sentences per CPU second; it stops when time is up."""
    found: list[int | None] = []
    started = time.process_time()
    for sentence in sentences:
        found.append(reader(sentence))
        if time.process_time() - started > seconds:
            break
    return found, len(found) / max(time.process_time() - started, 1e-9)


def sgl_reader(grammar: CoreGrammar) -> Reader:
    """The parser of this package."""
    parser = Parser(grammar)

    def read(sentence: Sentence) -> int:
        forest = parser.forest(sentence)
        return 0 if forest is None else forest.count

    return read


def productions(grammar: CoreGrammar) -> Iterator[Production]:
    """The source layer as context-free productions; raised phrases are symbols of their own."""
    waiting, seen = [(grammar.start, False)], {(grammar.start, False)}
    while waiting:
        category, raised = waiting.pop()
        for rule in grammar.rules_of[category]:
            right: list[str] = []
            for place, item in enumerate(rule.templates[0]):
                up = raised and place == 0
                if isinstance(item, Slot):
                    child = (rule.rhs[item.child], item.capital or up)
                    right.append(symbol(*child))
                    if child not in seen:
                        seen.add(child)
                        waiting.append(child)
                else:
                    right.append(f'"{capitalised(item.text) if up else item.text}"')
            yield symbol(category, raised), tuple(right)


def symbol(category: int, raised: bool) -> str:
    """A name that both peers accept for a symbol."""
    return f"{'r' if raised else 'c'}{category}"


def nltk_reader(grammar: CoreGrammar) -> Reader:
    """NLTK's ChartParser with its default strategy; readings are its trees."""
    from nltk import CFG, ChartParser, Nonterminal
    from nltk.grammar import Production as Rule

    def side(part: str) -> object:
        return part.strip('"') if part.startswith('"') else Nonterminal(part)

    rules = [
        Rule(Nonterminal(left), list(map(side, right)))
        for left, right in sorted(set(productions(grammar)))
    ]
    parser = ChartParser(CFG(Nonterminal(symbol(grammar.start, False)), rules))
    return lambda sentence: sum(1 for _ in parser.parse(list(sentence)))


def lark_reader(grammar: CoreGrammar) -> Reader:
    """Lark's Earley parser over the tokens, which makes its packed forest."""
    from lark import Lark, Token
    from lark.lexer import Lexer

    names: dict[str, str] = {}
    lines: dict[str, dict[str, None]] = {}
    for left, right in productions(grammar):
        parts = [
            names.setdefault(part.strip('"'), f"W{len(names)}") if part.startswith('"') else part
            for part in right
        ]
        lines.setdefault(left, {})[" ".join(parts)] = None

    class Words(Lexer):
        """Gives the tokens of a sentence their terminals."""

        def __init__(self, _: object) -> None:
            """Nothing of Lark's own lexer is needed."""

        def lex(self, data: Sentence) -> Iterator[Token]:
            """One terminal for each token."""
            return (Token(names[word], word) for word in data)

    text = "\n".join(f"{left}: {' | '.join(rights)}" for left, rights in lines.items())
    declared = "%declare " + " ".join(names.values())
    parser = Lark(
        f"{text}\n{declared}\n",
        parser="earley",
        lexer=Words,
        start=symbol(grammar.start, False),
        ambiguity="forest",
    )

    def read(sentence: Sentence) -> None:
        parser.parse(sentence)

    return read


if __name__ == "__main__":
    sys.exit(main())
