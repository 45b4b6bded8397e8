"""Let the programs of this folder run as scripts: they see the folder as a package that imports nothing else."""

import sys
from pathlib import Path
from types import ModuleType

FOLDER = Path(__file__).resolve().parent

if not __package__:  # in the package there is nothing to do
    for name, path in (("sgl", FOLDER.parent), ("sgl.verify", FOLDER)):
        package = ModuleType(name)
        package.__path__ = [str(path)]
        sys.modules[name] = package
