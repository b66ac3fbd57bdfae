# SPDX-License-Identifier: MIT
"""Many radios on one medium: how long it takes to set all links between them, and how much memory those take.

    python -m bench.links [RADIOS …] [--heard N]

The guest's agent creates the radios, puts them on a medium of their own, and sets the links as it does for a topology.
With ``--heard``, only groups of N radios hear each other; between others, the SNR is -200 dB. Time is that of the host;
memory is that of its kernel.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench.day import kernel_kib
from bench.lab_runs import LAB
from bench.machine import load_average, machine
from bench.options import whole
from lab.errors import RunError
from tests.system.asking import asked, teach

LIMIT_RADIOS, LIMIT_S, LIMIT_MIB = 1000, 2.0, 300
TOPOLOGY = """\
name: links
memory: 5 GiB
medium: {}
nodes:
  ap1: {kind: ap, ssid: x, mode: a, channel: 36}
  sta1: {kind: sta, ssid: x}
"""
# What the agent executes. The clock of the guest stands still meanwhile: files say when, by the clock of the host.
SCRIPT = """
import json, sys
from lab.guest.medium.requests import LINKS_MOST, Request
from lab.guest.medium.uapi import FAMILY, VERSION, Attr as A, Command as C
from lab.guest.netlink.generic import Family, KernelSocket
from lab.guest.netlink.wire import attribute, text
from lab.shared.medium_types import MediumLink
from lab.shared.paths import RAW

NEW_RADIO, NAME = 4, 17  # HWSIM_CMD_NEW_RADIO, HWSIM_ATTR_RADIO_NAME
ID, CURVES = {A.ID: 2}, 15
MADE = 2  # radios of the topology, which have the first numbers
COUNT, HEARD = map(int, sys.argv[1:])
hwsim = Family("MAC80211_HWSIM", 1, KernelSocket())
medium = Family(FAMILY, VERSION, KernelSocket())

def encoded(requests):
    return [(request.command, request.payload()) for request in requests]

def new_radio(number):
    hwsim.send([(NEW_RADIO, attribute(NAME, text(f"bench{number}")))])
    return MADE + number

def gain_mb(one, other):
    return -9000 if not HEARD or one // HEARD == other // HEARD else -9000 - 20000 - 9400

def note_memory(noted=[]):
    noted.append(open("/proc/meminfo").read())
    return noted

note_memory()
radios = [new_radio(i) for i in range(COUNT)]
note_memory()
curve = ID | {A.START_MB: 0, A.STEP_MB: 10, A.HAZARDS: bytes(8)}
medium.send(encoded([Request(C.NEW, ID | {A.SEED: 1})]))
medium.send(encoded(Request(C.SET_CURVE, curve | {A.CURVE: i}) for i in range(CURVES)))
medium.send(encoded(Request(C.ADD_RADIO, ID | {A.RADIO: radio}) for radio in radios))
note_memory()
pairs = ((i, j) for i in range(COUNT) for j in range(COUNT) if i != j)
links = [MediumLink(radios[i], radios[j], gain_mb(i, j), 0, 0) for i, j in pairs]
parts = (links[i : i + LINKS_MOST] for i in range(0, len(links), LINKS_MOST))
setting = encoded(Request(C.SET_LINKS, ID | {A.LINK: part}) for part in parts)
del links
note_memory()
for name, requests in {
    "set": setting,
    "again": setting,
    "remove": encoded(Request(C.REMOVE_RADIO, {A.RADIO: radio}) for radio in radios),
}.items():
    (RAW / f"{name}.begin").touch()
    medium.send(requests)
    (RAW / f"{name}.end").touch()
    note_memory()
print(json.dumps(note_memory()))
"""


@dataclass(frozen=True)
class Measured:
    """One guest."""

    radio_kib: float  # of each radio of mac80211_hwsim
    attached_kib: float  # more for each radio on the medium
    links_mib: float
    set_s: float
    again_s: float
    remove_s: float


def measure(radios: int, heard: int) -> Measured:
    """Measure with that many radios.

    Raises:
        RunError: If the run failed.
    """
    with tempfile.TemporaryDirectory(prefix="bench-") as parent:
        place, work, out = (Path(parent) / name for name in ("topology.yaml", "workload.yaml", "run"))
        teach(Path(parent))
        place.write_text(TOPOLOGY)
        event = asked(SCRIPT, str(radios), str(heard))
        work.write_text(f"name: links\nduration: 2 s\ntimeline:\n  - {{at: 1 s, {event}}}\n")
        argv = [LAB, "run", str(place), str(work), "--out", str(out)]
        result = subprocess.run(argv, cwd=parent, capture_output=True, text=True, check=False)
        if result.returncode:
            raise RunError(f"the lab failed: {result.stderr.strip()}")
        raw = out / "raw"
        kib = [kernel_kib(meminfo) for meminfo in json.loads((raw / "asked").read_text())]
        set_s, again_s, remove_s = (
            (raw / f"{name}.end").stat().st_mtime - (raw / f"{name}.begin").stat().st_mtime
            for name in ("set", "again", "remove")
        )
    return Measured(
        radio_kib=(kib[1] - kib[0]) / radios,
        attached_kib=(kib[2] - kib[1]) / radios,
        links_mib=(kib[4] - kib[3]) / 1024,
        set_s=set_s,
        again_s=again_s,
        remove_s=remove_s,
    )


def main() -> int:
    """Measure and print; 1 if a run fails or a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.links", description=__doc__)
    parser.add_argument("radios", nargs="*", type=whole(2), default=[100, 300, 1000], metavar="RADIOS")
    parser.add_argument("--heard", type=whole(0), default=0, metavar="N", help="radios in a group (default: all)")
    chosen = parser.parse_args()
    print(f"{machine()}; {load_average()}")
    print("radios      links   set, s  again, s  remove, s  links, MiB  B a link  radio, KiB  on the medium, KiB")
    within = True
    for radios in chosen.radios:
        try:
            found = measure(radios, chosen.heard)
        except RunError as error:
            print(error, file=sys.stderr)
            return 1
        links = radios * (radios - 1)
        print(
            f"{radios:>6}{links:>11,}{found.set_s:>9.2f}{found.again_s:>10.2f}{found.remove_s:>11.2f}"
            f"{found.links_mib:>12.1f}{found.links_mib * 2**20 / links:>10.0f}{found.radio_kib:>12.0f}"
            f"{found.attached_kib:>20.1f}",
            flush=True,
        )
        within &= radios > LIMIT_RADIOS or (found.set_s <= LIMIT_S and found.links_mib <= LIMIT_MIB)
    if not within:
        print(f"limit missed: {LIMIT_RADIOS} radios, {LIMIT_S:g} s and {LIMIT_MIB} MiB at most", file=sys.stderr)
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
