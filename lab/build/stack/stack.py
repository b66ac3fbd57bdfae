# SPDX-License-Identifier: MIT
"""The code of a stack (``workloads/<stack>`` with a Makefile), built for the guest once per content.

``make install DESTDIR=… PREFIX=/opt/<stack>`` runs in a copy of its files, with a compiler that sees the headers and
libraries of the guest's Debian (lab.build.stack.sysroot). The installed files are packed into one squashfs, which the
guest mounts. Equal files, compiler and packages give equal bytes: paths of the host are mapped, debug information is
stripped, times are 0.
"""

from __future__ import annotations

import json
import shlex
import shutil
import tarfile
from dataclasses import dataclass
from pathlib import Path

from lab.build.cache import Store, content_key, file_sha256, remove_tree
from lab.build.debian_source import DebianSource, ensure_source
from lab.build.image.image import SQFSTAR, Image, as_root
from lab.build.report import Report
from lab.build.stack.elf import Judge, is_elf
from lab.build.stack.files import BUILD_PACKAGES, SOURCES, File, copy_files, files_key, listed, stack_files
from lab.build.stack.sysroot import LIBRARIES, Sysroot, ensure_sysroot
from lab.build.step import BuildLog
from lab.build.toolchain import toolchain_versions
from lab.errors import BuildError

RECIPE = 1  # increment when the code below changes the result
NEEDED_BYTES = 200_000_000
SQUASHFS = "stack.squashfs"
# Installed files that no process of a node reads: so changing a header or man page does not affect trials.
_NOT_RUN = ("include", "lib/*.a", "lib/*.la", "lib/pkgconfig", "share/doc", "share/man", "share/pkgconfig")


@dataclass(frozen=True)
class Stack:
    """The built code of a stack, ready to mount at /opt/<name>."""

    name: str
    path: Path  # squashfs
    sha256: str  # of that file: equal code, equal bytes
    compiler: str
    sources: dict[str, str]  # packages of the image whose source it was compiled with -> version


@dataclass(frozen=True)
class _Inputs:
    """The inputs of a build."""

    directory: Path  # workloads/<stack>
    files: list[File]
    compiler: str
    sysroot: Sysroot
    sources: list[DebianSource]
    libc: str  # version of the guest's C library

    def key(self) -> str:
        """What the build depends on."""
        parts = [self.directory.name, files_key(self.files), self.compiler, self.sysroot.sha256]
        parts += [f"{source.package} {source.version}" for source in self.sources]
        return content_key(*parts, *SQFSTAR, *make_command("", Path(), Path(), Path(), {}), str(RECIPE))


def ensure_stack(report: Report, directory: Path, image: Image, store: Store | None = None) -> Stack:
    """The code of ``workloads/<stack>``, built unless it is cached.

    Args:
        report: Receives progress.
        directory: The folder, with a Makefile.
        image: The image that it will run on.
        store: The cache; default: the user's.

    Raises:
        BuildError: It does not compile, installs to another place, or a package is not available.
        HostError: A tool, space or permission is missing.
    """
    store = store or _store()
    sources, build_packages = directory / SOURCES, directory / BUILD_PACKAGES
    made_of = _Inputs(
        directory=directory,
        files=stack_files(directory),
        compiler=toolchain_versions(),
        sysroot=ensure_sysroot(report, image, listed(build_packages), str(build_packages)),
        sources=[ensure_source(report, image, package, str(sources)) for package in listed(sources)],
        libc=image.packages["libc6"],
    )
    key = made_of.key()
    if not store.has(key):
        store.build(key, lambda partial: _make(partial, made_of, store, report), report, needed_bytes=NEEDED_BYTES)
    return _load(store.path(key))


def built_stack(name: str, sha256: str | None, store: Store | None = None) -> Stack | None:
    """The code of that name and hash, if it is cached, wherever its files are."""
    store = store or _store()
    found = [note for note in store.directory.glob("[!.]*/stack.json") if _is(note, name, sha256)]
    if not found:
        return None
    # of several with equal bytes, the one used last: the caller's, so that the record has its versions
    last = max(found, key=lambda note: note.parent.stat().st_mtime_ns).parent
    return _load(last) if store.has(last.name) else None


def _is(note: Path, name: str, sha256: str | None) -> bool:
    facts = json.loads(note.read_text())
    return (facts["name"], facts["sha256"]) == (name, sha256)


def _store() -> Store:
    return Store("stack", "the code of a stack")


def _load(entry: Path) -> Stack:
    return Stack(path=entry / SQUASHFS, **json.loads((entry / "stack.json").read_text()))


def make_command(name: str, files: Path, root: Path, sysroot: Path, sources: dict[str, Path]) -> list[str]:
    """The command that builds and installs a stack.

    Args:
        name: The name of the stack.
        files: The copy of its files.
        root: DESTDIR.
        sysroot: Headers and libraries.
        sources: Package of the image -> a copy of its source.
    """
    variables = {"DESTDIR": str(root), "PREFIX": prefix(name), "CC": compiler(files, sysroot, sources)}
    variables |= {variable(package): str(path) for package, path in sources.items()}
    return ["make", "-C", str(files), *(f"{key}={value}" for key, value in variables.items()), "install"]


def compiler(files: Path, sysroot: Path, sources: dict[str, Path]) -> str:
    """The CC of make, with all options that every file needs, whatever CFLAGS and LDFLAGS the Makefile has."""
    words = [
        "gcc",
        f"--sysroot={sysroot}",
        # gcc searches libraries and crt1.o beside itself before the sysroot, and so would find the host's
        f"-B{sysroot}/{LIBRARIES}",
        f"-ffile-prefix-map={files}=.",
        f"-ffile-prefix-map={sysroot}=",
        *(f"-ffile-prefix-map={path}=/usr/src/{package}" for package, path in sources.items()),
        "-Werror=date-time",  # __DATE__ and __TIME__ change the bytes each time
        "-Wl,--build-id=none",
    ]
    return shlex.join(words)


def prefix(name: str) -> str:
    """Where nodes see what a stack installs."""
    return f"/opt/{name}"


def variable(package: str) -> str:
    """The make variable with the path of a package's source: LIGHTTPD_SOURCE."""
    return "".join(letter if letter.isalnum() else "_" for letter in package.upper()) + "_SOURCE"


def _make(directory: Path, made_of: _Inputs, store: Store, report: Report) -> None:
    name = made_of.directory.name
    report.step(f"{name}: compiling {made_of.directory}")
    log = BuildLog(store.log, directory)
    files, root = directory / "files", directory / "root"
    copy_files(made_of.files, files)
    root.mkdir()
    sources = {source.package: directory / f"source-{source.package}" for source in made_of.sources}
    for source in made_of.sources:  # a copy, since a Makefile may build in it
        shutil.copytree(source.path, sources[source.package], symlinks=True)
    argv = make_command(name, files, root, made_of.sysroot.path, sources)
    shown = {str(files): str(made_of.directory), compiler(files, made_of.sysroot.path, sources): "$(CC)"}
    _run_make(argv, made_of.sysroot.path, name, shown, log)
    tree = root / prefix(name).lstrip("/")
    _check_places(root, tree, made_of.directory)
    for path in [found for pattern in _NOT_RUN for found in tree.glob(pattern)]:
        remove_tree(path)
    programs = [path for path in sorted(tree.rglob("*")) if is_elf(path)]
    if programs:
        log.run("stripping", ["strip", "--strip-debug", *map(str, programs)])
    judge = Judge(made_of.directory, tree, made_of.sysroot.path, made_of.libc, log)
    for path in programs:
        judge.check(path)
    _pack(tree, directory / SQUASHFS, log)
    for path in (files, root, *sources.values()):
        shutil.rmtree(path)
    facts = {
        "name": name,
        "sha256": file_sha256(directory / SQUASHFS),
        "compiler": made_of.compiler,
        "sources": {source.package: source.version for source in made_of.sources},
    }
    (directory / "stack.json").write_text(json.dumps(facts, indent=2, sort_keys=True) + "\n")


def _run_make(argv: list[str], sysroot: Path, name: str, shown: dict[str, str], log: BuildLog) -> None:
    """Run make. ``shown`` maps internal paths and commands to what errors show instead."""
    environment = {
        "PKG_CONFIG_SYSROOT_DIR": str(sysroot),
        "PKG_CONFIG_LIBDIR": f"{sysroot}/{LIBRARIES}/pkgconfig:{sysroot}/usr/share/pkgconfig",
        "SOURCE_DATE_EPOCH": "0",
    }
    try:
        log.run(f"compiling {name}", argv, env=environment)
    except BuildError as error:
        message = error.message
        for word in sorted(shown, key=len, reverse=True):
            message = message.replace(word, shown[word])
        raise BuildError(message, hint=error.hint) from None


def _check_places(root: Path, tree: Path, directory: Path) -> None:
    """Check that everything was installed where the guest sees it.

    Raises:
        BuildError: Something was installed elsewhere, or nothing was installed.
    """
    inside = prefix(directory.name)
    for path in sorted(root.rglob("*")):
        if not path.is_dir() and not path.is_relative_to(tree):
            raise BuildError(
                f"make install put /{path.relative_to(root)} outside of {inside}",
                where=str(directory / "Makefile"),
                hint="install to $(DESTDIR)$(PREFIX)/bin, lib and so on; nodes see nothing else",
            )
    if not tree.is_dir() or not any(tree.iterdir()):
        raise BuildError(
            f"make install installed nothing to $(DESTDIR)$(PREFIX), which is {inside} in the guest",
            where=str(directory / "Makefile"),
            hint="for example: install -D program $(DESTDIR)$(PREFIX)/bin/program",
        )


def _pack(tree: Path, target: Path, log: BuildLog) -> None:
    """Create a squashfs of a tree: owned by root, times 0."""
    tar = target.with_suffix(".tar")
    with tarfile.open(tar, "w", format=tarfile.PAX_FORMAT) as packed:
        for path in sorted(tree.rglob("*")):
            packed.add(path, f"./{path.relative_to(tree)}", recursive=False, filter=_plain)
    with tar.open("rb") as stream:
        log.run("packing", [*as_root(), *SQFSTAR, str(target)], stdin=stream, env={"SOURCE_DATE_EPOCH": "0"})
    tar.unlink()


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = "root"
    member.mode |= 0o444 | (0o111 if member.isdir() or member.mode & 0o100 else 0)
    member.mode &= 0o755
    return member
