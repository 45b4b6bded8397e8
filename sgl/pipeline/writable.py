"""Report what prevents the dataset of a sound grammar from being written, mostly before drawing a sentence.

A dataset needs a graph of each sentence to search for structures, texts and graphs that its file formats can represent,
and enough sentences.  A grammar without these can still be sampled and parsed, so only ``sglc check``, editors and the
compilation of a dataset check them.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import islice

from sgl.automata import SplitGrammar, StructureCompiler
from sgl.automata.algebra.boolean import without_rules
from sgl.automata.proofs.edits import shape_of
from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation, interpret, shown_children
from sgl.core.plan import EXPOSURE_PREFIX, IN_DISTRIBUTION, NEED_PREFIX, TRAIN, introduced_lemmas
from sgl.core.smallest import SmallestTexts
from sgl.diagnostics import Diagnostic, Diagnostics, Severity, shortlist
from sgl.frontend import Compiled
from sgl.lang.syntax import Layer
from sgl.memory import kept
from sgl.pipeline.sentences import check_examples, place_of_stream
from sgl.rendering import ConlluError
from sgl.rendering.conllu import is_one_line
from sgl.rendering.output import words_output
from sgl.sampling.acceptance import AMBIGUOUS, REPEATED_LEMMA, TOO_LONG, UNEXPOSED_WORD, NotEnoughError

#: Maximum number of words to name.
_NAMED = 5


def check_unproved(compiled: Compiled, diagnostics: Diagnostics) -> None:
    """Report everything about a sound grammar except its claims: failed examples, and data that cannot be written."""
    check_examples(compiled, diagnostics)
    check_input(compiled, diagnostics)
    if compiled.has_dataset:
        same, places = (shape_of(compiled.grammar), compiled.plan), compiled.dataset_span
        diagnostics.extend(kept("written", same, places, partial(_check_written, compiled)))


def check_input(compiled: Compiled, diagnostics: Diagnostics) -> None:
    """Report an input in which a parser cannot list all readings of a text, as they may be endless.

    The first text layer shows every phrase; another one may leave out phrases that contain one another, or their words.
    """
    grammar, source = compiled.grammar, compiled.plan.source
    layer = grammar.text_layer(source)
    endless = kept("endless", (shape_of(grammar),), layer, partial(_endless, grammar, layer)) if layer else ()
    for rule, reason in endless:
        place = compiled.dataset_span if rule is None else compiled.rule_spans[rule]
        hint = "join it with a layer that shows all phrases: `input a b`"
        diagnostics.error("SGL0206", place, f"`{source}` cannot be the input of a dataset: {reason}", hint)


def _endless(grammar: CoreGrammar, layer: int) -> tuple[tuple[int | None, str], ...]:
    """Return why there may be endless readings, if so, with the rule that is to blame if there is one."""
    from sgl.parsing.layer import TemplateIndex, UnparsableLayerError

    try:
        index = TemplateIndex(grammar, layer)
    except UnparsableLayerError:  # reported where readings matter
        return ()
    for rule in grammar.rules:
        shown = shown_children(rule.templates[layer])
        for child in (child for place, child in enumerate(rule.rhs) if place not in shown and child not in index.ways):
            left_out = f"`{rule.name}` leaves out `{grammar.categories[child].name}`, of which there is no end"
            return ((rule.id, left_out),)
    reason = "a phrase can contain another one with the same words there, again and again"
    return ((None, reason),) if index.recurs else ()


def _check_written(compiled: Compiled) -> tuple[Diagnostic, ...]:
    """Report a text layer whose texts cannot be written; single words were checked when they were read."""
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
    """Yield the number of each text layer in which a derivation cannot be written, and why."""
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
    """Report parts of the dataset that request more sentences than the grammar has with training words."""
    from sgl.sampling.tables import check_numbers

    strata = compiled.plan.strata
    splits = {stratum.stream: structures.split(stratum.constraint) for stratum in strata}
    try:
        check_numbers(compiled.plan, splits)
    except NotEnoughError as problem:
        diagnostics.add(too_few(problem, compiled))
    if training := [splits[s.stream] for s in strata if s.split == TRAIN and s.count]:
        new = _new_words(compiled, training)
        for stratum in strata if new else ():
            asked = stratum.split != TRAIN and stratum.count
            if asked and without_rules(structures.language(stratum.constraint), new).empty:
                used = sorted(splits[stratum.stream].used_rules & new.keys())
                words = list(dict.fromkeys(f"`{new[rule]}`" for rule in used))
                message = f"`{stratum.stream}` cannot yield a sentence"
                notes = (f"each would have a word that no sentence of train can have: {shortlist(words, _NAMED)}",)
                place, hint = place_of_stream(compiled, stratum.stream), "hold out less, or let training show the word"
                diagnostics.error("SGL0809", place, message, hint, notes=notes)


def _new_words(compiled: Compiled, training: Iterable[SplitGrammar]) -> dict[int, str]:
    """Return the rules with a lemma that no training sentence has, each with that lemma."""
    lemmas = introduced_lemmas(compiled.grammar, compiled.plan)
    shown = {lemma for split in training for rule in split.used_rules for lemma in lemmas[rule]}
    return {rule: lemma for rule, own in enumerate(lemmas) for lemma in own if lemma not in shown}


def too_few(problem: NotEnoughError, compiled: Compiled | None) -> Diagnostic:
    """Return the diagnostic for a part with too few sentences: why candidates were rejected, and what to do."""
    from sgl.dataset.manifest import rejected_in_words

    # Parts of training may lack words because their sentences are ambiguous.
    before = [
        f"of {_count(candidates, 'candidate')} for `{stream}`, {ambiguous:,} were rejected for "
        "their readings, so that their words were not seen"
        for stream, (candidates, ambiguous) in problem.before.items()
        if problem.rejected.get(UNEXPOSED_WORD) and stream.startswith(f"{TRAIN}/") and ambiguous
    ]
    message = f"`{problem.stratum}` cannot yield {_count(problem.wanted, 'sentence')}"
    found = f"found {problem.found:,} in {_count(problem.candidates, 'candidate')}"
    if rejected := rejected_in_words(problem.rejected):
        found += f"; rejected {rejected}"
    place = None if compiled is None else place_of_stream(compiled, problem.stratum)
    named = compiled is not None and compiled.grammar.names and problem.rejected.get(TOO_LONG)
    short = ["“too long” are also sentences that need more names than there are"] if named else []
    notes = (problem.reason, *([found] if problem.candidates else ()), *_all_of_them(problem), *short, *before)
    return Diagnostic("SGL0809", Severity.ERROR, place, message, notes=notes, hint=_way_out(problem, bool(before)))


def _all_of_them(problem: NotEnoughError) -> Iterator[str]:
    """Yield the known numbers of derivations of a part that drawing has given up on."""
    from sgl.dataset.manifest import rejected_in_words

    if not problem.candidates or problem.derivations in (None, problem.candidates):
        return
    there = f"this part of the data has {_count(problem.derivations or 0, 'derivation')}"
    if problem.possible is None:
        yield there
    elif problem.possible < problem.wanted:
        why = f" (left out: {rejected_in_words(problem.excluded)})"
        yield f"{there}; all were looked at, and only {_count(problem.possible, 'sentence')} can be accepted{why}"
    else:
        yield f"{there}; all were looked at: {_count(problem.possible, 'sentence')} can be accepted, but some are rare"


def _way_out(problem: NotEnoughError, readings: bool) -> str:
    rejected = problem.excluded or problem.rejected
    often = max(rejected, key=lambda reason: rejected[reason], default="") if any(rejected.values()) else ""
    if often == AMBIGUOUS or readings:
        return (
            f'look at their readings: `sglc parse --all GRAMMAR "{problem.example or "…"}"`; '
            "make the grammar less ambiguous, or let them pass: `ambiguous report` in the dataset"
        )
    split, _, rest = problem.stratum.partition("/")
    every = _all_clause(split, rest.partition("/")[0])
    if problem.possible is not None and problem.possible >= problem.wanted and every:
        return f"take every sentence, with `{every}`, or give the rare rules and words more weight"
    if often == UNEXPOSED_WORD and not problem.found:
        nothing = "" if split == TRAIN else "; for a pattern without items, write `size 0`"
        return f"let training show the words, as `expose 1 {{ N[@targets] }}` does{nothing}"
    if often == REPEATED_LEMMA:
        return (
            "a sentence needs more different words than there are, or most often draws one "
            "twice: enlarge the lexicon, or take a part of speech out of `distinct lemmas`"
        )
    fewer = f"ask for {problem.possible:,} at most" if problem.possible else "ask for fewer"
    if every and (problem.possible or (problem.derivations and not problem.candidates)):
        fewer += f" (`{every}` takes every one)"
    return f"{fewer}, enlarge the lexicon, or allow repeated sentences"


def _all_clause(split: str, category: str) -> str:
    """Return the clause that requests all sentences of a part of the data; empty if none can."""
    if category == IN_DISTRIBUTION:
        return f"{split} all"
    return "" if not category or category.startswith((EXPOSURE_PREFIX, NEED_PREFIX)) else "size all"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
