"""The quick ways of the verifier say what the plain ways say."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest
from graph_search import definition, graphs, structure_texts
from hypothesis import given, settings
from hypothesis import strategies as st
from tiny_dataset import tiny
from tiny_dataset import verify as verify_tiny

from sgl.cli.main import OK, run
from sgl.verify import certificate_faults, reading, verify
from sgl.verify import dataset as loading
from sgl.verify.conllu import Malformed, Sentence, TokenTable, WordForm, ranges, read_sentence, read_sentences
from sgl.verify.items import GraphShape, ShapeTable
from sgl.verify.manifest import read_manifest
from sgl.verify.search import Searcher
from sgl.verify.structure import read_structure

FARM = Path(__file__).parents[2] / "docs" / "examples" / "farm.sgl"

# --- searching ----------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(st.lists(structure_texts(), min_size=1, max_size=6), st.lists(graphs(), min_size=1, max_size=12))
def test_searching_many_shapes_at_once_is_searching_each_for_each(texts: list[str], sentences: list[Sentence]) -> None:
    """What is remembered of one shape or structure is never taken for another's."""
    structures = [read_structure(text) for text in texts]
    shapes = ShapeTable(structures)
    searcher = Searcher(shapes)
    of_sentence = [shapes.of(graph) for graph in sentences]
    occurring = {shape: searcher.occurring(shape) for shape in shapes.shapes()}
    for graph, shape in zip(sentences, of_sentence, strict=True):
        found = [bool(occurring[shape] >> n & 1) for n in range(len(structures))]
        assert found == [definition(structure, graph) for structure in structures]


def test_the_order_of_searching_does_not_matter() -> None:
    structures = [read_structure(t) for t in ("{ V -[a]-> N[lemma=x] }", "{ V -[b]{2}-> N }")]
    shapes = ShapeTable(structures)
    searcher = Searcher(shapes)
    word = next(iter(_words("x", "y")))
    other = _words("x", "y")[1]
    shape = shapes.of(Sentence(1, (), (other, word), ((0, "a", 1),)))
    without = shapes.of(Sentence(1, (), (word, other), ((0, "a", 1),)))
    assert [searcher.occurring(s) for s in (shape, without, shape)] == [1, 0, 1]


def _words(*lemmas: str) -> list[WordForm]:
    return [WordForm(lemma, (("lemma", lemma),), space_after=True, extracted=False) for lemma in lemmas]


def test_every_shape_is_searched_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiny().write(tmp_path)
    searched: list[GraphShape] = []
    plain = Searcher.occurring

    def counted(searcher: Searcher, shape: GraphShape) -> int:
        searched.append(shape)
        return plain(searcher, shape)

    monkeypatch.setattr(Searcher, "occurring", counted)
    report = verify_tiny(tmp_path)
    assert len(searched) == len({*searched}) == report.shapes


# --- reading ------------------------------------------------------------------------------


def plainly(path: Path) -> list[Sentence | Malformed]:
    """The blocks of a file, read by someone who has not read anything before."""
    return list(read_sentences(path, TokenTable()))


def said(blocks: list[Sentence | Malformed]) -> list[object]:
    """What blocks say; words of different tables are equal if their contents are."""
    return [
        block
        if isinstance(block, Malformed)
        else (*block[:2], *block[3:], [(w.form, w.attributes, w.space_after) for w in block.words])
        for block in blocks
    ]


BYTES = st.sampled_from([b"\n", b"\t", b"\r", b"#", b"1", b"_", b"\xff", b"|", b" ", b"", b"\n\n"])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), BYTES), max_size=4))
def test_what_was_read_before_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[float, bytes]]
) -> None:
    """Whatever bytes of a file are changed."""
    home = tiny().write(tmp_path_factory.mktemp("read"))
    path = home / "conllu/train.conllu"
    content = path.read_bytes() * 2
    table = TokenTable()
    list(read_sentences(path, table))
    for share, new in changes:
        at = int(share * (len(content) - 1))
        content = content[:at] + new + content[at + 1 :]
    path.write_bytes(content)
    assert said(list(read_sentences(path, table))) == said(plainly(path))


OUTSIDE, DOG = "1\tthe\t_\t_\t_\t_\t_\t_\t_\tNode=No", "2\tdog\tdog\t_\t_\t_\t_\t_\t_\t_"


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ((OUTSIDE, DOG), ""),
        ((OUTSIDE.replace("_\tNode", "2:det\tNode"), DOG), "token 1 has no part in the graph"),
        ((OUTSIDE.replace("the\t_", "the\tthe"), DOG), "token 1 has no part in the graph"),
        ((OUTSIDE, DOG.removesuffix("_\t_") + "1:det\t_"), "the governor 1 has no part in the graph"),
    ],
)
def test_a_word_outside_the_graph_has_no_attributes_and_no_edges(
    rows: tuple[str, str], reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "free.conllu"
    path.write_text("\n".join(["# sent_id = s", "# category = c", "# text = the dog", *rows, "", ""]), "utf-8")
    (block,) = read_sentences(path, TokenTable(free=True))
    assert (block.reason if isinstance(block, Malformed) else "").startswith(reason)
    assert isinstance(block, Malformed) == bool(reason)


def later(block: Sentence | Malformed, lines: int) -> Sentence | Malformed:
    """A block with so many lines before it."""
    if isinstance(block, Sentence):
        return block._replace(line=block.line + lines)
    return Malformed(block.line + lines, block.reason)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from([b"\n", b"\n\n", b"1\ta\n", b"# text = a\n", b"a"]), max_size=40), st.integers(1, 30))
def test_a_file_that_is_cut_into_ranges_has_the_same_blocks(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes], size: int
) -> None:
    path = tmp_path_factory.mktemp("cut") / "some.conllu"
    content = b"".join(pieces)
    path.write_bytes(content)
    found: list[Sentence | Malformed] = []
    places = list(ranges(path, size))
    for start, end in places:
        before = content.count(b"\n", 0, start)
        blocks = read_sentences(path, TokenTable(), start, end)
        found.extend(later(block, before) for block in blocks)
    assert b"".join(content[start:end] for start, end in places) == content
    assert said(found) == said(plainly(path))


def test_a_sentence_can_be_read_again_where_it_was_read(tmp_path: Path) -> None:
    path = tiny().write(tmp_path) / "conllu/train.conllu"
    path.write_bytes(path.read_bytes().replace(b"3\tsaw", b"9\tsaw", 1))
    blocks = list(read_sentences(path, TokenTable()))
    assert isinstance(blocks[0], Malformed)
    for block in blocks[1:]:
        assert isinstance(block, Sentence)
        assert said([read_sentence(path, block.offset)]) == said([block._replace(line=1)])


# --- workers ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("alike") / "farm"
    assert run(["compile", str(FARM), "--out", str(directory)]) == OK
    return directory


@pytest.fixture
def small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small datasets are shared as large ones are."""
    monkeypatch.setattr(reading, "WORTH_IT", 0)
    monkeypatch.setattr(loading, "RANGE", 5_000)
    monkeypatch.setattr(loading, "SHAPES", 7)


@pytest.mark.slow
@pytest.mark.usefixtures("small_tasks")
def test_the_report_is_the_same_for_every_number_of_workers(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reports = [verify(dataset, workers=number) for number in (1, 2, 3)]
    monkeypatch.undo()
    reports.append(verify(dataset))
    assert all(report == reports[0] for report in reports)
    assert reports[0].ok
    assert reports[0].items > 0


@pytest.mark.slow
@pytest.mark.usefixtures("small_tasks")
def test_the_report_on_a_broken_dataset_is_the_same_for_every_number_of_workers(
    dataset: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = shutil.copytree(dataset, tmp_path / "broken")
    certificate = (home / "certificate.json").read_text("utf-8")
    (home / "certificate.json").write_text(certificate.replace('"accepting":[', '"accepting":[0,'))
    train = home / "conllu/train.conllu"
    content = train.read_bytes().replace(b"nsubj", b"nmod", 40)
    content = content.replace(b"\n\n", b"\n\n\n", 9).replace(b"train-00003", b"train-00004")
    train.write_bytes(content)
    (home / "conllu/dev.conllu").unlink()
    test = home / "conllu/test.conllu"
    test.write_bytes(test.read_bytes()[:-1])
    reports = [verify(home, workers=number) for number in (1, 2)]
    monkeypatch.undo()
    reports.append(verify(home))
    assert reports[0] == reports[1] == reports[2]
    assert not reports[0].ok
    assert reports[0].result("V005").total
    assert reports[0].result("V025").total


@pytest.mark.slow
@pytest.mark.usefixtures("small_tasks")
def test_what_a_worker_that_was_killed_has_left_is_done_by_the_others(dataset: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ProcessPoolExecutor, "submit", _to_one_who_dies)
        report = verify(dataset, workers=2)
    assert report == verify(dataset)


@pytest.mark.slow
@pytest.mark.usefixtures("small_tasks")
def test_processes_that_stand_by_verify_one_dataset_after_the_other(dataset: Path) -> None:
    expected = verify(dataset)
    with reading.standing_by(2) as standby:
        assert standby is not None
        for _ in range(2):
            assert verify(dataset, workers=2, standby=standby) == expected
    with reading.standing_by(1) as nobody:
        assert verify(dataset, standby=nobody) == expected


STANDING_BY = """
import time
from sgl.verify.reading import standing_by
with standing_by(2) as standby:
    standby.submit(int).result()
    print(*standby._processes, flush=True)
    time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="looks processes up in /proc")
def test_processes_end_with_the_one_that_is_killed() -> None:
    words = [sys.executable, "-c", STANDING_BY]
    driver = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    assert driver.stdout is not None
    processes = driver.stdout.readline().split()
    driver.kill()
    driver.communicate()
    assert processes
    until = time.monotonic() + 20
    while any(Path(f"/proc/{process}/stat").exists() for process in processes):
        assert time.monotonic() < until, "processes outlive the one that started them"
        time.sleep(0.05)


@pytest.mark.slow
def test_a_judge_at_work_answers_for_its_bytes_and_for_others(dataset: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (dataset / "certificate.json").read_bytes()
    monkeypatch.setattr(reading, "WORTH_IT", 0)
    with reading.workers_for(dataset, read_manifest(dataset), 2) as others:
        judge = others.judging(dataset, certificate_faults)
        assert judge(text) == ()
        assert judge(b"[]")[0].startswith("C02")


@pytest.mark.slow
def test_a_certificate_is_judged_by_whoever_is_given(dataset: Path) -> None:
    report = verify(dataset, judge=lambda text: (f"{len(text)} bytes",))
    (violation,) = report.result("V025").violations
    size = (dataset / "certificate.json").stat().st_size
    assert violation.message == f"{size} bytes"


def _to_one_who_dies(*_: object) -> Future[object]:
    """A result that never comes."""
    future: Future[object] = Future()
    future.set_exception(BrokenProcessPool())
    return future
