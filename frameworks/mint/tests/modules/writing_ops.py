"""Operators under names that a reference knows, which treat their arguments in other ways than they should."""

import struct

from assay_bridge.frameworks.plain import PlainTensor

_calls = 0


def _with(tensor, numbers):
    return PlainTensor(memoryview(bytearray(struct.pack(f"<{len(numbers)}f", *numbers))), tensor.info)


def _numbers(tensor):
    return struct.unpack(f"<{tensor.info.nbytes // 4}f", tensor.memory)


def neg(tensor):
    """Right, but leaves its argument spoilt."""
    out = _with(tensor, [-x for x in _numbers(tensor)])
    tensor.memory[4:8] = struct.pack("<f", 7.0)
    return out


def abs(tensor):
    return _with(tensor, [x if x >= 0 else -x for x in _numbers(tensor)])


def zero_(tensor):
    """Right, but not in place."""
    return _with(tensor, [0.0] * len(_numbers(tensor)))


def fill_(tensor, value):
    tensor.memory[:] = struct.pack("<f", value) * len(_numbers(tensor))
    return tensor


def sum(tensor):
    """Gives something else each time."""
    global _calls
    _calls += 1
    return _with(tensor, [x * _calls for x in _numbers(tensor)])
