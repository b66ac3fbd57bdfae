# SPDX-License-Identifier: MIT
"""A plan on a terminal."""

from rich.console import Console

from lab.plan.load import load
from lab.plan.show import render
from lab.plan.types import Plan

from .conftest import TOPOLOGY, WORKLOAD, Plans


def shown(plan: Plan) -> str:
    console = Console(width=160, color_system=None)
    with console.capture() as capture:
        console.print(render(plan))
    return capture.get()


def test_everything_is_told_in_units() -> None:
    text = shown(load("two-aps-handoff", "http/download", 3, ["duration=25 s"]))
    for words in (
        "http-download on two-aps-handoff: 25 s, seed 3",
        "--set duration=25 s",
        "campus, 802.11g, channel 6, open, 02:00:00:00:04:00",
        "h1-eth0 to s1-eth1   25 Mbit/s, delay 5 ms",
        "64 MiB random, SHA-256",
        "lighttpd -D -f /etc/lighttpd/lab.conf",
        "10 s  roam   sta1    to ap2",
        "outage.max < 500 ms",
    ):
        assert words in text


def test_every_kind_of_event_is_told(plans: Plans) -> None:
    events = (
        "at: 1 s, move: ap1, to: [1 m, 2 m, 3 m]",
        "at: 2 s, link: h1-s1, to: down",
        "at: 3 s, netem: h1-s1, loss: 5%, jitter: 1 ms, reorder: 1%, limit: 5 packets",
        "at: 4 s, exec: h1, run: [echo, 'a b']",
        "at: 5 s, stop: nap",
    )
    timeline = "timeline:\n" + "".join(f"  - {{{event}}}\n" for event in events)
    processes = "processes:\n  - {on: client, run: [nap], ready: {log: up}, stop: 9 s}\n"
    text = shown(plans(TOPOLOGY, WORKLOAD + processes + timeline))
    for words in ("to (1, 2, 3) m", "down", "delay 5 ms ± 1 ms, loss 5%, reorder 1%, limit 5 packets", "echo 'a b'"):
        assert words in text
    assert "nap@sta2" in text and "log: up" in text


def test_markup_in_a_file_is_text(plans: Plans) -> None:
    assert "[red]x[/]" in shown(plans(workload=WORKLOAD + 'about: "[red]x[/]"\n'))
