"""Audits: what a grammar makes of a corpus that somebody else has made.

::

    file ──> rows ──> readings ──> exact? structures? duplicates? ──> counts and lists
             (bad ones by line)    (packed forest)

``Auditor`` goes through any number of files and keeps counts, the first rows of each
sort that a person wants to see, and eight bytes for each sentence.
"""

from sgl.corpus.audit.ambiguity import Ambiguity, AmbiguityFinder, ReadingChoice, choices
from sgl.corpus.audit.auditor import Auditor, Progress
from sgl.corpus.audit.judgement import Judgement, SentenceReader, all_give, first_outputs, gives
from sgl.corpus.audit.mismatch import Difference, explain_difference
from sgl.corpus.audit.result import (
    OTHER_PAIRS,
    Audit,
    Cause,
    ChoiceTally,
    FileTally,
    SharedSentences,
    Tally,
    audit_data,
)
from sgl.corpus.audit.structures import DeclaredStructure, StructureFinder, declared_structures
from sgl.corpus.rows import LISTED, ListedRow

__all__ = [
    "LISTED",
    "OTHER_PAIRS",
    "Ambiguity",
    "AmbiguityFinder",
    "Audit",
    "Auditor",
    "Cause",
    "ChoiceTally",
    "DeclaredStructure",
    "Difference",
    "FileTally",
    "Judgement",
    "ListedRow",
    "Progress",
    "ReadingChoice",
    "SentenceReader",
    "SharedSentences",
    "StructureFinder",
    "Tally",
    "all_give",
    "audit_data",
    "choices",
    "declared_structures",
    "explain_difference",
    "first_outputs",
    "gives",
]
