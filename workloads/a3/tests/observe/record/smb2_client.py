# SPDX-License-Identifier: MIT
"""SMB2 as smbclient does not speak it: oplocks and leases that are taken back, compounds, interim answers.

    smb2_client.py ADDRESS

Two anonymous clients of one server. Runs with the guest's Python.
"""

from __future__ import annotations

import socket
import struct
import sys
from collections.abc import Sequence

NEGOTIATE, SESSION_SETUP, TREE_CONNECT, TREE_DISCONNECT, CREATE, CLOSE = 0, 1, 3, 4, 5, 6
READ, WRITE, CANCEL, ECHO, CHANGE_NOTIFY, QUERY_INFO, OPLOCK_BREAK = 8, 9, 12, 13, 15, 16, 18
RELATED, BATCH, LEASE, PENDING = 4, 9, 0xFF, 0x103
EMPTY = struct.pack("<HH", 4, 0)
OF_BEFORE = b"\xff" * 16  # the file of the message before
KEY = b"K" * 16
ALL_FLAGS, ANONYMOUS = 0x20088215, 0x20088A15  # of NTLMSSP


class Client:
    """A session with one share."""

    def __init__(self, address: str, identity: int) -> None:
        self.tcp = socket.create_connection((address, 445))
        self.message = self.session = self.tree = 0
        self._log_in(address, identity)

    def head(self, command: int, flags: int = 0, following: int = 0, message: int | None = None) -> bytes:
        """Return a header, with the next number unless another one is given."""
        number = self.message if message is None else message
        self.message += message is None
        numbers = (command, 64, flags, following, number, 0xFEFF, self.tree, self.session)
        return struct.pack("<4sHHIHHIIQIIQ16x", b"\xfeSMB", 64, 1, 0, *numbers)

    def send(self, *messages: bytes) -> None:
        """Send messages in one frame."""
        content = b"".join(messages)
        self.tcp.sendall(struct.pack(">I", len(content)) + content)

    def receive(self) -> bytes:
        """Return the content of the next frame."""
        (length,) = struct.unpack(">I", self._exactly(4))
        return self._exactly(length)

    def ask(self, command: int, body: bytes) -> bytes:
        """Send a request and return its answer."""
        self.send(self.head(command) + body)
        return self.receive()

    def later_of(self, command: int, body: bytes) -> bytes:
        """Send a request and return its answer, which may be announced by an interim one."""
        self.send(self.head(command) + body)
        return self.later()

    def later(self) -> bytes:
        """Return an answer which may be announced by an interim one."""
        answer = self.receive()
        return self.receive() if status(answer) == PENDING else answer

    def unasked(self) -> bytes | None:
        """Return what comes within a second."""
        self.tcp.settimeout(1)
        try:
            return self.receive()
        except TimeoutError:
            return None
        finally:
            self.tcp.settimeout(None)

    def _exactly(self, length: int) -> bytes:
        found = b""
        while len(found) < length:
            found += self.tcp.recv(length - len(found)) or sys.exit("the server has ended the connection")
        return found

    def _log_in(self, address: str, identity: int) -> None:
        self.ask(NEGOTIATE, struct.pack("<HHHHI16sQH", 36, 1, 1, 0, 0x7F, bytes([identity]) * 16, 0, 0x0210))
        first = b"NTLMSSP\0" + struct.pack("<II16x", 1, ALL_FLAGS)
        nothing = struct.pack("<HHI", 0, 0, 64)
        second = b"NTLMSSP\0" + struct.pack("<IHHI", 3, 1, 1, 64) + nothing * 5 + struct.pack("<IB", ANONYMOUS, 0)
        for token in (first, second):
            answer = self.ask(SESSION_SETUP, struct.pack("<HBBIIHHQ", 25, 0, 1, 0, 0, 88, len(token), 0) + token)
            (self.session,) = struct.unpack("<Q", answer[40:48])
        path = f"\\\\{address}\\share".encode("utf-16le")
        answer = self.ask(TREE_CONNECT, struct.pack("<HHHH", 9, 0, 72, len(path)) + path)
        (self.tree,) = struct.unpack("<I", answer[36:40])


def status(answer: bytes) -> int:
    found: int = struct.unpack("<I", answer[8:12])[0]
    return found


def file_of(answer: bytes) -> bytes:
    return answer[128:144]


def create(name: str, oplock: int = 0, lease: int | None = None, access: int = 0x12019F, options: int = 0) -> bytes:
    text, at = name.encode("utf-16le"), 64 + 56
    padded = (text or b"\0").ljust(-(-max(len(text), 1) // 8) * 8, b"\0")
    context, where = b"", (0, 0)
    if lease is not None:
        context = struct.pack("<IHHHHI4s4x16sIIQ", 0, 16, 4, 0, 24, 32, b"RqLs", KEY, lease, 0, 0)
        where = (at + len(padded), len(context))
    level = oplock if lease is None else LEASE
    fixed = struct.pack("<HBBIQQIIIIIHHII", 57, 0, level, 2, 0, 0, access, 0, 7, 1, options, at, len(text), *where)
    return fixed + padded + context


def read(file: bytes, offset: int, length: int) -> bytes:
    return struct.pack("<HBBIQ16sIIIHHB", 49, 0x50, 0, length, offset, file, 0, 0, 0, 0, 0, 0)


def write(file: bytes, data: bytes) -> bytes:
    return struct.pack("<HHIQ16sIIHHI", 49, 112, len(data), 0, file, 0, 0, 0, 0, 0) + data


def query(file: bytes, level: int) -> bytes:
    return struct.pack("<HBBIHHIII16s", 41, 1, level, 1024, 0, 0, 0, 0, 0, file)


def close(file: bytes) -> bytes:
    return struct.pack("<HHI16s", 24, 0, 0, file)


def oplock_is_taken_back(one: Client, other: Client) -> None:
    """By an open, to level 2; then by a write."""
    mine = file_of(one.ask(CREATE, create("one", BATCH)))
    for level in (5, 18, 34, 4):
        one.ask(QUERY_INFO, query(mine, level))
    for offset, length in ((0, 1000), (1000, 1000), (10**7, 10)):
        one.ask(READ, read(mine, offset, length))
    other.send(other.head(CREATE) + create("one"))
    level = one.receive()[64 + 2]
    one.ask(OPLOCK_BREAK, struct.pack("<HBBI16s", 24, level, 0, 0, mine))
    theirs = file_of(other.later())
    other.ask(WRITE, write(theirs, b"x" * 100))
    one.unasked()
    other.ask(CLOSE, close(theirs))
    one.ask(CLOSE, close(mine))


def lease_is_taken_back(one: Client, other: Client) -> None:
    """The same."""
    mine = file_of(one.ask(CREATE, create("two", lease=7)))
    other.send(other.head(CREATE) + create("two"))
    (left,) = struct.unpack("<I", one.receive()[64 + 28 : 64 + 32])
    one.ask(OPLOCK_BREAK, struct.pack("<HHI16sIQ", 36, 0, 0, KEY, left, 0))
    theirs = file_of(other.later())
    other.ask(WRITE, write(theirs, b"y" * 100))
    one.unasked()
    other.ask(CLOSE, close(theirs))
    one.ask(CLOSE, close(mine))


def in_one_frame(client: Client, requests: Sequence[tuple[int, bytes, int]]) -> None:
    """Send requests (command, body, flags) in one frame."""
    messages = []
    for number, (command, body, flags) in enumerate(requests):
        last = number == len(requests) - 1
        length = 64 + len(body) if last else -(-(64 + len(body)) // 8) * 8
        messages.append((client.head(command, flags, 0 if last else length) + body).ljust(length, b"\0"))
    client.send(*messages)


def compounds(client: Client) -> None:
    """Open, query, read and close, related; two echoes, not related."""
    steps = [(CREATE, create("one"), 0), (QUERY_INFO, query(OF_BEFORE, 18), RELATED)]
    in_one_frame(client, [*steps, (READ, read(OF_BEFORE, 0, 500), RELATED), (CLOSE, close(OF_BEFORE), RELATED)])
    client.receive()
    mine = file_of(client.ask(CREATE, create("one")))
    for offset in (0, 3000):
        client.send(client.head(READ) + read(mine, offset, 3000))
    client.receive()
    client.receive()
    in_one_frame(client, [(ECHO, EMPTY, 0), (ECHO, EMPTY, 0)])
    client.receive()
    client.unasked()
    notified_and_cancelled(client)
    client.ask(CLOSE, close(mine))


def notified_and_cancelled(client: Client) -> None:
    folder = file_of(client.ask(CREATE, create("", access=0x100081, options=1)))
    number = client.message
    client.ask(CHANGE_NOTIFY, struct.pack("<HHI16sII", 32, 0, 1000, folder, 1, 0))
    client.send(client.head(CANCEL, message=number) + EMPTY)
    client.receive()


def main() -> None:
    one, other = Client(sys.argv[1], 1), Client(sys.argv[1], 2)
    oplock_is_taken_back(one, other)
    lease_is_taken_back(one, other)
    compounds(one)
    one.tcp.sendall(struct.pack(">I", 0x85000000))  # keep-alive
    one.ask(TREE_DISCONNECT, EMPTY)


if __name__ == "__main__":
    main()
