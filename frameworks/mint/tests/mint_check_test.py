"""`assay check` with MindSpore as the target: recorded runs, and cases from the field."""

import glob
import json
import math
import os
import random
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, os.environ["ASSAY_SOURCE_DIR"] + "/tests/integration")

from recording import Recording, number  # noqa: E402
from support import BUILD, DATA, TestCase, rows, run  # noqa: E402

TORCH_PYTHON = os.environ.get("ASSAY_TORCH_PYTHON", "")
MINT_OPS = ("float32", "float16", "bfloat16", "float64", "int64", "int32", "bool", "beyond")
# Calls that MindSpore computes wrong: docs/mint-adapter.md has the measurements.
WRONG = {"Mint.erf", "Mint.erfinv", "Mint.sinc", "Mint.tanh", "MintFunctional.tanh"}


class MintCheck(TestCase):
    def verdicts(self, dump, *arguments):
        """{api name: row of result.csv} of a check with MindSpore as the target."""
        process, out = self.check(dump, "--target", "mint", *arguments)
        self.assertIn(process.returncode, (0, 1, 3), process.stderr)
        return {row["api_name"]: row for row in rows(out / "result.csv")}

    def recording(self, task="tensor"):
        return Recording(self.scratch / f"dump{len(list(self.scratch.iterdir()))}", task)

    def expect_rows_of_the_peer(self, limit, *reference):
        """Rows, order, shapes and statuses are the peer's; MaxAbsErr is within the limit of its."""
        dump = DATA / "dumps" / "llama_mint_statistics"
        arguments = ["--inputs", "msprobe", "--standard", "msprobe-mint", "--format", "msprobe", *reference]
        _, out = self.check(dump, *arguments, expect=0)
        for kind in ("details", "result"):
            actual = rows(glob.glob(str(out / f"accuracy_checking_{kind}_*.csv"))[0])
            expected = rows(dump / f"expected_{kind}.csv")
            self.assertEqual([row["API Name"] for row in actual], [row["API Name"] for row in expected])
            for a, e in zip(actual, expected):
                for column in e:
                    if column == "Cosine":
                        self.assertAlmostEqual(float(a[column]), float(e[column]), delta=1e-9, msg=a["API Name"])
                    elif column == "MaxAbsErr":
                        self.assertAlmostEqual(float(a[column]), float(e[column]), delta=limit, msg=a["API Name"])
                    elif column != "MaxRelativeErr":
                        self.assertEqual(a[column], e[column], a["API Name"])

    def test_a_statistics_dump_gives_the_rows_of_the_peer(self):
        # A sum of 176 products in another order than the peer's reference had: OpenBLAS here, MKL there.
        self.expect_rows_of_the_peer(1e-5)

    @unittest.skipUnless(TORCH_PYTHON, "needs ASSAY_TORCH_PYTHON")
    def test_with_the_peers_reference_its_numbers_come_out_too(self):
        self.expect_rows_of_the_peer(3e-6, "--reference", "python-torch", "--precision", "as-recorded")

    def test_recorded_operators_run_again_and_pass(self):
        total, failed = 0, []
        for folder in MINT_OPS:
            dump = DATA / "mint_ops" / folder
            table = self.verdicts(dump)
            entries = json.loads((dump / "dump.json").read_text())["data"]
            self.assertEqual(set(table), {key.rsplit(".", 1)[0] for key in entries})
            for name, row in table.items():
                total += 1
                self.assertNotIn("unsupported", row["message"], name)
                if {row["forward"], row["backward"]} - {"pass", ""}:
                    failed.append((name, row))
        print(f"mint_ops: {total - len(failed)} of {total} calls pass")
        self.assertGreaterEqual((total - len(failed)) / total, 0.97, failed)
        errors = {name.rsplit(".", 1)[0] for name, row in failed if "error" in (row["forward"], row["backward"])}
        self.assertLessEqual(errors, WRONG)

    def test_m01_the_mean_of_nothing_passes_only_as_nan(self):
        # MindSpore divides memory that nobody wrote by 0: an infinity of either sign, or NaN by luck.
        recording = self.recording("statistics")
        recording.call("Mint.mean.0", [recording.statistics([0, 5])], [recording.statistics([])])
        recording.call("Mint.mean.1", [recording.statistics([2, 0, 4], "Float64")], [recording.statistics([], "Float64")])
        _, out = self.check(recording.write(), "--target", "mint")
        details = rows(out / "details.csv")
        self.assertEqual(len(details), 2)
        for row in details:
            self.assertEqual(float(row["nan_expected"]), 1, row)
            self.assertEqual(row["verdict"], "pass" if float(row["nan_actual"]) == 1 else "error", row)

    def test_m03_softmax_of_infinity_and_nan_is_flagged(self):
        recording = self.recording()
        x = recording.tensor("in", [math.inf, 0.0, -1.0, math.nan, 5.0])
        recording.call("MintFunctional.softmax.0", [x], [x], dim=number(0))
        row = self.verdicts(recording.write())["MintFunctional.softmax.0"]
        self.assertEqual(row["forward"], "error", row)

    def test_m05_an_inaccurate_tanh_is_flagged_though_a_fixed_limit_passes_it(self):
        draw = random.Random(1)
        recording = self.recording()
        x = recording.tensor("in", [draw.gauss(0, 1) for _ in range(100 * 3 * 28 * 28)], [100, 3, 28, 28])
        recording.call("Mint.tanh.0", [x], [x])
        dump = recording.write()
        row = self.verdicts(dump)["Mint.tanh.0"]
        self.assertEqual(row["forward"], "error")
        # In ulp of 1, the widest of the outputs'.
        self.assertGreater(float(re.search(r"max_scaled_error ([0-9.e-]+)", row["message"])[1]) * 2**23, 300, row)
        self.assertEqual(self.verdicts(dump, "--standard", "msprobe-mint")["Mint.tanh.0"]["forward"], "pass")

    def test_m06_a_difference_of_one_rounding_is_no_error(self):
        draw = random.Random(6)
        recording = self.recording()
        left = recording.tensor("left", [draw.uniform(-1, 1) for _ in range(10)], [2, 5])
        right = recording.tensor("right", [draw.uniform(-1, 1) for _ in range(10)], [5, 2])
        out = recording.tensor("out", [0.0] * 4, [2, 2])
        recording.call("Mint.matmul.0", [left, right], [out])
        self.assertEqual(self.verdicts(recording.write())["Mint.matmul.0"]["forward"], "pass")

    def test_m09_the_same_call_twice_gives_the_same(self):
        recording = self.recording()
        x = recording.tensor("in", [0.1 * i for i in range(24)], [2, 3, 4])
        recording.call("Mint.matmul.0", [x, recording.tensor("other", [0.3 * i for i in range(24)], [2, 4, 3])], [x])
        recording.call("Mint.softmax.0", [x], [x], dim=number(-1))
        out = self.scratch / "perturbed"
        process = run("perturb", recording.write(), "--engine", "mint", "--perturbation", "no-change", "--out", out)
        table = [row for row in rows(out / "perturb.csv") if row["perturbation"] == "no-change"]
        self.assertEqual(len({row["api_name"] for row in table}), 2, process.stdout + process.stderr)
        self.assertNotIn("ASSAY-PRT-002", {row["reason"] for row in table})

    def test_what_should_work_in_place_and_does_not_is_an_error(self):
        recording = self.recording()
        x, y = recording.tensor("x", [1.0, 2.0]), recording.tensor("y", [3.0, 4.0])
        total = recording.tensor("total", [4.0, 6.0])
        recording.call("Tensor.add_.0", [x, y], [total])
        recording.call("Tensor.copy_.0", [x, y], [y])
        _, out = self.check(recording.write(), "--target", "mint")
        table = {row["api_name"]: row for row in rows(out / "details.csv")}
        self.assertEqual(table["Tensor.add_.0.forward.output.0"]["verdict"], "pass")
        self.assertEqual(table["Tensor.add_.0.forward.input.0"]["reason"], "ASSAY-RUN-017")
        self.assertEqual(table["Tensor.copy_.0.forward.output.0"]["verdict"], "pass")
        self.assertNotIn("Tensor.copy_.0.forward.input.0", table)

    def test_a_dump_of_tensors_is_run_again_and_compared_with_the_recording(self):
        recording = self.recording()
        x = recording.tensor("x", [1.0, 4.0])
        recording.call("Mint.sqrt.0", [x], [recording.tensor("out", [1.0, 3.0])])
        recording.backward("Mint.sqrt.0", [recording.tensor("grad", [1.0, 1.0])], [recording.tensor("in.grad", [0.5, 0.5])])
        _, out = self.check(recording.write(), "--target", "mint", expect=0)
        table = {row["api_name"]: row for row in rows(out / "details.csv")}
        self.assertIn("differs from the recorded: 1/2 elements differ by up to 1.0, the first at (1,): 3.0 became 2.0",
                      table["Mint.sqrt.0.forward.output.0"]["notes"])
        self.assertIn("the first at (1,): 0.5 became 0.25", table["Mint.sqrt.0.backward.output.0"]["notes"])
        process, _ = self.check(recording.folder)
        self.assertEqual(process.returncode, 1, "the recording itself is wrong")

    def test_warnings_of_the_framework_go_to_the_log(self):
        recording = self.recording()
        x = recording.tensor("x", [1.0])
        recording.call("Mint.neg.0", [x], [x])
        process, _ = self.check(recording.write(), "--target", "mint")
        self.assertEqual(process.stderr, "")

    def test_m11_reciprocal_and_its_gradient_overflow_alike(self):
        recording = self.recording()
        x, one = recording.tensor("in", [1e-3, 1e-30]), recording.tensor("grad", [1.0, 1.0])
        recording.call("Mint.reciprocal.0", [x], [x])
        recording.backward("Mint.reciprocal.0", [one], [x])
        row = self.verdicts(recording.write())["Mint.reciprocal.0"]
        self.assertEqual((row["forward"], row["backward"]), ("pass", "pass"), row)

    def test_what_has_no_kernel_is_skipped_with_mindspores_reason(self):
        recording = self.recording()
        x = recording.tensor("in", [1.0, 2.0])
        recording.call("Mint.einsum.0", [number("i,i->i"), x, x], [x])
        recording.call("Mint.log2.0", [x], [x])
        recording.call("Mint.neg.0", [x], [x])
        table = self.verdicts(recording.write())
        self.assertEqual(table["Mint.einsum.0"]["forward"], "skip")
        self.assertIn("only supports Ascend", table["Mint.einsum.0"]["message"])
        self.assertEqual(table["Mint.log2.0"]["forward"], "skip")
        self.assertIn("The kernel Log2 unregistered", table["Mint.log2.0"]["message"])
        self.assertEqual(table["Mint.neg.0"]["forward"], "pass")

    def test_u11_an_unknown_dtype_is_a_row_beside_the_good_one(self):
        recording = self.recording("statistics")
        recording.call("Mint.neg.0", [recording.statistics([2], "Float7", 0, 1)], [recording.statistics([2])])
        recording.call("Mint.neg.1", [recording.statistics([2], "Float32", 0, 1)], [recording.statistics([2])])
        table = self.verdicts(recording.write())
        self.assertEqual(table["Mint.neg.0"]["forward"], "skip")
        self.assertIn("Float7", table["Mint.neg.0"]["message"])
        self.assertEqual(table["Mint.neg.1"]["forward"], "pass")

    def test_u17_memory_over_the_limit_is_a_skip_and_the_run_goes_on(self):
        recording = self.recording("statistics")
        large = recording.statistics([16 << 20], "Float16", 0, 1)
        recording.call("Mint.isclose.0", [large, large], [recording.statistics([16 << 20], "Bool")])
        recording.call("Mint.neg.0", [recording.statistics([2], "Float32", 0, 1)], [recording.statistics([2])])
        config = self.scratch / "limit.json"
        config.write_text(json.dumps({"target": {"adapter": "assay.mint", "precision": "as-recorded",
                                                 "config": {"memory_limit_mib": 64}}}))
        process, out = self.check(recording.write(), "--config", config)
        table = {row["api_name"]: row for row in rows(out / "result.csv")}
        self.assertEqual(table["Mint.isclose.0"]["forward"], "skip", process.stderr)
        self.assertIn("memory", table["Mint.isclose.0"]["message"])
        self.assertEqual(table["Mint.neg.0"]["forward"], "pass")

    def test_t17_gradients_that_one_side_lacks_are_no_error(self):
        recording = self.recording()
        x, y = recording.tensor("x", [0.2, 0.7]), recording.tensor("y", [0.0, 1.0])
        loss = recording.tensor("loss", [1.0], [])
        recording.call("MintFunctional.binary_cross_entropy.0", [x, y], [loss])
        recording.backward("MintFunctional.binary_cross_entropy.0", [loss], [x, None])
        recording.call("Mint.all.0", [x], [recording.tensor("all", [True], [], "Bool")])
        recording.backward("Mint.all.0", [None], [None])
        for name, row in self.verdicts(recording.write()).items():
            self.assertEqual(row["forward"], "pass", name)
            self.assertNotEqual(row["backward"], "error", row)


class MintPlugin(TestCase):
    def validate(self, *arguments, env=None):
        report = self.scratch / "report.json"
        plugin = BUILD / "lib" / "assay" / "plugins" / "mint"
        process = run("plugins", "validate", plugin, "--json", report, "--exclude", "thousand-times", *arguments, env=env)
        return process, report

    @unittest.skipUnless(TORCH_PYTHON, "needs ASSAY_TORCH_PYTHON")
    def test_the_plugin_keeps_every_rule_with_both_frameworks(self):
        process, _ = self.validate()
        self.assertEqual(process.returncode, 0, process.stdout)
        self.assertRegex(process.stdout, r"\d+ passed, 0 failed, 0 crashed, 0 skipped, 0 warning")


if __name__ == "__main__":
    unittest.main()
