"""Does `sglc` still write what it used to write?

Compiles the grammars of the project, audits the published data found next to the checkout, and compares the results
with the golden values in `tests/golden/outputs.json`::

    python benchmarks/goldens.py                   # compare; exit status 1 if anything differs
    python benchmarks/goldens.py farm slog         # these runs only
    python benchmarks/goldens.py --update          # record the present results

The golden values are the SHA-256 of each file of `data/`, `conllu/` and `derivations/`, of the rows of each Parquet
file (whose bytes depend on the version of the Parquet library), of the certificate's claims, of the manifest's
guarantees and of the verifier's verdicts; the figures of each audit; and the exit codes of some commands.  It takes
some minutes.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from common import ROOT, command_line

GOLDEN = ROOT / "tests" / "golden" / "outputs.json"
PUBLISHED = ROOT.parent / "shared" / "data"

COMPILED = {
    "farm": ["docs/examples/farm.sgl"],
    "sget": ["grammars/sget.sgl"],
    "sget-meanings": ["grammars/sget.sgl", "--set", "meanings=on"],
    "sget-published": ["grammars/sget.sgl", "--set", "published=on"],
    "slog": ["grammars/slog.sgl"],
    "slog-loose": ["grammars/slog_loose.sgl"],
    "cogs": ["grammars/cogs.sgl"],
    "cognition": ["grammars/cognition.sgl"],
}
AUDITED = {
    "audit-sget-train": ["grammars/sget.sgl", "sget/train.tsv", "--set", "published=on"],
    "audit-sget-dev": ["grammars/sget.sgl", "sget/dev.tsv", "--set", "published=on"],
    "audit-cogs-dev": ["grammars/cogs.sgl", "cogs/dev.tsv"],
    "audit-slog-dev": ["grammars/slog.sgl", "slog/dev.cogs.tsv"],
}
EXITS = {
    "check": ["check", "docs/examples/farm.sgl"],
    "check-wrong": ["prove", "docs/examples/wrong.sgl"],
    "no-grammar": ["check", "nowhere.sgl"],
    "no-dataset": ["verify", "nowhere"],
    "no-command": ["chek"],
    "no-option": ["check", "docs/examples/farm.sgl", "--nothing"],
    "explain": ["explain", "SGL0811"],
    "no-code": ["explain", "SGL9"],
}


def main() -> int:
    """Compare or record; the exit status is 1 if anything differs."""
    parser = command_line(__doc__)
    parser.add_argument("runs", nargs="*", help="the runs to make (all)")
    parser.add_argument("--update", action="store_true", help="record what comes out")
    options = parser.parse_args()
    golden: dict[str, Any] = json.loads(GOLDEN.read_text("utf-8")) if GOLDEN.exists() else {}
    different = 0
    for name, make in runs().items():
        if options.runs and name not in options.runs:
            continue
        made = make()
        if made is None:
            print(f"{name}: the published data is not there, skipped")
        elif options.update:
            golden[name] = made
            GOLDEN.write_text(json.dumps(golden, indent=1, sort_keys=True) + "\n", "utf-8")
            print(f"{name}: recorded")
        else:
            found = differences(golden.get(name), made)
            different += bool(found)
            print(f"{name}: {'same' if not found else 'DIFFERENT'}", *found, sep="\n    ")
    return 1 if different else 0


def runs() -> dict[str, Callable[[], Any]]:
    """Return the runs by name; each returns its values, or `None` where its data is missing."""
    return {
        **{name: (lambda a=arguments: compiled(a)) for name, arguments in COMPILED.items()},
        **{name: (lambda a=arguments: audited(a)) for name, arguments in AUDITED.items()},
        "exit-codes": lambda: {name: sglc(*arguments) for name, arguments in EXITS.items()},
    }


def compiled(arguments: list[str]) -> dict[str, Any]:
    """Compile a grammar and return the hashes of what the dataset holds."""
    with tempfile.TemporaryDirectory() as directory:
        out = Path(directory) / "out"
        code = sglc("compile", *arguments, "--out", str(out))
        certificate = json.loads((out / "certificate.json").read_text("utf-8"))
        manifest = json.loads((out / "manifest.json").read_text("utf-8"))
        # Every state of the compiler has a build of its own.
        build = f"+{manifest['compiler']['build']}|"
        verification = json.loads((out / "verification.json").read_text("utf-8").replace(build, "|"))
        folders = ("data", "conllu", "derivations")
        files = sorted(path for folder in folders for path in (out / folder).rglob("*.*"))
        return {
            "exit code": code,
            "items": sum(split["items"] for split in manifest["splits"].values()),
            "files": {p.relative_to(out).as_posix(): digest(p.read_bytes()) for p in files},
            "rows": {
                p.relative_to(out).as_posix(): digest_of_rows(p) for p in sorted((out / "parquet").rglob("*.parquet"))
            },
            "certificate": digest_of_value(certificate),
            "claims": digest_of_value(certificate["claims"]),
            "guarantees": digest_of_value(manifest["guarantees"]),
            "splits": digest_of_value(manifest["splits"]),
            "verification": digest_of_value(verification),
        }


def audited(arguments: list[str]) -> dict[str, Any] | None:
    """Audit a published file and return the figures, or `None` if the file is missing."""
    grammar, corpus, *options = arguments
    if not (PUBLISHED / corpus).exists():
        return None
    with tempfile.TemporaryDirectory() as directory:
        result = Path(directory) / "audit.json"
        code = sglc("audit", grammar, str(PUBLISHED / corpus), *options, "--json", str(result))
        text = result.read_text("utf-8").replace(str(PUBLISHED / corpus), corpus)
    value = json.loads(text)
    figures = {key: part for key, part in value.items() if isinstance(part, int | float | str)}
    return {"exit code": code, "figures": figures, "all": digest_of_value(value)}


def sglc(*arguments: str) -> int:
    """Run the command without output and return its exit code."""
    command = [sys.executable, "-m", "sgl", *arguments]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.run(command, cwd=ROOT, check=False, **quiet).returncode


def digest(content: bytes) -> str:
    """Return the SHA-256 in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def digest_of_value(value: object) -> str:
    """Return the SHA-256 of a value as JSON with sorted keys."""
    return digest(json.dumps(value, sort_keys=True, ensure_ascii=False).encode())


def digest_of_rows(path: Path) -> str:
    """Return the SHA-256 of the rows and column names of a Parquet file."""
    import pyarrow.parquet

    whole = hashlib.sha256()
    for batch in pyarrow.parquet.ParquetFile(path).iter_batches(10_000):
        for row in batch.to_pylist():
            # Counts are hashed in the form of the first golden values: `acl:relcl=0;nmod=1`.
            if isinstance(counts := row.get("features", ""), dict):
                row["features"] = ";".join(f"{label}={count}" for label, count in counts.items())
            whole.update(json.dumps(row, ensure_ascii=False).encode() + b"\n")
    return whole.hexdigest()


def differences(golden: Any, made: Any, place: str = "") -> list[str]:  # noqa: ANN401 - JSON
    """Return the places where two JSON values differ."""
    if isinstance(golden, dict) and isinstance(made, dict):
        return [
            line
            for key in sorted({*golden, *made})
            for line in differences(golden.get(key), made.get(key), f"{place}/{key}")
        ]
    return [] if golden == made else [f"{place or '/'}: {golden} -> {made}"]


if __name__ == "__main__":
    sys.exit(main())
