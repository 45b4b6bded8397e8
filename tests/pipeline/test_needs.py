"""What patterns need is met: by chance where that is as good as certain, else by drawing."""

from __future__ import annotations

import json
import math
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from diagnostics import BASE, MAIN
from hypothesis import given
from hypothesis import strategies as st
from sampling import chi_square_p, tables_of
from test_reproduction import reseal
from toy import PP_IN_OBJECT, TOY, toy_plan

from sgl.automata import StructureCompiler
from sgl.automata.algebra.boolean import intersection
from sgl.automata.proofs.prove import chance_of_fewer
from sgl.automata.weights.split import acceptance_probability
from sgl.cli.main import FAILED, OK, run
from sgl.core.claims import DrawnNeed
from sgl.core.interpret import Derivation
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.pipeline.grammar import open_grammar
from sgl.pipeline.proofs import establish, plan_with, with_needs
from sgl.sampling.engine import candidate_key, derive, stream_key
from sgl.verify import verify

# ---- by chance


@given(st.lists(st.tuples(st.integers(1, 40), st.floats(0.001, 0.9)), min_size=1, max_size=3), st.integers(0, 60))
def test_the_chance_of_fewer_is_not_underestimated(strata: list[tuple[int, float]], number: int) -> None:
    """Against the distribution of a sum of independent draws, one after the other."""
    exact = [1.0]
    for probability in (p for count, p in strata for _ in range(count)):
        hits = [0.0, *(own * probability for own in exact)]
        misses = [*(own * (1 - probability) for own in exact), 0.0]
        exact = [hit + miss for hit, miss in zip(hits, misses, strict=True)]
    mean = sum(count * probability for count, probability in strata)
    assert chance_of_fewer(number, mean) >= sum(exact[:number]) - 1e-9


def test_the_chance_of_fewer_is_that_of_a_poisson_distribution() -> None:
    expected = sum(math.exp(-157) * 157**k / math.factorial(k) for k in range(100))
    assert chance_of_fewer(100, 157.0) == pytest.approx(expected)
    assert chance_of_fewer(0, 157.0) == 0.0
    assert chance_of_fewer(200, 157.0) == 1.0


# ---- by drawing

SOURCE = """
pattern pp_in_subject "PP in object → subject"
  forbid { V -[nsubj]-> N; N -[nmod]-> M }
  need   NEEDED { V -[obj]-> N; N -[nmod]-> M }
  size   10
"""


def grammar(directory: Path, needed: int, train: int = 200) -> Path:
    path = directory / MAIN
    source = BASE.replace("train 20", f"train {train}") + SOURCE.replace("NEEDED", str(needed))
    path.write_text(source, "utf-8")
    return path


@pytest.mark.parametrize(("needed", "drawn"), [(1, 0), (2, 0), (12, 12), (60, 60), (200, 200)])
def test_sentences_are_drawn_only_if_chance_may_give_fewer(needed: int, drawn: int, tmp_path: Path) -> None:
    """Of 200 sentences some 25 have the part: at least 2 almost certainly, and perhaps not 12."""
    diagnostics = Diagnostics()
    found = open_grammar(grammar(tmp_path, needed), {}, SourceMap(), diagnostics)
    assert found is not None
    proofs = establish(found, StructureCompiler(found.grammar), diagnostics)
    assert proofs is not None
    assert sum(need.count for need in proofs.drawn) == drawn
    strata = [s for s in with_needs(found, proofs).plan.strata if s.split == "train"]
    assert sum(stratum.count for stratum in strata) == 200
    assert [stratum.count for stratum in strata][1:] == ([drawn] if drawn else [])
    assert (with_needs(found, proofs) is found) == (not drawn)


def test_a_need_is_drawn_once_for_all_patterns_that_have_it(tmp_path: Path) -> None:
    other = SOURCE.replace("pattern pp_in_subject", "pattern deeper").replace("NEEDED", "70")
    other = other.replace("-[nmod]-> M }\n  need", "-[nmod]{2}-> M }\n  allow pp_in_subject\n  need")
    path = grammar(tmp_path, 60)
    path.write_text(path.read_text("utf-8") + other, "utf-8")
    found = open_grammar(path, {}, SourceMap(), Diagnostics())
    assert found is not None
    proofs = establish(found, StructureCompiler(found.grammar), Diagnostics())
    assert proofs is not None
    assert [(need.pattern, need.count) for need in proofs.drawn] == [("deeper", 70)]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset with 60 sentences that were drawn because they are needed."""
    home = tmp_path_factory.mktemp("needs")
    assert run(["compile", str(grammar(home, 60)), "--out", str(home / "farm")]) == OK
    return home / "farm"


def test_a_dataset_has_what_is_needed_and_says_so(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train = json.loads((made / "manifest.json").read_text("utf-8"))["splits"]["train"]
    assert train["items"] == 200
    assert [(own["stream"], own["category"], own["count"]) for own in train["strata"]] == [
        ("train/in_distribution", "in_distribution", 140),
        ("train/need:pp_in_subject/0", "in_distribution", 60),
    ]
    for page in ("README.md", "report.html"):
        assert "in_distribution (needed by pp_in_subject)" in (made / page).read_text("utf-8")
    report = verify(made)
    assert report.ok
    (licensed,) = (result for result in report.results if result.code == "V012")
    assert any(int(str(figure.value).replace(",", "")) >= 60 for figure in licensed.figures)
    (path,) = made.parent.glob(MAIN)
    assert run(["verify", str(made), "--grammar", str(path)]) == OK
    capsys.readouterr()


def test_a_certificate_must_show_that_what_is_drawn_has_the_part(made: Path, tmp_path: Path) -> None:
    """The claim is taken away, and all hashes are written anew."""
    forged = shutil.copytree(made, tmp_path / "farm")
    path = forged / "certificate.json"
    content = json.loads(path.read_text("utf-8"))
    claims = content["claims"]
    content["claims"] = [one for one in claims if one[:3] != ["", "instance", "requires"]]
    assert len(content["claims"]) == len(claims) - 1
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":")) + "\n"
    path.write_text(text, "utf-8")
    reseal(forged)
    assert "everywhere: instance: train/need:pp_in_subject/0: nothing requires" in str(verify(forged).as_data())


@pytest.mark.slow
def test_what_is_drawn_has_the_distribution_of_such_training_sentences() -> None:
    """Each sentence is as frequent as among all training sentences that have the part."""
    plan = plan_with(toy_plan(), (DrawnNeed("p", 0, PP_IN_OBJECT, 50, 1.0),))
    usual, needed = plan.strata[:2]
    assert usual.count == toy_plan().strata[0].count - 50
    compiler = StructureCompiler(TOY)
    tables = tables_of(TOY, compiler.split(needed.constraint))
    finds, start = compiler.structure_automaton(PP_IN_OBJECT), tables.strata[0].start

    def sampled(stream: str, count: int) -> Iterator[Derivation]:
        key = stream_key(1, stream)
        for number in range(count):
            yield tuple(derive(tables.states, start, candidate_key(key, number)))

    with_part = intersection(compiler.language(usual.constraint), compiler.presence(PP_IN_OBJECT))
    mass = acceptance_probability(with_part)
    probability = {
        derivation: math.prod(TOY.rules[rule].weight for rule in derivation) / mass
        for derivation in sampled("cells", 10_000)
    }
    cells = [key for key, value in probability.items() if 100_000 * value >= 20]
    seen = Counter(sampled("needed", 100_000))
    assert all(finds.accepts(TOY, one) for one in seen)
    observed, expected = [seen[key] for key in cells], [1e5 * probability[key] for key in cells]
    assert len(cells) > 50
    p = chi_square_p([*observed, 100_000 - sum(observed)], [*expected, 100_000 - sum(expected)])
    assert 1e-4 < p < 1 - 1e-4


def test_a_part_with_too_few_sentences_is_refused_before_anything_is_drawn(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    part = "{ V[Tense=Past] -[obj]-> N } without { A -[nmod]-> B } without { A -[acl:relcl]-> B }"
    path = grammar(tmp_path, 1)
    text = path.read_text("utf-8").replace("seed  1", "seed  1\n  distinct sentences")
    path.write_text(text + f"  need 150 {part}\n", "utf-8")
    assert run(["compile", str(path), "--out", str(tmp_path / "farm")]) == FAILED
    said = capsys.readouterr().err
    assert "SGL0814" in said
    assert "different sentences for training" in said
    assert f"need 150 {part}" in said
    assert not (tmp_path / "farm").exists()
