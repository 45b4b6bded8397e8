"""Read items from files: find and name the files, and count what occurs in each item.

Items come from Parquet files with a column ``derivation``, or from CoNLL-U; a directory means the files in it.  All
files are read together, so that a compound has the same number in each.

With ``morphology``, lemmas and single features are atoms, and a lemma with all its features is a compound.  As in
Moisio, Creutz & Kurimo (2023), only some lemmas and some combinations of features count: a corpus has more lemmas than
a split can balance, and rare ones are all on one side.  All sentences are divided nevertheless.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgl.diagnostics import UserError
from sgl.foreign import BENCHMARK, TABLE, TREEBANK, lines_of, opened, read_bytes, sha256_of, text_of
from sgl.foreign.parquet import table_of
from sgl.research.divergence import trees as parsed
from sgl.research.divergence.problem import Elements, count_names
from sgl.research.treebank import Malformed, TreebankReader, TreebankSentence, TreebankWord

DERIVATION, GRAPH, MORPHOLOGY = "derivation", "graph", "morphology"
VIEWS = (DERIVATION, GRAPH, MORPHOLOGY)

#: The suffix of files of each view, which also names their folder in a dataset.
_SUFFIX = {DERIVATION: ".parquet", GRAPH: ".conllu", MORPHOLOGY: ".conllu"}

#: The order of a dataset's splits; other files follow.
_ORDER = ("train", "dev", "test", "gen")

#: Columns of a Parquet file that are used if they exist.
_ID, _DERIVATION, _CATEGORY, _SOURCE = "id", "derivation", "category", "source"

#: A callback with what is being read and the number of items so far.
Progress = Callable[[str, int], None]


class NoItemsError(UserError):
    """A file or directory has no items; the message says why."""

    code = "SGL1301"


#: A file as certificates record it: `name`, `sha256`.
SourceFile = dict[str, str]


def read_lines(path: Path) -> tuple[SourceFile, list[str]]:
    """Read a file once and return its lines; raises ``ForeignFileError``."""
    content = read_bytes(path, BENCHMARK)
    return {"name": path.name, "sha256": sha256(content).hexdigest()}, lines_of(text_of(content, path))


@dataclass(frozen=True, slots=True)
class WordChoice:
    """The choice of words that count; ``above`` is the weight that a tag combination must exceed to form compounds.

    Lemmas must be ``listed`` in ``lists``, if there are any, have at least ``occurrences``, and are chosen by ``ranks``
    (see :func:`ranked`).  A word with a feature in ``without`` does not count.
    """

    above: Fraction | None = None
    occurrences: int = 1
    without: tuple[str, ...] = ()
    ranks: tuple[int, int] | None = None
    listed: frozenset[str] | None = None
    lists: tuple[SourceFile, ...] = ()

    def lemmas(self, sentences: Sequence[TreebankSentence]) -> set[str]:
        """Return the lemmas that count."""
        times = Counter(word.lemma for sentence in sentences for word in sentence.words)
        if self.listed is not None:
            # Finnish treebanks mark the joints of compound words: `viikon#loppu`.
            times = Counter({lemma: times[lemma] for lemma in times if {lemma, lemma.replace("#", "")} & self.listed})
        kept = set(times) if self.ranks is None else ranked(times, *self.ranks)
        return {lemma for lemma in kept if times[lemma] >= self.occurrences}

    def counts(self, word: TreebankWord) -> bool:
        """Return whether a word has features, and none of the excluded ones."""
        gone = {"_", *self.without}
        return not any(tag in gone or tag.partition("=")[0] in gone for tag in word.feats.split("|"))


def ranked(times: Mapping[str, int], every: int, occurrences: int) -> set[str]:
    """Return lemmas from the ranks ``every``, 2 · ``every`` …, at each until they have this many occurrences.

    So a few frequent lemmas have as many occurrences together as many rare ones.  Ranks are by frequency.

    >>> sorted(ranked({"be": 9, "dog": 5, "cat": 4, "hen": 3, "owl": 2, "emu": 1}, 2, 5))
    ['dog', 'emu', 'hen', 'owl']
    >>> sorted(ranked({"be": 9, "dog": 5, "cat": 4, "hen": 3, "owl": 2, "emu": 1}, 2, 2))
    ['dog', 'emu', 'hen']
    """
    order = sorted(times, key=lambda lemma: (-times[lemma], lemma))
    kept: set[str] = set()
    for first in range(every - 1, len(order), every):
        found = 0
        for lemma in order[first : first + every]:
            if found < occurrences:
                kept.add(lemma)
                found += times[lemma]
    return kept


@dataclass(frozen=True, slots=True)
class ElementSettings:
    """The definition of atoms and compounds: their view, size and weighting, and the choice of words."""

    view: str
    size: int = 2
    weighted: bool = False
    words: WordChoice = field(default_factory=WordChoice)


@dataclass(frozen=True)
class ItemFile:
    """The items of one file: their ids and categories, and the digest of the file."""

    path: Path
    digest: str
    first: int
    ids: tuple[str, ...]
    categories: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.ids:
            raise NoItemsError(f"`{self.path}` has no items")

    @property
    def name(self) -> str:
        """The name of the file without its suffix."""
        return self.path.stem


@dataclass(frozen=True)
class ItemSet:
    """The items of all files: their elements, and the rows or sentences themselves."""

    files: tuple[ItemFile, ...]
    settings: ElementSettings
    elements: Elements
    sentences: tuple[TreebankSentence, ...] = ()
    #: An Arrow table, whose type has no annotations.
    table: Any = None
    #: The number of words of each item, or None if it is unknown.
    lengths: NDArray[np.int64] | None = None
    #: The translation of each sentence, if there are any, and the files that they come from.
    translations: tuple[str, ...] = ()
    translated: tuple[SourceFile, ...] = ()

    @property
    def ids(self) -> list[str]:
        """The ids of all items, prefixed with the name of their file if there are several."""
        if len(self.files) == 1:
            return list(self.files[0].ids)
        return [f"{file.name}/{name}" for file in self.files for name in file.ids]

    def mask(self, file: ItemFile, category: str | None = None) -> NDArray[np.bool_]:
        """Return a mask of the items of a file, or of those with a category."""
        chosen = np.zeros(self.elements.atoms.items, np.bool_)
        chosen[file.first : file.first + len(file.ids)] = [category in (None, other) for other in file.categories]
        return chosen

    def mean_words(self, chosen: NDArray[np.bool_]) -> float | None:
        """Return the mean number of words of the chosen items."""
        return None if self.lengths is None or not chosen.any() else float(self.lengths[chosen].mean())

    def blocks(self, items: Sequence[int]) -> Iterable[bytes]:
        """Yield the sentences of items as written in their files, without the empty line."""
        for file in self.files:
            last = file.first + len(file.ids)
            wanted = [self.sentences[item] for item in items if file.first <= item < last]
            text = read_bytes(file.path, TREEBANK) if wanted else b""
            for sentence in wanted:
                block = text[sentence.offset : sentence.end].removeprefix(b"\xef\xbb\xbf")
                yield b"\n".join(line.rstrip(b"\r") for line in block.strip(b"\r\n").split(b"\n"))


def find_files(paths: Iterable[Path], view: str | None) -> tuple[list[Path], str]:
    """Find the files to read, by split, and the view; raises ``NoItemsError`` and ``ForeignFileError``."""
    given = list(paths)
    if view is None:
        view = DERIVATION if all(_files_at(path, ".parquet") for path in given) else GRAPH
    suffix = _SUFFIX[view]
    files = []
    for path in given:
        found = _files_at(path, suffix)
        if not found and not path.is_dir():
            opened(path, TABLE).close()
        if not found:
            what = "has no files" if path.is_dir() else "is not a file"
            raise NoItemsError(f"`{path}` {what} in `{suffix}`, which the view `{view}` is read from")
        for file in found if path.is_dir() else ():
            # No link of a dataset may lead to a file outside it.
            opened(file, TABLE, inside=path).close()
        files += found
    return files, view


def _files_at(path: Path, suffix: str) -> list[Path]:
    if not path.is_dir():
        return [path] if path.suffix == suffix else []
    folder, rank = path / suffix[1:], {name: place for place, name in enumerate(_ORDER)}
    for place in (folder, path) if folder.is_dir() else (path,):
        # A `glob` silently skips a directory that may not be read.
        if found := sorted(file for file in place.iterdir() if file.suffix == suffix):
            return sorted(found, key=lambda file: rank.get(file.stem, len(rank)))
    return []


def read_items(files: Sequence[Path], settings: ElementSettings, progress: Progress | None = None) -> ItemSet:
    """Read the files and count elements; raises ``NoItemsError`` for a file without items."""
    read = _read_tables if settings.view == DERIVATION else _read_sentences
    return read(files, settings, progress or (lambda _name, _done: None))


def _read_tables(paths: Sequence[Path], settings: ElementSettings, progress: Progress) -> ItemSet:
    import pyarrow as pa

    files: list[ItemFile] = []
    tables = []
    first = 0
    for path in paths:
        progress(path.name, first)
        digest = sha256_of(path)
        try:
            table = table_of(path)
            rows = {name: table[name].to_pylist() for name in (_ID, _DERIVATION)}
        except KeyError:
            raise NoItemsError(f"`{path}` is not a Parquet file with the columns `{_ID}` and `{_DERIVATION}`") from None
        if not all(isinstance(text, str) for column in rows.values() for text in column):
            raise NoItemsError(f"`{path}` has rows without id or derivation")
        named = _CATEGORY in table.column_names
        categories = table[_CATEGORY].to_pylist() if named else [""] * table.num_rows
        files.append(ItemFile(path, digest, first, tuple(rows[_ID]), tuple(map(str, categories))))
        tables.append(table)
        first += table.num_rows
    try:
        whole = pa.concat_tables(tables)
    except pa.ArrowException:
        raise NoItemsError("the Parquet files have different columns") from None
    progress("derivations", first)
    try:
        trees = parsed.read_derivations(whole[_DERIVATION].to_pylist())
    except parsed.NotADerivationError as problem:
        file = max((f for f in files if f.first <= problem.row), key=lambda f: f.first)
        row = problem.row - file.first + 1
        raise NoItemsError(f"`{file.path}` has no derivation in row {row}") from None
    texts = [str(text).split() for text in whole[_SOURCE].to_pylist()] if _SOURCE in whole.column_names else []
    # Texts without spaces do not show their words.
    lengths = np.array([len(text) for text in texts]) if any(len(text) > 1 for text in texts) else None
    return ItemSet(tuple(files), settings, _tree_elements(trees, settings), table=whole, lengths=lengths)


def _read_sentences(paths: Sequence[Path], settings: ElementSettings, progress: Progress) -> ItemSet:
    files: list[ItemFile] = []
    sentences: list[TreebankSentence] = []
    # Several roots or circles do no harm here.
    reader = TreebankReader(trees=False)
    for path in paths:
        first = len(sentences)
        progress(path.name, first)
        digest = sha256_of(path)
        sentences += (_well_formed(path, found) for found in reader.read(path))
        new = sentences[first:]
        ids = [found.sent_id or str(number) for number, found in enumerate(new, 1)]
        categories = tuple(found.comment("category") or "" for found in new)
        files.append(ItemFile(path, digest, first, tuple(ids), categories))
    progress("atoms and compounds", len(sentences))
    if settings.view == MORPHOLOGY:
        elements = feature_elements(sentences, settings.words)
    else:
        elements = _tree_elements(parsed.dependency_trees(sentences), settings)
    lengths = np.array([len(sentence.words) for sentence in sentences])
    return ItemSet(tuple(files), settings, elements, tuple(sentences), lengths=lengths)


def _well_formed(path: Path, found: TreebankSentence | Malformed) -> TreebankSentence:
    if isinstance(found, Malformed):
        raise NoItemsError(f"`{path}` is not CoNLL-U: line {found.line}: {found.reason}")
    for place, head in enumerate(found.heads, 1):
        if not 0 <= head <= len(found.words) or head == place:
            raise NoItemsError(f"`{path}` is not CoNLL-U: line {found.line} begins a sentence with a wrong head")
    return found


def with_translations(items: ItemSet, paths: Sequence[Path]) -> ItemSet:
    """Add to each item of a treebank its line of a translation file; raises ``NoItemsError`` if they do not match."""
    if not items.sentences or len(paths) != len(items.files):
        raise NoItemsError("each treebank needs one file of translations; other items need none")
    texts: list[str] = []
    read = [read_lines(path) for path in paths]
    for file, path, (_, given) in zip(items.files, paths, read, strict=True):
        lines = list(map(in_one_line, given))
        if len(lines) != len(file.ids):
            raise NoItemsError(
                f"`{path}` has {len(lines):,} lines for the {len(file.ids):,} sentences of `{file.path}`"
            )
        if not all(lines):
            raise NoItemsError(f"`{path}` has no translation in line {lines.index('') + 1}")
        texts += lines
    return replace(items, translations=tuple(texts), translated=tuple(file for file, _ in read))


def in_one_line(text: str) -> str:
    """Return a text without tabs and without anything that a program may take for a line end."""
    return " ".join(text.replace("\t", " ").splitlines()).strip()


def _tree_elements(trees: Sequence[parsed.Tree], settings: ElementSettings) -> Elements:
    atoms = (parsed.node_atoms if settings.view == DERIVATION else parsed.node_and_edge_atoms)(trees)
    if settings.weighted:
        return Elements(atoms, parsed.weighted_pieces(trees, settings.size))
    if settings.size > 2:
        return Elements(atoms, parsed.pieces(trees, settings.size))
    return Elements(atoms, parsed.edge_compounds(trees))


def tag_weight(lemmas: Mapping[str, int]) -> Fraction:
    """Return the weight of a tag combination, given how often it occurs with each lemma.

    It is 1 - max P(lemma | tags): a combination that mostly occurs with one lemma adds little to it.

    >>> tag_weight({"saada": 84, "other": 16})
    Fraction(4, 25)
    """
    return 1 - Fraction(max(lemmas.values()), sum(lemmas.values()))


def feature_elements(sentences: Sequence[TreebankSentence], choice: WordChoice | None = None) -> Elements:
    """Return lemmas and features as atoms, and words (``dogs+Case=Nom|Number=Sing``) as compounds.

    Compounds are counted without weights; weights only decide which of them count.  (The authors' program keeps weights
    of 0.34 or more; their paper says more than 0.33.)
    """
    choice = choice or WordChoice()
    lemmas = choice.lemmas(sentences)
    rows = [
        [(word.lemma, word.feats) for word in sentence.words if word.lemma in lemmas and choice.counts(word)]
        for sentence in sentences
    ]
    found: dict[str, Counter[str]] = {}
    for row in rows:
        for lemma, tags in row:
            found.setdefault(tags, Counter())[lemma] += 1
    kept = {tags for tags, of in found.items() if choice.above is None or tag_weight(of) > choice.above}
    # Features have a mark before them, so a lemma spelt like a feature is a different atom.
    atoms = ([atom for lemma, tags in row for atom in (lemma, *(f"+{tag}" for tag in tags.split("|")))] for row in rows)
    compounds = ([f"{lemma}+{tags}" for lemma, tags in row if tags in kept] for row in rows)
    return Elements(count_names(atoms), count_names(compounds))
