# SPDX-License-Identifier: MIT
"""Fetch a file from a file server, or put one there, with one of Samba's clients. Runs with the guest's Python.

    smb-get.py SETTINGS    a JSON object, see the probe smb-get

Prints one line of JSON when the client has ended with success; what the client prints goes to stderr.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any

# what the clients' words mean here; {share}, {file}, {server}: settings
MEANINGS = {
    "NT_STATUS_BAD_NETWORK_NAME": "{server} has no share {share}",
    "NT_STATUS_OBJECT_NAME_NOT_FOUND": "the share {share} of {server} has no file {file}",
    "can't be found on the remote server": "{server} has no share {share}, or no file {file} in it",
    "NT_STATUS_CONNECTION_REFUSED": "no file server listens on {server}",
    "NT_STATUS_HOST_UNREACHABLE": "{server} cannot be reached",
    "No route to host": "{server} cannot be reached",
    "NT_STATUS_IO_TIMEOUT": "{server} does not answer",
    "NT_STATUS_DISK_FULL": "the disk is full",
    "No space left on device": "the disk is full",
    "NT_STATUS_CONNECTION_DISCONNECTED": "{server} has ended the connection",
    "NT_STATUS_CONNECTION_RESET": "{server} has ended the connection",
    "NT_STATUS_ACCESS_DENIED": "{server} does not allow it",
    "NT_STATUS_LOGON_FAILURE": "{server} does not accept the user",
}


def meaning(said: str, settings: dict[str, Any]) -> str:
    """Return what went wrong in plain words; the client's own last line if it is none of those known."""
    for words, plain in MEANINGS.items():
        if words in said:
            return plain.format(**settings)
    return said.strip().rpartition("\n")[2] or "it says nothing"


def main() -> int:
    settings: dict[str, Any] = json.loads(sys.argv[1])
    began_ns = time.monotonic_ns()
    try:
        client = subprocess.run(
            settings["command"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
    except FileNotFoundError:
        print(f"this node has no {settings['command'][0]}; write image: samba for it", file=sys.stderr)
        return 1
    took_ns = time.monotonic_ns() - began_ns
    sys.stderr.write(client.stdout)
    if client.returncode:
        print(f"{settings['command'][0]}: {meaning(client.stdout, settings)}", file=sys.stderr)
        return 1
    print(json.dumps({"took_ns": took_ns}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
