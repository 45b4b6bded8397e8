"""Go through the files of a corpus, row by row, and count how the grammar reads them.

Texts that occur more than once are found by eight bytes of the BLAKE2 hash of each, so a corpus may have any size;
among ten million sentences, two different ones are confused with a probability of about 10⁻⁶.

For a sentence with several readings, the audit says where they differ: a constituent with several alternatives is a
*choice*, and the readings are written with brackets.
"""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from sgl.core.grammar import CoreGrammar, Cut, Slot
from sgl.core.interpret import Derivation, capitalised, fold
from sgl.corpus.audit.judgement import DeclaredStructure, Judgement, SentenceReader, StructureFinder
from sgl.corpus.audit.mismatch import Difference, explain_difference
from sgl.corpus.audit.result import Audit, Cause, FileTally, ReadingChoice, Tally
from sgl.corpus.audit.sets import RowSet, SetCollector, is_word
from sgl.corpus.audit.shared import find_shared
from sgl.corpus.rows import (
    LISTED,
    Corpus,
    CorpusRow,
    ListedRow,
    Progress,
    Unreadable,
    list_row,
    normalizer_of,
    spellings,
)
from sgl.parsing import Forest, Parser, describe_failure, number_of
from sgl.rendering import outputs

#: The number of likeliest readings among which to look for the closest to the published text.
_COMPARED = 10


class Auditor:
    """An auditor of corpora with one grammar; ``columns`` names a text layer or view for each column, or ``-``.

    The first layer of ``compared`` is parsed, and the outputs in the others are compared with the published texts,
    which must be equal except for these ``differences`` of spelling.  Declared structures are searched, and the
    ``collector`` compares sets of rows.
    """

    def __init__(
        self,
        grammar: CoreGrammar,
        columns: Sequence[str],
        compared: Sequence[str],
        differences: Sequence[str] = (),
        declared: Sequence[DeclaredStructure] = (),
        collector: SetCollector | None = None,
    ) -> None:
        source, *targets = compared
        known = outputs(grammar)
        self._grammar, self._layer = grammar, grammar.text_layer(source)
        self.columns, self.declared = columns, tuple(declared)
        self.collector = collector or SetCollector(grammar, self._layer)
        finder = StructureFinder(grammar, self.declared) if declared else None
        targeted = tuple(known[name] for name in targets)
        normalizer = normalizer_of(grammar, self._layer, differences)
        self.reader = SentenceReader(Parser(grammar, self._layer), targeted, finder, normalizer)
        self._normalizers = [normalizer_of(grammar, target.layer, differences) for target in targeted]
        self._source = columns.index(source)
        #: The targets that have a column: index, name and column.
        self._compared = [(target, name, columns.index(name)) for target, name in enumerate(targets) if name in columns]
        self.audit = Audit(source, tuple(targets), self.declared, self.collector.leaks)

    def run(self, paths: Sequence[Path], progress: Progress) -> Audit:
        """Audit all files; raises ``OSError`` if one cannot be read."""
        leaks = self.audit.leaks
        leaks.corpora, leaks.source = [Corpus(path, len(self.columns)) for path in paths], self._source
        rows = ((str(corpus.path), row) for corpus in leaks.corpora for row in corpus.rows())
        self.collector.expect({(path, row.kind) for path, row in rows if isinstance(row, CorpusRow)})
        for number, corpus in enumerate(leaks.corpora):
            self._file(corpus, progress)
            self.audit.files[number].distinct = self.collector.distinct(number)
        self.audit.sets = list(self.collector.sets.values())
        names = Counter(path.name for path in paths)
        find_shared(self.audit.sets, [p.name if names[p.name] == 1 else str(p) for p in paths], leaks)
        self.collector.find_unseen()
        return self.audit

    def _file(self, corpus: Corpus, progress: Progress) -> None:
        file = FileTally(str(corpus.path))
        self.audit.files.append(file)
        for batch in corpus.batches(progress):
            judged = self.reader.judge_all(row.texts[self._source] for row in batch if isinstance(row, CorpusRow))
            for row in batch:
                tally = file.kinds["" if isinstance(row, Unreadable) else row.kind]
                tally["rows", ""] += 1
                sentence = "" if isinstance(row, Unreadable) else row.texts[self._source]
                reason = row.reason if isinstance(row, Unreadable) else judged[sentence].refused
                place: ListedRow = {"file": file.name, "line": row.line, "sentence": sentence}
                if isinstance(row, Unreadable) or reason:
                    tally["unreadable", ""] += 1
                    list_row(self.audit.unreadable, {**place, "sentence": "", "reason": reason})
                else:
                    self._row(tally, row, place, judged[sentence])

    def _row(self, tally: Tally, row: CorpusRow, place: ListedRow, judged: Judgement) -> None:
        output = row.texts[self._compared[0][2]] if self._compared else ""
        rows = self.collector.add(len(self.audit.files) - 1, place["file"], row, place["sentence"], output)
        if judged.failure is not None:
            obstacle = describe_failure(self._grammar, judged.spelling, judged.failure)
            _, word = self.reader.parser.word_at(judged.spelling, judged.failure.position)
            self.audit.fail({**place, "obstacle": obstacle}, word)
            self.collector.add_unparsed(rows, self.audit.source, place["sentence"])
            return
        tally["parsed", ""] += 1
        tally.update([("changed", name) for name in judged.changed])
        for what, inside in (("some", judged.some), ("every", judged.every)):
            tally.update([(what, self.declared[index].name) for index in inside])
        published = {
            target: [text for text, _ in spellings(row.texts[column], self._normalizers[target])]
            for target, _, column in self._compared
        }
        chosen = judged.chosen(published)
        if judged.forest is not None:
            self._parted(tally, rows, place, judged, chosen)
        self._collect(row, rows, judged, chosen)
        for target, name, column in self._compared:
            if any(self.reader.gives(judged, target, text) for text in published[target]):
                tally["exact", name] += 1
            else:
                listed = {**place, "published": row.texts[column], "given": judged.outputs[target][0]}
                self._differ(listed, judged, target, published[target])

    def _parted(self, tally: Tally, rows: RowSet, place: ListedRow, judged: Judgement, chosen: Sequence[int]) -> None:
        assert judged.forest is not None
        differ = [outputs for outputs in judged.outputs if len(outputs) > 1]
        for key in ("ambiguous", "differing") if differ else ("ambiguous",):
            self.collector.leaks.add(key, rows.place(), [place["line"]])
        tally["ambiguous", ""] += 1
        tally["differing", ""] += bool(differ)
        which = ""
        if self._compared:
            several = "several" if len(chosen) > 1 else "another"
            which = "none" if not chosen else "likeliest" if chosen == (0,) else several
            tally["chosen", which] += 1
        texts = "".join(f"; {' | '.join(outputs[:3])}" for outputs in differ)
        listed = {**place, "readings": f"{number_of(judged.readings)} readings{texts}"}
        if len(self.audit.ambiguous) < LISTED:
            # The chosen readings come first, so that they are among those listed.
            order = sorted(range(len(judged.read)), key=lambda n: n not in chosen)[:_COMPARED]
            phrases = bracketed(self._grammar, [judged.read[n][0] for n in order], self._layer)
            parts: dict[str, list[object]] = {"chosen": [], "others": []}
            for text, number in zip(phrases, order, strict=True):
                outputs = dict(zip(self.audit.targets, judged.read[number][1], strict=True))
                parts["chosen" if number in chosen else "others"].append({"phrases": text, "outputs": outputs})
            self.audit.ambiguous.append({**listed, "which": which, **parts})
        layers = (target.layer for target in self.reader.targets if target.layer is not None)
        for choice in choices(judged.forest, next(layers, self._layer)):
            self.audit.part(listed, choice)

    def _collect(self, row: CorpusRow, rows: RowSet, judged: Judgement, chosen: Sequence[int]) -> None:
        contained = judged.some
        if rows.pattern is None:
            for index in contained:
                if self.declared[index].held_out:
                    self.collector.leaks.add("held_out", rows.place(self.declared[index].name), [row.line])
        elif judged.forest is not None and chosen:
            readings = [judged.read[number][0] for number in chosen]
            contained = frozenset().union(*map(self.reader.structures, readings))
        reading = judged.read[chosen[0] if chosen else 0][0]
        self.collector.add_reading(rows, reading, contained)
        self.collector.add_written(rows, self.audit.source, reading, self._layer, "word")
        for target, name, column in self._compared:
            if (layer := self.reader.targets[target].layer) is None:
                self.collector.add_words(rows, name, filter(is_word, row.texts[column].split()), "output")
            elif chosen:
                self.collector.add_written(rows, name, reading, layer, "output")

    def _differ(self, listed: ListedRow, judged: Judgement, target: int, published: Sequence[str]) -> None:
        output = self.reader.targets[target]
        explained = (
            explain_difference(self._grammar, derivation, output, text)
            for text in published
            for derivation, _ in judged.read[:_COMPARED]
        )
        differences = min(explained, key=lambda found: sum(len(d.given) + len(d.published) for d in found))
        first: dict[tuple[str, str, str], Difference] = {}
        for found in differences:
            first.setdefault((output.name, found.kind, self._name_of(found.rule)), found)
        for (layer, kind, name), found in first.items():
            cause = self.audit.causes.setdefault((layer, kind, name), Cause(name, kind, layer, listed))
            cause.count((found.given, found.published))

    def _name_of(self, number: int) -> str:
        rule = self._grammar.rules[number]
        if not rule.lexical:
            return rule.name
        layers = (self._layer, *range(len(rule.templates)))
        texts = (" ".join(rule.words(layer)) for layer in layers)
        word = next(filter(None, texts), rule.name)
        return f"{word} ({self._grammar.categories[rule.lhs].name})"


def choices(forest: Forest, layer: int) -> set[ReadingChoice]:
    """Return the choices of a forest; words are distinguished by their texts in a layer."""
    grammar = forest.grammar
    found = set()
    for node in forest.nodes:
        rules = [grammar.rules[rule] for rule in {a.rule for a in node.alternatives}]
        category = grammar.categories[node.category].base
        if len(rules) > 1 and all(rule.lexical for rule in rules):
            # A word that is empty in the layer is shown by its name.
            kind, names = "word", {" ".join(rule.words(layer)) or rule.name for rule in rules}
        elif len(rules) > 1:
            kind, names = "rule", {rule.name for rule in rules}
        elif len(node.alternatives) > 1:
            kind, names = "parts", {rules[0].name}
        else:
            continue
        found.add(ReadingChoice(kind, category, tuple(sorted(names))))
    return found


def bracketed(grammar: CoreGrammar, readings: Sequence[Derivation], layer: int) -> list[str]:
    """Return the sentence once for each reading, with brackets around the phrases that are its own.

    A phrase is its own if some other reading has no phrase there or, if that does not distinguish the readings, no
    phrase of this name: ``saw [the dog near Emma]``.
    """
    read = [fold(r, grammar.arity, partial(_spans, grammar, layer))[0] for r in readings]
    found = [{(a, b, "") for a, b, _ in spans if a < b} for _, spans in read]
    shared = frozenset.intersection(*map(frozenset, found))
    if not all(spans - shared for spans in found):
        found = [{span for span in spans if span[0] < span[1]} for _, spans in read]
        shared = frozenset.intersection(*map(frozenset, found))
    spelling = grammar.text_layers[layer]
    texts = []
    for (tokens, _), spans in zip(read, found, strict=True):
        own = sorted(spans - shared, key=lambda span: (-span[1], span[2]))
        text = ""
        for place, token in enumerate(tokens):
            text += spelling.join if text and token not in spelling.attach else ""
            opening = [f"[{name} " if name else "[" for start, _, name in own if start == place]
            text += "".join(opening) + token + "]" * sum(end == place + 1 for _, end, _ in own)
        texts.append(text)
    return texts


#: The tokens of a phrase, and the spans of the phrases in it, with their names.
_Spans = tuple[tuple[str, ...], tuple[tuple[int, int, str], ...]]


def _spans(grammar: CoreGrammar, layer: int, number: int, children: tuple[list[_Spans], ...]) -> list[_Spans]:
    rule = grammar.rules[number]
    found: list[_Spans] = []
    tokens: list[str] = []
    spans: list[tuple[int, int, str]] = []
    for item in (*rule.templates[layer], Cut()):
        if isinstance(item, Cut):
            found.append((tuple(tokens), (*spans, (0, len(tokens), rule.name))))
            tokens, spans = [], []
        elif isinstance(item, Slot):
            words, inside = children[item.child][item.number]
            if item.capital:
                words = tuple(map(capitalised, words[:1])) + words[1:]
            spans += [(len(tokens) + a, len(tokens) + b, name) for a, b, name in inside]
            tokens += words
        else:
            tokens.append(item.text)
    return found
