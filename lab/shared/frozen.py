# SPDX-License-Identifier: MIT
"""Frozen data classes that cost nothing to define.

``dataclasses`` writes the methods of each class as text and compiles it. In the guest that takes 2 ms for each class at
every boot. ``frozen`` gives a class methods that look its fields up instead. ``dataclasses.replace``, ``asdict``
and ``fields``, pickling and copying work as with a frozen dataclass, and type checkers treat it as one. Patterns by
position (``match``), ``copy.replace`` and subclasses that are dataclasses do not.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar, dataclass_transform

_T = TypeVar("_T")
_NONE = object()  # no default


class Field:
    """How a field gets its value if the caller gives none, and how JSON has it (see ``field``)."""

    __slots__ = ("default", "factory", "key", "omitted", "spread")

    def __init__(
        self, default: Any, factory: Callable[[], Any] | None, omitted: bool, key: str | None, spread: bool
    ) -> None:
        self.default = default
        self.factory = factory
        self.omitted = omitted
        self.key = key
        self.spread = spread

    def value(self) -> Any:
        """Return the default, a new one where it can be changed."""
        return self.factory() if self.factory else self.default

    def is_default(self, value: Any) -> bool:
        """Check whether a value equals the default."""
        return self.has_default() and bool(value == self.value())

    def has_default(self) -> bool:
        """Check whether the field may be left out."""
        return self.factory is not None or self.default is not _NONE


def field(
    *,
    default: Any = _NONE,
    default_factory: Callable[[], Any] | None = None,
    omitted: bool = False,
    key: str | None = None,
    spread: bool = False,
) -> Any:
    """Declare a field with a default, or one that JSON has otherwise.

    Args:
        default: its value if the caller gives none.
        default_factory: makes that value, where it can be changed.
        omitted: JSON does not mention it at its default.
        key: its key in JSON, if that is not its name.
        spread: its entries lie among the fields in JSON: those of a frozen class, or of a dict all that are left.
    """
    return Field(default, default_factory, omitted, key, spread)


class _Dataclass:
    """``__dataclass_fields__``, made when the ``dataclasses`` module asks for it: only on the host."""

    def __get__(self, _instance: object, owner: Any) -> Any:
        import dataclasses

        made = [
            (name, owner.__annotations__[name], dataclasses.field(**_options(one)))
            for name, one in owner.__frozen_fields__.items()
        ]
        shadow: Any = dataclasses.make_dataclass(owner.__name__, made)
        owner.__dataclass_fields__ = shadow.__dataclass_fields__
        return owner.__dataclass_fields__


def _options(one: Field) -> dict[str, Any]:
    if one.factory:
        return {"default_factory": one.factory}
    return {} if one.default is _NONE else {"default": one.default}


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[_T]) -> type[_T]:
    """Make a frozen data class of a class with annotations. It has no base class with fields."""
    fields: dict[str, Field] = {}
    for name in cls.__annotations__:
        given = cls.__dict__.get(name, _NONE)
        fields[name] = given if isinstance(given, Field) else field(default=given)
        if given is not _NONE:
            delattr(cls, name)
    made: Any = cls
    made.__frozen_fields__ = fields
    made.__dataclass_fields__ = _Dataclass()
    for method in (__init__, __eq__, __hash__, __repr__, __setattr__, __delattr__):
        setattr(made, method.__name__, method)
    return cls


def fields_of(cls: Any) -> dict[str, Field] | None:
    """Return the fields of a frozen class by name, in order; None for any other class."""
    found: dict[str, Field] | None = getattr(cls, "__frozen_fields__", None)
    return found


def data(value: Any) -> Any:
    """Convert frozen classes, and lists and dicts of them, to plain data; named tuples hold numbers only, and stay."""
    if isinstance(value, list):
        return [data(item) for item in value]
    if isinstance(value, dict):
        return {key: data(item) for key, item in value.items()}
    fields = fields_of(value)
    if fields is None:
        return value
    found: dict[str, Any] = {}
    for name, one in fields.items():
        given = getattr(value, name)
        if one.spread:
            found |= data(given)
        elif not (one.omitted and one.is_default(given)):
            found[one.key or name] = data(given)
    return found


@cache
def _hints(annotation: Any) -> dict[str, Any]:
    return typing.get_type_hints(annotation)


def built(annotation: Any, value: Any) -> Any:
    """Rebuild frozen classes from what json.loads gave, following the annotations."""
    if value is None:
        return None
    origin = typing.get_origin(annotation)
    if origin is types.UnionType or origin is typing.Union:
        (annotation,) = [option for option in typing.get_args(annotation) if option is not type(None)]
        return built(annotation, value)
    if origin is list:
        (item,) = typing.get_args(annotation)
        return [built(item, element) for element in value]
    if origin is dict:
        _, item = typing.get_args(annotation)
        return {key: built(item, element) for key, element in value.items()}
    if isinstance(annotation, type) and issubclass(annotation, tuple):
        return annotation(*value)
    fields = fields_of(annotation)
    if fields is None:
        return value
    hints, left, found = _hints(annotation), dict(value), {}
    for name, one in fields.items():
        key = one.key or name
        if one.spread:
            keys = fields_of(hints[name]) or list(left)
            found[name] = built(hints[name], {key: left.pop(key) for key in keys if key in left})
        elif key in left:
            found[name] = built(hints[name], left.pop(key))
    return annotation(**found, **left)


# The methods of every frozen class.


def __init__(self: Any, *values: Any, **named: Any) -> None:
    fields = type(self).__frozen_fields__
    if len(values) > len(fields):
        raise TypeError(f"{type(self).__name__} takes at most {len(fields)} values, got {len(values)}")
    here = self.__dict__
    here.update(zip(fields, values, strict=False))
    for name, value in named.items():
        if name not in fields or name in here:
            wrong = f"got {name} twice" if name in here else f"has no field {name}"
            raise TypeError(f"{type(self).__name__} {wrong}")
        here[name] = value
    if len(here) == len(fields):
        return
    for name, one in fields.items():
        if name not in here:
            if not one.has_default():
                raise TypeError(f"{type(self).__name__} needs {name}")
            here[name] = one.value()


def _values(instance: Any) -> tuple[Any, ...]:
    here = instance.__dict__
    return tuple(here[name] for name in type(instance).__frozen_fields__)


def __eq__(self: Any, other: object) -> bool:
    return _values(self) == _values(other) if type(self) is type(other) else NotImplemented


def __hash__(self: Any) -> int:
    return hash(_values(self))


def __repr__(self: Any) -> str:
    shown = zip(type(self).__frozen_fields__, _values(self), strict=True)
    return f"{type(self).__qualname__}({', '.join(f'{name}={value!r}' for name, value in shown)})"


def __setattr__(self: Any, name: str, _value: object) -> None:
    raise AttributeError(f"{type(self).__name__} is frozen: cannot set {name}")


def __delattr__(self: Any, name: str) -> None:
    raise AttributeError(f"{type(self).__name__} is frozen: cannot delete {name}")
