# SPDX-License-Identifier: MIT
"""Elements next to each other: each pair of them, and all; what one has made passes the others like any packet."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from .packets import SYN, Segment, Talk, chain, compiled
from .planted import PLANTED_TOGETHER
from .two_ends import A3d, bad, cross, ideal, mail

ELEMENTS = ("rar", "pf", "ib", "ae")
RATE_BPS = 30_000
FRAME = 14  # bytes that PF counts as well
TEXT = b"".join(b"the words of line %d are those of all the other lines\n" % number for number in range(300))


@pytest.mark.parametrize("version", [4, 6])
@pytest.mark.parametrize("elements", [*combinations(ELEMENTS, 2), ELEMENTS], ids="-".join)
def test_a_mail_crosses_whole_with_these_elements(
    program: Path, tmp_path: Path, elements: tuple[str, ...], version: int
) -> None:
    """Through a network without losses, and a bad one. Each element does its part, and PF's rate holds."""
    said = mail("a@b.c", "d@e.f", TEXT)
    for number, network in enumerate((ideal, bad)):
        ends = []
        for side in ("client", "server"):
            folder = tmp_path / f"{side}{number}"
            for part in ("tables", "journals"):
                (folder / part).mkdir(mode=0o700, parents=True)
            ends.append(
                A3d(
                    program,
                    side,
                    folder / "tables" if "ae" in elements else None,
                    copies=2 * ("rar" in elements),
                    pf=("on" if side == "client" else str(RATE_BPS)) * ("pf" in elements),
                    ib=folder / "journals" if "ib" in elements else None,
                )
            )
        cross(said, ends[0], ends[1], network, number, version=version, acts=True)
        if "pf" in elements:
            keeps_the_rate([(at, packet) for at, packet in ends[1].left if to_client(packet)])
        near, far = (end.end() for end in ends)
        assert ("rar" in elements) == (near["copies"] > 0 and far["copies"] > 0)
        assert ("pf" in elements) == (far["pf_held"] > 0)
        assert ("ib" in elements) == (far["taken"] > 0)
        assert ("ae" in elements) == (near["encoded"] > 0 and far["decoded"] > 0)


PAGE = [
    (0, b"GET / HTTP/1.1\r\nHost: server\r\nAccept: text/html\r\n\r\n"),
    (1, b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(TEXT) + TEXT),
]


@pytest.mark.parametrize("version", [4, 6])
def test_alone_a_page_and_a_mail_cross_whole(program: Path, tmp_path: Path, version: int) -> None:
    """A³•: all elements at the client's side, and no far end. IB stores the page, and AE finds nobody for the mail."""
    for number, network in enumerate((ideal, bad)):
        counts = {}
        for service, said in ((80, PAGE), (25, mail("a@b.c", "d@e.f", TEXT))):
            folder = tmp_path / f"{service}-{number}"
            for part in ("tables", "journals"):
                (folder / part).mkdir(mode=0o700, parents=True)
            near = A3d(program, "client", folder / "tables", copies=2, pf="alone", ib=folder / "journals")
            cross(said, near, None, network, number, version=version, acts=True, service=service)
            counts[service] = near.end()
        assert counts[80]["taken"] == 1 and counts[80]["copies"] > 0
        assert counts[25]["taken"] == counts[25]["encoded"] == 0 and counts[25]["no_far_end"] > 0


def to_client(packet: bytes) -> bool:
    at = 20 if packet[0] >> 4 == 4 else 40
    return packet[at : at + 2] == b"\0\x19"


def keeps_the_rate(left: list[tuple[int, bytes]]) -> None:
    free_ns = 0.0
    for at_ns, packet in left:
        assert at_ns >= free_ns - 1000
        free_ns = max(free_ns, at_ns) + (len(packet) + FRAME) * 8e9 / RATE_BPS


def test_a_checksum_that_is_only_begun_is_right_only_if_the_kernel_says_so(program: Path) -> None:
    """From the wire, one of 65536 damaged segments has just that one: it would be sent on with a valid checksum."""
    talk = Talk()
    lines = []
    for card in (False, True):
        packet = Segment(("10.0.0.2", 40_000 + card), flags=SYN, left_to_card=True).packet()
        lines.append(f"{card + 1}000 {packet.hex()}{' card' * card}")
    talk.lines = lines
    done = chain(program, "client", talk.lines, copies=0)
    assert done.verdicts == ["pass", "pass"] and done.counts["connections"] == 1


def test_a_connection_is_not_taken_over_while_its_packets_wait(program: Path, tmp_path: Path) -> None:
    """They are of before. The client acknowledges one that has not left yet, so that nothing seems to be under way."""
    talk = Talk()
    talk.open(0)
    at = [0, 0]
    for way, data in [*mail("a@b.c", "d@e.f", b"")[:9], (0, b"text\r\n")]:
        talk.send(sum(at) * 100, way, at[way], at[1 - way], data)
        at[way] += len(data)
    for rate, taken in ((1000, 0), (10_000_000, 1)):
        folder = tmp_path / str(rate)
        folder.mkdir()
        done = chain(program, "server", talk.lines, copies=0, pf=str(rate), ib=folder)
        assert done.counts["taken"] == taken


@pytest.mark.parametrize("name", PLANTED_TOGETHER)
def test_planted_mistakes_between_elements_are_found(program: Path, tmp_path: Path, name: str) -> None:
    mistake = PLANTED_TOGETHER[name]
    wrong_program = compiled(mistake=mistake)
    test = globals()[mistake.found_by]
    folder = tmp_path / "more"
    folder.mkdir()
    needs_folder = "tmp_path" in test.__code__.co_varnames[: test.__code__.co_argcount]
    with pytest.raises(AssertionError):
        test(wrong_program, *([folder] if needs_folder else []), *mistake.values)
