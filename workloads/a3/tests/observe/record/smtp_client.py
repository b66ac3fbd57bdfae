# SPDX-License-Identifier: MIT
"""Sessions of SMTP that msmtp does not have. Runs with the guest's Python.

smtp_client.py ADDRESS polite|old|tls|chunks|leaves
"""

from __future__ import annotations

import smtplib
import socket
import ssl
import sys

SENDER, USER = "a@client.lab", "root@server.lab"
DOTS = f"From: {SENDER}\r\nTo: {USER}\r\nSubject: dots\r\n\r\n.\r\n..\r\n.leading dot\r\nand an end.\r\n\r\n.\r\n"
CHUNKS = (
    b"MAIL FROM:<a@client.lab>\r\nRCPT TO:<root@server.lab>\r\n"
    b"BDAT 21\r\nSubject: c\r\n\r\n.\r\nab\r\nBDAT 6 LAST\r\n.\r\n.\r\nQUIT\r\n"
)


def polite(address: str) -> None:
    """Two mails, and everything that may be asked or refused between them."""
    client = smtplib.SMTP(address, local_hostname="client.lab")
    client.ehlo()
    client.noop()
    client.rset()
    client.docmd("VRFY", "root")
    client.docmd("HELP")
    client.sendmail(SENDER, [USER, "b@server.lab"], DOTS)
    try:
        client.sendmail(SENDER, ["x@elsewhere.lab"], DOTS)
    except smtplib.SMTPException as error:
        print(error)
    client.docmd("NONSENSE", "1")
    client.docmd("DATA")
    client.sendmail(SENDER, [USER], "Subject: two\r\n\r\nsecond\r\n")
    client.quit()


def old(address: str) -> None:
    """HELO, and a text without a byte."""
    client = smtplib.SMTP(address, local_hostname="client.lab")
    client.helo()
    client.mail(SENDER)
    client.rcpt(USER)
    client.data("")
    client.quit()


def tls(address: str) -> None:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    client = smtplib.SMTP(address, local_hostname="client.lab")
    client.starttls(context=context)
    client.sendmail(SENDER, [USER], DOTS)
    client.quit()


def chunks(address: str) -> None:
    """CHUNKING, with all commands ahead of answers."""
    with socket.create_connection((address, 25)) as tcp, tcp.makefile("rb") as lines:

        def answers(number: int) -> None:
            while number:
                line = lines.readline()
                number -= line[3:4] != b"-"

        answers(1)
        tcp.sendall(b"EHLO client.lab\r\n")
        answers(1)
        tcp.sendall(CHUNKS)
        answers(5)


def leaves(address: str) -> None:
    """In the middle of a command."""
    with socket.create_connection((address, 25)) as tcp:
        tcp.recv(100)
        tcp.sendall(b"EHLO client.lab\r\nMAIL FROM:<a@cli")


if __name__ == "__main__":
    {"polite": polite, "old": old, "tls": tls, "chunks": chunks, "leaves": leaves}[sys.argv[2]](sys.argv[1])
