"""Compile the kernels beside the main job, when the machine code is not there yet.

The first compilation of a dataset after an installation has to compile the kernels too,
which takes longer than it takes to read and prove a large grammar.  A kernel serves all
grammars, so that another process can make a dataset of a small grammar
meanwhile; what it compiles is kept where the main process looks for it::

    main     reading · proving ───────────> drawing · writing ──> verifying
    beside   the kernels of drawing · of parsing · of writing

Nothing depends on it.  It says nothing, it is ended with the main process, and what it has
not compiled by then is compiled by whoever needs it.
"""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing import get_context, parent_process
from pathlib import Path
from signal import SIG_IGN, SIGINT, signal

from sgl.accel.jit import kernel_directory
from sgl.automata import StructureCompiler
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.parallel.processes import unheard_by_children
from sgl.pipeline.grammar import open_grammar
from sgl.pipeline.production import produce
from sgl.pipeline.proofs import establish

#: Has what kernels are for: choices, ambiguous strings, trees, a pattern; and enough
#: sentences that they are used.
_GRAMMAR = """\
module kernels "Some sentences"

layer en  : text (attach ".")
layer syn : graph on en

category N
category V
category Text
category VP
category NP
category PP

{words}

rule sentence: Text -> capital subj:NP VP "."
  syn VP -[nsubj]-> subj; VP -[punct]-> "."(upos=PUNCT)

rule transitive: VP -> V obj:NP
  syn V -[obj]-> obj

rule adjoined: VP -> V obj:NP PP
  syn V -[obj]-> obj; V -[obl]-> PP

rule phrase: NP -> "the" N
  syn N -[det]-> "the"(upos=DET)

rule modified: NP -> "the" N PP
  syn N -[det]-> "the"(upos=DET); N -[nmod]-> PP

rule near: PP -> "near" NP
  syn NP -[case]-> "near"(upos=ADP)

dataset
  from Text
  train 3000
  dev   5
  test  5
  seed  1
  distinct sentences
  distinct lemmas NOUN

pattern subjects "Phrases in objects only"
  forbid {{ V -[nsubj]-> N; N -[nmod]-> M }}
  size   5
"""


@contextmanager
def kernels_beside() -> Iterator[None]:
    """Have the kernels compiled by another process meanwhile, if that can help."""
    if (os.cpu_count() or 1) < 2 or not kernels_are_missing():
        yield
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        process = get_context("spawn").Process(target=_compile, args=(folder,), daemon=True)
        with suppress(OSError), unheard_by_children():
            process.start()
        try:
            yield
        finally:
            if process.pid is not None:
                process.kill()
                process.join()


def kernels_are_missing() -> bool:
    """Whether there is a directory for machine code with none in it."""
    directory = kernel_directory()
    return bool(directory) and next(Path(directory).rglob("*.nbi"), None) is None


def _compile(folder: str) -> None:
    """What the other process does; whatever goes wrong is nobody's concern."""
    signal(SIGINT, SIG_IGN)
    # This process ends soon: a hundred megabytes of garbage do no harm until then, and
    # looking for it would take a tenth of the time.
    gc.disable()
    threading.Thread(target=_end_with_parent, args=(folder,), daemon=True).start()
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere, suppress(Exception):
        sys.stdout = sys.stderr = nowhere
        make_sentences(Path(folder))
    os._exit(0)


def _end_with_parent(folder: str) -> None:
    """Wait until the main process is no more, and end this one."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)


class _WrittenError(Exception):
    """Everything is compiled that is to be compiled."""


def make_sentences(folder: Path) -> None:
    """Draw, parse and write sentences of the small grammar, as far as kernels have to do with it.

    Raises:
        AssertionError: the grammar is not one.
    """

    def stage(what: str, _done: int, _total: int) -> None:
        if what == "writing the sampler":
            raise _WrittenError

    names = {"N": "dog cat hen cow goat sheep horse duck", "V": "saw chased fed"}
    tags = {"N": "NOUN", "V": "VERB"}
    words = [
        f'word {category}: "{word}"\n  syn node(lemma={word}, upos={tags[category]})\n'
        for category, listed in names.items()
        for word in listed.split()
    ]
    path = folder / "kernels.sgl"
    path.write_text(_GRAMMAR.format(words="\n".join(words)), "utf-8")
    diagnostics = Diagnostics()
    compiled = open_grammar(path, {}, SourceMap(), diagnostics)
    assert compiled is not None, [str(found) for found in diagnostics]
    structures = StructureCompiler(compiled.grammar)
    proofs = establish(compiled, structures, diagnostics, lambda _: None)
    assert proofs is not None, [str(found) for found in diagnostics]
    with suppress(_WrittenError):
        produce(compiled, structures, proofs, folder / "out", stage)
