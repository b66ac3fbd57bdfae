# SPDX-License-Identifier: MIT
"""The fuzz targets: what each is made of, and how it is driven."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from workloads.sap.tests.library import native

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Target:
    """A file ``fuzz/<name>.c`` and its corpus."""

    name: str
    code: tuple[Path, ...]  # that it tests, in addition to the core of libsap
    made: int  # inputs that tests make of the corpus
    longest: int = 600  # bytes of an input that libFuzzer makes
    includes: tuple[Path, ...] = ()

    @property
    def corpus(self) -> Path:
        """The directory of its inputs."""
        return HERE / "corpus" / self.name

    def build(self, to: Path, flags: list[str], driver: tuple[Path, ...] = (), compiler: str = "gcc") -> Path:
        """Compile it. ``driver``: what calls it, where that is not libFuzzer."""
        sources = [HERE / f"{self.name}.c", native.HERE / "pair.c", *driver, *self.code, *native.core_sources()]
        options = [*flags, *(f"-I{path}" for path in self.includes)]
        return native.program(to, sources, options, compiler)


TARGETS = {
    target.name: target
    for target in (
        Target("wire", (), made=200_000),
        Target("peer", (), made=20_000),
        Target("channel", (), made=2_000),
        # lists longer than X-SAP-Approx may be
        Target("requests", (native.MOD_SAP / "request_headers.c",), 20_000, 6000, (native.MOD_SAP,)),
    )
}
