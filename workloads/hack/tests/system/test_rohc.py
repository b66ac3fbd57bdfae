# SPDX-License-Identifier: MIT
"""ROHC-TCP is given the TCP ACKs of runs, and restores each of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lab import record
from lab.errors import InputError
from tests.system.conftest import Ran
from workloads.hack.rohc import __main__ as rohc
from workloads.hack.rohc.header import Sack, Timestamps

pytestmark = pytest.mark.guest

WORKLOAD = "hack/download-captured"
SHORT = ("workload.duration=4 s", "processes.flow.run.duration=2 s")
HACK = ("nodes.ap1.hack=more-data", "nodes.sta1.hack=more-data")
DATA_LOST = "workload.timeline=[{at: 1500 ms, fault: lose, frames: data, from: ap1, to: sta1, share: 30%, count: 3000}]"
AGGREGATED = ("nodes.ap1.mode=n", "nodes.ap1.rate=MCS 7", "nodes.sta1.rate=MCS 7", "nodes.sta2.rate=MCS 7")
NO_TIMESTAMPS = "nodes.sta1.sysctls={net.ipv4.tcp_timestamps: 0}"


def recorded(ran: Ran) -> Path:
    record.build(ran.directory, hashes={})
    return ran.directory


@pytest.mark.parametrize(
    ("settings", "least"),
    [((), 6), ((NO_TIMESTAMPS,), 4), ((*AGGREGATED, DATA_LOST), 6)],
    ids=["timestamps", "no timestamps", "n, losses"],
)
def test_all_acks_of_a_run(boot_own: Callable[..., Ran], settings: tuple[str, ...], least: int) -> None:
    found = rohc.acks(recorded(boot_own("downloads", WORKLOAD, *SHORT, *HACK, *settings)))
    assert len(found.headers) >= found.compressed > 500
    aggregated = AGGREGATED[0] in settings
    if not aggregated:
        assert len(found.headers) - found.compressed < 20
    assert found.flows == 2  # iperf3's control connection, and its data
    kinds = {type(option) for header in found.headers for option in header.options}
    assert Sack in kinds and (Timestamps in kinds) == (least == 6)  # slow start overflows a queue
    before = sum(len(header.packed()) for header in found.headers)
    for lost in rohc.LOSSES:
        row, forms = rohc.compressed(found.headers, lost)  # restores each
        assert forms.total() == len(found.headers) and row.whole == forms["IR"] == 2 * (lost + 1)
        assert least * row.compressed <= row.compressed_bytes < before / 3
        # an ACK of an A-MPDU is more than lsb(4, 3) of segments after the one before
        assert aggregated == (forms["seq_4"] < len(found.headers) / 2)


def test_runs_without_the_acks(boot_own: Callable[..., Ran]) -> None:
    without = recorded(boot_own("downloads", WORKLOAD, *SHORT))
    with pytest.raises(InputError, match="no TCP ACK went with a link-layer ACK\n.*set hack: more-data"):
        rohc.acks(without)
    elsewhere = recorded(boot_own("downloads", "hack/download", *SHORT, *HACK))
    with pytest.raises(InputError, match="acks.pcap is missing\n.*run the workload hack/download-captured"):
        rohc.acks(elsewhere)
