# SPDX-License-Identifier: MIT
"""A node of a lab that a program drives."""

from __future__ import annotations

import contextlib
import itertools
import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

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
    ) -> Process:
        """Start a program; parameters as those of ``run``. What still runs at the end of the lab gets SIGTERM."""
        return self._start(argv, f'net["{self.name}"].popen', input, cwd, env)

    def put(self, content: bytes | str | Path, path: str | Path, mode: int | None = None) -> None:
        """Write a file to the node.

        Args:
            content: of the file; a Path is a file of the host, whose mode it gets by default.
            path: its absolute path in the node; directories are made.
            mode: its permissions; default: 0o644.

        Raises:
            CallError: If the host has no such file, or it cannot be written there.
        """
        target = text_of(path, "put: the path")
        permissions = None if mode is None else mode_of(mode)
        if isinstance(content, Path):
            self._must_be_file(content)
        given = self._new_file()
        if isinstance(content, Path):
            shutil.copyfile(content, given)
            permissions = content.stat().st_mode & 0o777 if permissions is None else permissions
        else:
            given.write_bytes(bytes_of(content, f'net["{self.name}"].put: the content'))
        try:
            permissions = 0o644 if permissions is None else permissions
            self._lab.ask("put", node=self.name, path=target, mode=permissions, file=given.name)
        finally:
            given.unlink(missing_ok=True)

    def _must_be_file(self, path: Path) -> None:
        if path.is_dir():
            raise CallError(f'net["{self.name}"].put: {path} is a folder; put each of its files')
        if not path.is_file():
            raise CallError(f'net["{self.name}"].put: there is no file {path} (in {Path.cwd()})')

    def get(self, path: str | Path) -> bytes:
        """Return the content of a file of the node.

        Raises:
            CallError: If the node has no such file.
        """
        source = text_of(path, "get: the path")
        got = self._new_file()
        try:
            self._lab.ask("get", node=self.name, path=source, file=got.name)
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
    ) -> Process:
        words = argv_of(argv, example)
        environment = environment_of(env)
        folder = None if cwd is None else text_of(cwd, "cwd:")
        name = f"{self.name}-{_UNFIT.sub('-', Path(words[0]).name[:_MOST_NAME])}"
        given = None
        if input is not None:
            given = self._new_file()
            given.write_bytes(bytes_of(input, "input:"))
        around = {**({} if folder is None else {"cwd": folder}), **({"env": environment} if environment else {})}
        started = self._lab.ask(
            "start", node=self.name, argv=words, name=name, stdin=None if given is None else given.name, **around
        )
        logs = (self._lab.logs / str(started["out"]), self._lab.logs / str(started["err"]))
        return Process(self._lab, self.name, words, int(str(started["process"])), logs)

    def _new_file(self) -> Path:
        return self._lab.exchanged / str(next(self._numbers))
