"""Who does the work of a run."""

from __future__ import annotations

from sgl.parallel.executor import Parallelism as Labour

__all__ = ["Labour"]
