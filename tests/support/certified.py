"""Parts of certificates, as the verifier reads them; the certificate of the toy, and changes of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

from forging import digest
from toy import TOY, toy_plan

from sgl.automata import StructureCompiler
from sgl.automata.certificate import certificate_text
from sgl.pipeline.proofs import certificate_of
from sgl.verify.certificate_format import STRICT
from sgl.verify.derivation import Interpreter
from sgl.verify.schema import CoreForm
from sgl.verify.schema_grammar import CertifiedGrammar

Json = Any


def grammar_of(form: Json) -> CertifiedGrammar:
    """A grammar as the verifier reads it."""
    grammar: CertifiedGrammar = STRICT.read(CertifiedGrammar, json.loads(json.dumps(form)))
    return grammar


def core_of(form: Json) -> CoreForm:
    """A grammar and a plan as the verifier reads them."""
    core: CoreForm = STRICT.read(CoreForm, json.loads(json.dumps(form)))
    return core


def meaning_of(form: Json) -> Interpreter:
    """The checker's reading of a grammar."""
    return Interpreter(grammar_of(form))


@cache
def toy_certificate() -> str:
    """The honest certificate of the toy grammar and its plan."""
    return certificate_text(certificate_of(StructureCompiler(TOY), toy_plan(), "toy").content)


def changed(text: str, change: Callable[[Json], object], *, core: bool = False) -> str:
    """A certificate after a change; of the core with a new digest."""
    content = json.loads(text)
    change(content)
    if core:
        content["digest"] = digest(content["core"])
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"))
