# SPDX-License-Identifier: MIT
"""Layers of a Docker image, merged to one tar file (OCI image specification, "Image Layer Filesystem Changeset").

Owners, modes, times, hard links and file capabilities are those of the layers. ``.wh.NAME`` removes what lower layers
have, ``.wh..wh..opq`` all that they have in a folder. Device files are left out.

Layers may be from anyone. Paths stay in the image, wherever links lead; what Linux has no room for is an error, as is
what needs more memory or space than an image should.

Not done: POSIX ACLs and other extended attributes than capabilities and those of users.
"""

from __future__ import annotations

import math
import os
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from lab.shared.names import escaped

_WHITEOUT, _OPAQUE = ".wh.", ".wh..wh..opq"
_XATTR = "SCHILY.xattr."
_KEPT_XATTRS = (f"{_XATTR}security.capability", f"{_XATTR}user.")
_MOST_LINKS = 40  # as Linux follows them
_LATEST_S = (1 << 32) - 1  # squashfs has no room for more
_LARGEST_ID = (1 << 32) - 2  # of owners and groups
_NAME_BYTES, _PATH_BYTES = 255, 4095  # as Linux has them
_HEADER_BYTES = 1 << 20  # of a long name, or of extended attributes, which tarfile reads at once
MOST_FILES = 1_000_000  # of all layers; a file takes 1.2 KB of memory
MOST_BYTES = 20_000_000_000  # of all files, unpacked
_MOST_STEPS = 100_000_000  # from folder to folder, in about 30 s
_SHOWN = 60  # characters of a path that is too long
_LONG_HEADERS = (
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
)


class BrokenLayerError(ValueError):
    """A layer is not a tar file, or contradicts itself; ``str()`` says which one, and how."""


@dataclass(eq=False)
class _File:
    """A file, by one or more names."""

    member: tarfile.TarInfo
    source: tarfile.TarFile | None  # None: a folder that no layer describes
    children: dict[str, _File] = field(default_factory=dict)  # of a folder

    @property
    def is_folder(self) -> bool:
        return self.member.isdir()


@dataclass(frozen=True)
class Merged:
    """What is known of merged layers."""

    left_out: list[str]  # paths of device files
    newest_s: int  # the time of the newest file, since the epoch


class _Header(tarfile.TarInfo):
    """A header of a layer, whose size is checked before anything is read or skipped by it."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Self:
        made = super().frombuf(buf, encoding, errors)
        most = _HEADER_BYTES if made.type in _LONG_HEADERS else MOST_BYTES
        if not 0 <= made.size <= most:
            raise ValueError(f"{escaped(made.name)} is said to have {made.size} bytes; at most {most} are possible")
        return made


def merge(layers: list[Path], merged: Path) -> Merged:
    """Write the files of all layers together, but for device files.

    Args:
        layers: tar files, the lowest one first; may be changed.
        merged: the tar file to write, with names in order: equal layers give equal bytes.

    Raises:
        BrokenLayerError: If a layer cannot be read, or has what an image cannot have.
        OSError: If the disk is full.
    """
    left_out: list[str] = []
    with ExitStack() as opened, tarfile.open(merged, "w", format=tarfile.PAX_FORMAT) as target:
        tree = _Tree()
        for number, path in enumerate(layers, 1):
            try:
                end = _complete(path)
                source = opened.enter_context(tarfile.open(path, "r:", errorlevel=2, tarinfo=_Header))
                left_out += tree.apply(source, end)
            except RecursionError:
                raise BrokenLayerError(f"layer {number} of {len(layers)}: one file has too many headers") from None
            except (tarfile.TarError, EOFError, OSError, ValueError, OverflowError) as error:
                raise BrokenLayerError(f"layer {number} of {len(layers)}: {error}") from None
        first_names: dict[int, str] = {}
        newest_s = 0
        for name, file in _walk(tree.root.children):
            try:
                newest_s = max(newest_s, _write(target, name, file, first_names))
            except tarfile.TarError as error:  # parts of a sparse file are not there
                raise BrokenLayerError(f"{escaped(name)}: {error}") from None
    return Merged(sorted(set(left_out)), newest_s)


def _complete(path: Path) -> int:
    """Give a tar file the end that umoci's ``insert`` leaves out, and Go's programs do not miss; return its old end."""
    end = path.stat().st_size
    with path.open("ab") as file:
        file.write(bytes(-end % tarfile.BLOCKSIZE + 2 * tarfile.BLOCKSIZE))
    return end


def _implied() -> _File:
    """Make a folder that no layer describes."""
    member = tarfile.TarInfo("folder")
    member.type, member.mode = tarfile.DIRTYPE, 0o755
    return _File(member, None)


class _Tree:
    """The files of all layers so far, and how much more there may be."""

    def __init__(self) -> None:
        self.root = _implied()
        self._files = MOST_FILES
        self._bytes = MOST_BYTES
        self._steps = _MOST_STEPS

    def apply(self, source: tarfile.TarFile, end: int) -> list[str]:
        """Apply a layer, which is in the file up to ``end``; return its device files."""
        members = list(self._members(source, end))
        for parts, _ in members:  # they are about lower layers, wherever they are in this one
            if parts and parts[-1].startswith(_WHITEOUT):
                self._remove(parts)
        devices = []
        for parts, member in members:
            if not parts or parts[-1].startswith(_WHITEOUT):
                continue
            if member.ischr() or member.isblk():
                devices.append("/" + escaped("/".join(parts)))
                continue
            folder = self._follow(parts[:-1], make=True)
            if member.islnk():
                linked = self._find(_parts(member.linkname))
                if linked is None or linked.is_folder:
                    raise ValueError(
                        f"{escaped(member.name)} is a hard link to {escaped(member.linkname)}, which is not there"
                    )
                folder.children[parts[-1]] = linked
                continue
            there = folder.children.get(parts[-1])
            kept = there.children if there is not None and there.is_folder and member.isdir() else {}
            folder.children[parts[-1]] = _File(member, source, kept)
        return devices

    def _members(self, source: tarfile.TarFile, end: int) -> Iterator[tuple[list[str], tarfile.TarInfo]]:
        """Yield the files of a layer with their paths, once each is what an image can have."""
        for member in source:
            self._count_files(1 + len(member.pax_headers))
            parts = _parts(member.name)
            _check(member)
            if member.isreg() and not member.issparse() and member.offset_data + member.size > end:
                raise ValueError("unexpected end of data")
            self._bytes -= member.size
            if self._bytes < 0:
                raise ValueError(f"the image has more than {MOST_BYTES / 1e9:g} GB when unpacked")
            yield parts, member
        assert source.fileobj is not None  # it is open
        source.fileobj.seek(source.offset)
        if source.fileobj.read(tarfile.BLOCKSIZE).strip(b"\0"):  # tarfile takes a damaged header for the end
            raise ValueError(f"a damaged header after {len(source.getmembers())} files")

    def _count_files(self, more: int) -> None:
        self._files -= more
        if self._files < 0:
            raise ValueError(f"the image has more than {MOST_FILES:,} files and attributes of files")

    def _remove(self, parts: list[str]) -> None:
        """Do what a whiteout says. If its folder is not there, nor is what it removes."""
        with suppress(LookupError):
            folder = self._follow(parts[:-1])
            if parts[-1] == _OPAQUE:
                folder.children.clear()
            else:
                folder.children.pop(parts[-1].removeprefix(_WHITEOUT), None)

    def _find(self, parts: list[str]) -> _File | None:
        """Return a file, with symbolic links on the way followed within the image; None if it is not there."""
        with suppress(LookupError):
            parent = self._follow(parts[:-1])
            return self.root if not parts else parent.children.get(parts[-1])
        return None

    def _follow(self, parts: list[str], *, make: bool = False) -> _File:
        """Return the folder at a path, with symbolic links followed; with ``make``, make those that are not there.

        Raises:
            LookupError: If it does not exist, a file is on the way, or links form a circle; ValueError with ``make``.
        """
        way = [self.root]
        rest, links = list(reversed(parts)), 0
        while rest:
            self._steps -= 1
            if self._steps < 0:
                raise ValueError("its paths lead through too many folders and links")
            part = rest.pop()
            if part in ("", "."):
                continue
            if part == "..":
                way = way[:-1] or [self.root]
                continue
            found = way[-1].children.get(part)
            if found is None and make:
                self._count_files(1)
                found = way[-1].children[part] = _implied()
            if found is None:
                raise LookupError(part)
            if found.is_folder:
                way.append(found)
                continue
            links += 1
            if not found.member.issym() or links > _MOST_LINKS:
                text = f"{escaped('/'.join(parts))} leads through {escaped(part)}, which is not a folder"
                raise ValueError(text) if make else LookupError(text)
            if found.member.linkname.startswith("/"):
                way = [self.root]
            rest += reversed(found.member.linkname.split("/"))
        return way[-1]


def _parts(name: str) -> list[str]:
    """Return the names on a path in the image.

    Raises:
        ValueError: If it leads out of the image, or Linux has no room for it.
    """
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise ValueError(f"the path {escaped(name[:_PATH_BYTES])} leads out of it")
    if len(os.fsencode(name)) > _PATH_BYTES or any(len(os.fsencode(part)) > _NAME_BYTES for part in parts):
        raise ValueError(f"a path is too long for Linux: {escaped(name[:_SHOWN])}\N{HORIZONTAL ELLIPSIS}")
    return parts


def _check(member: tarfile.TarInfo) -> None:
    """Refuse what no file can have.

    Raises:
        ValueError: If it has that.
    """
    name = escaped(member.name)
    if member.type not in tarfile.SUPPORTED_TYPES:
        raise ValueError(f"{name} has the unknown type {member.type!r}")
    if member.size < 0:
        raise ValueError(f"{name} is said to have {member.size} bytes")
    if not math.isfinite(member.mtime):
        raise ValueError(f"{name} has the time {member.mtime}, which is not a number")
    if not (0 <= member.uid <= _LARGEST_ID and 0 <= member.gid <= _LARGEST_ID):
        raise ValueError(f"{name} belongs to {member.uid}:{member.gid}, which are not valid IDs")
    if member.issym() and not 0 < len(os.fsencode(member.linkname)) <= _PATH_BYTES:
        raise ValueError(f"{name} is a symbolic link of {len(os.fsencode(member.linkname))} bytes")


def _walk(children: dict[str, _File]) -> Iterator[tuple[str, _File]]:
    """Yield each file with its path, in order; without recursion, since folders may be deeper than Python's stack."""
    rest = [(name, children[name]) for name in sorted(children, reverse=True)]
    while rest:
        path, file = rest.pop()
        yield path, file
        rest += [(f"{path}/{name}", file.children[name]) for name in sorted(file.children, reverse=True)]


def _write(target: tarfile.TarFile, name: str, file: _File, first_names: dict[int, str]) -> int:
    """Write one name of a file; return its time. ``first_names`` has those of written files, by ``id``."""
    member = file.member
    made = tarfile.TarInfo(f"./{name}")
    made.type, made.mode, made.uid, made.gid = member.type, member.mode & 0o7777, member.uid, member.gid
    made.mtime = min(max(int(member.mtime), 0), _LATEST_S)
    made.linkname = member.linkname
    made.pax_headers = {key: text for key, text in member.pax_headers.items() if key.startswith(_KEPT_XATTRS)}
    if not file.is_folder and (first := first_names.setdefault(id(file), name)) != name:
        made.type, made.linkname, made.pax_headers = tarfile.LNKTYPE, f"./{first}", {}
        target.addfile(made)
        return made.mtime
    content = file.source.extractfile(member) if file.source and member.isreg() else None
    if content is None:
        target.addfile(made)
        return made.mtime
    made.type, made.size = tarfile.REGTYPE, member.size
    with content:
        target.addfile(made, content)
    return made.mtime
