"""Divide the compounds of published CoGnition files as the figures of the paper do, and find their contexts."""

from collections import Counter
from itertools import combinations
from math import log
from pathlib import Path

from sgl.research.evaluate.benchmark import read_benchmark
from sgl.research.evaluate.compound_rates import published_compounds

data = Path("published")  # the folder with the published files
table = published_compounds(read_benchmark(data, None, None))
atoms = {row.compound: sorted(text for _, text in table.lexicon.atoms(row.compound)) for row in table.occurrences}
known = {atom for parts in atoms.values() for atom in parts}
sizes = {len(text.split()) for text in (*known, *atoms)}

around, contexts = [], {}  # what precedes and follows each compound; what follows, by what precedes
for row in table.occurrences:
    before, _, after = f" {row.source.lower()} ".partition(f" {row.compound} ")
    around.append((before.strip(), after.strip()))
    contexts.setdefault(before.strip(), set()).add(after.strip())

times, single, together, windows, providing = Counter(), Counter(), Counter(), 0, {}
train = (data / "train.en").read_text("utf-8").split("\n")
for number, sentence in enumerate(train):
    words = sentence.lower().split()
    for before in {" ".join(words[:at]) for at in range(len(words))} & contexts.keys():
        rest = words[len(before.split()) :]
        afters = {" ".join(rest[at:]) for at in range(1, len(rest) + 1)} & contexts[before]
        providing.update({(before, after): number for after in afters if (before, after) not in providing})
    spans = [(at, at + size, " ".join(words[at : at + size])) for size in sizes for at in range(len(words) - size + 1)]
    times.update(text for _, _, text in spans if text in known or text in atoms)
    for first in range(max(1, len(words) - 4) if words else 0):
        inside = sorted({text for at, end, text in spans if text in known and first <= at and end <= first + 5})
        single.update(inside)
        together.update(combinations(inside, 2))
        windows += 1


def pmi(one: str, other: str) -> float:
    """Return the PMI of two atoms; a pair that never meets has that of the rarest possible pair."""
    number = together[one, other]
    return log(windows * number / (single[one] * single[other])) if number else -log(windows)


def distance(tree: str) -> str:
    """Return the mean distance between words and governors, in steps of a half; punctuation and roots do not count."""
    cells = (line.split("\t") for line in tree.splitlines() if line.partition("\t")[0].isdigit())
    edges = [abs(int(cell[0]) - int(cell[6])) for cell in cells if cell[6] != "0" and cell[3] != "PUNCT"]
    step = sum(edges) * 2 // max(len(edges), 1) / 2
    return f"{step} to {step + 0.5}"


ranked = sorted((min(times[atom] for atom in parts), c) for c, parts in atoms.items() if len(parts) == 3)
place = {compound: at for at, (_, compound) in enumerate(ranked)}
columns = {"shots": [], "frequency": [], "pmi": [], "context": []}
for row in table.occurrences:
    compound, parts = row.compound, atoms[row.compound]
    shots = times[compound]
    columns["shots"].append("none" if not shots else "1 to 10" if shots <= 10 else "more than 10")
    columns["frequency"].append(f"{1 + place[compound] * 4 // len(ranked)} of 4" if compound in place else "")
    sign = "positive" if sum(pmi(*pair) for pair in combinations(parts, 2)) > 0 else "negative"
    columns["pmi"].append(f"{len(parts)} {sign}" if len(parts) > 1 else "")
    outside = (len(row.source.split()) - len(compound.split())) // 5 * 5
    columns["context"].append(f"{outside} to {outside + 4}")
provided = sorted({*providing.values()})
if (data / "context.conllu").exists():
    trees = (data / "context.conllu").read_text("utf-8").strip().split("\n\n")
    distances = dict(zip(provided, map(distance, trees), strict=True))
    columns["distance"] = [distances.get(providing.get(context), "") for context in around]
for name, values in columns.items():
    (data / f"gen-{name}.txt").write_text("".join(f"{value}\n" for value in values), "utf-8")
# The first training sentence with each context, in both languages.
for end in ("en", "zh") if (data / "train.zh").exists() else ():
    lines = (data / f"train.{end}").read_text("utf-8").split("\n")
    (data / f"context.{end}").write_text("".join(f"{lines[at]}\n" for at in provided), "utf-8")
