# SPDX-License-Identifier: MIT
"""A file from a Samba server, a block at a time, as clients of the 2000s did. Runs with the guest's Python.

    file.py ADDRESS NAME BLOCK_BYTES PROTOCOL

smbget fetches the file NAME from the share "share" by PROTOCOL (NT1, SMB3_11, …), and asks for the next block when one
has come. Prints one line of JSON: how long that took, in ms, from the start of the client to its end, with session
set-up and tear-down, and the SHA-256 of what arrived.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
from pathlib import Path


def main() -> None:
    """Fetch the file, and say how long it took."""
    address, name, block, protocol = sys.argv[1:]
    arrived = Path("/tmp/file")
    command = ["smbget", f"smb://{address}/share/{name}", "--guest", "--quiet", f"--outputfile={arrived}"]
    command += [f"--blocksize={block}", f"--option=client max protocol={protocol}"]
    if protocol == "NT1":
        command += ["--option=client min protocol=NT1"]
    began_ns = time.monotonic_ns()
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=sys.stderr).returncode
    took_ns = time.monotonic_ns() - began_ns
    if ended:
        sys.exit(ended)
    print(json.dumps({"file": took_ns / 1e6, "sha256": hashlib.sha256(arrived.read_bytes()).hexdigest()}))


if __name__ == "__main__":
    main()
