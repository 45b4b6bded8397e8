"""Write the variable-free form: the graph unfolded from its head into a term.

``Emma hoped that the girl on a bed smiled``::

    hope ( agent = Emma ,
           ccomp = smile ( agent = * girl ( nmod . on = bed ) ) )

A node with several incoming edges is written once for each of them.  On the way down from the head, a node is never
expanded twice: inside itself only its head word is written, as for the gap of a relative clause::

    cake ( nmod = eat ( agent = Emma , theme = cake ) )

A definite noun has its ``*`` in every copy.  A single word is its lemma.

Form: Qiu et al. 2022, as distributed with ReCOGS and SLOG.
"""

from sgl.rendering.meaning import Meaning, View, ViewError, register

#: The most heads in a form, as copies of copies double.
MOST_HEADS = 20_000
#: The deepest level to which a form is expanded.
DEEPEST = 100


def varfree(meaning: Meaning) -> str:
    """Return the variable-free form of a semantic graph.

    Raises ``ViewError`` if the graph has none: a word is not reached from the head, or the copies would need more than
    ``MOST_HEADS`` heads or ``DEEPEST`` levels.
    """
    tokens: list[str] = []
    #: The nodes written, and the path from the head of the graph to the current node.
    shown: list[int] = []
    path: list[int] = []

    def write(number: int) -> None:
        shown.append(number)
        if len(shown) > MOST_HEADS or len(path) >= DEEPEST:
            raise ViewError("the copies of a variable-free form grow too large")
        tokens.extend(["*"] * meaning.definite[number])
        tokens.append(meaning.constant(number) or meaning.lemma[number])
        if not meaning.edges[number] or number in path:
            return
        path.append(number)
        before = "("
        for label, target in meaning.edges[number]:
            tokens.extend([before, label.replace(":", " . "), "="])
            write(target)
            before = ","
        tokens.append(")")
        path.pop()

    write(meaning.head)
    meaning.check_shown(set(shown))
    return " ".join(tokens)


register(View("varfree", "the variable-free form: the graph unfolded into a term", varfree, syntax="terms"))
