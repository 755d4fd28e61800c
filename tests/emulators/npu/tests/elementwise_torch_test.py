"""Elementwise kernels, reductions and scans of the emulator against PyTorch in double precision.

Run with a Python that has torch: ASSAY_BUILD_DIR and ASSAY_SOURCE_DIR say where things are."""

import unittest

import torch
import torch.nn.functional as F

from case import EPS, FLOATS, Case, leaf
from npu import InOut, Scalar


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


if __name__ == "__main__":
    unittest.main()
