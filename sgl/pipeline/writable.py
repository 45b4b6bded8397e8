"""Say what keeps the dataset of a sound grammar from being written, most of it before a sentence is drawn.

A dataset needs a graph of each sentence, which is searched for every structure, a form of text and graph in its files,
and as many sentences as it asks for.  A grammar that lacks these can be sampled, parsed and asked all the same, so they
are not looked for in every grammar that is opened: they are where ``sglc check`` and editors look, and before a dataset
is compiled.
"""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice

from sgl.automata import StructureCompiler
from sgl.automata.proofs.compiler import shape_of
from sgl.cache import kept
from sgl.core.interpret import Derivation, interpret
from sgl.core.smallest import SmallestTexts
from sgl.diagnostics import Diagnostic, Diagnostics
from sgl.frontend import Compiled
from sgl.lang.syntax import Layer
from sgl.pipeline.sentences import check_examples
from sgl.pipeline.shortage import too_few
from sgl.rendering import ConlluError
from sgl.rendering.conllu import is_one_line
from sgl.rendering.output import words_output
from sgl.sampling import NotEnoughError
from sgl.sampling.tables import check_numbers


def check_unproved(compiled: Compiled, diagnostics: Diagnostics) -> None:
    """Report all that there is to say of a sound grammar without its claims: failing examples, no way to write it."""
    check_examples(compiled, diagnostics)
    if compiled.has_dataset and compiled.grammar.graph_layers:
        same, places = (shape_of(compiled.grammar), compiled.plan), compiled.dataset_span
        diagnostics.extend(kept("written", same, places, partial(_check_written, compiled)))
    elif compiled.has_dataset:
        message = "a dataset is verified on its dependency graphs, but no graph layer is declared"
        hint = f"add `layer syn : graph on {compiled.plan.source}`"
        diagnostics.error("SGL0307", compiled.dataset_span, message, hint)


def _check_written(compiled: Compiled) -> tuple[Diagnostic, ...]:
    """Report a text layer whose texts cannot be written; words by themselves have been checked when they were read."""
    diagnostics, grammar = Diagnostics(), compiled.grammar
    layers = {layer.name.text: layer for layer in compiled.project.declarations(Layer)}
    for derivation in SmallestTexts(grammar).of_all(phrases=True):
        texts = interpret(grammar, derivation).texts
        for layer, reason in islice(_faults(compiled, derivation, texts), 1):
            name = grammar.text_layers[layer].name
            message = f"sentences of the dataset cannot be written as CoNLL-U: {reason}"
            hint = f"look at `join` of `{name}`: words are joined by a space, or by nothing"
            diagnostics.error("SGL0513", layers[name].span, message, hint, notes=(f"a text is: {texts[layer]}",))
            return diagnostics.found
    return ()


def _faults(compiled: Compiled, derivation: Derivation, texts: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the text layers, by their numbers, in which a derivation has no form in the files, and why."""
    grammar, plan = compiled.grammar, compiled.plan
    for number in map(grammar.graph_layer, (plan.lemma_layer, *plan.graphs)):
        try:
            words_output(grammar, number).text(derivation)
        except ConlluError as problem:
            yield grammar.anchors[number], str(problem)
    for layer, text in enumerate(texts):
        if not is_one_line(text):
            yield layer, "it has white space other than spaces"


def check_enough(compiled: Compiled, structures: StructureCompiler, diagnostics: Diagnostics) -> None:
    """Report parts of the dataset that ask for more sentences than the grammar has for them."""
    splits = {stratum.stream: structures.split(stratum.constraint) for stratum in compiled.plan.strata}
    try:
        check_numbers(compiled.plan, splits)
    except NotEnoughError as problem:
        diagnostics.add(too_few(problem, compiled))
