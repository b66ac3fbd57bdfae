# SPDX-License-Identifier: MIT
"""Shows the medium of a plan as tables on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lab import units
from lab.numbers import count
from lab.shared.medium_types import Medium

Row = tuple[str, ...]
_MATRIX_MOST = 10  # radios; a larger matrix does not fit on a terminal


def describe(medium: Medium) -> Iterator[Row]:
    """Yield the medium's parameters: (name, value)."""
    yield "errors", f"{medium.errors}, {'in bursts' if medium.bursts else 'bit by bit'}"
    delay = ", with delay" if medium.propagation_delay else ""
    yield "propagation", _kind(medium.propagation) + delay
    for wall in medium.walls:
        yield "wall", f"{_plane(wall.from_m)} to {_plane(wall.to_m)}, {_db(wall.loss_db)}"
    yield "fading", _kind(medium.fading) if medium.fading else "none"
    if medium.fading_behind_walls:
        yield "behind walls", _kind(medium.fading_behind_walls)
    if medium.shadowing:
        deviation, distance = (medium.shadowing[key] for key in ("deviation_db", "decorrelation_m"))
        yield "shadowing", f"{_db(deviation)}, correlated over {distance:g} m, map {medium.shadowing['number']}"
    names = medium.names()
    for outage in medium.outages:
        between = " and ".join(names[number] for number in outage.between)
        begin, lasts = (units.DURATION.format(time) for time in (outage.begin_ns, outage.end_ns - outage.begin_ns))
        yield "outage", f"between {between} at {begin}, for {lasts}, {_db(outage.loss_db)}"
    radio = medium.radios[0]
    yield "noise", f"{radio.noise_mbm / 100:g} dBm in 20 MHz"
    clocks_ppm = sorted(radio.clock_ppb / 1000 for radio in medium.radios)
    yield "clocks", f"{clocks_ppm[0]:+.1f} to {clocks_ppm[-1]:+.1f} ppm"
    yield "energy detection", f"{radio.ed_mbm / 100:g} dBm"
    yield "capture", f"from {medium.capture_mb / 100:g} dB" if medium.capture_mb is not None else "none"
    yield "longest PPDU", units.DURATION.format(radio.max_ppdu_us * 1000)
    yield "attempts", str(radio.retries or "set by rate control")
    yield "latency of hosts", f"up to {units.DURATION.format(radio.latency_us * 1000)}" if radio.latency_us else "none"
    yield "statistics", f"every {units.DURATION.format(medium.statistics_ns)}"
    if medium.updates:
        first, last = (units.DURATION.format(update.at_ns) for update in (medium.updates[0], medium.updates[-1]))
        every = units.DURATION.format(medium.step_ns)
        yield "moves", f"{count(len(medium.updates), 'update')} from {first} to {last}, every {every} during a move"


def levels(medium: Medium) -> tuple[Row, Iterator[Row]]:
    """Return headings and rows of the initial SNR in dB: a matrix, or best and worst receivers if there are many."""
    names = medium.names()
    if len(names) > _MATRIX_MOST:
        return ("transmitter", "best receiver", "SNR", "worst receiver", "SNR"), _extremes(medium, names)
    return ("from / to", *names.values()), _matrix(medium, names)


def _matrix(medium: Medium, names: dict[int, str]) -> Iterator[Row]:
    levels = medium.levels(medium.links)
    found = {(link.transmitter, link.receiver): f"{snr_mb / 100:.1f}" for link, snr_mb in levels}
    for transmitter, name in names.items():
        yield name, *(found.get((transmitter, receiver), "") for receiver in names)


def _extremes(medium: Medium, names: dict[int, str]) -> Iterator[Row]:
    heard: dict[int, list[tuple[int, str]]] = {}
    for link, snr_mb in medium.levels(medium.links):
        heard.setdefault(link.transmitter, []).append((snr_mb, names[link.receiver]))
    for transmitter, others in heard.items():
        ends = (max(others, key=lambda other: other[0]), min(others, key=lambda other: other[0]))
        yield names[transmitter], *(cell for snr_mb, name in ends for cell in (name, f"{snr_mb / 100:.1f}"))


def _kind(params: dict[str, Any]) -> str:
    """Return a model of lab.phy with its parameters, whose names contain their units."""
    words = [str(params["model"])]
    for key, value in params.items():
        if key == "coherence_ns":
            holds = [units.DURATION.format(time_ns) if time_ns else "one frame" for time_ns in value]
            words.append(f"each level for {' or '.join(holds)}")
        elif key != "model":
            words.append(f"{key} {value:g}")
    return ", ".join(words)


def _plane(point_m: list[float]) -> str:
    return f"({', '.join(f'{x:g}' for x in point_m)}) m"


def _db(value: float) -> str:
    return f"{value:g} dB"
