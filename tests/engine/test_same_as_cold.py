"""The law of the engine: after any edits it says what a workspace says that has seen nothing before."""

from __future__ import annotations

import pickle
from pathlib import Path
from random import Random

import pytest
from edits import edited

from sgl.engine import SampleError, Snapshot, Workspace

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "docs" / "examples"

#: Grammars with their tables, and how many edits each of them gets.
SMALL = {"farm.sgl": 12, "agreement.sgl": 8, "layers.sgl": 8}


def everything(snapshot: Snapshot) -> dict[str, object]:
    """What a snapshot says, as values that can be compared; grammars with their lines."""
    compiled = snapshot.compiled
    categories = [] if compiled is None else sorted({s.category for s in compiled.plan.strata})
    samples: dict[str, object] = {}
    for of in ("", "train", *categories[:2]):
        try:
            samples[of] = [sample.item for sample in snapshot.samples(of, 3)]
        except SampleError as problem:
            samples[of] = str(problem)
    claims = snapshot.claims()
    return {
        "diagnostics": snapshot.diagnostics,
        "grammar": compiled and compiled.grammar,
        "plan": compiled and compiled.plan,
        "spans": compiled and [snapshot.sources.real(span) for span in compiled.rule_spans],
        "samples": samples,
        "claims": claims.diagnostics,
        "proofs": claims.proofs,
    }


def check_edits(root: Path, number: int, random: Random, *, written: bool) -> None:
    """Edit the files of a grammar at random, and compare after each edit; sometimes go back.

    If what is kept is ``written``, it goes to disk and back between two edits, as between two commands.
    """
    workspace = Workspace()
    files = sorted(p for p in root.parent.iterdir() if p.suffix in (".sgl", ".yaml") and p.stem != root.stem)
    texts = {path: path.read_text("utf-8") for path in (root, *files)}
    sound = dict(texts)
    for count in range(number):
        path = root if random.random() < 0.8 or not files else random.choice(files)
        texts[path], what = edited(texts[path], random)
        workspace.edit(path, texts[path])
        cold = Workspace()
        for name, text in texts.items():
            cold.edit(name, text)
        if written:
            workspace._memory = pickle.loads(pickle.dumps(workspace._memory))  # noqa: S301, SLF001
        snapshot, expected = workspace.open(root), everything(cold.open(root))
        found = everything(snapshot)
        for key, value in expected.items():
            assert found[key] == value, f"{key} after edit {count} ({what}) of {path.name}"
        if not any(d.severity.value == "error" for d in snapshot.diagnostics):
            sound = dict(texts)
        elif random.random() < 0.6:
            texts = dict(sound)
            for name, text in texts.items():
                workspace.edit(name, text)


@pytest.mark.parametrize("written", [False, True], ids=["in memory", "on disk"])
@pytest.mark.parametrize("name", SMALL)
def test_random_edits_of_small_grammars(name: str, written: bool, tmp_path: Path) -> None:
    for path in EXAMPLES.glob("*.yaml"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    root = tmp_path / name
    root.write_bytes((EXAMPLES / name).read_bytes())
    check_edits(root, SMALL[name], Random(name), written=written)  # noqa: S311
