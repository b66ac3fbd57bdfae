# SPDX-License-Identifier: MIT
"""libsap as its users install it: compilers, symbols, headers, pkg-config, manual pages."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from workloads.sap.tests.library import native

HEADERS = ("sap.h", "sap_core.h", "sap_types.h")


@pytest.mark.parametrize("compiler", native.compilers())
def test_no_warnings(tmp_path: Path, compiler: str) -> None:
    native.library(tmp_path, f"CC={compiler}")


@pytest.mark.parametrize("header", HEADERS)
def test_headers_stand_alone(tmp_path: Path, header: str) -> None:
    source = tmp_path / "alone.c"
    source.write_text(f'#include "{header}"\n')
    native.run(
        [
            "gcc",
            "-std=c11",
            "-Wall",
            "-Wextra",
            "-Wpedantic",
            "-Werror",
            "-fsyntax-only",
            "-I",
            str(native.LIBSAP / "include"),
            str(source),
        ]
    )


def declared() -> set[str]:
    """Functions that the headers declare."""
    text = "".join((native.LIBSAP / "include" / name).read_text() for name in HEADERS)
    return set(re.findall(r"^SAP_API [^;]*?\b(sap_\w+)\(", text, re.M))


def test_symbols(libsap: Path) -> None:
    """The shared library exports what the headers declare, and nothing else; its name is versioned."""
    lines = native.run(["nm", "-D", "--defined-only", str(libsap / "libsap.so")]).splitlines()
    assert {line.split()[2] for line in lines} == declared()
    assert "soname: [libsap.so.0]" in native.run(["readelf", "-d", str(libsap / "libsap.so")])


def test_no_state(libsap: Path) -> None:
    """No global state: not a byte of data that could be written."""
    lines = native.run(["nm", str(libsap / "libsap.a")]).splitlines()
    assert not [line for line in lines if re.search(r" [bBdDcC] ", line)]


def test_core_calls_nothing_but_memory(libsap: Path) -> None:
    """The core needs no system call, no clock, no allocation."""
    core = [str(libsap / f"{path.stem}.o") for path in native.core_sources()]
    undefined = {line.split()[-1] for line in native.run(["nm", "-u", *core]).splitlines() if " U " in line}
    assert {name for name in undefined if not name.startswith("sap_")} <= {
        "memcpy", "memcmp", "memset", "__stack_chk_fail", "_GLOBAL_OFFSET_TABLE_",
    }  # fmt: skip


def test_install(tmp_path: Path) -> None:
    """Into DESTDIR; a program is built with what the .pc file says, as pkg-config would give it."""
    native.library(tmp_path / "build")  # with another prefix, as who builds first and installs as root
    native.library(tmp_path / "build", "install", "PREFIX=/opt/sap", f"DESTDIR={tmp_path}/root")
    root = tmp_path / "root" / "opt" / "sap"
    installed = {str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir()}
    assert installed == {
        *(f"include/{name}" for name in HEADERS),
        *(f"lib/{name}" for name in ("libsap.a", "libsap.so", "libsap.so.0", "libsap.so.0.1.0")),
        "lib/pkgconfig/libsap.pc",
        "share/man/man3/libsap.3",
        "share/man/man7/sap.7",
    }
    keys = dict(re.findall(r"^(\w+): (.*)$", (root / "lib/pkgconfig/libsap.pc").read_text(), re.M))
    flags = f"{keys['Cflags']} {keys['Libs']}".replace("${includedir}", f"{root}/include").replace(
        "${libdir}", f"{root}/lib"
    )
    assert keys["Version"] == "0.1.0" and "prefix=/opt/sap" in (root / "lib/pkgconfig/libsap.pc").read_text()
    source = tmp_path / "user.c"
    source.write_text("#include <sap.h>\nint main(void)\n{\n\treturn sap_strerror(SAP_OK)[0] != 'n';\n}\n")
    native.run(["gcc", "-o", str(tmp_path / "user"), str(source), *flags.split(), f"-Wl,-rpath,{root}/lib"])
    native.run([str(tmp_path / "user")])
    subprocess.run(["make", "-C", str(native.LIBSAP), f"BUILD={tmp_path}/build", "clean"], check=True)
    assert not (tmp_path / "build").exists()


def test_manual_names_everything() -> None:
    """libsap(3) has each function of the headers, and each error; sap(7) each type of datagram."""
    manual = (native.LIBSAP / "man" / "libsap.3").read_text()
    errors = set(re.findall(r"\b(SAP_ERR_\w+) =", (native.LIBSAP / "include" / "sap_types.h").read_text()))
    assert {name for name in declared() | errors if name not in manual} == set()
    protocol = (native.LIBSAP / "man" / "sap.7").read_text()
    types = set(re.findall(r"\bSAP_TYPE_(\w+) =", (native.LIBSAP / "src" / "wire.h").read_text()))
    assert {name for name in types if name not in protocol} == set()


@pytest.mark.parametrize("folder", ["streamer", "tracker", "sap-get", "mod_sap"])
def test_files_may_have_more_than_2_gib_on_every_machine(folder: str) -> None:
    """off_t has 32 bits on some, unless every source is compiled with 64-bit file offsets."""
    make = ["make", "-n", "-B", "-C", str(native.STACK / folder), "LIGHTTPD_SOURCE=/nonexistent"]
    done = subprocess.run(make, capture_output=True, text=True)  # fails in its last step: there is no libsap
    compiled = [line for line in done.stdout.splitlines() if " -c " in line and "-iquote" in line]  # not libsap's own
    assert len(compiled) >= len(list((native.STACK / folder).glob("*.c")))
    assert [line for line in compiled if "-D_FILE_OFFSET_BITS=64" not in line] == []
