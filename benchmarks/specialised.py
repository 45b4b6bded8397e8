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
twice, with and without the raised first letter.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import numpy as np

from sgl.sample.engine import PackedStratum, Tables
from sgl.sample.program import (
    ATTACHED,
    CALL,
    FIRST,
    GUIDE,
    LITERAL,
    OPERATION_BITS,
    RAISE,
    RAISED,
    RETURN,
    SHIFT,
    SINGLE,
    TOTAL,
    WORD,
    Program,
    program_of,
)
from sgl.sample.random import stream_key

_HEAD = """\
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#define GAMMA 0x9E3779B97F4A7C15ull
static uint64_t key;
static unsigned char *at, *begin;
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
  FILE *out = argc > 2 ? fopen(argv[2], "wb") : NULL;
  clock_t started = clock();
  for (long first = 0; first < count; first += batch) {
    long last = first + batch < count ? first + batch : count;
    at = buffer;
    for (long i = first; i < last; i++) {
      key = mix(STREAM + (uint64_t)(i + 1) * GAMMA);
      begin = at;
      START();
      if (at > begin) at -= SEPARATOR;
      if (out) *at++ = '\\n';
    }
    total += at - buffer;
    if (out) fwrite(buffer, 1, at - buffer, out);
  }
  printf("%f %ld\\n", (double)(clock() - started) / CLOCKS_PER_SEC, total);
  if (out) fclose(out);
  return 0;
}
"""

_OPERATION = (1 << OPERATION_BITS) - 1
_PIECE = (1 << 32) - 1


def specialised(tables: Tables, stratum: PackedStratum) -> str:
    """The C program for a stratum; its arguments are the number of sentences and a file."""
    return _Writer(
        program_of(tables), stratum.start, stream_key(tables.seed, stratum.stream)
    ).text()


class _Writer:
    """Writes the functions and tables of all states that the start state reaches."""

    def __init__(self, program: Program, start: int, key: int) -> None:
        if not program.written:
            raise ValueError("the source layer has children in another order than their numbers")
        self._program = program
        self._start = start
        self._key = key
        self._known: set[tuple[int, bool]] = set()
        self._tables: list[str] = []
        self._functions: list[str] = []
        self._waiting = [(start, False, False)]

    def text(self) -> str:
        """The whole program."""
        while self._waiting:
            state, raised, word = self._waiting.pop()
            if (state, raised) not in self._known:
                self._known.add((state, raised))
                self._functions.append(self._function(state, raised, word=word))
        names = [f"static void {self._name(*known)}(void);" for known in sorted(self._known)]
        literals = self._program.literals
        pool = ",".join(map(str, literals.pool.tolist()))
        return "\n".join(
            [
                _HEAD,
                f"#define STREAM {self._key}ull",
                f"#define SEPARATOR {self._program.separator}",
                f"#define START {self._name(self._start, False)}",
                f"static const unsigned char pool[] = {{{pool}}};",
                "#define PUT(start, length) memcpy(at, pool + (start), (length)); at += (length);",
                *names,
                *self._tables,
                *self._functions,
                _MAIN,
            ]
        )

    def _name(self, state: int, raised: bool) -> str:
        return f"s{state}{'r' if raised else ''}"

    def _function(self, state: int, raised: bool, *, word: bool) -> str:
        first, end = self._span(state)
        body = self._words(state, raised) if word else self._cases(state, raised, first, end)
        return f"static void {self._name(state, raised)}(void) {{\n{body}\n}}"

    def _span(self, state: int) -> tuple[int, int]:
        states = self._program.states
        first = int(states[state, FIRST])
        following = (
            states[state + 1, FIRST] if state + 1 < len(states) else len(self._program.rules)
        )
        return first, int(following)

    def _choice(self, state: int) -> str:
        """The expression that chooses an alternative; its tables are written first."""
        first, end = self._span(state)
        row = self._program.states[state]
        if row[SHIFT] == SINGLE:
            return "(key += GAMMA, 0)"
        size = 1 << (64 - int(row[SHIFT]))
        guide = self._program.guides[row[GUIDE] : row[GUIDE] + size].tolist()
        if f"guide{state}[]" not in "".join(self._tables[-4:]):
            bounds = self._program.bounds[first:end].tolist()
            self._table("uint8_t" if len(bounds) < 256 else "uint16_t", f"guide{state}", guide)
            self._table("int64_t", f"bounds{state}", bounds)
        return f"choose(guide{state}, bounds{state}, {row[SHIFT]}, {row[TOTAL]}ull)"

    def _table(self, kind: str, name: str, values: list[int]) -> None:
        line = f"static const {kind} {name}[] = {{{','.join(map(str, values))}}};"
        if line not in self._tables:
            self._tables.append(line)

    def _words(self, state: int, raised: bool) -> str:
        """The body of a state that becomes words only."""
        first, end = self._span(state)
        pieces = self._pieces(raised)[self._program.codes[first:end]]
        rows = ",".join(f"{{{piece & _PIECE},{piece >> 32}}}" for piece in pieces.tolist())
        name = f"words{self._name(state, raised)}"
        self._tables.append(f"static const struct piece {name}[] = {{{rows}}};")
        longest = max(piece >> 32 for piece in pieces.tolist())
        return (
            f"  struct piece p = {name}[{self._choice(state)}];\n"
            f"  memcpy(at, pool + p.start, {max(32, longest)});\n  at += p.length;"
        )

    def _pieces(self, raised: bool) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        literals = self._program.literals
        return literals.raised if raised else literals.plain

    def _cases(self, state: int, raised: bool, first: int, end: int) -> str:
        codes = [self._code(int(code), raised) for code in self._program.codes[first:end]]
        if len(codes) == 1:
            return f"  key += GAMMA;\n  {codes[0]}"
        cases = "\n".join(f"  case {i}: {code} return;" for i, code in enumerate(codes))
        return f"  switch ({self._choice(state)}) {{\n{cases}\n  }}"

    def _code(self, address: int, raised: bool) -> str:
        """The statements of an alternative."""
        statements: list[str] = []
        capital = raised
        while True:
            word = int(self._program.code[address])
            operation, argument = word & _OPERATION, word >> OPERATION_BITS
            address += 1
            if operation == RETURN:
                return " ".join(statements)
            if operation == RAISE:
                capital = True
            elif operation in (CALL, WORD):
                self._waiting.append((argument, capital, operation == WORD))
                statements.append(f"{self._name(argument, capital)}();")
                capital = False
            elif operation in (LITERAL, ATTACHED):
                if not self._program.literals.shown[argument]:
                    raise ValueError("a literal without letters")
                piece = int(self._pieces(capital)[argument])
                back = "if (at > begin) at -= SEPARATOR; " if operation == ATTACHED else ""
                statements.append(f"{back}PUT({piece & _PIECE}, {piece >> 32})")
                capital = False
            elif operation != RAISED:
                raise ValueError(f"operation {operation}")


def compiled(source: str, folder: Path) -> Path | None:
    """The program that gcc makes of a source; None where there is no gcc."""
    path = folder / "specialised.c"
    path.write_text(source, "utf-8")
    program = folder / "specialised"
    command = ["gcc", "-O3", "-march=native", "-w", "-o", str(program), str(path)]
    try:
        subprocess.run(command, check=True, capture_output=True)
    except FileNotFoundError:
        return None
    return program


def run(program: Path, count: int, out: Path | None = None) -> float:
    """CPU seconds for so many sentences; they are written to ``out``, one in a line."""
    command = [str(program), str(count), *([str(out)] if out else [])]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    match = re.match(r"[0-9.]+", printed)
    assert match is not None
    return float(match.group())
