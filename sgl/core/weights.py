"""What a rule is called in a file of weights.

Features multiply an author's rules, and each of the resulting rules has a weight of its own.  It is
found under the words that the author wrote: the category with its features fixed, the name of the
rule or of the lexicon, and the part of it that is meant.  Numbers of rules, lines and ranks do not
occur, so a file stays right when other rules and words are added.
"""

from dataclasses import dataclass

#: The kinds of things that have weights, as the sections of a file.
RULES, WORDS, LEXICONS = "rules", "words", "lexicons"
SECTIONS = (RULES, WORDS, LEXICONS)


@dataclass(frozen=True, slots=True, order=True)
class RuleKey:
    """The name of a rule; ``part``, its children or its lemma, tells those of one category and name apart."""

    section: str
    category: str
    name: str
    part: str = ""
