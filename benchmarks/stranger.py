"""What a stranger can do who has the archive of a release, and nothing else.

Compiles a grammar and packs the dataset by its own ``release`` clause.  Then an environment of its own gets the wheel,
a new directory the archive, and each line runs there without a network: the grammar is read, a pattern added, proved
and compiled, the new dataset compared with the release, predictions scored with every metric, the same bytes made
again, and the data loaded by each library that is installed::

    python benchmarks/stranger.py                    # sget, in some minutes
    python benchmarks/stranger.py docs/examples/farm.sgl --pattern 'forbid { V[lemma=chase] -[obj]-> N[lemma=cow] }'
    python benchmarks/stranger.py --archive sget-1.0.0.zip

A line that fails ends the run with exit status 1.  What needs a library that is missing is left out, and said so:
``pip install polars duckdb spacy jsonnet dataclass-factory`` adds them.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from newcomer import ROOT, built, environment, run

#: A release of a grammar without a clause of its own.
RELEASE = '\nrelease "1.0.0"\n  licence "CC-BY-4.0"\n  authors "Lovelace, Ada"\n  date    "2026-11-29"\n'

READ = """
import sgl
g = sgl.load("NAME.zip")
print(repr(g), g.title)
print(g.rules.to_pandas().head(3))
first = next(iter(g.patterns.values()))
print(first.sentence)
print(*g.sample(2), sep="\\n")
"""

ADD = """
from pathlib import Path
Path("more.sgl").write_text('''module more
use "NAME"

pattern of_a_stranger "A pattern that the release does not have"
  PATTERN
  size 5
''', "utf-8")
"""

SCORE = """
import json, subprocess
from pathlib import Path
gold = [line.split("\\t")[1] for line in Path("NAME/data/gen.tsv").read_text("utf-8").splitlines()]
Path("gold.txt").write_text("\\n".join(gold) + "\\n", "utf-8")
Path("none.txt").write_text("\\n".join("x" for _ in gold) + "\\n", "utf-8")
import sgl
scores = sgl.evaluate("NAME", {"gold": "gold.txt", "none": "none.txt"}, samples=100)
print(scores)
print("metrics:", ", ".join(scores.data["metrics"].values()))
print("not available:", scores.data.get("unavailable") or "none")
assert scores.flat("gold")["exact"] == 1 and scores.flat("none")["exact"] == 0
"""

SAME = """
import filecmp
from pathlib import Path
files = sorted(p.relative_to("NAME") for p in Path("NAME").rglob("*") if p.is_file())
again = sorted(p.relative_to("again") for p in Path("again").rglob("*") if p.is_file())
assert files == again, set(files) ^ set(again)
different = [str(p) for p in files if not filecmp.cmp(Path("NAME") / p, Path("again") / p, shallow=False)]
print(len(files), "files, different:", different)
assert not different
"""

DATASETS = """
from datasets import get_dataset_config_names, load_dataset
for config in get_dataset_config_names("./NAME"):
    found = load_dataset("./NAME", config)
    print(config, {name: rows.num_rows for name, rows in found.items()}, found["train"].column_names)
print(load_dataset("./NAME")["gen"].features)
"""

PANDAS = """
import pandas
rows = pandas.read_parquet("NAME/parquet/gen.parquet")
print(rows.dtypes)
print(rows.groupby("category").depth.mean().head(3))
print(pandas.json_normalize(rows.features).sum().head(3) if "features" in rows else "no graphs")
"""

POLARS = """
import polars
rows = polars.read_parquet("NAME/parquet/*.parquet")
print(rows.shape, rows.schema)
print(rows.unnest("features").head(2) if "features" in rows.columns else rows.head(2))
"""

DUCKDB = """
import duckdb
rows = "'NAME/parquet/*.parquet'"
print(duckdb.sql(f"select category, count(*), avg(depth) from {rows} group by 1 order by 2 desc limit 3"))
"""

CROISSANT = """
import itertools, mlcroissant, warnings
warnings.simplefilter("ignore")
found = mlcroissant.Dataset("NAME/croissant.json")
issues = found.metadata.ctx.issues
print(len(issues.errors), "errors,", len(issues.warnings), "warnings")
assert not issues.errors and not issues.warnings, issues.report()
print(*itertools.islice(found.records("items"), 1))
"""

CONLLU = """
import conllu
with open("NAME/conllu/gen.conllu", encoding="utf-8") as file:
    print(next(conllu.parse_incr(file)).to_tree())
"""

CUT = """
from pathlib import Path
text = Path("NAME/conllu/gen.conllu").read_text("utf-8").split("\\n\\n")[:200]
Path("cut.conllu").write_text("\\n\\n".join(text) + "\\n\\n", "utf-8")
"""

SPACY = """
import spacy
from spacy.tokens import DocBin
print(len(list(DocBin().from_disk("cut.spacy").get_docs(spacy.blank("en").vocab))), "documents")
"""

#: What GenBench's ``TaskConfig.from_jsonnet`` and ``Task`` do with a configuration, from their documentation.
GENBENCH = """
import json, _jsonnet
from datasets import load_dataset
task = json.loads(_jsonnet.evaluate_file("NAME/genbench/config.jsonnet"))
assert task["task_type"] == "free_form" and task["free_form_output_regex"]
name, config = task["data_source"]["hf_id"]
found = load_dataset("./NAME" if "/" not in name else name, config)
mapped = found.map(lambda row: {to: row[own] for to, own in task["field_mapping"].items()})
print({name: rows.num_rows for name, rows in mapped.items()}, mapped["test"][0])
print(json.loads(open("NAME/genbench/card.json", encoding="utf-8").read()))
"""


def lines(name: str, pattern: str) -> dict[str, tuple[str, str]]:
    """Return what is run, by title: the library that it needs, and a command or a program."""
    found = {
        "read the grammar": ("", READ),
        "ask it": ("", f"sglc sample {name}.zip -n 2"),
        "unpack": ("", f"python -m zipfile -e {name}.zip ."),
        "verify": ("", "sglc verify NAME"),
        "add a pattern": ("", ADD),
        "prove it": ("", "sglc prove more.sgl --pattern of_a_stranger"),
        "compile it": ("", "sglc compile more.sgl --out more"),
        "what has changed": ("", "sglc diff NAME more"),
        "score with every metric": ("", SCORE),
        "compile the release": ("", "sglc compile NAME --out again"),
        "the same bytes": ("", SAME),
        "datasets": ("datasets", DATASETS),
        "pandas": ("pandas", PANDAS),
        "polars": ("polars", POLARS),
        "DuckDB": ("duckdb", DUCKDB),
        "mlcroissant": ("mlcroissant", CROISSANT),
        "conllu": ("conllu", CONLLU),
        "a treebank of 200 sentences": ("", CUT),
        "UD validator, levels 1 to 3": (
            "udtools",
            (
                "python -m udtools.cli --lang en --level 3 --no-warnings"
                " --exclude edeps-identical-to-basic-trees cut.conllu"
            ),
        ),
        "spaCy": ("spacy", "python -m spacy convert cut.conllu . --converter conllu"),
        "spaCy reads it": ("spacy", SPACY),
        "GenBench": ("_jsonnet", GENBENCH),
    }
    return {
        title: (needs, line.replace("NAME", name).replace("PATTERN", pattern)) for title, (needs, line) in found.items()
    }


def main() -> int:
    """Run all lines; the exit status is 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("grammar", nargs="?", default="sget", help="the grammar whose dataset is released")
    parser.add_argument("--archive", type=Path, help="a release that is there already")
    parser.add_argument(
        "--pattern",
        default="forbid { V[lemma=paint] -[obj]-> N[lemma=bird] }",
        help="the clauses of the pattern that is added",
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        archive = options.archive or released(options.grammar, place)
        wheel = built(place / "built", from_archive=False)
        programs = environment(place / "env", wheel)
        empty, home = place / "empty", place / "home"
        empty.mkdir()
        home.mkdir()
        shutil.copy(archive, empty)
        for title, (needs, line) in lines(archive.stem, options.pattern).items():
            if needs and find_spec(needs) is None:
                print(f"\n== {title}: left out, `{needs}` is not installed", flush=True)
            elif not run(title, line, programs, empty, home):
                return 1
    return 0


def released(grammar: str, place: Path) -> Path:
    """Compile a grammar, pack its dataset, and return the archive; what has no release gets one."""
    sglc = [sys.executable, "-m", "sgl"]
    if (path := Path(grammar)).is_file() and "\nrelease " not in path.read_text("utf-8"):
        shutil.copytree(path.parent, place / "source")
        grammar = str(place / "source" / path.name)
        with Path(grammar).open("a", encoding="utf-8") as file:
            file.write(RELEASE)
    subprocess.run([*sglc, "compile", grammar, "--out", place / "data"], check=True, cwd=ROOT)
    subprocess.run([*sglc, "release", place / "data"], check=True, cwd=place)
    (archive,) = place.glob("*.zip")
    return archive


if __name__ == "__main__":
    sys.exit(main())
