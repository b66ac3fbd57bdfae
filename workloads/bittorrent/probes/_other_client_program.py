# SPDX-License-Identifier: MIT
"""Run aria2 or CTorrent in a node until it is ended, and print how it gets on. Runs with the guest's Python.

    other_client.py SETTINGS    a JSON object, see the probe other-client

A line of JSON for each look, as of the probe transmission. What is there is what is right on the disk: both clients
write at once. The client's log goes to stderr.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any, NamedTuple

RPC = "http://127.0.0.1:6800/jsonrpc"
LOOKS_AT_START_S = 0.05  # until the torrent can be had
STATUS = re.compile(rb"(\d+)/(\d+)/\d+ \[\d+/\d+/\d+\] \d+MB,(\d+)MB")  # of CTorrent: seeds/others/…, uploads
TAIL = 4096  # bytes of CTorrent's output that have its last status


class Failed(Exception):
    """The client cannot do what it is to do; the text says why."""


class State(NamedTuple):
    """What a client says of itself."""

    uploaded: int
    peers: int


class Aria2:
    """aria2c, whose RPC answers on the node itself."""

    def __init__(self, settings: dict[str, Any], torrent: Path) -> None:
        limits = [f"--max-{way}-limit={settings[f'{way}_kbyte_s'] or 0}000" for way in ("upload", "download")]
        self.command: tuple[str, ...] = (
            "aria2c", "--enable-rpc", "--rpc-listen-port=6800", f"--dir={settings['folder']}",
            f"--listen-port={settings['port']}", "--seed-ratio=0.0", "--check-integrity=true", "--disk-cache=0",
            "--file-allocation=none", "--enable-dht=false", "--summary-interval=0", "--console-log-level=warn",
            "--no-conf=true", *limits, str(torrent),
        )  # fmt: skip
        self._last = State(0, 0)

    def state(self) -> State:
        """Return what its RPC says; the last answer if it gives none."""
        request = {
            "jsonrpc": "2.0",
            "id": "",
            "method": "aria2.tellActive",
            "params": [["uploadLength", "connections"]],
        }
        try:
            with urllib.request.urlopen(RPC, json.dumps(request).encode(), timeout=30) as answer:
                found = json.load(answer)["result"]
        except OSError:
            return self._last
        if found:
            self._last = State(int(found[0]["uploadLength"]), int(found[0]["connections"]))
        return self._last


class CTorrent:
    """ctorrent, which prints a line about itself each second."""

    def __init__(self, settings: dict[str, Any], torrent: Path) -> None:
        place = Path(settings["folder"], settings["name"])
        words = ["ctorrent", "-C", "0", "-e", "72", "-p", str(settings["port"]), "-s", str(place)]
        for flag, way in (("-U", "upload"), ("-D", "download")):
            if settings[f"{way}_kbyte_s"]:
                words += [flag, str(settings[f"{way}_kbyte_s"])]
        self.command: tuple[str, ...] = (*words, str(torrent))
        self._output = Path(settings["output"])

    def state(self) -> State:
        """Return what its last line says. It counts uploads in MB."""
        with self._output.open("rb") as file:
            file.seek(max(file.seek(0, os.SEEK_END) - TAIL, 0))
            said = STATUS.findall(file.read())
        if not said:
            return State(0, 0)
        seeds, others, uploaded = map(int, said[-1])
        return State(uploaded << 20, seeds + others)


CLIENTS: dict[str, type[Aria2] | type[CTorrent]] = {"aria2": Aria2, "ctorrent": CTorrent}


def fetched(source: str) -> bytes:
    """Return the content of a file or URL."""
    try:
        if "://" not in source:
            return Path(source).read_bytes()
        with urllib.request.urlopen(source, timeout=30) as answer:
            content: bytes = answer.read()
    except OSError as error:
        raise Failed(f"cannot fetch {source}: {error}") from None
    return content


class Reader:
    """The program that reads what is on the disk."""

    def __init__(self, program: str, torrent: Path, folder: str) -> None:
        command = ("python3", program, str(torrent), folder)
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.name: str = self._said()["name"]
        self.at_start: int = self.look()["have"]

    def look(self) -> Any:
        """Return what it finds now."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        return self._said()

    def _said(self) -> Any:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise Failed("the torrent is not valid")
        return json.loads(line)

    def end(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        self._process.wait()


def digest(place: Path) -> str:
    """Return the SHA-256 of a file; of a folder, that of its files in the order of their names."""
    found = hashlib.sha256()
    for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
        if path.is_file():
            found.update(path.read_bytes())
    return found.hexdigest()


def run(settings: dict[str, Any]) -> None:
    home = Path(f"/var/lib/lab-other-client/{settings['port']}")
    home.mkdir(parents=True, exist_ok=True)
    Path(settings["folder"]).mkdir(parents=True, exist_ok=True)
    torrent = home / "swarm.torrent"
    torrent.write_bytes(fetched(settings["torrent"]))
    reader = Reader(settings["reader"], torrent, settings["folder"])
    client = CLIENTS[settings["client"]]({**settings, "name": reader.name, "output": home / "output"}, torrent)
    with (home / "output").open("wb") as output:
        try:
            process = subprocess.Popen(
                client.command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, cwd=home
            )
        except FileNotFoundError:
            raise Failed(f"this node has no {client.command[0]}; write image: other-peer for it") from None
    done = False
    try:
        while True:
            time.sleep(settings["every_s"])
            if process.poll() is not None:
                said = (home / "output").read_bytes()[-TAIL:].decode(errors="replace").strip()
                raise Failed(f"{client.command[0]} has ended: {said}")
            now_ns, there, state = time.time_ns(), reader.look(), client.state()
            line = {
                "t_s": f"{now_ns // 10**9}.{now_ns % 10**9:09d}",
                "down": max(there["have"] - reader.at_start, 0),
                "up": state.uploaded,
                "wasted": 0,
                **{key: there[key] for key in ("have", "playable", "size")},
                "peers": state.peers,
                "error": "",
            }
            if not done and there["right"] == there["pieces"]:
                done = True
                line |= {"complete": True, "sha256": digest(Path(settings["folder"], reader.name))}
            print(json.dumps(line), flush=True)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        reader.end()


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
