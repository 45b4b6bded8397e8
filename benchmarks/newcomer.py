"""Does all that a newcomer does work, from the wheel, in an empty directory, without a network?

Builds the wheel (with ``--sdist``, from the unpacked source archive), installs it in an environment of its own that
sees the libraries of this one, and runs each line in a new directory and a new home::

    python benchmarks/newcomer.py            # print each line with its output
    python benchmarks/newcomer.py --sdist    # the same from the source archive

A line that fails ends the run with exit status 1. Where the system allows it (``unshare``), the run is in a network
namespace of its own; elsewhere the Hub is told to stay offline.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
from pathlib import Path

from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).parents[1]

RELEASE = """
release = '''
release "1.0.0"
  licence   "CC-BY-4.0"
  authors   "Lovelace, Ada"
  languages en ja
  date      "2026-11-23"
'''
with open("farm/farm.sgl", "a", encoding="utf-8") as grammar:
    grammar.write(release)
"""

DOOR = """
import time
start = time.process_time()
import sgl
print(f"import sgl: {time.process_time() - start:.3f} s")
g = sgl.load("farm/farm.sgl")
start = time.process_time()
texts = g.sample(5, seed=1, of="pp_in_subject")
print(f"first g.sample: {time.process_time() - start:.2f} s")
print(repr(g), repr(texts), texts[0]["ja"])
print(repr(g.parse(str(texts[0]))), g.translate(str(texts[0])))
print(repr(g.prove()), repr(g.stats()))
data = g.compile("again")
print(repr(data), repr(data.verify()), data.signature)
print(data.to_pandas().shape, data.to_arrow().num_rows, sorted(data.to_hf()))
from pathlib import Path
Path("gold.txt").write_text("\\n".join(data.to_pandas("gen").target) + "\\n", "utf-8")
print(sgl.evaluate(data, {"gold": "gold.txt"}, samples=100))
print(sgl.audit(g, "again/data/dev.tsv"))
print(len(g.sample(2, of="pp_in_subject", beside=True)._repr_html_()), "characters of HTML")
print(repr(sgl.open_dataset("data")), repr(sgl.load("sget", meanings=True)))
try:
    sgl.load("nowhere")
except sgl.GrammarError as problem:
    print(problem)
"""

LOAD = """
from datasets import load_dataset
print(load_dataset("data"))
"""

CROISSANT = """
import itertools, mlcroissant, warnings
warnings.simplefilter("ignore")
found = mlcroissant.Dataset("data/croissant.json")
print(found.metadata.ctx.issues.report() or "no issues")
print(*itertools.islice(found.records("items"), 1))
"""

PANDAS = """
import pandas
print(pandas.read_parquet("data/parquet/gen.parquet")[["source", "target"]].head(2))
print(pandas.read_csv("data/data/gen.tsv", sep="\\t", quoting=3, header=None).shape)
"""

CONLLU = """
import conllu
trees = conllu.parse(open("data/conllu/gen.conllu", encoding="utf-8").read())
print(len(trees), trees[0].metadata["text"], trees[0].to_tree().token["form"])
"""

PENMAN = """
import penman
graphs = penman.load("output.txt", encoding="utf-8")
print(len(graphs), graphs[0].metadata, graphs[0].top)
"""

#: The lines, in order: commands and Python programs.
LINES = {
    "the version": "sglc --version",
    "a new grammar": "sglc new farm",
    "what a release says, added": RELEASE,
    "check": "sglc check farm/farm.sgl",
    "compile": "sglc compile farm/farm.sgl --out data",
    "verify": "sglc verify data",
    "load_dataset": LOAD,
    "mlcroissant validate": "python -m mlcroissant.scripts.validate --jsonld data/croissant.json",
    "mlcroissant records": CROISSANT,
    "pandas": PANDAS,
    "conllu": CONLLU,
    "UD validator, levels 1 to 3": "python -m udtools.cli --lang en --level 3 --no-warnings"
    " --exclude edeps-identical-to-basic-trees data/conllu/gen.conllu",
    "Penman, as AMR": "sglc sample sget --show penman -n 20 --seed 1",
    "penman reads it": PENMAN,
    "release": "sglc release data",
    "import sgl": DOOR,
}


def main() -> int:
    """Run all lines; the exit status is 1 if one fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--sdist", action="store_true", help="build the wheel from the source archive")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        wheel = built(place / "built", from_archive=options.sdist)
        programs = environment(place / "env", wheel)
        empty, home = place / "empty", place / "home"
        empty.mkdir()
        home.mkdir()
        return 0 if all(run(title, line, programs, empty, home) for title, line in LINES.items()) else 1


def built(folder: Path, *, from_archive: bool) -> Path:
    """Build and return the wheel of this checkout, or of its source archive."""
    root = ROOT
    if from_archive:
        (archive,) = SdistBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
        (root,) = (path for path in folder.iterdir() if path.is_dir())
    (wheel,) = WheelBuilder(str(root)).build(directory=str(folder), versions=["standard"])
    return Path(wheel)


def environment(folder: Path, wheel: Path) -> Path:
    """Install a wheel in a new environment, and return the folder of its programs."""
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    install = [programs / "python", "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel]
    subprocess.run(install, check=True)
    # Libraries come from this environment, whose own SGL comes after the installed one in the path.
    (own,) = folder.rglob("site-packages")
    libraries = [path for path in sys.path if path.endswith("site-packages")]
    (own / "libraries.pth").write_text("".join(f"{path}\n" for path in libraries), "utf-8")
    return programs


def run(title: str, line: str, programs: Path, empty: Path, home: Path) -> bool:
    """Run a line and show its output; return false if it fails."""
    words = ["python", "-c", line] if "\n" in line else shlex.split(line)
    program = programs / words[0]
    print(f"\n== {title}\n{line.strip() if words[0] == 'python' else '$ ' + line}\n--", flush=True)
    variables = {name: os.environ[name] for name in ("LANG", "SYSTEMROOT", "TMPDIR") if name in os.environ}
    variables |= {"HOME": str(home), "PATH": os.pathsep.join([str(programs), os.defpath]), "PYTHONUTF8": "1"}
    variables |= {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_PROGRESS_BARS": "1", "NO_COLOR": "1"}
    started = time.monotonic()
    done = subprocess.run(
        [*alone(), program, *words[1:]], cwd=empty, env=variables, capture_output=True, text=True, check=False
    )
    output = (done.stdout + done.stderr).rstrip()
    (empty / "output.txt").write_text(done.stdout, "utf-8")
    lines = output.splitlines()
    print("\n".join(lines if len(lines) <= 40 else [*lines[:20], "...", *lines[-15:]]))
    print(f"-- exit status {done.returncode}, {time.monotonic() - started:.1f} s", flush=True)
    return done.returncode == 0


def alone() -> list[str]:
    """Return a command prefix that takes away the network, or an empty list if the system cannot."""
    program = shutil.which("unshare")
    if program is None:
        return []
    possible = subprocess.run([program, "-rn", "true"], capture_output=True, check=False).returncode == 0
    return [program, "-rn"] if possible else []


if __name__ == "__main__":
    sys.exit(main())
