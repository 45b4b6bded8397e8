"""The certificate of a proved plan, as the file that is written."""

from __future__ import annotations

from sgl.automata import StructureCompiler
from sgl.automata.certificate import certificate, certificate_text
from sgl.cache import cached
from sgl.dataset import fingerprint
from sgl.frontend import Compiled


def certificate_file(compiled: Compiled, structures: StructureCompiler) -> bytes:
    """The content of ``certificate.json``: UTF-8, equal for equal grammars and plans."""
    return cached(bytes, "certificate", (compiled.origin,), lambda: _written(compiled, structures))


def _written(compiled: Compiled, structures: StructureCompiler) -> bytes:
    digest = fingerprint(compiled.grammar, compiled.plan)
    content = certificate(structures, compiled.plan, compiled.project.name, digest)
    return certificate_text(content).encode("utf-8")
