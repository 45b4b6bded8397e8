"""A command for each option that writes a file or a directory, and the files that these commands read."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from diagnostics import MAIN
from kept_farm import write_farm
from workplace import Workplace

from sgl.cli.main import OK, run

#: A command for each option that writes a file, without that option.  A new option needs a row.
WRITING = {
    ("parse", "--svg"): ["parse", MAIN, "The dog chased a cat."],
    ("prove", "--certificate"): ["prove", MAIN],
    ("sample", "--out"): ["sample", MAIN, "-n", "3"],
    ("audit", "--json"): ["audit", MAIN, "rows.tsv"],
    ("audit", "--html"): ["audit", MAIN, "rows.tsv"],
    ("audit", "--rows"): ["audit", MAIN, "rows.tsv"],
    ("fit", "--out"): ["fit", MAIN, "rows.tsv"],
    ("fit", "--json"): ["fit", MAIN, "rows.tsv"],
    ("eval", "--json"): ["eval", "ds", "x=gold.txt", "--samples", "100"],
    ("eval", "--html"): ["eval", "ds", "x=gold.txt", "--samples", "100"],
    ("eval", "--latex"): ["eval", "ds", "x=gold.txt", "--samples", "100"],
    ("eval", "--mistakes"): ["eval", "ds", "x=gold.txt", "--samples", "100"],
    ("analyse", "--json"): ["analyse", "bank.conllu", "x=gold.txt"],
    ("analyse", "--html"): ["analyse", "bank.conllu", "x=gold.txt"],
    ("analyse", "--latex"): ["analyse", "bank.conllu", "x=gold.txt"],
    ("analyse", "--patterns"): ["analyse", "bank.conllu", "x=gold.txt"],
    ("export irtg", "--out"): ["export", "irtg", MAIN],
    ("export nltk", "--out"): ["export", "nltk", MAIN],
    ("export conllu", "--out"): ["export", "conllu", MAIN, "--sentences", "said.txt"],
    ("export forms", "--out"): ["export", "forms", "forms.tsv", "--to", "penman"],
    ("export unordered", "--out"): ["export", "unordered", "bank.conllu"],
    ("import irtg", "--out"): ["import", "irtg", "farm.irtg"],
    ("import cfg", "--out"): ["import", "cfg", "rules.cfg"],
    ("test", "--junit"): ["test", MAIN],
    ("release", "--out"): ["release", "ds"],
    ("annotate", "--out"): ["annotate", "ds"],
    ("recipe", "--json"): ["recipe", "sr", "banks", "x=bank.conllu"],
    ("recipe", "--html"): ["recipe", "sr", "banks", "x=bank.conllu"],
    ("recipe", "--latex"): ["recipe", "sr", "banks", "x=bank.conllu"],
    ("recipe", "--figures"): ["recipe", "sr", "banks", "x=bank.conllu"],
}
#: What makes a dataset of the grammar one that can be packed.
RELEASE = """
release "1.0.0"
  licence "CC-BY-4.0"
  authors "Farm Lab"
"""
#: And for each option that writes a directory.
WRITING_DIRECTORIES = {
    ("compile", "--out"): ["compile", MAIN],
    ("split", "--out"): ["split", "bank.conllu"],
    ("baseline", "--out"): ["baseline", "ds", "--steps", "1"],
    ("prompts", "--out"): ["prompts", "ds"],
}


def write_inputs(place: Path) -> Path:
    """Write the grammar, a dataset of it, and what the other commands read."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(place)
        write_farm(Workplace(place, None))  # type: ignore[arg-type]
        with (place / MAIN).open("a") as grammar:
            grammar.write(RELEASE)
        assert run(["compile", MAIN, "--out", "ds"]) == OK
        assert run(["export", "irtg", MAIN, "--out", "farm.irtg"]) == OK
    (place / "rules.cfg").write_text("S -> N V\nN -> 'dogs'\nV -> 'bark'\n")
    shutil.copy(place / "ds/data/gen.tsv", place / "rows.tsv")
    shutil.copy(place / "ds/conllu/gen.conllu", place / "bank.conllu")
    (place / "banks").mkdir()
    shutil.copy(place / "bank.conllu", place / "banks")
    rows = (place / "rows.tsv").read_text("utf-8").splitlines()
    (place / "gold.txt").write_text("".join(f"{row.split()[-2]}\n" for row in rows), "utf-8")
    (place / "forms.tsv").write_text("Emma slept .\tsleep ( agent = Emma )\n", "utf-8")
    (place / "said.txt").write_text(rows[0].split("\t")[0] + "\n", "utf-8")
    return place
