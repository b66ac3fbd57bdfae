# SPDX-License-Identifier: MIT
"""A node of a lab that a program drives."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast, overload

from lab import left
from lab.errors import LabError
from lab.lockstep.errors import CallError
from lab.lockstep.forward import Forward
from lab.lockstep.process import TIMEOUT_S, LabOfProcesses, Process, Result
from lab.lockstep.words import Time, argv_of, bytes_of, environment_of, mode_of, text_of, time_ns
from lab.model.ports import port_mistake
from lab.named import Named
from lab.shared.types import Node as Spec

__tracebackhide__ = True  # pytest shows the line of the caller
_UNFIT = re.compile(r"[^A-Za-z0-9._-]+")  # for the name of a file
MOST_BYTES = 64 << 20  # of a folder that is copied to the host, unless more is allowed
_MOST_NAME = 100  # characters of a program in the name of a file


@dataclass(frozen=True)
class Interface:
    """A network interface of a node."""

    name: str
    mac: str
    up: bool  # it can carry packets: a station is associated, a wired link is up at both ends
    mtu: int
    addresses: list[str]  # with their prefixes: "10.0.0.2/8"


class Node:
    """A node. ``spec`` is what the plan says about it."""

    _numbers = itertools.count()

    def __init__(self, lab: LabOfProcesses, spec: Spec) -> None:
        self.name = spec.name
        self.kind = spec.kind
        self.spec = spec
        self._lab = lab

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}>"

    @property
    def ip(self) -> str | None:
        """Its address, without the prefix; None of a node without one."""
        return self.spec.ip.split("/")[0] if self.spec.ip else None

    @property
    def mac(self) -> str | None:
        """The MAC address of its radio, or else of its first interface."""
        if self.spec.radio:
            return self.spec.radio.mac
        return self.spec.interfaces[0].mac if self.spec.interfaces else None

    def run(
        self,
        argv: Sequence[str],
        *,
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        timeout_s: Time = TIMEOUT_S,
        check: bool = False,
    ) -> Result:
        """Run a program to its end, while virtual time passes.

        Args:
            argv: the command, as a list; names of nodes stand for their addresses.
            input: what it reads; default: nothing.
            cwd: its working directory in the node; default: /, or that of the node's Docker image.
            env: further variables of its environment.
            timeout_s: of virtual time; after that it is killed.
            check: raise CommandError unless it ends with 0.

        Raises:
            CommandError: If the program could not start; or if it failed, and ``check`` is set.
            WaitError: If it has not ended in time.
        """
        process = self._start(argv, f'net["{self.name}"].run', input, cwd, env)
        try:
            result = process.wait(timeout_s)
        except BaseException:
            with contextlib.suppress(LabError):  # the lab is over
                process.kill()
            raise
        return result.check() if check else result

    def popen(
        self,
        argv: Sequence[str],
        *,
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        tty: bool = False,
    ) -> Process:
        """Start a program; parameters as those of ``run``. What still runs at the end of the lab gets SIGTERM.

        ``tty``: its streams are a terminal, at which ``Process.send`` types; its ``stdout`` is what that shows.
        """
        if tty and input is not None:
            raise CallError(f'net["{self.name}"].popen: input and tty do not go together; type with send()')
        return self._start(argv, f'net["{self.name}"].popen', input, cwd, env, tty)

    def put(self, content: bytes | str | Path, path: str | Path, mode: int | None = None) -> None:
        """Write a file to the node, or the files of a folder.

        Args:
            content: of the file; a Path is a file of the host, whose mode it gets by default, or a folder, whose files
                get their own.
            path: its absolute path in the node; directories are made.
            mode: its permissions; default: 0o644.

        Raises:
            CallError: If the host has no such file, a link leads out of the folder, or it cannot be written there.
        """
        target = text_of(path, "put: the path")
        permissions = None if mode is None else mode_of(mode)
        if not isinstance(content, Path):
            given = bytes_of(content, f'net["{self.name}"].put: the content')
            self._put(target, 0o644 if permissions is None else permissions, lambda file: file.write_bytes(given))
            return
        for name, source in self._sources(content).items():
            own = source.stat().st_mode & 0o777 if permissions is None else permissions
            self._put(str(Path(target, name)), own, partial(shutil.copyfile, source))

    def _put(self, path: str, mode: int, fill: Callable[[Path], object]) -> None:
        given = self._new_file()
        try:
            fill(given)
            self._lab.ask("put", node=self.name, path=path, mode=mode, file=given.name)
        finally:
            given.unlink(missing_ok=True)

    def _sources(self, path: Path) -> dict[str, Path]:
        """Return the file at a path, or those below it by their paths in there."""
        if not path.is_dir():
            if not path.is_file():
                raise CallError(f'net["{self.name}"].put: {path} does not exist (in {Path.cwd()})')
            return {"": path}
        found = {}
        for file in sorted(path.rglob("*")):
            name, leads_to = file.relative_to(path), file.resolve()
            if file.is_symlink() and not (leads_to.is_file() and leads_to.is_relative_to(path.resolve())):
                raise CallError(f'net["{self.name}"].put: {file} is a link, but not to a file in {path}')
            if file.is_file():
                found[str(name)] = file
        return found

    @overload
    def get(self, path: str | Path) -> bytes: ...

    @overload
    def get(self, path: str | Path, to: str | Path, *, at_most_bytes: int = MOST_BYTES) -> None: ...

    def get(self, path: str | Path, to: str | Path | None = None, *, at_most_bytes: int = MOST_BYTES) -> bytes | None:
        """Return the content of a file of the node; with ``to``, copy a file or a folder to the host.

        Args:
            path: its absolute path in the node.
            to: the path of the copy; in folders, links are left out.
            at_most_bytes: the largest total size of a folder's files.

        Raises:
            CallError: If the node has no such file, or the folder is larger.
        """
        source = text_of(path, "get: the path")
        if to is None:
            return self._get(source)
        names = self._lab.ask("files", node=self.name, path=source, at_most_bytes=at_most_bytes)["files"]
        target = Path(to)
        if names is None:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(self._get(source))
            return None
        target.mkdir(parents=True, exist_ok=True)
        for name in cast(list[str], names):
            copy = target / name
            if not copy.resolve().is_relative_to(target.resolve()):
                raise CallError(f'net["{self.name}"].get: {copy} leads out of {target}')
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(self._get(str(Path(source, name))))
        return None

    def _get(self, path: str) -> bytes:
        got = self._new_file()
        try:
            self._lab.ask("get", node=self.name, path=path, file=got.name)
            return left.content(got)
        finally:
            got.unlink(missing_ok=True)

    def forward(self, port: int, *, quiet_s: Time = 1.0) -> Forward:
        """Offer a TCP port of the node on the host: ``urllib.request.urlopen(net["h1"].forward(80).url)``.

        Time passes while a connection waits for an answer, at most a minute, and until nothing has come for
        ``quiet_s``. Other calls of the lab wait for that.

        Args:
            port: of a program that listens.
            quiet_s: longer than any pause within an answer; of virtual time.

        Raises:
            CallError: If that is not a port, or no program listens there; lists what does.
        """
        if mistake := port_mistake(f"tcp/{port}"):
            raise CallError(f'net["{self.name}"].forward({port!r}): {mistake}')
        answer = self._lab.ask("listens", node=self.name, socket=f"tcp/{port}")
        if not answer["listens"]:
            raise CallError(
                f'net["{self.name}"].forward({port}): no program listens on tcp/{port}; '
                f"{answer['seen'] or f'{self.name} listens nowhere'}",
                hint=f'if it starts: net.wait_for(listening("{self.name}", "tcp/{port}"))',
            )
        return self._lab.forward(self.name, port, time_ns(quiet_s, "quiet_s"))

    def status(self) -> dict[str, str]:
        """Return what its hostapd or wpa_supplicant reports (STATUS): ``wpa_state``, ``bssid``, ``freq`` and more.

        Raises:
            CallError: If it has neither.
        """
        lines = str(self._lab.ask("status", node=self.name)["status"]).splitlines()
        return dict(line.split("=", 1) for line in lines if "=" in line)

    def interfaces(self) -> dict[str, Interface]:
        """Return its current network interfaces by name, without lo."""
        named = {}
        for one in json.loads(self.run(["ip", "-json", "address"], check=True).stdout):
            name, up = one["ifname"], "LOWER_UP" in one["flags"]
            addresses = [f"{address['local']}/{address['prefixlen']}" for address in one["addr_info"]]
            named[name] = Interface(name, one.get("address", ""), up, one["mtu"], addresses)
        named.pop("lo", None)
        return Named(f"interface of {self.name}", named, CallError)

    @property
    def ap(self) -> str | None:
        """The name of the access point that a station is associated with, and has keys with; None if with none."""
        status = self.status()
        return self._lab.ap_with(status.get("bssid", "")) if status.get("wpa_state") == "COMPLETED" else None

    def _start(
        self,
        argv: Sequence[str],
        example: str,
        input: str | bytes | None,
        cwd: str | None,
        env: Mapping[str, str] | None,
        tty: bool = False,
    ) -> Process:
        words = argv_of(argv, example)
        environment = environment_of(env)
        folder = None if cwd is None else text_of(cwd, "cwd:")
        name = f"{self.name}-{_UNFIT.sub('-', Path(words[0]).name[:_MOST_NAME])}"
        given = None
        if input is not None:
            given = self._new_file()
            given.write_bytes(bytes_of(input, "input:"))
        around: dict[str, Any] = {
            **({} if folder is None else {"cwd": folder}),
            **({"env": environment} if environment else {}),
        }
        around |= {"tty": True} if tty else {}
        started = self._lab.ask(
            "start", node=self.name, argv=words, name=name, stdin=None if given is None else given.name, **around
        )
        logs = (self._lab.logs / str(started["out"]), self._lab.logs / str(started["err"]))
        return Process(self._lab, self.name, words, int(str(started["process"])), logs)

    def _new_file(self) -> Path:
        return self._lab.exchanged / str(next(self._numbers))
