# SPDX-License-Identifier: MIT
"""The kernel's interface of the 802.11 medium, as hwsim_medium_uapi.h has it: same names, same order."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from enum import IntEnum, auto
from typing import Any

from lab.guest.netlink.wire import text
from lab.shared.medium_types import MediumLink, MediumRate

FAMILY = "hwsim_medium"
VERSION = 1


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
    LINKS = auto()
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
    AIRTIMES_NS = auto()
    AC_COUNTS = auto()
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
    DSSS_ONLY = auto()
    CLOCK_US = auto()
    CLOCK_PPB = auto()


class Frame(IntEnum):
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


class Airtime(IntEnum):
    """enum hwsim_medium_airtime: how the time of a channel is used."""

    IDLE = 0
    DATA = auto()
    MGMT = auto()
    CONTROL = auto()
    IFS = auto()
    BACKOFF = auto()
    OVERLAP = auto()
    ENERGY = auto()


class Count(IntEnum):
    """enum hwsim_medium_count: what happened to frames between two radios."""

    SENT = 0
    RETRIES = auto()
    DELIVERED = auto()
    DAMAGED = auto()
    COLLIDED = auto()
    LOST = auto()
    HEADER = auto()
    AWAY = auto()
    ACKED = auto()
    DROPPED = auto()
    BYTES = auto()
    APPROXIMATE = auto()
    REPEATED = auto()


ACCESS_CATEGORIES = ("vo", "vi", "be", "bk")  # enum ieee80211_ac_numbers
AC_COUNTS = ("attempts", "successes", "inside", "air_ns")  # inside: collisions with another category of the radio

LINK = struct.Struct("=IIiII")  # struct hwsim_medium_link
RATE = struct.Struct("=6B")  # struct hwsim_medium_rate


def _links(links: Iterable[MediumLink]) -> bytes:
    return b"".join(LINK.pack(*link) for link in links)


def _rate(rate: MediumRate) -> bytes:
    return RATE.pack(*rate)


def _packer(form: str) -> Callable[[int], bytes]:
    packed = struct.Struct(form)
    return lambda value: packed.pack(value)


_U8, _U32, _S32, _U64 = map(_packer, ("=B", "=I", "=i", "=Q"))

# encoders of the attributes that user space sends
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
    Attr.NOISE_MBM: _S32,
    Attr.ED_MBM: _S32,
    Attr.DETECT_OFDM_MB: _S32,
    Attr.DETECT_DSSS_MB: _S32,
    Attr.MAX_PPDU_US: _U32,
    Attr.RETRIES: _U32,
    Attr.APPROX: _U8,
    Attr.LINKS: _links,
    Attr.FAULT_KIND: _U32,
    Attr.FAULT_ACTION: _U32,
    Attr.FAULT_SKIP: _U32,
    Attr.FAULT_COUNT: _U32,
    Attr.FAULT_FROM: _U32,
    Attr.FAULT_TO: _U32,
    Attr.FAULT_LISTENER: _U32,
    Attr.FAULT_SHARE: _U32,
    Attr.RATE: _rate,
    Attr.LATENCY_US: _U32,
    Attr.ADDR: bytes,
    Attr.PAYLOAD: bytes,
    Attr.MORE_DATA: _U8,
    Attr.NO_RETRY_MARK: _U32,
    Attr.DSSS_ONLY: _U8,
    Attr.CLOCK_US: _U32,
    Attr.CLOCK_PPB: _S32,
}
