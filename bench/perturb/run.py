"""Cost of `assay perturb` in runs of each operator: (plain run + perturbed run + perturbing and comparing) / plain run, summed over
all calls. Goal for checking with add-noise: at most 2.6.

Calls take microseconds, and other programs disturb them: each part of each call counts with its fastest round. Beside it, the median
of the ratios that the runs themselves report.

usage: python3 bench/perturb/run.py [DUMP] [--build build/release] [--rounds 15]
"""

import argparse
import csv
import json
import statistics
import subprocess
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
PARTS = ("plain_ms", "perturbed_ms", "overhead_ms")


class Costs:
    """What several runs with the same options took."""

    def __init__(self):
        self.fastest = {}  # by (perturbation, call, input): the PARTS
        self.reported = {}  # by perturbation: a ratio for each run

    def add(self, folder):
        for name, ratio in json.loads((folder / "run.json").read_text())["cost_ratio"].items():
            self.reported.setdefault(name, []).append(ratio)
        with open(folder / "perturb.csv", newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["perturbation"] not in self.reported or row["seeds"] == "0":
                    continue
                key = (row["perturbation"], row["api_name"], row["input"])
                now = [float(row[part]) for part in PARTS]
                self.fastest[key] = [min(pair) for pair in zip(now, self.fastest.get(key, now))]

    def print(self, title):
        for name, ratios in self.reported.items():
            sums = [sum(parts) for parts in zip(*(v for k, v in self.fastest.items() if k[0] == name))]
            print(f"{title}, {name}: {sum(sums) / sums[0]:.2f}; reported: median {statistics.median(ratios):.2f} "
                  f"(of {len(ratios)}: {min(ratios):.2f} to {max(ratios):.2f})")


def run(build, dump, arguments, costs):
    with tempfile.TemporaryDirectory() as out:
        command = [str(build / "bin" / "assay"), "perturb", str(dump), "-j", "0", "-q", "--out", out, *arguments]
        finished = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if finished.returncode not in (0, 1):
            raise SystemExit(f"{command}: exit code {finished.returncode}: {finished.stderr}")
        costs.add(Path(out))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("dump", nargs="?", type=Path)
    parser.add_argument("--build", type=Path, default=SOURCE / "build" / "release")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    dump = options.dump or options.build / "test-data" / "dumps" / "llama_torch_tensor"
    for title, arguments in (("first input", ["--perturbation", "add-noise", "--inputs", "first"]), ("everything", [])):
        costs = Costs()
        for _ in range(options.rounds):
            run(options.build, dump, arguments, costs)
        costs.print(title)


if __name__ == "__main__":
    main()
