# SPDX-License-Identifier: MIT
"""A real browser and a real server: what comes is what was served, and a failure says what it is."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

import pytest

from lab import runs
from lab.cache.report import SilentReport
from lab.checkout import CHECKOUT
from lab.plan.load import load
from lab.probes import base as probes
from lab.probes.base import Target
from lab.record import Record
from tests import stored

pytestmark = pytest.mark.guest
WORKLOAD_FOLDER = CHECKOUT / "workloads" / "web"
PLACE = """\
name: place
nodes:
  h1: {kind: host, roles: [server]}
  h2: {kind: host, roles: [client], image: browser}
  s1: {kind: switch}
links:
  - {between: [h1, s1], rate: 400 kbit/s, delay: 50 ms}
  - {between: [s1, h2]}
"""
WORKLOAD = """\
name: whole
roles: {server: 1, client: 1}
duration: 100 s
files:
  configuration: {on: server, path: /etc/lighttpd/lab.conf, from: lighttpd.conf}
  failures-script: {on: client, path: /srv/failures, from: failures}
  without-script: {on: server, path: /srv/failures, from: failures}
processes:
  - {on: server, run: {probe: web-site, order: mixed}, as: site, ready: {listening: tcp/80}}
  - on: client
    at: 1 s
    run: {probe: web-browse, url: "http://{server.ip}/", scroll: 800 ms, screens: 2}
    as: browse
  - {on: client, at: 10 s, run: [bash, /srv/failures], as: failures}
  - {on: server, at: 10 s, run: [bash, /srv/failures], as: without}
  - {on: server, at: 60 s, run: [rm, /srv/www/3.png], as: missing}
  - {on: server, at: 60 s, run: [cp, /etc/passwd, /srv/www/5.png], as: spoilt}
  - {on: client, at: 61 s, run: {probe: web-browse, url: "http://{server.ip}/"}, as: part}
metrics:
  page-first-byte: {of: browse, unit: ms}
  page-screen: {of: browse, unit: ms}
  page-total: {of: browse, unit: ms}
checks:
  - {that: browse.sha256 == site.sha256}
  - {that: browse.objects == site.objects}
  - {that: browse.bytes == site.bytes}
  - {that: browse.failures == 0}
"""
FAILURES = (
    ({"url": "http://10.0.0.1:81/"}, "no web server listens on 10.0.0.1"),
    ({"url": "http://10.0.0.9/"}, "10.0.0.9 cannot be reached"),
    (
        {"timeout": 1_200_000_000},
        "the page was not complete within 1.2 s: [0-9] of the 13 objects that the browser asked for had come",
    ),
)


def script() -> str:
    """Return a program that runs the probe's command for each failure, and prints what it says and its status."""
    probe, lines = probes.load("web-browse"), []
    for own, _ in FAILURES:
        params = probe.defaults({"url": "http://10.0.0.1/"} | own)
        lines.append(shlex.join(probe.argv(Target("h2", "h2-eth0", None, None), params, "")))
    return "".join(f'said=$({line} 2>&1); echo "$? $(grep "^load" <<<"$said")"\n' for line in lines)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory, machine: runs.Machine) -> Record:
    folder = tmp_path_factory.mktemp("web")
    (folder / "t.yaml").write_text(PLACE)
    (folder / "lighttpd.conf").write_text((WORKLOAD_FOLDER / "lighttpd.conf").read_text())
    (folder / "failures").write_text(script())
    (folder / "w.yaml").write_text(WORKLOAD)
    plan = load(str(folder / "t.yaml"), str(folder / "w.yaml"), 1)
    (folder / "run").mkdir()
    return stored.run_plan(plan, runs.with_images(machine, plan, SilentReport()), folder / "run")


def said(record: Record, process: str) -> list[str]:
    return (record.directory / "raw" / f"{process}.out").read_text().splitlines()


def objects(record: Record, process: str) -> dict[str, dict[str, Any]]:
    """Return what the browser said of each object, by its path."""
    lines = [json.loads(line) for line in said(record, process)]
    return {line["path"]: line for line in lines if "path" in line}


def test_a_page_comes_as_it_was_served_and_not_faster_than_the_line(ran: Record) -> None:
    assert ran.passed, ran.data["checks"]
    names = ("page-first-byte", "page-screen", "page-total")
    times = {name: ran.metrics[name].values["median"] or 0.0 for name in names}
    assert 300 <= times["page-first-byte"] < 400  # ms: three round trips of 100 ms, for ARP, TCP and HTTP
    assert times["page-first-byte"] < times["page-screen"] <= times["page-total"]
    assert 200 + 61_440 * 8 / 400 < times["page-total"] < 3000


def test_the_browser_knows_what_is_on_the_screen_before_and_after_it_scrolls(ran: Record) -> None:
    found = objects(ran, "browse")
    first = {path for path, one in found.items() if one["first_screen"]}
    last = {path for path, one in found.items() if one["last_screen"]}
    assert first == {"/", "/3.png", "/6.png", "/9.png", "/12.png"}
    assert last == {"/", "/7.png", "/8.png", "/10.png", "/11.png"}
    page = json.loads(said(ran, "browse")[-1])
    assert 800e6 <= page["scrolled_ns"] < 900e6
    assert page["screen_ns"] == max(found[path]["end_ns"] for path in first)
    assert page["scrolled_screen_ns"] == max(found[path]["end_ns"] for path in last)


def test_an_object_that_is_missing_or_not_a_picture_is_a_failure(ran: Record) -> None:
    bad = {path: one["bad"] for path, one in objects(ran, "part").items() if "bad" in one}
    assert bad == {"/3.png": "status 404", "/5.png": "the picture cannot be shown"}
    page = json.loads(said(ran, "part")[-1])
    assert (page["objects"], page["failures"]) == (11, 2)
    assert page["sha256"] != json.loads(said(ran, "site")[0])["sha256"]


@pytest.mark.parametrize("number", range(len(FAILURES)))
def test_a_failure_says_what_it_is(ran: Record, number: int) -> None:
    assert re.fullmatch(f"1 load 1: {FAILURES[number][1]}", said(ran, "failures")[number])


def test_a_node_without_the_image(ran: Record) -> None:
    expected = "1 load 1: this node has no chromium-headless-shell; write image: browser for it"
    assert said(ran, "without")[0] == expected
