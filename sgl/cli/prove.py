"""``sglc prove``: the claims of the patterns, proved on the grammar."""

from collections.abc import Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import click

from sgl.automata import SplitGrammar, StructureCompiler, pieces_of
from sgl.automata.algebra.boolean import intersection
from sgl.automata.proofs.compiler import structures_of
from sgl.automata.proofs.invariant import StateExample, smallest_text, state_examples
from sgl.characters import display_width
from sgl.cli.files import CERTIFICATE, FILE, GRAMMAR, force_option
from sgl.cli.session import Session, grammar_options, level_options
from sgl.cli.terminal import count, json_option
from sgl.core.claims import Claim, Kind, PatternProofs, Proofs, Supply, Verdict, verdict_of
from sgl.core.interpret import Derivation, all_tokens, finish, interpret
from sgl.core.plan import Constraint, Stratum, content_lemmas
from sgl.core.structure import Structure
from sgl.dataset import fingerprint, plain
from sgl.frontend import Compiled
from sgl.pipeline.comparison import Between, Comparison, Departure
from sgl.pipeline.guarantees import DatasetCounts, excuses, pattern_guarantees, proof_data, read_counts, used
from sgl.pipeline.proofs import certificate_file, establish, known_figures, with_needs
from sgl.report import example_of
from sgl.report.model import columns, graph_lines, tree_lines
from sgl.report.words import sentence_of
from sgl.values import dataclass, field


@click.command("prove")
@click.argument("grammar", type=GRAMMAR, required=False)
@click.option("--pattern", metavar="NAME", help="Show the reasoning about one pattern.")
@click.option(
    "--between",
    nargs=2,
    type=GRAMMAR,
    metavar="A B",
    help="Show which structures that B tests occur in the training of A.",
)
@click.option("--data", type=FILE, metavar="DIR", help="Show a dataset's counts next to the expected ones.")
@click.option(
    "--certificate",
    type=CERTIFICATE,
    metavar="FILE",
    help="Write the certificate of all claims, for `sglc verify FILE`.",
)
@force_option
@json_option
@level_options
@grammar_options
def command(
    session: Session,
    grammar: Path | None,
    pattern: str | None,
    between: tuple[Path, Path] | None,
    data: Path | None,
    certificate: Path | None,
    as_json: bool,
) -> None:
    """Prove the claims of all patterns of GRAMMAR: held out, instance, licensed, exposed."""
    if between is not None:
        _refuse(any((grammar, pattern, data, certificate)), "`--between A B` takes two grammars and nothing else")
        _show_between(session, between, as_json)
        return
    if grammar is None:
        raise click.UsageError("Missing argument 'GRAMMAR'.")
    _refuse(all((certificate, pattern)), "`--certificate` covers all patterns of a grammar; leave out the pattern")
    drawn = read_counts(data) if data is not None else None
    compiled = session.open_dataset(grammar)
    structures = structures_of(compiled.grammar)
    session.check_names([pattern], [lowered.pattern.name for lowered in compiled.patterns], "pattern")
    proofs = establish(compiled, structures, session.diagnostics, session.proving, pattern)
    session.show()
    if proofs is not None:
        compiled = with_needs(compiled, proofs)
        if not session.quiet:
            _show(session, compiled, structures, proofs, pattern, drawn, as_json)
    session.stop_on_errors()
    if certificate is not None:
        session.progress("writing the certificate")
        session.write(certificate, certificate_file(compiled, structures).content.decode("utf-8"))


def _refuse(wrong: bool, message: str) -> None:
    if wrong:
        raise click.UsageError(message)


def _show(
    session: Session,
    compiled: Compiled,
    structures: StructureCompiler,
    proofs: Proofs,
    pattern: str | None,
    drawn: DatasetCounts | None,
    as_json: bool,
) -> None:
    if drawn is not None and drawn.grammar != fingerprint(compiled.grammar, compiled.plan):
        session.echo("note: the dataset was drawn from another version of the grammar", err=True)
    if as_json:
        session.json(proof_data(compiled, proofs, known_figures(compiled, structures), drawn))
    elif pattern is not None:
        session.present("prove_pattern.j2", **PatternText(compiled, structures, proofs.of(pattern)).told())
    else:
        titles = {pattern.name: pattern.title for pattern in compiled.plan.patterns}
        errors = session.diagnostics.errors
        told: dict[str, Any] = {"kinds": _LETTERED, "signs": _signs, "rarest": _rarest}
        told["idle"] = sum(verdict_of(own.instances) is Verdict.NOTHING for own in proofs.patterns)
        session.present("prove.j2", proofs=proofs, titles=titles, drawn=drawn, errors=errors, **told)


#: The kinds of claims with a column in the table.
_LETTERED = [kind for kind in Kind if kind.letter]


def _signs(pattern: PatternProofs, drawn: DatasetCounts | None) -> str:
    """Return a sign for each kind of claim; the claim about strings stays open without a dataset."""
    stated = None if drawn is None else drawn.strings.get(pattern.name)
    verdicts = {kind: verdict_of(pattern.of(kind)) for kind in _LETTERED}
    verdicts[Kind.STRINGS] = Verdict.NOT_CHECKED if stated is None else Verdict(stated.result)
    return "".join(verdict.sign for verdict in verdicts.values())


def _rarest(needs: Sequence[Claim[Supply]]) -> Claim[Supply] | None:
    """Return the part with the lowest expected number relative to its minimum."""
    return min(needs, key=lambda need: need.evidence.expected / max(need.evidence.minimum, 1), default=None)


def _show_between(session: Session, paths: tuple[Path, Path], as_json: bool) -> None:
    """Compare two grammars and show the result as text or JSON."""
    first, second = (session.open(path) for path in paths)
    session.progress("comparing")
    between = Between(first, second)
    comparisons, departures = list(between.comparisons()), list(between.departures())

    def texts(found: Comparison | Departure) -> tuple[str, ...]:
        return interpret(first.grammar, found.derivation).texts if found.derivation else ()

    def data(found: Comparison | Departure) -> dict[str, Any]:
        shown = plain(found) | {"witness": texts(found)}
        return {name: value for name, value in shown.items() if name != "derivation"}

    if as_json:
        head = {"training": first.project.name, "tests": second.project.name}
        session.json({**head, "structures": [*map(data, comparisons)], "departures": [*map(data, departures)]})
    else:
        session.present("between.j2", first=first, second=second, rows=comparisons, departures=departures, texts=texts)


#: Maximum number of phrases shown for an invariant.
_PHRASES = 16

#: Width of a phrase in an invariant.
_WIDTH = 48

#: The kind of a phrase: whether it contains the whole structure, whether no training sentence contains it, and the
#: numbers, from 1, of the pieces of the structure that it contains.
_PhraseKind = tuple[bool, bool, tuple[int, ...]]


@dataclass
class PatternText:
    """The reasoning about one pattern; ``pictured`` has the sentences whose trees have been shown."""

    compiled: Compiled
    structures: StructureCompiler
    proofs: PatternProofs
    pictured: set[str] = field(default_factory=set)

    def told(self) -> dict[str, Any]:
        """Return the data of the template: the pattern, its clauses and guarantees, and each claim with its reasons."""
        lowered = next(p for p in self.compiled.patterns if p.pattern.name == self.proofs.name)
        clauses = []
        sources = self.compiled.project.sources
        for span in (sources.real(clause.span) for clause in lowered.declaration.clauses):
            file = sources.get(span.file)
            if file is not None:
                text = " ".join(file.text[span.start : span.end].split())
                clauses.append((f"{span.file}:{file.position(span.start)[0]}", text))
        told = {"proofs": self.proofs, "pattern": lowered.pattern, "clauses": columns(clauses), "used": used}
        told |= {"guarantees": pattern_guarantees(self.proofs), "excuses": excuses}
        told["claim"] = sentence_of(lowered.pattern.held_out)
        own = (self.invariant_of, self.smallest, self.split, self.sentence)
        return told | {function.__name__: function for function in own}

    def split(self, stream: str) -> SplitGrammar:
        """Return the grammar from which a stratum is drawn."""
        return self.structures.drawn(self._stratum(stream))

    def smallest(self, claim: Claim[None]) -> Derivation | None:
        """Return the smallest sentence with a piece, in the stratum that licenses it."""
        language = self.structures.language(self._stratum(claim.stream).constraint)
        both = intersection(language, self.structures.presence(claim.structure))
        return smallest_text(both, content_lemmas(self.compiled.grammar, self.compiled.plan))

    def _stratum(self, stream: str | None) -> Stratum:
        return next(stratum for stratum in self.compiled.plan.strata if stratum.stream == stream)

    def sentence(self, what: str, derivation: Derivation | None) -> list[str]:
        """Return a sentence with its tree and graph, unless they have been shown."""
        if derivation is None:
            return []
        plan, grammar = self.compiled.plan, self.compiled.grammar
        example = example_of(grammar, derivation, source=plan.source, target=plan.target, graph=plan.lemma_layer)
        lines = [f"{what}: {example.source} | {example.target}"]
        if example.source not in self.pictured:
            self.pictured.add(example.source)
            pictures = [*map(tree_lines, example.trees[:1]), graph_lines(example)]
            lines += [f"  {line}" for line in columns(list(zip_longest(*pictures, fillvalue="")), "    ")]
        return lines

    def invariant_of(self, structure: Structure) -> dict[str, Any]:
        """Return why a structure is held out: the states of its automaton that training phrases reach."""
        training = self.compiled.plan.in_distribution("train")
        automaton = self.structures.presence(structure)
        split = self.structures.split(Constraint() if training is None else training.constraint)
        kinds: dict[_PhraseKind, list[StateExample]] = {}
        for state in state_examples(split, automaton):
            kinds.setdefault(self._kind(structure, state), []).append(state)
        return {
            "states": len(automaton.category),
            "transitions": sum(len(table) for table in automaton.tables),
            "training_states": len(split.category),
            "training_transitions": sum(len(row) for row in split.transitions_of),
            "pieces": pieces_of(structure),
            "kinds": kinds,
            "lines": columns([self._phrase(kind, kinds[kind]) for kind in sorted(kinds)[:_PHRASES]]),
            "more": len(kinds) - _PHRASES,
            "closed": not any(whole and not absent for whole, absent, _ in kinds),
        }

    def _kind(self, structure: Structure, state: StateExample) -> _PhraseKind:
        grammar, automaton_of = self.compiled.grammar, self.structures.structure_automaton
        parts = structure, *pieces_of(structure)
        whole, *found = (automaton_of(part).accepts(grammar, state.phrase) for part in parts)
        numbers = tuple(number for number, part in enumerate(found, 1) if part)
        return state.accepting or whole, not state.reached, numbers

    def _phrase(self, kind: _PhraseKind, states: list[StateExample]) -> tuple[str, ...]:
        whole, absent, numbers = kind
        found = f"piece{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"
        smallest = min(states, key=lambda state: len(state.phrase))
        grammar = self.compiled.grammar
        layer = grammar.text_layer(self.compiled.plan.source)
        text = finish(grammar.text_layers[layer], all_tokens(grammar, smallest.phrase, layer))
        return (
            "the whole" if whole else found if numbers else "nothing",
            "not in training" if absent else "in training",
            count(len(states), "state"),
            f"{grammar.categories[smallest.category].base}: {shortened(text)}",
        )


def shortened(text: str) -> str:
    """Shorten a wide text to its beginning and end."""
    if display_width(text) <= _WIDTH:
        return text
    words = text.split(" ")
    while len(words) > 2 and display_width(" ".join(words)) > _WIDTH - 2:
        del words[len(words) // 2]
    half = (len(words) + 1) // 2
    return " ".join([*words[:half], "…", *words[half:]])
