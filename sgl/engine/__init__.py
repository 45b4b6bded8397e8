"""One engine under the command line, the editor and the page: files in, what they say out.

A :class:`Workspace` has the files of somebody who is writing, some of them as they stand in an
editor and not on disk.  :meth:`Workspace.open` reads a grammar as it is now, and returns a
:class:`Snapshot`, which never changes::

    workspace = Workspace()
    workspace.edit(Path("farm.sgl"), "layer en …")       # None: what is on disk
    for root in workspace.roots(Path("farm.sgl")):       # the grammars that a module is part of
        snapshot = workspace.open(root)
        snapshot.diagnostics                             # as `sglc check --fast`
        snapshot.samples("object_to_subject")            # as `sglc sample`
        snapshot.claims(progress=print).diagnostics      # as `sglc prove`

Nothing is written, neither files nor entries of the cache.  The work of a snapshot is kept for those
after it.  Results are those of a workspace that has seen nothing before.

**What raises.**  Mistakes in a grammar are diagnostics and raise nothing.  :meth:`Snapshot.samples`
raises ``SampleError`` with a sentence for the user; what sampling raises where too few sentences
are found is one as well.

**To stop.**  ``claims`` calls ``progress`` with the name of each pattern before it is proved.  An
exception that ``progress`` raises ends the proof and reaches the caller; what was proved is kept.

**Threads.**  A workspace and its snapshots may be used by several threads, one at a time: they wait
for one another.
"""

from sgl.engine.workspace import Claims, Sample, Snapshot, Workspace
from sgl.pipeline.samples import SampleError

__all__ = ["Claims", "Sample", "SampleError", "Snapshot", "Workspace"]
