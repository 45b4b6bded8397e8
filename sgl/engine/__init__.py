"""One engine under the command line, the editor and the page: files in, what they say out.

A :class:`Workspace` has the files of somebody who is writing, some of them as an editor has them and not as on disk.
:meth:`Workspace.open` reads a grammar as it is now, and returns a :class:`Snapshot`, which never changes::

    workspace = Workspace()
    workspace.edit(Path("farm.sgl"), "layer en …")       # None: what is on disk
    for root in workspace.roots(Path("farm.sgl")):       # the grammars that a module is part of
        snapshot = workspace.open(root)
        snapshot.diagnostics                             # as `sglc check --fast`
        snapshot.samples("object_to_subject")            # as `sglc sample`; may raise SampleError
        snapshot.claims(progress=print).diagnostics      # as `sglc prove`; what `progress` raises ends it

Nothing is written.  Work is kept in memory between snapshots (:mod:`sgl.cache`); results are those of a workspace that
has seen nothing before, which ``tests/engine`` tries on random edits.  Several threads wait for one another.

Spans of diagnostics count characters of the texts.  All others, of trees and of ``compiled``, stay while the text
around a declaration is edited (:mod:`sgl.lang.edited`): ``sources.real(span)`` is the span in the text,
``sources.files[name].place(offset)`` the way back; ``position`` and the renderers of diagnostics take both.
"""

from sgl.engine.workspace import Claims, Sample, Snapshot, Workspace
from sgl.pipeline.samples import SampleError

__all__ = ["Claims", "Sample", "SampleError", "Snapshot", "Workspace"]
