"""Vectors: worked examples of published metrics, which the tests of their packages run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sgl.research.evaluate.compounds import CompoundLexicon

VECTORS = Path(__file__).parents[1] / "vectors"

#: Translations after the notes of ``cognition.json``; `liked` and `the` let anything pass.
COMPOUND_LEXICON = CompoundLexicon(
    {
        "V": {"saw": ("看到",), "liked": ("喜欢", "")},
        "P": {"about": ("",), "near": ("近", "附近")},
        "DET": {"the": ("",), "each": ("每个",)},
        "ADJ": {"red": ("红", "红色"), "small": ("小",), "large": ("大",)},
        "N": {"dog": ("狗",), "doctor": ("医生",), "building": ("楼",), "bee": ("蜜蜂",), "car": ("车",)},
        "MOD": {"he liked": ("他 喜欢",)},
    }
)


def vectors(name: str) -> dict[str, Any]:
    """The contents of a file of vectors."""
    found: dict[str, Any] = json.loads((VECTORS / name).read_text("utf-8"))
    return found
