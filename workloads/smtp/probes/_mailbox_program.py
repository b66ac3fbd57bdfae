# SPDX-License-Identifier: MIT
"""List the mails in a Maildir when told to end (SIGINT, SIGTERM). Runs with the guest's Python.

    smtp-mailbox.py FOLDER

A line of JSON for each mail, by the time when it came: that time, its size, and the hash of its attachment.
"""

from __future__ import annotations

import email
import email.policy
import hashlib
import json
import signal
import sys
from pathlib import Path


def mails(folder: Path) -> list[Path]:
    """Return the files of a Maildir, by the time of their last change."""
    found = [path for part in ("new", "cur") for path in (folder / part).glob("*")]
    return sorted(found, key=lambda path: (path.stat().st_mtime_ns, path.name))


def line(path: Path) -> dict[str, object]:
    """Return what there is to say of a mail; the hash is null if it has no attachment."""
    content = path.read_bytes()
    message = email.message_from_bytes(content, policy=email.policy.default)
    attached = next((part.get_payload(decode=True) for part in message.walk() if part.get_filename()), None)
    digest = hashlib.sha256(attached).hexdigest() if isinstance(attached, bytes) else None
    return {"t_ns": str(path.stat().st_mtime_ns), "bytes": len(content), "sha256": digest}


def main() -> int:
    ends = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    signal.sigwait(ends)
    for path in mails(Path(sys.argv[1])):
        print(json.dumps(line(path)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
