"""Register the views of the library: every module of this package adds one or several.

To add a view, put its module here; see ``sgl.rendering.meaning``.
"""

from importlib import import_module
from pkgutil import iter_modules

from sgl.rendering.meaning import VIEWS, View

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")

# List views by name, whichever of them imports another.
for _name in sorted(VIEWS):
    VIEWS[_name] = VIEWS.pop(_name)
