"""The finish of a text layer: absorbed words, word forms, contractions, capitals; and twins.

A twin of the source layer inherits every template.  A clause of its own is a *difference*::

    V[num=sg]   en $sg   bad $pl        the dogs near the cat bark / barks

So does a layer `(as de)` with one that was declared before it, without a limit to differences.
"""

from collections.abc import Collection, Iterator, Sequence
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
    """Return the layer that a layer is like, which is among those of its kind before it; empty after a report."""
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


def _text_layer(declaration: s.Layer, other: TextLayer | None, state: Resolved) -> TextLayer:
    """Return a text layer without twins; what its options do not say is as in another one."""
    join: s.Option | None = None
    attach, after, absorb, capital, said = set[str](), set[str](), set[tuple[str, str]](), False, set[str]()
    tables: tuple[_Forms, ...] = ({}, {}, {})
    for option in options_in_force(declaration, state):
        if isinstance(option, s.Contrast | s.Like):
            continue
        beside = [word.text for word in option.place.words] if option.place is not None else []
        said.add(option.name.text if isinstance(option, s.Option) else type(option).__name__)
        if not isinstance(option, s.Option):
            rights = [option.right.text] if isinstance(option, s.Elision) else beside
            after_others = option.place is not None and option.place.kind.text == "after"
            _add_forms(option, rights, tables[1 if isinstance(option, s.Elision) else 2 * after_others], state)
        elif option.name.text == "attach":
            attach.update(value.text for value in option.values)
            after.update(beside)
        elif option.name.text == "absorb":
            absorb |= {(word.text, other_word) for word in option.values for other_word in beside or [""]}
        elif option.name.text == "capital":
            capital = True
        elif join is not None:
            message = f"the layer `{declaration.name}` says twice how its words are joined"
            state.error("SGL0308", option.span, message, _ONE, labels=[Label(join.span, "here first")])
        else:
            join = option
    forms, elisions, mutations = (tuple((*pair, form) for pair, form in own.items()) for own in tables)
    finish = Finish(tuple(sorted(after)), tuple(sorted(absorb)), forms, elisions, int(capital), "", mutations)
    between = " " if join is None else join.values[0].text
    layer = TextLayer(declaration.name.text, between, frozenset(attach), finish)
    if other is not None:
        taken = {option: getattr(other, option) for option in ("join", "attach") if option not in said}
        theirs = (other.finish or Finish())._asdict()
        kept = {name: theirs[name] for name, option in _FINISHES.items() if option not in said}
        layer = replace(layer, **taken, finish=finish._replace(**kept))
    return replace(layer, finish=None) if layer.finish == Finish() else layer


#: What a finish has by which options.
_FINISHES = {
    "after": "attach", "absorb": "absorb", "forms": "WordForm", "elisions": "Elision", "capital": "capital",
    "mutations": "WordForm",
}  # fmt: skip


#: The forms of words before other words.
_Forms = dict[tuple[str, str], str]


def _add_forms(option: s.Elision | s.WordForm, rights: Sequence[str], known: _Forms, state: Session) -> None:
    for pair in [(option.left.text, right) for right in rights]:
        if known.setdefault(pair, option.form.text) != option.form.text:
            where = "after" if option.place is not None and option.place.kind.text == "after" else "before"
            message = f"`{pair[0]}` is written in two ways {where} `{pair[1]}`"
            state.error("SGL0308", option.span, message, _ONE)


def span_of(layer: TextLayer, names: ResolvedNames) -> Span:
    """Return the place of a text layer's declaration."""
    return next(d.span for d, _ in names.of(s.Layer) if d.name.text == layer.name)
