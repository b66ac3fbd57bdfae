# SPDX-License-Identifier: MIT
"""The table of settings of radios: each is a key of access points and stations, and all that the lab knows of it.

A setting is a class in ``lab/radio_settings/<key>.py`` or ``workloads/<stack>/radio_settings/<key>.py``. What the
kernel does with it follows from its ``attributes``, whose numbers and forms are in lab/guest/medium/uapi.py, or in the
setting's ``part`` if a stack's part of the kernel adds them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator

from lab.errors import InputError
from lab.model.cell import Cell
from lab.registry import Room
from lab.shared.medium_types import MediumPart
from lab.shared.types import Radio


class RadioSetting:
    """A setting of a radio. In plans it is in ``Radio.settings`` by its key, unless it is at its default."""

    about: ClassVar[str]  # what the key means
    type: ClassVar[Any]  # of its value in a file, for pydantic
    default: ClassVar[Any] = None
    perfect: ClassVar[str]  # why it needs a medium: what the perfect one lacks
    part: ClassVar[MediumPart | None] = None  # what the stack's part of the kernel adds to the medium

    def show(self, value: Any) -> str:
        """Return its value in a plan, in words."""
        raise NotImplementedError

    def resolve(self, written: Any) -> Any:
        """Return what the plan has of its value."""
        return written

    def complaints(self, value: Any, radio: Radio, cells: list[Cell]) -> Iterable[tuple[str, ...]]:
        """Yield what is wrong, and what to write; ``cells`` are those of the radio's network."""
        return ()

    def attributes(self, value: Any, radio: Radio, values: list[Any]) -> Mapping[str, Any]:
        """Return the attributes for the kernel, in lower case; ``values`` are those of all radios, its own, too."""
        return {}


SETTINGS = Room("radio_settings", RadioSetting)


@cache
def table() -> dict[str, RadioSetting]:
    """Return the settings of the lab and of the stacks found at first use, by key in alphabetical order.

    One that cannot be used is an error of the nodes that have its key (an InputError, as in ``Room.get``).
    """
    return {name.replace("-", "_"): _made(name) for name in SETTINGS.known()}


def _made(name: str) -> RadioSetting:
    try:
        setting = SETTINGS.get(name)
        if missing := [one for one in ("about", "type", "perfect") if not hasattr(setting, one)]:
            raise InputError(f"the setting of radios has no {', no '.join(missing)}", where=SETTINGS.where(name))
    except InputError as error:
        given = Annotated[Any, BeforeValidator(partial(_refuse, error))]
        setting = type("Unusable", (RadioSetting,), {"about": str(error), "type": given, "perfect": ""})
    return setting()


def _refuse(error: InputError, _written: Any) -> None:
    raise error


def attributes(radios: Sequence[Radio]) -> list[dict[str, Any]]:
    """Return the attributes that the kernel gets for each radio of a medium."""
    found: list[dict[str, Any]] = [{} for _ in radios]
    for key, setting in table().items():
        values = [radio.settings.get(key, setting.default) for radio in radios]
        for one, value, radio in zip(found, values, radios, strict=True):
            one.update(setting.attributes(value, radio, values))
    for one, radio in zip(found, radios, strict=True):
        one.update({name: 1 for name in ("dsss_only", "short_slots") if getattr(radio, name)})
    return found


def parts(radios: Sequence[Radio]) -> list[MediumPart]:
    """Return what stacks add to the medium for the settings that these radios have."""
    used = {key for radio in radios for key in radio.settings}
    return [setting.part for key, setting in table().items() if setting.part and key in used]


def described(radio: Radio) -> list[str]:
    """Return the settings of a radio in words."""
    return [setting.show(radio.settings[key]) for key, setting in table().items() if key in radio.settings]
