"""assay-ray on a cluster of three nodes: lost nodes and failed parts cost nothing, and the result is that of one process."""

import json
import os
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

from hostile import ADAPTER, npy, write_dump
from ray_cluster import ENVIRONMENT, Cluster
from resume_test import contents
from support import ASSAY, SOURCE, TestCase, rows

PYTHON = os.environ["ASSAY_RAY_PYTHON"]
PROGRAM = SOURCE / "scripts" / "assay-ray"


def checks_of(folder):
    """Processes of `assay check` on recordings in the folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().decode(errors="replace").split("\0")
        except OSError:
            continue
        if "check" in words[1:2] and any(word.startswith(str(folder)) for word in words):
            found.append(int(path.parent.name))
    return found


class Ray(TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(PYTHON, nodes=3)
        cls.enterClassContext(cls.cluster)

    def setUp(self):
        super().setUp()
        self.dump = self.scratch / "dump"
        self.out = self.scratch / "ray"

    def start(self, *options, assay=ASSAY, dump=None):
        command = [PYTHON, str(PROGRAM), "check", str(dump or self.dump), "--out", str(self.out), "--address", self.cluster.address,
                   "--assay", str(assay), *map(str, options), "--", *map(str, ADAPTER)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)

    def ended(self, process):
        output, errors = process.communicate(timeout=300)
        return process.returncode, output + errors

    def parts(self):
        return [path for path in self.out.glob("parts/*/*") if not path.name.endswith(".partial")]

    def wait_for_parts(self, process, count):
        deadline = time.monotonic() + 120
        while len(self.parts()) < count:
            self.assertIsNone(process.poll(), "the job ended early")
            self.assertLess(time.monotonic(), deadline, "no parts came")
            time.sleep(0.05)

    def wait_for_no_checks(self):
        deadline = time.monotonic() + 20
        while checks_of(self.scratch):
            self.assertLess(time.monotonic(), deadline, "checks go on after the job's end")
            time.sleep(0.1)

    def test_a_node_killed_in_the_middle_changes_nothing(self):
        operators = ["busy_4", "double", "identity", "other_shape", "refuse"] * 1000
        write_dump(self.dump, operators)
        _, whole = self.check(self.dump / "dump.json", *ADAPTER, expect=1)
        process = self.start("-n", 30, "--keep-parts")
        self.wait_for_parts(process, 5)
        self.cluster.kill_node(2)
        self.addCleanup(self.cluster.start_node, 2)
        code, text = self.ended(process)
        self.assertEqual(code, 1, text)
        self.assertEqual(list(self.cluster.scratch.glob("assay-ray-*/*")), [])
        self.assertEqual(len(self.parts()), 30)
        shutil.rmtree(self.out / "parts")
        self.assertEqual(contents(self.out), contents(whole))
        self.assertEqual(len(rows(self.out / "result.csv")), 5000)

    def test_ctrl_c_cancels_and_the_same_command_goes_on(self):
        write_dump(self.dump, ["busy_40", "double"] * 150)
        _, whole = self.check(self.dump / "dump.json", *ADAPTER, expect=0)
        process = self.start("-n", 20)
        self.wait_for_parts(process, 3)
        process.send_signal(signal.SIGINT)
        code, text = self.ended(process)
        self.assertEqual(code, 130, text)
        self.wait_for_no_checks()
        kept = {path: path.stat().st_mtime_ns for path in self.parts()}
        self.assertLess(len(kept), 20)
        code, text = self.ended(self.start("-n", 21))
        self.assertEqual((code, "it holds another job (parts differ)" in text), (2, True), text)
        process = self.start("-n", 20, "--keep-parts")
        code, text = self.ended(process)
        self.assertEqual(code, 0, text)
        self.assertEqual({path: path.stat().st_mtime_ns for path in kept}, kept)
        self.assertEqual(list(self.cluster.scratch.glob("assay-ray-*/*")), [])
        shutil.rmtree(self.out / "parts")
        self.assertEqual(contents(self.out), contents(whole))

    def test_a_part_that_fails_is_tried_again_and_one_that_always_fails_is_named(self):
        write_dump(self.dump, ["double"] * 20)
        flaky = self.scratch / "flaky"
        flaky.write_text(f'#!/bin/sh\nmkdir "{self.scratch}/once" 2>/dev/null && {{ echo no luck >&2; exit 70; }}\nexec "{ASSAY}" "$@"\n',
                         encoding="utf-8")
        flaky.chmod(0o755)
        code, text = self.ended(self.start("-n", 4, assay=flaky))
        self.assertEqual(code, 0, text)
        self.assertTrue((self.scratch / "once").exists())
        self.assertEqual(len(rows(self.out / "result.csv")), 20)
        shutil.rmtree(self.out)
        flaky.write_text(f'#!/bin/sh\ncase "$*" in *" 2/4 "*) echo no luck >&2; exit 70;; esac\nexec "{ASSAY}" "$@"\n', encoding="utf-8")
        code, text = self.ended(self.start("-n", 4, "--retries", 1, assay=flaky))
        self.assertEqual(code, 3, text)
        self.assertRegex(text, "1 parts failed, such as 00000/2-of-4: .*exit code 70: no luck")
        self.assertEqual(len(self.parts()), 3)

    def test_ranks_and_steps_are_one_job_and_the_odd_rank_is_named(self):
        run = self.scratch / "run"
        for step in (0, 1):
            for rank in (0, 1, 10):
                write_dump(run / f"step{step}" / f"rank{rank}", ["double", "identity"] * 5)
        # One rank's recording of one call is wrong.
        broken = run / "step1" / "rank10"
        (broken / "dump_tensor_data" / "z.npy").write_bytes(npy([0.25] * 256))
        document = json.loads((broken / "dump.json").read_text(encoding="utf-8"))
        document["data"]["Functional.double.3.forward"]["output"][0]["data_name"] = "z.npy"
        (broken / "dump.json").write_text(json.dumps(document), encoding="utf-8")
        code, text = self.ended(self.start("-n", 12, dump=run))
        self.assertEqual(code, 1, text)
        self.assertIn("Functional.double.3.forward: error in step1/rank10, pass in 5", text)
        self.assertEqual(rows(self.out / "ranks.csv"),
                         [{"api_name": "Functional.double.3.forward", "recordings": "6", "pass": "5", "warning": "0", "error": "1",
                           "skip": "0", "odd_verdict": "error", "odd_in": "step1/rank10"}])
        self.assertFalse((self.out / "parts").exists())
        for step in (0, 1):
            for rank in (0, 1, 10):
                place = Path(f"step{step}", f"rank{rank}")
                _, whole = self.check(run / place / "dump.json", *ADAPTER)
                self.assertEqual(contents(self.out / place), contents(whole))


if __name__ == "__main__":
    unittest.main()
