# SPDX-License-Identifier: MIT
"""Searches lines for regular expressions, in a separate process with a limit of CPU time.

An expression such as ``(a+)+$`` may take years for one line. While Python searches, no other thread of the process
runs. Trials are in threads, so Ctrl-C and time limits would not work.

This file is also the program of that process, so it imports only the standard library.
"""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Sequence

CPU_S = 10  # for each search, and more for much text:
_CPU_S_PER_MIB = 4  # and expression; usual ones take a tenth of it

Groups = list[tuple[str, str]]  # name and text of each group that took part, in order


class SlowMatchError(Exception):
    """The search was ended. ``line`` counts from 0; ``pattern`` is the expression."""

    def __init__(self, line: int, pattern: str) -> None:
        super().__init__(line, pattern)
        self.line = line
        self.pattern = pattern


def groups(patterns: Sequence[str], lines: Sequence[str], cpu_s: float = CPU_S) -> list[Groups]:
    """Return the named groups that the expressions find in each line.

    Raises:
        SlowMatchError: If it takes more than ``cpu_s`` and 4 s for each MiB and expression.
        ChildProcessError: If the process did not end by itself: too little memory, or killed.
    """
    if not patterns or not lines:
        return [[] for _ in lines]
    limit_s = cpu_s + _CPU_S_PER_MIB * len(patterns) * sum(map(len, lines)) / (1 << 20)
    done = subprocess.run(
        [sys.executable, "-I", "-S", __file__],
        input=json.dumps([patterns, lines, limit_s]).encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=False,
        process_group=0,  # Ctrl-C is for the lab, which ends this process
    )
    if done.returncode != 0:
        raise ChildProcessError(f"the search of regular expressions ended with status {done.returncode}")
    slow, found = json.loads(done.stdout)
    if slow is not None:
        raise SlowMatchError(slow[0], patterns[slow[1]])
    return [[(name, text) for name, text in line] for line in found]


def _main() -> None:
    patterns, lines, limit_s = json.load(sys.stdin.buffer)
    compiled = [re.compile(pattern) for pattern in patterns]
    found: list[Groups] = []
    place = (0, 0)

    def end(*_: object) -> None:
        raise TimeoutError

    signal.signal(signal.SIGVTALRM, end)
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, limit_s)
        for number, line in enumerate(lines):
            found.append([])
            for index, pattern in enumerate(compiled):
                place = (number, index)
                for match in pattern.finditer(line):
                    found[-1] += [(name, text) for name, text in match.groupdict().items() if text is not None]
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    except TimeoutError:
        json.dump([place, []], sys.stdout)
    else:
        json.dump([None, found], sys.stdout)


if __name__ == "__main__":
    _main()
