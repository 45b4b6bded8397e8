"""The finish of a text layer: absorbed words, word forms, contractions, capitals; and twins.

A twin of the source layer inherits every template.  A clause of its own is a *difference*::

    V[num=sg]   en $sg   bad $pl        the dogs near the cat bark / barks

So does a layer `(as de)` with one that was declared before it, without a limit to differences.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

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


def text_layers(declarations: Sequence[s.Layer], state: Resolved) -> tuple[TextLayer, ...]:
    """Return the text layers with their options in force; a twin joins its words as the source layer does."""
    found: list[TextLayer] = []
    for declaration in declarations:
        known = {layer.name: layer for layer in found}
        other = other_layer(declaration, known, state)
        layer = _text_layer(declaration, known[other] if other else None, state)
        twin = next((option.layer.text for option in declaration.options if isinstance(option, s.Contrast)), "")
        if twin:
            plain = replace(layer, finish=None) == TextLayer(layer.name) and layer.finish is None
            if not found or twin != found[0].name or not plain:
                message = f"`{layer.name}` must be the twin of an earlier layer with the same options"
                hint = "only the source layer, the first one, can have a twin, which joins words as it"
                state.error("SGL0325", declaration.span, message, hint)
            source = found[0] if found else layer
            layer = replace(source, name=layer.name, finish=(source.finish or Finish())._replace(twin=twin))
        found.append(layer)
    return tuple(found)


def likes_of(declarations: Sequence[s.Layer]) -> dict[str, str]:
    """Return the layers that are like others of their kind, which are declared before them."""
    found, kinds = dict[str, str](), dict[str, str]()
    for declaration in declarations:
        for option in (one for one in declaration.options if isinstance(one, s.Contrast | s.Like)):
            if kinds.get(option.layer.text) == declaration.kind.text:
                found[declaration.name.text] = option.layer.text
        kinds.setdefault(declaration.name.text, declaration.kind.text)
    return found


def other_layer(declaration: s.Layer, known: Collection[str], state: Resolved) -> str:
    """Return the layer that a layer is like, an earlier one of its kind; empty after a report."""
    others = [option.layer for option in declaration.options if isinstance(option, s.Contrast | s.Like)]
    if len(others) > 1:
        message = f"the layer `{declaration.name}` is declared to be like both `{others[0]}` and `{others[1]}`"
        state.error("SGL0308", others[1].span, message, _ONE)
    like = next((option.layer for option in declaration.options if isinstance(option, s.Like)), None)
    if like is not None and like.text not in known:
        kind = declaration.kind.text
        hint = f"it must be like a {kind} layer that is declared before it: {', '.join(known) or 'there is none'}"
        state.report_missing(f"{kind} layer", like, known, hint, "layer")
    return like.text if like is not None and like.text in known else ""


#: What pairs of words are written as.
_Forms = dict[tuple[str, str], str]


class _Tables(NamedTuple):
    """Forms of words before others, of both in one piece, and of words after others."""

    forms: _Forms
    elisions: _Forms
    mutations: _Forms


def _text_layer(declaration: s.Layer, other: TextLayer | None, state: Resolved) -> TextLayer:
    """Return a text layer without twins; what its options do not say is as in another one."""
    #: Options by their names; forms of words are called by their class.
    called: dict[str, list[s.Option]] = {"join": [], "attach": [], "absorb": [], "capital": []}
    tables, said = _Tables({}, {}, {}), set[str]()
    for option in options_in_force(declaration, state):
        if isinstance(option, s.Option):
            called[option.name.text].append(option)
            said.add(option.name.text)
        elif not isinstance(option, s.Contrast | s.Like):
            _add_forms(option, tables, state)
            said.add(type(option).__name__)
    for twice in called["join"][1:]:
        message = f"the layer `{declaration.name}` says twice how its words are joined"
        state.error("SGL0308", twice.span, message, _ONE, labels=[Label(called["join"][0].span, "here first")])
    layer = _made(declaration.name.text, called, tables)
    if other is not None:
        taken = {option: getattr(other, option) for option in ("join", "attach") if option not in said}
        own, theirs = layer.finish or Finish(), (other.finish or Finish())._asdict()
        kept = {name: theirs[name] for name, option in _FINISHES.items() if option not in said}
        layer = replace(layer, **taken, finish=own._replace(**kept))
    return replace(layer, finish=None) if layer.finish == Finish() else layer


def _made(name: str, called: Mapping[str, Sequence[s.Option]], tables: _Tables) -> TextLayer:
    """Return the text layer that options make by themselves."""
    after = {word for option in called["attach"] for word in _beside(option)}
    absorb = {(w.text, before) for o in called["absorb"] for w in o.values for before in _beside(o) or [""]}
    forms, elisions, mutations = (tuple((*pair, form) for pair, form in own.items()) for own in tables)
    capital = int(bool(called["capital"]))
    finish = Finish(tuple(sorted(after)), tuple(sorted(absorb)), forms, elisions, capital, "", mutations)
    attach = frozenset(value.text for option in called["attach"] for value in option.values)
    return TextLayer(name, called["join"][0].values[0].text if called["join"] else " ", attach, finish)


#: What a finish has by which options.
_FINISHES = {
    "after": "attach", "absorb": "absorb", "forms": "WordForm", "elisions": "Elision", "capital": "capital",
    "mutations": "WordForm",
}  # fmt: skip


def _beside(option: s.Option | s.Elision | s.WordForm) -> list[str]:
    return [word.text for word in option.place.words] if option.place is not None else []


def _add_forms(option: s.Elision | s.WordForm, tables: _Tables, state: Session) -> None:
    """Add what an option says to the forms, elisions or mutations."""
    where = "after" if option.place is not None and option.place.kind.text == "after" else "before"
    rights, known = _beside(option), tables.mutations if where == "after" else tables.forms
    if isinstance(option, s.Elision):
        rights, known = [option.right.text], tables.elisions
    for pair in [(option.left.text, right) for right in rights]:
        if known.setdefault(pair, option.form.text) != option.form.text:
            message = f"`{pair[0]}` is written in two ways {where} `{pair[1]}`"
            state.error("SGL0308", option.span, message, _ONE)


def span_of(layer: TextLayer, names: ResolvedNames) -> Span:
    """Return the place of a text layer's declaration."""
    return next(d.span for d, _ in names.of(s.Layer) if d.name.text == layer.name)
