# SPDX-License-Identifier: MIT
"""A text, precisely and approximately: ``notes.py listen ADDRESS`` and ``notes.py send ADDRESS``, at port 9000.

To begin an exercise with: libsap from Python. How many lines there are goes precisely, the lines themselves
approximately, each with its number in a precise head.
"""

import sys

import sap  # type: ignore[import-not-found]  # in the guest only

PORT = 9000
LINES = [f"{number}: precise is what must be right, approximate what may be wrong. " * 15 for number in range(200)]


def send(address: str) -> None:
    """Sends the number of lines, and each line once."""
    with sap.connect(address, PORT) as socket:
        socket.send(len(LINES).to_bytes(2, "big"))
        for number, line in enumerate(LINES):
            socket.send_head(number.to_bytes(2, "big") + line.encode(), 2, once=True)
        socket.fin()


def listen(address: str) -> None:
    """Shows what arrived: how many lines, and the first ones with errors."""
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
