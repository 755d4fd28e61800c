"""A tiny framework for the bridge's own tests: numbers, byte tensors, and every way to misbehave."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from os import system  # noqa: F401 - a function of another package: the bridge must not offer it

from assay_bridge.frameworks.plain import PlainTensor

_private_calls = 0


class Thing:
    """A class is not an API."""


def add(left, right):
    return left + right


def arguments(*args, **kwargs):
    return [*args, kwargs]


def nothing():
    return None


def opaque():
    return object()


def huge_integer():
    return 1 << 70


def nested(depth):
    value = 1
    for _ in range(depth):
        value = [value]
    return [value]


def total(tensor):
    return sum(tensor.memory)


def overwrite(tensor, byte):
    tensor.memory[:] = bytes([byte]) * len(tensor.memory)
    return tensor


def overwrite_then_fail(tensor, byte):
    overwrite(tensor, byte)
    raise ValueError("changed my mind")


def same_bytes_again(tensor):
    tensor.memory[:] = bytes(tensor.memory)
    return None


def lying_tensor(tensor):
    return PlainTensor(tensor.memory[:1], tensor.info)


def process_id():
    return os.getpid()


def memory_in_use():
    with open("/proc/self/maps", encoding="ascii", errors="replace") as maps:
        return sum("/memfd:assay-" in line for line in maps)


def sleep(seconds):
    time.sleep(seconds)
    return None


def sleep_with_a_helper(seconds):
    helper = subprocess.Popen(["sleep", "1000"])
    print("helper", helper.pid)
    time.sleep(seconds)


def hang_without_mercy():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    ctypes.PyDLL(None).sleep(1000)  # keeps the interpreter's lock


def die(number):
    os.kill(os.getpid(), number)
    time.sleep(10)


def leave(code):
    print("leaving now")
    os._exit(code)


def chatter(lines):
    for i in range(lines):
        print("line", i, "x" * 100)
        os.write(1, b"\x00\xff raw bytes \r\n")
        print("and to stderr", file=sys.stderr)
    return lines


def write_to_every_descriptor():
    """What a careless library could do: print to descriptors it believes to be free."""
    for fd in (0, 1, 2):
        try:
            os.write(fd, b"garbage" * 100)
        except OSError:
            pass
    return True


def fail(kind, message):
    raise {"type": TypeError, "value": ValueError, "not implemented": NotImplementedError, "memory": MemoryError, "key": LookupError}[
        kind
    ](message)


def allocate(mebibytes):
    return len(bytearray(mebibytes << 20))
