# SPDX-License-Identifier: MIT
"""The filter of system calls, read as the host's kernel reads it."""

from __future__ import annotations

import errno
import re
import struct
from pathlib import Path

import pytest

from lab.machine.seccomp import ALLOWED, HOT, NOT_WITH, VALUES, seccomp_filter

X86_64, I386 = 0xC000003E, 0x40000003
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
PROGRAM = list(struct.iter_unpack("=HBBI", seccomp_filter()))


def judged(number: int, *arguments: int, architecture: int = X86_64) -> tuple[int, int]:
    """Return what the filter says of a call, and after how many steps."""
    data = struct.pack("=IIQ6Q", number, architecture, 0, *(*arguments, *[0] * 6)[:6])
    at = steps = accumulator = 0
    while True:
        code, yes, no, value = PROGRAM[at]
        at, steps = at + 1, steps + 1
        if code == 0x06:
            return value, steps
        if code == 0x20:
            (accumulator,) = struct.unpack_from("=I", data, value)
        elif code == 0x05:
            at += value
        else:
            test = {0x15: accumulator == value, 0x35: accumulator >= value, 0x45: bool(accumulator & value)}[code]
            at += yes if test else no


def test_it_allows_what_is_listed_and_nothing_else() -> None:
    plain = {number for name, number in ALLOWED.items() if name not in VALUES and name not in NOT_WITH}
    for number in range(600):
        if number in plain:
            assert judged(number)[0] == ALLOW
        elif number not in ALLOWED.values():
            assert judged(number)[0] == REFUSE
    assert judged(0x40000000 | ALLOWED["read"])[0] == REFUSE  # of the x32 ABI


def test_numbers_of_other_architectures_are_refused() -> None:
    assert judged(ALLOWED["read"], architecture=I386)[0] == REFUSE


def test_a_turn_of_a_stub_is_found_first() -> None:
    assert [judged(ALLOWED[name])[1] for name in HOT] == [5, 6, 7]
    assert max(judged(number)[1] for number in range(600)) < 32


@pytest.mark.parametrize(
    ("name", "arguments", "result"),
    [
        ("ioctl", (0, 0x5401), ALLOW),
        ("ioctl", (0, 0x5412), REFUSE),  # TIOCSTI: keys for the user's shell
        ("ioctl", (0, 0x100005401), ALLOW),  # the host looks at the lower half, too
        ("socketpair", (1,), ALLOW),
        ("socketpair", (2,), REFUSE),
        ("arch_prctl", (0x1002,), ALLOW),
        ("arch_prctl", (0x2003,), REFUSE),
        ("prctl", (38,), ALLOW),
        ("prctl", (35,), REFUSE),  # PR_SET_MM
        ("clone", (0x11,), ALLOW),
        ("clone", (0x10000011,), REFUSE),  # CLONE_NEWUSER
        ("openat", (0, 0, 0o2), ALLOW),
        ("openat", (0, 0, 0o1002), REFUSE),
    ],
)
def test_some_arguments_are_refused(name: str, arguments: tuple[int, ...], result: int) -> None:
    assert judged(ALLOWED[name], *arguments)[0] == result


def test_these_are_not_listed() -> None:
    escapes = "execve socket connect mount unshare setns chmod fchmod utimensat truncate symlink link memfd_create"
    others = "io_uring_setup bpf process_vm_writev pidfd_getfd prlimit64 perf_event_open keyctl userfaultfd clone3"
    assert not set(f"{escapes} {others}".split()) & set(ALLOWED)


def test_the_numbers_are_those_of_the_host() -> None:
    header = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h").read_text()
    numbers = {name: int(number) for name, number in re.findall(r"#define __NR_(\w+) (\d+)", header)}
    assert {name: numbers[name] for name in ALLOWED} == ALLOWED
