"""Operators under names that a reference knows; most of them misbehave."""

import os
import signal
import time


def neg(tensor):
    os.kill(os.getpid(), signal.SIGKILL)


def abs(tensor):
    time.sleep(1000)


def ceil(tensor):
    os.write(1, b"\x00garbage\xff" * 1000 + b"\n")
    print("more garbage")
    return tensor


def exp(tensor):
    raise ValueError("this one is refused\nwith a second line")


def floor(tensor):
    return tensor


def trunc(tensor):
    tensor.memory[:] = bytes(len(tensor.memory))
    raise MemoryError
