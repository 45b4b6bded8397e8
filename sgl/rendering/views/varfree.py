"""The variable-free form: the graph unfolded from its head into a term.

``Emma hoped that the girl on a bed smiled``::

    hope ( agent = Emma ,
           ccomp = smile ( agent = * girl ( nmod . on = bed ) ) )

A node that several edges lead to is written once for each of them.  On the way down from the head a node is never
opened twice: where it comes again, inside itself, only its head word is written.  So the gap of a relative clause is
a bare word, and the subject of ``to`` + verb is a full copy::

    cake ( nmod = eat ( agent = Emma , theme = cake ) )
    want ( agent = * cat ( nmod . in = bed ) ,
           xcomp = run ( agent = * cat ( nmod . in = bed ) ) )

A definite noun has its ``*`` in every copy.  A word by itself is its lemma.
Form: Qiu et al. 2022, as distributed with ReCOGS and SLOG.
"""

from sgl.rendering.meaning import Meaning, View, ViewError, register

#: A form is refused when it has more heads than this: copies of copies double.
MOST_HEADS = 20_000
#: Nor is it opened deeper than this.
DEEPEST = 100


def varfree(meaning: Meaning) -> str:
    """Return the variable-free form of a semantic graph.

    Raises ``ViewError`` if the graph has none: a word hangs on nothing, or the copies would fill
    more than ``MOST_HEADS`` heads or ``DEEPEST`` levels.
    """
    unfolding = _Unfolding(meaning)
    unfolding.write(meaning.head)
    meaning.check_shown(unfolding.written)
    return " ".join(unfolding.tokens)


class _Unfolding:
    """The tokens of a form while it is being written."""

    def __init__(self, meaning: Meaning) -> None:
        self.tokens: list[str] = []
        self.written: set[int] = set()
        self._meaning = meaning
        self._heads = 0
        #: The nodes from the head of the graph to the one that is being written.
        self._path: list[int] = []

    def write(self, number: int) -> None:
        meaning = self._meaning
        self._heads += 1
        if self._heads > MOST_HEADS or len(self._path) >= DEEPEST:
            raise ViewError("the copies of a variable-free form grow too large")
        if meaning.definite[number]:
            self.tokens.append("*")
        self.tokens.append(meaning.constant(number) or meaning.lemma[number])
        self.written.add(number)
        if not meaning.edges[number] or number in self._path:
            return
        self._path.append(number)
        before = "("
        for label, target in meaning.edges[number]:
            self.tokens += [before, label.replace(":", " . "), "="]
            self.write(target)
            before = ","
        self.tokens.append(")")
        self._path.pop()


register(View("varfree", "the variable-free form: the graph unfolded into a term", varfree, syntax="terms"))
