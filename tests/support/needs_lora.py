"""Skips a module of tests that imports this one where the extra `lora` is not installed."""

from __future__ import annotations

import pytest

for library in ("torch", "tokenizers", "safetensors", "transformers", "peft"):
    pytest.importorskip(library, reason=f"no {library}: it is in the extra `lora`")
