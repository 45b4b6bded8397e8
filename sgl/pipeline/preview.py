"""Preview sentences of every part of a dataset before drawing it, to find ambiguity and empty parts.

No proof tells whether all items of a pattern are ambiguous or repeat a lemma, and compilation finds out only after
minutes.  The preview examines a few sentences of each part, and more if one of the first is ambiguous.  They are drawn
without the weights (:mod:`sgl.automata.algebra.walks`), so the messages stay the same while weights are tuned; the
shares are those among the examined sentences, not in the dataset.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice

from sgl.automata import StructureCompiler
from sgl.automata.algebra.walks import Walks
from sgl.automata.proofs.edits import shape_of
from sgl.core.arrays import Derivations
from sgl.core.graph import Graph
from sgl.core.interpret import Derivation, derive_graph, named
from sgl.core.plan import GEN, Ambiguous, Plan, Stratum, content_lemmas, repeats_lemma
from sgl.corpus.audit import AmbiguityFinder
from sgl.diagnostics import Diagnostics, Label, shortlist
from sgl.frontend import Compiled
from sgl.memory import kept
from sgl.parsing import Forest, TooLongError
from sgl.pipeline.diverging import KEEP_ALL, Ambiguity, Preview, RuleName, parting, rule_name, side_by_side
from sgl.pipeline.sentences import place_of_stream, source_parser
from sgl.pipeline.strings import ambiguity_finder, is_twin, of_consequence
from sgl.rendering import outputs, text_output

#: Sentences that are looked at first, of all parts together, and at least and at most of each.
_IN_ALL, _FEWEST, _EACH = 120, 2, 20

#: Sentences to examine if one of the first is ambiguous; sentences to try to find one without a repeated lemma.
THOROUGH, TRIED = 60, 1_000

#: Minimum share of ambiguous sentences in a part to report, and of those with one cause.
SHARE, _OF_CAUSE = 0.25, 0.1

#: Maximum number of causes to report, and of parts to name.
_CAUSES, _NAMED = 3, 4

#: Maximum number of readings of a sentence whose graphs are compared.
_READ = 20


def report_preview(compiled: Compiled, structures: StructureCompiler, diagnostics: Diagnostics) -> None:
    """Warn about parts of the dataset that are largely ambiguous, or whose sentences all repeat a lemma."""
    same = (shape_of(compiled.grammar), compiled.plan)
    seen = kept("preview", same, None, lambda: look(compiled, structures))
    for stream, text in seen.repeating[:1]:
        others = shortlist([f"`{other}`" for other, _ in seen.repeating[1:]], _NAMED)
        message = f"each of {TRIED:,} sentences that were tried for `{stream}` repeats a lemma, which is not allowed"
        hint = "enlarge the lexicon, or leave a part of speech out of `distinct lemmas`"
        notes = [f"one of them is: {text}", *([f"likewise for {others}"] if others else ())]
        diagnostics.warning("SGL0858", place_of_stream(compiled, stream), message, hint, notes=notes)
    listed = compiled.plan.ambiguous is Ambiguous.LIST
    for found in _by_rules(seen.matters):
        what = "is rejected" if compiled.plan.ambiguous.rejects else "refutes the guarantee of strings"
        other = "what is held out, or in too many ways" if listed else "other outputs or what is held out"
        hint = "exclude the reading that is not meant, by a feature for example"
        hint += "" if listed else f"; {KEEP_ALL}"
        _warn(compiled, found, f"with {other}: such a sentence {what}", hint, diagnostics)
    for found in _by_rules(seen.graphs):
        hint = "the dataset has one of these graphs by chance: exclude the reading that is not meant, or let the rules "
        hint += "write what each means in another layer"
        _warn(compiled, found, "with the same outputs and another graph", hint, diagnostics)


def _by_rules(found: Sequence[Ambiguity]) -> Iterator[list[Ambiguity]]:
    """Yield the ambiguities of largely ambiguous parts, grouped by cause, those with the greatest shares first."""
    shares = defaultdict[str, float](float)
    for one in found:
        shares[one.stream] += one.share
    groups: dict[frozenset[RuleName], list[Ambiguity]] = {}
    for one in found:
        if shares[one.stream] >= SHARE:
            groups.setdefault(one.rules, []).append(one)
    worst_first = [sorted(group, key=lambda one: -one.share) for group in groups.values()]
    for group in sorted(worst_first, key=lambda group: -group[0].share)[:_CAUSES]:
        if group[0].share >= _OF_CAUSE:
            yield group


def _warn(compiled: Compiled, found: Sequence[Ambiguity], what: str, hint: str, diagnostics: Diagnostics) -> None:
    own, its = parting(compiled.grammar.rules, *found[0].readings)
    rule, other = (its, own) if own.lexical and not its.lexical else (own, its)
    place, second = (compiled.rule_spans[one.id] for one in (rule, other))
    counts = [f"{one.number} of {one.looked_at} sentences of `{one.stream}`" for one in found]
    diagnostics.warning(
        "SGL0857",
        place,
        f"{counts[0]} can be read in another way, {what}",
        hint,
        labels=[] if place == second else [Label(second, "the other reading is by this")],
        notes=[
            *([f"likewise {shortlist(counts[1:], _NAMED)}"] if counts[1:] else ()),
            side_by_side(compiled, found[0].readings),
        ],
    )


def look(compiled: Compiled, structures: StructureCompiler) -> Preview:
    """Draw sentences of every part, and parse them unless the dataset ignores ambiguity; raises like ``language``."""
    plan, lemmas = compiled.plan, content_lemmas(compiled.grammar, compiled.plan)
    reader = None if plan.ambiguous is Ambiguous.IGNORE else _Reader(compiled, structures)
    repeating, matters, graphs = list[tuple[str, str]](), list[Ambiguity](), list[Ambiguity]()
    parts, source = _different(plan), text_output(compiled.grammar, compiled.grammar.text_layer(plan.source))
    number = max(_FEWEST, min(_EACH, _IN_ALL // max(len(parts), 1)))
    for stratum in parts:
        walks = Walks(structures.language(stratum.constraint))
        # Where there are too few names, no derivation may be a sentence.
        tried = filter(None, (named(compiled.grammar, one) for one in islice(walks.derivations(), TRIED)))
        drawn = (one for one in tried if stratum.repeated_lemmas or not repeats_lemma(one, lemmas))
        first = list(islice(drawn, number))
        if not first:
            whole = (named(compiled.grammar, one) for one in islice(walks.derivations(), THOROUGH))
            shortest = min(filter(None, whole), key=len, default=None)
            repeating += [] if shortest is None else [(stratum.stream, source(shortest))]
        elif reader is not None:
            found = reader.read(stratum, first, islice(drawn, THOROUGH - number))
            matters += found[True]
            graphs += found[False]
    return Preview(tuple(repeating), tuple(matters), tuple(graphs))


def _different(plan: Plan) -> list[Stratum]:
    """Return one part of the dataset for each constraint; generalization differs in the checks on readings."""
    parts = {(s.constraint, s.split == GEN, s.repeated_lemmas): s for s in reversed(plan.strata) if not s.extent.empty}
    return [*reversed(parts.values())]


class _Reader:
    """Parses the sentences of parts of the dataset."""

    def __init__(self, compiled: Compiled, structures: StructureCompiler) -> None:
        self._compiled, self._structures = compiled, structures
        source = compiled.grammar.text_layer(compiled.plan.source)
        self._source, self._parser = text_output(compiled.grammar, source), source_parser(compiled)

    @cached_property
    def _finder(self) -> AmbiguityFinder:
        # Needs the automata of all structures; most grammars never use it.
        return ambiguity_finder(self._compiled, self._structures, self._parser)

    def read(
        self, stratum: Stratum, first: Sequence[Derivation], more: Iterable[Derivation]
    ) -> Mapping[bool, list[Ambiguity]]:
        """Return the ambiguities that matter, and those of graphs only, counted by the rules where readings diverge."""
        looked_at = len(first)
        if pairs := self._pairs(stratum, first):
            pairs += self._pairs(stratum, rest := list(more))
            looked_at += len(rest)
        found: dict[tuple[bool, frozenset[RuleName]], list[tuple[Derivation, Derivation]]] = {}
        for matters, own, other in pairs:
            names = frozenset(map(rule_name, parting(self._compiled.grammar.rules, own, other)))
            found.setdefault((matters, names), []).append((own, other))
        result: dict[bool, list[Ambiguity]] = {True: [], False: []}
        for (matters, rules), readings in found.items():
            shown = min(readings, key=lambda pair: len(pair[0]))
            result[matters].append(Ambiguity(stratum.stream, rules, len(readings), looked_at, shown))
        return result

    def _pairs(self, stratum: Stratum, drawn: Sequence[Derivation]) -> list[tuple[bool, Derivation, Derivation]]:
        """Return derivations with another reading of consequence: whether it matters, derivation, reading."""
        structures, pairs = stratum.split != GEN, list[tuple[bool, Derivation, Derivation]]()
        for own in drawn:
            text = self._source(own)
            try:
                forest = self._parser.forest(text)
            except TooLongError:
                continue
            assert forest is not None, f"the parser cannot read a sampled sentence: {text}"
            if forest.count == 1:
                continue
            (found,) = self._finder.find_batch([text], Derivations.of([own]), structures=structures).values()
            if of_consequence(found, self._compiled.plan.ambiguous):
                pairs.append((True, own, self._finder.evidence(text, own, structures=structures)))
            elif not found.matters and (other := self._other_graph(forest, own)) is not None:
                pairs.append((False, own, other))
        return pairs

    def _other_graph(self, forest: Forest, own: Derivation) -> Derivation | None:
        """Return a reading whose graphs differ in the files of the dataset, or None."""
        grammar, plan = self._compiled.grammar, self._compiled.plan
        layers = [grammar.graph_layer(name) for name in (plan.lemma_layer, *plan.graphs) if name]
        twins = [output for output in outputs(grammar).values() if is_twin(grammar, output)]

        def graphs(reading: Derivation) -> list[Graph]:
            return [derive_graph(grammar, reading, layer) for layer in layers]

        # Readings with different twins are different items, which the twins distinguish.
        alike = (one for one in forest.readings(_READ) if all(twin(one) == twin(own) for twin in twins))
        return next((reading for reading in alike if graphs(reading) != graphs(own)), None)
