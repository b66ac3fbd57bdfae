# SPDX-License-Identifier: MIT
"""The medium of a plan, as the kernel takes it. Standard library only, since the guest reads it.

Levels and ratios are in mB and mBm (hundredths of dB and dBm), radios are named by their number in mac80211_hwsim.
Tables are long and not meant to be read: they are the bytes of the kernel's little-endian arrays in base64.
"""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from collections.abc import Iterable
from typing import Any, NamedTuple

from lab.shared.frozen import data, field, frozen

DETECT_OFDM_MB, DETECT_DSSS_MB = 300, -400  # their defaults in hwsim_medium_radio.c: preambles, by their SNR
_DSSS_BELOW_MHZ = 3000


def noticed_mb(frequency_mhz: int) -> int:
    """Return the SNR from which on radios notice frames on that channel."""
    return DETECT_DSSS_MB if frequency_mhz < _DSSS_BELOW_MHZ else DETECT_OFDM_MB


def packed(array: bytes) -> str:
    """Encode a table as the plan holds it."""
    return b2a_base64(array, newline=False).decode()


def unpacked(text: str) -> bytes:
    """Decode what ``packed`` made."""
    return a2b_base64(text, strict_mode=True)


@frozen
class ErrorCurve:
    """How bits of one modulation and code fail; see lab.phy.kernel_table."""

    name: str  # bpsk-1/2
    index: int  # the kernel's
    start_mb: int  # SINR of the first value
    step_mb: int  # from value to value
    burst_q8: int  # mean wrong bits of an error event, in 1/256
    hazards: str  # packed u64: -ln(1 - p) of a bit in 2^-60, never rising
    flips: str  # likewise, of an error event within a frame that is damaged


@frozen
class FadingTable:
    """Gains that a frame may meet."""

    number: int  # from 1; links name it
    quantiles: str  # packed s32: gains in mB at the probabilities (i + 1/2)/n, rising


class MediumRate(NamedTuple):
    """enum hwsim_medium_rate_attr. In JSON a list of these numbers."""

    phy: int  # 0: DSSS, 1: OFDM, 2: HT
    mcs: int  # of one stream
    streams: int
    width: int  # 0: 20 MHz, 1: 40 MHz
    short_gi: int
    short_preamble: int


@frozen
class MediumPart:
    """What a stack's part of the kernel adds to the medium's netlink family."""

    key: str  # of the radio setting; readings have its counters by this name
    attributes: dict[str, dict[str, int]]  # of radios, by form (u8, u32) and name in lower case: the number
    counters: dict[str, int]  # number of each nest of counters in the answers to GET_PEER, by name
    counts: list[str]  # names of the numbers in such a nest, from 1


@frozen
class MediumRadio:
    """A radio on the medium."""

    node: str
    index: int
    stream: int  # its name in random streams: 64 bits that follow from the node's name alone
    noise_mbm: int  # in 20 MHz
    ed_mbm: int  # energy that counts as a busy channel
    max_ppdu_us: int  # its longest transmission
    retries: int  # attempts of a frame; 0: as rate control wants it
    latency_us: int = 0  # a frame from its host takes up to that long into the idle radio
    # by name of the netlink attribute, in lower case: what is not at its default
    attributes: dict[str, Any] = field(default_factory=dict, omitted=True)
    clock_us: int = 0  # what its TSF is ahead of the time of day
    clock_ppb: int = 0  # how much faster it goes
    power_mbm: int = 2_000  # transmit power at the start


class MediumLink(NamedTuple):
    """What one radio hears of another. In JSON a list of these numbers."""

    transmitter: int
    receiver: int
    gain_mb: int  # of the path, antennas included: what is received less what is sent
    fading: int  # number of a table; 0: none
    coherence_us: int  # how long one gain holds; 0: for one frame
    delay_ns: int = 0  # propagation delay


class Hearing(NamedTuple):
    """What a radio hears of another at best."""

    reserve_mb: int  # above the level from which it notices frames
    receiver: str
    transmitter: str
    snr_mb: int
    noticed_mb: int


@frozen
class MediumUpdate:
    """Links that change because a node has moved, or because an outage begins or ends."""

    at_ns: int
    links: list[MediumLink]


@frozen
class Outage:
    """A time without contact, in both directions; ``updates`` have its effect."""

    begin_ns: int
    end_ns: int
    between: list[int]  # numbers of the two radios
    loss_db: float


@frozen
class Wall:
    """A wall, seen from above."""

    from_m: list[float]
    to_m: list[float]
    loss_db: float


@frozen
class Medium:
    """An 802.11 medium. What the kernel gets is from ``curves`` on; the rest says where it comes from."""

    seed: int  # 64 bits: of all random streams of the medium
    errors: str  # name of the error model
    bursts: bool
    propagation: dict[str, Any]  # {model: logDistance, exp: 3.0, sL: 1.0}
    fading: dict[str, Any] | None  # {model: rician, k_db: 6.0, coherence_ns: [66074000]}
    walls: list[Wall]
    step_ns: int  # how often moves are followed
    statistics_ns: int  # how often counters are read
    capture_mb: int | None  # a frame so much stronger takes a receiver over; None: none does
    curves: list[ErrorCurve]
    fadings: list[FadingTable]
    radios: list[MediumRadio]
    links: list[MediumLink]  # of every radio to every other, at the start
    updates: list[MediumUpdate]  # by time
    propagation_delay: bool = field(default=False, omitted=True)
    fading_behind_walls: dict[str, Any] | None = field(default=None, omitted=True)  # None: as fading
    # {deviation_db: 4.0, decorrelation_m: 2.0, number: 1}; None: none
    shadowing: dict[str, Any] | None = field(default=None, omitted=True)
    outages: list[Outage] = field(default_factory=list, omitted=True)  # by time
    parts: list[MediumPart] = field(default_factory=list, omitted=True)  # of the kernel, of stacks that radios use

    def hearing(self, receiver: int, transmitter: int, frequency_mhz: int) -> Hearing:
        """Return what a radio hears of another at the start, on that channel."""
        link = self.links[transmitter * (len(self.radios) - 1) + receiver - (receiver > transmitter)]
        gains = next((unpacked(table.quantiles) for table in self.fadings if table.number == link.fading), bytes(4))
        ((_, snr_mb),) = self.levels([link])
        most_mb = snr_mb + int.from_bytes(gains[-4:], "little", signed=True)
        names, least_mb = self.names(), noticed_mb(frequency_mhz)
        return Hearing(most_mb - least_mb, names[receiver], names[transmitter], snr_mb, least_mb)

    def levels(self, links: Iterable[MediumLink]) -> list[tuple[MediumLink, int]]:
        """Return links with their SNR in 20 MHz, in mB, if radios send with the power that they have at the start."""
        powers_mbm = {radio.index: radio.power_mbm for radio in self.radios}
        noises_mbm = {radio.index: radio.noise_mbm for radio in self.radios}
        return [(link, powers_mbm[link.transmitter] + link.gain_mb - noises_mbm[link.receiver]) for link in links]

    def names(self) -> dict[int, str]:
        """Return nodes by the number of their radio."""
        return {radio.index: radio.node for radio in self.radios}


# What the kernel counts: in raw/medium.json since the medium's start, in a record for the run.


@frozen
class ChannelUse:
    """How the time of a channel was used."""

    frequency_mhz: int
    t_ns: int
    air_ns: dict[str, int]  # by use; see lab.guest.medium.uapi.Airtime


@frozen
class FrameCounts:
    """What happened to frames between two radios: enum hwsim_medium_count_attr, in its order."""

    sent: int
    retries: int
    delivered: int
    damaged: int
    collided: int
    lost: int
    header: int
    away: int
    acked: int
    dropped: int
    bytes: int
    approximate: int
    repeated: int


def total(counts: Iterable[FrameCounts]) -> FrameCounts:
    """Return the sum of at least one."""
    return FrameCounts(*map(sum, zip(*(data(one).values() for one in counts), strict=True)))


@frozen
class AccessCounts:
    """How a radio got to send: enum hwsim_medium_access_attr, in its order.

    ``inside``: collisions with another category of its own.
    """

    attempts: int
    successes: int
    inside: int
    air_ns: int
    acquire_ns: int
    answer_ns: int
    rts_unanswered: int
    bar_unanswered: int


@frozen
class LinkCounters:
    """The frames from one node to another; those of an access category only if it has any."""

    sender: str = field(key="from")
    receiver: str = field(key="to")
    total: FrameCounts = field(spread=True)
    categories: dict[str, FrameCounts] = field(spread=True)


@frozen
class RadioCounters:
    """The attempts of a node to send, by access category."""

    node: str
    categories: dict[str, AccessCounts] = field(spread=True)


@frozen
class PeerCounters:
    """What a stack's part of the kernel counts of a node and a peer (an address), by MediumPart.counters."""

    node: str
    peer: str
    counts: dict[str, dict[str, int]] = field(spread=True)


@frozen
class Reading:
    """The counters of a medium at a time: a line of raw/medium.json."""

    t_ns: int
    radios: list[RadioCounters]
    links: list[LinkCounters]
    channels: list[ChannelUse]
    parts: dict[str, list[PeerCounters]] = field(spread=True)  # by MediumPart.key


@frozen
class ChannelSpans:
    """How the time of a channel was used between readings: for each use, ns in each interval."""

    frequency_mhz: int
    air_ns: dict[str, list[int]]


@frozen
class OnAir:
    """What happened on the medium of a run, from its first reading to the last; ``t_ns`` are the times of all.

    An event that switches a part of a stack may reset its counters; what they counted between the reading before it and
    the event is missing.
    """

    t_ns: list[int]
    channels: list[ChannelSpans]
    links: list[LinkCounters]
    radios: list[RadioCounters]
    parts: dict[str, list[PeerCounters]] = field(spread=True)  # by MediumPart.key
