"""Products, convolutions, norms, losses, pools and moves of the emulator against PyTorch in double precision.

Run with a Python that has torch: ASSAY_BUILD_DIR and ASSAY_SOURCE_DIR say where things are."""

import unittest

import torch
import torch.nn.functional as F

from case import EPS, FLOATS, Case, leaf
from npu import AclError, InOut, Out, Scalar


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
