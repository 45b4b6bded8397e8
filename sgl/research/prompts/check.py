"""Establish again what a certificate claims of prompts, from the files alone.

Nothing of what chose the shots is used.  The pieces of structures are those of the verifier, and structures are looked
for by backtracking, one variable after the other, in the order of the definition: different variables are different
nodes, all tests and walks hold, and no ``without`` extends the match.  Every other file is written again from the
certificate and the dataset, and compared.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from sgl.foreign import BENCHMARK, CERTIFICATE, ForeignFileError, read_text
from sgl.foreign.json import JsonValue, read_document
from sgl.research.prompts.material import Material, PromptRows, PromptsError, read_material, sentence_of
from sgl.research.prompts.write import FORMAT, FORMS, PROOF, Wording, files_of
from sgl.verify.certificate_checks import nameless, pieces_of
from sgl.verify.conllu import Sentence
from sgl.verify.items import at_layers
from sgl.verify.structure import GraphPattern, Link, NodeVariable, StructureBody, StructureError, passes, read_structure

#: A node for each variable that has one, by its name.
_Held = dict[str, int]

#: A link with the pairs of nodes between which there is such a walk.
_Walked = tuple[Link, set[tuple[int, int]]]

#: Nodes that are tried in one graph for one structure; what takes more is refused.
_MOST_TRIED = 1_000_000


class _Claim(NamedTuple):
    """A prompt as its certificate has it."""

    id: str
    pattern: str
    shots: tuple[str, ...]
    shown: dict[str, str]
    missing: tuple[str, ...]
    untrained: tuple[str, ...]


def check_prompts(directory: Path, dataset: Path, progress: Callable[[str, int, int], None]) -> tuple[int, list[str]]:
    """Return the number of prompts of a directory, and what is wrong with them; raises what unreadable files raise."""
    proof = read_document(directory / PROOF, CERTIFICATE, inside=directory)
    if proof["format"].of(str) != FORMAT:
        raise proof["format"].fault(f"is not {FORMAT}")
    material = read_material(dataset, proof["split"].of(str), proof["target"].of(str))
    claims = [
        _Claim(
            each["id"].of(str),
            each["pattern"].of(str),
            each["shots"].texts(),
            {part: shot.of(str) for part, shot in each["shown"].members().items()},
            each["missing"].texts(),
            each["untrained"].texts(),
        )
        for each in proof["prompts"].elements()
    ]
    if proof["dataset"].of(str) != material.signature:
        return len(claims), [f"the prompts were made of another dataset: {proof['dataset'].of(str)}"]
    checker = _Checker(material, proof["shots"].of(int))
    faults: list[str] = []
    for done, claim in enumerate(claims):
        progress("prompts", done, len(claims))
        faults += [f"{claim.id}: {fault}" for fault in checker.faults(claim)]
    return len(claims), faults or list(_changed(directory, material, claims, proof))


def _changed(directory: Path, material: Material, claims: Sequence[_Claim], proof: JsonValue) -> Iterator[str]:
    """Yield the files that are not what prompts with these shots are."""
    forms = tuple(form.one_of(FORMS) for form in proof["forms"].elements())
    wording = Wording(proof["instruction"].of(str), forms, proof["model"].of(str))
    expected = files_of(material, [claim[:3] for claim in claims], wording)
    for name, text in expected.items():
        try:
            found = read_text(directory / name, BENCHMARK, inside=directory)
        except ForeignFileError as problem:
            yield f"{name}: {problem.strerror}"
            continue
        if found != text:
            pairs = enumerate(zip(found.split("\n"), text.split("\n"), strict=False), 1)
            line = next((number for number, (one, other) in pairs if one != other), "the last")
            yield f"{name}: line {line} is not what the dataset and the certificate say"


class _Checker:
    """The rows of the dataset by name, and what has been found in their graphs."""

    def __init__(self, material: Material, shots: int) -> None:
        self._material, self._most = material, shots
        self._items = {row.id: number for number, row in enumerate(material.items.rows)}
        self._train = {row.id: number for number, row in enumerate(material.train.rows)}
        joint = any("graph.layer" in dict(word.attributes) for word in material.train.graphs[0].words)
        first = next((v for k, v in material.train.graphs[0].words[0].attributes if k == "graph.layer"), "")
        self._read = cache(lambda text: at_layers(read_structure(text), first) if joint else read_structure(text))
        self._piece_names = cache(lambda text: nameless(read_structure(text)))
        self._in_train = cache(partial(self._has, material.train))
        self._anywhere = cache(lambda part: any(self._in_train(n, part) for n in range(len(material.train.rows))))

    def _has(self, rows: PromptRows, number: int, part: str) -> bool:
        """Return whether the sentence with this number shows a part, or has a structure."""
        if part.startswith(("word ", "rule ")):
            return part in rows.parts[number]
        return contains(rows.graphs[number], self._read(part))

    def faults(self, claim: _Claim) -> Iterator[str]:
        """Yield what is wrong with the claim about a prompt."""
        number = self._items.pop(claim.id, None)
        row = None if number is None else self._material.items.rows[number]
        if number is None or row is None:
            yield "no item of the split has this name, or another prompt has it"
            return
        if row.category != claim.pattern:
            yield f"the item belongs to `{row.category}`, not to `{claim.pattern}`"
            return
        if unknown := [shot for shot in claim.shots if shot not in self._train]:
            yield f"`{unknown[0]}` is no sentence of training"
            return
        held_out = self._material.held_out.get(claim.pattern, ())
        for shot in claim.shots:
            if sentence_of(self._material.train.rows[self._train[shot]]) == sentence_of(row):
                yield f"the shot {shot} has the sentence of the item"
            yield from (
                f"the shot {shot} has what is held out: {text}"
                for text in held_out
                if self._in_train(self._train[shot], text)
            )
        if len({*claim.shots}) < len(claim.shots):
            yield "a shot occurs twice"
        if len(claim.shots) != self._most and (few := self._possible(claim, number)) != len(claim.shots):
            yield f"it has {len(claim.shots)} shots, where {few} are asked for and possible"
        yield from self._needs(claim, number, held_out)
        yield from self._parts(claim)

    def _possible(self, claim: _Claim, item: int) -> int:
        held_out, own = self._material.held_out.get(claim.pattern, ()), sentence_of(self._material.items.rows[item])
        rows = enumerate(self._material.train.rows)
        free = (n for n, row in rows if sentence_of(row) != own and not any(self._in_train(n, x) for x in held_out))
        return sum(1 for _ in zip(range(self._most), free, strict=False))

    def _needs(self, claim: _Claim, item: int, held_out: Sequence[str]) -> Iterator[str]:
        """Yield the parts that the item needs and the claim does not name, or the other way round."""
        items, named = self._material.items, {*claim.shown, *claim.missing}
        words = {part for part in named if part.startswith(("word ", "rule "))}
        if other := words ^ items.parts[item]:
            what = "needs, and it is not named" if min(other) in items.parts[item] else "does not need"
            yield f"`{min(other)}` is a part that the item {what}"
        own = (text for text in held_out if self._has(items, item, text))
        needed = {piece for text in own for piece in pieces_of(text)}
        try:
            pieces = {self._piece_names(text): text for text in sorted(named - words)}
        except StructureError as problem:
            yield f"a part is no structure: {problem}"
            return
        if len(pieces) + len(words) < len(named) or pieces.keys() != needed or {*claim.shown} & {*claim.missing}:
            yield "the pieces are not those of what the item shows and its pattern holds out"

    def _parts(self, claim: _Claim) -> Iterator[str]:
        for part, shot in claim.shown.items():
            if shot not in claim.shots:
                yield f"`{part}` is said to be in {shot}, which is no shot"
            elif not self._in_train(self._train[shot], part):
                yield f"`{part}` is not in the shot {shot}"
        for part in claim.missing:
            if shots := [shot for shot in claim.shots if self._in_train(self._train[shot], part)]:
                yield f"`{part}` is said to be missing, and the shot {shots[0]} shows it"
            if (part in claim.untrained) == self._anywhere(part):
                yield f"whether training shows `{part}` is told wrongly"
        if not {*claim.untrained} <= {*claim.missing}:
            yield "a part is said to be missing in training, and not in the prompt"


def contains(graph: Sentence, structure: GraphPattern) -> bool:
    """Return whether a structure occurs in a graph; raises ``PromptsError`` if the search takes too long."""
    search = _Search(graph)
    return any(
        not any(True for other in structure.without for _ in search.matches(other, held))
        for held in search.matches(structure.body, {})
    )


class _Search:
    """The search of one graph."""

    def __init__(self, graph: Sentence) -> None:
        self._words = [dict(word.attributes) for word in graph.words]
        self._edges, self._comments, self._tried = graph.edges, dict(graph.comments), 0

    def matches(self, body: StructureBody, held: _Held) -> Iterator[_Held]:
        """Yield each match that extends ``held``."""
        if all(passes(int(self._comments[f"length_{test.layer}"]), test) for test in body.lengths):
            walks = list[_Walked]()
            for link in body.links:
                walks.append((link, self._walks(link)))
                if not walks[-1][1]:
                    return
            yield from self._extended(body, held, walks)

    def _extended(self, body: StructureBody, held: _Held, walks: list[_Walked], at: int = 0) -> Iterator[_Held]:
        """Yield the matches that give the variables before ``at`` the nodes that they have, and the others any."""
        if at == len(body.variables):
            yield held
            return
        variable, used = body.variables[at], {*held.values()}
        names = body.names
        ends = [(names[x.source], names[x.target], pairs) for x, pairs in walks if max(x.source, x.target) == at]
        own = [held[variable.name]] if variable.name in held else [n for n in range(len(self._words)) if n not in used]
        for node in own:
            self._tried += 1
            if self._tried > _MOST_TRIED:
                raise PromptsError("the search for a structure takes too long")
            now = {**held, variable.name: node}
            if self._passes(variable, node) and all((now[x], now[y]) in pairs for x, y, pairs in ends):
                yield from self._extended(body, now, walks, at + 1)

    def _passes(self, variable: NodeVariable, node: int) -> bool:
        out = [label for source, label, _ in self._edges if source == node]
        return all(test.passes(self._words[node].get(test.attribute, "")) for test in variable.tests) and all(
            passes(sum(map(test.labels.passes, out)), test) for test in variable.degrees
        )

    def _walks(self, link: Link) -> set[tuple[int, int]]:
        """Return the pairs of nodes between which there is a walk of a length that fits."""
        edges = {(source, target) for source, label, target in self._edges if link.labels.passes(label)}
        if link.is_edge:
            return edges
        walked = {(node, node) for node in range(len(self._words))}
        found = set[tuple[int, int]]()
        last = link.low + len(self._words) if link.high is None else min(link.high, link.low + len(self._words) ** 2)
        for length in range(last + 1):
            found |= walked if length >= link.low else set()
            walked = {(start, target) for start, end in walked for source, target in edges if source == end}
        return found
