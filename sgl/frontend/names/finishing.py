"""The finish of a text layer: absorbed words, word forms, contractions, capitals; and twins.

A twin of the source layer inherits every template.  A clause of its own is a *difference*::

    V[num=sg]   en $sg   bad $pl        the dogs near the cat bark / barks
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sgl.core.grammar import TextLayer
from sgl.core.spelling import Finish
from sgl.diagnostics import Label, Span, suggest
from sgl.frontend.names.parameters import Session
from sgl.frontend.names.scopes import Resolved, ResolvedNames
from sgl.lang import syntax as s

#: The options of a text layer: whether words precede, what follows them, and an example.
_FORMS: dict[str, tuple[tuple[tuple[bool, str], ...], str]] = {
    "join": (((True, ""),), 'takes one quoted text, `join ""`'),
    "attach": (((True, ""), (False, "after")), 'is written `attach "."`, or `attach after "("`'),
    "absorb": (((True, "before"), (True, "first")), 'is written `absorb "," before "." ","`'),
    "capital": (((False, "first"),), "is written `capital first`"),
}
_ONE = "keep one of the two, or give each a `when` of its own"
NOTE = "whether such a word is in a text depends on the words next to it"


def options_in_force(declaration: s.Layer, state: Resolved) -> Iterator[s.LayerOption]:
    """Yield the options of a text layer that apply; report malformed ones."""
    for option in declaration.options:
        name = ""
        if isinstance(option, s.Option):
            name, place = option.name.text, option.place.kind.text if option.place else ""
            if name not in _FORMS:
                hint = suggest(name, _FORMS) or f"its options are {', '.join(_FORMS)}"
                state.error("SGL0201", option.name.span, f"a text layer has no option `{name}`", hint)
                continue
            forms, example = _FORMS[name]
            several = name == "join" and len(option.values) > 1
            if several or (bool(option.values), place) not in forms:
                state.error("SGL0308", option.span, f"`{name}` {example}")
                continue
        words = [word for word in s.parts_of(s.Name, option) if word.quoted]
        if name != "join" and any(not w.text or w.text != w.text.strip() for w in words):
            state.error("SGL0308", option.span, "a word is empty, or has a space at an end")
        elif state.parameters.holds(option.when):
            yield option


def text_layer(declaration: s.Layer, state: Resolved) -> TextLayer:
    """Return a text layer with its options in force."""
    join: s.Option | None = None
    attach, after, absorb, capital, twin = set[str](), set[str](), set[tuple[str, str]](), False, ""
    tables: tuple[_Forms, _Forms] = ({}, {})
    for option in options_in_force(declaration, state):
        if isinstance(option, s.Contrast):
            twin = option.layer.text
            continue
        beside = [word.text for word in option.place.words] if option.place is not None else []
        if not isinstance(option, s.Option):
            rights = [option.right.text] if isinstance(option, s.Elision) else beside
            _add_forms(option, rights, tables[isinstance(option, s.Elision)], state)
        elif option.name.text == "attach":
            attach.update(value.text for value in option.values)
            after.update(beside)
        elif option.name.text == "absorb":
            absorb |= {(word.text, other) for word in option.values for other in beside or [""]}
        elif option.name.text == "capital":
            capital = True
        elif join is not None:
            message = f"the layer `{declaration.name}` says twice how its words are joined"
            state.error("SGL0308", option.span, message, _ONE, labels=[Label(join.span, "here first")])
        else:
            join = option
    forms, elisions = (tuple((*pair, form) for pair, form in own.items()) for own in tables)
    finish = Finish(tuple(sorted(after)), tuple(sorted(absorb)), forms, elisions, int(capital), twin)
    between = " " if join is None else join.values[0].text
    return TextLayer(declaration.name.text, between, frozenset(attach), finish if finish != Finish() else None)


#: The forms of words before other words.
_Forms = dict[tuple[str, str], str]


def _add_forms(option: s.Elision | s.WordForm, rights: Sequence[str], known: _Forms, state: Session) -> None:
    for pair in [(option.left.text, right) for right in rights]:
        if known.setdefault(pair, option.form.text) != option.form.text:
            message = f"`{pair[0]}` is written in two ways before `{pair[1]}`"
            state.error("SGL0308", option.span, message, _ONE)


def with_twins(text: Sequence[TextLayer], state: Resolved) -> tuple[TextLayer, ...]:
    """Return the text layers; twins join their words like the source layer."""
    found = list(text[:1])
    for layer in text:
        twin = layer.twin
        plain = replace(layer, finish=Finish(twin=twin)) == TextLayer(layer.name, finish=layer.finish)
        if twin and (twin != text[0].name or layer is text[0] or not plain):
            message = f"`{layer.name}` is the twin of no layer before it, or has other options"
            hint = "only the source layer, the first one, can have a twin, which joins words as it"
            state.error("SGL0325", span_of(layer, state.names), message, hint)
        own = (text[0].finish or Finish())._replace(twin=twin)
        found.append(replace(text[0], name=layer.name, finish=own) if twin else layer)
    return tuple(found[1:])


def span_of(layer: TextLayer, names: ResolvedNames) -> Span:
    """Return the place of a text layer's declaration."""
    return next(d.span for d, _ in names.of(s.Layer) if d.name.text == layer.name)
