# SPDX-License-Identifier: MIT
"""The kernel's interface of the 802.11 medium, as hwsim_medium_uapi.h has it: same names, same order."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from enum import IntEnum, auto
from typing import Any

from lab.guest.netlink.wire import NESTED, attribute, nested, text
from lab.shared.medium_types import MediumLink, MediumPart, MediumRate

FAMILY = "hwsim_medium"
VERSION = 4


class Command(IntEnum):
    """enum hwsim_medium_cmd."""

    NEW = auto()
    DEL = auto()
    SET_CURVE = auto()
    SET_FADING = auto()
    ADD_RADIO = auto()
    SET_RADIO = auto()
    REMOVE_RADIO = auto()
    SET_LINKS = auto()
    ADD_FAULT = auto()
    GET_RADIO = auto()
    GET_LINK = auto()
    GET_AIR = auto()
    SET_PAYLOAD = auto()
    GET_PEER = auto()


class Attr(IntEnum):
    """enum hwsim_medium_attr."""

    PAD = auto()
    ID = auto()
    SEED = auto()
    MODEL = auto()
    CAPTURE_MB = auto()
    CURVE = auto()
    START_MB = auto()
    STEP_MB = auto()
    HAZARDS = auto()
    BURST = auto()
    FADING = auto()
    QUANTILES = auto()
    RADIO = auto()
    STREAM = auto()
    NOISE_MBM = auto()
    ED_MBM = auto()
    DETECT_OFDM_MB = auto()
    DETECT_DSSS_MB = auto()
    MAX_PPDU_US = auto()
    RETRIES = auto()
    APPROX = auto()
    LINK = auto()
    FAULT_KIND = auto()
    FAULT_ACTION = auto()
    FAULT_SKIP = auto()
    FAULT_COUNT = auto()
    FAULT_FROM = auto()
    FAULT_TO = auto()
    FREQ_MHZ = auto()
    TIME_NS = auto()
    FROM = auto()
    TO = auto()
    COUNTS = auto()
    AIRTIMES = auto()
    ACCESS = auto()
    RATE = auto()
    LATENCY_US = auto()
    ADDR = auto()
    PAYLOAD = auto()
    ARRIVALS = auto()
    MORE_DATA = auto()
    NO_RETRY_MARK = auto()
    FAULT_LISTENER = auto()
    FAULT_SHARE = auto()
    FLIPS = auto()
    CLOCK_US = auto()
    CLOCK_PPB = auto()
    AC = auto()
    SHORT_SLOTS = auto()
    ANSWER_DELAY_US = auto()
    ANSWER_WAIT_US = auto()
    DROP_TAIL = auto()
    OLDEST_FIRST = auto()
    POWER_MBM = auto()
    OWN_ADDR = auto()
    RETRY_APPROX = auto()


class PartAttr(int):
    """An attribute that a stack's part of the kernel adds: its number, with a name as a member of Attr has."""

    name: str
    form: str

    def __new__(cls, name: str, number: int, form: str) -> PartAttr:
        made = super().__new__(cls, number)
        made.name, made.form = name.upper(), form
        return made


AnyAttr = Attr | PartAttr


def by_name(attributes: Mapping[str, Any], parts: list[MediumPart]) -> dict[AnyAttr, Any]:
    """Convert attributes of a radio that are given by name in lower case."""
    own = {
        name: PartAttr(name, number, form)
        for part in parts
        for form, numbers in part.attributes.items()
        for name, number in numbers.items()
    }
    return {own[name] if name in own else Attr[name.upper()]: value for name, value in attributes.items()}


class FaultFrame(IntEnum):
    """enum hwsim_medium_frame: the frames that a fault affects."""

    ANY = 0
    DATA = auto()
    MGMT = auto()
    BEACON = auto()
    ACK = auto()
    BA = auto()
    BAR = auto()
    RTS = auto()
    CTS = auto()


class FaultAction(IntEnum):
    """enum hwsim_medium_fault_action: what happens to a frame that a fault affects."""

    LOSE = 0
    DAMAGE = auto()


class LinkAttr(IntEnum):
    """enum hwsim_medium_link_attr: what one radio hears of another."""

    FROM = auto()
    TO = auto()
    GAIN_MB = auto()
    FADING = auto()
    COHERENCE_US = auto()
    DELAY_NS = auto()


class RateAttr(IntEnum):
    """enum hwsim_medium_rate_attr."""

    PHY = auto()
    MCS = auto()
    STREAMS = auto()
    WIDTH = auto()
    SHORT_GI = auto()
    SHORT_PREAMBLE = auto()


class Airtime(IntEnum):
    """enum hwsim_medium_airtime_attr: how the time of a channel is used."""

    IDLE = auto()
    DATA = auto()
    MGMT = auto()
    CONTROL = auto()
    IFS = auto()
    BACKOFF = auto()
    OVERLAP = auto()
    ENERGY = auto()


ACCESS_CATEGORIES = ("vo", "vi", "be", "bk")  # enum hwsim_medium_ac

# a LINK attribute: its header, and a header before each of its numbers; there may be many
_LINK = struct.Struct("=HH" + "HHI" * 2 + "HHi" + "HHI" * 3)
LINK_BYTES = _LINK.size
_LINK_HEAD = (LINK_BYTES, Attr.LINK | NESTED)
_NUMBER_BYTES = 8  # of an attribute with 32 bits


def link(one: MediumLink) -> bytes:
    """Encode a link as an attribute."""
    words = [word for part, value in zip(LinkAttr, one, strict=True) for word in (_NUMBER_BYTES, part, value)]
    return _LINK.pack(*_LINK_HEAD, *words)


def rate(given: Sequence[int]) -> bytes:
    """Encode a fixed rate as an attribute: the numbers of a MediumRate."""
    numbers = MediumRate(*given)._asdict()
    flags = {RateAttr.SHORT_GI: numbers.pop("short_gi", 0), RateAttr.SHORT_PREAMBLE: numbers.pop("short_preamble", 0)}
    parts = [attribute(RateAttr[name.upper()], _U8(value)) for name, value in numbers.items()]
    return nested(Attr.RATE, *parts, *(attribute(flag, b"") for flag, value in flags.items() if value))


def _packer(form: str) -> Callable[[int], bytes]:
    packed = struct.Struct(form)
    return lambda value: packed.pack(value)


_U8, _U32, _S32, _U64 = map(_packer, ("=B", "=I", "=i", "=Q"))
PART_ENCODERS = {"u8": _U8, "u32": _U32}

# encoders of the attributes that user space sends, but for LINK and RATE, which contain others
ENCODERS: dict[Attr, Callable[[Any], bytes]] = {
    Attr.ID: _U32,
    Attr.SEED: _U64,
    Attr.MODEL: text,
    Attr.CAPTURE_MB: _S32,
    Attr.CURVE: _U32,
    Attr.START_MB: _S32,
    Attr.STEP_MB: _U32,
    Attr.HAZARDS: bytes,
    Attr.BURST: _U32,
    Attr.FLIPS: bytes,
    Attr.FADING: _U32,
    Attr.QUANTILES: bytes,
    Attr.RADIO: _U32,
    Attr.STREAM: _U64,
    Attr.POWER_MBM: _S32,
    Attr.NOISE_MBM: _S32,
    Attr.ED_MBM: _S32,
    Attr.DETECT_OFDM_MB: _S32,
    Attr.DETECT_DSSS_MB: _S32,
    Attr.MAX_PPDU_US: _U32,
    Attr.RETRIES: _U32,
    Attr.APPROX: _U8,
    Attr.FAULT_KIND: _U32,
    Attr.FAULT_ACTION: _U32,
    Attr.FAULT_SKIP: _U32,
    Attr.FAULT_COUNT: _U32,
    Attr.FAULT_FROM: _U32,
    Attr.FAULT_TO: _U32,
    Attr.FAULT_LISTENER: _U32,
    Attr.FAULT_SHARE: _U32,
    Attr.LATENCY_US: _U32,
    Attr.ADDR: bytes,
    Attr.OWN_ADDR: bytes,
    Attr.PAYLOAD: bytes,
    Attr.MORE_DATA: _U8,
    Attr.NO_RETRY_MARK: _U32,
    Attr.SHORT_SLOTS: _U8,
    Attr.ANSWER_DELAY_US: _U32,
    Attr.ANSWER_WAIT_US: _U32,
    Attr.DROP_TAIL: _U32,
    Attr.OLDEST_FIRST: _U8,
    Attr.RETRY_APPROX: _U8,
    Attr.CLOCK_US: _U32,
    Attr.CLOCK_PPB: _S32,
}


def encoded(which: AnyAttr, value: Any) -> bytes:
    """Encode an attribute, or a list of them.

    ``value``: for LINK, a list of links; for RATE, a rate; else what the encoder takes.
    """
    if which is Attr.LINK:
        return b"".join(map(link, value))
    if which is Attr.RATE:
        return rate(value)
    encoder = PART_ENCODERS[which.form] if isinstance(which, PartAttr) else ENCODERS[which]
    return attribute(which, encoder(value))
