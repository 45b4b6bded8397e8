"""Define frozen dataclasses that load quickly; for all others, this module is ``dataclasses``.

A frozen dataclass compiles six methods when it is defined, which was a third of the time in which a command starts.
Here only the constructor is compiled, when a value is first made, and the classes share the other methods.  They know
neither ``InitVar`` nor ``field(hash=…)``, and a class that inherits from one must be one, too.
"""

import dataclasses
from dataclasses import MISSING, FrozenInstanceError, asdict, field, fields, is_dataclass, replace
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any

__all__ = ["asdict", "dataclass", "field", "fields", "is_dataclass", "replace"]


class _Shared:
    """The methods that frozen dataclasses share; ``__values__`` returns the values of the compared fields."""

    __values__: Any

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return bool(self.__values__(self) == self.__values__(other))

    def __hash__(self) -> int:
        return hash(self.__values__(self))

    def __repr__(self) -> str:
        shown = (f"{own.name}={getattr(self, own.name)!r}" for own in fields(self) if own.repr)  # type: ignore[arg-type]
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def __setattr__(self, name: str, _value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")


class _Constructor:
    """A constructor that is compiled when it is first asked for; a value that is read from a file needs none."""

    def __init__(self, cls: type) -> None:
        self._cls = cls

    def __get__(self, value: object, cls: type) -> Any:  # noqa: ANN401 - a function or a method
        made = _compiled(self._cls)
        self._cls.__init__ = made  # type: ignore[misc]
        return made.__get__(value, cls)


def _compiled(cls: Any) -> Any:  # noqa: ANN401 - any class
    """Compile the constructor of a class; fields that it does not take are set by ``__post_init__``, or not at all."""
    names, lines = {"_set": object.__setattr__, "_missing": MISSING}, [" pass"]
    parameters, named = ["self"], ["*"]
    for own in filter(attrgetter("init"), fields(cls)):
        name, makes = own.name, own.default_factory is not MISSING
        names |= {f"_default_{name}": own.default, f"_make_{name}": own.default_factory}
        (named if own.kw_only else parameters).append(
            f"{name}=_default_{name}" if makes or own.default is not MISSING else name
        )
        value = f"_make_{name}() if {name} is _missing else {name}" if makes else name
        lines.append(f" _set(self, {name!r}, {value})")
    lines += [" self.__post_init__()"] * hasattr(cls, "__post_init__")
    # The text has nothing but the names of fields, which are identifiers.
    exec(f"def __init__({', '.join([*parameters, *named * bool(named[1:])])}):\n" + "\n".join(lines), names)  # noqa: S102
    made: Any = names["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"  # for messages about wrong calls
    return made


if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls: Any = None, *, frozen: bool = False, eq: bool = True, **options: bool) -> Any:  # noqa: ANN401
        """Decorate a class as ``dataclasses.dataclass`` does."""
        if cls is None:
            return partial(dataclass, frozen=frozen, eq=eq, **options)
        if not frozen or options.keys() - {"kw_only"}:
            return dataclasses.dataclass(frozen=frozen, eq=eq, **options)(cls)
        cls = dataclasses.dataclass(init=False, eq=False, repr=False, **options)(cls)
        # A getter of one name would not return a tuple; every value has a class, which is quick to compare.
        cls.__values__ = attrgetter(*[own.name for own in fields(cls) if own.compare], "__class__")
        given = {name: method for name, method in vars(_Shared).items() if callable(method)}
        for name, method in {**given, "__init__": _Constructor(cls)}.items():
            if vars(cls).get(name) is None and (eq or name not in ("__eq__", "__hash__")):
                setattr(cls, name, method)
        return cls
