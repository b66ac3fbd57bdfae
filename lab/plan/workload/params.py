# SPDX-License-Identifier: MIT
"""Parameters of probes, checked against the probe's declaration, in base units, with defaults."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lab import units
from lab.errors import suggestion
from lab.probes import base as probes

Complain = Callable[[str, str], None]  # (key, message)


def _text(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"must be text, not {value!r}")
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


def _positive(dimension: units.Dimension) -> Callable[[Any], int | float]:
    """Return a parser of quantities that must not be negative."""

    def read(value: Any) -> int | float:
        amount = dimension.parse(value)
        if amount < 0:
            raise ValueError(f'"{value}" is negative; write 0 or more')
        return amount

    return read


_READ: dict[str, Callable[[Any], Any]] = {
    "str": _text,
    "int": _integer,
    "bool": _flag,
    "list": _texts,
    "duration": _positive(units.DURATION),
    "rate": _positive(units.RATE),
    "size": _positive(units.SIZE),
}


def load(name: str, complain: Complain) -> probes.Probe | None:
    """Return the probe of that name; report an unknown one and return None."""
    known = probes.known()
    if name not in known:
        complain("probe", f'there is no probe "{name}"{suggestion(name, known)}; known probes: {", ".join(known)}')
        return None
    return probes.load(name)


def read(probe: probes.Probe, written: dict[str, Any], complain: Complain) -> dict[str, Any]:
    """Return the parameters in base units, in the order of the probe's declaration."""
    for key in written:
        if key not in probe.params:
            complain(key, f'unknown key "{key}"{suggestion(key, probe.params)}; known keys: {", ".join(probe.params)}')
    values = {}
    for key, param in probe.params.items():
        if key in written:
            try:
                values[key] = _READ[param.kind](written[key])
            except ValueError as error:
                complain(key, str(error))
        elif param.required:
            complain(key, f"is missing. {param.about}")
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
