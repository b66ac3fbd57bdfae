# SPDX-License-Identifier: MIT
"""Mails over SMTP when nobody answers."""

from __future__ import annotations

import socket

import pytest

from workloads.a3 import mail


class Silent:
    """A connection whose other end says nothing."""

    def __init__(self, timeout_s: float | None = None) -> None:
        self.timeout_s = timeout_s

    def makefile(self, mode: str) -> Silent:
        return self

    def readline(self, most: int) -> bytes:
        assert self.timeout_s is not None, "it would wait for ever"
        raise TimeoutError("timed out")

    def close(self) -> None:
        pass


def test_a_session_that_nobody_answers_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "create_connection", lambda _, timeout_s=None: Silent(timeout_s))
    with pytest.raises(SystemExit, match="greeting: .*timed out"):
        mail.session("10.0.0.1", b"")
