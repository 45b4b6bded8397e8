"""Lower the text layers of a rule to templates of children and words.

The right-hand side is the template of the source layer, unless a conditional clause reorders it.  Every child occurs
exactly once in every layer unless the author writes ``drop`` or ``copy``: a forgotten child would silently change the
meaning of every sentence.  Only parts for agreement, such as prefixes of a noun's class, occur any number of times.

A phrase may have several parts in a layer, the main part first.  Each part of each child occurs exactly once; a part
that no clause mentions becomes the phrase's part of the same name.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from sgl.core.grammar import Cut, Item, Slot, Template, Token
from sgl.core.spelling import FUNCTIONS, FUSE
from sgl.diagnostics import Label, Reported, Span, attempt, each, suggest
from sgl.frontend.elaborate.rules import RuleNames, shown
from sgl.frontend.names.signature import Signed
from sgl.lang import syntax as s

_ONCE = "every child is used exactly once in every layer"


def templates_of(names: RuleNames, clauses: Sequence[s.LayerClause]) -> tuple[Template, ...]:
    """Return the template of each text layer; ``clauses`` are those that apply."""
    applying = {clause.layer.text: clause for clause in clauses}
    source, *others = [layer.name for layer in names.state.signature.text_layers]
    first = _SourceTemplate(names, source, applying).sketch()
    sketches = [first]
    for layer in others:
        taken = layer not in applying and names.state.signature.is_like_source(layer)
        sketches.append(first if taken else _Template(names, layer, applying).sketch())
    return tuple(sketches)


#: A child, by number, and the name of one of its parts, empty for the main part.
_Piece = tuple[int, str]
_Items = list[Item]


class _Template:
    """The template of a rule in a layer, under construction."""

    def __init__(self, names: RuleNames, layer: str, clauses: Mapping[str, s.LayerClause]) -> None:
        categories = names.state.signature.categories
        refs = [names.rule.lhs, *(child.category for child in names.children)]
        known = [categories.get(ref.name.text) for ref in refs]
        parts = [info.parts_in(layer) if info is not None else () for info in known]
        self.names, self.state, self.layer, self.clauses = names, names.state, layer, clauses
        self.clause = clauses.get(layer)
        self.own, self.parts = parts[0], parts[1:]
        #: The pieces for agreement, which occur any number of times.
        self.agreement = {
            (child, part)
            for child, info in enumerate(known[1:])
            for part in self.parts[child]
            if info is not None and f"{layer}.{part}" in info.agreement
        }
        #: The pieces already placed, and where.
        self.used: dict[_Piece, Span] = {}
        #: The dropped children, with all of their parts that are not placed.
        self.dropped: set[int] = set()
        #: The pieces to which functions are applied, which may occur several times.
        self.applied: set[_Piece] = set()
        self.sound = True

    def sketch(self) -> Template:
        told = {p: c for p in self.own if (c := self.clauses.get(f"{self.layer}.{p}")) is not None}
        # Without a clause, the main part has everything that clauses for other parts do not mention.
        order = [*told, ""] if self.clause is None else ["", *told]
        pieces = {part: self.items(told[part]) if part else self.main() for part in order}
        template = pieces[""]
        for part in self.own:
            template += [Cut(), *(pieces[part] if part in pieces else self._passed_up(part))]
        if self.sound:
            self._check_complete()
        return tuple(template)

    def main(self) -> _Items:
        """Return the main part; without a clause, a single child is the template."""
        names = self.names
        if self.clause is not None:
            return self.items(self.clause)
        if len(names.rule.rhs) > 1 or not names.children:
            self.sound = False
            report_without_clause(names.rule, self.layer, "below the rule", self.state)
        return [self.slot((0, ""), names.rule.name.span)]

    def slot(self, piece: _Piece, span: Span, *, capital: bool = False) -> Slot:
        child, part = piece
        parts = self.parts[child] if self.parts else ()
        self.used.setdefault(piece, span)
        return Slot(child, capital, 1 + ("", *parts).index(part) if parts else 0)

    def find(self, name: s.Name) -> _Piece:
        text, dot, part = name.text.partition(".")
        child = self.names.find(s.Name(text, name.span))
        if dot and part not in self.parts[child]:
            message = f"`{text}` has no part `{part}` in the layer `{self.layer}`"
            category = self.names.children[child].category.name
            hint = suggest(part, self.parts[child]) or f"declare it: `category {category} with {self.layer}.{part}`"
            self.state.fail("SGL0322", name.span, message, hint)
        return child, part

    def items(self, clause: s.LayerClause) -> _Items:
        if clause.template is None:
            self.sound = False
            message = f"`{self.layer}` is a text layer, this clause is about a graph"
            self.state.error("SGL0306", clause.span, message, "write names of children and quoted words")
        return [found for item in clause.template or () for found in self.sound_item(partial(self.item, item))]

    def sound_item(self, make: Callable[[], _Items]) -> _Items:
        """Return what an item is; nothing after a report."""
        found = attempt(make)
        self.sound &= found is not None
        return found or []

    def item(self, item: s.TemplateItem) -> _Items:
        if isinstance(item, s.Name):
            return [Token(item.text)]
        if isinstance(item, s.Mention):
            return self.mentioned(item)
        if isinstance(item, s.Column | s.TableCell):
            raise Reported  # No variable, which was reported.
        if isinstance(item, s.Concat):
            left, right = each(self.item, (item.left, item.right))
            return [*left, Token(FUSE), *right]
        inner, functions = _called(item)
        if functions and isinstance(inner, s.Mention):
            piece = self.find(inner.name)
            self.applied |= {piece}
            return [replace(self.slot(piece, inner.span), functions=functions)]
        meant = suggest(inner.name.text, FUNCTIONS) if isinstance(inner, s.Call) and len(inner.arguments) == 1 else ""
        hint = meant or "write names of children, quoted words, and `$f` for a feature variable `f`; "
        hint += "" if meant else f"of a child: {', '.join(f'`{name}(X)`' for name in FUNCTIONS)}"
        own = f"no text function is called `{inner.name}`" if meant and isinstance(inner, s.Call) else ""
        message = own or "words are computed in `word` and `lexicon` declarations, not in rules"
        self.state.fail("SGL0309", item.span, message, hint)

    def mentioned(self, item: s.Mention) -> _Items:
        piece = self.find(item.name)
        if piece in self.used and item.mode != "copy" and piece not in self.applied | self.agreement:
            message = f"`{item.name}` occurs twice in the layer `{self.layer}`"
            hint = f"remove one, or write `copy {item.name}` if you mean it"
            hint = "remove one" if isinstance(self, _SourceTemplate) else hint
            self.state.error("SGL0302", item.span, message, hint, labels=[Label(self.used[piece], "here first")])
        slot = self.slot(piece, item.span, capital=item.mode == "capital")
        if item.mode == "drop" and not piece[1]:
            self.dropped.add(piece[0])
        return [slot] if item.mode != "drop" else []

    def _passed_up(self, part: str) -> _Items:
        """Return the unmentioned part of this name from the only child that has one."""
        rule = self.names.rule
        having = [n for n, parts in enumerate(self.parts) if part in parts]
        used = self.used.keys() - self.agreement
        free = [n for n in having if (n, part) not in used and n not in self.dropped]
        if len(free) == 1:
            return [self.slot((free[0], part), rule.name.span)]
        free = [n for n in free if (n, part) not in self.agreement]
        if self.sound and not free:
            name = f"{self.layer}.{part}"
            hint = f'add a line `{name} …` below the rule, or `{name} ""` if it is empty'
            self.state.error("SGL0303", rule.name.span, f"the rule `{rule.name}` does not say what `{name}` is", hint)
        self.sound &= bool(free)  # If there are several, the others are reported as missing.
        return []

    def _check_complete(self) -> None:
        pieces = [(n, part) for n, parts in enumerate(self.parts) for part in ("", *parts)]
        missing = [p for p in pieces if p not in self.used.keys() | self.agreement and p[0] not in self.dropped]
        names = [".".join(filter(None, (str(self.names.name(n)), part))) for n, part in missing]
        if names:
            self.sound = False
            listed = " and ".join(f"`{name}`" for name in names)
            dropped = " ".join(f"drop {name}" for name in names)
            message = f"the layer `{self.layer}` leaves out {listed}"
            label = f"{listed} {'has' if len(names) == 1 else 'have'} no place here"
            hint = f"put {listed} where it belongs, or write `{dropped}` if you mean it"
            span = self.clause.span if self.clause is not None else self.names.rule.name.span
            self.state.error("SGL0301", span, message, hint, label=label, notes=[_ONCE])


class _SourceTemplate(_Template):
    """The template of the source layer, which must contain all words and children, since graphs refer to them."""

    def __init__(self, names: RuleNames, layer: str, clauses: Mapping[str, s.LayerClause]) -> None:
        super().__init__(names, layer, clauses)
        #: The placed words of the right-hand side, by their index there.
        self._words: dict[int, Token] = {}

    def sketch(self) -> Template:
        rule = self.names.rule
        for word in (part for part in rule.rhs if isinstance(part, s.Name)):
            words = shown(word.text).split()
            if not words:
                message = f"this word is empty in the layer `{self.layer}`"
                self.state.error("SGL0604", word.span, message, "remove it from the right-hand side")
            elif len(words) > 1:
                apart = " ".join(f'"{each}"' for each in words)
                message = f"`{word}` contains a space; quote each word of `{self.layer}` separately"
                self.state.error("SGL0609", word.span, message, f"write `{apart}`")
        sketch = super().sketch()
        if not self.sound:
            # Place missing words anyway, so that graphs do not report them again.
            missing = (n for n, part in enumerate(rule.rhs) if isinstance(part, s.Name))
            sketch += tuple(self._word(n) for n in missing if n not in self._words)
        return sketch

    def main(self) -> _Items:
        """Return the right-hand side without the pieces in other parts, or a clause for it."""
        if self.clause is not None and (self.clause.conditions or self.own):
            return self.items(self.clause)
        if self.clause is not None:
            message = f"the right-hand side is the template of `{self.layer}`"
            hint = "remove this clause, and order the right-hand side itself; or write `if …` behind it"
            self.state.error("SGL0311", self.clause.span, message, hint)
        items: _Items = []
        children = iter(range(len(self.names.children)))
        for number, part in enumerate(self.names.rule.rhs):
            if isinstance(part, s.Mention):
                items += self.sound_item(partial(self.mentioned, part))
            elif isinstance(part, s.Name):
                items += [self._word(number)] if number not in self._words else []
            elif isinstance(part, s.Joint):
                items.append(Token(FUSE))
            elif isinstance(part, s.TableCell):
                self.sound = False  # What is wrong with it was reported.
            elif (piece := (next(children), "")) not in self.used:
                items.append(self.slot(piece, part.span, capital=part.capital))
        return items

    def item(self, item: s.TemplateItem) -> _Items:
        rhs = self.names.rule.rhs
        if isinstance(item, s.Concat):
            return super().item(item)
        if isinstance(item, s.Name):
            words = (i for i, part in enumerate(rhs) if isinstance(part, s.Name))
            for found in (i for i in words if str(rhs[i]) == item.text and i not in self._words):
                return [self._word(found)]
            if not item.text:
                return []
        elif isinstance(item, s.Mention) and item.mode in ("", "capital") and self.find(item.name) not in self.used:
            return self.mentioned(item)
        hint = "a clause of the source layer has the children and words of the right-hand side"
        self.state.fail("SGL0311", item.span, "this occurs once more than on the right-hand side of the rule", hint)

    def _word(self, number: int) -> Token:
        self._words[number] = Token(str(self.names.rule.rhs[number]))
        return self._words[number]


def _called(item: s.Expression) -> tuple[s.Expression, tuple[str, ...]]:
    names: list[str] = []
    while isinstance(item, s.Call) and item.name.text in FUNCTIONS and len(item.arguments) == 1:
        names.append(item.name.text)
        (item,) = item.arguments
    return item, tuple(names)


def report_without_clause(rule: s.Rule, layer: str, where: str, state: Signed) -> None:
    """Report that a layer has no clause, unless some clause has an unknown layer."""
    if not state.signature.has_strange(rule.layers):
        message = f"the rule `{rule.name}` has no clause for the layer `{layer}`"
        state.error("SGL0303", rule.name.span, message, f"add a line `{layer} …` {where}")
