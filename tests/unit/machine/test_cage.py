# SPDX-License-Identifier: MIT
"""The cage of guests: what a process keeps that enters it, and what a host may lack."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.errors import HostError
from lab.machine import cage, landlock, machine

# enters a cage as the guest's kernel does, tries lines of Python, and prints how each ended
ENTERS = """
import ctypes, os, sys
from pathlib import Path
from lab.machine.cage import cage

libc = ctypes.CDLL(None, use_errno=True)
run, bundle, scratch, home = map(Path, sys.argv[1:5])
lines = [compile(line, "line", "exec") for line in sys.argv[5:]]
import socket
with cage(run, bundle, scratch) as (rules, calls):
    program = os.read(calls, 1 << 16)
    filled = ctypes.create_string_buffer(program)
    class Program(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_void_p)]
    loaded = Program(len(program) // 8, ctypes.addressof(filled))
    assert libc.prctl(38, 1, 0, 0, 0) == 0
    assert rules < 0 or libc.syscall(446, rules, 0) == 0
    assert libc.syscall(317, 1, 0, ctypes.byref(loaded)) == 0
for line in lines:
    try:
        exec(line)
    except OSError:
        print("refused", flush=True)
    else:
        print("done", flush=True)
os._exit(0)
"""


@pytest.fixture
def places(tmp_path: Path) -> list[Path]:
    made = [tmp_path / name for name in ("run", "bundle", "scratch", "home")]
    for place in made:
        place.mkdir()
        (place / "file").write_text("text")
    return made


@pytest.fixture
def pid() -> Iterator[int]:
    """Another process of the same user, outside the cage."""
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process.pid
        process.kill()


RIGHTS = {
    "(run / 'file').read_text()": True,
    "(run / 'new').touch(); (run / 'new').rename(run / 'other'); (run / 'other').unlink()": True,
    "os.close(os.open(run / 'file', os.O_RDWR))": True,
    "(run / 'folder').mkdir(); (run / 'folder').rmdir()": True,
    "(run / 'link').symlink_to('/etc/passwd')": False,
    "os.link(run / 'file', run / 'linked')": False,
    "os.mknod(run / 'device', 0o20600, os.makedev(1, 3))": False,
    "(bundle / 'file').read_text()": True,
    "os.open(bundle / 'file', os.O_RDWR)": False,
    "(bundle / 'file').unlink()": False,
    "os.listdir(scratch); (scratch / 'file').unlink()": True,
    "(scratch / 'new').touch()": False,
    "open('/etc/passwd')": False,
    "open('/proc/self/status')": False,
    "os.listdir('/')": False,
    "os.open(home / 'file', os.O_RDWR)": False,
    "os.open(home / 'file', os.O_RDONLY | os.O_TRUNC)": False,
    "os.truncate(home / 'file', 0)": False,
    "(home / 'file').unlink()": False,
    "(home / 'new').touch()": False,
    "os.chmod(home / 'file', 0o777)": False,
    "os.utime(home / 'file')": False,
    "os.rename(run / 'file', home / 'file')": False,
    "os.rename(home / 'file', run / 'mine')": False,
    "os.execv('/bin/true', ['true'])": False,
    "socket.socket(socket.AF_INET)": False,
    "socket.socket(socket.AF_UNIX).connect('/run/dbus/system_bus_socket')": False,
    "os.kill(os.getpid(), 0)": True,
    "os.mkfifo(run / 'fifo')": False,
}


def tried(places: list[Path], *lines: str) -> list[bool]:
    """Return which of the lines a process in the cage could execute."""
    command = [sys.executable, "-c", ENTERS, *map(str, places), *lines]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    return [word == "done" for word in ran.stdout.split()]


def test_what_a_process_in_the_cage_may_do(places: list[Path]) -> None:
    assert dict(zip(RIGHTS, tried(places, *RIGHTS), strict=True)) == RIGHTS


def test_it_sends_no_signals_outside(places: list[Path], pid: int) -> None:
    scopes = landlock.abi() >= landlock.ABI_OF_SCOPES
    assert tried(places, f"os.kill({pid}, 0)") == [not scopes]  # without, namespaces keep signals inside


def test_it_traces_nothing_outside(places: list[Path], pid: int) -> None:
    assert tried(places, f"if libc.ptrace(0x4206, {pid}, 0, 0): raise OSError") == [False]  # PTRACE_SEIZE


def test_its_descriptors_have_three_digits(places: list[Path]) -> None:
    """The command line of a guest has one length."""
    with cage.cage(*places[:3]) as (rules, calls):
        assert 100 <= calls < 1000 and (100 <= rules < 1000 or landlock.abi() == 0)
    with pytest.raises(OSError):
        os.fstat(calls)


def test_a_host_without_landlock_has_gaps(places: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "abi", lambda: 0)
    monkeypatch.setattr(cage, "namespaces", lambda: ("unshare",))
    assert [gap.split(" (")[0] for gap in cage.gaps()] == ["read and write your files"]
    with pytest.raises(HostError, match="read and write your files"):
        cage.require()
    with cage.cage(*places[:3]) as (rules, _):
        assert rules == -1


def test_old_hosts_without_namespaces_let_signals_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "abi", lambda: 2)
    monkeypatch.setattr(cage, "namespaces", lambda: ())
    assert [gap.split(" (")[0] for gap in cage.gaps()] == ["send signals to your processes"]
    monkeypatch.setattr(cage, "namespaces", lambda: ("unshare",))
    assert cage.gaps() == []
    cage.require()


def test_a_command_that_boots_warns_of_gaps(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cage, "gaps", lambda: ["read this", "write that"])
    monkeypatch.setattr(machine, "clean_stale", lambda: 0)
    machine.prepare()
    said = "lab: this host:  a program that takes its guest over could read this; write that: docs/security.md\n"
    assert capsys.readouterr().err == said


def test_a_host_without_unshare_gives_no_namespaces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    cage.namespaces.cache_clear()
    try:
        assert cage.namespaces() == ()
    finally:
        cage.namespaces.cache_clear()
