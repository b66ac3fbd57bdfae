# SPDX-License-Identifier: MIT
"""A question every 100 ms over one connection to port 80. Runs with the guest's Python.

echo.py answer
echo.py ask ADDRESS OWN_PORT QUESTIONS    prints when the answer to each came
"""

from __future__ import annotations

import json
import socket
import sys
import time

if sys.argv[1] == "answer":
    server = socket.create_server(("", 80))
    while True:
        one, _ = server.accept()
        while data := one.recv(4096):
            one.sendall(data)
else:
    address, port, questions = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    one = socket.create_connection((address, 80), source_address=("", port))
    for number in range(questions):
        began_s = time.monotonic()
        one.sendall(b"%04d" % number)
        answer = one.recv(4, socket.MSG_WAITALL)
        if int(answer) != number:
            sys.exit(f"{number} was answered by {answer!r}")
        print(json.dumps({"ns": time.time_ns()}), flush=True)
        time.sleep(max(0.0, began_s + 0.1 - time.monotonic()))
