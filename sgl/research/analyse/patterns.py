"""Mined structures as patterns of a grammar, which hold them out of training and ask for them."""

import re
from itertools import count

from sgl.research.analyse.mining import Parsed, parsed
from sgl.research.analyse.scoring import Json
from sgl.research.analyse.tables import analysis_environment

#: What a relation is in a pattern, and what may stand in quotes.
_LABEL, _QUOTED = re.compile(r"[^\W\d]\w*(:\w+)*|\*"), re.compile(r'[^"\\⟨⟩]+')

#: So many patterns are written.
_MOST = 20


def write_patterns(data: Json, name: str) -> str:
    """Return the file of patterns of this name, from the data of an analysis: those of all views, the worst first."""
    suspects = [(suspect, mined["view"]) for mined in data["mined"] for suspect in mined["suspects"]]
    suspects.sort(key=lambda pair: (-pair[0]["coverage"], -pair[0]["score"]))
    found = [(suspect, body_of(suspect["structure"], view)) for suspect, view in suspects]
    patterns = [pair for pair in found if pair[1]][:_MOST]
    name = re.sub(r"\W|^(?=\d)", "_", name)
    template = analysis_environment().get_template("patterns.sgl.j2")
    return template.render(name=name, patterns=patterns, systems=len(data["systems"]))


def body_of(structure: str, view: str) -> str:
    """Return a mined structure in the notation of patterns; nothing if a label cannot be written there.

    >>> body_of("(VERB-acl (ADP-mark))", "pos-dep")
    '{ A -[acl]-> B[upos=VERB]; B -[mark]-> C[upos=ADP] }'
    """
    kinds = view.split("-")
    names = map(chr, count(ord("A")))
    steps: list[str] = []

    def add(part: Parsed, above: str) -> bool:
        labels = dict(zip(kinds, part[0].rsplit("-", len(kinds) - 1), strict=False))
        edge = labels.pop("dep", "*")
        shown = {kind: label if label.isidentifier() else f'"{label}"' for kind, label in labels.items()}
        tests = ", ".join(f"{kind.replace('pos', 'upos')}={label}" for kind, label in shown.items())
        # The root has no edge to it, and any top word can be the top of a larger tree.
        known = above or ("" if edge in ("*", "root") else next(names))
        word = next(names)
        if known or tests:
            steps.append((f"{known} -[{edge}]-> " if known else "") + (f"{word}[{tests}]" if tests else word))
        fits = _LABEL.fullmatch(edge) and all(map(_QUOTED.fullmatch, labels.values()))
        return bool(fits) and all(add(inner, word) for inner in part[1])

    return f"{{ {'; '.join(steps)} }}" if add(parsed(structure), "") and steps else ""
