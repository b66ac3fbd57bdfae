# SPDX-License-Identifier: MIT
"""The cache of build results that all runs share: kernels, images, sources, each under the hash of its inputs.

    <root>/<shelf>/<key>/           a finished entry; immutable
    <root>/<shelf>/.partial-<key>/  being built, or left by an interrupted build
    <root>/<shelf>/.lock            held during a build; contains the builder's process id
    <root>/log/<shelf>.log          output of the last build of that shelf

An entry is published by one rename, so it is complete or absent. What happens to it later is noticed by the size of its
large files, which is noted next to them; an entry that is damaged counts as absent, and is built again. Only the holder
of the lock creates or removes partial directories.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from lab.cache.report import Report
from lab.errors import HostError

PARTIAL = ".partial-"
SCRATCH = "scratch"  # in a partial directory: names a second directory of that build, removed with it
SIZES = ".sizes.json"  # in an entry: bytes of its large files, by name
LARGE_BYTES = 100_000
UNUSED_DAYS = 30  # entries unused for longer are removed when the next one of their shelf is built
MOVE_HINT = "XDG_CACHE_HOME=/some/dir moves the cache"


def cache_root() -> Path:
    """Return ``${XDG_CACHE_HOME:-~/.cache}/hwsim-lab``; as its specification demands, ignore a relative path there."""
    configured = os.environ.get("XDG_CACHE_HOME", "")
    base = Path(configured) if configured.startswith("/") else Path.home() / ".cache"
    return base / "hwsim-lab"


def content_key(*parts: bytes | str) -> str:
    """Return a key for content: 20 hex digits of a hash over all parts and their boundaries."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()[:20]


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file, as hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def free_bytes(directory: Path) -> int:
    """Return the free space on the file system of ``directory`` or, if it does not exist yet, of its nearest parent."""
    while not directory.exists() and directory != directory.parent:
        directory = directory.parent
    return shutil.disk_usage(directory).free


def host_error(error: OSError, directory: Path) -> HostError:
    """Turn an OSError during a build into an error for the user."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return no_space(directory)
    reason = os.strerror(error.errno) if error.errno else str(error)
    return HostError(f"cannot write the cache {directory}: {reason}", hint=f"make it writable, or {MOVE_HINT}")


def no_space(directory: Path, needed_bytes: int | None = None) -> HostError:
    """Return the error for a full disk."""
    free_mb = free_bytes(directory) // 1_000_000
    needed = f"; the build needs about {needed_bytes // 1_000_000} MB" if needed_bytes else ""
    return HostError(
        f"no space left in {directory}: {free_mb} MB free{needed}",
        hint=f"free some (`lab clean` empties the cache), or {MOVE_HINT}",
    )


class Store:
    """All entries of one shelf."""

    def __init__(self, shelf: str, what: str, *, most: int | None = None) -> None:
        self.shelf = shelf
        self.most = most  # entries that stay when another one is built, those used last; None: all
        self.what = what  # as messages call it: "the kernel"
        self.root = cache_root()
        self.directory = self.root / shelf
        self.log = self.root / "log" / f"{shelf}.log"

    def path(self, key: str) -> Path:
        """Return the path of the entry of that key, whether it exists or not."""
        return self.directory / key

    def has(self, key: str) -> bool:
        """Return whether the entry exists and is not damaged. Asking counts as use."""
        try:
            os.utime(self.path(key))
        except FileNotFoundError:
            return False
        except OSError:  # another user's cache, which is read-only
            return self.path(key).is_dir() and self.damage(key) is None
        return self.damage(key) is None

    def damage(self, key: str) -> str | None:
        """Describe a large file of an entry that does not have its size; None if all have theirs."""
        try:
            sizes = json.loads((self.path(key) / SIZES).read_text())
        except (FileNotFoundError, NotADirectoryError):
            return None  # it has no large files
        except ValueError:
            return f"{SIZES} is not readable"
        for name, size in sizes.items():
            path = self.path(key) / name
            found = path.stat().st_size if path.is_file() else 0
            if found != size:
                return f"{name} has {found} of {size} bytes"
        return None

    def remove(self, key: str, report: Report) -> None:
        """Remove an entry, if it exists."""
        with self.lock(report):
            if self.path(key).exists():
                remove_tree(self.path(key))

    def build(
        self,
        key: str,
        make: Callable[[Path], None],
        report: Report,
        *,
        needed_bytes: int,
        replace: bool = False,
    ) -> Path:
        """Return the entry of that key; if it does not exist or is damaged, create it with ``make(directory)``.

        Waits while another process builds for this shelf. If ``make`` fails, only the log remains.

        Args:
            key: What the content depends on, see ``content_key``.
            make: Fills the directory it is given.
            report: Reports waiting.
            needed_bytes: Peak disk space of the build.
            replace: Build it even if it exists; the old one stays until the new one is finished.

        Raises:
            HostError: If the cache cannot be written, or the disk is full.
        """
        if not replace and self.has(key):
            return self.path(key)
        with self.lock(report):
            if not replace and self.has(key):  # another process built it while holding the lock
                return self.path(key)
            if (damage := self.damage(key)) and not replace:
                report.step(f"{self.what} in the cache is damaged ({damage}): building it again")
            self._prune()
            if free_bytes(self.directory) < needed_bytes:
                raise no_space(self.directory, needed_bytes)
            partial = self.directory / f"{PARTIAL}{key}"
            try:
                partial.mkdir()
                make(partial)
                self._publish(partial, key)
            except OSError as error:
                remove_tree(partial)
                raise host_error(error, self.directory) from error
            except BaseException:
                remove_tree(partial)
                raise
        return self.path(key)

    def _prune(self) -> None:
        oldest_s = time.time() - UNUSED_DAYS * 86400
        used_s = {entry: entry.stat().st_mtime for entry in self.directory.glob("[!.]*")}
        for number, entry in enumerate(sorted(used_s, key=used_s.__getitem__, reverse=True), 1):
            if used_s[entry] < oldest_s or (self.most is not None and number > self.most):
                remove_tree(entry)

    def _publish(self, partial: Path, key: str) -> None:
        sizes = {path.name: path.stat().st_size for path in sorted(partial.iterdir()) if path.is_file()}
        if large := {name: size for name, size in sizes.items() if size >= LARGE_BYTES}:
            (partial / SIZES).write_text(json.dumps(large, indent=2) + "\n")
        if self.path(key).exists():
            old = self.directory / f"{PARTIAL}old-{key}"
            self.path(key).rename(old)
            partial.rename(self.path(key))
            remove_tree(old)
        else:
            partial.rename(self.path(key))

    @contextlib.contextmanager
    def lock(self, report: Report) -> Iterator[None]:
        """Hold the lock of this shelf; first remove what an interrupted build left.

        Programs that are given its descriptor (``lock_descriptors``) inherit the lock, so that a program which outlives
        a killed lab still keeps the next one out.
        """
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            self.log.parent.mkdir(exist_ok=True)
            descriptor = os.open(self.directory / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise host_error(error, self.directory) from error
        try:
            self._acquire(descriptor, report)
            for partial in self.directory.glob(f"{PARTIAL}*"):
                report.step(f"removing what an interrupted build of {self.what} left")
                remove_tree(partial)
            _held[self.shelf] = descriptor
            yield
        finally:
            _held.pop(self.shelf, None)
            os.close(descriptor)

    def _acquire(self, descriptor: int, report: Report) -> None:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 32, 0).decode(errors="replace").strip() or "unknown"
            report.step(f"another lab (pid {holder}) is building {self.what}; waiting for it")
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)


_held: dict[str, int] = {}


def lock_descriptors() -> tuple[int, ...]:
    """Return the descriptors of the locks that this process holds, for programs that must inherit them."""
    return tuple(_held.values())


def remove_tree(directory: Path) -> None:
    """Remove a directory tree, including files that an ordinary user's mmdebstrap left under its sub-uids."""
    if directory.is_file() or directory.is_symlink():
        directory.unlink()
        return
    scratch = directory / SCRATCH
    if scratch.is_file():  # a build's second directory, noted before it was made
        remove_tree(Path(scratch.read_text()))
    shutil.rmtree(directory, ignore_errors=True)
    if not directory.exists():
        return
    with contextlib.suppress(FileNotFoundError):  # no unshare: reported by the error below
        subprocess.run(
            ["unshare", "--user", "--map-root-user", "--map-auto", "rm", "-rf", "--one-file-system", str(directory)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    if directory.exists():
        raise HostError(f"cannot remove {directory}", hint="remove this partial build by hand, then try again")


def clean(shelves: list[str] | None = None) -> dict[str, int]:
    """Empty the cache, or only some shelves of it; return the bytes freed by shelf.

    Raises:
        HostError: If a lab is building right now, or something cannot be removed.
    """
    base = cache_root()
    if not base.is_dir():
        return {}
    freed = {}
    for directory in sorted(path for path in base.iterdir() if path.is_dir()):
        if shelves is None or directory.name in shelves:
            freed[directory.name] = sum(path.lstat().st_blocks * 512 for path in directory.rglob("*"))
            _clean_shelf(directory)
    return freed


def _clean_shelf(directory: Path) -> None:
    lock = directory / ".lock"
    if not lock.exists():
        remove_tree(directory)
        return
    with lock.open("r+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = file.read().strip()
            raise HostError(
                f"a lab (pid {holder}) is building in {directory}", hint="wait until it is done, or stop it"
            ) from None
        for entry in directory.iterdir():
            if entry != lock:
                remove_tree(entry)
