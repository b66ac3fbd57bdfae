# SPDX-License-Identifier: MIT
"""Docker images as nodes, made on the spot: what they start, their files, health, and plain nodes next to them."""

from __future__ import annotations

import subprocess
import sys
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from lab import Lab, runs
from lab.cache.report import SilentReport
from lab.errors import RunError
from lab.plan.load import load
from lab.record import Record
from tests import stored
from tests.docker_images import MADE_S, file, folder, layer, layout, link, program
from tests.system.conftest import quoted
from tests.system.test_cage import OF_NODES

pytestmark = pytest.mark.guest
LAB = str(Path(sys.executable).parent / "lab")
TOPOLOGY = """\
name: mixed
nodes:
  web: {kind: sta, ssid: lan, image: 'oci:image'}
  ap1: {kind: ap, ssid: lan, channel: 1}
  sta1: {kind: sta, ssid: lan}
"""
PASSWD = b"root:x:0:0::/root:/bin/sh\nweb:x:33:34::/srv:/bin/sh\n"
CONFIG = {
    "Entrypoint": ["serve"],
    "Cmd": ["2"],  # it listens after two seconds
    "Env": ["PORT=8080", "GREETING=hello there", "PATH=/bin"],
    "User": "web",
    "WorkingDir": "/srv/www",
    "Healthcheck": {"Test": ["CMD", "serve", "check"], "Interval": 1_000_000_000, "Retries": 4},
}
Run = Callable[..., Record]
Member = tuple[tarfile.TarInfo, bytes]


@pytest.fixture
def run(tmp_path: Path, machine: runs.Machine, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a workload on the topology with an image of these layers and this configuration."""
    serve = program(tmp_path, "serve")
    low = layer(folder("bin"), file("bin/serve", serve, 0o755), file("bin/su", serve, 0o4755),
                link("bin/also", "bin/su", hard=True), file("etc/passwd", PASSWD), file("gone"),
                folder("srv", uid=33, gid=34), folder("var/run"), link("run", "/var/run"),
                link("etc/hosts", "/nix/store/hosts"))  # fmt: skip
    high = layer(file(".wh.gone"), file("srv/own", uid=33, gid=34))
    monkeypatch.chdir(tmp_path)

    def of(workload: str, *, topology: str = TOPOLOGY, name: str = "run", **changed: object) -> Record:
        if not Path("image").exists():
            layout(Path("image"), [low, high], {**CONFIG, **changed})
        Path("topology.yaml").write_text(topology)
        Path("workload.yaml").write_text(f"name: w\nduration: 1 s\n{workload}")
        plan = load("topology.yaml", "workload.yaml")
        Path(name).mkdir()
        return stored.run_plan(plan, runs.with_images(machine, plan, SilentReport()), tmp_path / name)

    return of


def raw(record: Record, name: str) -> str:
    return (record.directory / "raw" / name).read_text()


ASK = "processes:\n  - {on: sta1, run: [curl, -s, 'http://web:8080/'], as: ask}\n"


def test_an_image_serves_a_plain_station_once_it_is_healthy(run: Run) -> None:
    record = run(ASK, name="first")
    answer = "uid 33 euid 33 gid 34 in /srv/www on web, HOME=/srv GREETING=hello there\n"
    assert raw(record, "ask.out") == answer
    assert raw(record, "web.out") == ""
    (web,) = [one for one in record.data["processes"] if one["id"] == "web"]
    assert web["node"] == "web"
    again = run(ASK, name="again")
    assert (again.directory / "guest.json").read_bytes() == (record.directory / "guest.json").read_bytes()


def test_its_files_are_those_of_its_layers(run: Run) -> None:
    """Whiteouts, set-uid, owners, hard links and times; files: and collect: are about the image, too."""
    record = run(
        "files:\n  note: {on: [web], path: /srv/note, text: hi}\n"
        "processes:\n"
        "  - {on: web, run: [su, show, /bin/also, /gone, /srv/own, /srv/note, /usr/bin/iw, /var/run/lab/follow, "
        "/dev/null], as: show}\n"
        "probes:\n  - {on: web, probe: station-dump, every: 500 ms}\n"
        "collect:\n  - {on: [web], path: /srv/note}\n"
    )  # fmt: skip
    *of_image, note, iw, follow, null = raw(record, "show.out").splitlines()
    assert of_image == [
        "uid 33 euid 0 gid 34 in /srv/www on web, HOME=/srv GREETING=hello there",
        f"/bin/also: 104755 0/0 2 links, {MADE_S}",
        "/gone: none",
        f"/srv/own: 100644 33/34 1 links, {MADE_S}",
    ]
    assert note.startswith("/srv/note: 100644 0/0 ") and null.startswith("/dev/null: 20666 0/0 ")
    assert iw == "/usr/bin/iw: none"
    assert follow.startswith("/var/run/lab/follow: 100755")  # links of the image lead to the image
    assert "signal" in raw(record, "station-dump.out")
    assert (record.directory / "collected" / "web" / "srv" / "note").read_text() == "hi"
    assert not (record.directory / "raw" / "web.out").exists()  # run: has taken its place


def test_links_of_its_folders_may_lead_nowhere(run: Run, tmp_path: Path) -> None:
    """As on a system that creates /etc when it starts."""
    serve = program(tmp_path, "serve")
    members = (link("etc", "/nix/etc"), link("run", "/nix/run"), link("srv", "nix/srv"))
    layout(
        tmp_path / "image",
        [layer(folder("bin"), file("bin/serve", serve, 0o755), *members)],
        {"WorkingDir": "/srv/www"},
    )
    record = run("processes:\n  - {on: web, run: [serve, show, /nix/etc/hosts, /nix/run/lab/follow], as: show}\n")
    who, *files = raw(record, "show.out").splitlines()
    assert who == "uid 0 euid 0 gid 0 in /nix/srv/www on web, HOME=/ GREETING=(null)"
    assert [line.partition(" 0/0 ")[0] for line in files] == ["/nix/etc/hosts: 100644", "/nix/run/lab/follow: 100755"]
    assert record.data["versions"][f"image {record.plan.node('web').image}"].endswith("oci:image")


def test_a_folder_that_it_needs_is_a_file(run: Run, tmp_path: Path) -> None:
    layout(tmp_path / "image", [layer(file("etc"))], {})
    with pytest.raises(RunError, match="topology.yaml:3: oci:image: its /etc cannot be used as a folder: File exists"):
        run("")


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ([folder("etc/hosts")], "cannot be started: etc/hosts: Is a directory"),
        ([link("etc", "/proc")], "cannot be started: etc/hostname: No such file or directory"),
        ([link("proc", "/etc")], "cannot be started: /proc/self/oom_score_adj: No such file or directory"),
        ([link("sys", "proc")], "cannot be started: proc/sys: No such file or directory"),
        ([link("dev", "/dev")], "cannot be started: /dev/null: Too many levels of symbolic links"),
        ([folder("etc/resolv.conf")], ": its /etc/resolv.conf cannot be replaced: Is a directory"),
        ([link("lab", "/lab")], ": its /lab cannot be used as a folder: File exists"),
    ],
)
def test_images_that_cannot_start(run: Run, tmp_path: Path, members: list[Member], message: str) -> None:
    layout(tmp_path / "image", [layer(*members)], {})
    with pytest.raises(RunError) as failure:
        run("")
    assert str(failure.value).startswith(f"topology.yaml:3: oci:image{' ' * message.startswith('c')}{message}")


def test_a_hostile_image_changes_nothing_but_its_own_node(run: Run, tmp_path: Path) -> None:
    """What it puts in place of the lab's and the system's files does not count, and nothing of it is waited for."""
    serve = program(tmp_path, "serve")
    pipes = [file(name, type=tarfile.FIFOTYPE) for name in ("etc/passwd", "etc/hosts", "etc/resolv.conf")]
    members = [
        *(folder("bin"), file("bin/serve", serve, 0o755), file("bin/sh", serve, 0o755)),
        *(file("lab/bin/enter", b"#!/bin/sh\n", 0o6755), file("run/lab/follow", serve, 0o755)),
        *(link("a", "b"), link("b", "a"), link("etc/group", "/dev/zero"), *pipes),
        file("dev/\n\x1b[2J", type=tarfile.CHRTYPE),
    ]
    layout(
        tmp_path / "image",
        [layer(*members)],
        {"Env": ["PATH=/bin:/a:/b/c", "LD_PRELOAD=/bin/serve", "TERM=\x1b[2J"], "Volumes": {"../../etc": {}}},
    )
    record = run(
        "processes:\n  - {on: web, run: [serve, show, /etc/hosts, /etc/resolv.conf, /proc/hostask], as: show}\n"
        "  - {on: sta1, run: [cat, /etc/hosts], as: hosts}\n"
    )
    who, hosts, resolv, hostask = raw(record, "show.out").splitlines()
    assert who.startswith("uid 0 euid 0 gid 0 in / on web, HOME=/")
    assert [hosts.split()[1], resolv.split()[1], hostask] == ["100644", "100644", "/proc/hostask: none"]
    assert raw(record, "hosts.out").split()[:2] == ["127.0.0.1", "localhost"]


def test_what_is_not_a_number_in_passwd(run: Run, tmp_path: Path) -> None:
    layout(tmp_path / "image", [layer(file("etc/passwd", b"web:x:many:34::/srv:/bin/sh\n"))], {"User": "web"})
    with pytest.raises(RunError, match='oci:image runs as web: "many" is not a valid number of a user or group'):
        run("")


BOUNDS = """import pathlib
for path in pathlib.Path('/proc').glob('[0-9]*/status'):
    words = path.read_text().split()
    print(words[1], words[words.index('CapBnd:') + 1])"""


def test_its_programs_have_the_capabilities_of_a_node(run: Run) -> None:
    """Among the processes of the node are its first one, next to that of the base, and its program."""
    ask = f"  - {{at: 100 ms, exec: web, run: [python3, -c, {quoted(BOUNDS)}]}}\n"
    record = run("", topology=f"{TOPOLOGY}timeline:\n{ask}", Cmd=["0"], Healthcheck={})
    (event,) = record.data["events"]
    names, masks = zip(*map(str.split, event["output"].splitlines()), strict=True)
    assert names.count("pause") == 2 and "serve" in names
    assert {int(mask, 16) for mask in masks} == {OF_NODES}


def test_commands_that_it_lacks_are_those_of_the_base(run: Run) -> None:
    timeline = (
        "timeline:\n  - {at: 100 ms, exec: web, run: [serve, show]}\n"
        "  - {at: 200 ms, exec: web, run: [cat, /etc/hostname]}\n"
    )
    record = run("", topology=TOPOLOGY + timeline, Cmd=[], Healthcheck={})
    outputs = [event["output"] for event in record.data["events"]]
    assert outputs == ["uid 33 euid 33 gid 34 in /srv/www on web, HOME=/srv GREETING=hello there\n", "web\n"]
    with Lab("topology.yaml", "workload.yaml", directory=Path("driven")) as net:
        shown = net["web"].run(["./serve", "show"], cwd="/bin", env={"GREETING": "bye"}, check=True).stdout
        assert shown == "uid 33 euid 33 gid 34 in /bin on web, HOME=/srv GREETING=bye\n"
        assert net["web"].run(["cat", "/etc/hostname"], check=True).stdout == "web\n"


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"Cmd": ["60"]},
            "topology.yaml:3: the health check of web has failed 4 times in a row: it ended with status 1",
        ),
        ({"Cmd": ["check"]}, "topology.yaml:3: web ended with status 1"),
        ({"User": "nobody"}, "topology.yaml:3: oci:image runs as nobody, but has no user nobody in its /etc/passwd"),
        ({"Entrypoint": ["/none"]}, "topology.yaml:3: web ended with status 127"),
    ],
)
def test_failures(run: Run, changed: dict[str, object], message: str) -> None:
    with pytest.raises(RunError) as failure:
        run("", **changed)
    assert message in str(failure.value)


def test_the_prompt_finds_programs_of_both(run: Run, tmp_path: Path) -> None:
    run("")
    lines = [
        "sta1 curl -s http://web:8080/",
        "web serve show '/a b'",  # the image has no shell
        "web hostname && cat /etc/hostname",
        "py web.popen(['serve', 'show']).communicate()[0].decode().split(',')[0]",
        "save saved.yaml",
    ]
    done = subprocess.run(
        [LAB, "shell", "topology.yaml"], input="\n".join(lines), capture_output=True, text=True, check=True
    )
    who = "uid 33 euid 33 gid 34 in /srv/www on web"
    answer = f"{who}, HOME=/srv GREETING=hello there"
    assert done.stdout.splitlines()[:4] == [answer, answer, "/a b: none", "web"]
    assert done.stdout.splitlines()[4:6] == ["web", who]
    assert 'exec: web, run: ["serve", "show", "/a b"]' in (tmp_path / "saved.yaml").read_text()


def test_a_program_drives_it(run: Run) -> None:
    run("")
    with Lab("topology.yaml") as net:
        web = net["web"]
        assert web.run(["serve", "show"]).stdout.startswith("uid 33 ")
        changed = web.run(["serve", "show"], cwd="/bin", env={"GREETING": "other"}).stdout
        assert changed == "uid 33 euid 33 gid 34 in /bin on web, HOME=/srv GREETING=other\n"
        web.put(b"content", "/srv/new")
        assert web.get("/srv/new") == b"content"
        assert web.run(["cat", "name"], cwd="/etc", env={"A": "b"}).status == 1
        assert web.run(["cat", "hostname"], cwd="/etc").stdout == "web\n"  # the base's
