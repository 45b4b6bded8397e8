"""Skips a module of tests that imports this one where the extra `baselines` is not installed."""

from __future__ import annotations

import pytest

for library in ("torch", "tokenizers", "safetensors"):
    pytest.importorskip(library, reason=f"no {library}: it is in the extra `baselines`")
