# SPDX-License-Identifier: MIT
"""The key and the event ``hack``: TCP ACKs go with ACKs and BlockAcks, and none is lost that TCP would miss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

Boot = Callable[..., Ran]

PLACE = """\
name: hack
nodes:
  h1: {{kind: host, roles: [server]}}
  ap1: {{kind: ap, ssid: x, channel: 36, {radio}, hack: {ap}}}
  sta1: {{kind: sta, roles: [client], {rate}, hack: {sta}}}
links: [{{between: [h1, ap1], delay: 1 ms}}]
medium: {{}}
"""
WORK = """\
name: hack
roles: {{server: 1, client: 1}}
duration: {end_s} s
processes:
  - {{on: {sink}, run: {{probe: iperf3-server}}, as: sink, ready: {{listening: tcp/5201}}}}
  - {{on: {source}, at: 1 s, run: {{probe: iperf3, server: "{{{sink}.ip}}", duration: {flow_s} s}}, as: flow}}
metrics:
  goodput: {{of: sink, unit: Mbit/s}}
  retransmits: {{of: flow, unit: segments}}
checks:
  - {{that: flow.exit == 0}}
timeline: [{timeline}]
"""
RADIOS = {
    "a": ("mode: a, rate: 54 Mbit/s", "rate: 54 Mbit/s"),
    "n": ("mode: n, rate: MCS 7", "rate: MCS 7"),
    "n, slow": ("mode: n, rate: MCS 0", "rate: MCS 0"),
}


def work(*, down: bool = True, timeline: str = "", flow_s: int = 3) -> str:
    """Return a workload: a download or an upload from 1 s on, and a second after it."""
    source, sink = ("server", "client") if down else ("client", "server")
    return WORK.format(source=source, sink=sink, timeline=timeline, flow_s=flow_s, end_s=flow_s + 2)


def ran(
    boot: Boot,
    mode: str,
    *,
    ap: str = "more-data",
    sta: str = "more-data",
    timeline: str = "",
    down: bool = True,
    flow_s: int = 3,
) -> Ran:
    radio, rate = RADIOS[mode]
    place = PLACE.format(radio=radio, rate=rate, ap=ap, sta=sta)
    return boot(place, work(down=down, timeline=timeline, flow_s=flow_s))


def counts(found: Ran, node: str, way: str = "sent", look: int = -1) -> dict[str, Any]:
    """What became of a node's TCP ACKs, by the end, or by another of the looks, one each second, that have any."""
    looks = [look["hack"] for look in found.looks() if look.get("hack")]
    (pair,) = (pair for pair in looks[look] if pair["node"] == node)
    numbers: dict[str, Any] = pair[way]
    return numbers


def goodput_mbps(found: Ran) -> float:
    return found.iperf3_mbps("flow")


def nothing_is_wrong(received: dict[str, Any]) -> bool:
    return not any(received[key] for key in ("crc_failures", "unknown", "malformed"))


@pytest.mark.parametrize(("mode", "gain"), [("a", 1.15), ("n", 1.03)])
def test_acks_of_a_download_go_with_link_layer_acks(boot: Boot, mode: str, gain: float) -> None:
    """In mode n Linux acknowledges a whole A-MPDU by one or two ACKs, so there is less to gain."""
    stock, hack = ran(boot, mode, ap="off", sta="off", flow_s=6), ran(boot, mode, flow_s=6)
    sent, received = counts(hack, "sta1"), counts(hack, "ap1", "received")
    # from 4 s to 6 s: slow start loses more packets than an answer has room for ACKs of, each with SACK blocks, and
    # at its end, the flow is reset by each segment on its way
    before, after = (counts(hack, "sta1", look=look) for look in (2, 4))
    acks, natives = (after[kind] - before[kind] for kind in ("acks", "natives"))
    assert acks > 300 and acks > 0.97 * (acks + natives)
    # of those that were given up, some had arrived; of the last ones (96 are held at most) nobody knows it yet
    assert 0 <= received["acks"] - sent["acks"] <= sent["flushed"] + 96
    assert nothing_is_wrong(received) and sent["resets"] == 0
    assert 52 <= sent["packet_bytes"] / sent["acks"] < 54 and sent["bytes"] < 8 * sent["acks"]  # some have SACK
    assert goodput_mbps(hack) > gain * goodput_mbps(stock)
    frames, of_stock = (
        found.link_since(4, "sta1", "ap1")["sent"] - found.link_since(6, "sta1", "ap1")["sent"]
        for found in (hack, stock)
    )
    assert frames < 0.3 * of_stock
    assert "hack" not in stock.looks()[-1]


def test_flows_that_there_is_no_room_for_are_left_alone(boot: Boot) -> None:
    """Each end knows 32. If more come by, both must forget the same ones."""
    place = PLACE.format(radio=RADIOS["n"][0], rate=RADIOS["n"][1], ap="more-data", sta="more-data")
    found = boot(place, work().replace("duration: 3 s}", "duration: 1 s, parallel: 36}"))
    assert counts(found, "sta1")["acks"] > 100
    assert nothing_is_wrong(counts(found, "ap1", "received")) and counts(found, "sta1")["resets"] == 0


def test_acks_of_an_upload_come_with_those_of_the_access_point(boot: Boot) -> None:
    """The design is symmetric (section 3.1)."""
    found = ran(boot, "a", down=False)
    sent, received = counts(found, "ap1"), counts(found, "sta1", "received")
    assert sent["acks"] > 1000 and received["acks"] >= sent["acks"] and nothing_is_wrong(received)


def test_a_peer_without_it_gets_plain_acks(boot: Boot) -> None:
    found = ran(boot, "a", ap="off")
    assert found.looks()[-1]["hack"] == []
    assert goodput_mbps(found) > 15


def test_all_are_held_in_mode_timer(boot: Boot) -> None:
    """No answer is due for the last ones, which the timer releases."""
    found = ran(boot, "a", sta="{mode: timer, timer: 5 ms}")
    sent = counts(found, "sta1")
    assert sent["acks"] > 1000 and sent["held_ns"] / sent["acks"] < 5_000_000
    assert goodput_mbps(found) > 15


def test_acks_that_find_no_answer_in_time_contend(boot: Boot) -> None:
    """The opportunistic mode lies between TCP and more-data; uncompressed ACKs still collide."""
    stock, some, most = (ran(boot, "a", ap=mode, sta=mode) for mode in ("off", "opportunistic", "more-data"))
    sent, received = counts(some, "sta1"), counts(some, "ap1", "received")
    assert 0.1 < sent["acks"] / (sent["acks"] + sent["natives"]) < 0.9 and nothing_is_wrong(received)
    assert goodput_mbps(stock) < goodput_mbps(some) < goodput_mbps(most)
    retries = [found.link("ap1", "sta1")["retries"] for found in (stock, some, most)]
    assert retries[0] > retries[1] > retries[2]


def test_late_answers_cost_their_time_and_nothing_else(boot: Boot) -> None:
    """Of the paper's radios: 37 us (section 4.2). Each frame and its ACK take 350 to 450 us without."""
    late = "more-data, answer_delay: 37 us"
    stock, found = ran(boot, "a"), ran(boot, "a", ap=late, sta=late)
    assert 0.88 < goodput_mbps(found) / goodput_mbps(stock) < 0.93
    # nobody gives up on a late answer; once the flow has ended, there are uncompressed ACKs, which collide
    retries = found.link("ap1", "sta1")["retries"] - found.link_since(4, "ap1", "sta1")["retries"]
    assert retries < 10


@pytest.mark.parametrize("late_us", [25, 36, 54, 60])
def test_nobody_begins_while_its_own_answer_is_due(boot: Boot, late_us: int) -> None:
    """These answers begin just before a slot ends that a radio may have counted down to."""
    late = f"'off', answer_delay: {late_us} us"
    found = ran(boot, "a", ap=late, sta=late)
    assert goodput_mbps(found) > 18 and found.link("ap1", "sta1")["sent"] > 4000


def test_an_end_that_may_restore_nothing_any_more_is_sent_nothing(boot: Boot) -> None:
    """By the event, it no longer accepts in the clear what belongs in encrypted frames."""
    clear = "{{mode: timer, timer: 1 s, in_clear: true}}"
    place = (
        PLACE.format(
            radio=RADIOS["a"][0] + ", encrypt: wpa2, passwd: espresso", rate=RADIOS["a"][1], ap=clear, sta=clear
        )
        .replace("{{", "{")
        .replace("}}", "}")
    )
    found = boot(place, work(timeline="{at: 2500 ms, hack: ap1, to: timer}"))
    assert goodput_mbps(found) > 22  # as native ACKs have; without any, nothing would be sent
    assert counts(found, "sta1")["acks"] > 1000 and counts(found, "sta1")["natives"] > 1000


MANY = """\
name: many
nodes:
  h1: {kind: host, roles: [server]}
  ap1: {kind: ap, ssid: x, channel: 36, mode: n, rate: MCS 7, hack: more-data, position: [0 m, 0 m, 2 m]}
  sta1: {kind: sta, roles: [client], rate: MCS 7, hack: more-data, position: [5 m, 0 m, 1 m]}
links: [{between: [h1, ap1], rate: 1 Gbit/s}]
medium: {snr: [{between: [ap1, sta1], is: 24 dB}]}
"""
BOTH_WAYS = """\
name: both-ways
roles: {server: 1, client: 1}
duration: 6 s
processes:
  - {on: client, run: {probe: iperf3-server}, as: sink, ready: {listening: tcp/5201}}
  - {on: server, run: {probe: iperf3-server}, as: back, ready: {listening: tcp/5201}}
  - {on: server, at: 1 s, run: {probe: iperf3, server: "{client.ip}", duration: 4 s, parallel: 12}, as: down}
  - {on: client, at: 1 s, run: {probe: iperf3, server: "{server.ip}", duration: 4 s, parallel: 12}, as: up}
"""


@pytest.mark.parametrize("seed", [2, 4, 7])
def test_natural_losses_make_many_flows_disagree_in_nothing(boot: Boot, seed: int) -> None:
    """Some native ACKs of an A-MPDU arrive and others do not, in both directions."""
    found = boot(MANY, BOTH_WAYS, seed)
    for sender, receiver in (("sta1", "ap1"), ("ap1", "sta1")):
        assert nothing_is_wrong(counts(found, receiver, "received")) and counts(found, sender)["resets"] == 0
        assert counts(found, sender)["acks"] > 300


@pytest.mark.parametrize("in_clear", [True, False])
def test_a_ciphered_peer_gets_no_acks_in_clear_unless_asked_for(boot: Boot, in_clear: bool) -> None:
    key = "{mode: more-data, in_clear: true}"
    place = PLACE.format(radio="mode: a, encrypt: wpa2, passwd: espresso", rate="rate: MCS 7", ap=key, sta=key)
    place = place.replace("rate: MCS 7, ", "")
    timeline = "" if in_clear else "{at: 500 ms, hack: ap1, to: more-data}, {at: 500 ms, hack: sta1, to: more-data}"
    found = boot(place, work(timeline=timeline))
    sent = counts(found, "sta1")
    assert sent["natives"] > 0 and (sent["acks"] > 1000) == in_clear and (sent["acks"] > 0) == in_clear


@pytest.mark.parametrize("mode", ["more-data", "opportunistic", "{mode: timer, timer: 50 ms}"])
def test_a_radio_that_goes_down_takes_nothing_with_it(boot: Boot, mode: str) -> None:
    steps = [("2500 ms", "down"), ("2550 ms", "up"), ("2900 ms", "down"), ("2950 ms", "up")]
    ups = [f"{{at: {at}, exec: sta1, run: [ip, link, set, sta1-wlan0, {what}]}}" for at, what in steps]
    found = ran(boot, "a", ap=mode, sta=mode, timeline=", ".join(ups))
    assert nothing_is_wrong(counts(found, "ap1", "received"))


def test_the_host_takes_its_time(boot: Boot) -> None:
    """The longer an ACK takes to get into an answer, the later the answer that it is sent with."""
    held_ms = []
    for turnaround in ("0 us", "50 us", "2 ms"):
        sent = counts(ran(boot, "a", sta=f"{{mode: more-data, turnaround: {turnaround}}}"), "sta1")
        held_ms.append(sent["held_ns"] / sent["acks"] / 1e6)
    assert held_ms[0] <= held_ms[1] < held_ms[2] and held_ms[2] > 2


def test_the_event_switches_it(boot: Boot) -> None:
    found = ran(boot, "a", timeline="{at: 2500 ms, hack: sta1, to: off}, {at: 3200 ms, hack: sta1, to: more-data}")
    steps = [look["hack"] for look in found.looks()]
    compressed = [next((p["sent"]["acks"] for p in step if p["node"] == "sta1"), 0) for step in steps]
    assert compressed[2] > 500 and compressed[3] == 0 and compressed[-1] > 300
    assert goodput_mbps(found) > 20


@pytest.mark.parametrize("mode", ["a", "n"])
def test_an_end_that_begins_anew_is_followed(boot: Boot, mode: str) -> None:
    """The access point and the station forget what they knew: no ACK counts as one that came before."""
    again = "{at: 2 s, hack: ap1, to: off}, {at: 2100 ms, hack: ap1, to: more-data}"
    found = ran(boot, mode, timeline=again)
    sent, received = counts(found, "sta1"), counts(found, "ap1", "received")
    assert nothing_is_wrong(received) and sent["acks"] > 200
    assert goodput_mbps(found) > 20


# by the figures of the paper that such losses lead to; test_medium_hack_figures.py loses just the frames of each
FAULTS = {
    "5b: single ACKs": ("a", "fault: lose, frames: ack, from: sta1, to: ap1, count: 20"),
    "5a: BlockAcks": ("n", "fault: lose, frames: ba, from: sta1, to: ap1, count: 20"),
    "5b: most ACKs": ("a", "fault: lose, frames: ack, from: sta1, to: ap1, share: 30%, count: 100000"),
    "6: BlockAcks and retransmissions": ("n", "fault: lose, frames: ba, from: sta1, to: ap1, share: 20%, count: 10000"),
    "7: data": ("n", "fault: lose, frames: data, from: ap1, to: sta1, share: 5%, count: 100000"),
    "8: BlockAckReqs, too": ("n", "fault: lose, frames: any, from: ap1, to: sta1, share: 40%, count: 2000"),
    "damaged payloads": ("a", "fault: damage, frames: ack, from: sta1, to: ap1, share: 30%, count: 100000"),
}


@pytest.mark.parametrize("what", FAULTS)
def test_no_loss_makes_the_two_ends_disagree(boot: Boot, what: str) -> None:
    mode, fault = FAULTS[what]
    found = ran(boot, mode, timeline=f"{{at: 2 s, {fault}}}")
    sent, received = counts(found, "sta1"), counts(found, "ap1", "received")
    assert nothing_is_wrong(received) and sent["resets"] == 0
    assert sent["acks"] > 300 and goodput_mbps(found) > 5
    if what.startswith(("5", "6", "damaged")):
        assert received["duplicates"] > 0 or sent["payloads"] > received["payloads"]


def test_acks_that_no_answer_has_room_for_hold_up_no_others(boot: Boot) -> None:
    """BlockAcks at 6 Mbit/s have room for 12 bytes, and an ACK with SACK blocks may need more.

    When such an ACK waited for the timer, all behind it did: in a similar download 112 went with BlockAcks, now 919.
    """
    found = ran(boot, "n, slow")
    sent = counts(found, "sta1")
    assert sent["flushed"] > 0  # there were such
    assert sent["acks"] > 0.5 * (sent["acks"] + sent["natives"])
    assert nothing_is_wrong(counts(found, "ap1", "received"))
