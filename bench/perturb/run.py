"""Cost of `assay perturb` in runs of each operator: (plain run + perturbed run + perturbing and comparing) / plain run, summed over
all calls. Goal for checking with add-noise: at most 2.6.

usage: python3 bench/perturb/run.py [DUMP] [--build build/release] [--rounds 15]
"""

import argparse
import json
import statistics
import subprocess
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]


def costs(build, dump, arguments):
    """The cost of each perturbation in one run."""
    with tempfile.TemporaryDirectory() as out:
        command = [str(build / "bin" / "assay"), "perturb", str(dump), "-j", "0", "-q", "--out", out, *arguments]
        finished = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if finished.returncode not in (0, 1):
            raise SystemExit(f"{command}: exit code {finished.returncode}: {finished.stderr}")
        return json.loads((Path(out) / "run.json").read_text())["cost_ratio"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dump", nargs="?", type=Path)
    parser.add_argument("--build", type=Path, default=SOURCE / "build" / "release")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    dump = options.dump or options.build / "test-data" / "dumps" / "llama_torch_tensor"
    for title, arguments in (("first input", ["--perturbation", "add-noise", "--inputs", "first"]), ("everything", [])):
        measured = {}
        for _ in range(options.rounds):
            for name, ratio in costs(options.build, dump, arguments).items():
                measured.setdefault(name, []).append(ratio)
        for name, ratios in measured.items():
            print(f"{title}, {name}: median {statistics.median(ratios):.2f} (of {len(ratios)}: {min(ratios):.2f} to {max(ratios):.2f})")


if __name__ == "__main__":
    main()
