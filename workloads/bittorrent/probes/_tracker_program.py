# SPDX-License-Identifier: MIT
"""Publish a file: make its torrent, and run a tracker that serves it. Runs with the guest's Python.

    tracker.py FILE TORRENT URL PORT PIECE-KIB

Next to TORRENT, it writes the magnet link (.magnet). Debian's opentracker serves only torrents that a list names.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def output(*command: str) -> str:
    try:
        found = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        sys.exit(f"this node has no {command[0]}; write image: peer for it")
    if found.returncode:
        sys.exit(f"{command[0]} fails: {(found.stderr or found.stdout).strip()}")
    return found.stdout


def main() -> None:
    file, torrent, url, port, piece_kib = sys.argv[1:]
    Path(torrent).parent.mkdir(parents=True, exist_ok=True)
    options = ["--piecesize", piece_kib] if piece_kib != "0" else []
    output("transmission-create", *options, "--tracker", url, "--outfile", torrent, file)
    magnet = output("transmission-show", "--magnet", torrent).strip()
    Path(torrent).with_suffix(".magnet").write_text(magnet + "\n")
    info_hash = magnet.partition("urn:btih:")[2].partition("&")[0]
    allowed = Path("/var/lib/lab-tracker-allowed")
    allowed.write_text(info_hash + "\n")
    command = ["opentracker", "-i", "0.0.0.0", "-p", port, "-P", port, "-w", str(allowed), "-u", "nobody"]
    try:
        os.execvp(command[0], command)
    except FileNotFoundError:
        sys.exit(f"this node has no {command[0]}; write image: peer for it")


if __name__ == "__main__":
    main()
