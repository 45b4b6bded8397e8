"""Where the files that come with SGL are: the standard library and the grammars.

In a checkout they are next to the package, in an installed wheel inside it, in ``_data``.
"""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def stdlib_dir() -> Path:
    """Return the directory that ``use stdlib.…`` reads from; raises ``FileNotFoundError``."""
    return _find("stdlib")


def grammars_dir() -> Path:
    """Return the directory of the grammars that come with SGL; raises ``FileNotFoundError``."""
    return _find("grammars")


def _find(name: str) -> Path:
    for directory in (_PACKAGE / "_data" / name, _PACKAGE.parent / name):
        if directory.is_dir():
            return directory
    raise FileNotFoundError(f"this installation of SGL has no directory {name!r}; install it anew")
