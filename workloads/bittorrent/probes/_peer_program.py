# SPDX-License-Identifier: MIT
"""Run a BitTorrent client in a node until it is ended, and print how it gets on. Runs with the guest's Python.

    peer.py SETTINGS    a JSON object, see the probe transmission

A line of JSON for each look at the client; one of them has the hash of the complete download, once all of it is on the
disk. The client's log goes to stderr.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

RPC = "http://127.0.0.1:{port}/transmission/rpc"
FIELDS = (
    "downloadedEver", "uploadedEver", "corruptEver", "haveValid", "leftUntilDone", "metadataPercentComplete",
    "peersConnected", "pieceCount", "pieceSize", "pieces", "name", "totalSize", "error", "errorString", "trackerStats",
    "status", "torrentFile",
)  # fmt: skip
COUNTS = ("downloadedEver", "uploadedEver", "corruptEver")
STOPPED, WAITS_FOR_CHECK, CHECKS = 0, 1, 2  # states of a torrent
LOOKS_AT_START_S = 0.05  # until the client answers
NEW_ADDRESS, OF_IPV4 = 20, 0x10  # RTM_NEWADDR, RTMGRP_IPV4_IFADDR


class Failed(Exception):
    """The client cannot do what it is to do; the text says why."""


def fetched(source: str) -> bytes:
    """Return the content of a file or URL."""
    if "://" not in source:
        if not Path(source).is_file():
            raise Failed(f"there is no file {source}")
        return Path(source).read_bytes()
    try:
        with urllib.request.urlopen(source, timeout=30) as answer:
            content: bytes = answer.read()
    except OSError as error:
        raise Failed(f"cannot fetch {source}: {error}") from None
    return content


class Client:
    """transmission-daemon, controlled by its RPC."""

    def __init__(self, settings: dict[str, Any]) -> None:
        self._settings = settings
        self._url = RPC.format(port=settings["rpc_port"])
        self._session = ""
        self._torrent = 0
        self._source: dict[str, str] = {}
        self._before = dict.fromkeys(COUNTS, 0)  # of the tasks that were ended
        folder = Path(settings["folder"])
        folder.mkdir(parents=True, exist_ok=True)
        home = Path(f"/var/lib/lab-peer/{settings['peer_port']}")
        home.mkdir(parents=True, exist_ok=True)
        (home / "settings.json").write_text(json.dumps(self._own_settings(folder)))
        (home / "dht.bootstrap").write_text("".join(f"{one}\n" for one in settings["bootstrap"]))
        command = [settings["daemon"], "--foreground", "--config-dir", str(home)]
        variables = {**os.environ, **settings["environment"]}
        try:
            self._process = subprocess.Popen(command, stdout=sys.stderr, stdin=subprocess.DEVNULL, env=variables)
        except FileNotFoundError:
            raise Failed("this node has no transmission-daemon; write image: peer for it") from None

    def _own_settings(self, folder: Path) -> dict[str, Any]:
        ours = self._settings
        return {
            "download-dir": str(folder),
            "incomplete-dir-enabled": False,
            "preallocation": 0,
            "peer-port": ours["peer_port"],
            "rpc-port": ours["rpc_port"],
            "rpc-bind-address": "127.0.0.1",
            "rpc-authentication-required": False,
            "port-forwarding-enabled": False,
            "dht-enabled": ours["dht"],
            "lpd-enabled": ours["lpd"],
            "pex-enabled": ours["pex"],
            "utp-enabled": ours["utp"],
            "download-queue-enabled": False,
            "seed-queue-enabled": False,
            "ratio-limit-enabled": False,
            "idle-seeding-limit-enabled": False,
            "speed-limit-up-enabled": ours["upload_kbyte_s"] is not None,
            "speed-limit-up": ours["upload_kbyte_s"] or 0,
            "speed-limit-down-enabled": ours["download_kbyte_s"] is not None,
            "speed-limit-down": ours["download_kbyte_s"] or 0,
            "peer-limit-global": 200,
            "peer-limit-per-torrent": 60,
            "start-added-torrents": True,
            "trash-original-torrent-files": False,
        }

    def call(self, method: str, **arguments: Any) -> Any:
        """Return what the client answers to a request of its RPC."""
        body = json.dumps({"method": method, "arguments": arguments}).encode()
        for _ in range(2):
            request = urllib.request.Request(self._url, body, {"X-Transmission-Session-Id": self._session})
            try:
                with urllib.request.urlopen(request, timeout=30) as answer:
                    found = json.load(answer)
            except urllib.error.HTTPError as error:
                if error.code != 409:
                    raise
                self._session = error.headers["X-Transmission-Session-Id"]  # the first answer has the key
                continue
            if found["result"] != "success":
                raise Failed(f"transmission-daemon refuses {method}: {found['result']}")
            return found["arguments"]
        raise Failed("transmission-daemon gives no session id")

    def wait_until_it_answers(self) -> None:
        """Return when the RPC can be used."""
        while True:
            try:
                self.call("session-get", fields=["version"])
                return
            except OSError:
                if self._process.poll() is not None:
                    raise Failed("transmission-daemon has ended") from None
                time.sleep(LOOKS_AT_START_S)

    def add(self, torrent: str) -> None:
        """Add a torrent: a magnet link, or the path or URL of a .torrent file or of a file with a magnet link."""
        link, content = torrent, b""
        if not torrent.startswith("magnet:"):
            content = fetched(torrent)
            link = content.decode(errors="replace").strip() if content.startswith(b"magnet:") else ""
        self._source = {"filename": link} if link else {"metainfo": base64.b64encode(content).decode()}
        try:
            self._add()
        except Failed as error:
            raise Failed(f"{torrent} is not a valid torrent ({error})") from None

    def _add(self) -> None:
        found = self.call("torrent-add", **self._source)
        self._torrent = (found.get("torrent-added") or found["torrent-duplicate"])["id"]

    def reconnect(self) -> None:
        """End all connections, and begin anew with the tracker."""
        self.call("torrent-stop", ids=[self._torrent])
        while self._now()["status"] != STOPPED:
            time.sleep(LOOKS_AT_START_S)
        self.call("torrent-start", ids=[self._torrent])

    def restart(self) -> None:
        """End the task and begin it anew, with what is on the disk: only that is left of it."""
        last = self._now()
        self._before = {key: self._before[key] + last[key] for key in COUNTS}
        self.call("torrent-remove", ids=[self._torrent])
        self._add()
        while self._now()["status"] in (WAITS_FOR_CHECK, CHECKS):
            time.sleep(LOOKS_AT_START_S)

    def look(self) -> Any:
        """Return what the client says of the torrent, with the counts of its earlier tasks."""
        if self._process.poll() is not None:
            raise Failed("transmission-daemon has ended")
        found = self._now()
        return {**found, **{key: self._before[key] + found[key] for key in COUNTS}}

    def _now(self) -> Any:
        (found,) = self.call("torrent-get", ids=[self._torrent], fields=FIELDS)["torrents"]
        return found

    def end(self) -> None:
        """End the client at once: nothing has to be said to the tracker any more."""
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()


class Addresses:
    """The IPv4 addresses of this node."""

    def __init__(self) -> None:
        self._changes = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
        self._changes.bind((0, OF_IPV4))
        self._known = self._all()

    def _all(self) -> set[str]:
        text = subprocess.run(("ip", "-4", "-j", "address"), capture_output=True, check=True).stdout
        return {one["local"] for interface in json.loads(text) for one in interface["addr_info"]}

    def wait(self, seconds: float) -> bool:
        """Return after so many seconds, or with a new address at once: whether there is one."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            self._changes.settimeout(left)
            try:
                message = self._changes.recv(65536)
            except TimeoutError:
                break
            if struct.unpack_from("=H", message, 4)[0] != NEW_ADDRESS:
                continue
            before, self._known = self._known, self._all()
            if self._known - before:
                return True
        return False


def playable(look: Any) -> int:
    """Return how many bytes from the beginning are there without a gap."""
    bits = base64.b64decode(look["pieces"])
    count = 0
    while count < look["pieceCount"] and bits[count // 8] & (0x80 >> count % 8):
        count += 1
    size: int = look["totalSize"]
    return min(count * int(look["pieceSize"]), size)


def digest(place: Path) -> str:
    """Return the SHA-256 of a file; of a folder, that of its files in the order of their names."""
    found = hashlib.sha256()
    for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
        if path.is_file():
            with path.open("rb") as file:
                while part := file.read(1 << 20):
                    found.update(part)
    return found.hexdigest()


def complaint(look: Any) -> str:
    """Return what is wrong with the torrent or, if no tracker answers, with them; empty: nothing."""
    if look["error"]:
        return str(look["errorString"])
    asked = [tracker for tracker in look["trackerStats"] if tracker["hasAnnounced"]]
    if any(tracker["lastAnnounceSucceeded"] for tracker in asked):
        return ""
    return str(asked[0]["lastAnnounceResult"]) if asked else ""


def shown(look: Any) -> dict[str, Any]:
    """Return a line of output."""
    now_ns = time.time_ns()
    return {
        "t_s": f"{now_ns // 10**9}.{now_ns % 10**9:09d}",
        "down": look["downloadedEver"],
        "up": look["uploadedEver"],
        "wasted": look["corruptEver"],
        "have": look["haveValid"],
        "playable": playable(look) if look["pieceCount"] else 0,
        "size": look["totalSize"],
        "peers": look["peersConnected"],
        "error": complaint(look),
    }


def say(line: dict[str, Any]) -> None:
    print(json.dumps(line), flush=True)


def complete(look: Any) -> bool:
    known = look["metadataPercentComplete"] == 1 and look["totalSize"] > 0
    return bool(known and look["leftUntilDone"] == 0)


def lacks(settings: dict[str, Any], look: Any) -> int:
    """Return how many pieces are not on the disk: the client takes what it has in its memory for downloaded."""
    command = ("python3", settings["reader"], look["torrentFile"], settings["folder"])
    found = subprocess.run(command, input="\n", capture_output=True, text=True, check=False)
    if found.returncode:
        raise Failed(f"cannot read {look['torrentFile']}: {found.stderr.strip()}")
    said = json.loads(found.stdout.splitlines()[-1])
    return int(said["pieces"] - said["right"])


def after_a_move(client: Client, does: str) -> None:
    """Do what this client does when its node has a new address."""
    if does == "reconnect":
        client.reconnect()
    else:
        client.restart()


def run(settings: dict[str, Any]) -> None:
    client = Client(settings)
    addresses = Addresses() if settings["moved"] != "stay" else None
    moves: dict[str, int] = {"moves": 0} if addresses else {}
    try:
        client.wait_until_it_answers()
        client.add(settings["torrent"])
        done = False
        while True:
            look = client.look()
            line = {**shown(look), **moves}
            missing = lacks(settings, look) if complete(look) and not done else 0
            if missing:
                line["error"] = line["error"] or f"{missing} pieces are not on the disk"
            elif complete(look) and not done:
                done = True
                line |= {"complete": True, "sha256": digest(Path(settings["folder"], look["name"]))}
            say(line)
            if done and settings["leave"]:
                return
            if addresses is None:
                time.sleep(settings["every_s"])
            elif addresses.wait(settings["every_s"]):
                moves["moves"] += 1
                after_a_move(client, settings["moved"])
    finally:
        client.end()


def main() -> int:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    os.umask(0o022)
    try:
        run(json.loads(sys.argv[1]))
    except KeyboardInterrupt:
        return 0
    except Failed as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
