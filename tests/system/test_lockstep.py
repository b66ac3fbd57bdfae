# SPDX-License-Identifier: MIT
"""A lab that a program drives: time stands still while it decides, and the bytes are those of lab run."""

from __future__ import annotations

import hashlib
import http.client
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from lab import (
    CallError,
    CommandError,
    Lab,
    WaitError,
    associated,
    event,
    listening,
    move,
    printed,
    roam,
)
from lab.errors import InputError, RunError
from lab.machine import scratch
from tests.system.waiting import DEADLINE_S, until

pytestmark = pytest.mark.guest

STILL: dict[str, object] = {"topology.timeline": []}  # nobody moves by itself
WALL = {"wall.json", "console.log"}  # all that may differ


def uptime_ns(net: Lab) -> int:
    text = net["h1"].run(["cat", "/proc/timer_list"], check=True).stdout
    return int(next(line.split()[2] for line in text.splitlines() if line.startswith("now at")))


def be_busy(wall_s: float) -> None:
    """Let wall time pass."""
    until_s = time.monotonic() + wall_s
    while time.monotonic() < until_s:
        pass


def test_a_program_drives_a_handoff(tmp_path: Path) -> None:
    with Lab("two-aps-handoff", set=STILL, pcap="air", directory=tmp_path / "lab") as net:
        station, server = net["sta1"], net["h1"]
        assert station.ap == "ap1"
        assert station.interfaces()["sta1-wlan0"].addresses[0] == "10.0.0.2/8"
        assert station.interfaces()["sta1-wlan0"].up
        assert station.run(["ping", "-c", "1", "h1"], check=True).stdout.count("1 received") == 1
        before = net.counters().link("sta1", "ap1")["sent"]

        net.do(move("sta1", ["21 m", "0 m", "1 m"], speed="15 m/s"))
        net.at("2 s", roam("sta1", "ap2"))
        net.wait_for(associated("sta1", "ap2"))
        assert 2 < net.now_s < 2.5
        assert station.status()["freq"] == "2437"
        assert station.run(["ping", "-c", "1", "h1"], check=True).status == 0
        assert net.counters().link("sta1", "ap1")["sent"] > before

        serves = server.popen(["python3", "-u", "-m", "http.server", "8000", "--directory", "/srv/www"])
        server.put("hello\n", "/srv/www/greeting")
        net.wait_for(listening("h1", "tcp/8000"))
        net.wait_for(printed(serves, "Serving HTTP"))
        fetched = station.run(["sh", "-c", "cat; curl -s $URL"], input="> ", env={"URL": "http://h1:8000/greeting"})
        assert fetched.check().stdout == "> hello\n"
        assert station.run(["tee", "copy"], input=b"\xff\x00", cwd="/tmp").status == 0
        assert station.get("/tmp/copy") == b"\xff\x00"
        assert serves.poll() is None
        serves.terminate()
        assert serves.wait("1 s").status == -signal.SIGTERM

        net.do(event("netem", "h1-s1", delay="100 ms", loss="0%"))
        slow = station.run(["ping", "-c", "1", "h1"], check=True)
        assert slow.ended_s - slow.started_s > 0.2
        net.run_until(6)
        assert net.now_s == pytest.approx(6, abs=1e-3)  # to read the counters takes some time
    record = net.record
    assert [(one["kind"], one["t_ns"]) for one in record.data["events"]][1:2] == [("roam", 2_000_000_000)]
    assert record.plan.duration_ns == net.now_ns
    assert {capture.frequency_mhz for capture in net.captures} == {2412, 2437}
    assert any(frame.at_s > 2 and b"\x02\x00\x01\x00\x05\x00" in frame.data for frame in net.captures[1].frames())
    with pytest.raises(CallError, match=r"the lab has ended, at 6"):
        station.run(["true"])


def test_time_stands_still_while_the_program_decides(tmp_path: Path) -> None:
    with Lab("one-ap", set={"nodes.h1.privileged": True}, directory=tmp_path / "lab") as net:
        calm_ns, started_s = [], net.now_s
        for wait_s in (0.0, 0.3, 0.0):
            begun_ns = uptime_ns(net)
            be_busy(wait_s)
            calm_ns.append(uptime_ns(net) - begun_ns)
        assert max(calm_ns) - min(calm_ns) < 100_000, calm_ns  # what the programs themselves take
        assert net.now_s - started_s < 0.01


def test_mistakes_are_reported_and_change_nothing(tmp_path: Path) -> None:
    with Lab("one-ap", directory=tmp_path / "lab") as net:
        for mistake, message in (
            (lambda: net["sta"], r'unknown node "sta" \(did you mean sta1\?\); known: h1, ap1, sta1'),
            (lambda: net["h1"].get("/nowhere"), "h1 has no file /nowhere to copy: No such file"),
            (lambda: net["h1"].get("/dev/zero"), "/dev/zero of h1 is not a regular file; have a program copy it first"),
            (lambda: net["h1"].status(), "h1 has neither hostapd nor wpa_supplicant"),
            (lambda: net.counters(), r"the medium is perfect, and counts nothing; write medium=\{\}"),
            (lambda: net.run_until("61 s"), r'beyond the end of the timeline, 60 s\n  .*duration="61 s"'),
        ):
            with pytest.raises(CallError, match=message):
                mistake()
        with pytest.raises(InputError, match=r'test_lockstep\.py:\d+  to: unknown node "ap2" \(did you mean ap1'):
            net.at(1, roam("sta1", "ap2"))
        with pytest.raises(InputError, match=r"the medium is perfect, so a move changes nothing\n  write medium=\{\}"):
            net.do(move("sta1", ["1 m", "0 m", "0 m"]))
        with pytest.raises(CommandError, match=r"(?s)h1: sh -c .* ended with status 3.*last lines of .*\n    oh"):
            net["h1"].run(["sh", "-c", "echo oh; exit 3"], check=True)
        with pytest.raises(
            CommandError, match=r"h1: gone ended with status 127\n.*\n    cannot start gone: No such file"
        ):
            net["h1"].run(["gone"])
        assert net["h1"].run(["sh", "-c", "gone"]).status == 127, "the program sh exists"
        with pytest.raises(CommandError, match=r"(?s)status 125\n.*    cannot start ls in /gone: No such file or dir"):
            net["h1"].run(["ls"], cwd="/gone", check=True)
        with pytest.raises(
            CommandError, match=r"was killed by SIGKILL: h1 ran out of memory \(256 MiB\), which also holds"
        ):
            net["h1"].run(["python3", "-c", "bytearray(10**9)"], check=True)
        with pytest.raises(WaitError, match=r"h1: sleep 9 still runs at 1\.\d+ s, after 1 s of virtual time"):
            net["h1"].run(["sleep", "9"], timeout_s=1)
        with pytest.raises(
            WaitError, match=r"waited 0\.5\d* s for sta1 to be associated with ap1, .*; last seen: sta1"
        ):
            net["sta1"].run(["ip", "link", "set", "sta1-wlan0", "down"], check=True)
            net.wait_for(associated("sta1", "ap1"), timeout_s=0.5)
        assert net["h1"].run(["echo", "on"]).stdout == "on\n"


def test_a_run_that_fails_reports_why_now_and_later(tmp_path: Path) -> None:
    with (
        pytest.raises(RunError, match=r"hostapd on ap1 was killed by SIGKILL"),
        Lab("one-ap", directory=tmp_path / "daemon") as net,
    ):
        net["ap1"].run(["pkill", "-KILL", "hostapd"])
        net.run_for(1)
    with pytest.raises(CallError, match="the lab has ended: hostapd on ap1 was killed"):
        net.run_for(1)
    with (
        pytest.raises(RunError, match=r"(?s)kernel reported an error: .*sysrq"),
        Lab("one-ap", set={"nodes.h1.privileged": True}, directory=tmp_path / "panic") as net,
    ):
        net["h1"].run(["sh", "-c", "echo c > /proc/sysrq-trigger"])


def digest(directory: Path) -> dict[str, str]:
    """Name and checksum of every file of a run that must not differ."""
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and path.name not in WALL
    }


DOWNLOAD = {"topology.timeline": [], "processes.fetch.may_run_on": True}


@pytest.mark.parametrize(
    ("topology", "workload", "keys"),
    [("two-aps-handoff", "http/download", DOWNLOAD), ("random-walkers", "idle", {})],
    ids=["programs that start at once", "nothing but moves"],
)
def test_a_lab_that_only_continues_leaves_the_bytes_of_lab_run(
    tmp_path: Path, topology: str, workload: str, keys: dict[str, object]
) -> None:
    def lab(name: str) -> Lab:
        return Lab(topology, workload, duration="3 s", set=keys, pcap="air", directory=tmp_path / name)

    lab("run").run()
    with lab("driven") as net:
        net.finish()
        assert net.now_s == 3
        with pytest.raises(CallError, match="the lab has ended, at 3 s"):
            net.run_for(1)
    ran, driven = digest(tmp_path / "run"), digest(tmp_path / "driven")
    assert {name for name in ran | driven if ran.get(name) != driven.get(name)} == set()
    assert {"raw/air-2412.pcapng", "record.json", "plan.json"} <= ran.keys()
    assert net.metrics.keys() == net.record.metrics.keys()


PROJECT = """
import pytest
from pathlib import Path
from lab import associated, move, roam

@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.lab("two-aps-handoff", set={"topology.timeline": []})
def test_survives_a_handoff(lab, seed):
    lab.do(move("sta1", ["21 m", "0 m", "1 m"]))
    lab.do(roam("sta1", "ap2"))
    lab.wait_for(associated("sta1", "ap2"))
    assert lab["sta1"].run(["ping", "-c", "1", "h1"]).check() and seed == 1

@pytest.mark.lab("one-ap")
def test_continues(lab):
    (Path(__file__).parent / "guest").write_text(str(lab.directory))
    while True:
        lab.run_for("1 us")
"""


def pytest_in(project: Path, *options: str) -> list[str]:
    (project / "test_own.py").write_text(PROJECT)
    where = ["--rootdir", str(project), "--basetemp", str(project / "temporary"), "-p", "no:cacheprovider"]
    return [sys.executable, "-m", "pytest", "-q", *where, *options, str(project / "test_own.py")]


def test_pytest_runs_labs_side_by_side_and_keeps_the_files_of_a_test_that_fails(tmp_path: Path) -> None:
    words = pytest_in(tmp_path, "-n", "2", "-k", "survives")
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "1 failed, 1 passed" in done.stdout, done.stdout
    captures = [Path(line.removeprefix("capture: ")) for line in done.stdout.splitlines() if line.startswith("capture")]
    assert [path.name for path in captures] == ["air-2412.pcapng", "air-2437.pcapng"]
    assert all(path.stat().st_size > 1000 for path in captures)
    assert re.search(r"raw/daemon/sta1-wpa_supplicant.log\n(    .*\n)*    .*CTRL-EVENT-CONNECTED", done.stdout)


def test_ctrl_c_leaves_no_guest(tmp_path: Path) -> None:
    words = pytest_in(tmp_path, "-k", "continues")
    process = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True, start_new_session=True)
    until(lambda: (tmp_path / "guest").exists() or process.poll() is not None)
    run = tmp_path / "temporary" / "test_continues0" / "lab"
    (home,) = [link.parent for link in scratch.PARENT.glob(f"{scratch.PREFIX}*/run") if link.readlink() == run]
    assert scratch._pids_of(home)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=DEADLINE_S)
    assert "KeyboardInterrupt" in output
    assert not home.exists()
    assert scratch._pids_of(home) == []


def test_programs_of_the_host_reach_ports_of_nodes(tmp_path: Path) -> None:
    """The test's own client reads from a web server in a node: twice, at the same virtual times."""
    big = bytes(range(256)) * 40_000

    def times(name: str) -> list[int]:
        with Lab("one-ap", set=STILL, directory=tmp_path / name) as net:
            server = net["h1"]
            with pytest.raises(CallError, match=r'net\["h1"\].forward\(80\): no program listens on tcp/80; h1 listens'):
                server.forward(80)
            server.put(big, "/srv/www/big")
            server.put('server.document-root="/srv/www"\nserver.port=80\n', "/etc/www.conf")
            daemon = server.popen(["lighttpd", "-D", "-f", "/etc/www.conf"])
            net.wait_for(listening(daemon, "tcp/80"))
            found = [net.now_ns]
            with server.forward(80) as port:
                for _ in range(2):
                    with urllib.request.urlopen(f"{port.url}/big", timeout=30) as answer:
                        assert answer.read() == big
                one, other = (http.client.HTTPConnection(*port.address, timeout=30) for _ in range(2))
                one.request("GET", "/big")
                other.request("GET", "/missing")
                assert other.getresponse().status == 404
                assert one.getresponse().read() == big
                one.close()
                other.close()
            net.run_for(1)
            found.append(net.now_ns)
            daemon.terminate()
            daemon.wait()
            with pytest.raises(CallError, match="no program listens on tcp/80"):
                server.forward(80)
        return found

    begun_ns, ended_ns = times("first")
    assert 10**9 <= ended_ns - begun_ns < 1.1 * 10**9
    assert times("second")[0] == begun_ns


def test_a_test_types_at_the_terminal_of_a_program(tmp_path: Path) -> None:
    program = "import sys; print(sys.stdin.isatty(), flush=True); print('hello', input('name? ')); sys.stdin.read()"
    with Lab("one-ap", directory=tmp_path / "lab") as net:
        shell = net["h1"].popen(["python3", "-c", program], tty=True)
        net.wait_for(printed(shell, r"name\? "))
        shell.send("you\n")
        net.wait_for(printed(shell, "^hello you$"))
        shell.send("\x04")
        assert shell.wait().check().stdout == "True\nname? you\nhello you\n"
        with pytest.raises(CallError, match="no program has its terminal any more"):
            shell.send("more\n")
        with pytest.raises(CallError, match="start it with tty=True"):
            net["h1"].popen(["cat"]).send("x")
        sleeps = net["h1"].popen(["sleep", "30"], tty=True)
        net.run_for(1)
        sleeps.send("\x03")
        assert sleeps.wait().status == -signal.SIGINT
        assert net["h1"].popen(["stty", "size"], tty=True).wait().stdout == "24 80\n"


def test_folders_to_nodes_and_back(tmp_path: Path) -> None:
    ours = tmp_path / "ours"
    (ours / "bin").mkdir(parents=True)
    (ours / "bin" / "run").write_text("#!/bin/sh\necho ran\n")
    (ours / "bin" / "run").chmod(0o755)
    (ours / "also").symlink_to("bin/run")
    with Lab("one-ap", directory=tmp_path / "lab") as net:
        h1 = net["h1"]
        h1.put(ours, "/opt/ours")
        assert h1.run(["/opt/ours/bin/run"], check=True).stdout == "ran\n"
        strange = "ln -s /etc/passwd stolen; mkfifo pipe; mkdir -p a/b; echo x >a/b/c"
        h1.run(["sh", "-c", strange], cwd="/opt/ours", check=True)
        h1.get("/opt/ours", tmp_path / "theirs")
        found = {str(path.relative_to(tmp_path / "theirs")) for path in (tmp_path / "theirs").rglob("*")}
        assert found == {"also", "bin", "bin/run", "a", "a/b", "a/b/c"}
        h1.get("/opt/ours/a/b/c", tmp_path / "c")
        assert (tmp_path / "c").read_text() == "x\n"
        with pytest.raises(CallError, match=r'is a folder; write get\("/opt/ours", to="copy"\)'):
            h1.get("/opt/ours")
        with pytest.raises(CallError, match="/proc of h1 is the kernel's"):
            h1.get("/proc", tmp_path / "proc")
        links = "ln -s /proc/1/pagemap large; ln -s /proc/kmsg log; ln -s /proc/1/oom_score_adj killed"
        h1.run(["sh", "-c", links], cwd="/tmp", check=True)
        for link in ("large", "log", "killed"):  # the agent reads and writes more than programs do
            with pytest.raises(CallError, match=f"/tmp/{link} of h1 is not a regular file"):
                h1.get(f"/tmp/{link}")
            with pytest.raises(CallError, match=f"/tmp/{link} of h1 is the kernel's, or a device"):
                h1.put("5", f"/tmp/{link}")
        with pytest.raises(CallError, match="write at_most_bytes=40"):
            h1.get("/opt/ours", tmp_path / "less", at_most_bytes=5)
        (ours / "out").symlink_to("/etc/hostname")
        with pytest.raises(CallError, match=f"{ours}/out is a link, but not to a file in {ours}"):
            h1.put(ours, "/opt/again")
