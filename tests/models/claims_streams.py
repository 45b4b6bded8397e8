"""What streams hold, against the model: derivations with texts and graphs, lists of all of them, files of graphs.

``derivations`` writes out what a split derives up to a length, and ``term_of`` how the model writes a derivation.
"""

from __future__ import annotations

import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from pathlib import Path

from certified import core_of, meaning_of

from claims_maker import Maker
from claims_matches import contains
from claims_patterns import StreamClaims
from claims_structures import Structure
from claims_trees import ATTRIBUTES, Tree
from harness import Difference
from sgl.automata import StructureCompiler
from sgl.automata.weights.split import SplitGrammar, count_derivations, longest_text
from sgl.cli.arguments import graph_text
from sgl.core.extent import Extent
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import derive_heads, interpret
from sgl.core.plan import Stratum
from sgl.core.structure import Body as StructureBody
from sgl.core.structure import LengthTest
from sgl.core.structure import Structure as CoreStructure
from sgl.dataset.fingerprint import core_form
from sgl.frontend import Compiled
from sgl.sampling.engine import Listing
from sgl.sampling.tables import pack_states
from sgl.verify.candidates import Candidates
from sgl.verify.conllu import Sentence, TokenTable, read_sentences
from sgl.verify.derivation import Interpreter
from sgl.verify.schema import CertificateData, DrawnState, DrawnTables

#: Words of the longest sentence, and the most phrases of a category that are listed.
LONGEST, MOST = 8, 2_500

#: The sentences of training whose files are compared.
FILES = 50


def compare_streams(
    maker: Maker,
    compiled: Compiled,
    structures: StructureCompiler,
    listed: Sequence[Tree],
    longest: int,
    figures: Counter[str],
) -> dict[str, list[Tree]]:
    """Compare the sentences of each stream, and return those of the model.

    Raises:
        Difference: a stream has other sentences, or sentences with other values.
    """
    kept = {rule.name for rule in maker.grammar.rules if rule.keep}
    members: dict[str, list[Tree]] = {}
    streams = maker.streams()
    wanted = {s for own in streams.values() for s in (*own.some, *own.none, *own.cut)}
    found = {(tree.term, s): contains(tree, s) for tree in listed for s in wanted}

    def belongs(tree: Tree, claims: StreamClaims) -> bool:
        def has(group: tuple[Structure, ...]) -> bool:
            return any(found[tree.term, structure] for structure in group)

        lacks = not has(claims.none) and (bool(tree.rules & kept) or not has(claims.cut))
        own = lacks and (not claims.some or has(claims.some))
        return own and all(condition.holds(tree, claims.some) for condition in claims.conditions)

    for stratum in compiled.plan.strata:
        claims = streams[stratum.stream]
        members[stratum.stream] = own = [tree for tree in listed if belongs(tree, claims)]
        figures["verdicts"] += len(listed)
        if claims.layers >= {"derivation"}:
            figures[f"verdicts on derivations {'alone' if len(claims.layers) == 1 else 'joined'}"] += len(listed)
        expected = Counter(tree.value for tree in own)
        found_ones = Counter(derived(compiled, structures.split(stratum.constraint), longest))
        if expected != found_ones:
            lacking, more = expected - found_ones, found_ones - expected
            one = next(iter(lacking or more))
            raise Difference(
                f"{stratum.stream} lacks {lacking.total()} and has {more.total()} sentences "
                f"that it should not have, as {one}"
            )
        layer, source = compiled.plan.lemma_layer, compiled.grammar.text_layers[0].name
        for most in sorted({min(3, longest), min(5, longest), longest}):
            body = StructureBody((), lengths=(LengthTest(source, ">=", most + 1),))
            short = replace(stratum.constraint, exclude=(*stratum.constraint.exclude, CoreStructure(layer, body)))
            terms = Counter(tree.term for tree in own if len(tree.en) <= most)
            split = structures.split(short)
            figures["listed"] += _check_listing(compiled, stratum, split, terms, most)
    return members


def _check_listing(compiled: Compiled, stratum: Stratum, split: SplitGrammar, own: Counter[str], longest: int) -> int:
    """Compare the list of all derivations up to a length with the model; return their number.

    Raises:
        Difference: the list has others, has one twice, or the checker lists them otherwise.
    """
    size = count_derivations(split)
    most = longest_text(split, compiled.grammar.text_layers[0].name)
    if size is None or size > MOST:
        return 0
    if not isinstance(most, int) or most > longest or size != own.total():
        raise Difference(f"{stratum.stream} has {size} derivations, the model {own.total()}")
    if not size:
        return 0
    plan = replace(compiled.plan, strata=(replace(stratum, extent=Extent(size, every=True)),))
    states, (start,), _ = pack_states(compiled.grammar, plan, {stratum.stream: split})
    listing = Listing(states, start)
    core = core_of(core_form(compiled.grammar, plan))
    drawn = DrawnTables(tuple(DrawnState(own.bounds, own.rules, [*map(list, own.children)]) for own in states), [start])
    data = CertificateData("", "", core, "", 1, [0] * len(core.grammar.rules), (), (), drawn, ())
    checker = Candidates(data, abs)
    found = [tuple(listing.derivation(number) or ()) for number in range(size)]
    if [checker.candidate(0, n).derivation for n in range(size)] != found:
        raise Difference(f"{stratum.stream}: the checker lists other derivations")
    lengths = sum(len(interpret(compiled.grammar, d).tokens[0]) == most for d in found)
    if Counter(term_of(compiled.grammar, own) for own in found) != own or not lengths:
        raise Difference(f"{stratum.stream}: the list is not what the model has")
    return size


def derived(compiled: Compiled, split: SplitGrammar, longest: int) -> Iterator[tuple[object, ...]]:
    """Yield the values of all derivations of a split of up to so many words."""
    grammar = compiled.grammar
    for derivation in derivations(compiled, split, longest):
        item = interpret(grammar, derivation)
        found: list[object] = [term_of(grammar, derivation), *item.texts]
        for layer, graph in zip(grammar.graph_layers, item.graphs, strict=True):
            at = [node.position for node in graph.nodes]
            names = ATTRIBUTES if layer.name == "derivation" else ("lemma", "upos")
            labels = tuple(tuple(node.get(name) for name in names) for node in graph.nodes)
            # In the first layer each word is a node.
            found.append(tuple(zip(at, labels, strict=True)) if layer.name != "syn" else labels)
            found.append(frozenset((at[s], label, at[t]) for s, label, t in graph.edges))
        yield tuple(found)


def derivations(compiled: Compiled, split: SplitGrammar, longest: int) -> Iterator[tuple[int, ...]]:
    """Yield all derivations of a split of up to so many words."""
    grammar = compiled.grammar
    rows: dict[int, list[tuple[int, Sequence[int]]]] = defaultdict(list)
    for state, rule, children, _ in split.transitions.rows():
        rows[state].append((rule, children))

    @cache
    def phrases(state: int, length: int) -> list[tuple[int, ...]]:
        found = []
        for rule, children in rows[state]:
            rest = length - grammar.source_tokens[rule]
            joined = _joined(children, rest, phrases) if children else [()] * (rest == 0)
            found += [(rule, *below) for below in joined]
        return found

    for root, _ in split.roots:
        for length in range(1, longest + 1):
            yield from phrases(root, length)


def compare_files(
    compiled: Compiled, structures: StructureCompiler, listed: Sequence[Tree], longest: int, figures: Counter[str]
) -> None:
    """Compare the graphs that are written, and that the checker of rows makes, with the model.

    Raises:
        Difference: a file has other nodes or edges.
    """
    grammar, trees_of = compiled.grammar, {tree.term: tree for tree in listed}
    meaning = meaning_of(core_form(grammar, compiled.plan)["grammar"])
    split = structures.split(compiled.plan.strata[0].constraint)
    for derivation in islice(derivations(compiled, split, longest), FILES):
        tree, item = trees_of[term_of(grammar, derivation)], interpret(grammar, derivation)
        for layer in tree.further if tree.ja else ():
            text, lines = (
                graph_text(grammar, item, layer, sent_id="s", category="c"),
                meaning.sentence(layer, derivation),
            )
            if not text.endswith(f"\n{lines}\n"):
                raise Difference(f"the checker writes {lines!r}, and the compiler {text!r}")
            _compare_file(layer, tree, text)
            figures["written graphs"] += 1
        for layer in tree.layers if tree.ja else ():
            if layer != "derivation":
                _compare_heads(layer, tree, grammar, meaning, derivation)


def _compare_heads(
    layer: str, tree: Tree, grammar: CoreGrammar, meaning: Interpreter, derivation: tuple[int, ...]
) -> None:
    """Compare the head of each phrase, as it is written and as the checker of rows makes it, with the model."""
    place, nodes = tree.places(layer), tree.graph(layer).nodes
    expected = [place[own[layer]] + 1 if own[layer] in nodes else 0 for own in tree.heads]
    written = derive_heads(grammar, derivation, grammar.graph_layer(layer))
    made = meaning.heads([layer], derivation)[f"heads_{layer}"]
    if written != expected or made != " ".join(map(str, expected)):
        raise Difference(f"{layer}: heads of {tree.text!r} are {expected}, written {written}, made again {made}")


def _compare_file(layer: str, tree: Tree, text: str) -> None:
    read = read_text(text, free=layer != "derivation")
    place, graph = tree.places(layer), tree.graph(layer)
    names = ATTRIBUTES if layer == "derivation" else ("lemma", "upos")
    nodes = {at: tuple(map(word.get, names)) for at, word in enumerate(read.words) if not word.outside}
    edges = {(place[s], label, place[t]) for s, label, t in graph.edges}
    if nodes != {place[n]: label for n, label in graph.nodes.items()} or {*read.edges} != edges:
        raise Difference(f"{layer}: the file of {tree.text!r} has {nodes} and {read.edges}")


def read_text(text: str, *, free: bool) -> Sentence:
    """Return a sentence of a layer as the verifier reads it.

    Raises:
        Difference: it is malformed.
    """
    with tempfile.NamedTemporaryFile() as file:
        file.write(text.encode())
        file.flush()
        (read,) = read_sentences(Path(file.name), TokenTable(free=free))
    if not isinstance(read, Sentence):
        raise Difference(f"the verifier refuses {text!r}: {read.reason}")
    return read


def _joined(
    children: Sequence[int], total: int, phrases: Callable[[int, int], list[tuple[int, ...]]]
) -> Iterator[tuple[int, ...]]:
    first, *others = children
    if not others:
        yield from phrases(first, total) if total > 0 else []
        return
    for size in range(1, total):
        for one in phrases(first, size):
            for rest in _joined(others, total - size, phrases):
                yield *one, *rest


def term_of(grammar: CoreGrammar, derivation: Sequence[int]) -> str:
    """Return a derivation as the model writes it."""
    stack = list[str]()
    for number in reversed(derivation):
        rule = grammar.rules[number]
        name = grammar.categories[rule.lhs].name
        below = [stack.pop() for _ in rule.rhs]
        said = rule.name if rule.rhs else rule.words(0)[0]
        stack.append(f"({' '.join([name, said, *below])})")
    return stack.pop()
