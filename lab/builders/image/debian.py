# SPDX-License-Identifier: MIT
"""mmdebstrap: Debian packages from Debian's default mirrors, checked against the archive's keys, into one tar file.

Works as root and, through user namespaces, as an ordinary user. The tree is made in a scratch directory outside
the cache: an ordinary user's home is closed to the sub-uids that own such a tree.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from lab.builders.image.namespaces import mount_namespace, namespace_problem
from lab.builders.step import BuildLog, require
from lab.cache.report import Report
from lab.cache.store import SCRATCH, free_bytes, no_space, remove_tree
from lab.errors import BuildError, HostError

SUITE = "trixie"
# "Get:3 http://… trixie/main amd64 libc6 amd64 2.41-12 [2847 kB]"
_GET = re.compile(r"^Get:\d+ \S+ \S+ \S+ (?P<package>\S+) \S+ (?P<version>\S+) \[(?P<size>[\d.,]+) (?P<unit>k?M?B)\]")
_NEED = re.compile(r"^Need to get (?P<size>[\d.,]+) (?P<unit>k?M?B)(?:/\S+ \S+)? of archives")
_UNITS = {"B": 1, "kB": 1_000, "MB": 1_000_000}
_UNKNOWN = re.compile(
    r"^E: (?:Unable to locate package (?P<name>\S+)|Package '(?P<virtual>\S+)' has no installation candidate"
    r"|Version '(?P<version>\S+)' for '(?P<of>\S+)' was not found)",
    re.MULTILINE,
)
_CONFLICT = re.compile(r"^The following packages have unmet dependencies:\n(?P<lines>(?: .+\n)+)", re.MULTILINE)
_REMOVED = re.compile(
    r"^The following packages will be REMOVED:\n((?: .+\n)+)(?s:.*)^E: Packages need to be removed", re.M
)
_CONFLICTS_SHOWN = 3
_NO_NETWORK = re.compile(r"Temporary failure resolving|Could not resolve|Could not connect|Network is unreachable")


class NoPackageError(BuildError):
    """Debian lacks the package, or this version of it. ``package`` is what a list has: NAME or NAME=VERSION."""

    def __init__(self, package: str, log: Path) -> None:
        name, _, version = package.partition("=")
        lacks = f'package "{name}"'
        if version:
            lacks = f'version "{version}" of "{name}"; without it, the newest one is installed'
        super().__init__(f"Debian {SUITE} has no {lacks}", hint=f"the whole log: {log}")
        self.package = package


class ConflictError(BuildError):
    """Packages that cannot be installed together."""


class DebianProgress:
    """Reports progress from the output of apt and dpkg.

    apt names a package when it starts to fetch it, and prints nothing more until the next one. In between, progress
    comes from the network interfaces' counters: an ordinary user cannot read apt's own directory.
    """

    def __init__(self, report: Report, received_bytes: Callable[[], int] | None = None) -> None:
        self.report = report
        self._received_bytes = received_bytes or network_received_bytes
        self._need_bytes: int | None = None
        self._done_bytes = 0  # all packages except the last one named
        self._size_bytes = 0  # of the last one named
        self._begun_at_bytes = 0
        self._text = ""
        self._set_up = 0
        self._unpacked = 0

    def line(self, text: str) -> None:
        """Take one line of the log and report what it says."""
        if found := _NEED.match(text):
            self._need_bytes, self._done_bytes, self._size_bytes = _bytes(found), 0, 0
        elif found := _GET.match(text):
            self._done_bytes += self._size_bytes
            self._size_bytes = _bytes(found)
            self._begun_at_bytes = self._received_bytes()
            self._text = f"fetching {found['package']} {found['version']} ({found['size']} {found['unit']})"
            self.report.progress(self._done_bytes, self._need_bytes, self._text)
        elif text.startswith("Fetched "):
            self._text = ""
        elif text.startswith("Unpacking "):
            self._unpacked += 1
            self.report.progress(self._unpacked, None, text.split(" ...")[0].lower())
        elif text.startswith("Setting up "):
            self._set_up += 1
            self.report.progress(self._set_up, self._unpacked, f"setting up {text.split()[2]}")

    def tick(self) -> None:
        """Report progress without a new line: apt is fetching a package, or something else takes time."""
        if self._text:
            received = min(self._received_bytes() - self._begun_at_bytes, self._size_bytes)
            done = self._done_bytes + received
            self.report.progress(min(done, self._need_bytes or done), self._need_bytes, self._text)


def network_received_bytes() -> int:
    """Return how many bytes all network interfaces except the loopback have received so far."""
    lines = [line.split(":") for line in Path("/proc/net/dev").read_text().splitlines()[2:]]
    return sum(int(counters.split()[0]) for name, counters in lines if name.strip() != "lo")


def _bytes(found: re.Match[str]) -> int:
    return int(float(found["size"].replace(",", "")) * _UNITS[found["unit"]])


def scratch_parent(needed_bytes: int, candidates: list[Path] | None = None) -> Path:
    """Return a directory that is open to everyone, has enough space, and allows execution.

    Raises:
        HostError: If none of the candidates ($TMPDIR, /var/tmp, /tmp) is suitable.
    """
    if candidates is None:
        configured = os.environ.get("TMPDIR", "")
        candidates = [*([Path(configured)] if configured else []), Path("/var/tmp"), Path("/tmp")]
    reasons = []
    for candidate in candidates:
        if not candidate.is_dir() or not os.access(candidate, os.W_OK):
            reasons.append(f"{candidate}: not a writable directory")
        elif os.statvfs(candidate).f_flag & os.ST_NOEXEC:
            reasons.append(f"{candidate}: mounted noexec")
        elif not _open_to_all(candidate):
            reasons.append(f"{candidate}: closed to other users, including the sub-uids of mmdebstrap")
        elif free_bytes(candidate) < needed_bytes:
            reasons.append(str(no_space(candidate, needed_bytes)).splitlines()[0])
        else:
            return candidate
    raise HostError(
        "no directory to unpack Debian packages in:\n    " + "\n    ".join(reasons),
        hint="set TMPDIR=/some/dir to use another one",
    )


def _open_to_all(directory: Path) -> bool:
    return all(path.stat().st_mode & 0o001 for path in (directory, *directory.resolve().parents))


def fetch_tar(
    tar: Path, options: list[str], packages: list[str], what: str, log: BuildLog, report: Report, needed_bytes: int
) -> None:
    """Create a tar file of packages with mmdebstrap.

    ``tar`` is in a partial directory of the cache; ``what`` is for messages: "fetching the kernel source".

    Raises:
        NoPackageError: If Debian does not have the package.
        BuildError: If the network cannot be reached, or another step failed.
        HostError: If space is missing, or mmdebstrap is not installed.
    """
    progress = DebianProgress(report)
    command = [*mount_namespace(), "mmdebstrap", *mode_options(), "--verbose", "--format=tar"]
    with _scratch(tar.parent, what, log, needed_bytes) as environment, tar.open("wb") as output:
        log.run(
            what,
            [*command, *options, f"--include={','.join(packages)}", SUITE, "-"],
            env=environment,
            on_line=progress.line,
            on_tick=progress.tick,
            stdout=output,
        )


@contextmanager
def _scratch(directory: Path, what: str, log: BuildLog, needed_bytes: int) -> Iterator[Mapping[str, str]]:
    """Make a directory for mmdebstrap's tree; yield the environment with it. Failures become errors that teach."""
    require("mmdebstrap")
    if problem := namespace_problem():
        raise HostError(f"{what}: {problem[0]}", hint=problem[1])
    scratch = scratch_parent(needed_bytes) / f"hwsim-lab-{os.urandom(6).hex()}"
    (directory / SCRATCH).write_text(str(scratch))  # first, so that a later cleanup finds it
    scratch.mkdir()
    scratch.chmod(0o755)
    try:
        yield {"TMPDIR": str(scratch)}
    except BuildError as error:
        said = log.path.read_text(errors="replace")
        if unknown := _UNKNOWN.search(said):
            raise NoPackageError(_listed(unknown), log.path) from error
        if conflict := _CONFLICT.search(said):
            lines = [" ".join(line.split()).replace(" : ", ": ") for line in conflict["lines"].splitlines()]
            shown = "; ".join(lines[:_CONFLICTS_SHOWN])
            raise ConflictError(f"Debian has no way to install these together: {shown}", hint=_whole(log)) from error
        if removed := _REMOVED.search(said):
            names = ", ".join(removed[1].split())
            raise ConflictError(f"they would remove packages of the base image: {names}", hint=_whole(log)) from error
        if _NO_NETWORK.search(said):
            raise BuildError(
                f"{what} failed: the Debian archive cannot be reached",
                hint=f"this step needs the network once; {_whole(log)}",
            ) from error
        raise
    finally:
        remove_tree(scratch)
        (directory / SCRATCH).unlink()


def _whole(log: BuildLog) -> str:
    return f"the whole log: {log.path}"


def _listed(unknown: re.Match[str]) -> str:
    """Return what a list has for a package that apt does not find."""
    return f"{unknown['of']}={unknown['version']}" if unknown["of"] else unknown["name"] or unknown["virtual"]


def mode_options() -> list[str]:
    """Return the option for the mode in which mmdebstrap creates a tree owned by root."""
    return ["--mode=root"] if os.geteuid() == 0 else ["--mode=unshare"]
