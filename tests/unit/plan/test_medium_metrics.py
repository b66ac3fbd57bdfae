# SPDX-License-Identifier: MIT
"""What metrics of the medium may be computed of."""

from __future__ import annotations

import pytest

from tests.refused import refused

from .conftest import TOPOLOGY, WORKLOAD, Plans

MEDIUM = f"{TOPOLOGY}medium: {{}}\n"


def workload(metric: str) -> str:
    return f"{WORKLOAD}metrics:\n  {metric}\n"


def refusal(plans: Plans, metric: str, topology: str = MEDIUM) -> str:
    return refused(plans, topology, workload(metric))


def test_roles_become_their_nodes_and_words_stay(plans: Plans) -> None:
    (metric,) = plans(MEDIUM, workload('air-share: {of: [data, client, ap1], unit: "%"}')).metrics
    assert (metric.kind, metric.of) == ("air-share", ["data", "sta1", "sta2", "ap1"])
    (metric,) = plans(MEDIUM, workload('fer: {kind: frame-loss, of: client, unit: "%", per: node}')).metrics
    assert (metric.name, metric.kind, metric.of, metric.per) == ("fer", "frame-loss", ["sta1", "sta2"], "node")


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ('air-share: {of: overlaps, unit: "%"}', 'unknown role "overlaps" (did you mean overlap?); known: idle, '),
        ('frame-loss: {of: data, unit: "%"}', 'unknown role "data"; known: server, client, h1, '),
        (
            'frame-loss: {of: server, unit: "%"}',
            '"server" includes nodes without a radio: h1; name stations or access points',
        ),
        ("frame-loss: {of: client, unit: dB}", 'unit: "dB" is not a unit of this metric; known: %'),
        (
            'frame-loss: {of: client, unit: "%", per: frame}',
            'per: "frame" is not possible here; known: link, node',
        ),
    ],
)
def test_what_cannot_be_is_refused(plans: Plans, metric: str, message: str) -> None:
    found = refusal(plans, metric)
    assert found.startswith("w.yaml:5  metrics.") and message in found


def test_they_need_a_medium(plans: Plans) -> None:
    found = refusal(plans, 'frame-loss: {of: client, unit: "%"}', TOPOLOGY)
    assert found.startswith(
        "w.yaml:5  metrics.frame-loss: is computed from an 802.11 medium, and the topology has none"
    )
    assert "--set medium={}" in found
