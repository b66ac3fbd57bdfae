# SPDX-License-Identifier: MIT
"""Runs commands in a guest that come from a file or pipe instead of a terminal.

Each line reaches the guest through a channel (lab.guest.batch). Its console would not do: UML reads ahead of the agent,
drops what the agent's terminal has no room for, and does not pass on the end of the input.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import IO

from lab.errors import RunError
from lab.machine.guest import Answer, Guest

_LINE_END = re.compile(rb"\r+\n")  # the consoles of guest and node each add a carriage return
_LAST = ("exit", "quit")

Start = Callable[[IO[bytes]], AbstractContextManager[Guest]]  # a guest of mode "batch" with that console


def run(start: Start, lines: Iterable[bytes], output: IO[bytes], answer: Answer) -> int:
    """Run the lines as they come, up to ``exit``, and return the exit status of the last command.

    ``answer``: answers what lines ask.

    Raises:
        RunError: If the guest ended before it ran all commands.
        OSError: If what they print cannot be written.
    """
    status = 0
    with printing(start, output) as guest:
        for line in lines:
            text = line.decode(errors="replace")
            command, *arguments = text.split() or [""]
            if command in _LAST:
                status = int(arguments[0]) if arguments and arguments[0].isdecimal() else status
                break
            status = guest.execute(text, answer)
        guest.finish(answer)
    return status


@contextmanager
def printing(start: Start, output: IO[bytes]) -> Iterator[Guest]:
    """Start a guest whose console is copied to a file; end it with the context.

    Raises:
        OSError: If what it prints cannot be written.
    """
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb") as printed:
        copy = _Copy(printed, output)
        with os.fdopen(writing, "wb") as console, start(console) as guest:
            console.close()  # only the guest has it now, so that its end is that of the guest
            copy.on_error = guest.end
            copy.start()
            try:
                yield guest
            except RunError:
                if not copy.error:
                    raise
            finally:
                guest.end()
                copy.join()
    if copy.error:
        raise copy.error


class _Copy(threading.Thread):
    """Copies what the guest prints while it prints."""

    def __init__(self, printed: IO[bytes], output: IO[bytes]) -> None:
        super().__init__()
        self.error: OSError | None = None
        self.on_error: Callable[[], None] = lambda: None
        self._printed = printed
        self._output = output

    def run(self) -> None:
        """Copy until the guest has ended."""
        for line in self._printed:
            if self.error:
                continue
            try:
                self._output.write(_LINE_END.sub(b"\n", line))
                self._output.flush()
            except OSError as error:
                self.error = error
                self.on_error()
