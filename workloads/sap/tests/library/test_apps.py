# SPDX-License-Identifier: MIT
"""sap-streamer and sap-tracker: what they compute, by the tests in C next to this file, and the programs themselves."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.cache.store import content_key
from workloads.sap.tests.library import native
from workloads.sap.tests.library.in_guest import NEEDS_UDPLITE

STACK = native.STACK
WALK = STACK / "tracker" / "walk.csv"
PICTURE = STACK / "pictures" / "picture.jpg"
SANITIZERS = " ".join(native.SANITIZED)
Programs = dict[str, str]
Exchange = Callable[[list[str], list[str]], tuple[dict[str, Any], dict[str, Any]]]


@pytest.fixture(scope="session")
def unit(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tests in C, with the sanitizers."""
    sources = [native.HERE / "main.c", native.HERE / "apps.c", native.LIBSAP / "src" / "strerror.c"]
    sources += [STACK / "common" / name for name in ("words.c", "arrivals.c", "report.c", "errors.c")]
    sources += [STACK / "streamer" / "stream.c", STACK / "tracker" / "track.c", STACK / "tracker" / "opening.c"]
    includes = [f"-I{STACK / name}" for name in ("common", "streamer", "tracker")]
    flags = [*native.SANITIZED, "-D_POSIX_C_SOURCE=200809L", *includes]
    to = tmp_path_factory.mktemp("apps") / "unit"
    native.run(
        ["gcc", "-std=c11", "-g", *native.WARNINGS, *flags, f"-I{native.LIBSAP}/include", f"-I{native.LIBSAP}/src",
         "-o", str(to), *map(str, sources), "-lm"]
    )  # fmt: skip
    return to


def build_programs(more: str) -> Programs:
    """sap-streamer and sap-tracker, with libsap in them."""
    flags = f"-g -Werror -ffile-prefix-map={native.PROJECT}=. {more}"

    def make(build: Path) -> None:
        library = f"{build}/libsap/libsap.a"
        native.run(["make", "-C", str(native.LIBSAP), f"BUILD={build}/libsap", f"CFLAGS={flags}", library])
        for name in ("streamer", "tracker"):
            variables = [f"BUILD={build}/{name}", f"LIBSAP={library}", f"CFLAGS={flags}"]
            native.run(["make", "-C", str(STACK / name), *variables])

    build = native.built(content_key(native.run(["gcc", "--version"]), "apps", more, *native.contents(STACK)), make)
    return {name: str(build / name / f"sap-{name}") for name in ("streamer", "tracker")}


@pytest.fixture(scope="session")
def programs() -> Programs:
    """With the sanitizers in them."""
    return build_programs(SANITIZERS)


@pytest.fixture(scope="session", params=["sanitizers", "valgrind"])
def commands(request: pytest.FixtureRequest, programs: Programs) -> dict[str, list[str]]:
    """The beginning of a command of each, under one detector or the other."""
    if request.param == "sanitizers":
        return {name: [program] for name, program in programs.items()}
    plain = build_programs("-O1")
    return {name: [*native.valgrind(), program] for name, program in plain.items()}


@pytest.mark.parametrize("name", native.tests_in("apps.c"))
def test_in_c(unit: Path, name: str) -> None:
    native.run([str(unit), name])


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("streamer send --to 127.0.0.1 --port 5001", "--bytes is required: how much to send, for example --bytes 10M"),
        ("streamer send --bytes 10M", "--to HOST and --port N are required: where to send"),
        ("streamer send --to ::1 --port 1 --bytes ten", "--bytes ten: must be a number of bytes"),
        ("streamer send --to ::1 --port 1 --bytes 1 --every 5", "--every 5: must be a duration with a unit"),
        ("streamer send --to ::1 --port 1 --mode fast", "--mode fast: must be precise or approximate"),
        ("streamer send --to ::1 --port 70000", "--port 70000: must be a whole number from 1 to 65535"),
        ("streamer send --to nowhere.invalid --port 1 --bytes 1", "cannot resolve host nowhere.invalid: "),
        ("streamer send-file --to ::1 --port 1 --file /tmp", "--file /tmp: not a regular file"),
        ("streamer send-file --to ::1 --port 1 --file /dev/zero", "--file /dev/zero: not a regular file"),
        ("streamer receive", "--port N is required: the port to listen on"),
        ("tracker send --to ::1 --port 1", "--trace CSV is required: the points to send"),
        ("tracker send --to ::1 --port 1 --trace {walk} --tcp --mode approximate", "TCP is always precise"),
        ("tracker receive --port 1 --gaps some", "--gaps some: must be ignored or counted"),
        ("streamer receive --port 1 --max-bytes ten", "--max-bytes ten: must be a number of bytes"),
        ("streamer receive --port 1 extra", "extra: unexpected argument"),
        ("streamer send --to ::1 --port 1 --give-up 999us", "--give-up 999us: must be from 1ms to 49 days"),
        ("tracker send --to ::1 --port 1 --give-up 5000000s", "--give-up 5000000s: must be from 1ms to 49 days"),
    ],
)
def test_mistakes_are_reported(programs: Programs, words: str, complaint: str) -> None:
    name, *rest = words.format(walk=WALK).split()
    done = subprocess.run([programs[name], *rest], capture_output=True, text=True)
    assert done.returncode == 2
    assert complaint in done.stderr and done.stderr.startswith(f"sap-{name}: ")


@pytest.mark.parametrize("name", ["streamer", "tracker"])
def test_usage(programs: Programs, name: str) -> None:
    """--help prints it, after a verb, too; an unknown verb is a mistake. getopt reports mistakes in options."""
    usage = native.run([programs[name], "--help"])
    assert usage.startswith(f"usage: sap-{name} receive ") and native.run([programs[name], "send", "--help"]) == usage
    for words in ([], ["fly"]):
        done = subprocess.run([programs[name], *words], capture_output=True, text=True)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", usage)
    for words in (["receive", "--fast"], ["receive", "--port"]):
        done = subprocess.run([programs[name], *words], capture_output=True, text=True)
        assert done.returncode == 2 and words[1] in done.stderr


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("0,1,2\n", ":1: the first line must be time_s,latitude_deg,longitude_deg"),
        ("time_s,latitude_deg,longitude_deg\n0,1\n", ":2: must be a time, a latitude and a longitude"),
        ("time_s,latitude_deg,longitude_deg\n0,1,2\n1,91,2\n", ":3: not on earth"),
        ("time_s,latitude_deg,longitude_deg\n0,1,2\n1,1,2\n3,1,2\n", ":4: all points must be as far apart"),
        ("time_s,latitude_deg,longitude_deg\n0,1,2\n0,1,2\n", ":3: points must be 1 ms to 1 day apart"),
        ("time_s,latitude_deg,longitude_deg\n0,1,2\n", ": a trace needs at least two points"),
    ],
)
def test_mistakes_in_a_trace_name_the_line(programs: Programs, text: str, complaint: str, tmp_path: Path) -> None:
    path = tmp_path / "trace.csv"
    path.write_text(text)
    done = subprocess.run([programs["tracker"], "average", "--trace", str(path)], capture_output=True, text=True)
    assert done.returncode == 2 and f"{path}{complaint}" in done.stderr


def test_the_reference_of_the_walk(programs: Programs) -> None:
    reported = native.run([programs["tracker"], "average", "--trace", str(WALK)])
    assert re.fullmatch(r"945 points, 1472\.6 m, mean speed 1\.5600000\d\d m/s, 0 points discarded\n", reported)


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@pytest.fixture
def exchange(commands: dict[str, list[str]]) -> Exchange:
    """Run a receiver and a sender on the loopback interface; what both report."""

    def run(receiver: list[str], sender: list[str]) -> tuple[dict[str, Any], dict[str, Any]]:
        port = ["--port", str(free_port()), "--json"]
        receive = [*commands[receiver[0]], *receiver[1:], *port]
        with subprocess.Popen(receive, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as receiving:
            try:
                send = [*commands[sender[0]], *sender[1:], "--to", "127.0.0.1", *port]
                while True:  # until the receiver listens: TCP is refused before
                    done = subprocess.run(send, capture_output=True, text=True, timeout=60)
                    if "Connection refused" not in done.stderr:
                        break
                assert done.returncode == 0, done.stderr
                out, err = receiving.communicate(timeout=60)
            finally:
                receiving.kill()
        assert receiving.returncode == 0, err
        return json.loads(out), json.loads(done.stdout)

    return run


def test_a_trace_over_tcp(exchange: Exchange) -> None:
    received, sent = exchange(
        ["tracker", "receive", "--tcp"], ["tracker", "send", "--tcp", "--trace", str(WALK), "--every", "10us"]
    )
    assert received["complete"] and received["transport"] == sent["transport"] == "tcp"
    assert received["points"] == {"expected": 945, "arrived": 945, "lost": 0, "discarded": 0}
    assert received["speed_m_s"] == sent["speed_m_s"] == pytest.approx(1.56, abs=1e-6)


@pytest.mark.parametrize("cut", [False, True], ids=["silent", "cut"])
def test_a_trace_without_an_end_is_reported_as_such(programs: Programs, cut: bool) -> None:
    port = free_port()
    receive = [programs["tracker"], "receive", "--tcp", "--port", str(port), "--json", "--idle", "50ms"]
    opening = b"SAPt\1\0\0\0" + (3).to_bytes(4, "big") + bytes(4) + (10**9).to_bytes(8, "big")
    with subprocess.Popen(receive, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as receiving:
        channel = socket.socket()
        while channel.connect_ex(("127.0.0.1", port)):
            channel.close()
            channel = socket.socket()
        with channel:
            channel.sendall(opening + bytes(16) + b"half")
            if cut:
                channel.shutdown(socket.SHUT_WR)
            out, err = receiving.communicate(timeout=60)
    reported = json.loads(out)
    assert receiving.returncode == 1 and not reported["complete"] and reported["speed_m_s"] is None
    assert reported["points"] == {"expected": 3, "arrived": 1, "lost": 2, "discarded": 0}
    why = "the connection was lost" if cut else "no more data"
    assert err == f"sap-tracker: the trace is incomplete: {why}\n"


def is_listening(port: int) -> bool:
    """Whether somebody has that UDP-Lite port."""
    sockets = Path("/proc/net/udplite").read_text()
    return f":{port:04X} " in sockets


def wait_until(holds: Callable[[], bool]) -> None:
    """Polls for at most a minute."""
    end_s = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end_s


@NEEDS_UDPLITE
@pytest.mark.parametrize("window", [[], ["--window", "32"]])
def test_a_precise_stream(exchange: Exchange, window: list[str]) -> None:
    received, sent = exchange(
        ["streamer", "receive"],
        ["streamer", "send", "--bytes", "100001", "--mode", "precise", "--seed", "4294967290", *window],
    )
    assert received["complete"] and received["seed"] == 4294967290
    assert received["datagrams"] == {
        "expected": 98, "precise": 98, "arrived": 98, "lost": 0, "damaged": 0, "foreign": 0
    }  # fmt: skip
    assert received["bits"] == {"arrived": 800008, "wrong": 0} and received["right_share"] == 1
    assert received["ber_damaged"] is None and sent["datagrams"] == 98


@NEEDS_UDPLITE
def test_a_file_with_a_precise_head(exchange: Exchange, tmp_path: Path) -> None:
    received, sent = exchange(
        ["streamer", "receive", "--output", str(tmp_path / "got")],
        ["streamer", "send-file", "--file", str(PICTURE), "--head", "1025", "--every", "1ms",
         "--keep", str(tmp_path / "kept")],
    )  # fmt: skip
    assert received["content"] == "file" and received["datagrams"]["precise"] == sent["precise"] == 2
    assert received["datagrams"]["damaged"] is None and received["bits"]["wrong"] is None
    assert (tmp_path / "got").read_bytes() == (tmp_path / "kept").read_bytes() == PICTURE.read_bytes()


@NEEDS_UDPLITE
def test_no_file_of_a_length_that_nobody_expects(programs: Programs, tmp_path: Path) -> None:
    """Whoever sends first decides what is received; so a file of 2 GiB needs an option."""
    port, output = ["--port", str(free_port())], tmp_path / "got"
    receive = [programs["streamer"], "receive", *port, "--output", str(output)]
    send = [programs["streamer"], "send", "--to", "127.0.0.1", *port, "--bytes", "2G", "--every", "1ms"]
    with (
        subprocess.Popen(receive, stderr=subprocess.PIPE, text=True) as receiving,
        subprocess.Popen(send, stderr=subprocess.DEVNULL) as sending,
    ):
        _, complaint = receiving.communicate(timeout=60)
        sending.kill()
    assert (
        complaint == "sap-streamer: the sender announces 2147483648 bytes; to save them, use --max-bytes 2147483648\n"
    )
    assert receiving.returncode == 2 and not output.exists()


@NEEDS_UDPLITE
@pytest.mark.parametrize("mode", ["approximate", "precise"])
def test_a_trace_over_sap(exchange: Exchange, mode: str) -> None:
    received, sent = exchange(
        ["tracker", "receive"],
        ["tracker", "send", "--trace", str(WALK), "--mode", mode, "--every", "1ms", "--count", "100"],
    )
    assert received["complete"] and received["points"]["expected"] == received["points"]["arrived"] == 100
    assert received["speed_m_s"] == sent["speed_m_s"]


@NEEDS_UDPLITE
def test_a_receiver_ends_at_a_signal(programs: Programs, tmp_path: Path) -> None:
    """During a stream, which it then calls incomplete; and before a stream begins."""
    port, output = ["--port", str(free_port())], tmp_path / "got"
    receive = [programs["streamer"], "receive", *port, "--json", "--output", str(output)]
    send = [programs["streamer"], "send", "--to", "127.0.0.1", *port, "--mode", "precise", "--give-up", "200ms"]
    with (
        subprocess.Popen(receive, stdout=subprocess.PIPE, text=True) as receiving,
        subprocess.Popen([*send, "--bytes", "1G", "--every", "1ms"], stderr=subprocess.PIPE, text=True) as sending,
    ):
        wait_until(lambda: output.exists() and output.stat().st_size > 0)
        receiving.send_signal(signal.SIGINT)
        reported = json.loads(receiving.communicate(timeout=60)[0])
        _, complaint = sending.communicate(timeout=60)
    assert receiving.returncode == 0 and not reported["complete"] and reported["datagrams"]["lost"] > 0
    assert sending.returncode == 1 and "the peer does not answer" in complaint
    with subprocess.Popen(receive, stderr=subprocess.PIPE, text=True) as receiving:
        wait_until(lambda: is_listening(int(port[1])))
        receiving.send_signal(signal.SIGINT)
        _, complaint = receiving.communicate(timeout=60)
    assert (receiving.returncode, complaint) == (1, "sap-streamer: no stream was received\n")


@NEEDS_UDPLITE
@pytest.mark.parametrize("pace", [[], ["--every", "300ms"]], ids=["in sap_send", "between two datagrams"])
def test_a_sender_says_what_it_did_when_the_peer_was_gone(programs: Programs, pace: list[str], tmp_path: Path) -> None:
    port, output = ["--port", str(free_port())], tmp_path / "got"
    receive = [programs["streamer"], "receive", *port, "--output", str(output)]
    send = [programs["streamer"], "send", "--to", "127.0.0.1", *port, "--mode", "precise", "--give-up", "100ms"]
    with (
        subprocess.Popen(receive) as receiving,
        subprocess.Popen([*send, "--bytes", "1G", *pace], stderr=subprocess.PIPE, text=True) as sending,
    ):
        wait_until(lambda: output.exists() and output.stat().st_size > 0)
        receiving.kill()
        _, complaint = sending.communicate(timeout=60)
    assert (sending.returncode, complaint) == (1, "sap-streamer: sending: the peer does not answer\n")
