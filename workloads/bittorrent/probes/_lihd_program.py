# SPDX-License-Identifier: MIT
"""LIHD: adapt the upload limit of this node's transmission-daemon to its downloads. Runs with the guest's Python.

    lihd.py SETTINGS    a JSON object, see the probe lihd

A line of JSON for each window. Rates are in kB/s of 1000 bytes, as the client's limits are. A window in which the
client was moved says nothing about the limit: the client or a task of it was started anew or stopped, or an address
of the node changed. It does not count, nor do those that follow until data arrives. Then the rule compares with
nothing, as at the start. A client that is started anew gets the limit of the old one.
"""

from __future__ import annotations

import json
import signal
import socket
import struct
import subprocess
import sys
import time
import urllib.error
import urllib.request
from typing import Any, NamedTuple

RPC = "http://127.0.0.1:9091/transmission/rpc"
LOOKS_AT_START_S = 0.05  # until the client answers
STOPPED = 0  # state of a torrent
DELETED_ADDRESS = 21  # RTM_DELADDR
OF_IPV4, OF_IPV6 = 0x10, 0x100  # RTMGRP_IPV4_IFADDR, RTMGRP_IPV6_IFADDR


class Lihd:
    """Linear increase, history-based decrease: ``limit`` is for the next window.

    ``rule`` is "window" (more downloaded than in the window before: increase; less: decrease) or "correlation" (the
    uploads were changed and the downloads changed in the same direction: increase; otherwise decrease). Each further
    cut-down in a row takes ``beta`` more.
    """

    def __init__(self, rule: str, alpha: float, beta: float, start: float, least: float, most: float) -> None:
        self.limit = start
        self._rule, self._alpha, self._beta, self._least, self._most = rule, alpha, beta, least, most
        self._before: float | None = None  # downloaded in the window before
        self._last = 0  # the direction of the last change
        self._cutdowns = 0

    def window(self, downloaded: float) -> float:
        """Return the limit that follows from what was downloaded in a window."""
        before, self._before = self._before, downloaded
        if before is not None:
            self._change(self._direction(before, downloaded))
        return self.limit

    def forget(self) -> None:
        """Compare the next window with none."""
        self._before = None

    def _direction(self, before: float, now: float) -> int:
        difference = (now > before) - (now < before)
        if self._rule == "window":
            return difference
        if self._last == 0:
            return 1
        return 1 if difference == self._last else -1

    def _change(self, direction: int) -> None:
        self._last = direction
        self._cutdowns = self._cutdowns + 1 if direction < 0 else 0
        step = self._alpha * (direction > 0) - self._beta * self._cutdowns
        self.limit = min(max(self.limit + step, self._least), self._most)


class Look(NamedTuple):
    """What a client says: how long it has run, the bytes that it has downloaded and uploaded, and its tasks.

    Tasks are those that run, each with its number and its start (s): one that is begun anew has others.
    """

    at_ns: int
    active_s: int
    down: int
    up: int
    tasks: frozenset[tuple[int, int]] = frozenset()

    def is_of_another(self, before: Look) -> bool:
        """Whether the client was started anew between two looks; it tells its age in whole seconds."""
        return self.active_s + 1 < before.active_s + (self.at_ns - before.at_ns) // 1_000_000_000

    def still_has_tasks_of(self, before: Look) -> bool:
        """Whether all tasks of an earlier look still run."""
        return before.tasks <= self.tasks


class Session:
    """The RPC of transmission-daemon."""

    def __init__(self) -> None:
        self._id = ""

    def call(self, method: str, **arguments: Any) -> Any:
        """Return what it answers; an OSError says that it does not."""
        body = json.dumps({"method": method, "arguments": arguments}).encode()
        while True:
            request = urllib.request.Request(RPC, body, {"X-Transmission-Session-Id": self._id})
            try:
                with urllib.request.urlopen(request, timeout=30) as answer:
                    found = json.load(answer)
                break
            except urllib.error.HTTPError as error:
                if error.code != 409 or error.headers["X-Transmission-Session-Id"] == self._id:
                    raise
                self._id = error.headers["X-Transmission-Session-Id"]
        if found["result"] != "success":
            raise OSError(f"transmission-daemon refuses {method}: {found['result']}")
        return found["arguments"]

    def bytes(self) -> Look:
        """Return what the client has downloaded and uploaded since its start, and its tasks."""
        now = self.call("session-stats")["current-stats"]
        at_ns = time.time_ns()
        torrents = self.call("torrent-get", fields=("id", "startDate", "status"))["torrents"]
        tasks = frozenset((one["id"], one["startDate"]) for one in torrents if one["status"] != STOPPED)
        return Look(at_ns, now["secondsActive"], now["downloadedBytes"], now["uploadedBytes"], tasks)

    def limit(self, kbyte_s: float) -> None:
        """Limit its uploads."""
        self.call("session-set", **{"speed-limit-up": round(kbyte_s), "speed-limit-up-enabled": True})


class Addresses:
    """The addresses of this node, but those that only its links know."""

    def __init__(self) -> None:
        self._changes = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_NONBLOCK, socket.NETLINK_ROUTE)
        self._changes.bind((0, OF_IPV4 | OF_IPV6))
        self._known = self._all()

    def _all(self) -> set[str]:
        text = subprocess.run(
            ("ip", "-j", "address", "show", "scope", "global"), capture_output=True, check=True
        ).stdout
        found = [one for interface in json.loads(text) for one in interface.get("addr_info", ())]
        return {one["local"] for one in found if one}  # those of another scope are empty

    def changed(self) -> bool:
        """Whether one has come or gone since the last call, even if it is back."""
        lost, before = self._lost(), self._known
        self._known = self._all()
        return lost or self._known != before

    def _lost(self) -> bool:
        """Read all reports: whether one says that an address is gone."""
        lost = False
        while True:
            try:
                message = self._changes.recv(65536)
            except BlockingIOError:
                return lost
            lost = lost or struct.unpack_from("=H", message, 4)[0] == DELETED_ADDRESS


def wait_for(session: Session) -> Look:
    """Return once the client answers."""
    while True:
        try:
            return session.bytes()
        except OSError:
            time.sleep(LOOKS_AT_START_S)


def begun(session: Session, limit: float | None) -> Look:
    """Return the first look at a client, which gets a limit. It may end again meanwhile."""
    while True:
        look = wait_for(session)
        try:
            if limit is not None:
                session.limit(limit)
            return look
        except OSError:
            continue


def run(settings: dict[str, Any]) -> None:
    session, addresses, control = Session(), Addresses(), settings["control"]
    rule = Lihd(*(settings[key] for key in ("rule", "alpha", "beta", "start", "least", "most")))
    before = begun(session, rule.limit if control else None)
    restarts = 0
    moved = False  # and nothing has arrived since
    while True:
        time.sleep(settings["window_s"])
        held, now = rule.limit, None
        try:
            look = session.bytes()
            if not look.is_of_another(before):
                now = look
                moved = addresses.changed() or not now.still_has_tasks_of(before) or (moved and now.down == before.down)
                seconds = (now.at_ns - before.at_ns) / 1e9
                rates = {"down": (now.down - before.down) / 1000 / seconds, "up": (now.up - before.up) / 1000 / seconds}
                if moved:
                    rule.forget()
                elif control:
                    session.limit(rule.window(rates["down"]))
        except OSError:
            now = None
        if now is None:
            restarts += 1
            moved = True
            rule.forget()
            before = begun(session, rule.limit if control else None)
            continue
        stamp = f"{now.at_ns // 10**9}.{now.at_ns % 10**9:09d}"
        limits = {"limit": round(held), "next": round(rule.limit)} if control else {}
        print(json.dumps({"t_s": stamp, **rates, **limits, "restarts": restarts, "counts": not moved}), flush=True)
        before = now


def main() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: sys.exit(0))
    run(json.loads(sys.argv[1]))


if __name__ == "__main__":
    main()
