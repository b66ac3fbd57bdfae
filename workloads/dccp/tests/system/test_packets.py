# SPDX-License-Identifier: MIT
"""What the kernel answers to packets that only a raw socket can send, or that a network must lose."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.system.conftest import Ran
from workloads.dccp.tests.system.pairs import PLACE, programs

pytestmark = pytest.mark.guest

Boot = Callable[..., Ran]

READER = """\
c = accepted({ccid})
c.settimeout(5)
try:
    while (data := c.recv(2000)):
        print(data)
except TimeoutError:
    pass
"""
# the states of packets from one on, downwards: 0 received, 3 not received
STATES = """
import json
def states(packet):
    return [cell >> 6 for kind, value in packet.options if kind == ACK_VECTOR
            for cell in value for _ in range((cell & 63) + 1)]
"""


def printed(ran: Ran, end: str) -> Any:
    """The last line that an end printed."""
    return json.loads(ran.raw(f"{end}-program.out").splitlines()[-1])


def test_an_ack_vector_counts_a_burst_of_losses(boot: Boot) -> None:
    """69 packets are lost between 7 that arrived and 2 that arrive."""
    client = f"""{STATES}
p.connect()
for n in range(6): p.send(DATA, payload=b"abcd")
p.all(1)
p.seq += 69
for n in range(2): p.send(DATA, payload=b"abcd")
print(json.dumps(states(p.wait(ACK))))
"""
    ran = boot(PLACE, programs(8, READER.format(ccid=2), client))
    assert printed(ran, "client") == [0] * 2 + [3] * 69 + [0] * 7


def test_an_ack_without_a_vector_acknowledges_nothing(boot: Boot) -> None:
    """The packet before it had one, and another option that is invalid. What is in flight stays so."""
    server = """
import json
p.accept()
p.wait(ACK)
for n in range(3): p.wait(DATAACK)
time.sleep(0.2)
p.send(ACK, option(ACK_VECTOR, bytes([2])) + option(41, b"abc"))
time.sleep(0.2)
p.send(ACK)
"""
    client = """
import json
s = connected(2)
time.sleep(0.2)
for n in range(3): s.send(bytes(100))
time.sleep(1)
print(json.dumps(struct.unpack("5I", s.getsockopt(SOL_DCCP, TX_INFO, 20))[2]))
ended()
"""
    assert printed(boot(PLACE, programs(5, server, client)), "client") == 3


def test_a_response_that_comes_again_is_answered(boot: Boot) -> None:
    """The client has sent the Ack, and the server has not got it."""
    server = """
import json
request = p.accept()
first = p.wait(ACK)
p.send(RESPONSE, p.confirm(request), ack=request.seq)
again = p.receive(2)
print(json.dumps([again.type, again.seq - first.seq, again.ack - first.ack] if again else None))
"""
    client = """
s = connected(2)
time.sleep(4)
ended()
"""
    assert printed(boot(PLACE, programs(6, server, client)), "server") == [3, 1, 1]


def test_a_reset_ends_a_close_that_waits(boot: Boot) -> None:
    """The run fails if the kernel warns. close() would wait for 6 s."""
    server = """
p.accept()
p.wait(ACK)
time.sleep(1)
p.send(RESET, extra=bytes([2, 0, 0, 0]))
"""
    client = """
s = dccp(3)
s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 6))
s.connect((other, 5001))
s.setblocking(False)
try:
    while True: s.send(bytes(1400))
except BlockingIOError:
    pass
start = time.monotonic()
s.close()
print(time.monotonic() - start)
"""
    assert 0.9 < printed(boot(PLACE, programs(9, server, client)), "client") < 1.1


def test_the_packet_that_opens_the_server_is_acknowledged(boot: Boot) -> None:
    """It carries data, since the Ack before it was lost."""
    client = f"""{STATES}
p.send(REQUEST, option(CHANGE_L, bytes([CCID, 2])) + option(CHANGE_R, bytes([CCID, 2])))
p.send(DATAACK, p.confirm(p.wait(RESPONSE)), b"first")
first = p.seq
p.send(DATAACK, payload=b"second")
ack = p.wait(ACK)
print(json.dumps([ack.ack - first, states(ack)]))
"""
    ran = boot(PLACE, programs(8, READER.format(ccid=2), client))
    assert printed(ran, "client") == [1, [0, 0]]


def test_acks_report_the_first_loss(boot: Boot) -> None:
    """No data has arrived since the first packet of CCID 3. The run fails if the kernel takes that for a bug."""
    client = """
import json
p.connect(3)
p.send(DATAACK, payload=b"abcd")
p.seq += 1
for n in range(4):
    p.send(ACK)
    time.sleep(0.05)
rates = [value for packet in p.all(1) for kind, value in packet.options if kind == 192]
print(json.dumps([int.from_bytes(value, "big") for value in rates]))
"""
    ran = boot(PLACE, programs(8, READER.format(ccid=3), client))
    never, first = printed(ran, "client")
    assert never == 2**32 - 1 and 1 <= first < 10


@pytest.mark.parametrize("order", [(2, 1, 3, 4, 5), (2, 1, 3, 2, 4, 5)])
def test_packets_that_change_places(boot: Boot, order: tuple[int, ...]) -> None:
    """CCID 3 sees no loss, not even if one comes twice. The run fails if the kernel finds its history in disorder."""
    client = f"""
import json
p.connect(3)
p.send(DATAACK, payload=b"abcd")
first = p.seq
for later in {order}:
    p.send(DATA, payload=b"abcd", seq=first + later)
p.all(1)
p.seq = first + 5
p.send(DATA, payload=b"abcd", ccval=5)
print(json.dumps([int.from_bytes(value, "big") for kind, value in p.wait(ACK).options if kind == 192]))
"""
    assert printed(boot(PLACE, programs(8, READER.format(ccid=3), client)), "client") == [2**32 - 1]
