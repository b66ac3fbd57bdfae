# SPDX-License-Identifier: MIT
"""The one way to drive a guest: start it, step or follow it, end it.

    with Guest.started(machine.setup(plan, directory)) as guest:
        walls = guest.follow()

However the ``with`` is left, nothing of the guest stays: no process, no scratch directory.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lab.machine.doctor import memory_directory
from lab.machine.process import MEMORY_BYTES, MODES, GuestFiles, GuestProcess, command_line
from lab.machine.scratch import scratch
from lab.machine.watch import STALL_WALL_S, Progress, Walls, Watch

OnProgress = Callable[[Progress], None]


@dataclass(frozen=True)
class Setup:
    """What a guest is started with."""

    files: GuestFiles
    seed: int = 0
    radios: int = 0
    duration_ns: int = 0  # of the plan: long after it, virtual time has run away
    memory_bytes: int = MEMORY_BYTES


class Guest:
    """A guest that was started; ``started`` makes them."""

    def __init__(self, process: GuestProcess, watch: Watch) -> None:
        self._process = process
        self._watch = watch

    @classmethod
    @contextlib.contextmanager
    def started(cls, setup: Setup, mode: str = "run", stall_wall_s: float = STALL_WALL_S) -> Iterator[Guest]:
        """Start a guest, and end it with the context.

        Args:
            setup: what it is started with; the run directory holds plan.json, unless the mode needs no plan.
            mode: what for: one of lab.machine.process.MODES.
            stall_wall_s: after so long without progress of virtual time it has failed.

        Raises:
            HostError: No place for its memory, or no scratch directory.
        """
        files, memory = setup.files, memory_directory()
        with contextlib.ExitStack() as closing:
            place = closing.enter_context(scratch(files.links()))
            terminal = MODES[mode].terminal
            log = None if terminal else closing.enter_context((files.run / "console.log").open("wb"))
            words = command_line(
                files, place, seed=setup.seed, radios=setup.radios, mode=mode, memory_bytes=setup.memory_bytes
            )
            process = GuestProcess(words, files.run, memory, log)
            closing.callback(process.kill)
            yield cls(process, Watch(process, place, setup.duration_ns, stall_wall_s))

    def step(self) -> Progress | None:
        """Let it run for a moment (lab.machine.watch.POLL_S); how far it is then, or None: it is off.

        Raises:
            RunError: It stalled or ran away.
        """
        return self._watch.step()

    def follow(self, on_progress: OnProgress = lambda progress: None) -> Walls:
        """Wait until it is off, and see how it has fared.

        Raises:
            RunError: It stalled, ran away, complained or failed.
        """
        while progress := self.step():
            on_progress(progress)
        return self._watch.judge()

    def wait(self) -> None:
        """Wait until it is off, whatever it does: a prompt, which takes as long as its user likes."""
        self._process.process.wait()

    def end(self) -> None:
        """End it now."""
        self._process.kill()
