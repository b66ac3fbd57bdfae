# SPDX-License-Identifier: MIT
"""Runs the script in the agent's process, and reports how it ended."""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
import time
import traceback
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from lab.guest.errors import GuestError
from lab.mininet_wifi import programs, waiting
from lab.mininet_wifi.errors import WORK, ScriptError, in_script, line_of
from lab.mininet_wifi.running import session
from lab.mininet_wifi.stdin import HostInput
from lab.mininet_wifi.unsupported import Finder
from lab.shared.paths import CODE, RUN
from lab.shared.scripts import INTERRUPT, STDERR

_MISTAKE, _FAILED, _INTERRUPTED = 2, 1, 130  # as of the host
_LOOK_S = 1  # in virtual time: how often the script is asked to end
_NAMES = {  # of Mininet's modules, and what they are here, in modules of this package
    "mininet.cli": {"CLI": "cli.CLI"},
    "mininet.net": {"Mininet": "net.Mininet_wifi"},
    "mininet.node": {
        **dict.fromkeys(("Node", "Host", "CPULimitedHost"), "nodes.ScriptHost"),
        **dict.fromkeys(("Switch", "OVSSwitch", "OVSKernelSwitch", "UserSwitch"), "nodes.Switch"),
        "OVSBridge": "nodes.OVSBridge",
        **dict.fromkeys(("Controller", "OVSController", "DefaultController"), "nodes.Controller"),
        "RemoteController": "nodes.RemoteController",
        "Ryu": "nodes.Ryu",
    },
    "mininet.nodelib": {"LinuxBridge": "nodes.OVSBridge"},
}


def run() -> NoReturn:
    """Run it; the guest powers off next."""
    running = session()
    name, arguments = running.told["name"], running.told["arguments"]
    _prepare(apart=running.told["apart"])
    if running.told["virtual"]:
        waiting.count_looks()
    if not running.terminal:
        sys.stdin = HostInput(lambda: running.ask("line")["line"])
        threading.Thread(target=_await_interrupt, daemon=True).start()
    status, message = _ended(str(WORK / name), [name, *arguments])
    sys.stdout.flush()
    sys.stderr.flush()
    running.ask("end", status=status, message=message)
    os._exit(0)


def _prepare(*, apart: bool) -> None:
    """Make this process one in which scripts of Mininet-WiFi find what they import and expect.

    ``apart``: standard error goes to a file of its own, which the host copies.
    """
    import site

    site.setquit()  # exit() and quit(): the agent runs without site
    if apart:
        os.dup2(os.open(RUN / STDERR, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_SYNC), 2)
    sys.path[:0] = [str(WORK), str(CODE / "lab" / "mininet_wifi")]
    sys.meta_path.append(Finder)
    programs.put()
    os.environ["SHELL"] = "/bin/bash"
    os.environ["PATH"] = f"{programs.FOLDER}:{os.environ.get('PATH', '/usr/sbin:/usr/bin:/sbin:/bin')}"
    os.chdir(WORK)
    for module, names in _NAMES.items():
        for name, place in names.items():
            ours, _, own = place.partition(".")
            setattr(import_module(module), name, getattr(import_module(f"lab.mininet_wifi.{ours}"), own))


def _await_interrupt() -> None:
    """Send this process Ctrl-C once the host says so: its user has pressed it there."""
    while not (RUN / INTERRUPT).exists():
        time.sleep(_LOOK_S)
    os.kill(os.getpid(), signal.SIGINT)


def _ended(path: str, argv: list[str]) -> tuple[int, str]:
    """Run it to its end; return the exit status and a message."""
    sys.argv = argv
    sys.modules["__main__"] = main = ModuleType("__main__")
    main.__file__ = path
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    try:
        try:
            exec(compile(Path(path).read_bytes(), path, "exec"), main.__dict__)
        finally:
            threading._shutdown()  # type: ignore[attr-defined] # as Python does: wait for threads
            atexit._run_exitfuncs()
    except SystemExit as ended:
        if ended.code is None or isinstance(ended.code, int):
            return ended.code or 0, ""
        return _FAILED, str(ended.code)
    except ScriptError as error:
        return _MISTAKE, str(error)
    except GuestError as error:
        return _FAILED, f"{_line(error)}  {error.message}"
    except KeyboardInterrupt:
        return _INTERRUPTED, "interrupted"
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
