"""A study as a researcher writes it in a notebook: load, look, sample by pattern, score, a table by pattern.

``test_study.py`` runs it beside ``farm.sgl``; mypy checks it as a program of a stranger.
"""

from __future__ import annotations

import sgl

# Look at the benchmark.
g = sgl.load("farm.sgl")
claims = [(pattern.title, pattern.sentence, pattern.items) for pattern in g.patterns.values()]
words: list[str] = g.lexicon.to_pandas()["en"].tolist()
assert g.accepts("The dog saw a cat."), "the grammar of the farm has changed"

# Sample by pattern, beside what training shows.
items = {name: pattern.sample(4, seed=1, beside=True) for name, pattern in g.patterns.items()}
frames = {name: texts.to_pandas()[["en", "ja"]] for name, texts in items.items()}
first: sgl.Text = items["pp_in_subject"][0]
lemmas = [data["lemma"] for _, data in first.to_networkx().nodes(data=True)]

# A variant of one's own, with a word more.
larger = g.extend('word N: "donkey"\n  ja "驢馬"\n  syn node(lemma=donkey, upos=NOUN)\n  sem node(lemma=donkey)\n')
assert larger.accepts("The donkey saw a cat.") > g.accepts("The donkey saw a cat.")

# Prove it and make it.
assert g.check()
assert g.prove()
data = g.compile("data/farm")
gen = data.to_pandas("gen")

# Score: what a model says of some rows by their names, a list, and a baseline that is a function.
memory = dict(zip(*(data.to_pandas("train")[side] for side in ("source", "target")), strict=True))
predictions: dict[str, sgl.Predictions] = {
    "oracle": gen.set_index("id")["target"],
    "first": gen["target"][:1].tolist() * len(gen),
    "memory": lambda source: memory.get(source, ""),
}
scores = sgl.evaluate(data, predictions, grammar=g, samples=100)
table = scores.by("pattern").to_pandas().pivot_table(index="title", columns="system", values="exact")
logged: dict[str, float] = scores.flat("memory")

# Of a run that was cut short only what is there is scored.
part: dict[str, str] = dict(zip(gen["id"][:5], gen["target"][:5], strict=True))
early = sgl.evaluate(data, {"oracle": part}, missing="left-out", samples=100)
