"""Worker processes: the same rows for any number of them, and what a dying one costs."""

import os
import signal
import subprocess
import time
import unittest
from pathlib import Path

from support import ASSAY, DATA, EXAMPLE, TestCase, rows


def workers_of(pid):
    """The worker processes of a supervisor."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(status.parent.name))
    return found


class Workers(TestCase):
    def test_any_number_of_workers_gives_the_same_rows(self):
        tables = []
        for jobs in (0, 1, 2, 3):
            _, out = self.check(EXAMPLE, "-j", jobs, expect=0)
            tables.append([(out / name).read_bytes() for name in ("details.csv", "result.csv")])
        for table in tables[1:]:
            self.assertEqual(table, tables[0])

    def test_killed_workers_cost_nothing(self):
        out = self.scratch / "killed"
        process = subprocess.Popen([str(ASSAY), "check", str(DATA / "opinfo" / "float32"), "-j", "2", "--out", str(out), "-q"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        killed = 0
        deadline = time.monotonic() + 120
        # Before that, the first worker is loading the plugins: losing it then ends the run with a message.
        while not (out / "result.csv").exists() and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        while process.poll() is None and killed < 3 and time.monotonic() < deadline:
            time.sleep(0.1)
            for worker in workers_of(process.pid)[:1]:
                os.kill(worker, signal.SIGKILL)
                killed += 1
        _, errors = process.communicate(timeout=300)
        self.assertIn(process.returncode, (0, 1, 3), errors)
        table = rows(out / "result.csv")
        self.assertEqual(len(table), 412)
        self.assertGreaterEqual(killed, 1)
        self.assertFalse([row for row in rows(out / "details.csv") if row["reason"] == "ASSAY-RUN-012"])

    def test_a_killed_supervisor_leaves_no_worker(self):
        process = subprocess.Popen([str(ASSAY), "check", str(DATA / "opinfo" / "float32"), "-q"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        children = []
        while not children and time.monotonic() < deadline:
            children = workers_of(process.pid)
        self.assertTrue(children)
        time.sleep(0.2)
        process.kill()
        process.wait()
        deadline = time.monotonic() + 10
        while any(Path(f"/proc/{child}").exists() for child in children) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertFalse(any(Path(f"/proc/{child}").exists() for child in children))

    def test_an_interrupted_run_writes_what_is_done(self):
        out = self.scratch / "interrupted"
        process = subprocess.Popen([str(ASSAY), "check", str(DATA / "opinfo" / "float32"), "--out", str(out), "-q"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not (out / "result.csv").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        self.assertIn(process.wait(timeout=60), (130, 0, 1, 3))
        self.assertTrue((out / "report.html").exists())


if __name__ == "__main__":
    unittest.main()
