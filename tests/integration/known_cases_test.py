"""What users of other checkers ran into while reading recordings and building inputs, one test for each case."""

import json
import struct
import unittest

from support import TestCase, rows

FORMATS = {"<f4": "f", "<i8": "q", "<f2": "e"}
TYPES = {"<f4": "torch.float32", "<i8": "torch.int64", "<f2": "torch.float16"}


def npy(values, shape, descr="<f4"):
    header = repr({"descr": descr, "fortran_order": False, "shape": tuple(shape)})
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    data = values if isinstance(values, bytes) else struct.pack(f"<{len(values)}{FORMATS[descr]}", *values)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


class KnownCases(TestCase):
    def setUp(self):
        super().setUp()
        self.files = {}

    def tensor(self, name, values, shape=None, descr="<f4"):
        """An element with data, which write() puts into a file."""
        shape = list(shape or [len(values)])
        self.files[name + ".npy"] = npy(values, shape, descr)
        return {"type": "torch.Tensor", "dtype": TYPES[descr], "shape": shape, "Max": 1, "Min": 0, "Mean": 0, "Norm": 0,
                "requires_grad": False, "data_name": name + ".npy"}

    def good(self):
        """A call that passes."""
        return {"input_args": [self.tensor("good.in", [-1.0, 2.0])], "input_kwargs": {}, "output": [self.tensor("good.out", [1.0, 2.0])]}

    def judge(self, data, *options, expect=0, **header):
        """The rows by name of the direction."""
        folder = self.write_dump(data, **header)
        for name, content in self.files.items():
            (folder / "dump_tensor_data" / name).write_bytes(content)
        _, out = self.check(folder, *options, expect=expect)
        return {row["api_name"].split(".output")[0]: row for row in rows(out / "details.csv")}, out

    def test_a_keyword_without_a_type_costs_its_own_call(self):
        """U01"""
        bad = {"input_args": [self.tensor("x", [1.0])], "input_kwargs": {"out": {"a": 1}}, "output": [self.tensor("y", [1.0])]}
        table, _ = self.judge({"Torch.abs.0.forward": bad, "Torch.abs.1.forward": self.good()}, expect=3)
        self.assertEqual(table["Torch.abs.0.forward"]["verdict"], "skip")
        self.assertNotEqual(table["Torch.abs.0.forward"]["message"], "")
        self.assertEqual(table["Torch.abs.1.forward"]["verdict"], "pass")

    def test_statistics_may_be_null(self):
        """U03"""
        flag = {"type": "mindspore.Tensor", "dtype": "Bool", "shape": [2], "Max": False, "Min": False, "Mean": None, "Norm": None}
        entry = {"input_args": [flag], "input_kwargs": {}, "output": [{**flag, "Max": True, "Min": True}]}
        table, out = self.judge({"Mint.logical_not.0.forward": entry}, "--target", "torch", "--api", "Mint.logical_not",
                                task="statistics", framework="mindspore")
        self.assertEqual(table["Mint.logical_not.0.forward"]["verdict"], "pass")
        result = json.loads((out / "results.jsonl").read_text(encoding="utf-8"))
        actual = result["forward"]["outputs"][0]["actual"]
        self.assertEqual((actual["dtype"], actual["min"], actual["max"]), ("bool", 1.0, 1.0))

    def test_arrays_of_strings_are_passed_by(self):
        """U05"""
        words = {"type": "numpy.ndarray", "dtype": "<U3", "shape": [2]}
        entry = {"input_args": [self.tensor("x", [1.0]), words], "input_kwargs": {}, "output": [self.tensor("y", [1.0])]}
        table, _ = self.judge({"Torch.abs.0.forward": entry, "Torch.abs.1.forward": self.good()})
        self.assertEqual(table["Torch.abs.0.forward"]["verdict"], "skip")
        self.assertIn("<U3", table["Torch.abs.0.forward"]["message"])
        self.assertEqual(table["Torch.abs.1.forward"]["verdict"], "pass")

    def test_nested_inputs_keep_their_order(self):
        """U07"""
        parts = [self.tensor("Torch.cat.0.forward.input.0.0", [1.0, 2.0]), self.tensor("Torch.cat.0.forward.input.0.1", [3.0])]
        data = {
            "Torch.cat.0.forward": {"input_args": [parts], "input_kwargs": {}, "output": [self.tensor("y", [1.0, 2.0, 3.0])]},
            "Torch.cat.1.forward": {"input_args": [parts[::-1]], "input_kwargs": {}, "output": [self.tensor("z", [3.0, 1.0, 2.0])]},
        }
        table, _ = self.judge(data)
        self.assertEqual({row["verdict"] for row in table.values()}, {"pass"})

    def test_a_missing_kernel_of_the_reference_is_no_error(self):
        """U10"""
        entry = {"input_args": [self.tensor("x", [1, 2, 3], descr="<i8")], "input_kwargs": {"bins": {"type": "int", "value": 3}},
                 "output": [self.tensor("y", [1, 1, 1], descr="<i8")]}
        table, _ = self.judge({"Torch.histc.0.forward": entry})
        row = table["Torch.histc.0.forward"]
        self.assertIn(row["verdict"], ("pass", "skip"))
        self.assertTrue(row["verdict"] == "pass" or row["message"])

    def test_a_call_that_can_not_be_built_has_its_row(self):
        """U11"""
        odd = {**self.tensor("x", [1.0]), "dtype": "torch.float5"}
        entry = {"input_args": [odd], "input_kwargs": {}, "output": [self.tensor("y", [1.0])]}
        table, out = self.judge({"Torch.abs.0.forward": entry, "Torch.abs.1.forward": self.good()})
        self.assertEqual(table["Torch.abs.0.forward"]["verdict"], "skip")
        self.assertIn("float5", table["Torch.abs.0.forward"]["message"])
        self.assertEqual(table["Torch.abs.1.forward"]["verdict"], "pass")
        self.assertEqual(len(rows(out / "result.csv")), 2)

    def test_a_vendor_operator_does_not_end_the_run(self):
        """U13"""
        entry = {"input_args": [self.tensor("q", [1.0] * 8, [1, 1, 2, 4])], "input_kwargs": {}, "output": [self.tensor("o", [1.0])]}
        table, _ = self.judge({"NPU.npu_fusion_attention.0.forward": entry, "Torch.abs.1.forward": self.good()})
        self.assertEqual(table["NPU.npu_fusion_attention.0.forward"]["verdict"], "skip")
        self.assertNotEqual(table["NPU.npu_fusion_attention.0.forward"]["message"], "")
        self.assertEqual(table["Torch.abs.1.forward"]["verdict"], "pass")

    def test_made_inputs_have_the_structure_that_operators_need(self):
        """U15"""
        def made(dtype, shape, low, high):
            return {"type": "torch.Tensor", "dtype": dtype, "shape": shape, "Max": high, "Min": low, "Mean": 0, "Norm": 1,
                    "requires_grad": False}

        number = {"type": "int", "value": 1}
        data = {
            "Functional.embedding_bag.0.forward": {
                "input_args": [made("torch.int64", [6], 0, 9), made("torch.float32", [10, 4], -1.0, 1.0), made("torch.int64", [3], 0, 5)],
                "input_kwargs": {}, "output": [made("torch.float32", [3, 4], -1.0, 1.0)]},
            "Torch.linalg.cholesky.0.forward": {"input_args": [made("torch.float32", [3, 3], 0.1, 2.0)], "input_kwargs": {},
                                                "output": [made("torch.float32", [3, 3], 0.0, 2.0)]},
            "Torch.gather.0.forward": {
                "input_args": [made("torch.float32", [4, 5], -1.0, 1.0), number, made("torch.int64", [4, 2], 0, 4)],
                "input_kwargs": {}, "output": [made("torch.float32", [4, 2], -1.0, 1.0)]},
        }
        table, _ = self.judge(data, "--target", "torch", task="statistics")
        self.assertEqual(len(table), 3)
        self.assertEqual(table["Torch.gather.0.forward"]["verdict"], "pass")
        for row in table.values():
            self.assertIn(row["verdict"], ("pass", "skip"))
            self.assertTrue(row["verdict"] == "pass" or row["message"])

    def test_a_call_above_the_memory_limit_is_skipped_and_the_run_goes_on(self):
        """U17"""
        count = 16 << 20
        halves = [self.tensor(name, bytes(2 * count), [count], "<f2") for name in ("a", "b")]
        outcome = {"type": "torch.Tensor", "dtype": "torch.bool", "shape": [count], "Max": True, "Min": True, "Mean": None, "Norm": None,
                   "requires_grad": False, "data_name": "c.npy"}
        self.files["c.npy"] = npy(b"\x01" * count, [count], "|b1")
        entry = {"input_args": halves, "input_kwargs": {}, "output": [outcome]}
        table, _ = self.judge({"Torch.isclose.0.forward": entry, "Torch.abs.1.forward": self.good()}, "--memory", "64M", expect=3)
        self.assertEqual((table["Torch.isclose.0.forward"]["verdict"], table["Torch.isclose.0.forward"]["reason"]), ("skip", "ASSAY-RUN-014"))
        self.assertIn("memory", table["Torch.isclose.0.forward"]["message"])
        self.assertEqual(table["Torch.abs.1.forward"]["verdict"], "pass")

    def test_an_arithmetic_trap_of_an_operator_is_a_number_or_a_row(self):
        """V07"""
        low = -(2**31)
        x = self.tensor("x", [0.0, 0.0])
        x["dtype"] = "torch.int32"
        self.files["x.npy"] = npy(struct.pack("<2i", low, low), [2], "<i4")
        y = {**x, "data_name": "y.npy"}
        self.files["y.npy"] = npy(struct.pack("<2i", 0, 0), [2], "<i4")
        entry = {"input_args": [x, {"type": "int", "value": -1}], "input_kwargs": {}, "output": [y]}
        folder_rows, _ = self.judge({"Torch.remainder.0.forward": entry, "Torch.abs.1.forward": self.good()}, expect=None)
        row = folder_rows["Torch.remainder.0.forward"]
        self.assertTrue(row["verdict"] == "pass" or row["reason"] == "ASSAY-RUN-012", row)
        self.assertEqual(folder_rows["Torch.abs.1.forward"]["verdict"], "pass")


if __name__ == "__main__":
    unittest.main()
