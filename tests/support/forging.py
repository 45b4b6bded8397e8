"""How datasets are forged, and how it is told whether a forgery passes.

A *forgery* is a small named function that changes a copy of an honest dataset.  Its docstring
says in words what it changes, and it names the code that must refuse it::

    @forgery("rows", "R03")
    def two_rows_change_places(of: Forger) -> None:
        \"\"\"Two training rows change places, in all files alike.\"\"\"

The forger does not stop there.  Whatever was changed, all counts, hashes, the digest of the
certificate and ``SHA256SUMS`` are computed again, so that no checksum gives the forgery away.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from sgl.dataset.staged import CHECKSUMS, write_checksums
from sgl.verify import Report
from tampering.copy import Copy

Json = Any
CERTIFICATE, MANIFEST = "certificate.json", "manifest.json"

#: The family of datasets that are consistent in themselves, under a signature of another.
SIGNED = "another dataset under the published signature"

#: A code of the checker of certificates or of rows, at the head of what a check says.
_CODE = re.compile(r"[CR]\d\d(?= )")
_COMPACT: Json = {"ensure_ascii": False, "separators": (",", ":")}


class Forger(Copy):
    """The copy of a dataset that is forged; what is changed here is written when it is sealed."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self._certificate: Json = None

    # ---- the certificate

    @property
    def certificate(self) -> Json:
        """What the certificate says; changes of it are written."""
        if self._certificate is None:
            self._certificate = json.loads(self.text(CERTIFICATE))
        return self._certificate

    @property
    def grammar(self) -> Json:
        return self.certificate["core"]["grammar"]

    @property
    def plan(self) -> Json:
        return self.certificate["core"]["plan"]

    def rule(self, name: str, text: str = "") -> Json:
        """The first rule of this name, with a text in it."""
        rules = self.grammar["rules"]
        return next(r for r in rules if r["name"] == name and text in json.dumps(r, ensure_ascii=False))

    def rule_number(self, name: str, text: str = "") -> int:
        return int(self.grammar["rules"].index(self.rule(name, text)))

    def structure(self, text: str) -> Json:
        """The structure with this text in its name."""
        return next(s for s in self.certificate["structures"] if text in s["name"])

    def claim(self, word: str, kind: str) -> Json:
        """The first claim of this word and kind."""
        return next(c for c in self.certificate["claims"] if (c["claim"], c["kind"]) == (word, kind))

    def split(self, stream: str) -> Json:
        """The split of a stream, by the head of its name."""
        strata = [n for n, own in enumerate(self.plan["strata"]) if own["stream"].startswith(stream)]
        return next(s for s in self.certificate["splits"] if strata[0] in s["strata"])

    # ---- texts

    def text(self, path: str) -> str:
        return (self.directory / path).read_text("utf-8")

    def write_text(self, path: str, text: str) -> None:
        (self.directory / path).write_bytes(text.encode("utf-8", "surrogatepass"))

    def replace(self, path: str, old: str, new: str, count: int = 1) -> None:
        """Replace a text in a file, the first time that it occurs."""
        before = self.text(path)
        assert old in before, f"{path} has no {old!r}"
        self.write_text(path, before.replace(old, new, count))

    def edit(self, path: str, change: Callable[[list[str]], object]) -> None:
        """Edit the lines of a file, or the sentences of a CoNLL-U file, as a list."""
        end = "\n\n" if path.endswith(".conllu") else "\n"
        parts = self.text(path).split(end)[:-1]
        change(parts)
        self.write_text(path, "".join(part + end for part in parts))

    def reload(self) -> None:
        """Read manifest and certificate again, which were changed as texts."""
        self.manifest = json.loads(self.text(MANIFEST))
        self._certificate = json.loads(self.text(CERTIFICATE))

    def abandon_certificate(self) -> None:
        """Write no certificate when the dataset is sealed."""
        self._certificate = None

    # ---- the end

    def seal(self) -> None:
        """Make everything consistent: digest, identity, counts, hashes, list of files."""
        if self._certificate is not None:
            self.write_certificate()
        if (self.directory / MANIFEST).is_file():
            self._agree()
            self.rehash()
        write_checksums(self.directory, {})

    def write_certificate(self) -> None:
        content = self._certificate
        if isinstance(content.get("core"), dict) and "digest" in content:
            content["digest"] = digest(content["core"])
            if "sha256" in self.manifest.get("grammar", ()):
                self.manifest["grammar"]["sha256"] = content["digest"]
        self.write_text(CERTIFICATE, json.dumps(content, **_COMPACT) + "\n")

    def _agree(self) -> None:
        """Compute the identity from the manifest."""
        manifest = self.manifest
        head = manifest["identity"].split("|grammar:")[0]
        items = sum(split["items"] for split in manifest["splits"].values())
        manifest["identity"] = (
            f"{head}|grammar:sha256:{manifest['grammar']['sha256'][:12]}|seed:{manifest['seed']}|items:{items}"
        )

    @property
    def signature(self) -> str:
        """The signature that the dataset has now."""
        listed = (self.directory / CHECKSUMS).read_bytes()
        return f"{self.manifest['identity']}|files:sha256:{sha256(listed).hexdigest()}"


def digest(core: Json) -> str:
    """The digest of a core, by the rule of the documentation."""
    text = json.dumps(core, sort_keys=True, **_COMPACT)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


# ---- forgeries


@dataclass(frozen=True)
class Forgery:
    """A way of forging a dataset: ``refused_by`` is the code that must notice it."""

    family: str
    refused_by: str
    dataset: str
    sealed: bool
    act: Callable[[Forger], object]

    @property
    def name(self) -> str:
        return self.act.__name__.strip("_").replace("_", " ")

    @property
    def words(self) -> str:
        return " ".join((self.act.__doc__ or "").split())


FORGERIES: dict[str, Forgery] = {}


def forgery(
    family: str, refused_by: str, dataset: str = "farm", *, sealed: bool = True
) -> Callable[[Callable[[Forger], object]], Callable[[Forger], object]]:
    """Register a forgery; without ``sealed`` its own hashes are left as they are."""

    def register(act: Callable[[Forger], object]) -> Callable[[Forger], object]:
        made = Forgery(family, refused_by, dataset, sealed, act)
        assert made.name not in FORGERIES, f"two forgeries are called {made.name}"
        assert made.words, f"nothing says what {made.name} changes"
        FORGERIES[made.name] = made
        return act

    return register


# ---- verdicts


def codes(report: Report) -> set[str]:
    """The codes of all that a report refuses: of checks, and what their checkers say."""
    failed = [result for result in report.results if result.status == "failed"]
    said = " ".join(str(violation) for result in failed for violation in result.violations)
    return {*(result.code for result in failed), *_CODE.findall(said)}


def forge(forged: Forgery, directory: Path) -> str:
    """Forge the dataset in a directory; return the signature that was published, if it counts."""
    forger = Forger(directory)
    published = forger.signature if forged.family == SIGNED else ""
    before = _snapshot(directory)
    forged.act(forger)
    if forged.sealed:
        forger.seal()
    assert _snapshot(directory) != before, f"{forged.name} changes nothing"
    return published


def missed(forged: Forgery, report: Report) -> str:
    """Say what a verifier misses in a forgery, if it does."""
    found = codes(report)
    if report.ok:
        return f"{forged.name}: accepted"
    if forged.refused_by not in found:
        return f"{forged.name}: not refused by {forged.refused_by}, but by {sorted(found)}"
    return ""


def misjudged(report: Report) -> str:
    """Say what a verifier finds wrong in an honest dataset, if it does."""
    return ", ".join(f"{result.code} {result.violations[0]}" for result in report.failed)


def _snapshot(directory: Path) -> dict[str, bytes]:
    files = (path for path in directory.rglob("*") if path.is_file() and not path.is_symlink())
    return {path.relative_to(directory).as_posix(): path.read_bytes() for path in files}
