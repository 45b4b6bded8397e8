"""Run the commands of lenses and menus, which take a file's address and perhaps a name, and answer with a text."""

from collections.abc import Awaitable, Callable
from inspect import signature
from typing import TYPE_CHECKING, TypeVar

from pygls.exceptions import JsonRpcInvalidParams

from sgl.children import program
from sgl.diagnostics import CODES
from sgl.diagnostics.registry import page
from sgl.diagnostics.render import render
from sgl.frontend import Compiled
from sgl_editor.lsp.document import Grammar
from sgl_editor.lsp.hover import samples

if TYPE_CHECKING:
    from sgl_editor.lsp.server import Server

_SAMPLES = 5
_Value = TypeVar("_Value")


def check_arguments(command: Callable[..., object], *arguments: object) -> None:
    """Raise ``JsonRpcInvalidParams`` unless the arguments are texts, as many as the command takes."""
    try:
        signature(command).bind(*arguments)
    except TypeError:
        arguments = (None,)
    if not all(isinstance(one, str) for one in arguments):
        raise JsonRpcInvalidParams("a command takes the address of a file, and names")


def _about(answer: Callable[[Grammar, Compiled, str], _Value]) -> Callable[..., Awaitable[_Value]]:
    async def command(server: "Server", uri: str, name: str = "") -> _Value:
        def answered() -> _Value:
            document = server.document(uri)
            if document is None or document.grammar.snapshot.compiled is None:
                raise JsonRpcInvalidParams("the grammar has errors, which have to be corrected first")
            return answer(document.grammar, document.grammar.snapshot.compiled, name)

        return await server.work(answered)

    return command


def _sampled(grammar: Grammar, _: Compiled, name: str) -> str:
    return "\n- ".join((f"{name}:", *samples(grammar, name, _SAMPLES)))


def _counterexample(grammar: Grammar, compiled: Compiled, name: str) -> str:
    """Return the messages about failed claims of one pattern, or of all, each with its witness."""
    grammar.claims = grammar.claims or grammar.snapshot.claims()
    if grammar.claims.proofs is None:
        return "Nothing is proved: the grammar has no dataset or no pattern, or a claim cannot be decided."
    patterns = [one for one in grammar.claims.proofs.patterns if name in ("", one.name)]
    if all(one.proved for one in patterns):
        number = sum(len(one.claims) for one in patterns)
        return f"There is no counterexample: {number:,} claims of {name or 'all patterns'} are proved."
    real = grammar.snapshot.sources.real
    places = [real(one.declaration.span) for one in compiled.patterns if name in ("", one.pattern.name)]
    found = ((one, one.span) for one in grammar.claims.diagnostics if one.span is not None)
    within = (one for one, at in found if any(p.file == at.file and p.start <= at.start <= p.end for p in places))
    return "\n\n".join(render(one, grammar.snapshot.sources) for one in within)


def _beside(grammar: Grammar, compiled: Compiled, name: str) -> str:
    """Return items of a pattern, each with the nearest possible training sentence."""
    pattern = next((one.pattern for one in compiled.patterns if one.pattern.name == name), None)
    if pattern is None:
        raise JsonRpcInvalidParams(f"there is no pattern `{name}`")
    pairs = (grammar.pairs.pair(pattern, one.item.derivation) for one in grammar.snapshot.samples(name, _SAMPLES))
    rows = [(kind, one) for pair in pairs for kind, one in (("gen  ", pair.asked), ("train", pair.shown)) if one]
    return "\n".join((f"{name}:", *(f"{kind}  {one.source} · {one.target}" for kind, one in rows)))


async def _compile(server: "Server", uri: str, out: str = "") -> str:
    """Write the dataset of a grammar, as it is on disk, next to it or to a given directory."""
    snapshot = await _about(lambda grammar, _, __: grammar.snapshot)(server, uri)
    root, name = snapshot.root, snapshot.project.name if snapshot.project is not None else ""
    if server.unsaved({snapshot.path_of(file).resolve() for file in snapshot.sources.files}):
        return "Save all files first: a dataset is made of what is on disk."
    # A long run in a separate process blocks nothing here.
    target = out or str(root.parent / "out" / name)
    return (await program("sgl", "compile", str(root), "--out", target))[1]


async def _explain(_: "Server", __: str, code: str = "") -> str:
    return page(CODES[code]) if code in CODES else f"there is no code `{code}`"


#: The commands by name.
COMMANDS: dict[str, Callable[..., Awaitable[str]]] = {
    "sgl.beside": _about(_beside),
    "sgl.compile": _compile,
    "sgl.counterexample": _about(_counterexample),
    "sgl.explain": _explain,
    "sgl.prove": _about(_counterexample),
    "sgl.samples": _about(_sampled),
}
