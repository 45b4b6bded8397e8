"""What an author is told about a grammar that is open, by a server at the other end of a pipe."""

from __future__ import annotations

from lsprotocol import types

from editor import Editor
from sgl.lang.layout import layout


def named(editor: Editor, locations: object) -> list[tuple[str, str]]:
    """The files and the texts of locations."""
    assert isinstance(locations, list | tuple)
    return [(editor.name_of(one.uri), editor.text_at(editor.name_of(one.uri), one.range)) for one in locations]


def definition(editor: Editor, marked: str) -> list[tuple[str, str]]:
    return named(editor, editor.ask_at(types.DefinitionParams, "farm.sgl", marked))


def test_hover_says_what_a_category_is_and_shows_three_samples(farm: Editor) -> None:
    # The Japanese particle stands before the caret.
    said = farm.hover("farm.sgl", 'ja  subj "が" V▮P')
    assert said.startswith("category `VP`\n\n```sgl\ncategory VP\n```")
    assert said.count("\n- ") == 3
    assert " · " in said


def test_hover_says_how_probable_a_rule_is(farm: Editor) -> None:
    said = farm.hover("farm.sgl", "rule noun▮_phrase")
    assert "weight 3, probability 0.75" in said
    assert said.count("\n- ") == 3


def test_hover_says_what_a_word_is_in_all_layers(farm: Editor) -> None:
    said = farm.hover("farm.sgl", 'test "The d▮og chased')
    assert said.splitlines()[0] == "| category | probability | en | ja | syn |"
    assert "| N | 0.125 | dog | 犬 | lemma=dog, upos=NOUN |" in said


def test_hover_in_a_table_says_what_its_row_is(farm: Editor) -> None:
    farm.open("verbs.yaml")
    assert "| V | 0.146 | saw | 見た | Tense=Past, lemma=see, upos=VERB |" in farm.hover("verbs.yaml", "en: se▮e")


def test_definitions_are_found_in_this_file_in_tables_and_in_the_library(farm: Editor) -> None:
    assert definition(farm, 'ja  subj "が" V▮P') == [("farm.sgl", "VP")]
    assert definition(farm, 'ja  su▮bj "が"') == [("farm.sgl", "subj")]
    assert definition(farm, "en  $past or ed($e▮n)") == [("verbs.yaml", "en")]
    ((library, text),) = definition(farm, "ja  pa▮st($ja, $class)")
    assert (library.endswith("stdlib/ja/verb.sgl"), text) == (True, "past")


def test_references_are_found_in_tables_as_well(farm: Editor) -> None:
    context = types.ReferenceContext(include_declaration=True)
    assert not farm.ask_at(types.ReferenceParams, "farm.sgl", 'lexicon animals fr▮om "', context=context)
    found = farm.ask_at(types.ReferenceParams, "farm.sgl", "ja  past($j▮a", context=context)
    assert {name for name, _ in named(farm, found)} == {"farm.sgl", "verbs.yaml"}
    alone = types.ReferenceContext(include_declaration=False)
    found = farm.ask_at(types.ReferenceParams, "farm.sgl", "rule near: P▮P", context=alone)
    assert len(found) == 4
    assert len(farm.ask_at(types.DocumentHighlightParams, "farm.sgl", "rule near: P▮P")) == 5


def test_outline_and_folds_follow_the_declarations(farm: Editor) -> None:
    symbols = farm.ask_of(types.DocumentSymbolParams, "farm.sgl")
    rules = [one for one in symbols if one.kind is types.SymbolKind.Method]
    assert [one.name for one in rules] == ["sentence", "clause", "transitive", "noun_phrase", "modified", "near"]
    assert farm.text_at("farm.sgl", rules[1].selection_range) == "clause"
    folds = farm.ask_of(types.FoldingRangeParams, "farm.sgl")
    assert (rules[1].range.start.line, rules[1].range.end.line) in [(one.start_line, one.end_line) for one in folds]


def test_symbols_are_found_by_some_of_their_letters(farm: Editor) -> None:
    found = farm.ask(types.WORKSPACE_SYMBOL, types.WorkspaceSymbolParams("ppsub"))
    assert [one.name for one in found] == ["pp_in_subject"]


def test_names_are_coloured_by_what_they_stand_for(farm: Editor) -> None:
    numbers = farm.ask_of(types.SemanticTokensParams, "farm.sgl").data
    legend = farm.server.semantic_tokens_provider.legend
    lines, line, column, found = farm.texts["farm.sgl"].split("\n"), 0, 0, set()
    for at in range(0, len(numbers), 5):
        down, right, width, token, marks = numbers[at : at + 5]
        line, column = line + down, right + (0 if down else column)
        found.add((lines[line][column : column + width], legend.token_types[token], marks))
    assert {("VP", "class", 1), ("VP", "class", 0), ("subj", "variable", 1), ("nsubj", "property", 0)} <= found
    assert ("past", "function", 2) in found


def test_hints_show_probabilities_needs_and_what_is_held_out(farm: Editor) -> None:
    everything = types.Range(types.Position(0, 0), types.Position(1000, 0))

    def hints() -> dict[str, str]:
        found = farm.ask_of(types.InlayHintParams, "farm.sgl", range=everything)
        lines = farm.texts["farm.sgl"].split("\n")
        return {lines[one.position.line].split(":")[0].strip(): one.label for one in found}

    farm.run("sgl.counterexample", farm.uri("farm.sgl"), "pp_in_subject")
    found = hints()
    assert found["rule noun_phrase"] == "p 0.75"
    assert found["need   100 { V -[obj]-> N; N -[nmod]-> M }"] == "≈ 250"
    assert found["forbid { V -[nsubj]-> N; N -[nmod]-> M }"] == "held out: 25.00%, proved"


def test_lenses_offer_commands_and_the_commands_answer(farm: Editor) -> None:
    lenses = [one.command for one in farm.ask_of(types.CodeLensParams, "farm.sgl")]
    offered = {one.title: one for one in lenses if one.arguments[1:] in (("pp_in_subject",), ["pp_in_subject"])}
    assert list(offered) == ["5 samples", "counterexample", "train beside gen"]
    answers = {title: farm.run(one.command, *one.arguments) for title, one in offered.items()}
    assert answers["5 samples"].count("\n- ") == 5
    assert "claims of pp_in_subject are proved" in answers["counterexample"]
    assert answers["train beside gen"].count("gen    ") == answers["train beside gen"].count("train  ") == 5
    assert answers["5 samples"] in farm.said
    assert farm.run("sgl.explain", farm.uri("farm.sgl"), "SGL0305").startswith("SGL0305: ")


def test_a_file_is_laid_out_by_changes_of_its_lines(farm: Editor) -> None:
    options = types.FormattingOptions(2, insert_spaces=True)
    assert not farm.ask_of(types.DocumentFormattingParams, "farm.sgl", options=options)
    farm.replace("farm.sgl", "from  Text", "from Text")
    edits = farm.ask_of(types.DocumentFormattingParams, "farm.sgl", options=options)
    assert len(edits) == 1
    assert farm.applied(edits, farm.texts["farm.sgl"]) == layout(farm.texts["farm.sgl"])
