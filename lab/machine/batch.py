# SPDX-License-Identifier: MIT
"""Runs commands in a guest that come from a file or pipe instead of a terminal.

Each line reaches the guest as a file (lab.guest.batch). Its console would not do: UML reads ahead of the agent, drops
what the agent's terminal has no room for, and does not pass on the end of the input.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from lab.errors import RunError
from lab.machine.guest import Guest, Setup
from lab.shared.paths import COMMANDS, COMMANDS_END, STATUS

_LINE_END = re.compile(rb"\r+\n")  # the consoles of guest and node each add a carriage return


def run(setup: Setup, lines: Iterable[bytes], output: IO[bytes]) -> int:
    """Run the lines as they come; returns the exit status of the last command.

    Args:
        setup: of the guest; its run directory holds plan.json.
        lines: read in a thread of their own, which a guest that ends earlier (``exit``) leaves behind.
        output: receives what the commands print.

    Raises:
        RunError: The guest ended before it ran all commands.
    """
    directory = setup.files.run
    commands = directory / COMMANDS.name
    commands.mkdir()
    reading, writing = os.pipe()
    with (
        os.fdopen(reading, "rb") as printed,
        os.fdopen(writing, "wb") as console,
        Guest.started(setup, "batch", console=console),
    ):
        console.close()  # only the guest has it now, so that its end is that of the guest
        threading.Thread(target=_pass_on, args=(lines, commands), daemon=True).start()
        for line in printed:
            output.write(_LINE_END.sub(b"\n", line))
            output.flush()
    try:
        return int((directory / STATUS.name).read_text())
    except (FileNotFoundError, ValueError):
        raise RunError("the guest ended before it ran all commands; its output shows why") from None


def _pass_on(lines: Iterable[bytes], commands: Path) -> None:
    """Write each line to its file, and then the file that stands for the end."""
    with contextlib.suppress(FileNotFoundError):  # the guest has ended, and its directory is gone
        for number, line in enumerate(lines):
            part = commands / "part"
            part.write_bytes(line)
            part.rename(commands / str(number))
        (commands / COMMANDS_END.name).touch()
