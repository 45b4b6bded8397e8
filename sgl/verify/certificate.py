"""Check a certificate, trusting nothing else: ``python certificate.py certificate.json [STEPS]``.

Two lemmas establish its claims; tests/verify/soundness.md has their proofs, docs/certificate.md the format and codes:
A. The automaton of a structure accepts exactly the derivations whose graph contains it. B. A split derives a phrase
only in the automaton states that the invariant of a claim lists.
"""

import gc
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

if not __package__:
    import alone  # type: ignore[import-not-found]  # noqa: F401 - as a script

from sgl.verify import certificate_format as form
from sgl.verify.certificate_claims import ClaimChecker
from sgl.verify.certificate_references import check_references
from sgl.verify.certificate_rules import symbols_of
from sgl.verify.certificate_splits import Splits
from sgl.verify.certificate_structures import Structures
from sgl.verify.schema import CertificateData, CertifiedClaim
from sgl.verify.schema_grammar import Flaw

STEPS, STEPS_FOR_A_BYTE = 8_000_000, 20  # the budget, which grows with the file


class Check(NamedTuple):
    """A step of the reasoning: its code and subject, and a function that raises ``Flaw`` if it fails."""

    what: str
    run: Callable[[], None]


class Checker:
    """Checks the steps of a certificate; each refusal names the failed line of reasoning."""

    def __init__(self, content: bytes, budget: int = 0) -> None:
        self.data: CertificateData = form.read_certificate(content)
        self.budget = self.left = budget or STEPS + STEPS_FOR_A_BYTE * len(content)
        self.names = [structure.name for structure in self.data.structures]

    def spend(self, steps: int) -> None:
        """Take steps from the budget."""
        self.left -= steps
        if self.left < 0:
            raise TimeoutError

    def prepare(self) -> list[Check]:
        """Check the common foundations, and return the other checks, the fastest first."""
        data = self.data
        check_references(data)
        if len({(own.layer, own.name) for own in data.structures}) < len(data.structures):
            raise Flaw("two structures of one layer have the same name")
        symbols = symbols_of(data.core.grammar.rules, data.symbols)
        tables = [structure.table() for structure in data.structures]
        automata = Structures(data.core, data.symbols, symbols, self.spend)
        splits = Splits(data, symbols, self.spend)
        claims = ClaimChecker(data, splits, tables, self.spend)
        checks = []
        for number, streams in enumerate(splits.streams):
            checks += [Check(f"C06 {streams}", partial(splits.check, number))]
            checks += [Check(f"C07 {streams}", partial(splits.check_sampler, number))]
        checks += [Check(f"C08 {self.said(own, splits)}", partial(claims.check, own)) for own in data.claims]
        for structure, table in zip(data.structures, tables, strict=True):
            checks += [Check(f"C09 {structure.name}", partial(automata.check_name, structure))]
            checks += [Check(f"C10 {structure.name}", partial(automata.check_automaton, structure, table))]
        return checks

    def said(self, claim: CertifiedClaim, splits: Splits) -> str:
        """Return a claim as text."""
        group = " or ".join(self.names[x] for x in claim.structures if x < len(self.names))
        streams = splits.streams[claim.split] if claim.split < len(splits.streams) else f"split {claim.split}"
        return f"{claim.pattern or 'everywhere'}: {claim.claim}: {streams} {claim.kind} {group}"

    def refusals(self) -> Iterator[str]:
        """Yield the faults; without any, all claims hold."""
        what = "C05 the grammar or the numbering"
        try:
            for what, run in self.prepare():
                try:
                    run()
                except Flaw as problem:
                    yield form.shown(f"{what}: {problem}")
        except Flaw as problem:
            yield form.shown(f"{what}: {problem}")
        except TimeoutError:
            yield form.shown(f"C04 the budget of {self.budget:,} steps is used up: {what[4:]}")

    def established(self) -> Iterator[str]:
        """Yield as text what an accepted certificate establishes for each pattern."""
        related = dict[tuple[str, str], list[CertifiedClaim]]()
        for claim in self.data.claims:
            related.setdefault((claim.pattern, claim.claim), []).append(claim)
        for (pattern, word), own in related.items():
            parts = [*self.structures_of(own), *sorted(excuses_of(own))]
            yield form.shown(f"{pattern or 'everywhere'}: {word}: {', '.join(parts)}")

    def structures_of(self, claims: list[CertifiedClaim]) -> Iterator[str]:
        """Yield as text the structures of related claims."""
        kinds = dict[int, str]()
        for claim in claims:
            if claim.kind != "excludes" or claim.claim == "held out":
                kinds |= dict.fromkeys(claim.structures, claim.kind)
        for number, kind in kinds.items():
            yield self.names[number] + (" (waived)" if kind == "waived" else "")


def excuses_of(claims: list[CertifiedClaim]) -> set[str]:
    """Return as text the ingredients that items may have although training lacks them."""
    exposing = [claim for claim in claims if claim.kind == "exposes"]
    return {f"without {own.name} ({own.reason})" for claim in exposing for own in form.excuses(claim)}


def judge(content: bytes, budget: int = 0) -> tuple[list[str], list[str]]:
    """Return the reasons to refuse a certificate or, without any, what it establishes."""
    try:
        checker = Checker(content, budget)
    except form.RefusalError as problem:
        return [form.shown(str(problem))], []
    refused = [*checker.refusals()]
    return refused, [] if refused else [*checker.established()]


def main(arguments: list[str]) -> int:
    """Judge a file; the exit status is 1 if it is refused."""
    gc.set_threshold(100_000)  # a certificate is large, and hardly any of it is garbage
    path, *budget = arguments or [""]
    try:
        refused, established = judge(form.content_of(Path(path)), *map(int, budget[:1]))
    except (OSError, ValueError) as problem:
        refused, established = [f"{problem}; usage: certificate.py FILE [STEPS]"], []
    sys.stdout.write("".join(f"{line}\n" for line in refused or ["accepted", *established]))
    return int(bool(refused))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
