# SPDX-License-Identifier: MIT
"""Where the files are that belong to this code: in its checkout or, if it was installed from a wheel, next to it.

Both have the same layout: grading/, hwsim-patches/, images/, topologies/, workloads/, scripts/packages. setup.py packs
them.
"""

from pathlib import Path

from lab.errors import InputError

PACKAGE = Path(__file__).resolve().parent
CHECKOUT = PACKAGE.parent  # the repository; for the code of the lab, see `checkout`
_PACKED = PACKAGE / "share"  # only an installed lab has it
IS_CHECKOUT = not _PACKED.is_dir()
DATA = CHECKOUT if IS_CHECKOUT else _PACKED
INSTALL = "`make lab` installs what is missing" if IS_CHECKOUT else "`lab doctor` says what to install"  # advice


def checkout(what: str) -> Path:
    """Return the checkout, for what changes or checks the lab itself.

    Raises:
        InputError: If this lab was installed from a wheel. ``what`` is what needs a checkout.
    """
    if not IS_CHECKOUT:
        raise InputError(
            f"{what} needs a checkout of hwsim-lab; this lab was installed from a wheel, in {PACKAGE.parent}",
            hint="clone the repository, and run it there",
        )
    return CHECKOUT
