# SPDX-License-Identifier: MIT
"""Load a page in a browser without a screen, by its DevTools protocol. Runs with the guest's Python.

    web-browse.py SETTINGS    a JSON object, see the probe web-browse

Each load has a browser of its own, with an empty cache. Prints a line of JSON for each object of a page, and then one
for the page; what the browser itself prints goes to stderr. Times are in ns, from the browser's request of the page.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import select
import shutil
import signal
import sys
import tempfile
import time
from typing import Any
from urllib.parse import urlsplit

Message = dict[str, Any]
OURS, ITS = 3, 4  # the numbers of the two pipes in the browser: it reads the first and writes the second
READ = 1 << 16  # bytes at a time
KEPT = 1 << 28  # bytes of bodies that the browser keeps to be verified
PART = 0.1  # of a picture is on a screen, or it does not count as being there
SECOND = 1_000_000_000
# where pictures are, in screens from the top of the page
PICTURES = """\
JSON.stringify(Array.from(document.images, image => {
  const place = image.getBoundingClientRect();
  return [image.currentSrc, (place.top + scrollY) / innerHeight, (place.bottom + scrollY) / innerHeight,
          image.complete && image.naturalWidth > 0];
}))"""
SCROLL = "scrollTo(0, innerHeight * {screens})"
# what the browser's words mean here, in the order in which they are looked for; {server}: of the URL
MEANINGS = {
    "ERR_CONNECTION_REFUSED": "no web server listens on {server}",
    "ERR_ADDRESS_UNREACHABLE": "{server} cannot be reached",
    "ERR_NETWORK_CHANGED": "{server} cannot be reached",
    "ERR_INTERNET_DISCONNECTED": "{server} cannot be reached",
    "ERR_CONNECTION_TIMED_OUT": "{server} does not answer",
    "ERR_NAME_NOT_RESOLVED": "{server} is not a known name",
    "ERR_CONNECTION_RESET": "{server} has ended the connection",
    "ERR_EMPTY_RESPONSE": "{server} has ended the connection",
    "ERR_CONNECTION_CLOSED": "{server} has ended the connection",
}


class NotLoaded(Exception):
    """The page could not be loaded."""


def meaning(said: str, url: str) -> str:
    """Return what went wrong in plain words; the browser's own if it is none of those known."""
    for words, plain in MEANINGS.items():
        if words in said:
            return plain.format(server=urlsplit(url).hostname)
    return said


class Browser:
    """A browser that has just been started, with an empty profile, and the page that it shows."""

    def __init__(self, settings: Message) -> None:
        self.profile = tempfile.mkdtemp(prefix="browse-")
        self._number, self._unread = 0, b""
        self._events: list[Message] = []
        self._session: str | None = None
        given, self._write = os.pipe()
        self._read, told = os.pipe()
        words = [
            *settings["command"],
            f"--user-data-dir={self.profile}",
            f"--window-size={settings['width']},{settings['height']}",
            "about:blank",
        ]
        moves: list[tuple[Any, ...]] = []  # by 10 and 11, so that neither hides the other
        moves += [(os.POSIX_SPAWN_DUP2, given, 10), (os.POSIX_SPAWN_DUP2, told, 11)]
        moves += [(os.POSIX_SPAWN_DUP2, 10, OURS), (os.POSIX_SPAWN_DUP2, 11, ITS)]
        moves += [(os.POSIX_SPAWN_CLOSE, 10), (os.POSIX_SPAWN_CLOSE, 11), (os.POSIX_SPAWN_DUP2, 2, 1)]
        try:
            self._pid = os.posix_spawnp(words[0], words, os.environ, file_actions=moves)
        except FileNotFoundError:
            raise NotLoaded(f"this node has no {words[0]}; write image: browser for it") from None
        finally:
            os.close(given)
            os.close(told)

    def close(self) -> None:
        """End the browser, and forget what it stored."""
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._write)
        os.close(self._read)
        shutil.rmtree(self.profile, ignore_errors=True)

    def attach(self) -> None:
        """Take control of the page that it shows."""
        pages = [one for one in self.do("Target.getTargets")["targetInfos"] if one["type"] == "page"]
        self._session = self.do("Target.attachToTarget", targetId=pages[0]["targetId"], flatten=True)["sessionId"]

    def do(self, method: str, **params: Any) -> Message:
        """Ask the browser to do something, and return its answer; events that come meanwhile are kept."""
        number = self.ask(method, **params)
        while True:
            message = self._message(None)
            if message is None:
                raise NotLoaded("the browser has ended")
            if message.get("id") != number:
                self._events.append(message)
            elif "error" in message:
                raise NotLoaded(f"the browser refuses {method}: {message['error']['message']}")
            else:
                return dict(message["result"])

    def ask(self, method: str, **params: Any) -> int:
        """Ask the browser to do something, and return the number that its answer will have."""
        self._number += 1
        message: Message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        whole = json.dumps(message).encode() + b"\0"
        while whole:
            whole = whole[os.write(self._write, whole) :]
        return self._number

    def next(self, until_ns: int) -> Message | None:
        """Return the next message; None: none has come until then."""
        return self._events.pop(0) if self._events else self._message(until_ns)

    def _message(self, until_ns: int | None) -> Message | None:
        while b"\0" not in self._unread:
            left_s = None if until_ns is None else max(0, until_ns - time.monotonic_ns()) / SECOND
            if not select.select([self._read], [], [], left_s)[0]:
                return None
            got = os.read(self._read, READ)
            if not got:
                raise NotLoaded("the browser has ended")
            self._unread += got
        whole, _, self._unread = self._unread.partition(b"\0")
        return dict(json.loads(whole))


class Load:
    """One load of a page: what the browser says of its objects."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.objects: dict[str, Message] = {}  # by request
        self.began: float | None = None  # the browser's clock
        self.scrolled_ns: int | None = None
        self.shown = False  # the event load has come
        self.refused = ""  # the page itself could not be loaded

    @property
    def complete(self) -> bool:
        """Whether the page and all its objects have come, or have failed."""
        return self.shown and all("end_ns" in one for one in self.objects.values())

    def event(self, message: Message) -> None:
        """Take an event of the browser."""
        take = {
            "Network.requestWillBeSent": self._asked,
            "Network.responseReceived": self._answered,
            "Network.loadingFinished": self._finished,
            "Network.loadingFailed": self._failed,
            "Page.loadEventFired": self._loaded,
        }.get(message.get("method", ""))
        if take:
            take(message["params"])

    def _ns(self, stamp: float) -> int:
        return round((stamp - (self.began or 0)) * 1e6) * 1000  # microseconds are what it knows

    def _asked(self, params: Message) -> None:
        if self.began is None:
            self.began = params["timestamp"]
        place = urlsplit(params["request"]["url"])
        if place.scheme not in ("http", "https"):
            return
        path = place.path + (f"?{place.query}" if place.query else "")
        asked_ns = self._ns(params["timestamp"])
        self.objects[params["requestId"]] = {
            **{"path": path, "url": params["request"]["url"], "asked_ns": asked_ns, "status": 0}
        }

    def _answered(self, params: Message) -> None:
        if one := self.objects.get(params["requestId"]):
            response = params["response"]
            one["status"], one["connection"] = response["status"], response["connectionId"]
            timing = response.get("timing")
            if timing:
                one["first_ns"] = self._ns(timing["requestTime"] + timing["receiveHeadersStart"] / 1000)

    def _finished(self, params: Message) -> None:
        if one := self.objects.get(params["requestId"]):
            one["end_ns"], one["bytes"] = self._ns(params["timestamp"]), round(params["encodedDataLength"])

    def _failed(self, params: Message) -> None:
        if one := self.objects.get(params["requestId"]):
            one["end_ns"], one["failed"] = self._ns(params["timestamp"]), params["errorText"]

    def _loaded(self, params: Message) -> None:
        self.shown = True


def evaluated(browser: Browser, script: str) -> Any:
    """Return what a script of the page yields."""
    return browser.do("Runtime.evaluate", expression=script, returnByValue=True)["result"].get("value")


def watch(browser: Browser, load: Load, settings: Message) -> None:
    """Ask for the page, and take events until it is complete; scroll when it is time to."""
    began_ns = time.monotonic_ns()
    asked = browser.ask("Page.navigate", url=load.url)
    end_ns = began_ns + settings["timeout_ns"]
    scroll_ns = None if settings["scroll_ns"] is None else began_ns + settings["scroll_ns"]
    while not load.complete or scroll_ns is not None:
        message = browser.next(end_ns if scroll_ns is None else min(scroll_ns, end_ns))
        if message is not None and message.get("id") == asked and "errorText" in message["result"]:
            raise NotLoaded(meaning(message["result"]["errorText"], load.url))
        if message is not None:
            load.event(message)
        elif scroll_ns is not None and time.monotonic_ns() >= scroll_ns:
            browser.ask("Runtime.evaluate", expression=SCROLL.format(screens=settings["screens"]))
            load.scrolled_ns, scroll_ns = time.monotonic_ns() - began_ns, None
        elif time.monotonic_ns() >= end_ns:
            there = sum("end_ns" in one for one in load.objects.values())
            raise NotLoaded(
                f"the page was not complete within {settings['timeout_ns'] / SECOND:g} s: {there} of the "
                f"{len(load.objects)} objects that the browser asked for had come"
            )


def on_screen(top: float | None, bottom: float | None, screen: int) -> bool:
    """Return whether a picture is on a screen, by its edges in screens; None: it is not a picture, so it always is."""
    if top is None or bottom is None:
        return True
    return min(bottom, screen + 1) - max(top, screen) > PART * (bottom - top)


def examine(browser: Browser, load: Load, settings: Message) -> None:
    """Find out what has come, and what of it is on the screen."""
    pictures = {image[0]: image[1:] for image in json.loads(evaluated(browser, PICTURES))}
    for request, one in load.objects.items():
        top, bottom, good = pictures.get(one["url"], (None, None, True))
        one["first_screen"] = on_screen(top, bottom, 0)
        one["last_screen"] = on_screen(top, bottom, settings["screens"])
        if bad := one.get("failed") or ("" if 200 <= one["status"] < 300 else f"status {one['status']}"):
            one["bad"] = bad
        elif not good:
            one["bad"] = "the picture cannot be shown"
        if "bad" in one:
            continue
        body = browser.do("Network.getResponseBody", requestId=request)
        content = base64.b64decode(body["body"]) if body["base64Encoded"] else body["body"].encode()
        one["sha256"], one["content"] = hashlib.sha256(content).hexdigest(), len(content)


def summary(load: Load, began_ns: int) -> Message:
    """Return what there is to say of a page."""
    objects = [one for one in load.objects.values() if "bad" not in one]
    document = next(iter(load.objects.values()))
    lines = sorted(f"{one['path']} {one['sha256']}\n" for one in objects)
    found = {
        "t_ns": str(began_ns),
        "objects": len(objects),
        "failures": len(load.objects) - len(objects),
        "bytes": sum(one["content"] for one in objects),
        "connections": len({one["connection"] for one in load.objects.values() if "connection" in one}),
        "first_byte_ns": document.get("first_ns", document["end_ns"]),
        "screen_ns": max(one["end_ns"] for one in load.objects.values() if one["first_screen"]),
        "total_ns": max(one["end_ns"] for one in load.objects.values()),
        "sha256": hashlib.sha256("".join(lines).encode()).hexdigest(),
    }
    if load.scrolled_ns is not None:
        ends = [one["end_ns"] for one in load.objects.values() if one["last_screen"]]
        found |= {"scrolled_ns": load.scrolled_ns, "scrolled_screen_ns": max(ends)}
    return found


def loaded(settings: Message) -> list[Message]:
    """Load a page once, and return a line for each object and one for the page."""
    browser = Browser(settings)
    try:
        browser.attach()
        browser.do("Page.enable")
        browser.do("Network.enable", maxTotalBufferSize=KEPT, maxResourceBufferSize=KEPT)
        time.sleep(settings["settle_ns"] / SECOND)
        load = Load(settings["url"])
        began_ns = time.time_ns()
        watch(browser, load, settings)
        examine(browser, load, settings)
    finally:
        browser.close()
    keys = (
        "path",
        "asked_ns",
        "first_ns",
        "end_ns",
        "status",
        "connection",
        "first_screen",
        "last_screen",
        "bad",
        "sha256",
    )
    lines = [{key: one[key] for key in keys if key in one} for one in load.objects.values()]
    return [*lines, summary(load, began_ns)]


def main() -> int:
    settings: Message = json.loads(sys.argv[1])
    for number in range(1, settings["loads"] + 1):
        try:
            lines = loaded(settings)
        except NotLoaded as error:
            print(f"load {number}: {error}", file=sys.stderr)
            return 1
        for line in lines:
            print(json.dumps({"load": number, **line}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
