# SPDX-License-Identifier: MIT
"""Where nodes are while they move."""

from __future__ import annotations

import pytest

from lab.plan.timeline.movement import Courses
from lab.shared.types import Node

S = 10**9


def node(name: str, *position_m: float) -> Node:
    return Node(name, "sta", [], None, 0, 0, list(position_m) or None, [], None, 1)


def test_a_jump() -> None:
    sta1, courses = node("sta1", 0, 0, 0), Courses()
    courses.move(sta1, 5 * S, (1, 2, 3), None)
    assert courses.position_m(sta1, 5 * S - 1) == (0, 0, 0)
    assert courses.position_m(sta1, 5 * S) == (1, 2, 3)
    assert courses.waypoints(S, 10 * S) == {5 * S: {"sta1": (1, 2, 3)}}


def test_a_node_without_a_position_can_only_jump() -> None:
    sta1, courses = node("sta1"), Courses()
    assert courses.position_m(sta1, 0) is None
    with pytest.raises(ValueError, match="no start position"):
        courses.move(sta1, S, (1, 1, 1), 1.0)
    courses.move(sta1, S, (1, 1, 1), None)
    assert courses.position_m(sta1, S) == (1, 1, 1)


def test_a_straight_line_at_constant_speed() -> None:
    sta1, courses = node("sta1", 0, 0, 0), Courses()
    courses.move(sta1, 5 * S, (3, 4, 0), 2.0)  # 5 m in 2.5 s
    assert courses.position_m(sta1, 6 * S) == pytest.approx((1.2, 1.6, 0))
    assert courses.position_m(sta1, 9 * S) == (3, 4, 0)
    assert list(courses.waypoints(S, 60 * S)) == [6 * S, 7 * S, 7_500_000_000]
    assert courses.waypoints(S, 60 * S)[7_500_000_000] == {"sta1": (3, 4, 0)}
    assert courses.steps(S, 60 * S) == 2
    assert list(courses.waypoints(S, 7 * S)) == [6 * S], "the run has ended"
    assert list(courses.waypoints(10 * S, 60 * S)) == [7_500_000_000]


def test_a_move_ends_where_the_next_one_begins() -> None:
    sta1, courses = node("sta1", 0, 0, 0), Courses()
    courses.move(sta1, 0, (10, 0, 0), 1.0)
    courses.move(sta1, 2_500_000_000, (2.5, 10, 0), 1.0)
    assert courses.position_m(sta1, 2_500_000_000) == (2.5, 0, 0)
    assert courses.position_m(sta1, 3_500_000_000) == (2.5, 1, 0)
    assert list(courses.waypoints(S, 4 * S)) == [S, 2 * S, 3_500_000_000]


def test_of_two_jumps_at_once_the_last_one_counts() -> None:
    sta1, courses = node("sta1", 0, 0, 0), Courses()
    courses.move(sta1, S, (1, 0, 0), None)
    courses.move(sta1, S, (2, 0, 0), None)
    assert courses.waypoints(S, 10 * S) == {S: {"sta1": (2, 0, 0)}}


def test_no_way_takes_no_time() -> None:
    sta1, courses = node("sta1", 1, 1, 1), Courses()
    courses.move(sta1, S, (1, 1, 1), 1.0)
    assert courses.waypoints(S, 10 * S) == {S: {"sta1": (1, 1, 1)}}


def test_nodes_that_move_at_once_share_a_time() -> None:
    sta1, sta2, courses = node("sta1", 0, 0, 0), node("sta2", 0, 0, 0), Courses()
    courses.move(sta1, 0, (2, 0, 0), 1.0)
    courses.move(sta2, S, (0, 9, 0), None)
    assert courses.waypoints(S, 9 * S) == {S: {"sta1": (1, 0, 0), "sta2": (0, 9, 0)}, 2 * S: {"sta1": (2, 0, 0)}}
