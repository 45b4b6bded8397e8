"""Check words, patterns and datasets: indistinguishable translations, spaces in words, patterns that test little."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import product
from math import prod

from sgl.core.derivation import RULES
from sgl.core.grammar import Token
from sgl.core.plan import EXPOSURE_PREFIX, IN_DISTRIBUTION, Stratum
from sgl.diagnostics import Label, Span
from sgl.frontend import Compiled
from sgl.frontend.lower.productions import Production, Version
from sgl.lang import syntax as s
from sgl.lint.registry import Finding, Subject, of_dataset, of_grammar
from sgl.memory import kept


@of_grammar("SGL0611")
def several_translations(subject: Subject) -> Sequence[Finding]:
    """Find words that are spelt alike in the source and that nothing in a graph distinguishes."""
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


#: Combinations of values of a table's features up to which rows are searched that no combination chooses.
_COMBINATIONS = 10_000


@of_grammar("SGL0624")
def rows_never_chosen(subject: Subject) -> Iterator[Finding]:
    """Find rows of a table of features all of whose combinations of values have an earlier row."""
    for own in subject.signature.tables.values():
        domains, source = [subject.signature.features[name] for name in own.features], own.table.name
        if prod(map(len, domains)) > _COMBINATIONS:
            continue
        chosen = {own.row(values) for values in product(*domains)}
        for row in (row for number, row in enumerate(own.table.rows) if number not in chosen):
            values = " and ".join(f"`{name} = {row.cells[name]}`" for name in own.columns if name in row.cells)
            message = f"this row of `{source}` is never chosen: the rows above it have {values or 'all values'}"
            yield Finding(row.span, message, "remove it, or move it up: the first row that fits counts")


@of_grammar("SGL0615")
def one_lemma_for_all(subject: Subject) -> Iterator[Finding]:
    """Find lexicons in which the lemma of every word is the name of a column."""
    columns = {column for table in subject.tables.values() for column in table.columns}
    words: dict[object, list[Production]] = {}
    for word in (production for production in subject.productions if production.pool is not None):
        words.setdefault(word.pool, []).append(word)
    for own in words.values():
        nodes = (n for w in own for v in w.versions for f in v.fragments for n in f.nodes if n.attributes)
        lemmas = {value for node in nodes for name, value in node.attributes or () if name == "lemma"}
        if len(lemmas) == 1 and lemmas <= columns and len({word.versions[0].templates[0] for word in own}) > 1:
            message = f"all {len(own)} words of `{own[0].name}` have the lemma `{min(lemmas)}`"
            hint = f"write a column with `$`: `lemma=${min(lemmas)}`"
            yield Finding(own[0].span, message, hint, label="the first of them")


@of_dataset("SGL0837")
def idle_targets(_: Subject, compiled: Compiled) -> Iterator[Finding]:
    """Find patterns with targets that none of their structures mentions and that share nothing."""
    for lowered in compiled.patterns:
        pattern, clause = lowered.pattern, next(iter(s.parts_of(s.TargetsClause, lowered.declaration)), None)
        extents = (*(quota.extent for quota in pattern.quotas), *(own.extent for own in pattern.expose))
        shared = any(extent.targets for extent in extents)
        if clause is not None and pattern.forgets_targets and not shared and lowered.target_structure is None:
            hint = "write `N[@targets]` where you mean the words, or remove the clause"
            yield Finding(clause.span, f"no structure of `{pattern.name}` mentions its targets", hint)


@of_dataset("SGL0836")
def counted_spaces(subject: Subject, compiled: Compiled) -> Iterator[Finding]:
    """Find quoted words with spaces in layers whose words a structure counts."""
    for counted in sorted({length.layer for length in compiled.lengths} - {RULES}):
        layer, spaced = compiled.grammar.text_layer(counted), dict[Span, str]()
        for rule, span in subject.placed:
            if texts := [x.text for x in rule.templates[layer] if isinstance(x, Token) and " " in x.text]:
                spaced[span] = texts[-1]
        for span, text in spaced.items():
            divided = " ".join(f'"{word}"' for word in text.split())
            message = f'`length {counted}` counts `"{text}"` as one word, but the text contains a space'
            yield Finding(span, message, f"quote each word separately: `{divided}`")


@of_dataset("SGL0822")
def patterns_without_items(_: Subject, compiled: Compiled) -> Iterator[Finding]:
    """Find patterns that hold something out but never test it."""
    for lowered in compiled.patterns:
        if lowered.pattern.forbid and not lowered.pattern.quotas:
            own = lowered.declaration.name
            yield Finding(own.span, f"the pattern `{own}` has no items", "say how many: `size 1000`")


@of_dataset("SGL0835")
def mostly_exposures(_: Subject, compiled: Compiled) -> Iterator[Finding]:
    """Find training data with more exposures than other sentences."""
    training = [stratum for stratum in compiled.plan.strata if stratum.split == "train"]
    written, exposed = (_count(training, of) for of in (IN_DISTRIBUTION, EXPOSURE_PREFIX))
    if exposed > written > 0:
        place = next(lowered.span("expose", 0) for lowered in compiled.patterns if lowered.pattern.expose)
        message = f"training has {exposed:,} exposures but only {written:,} sentences of `train`"
        hint = "expose fewer: exposures come on top of `train`, and `per target` counts for each of the targets"
        yield Finding(place, message, hint)


def _count(strata: Iterable[Stratum], prefix: str) -> float:
    return sum(stratum.extent.most for stratum in strata if stratum.category.startswith(prefix))
