# SPDX-License-Identifier: MIT
"""The code of a stack: which files it is made of, what its build depends on, what is refused.

Compiled here with this machine's own headers and libraries, which need not be fetched: ``--sysroot=/``.
"""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from lab.builders.debian_source import DebianSource
from lab.builders.image.image import Image
from lab.builders.stack import stack
from lab.builders.stack.elf import libraries, newest_libc
from lab.builders.stack.files import files_key, stack_files
from lab.builders.stack.sysroot import Sysroot
from lab.builders.step import BuildLog
from lab.cache.report import SilentReport
from lab.cache.store import cache_root
from lab.checkout import CHECKOUT
from lab.errors import BuildError
from tests.kept import KeptReport
from tests.own_cache import own_cache

GREETING = CHECKOUT / "tests" / "fixtures" / "stack" / "workloads" / "greeting"
IMAGE = Image(Path("image.squashfs"), "0" * 64, {"libc6": "99.1-1", "lighttpd": "1.4.79-2"}, "key")


@pytest.fixture
def code(tmp_path: Path) -> Path:
    """A copy of the stack that comes with the tests; without what this machine's C library may lack."""
    place = tmp_path / "workloads" / "greeting"
    shutil.copytree(GREETING, place)
    return place


class Host:
    """Builds with what this machine has."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sysroot = Sysroot(Path("/"), "headers")
        self.source = DebianSource("lighttpd", "1.4.79-2", Path("nowhere"))
        self.toolchain = "gcc 1"
        monkeypatch.setattr(stack, "ensure_sysroot", lambda *_: self.sysroot)
        monkeypatch.setattr(stack, "ensure_source", lambda *_: self.source)
        monkeypatch.setattr(stack, "toolchain_versions", lambda: self.toolchain)

    def build(self, code: Path, image: Image = IMAGE) -> stack.Stack:
        return stack.ensure_stack(SilentReport(), code, image)


@pytest.fixture
def host(cache: None, monkeypatch: pytest.MonkeyPatch) -> Host:
    return Host(monkeypatch)


def names(code: Path) -> list[str]:
    return [file.name for file in stack_files(code)]


def test_code_is_all_files_but_what_is_for_the_host_and_for_readers_and_what_make_left(code: Path) -> None:
    own = ["Makefile", "greet.c", "greeting.c", "greeting.h"]
    assert names(code) == own
    rooms = ("probes/greet.py", "metrics/greet.py", "views/greet.py", "tests/unit/test_greet.py")
    made = ("greet.o", "libgreeting.so", ".hidden", "build/x.c", "experiments/figure.yaml", "experiments/more.py")
    for left in (*made, *rooms, "README.md", "figures/greet.svg", "exercises/greet/task.md"):
        (code / left).parent.mkdir(parents=True, exist_ok=True)
        (code / left).write_text("made")
    (code / "greet").write_bytes(b"\x7fELF")
    (code / "another.yaml").write_text("name: another\n")
    assert names(code) == own
    (code / "data").mkdir()
    (code / "data" / "table.yaml").write_text("1")
    (code / "build-packages").write_text("zlib1g-dev\n")
    assert names(code) == ["Makefile", "build-packages", "data/table.yaml", *own[1:]]


def test_the_key_of_files_is_of_names_contents_and_rights(code: Path) -> None:
    keys = [files_key(stack_files(code))]
    (code / "greet.c").write_text((code / "greet.c").read_text() + "\n")
    keys.append(files_key(stack_files(code)))
    (code / "greet.c").chmod(0o755)
    keys.append(files_key(stack_files(code)))
    (code / "greet.c").rename(code / "hello.c")
    keys.append(files_key(stack_files(code)))
    assert len(set(keys)) == 4
    (code / "greet.yaml").write_text("name: changed\n")
    assert files_key(stack_files(code)) == keys[-1]


def test_a_build_is_used_again_until_something_it_is_made_of_changes(code: Path, host: Host) -> None:
    def builds() -> int:
        host.build(code)
        return len(list((cache_root() / "stack").glob("*/stack.json")))

    assert builds() == 1 and builds() == 1
    host.toolchain = "gcc 2"
    assert builds() == 2
    host.sysroot = Sysroot(Path("/"), "other headers")
    assert builds() == 3
    (code / "greet.yaml").write_text("name: changed\n")
    assert builds() == 3


def test_its_source_packages_are_part_of_it(code: Path, host: Host, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "version").write_text("1.4.79")
    host.source = replace(host.source, path=tree)
    (code / "sources").write_text("lighttpd # the same as the server\n")
    make = code / "Makefile"
    make.write_text(make.read_text() + "\tinstall -D -m 644 $(LIGHTTPD_SOURCE)/version $(DESTDIR)$(PREFIX)/version\n")
    first = host.build(code)
    assert first.sources == {"lighttpd": "1.4.79-2"}
    assert subprocess.check_output(["unsquashfs", "-cat", str(first.path), "version"], text=True) == "1.4.79"
    host.source = replace(host.source, version="1.4.80-1")
    assert host.build(code).path != first.path


@pytest.mark.parametrize(
    ("listed", "message"),
    [
        ("lighttpd\nlighttpd\n", "sources:2  lighttpd is the package of another line, {0}/sources:1"),
        ("lighttpd # ours\npeer/lighttpd\n", "sources:2  peer/lighttpd is the package of another line, {0}/sources:1"),
        ("lighttpd 1.4\n", 'sources:1  "lighttpd 1.4" is more than one package; write one per line'),
    ],
)
def test_a_list_of_sources_with_a_mistake(code: Path, host: Host, listed: str, message: str) -> None:
    (code / "sources").write_text(listed)
    with pytest.raises(BuildError) as failure:
        host.build(code)
    assert str(failure.value) == f"{code}/{message.format(code)}"


def test_equal_code_has_equal_bytes_wherever_it_is_built(code: Path, host: Host, tmp_path: Path) -> None:
    first = host.build(code)
    other = shutil.copytree(code, tmp_path / "elsewhere" / "greeting")
    (other / "greet.c").write_text("/* a comment that moves every line */\n\n" + (other / "greet.c").read_text())
    with own_cache(tmp_path / "second"):
        second = host.build(other)
    assert first.path.parent.name != second.path.parent.name  # it was compiled again
    assert first.sha256 == second.sha256
    assert stack.built_stack("greeting", second.sha256) == first
    assert stack.built_stack("greeting", "0" * 64) is None


def test_what_no_process_reads_stays_out(code: Path, host: Host) -> None:
    first = host.build(code)
    make = code / "Makefile"
    more = "install -D -m 644 greeting.h $(DESTDIR)$(PREFIX)/{}"
    places = ("include/greeting.h", "lib/pkgconfig/greeting.pc", "lib/libgreeting.a", "share/man/man3/greeting.3")
    make.write_text(make.read_text() + "".join(f"\t{more.format(place)}\n" for place in places))
    second = host.build(code)
    listing = subprocess.check_output(["unsquashfs", "-l", str(second.path)], text=True)
    assert "bin/greet" in listing and not any(place.split("/")[-1] in listing for place in places)
    assert first.path != second.path


def test_a_user_packs_it_without_namespaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container, where unshare is not allowed. All of it belongs to root, in the same bytes."""
    tree, programs = tmp_path / "tree", tmp_path / "bin"
    tree.mkdir()
    programs.mkdir()
    (tree / "greet").write_text("#!/bin/sh\n")
    for name in ("sh", "sqfstar"):
        (programs / name).symlink_to(shutil.which(name) or name)
    log = BuildLog(tmp_path / "log", tmp_path)
    stack._pack({"": tree}, tmp_path / "root.squashfs", log)
    with monkeypatch.context() as patch:
        patch.setattr("os.geteuid", lambda: 1000)
        patch.setenv("PATH", str(programs))
        stack._pack({"": tree}, tmp_path / "user.squashfs", log)
    assert (tmp_path / "user.squashfs").read_bytes() == (tmp_path / "root.squashfs").read_bytes()
    listed = subprocess.check_output(["unsquashfs", "-lln", str(tmp_path / "user.squashfs")], text=True).splitlines()
    assert [line.split()[1] for line in listed if "squashfs-root" in line] == ["0/0", "0/0"]


@pytest.fixture
def user(code: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stack whose program needs the header and the library of the other one."""
    monkeypatch.chdir(code.parent.parent)
    place = code.parent / "polite"
    shutil.copytree(GREETING.parent / "polite", place)
    return place


def listing(built: stack.Stack) -> set[str]:
    found = subprocess.check_output(["unsquashfs", "-l", str(built.path)], text=True).splitlines()
    return {line.removeprefix("squashfs-root/") for line in found}


def test_a_stack_is_compiled_and_shipped_with_those_that_it_uses(user: Path, host: Host) -> None:
    built = host.build(user)
    assert {"polite/bin/polite", "greeting/bin/greet", "greeting/lib/libgreeting.so"} < listing(built)
    assert not any("greeting.h" in name for name in listing(built))
    alone = host.build(user.parent / "greeting")
    assert "bin/greet" in listing(alone), "a stack that uses no other is packed as ever"
    assert "bin/polite" not in listing(alone) and (alone.installed / "include" / "greeting.h").is_file()


def test_it_is_built_again_when_what_it_uses_changes(user: Path, host: Host) -> None:
    first = host.build(user)
    header, source = user.parent / "greeting" / "greeting.h", user.parent / "greeting" / "greeting.c"
    header.write_text(header.read_text() + "/* a comment */\n")
    second = host.build(user)
    assert second.key != first.key and second.sha256 == first.sha256, "no new trials"
    source.write_text(source.read_text().replace("hello", "good evening"))
    assert host.build(user).sha256 != first.sha256


def test_it_has_the_sources_of_those_that_it_uses(user: Path, host: Host, tmp_path: Path) -> None:
    (tree := tmp_path / "tree").mkdir()
    host.source = replace(host.source, path=tree)
    (user.parent / "greeting" / "sources").write_text("lighttpd\n")
    assert host.build(user).sources == {"lighttpd": "1.4.79-2"}


def test_a_mistake_in_c_is_reported_with_the_users_file(code: Path, host: Host) -> None:
    source = code / "greet.c"
    source.write_text(source.read_text().replace("argc != 2", "argx != 2"))
    with pytest.raises(BuildError) as failure:
        host.build(code)
    text = str(failure.value)
    assert text.startswith("compiling greeting failed: exit status 2\n")
    assert "greet.c:37:13: error: 'argx' undeclared" in text
    assert "    $(CC) -std=gnu11" in text and ".partial-" not in text
    assert text.endswith(f"the whole log: {cache_root()}/log/stack.log")


@pytest.mark.parametrize(
    ("recipe", "said"),
    [
        ("install -D greet $(DESTDIR)/usr/bin/greet", "make install put /usr/bin/greet outside of /opt/greeting"),
        ("true", "make install installed nothing to $(DESTDIR)$(PREFIX), which is /opt/greeting in the guest"),
    ],
)
def test_nodes_see_the_prefix_alone(code: Path, host: Host, recipe: str, said: str) -> None:
    make = code / "Makefile"
    make.write_text(make.read_text().split("install: all")[0] + f"install: all\n\t{recipe}\n")
    with pytest.raises(BuildError) as failure:
        host.build(code)
    assert str(failure.value).startswith(f"{make}  {said}\n")


def test_a_program_for_a_newer_c_library_is_refused(code: Path, host: Host) -> None:
    old = replace(IMAGE, packages={"libc6": "2.3-1"})
    with pytest.raises(
        BuildError, match=r"(bin/greet|libgreeting\.so) needs the C library 2\.\d+, but the guest has 2\.3:"
    ):
        host.build(code, old)


def test_a_library_of_this_machine_alone_is_refused(code: Path, host: Host) -> None:
    make = code / "Makefile"
    make.write_text(make.read_text().replace("install -D -m 644", ": "))
    with pytest.raises(BuildError) as failure:
        host.build(code)
    assert str(failure.value).startswith(
        f"{make}  bin/greet needs libgreeting.so of this machine, which is neither part of the stack "
    )


def test_the_newest_version_is_by_number() -> None:
    assert newest_libc("  0x10:   Name: GLIBC_2.9  Flags: none\n  0x20:   Name: GLIBC_2.34  Flags: none\n") == (2, 34)
    assert libraries(" 0x0000000000000001 (NEEDED)    Shared library: [libz.so.1]\n 0x1 (SONAME) [a]") == ["libz.so.1"]
    assert newest_libc("No version information found in this file.") == (0, 0)


def test_a_date_in_the_code_is_refused(code: Path, host: Host) -> None:
    (code / "greeting.c").write_text('#include "greeting.h"\nconst char *greeting(void) { return __DATE__; }\n')
    with pytest.raises(BuildError, match="might prevent reproducible builds"):
        host.build(code)


def test_the_build_is_reported(code: Path, host: Host, reported: KeptReport) -> None:
    stack.ensure_stack(reported, code, IMAGE)
    assert reported.steps == [f"greeting: compiling {code}"]


@pytest.mark.parametrize(("package", "name"), [("lighttpd", "LIGHTTPD_SOURCE"), ("libc6-dev", "LIBC6_DEV_SOURCE")])
def test_variables_of_sources(package: str, name: str) -> None:
    assert stack.variable(package) == name
