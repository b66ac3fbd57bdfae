# SPDX-License-Identifier: MIT
"""Python packages of a node image: wheels from PyPI for the guest's Python, unpacked by pip."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from lab.builders.image.layer import AddedFile
from lab.builders.step import BuildLog
from lab.errors import BuildError
from lab.library import shown

_NO_WHEEL = re.compile(r"No matching distribution found for (?P<requirement>.+)")
_HAS = re.compile(r"\(from versions: (?P<versions>.+)\)")
_INVALID = re.compile(
    r"Invalid requirement: (?P<what>.+?)(?:: .*)?(?: \(from line (?P<line>\d+) of .*)?$", re.MULTILINE
)
_CONFLICT = re.compile(r"The conflict is caused by:\n(?P<lines>(?: +\S.*\n)+)")
_ASKED = "The user requested "
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_VERSIONS_SHOWN = 4
_NO_NETWORK = re.compile(r"NewConnectionError|NameResolutionError|Temporary failure in name resolution|ProxyError")
_OTHER_FILES = re.compile(
    r"-[rcef]|--(requirement|constraint|editable|find-links)\b|\.|/|(\S+\s*@\s*)?(file:|(git|hg|svn|bzr)\+)"
)
_PIP = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input"]
_OLDEST_GLIBC = 5  # minor version, that of manylinux1
_RECORDED = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json")  # pip's notes in .dist-info


def directory(packages: Mapping[str, str]) -> str:
    """Return where the guest's Python finds packages that are not Debian's."""
    return f"usr/local/lib/python{_python(packages)}/dist-packages"


def _python(packages: Mapping[str, str]) -> str:
    major, minor = packages["python3"].split(".")[:2]
    return f"{major}.{minor}"


def options(packages: Mapping[str, str]) -> list[str]:
    """Return what tells pip which wheels the guest can use: those for its Python and its C library, or older ones."""
    python = _python(packages)
    glibc = int(packages["libc6"].split(".")[1].split("-")[0])
    platforms = [f"manylinux_2_{minor}_x86_64" for minor in range(glibc, _OLDEST_GLIBC - 1, -1)]
    platforms += ["manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64", "linux_x86_64"]
    abis = [f"cp{python.replace('.', '')}", "abi3", "none"]
    return [
        "--only-binary=:all:",
        f"--python-version={python}",
        "--implementation=cp",
        *(f"--abi={abi}" for abi in abis),
        *(f"--platform={platform}" for platform in platforms),
    ]


def check(requirements: Path) -> None:
    """Raise BuildError for a line whose packages depend on more than its text: they would not be built anew."""
    for number, line in enumerate(requirements.read_text().splitlines(), 1):
        if _OTHER_FILES.match(line.strip()):
            raise BuildError(
                f'"{line.strip()}" leads to other files',
                where=f"{shown(requirements)}:{number}",
                hint="write the packages themselves, such as numpy==2.3.1; files that are not packages go into files/",
            )


def install(requirements: Path, packages: Mapping[str, str], scratch: Path, log: BuildLog) -> dict[str, AddedFile]:
    """Return the files of Python packages, by their paths in the image.

    ``packages``: versions of the base image's; ``scratch``: an empty directory.

    Raises:
        BuildError: If a line is not a package, the index does not have it, or no wheel of it for the guest, its
            versions conflict with those of another one, or the network cannot be reached.
    """
    argv = [*_PIP, "install", "--no-compile"]
    argv += [*options(packages), f"--target={scratch}", f"--requirement={requirements}"]
    try:
        log.run("fetching Python packages", argv, env=_settings())
    except BuildError as error:
        text = log.path.read_text(errors="replace")
        if _NO_NETWORK.search(text):
            raise BuildError(
                "fetching Python packages failed: the package index cannot be reached",
                hint=f"this step needs the network once; the whole log: {log.path}",
            ) from error
        if wrong := _INVALID.search(text):
            raise _invalid(requirements, wrong["what"], wrong["line"]) from None
        if missing := _NO_WHEEL.search(text):
            has = _HAS.search(text)
            raise _missing(
                requirements, missing["requirement"], has["versions"] if has else "", packages, log
            ) from None
        if conflict := _CONFLICT.search(text):
            raise _conflicting(requirements, [line.strip() for line in conflict["lines"].splitlines()]) from None
        raise
    place = directory(packages)
    return {f"{'usr/local' if _is_program(name) else place}/{name}": added for name, added in _files(scratch)}


def _settings() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.startswith("PIP_")}


def _invalid(requirements: Path, what: str, line: str | None) -> BuildError:
    """Return the error for a line that pip cannot read."""
    written = what.strip("'\"")
    number = int(line) if line else _line_of(requirements, lambda text: text == written)
    return BuildError(
        f'"{written}" is not a requirement that pip can read',
        where=_place(requirements, number),
        hint="write one a line, such as numpy==2.3.1 or numpy>=2.2,<2.4; names have no spaces",
    )


def _missing(requirements: Path, wanted: str, has: str, packages: Mapping[str, str], log: BuildLog) -> BuildError:
    """Return the error for a package that pip does not find: the index lacks the package, or a wheel of it.

    ``wanted``: a line of the list, or what a package of it requires; ``has``: the versions that have wheels, with
    commas.
    """
    name = found[0] if (found := _NAME.match(wanted)) else wanted
    where = _place(requirements, _line_of(requirements, lambda text: _plain(_NAME.match(text)) == _plain(name)))
    versions = [] if has in ("", "none") else has.split(", ")
    if not versions and not _is_known(name, log):
        return BuildError(
            f'the package index has no Python package "{name}"',
            where=where,
            hint="look for its name at the index; a module may have another name",
        )
    known = f"; it has wheels of {', '.join(versions[-_VERSIONS_SHOWN:])}" if versions else ""
    return BuildError(
        f"the package index has no wheel of {wanted} for Python {_python(packages)} on x86-64{known}",
        where=where,
        hint="nodes cannot compile packages; choose a version that has wheels, or Debian's in packages",
    )


def _conflicting(requirements: Path, lines: list[str]) -> BuildError:
    """Return the error for packages whose versions conflict; ``lines``: pip's reasons."""
    asked = next((line.removeprefix(_ASKED) for line in lines if line.startswith(_ASKED)), "")
    reasons = "; ".join(line.replace(_ASKED, "the list has ") for line in lines)
    return BuildError(
        f"no versions of these packages go together: {reasons}",
        where=_place(requirements, _line_of(requirements, lambda text: bool(asked) and text == asked)),
        hint="allow other versions, or leave them out: pip then chooses those that do",
    )


def _is_known(name: str, log: BuildLog) -> bool:
    """Return whether the index has a package of that name, in whatever form."""
    argv = [*_PIP, "index", "versions", name]
    try:
        log.run(f"looking for {name}", argv, env=_settings())
    except BuildError:
        return False
    return True


def _line_of(requirements: Path, is_it: Callable[[str], bool]) -> int | None:
    lines = enumerate(requirements.read_text().splitlines(), 1)
    return next((number for number, line in lines if is_it(line.partition(" #")[0].strip())), None)


def _place(requirements: Path, line: int | None) -> str:
    return f"{shown(requirements)}:{line}" if line else shown(requirements)


def _plain(name: str | re.Match[str] | None) -> str:
    """Return a name of a package as the index compares it."""
    return re.sub(r"[-_.]+", "-", name if isinstance(name, str) else name[0] if name else "").lower()


def _is_program(name: str) -> bool:
    """Return whether pip put a program there, which --target leaves next to the packages."""
    return Path(name).parent == Path("bin")


def versions(names: Iterable[str]) -> dict[str, str]:
    """Return the versions of the Python packages that have these files."""
    found = {}
    for name in names:
        if name.endswith(".dist-info/METADATA"):
            package, _, version = Path(name).parent.name.removesuffix(".dist-info").rpartition("-")
            found[package] = version
    return dict(sorted(found.items()))


def _files(tree: Path) -> Iterable[tuple[str, AddedFile]]:
    """Yield path and content of each file, without what pip notes of the installation."""
    for path in sorted(tree.rglob("*")):
        noted = path.parent.suffix == ".dist-info" and path.name in _RECORDED
        if path.is_file() and not noted and "__pycache__" not in path.parts:
            name, content = path.relative_to(tree).as_posix(), path.read_bytes()
            if _is_program(name):  # pip wrote this Python's path into its first line
                content = re.sub(rb"\A#!.*python.*", b"#!/usr/bin/python3", content)
            yield name, AddedFile(content, executable=bool(path.stat().st_mode & 0o100))
