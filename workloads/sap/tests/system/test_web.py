# SPDX-License-Identifier: MIT
"""Files by SAP from the guest's lighttpd with mod_sap, fetched with sap-get."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from lab.probes import base as probes
from lab.probes.base import Raw
from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

Run = Callable[[str, str], Ran]
SIZE_BYTES = 200_000
DATAGRAMS = 196  # of 1024 bytes
SERVER = "http://{server.ip}"
PICTURE = f"{SERVER}/picture.jpg"

WIRED = """\
name: wired
nodes:
  h1: {{kind: host, roles: [server]}}
  s1: {{kind: switch}}
  h2: {{kind: host, roles: [client]}}
links:
  - {{between: [h1, s1]}}
  - {{between: [s1, h2], {quality}}}
"""
PAIR = """\
name: pair
nodes:
  sta1: {{kind: sta, adhoc: {{ssid: x, channel: 1}}, rate: 54 Mbit/s, roles: [server]}}
  sta2: {{kind: sta, adhoc: {{ssid: x, channel: 1}}, rate: 54 Mbit/s, roles: [client], approximate: {approximate}}}
medium: {{}}
"""
WORK = """\
name: web
stack: sap
duration: {seconds} s
roles: {{server: 1, client: 1}}
files:
  picture-file: {{on: server, path: /srv/www/picture.jpg, random: 200 kB}}
  page-file: {{on: server, path: /srv/www/page.html, text: "a page\\n"}}
  nothing-file: {{on: server, path: /srv/www/nothing.jpg, text: ""}}
  slow-conf: {{on: server, path: /etc/lighttpd/slow.conf, text: "{configuration}"}}
  window-conf: {{on: server, path: /etc/lighttpd/window.conf, text: "{window}"}}
processes:
  - {{on: server, run: [lighttpd, -D, -m, /opt/sap/lib/lighttpd, -f, /etc/lighttpd/slow.conf], as: lighttpd,
     ready: {{listening: tcp/80}}}}
  - {{on: server, run: [lighttpd, -D, -m, /opt/sap/lib/lighttpd, -f, /etc/lighttpd/window.conf], as: window-lighttpd,
     ready: {{listening: tcp/81}}}}
"""
CONFIGURATION = (
    'server.document-root = \\"/srv/www\\"\\nserver.port = {port}\\nserver.modules = (\\"mod_sap\\")\\n'
    'mimetype.assign = (\\".jpg\\" => \\"image/jpeg\\", \\".html\\" => \\"text/html\\")\\n'
    'sap.activate = \\"enable\\"\\n{more}'
)


def work(*lines: str, seconds: int = 10, more: str = "") -> str:
    """A workload with two servers: at port 80 one that stops and waits, at port 81 one with a window."""
    head = WORK.format(
        seconds=seconds,
        configuration=CONFIGURATION.format(port=80, more=more),
        window=CONFIGURATION.format(port=81, more='sap.control = \\"window\\"\\n'),
    )
    return head + "".join(f"  {line}\n" for line in lines)


def get(at: str, name: str, url: str = PICTURE, **params: str) -> str:
    """A process: the probe sap-get."""
    reported = "".join(f", {key}: {value}" for key, value in params.items())
    return f'- {{on: client, at: {at}, run: {{probe: sap-get, url: "{url}"{reported}}}, as: {name}}}'


def command(at: str, name: str, *words: str) -> str:
    """A process of the client."""
    return f"- {{on: client, at: {at}, run: [{', '.join(json.dumps(word) for word in words)}], as: {name}}}"


def values(ran: Ran, name: str) -> dict[str, Any]:
    """What a sap-get reported."""
    raw = Raw(ran.directory / "raw", name, epoch_ns=ran.guest()["epoch_ns"])
    return probes.load("sap-get").parse(raw).values


def picture_sha256(ran: Ran) -> str:
    """Of the file on the server."""
    (digest,) = re.findall(r"^([0-9a-f]{64})  /srv/www/picture.jpg$", ran.guest()["events"][0]["output"], re.M)
    return str(digest)


SUM = "timeline:\n  - {at: 0 s, exec: server, run: [sha256sum, /srv/www/picture.jpg]}\n"


def test_files_arrive_as_they_are_asked_for(boot: Run) -> None:
    outputs = [word for name in "abcd" for word in ("-o", f"/tmp/{name}")]
    four = command(
        "6 s", "four", "sap-get", "--json", "-Z", "--approx", "image/*", "--port", "5001", *outputs, *[PICTURE] * 4
    )
    text = work(
        get("1 s", "approximate", types='["image/*"]'),
        get("2 s", "precise", transport="sap-precise"),
        get("3 s", "window", PICTURE.replace("ip}", "ip}:81"), transport="sap-precise"),
        get("4 s", "page", f"{SERVER}/page.html", types='["image/*"]'),
        get("4500 ms", "forced", f"{SERVER}/page.html", transport="sap-precise"),
        get("5 s", "tcp", transport="tcp", count="2"),
        get("5500 ms", "nothing", f"{SERVER}/nothing.jpg"),
        four,
    )
    sums = "  - {at: 9 s, exec: client, run: [sha256sum, /tmp/a, /tmp/b, /tmp/c, /tmp/d]}\n"
    ran = boot(WIRED.format(quality="delay: 1 ms, rate: 100 Mbit/s"), text + SUM + sums)
    digest = picture_sha256(ran)
    transports = {
        "approximate": "sap-approximate",
        "precise": "sap-precise",
        "window": "sap-precise",
        "tcp": "tcp",
    }
    for name, transport in transports.items():
        reported = values(ran, name)
        assert (name, reported["exit_code"], reported["transport"]) == (name, 0, transport)
        assert reported["sha256"] == digest
        assert all(one["bytes"] == one["length"] == SIZE_BYTES for one in reported["transfers"])
        assert (reported["arrived"], reported["lost"]) == ((0, 0) if transport == "tcp" else (DATAGRAMS, 0))
    # one round trip of 2 ms for each datagram
    assert values(ran, "precise")["transfers"][0]["time_total_s"] > 0.002 * DATAGRAMS
    assert values(ran, "window")["transfers"][0]["time_total_s"] < 0.001 * DATAGRAMS
    assert len(values(ran, "tcp")["transfers"]) == 2
    page, forced, nothing = (values(ran, name)["transfers"][0] for name in ("page", "forced", "nothing"))
    assert (page["transport"], page["content_type"], page["bytes"], page["refused"]) == ("tcp", "text/html", 7, "")
    assert (forced["transport"], forced["content_type"], forced["bytes"]) == ("sap-precise", "text/html", 7)
    assert (nothing["exit_code"], nothing["transport"], nothing["bytes"]) == (0, "tcp", 0)
    assert nothing["refused"] == "the file is empty"
    each = [json.loads(line) for line in ran.raw("four.out").splitlines()]
    assert {one["port"] for one in each} == {5001, 5002, 5003, 5004}
    assert all(one["transport"] == "sap-approximate" and one["exit_code"] == 0 for one in each)
    assert re.findall(r"^[0-9a-f]{64}", ran.guest()["events"][1]["output"], re.M) == [digest] * 4
    assert "SAP" not in ran.raw("lighttpd.err")


def test_ipv6_and_ipv4_on_one_socket(boot: Run) -> None:
    """A client of IPv4 then has an address within IPv6, and listens at one without."""
    six = 'http://[::1]/picture.jpg", types: ["image/*"]'
    text = work(
        f'- {{on: server, at: 1 s, run: {{probe: sap-get, url: "{six}}}, as: six}}',
        get("2 s", "four", types='["image/*"]'),
        more='server.bind = \\"[::]\\"\\nserver.set-v6only = \\"disable\\"\\n',
    )
    ran = boot(WIRED.format(quality="delay: 1 ms, rate: 100 Mbit/s"), text + SUM)
    for name in ("six", "four"):
        reported = values(ran, name)
        assert (reported["exit_code"], reported["transport"], reported["lost"]) == (0, "sap-approximate", 0)
        assert reported["sha256"] == picture_sha256(ran)


def test_precise_files_arrive_over_a_lossy_link(boot: Run) -> None:
    text = work(
        get("1 s", "precise", transport="sap-precise"),
        get("15 s", "window", PICTURE.replace("ip}", "ip}:81"), transport="sap-precise"),
        get("25 s", "approximate"),
        seconds=30,
    )
    ran = boot(WIRED.format(quality="loss: 5%"), text + SUM)
    digest = picture_sha256(ran)
    for name in ("precise", "window"):
        reported = values(ran, name)
        assert (reported["exit_code"], reported["lost"], reported["sha256"]) == (0, 0, digest)
    # Of 196 datagrams or their acknowledgments 9.75 % are lost, and each waits 50 ms: 21.2 waits, with a standard
    # deviation of 4.8. Four of these either way.
    assert 0.1 < values(ran, "precise")["transfers"][0]["time_total_s"] < 2.1
    reported = values(ran, "approximate")
    assert reported["exit_code"] == 0 and 0 < reported["lost"] < 0.15 * DATAGRAMS
    assert reported["sha256"] != digest and reported["expected"] == DATAGRAMS


def test_a_transfer_outlives_the_servers_patience(boot: Run) -> None:
    """lighttpd ends idle connections, and closes them 5 s later, but not one on which a client waits for a transfer."""
    impatient = "server.max-read-idle = 2\\nserver.max-keep-alive-idle = 2\\n"
    text = work(get("1 s", "slow", transport="sap-precise"), seconds=25, more=impatient)
    ran = boot(WIRED.format(quality="delay: 40 ms"), text)
    (reported,) = values(ran, "slow")["transfers"]
    assert (reported["exit_code"], reported["bytes"]) == (0, SIZE_BYTES)
    assert reported["time_total_s"] > 0.08 * DATAGRAMS > 2 + 5


@pytest.mark.parametrize("approximate", [True, False])
def test_damage_arrives_where_the_switch_is_on(boot: Run, approximate: bool) -> None:
    damaged = 30
    text = work(
        command("1 s", "original", "sap-get", "-o", "/tmp/original", PICTURE),
        get("3 s", "fetch", compare="/tmp/original"),
    )
    # those before are of TCP and of the handshakes
    fault = f"  - {{at: 2900 ms, fault: damage, frames: data, from: sta1, to: sta2, skip: 20, count: {damaged}}}\n"
    ran = boot(PAIR.format(approximate=str(approximate).lower()), text + SUM + fault)
    reported = values(ran, "fetch")
    assert reported["exit_code"] == 0 and reported["transport"] == "sap-approximate"
    assert reported["expected"] == DATAGRAMS
    if approximate:  # headers, and TCP's ACKs, are hit too
        assert 0.7 * damaged < reported["damaged"] <= damaged
        assert reported["damaged"] <= reported["wrong_bytes"] <= reported["wrong_bits"]
        assert reported["lost"] == damaged - reported["damaged"]
    else:
        assert (reported["damaged"], reported["wrong_bits"]) == (0, 0)
        assert reported["lost"] == damaged
    assert reported["sha256"] != picture_sha256(ran)


def ask(types: str, port: str, *more: str) -> list[str]:
    """A curl that prints headers."""
    return [
        "curl",
        "-s",
        "-o",
        "/dev/null",
        "-D",
        "-",
        "-H",
        f"X-SAP-Approx: {types}",
        "-H",
        f"X-SAP-Port: {port}",
        *more,
    ]


REFUSED = [
    (ask("image/*", "0"), "X-SAP-Port is not a number"),
    (ask("image/*", "22"), "X-SAP-Port is not a number"),
    (ask("image/*", "70000"), "X-SAP-Port is not a number"),
    (ask("image/*", "5001, 5002"), "X-SAP-Port is not a number"),
    (ask("image", "5001"), "X-SAP-Approx is not a list"),
    (ask("a/b," * 65, "5001"), "X-SAP-Approx is too long"),
    (ask("image/*", "5001", "-H", "X-SAP-Force-Precise: perhaps"), "X-SAP-Force-Precise is neither"),
    (ask("image/*", "5001", "-H", "X-SAP-Token: 5001"), "X-SAP-Token is not a random number of 16 hexadecimal digits"),
    (ask("image/*", "5001", "-r", "0-9"), "ranges of files"),
]


def test_what_is_refused_goes_over_tcp(boot: Run) -> None:
    lines = [command(f"{1 + i} s", f"ask-{i}", *argv, PICTURE) for i, (argv, _) in enumerate(REFUSED)]
    lines.append(command("9900 ms", "head", *ask("image/*", "5001"), "-I", PICTURE))
    ran = boot(WIRED.format(quality="delay: 1 ms"), work(*lines))
    head = ran.raw("head.out")  # tells what GET would, and nothing is sent
    assert (
        "X-SAP-Mode: approximate" in head
        and f"X-SAP-Length: {SIZE_BYTES}" in head
        and "SAP" not in ran.raw("lighttpd.err")
    )
    for i, (_, why) in enumerate(REFUSED):
        answer = ran.raw(f"ask-{i}.out")
        assert re.search(rf"^X-SAP-Refused: {why}", answer, re.M), answer
        size = 10 if answer.startswith("HTTP/1.1 206") else SIZE_BYTES
        assert f"Content-Length: {size}" in answer and "X-SAP-Mode" not in answer


# asks, and neither listens nor closes its connection
DEAF = (
    "import socket, time; s = socket.create_connection(('{server.ip}', 80)); "
    "s.sendall(b'GET /picture.jpg HTTP/1.1\\r\\nHost: x\\r\\n"
    "X-SAP-Force-Precise: 1\\r\\nX-SAP-Port: 5009\\r\\n\\r\\n'); "
    "print(s.recv(9999).decode()); time.sleep(3)"
)


def test_clients_that_go_are_left_alone(boot: Run) -> None:
    """One client closes its connection in the middle, one listens nowhere; and the limit of transfers holds."""
    text = work(
        command("1 s", "gone", "sh", "-c", f"sap-get --force-precise --max-time 0.1 -o /tmp/gone {PICTURE} || echo $?"),
        command("2 s", "deaf", "python3", "-c", DEAF),
        get("2500 ms", "second"),
        get("4 s", "third"),
        more="sap.max-transfers = 1\\nsap.timeout = 1\\n",
    )
    ran = boot(WIRED.format(quality="delay: 10 ms"), text)
    log = ran.raw("lighttpd.err")
    assert re.search(r"SAP to 10\.0\.0\.2 port \d+: the client has closed its connection \(\d+ of 200000 bytes", log)
    assert "timed out after 0.1" in ran.raw("gone.err") and ran.raw("gone.out") == "28\n"
    answer = ran.raw("deaf.out")
    assert "Content-Length: 0" in answer and "X-SAP-Mode: precise" in answer and "Cache-Control: no-store" in answer
    assert re.search(r"SAP to 10\.0\.0\.2 port 5009: .* \(0 of 200000 bytes", log)
    (reported,) = values(ran, "second")["transfers"]
    assert reported["transport"] == "tcp" and reported["refused"].startswith(
        "the server has reached its limit of transfers"
    )
    assert (reported["bytes"], reported["exit_code"]) == (SIZE_BYTES, 0)
    assert values(ran, "third")["transport"] == "sap-approximate"


WRONG = {
    'sap.control = "fast"': 'sap.control is "fast"; must be "stop-and-wait" or "window"',
    "sap.timeout = 0": "sap.timeout is 0; must be from 1 to 3600",
    "sap.stall-timeout = 0": "sap.stall-timeout is 0; must be from 1 to 3600",
    "sap.max-transfers = 5000": "sap.max-transfers is 5000; must be from 1 to 1000",
    "sap.max-transfers-per-address = 0": "sap.max-transfers-per-address is 0; must be from 1 to 1000",
}


def test_a_wrong_configuration_is_reported(boot: Run) -> None:
    script = "printf '%s\\n' 'server.document-root = \"/srv\"' 'server.modules = (\"mod_sap\")' '{}' >/tmp/{}.conf; "
    script += "lighttpd -tt -m /opt/sap/lib/lighttpd -f /tmp/{}.conf 2>&1 || true"
    lines = [command(f"{1 + i} s", f"try-{i}", "sh", "-c", script.format(line, i, i)) for i, line in enumerate(WRONG)]
    ran = boot(WIRED.format(quality="delay: 1 ms"), work(*lines))
    for i, reported in enumerate(WRONG.values()):
        assert reported in ran.raw(f"try-{i}.out")
