# SPDX-License-Identifier: MIT
"""The table of settings of radios: each is a key of access points and stations, and all that the lab knows of it.

A setting is a file, ``lab/radio_settings/<key>.py`` or ``workloads/<stack>/radio_settings/<key>.py``, with one
``SETTING = RadioSetting(…)``. What the kernel does with it follows from its ``attributes``, whose numbers and forms are
in lab/guest/medium/uapi.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from lab import discovery
from lab.model.cell import Cell
from lab.shared.types import Radio

ROOM = "radio_settings"


@dataclass(frozen=True, kw_only=True)
class RadioSetting:
    """A setting of a radio. In plans it is in ``Radio.settings`` by its key, unless it is at its default."""

    about: str  # what the key means
    type: Any  # of its value in a file, for pydantic
    default: Any = None
    perfect: str  # why it needs a medium: what the perfect one lacks
    show: Callable[[Any], str]  # its value in a plan, in words
    resolve: Callable[[Any], Any] = lambda written: written  # what the plan has of its value
    # from its value, the radio and the cells of the radio's network: what is wrong, and what to write
    complaints: Callable[[Any, Radio, list[Cell]], Iterable[tuple[str, ...]]] = lambda *_: ()
    # from its value, the radio and the values of all radios (its own, too): attributes for the kernel, in lower case
    attributes: Callable[[Any, Radio, list[Any]], Mapping[str, Any]] = lambda *_: {}


@cache
def table() -> dict[str, RadioSetting]:
    """Return the settings of the lab and of the stacks found at first use, by key in alphabetical order."""
    return {
        name.replace("-", "_"): discovery.holds(ROOM, name, "SETTING", RadioSetting) for name in discovery.known(ROOM)
    }


def attributes(radios: Sequence[Radio]) -> list[dict[str, Any]]:
    """Return what the kernel is told of each radio of a medium."""
    found: list[dict[str, Any]] = [{} for _ in radios]
    for key, setting in table().items():
        values = [radio.settings.get(key, setting.default) for radio in radios]
        for one, value, radio in zip(found, values, radios, strict=True):
            one.update(setting.attributes(value, radio, values))
    for one, radio in zip(found, radios, strict=True):
        one.update({name: 1 for name in ("dsss_only", "short_slots") if getattr(radio, name)})
    return found


def described(radio: Radio) -> list[str]:
    """Return the settings of a radio in words."""
    return [setting.show(radio.settings[key]) for key, setting in table().items() if key in radio.settings]
