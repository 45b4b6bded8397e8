"""Observers that packages register: made for the groups of the plan, imported for no others."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sgl.pipeline import observers


def registered(monkeypatch: pytest.MonkeyPatch, *groups: str) -> list[Any]:
    """What `registered_observers` makes of two entry points, one of which cannot be imported."""
    points = [
        EntryPoint("compound", f"{__name__}:compound_observer", observers.GROUP),
        EntryPoint("elsewhere", "no_such_package:observe", observers.GROUP),
    ]
    monkeypatch.setattr(observers, "entry_points", lambda group: points if group else [])
    pattern = SimpleNamespace(groups=groups)
    compiled: Any = SimpleNamespace(plan=SimpleNamespace(patterns=[pattern]))
    return observers.registered_observers(compiled, SimpleNamespace())  # type: ignore[arg-type]


def compound_observer(compiled: object, sampler: object) -> tuple[object, object]:
    return compiled, sampler


def test_an_observer_is_made_for_the_groups_of_the_patterns(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(registered(monkeypatch, "structural", "compound")) == 1
    assert registered(monkeypatch, "structural") == []
    assert registered(monkeypatch) == []


def test_the_observer_of_compounds_is_registered() -> None:
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8")
    for point in entry_points(group=observers.GROUP):
        assert f'{point.name} = "{point.value}"' in text
