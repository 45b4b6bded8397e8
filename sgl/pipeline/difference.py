"""Compare two versions of a dataset, and determine the number that the new version needs.

The rows of a pattern in a split are compared as a multiset.  A removed row counts as *changed* if the other version has
its source with another target.  A claim is changed if its result is, or if its pattern holds out or requires something
else.  Versions are semantic: removals and changes raise the first number, additions the second.
"""

from collections import Counter
from pathlib import Path
from typing import Any

from sgl.dataset import compiler_of, manifest_of
from sgl.foreign import BENCHMARK, lines_of, read_text

#: The members of a pattern on which a claim depends; the parts of a version.
_CLAIMED, _RAISED = ("forbid", "never", "gen", "exclude", "needs"), ("major", "minor", "patch")

#: Names with their values: sources with targets, claims with results.
_Content = Counter[tuple[str, str]]


def difference(first: Path, second: Path) -> dict[str, Any]:
    """Return the additions, removals and changes for each pattern, and the version that follows from them."""
    (before, old), (after, new) = _read(first), _read(second)
    changes = [_change(*key, old.get(key, _Content()), new.get(key, _Content())) for key in dict.fromkeys([*old, *new])]
    changes = [change for change in changes if change["added"] or change["removed"] or change["changed"]]
    place = 0 if any(change["removed"] or change["changed"] for change in changes) else 1 if changes else 2
    numbers = [int(number) for number in before.split(".") if number.isdecimal()]
    raised = [*numbers[:place], numbers[place] + 1, 0, 0][:3] if len(numbers) == len(_RAISED) else []
    versions = {"first": before, "second": after, "follows": ".".join(map(str, raised))}
    compilers = {"first": compiler_of(first), "second": compiler_of(second)}
    return {"changes": changes, "raises": _RAISED[place], "versions": versions, "compilers": compilers}


def _read(directory: Path) -> tuple[str, dict[tuple[str, str], _Content]]:
    """Return the version of a dataset, and the rows and claims of each split and pattern."""
    manifest, found = manifest_of(directory), dict[tuple[str, str], _Content]()
    folders = ["data", *(f"data/{target}" for target in manifest["layers"]["further"].texts())]
    listed = {entry["path"].of(str) for entry in manifest["files"].elements()}
    for split in manifest["splits"].members():
        paths = [*(f"{folder}/{split}.tsv" for folder in folders), f"references/{split}.jsonl"]
        files = [lines_of(read_text(directory / path, BENCHMARK, inside=directory)) for path in paths if path in listed]
        # A row is its source with its targets, and with all right answers if there are several.
        for first, *others in zip(*files, strict=False):
            source, target, pattern, *_ = f"{first}\t\t".split("\t")
            found.setdefault((split, pattern), _Content())[source, "\n".join((target, *others))] += 1
    patterns = {pattern["name"].of(str): pattern.of(dict) for pattern in manifest["patterns"].elements()}
    for claim in manifest["guarantees"].elements():
        name, kind, method, result = (claim[each].of(str) for each in ("pattern", "claim", "method", "result"))
        said = [patterns.get(name, {}).get(member) for member in _CLAIMED]
        found.setdefault(("claims", name), _Content())[f"{kind}, {method}", f"{result} {said}"] += 1
    release = manifest.members().get("release")
    return "" if release is None else release["version"].of(str), found


def _change(split: str, pattern: str, old: _Content, new: _Content) -> dict[str, Any]:
    gone, come = old - new, new - old
    changed = (Counter(name for name, _ in gone.elements()) & Counter(name for name, _ in come.elements())).total()
    added, removed = come.total() - changed, gone.total() - changed
    return {"split": split, "pattern": pattern, "added": added, "removed": removed, "changed": changed}
