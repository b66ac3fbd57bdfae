# SPDX-License-Identifier: MIT
"""The layer of a node image: how a tree differs from the base image's, as overlayfs wants it.

It has the files that are new or changed, the directories above them, and a "whiteout" (a character device 0, 0) for
each path that is gone (the kernel's Documentation/filesystems/overlayfs.rst). Times do not count as a difference.
"""

from __future__ import annotations

import hashlib
import io
import re
import stat
import tarfile
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from lab.builders.step import BuildLog
from lab.cache.store import file_sha256

# drwxr-xr-x 0/0   162 2025-11-25 15:01 squashfs-root/bin; a device has "1, 3" for the size
_LISTED = re.compile(r"(?P<mode>\S{10}) (?P<uid>\d+)/(?P<gid>\d+) +(?:\d+|\d+, *\d+) \S+ \S+ (?P<path>.*)")
_TYPES = {"d": tarfile.DIRTYPE, "-": tarfile.REGTYPE, "l": tarfile.SYMTYPE}


@dataclass(frozen=True)
class Member:
    """A file of a tree."""

    type: bytes  # as tarfile has it
    mode: int
    uid: int
    gid: int
    content: str = ""  # of a file its SHA-256, of a symbolic link its target


@dataclass(frozen=True)
class AddedFile:
    """A regular file that belongs to root, or with ``link`` a symbolic link, to put into a layer."""

    content: bytes
    executable: bool = False
    link: str | None = None


def unpack(squashfs: Path, directory: Path, log: BuildLog, *options: str) -> tuple[Path, str]:
    """Unpack a squashfs in a directory; return where its files are, and a listing for ``listed`` and ``removed``."""
    unpacked, listing = directory / "unpacked", directory / "list"
    quiet = ["-quiet", "-no-progress", "-no-xattrs", *options]
    log.run("unpacking an image", ["unsquashfs", *quiet, "-dest", str(unpacked), str(squashfs)])
    with listing.open("wb") as output:
        log.run("listing an image", ["unsquashfs", "-lln", "-dest", "root", str(squashfs)], stdout=output)
    text = listing.read_text()
    listing.unlink()
    return unpacked, text


def listed(text: str, unpacked: Path) -> dict[str, Member]:
    """Return the files of a squashfs by their paths: usr/bin/curl.

    ``text``: what ``unpack`` returned, for the files that it unpacked.
    """
    found = {}
    for line in text.splitlines():
        fields = _LISTED.fullmatch(line)
        if fields is None or fields["mode"][0] not in _TYPES:
            continue
        file_type = _TYPES[fields["mode"][0]]
        path, _, target = fields["path"].partition(" -> ") if file_type == tarfile.SYMTYPE else (fields["path"], "", "")
        _, _, name = path.partition("/")
        if name:
            content = file_sha256(unpacked / name) if file_type == tarfile.REGTYPE else target
            found[name] = Member(file_type, _mode(fields["mode"][1:]), int(fields["uid"]), int(fields["gid"]), content)
    return found


def removed(text: str) -> list[str]:
    """Return the paths of the whiteouts in a layer, by the same listing."""
    lines = (_LISTED.fullmatch(line) for line in text.splitlines())
    return [fields["path"].partition("/")[2] for fields in lines if fields and fields["mode"][0] == "c"]


def _mode(text: str) -> int:
    """Return rwsr-xr-t as a number."""
    mode = sum(1 << (8 - place) for place, letter in enumerate(text) if letter in "rwxst")
    special = {(2, "sS"): stat.S_ISUID, (5, "sS"): stat.S_ISGID, (8, "tT"): stat.S_ISVTX}
    return mode | sum(bit for (place, letters), bit in special.items() if text[place] in letters)


def write(
    full: Path | None, base: Mapping[str, Member], added: Mapping[str, AddedFile], layer: Path, time_s: int
) -> None:
    """Write the layer that makes a tree, with some more files, out of the base image's.

    ``full``: tar file of the tree; None: that of the base image. Added files replace those of the tree. ``time_s``: of
    directories, whiteouts and added files, since the epoch.
    """
    with tarfile.open(layer, "w", format=tarfile.PAX_FORMAT) as target:
        chosen = _differences(full, base, added, time_s) if full else {}
        chosen |= {name: _of(name, file, time_s) for name, file in added.items()}
        for name in _directories(chosen):
            made = entry_of(f"./{name}", tarfile.DIRTYPE, 0o755, time_s)
            if known := base.get(name):  # overlayfs shows the owner and mode that the layer has
                made.mode, made.uid, made.gid = known.mode, known.uid, known.gid
            chosen[name] = (made, None)
        for name in sorted(chosen):
            made, content = chosen[name]
            target.addfile(made, None if content is None else io.BytesIO(content))


def _differences(
    full: Path, base: Mapping[str, Member], added: Mapping[str, AddedFile], time_s: int
) -> dict[str, tuple[tarfile.TarInfo, bytes | None]]:
    """Return what is new, changed or gone in a tree, except for files that are replaced anyway."""
    chosen: dict[str, tuple[tarfile.TarInfo, bytes | None]] = {}
    with tarfile.open(full) as source:
        members = {name_of(member): member for member in source}
        for name, member in members.items():
            if name in added:
                continue
            made, content = _without_hard_link(source, members, member)
            if _member(made, content) != base.get(name):
                chosen[name] = (made, content)
    for name in _gone(base, {*members, *added}):
        chosen[name] = (entry_of(f"./{name}", tarfile.CHRTYPE, 0, time_s), None)
    return chosen


def name_of(member: tarfile.TarInfo) -> str:
    """Return the path of a tar file's member, without the dot at its beginning."""
    return member.name.removeprefix("./").rstrip("/")


def entry_of(name: str, file_type: bytes, mode: int, time_s: int) -> tarfile.TarInfo:
    """Return an entry of a tar file that belongs to root; ``file_type`` is tarfile's, as that of Member."""
    entry = tarfile.TarInfo(name)
    entry.type, entry.mode, entry.mtime = file_type, mode, time_s
    return entry


def _without_hard_link(
    source: tarfile.TarFile, members: Mapping[str, tarfile.TarInfo], member: tarfile.TarInfo
) -> tuple[tarfile.TarInfo, bytes | None]:
    """Return a member and its content; a hard link becomes a file, since what it links to may not be in the layer."""
    if member.islnk():
        linked = members[member.linkname.removeprefix("./")]
        made = tarfile.TarInfo(member.name)
        made.mode, made.uid, made.gid = linked.mode, linked.uid, linked.gid
        made.size, made.mtime = linked.size, linked.mtime
        return made, _content(source, linked)
    return member, _content(source, member)


def _content(source: tarfile.TarFile, member: tarfile.TarInfo) -> bytes | None:
    file = source.extractfile(member) if member.isreg() else None
    return file.read() if file is not None else None


def _member(made: tarfile.TarInfo, content: bytes | None) -> Member:
    text = hashlib.sha256(content).hexdigest() if content is not None else made.linkname
    mode = 0o777 if made.issym() else made.mode & 0o7777
    return Member(made.type, mode, made.uid, made.gid, text)


def _gone(base: Mapping[str, Member], names: Collection[str]) -> list[str]:
    """Return the paths of the base image that a tree lacks; of a directory that is gone, only its own."""
    kept = set(names) | _directories(names)
    gone = {name for name in base if name not in kept}
    return sorted(name for name in gone if str(PurePosixPath(name).parent) not in gone)


def _of(name: str, file: AddedFile, time_s: int) -> tuple[tarfile.TarInfo, bytes | None]:
    if file.link is not None:
        entry = entry_of(f"./{name}", tarfile.SYMTYPE, 0o777, time_s)
        entry.linkname = file.link
        return entry, None
    entry = entry_of(f"./{name}", tarfile.REGTYPE, 0o755 if file.executable else 0o644, time_s)
    entry.size = len(file.content)
    return entry, file.content


def _directories(names: Iterable[str]) -> set[str]:
    """Return the directories above these paths that are not among them."""
    given = set(names)
    found = {str(parent) for name in given for parent in PurePosixPath(name).parents}
    return found - given - {"."}
