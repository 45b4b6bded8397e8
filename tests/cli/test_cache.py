"""What is kept of earlier runs is what a run without it would find, or it is not used."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from kept_farm import EDITS, FILES, MAIN, edit, write_farm
from workplace import Workplace

from sgl.automata import Proofs, StructureCompiler
from sgl.automata import certificate as certificates
from sgl.cache import Cache, using
from sgl.cli import verify as verify_command
from sgl.cli.main import OK, run
from sgl.core.structure import Body, Structure, Variable
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.diagnostics.render import render
from sgl.frontend import Compiled
from sgl.lang import project
from sgl.pipeline import grammar, production, proofs
from sgl.pipeline.grammar import check_grammar, open_grammar
from sgl.pipeline.proofs import certificate_file, establish

ROOT = Path(__file__).parents[2]


@pytest.fixture
def farm(work: Workplace, cache_directory: Path) -> Workplace:  # noqa: ARG001 - in use
    return write_farm(work)


def looked(cache: Cache | None, settings: dict[str, str] | None = None) -> tuple[Compiled | None, SourceMap, list[str]]:
    """The grammar, its files and all messages, with this cache or none."""
    sources, diagnostics = SourceMap(), Diagnostics()
    with using(cache):
        compiled = open_grammar(Path(MAIN), settings or {}, sources, diagnostics)
    return compiled, sources, [render(diagnostic, sources) for diagnostic in diagnostics]


def opened(cache: Cache | None, settings: dict[str, str] | None = None) -> Compiled | None:
    return looked(cache, settings)[0]


def told(cache: Cache | None, settings: dict[str, str] | None = None) -> tuple[object, list[str]]:
    """The grammar with its lines, and all messages."""
    compiled, sources, messages = looked(cache, settings)
    return read(compiled, sources), messages


def read(compiled: Compiled | None, sources: SourceMap) -> object:
    """What a grammar is, with places as those of the texts."""
    if compiled is None:
        return None
    places = [sources.real(span) for span in (*compiled.rule_spans, compiled.dataset_span)]
    names = [(lowered.pattern, len(lowered.declaration.clauses)) for lowered in compiled.patterns]
    return compiled.grammar, compiled.plan, compiled.rule_keys, places, names, compiled.parameters


def known(cache: Cache, settings: dict[str, str] | None = None) -> bool:
    """Whether the grammar is found without being read."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sgl.lang.project.load_project", lambda *_: pytest.skip("not known"))
        try:
            told(cache, settings)
        except pytest.skip.Exception:
            return False
    return True


# ---- warm is as cold


@pytest.mark.usefixtures("farm")
def test_a_grammar_from_the_cache_is_the_grammar(cache: Cache) -> None:
    cold, warned = told(None)
    assert cold is not None
    assert warned, "the farm should warn about something, so that warnings are compared"
    assert told(cache) == (cold, warned)
    assert known(cache)
    assert told(cache) == (cold, warned)


def test_errors_are_told_again_as_they_were(farm: Workplace, cache: Cache) -> None:
    edit(farm, MAIN, "V[upos=VERB] -[obj]", "V[upos=VERB] -[objj]")
    cold = told(None)
    assert cold[0] is None
    assert told(cache) == cold
    assert known(cache)
    assert told(cache) == cold


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_of_any_file_is_seen(name: str, farm: Workplace, cache: Cache) -> None:
    before = told(cache)
    assert known(cache)
    edit(farm, name, *EDITS[name])
    assert not known(cache)
    after = told(cache)
    assert after == told(None)
    assert after != before
    # Even if the file has its old date, size and name.
    edit(farm, name, *reversed(EDITS[name]))
    assert told(cache) == before


@pytest.mark.usefixtures("farm")
def test_a_file_with_another_date_and_the_same_content_is_the_same(cache: Cache) -> None:
    told(cache)
    for name in EDITS:
        os.utime(name, (1, 1))
    assert known(cache)


def test_a_parameter_is_part_of_the_question(farm: Workplace, cache: Cache) -> None:
    edit(farm, MAIN, 'yaml"\nrelation', 'yaml" when weights = learnt\nrelation')
    first = told(cache)
    assert not known(cache, {"weights": "declared"})
    second = told(cache, {"weights": "declared"})
    assert first != second
    assert second == told(None, {"weights": "declared"})
    assert known(cache)


def test_a_link_that_leads_elsewhere_is_seen(farm: Workplace, cache: Cache) -> None:
    (farm.directory / "animals.yaml").rename("few.yaml")
    farm.write("many.yaml", (farm.directory / "few.yaml").read_bytes() + b"- {en: ox, ja: \xe7\x89\x9b}\n")
    (farm.directory / "animals.yaml").symlink_to("few.yaml")
    before = told(cache)
    assert known(cache)
    (farm.directory / "animals.yaml").unlink()
    (farm.directory / "animals.yaml").symlink_to("many.yaml")
    assert not known(cache)
    assert told(cache) != before


def test_a_file_that_was_missing_and_is_there_now_is_seen(farm: Workplace, cache: Cache) -> None:
    (farm.directory / "prey.sgl").unlink()
    assert opened(cache) is None
    assert not known(cache)
    farm.write("prey.sgl", FILES["prey.sgl"])
    assert opened(cache) is not None


def test_a_directory_that_was_gone_for_a_moment_is_looked_for_again(
    farm: Workplace, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    load = project.load_project

    def gone(*_: object, **__: object) -> Path:
        raise FileNotFoundError

    def without_directory(path: Path, sources: SourceMap, diagnostics: Diagnostics) -> project.Project | None:
        with monkeypatch.context() as moment:
            moment.setattr(Path, "resolve", gone)
            return load(path, sources, diagnostics)

    with monkeypatch.context() as removed:
        removed.setattr(project, "load_project", without_directory)
        assert run(["check", MAIN]) != OK
    assert "has been removed" in farm.capsys.readouterr().err
    assert cache.entries() == []
    assert run(["check", MAIN]) == OK


def test_a_project_in_another_directory_is_another_one(farm: Workplace, cache: Cache) -> None:
    compiled = opened(cache)
    shutil.copytree(farm.directory, farm.directory.with_name("copy"))
    os.chdir(farm.directory.with_name("copy"))
    assert not known(cache)
    copy = opened(cache)
    assert compiled is not None
    assert copy is not None
    assert copy.project.main.path != compiled.project.main.path


@pytest.mark.usefixtures("farm")
def test_other_code_asks_for_other_entries(cache: Cache) -> None:
    told(cache)
    assert not known(Cache(cache.directory, "another program"))


def test_code_that_is_edited_while_it_runs_keeps_nothing(cache: Cache) -> None:
    Cache(cache.directory, "the code before the edit").put(1, "number", "one")
    assert cache.entries() == []


@pytest.mark.usefixtures("farm")
def test_a_changed_copy_of_a_grammar_is_not_taken_for_the_grammar(cache: Cache) -> None:
    compiled = opened(cache)
    assert compiled is not None
    assert compiled.origin
    assert replace(compiled, plan=compiled.plan).origin == ""


# ---- what is made of a grammar


def test_proofs_with_their_messages_and_the_certificate_are_found_again(
    farm: Workplace, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    near = "pattern near_once\n  assert never { N -[nmod]-> M; M -[nmod]-> L }\n\n"
    edit(farm, MAIN, "pattern pp_in_subject", near + "pattern pp_in_subject")

    def proved() -> tuple[Proofs | None, list[object], bytes]:
        compiled = opened(cache)
        assert compiled is not None
        structures, diagnostics = StructureCompiler(compiled.grammar), Diagnostics()
        with using(cache):
            proofs = establish(compiled, structures, diagnostics)
            return proofs, list(diagnostics), certificate_file(compiled, structures)

    cold = proved()
    assert cold[1], "a claim should be refuted, so that its message is compared"
    monkeypatch.setattr(proofs, "prove", lambda *_: pytest.fail("proved again"))
    monkeypatch.setattr(certificates, "certificate", lambda *_: pytest.fail("written again"))
    assert proved() == cold


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  forbid { V -[nsubj]-> N; N", "  assert never { V -[obj]-> N; N"),
        ("犬が鶏の近くの猫を追いかけた。", "犬が猫を追いかけた。"),
    ],
    ids=["a claim", "an example"],
)
def test_a_message_is_at_its_place_if_the_history_of_the_file_is_lost(
    old: str, new: str, farm: Workplace, cache: Cache
) -> None:
    edit(farm, MAIN, old, new)
    text = (farm.directory / MAIN).read_text("utf-8")
    farm.write(MAIN, "category Unused\n\n" + text)
    run(["prove", MAIN])
    farm.write(MAIN, text)
    said = []
    for _ in range(2):
        farm.capsys.readouterr()
        run(["prove", MAIN])
        said.append(farm.capsys.readouterr())
        # Old entries make room for new ones.
        for entry in cache.entries():
            if entry.kind in ("grammar", "memory", "said"):
                entry.path.unlink()
    assert f"--> {MAIN}:" in said[0].err
    assert said[1] == said[0]


@pytest.mark.parametrize("form", ["full", "json"])
def test_grammars_share_a_file_that_has_been_edited_for_one_of_them(form: str, work: Workplace, cache: Cache) -> None:
    shared = 'category NP\nword NP: "dogs"\nword NP: "dogs"\n'
    work.write("shared.sgl", "layer en : text\n" + shared)
    for name in ("one", "two"):
        work.write(f"{name}.sgl", 'use shared\ncategory S\nrule sleep: S -> NP "sleep"\ndataset\n  from S\n  train 1\n')
    run(["check", "one.sgl"])
    work.write("shared.sgl", "# English\n\nlayer en : text\ncategory VP\n" + shared)
    run(["check", "one.sgl"])
    assert cache.entries()
    said = []
    for options in ([], ["--no-cache"]):
        work.capsys.readouterr()
        run(["check", "one.sgl", "two.sgl", "--format", form, *options])
        said.append(work.capsys.readouterr())
    assert "SGL0" in said[0].out + said[0].err
    assert said[0] == said[1]


@pytest.mark.slow
def test_a_dataset_from_the_cache_is_the_dataset(farm: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    edit(farm, MAIN, "train 1000", "train 150")
    edit(farm, MAIN, "need   100 ", "need   ")
    edit(farm, MAIN, "  size   200", "  size   20")
    assert run(["compile", MAIN, "--no-cache", "--out", "cold"]) == OK
    assert run(["compile", MAIN, "--out", "first"]) == OK
    for place in (grammar, proofs, production, certificates):
        for name in ("_compile", "prove", "pack", "certificate"):
            if hasattr(place, name):
                monkeypatch.setattr(place, name, lambda *_: pytest.fail("computed again"))
    assert run(["compile", MAIN, "--out", "warm"]) == OK
    files = sorted(path.relative_to("cold") for path in Path("cold").rglob("*") if path.is_file())
    assert len(files) > 10
    for name in files:
        assert Path("first", name).read_bytes() == Path("cold", name).read_bytes()
        assert Path("warm", name).read_bytes() == Path("cold", name).read_bytes()


@pytest.mark.slow
def test_a_second_compilation_finds_everything_that_the_first_has_kept(farm: Workplace, cache: Cache) -> None:
    edit(farm, MAIN, "train 1000", "train 150")
    edit(farm, MAIN, "need   100 ", "need   ")
    edit(farm, MAIN, "  size   200", "  size   20")
    kept = []
    for seed in ("1", "2"):
        # The order of a set differs between processes: no key may depend on it.
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", "sgl", "compile", MAIN, "--out", f"out{seed}"]
        done = subprocess.run(command, cwd=farm.directory, env=environment, capture_output=True, check=False)
        assert done.returncode == OK, done.stderr
        kept.append({entry.path.name for entry in cache.entries()})
    assert any(name.startswith("nearest-") for name in kept[0])
    assert kept[1] == kept[0]


def test_a_check_says_the_same_again_without_the_compiler(farm: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    edit(farm, MAIN, "犬が鶏の近くの猫を追いかけた。", "犬が猫を追いかけた。")
    runs = []
    for _ in range(2):
        assert run(["check", MAIN]) != OK
        runs.append(farm.capsys.readouterr())
        monkeypatch.setattr(grammar, "_check", lambda *_: pytest.fail("checked again"))
    # What needs no claims is said first.
    first, second = (sorted(run.err.split("\n\n")) for run in runs)
    assert first == second
    assert any("the grammar gives another output" in message for message in first)


@pytest.mark.usefixtures("farm")
def test_without_the_cache_nothing_is_asked_and_nothing_kept(cache: Cache) -> None:
    assert run(["check", MAIN, "--no-cache"]) == OK
    assert cache.entries() == []
    assert run(["check", MAIN]) == OK
    assert {entry.kind for entry in cache.entries()} == {
        *("examples", "grammar", "last", "looks"),
        *("memory", "proofs", "proved", "structures"),
    }


@pytest.mark.usefixtures("farm")
def test_a_sample_keeps_for_the_next_edit_what_it_has_read(cache: Cache) -> None:
    assert run(["sample", MAIN, "-n", "1"]) == OK
    assert "memory" in {entry.kind for entry in cache.entries()}


def test_the_verdict_on_a_certificate_depends_on_its_bytes(farm: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(["prove", MAIN, "--certificate", "farm.json"]) == OK
    assert run(["verify", "farm.json"]) == OK
    monkeypatch.setattr(verify_command, "check_certificate", lambda *_: {"accepted": False, "faults": []})
    assert run(["verify", "farm.json"]) == OK
    edit(farm, "farm.json", '"farm"', '"form"')
    assert run(["verify", "farm.json"]) != OK


@pytest.mark.usefixtures("farm")
def test_a_library_call_keeps_nothing(cache: Cache) -> None:
    assert open_grammar(Path(MAIN), {}, SourceMap(), Diagnostics()) is not None
    assert check_grammar(Path(MAIN), {}, SourceMap(), Diagnostics()) is not None
    assert cache.entries() == []


def test_another_process_does_not_get_what_is_put_off(cache: Cache) -> None:
    """Such values are large, and another thread may be changing them."""
    with using(cache):
        cache.put_off("kept", "kind", "part")
        other = pickle.loads(pickle.dumps(cache))  # noqa: S301
        assert other == cache
        assert other.get(str, "kind", "part") is None
    assert other.get(str, "kind", "part") == "kept"


def test_a_block_within_another_leaves_what_is_put_off_to_it(cache: Cache) -> None:
    """Another thread may be using the values."""
    with using(cache):
        cache.put_off("kept", "kind", "part")
        with using(cache):
            pass
        assert cache.entries() == []
    assert [entry.kind for entry in cache.entries()] == ["kind"]


def test_a_hash_of_another_process_is_not_kept() -> None:
    structure = Structure("syn", Body((Variable("N"),)))
    own = hash(structure)
    assert "_hash" in vars(structure)
    copy = pickle.loads(pickle.dumps(structure))  # noqa: S301
    assert "_hash" not in vars(copy)
    assert copy == structure
    assert hash(copy) == own
