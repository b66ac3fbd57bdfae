# SPDX-License-Identifier: MIT
"""The tables of published.md and place.md that are computed are those that published.py computes."""

from __future__ import annotations

from pathlib import Path

from workloads.dccp import published

STACK = Path(__file__).parents[2]


def test_the_documents_have_the_computed_tables() -> None:
    columns, place = (STACK / "published.md").read_text(), (STACK / "place.md").read_text()
    assert "\n".join(published.columns()) in columns
    assert "\n".join(published.sums()) in place
    assert "\n".join(published.processor()) in place


def test_corrected_numbers_are_those_of_the_amounts() -> None:
    """Within 0.5 %; UDP's amounts of table 4 were counted with packets of 512 bytes."""
    for flow in published.flows():
        if (flow.table, flow.row, flow.protocol) in published.CORRECTED_KBPS:
            size = 1424 / 512 if flow.protocol == "UDP" else 1
            assert abs(flow.corrected_kbps / (flow.implied_kbps * size) - 1) < 0.005, flow
