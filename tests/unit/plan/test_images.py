# SPDX-License-Identifier: MIT
"""Images of a topology's nodes in plans: where they are looked for, and what a trial depends on."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest

from lab.builders.image.image import Image
from lab.builders.image.initrd import Initrd
from lab.builders.image.node_image import NodeImage
from lab.builders.kernel.kernel import Kernel
from lab.errors import InputError
from lab.experiments.run import trials
from lab.machine.guest_code import GuestCode
from lab.machine.machine import Machine
from lab.plan.load import load
from lab.shared.types import Plan

TOPOLOGY = "name: home\nnodes:\n  h1: {kind: host, image: gateway}\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current directory, which is another one than that of the topologies."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def image(folder: Path, memory: str = "96 MiB") -> None:
    folder.mkdir(parents=True)
    (folder / "image.yaml").write_text(f"memory: {memory}\n")


def plan_of(project: Path) -> Plan:
    project.mkdir(exist_ok=True)
    (project / "home.yaml").write_text(TOPOLOGY)
    return load(str(project / "home.yaml"), "idle")


def test_an_image_next_to_the_topology_is_found_from_anywhere(tmp_path: Path) -> None:
    image(tmp_path / "project" / "images" / "gateway")
    plan = plan_of(tmp_path / "project")
    assert plan.node("h1").memory_bytes == 96 << 20
    assert plan.image_folders == {"gateway": str(tmp_path / "project" / "images" / "gateway")}
    assert Plan.from_json(plan.to_json()) == plan


def test_an_image_of_the_current_directory_needs_no_folder_in_the_plan(here: Path, tmp_path: Path) -> None:
    image(here / "images" / "gateway")
    assert "image_folders" not in plan_of(tmp_path / "project").to_json()


def test_where_an_image_is_found_is_not_content(here: Path, tmp_path: Path) -> None:
    image(here / "images" / "gateway")
    found_here = plan_of(tmp_path / "project").to_json()
    image(tmp_path / "project" / "images" / "gateway")
    found_elsewhere = plan_of(tmp_path / "project").to_json()
    assert found_here != found_elsewhere
    assert trials.key(found_here, {}) == trials.key(found_elsewhere, {})


def test_an_unknown_image_is_reported_with_its_line_and_where_it_was_looked_for(here: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError) as failure:
        plan_of(tmp_path / "project")
    first, hint = str(failure.value).splitlines()
    assert first.startswith(
        f'{tmp_path}/project/home.yaml:3  nodes.h1.image: unknown image "gateway"; looked for a folder of that '
        f"name in {tmp_path}/project/images, {tmp_path}/images, images, "
    )
    assert hint == "  known: browser, controller, freeradius, frr, mail, other-peer, peer, samba"


def test_one_name_cannot_stand_for_two_images(tmp_path: Path) -> None:
    """As in an experiment with two topologies from two projects."""
    for name in ("one", "other"):
        image(tmp_path / name / "images" / "gateway")
    plans = [plan_of(tmp_path / name) for name in ("one", "other")]
    built = NodeImage("gateway", tmp_path, "", {}, "")
    machine = Machine(
        cast(Kernel, None),
        cast(Image, None),
        cast(Initrd, None),
        cast(GuestCode, None),
        node_images={"gateway": built},
        image_folders=plans[0].image_folders,
    )
    assert machine.has_images(plans[0])
    with pytest.raises(InputError, match="two images have the same name: .*/one/images/gateway and .*/other/images/"):
        machine.has_images(plans[1])
