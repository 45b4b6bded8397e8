"""An author's own view: what a template can do, and what it cannot."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgl.rendering import ViewError
from sgl.rendering.template import column_of, template_view
from sgl.research.logical_forms import read_cogs

TOKENS = ("The", "baby", "hoped", "to", "smile", ".")
GRAPH = read_cogs(
    "* baby ( x _ 1 ) ; hope . agent ( x _ 2 , x _ 1 ) AND hope . xcomp ( x _ 2 , x _ 4 )"
    " AND smile . agent ( x _ 4 , x _ 1 )"
)


def rendered(source: str) -> str:
    return template_view(source)(GRAPH, TOKENS)


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{{ tokens | join(' ') | lower }}", "the baby hoped to smile ."),
        ("{{ nodes | map(attribute='lemma') | join(', ') }}", "baby, hope, smile"),
        ("{{ tokens[root.position] }} {{ nodes | length }}", "hoped 3"),
        ("{{ nodes[0].get('definite') }}{{ nodes[1].get('definite', '-') }}", "yes-"),
        ("{% for role, to in root.edges %}{{ loop.index }}:{{ role }} {% endfor %}", "1:agent 2:xcomp"),
        ("{{ 'a:b' | replace(':', ' . ') }} {{ 'x' if root.edges else 'y' }}", "a . b x"),
        ("{{ (nodes | selectattr('lemma', 'eq', 'baby') | first).position + 1 }}", "2"),
        ("  {{ '' }}\n", ""),
        ("{{ 'abcde'[1:4:2] }}{{ 'abc'[:2] }} {{ nodes[1:] | map(attribute='lemma') | join('-') }}", "bdab hope-smile"),
        ("{% if 'ab' in root.edges[0][1].lemma %}y{% endif %}", "y"),
        ("{% for n in nodes if 'o' not in n.lemma %}{{ n.lemma }} {% endfor %}", "baby smile"),
    ],
)
def test_a_template_writes_what_a_graph_has(source: str, text: str) -> None:
    assert rendered(source) == text


def test_a_macro_can_follow_the_edges_of_a_graph() -> None:
    source = (
        "{% macro term(node) %}{{ node.lemma }}{% for role, to in node.edges %}"
        "{{ '(' if loop.first else ', ' }}{{ role }}={{ term(to) }}{{ ')' if loop.last }}"
        "{% endfor %}{% endmacro %}{{ term(root) }}"
    )
    assert rendered(source) == "hope(agent=baby, xcomp=smile(agent=baby))"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("{% for a in", "line 1 of the template: unexpected 'end of template'"),
        ("\n\n{{ nothing }}", "line 3 of the template: 'nothing' is undefined"),
        ("\n{{ root.colour }}", "line 2 of the template: a node has no attribute 'colour'"),
        ("{{ root.lemma | replace('a') }}", "gets an argument that it does not take"),
        ("{{ 1[2:3] }}", "gets an argument that it does not take"),
        ("{{ (not 1)[:3] }}", "gets an argument that it does not take"),
        ("{{ root.lemma - 'x' }}", "line 1 of the template: '-' is for numbers"),
        ("{{ 'a' * 3 }}", "'*' is for numbers"),
        ("{{ 7 / 2 }}", "a view has no 'div'"),
        ("{{ 2 ** 3 }}", "a view has no 'pow'"),
        ("{{ 7 // 0 }}", "there is no such value"),
        ("{{ nodes | length | sort }}", "gets an argument that it does not take"),
        ("{{ " + "9" * 5000 + " }}", "the template cannot be read: there is no such value"),
        ("{{ " + "(" * 3000, "the template cannot be read: something is nested too deep"),
        ("{{ nodes }}", "a view writes texts and numbers, not lists or nodes"),
        ("{{ nodes[7].lemma }}", "line 1 of the template"),
        ("{{ 'a' + 1 }}", "line 1 of the template"),
        ("{{ 1 if 'a' < 1 }}", "line 1 of the template"),
        ("{{ root | nosuchfilter }}", "No filter named 'nosuchfilter'"),
        ("x" * 10_001, "longer than 10000 characters"),
        *(
            (f"\n{{% set x = {number} %}}{{{{ x - x }}}}", "line 2 of the template: a number in a")
            for number in ("1e999", "1.5", "1000000001", "9" * 4_000)
        ),
    ],
)
def test_a_mistake_is_a_view_error(source: str, message: str) -> None:
    with pytest.raises(ViewError) as caught:
        rendered(source)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "source",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ root.get.__globals__ }}",
        "{{ root.get.__func__ }}",
        "{{ root['_attributes'] }}",
        "{{ root | attr('__class__') }}",
        "{{ nodes | map(attribute='__class__') | join }}",
        "{{ self.__init__ }}",
        "{{ loop.__class__ }}",
        "{% for a in nodes %}{{ loop._iterable }}{% endfor %}",
        "{{ '{0.__class__}'.format(root) }}",
        "{{ tokens.append('x') }}",
        "{{ lipsum() }}",
        "{{ {}.__class__ }}",
        "{{ {1: 2}.update({}) }}",
        "{{ {1: 2}.pop(1) }}",
        "{{ [1].append(2) }}",
        "{{ namespace().__class__ }}",
        "{{ namespace().__init__ }}",
        "{{ range(3).__class__ }}",
        "{{ 'a'.format(root) }}",
        "{{ 'a'.encode() }}",
        "{% set range = 1 %}{{ range.__class__ }}",
        "{{ cycler(1) }}",
        "{% include '/etc/passwd' %}",
        "{% import 'os' as os %}",
        "{% extends 'base' %}",
        "{% block a %}{% endblock %}",
        "{% filter upper %}a{% endfilter %}",
        "{% set nodes = 1 %}",
        "{% macro joined() %}{% endmacro %}",
        "{% for a in nodes recursive %}{{ loop(nodes) }}{% endfor %}",
        "{% macro m() %}{{ varargs }}{% endmacro %}{{ m() }}",
    ],
)
def test_a_template_reaches_nothing_but_the_graph(source: str) -> None:
    with pytest.raises(ViewError):
        rendered(source)


LONG = "{% set t = 'aaaaaaaaaaaaaaa' %}" + "{% set t = t ~ t %}" * 10
LOOPS = "{% for a in nodes %}" * 14 + "{% endfor %}" * 14


@pytest.mark.parametrize(
    "source",
    [
        LOOPS,
        LONG + "{% for a in t %}{% for b in t if false %}{% endfor %}{% endfor %}",
        LONG + "{% for a in t %}{{ (t | sort | first) and '' }}{% endfor %}",
        LONG + "{% for a in t %}{{ (t | map('upper') | select('eq', 'b') | first) }}{% endfor %}",
        "{% macro f(n) %}{{ f(n) }}{{ f(n) }}{% endmacro %}{{ f(1) }}",
        "{% macro f(n) %}{{ f(n - 1) ~ f(n - 1) if n }}{% endmacro %}{{ f(60) }}",
        "{% macro f(t) %}{{ t }}{{ t }}{% endmacro %}{{ " + "f(" * 30 + "'a'" + ")" * 30 + " }}",
        "{% set t = 'a' %}" + "{% set t = t ~ t %}" * 60 + "{{ t }}",
        "{% set t = 'a' %}" + "{% set t = t + t %}" * 60 + "{{ t }}",
        "{% set t = 'aa' %}" + "{% set t = t | replace('a', t) %}" * 60 + "{{ t }}",
        "{% set n = 2 %}" + "{% set n = n + n %}" * 300 + "{{ n }}",
        "{{ 'a' * 1000000000 }}",
        "{{ '%1000000000d' % 1 }}",
        "{{ '{:1000000000}'.format(1) }}",
        "{{ 'a' | center(1000000000) }}",
        "{{ 2 ** 1000000000 }}",
        "{% for a in range(1000000000) %}{% endfor %}",
        "{% set a = [1] %}" + "{% set a = [a, a] %}" * 60 + "{{ a }}",
        "{% set a = {1: 1} %}" + "{% set a = {1: a, 2: a} %}" * 60 + "{{ a }}",
        "{{ [1] * 1000000000 }}",
        "{{ 999999999 * 999999999 }}",
        "{{ range(90000) | list | length }}",
        "{{ range(90000) | sum }}",
        "{% set n = namespace(a='aa') %}" + "{% set n.a = n.a ~ n.a %}" * 60 + "{{ n.a }}",
        "{% set n = namespace(a=[1]) %}" + "{% set n.a = n.a + n.a %}" * 60,
        "{% set t = 'ab' * 0 %}{{ t }}",
        "{% for a in range(300) %}{% for b in range(300) %}{% endfor %}{% endfor %}",
        LONG + "{% for a in t %}{{ t.split('b') | length }}{% endfor %}",
        LONG + "{% for a in t %}{{ t.replace('a', t) | length }}{% endfor %}",
        LONG + "{% for a in t %}{{ ', '.join(t) | length }}{% endfor %}",
        "{% set t %}{{ tokens[0] }}{% endset %}",
        "{{ " + "(" * 500 + "1" + ")" * 500 + " }}",
        "{{ " + "-" * 500 + "1 }}",
        "{{ " + "not " * 2000 + "1 }}",
        "{% if 1 %}" * 60 + "{% endif %}" * 60,
    ],
)
def test_a_template_cannot_run_on_or_fill_the_memory(source: str) -> None:
    with pytest.raises(ViewError):
        rendered(source)


PIECES = st.sampled_from(
    [
        *("{{ ", " }}", "{% ", " %}", "for a in ", "endfor", "if ", "endif", "set a = ", "macro m("),
        *(") ", "endmacro", "nodes", "root", "tokens", "a", "m(", ".lemma", ".edges", "[0]", " | "),
        *("join", "first", "map(", "'x'", "1", " ~ ", " + ", ", ", "loop.index", " == ", "\n", "sort"),
    ]
)


@settings(deadline=None)
@given(st.text() | st.lists(PIECES, max_size=25).map("".join))
def test_any_text_is_a_view_or_a_view_error(source: str) -> None:
    try:
        text = rendered(source)
    except ViewError:
        return
    assert isinstance(text, str)


def test_a_view_can_be_used_again() -> None:
    view = template_view("{% for node in nodes %}{{ node.lemma }} {% endfor %}")
    assert {view(GRAPH, TOKENS) for _ in range(9000)} == {"baby hope smile"}


def test_nested_variables_are_not_written_out() -> None:
    """Python's own text of a variable that holds itself twice, sixty times, has no end."""
    nested = "{% set n = namespace(s=namespace(a=1)) %}"
    nested += "{% for i in range(60) %}{% set n.s = namespace(a=n.s, b=n.s) %}{% endfor %}"
    for name in ("string", "upper", "lower", "title", "trim", "capitalize"):
        with pytest.raises(ViewError, match="not lists or nodes"):
            column_of(f"{nested}{{{{ n.s | {name} | length }}}}", ["en"])({"en": "a"})
