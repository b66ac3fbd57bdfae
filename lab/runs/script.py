# SPDX-License-Identifier: MIT
"""``lab run SCRIPT.py``: a script of Mininet-WiFi runs in a guest; the host resolves the network that it builds."""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import shutil
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lab.errors import InputError, LabError, RunError, flat, warn, writing
from lab.machine import batch
from lab.machine.channel import Channel
from lab.machine.guest import Guest
from lab.machine.memory import GUEST_BYTES, guest_bytes
from lab.machine.run_directory import PLAN, new_directory
from lab.plan import load
from lab.runs.limits import ending_after, wall_s
from lab.runs.ranges import Powers
from lab.runs.session import PIECE_NS, WORKLOAD, HostSession
from lab.runs.sessions import attachable
from lab.runs.shell import end_by_signals, terminal_kept
from lab.runs.start import machine_for, started
from lab.shared.scripts import INTERRUPT, STDERR
from lab.shared.types import Node, Plan
from lab.terminal import reporter, say

_WORK = "work"  # in the run directory: the folder in which the script runs
_TRANSIENT = ("pulse", "started", STDERR, INTERRUPT)  # used only while a guest runs
_DAY_NS = 86_400_000_000_000
_MOST_BYTES, _MOST_FILES = 16 << 20, 1000  # of the script's folder, that go along
_DONE = {"done": True}
_PLOT = "plotGraph.svg"
_CONTROLLER = "controller"  # an image
_OUTSIDE = ("RemoteController", "Ryu")
_PROMPTS = ("CLI", "CLI_wifi", "interact", "input")
_COPY_EVERY_S = 0.05
_LAST_WORDS_S = 5.0  # that a script has after Ctrl-C, in wall time
_OF_NETWORK = ("event", "describe", "levels", "terminal", "capture")  # what a script may ask of its session
_AT_TERMINAL = ("forward",)  # in addition, where somebody sits
_FIXED = ("workload.duration=24h", "topology.timeline=[]")  # as of lab shell


@dataclass(frozen=True)
class ScriptOptions:
    """The options of ``lab run SCRIPT.py``."""

    script: Path
    arguments: Sequence[str] = ()
    seed: int = 1
    overrides: Sequence[str] = ()  # of --set
    out: Path | None = None
    real: bool | None = None  # real time; None: if the script opens a prompt on a terminal
    timeout: str | None = None  # in wall time
    source: Path | None = None  # of the kernel
    kernel: str | None = None  # that has been built: beginning of its hash


def run(options: ScriptOptions) -> int:
    """Run a script; return its exit status.

    Raises:
        InputError, InputErrors: If the script or its network has a mistake.
        RunError: If its guest failed, or it took longer than the timeout.
    """
    text = load.text_file(options.script)
    _check_syntax(options.script, text)
    at_terminal = os.isatty(0) and os.isatty(1)
    real = _opens_prompt(text) and at_terminal if options.real is None else options.real
    directory = new_directory(options.script.stem, options.out)
    try:
        session = _run(options, directory, real=real, convert=None)
    except KeyboardInterrupt:
        say(f"the files of the script are in {directory / _WORK}", file=sys.stderr)
        raise
    if session.changed():
        say(f"the files of the script are in {session.work}", file=sys.stderr)
    return session.status


def convert(options: ScriptOptions, path: Path) -> str:
    """Return the topology file that says the same as a script, for ``path``.

    Raises:
        InputError, InputErrors: If the script or its network has a mistake.
        RunError: If its guest failed, or it ended without a network.
    """
    from lab.machine.scratch import scratch

    load.text_file(options.script)
    with scratch({}) as home:
        directory = home / "script"
        with writing(directory):
            directory.mkdir()
        session = _run(options, directory, real=False, convert=path)
    if session.converted is None:
        raise RunError(f"{options.script}: it ended before it built a network")
    return session.converted


def _run(options: ScriptOptions, directory: Path, *, real: bool, convert: Path | None) -> ScriptAnswers:
    timeout_s = wall_s("--timeout", options.timeout)
    plan = _nothing(options, _controllers(load.text_file(options.script)))
    with reporter() as report:
        machine = machine_for(plan, WORKLOAD, report, source=options.source, built=options.kernel)
    terminal = real and os.isatty(0) and os.isatty(1)
    apart = convert is None and not terminal and not os.path.sameopenfile(1, 2)
    session = ScriptAnswers(options, directory, terminal=terminal, real=real, apart=apart, convert=convert)
    with ending_after(timeout_s, str(options.script)), Channel(attachable=terminal) as channel:
        if terminal:
            with (
                terminal_kept(),
                attachable(channel, options.script.stem) as session.socket,
                started(plan, machine, directory, mode="script-at-terminal", channel=channel) as guest,
            ):
                _wait_at_terminal(guest, session)
        else:
            mode = "script-in-real-time" if real else "script"
            with (
                _copied(directory / STDERR) if apart else contextlib.nullcontext(),
                batch.printing(
                    lambda console: started(plan, machine, directory, mode=mode, console=console, channel=channel),
                    (sys.stdout if convert is None else sys.stderr).buffer,
                ) as guest,
            ):
                _wait(guest, session, directory, None if real else str(options.script))
    for name in _TRANSIENT:
        (directory / name).unlink(missing_ok=True)
    session.judge()
    return session


def _wait(guest: Guest, session: ScriptAnswers, directory: Path, watched: str | None) -> None:
    """Wait until the guest is off; Ctrl-C reaches the script, which may end by itself."""
    try:
        guest.wait(session.answer, watched=watched)
    except KeyboardInterrupt:
        (directory / INTERRUPT).touch()
        with ending_after(_LAST_WORDS_S, "the script"), contextlib.suppress(RunError):
            guest.wait(session.answer, watched=watched)
        raise


@contextlib.contextmanager
def _copied(file: Path) -> Iterator[None]:
    """Copy what is appended to a file to standard error, until the end."""
    ended = threading.Event()

    def copy() -> None:
        position, last = 0, False
        while not last:
            last = ended.wait(_COPY_EVERY_S)
            if file.exists():
                with file.open("rb") as stream:
                    stream.seek(position)
                    sys.stderr.buffer.write(stream.read())
                    sys.stderr.flush()
                    position = stream.tell()

    copier = threading.Thread(target=copy)
    copier.start()
    try:
        yield
    finally:
        ended.set()
        copier.join()


def _check_syntax(script: Path, text: str) -> None:
    """Refuse what no Python 3 can run, before a guest starts.

    Raises:
        InputError: If it has a mistake.
    """
    try:
        ast.parse(text)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        old = re.search(r"(?m)^\s*(print\s+[^=(\s]|except\s+\w+\s*,\s*\w+\s*:)", text)
        hint = "it is written for Python 2: 2to3 -w converts it" if old else None
        raise InputError(f"{script}:{line or 1}  {getattr(error, 'msg', error)}", hint=hint) from None


def _wait_at_terminal(guest: Guest, session: ScriptAnswers) -> None:
    """Wait until the guest is off; Ctrl-C belongs to the script."""
    end_by_signals()
    while True:
        try:
            guest.wait(session.answer)
            return
        except KeyboardInterrupt:
            continue


def _nothing(options: ScriptOptions, controllers: bool) -> Plan:
    """Return the plan of a guest in which nothing exists yet; with the image of controllers, if there may be some."""
    name = options.script.stem
    nodes = [Node("c0", "controller", [], None, 0, 0, None, [], None, 1, image=_CONTROLLER)] if controllers else []
    return Plan(name, "", name, WORKLOAD, options.seed, _DAY_NS, {}, nodes, [], [], [], [], [], [])


def _controllers(text: str) -> bool:
    """Return whether a script names controllers that program switches."""
    return any(re.search(rf"\b{name}\b", text) for name in _OUTSIDE)


def _opens_prompt(text: str) -> bool:
    """Return whether a script calls what opens a prompt; one that cannot be parsed says so when it runs."""
    with contextlib.suppress(SyntaxError, ValueError):
        for node in ast.walk(ast.parse(text)):
            called = [node.func] if isinstance(node, ast.Call) else []
            bases = node.bases if isinstance(node, ast.ClassDef) else []  # a prompt of the script's own
            if any(getattr(one, "id", getattr(one, "attr", None)) in _PROMPTS for one in (*called, *bases)):
                return True
    return False


class ScriptAnswers:
    """The host's part of a script's session: it answers what the guest asks (lab.mininet_wifi)."""

    def __init__(
        self, options: ScriptOptions, directory: Path, *, terminal: bool, real: bool, apart: bool, convert: Path | None
    ) -> None:
        self.work = directory / _WORK
        self.status = 1
        self.converted: str | None = None
        self._options = options
        self._directory = directory
        self._told = {"terminal": terminal, "virtual": not real, "apart": apart}
        self._powers = Powers([], 0.0)
        self._convert = convert
        self._ended: str | None = None  # its message
        self._error: LabError | None = None  # about its network
        self._session: HostSession | None = None
        self.socket: Path | None = None  # of a session at a terminal
        self._lines: Iterator[bytes] | None = None
        with writing(self.work):
            self._before = _copy(options.script, self.work)
        self._answers: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "script": self._script,
            "network": self._network,
            "power": self._power,
            "line": self._line,
            "end": self._end,
        }

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Answer a question of the guest, ``{"what": …, …}``: any program in it may ask, and nobody trusts scripts."""
        if asked["what"] in self._answers:
            return self._answers[asked["what"]](asked)
        if asked["what"] not in (*_OF_NETWORK, *(_AT_TERMINAL if self._told["terminal"] else ())):
            return {"refused": f"{asked['what']} is for lab shell: a script uses no file and no port of the host"}
        if self._session is None:
            return {"refused": f"{asked['what']} needs a network; call build() first"}
        return self._session.answer(asked)

    def judge(self) -> None:
        """Report a script that has not ended as it should.

        Raises:
            InputError, InputErrors: If it has a mistake.
            RunError: If it failed, or its guest did.
        """
        if self._error is not None:
            raise self._error
        if self._ended is None:
            raise RunError(f"{self._options.script}: its guest ended early; its output shows why")
        if self._ended:
            raise (InputError if self.status == InputError.exit_status else RunError)(self._ended)

    def changed(self) -> bool:
        """Return whether the script has written files."""
        return _state(self.work) != self._before

    def _script(self, _asked: dict[str, Any]) -> dict[str, Any]:
        return {
            "name": self._options.script.name,
            "arguments": list(self._options.arguments),
            **self._told,
        }

    def _line(self, _asked: dict[str, Any]) -> dict[str, Any]:
        """Return the next line of the host's standard input; None at its end."""
        if self._lines is None:
            self._lines = iter(io.FileIO(0, closefd=False))
        line = next(self._lines, None)
        return {"line": None if line is None else line.decode(errors="replace").rstrip("\n")}

    def _end(self, asked: dict[str, Any]) -> dict[str, Any]:
        self.status, self._ended = asked["status"], asked["message"]
        return _DONE

    def _network(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Resolve the network of the script, and leave its plan where the guest reads it."""
        for note in asked["notes"]:
            warn(note, self._options.script.name)
        try:
            self._powers = Powers(asked["entries"], asked["noise_dbm"])
            plan = self._planned(self._powers.entries())
        except LabError as error:
            self._error = error
            return {"refused": "; ".join(one.message for one in flat(error)) if isinstance(error, InputError) else ""}
        if self._convert is not None:
            assert self._session is not None  # it has just been planned
            self.converted = self._session.text(self._convert, f"What {self._options.script.name} builds.")
            return {"converted": True}
        with writing(self._directory / PLAN):
            (self._directory / PLAN).write_text(plan.to_json())
        if asked["plots"]:
            from lab.report import topology

            topology.write(plan, self.work / _PLOT)
        return {"ranges": self._powers.ranges()}

    def _power(self, asked: dict[str, Any]) -> dict[str, Any]:
        return {"dbm": self._powers.power_dbm(asked["radio"], asked["range_m"])}

    def _planned(self, entries: Sequence[Sequence[Any]]) -> Plan:
        topology = self._directory / f"{self._options.script.stem}.yaml"
        with writing(topology):
            topology.write_text(f"name: {json.dumps(self._options.script.stem)}\n", encoding="utf-8")
        overrides = [f"topology.{key}={json.dumps(value)}" for key, value, _ in entries]
        locations: Mapping[str, str] = {f"topology.{key}": where for key, _, where in entries}
        overrides += [*self._options.overrides, *_FIXED]
        plan = load.load(
            str(topology), WORKLOAD, self._options.seed, overrides, locations=locations, piece=(0, PIECE_NS)
        )
        if set(plan.images()) - {_CONTROLLER}:
            raise InputError("nodes of a script cannot have images yet", hint="write a topology file instead")
        if guest_bytes(plan) > GUEST_BYTES:
            raise InputError(
                f"{len(plan.nodes)} nodes need more memory than the guest of a script has yet",
                hint="write a topology file instead: lab convert does so",
            )
        self._session = HostSession(self._directory, str(topology), self._options.seed, overrides, locations)
        self._session.socket = self.socket
        return plan


def _copy(script: Path, work: Path) -> dict[str, tuple[int, int]]:
    """Copy a script with its folder if that is small, or with the Python files in it; return their state."""
    work.mkdir()
    folder = script.resolve().parent
    found = list(_files(folder, "**/*"))
    if _too_much(found):
        python = list(_files(folder, "*.py"))
        others = sorted(set(_files(folder, "*")) - set(python), key=lambda file: file.stat().st_size)
        found = python
        while others and not _too_much([*found, others[0]]):
            found.append(others.pop(0))
        warn(
            f"its folder has more than {_MOST_BYTES >> 20} MB or {_MOST_FILES} files: only the Python files of the "
            "folder itself go along, and others as long as there is room, the smallest first",
            script.name,
        )
    for file in found:
        target = work / file.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, target)
    if script.resolve().name != script.name or not (work / script.name).exists():
        shutil.copy(script, work / script.name)
    return _state(work)


def _too_much(files: Sequence[Path]) -> bool:
    return len(files) > _MOST_FILES or sum(file.stat().st_size for file in files) > _MOST_BYTES


def _files(folder: Path, pattern: str) -> Iterator[Path]:
    """Yield the files of a folder, without those of tools; one more than the limit ends the search."""
    number = 0
    for file in folder.glob(pattern):
        parts = file.relative_to(folder).parts
        if any(part.startswith(".") or part in ("__pycache__", "runs") for part in parts) or file.is_symlink():
            continue
        if file.is_file():
            yield file
            number += 1
            if number > _MOST_FILES:
                return


def _state(work: Path) -> dict[str, tuple[int, int]]:
    """Return size and time of each file."""
    found = (file for file in work.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
    return {str(file): (file.stat().st_size, file.stat().st_mtime_ns) for file in found}
