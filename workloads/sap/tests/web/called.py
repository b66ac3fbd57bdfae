# SPDX-License-Identifier: MIT
"""Have a program that waits just before its main() (served.c) run with arguments, files and directory of this one.

python called.py SOCKET PROGRAM [ARGUMENT …]
"""

from __future__ import annotations

import os
import socket
import struct
import sys


def main() -> None:
    """Ends as the program does."""
    where, *argv = sys.argv[1:]
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
        server.connect(where)
        text = b"".join(word.encode() + b"\0" for word in argv)
        socket.send_fds(server, [text], [os.open(".", os.O_RDONLY | os.O_DIRECTORY), 0, 1, 2])
        (status,) = struct.unpack("i", server.recv(4))
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


main()
