"""Attention, resizing, searches, padding, windows, optimisers and complex numbers of the emulator against PyTorch in double precision.

Run with a Python that has torch: ASSAY_BUILD_DIR and ASSAY_SOURCE_DIR say where things are."""

import math
import unittest

import torch
import torch.nn.functional as F

from case import EPS, FLOATS, Case, leaf
from npu import InOut, Out, Scalar

ONLY = (torch.float32,)


def exact(*shape, low=-2.0, high=2.0):
    """Values that float holds."""
    return leaf(*shape, low=low, high=high).float().double()


def gradients(fn, gradient, *tensors):
    tensors = [t.clone().requires_grad_() for t in tensors]
    fn(*tensors).backward(gradient)
    return [t.grad for t in tensors]


class Attention(Case):
    def attention(self, q, k, v, mask, scale):
        k, v = (t.repeat_interleave(q.shape[1] // k.shape[1], 1) for t in (k, v))
        scores = (q @ k.transpose(-1, -2)) * scale
        return scores.masked_fill(mask, -math.inf).softmax(-1) @ v

    def test_forward_and_gradient_are_right_in_every_layout(self):
        scale = 1 / math.sqrt(16)
        causal = torch.ones(9, 9, dtype=torch.bool).triu(1)
        layouts = {"BNSD": lambda t: t, "BSND": lambda t: t.transpose(1, 2).contiguous(), "BSH": lambda t: t.transpose(1, 2).reshape(2, 9, -1),
                   "SBH": lambda t: t.permute(2, 0, 1, 3).reshape(9, 2, -1)}  # fmt: skip
        for dtype in (torch.float16, torch.bfloat16):
            q, k, v, g = leaf(2, 4, 9, 16), leaf(2, 2, 9, 16), leaf(2, 2, 9, 16), leaf(2, 4, 9, 16)
            q, k, v, g = (t.to(dtype).double() for t in (q, k, v, g))
            for mode, mask in ((0, torch.zeros_like(causal)), (1, causal), (2, causal)):
                expected = self.attention(q, k, v, mask, scale)
                dq, dk, dv = gradients(lambda *t: self.attention(*t, mask, scale), g, q, k, v)
                for name, layout in layouts.items():
                    with self.subTest(layout=name, mode=mode, dtype=str(dtype)):
                        given = [layout(t).to(dtype) for t in (q, k, v)]
                        settings = [scale, 1.0, 2147483647, 2147483647, 4, name, 0, mode]
                        atten = causal if mode == 1 else None
                        maxima, sums, _, out = self.npu.call(
                            "aclnnFlashAttentionScore", *given, None, None, None, atten, None, *settings,
                            Out((2, 4, 9, 8), torch.float32), Out((2, 4, 9, 8), torch.float32), Out((0,), dtype), Out(given[0].shape, dtype),
                        )  # fmt: skip
                        self.close(out, layout(expected), EPS[dtype] * 4)
                        results = self.npu.call(
                            "aclnnFlashAttentionScoreGrad", *given, layout(g).to(dtype), None, None, None, atten, maxima, sums, None, out, None, *settings,
                            *(Out(t.shape, dtype) for t in given), Out((0,), dtype),
                        )  # fmt: skip
                        for actual, wanted in zip(results, (dq, dk, dv)):
                            self.close(actual, layout(wanted), EPS[dtype] * 8, 2.0)

    def test_rotary_positions_are_right(self):
        x, angle = exact(2, 3, 5, 64), exact(1, 1, 5, 32)
        cos, sin = (torch.cat([t, t], -1).float().double() for t in (angle.cos(), angle.sin()))
        turned = torch.cat([-x[..., 32:], x[..., :32]], -1)
        self.check("aclnnRotaryPositionEmbedding", [x, cos, sin, 0, "out"], x * cos + turned * sin, ONLY)


class Resizing(Case):
    def test_upsampling_and_its_gradient_are_right(self):
        x = exact(2, 3, 5, 4)
        for mode, forward, backward in (("nearest", "Nearest2d", "Nearest2dBackward"), ("bilinear", "Bilinear2d", "Bilinear2dBackward"), ("bicubic", "Bicubic2d", "Bicubic2dBackward")):
            for align in (False,) if mode == "nearest" else (False, True):
                fn = lambda t: F.interpolate(t, (7, 9), mode=mode, **({} if mode == "nearest" else {"align_corners": align}))  # noqa: E731, B023
                y = fn(x)
                g = exact(*y.shape)
                (dx,) = gradients(fn, g, x)
                aligned = [] if mode == "nearest" else [align]
                scales = [] if mode == "nearest" else [0.0, 0.0]
                self.check(f"aclnnUpsample{forward}", [x, [7, 9], *aligned, *scales, "out"], y, ONLY, steps=16)
                self.check(f"aclnnUpsample{backward}", [g, [7, 9], list(x.shape), *aligned, 0.0, 0.0, "out"], dx, ONLY, steps=16)
        line = exact(2, 3, 5)
        self.check("aclnnUpsampleNearest1d", [line, [8], "out"], F.interpolate(line, 8), ONLY)
        self.check("aclnnUpsampleLinear1d", [line, [8], False, 0.0, "out"], F.interpolate(line, 8, mode="linear"), ONLY, steps=16)


class Places(Case):
    def test_results_whose_shape_depends_on_the_data_are_right(self):
        x = torch.tensor([[0.0, 1.5, 0.0], [2.0, 0.0, -1.0]])
        (places,) = self.npu.call("aclnnNonzero", x, Out((6, 2), torch.int64))
        self.assertTrue(torch.equal(places, x.nonzero()))
        (chosen,) = self.npu.call("aclnnMaskedSelect", x, x > 0, Out((6,), torch.float32))
        self.assertTrue(torch.equal(chosen, x.masked_select(x > 0)))
        numbers = torch.tensor([3, 1, 3, 2, 1, 1])
        values, inverse, counts = self.npu.call("aclnnUnique2", numbers, True, True, True, *(Out((6,), torch.int64) for _ in range(3)))
        for actual, wanted in zip((values, inverse, counts), numbers.unique(return_inverse=True, return_counts=True)):
            self.assertTrue(torch.equal(actual, wanted))

    def test_searches_and_counts_are_right(self):
        rows, x = exact(3, 7).sort(-1).values, exact(3, 4)
        self.check("aclnnSearchSorted", [rows, x, False, False, None, "out"], torch.searchsorted(rows, x), ONLY)
        self.check("aclnnSearchSorted", [rows, rows[:, :4], False, True, None, "out"], torch.searchsorted(rows, rows[:, :4].contiguous(), right=True), ONLY)
        numbers = torch.randint(0, 6, (40,))
        self.check("aclnnBincount", [numbers, None, 0, "out"], torch.bincount(numbers, minlength=6), ONLY)
        data = exact(100)
        self.check("aclnnHistc", [data, 10, Scalar(-2.0), Scalar(2.0), "out"], torch.histc(data, 10, -2.0, 2.0), ONLY)

    def test_writing_by_index_is_right(self):
        x, source, index = exact(5, 6), exact(3, 6), torch.tensor([4, 0, 4])
        self.check("aclnnIndexAdd", [x, 0, index, source, Scalar(0.5), "out"], x.index_add(0, index, source, alpha=0.5), ONLY)
        self.check("aclnnIndexFill", [x, 1, torch.tensor([5, 0]), Scalar(3.0), "out"], x.index_fill(1, torch.tensor([5, 0]), 3.0), ONLY)
        where = (torch.tensor([1, 4, 1]), torch.tensor([0, 3, 0]))
        for accumulate in (False, True):
            values = exact(3) if accumulate else torch.tensor([1.0, 2.0, 1.0], dtype=torch.float64)
            (actual,) = self.npu.call("aclnnIndexPutImpl", InOut(x.float()), list(where), values.float(), accumulate, True)
            self.close(actual, x.index_put(where, values, accumulate=accumulate), EPS[torch.float32] * 4)
        at, brought = torch.randint(0, 5, (4, 6)), exact(4, 6)
        for number, reduce in ((2, "prod"), (3, "amax"), (4, "amin"), (5, "mean")):
            for include in (False, True):
                self.check("aclnnScatterReduce", [x, 0, at, brought, number, include, "out"], x.scatter_reduce(0, at, brought, reduce, include_self=include), ONLY, steps=16)


class Windows(Case):
    def test_unfolding_and_folding_are_right(self):
        x = exact(2, 3, 6, 7)
        columns = F.unfold(x, (2, 3), (1, 2), (1, 0), (2, 1))
        self.check("aclnnIm2col", [x, [2, 3], [1, 2], [1, 0], [2, 1], "out"], columns, ONLY)
        back = F.fold(columns, (6, 7), (2, 3), (1, 2), (1, 0), (2, 1))
        self.check("aclnnIm2colBackward", [columns, [6, 7], [2, 3], [1, 2], [1, 0], [2, 1], "out"], back, ONLY, steps=8)

    def test_convolution_over_time_is_right(self):
        x, w, b = exact(7, 2, 4), exact(3, 4, 5), exact(5)
        y = torch.conv_tbc(x, w, b, 1)
        g = exact(*y.shape)
        self.check("aclnnConvTbc", [x, w, b, 1, "out", 0], y, ONLY, steps=16)
        wanted = gradients(lambda *t: torch.conv_tbc(*t, 1), g, x, w, b)
        self.check("aclnnConvTbcBackward", [g, x, w, b, 1, 0, "out", "out", "out"], wanted, ONLY, steps=32)

    def test_padding_and_its_gradient_are_right(self):
        x = exact(2, 3, 5, 6)
        for mode, name in (("reflect", "Reflection"), ("replicate", "Replication"), ("circular", "Circular")):
            y = F.pad(x, (1, 2, 3, 0), mode=mode)
            self.check(f"aclnn{name}Pad2d", [x, [1, 2, 3, 0], "out"], y, ONLY)
            g = exact(*y.shape)
            (dx,) = gradients(lambda t: F.pad(t, (1, 2, 3, 0), mode=mode), g, x)  # noqa: B023
            self.check(f"aclnn{name}Pad2dBackward", [g, x, [1, 2, 3, 0], "out"], dx, ONLY, steps=8)

    def test_adaptive_and_deep_pools_are_right(self):
        x = exact(2, 3, 5, 7)
        y, places = F.adaptive_max_pool2d(x, (2, 3), return_indices=True)
        self.check("aclnnAdaptiveMaxPool2d", [x, [2, 3], "out", "out"], [y, places], ONLY)
        g = exact(2, 3, 2, 3)
        (dx,) = gradients(lambda t: F.adaptive_avg_pool2d(t, (2, 3)), g, x)
        self.check("aclnnAdaptiveAvgPool2dBackward", [g, x, "out"], dx, ONLY, steps=8)
        deep = exact(2, 2, 4, 5, 6)
        self.check("aclnnAvgPool3d", [deep, [2, 2, 2], [2, 1, 2], [1, 0, 1], False, True, 0, "out"], F.avg_pool3d(deep, 2, (2, 1, 2), (1, 0, 1)), ONLY, steps=8)


class Others(Case):
    def test_gradients_of_losses_over_classes_are_right(self):
        x, target = exact(6, 5), torch.tensor([0, 4, 2, 2, 1, 3])
        ones = torch.ones(5, dtype=torch.float64)
        for number, reduction in ((0, "none"), (1, "mean"), (2, "sum")):
            y = F.nll_loss(x, target, reduction=reduction, ignore_index=2)
            g = torch.full_like(y, 1.5)
            (dx,) = gradients(lambda t: F.nll_loss(t, target, reduction=reduction, ignore_index=2), g, x)  # noqa: B023
            total = torch.tensor(4.0, dtype=torch.float64)
            self.check("aclnnNLLLossBackward", [g, x, target, ones, number, 2, total, "out"], dx, ONLY, steps=8)
            t = exact(6, 5, low=0.0, high=1.0)
            y = F.binary_cross_entropy_with_logits(x, t, reduction=reduction)
            g = torch.full_like(y, 1.5)
            (dx,) = gradients(lambda v: F.binary_cross_entropy_with_logits(v, t, reduction=reduction), g, x)  # noqa: B023
            self.check("aclnnBinaryCrossEntropyWithLogitsBackward", [g, x, t, None, None, number, "out"], dx, ONLY, steps=8)
        loss, prob, _, _ = self.npu.call(
            "aclnnCrossEntropyLoss", x.float(), target, None, "mean", -100, 0.0, 0.0, False,
            Out((1,), torch.float32), Out((6, 5), torch.float32), Out((1,), torch.float32), Out((6,), torch.float32),
        )  # fmt: skip
        self.close(loss, F.cross_entropy(x, target).reshape(1), EPS[torch.float32] * 8)
        self.close(prob, x.log_softmax(1), EPS[torch.float32] * 8)

    def test_small_linear_algebra_is_right(self):
        x, y = exact(4, 3), exact(4, 3)
        self.check("aclnnLinalgCross", [x, y, 1, "out"], torch.linalg.cross(x, y), ONLY)
        self.check("aclnnTrace", [exact(3, 3) * 0 + torch.eye(3, dtype=torch.float64), "out"], torch.tensor(3.0, dtype=torch.float64), ONLY)
        self.check("aclnnRenorm", [x, Scalar(2.0), 0, Scalar(1.0), "out"], x.renorm(2, 0, 1.0), ONLY, steps=8)

    def test_a_step_of_adamw_is_right(self):
        x, g = exact(20), exact(20)
        parameter = x.clone().requires_grad_()
        optimizer = torch.optim.AdamW([parameter], lr=0.01, betas=(0.9, 0.99), weight_decay=0.1)
        parameter.grad = g
        optimizer.step()
        zero = torch.zeros(20)
        new, *_ = self.npu.call("aclnnApplyAdamWV2", InOut(x.float()), InOut(zero), InOut(zero), None, g.float(), torch.tensor([1.0]),
                                0.01, 0.9, 0.99, 0.1, 1e-8, False, False)  # fmt: skip
        self.close(new, parameter.detach(), EPS[torch.float32] * 16)

    def test_complex_numbers_are_right(self):
        a, b = (torch.complex(exact(3, 4), exact(3, 4)) for _ in range(2))
        for name, wanted, rest in (("Mul", a * b, []), ("Div", a / b, []), ("Add", a + b, [Scalar(1.0)])):
            (actual,) = self.npu.call(f"aclnn{name}", a.to(torch.complex64), b.to(torch.complex64), *rest, Out((3, 4), torch.complex64))
            torch.testing.assert_close(actual.to(torch.complex128), wanted, rtol=1e-6, atol=1e-6)
        (size,) = self.npu.call("aclnnAbs", a.to(torch.complex64), Out((3, 4), torch.float32))
        torch.testing.assert_close(size.double(), a.abs(), rtol=1e-6, atol=1e-6)

    def test_remaining_reductions_are_right(self):
        for dtype in FLOATS:
            x = leaf(4, 9).to(dtype).double()
            values, indices = x.median(1)
            self.check("aclnnMedianDim", [x, 1, False, "out", "out"], [values, indices], (dtype,))
        x = exact(4, 9)
        running = x.cummax(1)
        self.check("aclnnCummax", [x, 1, "out", "out"], [running.values, running.indices], ONLY)
        self.check("aclnnProdDim", [x, 1, False, "dtype", "out"], x.prod(1), ONLY, steps=16)
        self.check("aclnnCumprod", [x, Scalar(1), "dtype", "out"], x.cumprod(1), ONLY, steps=32)
        self.check("aclnnArgMin", [x, 1, False, "out"], x.argmin(1), ONLY)
        kth = x.kthvalue(3, 1)
        self.check("aclnnKthvalue", [x, 3, 1, False, "out", "out"], [kth.values, kth.indices], ONLY)


if __name__ == "__main__":
    unittest.main()
