"""Quartet: one meaning in English, Japanese, German and logical form, aligned item by item."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from gallery import checked, compiled, rows, translated, whole

OUTPUTS = ("", "de", "varfree", "cogs")


@pytest.mark.slow
def test_all_patterns_are_proved() -> None:
    checked("quartet")


def test_twenty_patterns_are_held_out_of_four_graphs() -> None:
    patterns = whole("quartet").plan.patterns
    assert len(patterns) == 20
    for pattern in patterns:
        assert [structure.layer for structure in pattern.forbid] == ["syn", "jpn", "deu", "sem"], pattern.name


@pytest.mark.parametrize(
    ("english", "japanese", "german", "form"),
    [
        (
            "The girl on the bench gave the boy a hat.",
            "ベンチの上の少女が少年に帽子を渡した。",
            "Das Mädchen auf der Bank gab dem Jungen einen Hut.",
            "give ( agent = * girl ( nmod . on = * bench ) , recipient = * boy , theme = hat )",
        ),
        (
            "Noah heard that the dog that laughed slept.",
            "ノアが笑った犬が眠ったと聞いた。",
            "Noah hörte, dass der Hund, der lachte, schlief.",
            "hear ( agent = Noah , ccomp = sleep ( agent = * dog ( nmod = laugh ( agent = * dog ) ) ) )",
        ),
        (
            "The new lamp was found by Clara because Felix laughed.",
            "フェリックスが笑ったから、新しいランプがクララによって見つけられた。",
            "Die neue Lampe wurde von Clara gefunden, weil Felix lachte.",
            "find ( theme = * lamp ( amod = new ) , agent = Clara , advcl = laugh ( agent = Felix ) )",
        ),
        (
            "Clara showed the boy that Felix saw the key because the neighbour slept.",
            "隣人が眠ったから、クララがフェリックスが見た少年に鍵を見せた。",
            "Clara zeigte dem Jungen, den Felix sah, den Schlüssel, weil der Nachbar schlief.",
            (
                "show ( agent = Clara , recipient = * boy ( nmod = see ( agent = Felix , theme = * boy ) ) , "
                "theme = * key , advcl = sleep ( agent = * neighbour ) )"
            ),
        ),
        (
            "What did Maria show the guest?",
            "マリアが客に何を見せたか？",
            "Was zeigte Maria dem Gast?",
            "show ( agent = Maria , recipient = * guest , theme = ? )",
        ),
        (
            "Who promised to swim?",
            "誰が泳ぐことを約束したか？",
            "Wer versprach, zu schwimmen?",
            "promise ( agent = ? , xcomp = swim ( agent = ? ) )",
        ),
    ],
)
def test_a_meaning_in_its_four_outputs(english: str, japanese: str, german: str, form: str) -> None:
    assert translated("quartet", english, "ja", "de", "varfree") == [japanese, german, form]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled("quartet", tmp_path_factory.mktemp("quartet") / "out")


@pytest.mark.acceptance
@pytest.mark.parametrize("split", ["train", "dev", "test", "gen"])
def test_rows_are_aligned(split: str, dataset: Path) -> None:
    first, *others = ([row[::2] for row in rows(dataset, output, split)] for output in OUTPUTS)
    assert first
    assert all(other == first for other in others)


@pytest.mark.acceptance
def test_the_manifest_has_every_pattern_on_every_layer(dataset: Path) -> None:
    manifest = json.loads((dataset / "manifest.json").read_text("utf-8"))
    for pattern in manifest["patterns"]:
        assert [text.split("{")[0].strip() for text in pattern["forbid"]] == ["", "jpn", "deu", "sem"]
        (quota,) = pattern["quotas"]
        assert [text.split("{")[0].strip() for text in quota["within"]] == ["jpn", "deu", "sem"]
