"""Establish again what a certificate claims of prompts, from the files alone.

Nothing of what chose the shots is used.  The pieces of structures are those of the verifier, and structures are looked
for by backtracking, one variable after the other, in the order of the definition: different variables are different
nodes, all tests and walks hold, and no ``without`` extends the match.  Graphs with the same edges whose nodes pass the
same tests of a structure are searched once.  Every other file is written again, and compared.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from hashlib import sha256
from itertools import count
from pathlib import Path

from sgl.foreign import BENCHMARK, CERTIFICATE, read_text
from sgl.foreign.json import JsonValue, read_document
from sgl.research.prompts.formats import FORMS
from sgl.research.prompts.material import Material, Prompt, PromptsError, read_material, sentence_of
from sgl.research.prompts.write import FORMAT, PROOF, files_of
from sgl.verify.certificate_checks import nameless, pieces_of
from sgl.verify.conllu import Sentence, WordForm
from sgl.verify.items import LAYER, at_layers
from sgl.verify.structure import GraphPattern, Link, NodeVariable, StructureBody, StructureError, passes, read_structure

#: Nodes that are tried for one body in one graph; what takes more is refused.
_MOST_TRIED = 1_000_000


def check_prompts(directory: Path, dataset: Path, progress: Callable[[str, int, int], None]) -> tuple[int, list[str]]:
    """Return the number of prompts of a directory, and what is wrong with them; raises what unreadable files raise."""
    proof = read_document(directory / PROOF, CERTIFICATE, inside=directory)
    proof["format"].one_of([FORMAT])
    claims = list(map(_claim, proof["prompts"].elements()))
    material = read_material(dataset, proof["split"].of(str), proof["target"].of(str))
    if proof["dataset"].of(str) != material.signature:
        return len(claims), [f"the prompts were made of another dataset: {proof['dataset'].of(str)}"]
    checker = _Checker(material, proof["shots"].of(int), control=proof["control"].of(bool))
    faults = list(_left_out(material, proof, claims))
    try:
        for done, claim in enumerate(claims):
            progress("prompts", done, len(claims))
            faults += [f"{claim.id}: {fault}" for fault in checker.faults(claim)]
    except StructureError as problem:
        raise PromptsError(f"the manifest lacks a structure: {problem}") from None
    return len(claims), faults or list(_changed(directory, material, claims, proof))


def _claim(prompt: JsonValue) -> Prompt:
    shots, missing, untrained = (prompt[name].texts() for name in ("shots", "missing", "untrained"))
    shown = {part: shot.of(str) for part, shot in prompt["shown"].members().items()}
    return Prompt(prompt["id"].of(str), prompt["pattern"].of(str), shots, shown, missing, untrained)


def _left_out(material: Material, proof: JsonValue, claims: Sequence[Prompt]) -> Iterator[str]:
    """Yield the patterns whose prompts are not those of the items that the options ask for."""
    patterns, number, seed = proof["patterns"].texts(), proof["items"].data, proof["seed"].of(int)
    asked: dict[str, list[str]] = {}
    for row in material.items.rows:
        if not patterns or row.category in patterns:
            asked.setdefault(row.category, []).append(row.id)
    if proof["of"].data != {pattern: len(names) for pattern, names in asked.items()}:
        yield "the numbers of items are not those of the dataset"
    for pattern, names in asked.items():
        # The items of which fewer are asked for are those with the smallest hashes.
        ranked = sorted(names, key=lambda name: sha256(f"{seed}/{name}".encode()).digest()[:8])
        wanted = {*ranked[: number if isinstance(number, int) else None]}
        if lacking := wanted - {claim.id for claim in claims}:
            yield f"{len(lacking):,} of {len(wanted):,} items of `{pattern}` have no prompt"


def _changed(directory: Path, material: Material, claims: Sequence[Prompt], proof: JsonValue) -> Iterator[str]:
    """Yield the files that are not what prompts with these shots are."""
    forms = tuple(form.one_of(FORMS) for form in proof["forms"].elements())
    texts = {name: proof[name].of(str) for name in ("instruction", "model")}
    wording = {**texts, "forms": forms, "control": proof["control"].of(bool)}
    for name, text in files_of(material, claims, wording).items():
        if read_text(directory / name, BENCHMARK, inside=directory) != text:
            yield f"{name}: the text is not what the dataset and the certificate say"


class _Checker:
    """The rows of the dataset by name, and what has been found in their graphs."""

    def __init__(self, material: Material, shots: int, *, control: bool) -> None:
        self._items, self._held_out, self._control = material.items, material.held_out, control
        self._training = material.pool(control)
        self._most, self._size = shots, len(material.train.rows)
        self._unused = {row.id: number for number, row in enumerate(material.items.rows)}
        self._train = {row.id: number for number, row in enumerate(self._training.rows)}
        first = material.train.graphs[0].words[0].get(LAYER)
        self._search = cache(
            lambda text: Search(at_layers(read_structure(text), first) if first else read_structure(text))
        )
        self._shows = cache(self._found)
        self._pieces, self._nameless = cache(pieces_of), cache(lambda text: nameless(read_structure(text)))
        self._anywhere = cache(lambda part: any(self._shows(number, part) for number in range(self._size)))

    def _found(self, number: int, part: str) -> bool:
        """Return whether a training sentence shows a part, or has a structure."""
        if part.startswith(("word ", "rule ")):
            return part in self._training.parts[number]
        return self._search(part).finds(self._training.graphs[number])

    def faults(self, claim: Prompt) -> Iterator[str]:
        """Yield what is wrong with the claim about a prompt."""
        item = self._unused.pop(claim.id, -1)
        if item < 0 or (category := self._items.rows[item].category) != claim.pattern:
            yield "it is not an item, or it has two prompts" if item < 0 else f"the item belongs to `{category}`"
        elif unknown := [shot for shot in claim.shots if shot not in self._train]:
            yield f"`{unknown[0]}` is not a training sentence"
        else:
            needs = list(self._of_needs(claim, item))
            # Only what the item needs is looked for: nobody else's structures.
            yield from (*self._of_shots(claim, item), *needs, *([] if needs else self._of_parts(claim)))

    def _of_shots(self, claim: Prompt, item: int) -> Iterator[str]:
        own = sentence_of(self._items.rows[item])
        for shot in claim.shots:
            number = self._train[shot]
            if sentence_of(self._training.rows[number]) == own:
                yield f"the shot {shot} has the sentence of the item"
            if self._control and number >= self._size and self._training.rows[number].category != claim.pattern:
                yield f"the shot {shot} is an item of another pattern"
            for text in () if self._control else self._held_out.get(claim.pattern, ()):
                if self._shows(number, text):
                    yield f"the shot {shot} contains what is held out: {text}"
        # Where training is small, there may be fewer that can be shots.
        least = self._most if self._size > 2 * self._most else 0
        if len({*claim.shots}) < len(claim.shots) or not least <= len(claim.shots) <= self._most:
            yield f"it has {len({*claim.shots})} different shots, not {self._most}"

    def _of_needs(self, claim: Prompt, item: int) -> Iterator[str]:
        """Yield a part that the item needs and the claim does not name, or the other way round."""
        named = {*claim.shown, *claim.missing}
        words = {part for part in named if part.startswith(("word ", "rule "))}
        for part in sorted(words ^ self._items.parts[item])[:1]:
            yield f"`{part}` is a part that the item {'does not need' if part in words else 'needs, and is not named'}"
        graph, held_out = self._items.graphs[item], self._held_out.get(claim.pattern, ())
        has = [text for text in held_out if self._search(text).finds(graph)]
        needed = {piece for text in has for piece in self._pieces(text)}
        if self._control:
            needed.update(map(self._nameless, has))
            if not any(self._shows(self._train[shot], text) for text in has for shot in claim.shots) and has:
                yield "no shot of the control has what the item's pattern holds out"
        try:
            pieces = [self._nameless(text) for text in named - words]
        except StructureError as problem:
            yield f"a part is not a structure: {problem}"
            return
        if len(pieces) != len(needed) or {*pieces} != needed:
            yield "the pieces are not those of what the item has and its pattern holds out"

    def _of_parts(self, claim: Prompt) -> Iterator[str]:
        for part, shot in claim.shown.items():
            if shot not in claim.shots or not self._shows(self._train[shot], part):
                yield f"`{part}` is not in the shot {shot}, or that is not a shot"
        if not {*claim.untrained} <= {*claim.missing}:
            yield "a part is said to be missing in training, and not in the prompt"
        for part in claim.missing:
            if part in claim.shown or any(self._shows(self._train[shot], part) for shot in claim.shots):
                yield f"`{part}` is said to be missing, and a shot shows it"
            if (part in claim.untrained) == self._anywhere(part):
                yield f"whether training shows `{part}` is told wrongly"


class Search:
    """The search for one structure; what was found in a graph is known of all that are like it."""

    def __init__(self, structure: GraphPattern) -> None:
        self._structure, self._known = structure, dict[object, bool]()
        tested = {variable.tests: variable for body in structure.bodies for variable in body.variables}
        self._passed = cache(lambda word: tuple([_passes(variable, word) for variable in tested.values()]))

    def finds(self, graph: Sentence) -> bool:
        """Return whether the structure occurs in a graph; raises ``PromptsError`` if the search takes too long."""
        long = tuple(passed for body in self._structure.bodies for passed in _lengths(graph, body))
        key = graph.edges, tuple(map(self._passed, graph.words)), long
        if key not in self._known:
            self._known[key] = contains(graph, self._structure)
        return self._known[key]


def contains(graph: Sentence, structure: GraphPattern) -> bool:
    """Return whether a structure occurs in a graph; raises ``PromptsError`` if the search takes too long."""
    return any(
        not any(True for other in structure.without for _ in _matches(graph, other, match))
        for match in _matches(graph, structure.body, {})
    )


def _passes(variable: NodeVariable, word: WordForm) -> bool:
    return all(test.passes(word.get(test.attribute)) for test in variable.tests)


def _lengths(graph: Sentence, body: StructureBody) -> Iterator[bool]:
    """Yield whether each test of a body on the length of a text holds."""
    for test in body.lengths:
        length = graph.comment(f"length_{test.layer}")
        if length is None:
            raise StructureError(f"no text is called `{test.layer}`", 0)
        yield passes(int(length), test)


def _matches(graph: Sentence, body: StructureBody, given: dict[str, int]) -> Iterator[dict[str, int]]:
    """Yield each match of a body that extends the nodes ``given`` for variables."""
    names, tried, size = body.names, count(), len(graph.words)
    links = [(x.source, x.target, _walks(graph.edges, size, x)) for x in body.links]
    fitting = [{node for node in range(size) if _fits(graph, variable, node)} for variable in body.variables]

    def extended(at: int, held: dict[str, int]) -> Iterator[dict[str, int]]:
        if at == len(names):
            yield held
            return
        free = fitting[at] & {held[names[at]]} if names[at] in held else fitting[at] - {*held.values()}
        for source, target, pairs in links:
            # The other end has its node already, or is this one.
            if source == at > target:
                free &= {one for one, other in pairs if other == held[names[target]]}
            elif target == at > source:
                free &= {other for one, other in pairs if one == held[names[source]]}
            elif source == at == target:
                free &= {one for one, other in pairs if one == other}
        for node in free:
            if next(tried) > _MOST_TRIED:
                raise PromptsError("the search for a structure takes too long")
            yield from extended(at + 1, {**held, names[at]: node})

    return extended(0, given) if all(_lengths(graph, body)) and all(pairs for *_, pairs in links) else iter(())


def _fits(graph: Sentence, variable: NodeVariable, node: int) -> bool:
    if not _passes(variable, graph.words[node]):
        return False
    out = [label for source, label, _ in graph.edges if source == node] if variable.degrees else []
    return all(passes(sum(map(test.labels.passes, out)), test) for test in variable.degrees)


@lru_cache(1 << 16)
def _walks(graph: tuple[tuple[int, str, int], ...], size: int, link: Link) -> set[tuple[int, int]]:
    """Return the pairs of ``size`` nodes between which there is a walk of a length that fits."""
    edges = {(source, target) for source, label, target in graph if link.labels.passes(label)}
    walked, found = {(node, node) for node in range(size)}, set[tuple[int, int]]()
    # Beyond as many edges as nodes a walk reaches nothing new.
    for length in range((link.low + size if link.high is None else link.high) + 1):
        found |= walked if length >= link.low else set()
        walked = {(start, target) for start, end in walked for source, target in edges if source == end}
    return found
