"""The emulator's kernels against PyTorch in double precision, in float, half and bfloat16, within bounds that follow from the dtype.

Run with a Python that has torch: ASSAY_BUILD_DIR and ASSAY_SOURCE_DIR say where things are."""

import os
import tempfile
import unittest

os.environ.setdefault("ASSAY_NPU_EMULATOR_REPORT", os.path.join(tempfile.mkdtemp(), "report.jsonl"))

import torch
import torch.nn.functional as F

from npu import AclError, InOut, Npu, Out, Scalar, home, table

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


UNARY = {
    "Abs": torch.abs, "Neg": torch.neg, "Exp": torch.exp, "Exp2": torch.exp2, "Expm1": torch.expm1, "Square": torch.square,
    "Sin": torch.sin, "Cos": torch.cos, "Sinh": torch.sinh, "Cosh": torch.cosh, "Tanh": torch.tanh, "Asinh": torch.asinh,
    "Atan": torch.atan, "Erf": torch.erf, "Erfc": torch.erfc, "Floor": torch.floor, "Ceil": torch.ceil, "Trunc": torch.trunc,
    "Round": torch.round, "Frac": torch.frac, "Sign": torch.sign, "Sigmoid": torch.sigmoid, "Relu": torch.relu, "Silu": F.silu,
    "Mish": F.mish, "Hardsigmoid": F.hardsigmoid, "Hardswish": F.hardswish, "Selu": F.selu, "LogSigmoid": F.logsigmoid,
    "Sinc": torch.sinc, "Reciprocal": torch.reciprocal,
}  # fmt: skip
POSITIVE = {
    "Log": torch.log, "Log2": torch.log2, "Log10": torch.log10, "Log1p": torch.log1p, "Sqrt": torch.sqrt, "Rsqrt": torch.rsqrt,
    "Lgamma": torch.lgamma, "Digamma": torch.digamma,
}  # fmt: skip
INSIDE_ONE = {"Asin": torch.asin, "Acos": torch.acos, "Atanh": torch.atanh, "Erfinv": torch.erfinv, "Tan": torch.tan}
ACTIVATIONS = {
    "LeakyRelu": ([0.1], lambda x: F.leaky_relu(x, 0.1)),
    "Elu": ([1.3, 1.1, 0.9], lambda x: torch.where(x > 0, 1.1 * x, 1.1 * 1.3 * torch.expm1(0.9 * x))),
    "Celu": ([1.3], lambda x: F.celu(x, 1.3)),
    "Hardshrink": ([0.5], lambda x: F.hardshrink(x, 0.5)),
    "Softshrink": ([0.5], lambda x: F.softshrink(x, 0.5)),
    "Softplus": ([1.5, 20.0], lambda x: F.softplus(x, 1.5, 20.0)),
    "Threshold": ([0.25, -3.0], lambda x: F.threshold(x, 0.25, -3.0)),
    "Hardtanh": ([-0.5, 0.75], lambda x: F.hardtanh(x, -0.5, 0.75)),
}


class Elementwise(Case):
    """Inputs are exact in every dtype, so that the expected value is the same for all."""

    def exact(self, *shape, low=-2.0, high=2.0):
        return leaf(*shape, low=low, high=high).bfloat16().double()

    def test_unary_functions_are_right(self):
        for names, low, high in ((UNARY, -2.2, 2.2), (POSITIVE, 0.3, 4.0), (INSIDE_ONE, -0.9, 0.9)):
            for name, fn in names.items():
                x = self.exact(5, 7, low=low, high=high)
                self.check(f"aclnn{name}", [x, "out"], fn(x))

    def test_activations_are_right(self):
        for name, (scalars, fn) in ACTIVATIONS.items():
            x = self.exact(4, 9)
            self.check(f"aclnn{name}", [x, *(Scalar(s) for s in scalars), "out"], fn(x))
        x = self.exact(4, 9)
        self.check("aclnnGeluV2", [x, 0, "out"], F.gelu(x))
        self.check("aclnnGeluV2", [x, 1, "out"], F.gelu(x, approximate="tanh"))
        self.check("aclnnGelu", [x, "out"], F.gelu(x, approximate="tanh"))

    def test_gradients_of_activations_are_right(self):
        def gradient(fn, x, g):
            x = x.clone().requires_grad_()
            fn(x).backward(g)
            return x.grad

        x, g = self.exact(6, 5), self.exact(6, 5)
        for name, fn in {"Silu": F.silu, "Mish": F.mish, "Hardswish": F.hardswish, "Hardsigmoid": F.hardsigmoid}.items():
            self.check(f"aclnn{name}Backward", [g, x, "out"], gradient(fn, x, g))
        self.check("aclnnGeluBackwardV2", [g, x, "none", "out"], gradient(F.gelu, x, g))
        self.check("aclnnGeluBackwardV2", [g, x, "tanh", "out"], gradient(lambda v: F.gelu(v, approximate="tanh"), x, g))
        self.check("aclnnThresholdBackward", [g, x, Scalar(0.25), "out"], gradient(lambda v: F.threshold(v, 0.25, 0.0), x, g))
        self.check("aclnnLeakyReluBackward", [g, x, Scalar(0.1), False, "out"], gradient(lambda v: F.leaky_relu(v, 0.1), x, g))
        self.check("aclnnEluBackward", [g, Scalar(1.5), Scalar(1.0), Scalar(1.0), False, x, "out"], gradient(lambda v: F.elu(v, 1.5), x, g))
        self.check("aclnnSoftplusBackward", [g, x, Scalar(1.5), Scalar(20.0), "out"], gradient(lambda v: F.softplus(v, 1.5, 20.0), x, g))
        self.check("aclnnHardtanhBackward", [g, x, Scalar(-0.5), Scalar(0.75), "out"], gradient(lambda v: F.hardtanh(v, -0.5, 0.75), x, g))
        self.check("aclnnHardshrinkBackward", [g, x, Scalar(0.5), "out"], gradient(lambda v: F.hardshrink(v, 0.5), x, g))
        self.check("aclnnSoftshrinkBackward", [g, x, Scalar(0.5), "out"], gradient(lambda v: F.softshrink(v, 0.5), x, g))
        y = self.exact(6, 5, low=0.1, high=0.9)
        self.check("aclnnSigmoidBackward", [g, y, "out"], g * y * (1 - y))
        self.check("aclnnTanhBackward", [g, y, "out"], g * (1 - y * y))

    def test_gated_activations_are_right(self):
        x = self.exact(3, 8)
        a, b = x.chunk(2, -1)
        self.check("aclnnSwiGlu", [x, -1, "out"], F.silu(a) * b)
        self.check("aclnnGlu", [x, -1, "out"], F.glu(x, -1))
        g, leaf_x = self.exact(3, 4), x.clone().requires_grad_()
        first, second = leaf_x.chunk(2, -1)
        (F.silu(first) * second).backward(g)
        self.check("aclnnSwiGluGrad", [g, x, -1, "out"], leaf_x.grad)

    def test_binary_functions_broadcast_and_are_right(self):
        x, y = self.exact(3, 1, 5), self.exact(4, 1)
        y = torch.where(y.abs() < 0.1, 0.5, y)
        for name, fn in {
            "Mul": torch.mul, "Div": torch.div, "Maximum": torch.maximum, "Minimum": torch.minimum, "FmodTensor": torch.fmod,
            "RemainderTensorTensor": torch.remainder, "FloorDivide": torch.floor_divide,
        }.items():  # fmt: skip
            self.check(f"aclnn{name}", [x, y, "out"], fn(x, y))
        for name, fn in {"Atan2": torch.atan2, "LogAddExp": torch.logaddexp}.items():
            self.check(f"aclnn{name}", [x, y, "out"], fn(x, y), dtypes=(torch.float32,))
        self.check("aclnnAdd", [x, y, Scalar(0.5), "out"], x + 0.5 * y)
        self.check("aclnnSub", [x, y, Scalar(0.5), "out"], x - 0.5 * y)
        self.check("aclnnRsubs", [x, Scalar(2.0), Scalar(0.5), "out"], 2.0 - 0.5 * x)
        self.check("aclnnPowTensorTensor", [x.abs() + 0.25, y, "out"], (x.abs() + 0.25).pow(y), dtypes=(torch.float32,))
        self.check("aclnnPowTensorScalar", [x, Scalar(3), "out"], x.pow(3))
        self.check("aclnnDivMod", [x, y, 2, "out"], torch.div(x, y, rounding_mode="floor"), dtypes=(torch.float32,))
        self.check("aclnnAddcmul", [x, x, y, Scalar(0.5), "out"], x + 0.5 * x * y)
        self.check("aclnnLerps", [x, y, Scalar(0.25), "out"], torch.lerp(x, y.expand(3, 4, 5), 0.25))
        for name, fn in {"Eq": torch.eq, "Ne": torch.ne, "Gt": torch.gt, "Ge": torch.ge, "Lt": torch.lt, "Le": torch.le}.items():
            self.check(f"aclnn{name}Tensor", [x, y, "out"], fn(x, y))
            self.check(f"aclnn{name}Scalar", [x, Scalar(0.5), "out"], fn(x, 0.5))

    def test_integers_are_exact(self):
        x, y = torch.randint(-9, 9, (4, 5)), torch.randint(1, 9, (5,))
        for name, fn in {"Mul": torch.mul, "BitwiseAndTensor": torch.bitwise_and, "BitwiseXorTensor": torch.bitwise_xor,
                         "FloorDivide": torch.floor_divide, "RemainderTensorTensor": torch.remainder, "Gcd": torch.gcd,
                         "Maximum": torch.maximum}.items():  # fmt: skip
            self.check(f"aclnn{name}", [x, y, "out"], fn(x, y), dtypes=(torch.float32,))
        big = torch.tensor([2**53 + 1, -(2**53) - 1])
        self.check("aclnnAdd", [big, torch.tensor([1, -1]), Scalar(1), "out"], big + torch.tensor([1, -1]), dtypes=(torch.float32,))

    def test_selection_is_right(self):
        x, y, condition = self.exact(4, 5), self.exact(5), torch.rand(4, 1) < 0.5
        self.check("aclnnSWhere", [condition, x, y, "out"], torch.where(condition, x, y))
        self.check("aclnnClamp", [x, Scalar(-0.5), Scalar(0.5), "out"], x.clamp(-0.5, 0.5))
        self.check("aclnnClamp", [x, None, Scalar(0.5), "out"], x.clamp(max=0.5))
        for dtype in FLOATS:
            (filled,) = self.npu.call("aclnnInplaceMaskedFillScalar", InOut(x.to(dtype)), condition, Scalar(3.0))
            self.close(filled, x.masked_fill(condition, 3.0), EPS[dtype])


class AlongAxes(Case):
    def test_reductions_are_right(self):
        for dtype in FLOATS:
            x = leaf(3, 130, 7).to(dtype).double()
            only = (dtype,)
            self.check("aclnnReduceSum", [x, [1], False, "dtype", "out"], x.sum(1), only, steps=8, scale=12.0)
            self.check("aclnnReduceSum", [x, [0, 2], True, "dtype", "out"], x.sum((0, 2), keepdim=True), only, steps=8, scale=12.0)
            self.check("aclnnMean", [x, [], False, "dtype", "out"], x.mean(), only, steps=8, scale=1.0)
            self.check("aclnnVarCorrection", [x, [1], 1, False, "out"], x.var(1), only, steps=8)
            self.check("aclnnStd", [x, [1], 0, True, "out"], x.std(1, correction=0, keepdim=True), only, steps=8)
            self.check("aclnnVarMean", [x, [1], 1, False, "out", "out"], [x.var(1), x.mean(1)], only, steps=8, scale=1.0)
            self.check("aclnnLogSumExp", [x, [1], False, "out"], x.logsumexp(1), only, steps=8)
            self.check("aclnnAmax", [x, [1], False, "out"], x.amax(1), only)
            values, indices = x.max(1)
            self.check("aclnnMaxDim", [x, 1, False, "out", "out"], [values, x.argmax(1)], only)
            self.check("aclnnLinalgVectorNorm", [x, Scalar(2.0), [1], False, "dtype", "out"], torch.linalg.vector_norm(x, 2, 1), only, steps=8)
            self.check("aclnnCumsum", [x, 1, "dtype", "out"], x.cumsum(1), only, steps=64)
            self.check("aclnnSoftmax", [x, 1, "out"], x.softmax(1), only)
            self.check("aclnnLogSoftmax", [x, 1, "out"], x.log_softmax(1), only)
            order = torch.sort(x, dim=1, stable=True)
            self.check("aclnnSort", [x, True, 1, False, "out", "out"], [order.values, order.indices], only)
            top = x.topk(5, 1)
            self.check("aclnnTopk", [x, 5, 1, True, True, "out", "out"], [top.values, torch.sort(x, dim=1, stable=True, descending=True).indices[:, :5]], only)
        flags = torch.rand(4, 6) < 0.5
        self.check("aclnnAll", [flags, [1], False, "out"], flags.all(1), (torch.float32,))
        self.check("aclnnAny", [flags, [0], True, "out"], flags.any(0, keepdim=True), (torch.float32,))

    def test_softmax_gradients_are_right(self):
        for dtype in FLOATS:
            x, g = leaf(5, 40).to(dtype).double(), leaf(5, 40).to(dtype).double()
            y = x.softmax(1).to(dtype).double()
            self.check("aclnnSoftmaxBackward", [g, y, 1, "out"], (g - (g * y).sum(1, keepdim=True)) * y, (dtype,), steps=8)
            z = x.log_softmax(1).to(dtype).double()
            self.check("aclnnLogSoftmaxBackward", [g, z, 1, "out"], g - z.exp() * g.sum(1, keepdim=True), (dtype,), steps=8)


class Cube(Case):
    def test_products_stay_within_the_bound_of_their_precision(self):
        for dtype in FLOATS:
            a, b = leaf(2, 9, 100).to(dtype).double(), leaf(100, 6).to(dtype).double()
            scale = (a.abs() @ b.abs()).max().item()
            self.check("aclnnMatmul", [a, b, "out", 0], a @ b, (dtype,), steps=2, scale=scale)
            self.check("aclnnMatmul", [a.transpose(1, 2).contiguous().transpose(1, 2), b, "out", 0], a @ b, (dtype,), steps=2, scale=scale)
            c = leaf(9, 6).to(dtype).double()
            self.check("aclnnAddmm", [c, a[0], b, Scalar(0.5), Scalar(2.0), "out", 0], 0.5 * c + 2.0 * (a[0] @ b), (dtype,), steps=2, scale=2 * scale)

    def test_hf32_rounds_inputs_to_eleven_bits(self):
        a, b = leaf(8, 64).float(), leaf(64, 8).float()
        exact = a.double() @ b.double()
        bound = (a.abs().double() @ b.abs().double()) * 2.0**-11
        (plain,) = self.npu.call("aclnnMatmul", a, b, Out((8, 8), torch.float32), 0)
        (hf32,) = self.npu.call("aclnnMatmul", a, b, Out((8, 8), torch.float32), 3)
        self.assertTrue(((hf32.double() - exact).abs() <= bound).all())
        self.assertGreater((hf32.double() - exact).abs().max(), 20 * (plain.double() - exact).abs().max())

    def test_convolutions_and_their_gradients_are_right(self):
        for dtype in FLOATS:
            for spatial, groups, stride, padding, dilation, transposed, extra in ((2, 1, 1, 1, 1, False, 0), (2, 2, 2, 1, 2, False, 0), (1, 1, 2, 2, 1, False, 0), (3, 1, 1, 0, 1, False, 0), (2, 2, 2, 1, 1, True, 1)):
                with self.subTest(spatial=spatial, transposed=transposed):
                    x = leaf(2, 4, *[7] * spatial).to(dtype).double().requires_grad_()
                    shape = (4, 6 // groups) if transposed else (6, 4 // groups)
                    w = leaf(*shape, *[3] * spatial).to(dtype).double().requires_grad_()
                    bias = leaf(6).to(dtype).double().requires_grad_()
                    s, p, d, o = ([v] * spatial for v in (stride, padding, dilation, extra))
                    y = torch.convolution(x, w, bias, s, p, d, transposed, o, groups)
                    g = leaf(*y.shape).to(dtype).double()
                    y.backward(g)
                    self.check("aclnnConvolution", [x.detach(), w.detach(), bias.detach(), s, p, d, transposed, o, groups, "out", 0], y.detach(), (dtype,), steps=8, scale=20.0)
                    self.check("aclnnConvolutionBackward", [g, x.detach(), w.detach(), [6], s, p, d, transposed, o, groups, [True] * 3, 0, "out", "out", "out"],
                               [x.grad, w.grad, bias.grad], (dtype,), steps=8, scale=40.0)  # fmt: skip


class Normalisation(Case):
    def test_layer_norm_and_gradient_are_right(self):
        for dtype in FLOATS:
            x = leaf(4, 3, 70).to(dtype).double().requires_grad_()
            w, b = (leaf(70).to(dtype).double().requires_grad_() for _ in range(2))
            y, mean, rstd = torch.native_layer_norm(x, [70], w, b, 1e-5)
            g = leaf(4, 3, 70).to(dtype).double()
            y.backward(g)
            d = lambda t: t.detach()  # noqa: E731
            self.check("aclnnLayerNorm", [d(x), [70], d(w), d(b), 1e-5, "out", "out", "out"], [d(y), d(mean), d(rstd)], (dtype,), steps=8, scale=4.0)
            if dtype == torch.float32:
                self.check("aclnnLayerNormBackward", [g, d(x), [70], d(mean), d(rstd), d(w), d(b), [True] * 3, "out", "out", "out"], [x.grad, w.grad, b.grad], (dtype,), steps=16, scale=16.0)

    def test_rms_norm_and_gradient_are_right(self):
        for dtype in FLOATS:
            x, gamma = leaf(4, 70).to(dtype).double().requires_grad_(), leaf(70).to(dtype).double().requires_grad_()
            rstd = (x.pow(2).mean(-1, keepdim=True) + 1e-6).rsqrt()
            y = x * rstd * gamma
            g = leaf(4, 70).to(dtype).double()
            y.backward(g)
            actual, factor = self.npu.call("aclnnRmsNorm", x.detach().to(dtype), gamma.detach().to(dtype), 1e-6, Out((4, 70), dtype), Out((4, 1), torch.float32))
            self.close(actual, y.detach(), EPS[dtype] * 4)
            self.close(factor, rstd.detach(), EPS[torch.float32] * 4)
            dx, dgamma = self.npu.call("aclnnRmsNormGrad", g.to(dtype), x.detach().to(dtype), factor, gamma.detach().to(dtype), Out((4, 70), dtype), Out((70,), torch.float32))
            self.close(dx, x.grad, EPS[dtype] * 8, 4.0)
            self.close(dgamma, gamma.grad, EPS[torch.float32] * 16, 8.0)

    def test_batch_and_group_norm_are_right(self):
        x = leaf(4, 6, 5, 5).float().double().requires_grad_()
        w, b = (leaf(6).float().double().requires_grad_() for _ in range(2))
        g = leaf(4, 6, 5, 5).float().double()
        d = lambda t: t.detach()  # noqa: E731
        y = F.group_norm(x, 3, w, b, 1e-5)
        y.backward(g)
        _, mean, rstd = torch.native_group_norm(x, w, b, 4, 6, 25, 3, 1e-5)
        only = (torch.float32,)
        self.check("aclnnGroupNorm", [d(x), d(w), d(b), 4, 6, 25, 3, 1e-5, "out", "out", "out"], [d(y), d(mean), d(rstd)], only, steps=8, scale=4.0)
        self.check("aclnnGroupNormBackward", [g, d(x), d(mean), d(rstd), d(w), 4, 6, 25, 3, [True] * 3, "out", "out", "out"], [x.grad, w.grad, b.grad], only, steps=16, scale=30.0)
        x.grad = w.grad = b.grad = None
        y, mean, invstd = torch.native_batch_norm(x, w, b, None, None, True, 0.1, 1e-5)
        y.backward(g)
        running, variance = torch.zeros(6), torch.ones(6)
        self.check("aclnnBatchNormBackward", [g, d(x), d(w), running, variance, d(mean), d(invstd), True, 1e-5, [True] * 3, "out", "out", "out"], [x.grad, w.grad, b.grad], only, steps=16, scale=60.0)
        new_mean, new_variance, out, save_mean, save_invstd = self.npu.call(
            "aclnnBatchNorm", d(x).float(), d(w).float(), d(b).float(), InOut(running), InOut(variance), True, 0.1, 1e-5,
            Out(x.shape, torch.float32), Out((6,), torch.float32), Out((6,), torch.float32),
        )  # fmt: skip
        F.batch_norm(d(x).float(), running, variance, d(w).float(), d(b).float(), True, 0.1, 1e-5)
        self.close(out, d(y), EPS[torch.float32] * 8, 4.0)
        self.close(save_mean, d(mean), EPS[torch.float32] * 8, 1.0)
        self.close(save_invstd, d(invstd), EPS[torch.float32] * 8)
        self.close(new_mean, running.double(), EPS[torch.float32] * 8, 1.0)
        self.close(new_variance, variance.double(), EPS[torch.float32] * 8)


class Moving(Case):
    def test_shapes_are_right(self):
        x = torch.arange(24.0, dtype=torch.float64).reshape(2, 3, 4)
        self.check("aclnnCat", [[x, x * 2], 1, "out"], torch.cat([x, x * 2], 1))
        self.check("aclnnStack", [[x, x * 2], 1, "out"], torch.stack([x, x * 2], 1))
        self.check("aclnnPermute", [x, [2, 0, 1], "out"], x.permute(2, 0, 1))
        self.check("aclnnRepeat", [x, [2, 1, 1, 3], "out"], x.repeat(2, 1, 1, 3))
        self.check("aclnnFlip", [x, [0, 2], "out"], x.flip(0, 2), (torch.float32,))
        self.check("aclnnRoll", [x, [1, -1], [0, 2], "out"], x.roll((1, -1), (0, 2)))
        self.check("aclnnTril", [x, 1, "out"], x.tril(1))
        self.check("aclnnTriu", [x, -1, "out"], x.triu(-1))
        self.check("aclnnConstantPadNd", [x, [1, 2, 0, 1], Scalar(7.0), "out"], F.pad(x, (1, 2, 0, 1), value=7.0))
        self.check("aclnnReflectionPad1d", [x, [1, 2], "out"], F.pad(x, (1, 2), mode="reflect"), (torch.float32,))
        self.check("aclnnSlice", [x, 2, 1, 4, 2, "out"], x[:, :, 1:4:2])
        self.check("aclnnDiag", [x[0], 1, "out"], x[0].diag(1), (torch.float32,))
        self.check("aclnnArange", [Scalar(0), Scalar(10), Scalar(3), "out"], torch.arange(0, 10, 3), (torch.float32,))

    def test_indices_are_right(self):
        x = leaf(5, 6).bfloat16().double()
        index = torch.tensor([[4, 0, 2], [1, 1, 3]])
        self.check("aclnnEmbedding", [x, index, "out"], F.embedding(index, x))
        self.check("aclnnGather", [x, 0, index, "out"], x.gather(0, index))
        self.check("aclnnIndexSelect", [x, 1, torch.tensor([5, 0, 0]), "out"], x.index_select(1, torch.tensor([5, 0, 0])))
        self.check("aclnnIndex", [x, [torch.tensor([1, 4]), torch.tensor([0, 3])], "out"], x[torch.tensor([1, 4]), torch.tensor([0, 3])])
        source = leaf(2, 3).bfloat16().double()
        self.check("aclnnScatter", [x, 1, index, source, 0, "out"], self.scattered(x, index, source), (torch.float32,))
        self.check("aclnnScatterAdd", [x, 1, index, source, "out"], x.scatter_add(1, index, source), (torch.float32,))
        grad = leaf(2, 3, 6).float().double()
        expected = torch.zeros(5, 6, dtype=torch.float64).index_add_(0, index.reshape(-1), grad.reshape(-1, 6))
        self.check("aclnnEmbeddingDenseBackward", [grad, index, 5, 2**64 - 1, False, "out"], expected, (torch.float32,))

    def scattered(self, x, index, source):
        result = x.clone()
        for i in range(index.shape[0]):
            for j in range(index.shape[1]):
                result[i, index[i, j]] = source[i, j]
        return result


class Losses(Case):
    def test_losses_and_their_gradients_are_right(self):
        only = (torch.float32,)
        for reduction, text in ((0, "none"), (1, "mean"), (2, "sum")):
            x, t = leaf(6, 5).float().double(), leaf(6, 5).float().double()
            p = leaf(6, 5, low=0.1, high=0.9).float().double()
            self.check("aclnnMseLoss", [x, t, reduction, "out"], F.mse_loss(x, t, reduction=text), only, steps=8)
            self.check("aclnnL1Loss", [x, t, reduction, "out"], F.l1_loss(x, t, reduction=text), only, steps=8)
            self.check("aclnnSmoothL1Loss", [x, t, reduction, 0.5, "out"], F.smooth_l1_loss(x, t, reduction=text, beta=0.5), only, steps=8)
            self.check("aclnnBinaryCrossEntropy", [p, t.abs() / 2, None, reduction, "out"], F.binary_cross_entropy(p, t.abs() / 2, reduction=text), only, steps=16)
            self.check("aclnnBinaryCrossEntropyWithLogits", [x, t, None, None, reduction, "out"], F.binary_cross_entropy_with_logits(x, t, reduction=text), only, steps=8)
            self.check("aclnnKlDiv", [x, t.abs(), reduction, False, "out"], F.kl_div(x, t.abs(), reduction=text), only, steps=8)
            self.check("aclnnSoftMarginLoss", [x, t.sign(), reduction, "out"], F.soft_margin_loss(x, t.sign(), reduction=text), only, steps=8)
            for name, fn in {"MseLoss": F.mse_loss, "L1Loss": F.l1_loss}.items():
                variable = x.clone().requires_grad_()
                loss = fn(variable, t, reduction=text)
                g = torch.ones_like(loss) * 1.5
                loss.backward(g)
                self.check(f"aclnn{name}Backward", [g, x, t, reduction, "out"], variable.grad, only, steps=8)
            target, weight = torch.randint(0, 5, (6,)), leaf(5, low=0.5, high=1.5).float().double()
            logits = x.clone().requires_grad_()
            prob = logits.log_softmax(1)
            loss = F.nll_loss(prob, target, weight, reduction=text)
            total = weight[target].sum()
            self.check("aclnnNLLLoss", [prob.detach(), target, weight, reduction, -100, "out", "out"],
                       [loss.detach(), total], only, steps=8)  # fmt: skip


class Pools(Case):
    def test_pools_and_their_gradients_are_right(self):
        x = leaf(2, 3, 7, 8).float().double().requires_grad_()
        only = (torch.float32,)
        y, indices = F.max_pool2d(x, 3, 2, 1, return_indices=True)
        g = leaf(*y.shape).float().double()
        y.backward(g)
        self.check("aclnnMaxPool2dWithIndices", [x.detach(), [3], [2], [1], [1], False, "out", "out"], [y.detach(), indices.int()], only)
        self.check("aclnnMaxPool2dWithIndicesBackward", [g, x.detach(), indices.int(), [3], [2], [1], [1], False, "out"], x.grad, only)
        x.grad = None
        y = F.avg_pool2d(x, (3, 2), 2, (1, 0), ceil_mode=True, count_include_pad=False)
        g = leaf(*y.shape).float().double()
        y.backward(g)
        self.check("aclnnAvgPool2d", [x.detach(), [3, 2], [2, 2], [1, 0], True, False, 0, 0, "out"], y.detach(), only, steps=8)
        self.check("aclnnAvgPool2dBackward", [g, x.detach(), [3, 2], [2, 2], [1, 0], True, False, 0, 0, "out"], x.grad, only, steps=8)
        x.grad = None
        y = F.adaptive_avg_pool2d(x, (3, 5))
        self.check("aclnnAdaptiveAvgPool2d", [x.detach(), [3, 5], "out"], y.detach(), only, steps=8)


class Refusals(Case):
    def test_every_operator_of_the_table_is_exported_with_a_kernel(self):
        for name, params in self.npu.table.items():
            getattr(self.npu.ops, name)
            getattr(self.npu.ops, f"{name}GetWorkspaceSize")

    def test_wrong_dtypes_and_shapes_are_refused(self):
        x = leaf(3, 4).float()
        for name, arguments in {
            "aclnnAdd": [x, x, Scalar(1.0), Out((4, 3), torch.float32)],
            "aclnnMatmul": [x, x, Out((3, 4), torch.float32), 0],
            "aclnnMatmul ": [x.double(), x.double().t(), Out((3, 3), torch.float64), 0],
            "aclnnSoftmax": [x, 5, Out((3, 4), torch.float32)],
            "aclnnEqTensor": [x, x, Out((3, 3), torch.bool)],
        }.items():
            with self.subTest(name=name), self.assertRaises(AclError) as raised:
                self.npu.call(name.strip(), *arguments)
            self.assertEqual(raised.exception.code, 161002)


if __name__ == "__main__":
    unittest.main()
