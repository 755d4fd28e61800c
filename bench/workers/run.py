"""What supervised workers cost and bring, measured on an adapter that does next to nothing (tests/hostile).

usage: run.py BUILD_DIR [CALLS]

speed-up    a compute-bound recording with one worker and with two: time and ratio; and what the machine gives two processes that know
            nothing of each other
overhead    CALLS small calls (100000) with one worker and in one process: the difference of processor time for each call
planning    a shard with one of CALLS calls: what every shard spends on finding its part
scale       the same run: calls per second, peak memory of the supervisor and of its workers, at a tenth of the calls and at all
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BUILD = Path(sys.argv[1]).resolve()
CALLS = int(sys.argv[2]) if len(sys.argv) > 2 else 100000
os.environ.setdefault("ASSAY_BUILD_DIR", str(BUILD))
os.environ.setdefault("ASSAY_SOURCE_DIR", str(Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "integration"))
sys.dont_write_bytecode = True

from hostile import ADAPTER, write_dump  # noqa: E402
from measure import measure  # noqa: E402


def check(dump, out, *options):
    """Seconds, seconds of processor time and peak MiB of the largest process of a check."""
    return measure([BUILD / "bin" / "assay", "check", dump, *ADAPTER, "-q", "--out", out, *options])


def side_by_side(dump, scratch, count):
    """Seconds until so many runs in one process each are done, all started at once."""
    command = [str(BUILD / "bin" / "assay"), "check", str(dump), *map(str, ADAPTER), "-q", "-j", "0"]
    begun = time.monotonic()
    runs = [subprocess.Popen([*command, "--out", str(scratch / f"side{count}.{i}")]) for i in range(count)]
    assert [process.wait() for process in runs] == [0] * count
    return time.monotonic() - begun


def main():
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        print(f"load {os.getloadavg()[0]:.1f}, {len(os.sched_getaffinity(0))} cores")
        write_dump(scratch / "heavy", ["work_40"] * 60)
        one, _, _ = check(scratch / "heavy", scratch / "h1", "-j", 1)
        two, _, _ = check(scratch / "heavy", scratch / "h2", "-j", 2)
        alone, both = side_by_side(scratch / "heavy", scratch, 1), side_by_side(scratch / "heavy", scratch, 2)
        print(f"machine: one process {alone:.2f} s, two at once {both:.2f} s: it does {2 * alone / both:.2f} times the work")
        print(f"speed-up: 60 calls of equal work: -j 1 {one:.2f} s, -j 2 {two:.2f} s, ratio {one / two:.2f}")
        for calls in (CALLS // 10, CALLS):
            dump = scratch / f"light{calls}"
            write_dump(dump, ["identity"] * calls)
            alone, work_alone, peak_alone = check(dump, scratch / f"a{calls}", "-j", 0)
            supervised, work, peak = check(dump, scratch / f"s{calls}", "-j", 1)
            overhead = (work - work_alone) / calls * 1e6
            print(f"scale: {calls} calls: one process {alone:.1f} s ({peak_alone:.0f} MiB), one worker {supervised:.1f} s ({peak:.0f} MiB), "
                  f"{calls / supervised:.0f} calls/s, overhead {overhead:.0f} us of processor time a call")
        planned, _, peak = check(dump, scratch / "planned", "--shard", f"1/{CALLS}")
        print(f"planning: 1 of {CALLS} calls: {planned:.2f} s, {planned / CALLS * 1e6:.1f} us a call, {peak:.0f} MiB")


if __name__ == "__main__":
    main()
