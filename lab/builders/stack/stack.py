# SPDX-License-Identifier: MIT
"""The code of a stack (``workloads/<stack>`` with a Makefile), built for the guest once per content.

``make install DESTDIR=… PREFIX=/opt/<stack>`` runs in a copy of its files, with a compiler that sees the headers and
libraries of the guest's Debian (lab.builders.stack.sysroot) and of the stacks that it uses (its file ``stacks``), which
are built before. The installed files are packed into one squashfs, which the guest mounts. With those of the stacks
that it uses, each stack has its own directory in there. Equal files, compiler and packages give equal bytes: paths
of the host are mapped, debug information is stripped, times are 0.
"""

from __future__ import annotations

import json
import shlex
import shutil
import tarfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lab import library
from lab.builders.debian_source import DebianSource, ensure_source
from lab.builders.image.image import SQFSTAR, Image
from lab.builders.stack.cxx import DRIVER, PACKAGE, write_compiler
from lab.builders.stack.elf import check_needs, is_elf
from lab.builders.stack.files import (
    BUILD_PACKAGES,
    StackFile,
    build_packages,
    copy_files,
    files_key,
    listed_sources,
    stack_files,
)
from lab.builders.stack.sysroot import LIBRARIES, Sysroot, ensure_sysroot
from lab.builders.step import BuildLog
from lab.builders.toolchain import toolchain_versions
from lab.cache.report import Report
from lab.cache.store import Store, content_key, file_sha256
from lab.errors import BuildError

RECIPE = 2  # increment when the code below changes the result
NEEDED_BYTES = 200_000_000
SHELF = "stack"
SQUASHFS = "stack.squashfs"
_INSTALLED = "installed"  # next to it: all that it installs, for stacks that use it
_NO_CXX = f"echo 'C++ needs a compiler: list {PACKAGE} in {BUILD_PACKAGES}' >&2; false"
# Installed files that no process of a node reads: so changing a header or man page does not affect trials.
_NOT_RUN = ("include", "lib/*.a", "lib/*.la", "lib/pkgconfig", "share/doc", "share/man", "share/pkgconfig")


@dataclass(frozen=True)
class Stack:
    """The built code of a stack, ready to mount at /opt/<name>."""

    name: str
    path: Path  # squashfs
    sha256: str  # of that file: equal code, equal bytes
    compiler: str
    sources: dict[str, str]  # packages of images whose source it was compiled with -> version

    @property
    def key(self) -> str:
        """The key of its build: it changes with a header, too."""
        return self.path.parent.name

    @property
    def installed(self) -> Path:
        """All files that it installs: the compiler sees them when a stack that uses it is built."""
        return self.path.parent / _INSTALLED


@dataclass(frozen=True)
class _Inputs:
    """The inputs of a build."""

    directory: Path  # workloads/<stack>
    files: list[StackFile]
    compiler: str
    sysroot: Sysroot
    sources: list[DebianSource]
    libc: str  # version of the guest's C library
    used: list[Stack]  # the stacks that it uses

    def installed(self) -> dict[str, Path]:
        """Return what these install, by their names."""
        return {stack.name: stack.installed for stack in self.used}

    def key(self) -> str:
        """Hash what the build depends on."""
        parts = [self.directory.name, files_key(self.files), self.compiler, self.sysroot.sha256]
        parts += [f"{source.package} {source.version}" for source in self.sources]
        parts += [f"{stack.name} {stack.key}" for stack in self.used]
        command = make_command("", Path(), Path(), Path(), {}, {}, Path())
        return content_key(*parts, *SQFSTAR, *command, str(RECIPE))


def ensure_stack(report: Report, directory: Path, image: Image) -> Stack:
    """Return the code of ``workloads/<stack>`` with that of the stacks that it uses; build it unless it is cached.

    Raises:
        BuildError: If it does not compile, installs to another place, or a package is not available.
        HostError: If a tool, space or permission is missing.
        InputError: If its list of stacks is not valid.
    """
    store = Store(SHELF, "the code of a stack")
    used = [ensure_stack(report, other, image) for other in library.used_by(directory)]
    inputs = _Inputs(
        directory=directory,
        files=stack_files(directory),
        compiler=toolchain_versions(),
        sysroot=ensure_sysroot(report, image, build_packages(directory), str(directory / BUILD_PACKAGES)),
        sources=[ensure_source(report, image, package, where) for where, package in listed_sources(directory)],
        libc=image.packages["libc6"],
        used=used,
    )
    make = partial(_make, inputs=inputs, store=store, report=report)
    return _load(store.build(inputs.key(), make, report, needed_bytes=NEEDED_BYTES))


def built_stack(name: str, sha256: str | None) -> Stack | None:
    """Return the code of that name and hash, if it is cached, wherever its files are."""
    store = Store(SHELF, "the code of a stack")
    known = (_load(note.parent) for note in store.directory.glob("[!.]*/stack.json"))
    found = [stack for stack in known if (stack.name, stack.sha256) == (name, sha256)]
    # of several with equal bytes, the one used last: the caller's, so that the record has its versions
    last = max(found, key=lambda stack: stack.path.parent.stat().st_mtime_ns, default=None)
    return last if last and store.has(last.key) else None


def _load(entry: Path) -> Stack:
    return Stack(path=entry / SQUASHFS, **json.loads((entry / "stack.json").read_text()))


def make_command(
    name: str,
    files: Path,
    root: Path,
    sysroot: Path,
    sources: Mapping[str, Path],
    used: Mapping[str, Path],
    cxx: Path | None = None,
) -> list[str]:
    """Return the command that builds and installs a stack.

    ``root``: DESTDIR; ``sources``: copies of the sources of packages of images; ``used``: what the stacks that it
    uses install; ``cxx``: where the guest's C++ compiler is, if the stack has it.
    """
    variables = {"DESTDIR": str(root), "PREFIX": prefix(name), "CC": compiler(files, sysroot, sources, used)}
    if cxx:
        options = _options(files, sysroot, sources, used)
        variables["CXX"] = shlex.join([str(cxx / DRIVER), f"-B{cxx}/", *options])
    variables |= {variable(package): str(path) for package, path in sources.items()}
    return ["make", "-C", str(files), *(f"{key}={value}" for key, value in variables.items()), "install"]


def compiler(files: Path, sysroot: Path, sources: Mapping[str, Path], used: Mapping[str, Path]) -> str:
    """Return the CC of make."""
    return shlex.join(["gcc", *_options(files, sysroot, sources, used)])


def _options(files: Path, sysroot: Path, sources: Mapping[str, Path], used: Mapping[str, Path]) -> list[str]:
    """Return the options that every file needs, whatever CFLAGS and LDFLAGS the Makefile has."""
    return [
        f"--sysroot={sysroot}",
        # gcc searches libraries and crt1.o next to itself before the sysroot, and so would find the host's
        f"-B{sysroot}/{LIBRARIES}",
        f"-ffile-prefix-map={files}=.",
        f"-ffile-prefix-map={sysroot}=",
        *(f"-ffile-prefix-map={path}=/usr/src/{package}" for package, path in sources.items()),
        *(word for name, path in used.items() for word in _uses(name, path)),
        "-Werror=date-time",  # __DATE__ and __TIME__ change the bytes each time
        "-Wl,--build-id=none",
    ]


def _uses(name: str, installed: Path) -> list[str]:
    """Return the options by which the compiler finds the headers and libraries of another stack."""
    return [
        f"-isystem{installed}/include",
        f"-L{installed}/lib",
        f"-Wl,-rpath-link,{installed}/lib",  # for libraries that its libraries need
        f"-ffile-prefix-map={installed}={prefix(name)}",
    ]


def prefix(name: str) -> str:
    """Return where nodes see what a stack installs."""
    return f"/opt/{name}"


def variable(package: str) -> str:
    """Return the make variable with the path of a package's source: LIGHTTPD_SOURCE."""
    return "".join(letter if letter.isalnum() else "_" for letter in package.upper()) + "_SOURCE"


def _make(directory: Path, inputs: _Inputs, store: Store, report: Report) -> None:
    name = inputs.directory.name
    report.step(f"{name}: compiling {inputs.directory}")
    log = BuildLog(store.log, directory)
    files, root = directory / "files", directory / "root"
    copy_files(inputs.files, files)
    root.mkdir()
    sources = {source.package: directory / f"source-{source.package}" for source in inputs.sources}
    for source in inputs.sources:  # a copy, since a Makefile may build in it
        shutil.copytree(source.path, sources[source.package], symlinks=True)
    used = inputs.installed()
    tools = directory / "compiler"
    cxx = tools if write_compiler(inputs.sysroot.path, tools) else None
    argv = make_command(name, files, root, inputs.sysroot.path, sources, used, cxx)
    given = dict(word.split("=", 1) for word in argv if "=" in word)
    shown = {str(files): str(inputs.directory)} | {given[key]: f"$({key})" for key in ("CC", "CXX") if key in given}
    _run_make(argv, inputs.sysroot.path, used.values(), name, shown, log)
    tree = root / prefix(name).lstrip("/")
    _check_places(root, tree, inputs.directory)
    programs = [path for path in _for_nodes(tree) if is_elf(path)]
    if programs:
        log.run("stripping", ["strip", "--strip-debug", *map(str, programs)])
    makefile, sysroot = str(inputs.directory / "Makefile"), inputs.sysroot.path
    for path in programs:
        check_needs(path, [tree, *used.values()], sysroot, inputs.libc, makefile, log)
    _pack({name: tree, **used} if used else {"": tree}, directory / SQUASHFS, log)
    tree.rename(directory / _INSTALLED)
    for path in (files, root, *sources.values(), *([cxx] if cxx else [])):
        shutil.rmtree(path)
    facts = {
        "name": name,
        "sha256": file_sha256(directory / SQUASHFS),
        "compiler": inputs.compiler,
        "sources": _versions(inputs),
    }
    (directory / "stack.json").write_text(json.dumps(facts, indent=2, sort_keys=True) + "\n")


def _versions(inputs: _Inputs) -> dict[str, str]:
    """Return the sources that a stack and those that it uses were compiled with."""
    own = {source.package: source.version for source in inputs.sources}
    return {package: version for stack in inputs.used for package, version in stack.sources.items()} | own


def _for_nodes(tree: Path) -> list[Path]:
    """Return the installed files and directories that processes of nodes may read."""
    left_out = {path for pattern in _NOT_RUN for path in tree.glob(pattern)}
    return [path for path in sorted(tree.rglob("*")) if left_out.isdisjoint((path, *path.parents))]


def _run_make(
    argv: list[str], sysroot: Path, used: Iterable[Path], name: str, shown: dict[str, str], log: BuildLog
) -> None:
    """Run make. ``shown`` maps internal paths and commands to what errors show instead."""
    # the paths that a .pc of a used stack has are those in nodes; $(CC) knows where the files are here
    pkgconfig = [f"{sysroot}/{LIBRARIES}/pkgconfig", f"{sysroot}/usr/share/pkgconfig"]
    environment = {
        "PKG_CONFIG_SYSROOT_DIR": str(sysroot),
        "PKG_CONFIG_LIBDIR": ":".join([*pkgconfig, *(f"{installed}/lib/pkgconfig" for installed in used)]),
        "SOURCE_DATE_EPOCH": "0",
        "CXX": _NO_CXX,  # unless make has one
    }
    try:
        log.run(f"compiling {name}", argv, env=environment)
    except BuildError as error:
        message = error.message
        for word in sorted(shown, key=len, reverse=True):
            message = message.replace(word, shown[word])
        raise BuildError(message, hint=error.hint) from None


def _check_places(root: Path, tree: Path, directory: Path) -> None:
    """Check that everything was installed where the guest sees it, and something was."""
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


def _pack(trees: Mapping[str, Path], target: Path, log: BuildLog) -> None:
    """Create a squashfs of trees, each in its directory ("": at the root): owned by root, times 0."""
    tar = target.with_suffix(".tar")
    with tarfile.open(tar, "w", format=tarfile.PAX_FORMAT) as packed:
        for name, tree in trees.items():
            for path in [tree, *_for_nodes(tree)] if name else _for_nodes(tree):
                packed.add(path, f"./{Path(name, path.relative_to(tree))}", recursive=False, filter=_plain)
    with tar.open("rb") as stream:
        # -all-root: also the top directory, which otherwise belongs to the user; a namespace may not be allowed
        log.run("packing", [*SQFSTAR, "-all-root", str(target)], stdin=stream, env={"SOURCE_DATE_EPOCH": "0"})
    tar.unlink()


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.uid = member.gid = member.mtime = 0
    member.uname = member.gname = "root"
    member.mode |= 0o444 | (0o111 if member.isdir() or member.mode & 0o100 else 0)
    member.mode &= 0o755
    return member
