# SPDX-License-Identifier: MIT
"""Ask controller.py for a rate, every 50 ms, and set the one that it answers: python3 driver.py INTERFACE.

The controller runs as an ordinary user, so it chooses rates, and nothing else.
"""

import re
import subprocess
import sys
import time

INTERFACE = sys.argv[1]
RATES = ("6", "9", "12", "18", "24", "36", "48", "54")
USER = ("setpriv", "--reuid=1000", "--regid=1000", "--clear-groups", "--no-new-privs")


def set_rate(rate):
    """Let the radio send data frames at no other rate, in Mbit/s."""
    subprocess.run(["iw", "dev", INTERFACE, "set", "bitrates", "legacy-5", rate], check=True)


def counters():
    """Return frames sent, attempts repeated, frames given up since the start, and the signal in dBm."""
    command = ["iw", "dev", INTERFACE, "station", "dump"]
    dump = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    names = ("tx packets", "tx retries", "tx failed", "signal")
    return [int(re.search(rf"{name}:\s*(-?\d+)", dump)[1]) for name in names]


current = RATES[-1]
set_rate(current)
controller = subprocess.Popen(
    [*USER, "python3", "-u", "/home/controller.py"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
)
before = counters()
print("ready")
began = time.time()
while True:
    time.sleep(0.05)
    now = counters()
    numbers = [new - old for new, old in zip(now[:3], before[:3], strict=True)] + [now[3]]
    print(*numbers, file=controller.stdin)
    controller.stdin.flush()
    before = now
    rate = controller.stdout.readline().strip()
    if rate not in RATES:
        sys.exit(f"controller.py has printed {rate!r}, not one of {', '.join(RATES)}")
    if rate != current:
        set_rate(rate)
    current = rate
    print(f"{time.time() - began:.2f}", *numbers, rate)
