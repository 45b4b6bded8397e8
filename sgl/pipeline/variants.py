"""Write ablations for one generalization set: smaller training sets, from other settings of the grammar.

A *variant* keeps the training rows that the grammar derives with its settings, and of exposures and parts only as many
as it requests: the first ones, with equal shares of targets.  So it is a subset of a training set whose claims are
proved, and it shares dev, test and gen with the dataset.  It lists the words that their items use but the variant does
not show as ``unseen``, and those ``items``.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from pathlib import Path

from sgl.core.grammar import CoreGrammar
from sgl.core.interpret import Derivation
from sgl.core.plan import IN_DISTRIBUTION, NEED_PREFIX, TRAIN, RuleLemmas, introduced_lemmas
from sgl.dataset import manifest_of, staged_directory
from sgl.disk import make, write
from sgl.foreign import MANIFEST, TABLE, ForeignFileError, lines_of, read_text
from sgl.foreign.json import read_document
from sgl.frontend import Compiled
from sgl.values import asdict, dataclass

FORMAT, LIST = "sgl-variants/1", "variants.json"


@dataclass(frozen=True)
class Variant:
    """A smaller training set: its numbers of rows, in total and by stratum, and what it does not show."""

    settings: str
    rows: int
    strata: Mapping[str, int]
    unseen: tuple[str, ...]
    items: tuple[str, ...]
    sha256: Mapping[str, str]


def write_variants(dataset: Path, target: Path, base: Compiled, others: Mapping[str, Compiled]) -> list[Variant]:
    """Write the training sets for these settings to ``target``; raises ``OutputError``."""
    splits = dict.fromkeys(stratum.split for stratum in base.plan.strata)
    train = list(_derivations(dataset, TRAIN)) if TRAIN in splits else []
    lemmas = introduced_lemmas(base.grammar, base.plan)
    asked = {
        f"{split}-{number:06}": set(_of(rules, lemmas))
        for split in splits
        if split != TRAIN
        for number, (_, rules) in enumerate(_derivations(dataset, split), 1)
    }
    made = []
    with staged_directory(target, listing=listed) as stage:
        for settings, compiled in others.items():
            kept = _kept(train, base, compiled)
            hashes = {}
            for path in sorted((dataset / "data").rglob(f"{TRAIN}.tsv")):
                place = Path(settings) / path.relative_to(dataset / "data")
                lines = read_text(path, TABLE, inside=dataset).split("\n")
                content = "".join(f"{lines[row]}\n" for row in kept).encode()
                make((stage / place).parent)
                write(stage / place, content)
                hashes[place.as_posix()] = hashlib.sha256(content).hexdigest()
            shown = {lemma for row in kept for lemma in _of(train[row][1], lemmas)}
            unseen = {name: words - shown for name, words in asked.items() if not words <= shown}
            words = tuple(sorted(set().union(*unseen.values())))
            strata = dict(Counter(train[row][0] for row in kept))
            made.append(Variant(settings, len(kept), strata, words, tuple(unseen), hashes))
        signature = manifest_of(dataset)["identity"].of(str)
        document = {"format": FORMAT, "dataset": signature, "variants": list(map(asdict, made))}
        text = json.dumps(document, ensure_ascii=False, indent=1) + "\n"
        write(stage / LIST, text)
    return made


def read_variant(directory: Path, dataset: Path) -> Variant:
    """Return the variant of a dataset whose training set is in a directory of ``OUT.variants``.

    Raises ``ForeignFileError`` if it is no such directory, or belongs to another dataset.
    """
    directory = directory.resolve()
    source, settings = directory.parent / LIST, directory.name
    document = read_document(source, MANIFEST, inside=directory.parent)
    if document["format"].of(str) != FORMAT:
        raise ForeignFileError(source, f"it is not a list of variants ({FORMAT})")
    if document["dataset"].of(str) != manifest_of(dataset)["identity"].of(str):
        raise ForeignFileError(source, f"its variants are not those of {dataset}")
    for variant in document["variants"].elements():
        if variant["settings"].of(str) == settings:
            strata = {stream: number.of(int) for stream, number in variant["strata"].members().items()}
            hashes = {name: digest.of(str) for name, digest in variant["sha256"].members().items()}
            unseen, items = (tuple(variant[key].texts()) for key in ("unseen", "items"))
            return Variant(settings, variant["rows"].of(int), strata, unseen, items, hashes)
    raise ForeignFileError(source, f"it lists no variant `{settings}`")


def listed(directory: Path) -> set[str] | None:
    """Return the listed files of the variants in a directory; None if it holds none."""
    try:
        document = read_document(directory / LIST, MANIFEST, inside=directory)
        if document["format"].of(str) != FORMAT:
            return None
        return {LIST, *(name for variant in document["variants"].elements() for name in variant["sha256"].members())}
    except ForeignFileError:
        return None


def _kept(rows: Iterable[tuple[str, Derivation]], base: Compiled, variant: Compiled) -> list[int]:
    """Return the indices of the training rows that a variant keeps."""
    known = set(_rules(variant.grammar))
    same = [rule in known for rule in _rules(base.grammar)]
    lemmas = introduced_lemmas(base.grammar, base.plan)
    strata = {stratum.stream: stratum for stratum in variant.plan.strata}
    taken: Counter[tuple[str, str | None]] = Counter()
    kept = []
    for row, (drawn, derivation) in enumerate(rows):
        # What needs have drawn is in distribution, too.
        stream = f"{TRAIN}/{IN_DISTRIBUTION}" if drawn.startswith(f"{TRAIN}/{NEED_PREFIX}") else drawn
        stratum = strata.get(stream)
        if stratum is None or not all(same[rule] for rule in derivation):
            continue
        words = set(_of(derivation, lemmas))
        shares = stratum.extent.shares()
        target = next((target for target in shares if target in words), None)
        most = stratum.count if target is None else shares[target]
        if taken[stream, target] < most * stratum.extent.copies:
            taken[stream, target] += 1
            kept.append(row)
    return kept


def is_part(variant: Compiled, base: Compiled) -> bool:
    """Return whether a variant holds out the same, and has no rule and no training sentences beyond the base."""
    plans = variant.plan, base.plan
    tested = [[plan.nowhere, *((p.name, p.held_out, p.gen) for p in plan.patterns)] for plan in plans]
    counts = {stratum.stream: stratum.count for stratum in base.plan.strata}
    train = [stratum for stratum in variant.plan.strata if stratum.split == TRAIN]
    return (
        tested[0] == tested[1]
        and set(_rules(variant.grammar)) <= set(_rules(base.grammar))
        and all(stratum.count <= counts.get(stratum.stream, 0) for stratum in train)
    )


def _rules(grammar: CoreGrammar) -> list[Hashable]:
    """Return the rules in a form that does not depend on the numbers of rules and categories."""
    names = [category.name for category in grammar.categories]
    return [(r.name, names[r.lhs], tuple([names[c] for c in r.rhs]), r.templates, r.fragments) for r in grammar.rules]


def _derivations(dataset: Path, split: str) -> Iterator[tuple[str, Derivation]]:
    for line in lines_of(read_text(dataset / "derivations" / f"{split}.tsv", TABLE, inside=dataset)):
        name, rules = line.split("\t")
        yield name.partition("#")[0], tuple(map(int, rules.split()))


def _of(derivation: Derivation, lemmas: RuleLemmas) -> Iterator[str]:
    return (lemma for rule in derivation for lemma in lemmas[rule])
