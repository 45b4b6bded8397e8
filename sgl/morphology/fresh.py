"""Write a grammar with fresh words: its open classes get invented words, everything else stays the same.

::

    - {en: see, past: saw, ja: 見る, class: ichidan}     - {en: brindlock, ja: ヌメパる, class: ichidan}
    targets cow seen only in exposures                  targets morelt seen only in exposures

A column has words if a text layer ends in it, through functions, paradigms and ``or``.  What stands before an ``or``
is an exception, and is emptied, so that all words are regular; the ending that a paradigm rewrites stays.  Sets of
words, targets, conditions and relations name the new words.  Sentences in tests and examples are left out.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

import yaml

from sgl.diagnostics import Diagnostics, Span, attempt
from sgl.disk import write
from sgl.frontend.elaborate.tables import LexiconTables, each_layer, entries_of, laid_over
from sgl.frontend.names.dataset import read_dataset
from sgl.frontend.names.parameters import Session
from sgl.frontend.names.scopes import Resolved, Scope, resolve
from sgl.lang import MAX_TABLE
from sgl.lang import syntax as s
from sgl.lang.packed import FOLDER, write_grammar
from sgl.lang.project import Project
from sgl.lang.tables import KINDS, LexiconTable, TableRow, read_relation
from sgl.morphology.sounds import RUN, Sounds, real_words, runs
from sgl.resources import grammars_dir
from sgl.values import dataclass, field

#: Parts of speech that get new words easily, as Universal Dependencies divides them.
OPEN = ("ADJ", "ADV", "INTJ", "NOUN", "PROPN", "VERB")

_Values = Mapping[str, tuple[s.Expression, "_Values"]]


@dataclass
class _Words:
    """Columns with words, their layers and paradigms; columns with ``exceptions``; the parts of speech of rows."""

    layers: dict[str, str] = field(default_factory=dict)
    paradigms: dict[str, list[tuple[s.Paradigm, s.Expression | None]]] = field(default_factory=dict)
    exceptions: set[str] = field(default_factory=set)
    classes: list[s.Expression] = field(default_factory=list)

    def is_open(self, row: TableRow) -> bool:
        """Return whether a row is of an open class in each of its entries; true if nothing says of which it is."""
        return all((_cell(value, row) or "NOUN") in OPEN for value in self.classes)

    def main(self, column: str, cells: Mapping[str, str]) -> str:
        """Return the column with the word that a cell is a form of: the shortest text of its layer."""
        own = [other for other in self.layers if self.layers[other] == self.layers[column] and cells.get(other)]
        return min(own, key=lambda other: len(cells[other]), default=column)

    def endings(self, table: LexiconTable) -> dict[str, str]:
        """Return for columns with forms of words their commonest ending."""
        found: dict[str, Counter[str]] = {}
        for cells in (row.cells for row in table.rows):
            for column in (column for column in self.layers if cells.get(column)):
                word = cells[main] if (main := self.main(column, cells)) != column else ""
                if word and cells[column].startswith(word):
                    found.setdefault(column, Counter())[cells[column][len(word) :]] += 1
        return {column: endings.most_common(1)[0][0] for column, endings in found.items()}

    def kept(self, column: str, row: TableRow) -> int:
        """Return how many letters at the end of a cell the paradigms need: the shortest ending of each."""
        found, text = 0, row.cells.get(column, "")
        for paradigm, value in self.paradigms.get(column, ()):
            # Without a value there is but one class.
            own = None if value is None else _cell(value, row)
            lines = [line for line in paradigm.lines if own in (None, line.inflection_class.text)]
            endings = [len(end.text) for line in lines for end, _ in line.rewrites if text.endswith(end.text)]
            found = max(found, min(endings, default=0))
        return found


def _cell(value: s.Expression, row: TableRow) -> str:
    if isinstance(value, s.Fallback):
        return _cell(value.left, row) or _cell(value.right, row)
    if isinstance(value, s.Column):
        return row.cells.get(value.name.text, "")
    return value.text if isinstance(value, s.Name) else value.name.text if isinstance(value, s.Mention) else ""


def write_fresh(directory: Path, project: Project, seed: int | None, diagnostics: Diagnostics) -> bool:
    """Write a grammar into the folder ``grammar`` of a directory, with fresh words of a seed; nothing after errors."""
    state = attempt(resolve, Session(project, {}, diagnostics))
    dataset = attempt(read_dataset, state) if state is not None else None
    tables = _tables(state) if state is not None and seed is not None else {}
    if state is None or diagnostics.errors:
        return False
    texts = {} if seed is None else _Freshening(state, tables, seed).files()
    write_grammar(directory, project, {}, dataset.seed if dataset is not None else 0)
    prefix = f"{project.main.root.shown}/" if project.main.root.shown else ""
    for name, text in texts.items():
        write(directory / FOLDER / name.removeprefix(prefix), text)
    return True


def _tables(state: Resolved) -> dict[str, tuple[LexiconTable, _Words]]:
    """Return every table, by name, with what its lexicons make of it."""
    reader, found = LexiconTables(state), dict[str, tuple[LexiconTable, _Words]]()
    texts = _text_layers(state)
    for lexicon, scope in state.names.declared(s.Lexicon):
        table = attempt(reader.of, lexicon, scope)
        if table is None:
            continue
        _, words = found.setdefault(table.name, (table, _Words()))
        for entry in attempt(entries_of, lexicon, scope, state) or ():
            for clause in laid_over(entry.layers, each_layer(lexicon.shared, state)):
                _look_at(clause, texts, scope, words)
    for table, words in found.values():
        _only_words(table, words)
    return found


def _look_at(clause: s.LayerClause, texts: Sequence[str], scope: Scope, words: _Words) -> None:
    """Note what a clause says about the columns of its table."""
    layer = clause.layer.text.partition(".")[0]
    for item in clause.template or () if layer in texts else ():
        _look(item, {}, layer, scope, words)
    for attribute in s.parts_of(s.Attribute, clause):
        if attribute.name.text == "upos":
            words.classes.append(attribute.value)
        elif attribute.name.text == "lemma":
            _look(attribute.value, {}, texts[0], scope, words)


def _text_layers(state: Resolved) -> list[str]:
    return [layer.name.text for layer, _ in state.names.of(s.Layer) if layer.kind.text == "text"]


def _only_words(table: LexiconTable, words: _Words) -> None:
    """Take columns away that do not tell rows apart, such as particles and classifiers."""
    for column in [*words.layers]:
        cells = [row.cells[column] for row in table.rows if row.cells.get(column)]
        if column in words.exceptions or len({*cells}) * 2 < len(cells):
            del words.layers[column]


def _look(value: s.Expression, given: _Values, layer: str, scope: Scope, words: _Words, depth: int = 0) -> list[str]:
    """Return the columns that an expression ends in, and note them, their paradigms, and exceptions to these."""
    if isinstance(value, s.Column | s.Mention) and (name := value.name.text) in given:
        return _look(*given[name], layer, scope, words, depth + 1)
    if depth > 20 or isinstance(value, s.Name | s.Mention | s.TableCell):
        return []
    if isinstance(value, s.Column):
        words.layers.setdefault(value.name.text, layer)
        return [value.name.text]
    if isinstance(value, s.Concat):
        parts = (_look(part, given, layer, scope, words, depth) for part in (value.left, value.right))
        return [*chain.from_iterable(parts)]
    if isinstance(value, s.Fallback):
        regular = _look(value.right, given, layer, scope, words, depth)
        irregular = _look(value.left, given, layer, scope, words, depth)
        words.exceptions.update(column for column in irregular if regular and column not in regular)
        return regular or irregular
    return _look_at_call(value, given, layer, scope, words, depth)


def _look_at_call(value: s.Call, given: _Values, layer: str, scope: Scope, words: _Words, depth: int) -> list[str]:
    own = scope.resolved.scopes.get(value.span.file, scope)
    declared = own.peek(s.Function, value.name.text) or own.peek(s.Paradigm, value.name.text)
    if isinstance(declared, s.Function):
        names = [parameter.text for parameter in declared.parameters]
        inner = {name: (argument, given) for name, argument in zip(names, value.arguments, strict=False)}
        return _look(declared.body, inner, layer, scope, words, depth + 1)
    found = _look(value.arguments[0], given, layer, scope, words, depth) if value.arguments else []
    if declared is not None:
        kind = _given(value.arguments[1], given) if len(value.arguments) > 1 else None
        for column in found:
            words.paradigms.setdefault(column, []).append((declared, kind))
    return found


def _given(value: s.Expression, given: _Values) -> s.Expression:
    while isinstance(value, s.Column | s.Mention) and value.name.text in given:
        value, given = given[value.name.text]
    return value


class _Freshening:
    """The new words of a grammar, and its files with them."""

    def __init__(self, state: Resolved, tables: Mapping[str, tuple[LexiconTable, _Words]], seed: int) -> None:
        self._state, self._tables, self._seed = state, tables, seed
        #: The new words by layer, for stems and for whole cells.
        self._stems: dict[str, dict[str, str]] = {}
        self._old: dict[str, dict[str, str]] = {}
        real: dict[str, list[str]] = {}
        for table, words in tables.values():
            for column, layer in words.layers.items():
                real.setdefault(layer, []).extend(run for row in table.rows for run in runs(row.cells.get(column, "")))
        for _, layers in self._single_words():
            for layer, text in layers:
                real.setdefault(layer, []).extend(runs(text.text))
        shipped = (path.read_text("utf-8") for path in grammars_dir().rglob("*.yaml"))
        own_files = (file.text for file in state.sources.files.values())
        known = {run for text in chain(shipped, own_files) for run in runs(text)}.union(real_words())
        self._sounds = {layer: Sounds(own, known, seed, layer) for layer, own in real.items()}
        self._layers = {column: layer for _, words in tables.values() for column, layer in words.layers.items()}

    def _single_words(self) -> Iterator[tuple[s.WordDecl, list[tuple[str, s.Name]]]]:
        """Yield the words of open classes that are declared by themselves, with their texts by layer."""
        layers = _text_layers(self._state)
        for word in self._state.project.declarations(s.WordDecl):
            classes = [a.value for a in s.parts_of(s.Attribute, word.layers) if a.name.text == "upos"]
            if classes and all(_cell(value, TableRow({}, word.span)) in OPEN for value in classes):
                clauses = [clause for clause in each_layer(word.layers, self._state) if clause.layer.text in layers]
                names = [(clause.layer.text, item) for clause in clauses for item in clause.template or ()]
                yield word, [(layers[0], word.text), *((layer, x) for layer, x in names if isinstance(x, s.Name))]

    def _word(self, layer: str, text: str, kept: int = 0) -> str:
        """Return new words for the words of a cell, keeping their last letters and single capitals."""
        stems, sounds = self._stems.setdefault(layer, {}), self._sounds[layer]

        def new(found: re.Match[str]) -> str:
            if (run := found.group()) not in stems:
                stems[run] = run if len(run) == 1 and run.isupper() else sounds.like(run)
            return stems[run]

        stem = text[: len(text) - kept] if kept < len(text) else ""
        found = re.sub(RUN, new, stem) + text[len(stem) :]
        self._old.setdefault(layer, {})[text] = found
        return found

    def files(self) -> dict[str, str]:
        """Return the files that change."""
        texts = {name: self._table(table, words) for name, (table, words) in self._tables.items() if words.layers}
        edits: dict[str, list[tuple[Span, str]]] = {}
        for span, text in self._edits():
            edits.setdefault(span.file, []).append((span, text))
        for name, own in edits.items():
            text = self._state.sources.files[name].text
            for span, new in sorted(own, key=lambda edit: -edit[0].start):
                text = text[: span.start] + new + text[span.end :]
            texts[name] = text
        return texts | dict(self._relations())

    def _table(self, table: LexiconTable, words: _Words) -> str:
        """Return a table with new words, a row on a line; its variants, which are about real words, change nothing."""
        rows, endings = list[dict[str, object]](), words.endings(table)
        for row in table.rows:
            rows.append({**row.cells})
            for column, cell in row.cells.items() if words.is_open(row) else ():
                if column in words.exceptions:
                    rows[-1][column] = ""
                elif cell and column in words.layers:
                    main = words.main(column, row.cells) if column in endings else column
                    word = self._word(words.layers[column], row.cells[main], words.kept(main, row))
                    rows[-1][column] = word + (endings[column] if main != column else "")
        # What the grammar mentions is still there, if no row needs it any more.
        rows[0] |= {name: {} for name in table.variants} | dict.fromkeys(sorted({*table.columns}.difference(*rows)), "")
        return "".join(f"- {_yaml(row, flow=True)}" for row in rows)

    def _mapped(self, word: str, column: str = "") -> str | None:
        """Return the new word for a word that a file names; None for unknown words and closed classes."""
        layers = [self._layers[column]] if column in self._layers else [] if column else [*self._old]
        return next((new for layer in layers if (new := self._old.get(layer, {}).get(word)) is not None), None)

    def _edits(self) -> Iterator[tuple[Span, str]]:
        """Yield what changes in the grammar files: places, and what is written there."""
        for word, texts in self._single_words():
            for layer, name in texts:
                yield name.span, f'"{self._word(layer, name.text)}"'
            for attribute in s.parts_of(s.Attribute, word.layers):
                if attribute.name.text == "lemma" and isinstance(attribute.value, s.Name):
                    yield attribute.value.span, f'"{self._word(texts[0][0], attribute.value.text)}"'
        for unit in self._state.project.units:
            for declaration in unit.file.declarations:
                yield from self._edits_of(declaration)

    def _edits_of(self, declaration: s.Declaration) -> Iterator[tuple[Span, str]]:
        if isinstance(declaration, s.Test):
            yield declaration.span, ""
            return
        if isinstance(declaration, s.Module):
            name, title = declaration.name, declaration.title
            told = f"{title or name} (fresh words, seed {self._seed})"
            yield (title.span, f'"{told}"') if title else (name.span, f'{name} "{told}"')
        for like in s.parts_of(s.LikeClause, declaration):
            text = self._state.sources.files[like.span.file].text[: like.span.start]
            line = text[text.rfind("\n") + 1 :].strip()
            start = len(text.rstrip(" ")) - (len(line) if line == like.split else 0)
            yield Span(like.span.file, start, like.span.end), ""
        for named, column in _named(declaration):
            if (new := self._mapped(named.text, column)) is not None:
                yield named.span, f'"{new}"' if named.quoted else new

    def _relations(self) -> Iterator[tuple[str, str]]:
        """Yield the relations between words: their keys, and the words that they list."""
        for relation, scope in self._state.names.declared(s.Relation):
            if (source := attempt(scope.read, relation.path, MAX_TABLE)) is not None:
                rows = read_relation(source, self._state.diagnostics) or ()
                named = [[self._mapped(name.text) or name.text for name in (row.word, *row.words)] for row in rows]
                kinds = [{KINDS: [kind.text for kind in row.kinds]} if row.kinds else None for row in rows]
                both = zip(named, kinds, strict=True)
                yield source.name, _yaml({word: kind or words for (word, *words), kind in both}, flow=None)


def _yaml(value: object, *, flow: bool | None) -> str:
    return str(yaml.safe_dump(value, allow_unicode=True, default_flow_style=flow, sort_keys=False, width=float("inf")))


def _named(declaration: s.Declaration) -> Iterator[tuple[s.Name, str]]:
    """Yield the words that a declaration names, with the column that they stand in, if it says so."""
    for condition in s.parts_of(s.Condition, declaration):
        yield from ((value, condition.column.text) for value in condition.values if isinstance(value, s.Name))
    targets = (clause.words for clause in s.parts_of(s.TargetsClause, declaration))
    sets = (*(x.values for x in s.parts_of(s.WordSet, declaration)),)
    sets += (*(x.values for x in s.parts_of(s.WordList, declaration)),)
    tests = s.parts_of(s.AttributeTest, declaration)
    tested = (x.values for x in tests if x.attribute is None or x.attribute.text in ("lemma", "form"))
    yield from ((value, "") for value in chain.from_iterable((*targets, *sets, *tested)) if isinstance(value, s.Name))
