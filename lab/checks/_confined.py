# SPDX-License-Identifier: MIT
"""The program that runs another one in a cage: RULESET PATH ARGUMENT…

It is a process of its own, since what runs between fork and exec of a process with threads must not be Python. So this
file imports only the standard library. In a pid namespace it is the first process: whoever ends it ends all others.
"""

from __future__ import annotations

import ctypes
import os
import pwd
import resource
import signal
import sys

_MEMORY_BYTES, _CPU_S, _FILES = 2 << 30, 100, 64
_LIMITS = {
    resource.RLIMIT_AS: _MEMORY_BYTES,
    resource.RLIMIT_CPU: _CPU_S,
    resource.RLIMIT_NOFILE: _FILES,
    resource.RLIMIT_FSIZE: 0,
    resource.RLIMIT_CORE: 0,
}
_RESTRICT_SELF = 446  # number of the system call
_PDEATHSIG, _NO_NEW_PRIVS = 1, 38


def _main() -> None:
    rules, *argv = sys.argv[1:]
    if child := os.fork():
        os.close(int(rules))
        _, status = os.waitpid(child, 0)
        sys.exit(status if (status := os.waitstatus_to_exitcode(status)) >= 0 else 128 - status)
    _enter(int(rules))
    os.execv(argv[0], argv)


def _enter(rules: int) -> None:
    """Enter the cage."""
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        os.setgroups([])
        os.setresgid(nobody.pw_gid, nobody.pw_gid, nobody.pw_gid)
        os.setresuid(nobody.pw_uid, nobody.pw_uid, nobody.pw_uid)
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PDEATHSIG, signal.SIGKILL, 0, 0, 0)  # a new user has none
    if libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.syscall(_RESTRICT_SELF, rules, 0):
        sys.exit(f"no cage: {os.strerror(ctypes.get_errno())}")
    os.close(rules)
    for limit, most in _LIMITS.items():
        resource.setrlimit(limit, (most, most))


if __name__ == "__main__":
    _main()
