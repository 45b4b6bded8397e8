"""Establish again what a certificate claims of prompts, from the files alone.

Nothing of what chose the shots is used.  The pieces of structures are those of the verifier, and structures are looked
for by backtracking, one variable after the other, in the order of the definition: different variables are different
nodes, all tests and walks hold, and no ``without`` extends the match.  Graphs with the same edges whose nodes pass the
same tests of a structure are searched once.  Every other file is written again, and compared.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import count
from pathlib import Path, PurePath
from typing import Any

from sgl.foreign import BENCHMARK, CERTIFICATE, read_text
from sgl.foreign.json import JsonValue, read_document
from sgl.research.prompts.beside import Matching, Strings, text_of, things_beside
from sgl.research.prompts.choose import COMPLEXITY, ORDERS, STRATEGIES, asked_items, choose_prompts
from sgl.research.prompts.derivable import Recognizer
from sgl.research.prompts.material import Material, Prompt, PromptRow, PromptsError, read_material, sentence_of
from sgl.research.prompts.questions import CONTEXTS, JUDGE, TASKS
from sgl.research.prompts.write import FORMAT, FORMS, PROOF, files_of, prompt_files
from sgl.verify.certificate_checks import nameless, pieces_of
from sgl.verify.conllu import Sentence, WordForm
from sgl.verify.items import LAYER, at_layers
from sgl.verify.structure import GraphPattern, Link, NodeVariable, StructureBody, StructureError, passes, read_structure

#: Where Python keeps what it has compiled, beside the files of a harness.
CACHE = "__pycache__"

#: Nodes that are tried for one body in one graph; what takes more is refused.
_MOST_TRIED = 1_000_000


@dataclass(frozen=True, slots=True)
class Checked:
    """How many prompts were checked, what is wrong with them, and how things were established."""

    number: int
    faults: list[str]
    notes: list[str]


def check_prompts(directory: Path, dataset: Path, progress: Callable[[str, int, int], None]) -> Checked:
    """Check the prompts of a directory; raises what unreadable files raise."""
    proof = read_document(directory / PROOF, CERTIFICATE, inside=directory)
    proof["format"].one_of([FORMAT])
    claims, notes = list(map(_claim, proof["prompts"].elements())), list[str]()
    material = read_material(dataset, proof["split"].of(str), proof["target"].of(str))
    if proof["dataset"].of(str) != material.signature:
        return Checked(len(claims), [f"the prompts were made of another dataset: {proof['dataset'].of(str)}"], notes)
    options, beside = _options(proof), proof["beside"].of(dict)
    asked = asked_items(material, options)
    checker = _Checker(material, options, asked)
    faults = list(_left_out(material, proof, claims, asked))
    try:
        for done, claim in enumerate(claims):
            progress("prompts", done, len(claims))
            faults += [f"{claim.id}: {fault}" for fault in checker.faults(claim)]
        if not faults:
            faults, notes = checker.of_beside(claims, beside)
        faults = faults or list(_changed(directory, material, claims, options, beside))
    except StructureError as problem:
        raise PromptsError(f"the manifest lacks a structure: {problem}") from None
    except ValueError as problem:
        faults = [str(problem)]
    if not faults:
        # That nobody has picked them shows if they are made again.
        made = choose_prompts(material, options, progress)
        if made != claims or things_beside(material, made, options, progress) != beside:
            faults = ["with these options other shots, or other things beside the items, are chosen"]
    return Checked(len(claims), faults, notes)


def _options(proof: JsonValue) -> dict[str, Any]:
    """Return the options of prompts, of their types."""
    chosen = {"select": STRATEGIES, "complexity": COMPLEXITY, "order": ORDERS, "task": TASKS, "context": CONTEXTS}
    options: dict[str, Any] = {name: proof[name].one_of(values) for name, values in chosen.items()}
    options |= {name: proof[name].of(bool) for name in ("control", "matched")}
    options |= {name: proof[name].of(int) for name in ("shots", "exposures", "seed")}
    options |= {name: proof[name].of(str) for name in ("instruction", "model")}
    items = None if proof["items"].data is None else proof["items"].of(int)
    options |= {"patterns": proof["patterns"].texts(), "items": items}
    return options | {"forms": tuple(form.one_of(FORMS) for form in proof["forms"].elements())}


def _claim(prompt: JsonValue) -> Prompt:
    shots, missing, untrained = (prompt[name].texts() for name in ("shots", "missing", "untrained"))
    shown = {part: shot.of(str) for part, shot in prompt["shown"].members().items()}
    return Prompt(prompt["id"].of(str), prompt["pattern"].of(str), shots, shown, missing, untrained)


def _left_out(
    material: Material, proof: JsonValue, claims: Sequence[Prompt], asked: Mapping[str, Sequence[PromptRow]]
) -> Iterator[str]:
    """Yield the patterns whose prompts are not those of the items that the options ask for."""
    wanted = {name: items[0].row.category for name, items in asked.items()}
    of = Counter(item.row.category for item in material.items if item.row.category in wanted.values())
    if proof["of"].data != of:
        yield "the numbers of items are not those of the dataset"
    lacking = [wanted[name] for name in wanted.keys() - {claim.id for claim in claims}]
    for pattern, number in Counter(lacking).items():
        yield f"{number:,} of {list(wanted.values()).count(pattern):,} items of `{pattern}` have no prompt"


def _changed(
    directory: Path, material: Material, claims: Sequence[Prompt], options: Mapping[str, Any], beside: Mapping[str, Any]
) -> Iterator[str]:
    """Yield the files that are not what prompts with these shots are, and those that programs would read with them."""
    files = files_of(material, claims, options, beside)
    for name, text in files.items():
        if read_text(directory / name, BENCHMARK, inside=directory) != text:
            yield f"{name}: the text is not what the dataset and the certificate say"
    forms = {PurePath(name).parts[0] for name in prompt_files(directory) or ()} - {PROOF}
    for path in sorted(directory.rglob("*")):
        own = path.relative_to(directory)
        if own.parts[0] in forms and not path.is_dir() and own.as_posix() not in files and CACHE not in own.parts:
            yield f"{own.as_posix()}: the file is not one of these prompts, and may be read with them"


class _Checker:
    """The rows of the dataset by name, and what has been found in their graphs."""

    def __init__(
        self, material: Material, options: Mapping[str, Any], asked: Mapping[str, Sequence[PromptRow]]
    ) -> None:
        self._material, self._options, self._control = material, options, options["control"]
        self._held_out, self._most, self._unused = material.held_out, options["shots"], dict(asked)
        self._train = {of.row.id: of for of in material.train}
        #: What can be a shot.
        self._pool = {of.row.id: of for of in material.pool(self._control)}
        first = material.train[0].graph.words[0].get(LAYER)
        self._search = cache(
            lambda text: Search(at_layers(read_structure(text), first) if first else read_structure(text))
        )
        self._shows = cache(self._found)
        self._pieces, self._nameless = cache(pieces_of), cache(lambda text: nameless(read_structure(text)))
        self._anywhere = cache(lambda part: any(self._shows(name, part) for name in self._train))

    def _found(self, name: str, part: str) -> bool:
        """Return whether a training sentence shows a part, or has a structure."""
        if part.startswith(("word ", "rule ")):
            return part in self._pool[name].parts
        return self._search(part).finds(self._pool[name].graph)

    def faults(self, claim: Prompt) -> Iterator[str]:
        """Yield what is wrong with the claim about a prompt."""
        items = self._unused.pop(claim.id, ())
        if not items or (category := items[0].row.category) != claim.pattern:
            yield f"the item belongs to `{category}`" if items else "it is not an item, or it has two prompts"
        elif unknown := [shot for shot in claim.shots if shot not in self._pool]:
            yield f"`{unknown[0]}` is not a training sentence"
        else:
            needs = list(self._of_needs(claim, items))
            # Only what the item needs is looked for: nobody else's structures.
            yield from (*self._of_shots(claim, items), *needs, *([] if needs else self._of_parts(claim)))

    def _of_shots(self, claim: Prompt, items: Sequence[PromptRow]) -> Iterator[str]:
        own = {sentence_of(item.row.source) for item in items}
        for shot in claim.shots:
            row = self._pool[shot].row
            if sentence_of(row.source) in own:
                yield f"the shot {shot} has the sentence of the item"
            if shot not in self._train and row.category != claim.pattern:
                yield f"the shot {shot} is an item of another pattern"
            for text in () if self._control else self._held_out.get(claim.pattern, ()):
                if self._shows(shot, text):
                    yield f"the shot {shot} contains what is held out: {text}"
        # Where training is small, there may be fewer that can be shots.
        least = self._most if len(self._train) > 2 * self._most else 0
        if len({*claim.shots}) < len(claim.shots) or not least <= len(claim.shots) <= self._most:
            yield f"it has {len({*claim.shots})} different shots, not {self._most}"

    def _of_needs(self, claim: Prompt, items: Sequence[PromptRow]) -> Iterator[str]:
        """Yield a part that the item needs and the claim does not name, or the other way round."""
        named = {*claim.shown, *claim.missing}
        words = {part for part in named if part.startswith(("word ", "rule "))}
        for part in sorted(words ^ frozenset[str]().union(*(item.parts for item in items)))[:1]:
            yield f"`{part}` is a part that the item {'does not need' if part in words else 'needs, and is not named'}"
        graphs, held_out = [item.graph for item in items], self._held_out.get(claim.pattern, ())
        has = [text for text in held_out if any(map(self._search(text).finds, graphs))]
        needed = {piece for text in has for piece in self._pieces(text)}
        if self._control:
            needed.update(map(self._nameless, has))
            if not any(self._shows(shot, text) for text in has for shot in claim.shots) and has:
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
            if shot not in claim.shots or not self._shows(shot, part):
                yield f"`{part}` is not in the shot {shot}, or that is not a shot"
        if not {*claim.untrained} <= {*claim.missing}:
            yield "a part is said to be missing in training, and not in the prompt"
        for part in claim.missing:
            if part in claim.shown or any(self._shows(shot, part) for shot in claim.shots):
                yield f"`{part}` is said to be missing, and a shot shows it"
            if (part in claim.untrained) == self._anywhere(part):
                yield f"whether training shows `{part}` is told wrongly"

    def of_beside(self, claims: Sequence[Prompt], beside: Mapping[str, Any]) -> tuple[list[str], list[str]]:
        """Return what is wrong with what stands beside items and shots, and notes on how it was established."""
        material, asked = self._material, {claim.id for claim in claims}
        if wrong := [name for name, how in beside.items() if not isinstance(how, list)]:
            return [f"what stands beside `{wrong[0]}` is not a list"], []
        if self._options["matched"]:
            what, known, check = "matched item", asked, self._matched(Matching(material), beside)
            notes = [
                "matched items have the words of their items, and nothing that is held out",
                "that each has one reading was established by the parser alone",
            ]
        elif self._options["task"] == JUDGE:
            language = Recognizer(material.core, material.asked.source)
            what, check = "string beside them", self._string(Strings(material), language, beside)
            known = asked.union(*(claim.shots for claim in claims))
            way = f"the parser alone: {language.unread}" if language.unread else "a search that is not the parser's"
            notes = [f"whether a string is in the language was established again by {way}"]
        else:
            return ["nothing stands beside these items"] * bool(beside), []
        faults = [f"`{name}` is no item and no shot" for name in sorted(beside.keys() - known)]
        faults += [f"{name}: {fault}" for name in sorted(known & beside.keys()) for fault in check(name)]
        if lacking := len(asked - beside.keys()):
            notes.append(f"{lacking:,} of the items have no {what}, and are not asked about")
        return faults, notes

    def _string(
        self, strings: Strings, language: Recognizer, beside: Mapping[str, Any]
    ) -> Callable[[str], Iterator[str]]:
        def faults(name: str) -> Iterator[str]:
            string, own = text_of(strings.made(name, beside[name])), text_of(strings.words(name))
            if not language.unread and language.derives(string):
                yield f"the grammar derives `{string}`"
            if not (language.unread or language.derives(own)):
                yield f"the grammar does not derive `{own}`"

        return faults

    def _matched(self, matching: Matching, beside: Mapping[str, Any]) -> Callable[[str], Iterator[str]]:
        def faults(name: str) -> Iterator[str]:
            row, graph, _, derivation = matching.read(name, beside[name])
            if not matching.interpreter.is_text(derivation) or sentence_of(row.source) in matching.known:
                yield "the matched item is not derived, or a row of the dataset"
            for text in (text for own in self._held_out.values() for text in own):
                if self._search(text).finds(graph):
                    yield f"the matched item has what is held out: {text}"

        return faults


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
