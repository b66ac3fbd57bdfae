# SPDX-License-Identifier: MIT
"""What a program that has taken its guest over cannot do to the host, and could without the cage."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lab.errors import RunError
from lab.machine.cage import gaps, namespaces
from lab.machine.guest import Guest
from lab.machine.watch import RunProgress
from tests.system.conftest import WIRED, Ran, quoted

pytestmark = [pytest.mark.guest, pytest.mark.usefixtures("fresh")]

SMALL = f"memory: 384 MiB\n{WIRED}"
USER = "setpriv --reuid 31337 --regid 31337 --clear-groups --no-new-privs"
PRIVILEGED = SMALL.replace("roles: [server]", "privileged: true")


@contextlib.contextmanager
def _open_cage(*_: Path) -> Iterator[None]:
    yield None


@pytest.fixture(params=[True, False], ids=["in the cage", "without it"])
def caged(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    if not request.param:
        monkeypatch.setattr("lab.machine.guest.cage", _open_cage)
    return bool(request.param)


def compiled(folder: Path) -> str:
    """Return the name of escape.c's program in a folder."""
    flags = ["-static", "-Wall", "-Wextra", "-Werror", "-O1"]
    subprocess.run(["gcc", *flags, "-o", folder / "escape", Path(__file__).with_name("escape.c")], check=True)
    return "escape"


def workload(commands: list[str], more: str = "") -> str:
    tried = (
        f"  - {{at: {100 * (number + 1)} ms, exec: h1, run: [sh, -c, {quoted(f'({line}) 2>&1; true')}]}}\n"
        for number, line in enumerate(commands)
    )
    return f"name: escapes\nduration: 9 s\n{more}timeline:\n{''.join(tried)}"


def test_a_program_that_becomes_root_of_the_guest_reaches_no_file(
    tmp_path: Path, boot: Callable[..., Ran], caged: bool
) -> None:
    """An ordinary user's program, by calls of its stub (escape.c)."""
    program = compiled(tmp_path)
    kept, added = tmp_path / "kept", tmp_path / "added"
    kept.touch()
    added.write_text("mine\n")
    ran = boot(
        SMALL,
        workload(
            [f"{USER} /tmp/escape remove {kept}", f"{USER} /tmp/escape memory {added}"],
            f"files: {{escape: {{on: h1, path: /tmp/escape, from: {program}}}}}\n",
        ),
    )
    remove, memory = ran.outputs()
    assert remove == "tried\n" and kept.exists()  # the stub's own filter refuses that, caged or not
    assert memory.startswith("changed ")  # it is root now, which the cage does not prevent
    if caged:
        assert "Permission denied" in memory and added.read_text() == "mine\n"
    else:
        assert memory.endswith("done\n") and added.read_text() == "mine\nescaped\n"


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (4099, "the guest's kernel reported an error: .*(Kernel panic - not syncing|BUG: )"),
        (1, r"virtual time stood still(.|\n)*its kernel does not answer either: .* overwritten the guest's memory"),
    ],
    ids=["some words", "all"],
)
def test_a_program_that_ruins_its_guest_ends_its_run_with_the_reason(
    tmp_path: Path, boot: Callable[..., Ran], step: int, said: str
) -> None:
    """A guest cannot survive that, as no computer could (docs/security.md)."""
    work = workload(
        [f"{USER} /tmp/escape ruin {step}"],
        f"files: {{escape: {{on: h1, path: /tmp/escape, from: {compiled(tmp_path)}}}}}\n",
    )
    with pytest.raises(RunError, match=said):
        boot(SMALL, work, stall_s=4.0)


def test_hostfs_reaches_nothing_but_the_run(tmp_path: Path, boot: Callable[..., Ran], caged: bool) -> None:
    home = tmp_path / "home"
    home.mkdir()
    for name in ("secret", "changed", "removed", "mode"):
        (home / name).write_text("mine\n")
    at = f"/mnt{home}"
    commands = {
        "read": f"cat {at}/secret",
        "write": f"echo theirs >> {at}/changed",
        "create": f"touch {at}/created",
        "link": f"ln -s /etc/passwd {at}/link",
        "remove": f"rm {at}/removed",
        "mode": f"chmod 777 {at}/mode",
        "list": f"ls {at} | grep secret",
        "processes": f"ls /mnt/proc/{os.getpid()}/task | grep .",
    }
    mounted = [
        f"mount -t hostfs none /mnt -o hostfs=/ && {line} && echo done || echo refused" for line in commands.values()
    ]
    ran = boot(PRIVILEGED, workload(mounted))
    found = {name: output.splitlines()[-1] for name, output in zip(commands, ran.outputs(), strict=True)}
    assert found == dict.fromkeys(commands, "refused" if caged else "done")
    names = {path.name for path in home.iterdir()}
    if caged:
        assert names == {"secret", "changed", "removed", "mode"}
        assert all((home / name).read_text() == "mine\n" for name in names)
    else:
        assert names == {"secret", "changed", "mode", "created", "link"}


def test_each_process_of_a_guest_is_in_the_cage(boot: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> None:
    found: dict[int, tuple[dict[str, str], int]] = {}
    follow = Guest.follow

    def look(guest: Guest, on_progress: Callable[[RunProgress], None] = lambda progress: None) -> object:
        def looking(progress: RunProgress) -> None:
            on_progress(progress)
            if progress.virtual_ns:
                found.update(_processes(guest._process.process.pid))

        return follow(guest, looking)

    monkeypatch.setattr(Guest, "follow", look)
    boot(
        WIRED,
        # hundreds of programs, so that there is a time to look at it
        "name: long\nduration: 60 s\nprocesses:\n  - {on: h1, as: sleeps, may_run_on: true, "
        "run: [sh, -c, for i in $(seq 600); do sleep 0.01; done]}\n",
    )
    kernels = [facts for facts in found.values() if facts[0]["Seccomp_filters"] == "1"]
    stubs = [facts for facts in found.values() if facts[0]["Seccomp_filters"] == "2"]  # the others have just begun
    assert len(kernels) >= 1 and len(stubs) > 2
    for status, _ in [*kernels, *stubs]:
        assert (status["Seccomp"], status["NoNewPrivs"]) == ("2", "1")
        assert int(status["CapEff"], 16) & ~(1 << 1) == 0  # but CAP_DAC_OVERRIDE
        assert len(status["NSpid"].split()) == (2 if namespaces() else 1)
        assert status["core"] == "0 0 bytes"
        own = _namespaces(Path("/proc/self"))
        assert [status[name] != own[name] for name in own] == [bool(namespaces())] * len(own)
    assert max(files for _, files in stubs) == 1  # the guest's memory


def _namespaces(process: Path) -> dict[str, str]:
    return {name: str((process / "ns" / name).readlink()) for name in ("pid", "net", "ipc")}


def _processes(starter: int) -> dict[int, tuple[dict[str, str], int]]:
    """Return status and number of open files of the guest's processes, which are those below its starter."""
    parents, facts = {}, {}
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            lines = (line.partition(":") for line in (entry / "status").read_text().splitlines())
            status = {name: value.strip() for name, _, value in lines}
            limits = (entry / "limits").read_text()
            status["core"] = " ".join(limits.partition("Max core file size")[2].split("\n")[0].split())
            status |= _namespaces(entry)
            parents[int(entry.name)] = int(status["PPid"])
            facts[int(entry.name)] = status, len(list((entry / "fd").iterdir()))
    kernel = next((pid for pid, parent in parents.items() if parent == starter), starter) if namespaces() else starter
    return {pid: facts[pid] for pid, parent in parents.items() if pid == kernel or parent == kernel}


def test_this_host_has_no_gaps() -> None:
    """Else the tests above would show nothing."""
    assert gaps() == []
