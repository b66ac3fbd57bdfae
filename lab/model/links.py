# SPDX-License-Identifier: MIT
"""Wired links and what tc/netem does to them."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from pydantic import Field

from lab.model.base import Duration, Model, Packets, Percent, Rate, Text
from lab.model.node import Ip

if TYPE_CHECKING:
    from lab.shared.types import Netem


class Shape(Model):
    """What a link does to packets, in each direction (tc-netem(8)). What is left out does not happen."""

    delay: Duration | None = Field(None, description="Time that each packet takes, one way.")
    jitter: Duration | None = Field(None, description="Random variation of the delay, plus or minus.")
    loss: Percent | None = Field(None, description="Share of packets that are lost, independently of each other.")
    rate: Rate | None = Field(None, description="Data rate. If nothing is said: as fast as can be.")
    reorder: Percent | None = Field(None, description="Share of packets sent at once instead of after the delay.")
    limit: Packets | None = Field(None, description="Length of the queue. If nothing is said: 1000 packets.")

    def applied_to(self, before: Netem) -> Netem:
        """What the link does when what is said here changes and all else stays as before."""
        said: dict[str, Any] = {
            "delay_ns": self.delay,
            "jitter_ns": self.jitter,
            "loss_percent": self.loss,
            "rate_bps": self.rate,
            "reorder_percent": self.reorder,
            "limit_packets": self.limit,
        }
        return dataclasses.replace(before, **{key: value for key, value in said.items() if value is not None})


def complaint(netem: Netem) -> tuple[str, str] | None:
    """The key and what is wrong, where tc would refuse that combination or do something else than said."""
    if netem.reorder_percent and not netem.delay_ns:
        return "reorder", "packets can only overtake delayed ones; add a delay, such as delay: 10 ms"
    if netem.jitter_ns > netem.delay_ns:
        return "jitter", "is larger than the delay, which cannot fall below 0; use a longer delay or a smaller jitter"
    return None


class Link(Shape):
    """A wired link between two nodes."""

    between: tuple[Text, Text] = Field(description="Its two ends, such as [h1, s1].")
    name: Text | None = Field(None, description="Its name. If nothing is said: its ends, such as h1-s1.")
    ip: dict[str, Ip] = Field(
        {},
        description="IPv4 addresses of its ends, for hosts with several links: {h1: 192.168.1.1/24}. "
        "The first interface of a host needs none here.",
    )
