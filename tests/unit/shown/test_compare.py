# SPDX-License-Identifier: MIT
"""Shown lines compared with printed ones: what agrees, what is stale, what is not clear, what is written."""

from __future__ import annotations

import pytest

from tests.shown.compare import MINUS, compare, plain, same, skeleton

PRINTED = """\
Transfers

 process                    bytes  time, s  goodput, Mbit/s
 ──────────────────────────────────────────────────────────
 load@sta1  8 201 984 (7.822 MiB)       29            2.262
 load@sta2    981 056 (958.1 KiB)    28.71           0.2614
 load@sta3          0 (0 B)              0                0

 process    packets  mean delay  least   most  lost
 ──────────────────────────────────────────────────
 load@sta1     1018       32.83  4.299  77.23   832
 load@sta2     1003       33.81  4.299  77.03   818

All 2 checks passed
report: runs/20261122-005957-cafe--call-seed1/report.html
""".splitlines()


def of(text: str) -> list[str]:
    return text.splitlines()[1:]


@pytest.mark.parametrize(
    "shown",
    [
        PRINTED,
        [" load@sta1     1018       32.83  4.299  77.23   832", "…", "All 2 checks passed"],
        ["load@sta2  981 056 (958.1 KiB)  28.71  0.2614"],  # columns at other places
        [" process    packets  mean delay  least   most  lost   ", " ──────"],
        ["report: runs/20200101-000000-cafe--call-seed1/report.html"],
        [" process    packets  mean …"],
        [],
    ],
)
def test_a_selection_of_the_printed_lines_in_their_order_agrees(shown: list[str]) -> None:
    found = compare(shown, PRINTED)
    assert found.agrees
    assert found.lines == shown


@pytest.mark.parametrize(
    ("shown", "printed"),
    [
        (" load@sta1  8 201 985 (7.822 MiB)       29            2.262", PRINTED[4]),
        (" load@sta2    1 481 056 (1.412 MiB)  28.71           0.2614", PRINTED[5]),
        (f" load@sta2     1003       33.81  4.299  {MINUS}77.03   818", PRINTED[11]),
        ("All 3 checks passed", PRINTED[13]),
    ],
)
def test_a_line_with_other_numbers_is_stale_and_is_replaced(shown: str, printed: str) -> None:
    found = compare([shown], PRINTED)
    assert [(pair.shown, pair.printed) for pair in found.stale] == [(shown, printed)]
    assert found.lines == [printed]
    assert not found.unclear


@pytest.mark.parametrize(
    "shown", [" load@sta4     1003       33.81  4.299  77.03   818", "All 2 checks failed", "nonsense"]
)
def test_a_line_with_other_words_is_for_a_person(shown: str) -> None:
    found = compare([PRINTED[0], shown], PRINTED)
    assert [pair.place for pair in found.unclear] == [1]
    assert found.lines == [PRINTED[0], shown]


def test_lines_in_another_order_do_not_agree() -> None:
    assert [pair.place for pair in compare([PRINTED[13], PRINTED[0]], PRINTED).unclear] == [0, 1]


def test_rows_are_written_in_the_order_in_which_their_table_has_them_now() -> None:
    shown = of("""
 process    packets  mean delay  least   most  lost
 ──────────────────────────────────────────────────
 load@sta2       99       33.81  4.299  77.03   818
 load@sta1     1018       32.83  4.299  77.23   832""")
    found = compare(shown, PRINTED)
    assert found.lines == PRINTED[8:12]
    assert [(pair.place, pair.shown == pair.printed) for pair in found.stale] == [(2, False), (3, True)]
    assert [pair.printed for pair in found.stale] == [PRINTED[11], shown[3]]


def test_rows_are_in_the_order_of_the_table_whose_head_is_shown() -> None:
    printed = of("""
 from  air time, %
 ─────────────────
 sta2         12.5
 sta1         11.5
 to    frames
 ────────────
 sta1     120
 sta2     115""")
    assert compare([*printed[4:6], " sta1  99", " sta2  98"], printed).lines == printed[4:]
    assert compare([*printed[:2], " sta1  99", " sta2  98"], printed).lines == printed[:4]


def test_columns_of_a_block_are_those_of_one_output() -> None:
    shown = of("""
 process                    bytes  time, s  goodput, Mbit/s
 ──────────────────────────────────────────────────────────
 load@sta1     77 (77 B)   29            2.262
report: runs/20200101-000000-cafe--call-seed1/report.html""")
    found = compare(shown, PRINTED)
    assert found.lines == [*PRINTED[2:5], shown[3]]
    assert len(found.stale) == 1


FRAMES = """\
0.1\t1\t\tBeacon frame, SN=1
0.2\t6\t-42\tRequest
0.3\t6\t-42\tAcknowledgement
0.4\t1\t\tBeacon frame, SN=2
0.5\t6\t-42\tAcknowledgement
""".splitlines()


def test_which_of_several_lines_alike_is_meant_is_reported_by_the_neighbour_or_by_nobody() -> None:
    found = compare(["0.25\t6\t-42\tRequest", "0.35\t6\t-42\tAcknowledgement"], FRAMES)
    assert found.lines == FRAMES[1:3]
    assert not found.unclear
    found = compare(["0.25\t6\t-42\tRequest", "…", "0.35\t6\t-42\tAcknowledgement"], FRAMES)
    assert found.lines == [FRAMES[1], "…", "0.35\t6\t-42\tAcknowledgement"]
    assert [pair.place for pair in found.unclear] == [2]
    assert compare(["0.2\t6\t-42\tRequest", "…", "0.5\t6\t-42\tAcknowledgement"], FRAMES).agrees


def test_lines_next_to_one_that_is_gone_do_not_change() -> None:
    shown = ["0.15\t6\t-42\tReply", "0.25\t6\t-42\tRequest", "…", "0.45\t1\t\tBeacon frame, SN=2"]
    found = compare(shown, FRAMES)
    assert [(pair.place, pair.printed) for pair in found.unclear] == [(0, None), (1, FRAMES[1])]
    assert [pair.printed for pair in found.stale] == [FRAMES[3]]
    assert found.lines == [*shown[:3], FRAMES[3]]


def test_names_are_words_and_quantities_are_numbers() -> None:
    assert skeleton(f" load@sta2  1 476 416 (1.408 MiB)  {MINUS}28.98") == ("load@sta2", "# (# B)", "#")
    assert skeleton("12.04  ap1 → ap2  1e-05  loss.max = 1.33333%, wanted < 1%") == (
        "#",
        "ap1 → ap2",
        "#",
        "loss.max = #%, wanted < #%",
    )
    assert skeleton("10.0.0.1/8 02:00:01:00:03:00 2181b3ca") == ("10.0.0.1/8 02:00:01:00:03:00 2181b3ca",)


def test_what_depends_on_the_date_is_not_compared() -> None:
    assert plain("report: runs/20261122-005957-a-seed1/report.html ") == "report: runs/a-seed1/report.html"
    assert same("x …", "x y")
    assert not same("x", "x y")
