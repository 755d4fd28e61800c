"""Shared memory. Inputs come in a segment of the client's, outputs go in segments of ours; both are memfds without a name."""

import ctypes
import fcntl
import mmap
import os
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from .failures import OUT_OF_MEMORY, Failure
from .wire import SEGMENT_POOLED, ProtocolError

_F_ADD_SEALS, _F_SEAL_SHRINK = 1033, 2
_PAGE = mmap.PAGESIZE
_COPY_THREADS = min(4, os.cpu_count() or 1)
_copiers: list[ThreadPoolExecutor] = []  # made for the first large copy

#: From this many bytes on, a copy is shared among threads.
LARGE = 8 << 20
_SMALLEST = 1 << 20

# Flags in the highest of the 8 bytes of an entry of /proc/self/pagemap.
_PRESENT, _SWAPPED, _FILE_OR_SHARED = 0x80, 0x40, 0x20


class InputSegment:
    """The client's segment, mapped private: what a call writes lands in pages of our own, and those pages give the write away."""

    def __init__(self, segment_id: int, fd: int, size: int) -> None:
        if fd < 0:
            raise ProtocolError("input segment did not come along")
        self.id = segment_id
        self.size = size
        try:
            if os.fstat(fd).st_size < size:
                raise ProtocolError("input segment is smaller than it says")
            self._private = mmap.mmap(fd, size, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE)
            self._original = mmap.mmap(fd, size, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ)
        except (OSError, ValueError) as error:
            raise Failure(OUT_OF_MEMORY, f"memory: can't map {size} bytes of inputs: {error}") from None
        finally:
            os.close(fd)
        self._view = memoryview(self._private)
        self._original_view = memoryview(self._original)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self._private))
        try:
            self._pagemap = os.open("/proc/self/pagemap", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self._pagemap = -1

    def __del__(self) -> None:
        if getattr(self, "_pagemap", -1) >= 0:
            os.close(self._pagemap)

    def memory(self, offset: int, size: int) -> memoryview:
        """The bytes that a call may use as its tensor."""
        if offset > self.size or size > self.size - offset:
            raise ProtocolError("tensor reaches beyond its segment")
        return self._view[offset : offset + size]

    def original(self, offset: int, size: int) -> memoryview:
        """The same bytes as the client sent them."""
        return self._original_view[offset : offset + size]

    def written(self, offset: int, size: int) -> bool:
        """Whether the bytes differ from what the client sent."""
        if not self.has_private_page(offset, size):
            return False
        return self.memory(offset, size) != self.original(offset, size)

    def has_private_page(self, offset: int, size: int) -> bool:
        """Whether a page of the range was written to since it was last restored; true where the system doesn't tell."""
        if size == 0:
            return False
        if self._pagemap < 0:
            return True
        first, last = offset // _PAGE, (offset + size - 1) // _PAGE
        entries = os.pread(self._pagemap, (last - first + 1) * 8, (self.address // _PAGE + first) * 8)
        return any(flag & _SWAPPED or flag & (_PRESENT | _FILE_OR_SHARED) == _PRESENT for flag in set(entries[7::8]))

    def restore(self) -> None:
        """Drops what calls have written."""
        self._private.madvise(mmap.MADV_DONTNEED)


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

    def release(self, ids: list[int]) -> None:
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


def copy_from(address: int, target: memoryview) -> None:
    """Copies the bytes at the address; several threads get more out of the memory than one."""
    size = len(target)
    start = ctypes.addressof(ctypes.c_char.from_buffer(target))
    if size < LARGE or _COPY_THREADS == 1:
        ctypes.memmove(start, address, size)
        return
    if not _copiers:
        _copiers.append(ThreadPoolExecutor(_COPY_THREADS, "copy"))
    part = (size // _COPY_THREADS + _PAGE - 1) // _PAGE * _PAGE
    parts = [(start + at, address + at, min(part, size - at)) for at in range(0, size, part)]
    list(_copiers[0].map(lambda piece: ctypes.memmove(*piece), parts))
