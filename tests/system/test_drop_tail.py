# SPDX-License-Identifier: MIT
"""The keys ``drop_tail`` and ``fifo``: how many packets wait for a radio, which are dropped, and who is served next."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.system.conftest import Ran, quoted

pytestmark = pytest.mark.guest

Boot = Callable[..., Ran]

SENT, LIMIT = 600, 100
PLACE = """\
name: queue
nodes:
  h1: {{kind: host, roles: [server]}}
  ap1: {{kind: ap, ssid: x, mode: a, channel: 36, rate: 54 Mbit/s{queue}}}
  sta1: {{kind: sta, roles: [client-1]}}
  sta2: {{kind: sta, roles: [client-2]}}
links: [{{between: [h1, ap1], rate: 1 Gbit/s}}]
medium: {{}}
"""
# number 0 is answered
SINK = """\
import socket
s = socket.socket(2, 2)
s.bind(('', 9))
while True:
    datagram, sender = s.recvfrom(2000)
    number = int(datagram[:9])
    print(number, flush=True)
    if not number:
        s.sendto(b'', sender)
"""
# an answer shows that the server has learnt the station's address
BURST = """\
import socket
s = socket.socket(2, 2)
for to in {to}:
    s.sendto(b'%09d' % 0, (to, 9))
    s.recv(10)
for number in range(1, 1 + {count}):
    for to in {to}:
        s.sendto(b'%09d' % number + bytes(1400), (to, 9))
"""
WORK = """\
name: queue
roles: {{server: 1, client-1: 1, client-2: 1}}
duration: 6 s
processes:
  - {{on: client-1, run: [python3, -c, {sink}], as: sink-1, ready: {{listening: udp/9}}}}
  - {{on: client-2, run: [python3, -c, {sink}], as: sink-2, ready: {{listening: udp/9}}}}
  - {{on: server, at: 1 s, run: [python3, -c, {burst}], as: burst}}
checks:
  - {{that: burst.exit == 0}}
"""


# to one station, then to the other; each answers its first
TWO_BURSTS = """\
import socket
s = socket.socket(2, 2)
for to in {to}:
    s.sendto(b'%09d' % 0, (to, 9))
    s.recv(10)
for to in {to}:
    for number in range(1, 1 + {count}):
        s.sendto(b'%09d' % number + bytes(1400), (to, 9))
"""


def arrived(boot: Boot, queue: str, to: tuple[int, ...]) -> dict[int, list[int]]:
    """The numbers of the datagrams that each station got, of a burst to these stations in turn."""
    addresses = tuple(f"{{client-{number}.ip}}" for number in to)
    burst = BURST.format(count=SENT // len(to), to=addresses)
    found = boot(PLACE.format(queue=queue), WORK.format(sink=quoted(SINK), burst=quoted(burst)))
    return {number: [int(line) for line in found.raw(f"sink-{number}.out").split()][1:] for number in to}


def test_what_comes_when_the_queue_is_full_is_dropped(boot: Boot) -> None:
    """Packets that already wait stay, and are sent in order; none is dropped because it waited too long."""
    numbers = arrived(boot, f", drop_tail: {LIMIT}", (1,))[1]
    assert numbers[:LIMIT] == list(range(1, 1 + LIMIT))
    # a datagram takes 12 us of the wire and about 400 us of the air
    assert LIMIT < len(numbers) < LIMIT + SENT // 10 and numbers == sorted(numbers)
    assert numbers[-1] > LIMIT + SENT // 10


def test_all_stations_share_it(boot: Boot) -> None:
    """The first packets find room, no matter for which station they are."""
    numbers = arrived(boot, f", drop_tail: {LIMIT}", (1, 2))
    for number in (1, 2):
        assert numbers[number][: LIMIT // 2] == list(range(1, 1 + LIMIT // 2))
    assert LIMIT < len(numbers[1]) + len(numbers[2]) < LIMIT + SENT // 10


def test_linux_drops_what_has_waited_for_long(boot: Boot) -> None:
    """Without the key: there is room for 8192 packets, but CoDel drops some of those that wait for more than 20 ms."""
    numbers = arrived(boot, "", (1,))[1]
    assert SENT / 2 < len(numbers) < SENT


@pytest.mark.parametrize("mode", ["a", "n"])
def test_in_one_queue_what_came_first_goes_first(boot: Boot, mode: str) -> None:
    """Of two bursts, the second waits for the first; else the stations take turns."""
    waits = {}
    for fifo in ("", ", fifo: true"):
        queue = f", drop_tail: 4000{fifo}"
        burst = TWO_BURSTS.format(count=100, to=("{client-1.ip}", "{client-2.ip}"))
        sink = SINK.replace("import socket", "import socket, time").replace("print(number", "print(time.time_ns()")
        rate = "rate: 54 Mbit/s" if mode == "a" else "rate: MCS 0"
        place = PLACE.format(queue=queue).replace("mode: a", f"mode: {mode}").replace("rate: 54 Mbit/s", rate)
        found = boot(place, WORK.format(sink=quoted(sink), burst=quoted(burst)))
        first, second = ([int(line) for line in found.raw(f"sink-{number}.out").split()][1:] for number in (1, 2))
        assert len(first) == len(second) == 100
        waits[bool(fifo)] = sum(time_ns < second[0] for time_ns in first)
    assert waits[True] == 100 and waits[False] < 70
