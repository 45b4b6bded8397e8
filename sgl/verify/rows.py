"""Check the rows of a dataset against its certificate: ``python rows.py DIRECTORY``.

Every row is drawn again with the tables of ``certificate.json``, from the seed, its stream and its number there;
passes the tests of a candidate; and is written again from its derivation.  The files must have these bytes.
docs/certificate.md has formats, tests, codes; ``certificate.py`` accepts the certificate itself.

A state of the sampler gives each alternative an interval.  The shares must be those that the
weights of the grammar have, given what the split excludes; ``Candidates.check`` has the proof.
"""

import math
import re
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from hashlib import sha256
from heapq import heappop, heappush
from itertools import accumulate
from pathlib import Path
from typing import Any, BinaryIO

if __package__:
    from sgl.verify.certificate import FAULTS, Checker
    from sgl.verify.certificate_format import content_of, measured_by, reason
    from sgl.verify.derivation import Derivation, Interpreter, line, pair
else:
    sys.path.append(str(Path(__file__).parents[2]))  # where views are found
    from certificate import FAULTS, Checker  # type: ignore[import-not-found,no-redef]
    from certificate_format import content_of, measured_by, reason  # type: ignore[import-not-found,no-redef]
    from derivation import Derivation, Interpreter, line, pair  # type: ignore[import-not-found,no-redef]

Json = Any  # a part of the certificate
TRAIN, GENERALIZATION, ACCEPTED, AMBIGUOUS = "train", "gen", "accepted", "ambiguous"
STEPS, BYTE = 10_000_000, 300  # the budget, and more for each letter of a file that was right
CODES = {"derivations": "R03", "data": "R04", "pairs": "R04", "conllu": "R05"}
NUMBER = rb"(?:0|[1-9][0-9]{0,19})"
LINE = re.compile(rb"([^\t\n]+#%b)\t(%b(?: %b)*)\n" % (NUMBER, NUMBER, NUMBER))
LONGEST_LINE, REJECTED = 1 << 18, "derivations/rejected.tsv"
LONGEST = 10_000  # rules of a derivation
ROUND, TRIALS = 2, 64  # candidates for a context, and sentences for one of these
EXACT = 1e-9  # an interval may differ by this part of it, and by two: bounds are rounded
MASK, GAMMA = (1 << 64) - 1, 0x9E3779B97F4A7C15


class Refusal(ValueError):
    """What is wrong with the rows; it begins with a code."""


def mix(key: int) -> int:
    """Return the 64 random bits of a key, by SplitMix64."""
    key = ((key ^ (key >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    key = ((key ^ (key >> 27)) * 0x94D049BB133111EB) & MASK
    return key ^ (key >> 31)


class Candidates:
    """The derivations that the tables of a certificate give, by seed, stream and number."""

    def __init__(self, data: Json, spend: Callable[[int], None]) -> None:
        self.seed, self.states, self.spend = data["seed"], data["sampler"]["states"], spend
        self.streams = [stratum[2] for stratum in data["core"]["plan"]["strata"]]
        self.ends = dict[int, list[int]]()
        self.weights = [float(rule[3]) for rule in data["core"]["grammar"]["rules"]]
        self.arity = [len(rule[2]) for rule in data["core"]["grammar"]["rules"]]
        self.given: tuple[str, int, Json] = ("", 0, None)

    def draw(self, stream: str, number: int, state: int, every: int = 0) -> Derivation:
        """Return a candidate of a stream from a state on, that of its number of ``every`` one; () if too long."""
        if every:
            return self.listed(number, state, every)
        start = int.from_bytes(sha256(f"{self.seed}/{stream}".encode()).digest()[:8], "big")
        key = mix((start + (number + 1) * GAMMA) & MASK)
        rules, waiting = list[int](), [state]
        self.visited = list[int]()
        while waiting and len(rules) + len(waiting) <= LONGEST:
            self.visited.append(state := waiting.pop())
            bounds, choices, children = self.states[state]
            key = (key + GAMMA) & MASK
            choice = bisect_right(bounds, mix(key) * bounds[-1] >> 64)
            rules.append(choices[choice])
            waiting += children[choice]
        self.spend(10 + len(rules))
        return () if waiting else tuple(rules)

    def in_context(self, stream: str, number: int, state: int, contexts: int, found: frozenset[int]) -> Json:
        """Return a candidate of a stratum with contexts, and its instance; both are () if there is none."""
        first = number - number % (ROUND * contexts)
        if self.given[:2] != (stream, first):
            self.given = stream, first, self.with_instance(stream, first * TRIALS, state, found)
        rules, begin, end, given = self.given[2] or ((), 0, 0, -1)
        instance = rules[begin:end]
        if not rules or number == first:
            return rules, instance
        for trial in range(TRIALS):
            rules, begin, end, own = self.with_instance(stream, number * TRIALS + trial, state, found) or ((), 0, 0, -1)
            if rules and own == given:
                return rules[:begin] + instance + rules[end:], instance
        return (), ()

    def with_instance(self, stream: str, number: int, state: int, found: frozenset[int]) -> Json:
        """Return a derivation, and where its only smallest phrase of a ``found`` state is, with that state."""
        rules, waiting, smallest = self.draw(stream, number, state), list[Json](), list[Json]()
        for place in range(len(rules) - 1, -1, -1):
            below = [waiting.pop() for _ in range(self.arity[rules[place]])]
            waiting.append((place, below[-1][1] if below else place + 1))
            if self.visited[place] in found and not any(self.visited[child] in found for child, _ in below):
                smallest.append((*waiting[-1], self.visited[place]))
        return (rules, *smallest[0]) if len(smallest) == 1 else None

    def listed(self, number: int, state: int, every: int) -> Derivation:
        """Return a derivation by its number, if there are so many; () if it is too long."""
        if not 0 <= number < every or every != self.ends_of(state)[-1]:
            raise Refusal(f"R01 state {state} has not {every} derivations")
        rules, waiting = list[int](), [(state, number)]
        while waiting and len(rules) + len(waiting) <= LONGEST:
            state, number = waiting.pop()
            ends, (_, choices, children) = self.ends[state], self.states[state]
            choice = bisect_right(ends, number)
            number -= ends[choice - 1] if choice else 0
            rules.append(choices[choice])
            for child in children[choice]:  # the last one first, which changes quickest
                number, rest = divmod(number, self.ends[child][-1])
                waiting.append((child, rest))
        self.spend(10 + len(rules))
        return () if waiting else tuple(rules)

    def ends_of(self, start: int) -> list[int]:
        """Return the numbers of derivations of a state by its alternatives up to each one."""
        waiting = [] if start in self.ends else [start]
        while waiting:
            children = self.states[state := waiting.pop()][2]
            unknown = [child for own in children for child in own if child not in self.ends]
            self.spend(1 + sum(map(len, children)) + len(unknown))
            waiting += [state, *unknown] if unknown else []
            if not unknown:
                ways = [math.prod([self.ends[child][-1] for child in own]) for own in children]
                self.ends[state] = [*accumulate(ways)]
        return self.ends[start]

    def check(self) -> None:
        """Check that parts of the data have their own candidates, in proportion to the weights.

        The latter is so if each state has a value such that *share of an alternative × value of the state = weight of
        its rule × values of its children*: multiplied over a derivation, all values cancel but that of its start.
        """
        if len({*self.streams}) < len(self.streams):
            raise Refusal("R01 two parts of the data have one stream")
        values = self.values()
        for state, (bounds, rules, children) in enumerate(self.states):
            ways = {(rule, *below) for rule, below in zip(rules, children, strict=True)}
            if state not in values or len(ways) < len(bounds):
                raise Refusal(f"R08 state {state} of the sampler derives nothing, or one twice")
            for choice, rule in enumerate(rules):
                width, own = self.width(state, choice), values[state] or math.nan
                right = self.worth(state, choice, values) * bounds[-1] / own
                if not abs(right - width) <= 2 + EXACT * width:
                    share = f"{width} of {bounds[-1]}, and its weight gives {right:.0f}"
                    raise Refusal(f"R08 state {state} of the sampler has rule {rule} in {share}")

    def values(self) -> dict[int, float]:
        """Return the values of the states, each from one alternative: that with least rounding."""
        values, loss = dict[int, float](), dict[int, float]()
        queue, ready = list[tuple[float, int, float]](), list[tuple[int, int]]()
        places = [(n, k) for n, (_, rules, _) in enumerate(self.states) for k in range(len(rules))]
        missing = {(n, k): {*self.states[n][2][k]} for n, k in places}
        users: list[list[tuple[int, int]]] = [[] for _ in self.states]
        for place, below in missing.items():
            self.spend(1 + len(below))
            ready += [place] if not below else []
            for child in below:
                users[child].append(place)
        while ready or queue:
            for state, choice in ready:
                width = max(1, self.width(state, choice))
                rounded = 1 / width + sum(loss[child] for child in self.states[state][2][choice])
                value = self.worth(state, choice, values) * self.states[state][0][-1] / width
                heappush(queue, (rounded, state, value))
            rounded, state, value = heappop(queue)
            new = state not in values
            if new:
                values[state], loss[state] = value, rounded
                for place in users[state]:
                    missing[place].discard(state)
            ready = [place for place in users[state] if not missing[place]] if new else []
        return values

    def width(self, state: int, choice: int) -> int:
        """Return the size of the interval of an alternative."""
        bounds: list[int] = self.states[state][0]
        return bounds[choice] - (bounds[choice - 1] if choice else 0)

    def worth(self, state: int, choice: int, values: dict[int, float]) -> float:
        """Return the weight of an alternative with the values of its children."""
        _, rules, children = self.states[state]
        return math.prod([self.weights[rules[choice]], *(values[x] for x in children[choice])])


class Rows:
    """The rows of a dataset; ``outcomes`` counts for each stream what became of candidates."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory.resolve()
        checker = Checker(content_of(self.own("certificate.json")))
        self.data, self.tables, self.plan = checker.data, checker.tables, checker.core["plan"]
        self.left = STEPS
        self.candidates = Candidates(self.data, self.spend)
        self.meaning = Interpreter(self.data["core"]["grammar"], self.spend)
        self.outcomes = dict[str, Counter[str]]()
        self.seen, self.exposed = dict[str, str](), set[str]()
        self.rejected: tuple[str, Derivation] | None = None
        self.rejections: BinaryIO | None = None
        layers = [self.plan["lemma_layer"], *self.plan.get("graphs", ())]
        self.lemmas = self.meaning.lemmas(layers[0])
        self.layers = [*enumerate(layers)] if layers[0] else []
        held = [name for p in self.plan["patterns"] for name in (*p["forbid"], *p["never"])]
        names = enumerate(own["name"] for own in self.data["structures"])
        self.measured = measured_by(self.plan)
        self.held_out = [number for number, name in names if name in held]

    def spend(self, steps: int) -> None:
        """Take steps from the budget, before they are made: about a microsecond each."""
        self.left -= steps
        if self.left < 0:
            raise Refusal("R07 the budget of steps is used up")

    def own(self, path: str) -> Path:
        """Return the path of a file of the dataset, which leads to no other place."""
        own = self.directory / path
        if own.resolve() != own or not own.is_file():
            raise Refusal(f"R02 {own}: the file is missing, or no regular file")
        return own

    def accepted(self, stratum: Json, start: int, found: Json) -> Iterator[tuple[str, Derivation]]:
        """Yield the candidates of a stratum that are accepted: their names and derivations."""
        split, _, stream, wanted, repeated, targets, repeated_lemmas, *extent, _ = stratum
        every, copies, contexts, *_ = [*extent, 0] if extent else [0, 1, 0]
        share, found = divmod(wanted, len(targets) or 1), frozenset(found)
        room = {target: share[0] + (n < share[1]) for n, target in enumerate(targets)}
        trains = split != TRAIN and any(s[0] == TRAIN and s[3] for s in self.plan["strata"])
        counts = self.outcomes[stream] = Counter[str]()
        instances = dict[str, list[tuple[str, Derivation]]]()  # what was accepted of each
        enough = 0
        while (counts.total() if every else enough) < wanted:
            name = f"{stream}#{counts.total()}"
            instance: Derivation = ()
            if contexts:
                own, instance = self.candidates.in_context(stream, counts.total(), start, contexts, found)
            else:
                own = self.candidates.draw(stream, counts.total(), start, wanted * every)
            lemmas = [lemma for rule in own for lemma in self.lemmas[rule]]
            self.spend(len(lemmas) + len(targets))
            used = {lemma for lemma, _ in lemmas}
            once = [lemma for lemma, upos in lemmas if upos in self.plan["distinct_lemmas"]]
            target = next((target for target in targets if target in used), "")
            if instance:
                target = self.meaning.phrase(self.plan["source"], instance)
                room.setdefault(target, contexts)
            text = self.meaning.text(self.plan["source"], own) if own else ""
            first = self.seen.get(text) if self.plan["distinct_sentences"] else None
            reasons = {
                "too_long": not own and not contexts,
                "repeated_lemma": len({*once}) < len(once) and not repeated_lemmas,
                "unexposed_word": trains and not used <= self.exposed,
                "share_full": (targets or contexts) and not room.get(target),
                "repeated_sentence": first is not None and not (repeated and first == stream),
                AMBIGUOUS: self.rejected and self.rejected[0] == name,
            }
            reason = next((reason for reason, holds in reasons.items() if holds), ACCEPTED)
            counts[reason] += 1
            if reason == AMBIGUOUS and self.rejected:
                self.check_ambiguous(split, own, *self.rejected)
                self.rejected = self.next_rejected()
            elif reason == ACCEPTED:
                self.seen[text], room[target] = stream, room.get(target, 0) - 1
                self.exposed |= used if split == TRAIN else set()
                enough += contexts * (room[target] == 0) if contexts else 1
                if contexts:
                    instances.setdefault(target, []).append((name, own))
                else:
                    yield from ((name, own) for _ in range(copies))
        for each in instances.values():
            if len(each) < contexts:
                counts.update({ACCEPTED: -len(each), "share_full": len(each)})
            else:
                yield from each

    def next_rejected(self) -> tuple[str, Derivation] | None:
        """Return what the next line of ``rejected.tsv`` has, if it has one."""
        row = self.rejections.readline(LONGEST_LINE) if self.rejections else b""
        if not (found := LINE.fullmatch(row)) and row:
            raise Refusal(f"R06 {REJECTED}: {row[:40]!r} is no candidate with a derivation")
        self.spend(-BYTE * len(row))
        return (found[1].decode(), tuple(map(int, found[2].split()))) if found else None

    def check_ambiguous(self, split: str, own: Derivation, name: str, other: Derivation) -> None:
        """Check that another reading of the sentence of a candidate shows why it is rejected."""
        meaning, source = self.meaning, self.plan["source"]
        if not meaning.is_text(other):
            raise Refusal(f"R06 {name}: what is listed is no derivation of a text")
        if own == other or meaning.text(source, own) != meaning.text(source, other):
            raise Refusal(f"R06 {name}: what is listed is no other reading of its sentence")
        views = (name for name, (kind, *_) in meaning.views.items() if kind != "conllu")
        if not any(
            self.contains(structure, reading)
            for structure in self.held_out
            for reading in (own, other)[: 2 * (split != GENERALIZATION)]
        ) and all(meaning.text(x, own) == meaning.text(x, other) for x in (*meaning.texts, *views)):
            raise Refusal(f"R06 {name}: what is listed is no reason to reject it")

    def contains(self, structure: int, derivation: Derivation) -> bool:
        """Return whether the automaton of a structure finds it in a derivation."""
        states = dict[int, int]()
        self.spend(len(derivation))
        for place, _, below in self.meaning.walk(derivation):
            symbol = self.data["symbols"][derivation[place]]
            states[place] = self.tables[structure].get((symbol, *[states[n] for n in below]), 0)
        return states[0] in self.data["structures"][structure]["accepting"]

    def rows(self) -> Iterator[tuple[str, str, str, Derivation]]:
        """Yield each row that the files have: its split, category, candidate and derivation."""
        plan, numbers = self.plan, Counter[str]()
        self.candidates.check()
        with ExitStack() as closing:
            files = {split: self.files(split, closing) for split, *_ in plan["strata"]}
            if plan["ambiguous"] == "reject":
                self.rejections = closing.enter_context(self.own(REJECTED).open("rb"))
                self.rejected = self.next_rejected()
            elif (self.directory / REJECTED).exists():
                raise Refusal(f"R06 {REJECTED}: nothing is rejected here")
            starts = self.data["sampler"]["starts"]
            marks = self.data["sampler"].get("found", [[]] * len(starts))
            for stratum, start, marked in zip(plan["strata"], starts, marks, strict=True):
                split, category, *_ = stratum
                for name, own in self.accepted(stratum, start, marked):
                    numbers[split] += 1
                    row = f"{split}-{numbers[split]:06d}"
                    texts = self.texts(row, category, name, own)
                    for file, text in zip(files[split], texts, strict=True):
                        if (found := file.read(len(text.encode()))) != text.encode():
                            code = CODES[Path(file.name).relative_to(self.directory).parts[0]]
                            shown = f"{found.decode('utf-8', 'replace')!r} instead of {text!r}"
                            raise Refusal(f"{code} {file.name}, {row}: {shown}")
                        self.spend(-BYTE * len(text))
                    yield split, category, name, own
            for file in [file for own in files.values() for file in own]:
                if file.read(1):
                    raise Refusal(f"R02 {file.name} has more rows than are drawn")
            if self.rejected:
                raise Refusal(f"R06 {self.rejected[0]} is not to be rejected")

    def files(self, split: str, closing: ExitStack) -> list[BinaryIO]:
        """Open the files of a split, for ``closing`` to close."""
        folders = ["derivations", "data", *(f"data/{name}" for name in self.plan["further"])]
        paths = [f"{folder}/{split}.tsv" for folder in folders]
        pairs = [f"pairs/{split}.jsonl"] * (self.plan["target"] in self.meaning.twins)
        if not pairs and (self.directory / "pairs").exists():
            raise Refusal("R02 pairs: the target is the twin of no layer")
        paths += pairs
        paths += ["conllu/" + f"{layer}/" * (n > 0) + f"{split}.conllu" for n, layer in self.layers]
        return [closing.enter_context(self.own(path).open("rb")) for path in paths]

    def texts(self, row: str, category: str, name: str, derivation: Derivation) -> Iterator[str]:
        """Yield what each of these files has of a row."""
        targets = [self.plan["target"], *self.plan["further"]]
        source, text = self.plan["source"], self.meaning.text
        yield line(name, " ".join(map(str, derivation)))
        for target in targets:
            yield line(text(source, derivation), text(target, derivation), category)
        if targets[0] in self.meaning.twins:
            yield pair(text(source, derivation), text(targets[0], derivation), category)
        for _, layer in self.layers:
            anchor = self.meaning.graphs[layer][1]
            comments = {"sent_id": row, "category": category, "text": text(anchor, derivation)}
            others = (x for x in (*self.meaning.texts, *targets) if x != anchor)
            comments |= {f"text_{x}": text(x, derivation) for x in others}
            comments |= self.meaning.lengths(self.measured, derivation)
            above = "".join(line(f"# {label} = {text}") for label, text in comments.items())
            yield f"{above}{self.meaning.sentence(layer, derivation)}\n"


def refusal(problem: Exception) -> str:
    """Return what a problem means for the rows, after a code."""
    if isinstance(problem, OSError):
        return f"R02 {problem.filename}: {problem.strerror}"
    known = isinstance(problem, Refusal)
    return str(problem) if known else f"R01 malformed: {reason(problem)}"


if __name__ == "__main__":
    try:
        result = f"accepted {sum(1 for _ in Rows(Path(*sys.argv[1:2])).rows())} rows"
    except (OSError, *FAULTS) as error:
        result = refusal(error)
    sys.stdout.write(f"{result}\n")
    sys.exit(not result.startswith("accepted"))
