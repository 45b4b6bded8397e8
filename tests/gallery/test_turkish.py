"""The Turkish of docs/gallery/turkish.md: each form against a model that spells suffixes as grammars of Turkish do.

In the model, a suffix has capitals for what changes (Göksel and Kerslake 2005, chapters 3, 6 and 8): A is a or e, I is
ı, i, u or ü, D is d or t, by the letters before; a letter in parentheses stands only after a vowel.  The grammar has no
such letters: it lists rewrites of endings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
import yaml
from sget import compile_file

from sgl.core.grammar import CoreGrammar, Token

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
VOWELS = "aeıioöuü"
CASES = {"nom": "", "acc": "(y)I", "dat": "(y)A", "loc": "DA", "abl": "DAn", "gen": "(n)In"}
OWNERS = {"none": "", "my": "(!I)m", "your": "(!I)n", "of": "(s)I"}
PAST = {"sg": "", "pl": "", "i": "m", "you": "n", "we": "k", "they": "lAr"}
PRESENT = {"sg": "", "pl": "", "i": "Im", "you": "sIn", "we": "Iz", "they": "lAr"}


def joined(stem: str, *suffixes: str) -> str:
    """A stem with its suffixes, spelled as the letters before ask for."""
    word = stem
    for suffix in suffixes:
        after_vowel = word[-1] in VOWELS
        # `(y)` only after a vowel, `(!I)` only after a consonant.
        shape = re.sub(r"\((!?)(.)\)", lambda m, v=after_vowel: m[2] if v != bool(m[1]) else "", suffix)
        for letter in shape:
            last = [each for each in word if each in VOWELS][-1]
            front, rounded = last in "eiöü", last in "oöuü"
            high = ("ü" if rounded else "i") if front else ("u" if rounded else "ı")
            spelled = {"I": high, "A": "e" if front else "a", "D": "t" if word[-1] in "fstkçşhp" else "d"}
            word += spelled.get(letter, letter)
    return word


def before_vowel(row: dict[str, str]) -> str:
    """The stem before a suffix with a vowel: çocuk, çocuğ-; renk, reng-."""
    stem, last = row["tr"], row["tr"][-1]
    if row.get("kind") != "soft":
        return row.get("stem", stem)
    changed = "g" if stem.endswith("nk") else {"p": "b", "ç": "c", "t": "d", "k": "ğ"}[last]
    return stem[:-1] + changed


def nouns() -> Iterator[tuple[str, str]]:
    for row in table("nouns"):
        for number, owner, case in product(("sg", "pl"), OWNERS, CASES):
            plural, vowel = number == "pl", owner != "none" or case in ("acc", "dat", "gen")
            stem = joined(row["tr"], "lAr") if plural else before_vowel(row) if vowel else row["tr"]
            # After `his` an n stands before the case, as in `ev-i-n-i`.
            suffix = CASES[case]
            if owner == "of" and suffix:
                suffix = "n" + suffix.removeprefix("(y)").removeprefix("(n)").replace("D", "d")
            yield f"N[case={case}, poss={owner}, per={number}]", joined(stem, OWNERS[owner], suffix)


def progressive(stem: str) -> str:
    """`oku-` is `okuyor`, `bekle-` `bekliyor`: -(I)yor takes the place of the last vowel."""
    return joined(stem[:-1] if stem[-1] in VOWELS else stem, "I") + "yor"


def verbs() -> Iterator[tuple[str, str]]:
    for row in table("verbs"):
        stem, soft, no = row["tr"], before_vowel(row), joined(row["tr"], "mA")
        forms = [(form, person, joined(root, "DI", ending)) for form, root in (("past", stem), ("no", no))
                 for person, ending in PAST.items()]  # fmt: skip
        forms += [(form, person, joined(progressive(root), ending)) for form, root in (("ing", soft), ("noing", no))
                  for person, ending in PRESENT.items()]  # fmt: skip
        forms += [("ask", person, joined(stem, "DI")) for person in ("sg", "pl")]
        forms += [("an", "sg", joined(soft, "(y)An")), ("dik", "sg", joined(stem, "DIğI"))]
        forms += [("fact", "sg", joined(stem, "DIğI", "nI"))]
        yield from ((f"V[frame={row['frame']}, form={form}, per={person}]", word) for form, person, word in forms)


def names() -> Iterator[tuple[str, str]]:
    for row in table("names"):
        for case, suffix in CASES.items():
            form = joined(row["en"], suffix)
            yield f"Name[case={case}]", form if case == "nom" else form.replace(row["en"], f"{row['en']}'", 1)


def table(name: str) -> list[dict[str, str]]:
    rows: list[dict[str, str]] = yaml.safe_load((EXAMPLES / f"turkish_{name}.yaml").read_text("utf-8"))
    return rows


#: Words with a paradigm of their own for each form, as one writes them without paradigms.
LEXICONS = {
    "nouns": ("syn node(lemma=$en, upos=NOUN, Case={case})", {"sg": "$en", "pl": '$many or plural($en, "regular")'}),
    "verbs": ("syn node(lemma=$en, upos=VERB)", {"past": "$past", "no": "$en", "ing": "$ing", "noing": "$ing",
                                                 "ask": "$en", "an": "$past", "dik": "$past", "fact": "$past"}),
    "names": ("syn node(lemma=$en, upos=PROPN)", {"": "$en"}),
}  # fmt: skip


def written_out(place: Path) -> Path:
    """The grammar with a column for each form, and an entry for each column."""
    text = (EXAMPLES / "turkish.sgl").read_text("utf-8")
    text = re.sub(r"^(paradigm|function) .*\n(  .*\n)*", "", text, flags=re.MULTILINE)
    for (name, (node, english)), forms in zip(LEXICONS.items(), ([*nouns()], [*verbs()], [*names()]), strict=True):
        rows, entries, own = table(name), dict[str, None](), iter(forms)
        many = len(forms) // len(rows)
        for row in rows:
            for category, form in (next(own) for _ in range(many)):
                key = "_".join(re.findall(r"(?<!frame)=(\w+)", category))
                row[key] = form
                entries[f"  {re.sub('frame=[a-z]+', 'frame=$frame', category)}\n"
                        f"    en  {next(e for part, e in english.items() if part in key.split('_') or not part)}\n"
                        f"    tr  ${key}\n"
                        + (f"    {node.format(case=key.split('_')[0])}\n" if "{" in node else "")] = None  # fmt: skip
        (place / f"turkish_{name}.yaml").write_text(yaml.safe_dump(rows, allow_unicode=True), encoding="utf-8")
        head = "" if "{" in node else f"  {node}\n"
        lexicon = f'lexicon {name} from "turkish_{name}.yaml"\n{head}{"".join(entries)}'
        text = re.sub(rf"^lexicon {name} .*\n(  .*\n)*", lexicon.replace("\\", ""), text, flags=re.MULTILINE)
    (place / "turkish_persons.yaml").write_text((EXAMPLES / "turkish_persons.yaml").read_text("utf-8"), "utf-8")
    (place / "turkish.sgl").write_text(text.replace("table person[per]", "# table person[per]"), encoding="utf-8")
    return place / "turkish.sgl"


@pytest.mark.slow
def test_the_grammar_with_each_form_written_out_means_the_same(tmp_path: Path, grammar: CoreGrammar) -> None:
    path = written_out(tmp_path)

    def meaning(own: CoreGrammar) -> set[object]:
        return {
            (own.categories[r.lhs].name, tuple(own.categories[c].name for c in r.rhs), r.templates, r.fragments)
            for r in own.rules
        }

    assert meaning(compile_file(path).grammar) == meaning(grammar)
    page = (EXAMPLES.parent / "gallery" / "turkish.md").read_text("utf-8")
    lines = [sum(bool(re.match(r"\s*[^\s#]", line)) for line in file.read_text("utf-8").splitlines())
             for file in (EXAMPLES / "turkish.sgl", path)]  # fmt: skip
    assert f"| {lines[0]} | {lines[1]} |" in page, lines


@pytest.fixture(scope="module")
def grammar() -> CoreGrammar:
    return compile_file(EXAMPLES / "turkish.sgl").grammar


@pytest.mark.parametrize(("category", "model", "many"), [("N", nouns, 816), ("V", verbs, 396), ("Name", names, 18)])
def test_each_form_is_that_of_the_model(category: str, model: object, many: int, grammar: CoreGrammar) -> None:
    found = [
        (grammar.categories[rule.lhs].name, item.text)
        for rule in grammar.rules
        for item in rule.templates[1]
        if rule.lexical and isinstance(item, Token)
    ]
    wanted = [*model()] if callable(model) else []
    own = [pair for pair in found if pair[0].startswith(f"{category}[")]
    # A verb has no participle that no rule asks for.
    used = {name for name, _ in own}
    assert len(own) == many
    assert sorted(own) == sorted(pair for pair in wanted if pair[0] in used)
