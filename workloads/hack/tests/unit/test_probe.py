# SPDX-License-Identifier: MIT
"""hack-acks: what its program asks and prints, and how that is parsed."""

from __future__ import annotations

import ast
import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.guest.medium.uapi import FAMILY, VERSION, Attr, Command
from lab.guest.netlink import wire
from lab.guest.netlink.generic import Family
from lab.probes.base import Parsed, ProbeOutputError, Target, TimeSeries, load
from lab.shared.frozen import built
from lab.shared.medium_types import MediumPart
from lab.shared.types import Plan
from tests.unit.guest.kernel import Kernel, answer, done

from ...probes import _acks_program
from ...radio_settings._hack import PART

PEER = "02:00:01:00:02:00"
EPOCH_NS = 1_767_225_600_999_999_744
Find = Callable[[Parsed, str], TimeSeries]


def numbers(way: str, **counts: int) -> bytes:
    found = (wire.attribute(n, struct.pack("=Q", counts.get(name, 0))) for n, name in enumerate(PART.counts, 1))
    return wire.nested(PART.counters[way], *found)


def peer(radio: int, **counts: int) -> bytes:
    attributes = wire.attribute(Attr.RADIO, wire.u32(radio)) + wire.attribute(Attr.ADDR, bytes.fromhex("020001000200"))
    return answer(2, attributes + numbers("sent", **counts) + numbers("received"))


def test_its_program_reports_its_own_radio() -> None:
    kernel = Kernel(peer(0, acks=7) + peer(1, acks=9, held_ns=5), done(2))
    (pair,) = _acks_program.pairs(Family(FAMILY, VERSION, kernel), 1, PART)
    assert (pair["peer"], pair["sent"]["acks"], pair["sent"]["held_ns"]) == (PEER, 9, 5)
    assert set(pair["sent"]) == set(pair["received"]) == set(PART.counts)
    (request,) = wire.messages(kernel.sent[1])
    assert request.payload[0] == Command.GET_PEER


def test_the_radio_of_an_interface(tmp_path: Path) -> None:
    (tmp_path / "sta1-wlan0").mkdir()
    (tmp_path / "sta1-wlan0" / "device").symlink_to("../../../hwsim12")
    assert _acks_program.radio_of("sta1-wlan0", tmp_path) == 12


def test_a_line_is_a_sample(capsys: pytest.CaptureFixture[str]) -> None:
    found = iter([[{"peer": PEER}], []])

    def read() -> list[dict[str, Any]]:
        try:
            return next(found)
        except StopIteration:
            raise KeyboardInterrupt from None

    with pytest.raises(KeyboardInterrupt):
        _acks_program.sample(read, 1)
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first["pairs"] == [{"peer": PEER}] and second["pairs"] == []
    assert float(first["t_s"]) <= float(second["t_s"]) and len(first["t_s"].partition(".")[2]) == 9


def test_its_command() -> None:
    probe = load("hack-acks")
    argv = probe.argv(Target("ap1", "ap1-eth2", "ap1-wlan1", None), probe.defaults({"every": 5_000_000}), "/lab/raw/x")
    program = "/run/lab/programs/hack_acks.py"
    assert argv[:-1] == ["env", "PYTHONPATH=/run/lab/code", "python3", program, "ap1-wlan1", "5000000"]
    assert built(MediumPart, json.loads(argv[-1])) == PART
    assert ast.parse(probe.programs["hack_acks.py"])


def test_nodes_see_the_modules_that_its_program_imports(plans: Callable[..., Plan]) -> None:
    from lab.runs.dry_run import commands

    place = "name: p\nnodes:\n  ap1: {kind: ap, ssid: x, hack: more-data}\n  sta1: {kind: sta, roles: [client]}\n"
    work = "name: w\nroles: {client: 1}\nduration: 2 s\nprocesses: [{on: client, run: {probe: hack-acks}}]\n"
    started = [line for line in commands(plans(place + "medium: {}\n", work)) if line.startswith("/lab/bin/container")]
    assert started and all(line.endswith("/lab/code /run/lab/code ro") for line in started)


def test_the_perfect_medium_is_refused() -> None:
    with pytest.raises(ValueError, match="write medium: {} in the topology"):
        load("hack-acks").check_target(Target("sta1", "sta1-wlan0", "sta1-wlan0", None, medium=False), {})


def test_a_recorded_run(pasted: Callable[..., Parsed], series: Find) -> None:
    """Hack was off from 2.5 s to 3.2 s, so the counters are absent in two of its samples, and begin anew."""
    parsed = pasted("hack-acks", "switched", epoch_ns=EPOCH_NS)
    assert series(parsed, "pairs").values == [0, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1]
    assert series(parsed, "pairs").t_ns[0] == -816_266_496
    sent = series(parsed, f"sent_acks/{PEER}")
    assert sent.values == [254, 1066, 1737, 614, 1053, 1053] and sent.t_ns[0] == 1_183_783_680
    names = {one.name.partition("/")[0] for one in parsed.series}
    assert names == {
        "pairs", "sent_acks", "sent_bytes", "sent_packet_bytes", "sent_payloads", "sent_natives", "sent_refused",
        "sent_held_ns", "received_acks", "received_natives",
    }  # fmt: skip


def test_a_counter_that_the_kernel_does_not_have_yet(typed: Callable[..., Parsed], series: Find) -> None:
    line = {"t_s": "1.0", "pairs": [{"peer": PEER, "sent": {"acks": 0}, "received": {"acks": 0, "syncs": 3}}]}
    parsed = typed("hack-acks", out=json.dumps(line))
    assert series(parsed, f"received_syncs/{PEER}").values == [3]


@pytest.mark.parametrize(
    ("out", "complaint"),
    [
        ('{"t_s": "1"}', r"x\.out:1: 'pairs' is missing"),
        ('{"t_s": "soon", "pairs": []}', r"x\.out:1: t_s: 'soon' is not a time stamp"),
        ('{"t_s": "1", "pairs": []}\n{"t_s": "1", "pairs": []}', r"x\.out:2: must be later than the sample before it"),
        (
            '{"t_s": "1", "pairs": [{"peer": "x", "sent": 5, "received": {}}]}',
            r"x\.out:1: pairs\[0\]: sent: must be an object, not 5",
        ),
        (
            '{"t_s": "1", "pairs": [{"peer": "x", "sent": {"acks": "5"}, "received": {}}]}',
            r"sent: acks: must be a number, not '5'",
        ),
    ],
)
def test_what_it_does_not_understand(typed: Callable[..., Parsed], out: str, complaint: str) -> None:
    with pytest.raises(ProbeOutputError, match=complaint):
        typed("hack-acks", out=out)
