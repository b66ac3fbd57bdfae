# SPDX-License-Identifier: MIT
"""A guest's process: its kernel command line, how it is started, its pulse."""

from __future__ import annotations

import ctypes
import os
import select
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from lab import left
from lab.machine.cage import namespaces, out_of_the_way
from lab.machine.channel import Channel, inherited
from lab.machine.cores import Core
from lab.machine.memory import GUEST_BYTES
from lab.shared.types import CONSOLE_LEVEL, CONSOLE_LEVELS, START_NS

_ADDR_NO_RANDOMIZE = 0x0040000
_UMASK = 0o022  # not the user's: a program sees the mode of its output
SCRIPTS = "mininet_wifi"
_DEATH_S = 5.0  # what is killed ends within that time

_libc = ctypes.CDLL(None, use_errno=True)


@dataclass(frozen=True)
class Mode:
    """The purpose of a guest; its agent (lab.guest.__main__) uses the same names."""

    virtual_time: bool = True
    terminal: bool = False  # it uses the caller's terminal, and has no log
    quiet: bool = False  # its console is for its user: the kernel prints nothing but a panic, unless it is asked to
    any_event: bool = False  # it does events that are not in its plan
    room: str | None = None  # whose __main__.py is its agent, for any network; None: lab/guest


MODES = {
    "run": Mode(),  # a plan, to its end
    "compile": Mode(),  # the code in its bundle (lab.machine.guest_code), without a plan
    "shell": Mode(virtual_time=False, terminal=True, quiet=True, any_event=True),  # a prompt
    "batch": Mode(quiet=True, any_event=True),  # commands (lab.machine.batch)
    "script": Mode(quiet=True, any_event=True, room=SCRIPTS),  # a script that builds its network itself
    "script-in-real-time": Mode(virtual_time=False, quiet=True, any_event=True, room=SCRIPTS),
    "script-at-terminal": Mode(virtual_time=False, terminal=True, quiet=True, any_event=True, room=SCRIPTS),
    "lockstep": Mode(any_event=True),  # a plan, as far as a program lets it go (lab.lockstep)
}


@dataclass(frozen=True)
class GuestFiles:
    """The components and directories of a guest."""

    kernel: Path
    initrd: Path
    image: Path
    bundle: Path
    run: Path  # the run directory: plan.json in it
    stack: Path | None = None  # squashfs with the code of the plan's stack, if any
    node_images: tuple[Path, ...] = ()  # squashfs of each image of nodes, in the plan's order

    def links(self) -> dict[str, Path]:
        """Return names in the scratch directory for what the command line refers to."""
        stack = {"stack": self.stack.parent} if self.stack else {}
        images = {f"image{number}": path.parent for number, path in enumerate(self.node_images)}
        return {
            "image": self.image.parent,
            "code": self.bundle,
            "run": self.run,
            "initrd": self.initrd,
            **stack,
            **images,
        }


@dataclass(frozen=True)
class Setup:
    """The parameters of a guest's start."""

    files: GuestFiles
    seed: int = 0
    duration_ns: int = 0  # of the plan: if virtual time goes far beyond it, the guest has run away
    memory_bytes: int = GUEST_BYTES
    console_level: str = CONSOLE_LEVEL
    rate_control: str | None = None  # None: the kernel's default
    start_ns: int = START_NS


def command_line(
    setup: Setup,
    scratch: Path,
    mode: str = "run",
    channel: Channel | None = None,
    cage: tuple[int, int] | None = None,
) -> list[str]:
    """Return the kernel and its arguments. ``mode``: of MODES; ``cage``: descriptors (lab.machine.cage)."""
    files, chosen = setup.files, MODES[mode]
    loglevel = 0 if chosen.quiet and setup.console_level == CONSOLE_LEVEL else CONSOLE_LEVELS[setup.console_level]
    arguments = [
        str(files.kernel),
        f"mem={setup.memory_bytes >> 20}M",
        "umid=guest",
        f"uml_dir={scratch}/",  # the slash matters: UML appends the umid
        f"initrd={scratch}/initrd",
        "root=/dev/ram0",
        "con=null",
        f"con0={'fd:0' if chosen.terminal else 'null'},fd:1",
        *([f"con1=fd:{channel.console}"] if channel and channel.console >= 0 else []),
        "quiet",  # hides UML's own checks
        f"loglevel={loglevel}",
        "log_buf_len=2M",
        "norandmaps",
        "bonding.max_bonds=0",  # no devices that nobody asked for: neither bond0,
        "fb_tunnels=none",  # nor gre0, gretap0, erspan0 and ip6gre0 in every node
        *([f"mac80211.ieee80211_default_rc_algo={setup.rate_control}"] if setup.rate_control else []),
        "mac80211_hwsim.radios=0",  # the agent makes them
        f"lab.seed={setup.seed}",
        f"lab.hashseed={setup.seed % 2**32}",
        f"hostrom={scratch}/image/{files.image.name}",
        *([f"hostrom={scratch}/stack/{files.stack.name}"] if files.stack else []),
        *(f"hostrom={scratch}/image{number}/{path.name}" for number, path in enumerate(files.node_images)),
        *([f"hostask={','.join(map(str, channel.inherited))}"] if channel else []),
        *([f"cage={','.join(map(str, cage))}"] if cage else []),
        f"lab.bundle={scratch}/code",
        f"lab.run={scratch}/run",
        f"lab.agent={mode}",
    ]
    if chosen.virtual_time:
        arguments += ["time-travel=inf-cpu", f"time-travel-start={setup.start_ns}"]
    return arguments


class GuestProcess:
    """The process of a guest; ``started_s`` is when it was started, by time.monotonic()."""

    def __init__(
        self,
        arguments: list[str],
        run: Path,
        memory_directory: Path,
        console: IO[bytes] | None,
        channel: Channel | None = None,
        cage: tuple[int, int] | None = None,
    ) -> None:
        """Start it.

        ``memory_directory``: on a file system that allows execution; ``console``: where its log goes; None: this
        terminal; ``cage``: descriptors that it inherits (lab.machine.cage), or -1.
        """
        self.run = run
        # child processes get the same addresses in every run, if the host allows it: Docker's seccomp may not
        _libc.personality(_ADDR_NO_RANDOMIZE)
        # without our environment, which would be on the guest kernel's stack
        environment = {"TMPDIR": str(memory_directory), "HOME": "/", "PATH": "/usr/bin:/bin"}
        self._core = Core()
        self._last, alive = os.pipe()  # the other end is closed once the guest has ended
        alive = out_of_the_way(alive)
        self.started_s = time.monotonic()
        with self._core.bound(), inherited(channel) as descriptors:
            self.process = subprocess.Popen(
                # it dies with the lab, even by kill -9
                ["setpriv", "--pdeathsig", "KILL", "--", *namespaces(), *arguments],
                env=environment,
                cwd="/",
                stdin=None if console is None else subprocess.DEVNULL,
                stdout=console,
                stderr=None if console is None else subprocess.STDOUT,
                pass_fds=[alive, *descriptors, *(descriptor for descriptor in cage or () if descriptor >= 0)],
                umask=_UMASK,
                process_group=None if console is None else 0,  # Ctrl-C reaches only the lab, which then ends the guest
            )
        os.close(alive)

    def pulse(self) -> tuple[int, int] | None:
        """Return (uptime, wall clock) of the guest in virtual ns; None before init runs."""
        try:
            words = left.text(self.run / "pulse").split()
        except FileNotFoundError:
            return None
        return (int(words[0]), int(words[1])) if len(words) == 2 else None

    def ended(self, within_s: float) -> bool:
        """Return whether it ends within that time, as soon as it does."""
        if self.process.poll() is not None:
            return True
        try:
            end = os.pidfd_open(self.process.pid)
        except ProcessLookupError:  # another thread has ended it since
            return True
        try:
            return bool(select.select([end], [], [], within_s)[0])
        finally:
            os.close(end)

    def kill(self) -> None:
        """End it and all its processes; return once they have ended. Two threads may do so."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        last, self._last = self._last, -1
        if last >= 0:
            select.select([last], [], [], _DEATH_S)
            os.close(last)
        self._core.release()
