# SPDX-License-Identifier: MIT
"""Runs the script in the agent's process, and reports how it ended."""

from __future__ import annotations

import os
import sys
import traceback
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from lab.guest.errors import GuestError
from lab.mininet_wifi.errors import WORK, ScriptError, in_script, line_of
from lab.mininet_wifi.running import session
from lab.mininet_wifi.unsupported import Finder
from lab.shared.paths import CODE

_MISTAKE, _FAILED = 2, 1  # as of the host


def run() -> NoReturn:
    """Run it; the guest powers off next."""
    running = session()
    name, arguments = running.told["name"], running.told["arguments"]
    _prepare()
    status, message = _ended(str(WORK / name), [name, *arguments])
    sys.stdout.flush()
    sys.stderr.flush()
    running.ask("end", status=status, message=message)
    os._exit(0)


def _prepare() -> None:
    """Make this process one in which scripts of Mininet-WiFi find what they import and expect."""
    import site

    site.setquit()  # exit() and quit(): the agent runs without site
    sys.path[:0] = [str(WORK), str(CODE / "lab" / "mininet_wifi")]
    sys.meta_path.append(Finder)
    os.environ["SHELL"] = "/bin/bash"
    os.chdir(WORK)
    for module, name, ours in (
        ("mininet.cli", "CLI", "lab.mininet_wifi.cli"),
        ("mininet.net", "Mininet", "lab.mininet_wifi.net"),
    ):
        own = getattr(import_module(ours), {"Mininet": "Mininet_wifi"}.get(name, name))
        setattr(import_module(module), name, own)


def _ended(path: str, argv: list[str]) -> tuple[int, str]:
    """Run it to its end; return the exit status and a message."""
    sys.argv = argv
    sys.modules["__main__"] = main = ModuleType("__main__")
    main.__file__ = path
    try:
        exec(compile(Path(path).read_bytes(), path, "exec"), main.__dict__)
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            return ended.code or 0, ""
        return _FAILED, str(ended.code)
    except ScriptError as error:
        return _MISTAKE, str(error)
    except GuestError as error:
        return _FAILED, f"{_line(error)}  {error.message}"
    except BaseException as error:
        _print(error)
        return _FAILED, ""
    return 0, ""


def _line(error: BaseException) -> str:
    """Return the line of the script that called what failed, as FILE:LINE."""
    frames = [(frame, number) for frame, number in traceback.walk_tb(error.__traceback__) if in_script(frame)]
    return line_of(*frames[-1]) if frames else "the script"


def _print(error: BaseException) -> None:
    """Print a traceback from the script on, with paths as its user knows them."""
    found = error.__traceback__
    while found is not None and not in_script(found.tb_frame):
        found = found.tb_next
    text = "".join(traceback.format_exception(type(error), error, found))
    print(text.replace(f"{WORK}/", ""), end="", file=sys.stderr)
