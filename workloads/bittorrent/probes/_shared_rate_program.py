# SPDX-License-Identifier: MIT
"""Let both directions through an access point share one rate and one queue. Runs with the guest's Python.

    shared_rate.py SETTINGS    a JSON object, see the probe shared-rate

IPv4 packets that come in by any port of the bridge go through one intermediate device with a token bucket, and then
on as before. A line of JSON for each look, and one at the end.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

DEVICE = "shared"


def command(*words: str) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def ports() -> list[str]:
    """Return the ports of this node's bridges."""
    found = sorted(path.parent.name for path in Path("/sys/class/net").glob("*/brport"))
    if not found:
        sys.exit("no port of a bridge is on this node: shared-rate belongs on an access point")
    return found


def build(rate_bit_s: int, queue: int) -> None:
    """Two packets of 1500 bytes are the burst: as little as a token bucket needs, and longer ones are cut."""
    command("ip", "link", "add", DEVICE, "numtxqueues", "1", "type", "ifb")
    command("ip", "link", "set", DEVICE, "up")
    bucket = ("tbf", "rate", f"{rate_bit_s}bit", "burst", "3000", "limit", str(2**30))
    command("tc", "qdisc", "add", "dev", DEVICE, "root", "handle", "1:", *bucket)
    command("tc", "qdisc", "add", "dev", DEVICE, "parent", "1:1", "handle", "2:", "pfifo", "limit", str(queue))
    to_device = ("matchall", "action", "mirred", "egress", "redirect", "dev", DEVICE)
    for port in ports():
        command("tc", "qdisc", "add", "dev", port, "clsact")
        command("tc", "filter", "add", "dev", port, "ingress", "protocol", "ip", *to_device)


def look() -> None:
    now_ns = time.time_ns()
    queues: list[dict[str, Any]] = json.loads(command("tc", "-s", "-j", "qdisc", "show", "dev", DEVICE))
    bucket, queue = (next(one for one in queues if one["kind"] == kind) for kind in ("tbf", "pfifo"))
    counts = {"packets": bucket["packets"], "bytes": bucket["bytes"], "lost": queue["drops"], "queued": queue["qlen"]}
    print(json.dumps({"t_s": f"{now_ns // 10**9}.{now_ns % 10**9:09d}", **counts}), flush=True)


def main() -> int:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    settings = json.loads(sys.argv[1])
    build(settings["rate_bit_s"], settings["queue"])
    try:
        while True:
            look()
            time.sleep(settings["every_s"])
    except KeyboardInterrupt:
        look()
    return 0


if __name__ == "__main__":
    sys.exit(main())
