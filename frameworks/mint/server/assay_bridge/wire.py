"""Frames on the socket, and the numbers, texts and lists inside them. frameworks/mint/src/protocol.hpp is the specification."""

import array
import os
import socket
import struct
from typing import NamedTuple, Optional

MAGIC = 0x52425341
VERSION = 1
START, READY, FAILED, SUPPORTS, DONE, CALL, RESULTS = range(1, 8)
STATE_DOUBTFUL = 1
SEGMENT_POOLED = 1
MAX_PAYLOAD = 64 << 20

_HEADER = struct.Struct("<IHHQII")
_U8, _U16, _U32, _U64 = struct.Struct("<B"), struct.Struct("<H"), struct.Struct("<I"), struct.Struct("<Q")
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
    header = bytearray()
    fd = -1
    while len(header) < _HEADER.size:
        part, fds, _, _ = socket.recv_fds(connection, _HEADER.size - len(header), 1)
        if not part:
            return None
        header += part
        for received in fds:
            os.set_inheritable(received, False)
            fd = received
    magic, version, kind, frame_id, size, _ = _HEADER.unpack(header)
    if magic != MAGIC or version != VERSION or size > MAX_PAYLOAD:
        raise ProtocolError("frame header is wrong")
    payload = bytearray(size)
    view = memoryview(payload)
    while view:
        count = connection.recv_into(view)
        if count == 0:
            return None
        view = view[count:]
    return Frame(kind, frame_id, bytes(payload), fd)


def send(connection: socket.socket, kind: int, frame_id: int, payload: bytes, fd: int = -1) -> None:
    data = _HEADER.pack(MAGIC, VERSION, kind, frame_id, len(payload), 0 if fd < 0 else 1) + payload
    control = [] if fd < 0 else [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [fd]))]
    sent = connection.sendmsg([data], control)
    if sent < len(data):
        connection.sendall(memoryview(data)[sent:])


class Writer:
    def __init__(self) -> None:
        self._out = bytearray()

    def u8(self, value: int) -> None:
        self._out.append(value)

    def u16(self, value: int) -> None:
        self._out += _U16.pack(value)

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
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def _number(self, form: struct.Struct) -> float:
        value: float
        try:
            (value,) = form.unpack_from(self._data, self._at)
        except struct.error:
            raise ProtocolError("frame is too short") from None
        self._at += form.size
        return value

    def u8(self) -> int:
        return int(self._number(_U8))

    def u16(self) -> int:
        return int(self._number(_U16))

    def u32(self) -> int:
        return int(self._number(_U32))

    def u64(self) -> int:
        return int(self._number(_U64))

    def i32(self) -> int:
        return int(self._number(_I32))

    def i64(self) -> int:
        return int(self._number(_I64))

    def f64(self) -> float:
        return float(self._number(_F64))

    def text(self) -> str:
        size = self.u32()
        if size > len(self._data) - self._at:
            raise ProtocolError("text reaches beyond its frame")
        self._at += size
        return self._data[self._at - size : self._at].decode("utf-8", "replace")

    def count(self) -> int:
        count = self.u32()
        if count > len(self._data) - self._at:
            raise ProtocolError("list reaches beyond its frame")
        return count
