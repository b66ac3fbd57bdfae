# SPDX-License-Identifier: MIT
"""A client of SMB that reads the first block of a file, waits, and reads the rest.

    python3 -m record.smb_reader ADDRESS FILE SECONDS

Prints the SHA-256 of all but the first block, as JSON. Runs with the guest's Python, next to smb2_client.py in a folder
record. It waits in virtual time, for another node to write.
"""

from __future__ import annotations

import hashlib
import json
import sys
import time

from .smb2_client import (
    CLOSE,
    CREATE,
    ECHO,
    EMPTY,
    READ,
    Client,
    close,
    create,
    file_of,
    read,
    status,
)

BLOCK = 16 << 10
READ_ONLY = 0x120089


def main() -> None:
    address, name, wait_s = sys.argv[1], sys.argv[2], float(sys.argv[3])
    client = Client(address, 1)
    client.ask(ECHO, EMPTY)  # as clients have some business before they open a file
    file = file_of(client.later_of(CREATE, create(name, access=READ_ONLY)))
    client.later_of(READ, read(file, 0, BLOCK))
    time.sleep(wait_s)
    at, rest = BLOCK, hashlib.sha256()
    while status(answer := client.later_of(READ, read(file, at, BLOCK))) == 0:
        data = answer[answer[66] :]
        rest.update(data)
        at += len(data)
    client.later_of(CLOSE, close(file))
    print(json.dumps({"rest": rest.hexdigest(), "size": at}))


if __name__ == "__main__":
    main()
