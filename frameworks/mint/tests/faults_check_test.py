"""`assay check` against a framework that dies, hangs and prints: one row each, the run completes, nothing stays behind."""

import ctypes
import json
import os
import sys
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, os.environ["ASSAY_SOURCE_DIR"] + "/tests/integration")

from recording import Recording  # noqa: E402
from support import BUILD, TestCase, rows, run  # noqa: E402

PR_SET_CHILD_SUBREAPER = 36
NAMES = ("neg", "abs", "ceil", "exp", "trunc", "floor")


def become_heir():
    """Makes this process the parent of whatever its children leave behind."""
    if ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError("prctl")


def outlived():
    """Whether anything that a child has started lives on. What died with its parent waits for its heir: that's what init is for."""
    for _ in range(100):
        try:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                time.sleep(0.02)
        except ChildProcessError:
            return False
    return True


def leftovers():
    """Processes of the bridge, and shared memory with a name."""
    servers = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and b"assay_server.py" in (folder / "cmdline").read_bytes():
                environment = (folder / "environ").read_bytes()
                if b"ASSAY_FAULTS_TEST=1" in environment:
                    servers.append(folder.name)
        except OSError:
            continue
    return servers, [path for path in Path("/dev/shm").glob("*assay*")]


class FaultyFramework(TestCase):
    def setUp(self):
        super().setUp()
        become_heir()

    def test_each_fault_is_one_row_and_the_run_completes(self):
        recording = Recording(self.scratch / "dump")
        for name in NAMES:
            x = recording.tensor(f"{name}.in", [1.0, 2.0])
            recording.call(f"Mint.{name}.0", [x], [x])
        config = self.scratch / "config.json"
        target = {"adapter": "assay.mint", "precision": "as-recorded",
                  "config": {"python": "python3", "map": str(HERE / "maps" / "faulty.json"), "call_timeout_s": 3}}
        config.write_text(json.dumps({"target": target}))
        out = self.scratch / "out"
        process = run("check", recording.write(), "--config", config, "--out", out,
                      env={"PYTHONPATH": str(HERE / "modules"), "ASSAY_FAULTS_TEST": "1"})
        table = {row["api_name"]: row for row in rows(out / "result.csv")}
        self.assertEqual(list(table), [f"Mint.{name}.0" for name in NAMES], process.stderr)
        self.assertEqual(table["Mint.neg.0"]["forward"], "error")
        self.assertIn("signal 9", table["Mint.neg.0"]["message"])
        self.assertEqual(table["Mint.abs.0"]["forward"], "error")
        self.assertIn("no answer within 3 s", table["Mint.abs.0"]["message"])
        self.assertEqual(table["Mint.ceil.0"]["forward"], "pass", table)
        self.assertEqual(table["Mint.exp.0"]["forward"], "error")
        self.assertIn("this one is refused", table["Mint.exp.0"]["message"])
        self.assertNotIn("second line", table["Mint.exp.0"]["message"])
        self.assertEqual(table["Mint.trunc.0"]["forward"], "skip")
        self.assertIn("memory", table["Mint.trunc.0"]["message"])
        self.assertEqual(table["Mint.floor.0"]["forward"], "pass", table)
        self.assertTrue(json.loads((out / "run.json").read_text())["complete"])
        self.assertEqual(leftovers(), ([], []))
        self.assertFalse(outlived())

    def test_a_missing_framework_is_one_message_with_the_pip_command(self):
        recording = Recording(self.scratch / "dump")
        x = recording.tensor("in", [1.0])
        recording.call("Mint.neg.0", [x], [x])
        process = run("check", recording.write(), "--target", "mint",
                      env={"ASSAY_PYTHON": "/usr/bin/python3", "PYTHONPATH": str(HERE / "fakes")})
        self.assertNotIn(process.returncode, (0, 1))
        messages = [line for line in process.stderr.splitlines() if "mindspore" in line]
        self.assertEqual(len(messages), 1, process.stderr)
        self.assertIn("-m pip install mindspore", messages[0])
        self.assertFalse(outlived())

    def test_what_needs_no_mindspore_goes_on_without_it(self):
        plugins = BUILD / "lib" / "assay" / "plugins"
        process = run("plugins", "validate", plugins / "mint", plugins / "no-change", "--include", "creates$",
                      env={"ASSAY_PYTHON": "/usr/bin/python3", "ASSAY_TORCH_PYTHON": "/usr/bin/python3", "PYTHONPATH": str(HERE / "fakes")})
        self.assertEqual(process.returncode, 0, process.stdout)
        self.assertIn("-m pip install mindspore", process.stdout)
        self.assertIn("1 passed, 0 failed, 0 crashed, 2 skipped", process.stdout)


if __name__ == "__main__":
    unittest.main()
