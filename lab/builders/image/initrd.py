# SPDX-License-Identifier: MIT
"""The initrd: static programs (images/initrd/*.c) in a cpio archive, written without root or cpio.

Format: "newc", described in the kernel's Documentation/driver-api/early-userspace/buffer-format.rst. All
stamps and owners are 0, so equal programs give equal archives.
"""

from __future__ import annotations

import hashlib
import stat
from dataclasses import dataclass
from pathlib import Path

from lab.builders.step import BuildLog
from lab.cache.report import Report
from lab.cache.store import Store, content_key
from lab.checkout import DATA

SOURCES = DATA / "images" / "initrd"
PROGRAMS = ("init", "container", "enter", "follow")
_COMPILE = ["gcc", "-std=gnu11", "-O2", "-static", "-Wall", "-Wextra", "-Werror"]
_NEEDED_BYTES = 20_000_000


@dataclass(frozen=True)
class Entry:
    """One file of the archive; ``device`` is (major, minor) of a character device."""

    path: str
    mode: int
    content: bytes = b""
    device: tuple[int, int] = (0, 0)


def _padding(length: int) -> bytes:
    return b"\0" * (-length % 4)


def _header(number: int, entry: Entry) -> bytes:
    name = entry.path.encode() + b"\0"
    fields = (
        number,
        entry.mode,
        0,  # owner
        0,  # group
        1,  # links
        0,  # modified
        len(entry.content),
        0,  # device the archive was made on
        0,
        entry.device[0],
        entry.device[1],
        len(name),
        0,  # checksum: none in this variant
    )
    head = b"070701" + b"".join(f"{value:08x}".encode() for value in fields) + name
    return head + _padding(len(head))


def archive(entries: list[Entry]) -> bytes:
    """Return the bytes of a newc archive of ``entries``, in this order, with the trailer."""
    parts: list[bytes] = []
    for number, entry in enumerate([*entries, Entry("TRAILER!!!", 0)], start=1):
        parts += [_header(number, entry), entry.content, _padding(len(entry.content))]
    return b"".join(parts)


def initrd(init: bytes, helpers: dict[str, bytes]) -> bytes:
    """Return the archive that the guest boots from: /init, its helpers in /bin, mount points, and init's console."""
    return archive(
        [
            Entry("dev", stat.S_IFDIR | 0o755),
            Entry("dev/console", stat.S_IFCHR | 0o600, device=(5, 1)),
            Entry("proc", stat.S_IFDIR | 0o755),
            Entry("root", stat.S_IFDIR | 0o755),
            Entry("bin", stat.S_IFDIR | 0o755),
            Entry("init", stat.S_IFREG | 0o755, content=init),
            *(Entry(f"bin/{name}", stat.S_IFREG | 0o755, content=program) for name, program in helpers.items()),
        ]
    )


@dataclass(frozen=True)
class Initrd:
    """An initrd, ready to boot."""

    path: Path
    sha256: str


def initrd_key() -> str:
    """Hash what an initrd depends on: its sources and this file."""
    return content_key(*(source.read_bytes() for source in _sources()), Path(__file__).read_bytes())


def _sources() -> list[Path]:
    return [SOURCES / f"{program}.c" for program in PROGRAMS]


def ensure_initrd(report: Report) -> Initrd:
    """Return the initrd of this checkout; compile it unless it is cached.

    Raises:
        BuildError: If a program does not compile.
        HostError: If the compiler or space is missing, or the cache is not writable.
    """
    store = Store("initrd", "the initrd")

    def make(directory: Path) -> None:
        report.step("Compiling the guest's init")
        log = BuildLog(store.log, directory)
        for source in _sources():
            log.run(f"compiling {source.name}", [*_COMPILE, "-o", source.stem, str(source)])
        programs = {program: (directory / program).read_bytes() for program in PROGRAMS}
        content = initrd(programs.pop("init"), programs)
        (directory / "initrd").write_bytes(content)
        (directory / "sha256").write_text(hashlib.sha256(content).hexdigest())

    entry = store.build(initrd_key(), make, report, needed_bytes=_NEEDED_BYTES)
    return Initrd(entry / "initrd", (entry / "sha256").read_text())
