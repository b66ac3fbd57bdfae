# SPDX-License-Identifier: MIT
"""Lose packets that an access point forwards as random bit errors would. Runs with the guest's Python.

    bit_errors.py BER EVERY-S

A packet of n bytes of IP is lost with the probability 1 - (1 - BER)^(8 n). For n, the middle of eight lengths is taken,
since nftables compares the packet's length with intervals. A line of JSON for each look, and one at the end.
"""

from __future__ import annotations

import json
import math
import signal
import subprocess
import sys
import time

TABLE = "bit_errors"
STEP = 8  # bytes
LONGEST = 1600  # of one packet; longer ones are several that the kernel has joined
DRAWS = 1_000_000_000


def lost_of(ber: float, length: float) -> int:
    """Return how many of DRAWS packets of this length are lost."""
    return round(DRAWS * -math.expm1(8 * length * math.log1p(-ber)))


def rules(ber: float) -> str:
    """Return what nft reads: a chain for each class of lengths, with counters of all packets and of the lost ones."""
    text = f"table bridge {TABLE} {{}}\ndelete table bridge {TABLE}\ntable bridge {TABLE} {{\n"
    classes = []
    for start in range(0, LONGEST, STEP):
        lost = lost_of(ber, start + (STEP - 1) / 2)
        drop = f"numgen random mod {DRAWS} < {lost} counter drop" if lost else ""
        text += f"chain c{start} {{ counter\n{drop}\n}}\n"
        classes.append(f"{start}-{start + STEP - 1} : jump c{start}")
    text += "chain joined { counter\n}\nchain forward { type filter hook forward priority 0;\n"
    classes.append(f"{LONGEST}-4294967295 : jump joined")
    return text + f"meta length vmap {{ {', '.join(classes)} }}\n}}\n}}\n"


def nft(*words: str, text: str | None = None) -> str:
    done = subprocess.run(["nft", *words], input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"nft refuses the rules: {done.stderr.strip()}")
    return done.stdout


def counted() -> dict[str, dict[str, int]]:
    """Return how many packets each class had, and how many of these were lost, by its first length."""
    found: dict[str, dict[str, int]] = {}
    for entry in json.loads(nft("-j", "list", "table", "bridge", TABLE))["nftables"]:
        rule = entry.get("rule", {})
        chain, parts = rule.get("chain", ""), rule.get("expr", [])
        for part in parts:
            if "counter" in part and part["counter"]["packets"]:
                kind = "lost" if {"drop": None} in parts else "packets"
                found.setdefault(chain.removeprefix("c"), {"packets": 0, "lost": 0})[kind] = part["counter"]["packets"]
    return found


def look() -> None:
    now_ns, classes = time.time_ns(), counted()
    joined = classes.pop("joined", {"packets": 0})["packets"]
    totals = {key: sum(one[key] for one in classes.values()) for key in ("packets", "lost")}
    stamp = f"{now_ns // 10**9}.{now_ns % 10**9:09d}"
    print(json.dumps({"t_s": stamp, **totals, "joined": joined, "classes": classes}), flush=True)


def main() -> int:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    ber, every_s = map(float, sys.argv[1:])
    nft("-f", "-", text=rules(ber))
    try:
        while True:
            look()
            time.sleep(every_s)
    except KeyboardInterrupt:
        look()
    return 0


if __name__ == "__main__":
    sys.exit(main())
