"""Run the passes of the front end over a project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sgl.core.grammar import CoreGrammar
from sgl.core.plan import Plan
from sgl.core.structure import Structure
from sgl.core.weights import RuleKey
from sgl.diagnostics import Diagnostics, Span
from sgl.frontend.agreement import OpenTie, find_open_ties
from sgl.frontend.check_graphs import check_graphs, check_instances
from sgl.frontend.check_patterns import check_patterns, check_sizes
from sgl.frontend.check_words import check_words
from sgl.frontend.dataset import DatasetSettings, check_lemma_classes, read_dataset, targets_of
from sgl.frontend.expand import expand
from sgl.frontend.lexicons import Lexicons, lower_words
from sgl.frontend.lower import Lowered, lower, start_first
from sgl.frontend.names import Names, report_unused, resolve_names
from sgl.frontend.parts import LoweredPart, lower_parts
from sgl.frontend.patterns import LoweredPattern, lower_patterns
from sgl.frontend.plan import make_plan
from sgl.frontend.productions import Production
from sgl.frontend.restrictions import LoweredRestriction, Relations
from sgl.frontend.rules import lower_rules
from sgl.frontend.sentence_tests import LoweredTest, lower_tests
from sgl.frontend.signature import Signature, build_signature
from sgl.frontend.structures import StructureContext, Vocabulary, vocabulary
from sgl.frontend.switches import Parameters, set_parameters
from sgl.frontend.weights import apply_weights
from sgl.lang import syntax as s
from sgl.lang.project import Project


@dataclass(frozen=True)
class Compiled:
    """A grammar that was compiled without errors.

    Beside the core grammar and the plan of its dataset it keeps what later
    stages need in order to speak about the source: where rules, patterns and
    examples were written.

    ``origin`` is the SHA-256 of all that the grammar was made from, or empty if that is
    not known.  A copy with other values (:func:`dataclasses.replace`) has none.
    """

    project: Project
    parameters: Mapping[str, str]
    grammar: CoreGrammar
    plan: Plan
    rule_spans: tuple[Span, ...]
    rule_keys: tuple[RuleKey, ...]
    patterns: tuple[LoweredPattern, ...]
    parts: tuple[LoweredPart, ...]
    restrictions: tuple[LoweredRestriction, ...]
    dataset_span: Span
    tests: tuple[LoweredTest, ...]
    open_ties: tuple[OpenTie, ...] = ()
    origin: str = field(init=False, default="", compare=False, repr=False)

    def with_origin(self, origin: str) -> Compiled:
        """The same value, after a note of what it was made from."""
        object.__setattr__(self, "origin", origin)
        return self


def compile_project(
    project: Project, settings: Mapping[str, str], diagnostics: Diagnostics
) -> Compiled | None:
    """Compile a project; None when there are errors.

    A pass whose input would be incomplete because of earlier errors is left
    out, so that one mistake is reported once.
    """
    if not any(unit.file.declarations or unit.file.unread for unit in project.units):
        diagnostics.error(
            "SGL0307",
            None,
            f"`{project.main.file.name}` declares nothing",
            hint="start with the source language: `layer en : text`",
        )
        return None
    parameters = set_parameters(project, settings, diagnostics)
    names = resolve_names(project, parameters, diagnostics)
    signature = build_signature(names, parameters, diagnostics)
    dataset = read_dataset(names, parameters, diagnostics)
    if signature is None:
        return None
    targets = () if dataset is None else targets_of(dataset, signature, diagnostics)
    productions = _productions(project, names, signature, parameters, diagnostics)
    lowered = None
    if diagnostics.errors == 0 and dataset is not None:
        lowered = _lower(project, productions, dataset, signature, diagnostics)
    if lowered is not None:
        lowered = apply_weights(lowered, names, signature, project.sources, diagnostics)
    context = _context(names, signature, lowered, parameters, diagnostics)
    claims = _Claims() if context is None else _claims(project, names, context)
    grammar = lowered.grammar if lowered is not None else None
    tests = lower_tests(names, signature, grammar, parameters, diagnostics)
    if dataset is not None and diagnostics.errors == 0:
        check_sizes(names, parameters, diagnostics)
        check_patterns(claims.patterns, claims.parts, dataset.sizes, diagnostics)
    if diagnostics.errors or lowered is None or dataset is None:
        return None
    report_unused(names, diagnostics)
    return Compiled(
        project=project,
        parameters=parameters.values,
        grammar=lowered.grammar,
        plan=make_plan(dataset, claims.patterns, claims.parts, claims.nowhere, signature, targets),
        rule_spans=lowered.rule_spans,
        rule_keys=lowered.rule_keys,
        patterns=claims.patterns,
        parts=claims.parts,
        restrictions=claims.restrictions,
        dataset_span=dataset.start.span,
        tests=tests,
        open_ties=lowered.open_ties,
    )


def _productions(
    project: Project,
    names: Names,
    signature: Signature,
    parameters: Parameters,
    diagnostics: Diagnostics,
) -> list[Production]:
    lexicons = Lexicons(signature, parameters, project.sources, diagnostics)
    productions = [
        *lower_rules(names, signature, parameters, diagnostics),
        *lower_words(names, lexicons),
    ]
    if diagnostics.errors == 0:
        check_graphs(productions, signature.graph_layers, diagnostics)
        check_words(productions, diagnostics)
    return productions


def _lower(
    project: Project,
    productions: Sequence[Production],
    dataset: DatasetSettings,
    signature: Signature,
    diagnostics: Diagnostics,
) -> Lowered | None:
    instances = expand(productions, dataset.start.text, signature, diagnostics)
    if diagnostics.errors:
        return None
    instances = start_first(instances, dataset.start.text)
    lowered = lower(project.name, instances, dataset.start.text, signature, project.sources)
    lowered = replace(lowered, open_ties=find_open_ties(productions, instances))
    check_instances(lowered.grammar, lowered.rule_spans, diagnostics)
    if signature.graph_layers:
        known = vocabulary(lowered.grammar, 0).attributes["upos"]
        check_lemma_classes(dataset, known, diagnostics)
    return lowered


def _context(
    names: Names,
    signature: Signature,
    lowered: Lowered | None,
    parameters: Parameters,
    diagnostics: Diagnostics,
) -> StructureContext | None:
    """What structures are lowered with, where a declaration has any.

    With errors in the rules nobody asks whether words exist.
    """
    patterns = [declaration.name for declaration, _ in names.of(s.Pattern)]
    parts = [declaration.name for declaration, _ in names.of(s.Part)]
    relations = [declaration.relation for declaration, _ in names.of(s.Restrict)]
    speaking = [*patterns, *parts, *relations]
    if not speaking:
        return None
    if not signature.graph_layers:
        if not signature.unsound:
            diagnostics.error(
                "SGL0307",
                speaking[0].span,
                "patterns speak about a graph layer, and the grammar declares none",
                hint=f"add `layer syn : graph on {signature.source.name}`",
            )
        return None
    words = vocabulary(lowered.grammar, 0) if lowered is not None else Vocabulary(complete=False)
    return StructureContext(signature.graph_layers[0].name, words, parameters, diagnostics)


@dataclass(frozen=True)
class _Claims:
    """The declarations that say something about structures, as far as they are sound."""

    patterns: tuple[LoweredPattern, ...] = ()
    parts: tuple[LoweredPart, ...] = ()
    restrictions: tuple[LoweredRestriction, ...] = ()

    @property
    def nowhere(self) -> list[Structure]:
        """What no text may contain."""
        return [structure for lowered in self.restrictions for structure in lowered.structures]


def _claims(project: Project, names: Names, context: StructureContext) -> _Claims:
    return _Claims(
        tuple(lower_patterns(names, context, context.diagnostics)),
        tuple(lower_parts(names, context, context.diagnostics)),
        tuple(Relations(project.sources, context).lower_all(names)),
    )
