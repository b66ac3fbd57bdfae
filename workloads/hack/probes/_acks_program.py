# SPDX-License-Identifier: MIT
"""The program of hack-acks, which runs in a node: ``python3 hack_acks.py INTERFACE EVERY_NS PART``.

PART is the stack's MediumPart as JSON.

A node has a network namespace of its own, but the kernel's medium answers in every one, and root in a node is the
guest's root. Only the radio's number has to be found: sysfs has it. What talks to the kernel is the lab's own code for
the guest, so counters have the names that raw/medium.json has.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lab.guest.errors import GuestError
from lab.guest.medium import counters
from lab.guest.medium.requests import ID
from lab.guest.medium.uapi import FAMILY, VERSION, Attr, Command, encoded
from lab.guest.netlink.generic import Family, KernelSocket
from lab.guest.netlink.wire import u32
from lab.shared.frozen import built
from lab.shared.medium_types import MediumPart

SECOND = 1_000_000_000
INTERFACES = Path("/sys/class/net")


def radio_of(interface: str, interfaces: Path = INTERFACES) -> int:
    """Return the number of the mac80211_hwsim radio behind an interface."""
    device = (interfaces / interface / "device").readlink().name
    return int(device.removeprefix("hwsim"))


def pairs(family: Family, radio: int, part: MediumPart) -> list[dict[str, Any]]:
    """Return what became of the TCP ACKs of a radio and each of its peers."""
    answers = family.dump(Command.GET_PEER, encoded(Attr.ID, ID))
    own = [answer for answer in answers if answer.get(Attr.RADIO) == u32(radio)]
    found = counters.peers(own, {radio: ""}, part)
    return [{"peer": pair.peer, "sent": pair.counts["sent"], "received": pair.counts["received"]} for pair in found]


def sample(read: Callable[[], list[dict[str, Any]]], every_ns: int) -> None:
    """Print what ``read`` returns, now and every ``every_ns``, a line each, until SIGINT ends it."""
    due_ns = time.time_ns()
    while True:
        t_ns = time.time_ns()
        line = {"t_s": f"{t_ns // SECOND}.{t_ns % SECOND:09d}", "pairs": read()}
        print(json.dumps(line), flush=True)
        due_ns += every_ns
        time.sleep(max(0, due_ns - time.time_ns()) / SECOND)


def main(interface: str, every_ns: str, part: str) -> None:
    """Sample the radio behind an interface; the message of a failure goes to stderr."""
    try:
        family, radio = Family(FAMILY, VERSION, KernelSocket()), radio_of(interface)
        known = built(MediumPart, json.loads(part))
        sample(lambda: pairs(family, radio, known), int(every_ns))
    except KeyboardInterrupt:
        pass
    except GuestError as error:
        sys.exit(f"hack-acks: {error.message}")


if __name__ == "__main__":
    main(*sys.argv[1:])
