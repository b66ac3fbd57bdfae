# SPDX-License-Identifier: MIT
"""mmdebstrap: its progress, where it works, its failures."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.builders.image import debian
from lab.builders.image.debian import DebianProgress, fetch_tar, network_received_bytes, scratch_parent
from lab.builders.step import BuildLog
from lab.errors import BuildError, HostError
from tests.kept import KeptReport

# As apt 2.6 and dpkg print it under mmdebstrap 1.3.5 --verbose.
OUTPUT = """\
I: running apt-get update...
Get:5 http://mirror.example/debian trixie/main amd64 Packages [9678 kB]
Need to get 155 MB of archives.
Get:1 http://mirror.example/debian trixie/main amd64 libc6 amd64 2.41-12+deb13u4 [2847 kB]
Get:2 http://security.debian.org/debian-security trixie-security/main amd64 linux-source-6.12 all 6.12.117-1 [153 MB]
Unpacking libc6:amd64 (2.41-12+deb13u4) ...
Setting up libc6:amd64 (2.41-12+deb13u4) ...
"""


def test_progress_in_bytes_then_in_packages() -> None:
    reported = KeptReport()
    progress = DebianProgress(reported, lambda: 0)
    for line in OUTPUT.splitlines():
        progress.line(line)
    assert reported.progressed == [
        (0, 155_000_000, "fetching libc6 2.41-12+deb13u4 (2847 kB)"),
        (2_847_000, 155_000_000, "fetching linux-source-6.12 6.12.117-1 (153 MB)"),
        (1, None, "unpacking libc6:amd64 (2.41-12+deb13u4)"),
        (1, 1, "setting up libc6:amd64"),
    ]


def test_progress_within_a_package_that_takes_long() -> None:
    reported = KeptReport()
    received = iter([1_000, 5_000, 2_000_000, 300_000_000])
    progress = DebianProgress(reported, lambda: next(received))
    progress.tick()  # nothing is being fetched yet
    for line in OUTPUT.splitlines()[2:5]:
        progress.line(line)
    progress.tick()
    progress.tick()
    progress.line("Fetched 155 MB in 3s (48.3 MB/s)")
    progress.tick()
    name = "fetching linux-source-6.12 6.12.117-1 (153 MB)"
    assert reported.progressed[2:] == [(2_847_000 + 1_995_000, 155_000_000, name), (155_000_000, 155_000_000, name)]


def test_counters_of_this_machine_are_read() -> None:
    assert network_received_bytes() >= 0


def test_first_directory_that_will_do(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    with pytest.raises(HostError) as caught:
        scratch_parent(1, [tmp_path / "nowhere", closed])
    assert f"{tmp_path / 'nowhere'}: not a writable directory" in str(caught.value)
    assert f"{closed}: closed to other users" in str(caught.value)
    assert "TMPDIR" in str(caught.value)
    assert scratch_parent(1, [tmp_path / "nowhere", Path("/var/tmp")]) == Path("/var/tmp")


def test_directory_without_room() -> None:
    with pytest.raises(HostError, match=r"no space left in /var/tmp"):
        scratch_parent(10**15, [Path("/var/tmp")])


@pytest.fixture
def fake_mmdebstrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program in its place that does what the test writes into it."""
    directory = tmp_path / "bin"
    directory.mkdir()
    program = directory / "mmdebstrap"
    monkeypatch.setenv("PATH", f"{directory}:/usr/sbin:/usr/bin:/sbin:/bin")
    monkeypatch.setattr(debian, "mount_namespace", list)
    monkeypatch.setattr(debian, "namespace_problem", lambda: None)
    return program


def fetch(program: Path, script: str, log: BuildLog) -> bytes:
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    tar = log.directory / "out.tar"
    fetch_tar(tar, ["--variant=extract"], ["curl", "iw"], "fetching", log, KeptReport(), 1)
    assert not (log.directory / "scratch").exists()
    return tar.read_bytes()


def test_arguments_and_scratch_directory(fake_mmdebstrap: Path, log: BuildLog) -> None:
    out = fetch(fake_mmdebstrap, 'echo "$@"; touch "$TMPDIR/left"; echo "$TMPDIR"', log).decode().splitlines()
    assert out[0].split()[1:] == ["--verbose", "--format=tar", "--variant=extract", "--include=curl,iw", "trixie", "-"]
    assert not Path(out[1]).exists()


def test_archive_that_cannot_be_reached(fake_mmdebstrap: Path, log: BuildLog) -> None:
    with pytest.raises(BuildError, match="the Debian archive cannot be reached"):
        fetch(fake_mmdebstrap, "echo \"Temporary failure resolving 'mirror.example'\" >&2; exit 1", log)


def test_package_that_does_not_exist(fake_mmdebstrap: Path, log: BuildLog) -> None:
    with pytest.raises(BuildError, match='^Debian trixie has no package "iw"'):
        fetch(fake_mmdebstrap, "echo 'E: Unable to locate package iw' >&2; exit 1", log)


def test_package_that_cannot_be_installed(fake_mmdebstrap: Path, log: BuildLog) -> None:
    with pytest.raises(BuildError, match='^Debian trixie has no package "iw"'):
        fetch(fake_mmdebstrap, "echo \"E: Package 'iw' has no installation candidate\" >&2; exit 1", log)


def test_packages_that_do_not_go_together(fake_mmdebstrap: Path, log: BuildLog) -> None:
    script = "cat >&2 <<END\nThe following packages have unmet dependencies:\n iw : Conflicts: curl\nE: x\nEND\nexit 1"
    with pytest.raises(
        debian.ConflictError, match="^Debian has no way to install these together: iw: Conflicts: curl\n"
    ):
        fetch(fake_mmdebstrap, script, log)


def test_packages_that_would_remove_those_of_the_base(fake_mmdebstrap: Path, log: BuildLog) -> None:
    removed = (
        "The following packages will be REMOVED:\n  systemd udev\nThe following NEW packages will be installed:\n  x\n"
    )
    script = f"cat >&2 <<END\n{removed}E: Packages need to be removed but remove is disabled.\nEND\nexit 1"
    with pytest.raises(debian.ConflictError, match="^they would remove packages of the base image: systemd, udev\n"):
        fetch(fake_mmdebstrap, script, log)


def test_version_that_does_not_exist(fake_mmdebstrap: Path, log: BuildLog) -> None:
    with pytest.raises(
        BuildError, match='^Debian trixie has no version "9.9" of "iw"; without it, the newest one'
    ) as no:
        fetch(fake_mmdebstrap, "echo \"E: Version '9.9' for 'iw' was not found\" >&2; exit 1", log)
    assert isinstance(no.value, debian.NoPackageError)
    assert no.value.package == "iw=9.9"  # as lists have it


def test_user_without_namespaces(fake_mmdebstrap: Path, log: BuildLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(debian, "namespace_problem", lambda: ("user namespaces are not allowed", "ask root"))
    with pytest.raises(HostError, match="fetching: user namespaces are not allowed\n  ask root"):
        fetch(fake_mmdebstrap, "exit 0", log)
