"""The direct side of mint_bridge: the same calls, made in Python without the bridge.

Reads lines `FUNCTION ELEMENTS CALLS WAY`, answers with a line of the seconds of each call, from a NumPy array to the NumPy array of the
result. WAY `Tensor` makes the argument as users do, `from_numpy` shares the array's memory with MindSpore, and `paused` does the same
after a pause as long as a bridged call's other half: MindSpore's threads fall asleep between calls that don't follow at once.
"""

import sys
import time

import mindspore
import numpy

PAUSE_SECONDS = 100e-6


def measure(function, elements, calls, make, pause):
    array = numpy.full(elements, 0.5, numpy.float32)
    times = []
    for _ in range(calls):
        if pause:
            time.sleep(PAUSE_SECONDS)
        start = time.perf_counter()
        function(make(array)).asnumpy()
        times.append(time.perf_counter() - start)
    return times


def main():
    mindspore.set_context(mode=mindspore.PYNATIVE_MODE)
    mindspore.runtime.launch_blocking()
    try:
        measure(mindspore.mint.exp, 4, 1, mindspore.Tensor, False)
    except SystemError:
        pass  # once, where NumPy has another major version than MindSpore was built for
    out = sys.stdout
    print("ready", file=out, flush=True)
    for line in sys.stdin:
        name, elements, calls, way = line.split()
        make = mindspore.Tensor if way == "Tensor" else mindspore.Tensor.from_numpy
        times = measure(getattr(mindspore.mint, name), int(elements), int(calls), make, way == "paused")
        print(" ".join(f"{seconds:.9f}" for seconds in times), file=out, flush=True)


if __name__ == "__main__":
    main()
