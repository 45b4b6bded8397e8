"""Read sentences with other parsers, over the productions of one text layer of a grammar.

Each reader is given the tokens of a sentence and returns its number of readings and the probability of the best one, as
far as that parser finds them out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from sgl.core.grammar import CoreGrammar, Slot
from sgl.core.interpret import capitalised

Sentence = tuple[str, ...]

#: Left-hand side, right-hand side (words in quotation marks), weight.
Production = tuple[str, tuple[str, ...], float]


class Read(NamedTuple):
    """What a parser finds in a sentence; None for what it does not look for."""

    readings: int | None
    probability: float | None


Reader = Callable[[Sentence], Read]


def productions(grammar: CoreGrammar) -> Iterator[Production]:
    """Yield the source layer's context-free productions; raised phrases are symbols of their own."""
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
            yield symbol(category, raised), tuple(right), rule.weight


def symbol(category: int, raised: bool) -> str:
    """Return a name for a symbol that both peers accept."""
    return f"{'r' if raised else 'c'}{category}"


def nltk_reader(grammar: CoreGrammar) -> Reader:
    """Return a reader by NLTK's ChartParser with its default strategy; readings are its trees."""
    from nltk import CFG, ChartParser, Nonterminal
    from nltk.grammar import Production as Rule

    rules = [
        Rule(Nonterminal(left), [_side(part, Nonterminal) for part in right])
        for left, right in sorted({(left, right) for left, right, _ in productions(grammar)})
    ]
    parser = ChartParser(CFG(Nonterminal(symbol(grammar.start, False)), rules))
    return lambda sentence: Read(sum(1 for _ in parser.parse(list(sentence))), None)


def viterbi_reader(grammar: CoreGrammar) -> Reader:
    """Return a reader by NLTK's ViterbiParser: the best tree and its probability."""
    from nltk import PCFG, Nonterminal, ViterbiParser
    from nltk.grammar import ProbabilisticProduction

    rules = [
        ProbabilisticProduction(Nonterminal(left), [_side(part, Nonterminal) for part in right], prob=weight)
        for left, right, weight in productions(grammar)
    ]
    parser = ViterbiParser(PCFG(Nonterminal(symbol(grammar.start, False)), rules))

    def read(sentence: Sentence) -> Read:
        (tree,) = parser.parse(list(sentence))
        return Read(None, tree.prob())

    return read


def _side(part: str, nonterminal: Callable[[str], object]) -> object:
    return part.strip('"') if part.startswith('"') else nonterminal(part)


def lark_reader(grammar: CoreGrammar) -> Reader:
    """Return a reader by Lark's Earley parser over the tokens, which makes its packed forest."""
    from lark import Lark, Token
    from lark.lexer import Lexer

    names: dict[str, str] = {}
    lines: dict[str, dict[str, None]] = {}
    for left, right, _ in productions(grammar):
        parts = [
            names.setdefault(part.strip('"'), f"W{len(names)}") if part.startswith('"') else part for part in right
        ]
        lines.setdefault(left, {})[" ".join(parts)] = None

    class Words(Lexer):
        """A lexer that gives the tokens of a sentence their terminals."""

        def __init__(self, _: object) -> None:
            """Do nothing, since nothing of Lark's own lexer is needed."""

        def lex(self, data: Sentence) -> Iterator[Token]:
            """Return one terminal for each token."""
            return (Token(names[word], word) for word in data)

    text = "\n".join(f"{left}: {' | '.join(rights)}" for left, rights in lines.items())
    declared = "%declare " + " ".join(names.values())
    parser = Lark(
        f"{text}\n{declared}\n", parser="earley", lexer=Words, start=symbol(grammar.start, False), ambiguity="forest"
    )

    def read(sentence: Sentence) -> Read:
        parser.parse(sentence)
        return Read(None, None)

    return read
