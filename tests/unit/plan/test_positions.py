# SPDX-License-Identifier: MIT
"""Positions with a name."""

from __future__ import annotations

import pytest

from tests.refused import refused

from .conftest import Plans

TEXT = """\
name: here
positions: {desk: [4 m, 0 m, 1 m], 12.2 m: [3 m, -1 m, 2 m]}
nodes:
  sta1: {kind: sta, adhoc: {ssid: x}, roles: [client], position: desk}
  h1: {kind: host, roles: [server]}
"""


@pytest.mark.parametrize(("name", "at"), [("desk", [4, 0, 1]), ("12.2 m", [3, -1, 2]), ("[1 m, 0 m, 0 m]", [1, 0, 0])])
def test_a_node_is_at_a_position_with_a_name(plans: Plans, name: str, at: list[float]) -> None:
    assert plans(TEXT, overrides=[f"nodes.sta1.position={name}"]).nodes[0].position_m == at


def test_an_unknown_position_is_reported_with_the_known(plans: Plans) -> None:
    text = TEXT.replace("position: desk", "position: desc")
    assert refused(plans, text) == (
        't.yaml:4  nodes.sta1.position: unknown position "desc" (did you mean desk?); known: desk, 12.2 m'
    )


def test_without_positions_a_node_needs_coordinates(plans: Plans) -> None:
    text = TEXT.replace("positions: {desk: [4 m, 0 m, 1 m], 12.2 m: [3 m, -1 m, 2 m]}\n", "")
    assert refused(plans, text.replace("position: desk", "position: 40 m")) == (
        "t.yaml:3  nodes.sta1.position: needs three coordinates, such as [30 m, 0 m, 2 m], or a name of positions:"
    )


MOVE = "timeline:\n  - {at: 1 s, move: sta1, to: desk}\n"


def test_a_node_moves_to_a_position_with_a_name(plans: Plans) -> None:
    (moved,) = plans(TEXT.replace("position: desk", "position: 12.2 m") + MOVE).events
    assert moved.params == {"position_m": [4, 0, 1]}


def test_a_move_to_an_unknown_position_is_reported_with_the_known(plans: Plans) -> None:
    assert refused(plans, TEXT + MOVE.replace("desk", "desc")) == (
        't.yaml:7  timeline.0.to: unknown position "desc" (did you mean desk?); known: desk, 12.2 m'
    )
