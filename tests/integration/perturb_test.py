"""`assay perturb` from the outside: findings, ranking, the peer's table, configuration, other engines and perturbations."""

import csv
import json
import math
import struct
import unittest

from support import BUILD, DATA, TestCase, rows, run

LLAMA = DATA / "dumps" / "llama_torch_tensor"
TEST_PLUGINS = BUILD / "tests" / "plugins"
DTYPES = ("float16", "bfloat16", "float32", "float64")


def npy(values, shape, dtype):
    """An .npy file of float numbers; bfloat16 is stored as float32, as dumps do."""
    code, letter = {"float16": ("<f2", "e"), "float64": ("<f8", "d")}.get(dtype, ("<f4", "f"))
    text = f"{{'descr': '{code}', 'fortran_order': False, 'shape': {tuple(shape)}, }}"
    text = text.ljust(128 - 10 - 1) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + struct.pack(f"<{len(values)}{letter}", *values)


class PerturbCase(TestCase):
    def dump_of(self, calls, **header):
        """A dump of forward calls from (api, [tensors], {kwargs}); a tensor is (values, dtype) or (values, dtype, shape), anything
        else is passed as it is."""
        data = {}
        files = {}
        for i, (api, arguments, kwargs) in enumerate(calls):
            name = f"{api}.{i}.forward"
            elements = []
            for k, argument in enumerate(arguments):
                if not isinstance(argument, tuple):
                    kind = {bool: "bool", int: "int", float: "float", str: "str"}[type(argument)]
                    elements.append({"type": kind, "value": argument})
                    continue
                values, dtype = argument[:2]
                shape = argument[2] if len(argument) > 2 else (len(values),)
                files[f"{name}.input.{k}.npy"] = npy(values, shape, dtype)
                elements.append({"type": "torch.Tensor", "dtype": f"torch.{dtype}", "shape": list(shape), "Max": max(values),
                                 "Min": min(values), "Mean": 0.0, "Norm": 0.0, "requires_grad": False,
                                 "data_name": f"{name}.input.{k}.npy"})
            data[name] = {"input_args": elements, "input_kwargs": kwargs, "output": []}
        folder = self.write_dump(data, **header)
        for name, content in files.items():
            (folder / "dump_tensor_data" / name).write_bytes(content)
        return folder

    def perturb(self, dump, *arguments, expect=None):
        out = self.scratch / f"out{len(list(self.scratch.iterdir()))}"
        process = run("perturb", dump, "--out", out, *arguments)
        if expect is not None:
            self.assertEqual(process.returncode, expect, process.stdout + process.stderr)
        return process, out

    def table(self, dump, *arguments, expect=None):
        process, out = self.perturb(dump, *arguments, expect=expect)
        self.assertTrue((out / "perturb.csv").exists(), process.stdout + process.stderr)
        return rows(out / "perturb.csv")

    def config(self, **members):
        path = self.scratch / f"config{len(list(self.scratch.iterdir()))}.json"
        path.write_text(json.dumps(members))
        return path


class RecordedModel(PerturbCase):
    def test_every_call_has_a_row_of_every_perturbation_both_ways(self):
        process, out = self.perturb(LLAMA, expect=0)
        recorded = json.loads((LLAMA / "dump.json").read_text())["data"]
        found = {}
        for row in rows(out / "perturb.csv"):
            found.setdefault(row["api_name"], set()).add(row["perturbation"])
        self.assertEqual(set(found), set(recorded))
        six = {"no-change", "add-noise", "bit-noise", "change-value", "improve-precision", "to-cpu"}
        for name, perturbations in found.items():
            self.assertLessEqual(six, perturbations, name)
        self.assertIn("most unstable operators", process.stdout)
        self.assertIn("cost of a check", process.stdout)

    def test_the_control_changes_nothing(self):
        for row in self.table(LLAMA):
            if row["perturbation"] == "no-change":
                self.assertEqual((row["finding"], row["output_change"]), ("control", "0.0"), row)

    def test_cost_is_reported_as_runs_of_each_operator(self):
        _, out = self.perturb(LLAMA, "--perturbation", "add-noise", "--inputs", "first")
        record = json.loads((out / "run.json").read_text())
        self.assertGreater(record["cost_ratio"]["add-noise"], 1.0)
        self.assertGreater(record["plain_seconds"], 0.0)
        self.assertTrue(record["complete"])

    def test_the_same_seed_gives_the_same_table(self):
        def masked(table):
            return [{k: v for k, v in row.items() if not k.endswith("_ms")} for row in table]

        first = masked(self.table(LLAMA, "--api", "Functional.linear", "--seeds", 3))
        self.assertEqual(first, masked(self.table(LLAMA, "--api", "Functional.linear", "--seeds", 3, "--threads", 8)))
        self.assertNotEqual(first, masked(self.table(LLAMA, "--api", "Functional.linear", "--seeds", 3, "--seed", 1)))

    def test_inputs_can_be_the_first_each_or_all(self):
        for which, expected in (("first", {"0"}), ("each", {"0", "1"}), ("all", {"all"})):
            table = self.table(LLAMA, "--api", "Torch.matmul.0", "--stage", "forward", "--perturbation", "add-noise", "--inputs", which)
            self.assertEqual({row["input"] for row in table if row["perturbation"] == "add-noise"}, expected)


class Ranking(PerturbCase):
    def calls(self, dtype):
        """(stable calls, unstable calls): numbers that the dtype can hold, 64 a tensor."""
        n = 64
        # How far from the critical point numbers can be told apart in the type.
        near = {"float16": 2**-6, "bfloat16": 2**-4, "float32": 1e-4, "float64": 1e-8}[dtype]
        large = {"float16": 10.0, "bfloat16": 60.0, "float32": 80.0, "float64": 600.0}[dtype]
        mean = {"float16": 60.0, "bfloat16": 30.0, "float32": 1000.0, "float64": 1e6}[dtype]
        wave = [math.sin(1.7 * i + 0.3) for i in range(n)]
        positive = [1.0 + 0.8 * w for w in wave]
        stable = [
            ("Torch.add", [(positive, dtype), (positive[::-1], dtype)], {}),
            ("Functional.relu", [(wave, dtype)], {}),
            ("Torch.transpose", [(wave, dtype, (8, 8)), 0, 1], {}),
            ("Torch.mul", [(positive, dtype), (positive[::-1], dtype)], {}),
        ]
        cancelling = [(-1.0) ** i * (4.0 + w) for i, w in enumerate(wave)]
        shifted = [mean + w for w in wave]
        # Attention scores that differ by a little at a large size: what noise makes of them decides.
        scores = [large * 0.9 + w for w in wave]
        denominators = [1.0 + 0.1 * w for w in wave]
        denominators[5] = near
        unstable = [
            ("Torch.log", [([1.0 + near * (1.0 + abs(w)) for w in wave], dtype)], {}),
            ("Torch.sum", [(cancelling, dtype)], {}),
            ("Functional.softmax", [(scores, dtype, (1, n)), -1], {}),
            ("Functional.layer_norm", [(shifted, dtype, (1, n))], {"normalized_shape": [{"type": "int", "value": n}]}),
            ("Torch.var", [(shifted, dtype)], {}),
            ("Torch.acos", [([1.0 - near * (1.0 + abs(w)) for w in wave], dtype)], {}),
            ("Torch.div", [(positive, dtype), (denominators, dtype)], {}),
            ("Torch.exp", [([large * (0.9 + 0.05 * w) for w in wave], dtype)], {}),
            ("Torch.pow", [([1.1 + 0.1 * w for w in wave], dtype), 30.0], {}),
        ]
        return stable, unstable

    def test_unstable_operators_rank_above_stable_ones(self):
        for dtype in DTYPES:
            stable, unstable = self.calls(dtype)
            # Debian's LibTorch has no half kernels on the CPU for some of them; the adapter then computes wider and says so.
            _, out = self.perturb(self.dump_of(stable + unstable), "--seeds", 8, "--stage", "forward")
            order = [row["api"] for row in rows(out / "ranking.csv")]
            amplification = {row["api"]: float(row["amplification"]) for row in rows(out / "ranking.csv")}
            with self.subTest(dtype=dtype):
                names = {call[0] for call in stable + unstable}
                self.assertEqual(set(order), names, rows(out / "perturb.csv"))
                self.assertEqual(set(order[-len(stable):]), {call[0] for call in stable}, amplification)
                for call in stable:
                    self.assertLess(amplification[call[0]], 2.5)
                for call in unstable:
                    self.assertGreater(amplification[call[0]], 2.5)

    def test_seeds_give_mean_and_spread(self):
        stable, unstable = self.calls("float32")
        table = self.table(self.dump_of([unstable[0]]), "--seeds", 8, "--perturbation", "add-noise")
        row = next(row for row in table if row["perturbation"] == "add-noise")
        self.assertEqual(row["seeds"], "8")
        self.assertGreater(float(row["amplification_spread"]), 0.0)
        self.assertGreater(float(row["amplification_max"]), float(row["amplification"]))
        self.assertAlmostEqual(float(row["bits_lost"]), math.log2(float(row["amplification"])), places=6)

    def test_an_operator_above_its_limit_is_an_error_with_its_numbers(self):
        values = [1.0 + 1e-6 * (i + 1) for i in range(32)]
        process, out = self.perturb(self.dump_of([("Torch.log", [(values, "float32")], {})]), "--perturbation", "add-noise", expect=1)
        row = next(row for row in rows(out / "perturb.csv") if row["perturbation"] == "add-noise")
        self.assertEqual((row["finding"], row["verdict"], row["reason"]), ("unstable", "error", "ASSAY-PRT-001"))
        self.assertGreater(float(row["amplification"]), float(row["limit"]))
        self.assertIn("significant bits lost", process.stdout)
        self.assertTrue(row["worst_index"] and row["worst_original"] and row["worst_perturbed"])


class Findings(PerturbCase):
    def row_of(self, table, perturbation):
        return next(row for row in table if row["perturbation"] == perturbation)

    def test_a_value_pushed_out_of_the_domain_is_a_class_of_its_own(self):
        """W05"""
        dump = self.dump_of([("Torch.log10", [([1e-38, 1.0], "float32")], {})])
        config = self.config(perturbations=[{"component": "add-noise", "config": {"absolute": 1e-8}}])
        table = self.table(dump, "--config", config, "--seeds", 8, expect=0)
        row = self.row_of(table, "add-noise")
        self.assertEqual((row["finding"], row["verdict"], row["reason"]), ("left the domain", "warning", "ASSAY-PRT-003"))
        self.assertIn("became nan", row["message"])

    def test_a_perturbation_that_changes_nothing_is_never_a_pass(self):
        table = self.table(self.dump_of([("Torch.exp", [([0.0, 0.0], "float32")], {})]))
        for perturbation in ("add-noise", "bit-noise", "change-value"):
            row = self.row_of(table, perturbation)
            self.assertEqual((row["finding"], row["verdict"], row["reason"], row["changed"]),
                             ("unperturbed", "skip", "ASSAY-PRT-004", "0"))

    def test_a_call_without_eligible_inputs_says_so(self):
        table = self.table(self.dump_of([("Torch.arange", [5], {})]))
        self.assertEqual(self.row_of(table, "add-noise")["finding"], "not eligible")

    def test_an_in_place_call_leaves_its_input_alone(self):
        """W07"""
        dump = self.dump_of([("Functional.relu", [([-1.0, 2.0], "float32")], {"inplace": {"type": "bool", "value": True}})])
        table = self.table(dump, "--perturbation", "to-cpu", "--perturbation", "add-noise", expect=0)
        self.assertEqual(self.row_of(table, "no-change")["finding"], "control")
        to_cpu = self.row_of(table, "to-cpu")
        self.assertEqual((to_cpu["finding"], to_cpu["output_change"]), ("stable", "0.0"))
        # Had the first run written into the recorded input, later ones would see no negative number to change.
        self.assertEqual(self.row_of(table, "add-noise")["changed"], "2")

    def test_pow_is_perturbed_from_the_outside(self):
        """W11"""
        table = self.table(self.dump_of([("Torch.pow", [([0.433], "float32"), ([0.25], "float32")], {})]), expect=0)
        self.assertEqual({row["input"] for row in table if row["perturbation"] == "add-noise"}, {"0", "1"})
        self.assertEqual(self.row_of(table, "add-noise")["finding"], "stable")

    def test_time_of_a_perturbed_run_stands_beside_the_plain_time(self):
        """W13"""
        row = self.row_of(self.table(self.dump_of([("Torch.exp", [([1.0, 2.0], "float32")], {})])), "add-noise")
        self.assertGreater(float(row["plain_ms"]), 0.0)
        self.assertGreater(float(row["perturbed_ms"]), 0.0)

    def test_an_unknown_operator_is_one_row(self):
        table = self.table(self.dump_of([("Torch.no_such_operator", [([1.0], "float32")], {})]))
        self.assertEqual([(row["finding"], row["reason"]) for row in table], [("not run", "ASSAY-PRT-007")])

    def test_integer_results_are_counted(self):
        table = self.table(self.dump_of([("Torch.argmax", [([1.0, 3.0, 2.0], "float32")], {})]), expect=0)
        self.assertEqual(self.row_of(table, "add-noise")["finding"], "discrete")
        self.assertIn("of 1 integer results changed", self.row_of(table, "add-noise")["message"])


class PeerTable(PerturbCase):
    def raw_table(self, out):
        raw = (out / "free_benchmark.csv").read_bytes()
        self.assertFalse(raw.startswith(b"\xef\xbb\xbf"))
        self.assertEqual(raw.count(b"\r\n"), raw.count(b"\n"))
        return list(csv.reader(raw.decode().splitlines()))

    def test_inconsistent_outputs_are_rows_of_the_peers_table(self):
        dump = self.dump_of([("Torch.abs", [([1.0, 2.0, 3.0, 4.0], "float32")], {}),
                             ("Torch.neg", [([-1.0, 2.0, 3.0], "float32")], {}),
                             ("Torch.pow", [([1.5e-4, 2e-4], "float32"), -4.0], {}),
                             ("Torch.mul", [([1.0, 2.0], "float32"), 2.0], {})])
        _, out = self.perturb(dump, "--compat", "msprobe", "--format", "msprobe", "--perturbation", "change-value",
                              "--perturbation", "add-noise", "--perturbation", "no-change")
        table = self.raw_table(out)
        self.assertEqual(table[0], ["rank", "pert_mode", "stage", "step", "api_name", "max_rel", "dtype", "shape", "output_index"])
        by_call = {(line[1], line[4]): line for line in table[1:]}
        self.assertEqual(by_call["change_value", "Torch.abs.0.forward"],
                         ["0", "change_value", "forward", "0", "Torch.abs.0.forward", "3.0", "torch.float32", "torch.Size([4])", ""])
        self.assertEqual(by_call["change_value", "Torch.neg.1.forward"][5], "symbol_flipping")
        self.assertGreater(float(by_call["add_noise", "Torch.pow.2.forward"][5]), 2e-4)
        self.assertNotIn(("add_noise", "Torch.mul.3.forward"), by_call)
        self.assertNotIn("no_change", {key[0] for key in by_call})

    def test_mindspore_dumps_get_its_variant(self):
        dump = self.dump_of([("Mint.abs", [([1.0, 2.0], "float32")], {})], framework="mindspore")
        text = (dump / "dump.json").read_text().replace("torch.Tensor", "mindspore.Tensor").replace("torch.float32", "Float32")
        (dump / "dump.json").write_text(text)
        _, out = self.perturb(dump, "--compat", "msprobe", "--format", "msprobe", "--perturbation", "change-value")
        table = self.raw_table(out)
        self.assertEqual(table[0][1], "pert_type")
        self.assertEqual(table[1], ["", "change_value", "forward", "0", "Mint.abs.0", "1.0", "Float32", "(2,)", ""])

    def test_preheating_learns_thresholds(self):
        dump = self.dump_of([("Torch.exp", [([0.1 * i, 1.0, 2.0], "float32")], {}) for i in range(6)])
        config = self.config(handler="preheat", stage="forward", preheat={"steps": 5}, perturbations=[{"component": "add-noise"}])
        _, out = self.perturb(dump, "--config", config, expect=0)
        learned = rows(out / "preheat.csv")
        self.assertEqual([(row["api"], row["dtype"]) for row in learned], [("Torch.exp", "float32")])
        self.assertLess(float(learned[0]["threshold"]), 2.05)
        self.assertGreaterEqual(float(learned[0]["threshold"]), 1.0002)

    def test_fixing_replaces_the_outputs(self):
        dump = self.dump_of([("Torch.exp", [([1.0, 2.0], "float32")], {})])
        table = self.table(dump, "--handler", "fix", "--stage", "forward", "--perturbation", "to-cpu", expect=0)
        self.assertEqual([row["finding"] for row in table if row["perturbation"] == "to-cpu"], ["replaced"])


class Configuration(PerturbCase):
    def test_backward_of_everything_in_the_peers_mode_is_refused_by_name(self):
        """W09"""
        process = run("perturb", LLAMA, "--compat", "msprobe", "--stage", "backward")
        self.assertEqual(process.returncode, 2)
        self.assertIn("/only", process.stderr)

    def test_nothing_selected_has_its_exit_code(self):
        self.assertEqual(run("perturb", LLAMA, "--api", "Nothing").returncode, 4)

    def test_print_config_shows_what_will_run(self):
        process = run("perturb", "--print-config", "--seeds", 3)
        self.assertEqual(json.loads(process.stdout)["seeds"], 3)

    def test_an_unknown_perturbation_is_named(self):
        process = run("perturb", LLAMA, "--perturbation", "add-nose")
        self.assertEqual(process.returncode, 2)
        self.assertIn("add-noise", process.stderr)

    def test_perturbations_chain_in_order(self):
        dump = self.dump_of([("Torch.exp", [([1.0, 2.0, 3.0], "float32")], {})])
        config = self.config(perturbations=[{"chain": [{"component": "change-value"}, {"component": "improve-precision"}]}])
        row = next(row for row in self.table(dump, "--config", config) if row["perturbation"] == "change-value+improve-precision")
        self.assertEqual((row["input"], row["changed"]), ("0", "2"))
        # Measured by the swap, not by the rounding that the wider type takes away.
        self.assertGreater(float(row["input_change"]), 0.1)
        self.assertEqual(row["finding"], "stable")

    def test_a_seventh_perturbation_is_a_folder(self):
        dump = self.dump_of([("Torch.exp", [([1.0, 2.0, 3.0], "float32")], {})])
        table = self.table(dump, "--plugin-path", TEST_PLUGINS, "--perturbation", "example.gaussian-noise", "--seeds", 4, expect=0)
        row = next(row for row in table if row["perturbation"] == "example.gaussian-noise")
        self.assertEqual((row["finding"], row["changed"], row["seeds"]), ("stable", "3", "4"))


class Workers(PerturbCase):
    def test_any_number_of_workers_gives_the_same_rows(self):
        def files(jobs, *arguments):
            _, out = self.perturb(LLAMA, "-j", jobs, *arguments)
            measured = [{k: v for k, v in row.items() if not k.endswith("_ms")} for row in rows(out / "perturb.csv")]
            others = ("ranking.csv", "free_benchmark.csv", "preheat.csv")
            return measured, [(out / name).read_bytes() for name in others if (out / name).exists()]

        preheat = ("--handler", "preheat", "--stage", "forward", "--perturbation", "add-noise", "--format", "msprobe")
        for arguments in ((), preheat):
            alone = files(0, *arguments)
            self.assertEqual(len(alone[1]), 3 if arguments else 1)
            for jobs in (1, 2, 3):
                with self.subTest(jobs=jobs, arguments=arguments):
                    self.assertEqual(files(jobs, *arguments), alone)

    def test_a_crash_and_a_hang_cost_a_row_each(self):
        dump = self.dump_of([(f"Torch.{name}", [([1.0, 2.0], "float32")], {}) for name in ("double", "crash", "double", "hang", "double")])
        for jobs in (1, 2):
            process, out = self.perturb(dump, "--plugin-path", TEST_PLUGINS, "--engine", "example.drifting", "--perturbation",
                                        "add-noise", "-j", jobs, "--timeout", 2, expect=3)
            by_call = {}
            for row in rows(out / "perturb.csv"):
                by_call.setdefault(row["api_name"], []).append(row)
            self.assertEqual(list(by_call), [f"Torch.{name}.{i}.forward" for i, name in
                                             enumerate(("double", "crash", "double", "hang", "double"))])
            for i in (0, 2, 4):
                self.assertEqual([row["finding"] for row in by_call[f"Torch.double.{i}.forward"]], ["control", "stable"])
            crash, = by_call["Torch.crash.1.forward"]
            self.assertEqual((crash["finding"], crash["reason"]), ("not run", "ASSAY-RUN-012"))
            self.assertIn("signal 11", crash["message"])
            self.assertIn("reproduce: assay perturb", crash["message"])
            self.assertIn("--api 'Torch.crash.1'", crash["message"])
            hang, = by_call["Torch.hang.3.forward"]
            self.assertEqual((hang["finding"], hang["reason"]), ("not run", "ASSAY-RUN-013"))
            self.assertIn("not finished after 2.0 s", hang["message"])
            self.assertIn("5 calls", process.stdout)


    def test_a_crash_while_preheating_costs_its_row(self):
        dump = self.dump_of([(f"Torch.{name}", [([1.0, 2.0], "float32")], {}) for name in ("double", "crash", "double", "double")])
        config = self.config(handler="preheat", stage="forward", preheat={"steps": 3}, perturbations=[{"component": "add-noise"}])
        _, out = self.perturb(dump, "--plugin-path", TEST_PLUGINS, "--engine", "example.drifting", "--config", config, "-j", 2, expect=3)
        self.assertEqual([row["finding"] for row in rows(out / "perturb.csv")],
                         ["control", "stable", "not run", "control", "stable", "control", "stable"])
        learned = {row["api"]: float(row["threshold"]) for row in rows(out / "preheat.csv")}
        self.assertLess(learned["Torch.double"], 2.05)


class OtherEngines(PerturbCase):
    def test_an_operator_that_is_not_deterministic_is_reported_as_that(self):
        dump = self.dump_of([("Torch.drift", [([1.0, 2.0], "float32")], {}), ("Torch.double", [([1.0, 2.0], "float32")], {}),
                             ("Torch.grow", [([1.0], "float32")], {})])
        table = self.table(dump, "--plugin-path", TEST_PLUGINS, "--engine", "example.drifting", "--perturbation", "add-noise", expect=0)
        by_call = {}
        for row in table:
            by_call.setdefault(row["api_name"].split(".")[1], []).append(row)
        self.assertEqual([row["finding"] for row in by_call["drift"]], ["non-deterministic"])
        self.assertEqual([row["finding"] for row in by_call["grow"]], ["non-deterministic"])
        self.assertEqual(by_call["drift"][0]["reason"], "ASSAY-PRT-002")
        self.assertEqual([row["finding"] for row in by_call["double"]], ["control", "stable"])


if __name__ == "__main__":
    unittest.main()
