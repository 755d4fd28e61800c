"""Frames on the socket, and the numbers, texts and lists inside them. plugin_api/bridge/protocol.hpp is the specification."""

import socket
import struct
from typing import Any, NamedTuple, Optional

MAGIC = 0x52425341
VERSION = 2
START, READY, FAILED, SUPPORTS, DONE, CALL, RESULTS = range(1, 8)
STATE_DOUBTFUL = 1
SEGMENT_POOLED = 1
MAX_PAYLOAD = 64 << 20

_FIRST_READ = 1 << 16
_DESCRIPTOR = struct.Struct("i")
_ANCILLARY_SIZE = socket.CMSG_SPACE(_DESCRIPTOR.size)
_HEADER = struct.Struct("<IHHQII")
_U8, _U32, _U64 = struct.Struct("<B"), struct.Struct("<I"), struct.Struct("<Q")
_I32, _I64, _F64 = struct.Struct("<i"), struct.Struct("<q"), struct.Struct("<d")


class ProtocolError(Exception):
    """The client sent something that is not the protocol; there is no way to go on."""


class Frame(NamedTuple):
    kind: int
    id: int
    payload: bytes
    fd: int  # -1: none


def receive(connection: socket.socket) -> Optional[Frame]:
    """The next frame, or None when the client has closed the conversation."""
    # A client waits for its answer before it sends again, so whatever is there belongs to one frame.
    data, ancillary, _, _ = connection.recvmsg(_FIRST_READ, _ANCILLARY_SIZE, socket.MSG_CMSG_CLOEXEC)
    fd = -1
    for level, kind, content in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS and len(content) == _DESCRIPTOR.size:
            (fd,) = _DESCRIPTOR.unpack(content)
    while len(data) < _HEADER.size:
        more = connection.recv(_HEADER.size - len(data))
        if not more:
            return None
        data += more
    magic, version, frame_kind, frame_id, size, _ = _HEADER.unpack_from(data)
    if magic != MAGIC or version != VERSION or size > MAX_PAYLOAD or len(data) > _HEADER.size + size:
        raise ProtocolError("frame header is wrong")
    payload = data[_HEADER.size :]
    if len(payload) < size:
        rest = _receive_rest(connection, size - len(payload))
        if rest is None:
            return None
        payload += rest
    return Frame(frame_kind, frame_id, payload, fd)


def _receive_rest(connection: socket.socket, size: int) -> Optional[bytes]:
    rest = bytearray(size)
    view = memoryview(rest)
    while view:
        count = connection.recv_into(view)
        if count == 0:
            return None
        view = view[count:]
    return bytes(rest)


def send(connection: socket.socket, kind: int, frame_id: int, payload: bytes, fd: int = -1) -> None:
    data = _HEADER.pack(MAGIC, VERSION, kind, frame_id, len(payload), 0 if fd < 0 else 1) + payload
    control = [] if fd < 0 else [(socket.SOL_SOCKET, socket.SCM_RIGHTS, _DESCRIPTOR.pack(fd))]
    sent = connection.sendmsg([data], control)
    if sent < len(data):
        connection.sendall(memoryview(data)[sent:])


class Writer:
    def __init__(self) -> None:
        self._out = bytearray()

    def put(self, form: struct.Struct, *values: Any) -> None:
        """Several numbers at once."""
        self._out += form.pack(*values)

    def u8(self, value: int) -> None:
        self._out.append(value)

    def u32(self, value: int) -> None:
        self._out += _U32.pack(value)

    def u64(self, value: int) -> None:
        self._out += _U64.pack(value)

    def i32(self, value: int) -> None:
        self._out += _I32.pack(value)

    def i64(self, value: int) -> None:
        self._out += _I64.pack(value)

    def f64(self, value: float) -> None:
        self._out += _F64.pack(value)

    def text(self, value: str) -> None:
        data = value.encode("utf-8", "replace")
        self._out += _U32.pack(len(data)) + data

    def bytes(self) -> bytes:
        return bytes(self._out)


class Reader:
    """Takes numbers off a payload; `take` takes several at once."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def take(self, form: struct.Struct) -> tuple[Any, ...]:
        try:
            values = form.unpack_from(self._data, self._at)
        except struct.error:
            raise ProtocolError("frame is too short") from None
        self._at += form.size
        return values

    def u8(self) -> int:
        at = self._at
        self._at = at + 1
        try:
            return self._data[at]
        except IndexError:
            raise ProtocolError("frame is too short") from None

    def i64(self) -> int:
        return int(self.take(_I64)[0])

    def f64(self) -> float:
        return float(self.take(_F64)[0])

    def text(self) -> str:
        size = self.count()
        self._at += size
        return self._data[self._at - size : self._at].decode("utf-8", "replace")

    def count(self) -> int:
        """Of a list's items or a text's bytes: each takes at least one byte, so there can't be more than the frame has left."""
        (count,) = self.take(_U32)
        if count > len(self._data) - self._at:
            raise ProtocolError("list reaches beyond its frame")
        return int(count)
