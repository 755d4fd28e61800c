"""`assay compare` from the outside: the three kinds of sides, files, exit codes."""

import glob
import json
import shutil
import unittest

from support import EXAMPLE, SOURCE, TestCase, rows, run

DATA = SOURCE / "tests" / "data" / "compare"


class CompareTables(TestCase):
    def compare(self, *arguments, expect):
        process = run("compare", *arguments)
        self.assertEqual(process.returncode, expect, process.stdout + process.stderr)
        return process

    def test_a_worse_device_is_named_and_exits_with_1(self):
        process = self.compare(DATA / "npu_details.csv", DATA / "gpu_details.csv", "--out", self.scratch, "--format", "msprobe", expect=1)
        self.assertIn("worse       Functional.softmax.0 backward", process.stdout)
        self.assertIn("vanished    Torch.cumsum.4 forward", process.stdout)
        kinds = {(row["api_name"], row["direction"]): row["change"] for row in rows(self.scratch / "compare.csv")}
        self.assertEqual(kinds["Torch.cumsum.3", "forward"], "appeared")
        document = json.loads((self.scratch / "compare.json").read_text(encoding="utf-8"))
        self.assertEqual(document["counts"]["worse"], sum(kind == "worse" for kind in kinds.values()))
        for what in ("details", "result"):
            (written,) = glob.glob(str(self.scratch / f"api_precision_compare_{what}_*.csv"))
            with open(written, "rb") as file:
                self.assertEqual(file.read(), (DATA / f"msprobe-2026-08_{what}.csv").read_bytes())

    def test_a_table_equals_itself(self):
        self.compare(DATA / "gpu_details.csv", DATA / "gpu_details.csv", "--standard", "msprobe-2026-04", "--api", "Torch.abs", expect=0)

    def test_nothing_in_common_exits_with_4(self):
        process = self.compare(DATA / "npu_details.csv", DATA / "gpu_details.csv", "--api", "Torch.cumsum.*", expect=4)
        self.assertIn("no API is on both sides", process.stderr)

    def test_a_mix_of_kinds_is_refused(self):
        for tested, baseline, said in (
            (DATA / "npu_details.csv", EXAMPLE, "the first is a result table, the second a dump"),
            (EXAMPLE / "dump.json", DATA / "npu_details.csv", "the first is a dump, the second a result table"),
            (DATA / "npu_details.csv", DATA / "msprobe-2026-08_result.csv", "the first is a table of details"),
        ):
            self.assertIn(said, self.compare(tested, baseline, expect=2).stderr)
        self.assertIn("two sides are needed", self.compare(EXAMPLE, expect=2).stderr)
        self.assertIn("no folder given", self.compare(*[DATA / "gpu_details.csv"] * 2, "--format", "msprobe", expect=2).stderr)


class CompareDumpsAndRuns(TestCase):
    def test_a_dump_equals_itself_and_a_changed_one_is_found(self):
        process = run("compare", EXAMPLE, EXAMPLE, "--out", self.scratch / "same")
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
        changed = self.scratch / "changed"
        shutil.copytree(EXAMPLE, changed)
        victim = changed / "dump_tensor_data" / "Mint.mul.0.forward.output.0.npy"
        content = bytearray(victim.read_bytes())
        content[-1] ^= 0x80  # the sign of the last element
        victim.write_bytes(content)
        process = run("compare", changed, EXAMPLE, "--out", self.scratch / "out")
        self.assertEqual(process.returncode, 1, process.stdout + process.stderr)
        self.assertIn("error   Mint.mul.0.forward.output.0", process.stdout)
        self.assertIn("look here first:\n  Mint.mul.0.forward\n", process.stdout)
        details = rows(self.scratch / "out" / "details.csv")
        self.assertEqual([row["api_name"] for row in details if row["verdict"] == "error"], ["Mint.mul.0.forward.output.0"])

        # The folders that were written can be compared in turn.
        process = run("compare", self.scratch / "out", self.scratch / "same")
        self.assertEqual(process.returncode, 1, process.stdout + process.stderr)
        self.assertIn("worse       Mint.mul.0 forward  pass -> error", process.stdout)
        self.assertIn("differs", process.stdout)


if __name__ == "__main__":
    unittest.main()
