"""Whole-program measures of `assay check`; every ratio is taken in one run, its two sides in turn.

usage: python3 bench/check/run.py [--build build/release] [--rounds 9] [--synthetic 100000]
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]


def seconds(command):
    start = time.perf_counter()
    finished = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    elapsed = time.perf_counter() - start
    if finished.returncode not in (0, 1, 3):
        raise SystemExit(f"{command}: exit code {finished.returncode}: {finished.stderr}")
    return elapsed


def spread(values):
    ordered = sorted(values)
    return f"median {statistics.median(ordered):.3f} (of {len(ordered)}: {ordered[0]:.3f} to {ordered[-1]:.3f})"


def against_bare_operators(build, rounds):
    """`assay check` on the example against loading LibTorch and running the same operators by direct calls."""
    dump = str(SOURCE / "examples" / "llama_mint_tensor")
    ours, bare = [], []
    for _ in range(rounds):
        bare.append(seconds([str(build / "bin" / "bare_operators"), dump]))
        ours.append(seconds([str(build / "bin" / "assay"), "check", dump, "-q"]))
    print(f"bare operators: {spread(bare)} s")
    print(f"assay check:    {spread(ours)} s")
    print(f"ratio:          {spread([a / b for a, b in zip(ours, bare)])}")


def calls_per_second(build):
    """Rate over the recorded calls of PyTorch's operators, without the time that loading takes."""
    total_calls, total_seconds = 0, 0.0
    for dump in sorted((build / "test-data" / "opinfo").iterdir()):
        if not (dump / "dump.json").exists():
            continue
        with tempfile.TemporaryDirectory() as out:
            seconds([str(build / "bin" / "assay"), "check", str(dump), "--out", out, "-q"])
            record = json.loads((Path(out) / "run.json").read_text())
        counts = record["counts"]
        total_calls += counts["pass"] + counts["warning"] + counts["error"]
        total_seconds += record["seconds"]
    print(f"opinfo: {total_calls} judged calls in {total_seconds:.2f} s = {total_calls / total_seconds:.0f} calls/s on one worker")


def tensor_entry(shape):
    return {"type": "torch.Tensor", "dtype": "torch.float32", "shape": shape, "Max": 0.9731246829032898, "Min": -0.8412359356880188,
            "Mean": 0.06612346321344376, "Norm": 1.4142135381698608, "requires_grad": True}


def synthetic_dump(folder, count):
    """A statistics dump of `count` small additions, forward and backward, laid out as the recorder lays it out."""
    tensor = tensor_entry([4])
    forward = json.dumps({"input_args": [tensor, tensor], "input_kwargs": {}, "output": [tensor]}, indent=1).replace("\n", "\n  ")
    backward = json.dumps({"input": [tensor], "output": [tensor, tensor]}, indent=1).replace("\n", "\n  ")
    path = folder / "dump.json"
    with open(path, "w", encoding="utf-8") as file:
        file.write('{\n "task": "statistics",\n "level": "L1",\n "framework": "pytorch",\n "dump_data_dir": null,\n "data": {\n')
        for i in range(count):
            comma = "," if i + 1 < count else ""
            file.write(f'  "Torch.add.{i}.forward": {forward},\n  "Torch.add.{i}.backward": {backward}{comma}\n')
        file.write(" }\n}\n")
    return path


def first_call_and_memory(build, count):
    """Time until the first call of a long dump is handed out, and peak memory over the whole run."""
    with tempfile.TemporaryDirectory() as scratch:
        path = synthetic_dump(Path(scratch), count)
        environment = {**os.environ, "ASSAY_LOG": "pipeline=debug"}
        start = time.perf_counter()
        process = subprocess.Popen([str(build / "bin" / "assay"), "check", str(path), "-q"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                   text=True, env=environment)
        first = None
        for line in process.stderr:
            if "calls to do" in line:
                first = time.perf_counter() - start
        process.wait()
        total = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
        size = path.stat().st_size
        if first is None or process.returncode != 0:
            raise SystemExit(f"synthetic dump: exit code {process.returncode}, first call seen: {first}")
        print(f"synthetic dump of {count} APIs, {size / 1e6:.1f} MB: first call after {first:.2f} s, all in {total:.1f} s")
        print(f"peak memory {peak / 1e6:.1f} MB = {peak / size:.2f} x the file (LibTorch included)")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=SOURCE / "build" / "release")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--synthetic", type=int, default=100000)
    arguments = parser.parse_args()
    # Before the others: the peak of the largest child is what the system remembers.
    first_call_and_memory(arguments.build, arguments.synthetic)
    against_bare_operators(arguments.build, arguments.rounds)
    calls_per_second(arguments.build)


if __name__ == "__main__":
    main()
