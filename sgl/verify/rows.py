"""Check the rows of a dataset against its certificate: ``python rows.py DIRECTORY``.

Every row is drawn again with the tables of ``certificate.json``, from the seed, its stream and its
number there; passes the tests of a candidate; and is written again from its derivation.  The files
must have these bytes.  docs/certificate.md has the formats, the tests and the codes.  The
certificate itself is for ``certificate.py`` to accept.
"""

import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

if __package__:
    from sgl.verify.certificate import FAULTS, Checker
    from sgl.verify.derivation import Derivation, Interpreter
else:
    sys.path.append(str(Path(__file__).parents[2]))  # where views are found
    from certificate import FAULTS, Checker  # type: ignore[import-not-found,no-redef]
    from derivation import Derivation, Interpreter  # type: ignore[import-not-found,no-redef]

Json = Any  # a part of the certificate
TRAIN, GENERALIZATION, ACCEPTED, AMBIGUOUS = "train", "gen", "accepted", "ambiguous"
LONGEST = 10_000  # rules of a derivation
STEPS, BYTE = 10_000_000, 1_000  # the budget: rules and letters in all, more for each byte listed
MASK, GAMMA = (1 << 64) - 1, 0x9E3779B97F4A7C15
CODES = {"derivations": "R03", "data": "R04", "conllu": "R05"}


class Refusal(ValueError):
    """What is wrong with the rows; it begins with a code."""


def mix(key: int) -> int:
    """Return the 64 random bits of a key, by SplitMix64."""
    key = ((key ^ (key >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    key = ((key ^ (key >> 27)) * 0x94D049BB133111EB) & MASK
    return key ^ (key >> 31)


class Rows:
    """The rows of a dataset; ``outcomes`` counts for each stream what became of candidates."""

    def __init__(self, directory: Path) -> None:
        checker = Checker((directory / "certificate.json").read_bytes())
        self.directory, self.data, self.tables = directory, checker.data, checker.tables
        self.plan = self.data["core"]["plan"]
        self.meaning = Interpreter(self.data["core"]["grammar"])
        self.symbols = self.data["symbols"]
        self.outcomes = dict[str, Counter[str]]()
        self.seen, self.exposed = dict[str, str](), set[str]()
        self.steps, self.rejected = STEPS, list[list[str]]()
        self.lemmas = self.meaning.lemmas(self.plan["lemma_layer"])

    def draw(self, state: int, key: int) -> Derivation:
        """Return the candidate that a key stands for; () if it is too long."""
        rules, waiting = list[int](), [state]
        while waiting and len(rules) + len(waiting) <= LONGEST:
            bounds, choices, children = self.data["sampler"]["states"][waiting.pop()]
            key = (key + GAMMA) & MASK
            choice = bisect_right(bounds, mix(key) * bounds[-1] >> 64)
            rules.append(choices[choice])
            waiting += children[choice]
        self.steps -= len(rules)
        if self.steps < 0:
            raise Refusal("R07 the budget of steps is used up")
        return () if waiting else tuple(rules)

    def accepted(self, stratum: Json, start: int) -> Iterator[tuple[str, Derivation]]:
        """Yield the candidates of a stratum that are accepted: their names and derivations."""
        split, _, stream, wanted, repeated, targets, repeated_lemmas, _ = stratum
        key = int.from_bytes(sha256(f"{self.data['seed']}/{stream}".encode()).digest()[:8], "big")
        least, more = divmod(wanted, len(targets) or 1)
        room = {target: least + (n < more) for n, target in enumerate(targets)}
        trains = split != TRAIN and any(s[0] == TRAIN and s[3] for s in self.plan["strata"])
        counts = self.outcomes[stream] = Counter[str]()
        while counts[ACCEPTED] < wanted:
            name, number = f"{stream}#{counts.total()}", counts.total() + 1
            own = self.draw(start, mix((key + number * GAMMA) & MASK))
            lemmas = [lemma for rule in own for lemma in self.lemmas[rule]]
            used, distinct = {lemma for lemma, _ in lemmas}, self.plan["distinct_lemmas"]
            once = [lemma for lemma, upos in lemmas if upos in distinct]
            target = next((target for target in targets if target in used), "")
            text = self.meaning.text(self.plan["source"], own) if own else ""
            self.steps -= len(text)
            first = self.seen.get(text) if self.plan["distinct_sentences"] else None
            reasons = {
                "too_long": not own,
                "repeated_lemma": len({*once}) < len(once) and not repeated_lemmas,
                "unexposed_word": trains and not used <= self.exposed,
                "share_full": targets and not room.get(target),
                "repeated_sentence": first is not None and not (repeated and first == stream),
                AMBIGUOUS: self.rejected and self.rejected[-1][0] == name,
            }
            reason = next((reason for reason, holds in reasons.items() if holds), ACCEPTED)
            counts[reason] += 1
            if reason == AMBIGUOUS:
                self.check_ambiguous(split, own, *self.rejected.pop())
            elif reason == ACCEPTED:
                self.seen[text], room[target] = stream, room.get(target, 0) - 1
                self.exposed |= used if split == TRAIN else set()
                yield name, own

    def check_ambiguous(self, split: str, own: Derivation, name: str, listed: str) -> None:
        """Check that another reading of the sentence of a candidate shows why it is rejected."""
        meaning, source = self.meaning, self.plan["source"]
        other = tuple(range(len(meaning.rules))[int(rule)] for rule in listed.split(" "))
        if not meaning.is_text(other):
            raise Refusal(f"R06 {name}: what is listed is no derivation of a text")
        if own == other or meaning.text(source, own) != meaning.text(source, other):
            raise Refusal(f"R06 {name}: what is listed is no other reading of its sentence")
        views = (name for name, (kind, *_) in meaning.views.items() if kind != "conllu")
        patterns = self.plan["patterns"]
        held = {(s, p["layer"]) for p in patterns for s in (*p["forbid"], *p["never"])}
        if not any(
            (structure["name"], structure["layer"]) in held and self.contains(number, reading)
            for number, structure in enumerate(self.data["structures"])
            for reading in ((own, other) if split != GENERALIZATION else ())
        ) and all(meaning.text(x, own) == meaning.text(x, other) for x in (*meaning.texts, *views)):
            raise Refusal(f"R06 {name}: what is listed is no reason to reject it")

    def contains(self, structure: int, derivation: Derivation) -> bool:
        """Return whether the automaton of a structure finds it in a derivation."""
        states = dict[int, int]()
        for place, _, below in self.meaning.walk(derivation):
            symbol = self.symbols[derivation[place]]
            states[place] = self.tables[structure].get((symbol, *[states[n] for n in below]), 0)
        return states[0] in self.data["structures"][structure]["accepting"]

    def rows(self) -> Iterator[tuple[str, str, str, Derivation]]:
        """Yield each row that the files have: its split, category, candidate and derivation."""
        plan, folder, numbers = self.plan, self.directory / "derivations", Counter[str]()
        if plan["ambiguous"] == "reject":
            lines = (folder / "rejected.tsv").read_text("utf-8").split("\n")
            self.rejected = [line.split("\t") for line in lines[-2::-1]]
        self.steps += BYTE * sum(path.stat().st_size for path in folder.iterdir())
        with ExitStack() as closing:
            files = {split: self.files(split, closing) for split, *_ in plan["strata"]}
            for stratum, start in zip(plan["strata"], self.data["sampler"]["starts"], strict=True):
                split, category, *_ = stratum
                for name, own in self.accepted(stratum, start):
                    numbers[split] += 1
                    row = f"{split}-{numbers[split]:06d}"
                    texts = self.texts(row, category, name, own)
                    for file, text in zip(files[split], texts, strict=True):
                        if (found := file.read(len(text.encode()))) != text.encode():
                            code = CODES[Path(file.name).relative_to(self.directory).parts[0]]
                            shown = f"{found.decode('utf-8', 'replace')!r} instead of {text!r}"
                            raise Refusal(f"{code} {file.name}, {row}: {shown}")
                    yield split, category, name, own
            for file in chain(*files.values()):
                if file.read(1):
                    raise Refusal(f"R02 {file.name} has more rows than are drawn")
        if self.rejected:
            raise Refusal(f"R06 {self.rejected[-1][0]} is not to be rejected")

    def files(self, split: str, closing: ExitStack) -> list[BinaryIO]:
        """Open the files of a split, for ``closing`` to close."""
        folders = ["derivations", "data", *(f"data/{name}" for name in self.plan["further"])]
        paths = [f"{folder}/{split}.tsv" for folder in folders]
        paths += [f"conllu/{split}.conllu"] if self.plan["lemma_layer"] else []
        return [closing.enter_context((self.directory / path).open("rb")) for path in paths]

    def texts(self, row: str, category: str, name: str, derivation: Derivation) -> Iterator[str]:
        """Yield what each of these files has of a row."""
        targets, layer = [self.plan["target"], *self.plan["further"]], self.plan["lemma_layer"]
        source, text = self.plan["source"], self.meaning.text
        yield f"{name}\t{' '.join(map(str, derivation))}\n"
        for target in targets:
            yield f"{text(source, derivation)}\t{text(target, derivation)}\t{category}\n"
        if layer:
            anchor = self.meaning.graphs[layer][1]
            comments = {"sent_id": row, "category": category, "text": text(anchor, derivation)}
            others = dict.fromkeys((*self.meaning.texts, *targets))
            comments |= {f"text_{x}": text(x, derivation) for x in others if x != anchor}
            above = "".join(f"# {label} = {text}\n" for label, text in comments.items())
            yield f"{above}{self.meaning.sentence(layer, derivation)}\n"


def refusal(problem: Exception) -> str:
    """Return what a problem means for the rows, after a code."""
    if isinstance(problem, OSError):
        return f"R02 {problem.filename}: {problem.strerror}"
    malformed = f"R01 malformed: {type(problem).__name__} {problem}"
    return str(problem) if isinstance(problem, Refusal) else malformed


if __name__ == "__main__":
    try:
        result = f"accepted {sum(1 for _ in Rows(Path(sys.argv[1])).rows())} rows"
    except (OSError, *FAULTS) as error:
        result = refusal(error)
    sys.stdout.write(f"{result}\n")
    sys.exit(not result.startswith("accepted"))
