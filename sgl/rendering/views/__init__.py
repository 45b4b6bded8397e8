"""The views of the library: every module of this package registers one, or several.

To add one, put its module here; see ``sgl.rendering.registry``.
"""

from importlib import import_module
from pkgutil import iter_modules

from sgl.rendering.registry import VIEWS, View

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

# They are listed by name, whichever of them imports another.
_sorted = sorted(VIEWS.items())
VIEWS.clear()
VIEWS.update(_sorted)
