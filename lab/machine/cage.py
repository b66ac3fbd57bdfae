# SPDX-License-Identifier: MIT
"""What a guest may do to this host: nothing but what it needs, even if a program takes it over.

A guest is a process of the host, and so is each of its stubs (docs/how-it-works.md). The lab prepares a ruleset of
Landlock and a filter of seccomp; the guest's kernel applies both to itself before the first program starts (cage=,
hwsim-patches/uml/files/arch/um/kernel/cage.c). It starts in its own namespaces where the host allows that. What does
not hold is in docs/security.md.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from lab.errors import HostError
from lab.machine import landlock
from lab.machine.seccomp import seccomp_filter

_FIRST = 100  # of the descriptors that a guest inherits
_SECCOMP_GET_ACTION_AVAIL, _ERRNO = 2, 0x00050000
_NAMESPACES = ("--pid", "--net", "--ipc")  # and --user, which allows an ordinary user the others

_libc = ctypes.CDLL(None, use_errno=True)


@contextlib.contextmanager
def cage(run: Path, bundle: Path, scratch: Path) -> Iterator[tuple[int, int]]:
    """Yield the descriptors that a guest gets as its cage: of a ruleset, or -1, and of a filter.

    ``run``: it writes there; ``bundle``: it reads its code there; ``scratch``: it removes its files there at its end.
    """
    clears = landlock.READ_DIR | landlock.REMOVE_DIR | landlock.REMOVE_FILE
    paths = {run: landlock.WRITE, bundle: landlock.READ, scratch: clears}
    with contextlib.ExitStack() as closing:
        rules = -1
        if landlock.abi():
            rules = out_of_the_way(landlock.ruleset(paths))
            closing.callback(os.close, rules)
        calls, theirs = os.pipe()
        calls = out_of_the_way(calls)
        closing.callback(os.close, calls)
        os.write(theirs, seccomp_filter())
        os.close(theirs)
        yield rules, calls


def out_of_the_way(descriptor: int) -> int:
    """Return a descriptor that a guest inherits, moved to a number that leaves those of the guest's own files alone.

    The kernel's log names some of them. Each has three digits, so that all command lines are equally long.
    """
    moved = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _FIRST)
    os.close(descriptor)
    return moved


@cache
def namespaces() -> tuple[str, ...]:
    """Return the command that, in front of a guest's, gives it its own namespaces; empty if this host does not."""
    user = ("--user", "--map-current-user") if os.geteuid() else ()
    argv = ("unshare", *user, *_NAMESPACES, "--fork", "--kill-child=KILL", "--")
    try:
        done = subprocess.run(
            [*argv, "true"], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
        )
    except FileNotFoundError:
        return ()
    return argv if done.returncode == 0 else ()


def offers() -> str:
    """Return what this host offers for cages."""
    version = landlock.abi()
    parts = [f"Landlock {version}" if version else "", "seccomp" if _has_seccomp() else ""]
    return ", ".join(filter(None, [*parts, "namespaces" if namespaces() else ""])) or "nothing"


def gaps() -> list[str]:
    """Return what a program that takes a guest over could do on this host."""
    found = []
    if not landlock.abi():
        found.append("read and write your files (the kernel has no Landlock)")
    if not _has_seccomp():
        found.append("use all system calls, and networks (the kernel has no seccomp filters)")
    if landlock.abi() < landlock.ABI_OF_SCOPES and not namespaces():
        found.append("send signals to your processes (no namespaces, and Linux before 6.12)")
    return found


def require() -> None:
    """Check that the cage is whole, as programs by unknown authors need it.

    Raises:
        HostError: If it has gaps.
    """
    if found := gaps():
        raise HostError(
            f"on this host, a program that takes its guest over could {'; '.join(found)}",
            hint="docs/security.md says what is needed",
        )


def _has_seccomp() -> bool:
    errno_action = ctypes.c_uint32(_ERRNO)
    return bool(_libc.syscall(317, _SECCOMP_GET_ACTION_AVAIL, 0, ctypes.byref(errno_action)) == 0)
