"""Words: translations that nothing tells apart, and spaces in what is counted as one word."""

from collections.abc import Iterator, Sequence
from functools import partial

from sgl.cache import kept
from sgl.core.grammar import Token
from sgl.diagnostics import Label, Span
from sgl.frontend import Compiled
from sgl.frontend.lower.productions import Production, Version
from sgl.lint.registry import Finding, Subject, of_dataset, of_grammar


@of_grammar("SGL0611")
def several_translations(subject: Subject) -> Sequence[Finding]:
    """Find words that are spelt alike in the source, and which nothing in a graph tells apart."""
    words = tuple(production for production in subject.productions if not production.rhs)
    return kept("translations", words, None, partial(_translated_again, words))


def _translated_again(productions: Sequence[Production]) -> tuple[Finding, ...]:
    found, sources = list[Finding](), dict[object, tuple[Production, Version]]()
    for word, version in ((p, version) for p in productions for version in p.versions):
        graphs = tuple(tuple(node.attributes for node in fragment.nodes) for fragment in version.fragments)
        key = (word.lhs.info.name, word.lhs.slots, version.templates[0], graphs)
        earlier, first = sources.setdefault(key, (word, version))
        if earlier is not word and first.templates != version.templates:
            source = " ".join(item.text for item in version.templates[0] if isinstance(item, Token))
            message = f"`{source}` has several translations, and nothing tells them apart"
            hint = "remove one of the two, or tell them apart by a feature or an attribute"
            labels = (Label(earlier.span, "the same word, translated otherwise"),)
            found.append(Finding(word.span, message, hint, labels=labels))
    return tuple(found)


@of_dataset("SGL0836")
def counted_spaces(subject: Subject, compiled: Compiled) -> Iterator[Finding]:
    """Find quoted words with spaces in layers whose words a structure counts."""
    for name in sorted({length.layer for length in compiled.lengths}):
        layer, spaced = compiled.grammar.text_layer(name), dict[Span, str]()
        for rule, span in subject.placed:
            if texts := [x.text for x in rule.templates[layer] if isinstance(x, Token) and " " in x.text]:
                spaced[span] = texts[-1]
        for span, text in spaced.items():
            divided = " ".join(f'"{word}"' for word in text.split())
            message = f'`length {name}` counts `"{text}"` as one word, and the text has a space in it'
            yield Finding(span, message, f"quote each word by itself: `{divided}`")
