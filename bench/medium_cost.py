# SPDX-License-Identifier: MIT
"""The cost of the 802.11 medium in wall time: a download over radios, compared with veth pairs and tc/netem.

The wired run has a switch instead of the access point, and netem gives each station the rate that it had by radio.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from dataclasses import replace
from itertools import product

from bench.lab_runs import Times, finished
from bench.loads import Load
from bench.machine import load_average, machine
from bench.options import add_seconds, add_times, whole
from bench.places import PHYS, behind_access_point, behind_switch
from lab.errors import LabError

UDP_OVERLOAD = 1.2  # of the channel's capacity
# bytes of payload in an Ethernet frame of 1514 B; netem counts whole frames
PAYLOAD_BYTES = {"tcp": 1448, "udp": 1472}
FRAME_BYTES = 1514
QUEUE_PACKETS = 200  # at the switch, for all stations; a queue of about one second at 11b is too long for TCP
MOST = 2.0
MODES = ("11b-11", "11a-54", "11n-150")
HEAD = (
    f"{'':<18}{'goodput, Mbit/s':^18}  {'load, wall s':^25}{'lab run, wall s':^25}\n"
    f"{'mode, stations':<18}{'netem':>9}{'medium':>9}  {'netem':>9}{'medium':>8}{'ratio':>7}"
    f"{'netem':>10}{'medium':>8}{'ratio':>7}"
)


def once(topology: str, load: Load, seed: int) -> tuple[float, Times]:
    """Return the total goodput and the times of one run."""
    with finished(topology, load.text(), seed) as (run, times):
        return sum(load.goodput_mbps(run)), times


def wired(load: Load, transport: str, goodput_mbps: float) -> tuple[str, Load]:
    """Return the same load over links that carry this goodput."""
    rate = f"{goodput_mbps / load.stations * FRAME_BYTES / PAYLOAD_BYTES[transport]:.5f} Mbit/s"
    limit = f"{max(10, QUEUE_PACKETS // load.stations)} packets"
    return behind_switch(load.stations, rate, limit), replace(load)


def compare(mode: str, transport: str, stations: int, times: int, seconds: int) -> bool:
    """Measure both alternately, print a line; return whether the medium stays within its limit.

    Raises:
        RunError: If a run failed.
    """
    phy = PHYS[mode]
    load = Load(stations, seconds, None if transport == "tcp" else UDP_OVERLOAD * phy.capacity_mbps)
    radio, cable = [], []
    for seed in range(1, times + 1):
        radio.append(once(behind_access_point(phy, stations), load, seed))
        cable.append(once(*wired(load, transport, radio[-1][0]), seed))
    goodputs = [statistics.median(mbps for mbps, _ in runs) for runs in (cable, radio)]
    loads = [statistics.median(each.load_s for _, each in runs) for runs in (cable, radio)]
    wholes = [statistics.median(each.whole_s for _, each in runs) for runs in (cable, radio)]
    over = loads[1] > MOST * loads[0]
    print(
        f"{f'{mode} {transport} {stations}':<18}{goodputs[0]:>9.2f}{goodputs[1]:>9.2f}  "
        f"{loads[0]:>9.2f}{loads[1]:>8.2f}{loads[1] / loads[0]:>7.2f}"
        f"{wholes[0]:>10.2f}{wholes[1]:>8.2f}{wholes[1] / wholes[0]:>7.2f}{'  OVER' if over else ''}",
        flush=True,
    )
    return not over


def main() -> int:
    """Measure, print, and fail if the medium costs more than twice the time."""
    parser = argparse.ArgumentParser(prog="python -m bench.medium_cost", description=__doc__)
    add_times(parser)
    add_seconds(parser)
    parser.add_argument("--modes", nargs="+", default=MODES, choices=MODES)
    parser.add_argument("--transports", nargs="+", default=tuple(PAYLOAD_BYTES), choices=tuple(PAYLOAD_BYTES))
    parser.add_argument("--stations", nargs="+", type=whole(1), default=[1, 10])
    chosen = parser.parse_args()
    print(f"{machine()}; {load_average()}")
    print(f"{chosen.seconds} s of load, medians of {chosen.times} alternating runs of each")
    print("load: from start to end of the load. lab run: the whole command. ratio: medium to netem.")
    print(HEAD, flush=True)
    well = True
    for mode, transport, stations in product(chosen.modes, chosen.transports, chosen.stations):
        try:
            well &= compare(mode, transport, stations, chosen.times, chosen.seconds)
        except LabError as error:
            print(f"{mode} {transport} {stations}: {error}", flush=True)
            well = False
    print(load_average())
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
