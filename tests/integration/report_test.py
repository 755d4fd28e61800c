"""report.html: what is in it, and that hostile names do nothing."""

import csv
import fcntl
import json
import os
import pty
import re
import stat
import struct
import subprocess
import termios
import unittest
import xml.etree.ElementTree as ElementTree

from browser import page_data, page_details
from check_test import entry, npy, tensor
from support import ASSAY, EXAMPLE, SOURCE, TestCase, rows, run

# Ours is stricter than those of the CI servers; integration.junit_schema adds the one of Jenkins' xUnit plugin.
SCHEMAS = [SOURCE / "tests" / "integration" / "junit.xsd", *filter(None, [os.environ.get("ASSAY_JUNIT_SCHEMA")])]


class Report(TestCase):
    def test_the_page_needs_no_network_and_holds_what_the_csv_says(self):
        _, out = self.check(EXAMPLE, expect=0)
        text, data = (out / "report.html").read_text(encoding="utf-8"), page_data(out / "report.html")
        self.assertEqual(re.findall(r'(?:src|href)="(?!data:)', text), [])
        details = rows(out / "details.csv")
        self.assertEqual(data["name"], [row["api_name"] for row in details])
        self.assertEqual(data["verdict"], [row["verdict"] for row in details])
        for number, row in zip(data["numbers"][0], details):
            self.assertEqual(number, float(row["max_ulp"]) if row["max_ulp"] else None)
        packed = page_details(out / "report.html")
        self.assertEqual(len(packed), len(details))
        for detail, row in zip(packed, details):
            shown = {name: value for name, value in zip(data["metrics"], detail["metrics"]) if value is not None}
            self.assertEqual({name: float(value) for name, value in shown.items()},
                             {name: float(row[name]) for name in data["metrics"] if row[name]})
        self.assertIn("<svg", text)
        self.assertIn("Mint.square.0.forward.output.0", text.split('id="data"')[0])

    def test_a_report_can_be_written_again(self):
        _, out = self.check(EXAMPLE, expect=0)
        first = (out / "report.html").read_text(encoding="utf-8")
        (out / "report.html").unlink()
        process = run("report", out)
        self.assertEqual(process.returncode, 0, process.stderr)
        self.assertEqual((out / "report.html").read_text(encoding="utf-8"), first)

    def test_a_torn_last_line_is_left_out(self):
        _, out = self.check(EXAMPLE, expect=0)
        lines = (out / "results.jsonl").read_text().splitlines(keepends=True)
        (out / "results.jsonl").write_text("".join(lines[:10]) + lines[10][:40])
        self.assertEqual(run("report", out).returncode, 0)
        self.assertEqual(len(set(page_data(out / "report.html")["position"])), 10)
        (out / "results.jsonl").write_text("".join(lines[:3]) + "{broken}\n")
        process = run("report", out)
        self.assertEqual(process.returncode, 2)
        self.assertIn("results.jsonl:4", process.stderr)

    def test_a_folder_without_a_run_is_refused(self):
        process = run("report", self.scratch)
        self.assertEqual(process.returncode, 2)
        self.assertIn("run.json", process.stderr)

    def test_each_format_can_be_written_again_into_another_folder(self):
        _, out = self.check(EXAMPLE, "--format", "junit", "--format", "md", expect=0)
        again = self.scratch / "again"
        process = run("report", out, "--out", again, *(f"--format={f}" for f in ("html", "junit", "md", "csv", "jsonl")))
        self.assertEqual(process.returncode, 0, process.stderr)
        for name in ("report.html", "junit.xml", "summary.md", "details.csv", "result.csv", "times.csv", "results.jsonl"):
            self.assertEqual((again / name).read_bytes(), (out / name).read_bytes(), name)
            self.assertIn(f"wrote {again / name}", process.stdout)
            self.assertEqual(stat.S_IMODE(os.stat(again / name).st_mode), 0o640)

    def test_impossible_requests_are_refused(self):
        _, out = self.check(EXAMPLE, "--api", "Mint.add.0", expect=0)
        before = (out / "results.jsonl").read_bytes()
        for arguments, message in ((["--format", "jsonl"], "choose another folder with --out"),
                                   (["--format", "pdf"], "a check has html, junit, md, csv, jsonl, msprobe"),
                                   (["--baseline", self.scratch / "none"], "run.json"),
                                   (["--serve", "--format", "md"], "one or the other"),
                                   (["--serve", "--port", "1e9"], "port")):
            process = run("report", out, *arguments, timeout=20)
            self.assertEqual(process.returncode, 2, arguments)
            self.assertIn(message, process.stderr)
        self.assertEqual((out / "results.jsonl").read_bytes(), before)

    def test_a_baseline_shows_what_changed(self):
        _, out = self.check(EXAMPLE, expect=0)
        baseline = self.scratch / "baseline"
        baseline.mkdir()
        (baseline / "run.json").write_bytes((out / "run.json").read_bytes())
        lines = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
        lines[0]["forward"]["verdict"] = "error"
        lines[0]["forward"]["outputs"][0]["verdict"] = "error"
        (baseline / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines[:-1]))
        process = run("report", out, "--baseline", baseline, "--format", "html", "--format", "md", "--format", "csv")
        self.assertEqual(process.returncode, 0, process.stderr)
        page = (out / "report.html").read_text()
        section = page[page.index('<section id="baseline"'):]
        section = section[:section.index("</section>")]
        self.assertIn("1 better", section)
        self.assertIn("2 appeared", section)
        self.assertRegex(section, lines[0]["stem"] + r"\.forward</td><td>better</td>")
        summary = (out / "summary.md").read_text()
        self.assertIn("| better | error → pass |", summary)
        # The same from a run of its own.
        process, again = self.check(EXAMPLE, "--baseline", baseline, "--format", "md", expect=0)
        self.assertIn("1 better", (again / "report.html").read_text())
        self.assertIn("| better | error → pass |", (again / "summary.md").read_text())


class Junit(TestCase):
    def validate(self, path):
        for schema in SCHEMAS:
            process = subprocess.run(["xmllint", "--nonet", "--noout", "--schema", schema, path], capture_output=True, text=True)
            self.assertEqual(process.returncode, 0, process.stderr)
        return ElementTree.parse(path).getroot()

    def test_it_is_valid_and_counts_what_the_tables_say(self):
        folder = self.write_dump({
            "Torch.neg.0.forward": entry([tensor("a.npy")], [tensor("a.npy")]),
            "Torch.neg.1.forward": entry([tensor("a.npy")], [tensor("missing.npy")]),
            "Torch.nothing.0.forward": entry([tensor("a.npy")], [tensor("a.npy")]),
            "Torch.abs.0.forward": entry([tensor("a.npy")], [tensor("a.npy")]),
        })
        (folder / "dump_tensor_data" / "a.npy").write_bytes(npy([1.0, 2.0]))
        _, out = self.check(folder, "--format", "junit", expect=1)
        root = self.validate(out / "junit.xml")
        results = {row["api_name"]: row["forward"] for row in rows(out / "result.csv")}
        self.assertEqual(results, {"Torch.neg.0": "error", "Torch.neg.1": "skip", "Torch.nothing.0": "skip", "Torch.abs.0": "pass"})
        suite = root.find("testsuite")
        self.assertEqual({name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")},
                         {"tests": "4", "failures": "1", "errors": "1", "skipped": "1"})
        cases = {case.get("name"): case for case in suite.iter("testcase")}
        failure = cases["Torch.neg.0.forward"].find("failure")
        details = {row["api_name"]: row for row in rows(out / "details.csv")}
        self.assertEqual(failure.get("type"), details["Torch.neg.0.forward.output.0"]["reason"])
        self.assertIn("--api Torch.neg.0", failure.text)
        self.assertEqual(cases["Torch.neg.0.forward"].get("classname"), "Torch.neg")
        self.assertIsNotNone(cases["Torch.neg.1.forward"].find("error"))
        self.assertIsNotNone(cases["Torch.nothing.0.forward"].find("skipped"))
        self.assertEqual(len(cases["Torch.abs.0.forward"]), 0)

    def test_what_is_wrong_with_a_file_is_noticed(self):
        good = '<testsuites name="n" tests="1" failures="0" errors="0" time="0"><testsuite name="s" tests="1" failures="0" errors="0" ' \
               'skipped="0" time="0.1"><testcase classname="c" name="n" time="0.1"/></testsuite></testsuites>'
        path = self.scratch / "junit.xml"
        path.write_text(good)
        self.validate(path)
        for old, new in ((' tests="1" failures="0" errors="0" skipped', ' failures="0" errors="0" skipped'), ('time="0.1"/>', 'time="1e-5"/>'),
                         ('time="0.1">', 'time="0.1234">'), ("testcase", "test"),
                         ('name="n" time="0.1"/>', 'name="n" file="f"/>')):
            path.write_text(good.replace(old, new))
            with self.assertRaises(AssertionError):
                self.validate(path)


class Terminal(TestCase):
    def on_terminal(self, *arguments, columns=50, **environment):
        """What assay writes to a terminal of that width."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = subprocess.Popen([ASSAY, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
                                   env={**{k: v for k, v in os.environ.items() if k != "NO_COLOR"}, **environment})
        os.close(theirs)
        written = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            written += part
        os.close(ours)
        process.wait()
        return written.decode()

    def test_a_status_line_shows_progress_and_fits_the_terminal(self):
        text = self.on_terminal("check", EXAMPLE)
        lines = re.findall(r"\r\x1b\[K([^\r\n\x1b]+)", text)
        self.assertTrue(any(re.match(r"\d+/49 APIs, [\d.]+/s", line) for line in lines), text)
        for line in lines:
            self.assertLess(len(line), 50)
        self.assertRegex(text, r"49 APIs in [^\n]*skipped\r\n$")
        self.assertLess(len(text.splitlines()), 40)

    def test_colours_can_be_had_and_refused(self):
        color = re.compile(r"\x1b\[3\d*m")
        self.assertRegex(self.on_terminal("check", EXAMPLE), color)
        self.assertNotRegex(self.on_terminal("check", EXAMPLE, NO_COLOR="1"), color)
        self.assertNotRegex(self.on_terminal("check", EXAMPLE, "--no-color"), color)
        self.assertEqual(self.on_terminal("check", EXAMPLE, "-q"), "")


class HostileNames(TestCase):
    """Names that try to be markup, formulas, shell or terminal commands stay text everywhere."""

    NAMES = ("Torch.a\nb.0", "Torch.\x1b[31mred\x07.0", "Torch.\u202egnp.0", "Torch.<script>alert(1)</script>.0",
             "Torch.</script><img src=x onerror=alert(1)>.0", "Torch.a]]>&amp;\"'.0", "Torch.@ROWS@.0", "=HYPERLINK(1).x.0",
             "Torch.|x|`y`<b>*z*[l](http://u).0", "Torch.';id #.0", "Torch.算子_名.0", "Torch.\ufffe.0", "+1+1.x.0")

    def setUp(self):
        super().setUp()
        # Dumps with such names are refused, so they come by the files of a run folder, which may be from anywhere.
        good = {"Torch.neg.0.forward": entry([tensor("a.npy")], [tensor("a.npy")])}
        folder = self.write_dump({**{name + ".forward": good["Torch.neg.0.forward"] for name in self.NAMES}, **good})
        (folder / "dump_tensor_data" / "a.npy").write_bytes(npy([0.0, 1.0]))
        self.process, first = self.check(folder, expect=1)
        self.run_folder = self.scratch / "run"
        self.run_folder.mkdir()
        (self.run_folder / "run.json").write_bytes((first / "run.json").read_bytes())
        pattern = json.loads((first / "results.jsonl").read_text())
        with open(self.run_folder / "results.jsonl", "w", encoding="utf-8") as file:
            for position, name in enumerate(self.NAMES):
                result = json.loads(json.dumps(pattern).replace("Torch.neg.0", json.dumps(name)[1:-1]))
                result["position"], result["api"] = position, name.rsplit(".", 1)[0]
                result["forward"]["outputs"][0]["message"] = result["forward"]["message"] = name
                result["forward"]["notes"] = [name]
                file.write(json.dumps(result) + "\n")
        self.out = self.scratch / "rebuilt"
        process = run("report", self.run_folder, "--out", self.out, *(f"--format={f}" for f in ("html", "junit", "md", "csv", "msprobe")))
        self.assertEqual(process.returncode, 0, process.stderr)

    def test_html(self):
        from browser import Browser

        text = (self.out / "report.html").read_text(encoding="utf-8")
        self.assertNotIn("<script>alert", text)
        self.assertNotIn("<img", text)
        with Browser() as browser:
            browser.open(self.out / "report.html")
            self.assertEqual(browser.problems(), [])
            shown = browser.texts("#rows tbody td:nth-child(2)")
            self.assertEqual(len(shown), len(rows(self.out / "details.csv")))
            self.assertTrue(any("<script>alert(1)</script>" in name for name in shown))
            self.assertTrue(any("算子_名" in name for name in shown))
            for i in range(len(shown)):
                browser.all("#rows tbody button.name")[i].click()
                browser.wait("return document.querySelector('#detail').open")
                browser.run("document.querySelector('#detail').close()")
            self.assertEqual(browser.run("return document.querySelectorAll('img, iframe, object, script[src]').length"), 0)
            self.assertEqual(browser.problems(), [])

    def test_xml(self):
        names = [case.get("name") for case in Junit.validate(self, self.out / "junit.xml").iter("testcase")]
        self.assertEqual(len(names), len(rows(self.out / "result.csv")))
        self.assertIn("Torch.<script>alert(1)</script>.0.forward", names)

    def test_csv(self):
        files = list(self.out.glob("*.csv"))
        self.assertEqual(len(files), 5)
        for path in files:
            with open(path, newline="", encoding="utf-8-sig") as file:
                lines = list(csv.reader(file))
                self.assertEqual(len(lines), len(self.NAMES) + 1, path)
                for line in lines:
                    for cell in line:
                        self.assertFalse(cell[:1] in "=+@-\t\r" and cell[:1] and not re.fullmatch(r"[-+]?[\d.]+(e[-+]?\d+)?|-inf", cell), cell)

    def test_markdown(self):
        text = (self.out / "summary.md").read_text(encoding="utf-8")
        for line in text.splitlines():
            if line.startswith("| <code>"):
                self.assertEqual(len(re.findall(r"(?<!\\)\|", line)), 4, line)
        self.assertNotRegex(text, r"<(?!/?code>|!-- -->)")
        self.assertNotIn("](http://u)", text)

    def test_terminal(self):
        compared = run("compare", self.run_folder, self.run_folder)
        self.assertIn("13 same", compared.stdout)
        worse = self.scratch / "worse"
        worse.mkdir()
        (worse / "run.json").write_bytes((self.run_folder / "run.json").read_bytes())
        (worse / "results.jsonl").write_text((self.run_folder / "results.jsonl").read_text().replace('"error"', '"pass"'))
        compared = run("compare", self.run_folder, worse)
        self.assertEqual(compared.returncode, 1)
        for process in (self.process, compared):
            for text in (process.stdout, process.stderr):
                self.assertNotRegex(text, "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e]")
            self.assertIn("\\x1b[31mred\\x07", process.stdout)
            self.assertIn("\\x0a", process.stdout)
        self.assertIn("算子_名", compared.stdout)


if __name__ == "__main__":
    unittest.main()
