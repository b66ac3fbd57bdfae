# SPDX-License-Identifier: MIT
"""Mails of made-up words. Runs with the guest's Python.

    letters.py send ADDRESS SENDER RECIPIENT MAILS BYTES [FIRST [WRITER]]
        Sends so many mails by msmtp, each in a session of its own. WRITER, if not the sender, is who has written them;
        "foreign" writes another language.
    letters.py earlier ADDRESS SENDER RECIPIENT MAILS BYTES [FIRST [WRITER]]
        The same to port 587, by Python's smtplib, which takes a tenth of the computing time.
    letters.py kept FOLDER
        When told to end, says what is in the mails of a Maildir.

Each prints a line of JSON for each mail: the SHA-256 of its text, and of those of all mails so far, sorted (all); the
first two also how long its session took, in ms.

Words are drawn one by one, by their frequency: Zipf's law with Mandelbrot's offset, over one language for everybody, in
which one word in five is of the pair alone. So there are no phrases, quotes or attachments, which real mails have; a
letter begins and ends as the pair's letters do. The same pair and number give the same text.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import signal
import smtplib
import subprocess
import sys
import textwrap
import time
from bisect import bisect
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

LANGUAGE = 20_000  # words
OWN = 400  # of a pair
OWN_SHARE = 0.2
OFFSET = 2.7  # Mandelbrot's
FOREIGN = "foreign"
SUBMISSION = 587  # RFC 6409
Way = Callable[[str, str, str, bytes], None]
STARTS = ("b", "d", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "t", "v", "w", "th", "st", "pr")
SYLLABLES = [start + vowel + end for start in STARTS for vowel in "aeiou" for end in ("", "n", "r")]


def words(random: Random, number: int, start: int) -> list[str]:
    """Make words, of which the first ones, the most frequent, are short."""
    made: dict[str, None] = {}
    while len(made) < number:
        syllables = (
            1 + (len(made) > 80 - start) + (random.random() < 0.4) + (len(made) > 3000) * (random.random() < 0.5)
        )
        made["".join(random.choices(SYLLABLES, k=syllables))] = None
    return list(made)


@cache
def cumulated(number: int) -> list[float]:
    """Return how probable each word and those before it are, up to a factor."""
    return list(itertools.accumulate(1 / (rank + OFFSET) for rank in range(number)))


@cache
def language(writer: str) -> list[str]:
    """Return the words of everybody, or those of another language."""
    return words(Random(int(writer == FOREIGN)), LANGUAGE, 0)


@cache
def own_words(sender: str, recipient: str) -> list[str]:
    """Return the words of a pair."""
    return words(Random(f"{sender} {recipient}"), OWN, 60)


def drawn(random: Random, known: list[str]) -> str:
    """Draw a word."""
    sums = cumulated(len(known))
    return known[bisect(sums, random.random() * sums[-1])]


def letter(sender: str, recipient: str, number: int, size: int) -> bytes:
    """Return the text of a mail of about so many bytes, without headers."""
    random, own = Random(f"{sender} {recipient} {number}"), own_words(sender, recipient)
    paragraphs, length = [f"Dear {own[0].title()},"], 0
    while length < size:
        sentences = []
        for _ in range(random.randrange(3, 9)):
            some = [
                drawn(random, own if random.random() < OWN_SHARE else language(sender))
                for _ in range(random.randrange(4, 20))
            ]
            sentences.append(f"{' '.join(some).capitalize()}{random.choice('....?!')}")
        paragraphs.append(textwrap.fill(" ".join(sentences), 72))
        length += len(paragraphs[-1]) + 2
    paragraphs.append(f"{own[1].title()}\n-- \n{own[1].title()}, {own[2].title()} {own[3]}\n{sender}")
    return ("\n\n".join(paragraphs) + "\n").encode()


def said(hashes: list[str], text: bytes) -> dict[str, str | int]:
    """Return what is printed of a mail's text, after the hashes of those before."""
    hashes.append(hashlib.sha256(text).hexdigest())
    all_of_them = hashlib.sha256(" ".join(sorted(hashes)).encode()).hexdigest()
    return {"sha256": hashes[-1], "all": all_of_them, "mails": len(hashes)}


def by_msmtp(address: str, sender: str, recipient: str, text: bytes) -> None:
    """Send a mail as users do."""
    command = ["msmtp", "--file=/dev/null", f"--host={address}", f"--from={sender}", "--domain=client.lab", recipient]
    done = subprocess.run(command, input=text, capture_output=True)
    if done.returncode:
        sys.exit(f"msmtp: {done.stderr.decode(errors='replace')}")


def by_smtplib(address: str, sender: str, recipient: str, text: bytes) -> None:
    """Send a mail with the same commands, without another program."""
    with smtplib.SMTP(address, SUBMISSION, local_hostname="client.lab") as client:
        client.sendmail(sender, recipient, text)


def send(way: Way, address: str, sender: str, recipient: str, *numbers: int, writer: str) -> None:
    """Send mails, one after the other."""
    mails, size, first = numbers
    hashes: list[str] = []
    for number in range(first, first + mails):
        text = letter(writer, recipient, number, size)
        subject = " ".join(drawn(Random(number), own_words(writer, recipient)) for _ in range(3))
        head = f"From: {sender}\nTo: {recipient}\nSubject: {subject}\n\n".encode()
        began_ns = time.monotonic_ns()
        way(address, sender, recipient, head + text)
        took = {"session": (time.monotonic_ns() - began_ns) / 1e6}
        print(json.dumps(said(hashes, text) | took), flush=True)


def kept(folder: str) -> None:
    """Wait for a signal, then say what is in each mail."""
    ends = {signal.SIGINT, signal.SIGTERM}
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    signal.sigwait(ends)
    hashes: list[str] = []
    for path in Path(folder).glob("new/*"):
        print(json.dumps(said(hashes, path.read_bytes().partition(b"\n\n")[2])))


def main() -> None:
    """Do what the first argument says."""
    if sys.argv[1] == "kept":
        kept(sys.argv[2])
    else:
        way = by_msmtp if sys.argv[1] == "send" else by_smtplib
        address, sender, recipient, mails, size, first, writer = [
            *sys.argv[2:],
            *("0", sys.argv[3])[len(sys.argv) - 7 :],
        ]
        send(way, address, sender, recipient, int(mails), int(size), int(first), writer=writer)


if __name__ == "__main__":
    main()
