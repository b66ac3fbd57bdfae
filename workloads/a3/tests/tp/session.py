# SPDX-License-Identifier: MIT
"""drive: TP between a client and a server that the tests play, a line for each piece of a stream."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from ..programs import PLAIN, SANITIZED, Change, program

HERE = Path(__file__).parent
A3D = HERE.parents[1] / "a3d"
LOGIC = ("tp.c", "tp_file.c", "tp_blocks.c", "tp_smb1.c", "tp_smb2.c", "tp_link.c")
OBSERVERS = ("observe.c", "smb.c", "smb1.c", "smb2.c")


def compiled(drive: str = "drive", mistake: Change | None = None) -> Path:
    """Return a drive. The observer of SMB alone is in it: none that has HTTP's needs its library."""
    sources = [
        HERE / f"{drive}.c",
        HERE / "others.c",
        *(A3D / name for name in LOGIC if drive == "drive_link" or name != "tp_link.c"),
        *(A3D / "observe" / name for name in OBSERVERS),
    ]
    return program(sources, (A3D,), PLAIN if mistake else SANITIZED, change=mistake)


@dataclass(frozen=True)
class Counts:
    predicted: int = 0
    answered: int = 0
    fetched: int = 0
    served: int = 0
    wasted: int = 0
    oplocks: int = 0
    breaks: int = 0
    stale: int = 0


class Session:
    """One connection through TP; ``sent`` has what left for each side since it was last looked at."""

    def __init__(
        self,
        program: Path,
        predict: bool = True,
        serialise: bool = False,
        early: bool = True,
        words: tuple[str, ...] = (),
    ) -> None:
        """``early``: TP is between the streams as soon as it can, else when it wants to. ``words``: more for drive."""
        words = (str(program), str(int(predict)), str(int(serialise)), *words)
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.early = early
        self.sent = {">": bytearray(), "<": bytearray()}
        self.state, self.why, self.alone = "watches", "not left", 0
        self.ready = self.offered = self.finished = False
        self.counts = Counts()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.read()
        status = self._process.wait()
        assert kind is not None or status == 0, "drive has failed"

    def say(self, line: str) -> None:
        """Say a line to drive, and read what comes of it."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        for said in self._process.stdout:
            if said[0] in self.sent:
                self.sent[said[0]] += bytes.fromhex(said[1:])
            elif said.startswith("ended"):
                self.finished = said.endswith("1\n")
            else:
                break
        else:
            raise AssertionError("drive has ended")
        words = said[2:].split()
        self.state = words[0]
        self.why = " ".join(words[1:-11])
        numbers = [int(word) for word in words[-11:]]
        self.alone, self.ready, self.offered = numbers[0], bool(numbers[1]), bool(numbers[2])
        self.counts = Counts(*numbers[3:])

    def give(self, way: str, data: bytes) -> None:
        """Give bytes of a direction, as one piece."""
        if self.early and self.ready and self.state == "watches":
            self.say("take")
        self.say(f"{way}{data.hex()}")

    def taken(self, way: str) -> bytes:
        """Return what has left in a direction since the last time."""
        found = bytes(self.sent[way])
        self.sent[way].clear()
        return found
