# SPDX-License-Identifier: MIT
"""Layers of Docker images, merged: whiteouts, links, owners, and what is wrong with a layer."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from lab.builders.image import merge as merge_
from lab.builders.image.merge import BrokenLayerError, Merged, merge
from tests.docker_images import MADE_S, file, folder, layer, link

CAPABILITY = "SCHILY.xattr.security.capability"


def merged(tmp_path: Path, *layers: bytes) -> tuple[dict[str, tarfile.TarInfo], Merged]:
    """Merge layers; return the members of the result by name."""
    paths = []
    for number, content in enumerate(layers):
        paths.append(tmp_path / f"{number}.tar")
        paths[-1].write_bytes(content)
    found = merge(paths, tmp_path / "merged.tar")
    with tarfile.open(tmp_path / "merged.tar") as tar:
        return {member.name.removeprefix("./"): member for member in tar}, found


def content_of(tmp_path: Path, name: str) -> bytes:
    with tarfile.open(tmp_path / "merged.tar") as tar:
        stream = tar.extractfile(f"./{name}")
        assert stream is not None
        return stream.read()


def test_upper_layers_replace_and_remove(tmp_path: Path) -> None:
    low = layer(folder("a", 0o700), file("a/old", b"1"), file("a/gone", b"2"), folder("b"), file("b/x", b"3"))
    high = layer(folder("a", 0o750, uid=7), file("a/old", b"new"), file("a/.wh.gone"), file(".wh.b"))
    found, _ = merged(tmp_path, low, high)
    assert list(found) == ["a", "a/old"]
    assert (found["a"].mode, found["a"].uid, found["a/old"].mtime) == (0o750, 7, MADE_S)
    assert content_of(tmp_path, "a/old") == b"new"


def test_an_opaque_folder_hides_what_lower_layers_have_in_it(tmp_path: Path) -> None:
    low = layer(folder("a"), file("a/x"), folder("a/b"), file("a/b/y"))
    high = layer(folder("a"), file("a/new"), file("a/.wh..wh..opq"))
    assert list(merged(tmp_path, low, high)[0]) == ["a", "a/new"]


def test_a_whiteout_is_about_lower_layers_only(tmp_path: Path) -> None:
    low, high = layer(folder("a"), file("a/x")), layer(folder("a"), file("a/y"), file(".wh.a"))
    assert list(merged(tmp_path, low, high)[0]) == ["a", "a/y"]


def test_a_file_in_place_of_a_folder_and_back(tmp_path: Path) -> None:
    low, high = layer(folder("a"), file("a/x"), file("b")), layer(file("a", b"1"), folder("b"), file("b/x"))
    found, _ = merged(tmp_path, low, high)
    assert [(name, member.isdir()) for name, member in found.items()] == [("a", False), ("b", True), ("b/x", False)]


def test_hard_links_stay_links_even_if_their_first_name_goes(tmp_path: Path) -> None:
    low = layer(file("bin/a", b"program", 0o4755), link("bin/b", "bin/a", hard=True), link("bin/c", "bin/a", hard=True))
    found, _ = merged(tmp_path, low, layer(file("bin/.wh.a")))
    assert list(found) == ["bin", "bin/b", "bin/c"]
    assert (found["bin/b"].mode, found["bin/b"].isreg()) == (0o4755, True)
    assert (found["bin/c"].islnk(), found["bin/c"].linkname) == (True, "./bin/b")
    assert content_of(tmp_path, "bin/b") == b"program"


def test_paths_lead_through_symbolic_links_of_lower_layers(tmp_path: Path) -> None:
    low = layer(folder("usr/lib"), link("lib", "usr/lib"), link("abs", "/usr"), link("up", "../../usr"))
    high = layer(file("lib/x"), file("abs/lib/y"), file("up/lib/z"), file("lib/.wh.none"))
    found, _ = merged(tmp_path, low, high)
    assert [name for name in found if name.startswith("usr/lib/")] == ["usr/lib/x", "usr/lib/y", "usr/lib/z"]
    assert found["lib"].issym()


def test_capabilities_stay_and_device_files_do_not(tmp_path: Path) -> None:
    value = b"\x01\x00\x00\x02\x00\x20\xff".decode("utf-8", "surrogateescape")
    low = layer(
        file("ping", pax_headers={CAPABILITY: value, "SCHILY.xattr.system.posix_acl_access": "x"}),
        file("dev/null", type=tarfile.CHRTYPE, devmajor=1, devminor=3),
        file("fifo", type=tarfile.FIFOTYPE),
    )
    found, reported = merged(tmp_path, low)
    assert list(found) == ["fifo", "ping"]
    assert found["ping"].pax_headers[CAPABILITY] == value
    assert "SCHILY.xattr.system.posix_acl_access" not in found["ping"].pax_headers
    assert reported == Merged(["/dev/null"], MADE_S)


def test_equal_layers_give_equal_bytes(tmp_path: Path) -> None:
    members = [file("b", b"1"), file("a", b"2", mtime=MADE_S + 0.5)]
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        merged(tmp_path / name, layer(*members))
    assert (tmp_path / "one" / "merged.tar").read_bytes() == (tmp_path / "two" / "merged.tar").read_bytes()


def test_a_layer_without_an_end(tmp_path: Path) -> None:
    """As umoci writes it: nothing after the last byte of the last file."""
    whole = layer(file("a", b"12345"))
    assert list(merged(tmp_path, whole[: tarfile.BLOCKSIZE + 5])[0]) == ["a"]
    with pytest.raises(BrokenLayerError, match="unexpected end of data"):
        merged(tmp_path, whole[: tarfile.BLOCKSIZE + 4])


def test_no_layers_are_an_empty_image(tmp_path: Path) -> None:
    assert merged(tmp_path) == ({}, Merged([], 0))


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (b"no tar at all" * 100, "layer 2 of 2: "),
        (layer(file("a", b"x" * 20_000))[:9000], "layer 2 of 2: unexpected end of data"),
        (layer(file("a"), file("b"))[:700], "layer 2 of 2: a damaged header after 1 files"),
        (layer(file("../a")), "layer 2 of 2: the path ../a leads out of it"),
        (layer(link("a", "b", hard=True)), "layer 2 of 2: a is a hard link to b, which is not there"),
        (layer(file("low/x")), "layer 2 of 2: low leads through low, which is not a folder"),
        (layer(link("a", "b"), link("b", "a"), file("a/x")), "layer 2 of 2: a leads through "),
    ],
)
def test_broken_layers(tmp_path: Path, broken: bytes, message: str) -> None:
    with pytest.raises(BrokenLayerError) as failure:
        merged(tmp_path, layer(file("low")), broken)
    assert str(failure.value).startswith(message)


def header(name: str, kind: bytes = tarfile.REGTYPE, size: bytes = b"0" * 11) -> bytes:
    """A header of a tar file as nobody's program writes it."""
    member = tarfile.TarInfo(name)
    member.type = kind
    made = bytearray(member.tobuf(tarfile.GNU_FORMAT))
    made[124 : 124 + len(size)] = size
    made[148:156] = b" " * 8
    made[148:156] = b"%06o\0 " % sum(made)
    return bytes(made)


def odd(name: str = "a", **records: str) -> bytes:
    """A layer with a file that has these records in an extended header; ``GNU__`` is for ``GNU.sparse.``."""
    return layer(file(name, pax_headers={key.replace("GNU__", "GNU.sparse."): text for key, text in records.items()}))


SPARSE = {"GNU__major": "0", "GNU__minor": "1", "GNU__name": "big"}


@pytest.mark.parametrize(
    ("hostile", "message"),
    [
        (layer(file("a/../../etc/x")), "the path a/../../etc/x leads out of it"),
        (layer(link("a", "../../../etc/passwd", hard=True)), "the path ../../../etc/passwd leads out of it"),
        (layer(link("a", "/etc/passwd", hard=True)), "a is a hard link to /etc/passwd, which is not there"),
        (layer(link("o", "/etc"), link("a", "o/passwd", hard=True)), "a is a hard link to o/passwd, which is not"),
        (layer(link("a\n\x1b", "b", hard=True)), r"a\n\x1b is a hard link to b, which is not there"),
        (layer(file("x" * 256)), "a path is too long for Linux: xxx"),
        (layer(file("/".join(["d"] * 2049))), "a path is too long for Linux: d/d/d"),
        (layer(file("a", type=tarfile.SYMTYPE, linkname="x" * 4096)), "a is a symbolic link of 4096 bytes"),
        (layer(file("a", type=tarfile.SYMTYPE)), "a is a symbolic link of 0 bytes"),
        (layer(file("a", uid=1 << 32)), "a belongs to 4294967296:0, which are not valid IDs"),
        (odd(mtime="inf"), "a has the time inf, which is not a number"),
        (odd(size="-1024"), "a is said to have -1024 bytes"),
        (odd(**SPARSE, GNU__map="0,0", GNU__size="9" * 18), "the image has more than 20 GB when unpacked"),
        (odd(x="y" * (1 << 20)), "././@PaxHeader is said to have 1048587 bytes; at most 1048576 are possible"),
        (header("a", size=b"\xff" * 12), "a is said to have -1 bytes; at most 20000000000 are possible"),
        (header("a", b"Z"), "a has the unknown type b'Z'"),
        (header("a", tarfile.XGLTYPE) * 5000, "one file has too many headers"),
        (layer(link("a", "/".join(["a"] * 40)), file("a/x")), "a leads through a, which is not a folder"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_hostile_layers(tmp_path: Path, hostile: bytes, message: str) -> None:
    with pytest.raises(BrokenLayerError) as failure:
        merged(tmp_path, hostile)
    assert str(failure.value).startswith(f"layer 1 of 1: {message}")
    assert {path.name for path in tmp_path.iterdir()} == {"0.tar", "merged.tar"}


def test_parts_of_a_sparse_file_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(BrokenLayerError, match="big: unexpected end of data"):
        merged(tmp_path, odd(**SPARSE, GNU__map="0,4000000", GNU__size="5000000"))


def test_links_to_outside_lead_to_the_image(tmp_path: Path) -> None:
    found, _ = merged(tmp_path, layer(link("out", "/etc"), file("out/passwd", b"x"), link("up", "../.."), file("up/y")))
    assert list(found) == ["etc", "etc/passwd", "out", "up", "y"]


def test_names_that_only_look_like_whiteouts_remove_nothing(tmp_path: Path) -> None:
    low = layer(folder("a"), file("a/x"))
    found, _ = merged(tmp_path, low, layer(file("a/.wh."), file("a/.wh..."), file("a/.wh..."), file(".wh.b/c")))
    assert list(found) == [".wh.b", ".wh.b/c", "a", "a/x"]


@pytest.mark.parametrize("most", ["files", "folders", "attributes", "steps", "bytes"])
def test_there_are_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: str) -> None:
    monkeypatch.setattr(
        merge_, "_MOST_STEPS" if most == "steps" else f"MOST_{'BYTES' if most == 'bytes' else 'FILES'}", 100
    )
    hostile = {
        "files": layer(*(file(str(number)) for number in range(101))),
        "folders": layer(file("/".join(["d"] * 101))),
        "attributes": layer(*(file(str(number), pax_headers={"a": "b", "c": "d"}) for number in range(34))),
        "steps": layer(link("l", "/".join(["."] * 60)), file("l/a"), file("l/b")),
        "bytes": layer(file("a", b"x" * 60), file("b", b"x" * 60)),
    }[most]
    with pytest.raises(BrokenLayerError, match=r"the image has more than 100 files|too many folders|than 1e-07 GB"):
        merged(tmp_path, hostile)


def test_folders_may_be_deeper_than_the_stack_of_python(tmp_path: Path) -> None:
    path = "/".join(["d"] * 2000)
    found, _ = merged(tmp_path, layer(file(path, b"1")))
    assert len(found) == 2000
    assert found[path].size == 1


def test_a_whiteout_below_a_link_removes_what_the_link_leads_to(tmp_path: Path) -> None:
    low = layer(folder("usr/bin"), file("usr/bin/a", b"1"), file("usr/bin/b", b"2"), link("bin", "usr/bin"))
    found, _ = merged(tmp_path, low, layer(file("bin/.wh.a")))
    assert list(found) == ["bin", "usr", "usr/bin", "usr/bin/b"]
    found, _ = merged(tmp_path, low, layer(file("bin/.wh..wh..opq")))
    assert list(found) == ["bin", "usr", "usr/bin"]
