# SPDX-License-Identifier: MIT
"""The synthetic walk and the synthetic picture: what is committed is what their programs make."""

from __future__ import annotations

import importlib.util
import itertools
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from PIL import Image

STACK = Path(__file__).parents[2]


def program(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def walk() -> ModuleType:
    return program(STACK / "tracker" / "walk.py")


@pytest.fixture(scope="module")
def draw() -> ModuleType:
    return program(STACK / "pictures" / "draw.py")


def test_the_walk_is_what_its_program_makes(walk: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    walk.main()
    assert capsys.readouterr().out == (STACK / "tracker" / "walk.csv").read_text()


def test_the_walk_has_the_papers_figures(walk: ModuleType) -> None:
    points = walk.walk()
    assert len(points) == 945
    assert walk.mean_speed_m_s(points) == pytest.approx(1.56, abs=1e-6)


def test_somebody_could_walk_so(walk: ModuleType) -> None:
    """Nobody runs, somebody stands still now and then, and the way has corners."""
    points = walk.walk()
    speeds = [walk.distance_m(start, end) for start, end in itertools.pairwise(points)]
    assert max(speeds) < 3.5
    assert 20 < sum(speed < 0.7 for speed in speeds) < 200
    apart = walk.distance_m(min(points), max(points))
    assert 200 < apart < 600


def test_another_seed_is_another_walk_of_the_same_speed(walk: ModuleType) -> None:
    other = walk.walk(seed=1)
    assert other != walk.walk()
    assert walk.mean_speed_m_s(other) == pytest.approx(1.56, abs=1e-6)


def test_the_picture_is_what_its_program_draws(draw: ModuleType) -> None:
    with Image.open(STACK / "pictures" / "picture.ppm") as image:
        assert np.array_equal(np.asarray(image), draw.scene())


def test_the_jpeg_is_the_same_picture_with_a_restart_marker_a_row(draw: ModuleType) -> None:
    path = STACK / "pictures" / "picture.jpg"
    with Image.open(path) as image:
        error = np.asarray(image.convert("RGB"), dtype=float) - draw.scene()
    assert 10 * np.log10(255**2 / np.mean(error**2)) > 30
    jpeg = path.read_bytes()
    assert sum(jpeg.count(bytes([0xFF, 0xD0 + number])) for number in range(8)) == draw.HEIGHT // 8 - 1
    assert draw.head_bytes(jpeg) == 629  # as workloads/sap/picture.yaml says
