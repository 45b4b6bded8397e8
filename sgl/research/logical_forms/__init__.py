"""Read logical forms back: as atoms or terms (``notation``), and as graphs (``graphs``)."""

from sgl.research.logical_forms.graphs import read_cogs, read_varfree
from sgl.research.logical_forms.notation import LogicalFormError
