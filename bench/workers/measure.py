"""Time and memory of a command and of what it starts."""

import subprocess
import sys

# Runs a command as its only child and prints seconds, seconds of processor time, and the peak MiB of its largest process.
MEASURE = """
import resource, subprocess, sys, time
begun = time.monotonic()
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(time.monotonic() - begun, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, code)
"""


def measure(command, codes=(0,)):
    """Seconds, seconds of processor time and peak MiB of the largest process."""
    line = [sys.executable, "-c", MEASURE, *map(str, command)]
    seconds, work, peak, code = subprocess.run(line, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    assert int(code) in codes, f"exit code {code}"
    return float(seconds), float(work), float(peak)
