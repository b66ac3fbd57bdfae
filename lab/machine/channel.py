# SPDX-License-Identifier: MIT
"""Two pipes to /proc/hostask of a guest: lines to its agent, and lines back.

While the agent reads, the whole guest stands still (hwsim-patches/uml/files/arch/um/drivers/hostask_kern.c). So between
two lines no virtual time passes.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
from collections.abc import Iterator

_BLOCK_BYTES = 1 << 16


class Channel:
    """Both ends of both pipes; closed with the context.

    ``attachable``: with a line for terminals and ports of a session (lab.shared.wire). ``line`` is its end at the host,
    ``console``: the guest's; -1: none.
    """

    def __init__(self, *, attachable: bool = False) -> None:
        self._theirs_in, self._to_guest = os.pipe()
        self._from_guest, self._theirs_out = os.pipe()
        self.line = self.console = -1
        if attachable:
            ours, theirs = socket.socketpair()
            self.line, self.console = ours.detach(), theirs.detach()
        self._read = b""

    def __enter__(self) -> Channel:
        return self

    def __exit__(self, *_: object) -> None:
        self.hand_over()
        self.end_input()
        self._from_guest = _closed(self._from_guest)
        self.line = _closed(self.line)

    @property
    def inherited(self) -> tuple[int, int]:
        """The descriptors that the guest inherits: to read from, to write to."""
        return self._theirs_in, self._theirs_out

    def hand_over(self) -> None:
        """Close the guest's ends: only the guest has them now, so that their end is the guest's."""
        self._theirs_in, self._theirs_out = _closed(self._theirs_in), _closed(self._theirs_out)
        self.console = _closed(self.console)

    def end_input(self) -> None:
        """Signal to the agent that no more lines come."""
        self._to_guest = _closed(self._to_guest)

    def send(self, line: str) -> None:
        """Send a line; raise OSError if the guest no longer reads."""
        data = line.encode() + b"\n"
        while data:
            data = data[os.write(self._to_guest, data) :]

    def receive(self, within_s: float) -> str | None:
        """Return the next line, without its end; None if it does not come within that time.

        Raises:
            EOFError: If no more lines come.
        """
        while b"\n" not in self._read:
            if not select.select([self._from_guest], [], [], within_s)[0]:
                return None
            data = os.read(self._from_guest, _BLOCK_BYTES)
            if not data:
                raise EOFError
            self._read += data
        line, _, self._read = self._read.partition(b"\n")
        return line.decode(errors="replace")


@contextlib.contextmanager
def inherited(channel: Channel | None) -> Iterator[tuple[int, ...]]:
    """Yield the descriptors that a program inherits if it is started in this context; afterwards, only it has them."""
    if channel is None:
        yield ()
        return
    try:
        yield (*channel.inherited, *([channel.console] if channel.console >= 0 else []))
    finally:
        channel.hand_over()


def _closed(descriptor: int) -> int:
    """Close a descriptor unless that has been done; return what stands for a closed one."""
    if descriptor >= 0:
        os.close(descriptor)
    return -1
