# SPDX-License-Identifier: MIT
"""Print what arrives of a walk, as it is: python3 raw.py ADDRESS PORT. Each line has a second and its position."""

import struct
import sys

import sap  # type: ignore[import-not-found]  # in the guest only

with sap.listen(sys.argv[1], int(sys.argv[2])) as socket:
    first, *others = socket
datagrams, positions = struct.unpack(">HH", first.data)
print(f"# {len(others)} of {datagrams} datagrams, with {positions} positions each")
for message in others:
    (number,) = struct.unpack(">H", message.data[:2])
    for index, position in enumerate(struct.iter_unpack(">dd", message.data[2:])):
        print(number + index * datagrams, "{:.9f} {:.9f}".format(*position))
