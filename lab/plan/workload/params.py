# SPDX-License-Identifier: MIT
"""Parameters of probes, checked against the probe's declaration, in base units, with defaults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lab import units
from lab.errors import suggestion
from lab.model.build import missing
from lab.model.document import unquoted
from lab.model.varied import for_index
from lab.probes import base as probes

Complain = Callable[[str, str], None]  # (key, message)


def _text(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        shown = {dict: "a mapping", list: "a list", type(None): "nothing"}.get(type(value), f'"{value}"'.lower())
        raise ValueError(f"must be text, not {shown}")
    return str(getattr(value, "written", value))


def _integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise ValueError(f'must be a whole number, not "{value}"')
    return int(value)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f'must be true or false, not "{value}"')
    return value


def _texts(value: Any) -> list[str]:
    if isinstance(value, list):
        return [_text(item) for item in value]
    return [_text(value)]


_DIMENSIONS = {"duration": units.DURATION, "rate": units.RATE, "size": units.SIZE}
_READ: dict[str, Callable[[Any], Any]] = {
    "str": _text,
    "int": _integer,
    "bool": _flag,
    "list": _texts,
    **{name: dimension.parse for name, dimension in _DIMENSIONS.items()},
}
_TEXTS = ("str", "list")  # whose calculations are replaced later, with references


def _check_range(param: probes.Param, written: Any, amount: Any) -> None:
    """Raise a ValueError if a number is out of range, with the limit in the unit that the user wrote."""
    if isinstance(amount, bool) or not isinstance(amount, int | float):
        return
    if amount < param.least:
        raise ValueError(f'"{written}" is too small; the minimum is {_in_unit_of(param, written, param.least)}')
    if param.most is not None and amount > param.most:
        raise ValueError(f'"{written}" is too large; the maximum is {_in_unit_of(param, written, param.most)}')


def _in_unit_of(param: probes.Param, written: Any, limit: int) -> str:
    """Format a limit in the unit of what was written."""
    dimension = _DIMENSIONS.get(param.type)
    if dimension is None:
        return str(limit)
    unit = str(written).strip().lstrip("+-0123456789.").strip()
    return dimension.write(f"{float(limit / dimension.factors[unit]):g}", unit)


def load(name: str, complain: Complain) -> probes.Probe | None:
    """Return the probe of that name; report an unknown one and return None."""
    if name not in probes.known():
        complain("probe", probes.PROBES.unknown(name))
        return None
    return probes.load(name)


def read(
    probe: probes.Probe, written: dict[str, Any], complain: Complain, index: int = 1, count: int = 1
) -> dict[str, Any]:
    """Return the parameters in base units, in the order of the probe's declaration, for the node of that index."""
    for key in written:
        if key not in probe.params:
            complain(key, f'unknown key "{key}"{suggestion(key, probe.params)}; known keys: {", ".join(probe.params)}')
    values = {}
    for key, param in probe.params.items():
        if key in written:
            try:
                if (braces := unquoted(written[key])) is not None:
                    raise ValueError(braces)
                value = written[key] if param.type in _TEXTS else for_index(written[key], index, count)
                values[key] = _READ[param.type](value)
                _check_range(param, value, values[key])
            except ValueError as error:
                values.pop(key, None)
                complain(key, str(error))
        elif param.required:
            complain(key, missing(param.about))
        else:
            values[key] = param.default
    return values


def fill(params: dict[str, Any], substitute: Callable[[str, str], str]) -> dict[str, Any]:
    """Apply ``substitute(key, text)`` to every text."""
    filled: dict[str, Any] = {}
    for key, value in params.items():
        if isinstance(value, str):
            filled[key] = substitute(key, value)
        elif isinstance(value, list | tuple):
            filled[key] = [substitute(key, item) for item in value]
        else:
            filled[key] = value
    return filled
