"""What do the published training data of COGS and SLOG contain that their tests hold out?

    python benchmarks/slog_leaks.py --cogs cogs/train.tsv --slog slog/train.varfree.tsv

reads each sentence with the grammar of its data set and looks in all its readings for what each pattern holds out
(*strict*).  A type can be read more loosely than its authors meant it, as the structures of ``grammars/slog_loose.sgl``
do; each bears the name of the pattern whose type it reads so.  Prints a table in Markdown: the rows with each
structure, and the shortest of them.  Ends with 1 if a row cannot be read, or contains what is held out.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from common import command_line
from opening import opened
from sgl.automata import StructureCompiler
from sgl.corpus import Corpus, Unreadable
from sgl.corpus.audit import SentenceReader, StructureFinder, declared_structures
from sgl.frontend import Compiled, named_structures
from sgl.parsing import Parser
from sgl.resources import grammars_dir

#: The looser readings: the pattern, the structure of ``slog_loose.sgl``, and what it reads more loosely.
LOOSE = (
    ("pp_3", "pp_3_inside", "three PPs, in a longer chain too"),
    ("cp_3", "cp_3_inside", "three clauses, in a longer chain too"),
    ("center_embed_3", "center_embed_3_inside", "three clauses, in a longer chain too"),
    ("pp_modif_subj", "pp_modif_alone", "no direct object: a noun phrase alone"),
    ("pp_modif_iobj", "pp_modif_alone", "the same"),
    ("rc_modif_subj", "rc_modif_subj_of_relative", "the subject of a relative clause too"),
    ("rc_modif_subj", "rc_modif_subj_inside", "the noun is the subject inside its clause"),
    ("rc_modif_subj", "rc_modif_alone", "no direct object: a noun phrase alone"),
    ("rc_modif_iobj", "rc_modif_alone", "the same"),
    ("rc_iobj_extracted", "rc_iobj_extracted_beside", "a theme, with a recipient"),
    ("rc_iobj_extracted", "rc_iobj_extracted_by_role", "a recipient, as subject of a passive"),
    ("q_subj_active", "q_subj_active_transitive", "the subject of a transitive verb too"),
    ("q_subj_passive", "q_subj_passive_by_role", "a theme, in any voice"),
    ("q_dobj_ditransv", "q_dobj_any_verb", "the object of any verb"),
)

COLUMNS = 3


@dataclass
class Found:
    """The number of rows with a structure, and the shortest sentence among them."""

    rows: int = 0
    shortest: str = ""

    def add(self, sentence: str) -> None:
        """Count a row."""
        self.rows += 1
        if not self.shortest or len(sentence) < len(self.shortest):
            self.shortest = sentence


@dataclass
class Leaks:
    """The structures of a grammar that a corpus contains, by name."""

    compiled: Compiled
    found: dict[str, Found]
    rows: int = 0
    unread: int = 0

    def strict(self, pattern: str) -> int:
        """Count the rows with something that a pattern holds out, once for each structure."""
        return sum(self.found[name].rows for name in self.found if name in _forbidden(pattern))


def _forbidden(pattern: str) -> set[str]:
    return {f"{pattern}.forbid", *(f"{pattern}.forbid.{number}" for number in range(1, 10))}


def leaks(grammar: Path, corpora: Sequence[Path]) -> Leaks:
    """Look for all structures of a grammar in some corpora.

    Raises:
        SystemExit: the grammar has errors.
    """
    compiled = opened(grammar)
    declared = declared_structures(compiled.plan.patterns, named_structures(compiled))
    finder = StructureFinder(compiled.grammar, declared, StructureCompiler(compiled.grammar))
    reader = SentenceReader(Parser(compiled.grammar, 0), (), finder)
    result = Leaks(compiled, {entry.name: Found() for entry in declared})
    for sentence in _sentences(corpora, result):
        judged = reader.judge(sentence)
        result.unread += judged.readings == 0
        for index in judged.some:
            result.found[declared[index].name].add(sentence)
    return result


def _sentences(corpora: Sequence[Path], result: Leaks) -> Iterator[str]:
    for path in corpora:
        for row in Corpus(path, COLUMNS).rows():
            result.rows += 1
            if isinstance(row, Unreadable):
                result.unread += 1
            else:
                yield row.texts[0]


def table(result: Leaks, loose: Sequence[tuple[str, str, str]]) -> Iterator[str]:
    """Yield the lines of a table: a pattern, its strict rows, and its looser readings."""
    yield "| pattern | strict | read more loosely | rows | the shortest |"
    yield "| --- | ---: | --- | ---: | --- |"
    for pattern in result.compiled.plan.patterns:
        strict = f"{result.strict(pattern.name):,}"
        readings = [(name, words) for of, name, words in loose if of == pattern.name]
        for number, (name, words) in enumerate(readings or [("", "")]):
            head = (f"`{pattern.name}`", strict) if not number else ("", "")
            found = result.found.get(name, Found())
            rows = f"{found.rows:,}" if name else ""
            example = f"*{found.shortest}*" if found.shortest else ""
            yield "| " + " | ".join((*head, words, rows, example)) + " |"


def main() -> int:
    """Audit the given data sets; return 1 if a row cannot be read or contains what is held out."""
    parser = command_line(__doc__)
    parser.add_argument("--cogs", type=Path, nargs="*", default=[], help="rows of COGS")
    parser.add_argument("--slog", type=Path, nargs="*", default=[], help="rows of SLOG")
    options = parser.parse_args()
    wrong = 0
    for name, corpora, loose in (("cogs", options.cogs, ()), ("slog_loose", options.slog, LOOSE)):
        if corpora:
            result = leaks(grammars_dir() / f"{name}.sgl", corpora)
            held_out = sum(result.strict(p.name) for p in result.compiled.plan.patterns)
            print(f"{result.rows:,} rows, {result.unread:,} of them not read; ", end="")
            print(f"{held_out:,} with what is held out\n")
            print("\n".join(table(result, loose)) + "\n")
            wrong += result.unread + held_out
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
