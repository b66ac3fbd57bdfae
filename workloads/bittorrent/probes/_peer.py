# SPDX-License-Identifier: MIT
"""What probes of clients have in common: the lines that their programs print."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from lab.probes.base import Parsed, Probe, Raw, TimeSeries, Transfer
from lab.probes.base.text import Json, documents

from ._results import Exchange
from ._text import time_ns

SECOND = 1_000_000_000
KBYTE = 8 * 1000  # bit: limits of clients are in kB/s
PORT = 51413
_SERIES = {"down": "downloaded", "up": "uploaded", "have": "have", "playable": "playable", "peers": "peers"}


class Peer(Probe):
    """A client of BitTorrent. A subclass sets what it runs."""

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``: a line for each look; one of them says that the download is complete."""
        parsed = Parsed(values={"complete": False, "size": 0, "wasted": 0, "error": ""})
        for number, document in documents(raw):
            line = Json(document, f"{raw.id}.out:{number}")
            t_ns = time_ns(line["t_s"]) - raw.epoch_ns
            for key, name in _SERIES.items():
                parsed.add(name, "peers" if key == "peers" else "B", t_ns, line[key].integer())
            parsed.values |= {key: line[key].integer() for key in ("size", "wasted")}
            parsed.values["error"] = line["error"].text() or parsed.values["error"]
            if "moves" in line:
                parsed.values["moves"] = line["moves"].integer()
            if "complete" in line:
                parsed.values |= {"complete": line["complete"].flag(), "sha256": line["sha256"].text()}
                parsed.values["completed_s"] = (t_ns - raw.started_ns) / SECOND
        parsed.values |= _playable(parsed)
        if parsed.series and not parsed.values["size"]:
            never = "the torrent's metadata never came from a peer"
            parsed.values["error"] = "; ".join(filter(None, (parsed.values["error"], never)))
        return parsed

    def found(self, raw: Raw, parsed: Parsed) -> Iterator[object]:
        """Yield the download, unless everything was there from the beginning, and what it exchanged."""
        down, up = (parsed.series_of(name) for name in ("downloaded", "uploaded"))
        if not down.values:
            return
        values = parsed.values
        if down.values[-1]:
            ended_s = values.get("completed_s", (down.t_ns[-1] - raw.started_ns) / SECOND)
            duration_ns = round(ended_s * SECOND)
            yield Transfer(raw.id, int(down.values[-1]), duration_ns, _rate(raw.id, down), complete=values["complete"])
        yield Exchange(raw.id, int(down.values[-1]), int(up.values[-1]), values["size"])


def _playable(parsed: Parsed) -> dict[str, float]:
    """Return how much could be played at the first look with a quarter, half and three quarters of the torrent."""
    looks = list(zip(parsed.series_of("have").values, parsed.series_of("playable").values, strict=True))
    size, found = parsed.values["size"], {}
    for share in (25, 50, 75):
        first = next((playable for have, playable in looks if size and 100 * have >= share * size), None)
        if first is not None:
            found[f"playable_{share}"] = 100 * first / size
    return found


def _rate(name: str, amount: TimeSeries) -> TimeSeries:
    """Return bit/s between consecutive looks, at the time of the later one."""
    rates = TimeSeries(name, "bit/s")
    for (before_ns, before), (t_ns, now) in pairwise(zip(amount.t_ns, amount.values, strict=True)):
        if t_ns > before_ns:
            rates.t_ns.append(t_ns)
            rates.values.append(8 * (now - before) * SECOND / (t_ns - before_ns))
    return rates
