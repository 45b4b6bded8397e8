"""The largest inputs of each kind that are accepted: how long they take, and how much memory.

Each stands at a limit of *Limits and promises* (``docs/limits.md``), or where a person would
stop: a table of 200,000 rows, a row of 500 words, a prediction of as many letters as one may
have.  ``fuzzing.py --worst`` runs each in a process of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from random import Random

from fuzz import seeds
from fuzz.case import Case
from fuzz.targets.target import Target
from sgl.corpus.rows import LONGEST_LINE
from sgl.foreign import limits
from sgl.lang import MAX_SOURCE
from sgl.lang.yaml_files import MAX_ROWS
from sgl.research.treebank import LONGEST_SENTENCE

MAIN = "farm.sgl"

#: A grammar whose sentences have as many readings as there are binary trees.
_BRANCHING = """module trees
layer en : text
layer ja : text (join "")
category S
rule two: S -> l:S r:S
  ja l r
word S: "a" ~ 2
  ja "あ"
"""


def _case(commands: list[tuple[str, ...]], files: dict[str, str]) -> Case:
    own = {name: text.encode() for name, text in files.items()}
    return Case({**seeds.barn(), **own}, tuple(commands))


def _long_grammar() -> Case:
    """Words up to the size that a file may have."""
    base = seeds.barn()[MAIN].decode()
    one = 'word N: "dog{:06}"\n  ja "犬"\n  syn node(upos=NOUN)\n'
    number = (MAX_SOURCE - len(base.encode())) // len(one.format(0).encode())
    return _case([("check", MAIN)], {MAIN: base + "".join(map(one.format, range(number)))})


def _many_rules() -> Case:
    one = "rule more{0}: NP -> Det N N{0}\n  ja N N{0} drop Det\n"
    one += "  syn N -[det]-> Det; N -[x]-> N{0}\n"
    more = (f'category N{n}\nword N{n}: "w{n}"\n  ja "語"\n  syn node(upos=X)\n' for n in range(3000))
    base = seeds.barn()[MAIN].decode()
    text = base + "".join(more) + "".join(map(one.format, range(3000)))
    return _case([("check", MAIN)], {MAIN: text})


def _wide_rule() -> Case:
    roles = [f"x{number}" for number in range(limits().children)]
    children = " ".join(f"{role}:N" for role in roles)
    edges = "; ".join(f"x0 -[x]-> {role}" for role in roles[1:])
    rule = f"rule wide: NP -> {children}\n  ja {' '.join(roles)}\n  syn {edges}\n"
    return _case([("check", MAIN)], {MAIN: f"{seeds.barn()[MAIN].decode()}\n{rule}"})


def _features() -> Case:
    """A rule that expands into many, near the limit of instances."""
    features = "".join(f"feature f{n} = {' | '.join(f'v{n}x{m}' for m in range(10))}\n" for n in range(5))
    names = ", ".join(f"f{n}" for n in range(5))
    rule = f'category Z[{names}]\nword Z: "z"\n  ja "字"\n  syn node(upos=X)\n'
    rule += "rule zed: NP -> Det Z\n  ja Z drop Det\n  syn Z -[det]-> Det\n"
    return _case([("check", MAIN)], {MAIN: f"{seeds.barn()[MAIN].decode()}\n{features}{rule}"})


def _used() -> Case:
    base = seeds.barn()[MAIN].decode().replace("train most", "train 20000")
    return _case([("compile", MAIN, "--out", "ds")], {MAIN: base})


def _table() -> Case:
    rows = "".join(f"- {{en: dog{n}, ja: 犬}}\n" for n in range(MAX_ROWS))
    return _case([("check", MAIN)], {"animals.yaml": rows})


def _weights() -> Case:
    words = "".join(f"      cat{n}: 0.5\n" for n in range(MAX_ROWS // 2))
    return _case([("check", MAIN)], {"farm.weights.yaml": f"lexicons:\n  N:\n    animals:\n{words}"})


def _relation() -> Case:
    others = ", ".join(f"w{n}" for n in range(1000))
    rows = "".join(f"v{n}: [{others}]\n" for n in range(MAX_ROWS // 1000))
    return _case([("check", MAIN)], {"chases.yaml": rows})


def _sentence_of(number: int) -> str:
    words = (f"{n}\tw{n}\tw{n}\tX\t_\t_\t{max(n - 1, 0)}\tdep\t{max(n - 1, 0)}:dep\t_\n" for n in range(1, number + 1))
    return "# sent_id = s\n" + "".join(words).replace("\tdep\t0:dep", "\troot\t0:root", 1) + "\n"


def _treebank() -> Case:
    return _case([("analyse", "t.conllu")], {"t.conllu": _sentence_of(LONGEST_SENTENCE)})


def _large_treebank() -> Case:
    return _case([("analyse", "t.conllu", "t.conllu", "--support", "2")], {"t.conllu": _sentence_of(20) * 20_000})


def _long_row() -> Case:
    words = (limits().words - 8) // 3
    row = "The dog chased a cat" + " near the hen" * words + ".\t犬\n"
    return _case([("audit", MAIN, "r.tsv")], {"r.tsv": row * 20})


def _ambiguous_row() -> Case:
    rows = "".join("a " * n + "a\tあ\n" for n in range(60, 100))
    return _case([("audit", "t.sgl", "r.tsv")], {"t.sgl": _BRANCHING, "r.tsv": rows})


def _long_line() -> Case:
    row = "The dog chased a cat.\t" + "犬" * (LONGEST_LINE // 3 - 20) + "\n"
    return _case([("audit", MAIN, "r.tsv")], {"r.tsv": row * 100})


def _many_rows() -> Case:
    return _case([("audit", MAIN, "r.tsv")], {"r.tsv": seeds.corpus().decode() * 4000})


def _form() -> Case:
    form = "say ( ccomp = " * 40 + "x" + " )" * 40
    return _case([("eval", "g.tsv", "p.txt", "--samples", "100")], {"g.tsv": f"a\t{form}\n", "p.txt": form})


def _irtg() -> Case:
    head = "interpretation s: x.StringAlgebra\n"
    rules = "".join(f"S! -> r{n}(A, A) [1] [s] *(?1, ?2)\nA -> a{n} [1] [s] w{n}\n" for n in range(5000))
    return _case([("import", "irtg", "g.irtg", "--out", "g.sgl")], {"g.irtg": head + rules})


def _prediction(letters: int) -> Case:
    gold = seeds.dataset()["ds/data/gen.tsv"].decode().splitlines()
    texts = "".join("犬の" * (letters // 2) + "\n" for _ in gold)
    files = dict(seeds.dataset())
    case = _case([("eval", "ds", "p.txt", "--samples", "1000")], {"p.txt": texts})
    return Case({**case.files, **files}, case.commands)


def _dataset() -> Case:
    return Case(seeds.dataset() | {}, (("verify", "ds", "--workers", "1"),))


def _searched() -> Case:
    """A manifest with a structure whose search has many ways to begin."""
    manifest = json.loads(seeds.dataset()["ds/manifest.json"])
    for pattern in manifest["patterns"]:
        for clause in ("forbid", "gen", "need"):
            if pattern.get(clause):
                pattern[clause] = ["{ A0 -[*]-> B0; A1 -[*]-> B1; A2 -[*]-> B2; A3 -[*]-> B3 }"]
    files = {**seeds.dataset(), "ds/manifest.json": json.dumps(manifest, ensure_ascii=False).encode()}
    return Case(files, (("verify", "ds", "--workers", "1"),))


def _certificate() -> Case:
    return Case({"c.json": seeds.dataset()["ds/certificate.json"]}, (("verify", "c.json"),))


def _template() -> Case:
    loop = "".join(f"{{% for {name} in nodes %}}" for name in "abc")
    loop += "{{ c.lemma }}" + "{% endfor %}" * 3
    return _case([("sample", MAIN, "-n", "2000", "--show", "en,words")], {"words.j2": loop})


def _sampled() -> Case:
    return _case([("sample", MAIN, "train", "-n", "20000", "--out", "x.parquet", "--distinct")], {})


_CASES: dict[str, tuple[Callable[[], Case], ...]] = {
    "reader": (_long_grammar,),
    "sources": (_many_rules, _wide_rule, _features),
    "use": (_used,),
    "tables": (_table,),
    "weights": (_weights,),
    "relations": (_relation,),
    "conllu": (_treebank, _large_treebank),
    "corpora": (_long_row, _ambiguous_row, _long_line, _many_rows),
    "predictions": (partial(_prediction, 3_000),),
    "forms": (_form,),
    "irtg": (_irtg,),
    "datasets": (_dataset, _searched),
    "certificates": (_certificate,),
    "templates": (_template,),
    "commands": (_sampled,),
}


def heavy_targets() -> Iterator[Target]:
    """Each case as a kind of its own, of which there is one input."""
    for kind, makers in _CASES.items():
        for make in makers:
            yield Target(f"{kind}: {_called(make)}", kind, 1, partial(_made, make))


def _made(make: Callable[[], Case], _random: Random) -> Case:
    return make()


def _called(make: Callable[[], Case]) -> str:
    function = make.func if isinstance(make, partial) else make
    return str(function.__name__).strip("_").replace("_", " ")
