"""Runs that are killed, interrupted or run out of something: what is done is kept, and --resume ends like an undisturbed run."""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import time
import unittest
from pathlib import Path

from hostile import ADAPTER, write_dump
from support import ASSAY, TestCase, rows, run

# Debian's faketime: a clock of its own for a process and what it starts.
FAKETIME = "/usr/$LIB/faketime/libfaketime.so.1"
TIMES = ("target_ms", "reference_ms")


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if key not in TIMES}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def contents(out):
    """The result files of a run, without times."""
    files = {}
    for path in sorted(out.iterdir()):
        if path.name == "results.jsonl":
            files[path.name] = [without_times(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
        elif path.name.startswith("accuracy_checking"):
            files[path.name.rsplit("_", 1)[0]] = path.read_bytes()
        elif path.name == "run.json":
            document = json.loads(path.read_text(encoding="utf-8"))
            files[path.name] = {key: value for key, value in document.items() if key != "seconds"}
        elif path.name not in ("times.csv", "report.html"):
            files[path.name] = path.read_bytes()
    return files


class Resume(TestCase):
    def setUp(self):
        super().setUp()
        self.dump = self.scratch / "dump"
        self.out = self.scratch / "out"

    def start(self, *options, out=("--out",), **popen):
        """A run in the background."""
        command = [str(ASSAY), "check", str(self.dump), *map(str, ADAPTER), "-q", *map(str, options), *out, str(self.out)]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **popen)

    def resume(self, *options):
        return run("check", self.dump, *ADAPTER, "-q", *options, "--resume", self.out)

    def wait_for_rows(self, process, count):
        """Until the run has so many rows on disk; fails if it ends before."""
        journal = self.out / "journal.jsonl"
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if journal.exists() and journal.read_bytes().count(b"\n") > count:
                return
            self.assertIsNone(process.poll(), "the run ended early")
            time.sleep(0.01)
        self.fail("no rows came")

    def ended(self, process):
        _, errors = process.communicate(timeout=60)
        return process.returncode, errors

    def reference_run(self, *options):
        _, out = self.check(self.dump, *ADAPTER, "-q", *options)
        return contents(out)

    def test_a_run_killed_at_any_moment_ends_the_same(self):
        write_dump(self.dump, ["busy_2", "double", "segv_not", "other_shape"] * 40)
        options = ("-j", 2, "--format", "msprobe")
        begun = time.monotonic()
        expected = self.reference_run(*options)
        length = time.monotonic() - begun
        self.assertEqual(len(expected["results.jsonl"]), 160)
        choice = random.Random(7)
        resumed = 0
        for moment in range(50):
            process = self.start(*options)
            time.sleep(choice.uniform(0, length))
            process.kill()
            process.communicate()
            resumed += (self.out / "journal.jsonl").exists()
            process = self.resume(*options)
            self.assertEqual(process.returncode, 1, process.stderr)
            self.assertEqual(contents(self.out), expected, f"moment {moment}")
            shutil.rmtree(self.out)
        self.assertGreater(resumed, 25)

    def test_a_run_killed_again_and_again_ends_the_same(self):
        write_dump(self.dump, ["busy_5", "double"] * 60)
        expected = self.reference_run("-j", 2)
        out = ("--resume",)
        for _ in range(100):
            process = self.start("-j", 2, out=out)
            time.sleep(0.7)
            if process.poll() is not None:
                break
            process.kill()
            process.communicate()
        code, errors = self.ended(process)
        self.assertEqual(code, 0, errors)
        self.assertEqual(contents(self.out), expected)

    def test_a_pair_of_tables_is_whole_after_a_stop_between_them(self):
        """V03"""
        write_dump(self.dump, ["busy_20", "double"] * 20)
        options = ("--format", "msprobe")
        expected = self.reference_run(*options)
        process = self.start(*options)
        self.wait_for_rows(process, 10)
        process.kill()
        process.communicate()
        names = {path.name for path in self.out.glob("accuracy_checking_*")}
        for name in names:
            if "details" in name:
                os.truncate(self.out / name, (self.out / name).stat().st_size // 2)
        time.sleep(1.1)
        self.assertEqual(self.resume(*options).returncode, 0)
        self.assertEqual({path.name for path in self.out.glob("accuracy_checking_*")}, names)
        self.assertEqual(contents(self.out), expected)

    def test_a_clock_that_is_set_back_changes_nothing(self):
        write_dump(self.dump, ["busy_20", "double"] * 30)
        options = ("--format", "msprobe", "-j", 2, "--timeout", 5)
        expected = self.reference_run(*options)
        clock = self.scratch / "clock"
        clock.write_text("+0", encoding="utf-8")
        clocked = {**os.environ, "LD_PRELOAD": FAKETIME, "FAKETIME_TIMESTAMP_FILE": str(clock), "FAKETIME_NO_CACHE": "1",
                   "FAKETIME_DONT_FAKE_MONOTONIC": "1"}
        process = self.start(*options, env=clocked)
        self.wait_for_rows(process, 10)
        clock.write_text("-3000d", encoding="utf-8")
        self.wait_for_rows(process, 20)
        process.kill()
        process.communicate()
        names = {path.name for path in self.out.glob("accuracy_checking_*")}
        self.assertEqual(len(names), 2)
        process = self.start(*options, out=("--resume",), env=clocked)
        self.wait_for_rows(process, 30)
        clock.write_text("-1d", encoding="utf-8")
        code, errors = self.ended(process)
        self.assertEqual(code, 0, errors)
        self.assertEqual({path.name for path in self.out.glob("accuracy_checking_*")}, names)
        self.assertEqual(contents(self.out), expected)

    def test_a_torn_last_line_is_done_again(self):
        write_dump(self.dump, ["busy_20", "double"] * 20)
        expected = self.reference_run()
        process = self.start()
        self.wait_for_rows(process, 10)
        process.kill()
        process.communicate()
        journal = self.out / "journal.jsonl"
        os.truncate(journal, journal.stat().st_size - 7)
        process = self.resume()
        self.assertEqual(process.returncode, 0)
        self.assertIn("were torn and are dropped", process.stderr)
        self.assertEqual(contents(self.out), expected)

    def test_what_differs_is_named_and_refused(self):
        write_dump(self.dump, ["busy_20", "double"] * 20)
        process = self.start()
        self.wait_for_rows(process, 3)
        process.send_signal(signal.SIGINT)
        self.assertEqual(self.ended(process)[0], 130)
        kept = (self.out / "journal.jsonl").read_bytes()
        for options, words in (
            (("--seed", 5), "configuration /seed was 0 and is 5"),
            (("--standard", "msprobe-torch-2026-08"), 'configuration /standard was "assay" and is "msprobe-torch-2026-08"'),
            (("--skip", "Functional.double*"), "configuration /skip was absent"),
            (("--precision", "float32"), "reference precision was float64 and is float32"),
            (("--shard", "1/2"), "shard was none and is 1/2"),
        ):
            process = self.resume(*options)
            self.assertEqual(process.returncode, 2, options)
            self.assertIn(words, process.stderr)
        (self.dump / "dump.json").write_text((self.dump / "dump.json").read_text(encoding="utf-8") + "\n", encoding="utf-8")
        process = self.resume()
        self.assertEqual(process.returncode, 2)
        self.assertIn("crc32 of dump.json was", process.stderr)
        self.assertEqual((self.out / "journal.jsonl").read_bytes(), kept)

    def test_an_unfinished_run_is_not_overwritten(self):
        write_dump(self.dump, ["busy_20", "double"] * 20)
        process = self.start()
        self.wait_for_rows(process, 3)
        process.send_signal(signal.SIGINT)
        code, errors = self.ended(process)
        self.assertEqual(code, 130)
        self.assertIn(f"--resume {self.out} goes on", errors)
        code, errors = self.ended(self.start())
        self.assertEqual(code, 2)
        self.assertIn("holds an unfinished run of", errors)

    def test_the_second_run_in_a_folder_is_refused(self):
        write_dump(self.dump, ["busy_50", "double"] * 20)
        expected = self.reference_run()
        first = self.start()
        self.wait_for_rows(first, 3)
        for out in (("--out",), ("--resume",)):
            code, errors = self.ended(self.start(out=out))
            self.assertEqual(code, 2)
            self.assertIn("another run is writing to it", errors)
        self.assertEqual(self.ended(first)[0], 0)
        self.assertEqual(contents(self.out), expected)

    def test_a_finished_run_has_nothing_to_resume(self):
        write_dump(self.dump, ["double", "other_shape"])
        code, errors = self.ended(self.start())
        self.assertEqual(code, 1, errors)
        before = contents(self.out)
        process = self.resume()
        self.assertEqual(process.returncode, 1)
        self.assertIn("nothing to do", process.stderr)
        self.assertEqual(contents(self.out), before)
        self.assertEqual(self.resume("--seed", 3).returncode, 2)

    def test_ctrl_c_writes_what_is_done_and_resume_the_rest(self):
        write_dump(self.dump, ["busy_20", "double"] * 30)
        expected = self.reference_run("-j", 2)
        process = self.start("-j", 2)
        self.wait_for_rows(process, 10)
        process.send_signal(signal.SIGINT)
        code, errors = self.ended(process)
        self.assertEqual(code, 130, errors)
        done = rows(self.out / "result.csv")
        self.assertGreaterEqual(len(done), 10)
        self.assertLess(len(done), 60)
        self.assertFalse(json.loads((self.out / "run.json").read_text(encoding="utf-8"))["complete"])
        self.assertTrue((self.out / "report.html").exists())
        self.assertEqual(self.resume("-j", 2).returncode, 0)
        self.assertEqual(contents(self.out), expected)

    def test_a_second_ctrl_c_ends_at_once(self):
        write_dump(self.dump, ["double", "hang"])
        process = self.start()
        self.wait_for_rows(process, 0)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        begun = time.monotonic()
        self.assertEqual(self.ended(process)[0], 130)
        self.assertLess(time.monotonic() - begun, 1.5)

    def test_a_time_limit_ends_a_run_that_can_be_resumed(self):
        write_dump(self.dump, ["busy_50"] * 40)
        expected = self.reference_run()
        code, errors = self.ended(self.start("--max-time", 0.7))
        self.assertEqual(code, 130, errors)
        self.assertLess(len(rows(self.out / "result.csv")), 40)
        self.assertEqual(self.resume().returncode, 0)
        self.assertEqual(contents(self.out), expected)

    def test_a_full_disk_is_said_and_the_run_can_be_resumed(self):
        write_dump(self.dump, ["double", "identity"] * 200)
        expected = self.reference_run()
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))
        code, errors = self.ended(self.start(preexec_fn=limit))
        self.assertEqual(code, 2, errors)
        self.assertRegex(errors, "cannot write '.*': File too large")
        self.assertEqual(self.resume().returncode, 0)
        self.assertEqual(contents(self.out), expected)

    def test_a_removed_folder_is_said(self):
        write_dump(self.dump, ["busy_20"] * 100)
        process = self.start()
        self.wait_for_rows(process, 3)
        shutil.rmtree(self.out)
        code, errors = self.ended(process)
        self.assertEqual(code, 2)
        self.assertIn("was removed or replaced while the run was going on", errors)

    def test_a_folder_that_can_not_be_written_is_said(self):
        write_dump(self.dump, ["double"])
        self.out = Path("/proc/assay")
        code, errors = self.ended(self.start())
        self.assertEqual(code, 2)
        self.assertIn("cannot create folder '/proc/assay'", errors)
        self.out = self.scratch / "file"
        self.out.write_text("not a folder", encoding="utf-8")
        code, errors = self.ended(self.start())
        self.assertEqual(code, 2)
        self.assertIn(str(self.out), errors)

    def test_no_output_follows_a_planted_link(self):
        write_dump(self.dump, ["double"])
        self.assertEqual(self.ended(self.start())[0], 0)
        names = [path.name for path in self.out.iterdir()] + ["journal.jsonl"]
        self.assertGreater(len(names), 5)
        precious = self.scratch / "precious"
        for name in names:
            for plant in (lambda path: path.symlink_to(precious), lambda path: os.mkfifo(path)):
                precious.write_text("precious", encoding="utf-8")
                (self.out / name).unlink(missing_ok=True)
                plant(self.out / name)
                code, errors = self.ended(self.start())
                self.assertEqual(code, 2, name)
                self.assertIn(name, errors)
                self.assertEqual(precious.read_text(encoding="utf-8"), "precious")
                (self.out / name).unlink()
                (self.out / "journal.jsonl").unlink(missing_ok=True)


if __name__ == "__main__":
    unittest.main()
