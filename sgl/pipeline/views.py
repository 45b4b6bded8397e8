"""Every rule and every word is shown to have a form in the views that a dataset is written in.

A view may find no form for a graph: a node has no ``type``, a word hangs on nothing.  What
is to blame is nearly always one rule or one word, so each is tried in the smallest text
that contains it, before anything is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence

from sgl.core.interpret import Derivation, derive_graph, derive_tokens, interpret
from sgl.diagnostics import Diagnostics, Span
from sgl.frontend import Compiled
from sgl.lang.syntax import View
from sgl.pipeline.smallest import SmallestTexts
from sgl.rendering import ViewError, ViewOutput, outputs
from sgl.rendering.template import template_view


def check_views(compiled: Compiled, diagnostics: Diagnostics) -> None:
    """Report the rules and words whose smallest text has no form, each mistake once.

    Looked at are the targets of the dataset; of other views a grammar may have texts
    without a form.
    """
    grammar = compiled.grammar
    _check_templates(compiled, diagnostics)
    targets = (outputs(grammar)[name] for name in compiled.plan.targets)
    views = [target for target in targets if isinstance(target, ViewOutput)]
    texts = SmallestTexts(grammar).of_all() if views else ()
    failing: list[tuple[Derivation, ViewOutput, str]] = []
    sound: set[int] = set()
    for derivation in texts:
        found = next(((view, text) for view in views if (text := _problem(view, derivation))), None)
        if found is None:
            sound.update(derivation)
        else:
            failing.append((derivation, *found))
    blamed: set[int] = set()
    for derivation, view, problem in failing:
        suspects = [rule for rule in derivation if rule not in sound]
        if blamed.isdisjoint(suspects):
            blamed.update(suspects)
            place = compiled.rule_spans[_to_blame(view, suspects or derivation, problem)]
            _report(place, derivation, view, problem, diagnostics)


def _check_templates(compiled: Compiled, diagnostics: Diagnostics) -> None:
    """Report the views of authors that are no templates."""
    templates = {view.name: view.template for view in compiled.grammar.views if view.template}
    for unit in compiled.project.units:
        for declaration in unit.file.declarations:
            if isinstance(declaration, View) and declaration.name.text in templates:
                try:
                    template_view(templates[declaration.name.text])
                except ViewError as problem:
                    place = declaration.path.span if declaration.path else declaration.span
                    message = f"the view `{declaration.name}` cannot be used: {problem}"
                    diagnostics.error("SGL0513", place, message)


def _to_blame(view: ViewOutput, suspects: Sequence[int], problem: str) -> int:
    """Of the rules that no text with a form uses, the word that the problem names, or the first."""
    for number in suspects:
        rule = view.grammar.rules[number]
        for node in rule.fragments[view.view.layer].nodes if rule.lexical else ():
            if f"'{dict(node.attributes or ()).get('lemma', '')}'" in problem:
                return number
    return suspects[0]


def _report(
    place: Span, derivation: Derivation, view: ViewOutput, problem: str, diagnostics: Diagnostics
) -> None:
    text = interpret(view.grammar, derivation).texts[view.anchor]
    layer = view.grammar.graph_layers[view.view.layer].name
    diagnostics.error(
        "SGL0513",
        place,
        f"a text has no form in the view `{view.name}`: {problem}",
        notes=(f"the text is: {text}",),
        hint=f"look at the attributes of its words and the edges of its rules in `{layer}`",
    )


def _problem(view: ViewOutput, derivation: Derivation) -> str:
    """Why a derivation has no form in a view; empty if it has one."""
    graph = derive_graph(view.grammar, derivation, view.view.layer)
    try:
        view.render(graph, derive_tokens(view.grammar, derivation, view.anchor))
    except ViewError as problem:
        return str(problem)
    return ""
