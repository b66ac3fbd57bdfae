# SPDX-License-Identifier: MIT
"""Start the guest of ``lab run`` before anything else, on the assumption that it is the same as last time.

Importing and planning take a quarter of a short run. Therefore, each ``lab run`` remembers the plan and the parameters
of its guest. When the same command is given again in the same directory, ``begin`` starts that guest at once. The
command plans as always and then calls ``take``, which returns the guest only if plan and parameters turned out the
same to the byte. Otherwise it ends the guest and removes its files, so a wrong assumption costs only processor time.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from lab.cache.report import SilentReport
from lab.cache.store import Store, content_key
from lab.errors import LabError
from lab.machine.guest import Guest, Setup
from lab.machine.process import GuestFiles
from lab.machine.run_directory import claim, new_directory

_OUTCOME = "guest.json"
_FILE = "start.json"
_NEEDED_BYTES = 10_000_000
_VERB = "run"


@dataclass(frozen=True)
class Remembered:
    """A guest of ``lab run``."""

    name: str  # of its run directory, without the time
    plan: str  # text of plan.json
    setup: Setup  # its run directory is that of the last run

    def to_json(self) -> str:
        """As text."""
        return json.dumps(asdict(self), default=str)

    @classmethod
    def from_json(cls, text: str) -> Remembered:
        """From text. ValueError, KeyError, TypeError: it is not what ``to_json`` returns."""
        fields: dict[str, Any] = json.loads(text)
        setup: dict[str, Any] = fields["setup"]
        paths: dict[str, Any] = {name: _paths(path) for name, path in setup["files"].items()}
        return cls(fields["name"], fields["plan"], Setup(**{**setup, "files": GuestFiles(**paths)}))

    def beginning_in(self, directory: Path) -> Setup:
        """The parameters with another run directory."""
        return replace(self.setup, files=replace(self.setup.files, run=directory.resolve()))


class HeadStart:
    """A guest that is started for a command. Until ``guest`` is entered, ``discard`` undoes everything."""

    def __init__(self, remembered: Remembered, out: Path | None) -> None:
        """Nothing is started yet."""
        self.remembered = remembered
        self.directory = Path()
        self.setup = remembered.setup
        self._out = out
        self._existed = out is not None and out.exists()
        self._ours = False  # the directory: we may remove what is in it
        self._closing = contextlib.ExitStack()
        self._guest: Guest | None = None

    def start(self) -> None:
        """Start it.

        Raises:
            LabError, OSError: It cannot be started.
        """
        self.directory = new_directory(self.remembered.name, self._out)
        self._ours = self._out is None
        claim(self.directory, self.remembered.plan)
        self._ours = True
        self.setup = self.remembered.beginning_in(self.directory)
        self._guest = self._closing.enter_context(Guest.started(self.setup))

    @contextlib.contextmanager
    def guest(self, *_: object) -> Iterator[Guest]:
        """The guest; ends it with the context."""
        assert self._guest is not None  # it has been started
        with self._closing:
            self._ours = False  # the directory is the run's
            yield self._guest

    def has_failed(self) -> bool:
        """Whether there is no guest, or it ended without an outcome: a component may have been removed meanwhile."""
        return self._guest is None or (self._guest.has_ended() and not (self.directory / _OUTCOME).exists())

    def discard(self) -> None:
        """End the guest and remove its run directory; a directory that existed before is emptied."""
        if not self._ours:
            return
        self._closing.close()
        if not self._existed:
            shutil.rmtree(self.directory, ignore_errors=True)
            return
        for entry in self.directory.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry, ignore_errors=True)
            else:
                entry.unlink(missing_ok=True)


class HeadStarts:
    """The head start of this process's command, if it has one."""

    def __init__(self) -> None:
        self._key: str | None = None  # None: the command gets none
        self._begun: HeadStart | None = None

    @property
    def running(self) -> bool:
        """Whether a guest was started."""
        return self._begun is not None and not self._begun.has_failed()

    def begin(self, arguments: list[str]) -> None:
        """Start the guest that this command had last time; do nothing if there is none or it cannot be started."""
        if arguments[:1] != [_VERB]:
            return
        with contextlib.suppress(LabError, OSError, ValueError, KeyError, TypeError, AttributeError):
            self._key = content_key(json.dumps([arguments, str(Path.cwd())]))
            remembered = self._read(self._key)
            written = value_of("--out", arguments)
            out = None if written is None else Path(written)
            if remembered and _complete(remembered.setup.files) and (out or Path("runs", "x")).parent.is_dir():
                self._begun = HeadStart(remembered, out)
                self._begun.start()

    def take(self, name: str, plan: str, setup: Callable[[Path], Setup], out: Path | None) -> HeadStart | None:
        """The guest that was started, if the command needs the very same.

        Args:
            name: of the run directory, without the time.
            plan: text of plan.json.
            setup: the parameters of the guest's start, for a run directory.
            out: the run directory, if the user names one.
        """
        begun = self._begun
        if begun is None:
            return None
        wanted = Remembered(name, plan, setup(begun.directory))
        if (
            wanted == Remembered(begun.remembered.name, begun.remembered.plan, begun.setup)
            and (out is None or out == begun.directory)
            and not begun.has_failed()
        ):
            self._key = None  # it is remembered already
            return begun
        self.discard()
        return None

    def discard(self) -> None:
        """End the guest and remove its files, unless it was taken and has become a run."""
        if self._begun is not None:
            self._begun.discard()
            self._begun = None

    def remember(self, name: str, plan: str, setup: Setup) -> None:
        """Remember the guest of this command, if it can be remembered."""
        if self._key is None:
            return

        def make(entry: Path) -> None:
            (entry / _FILE).write_text(Remembered(name, plan, setup).to_json())

        with contextlib.suppress(LabError, OSError):  # no room, no permission: the next run has no head start
            self._store().build(self._key, make, SilentReport(), needed_bytes=_NEEDED_BYTES, replace=True)

    def _read(self, key: str) -> Remembered | None:
        store = self._store()
        return Remembered.from_json((store.path(key) / _FILE).read_text()) if store.has(key) else None

    @staticmethod
    def _store() -> Store:
        return Store("head-start", "the guest of a command")


def _paths(value: Any) -> Any:
    """A path, or several, from JSON."""
    if isinstance(value, list):
        return tuple(Path(path) for path in value)
    return value and Path(value)


def value_of(option: str, arguments: list[str]) -> str | None:
    """The value of an option of the command line; the last one, if there are several. None: it is not there."""
    found = None
    for word, after in zip(arguments, [*arguments[1:], ""], strict=True):
        if word == option:
            found = after
        elif word.startswith(f"{option}="):
            found = word.removeprefix(f"{option}=")
    return found


def _complete(files: GuestFiles) -> bool:
    """Whether all components of a guest still exist."""
    return all(part.exists() for part in files.parts())


HEAD_STARTS = HeadStarts()
