# SPDX-License-Identifier: MIT
"""Rate control at each SNR from 5 to 30 dB, in each mode, band and width, compared with the best fixed rate.

    python -m tests.validation.rate_control --jobs 2

Trials are stored. tests/system/test_medium_rate_control.py has a few of these levels. docs/validation.md explains at
which levels minstrel_ht is far from the best: ``least`` is what that leaves of the goodput of the level before.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from lab.experiments.command import ReproduceOptions, reproduce

# from which SNR on a rate is the best one
OFDM = {5: "6 Mbit/s", 7: "12 Mbit/s", 10: "18 Mbit/s", 14: "24 Mbit/s", 17: "36 Mbit/s", 22: "48 Mbit/s"}
OFDM |= {23: "54 Mbit/s"}
HT20 = {5: "MCS 0", 7: "MCS 1", 10: "MCS 9", 13: "MCS 10", 17: "MCS 11", 20: "MCS 12", 25: "MCS 13", 26: "MCS 14"}
HT20 |= {27: "MCS 15"}
HT40 = {7: "MCS 0", 10: "MCS 1", 13: "MCS 9", 16: "MCS 10", 20: "MCS 11", 23: "MCS 12", 28: "MCS 13", 29: "MCS 14"}
HT40 |= {30: "MCS 15"}
MOST_DB = 30


@dataclass(frozen=True)
class Radio:
    """A mode, band and width."""

    keys: Mapping[str, str]  # of the access point
    best: Mapping[int, str]

    @property
    def levels(self) -> dict[int, str]:
        """The levels in dB at which anything arrives, each with its best fixed rate."""
        return {
            snr_db: self.best[max(known for known in self.best if known <= snr_db)]
            for snr_db in range(min(self.best), MOST_DB + 1)
        }


RADIOS = {
    "802.11a": Radio({"mode": "a", "channel": "36"}, OFDM),
    "802.11g": Radio({"mode": "g", "channel": "1"}, OFDM),
    "802.11n, 20 MHz": Radio({"mode": "n", "channel": "36"}, HT20),
    "802.11n, 2.4 GHz, 20 MHz": Radio({"mode": "n", "channel": "1"}, HT20),
    "802.11n, 40 MHz": Radio({"mode": "n", "channel": "36", "width": "40 MHz"}, HT40),
    "802.11n, 2.4 GHz, 40 MHz": Radio({"mode": "n", "channel": "1", "width": "40 MHz"}, HT40),
}


@dataclass(frozen=True)
class Level:
    """What arrived at an SNR."""

    snr_db: int
    best: str  # fixed rate
    controlled_mbps: float
    fixed_mbps: float

    @property
    def share(self) -> float:
        """The share of the best fixed rate that rate control reaches."""
        return self.controlled_mbps / self.fixed_mbps


def experiment(radio: Radio) -> str:
    """Return the experiment that measures a radio: at each level, free and with the best fixed rate."""
    lines = ["name: sweep", "topology: one-station", "workload: udp/saturate", "set:"]
    lines += [f"  nodes.ap1.{key}: {value}" for key, value in radio.keys.items()]
    lines += ["  workload.processes.load.run.buffer: 1 MB", "  workload.duration: 6 s"]
    lines += ["  workload.metrics.goodput.per: interval", "grid:", "  case:"]
    for snr_db, best in radio.levels.items():
        medium = f"medium: {{snr: [{{between: [ap1, sta1], is: {snr_db} dB}}]}}"
        lines += [
            f'    "{snr_db} dB": {{{medium}}}',
            f'    "{snr_db} dB, {best}": {{{medium}, nodes.sta1.rate: {best}}}',
        ]
    lines += ["metrics:", "  goodput: {that: median(goodput), unit: Mbit/s}"]  # of a second, so without the first
    return "\n".join(lines) + "\n"


def sweep(radio: Radio, jobs: int) -> Iterator[Level]:
    """Yield what arrives at each level."""
    with tempfile.TemporaryDirectory(prefix="rate-control-") as folder:
        path = Path(folder, "sweep.yaml")
        path.write_text(experiment(radio))
        found = reproduce(ReproduceOptions(str(path), out=Path(folder, "out"), jobs=jobs)).results
    goodput = {row.point.labels["case"]: row.metrics["goodput"].mean or 0.0 for row in found.rows}
    for snr_db, best in radio.levels.items():
        yield Level(snr_db, best, goodput[f"{snr_db} dB"], goodput[f"{snr_db} dB, {best}"])


# How far goodput falls where the next faster rate begins to carry something, if minstrel_ht's estimate decides


_BYTES, _ESTIMATED_BYTES = 1536, 1200  # of a frame; as minstrel_ht counts
_ACK_US = {6: 44, 9: 44, 12: 32, 18: 32, 24: 28, 36: 28, 48: 28, 54: 28}
_SLOT_US, _SIFS_US, _DIFS_US, _PREAMBLE_US, _SYMBOL_US = 9, 16, 34, 20, 4
_CERTAIN = 0.9  # minstrel_ht counts no rate as better
_ATTEMPTS = 10


def _frame_us(rate_mbps: int, size: int) -> int:
    return _PREAMBLE_US + _SYMBOL_US * math.ceil((22 + 8 * size) / (_SYMBOL_US * rate_mbps))


def _per_us(rate_mbps: int, lost: float) -> float:
    """Return frames per microsecond, if a share of attempts is lost: with contention, as it is."""
    exchange_us = _frame_us(rate_mbps, _BYTES) + _SIFS_US + _ACK_US[rate_mbps] + _DIFS_US
    waits_us = [_SLOT_US * min(16 * 2**attempt - 1, 1023) / 2 for attempt in range(_ATTEMPTS)]
    return float((1 - lost**_ATTEMPTS) / sum(lost**k * (exchange_us + wait_us) for k, wait_us in enumerate(waits_us)))


def least(slower_mbps: int, faster_mbps: int) -> float:
    """Return the least share of an OFDM rate's goodput that is left if minstrel_ht prefers the next faster rate."""
    estimated_us = [_ACK_US[6] + _SIFS_US + _frame_us(rate, _ESTIMATED_BYTES) for rate in (slower_mbps, faster_mbps)]
    lost = 1 - _CERTAIN * estimated_us[1] / estimated_us[0]
    return _per_us(faster_mbps, lost) / _per_us(slower_mbps, 0.0)


# In 802.11n, with A-MPDUs, contention and losses cost no more time than minstrel_ht counts: it prefers a faster rate if
# more than 90 % of the slower one's goodput are left. Seeds differ by 0.027 (standard deviation), and two are allowed.
LEAST_HT = 0.85


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="tests.validation.rate_control", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--only", choices=RADIOS, help="only this one")
    parser.add_argument("--jobs", type=int, default=1, help="guests at the same time (default 1)")
    options = parser.parse_args()
    for name in [options.only] if options.only else RADIOS:
        print(f"{name}\n   SNR  minstrel_ht     best  rate        share  of the most below")
        most_mbps = 0.0
        for level in sweep(RADIOS[name], options.jobs):
            most_mbps = most_mbps or level.controlled_mbps
            print(
                f"{level.snr_db:3} dB  {level.controlled_mbps:11.2f}  {level.fixed_mbps:7.2f}  {level.best:10}  "
                f"{level.share:5.3f}  {level.controlled_mbps / most_mbps:5.3f}"
            )
            most_mbps = max(most_mbps, level.controlled_mbps)


if __name__ == "__main__":
    main()
