# SPDX-License-Identifier: MIT
"""The program that runs a client in a node: what it makes of the client's answers, and of its files."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path
from typing import Any

import pytest

from ...probes import _peer_program as peer


def look(pieces: bytes = b"", count: int = 0, **more: Any) -> dict[str, Any]:
    found = {"pieces": base64.b64encode(pieces).decode(), "pieceCount": count, "pieceSize": 10, "totalSize": 95}
    return {**found, "error": 0, "errorString": "", "trackerStats": [], **more}


@pytest.mark.parametrize(
    ("pieces", "playable"),
    [
        (b"\x00\x00", 0),
        (b"\x7f\xc0", 0),  # all but the first one
        (b"\x80\x00", 10),
        (b"\xef\xc0", 30),
        (b"\xff\x80", 90),
        (b"\xff\xc0", 95),  # the last one is shorter
    ],
)
def test_what_can_be_played_is_all_before_the_first_missing_piece(pieces: bytes, playable: int) -> None:
    assert peer.playable(look(pieces, 10)) == playable


def tracker(asked: bool = True, answered: bool = False, said: str = "Could not connect to tracker") -> dict[str, Any]:
    return {"hasAnnounced": asked, "lastAnnounceSucceeded": answered, "lastAnnounceResult": said}


@pytest.mark.parametrize(
    ("trackers", "complaint"),
    [
        ([], ""),
        ([tracker(asked=False)], ""),
        ([tracker()], "Could not connect to tracker"),
        ([tracker(), tracker(answered=True, said="Success")], ""),
    ],
)
def test_a_tracker_that_does_not_answer_matters_if_no_other_one_does(
    trackers: list[dict[str, Any]], complaint: str
) -> None:
    assert peer.complaint(look(trackerStats=trackers)) == complaint


def test_an_error_of_the_torrent_comes_first() -> None:
    assert peer.complaint(look(error=3, errorString="No space left", trackerStats=[tracker()])) == "No space left"


def test_the_hash_of_a_file_and_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "one").write_bytes(b"one")
    (tmp_path / "a").write_bytes(b"two")
    assert peer.digest(tmp_path / "a") == hashlib.sha256(b"two").hexdigest()
    assert peer.digest(tmp_path) == hashlib.sha256(b"twoone").hexdigest()


def test_a_file_that_cannot_be_fetched(tmp_path: Path) -> None:
    with pytest.raises(peer.Failed, match="cannot fetch http://127.0.0.1:1/x"):
        peer.fetched("http://127.0.0.1:1/x")
    with pytest.raises(peer.Failed, match=r"there is no file .*/none"):
        peer.fetched(str(tmp_path / "none"))
