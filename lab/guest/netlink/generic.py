# SPDX-License-Identifier: MIT
"""A generic netlink family: requests, their acknowledgements, and dumps.

pyroute2 does all this and more, but takes longer to import than the rest of the agent.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator, Sequence
from itertools import count
from typing import Protocol

from lab.guest.errors import GuestError
from lab.guest.netlink import wire

_NETLINK_GENERIC = 16
_SOL_NETLINK = 270
_CAP_ACK, _EXT_ACK = 10, 11  # NETLINK_CAP_ACK, NETLINK_EXT_ACK
_CONTROL = 0x10  # GENL_ID_CTRL
_GET_FAMILY = 3  # CTRL_CMD_GETFAMILY
_FAMILY_ID, _FAMILY_NAME = 1, 2  # CTRL_ATTR_FAMILY_ID, _NAME
_CONTROL_VERSION = 2

_TIMEOUT_S = 5.0  # virtual; the kernel answers within the call, so only a bug here takes longer
_RECEIVED_BYTES = 1 << 17  # larger than any answer of the kernel
BATCH_MESSAGES = 64  # their acknowledgements must fit into the socket's buffer
BATCH_BYTES = 100_000  # less than the limit of a socket


class Transport(Protocol):
    """A connection that carries bytes to the kernel and back."""

    def send(self, data: bytes) -> None:
        """Send messages."""

    def receive(self) -> bytes:
        """Return some answers."""


class KernelSocket:
    """A netlink socket."""

    def __init__(self) -> None:
        try:
            self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _NETLINK_GENERIC)
            for option in (_CAP_ACK, _EXT_ACK):
                self._socket.setsockopt(_SOL_NETLINK, option, 1)
            self._socket.bind((0, 0))
        except OSError as error:
            raise GuestError(f"netlink: {error.strerror}") from None
        self._socket.settimeout(_TIMEOUT_S)

    def send(self, data: bytes) -> None:
        """Send messages; the kernel has processed them when this returns."""
        try:
            self._socket.send(data)
        except OSError as error:
            raise GuestError(f"netlink: {len(data)} bytes cannot be sent: {error}") from None

    def receive(self) -> bytes:
        """Return some answers."""
        try:
            data, _, flags, _ = self._socket.recvmsg(_RECEIVED_BYTES)
        except TimeoutError:
            raise GuestError("netlink: the kernel does not answer") from None
        except OSError as error:
            raise GuestError(f"netlink: no answer: {error}") from None
        if flags & socket.MSG_TRUNC:
            raise GuestError(f"netlink: an answer of more than {_RECEIVED_BYTES} bytes")
        return data


class RefusedError(GuestError):
    """A request that the kernel refused.

    Attributes:
        request: its index among those sent together.
        outcome: the kernel's answer.
        blamed: type of the invalid or missing attribute, if the kernel names it.
    """

    def __init__(self, request: int, outcome: wire.KernelAnswer, blamed: int | None) -> None:
        super().__init__(str(outcome))
        self.request = request
        self.outcome = outcome
        self.blamed = blamed


class Family:
    """A generic netlink family of the kernel's."""

    def __init__(self, name: str, version: int, transport: Transport) -> None:
        """Find the family.

        Raises:
            RefusedError: If the kernel has no family of that name (ENOENT).
        """
        self._transport = transport
        self._version = version
        self._sequence = count(1)
        self._id = self._find(name)

    def _find(self, name: str) -> int:
        payload = wire.attribute(_FAMILY_NAME, wire.text(name))
        sequence = next(self._sequence)
        request = wire.message(
            _CONTROL,
            wire.NLM_F_REQUEST | wire.NLM_F_ACK,
            sequence,
            wire.generic(_GET_FAMILY, _CONTROL_VERSION, payload),
        )
        self._transport.send(request)
        found: int | None = None
        for answer in self._answers(sequence):
            if answer.message_type == wire.NLMSG_ERROR:
                _check(0, wire.outcome(answer), request)
                break
            attributes = wire.attributes(wire.without_generic(answer.payload))
            if len(attributes.get(_FAMILY_ID, b"")) == 2:
                (found,) = struct.unpack("=H", attributes[_FAMILY_ID])
        if found is None:
            raise wire.NetlinkError(f"netlink: the kernel reports no id of family {name}")
        return found

    def send(self, requests: Sequence[tuple[int, bytes]]) -> None:
        """Send (command, attributes) requests in order, with as few system calls as possible.

        Raises:
            RefusedError: If the kernel refused this request; it has processed later ones of the same batch.
        """
        batch: list[bytes] = []
        done = 0
        for command, payload in requests:
            request = (command, wire.generic(command, self._version, payload))
            if batch and (len(batch) >= BATCH_MESSAGES or sum(map(len, batch)) + len(request[1]) > BATCH_BYTES):
                self._send_batch(batch, done)
                done += len(batch)
                batch = []
            batch.append(request[1])
        if batch:
            self._send_batch(batch, done)

    def _send_batch(self, payloads: list[bytes], before: int) -> None:
        """Send messages at once and wait for all acknowledgements."""
        flags = wire.NLM_F_REQUEST | wire.NLM_F_ACK
        sent = {}
        for payload in payloads:
            sequence = next(self._sequence)
            sent[sequence] = wire.message(self._id, flags, sequence, payload)
        self._transport.send(b"".join(sent.values()))
        outcomes: dict[int, wire.KernelAnswer] = {}
        while len(outcomes) < len(sent):
            for answer in wire.messages(self._transport.receive()):
                if answer.message_type == wire.NLMSG_ERROR and answer.sequence in sent:
                    outcomes[answer.sequence] = wire.outcome(answer)
        for number, (sequence, request) in enumerate(sent.items(), before):
            _check(number, outcomes[sequence], request)

    def dump(self, command: int, payload: bytes) -> list[dict[int, bytes]]:
        """Return the attributes of each answer to a dump.

        Raises:
            RefusedError: If the kernel refused it.
            NetlinkError: If it is inconsistent, since something changed during the dump.
        """
        sequence = next(self._sequence)
        flags = wire.NLM_F_REQUEST | wire.NLM_F_DUMP
        request = wire.message(self._id, flags, sequence, wire.generic(command, self._version, payload))
        self._transport.send(request)
        found = []
        for answer in self._answers(sequence):
            if answer.flags & wire.NLM_F_DUMP_INTR:
                raise wire.NetlinkError("netlink: the data changed during the dump")
            if answer.message_type in (wire.NLMSG_DONE, wire.NLMSG_ERROR):
                _check(0, wire.outcome(answer), request)
                break
            found.append(wire.attributes(wire.without_generic(answer.payload)))
        return found

    def _answers(self, sequence: int) -> Iterator[wire.Message]:
        """Yield all answers to one request, without an end."""
        while True:
            for answer in wire.messages(self._transport.receive()):
                if answer.sequence == sequence:
                    yield answer


def _check(number: int, outcome: wire.KernelAnswer, request: bytes) -> None:
    if outcome.code <= 0:  # below zero: the number of the radio that was made
        return
    blamed = outcome.missing
    if blamed is None and outcome.offset is not None:
        blamed = wire.attribute_at(request, outcome.offset)
    raise RefusedError(number, outcome, blamed)
