"""What the tests of the emulator's kernels share: calls in several dtypes, compared with PyTorch's doubles within bounds of the dtype."""

import os
import tempfile
import unittest

os.environ.setdefault("ASSAY_NPU_EMULATOR_REPORT", os.path.join(tempfile.mkdtemp(), "report.jsonl"))

import torch

from npu import Npu, Out, home, table

EPS = {torch.float32: 2.0**-23, torch.float16: 2.0**-10, torch.bfloat16: 2.0**-7, torch.float64: 2.0**-40}
NAMES = {torch.float32: "FLOAT", torch.float16: "FLOAT16", torch.bfloat16: "BF16"}
FLOATS = (torch.float32, torch.float16, torch.bfloat16)


def leaf(*shape, low=-2.0, high=2.0):
    return torch.rand(shape, dtype=torch.float64) * (high - low) + low


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.npu = Npu(home(), table())

    @classmethod
    def tearDownClass(cls):
        cls.npu.close()
        with open(os.environ["ASSAY_NPU_EMULATOR_REPORT"]) as report:
            lines = [line for line in report if '"misuse"' in line]
        assert not lines, lines[:3]
        os.remove(os.environ["ASSAY_NPU_EMULATOR_REPORT"])

    def setUp(self):
        torch.manual_seed(7)

    def check(self, name, arguments, expected, dtypes=FLOATS, steps=4.0, scale=None):
        """arguments: doubles become each dtype; "out" is an output like the next expected one."""
        expected = expected if isinstance(expected, (list, tuple)) else [expected]
        floats = [p.get("dtypes") for p, a in zip(self.npu.table[name], arguments) if isinstance(a, torch.Tensor) and a.dtype == torch.float64]
        taken = floats[0] if floats else None
        dtypes = [dtype for dtype in dtypes if taken is None or NAMES[dtype] in taken]
        self.assertTrue(dtypes, f"{name} takes none of the dtypes")
        for dtype in dtypes:
            with self.subTest(name=name, dtype=str(dtype)):
                outputs = iter(expected)
                given = []
                for argument in arguments:
                    if isinstance(argument, str) and argument == "out":
                        wanted = next(outputs)
                        given.append(Out(wanted.shape, dtype if wanted.dtype == torch.float64 else wanted.dtype))
                    elif isinstance(argument, str) and argument == "dtype":
                        given.append(dtype)
                    elif isinstance(argument, torch.Tensor) and argument.dtype == torch.float64:
                        given.append(argument.to(dtype))
                    elif isinstance(argument, list) and argument and isinstance(argument[0], torch.Tensor):
                        given.append([a.to(dtype) if a.dtype == torch.float64 else a for a in argument])
                    else:
                        given.append(argument)
                for actual, wanted in zip(self.npu.call(name, *given), expected, strict=True):
                    self.close(actual, wanted, EPS[dtype] * steps, scale)

    def close(self, actual, wanted, relative, scale=None):
        self.assertEqual(actual.shape, wanted.shape)
        if wanted.dtype != torch.float64:
            self.assertTrue(torch.equal(actual, wanted), f"{actual} is not {wanted}")
            return
        size = wanted.abs().max().item() if scale is None and wanted.numel() else scale or 1.0
        size = size if size == size and size != float("inf") else 1.0
        torch.testing.assert_close(actual.double(), wanted, rtol=relative, atol=relative * max(size, 1e-3), equal_nan=True)
