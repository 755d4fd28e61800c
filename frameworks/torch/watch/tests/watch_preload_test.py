"""`assay watch --preload`: a C++ program that knows nothing of the watch."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import rows, run

JOB = os.environ["ASSAY_UNAWARE_JOB"]


class Preload(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.out = Path(scratch.name) / "out"

    def test_a_program_that_knows_nothing_is_watched_and_computes_the_same(self):
        plain = subprocess.run([JOB], capture_output=True, text=True, timeout=300, check=True)
        self.assertEqual(len(plain.stdout.split()), 3)
        watched = run("watch", "--preload", "--budget", "none", "--rows", "all", "--out", self.out, "--", JOB)
        self.assertEqual(watched.returncode, 0, watched.stderr)
        self.assertIn(plain.stdout, watched.stdout)
        checked = {row["operator"] for row in rows(self.out / "rank0" / "rows.csv")}
        self.assertLessEqual({"aten::linear", "aten::relu", "aten::mm"}, checked)
        self.assertIn('"complete":true', (self.out / "rank0" / "summary.json").read_text(encoding="utf-8"))

    def test_a_program_runs_on_where_the_watch_cannot(self):
        watched = run("watch", "--preload", "--perturbation", "no-such", "--out", self.out, "--", JOB)
        self.assertEqual(watched.returncode, 0, watched.stderr)
        self.assertEqual(len(watched.stdout.split()), 3)
        self.assertIn("no-such", watched.stderr)
        self.assertIn("the program runs without it", watched.stderr)


if __name__ == "__main__":
    unittest.main()
