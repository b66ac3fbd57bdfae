# SPDX-License-Identifier: MIT
"""Generate docs/validation.md and its figures from the rows of docs/validation.json and from lab.phy."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

import numpy as np

from lab.drawing import lay_out, svg
from lab.drawing.figure import Figure, Panel
from lab.drawing.marks import Line
from lab.phy.curves import NAMED
from lab.phy.error_models.nist import Nist
from lab.phy.error_rates import per
from tests.validation.rows import ROOT, Row


@dataclass(frozen=True)
class Table:
    """A table of the document: the rows with its key.

    ``peer`` is another emulator, whose figures get a column.
    """

    key: str
    title: str
    about: str
    peer: str = ""


TABLES = (
    Table(
        "bianchi",
        "Saturation throughput",
        "Every station always has data to send: UDP from real sockets. The medium counts the frames; the time of "
        "beacons is excluded. Reference: Bianchi's model with the corrections of ns-3's `wifi-bianchi`, where "
        "stations that heard a collision wait for DIFS (first figure) or for EIFS (second). At 54 Mbit/s, that EIFS is "
        "78 µs, with an ACK at 24 Mbit/s. The standard's, and the lab's, is 94 µs, with an ACK at 6 Mbit/s; in the "
        "model, that costs another 1 % with 10 stations and 1.7 % with 50. Mode g has OFDM basic rates here. By "
        "default, it has those of 802.11b, and EIFS is 254 µs longer: see [the comparison with "
        "Mininet-WiFi](#compared-with-mininet-wifi).",
    ),
    Table(
        "dcf",
        "Saturation throughput, simulated",
        "The same runs. Reference: a simulation of DCF, backoff by backoff (`tests/system/dcf.py`), which shares no "
        "code with the medium. It has what Bianchi's model leaves out: EIFS with an ACK at the lowest mandatory rate, "
        "ACK timeouts, and the time until a transmission is detected.",
    ),
    Table(
        "edca",
        "Access categories, simulated",
        "Saturated stations of mode a at 54 Mbit/s, each with frames of one access category, one frame a TXOP; the sum "
        "of each category. Reference: a simulation of EDCA, backoff by backoff (`tests/system/edca.py`), which shares "
        "no code with the medium. The tolerance is three standard deviations of five runs of a minute, at least 1 %.",
    ),
    Table(
        "ht-rates",
        "802.11n, one saturated sender",
        "20 MHz, long guard interval, A-MPDU, UDP payload. Reference: ns-3.",
    ),
    Table(
        "rate-control",
        "Rate control on weak and good links",
        "Goodput of a saturated download over UDP with minstrel_ht, as a share of that with the best fixed rate, at "
        "the SNR of the row, without fading. The levels lie between those at which the next faster rate begins to "
        "carry something. There, minstrel_ht changes between both rates, its share is lower, and goodput falls "
        "although the SNR rises: the rows with two levels compare goodput at both. The slower rate loses nothing "
        "there, but minstrel_ht counts no rate as better than 90 %, and of the time of a frame neither contention nor "
        "the longer one after a loss. So it prefers a faster OFDM rate that loses up to 18 % (48 to 54 Mbit/s) or 38 "
        "% (6 to 9 Mbit/s), where 7 % and 29 % make it slower. That may leave 0.80 from 36 to 48 Mbit/s, the limit of "
        "these rows, and 0.75 from 24 to 36 Mbit/s. In mode n, A-MPDUs make contention short, and 0.9 is left; seeds "
        "differ by 0.027 (standard deviation), and two are allowed. `python -m tests.validation.rate_control` "
        "measures an upload at every level from 5 to 30 dB. The lowest shares are 0.84 in mode a (13 dB), 0.86 in "
        "mode g (6 and 13 dB), and in mode n 0.83 at 20 MHz (19 dB) and 0.86 at 40 MHz (19 and 28 dB). Goodput falls, "
        "compared with the most at a lower level, in mode a at 13 dB (to 0.87), 16 dB (0.91) and 21 dB (0.88); in "
        "mode g at the same levels (0.91, 0.93, 0.92); in mode n, 5 and 2.4 GHz, with 20 MHz at 16 dB (0.88, 0.94), "
        "19 dB (0.89, 0.86) and 24 dB (0.92, 0.93), with 40 MHz at 19 dB (0.89, 0.93) and 27 dB (0.90, 0.89); "
        "elsewhere by 5 % at most. Below 7 dB, a 40 MHz network sends frames of 20 MHz. Probes explain what is "
        "missing at 8 dB in mode a: minstrel_ht sends 40 frames a second at faster rates, all of which fail and take "
        "3.5 % of the time. mac80211 repeats each of them at the second-best rate, 9 Mbit/s, which takes another 1.3 "
        "%; at 12 Mbit/s, the share would be 0.965. Mode g also tries 802.11b's rates: at 6 dB, frames at 5.5 and 11 "
        "Mbit/s take 14 % of the time of all data.",
    ),
    Table(
        "ns-3",
        "Compared with ns-3",
        "Saturated stations that send UDP to an access point, IP packets of 1500 bytes (802.11n: their UDP payload). "
        "For hidden stations, the sum of both, unless one is named. Reference: ns-3 3.37, by `python -m "
        "bench.ns3.cases`, which explains the settings. In the mixed cell, an 802.11b station with slots of 20 µs has "
        "joined a network of mode g. Of two hidden stations of 802.11n, one wins nearly always; in ns-3, they change "
        "places now and then, so that its sums differ by seed.",
    ),
    Table(
        "errors",
        "Damaged frames",
        "Share of frames with a wrong FCS, for frames of 1458 bytes at the signal-to-noise ratio where the NIST model "
        "has a packet error rate of 10 %. Reference: the ratios in ns-3's own tests.",
    ),
    Table(
        "fading",
        "Fading, and other error models",
        "Share of frames that were not received correctly, for frames of 1464 bytes at 54 Mbit/s in mode a. Expected "
        "under fading: NIST's curve over the distribution of levels, by numerical integration; with Yans and a "
        "table: their own curves. Chance exceeds the tolerance once in a thousand times. The last row is the share of "
        "first retries that are lost if a level lasts for 31 ms, the default.",
    ),
    Table(
        "clocks",
        "Clocks",
        "Drift of the TSF in the beacons of two access points, compared with real time. Expected: the value drawn "
        "for each, uniformly from ±100 ppm.",
    ),
    Table(
        "delay",
        "Propagation delay",
        "A saturated station at some distance, with the signal of a near one. Expected: Bianchi's model, with the time "
        "there and back in each exchange.",
    ),
    Table("papers", "Figures from papers", "Published numbers, reproduced with real programs."),
    Table(
        "mininet-wifi",
        "Compared with Mininet-WiFi",
        "Mininet-WiFi 2.7 with wmediumd, measured once, in a guest like the lab's, when the lab was designed. Its "
        "medium does not charge air time for ACKs, the first backoff and collisions. Expected values of the lab: for "
        "throughput, a simulation of DCF (`tests/system/dcf.py`; ACKs at 24 Mbit/s, and EIFS for 1 Mbit/s, since "
        "stations of mode g have 802.11b's rates, too); for damaged frames, NIST's curve; otherwise, the lab's "
        "goals. Times are virtual; wall times are in [benchmarks](benchmarks.md#compared-with-mininet-wifi).",
        peer="Mininet-WiFi",
    ),
    Table(
        "phenomena",
        "Known phenomena",
        "Effects that every textbook on 802.11 describes; see [phenomena](phenomena.md). The limits are this medium's "
        "own, not a source's. Those of a network in the secondary channel were 0.85 to 0.95 until 26 November 2026, "
        "and were changed after 0.848 had been measured: stations there now notice the preambles of frames of 40 MHz "
        "(0.85 instead of 0.90, with 20 µs from host to radio), and hosts take up to 100 µs.",
    ),
)
_POINT = re.compile(r"(?P<phy>802\.11\S+ [\d.]+ Mbit/s), (?P<n>\d+) stations?")


def render(rows: list[Row]) -> str:
    """Return the document."""
    unknown = {row.table for row in rows} - {table.key for table in TABLES}
    if unknown:
        raise ValueError(f"docs/validation.json has rows of unknown tables: {', '.join(sorted(unknown))}")
    parts = [_HEAD]
    for table in TABLES:
        mine = [row for row in rows if row.table == table.key]
        if mine:
            parts.append(_table(table, mine))
    parts.append(_ERRORS)
    return "\n".join(parts)


_HEAD = """\
<!-- SPDX-License-Identifier: MIT -->
<!-- Made by `make validation` from what the tests measured (validation.json): change tests/validation, not this. -->
# Validation

Measured behaviour of the lab, with real frames, compared with references. Each row is a test that boots the guest; it
fails if the value is outside its tolerance. `make docs` and `make nightly` run all of them, `make test` a few of each
table. The same plan and seed give the same result on every machine, so you get the same digits; `make docs` compares
them. Each table names its tests. To measure some of the rows again, such as those of [clocks](#clocks), and list what
differs:

```sh
.venv/bin/python -m tests.validation --compare tests/system/test_medium_clocks.py      # or with -k, as for pytest
```
"""

_ERRORS = """\
## Error models

Packet error rate of 1458 bytes over SNR, as `lab/phy` computes it and the kernel draws it (20 MHz, no fading; the
preamble is drawn separately).

![Packet error rate over SNR](images/validation-errors.svg)
"""


def _table(table: Table, rows: list[Row]) -> str:
    tests = ", ".join(f"`{path}`" for path in measuring(table.key))
    about = f"{table.about} Measured by {tests}."
    about = textwrap.fill(about, 120, break_long_words=False, break_on_hyphens=False)
    lines = [f"## {table.title}", "", about, ""]
    if table.key == "bianchi":
        lines += ["![Throughput over the number of stations](images/validation-bianchi.svg)", ""]
    column, line = (f" {table.peer} |", "---:|") if table.peer else ("", "")
    lines += [f"| |{column} measured | expected | unit |", f"|---|{line}---:|---:|---|"]
    for row in rows:
        peer = f" {row.peer} |" if table.peer else ""
        lines.append(f"| {row.name} |{peer} {row.value:g} | {row.expected()} | {row.unit} |")
    return "\n".join(lines) + "\n"


def measuring(key: str) -> list[str]:
    """Return the test files that record rows of a table."""
    files = {path: path.read_text() for path in sorted((ROOT / "tests" / "system").glob("test_*.py"))}
    return [
        path.relative_to(ROOT).as_posix()
        for path, text in files.items()
        if re.search(r"^from tests\.validation\.rows import", text, re.MULTILINE) and f'"{key}"' in text
    ]


def figures(rows: list[Row]) -> dict[str, str]:
    """Return the SVG figures by file name in docs/images."""
    made = {"validation-errors.svg": svg(lay_out(_error_figure()), standalone=True)}
    points = [(match, row) for row in rows if row.table == "bianchi" and (match := _POINT.fullmatch(row.name))]
    if points:
        made["validation-bianchi.svg"] = svg(lay_out(_bianchi_figure(points)), standalone=True)
    return made


def _bianchi_figure(points: list[tuple[re.Match[str], Row]]) -> Figure:
    panels = []
    for phy in dict.fromkeys(match["phy"] for match, _ in points):
        mine = sorted((int(match["n"]), row) for match, row in points if match["phy"] == phy)
        stations = [float(n) for n, _ in mine]
        lines = [
            Line("model, DIFS", stations, [row.references[0] for _, row in mine], 0),
            Line("model, EIFS", stations, [row.references[-1] for _, row in mine], 1),
            Line("lab", stations, [row.value for _, row in mine], 2, dots=True),
        ]
        panels.append(Panel("stations", "Mbit/s", (0.0, max(stations) + 1), phy, lines))
    return Figure(
        "validation-bianchi",
        "The lab's stations share the channel as Bianchi's model says",
        "Saturation throughput over the number of stations.",
        panels,
        [("model, DIFS after a collision", 0), ("model, EIFS after a collision", 1), ("lab", 2)],
    )


_FRAME_BITS = 1458 * 8  # the frame of ns-3's spot values
_SHOWN = (("6 Mbit/s", "bpsk-1/2"), ("12 Mbit/s", "qpsk-1/2"), ("24 Mbit/s", "16qam-1/2"), ("54 Mbit/s", "64qam-3/4"))


def _error_figure() -> Figure:
    snr_db = np.arange(-2.0, 28.01, 0.25)
    lines = []
    for number, (label, curve) in enumerate(_SHOWN):
        lost = per(Nist(), NAMED[curve], snr_db, _FRAME_BITS)
        lines.append(Line(label, [float(x) for x in snr_db], [float(y) for y in lost], number))
    return Figure(
        "validation-errors",
        "Each rate works from a certain SNR on",
        "Packet error rate of 1458 bytes over SNR, NIST's model.",
        [Panel("SNR, dB", "packet error rate", (-2.0, 28.0), "", lines)],
        [(label, number) for number, (label, _) in enumerate(_SHOWN)],
    )
