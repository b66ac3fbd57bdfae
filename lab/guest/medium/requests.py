# SPDX-License-Identifier: MIT
"""Requests that create the plan's medium in the kernel: the guest sends them, ``--dry-run`` prints them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lab.guest.hwsim import LIMITS
from lab.guest.medium.uapi import LINK_BYTES, AnyAttr, Attr, Command, FaultAction, FaultFrame, by_name, encoded
from lab.shared.frozen import frozen
from lab.shared.medium_types import Medium, MediumLink, MediumPart, MediumRadio, MediumRate, MediumUpdate, unpacked

ID = 1  # the one medium of a guest
LINKS_MOST = 65_536 // LINK_BYTES  # in one request
_SHOWN_MOST = 6  # links
_FAULT_RADIOS = {"from": Attr.FAULT_FROM, "to": Attr.FAULT_TO, "listener": Attr.FAULT_LISTENER}
_ALL = 2**32  # a probability of 1, for a fault's share


@frozen
class Request:
    """A request: ``values`` as ``encoded`` wants them."""

    command: Command
    values: dict[AnyAttr, Any]

    def payload(self) -> bytes:
        """Return its attributes."""
        return b"".join(encoded(attr, value) for attr, value in self.values.items())

    def describe(self, names: dict[int, str]) -> str:
        """Return the request as a reader sees it, with ``names`` for radios: ``SET_CURVE id=1 curve=4 …``."""
        words = [f"{attr.name.lower()}={_shown(attr, value, names)}" for attr, value in self.values.items()]
        return " ".join([self.command.name, *words])


def _shown(attr: AnyAttr, value: Any, names: dict[int, str]) -> str:
    if isinstance(value, bytes):
        return f"<{len(value)} bytes>"
    if attr is Attr.RATE:
        return ",".join(f"{key}:{number}" for key, number in MediumRate(*value)._asdict().items() if number)
    if isinstance(value, list):
        links = [f"{names[link.transmitter]}>{names[link.receiver]}:{link.gain_mb}mB" for link in value[:_SHOWN_MOST]]
        return ",".join(links) + (f",… ({len(value)})" if len(value) > _SHOWN_MOST else "")
    return str(value)


def setup(medium: Medium) -> Iterator[Request]:
    """Yield everything that precedes the first radio's start: the medium, its tables, its radios, their levels."""
    new: dict[AnyAttr, Any] = {Attr.ID: ID, Attr.SEED: medium.seed, Attr.MODEL: medium.errors}
    if medium.capture_mb is not None:
        new[Attr.CAPTURE_MB] = medium.capture_mb
    yield Request(Command.NEW, new)
    for curve in medium.curves:
        yield Request(
            Command.SET_CURVE,
            {
                Attr.ID: ID,
                Attr.CURVE: curve.index,
                Attr.START_MB: curve.start_mb,
                Attr.STEP_MB: curve.step_mb,
                Attr.BURST: curve.burst_q8,
                Attr.HAZARDS: unpacked(curve.hazards),
                Attr.FLIPS: unpacked(curve.flips),
            },
        )
    for table in medium.fadings:
        quantiles = unpacked(table.quantiles)
        yield Request(Command.SET_FADING, {Attr.ID: ID, Attr.FADING: table.number, Attr.QUANTILES: quantiles})
    for radio in medium.radios:
        yield _add(radio, medium.parts)
    yield from _set_links(medium.links)


def _add(radio: MediumRadio, parts: list[MediumPart]) -> Request:
    values: dict[AnyAttr, Any] = {
        Attr.ID: ID,
        Attr.RADIO: radio.index,
        Attr.STREAM: radio.stream,
        Attr.POWER_MBM: radio.power_mbm,
        Attr.NOISE_MBM: radio.noise_mbm,
        Attr.ED_MBM: radio.ed_mbm,
        Attr.MAX_PPDU_US: radio.max_ppdu_us,
        Attr.RETRIES: radio.retries,
        Attr.LATENCY_US: radio.latency_us,
    }
    if radio.clock_us or radio.clock_ppb:
        values[Attr.CLOCK_US] = radio.clock_us
        values[Attr.CLOCK_PPB] = radio.clock_ppb
    given = {name: value for name, value in radio.attributes.items() if name not in LIMITS}
    return Request(Command.ADD_RADIO, values | by_name(given, parts))


def change(index: int, attributes: Mapping[str, Any], parts: list[MediumPart]) -> Request:
    """Change attributes of a radio, by their names in lower case; those that are absent stay."""
    return Request(Command.SET_RADIO, {Attr.RADIO: index, **by_name(attributes, parts)})


def update(change: MediumUpdate) -> Iterator[Request]:
    """Change levels, since a node has moved."""
    return _set_links(change.links)


def fault(frames: str, params: Mapping[str, Any], names: Mapping[int, str]) -> Request:
    """Have frames lost or damaged."""
    numbers = {name: number for number, name in names.items()}
    values: dict[AnyAttr, Any] = {
        Attr.ID: ID,
        Attr.FAULT_KIND: int(FaultFrame[frames.upper()]),
        Attr.FAULT_ACTION: int(FaultAction[params["action"].upper()]),
        Attr.FAULT_SKIP: params["skip"],
        Attr.FAULT_COUNT: params["count"],
    }
    for key, attr in _FAULT_RADIOS.items():
        if params[key] is not None:
            values[attr] = numbers[params[key]]
    if params["share_percent"] is not None:
        values[Attr.FAULT_SHARE] = max(1, min(round(params["share_percent"] / 100 * _ALL), _ALL - 1))
    return Request(Command.ADD_FAULT, values)


def _set_links(links: list[MediumLink]) -> Iterator[Request]:
    for start in range(0, len(links), LINKS_MOST):
        yield Request(Command.SET_LINKS, {Attr.ID: ID, Attr.LINK: links[start : start + LINKS_MOST]})
