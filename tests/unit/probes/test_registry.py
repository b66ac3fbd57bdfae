# SPDX-License-Identifier: MIT
"""Probes are found by their files and keep their contract."""

from __future__ import annotations

import ast

import pytest

from lab.errors import InputError
from lab.probes.base import Probe, Target, known, load

TARGET = Target("sta1", "sta1-wlan0", "sta1-wlan0", "10.0.0.2/8")
REQUIRED = {"url": "http://10.0.0.1/x", "to": "10.0.0.1", "server": "10.0.0.1", "protocol": "tcp", "side": "client"}


def prepared(name: str) -> tuple[Probe, dict[str, object]]:
    probe = load(name)
    required = {key: param for key, param in probe.params.items() if param.required}
    given = {key: REQUIRED.get(key, 1 if param.type == "int" else "x") for key, param in required.items()}
    return probe, probe.defaults(given)


def test_the_tools_of_the_lab_are_known() -> None:
    expected = {"curl", "iperf3", "iperf3-server", "ping", "tcpdump", "station-dump", "link", "wpa-events"}
    assert expected | {"hostapd-events", "ss", "counters"} <= set(known())
    assert "base" not in known() and not [name for name in known() if name.startswith(("_", "-"))]


def test_an_unknown_probe_is_an_input_error() -> None:
    with pytest.raises(InputError, match='unknown probe "telepathy"'):
        load("telepathy")


@pytest.mark.parametrize("name", known())
def test_a_probe_says_what_it_is(name: str) -> None:
    probe, params = prepared(name)
    assert probe.about and type(probe).__doc__
    assert probe.mode in ("command", "sample", "control")
    assert all(
        param.about and param.type in ("str", "int", "bool", "list", "duration", "rate", "size")
        for param in probe.params.values()
    )
    if probe.mode == "sample":
        assert probe.params["every"].default > 0
    probe.check(params)


@pytest.mark.parametrize("name", known())
def test_a_command_is_a_list_of_words(name: str) -> None:
    probe, params = prepared(name)
    argv = probe.argv(TARGET, params, f"/run/raw/{name}")
    assert argv and all(isinstance(word, str) and word for word in argv)
    assert "None" not in argv


def test_every_value_of_curl_reaches_its_command() -> None:
    probe, params = prepared("curl")
    params |= {"timeout": 1_500_000_000, "limit_rate": 8_000_000, "retries": 2, "options": ["--http1.0"]}
    argv = probe.argv(TARGET, params, "/run/raw/fetch@sta1")
    assert argv[argv.index("--max-time") + 1] == "1.5"
    assert argv[argv.index("--limit-rate") + 1] == "1000000"
    assert (
        argv[argv.index("--output") + 1] == probe.watched_file(params, "/run/raw/fetch@sta1") == "/tmp/fetch@sta1.body"
    )
    assert argv[-2:] == ["--http1.0", "http://10.0.0.1/x"]


def test_every_value_of_iperf3_reaches_its_command() -> None:
    probe, params = prepared("iperf3")
    params |= {"udp": True, "rate": 10_000_000, "length": 1200, "omit": 2_000_000_000, "every": 500_000_000, "tos": 184}
    text = " ".join(probe.argv(TARGET, params, "/run/raw/load"))
    assert text == "iperf3 --json -c 10.0.0.1 -p 5201 -i 0.5 -P 1 -t 10 -O 2 -u -b 10000000 -l 1200 -S 184"
    params |= {"udp": False, "bytes": 1000, "congestion": "veno", "reverse": True}
    assert {"-n", "-C", "-R"} <= set(probe.argv(TARGET, params, "/run/raw/load"))


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"every": 50_000_000}, "every: must be at least 100 ms"),
        ({"every": 61_000_000_000}, "every: must be at most 60000 ms"),
        ({"port": 70000}, "port: must be at most 65535$"),
        ({"length": 1}, "length: must be at least 16 B"),
        ({"duration": 1_500_000_000}, "whole seconds"),
        ({"udp": True, "congestion": "bbr"}, "UDP has no congestion control"),
    ],
)
def test_iperf3_refuses_what_the_tool_would_refuse(wrong: dict[str, object], complaint: str) -> None:
    probe, params = prepared("iperf3")
    with pytest.raises(ValueError, match=complaint):
        probe.check(params | wrong)


def test_every_value_of_udp_sender_reaches_its_program() -> None:
    probe, params = prepared("udp-sender")
    argv = probe.argv(TARGET, params, "/lab/raw/load@sta1")
    assert argv[:2] == ["python3", "/run/lab/programs/udp.py"] and ast.parse(probe.programs["udp.py"])
    assert argv[2:] == ["send", "load@sta1", "10.0.0.1", "9000", "1472", "0", "-1", "0", "0", "0", "0", "0"]
    params |= {"size": 92, "every": 10_000_000, "phase": 0, "count": 5, "tos": 184, "buffer": 2304, "port": 7}
    params |= {"on": 10**9, "off": 2 * 10**9}
    argv = probe.argv(TARGET, params, "/lab/raw/voice")
    assert argv[2:] == [
        "send",
        "voice",
        "10.0.0.1",
        "7",
        "92",
        "10000000",
        "0",
        "5",
        "184",
        "2304",
        "1000000000",
        "2000000000",
        "1",  # the seed, of which only times on and off are drawn
    ]
    with pytest.raises(ValueError, match="on: needs off:; add off:, or remove this"):
        probe.check(params | {"off": None})
    with pytest.raises(ValueError, match="off: needs on:; add on:, or remove this"):
        probe.check(params | {"on": None})
    with pytest.raises(ValueError, match="phase: needs every:; add every:, or remove this"):
        probe.check(params | {"every": None})
    probe, params = prepared("udp-sink")
    assert probe.argv(TARGET, params, "/lab/raw/sink")[2:] == ["sink", "9000", "1000000000"]


def test_ping_tcpdump_ss_and_counters_take_their_options() -> None:
    probe, params = prepared("ping")
    argv = probe.argv(TARGET, params | {"count": 3, "every": 100_000_000, "wait": 2_000_000_000}, "x")
    assert " ".join(argv) == "ping -n -D -O -i 0.1 -s 56 -c 3 -W 2 10.0.0.1"
    probe, params = prepared("tcpdump")
    assert probe.argv(TARGET, params | {"filter": "tcp port 80"}, "/r/x")[-1] == "tcp port 80"
    assert "mon0" in probe.argv(TARGET, params | {"interface": "mon0"}, "/r/x")
    probe, params = prepared("ss")
    assert probe.argv(TARGET, params | {"filter": "( dport = :80 )"}, "x")[-5:] == ["(", "dport", "=", ":80", ")"]
    probe, params = prepared("counters")
    assert probe.argv(TARGET, params | {"interface": "h1-eth0"}, "x")[-2:] == ["dev", "h1-eth0"]


@pytest.mark.parametrize("name", [name for name in known() if "every" in load(name).params])
def test_no_probe_can_be_asked_to_look_all_the_time(name: str) -> None:
    probe, params = prepared(name)
    with pytest.raises(ValueError, match="every: must be at least"):
        probe.check(params | {"every": 0})


@pytest.mark.parametrize("name", [name for name in known() if type(load(name)).__module__.startswith("lab.")])
def test_a_probe_that_acts_ends_by_itself_unless_it_serves_or_has_no_end(name: str) -> None:
    """What still runs at the end of a run fails it, unless it says that it runs on. Stacks' probes: in their tests."""
    probe, params = prepared(name)
    sinks = ("iperf3-server", "udp-sink", "tcp-sink", "web-site")
    assert probe.runs_on(params) == (name in (*sinks, "ping", "udp-sender"))
    if "count" in probe.params:
        assert not probe.runs_on(params | {"count": 3})
