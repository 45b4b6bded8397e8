"""SGL09xx: the run as a whole."""

from __future__ import annotations

from sgl.diagnostics.codes.code import Code

CODES = (
    Code(
        "SGL0901",
        "The dataset cannot be written",
        "The directory of the dataset is missing and cannot be made, or the operating system "
        "refuses to write, or a directory of that name holds something else. What was there "
        "stays as it was, and nothing new is left behind.",
        no_example="it depends on the computer, not on the grammar",
    ),
    Code(
        "SGL0902",
        "A run cannot begin, or its workers are lost",
        "An interrupted run of the same name is in the way, or a process that still works on it; "
        "or `--resume` asks to go on with a run of another grammar; or workers died, or the "
        "cluster is gone, or its library is not installed. The hint says what to do. What "
        "was finished before is kept.",
        no_example="it is about running processes, not about a grammar",
    ),
    Code(
        "SGL0903",
        "`--set` names no parameter, or gives it no value of its kind",
        "`--set name=value` sets a parameter that the grammar declares with `param`: a switch "
        "to `on` or `off`, a number to a number. Anything else would silently have no effect.",
        no_example="it is about the command line: `sglc check farm.sgl --set train_size=many`",
    ),
    Code(
        "SGL0904",
        "A library that the command needs is not installed",
        "The commands that score and analyse use libraries for statistics and for metrics, which "
        "compiling does not need. They are extras of the package: the hint says which one.",
        no_example="it is about an installation",
    ),
    Code(
        "SGL0999",
        "A mistake in sglc itself",
        "Something happened that the authors of the compiler did not foresee. It is not about "
        "your grammar, though another way of writing it may help for now. Please report it "
        "with what the message lists; no file was left half-written.",
        no_example="whoever knows one should report it",
    ),
)
