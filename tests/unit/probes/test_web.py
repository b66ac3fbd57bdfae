# SPDX-License-Identifier: MIT
"""The probes web-site and web-browse, their programs, and the metrics of pages, on the output of Chromium."""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.errors import ParameterError
from lab.metrics import base as metrics
from lab.metrics.base import Context, Source
from lab.probes import _web_browse_program as browse
from lab.probes import _web_site_program as site
from lab.probes.base import Parsed, ProbeOutputError, Raw, Target, Transfer, load
from lab.shared import types

Pasted = Callable[..., Parsed]
Typed = Callable[..., Parsed]
FIXTURES = Path(__file__).parents[2] / "fixtures"
TARGET = Target("h1", "h1-eth0", None, None, seed=7)
SETTINGS = {"html": 12 << 10, "objects": 12, "object": 4 << 10, "on_screen": 4, "order": "top", "seed": 1}
ASKED = {"url": "http://10.0.0.1/"}


def test_the_command_of_the_server() -> None:
    probe = load("web-site")
    argv = probe.argv(TARGET, probe.defaults({"objects": 3, "on_screen": 1}), "")
    assert argv[-4:] == ["lighttpd", "-D", "-f", "/etc/lighttpd/lab.conf"]
    settings = json.loads(argv[2])
    assert settings == SETTINGS | {"objects": 3, "on_screen": 1, "seed": 7, "folder": "/srv/www"}


def test_the_command_of_the_browser() -> None:
    probe = load("web-browse")
    settings = json.loads(probe.argv(TARGET, probe.defaults(ASKED), "")[-1])
    assert settings["command"][0] == "chromium-headless-shell" and settings["command"][-1] == "--remote-debugging-pipe"
    assert (settings["scroll_ns"], settings["timeout_ns"], settings["loads"]) == (None, 60_000_000_000, 1)
    own = ASKED | {"devtools": 9222, "scroll": 5, "screens": 2, "loads": 3}
    settings = json.loads(probe.argv(TARGET, probe.defaults(own), "")[-1])
    assert settings["command"][-1] == "--remote-debugging-port=9222"
    assert (settings["scroll_ns"], settings["screens"], settings["loads"]) == (5, 2, 3)


@pytest.mark.parametrize(
    ("probe", "own", "message"),
    [
        ("web-site", {"order": "bottom"}, 'order: "bottom" is not valid; write top or mixed'),
        ("web-site", {"objects": 3}, "on_screen: must be at most objects, which is 3"),
        ("web-site", {"object": 255}, "object: must be at least 256 B"),
        ("web-browse", {"url": "10.0.0.1"}, 'url: "10.0.0.1" is not valid; it begins with http:// or https://'),
        ("web-browse", ASKED | {"loads": 0}, "loads: must be at least 1"),
    ],
)
def test_keys_that_are_not_valid(probe: str, own: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError) as raised:
        load(probe).check(load(probe).defaults(own))
    assert str(raised.value) == message


def test_two_loads_with_a_scroll(pasted: Pasted) -> None:
    parsed = pasted("web-browse", "twice", epoch_ns=1_767_225_600_000_000_000)
    arrived = parsed.series_of("arrived")
    assert arrived.values == [*range(1, 14)] * 2 and arrived.t_ns == sorted(arrived.t_ns)
    assert arrived.t_ns[0] == 3_005_539_328 + 579_110_000
    expected = {"objects": 13, "failures": 0, "bytes": 61_440, "connections": 6, "first_byte_s": 0.250178}
    expected |= {"screen_s": 1.320771, "total_s": 1.686001}
    assert {key: parsed.values[key] for key in expected} == expected
    assert 1 <= parsed.values["scrolled_s"] < 1.1 < parsed.values["scrolled_screen_s"] < 1.5
    assert parsed.values["sha256"] == pasted("web-site", "mixed").values["sha256"]
    for asked, complete in ((2, True), (3, False)):
        found = list(load("web-browse").found(Raw(FIXTURES / "web-browse", "twice", params={"loads": asked}), parsed))
        (transfer,) = (one for one in found if isinstance(one, Transfer))
        assert (transfer.bytes, transfer.duration_ns, transfer.complete) == (
            *(2 * 61_440, 1_780_126_000 + 1_686_001_000, complete),
        )


def test_a_load_with_a_failure_is_not_complete(pasted: Pasted) -> None:
    parsed = pasted("web-browse", "part")
    assert (parsed.values["failures"], len(parsed.series_of("arrived").values)) == (1, 12)
    (transfer,) = (
        one
        for one in load("web-browse").found(Raw(FIXTURES / "web-browse", "part"), parsed)
        if isinstance(one, Transfer)
    )
    assert not transfer.complete


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("page-first-byte", [347_262_000, 250_178_000]),
        ("page-screen", [1_416_455_000, 1_320_771_000]),
        ("page-total", [1_780_126_000, 1_686_001_000]),
    ],
)
def test_metrics_of_two_loads(pasted: Pasted, name: str, values: list[int]) -> None:
    raw = Raw(FIXTURES / "web-browse", "twice")
    node = cast(types.Node, SimpleNamespace(name="h7"))
    source = Source("browse", node, "web-browse", {}, pasted("web-browse", "twice"), raw, 0)
    context = cast(Context, SimpleNamespace(sources={"browse": source}))
    found = metrics.METRICS.made(name).compute(cast(Any, SimpleNamespace(of=("browse",), per="load")), context)
    assert found.values == values
    rows = [{"process": "browse", "load": number, "time": value} for number, value in enumerate(values, 1)]
    assert found.rows == rows


PAGE = {"t_ns": "1", "objects": 1, "failures": 0, "bytes": 1, "connections": 1, "first_byte_ns": 1, "screen_ns": 2}
PAGE |= {"total_ns": 3, "sha256": "a"}


@pytest.mark.parametrize(
    ("probe", "line", "message"),
    [
        ("web-browse", PAGE | {"t_ns": "-1"}, "'-1' is not a time"),
        ("web-browse", PAGE | {"t_ns": "\u0663"}, "is not a time"),
        ("web-browse", PAGE | {"screen_ns": -2}, "must not be negative"),
        ("web-browse", PAGE | {"scrolled_screen_ns": 1}, "'scrolled_ns' is missing"),
        ("web-browse", {"path": "/"}, "'end_ns' is missing"),
        ("web-site", {"objects": 1, "bytes": "2", "sha256": ""}, "must be a number"),
    ],
)
def test_other_output_is_refused(typed: Typed, probe: str, line: dict[str, Any], message: str) -> None:
    with pytest.raises(ProbeOutputError, match=message):
        typed(probe, out=json.dumps(line))


def test_a_site_says_one_line(typed: Typed) -> None:
    line = json.dumps({"objects": 1, "bytes": 2, "sha256": ""})
    assert typed("web-site", out=line).values["bytes"] == 2
    with pytest.raises(ProbeOutputError, match="only one line"):
        typed("web-site", out=line + line)
    assert typed("web-browse", out=json.dumps(PAGE)).values["total_s"] == 3e-9


def chunks(picture: bytes) -> dict[bytes, bytes]:
    """Return the chunks of a PNG, by kind; each has the right checksum."""
    found, at = {}, 8
    while at < len(picture):
        length = int.from_bytes(picture[at : at + 4], "big")
        kind = picture[at + 4 : at + 8]
        found[kind] = picture[at + 8 : at + 8 + length]
        assert zlib.crc32(picture[at + 4 : at + 8 + length]) == int.from_bytes(picture[at + 8 + length :][:4], "big")
        at += 12 + length
    return found


@given(st.integers(256, 200_000))
def test_a_picture_has_exactly_its_bytes(size: int) -> None:
    picture = site.picture(size, random.Random(1))
    found = chunks(picture)
    assert len(picture) == size and [*found] == [b"IHDR", b"IDAT", b"tEXt", b"IEND"]
    rows = int.from_bytes(found[b"IHDR"][4:8], "big")
    assert rows > 0 and len(zlib.decompress(found[b"IDAT"])) == rows * (site.WIDTH + 1)


@given(st.integers(0, 60), st.integers(0, 60), st.sampled_from(["top", "mixed"]))
def test_each_object_has_a_place_and_those_on_the_screen_come_from_its_top(objects: int, some: int, order: str) -> None:
    on_screen = min(objects, some)
    found = site.places(objects, on_screen, order)
    assert sorted(found) == list(range(objects))
    if order == "top":
        assert found == sorted(found)
    elif on_screen:
        at = [number for number, place in enumerate(found) if place < on_screen]
        gaps = [b - a for a, b in zip([-1, *at], at, strict=False)]
        assert max(gaps) - min(gaps) <= 1  # spread evenly


@given(st.integers(0, 40), st.integers(0, 40), st.integers(1 << 10, 30_000), st.sampled_from(["top", "mixed"]))
def test_a_page_has_its_bytes_if_there_is_room_for_its_pictures(objects: int, some: int, size: int, order: str) -> None:
    own = {"objects": objects, "on_screen": min(some, objects), "html": size, "order": order, "object": 256}
    files = site.site(SETTINGS | own)
    page = files["/"].decode()
    assert len(files) == objects + 1 and page.count("<img ") == objects
    assert len(page) == size or (len(page) > size and "<p></p>" in page)
    assert all(f'src="{path[1:]}"' in page for path in files if path != "/")


def test_files_are_of_the_seed() -> None:
    assert site.site(SETTINGS) == site.site(SETTINGS) != site.site(SETTINGS | {"seed": 2})


def test_the_program_makes_files_and_becomes_the_server(tmp_path: Path) -> None:
    folder = tmp_path / "www"
    words = [sys.executable, site.__file__, json.dumps(SETTINGS | {"folder": str(folder)})]
    done = subprocess.run([*words, "ls", str(folder)], capture_output=True, text=True, check=True)
    said, *names = done.stdout.splitlines()
    assert json.loads(said) == {"objects": 13, "bytes": 61_440, "sha256": site.digest(site.site(SETTINGS))}
    assert sorted(names) == sorted(["index.html", *(f"{number}.png" for number in range(1, 13))])
    done = subprocess.run([*words, "no-server"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "no-server: No such file or directory\n")


def test_the_hash_of_both_ends_is_the_same() -> None:
    loaded = browse.Load("http://h/")
    files = {"/": b"a", "/x.png": b"b"}
    for number, (path, content) in enumerate(files.items()):
        digest = hashlib.sha256(content).hexdigest()
        loaded.objects[str(number)] = {"path": path, "sha256": digest, "content": 1, "end_ns": number} | {
            **{"first_screen": not number, "connection": 5, "first_ns": 7}
        }
    said = browse.summary(loaded, 3)
    assert said["sha256"] == site.digest(files)
    expected = {"objects": 2, "failures": 0, "connections": 1, "first_byte_ns": 7, "screen_ns": 0, "total_ns": 1}
    assert {key: said[key] for key in expected} == expected


@pytest.mark.parametrize(
    ("top", "bottom", "screen", "is_there"),
    [
        (None, None, 3, True),  # the page itself
        (0.0, 0.5, 0, True),
        (1.0, 1.5, 0, False),
        (0.95, 1.95, 0, False),  # 5 % of it
        (0.88, 1.88, 0, True),
        (0.88, 1.88, 1, True),
        (-1.0, 4.0, 1, True),  # larger than the screen
    ],
)
def test_what_is_on_a_screen(top: float | None, bottom: float | None, screen: int, is_there: bool) -> None:
    assert browse.on_screen(top, bottom, screen) == is_there


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("net::ERR_CONNECTION_REFUSED", "no web server listens on h"),
        ("net::ERR_EMPTY_RESPONSE", "h has ended the connection"),
        ("net::ERR_UNSAFE_PORT", "net::ERR_UNSAFE_PORT"),
    ],
)
def test_what_a_failure_means(said: str, plain: str) -> None:
    assert browse.meaning(said, "http://h:80/") == plain


BROWSER = """#!/usr/bin/env python3
import json, os
unread = b""
while True:
    got = os.read(3, 65536)
    if not got:
        break
    unread += got
    *whole, unread = unread.split(b"\\0")
    for one in map(json.loads, whole):
        answer = ANSWERS.get(one["method"], {})
        if answer is None:
            os._exit(0)
        for event in EVENTS.get(one["method"], []):
            os.write(4, json.dumps(event).encode() + b"\\0")
        answer = answer if "error" in answer else {"result": answer}
        os.write(4, json.dumps({"id": one["id"], **answer}).encode() + b"\\0")
"""
ATTACH = {
    "Target.getTargets": {"targetInfos": [{"type": "page", "targetId": "t"}]},
    "Target.attachToTarget": {"sessionId": "s"},
}


def pretend(
    tmp_path: Path, answers: dict[str, Any], events: dict[str, Any], **own: Any
) -> subprocess.CompletedProcess[str]:
    """Run the program with a browser that gives fixed answers."""
    path = tmp_path / "browser"
    path.write_text(BROWSER.replace("ANSWERS", repr(ATTACH | answers)).replace("EVENTS", repr(events)))
    path.chmod(0o755)
    settings = {
        "command": [str(path)],
        "loads": 1,
        "url": "http://10.0.0.1/",
        "width": 800,
        "height": 600,
        "screens": 1,
    }
    settings |= {"settle_ns": 0, "scroll_ns": None, "timeout_ns": 10_000_000_000, **own}
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    argv = [sys.executable, browse.__file__, json.dumps(settings)]
    return subprocess.run(argv, capture_output=True, text=True, check=False, env=environment)


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"Page.navigate": None}, "the browser has ended"),
        ({"Page.enable": {"error": {"message": "no such domain"}}}, "the browser refuses Page.enable: no such domain"),
        ({"Page.navigate": {"errorText": "net::ERR_CONNECTION_RESET"}}, "10.0.0.1 has ended the connection"),
    ],
)
def test_a_browser_that_fails(tmp_path: Path, answers: dict[str, Any], message: str) -> None:
    done = pretend(tmp_path, answers, {})
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"load 1: {message}\n"
    assert not list(tmp_path.glob("browse-*")), "its profile is still there"


def test_a_page_that_never_comes_is_given_up(tmp_path: Path) -> None:
    done = pretend(tmp_path, {}, {}, timeout_ns=1_000_000)
    said = "the page was not complete within 0.001 s: 0 of the 0 objects that the browser asked for had come"
    assert done.stderr == f"load 1: {said}\n"
