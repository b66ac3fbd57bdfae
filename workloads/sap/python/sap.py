# SPDX-License-Identifier: MIT
"""Python binding of libsap: sockets, and the protocol core for exercises without a network.

The module loads the shared library with cffi in ABI mode and parses the declarations of the headers on import. Two
environment variables locate them: ``SAP_INCLUDE`` (default: the headers installed with this module, or those of this
project's libsap) and ``SAP_LIBRARY`` (default: ``libsap.so.0``, searched by the dynamic linker). In nodes of the lab
``import sap`` is enough.

A sender, and a receiver in another process::

    with sap.connect("10.0.0.2", 9000) as socket:        with sap.listen("10.0.0.2", 9000) as socket:
        socket.send(header)                                  for message in socket:
        socket.mode = sap.APPROXIMATE                            use(message.data, message.guaranteed)
        socket.send(pixels)
        socket.fin()

If a library function fails, the method raises :class:`Error`. sap.h and sap_core.h document the functions.
"""

from __future__ import annotations

import os
import re
import socket as _socket
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cffi

HEADERS = ("sap_types.h", "sap_core.h", "sap.h")
SYSTEM_TYPES = "typedef uint32_t socklen_t; struct sockaddr; struct sockaddr_storage;"


def _include() -> Path:
    if "SAP_INCLUDE" in os.environ:
        return Path(os.environ["SAP_INCLUDE"])
    here = Path(__file__).parent
    return here if (here / HEADERS[0]).is_file() else here.parent / "libsap" / "include"


def declarations(include: Path) -> tuple[str, dict[str, int]]:
    """Read the headers: declarations for cffi, and the values of numeric macros.

    Args:
        include: The directory of the headers.

    Returns:
        The declarations without comments, directives and attributes, and the macros (``SAP_CONNECTED`` etc.) by name.
    """
    text = "".join((include / name).read_text() for name in HEADERS)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    macros = {
        name: int(number) << int(shift or 0)
        for name, number, shift in re.findall(r"^#define (SAP_\w+) \(?(-?\d+)u?(?: << (\d+))?\)?\s*$", text, re.M)
    }
    text = re.sub(r'^#.*$|^extern "C" \{$|^\}$|\bSAP_API\b', "", text, flags=re.M)
    return text, macros


ffi = cffi.FFI()
_DECLARED, MACROS = declarations(_include())
ffi.cdef(SYSTEM_TYPES + _DECLARED)
lib: Any = ffi.dlopen(os.environ.get("SAP_LIBRARY", "libsap.so.0"))

PRECISE: int = lib.SAP_PRECISE
APPROXIMATE: int = lib.SAP_APPROXIMATE
STOP_AND_WAIT: int = lib.SAP_STOP_AND_WAIT
WINDOW: int = lib.SAP_WINDOW
CONNECTS: int = lib.SAP_CONNECTS
LISTENS: int = lib.SAP_LISTENS
NEVER = 2**64 - 1

# and anything else with a buffer, such as an array (collections.abc.Buffer, from Python 3.12 on)
Buffer = bytes | bytearray | memoryview


class Error(Exception):
    """A libsap function failed.

    Attributes:
        name: The error's name in sap_types.h, such as ``SAP_ERR_TIMEDOUT``.
    """

    def __init__(self, code: int) -> None:
        self.name = str(ffi.typeof("enum sap_error").elements[code])
        text = ffi.string(lib.sap_strerror(code)).decode()
        if self.name == "SAP_ERR_SYSTEM":
            text += f": {os.strerror(ffi.errno)}"
        super().__init__(f"{text} ({self.name})")


def _checked(result: int) -> int:
    if result < 0:
        raise Error(result)
    return result


@dataclass(frozen=True)
class Message:
    """A received datagram: its bytes and the members of ``struct sap_message`` (sap_types.h)."""

    data: bytes
    precise: int
    guaranteed: bool
    number: int
    after: int


def _view(data: Buffer) -> Any:
    """Return an object with a buffer (bytes, bytearray, memoryview, array) as an array of C, without a copy.

    Raises:
        TypeError: If it is not one, such as text.
    """
    try:
        return ffi.from_buffer(data)
    except (TypeError, BufferError, ValueError):
        raise TypeError(f"data must be bytes or another contiguous buffer, not {type(data).__name__}") from None


def _message(data: Any, message: Any) -> Message:
    return Message(
        bytes(ffi.buffer(data, message.length)),
        message.precise,
        bool(message.guaranteed),
        message.number,
        message.after,
    )


def _fields(struct: Any) -> dict[str, int]:
    return {name: getattr(struct, name) for name, _ in ffi.typeof(struct).fields}


def _set(struct: Any, values: dict[str, int]) -> None:
    known = [name for name, _ in ffi.typeof(struct).item.fields if name not in {"size", "peer"}]
    for name, value in values.items():
        if name not in known:
            raise TypeError(f"unknown option {name}; known options: {', '.join(known)}")
        setattr(struct, name, value)


def _address(host: str, port: int) -> Any:
    """Build a sockaddr_in or sockaddr_in6, in the layout of Linux on a little-endian machine."""
    family, _, _, _, where = _socket.getaddrinfo(host, port, type=_socket.SOCK_DGRAM)[0]
    packed = int(family).to_bytes(2, "little") + port.to_bytes(2, "big")
    if family == _socket.AF_INET:
        packed += _socket.inet_aton(str(where[0])) + bytes(8)
    else:
        scope = int(where[3]) if len(where) > 3 else 0
        packed += bytes(4) + _socket.inet_pton(family, str(where[0]).split("%")[0]) + scope.to_bytes(4, "little")
    return ffi.from_buffer(packed)


class Socket:
    """A socket, created by :func:`connect` or :func:`listen`. Close it with ``with`` or :meth:`close`."""

    def __init__(self, handle: Any) -> None:
        self._open_handle = handle

    @property
    def _handle(self) -> Any:
        """The socket of the library, which must not be given one that is closed.

        Raises:
            ValueError: If it is closed, as files of Python do.
        """
        if self._open_handle == ffi.NULL:
            raise ValueError("the socket is closed")
        return self._open_handle

    def __enter__(self) -> Socket:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Message]:
        """Receive messages until the peer's FIN."""
        while True:
            try:
                yield self.recv()
            except Error as error:
                if error.name == "SAP_ERR_END":
                    return
                raise

    @property
    def mode(self) -> int:
        """The kind of datagram that :meth:`send` sends: :data:`PRECISE` or :data:`APPROXIMATE`."""
        return int(lib.sap_get_mode(self._handle))

    @mode.setter
    def mode(self, mode: int) -> None:
        _checked(lib.sap_set_mode(self._handle, mode))

    @property
    def port(self) -> int:
        """The socket's own port."""
        address, length = ffi.new("uint8_t[128]"), ffi.new("socklen_t *")
        _checked(lib.sap_local(self._handle, ffi.cast("struct sockaddr_storage *", address), length))
        return int.from_bytes(ffi.buffer(address, 4)[2:4], "big")

    @property
    def stats(self) -> dict[str, int]:
        """The counters of ``struct sap_stats``, by name."""
        stats = ffi.new("struct sap_stats *")
        lib.sap_get_stats(self._handle, stats)
        return _fields(stats[0])

    def set_timeout(self, timeout_ms: int) -> None:
        """Set how long calls block, in milliseconds; -1: without limit, 0: not at all."""
        _checked(lib.sap_set_timeout(self._handle, timeout_ms))

    def accept(self) -> None:
        """Wait until a peer has connected."""
        _checked(lib.sap_accept(self._handle))

    def send(self, data: Buffer) -> None:
        """Send one datagram, precise or approximate according to :attr:`mode`."""
        view = _view(data)
        _checked(lib.sap_send(self._handle, view, len(view)))

    def send_head(self, data: Buffer, head: int, *, once: bool = False) -> None:
        """Send one datagram whose first ``head`` bytes are precise; ``once``: protected, but not guaranteed."""
        view = _view(data)
        _checked(lib.sap_send_head(self._handle, view, len(view), head, MACROS["SAP_ONCE"] if once else 0))

    def recv(self) -> Message:
        """Receive one datagram."""
        data, message = ffi.new("uint8_t[]", MACROS["SAP_PAYLOAD_BYTES_MAX"]), ffi.new("struct sap_message *")
        _checked(lib.sap_recv(self._handle, data, len(data), message))
        return _message(data, message)

    def flush(self) -> None:
        """Wait until all guaranteed datagrams are acknowledged."""
        _checked(lib.sap_flush(self._handle))

    def fin(self) -> None:
        """End the sending direction, and wait until the peer has acknowledged it."""
        _checked(lib.sap_fin(self._handle))

    def process(self) -> None:
        """Do what can be done without blocking."""
        _checked(lib.sap_process(self._handle))

    def ready(self, flag: str) -> bool:
        """Check whether ``flag`` (``"SAP_CONNECTED"`` etc.) is set."""
        return bool(lib.sap_ready(self._handle) & MACROS[flag])

    def close(self) -> None:
        """Close the socket. Closing it again has no effect."""
        handle, self._open_handle = self._open_handle, ffi.NULL
        lib.sap_close(handle)


def _open(function: Any, host: str, port: int, peer: tuple[str, int] | None, values: dict[str, int]) -> Socket:
    options, handle, address = ffi.new("struct sap_options *"), ffi.new("sap_sock_t **"), _address(host, port)
    lib.sap_options_init_size(options, ffi.sizeof("struct sap_options"))
    _set(options, values)
    expected = _address(*peer) if peer else ffi.NULL  # referenced here until the call has copied it
    options.peer = ffi.cast("struct sockaddr *", expected)
    _checked(function(handle, ffi.cast("struct sockaddr *", address), len(address), options))
    return Socket(handle[0])


def connect(host: str, port: int, **options: int) -> Socket:
    """Connect to a listening peer. Options are the members of ``struct sap_options``."""
    return _open(lib.sap_connect, host, port, None, options)


def listen(host: str, port: int = 0, *, peer: tuple[str, int] | None = None, **options: int) -> Socket:
    """Listen for a peer. With port 0 the kernel chooses one, see :attr:`Socket.port`.

    ``peer`` is the only address and port (0: any port) that may connect.
    """
    return _open(lib.sap_listen, host, port, peer, options)


class Core:
    """One end of a connection, without sockets or clock: sap_core.h.

    Addresses are up to 31 arbitrary bytes. Times are in nanoseconds, of any clock of the caller.
    """

    def __init__(self, role: int, random: bytes, *, peer: bytes = b"", now_ns: int = 0, **options: int) -> None:
        config = ffi.new("struct sap_core_config *")
        lib.sap_core_config_init(config)
        config.role = role
        config.random = random
        config.peer = self._packed(peer)[0]
        _set(config, options)
        size = lib.sap_core_bytes(config)
        self._memory = ffi.new("long double[]", size // 16 + 1)  # aligned as malloc() does it
        self._core = lib.sap_core_init(self._memory, size, config, now_ns)
        if self._core == ffi.NULL:
            raise Error(lib.SAP_ERR_ARGUMENT)

    @staticmethod
    def _packed(address: bytes) -> Any:
        packed = ffi.new("struct sap_address *")
        packed.length = len(address)
        packed.bytes = address.ljust(31, b"\0")
        return packed

    def input(self, source: bytes, datagram: Buffer, now_ns: int) -> None:
        """Process a datagram received from ``source``."""
        view = _view(datagram)
        lib.sap_core_input(self._core, self._packed(source), view, len(view), now_ns)

    def output(self, now_ns: int) -> tuple[bytes, bytes, int] | None:
        """Return the next datagram that is due, its destination and the number of its precise bytes; or None."""
        data, out = ffi.new("uint8_t[]", 2048), ffi.new("struct sap_output *")
        if not lib.sap_core_output(self._core, data, len(data), out, now_ns):
            return None
        return bytes(ffi.buffer(data, out.length)), bytes(ffi.buffer(out.to.bytes, out.to.length)), int(out.precise)

    @property
    def next_ns(self) -> int:
        """When :meth:`output` must be called next; 0: now; :data:`NEVER`: no timer is running."""
        return int(lib.sap_core_next_ns(self._core))

    def send(self, data: Buffer, head: int | None = None, *, guaranteed: bool = True) -> None:
        """Queue a datagram whose first ``head`` bytes (default: all) are precise."""
        view = _view(data)
        _checked(lib.sap_core_send(self._core, view, len(view), len(view) if head is None else head, guaranteed))

    def receive(self) -> Message:
        """Return the next received datagram."""
        data, message = ffi.new("uint8_t[]", MACROS["SAP_PAYLOAD_BYTES_MAX"]), ffi.new("struct sap_message *")
        _checked(lib.sap_core_receive(self._core, data, len(data), message))
        return _message(data, message)

    def fin(self) -> None:
        """End the sending direction."""
        _checked(lib.sap_core_fin(self._core))

    def ready(self, flag: str) -> bool:
        """Check whether ``flag`` (``"SAP_CONNECTED"`` etc.) is set."""
        return bool(lib.sap_core_ready(self._core, True) & MACROS[flag])

    @property
    def stats(self) -> dict[str, int]:
        """The counters of ``struct sap_stats``, by name."""
        stats = ffi.new("struct sap_stats *")
        lib.sap_core_get_stats(self._core, stats)
        return _fields(stats[0])
