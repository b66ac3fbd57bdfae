# SPDX-License-Identifier: MIT
"""``lab list``, the help, and ``lab show`` of a topology alone."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lab.cli.entry import main
from lab.cli.lists import print_list
from lab.cli.main import app

TABLE = "name: web/table\nabout: A table of a paper.\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "workloads" / "web" / "experiments"
    folder.mkdir(parents=True)
    (folder / "table.yaml").write_text(TABLE)
    (folder / "broken.yaml").write_text("name: [\n")
    return tmp_path


def test_show_needs_no_workload() -> None:
    shown = CliRunner().invoke(app, ["show", "wired-pair"]).stdout
    assert shown == CliRunner().invoke(app, ["show", "wired-pair", "idle"]).stdout
    assert shown.startswith("idle on wired-pair: 60 s, seed 1\n")


def test_show_draws_a_topology_before_any_run(here: Path) -> None:
    ended = CliRunner().invoke(app, ["show", "wired-pair", "--svg", "drawn.svg"])
    assert ended.exit_code == 0 and ended.stdout == ""
    root = ET.parse(here / "drawn.svg").getroot()
    words = {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"h1", "h2", "s1", "100 Mbit/s, delay 5 ms"} <= words


def test_a_drawing_that_cannot_be_written_is_explained(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = said("show", "wired-pair", "--svg", "no/drawn.svg", capsys=capsys, monkeypatch=monkeypatch)
    assert lines == ["lab: cannot write no/drawn.svg: No such file or directory", "  choose another file with --svg"]


def test_a_drawing_has_the_name_of_its_format(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = said("show", "wired-pair", "--svg", "drawn.png", capsys=capsys, monkeypatch=monkeypatch)
    assert lines == ["lab: drawn.png is not the name of an SVG file; write --svg drawn.svg"]
    assert not (here / "drawn.png").exists()


FLOW = "name: flow\nroles: {server: 1}\nduration: 5 s\n"
PLACE = "name: place\nnodes:\n  h1: {kind: host, roles: [server]}\n"


def said(*words: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the command prints on standard error."""
    monkeypatch.setattr("sys.argv", ["lab", *words])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    return capsys.readouterr().err.splitlines()


@pytest.mark.parametrize("verb", ["run", "show", "run --dry-run"])
@pytest.mark.parametrize("names", [("flow.yaml", "place.yaml"), ("ping/ping", "one-ap"), ("flow.yaml", "one-ap")])
def test_topology_and_workload_in_the_wrong_order(
    names: tuple[str, str], verb: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("flow.yaml").write_text(FLOW)
    Path("place.yaml").write_text(PLACE)
    workload, topology = names
    assert said(*verb.split(), workload, topology, capsys=capsys, monkeypatch=monkeypatch) == [
        f"lab: {workload} is a workload and {topology} a topology; write the topology first: {topology} {workload}"
    ]


def test_several_mistakes_have_a_line_each_that_begins_with_file_and_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("flow.yaml").write_text(FLOW.replace("5 s", "5"))
    Path("place.yaml").write_text(PLACE.replace("host", "hots"))
    one = 'flow.yaml:3  duration: "5" has no unit; write 5 s'
    other = (
        'place.yaml:3  nodes.h1.kind: unknown kind of node "hots" (did you mean host?); '
        "known: ap, controller, host, mesh, monitor, radius, router, sta, switch"
    )
    assert said("show", "place.yaml", "flow.yaml", capsys=capsys, monkeypatch=monkeypatch) == [
        "lab: 2 mistakes:",
        other,
        one,
    ]
    assert said("check", "flow.yaml", capsys=capsys, monkeypatch=monkeypatch) == [f"lab: {one}"]


def test_a_seed_that_is_no_number(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    *_, last = said("run", "one-ap", "ping/ping", "--seed", "x", capsys=capsys, monkeypatch=monkeypatch)
    assert last.startswith("Error: Invalid value for '--seed': \"x\" is not a whole number; write one, such as 7: ")


def test_experiments_here_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    print_list(True, "experiments")
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["experiments"]
    assert found["experiments"]["web/table"] == "A table of a paper."


def test_one_broken_file_does_not_hide_the_others(capsys: pytest.CaptureFixture[str]) -> None:
    print_list(True)
    found = json.loads(capsys.readouterr().out)
    assert list(found) == ["topologies", "workloads", "experiments", "images", "probes", "metrics"]
    assert found["experiments"]["web/broken"].startswith("cannot be used: workloads/web/experiments/broken.yaml:")
    assert "two-aps-handoff" in found["topologies"]
    assert "web/table" not in found["workloads"]


def test_what_is_listed_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    print_list(False, "experiments")
    assert "A table of a paper." in capsys.readouterr().out


def test_mistakes_in_the_file_of_an_image_are_reported_before_it_is_built(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = here / "images" / "gateway"
    folder.mkdir(parents=True)
    (folder / "image.yaml").write_text("about: a gateway\nmemory: 128\n")
    assert said("images", "gateway", capsys=capsys, monkeypatch=monkeypatch) == [
        'lab: images/gateway/image.yaml:2  memory: "128" has no unit; write 128 MiB'
    ]


def test_images_that_cannot_be_used_are_listed_with_the_reason(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("gateway", "Router", "__pycache__"):
        (here / "images" / name).mkdir(parents=True)
    (here / "images" / "gateway" / "image.yaml").write_text("about: a gateway\nmemory: 128\n")
    print_list(True, "images")
    found = json.loads(capsys.readouterr().out)["images"]
    assert set(found) == {
        "browser",
        "controller",
        "freeradius",
        "frr",
        "mail",
        "other-peer",
        "peer",
        "samba",
        "gateway",
        "Router",
    }
    assert found["gateway"] == 'cannot be used: images/gateway/image.yaml:2  memory: "128" has no unit; write 128 MiB'
    assert found["Router"].startswith('cannot be used: "Router" cannot be the name of an image\n  give its folder, im')
