# SPDX-License-Identifier: MIT
"""Drive a guest: start it, watch or follow it, execute commands in it, end it.

    with Guest.started(machine.setup(plan, directory)) as guest:
        walls = guest.follow()

    with Channel() as channel, Guest.started(setup, "batch", console=log, channel=channel) as guest:
        status = guest.execute("sta1 ping -c 3 h1", answer)

However the ``with`` block ends, it leaves no process and no scratch directory of the guest.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from typing import IO, Any

from lab.errors import RunError, writing
from lab.machine.cage import cage
from lab.machine.channel import Channel
from lab.machine.memory import memory_directory
from lab.machine.process import MODES, GuestProcess, Setup, command_line
from lab.machine.scratch import scratch
from lab.machine.watch import POLL_S, STALL_S, RunProgress, WallTimes, Watch

OnProgress = Callable[[RunProgress], None]
Answer = Callable[[dict[str, Any]], dict[str, Any]]  # to a question of a shell
_ENDED_EARLY = "the guest ended before it ran all commands; its output shows why"


class Guest:
    """A running guest; create it with ``started``."""

    def __init__(self, process: GuestProcess, watch: Watch, channel: Channel | None) -> None:
        self._process = process
        self.watch = watch
        self._channel = channel

    @classmethod
    @contextlib.contextmanager
    def started(
        cls,
        setup: Setup,
        mode: str = "run",
        stall_s: float = STALL_S,
        console: IO[bytes] | None = None,
        channel: Channel | None = None,
    ) -> Iterator[Guest]:
        """Start a guest; end it with the context.

        Args:
            setup: parameters of the start; the run directory holds plan.json, unless the mode needs no plan.
            mode: one of lab.machine.process.MODES.
            stall_s: the guest has failed after so much processor time, or waiting, without progress of virtual time.
            console: where its console goes; None: the terminal, or console.log in the run directory.
            channel: to its agent, for the modes that have one.

        Raises:
            HostError: If no directory suits its memory, or there is no scratch directory, or no room for its log.
        """
        files, memory = setup.files, memory_directory(needed_bytes=setup.memory_bytes)
        with contextlib.ExitStack() as closing:
            place = closing.enter_context(scratch(files.links()))
            if console is None and not MODES[mode].terminal:
                with writing(files.run / "console.log"):
                    console = closing.enter_context((files.run / "console.log").open("wb"))
            own = closing.enter_context(cage(files.run, files.bundle, place))
            arguments = command_line(setup, place, mode, channel, own)
            process = GuestProcess(arguments, files.run, memory, console, channel, own)
            closing.callback(process.kill)
            yield cls(process, Watch(process, place, setup.duration_ns, stall_s), channel)

    def follow(self, on_progress: OnProgress = lambda progress: None) -> WallTimes:
        """Wait until it is off, and check its outcome.

        Raises:
            RunError: If it stalled, ran away, failed, or its kernel reported an error.
        """
        while progress := self.watch.step():
            on_progress(progress)
        return self.watch.judge()

    def execute(self, line: str, answer: Answer) -> int:
        """Run a line of ``lab shell`` in a guest of mode "batch" and return its exit status.

        What it prints goes to the guest's console. Between two lines the guest stands still.

        ``answer``: answers what it asks.

        Raises:
            RunError: If the guest ended before that, or the line has no end.
        """
        with contextlib.suppress(BrokenPipeError):  # it has ended, as the next line reports
            self._to_agent().send(json.dumps({"line": line.rstrip("\n")}))
        return self._status(line, answer)

    def finish(self, answer: Answer) -> None:
        """Say that no more commands come, and wait until the guest is off.

        Raises:
            RunError: If the guest has failed.
        """
        self._to_agent().end_input()
        self._status("the end", answer)
        self._process.process.wait()

    def _status(self, line: str, answer: Answer) -> int:
        """Return the status that the agent reports of a line, once it has run."""
        self.watch.resume()
        channel = self._to_agent()
        while True:
            try:
                text = channel.receive(POLL_S)
            except EOFError:
                raise RunError(_ENDED_EARLY) from None
            if text is None:
                self.watch.check_command(line)
                continue
            message: dict[str, Any] = json.loads(text)
            if "status" in message:
                return int(message["status"])
            channel.send(json.dumps(answer(message)))

    def _to_agent(self) -> Channel:
        assert self._channel is not None  # the mode has one
        return self._channel

    def wait(self, answer: Answer, watched: str | None = None) -> None:
        """Wait until it is off, and answer what it asks.

        ``watched``: what runs in virtual time, for a message; None: somebody types, so nothing is taking too long.

        Raises:
            RunError: If virtual time stands still, or is beyond the plan's end.
        """
        channel = self._to_agent()
        with contextlib.suppress(EOFError):
            while True:
                if (text := channel.receive(POLL_S)) is not None:
                    channel.send(json.dumps(answer(json.loads(text))))
                    self.watch.resume()
                elif watched is not None:
                    self.watch.check_command(watched)
        self._process.process.wait()

    def end(self) -> None:
        """End it now."""
        self._process.kill()
