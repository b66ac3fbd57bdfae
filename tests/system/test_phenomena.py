# SPDX-License-Identifier: MIT
"""Known phenomena of 802.11, on the topologies of docs/phenomena.md, with real frames."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

import pytest

from tests.system.conftest import Ran
from tests.validation.rows import Row, record, rounded

pytestmark = [pytest.mark.guest, pytest.mark.validation]


Boot = Callable[..., Ran]
SECOND = 1_000_000_000
STALL_MS = 100  # HT_RX_REORDER_BUF_TIMEOUT of mac80211
SHORT = "duration=8s"
# long delays are rare: the longest of best effort is 4.6 times that of voice in 8 s (one seed), 9 to 41 times in 20 s
LONG = "duration=20s"


def attempts_lost(ran: Ran, sender: str, receiver: str) -> float:
    """Share of the attempts to send a frame that did not arrive."""
    counts = ran.link(sender, receiver)
    return 1 - counts["delivered"] / counts["sent"]


def test_hidden_terminals_lose_far_more_than_exposed_ones_and_rts_helps(boot_own: Boot) -> None:
    both = ("sta1", "sta2")
    heard = boot_own("hidden-terminals", "udp/saturate", SHORT, "medium.snr.2.is=30dB")
    hidden = boot_own("hidden-terminals", "udp/saturate", SHORT)
    cured = boot_own("hidden-terminals", "udp/saturate", SHORT, *(f"nodes.{name}.rts_threshold=500B" for name in both))
    whole, alone, saved = (sum(ran.goodputs_mbps().values()) for ran in (heard, hidden, cured))
    record(
        Row(
            "phenomena", "hidden terminals: share of what they have otherwise", rounded(alone / whole), between=(0, 0.3)
        )
    )
    record(Row("phenomena", "hidden terminals with RTS/CTS", rounded(saved / whole), between=(0.9, 1.1)))
    assert all(attempts_lost(hidden, name, "ap1") > 0.8 for name in both)
    assert all(found["lost"] > found["packets"] / 2 for found in hidden.flows().values())

    exposed = boot_own("exposed-terminals", "udp/saturate", SHORT)
    deaf = boot_own("exposed-terminals", "udp/saturate", SHORT, "medium.snr.0.is=2dB")
    for name, access_point in zip(both, ("ap1", "ap2"), strict=True):
        # they take turns: half of what either could have, but hardly a frame is lost
        in_turn, at_once = (ran.goodputs_mbps()[name] for ran in (exposed, deaf))
        share = rounded(in_turn / at_once)
        record(Row("phenomena", f"exposed terminals: share of what they could have, {name}", share, between=(0.5, 0.6)))
        assert at_once > 0.98 * 5.26  # one alone: 1472 of 1500 bytes of Bianchi's 5.363 Mbit/s
        assert attempts_lost(exposed, name, access_point) < 0.01
        assert attempts_lost(hidden, name, "ap1") > 80 * attempts_lost(exposed, name, access_point)


def test_a_slow_station_slows_all(boot_own: Boot) -> None:
    slowed = boot_own("performance-anomaly", "udp/saturate").goodputs_mbps()
    alike = boot_own(
        "performance-anomaly", "udp/saturate", "nodes.slow.rate=11Mbit/s", "medium.snr.0.is=40dB"
    ).goodputs_mbps()
    assert set(slowed) == set(alike) == {"sta1", "sta2", "sta3", "slow"}
    # everybody wins the medium equally often, however long that takes; the slow one, which is weak, loses collisions
    assert min(slowed.values()) > 0.7 * max(slowed.values())
    assert min(alike.values()) > 0.9 * max(alike.values())
    assert max(slowed.values()) < 1  # Mbit/s: less than the slow one has by itself, although three send at 11
    share = rounded(sum(slowed.values()) / sum(alike.values()))
    record(Row("phenomena", "performance anomaly: share of what four fast ones have", share, between=(0, 0.45)))


def test_a_stronger_frame_captures_the_receiver(boot_own: Boot) -> None:
    kept = boot_own("capture", "udp/saturate", SHORT)
    captured = boot_own("capture", "udp/saturate", SHORT, "medium.capture=10dB")
    # both are always there; the weak one gets nothing either way, but only without capture does it cost the strong one
    assert all(attempts_lost(ran, "far", "ap1") > 0.95 for ran in (kept, captured))
    assert attempts_lost(kept, "near", "ap1") > 0.1
    assert attempts_lost(captured, "near", "ap1") < 0.01
    gain = rounded(captured.goodputs_mbps()["near"] / kept.goodputs_mbps()["near"])
    record(Row("phenomena", "capture: gain of the stronger one", gain, between=(1.1, 2)))


def test_channels_that_overlap_are_worse_than_one(boot_own: Boot) -> None:
    """Stations on one channel wait; those on overlapping channels do not, and half of their power is noise."""
    apart, shared, overlapping = (
        boot_own("two-channels", "udp/saturate", SHORT, f"nodes.ap2.channel={channel}") for channel in (6, 1, 3)
    )
    for ran, least, most in ((apart, 0, 0.01), (shared, 0.05, 0.15), (overlapping, 0.3, 0.6)):
        assert all(least <= attempts_lost(ran, f"sta{n}", f"ap{n}") < most for n in (1, 2))
    totals = [sum(ran.goodputs_mbps().values()) for ran in (apart, shared, overlapping)]
    assert totals[2] < 0.8 * totals[1]
    record(
        Row(
            "phenomena",
            "overlapping channels: one channel to two",
            rounded(totals[1] / totals[0]),
            between=(0.48, 0.52),
        )
    )


def test_a_station_of_11b_costs_nearly_half_by_its_presence(boot_own: Boot) -> None:
    mixed, new = (boot_own("mixed-network", "udp/saturate", SHORT, f"nodes.sta2.mode={mode}") for mode in "bg")
    (slow,), (fast,) = mixed.goodputs_mbps().values(), new.goodputs_mbps().values()
    record(
        Row("phenomena", "mixed b and g: a silent 802.11b station to none", rounded(slow / fast), between=(0.5, 0.6))
    )


def test_a_busy_secondary_channel_leaves_little_of_40_mhz(boot_own: Boot) -> None:
    wide, narrow, alone = (
        boot_own("wide-channel", "udp/saturate", SHORT, change).goodputs_mbps()
        for change in ("nodes.ap1.width=40 MHz", "nodes.ap1.width=20 MHz", "nodes.ap2.channel=48")
    )
    for key, ours, least, most in (
        ("alone", alone["sta1"], 1.45, 1.6),
        ("next to a network", wide["sta1"], 1.0, 1.15),
    ):
        gain = rounded(ours / narrow["sta1"])
        record(Row("phenomena", f"40 MHz to 20 MHz, {key}", gain, between=(least, most)))
    # Its station notices the preamble of each frame of 40 MHz, and waits for its end, and for an EIFS or a BlockAck.
    # The limits were 0.85 to 0.95 before it did (0.90); tests/validation/document.py says when they were changed.
    lost = rounded(wide["sta2"] / narrow["sta2"])
    record(Row("phenomena", "what is left to a network in the secondary channel", lost, between=(0.8, 0.9)))


def test_voice_goes_before_best_effort_and_background_behind(boot_own: Boot) -> None:
    def voice(ran: Ran) -> tuple[int, float, float]:
        """Packets lost, mean and greatest delay in ms."""
        found = ran.flows()["voice"]
        return found["lost"], found["delay_mean_ns"] / 1e6, found["delay_max_ns"] / 1e6

    load = "udp/voice-under-load"
    quiet_lost, quiet_ms, quiet_most_ms = voice(boot_own("edca-priority", "udp/voice", SHORT))
    served = boot_own("edca-priority", load, LONG)
    lost, mean_ms, most_ms = voice(served)
    assert (quiet_lost, lost) == (0, 0)
    assert mean_ms > quiet_ms and most_ms < quiet_most_ms + 2
    later_ms = rounded(mean_ms - quiet_ms)
    record(Row("phenomena", "EDCA: delay that load adds to voice", later_ms, "ms", between=(0, 0.5)))
    (radio,) = [radio for radio in served.looks()[-1]["radios"] if radio["node"] == "sta1"]
    assert radio["vo"]["successes"] > 600  # DSCP EF is access category voice

    equal = boot_own("edca-priority", load, LONG, "processes.voice.run.tos=0")
    equal_lost, equal_ms, equal_most_ms = voice(equal)
    # with five seeds the greatest delay is 1.6 to 3.0 ms, and as best effort 14 to 173 ms
    assert equal_ms > 2 * mean_ms and most_ms < 5 and equal_most_ms > 10
    # Over 60 s the share that is lost is 6.3 % with a standard deviation of 1.5 % (5 seeds). It was 11.7 % while EIFS
    # began too early: stations that heard the voice frame of a collision did not wait for the end of the longer one.
    behind = boot_own("edca-priority", load, "duration=60s", "processes.voice.run.tos=32")
    behind_lost, behind_ms, _ = voice(behind)
    equal_share = (equal_lost + 1) / equal.flows()["voice"]["packets"]
    assert behind_ms > 50 * mean_ms and behind_lost / behind.flows()["voice"]["packets"] > 20 * equal_share


def test_rates_fall_with_distance_and_a_fixed_one_dies_first(boot_own: Boot) -> None:
    def by_place(*settings: str) -> list[float]:
        """Mbit/s in the second second at each place, when rate control knows it."""
        (goodput,) = [
            series
            for series in boot_own("rate-fallback", "udp/saturate", "duration=15s", *settings).sink().series
            if series.name == "goodput/load"
        ]
        found = {round(t_ns / SECOND): value / 1e6 for t_ns, value in zip(goodput.t_ns, goodput.values, strict=True)}
        return [found.get(end_s, 0.0) for end_s in range(3, 16, 2)]

    places_m = (10, 20, 40, 60, 80, 120, 160)
    adapted = dict(zip(places_m, by_place(), strict=True))
    fixed = dict(zip(places_m, by_place("nodes.sta1.rate=54Mbit/s"), strict=True))
    assert all(near >= 0.95 * far for near, far in pairwise(adapted.values()))
    assert adapted[40] > 1.2 * adapted[80] > 1.2 * 1.2 * adapted[120] > 1.2**3 * adapted[160] > 5
    assert all(abs(fixed[place] / adapted[place] - 1) < 0.05 for place in (20, 40))
    assert [fixed[place] for place in (80, 120, 160)] == [0, 0, 0]


def test_a_missing_frame_holds_up_what_follows_if_the_request_to_continue_is_lost_too(boot_own: Boot) -> None:
    (voice,) = boot_own("reorder-stall", "udp/voice", "duration=8s").flows().values()
    assert voice["lost"] == 1
    stall_ms = rounded(voice["delay_max_ns"] / 1e6)  # jiffies of mac80211's timer
    record(Row("phenomena", "a lost BlockAckReq: longest wait", stall_ms, "ms", between=(STALL_MS, STALL_MS + 15)))


def test_losses_come_in_bursts(boot_own: Boot) -> None:
    def lost(coherence: str) -> tuple[int, int]:
        """Packets lost and packets received."""
        (voice,) = (
            boot_own(
                "one-station",
                "udp/voice",
                "nodes.sta1.rate=11 Mbit/s",
                "nodes.sta1.position=[40 m, 0 m, 1 m]",
                f"medium.fading={{model: rayleigh{coherence}}}",
            )
            .flows()
            .values()
        )
        return voice["lost"], voice["packets"]

    each_lost, received = lost(", coherence: frame")
    assert (each_lost, received) == (0, 2900)
    together_lost, _ = lost("")
    share = rounded(100 * together_lost / received)
    record(Row("phenomena", "fading that holds: packets lost in spite of retries", share, "%", between=(0.5, 5)))


def test_who_dozes_waits_for_a_beacon(boot_own: Boot) -> None:
    roles = ("nodes.h1.roles=[client]", "nodes.sta1.roles=[server]", "processes.voice.run.every=250 ms")
    (awake,) = boot_own("one-station", "udp/voice", *roles).flows().values()
    (dozes,) = boot_own("one-station", "udp/voice", *roles, "nodes.sta1.power_save=true").flows().values()
    assert awake["lost"] == dozes["lost"] == 0
    assert awake["delay_max_ns"] < 1e6
    mean_ms = rounded(dozes["delay_mean_ns"] / 1e6)
    record(Row("phenomena", "power save: mean delay, half a beacon interval", mean_ms, "ms", [51.2], relative=0.1))


def test_flows_that_do_not_follow_lose_pings_and_air(boot_own: Boot) -> None:
    """The server's flow leads to the old access point, which sends each answer again and again."""
    lost, wasted = {}, {}
    for app in ("learning", "roaming"):
        ran = boot_own("openflow-handoff", "ping/roaming", f"topology.nodes.c0.app={app}")
        (share,) = re.findall(r"([\d.]+)% packet loss", ran.raw("echo.out"))
        lost[app] = float(share)
        wasted[app] = attempts_lost(ran, "ap1", "sta1")
    assert lost["learning"] > 80 > 1 > lost["roaming"]
    assert wasted["learning"] > 0.8 > 0.2 > wasted["roaming"]


def test_a_connection_does_not_survive_a_new_address(boot_own: Boot) -> None:
    pings = boot_own("two-subnets", "ping/roaming").raw("echo.out")
    (share,) = re.findall(r"([\d.]+)% packet loss", pings)
    assert float(share) < 1
    download = boot_own("two-subnets", "http/download", "processes.fetch.may_run_on=true")
    *samples, _ = download.raw("fetch.size").splitlines()  # then the check sum
    sizes = [int(line.split()[1]) for line in samples]
    assert sizes[4] > 1e6 and len(set(sizes[6:])) == 1
