# SPDX-License-Identifier: MIT
"""Files of a workload in a plan."""

import base64
import hashlib
from pathlib import Path

import pytest

from lab.experiments.run import trials
from lab.shared.types import Plan

from .conftest import WORKLOAD, Plans
from .test_resolve import refusal


def test_files_are_filled_in_on_request_and_hashed(plans: Plans) -> None:
    Path("page.txt").write_text("I am {self.name}; {server.ip} {not this}\n")
    plan = plans(
        workload=WORKLOAD
        + "files:\n  page: {on: client, path: /srv/page, from: page.txt, substitute: true}\n"
        + "  noise: {on: server, path: /srv/noise, random: 1 KiB}\n"
        + '  note: {on: server, path: /srv/note, text: "x"}\n'
    )
    assert [(file.name, file.node, file.text) for file in plan.files] == [
        ("page", "sta1", "I am sta1; 10.0.0.1 {not this}\n"),
        ("page", "sta2", "I am sta2; 10.0.0.1 {not this}\n"),
        ("noise", "h1", None),
        ("note", "h1", "x"),
    ]
    assert plan.files[3].sha256 == "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881"


def test_files_are_copied_unchanged(plans: Plans) -> None:
    program = 'print(f"{self.name} {{server.ip}}")\r\n'
    Path("p.py").write_bytes(program.encode())
    entries = 'files:\n  p: {on: server, path: /p.py, from: p.py}\n  t: {on: server, path: /t, text: "{self.name}"}\n'
    assert [file.text for file in plans(workload=WORKLOAD + entries).files] == [program, "{self.name}"]


def test_a_program_keeps_its_bytes_and_its_mode(plans: Plans) -> None:
    data = b"\x7fELF\xff\0"
    Path("prog").write_bytes(data)
    Path("prog").chmod(0o750)
    plan = plans(workload=WORKLOAD + "files:\n  prog: {on: client, path: /root/prog, from: ./prog}\n")
    assert [(file.node, file.mode, file.text, file.size_bytes) for file in plan.files] == [
        ("sta1", 0o755, None, 6),
        ("sta2", 0o755, None, 6),
    ]
    sha256 = hashlib.sha256(data).hexdigest()
    assert plan.packed == {sha256: base64.b64encode(data).decode()} and plan.files[0].sha256 == sha256
    assert Plan.from_json(plan.to_json()) == plan


@pytest.mark.parametrize("written", ["0755", "0o755", "755", '"0755"'])
def test_a_mode_as_for_chmod(plans: Plans, written: str) -> None:
    plan = plans(workload=WORKLOAD + f"files:\n  p: {{on: server, path: /p, text: x, mode: {written}}}\n")
    assert plan.files[0].mode == 0o755


def test_a_folder_is_copied_with_all_its_files(plans: Plans) -> None:
    for name in ("site/index.html", "site/a/b.bin", "site/a/__pycache__/c.pyc"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(b"\xff" if name.endswith("bin") else b"text")
    Path("site/link").symlink_to("index.html")
    plan = plans(workload=WORKLOAD + "files:\n  site: {on: server, path: /srv, from: site}\n")
    assert [(file.name, file.path, file.text) for file in plan.files] == [
        ("site/a/b.bin", "/srv/a/b.bin", None),
        ("site/index.html", "/srv/index.html", "text"),
        ("site/link", "/srv/link", "text"),
    ]


def test_the_content_of_a_file_counts_in_the_key_of_a_trial(plans: Plans) -> None:
    entries = "files:\n  prog: {on: server, path: /prog, from: prog}\n"
    keys = set()
    for data in (b"\xff1", b"\xff2", b"text"):
        Path("prog").write_bytes(data)
        keys.add(trials.key(plans(workload=WORKLOAD + entries).to_json(), {}))
    assert len(keys) == 3


def test_large_files_belong_to_a_stack(plans: Plans) -> None:
    with Path("prog").open("wb") as file:
        file.truncate(17 << 20)
    assert refusal(plans, WORKLOAD + "files:\n  prog: {on: server, path: /prog, from: prog}\n") == (
        "w.yaml:5  files.prog.from: prog has 17 MiB; all files of a workload together may have 16 MiB\n"
        "  let the Makefile of a stack install what is larger: workloads/<stack>/Makefile, with stack: here"
    )


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        (
            "files:\n  page: {on: server, path: /x, from: none.txt}\n",
            "w.yaml:5  files.page.from: none.txt cannot be read: No such file or directory",
        ),
        (
            "files:\n  a: {on: server, path: /x, text: x}\n  b: {on: server, path: /x, text: y}\n",
            "w.yaml:6  files.b.path: /x on h1 is already the path of file a; write another path",
        ),
        (
            "files:\n  a: {on: servr, path: /x, text: x}\n",
            'w.yaml:5  files.a.on: unknown role or node "servr" (did you mean server?); '
            "roles: server, client; nodes: h1, s1, ap1, ap2, sta1, sta2",
        ),
        (
            "files:\n  a: {on: server, path: /x, text: x, mode: 0855}\n",
            'w.yaml:5  files.a.mode: "0855" is not a valid mode; write it as for chmod, such as 0755',
        ),
        (
            "files:\n  a: {on: server, path: /x, random: 1 B, substitute: true}\n",
            "w.yaml:5  files.a.substitute: random bytes have no references to replace; remove it",
        ),
        (
            "files:\n  a: {on: server, path: /x, from: data.bin, substitute: true}\n",
            "w.yaml:5  files.a.from: data.bin is not UTF-8 text, so nothing can be replaced in it; remove substitute:",
        ),
        (
            "files:\n  a: {on: server, path: /x, from: empty}\n",
            "w.yaml:5  files.a.from: empty is a folder without files",
        ),
        (
            'files:\n  a: {on: server, path: /x, substitute: true, text: "{x.ip}"}\n',
            "w.yaml:5  files.a.text: {x.ip}: unknown role or node x; "
            "known: self, server, client, h1, s1, ap1, ap2, sta1, sta2",
        ),
    ],
)
def test_mistakes_in_files(plans: Plans, entries: str, message: str) -> None:
    Path("data.bin").write_bytes(b"\xff")
    Path("empty").mkdir()
    assert refusal(plans, WORKLOAD + entries) == message
