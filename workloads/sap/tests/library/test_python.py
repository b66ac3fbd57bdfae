# SPDX-License-Identifier: MIT
"""The Python binding: the core over a channel of Python, and sockets on the loopback interface."""

from __future__ import annotations

import importlib
import sys
from array import array
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from workloads.sap.tests.library import native
from workloads.sap.tests.library.in_guest import NEEDS_UDPLITE

BINDING = native.STACK / "python"
MS = 1_000_000


@pytest.fixture(scope="module")
def sap(libsap: Path) -> Iterator[ModuleType]:
    """The module, as an exercise imports it, over the library as it was built now."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BINDING)
        patch.setenv("SAP_LIBRARY", str(libsap / "libsap.so"))
        yield importlib.import_module("sap")
        del sys.modules["sap"]


class Channel:
    """Two cores, and what one says to the other at once, unless it is lost."""

    def __init__(self, sap: ModuleType, **options: int) -> None:
        self.now_ns = 0
        self.lost: set[int] = set()
        self.said: list[bytes] = []
        self.connects = sap.Core(sap.CONNECTS, bytes(range(16)), peer=b"listens", **options)
        self.listens = sap.Core(sap.LISTENS, bytes(range(16, 32)), **options)

    def talk(self) -> None:
        """Until both are silent."""
        sides = {b"listens": self.listens, b"connects": self.connects}
        silent = 0
        while silent < 2:
            silent = 0
            for name, core in sides.items():
                said = core.output(self.now_ns)
                if said is None:
                    silent += 1
                    continue
                datagram, to, _ = said
                if len(self.said) not in self.lost:
                    sides[to].input(name, datagram, self.now_ns)
                self.said.append(datagram)

    def wait(self) -> None:
        """Until the next timer of either."""
        self.now_ns = min(self.connects.next_ns, self.listens.next_ns)
        self.talk()


def test_core(sap: ModuleType) -> None:
    channel = Channel(sap)
    channel.talk()
    assert channel.connects.ready("SAP_CONNECTED") and channel.listens.ready("SAP_CONNECTED")
    channel.lost = {len(channel.said)}
    channel.connects.send(b"precise")
    channel.talk()
    with pytest.raises(sap.Error, match=r"the operation would block \(SAP_ERR_AGAIN\)"):
        channel.connects.send(b"another")
    channel.wait()
    assert channel.now_ns == 50 * MS
    channel.connects.send(b"headtail", head=4)
    channel.talk()
    channel.connects.send(b"approximate", 0, guaranteed=False)
    channel.connects.output(0)  # lost on the way
    channel.connects.fin()
    channel.talk()
    assert channel.listens.receive() == sap.Message(b"precise", 7, True, 0, 0)
    assert channel.listens.receive() == sap.Message(b"headtail", 4, True, 1, 0)
    with pytest.raises(sap.Error, match="SAP_ERR_END"):
        channel.listens.receive()
    assert channel.listens.stats["lost_approximate"] == 1
    assert channel.connects.stats["retransmitted"] == 1


def test_approximate_datagrams_are_new_once_however_many_came_before(sap: ModuleType) -> None:
    """The receiver remembers which of the last 1,024 it has; a number's mark is that of the number 1,024 before."""
    channel = Channel(sap)
    channel.talk()
    count, late = 3000, 2500
    kept = b""
    for number in range(count):
        channel.connects.send(b"%d" % number, 0, guaranteed=False)
        if number == late:
            kept = channel.connects.output(0)[0]
            continue
        channel.talk()
        if number == late + 1:
            assert channel.listens.receive().data == b"%d" % number
            channel.listens.input(b"connects", kept, 0)
            channel.listens.input(b"connects", kept, 0)
            number = late
        assert channel.listens.receive().data == b"%d" % number
    assert channel.listens.stats["duplicates"] == 1


def test_damage(sap: ModuleType) -> None:
    """Wrong bits in the tail are delivered, wrong bits anywhere else are not."""
    channel = Channel(sap)
    channel.talk()
    channel.connects.send(bytes(10), 3)
    datagram, _, precise = channel.connects.output(0)
    assert precise == sap.MACROS["SAP_HEADER_BYTES"] + 3
    for at in range(precise):
        channel.listens.input(b"connects", datagram[:at] + bytes([datagram[at] ^ 1]) + datagram[at + 1 :], 0)
    assert channel.listens.stats["rejected_damaged"] == precise
    channel.listens.input(b"connects", datagram[:-1] + b"\1", 0)
    assert channel.listens.receive().data == bytes(9) + b"\1"


def work(server: Any, client: Any, done: Any) -> None:
    """What an event loop does, without one."""
    while not done():
        server.process()
        client.process()


def test_buffers(sap: ModuleType) -> None:
    """Anything with a buffer can be sent, and what cannot is named."""
    channel = Channel(sap)
    channel.talk()
    numbers = array("I", [1, 2])
    for data in (bytearray(b"abc"), memoryview(b"abcdef")[1:4], numbers, b""):
        channel.connects.send(data)
        channel.talk()
        assert channel.listens.receive().data == bytes(data)
    for wrong in ("text", 7, memoryview(b"abcdef")[::2]):
        with pytest.raises(TypeError, match=rf"contiguous buffer, not {type(wrong).__name__}"):
            channel.connects.send(wrong)


@NEEDS_UDPLITE
def test_closed(sap: ModuleType) -> None:
    with sap.listen("127.0.0.1", timeout_ms=0) as server:
        pass
    server.close()
    for call in (server.recv, server.flush, server.fin, server.process, server.accept, lambda: server.send(b"x")):
        with pytest.raises(ValueError, match="the socket is closed"):
            call()
    with pytest.raises(ValueError, match="the socket is closed"):
        server.mode = sap.APPROXIMATE


def test_wrong_option(sap: ModuleType) -> None:
    with pytest.raises(TypeError, match="unknown option windw; known options: timeout_ms, control"):
        sap.connect("127.0.0.1", 9, windw=3)
    with pytest.raises(sap.Error, match="an argument or option is out of range"):
        sap.Core(sap.LISTENS, bytes(16), window=0)


@NEEDS_UDPLITE
def test_expected(sap: ModuleType) -> None:
    """By its token, and by its address."""
    with (
        sap.listen("127.0.0.1", timeout_ms=0, peer=("127.0.0.1", 0), token=7) as server,
        sap.connect("127.0.0.1", server.port, timeout_ms=0) as stranger,
        sap.connect("127.0.0.1", server.port, timeout_ms=0, token=7) as client,
    ):
        work(server, client, lambda: client.ready("SAP_CONNECTED"))
        stranger.process()
        assert not stranger.ready("SAP_CONNECTED") and server.stats["rejected_foreign"] > 0
    with (
        sap.listen("127.0.0.1", timeout_ms=0, peer=("127.0.0.2", 0)) as server,
        sap.connect("127.0.0.1", server.port, timeout_ms=0) as stranger,
    ):
        server.process()
        stranger.process()
        assert not stranger.ready("SAP_CONNECTED") and server.stats["rejected_foreign"] == 1


@NEEDS_UDPLITE
def test_sockets(sap: ModuleType) -> None:
    with (
        sap.listen("127.0.0.1", timeout_ms=0) as server,
        sap.connect("127.0.0.1", server.port, timeout_ms=0) as client,
    ):
        work(server, client, lambda: client.ready("SAP_CONNECTED"))
        client.send(b"one")
        client.mode = sap.APPROXIMATE
        assert client.mode == sap.APPROXIMATE
        client.send(b"two")
        client.send_head(b"three", 2, once=True)
        work(server, client, lambda: client.ready("SAP_FLUSHED"))
        with pytest.raises(sap.Error, match="SAP_ERR_AGAIN"):
            client.fin()
        work(server, client, lambda: server.ready("SAP_ENDED"))
        assert [(message.data, message.precise) for message in server] == [(b"one", 3), (b"two", 0), (b"three", 2)]
        assert server.stats["delivered_approximate"] == 2
