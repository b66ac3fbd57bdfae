# SPDX-License-Identifier: MIT
"""Send a text over SAP: ``notes.py listen ADDRESS`` and ``notes.py send ADDRESS``, on port 9000.

A starting point for exercises with libsap in Python. The number of lines is sent as a precise datagram; when it has
arrived, each line is sent as an approximate one, with its line number in a protected head.
"""

import sys

import sap  # type: ignore[import-not-found]  # in the guest only

PORT = 9000
LINES = [f"{number}: precise is what must be right, approximate what may be wrong. " * 15 for number in range(200)]


def send(address: str) -> None:
    """Send the number of lines, then each line once."""
    with sap.connect(address, PORT) as socket:
        socket.send(len(LINES).to_bytes(2, "big"))
        socket.flush()  # nothing overtakes it
        for number, line in enumerate(LINES):
            socket.send_head(number.to_bytes(2, "big") + line.encode(), 2, once=True)
        socket.fin()


def listen(address: str) -> None:
    """Print how many lines arrived, and the first ones with errors."""
    with sap.listen(address, PORT) as socket:
        first, *others = socket
    count = int.from_bytes(first.data, "big")
    print(f"{len(others)} of {count} lines arrived")
    wrong = 0
    for message in others:
        number, text = int.from_bytes(message.data[:2], "big"), message.data[2:].decode("latin-1")
        if text != LINES[number]:
            wrong += 1
            at = next(index for index, letter in enumerate(text) if letter != LINES[number][index])
            if wrong <= 3:
                print(f"line {number} from letter {at} on: {text[at : at + 40]!r}")
    print(f"{wrong} of them with errors")


if __name__ == "__main__":
    verbs = {"send": send, "listen": listen}
    if len(sys.argv) != 3 or sys.argv[1] not in verbs:
        sys.exit("usage: notes.py listen|send ADDRESS")
    verbs[sys.argv[1]](sys.argv[2])
