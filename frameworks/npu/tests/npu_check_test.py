#!/usr/bin/env python3
"""assay check with the NPU as the target: the emulator's libraries, real recordings, LibTorch as the reference."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

BUILD = Path(os.environ.get("ASSAY_BUILD_DIR", "build/release"))
SOURCE = Path(os.environ.get("ASSAY_SOURCE_DIR", Path(__file__).parents[3]))
DATA = BUILD / "test-data"
ASSAY = BUILD / "bin/assay"
HOME = BUILD / "lib/emulators/npu"
SPLIT_HOME = BUILD / "lib/emulators/npu-9"
LLAMA = DATA / "dumps/llama_torch_tensor"
TABLE = SOURCE / "configs/apis/aclnn.json"
LACKS_API = "ASSAY-RUN-007"


class Run:
    """One assay check on the emulator: exit code, what was printed, rows by call and direction, what the emulator reports."""

    def __init__(self, dump, *arguments, faults=(), emulator=None, config=None, home=HOME, pipeline=None):
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.jsonl"
            out = Path(folder) / "out"
            settings = Path(folder) / "pipeline.json"
            settings.write_text(json.dumps(pipeline or {"target": {"adapter": "npu", "config": config or {}}}))
            described = {**(emulator or {}), "faults": list(faults)}
            variables = {**os.environ, "ASCEND_HOME_PATH": str(home), "ASSAY_NPU_EMULATOR": json.dumps(described),
                         "ASSAY_NPU_EMULATOR_REPORT": str(report)}
            command = [ASSAY, "check", dump, "--config", settings, "--out", out, *arguments]
            run = subprocess.run(command, capture_output=True, text=True, env=variables, timeout=300, check=False)
            self.code = run.returncode
            self.text = run.stdout + run.stderr
            self.rows = {}
            results = out / "results.jsonl"
            for line in results.read_text().splitlines() if results.exists() else []:
                api = json.loads(line)
                for direction in ("forward", "backward"):
                    if direction in api:
                        self.rows[f"{api['stem']}.{direction}"] = api[direction]
            events = [json.loads(line) for line in report.read_text().splitlines()] if report.exists() else []
            self.misuses = [event for event in events if event.get("event") != "finalised"]
            self.finalised = [event for event in events if event.get("event") == "finalised"]

    def with_verdict(self, *verdicts):
        return {name: row for name, row in self.rows.items() if row["verdict"] in verdicts}


class NpuTest(unittest.TestCase):
    def assert_clean(self, run):
        self.assertEqual(run.misuses, [])
        self.assertTrue(run.finalised, run.text)
        self.assertEqual([event["misuses"] for event in run.finalised], [0] * len(run.finalised))

    def assert_passes(self, run):
        self.assertEqual(run.code, 0, run.text)
        self.assertEqual(run.with_verdict("error", "warning"), {}, run.text)
        self.assert_clean(run)


class Recordings(NpuTest):
    def test_a_llama_step_of_torch_passes_on_either_layout_of_the_libraries(self):
        for home in (HOME, SPLIT_HOME):
            with self.subTest(home=home.name):
                run = Run(LLAMA, home=home)
                self.assert_passes(run)
                self.assertEqual(run.with_verdict("skip"), {})

    def test_a_llama_step_of_mint_passes(self):
        run = Run(SOURCE / "examples/llama_mint_tensor")
        self.assert_passes(run)
        self.assertEqual(run.with_verdict("skip"), {})

    def test_recorded_calls_that_the_table_covers_pass_in_every_dtype(self):
        passed = set()
        for folder in ("opinfo/float32", "opinfo/variants", "opinfo/float16", "opinfo/bfloat16", "opinfo/int64", "opinfo/bool",
                       "mint_ops/float32", "mint_ops/float16", "mint_ops/bfloat16", "mint_ops/int64", "mint_ops/int32"):
            with self.subTest(folder=folder):
                run = Run(DATA / folder)
                self.assertEqual(run.with_verdict("error"), {}, run.text)
                self.assert_clean(run)
                good = run.with_verdict("pass", "warning")
                self.assertGreater(len(good), 5)
                passed |= {name.rsplit(".", 2)[0] for name in good}
        self.assertGreaterEqual(len(passed), 150, sorted(passed))

    def test_hf32_is_seen_in_products_and_passes_with_its_own_tolerance(self):
        config = {"cube_math_type": 3}
        seen = Run(LLAMA, "--api", "Functional.linear", config=config)
        self.assertEqual(seen.code, 1, seen.text)
        self.assertIn("Functional.linear.0.forward", seen.with_verdict("error"))
        shipped = json.loads((SOURCE / "configs/pipelines/npu-hf32.json").read_text())
        self.assertEqual(shipped["target"]["config"]["cube_math_type"], 3)
        run = Run(LLAMA, pipeline=shipped)
        self.assert_passes(run)


class Faults(NpuTest):
    def test_a_wrong_kernel_is_the_one_named(self):
        run = Run(LLAMA, faults=[{"at": "kernel", "operator": "aclnnSilu", "do": "wrong"}])
        self.assertEqual(run.code, 1, run.text)
        self.assertEqual(list(run.with_verdict("error")), ["Functional.silu.0.forward"])
        self.assertIn("Functional.silu.0", run.text)

    def assert_one_row(self, fault, *words, verdict="error", config=None):
        """The fault costs the forward row of one call, and nothing else."""
        run = Run(LLAMA, faults=[{"operator": "aclnnSilu", **fault}], config=config)
        bad = run.with_verdict("error", "skip", "warning")
        self.assertEqual(list(bad), ["Functional.silu.0.forward"], run.text)
        forward = bad["Functional.silu.0.forward"]
        self.assertEqual(forward["verdict"], verdict, bad)
        for word in words:
            self.assertIn(word, forward["message"])
        self.assertEqual(len(run.rows), 110)

    def test_an_error_of_either_phase_is_one_row(self):
        self.assert_one_row({"at": "phase1", "error": 561103}, "aclnnSilu", "561103", "ACLNN_ERR_INNER_NULLPTR")
        self.assert_one_row({"at": "phase2", "error": 361001}, "aclnnSilu", "361001", "ACLNN_ERR_RUNTIME_ERROR")

    def test_a_missing_kernel_is_unsupported(self):
        self.assert_one_row({"at": "phase1", "error": 561003}, "561003", "ACLNN_ERR_INNER_FIND_KERNEL_ERROR", verdict="skip")

    def test_a_kernel_that_fails_on_the_device_is_one_row(self):
        self.assert_one_row({"at": "kernel", "error": 507015}, "507015", "ACL_ERROR_RT_AICORE_EXCEPTION")

    def test_a_lost_device_is_one_row_that_says_so(self):
        self.assert_one_row({"at": "kernel", "do": "device_lost"}, "507010", "can't be used any more")

    def test_a_hang_ends_at_its_limit_and_is_one_row(self):
        self.assert_one_row({"at": "kernel", "do": "hang"}, "within 1 s", config={"timeout_s": 1})

    def test_memory_that_runs_out_once_is_tried_again_and_twice_is_one_row(self):
        run = Run(LLAMA, "--api", "Functional.silu.0", faults=[{"at": "malloc", "error": 207001, "nth": 2, "times": 1}])
        self.assert_passes(run)
        run = Run(LLAMA, "--api", "Functional.silu.0", faults=[{"at": "malloc", "error": 207001, "times": 1000}])
        rows = run.with_verdict("skip")
        self.assertEqual(len(rows), len(run.rows))
        for row in rows.values():
            self.assertIn("207001", row["message"])

    def test_a_copy_that_fails_once_is_tried_again_and_said_and_always_is_an_error(self):
        once = Run(LLAMA, faults=[{"at": "memcpy", "error": 107000, "nth": 40, "times": 1}])
        self.assertEqual(once.with_verdict("error", "skip"), {}, once.text)
        said = [note for row in once.rows.values() for note in row.get("notes", []) if note.startswith("not stable: ")]
        # Once in each process.
        self.assertGreater(len(said), 0, once.text)
        for note in said:
            self.assertIn("107000 ACL_ERROR_RT_PARAM_INVALID", note)
        always = Run(LLAMA, "--api", "Functional.silu.0", faults=[{"at": "memcpy", "error": 107000, "times": 1000}])
        self.assertEqual(len(always.with_verdict("error")), 2, always.text)
        for row in always.rows.values():
            self.assertIn("107000 ACL_ERROR_RT_PARAM_INVALID", row["message"])

    def test_an_operator_missing_in_the_libraries_is_unsupported_and_named(self):
        run = Run(LLAMA, emulator={"missing": ["aclnnSilu"]})
        rows = run.with_verdict("skip")
        # The backward kernel is there, and needs nothing of the forward's.
        self.assertEqual(list(rows), ["Functional.silu.0.forward"], run.text)
        self.assertEqual(rows["Functional.silu.0.forward"]["reason"], LACKS_API)
        self.assertIn("aclnnSilu", rows["Functional.silu.0.forward"]["message"])

    def test_an_older_runtime_without_the_new_functions_works(self):
        self.assert_passes(Run(LLAMA, emulator={"version": "8.1"}))


class Installation(NpuTest):
    def test_without_libraries_one_message_lists_what_was_tried(self):
        run = Run(LLAMA, home="/nowhere")
        self.assertEqual(run.code, 3, run.text)
        self.assertIn("/nowhere/lib64/libascendcl.so", run.text)
        self.assertIn("ASCEND_TOOLKIT_HOME is not set", run.text)
        self.assertEqual(run.text.count("\n"), 1, run.text)

    def test_stubs_to_link_against_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            devlib = Path(folder) / "devlib"
            devlib.mkdir()
            for library in (HOME / "lib64").glob("*.so"):
                (devlib / library.name).write_bytes(library.read_bytes())
            (Path(folder) / "lib64").symlink_to(devlib)
            run = Run(LLAMA, home=folder)
        self.assertEqual(run.code, 3, run.text)
        self.assertIn("is a stub to link against", run.text)

    def test_a_device_that_is_not_there_is_one_message(self):
        run = Run(LLAMA, config={"device": 900})
        self.assertEqual(run.code, 3, run.text)
        self.assertIn("use device 900", run.text)

    def test_show_prints_what_is_found_and_what_is_missing(self):
        environment = {**os.environ, "ASCEND_HOME_PATH": str(HOME), "ASSAY_NPU_EMULATOR": json.dumps({"missing": ["aclnnErf"]})}
        shown = subprocess.run([ASSAY, "plugins", "show", "npu"], capture_output=True, text=True, env=environment, check=True).stdout
        self.assertIn("found here: AscendCL", shown)
        self.assertIn("libnnopbase.so", shown)
        self.assertRegex(shown, r"missing: .*aclnnErf\b")
        environment["ASCEND_HOME_PATH"] = "/nowhere"
        shown = subprocess.run([ASSAY, "plugins", "show", "npu"], capture_output=True, text=True, env=environment, check=True).stdout
        self.assertIn("not usable here", shown)


    def test_the_plugin_keeps_the_rules_of_plugins(self):
        environment = {**os.environ, "ASCEND_HOME_PATH": str(HOME)}
        command = [ASSAY, "plugins", "validate", BUILD / "lib/assay/plugins/npu"]
        run = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300, check=False)
        self.assertEqual(run.returncode, 0, run.stdout)
        self.assertRegex(run.stdout, r"\d+ passed, 0 failed, 0 crashed, 0 skipped")


class Table(NpuTest):
    def run_with(self, change, dump=LLAMA, api="Functional.silu.0"):
        table = json.loads(TABLE.read_text())
        change(table)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "aclnn.json"
            path.write_text(json.dumps(table))
            return Run(dump, "--api", api, config={"apis": str(path)})

    def test_an_operator_is_added_by_json_alone(self):
        def without(table):
            for section in ("operators", "apis"):
                for name in ("aclnnSilu", "aclnnSiluBackward", "silu"):
                    table[section].pop(name, None)

        def with_swish(table):
            without(table)
            table["operators"]["aclnnSwish"] = "self:T betaOptional:S? out:T!"
            table["apis"]["silu"] = {"parameters": "input, inplace=false",
                                     "run": "out(shape(input), dtype(input)) = aclnnSwish(input, 1.0)"}

        self.assertNotIn("aclnnSwish", json.loads(TABLE.read_text())["operators"])
        run = self.run_with(without)
        self.assertEqual(run.rows["Functional.silu.0.forward"]["reason"], LACKS_API)
        run = self.run_with(with_swish)
        self.assertEqual(run.rows["Functional.silu.0.forward"]["verdict"], "pass", run.text)

    def test_a_faulty_table_is_refused_with_the_entry_and_the_place(self):
        cases = {
            "out(shape(input), dtype(input)) = aclnnSilu(input, 1)": "got 2 arguments",
            "out(shape(input), dtype(input)) = aclnnNoSuch(input)": "'operators' has no aclnnNoSuch",
            "out(shape(inputt), dtype(input)) = aclnnSilu(input)": "unknown name 'inputt'",
            "out(no_rule(input), dtype(input)) = aclnnSilu(input)": "unknown rule 'no_rule'",
            "out = aclnnSilu(input)": "has no shape and dtype"}
        for statement, words in cases.items():
            with self.subTest(statement=statement):
                def change(table, text=statement):
                    table["apis"]["silu"] = {"parameters": "input", "run": text}
                run = self.run_with(change)
                self.assertEqual(run.code, 2, run.text)
                self.assertIn("'silu'", run.text)
                self.assertIn(words, run.text)


if __name__ == "__main__":
    unittest.main()
