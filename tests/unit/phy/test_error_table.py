# SPDX-License-Identifier: MIT
"""Curves from a user's file, and how its mistakes are reported."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.errors import InputError, InputErrors, LabError
from lab.phy.curves import NAMED
from lab.phy.error_models import ErrorModel, load
from lab.phy.error_models.table import parse
from lab.phy.error_rates import hazard, per
from lab.phy.kernel_table import kernel_table
from tests.refused import refused

from .snr import snr_at_per

BPSK = NAMED["bpsk-1/2"]


def written(folder: Path, *lines: str) -> Path:
    path = folder / "mine.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def model_of(path: Path) -> ErrorModel:
    return load("table", file=str(path), text=path.read_text())


def mistake(folder: Path, *lines: str) -> str:
    return refused(model_of, written(folder, *lines)).replace(f"{folder}/", "")


def test_bit_error_rates(tmp_path: Path) -> None:
    path = written(tmp_path, "# mine", "curve,snr_db,ber", "bpsk-1/2, 0, 1e-2", "", "bpsk-1/2, 2, 1e-4")
    hazards = hazard(model_of(path), BPSK, [-2, 0, 1, 2, 4])
    # h(0) = -ln(0.99) = 0.010050, h(2) = 1.00005e-4; between, and a step further, their geometric means
    ratio = 0.01005034 / 1.00005e-4
    expected = [0.01005034 * ratio, 0.01005034, math.sqrt(0.01005034 * 1.00005e-4), 1.00005e-4, 1.00005e-4 / ratio]
    assert hazards == pytest.approx(expected, rel=1e-5)


def test_frame_error_rates(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "curve,snr_db,per,bits",
        "qpsk-1/2,5,1,800",
        "qpsk-1/2,6,0.5,800",
        "bpsk-1/2,1,.9,800",
        "bpsk-1/2,3,.1,80",
    )
    model = model_of(path)
    assert per(model, BPSK, [1, 3], 800) == pytest.approx([0.9, 1 - 0.9**10])
    assert per(model, NAMED["qpsk-1/2"], [-60, 5, 6], 800) == pytest.approx([1, 1, 0.5])
    assert snr_at_per(model, NAMED["qpsk-1/2"], 0.5, 100) == pytest.approx(6.0)


def test_a_rate_of_0_ends_a_curve(tmp_path: Path) -> None:
    path = written(tmp_path, "curve,snr_db,ber", "bpsk-1/2,0,.1", "bpsk-1/2,2,.01", "bpsk-1/2,4,0", "bpsk-1/2,9,0")
    model = model_of(path)
    assert hazard(model, BPSK, 3.99) == pytest.approx(0.001, rel=0.05)
    assert list(hazard(model, BPSK, [4, 5, 50])) == [0, 0, 0]
    table = kernel_table(model, BPSK)
    assert table.model == "table" and table.start_mb + (len(table.values) - 1) * table.step_mb == 400


def test_a_curve_that_loses_nothing_in_the_whole_range(tmp_path: Path) -> None:
    path = written(tmp_path, "curve,snr_db,ber", "bpsk-1/2,-90,.1", "bpsk-1/2,-80,.01", "bpsk-1/2,-70,0")
    assert list(kernel_table(model_of(path), BPSK).values) == [0]


def test_a_byte_order_mark_and_windows_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_bytes(b"\xef\xbb\xbfcurve,snr_db,ber\r\nbpsk-1/2,0,.1\r\nbpsk-1/2,2,.01\r\n")
    assert hazard(model_of(path), BPSK, 2) == pytest.approx(-math.log(0.99))


def test_a_text_that_has_been_read_already() -> None:
    model = load("table", file="mine.csv", text="\N{BYTE ORDER MARK}curve,snr_db,ber\nbpsk-1/2,0,.1\nbpsk-1/2,2,.01\n")
    assert hazard(model, BPSK, 2) == pytest.approx(-math.log(0.99))
    assert model.has(BPSK) and not model.has(NAMED["cck-11"])
    with pytest.raises(InputError, match=r"^mine.csv:2  has 1 value"):
        load("table", file="mine.csv", text="curve,snr_db,ber\nx\n")


def test_a_curve_that_the_file_lacks(tmp_path: Path) -> None:
    model = model_of(written(tmp_path, "curve,snr_db,ber", "bpsk-1/2,0,.1", "bpsk-1/2,2,.01"))
    with pytest.raises(InputError, match=r"mine.csv  has no curve cck-11, only bpsk-1/2; add rows for it"):
        hazard(model, NAMED["cck-11"], 0)


def test_a_curve_that_hardly_falls_is_no_table_for_the_kernel(tmp_path: Path) -> None:
    model = model_of(written(tmp_path, "curve,snr_db,ber", "bpsk-1/2,0,.1", "bpsk-1/2,2,.0999"))
    with pytest.raises(
        InputError, match="curve bpsk-1/2 of error model table still has errors at 100 dB; make its last"
    ):
        kernel_table(model, BPSK)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["bpsk-1,0,.1"], 'mine.csv:2  unknown curve "bpsk-1" (did you mean bpsk-1/2?); known: dsss-1'),
        (["bpsk-1/2,0"], "mine.csv:2  has 2 values; write curve,snr_db,ber"),
        (["bpsk-1/2,low,.1"], 'mine.csv:2  snr_db is "low"; write a number'),
        (["bpsk-1/2,nan,.1"], 'mine.csv:2  snr_db is "nan"; write a number'),
        (["bpsk-1/2,0,10%"], 'mine.csv:2  ber is "10%"; write a number'),
        (["bpsk-1/2,0,1.5"], "mine.csv:2  ber is 1.5; an error rate is a number from 0 to 1"),
        (["bpsk-1/2,0,-1"], "mine.csv:2  ber is -1; an error rate is a number from 0 to 1"),
        (["bpsk-1/2,2,.1", "bpsk-1/2,2,.01"], "mine.csv:3  bpsk-1/2: 2 dB comes after 2 dB; sort the rows by SNR"),
        (["bpsk-1/2,2,.1", "bpsk-1/2,3,.2"], "mine.csv:3  bpsk-1/2: more errors than at 2 dB; error rates must not"),
        (["bpsk-1/2,2,.1", "bpsk-1/2,3,0"], "mine.csv:2  bpsk-1/2: needs two rows with an error rate above 0"),
        (["bpsk-1/2,2,.1", "bpsk-1/2,3,.1", "bpsk-1/2,4,.01"], "mine.csv:3  bpsk-1/2: the first two rows above 0 have"),
        (["bpsk-1/2,2,.1", "bpsk-1/2,3,.01", "bpsk-1/2,4,.01"], "mine.csv:4  bpsk-1/2: the last two rows above 0 have"),
    ],
)
def test_a_mistake_is_reported_with_its_line(tmp_path: Path, rows: list[str], message: str) -> None:
    assert mistake(tmp_path, "curve,snr_db,ber", *rows).startswith(message)


def test_frames_have_whole_bits(tmp_path: Path) -> None:
    assert "mine.csv:2  bits is 0; write the length" in mistake(tmp_path, "curve,snr_db,per,bits", "dsss-1,0,.1,0")
    assert "mine.csv:2  bits is 1.5; write the length" in mistake(tmp_path, "curve,snr_db,per,bits", "dsss-1,0,.1,1.5")


def test_all_mistakes_are_reported_together(tmp_path: Path) -> None:
    with pytest.raises(InputErrors) as failure:
        model_of(written(tmp_path, "curve,snr_db,ber", "bpsk-1/2,x,.1", "qpsk-1/2,0,2"))
    assert [str(error).split("  ")[0].rsplit("/")[-1] for error in failure.value.errors] == ["mine.csv:2", "mine.csv:3"]


def test_the_first_line_says_what_the_columns_are(tmp_path: Path) -> None:
    text = mistake(tmp_path, "# mine", "bpsk-1/2,0,.1")
    assert text.startswith('mine.csv:2  starts with "bpsk-1/2,0,.1"; the first line must be curve,snr_db,ber or curve,')
    assert mistake(tmp_path, "").startswith('mine.csv:1  starts with ""; the first line must be')


@given(st.text(max_size=200) | st.text("bpsk-12/,0.1e\n", max_size=100).map("curve,snr_db,ber\n{}".format))
def test_any_text_is_read_or_refused(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_text(text, encoding="utf-8", errors="replace")
    try:
        assert isinstance(parse(str(path), path.read_text(encoding="utf-8")), dict)
    except LabError as error:
        assert "any.csv" in str(error)


@given(st.lists(st.tuples(st.floats(0.01, 5), st.floats(0.5, 9)), min_size=2, max_size=8), st.floats(-40, 40))
def test_what_is_written_comes_back_and_nothing_rises(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[float, float]], snr_db: float
) -> None:
    snrs = np.cumsum([step for step, _ in steps])
    rates = np.exp(-np.cumsum([fall for _, fall in steps]))
    path = tmp_path_factory.getbasetemp() / "rates.csv"
    rows = [f"bpsk-1/2,{snr!r},{rate!r}" for snr, rate in zip(snrs.tolist(), rates.tolist(), strict=True)]
    path.write_text("curve,snr_db,ber\n" + "\n".join(rows))
    model = model_of(path)
    assert hazard(model, BPSK, snrs) == pytest.approx(-np.log1p(-rates), rel=1e-9)
    low, high = hazard(model, BPSK, [snr_db, snr_db + 0.5])
    assert 0 <= high <= low <= 15
