"""Audit a corpus that others have made: how does a grammar read it?

``Auditor`` goes through any number of files and keeps counts, the first rows of each sort that a person wants to see,
and eight bytes for each sentence.
"""

from sgl.corpus.audit.auditor import Auditor
from sgl.corpus.audit.judgement import *  # noqa: F403
from sgl.corpus.audit.mismatch import Difference, explain_difference
from sgl.corpus.audit.result import Audit, audit_data
from sgl.corpus.audit.sets import RowSet, SetCollector, pattern_of
