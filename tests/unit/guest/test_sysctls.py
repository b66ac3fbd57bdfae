# SPDX-License-Identifier: MIT
"""What the guest says of parameters that the kernel does not take; files stand in for the kernel's."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.guest.errors import GuestError
from lab.guest.network.sysctls import set_sysctl


def kernel(room: Path, text: str, mode: int = 0o644) -> Path:
    """Make a parameter; it keeps what follows the length of the value that is written."""
    path = room / "ipv4" / "one"
    path.parent.mkdir()
    path.write_text(text)
    path.chmod(mode)
    return path


@pytest.mark.parametrize("value", ["0", "reno", "4096 1572864 1572864", "4096\t1572864"])
def test_a_value_is_written_as_a_line(tmp_path: Path, value: str) -> None:
    path = kernel(tmp_path, "")
    set_sysctl("ipv4/one", value, tmp_path)
    assert path.read_text() == f"{value}\n"


def test_one_that_a_node_lacks(tmp_path: Path) -> None:
    with pytest.raises(GuestError) as failure:
        set_sysctl("ipv4/one", "0", tmp_path)
    assert failure.value.message == 'a node has no "net.ipv4.one"; `sysctl -a` in a node lists what it has'
    assert not list(tmp_path.iterdir())


def test_a_value_of_which_the_kernel_makes_another(tmp_path: Path) -> None:
    """As with the first of three numbers; the file keeps the rest of what it had."""
    kernel(tmp_path, "5\n131072\n6291456\n")
    with pytest.raises(GuestError) as failure:
        set_sysctl("ipv4/one", "4", tmp_path)
    assert failure.value.message == (
        'net.ipv4.one: the kernel makes "4 131072 6291456" of "4"; write the value that it keeps'
    )


def test_text_in_another_notation(tmp_path: Path) -> None:
    kernel(tmp_path, "0\n-5\n")
    set_sysctl("ipv4/one", "a", tmp_path)


def test_a_group_of_them(tmp_path: Path) -> None:
    kernel(tmp_path, "")
    with pytest.raises(GuestError, match=r'"net\.ipv4" Is a directory'):
        set_sysctl("ipv4", "1", tmp_path)
