# SPDX-License-Identifier: MIT
"""Ports of nodes on the host's loopback: ``net["h1"].forward(80)``.

A thread accepts connections of the host's programs, such as the test itself, and passes bytes on through the lock-step
channel. It also decides when time passes: while a connection waits for its node, and until it has been quiet for a
while. Calls of the lab wait for that.
"""

from __future__ import annotations

import binascii
import contextlib
import logging
import queue
import selectors
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from lab.errors import LabError
from lab.lockstep.agent import Agent
from lab.lockstep.errors import CallError

__tracebackhide__ = True  # pytest shows the line of the caller
ANSWER_NS = 60_000_000_000  # of virtual time for the first byte of an answer
_REACTION_S = 0.01  # of wall time for a client to send more before its node works on it
_CONTINUES_NS = 100_000  # of virtual time after a part of an answer, for the node to write the next one
_BLOCKED_NS = 5_000_000  # of virtual time for a node that does not take all, before it is given more
_IDLE_S = 0.2  # wall time for a client after an answer, before a second passes in which nobody may do anything
_READ_BYTES = 32_768  # a line with them fits into a pipe
_AT_ONCE = struct.pack("ii", 1, 0)  # SO_LINGER: closing it resets the connection
_log = logging.getLogger("lab")


class Forward:
    """A port of a node on the host, at ``port`` of 127.0.0.1; ``close`` or ``with`` ends it."""

    def __init__(
        self, node: str, to: int, quiet_ns: int, listener: socket.socket, close: Callable[[Forward], None]
    ) -> None:
        self.node = node
        self.to = to
        self.quiet_ns = quiet_ns
        self.listener = listener
        self.port: int = listener.getsockname()[1]
        self._close = close

    def __repr__(self) -> str:
        return f"<port {self.to} of {self.node} at {self.address[0]}:{self.port}>"

    @property
    def address(self) -> tuple[str, int]:
        """Where it is on the host, as ``socket.create_connection`` takes it."""
        return "127.0.0.1", self.port

    @property
    def url(self) -> str:
        """Its URL, without a slash at the end: ``http://127.0.0.1:40123``."""
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        """Accept no more connections, and reset those that are open."""
        self._close(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, what: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


@dataclass(eq=False)
class _Connection:
    forward: Forward
    client: socket.socket
    number: int  # of the agent
    since_ns: int  # of the last byte, either way
    to_node: bytearray = field(default_factory=bytearray)
    to_client: bytearray = field(default_factory=bytearray)
    blocked: bool = False  # the node did not take all of it
    waits: bool = False  # for an answer
    client_ended: bool = False
    end_passed: bool = False  # to the node
    node_ended: bool = False

    @property
    def until_ns(self) -> int:
        """Up to which time of the timeline its node may have something to say."""
        return self.since_ns + (ANSWER_NS if self.waits else self.forward.quiet_ns)

    @property
    def full(self) -> bool:
        """Whether the client may have more to send."""
        return len(self.to_node) == _READ_BYTES

    def wanted(self) -> int:
        """Return what a selector is to look for."""
        reads = not self.client_ended and len(self.to_node) < _READ_BYTES
        return (selectors.EVENT_READ if reads else 0) | (selectors.EVENT_WRITE if self.to_client else 0)


class Forwarder:
    """The forwarded ports of a lab, and the thread that serves them.

    Args:
        agent: of the lab; the thread has it to itself while time passes.
        ask: as that of the lab, which notes its end.
        end_ns: of the timeline.
    """

    def __init__(self, agent: Agent, ask: Callable[..., dict[str, Any]], end_ns: int) -> None:
        agent.shared = True
        self._agent = agent
        self._ask = ask
        self._end_ns = end_ns
        self._selector = selectors.DefaultSelector()
        self._woken, self._wake = socket.socketpair()
        self._selector.register(self._woken, selectors.EVENT_READ)
        self._tasks: queue.SimpleQueue[Callable[[], object]] = queue.SimpleQueue()
        self._connections: list[_Connection] = []
        self._gone: list[int] = []  # numbers of connections that the agent can close
        self._over = False
        self._thread = threading.Thread(target=self._serve, name="lab: forwarded ports", daemon=True)
        self._thread.start()

    def add(self, node: str, port: int, quiet_ns: int) -> Forward:
        """Forward a port of a node; ``quiet_ns``: how long time passes for a connection after the last byte."""
        listener = socket.create_server(("127.0.0.1", 0))
        listener.setblocking(False)
        made = Forward(node, port, quiet_ns, listener, self._remove)
        self._have(lambda: self._selector.register(listener, selectors.EVENT_READ, made))
        return made

    def _remove(self, forward: Forward) -> None:
        done = threading.Event()

        def remove() -> None:
            if forward.listener.fileno() >= 0:
                self._selector.unregister(forward.listener)
                forward.listener.close()
                for one in [one for one in self._connections if one.forward is forward]:
                    self._drop(one, reset=True)
            done.set()

        self._have(remove)
        while self._thread.is_alive() and not done.wait(0.1):
            pass

    def _have(self, task: Callable[[], object]) -> None:
        """Have the thread do something."""
        self._tasks.put(task)
        with contextlib.suppress(OSError):  # it has ended
            self._wake.send(b"x")

    def end(self) -> None:
        """Have the thread end, and with it all connections; do not wait for that."""
        self._over = True
        self._have(lambda: None)

    def join(self) -> None:
        """Wait until the thread has ended. Call it without holding the agent."""
        if threading.current_thread() is not self._thread:
            self._thread.join()

    # The thread

    def _serve(self) -> None:
        try:
            while not self._over:
                self._look(None)
                with self._agent.alone():
                    self._let_time_pass()
        except LabError as error:
            if not self._over:
                _log.warning("forwarded ports have ended: %s", error)
        finally:
            self._over = True
            for key in list(self._selector.get_map().values()):
                if isinstance(key.data, Forward):
                    key.data.listener.close()
            for one in self._connections:
                one.client.close()
            self._selector.close()
            self._woken.close()
            self._wake.close()

    def _let_time_pass(self) -> None:
        """Let time pass until no connection needs more of it."""
        idles = False
        while not self._over and (came := self._exchange(idles)) is not None:
            if came or any(one.waits for one in self._connections):
                idles = False
                self._look(_REACTION_S)
            else:
                idles = not self._look(_IDLE_S)

    def _look(self, within_s: float | None) -> bool:
        """Take what comes from clients, and give them what came for them, until nothing happens in that time.

        Return whether anything has happened.
        """
        happened = False
        for one in self._connections:
            self._watch(one)
        while not self._over and (ready := self._selector.select(within_s)):
            happened = True
            for key, events in ready:
                if isinstance(key.data, Forward):
                    self._accept(key.data)
                elif isinstance(key.data, _Connection):
                    self._serve_client(key.data, events)
                else:
                    self._woken.recv(1)
                    self._tasks.get()()
            within_s = 0 if any(one.full for one in self._connections) else _REACTION_S
        return happened

    def _watch(self, one: _Connection) -> None:
        known = one.client.fileno() in self._selector.get_map()
        if not (wanted := one.wanted()):
            if known:
                self._selector.unregister(one.client)
        elif known:
            self._selector.modify(one.client, wanted, one)
        else:
            self._selector.register(one.client, wanted, one)

    def _accept(self, forward: Forward) -> None:
        try:
            client, _ = forward.listener.accept()
        except OSError:  # it has gone, or the port is closed
            return
        client.setblocking(False)
        try:
            number = int(self._ask("connect", node=forward.node, port=forward.to)["connection"])
        except CallError as error:
            _log.warning("%s", error)
            _reset(client)
            return
        made = _Connection(forward, client, number, self._agent.now_ns)
        self._connections.append(made)
        self._watch(made)

    def _serve_client(self, one: _Connection, events: int) -> None:
        if one not in self._connections:
            return
        try:
            if events & selectors.EVENT_WRITE:
                del one.to_client[: one.client.send(one.to_client)]
            if events & selectors.EVENT_READ:
                data = one.client.recv(_READ_BYTES - len(one.to_node))
                one.to_node += data
                one.client_ended = not data
                one.waits = one.waits or bool(data)
                one.since_ns = self._agent.now_ns
        except BlockingIOError:
            return
        except OSError:
            self._drop(one, reset=False)
            return
        self._finish(one)

    def _finish(self, one: _Connection) -> None:
        """Pass on the node's end once the client has everything; drop what has ended both ways."""
        if one.node_ended and not one.to_client:
            with contextlib.suppress(OSError):
                one.client.shutdown(socket.SHUT_WR)
            if one.client_ended:
                self._drop(one, reset=False)
                return
        self._watch(one)

    def _drop(self, one: _Connection, *, reset: bool) -> None:
        self._connections.remove(one)
        self._gone.append(one.number)
        if one.client.fileno() in self._selector.get_map():
            self._selector.unregister(one.client)
        if reset:
            _reset(one.client)
        one.client.close()

    def _exchange(self, idles: bool) -> bool | None:
        """Let time pass until a node has something; return whether one had, None if there is nothing to wait for.

        ``idles``: wait even if no client waits for an answer.
        """
        now_ns = self._agent.now_ns
        for one in [one for one in self._connections if one.waits and now_ns >= min(one.until_ns, self._end_ns)]:
            why = "where the timeline ends" if now_ns >= self._end_ns else f"in {ANSWER_NS // 10**9} s of virtual time"
            _log.warning("port %d of %s: no answer %s; its connection is reset", one.forward.to, one.forward.node, why)
            self._drop(one, reset=True)
        sending = [one for one in self._connections if one.to_node]
        ending = [one for one in self._connections if one.client_ended and not one.end_passed and not one.to_node]
        reading = [one for one in self._connections if not one.node_ended and not one.to_client]
        waiting = [one.until_ns for one in reading if now_ns < min(one.until_ns, self._end_ns)]
        if not (sending or ending or waiting or self._gone):
            return None
        if full := [one for one in sending if one.full]:
            until_ns = now_ns + (_BLOCKED_NS if all(one.blocked for one in full) else 1)
        elif waiting and (idles or any(one.waits for one in reading)):
            until_ns = max(waiting)
        else:
            until_ns = now_ns + _CONTINUES_NS
        answer = self._ask(
            "exchange",
            sent=[(one.number, binascii.b2a_base64(one.to_node, newline=False).decode()) for one in sending],
            ended=[one.number for one in ending],
            closed=self._gone,
            reading=[one.number for one in reading],
            until_ns=until_ns,
        )
        self._gone = []
        for one in ending:
            one.end_passed = True
        for one, took in zip(sending, answer["took"], strict=True):
            one.blocked = took < len(one.to_node)
            del one.to_node[:took]
        by_number = {one.number: one for one in self._connections}
        for number, text in answer["received"]:
            self._received(by_number[number], text)
        return bool(answer["received"])

    def _received(self, one: _Connection, text: str | None) -> None:
        """Take what a node has sent: bytes, its end, or a reset."""
        one.since_ns, one.waits = self._agent.now_ns, False
        if text is None:
            self._drop(one, reset=True)
        elif text:
            one.to_client += binascii.a2b_base64(text)
        else:
            one.node_ended = True
            self._finish(one)


def _reset(client: socket.socket) -> None:
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
    client.close()
