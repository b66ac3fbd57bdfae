# SPDX-License-Identifier: MIT
"""The ladder has the frames of a real capture, and the picture in workloads/hack/hack.md is what its commands draw."""

from __future__ import annotations

from itertools import groupby, pairwise
from pathlib import Path

import pytest

from lab import runs
from lab.errors import InputError
from lab.plan.load import load
from tests import air, stored
from tests.shown import printed
from tests.shown.document import Command, parse
from tests.system.conftest import with_stack
from workloads.hack import frames, ladder
from workloads.hack.frames import Frame

pytestmark = pytest.mark.guest

DOCUMENT = Path(__file__).parents[2] / "hack.md"
WORKLOAD = "hack/download"
SHORT = ("workload.duration=4 s", "processes.flow.run.duration=2 s")
HACK = ("nodes.ap1.hack=more-data", "nodes.sta1.hack=more-data")
AGGREGATED = ("nodes.ap1.mode=n", "nodes.ap1.rate=MCS 7", "nodes.sta1.rate=MCS 7", "nodes.sta2.rate=MCS 7")
NO_LOSS = "nodes.ap1.drop_tail=4096"  # after a loss, each segment is acknowledged
MIDDLE_NS, SPAN_NS = 2_900_000_000, 300_000_000  # nearly a second after the flow's start: slow start is over
STA = bytes.fromhex("020001000300")


def captured(machine: runs.Machine, place: Path, *settings: str) -> tuple[list[Frame], list[list[air.Frame]]]:
    """The frames of a span of a run, as the ladder reads them, and PPDUs by the specification."""
    directory = place / "run"
    directory.mkdir()
    plan = load("downloads", WORKLOAD, 1, (*SHORT, *settings), pcap="air")
    stored.boot(plan, with_stack(machine, WORKLOAD, plan), directory)
    (capture,) = (directory / "raw").glob("air-*")
    everything = air.frames(capture)
    begin_ns = everything[0].stamp_ns + MIDDLE_NS
    numbered = enumerate(everything)
    ppdus = [
        [frame for _, frame in together]
        for _, together in groupby(numbered, lambda one: (one[1].stamp_ns, one[1].aggregate or -one[0] - 1))
    ]
    within = [ppdu for ppdu in ppdus if air.end_ns(ppdu) > begin_ns and ppdu[0].stamp_ns < begin_ns + SPAN_NS]
    return frames.read(capture, begin_ns, begin_ns + SPAN_NS), within


def address(text: str | None) -> bytes:
    return bytes.fromhex((text or "").replace(":", ""))


@pytest.mark.parametrize("settings", [(), HACK, (*HACK, *AGGREGATED)], ids=["a, stock", "a", "n"])
def test_frames_and_their_times(machine: runs.Machine, tmp_path: Path, settings: tuple[str, ...]) -> None:
    found, ppdus = captured(machine, tmp_path, *settings)
    assert len(found) > 50
    assert [(one.begin_ns, one.end_ns) for one in found] == [(ppdu[0].stamp_ns, air.end_ns(ppdu)) for ppdu in ppdus]
    assert [one.collided for one in found] == [any(frame.damaged for frame in ppdu) for ppdu in ppdus]
    for one, ppdu, before in zip(found[1:], ppdus[1:], ppdus[:-1], strict=True):
        first = ppdu[0]
        if first.kind == air.DATA:
            to = b"" if first.receiver[0] & 1 else first.receiver
            assert (address(one.transmitter), address(one.receiver)) == (first.transmitter, to)
            assert list(one.sequences) == [frame.sequence for frame in ppdu]
            assert one.more_data == any(frame.body[1] & 0x20 for frame in ppdu)
        elif first.kind in (air.ACK, air.BA):
            assert (address(one.transmitter), first.receiver) == (before[0].receiver, before[0].transmitter)
            own = 10 if first.kind == air.ACK else 28
            assert one.carried_bytes == len(first.body) - own and bool(one.carried) == (one.carried_bytes > 0)
    natives, carried = sum(one.tcp_acks for one in found), sum(one.carried for one in found)
    assert (carried > natives) if settings else (natives > 0 == carried), (carried, natives)


def test_a_stock_station_answers_data_by_an_ack_and_a_tcp_ack(machine: runs.Machine, tmp_path: Path) -> None:
    """SIFS is 16 µs; nothing else comes between a frame and its ACK."""
    found, _ = captured(machine, tmp_path, NO_LOSS)
    arrived = [(one, after) for one, after in pairwise(found) if one.segments and not one.collided]
    assert arrived and all((after.kind, after.begin_ns - one.end_ns) == (frames.ACK, 16_000) for one, after in arrived)
    natives = sum(one.tcp_acks for one in found if address(one.transmitter) == STA)
    assert 0.3 < natives / len(arrived) < 0.8, "Linux acknowledges every second segment"
    assert any(one.collided and one.tcp_acks for one in found)


def drawing() -> list[Command]:
    """The commands of the document up to the one that draws."""
    commands = [part for part in parse(DOCUMENT.read_text()) if isinstance(part, Command)]
    return commands[: 1 + next(number for number, command in enumerate(commands) if command.draws)]


def test_the_picture_in_the_documentation_is_what_its_commands_draw(machine: runs.Machine, tmp_path: Path) -> None:
    """At most three, as promised. If the medium has changed: python -m tests.shown workloads/hack/hack.md --write."""
    commands = drawing()
    assert len(commands) == 3
    for command in commands:
        assert printed.why_not(command.argv) is None
        reported = printed.run(command.argv, tmp_path)
        assert reported.status == 0, reported.lines
    picture = commands[-1].draws
    assert (tmp_path / Path(picture).name).read_text() == (DOCUMENT.parent / picture).read_text()


def test_an_empty_span_of_a_real_run(machine: runs.Machine, tmp_path: Path) -> None:
    """Between beacons, after the flow."""
    settings = ["--set", "workload.duration=4s", "--set", "processes.flow.run.duration=1s"]
    argv = ["lab", "run", "downloads", "hack/download", *settings, "--pcap", "air", "--out", "run"]
    assert printed.run(argv, tmp_path).status == 0
    with pytest.raises(InputError, match="nothing is on the air in the 20 us from 3.999 s on"):
        ladder.ladder(tmp_path / "run", ladder.Span(3_999_000_000, 20_000))
