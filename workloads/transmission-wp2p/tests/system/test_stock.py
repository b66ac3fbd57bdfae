# SPDX-License-Identifier: MIT
"""The patched client with both changes off, compared with the stock one: the same bytes in every TCP connection.

Two runs with the same seed differ in the program of one peer only. Three things that no patch changes differ as well:

* The stock program is linked to other libraries, so it starts 8 µs later. Times are therefore not compared, nor what
  the kernel makes of them: time stamps, sequence numbers, a client's port, and which bytes share a segment.
* What is asked for next depends on these times too if it is drawn. The peer that the compared one serves therefore
  fetches in sequence.
* OpenSSL mixes the time into its random numbers. A library that is loaded into all programs of a peer gives them
  the same ones in both runs. They choose peer-ids, keys, and among equally rare pieces.
"""

from __future__ import annotations

import hashlib
import subprocess
from pathlib import Path

import pytest

from lab.captures import pcap
from lab.record import Record

from .runner import Run
from .test_client import PUBLISHED, SIZE, looks, peer

pytestmark = pytest.mark.guest
RANDOM = """\
static unsigned long long state = FIRST;
int RAND_bytes(unsigned char *to, int count)
{
	for (int i = 0; i < count; i++) {
		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		to[i] = state >> 56;
	}
	return 1;
}
int RAND_priv_bytes(unsigned char *to, int count) { return RAND_bytes(to, count); }
"""
PEERS = ("sta1", "sta2")
IN_SEQUENCE = "client: wp2p, fetch: fixed, rarest: 0%"
TCP = 6
WIRED = """\
name: wired
nodes:
  h1:   {kind: host, roles: [server], image: peer}
  s1:   {kind: switch}
  sta1: {kind: host, image: peer}
  sta2: {kind: host, image: peer}
links:
  - {between: [h1, s1]}
  - {between: [sta1, s1]}
  - {between: [sta2, s1]}
"""


def swarm(client: str, libraries: Path) -> str:
    """A peer with this client: it downloads, and gives what it has to one that comes when the seed has left."""
    published = PUBLISHED.replace("as: seed,", "as: seed, stop: 20 s,").replace("20 s\nfiles", "48 s\nfiles")
    files, probes = "files:\n", "probes:\n"
    for node in PEERS:
        files += f"  random-{node}: {{on: {node}, path: /opt/same-random.so, from: {libraries}/{node}.so}}\n"
        files += f"  load-{node}: {{on: {node}, path: /etc/ld.so.preload, text: /opt/same-random.so}}\n"
        probes += f"  - {{on: {node}, probe: tcpdump, snaplen: 4 KiB, as: at-{node}}}\n"
    ours, theirs = peer("ours", f", {client}"), peer("theirs", f", {IN_SEQUENCE}", "sta2", "at: 21 s")
    return published.replace("files:\n", files) + ours + theirs + probes


# Both addresses, and how many bytes were sent from the first to the second, with their hash. (To explain a difference
# of megabytes, pytest takes hours.)
Streams = list[tuple[bytes, int, str]]


def on_the_wire(record: Record) -> list[Streams]:
    """What each peer sent and received, for each of its connections."""
    return [streams(record.directory / "raw" / f"at-{node}.pcap") for node in PEERS]


def streams(capture: Path) -> Streams:
    found: dict[tuple[bytes, bytes], dict[int, bytes]] = {}
    for _, frame in pcap.load(capture).frames():
        ip = frame[14:]
        if frame[12:14] == b"\x08\x00" and ip[9] == TCP:
            tcp = ip[20 : int.from_bytes(ip[2:4], "big")]
            sent = found.setdefault((ip[12:20], tcp[:4]), {})
            sent[int.from_bytes(tcp[4:8], "big")] = tcp[(tcp[12] >> 4) * 4 :]
    sums = [(addresses, in_order(sent)) for (addresses, _), sent in found.items()]
    return sorted((addresses, len(sent), hashlib.sha256(sent).hexdigest()) for addresses, sent in sums)


def in_order(sent: dict[int, bytes]) -> bytes:
    """The payloads by their sequence numbers, from that of the SYN, which is the first segment."""
    first = next(iter(sent))
    return b"".join(sent[number] for number in sorted(sent, key=lambda number: (number - first) % 2**32))


def test_with_everything_off_it_sends_and_receives_what_the_stock_client_does(run: Run, tmp_path: Path) -> None:
    """With a rule it does not: the comparison notices that."""
    (tmp_path / "random.c").write_text(RANDOM)
    for first, node in enumerate(PEERS):  # two peers need two peer-ids
        flags = ["-shared", "-fPIC", "-nostdlib", "-O1", f"-DFIRST={first}", "-o", str(tmp_path / f"{node}.so")]
        subprocess.run(["gcc", *flags, tmp_path / "random.c"], check=True)
    (tmp_path / "wired.yaml").write_text(WIRED)

    def of(name: str, client: str) -> Record:
        return run(swarm(client, tmp_path), name, topology=str(tmp_path / "wired.yaml"))

    stock = of("stock", "client: stock")
    ours, theirs = (looks(stock, name)[-1] for name in ("ours", "theirs"))
    assert ours["up"] >= theirs["down"] == ours["down"] == SIZE, (ours, theirs)
    assert all(max(sent for _, sent, _ in there) > SIZE for there in on_the_wire(stock))
    assert on_the_wire(of("off", "client: wp2p")) == on_the_wire(stock)
    assert on_the_wire(of("ordered", IN_SEQUENCE)) != on_the_wire(stock)
