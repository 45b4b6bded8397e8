"""How does the time of a command grow with the size of a grammar?

Writes grammars of one shape with N, 2 N and 4 N parts (rules, words, rows, patterns …), runs a command on each in a
process of its own, without the cache, and prints user CPU, peak memory and the power of the size with which the time
grows (1 is linear, 2 quadratic)::

    python benchmarks/scale.py                          # all shapes, `sglc check`
    python benchmarks/scale.py rules table --parts 50000
    python benchmarks/scale.py rules --parts 5000 --command prove
    python benchmarks/scale.py rules --write DIR        # the grammars alone

The time of a grammar with one part, which is start-up time, is subtracted.  Patterns are an exception: their proofs
grow with the square (docs/performance.md), so use ``--fast``.
"""

from __future__ import annotations

import math
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from common import command_line, print_table, spent

#: The names of files with their contents; `grammar.sgl` is the main one.
Files = dict[str, str]

LAYERS = """\
layer en  : text
layer ja  : text (join "")
layer syn : graph on en

"""

DATASET = """
dataset
  from  S
  train 100
  seed  1
"""

CLAUSE = """\
category S
category N
category V

rule clause: S -> subj:N V
  ja  subj V
  syn V -[nsubj]-> subj

word V: "runs"
  ja "走る"
  syn node(lemma="run", upos=VERB)
"""

WORD = '\nword {category}: "{text}"\n  ja "{text}"\n  syn node(lemma="{text}", upos=NOUN)\n'


def grammar(*parts: str) -> Files:
    """Return a grammar of one file, with its layers and its dataset."""
    return {"grammar.sgl": LAYERS + "".join(parts) + DATASET}


def joined(template: Callable[[int], str], count: int) -> str:
    """Fill a template with the numbers below ``count`` and join the texts."""
    return "".join(map(template, range(count)))


def rule(name: str, category: str, text: str, inner: str, japanese: str = "") -> str:
    """Return a rule that puts a word before a phrase."""
    child = inner.partition("[")[0]
    layers = f'  ja  {japanese or child}\n  syn {child} -[dep]-> "{text}"(upos=X)\n'
    return f'rule {name}: {category} -> "{text}" {inner}\n{layers}'


def noun(number: int) -> str:
    """Return the declaration of a noun."""
    return WORD.format(category="N", text=f"n{number}")


def rules(count: int) -> Files:
    """Make one category with many rules that pass it up."""
    head = "category S\ncategory N\n\n"
    return grammar(head, joined(lambda i: rule(f"r{i}", "S", f"x{i}", "N"), count), noun(0))


def chain(count: int) -> Files:
    """Make many categories, each containing the next: a derivation as long as the grammar."""
    names = ["S", *(f"C{i}" for i in range(count))]
    rest = joined(lambda i: f"category C{i}\n", count)
    rules_ = joined(lambda i: rule(f"r{i}", names[i], "x", names[i + 1]), count)
    return grammar("category S\n", rest, rules_, WORD.format(category=names[-1], text="end"))


def categories(count: int) -> Files:
    """Make many categories with three rules and a word each, which share their leaves."""

    def one(number: int) -> str:
        name = f"C{number}"
        inner = "".join(rule(f"r{number}_{i}", name, f"x{i}", "N") for i in range(3))
        return f"category {name}\nrule s{number}: S -> {name}\n{inner}" + WORD.format(category=name, text=name.lower())

    return grammar("category S\ncategory N\n", noun(0), joined(one, count))


def words(count: int) -> Files:
    """Make many words of one category, each with its declaration."""
    return grammar(CLAUSE, joined(noun, count))


def table(count: int) -> Files:
    """Make many rows of one table."""
    lexicon = (
        '\nlexicon nouns from "nouns.yaml"  ~ zipf(1.0)\n'
        "  N\n    en $en\n    ja $ja\n    syn node(lemma=$en, upos=NOUN)\n"
    )
    rows = joined(lambda i: f"- {{en: n{i}, ja: 名{i}}}\n", count)
    return {**grammar(CLAUSE, lexicon), "nouns.yaml": rows}


def entries(count: int) -> Files:
    """Make one table whose rows make words of many categories."""
    names = joined(lambda i: f"category C{i}\nrule r{i}: N -> C{i}\n", count)
    entry = joined(lambda i: f"  C{i}\n    en $en\n    ja $ja\n    syn node(lemma=$en, upos=NOUN)\n", count)
    lexicon = f'\nlexicon nouns from "nouns.yaml"\n{entry}'
    return {**grammar(CLAUSE, names, lexicon), "nouns.yaml": "- {en: a, ja: 甲}\n- {en: b, ja: 乙}\n"}


def lexicons(count: int) -> Files:
    """Make many small tables of one category."""
    lexicon = joined(
        lambda i: f'lexicon l{i} from "t{i}.yaml"\n  N\n    en $en\n    ja $en\n    syn node(lemma=$en)\n', count
    )
    tables = {f"t{i}.yaml": f"- {{en: a{i}}}\n- {{en: b{i}}}\n" for i in range(count)}
    return {**grammar(CLAUSE, lexicon), **tables}


def patterns(count: int) -> Files:
    """Make many patterns, each of which holds out a noun as the subject."""

    def one(number: int) -> str:
        return f"pattern p{number}\n  forbid {{ V -[nsubj]-> N[lemma=n{number}] }}\n  size 1\n\n"

    both = rule("both", "S", "and", "N")
    return grammar(CLAUSE, both, joined(noun, count + 1), "\n", joined(one, count))


def claims(count: int) -> Files:
    """Make rules and words, two to one, with two patterns: for `prove`, `compile`, `sample` and `parse`."""
    inner = joined(lambda i: rule(f"r{i}", "S", f"x{i}", "S").replace("S\n", "S  ~ 0.0001\n", 1), 2 * count // 3 + 1)
    patterns_ = joined(
        lambda i: (
            f"pattern p{i}\n  forbid {{ V -[nsubj]-> N[lemma=n{i}] }}\n"
            f"  expose 1 {{ N[lemma=n{i}] -[dep]-> M }}\n  size 10\n  unseen forms rules\n\n"
        ),
        2,
    )
    both = rule("both", "S", "and", "N")
    return grammar(CLAUSE, both, inner, joined(noun, count // 3 + 3), "\n", patterns_)


def features(count: int) -> Files:
    """Make many features, each of which agrees in one rule."""

    def one(number: int) -> str:
        f, c = f"f{number}", f"C{number}"
        return (
            f"feature {f} = a | b\ncategory {c}[{f}]\ncategory D{number}[{f}]\n"
            f"rule s{number}: S -> {c}[{f}=x] D{number}[{f}=x]\n  ja {c} D{number}\n  syn {c} -[dep]-> D{number}\n"
            + "".join(WORD.format(category=f"{n}{number}[{f}={v}]", text=f"{n}{v}".lower()) for n in "CD" for v in "ab")
        )

    return grammar("category S\n", joined(one, count))


def values(count: int) -> Files:
    """Make one feature with many values, in which two phrases agree."""
    feature = f"feature f = {' | '.join(f'v{i}' for i in range(count))}\n\n"
    head = "category S\ncategory C[f]\ncategory D[f]\nrule s: S -> C[f=x] D[f=x]\n  ja C D\n  syn C -[dep]-> D\n"
    leaves = joined(
        lambda i: "".join(WORD.format(category=f"{n}[f=v{i}]", text=f"{n}{i}".lower()) for n in "CD"), count
    )
    return grammar(feature, head, leaves)


def settings(count: int) -> Files:
    """Make rules that mention each of twenty features of two categories."""
    names = [f"f{i}" for i in range(20)]
    declared = "".join(f"feature {n} = a | b\n" for n in names) + f"category S\ncategory C[{', '.join(names)}]\n"
    written = ", ".join(f"{n}=a" for n in names)
    inner = joined(lambda i: rule(f"r{i}", f"C[{written}]", f"x{i}", f"C[{written}]"), count)
    return grammar(declared, f"rule s: S -> C[{written}]\n", inner, WORD.format(category=f"C[{written}]", text="c"))


def nesting(count: int) -> Files:
    """Make calls of functions inside one another, in each word."""
    function = 'function f(x) = x + "y"\n'
    deep = "f(" * 12 + '"x"' + ")" * 12
    inner = joined(lambda i: noun(i).replace(f'ja "n{i}"', f"ja {deep}"), count)
    return grammar(function, CLAUSE, inner)


def graphs(count: int) -> Files:
    """Make rules with four children and as many edges."""
    head = "category S\ncategory N\ncategory V\n"
    one = "rule r{0}: S -> a:N V b:N c:N\n  ja  a b c V\n  syn V -[a{1}]-> a; V -[b]-> b; b -[c]-> c\n"
    verb = WORD.format(category="V", text="v")
    return grammar(head, joined(lambda i: one.format(i, i % 40), count), noun(0), verb)


def files(count: int) -> Files:
    """Make rules in files of a hundred that the grammar uses."""
    parts = {}
    for begin in range(0, count, 100):
        inner = "".join(rule(f"r{i}", "S", f"x{i}", "N") for i in range(begin, min(begin + 100, count)))
        parts[f"part{begin}.sgl"] = f"use base\n\n{inner}"
    base = LAYERS + "category S\ncategory N\n" + noun(0)
    used = "".join(f"use {name.removesuffix('.sgl')}\n" for name in ("base.sgl", *parts))
    return {"grammar.sgl": f"{used}{DATASET}", "base.sgl": base, **parts}


def parameters(count: int) -> Files:
    """Make rules that are switched on and off by a parameter of their own."""
    declared = joined(lambda i: f"param p{i} = {'on' if i % 2 else 'off'}\n", count)
    inner = joined(lambda i: rule(f"r{i}", "S", f"x{i}", "N") + f"  when p{i}\n", count)
    return grammar(declared, "category S\ncategory N\nrule r: S -> N\n", inner, noun(0))


def tests(count: int) -> Files:
    """Make tests of sentences, each with its words."""
    inner = joined(lambda i: f'test "n{i} runs" => ja "n{i}走る"\n', count)
    return grammar(CLAUSE, joined(noun, count), "\n", inner)


def weights(count: int) -> Files:
    """Make rules and words whose weights come from a file."""
    main = words(count)["grammar.sgl"] + '\nweights learnt from "w.yaml"\n'
    return {"grammar.sgl": main, "w.yaml": "words:\n  N:\n" + joined(lambda i: f"    n{i}: {1 + i % 7}\n", count)}


def relations(count: int) -> Files:
    """Make structures and sets of words that are declared and used once."""
    inner = joined(lambda i: f"words w{i} = n{i}\nstructure s{i} {{ V -[nsubj]-> N[@w{i}] }}\n", count)
    pattern = "pattern p\n  forbid s0\n" + joined(lambda i: f"  need 1 s{i + 1}\n", min(count - 1, 8)) + "  size 1\n"
    both = rule("both", "S", "and", "N")
    return grammar(CLAUSE, both, joined(noun, count), "\n", inner, pattern)


SHAPES: dict[str, Callable[[int], Files]] = {
    shape.__name__: shape
    for shape in (
        rules, chain, categories, words, table, entries, lexicons, patterns, claims, features, values, settings,
        nesting, graphs, files, parameters, tests, weights, relations,
    )
}  # fmt: skip


def write(files_: Files, directory: Path) -> Path:
    """Write the files of a grammar and return its main file."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, text in files_.items():
        (directory / name).write_text(text, encoding="utf-8")
    return directory / "grammar.sgl"


# ---- measurements


def main() -> None:
    """Print a line for each shape."""
    parser = command_line(__doc__)
    parser.add_argument("shapes", nargs="*", choices=[[], *SHAPES], metavar="SHAPE", help=", ".join(SHAPES))
    parser.add_argument("--parts", type=int, default=2500, help="N, of which 2 N and 4 N are tried as well")
    parser.add_argument("--command", default="check", help="the command of sglc, with its options")
    parser.add_argument("--write", type=Path, metavar="DIR", help="write the grammars there, and run nothing")
    chosen = parser.parse_args()
    sizes = [chosen.parts, 2 * chosen.parts, 4 * chosen.parts]
    if chosen.write:
        for name in chosen.shapes or SHAPES:
            for size in sizes:
                print(write(SHAPES[name](size), chosen.write / f"{name}{size}"))
        return
    print_table(
        ("shape", *(f"{size:,}" for size in sizes), "exponent", "MiB", "status"),
        (line(name, sizes, chosen.command.split()) for name in chosen.shapes or SHAPES),
    )


def line(name: str, sizes: list[int], command: list[str]) -> list[object]:
    """Measure one shape."""
    costs = []
    for size in (1, *sizes):
        with tempfile.TemporaryDirectory() as directory:
            path = write(SHAPES[name](size), Path(directory))
            first, *rest = command
            words = [sys.executable, "-m", "sgl", first, str(path), *rest, "--no-cache"]
            costs.append(spent(words, path.parent))
            if costs[-1].status:
                print(costs[-1].said[:600], file=sys.stderr)
    start, *found = costs
    growth = (found[-1].user - start.user) / max(found[0].user - start.user, 0.01)
    exponent = math.log(max(growth, 0.01)) / math.log(sizes[-1] / sizes[0])
    return [name, *(cost.user for cost in found), exponent, found[-1].memory, max(cost.status for cost in costs)]


if __name__ == "__main__":
    main()
