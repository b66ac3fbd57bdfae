# SPDX-License-Identifier: MIT
"""Entry point of the command ``lab``: verb, errors, exit status."""

from __future__ import annotations

import signal

if (_ON_INTERRUPT := signal.getsignal(signal.SIGINT)) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # until ``main`` can catch it: no traceback during imports

import atexit
import contextlib
import errno
import gc
import os
import sys
from types import FrameType

from lab.cli.copied import refuse_copy
from lab.errors import InputErrors, LabError
from lab.printable import printable

# What a command imports stays in use until its end. Garbage collection would scan it after every 700 new objects
# (20 ms), and once more at the end (60 ms).
_COLLECT = (50_000, 10, 100)

_LISTED = {"topology": "topologies", "workload": "workloads", "experiment": "experiments"}  # by name of the argument

_ended_by: list[signal.Signals] = []  # typer reduces every KeyboardInterrupt to an exit status


def _terminated(number: int, _frame: FrameType | None) -> None:
    """End the lab like Ctrl-C: it cleans up before it exits."""
    _ended_by.append(signal.Signals(number))
    raise KeyboardInterrupt


def _catch_ends() -> None:
    """Clean up on SIGTERM, and if the terminal is closed, unless nohup has the lab ignore that."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _terminated)


def _status(returned: int | None) -> int:
    """Return the exit status; 128 + the signal for an interrupted run, as in shells."""
    if returned != 128 + signal.SIGINT:
        return returned or 0
    with contextlib.suppress(OSError):  # its terminal may be closed
        print("lab: interrupted", file=sys.stderr)
    return 128 + (_ended_by or [signal.SIGINT])[0]


def _open_streams() -> None:
    """Open standard streams that are closed, so that no other file gets their numbers. Writing to stdout then fails."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.dup2(os.open(os.devnull, os.O_RDWR if name == "stderr" else os.O_RDONLY), number)
            os.set_inheritable(number, True)
            setattr(sys, name, os.fdopen(number, "r" if name == "stdin" else "w"))


def main() -> None:
    """Run the command: a user's mistake is one message, never a traceback."""
    _open_streams()
    _catch_ends()
    gc.set_threshold(*_COLLECT)
    atexit.register(gc.freeze)
    try:
        signal.signal(signal.SIGINT, _ON_INTERRUPT)
        status = _verb()
        print(end="", flush=True)  # what cannot be written is noticed here
    except KeyboardInterrupt:  # before or after typer
        status = _status(128 + signal.SIGINT)
    except (BrokenPipeError, SystemExit) as error:
        if BrokenPipeError not in (type(error), type(error.__context__)):
            raise
        sys.stderr.close()  # the reader of our output has exited (lab list | head); typer exits with 1 then
        status = 141
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EBADF):
            raise
        print(f"lab: cannot write standard output: {error.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # for what is left of it
        status = 1
    sys.exit(status)


def _show_traceback(raised: BaseException | None) -> None:
    """Print where the code of a stack raised what a message reports, if the user wants that."""
    if raised is not None and os.environ.get("LAB_TRACEBACK"):
        import traceback

        traceback.print_exception(raised)


def _called() -> int | None:
    """Run the command; turn what the code of a stack raises into one message that names its line."""
    from click.exceptions import Abort, ClickException, Exit

    from lab.cli.main import app

    try:
        status: int | None = app(sys.argv[1:] or ["--help"], standalone_mode=False)
        return status
    except (LabError, ClickException, Abort, Exit, OSError):
        raise
    except Exception as raised:
        from lab.registry import of_a_stack

        found = of_a_stack(raised)
        if found is None:
            raise
        raise found from raised


def _verb() -> int:
    from click.exceptions import ClickException, MissingParameter

    try:
        refuse_copy(sys.argv[0])
        return _status(_called())
    except LabError as error:
        _show_traceback(error.__cause__)
        # several mistakes: each begins its line with file:line, for editors
        several = f"{len(error.errors)} mistakes:\n" if isinstance(error, InputErrors) else ""
        print(printable(f"lab: {several}{error}"), file=sys.stderr)
        return error.exit_status
    except ClickException as error:
        error.message = printable(error.message)
        error.show()
        name = error.param.name if isinstance(error, MissingParameter) and error.param else None
        if name in _LISTED:
            print(f"  `lab list {_LISTED[name]}` lists those that come with the lab", file=sys.stderr)
        return error.exit_code
