"""`assay check` on what a target does besides its outputs: to its arguments, and against what was recorded."""

import json
import os
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, os.environ["ASSAY_SOURCE_DIR"] + "/tests/integration")

from recording import Recording, number  # noqa: E402
from support import TestCase, rows, run  # noqa: E402


class TargetWithHabits(TestCase):
    def setUp(self):
        super().setUp()
        self.recording = Recording(self.scratch / "dump")
        adapter = {"adapter": "assay.mint", "precision": "as-recorded",
                   "config": {"python": "python3", "map": str(HERE / "maps" / "writing.json")}}
        self.config = self.scratch / "config.json"
        self.config.write_text(json.dumps({"target": adapter}))
        self.engine = self.scratch / "engine.json"
        self.engine.write_text(json.dumps({"engine": adapter}))
        self.environment = {"PYTHONPATH": str(HERE / "modules")}

    def details(self, *arguments):
        """{name: row of details.csv} of a check of the recording."""
        out = self.scratch / "out"
        process = run("check", self.recording.write(), "--config", self.config, "--out", out, *arguments, env=self.environment)
        self.assertIn(process.returncode, (0, 1), process.stderr)
        return {row["api_name"]: row for row in rows(out / "details.csv")}

    def test_an_argument_that_the_api_should_not_change_is_an_error(self):
        x, y = self.recording.tensor("x", [1.0, 2.0, 3.0]), self.recording.tensor("y", [-1.0, -2.0, -3.0])
        self.recording.call("Mint.neg.0", [x], [y])
        self.recording.call("Mint.abs.0", [x], [x])
        table = self.details()
        self.assertEqual(table["Mint.neg.0.forward.output.0"]["verdict"], "pass")
        row = table["Mint.neg.0.forward.input.0"]
        self.assertEqual((row["verdict"], row["reason"]), ("error", "ASSAY-RUN-016"))
        self.assertIn("1/3 elements differ by up to 5.0, the first at (1,): 2.0 became 7.0", row["message"])
        result = {row["api_name"]: row for row in rows(self.scratch / "out" / "result.csv")}
        self.assertEqual(result["Mint.neg.0"]["forward"], "error")
        self.assertTrue(result["Mint.neg.0"]["message"].startswith("forward: input.0: "), result["Mint.neg.0"])
        # The next call sees none of it.
        self.assertEqual(result["Mint.abs.0"]["forward"], "pass")
        self.assertNotIn("Mint.abs.0.forward.input.0", table)

    def test_an_argument_that_the_api_should_change_and_does_not_is_an_error(self):
        x, zero = self.recording.tensor("x", [1.0, 2.0]), self.recording.tensor("zero", [0.0, 0.0])
        self.recording.call("Tensor.zero_.0", [x], [zero])
        self.recording.call("Tensor.fill_.0", [x, number(0.0)], [zero])
        table = self.details()
        self.assertEqual(table["Tensor.zero_.0.forward.output.0"]["verdict"], "pass")
        row = table["Tensor.zero_.0.forward.input.0"]
        self.assertEqual((row["verdict"], row["reason"]), ("error", "ASSAY-RUN-017"))
        self.assertIn("2/2 elements differ by up to 2.0, the first at (0,): 1.0 became 0.0", row["message"])
        self.assertEqual(table["Tensor.fill_.0.forward.output.0"]["verdict"], "pass")
        self.assertNotIn("Tensor.fill_.0.forward.input.0", table)

    def test_the_peers_tables_name_the_argument(self):
        x, y = self.recording.tensor("x", [1.0, 2.0]), self.recording.tensor("y", [-1.0, -2.0])
        self.recording.call("Mint.neg.0", [x], [y])
        self.details("--standard", "msprobe-mint", "--format", "csv", "--format", "msprobe")
        (file,) = (self.scratch / "out").glob("accuracy_checking_details_*.csv")
        self.assertEqual([(row["API Name"], row["Status"]) for row in rows(file)],
                         [("Mint.neg.0.forward.output.0", "pass"), ("Mint.neg.0.forward.input.0", "error")])

    def test_a_run_that_gives_something_else_than_was_recorded_says_where(self):
        x = self.recording.tensor("x", [1.0, -2.0, 3.0, -4.0], [2, 2])
        recorded = self.recording.tensor("abs", [1.0, 2.0, 3.0, 4.5], [2, 2])
        self.recording.call("Mint.abs.0", [x], [recorded])
        self.recording.call("Mint.abs.1", [x], [self.recording.tensor("right", [1.0, 2.0, 3.0, 4.0], [2, 2])])
        self.recording.call("Mint.abs.2", [x], [recorded, recorded])
        table = self.details()
        self.assertEqual(table["Mint.abs.0.forward.output.0"]["verdict"], "pass")
        self.assertEqual(table["Mint.abs.0.forward.output.0"]["notes"],
                         "run again, output 0 differs from the recorded: "
                         "1/4 elements differ by up to 0.5, the first at (1, 1): 4.5 became 4.0")
        self.assertEqual(table["Mint.abs.1.forward.output.0"]["notes"], "")
        self.assertEqual(table["Mint.abs.2.forward.output.0"]["notes"], "run again it gives 1 outputs, recorded were 2")

    def test_m09_an_api_that_gives_something_else_the_second_time_is_found_by_no_change(self):
        x = self.recording.tensor("x", [1.0, 2.0])
        self.recording.call("Mint.sum.0", [x], [x])
        self.recording.call("Mint.abs.0", [x], [x])
        out = self.scratch / "out"
        process = run("perturb", self.recording.write(), "--config", self.engine, "--perturbation", "no-change", "--out", out,
                      env=self.environment)
        table = {row["api_name"]: row for row in rows(out / "perturb.csv") if row["perturbation"] == "no-change"}
        self.assertEqual(table["Mint.sum.0.forward"]["reason"], "ASSAY-PRT-002", process.stdout + process.stderr)
        self.assertNotEqual(table["Mint.abs.0.forward"]["reason"], "ASSAY-PRT-002")


if __name__ == "__main__":
    unittest.main()
