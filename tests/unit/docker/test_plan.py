# SPDX-License-Identifier: MIT
"""Docker images in plans: what their configuration means, what starts, and what a key of a trial depends on."""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from lab.cli.check import check
from lab.errors import InputError
from lab.experiments.run import trials
from lab.plan.load import load
from lab.shared.types import Docker, Health, Plan
from lab.show.plan import render
from tests.docker_images import archive, file, folder, layer, layout
from tests.refused import refused
from tests.unit.docker.daemon import engine

LAYERS = [layer(folder("bin"), file("bin/serve", b"program", 0o755)), layer(file("etc/motd", b"hello"))]
WORKLOAD = "name: w\nduration: 1 s\n"
CONFIG = {
    "Entrypoint": ["/bin/serve"],
    "Cmd": ["-v"],
    "Env": ["GREETING=a=b", "PATH=/bin"],
    "WorkingDir": "/srv",
    "User": "web:www",
    "Healthcheck": {"Test": ["CMD-SHELL", "true && true"], "Interval": 2_000_000_000, "Retries": 5},
}
Planned = Callable[..., Plan]


@pytest.fixture
def planned(tmp_path: Path) -> Planned:
    """Plan a network of a host ``web`` with an image, and a host ``h2``."""

    def make(image: str, more: str = "", workload: str = WORKLOAD) -> Plan:
        node = f"  web: {{kind: host, image: '{image}'{more}}}\n"
        links = "links:\n  - {between: [web, h2]}\n"
        (tmp_path / "topology.yaml").write_text(f"name: t\nnodes:\n{node}  h2: {{kind: host}}\n{links}")
        (tmp_path / "workload.yaml").write_text(workload)
        return load(str(tmp_path / "topology.yaml"), str(tmp_path / "workload.yaml"))

    return make


@pytest.fixture
def mistake(planned: Planned, tmp_path: Path) -> Callable[..., str]:
    """Return the message about an image, without the folder of this test."""

    def of(image: str, more: str = "", workload: str = WORKLOAD) -> str:
        return refused(planned, image, more, workload).replace(f"{tmp_path}/", "")

    return of


def docker_of(plan: Plan) -> Docker:
    docker = plan.node("web").docker
    assert docker is not None
    return docker


def started(plan: Plan) -> list[tuple[str, list[str]]]:
    return [(process.id, process.argv) for process in plan.processes]


def test_configuration(planned: Planned, tmp_path: Path) -> None:
    layout(tmp_path / "web", LAYERS, CONFIG)
    plan = planned("oci:web")
    docker = docker_of(plan)
    assert docker.argv == ["/bin/serve", "-v"]
    assert docker.environment == {"GREETING": "a=b", "PATH": "/bin"}
    assert (docker.cwd, docker.user) == ("/srv", "web:www")
    wanted = Health(["/bin/sh", "-c", "true && true"], 2_000_000_000, 30_000_000_000, 0, 5_000_000_000, 5)
    assert docker.health == wanted
    (process,) = plan.processes
    assert (process.id, process.at_ns, process.health, process.must_end()) == ("web", -1, wanted, False)
    assert plan.docker_images() == {plan.images()[0]: plan.node("web")}
    assert Plan.from_json(plan.to_json()) == plan


def test_an_image_that_says_nothing(planned: Planned, tmp_path: Path) -> None:
    layout(tmp_path / "web", LAYERS, {})
    docker = docker_of(planned("oci:web"))
    assert (docker.argv, docker.cwd, docker.user, docker.health) == ([], "/", "", None)
    assert docker.environment["PATH"].endswith(":/bin")
    assert started(planned("oci:web")) == []


@pytest.mark.parametrize(
    ("more", "argv"),
    [
        (", command: [-q]", ["/bin/serve", "-q"]),
        (", entrypoint: [/bin/other]", ["/bin/other"]),
        (", entrypoint: [/bin/other], command: [-q]", ["/bin/other", "-q"]),
        (", command: []", ["/bin/serve"]),
        (", entrypoint: []", []),
    ],
)
def test_the_topology_says_what_starts(planned: Planned, tmp_path: Path, more: str, argv: list[str]) -> None:
    layout(tmp_path / "web", LAYERS, CONFIG)
    assert [words for _, words in started(planned("oci:web", more))] == ([argv] if argv else [])


def test_run_takes_the_place_of_what_the_image_starts_unless_the_topology_says_that(
    planned: Planned, tmp_path: Path
) -> None:
    layout(tmp_path / "web", LAYERS, CONFIG)
    run = "processes:\n  - {on: web, run: [/bin/other], as: other}\n"
    ping = "processes:\n  - {on: web, run: {probe: ping, to: '{h2.ip}'}}\n"
    assert started(planned("oci:web", "", WORKLOAD + run)) == [("other", ["/bin/other"])]
    assert [name for name, _ in started(planned("oci:web", ", command: []", WORKLOAD + run))] == ["web", "other"]
    assert [name for name, _ in started(planned("oci:web", "", WORKLOAD + ping))] == ["web", "ping"]


@pytest.mark.parametrize(
    ("more", "argv"),
    [
        (", command: ['{h2.ip}', -x]", ["/bin/serve", "10.0.0.2", "-x"]),
        (", entrypoint: [/a, '{self.name}'], command: ['{host[2].ip}']", ["/a", "web", "10.0.0.2"]),
        (", entrypoint: [/a, '{self.interface}']", ["/a", "web-eth0"]),
    ],
)
def test_words_of_the_topology_may_refer_to_nodes(planned: Planned, tmp_path: Path, more: str, argv: list[str]) -> None:
    """As those of run:, also by roles of the workload; words of the image do not change."""
    layout(tmp_path / "web", LAYERS, {"Entrypoint": ["/bin/serve"], "Cmd": ["{h2.ip}"]})
    workload = f"{WORKLOAD}roles: {{host: 2}}\n"
    assert started(planned("oci:web", more, workload)) == [("web", argv)]
    assert started(planned("oci:web")) == [("web", ["/bin/serve", "{h2.ip}"])]


def test_a_reference_to_no_node(mistake: Callable[..., str], tmp_path: Path) -> None:
    layout(tmp_path / "web", LAYERS, CONFIG)
    assert mistake("oci:web", ", command: [-v, '{h3.ip}']") == (
        "topology.yaml:3  nodes.web.command.1: {h3.ip}: unknown role or node h3; known: self, web, h2"
    )


def test_a_process_with_the_name_of_the_node(mistake: Callable[..., str], tmp_path: Path) -> None:
    layout(tmp_path / "web", LAYERS, CONFIG)
    run = "processes:\n  - {on: h2, run: [echo], as: web}\n"
    assert mistake("oci:web", "", WORKLOAD + run) == (
        'workload.yaml:4  processes.0: another process is called "web": what the image of that node starts; give this '
        "one a name with as:"
    )


def key(plan: Plan) -> str:
    return trials.key(plan.to_json(), {})


def test_the_key_of_a_trial_depends_on_content_not_on_names(
    planned: Planned, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout(tmp_path / "web", LAYERS, CONFIG)
    layout(tmp_path / "moved", LAYERS, CONFIG, tags=("other",))
    saved = archive(tmp_path / "web.tar", LAYERS, CONFIG)
    same = [planned("oci:web"), planned("oci:moved:other"), planned("docker-archive:web.tar")]
    with engine(tmp_path / "socket", "web:1", saved.read_bytes()) as host:
        monkeypatch.setenv("DOCKER_HOST", host)
        same.append(planned("docker-daemon:web:1"))
    assert len({key(plan) for plan in same}) == 1
    layout(tmp_path / "changed", LAYERS[:1], CONFIG)
    layout(tmp_path / "louder", LAYERS, {**CONFIG, "Env": ["A=1"]})
    assert len({key(planned(image)) for image in ("oci:web", "oci:changed", "oci:louder")}) == 3


def test_an_image_that_changes_is_read_again(planned: Planned, tmp_path: Path) -> None:
    layout(tmp_path / "web", LAYERS, {"Cmd": ["/a"]})
    first = planned("oci:web")
    layout(tmp_path / "new", LAYERS, {"Cmd": ["/b"]})
    (tmp_path / "web").rename(tmp_path / "old")
    (tmp_path / "new").rename(tmp_path / "web")
    assert (docker_of(first).argv, docker_of(planned("oci:web")).argv) == (["/a"], ["/b"])


def test_lab_show_reports_how_its_programs_run(planned: Planned, tmp_path: Path) -> None:
    layout(tmp_path / "web", LAYERS, CONFIG)
    console = Console(file=io.StringIO(), width=120)
    console.print(render(planned("oci:web")))
    lines = [" ".join(line.split()) for line in console.file.getvalue().splitlines()]  # type: ignore[attr-defined]
    assert "web web:www /srv GREETING=a=b PATH=/bin" in lines
    assert "web web before end /bin/serve -v healthy: /bin/sh -c 'true && true'" in lines


def test_plans_without_such_images_do_not_mention_them(planned: Planned) -> None:
    plan = load("one-ap", "ping/ping")
    assert not {"docker", "of_image", "health"} & {word.strip('":') for word in plan.to_json().split()}


@pytest.mark.parametrize(
    ("image", "message"),
    [
        ("oci:none", "none cannot be read: No such file or directory"),
        ("oci:empty", "empty cannot be read: it is a folder without index.json, so it is not an OCI layout"),
        ("oci:two", "oci:two has several images\n  it has a, b; write oci:DIR:a"),
        ("oci:two:c", "oci:two has no image c\n  it has a, b; write oci:DIR:a"),
        (
            "oci:arm",
            "oci:arm is for linux/arm64; nodes run programs for linux/amd64\n  build or pull it with --platform "
            "linux/amd64",
        ),
        ("docker-archive:web.tar:other:1", "docker-archive:web.tar has no image other:1"),
        (
            "docker-archive:text.tar",
            "docker-archive:text.tar cannot be read as a Docker image: loading tar component manifest.json: "
            "archive/tar: invalid tar header",
        ),
        (
            "docker-archive:cut.tar.gz",
            "docker-archive:cut.tar.gz is compressed, and this version of skopeo cannot read that\n  gunzip cut.tar.gz",
        ),
        ("oci:odd", "oci:odd has an invalid configuration: Cmd is not a list of words"),
        ("docker-daemon:other:1", "the Docker engine has no image other:1\n  first docker pull other:1, or build it"),
        ("docker:web", '"docker:web" is in a registry, from which nothing is fetched; first docker pull web:latest, '
         "then write docker-daemon:web:latest"),
    ],
)  # fmt: skip
def test_mistakes(
    mistake: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, image: str, message: str
) -> None:
    (tmp_path / "empty").mkdir()
    layout(tmp_path / "two", LAYERS, {}, tags=("a", "b"))
    layout(tmp_path / "arm", LAYERS, {}, architecture="arm64")
    layout(tmp_path / "odd", LAYERS, {"Cmd": [1]})
    saved = archive(tmp_path / "web.tar", LAYERS, CONFIG)
    (tmp_path / "cut.tar.gz").write_bytes(gzip.compress(saved.read_bytes())[:-20])
    (tmp_path / "text.tar").write_text("no tar at all\n" * 100)
    with engine(tmp_path / "socket", "web:1", saved.read_bytes()) as host:
        monkeypatch.setenv("DOCKER_HOST", host)
        assert mistake(image) == f"topology.yaml:3  nodes.web.image: {message}"


def test_no_engine(mistake: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere.sock")
    assert mistake("docker-daemon:web:1") == (
        "topology.yaml:3  nodes.web.image: the Docker engine does not answer at unix:///nowhere.sock\n"
        "  start it, or set DOCKER_HOST; without an engine: oci:DIR or docker-archive:FILE"
    )


def test_keys_of_docker_images_on_another_node(mistake: Callable[..., str]) -> None:
    assert mistake("browser", ", command: [x]") == (
        "topology.yaml:3  nodes.web.command: is for nodes with a Docker image (image: docker-daemon:NAME:TAG); "
        "remove it"
    )


def test_check_asks_no_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """But it looks whether a file is there."""
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere.sock")
    topology = tmp_path / "topology.yaml"
    topology.write_text("name: t\nnodes:\n  web: {kind: host, image: 'docker-daemon:web:1'}\n")
    assert check(topology) == "topology"
    topology.write_text("name: t\nnodes:\n  web: {kind: host, image: 'docker-archive:web.tar'}\n")
    with pytest.raises(InputError, match=r"web\.tar cannot be read: No such file"):
        check(topology)


def test_no_skopeo(planned: Planned, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lab.errors import HostError

    layout(tmp_path / "web", LAYERS, {"Cmd": ["/unseen"]})
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HostError, match="skopeo is not installed"):
        planned("oci:web")


def test_more_images_than_a_guest_has_devices(tmp_path: Path) -> None:
    nodes, links = "", ""
    for number in range(15):
        layout(tmp_path / f"i{number}", [layer(file(f"f{number}"))], {})
        nodes += f"  n{number}: {{kind: host, image: 'oci:i{number}'}}\n"
        links += f"  - {{between: [n{number}, s1]}}\n"
    place = tmp_path / "t.yaml"
    place.write_text(f"name: t\nnodes:\n  s1: {{kind: switch}}\n{nodes}links:\n{links}")
    with pytest.raises(InputError, match=r"t\.yaml:2  nodes: 15 different images; a topology can have 14 at most"):
        load(str(place), "idle")
    for number in range(1, 15):  # equal layers are one image
        layout(tmp_path / f"same{number}", [layer(file("f0"))], {})
        place.write_text(place.read_text().replace(f"oci:i{number}'", f"oci:same{number}'"))
    assert len(load(str(place), "idle").images()) == 1


def test_a_health_check_of_an_unknown_kind(
    planned: Planned, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    layout(tmp_path / "odd", LAYERS, {**CONFIG, "Healthcheck": {"Test": ["CMD-BASH", "true"]}})
    assert docker_of(planned("oci:odd")).health is None
    assert capsys.readouterr().err.replace(f"{tmp_path}/", "") == (
        'lab: topology.yaml:3  oci:odd has a health check of the type "CMD-BASH", which is ignored, as in Docker: '
        "nothing waits for its health; its first word must be CMD, CMD-SHELL or NONE\n"
    )
    layout(tmp_path / "off", LAYERS, {**CONFIG, "Healthcheck": {"Test": ["NONE"]}})
    assert docker_of(planned("oci:off")).health is None
    assert capsys.readouterr().err == ""


def test_a_health_check_without_a_command(mistake: Callable[..., str], tmp_path: Path) -> None:
    layout(tmp_path / "i", LAYERS, {**CONFIG, "Healthcheck": {"Test": ["CMD"]}})
    assert mistake("oci:i").endswith("has an invalid configuration: its health check CMD has no command")


@pytest.mark.parametrize("user", ["99999999999", "4294967296:0", "web:2147483648"])
def test_users_that_no_kernel_has(mistake: Callable[..., str], tmp_path: Path, user: str) -> None:
    layout(tmp_path / "i", LAYERS, {**CONFIG, "User": user})
    assert mistake("oci:i") == (
        f"topology.yaml:3  nodes.web.image: oci:i has an invalid configuration: User is {user}, but numbers "
        "of users and groups are at most 2147483647"
    )


def test_what_is_not_an_environment(mistake: Callable[..., str], tmp_path: Path) -> None:
    layout(tmp_path / "i", LAYERS, {**CONFIG, "Env": [5]})
    assert "has an invalid configuration: Env is not a list of words" in mistake("oci:i")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"Env": ["A=\0"]}, "Env has a zero byte, or half of a character"),
        ({"Entrypoint": ["\ud800"]}, "Entrypoint has a zero byte, or half of a character"),
        ({"Env": ["=x"]}, '"=x" in Env has no name'),
        ({"Cmd": ["x" * 131_072]}, "Cmd has a text of 131072 bytes; Linux takes at most 131071"),
        ({"Env": [f"A{number}={'x' * 100}" for number in range(10_000)]}, "Env is longer than 1,000,000 bytes"),
        ({"WorkingDir": "/a\0"}, "WorkingDir has a zero byte, or half of a character"),
        ({"WorkingDir": ["/a"]}, "WorkingDir is not a text"),
        ({"WorkingDir": "/x" * 501}, "WorkingDir has 1002 characters; at most 1000 are possible"),
        ({"User": "\0"}, "User has a zero byte, or half of a character"),
        (
            {"Healthcheck": {"Test": ["CMD", "x"], "Interval": 1}},
            "Interval of its health check is 1 ns; it must be 0, or",
        ),
        ({"Healthcheck": {"Test": ["CMD", "x"], "Timeout": float("inf")}}, "cannot convert float infinity to integer"),
        (
            {"Healthcheck": {"Test": ["CMD", "x"], "StartPeriod": 10**30}},
            f"StartPeriod of its health check is {10**30} ns",
        ),
        ({"Healthcheck": {"Test": ["CMD", "x"], "Retries": -3}}, "Retries of its health check is -3"),
    ],
)
def test_what_no_program_can_have(
    mistake: Callable[..., str], tmp_path: Path, changed: dict[str, object], message: str
) -> None:
    layout(tmp_path / "i", LAYERS, {**CONFIG, **changed})
    assert f"oci:i has an invalid configuration: {message}" in mistake("oci:i")


@pytest.mark.parametrize("reference", ["oci:web", "docker-archive:web/index.json"])
def test_a_pipe_instead_of_an_image(mistake: Callable[..., str], tmp_path: Path, reference: str) -> None:
    (tmp_path / "web").mkdir()
    os.mkfifo(tmp_path / "web" / "index.json")
    assert mistake(reference) == "topology.yaml:3  nodes.web.image: web/index.json is not a regular file"
