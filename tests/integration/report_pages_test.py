"""The pages of comparisons and watches in a real browser, `--open`, and hostile names in both."""

import json
import math
import os
import re
import shutil
import unittest

from browser import Browser
from report_browser_test import SCREENSHOTS, WRONG, spoil, visible_rows
from support import EXAMPLE, TestCase, rows, run

WATCH_COLUMNS = ("rank,step,stage,name,operator,perturbation,input,dtype,shape,finding,verdict,reason,amplification,limit,input_change,"
                 "output_change,output,node,call_site,cost_us,message")


def watch_row(rank, step, name, verdict="error", amplification="250", message="reacts 25 times as strongly as expected", stage="forward"):
    finding, reason = ("stable", "") if verdict == "pass" else ("unstable", "ASSAY-PRT-001")
    return (f'{rank},{step},{stage},{name},aten::mm,add-noise,0,float32,"[4, 8]",{finding},{verdict},{reason},{amplification},10,1.2e-07,3e-05,'
            f"0,MmBackward0,train.py:42 (forward),120,{message}")


class Pages(TestCase):
    @classmethod
    def setUpClass(cls):
        SCREENSHOTS.mkdir(exist_ok=True)

    def write_watch(self, ranks, summary=True):
        """A folder as `assay watch` leaves it; `ranks` are lists of rows."""
        folder = self.scratch / "watch-out"
        for rank, lines in enumerate(ranks):
            (folder / f"rank{rank}").mkdir(parents=True)
            (folder / f"rank{rank}" / "rows.csv").write_text("\n".join([WATCH_COLUMNS, *lines]) + "\n", encoding="utf-8")
            (folder / f"rank{rank}" / "steps.csv").write_text(
                "rank,step,operators,checked,findings,step_ms,check_ms\n" + "".join(f"{rank},{step},100,40,1,50,5\n" for step in range(3)))
            if summary:
                (folder / f"rank{rank}" / "summary.json").write_text(json.dumps({
                    "complete": True, "framework": "LibTorch 1.13.0", "rank": rank, "kinds": 30, "kinds_checked": 28, "cost_share": 0.1,
                    "skipped": {"aten::view: a view": 70}, "notes": ["torch.compile made 2 functions that are not seen"]}))
        return folder

    def test_a_comparison_is_read_like_a_run(self):
        _, good = self.check(EXAMPLE, expect=0)
        _, bad = self.check(spoil(self.scratch), expect=1)
        out = self.scratch / "compared"
        process = run("compare", bad, good, "--out", out)
        self.assertEqual(process.returncode, 1, process.stderr)
        with Browser() as browser:
            browser.open(out / "report.html")
            self.assertEqual(browser.problems(), [])
            self.assertIn(WRONG, browser.one("#worst details").text)
            everything = len(visible_rows(browser))
            browser.one("#filter-name").send_keys(WRONG)
            found = visible_rows(browser)
            self.assertTrue(found and all(WRONG in name for name in found) and len(found) < everything, found)
            browser.one("#rows tbody button.name").click()
            self.assertTrue(browser.wait("return document.querySelector('#detail').open"))
            self.assertIn(WRONG, browser.one("#detail-title").text)
            browser.screenshot(SCREENSHOTS / "compare.png")
            self.assertEqual(browser.problems(), [])

    def test_a_watch_has_the_page_that_runs_have(self):
        folder = self.write_watch([
            [watch_row(0, 0, "Functional.linear.3.forward"), watch_row(0, 2, "Functional.linear.3.backward", "warning", "12", stage="backward"),
             watch_row(0, 2, "Torch.add.0.forward", "pass", "1", "")],
            [watch_row(1, 1, "Functional.linear.7.forward", amplification="900")]])
        process = run("report", folder)
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertIn(f"wrote {folder / 'report.html'}", process.stdout)
        with Browser() as browser:
            browser.open(folder / "report.html")
            self.assertEqual(browser.problems(), [])
            self.assertIn("3 findings in 240 checked calls, the worst in Functional.linear.7.forward", browser.one("header .verdict").text)
            self.assertEqual([text.split()[0] for text in browser.texts(".tiles li")], ["2", "1", "1"])
            self.assertEqual(len(visible_rows(browser)), 4)
            self.assertIn("rank 1, step 1", browser.one("#worst details").text)
            self.assertNotIn("--api", browser.one("body").text)
            coverage = browser.one("#coverage").text
            self.assertIn("aten::view: a view", coverage)
            self.assertIn("140", coverage)
            self.assertIn("torch.compile", coverage)
            browser.one("#rows tbody button.name").click()
            self.assertTrue(browser.wait("return document.querySelector('#detail').open"))
            self.assertIn("train.py:42", browser.one("#detail-body").text)
            browser.screenshot(SCREENSHOTS / "watch.png")
            self.assertEqual(browser.problems(), [])

    def test_ranks_that_were_merged_and_jobs_that_were_killed_are_shown(self):
        folder = self.write_watch([[watch_row(0, 0, "Functional.linear.3.forward")], [watch_row(1, 1, "Torch.add.0.forward")]], summary=False)
        with open(folder / "rank1" / "rows.csv", "a", encoding="utf-8") as file:
            file.write("1,2,forward,Torch.add.0.forw")
        merged = self.scratch / "merged"
        self.assertEqual(run("merge", folder, "--out", merged).returncode, 0)
        for each in (folder, merged):
            self.assertEqual(run("report", each).returncode, 0)
            text = (each / "report.html").read_text(encoding="utf-8")
            self.assertIn("2 findings in 240 checked calls", text)
        self.assertIn("not ended", text)

    def test_what_a_watch_has_not_is_refused(self):
        folder = self.write_watch([[watch_row(0, 0, "Torch.add.0.forward")]])
        for arguments, message in ((["--format", "junit"], "a watch has html"), (["--baseline", folder], "no diff"), (["--serve"], "without --serve")):
            process = run("report", folder, *arguments, timeout=20)
            self.assertEqual(process.returncode, 2, arguments)
            self.assertIn(message, process.stderr)
        (folder / "rank0" / "rows.csv").write_text("not,a,watch\n")
        self.assertIn("begins with rank and step", run("report", folder).stderr)

    def test_names_in_a_watch_and_a_comparison_stay_text(self):
        hostile = "Torch.</script><img src=x onerror=alert(1)>.0.forward"
        pages = [self.write_watch([[watch_row(0, 0, hostile, message="<b>\u202e\x1b[31m</b>")]])]
        self.assertEqual(run("report", pages[0]).returncode, 0)
        _, first = self.check(EXAMPLE, "--api", "Mint.add.0", expect=0)
        for verdict in ("pass", "error"):
            folder = self.scratch / verdict
            folder.mkdir()
            shutil.copy(first / "run.json", folder)
            text = (first / "results.jsonl").read_text().replace("Mint.add.0", hostile.rsplit(".", 1)[0])
            (folder / "results.jsonl").write_text(text.replace('"verdict":"pass"', f'"verdict":"{verdict}"'))
        compared = self.scratch / "compared"
        self.assertEqual(run("compare", self.scratch / "error", self.scratch / "pass", "--out", compared).returncode, 1)
        pages.append(compared)
        with Browser() as browser:
            for folder in pages:
                browser.open(folder / "report.html")
                self.assertIn("</script><img src=x onerror=alert(1)>", browser.one("#worst").text)
                browser.one("#rows tbody button.name").click()
                browser.wait("return document.querySelector('#detail').open")
                self.assertEqual(browser.run("return document.querySelectorAll('img, iframe, object, script[src]').length"), 0)
                self.assertNotRegex(browser.one("body").text, "[\x1b\u202e]")
                self.assertEqual(browser.problems(), [])

    def test_open_hands_the_page_to_the_desktop(self):
        _, out = self.check(EXAMPLE, "--api", "Mint.add.0", expect=0)
        desktop = self.scratch / "desktop"
        desktop.mkdir()
        (desktop / "xdg-open").write_text(f'#!/bin/sh\nprintf "%s\\n" "$#" "$@" > "{self.scratch}/opened"\nexit ${{DESKTOP_FAILS:-0}}\n')
        (desktop / "xdg-open").chmod(0o755)
        spaced = self.scratch / "a folder; with $(odd) signs"
        process = run("report", out, "--out", spaced, "--open", env={"PATH": f"{desktop}:{os.environ['PATH']}"})
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertEqual((self.scratch / "opened").read_text().splitlines(), ["1", str(spaced / "report.html")])
        failing = run("report", out, "--open", env={"PATH": f"{desktop}:{os.environ['PATH']}", "DESKTOP_FAILS": "3"})
        self.assertEqual(failing.returncode, 2)
        self.assertIn("open it by hand", failing.stderr)
        without = run("report", out, "--open", env={"PATH": str(self.scratch)})
        self.assertIn("xdg-open is missing", without.stderr)
        self.assertIn("only the page can be opened", run("report", out, "--open", "--format", "md").stderr)

    def test_the_memory_of_each_operator_is_shown(self):
        _, out = self.check(EXAMPLE, expect=0)
        times = {(row["api_name"], row["direction"]): int(row["reference_bytes"]) for row in rows(out / "times.csv")}
        for line in (out / "results.jsonl").read_text().splitlines():
            result = json.loads(line)
            for direction in ("forward", "backward"):
                if direction in result:
                    self.assertEqual(times[result["stem"], direction], result[direction].get("reference_bytes", 0))
        # matmul makes its result in float64: 8 bytes for each of its elements, at least.
        shapes = {row["api_name"]: re.findall(r"\d+", row["shape"]) for row in rows(out / "details.csv")}
        elements = math.prod(map(int, shapes["Mint.matmul.0.forward.output.0"]))
        self.assertGreaterEqual(times["Mint.matmul.0", "forward"], 8 * elements)
        self.assertLess(times["Mint.matmul.0", "forward"], 100 * 8 * elements)
        text = (out / "report.html").read_text(encoding="utf-8")
        self.assertIn("largest memory of one call of each operator", text)
        self.assertNotIn("The adapters didn't say.", text)


if __name__ == "__main__":
    unittest.main()
