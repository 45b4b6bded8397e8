"""Describe structures and the claims of patterns in words.

A claim is worded once, and report, card, terminal and Python show the same sentence.  For words it says how training
still uses them; for any other structure it says what no training sentence has::

    { X -[^obj]-> N[lemma=cat|dog] }     In training, cat and dog occur only as objects (or as the root).
    { V -[obj]-> N; N -[nmod]-> M }      No training sentence has an object that has a nominal modifier.
    { V -[obj]-> N; W -[obj]-> N }       In no training sentence: N is the object of V, and N is the object of W.

The first form needs tests on the lemmas of one node, the second a tree of edges.  If neither fits, the clauses of the
structure are stated one by one (:func:`in_words`).
"""

import re
import tomllib
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from importlib.resources import files

from sgl.core.derivation import RULE
from sgl.core.grammar import EXTRACTED
from sgl.core.structure import Body, DegreeTest, LabelTest, LengthTest, Link, NodeTest, Structure, Variable

#: Linguists' names of dependents with a label, and of words with a value of an attribute.
_NAMES: dict[str, dict[str, str]] = tomllib.loads(files(__package__).joinpath("words.toml").read_text("utf-8"))
_ROLES, _KINDS = _NAMES["roles"], _NAMES["kinds"]


def sentence_of(structures: Sequence[Structure]) -> str:
    """Return the claim that training contains none of these structures as a sentence, or "" without structures."""
    layer = next((f" (in the graph {s.layer})" for s in structures if s.named), "")
    said = [found for structure in structures if (found := _of_words(structure))]
    if said and len(said) == len(structures) and len({words for words, _ in said}) == 1:
        verbs = _listed(list(dict.fromkeys(text for _, text in said)), ", and ")
        return f"In training, {_named(said[0][0], 'and')} {verbs}{layer}."
    phrases = list(dict.fromkeys(map(_phrase, structures)))
    if all(phrases):
        return f"No training sentence has {_listed(phrases, ', or ')}{layer}." if phrases else ""
    return f"In no training sentence: {'; or '.join(dict.fromkeys(map(in_words, structures)))}."


def described(structure: Structure) -> str:
    """Describe a sentence that contains the structure, as a noun phrase or as clauses."""
    return _phrase(structure) or in_words(structure)


def _of_words(structure: Structure) -> tuple[frozenset[str], str] | None:
    """Return the words that a structure is about and their remaining uses, or None if it is about something else."""
    link, told = next(iter(structure.body.links), None), _only_tested(structure)
    if told is None:
        return None
    place, variable = told
    words = next((test.values for test in variable.tests if _is_word(test)), frozenset[str]())
    tests = [test for test in variable.tests if not _is_word(test)]
    if not words or variable.degrees or any(test.negated for test in tests[link is None :]):
        return None
    if link is None:
        left = _as_kind(tests[0], len(words) > 1) if len(tests) == 1 else None
    elif place == link.target:
        left = None if tests else _as_dependents(link.labels, len(words) > 1)
    else:
        left = _with_dependents(link.labels, tests, len(words) > 1)
    return (words, left) if left is not None else None


def _only_tested(structure: Structure) -> tuple[int, Variable] | None:
    """Return the only variable with tests of a structure of one edge at most, with its number."""
    body = structure.body
    told = [(n, v) for n, v in enumerate(body.variables) if v.tests or v.degrees]
    plain = not (structure.without or body.lengths) and all(link.is_edge for link in body.links)
    return told[0] if plain and len(told) == 1 and len(body.links) <= 1 else None


def _as_kind(test: NodeTest, many: bool) -> str:
    """Say what kind of words one word, or many, must be to be left: `occur only as participles`."""
    occur, kind = ("occur", _plural(_kind(test))) if many else ("occurs", _a(_kind(test)))
    return f"{occur} only as {kind}" if test.negated else f"never {occur} as {kind}"


def _as_dependents(labels: LabelTest, many: bool) -> str:
    """Say which dependents words still are: `never occur as objects`."""
    occur, form = ("occur", _plural) if many else ("occurs", _a)
    if labels.is_any:
        return f"{occur} only as {'the roots of sentences' if many else 'the root of a sentence'}"
    named = _listed([form(role) for role in _roles(labels.labels)], " or ")
    return f"{occur} only as {named} (or as the root)" if labels.negated else f"never {occur} as {named}"


def _with_dependents(labels: LabelTest, tests: Sequence[NodeTest], many: bool) -> str:
    """Say which dependents words never have: `have no objects`."""
    as_ = "".join(f", as {_a(_kind(test))}," for test in tests)
    named = _listed([_plural(role) for role in _roles(labels.labels)], " or ")
    others = "dependents" if labels.is_any else "dependents but " * labels.negated + named
    return f"{'have' if many else 'has'}{as_} no {others}"


def _is_word(test: NodeTest) -> bool:
    return test.attribute == "lemma" and not test.negated and any(test.values)


def _kind(test: NodeTest) -> str:
    """Return the name of a word that passes a test, negated or not: `participle`, `word with mood=imp`."""
    named = [_KINDS.get(f"{test.attribute}={value}", "") for value in sorted(test.values)]
    return " or ".join(named) if all(named) else f"word with {replace(test, negated=False)}"


def _roles(labels: Collection[str]) -> list[str]:
    """Return the names of dependents with these labels, without those that only refine another one."""
    plain = {label for label in labels if not label.startswith(EXTRACTED)}
    wider = {label: {label.lstrip(EXTRACTED), label.lstrip(EXTRACTED).partition(":")[0]} - {label} for label in labels}
    kept = [label for label in labels if not wider[label] & plain]
    kept.sort(key=lambda label: (label.startswith(EXTRACTED), label != "obj", label))
    # Plain `nsubj` does not cover passives.
    return ["active subject" if label == "nsubj" and "nsubj:pass" not in plain else _role(label) for label in kept]


def _role(label: str) -> str:
    if label.startswith(EXTRACTED):
        return f"extracted {_role(label.removeprefix(EXTRACTED))}"
    base, _, kind = label.partition(":")
    return _ROLES.get(label) or (f"{kind}-phrase" if base == "obl" and kind else f"dependent `{label}`")


def _plural(noun: str) -> str:
    """Return the plural of a noun, keeping what follows it."""
    joint = next((joint for joint in (" or ", " of ", " with ", " `") if joint in noun), "")
    head, _, rest = noun.partition(joint) if joint else (noun, "", "")
    head = f"{head[:-1]}ies" if head.endswith("y") else f"{head}s"
    return head + joint + (_plural(rest) if joint == " or " else rest)


def _a(noun: str) -> str:
    return f"{'an' if noun[:1] in 'aeio' else 'a'} {noun}"


_WORD = "a word"


def _phrase(structure: Structure) -> str:
    """Return a noun phrase for a sentence with the structure, or "" if the edges are not a small tree."""
    body = structure.body
    rules = any(test.attribute == RULE for variable in body.variables for test in variable.tests)
    if body.lengths or rules or any(variable.name.startswith("w_") for variable in body.variables):
        return ""
    if chain := _chain(structure):
        return chain
    gaps = _gaps(body)
    links = [link for link in body.links if link not in gaps]
    targets, lacking = [link.target for link in links], _lacking(structure)
    roots = [number for number in range(len(body.variables)) if number not in targets]
    if lacking is None or len({*targets}) < len(targets) or not roots or not all(link.is_edge for link in body.links):
        return ""

    def phrase(number: int, noun: str) -> str:
        variable = body.variables[number]
        parts = [phrase(link.target, _dependent(link.labels)) for link in links if link.source == number]
        parts = sorted((*parts, *map(_degree_phrase, variable.degrees)), key=lambda part: " that " in part)
        said = [f"whose {_kinds(gap.labels)} it is" for gap in gaps if gap.source == number]
        said += [*map(_that, variable.tests), *lacking.get(number, ())]
        if noun == _WORD and said and said[0].startswith("that is a"):
            noun = said.pop(0).removeprefix("that is ")
        said += ["that has " + _listed(parts, " and ")] if parts else []
        return f"{noun} {_listed(said, ', and ')}".strip()

    def root(number: int) -> str:
        variable, own = body.variables[number], [link for link in links if link.source == number]
        bare = not (variable.tests or variable.degrees or lacking.get(number) or any(g.target == number for g in gaps))
        if bare and len(own) == 1:
            return phrase(own[0].target, _dependent(own[0].labels))
        return phrase(number, _WORD)

    repeated = re.compile(r"((?: that| whose).{20,}?)\1+")
    return repeated.sub(_times, _listed(list(map(root, roots)), " and "))


def _gaps(body: Body) -> list[Link]:
    """Return the edges back to the governor, such as the edge of a gap, which are described at their own word."""
    ends = {(link.target, link.source) for link in body.links}
    return [li for li in body.links if (li.source, li.target) in ends and EXTRACTED in "".join(li.labels.labels)]


def _times(found: re.Match[str]) -> str:
    return f"{found[1]} ({len(found[0]) // len(found[1])} times, each in the one before)"


def _chain(structure: Structure) -> str:
    """Return a phrase for nested dependents of one kind: `exactly 3 nested complement clauses`."""
    body, link = structure.body, next(iter(structure.body.links), None)
    if link is None or len(body.links) > 1 or link.is_edge or any(v.tests or v.degrees for v in body.variables):
        return ""
    ends = list[int]()
    for own, whole in (_shared(structure, without) for without in structure.without):
        if own is None or not whole or own.labels != link.labels:
            return ""
        # Walks must not continue below their end, nor begin above their beginning.
        ends += [1] * (own.source == link.target) + [0] * (own.target == link.source)
    if link.labels.negated or sorted(ends) not in ([], [0, 1]) or len(ends) != len(structure.without):
        return ""
    exact = bool(ends) and link.low == link.high
    number = f"exactly {link.low}" if exact else _range(link.low, link.high if ends else None)
    return f"{number} nested {_plural(_kinds(link.labels))}"


def _shared(structure: Structure, without: Body) -> tuple[Link | None, bool]:
    """Return the edge of a `without`, in the body's numbering with new variables last, and whether it is everything."""
    known = [variable.name for variable in structure.body.variables]
    new = [variable for variable in without.variables if variable.name not in known]
    names = [*known, *(variable.name for variable in new)]
    links = [link.between([names.index(variable.name) for variable in without.variables]) for link in without.links]
    whole = len(links) == 1 and not (without.lengths or any(v.tests or v.degrees for v in without.variables))
    return (links[0], whole) if links else (None, False)


def _kinds(labels: LabelTest) -> str:
    return _listed(_roles(labels.labels), " or ")


def _dependent(labels: LabelTest) -> str:
    if labels.is_any:
        return "a dependent"
    other = _listed([_a(role) for role in _roles(labels.labels)], " or ")
    return f"a dependent other than {other}" if labels.negated else _a(_kinds(labels))


def _that(test: NodeTest) -> str:
    if test.attribute == "lemma" and any(test.values):
        return f"that is {'not ' if test.negated else ''}{_named(test.values)}"
    kind = _kind(test)
    if kind.startswith("word "):
        return f"{'without' if test.negated else 'with'} {replace(test, negated=False)}"
    return f"that is not {_a(kind)}" if test.negated else f"that is {_a(kind)}"


def _degree_phrase(test: DegreeTest) -> str:
    low, high = (0, test.number) if test.comparison == "<=" else (test.number, None)
    number = f"exactly {test.number}" if test.comparison == "=" else _range(low, high)
    return f"{number} {'dependents' if test.labels.is_any else _plural(_alternatives(test.labels))}"


def _lacking(structure: Structure) -> dict[int, list[str]] | None:
    """Return what words of the structure must lack, by number, or None if that is more than an edge."""
    known, found = len(structure.body.variables), dict[int, list[str]]()
    for link, whole in (_shared(structure, without) for without in structure.without):
        if link is None or not whole or not link.is_edge or link.labels.negated:
            return None
        if link.source < known <= link.target:
            found.setdefault(link.source, []).append(f"without {_a(_kinds(link.labels))}")
        elif link.target < known <= link.source:
            found.setdefault(link.target, []).append(f"that is not itself {_a(_kinds(link.labels))}")
        else:
            return None
    return found


#: The most values of a test that are all listed, and how many are listed if there are more.
_NAMED, _FIRST = 12, 3


def in_words(structure: Structure) -> str:
    """Return a clause that describes a sentence in which the structure occurs.

    >>> from sgl.core.structure import Variable
    >>> edge = Link(0, LabelTest(frozenset({"nsubj"})), 1)
    >>> in_words(Structure("syn", Body((Variable("V"), Variable("N")), (edge,))))
    'N is the active subject of V'
    """
    without = "".join(f", unless {_conjoined(_clauses(body))}" for body in structure.without)
    layer = f" (in the graph {structure.layer})" if structure.named else ""
    return _conjoined(_clauses(structure.body)) + without + layer


def _clauses(body: Body) -> Iterator[str]:
    called = [_called(variable) for variable in body.variables]
    names, linked = [name for name, _ in called], {end for link in body.links for end in (link.source, link.target)}
    for link in body.links:
        yield _link(link, names)
    for number, (variable, (name, told)) in enumerate(zip(body.variables, called, strict=True)):
        tests = [test for test in variable.tests if test != told]
        yield from (_test(name, test) for test in tests)
        yield from (_degree(name, test) for test in variable.degrees)
        if told is not None and number not in linked and not (tests or variable.degrees):
            yield f"{name} occurs"
    yield from map(_length, body.lengths)
    if not body.links and len(names) == 1 and not (body.variables[0].tests or body.variables[0].degrees):
        yield f"there is a word {names[0]}"


def _called(variable: Variable) -> tuple[str, NodeTest | None]:
    """Return the name of a node, and the test that the name expresses: a quoted word, or a rule's name."""
    for test in variable.tests:
        value = min(test.values) if len(test.values) == 1 and not test.negated else ""
        if test.attribute == "lemma" and value and variable.name.startswith("w_"):
            return f"“{value}”", test
        if test.attribute == RULE and value == variable.name:
            return f"`{value}`", test
    return variable.name, None


def _link(link: Link, names: list[str]) -> str:
    source, target = names[link.source], names[link.target]
    if link.is_edge:
        return f"{target} is {_label(link.labels)} of {source}"
    number = _range(link.low, link.high)
    over = "" if link.labels.is_any else f" over {_plural(_alternatives(link.labels))}"
    return f"{target} is {number} step{'s' * (number != '1')}{over} below {source}"


def _label(labels: LabelTest) -> str:
    if labels.is_any:
        return "a dependent"
    return f"a dependent, not {_kinds(labels)}," if labels.negated else f"the {_alternatives(labels)}"


def _alternatives(labels: LabelTest) -> str:
    return ("other than " if labels.negated else "") + _kinds(labels)


def _named(values: Collection[str], last: str = "or") -> str:
    """Return values with `last` before the last one, or only the first few of very many."""
    shown = sorted(values, key=str.casefold)
    if len(shown) > _NAMED:
        shown = [*shown[:_FIRST], f"{len(shown) - _FIRST} others"]
    return _listed(shown, f" {last} ") or "any"


def _test(name: str, test: NodeTest) -> str:
    if not any(test.values):
        return f"{name} has {'a' if test.negated else 'no'} {test.attribute}"
    return f"the {test.attribute} of {name} is {'not ' if test.negated else ''}{_named(test.values)}"


def _degree(name: str, test: DegreeTest) -> str:
    return f"{name} has {_degree_phrase(test)}"


def _length(test: LengthTest) -> str:
    relation = {"=": "", "!=": "other than ", ">=": "at least ", "<=": "at most "}[test.comparison]
    number = f"as many words as the longest of {test.part} and {test.number:+}" if test.part else f"{test.number} words"
    return f"the text {test.layer} has {relation}{number}"


def _range(low: int, high: int | None) -> str:
    if high is None:
        return f"{low} or more"
    if not low:
        return f"at most {high}"
    return str(low) if low == high else f"{low} to {high}"


def _conjoined(clauses: Iterator[str]) -> str:
    return _listed([*clauses], ", and ") or "there is a sentence"


def _listed(parts: Sequence[str], last: str) -> str:
    """Return parts separated by commas, with another separator before the last one."""
    return last.join(filter(None, (", ".join(parts[:-1]), *parts[-1:])))
