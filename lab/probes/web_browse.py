# SPDX-License-Identifier: MIT
"""web-browse: loads a page in a real browser, and says when its objects have come."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, ClassVar

from lab.errors import ParameterError
from lab.probes import _web
from lab.probes._web import Page
from lab.probes.base import Param, Parsed, Probe, ProbeOutputError, Raw, Target, Transfer, program_path
from lab.probes.base.text import Json, documents

_SECOND = 1_000_000_000
_MILLISECOND = 1_000_000
_COUNTS = ("objects", "failures", "bytes", "connections")
_TIMES = ("first_byte", "screen", "total")
_FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--hide-scrollbars",
    "--no-first-run",
    "--remote-debugging-pipe",
)


class WebBrowse(Probe):
    """Loads a page in Chromium without a screen (``image: browser``), with an empty cache; ends when it is complete.

    Series: ``arrived`` (objects that are complete, with the page itself). Values, of the last load: ``objects`` (that
    came), ``failures`` (objects that did not come, or are not what the page needs), ``bytes`` (of their bodies),
    ``connections``, ``first_byte_s``, ``screen_s`` (until the page and all pictures on the first screen are complete),
    ``total_s`` (until all objects are), ``sha256`` (of all objects and their paths; ``web-site`` computes the same of
    what it serves); with ``scroll``, ``scrolled_s`` (when it was) and ``scrolled_screen_s`` (until the pictures on the
    screen that it led to are complete). Times are from the request. A page that does not come ends the run, with the
    reason.
    """

    about = "load a page in a real browser: first byte, pictures on the screen, all; connections, SHA-256 of what came"
    acts = True
    programs: ClassVar[dict[str, str]] = _web.programs("browse")
    yields = (Transfer, Page)
    params: ClassVar[dict[str, Param]] = {
        "url": Param("str", "the page", required=True),
        "loads": Param("int", "how often it is loaded, one after the other", default=1, least=1, most=1000),
        "width": Param("int", "of the screen, in pixels", default=800, least=100, most=10_000),
        "height": Param("int", "of the screen, in pixels", default=600, least=100, most=10_000),
        "settle": Param(
            "duration",
            "time from the browser's start to the request, in which other programs can attach",
            default=0,
        ),
        "scroll": Param("duration", "scroll that long after the page was asked for; default: never"),
        "screens": Param("int", "how far to scroll, in screens", default=1, least=1, most=1000),
        "timeout": Param("duration", "give up after this time", default=60 * _SECOND, least=_MILLISECOND),
        "devtools": Param(
            "int", "port on which other programs of this node can watch the browser; default: none", least=1, most=65535
        ),
    }

    def check(self, params: dict[str, Any]) -> None:
        super().check(params)
        if not params["url"].startswith(("http://", "https://")):
            raise ParameterError("url", f'"{params["url"]}" is not valid; it begins with http:// or https://')

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        command = ["chromium-headless-shell", *_FLAGS]
        if params["devtools"] is not None:
            command.append(f"--remote-debugging-port={params['devtools']}")
        settings = {key: params[key] for key in ("url", "loads", "width", "height", "screens")}
        settings |= {"settle_ns": params["settle"]}
        settings |= {"command": command, "scroll_ns": params["scroll"], "timeout_ns": params["timeout"]}
        return ["python3", program_path(_web.file("browse")), json.dumps(settings)]

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``: a line for each object, and one for each load."""
        parsed = Parsed()
        ends: list[int] = []
        for _, line in _lines(raw):
            if "path" in line:
                if "bad" not in line:
                    ends.append(_ns(line["end_ns"]))
                continue
            page = _page(line)
            began_ns = _time_ns(line["t_ns"]) - raw.epoch_ns
            for count, end_ns in enumerate(sorted(ends), 1):
                parsed.add("arrived", "objects", began_ns + end_ns, count)
            ends.clear()
            parsed.values = {key: line[key].integer() for key in _COUNTS}
            parsed.values |= {f"{key}_s": getattr(page, f"{key}_ns") / _SECOND for key in _TIMES}
            parsed.values["sha256"] = line["sha256"].text()
            if page.scrolled_screen_ns is not None:
                parsed.values["scrolled_s"] = _ns(line["scrolled_ns"]) / _SECOND
                parsed.values["scrolled_screen_s"] = page.scrolled_screen_ns / _SECOND
        return parsed

    def found(self, raw: Raw, parsed: Parsed) -> Iterator[Transfer | Page]:
        """Yield each page, and one transfer of all."""
        pages = [_page(line) for _, line in _lines(raw) if "path" not in line] if parsed.values else []
        yield from pages
        complete = len(pages) == raw.params.get("loads", 1) and not any(page.failures for page in pages)
        total_ns = sum(page.total_ns for page in pages)
        yield Transfer(raw.id, sum(page.bytes for page in pages), total_ns, complete=complete)


def _lines(raw: Raw) -> Iterator[tuple[int, Json]]:
    for number, document in documents(raw):
        yield number, Json(document, f"{raw.id}.out:{number}")


def _ns(value: Json) -> int:
    found = value.integer()
    if found < 0:
        raise ProbeOutputError(f"{value.where}: must not be negative")
    return found


def _time_ns(value: Json) -> int:
    stamp = value.text()
    if not (stamp.isascii() and stamp.isdigit() and len(stamp) < 20):
        raise ProbeOutputError(f"{value.where}: {stamp!r} is not a time")
    return int(stamp)


def _page(line: Json) -> Page:
    times = {f"{key}_ns": _ns(line[f"{key}_ns"]) for key in _TIMES}
    after = _ns(line["scrolled_screen_ns"]) if "scrolled_screen_ns" in line else None
    return Page(failures=line["failures"].integer(), bytes=_ns(line["bytes"]), **times, scrolled_screen_ns=after)
