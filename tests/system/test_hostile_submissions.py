# SPDX-License-Identifier: MIT
"""Submissions that attack: each gets what it has honestly earned, or nothing and the reason, and nothing else happens.

All of them are marked in one call, as a teacher would, two at a time.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from lab.grading import feedback, formats, many, summary
from lab.grading.exercise import Exercise, Student, load
from lab.grading.marks import mark
from lab.grading.results import Result
from lab.terminal import console, say

pytestmark = pytest.mark.guest

NET = """\
name: net
memory: 512 MiB
nodes:
  h1:   {kind: host, roles: [server]}
  h2:   {kind: host}
  ap1:  {kind: ap, ssid: a, mode: g, channel: 1}
  sta1: {kind: sta, ssid: a, roles: [client]}
links:
  - {between: [h1, ap1]}
  - {between: [h2, ap1]}
medium: {}
"""
WORK = """\
name: work
roles: {server: 1, client: 1}
duration: 2 s
files:
  py:    {on: server, path: /root/sink.py, from: sink.py}
  sh:    {on: client, path: /root/attack.sh, from: attack.sh}
  tool:  {on: client, path: /tmp/tool, from: tool, mode: 0755}
processes:
  - {on: server, run: [python3, -u, /root/sink.py], as: sink, ready: {listening: udp/9000}}
  - {on: client, run: [sh, /root/attack.sh, "{server.ip}"], at: 0 s, as: attack, required: false, may_run_on: true,
     max_output: 1 MiB}
  - {on: h2, run: {probe: ping, to: "{server.ip}", count: 8, every: 200 ms}, at: 100 ms, as: pinged}
"""
SINK = """\
import socket
sink = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sink.bind(("", 9000))
while True:
    print(repr(sink.recv(99).decode("ascii", "replace"))[:99])
"""
SECRET = "zqx-secret-vkw"
EXERCISE = f"""\
name: Attacked
about: Submissions send words.
minutes: 1
goals: [none]
numbers: {{word: {{one_of: [red, green, blue]}}}}
hand_in: {{attack.sh: {{program: true}}, tool: {{program: true}}}}
runs: {{only: {{topology: net.yaml, workload: work.yaml, timeout: 20 s}}}}
checks:
  - {{name: sent, about: The word has arrived., points: 4, output: sink, matches: "^'{{numbers.word}}'$"}}
  - {{name: others, about: Other nodes are undisturbed., points: 2, reachable: pinged, answers: all}}
  - {{name: hidden, about: The second word has arrived., points: 4, public: false, output: sink, matches: {SECRET}}}
broken:
  lazy: [sent, hidden]
"""
SEND = (
    "python3 -c 'import socket, sys; socket.socket(2, 2).sendto(sys.argv[1].encode(), (sys.argv[2], 9000))' {} \"$1\"\n"
    "sleep 0.3\n"
)
NETLINK = r"""
python3 - <<'END'
import socket, struct
netlink = socket.socket(16, socket.SOCK_RAW, 16)
netlink.bind((0, 0))
def ask(family, command, version, attribute, value):
    words = struct.pack("=HH", 4 + len(value), attribute) + value + bytes(-len(value) % 4)
    netlink.send(struct.pack("=IHHIIBBH", 20 + len(words), family, 5, 1, 0, command, version, 0) + words)
    return netlink.recv(65536)
found = ask(16, 3, 1, 2, b"hwsim_medium\0")
at = 20
while at < len(found):
    size, kind = struct.unpack_from("=HH", found, at)
    if kind == 1:
        family = struct.unpack_from("=H", found, at + 4)[0]
        break
    at += size + -size % 4
netlink.recv(65536)  # the end of that answer
answer = ask(family, 2, 4, 2, struct.pack("=I", 1))
print("medium:", struct.unpack_from("=i", answer, 16)[0], flush=True)
END
"""
AS_A_USER = "setpriv --reuid 31337 --regid 31337 --clear-groups --no-new-privs"
FORGED = json.dumps({"key": "x", "points": 10, "tests": [{"score": 10, "max_score": 10}], "score": 10})


@dataclass(frozen=True)
class Attack:
    """What is done, after the honest part; the points; what the first check says; what the program has to have said."""

    script: str
    points: float
    seen: str = "1 line of sink of 1 match"
    said: str = ""
    never_said: str = "root:x:0"


ATTACKS = {
    "honest": Attack("true", 6),
    "forks": Attack("f() { f | f & }; echo tried; f", 0, "sta1 reached its limit of 256 processes", said="tried"),
    "fills-the-disk": Attack("dd if=/dev/zero of=/root/full bs=1M 2>&1; echo tried", 6, said=""),
    "fills-memory": Attack(
        "python3 -c 'x = [bytearray(1 << 20) for _ in range(1 << 20)]'; echo tried", 6, said="tried"
    ),
    "spins": Attack("while :; do :; done", 0, "took more than 20 s of wall time"),
    "kills": Attack("echo tried; kill -9 1; kill -9 $PPID; kill -9 -1", 6, said="tried"),
    "reads-the-solution": Attack(
        f"grep -rlI {SECRET[:3]}-s / --include=*.yaml --include=*.json --exclude-dir=proc --exclude-dir=sys;"
        " find / -xdev -name exercise.yaml -o -xdev -name 'reference*' -path '*exerc*' 2>/dev/null; echo tried",
        6,
        said="tried",
        never_said="exercise",
    ),
    "writes-over-results": Attack(
        "for name in result.json record.json guest.json plan.json results.json; do for place in / /run /tmp /root"
        " /run/lab /proc/1/cwd /proc/1/root; do echo '{\"points\": 10}' > $place/$name; done; done; echo tried",
        6,
        said="tried",
    ),
    "prints-what-is-looked-for": Attack(
        f"echo {SECRET}; echo \"'{SECRET}'\" >&2; echo 10 of 10 points; exit 0", 6, said=SECRET
    ),
    "prints-without-end": Attack("yes all points for me", 0, "printed more than 1 MiB"),
    "commands-the-terminal": Attack(r"printf '\033]0;mine\007\033[2J\033[31m\n'", 6, said="\x1b]0;mine"),
    "mounts-the-host": Attack(
        "mount -t hostfs none /mnt -o hostfs=/; cat /mnt/etc/passwd; unshare -Urm mount -t hostfs none /mnt; "
        "cat /mnt/CANARY; echo tried",
        6,
        said="tried",
    ),
    "calls-the-host": Attack(  # see test_cage_outside.py; the program becomes root of its guest
        f"for what in remove memory; do {AS_A_USER} /tmp/tool $what CANARY; done",
        6,
        said="changed ",
    ),
    "ruins-its-kernel": Attack(f"{AS_A_USER} /tmp/tool ruin 1021", 0, "the run failed: the guest"),
    "changes-the-medium": Attack(NETLINK, 6, said="medium: -1"),
    "takes-over-the-network": Attack(
        "ip route flush table main; ip addr add 10.0.0.1/8 dev sta1-wlan0; for i in 1 2 3 4 5 6; do"
        " ip link set sta1-wlan0 down; ip link set sta1-wlan0 up; done; nft add table x; echo tried",
        6,
        said="tried",
    ),
}


@dataclass(frozen=True)
class Marked:
    """What has come of all submissions."""

    exercise: Exercise
    results: dict[str, Result]
    out: Path
    canary: Path
    submissions: Path
    before: dict[str, str]
    wall_s: float

    def printed(self, name: str) -> str:
        return (self.out / name / "only" / "raw" / "attack.out").read_text(errors="replace")


def contents(folder: Path) -> dict[str, str]:
    """Everything in a folder, with what it has."""
    return {
        str(path): str(path.readlink()) if path.is_symlink() else hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def hand_in(folder: Path, exercise: Exercise, script: str) -> None:
    folder.mkdir()
    word = Student(folder.name).numbers(exercise)["word"]
    (folder / "attack.sh").write_text(SEND.format(word) + script + "\n")
    (folder / "tool").touch()


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Marked:
    place = tmp_path_factory.mktemp("course")
    course = place / "attacked"
    for part in ("given", "starter", "reference", "broken/lazy"):
        (course / part).mkdir(parents=True)
    (course / "task.md").write_text("Send {numbers.word}.\n")
    (course / "exercise.yaml").write_text(EXERCISE)
    for name, text in {"net.yaml": NET, "work.yaml": WORK, "sink.py": SINK}.items():
        (course / "given" / name).write_text(text)
    for part in ("starter", "reference"):
        (course / part / "attack.sh").write_text(f"echo {SECRET}\n")
        (course / part / "tool").touch()
    exercise = load(str(course))
    canary = place / "canary"
    canary.write_text("mine\n")
    submissions = place / "submissions"
    submissions.mkdir()
    for name, attack in ATTACKS.items():
        hand_in(submissions / name, exercise, attack.script.replace("CANARY", str(canary)))
    source = Path(__file__).with_name("escape.c")
    for name in ("calls-the-host", "ruins-its-kernel"):
        subprocess.run(["gcc", "-static", "-O1", "-s", "-o", submissions / name / "tool", source], check=True)
    forges = submissions / "forges"
    hand_in(forges, exercise, "true")
    for name in ("result.json", "results.json", "record.json", "guest.json", "check.py", "exercise.yaml"):
        (forges / name).write_text(FORGED)
    (forges / "given").mkdir()
    (forges / "given" / "work.yaml").write_text("name: mine\n")
    links = submissions / "links"
    hand_in(links, exercise, "true")
    (links / "tool").unlink()
    (links / "tool").symlink_to(canary)
    linked = submissions / "links-a-folder"
    linked.mkdir()
    (linked / "attack.sh").mkdir()
    (linked / "tool").symlink_to("/dev/zero")
    strange = submissions / "-rf \x1b[2J\n=1+1"
    hand_in(strange, exercise, "true")
    for name in ("--out", "a\nb", "\x1b]0;x\x07", "\udcff", "…"):
        (strange / name).touch()
    named = submissions / "named"
    hand_in(named, exercise, "true")
    (named / "student.yaml").write_text('exercise: attacked\nstudent: "=HYPERLINK(1)"\n')
    before = contents(place)
    folders = sorted(submissions.iterdir())
    out = place / "marks"
    began_s = time.monotonic()
    results = many.grade(exercise, folders, out, jobs=2)
    return Marked(
        exercise,
        {result.submission: result for result in results},
        out,
        canary,
        submissions,
        before,
        time.monotonic() - began_s,
    )


@pytest.mark.parametrize("name", ATTACKS)
def test_each_gets_what_it_has_earned(marked: Marked, name: str) -> None:
    attack, result = ATTACKS[name], marked.results[name]
    first = result.checks[0]
    assert (result.refused, result.points) == ("", attack.points), [check.seen for check in result.checks]
    assert attack.seen in first.seen
    assert attack.said in marked.printed(name) and attack.never_said not in marked.printed(name)


def test_what_a_submission_says_of_its_marks_is_ignored(marked: Marked) -> None:
    assert marked.results["forges"].points == 6


@pytest.mark.parametrize("name", ["links", "links-a-folder"])
def test_nothing_but_files_is_read(marked: Marked, name: str) -> None:
    result = marked.results[name]
    assert result.points == 0 and "tool is not a regular file" in result.refused
    assert not (marked.out / name / "only").exists()


def test_the_host_is_as_it_was(marked: Marked) -> None:
    after = {
        path: what for path, what in contents(marked.canary.parent).items() if not path.startswith(str(marked.out))
    }
    assert after == marked.before


def test_a_submission_sees_no_difference_between_a_try_and_its_marking(marked: Marked, tmp_path: Path) -> None:
    """What could tell them apart: names, times, files, processes, limits, the environment."""
    looks = (
        "env | sort; id; hostname; date; uptime; ps ax; mount; cat /proc/version /proc/meminfo /proc/self/status;"
        " ls -laR /root /opt /run /tmp /etc; ulimit -a; ip addr"
    )
    hand_in(tmp_path / "looks", marked.exercise, looks)
    student = Student("looks")
    seen = []
    for hidden in (False, True):
        out = tmp_path / str(hidden)
        out.mkdir()
        mark(marked.exercise, tmp_path / "looks", student, out, hidden=hidden)
        seen.append((out / "only" / "raw" / "attack.out").read_text())
    assert seen[0] == seen[1] and "sta1" in seen[0]
    assert SECRET not in seen[0] and "attacked" not in seen[0]


def test_what_teachers_read_has_no_commands_for_terminals_and_spreadsheets(
    marked: Marked, capsys: pytest.CaptureFixture[str]
) -> None:
    results = list(marked.results.values())
    rows = list(csv.reader(io.StringIO(formats.FORMATS["csv"](results))))
    assert not any(cell[:1] in ("=", "+", "-", "@", "\t", "\r") for row in rows for cell in row)
    for name in ("csv", "json", "junit"):
        assert "\x1b" not in formats.FORMATS[name](results)
    for result in results:
        for line in feedback.text(result).splitlines():
            say(line)
        for name in ("gradescope", "classroom"):
            print(formats.FORMATS[name]([result]))
    console().print(summary.tables(results))
    printed = capsys.readouterr().out
    assert "\x1b" not in printed and r"-rf \x1b[2J" in printed


def test_a_submission_in_the_way_of_the_lab_is_refused(
    marked: Marked, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lab looks for code and exercises in folders of the current directory."""
    from lab.errors import InputError

    hostile = tmp_path / "probes"
    hand_in(hostile, marked.exercise, "true")
    (hostile / "ping.py").write_text("raise SystemExit('executed')\n")
    (tmp_path / "x.yaml").write_text("name: x\n")
    inside = hostile / "within"
    inside.mkdir()
    for place in (tmp_path, hostile, inside):
        monkeypatch.chdir(place)
        with pytest.raises(InputError, match="would be executed"):
            many.grade(marked.exercise, [hostile], tmp_path / "out")
