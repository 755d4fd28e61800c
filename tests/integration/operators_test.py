"""`assay check` of a recording of fused NPU operators: the operator plugins stand in for what the adapter lacks, and the row says so."""

import json
import math
import struct
import unittest

from support import BUILD, TestCase, rows, run

KINDS = {bool: "bool", int: "int", float: "float", str: "str"}
CODES = {"float32": ("<f4", "f"), "bool": ("|b1", "?"), "int32": ("<i4", "i")}


class T:
    """A tensor of the recording: row-major values, shape, dtype."""

    def __init__(self, values, shape, dtype="float32"):
        self.shape = tuple(shape)
        self.dtype = dtype
        self.values = [struct.unpack("<f", struct.pack("<f", v))[0] for v in values] if dtype == "float32" else list(values)
        assert len(self.values) == math.prod(self.shape)

    def npy(self):
        code, letter = CODES[self.dtype]
        text = f"{{'descr': '{code}', 'fortran_order': False, 'shape': {self.shape}, }}"
        text = text.ljust(128 - 10 - 1) + "\n"
        return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + struct.pack(f"<{len(self.values)}{letter}", *self.values)


def numbers(count, seed):
    """Numbers between -2 and 2 that repeat themselves in every run."""
    state = seed
    out = []
    for _ in range(count):
        state = (1103515245 * state + 12345) % 2**31
        out.append(4 * state / 2**31 - 2)
    return out


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


class OperatorsCase(TestCase):
    def dump_of(self, entries, **header):
        """A dump from {key: (inputs, kwargs, outputs)}; for a backward key (arriving gradients, None, gradients)."""
        data, files = {}, {}

        def element(value, name):
            if value is None:
                return None
            if isinstance(value, (list, tuple)):
                return [element(item, f"{name}.{i}") for i, item in enumerate(value)]
            if not isinstance(value, T):
                return {"type": KINDS[type(value)], "value": value}
            files[f"{name}.npy"] = value.npy()
            low, high = (min(value.values), max(value.values)) if value.values else (None, None)
            return {"type": "torch.Tensor", "dtype": f"torch.{value.dtype}", "shape": list(value.shape), "Max": high, "Min": low,
                    "Mean": None, "Norm": None, "requires_grad": value.dtype == "float32", "data_name": f"{name}.npy"}

        for key, (inputs, kwargs, outputs) in entries.items():
            given = [element(v, f"{key}.input.{i}") for i, v in enumerate(inputs)]
            recorded = [element(v, f"{key}.output.{i}") for i, v in enumerate(outputs)]
            if key.endswith("backward"):
                data[key] = {"input": given, "output": recorded}
            else:
                named = {k: element(v, f"{key}.kwargs.{k}") for k, v in (kwargs or {}).items()}
                data[key] = {"input_args": given, "input_kwargs": named, "output": recorded}
        folder = self.write_dump(data, **header)
        for name, content in files.items():
            (folder / "dump_tensor_data" / name).write_bytes(content)
        return folder

    def verdicts(self, dump, expect, *arguments):
        process, out = self.check(dump, *arguments, expect=expect)
        lines = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
        return {line["stem"]: line for line in lines}


def rms_norm(rows_, size, spoil=False):
    x = T(numbers(rows_ * size, 3), (rows_, size))
    gamma = T(numbers(size, 5), (size,))
    y, rstd = [], []
    for r in range(rows_):
        row = x.values[r * size:(r + 1) * size]
        scale = 1 / math.sqrt(sum(v * v for v in row) / size + 1e-6)
        rstd.append(scale)
        y += [v * scale * g for v, g in zip(row, gamma.values)]
    if spoil:
        y[7] *= 1.25
    return x, gamma, T(y, (rows_, size)), T(rstd, (rows_, 1))


def causal_attention(heads, length, size):
    """q, k, v in BNSD with batch 1, and what attention gives: output, largest scores and sums, each of these eight times."""
    q, k, v = (T(numbers(heads * length * size, seed), (1, heads, length, size)) for seed in (21, 22, 23))
    out, largest, sums = [], [], []
    for n in range(heads):
        row = lambda tensor, i: tensor.values[(n * length + i) * size:(n * length + i + 1) * size]
        for i in range(length):
            scores = [0.5 * sum(a * b for a, b in zip(row(q, i), row(k, j))) for j in range(i + 1)]
            top = max(scores)
            weights = [math.exp(s - top) for s in scores]
            out += [sum(w * row(v, j)[d] for j, w in enumerate(weights)) / sum(weights) for d in range(size)]
            largest += [top] * 8
            sums += [sum(weights)] * 8
    statistics = (1, heads, length, 8)
    return q, k, v, T(out, q.shape), T(largest, statistics), T(sums, statistics)


class Fallthrough(OperatorsCase):
    def test_recorded_attention_is_judged_but_for_the_state_of_the_devices_generator(self):
        q, k, v, out, largest, sums = causal_attention(2, 5, 4)
        mask = T([j > i for i in range(5) for j in range(5)], (5, 5), "bool")
        kwargs = {"scale": 0.5, "atten_mask": mask, "sparse_mode": 2, "pre_tockens": 65536, "next_tockens": 0}
        forward = self.verdicts(self.dump_of({
            "NPU.npu_fusion_attention.0.forward": ([q, k, v, 2, "BNSD"], kwargs, [out, largest, sums, T([], (0,)), 1234, 5678, 50]),
        }), 0)["NPU.npu_fusion_attention.0"]["forward"]
        self.assertEqual(forward["verdict"], "pass")
        self.assertIn("output 4 is not computed by the operator plugin: not compared", forward["notes"])
        self.assertEqual([o["name"].rsplit(".", 1)[1] for o in forward["outputs"] if o["verdict"] != "skip"], ["0", "1", "2", "3", "6"])

    def test_an_optimiser_step_in_place_is_judged_from_what_it_found(self):
        var, m, v, grad = (T([abs(x) for x in numbers(6, seed)], (6,)) for seed in (31, 32, 33, 34))
        m1 = [0.9 * a + 0.1 * g for a, g in zip(m.values, grad.values)]
        v1 = [0.99 * a + 0.01 * g * g for a, g in zip(v.values, grad.values)]
        rate = 0.01 * math.sqrt(1 - 0.99) / (1 - 0.9)
        step = [a - rate * b / (math.sqrt(c) + 1e-8) for a, b, c in zip(var.values, m1, v1)]
        forward = self.verdicts(self.dump_of({
            "NPU.npu_apply_adam.0.forward": ([0.9, 0.99, 0.01, 0.9, 0.99, 1e-8, grad, False, False], {"out": [var, m, v]},
                                             [T(step, (6,)), T(m1, (6,)), T(v1, (6,))]),
        }), 0)["NPU.npu_apply_adam.0"]["forward"]
        self.assertEqual(forward["verdict"], "pass")
        self.assertIn("assay.fused-optimizers", "; ".join(forward["notes"]))

    def test_recorded_npu_operators_are_judged_and_the_row_names_the_plugin(self):
        x, gamma, y, rstd = rms_norm(4, 16)
        gate = T(numbers(48, 7), (3, 16))
        a = [gate.values[r * 16 + i] for r in range(3) for i in range(8)]
        b = [gate.values[r * 16 + 8 + i] for r in range(3) for i in range(8)]
        g = T(numbers(24, 11), (3, 8))
        slope = [sigmoid(v) * (1 + v * (1 - sigmoid(v))) for v in a]
        da = [gv * s * bv for gv, s, bv in zip(g.values, slope, b)]
        db = [gv * av * sigmoid(av) for gv, av in zip(g.values, a)]
        gradient = [v for r in range(3) for v in da[r * 8:(r + 1) * 8] + db[r * 8:(r + 1) * 8]]
        results = self.verdicts(self.dump_of({
            "NPU.npu_rms_norm.0.forward": ([x, gamma], {"epsilon": 1e-6}, [y, rstd]),
            "NPU.npu_swiglu.0.forward": ([gate, -1], None, [T([av * sigmoid(av) * bv for av, bv in zip(a, b)], (3, 8))]),
            "NPU.npu_swiglu.0.backward": ([g], None, [T(gradient, (3, 16))]),
        }), 0)
        self.assertEqual(results["NPU.npu_rms_norm.0"]["forward"]["verdict"], "pass")
        self.assertEqual(len(results["NPU.npu_rms_norm.0"]["forward"]["outputs"]), 2)
        swiglu = results["NPU.npu_swiglu.0"]
        self.assertEqual((swiglu["forward"]["verdict"], swiglu["backward"]["verdict"]), ("pass", "pass"))
        for direction, plugin in ((results["NPU.npu_rms_norm.0"]["forward"], "assay.fused-norms"),
                                  (swiglu["forward"], "assay.fused-activations"), (swiglu["backward"], "assay.fused-activations")):
            notes = "; ".join(direction["notes"])
            self.assertIn(f"computed by operator plugin '{plugin}'", notes)
            self.assertIn("LibTorch lacks the API", notes)

    def test_a_wrong_element_of_a_fused_operator_is_an_error_at_its_place(self):
        x, gamma, y, rstd = rms_norm(4, 16, spoil=True)
        dump = self.dump_of({"NPU.npu_rms_norm.0.forward": ([x, gamma], None, [y, rstd])})
        output = self.verdicts(dump, 1)["NPU.npu_rms_norm.0"]["forward"]["outputs"][0]
        self.assertEqual(output["verdict"], "error")
        self.assertIn("(0, 7)", output["message"])

    def test_an_operator_that_no_plugin_has_is_skipped_with_the_adapters_reason(self):
        x = T(numbers(8, 3), (8,))
        dump = self.dump_of({"NPU.npu_nothing_of_that_name.0.forward": ([x], None, [x])})
        forward = self.verdicts(dump, 0)["NPU.npu_nothing_of_that_name.0"]["forward"]
        self.assertEqual((forward["verdict"], forward["reason"]), ("skip", "ASSAY-RUN-004"))

    def test_arguments_that_a_plugin_refuses_are_said_with_its_name(self):
        x = T(numbers(9, 3), (3, 3))
        dump = self.dump_of({"NPU.npu_swiglu.0.forward": ([x], None, [x])})
        forward = self.verdicts(dump, 0)["NPU.npu_swiglu.0"]["forward"]
        self.assertEqual((forward["verdict"], forward["reason"]), ("skip", "ASSAY-RUN-005"))
        self.assertIn("operator plugin 'assay.fused-activations': dimension 1 of [3, 3] can't be halved", forward["message"])

    def test_a_target_that_lacks_the_api_says_so_instead_of_being_compared_with_the_reference_itself(self):
        x, gamma, y, rstd = rms_norm(4, 16)
        dump = self.dump_of({"NPU.npu_rms_norm.0.forward": ([x, gamma], None, [y, rstd])})
        forward = self.verdicts(dump, 0, "--target", "torch")["NPU.npu_rms_norm.0"]["forward"]
        self.assertEqual((forward["verdict"], forward["reason"]), ("skip", "ASSAY-RUN-007"))


class Plugins(TestCase):
    def test_every_operator_plugin_keeps_the_rules(self):
        plugins = sorted((BUILD / "lib" / "assay" / "plugins").glob("fused-*"))
        self.assertTrue(plugins)
        process = run("plugins", "validate", *plugins)
        self.assertEqual(process.returncode, 0, process.stdout + process.stderr)


if __name__ == "__main__":
    unittest.main()
