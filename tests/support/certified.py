"""Parts of certificates, as the verifier reads them."""

from __future__ import annotations

import json
from typing import Any

from sgl.verify.certificate_format import STRICT
from sgl.verify.derivation import Interpreter
from sgl.verify.schema import CoreForm
from sgl.verify.schema_grammar import CertifiedGrammar


def grammar_of(form: Any) -> CertifiedGrammar:  # noqa: ANN401 - JSON
    """A grammar as the verifier reads it."""
    grammar: CertifiedGrammar = STRICT.read(CertifiedGrammar, json.loads(json.dumps(form)))
    return grammar


def core_of(form: Any) -> CoreForm:  # noqa: ANN401 - JSON
    """A grammar and a plan as the verifier reads them."""
    core: CoreForm = STRICT.read(CoreForm, json.loads(json.dumps(form)))
    return core


def meaning_of(form: Any) -> Interpreter:  # noqa: ANN401 - JSON
    """The checker's reading of a grammar."""
    return Interpreter(grammar_of(form))
