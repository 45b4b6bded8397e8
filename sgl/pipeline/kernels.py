"""Compile kernels in another process while claims are proved.

Both take several seconds and one processor.  The other process makes a small dataset with
compiled code, which leaves the machine code of every kernel that a dataset needs on disk.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path

from sgl.automata import StructureCompiler
from sgl.children import process_in
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.pipeline.grammar import open_grammar
from sgl.pipeline.production import produce
from sgl.pipeline.proofs import establish
from sgl.sampling.screening import compiled_pays

#: The jobs of datasets that have kernels.
JOBS = ("draw", "parse", "write")


@contextmanager
def compiling_kernels(items: int) -> Iterator[None]:
    """Have kernels compiled while the block runs, if a dataset of so many items needs them."""
    if not _is_of_use(items):
        yield
        return
    from sgl.accel import announce

    with process_in(__name__, compile_kernels.__name__) as process:
        yield
        if process.is_alive():
            announce()
        process.join()


def _is_of_use(items: int) -> bool:
    from sgl.accel import is_kept, kernel_cache

    return (
        compiled_pays(items)
        and (os.cpu_count() or 1) > 1
        and kernel_cache() is not None
        and not all(map(is_kept, JOBS))
    )


def compile_kernels(folder: Path) -> None:
    """Make a small dataset with compiled code, for the sake of the machine code."""
    # Whatever goes wrong here goes wrong again, and is reported, where the kernel is needed.
    with suppress(Exception):
        for job in JOBS:
            # Code that a process has loaded is used, however little there is to do.
            import_module(f"sgl.accel.{job}")
        # A grammar that has something to draw, to read and to write.
        file, diagnostics = Path(__file__).with_suffix(".sgl"), Diagnostics()
        compiled = open_grammar(file, {}, SourceMap(), diagnostics)
        assert compiled is not None
        structures = StructureCompiler(compiled.grammar)
        proofs = establish(compiled, structures, diagnostics)
        assert proofs is not None
        produce(compiled, structures, proofs, folder / "out", lambda *_: None)
