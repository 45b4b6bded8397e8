"""Write the logical form of COGS: a conjunction of atoms over variables named by positions.

``The baby on a tray in the house screamed``::

    * baby ( x _ 1 ) ; * house ( x _ 7 ) ;                           definite nouns
    baby . nmod . on ( x _ 1 , x _ 4 ) AND tray ( x _ 4 )            other nouns, and
    AND tray . nmod . in ( x _ 4 , x _ 7 )                           modifiers
    AND scream . agent ( x _ 8 , x _ 1 )                             roles of verbs

Definite nouns come first, then, token by token, indefinite nouns with their modifiers, and the roles of verbs.  An
adjective is an atom on its own token, and its noun has an atom that leads to it.  A name is written as itself and a
wh-word as ``?``; neither has an atom.

A single word is a function:  ``LAMBDA a . ball ( a )``.

Form:  Kim & Linzen 2020, *COGS*; questions and relative clauses:  Li et al. 2023, *SLOG*.
"""

from sgl.rendering.meaning import ENTITY, EVENT, PROPERTY, Meaning, View, ViewError, register


def cogs(meaning: Meaning) -> str:
    """Return the COGS logical form of a semantic graph.

    Raises ``ViewError`` if the graph has none: two words share a token, a name is modified, or a
    verb has neither arguments nor open roles.
    """
    if len(meaning.nodes) == 1:
        (number,) = meaning.nodes
        if meaning.constant(number):
            return meaning.constant(number)
        if meaning.open[number]:
            lemma = meaning.lemma[number]
            return meaning.function(number, lambda role, variable: f"{lemma} . {role} ( e , {variable} )")
    _check(meaning)
    pieces = []
    atoms = []
    for number in meaning.nodes:
        if meaning.type[number] in (ENTITY, PROPERTY):
            statement = f"{meaning.lemma[number]} ( x _ {meaning.position[number]} )"
            if meaning.definite[number]:
                pieces.append(f"* {statement}")
            else:
                atoms.append(statement)
        for label, target in meaning.edges[number]:
            predicate = " . ".join([meaning.lemma[number], *label.split(":")])
            argument = meaning.constant(target) or f"x _ {meaning.position[target]}"
            atoms.append(f"{predicate} ( x _ {meaning.position[number]} , {argument} )")
    if atoms:
        pieces.append(" AND ".join(atoms))
    return " ; ".join(pieces)


def _check(meaning: Meaning) -> None:
    taken = set()
    for number in meaning.nodes:
        lemma, position = meaning.lemma[number], meaning.position[number]
        if meaning.constant(number):
            if meaning.edges[number]:
                raise ViewError(f"a name or wh-word has no dependents, and '{lemma}' has")
        elif position < 0:
            raise ViewError(f"'{lemma}' stands on no token")
        elif position in taken:
            raise ViewError(f"'{lemma}' shares its token with another word")
        elif meaning.type[number] == EVENT and not meaning.edges[number]:
            raise ViewError(f"the verb '{lemma}' has no arguments")
        else:
            taken.add(position)


register(View("cogs", "the logical form of COGS: atoms over variables named by positions", cogs, syntax="atoms"))
