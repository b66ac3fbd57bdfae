# SPDX-License-Identifier: MIT
"""Layers of a Docker image, merged to one tar file (OCI image specification, "Image Layer Filesystem Changeset").

Owners, modes, times, hard links and file capabilities are those of the layers. ``.wh.NAME`` removes what lower layers
have, ``.wh..wh..opq`` all that they have in a folder. Device files are left out.

Not done: POSIX ACLs and other extended attributes than capabilities and those of users.
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

_WHITEOUT, _OPAQUE = ".wh.", ".wh..wh..opq"
_XATTR = "SCHILY.xattr."
_KEPT_XATTRS = (f"{_XATTR}security.capability", f"{_XATTR}user.")
_MOST_LINKS = 40  # as Linux follows them
_LATEST_S = (1 << 32) - 1  # squashfs has no room for more


class BrokenLayerError(ValueError):
    """A layer is not a tar file, or contradicts itself; ``str()`` says which one, and how."""


@dataclass(eq=False)
class _File:
    """A file, by one or more names."""

    member: tarfile.TarInfo
    source: tarfile.TarFile
    children: dict[str, _File] = field(default_factory=dict)  # of a folder

    @property
    def is_folder(self) -> bool:
        return self.member.isdir()


@dataclass(frozen=True)
class Merged:
    """What is known of merged layers."""

    left_out: list[str]  # paths of device files
    newest_s: int  # the time of the newest file, since the epoch


def merge(layers: list[Path], merged: Path) -> Merged:
    """Write the files of all layers together, but for device files.

    Args:
        layers: tar files, the lowest one first; may be changed.
        merged: the tar file to write, with names in order: equal layers give equal bytes.

    Raises:
        BrokenLayerError: If a layer cannot be read.
    """
    left_out: list[str] = []
    with ExitStack() as opened, tarfile.open(merged, "w", format=tarfile.PAX_FORMAT) as target:
        root: _File | None = None
        for number, path in enumerate(layers, 1):
            try:
                end = _complete(path)
                source = opened.enter_context(tarfile.open(path, "r:", errorlevel=2))
                root = root or _implied(source)
                left_out += _apply(root, source, end)
            except (tarfile.TarError, EOFError, OSError, ValueError) as error:
                raise BrokenLayerError(f"layer {number} of {len(layers)}: {error}") from None
        first_names: dict[int, str] = {}
        newest_s = 0
        for name, file in _walk(root.children if root else {}):
            newest_s = max(newest_s, _write(target, name, file, first_names))
    return Merged(sorted(set(left_out)), newest_s)


def _complete(path: Path) -> int:
    """Give a tar file the end that umoci's ``insert`` leaves out, and Go's programs do not miss; return its old end."""
    end = path.stat().st_size
    with path.open("ab") as file:
        file.write(bytes(-end % tarfile.BLOCKSIZE + 2 * tarfile.BLOCKSIZE))
    return end


def _implied(source: tarfile.TarFile) -> _File:
    """Make a folder that no layer describes."""
    member = tarfile.TarInfo("folder")
    member.type, member.mode = tarfile.DIRTYPE, 0o755
    return _File(member, source)


def _apply(root: _File, source: tarfile.TarFile, end: int) -> list[str]:
    """Apply a layer, which is in the file up to ``end``; return its device files."""
    members = [(_parts(member.name), member) for member in source]
    for _, member in members:
        if member.isreg() and not member.issparse() and member.offset_data + member.size > end:
            raise ValueError("unexpected end of data")
    assert source.fileobj is not None  # it is open
    source.fileobj.seek(source.offset)
    if source.fileobj.read(tarfile.BLOCKSIZE).strip(b"\0"):  # tarfile takes a damaged header for the end
        raise ValueError(f"a damaged header after {len(members)} files")
    for parts, _ in members:  # they are about lower layers, wherever they are in this one
        if not parts or not parts[-1].startswith(_WHITEOUT):
            continue
        with suppress(ValueError):  # the folder is not there, so nor is what is removed
            folder = _follow(root, parts[:-1], None)
            if parts[-1] == _OPAQUE:
                folder.children.clear()
            else:
                folder.children.pop(parts[-1].removeprefix(_WHITEOUT), None)
    devices = []
    for parts, member in members:
        if not parts or parts[-1].startswith(_WHITEOUT):
            continue
        if member.ischr() or member.isblk():
            devices.append("/" + "/".join(parts))
            continue
        folder = _follow(root, parts[:-1], source)
        if member.islnk():
            linked = _find(root, _parts(member.linkname))
            if linked is None or linked.is_folder:
                raise ValueError(f"{member.name} is a hard link to {member.linkname}, which is not there")
            folder.children[parts[-1]] = linked
            continue
        there = folder.children.get(parts[-1])
        kept = there.children if there is not None and there.is_folder and member.isdir() else {}
        folder.children[parts[-1]] = _File(member, source, kept)
    return devices


def _parts(name: str) -> list[str]:
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in parts:
        raise ValueError(f"the path {name} leads out of it")
    return parts


def _find(root: _File, parts: list[str]) -> _File | None:
    """Return a file, with symbolic links on the way followed within the image; None if it is not there."""
    try:
        parent = _follow(root, parts[:-1], None)
    except ValueError:
        return None
    return root if not parts else parent.children.get(parts[-1])


def _follow(root: _File, parts: list[str], source: tarfile.TarFile | None) -> _File:
    """Return the folder at a path, with symbolic links followed; with ``source``, make those that are not there.

    Raises:
        ValueError: If it does not exist, a file is on the way, or links form a circle.
    """
    way = [root]
    rest, links = list(reversed(parts)), 0
    while rest:
        part = rest.pop()
        if part in ("", "."):
            continue
        if part == "..":
            way = way[:-1] or [root]
            continue
        found = way[-1].children.get(part)
        if found is None and source is not None:
            found = way[-1].children[part] = _implied(source)
        if found is None:
            raise ValueError(f"{part} does not exist")
        if found.is_folder:
            way.append(found)
            continue
        links += 1
        if not found.member.issym() or links > _MOST_LINKS:
            raise ValueError(f"{'/'.join(parts)} leads through {part}, which is not a folder")
        if found.member.linkname.startswith("/"):
            way = [root]
        rest += reversed(found.member.linkname.split("/"))
    return way[-1]


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
    content = file.source.extractfile(member) if member.isreg() else None
    if content is None:
        target.addfile(made)
        return made.mtime
    made.type, made.size = tarfile.REGTYPE, member.size
    with content:
        target.addfile(made, content)
    return made.mtime
