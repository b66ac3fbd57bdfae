# SPDX-License-Identifier: MIT
"""The doctor: what it finds, and what it says where it finds nothing good."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lab.builders.image import namespaces
from lab.cache.store import cache_root, file_sha256
from lab.cli.lists import print_missing_packages
from lab.errors import HostError
from lab.machine import doctor
from lab.machine.doctor import examine, host_tools
from lab.machine.memory import memory_directory

# In mounts of its own: a directory mounted noexec, another that is too small.
NOEXEC = """
set -e
mount -t tmpfs -o noexec,size=64m none "$1/noexec"
mount -t tmpfs -o size=64k none "$1/small"
exec "$2" -c '
import sys
from pathlib import Path
from lab.errors import HostError
from lab.machine.memory import memory_directory
root = Path(sys.argv[1])
try:
    memory_directory([root / "noexec", root / "small"], needed_bytes=1 << 20)
except HostError as error:
    print(error)
print(memory_directory([root / "noexec", root / "small", root / "good"], needed_bytes=1 << 10))
print(memory_directory([root / "noexec", root / "good"], needed_bytes=1 << 10))
' "$1"
"""


def own_mounts() -> list[str]:
    """A command in front of another that gives it mounts of its own, as mmdebstrap needs it too."""
    as_user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    return ["unshare", *as_user, "--mount", "--propagation", "private", "--"]


def test_noexec_and_small_directories_are_passed_over(tmp_path: Path) -> None:
    for name in ("noexec", "small", "good"):
        (tmp_path / name).mkdir()
    argv = [*own_mounts(), "sh", "-c", NOEXEC, "sh", str(tmp_path), sys.executable]
    lines = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()
    assert lines[0] == "no directory for the guest's memory, 1 MiB:"
    assert lines[1].strip() == f"{tmp_path / 'noexec'}: is mounted noexec"
    assert lines[2].strip().startswith(f"{tmp_path / 'small'}: has 0 MiB free, not 1")
    assert "remount,exec" in lines[3]
    assert lines[4] == str(tmp_path / "small")
    assert lines[5] == str(tmp_path / "good")


def test_directory_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(HostError, match="nowhere: is not a directory"):
        memory_directory([tmp_path / "nowhere"])


def test_this_machine_has_a_directory() -> None:
    assert memory_directory(needed_bytes=1 << 20).is_dir()


def test_list_of_tools_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))  # no image has been built
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    names = [tool.name for tool in host_tools()]
    assert len(names) == len(set(names))
    assert {"gcc", "mmdebstrap", "newuidmap"} <= set(names)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert "newuidmap" not in [tool.name for tool in host_tools()]
    only_for_tests = ["skopeo", "rsvg-convert", "pdftotext", "tshark", "valgrind", "umoci"]
    assert [tool.name for tool in host_tools(test=True)] == only_for_tests
    assert "tshark" not in names


def test_missing_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "packages"
    path.write_text("# comment\nno-such-tool pkg all why it is needed\n/etc/pass* base-files all a file\n")
    monkeypatch.setattr(doctor, "PACKAGES", path)
    missing, there = host_tools()
    assert (missing.package, missing.why, missing.found) == ("pkg", "why it is needed", False)
    assert there.found


def test_missing_tool_is_a_problem_with_one_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "packages"
    path.write_text("no-such-tool pkg all why\nno-other pkg all why\n")
    monkeypatch.setattr(doctor, "PACKAGES", path)
    finding = doctor._tools()
    assert not finding.ok
    assert finding.advice == "apt-get install --no-install-recommends pkg"


def test_a_tool_that_only_make_test_needs_is_no_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "packages"
    path.write_text("/etc/passwd base-files all a file\nno-such-tool pkg test reads\n")
    monkeypatch.setattr(doctor, "PACKAGES", path)
    finding = doctor._tools()
    assert (finding.ok, finding.found) == (True, "all 1 are installed; for make test: pkg (reads)")
    path.write_text("/etc/passwd base-files all a file\n/etc/passwd base-files test reads\n")
    assert doctor._tools().found == "all 1 are installed"


def test_every_finding_of_this_machine() -> None:
    findings = examine()
    assert [finding.name for finding in findings] == [
        "processor",
        "instructions",
        "system",
        "python",
        "tools",
        "clock",
        "cache",
        "kernels and images",
        "guest memory",
        "ptrace",
        "cage of guests",
        "namespaces",
    ]
    assert all(finding.ok or finding.advice for finding in findings)


def test_kernel_with_another_byte_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    for kind, file, facts in (("kernel", "linux", "kernel.json"), ("image", "image.squashfs", "packages.json")):
        entry = cache_root() / kind / "aaaa"
        entry.mkdir(parents=True)
        (entry / file).write_text("whole")
        (entry / facts).write_text(json.dumps({"sha256": file_sha256(entry / file)}))
    assert (doctor._built().ok, doctor._built().found) == (True, "2 in the cache, whole")
    (cache_root() / "kernel" / "aaaa" / "linux").write_text("whale")
    finding = doctor._built()
    assert (finding.ok, finding.found) == (False, "kernel aaaa: linux does not have its hash")
    assert finding.advice == "removed from the cache; the next run builds it again"
    assert doctor._built().found == "1 in the cache, whole"


def test_cache_in_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "hwsim-lab").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    finding = doctor._cache()
    assert not finding.ok
    assert "XDG_CACHE_HOME" in finding.advice


def test_a_user_whose_image_is_built_needs_no_namespaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(shutil, "which", lambda name: None if name == "newuidmap" else "/bin/true")
    assert "newuidmap" in [tool.name for tool in host_tools()]
    finding = doctor._namespaces()
    assert not finding.ok and finding.found == "newuidmap is not installed" and "uidmap" in finding.advice
    image = tmp_path / "hwsim-lab/image/0123/image.squashfs"
    image.parent.mkdir(parents=True)
    image.touch()
    assert "newuidmap" not in [tool.name for tool in host_tools()]
    assert doctor._namespaces().ok


def test_user_without_a_range_of_ids(tmp_path: Path) -> None:
    path = tmp_path / "subuid"
    path.write_text("somebody:100000:65536\n")
    assert not namespaces._has_range(path, "nobody-else")
    assert namespaces._has_range(path, "somebody")
    assert not namespaces._has_range(tmp_path / "nowhere", "somebody")


def test_a_user_without_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container that runs as the user of its caller."""
    monkeypatch.setattr(os, "geteuid", lambda: 987654321)
    monkeypatch.setattr(shutil, "which", lambda name: "/bin/true")
    assert namespaces.namespace_problem() == (
        "the user 987654321 has no name here",
        "run as a user of this system, or as root",
    )


def test_root_mounts_in_a_namespace_of_its_own_or_not_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Root of `docker build` may not mount: unshare fails."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    for may_mount in (True, False):
        monkeypatch.setattr(namespaces, "_runs", lambda argv, may_mount=may_mount: may_mount)
        assert namespaces.namespace_problem() is None
        assert namespaces.mount_namespace()[:2] == (["unshare", "--mount"] if may_mount else [])
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert namespaces.mount_namespace() == []


def test_missing_packages_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "packages"
    path.write_text("no-such b-package all b\nnot-there a-package all a\nneither a-package all a\nsh dash all c\n")
    monkeypatch.setattr(doctor, "PACKAGES", path)
    print_missing_packages(as_json=False)
    print_missing_packages(as_json=True)
    assert capsys.readouterr().out == 'a-package\nb-package\n["a-package", "b-package"]\n'
    path.write_text("sh dash all c\n")
    print_missing_packages(as_json=False)
    assert capsys.readouterr().out == ""
