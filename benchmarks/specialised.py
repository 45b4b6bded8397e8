"""A C program that draws the sentences of one stratum and can do nothing else.

It is what the kernels of SGL are measured against: every state is a function of its own,
every choice a table of its own, every word a copy of constant bytes, and there is no table
of instructions.  Random numbers, choices and texts are those of the sampler, so that the
output can be compared byte by byte::

    static void s7(void) {                       // NP
        switch (choose(guide7, bounds7, 60, 9007199254740992u)) {
        case 0: PUT(17, 4); s9(); return;        // the N
        ...

States that become words only are a table of texts.  A state behind ``capital`` is written
twice, with and without the raised first letter.  SGL also notes the derivation of a
sentence, from which graphs and logical forms are made; so does a program with
``derivations``, and without them it writes texts alone.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from sgl.accel.column import SHIFT, StringPool
from sgl.sampling.engine import PackedStratum, State, Tables
from sgl.sampling.literals import attaches, closed, raised
from sgl.sampling.program import SINGLE, guide_of
from sgl.sampling.random import stream_key

_HEAD = """\
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define GAMMA 0x9E3779B97F4A7C15ull
static uint64_t key;
static unsigned char *at, *begin;
static int32_t *noted;
static inline uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}
static inline int choose(const uint8_t *guide, const int64_t *bounds, int shift, uint64_t total) {
  key += GAMMA;
  uint64_t bits = mix(key);
  int64_t drawn = (int64_t)((unsigned __int128)bits * total >> 64);
  int here = guide[bits >> shift];
  while (drawn >= bounds[here]) here++;
  return here;
}
struct piece { uint32_t start, length; };
"""

_MAIN = """\
int main(int argc, char **argv) {
  long count = atol(argv[1]), batch = 20000, total = 0;
  size_t room = (size_t)batch * 4096;
  unsigned char *buffer = malloc(room + 4096);
  memset(buffer, 0, room + 4096);
  int32_t *rules = malloc(room);
  memset(rules, 0, room);
  FILE *out = argc > 2 ? fopen(argv[2], "wb") : NULL;
  FILE *derivations = argc > 3 ? fopen(argv[3], "wb") : NULL;
  clock_t started = clock();
  for (long first = 0; first < count; first += batch) {
    long last = first + batch < count ? first + batch : count;
    at = buffer;
    noted = rules;
    for (long i = first; i < last; i++) {
      key = mix(STREAM + (uint64_t)(i + 1) * GAMMA);
      begin = at;
      START();
      if (at > begin) at -= SEPARATOR;
      if (out) *at++ = '\\n';
    }
    total += at - buffer;
    if (out) fwrite(buffer, 1, at - buffer, out);
    if (derivations) fwrite(rules, sizeof *rules, noted - rules, derivations);
  }
  printf("%f %ld\\n", (double)(clock() - started) / CLOCKS_PER_SEC, total);
  if (out) fclose(out);
  if (derivations) fclose(derivations);
  return 0;
}
"""

_PIECE = (1 << SHIFT) - 1

#: A state, and whether its first letter is raised.
Target = tuple[int, bool]


def specialised(tables: Tables, stratum: PackedStratum, *, derivations: bool) -> str:
    """The C program for a stratum.

    Its arguments are the number of sentences, a file for their texts, one in a line, and
    a file for the rules of their derivations, one after the other as 32-bit integers.
    """
    return _Writer(tables, stratum, derivations=derivations).text()


class _Writer:
    """Writes the functions and tables of all states that the start state reaches."""

    def __init__(self, tables: Tables, stratum: PackedStratum, *, derivations: bool) -> None:
        self._tables = tables
        self._derivations = derivations
        self._source = tables.source
        self._start: Target = (stratum.start, False)
        self._key = stream_key(tables.seed, stratum.stream)
        self._pool = StringPool()
        self._waiting = [self._start]
        self._lines: dict[str, None] = {}

    def text(self) -> str:
        """The whole program."""
        functions: dict[Target, str] = {}
        while self._waiting:
            target = self._waiting.pop()
            if target not in functions:
                functions[target] = ""
                functions[target] = self._function(target)
        pool = ",".join(map(str, self._pool.packed().tolist()))
        return "\n".join(
            [
                _HEAD,
                f"#define STREAM {self._key}ull",
                f"#define SEPARATOR {len(self._source.join.encode())}",
                f"#define START {_name(self._start)}",
                f"static const unsigned char pool[] = {{{pool}}};",
                "#define PUT(start, length) memcpy(at, pool + (start), (length)); at += (length);",
                *(f"static void {_name(target)}(void);" for target in functions),
                *self._lines,
                *functions.values(),
                _MAIN,
            ]
        )

    def _function(self, target: Target) -> str:
        state = self._tables.states[target[0]]
        lexical = not any(state.children) and not any(
            attaches(self._source, words)
            for rule in state.rules
            for words in (self._words(rule), raised(self._words(rule)))
        )
        body = self._word(target, state) if lexical else self._phrase(target, state)
        return f"static void {_name(target)}(void) {{\n{body}\n}}"

    def _words(self, rule: int) -> list[str]:
        return [item for item in self._source.templates[rule] if isinstance(item, str)]

    def _choice(self, number: int, state: State) -> str:
        """The expression that chooses an alternative; its tables are written before."""
        shift, guide = guide_of(state.bounds)
        if shift == SINGLE:
            return "(key += GAMMA, 0)"
        self._table("uint8_t", f"guide{number}", guide)
        self._table("int64_t", f"bounds{number}", state.bounds)
        return f"choose(guide{number}, bounds{number}, {shift}, {state.bounds[-1]}ull)"

    def _table(self, kind: str, name: str, values: list[int]) -> None:
        self._lines[f"static const {kind} {name}[] = {{{','.join(map(str, values))}}};"] = None

    def _word(self, target: Target, state: State) -> str:
        """The body of a state that becomes words only."""
        texts = [self._words(rule) for rule in state.rules]
        pieces = [self._piece(raised(words) if target[1] else words) for words in texts]
        rows = ",".join(f"{{{piece & _PIECE},{piece >> SHIFT}}}" for piece in pieces)
        self._lines[f"static const struct piece words{_name(target)}[] = {{{rows}}};"] = None
        longest = max(32, *(piece >> SHIFT for piece in pieces))
        self._table("int32_t", f"rules{target[0]}", state.rules)
        return (
            f"  int chosen = {self._choice(target[0], state)};\n"
            f"  {self._note(f'rules{target[0]}[chosen]')}\n"
            f"  struct piece p = words{_name(target)}[chosen];\n"
            f"  memcpy(at, pool + p.start, {longest}); at += p.length;"
        )

    def _note(self, rule: str) -> str:
        return f"*noted++ = {rule};" if self._derivations else ""

    def _piece(self, words: list[str]) -> int:
        return self._pool.add(closed(self._source, words))

    def _phrase(self, target: Target, state: State) -> str:
        """The body of a state with phrases."""
        codes = [
            self._statements(rule, children, capital=target[1])
            for rule, children in zip(state.rules, state.children, strict=True)
        ]
        if len(codes) == 1:
            return f"  key += GAMMA;\n  {codes[0]}"
        cases = "\n".join(f"  case {i}: {code} return;" for i, code in enumerate(codes))
        return f"  switch ({self._choice(target[0], state)}) {{\n{cases}\n  }}"

    def _statements(self, rule: int, children: tuple[int, ...], *, capital: bool) -> str:
        """The statements of an alternative; ``children`` are its states, the last first."""
        statements = [self._note(str(rule))]
        words: list[str] = []
        for item in self._source.templates[rule]:
            if isinstance(item, str):
                words += raised([item]) if capital else [item]
                capital = capital and not item
                continue
            statements += self._literal(words)
            words = []
            child = (children[-1 - max(item, ~item)], capital or item < 0)
            capital = False
            self._waiting.append(child)
            statements.append(f"{_name(child)}();")
        return " ".join([*statements, *self._literal(words)])

    def _literal(self, words: list[str]) -> list[str]:
        if not words:
            return []
        piece = self._piece(words)
        put = f"PUT({piece & _PIECE}, {piece >> SHIFT})"
        return ["if (at > begin) at -= SEPARATOR;", put] if attaches(self._source, words) else [put]


def _name(target: Target) -> str:
    return f"s{target[0]}{'r' if target[1] else ''}"


def compiled(source: str, program: Path) -> Path | None:
    """The program that gcc makes of a source; None where there is no gcc."""
    path = program.with_suffix(".c")
    path.write_text(source, "utf-8")
    command = ["gcc", "-O3", "-march=native", "-w", "-o", str(program), str(path)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except FileNotFoundError:
        return None
    return program


def run(program: Path, count: int, *files: Path) -> float:
    """CPU seconds for so many sentences; ``files`` are those that the program may write."""
    command = [str(program), str(count), *map(str, files)]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    match = re.match(r"[0-9.]+", printed)
    assert match is not None
    return float(match.group())
