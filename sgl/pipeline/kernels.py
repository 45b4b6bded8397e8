"""Compile kernels while claims are proved.

Each takes several seconds on one processor.  Another process makes a small dataset with compiled code, which leaves the
machine code of every kernel that a dataset needs on disk.
"""

import os
import pickle
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path

from sgl.automata import StructureCompiler
from sgl.cache import using
from sgl.children import process_in
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.frontend import Compiled
from sgl.memory import keeping
from sgl.pipeline.grammar import open_grammar
from sgl.pipeline.production import produce
from sgl.pipeline.proofs import establish
from sgl.sampling.screening import compiled_pays

#: The dataset jobs that have kernels.
JOBS = ("draw", "parse", "write")


@contextmanager
def compiling_kernels(items: int) -> Iterator[Callable[[], None]]:
    """Compile kernels in another process, if this number of items needs them; yield a function that waits for them."""
    from sgl.accel import announce, is_kept, kernel_cache

    several = (os.cpu_count() or 1) > 1
    if not (compiled_pays(items) and several and kernel_cache() is not None) or all(map(is_kept, JOBS)):
        yield lambda: None
        return
    # A grammar that gives every job something to do; this process has a parser already.
    with using(None), keeping(None):
        compiled = open_grammar(Path(__file__).with_name("kernels.sgl"), {}, SourceMap(), Diagnostics(), fast=True)
    with process_in(__name__, compile_kernels.__name__, pickle.dumps(compiled)) as process:

        def ready() -> None:
            if process.is_alive():
                announce()
            process.join()

        yield ready


def compile_kernels(folder: Path, grammar: bytes) -> None:
    """Make a small dataset of a pickled grammar with compiled code, to leave its machine code on disk."""
    # Any error here occurs again, and is reported, where the kernel is needed.
    with suppress(Exception):
        for job in JOBS:
            # A process uses compiled code that it has loaded, even for small jobs.
            import_module(f"sgl.accel.{job}")
        compiled: Compiled = pickle.loads(grammar)  # noqa: S301 - its parent sends it
        structures = StructureCompiler(compiled.grammar)
        proofs = establish(compiled, structures, Diagnostics())
        assert proofs is not None
        produce(compiled, structures, proofs, folder / "out", lambda *_: None)
