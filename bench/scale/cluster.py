"""What a Ray cluster brings and costs: speed-up against one worker, and the overhead of a part.

usage: cluster.py BUILD_DIR RAY_PYTHON [NODES]

speed-up    calls of equal work on one worker without Ray, and in parts on NODES nodes (2) of one CPU each on this machine
overhead    parts that do next to nothing, one after the other on one node, beside the same shards without Ray
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BUILD = Path(sys.argv[1]).resolve()
PYTHON = sys.argv[2]
NODES = int(sys.argv[3]) if len(sys.argv) > 3 else 2
SOURCE = Path(__file__).resolve().parents[2]
os.environ.setdefault("ASSAY_BUILD_DIR", str(BUILD))
os.environ.setdefault("ASSAY_SOURCE_DIR", str(SOURCE))
sys.path.insert(0, str(SOURCE / "tests" / "integration"))
sys.dont_write_bytecode = True

from hostile import ADAPTER, write_dump  # noqa: E402
from ray_cluster import ENVIRONMENT, Cluster  # noqa: E402

ASSAY = BUILD / "bin" / "assay"


def timed(command):
    """Seconds, and what the command said on stderr."""
    begun = time.monotonic()
    process = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert process.returncode == 0, process.stdout + process.stderr
    return time.monotonic() - begun, process.stderr.strip()


def on_ray(cluster, dump, out, parts):
    program = SOURCE / "scripts" / "assay-ray"
    return timed([PYTHON, program, "check", dump, "--out", out, "--address", cluster.address, "--assay", ASSAY, "-n", parts, "--", *ADAPTER])


def main():
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        print(f"load {os.getloadavg()[0]:.1f}, {len(os.sched_getaffinity(0))} cores")
        write_dump(scratch / "heavy", ["work_40"] * 300)
        write_dump(scratch / "light", ["identity"] * 400)
        alone, _ = timed([ASSAY, "check", scratch / "heavy", *ADAPTER, "-q", "--out", scratch / "alone"])
        shards, _ = timed(["sh", "-c", 'for k in $(seq 40); do "$@" --shard $k/40 --out "$0-$k" || exit 1; done', scratch / "shard", ASSAY,
                           "check", scratch / "light", *map(str, ADAPTER), "-q"])
        with Cluster(PYTHON, nodes=NODES) as cluster:
            on_ray(cluster, scratch / "light", scratch / "warm", 4 * NODES)
            spread, said = on_ray(cluster, scratch / "heavy", scratch / "spread", 8 * NODES)
            print(f"speed-up: 300 calls of equal work: one worker {alone:.1f} s, {NODES} nodes {spread:.1f} s all in all, "
                  f"ratio {alone / spread:.2f}; {said}")
        with Cluster(PYTHON, nodes=1) as cluster:
            on_ray(cluster, scratch / "light", scratch / "warm1", 4)
            few, _ = on_ray(cluster, scratch / "light", scratch / "few", 10)
            many, said = on_ray(cluster, scratch / "light", scratch / "many", 50)
            each = (many - few) / 40
            print(f"overhead: a part of 8 to 40 small calls: {each * 1000:.0f} ms on Ray, {shards / 40 * 1000:.0f} ms without; {said}")


if __name__ == "__main__":
    main()
