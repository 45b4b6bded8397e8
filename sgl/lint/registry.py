"""Register lints: warnings about things that a grammar may say but probably does not mean.

A lint is a function from a grammar that compiles to its findings.  It changes nothing, knows no other lint, and is
registered with the code of its page::

    @of_grammar("SGL0406")
    def twins(subject: Subject) -> Iterator[Finding]: ...

A lint of the *grammar* sees the rules and runs even while patterns have errors.  A lint of the *dataset* also sees the
plan, so it runs only if there are no errors.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import fields
from functools import cached_property, partial
from typing import NamedTuple, TypeVar

from sgl.core.grammar import Rule
from sgl.diagnostics import Diagnostic, Label, Severity, Span
from sgl.frontend import Compilation, Compiled
from sgl.frontend.lower.expand import Instance
from sgl.frontend.lower.grammar import Expanded
from sgl.lang import syntax as s


class Subject(Expanded):
    """A grammar whose rules have no errors, with answers to the questions that lints ask."""

    @cached_property
    def placed(self) -> tuple[tuple[Rule, Span], ...]:
        """The rules of the core grammar with their places."""
        return tuple(zip(self.declared.grammar.rules, self.declared.rule_spans, strict=True))

    @cached_property
    def phrasal(self) -> tuple[tuple[Rule, Span], ...]:
        """The rules with children, with their places."""
        return tuple((rule, span) for rule, span in self.placed if rule.rhs)

    @cached_property
    def instances_of(self) -> dict[int, list[tuple[int, Instance]]]:
        """The instances of each production that texts can use, by its identity, with their rule numbers."""
        found: dict[int, list[tuple[int, Instance]]] = {}
        for number, instance in enumerate(self.instances):
            found.setdefault(id(instance.production), []).append((number, instance))
        return found

    @cached_property
    def left_out(self) -> tuple[s.SyntaxNode, ...]:
        """The declarations used only with other settings, or by another grammar with the same files."""
        in_force = {id(declaration) for declaration, _ in self.names.declarations}
        return tuple(d for d in self.project.declarations(s.SyntaxNode) if id(d) not in in_force)

    @cached_property
    def names_left_out(self) -> frozenset[str]:
        """The names in these declarations; finding them all takes a while."""
        return frozenset(name.text for name in s.parts_of(s.Name, self.left_out))


class Finding(NamedTuple):
    """A probable mistake: where it is, what it is, and what to do; see :class:`~sgl.diagnostics.Diagnostic`."""

    span: Span
    message: str
    hint: str
    label: str = ""
    labels: tuple[Label, ...] = ()
    notes: tuple[str, ...] = ()


GrammarLint = Callable[[Subject], Iterable[Finding]]
DatasetLint = Callable[[Subject, Compiled], Iterable[Finding]]
_Lint = TypeVar("_Lint")

#: The lints, each with the code of its page.
GRAMMAR_LINTS: list[tuple[str, GrammarLint]] = []
DATASET_LINTS: list[tuple[str, DatasetLint]] = []


def of_grammar(code: str) -> Callable[[GrammarLint], GrammarLint]:
    """Register a lint of grammars."""
    return partial(_registered, GRAMMAR_LINTS, code)


def of_dataset(code: str) -> Callable[[DatasetLint], DatasetLint]:
    """Register a lint of grammars with their plans."""
    return partial(_registered, DATASET_LINTS, code)


def _registered(lints: list[tuple[str, _Lint]], code: str, lint: _Lint) -> _Lint:
    lints.append((code, lint))
    return lint


def opinions(made: Compilation) -> Iterator[Diagnostic]:
    """Yield the findings of all lints as warnings, or nothing while the rules have errors."""
    if (expanded := made.expanded) is None:
        return
    subject = Subject(**{known.name: getattr(expanded, known.name) for known in fields(expanded)})
    for code, lint in GRAMMAR_LINTS:
        yield from (_warning(code, found) for found in lint(subject))
    if made.compiled is not None:
        for code, on_dataset in DATASET_LINTS:
            yield from (_warning(code, found) for found in on_dataset(subject, made.compiled))


def _warning(code: str, found: Finding) -> Diagnostic:
    beside = (found.label, found.labels, found.notes)
    return Diagnostic(code, Severity.WARNING, found.span, found.message, *beside, found.hint)
