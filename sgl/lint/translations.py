"""Find translations that may be slips: in another script, with unusual spaces, or shared by two words."""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from operator import itemgetter
from unicodedata import name as unicode_name

from sgl.core.grammar import Template, Token
from sgl.diagnostics import Label, Span
from sgl.lang import syntax as s
from sgl.lint.registry import Finding, Subject, of_grammar

#: The fewest words of a text layer, and their share in one script, for which a word in another script is odd.
_WORDS, _IN_ONE_SCRIPT = 5, 0.85

#: If more words than this share a translation, that is intended.
_SLIPS = 2

#: Scripts that are written together.
_EAST_ASIAN = frozenset(("CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA", "HALFWIDTH", "FULLWIDTH", "IDEOGRAPHIC"))


@of_grammar("SGL0619")
def words_in_another_script(subject: Subject) -> Iterator[Finding]:
    """Find words in another script than nearly all words of their layer, such as source words in a translation."""
    grammar, placed = subject.declared.grammar, list(subject.placed)
    for number, layer in enumerate(grammar.text_layers):
        texts = [(span, x.text) for rule, span in placed for x in rule.templates[number] if isinstance(x, Token)]
        # A twin is written as its source.
        if not layer.twin and (usual := _script(text for _, text in texts)):
            # A single letter of another alphabet is a symbol: λ, µ.
            odd = {text for _, text in texts if _script_of(text) not in ("", usual) and len(text) > 1}
            # A word may occur in many rules.
            for text, span in {text: span for span, text in reversed(texts) if text in odd}.items():
                message = f"`{text}` in the layer `{layer.name}` uses a different script from its other words"
                yield Finding(span, message, f"write the word of `{layer.name}`, or keep it if it is intended")


@of_grammar("SGL0620")
def spaces_between_words(subject: Subject) -> Iterator[Finding]:
    """Find layers in an East Asian script whose words are joined by spaces."""
    grammar = subject.declared.grammar
    declared = {layer.name.text: layer for layer in subject.project.declarations(s.Layer)}
    for number, layer in enumerate(grammar.text_layers):
        texts = (x.text for rule in grammar.rules for x in rule.templates[number] if isinstance(x, Token))
        if layer.join == " " and not layer.twin and layer.name in declared and _script(texts) == "EAST ASIAN":
            message = f"the words of `{layer.name}` are joined by spaces, but its script is written without spaces"
            hint = f'write `layer {layer.name} : text (join "")`, unless its texts are meant to be cut into words'
            yield Finding(declared[layer.name].name.span, message, hint)


@of_grammar("SGL0621")
def one_translation(subject: Subject) -> Iterator[Finding]:
    """Find two words of one category with the same translation, in layers where nearly every word has its own."""
    grammar = subject.declared.grammar
    # Names that share a word are an error.
    names = {rule for group in grammar.names for rules in group for rule in rules}
    words = [(rule, span) for rule, span in subject.placed if rule.lexical and rule.id not in names]
    for number, layer in enumerate(grammar.text_layers[1:], 1):
        alike: dict[tuple[int, Template], dict[Template, Span]] = {}
        for rule, span in words if not layer.twin else ():
            if any(isinstance(x, Token) and x.text for x in rule.templates[number]):
                alike.setdefault((rule.lhs, rule.templates[number]), {}).setdefault(rule.templates[0], span)
        several = [same for same in alike.values() if len(same) > 1]
        # If there are many, they are intended: a language may have one word for two of another.
        for same in several if len(several) <= _SLIPS < len(alike) else ():
            (first, place), (second, span), *_ = same.items()
            message = f"`{_written(second)}` and `{_written(first)}` share one word in `{layer.name}`"
            labels = (Label(place, "the other one"),) if place != span else ()
            yield Finding(span, message, "correct one of them, or keep both if you mean it", labels=labels)


def _written(template: Template) -> str:
    return " ".join(item.text for item in template if isinstance(item, Token))


def _script(texts: Iterable[str]) -> str:
    """Return the script of nearly all of these words, or "" if they are few or mixed."""
    counts = Counter(filter(None, map(_script_of, dict.fromkeys(texts))))
    usual, most = max(counts.items(), key=itemgetter(1), default=("", 0))
    return usual if most >= max(_WORDS, _IN_ONE_SCRIPT * counts.total()) else ""


@cache
def _script_of(text: str) -> str:
    """Return the script of a word, the first word of its letters' names, or "" if it has none or several."""
    scripts = {unicode_name(letter, "").partition(" ")[0] for letter in text if letter.isalpha()}
    scripts = {"EAST ASIAN" if script in _EAST_ASIAN else script for script in scripts}
    return scripts.pop() if len(scripts) == 1 else ""
