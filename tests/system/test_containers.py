# SPDX-License-Identifier: MIT
"""Every node is a container: its own namespaces, its own files, effective limits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lab.errors import RunError
from tests.system.conftest import WIRED, Ran, quoted

pytestmark = pytest.mark.guest


def test_a_node_has_namespaces_and_files_of_its_own(boot: Callable[..., Ran]) -> None:
    ran = boot(
        WIRED,
        """
name: look
roles: {host: 2}
duration: 2 s
files:
  look:
    on: host
    path: /tmp/look
    text: "hostname; cat /proc/1/comm; ls /etc/mine /tmp/mine /var/mine; cd /sys/class/net; ls -d */"
timeline:
  - {at: 0.1 s, exec: h1, run: [sh, -c, "echo mine > /etc/mine; echo mine > /tmp/mine; echo mine > /var/mine"]}
  - {at: 0.2 s, exec: h1, run: [sh, /tmp/look]}
  - {at: 0.3 s, exec: h2, run: [sh, /tmp/look]}
""",
    )
    _, first, second = (output.split() for output in ran.outputs())
    assert first == ["h1", "pause", "/etc/mine", "/tmp/mine", "/var/mine", "h1-eth0/", "lo/"]
    assert second[:2] == ["h2", "pause"]
    assert second[-2:] == ["h2-eth0/", "lo/"]
    assert "/etc/mine" not in second


def test_a_node_that_wants_more_memory_than_it_has_is_the_culprit(boot: Callable[..., Ran]) -> None:
    with pytest.raises(RunError, match=r"eater was killed by SIGKILL: h2 ran out of memory \(64 MiB\)"):
        boot(
            WIRED.replace("roles: [client]", "roles: [client], memory: 64 MiB"),
            """
name: eat
roles: {client: 1}
duration: 5 s
processes:
  - {on: client, run: [python3, -c, "x = bytearray(100 << 20)"], as: eater, at: 1 s}
""",
        )


@pytest.mark.parametrize("ends", [True, False])
def test_a_program_that_outlives_the_one_that_the_kernel_killed_does_not_hide_it(
    boot: Callable[..., Ran], ends: bool
) -> None:
    topology = WIRED.replace("roles: [client]", "roles: [client], memory: 64 MiB")
    then = "true" if ends else "sleep 9"
    workload = f"""
name: eat
roles: {{client: 1}}
duration: 2 s
processes:
  - {{on: client, run: [sh, -c, "python3 -c 'bytearray(100 << 20)'; {then}"], as: eater, at: 1 s}}
"""
    if ends:
        assert boot(topology, workload).guest()["memory_kills"] == {"h2": 1}
        return
    with pytest.raises(
        RunError, match=r"eater still ran at .*: h2 ran out of memory \(64 MiB\), .* killed 1 of its pro"
    ):
        boot(topology, workload)


def test_a_node_cannot_have_more_processes_than_its_limit(boot: Callable[..., Ran], tmp_path: Path) -> None:
    """This is reported even if the program that tried to start more ends with 0."""
    with pytest.raises(RunError, match=r"topology.yaml:5: h2 reached its limit of 20 processes and threads \(pids:\)$"):
        boot(
            WIRED.replace("roles: [client]", "roles: [client], pids: 20"),
            """
name: fork
duration: 2 s
timeline:
  - {at: 1 s, exec: h2, run: [bash, -c, "(for i in $(seq 40); do sleep 9 & done) 2>&1 || true"]}
""",
        )
    (directory,) = tmp_path.glob("run-*")
    assert "Resource temporarily unavailable" in Ran(directory).outputs()[0]


def test_a_missing_program_is_the_culprit(boot: Callable[..., Ran]) -> None:
    with pytest.raises(RunError, match=r"nonesuch ended with status 127(.|\n)*cannot start nonesuch: No such file"):
        boot(
            WIRED,
            """
name: missing
roles: {client: 1}
duration: 2 s
processes:
  - {on: client, at: 1 s, run: [nonesuch]}
""",
        )


def test_a_node_has_the_usual_devices_and_sees_nothing_of_other_nodes(boot: Callable[..., Ran]) -> None:
    look = """\
ls /dev; echo; ls /lab; ls /run/lab; echo
head -c 3 /dev/zero | wc -c; head -c 3 /dev/urandom | wc -c; echo gone > /dev/null; echo in | cat /dev/stdin
head -c 1 /dev/zero 2>&1 > /dev/full | grep -o 'No space left on device'
python3 -c 'import os, pty; print(os.ttyname(pty.openpty()[1]))'
grep -o 'follow tmpfs ro' /proc/mounts
echo; tr -d '\\0' < /proc/1/cmdline; echo; ps -e -o comm= | grep -v -e '^ps' -e '^sh' -e '^grep'
"""
    lines = "".join(f"      {line}\n" for line in look.splitlines())
    ran = boot(
        WIRED,
        "name: look\nroles: {host: 2}\nduration: 2 s\n"
        f"files:\n  look:\n    on: host\n    path: /tmp/look\n    text: |\n{lines}"
        "timeline:\n  - {at: 0.2 s, exec: h1, run: [sh, /tmp/look]}\n",
    )
    devices, places, answers, processes = (part.split("\n") for part in ran.outputs()[0].strip().split("\n\n"))
    assert " ".join(devices) == "fd full net null ptmx pts random shm stderr stdin stdout tty urandom zero"
    assert places == ["raw", "follow"]
    assert answers == ["3", "3", "in", "No space left on device", "/dev/pts/0", "follow tmpfs ro"]
    assert processes == ["pause", "pause"]


def test_nothing_inside_a_node_ends_its_first_process(boot: Callable[..., Ran]) -> None:
    ran = boot(
        WIRED.replace("roles: [client]", "roles: [client], memory: 64 MiB"),
        """
name: kill
duration: 2 s
timeline:
  - {at: 0.1 s, exec: h2, run: [sh, -c, "kill -TERM 1; kill -KILL 1; kill -HUP 1"]}
  - {at: 0.2 s, exec: h2, run: [sh, -c, "python3 -c 'bytearray(100 << 20)'; test $? = 137"]}
  - {at: 1 s, exec: h2, run: [cat, /proc/1/comm]}
""",
    )
    assert ran.outputs()[-1] == "pause\n"


def test_the_end_of_a_container_ends_the_run(boot: Callable[..., Ran]) -> None:
    off = "import ctypes; ctypes.CDLL(None).reboot(0x4321FEDC)"
    with pytest.raises(RunError, match=r"topology.yaml:5: h2 has stopped: its first process has ended, and with it"):
        boot(
            WIRED.replace("roles: [client]", "roles: [client], privileged: true"),
            f"""
name: off
roles: {{client: 1}}
duration: 5 s
processes:
  - {{on: client, at: 1 s, run: [python3, -c, "{off}"], as: off}}
""",
        )


def test_files_are_where_programs_look_for_them(boot: Callable[..., Ran]) -> None:
    """/var/run is a symbolic link to /run, and /dev/shm a mount."""
    ran = boot(
        WIRED,
        """
name: files
roles: {client: 1}
duration: 2 s
files:
  link: {on: client, path: /var/run/a, text: first}
  mount: {on: client, path: /dev/shm/b/c, text: second}
  random: {on: client, path: /run/d, random: 2 MiB}
timeline:
  - {at: 0.1 s, exec: h2, run: [sh, -c, "cat /run/a /dev/shm/b/c; stat -c %s /var/run/d"]}
  - {at: 0.1 s, exec: h1, run: [ls, /run]}
""",
    )
    assert ran.outputs() == ["firstsecond2097152\n", "lab\n"]


def test_a_file_that_cannot_be_written(boot: Callable[..., Ran]) -> None:
    with pytest.raises(RunError, match=r"files.bad: /proc/bad in h2: No such file or directory"):
        boot(
            WIRED,
            "name: bad\nroles: {client: 1}\nduration: 1 s\nfiles:\n  bad: {on: client, path: /proc/bad, text: x}\n",
        )


LOOK = """\
import os
print("ids", *os.getresuid(), *os.getresgid(), *os.getgroups())
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print("may", {status[name].strip() for name in ("CapEff", "CapPrm", "CapAmb")} != {"0" * 16})
for what in (lambda: open("/etc/mine", "w"), lambda: os.kill(1, 9), lambda: os.setuid(0)):
    try:
        what()
        print("done")
    except PermissionError:
        print("refused")
open("/tmp/mine", "w")
"""


def test_a_program_runs_as_the_user_that_its_process_names(boot: Callable[..., Ran]) -> None:
    ran = boot(
        WIRED,
        f"""
name: look
roles: {{client: 1}}
duration: 2 s
processes:
  - {{on: client, user: 1000, run: [python3, -c, {quoted(LOOK)}], as: as-user, at: 0.1 s}}
  - {{on: client, run: [python3, -c, "import os; print(os.getuid())"], as: as-root, at: 0.1 s}}
""",
    )
    assert (ran.directory / "raw" / "as-user.out").read_text().splitlines() == [
        "ids 1000 1000 1000 1000 1000 1000 1000",
        "may False",
        *["refused"] * 3,
    ]
    assert (ran.directory / "raw" / "as-root.out").read_text() == "0\n"
