# SPDX-License-Identifier: MIT
"""What programs in a node cannot do to the guest, to other nodes and to the host; and what they still can."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.system.conftest import WIRED, Ran, quoted

pytestmark = pytest.mark.guest

IN_USER_NAMESPACE = "unshare --user --map-root-user --mount"
# commands that succeed in a privileged node: most write what is there already
GUESTS = {
    "files of the host": "mount -t hostfs none /mnt -o hostfs=/ && test -d /mnt/etc",
    "the guest's memory": "mknod /tmp/mem c 1 1 && test -c /tmp/mem",
    "the guest's block devices": "mount -t devtmpfs none /mnt && umount /mnt",
    "the clock": "date -s @$(date +%s)",
    "magic SysRq": ": >> /proc/sysrq-trigger",
    "where cores go": 'now=$(cat /proc/sys/kernel/core_pattern); echo "$now" > /proc/sys/kernel/core_pattern',
    "settings of memory": "now=$(cat /proc/sys/vm/swappiness); echo $now > /proc/sys/vm/swappiness",
    "parameters of modules": "cd /sys/module/printk/parameters; now=$(cat time); echo $now > time",
    "cgroups of other nodes": "mount -t cgroup2 none /mnt && echo 99 > /mnt/lab-h2/pids.max && umount /mnt",
    "counters of the kernel": "mount -t debugfs none /mnt && umount /mnt",
    "the exit code of the guest": ": >> /proc/exitcode",
    "timers of all nodes": "grep -q . /proc/timer_list",
    "a new /sys in a user namespace": f"{IN_USER_NAMESPACE} --net mount -t sysfs none /mnt",
    "a new /proc in a user namespace": f"{IN_USER_NAMESPACE} --pid --fork mount -t proc none /mnt",
}
# and others, which succeed nowhere, or end a privileged node
NOBODYS = {
    "files of the host, in a user namespace": f"{IN_USER_NAMESPACE} mount -t hostfs none /mnt -o hostfs=/",
    "its own limits": f"{IN_USER_NAMESPACE} --cgroup sh -c 'mount -t cgroup2 none /mnt && echo 99 > /mnt/pids.max'",
    "what covers /proc": "umount /proc/sys || mount -o remount,rw /proc/sys",
    "the channel to the host": ": <> /proc/hostask || ! test -c /proc/hostask",  # nobody answers in a run
    "the end of the node": "python3 -c 'import ctypes; exit(ctypes.CDLL(None).reboot(0x4321FEDC) == -1)'",
    "namespaces of its own": "unshare --mount true",
}
# answers its own echo requests through a TUN device
TUN = """python3 -c '
import fcntl, os, struct, subprocess
tun = os.open("/dev/net/tun", os.O_RDWR)
fcntl.ioctl(tun, 0x400454CA, struct.pack("16sH22x", b"tun0", 0x1001))  # TUNSETIFF: IFF_TUN, IFF_NO_PI
subprocess.run("ip addr add 10.9.0.1/24 dev tun0 && ip link set tun0 up", shell=True, check=True)
ping = subprocess.Popen(["ping", "-c", "3", "10.9.0.2"])
answered = 0
while answered < 3:
    packet = os.read(tun, 1500)
    if packet[0] == 0x45 and packet[9] == 1 and packet[20] == 8:
        total = int.from_bytes(packet[22:24]) + 0x0800  # the type is part of the checksum
        summed = (total + total // 0x10000) % 0x10000
        os.write(tun, packet[:12] + packet[16:20] + packet[12:16] + bytes(2) + summed.to_bytes(2) + packet[24:])
        answered += 1
exit(ping.wait())'"""
USERS_TUN = """ip tuntap add tun1 mode tun user 1000 &&
setpriv --reuid 1000 --clear-groups --inh-caps=-all python3 -c '
import fcntl, struct
fcntl.ioctl(open("/dev/net/tun", "rb+", 0), 0x400454CA, struct.pack("16sH22x", b"tun1", 0x1001))'"""
STILL = {
    "user namespaces": f"{IN_USER_NAMESPACE} sh -c 'mount -t tmpfs none /mnt && touch /mnt/x'",
    "overlays in user namespaces": f"""{IN_USER_NAMESPACE} sh -ec '
mount -t tmpfs none /mnt && cd /mnt && mkdir lower upper work all
mount -t overlay none all -o lowerdir=lower,upperdir=upper,workdir=work && touch all/x && test -f upper/x'""",
    "settings of its network": "sysctl -w net.ipv4.ip_forward=1",
    "settings of its interfaces": "echo 1400 > /sys/class/net/h1-eth0/mtu",
    "queues and links": "ip link add x type dummy && tc qdisc add dev x root netem delay 1ms",
    "TUN devices": TUN,
    "TUN devices of other users": USERS_TUN,
    "raw sockets": "timeout 3 tcpdump -n -c 1 -i h1-eth0 icmp & ping -c 3 h2; wait $!",
    "other users": "touch /tmp/of && chown 1000 /tmp/of && setpriv --reuid 1000 --clear-groups test -O /tmp/of",
}


def attempts(commands: dict[str, str]) -> str:
    """Return a workload that tries each command in h1."""
    events = (
        f"  - {{at: {at_ms} ms, exec: h1, run: [sh, -c, {quoted(f'({command}) && echo done || echo refused')}]}}\n"
        for at_ms, command in zip(range(100, 9000, 100), commands.values(), strict=False)
    )
    return f"name: attempts\nduration: 9 s\ntimeline:\n{''.join(events)}"


def outcomes(ran: Ran, commands: dict[str, str]) -> dict[str, str]:
    return {name: output.splitlines()[-1] for name, output in zip(commands, ran.outputs(), strict=True)}


def test_a_node_changes_neither_the_guest_nor_other_nodes(boot: Callable[..., Ran]) -> None:
    commands = GUESTS | NOBODYS
    assert outcomes(boot(WIRED, attempts(commands)), commands) == dict.fromkeys(commands, "refused")


def test_a_privileged_node_may_all_of_it(boot: Callable[..., Ran]) -> None:
    topology = WIRED.replace("roles: [server]", "privileged: true")
    assert outcomes(boot(topology, attempts(GUESTS)), GUESTS) == dict.fromkeys(GUESTS, "done")


def test_a_node_may_what_its_network_needs(boot: Callable[..., Ran]) -> None:
    assert outcomes(boot(WIRED, attempts(STILL)), STILL) == dict.fromkeys(STILL, "done")


# CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, SETPCAP, NET_BIND_SERVICE, NET_BROADCAST, NET_ADMIN,
# NET_RAW, SYS_CHROOT, AUDIT_WRITE, SETFCAP
OF_NODES = sum(1 << number for number in (0, 1, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 18, 29, 31))


@pytest.mark.parametrize("privileged", [False, True])
def test_the_capabilities_of_root(boot: Callable[..., Ran], privileged: bool) -> None:
    topology = WIRED.replace("roles: [server]", "privileged: true") if privileged else WIRED
    show = "[grep, -E, '^Cap(Prm|Eff|Bnd)', /proc/self/status]"
    ran = boot(topology, f"name: show\nduration: 1 s\ntimeline:\n  - {{at: 100 ms, exec: h1, run: {show}}}\n")
    found = {name: int(mask, 16) for name, mask in map(str.split, ran.outputs()[0].splitlines())}
    all_of_root = found["CapPrm:"]
    assert found["CapEff:"] == all_of_root
    if privileged:
        assert all_of_root & OF_NODES == OF_NODES and (all_of_root + 1).bit_count() == 1
    else:
        assert found == dict.fromkeys(found, OF_NODES)


SETS = "sh, -c, 'iw reg set US && sleep 0.1 && iw reg get | grep country || echo refused'"


@pytest.mark.parametrize("privileged", [False, True])
def test_a_node_does_not_change_the_regulatory_domain_of_all(boot: Callable[..., Ran], privileged: bool) -> None:
    """It may ask for the one that is set, as hostapd does."""
    topology = (
        f"name: radios\nnodes:\n  h1: {{kind: host, privileged: {str(privileged).lower()}}}\n"
        "  ap1: {kind: ap, ssid: x, channel: 1}\n  sta1: {kind: sta}\nlinks: [{between: [h1, ap1]}]\n"
    )
    asks = "sh, -c, 'iw reg set DE && echo done; iw reg get | grep country'"
    ran = boot(
        topology,
        f"name: sets\nduration: 2 s\ntimeline:\n  - {{at: 1 s, exec: h1, run: [{SETS}]}}\n"
        f"  - {{at: 1200 ms, exec: sta1, run: [{SETS.replace('US', 'GB')}]}}\n"
        f"  - {{at: 1400 ms, exec: ap1, run: [{asks}]}}\n",
    )
    of_host, of_station, asked = ran.outputs()
    assert of_station.endswith("refused\n") and "GB" not in asked
    if privileged:
        assert "country US" in of_host
    else:
        assert of_host.endswith("refused\n") and asked.splitlines()[:2] == ["done", "country DE: DFS-ETSI"]


RAW = {
    "a link in place of an output": "ln -sf /etc/passwd /lab/raw/victim.out",
    "a FIFO in place of an output": "rm /lab/raw/victim.out && mkfifo /lab/raw/victim.out",
    "a forged line in another's output": "echo forged >> /lab/raw/victim.out",
    "a new output": "echo forged > /lab/raw/other.out",
    "no outputs": "set -- /lab/raw/*; rm -rf $@; test $# -gt 1",
}


def test_nothing_of_the_run_is_within_reach(boot: Callable[..., Ran]) -> None:
    prints = "{on: h2, run: [sh, -c, 'while sleep 0.1; do echo mine; done'], as: victim, may_run_on: true}"
    ran = boot(WIRED, f"{attempts(RAW)}processes:\n  - {prints}\n")
    assert outcomes(ran, RAW) == dict.fromkeys(RAW, "refused")
    printed = ran.raw("victim.out").split()
    assert set(printed) == {"mine"} and len(printed) > 80
    assert {path.name for path in (ran.directory / "raw").iterdir()} >= {"victim.out", "victim.err"}
    assert not (ran.directory / "raw" / "other.out").exists()


def test_a_node_that_removes_all_that_it_sees_harms_only_itself(boot: Callable[..., Ran]) -> None:
    remove = "  - {at: 5 s, exec: h1, run: [sh, -c, '! rm -rf --no-preserve-root / 2>&1']}\n"
    probe = "processes:\n  - {on: h2, at: 1 s, run: {probe: tcpdump}, as: capture}\n"
    ping = "  - {on: h2, at: 1 s, run: {probe: ping, to: '{h1.ip}', count: 50, every: 100 ms}, as: echo}\n"
    ran = boot(WIRED, f"name: wreck\nduration: 9 s\ntimeline:\n{remove}{probe}{ping}")
    assert "50 received" in ran.raw("echo.out")
    assert (ran.directory / "raw" / "capture.pcap").stat().st_size > 5000
