# SPDX-License-Identifier: MIT
"""A plan on a terminal."""

from rich.console import Console

from lab.plan.load import load
from lab.shared.types import Plan
from lab.show.plan import render

from .conftest import TOPOLOGY, WORKLOAD, Plans


def shown(plan: Plan, width: int = 160) -> str:
    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        console.print(render(plan))
    return capture.get()


def test_words_are_not_broken_on_40_columns() -> None:
    plan = load("two-aps-handoff", "http/download")
    whole = set(shown(plan, 400).split())
    for width in (40, 60, 80):
        text = shown(plan, width)
        assert max(map(len, text.splitlines())) <= width
        assert [word for word in text.split() if word not in whole] == []


def test_everything_is_shown_in_units() -> None:
    text = shown(load("two-aps-handoff", "http/download", 3, ["duration=25 s"]))
    for words in (
        "http-download on two-aps-handoff: 25 s, seed 3",
        "--set duration=25 s",
        "ap2-wlan1: campus, 802.11g, channel 6, open, 02:00:01:00:04:00",
        "h1-eth0 to s1-eth1   100 Mbit/s, delay 5 ms",
        "64 MiB random, SHA-256",
        "lighttpd -D -f /etc/lighttpd/lab.conf",
        "1 s   move   sta1    to (42, 0, 1) m at 3 m/s",
        "outage.max < 500 ms",
    ):
        assert words in text


def test_every_kind_of_event_is_shown(plans: Plans) -> None:
    events = (
        "at: 1 s, move: ap1, to: [1 m, 2 m, 3 m]",
        "at: 2 s, link: h1-s1, to: down",
        "at: 3 s, netem: h1-s1, loss: 5%, jitter: 1 ms, reorder: 1%, limit: 5 packets",
        "at: 4 s, exec: h1, run: [echo, 'a b']",
        "at: 5 s, stop: nap",
        "at: 6 s, power: ap2, to: off",
        "at: 7 s, disconnect: sta1",
    )
    timeline = "timeline:\n" + "".join(f"  - {{{event}}}\n" for event in events)
    processes = "processes:\n  - {on: client, run: [nap], ready: {log: up}, stop: 9 s}\n"
    text = shown(plans(TOPOLOGY, WORKLOAD + processes + timeline))
    for words in ("to (1, 2, 3) m", "down", "delay 5 ms ± 1 ms, loss 5%, reorder 1%, limit 5 packets", "echo 'a b'"):
        assert words in text
    assert "6 s  power       ap2       off" in text and "7 s  disconnect  sta1" in text
    assert "nap@sta2" in text and "log: up" in text


def test_sysctls_are_shown_once_for_all_nodes_that_have_them(plans: Plans) -> None:
    nodes = "nodes:\n  h: {kind: host, count: 2, sysctls: {net.ipv4.tcp_sack: 0, net.ipv4.tcp_rmem: 1 2 3}}\n"
    text = shown(plans(f"name: t\n{nodes}", "name: w\nduration: 1 s\n"))
    assert "h1, h2  net.ipv4.tcp_sack  0" in text and "h1, h2  net.ipv4.tcp_rmem  1 2 3" in text
    assert "sysctl" not in shown(plans())


MEDIUM = """\
medium:
  propagation: {model: logDistance, exp: 3}
  fading: {model: rician, k: 6 dB, coherence: 10 ms}
  walls: [{from: [10 m, -5 m], to: [10 m, 5 m], loss: 8 dB}]
  snr: [{between: [ap1, ap2], is: 12.3 dB}, {from: ap1, to: sta1, is: -5 dB}]
  capture: 10 dB
"""


def test_a_medium_is_shown(plans: Plans) -> None:
    text = shown(plans(TOPOLOGY + MEDIUM))
    for words in (
        "errors            nist, bit by bit",
        "propagation       logDistance, exp 3, sL 1",
        "wall              (10, -5) m to (10, 5) m, 8 dB",
        "fading            rician, k_db 6, each level for 10 ms",
        "noise             -93.99 dBm in 20 MHz",
        "energy detection  -62 dBm",
        "capture           from 10 dB",
        "attempts          set by rate control",
        "from / to  ap1   ap2   sta1  sta2",
        "ap1              12.3  -5.0  40.0",
        "sta1       40.0  40.0        40.0",
    ):
        assert words in text
    assert "moves" not in text


def test_a_way_is_shown(plans: Plans) -> None:
    placed = TOPOLOGY.replace("roles: [client]}", "roles: [client], position: [5 m, 0 m, 0 m]}")
    timeline = "timeline:\n  - {at: 5 s, move: sta1, to: [20 m, 0 m, 0 m], speed: 1.5 m/s}\n"
    text = shown(plans(placed + "medium: {step: 500 ms, bursts: true, retries: 7}\n" + timeline))
    assert "20 updates from 5.5 s to 15 s, every 500 ms during a move" in text
    assert "to (20, 0, 0) m at 1.5 m/s" in text
    assert "nist, in bursts" in text and "attempts          7" in text


def test_what_a_radio_has_beyond_the_usual_is_shown(plans: Plans) -> None:
    keys = "wmm: true, rate: 54 Mbit/s, rts_threshold: 500 B"
    text = shown(plans(TOPOLOGY.replace("ssid: campus}", f"ssid: campus, {keys}}}", 1) + MEDIUM))
    assert "campus, 802.11g, channel 1, WMM, at 54 Mbit/s, RTS above 500 B, open" in " ".join(text.split())


def test_how_a_radio_answers_and_queues_is_shown(plans: Plans) -> None:
    keys = "encrypt: open, answer_delay: 37 us, drop_tail: 126, approximate: true, approximate_retries: true"
    text = shown(plans(TOPOLOGY.replace("ssid: campus}", f"ssid: campus, {keys}}}", 1) + MEDIUM))
    words = "ACKs 37 us late, takes damaged frames, repeats approximate frames, drop-tail queue of 126, open"
    assert words in " ".join(text.split())


def test_levels_of_many_radios_are_shown_by_their_extremes(plans: Plans) -> None:
    stations = "".join(f"  x{number}: {{kind: sta}}\n" for number in range(9))
    text = shown(plans(TOPOLOGY.replace("links:", f"{stations}links:") + MEDIUM))
    assert "transmitter  best receiver  SNR   worst receiver  SNR" in text
    assert "ap1          sta2           40.0  sta1            -5.0" in text


def test_markup_in_a_file_is_text(plans: Plans) -> None:
    assert "[red]x[/]" in shown(plans(workload=WORKLOAD + 'about: "[red]x[/]"\n'))


def test_ways_are_shown_a_line_each(plans: Plans) -> None:
    point = "path: [{at: 0 s, position: [0 m, 0 m, 1 m]}, {at: 10 s, position: [30 m, 40 m, 1 m]}]"
    entry = f"mobility: [{{model: Waypoints, nodes: [sta1, sta2], {point}}}]\nmedium: {{}}\n"
    lines = shown(plans(TOPOLOGY + entry, WORKLOAD)).splitlines()
    begin = lines.index(next(line for line in lines if line.strip() == "mobility"))
    assert [" ".join(line.split()) for line in lines[begin + 1 : begin + 4]] == [
        "node model from to way",
        "sta1 Waypoints (0, 0, 1) m (30, 40, 1) m 50 m, 1 leg, until 10 s",
        "sta2 Waypoints (0, 0, 1) m (30, 40, 1) m 50 m, 1 leg, until 10 s",
    ]


def test_what_is_read_and_collected_is_shown(plans: Plans) -> None:
    process = "{on: server, run: [cli], prints: {json: true, match: 'a(?P<b>.)', units: {b: ms}}, collect: /root/x}"
    text = shown(plans(TOPOLOGY, f"{WORKLOAD}processes:\n  - {process}\n"))
    assert "cli      JSON or a(?P<b>.)   b: ms" in text
    assert "h1    /root/x  64 MiB" in text
    assert "collected files" not in shown(plans()) and "printed values" not in shown(plans())
