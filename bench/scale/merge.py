"""What joining shards costs: time and peak memory of `assay merge`, for more and more rows.

usage: merge.py BUILD_DIR [SHARDS [ROWS]]

SHARDS (1000) shards of a run of ROWS (1000000) calls, and of a tenth of them, made from the rows of a real run on the adapter of
tests/hostile. The whole job and one of its ranks: time, rows per second, peak memory, bytes of results.jsonl per row.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

BUILD = Path(sys.argv[1]).resolve()
SHARDS = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
ROWS = int(sys.argv[3]) if len(sys.argv) > 3 else 1000000
SOURCE = Path(__file__).resolve().parents[2]
os.environ.setdefault("ASSAY_BUILD_DIR", str(BUILD))
os.environ.setdefault("ASSAY_SOURCE_DIR", str(SOURCE))
sys.path[:0] = [str(SOURCE / "tests" / "integration"), str(SOURCE / "bench" / "workers")]
sys.dont_write_bytecode = True

from hostile import ADAPTER, write_dump  # noqa: E402
from measure import measure  # noqa: E402


def make_shards(folder, shards, rows):
    """Shards with every `shards`-th row; returns their bytes."""
    with tempfile.TemporaryDirectory() as scratch:
        dump, out = Path(scratch, "dump"), Path(scratch, "out")
        write_dump(dump, ["double"])
        assay = str(BUILD / "bin" / "assay")
        subprocess.run([assay, "check", str(dump), *map(str, ADAPTER), "-q", "--shard", "1/1", "--out", str(out)], check=True)
        run = json.loads((out / "run.json").read_text(encoding="utf-8"))
        line = (out / "results.jsonl").read_text(encoding="utf-8")
    before, place, after = line.partition('"position":0')
    assert place
    written = 0
    for shard in range(shards):
        part = folder / f"{shard + 1}-of-{shards}"
        part.mkdir(parents=True)
        positions = range(shard, rows, shards)
        run["shard"] = f"{shard + 1}/{shards}"
        run["counts"]["apis"] = run["dump"]["apis"] = len(positions)
        (part / "run.json").write_text(json.dumps(run), encoding="utf-8")
        with open(part / "results.jsonl", "w", encoding="utf-8") as file:
            for position in positions:
                text = f'{before}"position":{position}{after}'.replace("double.0", f"double.{position}")
                file.write(text)
                written += len(text)
    return written


def main():
    print(f"load {os.getloadavg()[0]:.1f}, {len(os.sched_getaffinity(0))} cores")
    for rows in (ROWS // 10, ROWS):
        with tempfile.TemporaryDirectory() as scratch:
            written = make_shards(Path(scratch, "parts"), SHARDS, rows)
            seconds, work, peak = measure([BUILD / "bin" / "assay", "merge", Path(scratch, "parts"), "--out", Path(scratch, "out"), "-q"])
            print(f"merge: {SHARDS} shards, {rows} rows: {seconds:.1f} s ({work:.1f} s of processor time, {rows / seconds:.0f} rows/s), "
                  f"peak {peak:.0f} MiB, {written / rows:.0f} bytes a row")


if __name__ == "__main__":
    main()
