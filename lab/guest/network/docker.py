# SPDX-License-Identifier: MIT
"""A Docker image of a node: a second root next to the base, with the same network, processes, names and limits.

hostapd, wpa_supplicant and probes are in the base, whatever the image has. The user's programs and files are here.
"""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from lab.guest import commands
from lab.guest.errors import GuestError
from lab.guest.network.container import Launch, Root, inside, opened, overlay, without_waiting
from lab.guest.tasks import ENVIRONMENT, run
from lab.shared import types
from lab.shared.paths import ENTER, IMAGES, NODES

_STACK_VARIABLES = ("LD_LIBRARY_PATH", "PYTHONPATH")  # by which programs find the code of a stack
_ACCOUNTS_MOST = 4 << 20  # bytes of /etc/passwd or /etc/group that are read
_MOST = (1 << 31) - 1  # of the numbers of users and groups, as in Docker


class _User(NamedTuple):
    uid: int
    gid: int
    groups: tuple[int, ...]
    home: str


class DockerRoot(Root):
    """The started image. Its programs run as its configuration has it."""

    def __init__(self, spec: types.Node, docker: types.Docker, mounts: Sequence[commands.Mount], base: Root) -> None:
        """Start it in the namespaces of the container ``base``.

        Raises:
            GuestError: If its user does not exist, or a folder that it needs cannot be made.
        """
        name = spec.name
        self.root = overlay(NODES / name, commands.DOCKER, str(IMAGES / (spec.image or "")))
        self._cwd = docker.cwd
        self._make_folders(["/etc", *(str(Path(target).parent) for _, target, _ in mounts), self._cwd], spec, docker)
        where = f"{spec.source}: {docker.source}"
        try:
            pid = run(commands.start_docker(spec, mounts, base.pid), culprit=name)
        except GuestError as error:
            why = error.message.rpartition(": container: ")[2]
            raise GuestError(f"{where} cannot be started: {why}", name) from None
        super().__init__(name, int(pid), base.procs)
        try:
            with self.files():
                _no_name_servers()
                passwd, group = lines_of("/etc/passwd"), lines_of("/etc/group")
        except OSError as error:
            raise GuestError(f"{where}: its /etc/resolv.conf cannot be replaced: {error.strerror}", name) from None
        try:
            self._user = user_of(docker.user, passwd, group)
        except KeyError as error:
            raise GuestError(f"{where} runs as {docker.user}, but has no {error.args[0]}", name) from None
        except ValueError as error:
            raise GuestError(f"{where} runs as {docker.user or 'root'}: {error}", name) from None
        self._environment = self._with_stacks({"HOSTNAME": name, "HOME": self._user.home, **docker.environment})

    def _make_folders(self, folders: Iterable[str], spec: types.Node, docker: types.Docker) -> None:
        """Make folders that the image lacks, also where its links lead nowhere, as Docker does.

        Raises:
            GuestError: If something else is there.
        """
        with opened(self.root) as root:
            for folder in folders:
                try:
                    with inside(root):
                        Path(os.path.realpath(folder)).mkdir(parents=True, exist_ok=True)
                except OSError as error:
                    raise GuestError(
                        f"{spec.source}: {docker.source}: its {folder} cannot be used as a folder: {error.strerror}",
                        spec.name,
                    ) from None

    @staticmethod
    def _with_stacks(environment: dict[str, str]) -> Mapping[str, str]:
        """Add what finds the code of the plan's stacks, if it has any; what the image sets itself takes precedence."""
        found = {name: ENVIRONMENT[name] for name in _STACK_VARIABLES if name in ENVIRONMENT}
        if not found:
            return environment
        stacks = [place for place in ENVIRONMENT["PATH"].split(":") if place.startswith("/opt/")]
        return {**found, **environment, "PATH": ":".join([*stacks, environment["PATH"]])}

    def launch(
        self,
        argv: Sequence[str],
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        user: int | None = None,
    ) -> Launch:
        """Do as in the base class, in the image's folder and as its user, unless another one is given."""
        uid, groups = self._identity() if user is None else (user, str(user))
        entered = [ENTER, str(self.pid), str(self.procs), "-d", cwd or self._cwd, "-u", f"{uid}:{groups}"]
        return [*entered, *argv], {**self._environment, **(env or {})}

    def for_shell(self, line: str) -> str:
        """Run the line in a shell of the image if that has its first program; a base's shell does not change places."""
        if not self._starts_with_program(line):
            return line
        line, background, _ = line.rstrip().partition(" &") if line.rstrip().endswith(" &") else (line, "", "")
        uid, user = self._identity()
        entered = [commands.ENTER_IN_NODE, str(self._pid_in_node()), "-", "-d", self._cwd, "-u", f"{uid}:{user}"]
        environment = {"TERM": ENVIRONMENT["TERM"], **self._environment}
        variables = [f"{name}={value}" for name, value in environment.items()]
        return shlex.join(["env", "-i", *variables, *entered, *self._in_shell(line)]) + background

    def as_words(self, line: str, background: bool) -> list[str]:
        """Do as in the base class, with what the image has; without a shell, it cannot be in the background."""
        if not self._starts_with_program(line):
            return super().as_words(line, background)
        return self._in_shell(f"({line}) &" if background and self.has("/bin/sh") else line)

    def _starts_with_program(self, line: str) -> bool:
        words = line.split(maxsplit=1)
        return bool(words) and self.has(words[0])

    def _in_shell(self, line: str) -> list[str]:
        if self.has("/bin/sh"):
            return ["/bin/sh", "-c", line]
        try:
            return [word for word in shlex.split(line) if word != "&"]
        except ValueError as error:
            raise GuestError(f"{self.name}: {error}, and its image has no /bin/sh", self.name) from None

    def _pid_in_node(self) -> int:
        status = Path(f"/proc/{self.pid}/status").read_text()
        return int(next(line for line in status.splitlines() if line.startswith("NSpid:")).split()[-1])

    def _identity(self) -> tuple[int, str]:
        """Return its user id, and groups as ``enter`` takes them."""
        uid, gid, groups, _ = self._user
        return uid, ",".join(str(number) for number in (gid, *groups))

    def has(self, program: str, directory: str | None = None) -> bool:
        places = [directory or self._cwd] if "/" in program else self._environment["PATH"].split(":")
        with self.files():
            return any(os.access(Path(place, program), os.X_OK) for place in places)


def _no_name_servers() -> None:
    """Empty resolv.conf: no name server of the image's build would answer here. Call it in the image."""
    file = Path("/etc/resolv.conf")
    file.unlink(missing_ok=True)
    file.write_text("")


def lines_of(file: str) -> list[list[str]]:
    """Return the fields of each line of a file such as passwd(5); none if the file does not exist.

    Images may have something there that has no end.
    """
    try:
        with open(file, "rb", opener=without_waiting) as found:
            content = found.read(_ACCOUNTS_MOST) if stat.S_ISREG(os.fstat(found.fileno()).st_mode) else b""
    except OSError:
        return []
    return [line.split(":") for line in (content or b"").decode(errors="replace").splitlines()]


def _number(text: str) -> int:
    """Return the number of a user or group, as Docker takes them; raise ValueError if it is not one."""
    if not text.isdecimal() or int(text) > _MOST:
        raise ValueError(f'"{text}" is not a valid number of a user or group')
    return int(text)


def user_of(text: str, passwd: list[list[str]], group: list[list[str]]) -> _User:
    """Return the user of an image: ``NAME``, ``UID``, or one of these with ``:GROUP`` or ``:GID``.

    Raises:
        KeyError: If no user or group has that name.
        ValueError: If a line has no valid number where one is needed.
    """
    wanted, _, wanted_group = (text or "0").partition(":")
    entry = next((line for line in passwd if len(line) > 5 and wanted in (line[0], line[2])), None)
    if entry is None and not wanted.isdigit():
        raise KeyError(f"user {wanted} in its /etc/passwd")
    uid, gid, home = (_number(entry[2]), _number(entry[3]), entry[5]) if entry else (_number(wanted), 0, "/")
    if wanted_group:
        named = next((line for line in group if len(line) > 2 and wanted_group in (line[0], line[2])), None)
        if named is None and not wanted_group.isdigit():
            raise KeyError(f"group {wanted_group} in its /etc/group")
        return _User(uid, _number(named[2]) if named else _number(wanted_group), (), home or "/")
    groups = [_number(line[2]) for line in group if len(line) > 3 and entry and entry[0] in line[3].split(",")]
    return _User(uid, gid, tuple(sorted(set(groups) - {gid})), home or "/")
