# SPDX-License-Identifier: MIT
"""Handoffs of a station, from wpa_supplicant's events, and the data frames around them, from a capture.

Not visible: the time that the driver takes between two events; a scan so early that the handoff uses its stored
results (then the handoff has no separate scan).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest

from lab.captures import pcap
from lab.metrics._packets import is_dhcp, is_neighbour_discovery
from lab.probes.base import Occurrence, TimeSeries

SCAN_BELONGS_NS = 1_000_000_000  # results that are older when authentication begins are of another scan
_IPV4 = b"\x08\x00"
_IPV6 = b"\x86\xdd"
_DATA_TYPE = 0x08  # IEEE 802.11-2020 9.2.4.1.3: type Data in the first octet of frame control
_TYPE_MASK = 0x0C
_NO_DATA = 0x40  # subtype bit of Null and QoS Null
_FROM_DS = 0x02  # second octet of frame control
_SNAP = b"\xaa\xaa\x03\x00\x00\x00"  # RFC 1042
_QOS = 0x80
_HEADERS = 14 + 60 + 8  # bytes of Ethernet, the longest header of IPv4, and UDP
_PROTECTED = 0x40  # second octet


@dataclass
class Handoff:
    """One change of access point; times in ns since the timeline's start. None: the step was not seen.

    ``begin_ns`` is when the station leaves the old access point: the first authentication with another one, or the loss
    of the link. ``connected_ns`` None: the station did not reconnect.
    """

    begin_ns: int
    cause: str  # roam, disconnect (events of the timeline), station (its own decision), loss (of the link)
    asked_ns: int | None = None  # the event of the timeline
    scan_started_ns: int | None = None
    scan_done_ns: int | None = None
    authenticate_ns: int | None = None
    associate_ns: int | None = None
    associated_ns: int | None = None
    connected_ns: int | None = None
    from_bssid: str | None = None
    to_bssid: str | None = None


def find(
    occurrences: Sequence[Occurrence], asked: Sequence[tuple[int, str]], first_bssid: str | None = None
) -> list[Handoff]:
    """Return the handoffs in the events of one station, in order.

    Args:
        occurrences: those of the probe wpa-events.
        asked: time and kind (roam, disconnect) of the station's events in the timeline, ascending.
        first_bssid: its first access point, if known.
    """
    walk = _Walk(first_bssid)
    for occurrence in occurrences:
        walk.step(occurrence)
    found = [handoff for handoff in walk.done if handoff.begin_ns >= 0]
    _attribute(found, asked)
    return found


class _Walk:
    def __init__(self, bssid: str | None) -> None:
        self.done: list[Handoff] = []
        self._bssid = bssid
        self._open: Handoff | None = None
        self._scan: tuple[int, int | None] | None = None  # started, done

    def step(self, event: Occurrence) -> None:
        """Process the next event."""
        method = getattr(self, "_on_" + event.kind.replace("-", "_"), None)
        if method:
            method(event)

    def _on_scan_started(self, event: Occurrence) -> None:
        self._scan = (event.t_ns, None)

    def _on_scan_results(self, event: Occurrence) -> None:
        if self._scan and self._scan[1] is None:
            self._scan = (self._scan[0], event.t_ns)

    def _on_do_roam(self, event: Occurrence) -> None:
        self._bssid = self._bssid or event.fields["bssid"]

    def _on_authenticate(self, event: Occurrence) -> None:
        handoff = self._open or self._begin(event.t_ns, "station")
        if handoff.authenticate_ns is None:
            handoff.authenticate_ns = event.t_ns
            if self._scan and self._scan[1] is not None and event.t_ns - self._scan[1] <= SCAN_BELONGS_NS:
                handoff.scan_started_ns, handoff.scan_done_ns = self._scan

    def _on_associate(self, event: Occurrence) -> None:
        # a driver that authenticates by itself reports only the association
        handoff = self._open or self._begin(event.t_ns, "station")
        handoff.associate_ns = event.t_ns

    def _on_associated(self, event: Occurrence) -> None:
        if self._open is not None:
            self._open.associated_ns = event.t_ns

    def _on_connected(self, event: Occurrence) -> None:
        bssid = event.fields["bssid"]
        if self._open is not None:
            self._open.connected_ns = event.t_ns
            self._open.to_bssid = bssid
            self._open = None
        self._bssid, self._scan = bssid, None

    def _on_disconnected(self, event: Occurrence) -> None:
        if self._open is None:
            self._bssid = event.fields["bssid"]
            self._begin(event.t_ns, "loss")

    def _begin(self, t_ns: int, cause: str) -> Handoff:
        handoff = self._open = Handoff(begin_ns=t_ns, cause=cause, from_bssid=self._bssid)
        self.done.append(handoff)
        return handoff


def _attribute(found: list[Handoff], asked: Sequence[tuple[int, str]]) -> None:
    """Assign events to handoffs: to the first handoff after each event and before the next event."""
    for (asked_ns, kind), after in zip_longest(asked, asked[1:]):
        for handoff in found:
            if handoff.begin_ns >= asked_ns and (after is None or handoff.begin_ns < after[0]):
                handoff.cause, handoff.asked_ns = kind, asked_ns
                break


class Downlink:
    """Times of data frames that a station received, from a capture on it (as Ethernet, or in monitor mode)."""

    def __init__(self, capture: pcap.PcapFile, mac: str, epoch_ns: int) -> None:
        """Select data frames for ``mac``: unicast IPv4 or IPv6, without EAPOL, ARP, DHCP and null frames.

        DHCP and neighbour discovery are distinguished from data only as Ethernet.
        """
        address = bytes.fromhex(mac.replace(":", ""))
        pick = {pcap.ETHERNET: _ethernet, pcap.RADIOTAP: _radiotap}.get(capture.link_type)
        frames = pick(capture, address) if pick else []
        self.t_ns = [stamp - epoch_ns for stamp, _ in frames]
        self._bits = [8 * length for _, length in frames]

    def last_until(self, t_ns: int) -> int | None:
        """Return the time of the last frame at or before ``t_ns``."""
        index = bisect_right(self.t_ns, t_ns)
        return self.t_ns[index - 1] if index else None

    def first_from(self, t_ns: int) -> int | None:
        """Return the time of the first frame at or after ``t_ns``."""
        index = bisect_left(self.t_ns, t_ns)
        return self.t_ns[index] if index < len(self.t_ns) else None

    def longest_gap(self, begin_ns: int, end_ns: int) -> int | None:
        """Return the longest time between consecutive frames from ``begin_ns`` to ``end_ns`` (inclusive)."""
        inside = self.t_ns[bisect_left(self.t_ns, begin_ns) : bisect_right(self.t_ns, end_ns)]
        return max((after - before for before, after in pairwise(inside)), default=None)

    def rate(self, name: str, begin_ns: int, end_ns: int, bin_ns: int) -> TimeSeries:
        """Return bit/s in each bin of a span (whole frames, as captured), at the end of the bin."""
        bins = [0] * ((end_ns - begin_ns) // bin_ns)
        first = bisect_left(self.t_ns, begin_ns)
        for index in range(first, bisect_left(self.t_ns, begin_ns + len(bins) * bin_ns)):
            bins[(self.t_ns[index] - begin_ns) // bin_ns] += self._bits[index]
        stamps = [begin_ns + (index + 1) * bin_ns for index in range(len(bins))]
        return TimeSeries(name, "bit/s", stamps, [bits * 1_000_000_000 / bin_ns for bits in bins])


def _ethernet(capture: pcap.PcapFile, address: bytes) -> list[tuple[int, int]]:
    """Return (time stamp, length) of each data frame of an Ethernet capture."""
    data = capture.data
    return [
        (stamp, length)
        for stamp, begin, length in zip(capture.stamp_ns, capture.offset, capture.length, strict=True)
        if data[begin : begin + 6] == address
        and data[begin + 12 : begin + 14] in (_IPV4, _IPV6)
        and not is_dhcp(head := data[begin : begin + _HEADERS])
        and not is_neighbour_discovery(head)
    ]


def _radiotap(capture: pcap.PcapFile, address: bytes) -> list[tuple[int, int]]:
    """Return the same of a monitor interface: radiotap, then 802.11 frames from the access point to the station."""
    found = []
    for (stamp, frame), length in zip(capture.frames(), capture.length, strict=True):
        begin = int.from_bytes(frame[2:4], "little")
        header = frame[begin : begin + 24]
        if len(header) < 24 or header[0] & _TYPE_MASK != _DATA_TYPE or header[0] & _NO_DATA:
            continue
        if not header[1] & _FROM_DS or header[4:10] != address:
            continue
        body = begin + 24 + (2 if header[0] & _QOS else 0)
        clear = frame[body : body + 6] == _SNAP and frame[body + 6 : body + 8] in (_IPV4, _IPV6)
        if clear or header[1] & _PROTECTED:
            found.append((stamp, length - begin))
    return found
