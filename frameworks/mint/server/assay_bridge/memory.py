"""Shared memory. Inputs come in a segment of the client's, outputs go in segments of ours; both are memfds without a name."""

import ctypes
import fcntl
import mmap
import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from .failures import OUT_OF_MEMORY, Failure
from .wire import SEGMENT_POOLED, ProtocolError

_F_ADD_SEALS, _F_SEAL_SHRINK = 1033, 2
_PAGE = mmap.PAGESIZE
_COPY_THREADS = min(4, os.cpu_count() or 1)
_copiers: list[ThreadPoolExecutor] = []  # made for the first large copy

# From this many bytes on, a copy is shared among threads.
_LARGE = 8 << 20
_SMALLEST = 1 << 20
_SMALL = 1 << 16  # up to here, a copy costs less than a look at the page map

# Flags in the highest of the 8 bytes of an entry of /proc/self/pagemap.
_PRESENT, _SWAPPED, _FILE_OR_SHARED = 0x80, 0x40, 0x20


class InputSegment:
    """The client's segment, and the memory that a call may use and even write to: never the client's own bytes.

    A small call gets a copy of its bytes. A large one gets the segment mapped private: what it writes lands in pages of this
    process, and those pages give the write away.
    """

    def __init__(self, segment_id: int, fd: int, size: int) -> None:
        if fd < 0:
            raise ProtocolError("input segment did not come along")
        self.id = segment_id
        self.size = size
        try:
            if os.fstat(fd).st_size < size:
                raise ProtocolError("input segment is smaller than it says")
            self._private = mmap.mmap(fd, size, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE)
            self._original = memoryview(mmap.mmap(fd, size, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ))
            self._scratch = memoryview(mmap.mmap(-1, _SMALL, flags=mmap.MAP_PRIVATE))
        except (OSError, ValueError) as error:
            raise Failure(OUT_OF_MEMORY, f"memory: can't map {size} bytes of inputs: {error}") from None
        finally:
            os.close(fd)
        self._private_view = memoryview(self._private)
        self._used = 0
        self._view = self._scratch  # what the current call uses
        self._addresses = {True: _address(self._scratch), False: _address(self._private_view)}
        try:
            self._pagemap = os.open("/proc/self/pagemap", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self._pagemap = -1

    def __del__(self) -> None:
        if getattr(self, "_pagemap", -1) >= 0:
            os.close(self._pagemap)

    def begin(self, used: int) -> None:
        """Prepares the first `used` bytes for a call."""
        if used > self.size:
            raise ProtocolError("call uses more than its segment")
        self._used = used
        if used <= _SMALL:
            self._scratch[:used] = self._original[:used]
            self._view = self._scratch
        else:
            self._view = self._private_view

    @property
    def address(self) -> int:
        """Where the call's bytes lie."""
        return self._addresses[self._view is self._scratch]

    def memory(self, offset: int, size: int) -> memoryview:
        """The bytes that the call may use as its tensor."""
        if offset > self._used or size > self._used - offset:
            raise ProtocolError("tensor reaches beyond its segment")
        return self._view[offset : offset + size]

    def was_written(self) -> bool:
        """Whether the call wrote anywhere, perhaps only what was there before."""
        if self._view is self._scratch:
            return self._scratch[: self._used] != self._original[: self._used]
        return self._has_private_page()

    def differs(self, offset: int, size: int) -> bool:
        """Whether the bytes are no longer what the client sent."""
        return self.memory(offset, size) != self._original[offset : offset + size]

    def restore(self) -> None:
        """Drops what calls have written."""
        self._private.madvise(mmap.MADV_DONTNEED)

    def _has_private_page(self) -> bool:
        """Whether a used page was written to since it was last restored; true where the system doesn't tell."""
        if self._pagemap < 0:
            return True
        count = (self._used + _PAGE - 1) // _PAGE
        entries = os.pread(self._pagemap, count * 8, self._addresses[False] // _PAGE * 8)
        flags = set(entries[7::8])
        return len(entries) < count * 8 or any(flag & _SWAPPED or flag & (_PRESENT | _FILE_OR_SHARED) == _PRESENT for flag in flags)


class OutputSegment:
    def __init__(self, segment_id: int, size: int) -> None:
        self.id = segment_id
        self.size = size
        self.fd = os.memfd_create("assay-output", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        try:
            # Allocated now: running out of memory while writing would kill the process.
            os.posix_fallocate(self.fd, 0, size)
            fcntl.fcntl(self.fd, _F_ADD_SEALS, _F_SEAL_SHRINK)
            self.view = memoryview(mmap.mmap(self.fd, size))
        except OSError as error:
            raise Failure(OUT_OF_MEMORY, f"memory: can't share {size} bytes of results: {error.strerror}") from None

    def __del__(self) -> None:
        os.close(self.fd)


class Lent(NamedTuple):
    """A segment that holds a call's results."""

    segment: OutputSegment
    flags: int
    is_new: bool  # the client hasn't mapped it


class OutputPool:
    """Segments for results; up to `keep_bytes` of them stay, so that their pages serve call after call."""

    def __init__(self, keep_bytes: int) -> None:
        self._keep_bytes = keep_bytes
        self._all: dict[int, OutputSegment] = {}
        self._free: list[OutputSegment] = []
        self._last_id = 0

    def release(self, ids: Iterable[int]) -> None:
        self._free += [self._all[i] for i in ids if i in self._all]

    def take(self, size: int) -> Lent:
        best = None
        for segment in self._free:
            if segment.size >= size and (best is None or segment.size < best.size):
                best = segment
        if best is not None:
            self._free.remove(best)
            return Lent(best, SEGMENT_POOLED, False)
        rounded = max(_SMALLEST, 1 << (size - 1).bit_length())
        pooled = rounded + sum(segment.size for segment in self._all.values()) <= self._keep_bytes
        self._last_id += 1
        segment = OutputSegment(self._last_id, rounded if pooled else (size + _PAGE - 1) // _PAGE * _PAGE)
        if pooled:
            self._all[segment.id] = segment
        return Lent(segment, SEGMENT_POOLED if pooled else 0, True)


class Placement:
    """Plans where result tensors go in one segment: 64-byte aligned, one after the other."""

    def __init__(self) -> None:
        self._items: list[tuple[object, int, int]] = []
        self.size = 0

    def add(self, tensor: object, size: int) -> int:
        offset = (self.size + 63) // 64 * 64
        self._items.append((tensor, offset, size))
        self.size = offset + size
        return offset

    def items(self) -> list[tuple[object, int, int]]:
        return self._items


def _address(memory: memoryview) -> int:
    return ctypes.addressof(ctypes.c_char.from_buffer(memory))


def copy_from(address: int, target: memoryview) -> None:
    """Copies the bytes at the address; several threads get more out of the memory than one."""
    size = len(target)
    start = _address(target)
    if size < _LARGE or _COPY_THREADS == 1:
        ctypes.memmove(start, address, size)
        return
    if not _copiers:
        _copiers.append(ThreadPoolExecutor(_COPY_THREADS, "copy"))
    part = (size // _COPY_THREADS + _PAGE - 1) // _PAGE * _PAGE
    parts = [(start + at, address + at, min(part, size - at)) for at in range(0, size, part)]
    list(_copiers[0].map(lambda piece: ctypes.memmove(*piece), parts))
