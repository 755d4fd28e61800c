"""How many recorded calls are run and pass, folder by folder: the measure of the adapter's coverage and of the standard's bounds."""

import json
import os
import shutil
import unittest
from pathlib import Path

from support import DATA, EXAMPLE, TestCase, rows

# Notes of calls.json after which there is nothing that could be compared.
NOT_COMPARABLE = ("returns nothing", "NumPy array")
DTYPE_FOLDERS = ("float32", "bfloat16", "float16", "float64", "complex64", "int64", "bool", "variants", "pt")
# The share of directions that must pass: PyTorch's own wheel recorded the calls; LibTorch 1.13 lacks some operators.
WHEEL = os.environ.get("ASSAY_TORCH_IS_WHEEL") == "1"
FORWARD_SHARE = 0.98 if WHEEL else 0.95
BACKWARD_SHARE = 0.96 if WHEEL else 0.95


def not_comparable(notes):
    return any(note.startswith(NOT_COMPARABLE) or "becomes" in note for note in notes)


class Recordings(TestCase):
    def shares(self, group, folders):
        """{direction: (passed, all, names that did not pass)} over folders; asserts a row for every entry."""
        result = {"forward": [0, 0, []], "backward": [0, 0, []]}
        for folder in folders:
            dump = DATA / group / folder
            process, out = self.check(dump)
            self.assertIn(process.returncode, (0, 1, 3), process.stderr)
            calls = json.loads((dump / "calls.json").read_text())
            entries = json.loads((dump / "dump.json").read_text())["data"]
            table = {row["api_name"]: row for row in rows(out / "result.csv")}
            for key in entries:
                stem, direction = key.rsplit(".", 1)
                self.assertIn(stem, table)
                verdict = table[stem][direction]
                self.assertNotEqual(verdict, "", f"{folder}: no verdict for {key}")
                if not_comparable(calls[stem].get("notes", [])):
                    continue
                counts = result[direction]
                counts[1] += 1
                if verdict == "pass":
                    counts[0] += 1
                else:
                    counts[2].append(f"{folder}/{key}: {verdict}: {table[stem]['message']}")
        for direction, (passed, total, _) in result.items():
            print(f"{group} {direction}: {passed}/{total} = {passed / max(total, 1):.4f}")
        return result

    def test_operators_of_pytorch(self):
        result = self.shares("opinfo", DTYPE_FOLDERS)
        forward, backward = result["forward"], result["backward"]
        self.assertGreaterEqual(forward[0] / forward[1], FORWARD_SHARE, "\n".join(forward[2]))
        self.assertGreaterEqual(backward[0] / backward[1], BACKWARD_SHARE, "\n".join(backward[2]))

    def test_operators_of_mindspore(self):
        result = self.shares("mint_ops", ("float32", "float16", "bfloat16", "float64", "int64", "int32", "bool", "beyond"))
        passed = result["forward"][0] + result["backward"][0]
        total = result["forward"][1] + result["backward"][1]
        self.assertGreaterEqual(passed / total, 0.97, "\n".join(result["forward"][2] + result["backward"][2]))

    @unittest.skipUnless(WHEEL, "the numbers are those of the PyTorch wheel")
    def test_the_engine_of_the_peer_gives_the_numbers_of_the_peer(self):
        # The expected file was written on a CPU with AVX-512. Only the sums of softmax depend on how wide the vectors are.
        wide_vectors = "avx512f" in Path("/proc/cpuinfo").read_text()
        _, out = self.check(EXAMPLE, "--standard", "msprobe-mint", "--format", "msprobe", "--precision", "as-recorded", expect=0)
        actual = rows(next(out.glob("accuracy_checking_details_*.csv")))
        expected = rows(EXAMPLE / "expected_details.csv")
        self.assertEqual(len(actual), len(expected))
        for got, wanted in zip(actual, expected):
            exact = wide_vectors or "softmax" not in wanted["API Name"]
            for column in ("Cosine", "MaxAbsErr", "MaxRelativeErr"):
                if wanted[column] == "" or not (exact or column != "MaxRelativeErr"):
                    continue
                tolerance = 1e-9 * abs(float(wanted[column])) if exact else 1e-8
                self.assertAlmostEqual(float(got[column]), float(wanted[column]), delta=tolerance, msg=wanted)

    def test_random_calls_are_judged_by_shape_dtype_and_distribution(self):
        process, out = self.check(DATA / "opinfo" / "random")
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)
        verdicts = [row["forward"] for row in rows(out / "result.csv")]
        self.assertNotIn("error", verdicts)
        self.assertGreaterEqual(verdicts.count("pass"), 26, "\n".join(map(str, rows(out / "result.csv"))))

    def test_lossy_calls_are_skipped_with_the_reason(self):
        _, out = self.check(DATA / "opinfo" / "lossy")
        for row in rows(out / "result.csv"):
            self.assertEqual(row["forward"], "skip", row)
            self.assertNotEqual(row["message"], "", row)

    def test_a_name_that_stands_for_two_apis_is_judged_by_the_one_that_was_recorded(self):
        for folder, stem, meaning in (("float32", "Torch.vander.0", "Torch.linalg.vander"),
                                      ("beyond", "Tensor.__getitem__.2", "Tensor.__getitem__.of_list")):
            _, out = self.check(DATA / "opinfo" / folder, "--api", stem)
            row = rows(out / "details.csv")[0]
            self.assertEqual(row["verdict"], "pass", row)
            self.assertIn("also stands for " + meaning, row["notes"])

    def test_wrong_numbers_are_those_of_neither_meaning(self):
        dump = self.scratch / "dump"
        shutil.copytree(DATA / "opinfo" / "float32", dump)
        tensor = next((dump / "dump_tensor_data").glob("Torch.vander.0.forward.output.0.npy"))
        data = bytearray(tensor.read_bytes())
        data[-1] ^= 0x40
        tensor.write_bytes(data)
        _, out = self.check(dump, "--api", "Torch.vander.0")
        self.assertEqual(rows(out / "result.csv")[0]["forward"], "error")

    def test_calls_beyond_the_list_get_a_verdict(self):
        result = self.shares("opinfo", ("beyond",))
        self.assertGreaterEqual(result["forward"][0] / result["forward"][1], 0.85, "\n".join(result["forward"][2]))


if __name__ == "__main__":
    unittest.main()
