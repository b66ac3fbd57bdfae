# SPDX-License-Identifier: MIT
"""Mails over SMTP, one command at a time, and what has become of them. Runs with the guest's Python.

    mail.py send ADDRESS MAILS FILE [EVERY_S]    sends a file, each time in a session of its own
    mail.py kept FOLDER                          when told to end: the mails in a Maildir

send waits for each answer before it sends the next command. It prints a line of JSON for each mail: how long the
connection, its greeting, each command and the text took, all commands together (thin), and the session as a whole, in
ms. The greeting also waits for the end of the handshake. EVERY_S is the time from the start of a mail to that of the
next one; without it, mails follow each other. A lost handshake can leave the client with a connection that the
server does not know, so it does not wait for ever.
"""

from __future__ import annotations

import base64
import hashlib
import json
import signal
import smtplib
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

PORT = 25
ANSWER_S = 300  # then the session has failed: what a client waits at least for a greeting (RFC 5321 4.5.3.2.1)
THIN = ("ehlo", "mail", "rcpt", "data", "quit")


def session(address: str, text: bytes) -> dict[str, float]:
    """Send one mail, and return how long each step took, in ms."""
    took: dict[str, float] = {}
    client = smtplib.SMTP(local_hostname="client.lab")

    def step(name: str, do: Callable[[], tuple[int, bytes]], expected: int) -> None:
        began_ns = time.monotonic_ns()
        try:
            code, answer = do()
        except OSError as error:
            sys.exit(f"{name}: {error}")
        took[name] = (time.monotonic_ns() - began_ns) / 1e6
        if code != expected:
            sys.exit(f"{name}: {code} {answer.decode(errors='replace')}")

    def connect() -> tuple[int, bytes]:
        client.sock = socket.create_connection((address, PORT), ANSWER_S)
        return 0, b""

    began_ns = time.monotonic_ns()
    step("connect", connect, 0)
    step("greeting", client.getreply, 220)
    step("ehlo", client.ehlo, 250)
    step("mail", lambda: client.mail("sender@client.lab"), 250)
    step("rcpt", lambda: client.rcpt("root@server.lab"), 250)
    step("data", lambda: client.docmd("DATA"), 354)
    client.send(text)
    step("text", client.getreply, 250)
    step("quit", lambda: client.docmd("QUIT"), 221)
    client.close()
    took["thin"] = sum(took[name] for name in THIN)
    return took | {"session": (time.monotonic_ns() - began_ns) / 1e6}


def send(address: str, mails: int, path: str, every_s: float) -> None:
    """Send a file in each of some mails."""
    lines = base64.encodebytes(Path(path).read_bytes()).replace(b"\n", b"\r\n")
    text = b"Subject: a file\r\n\r\n" + lines + b".\r\n"
    began_s = time.monotonic()
    for number in range(mails):
        time.sleep(max(0.0, began_s + number * every_s - time.monotonic()))
        print(json.dumps(session(address, text) | {"mails": number + 1}), flush=True)


def kept(folder: str) -> None:
    """Wait for a signal, then say how many mails there are, and the hash of what is in them."""
    ends = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    signal.sigwait(ends)
    texts = [path.read_bytes().partition(b"\n\n")[2] for path in Path(folder).glob("new/*")]
    digests = {hashlib.sha256(base64.b64decode(text)).hexdigest() for text in texts}
    print(json.dumps({"kept": len(texts), "sha256": digests.pop() if len(digests) == 1 else "various"}))


def main() -> None:
    """Do what the first argument says."""
    if sys.argv[1] == "kept":
        kept(sys.argv[2])
    else:
        address, mails, path = sys.argv[2:5]
        send(address, int(mails), path, float(sys.argv[5]) if len(sys.argv) > 5 else 0.0)


if __name__ == "__main__":
    main()
