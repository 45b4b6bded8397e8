"""Turn exceptions into diagnostics.

Code below the command line raises; only here does an exception get a code, a place in the grammar and a hint.  An
exception without a case here, unless the system caused it, is a bug in sglc.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from sgl.automata import StructureTooCostly, UnsupportedStructure
from sgl.cli.main import FAILED, OK, OUTPUT, refusal
from sgl.dataset import OutputError
from sgl.dataset.staged import TextTooLongError
from sgl.diagnostics import Diagnostic, Severity, UserError
from sgl.foreign import ForeignFileError
from sgl.parsing import TooLongError, UnparsableLayerError
from sgl.pipeline.sentences import too_long, undecided
from sgl.pipeline.writable import too_few
from sgl.rendering import ConlluError, ViewError
from sgl.sampling import NotEnoughError

if TYPE_CHECKING:
    from sgl.frontend import Compiled


def failure_of(problem: Exception, compiled: "Compiled | None") -> tuple[Diagnostic, int] | None:
    """Return the diagnostic for an exception and the exit code; None if the user is not at fault.

    ``compiled`` is the grammar that the command has opened; diagnostics point into it.
    """
    dataset = None if compiled is None else compiled.dataset_span
    match problem:
        case UserError():
            # The diagnostic's code determines the exit status.
            return problem.diagnostic, OK
        case OutputError():
            here, path = Path.cwd(), problem.path
            path = path.relative_to(here) if path.is_relative_to(here) else path
            message = f"cannot write `{path}`: {problem.reason}"
            hint = "choose another place with `--out`"
            return Diagnostic("SGL0901", Severity.ERROR, None, message, hint=hint), OUTPUT
        case ForeignFileError():
            return Diagnostic("SGL1102", Severity.ERROR, None, str(problem), hint=problem.hint), OUTPUT
        case ConlluError() | ViewError() | TextTooLongError():
            message = f"a sampled text cannot be rendered: {problem}"
            return Diagnostic("SGL0513", Severity.ERROR, dataset, message), FAILED
        case StructureTooCostly() | UnsupportedStructure():
            return undecided(problem, compiled), FAILED
        case UnparsableLayerError():
            hint = "name another layer; this one can only be written"
            return Diagnostic("SGL1108", Severity.ERROR, None, str(problem), hint=hint), FAILED
        case TooLongError():
            return too_long(problem, dataset), FAILED
        case NotEnoughError():
            return too_few(problem, compiled), FAILED
    if refused := refusal(problem):
        return Diagnostic(refused[0], Severity.ERROR, None, refused[1]), OUTPUT
    return None
