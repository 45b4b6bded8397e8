"""A leaking rule in a copy of the SGET grammar is found, pattern by pattern.

The copy keeps one pattern (with those it allows); the rules of ``mutation.leaks``, which
the benchmark of mutants uses as well, are added with ``keep in train``.  The proof of the
pattern must then fail with a sentence that a person would call a violation, and a search
of that sentence's graph by networkx, which knows nothing of automata, must find the
structure too.  Without ``keep in train`` the rule is cut like any other and the proof must
succeed.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from graph_search import search

from mutation.leaks import LEAKS, Leak
from sgl.automata import Claim, Cut, Proofs, StructureCompiler, Verdict
from sgl.core.interpret import interpret
from sgl.diagnostics import Diagnostics, SourceMap
from sgl.frontend import Compiled
from sgl.pipeline.grammar import open_grammar
from sgl.pipeline.proofs import establish
from sgl.rendering import conllu
from sgl.resources import grammars_dir
from sgl.verify.conllu import Sentence, TokenTable, read_sentences

CASES = [(pattern, leak) for leak in LEAKS for pattern in leak.patterns]


#: The default run tries one kind of leak in twenty, CI one in five.
FEW = [
    pytest.param(
        *case, id=case[0], marks=() if number % 20 == 0 else pytest.mark.acceptance if number % 5 else pytest.mark.slow
    )
    for number, case in enumerate(CASES)
]


@pytest.mark.parametrize(("pattern", "leak"), FEW)
def test_a_leaking_rule_is_found(pattern: str, leak: Leak, tmp_path: Path) -> None:
    compiled = _copy(tmp_path, pattern, f"{leak.rule}\n  keep in train\n")
    diagnostics = Diagnostics()
    claim = _held_out(_prove(compiled, pattern, diagnostics), pattern, Verdict.REFUTED)
    assert {"SGL0811"} == {found.code for found in diagnostics if found.severity.value == "error"}
    assert claim.witness is not None
    item = interpret(compiled.grammar, claim.witness)
    assert re.search(leak.witness, item.texts[0]), item.texts[0]
    assert any(f'"{item.texts[0]}"' in note for found in diagnostics for note in found.notes)
    assert "leak" in {compiled.grammar.rules[rule].name for rule in claim.witness}
    text = conllu(item.graphs[0], item.tokens[0], [("en", item.texts[0])], sent_id="w-1", category="witness")
    path = tmp_path / "witness.conllu"
    path.write_text(text, "utf-8")
    (sentence,) = read_sentences(path, TokenTable())
    assert isinstance(sentence, Sentence)
    assert search(str(claim.structure), sentence) is not None


@pytest.mark.slow
@pytest.mark.parametrize(("pattern", "leak"), CASES[::12], ids=[p for p, _ in CASES[::12]])
def test_the_same_rule_is_cut_unless_it_is_kept(pattern: str, leak: Leak, tmp_path: Path) -> None:
    compiled = _copy(tmp_path, pattern, leak.rule + "\n")
    diagnostics = Diagnostics()
    _held_out(_prove(compiled, pattern, diagnostics), pattern, Verdict.PROVED)
    assert diagnostics.errors == 0


def test_every_pattern_has_a_leak() -> None:
    source = (grammars_dir() / "sget" / "patterns.sgl").read_text("utf-8")
    declared = re.findall(r"^pattern (\w+)", source, re.MULTILINE)
    assert sorted(declared) == sorted(pattern for pattern, _ in CASES)


def _copy(directory: Path, pattern: str, rule: str) -> Compiled:
    """The grammar with one pattern and one rule more, without the concatenations of train."""
    copy = directory / "grammars"
    shutil.copytree(grammars_dir(), copy)
    patterns = copy / "sget" / "patterns.sgl"
    patterns.write_text(_only(patterns.read_text("utf-8"), pattern), "utf-8")
    grammar = copy / "sget.sgl"
    # Sizes of groups that have no pattern any more are errors.
    sizes = re.compile(r"^  gen .*?(?=^  seed)", re.MULTILINE | re.DOTALL)
    text = sizes.sub("  gen 100\n", grammar.read_text("utf-8"))
    grammar.write_text(f"{text}\n{rule}", "utf-8")
    diagnostics = Diagnostics()
    compiled = open_grammar(grammar, {"concatenation": "off"}, SourceMap(), diagnostics)
    assert compiled is not None, [found.message for found in diagnostics]
    return compiled


def _only(source: str, pattern: str) -> str:
    """The declarations of a file without the patterns that ``pattern`` does not allow."""
    declarations = re.split(r"^(?=[a-z])", source, flags=re.MULTILINE)
    (own,) = [text for text in declarations if text.startswith(f"pattern {pattern} ")]
    allowed = re.search(r"^ +allow (.+)$", own, re.MULTILINE)
    kept = {pattern, *(allowed[1].split() if allowed else ())}
    return "".join(text for text in declarations if not text.startswith("pattern ") or text.split()[1] in kept)


def _prove(compiled: Compiled, pattern: str, diagnostics: Diagnostics) -> Proofs:
    structures = StructureCompiler(compiled.grammar)
    proofs = establish(compiled, structures, diagnostics, only=pattern)
    assert proofs is not None
    return proofs


def _held_out(proofs: Proofs, pattern: str, verdict: Verdict) -> Claim[Cut]:
    """The first claim of the pattern with this verdict."""
    claims = [claim for claim in proofs.of(pattern).held_out if claim.verdict is verdict]
    assert claims, f"no claim of {pattern} is {verdict.value}"
    return claims[0]
