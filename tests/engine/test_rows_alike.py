"""Words and rules that every structure reads alike share what is known: one more of them needs no new automata.

What is kept for the rules of another grammar must be what would be computed for it.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from unittest.mock import Mock

import numpy as np
import pytest

from sgl.automata.algebra.tree_automaton import TreeAutomaton
from sgl.automata.proofs import compiler
from sgl.engine import Snapshot, Workspace

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
GRAMMAR, ANIMALS, VERBS = "farm.sgl", "animals.yaml", "verbs.yaml"

NOUN_PHRASE, MODIFIED, NEAR = (
    f"rule {lines}\n"
    for lines in (
        "noun_phrase: NP -> Det N  ~ 3\n  ja  N drop Det\n  syn N -[det]-> Det",
        "modified: NP -> Det N PP\n  ja  PP N drop Det\n  syn N -[det]-> Det; N -[nmod]-> PP",
        'near: PP -> "near" NP\n  ja  NP "の近くの"\n  syn NP -[case]-> "near"(upos=ADP)',
    )
)


def beside(rule: str, *changes: tuple[str, str]) -> Callable[[str], str]:
    """An edit that adds a rule after one from which it differs by some changes."""

    def edit(text: str) -> str:
        assert rule in text
        other = rule.replace(":", "_too:", 1)
        for old, new in changes:
            assert old in other
            other = other.replace(old, new)
        return text.replace(rule, f"{rule}\n{other}")

    return edit


#: Changes after which all rules and words are twins of some that were there.
ALIKE: dict[str, tuple[str, Callable[[str], str]]] = {
    "one more row": (ANIMALS, lambda text: f"{text}- {{en: pig, ja: 豚}}\n"),
    "one more row at the top": (ANIMALS, lambda text: f"- {{en: pig, ja: 豚}}\n{text}"),
    "one row less": (ANIMALS, lambda text: text.replace("- {en: hen, ja: 鶏}\n", "")),
    "another word": (ANIMALS, lambda text: text.replace("horse", "mare")),
    "rows in another order": (ANIMALS, lambda text: "\n".join(sorted(text.splitlines())) + "\n"),
    "one more rule": (GRAMMAR, beside(NOUN_PHRASE)),
    "one more rule with another weight": (GRAMMAR, beside(NOUN_PHRASE, ("~ 3", "~ 0.5"))),
    "one more rule with other words": (GRAMMAR, beside(NEAR, ("near", "behind"), ("の近くの", "の後ろの"))),
    "a word that comes first": (GRAMMAR, lambda text: text.replace('word Det: "the"', 'word Det: "this"')),
    "another verb": (VERBS, lambda text: text.replace("en: help", "en: assist")),
}


@pytest.fixture
def farm(tmp_path: Path) -> Path:
    for name in ("farm.sgl", ANIMALS, VERBS):
        (tmp_path / name).write_bytes((EXAMPLES / name).read_bytes())
    root = tmp_path / "farm.sgl"
    # A pattern about one of the animals, which is then of another kind than the others.
    text = root.read_text("utf-8")
    own = 'pattern of_cows "cows"\n  forbid { V -[obj]-> N[lemma=cow]; N -[nmod]-> M }\n  size 10\n'
    root.write_text(f"{text}\n{own}", "utf-8")
    return root


def columns(automaton: TreeAutomaton) -> dict[str, list[object]]:
    names = ("categories", "words", "rules", "children", "results", "final")
    return {name: np.asarray(getattr(automaton, name)).tolist() for name in names}


def automata(snapshot: Snapshot) -> list[object]:
    """The automata of a snapshot: of each part of its dataset, and of everything that its patterns hold out."""
    assert snapshot.compiled is not None
    structures, plan = snapshot.structures, snapshot.compiled.plan
    found = [structures.language(stratum.constraint) for stratum in plan.strata]
    held_out = [structure for pattern in plan.patterns for structure in pattern.held_out]
    found += [own(structure) for structure in held_out for own in (structures.absence, structures.presence)]
    splits = [structures.drawn(stratum) for stratum in plan.strata]
    return [*map(columns, found), *[(split.mass, split.roots, [*split.transitions.rows()]) for split in splits]]


def check(root: Path, workspace: Workspace) -> Snapshot:
    """What a workspace has after an edit is what one has that has seen nothing before."""
    snapshot, cold = workspace.open(root), Workspace().open(root)
    assert snapshot.claims() == cold.claims()
    if cold.compiled is not None:
        assert automata(snapshot) == automata(cold)
    return snapshot


def computes_automata(root: Path, workspace: Workspace) -> bool:
    """Whether the automata of a grammar are computed, and not taken from those of its last version."""
    called = Mock(wraps=compiler.explore)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiler, "explore", called)
        automata(workspace.open(root))
    return bool(called.called)


@pytest.mark.parametrize("change", ALIKE)
def test_automata_stay_if_words_are_read_as_before(change: str, farm: Path) -> None:
    name, edit = ALIKE[change]
    workspace, path = Workspace(), farm.with_name(name)
    snapshot = check(farm, workspace)
    assert snapshot.compiled is not None
    structures, strata = snapshot.structures, snapshot.compiled.plan.strata
    before = [columns(structures.language(stratum.constraint)) for stratum in strata]
    old = path.read_text("utf-8")
    path.write_text(edit(old), "utf-8")
    assert old != edit(old)
    assert not computes_automata(farm, workspace)
    check(farm, workspace)
    # Whoever still works with the version before keeps its automata.
    assert [columns(structures.language(stratum.constraint)) for stratum in strata] == before


@pytest.mark.parametrize(
    "edit",
    [
        beside(MODIFIED, ("nmod", "obl")),
        beside(NEAR, ('"near" NP', 'NP "near"')),
        beside(NOUN_PHRASE, ("Det N", "N"), ("N drop Det", "N"), ("\n  syn N -[det]-> Det", "")),
    ],
    ids=["another edge", "another order", "one child less"],
)
def test_a_rule_of_another_kind_needs_new_automata(edit: Callable[[str], str], farm: Path) -> None:
    workspace = Workspace()
    check(farm, workspace)
    farm.write_text(edit(farm.read_text("utf-8")), "utf-8")
    assert computes_automata(farm, workspace)
    check(farm, workspace)


def test_kinds_of_words_in_another_order_need_new_automata(farm: Path) -> None:
    workspace, path = Workspace(), farm.with_name(ANIMALS)
    check(farm, workspace)
    # States are numbered in the order in which words reach them.
    path.write_text(f"- {{en: cow, ja: 雌牛}}\n{path.read_text('utf-8')}", "utf-8")
    assert computes_automata(farm, workspace)
    check(farm, workspace)


@pytest.mark.parametrize("seed", range(2))
def test_random_rows(seed: int, farm: Path) -> None:
    random, workspace = Random(seed), Workspace()  # noqa: S311
    for _ in range(6):
        path = farm.with_name(random.choice([ANIMALS, VERBS]))
        rows = path.read_text("utf-8").splitlines()
        place = random.randrange(len(rows))
        if random.random() < 0.5 and len(rows) > 3:
            del rows[place]
        else:
            rows.insert(random.randrange(len(rows)), rows[place].replace("en: ", f"en: {random.choice('abcdef')}"))
        path.write_text("\n".join(rows) + "\n", "utf-8")
        workspace._memory = pickle.loads(pickle.dumps(workspace._memory))  # noqa: S301, SLF001 - as between commands
        check(farm, workspace)


@pytest.mark.parametrize("seed", range(2))
def test_random_rules(seed: int, farm: Path) -> None:
    random, workspace, number = Random(seed), Workspace(), 0  # noqa: S311
    for _ in range(6):
        parts = re.split(r"(?m)^(?=\S)", farm.read_text("utf-8"))
        places = [place for place, part in enumerate(parts) if part.startswith(("rule ", "word Det"))]
        place, number = random.choice(places), number + 1
        if "_copy" in parts[place]:
            del parts[place]
        else:
            copy = re.sub(r"^rule (\w+)", rf"rule \1_copy{number}", parts[place])
            parts.insert(random.choice([place, place + 1, places[-1] + 1]), f"{copy.rstrip()}\n\n")
        farm.write_text("".join(parts), "utf-8")
        workspace._memory = pickle.loads(pickle.dumps(workspace._memory))  # noqa: S301, SLF001 - as between commands
        check(farm, workspace)
