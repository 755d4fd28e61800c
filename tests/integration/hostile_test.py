"""A framework that does everything wrong: each bad call costs its own row, and nothing else."""

import os
import random
import signal
import subprocess
import time
import unittest
from pathlib import Path
from unittest import mock

from hostile import ADAPTER, write_dump
from support import ASSAY, TestCase, rows, run

DIED, TIMEOUT, MEMORY, BROKE_DOWN, REFUSED = ("ASSAY-RUN-012", "ASSAY-RUN-013", "ASSAY-RUN-014", "ASSAY-RUN-006", "ASSAY-RUN-005")

# What an operator does to its worker: the code of its row, and what the message says.
FAULTS = {
    "segv": (DIED, "signal 11"),
    "fpe": (DIED, "signal 8"),
    "abort": (DIED, "signal 6"),
    "ill": (DIED, "signal 4"),
    "double_free": (DIED, "signal 6"),
    "overflow": (DIED, "signal 11"),
    "half": (DIED, "signal 11"),
    "exit_3": (DIED, "exit code 3"),
    "leave": (DIED, "exit code 0"),
    "close_pipes": (DIED, "exit code 1"),
    "write_garbage": (DIED, "what it wrote is no message"),
    "hang": (TIMEOUT, "not finished after"),
    "spin": (TIMEOUT, "not finished after"),
    "stop": (TIMEOUT, "not finished after"),
    "leak": (MEMORY, "memory"),
    "throw": (BROKE_DOWN, "thrown across the boundary"),
    "throw_number": (BROKE_DOWN, "threw through the boundary"),
    "lose_device": (BROKE_DOWN, "the device is lost"),
    "negative_shape": (BROKE_DOWN, "returned"),
    "endless_shape": (BROKE_DOWN, "returned"),
    "no_data": (BROKE_DOWN, "returned"),
    "no_such_dtype": (BROKE_DOWN, "returned"),
    "many_outputs": (BROKE_DOWN, "returned"),
    "no_outputs": (BROKE_DOWN, "returned"),
    "many_dimensions": (BROKE_DOWN, "returned"),
    "refuse": (REFUSED, "don't like it"),
    "other_shape": ("ASSAY-CMP-004", "shape"),
}
# What disturbs without breaking anything: these rows are right.
NUISANCES = ("print_1_mib", "flood", "leave_a_child")
SLOW = ("hang", "spin", "stop")
LIMITS = ("--timeout", "4", "--memory", "256M")


def mixed_operators():
    """200 sound calls and 60 hostile ones, in an order that stays the same."""
    hostile = [name for name in (*FAULTS, *NUISANCES) if name not in SLOW] * 2
    hostile += list(SLOW) + ["segv", "abort", "leak"]
    assert len(hostile) == 60, len(hostile)
    operators = ["double", "identity"] * 100 + hostile
    random.Random(1).shuffle(operators)
    return operators


def tables(out):
    return [(out / name).read_bytes() for name in ("details.csv", "result.csv")]


def traces(temporary):
    """What runs whose temporary files go to a folder of their own could leave behind."""
    return list(temporary.iterdir()) + list(Path("/dev/shm").glob("*assay*"))


class Hostile(TestCase):
    def hostile_check(self, operators, *options, expect=None):
        folder = self.scratch / f"dump{len(list(self.scratch.iterdir()))}"
        stems = write_dump(folder, operators)
        process, out = self.check(folder, *ADAPTER, *options, expect=expect)
        return process, out, stems

    def row_of(self, out, stem):
        found = [row for row in rows(out / "details.csv") if row["api_name"].startswith(stem + ".forward")]
        self.assertEqual(len(found), 1, stem)
        return found[0]

    def test_each_fault_costs_a_row_and_the_same_rows_come_every_time(self):
        folder = self.scratch / "dump"
        operators = mixed_operators()
        stems = write_dump(folder, operators)
        temporary = self.scratch / "temporary"
        temporary.mkdir()
        first = None
        for jobs in (1, 2, 4) * 3:
            with mock.patch.dict(os.environ, {"TMPDIR": str(temporary)}):
                process, out = self.check(folder, *ADAPTER, *LIMITS, "-j", jobs, "-q")
            self.assertEqual(process.returncode, 1, process.stderr[-2000:])
            if first is not None:
                self.assertEqual(tables(out), first, f"-j {jobs}")
                continue
            first = tables(out)
            by_name = {row["api_name"].split(".forward")[0]: row for row in rows(out / "details.csv")}
            self.assertEqual(sorted(by_name), sorted(stems))
            for stem, operator in zip(stems, operators):
                row = by_name[stem]
                if operator in FAULTS:
                    code, text = FAULTS[operator]
                    self.assertEqual((row["reason"], text in row["message"]), (code, True), row)
                else:
                    self.assertEqual(row["verdict"], "pass", row)
        self.assertEqual(traces(temporary), [])
        self.assertEqual(subprocess.run(["pgrep", "-f", "^sleep 1000$"], capture_output=True, check=False).returncode, 1)

    def test_a_crash_is_told_with_its_stack_and_its_command(self):
        process, out, stems = self.hostile_check(["double", "segv", "abort"], expect=3)
        row = self.row_of(out, stems[1])
        self.assertIn("signal 11 (Segmentation fault) while judging the forward call, twice; reproduce: assay check", row["message"])
        self.assertIn(f"--api '{stems[1]}'", row["message"])
        self.assertIn("backtrace: hostile-adapter.so(", row["notes"])
        self.assertNotIn("0x7f", row["notes"])
        self.assertIn("libc.so.6(abort)", self.row_of(out, stems[2])["notes"])

    def test_a_lost_device_is_given_to_a_new_worker(self):
        """V09"""
        process, out, stems = self.hostile_check(["lose_device", "double", "lose_device", "double"], expect=3)
        self.assertEqual([self.row_of(out, stem)["verdict"] for stem in stems], ["skip", "pass", "skip", "pass"])

    def test_an_arithmetic_signal_takes_one_worker(self):
        """V07"""
        _, out, stems = self.hostile_check(["double", "fpe", "double"], "-j", 2, expect=3)
        self.assertEqual([self.row_of(out, stem)["reason"] for stem in stems][1], DIED)
        self.assertEqual([self.row_of(out, stem)["verdict"] for stem in stems], ["pass", "skip", "pass"])

    def test_what_eight_workers_print_hangs_nobody_and_is_not_lost(self):
        """V01"""
        process, out, stems = self.hostile_check(["print_1_mib"] * 16, "-j", 8, expect=0)
        self.assertEqual(len(rows(out / "result.csv")), 16)
        self.assertEqual(process.stderr.count("x"), 16 * 79 * len(range(0, 1 << 20, 80)))
        self.assertNotIn("xxx", process.stdout)

    def test_a_flood_of_text_is_cut(self):
        process, out, stems = self.hostile_check(["flood", "double"], expect=0)
        self.assertEqual(self.row_of(out, stems[0])["verdict"], "pass")
        self.assertLess(len(process.stderr), 8 << 20)
        self.assertIn("the rest is dropped", process.stderr)

    def test_workers_killed_at_random_change_no_row(self):
        folder = self.scratch / "dump"
        write_dump(folder, ["busy_5", "double", "identity"] * 500)
        _, calm = self.check(folder, *ADAPTER, "-j", 2, expect=0)
        for seed in range(3):
            out = self.scratch / f"killed{seed}"
            choice = random.Random(seed)
            process = subprocess.Popen([str(ASSAY), "check", str(folder), *map(str, ADAPTER), "-j", "2", "--out", str(out), "-q"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            killed = 0
            while process.poll() is None:
                time.sleep(0.2)
                children = [int(p.name) for p in Path("/proc").glob("[0-9]*") if parent_of(p) == process.pid]
                if children:
                    try:
                        os.kill(choice.choice(children), signal.SIGKILL)
                        killed += 1
                    except ProcessLookupError:
                        pass
            self.assertEqual(process.returncode, 0, process.stderr.read())
            process.stderr.close()
            self.assertGreater(killed, 2)
            self.assertEqual(tables(out), tables(calm))

    def test_each_worker_sees_its_own_device_and_its_share_of_the_cores(self):
        _, out, stems = self.hostile_check(["environment"] * 8 + ["busy_100"] * 2, "-j", 2, "--devices", "4,7", expect=0)
        seen = {row["notes"] for row in rows(out / "details.csv") if "environment" in row["api_name"]}
        cores = max(1, len(os.sched_getaffinity(0)) // 2)
        allowed = {f"OMP_NUM_THREADS={cores} CUDA_VISIBLE_DEVICES={d} ASCEND_RT_VISIBLE_DEVICES={d}" for d in (4, 7)}
        self.assertLessEqual(seen, allowed)

    def test_in_one_process_sound_calls_give_the_same_rows(self):
        operators = ["double", "identity", "other_shape", "refuse"] * 5
        folder = self.scratch / "dump"
        write_dump(folder, operators)
        _, alone = self.check(folder, *ADAPTER, "-j", 0, expect=1)
        _, supervised = self.check(folder, *ADAPTER, "-j", 2, expect=1)
        self.assertEqual(tables(alone), tables(supervised))


def parent_of(process):
    try:
        fields = (process / "stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return int(fields[1]) if fields[0] != "Z" else None


if __name__ == "__main__":
    unittest.main()
