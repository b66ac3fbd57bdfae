# SPDX-License-Identifier: MIT
"""Errors that a user can cause, each with what to do about it.

``lab.cli.entry`` prints a ``LabError`` as one message, without a traceback (exit status 2, or 1 if a run itself
failed). ``where`` is ``file:line`` if the mistake is in a file.
"""

from __future__ import annotations

import contextlib
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from lab.printable import printable

_EQUAL_SHOWN, _SHOWN = 5, 100  # mistakes: of those with equal messages, and of all


class LabError(Exception):
    """Base class of all errors that ``lab`` reports to a user. ``str()`` is the whole message."""

    exit_status = 2
    directory: Path | None = None  # that of the run that failed, if its files are kept

    def __init__(self, message: str, *, where: str | None = None, hint: str | None = None) -> None:
        self.message = message
        self.where = where
        self.hint = hint
        super().__init__(self._render())

    def as_json(self) -> dict[str, Any]:
        """Return what ``--json`` prints instead of results."""
        mistakes = [{"where": one.where, "message": one.message, "hint": one.hint} for one in self.all()]
        kept = None if self.directory is None else str(self.directory)
        return {"passed": False, "error": str(self), "mistakes": mistakes, "directory": kept}

    def all(self) -> list[LabError]:
        """Return every mistake that it reports."""
        return [self]

    def _render(self) -> str:
        text = f"{self.where}  {self.message}" if self.where else self.message
        return f"{text}\n  {self.hint}" if self.hint else text


class InputError(LabError):
    """An invalid topology, workload or option; names file and line. ``keys`` lead to the value in the file."""

    def __init__(
        self,
        message: str,
        *,
        where: str | None = None,
        hint: str | None = None,
        keys: tuple[str | int, ...] = (),
    ) -> None:
        self.keys = keys
        self.about_value = message
        super().__init__(f"{'.'.join(map(str, keys))}: {message}" if keys else message, where=where, hint=hint)


class ParameterError(ValueError):
    """A mistake in a parameter of a probe or metric: its key, and what is wrong with it."""

    def __init__(self, key: str, message: str) -> None:
        self.key = key
        self.message = message
        super().__init__(f"{key}: {message}")


class InputErrors(InputError):
    """Several mistakes in one file, reported together; of many equal ones, the message has the first."""

    def __init__(self, errors: list[InputError]) -> None:
        self.errors = errors
        alike = Counter(error.about_value for error in errors)
        seen: Counter[str] = Counter()
        shown: list[str] = []
        for error in errors:
            seen[error.about_value] += 1
            if seen[error.about_value] <= _EQUAL_SHOWN and len(shown) < _SHOWN:
                last = seen[error.about_value] == _EQUAL_SHOWN < alike[error.about_value]
                more = f"\n  … {alike[error.about_value] - _EQUAL_SHOWN} more mistakes like this one" if last else ""
                shown.append(f"{error}{more}")
        different = sum(min(number, _EQUAL_SHOWN) for number in alike.values()) - len(shown)
        super().__init__("\n".join([*shown, *([f"… {different} more mistakes of other kinds"] if different else [])]))

    def all(self) -> list[LabError]:
        return list(self.errors)


class HostError(LabError):
    """The machine lacks something: a tool, disk space, a directory that is writable or allows execution."""


class BuildError(LabError):
    """A kernel or image could not be built; names the step and its log."""


class RunError(LabError):
    """The guest or a process in it failed during a run; names it and shows its log."""

    exit_status = 1


class RecordError(LabError):
    """A record that cannot be read: wrong version, missing file."""


ELSEWHERE = "free some space, or choose --out"


@contextlib.contextmanager
def writing(path: Path, hint: str = ELSEWHERE) -> Iterator[None]:
    """Guard what writes a file of a run or of an experiment: a full disk is a message, not a traceback.

    Raises:
        HostError: If an OSError was raised; names the file and the reason.
    """
    try:
        yield
    except OSError as error:
        raise HostError(f"cannot write {path}: {error.strerror or error}", hint=hint) from None


_warned: set[str] = set()


def warn(message: str, where: str) -> None:
    """Print on stderr, once, what works but is not what it seems: ``file:line`` and what to write instead."""
    text = printable(f"lab: {where}  {message}")
    if text not in _warned:
        _warned.add(text)
        print(text, file=sys.stderr)


_OTHER_WORDS = {  # those of Mininet-WiFi, of other tools and of everyday speech: what may be meant
    "about": "description title",
    "ap": "accesspoint access_point access-point",
    "at": "time start",
    "as": "name id",
    "between": "nodes ends endpoints from",
    "channel": "freq frequency",
    "checks": "asserts assertions expect",
    "delay": "latency",
    "down": "off",
    "duration": "time length runtime seconds",
    "encrypt": "security encryption",
    "every": "interval period",
    "goodput": "throughput bandwidth",
    "host": "server computer pc router",
    "ip": "address addr ipv4",
    "kind": "type",
    "limit": "queue max_queue_size",
    "medium": "wireless wifi",
    "off": "down",
    "on": "node role host up",
    "passwd": "password passphrase psk",
    "position": "pos location coordinates",
    "processes": "commands programs run",
    "rate": "bw bandwidth bitrate",
    "router": "gateway",
    "roam": "handover handoff reassociate",
    "rtt": "latency ping round-trip-time",
    "self": "node this",
    "sta": "station client",
    "timeline": "events schedule",
    "to": "position state target destination",
    "txpower": "tx_power power",
    "up": "on",
}


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return `` (did you mean …?)`` if a known word is similar to ``word`` or has its meaning, else an empty text."""
    return _suggestion(word, tuple(known))


@lru_cache(1000)
def _suggestion(word: str, words: tuple[str, ...]) -> str:
    import difflib

    meant = next((one for one in words if word.casefold() in _OTHER_WORDS.get(one, "").split()), None)
    if meant is not None:
        return f" (did you mean {meant}?)"
    folded = {candidate.casefold(): candidate for candidate in words}
    alike = difflib.get_close_matches(word.casefold(), folded, n=1, cutoff=0.6)
    return f" (did you mean {folded[alike[0]]}?)" if alike and folded[alike[0]] != word else ""


def unknown(noun: str, name: str, known: Iterable[str], listed: str = "known") -> str:
    """Return ``unknown axis "dely" (did you mean delay?); known: delay, loss``; ``listed`` is the word "known"."""
    names = list(dict.fromkeys(known))
    return f'unknown {noun} "{name}"{suggestion(name, names)}; {listed}: {", ".join(names) or "none"}'


def flat(error: InputError) -> list[InputError]:
    """Return the single mistakes in an error."""
    return error.errors if isinstance(error, InputErrors) else [error]


def raise_all(errors: list[InputError]) -> None:
    """Raise all errors together; do nothing without any."""
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise InputErrors(errors)
