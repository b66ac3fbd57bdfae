# SPDX-License-Identifier: MIT
"""Replace the address of an interface, again and again. Runs with the guest's Python.

    new_address.py SETTINGS    a JSON object, see the probe new-address

A line of JSON for each new address.
"""

from __future__ import annotations

import itertools
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any


def ip(*words: str) -> str:
    done = subprocess.run(("ip", "-4", *words), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"ip {' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def gateways(interface: str) -> list[list[str]]:
    """Return the routes by a gateway, which go with the last address."""
    return [line.split() for line in ip("route", "show", "dev", interface).splitlines() if " via " in f" {line} "]


def changes(settings: dict[str, Any]) -> Iterator[str]:
    """Yield each new address once the interface has it."""
    interface = settings["interface"]
    for number in itertools.count(1):
        if number > settings["times"] > 0:
            return
        time.sleep(settings["every_s"] - settings["without_s"])
        routes = gateways(interface)
        ip("address", "flush", "dev", interface, "scope", "global")
        time.sleep(settings["without_s"])
        address = settings["addresses"][number % len(settings["addresses"])]
        ip("address", "add", address, "dev", interface)
        for route in routes:
            ip("route", "replace", *route, "dev", interface)
        yield address


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))
    for address in changes(json.loads(sys.argv[1])):
        now_ns = time.time_ns()
        stamp = f"{now_ns // 10**9}.{now_ns % 10**9:09d}"
        print(json.dumps({"t_s": stamp, "address": address}), flush=True)
    while True:  # until it is ended
        signal.pause()


if __name__ == "__main__":
    main()
