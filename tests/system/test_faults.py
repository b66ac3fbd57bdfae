# SPDX-License-Identifier: MIT
"""A guest that fails ends with an error that names the culprit. Every detector is triggered once."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
from collections.abc import Callable

import pytest

from lab.errors import RunError
from lab.machine.cage import namespaces
from lab.machine.guest import Guest
from lab.machine.standstill import LOOK_S, used_below
from lab.machine.watch import RunProgress, WallTimes
from tests.system.conftest import WIRED, Ran, quoted

pytestmark = [pytest.mark.guest, pytest.mark.usefixtures("fresh")]

PTRACE_SEIZE_AND_INTERRUPT = (0x4206, 0x4207)  # of linux/ptrace.h
WALL = 0x40000000  # __WALL of linux/wait.h

ONE_AP = """\
name: one
nodes:
  h1: {kind: host, roles: [server]}
  ap1: {kind: ap, ssid: net}
  sta1: {kind: sta, roles: [client]}
links:
  - {between: [h1, ap1]}
"""


def test_a_process_that_spins_stops_virtual_time(boot: Callable[..., Ran]) -> None:
    said = r"virtual time stood still at .* s for 4 s of processor time; running: spinner"
    with pytest.raises(RunError, match=said):
        boot(
            WIRED,
            """
name: spin
roles: {client: 1}
duration: 5 s
processes:
  - {on: client, at: 1 s, run: [perl, -e, "$0 = 'spinner'; while (1) { $x++ }"]}
""",
            stall_s=4.0,
        )


# hundreds of programs, so that there is a time to do something to the guest
LONG = """\
name: long
roles: {client: 1}
duration: 60 s
processes:
  - {on: client, as: sleeps, may_run_on: true, run: [sh, -c, for i in $(seq 600); do sleep 0.01; done]}
"""


def when_it_is_on_its_way(monkeypatch: pytest.MonkeyPatch, do: Callable[[set[int], float], None]) -> None:
    """Have the next guest looked at from the start of its timeline on: by its processes' pids, and the wall time."""
    follow = Guest.follow

    def looked_at(guest: Guest, on_progress: Callable[[RunProgress], None]) -> WallTimes:
        def look(progress: RunProgress) -> None:
            on_progress(progress)
            if progress.virtual_ns is not None:
                do(set(used_below(guest._process.process.pid)), progress.wall_s)

        return follow(guest, look)

    monkeypatch.setattr(Guest, "follow", looked_at)


def test_a_guest_that_its_host_keeps_from_working_is_not_ended(
    boot: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Here it is stopped, for longer than it may stand still."""
    stall_s = 1.0
    times: list[float] = []

    def stop(pids: set[int], wall_s: float) -> None:
        if len(times) < 2 and (not times or wall_s > times[0] + stall_s + 3 * LOOK_S):
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):  # a program of the guest that has ended since the look
                    os.kill(pid, signal.SIGCONT if times else signal.SIGSTOP)
            times.append(wall_s)

    when_it_is_on_its_way(monkeypatch, stop)
    ran = boot(WIRED, LONG, stall_s=stall_s)
    assert len(times) == 2 and ran.guest()["error"] is None


def test_a_guest_that_hangs_is_ended(boot: Callable[..., Ran], monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes no processor time. A debugger's grip keeps its kernel from ever continuing."""
    libc = ctypes.CDLL(None, use_errno=True)
    held: list[int] = []

    def hold(pids: set[int], _wall_s: float) -> None:
        if not held:
            held.append(sorted(pids)[int(bool(namespaces()))])  # below the command that has made its namespaces
            assert [libc.ptrace(request, held[0], None, None) for request in PTRACE_SEIZE_AND_INTERRUPT] == [0, 0]

    when_it_is_on_its_way(monkeypatch, hold)
    said = r"virtual time stood still at .* s for 1 s of waiting\n(.|\n)* its kernel does not answer either: it hangs"
    with pytest.raises(RunError, match=said):
        boot(WIRED, LONG, stall_s=1.0)
    os.waitpid(held[0], WALL)  # a traced process stays until its tracer has noticed


def test_a_daemon_that_dies_is_named_with_its_log(boot: Callable[..., Ran]) -> None:
    with pytest.raises(RunError, match=r"hostapd on ap1 was killed by SIGKILL(.|\n)*ap1-hostapd.log(.|\n)*AP-ENABLED"):
        boot(ONE_AP, "name: kill\nduration: 5 s\ntimeline:\n  - {at: 1 s, exec: ap1, run: [pkill, -KILL, hostapd]}\n")


def test_a_required_process_that_ends_early_is_named(boot: Callable[..., Ran]) -> None:
    with pytest.raises(RunError, match=r"workload.yaml:5\S* +lighttpd ended with status \d+(.|\n)*lighttpd.err"):
        boot(
            WIRED,
            """name: early
roles: {server: 1}
duration: 5 s
processes:
  - {on: server, run: [lighttpd, -D, -f, /nonesuch], ready: {listening: tcp/80}}
""",
        )


def test_a_client_that_still_runs_at_the_end_is_named_and_may_do_so_if_its_line_says_so(
    boot: Callable[..., Ran],
) -> None:
    work = "name: long\nroles: {client: 1}\nduration: 1 s\nprocesses:\n  - {on: client, run: [sleep, '9'], as: nap}\n"
    with pytest.raises(
        RunError, match=r"workload.yaml:5: nap still ran at the end of the run, 1 s; .* may_run_on: true"
    ):
        boot(WIRED, work)
    assert boot(WIRED, work.replace("as: nap", "as: nap, may_run_on: true")).guest()["error"] is None


def test_a_process_that_prints_forever_is_ended_and_named(boot: Callable[..., Ran]) -> None:
    """In no virtual time: no timer in the guest would ever fire."""
    process = "{on: client, at: 1 s, run: ['yes'], max_output: 1 MiB}"
    with pytest.raises(RunError, match=r"workload.yaml:5: yes printed more than 1 MiB.* at 1 s of 5 s(.|\n)*\n    y\n"):
        boot(WIRED, f"name: much\nroles: {{client: 1}}\nduration: 5 s\nprocesses:\n  - {process}\n")


def test_an_event_that_prints_forever_is_named(boot: Callable[..., Ran]) -> None:
    """Its node's memory ends it."""
    with pytest.raises(RunError, match=r"workload.yaml:4: exec h1: yes printed more than 16 MiB\n(.|\n)*\n    y\n"):
        boot(WIRED, "name: much\nduration: 2 s\ntimeline:\n  - {at: 1 s, exec: h1, run: ['yes']}\n")


def test_a_node_whose_memory_is_full_of_files_is_named_soon(boot: Callable[..., Ran]) -> None:
    """Even if the kernel kills another program than the one that fills it, which waits for its end."""
    fill = "dd if=/dev/zero of=/root/x bs=1M; exit 0"
    with pytest.raises(
        RunError, match=r"^wpa_supplicant on sta1 was killed by SIGKILL: sta1 ran out of memory \(32 MiB"
    ):
        boot(
            ONE_AP.replace("sta1: {kind: sta", "sta1: {kind: sta, memory: 32 MiB"),
            "name: fill\nroles: {client: 1}\nduration: 2 s\nprocesses:\n"
            f"  - {{on: client, run: [bash, -c, '{fill}'], as: fill}}\n",
        )


MANY_FILES = "import os\nfor n in range(400000): os.close(os.open(f'/tmp/{n}', os.O_CREAT | os.O_WRONLY))"


def test_a_node_with_more_files_than_its_memory_holds_leaves_room_for_those_of_others(boot: Callable[..., Ran]) -> None:
    """Nodes share no limit of the number of files."""
    work = (
        f"name: files\nduration: 3 s\ntimeline:\n  - {{at: 1 s, exec: h1, run: [python3, -c, {quoted(MANY_FILES)}]}}\n"
        "  - {at: 2 s, exec: h2, run: [touch, /tmp/mine]}\n"
    )
    with pytest.raises(RunError, match=r"workload.yaml:4: exec h1: python3 (.|\n)* ended with -9"):
        boot(WIRED, work)


def test_many_copies_take_no_virtual_time(boot: Callable[..., Ran]) -> None:
    """Only a single wait in the kernel does, and it differs from 4000 system calls of 1 MiB each."""
    copy = "{on: client, run: [dd, if=/dev/zero, of=/dev/null, bs=1M, count=4000], as: copy}"
    ran = boot(WIRED, f"name: copies\nroles: {{client: 1}}\nduration: 1 s\nprocesses:\n  - {copy}\n")
    (copied,) = [one for one in ran.guest()["processes"] if one["id"] == "copy"]
    assert copied["ended_ns"] - copied["started_ns"] < 1_000_000  # its start takes some


def test_a_program_that_fails_in_a_node_that_can_start_no_more_is_named_with_that(boot: Callable[..., Ran]) -> None:
    place = WIRED.replace("h2: {kind: host", "h2: {kind: host, pids: 20")
    bomb = "i=0; while [ $i -lt 40 ]; do sleep 1 & i=$((i+1)); done"
    with pytest.raises(RunError, match=r"workload.yaml:5: bomb ended .*: h2 reached its limit of 20 processes"):
        boot(
            place,
            "name: bomb\nroles: {client: 1}\nduration: 3 s\nprocesses:\n"
            f"  - {{on: client, run: [sh, -c, '{bomb}'], as: bomb}}\n",
        )


def test_a_process_that_listens_on_another_port_is_named_with_that(boot: Callable[..., Ran]) -> None:
    server = "{on: server, run: {probe: udp-sink, port: 9001}, as: sink, ready: {listening: udp/9000, within: 1 s}}"
    said = r"timeout: waited 1 s for sink to be ready \(udp/9000\); last seen: h1 listens on udp/9001\n"
    with pytest.raises(RunError, match=said):
        boot(WIRED, f"name: wrong\nroles: {{server: 1}}\nduration: 2 s\nprocesses:\n  - {server}\n")


def test_a_kernel_warning_fails_the_run(boot: Callable[..., Ran]) -> None:
    with pytest.raises(RunError, match=r"the guest's kernel reported an error: .*WARNING: made up"):
        boot(
            WIRED.replace("roles: [server]", "privileged: true"),
            """
name: warn
duration: 2 s
timeline:
  - {at: 1 s, exec: h1, run: [sh, -c, "mknod /tmp/kmsg c 1 11 && echo '<4>WARNING: made up' > /tmp/kmsg"]}
""",
        )


def test_a_failing_event_names_its_line(boot: Callable[..., Ran]) -> None:
    with pytest.raises(RunError, match=r"workload.yaml:4\S* exec h1: .*exit 3.* ended with 3"):
        boot(WIRED, "name: fail\nduration: 2 s\ntimeline:\n  - {at: 1 s, exec: h1, run: [sh, -c, 'exit 3']}\n")


def test_a_handoff_to_an_access_point_out_of_reach_fails(boot: Callable[..., Ran]) -> None:
    """After half a minute, the station has forgotten the access point."""
    topology = ONE_AP.replace("  sta1", "  ap2: {kind: ap, ssid: net, channel: 6}\n  sta1")
    with pytest.raises(RunError, match=r"sta1 cannot roam to ap2: no beacon or probe response"):
        boot(
            topology,
            """
name: gone
duration: 45 s
timeline:
  - {at: 1 s, exec: ap2, run: [hostapd_cli, -i, ap2-wlan1, disable]}
  - {at: 40 s, roam: sta1, to: ap2}
""",
        )


def test_a_handoff_to_an_access_point_that_is_gone_fails(boot: Callable[..., Ran]) -> None:
    """The station still knows the access point, tries without success and returns."""
    topology = ONE_AP.replace("  sta1", "  ap2: {kind: ap, ssid: net, channel: 6}\n  sta1")
    gone = "{at: 1 s, exec: ap2, run: [hostapd_cli, -i, ap2-wlan1, disable]}"
    with pytest.raises(RunError, match="sta1 could not join ap2, and associated with another access point"):
        boot(topology, f"name: gone\nduration: 12 s\ntimeline:\n  - {gone}\n  - {{at: 5 s, roam: sta1, to: ap2}}\n")


NOWHERE = "{at: 1 s, exec: ap2, run: [hostapd_cli, -i, ap2-wlan1, disable]}\n  - {at: 5 s, roam: sta1, to: ap2}\n"


def test_a_handoff_that_never_ends_is_reported(boot: Callable[..., Ran]) -> None:
    """The station finds neither the access point to which it is to go nor the one from which it came."""
    topology = ONE_AP.replace("  sta1", "  ap2: {kind: ap, ssid: net, channel: 6}\n  sta1")
    gone = f"{NOWHERE}  - {{at: 5.03 s, exec: ap1, run: [hostapd_cli, -i, ap1-wlan1, disable]}}\n"
    with pytest.raises(RunError, match="sta1 has not joined ap2 within 30 s, .* said OK to that; its last message: <"):
        boot(topology, f"name: gone\nduration: 40 s\ntimeline:\n  - {gone}")
    (roam,) = boot(topology, f"name: gone\nduration: 7 s\ntimeline:\n  - {gone}").guest()["unfinished"]
    assert (roam["station"], roam["ap"]) == ("sta1", "ap2") and 5_000_000_000 <= roam["t_ns"] < 5_001_000_000


def test_the_end_of_an_earlier_scan_is_not_that_of_the_handoffs(boot: Callable[..., Ran]) -> None:
    """While a command runs, nobody reads what wpa_supplicant reports; the handoff finds the report in its socket.

    After 30 s only a scan of its own tells the station of ap2 again.
    """
    topology = ONE_AP.replace("  sta1", "  ap2: {kind: ap, ssid: net, channel: 6}\n  sta1")
    scan = '{at: 33 s, exec: sta1, run: [iw, dev, sta1-wlan0, scan, freq, "2412"]}'  # it ends with the scan
    status = "{at: 36 s, exec: sta1, run: [wpa_cli, -i, sta1-wlan0, status]}"
    ran = boot(
        topology,
        f"name: two\nduration: 37 s\ntimeline:\n  - {scan}\n  - {{at: 33.001 s, roam: sta1, to: ap2}}\n  - {status}\n",
    )
    assert "freq=2437" in ran.outputs()[-1]


def test_a_station_with_a_wrong_passphrase_is_named_with_its_line(boot: Callable[..., Ran]) -> None:
    secured = ONE_AP.replace("ssid: net}", "ssid: net, encrypt: wpa2, passwd: espresso-1}")
    with pytest.raises(RunError, match=r"topology.yaml:5: timeout: waited 30 s for sta1 to associate with 'net'"):
        boot(
            secured.replace("roles: [client]", "roles: [client], encrypt: wpa2, passwd: decaffeinated"),
            "name: never\nduration: 2 s\n",
        )
