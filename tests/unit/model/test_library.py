# SPDX-License-Identifier: MIT
"""Finding files by path and by short name."""

import os
from pathlib import Path

import pytest

from lab import library
from lab.errors import InputError
from tests.refused import refused


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "topologies").mkdir()
    (tmp_path / "topologies" / "mine.yaml").write_text("name: mine\n")
    (tmp_path / "workloads" / "web" / "experiments").mkdir(parents=True)
    (tmp_path / "workloads" / "web" / "get.yaml").write_text("name: get\n")
    (tmp_path / "workloads" / "web" / "experiments" / "table.yaml").write_text("name: table\n")
    return tmp_path


def test_by_short_name(here: Path) -> None:
    assert library.find("topology", "mine") == here / "topologies" / "mine.yaml"
    assert library.find("workload", "web/get") == here / "workloads" / "web" / "get.yaml"
    assert library.find("workload", "workloads/web/get.yaml") == Path("workloads/web/get.yaml")


def test_the_labs_own_files_are_found_from_anywhere(here: Path) -> None:
    assert library.find("topology", "two-aps-handoff").name == "two-aps-handoff.yaml"
    assert library.find("workload", "http/download").parent.name == "http"
    assert library.find("workload", "workloads/http/download.yaml").is_file()


def test_files_here_come_before_the_labs_own(here: Path) -> None:
    (here / "topologies" / "two-aps-handoff.yaml").write_text("name: other\n")
    assert library.find("topology", "two-aps-handoff").parent == here / "topologies"


def test_files_of_exercises_are_no_workloads(here: Path) -> None:
    given = here / "workloads" / "web" / "exercises" / "slow" / "given"
    given.mkdir(parents=True)
    (given / "fetch.yaml").touch()
    assert not [name for name in library.known("workload") if "exercises" in name]


def test_experiments_are_no_workloads(here: Path) -> None:
    assert "web/experiments/table" not in library.known("workload")


def test_experiments_lie_next_to_the_workloads_they_use(here: Path) -> None:
    path = here / "workloads" / "web" / "experiments" / "table.yaml"
    assert library.known("experiment")["web/table"] == path
    for name in ("web/table", "workloads/web/experiments/table.yaml", "web/experiments/table"):
        assert library.find("experiment", name).resolve() == path
    assert library.name_of(path) == "web/table"
    assert library.name_of(here / "table.yaml") is None
    with pytest.raises(InputError, match=r'unknown experiment "web/tabel" \(did you mean web/table\?\)'):
        library.find("experiment", "web/tabel")


def test_unknown_names_list_the_known(here: Path) -> None:
    with pytest.raises(InputError) as failure:
        library.find("topology", "two-ap-handoff")
    first, second = str(failure.value).splitlines()
    assert first == 'unknown topology "two-ap-handoff" (did you mean two-aps-handoff?)'
    assert second.startswith("  known: ") and "mine" in second and "twenty-nodes" in second


def test_paths_that_do_not_exist(here: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere/mine\.yaml does not exist"):
        library.find("topology", "nowhere/mine.yaml")


def test_a_makefile_next_to_workloads_is_code(here: Path) -> None:
    web = here / "workloads" / "web"
    assert library.code_of("web/get", None) is None and library.code_called("web") is None
    (web / "Makefile").write_text("install:\n")
    (web / "more").mkdir()
    (web / "more" / "put.yaml").write_text("name: put\n")
    assert library.code_of("web/get", None) == library.code_of("workloads/web/get.yaml", None) == web
    assert library.code_of("web/more/put", None) == library.code_called("web") == web
    assert library.code_of(web / "get.yaml", "web") == web


def test_a_makefile_anywhere_else_is_not_ours_to_build(here: Path) -> None:
    for directory in (here, here / "workloads", here / "workloads" / "web" / "src"):
        directory.mkdir(exist_ok=True)
        (directory / "Makefile").write_text("install:\n")
    (here / "mine.yaml").write_text("name: mine\n")
    (here / "workloads" / "flat.yaml").write_text("name: flat\n")
    for workload in ("mine.yaml", "flat", "web/get"):
        assert library.code_of(workload, None) is None


def test_a_stack_with_code_has_a_name_for_a_path(here: Path) -> None:
    place = here / "workloads" / "My Stack"
    place.mkdir()
    (place / "get.yaml").write_text("name: get\n")
    (place / "Makefile").write_text("install:\n")
    with pytest.raises(InputError, match='"My Stack" is not a valid name of a stack with code') as failure:
        library.code_of(str(place / "get.yaml"), None)
    assert str(failure.value).endswith("rename the folder; use lower-case letters, digits and -")
    with pytest.raises(InputError, match='"My Stack" is not a valid name of a stack with code'):
        library.stack_called("My Stack")


def with_code(stack: Path) -> Path:
    """Make a folder the code of a stack."""
    stack.mkdir(parents=True, exist_ok=True)
    (stack / "Makefile").write_text("install:\n")
    return stack


def test_a_workload_anywhere_names_its_stack(here: Path) -> None:
    (here / "mine.yaml").write_text("name: mine\n")
    hello = with_code(here / "workloads" / "hello")
    assert library.code_of("mine.yaml", "hello") == library.code_of("web/get", "hello") == hello
    assert library.code_of("mine.yaml", None) is None


def test_the_stack_around_a_workload_is_the_one_of_its_name(here: Path) -> None:
    elsewhere = with_code(here / "elsewhere" / "workloads" / "swp")
    (elsewhere / "get.yaml").write_text("name: get\n")
    assert library.code_of(elsewhere / "get.yaml", "swp") == elsewhere


def test_a_workload_of_a_stack_has_no_other(here: Path) -> None:
    with_code(here / "workloads" / "web")
    with pytest.raises(InputError, match="a workload in workloads/web has the code of web") as reported:
        library.code_of("web/get", "swp")
    assert str(reported.value).endswith("remove stack:; to use swp as well, write swp into workloads/web/stacks")


def known_stacks() -> str:
    return ", ".join(sorted(library._stacks()))


def using(stack: Path, *lines: str) -> Path:
    """Make a folder the code of a stack that uses others."""
    with_code(stack)
    (stack / "stacks").write_text("".join(f"{line}\n" for line in lines))
    return stack


def test_a_stack_uses_others_and_what_they_use_each_once(here: Path) -> None:
    own = {name: here / "workloads" / name for name in ("chat", "codec", "bits", "log")}
    assert library.used_by(with_code(own["bits"])) == []
    using(own["log"], "bits")
    using(own["codec"], "# for the frames:", "", "bits # of a byte")
    assert library.used_by(using(own["chat"], "codec", "log")) == [own["codec"], own["bits"], own["log"]]


@pytest.mark.parametrize(
    ("lines", "reported"),
    [
        (
            ["bits", "chats"],
            'workloads/chat/stacks:2  "chats" is not a stack with code (did you mean chat?)\n  known: KNOWN',
        ),
        (
            ["bits", "swp bits"],
            'workloads/chat/stacks:2  "swp bits" names more than one stack\n  write one per line',
        ),
        (
            ["http"],
            "workloads/chat/stacks:1  the stack http has no code: no Makefile in workloads/http\n"
            "  remove this line: workloads may use its probes and metrics without it",
        ),
        (
            ["chat"],
            "workloads/chat/stacks:1  stacks use each other in a circle: chat uses chat\n  remove this line",
        ),
        (
            ["log", "bits"],
            "workloads/bits/stacks:1  stacks use each other in a circle: chat uses bits, bits uses chat\n"
            "  remove this line",
        ),
    ],
)
def test_what_a_list_of_stacks_must_not_say(here: Path, lines: list[str], reported: str) -> None:
    chat = using(here / "workloads" / "chat", *lines)
    with_code(here / "workloads" / "log")
    using(here / "workloads" / "bits", *(["chat"] if lines == ["log", "bits"] else []))
    assert refused(library.used_by, chat) == reported.replace("KNOWN", known_stacks())


def test_a_list_of_stacks_needs_code_next_to_it(here: Path) -> None:
    (here / "workloads" / "web" / "stacks").write_text("swp\n")
    assert refused(library.code_of, "web/get", None) == (
        "workloads/web/stacks  web has no code that could use other stacks: no Makefile is next to this list\n"
        "  remove the list, and write stack: in the workloads instead; or add the Makefile"
    )


@pytest.mark.parametrize("name", ["..", ".", "", "web", "../swp", "/swp", "swp/libswp", "http"])
def test_what_is_no_stack_with_code(here: Path, name: str) -> None:
    """The lab's own Makefile lies in workloads/.. and is none."""
    with_code(here)
    assert library.code_called(name) is None
    with pytest.raises(InputError, match=f'"{name}" is not a stack with code.*\n  known: {known_stacks()}'):
        library.stack_called(name)


@pytest.mark.parametrize("kind", ["topology", "workload", "experiment"])
def test_every_known_name_is_found(here: Path, kind: str) -> None:
    known = library.known(kind)
    assert len(known) > 5
    assert {name: library.find(kind, name) for name in known} == known


@pytest.mark.parametrize("name", ["web/probes/x", "web/experiments/table", "../topologies/mine", "web"])
def test_other_files_are_no_workloads(here: Path, name: str) -> None:
    (here / "workloads" / "web" / "probes").mkdir()
    (here / "workloads" / "web" / "probes" / "x.yaml").touch()
    with pytest.raises(InputError, match="unknown workload"):
        library.find("workload", name)


def test_a_folder_whose_name_no_image_can_have(here: Path) -> None:
    (here / "images" / "Gateway_2").mkdir(parents=True)
    with pytest.raises(InputError, match='"Gateway_2" cannot be the name of an image\n  give its folder, images/Gate'):
        library.image_called("Gateway_2")
    with pytest.raises(InputError, match='"base" is part of every node'):
        library.image_called("base")


def test_images_next_to_a_topology_come_before_those_of_the_current_directory(here: Path, tmp_path: Path) -> None:
    project = tmp_path.with_name(f"{tmp_path.name}-project")
    places = [project / "topologies" / "images", project / "images", here / "images"]
    topology = Path(os.path.relpath(project / "topologies" / "home.yaml"))
    assert refused(library.image_called, "gatewy", topology).startswith(
        f'unknown image "gatewy"; looked for a folder of that name in {places[0]}, {places[1]}, images, '
    )
    for place in reversed(places):
        (place / "gateway").mkdir(parents=True)
        assert library.image_called("gateway", topology) == place / "gateway"
    assert library.image_called("gateway") == here / "images" / "gateway"
    with pytest.raises(InputError, match=r'unknown image "gatewy" \(did you mean gateway\?\)'):
        library.image_called("gatewy", topology)


def test_an_image_may_be_meant_by_its_folder(here: Path, tmp_path: Path) -> None:
    (here / "elsewhere" / "gateway").mkdir(parents=True)
    assert library.image_meant("elsewhere/gateway") == here / "elsewhere" / "gateway"
    assert library.image_meant("browser").name == "browser"
    (here / "elsewhere" / "A b").mkdir()
    with pytest.raises(InputError, match='"A b" cannot be the name of an image\n  give its folder, elsewhere/A b, a'):
        library.image_meant("elsewhere/A b")
