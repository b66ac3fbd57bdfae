# SPDX-License-Identifier: MIT
"""Send mails with msmtp. Runs with the guest's Python.

    smtp-send.py SETTINGS    a JSON object, see the probe smtp-send

Prints a line of JSON for each mail that the server has accepted; what msmtp prints goes to stderr.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import time
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path
from typing import Any

# what msmtp's words mean here, in the order in which they are looked for; {server}: a setting
MEANINGS = {
    "Insufficient system storage": "the disk of {server} is full",
    "queue file write error": "{server} could not write it; is its disk full?",
    "Relay access denied": "{server} takes no mail for this address",
    "Message size exceeds fixed limit": "the mail is larger than {server} takes",
    "Connection refused": "no mail server listens on {server}",
    "No route to host": "{server} cannot be reached",
    "network write error": "the connection to {server} broke",
    "network read error": "the connection to {server} broke",
}


def meaning(said: str, settings: dict[str, Any]) -> str:
    """Return what went wrong in plain words; msmtp's first line if it is none of those known."""
    for words, plain in MEANINGS.items():
        if words in said:
            return plain.format(**settings)
    return said.strip().partition("\n")[0].removeprefix("msmtp: ") or "it says nothing"


def mail(settings: dict[str, Any], number: int, attached: bytes) -> bytes:
    """Return a mail with a text and, in base64, a file."""
    message = EmailMessage(policy=SMTP)
    message["From"], message["To"] = settings["sender"], settings["to"]
    message["Subject"] = f"mail {number}"
    message.set_content(f"This is mail {number}.\n")
    message.add_attachment(attached, maintype="application", subtype="octet-stream", filename="file")
    return message.as_bytes()


def main() -> int:
    settings: dict[str, Any] = json.loads(sys.argv[1])
    try:
        attached = Path(settings["file"]).read_bytes()
    except OSError as error:
        print(f"the file {settings['file']} cannot be read: {error.strerror}", file=sys.stderr)
        return 1
    for number in range(1, settings["mails"] + 1):
        message = mail(settings, number, attached)
        began_ns = time.monotonic_ns()
        try:
            client = subprocess.run(settings["command"], input=message, capture_output=True)
        except FileNotFoundError:
            print(f"this node has no {settings['command'][0]}; write image: mail for it", file=sys.stderr)
            return 1
        took_ns = time.monotonic_ns() - began_ns
        said = (client.stdout + client.stderr).decode(errors="replace")
        sys.stderr.write(said)
        if client.returncode:
            print(f"mail {number} was not sent: {meaning(said, settings)}", file=sys.stderr)
            return 1
        digest = hashlib.sha256(attached).hexdigest()
        print(json.dumps({"took_ns": took_ns, "bytes": len(message), "sha256": digest}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
