"""Check the rows of a dataset against its certificate: ``python rows.py DIRECTORY``.

Every row is drawn again with the tables of ``certificate.json``, from its seed, stream and number (``candidates.py``),
passes the tests of a candidate (``acceptance.py``), and is written again from its derivation (``derivation.py``).  The
files must have these bytes.  docs/certificate.md has formats, tests, codes; ``certificate.py`` accepts the certificate
itself.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, NamedTuple

if not __package__:
    import alone  # type: ignore[import-not-found]  # noqa: F401 - as a script

from sgl.verify.acceptance import ACCEPTED, BYTE, REJECTED, Acceptance, Listed, Named
from sgl.verify.candidates import Candidates, Refusal, Weights
from sgl.verify.certificate_format import content_of, measured_by, read_certificate
from sgl.verify.certificate_references import check_references
from sgl.verify.derivation import Derivation, Interpreter
from sgl.verify.lines import line, listed, pair
from sgl.verify.schema import CertificateData
from sgl.verify.schema_grammar import Flaw
from sgl.verify.schema_plan import LIST, REJECT

__all__ = ["ACCEPTED", "Refusal", "Row", "Rows", "Writer", "refusal"]

READINGS = "readings"
STEPS = 10_000_000  # the budget; correct bytes add to it
CODES = {"derivations": "R03", "data": "R04", "pairs": "R04", "references": "R04", "conllu": "R05"}


class Row(NamedTuple):
    """A row of the files: its split, category, number in the split, candidate and derivation.

    ``others`` are readings with the other right answers, if these are listed.
    """

    split: str
    category: str
    number: int
    candidate: str
    derivation: Derivation
    others: tuple[Derivation, ...] = ()

    @property
    def id(self) -> str:
        """The name of the row in CoNLL-U."""
        return f"{self.split}-{self.number:06d}"


class Writer:
    """Writes rows in the form of a dataset's files."""

    def __init__(self, data: CertificateData, meaning: Interpreter) -> None:
        self.plan, self.meaning = data.core.plan, meaning
        self.measured, self.headed = measured_by(self.plan)
        self.targets = [self.plan.target, *self.plan.further]
        self.paired = [name for name in self.targets if meaning.twins.get(name) == self.plan.source]
        self.layers = [self.plan.lemma_layer, *self.plan.graphs] if self.plan.lemma_layer else []

    def paths(self, split: str) -> list[str]:
        """Return the files of a split."""
        folders = {name: f"{name}/" for name in (*self.targets, *self.layers)}
        # The first target and the first layer have no folder of their own.
        folders |= dict.fromkeys((self.plan.target, self.plan.lemma_layer), "")
        found = [f"derivations/{split}.tsv", *(f"data/{folders[name]}{split}.tsv" for name in self.targets)]
        found += [f"pairs/{folders[name]}{split}.jsonl" for name in self.paired]
        found += [f"references/{split}.jsonl"] if self.plan.ambiguous == LIST else []
        return [*found, *(f"conllu/{folders[layer]}{split}.conllu" for layer in self.layers)]

    def texts(self, row: Row) -> Iterator[str]:
        """Yield the row's content in each of these files."""
        own, text = row.derivation, self.meaning.text
        source = text(self.plan.source, own)
        yield line(row.candidate, " ".join(map(str, own)))
        for target in self.targets:
            yield line(source, text(target, own), row.category)
        for target in self.paired:
            yield pair(source, text(target, own), row.category)
        if self.plan.ambiguous == LIST:
            yield listed({target: [text(target, each) for each in (own, *row.others)] for target in self.targets})
        for layer in self.layers:
            comments = "".join(line(f"# {name} = {value}") for name, value in self.comments(layer, row).items())
            yield f"{comments}{self.meaning.sentence(layer, own)}\n"

    def comments(self, layer: str, row: Row) -> dict[str, str]:
        """Return the comments of a sentence in CoNLL-U."""
        grammar, text = self.meaning.grammar, self.meaning.text
        anchor = grammar.graph_layers[grammar.graph(layer)].anchor
        found = {"sent_id": row.id, "category": row.category, "text": text(anchor, row.derivation)}
        others = (name for name in (*self.meaning.texts, *self.targets) if name != anchor)
        found |= {f"text_{name}": text(name, row.derivation) for name in others}
        found |= self.meaning.lengths(self.measured, row.derivation)
        return found | self.meaning.heads(self.headed, row.derivation)


class Others:
    """The readings that give other right answers of rows."""

    def __init__(self, meaning: Interpreter, source: str, targets: list[str], readings: Listed) -> None:
        self.meaning, self.source, self.targets, self.readings = meaning, source, targets, readings
        self.last = Named("", ())
        self.found: tuple[Derivation, ...] = ()

    def of(self, row: Named) -> tuple[Derivation, ...]:
        """Return the other readings of a row; a copy of the last row has the same ones."""
        if row != self.last:
            self.last, self.found = row, tuple(self.readings.take(row.name))
            if self.found:
                self._check(row)
        return self.found

    def _check(self, row: Named) -> None:
        """Check that each reading is of the same sentence, and gives a new answer."""
        text, source, answers = self.meaning.text, self.source, set[tuple[str, ...]]()
        for each in (row.derivation, *self.found):
            if not self.meaning.is_text(each) or text(source, each) != text(source, row.derivation):
                raise Refusal(f"{self.readings.place}: {row.name}: the derivation is not a reading of its sentence")
            if (answer := self._answer(each)) in answers:
                raise Refusal(f"{self.readings.place}: {row.name}: the derivation gives no other answer")
            answers.add(answer)

    def _answer(self, derivation: Derivation) -> tuple[str, ...]:
        return tuple([self.meaning.text(target, derivation) for target in self.targets])


class Rows:
    """The rows of a dataset; ``outcomes`` counts the candidates of each stream by outcome."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory.resolve()
        self.data = read_certificate(content_of(self.own("certificate.json")))
        check_references(self.data)
        self.plan, self.left = self.data.core.plan, STEPS
        self.meaning = Interpreter(self.data.core.grammar, self.spend)
        self.writer = Writer(self.data, self.meaning)
        self.acceptance = Acceptance(self.data, self.meaning, Candidates(self.data, self.spend))
        self.outcomes: dict[str, Counter[str]] = self.acceptance.outcomes

    def spend(self, steps: int) -> None:
        """Take steps, of about a microsecond each, from the budget before making them."""
        self.left -= steps
        if self.left < 0:
            raise Refusal("R07 the budget of steps is used up")

    def own(self, path: str) -> Path:
        """Return the path of a file of the dataset; refuse links that lead elsewhere."""
        own = self.directory / path
        if own.resolve() != own or not own.is_file():
            raise Refusal(f"R02 {path}: the file is missing or not a regular file")
        return own

    def rows(self) -> Iterator[Row]:
        """Yield each row, checked against the files."""
        streams = [stratum.stream for stratum in self.plan.strata]
        if len({*streams}) < len(streams):
            raise Refusal("R01 two parts of the data have one stream")
        Weights(self.data, self.spend).check()
        with ExitStack() as closing:
            yield from self._rows(lambda path: closing.enter_context(self.own(path).open("rb")))

    def _rows(self, opened: Callable[[str], BinaryIO]) -> Iterator[Row]:
        splits = dict.fromkeys(stratum.split for stratum in self.plan.strata)
        files = {split: [*map(opened, self.writer.paths(split))] for split in splits}
        self._expect_no_others()
        self._list_rejected(opened)
        others = {split: self.others(opened, split) for split in splits}
        numbers = Counter[str]()
        for number, stratum in enumerate(self.plan.strata):
            answers = others[stratum.split]
            for named in self.acceptance.of(number).accepted():
                numbers[stratum.split] += 1
                row = Row(stratum.split, stratum.category, numbers[stratum.split], *named, answers.of(named))
                self._compare(row, files[stratum.split])
                yield row
        self._check_ends(files, [own.readings for own in others.values()])

    def _expect_no_others(self) -> None:
        """Refuse unexpected files of pairs or answers."""
        if not self.writer.paired and (self.directory / "pairs").exists():
            raise Refusal("R02 pairs: no target is the twin of the source")
        for folder in (READINGS, "references"):
            if self.plan.ambiguous != LIST and (self.directory / folder).exists():
                raise Refusal(f"R02 {folder}: no answers are listed here")

    def others(self, opened: Callable[[str], BinaryIO], split: str) -> Others:
        """Return the readings with other answers for the rows of a split; empty if they are not listed."""
        path = f"{READINGS}/{split}.tsv"
        file = opened(path) if self.plan.ambiguous == LIST else None
        return Others(self.meaning, self.plan.source, self.writer.targets, Listed(file, f"R09 {path}", self.spend))

    def _list_rejected(self, opened: Callable[[str], BinaryIO]) -> None:
        """Open the list of ambiguous candidates, if there must be one."""
        if self.plan.ambiguous in (REJECT, LIST):
            self.acceptance.rejections = Listed(opened(REJECTED), f"R06 {REJECTED}", self.spend)
        elif (self.directory / REJECTED).exists():
            raise Refusal(f"R06 {REJECTED}: nothing is rejected here")

    def _compare(self, row: Row, files: list[BinaryIO]) -> None:
        """Compare the next bytes of the files with a row."""
        for file, text in zip(files, self.writer.texts(row), strict=True):
            expected = text.encode()
            if (found := file.read(len(expected))) != expected:
                raise self.refused(self._shown(file), row, found, text)
            self.spend(-BYTE * len(text))

    def _shown(self, file: BinaryIO) -> str:
        return Path(file.name).relative_to(self.directory).as_posix()

    def refused(self, path: str, row: Row, found: bytes, text: str) -> Refusal:
        """Return the refusal of a file that differs from this text of a row."""
        code = CODES[path.partition("/")[0]]
        shown = f"{found.decode('utf-8', 'replace')!r} instead of {text!r}"
        return Refusal(f"{code} {path}, {row.id}: {shown}")

    def _check_ends(self, files: dict[str, list[BinaryIO]], readings: list[Listed]) -> None:
        """Check that no row, reading or rejected candidate is left over."""
        for file in (file for own in files.values() for file in own):
            if file.read(1):
                raise Refusal(f"R02 {self._shown(file)} has more rows than are drawn")
        for own in readings:
            if own.next is not None:
                raise Refusal(f"{own.place}: {own.next.name} is not a row with another answer")
        if (rejected := self.acceptance.rejections.next) is not None:
            raise Refusal(f"R06 {rejected.name} should not be rejected")


def refusal(problem: OSError | Flaw) -> str:
    """Return the refusal message for a problem, with its code."""
    if isinstance(problem, OSError):
        return f"R02 {problem.filename}: {problem.strerror}"
    return str(problem) if isinstance(problem, Refusal) else f"R01 {problem}"


def main(arguments: list[str]) -> int:
    """Check the rows of a dataset; the exit status is 1 if they are refused."""
    try:
        result = f"accepted {sum(1 for _ in Rows(Path(*arguments[:1])).rows())} rows"
    except (OSError, Flaw) as problem:
        result = refusal(problem)
    sys.stdout.write(f"{result}\n")
    return int(not result.startswith("accepted"))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
