"""The pictures of the site, and its page of patterns: ``python tests/support/docs_pictures.py``.

What a picture shows is sampled from a grammar or parsed with it; so is every sentence of ``docs/gallery/patterns.md``.
``docs/style.css`` colours both, in the light and in the dark.  Pages take a picture by ``--8<-- "pictures/NAME.html"``.
A test compares what is kept with what this module makes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from docs_editor import editor_page
from markupsafe import Markup
from rooms import rooms

import sgl
from sgl.api.grammar import Grammar
from sgl.automata import StructureCompiler
from sgl.core.structure import Structure
from sgl.pipeline.report import Pair, PairMaker
from sgl.report import Example
from sgl.report.render import page_environment

DOCS = Path(__file__).parent.parent.parent / "docs"
FARM = DOCS / "examples" / "farm.sgl"
MODIFIED = "A cat near the hen chased the dog."

#: Grammars whose patterns are listed, with the pages about them.
LISTED = {
    "sget": "../sget.md",
    "cognition": "../cognition.md",
    "german": "../discontinuity.md#a-german-benchmark",
    "quartet": "quartet.md",
    "german_cogs": "german_cogs.md",
    "cogs": "../slog.md",
}

_FIGURE = """\
{% import "pair.html.j2" as pairs with context %}
<figure class="picture" markdown="0">
{% block body %}{% endblock %}
{% if caption %}<figcaption>{{ caption }}</figcaption>{% endif %}
</figure>
"""
_PAIR = '{{ pairs.beside(pair, name, "en", language) }}'
_GRAPH = '{{ pairs.graph(example, name, "held" if held else "plain") }}'
_HOME = """\
<div class="flow">
<div><p class="step">You write rules</p>
<pre>rule modified: NP -> Det N PP
  ja  PP N drop Det
  syn N -[nmod]-> PP</pre>
<p>Each rule builds English, Japanese and a graph.</p></div>
<div><p class="step">You say what is held out</p>
<pre>pattern pp_in_subject
  forbid { V -[nsubj]-> N;
           N -[nmod]-> M }</pre>
{{ pairs.graph(example, "home", "held") }}
<p>No training sentence has a subject with a nominal modifier, such as a PP.</p></div>
<div><p class="step">SGL proves it</p>
<ul><li>Training cannot derive it.</li><li>Every generalization item has it.</li><li>Training shows each part.</li>
<li>Items are made of known words.</li></ul>
<p>For every sentence of the grammar.</p></div>
<div><p class="step">SGL writes the data</p>
<p class="kind">train</p><p>{{ pairs.sentence(pair.shown, "part") }}</p>
<p class="kind">gen</p><p>{{ pairs.sentence(pair.asked, "held") }}</p>
<p>A second program checks every graph.</p></div>
</div>
"""
_PROOF = """\
<div class="flow">
<div><p class="step">Grammar</p><p>weighted rules, and structures that are held out</p></div>
<div><p class="step">Automata</p><p>one for each structure: what of it a phrase has</p></div>
<div><p class="step">Two grammars</p><p>training without the structures; items with one of them</p></div>
<div><p class="step">Claims</p><p>no state of training accepts; every item does; each part occurs</p></div>
</div>
<div class="flow">
<div><p class="step">Certificate</p><p>the evidence as a file; a checker repeats it, without the compiler</p></div>
<div><p class="step">Samples</p><p>drawn from the two grammars, each string parsed again</p></div>
<div><p class="step">Verification</p><p>another program searches the graph of every written sentence</p></div>
</div>
"""


@cache
def grammar(name: str) -> Grammar:
    """Return a grammar by its name or path."""
    return sgl.load(name)


@cache
def maker(name: str) -> PairMaker:
    """Return what makes the pairs of a grammar."""
    compiled = grammar(name).compiled
    return PairMaker(compiled, StructureCompiler(compiled.grammar))


@cache
def pair(name: str, pattern: str, seed: int = 1) -> Pair:
    """Return an item of a pattern, with the nearest training sentence."""
    loaded = grammar(name)
    compiled = loaded.compiled
    (item,) = loaded.sample(1, seed=seed, of=pattern)
    (found,) = (each for each in compiled.plan.patterns if each.name == pattern)
    return maker(name).pair(found, item.derivation)


def held_out(name: str, sentence: str, pattern: str) -> Example:
    """Return a sentence, with what a pattern holds out marked."""
    loaded = grammar(name)
    (reading,) = loaded.parse(sentence)
    structures: tuple[Structure, ...] = next(p.held_out for p in loaded.compiled.plan.patterns if p.name == pattern)
    return maker(name).marked(reading.derivation, structures)


def _figure(body: str, caption: str = "", **given: object) -> str:
    text = _FIGURE.replace("{% block body %}{% endblock %}", body)
    made = page_environment().from_string(text).render(caption=Markup(caption), **given)  # noqa: S704 - ours
    return "".join(f"{line}\n" for line in made.splitlines() if line.strip())


def _farm_pair(name: str, caption: str) -> str:
    return _figure(_PAIR, caption, pair=pair(str(FARM), "pp_in_subject"), name=name, language="ja")


_PAIRS = """\
<table>
<thead><tr><th>paradigm</th><th>good</th><th>bad</th></tr></thead>
<tbody>
{% for name, text in rows.items() %}
<tr><td><code style="white-space: nowrap">{{ name }}</code></td><td>{{ text["en"] }}</td><td>{{ text["bad"] }}</td></tr>
{% endfor %}
</tbody>
</table>
"""


def _minimal_pairs() -> str:
    """Return a table with the shortest of some pairs of each paradigm."""
    rows = {
        name: min(pattern.sample(30, seed=1), key=lambda text: len(text.source))
        for name, pattern in grammar("minimal_pairs").patterns.items()
    }
    made = page_environment().from_string(_PAIRS).render(rows=rows)
    return "".join(f"{line}\n" for line in made.splitlines() if line.strip())


#: The pictures, by their names.
PICTURES: dict[str, Callable[[], str]] = {
    "rooms": rooms,
    "editor": lambda: _figure(
        "{{ page }}",
        "The probability of a rule, the sentences that a need can expect, one pattern that is proved, and the sentence "
        "that refutes the other. The mouse points at <code>modified</code>.",
        page=Markup(editor_page()),  # noqa: S704 - ours
    ),
    "home": lambda: _figure(
        _HOME, pair=pair(str(FARM), "pp_in_subject"), example=held_out(str(FARM), MODIFIED, "pp_in_subject")
    ),
    "tutorial-graph": lambda: _figure(
        _GRAPH,
        "The graph of one sentence. The subject has a modifier: <code>nsubj</code>, then <code>nmod</code>.",
        example=grammar(str(FARM)).parse("The cow near the cat saw the duck.")[0].example,
        name="tutorial-graph",
        held=False,
    ),
    "tutorial-pair": lambda: _farm_pair(
        "tutorial-pair",
        "After the pattern: training shows the modifier on the object (green: what <code>need</code> asks for), "
        "the test has it on the subject (red: what <code>forbid</code> holds out).",
    ),
    "structures": lambda: _figure(
        _GRAPH,
        "A match of <code>{ V -[nsubj]-> N; N -[nmod]-> M }</code>: V is <i>chased</i>, N <i>cat</i>, M <i>hen</i>.",
        example=held_out(str(FARM), MODIFIED, "pp_in_subject"),
        name="structures",
        held=True,
    ),
    "sget": lambda: _figure(
        _PAIR,
        "A pattern of SGET: training asks about objects, the test about recipients.",
        pair=pair("sget", "wh_recipient"),
        name="sget",
        language="ja",
    ),
    "guarantees": lambda: _figure(_PROOF),
    "minimal_pairs": _minimal_pairs,
}


def patterns_page() -> str:
    """Return the page of all patterns with a sentence of each."""
    return (
        page_environment()
        .from_string((Path(__file__).with_name("patterns_page.j2")).read_text("utf-8"))
        .render(listed=LISTED, grammar=grammar, pair=pair)
    )


def main() -> None:
    """Write the pictures and the page."""
    (DOCS / "pictures").mkdir(exist_ok=True)
    for name, make in PICTURES.items():
        (DOCS / "pictures" / f"{name}.html").write_text(make(), "utf-8")
    (DOCS / "gallery" / "patterns.md").write_text(patterns_page(), "utf-8")


if __name__ == "__main__":
    main()
