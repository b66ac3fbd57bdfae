# SPDX-License-Identifier: MIT
"""Driving a guest: a shell script in place of the kernel, which gets the same command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lab.errors import RunError
from lab.machine import scratch
from lab.machine.guest import Guest
from lab.machine.process import Setup
from lab.machine.watch import RunProgress

ENDS = """echo '{"error": null}' > "$run/guest.json"\n"""
GOES_ON = 'mkfifo "$run/never"; read -r line < "$run/never"\n'


def homes(setup: Setup) -> list[Path]:
    """Scratch directories of guests that work in that run directory."""
    found = scratch.PARENT.glob(f"{scratch.PREFIX}*/run")
    return [link.parent for link in found if link.is_symlink() and link.readlink() == setup.files.run]


def test_a_guest_is_followed_to_its_end(setup: Callable[[str], Setup]) -> None:
    made = setup(ENDS)
    with Guest.started(made) as guest:
        walls = guest.follow()
    assert walls.wall_s > 0
    assert (made.files.run / "console.log").read_text() == "agent run\n"
    assert homes(made) == []


def test_steps_show_how_far_it_is_until_it_is_ended(setup: Callable[[str], Setup]) -> None:
    made = setup(f'echo "1500000000 0" > "$run/pulse"; echo 1000000000 > "$run/started"\n{GOES_ON}')
    with Guest.started(made, "compile") as guest:
        seen: list[RunProgress | None] = []
        while not seen or (seen[-1] and seen[-1].virtual_ns is None):
            seen.append(guest.watch.step())
        assert seen[-1] and seen[-1].virtual_ns == 500_000_000
        guest.end()
        assert guest.watch.step() is None
    assert (made.files.run / "console.log").read_text() == "agent compile\n"


@pytest.mark.parametrize("error", [KeyboardInterrupt, RunError("of somebody else")])
def test_whatever_happens_meanwhile_nothing_of_it_stays(
    setup: Callable[[str], Setup], error: type[BaseException] | BaseException
) -> None:
    made = setup(GOES_ON)

    def interrupt(progress: RunProgress) -> None:
        raise error

    with pytest.raises(error if isinstance(error, type) else type(error)), Guest.started(made) as guest:
        (home,) = homes(made)
        guest.follow(interrupt)
    assert not home.exists()
    assert scratch._pids_of(home) == []


def test_a_guest_that_says_nothing_of_its_run_has_failed(setup: Callable[[str], Setup]) -> None:
    with (
        pytest.raises(RunError, match="the guest ended before the run was over"),
        Guest.started(setup("exit 0\n")) as guest,
    ):
        guest.follow()


def test_a_guest_whose_time_stands_still_has_failed(setup: Callable[[str], Setup]) -> None:
    with (
        pytest.raises(RunError, match=r"virtual time stood still at 0\.0 s for 0 s of waiting"),
        Guest.started(setup(GOES_ON), stall_s=0.0) as guest,
    ):
        guest.follow()
