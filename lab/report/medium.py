# SPDX-License-Identifier: MIT
"""The medium in a report: use of air time, outcome of frames, and fairness between stations.

Jain's index of n amounts is the square of their sum over n times the sum of their squares: 1 where all are equal,
1/n where one has all (Jain, Chiu and Hawe, DEC-TR-301, 1984).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any

from lab.drawing import Figure, Line, Panel
from lab.model import channels
from lab.numbers import plain, size
from lab.record.record import Record
from lab.shared.frozen import data
from lab.shared.medium_types import ChannelSpans, OnAir
from lab.shared.types import ACCESS_CATEGORIES
from lab.tables import Column, Table
from lab.views.parts.lines import run_range

_SECOND = 1_000_000_000
_PANELS_AT_MOST = 3
_HEIGHT = 240
# uses of a channel's time, as in lab.guest.medium.uapi, with their names; idle is last
USES = {
    "data": "data",
    "mgmt": "management",
    "control": "control",
    "ifs": "interframe space",
    "backoff": "backoff",
    "overlap": "overlap",
    "energy": "energy of other channels",
    "idle": "idle",
}
_COLOURS = {use: colour for colour, use in enumerate(use for use in USES if use != "idle")}
_COUNTS = {
    "sent": "sent",
    "retries": "retries",
    "repeated": "sent more than once",
    "delivered": "delivered",
    "damaged": "damaged",
    "collided": "collided",
    "lost": "lost",
    "header": "header wrong",
    "away": "receiver away",
    "acked": "acked",
    "dropped": "dropped",
    "approximate": "accepted damaged",
}
_ALWAYS = {"sent", "delivered", "acked"}  # counts whose columns a page shows even if they are 0
_CATEGORIES = {short: name.replace("_", " ") for name, short in ACCESS_CATEGORIES.items()}


def tables(record: Record) -> Iterator[Table]:
    """Yield all tables of the medium."""
    if record.medium is not None:
        yield _airtime(record.medium)
        yield _frames(record, record.medium)
        yield _categories(record.medium)
        yield _fairness(record)


def _name(frequency_mhz: int) -> str:
    return f"{channels.number(frequency_mhz)} ({frequency_mhz} MHz)"


def shares(air_ns: Mapping[str, int]) -> dict[str, float]:
    """Return the percentage of a channel's time that each use takes; empty if there is no time."""
    total = sum(air_ns.values())
    return {use: 100 * air_ns[use] / total for use in air_ns} if total else {}


def _airtime(medium: OnAir) -> Table:
    rows = []
    for channel in medium.channels:
        found = shares({use: sum(spans) for use, spans in channel.air_ns.items()})
        if found and found["idle"] < 100:  # other channels were only scanned, before the run
            rows.append({"channel": _name(channel.frequency_mhz), **found})
    several = len(rows) > 1
    columns = [Column("channel", "channel", number=False)]
    columns += [Column(use, title, "%", 3, rare=use == "energy", possible=several) for use, title in USES.items()]
    return Table("airtime", "Air time of each channel, %", columns, rows, "%")


def _frames(record: Record, medium: OnAir) -> Table:
    columns = [Column("from", "from", number=False), Column("to", "to", number=False)]
    columns.append(Column("category", "access category", number=False))
    columns += [Column(key, title, digits=12, rare=key not in _ALWAYS) for key, title in _COUNTS.items()]
    columns.append(Column("bytes", "bytes delivered", digits=20))
    order = {node.name: node.index for node in record.plan.nodes}
    rows = [
        {"from": link.sender, "to": link.receiver, "category": title, **data(counts)}
        for link in medium.links
        for key, title in _CATEGORIES.items()
        if (counts := link.categories.get(key)) and (counts.sent or counts.dropped)
    ]
    rows.sort(key=lambda row: (order.get(row["from"], 0), order.get(row["to"], 0)))
    title = (
        "Frames between radios (MPDUs, each attempt: "
        "sent = delivered + damaged + collided + lost + header wrong + receiver away)"
    )
    return Table("frames", title, columns, rows, in_terminal=False)


def _categories(medium: OnAir) -> Table:
    columns = [
        Column("node", "radio of", number=False),
        Column("category", "access category", number=False),
        Column("attempts", "attempts", digits=12),
        Column("successes", "successes", digits=12),
        Column("inside", "lost to another category", digits=12),
        Column("rts_unanswered", "RTS unanswered", digits=12, rare=True),
        Column("bar_unanswered", "BlockAckReq unanswered", digits=12, rare=True),
        Column("air_s", "air time", "s"),
    ]
    rows = [
        {"node": radio.node, "category": title, **data(counts), "air_s": counts.air_ns / _SECOND}
        for radio in medium.radios
        for key, title in _CATEGORIES.items()
        if (counts := radio.categories[key]).attempts
    ]
    title = "Access to the medium by category (beacons and group frames are not acknowledged: attempts only)"
    return Table("access-categories", title, columns, rows, in_terminal=False)


# of all bytes: a direction with less has no flow, only ARP and such; of all attempts in a direction: so has a station
_FLOW_SHARE = 0.01


def jain(amounts: Sequence[float]) -> float | None:
    """Return Jain's fairness index; None if there is nothing to share."""
    squares = math.fsum(amount * amount for amount in amounts)
    return math.fsum(amounts) ** 2 / (len(amounts) * squares) if squares else None


def _fairness(record: Record) -> Table:
    columns = [
        Column("direction", "direction", number=False),
        Column("stations", "stations"),
        Column("jain", "Jain's index", digits=3),
        Column("least", "least", show=size),
        Column("most", "most", show=size),
    ]
    return Table("fairness", "Fairness: bytes delivered", columns, list(_shared(record)), in_terminal=False)


def _shared(record: Record) -> Iterator[dict[str, Any]]:
    """Yield how evenly bytes are shared among stations, for each direction with flows of several.

    A station that tries and gets nothing has a flow; one that hardly sends has none.
    """
    stations = [node.name for node in record.plan.nodes if node.kind == "sta"]
    if record.medium is None or len(stations) < 2:
        return
    shared = {end: dict.fromkeys(stations, 0) for end in ("to", "from")}
    attempts = {end: dict.fromkeys(stations, 0) for end in ("to", "from")}
    for link in record.medium.links:
        for end, name in (("to", link.receiver), ("from", link.sender)):
            if name in shared[end]:
                shared[end][name] += link.total.bytes
                attempts[end][name] += link.total.sent
    least_bytes = _FLOW_SHARE * sum(sum(amounts.values()) for amounts in shared.values())
    for end, amounts in shared.items():
        least_attempts = _FLOW_SHARE * sum(attempts[end].values())
        flows = sum(number > least_attempts for number in attempts[end].values())
        if sum(amounts.values()) < least_bytes or flows < 2:
            continue
        index = jain(list(amounts.values()))
        if index is not None:
            least, most = min(amounts.values()), max(amounts.values())
            yield {
                "direction": f"{end} stations",
                "stations": len(stations),
                "jain": index,
                "least": least,
                "most": most,
                "bytes": amounts,
            }


def fairness_line(record: Record) -> str | None:
    """Return the fairness as a line for a terminal; None if there is no value."""
    indices = [f"{plain(row['jain'], 3)} {row['direction']}" for row in _shared(record)]
    return f"Fairness (Jain's index of bytes delivered): {', '.join(indices)}" if indices else None


def figures(record: Record) -> Iterator[Figure]:
    """Yield a figure of air time over the run, with a panel for each of the busiest channels."""
    if record.medium is None or len(record.medium.t_ns) < 2:
        return
    busy = sorted(record.medium.channels, key=_busy, reverse=True)
    shown = sorted((channel for channel in busy[:_PANELS_AT_MOST] if _busy(channel)), key=_frequency)
    if not shown:
        return
    times = [t_ns / _SECOND for t_ns in record.medium.t_ns]
    panels = [_panel(channel, times, run_range(record)) for channel in shown]
    used = [use for use in _COLOURS if any(any(channel.air_ns.get(use, ())) for channel in shown)]
    title = f"Channel {_name(busy[0].frequency_mhz)} is idle {plain(100 - 100 * _busy(busy[0]), 3)} % of the time"
    about = "use of each channel's time in each interval; blank: idle"
    used_ones = sum(_busy(channel) > 0 for channel in busy)
    if used_ones > len(shown):
        about += f"; the {len(shown)} busiest of {used_ones} channels, the table of air time has all"
    legend = [(USES[use], _COLOURS[use]) for use in used]
    yield Figure("airtime", title, about, panels, legend, height=_HEIGHT, stacked=True)


def _frequency(channel: ChannelSpans) -> int:
    return channel.frequency_mhz


def _busy(channel: ChannelSpans) -> float:
    """Return the share of the time that is not idle, from 0 to 1."""
    found = shares({use: sum(spans) for use, spans in channel.air_ns.items()})
    return (100 - found["idle"]) / 100 if found else 0.0


def _panel(channel: ChannelSpans, times: list[float], x_range: tuple[float, float]) -> Panel:
    """Return stacked shares of each interval; the top one is drawn first, and the lower ones cover it."""
    spans = [shares({use: values[index] for use, values in channel.air_ns.items()}) for index in range(len(times) - 1)]
    piles = [list(accumulate(span.get(use, 0.0) for use in _COLOURS)) for span in spans]
    lines = []
    for use, number in reversed(_COLOURS.items()):
        if use not in channel.air_ns:  # an older record
            continue
        heights = [pile[number] for pile in piles]
        lines.append(Line(USES[use], times, [heights[0], *heights], number, step=True, solid=True))
    return Panel(
        x_label="virtual time, s",
        y_label="air time, %",
        x_range=x_range,
        title=f"channel {_name(channel.frequency_mhz)}",
        lines=lines,
        y_most=100.0,
    )
