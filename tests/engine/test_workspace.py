"""A workspace says of a grammar what the commands say, for the texts that an editor has."""

from __future__ import annotations

from pathlib import Path

import pytest

from sgl.engine import SampleError, Workspace

FARM = Path(__file__).parents[2] / "docs" / "examples" / "farm.sgl"


@pytest.fixture
def farm(tmp_path: Path) -> Path:
    for path in FARM.parent.glob("*.*"):
        if path.suffix in (".sgl", ".yaml"):
            (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path / "farm.sgl"


def test_a_grammar_without_mistakes_has_samples_and_proofs(farm: Path) -> None:
    snapshot = Workspace().open(farm)
    assert snapshot.diagnostics == ()
    assert len(snapshot.samples("train", 3)) == 3
    proofs = snapshot.claims().proofs
    assert proofs is not None
    assert proofs.proved


def test_what_an_editor_has_counts_and_not_what_is_on_disk(farm: Path) -> None:
    workspace, before = Workspace(), farm.read_bytes()
    workspace.edit(farm, before.decode() + "\nrule wrong: S -> Nonsense\n")
    snapshot = workspace.open(farm)
    assert [found.code for found in snapshot.diagnostics] == ["SGL0201"]
    assert snapshot.compiled is None
    assert snapshot.project is not None
    with pytest.raises(SampleError, match="has errors"):
        snapshot.samples()
    workspace.edit(farm, None)
    assert workspace.open(farm).diagnostics == ()
    assert farm.read_bytes() == before


def test_a_snapshot_stays_as_it_was(farm: Path) -> None:
    workspace = Workspace()
    snapshot = workspace.open(farm)
    workspace.edit(farm, "nothing of this kind")
    assert workspace.open(farm).diagnostics
    assert snapshot.diagnostics == ()
    assert snapshot.samples("NP")


def test_a_file_that_was_never_saved_is_read(tmp_path: Path) -> None:
    workspace = Workspace()
    workspace.edit(tmp_path / "new.sgl", "rubbish here\n")
    assert next(found.code for found in workspace.open(tmp_path / "new.sgl").diagnostics) == "SGL0103"


def test_a_module_is_checked_with_the_grammars_that_use_it(tmp_path: Path) -> None:
    workspace = Workspace()
    (tmp_path / "words.sgl").write_text("category N\n")
    (tmp_path / "main.sgl").write_text("use words\ndataset\n  from N\n")
    (tmp_path / "other.sgl").write_text("category X\n")
    assert workspace.roots(tmp_path / "words.sgl") == (tmp_path / "main.sgl",)
    assert workspace.roots(tmp_path / "main.sgl") == (tmp_path / "main.sgl",)
    workspace.edit(tmp_path / "main.sgl", "use other\ndataset\n  from N\n")
    assert workspace.roots(tmp_path / "words.sgl") == (tmp_path / "words.sgl",)


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        ("の近くの", "のそばの", True),
        ('"の近くの"', '"の近く" "の"', False),  # one word more, and lengths are counted in words
        ('"near"', '"beside"', True),
        ('word Det: "a"', 'word Det: "some"', True),
        ('"near"(upos=ADP)', '"near"(upos=NOUN)', False),  # another part of speech, for which the pattern asks
    ],
)
def test_automata_are_kept_while_words_are_exchanged(farm: Path, old: str, new: str, kept: bool) -> None:
    workspace, text = Workspace(), farm.read_text("utf-8").replace("-[nmod]-> M }", "-[nmod]-> M[upos=NOUN] }")
    text = text[: text.index("test")] + text[text.index("dataset") :]
    workspace.edit(farm, text)
    assert workspace.open(farm).claims().proofs is not None
    before = workspace.open(farm).structures
    workspace.edit(farm, text.replace(old, new))
    snapshot = workspace.open(farm)
    assert snapshot.compiled is not None
    # A word that a graph has is read by a compiler of its own, with the automata of the other one.
    assert before._accepted  # noqa: SLF001
    assert bool(snapshot.structures._accepted) == kept  # noqa: SLF001
    assert snapshot.structures.grammar is snapshot.compiled.grammar


@pytest.mark.parametrize("nothing", ["Nonsense", "{ V -[", "(S", "NP[x=y]"])
def test_what_cannot_be_sampled_is_said_in_a_sentence(farm: Path, nothing: str) -> None:
    with pytest.raises(SampleError):
        Workspace().open(farm).samples(nothing)


def test_progress_can_end_a_proof(farm: Path) -> None:
    class StoppedError(Exception):
        pass

    def stop(name: str) -> None:
        raise StoppedError(name)

    snapshot = Workspace().open(farm)
    with pytest.raises(StoppedError):
        snapshot.claims(stop)
    assert snapshot.claims().proofs is not None


def test_a_workspace_of_one_folder_sees_the_files_of_grammars_in_it(farm: Path, tmp_path: Path) -> None:
    folder, outside = tmp_path / "project", tmp_path / "outside.yaml"
    folder.mkdir()
    outside.write_text("- {en: horse}\n", "utf-8")
    (folder / "linked.yaml").symlink_to(outside)
    (folder / "up").symlink_to(tmp_path)
    workspace = Workspace((folder.resolve(),))
    assert [workspace.sees(folder / name) for name in ("a.sgl", "b.yaml", "c.YML", "d/e.j2", "f.jinja")] == [True] * 5
    assert not any(workspace.sees(folder / name) for name in (".bashrc", "a.py", "a", "linked.yaml", "up/farm.sgl"))
    assert not workspace.sees(farm)
    assert Workspace().sees(outside)


def test_a_grammar_above_the_folder_is_none_of_its_modules(farm: Path, tmp_path: Path) -> None:
    module = tmp_path / "parts" / "np.sgl"
    module.parent.mkdir()
    module.write_text("category Extra\n", "utf-8")
    farm.write_text("use parts.np\n" + farm.read_text("utf-8"), "utf-8")
    assert farm in Workspace().roots(module)
    assert Workspace((module.parent.resolve(),)).roots(module) == (module,)


def test_the_files_of_an_author_are_those_beside_the_grammar_and_below(farm: Path) -> None:
    own = Workspace().open(farm).own
    assert [path.name for path in own] == ["farm.sgl", "animals.yaml", "verbs.yaml"]
    assert own[farm.resolve()] == farm.read_text("utf-8")
