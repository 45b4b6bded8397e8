"""A tiny dataset written by hand: 15 sentences, two patterns, a part, all files.

Sentences are written word by word as ``form/lemma/UPOS/HEAD:relation``, with
further edges of the enhanced graph after a plus sign::

    What/what/PRON/4:~obj did/do/AUX/4:aux she/she/PRON/4:nsubj see/see/VERB/0:root
    saw/see/VERB/5:acl:relcl  dog/dog/NOUN/3:obj+5:~obj

Tests change a copy, write it, and ask the verifier.  Nothing here uses the
compiler's writers.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from sgl import verify as verifier
from sgl.verify import Report

#: The checks that need a certificate, which the tiny dataset does not have.
BY_CERTIFICATE = dict.fromkeys(("V025", "V030", "V031"), "there is no certificate")

verify = partial(verifier.verify, omitted=BY_CERTIFICATE)

PP_IN_SUBJECT = "{ V -[nsubj]-> N; N -[nmod]-> M }"
PP_IN_OBJECT = "{ V -[obj]-> N; N -[nmod]-> M }"
CAT_AS_OBJECT = "{ V -[obj|~obj]-> N[lemma=cat] }"
CAT_AS_SUBJECT = "{ V -[nsubj]-> N[lemma=cat] }"
CAT = "{ N[lemma=cat] }"
COMPLEMENT = "{ V -[ccomp]-> W }"
ADJECTIVE = "{ N -[amod]-> A }"
TWO_CLAUSES = "{ V -[conj]-> W }"
QUESTION = "{ V -[~obj]-> W[lemma=what] }"


@dataclass
class Sentence:
    """A sentence of the dataset; ``source`` and ``target`` follow from its words."""

    words: str
    category: str = "in_distribution"
    comments: dict[str, str] = field(default_factory=dict)

    @property
    def forms(self) -> list[str]:
        return [word.split("/")[0] for word in self.words.split()]

    @property
    def source(self) -> str:
        return " ".join(self.forms).replace(" .", ".")

    @property
    def target(self) -> str:
        return "".join(word.split("/")[1] for word in self.words.split()) + "。"

    def conllu(self, sent_id: str) -> str:
        comments = {
            "sent_id": sent_id,
            "category": self.category,
            "text": self.source,
            "text_ja": self.target,
        } | self.comments
        lines = [f"# {key} = {value}" for key, value in comments.items()]
        words = [word.split("/", 3) for word in self.words.split()]
        for number, (form, lemma, upos, edges) in enumerate(words, 1):
            first, *others = [edge.split(":", 1) for edge in edges.split("+")]
            misc = ["Extracted=Yes"] if first[1].startswith("~") else []
            if words[number : number + 1] and words[number][0] == ".":
                misc.append("SpaceAfter=No")
            plain = [(int(head), label.lstrip("~")) for head, label in (first, *others)]
            deps = "|".join(f"{head}:{label}" for head, label in sorted(plain))
            cells = [number, form, lemma, upos, "_", "_", *plain[0], deps, "|".join(misc) or "_"]
            lines.append("\t".join(map(str, cells)))
        return "\n".join(lines) + "\n\n"


def said(subject: str, verb: str, item: str, category: str = "in_distribution") -> Sentence:
    """``The dog saw a cat.``"""
    return Sentence(
        f"The/the/DET/2:det {subject}/{subject}/NOUN/3:nsubj {verb}/{verb}/VERB/0:root "
        f"a/a/DET/5:det {item}/{item}/NOUN/3:obj ././PUNCT/3:punct",
        category,
    )


def pp_in_object(subject: str, item: str, place: str) -> Sentence:
    """``The dog saw a book near Emma.``"""
    return Sentence(
        f"The/the/DET/2:det {subject}/{subject}/NOUN/3:nsubj saw/see/VERB/0:root "
        f"a/a/DET/5:det {item}/{item}/NOUN/3:obj near/near/ADP/7:case "
        f"{place}/{place}/PROPN/5:nmod ././PUNCT/3:punct"
    )


def pp_in_subject(subject: str, place: str, verb: str = "slept") -> Sentence:
    """``The dog near Emma slept.``"""
    return Sentence(
        f"The/the/DET/2:det {subject}/{subject}/NOUN/5:nsubj near/near/ADP/4:case "
        f"{place}/{place}/PROPN/2:nmod {verb}/{verb}/VERB/0:root ././PUNCT/5:punct",
        "pp_in_subject",
    )


def embedded(name: str, subject: str, place: str) -> Sentence:
    """``Emma said the dog near Lina slept.``"""
    return Sentence(
        f"{name}/{name}/PROPN/2:nsubj said/say/VERB/0:root the/the/DET/4:det "
        f"{subject}/{subject}/NOUN/7:nsubj near/near/ADP/6:case {place}/{place}/PROPN/4:nmod "
        "slept/slept/VERB/2:ccomp ././PUNCT/2:punct",
        "pp_in_subject",
    )


def question(subject: str) -> Sentence:
    """``What did the dog see.``"""
    return Sentence(
        "What/what/PRON/5:~obj did/do/AUX/5:aux the/the/DET/4:det "
        f"{subject}/{subject}/NOUN/5:nsubj see/see/VERB/0:root ././PUNCT/5:punct"
    )


def joined(first: str, second: str, category: str = "part:joined") -> Sentence:
    """``The dog slept the girl saw.``"""
    return Sentence(
        f"The/the/DET/2:det {first}/{first}/NOUN/3:nsubj slept/slept/VERB/0:root "
        f"the/the/DET/5:det {second}/{second}/NOUN/6:nsubj saw/see/VERB/3:conj ././PUNCT/3:punct",
        category,
    )


@dataclass
class Tiny:
    """The dataset: its sentences by split, and the parts of its manifest."""

    splits: dict[str, list[Sentence]]
    patterns: list[dict[str, object]]
    distinct: dict[str, object] = field(
        default_factory=lambda: {"sentences": True, "lemmas": ["NOUN", "PROPN"], "layer": "syn"}
    )
    strata: dict[str, dict[str, int]] = field(default_factory=dict)
    repeated: set[str] = field(default_factory=set)
    parts: list[dict[str, object]] = field(
        default_factory=lambda: [
            {
                "name": "joined",
                "title": "",
                "only": [TWO_CLAUSES],
                "quotas": [{"extent": {"count": 1}, "within": [], "outside": [COMPLEMENT]}],
                "repeated_lemmas": True,
                "allow": [],
            }
        ]
    )
    nowhere: list[str] = field(default_factory=lambda: [QUESTION])
    parquet: bool = True
    policy: str = "reject"
    readings: dict[str, dict[str, object]] = field(default_factory=dict)
    ambiguous: dict[str, int] = field(default_factory=dict)
    verdicts: dict[str, str] = field(default_factory=dict)

    def pattern(self, name: str) -> dict[str, object]:
        return next(pattern for pattern in self.patterns if pattern["name"] == name)

    def write(self, directory: Path) -> Path:
        """Write all files and a manifest that fits them."""
        for split, sentences in self.splits.items():
            write_split(directory, split, sentences, self.parquet)
        write_manifest(directory, self.manifest())
        return directory

    def extents(self, split: str, category: str) -> dict[str, dict[str, object]]:
        """The extents of the quotas of a category, by what they add to its stream."""
        kind, _, name = category.rpartition(":")
        for owner in self.parts if kind == "part" else self.patterns:
            if owner["name"] == name and split == ("gen" if not kind else "train"):
                return by_number(*owner["expose" if kind == "exposure" else "quotas"])  # type: ignore[misc]
        return {}

    def strata_of(self, split: str, category: str, count: int) -> list[dict[str, object]]:
        """The strata of a category: one for each quota, of which the last has what is left."""
        extents = self.extents(split, category) or {"": {"count": count}}
        strata = list[dict[str, object]]()
        for ending, extent in extents.items():
            wanted = int(str(extent.get("count", 0))) * int(str(extent.get("copies", 1)))
            own = count if ending == [*extents][-1] else min(count, wanted)
            count -= own
            stratum = {
                "category": category,
                "stream": f"{split}/{category}{ending}",
                "extent": extent | {"repeated": category in self.repeated},
                "count": own,
                "rejected": {"ambiguous": self.ambiguous.get(category, 0)},
                "readings": one_reading(own) | self.readings.get(category, {}) if self.policy != "ignore" else None,
            }
            strata.append(stratum)
        return strata

    def manifest(self) -> dict[str, object]:
        splits = {}
        for split, sentences in self.splits.items():
            found = Counter(sentence.category for sentence in sentences)
            counts = self.strata.get(split, found)
            splits[split] = {
                "items": sum(counts.values()),
                "strata": [stratum for name, count in counts.items() for stratum in self.strata_of(split, name, count)],
            }
        items = sum(split["items"] for split in splits.values())
        return {
            "format": "sgl-dataset/3",
            "name": "tiny",
            "identity": f"sgl:0.1.0|edition:2026|grammar:sha256:{'0' * 12}|seed:1|items:{items}",
            "compiler": {"version": "0.1.0", "edition": "2026"},
            "grammar": {"sha256": "0" * 64},
            "seed": 1,
            "layers": {
                "source": "en",
                "target": "ja",
                "text": ["en", "ja"],
                "graph": [{"name": "syn", "anchor": "en"}],
            },
            "distinct": self.distinct,
            "splits": splits,
            "patterns": self.patterns,
            "parts": self.parts,
            "nowhere": self.nowhere,
            "ambiguous": {"policy": self.policy, "layer": "en"},
            "guarantees": [
                {
                    "pattern": pattern["name"],
                    "claim": "string level",
                    "method": "parsing",
                    "result": self.verdicts.get(str(pattern["name"]), "checked"),
                }
                for pattern in self.patterns
            ],
        }


def by_number(*quotas: object) -> dict[str, dict[str, object]]:
    """The extents of quotas by their numbers."""
    return {f"/{number}": quota["extent"] for number, quota in enumerate(quotas)}  # type: ignore[index]


def one_reading(strings: int) -> dict[str, object]:
    """The figures of strings that have been parsed and have one reading each."""
    numbers = dict.fromkeys(("several", "held_out", "outputs", "ambiguous"), 0)
    return {"parsed": strings, **numbers, "patterns": {}}


def tiny() -> Tiny:
    """A dataset without any violation."""
    exposures = [
        said("cat", "saw", "dog", "exposure:cat_as_object"),
        said("cat", "saw", "book", "exposure:cat_as_object"),
    ]
    said_that = Sentence(
        "Lina/Lina/PROPN/2:nsubj said/say/VERB/0:root the/the/DET/5:det big/big/ADJ/5:amod "
        "dog/dog/NOUN/6:nsubj slept/slept/VERB/2:ccomp ././PUNCT/2:punct"
    )
    return Tiny(
        splits={
            "train": [
                said("dog", "saw", "book"),
                said("girl", "saw", "dog"),
                pp_in_object("dog", "book", "Emma"),
                pp_in_object("girl", "book", "Lina"),
                said_that,
                joined("dog", "dog"),
                *exposures,
            ],
            "dev": [said("girl", "saw", "book")],
            "test": [said("dog", "saw", "girl")],
            "gen": [
                pp_in_subject("dog", "Emma"),
                pp_in_subject("girl", "Emma"),
                embedded("Emma", "dog", "Lina"),
                said("dog", "saw", "cat", "cat_as_object"),
                said("girl", "saw", "cat", "cat_as_object"),
            ],
        },
        patterns=[
            pattern(
                "pp_in_subject",
                forbid=[PP_IN_SUBJECT],
                exclude=[ADJECTIVE],
                need=[{"structure": PP_IN_OBJECT, "minimum": 2}],
                quotas=[
                    {"extent": {"count": 2}, "within": [], "outside": [COMPLEMENT]},
                    {"extent": {"count": 1}, "within": [COMPLEMENT], "outside": []},
                ],
            ),
            pattern(
                "cat_as_object",
                forbid=[CAT_AS_OBJECT],
                gen=["{ V -[obj]-> N[lemma=cat] }"],
                need=[{"structure": CAT_AS_SUBJECT, "minimum": 1}],
                expose=[{"structure": CAT_AS_SUBJECT, "extent": {"count": 2}}],
                reserved=[CAT],
                targets=["dog", "girl"],
                quotas=[{"extent": {"count": 2, "targets": ["dog", "girl"]}}],
            ),
        ],
    )


def pattern(name: str, **clauses: object) -> dict[str, object]:
    """A pattern of the manifest with the given clauses, the rest empty."""
    lists = ("forbid", "never", "gen", "exclude", "reserved", "need", "expose", "quotas", "allow")
    return (
        {"name": name, "title": "", "groups": [], "targets": [], "layer": "syn"}
        | {clause: [] for clause in lists}
        | clauses
    )


def write_split(directory: Path, split: str, sentences: list[Sentence], parquet: bool) -> None:
    """Write the three files of a split."""
    folders = ("data", "conllu", *(["parquet"] if parquet else []))
    for folder in folders:
        (directory / folder).mkdir(parents=True, exist_ok=True)
    conllu = [sentence.conllu(f"{split}-{number:06d}") for number, sentence in enumerate(sentences, 1)]
    (directory / f"conllu/{split}.conllu").write_text("".join(conllu), encoding="utf-8")
    rows = [(sentence.source, sentence.target, sentence.category) for sentence in sentences]
    tsv = "".join("\t".join(row) + "\n" for row in rows)
    (directory / f"data/{split}.tsv").write_text(tsv, encoding="utf-8")
    if parquet:
        columns = dict(zip(("source", "target", "category"), zip(*rows, strict=True), strict=True))
        columns["split_kind"] = tuple(map(split_kind, columns["category"]))
        pq.write_table(pa.table(columns), directory / f"parquet/{split}.parquet")


def split_kind(category: str) -> str:
    if category == "in_distribution":
        return "iid"
    if category.startswith("part:"):
        return "part"
    return "exposure" if category.startswith("exposure:") else "gen"


def write_manifest(directory: Path, manifest: dict[str, object]) -> None:
    """Write the manifest, with the files as they are now unless it lists them."""
    if "files" not in manifest:
        manifest = manifest | {"files": listed(directory)}
    text = json.dumps(manifest, ensure_ascii=False, indent=1)
    (directory / "manifest.json").write_text(text, encoding="utf-8")
    write_checksums(directory)


def write_checksums(directory: Path) -> None:
    """Write the list of all files as they are now."""
    files = sorted(path for path in directory.rglob("*") if path.is_file())
    names = [path.relative_to(directory).as_posix() for path in files]
    lines = [
        f"{sha256((directory / name).read_bytes()).hexdigest()}  {name}\n"
        for name in sorted(names)
        if name != "SHA256SUMS"
    ]
    (directory / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")


def listed(directory: Path) -> list[dict[str, object]]:
    """The data files with their hashes and rows."""
    files = []
    for path in sorted(directory.glob("*/*")):
        content = path.read_bytes()
        if path.suffix == ".tsv":
            rows = content.count(b"\n")
        elif path.suffix == ".conllu":
            rows = content.count(b"\n\n")
        else:
            rows = pq.read_metadata(path).num_rows
        name = path.relative_to(directory).as_posix()
        files.append({"path": name, "sha256": sha256(content).hexdigest(), "rows": rows})
    return files


def failed(report: Report) -> set[str]:
    """The codes of the checks that a dataset fails, but for the list of all files (V028).

    A test that changes a file would have to write the list anew; V028 has tests of its own.
    """
    return {result.code for result in report.failed} - {"V028"}


def explain(report: Report) -> str:
    """Everything that is wrong, to show when a test fails."""
    return "\n".join(f"{r.code} {r.status} {v}" for r in report.results for v in r.violations)


def foreign_structure(data: Tiny) -> None:
    """An item of one pattern with what another holds out."""
    sentence = Sentence(
        "The/the/DET/2:det dog/dog/NOUN/5:nsubj near/near/ADP/4:case Emma/Emma/PROPN/2:nmod "
        "saw/see/VERB/0:root a/a/DET/7:det cat/cat/NOUN/5:obj ././PUNCT/5:punct",
        "pp_in_subject",
    )
    data.splits["gen"][0] = sentence


def sentence_in_two_splits(data: Tiny) -> None:
    """A training sentence in dev."""
    data.splits["dev"].append(said("dog", "saw", "book"))


def repeated_sentence(data: Tiny) -> None:
    """A training sentence twice."""
    data.splits["train"].insert(0, said("dog", "saw", "book"))
