# SPDX-License-Identifier: MIT
"""Answers what a session of ``lab shell`` asks (lab.guest.session): an event, a file with what was done, a capture."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from lab.errors import InputError, LabError, flat, writing
from lab.model.document import plain
from lab.model.event import summary
from lab.model.include import move_paths
from lab.plan import load
from lab.runs import forward, history
from lab.runs.added_events import AddedEvents
from lab.runs.attach import pass_on
from lab.shared.paths import RAW

WORKLOAD = "idle"  # of a prompt: no processes
PIECE_NS = 60_000_000_000  # of a session, for which the movements of nodes are planned at once
_PLACE = "event"  # that of what is typed
_FORM = "KIND: TARGET, KEY: VALUE, such as event netem: h1-s1, delay: 20 ms"
_WIDTH, _DEEP = 4096, 2  # of a topology that is written: no folded lines; nodes and links are mappings in mappings
_NOTHING: tuple[str, list[Any]] = ("timeline", [])  # of a topology without one, or by --set timeline=[]
_SUFFIXES = (".yaml", ".yml")
_OWN = ("include", "name", "about")  # keys of the topology that a saved one does not take over


class HostSession:
    """The host's part of a session of a guest in ``directory``; other parameters as those of ``lab.plan.load.load``."""

    def __init__(
        self, directory: Path, topology: str, seed: int, overrides: Sequence[str], locations: Mapping[str, str]
    ) -> None:
        self._raw = directory / RAW.name
        self._topology = topology
        self._seed = seed
        self._overrides = overrides
        self._locations = locations
        hint = "start the shell with --set medium={}"
        self._added = AddedEvents(topology, WORKLOAD, seed, overrides, locations, medium_hint=hint, piece_ns=PIECE_NS)
        self.socket: Path | None = None  # of a session at a terminal (lab.runs.sessions)
        self._forwards: dict[int, str] = {}  # of ports of the host, to NODE:PORT
        self._answers: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "event": self._event,
            "describe": self._describe,
            "levels": self._levels,
            "history": self._history,
            "remember": self._remember,
            "files": self._files,
            "forward": self._forward,
            "capture": self._capture,
            "save": self._save,
            "source": self._source,
            "terminal": self._terminal,
        }

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Answer a question of the guest: ``{"what": …, …}``."""
        try:
            return self._answers[asked["what"]](asked)
        except LabError as error:
            errors: list[LabError] = [*flat(error)] if isinstance(error, InputError) else [error]
            return {"refused": "; ".join(map(_without_source, errors))}

    def _event(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Return what an event resolves to, in the light of those before it."""
        _require_event(asked["written"])
        added = self._added.add(asked["at_ns"], asked["written"], _PLACE)
        return {
            "events": [asdict(event) for event in added.events],
            "updates": [[update.at_ns, update.links] for update in added.updates],
            "lines": [_line(event.kind, event.target, event.params) for event in added.events],
        }

    @staticmethod
    def _describe(asked: dict[str, Any]) -> dict[str, Any]:
        """Return what an event of the plan does."""
        return {"lines": [_line(asked["kind"], asked["target"], asked["params"])]}

    def _levels(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Return how levels change from a time on, for a while, and where nodes that move by themselves go."""
        plan = self._added.piece(asked["since_ns"])
        updates = plan.medium.updates if plan.medium else []
        return {
            "updates": [[update.at_ns, update.links] for update in updates],
            "ways": [[way.node, way.waypoints] for way in plan.mobility],
        }

    @staticmethod
    def _history(_asked: dict[str, Any]) -> dict[str, Any]:
        return {"lines": history.lines()}

    @staticmethod
    def _remember(asked: dict[str, Any]) -> dict[str, Any]:
        history.add(str(asked["line"]))
        return {}

    def _forward(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Pass connections to a port of the host's loopback on to a node; list those that are passed on."""
        if self.socket is None:
            raise InputError("forward needs real time, which a prompt on a terminal has")
        if asked["port"] is not None:
            forward.listen(asked["port"], partial(pass_on, self.socket, node=asked["node"], port=asked["to"]))
            self._forwards[asked["port"]] = f"{asked['node']}:{asked['to']}"
        return {"lines": [f"127.0.0.1:{port} -> {to}" for port, to in sorted(self._forwards.items())]}

    @staticmethod
    def _files(asked: dict[str, Any]) -> dict[str, Any]:
        """Return the files whose names begin with a text, as one would write them; directories end in a slash."""
        folder, _, name = asked["begins"].rpartition("/")
        where = Path(f"{folder}/" if "/" in asked["begins"] else ".").expanduser()
        before = asked["begins"][: len(asked["begins"]) - len(name)]
        found = []
        with contextlib.suppress(OSError):
            found = [f"{before}{one.name}{'/' if one.is_dir() else ''}" for one in where.iterdir()]
        return {"files": sorted(one for one in found if one.startswith(asked["begins"]))}

    @staticmethod
    def _source(asked: dict[str, Any]) -> dict[str, Any]:
        return {"lines": load.text_file(Path(asked["path"]).expanduser()).splitlines()}

    @staticmethod
    def _terminal(_asked: dict[str, Any]) -> dict[str, Any]:
        """Return type and size of the terminal; "dumb" if a file or a program receives what the guest prints.

        Of the terminal itself: programs that use readline leave COLUMNS and LINES of their start to those they start.
        """
        columns, lines = os.get_terminal_size(0)
        size = [lines, columns] if lines and columns else [24, 80]  # a serial line does not know its own
        return {"type": os.environ.get("TERM") or "dumb" if os.isatty(1) else "dumb", "size": size}

    def _capture(self, _asked: dict[str, Any]) -> dict[str, Any]:
        """Put the frames that were captured into the current directory, one file for each channel."""
        from lab import captures

        try:
            with writing(Path.cwd()):
                return {"files": [str(_moved(path)) for path in captures.split(self._raw)]}
        except captures.AirError as error:
            raise InputError(str(error)) from None

    def _save(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Write a topology with the events as its timeline."""
        path = Path(asked["path"])
        if path.suffix not in _SUFFIXES:
            raise InputError(f"{path} is not the name of a topology; write save {path.with_suffix('.yaml')}")
        if path.exists():
            raise InputError(f"{path} exists; write another name, or remove it")
        if not asked["events"]:
            raise InputError("nothing has been done yet that a timeline could do again")
        with writing(path, "choose another name"):
            path.write_text(self._document(path, asked["events"]), encoding="utf-8")
        try:
            load.load(str(path), WORKLOAD, self._seed, ["workload.duration=24h"], piece=(0, 0))
        except LabError:
            path.unlink()
            raise
        length_s = asked["end_ns"] // 1_000_000_000 + 1
        return {"line": f"{path}: lab run {path} {WORKLOAD} --set duration={length_s}s"}

    def text(self, path: Path, about: str = "") -> str:
        """Return the topology of the session without events, which stands for itself at ``path``."""
        import io

        from ruamel.yaml import YAML

        document = load.documents(self._topology, WORKLOAD, self._overrides, self._locations)["topology"]
        move_paths(document, path.parent)
        data = {key: value for key, value in document.data.items() if key not in _OWN and (key, value) != _NOTHING}
        data |= {"timeline": data.pop("timeline")} if "timeline" in data else {}  # last: others come after its own
        yaml = YAML()
        yaml.width = _WIDTH
        text = io.StringIO()
        yaml.dump(_in_lines(plain({"name": path.stem, **({"about": about} if about else {}), **data})), text)
        return text.getvalue()

    def _document(self, path: Path, events: Sequence[tuple[int, str]]) -> str:
        timeline = "".join(
            f"- {{at: {_at(at_ns)}, {written}}}\n" for at_ns, written in sorted(events, key=lambda event: event[0])
        )
        origin = f"# a session of lab shell {self._topology}, seed {self._seed}"
        text = self.text(path)
        heading = "" if "\ntimeline:\n" in text else "timeline:\n"
        return f"{origin}\n{text}{heading}{timeline}"


def _line(kind: str, target: str, params: dict[str, Any]) -> str:
    return f"{kind} {target} {summary(kind, params)}".rstrip()


def _require_event(written: str) -> None:
    """Refuse what the prompt's event cannot be: an InputError says what to write."""
    if (at := re.match(r"at\s*:[^,]*,?\s*", written)) is not None:
        rest = written[at.end() :]
        raise InputError(f"an event at the prompt happens at once; write event {rest or _FORM}, without at:")
    if _is_mapping(written):
        return
    with_commas = re.sub(r"(?<=[^\s,])\s+(?=\w+:\s)", ", ", written)
    wanted = with_commas if _is_mapping(with_commas) else _FORM
    raise InputError(f'"{written}" is not an event; write event {wanted}')


def _is_mapping(written: str) -> bool:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        return isinstance(YAML(typ="safe").load(f"{{{written}}}"), dict)
    except YAMLError:
        return False


def _at(at_ns: int) -> str:
    """Return a time exactly, in s."""
    seconds, rest = divmod(at_ns, 1_000_000_000)
    return f"{seconds}.{rest:09d}".rstrip("0").rstrip(".") + " s"


def _in_lines(value: Any, depth: int = 0) -> Any:
    """Return a topology as one writes it: nodes, links and what is as deep in braces, each on its line."""
    from ruamel.yaml.comments import CommentedMap, CommentedSeq

    if not isinstance(value, dict | list):
        return value
    items = value.items() if isinstance(value, dict) else enumerate(value)
    inner = [(key, _in_lines(one, depth + 1)) for key, one in items]
    found = CommentedMap(inner) if isinstance(value, dict) else CommentedSeq(one for _, one in inner)
    if depth >= _DEEP:
        found.fa.set_flow_style()
    return found


def _without_source(error: LabError) -> str:
    """Return a message without its file and line: the user has just written it."""
    return f"{error.message}; {error.hint}" if error.hint else error.message


def _moved(path: Path) -> Path:
    """Move a file to the current directory, under a name that is free there."""
    names = (f"{path.stem}{f'-{number}' if number else ''}{path.suffix}" for number in itertools.count())
    target = next(Path(name) for name in names if not Path(name).exists())
    shutil.move(path, target)
    return target
