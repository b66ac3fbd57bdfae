# SPDX-License-Identifier: MIT
"""What programs in a node see of the guest and of files of the host: the same in every run."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.system.conftest import WIRED, Ran, quoted

pytestmark = [pytest.mark.guest, pytest.mark.usefixtures("fresh")]

# each file that can be read in /proc and /sys, except those of processes and networks, with a hash of what is in it
FILES = """
import hashlib, os
for top in ("/proc", "/sys"):
    for folder, folders, files in os.walk(top):
        if folder == "/proc":
            folders[:] = [name for name in folders if not name.isdigit() and name not in ("self", "thread-self", "net")]
        folders.sort()
        for path in (f"{folder}/{name}" for name in sorted(files)):
            try:
                with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb", 0) as file:
                    content = file.read(1 << 20)
            except OSError as error:
                content = error.strerror.encode()
            print(path, hashlib.sha256(content or b"").hexdigest())
"""
# what a program's output is, where the host keeps it
OUTPUT = (
    "stat -L /proc/self/fd/1; stat -f -L /proc/self/fd/1; cat /proc/self/mountinfo; cat /proc/cmdline; dmesg 2>&1; :"
)


def test_what_programs_read_is_the_same_in_every_run(boot: Callable[..., Ran]) -> None:
    work = (
        "name: facts\nduration: 3 s\nprocesses:\n"
        f"  - {{on: h1, at: 1 s, run: [python3, -c, {quoted(FILES)}], as: files}}\n"
        f"  - {{on: h1, at: 2 s, run: [sh, -c, {quoted(OUTPUT)}], as: output}}\n"
        "  - {on: h1, run: {probe: udp-sink}, as: sink}\n"  # whose code is in a folder of the host
    )
    first, again = (boot(WIRED, work) for _ in range(2))
    assert len(first.raw("files.out").splitlines()) > 1000
    assert first.raw("files.out") == again.raw("files.out")
    assert first.raw("output.out") == again.raw("output.out")
    assert {"1970-01-01", "hostfs", "not permitted"} <= set(
        re.findall(r"1970-01-01|hostfs|not permitted", first.raw("output.out"))
    )
    assert "hwsim-lab-" not in first.raw("output.out")
