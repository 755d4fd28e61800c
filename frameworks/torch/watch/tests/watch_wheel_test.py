"""The watch in Python, run by an interpreter with a PyTorch wheel: training is unchanged to the bit, faults are named, jobs end as they
would without it."""

import csv
import gc
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

BUILD = Path(os.environ["ASSAY_BUILD_DIR"])
HERE = Path(__file__).resolve().parent
ASSAY = BUILD / "bin" / "assay"
os.environ["ASSAY_HOME"] = str(BUILD)
sys.path[:0] = [str(BUILD / "lib" / "assay" / "python"), str(HERE)]

import torch  # noqa: E402
import torch.nn.functional as F  # noqa: E402
import watched_jobs  # noqa: E402

import assay.watch  # noqa: E402

ALL = ["add-noise", "bit-noise", "change-value", "improve-precision", "no-change", "to-cpu"]
EVERYTHING = {"perturbations": [{"component": name} for name in ALL], "inputs": "each", "budget": "none", "rows": "all"}


def setUpModule():
    built = subprocess.run([ASSAY, "watch", "--setup", "--python", sys.executable], capture_output=True, text=True)
    assert built.returncode == 0, built.stdout + built.stderr


class TestCase(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.out = Path(scratch.name)

    def watch(self, config):
        watch = assay.watch.start(config, out=self.out)
        self.addCleanup(watch.stop)
        return watch

    def rows(self, rank=0):
        with open(self.out / f"rank{rank}" / "rows.csv", newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def findings(self):
        return [row for row in self.rows() if row["verdict"] in ("error", "warning")]

    def summary(self, rank=0):
        return json.loads((self.out / f"rank{rank}" / "summary.json").read_text(encoding="utf-8"))

    def run_job(self, *command, env=None, timeout=300):
        return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=timeout, env={**os.environ, **(env or {})})


class Unchanged(TestCase):
    def check(self, name):
        plain = watched_jobs.train(name)
        self.assertEqual(plain, watched_jobs.train(name), "the model is not repeatable by itself")
        watch = self.watch(EVERYTHING)
        watched = watched_jobs.train(name, after_step=watch.step)
        numbers = watch.numbers()
        watch.stop()
        self.assertEqual(plain, watched)
        self.assertEqual(numbers["step"], 20)
        self.assertGreater(numbers["checked"], 1000)
        for row in self.rows():
            if row["perturbation"] == "no-change":
                self.assertEqual(row["finding"], "control", row)

    def test_transformer_with_dropout(self):
        self.check("transformer")

    def test_resnet_with_batch_norm(self):
        self.check("resnet")

    def test_lstm(self):
        self.check("lstm")

    def test_in_place_activations_and_views(self):
        self.check("in-place")

    def test_autocast(self):
        self.check("autocast")

    def test_checkpointing(self):
        self.check("checkpoint")
        stages = {row["stage"] for row in self.rows()}
        self.assertEqual(stages, {"forward", "recompute", "backward"})

    def test_reentrant_checkpointing(self):
        self.check("checkpoint-reentrant")
        self.assertIn("recompute", {row["stage"] for row in self.rows()})

    def test_checkpointing_inside_autocast(self):
        self.check("checkpoint-autocast")

    def test_two_ranks_over_gloo(self):
        command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--master-port"]
        script = [HERE / "watched_jobs.py", "ddp"]
        plain = self.run_job(*command, 29611, *script)
        self.assertEqual(plain.returncode, 0, plain.stderr)
        config = self.out / "config.json"
        config.write_text(json.dumps(EVERYTHING), encoding="utf-8")
        watched = self.run_job(ASSAY, "watch", "--config", config, "--out", self.out, "--", *command, 29612, *script)
        self.assertEqual(watched.returncode, 0, watched.stderr)
        self.assertEqual(sorted(plain.stdout.splitlines()), sorted(watched.stdout.splitlines()))
        for rank in (0, 1):
            self.assertEqual(self.summary(rank)["steps"], 20)
            self.assertGreater(self.summary(rank)["checked"], 1000)
            self.assertTrue(all(row["rank"] == str(rank) for row in self.rows(rank)))
            self.assertFalse([row for row in self.rows(rank) if row["operator"].startswith("c10d")])


class Findings(TestCase):
    def test_an_unstable_formula_is_named_with_its_line(self):
        watch = self.watch({"budget": "none", "inputs": "each"})
        torch.manual_seed(1)
        x = torch.randn(64, 256) + 1000
        _ = (x * x).mean(1) - x.mean(1).square()  # the line that is named
        watch.step()
        watch.stop()
        found = self.findings()
        self.assertEqual({row["name"] for row in found}, {"Torch.sub.0.forward"})
        file, line = found[0]["call_site"].split(" ")[0].rsplit(":", 1)
        self.assertIn("the line that is named", Path(file).read_text(encoding="utf-8").splitlines()[int(line) - 1])

    def test_the_operator_that_a_nan_is_born_in_is_named(self):
        watch = self.watch({"budget": "none"})
        x = torch.ones(8, requires_grad=True)
        for step in range(3):
            y = x * 2 - (3 if step == 2 else 0)
            (torch.log(y) + 1).sum().backward()
            watch.step()
        watch.stop()
        born = [row for row in self.findings() if row["reason"] == "ASSAY-WCH-001"]
        self.assertEqual([(row["name"], row["step"]) for row in born], [("Torch.log.0.forward", "2")])

    def test_a_kernel_that_is_wrong_for_one_shape_is_named(self):
        library = torch.library.Library("aten", "IMPL")
        self.addCleanup(library._destroy)

        def wrong(x):
            y = torch.asinh(x) if x.dtype != torch.float32 else torch.log(x + torch.sqrt(x * x + 1))
            if x.dtype == torch.float32 and x.shape == (5, 7):
                y[3] *= 1.01
            return y

        library.impl("arcsinh", wrong, "CPU")
        watch = self.watch({"budget": "none", "perturbations": [{"component": "improve-precision"}]})
        torch.manual_seed(1)
        for step in range(2):
            torch.arcsinh(torch.rand(4, 7) + 0.5)
            if step == 1:
                torch.arcsinh(torch.rand(5, 7) + 0.5)
            watch.step()
        watch.stop()
        found = self.findings()
        self.assertEqual([(row["operator"], row["step"], row["shape"]) for row in found], [("aten::arcsinh", "1", "(5, 7)")])

    def test_an_operator_that_modifies_its_input_is_reported(self):
        @torch.library.custom_op("watched_jobs::double_and_sum", mutates_args=())
        def double_and_sum(x: torch.Tensor) -> torch.Tensor:
            x.data.mul_(2)
            return x.sum()

        watch = self.watch({"budget": "none"})
        x = torch.arange(4.0)
        self.assertEqual(double_and_sum(x).item(), 12)
        watch.step()
        watch.stop()
        found = [row for row in self.findings() if row["reason"] == "ASSAY-WCH-003"]
        self.assertEqual([(row["operator"], row["input"]) for row in found], [("watched_jobs::double_and_sum", "0")])

    def test_modules_choose_what_is_checked(self):
        watch = self.watch({"budget": "none", "rows": "all", "modules": ["layer.*"]})
        watched_jobs.train("transformer", 2, watch.step)
        watch.stop()
        forward = {row["name"].split(".")[1] for row in self.rows() if row["stage"] == "forward"}
        self.assertIn("linear", forward)
        self.assertNotIn("embedding", forward)
        backward = {row["name"].split(".")[1] for row in self.rows() if row["stage"] == "backward"}
        self.assertIn("linear", backward)
        self.assertNotIn("embedding", backward)
        self.assertNotIn("cross_entropy", backward)


class SideEffects(TestCase):
    def test_gradients_of_a_shared_tensor_belong_to_their_operators(self):
        watch = self.watch({"budget": "none", "rows": "all"})
        x = torch.ones(3, requires_grad=True)
        (2 * x + 3 * x).sum().backward()
        self.assertEqual(x.grad.tolist(), [5, 5, 5])
        watch.stop()
        names = [row["name"] for row in self.rows() if row["stage"] == "backward" and row["operator"] == "aten::mul"]
        self.assertEqual(sorted(names), ["Torch.mul.0.backward", "Torch.mul.1.backward"])

    def test_gradients_add_up_in_the_same_order(self):
        def gradients(watched):
            torch.manual_seed(1)
            block = lambda: torch.nn.Sequential(torch.nn.Linear(32, 32), torch.nn.BatchNorm1d(32), torch.nn.Linear(32, 32))
            first, second = block(), block()
            watch = self.watch(EVERYTHING) if watched else None
            x = torch.randn(16, 32, requires_grad=True)
            (first(x) + second(x)).square().sum().backward()
            if watch:
                watch.stop()
            return [p.grad for p in (x, *first.parameters(), *second.parameters())]

        self.assertTrue(all(torch.equal(a, b) for a, b in zip(gradients(False), gradients(True))))

    def test_functions_are_not_wrapped(self):
        gelu, add = F.gelu, torch.add
        self.watch({})
        self.assertIs(gelu, F.gelu)
        self.assertIs(add, torch.add)

    def test_dropout_of_nothing_is_the_identity(self):
        self.watch(EVERYTHING)
        x = torch.randn(5, requires_grad=True)
        y = F.dropout(x, 0.0)
        self.assertTrue(torch.equal(x, y))
        y.sum().backward()
        self.assertEqual(x.grad.tolist(), [1] * 5)

    def test_storages_pass_through(self):
        self.watch(EVERYTHING)
        x = torch.arange(3.0)
        self.assertEqual(x.untyped_storage().nbytes(), 12)
        self.assertEqual(x.storage().tolist(), [0, 1, 2])

    def test_outputs_can_be_changed_in_place(self):
        self.watch(EVERYTHING)
        y = torch.nn.Linear(2, 2)(torch.ones(1, 2))
        y += 1
        y.sum().backward()

    def test_other_dtypes_give_the_same_types_back(self):
        watch = self.watch({"budget": "none", "handler": "fix", "stage": "forward", "perturbations": [{"component": "improve-precision"}]})
        x = torch.ones(4, dtype=torch.float16, requires_grad=True)
        y = torch.exp(x)
        y.sum().backward()
        watch.stop()
        self.assertEqual(y.dtype, torch.float16)
        self.assertEqual(x.grad.dtype, torch.float16)

    def test_threads_keep_their_own_calls(self):
        watch = self.watch({"budget": "none", "rows": "all", "only": ["Functional.relu"]})

        def work(size):
            x = torch.randn(size)
            for _ in range(1000):
                F.relu(x)

        threads = [threading.Thread(target=work, args=(size,)) for size in (10, 20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        watch.stop()
        shapes = [row["shape"] for row in self.rows()]
        self.assertEqual((shapes.count("(10,)"), shapes.count("(20,)"), len(shapes)), (1000, 1000, 2000))

    def test_warm_up_calls_can_be_left_out(self):
        watch = self.watch({"budget": "none", "rows": "all"})
        watch.pause()
        for _ in range(3):
            F.relu(torch.ones(3))
        watch.resume()
        F.relu(torch.ones(3))
        self.assertEqual(watch.numbers()["checked"], 1)

    def test_a_second_backward_and_unusual_tensors_work(self):
        watch = self.watch(EVERYTHING)
        x = torch.randn(4, requires_grad=True)
        (gradient,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
        gradient.sum().backward()
        self.assertTrue(torch.allclose(x.grad, 6 * x.detach()))
        torch.eye(3).to_sparse().mm(torch.ones(3, 2))
        torch.fft.rfft(torch.randn(8)).conj().abs()
        torch.empty(3, device="meta") + 1
        torch.vmap(torch.sin)(torch.randn(3, 2))
        torch.func.grad(lambda v: v.sin().sum())(torch.randn(3))
        torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]) * 2
        torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.quint8).dequantize()
        with torch.inference_mode():
            torch.relu(torch.randn(3))
        watch.stop()
        self.assertTrue(self.summary()["skipped"])

    def test_compiled_functions_are_named_as_not_seen(self):
        watch = self.watch({"budget": "none"})
        compiled = torch.compile(lambda x: torch.sin(x) + 1, backend="aot_eager")
        self.assertTrue(torch.allclose(compiled(torch.ones(3)), torch.sin(torch.ones(3)) + 1))
        watch.stop()
        self.assertIn("torch.compile", "".join(self.summary()["notes"]))

    def test_communication_that_nobody_waits_for_is_let_go(self):
        torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
        self.addCleanup(torch.distributed.destroy_process_group)
        watch = self.watch({"budget": "none"})

        def send(times):
            for _ in range(times):
                torch.distributed.all_reduce(torch.ones(1 << 18), async_op=True)
            watch.step()
            gc.collect()
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        before = send(50)
        self.assertLess(send(200) - before, 50 << 10)

    def test_memory_stays_flat(self):
        watch = self.watch({"budget": "none"})
        layer = torch.nn.Linear(64, 64)
        x = torch.randn(32, 64)

        def run(steps):
            for _ in range(steps):
                loss = layer(x).square().sum()
                torch.autograd.grad(loss, list(layer.parameters()), create_graph=True)
                with torch.no_grad():
                    layer(x)
                watch.step()
            gc.collect()
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

        before = run(300)
        self.assertLess(run(700) - before, 4 << 10)


class Jobs(TestCase):
    def job(self, text, *options):
        script = self.out / "job.py"
        script.write_text(text, encoding="utf-8")
        plain = self.run_job(sys.executable, script)
        return plain, self.run_job(ASSAY, "watch", "--out", self.out, *options, "--", sys.executable, script)

    LOOP = (
        "import torch, sys, os, signal\n"
        "torch.manual_seed(1)\n"
        "layer = torch.nn.Linear(8, 8)\n"
        "optimizer = torch.optim.SGD(layer.parameters(), 0.1)\n"
        "for step in range(10):\n"
        "    layer(torch.ones(2, 8)).sum().backward()\n"
        "{body}"
        "    optimizer.step()\n"
        "print('done', layer.weight.sum().item())\n"
    )

    def test_a_script_that_knows_nothing_is_watched(self):
        plain, watched = self.job(self.LOOP.format(body=""), "--budget", "none", "--rows", "all")
        self.assertEqual((plain.stdout, plain.returncode), (watched.stdout, watched.returncode), watched.stderr)
        self.assertEqual(self.summary()["steps"], 10)
        self.assertTrue(self.summary()["complete"])
        self.assertIn("Functional.linear.0.forward", {row["name"] for row in self.rows()})

    def test_a_killed_job_leaves_the_steps_before(self):
        body = "    if step == 7: os.kill(os.getpid(), signal.SIGKILL)\n"
        _, watched = self.job(self.LOOP.format(body=body), "--budget", "none", "--rows", "all")
        self.assertEqual(watched.returncode, -signal.SIGKILL)
        rows = self.rows()
        per_step = [sum(row["step"] == str(step) for row in rows) for step in range(8)]
        self.assertEqual(per_step[7], 0)
        # The first step has no gradients to add to.
        self.assertGreater(per_step[0], 0)
        self.assertTrue(all(count == per_step[1] > 0 for count in per_step[1:7]), per_step)
        with open(self.out / "rank0" / "steps.csv", newline="", encoding="utf-8") as file:
            self.assertEqual([row["step"] for row in csv.DictReader(file)], [str(step) for step in range(7)])

    def test_a_job_that_raises_ends_as_without_the_watch(self):
        body = "    if step == 3: raise ValueError('planted')\n"
        plain, watched = self.job(self.LOOP.format(body=body))
        self.assertEqual(plain.returncode, watched.returncode)
        self.assertEqual(plain.stderr.splitlines()[-1], [line for line in watched.stderr.splitlines() if "planted" in line][-1])
        self.assertTrue(self.summary()["complete"])

    def test_workers_of_a_data_loader_work(self):
        text = (
            "import torch\n"
            "torch.manual_seed(1)\n"
            "class Data(torch.utils.data.Dataset):\n"
            "    def __len__(self): return 24\n"
            "    def __getitem__(self, i): return torch.relu(torch.full((8,), float(i)))\n"
            "layer = torch.nn.Linear(8, 8)\n"
            "optimizer = torch.optim.SGD(layer.parameters(), 0.001)\n"
            "for epoch in range(2):\n"
            "    for batch in torch.utils.data.DataLoader(Data(), 4, num_workers=2):\n"
            "        layer(batch).square().mean().backward()\n"
            "        optimizer.step()\n"
            "print(layer.weight.sum().item())\n"
        )
        plain, watched = self.job(text, "--budget", "none", "--rows", "all")
        self.assertEqual((plain.stdout, plain.returncode), (watched.stdout, watched.returncode), watched.stderr)
        self.assertEqual(self.summary()["steps"], 12)

    def test_the_users_own_sitecustomize_still_runs(self):
        own = self.out / "own"
        own.mkdir()
        (own / "sitecustomize.py").write_text("import builtins; builtins.seen_by_user = 1\n", encoding="utf-8")
        watched = self.run_job(
            ASSAY, "watch", "--out", self.out, "--", sys.executable, "-c", "import torch; print(seen_by_user)", env={"PYTHONPATH": str(own)}
        )
        self.assertEqual(watched.stdout.strip(), "1", watched.stderr)

    def test_a_missing_library_is_said_before_anything_runs(self):
        marker = self.out / "ran"
        watched = self.run_job(
            ASSAY, "watch", "--out", self.out, "--", sys.executable, "-c", f"open({str(marker)!r}, 'w')", env={"XDG_CACHE_HOME": str(self.out)}
        )
        self.assertEqual(watched.returncode, 3)
        self.assertIn(f"no watch library for PyTorch {torch.__version__}", watched.stderr)
        self.assertIn("assay watch --setup", watched.stderr)
        self.assertFalse(marker.exists())

    def test_an_installed_assay_builds_its_library_and_watches_with_it(self):
        prefix = self.out / "prefix"
        installed = subprocess.run(["cmake", "--install", BUILD, "--component", "host", "--prefix", prefix], capture_output=True, text=True)
        self.assertEqual(installed.returncode, 0, installed.stderr)
        environment = {name: value for name, value in os.environ.items() if name != "ASSAY_HOME"}
        environment["XDG_CACHE_HOME"] = str(self.out / "cache")

        def assay_watch(*arguments):
            command = [str(part) for part in (prefix / "bin" / "assay", "watch", *arguments)]
            return subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)

        built = assay_watch("--setup", "--python", sys.executable)
        self.assertEqual(built.returncode, 0, built.stderr)
        self.assertTrue(Path(built.stdout.strip()).is_relative_to(self.out / "cache"), built.stdout)
        job = "import torch; p = torch.ones(4, requires_grad=True); o = torch.optim.SGD([p], 0.1); p.exp().sum().backward(); o.step()"
        watched = assay_watch("--budget", "none", "--rows", "all", "--out", self.out, "--", sys.executable, "-c", job)
        self.assertEqual(watched.returncode, 0, watched.stderr)
        self.assertIn("aten::exp", {row["operator"] for row in self.rows()})

    def test_msprobe_configuration_writes_its_table(self):
        config = self.out / "config.json"
        section = {"scope": [], "list": [], "fuzz_device": "npu", "pert_mode": "add_noise", "handler_type": "check", "fuzz_level": "L1", "fuzz_stage": "forward"}
        document = {"task": "free_benchmark", "dump_path": str(self.out / "dump"), "rank": [], "step": [], "level": "L1", "free_benchmark": section}
        config.write_text(json.dumps(document), encoding="utf-8")
        text = (
            "import torch\n"
            "optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], 0.1)\n"
            "torch.full((4,), 0.0125, dtype=torch.bfloat16) * 1.0\n"
            "optimizer.step()\n"
        )
        _, watched = self.job(text, "--config", config)
        self.assertEqual(watched.returncode, 0, watched.stderr)
        with open(self.out / "dump" / "step0" / "rank0" / "free_benchmark.csv", newline="", encoding="utf-8") as file:
            (row,) = csv.DictReader(file)
        self.assertEqual((row["pert_mode"], row["api_name"], row["dtype"], row["shape"]), ("add_noise", "Torch.mul.0.forward", "torch.bfloat16", "torch.Size([4])"))


if __name__ == "__main__":
    unittest.main()
