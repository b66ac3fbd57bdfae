# SPDX-License-Identifier: MIT
"""What a record and the doctor say about the processor that programs of a guest see."""

from __future__ import annotations

from pathlib import Path

from lab.machine.processor import processor

OLD = "processor\t: 0\nmodel name\t: Old: 1.2 GHz\nflags\t\t: fpu sse2\n\nprocessor\t: 1\nmodel name\t: Other\n"


def test_instructions_that_the_processor_lacks_are_not_listed(tmp_path: Path) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text(OLD)
    old = processor(cpuinfo)
    assert (old.model, old.visible) == ("Old: 1.2 GHz", ["CPUID"])
    cpuinfo.write_text(OLD.replace("sse2", "rdrand sse2 rdpid rdseed"))
    new = processor(cpuinfo)
    assert new.visible == ["CPUID", "RDPID", "RDRAND", "RDSEED"]
    assert new.features != old.features
    cpuinfo.write_text(OLD.replace("fpu sse2", "sse2 fpu"))
    assert processor(cpuinfo) == old


def test_a_host_that_does_not_say_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "cpuinfo").write_text("")
    assert processor(tmp_path / "cpuinfo").model == "unknown"
