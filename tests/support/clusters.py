"""What tests of workers and clusters share."""

from __future__ import annotations

import importlib.util
import sys

import pytest

needs_dask = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="the extra `cluster` is not installed"
)

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="looks up the workers of a process in /proc")

#: Where no scheduler answers, and how commands are told to look for one there.
ADDRESS = "tcp://127.0.0.1:9"
SCHEDULER = ["--scheduler", ADDRESS]
