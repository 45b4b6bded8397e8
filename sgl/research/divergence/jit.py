"""``kernel`` and ``part`` of :mod:`sgl.accel.jit`; without Numba, functions stay as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])


def _interpreted(function: Function) -> Function:
    """Leave a function as it is."""
    return function


try:
    from sgl.accel.jit import kernel, part
except ImportError:
    kernel = part = _interpreted

__all__ = ["kernel", "part"]
