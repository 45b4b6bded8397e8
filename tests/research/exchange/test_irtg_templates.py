"""Grammars of Alto that are templates of Jinja2: what they can say, and what they cannot do."""

from __future__ import annotations

from pathlib import Path

import pytest
from exchanging import imported
from hypothesis import given, settings
from hypothesis import strategies as st
from workplace import Workplace

from sgl.cli.main import FAILED, OK, USAGE, run
from sgl.diagnostics import Diagnostics, SourceFile, SourceMap
from sgl.diagnostics.render import render
from sgl.research.exchange import with_source, write_sgl
from sgl.research.exchange.irtg_template import fill_in

MAIN = """\
{# Cats and dogs: a macro for words, a loop, a file beside this one. -#}
{% from "words.irtg" import nouns, word as entry -%}
{% set labels = counter() -%}
interpretation english: de.up.ling.irtg.algebra.StringAlgebra
interpretation semantics: de.saar.coli.algebra.OrderedFeatureTreeAlgebra

S! -> clause(NP, V)
  [english] *(?1, ?2)
  [semantics] pre_agent(?2, ?1)

{% for noun, count in nouns.items() -%}
{{ entry("NP", "n" ~ labels.next(), noun, count / nouns.values() | sum) }}
{% endfor -%}
{% include "verbs.irtg" %}
"""

WORDS = """\
{% set nouns = {"cat": 1, "dog": 2, "Mary Jane": 1} -%}
{% macro word(state, label, form, weight=1) -%}
{{ state }} -> {{ label }} [{{ weight }}]
  [english] '{{ form }}'
  [semantics] '{{ form | replace(" ", "_") }}'
{% endmacro -%}
"""

VERBS = """\
{% for verb in verbs.split(",") %}
V -> v{{ loop.index }} [{{ "%.2f" | format(1 / loop.length) }}]
  [english] {{ verb }}s
  [semantics] {{ verb }}
{% endfor %}
"""

FILES = {"main.irtg": MAIN, "words.irtg": WORDS, "verbs.irtg": VERBS}

FILLED_IN = """\
interpretation english: de.up.ling.irtg.algebra.StringAlgebra
interpretation semantics: de.saar.coli.algebra.OrderedFeatureTreeAlgebra

S! -> clause(NP, V)
  [english] *(?1, ?2)
  [semantics] pre_agent(?2, ?1)

NP -> n1 [0.25]
  [english] 'cat'
  [semantics] 'cat'

NP -> n2 [0.5]
  [english] 'dog'
  [semantics] 'dog'

NP -> n3 [0.25]
  [english] 'Mary Jane'
  [semantics] 'Mary_Jane'


V -> v1 [0.50]
  [english] runs
  [semantics] run

V -> v2 [0.50]
  [english] sleeps
  [semantics] sleep

"""


def filled(directory: Path, text: str, **given: str) -> tuple[SourceFile | None, list[str]]:
    """What a template in a folder writes, and what is said of it."""
    sources, diagnostics = SourceMap(), Diagnostics()
    source = sources.add(SourceFile("main.irtg", text))
    found = fill_in(directory / "main.irtg", source, given, sources, diagnostics)
    assert (found is None) == bool(diagnostics.errors)
    return found, [render(diagnostic, sources) for diagnostic in diagnostics]


def written(directory: Path, text: str, **given: str) -> str:
    found, told = filled(directory, text, **given)
    assert found is not None, told
    return found.text


def refused(directory: Path, text: str, **given: str) -> str:
    found, told = filled(directory, text, **given)
    assert found is None
    return "\n".join(told)


def test_a_template_is_filled_in_with_the_files_beside_it(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, "utf-8")
    assert written(tmp_path, MAIN, verbs="run,sleep") == FILLED_IN.removesuffix("\n")


def test_it_is_imported_and_used_like_any_grammar(work: Workplace) -> None:
    for name, text in FILES.items():
        work.write(name, text)
    assert run(["import", "irtg", "main.irtg", "--set", "verbs=run,sleep", "--out", "main.sgl"]) == OK
    assert run(["translate", "main.sgl", "Mary Jane sleeps"]) == OK
    assert work.capsys.readouterr().out.endswith("sleep ( agent = Mary_Jane )\n")
    assert run(["import", "irtg", "main.irtg"]) == FAILED
    said = work.capsys.readouterr().err
    assert "SGL1217" in said
    assert "verbs.irtg:1:1" in said
    assert "'verbs' is undefined" in said


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("{% for a in ['x', 'y'] %}{{ a }}{% if not loop.last %},{% endif %}{% endfor %}", "x,y"),
        ("{% for i in range(2, 7, 2) %}{{ i }} {% endfor %}", "2 4 6 "),
        ("{% set ns = namespace(n=0) %}{% for i in range(4) %}{% set ns.n = ns.n + i %}{% endfor %}{{ ns.n }}", "6"),
        ("{{ 7 // 2 }} {{ 7 % 2 }} {{ 3 * 0.5 }} {{ -1 / 4 }} {{ +1 }} {{ 1 - 3 }}", "3 1 1.5 -0.25 1 -2"),
        ("{{ ([1, 2] + [3]) | sum }}{# no comments #}", "6"),
        ("{% set x %}a{{ 1 }}{% endset %}{{ x * 1 if x is number else x }}", "a1"),
        ("{% macro m(a, b=2) %}{{ a }}{{ b }}{% endmacro %}{{ m(1) }}{{ m(1, b=3) }}", "1213"),
        ("{% macro m() %}<{{ caller(2) }}>{% endmacro %}{% call(n) m() %}{{ n + 1 }}{% endcall %}", "<3>"),
        ("{% macro m() %}{{ varargs | length }}{{ kwargs.k }}{% endmacro %}{{ m(1, 2, k=3) }}", "23"),
        ("{% filter upper %}ab{% endfilter %}{% with a = 1 %}{{ a }}{% endwith %}", "AB1"),
        ("{{ ', '.join(['a', 'b']) }}{{ 'a-b'.replace('-', '+') }}{{ 'a b'.split()[1] }}", "a, ba+bb"),
        ("{% for w in [{'en': 'cat', 'n': 2}] %}{{ w.en }}{{ w['n'] }}{{ w.get('m', 0) }}{% endfor %}", "cat20"),
        ("{% for k, v in {'b': 1, 'a': 2} | dictsort %}{{ k }}{{ v }}{% endfor %}", "a2b1"),
        ("{{ (2 / 3) | round(3) }} {{ '%03d' | format(7) }} {{ [3, 1] | max }} {{ '4' | int + 1 }}", "0.667 007 3 5"),
        ("{{ '𐐨𐐀' | upper }}", "𐐀𐐀"),
        ("{{ rows | default(3) }}{% raw %}{{ x }}{% endraw %}", "3{{ x }}"),
        ("{{ [1, 2, 3][1:] | list | length }}{{ 2 in [1, 2] }}{{ [1] == [1] }}", "2TrueTrue"),
    ],
)
def test_most_of_jinja_is_there(text: str, result: str, tmp_path: Path) -> None:
    assert written(tmp_path, text) == result


def test_settings_are_numbers_or_texts(tmp_path: Path) -> None:
    text = "{{ n + 1 }} {{ share * 2 }} {{ word ~ '!' }} {{ more | default('none') }}"
    assert written(tmp_path, text, n="3", share="0.25", word="007a") == "4 0.5 007a! none"
    said = refused(tmp_path, text, n="3", share="0.25", word="a", mor="1", step="1")
    assert "has no variable `step`" in said
    assert "has no variable `mor`" in said
    assert "did you mean `more`?" in said


def test_settings_are_for_templates(work: Workplace) -> None:
    work.write("plain.irtg", FILLED_IN)
    assert run(["import", "irtg", "plain.irtg", "--set", "n=1"]) == USAGE
    assert "plain.irtg` is not a template" in work.capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "place", "why"),
    [
        ("\n{% for a in", "main.irtg:2:1", "unexpected 'end of template'"),
        ("a\n  {{ nothing }}", "main.irtg:2:3", "'nothing' is undefined"),
        ("\n\n{{ [1] }}", "main.irtg:3:1", "a grammar writes texts and numbers, not lists"),
        ("{{ 1 / 0 }}", "main.irtg:1:1", "no such value, or it is too large"),
        ("{{ 'a' + 1 }}", "main.irtg:1:1", "gets an argument that it does not take"),
        ("{{ 'a' | nosuch }}", "main.irtg:1:1", "No filter named 'nosuch'"),
        ("{{ [1, 2] | random }}", "main.irtg:1:1", "No filter named 'random'"),
        ("{% extends 'x' %}", "main.irtg:1:1", "a grammar has no 'extends'"),
        ("{{ 1e999 }}", "main.irtg:1:1", "a number in a grammar is at most 1,000,000,000"),
        ("{% set held = 1 %}", "main.irtg:1:1", "the name 'held' is taken"),
        ("{% import 'x' as step %}", "main.irtg:1:1", "the name 'step' is taken"),
        ("{% from 'x' import y as joined %}", "main.irtg:1:1", "the name 'joined' is taken"),
        ("\n{{ '%999d' | format(1) }}", "main.irtg:2:1", "formats with something other than"),
        ("{{ 'a' * 3 }}", "main.irtg:1:1", "'*' is for numbers"),
    ],
)
def test_a_mistake_is_shown_in_its_line(text: str, place: str, why: str, tmp_path: Path) -> None:
    said = refused(tmp_path, text)
    assert "SGL1217" in said
    assert f"--> {place}" in said
    assert why in said


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{% include '../secret.irtg' %}", "SGL0005"),
        ("{% include '/etc/passwd' %}", "SGL0005"),
        ("{% import 'link.irtg' as x %}", "SGL0005"),
        ("{% include 'nowhere.irtg' %}", "SGL0001"),
        ("{% include ['nowhere.irtg', 'main.irtg'] %}", "SGL0001"),
        ("{% include 'no' ignore missing %}", "SGL0001"),
        ("{% include '.' %}", "SGL0001"),
        ("{% include 'a\\0b' %}", ""),
        ("{% include 'binary.irtg' %}", "SGL0002"),
        ("{% include 'large.irtg' %}", "SGL0003"),
        ("{% include 3 %}", ""),
    ],
)
def test_only_files_of_its_folder_are_read(text: str, code: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "secret.irtg").write_text("secret", "utf-8")
    (folder / "link.irtg").symlink_to(tmp_path / "secret.irtg")
    (folder / "binary.irtg").write_bytes(b"\xff\xfe")
    (folder / "large.irtg").write_text("x" * 250_001, "utf-8")
    said = refused(folder, f"\n{text}")
    assert f"error[{code or 'SGL1217'}]" in said or (not code and "error[SGL0001]" in said)
    assert "secret\n" not in said
    assert "main.irtg:2:1" in said


@pytest.mark.parametrize(
    "text",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ counter.__init__.__globals__ }}",
        "{{ counter().next.__func__ }}",
        "{{ counter()._next }}",
        "{{ counter() | attr('__class__') }}",
        "{{ [1] | map(attribute='__class__') | join }}",
        "{{ namespace.__init__ }}",
        "{{ namespace().__class__ }}",
        "{% import 'main.irtg' as m %}{{ m.__dict__ }}",
        "{% macro m() %}{% endmacro %}{{ m._func }}",
        "{{ self.__init__ }}",
        "{{ '{0.__class__}'.format(1) }}",
        "{{ '{0.__class__}'.format_map({}) }}",
        "{{ lipsum() }}",
        "{{ cycler(1).reset }}",
        "{{ dict(a=1) }}",
        "{{ range.__call__ }}",
        "{% set l = [] %}{{ l.append(1) }}",
        "{{ {}.update({}) }}",
        "{% for a in [1] %}{{ loop._iterable }}{% endfor %}",
        "{% for a in [1] recursive %}{{ loop([1]) }}{% endfor %}",
    ],
)
def test_a_template_reaches_nothing_but_its_values(text: str, tmp_path: Path) -> None:
    assert "SGL1217" in refused(tmp_path, text)


DOUBLE = "{% set t = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' %}"
LOOPS = "{% for i in range(1000) %}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(LOOPS * 5 + "{% endfor %}" * 5, marks=pytest.mark.slow),
        LOOPS * 5 + "x" * 1000 + "{% endfor %}" * 5,
        "{% for a in range(1000000000) %}{% endfor %}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{% include 'main.irtg' %}",
        "{% import 'main.irtg' as m %}",
        DOUBLE + "{% set t = t ~ t %}" * 40,
        DOUBLE + "{% set t = t + t %}" * 40,
        "{% set t = [1, 2] %}" + "{% set t = t + t %}" * 40,
        "{% set t = [1, 2] %}" + "{% set t = [t, t] %}" * 40,
        "{% set t = {'a': 1} %}" + "{% set t = {'a': t, 'b': t} %}" * 40,
        "{% set n = namespace(t=[1]) %}" + LOOPS + "{% set n.t = [n.t, n.t] %}{% endfor %}",
        "{% set n = namespace(t='a') %}" + LOOPS + "{% set n.t = n.t ~ n.t %}{% endfor %}",
        "{% set a = range(99999) | list %}" + LOOPS * 2 + "{% if a == a[:] %}{% endif %}{% endfor %}" * 2,
        "{% set a = range(99999) | list %}" + LOOPS * 2 + "{% if -1 in a %}{% endif %}{% endfor %}" * 2,
        "{% set a = range(99999) | list %}" + LOOPS * 2 + "{% if a is eq [1] %}{% endif %}{% endfor %}" * 2,
        "{% set a = range(99999) | list %}" + LOOPS * 2 + "{{ a | sum }}{% endfor %}" * 2,
        "{% set a = range(99999) | list %}" + LOOPS * 2 + "{{ a.index(99998) }}{% endfor %}" * 2,
        DOUBLE + "{% set t = t | replace('a', t) %}" * 9,
        DOUBLE + "{% set t = t.replace('a', t) %}" * 9,
        DOUBLE + "{% set t = t.join([t] + [t] + [t]) %}" * 40,
        "{% set t = '" + "a" * 100_000 + "' %}" + LOOPS * 2 + "{{ t }}{% endfor %}" * 2,
        "{% set t = '" + "a" * 100_000 + "' %}" + LOOPS * 2 + "{% set u = t.upper() %}{% endfor %}" * 2,
        "{% macro m() %}" + LOOPS * 2 + "x" * 1000 + "{% endfor %}" * 2 + "{% endmacro %}{% set x = m() %}",
        "{% set x %}" + LOOPS * 2 + "{{ 'x' * 0 }}{{ '" + "x" * 1000 + "' }}{% endfor %}" * 2 + "{% endset %}",
        "{{ 'a' * 1000000000 }}",
        "{{ '%1000000000d' % 1 }}",
        "{{ 1 | round(1000000000, 'ceil') }}",
        "{{ 9 ** 9 ** 9 }}",
        "{% set x = 999999999 %}" + "{% set x = x * x %}" * 60,
        "{% for a in [1] %}" * 30 + "{% endfor %}" * 30,
        "{% if 0 %}" + "{% elif 0 %}" * 9_000 + "{% endif %}",
        "{{ " + "[" * 3000 + "]" * 3000 + " }}",
        "{{ " + "9" * 5000 + " }}",
        "{{ ('9' * 5000) | int }}",
        "x" * 250_001 + "{# #}",
    ],
)
def test_every_template_ends(text: str, tmp_path: Path) -> None:
    (tmp_path / "main.irtg").write_text(text, "utf-8")
    assert "SGL1217" in refused(tmp_path, text)


def test_a_mistake_behind_the_template_is_shown_in_what_was_filled_in(work: Workplace) -> None:
    work.write("main.irtg", "{% set n = 2 %}\n" + FILLED_IN.replace("?2, ?1", "?{{ n + 1 }}, ?1"))
    assert run(["import", "irtg", "main.irtg", "--format", "concise"]) == FAILED
    assert "main.irtg (filled in):7:25: error[SGL1203]" in work.capsys.readouterr().err


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_no_damage_to_a_template_breaks_the_import(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = MAIN
    pieces = st.sampled_from(
        (
            "",
            "{",
            "}",
            "%}",
            "{{",
            "{#",
            "|",
            "(",
            ")",
            "[",
            "'",
            '"',
            "~",
            "for",
            "set",
            "1",
            "/",
            "名",
            "\n",
            "\0",
            ".",
        )
    )
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(start + 8, len(text))))
        text = text[:start] + data.draw(pieces) + text[end:]
    folder = tmp_path_factory.mktemp("damaged")
    for name, whole in FILES.items():
        (folder / name).write_text(whole, "utf-8")
    found, _ = filled(folder, text, verbs="run,sleep")
    if found is not None:
        grammar, diagnostics, sources = imported(found.text)
        if grammar is not None:
            assert write_sgl(with_source(grammar, diagnostics).grammar)
        assert all(render(diagnostic, sources) for diagnostic in diagnostics)
