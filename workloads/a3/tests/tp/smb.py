# SPDX-License-Identifier: MIT
"""Messages of SMB1 and SMB2 for a model of client and server, made and read without the code under test."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

READ_ACCESS, WRITE_ACCESS = 0x120089, 0x12019F
END_OF_FILE, FILE_CLOSED, PENDING, NOT_FOUND = 0xC0000011, 0xC0000128, 0x103, 0xC0000034
MORE_PROCESSING = 0xC0000016  # of a log-in
NOBODY = 2**64 - 1


@dataclass(frozen=True)
class Request:
    """What a message asks for."""

    op: str
    number: int  # the message's ID
    raw: bytes
    charge: int = 0
    credits: int = 0
    name: str = ""
    access: int = READ_ACCESS
    oplock: int = 0
    file: bytes = b""
    offset: int = 0
    length: int = 0
    data: bytes = b""


@dataclass(frozen=True)
class Answer:
    """What a message answers; of a break, ``op`` is "break"."""

    op: str
    number: int
    status: int
    credits: int
    raw: bytes
    file: bytes = b""
    oplock: int = 0
    size: int = 0
    data: bytes = b""
    interim: bool = False


def frame(*messages: bytes) -> bytes:
    content = b"".join(messages)
    return len(content).to_bytes(4, "big") + content


def frames(stream: bytearray) -> list[bytes]:
    """Take whole frames out of a stream."""
    found = []
    while len(stream) >= 4 and len(stream) >= 4 + (length := int.from_bytes(stream[1:4], "big")):
        found.append(bytes(stream[4 : 4 + length]))
        del stream[: 4 + length]
    return found


class Smb2:
    """SMB2 and SMB3, without signatures."""

    version, none, exclusive, level_2, lease = 2, 0, 8, 1, 0xFF
    OPS: ClassVar[dict[str, int]] = {
        **{"negotiate": 0, "setup": 1, "logoff": 2, "tree": 3, "untree": 4, "open": 5, "close": 6, "read": 8},
        **{"write": 9, "lock": 10},
        **{"ioctl": 11, "cancel": 12, "echo": 13, "notify": 15, "query": 16, "agree-lease": 18, "agree": 18},
    }
    NAMES: ClassVar[dict[int, str]] = {number: name for name, number in OPS.items()}

    def __init__(self, charges: bool = True) -> None:
        self.charges = charges  # not in 2.0.2

    def ask(
        self,
        op: str,
        number: int,
        credits: int = 1,
        *,
        name: str = "",
        access: int = READ_ACCESS,
        oplock: int = 0,
        file: bytes = b"",
        offset: int = 0,
        length: int = 0,
        data: bytes = b"",
        least: int = 0,
        disposition: int = 1,
        flags: int = 0,
        following: int = 0,
    ) -> bytes:
        """Return a request, without its frame."""
        text = name.encode("utf-16le")
        bodies: dict[str, Callable[[], bytes]] = {
            "negotiate": lambda: struct.pack("<HHHHI16sQH", 36, 1, 1, 0, 0x7F, b"", 0, 0x210),
            "setup": lambda: struct.pack("<HBBIIHHQ", 25, 0, 1, 0, 0, 88, 1, 0) + b"x",
            "tree": lambda: struct.pack("<HHHH", 9, 0, 72, 2) + b"s\0",
            "open": lambda: struct.pack(
                "<HBBIQQIIIIIHHII", *(57, 0, oplock, 2, 0, 0, access, 0, 7, disposition, 0, 120, len(text), 0, 0)
            )
            + text,
            "close": lambda: struct.pack("<HHI16s", 24, 0, 0, file),
            "read": lambda: struct.pack("<HBBIQ16sIIIHHB", 49, 80, 0, length, offset, file, least, 0, 0, 0, 0, 0),
            "write": lambda: struct.pack("<HHIQ16sIIHHI", 49, 112, len(data), offset, file, 0, 0, 0, 0, 0) + data,
            "lock": lambda: struct.pack("<HHI16sQQII", 48, 1, 0, file, 0, 1, 2, 0),
            "ioctl": lambda: struct.pack("<HHI16sIIIIIIII", 57, 0, 0x1440F2, file, 120, 0, 0, 120, 0, 0, 0, 0),
            "query": lambda: struct.pack("<HBBIHHIII16s", 41, 1, 5, 1024, 0, 0, 0, 0, 0, file),
            "agree": lambda: struct.pack("<HBBI16s", 24, oplock, 0, 0, file),
            "agree-lease": lambda: struct.pack("<HHI16sIQ", 36, 0, 0, file, 0, 0),
            "notify": lambda: struct.pack("<HHI16sII", 32, 0, 1000, file, 1, 0),
        }
        body = bodies[op]() if op in bodies else struct.pack("<HH", 4, 0)
        charge = 0 if op == "cancel" or not self.charges else max(1, -(-max(length, len(data)) // 65536))
        numbers = (charge, 0, self.OPS[op], credits, flags, following, number, 0xFEFF + number % 7, 5, 7)
        return struct.pack("<4sHHIHHIIQIIQ16x", b"\xfeSMB", 64, *numbers) + body

    def read(self, message: bytes) -> Request:
        """Read a request."""
        size, charge, _, command, credits, _, _, number = struct.unpack("<4xHHIHHIIQ", message[:32])
        op, body = self.NAMES[command], message[64:]
        assert size == 64 and not any(message[48:64]), "a signature"
        values: dict[str, Any] = {}
        if op == "open":
            at, length = struct.unpack("<HH", body[44:48])
            values |= {"name": message[at : at + length].decode("utf-16le"), "oplock": body[3]}
            values["access"] = int.from_bytes(body[24:28], "little")
        elif op == "read":
            length, offset, file = struct.unpack("<IQ16s", body[4:32])
            values |= {"length": length, "offset": offset, "file": file}
        elif op == "write":
            length, offset, file = struct.unpack("<IQ16s", body[4:32])
            values |= {"data": body[48 : 48 + length], "offset": offset, "file": file}
        elif op in ("close", "agree"):
            op = "agree-lease" if body[0] == 36 else op
            values |= {"file": body[8:24], "oplock": body[2]}
        return Request(op, number, message, charge, credits, **values)

    def answer(
        self,
        request: Request,
        status: int = 0,
        credits: int = 1,
        data: bytes = b"",
        interim: bool = False,
        *,
        file: bytes = b"",
        oplock: int = 0,
        size: int = 0,
        later: bool = False,
        capabilities: int = 0,
        signed: bool = False,
    ) -> bytes:
        """Return an answer, which was announced by an interim one if it comes ``later``."""
        bodies = {
            "negotiate": struct.pack(
                "<HHHH16sIIIIQQHHI",
                *(65, 1, 0x210, 0, b"", capabilities),
                *(1 << 20, 1 << 20, 1 << 20, 0, 0, 128, 0, 0),
            ),
            "setup": struct.pack("<HHHH", 9, 0, 72, 0),
            "tree": struct.pack("<HBBIII", 16, 1, 0, 0, 0, 0),
            "open": struct.pack("<HBBI32xQQII16sII", 89, oplock, 0, 1, 4096, size, 0, 0, file, 0, 0),
            "close": struct.pack("<HHI52x", 60, 0, 0),
            "read": struct.pack("<HBBIII", 17, 80, 0, len(data), 0, 0) + data,
            "write": struct.pack("<HHIII", 17, 0, len(data), 0, 0) + b"",
            "query": struct.pack("<HHI", 9, 72, 24) + struct.pack("<QQIBBH", 4096, size, 1, 0, 0, 0),
            "agree": struct.pack("<HBBI16s", 24, oplock, 0, 0, file),
            "agree-lease": struct.pack("<HHI16sIQ", 36, 0, 0, file, 0, 0),
        }
        if oplock == self.lease and request.op == "open":
            context = struct.pack("<IHHHHI4s4x16sIIQ", 0, 16, 4, 0, 24, 32, b"RqLs", self.key(file), 7, 0, 0)
            bodies["open"] = bodies["open"][:-8] + struct.pack("<II", 152, len(context)) + context
        body = bodies.get(request.op, struct.pack("<HH", 4, 0))
        if status:
            body = struct.pack("<HBBIB", 9, 0, 0, 0, 0)
        raw = request.raw
        numbers = (
            request.charge,
            status,
            self.OPS[request.op],
            credits,
            1 | (2 if interim or later else 0) | (8 if signed else 0),
            0,
            request.number,
        )
        process_tree = struct.pack("<Q", 0x77) if interim or later else raw[32:40]
        head = struct.pack("<4sHHIHHIIQ8s8s16x", b"\xfeSMB", 64, *numbers, process_tree, raw[40:48])
        return head + body

    @staticmethod
    def key(file: bytes) -> bytes:
        """Return the key of a lease of a file."""
        return b"key " + file[:12]

    def breaks(self, file: bytes, level: int, lease: bool = False) -> bytes:
        head = struct.pack("<4sHHIHHIIQIIQ16x", b"\xfeSMB", 64, 0, 0, 18, 0, 1, 0, NOBODY, 0, 0, 0)
        if lease:
            return head + struct.pack("<HHI16sIIIII", 44, 0, 1, self.key(file), 7, 0, 0, 0, 0)
        return head + struct.pack("<HBBI16s", 24, level, 0, 0, file)

    def answered(self, message: bytes) -> Answer:
        """Read an answer."""
        _, status, command, credits, flags, _, number = struct.unpack("<6xHIHHIIQ", message[:32])
        body, op = message[64:], self.NAMES[command]
        if number == NOBODY:
            lease = body[0] == 44
            return Answer("break", number, status, credits, message, body[8:24], self.lease if lease else body[2])
        values: dict[str, Any] = {"interim": bool(flags & 2) and status == PENDING}
        if not status and op == "open":
            values |= {"file": body[64:80], "oplock": body[2], "size": int.from_bytes(body[48:56], "little")}
        if not status and op == "read":
            values["data"] = message[body[2] : body[2] + int.from_bytes(body[4:8], "little")]
        return Answer(op, number, status, credits, message, **values)

    @staticmethod
    def without_credits(message: bytes) -> bytes:
        return message[:14] + b"\0\0" + message[16:]


class Smb1:
    """SMB1, with NT's commands."""

    version, none, exclusive, level_2, lease = 1, 0, 1, 3, 0xFF
    OPS: ClassVar[dict[str, int]] = {
        **{"negotiate": 0x72, "setup": 0x73, "tree": 0x75, "open": 0xA2, "close": 0x04, "read": 0x2E, "write": 0x2F},
        **{"echo": 0x2B, "agree": 0x24, "lock": 0x24, "query": 0x23, "cancel": 0xA4, "ioctl": 0xA0},
        **{"untree": 0x71, "logoff": 0x74, "exit": 0x11},
    }
    NAMES: ClassVar[dict[int, str]] = {number: name for name, number in OPS.items() if name != "lock"}
    PROCESS = 9

    def __init__(self, charges: bool = True) -> None:
        """``charges`` means nothing here."""

    @staticmethod
    def _message(command: int, number: int, words: bytes, data: bytes = b"", flags: int = 0, status: int = 0) -> bytes:
        numbers = (command, status, flags, 0xC843, 0, b"", 3, Smb1.PROCESS, 4, number & 0xFFFF)
        head = struct.pack("<4sBIBHH8s2xHHHH", b"\xffSMB", *numbers)
        return head + bytes([len(words) // 2]) + words + len(data).to_bytes(4, "little")[:2] + data

    def ask(
        self,
        op: str,
        number: int,
        credits: int = 1,
        *,
        name: str = "",
        access: int = READ_ACCESS,
        oplock: int = 0,
        file: bytes = b"",
        offset: int = 0,
        length: int = 0,
        data: bytes = b"",
        least: int = 0,
        disposition: int = 1,
        flags: int = 0,
        following: int = 0,
    ) -> bytes:
        """Return a request; ``flags`` and ``following`` mean nothing here."""
        text = name.encode()
        asks = 2 if oplock == self.exclusive else 0
        high = length >> 16
        words: dict[str, Callable[[], bytes]] = {
            "open": lambda: struct.pack(
                "<BBHBHIIIQIIIIIB", *(255, 0, 0, 0, len(text), asks, 0, access, 0, 0, 7, disposition, 0, 2, 0)
            ),
            "read": lambda: struct.pack(
                "<BBH2sIHHIHI", *(255, 0, 0, file, offset & 0xFFFFFFFF, length & 0xFFFF, least, high, 0, offset >> 32)
            ),
            "write": lambda: struct.pack(
                "<BBH2sIIHHHHHI", *(255, 0, 0, file, offset & 0xFFFFFFFF, 0, 0, 0, 0, len(data), 64, offset >> 32)
            ),
            "close": lambda: struct.pack("<2sI", file, 0),
            "agree": lambda: struct.pack("<BBH2sBBIHH", 255, 0, 0, file, 2, oplock, 0, 0, 0),
            "lock": lambda: struct.pack("<BBH2sBBIHH", 255, 0, 0, file, 0, 0, 0, 0, 1),
            "query": lambda: struct.pack("<2s", file),
            "tree": lambda: struct.pack("<BBHHH", 255, 0, 0, 0, 1),
            "logoff": lambda: struct.pack("<BBH", 255, 0, 0),
        }
        return self._message(
            self.OPS[op], number, words[op]() if op in words else b"", (b"\0" + data if op == "write" else text)
        )

    def read(self, message: bytes) -> Request:
        op, number = self.NAMES[message[4]], int.from_bytes(message[30:32], "little")
        assert not any(message[14:22]), "a signature"
        words = message[33:]
        values: dict[str, Any] = {}
        if op == "open":
            at = 33 + 48 + 2
            values = {"name": message[at : at + int.from_bytes(words[5:7], "little")].decode()}
            values |= {"access": int.from_bytes(words[15:19], "little")}
            values |= {"oplock": self.exclusive if words[7] & 2 else 0}
        elif op == "read":
            low, length, _, high_length, _, high = struct.unpack("<IHHIHI", words[6:24])
            values = {"file": words[4:6], "offset": high << 32 | low, "length": high_length << 16 | length}
        elif op == "write":
            at, length = int.from_bytes(words[22:24], "little"), int.from_bytes(words[20:22], "little")
            low, high = int.from_bytes(words[6:10], "little"), int.from_bytes(words[24:28], "little")
            values = {"file": words[4:6], "offset": high << 32 | low, "data": message[at : at + length]}
        elif op == "close":
            values = {"file": words[:2]}
        elif op == "agree":
            values = {"file": words[4:6], "oplock": words[7]}
            op = "agree" if words[6] & 2 else "lock"
        return Request(op, number, message, **values)

    def answer(
        self,
        request: Request,
        status: int = 0,
        credits: int = 1,
        data: bytes = b"",
        interim: bool = False,
        *,
        file: bytes = b"",
        oplock: int = 0,
        size: int = 0,
        later: bool = False,
        capabilities: int = 0,
        signed: bool = False,
    ) -> bytes:
        """Return an answer; ``interim``, ``later``, ``capabilities`` and ``signed`` mean nothing here."""
        words, content = b"", b""
        if not status and request.op == "open":
            words = struct.pack("<BBHB2sI36xQQHHB", 255, 0, 0, oplock, file, 1, 4096, size, 0, 0, 0)
        elif not status and request.op == "read":
            length = len(data)
            words = struct.pack("<BBHHHHHHH8x", 255, 0, 0, 0xFFFF, 0, 0, length & 0xFFFF, 60, length >> 16)
            content = b"\0" + data
        elif not status and request.op == "write":
            words = struct.pack("<BBHHHHH", 255, 0, 0, len(request.data), 0, 0, 0)
        elif not status and request.op == "negotiate":
            words = struct.pack("<HBHHIIII8xHB", 0, 3, 50, 1, 16644, 65536, 0, 0x8000F3FD, 0, 0)
        return self._message(self.OPS[request.op], request.number, words, content, 0x80, status)

    def breaks(self, file: bytes, level: int, lease: bool = False) -> bytes:
        assert not lease
        return self._message(0x24, 0xFFFF, struct.pack("<BBH2sBBIHH", 255, 0, 0, file, 2, level, 0, 0, 0))

    def answered(self, message: bytes) -> Answer:
        op, number = self.NAMES[message[4]], int.from_bytes(message[30:32], "little")
        status, words = int.from_bytes(message[5:9], "little"), message[33:]
        if not message[9] & 0x80:
            return Answer("break", number, 0, 0, message, words[4:6], words[7])
        values: dict[str, Any] = {}
        if not status and op == "open":
            values = {"file": words[5:7], "oplock": words[4], "size": int.from_bytes(words[55:63], "little")}
        if not status and op == "read":
            at = int.from_bytes(words[12:14], "little")
            length = int.from_bytes(words[10:12], "little") | int.from_bytes(words[14:16], "little") << 16
            values["data"] = message[at : at + length]
        return Answer(op, number, status, 0, message, **values)

    @staticmethod
    def without_credits(message: bytes) -> bytes:
        return message


Dialect = Smb1 | Smb2
