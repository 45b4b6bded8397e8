"""SGL065x: inflected words that a morphological analyser reads in another way."""

from __future__ import annotations

from sgl.diagnostics.codes.code import MAIN, Code

_VERBS = """\
use stdlib.ja.verb (past)

lexicon verbs from "verbs.yaml"
  V[form=past]
    en  $en
    ja  $past_ja or past($ja, $class)
    syn node(lemma=$en, upos=VERB, Tense=Past)
"""

_EXEMPT = "farm.morphology.yaml"


def _verbs(*rows: str, exempt: str = "") -> dict[str, str]:
    table = "- {en: liked, ja: 好きになる, class: godan, past_ja: 好きだった}\n" if exempt else ""
    files = {MAIN: _VERBS, "verbs.yaml": table + "".join(f"{row}\n" for row in rows)}
    return files | ({_EXEMPT: exempt} if exempt else {})


_LIKED = "- {form: past, word: 好きになる, gives: 好きだった, reason: a state}\n"
_KNEW = "- {en: knew, ja: 知る, class: godan, past_ja: 知っていた}"
_RAN = "- {en: ran, ja: 走る, class: godan}"
_SLEPT = "- {en: slept, ja: 眠る, class: godan}"

CODES = (
    Code(
        "SGL0651",
        "A form is read as another word",
        "`sglc check --morphology` lets SudachiPy read every form that the standard library "
        "makes, and every form that a row has in a cell instead. It has to find the dictionary "
        "form of the lexicon, followed by what belongs to the form. Most often the row has a "
        "wrong word or class. Where the analyser is wrong, or the other word is meant, a row in "
        f"a table beside the grammar says so, `{_EXEMPT}` beside `{MAIN}`, with its reason.",
        _verbs(_KNEW.replace("知っていた", "言っていた"), _RAN),
        _verbs(_KNEW, _RAN),
    ),
    Code(
        "SGL0652",
        "A word is not of the class that its row gives",
        "The analyser knows the conjugation of the words in its dictionary. A word whose class "
        "is another one gets forms that do not exist, such as 走た for 走った; what is no "
        "dictionary form has no forms at all.",
        _verbs(_RAN.replace("godan", "ichidan"), _KNEW),
        _verbs(_RAN, _KNEW),
    ),
    Code(
        "SGL0653",
        "A row of exemptions is not complete",
        f"A row of `{_EXEMPT}` exempts one form of one word from `sglc check --morphology`. It "
        "names the form, the dictionary form and what it gives, and says why that is right: a "
        "reader of the grammar must be able to judge it.",
        _verbs(_SLEPT, exempt=_LIKED + "- {form: past, word: 眠る, gives: 寝た}\n"),
        _verbs(_SLEPT, exempt=_LIKED),
    ),
    Code(
        "SGL0654",
        "An exemption is not needed",
        "The row exempts a form that the grammar does not make, or that the analyser reads as "
        "it should be. Most likely the word was corrected since. It is a warning: such a row "
        "could hide a later mistake.",
        _verbs(_SLEPT, exempt=_LIKED + _LIKED.replace("好きになる", "眠る")),
        _verbs(_SLEPT, exempt=_LIKED),
    ),
    Code(
        "SGL0655",
        "The morphological analyser is not installed",
        "`sglc check --morphology` needs SudachiPy and its core dictionary. They are installed "
        "together with SGL: the environment is damaged, or the installation left them out.",
        no_example="it depends on the computer, not on the grammar",
    ),
)
