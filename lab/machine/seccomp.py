# SPDX-License-Identifier: MIT
"""The system calls of this host that a guest needs once it has booted, as a seccomp filter.

What a guest's programs call never reaches the host: their stub traps it. The filter is for the guest's kernel, which is
a process of the host, and for its stubs. Found by tracing guests that use hostfs, block devices, terminals and
mconsole, and by reading arch/um/os-Linux.

What is refused fails with EPERM. To kill the process would be wrong: a stub has a filter of its own, of two results the
more drastic one counts, and so a program of the guest would die of a call that the guest is to answer.
"""

from __future__ import annotations

import errno
import struct

ALLOWED = {  # numbers of x86-64
    # files, which Landlock limits; none that changes the mode, the owner or the times of a path, which it does not
    **{"read": 0, "write": 1, "close": 3, "fstat": 5, "lseek": 8, "pread64": 17, "pwrite64": 18, "readv": 19},
    **{"writev": 20, "access": 21, "dup": 32, "dup2": 33, "fcntl": 72, "fsync": 74, "fdatasync": 75, "ftruncate": 77},
    **{"rename": 82, "mkdir": 83, "rmdir": 84, "unlink": 87, "readlink": 89, "statfs": 137, "fstatfs": 138},
    **{"getdents64": 217, "openat": 257, "mkdirat": 258, "newfstatat": 262, "unlinkat": 263, "renameat": 264},
    **{"readlinkat": 267, "faccessat": 269, "dup3": 292, "renameat2": 316, "statx": 332, "close_range": 436},
    **{"faccessat2": 439, "ioctl": 16},
    # memory
    **{"mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12, "mremap": 25, "madvise": 28, "fallocate": 285},
    # stubs, and the turn between them and the kernel
    **{"clone": 56, "exit": 60, "wait4": 61, "ptrace": 101, "prctl": 157, "arch_prctl": 158, "futex": 202},
    **{"set_tid_address": 218, "exit_group": 231, "waitid": 247, "set_robust_list": 273, "seccomp": 317, "rseq": 334},
    # signals, timers, waiting
    **{"poll": 7, "rt_sigaction": 13, "rt_sigprocmask": 14, "rt_sigreturn": 15, "sched_yield": 24, "pause": 34},
    **{"nanosleep": 35, "getpid": 39, "kill": 62, "gettimeofday": 96, "getppid": 110, "getpgrp": 111, "setsid": 112},
    **{"rt_sigpending": 127, "rt_sigsuspend": 130, "sigaltstack": 131, "gettid": 186, "tkill": 200},
    **{"restart_syscall": 219, "timer_create": 222, "timer_settime": 223, "timer_gettime": 224, "timer_delete": 226},
    **{"clock_gettime": 228, "clock_nanosleep": 230, "epoll_wait": 232, "epoll_ctl": 233, "tgkill": 234, "ppoll": 271},
    **{"epoll_pwait": 281, "epoll_create1": 291, "getrandom": 318},
    # pipes of the guest's helpers, and answers to who asks mconsole; its socket is open
    **{"pipe": 22, "sendto": 44, "recvfrom": 45, "sendmsg": 46, "recvmsg": 47, "socketpair": 53, "pipe2": 293},
}
HOT = ("futex", "rt_sigreturn", "mmap")  # the first that are looked for: a stub's turn consists of them
# of these, only some values of an argument, by its place
VALUES = {
    # TCGETS, TCSETS, TCSETSW, TCSETSF, TCFLSH, TIOCSCTTY, TIOCGPGRP, TIOCSPGRP, TIOCGWINSZ: no input for terminals
    "ioctl": (1, (0x5401, 0x5402, 0x5403, 0x5404, 0x540B, 0x540E, 0x540F, 0x5410, 0x5413)),
    "prctl": (0, (1, 15, 26, 38)),  # PR_SET_PDEATHSIG, PR_SET_NAME, PR_SET_TSC, PR_SET_NO_NEW_PRIVS
    "arch_prctl": (0, (0x1001, 0x1002, 0x1003, 0x1004)),  # bases of segments
    "socketpair": (0, (1,)),  # AF_UNIX
}
# of these, not with these flags
NOT_WITH = {
    "clone": (0, 0x7E020000),  # CLONE_NEW…: no namespaces, in which there is more to attack
    "openat": (2, 0x200),  # O_TRUNC, which Landlock does not limit before Linux 6.2
}

_ARCHITECTURE = 0xC000003E  # AUDIT_ARCH_X86_64
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000 | errno.EPERM
_LOAD, _RETURN, _JUMP = 0x20, 0x06, 0x05
_JUMP_IF_EQUAL, _JUMP_IF_AT_LEAST, _JUMP_IF_SET = 0x15, 0x35, 0x45
_NUMBER_AT, _ARCHITECTURE_AT, _ARGUMENTS_AT = 0, 4, 16  # in struct seccomp_data

Instruction = tuple[int, int, int, int]  # code, steps if true, steps if false, value


def seccomp_filter() -> bytes:
    """Return the filter as an array of struct sock_filter."""
    program = [(_LOAD, 0, 0, _ARCHITECTURE_AT), (_JUMP_IF_EQUAL, 1, 0, _ARCHITECTURE), (_RETURN, 0, 0, _REFUSE)]
    program.append((_LOAD, 0, 0, _NUMBER_AT))
    for name in HOT:
        program += [(_JUMP_IF_EQUAL, 0, 1, ALLOWED[name]), (_RETURN, 0, 0, _ALLOW)]
    program += _search(sorted((number, name) for name, number in ALLOWED.items() if name not in HOT))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in program)


def _search(calls: list[tuple[int, str]]) -> list[Instruction]:
    """Return a binary search for the number in the accumulator; it ends in a result."""
    if len(calls) == 1:
        number, name = calls[0]
        body = _judge(name)
        return [(_JUMP_IF_EQUAL, 0, len(body), number), *body, (_RETURN, 0, 0, _REFUSE)]
    middle = len(calls) // 2
    below = _search(calls[:middle])
    return [(_JUMP_IF_AT_LEAST, 0, 1, calls[middle][0]), (_JUMP, 0, 0, len(below)), *below, *_search(calls[middle:])]


def _judge(name: str) -> list[Instruction]:
    """Return what looks at the arguments of a call; they are ints, so their lower halves count."""
    if name in VALUES:
        place, values = VALUES[name]
        tests = [(_JUMP_IF_EQUAL, len(values) - number, 0, value) for number, value in enumerate(values)]
        return [_argument(place), *tests, (_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW)]
    if name in NOT_WITH:
        place, flags = NOT_WITH[name]
        return [_argument(place), (_JUMP_IF_SET, 0, 1, flags), (_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW)]
    return [(_RETURN, 0, 0, _ALLOW)]


def _argument(place: int) -> Instruction:
    return (_LOAD, 0, 0, _ARGUMENTS_AT + 8 * place)
